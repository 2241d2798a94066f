/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_archive.c - many small files <-> one .tar.xz, of which nothing is believed
 *
 * Binaries of one toolchain share their start files and half of their sections, so together they
 * are a third of what they are one by one. Written so that equal files give equal bytes: in the
 * order given, without times and owners. Read with distrust, since a pull request may bring one:
 * xz and tar only, regular files with plain names only, each once, sizes bounded by what is really
 * unpacked and not by what a header says. Everything is in memory: nothing of a refused archive
 * ever reaches the disk.
 *
 * The sums are libarchive's, too: it writes them into an mtree(5), the list of a folder's files.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "golden.h"

#define BLOCK_BYTES (64u << 10)

bool golden_name_is_plain(const char *name)
{
	if (!*name || *name == '.' || strlen(name) > 200)
		return false;
	for (; *name; name++)
		if (*name <= ' ' || *name > '~' || strchr("/\\*?[]", *name))
			return false;
	return true;
}

/* ---- members ----------------------------------------------------------------------------- */

int golden_archive_add(struct golden_archive *archive, const char *name, char *data, size_t size,
		       struct error *error)
{
	char *copy = strdup(name);

	if (!copy || !ARRAY_ADD(archive->member, archive->count,
				(struct golden_member) { copy, data, size })) {
		free(copy);
		free(data);
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	}
	return 0;
}

const struct golden_member *golden_archive_find(const struct golden_archive *archive,
						const char *name)
{
	return ARRAY_FIRST(archive->member, archive->count, member, !strcmp(member->name, name));
}

void golden_archive_deinit(struct golden_archive *archive)
{
	for (size_t i = 0; i < archive->count; i++) {
		free(archive->member[i].name);
		free(archive->member[i].data);
	}
	free(archive->member);
	*archive = (struct golden_archive) { 0 };
}

/* ---- writing ----------------------------------------------------------------------------- */

struct buffer {
	char *data;
	size_t size;
	size_t capacity;
};

static la_ssize_t append(struct archive *archive, void *context, const void *data, size_t size)
{
	struct buffer *buffer = context;

	if (!ARRAY_RESERVE(buffer->data, buffer->capacity, buffer->size + size + 1)) {
		archive_set_error(archive, ENOMEM, "out of memory");
		return -1;
	}
	memcpy(buffer->data + buffer->size, data, size);
	buffer->size += size;
	buffer->data[buffer->size] = '\0';
	return (la_ssize_t)size;
}

static int write_member(struct archive *to, const char *name, const void *data, size_t size)
{
	struct archive_entry *entry = archive_entry_new();
	int status = -1;

	if (!entry)
		return -1;
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0755);
	archive_entry_set_size(entry, (la_int64_t)size);
	archive_entry_set_mtime(entry, 0, 0);
	if (archive_write_header(to, entry) == ARCHIVE_OK &&
	    archive_write_data(to, data, size) == (la_ssize_t)size)
		status = 0;
	archive_entry_free(entry);
	return status;
}

/* Ends what was written, or says why it can't be. Takes to. */
static int finish_writing(struct archive *to, int status, struct buffer *buffer,
			  struct error *error)
{
	if (archive_write_close(to) != ARCHIVE_OK)
		status = -1;
	if (status)
		error_set(error, ERROR_SYSTEM, "", 0, "cannot make an archive: %.150s",
			  archive_error_string(to) ? archive_error_string(to) : "out of memory");
	archive_write_free(to);
	if (status) {
		free(buffer->data);
		*buffer = (struct buffer) { 0 };
	}
	return status;
}

int golden_archive_write(const struct golden_archive *archive, char **ret, size_t *ret_size,
			 struct error *error)
{
	struct archive *to = archive_write_new();
	struct buffer buffer = { 0 };
	int status = 0;

	*ret = NULL;
	*ret_size = 0;
	if (!to)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (archive_write_set_format_ustar(to) != ARCHIVE_OK ||
	    archive_write_add_filter_xz(to) != ARCHIVE_OK ||
	    archive_write_set_options(to, "xz:compression-level=6,xz:threads=1") != ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(to, 1) != ARCHIVE_OK ||
	    archive_write_open(to, &buffer, NULL, append, NULL) != ARCHIVE_OK)
		status = -1;
	for (size_t i = 0; i < archive->count && !status; i++)
		status = write_member(to, archive->member[i].name, archive->member[i].data,
				      archive->member[i].size);
	if (finish_writing(to, status, &buffer, error))
		return -1;
	*ret = buffer.data;
	*ret_size = buffer.size;
	return 0;
}

int golden_sha256(const void *data, size_t size, char ret[GOLDEN_SHA256_SIZE], struct error *error)
{
	static const char key[] = "sha256digest=";
	struct archive *to = archive_write_new();
	struct buffer buffer = { 0 };
	int status = 0;

	if (!to)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (archive_write_set_format_mtree(to) != ARCHIVE_OK ||
	    archive_write_set_options(to, "!all,sha256") != ARCHIVE_OK ||
	    archive_write_open(to, &buffer, NULL, append, NULL) != ARCHIVE_OK ||
	    write_member(to, "file", data, size))
		status = -1;
	if (finish_writing(to, status, &buffer, error))
		return -1;

	const char *found = buffer.data ? strstr(buffer.data, key) : NULL;

	if (found && strspn(found + strlen(key), "0123456789abcdef") == GOLDEN_SHA256_SIZE - 1)
		snprintf(ret, GOLDEN_SHA256_SIZE, "%s", found + strlen(key));
	else
		status = error_set(error, ERROR_UNAVAILABLE, "", 0,
				   "this libarchive makes no SHA-256 sums");
	free(buffer.data);
	return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* The entry's data, however long its header says it is. */
static int read_member(struct archive *from, size_t room, char **ret, size_t *ret_size,
		       struct error *error)
{
	struct buffer buffer = { 0 };
	FREED char *block = malloc(BLOCK_BYTES);
	la_ssize_t n = -1;

	while (block && (n = archive_read_data(from, block, BLOCK_BYTES)) > 0) {
		if (buffer.size + (size_t)n > room) {
			error_set(error, ERROR_TEXT_SYNTAX, "", 0, "more than %zu bytes", room);
			goto bad;
		}
		if (append(from, &buffer, block, (size_t)n) < 0)
			break;
	}
	if (n) {
		error_set(error, ERROR_TEXT_SYNTAX, "", 0, "damaged: %.150s",
			  archive_error_string(from) ? archive_error_string(from) : "no memory");
		goto bad;
	}
	*ret = buffer.data ? buffer.data : calloc(1, 1);
	*ret_size = buffer.size;
	return *ret ? 0 : error_set(error, ERROR_MEMORY, "", 0, "out of memory");
bad:
	free(buffer.data);
	return -1;
}

/* Whether an entry is one that pack writes. */
static int check_entry(const struct golden_archive *archive, struct archive_entry *entry,
		       struct error *error)
{
	const char *name = archive_entry_pathname(entry);

	if (!name || !golden_name_is_plain(name))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "'%.100s' is no plain name",
				 name ? name : "");
	if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) ||
	    archive_entry_symlink(entry))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%.100s is no regular file",
				 name);
	if (golden_archive_find(archive, name))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%.100s is there twice", name);
	if (archive->count >= GOLDEN_MEMBER_COUNT_MAX)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "more than %d files",
				 GOLDEN_MEMBER_COUNT_MAX);
	return 0;
}

static int read_entries(struct archive *from, struct golden_archive *ret, struct error *error)
{
	struct archive_entry *entry;
	size_t total = 0, size;
	int status;
	char *data;

	while ((status = archive_read_next_header(from, &entry)) == ARCHIVE_OK) {
		size_t room = GOLDEN_TOTAL_BYTES_MAX - total;

		if (room > GOLDEN_MEMBER_BYTES_MAX)
			room = GOLDEN_MEMBER_BYTES_MAX;
		if (check_entry(ret, entry, error) ||
		    read_member(from, room, &data, &size, error) ||
		    golden_archive_add(ret, archive_entry_pathname(entry), data, size, error))
			return -1;
		total += size;
	}
	if (status != ARCHIVE_EOF)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "damaged: %.150s",
				 archive_error_string(from) ? archive_error_string(from) : "");
	return 0;
}

int golden_archive_read(const void *data, size_t size, struct golden_archive *ret,
			struct error *error)
{
	struct archive *from = archive_read_new();
	int status = -1;

	*ret = (struct golden_archive) { 0 };
	if (!from)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	archive_read_support_filter_xz(from);
	archive_read_support_format_tar(from);
	if (size > GOLDEN_ARCHIVE_BYTES_MAX)
		error_set(error, ERROR_TEXT_SYNTAX, "", 0, "more than %u bytes",
			  GOLDEN_ARCHIVE_BYTES_MAX);
	else if (archive_read_open_memory(from, data, size) != ARCHIVE_OK)
		error_set(error, ERROR_TEXT_SYNTAX, "", 0, "no .tar.xz: %.150s",
			  archive_error_string(from));
	else if (archive_filter_code(from, 0) != ARCHIVE_FILTER_XZ)
		error_set(error, ERROR_TEXT_SYNTAX, "", 0, "not compressed with xz");
	else
		status = read_entries(from, ret, error);
	archive_read_free(from);
	if (status)
		golden_archive_deinit(ret);
	return status;
}
