/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * debug_names.c - names that the image does not have, from its debug file
 *
 * Distributions strip .symtab from what they ship, and keep it in a file below /usr/lib/debug that has the build ID for
 * its name. It is opened when an image's new places are named, if one of them has no name, and closed then: it may be
 * large. A file with another build ID, or without one, is not believed.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/code_name.h"
#include "hex_text.h"
#include "record.h"

/* NULL: there is none, or it can't be read. */
static struct image *open_debug(const char *build_id)
{
	char path[64 + 2 * BUILD_ID_MAX], text[2 * BUILD_ID_MAX + 1];
	struct image *image;
	struct error ignored;

	if (strlen(build_id) < 4)
		return NULL;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id,
		 build_id + 2);
	if (image_create(path, &image, &ignored))
		return NULL;
	if (!strcmp(hex_text(text, image->build_id, image->build_id_size), build_id))
		return image;
	image_destroy(image);
	return NULL;
}

int debug_names_find(const char *build_id, const uint64_t *address, size_t count, debug_name_fn fn,
		     void *context, struct error *error)
{
	struct image *image = open_debug(build_id);
	uint64_t *sorted;
	int status;

	if (!image)
		return 0;
	sorted = malloc(count * sizeof(*sorted));
	if (!sorted) {
		image_destroy(image);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
	}
	memcpy(sorted, address, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), array_order_u64);
	status = code_name_prepare_at(image, sorted, count, error);
	for (size_t i = 0; !status && i < count; i++) {
		const struct image_symbol *symbol = image_symbol_find(image, address[i]);

		/* How far one without size reaches, only CFI would say. */
		if (symbol && symbol->size)
			status = fn(context, i, symbol->name);
	}
	free(sorted);
	image_destroy(image);
	return status;
}
