/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_name.h - which function an address is in
 *
 * One answer for all who ask (docs/NAMES.md).
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
	CODE_SECTION, /* of .init, .fini or a PLT, what no symbol covers and is no stub */
	CODE_FDE,     /* an FDE's, without a symbol */
	CODE_GAP,     /* neither: behind the last FDE before it, in its section */
};

/* Which function an address is in. docs/NAMES.md has the rules. */
struct code_name {
	enum code_name_kind kind;
	uint64_t start;	     /* where it begins */
	const char *name;    /* in the image, of a stub its function's; NULL of an FDE or a gap */
	uint64_t resolver;   /* of a stub whose name is NULL: which function picks its target */
	const char *section; /* that vaddr lies in, if it holds code; else "" */
	const struct image_symbol *symbol; /* of CODE_SYMBOL, else NULL */
};

/* Reads what names are made of, which code_name_find() does otherwise: without memory for it what
 * has a name seems to have none. 0, or -1 and ERROR_MEMORY. */
int code_name_prepare(const struct image *image, struct error *error);
/* Names vaddr. cfi is the image's, or NULL: then a symbol without size may reach too far. */
void code_name_find(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
		    struct code_name *ret);
/* What it is called where nobody has the image's symbols. */
void code_name_find_unnamed(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			    struct code_name *ret);
/* The kind is CODE_STUB: found at less cost, since most code lies in no section of stubs. */
bool code_name_is_stub(const struct image *image, const struct cfi *cfi, uint64_t vaddr);
/* What people read: "main", "read@plt", ".init", "fde@0x1230", "gap@0x6210". */
void code_name_print(const struct code_name *name, char *text, size_t size);
/* What a fault is filed under: the same, but of a stub its section (".plt"). A linker writes
 * them all at once, with one FDE or none. */
void code_name_print_place(const struct code_name *name, char *text, size_t size);

#endif
