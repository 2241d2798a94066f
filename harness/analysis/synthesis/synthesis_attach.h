/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_attach.h - gives images rows for their functions without CFI
 *
 * For what walks: nothing of how the rows are found is needed.
 */
#ifndef STACKPROOF_SYNTHESIS_ATTACH_H
#define STACKPROOF_SYNTHESIS_ATTACH_H

#include <stdint.h>
#include "image/image.h"

/* Counts of all images of a run. */
struct synthesis_sums {
	uint64_t images;	     /* that got rows */
	uint64_t functions, written; /* without an FDE; of them, with rows */
	uint64_t replaced;	     /* with an FDE, some of whose rows were replaced */
};

/* Adds to the image a section .eh_frame with the rows. An image_prepare_fn: context is a struct synthesis_sums. 0, or
 * -1: no memory, or the section is too far from the code. An image that can't be followed gets no rows. */
int synthesis_attach(void *context, struct image *image, struct error *error);

#endif
