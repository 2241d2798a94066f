/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_convention.h - registers that an image's functions do not keep, though the psABI's do
 */
#ifndef STACKPROOF_CODE_CONVENTION_H
#define STACKPROOF_CODE_CONVENTION_H

#include "cfi/cfi.h"
#include "code.h"

/*
 * A bit for each: of rbx and r12 to r15. 0: the image keeps to the psABI, or there is too little of it.
 * *ret_certain: those of them that so many functions don't keep that it is no mistake of theirs.
 */
uint32_t code_convention_unkept(const struct cfi *cfi, struct code_decoder *decoder,
				uint32_t *ret_certain);

#endif
