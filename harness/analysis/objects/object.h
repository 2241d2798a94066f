/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * object.h - an object file as a linker would lay it out, alone
 *
 * In an ET_REL file every section begins at 0, and calls, tables and CFI are filled in by relocations
 * when it is linked. Who follows its code needs addresses. So each section that would be loaded gets a
 * place of its own in an address space, and what its relocations say of other sections of the file is
 * filled in (gABI, "Relocation"; psABI, table 4.10). What comes out is an image as any other, of
 * type ET_EXEC, that was never a file.
 *
 * A relocation is
 *
 *	resolved	its field has the value that counts: a distance within the file
 *	undefined	another file has the symbol. A call or a jump to it leads to a place outside of the
 *			image that has the symbol's name. Of others the value is not known
 *	weak		the same of a weak symbol; or the file has one of its own, which is taken
 *	linker		what a linker makes (offsets in a GOT, in thread-local storage): not known
 *	outside		it leads out of the section that it names: not known
 *	unknown		a type that is not known here: not known
 *
 * A field of code whose value is not known is listed: nobody may read it. A call or a jump through the
 * GOT becomes a direct one, in as many bytes, as linkers do (psABI, B.2).
 *
 *	object_image.c	  where each section is, and the way back
 *	object_image.c the relocations
 *	object_image.c	  the image's bytes: headers, symbols
 */
#ifndef STACKPROOF_OBJECT_H
#define STACKPROOF_OBJECT_H

#include "image/image.h"

#define OBJECT_BYTES_MAX (1u << 30) /* of what is laid out */

enum object_relocation {
	OBJECT_RESOLVED,
	OBJECT_UNDEFINED,
	OBJECT_WEAK,
	OBJECT_LINKER,
	OBJECT_OUTSIDE,
	OBJECT_UNKNOWN,
	OBJECT_RELOCATION_COUNT,
};

/* A section that would be loaded. */
struct object_section {
	uint64_t vaddr, size;
	const char *name;     /* in the object file */
	const uint8_t *bytes; /* in the object file, as it has them */
	size_t number;	      /* in the object file */
};

/* A field of code that a relocation fills in. */
struct object_field {
	uint64_t vaddr;
	const char *symbol; /* in the object file; NULL: one without a name */
	bool unknown;	    /* its value */
};

struct object {
	struct image *image;		/* laid out */
	struct object_section *section; /* by vaddr */
	size_t section_count;
	struct object_field *field; /* by vaddr */
	size_t field_count;
	uint64_t *unknown; /* their addresses, sorted */
	size_t unknown_count;
	/* Some number in .eh_frame, which another file has: perhaps where an FDE begins. Or nothing is relocated:
	 * how sections lie to each other only who reads the file knows. */
	bool cfi_unknown;
	uint64_t relocations[OBJECT_RELOCATION_COUNT]; /* of sections that would be loaded */
	void *elf;				       /* libelf's handle of the object file */
};

/* Lays out file, of type ET_REL, which must outlive it. -1: ERROR_RELOCATION, one that lies outside of
 * its section or has no symbol; ERROR_ELF_BOUNDS, sections over each other; ERROR_NOT_ELF, no sections;
 * ERROR_TABLE_LIMIT. */
int object_create(const struct image *file, struct object **ret, struct error *error);
void object_destroy(struct object *object);
/* The section that vaddr lies in, or is the end of; NULL: none. */
const struct object_section *object_section_find(const struct object *object, uint64_t vaddr);
/* The first field in vaddr .. vaddr+size, or NULL. */
const struct object_field *object_field_find(const struct object *object, uint64_t vaddr,
					     uint64_t size);
/* "undefined". */
const char *object_relocation_name(enum object_relocation relocation);

#endif
