/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_symbol.c - function symbols: which name a PC has
 *
 * An address often has several names (memcpy and its versions, a weak alias, a local one), and
 * .symtab repeats .dynsym. The name that is shown must not depend on the linker's order, because
 * saved tables are compared: global before weak before local, then the shortest, then the first in
 * the alphabet. All names stay in the array, so any of them finds its address.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include "elf_image.h"

static int binding_rank(uint8_t binding)
{
	switch (binding) {
	case STB_GLOBAL: return 0;
	case STB_WEAK: return 1;
	case STB_LOCAL: return 3;
	default: return 2; /* STB_GNU_UNIQUE and what systems add */
	}
}

static int compare_symbols(const void *left, const void *right)
{
	const struct image_symbol *a = left;
	const struct image_symbol *b = right;
	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	int rank = binding_rank(a->binding) - binding_rank(b->binding);
	if (rank)
		return rank;
	size_t a_length = strlen(a->name);
	size_t b_length = strlen(b->name);
	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	int order = strcmp(a->name, b->name);
	if (order)
		return order;
	return a->size > b->size ? -1 : a->size < b->size;
}

static bool is_symbol_table(const GElf_Shdr *header)
{
	return (header->sh_type == SHT_SYMTAB || header->sh_type == SHT_DYNSYM) &&
	       header->sh_entsize == sizeof(Elf64_Sym);
}

/* Adds the functions of one symbol table, as long as there is room; a bad name or entry only loses
 * that symbol. */
static void read_section(struct image *image, size_t capacity, Elf *elf, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	if (!data)
		return;
	size_t count = header->sh_size / header->sh_entsize;
	for (size_t i = 1; i < count && i <= INT32_MAX && image->symbol_count < capacity; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		unsigned int type = GELF_ST_TYPE(symbol.st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF)
			continue;
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		image->symbol[image->symbol_count++] = (struct image_symbol) {
			.pc = symbol.st_value,
			.size = symbol.st_size,
			.name = name,
			.binding = GELF_ST_BIND(symbol.st_info),
			.section = image->type == ET_REL ? symbol.st_shndx : SHN_UNDEF,
		};
	}
}

/* .symtab and .dynsym together, sorted and without doubles. Without memory: none. */
static void read_symbols(struct image *image, const struct image_file *file)
{
	size_t capacity = 0;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && is_symbol_table(&header))
			capacity += header.sh_size / header.sh_entsize;
	/* Each section was found to lie inside the file, but any number may share the same bytes. */
	if (capacity > file->size / sizeof(Elf64_Sym))
		capacity = file->size / sizeof(Elf64_Sym);
	if (!capacity || !(image->symbol = calloc(capacity, sizeof(*image->symbol))))
		return;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && is_symbol_table(&header))
			read_section(image, capacity, file->elf, section, &header);

	qsort(image->symbol, image->symbol_count, sizeof(*image->symbol), compare_symbols);
	size_t kept = 0;
	for (size_t i = 0; i < image->symbol_count; i++) {
		const struct image_symbol *symbol = &image->symbol[i];
		if (kept && image->symbol[kept - 1].pc == symbol->pc &&
		    image->symbol[kept - 1].section == symbol->section &&
		    !strcmp(image->symbol[kept - 1].name, symbol->name))
			continue;
		image->symbol[kept++] = *symbol;
	}
	image->symbol_count = kept;
}

const struct image_symbol *image_symbols(const struct image *image, size_t *ret_count)
{
	struct image_file *file = image->priv;
	if (!file->symbols_read) {
		file->symbols_read = true;
		read_symbols((struct image *)image, file); /* a cache: the image looks the same */
	}
	*ret_count = image->symbol_count;
	return image->symbol;
}

/* How far back a function that covers a PC is looked for, past functions nested inside it. */
#define SYMBOL_NESTING_MAX 64

const struct image_symbol *image_symbol_find(const struct image *image, uint64_t vaddr)
{
	size_t low = 0;
	size_t high;
	const struct image_symbol *symbols = image_symbols(image, &high);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbols[middle].pc <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}

	/* low is one past the last symbol that begins at or before vaddr. */
	const struct image_symbol *nearest = NULL;
	const struct image_symbol *covering = NULL;
	for (size_t i = low; i > 0 && low - i < SYMBOL_NESTING_MAX; i--) {
		const struct image_symbol *symbol = &symbols[i - 1];
		if (covering && symbol->pc != covering->pc)
			break;
		if (vaddr - symbol->pc < symbol->size)
			covering = symbol; /* the best name of a PC comes first: go on to it */
		if (!symbol->size && (!nearest || nearest->pc == symbol->pc) &&
		    symbol->pc == symbols[low - 1].pc)
			nearest = symbol;
	}
	return covering ? covering : nearest;
}

uint64_t image_symbol_address(const struct image *image, const char *name)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(symbol[i].name, name))
			return symbol[i].pc;
	return 0;
}
