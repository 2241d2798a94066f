/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_evidence.h - what stands beside a finding, and which FDEs are asked for
 */
#ifndef STACKPROOF_LINT_EVIDENCE_H
#define STACKPROOF_LINT_EVIDENCE_H

#include <jansson.h>
#include "analysis/code/code.h"
#include "analysis/objects/object.h"
#include "lint.h"

/* ---- an object file's addresses, as sections and offsets --------------------------------- */

/* An object file's address as its section has it: the offset, and the section's name. Of a linked file
 * (object: NULL) it is the address itself, and "". */
uint64_t lint_place_offset(const struct object *object, uint64_t vaddr, const char **ret_section);
/* Bytes there as the file has them, without what was filled in. NULL: nothing lies there. */
const uint8_t *lint_place_bytes(const struct object *object, const struct image *image,
				uint64_t vaddr, size_t *ret_size);
/* The instruction at pc as the file has it, with the name that its relocation has: "call 0x9 (f)". "": none. */
void lint_place_code(const struct object *object, const struct image *image,
		     struct code_decoder *decoder, uint64_t pc, char *text, size_t size);
/* vaddr's section and the offset in it: ".text.f+0x3d". Nothing if it is in none. */
void lint_place_print(const struct object *object, uint64_t vaddr, char *text, size_t size);

/* ---- which FDEs are asked for, and which of them are unproven ---------------------------- */

/* Zero-initialise, and set the first four, which are borrowed. */
struct lint_fdes {
	const struct lint_options *options;
	const struct cfi *cfi;
	const struct object *object; /* that cfi's image was made of, or NULL */
	const char *path;
	struct lint_fde *unproven; /* of --unproven */
	size_t unproven_count;
	uint64_t wanted, wanted_proven, wanted_unproven; /* of --function */
	bool no_memory;
};

/* ---- what stands beside a finding: instructions, the jumps that lead there, the line ----- */

struct lint_evidence;

#endif
