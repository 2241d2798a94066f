/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_symbol.c - symbols of code: which there are, and how far each reaches
 *
 * An address often has several names (memcpy and its versions, a weak alias, a local one), and
 * .symtab repeats .dynsym. The name that is shown must not depend on the linker's order, because
 * saved tables are compared: functions before labels, global before weak before local, then the
 * shortest, then the first in the alphabet. All names stay in the array, so any of them finds its
 * address.
 *
 * Assembly without .type has STT_NOTYPE, and without .size no size. Such a symbol reaches to the
 * next one of any kind, and none reaches beyond its section: else a function is blamed for its
 * neighbour. What covers a PC where symbols lie over each other is symbol_range.c's.
 *
 * To name a few addresses all symbols need not be kept and sorted: image_read_symbols_at(). What
 * decides about an address are those with a size that cover it, and, where none does, what begins
 * last before it, what covers that, and data in between.
 */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "elf_image.h"

/* ---- sections of code -------------------------------------------------------------------- */

static int compare_starts(const void *left, const void *right, void *context)
{
	const struct code_section *code = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	if (code[a].start != code[b].start)
		return code[a].start < code[b].start ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void order_by_address(struct image_file *file)
{
	file->code_by_address = malloc(file->code_count * sizeof(*file->code_by_address));
	for (size_t i = 0; file->code_by_address && i < file->code_count; i++)
		if (file->code[i].start < file->code[i].end)
			file->code_by_address[file->code_by_address_count++] = (uint32_t)i;
	if (file->code_by_address_count)
		qsort_r(file->code_by_address, file->code_by_address_count,
			sizeof(*file->code_by_address), compare_starts, file->code);
}

static struct code_section code_section_at(uint64_t start, uint64_t size, const char *name)
{
	bool is_plt = !strncmp(name, ".plt", 4) || !strcmp(name, ".iplt");
	bool has_pieces = !strcmp(name, ".init") || !strcmp(name, ".fini");

	return (struct code_section) { .start = start,
				       .end = start + size,
				       .name = name,
				       .is_plt = is_plt,
				       .piecewise = is_plt || has_pieces };
}

/* Sections that hold instructions. A debug file's have no bytes, but the same addresses. */
static void read_code_sections(struct image *image, struct image_file *file)
{
	size_t count, names;
	bool named = !elf_getshdrstrndx(file->elf, &names);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	if (elf_getshdrnum(file->elf, &count) || !count ||
	    !(file->code = calloc(count, sizeof(*file->code))))
		return;
	file->code_count = count;
	while ((section = elf_nextscn(file->elf, section))) {
		size_t i = elf_ndxscn(section);
		if (i >= count || !gelf_getshdr(section, &header) ||
		    !(header.sh_flags & SHF_EXECINSTR) ||
		    header.sh_addr + header.sh_size < header.sh_addr)
			continue;
		const char *name = named ? elf_strptr(file->elf, names, header.sh_name) : NULL;
		file->code[i] = code_section_at(header.sh_addr, header.sh_size, name ? name : "");
	}
	if (image->type != ET_REL)
		order_by_address(file);
}

const struct code_section *image_code_section(const struct image *image, uint64_t vaddr)
{
	size_t count;
	image_symbols(image, &count); /* reads the sections, too */
	const struct image_file *file = image->priv;
	size_t low = ARRAY_BEFORE(file->code_by_address_count, i,
				  file->code[file->code_by_address[i]].start <= vaddr);
	if (!low)
		return NULL;
	const struct code_section *code = &file->code[file->code_by_address[low - 1]];
	return vaddr < code->end ? code : NULL;
}

bool image_is_code(const struct image *image, uint64_t vaddr)
{
	const struct image_file *file = image->priv;
	return image_code_segment(image, vaddr) &&
	       (image_code_section(image, vaddr) || !file->code_by_address_count);
}

uint64_t image_next_code(const struct image *image, uint64_t vaddr)
{
	const struct image_file *file = image->priv;

	if (image_code_section(image, vaddr) || !file->code_by_address_count)
		return vaddr;
	size_t low = ARRAY_BEFORE(file->code_by_address_count, i,
				  file->code[file->code_by_address[i]].start <= vaddr);
	return low < file->code_by_address_count ? file->code[file->code_by_address[low]].start
						 : UINT64_MAX;
}

uint64_t image_code_end(const struct image *image, uint64_t vaddr)
{
	const struct code_section *section = image_code_section(image, vaddr);
	const struct image_segment *segment = image_code_segment(image, vaddr);
	uint64_t end = segment->vaddr + segment->file_bytes;
	return section && section->end < end ? section->end : end;
}

/* ---- order ------------------------------------------------------------------------------- */

static int binding_rank(uint8_t binding)
{
	switch (binding) {
	case STB_GLOBAL: return 0;
	case STB_WEAK: return 1;
	case STB_LOCAL: return 3;
	default: return 2; /* STB_GNU_UNIQUE and what systems add */
	}
}

static bool is_function(const struct image_symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
}

static bool is_code_type(unsigned int type)
{
	return type == STT_NOTYPE || type == STT_FUNC || type == STT_GNU_IFUNC;
}

static int compare_symbols(const void *left, const void *right)
{
	const struct image_symbol *a = left;
	const struct image_symbol *b = right;
	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	if (is_function(a) != is_function(b))
		return is_function(a) ? -1 : 1;
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

/* ---- what decides about some addresses ---------------------------------------------------- */

/* Symbols are gone through twice: what is nearest before an address is known only at the end. */
struct choice {
	const uint64_t *address; /* ascending */
	size_t count;
	uint64_t *nearest; /* of each: where the last symbol begins, at it or before; 0: nowhere */
	uint64_t *point;   /* once these are known: both kinds, ascending; else NULL */
	size_t points;
};

/* Whether the symbol decides, if it is one of code, or one of data, if the choice is made. */
static bool is_chosen(const struct choice *choice, const GElf_Sym *symbol)
{
	size_t next = ARRAY_BEFORE(choice->count, i, choice->address[i] < symbol->st_value);
	bool lies_between = next < choice->count && choice->nearest[next] < symbol->st_value;

	if (!is_code_type(GELF_ST_TYPE(symbol->st_info)))
		return choice->point && lies_between;
	if (!choice->point)
		return lies_between;
	next = ARRAY_BEFORE(choice->points, i, choice->point[i] < symbol->st_value);
	if (next == choice->points)
		return false;
	return choice->point[next] - symbol->st_value < (symbol->st_size ? symbol->st_size : 1);
}

static void note_nearest(struct choice *choice, uint64_t pc)
{
	size_t next = ARRAY_BEFORE(choice->count, i, choice->address[i] < pc);

	choice->nearest[next] = pc;
}

/* All symbols were seen once. */
static void choose(struct choice *choice, uint64_t *room)
{
	for (size_t i = 0; i < choice->count; i++) {
		if (i && choice->nearest[i] < choice->nearest[i - 1])
			choice->nearest[i] = choice->nearest[i - 1];
		room[2 * i] = choice->address[i];
		room[2 * i + 1] = choice->nearest[i];
	}
	choice->point = room;
	choice->points = 2 * choice->count;
	qsort(room, choice->points, sizeof(*room), array_order_u64);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Data in a section of code: it ends a symbol without size, and is no name. */
static void add_data(struct image_file *file, const struct image_symbol *symbol)
{
	bool has_size = symbol->type == STT_OBJECT && symbol->size;

	ARRAY_ADD(file->data_symbol, file->data_symbol_count,
		  (struct data_symbol) { symbol->pc, has_size ? symbol->end : symbol->pc });
}

/* Labels that only assemblers and linkers read: .L12, annobin's, ARM's mapping symbols ($x)
 * where another assembler writes them, and mold's name for a whole PLT. */
static bool is_mark(const char *name)
{
	return !strncmp(name, ".L", 2) || !strncmp(name, ".annobin", 8) ||
	       (name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
		(!name[2] || name[2] == '.')) ||
	       !strcmp(name, "_PROCEDURE_LINKAGE_TABLE_");
}

/* How far an executable segment goes on from vaddr. */
static uint64_t left_in_segment(const struct image *image, uint64_t vaddr)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		if (segment->executable && vaddr >= segment->vaddr &&
		    vaddr - segment->vaddr < segment->memory_bytes)
			return segment->memory_bytes - (vaddr - segment->vaddr);
	}
	return 0;
}

/*
 * How far the code goes on that the symbol begins in: its section of code, which it must lie in.
 * Where section headers say otherwise, a function with a size is still believed as far as its
 * segment goes: both of that it says of itself. 0: it is no code.
 */
static uint64_t left_in_code(const struct image *image, const GElf_Sym *symbol)
{
	const struct image_file *file = image->priv;
	const struct code_section *code = NULL;
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	bool object_file = image->type == ET_REL;
	/* More sections than 16 bits can number: only an address tells. */
	if (symbol->st_shndx == SHN_XINDEX && !object_file)
		code = image_code_section(image, symbol->st_value);
	else if (symbol->st_shndx >= SHN_LORESERVE || symbol->st_shndx == SHN_UNDEF)
		return 0;
	else if (symbol->st_shndx < file->code_count)
		code = &file->code[symbol->st_shndx];
	uint64_t offset = symbol->st_value - (code && !object_file ? code->start : 0);
	if (code && offset < code->end - code->start)
		return code->end - code->start - offset;
	if (object_file || !symbol->st_size || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return 0;
	return left_in_segment(image, symbol->st_value);
}

/* Adds one symbol of code or data. A bad name only loses that symbol. choice: NULL, or which are
 * added; before it is made, none. */
static void add_symbol(struct image *image, struct choice *choice, Elf *elf, size_t strings,
		       const GElf_Sym *symbol)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	if (type == STT_SECTION || type == STT_FILE || type == STT_TLS || type == STT_COMMON)
		return;
	if (choice && !is_chosen(choice, symbol))
		return;
	uint64_t left = left_in_code(image, symbol);
	const char *name = left ? elf_strptr(elf, strings, symbol->st_name) : NULL;
	if (!name || !*name)
		return;
	struct image_symbol added = {
		.pc = symbol->st_value,
		.size = symbol->st_size,
		.end = symbol->st_value +
		       (symbol->st_size && symbol->st_size < left ? symbol->st_size : left),
		.name = name,
		.binding = GELF_ST_BIND(symbol->st_info),
		.type = (uint8_t)type,
		.section = image->type == ET_REL ? symbol->st_shndx : SHN_UNDEF,
		.visibility = GELF_ST_VISIBILITY(symbol->st_other),
	};
	if (type == STT_NOTYPE && is_mark(name))
		return;
	if (choice && !choice->point) {
		note_nearest(choice, added.pc);
	} else if (is_code_type(type)) {
		ARRAY_ADD(image->symbol, image->symbol_count, added);
	} else if (image->type !=
		   ET_REL) { /* there only the symbol at an FDE's begin is asked for */
		add_data(image->priv, &added);
	}
}

/* As long as there is room. */
static void read_section(struct image *image, struct choice *choice, size_t capacity,
			 Elf_Scn *section, const GElf_Shdr *header)
{
	const struct image_file *file = image->priv;
	Elf_Data *data = elf_getdata(section, NULL);
	if (!data)
		return;
	size_t count = header->sh_size / header->sh_entsize;
	GElf_Sym symbol;
	for (size_t i = 1; i < count && i <= INT32_MAX && image->symbol_count < capacity &&
			   gelf_getsym(data, (int)i, &symbol);
	     i++)
		add_symbol(image, choice, file->elf, header->sh_link, &symbol);
}

static void read_sections(struct image *image, struct choice *choice, size_t capacity)
{
	const struct image_file *file = image->priv;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && is_symbol_table(&header))
			read_section(image, choice, capacity, section, &header);
}

/* They begin with the address that they are sorted by. */
static void order_data(struct image_file *file)
{
	struct data_symbol *data = file->data_symbol;

	ARRAY_SORT(data, file->data_symbol_count, array_order_u64);
	for (size_t i = 1; i < file->data_symbol_count; i++)
		if (data[i].end < data[i - 1].end)
			data[i].end = data[i - 1].end;
}

/* Data ends a symbol without size. Another symbol does, too: symbol_range.c sees them in order. */
static void end_at_data(struct image *image, const struct image_file *file)
{
	const struct data_symbol *data = file->data_symbol;
	size_t next = 0;
	for (size_t i = 0; i < image->symbol_count; i++) {
		struct image_symbol *symbol = &image->symbol[i];
		while (next < file->data_symbol_count && data[next].start <= symbol->pc)
			next++;
		if (!symbol->size && next < file->data_symbol_count &&
		    data[next].start < symbol->end)
			symbol->end = data[next].start;
	}
}

static void drop_doubles(struct image *image)
{
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

/* How many symbols there may be. Each section was found to lie inside the file, but any number may
 * share the same bytes. */
static size_t count_symbols(const struct image_file *file)
{
	const size_t most = file->size / sizeof(Elf64_Sym);
	Elf_Scn *section = NULL;
	size_t count = 0;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && is_symbol_table(&header))
			count += header.sh_size / header.sh_entsize;
	return count < most ? count : most;
}

/* .symtab and .dynsym together, sorted and without doubles. choice: which; NULL: all. */
static void read_symbols(struct image *image, struct image_file *file, struct choice *choice)
{
	size_t capacity = count_symbols(file);
	FREED uint64_t *room = NULL;

	read_code_sections(image, file);
	if (choice) {
		room = calloc(choice->count + 1, 3 * sizeof(*room));
		if (!room)
			return;
		choice->nearest = room + 2 * choice->count;
		if (choice->count)
			read_sections(image, choice, capacity);
		choose(choice, room);
	}
	if (!choice || choice->count)
		read_sections(image, choice, capacity);
	if (image->symbol_count)
		qsort(image->symbol, image->symbol_count, sizeof(*image->symbol), compare_symbols);
	order_data(file);
	end_at_data(image, file);
	drop_doubles(image);
}

static void forget_symbols(struct image *image, struct image_file *file)
{
	free(image->symbol);
	free(file->code);
	free(file->code_by_address);
	free(file->data_symbol);
	image->symbol = NULL;
	file->data_symbol = NULL;
	file->data_symbol_count = 0;
	file->code = NULL;
	file->code_by_address = NULL;
	image->symbol_count = file->code_count = file->code_by_address_count = 0;
}

/* choice: NULL: all. */
static bool read_once(const struct image *given, struct choice *choice)
{
	struct image *image = (struct image *)given; /* a cache: the image looks the same */
	struct image_file *file = image->priv;

	errno = 0;
	file->symbols_chosen = choice;
	file->symbols_read = true; /* reading them asks for what is read of the sections */
	read_symbols(image, file, choice);
	/* With a few of them missing, code would have its neighbour's name: so none. */
	if (errno == ENOMEM) {
		forget_symbols(image, file);
		file->symbols_read = false;
	}
	return file->symbols_read;
}

bool image_read_symbols(const struct image *image)
{
	const struct image_file *file = image->priv;

	return file->symbols_read || read_once(image, NULL);
}

void image_forget_symbols(struct image *image)
{
	struct image_file *file = image->priv;

	if (image->debug || !image->has_sections)
		return; /* there is nothing that could be read again, or its sections are a debug file's */
	forget_symbols(image, file);
	file->symbols_read = false;
	free(file->range);
	file->range = NULL;
	file->range_count = 0;
	file->ranges_made = file->symbols_chosen = false;
}

bool image_read_symbols_at(const struct image *image, const uint64_t *address, size_t count)
{
	struct choice choice = { .address = address, .count = count };
	const struct image_file *file = image->priv;

	if ((file->symbols_read && !file->symbols_chosen) || image->type == ET_REL)
		return image_read_symbols(image);
	if (file->symbols_chosen)
		image_forget_symbols((struct image *)image);
	return read_once(image, &choice);
}

const struct image_symbol *image_symbols(const struct image *image, size_t *ret_count)
{
	image_read_symbols(image);
	*ret_count = image->symbol_count;
	return image->symbol;
}

bool image_is_data(const struct image *image, uint64_t vaddr)
{
	const struct image_file *file = image->priv;

	image_read_symbols(image);
	size_t low = ARRAY_BEFORE(file->data_symbol_count, i, file->data_symbol[i].start <= vaddr);
	return low && vaddr < file->data_symbol[low - 1].end;
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
