/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_contexts.h - a program stepped, and the calling-context tree of all its true stacks
 *
 * compare_marks.c decides which stacks are true: a point counts as proven when its truth was proven,
 * and as unproven if nothing can prove it any more.
 */
#ifndef STACKPROOF_COMPARE_CONTEXTS_H
#define STACKPROOF_COMPARE_CONTEXTS_H

#include "truth/contexts/contexts.h"

/* Steps a program, and writes what is known of its stacks to a file, even if the run was cut short. */
void contexts_step(const struct contexts_options *options, struct contexts_result *ret);

#endif
