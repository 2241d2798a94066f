/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_objects.h - image_pool.h's work, where it says JSON objects
 *
 * The work on an image writes one object a line. The last has a member "status", and is the image's
 * last word; an image that has none, or that failed after it, gets one from here, with the status
 * "failed". Of one whose file was cut meanwhile the status is "unread", and nothing else is said. A bar
 * on standard error says how far it is.
 */
#ifndef STACKPROOF_IMAGES_IMAGE_OBJECTS_H
#define STACKPROOF_IMAGES_IMAGE_OBJECTS_H

#include <jansson.h>
#include "image_pool.h"

struct image_objects {
	const char *type; /* of an image's last word: "proof" */
	unsigned int jobs, timeout_ms;
	image_work_fn work;
	/* Each object, in this process; it stays ours. */
	void (*take)(void *context, const struct image_path *image, json_t *object);
	/* Unless NULL, all but the last of them once more, behind it, and NULL at the end: who needs the last word for
	 * the others does not have to keep them, and they may be many. */
	void (*again)(void *context, const struct image_path *image, json_t *object);
	/* What stands beside the bar. */
	void (*say)(void *context, char *text, size_t size);
	void *context;
};

/* Fails as image_pool_run(). */
int image_objects_run(const struct image_objects *objects, const struct image_list *list,
		      struct error *error);

#endif
