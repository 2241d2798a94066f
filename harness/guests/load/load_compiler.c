/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load_compiler.c - which compiler made a BPF object
 *
 * The object says so itself, in DW_AT_producer of its first compilation unit (DWARF 5, 3.1.1), so a
 * file in the wrong folder can't be taken for another compiler's. An object file's DWARF has to be
 * relocated before it can be read, which libdwfl does; it takes a file descriptor, so the bytes go
 * through a memfd.
 *
 * Not .comment: clang writes none for BPF.
 */
#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "freed.h"
#include "base/images/debug_link.h"
#include "load.h"

/* The first "N.N[.N]" of the text. */
static const char *find_version(const char *text, size_t *ret_length)
{
	for (; *text; text++) {
		if (!isdigit((unsigned char)*text))
			continue;
		*ret_length = strspn(text, "0123456789.");
		if (memchr(text, '.', *ret_length))
			return text;
		text += *ret_length - 1;
	}
	return NULL;
}

void load_compiler_parse(const char *producer, char *ret_compiler, char *ret_version)
{
	static const struct {
		const char *says, *family;
	} known[] = { { "clang version ", "clang" }, { "GNU C", "gcc" } };
	const char *at = NULL, *version;
	size_t length, i;

	strcpy(ret_compiler, "unknown");
	*ret_version = '\0';
	for (i = 0; i < sizeof(known) / sizeof(*known) && !at; i++)
		at = strstr(producer, known[i].says);
	version = at ? find_version(at, &length) : NULL;
	if (!version)
		return;
	if (length >= LOAD_NAME_MAX)
		length = LOAD_NAME_MAX - 1;
	memcpy(ret_version, version, length);
	ret_version[length] = '\0';
	snprintf(ret_compiler, LOAD_NAME_MAX, "%s-%.*s", known[i - 1].family,
		 (int)strcspn(ret_version, "."), ret_version);
}

/* The producer of the first unit of a module that libdwfl has read. */
static const char *first_producer(Dwfl *dwfl)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_nextcu(dwfl, NULL, &bias);

	if (!unit || debug_link_waits(dwarf_cu_getdwarf(unit->cu), "object") ||
	    !dwarf_attr(unit, DW_AT_producer, &attribute))
		return NULL;
	return dwarf_formstring(&attribute);
}

/* An object's debug info is its own. */
static int find_no_debug_file(Dwfl_Module *module, void **context, const char *name,
			      Dwarf_Addr base, const char *file, const char *debug_file,
			      GElf_Word crc, char **ret)
{
	return -1;
}

void load_compiler(const void *data, size_t size, char *ret_compiler, char *ret_version)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_no_debug_file,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	FD_CLOSED int fd = memfd_create("object", MFD_CLOEXEC);
	const char *producer = NULL;

	if (dwfl && fd >= 0 && write(fd, data, size) == (ssize_t)size) {
		dwfl_report_begin(dwfl);
		/* Success: the descriptor is libdwfl's. */
		if (dwfl_report_offline(dwfl, "object", "object", fd))
			fd = -1;
		dwfl_report_end(dwfl, NULL, NULL);
		producer = first_producer(dwfl);
	}
	load_compiler_parse(producer ? producer : "", ret_compiler, ret_version);
	dwfl_end(dwfl);
}
