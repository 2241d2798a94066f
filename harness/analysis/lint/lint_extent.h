/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_extent.h - FDEs that reach beyond their function, and sections that unwinders don't find
 */
#ifndef STACKPROOF_LINT_EXTENT_H
#define STACKPROOF_LINT_EXTENT_H

#include "analysis/flow/flow_callees.h"
#include "lint_judge.h"
#include "analysis/objects/object.h"

/* The first function from pc on that others call and that lies in the FDE behind the end of the FDE's own,
 * without an FDE of its own; 0: none. */
uint64_t lint_extent_beyond(const struct cfi *cfi, const struct flow_callees *callees,
			    const struct cfi_fde *fde, uint64_t pc);
/* Once all instructions were judged: reports what reaches where it should not. object: that the image
 * was made of, or NULL. */
void lint_extent_check(struct lint_judge *judge, const struct flow_callees *callees,
		       const struct object *object);

/* ---- lint_sections.c ---------------------------------------------------------------------- */

/* The same of sections .eh_frame of a linked image. */
void lint_sections_check(struct lint_judge *judge);

#endif
