/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_source.c - who compiled the code at an address of an image, and of which line
 *
 * By the debug info of the file, or of its separate debug file (DW_AT_producer, DW_AT_comp_dir: DWARF 5,
 * 3.1.1; the line table: 6.2). Without, .comment still names the compilers of all that was linked.
 *
 * In an object file these sections are not filled in yet, and every section of code begins at 0. libdwfl
 * lays the sections out one behind the other, and applies the relocations that debug info has; addresses
 * are that layout's (code_sources_address()).
 *
 * Which unit an address is in is asked of the units' own ranges. .debug_aranges would be faster, and
 * clang and rustc don't write it.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "code_source.h"
#include "debug_link.h"

#define RANGES_MAX 65536 /* of one unit: a malformed list must end */

struct unit_range {
	uint64_t start, end;
	uint64_t last;	/* the largest end of all up to here */
	Dwarf_Off unit; /* of its DIE */
};

struct code_sources {
	int file[2]; /* the image's, and the debug file's */
	Elf *elf[2];
	Dwarf *dwarf;	 /* of the first of them that has debug info */
	Dwfl *dwfl;	 /* of an object file: what elf[0] and dwarf are of; else NULL */
	Dwarf_Addr bias; /* of dwfl's addresses, less dwarf's */
	bool ranges_read;
	struct unit_range *range; /* sorted by start */
	size_t count;
	char comment[512];
};

/* Strings of .comment, each once. */
static void read_comment(Elf *elf, char *ret, size_t size)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;
		Elf_Data *data = name && !strcmp(name, ".comment") ? elf_rawdata(section, NULL)
								   : NULL;
		const char *at = data ? data->d_buf : NULL, *end = at ? at + data->d_size : NULL;

		for (size_t length; at && at < end; at += length + 1) {
			length = strnlen(at, (size_t)(end - at));
			if (at + length == end)
				break;
			if (length && !strstr(ret, at) && strlen(ret) + length + 3 < size) {
				strcat(ret, *ret ? "; " : "");
				strcat(ret, at);
			}
		}
	}
}

static void open_file(struct code_sources *sources, size_t number, const char *path)
{
	sources->file[number] = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (sources->file[number] < 0)
		return;
	sources->elf[number] = elf_begin(sources->file[number], ELF_C_READ_MMAP, NULL);
	read_comment(sources->elf[number], sources->comment, sizeof(sources->comment));
	if (!sources->dwarf && sources->elf[number])
		sources->dwarf = dwarf_begin_elf(sources->elf[number], DWARF_C_READ, NULL);
	if (debug_link_waits(sources->dwarf, path)) {
		dwarf_end(sources->dwarf);
		sources->dwarf = NULL;
	}
}

struct code_sources *code_sources_open(const char *path, const char *debug)
{
	struct code_sources *sources = calloc(1, sizeof(*sources));

	if (!sources)
		return NULL;
	elf_version(EV_CURRENT);
	open_file(sources, 0, path);
	open_file(sources, 1, debug);
	return sources;
}

/* Its debug info is in the file itself, or nowhere. */
static int find_no_debug_file(Dwfl_Module *module, void **context, const char *name,
			      Dwarf_Addr base, const char *file, const char *debug_file,
			      GElf_Word crc, char **ret)
{
	return -1;
}

struct code_sources *code_sources_open_object(const char *path)
{
	static const Dwfl_Callbacks callbacks = { .find_debuginfo = find_no_debug_file,
						  .section_address = dwfl_offline_section_address };
	struct code_sources *sources = calloc(1, sizeof(*sources));
	Dwfl_Module *module = NULL;
	Dwarf_Addr ignored;

	if (!sources)
		return NULL;
	sources->file[0] = sources->file[1] = -1;
	sources->dwfl = dwfl_begin(&callbacks);
	if (sources->dwfl)
		module = dwfl_report_offline(sources->dwfl, "object", path, -1);
	if (!module || dwfl_report_end(sources->dwfl, NULL, NULL))
		return sources;
	sources->elf[0] = dwfl_module_getelf(module, &ignored);
	sources->dwarf = dwfl_module_getdwarf(module, &sources->bias); /* the module's */
	if (debug_link_waits(sources->dwarf, path))
		sources->dwarf = NULL;
	read_comment(sources->elf[0], sources->comment, sizeof(sources->comment));
	return sources;
}

uint64_t code_sources_address(const struct code_sources *sources, size_t section, uint64_t offset)
{
	GElf_Shdr header;

	if (!sources->dwfl || !sources->elf[0] ||
	    !gelf_getshdr(elf_getscn(sources->elf[0], section), &header))
		return 0;
	return header.sh_addr + offset - sources->bias;
}

void code_sources_close(struct code_sources *sources)
{
	if (!sources)
		return;
	if (sources->dwfl) {
		dwfl_end(sources->dwfl);
		sources->dwarf = NULL;
		sources->elf[0] = NULL;
	}
	dwarf_end(sources->dwarf);
	for (size_t i = 0; i < 2; i++) {
		elf_end(sources->elf[i]);
		if (sources->file[i] >= 0)
			close(sources->file[i]);
	}
	free(sources->range);
	free(sources);
}

const char *code_sources_comment(const struct code_sources *sources)
{
	return sources->comment;
}

ARRAY_ORDER_TWO(by_start, struct unit_range, start, unit)

/* What there is no memory for is not known. */
static void add_unit(struct code_sources *sources, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	for (size_t i = 0; i < RANGES_MAX; i++) {
		at = dwarf_ranges(unit, at, &base, &start, &end);
		if (at <= 0)
			return;
		if (start < end &&
		    !ARRAY_ADD(sources->range, sources->count,
			       (struct unit_range) {
				       .start = start, .end = end, .unit = dwarf_dieoffset(unit) }))
			return;
	}
}

static void read_ranges(struct code_sources *sources)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die unit;

	sources->ranges_read = true;
	while (sources->dwarf &&
	       !dwarf_get_units(sources->dwarf, cu, &cu, &version, &type, &unit, NULL))
		add_unit(sources, &unit);
	if (sources->count)
		qsort(sources->range, sources->count, sizeof(*sources->range), by_start);
	for (size_t i = 0; i < sources->count; i++) {
		struct unit_range *range = &sources->range[i];

		range->last = range->end;
		if (i && range[-1].last > range->last)
			range->last = range[-1].last;
	}
}

/* Of ranges that begin at or before the address the last that has it. Those of units don't overlap but
 * where a linker has left the addresses of code that it dropped, from 0 on. */
static bool find_unit(struct code_sources *sources, uint64_t address, Dwarf_Die *ret)
{
	if (!sources->ranges_read)
		read_ranges(sources);
	size_t first = ARRAY_BEFORE(sources->count, i, sources->range[i].start <= address);

	while (first-- && sources->range[first].last > address)
		if (sources->range[first].end > address)
			return dwarf_offdie(sources->dwarf, sources->range[first].unit, ret) !=
			       NULL;
	return false;
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

void code_sources_find(struct code_sources *sources, uint64_t address, struct code_source *ret)
{
	const char *producer, *folder, *file = NULL;
	Dwarf_Line *line;
	Dwarf_Die unit;

	memset(ret, 0, sizeof(*ret));
	if (!find_unit(sources, address, &unit))
		return;
	producer = text_of(&unit, DW_AT_producer);
	folder = text_of(&unit, DW_AT_comp_dir);
	line = dwarf_getsrc_die(&unit, address);
	if (line && (file = dwarf_linesrc(line, NULL, NULL))) {
		dwarf_lineno(line, &ret->line);
		dwarf_linecol(line, &ret->column);
	}
	snprintf(ret->producer, sizeof(ret->producer), "%s", producer ? producer : "");
	if (file && *file != '/' && folder)
		snprintf(ret->file, sizeof(ret->file), "%s/%s", folder, file);
	else
		snprintf(ret->file, sizeof(ret->file), "%s", file ? file : "");
}
