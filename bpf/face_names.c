/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * face_names.c - names of many addresses, image by image, for other programs
 *
 * A profiler names what it has met now and then: a few hundred addresses of dozens of images. Of
 * each image no more is read than what decides about them, and nothing is kept: else all symbols
 * and all CFI of all that ever ran would stay in memory, and with them the files' pages.
 */
#include <stdlib.h>
#include "array.h"
#include "face.h"
#include "cfi/code_name.h"
#include "walk/image_store.h"

struct wanted {
	uint64_t image, address;
	size_t number;
};

struct naming {
	const struct stackproof_images *images;
	struct wanted *wanted;
	uint64_t *address; /* of one image */
	stackproof_name_fn fn;
	void *context;
};

ARRAY_ORDER_TWO(by_image, struct wanted, image, address)

/* NULL: it is forgotten. */
static struct image_entry *find_entry(const struct image_store *store, uint64_t image)
{
	struct image_entry *entry;

	for (size_t i = 0; (entry = image_store_get(store, i)); i++)
		if (entry->id + 1ull == image)
			return entry;
	return NULL;
}

/* The CFI is read where it decides only: how far a symbol without size reaches. */
static int find_name(struct image_entry *entry, struct stackproof_place *place, struct error *error)
{
	const struct image *image = entry->image;
	struct code_name name;

	if (face_may_be_first_code(image, place->address)) {
		if (image_entry_read_cfi(entry, error))
			return -1;
		place->first_code = face_is_first_code(image, image_entry_cfi(entry),
						       place->address);
	}
	code_name_find(image, NULL, place->address, &name);
	if (name.kind == CODE_SYMBOL && !name.symbol->size) {
		if (image_entry_read_cfi(entry, error))
			return -1;
		code_name_find(image, image_entry_cfi(entry), place->address, &name);
	}
	face_name(&name, place);
	return 0;
}

/* wanted[first .. end): of one image. */
static int name_some(const struct naming *naming, struct image_entry *entry, size_t first,
		     size_t end, struct error *error)
{
	for (size_t i = first; i < end; i++)
		naming->address[i - first] = naming->wanted[i].address;
	if (code_name_prepare_at(entry->image, naming->address, end - first, error))
		return -1;
	for (size_t i = first; i < end; i++) {
		const struct wanted *wanted = &naming->wanted[i];
		struct stackproof_place place = { .size = sizeof(place),
						  .path = entry->image->path,
						  .build_id = entry->image->build_id,
						  .build_id_size = entry->image->build_id_size,
						  .address = wanted->address,
						  .image = wanted->image };

		if (find_name(entry, &place, error))
			return -1;
		naming->fn(naming->context, wanted->number, &place);
	}
	return 0;
}

static int name_all(const struct naming *naming, size_t count, struct error *error)
{
	const struct wanted *wanted = naming->wanted;
	int status = 0;

	for (size_t first = 0, end; first < count && !status; first = end) {
		struct image_entry *entry = find_entry(naming->images->store, wanted[first].image);

		for (end = first + 1; end < count && wanted[end].image == wanted[first].image;)
			end++;
		if (!entry || !image_entry_is_as_it_was(entry))
			continue;
		status = name_some(naming, entry, first, end, error);
		image_entry_give_back(entry);
	}
	return status;
}

int stackproof_images_name(struct stackproof_images *images, const struct stackproof_asked *asked,
			   size_t count, stackproof_name_fn fn, void *context,
			   struct stackproof_error *error)
{
	struct naming naming = {
		.images = images,
		.wanted = calloc(count + 1, sizeof(*naming.wanted)),
		.address = calloc(count + 1, sizeof(*naming.address)),
		.fn = fn,
		.context = context,
	};
	struct error inner;
	int status = -1;

	if (!naming.wanted || !naming.address) {
		error_set(&inner, ERROR_MEMORY, "", 0, "no memory for %zu names", count);
	} else {
		for (size_t i = 0; i < count; i++)
			naming.wanted[i] = (struct wanted) { asked[i].image, asked[i].address, i };
		qsort(naming.wanted, count, sizeof(*naming.wanted), by_image);
		status = name_all(&naming, count, &inner);
	}
	free(naming.wanted);
	free(naming.address);
	return status ? face_fail(error, &inner) : 0;
}
