/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_fdes.h - which FDEs are asked for, and which of them are unproven
 */
#ifndef STACKPROOF_LINT_FDES_H
#define STACKPROOF_LINT_FDES_H

#include "lint.h"

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

/* An FDE, as lint_watch has it. */
void lint_fdes_take(struct lint_fdes *fdes, const struct lint_fde *fde);
/* Writes the unproven ones by address, and sets the counts in the image's object. 0, or -1: no memory. */
int lint_fdes_print(struct lint_fdes *fdes, json_t *image, FILE *output, struct error *error);
void lint_fdes_deinit(struct lint_fdes *fdes);
/* Sets "function" of pc, and "offset" in it. False: --function wants others. ret_begin: where it
 * begins. made_of: the object file that cfi's image was made of, or NULL. */
bool lint_function_set(json_t *object, const struct lint_options *options, const struct cfi *cfi,
		       const struct object *made_of, uint64_t pc, uint64_t *ret_begin);

#endif
