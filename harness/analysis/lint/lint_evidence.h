/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_evidence.h - addresses as an object file has them, and the FDEs that are asked for
 */
#ifndef STACKPROOF_LINT_EVIDENCE_H
#define STACKPROOF_LINT_EVIDENCE_H

#include <jansson.h>
#include "analysis/code/code.h"
#include "analysis/objects/object.h"
#include "lint.h"

/* ---- an object file's addresses, as sections and offsets --------------------------------- */

/* The offset of vaddr in its section of the object file, and that section's name. In a linked file (object is NULL):
 * vaddr, and "". */
uint64_t lint_place_offset(const struct object *object, uint64_t vaddr, const char **ret_section);
/* The bytes from vaddr on as the file has them, not relocated; *ret_size is CODE_BYTES_MAX, or less at the end. NULL:
 * there are none. */
const uint8_t *lint_place_bytes(const struct object *object, const struct image *image,
				uint64_t vaddr, size_t *ret_size);
/* Prints the instruction at pc as the file has it, with its relocation's symbol: "call 0x9 (f)". "": there is none. */
void lint_place_code(const struct object *object, const struct image *image,
		     struct code_decoder *decoder, uint64_t pc, char *text, size_t size);
/* Prints the section and the offset in it: ".text.f+0x3d". "": vaddr is in no section. object is not NULL. */
void lint_place_print(const struct object *object, uint64_t vaddr, char *text, size_t size);

/* ---- which FDEs are asked for, and which of them are unproven ---------------------------- */

/* Zero-initialise, and set the first four members, which are borrowed. */
struct lint_fdes {
	const struct lint_options *options;
	const struct cfi *cfi;
	const struct object *object; /* that cfi's image is the layout of, or NULL */
	const char *path;
	struct lint_fde *unproven; /* for --unproven */
	size_t unproven_count;
	uint64_t wanted, wanted_proven, wanted_unproven; /* FDEs that --function asks for */
	bool no_memory;
};

#endif
