/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_name.h - which function an address is in
 *
 * docs/NAMES.md has the rules.
 */
#ifndef STACKPROOF_CODE_NAME_H
#define STACKPROOF_CODE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cfi.h"

enum code_name_kind {
	CODE_SYMBOL,
	CODE_STUB,    /* an entry of a PLT: "read@plt" */
	CODE_SECTION, /* in .init, .fini or a PLT, but in no symbol and no stub */
	CODE_FDE,     /* in no symbol, but in an FDE */
	CODE_GAP,     /* in neither: behind the last FDE before it in its section */
};

/* The function that an address is in. */
struct code_name {
	enum code_name_kind kind;
	uint64_t start;	     /* image address where the function begins */
	const char *name;    /* the image's; of a stub, its function's; of an FDE or a gap, NULL */
	uint64_t resolver;   /* of a stub whose name is NULL: the address of its IFUNC resolver */
	const char *section; /* the section of code that vaddr lies in, or "" */
	const struct image_symbol *symbol; /* of CODE_SYMBOL, else NULL */
};

/* Reads the symbols, which code_name_find() does otherwise: but then, without memory for them, code seems to have
 * no names. -1: ERROR_MEMORY. */
int code_name_prepare(const struct image *image, struct error *error);
/* The same for callers that name no other addresses than these, count of them, ascending, until
 * image_entry_give_back(): only what decides about them is read, unless all has been. Of an image that is no object
 * file. */
int code_name_prepare_at(const struct image *image, const uint64_t *address, size_t count,
			 struct error *error);
/* Names vaddr. cfi is the image's, or NULL: then a symbol without size may reach too far, and no FDE is found. */
void code_name_find(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
		    struct code_name *ret);
/* The same without the image's symbols. */
void code_name_find_unnamed(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			    struct code_name *ret);
/* Whether the kind is CODE_STUB. Faster than code_name_find(), since most code is in no section with stubs. */
bool code_name_is_stub(const struct image *image, const struct cfi *cfi, uint64_t vaddr);
/* The name for people: "main", "read@plt", ".init", "fde@0x1230", "gap@0x6210". */
void code_name_print(const struct code_name *name, char *text, size_t size);
/* The name that a fault is filed under: the same, but for a stub its section (".plt"), since a linker writes all
 * stubs of a section with one FDE or none. */
void code_name_print_place(const struct code_name *name, char *text, size_t size);

#endif
