/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_code.c - which addresses of a binary its own source became
 *
 * A program holds more code than was written for it: start-up objects, and with -static the whole C
 * library. Only what the toolchain compiled is of interest when toolchains are compared. The corpus
 * is built with debug information and with its path mapped to ".": compilation units of testprogs/
 * in that folder (DWARF 5, 3.1.1: DW_AT_name, DW_AT_comp_dir) are its own; if there is none, those
 * of that folder, and if there is none either, all; without debug information
 * (assembly, stripped files) nothing is known, and everything counts but start-up code by name.
 *
 * The PLT is the linker's work, and no unit's: its sections are listed apart.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "base/images/debug_link.h"
#include "function_profile.h"

#define RANGES_MAX 65536 /* of one unit: a malformed list must end */

static int add_range(struct own_code *code, uint64_t start, uint64_t end, struct error *error)
{
	if (start < end && !ARRAY_ADD(code->range, code->count, (struct own_range) { start, end }))
		return diff_no_memory(error);
	return 0;
}

/* What tells a unit of the program itself, best first: the next one counts if the last found
 * none. */
enum unit_test { UNIT_OF_CORPUS, UNIT_HERE, UNIT_ANY, UNIT_TESTS };

static bool passes(Dwarf_Die *unit, enum unit_test test)
{
	Dwarf_Attribute attribute;
	const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	const char *name = dwarf_diename(unit);
	bool here = folder && folder[0] == '.' && (!folder[1] || folder[1] == '/');

	if (test == UNIT_ANY || !name)
		return test == UNIT_ANY;
	/* Go maps every path away: its units are packages, and main is the program. */
	if (dwarf_srclang(unit) == DW_LANG_Go)
		return !strcmp(name, "main");
	/* gcc makes one unit of all that it optimised at link time. */
	return here && (test == UNIT_HERE || !strncmp(name, "testprogs/", 10) ||
			!strcmp(name, "<artificial>"));
}

static int add_unit(struct own_code *code, Dwarf_Die *unit, struct error *error)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	for (size_t i = 0; i < RANGES_MAX; i++) {
		at = dwarf_ranges(unit, at, &base, &start, &end);
		if (at <= 0)
			return 0;
		if (add_range(code, start, end, error))
			return -1;
	}
	return error_set(error, ERROR_TABLE_LIMIT, ".debug_ranges", 0,
			 "a unit of more than %d ranges", RANGES_MAX);
}

static int add_units(struct own_code *code, Dwarf *dwarf, enum unit_test test, struct error *error)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die unit;

	while (!dwarf_get_units(dwarf, cu, &cu, &version, &type, &unit, NULL))
		if (passes(&unit, test) && add_unit(code, &unit, error))
			return -1;
	return 0;
}

/* A program without interpreter. A library has none either, and says so by its dynamic section. */
static bool is_static(Elf *elf)
{
	GElf_Ehdr header;
	size_t count;

	if (elf_getphdrnum(elf, &count) || !gelf_getehdr(elf, &header))
		return false;
	for (size_t i = 0; i < count && i < INT_MAX; i++) {
		GElf_Phdr segment;
		if (gelf_getphdr(elf, (int)i, &segment) &&
		    (segment.p_type == PT_INTERP || segment.p_type == PT_DYNAMIC))
			return false;
	}
	return true;
}

static int add_plt_sections(struct own_code *code, Elf *elf, struct error *error)
{
	Elf_Scn *section = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
		    header.sh_type == SHT_NOBITS || !header.sh_size)
			continue;
		name = elf_strptr(elf, strings, header.sh_name);
		if (!name || (strncmp(name, ".plt", 4) != 0 && strcmp(name, ".iplt") != 0))
			continue;
		struct own_section *plt = ARRAY_ADD(
			code->plt, code->plt_count,
			(struct own_section) {
				.range = { header.sh_addr, header.sh_addr + header.sh_size } });
		if (!plt)
			return diff_no_memory(error);
		snprintf(plt->name, sizeof(plt->name), "%s", name);
	}
	return 0;
}

int own_code_read(const char *path, struct own_code *ret, struct error *error)
{
	int result = -1;
	Dwarf *dwarf = NULL;
	Elf *elf = NULL;

	*ret = (struct own_code) { .count = 0 };
	elf_version(EV_CURRENT);
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set_errno(error, "can't open %s", path);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf) {
		error_set(error, ERROR_NOT_ELF, "", 0, "%s", elf_errmsg(-1));
		goto out;
	}
	ret->is_static = is_static(elf);
	if (add_plt_sections(ret, elf, error))
		goto out;
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (debug_link_waits(dwarf, path)) {
		dwarf_end(dwarf);
		dwarf = NULL;
	}
	for (enum unit_test test = 0; dwarf && !ret->count && test < UNIT_TESTS; test++)
		if (add_units(ret, dwarf, test, error))
			goto out;
	result = 0;
out:
	if (dwarf)
		dwarf_end(dwarf);
	elf_end(elf);
	if (result)
		own_code_deinit(ret);
	return result;
}

void own_code_deinit(struct own_code *code)
{
	free(code->range);
	free(code->plt);
	*code = (struct own_code) { .count = 0 };
}

const char *own_code_plt(const struct own_code *code, uint64_t vaddr)
{
	for (size_t i = 0; i < code->plt_count; i++)
		if (vaddr >= code->plt[i].range.start && vaddr < code->plt[i].range.end)
			return code->plt[i].name;
	return NULL;
}

bool own_code_has(const struct own_code *code, uint64_t vaddr)
{
	return ARRAY_ANY(code->count, i,
			 vaddr >= code->range[i].start && vaddr < code->range[i].end);
}
