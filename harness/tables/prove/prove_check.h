/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * prove_check.h - what the checks of an image share: findings, and where they are
 *
 *	prove_image.c	defines these, and asks all checks
 *	prove_sframe.c	check_sframe()
 */
#ifndef STACKPROOF_PROVE_CHECK_H
#define STACKPROOF_PROVE_CHECK_H

#include <jansson.h>
#include "cfi/cfi.h"

struct prove_options;

/* One check of one image. */
struct check {
	const char *name;
	const struct image *image;
	FILE *output;
	uint64_t findings;
};

/* A new finding, the caller's. NULL: there have been enough. */
json_t *check_finding(struct check *check, const char *message);
/* Sets function, pc and pc_end. */
void check_set_place(json_t *object, const struct image *image, const struct cfi *cfi, uint64_t pc,
		     uint64_t pc_end);

/* Holds the image's SFrame against cfi, and adds the object "sframe" to proof. file: where the image is. -1: it could
 * not be done. (prove_sframe.c) */
int check_sframe(const struct prove_options *options, const struct image *image, const char *file,
		 const struct cfi *cfi, FILE *output, json_t *proof, struct error *error);

#endif
