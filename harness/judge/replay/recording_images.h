/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording_images.h - the image files that are needed to play recordings
 */
#ifndef STACKPROOF_RECORDING_IMAGES_H
#define STACKPROOF_RECORDING_IMAGES_H

#include <stddef.h>
#include "error.h"

/* Paths, each once. Zero-initialise. */
struct recording_images {
	char **path;
	size_t count;
};

/* Adds the paths of a recording's images and of the debug files that have their CFI. -1: the
 * recording can't be read to its end; the paths read before are added. */
int recording_images_add(struct recording_images *images, const char *recording,
			 struct error *error);
void recording_images_deinit(struct recording_images *images);

#endif
