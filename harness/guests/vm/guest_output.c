/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_output.c - unpacks the files that came back from a guest
 *
 * The guest ran somebody's command as root, so its names are distrusted: none may be absolute, go
 * up, or go through a symbolic link (libarchive's SECURE flags hold the whole path against that,
 * hence the folder's real path). Owners are this machine's user; devices are not made.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "freed.h"
#include "guest_output.h"

#define FLAGS                                                                                      \
	(ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_SECURE_NODOTDOT |                                  \
	 ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_UNLINK)

/* 1: it can't be written. -1: it can't be read. */
static int copy_data(struct archive *from, struct archive *to)
{
	const void *block;
	size_t size;
	la_int64_t offset;
	int status;

	while ((status = archive_read_data_block(from, &block, &size, &offset)) == ARCHIVE_OK)
		if (archive_write_data_block(to, block, size, offset) < ARCHIVE_OK)
			return 1;
	return status == ARCHIVE_EOF ? 0 : -1;
}

static int unreadable(struct archive *from, struct error *error)
{
	return error_set(error, ERROR_PROTOCOL, "", 0, "the guest's files can't be read: %s",
			 archive_error_string(from));
}

static bool leads_out(const char *name)
{
	size_t length;

	if (*name == '/')
		return true;
	for (; *name; name += length + (name[length] == '/')) {
		length = strcspn(name, "/");
		if (length == 2 && !strncmp(name, "..", 2))
			return true;
	}
	return false;
}

/* Whether the name is the expected one, or below it. */
static bool is_below(const char *name, const char *only)
{
	size_t length = strlen(only);

	return !strncmp(name, only, length) && (!name[length] || name[length] == '/');
}

static int unpack_entry(struct archive *from, struct archive_entry *entry, struct archive *to,
			const char *folder, const char *only, struct error *error)
{
	const char *name = archive_entry_pathname(entry);
	mode_t type = archive_entry_filetype(entry);
	FREED char *path = NULL;
	int status = 0, copied = 1;

	if (!name || leads_out(name))
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "the guest sent a file whose name leads out of the folder: %s",
				 name ? name : "?");
	if (only && !is_below(name, only))
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "the guest sent a file that it was not asked for: %s", name);
	if (type != AE_IFREG && type != AE_IFDIR && type != AE_IFLNK)
		return 0;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	archive_entry_copy_pathname(entry, path);
	archive_entry_set_perm(entry, archive_entry_perm(entry) & 0777);
	if (archive_write_header(to, entry) < ARCHIVE_OK || (copied = copy_data(from, to)) > 0 ||
	    archive_write_finish_entry(to) < ARCHIVE_OK)
		status = error_set(error, ERROR_UNAVAILABLE, "", 0, "can't write %s: %s", path,
				   archive_error_string(to));
	else if (copied)
		status = unreadable(from, error);
	return status;
}

static int unpack(struct archive *from, struct archive *to, const char *folder, const char *only,
		  size_t *ret_files, struct error *error)
{
	struct archive_entry *entry;
	int status;

	while ((status = archive_read_next_header(from, &entry)) == ARCHIVE_OK) {
		if (unpack_entry(from, entry, to, folder, only, error))
			return -1;
		*ret_files += archive_entry_filetype(entry) == AE_IFREG;
	}
	return status == ARCHIVE_EOF ? 0 : unreadable(from, error);
}

int guest_output_unpack(const void *archive, size_t size, const char *folder, const char *only,
			size_t *ret_files, struct error *error)
{
	struct archive *from = archive_read_new(), *to = archive_write_disk_new();
	FREED char *real = NULL;
	int status = -1;

	*ret_files = 0;
	if (mkdir(folder, 0777) && errno != EEXIST)
		error_set_errno(error, "can't make the folder %s", folder);
	else if (!(real = realpath(folder, NULL)))
		error_set_errno(error, "%s", folder);
	else if (!from || !to)
		error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	else if (!size)
		status = 0; /* nothing was written */
	else if (archive_read_support_format_cpio(from) != ARCHIVE_OK ||
		 archive_read_open_memory(from, archive, size) != ARCHIVE_OK)
		unreadable(from, error);
	else {
		archive_write_disk_set_options(to, FLAGS);
		status = unpack(from, to, real, only, ret_files, error);
	}
	if (from)
		archive_read_free(from);
	if (to && archive_write_free(to) != ARCHIVE_OK && !status)
		status = error_set(error, ERROR_UNAVAILABLE, "", 0, "can't write below %s", folder);
	return status;
}
