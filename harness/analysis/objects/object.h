/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * object.h - an object file, laid out as a linker would lay it out if it had no other file
 *
 * In an ET_REL file every section begins at 0, and relocations fill in calls, tables and CFI when it is linked. But to
 * follow its code, addresses are needed. So each section that would be loaded gets an address of its own, and
 * relocations against the file's own sections are applied (gABI, "Relocation"; psABI, table 4.10). The result is an
 * image like any other, of type ET_EXEC, that was never a file.
 *
 * A relocation is
 *
 *	resolved	the file has the symbol: the field has its value in this layout
 *	undefined	another file has the symbol. The target of a call or a jump is then an address outside of
 *			the image's segments, with the symbol's name. Other fields of code are unknown
 *	weak		the symbol is weak: a definition in this file is taken; without one as undefined
 *	linker		the linker makes the value (offsets in a GOT, in thread-local storage): unknown
 *	outside		the target lies outside of the symbol's section: unknown
 *	unknown		its type is not known here: so is the field
 *
 * Unknown fields of code are listed, and must not be read. A call or a jump through the GOT becomes a direct one, in as
 * many bytes, as linkers do (psABI, B.2).
 *
 *	object_image.c	  sections get addresses, relocations are applied, the image's bytes are written
 */
#ifndef STACKPROOF_OBJECT_H
#define STACKPROOF_OBJECT_H

#include "image/image.h"

#define OBJECT_BYTES_MAX (1u << 30) /* of the image */

enum object_relocation {
	OBJECT_RESOLVED,
	OBJECT_UNDEFINED,
	OBJECT_WEAK,
	OBJECT_LINKER,
	OBJECT_OUTSIDE,
	OBJECT_UNKNOWN,
	OBJECT_RELOCATION_COUNT,
};

/* A section with bytes that would be loaded. */
struct object_section {
	uint64_t vaddr, size;
	const char *name;     /* in the object file */
	const uint8_t *bytes; /* in the object file, not relocated */
	size_t number;	      /* in the object file */
};

/* A field of code that a relocation fills in. */
struct object_field {
	uint64_t vaddr;
	const char *symbol; /* its name; NULL: it has none */
	bool unknown;	    /* the field's value is */
};

struct object {
	struct image *image;		/* the layout; owned */
	struct object_section *section; /* by vaddr */
	size_t section_count;
	struct object_field *field; /* by vaddr */
	size_t field_count;
	uint64_t *unknown; /* addresses of unknown fields, sorted */
	size_t unknown_count;
	/* A relocation of .eh_frame names another file's symbol, perhaps for an FDE's begin. Or no section is relocated
	 * at all: then .eh_frame counts from where it lies in the file. */
	bool cfi_unknown;
	uint64_t relocations[OBJECT_RELOCATION_COUNT]; /* of sections that would be loaded */
	void *elf;				       /* libelf's handle of the object file */
};

/* Lays out file, of type ET_REL, which must outlive *ret. The caller frees *ret: object_destroy(). -1, with *ret NULL:
 * ERROR_RELOCATION (a relocation is outside of its section, or has no symbol), ERROR_ELF_BOUNDS (sections overlap),
 * ERROR_NOT_ELF (no sections), ERROR_TABLE_LIMIT, ERROR_MEMORY. */
int object_create(const struct image *file, struct object **ret, struct error *error);
void object_destroy(struct object *object);
/* The section that vaddr lies in or is the end of; NULL: none. */
const struct object_section *object_section_find(const struct object *object, uint64_t vaddr);
/* The first field in [vaddr, vaddr + size), or NULL. */
const struct object_field *object_field_find(const struct object *object, uint64_t vaddr,
					     uint64_t size);
/* The name that is printed: "undefined". */
extern const char *const object_relocation_names[OBJECT_RELOCATION_COUNT];

#endif
