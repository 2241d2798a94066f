/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stat.h - the parts of `stackproof stat`
 *
 *	commands/stat.c  the command line, the images, the totals, what a person reads
 *	stat_image.c	one image, in a process of its own: everything as JSON
 *	stat_census.c	what an image's CFI is made of: expressions
 */
#ifndef STACKPROOF_STAT_H
#define STACKPROOF_STAT_H

#include <jansson.h>
#include "base/images/image_list.h"
#include "cfi/cfi.h"

/*
 * Writes the image's "stat" object, or {"type":"stat_error", "image", "code", "message"} if it
 * can't be read; one "stat_diagnostic" for each entry of its CFI that is malformed; and one "stat_lost" for each FDE
 * outside of code, or a "stat_error" if there is no memory to find them.
 */
void stat_image(const struct image_path *image, FILE *output);

/* Adds to object what cfi's expressions are, counted as instructions: "expressions", whose keys are
 * what the expression is for (cfa, at, val) and the form that a rule can hold (register, deref, plt
 * or other), and "expressions_other": the text of those of no such form. */
void stat_expressions(const struct cfi *cfi, json_t *object);

#endif
