/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * object_link.h - what object_*.c share while an object is laid out
 */
#ifndef STACKPROOF_OBJECT_LINK_H
#define STACKPROOF_OBJECT_LINK_H

#include <gelf.h>
#include "object.h"

/* Where a section of the file is in the image, by its number. */
struct object_place {
	bool placed;	 /* it has an address */
	bool has_bytes;	 /* and bytes, at offset */
	bool executable; /* and those are instructions */
	bool is_cfi;
	uint64_t vaddr, size, offset;
	const uint8_t *data; /* in the file */
	const char *name;
	uint32_t type;
	uint32_t out; /* its number in the image; 0: it has no header there */
};

struct object_link {
	const struct image *file;
	struct object *object;
	Elf *elf;
	struct object_place *place;
	size_t section_count;	   /* of the file */
	Elf_Data *symbols;	   /* NULL: none */
	Elf_Data *symbol_sections; /* the sections' numbers that don't fit into a symbol */
	size_t symbol_count;
	size_t symbol_table;   /* the section's number */
	size_t string_section; /* the symbols' names */
	/* Each symbol has one byte outside of all segments: undefined_vaddr plus its number. */
	uint64_t undefined_vaddr, undefined_offset;
	uint64_t text_begin, text_end, data_begin, data_end; /* offsets in the image */
	uint8_t *bytes;					     /* of the image */
	size_t size;
	size_t relocations; /* that were gone through */
	struct error *error;
};

#define OBJECT_BASE                                                                                \
	0x40000000u /* where the image's offset 0 is: numbers in code are seldom there */

int object_no_memory(struct object_link *link);
/* No numbers of sections: where there are more than 16 bits can number, those that st_shndx reserves (SHN_ABS) are a
 * section's, by SHT_SYMTAB_SHNDX (gABI, chapter 4). */
#define OBJECT_SECTION_ABSOLUTE ((size_t)-1)
#define OBJECT_SECTION_NONE	((size_t)-2) /* SHN_COMMON, or another that is not known */
/* The section that a symbol is defined in: its number, SHN_UNDEF, or one of these. */
size_t object_symbol_section(const struct object_link *link, size_t number, const GElf_Sym *symbol);
/* ---- object_relocate.c ---- */
int object_relocate(struct object_link *link);
/* ---- object_image.c ---- */
/* Finds the symbols' table, before sections are placed. */
void object_find_symbols(struct object_link *link);
/* Makes room for all, behind what has been placed, and copies sections. */
int object_begin_image(struct object_link *link, uint64_t end);
/* Headers and symbols; then the image is opened. */
int object_end_image(struct object_link *link);

#endif
