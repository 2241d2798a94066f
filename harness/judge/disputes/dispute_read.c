/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_read.c - an archive -> a dispute, of which nothing is believed
 *
 * gzip and pax only, and of their members only those that case.json, the first, says: each once, in
 * order, of the size that it says. Their bytes are counted as they come and not by what a header
 * says. Images go into files with our own names; holes stay holes, whatever size they have. gzip has
 * a CRC-32 of it all, of which libarchive takes no notice: so it is asked for here, before anything
 * is told of the case.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "freed.h"
#include "base/cli/input_file.h"
#include "array.h"
#include "disputes.h"

#define BLOCK_BYTES (64u << 10)
/* Of the whole archive: what members may have, and their heads. */
#define ARCHIVE_BYTES_MAX (2ull * DISPUTE_DATA_MAX)

/* While a case is read. */
struct reading {
	struct archive *from;
	struct archive_entry *entry; /* the member at hand */
	const char *name;	     /* it must have */
	uint64_t bytes;		     /* of all members so far */
	struct error *error;
};

static int refuse(const struct reading *reading, const char *what)
{
	const char *own = archive_error_string(reading->from);

	return error_set(reading->error, ERROR_PROTOCOL, reading->name, 0, "%s%s%.120s", what,
			 own ? ": " : "", own ? own : "");
}

/* The next member, which must have that name. */
static int next_member(struct reading *reading, const char *name)
{
	const char *got;
	int status;

	reading->name = name;
	status = archive_read_next_header(reading->from, &reading->entry);
	if (status == ARCHIVE_EOF)
		return refuse(reading, "the archive ends before it");
	if (status != ARCHIVE_OK)
		return refuse(reading, "it can't be read");
	got = archive_entry_pathname(reading->entry);
	if (!got || strcmp(got, name) || archive_entry_filetype(reading->entry) != AE_IFREG ||
	    archive_entry_hardlink(reading->entry) || archive_entry_symlink(reading->entry))
		return refuse(reading, "another member is in its place");
	return 0;
}

/* The next block of the member at hand, of at most limit bytes in all. 1, 0: its end, -1. */
static int next_block(struct reading *reading, uint64_t limit, const void **ret, size_t *ret_size,
		      uint64_t *ret_offset)
{
	la_int64_t offset;
	int status = archive_read_data_block(reading->from, ret, ret_size, &offset);

	if (status == ARCHIVE_EOF)
		return 0;
	if (status != ARCHIVE_OK)
		return refuse(reading, "it can't be read");
	if (offset < 0 || (uint64_t)offset > limit || *ret_size > limit - (uint64_t)offset)
		return refuse(reading, "it has more bytes than it may");
	reading->bytes += *ret_size;
	if (reading->bytes > DISPUTE_DATA_MAX)
		return refuse(reading, "the case has more bytes than it may");
	*ret_offset = (uint64_t)offset;
	return 1;
}

/* ---- case.json -------------------------------------------------------------------------- */

static struct dispute *read_text(struct reading *reading)
{
	struct dispute *dispute = NULL;
	size_t size, capacity = 0, end = 0;
	const void *block;
	FREED char *text = NULL;
	uint64_t offset;
	int status;

	if (next_member(reading, "case.json"))
		return NULL;
	while ((status = next_block(reading, DISPUTE_TEXT_MAX, &block, &size, &offset)) > 0) {
		if (offset != end) {
			status = refuse(reading, "it has holes");
			break;
		}
		if (!ARRAY_RESERVE(text, capacity, end + size + 1)) {
			status = error_set(reading->error, ERROR_MEMORY, "", 0,
					   "no memory for a case");
			break;
		}
		memcpy(text + end, block, size);
		end += size;
	}
	if (!status)
		dispute = dispute_from_json(text ? text : "", end, reading->error);
	return dispute;
}

/* ---- memory ----------------------------------------------------------------------------- */

/* Blocks begin and end anywhere, pages don't. */
static int read_run(struct reading *reading, struct dispute *dispute,
		    const struct dispute_range *run)
{
	FREED uint8_t *bytes = calloc(1, run->size);
	uint64_t offset, end = 0;
	const void *block;
	size_t size;
	int status;

	if (!bytes)
		return error_set(reading->error, ERROR_MEMORY, "", 0, "no memory for a case");
	while ((status = next_block(reading, run->size, &block, &size, &offset)) > 0) {
		memcpy(bytes + offset, block, size);
		end = offset + size;
	}
	if (!status && end != run->size)
		status = refuse(reading, "it has fewer bytes than case.json says");
	for (uint64_t at = 0; !status && at < run->size; at += PAGE_SET_PAGE)
		if (!dispute_add_page(dispute, run->offset + at, bytes + at))
			status = refuse(reading, "the case has more memory than it may");
	return status;
}

static int read_memory(struct reading *reading, struct dispute *dispute)
{
	for (size_t i = 0; i < dispute->run_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "memory/%016" PRIx64, dispute->run[i].offset);
		if (next_member(reading, name) || read_run(reading, dispute, &dispute->run[i]))
			return -1;
	}
	return 0;
}

/* ---- images ----------------------------------------------------------------------------- */

static int write_block(int fd, const uint8_t *bytes, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t written = pwrite(fd, bytes, size, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return -1;
		bytes += written;
		offset += (uint64_t)written;
		size -= (size_t)written;
	}
	return 0;
}

static int read_image(struct reading *reading, const struct dispute_folder *folder,
		      const struct dispute_image *image, size_t number)
{
	const void *block;
	uint64_t offset;
	size_t size;
	int fd, status;

	if (archive_entry_size(reading->entry) != (la_int64_t)image->file_bytes)
		return refuse(reading, "it has another size than case.json says");
	fd = dispute_folder_make(folder, number, image->file_bytes, reading->error);
	if (fd < 0)
		return -1;
	while ((status = next_block(reading, image->file_bytes, &block, &size, &offset)) > 0)
		if (write_block(fd, block, size, offset)) {
			status = error_set_errno(reading->error, "%s of a case", reading->name);
			break;
		}
	if (close(fd) && !status)
		status = error_set_errno(reading->error, "%s of a case", reading->name);
	return status;
}

static int read_images(struct reading *reading, struct dispute *dispute,
		       const struct dispute_folder *folder)
{
	for (size_t i = 0; i < dispute->image_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "image/%zu", i);
		if (next_member(reading, name) ||
		    read_image(reading, folder, &dispute->image[i], i))
			return -1;
	}
	return 0;
}

static int read_end(struct reading *reading)
{
	int status = archive_read_next_header(reading->from, &reading->entry);

	reading->name = "the end";
	if (status == ARCHIVE_OK)
		reading->name = archive_entry_pathname(reading->entry) ?: "a member";
	if (status == ARCHIVE_OK)
		return refuse(reading, "case.json does not have it");
	return status == ARCHIVE_EOF ? 0 : refuse(reading, "it can't be read");
}

/* ---- the digest ------------------------------------------------------------------------- */

/* zlib holds the bytes against gzip's CRC-32 and their number, at their end. */
static int read_to_the_sum(gzFile file, struct error *error)
{
	static char block[BLOCK_BYTES];
	uint64_t bytes = 0;
	const char *message;
	int count, code;

	while ((count = gzread(file, block, sizeof(block))) > 0) {
		bytes += (uint64_t)count;
		if (bytes > ARCHIVE_BYTES_MAX)
			return error_set(error, ERROR_PROTOCOL, "the archive", 0,
					 "it has more bytes than it may");
	}
	message = gzerror(file, &code);
	if (code == Z_ERRNO)
		return error_set_errno(error, "reading a case");
	if (count < 0 || code != Z_OK)
		return error_set(error, ERROR_PROTOCOL, "the archive", 0,
				 "another digest than its bytes have: it is damaged (%.100s)",
				 message);
	return 0;
}

/* gzip's head is not in its sum. What is written here has no flags, no time, and Unix. */
static int check_head(const char *path, struct error *error)
{
	static const unsigned char head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
	unsigned char first[sizeof(head)] = { 0 };
	FILE_CLOSED FILE *file = input_file_open(path, error);

	if (!file)
		return -1;
	if (fread(first, 1, sizeof(first), file) == sizeof(first) &&
	    !memcmp(first, head, sizeof(head)))
		return 0;
	return error_set(error, ERROR_PROTOCOL, "the archive", 0,
			 "its head is not a case's: it is damaged, or was compressed anew");
}

static int check_digest(const char *path, struct error *error)
{
	gzFile file;
	int status;

	if (check_head(path, error))
		return -1;
	file = gzopen(path, "rbe");
	if (!file)
		return error_set_errno(error, "%s", path);
	status = read_to_the_sum(file, error);
	gzclose_r(file);
	return status;
}

/* ---- the case --------------------------------------------------------------------------- */

static struct archive *open_archive(const char *path, struct error *error)
{
	struct archive *from = archive_read_new();

	if (from && archive_read_support_filter_gzip(from) == ARCHIVE_OK &&
	    archive_read_support_format_tar(from) == ARCHIVE_OK &&
	    archive_read_open_filename(from, path, BLOCK_BYTES) == ARCHIVE_OK)
		return from;
	error_set(error, ERROR_PROTOCOL, "", 0, "%.150s",
		  from && archive_error_string(from) ? archive_error_string(from)
						     : "no memory for a case");
	archive_read_free(from);
	return NULL;
}

struct dispute *dispute_read(const char *path, struct dispute_folder *ret_folder,
			     struct error *error)
{
	struct reading reading = { .error = error };
	struct dispute *dispute;

	*ret_folder = (struct dispute_folder) { 0 };
	reading.from = open_archive(path, error);
	if (!reading.from)
		return NULL;
	dispute = read_text(&reading);
	if (dispute &&
	    (dispute_folder_create(ret_folder, error) || read_memory(&reading, dispute) ||
	     read_images(&reading, dispute, ret_folder) || read_end(&reading) ||
	     check_digest(path, error))) {
		dispute_destroy(dispute);
		dispute_folder_deinit(ret_folder);
		dispute = NULL;
	}
	archive_read_free(reading.from);
	return dispute;
}

bool dispute_is_case(const char *path)
{
	static const unsigned char gzip[] = { 0x1f, 0x8b };
	unsigned char first[sizeof(gzip)] = { 0 };
	struct error error;
	FILE_CLOSED FILE *file = input_file_open(path, &error);

	return file && fread(first, 1, sizeof(first), file) == sizeof(first) &&
	       !memcmp(first, gzip, sizeof(gzip));
}
