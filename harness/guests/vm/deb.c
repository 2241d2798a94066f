/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * deb.c - files out of a Debian package
 *
 * A .deb (deb(5)) is an ar archive with a member data.tar, compressed in one of several ways: one
 * archive within another, and libarchive reads both. The inner one is read straight from the outer
 * one's blocks, so nothing but what is wanted is ever written.
 *
 * The package is not checked here: apt has done that.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "deb.h"

#define BLOCK_BYTES (64u << 10)
#define IMAGE_MAX   (256u << 20)

struct outer {
	struct archive *archive;
	char block[BLOCK_BYTES];
};

static la_ssize_t read_outer(struct archive *inner, void *context, const void **ret_block)
{
	struct outer *outer = context;
	la_ssize_t n = archive_read_data(outer->archive, outer->block, sizeof(outer->block));

	if (n < 0)
		archive_set_error(inner, EIO, "%s", archive_error_string(outer->archive));
	*ret_block = outer->block;
	return n;
}

static int open_outer(struct outer *outer, const char *deb, struct error *error)
{
	struct archive_entry *entry;

	archive_read_support_format_ar(outer->archive);
	if (archive_read_open_filename(outer->archive, deb, BLOCK_BYTES) != ARCHIVE_OK)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.100s: %.100s", deb,
				 archive_error_string(outer->archive));
	while (archive_read_next_header(outer->archive, &entry) == ARCHIVE_OK) {
		if (!strncmp(archive_entry_pathname(entry), "data.tar", 8))
			return 0;
	}
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s has no data.tar", deb);
}

/* boot/vmlinuz-VERSION, or usr/lib/modules/VERSION/vmlinuz in newer packages. */
static bool is_kernel(struct archive_entry *entry)
{
	const char *path = archive_entry_pathname(entry), *base;

	if (!path || archive_entry_filetype(entry) != AE_IFREG)
		return false;
	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	return !strcmp(base, "vmlinuz") || (!strncmp(base, "vmlinuz-", 8) && strstr(path, "boot/"));
}

static int write_image(struct archive *archive, const char *path, struct error *error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), ret = -1;
	size_t total = 0, size;
	const void *block;
	la_int64_t offset;
	int status;

	if (fd < 0)
		return error_set_errno(error, "can't create %.150s", path);
	while ((status = archive_read_data_block(archive, &block, &size, &offset)) == ARCHIVE_OK) {
		total += size;
		if (total > IMAGE_MAX) {
			error_set(error, ERROR_UNAVAILABLE, "", 0, "the kernel image is too big");
			goto out;
		}
		if (pwrite(fd, block, size, offset) != (ssize_t)size) {
			error_set_errno(error, "can't write %.150s", path);
			goto out;
		}
	}
	if (status != ARCHIVE_EOF) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "the package is damaged: %.150s",
			  archive_error_string(archive));
		goto out;
	}
	ret = 0;
out:
	if (close(fd) && !ret)
		ret = error_set_errno(error, "can't write %.150s", path);
	return ret;
}

/* What is wanted of a package: one kernel image, or all that have a place below a folder. */
struct wanted {
	const char *path; /* of the image, or of the folder */
	deb_place *place; /* NULL: the image */
	struct archive *disk;
};

static int write_below(struct archive *inner, struct archive_entry *entry,
		       const struct wanted *wanted, struct error *error)
{
	const char *path = archive_entry_pathname(entry), *link = archive_entry_hardlink(entry);
	int type = archive_entry_filetype(entry), length;
	char place[256], whole[PATH_MAX];

	if (!path || link || (type != AE_IFREG && type != AE_IFLNK))
		return 0;
	path += strncmp(path, "./", 2) ? 0 : 2;
	if (!wanted->place(path, place, sizeof(place)))
		return 0;
	length = snprintf(whole, sizeof(whole), "%s/%s", wanted->path, place);
	if (length >= (int)sizeof(whole))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s: path too long", place);
	archive_entry_copy_pathname(entry, whole);
	archive_entry_set_perm(entry, archive_entry_perm(entry) & 0777);
	if (archive_read_extract2(inner, entry, wanted->disk) != ARCHIVE_OK)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "can't unpack %.80s: %.100s",
				 place, archive_error_string(inner));
	return 0;
}

static int extract(struct archive *inner, struct outer *outer, const struct wanted *wanted,
		   struct error *error)
{
	struct archive_entry *entry;
	int status;

	archive_read_support_filter_all(inner);
	archive_read_support_format_tar(inner);
	status = archive_read_open(inner, outer, NULL, read_outer, NULL);
	while (status == ARCHIVE_OK &&
	       (status = archive_read_next_header(inner, &entry)) == ARCHIVE_OK) {
		if (wanted->place && write_below(inner, entry, wanted, error))
			return -1;
		if (!wanted->place && is_kernel(entry))
			return write_image(inner, wanted->path, error);
	}
	if (status != ARCHIVE_EOF)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "the package is damaged: %.150s",
				 archive_error_string(inner));
	return wanted->place ? 0
			     : error_set(error, ERROR_UNAVAILABLE, "", 0,
					 "the package holds no kernel image");
}

static int open_and_extract(const char *deb, const struct wanted *wanted, struct error *error)
{
	struct outer outer = { .archive = archive_read_new() };
	struct archive *inner = archive_read_new();
	int ret = -1;

	if (!outer.archive || !inner)
		error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	else if (!open_outer(&outer, deb, error))
		ret = extract(inner, &outer, wanted, error);
	archive_read_free(inner);
	archive_read_free(outer.archive);
	return ret;
}

int deb_extract_kernel(const char *deb, const char *path, struct error *error)
{
	return open_and_extract(deb, &(struct wanted) { .path = path }, error);
}

int deb_unpack(const char *deb, const char *folder, deb_place *place, struct error *error)
{
	struct wanted wanted = { folder, place, archive_write_disk_new() };
	int ret;

	if (!wanted.disk)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	archive_write_disk_set_options(wanted.disk, ARCHIVE_EXTRACT_PERM |
							    ARCHIVE_EXTRACT_SECURE_NODOTDOT |
							    ARCHIVE_EXTRACT_SECURE_SYMLINKS);
	ret = open_and_extract(deb, &wanted, error);
	if (archive_write_free(wanted.disk) != ARCHIVE_OK && !ret)
		ret = error_set(error, ERROR_UNAVAILABLE, "", 0, "can't write below %.150s",
				folder);
	return ret;
}
