/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_source.c - who compiled the code at an address, and of which line
 *
 * By the debug info of the file, or of its separate debug file where this machine has it
 * (DW_AT_producer, DW_AT_comp_dir: DWARF 5, 3.1.1; the line table: 6.2). Without, .comment still names
 * the compilers of all that was linked.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <string.h>
#include "disputes/disputes.h"

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* Strings of .comment, each once. */
static void read_comment(Dwfl_Module *module, char *ret, size_t size)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
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

static void read_unit(Dwfl_Module *module, Dwarf_Addr address, struct dispute_source *ret)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	Dwarf_Attribute attribute;
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	const char *text = unit && dwarf_attr(unit, DW_AT_producer, &attribute)
				   ? dwarf_formstring(&attribute)
				   : NULL;
	const char *folder = unit && dwarf_attr(unit, DW_AT_comp_dir, &attribute)
				     ? dwarf_formstring(&attribute)
				     : NULL;
	const char *file = line ? dwfl_lineinfo(line, NULL, &ret->line, NULL, NULL, NULL) : NULL;

	snprintf(ret->producer, sizeof(ret->producer), "%s", text ? text : "");
	if (file && *file != '/' && folder)
		snprintf(ret->file, sizeof(ret->file), "%s/%s", folder, file);
	else
		snprintf(ret->file, sizeof(ret->file), "%s", file ? file : "");
}

void dispute_source_find(const char *path, uint64_t address, struct dispute_source *ret)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module = NULL;
	Dwarf_Addr start;
	GElf_Addr bias;

	memset(ret, 0, sizeof(*ret));
	if (!dwfl)
		return;
	dwfl_report_begin(dwfl);
	module = dwfl_report_offline(dwfl, "image", path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module && dwfl_module_getelf(module, &bias)) {
		dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
		read_comment(module, ret->comment, sizeof(ret->comment));
		read_unit(module, address + bias, ret);
	}
	dwfl_end(dwfl);
}
