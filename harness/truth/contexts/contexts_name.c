/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * contexts_name.c - names of a truth file's frames
 *
 * The file has images and addresses; names are the images' (docs/NAMES.md). So an image is opened
 * by its path, and believed if it is the one that ran, by its build-id or the digest of its code.
 */
#include <stdlib.h>
#include <string.h>
#include "walk/address_space.h"
#include "array.h"
#include "freed.h"
#include "cfi/code_name.h"
#include "contexts.h"
#include "base/images/debug_link.h"
#include "base/images/own_vdso.h"

struct named_image {
	bool asked;
	struct image_entry *entry; /* NULL: it is not there */
};

struct context_names {
	const struct truth_file *file;
	struct image_store *store;
	struct named_image *image;
	struct image *vdso; /* this process's, once it was asked for */
	bool vdso_asked;
	size_t missing;
	char *text;
	size_t room;
};

struct context_names *context_names_create(const struct truth_file *file)
{
	struct context_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->file = file;
	names->store = debug_link_store();
	names->image = calloc(truth_file_image_count(file) + 1, sizeof(*names->image));
	if (names->store && names->image)
		return names;
	context_names_destroy(names);
	return NULL;
}

void context_names_destroy(struct context_names *names)
{
	if (!names)
		return;
	image_store_destroy(names->store);
	image_destroy(names->vdso);
	free(names->image);
	free(names->text);
	free(names);
}

size_t context_names_missing(const struct context_names *names)
{
	return names->missing;
}

static struct image_entry *open_image(struct context_names *names, uint32_t number)
{
	const struct truth_image *known = truth_file_image(names->file, number);
	FREED char *path = NULL;
	struct named_image *image = &names->image[number];
	struct error ignored; /* that it is missing is counted */

	if (image->asked)
		return image->entry;
	image->asked = true;
	if (known->kind != TRUTH_IMAGE_FILE)
		return NULL;
	path = truth_file_image_path(names->file, number);
	image->entry = path ? image_store_open(names->store, path, &ignored) : NULL;
	if (image->entry && truth_image_identity(known, image->entry->image) != TRUTH_SAME)
		image->entry = NULL;
	names->missing += !image->entry;
	return image->entry;
}

/* The vDSO is the kernel's: this process's, if the program ran with the same. */
static const struct image *open_vdso(struct context_names *names, const struct truth_image *known)
{
	struct error ignored;

	if (!names->vdso_asked) {
		names->vdso = own_vdso_open(&ignored);
		if (names->vdso && code_name_prepare(names->vdso, &ignored)) {
			image_destroy(names->vdso);
			names->vdso = NULL;
		}
	}
	names->vdso_asked = true;
	return names->vdso && truth_image_identity(known, names->vdso) == TRUTH_SAME ? names->vdso
										     : NULL;
}

/* What is no function's name another image may have, too: the file's is behind it. */
static const char *print(struct context_names *names, const struct code_name *name,
			 const char *file)
{
	size_t size = strlen(file) + (name && name->name ? strlen(name->name) : 0) + 64, used = 0;

	if (!ARRAY_RESERVE(names->text, names->room, size))
		return NULL;
	if (name) {
		code_name_print(name, names->text, size);
		used = strlen(names->text);
	}
	if (!name || (name->kind != CODE_SYMBOL && name->kind != CODE_STUB))
		snprintf(names->text + used, size - used, "[%s]", file);
	return names->text;
}

const char *context_name(struct context_names *names, const struct truth_node *node, bool returns)
{
	const struct truth_image *known = truth_file_image(names->file, node->image);
	struct image_entry *entry = open_image(names, node->image);
	const char *slash = strrchr(known->path, '/'), *file = slash ? slash + 1 : known->path;
	bool is_vdso = known->kind == TRUTH_IMAGE_VDSO;
	const struct image *image = is_vdso ? open_vdso(names, known) : entry ? entry->image : NULL;
	struct code_name name;

	file = is_vdso ? "vdso" : *file ? file : truth_image_kind_name(known->kind);
	if (image)
		code_name_find(image, entry ? image_entry_cfi(entry) : NULL,
			       node->address - returns, &name);
	return print(names, image ? &name : NULL, file);
}
