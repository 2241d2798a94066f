/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_uncovered.h - code that no FDE covers, and how far it goes on
 */
#ifndef STACKPROOF_LINT_UNCOVERED_H
#define STACKPROOF_LINT_UNCOVERED_H

#include "lint/lint_addresses.h"
#include "lint/lint_judge.h"

/* A finding for each of these addresses, which are in order. object: that the image was made of, or NULL. */
void lint_uncovered_tell(struct lint_judge *judge, const struct flow_world *world,
			 const struct object *object, const struct lint_addresses *uncovered);

#endif
