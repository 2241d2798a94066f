/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed_image.c - which of a run's images a file is
 *
 * By its build-id, or the digest of its code where there is none, wherever it lies. The path alone says nothing: what
 * lies there may have been built anew, and its addresses are not those that ran.
 */
#include <string.h>
#include "executed.h"

static const struct {
	const char *name, *title;
} identities[EXECUTED_IDENTITY_COUNT] = {
	[EXECUTED_NOT_LOADED] = { "not_loaded", "the run did not have it" },
	[EXECUTED_BUILD_ID] = { "build_id", "the same build-id" },
	[EXECUTED_PATH] = { "path",
			    "the same path, but nothing says that it is the file that ran" },
	[EXECUTED_CHANGED] = { "changed", "the run had another build of it" },
	[EXECUTED_DIGEST] = { "digest", "the same code" },
};

const char *executed_identity_name(enum executed_identity identity)
{
	return identities[identity].name;
}

const char *executed_identity_title(const char *name)
{
	for (int i = 0; i < EXECUTED_IDENTITY_COUNT; i++)
		if (!strcmp(identities[i].name, name))
			return identities[i].title;
	return "";
}

/* There the addresses are the file's. */
static bool is_file(const struct truth_image *image)
{
	return image->kind == TRUTH_IMAGE_FILE || image->kind == TRUTH_IMAGE_MEMFD ||
	       image->kind == TRUTH_IMAGE_VDSO;
}

bool executed_is_file(enum executed_identity identity)
{
	return identity == EXECUTED_BUILD_ID || identity == EXECUTED_DIGEST;
}

enum executed_identity executed_find_image(const struct executed *executed,
					   const struct image *image, const char *path,
					   uint32_t *ret)
{
	const struct context_tree *tree = &executed->images;
	enum executed_identity identity = EXECUTED_NOT_LOADED;

	for (uint32_t i = 0; i < tree->image_count; i++) {
		const struct truth_image *other = &tree->image[i];
		enum truth_identity is;

		if (!is_file(other))
			continue;
		is = truth_image_identity(other, image);
		if (is == TRUTH_SAME) {
			*ret = i;
			return other->build_id_size ? EXECUTED_BUILD_ID : EXECUTED_DIGEST;
		}
		if (identity == EXECUTED_PATH || strcmp(other->path, path) != 0)
			continue;
		*ret = i;
		identity = is == TRUTH_CHANGED ? EXECUTED_CHANGED : EXECUTED_PATH;
	}
	return identity;
}

const char *executed_next_file(const struct executed *executed, size_t *at)
{
	const struct context_tree *tree = &executed->images;

	while (*at < tree->image_count) {
		const struct truth_image *image = &tree->image[(*at)++];

		if (image->kind == TRUTH_IMAGE_FILE)
			return image->path;
	}
	return NULL;
}
