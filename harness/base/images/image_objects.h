/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_objects.h - image_pool.h, for work that writes JSON objects
 *
 * The work on an image writes one object a line. Its last object has a member "status". If that is missing, or if the
 * process failed after it, a last object with the status "failed" is made here. If the image's file was cut
 * meanwhile, its only object is made here and has the status "unread". A progress bar is drawn on stderr.
 */
#ifndef STACKPROOF_IMAGES_IMAGE_OBJECTS_H
#define STACKPROOF_IMAGES_IMAGE_OBJECTS_H

#include <jansson.h>
#include "image_pool.h"

struct image_objects {
	const char *type; /* of an image's last object: "proof" */
	unsigned int jobs, timeout_ms;
	image_work_fn work;
	/* Called in this process for each object, which is borrowed. */
	void (*take)(void *context, const struct image_path *image, json_t *object);
	/* Unless NULL, called after the last object: once more for each object before it, then with NULL. So
	 * a caller that needs the last object first does not have to keep the others. */
	void (*again)(void *context, const struct image_path *image, json_t *object);
	/* Writes the text beside the bar. */
	void (*say)(void *context, char *text, size_t size);
	void *context;
};

/* Fails as image_pool_run(). */
int image_objects_run(const struct image_objects *objects, const struct image_list *list,
		      struct error *error);

#endif
