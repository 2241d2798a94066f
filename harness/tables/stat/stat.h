/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stat.h - the parts of `stackproof stat`
 *
 *	commands/stat.c  the command line, the images, the totals, what a person reads
 *	stat_image.c	one image, in a process of its own: everything as JSON
 *	stat_sframe.c	its SFrame
 *	stat_census.c	the expressions of an image's CFI
 */
#ifndef STACKPROOF_STAT_H
#define STACKPROOF_STAT_H

#include <jansson.h>
#include "base/images/image_list.h"
#include "cfi/cfi.h"

/*
 * Writes JSON objects, one a line: the image's "stat" object, or {"type":"stat_error", "image", "code", "message"} if
 * the image can't be read; a "stat_diagnostic" for each malformed entry of its CFI; a "stat_lost" for each FDE
 * outside of code, or a "stat_error" if there is no memory to find these.
 */
void stat_image(const struct image_path *image, FILE *output);

/* Counts cfi's expressions as instructions, and adds them to object. "expressions" has the use of an
 * expression (cfa, at, val) and the form that a rule can hold (register, deref, plt, or other).
 * "expressions_other" has the texts of those in no such form. */
void stat_expressions(const struct cfi *cfi, json_t *object);

/* Adds "sframe" to object, if the image has SFrame: counts of it, and the bytes of the table that is made of it. */
void stat_sframe(const struct image *image, json_t *object);

#endif
