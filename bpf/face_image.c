/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * face_image.c - images, for other programs: open, rows, faults
 */
#include <stdlib.h>
#include "face.h"
#include "walk/image_store.h"

int stackproof_images_create(struct stackproof_images **ret, struct stackproof_error *error)
{
	struct stackproof_images *images = calloc(1, sizeof(*images));

	if (images)
		images->store = image_store_create();
	if (!images || !images->store) {
		free(images);
		return face_fail_memory(error);
	}
	*ret = images;
	return 0;
}

void stackproof_images_destroy(struct stackproof_images *images)
{
	if (images)
		image_store_destroy(images->store);
	free(images);
}

int stackproof_image_open(struct stackproof_images *images, const char *path, const void *data,
			  size_t size, struct stackproof_image **ret,
			  struct stackproof_error *error)
{
	struct stackproof_image *image = calloc(1, sizeof(*image));
	struct error inner;

	if (!image)
		return face_fail_memory(error);
	image->entry = data ? image_store_copy(images->store, data, size, path, &inner)
			    : image_store_open(images->store, path, &inner);
	if (!image->entry) {
		free(image);
		return face_fail(error, &inner);
	}
	image_entry_hold(image->entry);
	*ret = image;
	return 0;
}

void stackproof_image_close(struct stackproof_image *image)
{
	if (image)
		image_entry_release(image->entry);
	free(image);
}

int stackproof_image_info(const struct stackproof_image *image, struct stackproof_image_info *ret,
			  struct stackproof_error *error)
{
	const struct table *table = image->entry->table;
	struct stackproof_image_info info = {
		.path = image->entry->image->path,
		.build_id = image->entry->image->build_id,
		.build_id_size = image->entry->image->build_id_size,
		.fdes = table->fde_count,
		.rows = table->cfi_row_count,
		.lost_fdes = table->lost_fdes,
		.table_bytes = table_bytes(table),
	};

	for (int marker = 0; marker < TABLE_MARKER_COUNT; marker++)
		info.lost_rows += table->lost[marker];
	return face_give(ret, &info, sizeof(info), error);
}

/* ---- rows ------------------------------------------------------------------------------- */

struct row_reader {
	stackproof_row_fn fn;
	void *context;
	uint64_t from, to;
	struct stackproof_error *error;
	int status; /* fn's, or -1 of our own */
};

static char *rules_text(const struct row *row)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	row_print(file, row);
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
}

static int give_row(void *context, const struct row *row)
{
	struct row_reader *reader = context;
	struct table_rule_full ignored;
	struct stackproof_row given = { .size = sizeof(given) };
	enum table_marker marker;
	FREED char *text = NULL;

	if (row->pc_end <= reader->from || row->pc >= reader->to)
		return 0;
	text = rules_text(row);
	if (!text)
		return reader->status = face_fail_memory(reader->error);
	marker = table_rule_from_row(row, &ignored);
	given.pc = row->pc;
	given.pc_end = row->pc_end;
	given.rules = text;
	given.lost = marker ? table_marker_name(marker) : NULL;
	return reader->status = reader->fn(reader->context, &given);
}

int stackproof_image_rows(const struct stackproof_image *image, uint64_t from, uint64_t to,
			  stackproof_row_fn fn, void *context, struct stackproof_error *error)
{
	struct row_reader reader = {
		.fn = fn, .context = context, .from = from, .to = to, .error = error
	};
	const struct cfi *cfi;
	struct error inner;

	if (image_entry_read_cfi(image->entry, &inner))
		return face_fail(error, &inner);
	cfi = image_entry_cfi(image->entry);
	for (size_t i = 0; !reader.status && i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];

		if (fde->pc_begin >= to || fde->pc_begin + fde->pc_range <= from)
			continue;
		/* A malformed FDE: stackproof_image_faults(). */
		if (cfi_rows(cfi, fde, give_row, &reader, &inner) < 0 && !reader.status &&
		    inner.code == ERROR_MEMORY)
			return face_fail(error, &inner);
	}
	return reader.status;
}

int stackproof_image_faults(const struct stackproof_image *image, stackproof_fault_fn fn,
			    void *context, uint64_t *ret_count, struct stackproof_error *error)
{
	struct error_list list DEINIT(error_list_deinit) = { 0 };
	struct stackproof_error fault;
	struct error inner;
	int status = 0;

	if (image_entry_read_cfi(image->entry, &inner))
		return face_fail(error, &inner);
	cfi_check(image_entry_cfi(image->entry), &list);
	if (list.dropped && list.count < ERROR_LIST_MAX)
		status = face_fail_memory(error);
	for (size_t i = 0; !status && i < list.count; i++)
		if (error_is_want(&list.error[i]))
			status = face_fail(error, &list.error[i]);
	for (size_t i = 0; fn && !status && i < list.count; i++) {
		face_error(&list.error[i], &fault);
		status = fn(context, &fault);
	}
	if (ret_count && status >= 0)
		*ret_count = list.count + list.dropped;
	return status;
}
