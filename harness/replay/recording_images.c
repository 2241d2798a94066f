/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording_images.c - which files recordings name as images
 *
 * Those without a file are in the recording itself: the vDSO, a memfd.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "replay/recording.h"
#include "replay/recording_images.h"

static int add_path(void *context, const struct recording_mapping *mapping, size_t number,
		    size_t count, struct error *error)
{
	struct recording_images *images = context;

	if (!mapping || mapping->kind != RECORDING_FILE)
		return 0;
	for (size_t i = 0; i < images->count; i++)
		if (!strcmp(images->path[i], mapping->path))
			return 0;
	if (!ARRAY_GROW(images->path, images->count) ||
	    !(images->path[images->count] = strdup(mapping->path)))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for paths");
	images->count++;
	return 0;
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
