/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * package.c - ELF files inside of Debian packages
 *
 * A .deb (deb(5)) is an ar archive whose member data.tar is compressed. There is no way to its n-th file but
 * through all before it, so it is read once, and what is an ELF file or a static library is copied
 * behind each other into a file that has no name: each image is then opened in a process of its own.
 * Only one block is in memory. Links name files that are there, or lie elsewhere: they are passed over.
 *
 * Sizes are what the package claims. One that is too large ends the reading: what lies behind it can't
 * be had without going through it.
 */
#include <ar.h>
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freed.h"
#include "base/cli/exit_status.h"
#include "package.h"

#define BLOCK_BYTES (64u << 10)
#define PAGE_BYTES  4096 /* static libraries are mapped */

static const char first_member[] = "debian-binary";

bool package_is(const char *path)
{
	char begin[SARMAG + sizeof(first_member) - 1];
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t size = fd < 0 ? -1 : read(fd, begin, sizeof(begin));

	return size == sizeof(begin) && !memcmp(begin, ARMAG, SARMAG) &&
	       !memcmp(begin + SARMAG, first_member, sizeof(first_member) - 1);
}

/* ---- the copy ----------------------------------------------------------------------------- */

static int copy_open(struct package_copy *copy, struct error *error)
{
	const char *directory = getenv("TMPDIR");

	if (!directory || !directory[0])
		directory = "/tmp";
	copy->fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (copy->fd < 0) {
		error_set_errno(error, "%s: a package's copy", directory);
		error_blame_environment(error);
		return -1;
	}
	snprintf(copy->path, sizeof(copy->path), "/proc/self/fd/%d", copy->fd);
	return 0;
}

void package_copy_close(struct package_copy *copy)
{
	if (copy->fd >= 0)
		close(copy->fd);
	copy->fd = -1;
}

/* ---- reading ------------------------------------------------------------------------------ */

struct unpacking {
	const char *path;
	struct archive *outer, *inner;
	char block[BLOCK_BYTES];
	struct package_copy *copy;
	uint64_t end;  /* of what was copied */
	uint64_t seen; /* bytes of all files */
	archive_member_fn fn;
	void *context;
	struct error *error;
};

static int damaged(struct unpacking *unpacking, struct archive *archive)
{
	const char *why = archive_error_string(archive);

	return error_set(unpacking->error,
			 archive_errno(archive) == ENOMEM ? ERROR_MEMORY : ERROR_NOT_ELF, NULL, 0,
			 "the package can't be read: %s", why ? why : "it ends too early");
}

static la_ssize_t read_outer(struct archive *inner, void *context, const void **ret_block)
{
	struct unpacking *unpacking = context;
	la_ssize_t n = archive_read_data(unpacking->outer, unpacking->block,
					 sizeof(unpacking->block));

	if (n < 0)
		archive_set_error(inner, EIO, "%s", archive_error_string(unpacking->outer));
	*ret_block = unpacking->block;
	return n;
}

static int open_outer(struct unpacking *unpacking)
{
	struct archive_entry *entry;
	int status;

	archive_read_support_format_ar(unpacking->outer);
	if (archive_read_open_filename(unpacking->outer, unpacking->path, BLOCK_BYTES))
		return damaged(unpacking, unpacking->outer);
	while (!(status = archive_read_next_header(unpacking->outer, &entry))) {
		const char *name = archive_entry_pathname(entry);

		if (name && !strncmp(name, "data.tar", strlen("data.tar")))
			return 0;
	}
	if (status != ARCHIVE_EOF)
		return damaged(unpacking, unpacking->outer);
	return error_set(unpacking->error, ERROR_NOT_ELF, NULL, 0, "the package has no data.tar");
}

/* Those that dpkg-deb writes. libarchive would start programs for others. */
static int open_inner(struct unpacking *unpacking)
{
	struct archive *inner = unpacking->inner;

	archive_read_support_filter_gzip(inner);
	archive_read_support_filter_bzip2(inner);
	archive_read_support_filter_xz(inner);
	archive_read_support_filter_lzma(inner);
	archive_read_support_filter_zstd(inner);
	archive_read_support_format_tar(inner);
	return archive_read_open(inner, unpacking, NULL, read_outer, NULL)
		       ? damaged(unpacking, inner)
		       : 0;
}

/* ---- one file ----------------------------------------------------------------------------- */

/* A member of a static library in the package. */
struct nested {
	struct unpacking *unpacking;
	const char *name;
};

static int give_nested(void *context, const char *name, enum archive_kind kind, uint64_t offset,
		       uint64_t size, struct error *error)
{
	struct nested *nested = context;
	struct unpacking *unpacking = nested->unpacking;
	FREED char *both = NULL;

	if (asprintf(&both, "%s(%s)", nested->name, name) < 0)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for a name");
	return unpacking->fn(unpacking->context, both, kind, offset, size, error);
}

static int give(struct unpacking *unpacking, const char *name, enum archive_kind kind,
		uint64_t size)
{
	struct nested nested = { unpacking, name };
	uint64_t start = unpacking->end;

	unpacking->end = (start + size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	if (kind == ARCHIVE_ELF)
		return unpacking->fn(unpacking->context, name, kind, start, size, unpacking->error);
	return archive_members_at(unpacking->copy->fd, start, size, give_nested, &nested,
				  unpacking->error);
}

static int write_block(struct unpacking *unpacking, const char *block, size_t size, uint64_t at)
{
	while (size) {
		ssize_t written = pwrite(unpacking->copy->fd, block, size, (off_t)at);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return error_set_errno(unpacking->error, "a package's copy");
		block += written;
		size -= (size_t)written;
		at += (size_t)written;
	}
	return 0;
}

/* All of the file is copied, if its beginning says that somebody wants it. */
static int copy_file(struct unpacking *unpacking, const char *name, uint64_t size)
{
	char block[BLOCK_BYTES];
	enum archive_kind kind = ARCHIVE_OTHER;
	uint64_t done = 0;
	la_ssize_t n;

	while (done < size && (n = archive_read_data(unpacking->inner, block, sizeof(block))) > 0) {
		if (!done)
			kind = archive_kind(block, (size_t)n);
		if (kind != ARCHIVE_ELF && kind != ARCHIVE_AR)
			return 0;
		if (write_block(unpacking, block, (size_t)n, unpacking->end + done))
			return -1;
		done += (uint64_t)n;
	}
	if (done < size)
		return damaged(unpacking, unpacking->inner);
	return kind == ARCHIVE_OTHER ? 0 : give(unpacking, name, kind, size);
}

static int take_entry(struct unpacking *unpacking, struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);
	int64_t size = archive_entry_size(entry);

	if (!name || archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
		return 0;
	name += !strncmp(name, "./", 2) ? 2 : 0;
	if (size < 0 || size > PACKAGE_MEMBER_MAX)
		return error_set(unpacking->error, ERROR_TABLE_LIMIT, NULL, 0,
				 "the package's %s claims %" PRId64
				 " bytes, more than are read of one file",
				 name, size);
	unpacking->seen += (uint64_t)size;
	if (unpacking->seen > PACKAGE_BYTES_MAX)
		return error_set(unpacking->error, ERROR_TABLE_LIMIT, NULL, 0,
				 "the package claims more bytes than are read of one");
	return copy_file(unpacking, name, (uint64_t)size);
}

static int each_entry(struct unpacking *unpacking)
{
	struct archive_entry *entry;
	int status, result = 0;

	if (open_outer(unpacking) || open_inner(unpacking))
		return -1;
	while (!result && !(status = archive_read_next_header(unpacking->inner, &entry)))
		result = take_entry(unpacking, entry);
	return result || status == ARCHIVE_EOF ? result : damaged(unpacking, unpacking->inner);
}

int package_unpack(const char *path, struct package_copy *ret, archive_member_fn fn, void *context,
		   struct error *error)
{
	FREED struct unpacking *unpacking = calloc(1, sizeof(*unpacking));
	int result = -1;

	ret->fd = -1;
	if (!unpacking)
		return error_set(error, ERROR_MEMORY, NULL, 0, "a package");
	*unpacking =
		(struct unpacking) { .path = path,
				     .outer = archive_read_new(),
				     .inner = archive_read_new(),
				     .copy = ret,
				     .end = PAGE_BYTES, /* 0 is no place in an archive either */
				     .fn = fn,
				     .context = context,
				     .error = error };
	if (!unpacking->outer || !unpacking->inner)
		error_set(error, ERROR_MEMORY, NULL, 0, "a package");
	else if (!copy_open(ret, error))
		result = each_entry(unpacking);
	archive_read_free(unpacking->inner);
	archive_read_free(unpacking->outer);
	return result;
}
