/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * object_image.c - the image that an object file becomes: an ELF file in memory
 *
 * Two segments, what has instructions and what has not, and headers of the sections that somebody asks
 * for: those with code, for the names and ends of functions, and those with CFI. Symbols are those of
 * code, with addresses. Those that other files define are in a section ".undefined" of one byte for
 * each, which no segment holds: who looks for the name of a call's target finds it, and who looks for
 * its instructions finds none.
 */
#include <stdlib.h>
#include <string.h>
#include "object_link.h"

#define PROGRAM_HEADERS 2

/* ---- symbols ------------------------------------------------------------------------------ */

void object_find_symbols(struct object_link *link)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(link->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_SYMTAB && !link->symbols &&
		    header.sh_entsize == sizeof(Elf64_Sym)) {
			link->symbols = elf_getdata(section, NULL);
			link->symbol_table = elf_ndxscn(section);
			link->string_section = header.sh_link;
			if (link->symbols)
				link->symbol_count = link->symbols->d_size / sizeof(Elf64_Sym);
		}
	}
	while (link->symbols && (section = elf_nextscn(link->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB_SHNDX &&
		    header.sh_link == link->symbol_table)
			link->symbol_sections = elf_getdata(section, NULL);
	if (link->symbol_count > INT32_MAX)
		link->symbol_count = INT32_MAX;
}

size_t object_symbol_section(const struct object_link *link, size_t number, const GElf_Sym *symbol)
{
	GElf_Sym again;
	Elf32_Word section;

	if (symbol->st_shndx < SHN_LORESERVE)
		return symbol->st_shndx;
	if (symbol->st_shndx == SHN_ABS)
		return OBJECT_SECTION_ABSOLUTE;
	if (symbol->st_shndx != SHN_XINDEX || !link->symbol_sections ||
	    !gelf_getsymshndx(link->symbols, link->symbol_sections, (int)number, &again, &section))
		return OBJECT_SECTION_NONE;
	return section;
}

/* ---- room --------------------------------------------------------------------------------- */

static size_t count_headers(struct object_link *link)
{
	size_t count = 1;

	for (size_t i = 1; i < link->section_count; i++)
		if (link->place[i].has_bytes &&
		    (link->place[i].executable || link->place[i].is_cfi))
			link->place[i].out = (uint32_t)count++;
	return count;
}

int object_begin_image(struct object_link *link, uint64_t end)
{
	if (end > OBJECT_BYTES_MAX)
		return error_set(link->error, ERROR_TABLE_LIMIT, NULL, 0,
				 "its sections are larger than what is laid out");
	link->size = end;
	link->bytes = calloc(1, end);
	if (!link->bytes)
		return object_no_memory(link);
	memset(link->bytes + link->text_begin, 0xcc, link->text_end - link->text_begin);
	for (size_t i = 1; i < link->section_count; i++) {
		const struct object_place *place = &link->place[i];

		if (place->has_bytes)
			memcpy(link->bytes + place->offset, place->data, place->size);
	}
	return 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Bytes at the image's end. Their offset, or 0: no memory. */
static uint64_t append(struct object_link *link, const void *data, size_t size)
{
	uint64_t at = (link->size + 7) / 8 * 8;
	uint8_t *bytes = realloc(link->bytes, at + size + 1);

	if (!bytes)
		return 0;
	memset(bytes + link->size, 0, at - link->size);
	if (size)
		memcpy(bytes + at, data, size);
	link->bytes = bytes;
	link->size = at + size;
	return at;
}

/* Hidden symbols become local ones when they are linked: no other image calls them. */
static unsigned char linked_info(const GElf_Sym *symbol)
{
	unsigned int visibility = GELF_ST_VISIBILITY(symbol->st_other);

	if (visibility != STV_HIDDEN && visibility != STV_INTERNAL)
		return symbol->st_info;
	return GELF_ST_INFO(STB_LOCAL, GELF_ST_TYPE(symbol->st_info));
}

/* A symbol's place in the image; its name's index stays. False: it is none of code. */
static bool convert_symbol(const struct object_link *link, size_t number,
			   uint32_t undefined_section, Elf64_Sym *ret)
{
	const struct object_place *place;
	GElf_Sym symbol;
	uint32_t out = undefined_section;
	size_t section;

	if (!gelf_getsym(link->symbols, (int)number, &symbol))
		return false;
	section = object_symbol_section(link, number, &symbol);
	*ret = (Elf64_Sym) { .st_name = symbol.st_name,
			     .st_info = linked_info(&symbol),
			     .st_size = symbol.st_size };
	if (section == SHN_UNDEF) {
		ret->st_value = link->undefined_vaddr + number;
		ret->st_size = 1;
		ret->st_info = GELF_ST_INFO(GELF_ST_BIND(symbol.st_info), STT_FUNC);
	} else {
		place = section < link->section_count ? &link->place[section] : NULL;
		if (!place || !place->out || !place->executable || symbol.st_value > place->size)
			return false;
		ret->st_value = place->vaddr + symbol.st_value;
		out = place->out;
	}
	ret->st_shndx = out < SHN_LORESERVE ? (uint16_t)out : SHN_XINDEX;
	return true;
}

/* The headers of the sections that are in the image, and of what is written here. */
struct headers {
	Elf64_Shdr *header;
	size_t count;
	char *names;
	size_t names_size;
	FILE *name_file;
};

static uint32_t add_name(struct headers *headers, const char *name)
{
	long at = ftell(headers->name_file);

	fwrite(name, strlen(name) + 1, 1, headers->name_file);
	return (uint32_t)at;
}

static void add_header(struct headers *headers, const char *name, Elf64_Shdr header)
{
	header.sh_name = add_name(headers, name);
	header.sh_addralign = 1;
	headers->header[headers->count++] = header;
}

static void add_places(const struct object_link *link, struct headers *headers)
{
	for (size_t i = 1; i < link->section_count; i++) {
		const struct object_place *place = &link->place[i];
		uint64_t flags = place->vaddr ? SHF_ALLOC : 0;

		if (place->out)
			add_header(
				headers, place->name,
				(Elf64_Shdr) {
					.sh_type = place->executable ? SHT_PROGBITS : place->type,
					.sh_flags = flags | (place->executable ? SHF_EXECINSTR : 0),
					.sh_addr = place->vaddr,
					.sh_offset = place->offset,
					.sh_size = place->size });
	}
}

static int add_symbols(struct object_link *link, struct headers *headers)
{
	Elf64_Sym *symbols = calloc(link->symbol_count + 1, sizeof(*symbols));
	uint32_t undefined_section = (uint32_t)headers->count;
	size_t count = 1;
	Elf_Scn *section = elf_getscn(link->elf, link->string_section);
	Elf_Data *strings = section && link->symbols ? elf_getdata(section, NULL) : NULL;
	size_t strings_size = strings && strings->d_buf ? strings->d_size : 0;
	uint64_t at, strings_at;

	if (!symbols)
		return object_no_memory(link);
	for (size_t i = 1; i < link->symbol_count; i++)
		count += convert_symbol(link, i, undefined_section, &symbols[count]);
	at = append(link, symbols, count * sizeof(*symbols));
	free(symbols);
	strings_at = at ? append(link, strings_size ? strings->d_buf : "", strings_size) : 0;
	if (!strings_at || !append(link, "", 1))
		return object_no_memory(link);
	add_header(headers, ".undefined",
		   (Elf64_Shdr) { .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_EXECINSTR,
				  .sh_addr = link->undefined_vaddr,
				  .sh_offset = link->undefined_offset,
				  .sh_size = link->symbol_count });
	add_header(headers, ".symtab",
		   (Elf64_Shdr) { .sh_type = SHT_SYMTAB,
				  .sh_offset = at,
				  .sh_size = count * sizeof(*symbols),
				  .sh_link = undefined_section + 2,
				  .sh_info = 1,
				  .sh_entsize = sizeof(*symbols) });
	add_header(headers, ".strtab",
		   (Elf64_Shdr) { .sh_type = SHT_STRTAB,
				  .sh_offset = strings_at,
				  .sh_size = strings_size });
	return 0;
}

/* Counts that 16 bits don't hold are in section 0 (gABI, "Sections"). */
static void set_counts(struct headers *headers, Elf64_Ehdr *header)
{
	bool many = headers->count >= SHN_LORESERVE;

	header->e_shnum = many ? 0 : (uint16_t)headers->count;
	header->e_shstrndx = many ? SHN_XINDEX : (uint16_t)(headers->count - 1);
	headers->header[0].sh_size = many ? headers->count : 0;
	headers->header[0].sh_link = many ? (uint32_t)headers->count - 1 : 0;
}

static void set_segments(struct object_link *link, const struct headers *headers)
{
	Elf64_Phdr *segment = (Elf64_Phdr *)(link->bytes + sizeof(Elf64_Ehdr));
	const struct {
		uint64_t begin, end;
		uint32_t flags;
	} all[PROGRAM_HEADERS] = {
		{ link->text_begin, link->text_end, PF_R | PF_X },
		{ link->data_begin, link->data_end, PF_R | PF_W },
	};

	for (size_t i = 0; i < PROGRAM_HEADERS; i++) {
		uint64_t size = all[i].end - all[i].begin;

		segment[i] = (Elf64_Phdr) { .p_type = PT_LOAD,
					    .p_flags = all[i].flags,
					    .p_offset = all[i].begin,
					    .p_vaddr = OBJECT_BASE + all[i].begin,
					    .p_paddr = OBJECT_BASE + all[i].begin,
					    .p_filesz = size,
					    .p_memsz = size,
					    .p_align = 1 };
	}
}

static int write_headers(struct object_link *link, struct headers *headers)
{
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_EXEC,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(header),
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = PROGRAM_HEADERS,
			      .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Shdr names = { .sh_type = SHT_STRTAB };

	add_places(link, headers);
	if (add_symbols(link, headers))
		return -1;
	add_header(headers, ".shstrtab", names);
	if (fflush(headers->name_file))
		return object_no_memory(link);
	names.sh_name = headers->header[headers->count - 1].sh_name;
	names.sh_size = headers->names_size;
	names.sh_offset = append(link, headers->names, headers->names_size);
	headers->header[headers->count - 1] = names;
	set_counts(headers, &header);
	header.e_shoff = append(link, headers->header, headers->count * sizeof(Elf64_Shdr));
	if (!names.sh_offset || !header.e_shoff)
		return object_no_memory(link);
	set_segments(link, headers);
	memcpy(link->bytes, &header, sizeof(header));
	return 0;
}

int object_end_image(struct object_link *link)
{
	/* Behind the sections: .undefined, .symtab, .strtab, .shstrtab. */
	struct headers headers = { .header = calloc(count_headers(link) + 4, sizeof(Elf64_Shdr)),
				   .count = 1 };
	int result;

	headers.name_file = open_memstream(&headers.names, &headers.names_size);
	if (headers.header && headers.name_file) {
		add_name(&headers, "");
		result = write_headers(link, &headers);
	} else {
		result = object_no_memory(link);
	}
	if (headers.name_file)
		fclose(headers.name_file);
	free(headers.names);
	free(headers.header);
	return result ? -1
		      : image_create_memory(link->bytes, link->size, link->file->path,
					    &link->object->image, link->error);
}
