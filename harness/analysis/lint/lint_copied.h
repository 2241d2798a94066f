/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_copied.h - addresses of code that an instruction makes to read what is there
 */
#ifndef STACKPROOF_LINT_COPIED_H
#define STACKPROOF_LINT_COPIED_H

#include "cfi/cfi.h"
#include "analysis/code/code.h"

/* The FDE's instruction makes an address, and what is done with it first is to read what is there. */
bool lint_copied_by(const struct cfi *cfi, struct code_decoder *decoder, const struct cfi_fde *fde,
		    const struct code *maker);

#endif
