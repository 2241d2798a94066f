/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_attach.h - images that have rows for their functions without CFI
 *
 * For who walks: it needs nothing of how they are found.
 */
#ifndef STACKPROOF_SYNTHESIS_ATTACH_H
#define STACKPROOF_SYNTHESIS_ATTACH_H

#include <stdint.h>
#include "image/image.h"

/* What came of the images of a run. */
struct synthesis_sums {
	uint64_t images;	     /* with rows */
	uint64_t functions, written; /* without FDE; of them, with rows */
	uint64_t replaced;	     /* with others than their FDE's */
};

/* The rows of the image's functions without CFI become a section .eh_frame of it. An image_prepare_fn:
 * context is a struct synthesis_sums. */
int synthesis_attach(void *context, struct image *image, struct error *error);

#endif
