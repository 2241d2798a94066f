/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_convention.h - registers that an image's functions do not preserve, although the psABI says so
 */
#ifndef STACKPROOF_CODE_CONVENTION_H
#define STACKPROOF_CODE_CONVENTION_H

#include "cfi/cfi.h"
#include "code.h"

/*
 * Returns a bit for each such register, of rbx and r12 to r15. 0: the image keeps to the psABI, or has too few
 * functions to tell. *ret_certain: those of them that so many functions do not preserve that it is certain.
 */
uint32_t code_convention_unkept(const struct cfi *cfi, struct code_decoder *decoder,
				uint32_t *ret_certain);
/* Go's linker made the image. */
bool code_is_go(const struct image *image);

#endif
