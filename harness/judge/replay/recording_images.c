/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording_images.c - which files recordings name as images
 *
 * Those without a file are in the recording itself: the vDSO, a memfd. Where an image's CFI is in its
 * separate debug file, that one must be there, too: without it the walk would end earlier.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/images/debug_link.h"
#include "recording.h"
#include "recording_images.h"

/* 1: it is new; 0: it was there; -1: no memory. */
static int add_once(struct recording_images *images, const char *path, struct error *error)
{
	for (size_t i = 0; i < images->count; i++)
		if (!strcmp(images->path[i], path))
			return 0;
	if (!ARRAY_GROW(images->path, images->count) ||
	    !(images->path[images->count] = strdup(path)))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for paths");
	images->count++;
	return 1;
}

static int add_debug_file(struct recording_images *images, const char *path, struct error *error)
{
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct error ignored; /* whoever plays the recording says what can't be opened */
	char real[PATH_MAX];

	if (image_create(path, &image, &ignored))
		return 0;
	debug_link_adopt(image);
	if (image->debug && image->debug_frame.data && realpath(image->debug->path, real))
		return add_once(images, real, error);
	return 0;
}

static int add_path(void *context, const struct recording_mapping *mapping, size_t number,
		    size_t count, struct error *error)
{
	struct recording_images *images = context;
	int status;

	if (!mapping || mapping->kind != RECORDING_FILE)
		return 0;
	status = add_once(images, mapping->path, error);
	if (status > 0)
		status = add_debug_file(images, mapping->path, error);
	return status < 0 ? -1 : 0;
}

int recording_images_add(struct recording_images *images, const char *path, struct error *error)
{
	const struct recording_handler handler = { .mapping = add_path, .context = images };
	struct recording *recording;
	int status;

	if (recording_open(path, &recording, error))
		return -1;
	status = recording_play(recording, &handler, error);
	recording_close(recording);
	return status ? -1 : 0;
}

void recording_images_deinit(struct recording_images *images)
{
	for (size_t i = 0; i < images->count; i++)
		free(images->path[i]);
	free(images->path);
	*images = (struct recording_images) { .path = NULL };
}
