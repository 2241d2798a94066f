/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_write.c - a collected dispute as an archive
 *
 * Equal disputes are equal bytes: no times, no owners. Images are sparse members (pax, as GNU tar
 * writes them), so that one of a gigabyte takes what is kept of it.
 */
#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_members.h"
#include "freed.h"
#include "base/cli/output_file.h"
#include "disputes.h"

static struct archive_entry *make_entry(const char *name, uint64_t bytes)
{
	struct archive_entry *entry = archive_entry_new();

	if (!entry)
		return NULL;
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)bytes);
	archive_entry_set_mtime(entry, 0, 0);
	return entry;
}

/* Takes the entry, which may be NULL. */
static bool write_header(struct archive *to, struct archive_entry *entry)
{
	bool written = entry && archive_write_header(to, entry) == ARCHIVE_OK;

	archive_entry_free(entry);
	return written;
}

static bool write_bytes(struct archive *to, const void *bytes, size_t size)
{
	return archive_write_data(to, bytes, size) == (la_ssize_t)size;
}

static bool write_text(struct archive *to, const struct dispute *dispute)
{
	JSON_FREED json_t *object = dispute_to_json(dispute);
	FREED char *text = object ? json_dumps(object, JSON_INDENT(1)) : NULL;

	return text && write_header(to, make_entry("case.json", strlen(text))) &&
	       write_bytes(to, text, strlen(text));
}

static bool write_memory(struct archive *to, const struct dispute *dispute)
{
	size_t count;

	for (size_t first = 0; first < dispute->memory.count; first += count) {
		const struct page *page = &dispute->memory.page[first];
		char name[64];

		count = dispute_run(dispute, first);
		snprintf(name, sizeof(name), "memory/%016" PRIx64, page->address);
		if (!write_header(to, make_entry(name, count * PAGE_SET_PAGE)))
			return false;
		for (size_t i = 0; i < count; i++)
			if (!write_bytes(to, page[i].bytes, PAGE_SET_PAGE))
				return false;
	}
	return true;
}

/* The member has the file's size, and of it only what is kept. */
static bool write_image(struct archive *to, const struct dispute_image *image, size_t number)
{
	static const char zeros[4096];
	struct archive_entry *entry;
	uint64_t at = 0;
	char name[64];

	snprintf(name, sizeof(name), "image/%zu", number);
	entry = make_entry(name, image->file_bytes);
	for (size_t i = 0; entry && i < image->range_count; i++)
		archive_entry_sparse_add_entry(entry, (la_int64_t)image->range[i].offset,
					       (la_int64_t)image->range[i].size);
	if (!write_header(to, entry))
		return false;
	for (size_t i = 0; i < image->range_count; i++) {
		const struct dispute_range *range = &image->range[i];

		/* libarchive wants the holes' bytes, too, and leaves them out. */
		for (size_t part; at < range->offset; at += part) {
			part = range->offset - at < sizeof(zeros) ? range->offset - at
								  : sizeof(zeros);
			if (!write_bytes(to, zeros, part))
				return false;
		}
		if (!write_bytes(to, image->bytes + range->offset, range->size))
			return false;
		at = range->offset + range->size;
	}
	for (size_t part; at < image->file_bytes; at += part) {
		part = image->file_bytes - at < sizeof(zeros) ? image->file_bytes - at
							      : sizeof(zeros);
		if (!write_bytes(to, zeros, part))
			return false;
	}
	return true;
}

static bool write_members(struct archive *to, const struct dispute *dispute)
{
	if (!write_text(to, dispute) || !write_memory(to, dispute))
		return false;
	for (size_t i = 0; i < dispute->image_count; i++)
		if (!write_image(to, &dispute->image[i], i))
			return false;
	return true;
}

int dispute_write(const struct dispute *dispute, const char *path, struct error *error)
{
	struct archive *to = archive_write_new();
	struct output_file output;
	bool written;

	if (!to)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	if (output_file_open(path, &output, error)) {
		archive_write_free(to);
		return -1;
	}
	written = archive_write_set_format_pax(to) == ARCHIVE_OK &&
		  archive_write_add_filter_gzip(to) == ARCHIVE_OK &&
		  archive_write_set_options(to, "gzip:!timestamp") == ARCHIVE_OK &&
		  archive_write_set_bytes_in_last_block(to, 1) == ARCHIVE_OK &&
		  archive_write_open_FILE(to, output.file) == ARCHIVE_OK &&
		  write_members(to, dispute);
	written &= archive_write_close(to) == ARCHIVE_OK;
	if (!written)
		error_set(error, ERROR_SYSTEM, "", 0, "%.100s: %.100s", path,
			  archive_error_string(to) ?: "no memory for a case");
	archive_write_free(to);
	if (output_file_close(&output, written, written ? error : &(struct error) { 0 }))
		return -1;
	return written ? 0 : -1;
}
