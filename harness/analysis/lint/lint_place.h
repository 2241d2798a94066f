/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_place.h - an object file's addresses, as sections and offsets
 */
#ifndef STACKPROOF_LINT_PLACE_H
#define STACKPROOF_LINT_PLACE_H

#include <jansson.h>
#include "analysis/code/code.h"
#include "analysis/objects/object.h"

/* An object file's address as its section has it: the offset, and the section's name. Of a linked file
 * (object: NULL) it is the address itself, and "". */
uint64_t lint_place_offset(const struct object *object, uint64_t vaddr, const char **ret_section);
/* Sets key to that offset, and of an object file section_key, if it isn't NULL, to the section. */
void lint_place_set(json_t *json, const struct object *object, const char *key,
		    const char *section_key, uint64_t vaddr);
/* Bytes there as the file has them, without what was filled in. NULL: nothing lies there. */
const uint8_t *lint_place_bytes(const struct object *object, const struct image *image,
				uint64_t vaddr, size_t *ret_size);
/* The instruction at pc as the file has it, with the name that its relocation has: "call 0x9 (f)". "": none. */
void lint_place_code(const struct object *object, const struct image *image,
		     struct code_decoder *decoder, uint64_t pc, char *text, size_t size);
/* vaddr's section and the offset in it: ".text.f+0x3d". Nothing if it is in none. */
void lint_place_print(const struct object *object, uint64_t vaddr, char *text, size_t size);
/* Each address of the layout in a text for people ("fde@0x40001010") becomes such a place. */
void lint_place_replace(const struct object *object, char *text, size_t size);

#endif
