/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * root_image.c - a folder that holds a whole system -> an ext4 image, kept in the cache
 *
 *	roots/KEY.img	an image, sparse; KEY is what root_walk() says of the folder
 *	roots/in-use	locked while an image is looked for, made or removed
 *
 * An image is made once and then only read: what a guest writes goes into a file of QEMU's that nobody else sees
 * (qemu_command.c). So it has no journal, and what it has of checksums would only cost time. Its free space is a hole.
 *
 * The images have ROOTS_MB_MAX together: those that were not used for the longest time are removed first, but
 * never the one that was asked for. A guest that runs keeps its image, since it is open.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/child/subprocess.h"
#include "cache.h"
#include "clock.h"
#include "freed.h"
#include "plain_text.h"
#include "root_image.h"

#define ROOT_FREE_BYTES	    (4ull << 30) /* for what the guest writes */
#define ROOT_FREE_INODES    262144
#define ROOT_GB_MAX	    1024
#define ROOTS_MB_MAX	    8192
#define ROOT_INODE_BYTES    256
#define METADATA_SHARE	    32 /* one block in so many, beside inodes: extents, bitmaps, descriptors */
#define BYTES_PER_STAT_UNIT 512
#define LARGE_BYTES	    (256ull << 20) /* takes seconds */

struct making {
	const char *folder;
	char cache[PATH_MAX];
	char image[PATH_MAX];
	struct root_contents contents;
};

/* ---- the cache -------------------------------------------------------------------------- */

/* The lock is held until the descriptor is closed, also against other threads. */
static int lock_cache(struct making *making, struct error *error)
{
	char path[PATH_MAX];
	int fd;

	if (cache_path("roots", making->cache, sizeof(making->cache), error) ||
	    make_directories(making->cache, error))
		return -1;
	snprintf(path, sizeof(path), "%.4000s/in-use", making->cache);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd >= 0 && !flock(fd, LOCK_EX))
		return fd;
	error_set_errno(error, "can't lock %.150s", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Removes what an earlier process left when it was killed; nobody makes an image now. */
static void remove_unfinished(const struct making *making)
{
	DIR_CLOSED DIR *dir = opendir(making->cache);
	struct dirent *entry;
	char path[PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		const char *end = strrchr(entry->d_name, '.');

		if (!end || strcmp(end, ".new"))
			continue;
		snprintf(path, sizeof(path), "%.3800s/%s", making->cache, entry->d_name);
		remove_tree(path);
	}
}

/* The oldest image but the one that is kept. Returns what all of them take. */
static uint64_t find_oldest(const struct making *making, char *ret, size_t size)
{
	DIR_CLOSED DIR *dir = opendir(making->cache);
	struct timespec oldest = { 0 };
	struct dirent *entry;
	uint64_t bytes = 0;

	*ret = '\0';
	while (dir && (entry = readdir(dir))) {
		const char *end = strrchr(entry->d_name, '.');
		char path[PATH_MAX];
		struct stat st;

		snprintf(path, sizeof(path), "%.3800s/%s", making->cache, entry->d_name);
		if (!end || strcmp(end, ".img") || stat(path, &st))
			continue;
		bytes += (uint64_t)st.st_blocks * BYTES_PER_STAT_UNIT;
		if (!strcmp(path, making->image) ||
		    (*ret &&
		     (st.st_mtim.tv_sec > oldest.tv_sec || (st.st_mtim.tv_sec == oldest.tv_sec &&
							    st.st_mtim.tv_nsec >= oldest.tv_nsec))))
			continue;
		oldest = st.st_mtim;
		snprintf(ret, size, "%s", path);
	}
	return bytes;
}

static void trim_cache(const struct making *making)
{
	char oldest[PATH_MAX];

	while (find_oldest(making, oldest, sizeof(oldest)) >> 20 > ROOTS_MB_MAX && *oldest)
		if (unlink(oldest))
			return;
}

/* ---- mke2fs ----------------------------------------------------------------------------- */

static int run_mke2fs(const struct making *making, const char *folder, const char *image,
		      struct error *error)
{
	uint64_t inodes = making->contents.all + ROOT_FREE_INODES;
	uint64_t bytes = making->contents.bytes + making->contents.bytes / METADATA_SHARE +
			 inodes * ROOT_INODE_BYTES + ROOT_FREE_BYTES;
	char blocks[32], count[32], reason[160];
	char *const argv[] = { "mke2fs",
			       "-q",
			       "-F",
			       "-t",
			       "ext4",
			       "-b",
			       "4096",
			       "-m",
			       "0",
			       "-I",
			       "256",
			       "-O",
			       "^has_journal,^metadata_csum,uninit_bg,^resize_inode",
			       "-E",
			       "lazy_itable_init=1,nodiscard",
			       "-N",
			       count,
			       "-d",
			       (char *)folder,
			       (char *)image,
			       blocks,
			       NULL };
	FREED char *output = NULL;
	int status;

	if (bytes >> 30 > ROOT_GB_MAX)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "%.100s has more than %d GB: too much for an image",
				 making->folder, ROOT_GB_MAX);
	snprintf(blocks, sizeof(blocks), "%" PRIu64, bytes / ROOT_BLOCK_BYTES);
	snprintf(count, sizeof(count), "%" PRIu64, inodes);
	status = subprocess_run(argv, NULL, &output, error);
	if (status == CHILD_NOT_RUN)
		return error_set(
			error, ERROR_UNAVAILABLE, "", 0,
			"a root needs mke2fs (package e2fsprogs), which can't be run here");
	if (status > 0) {
		subprocess_reason(output, reason, sizeof(reason));
		error_set(error, ERROR_UNAVAILABLE, "", 0, "no image of %.60s: mke2fs: %s",
			  making->folder, reason);
	}
	return status ? -1 : 0;
}

/* mke2fs gives up at the first file that it can't read, and goes into what is mounted. */
static int make_by_copy(const struct making *making, const char *image, struct error *error)
{
	char copy[PATH_MAX];
	int status;

	snprintf(copy, sizeof(copy), "%.4000s/copy.new", making->cache);
	status = root_staging_make(making->folder, &making->contents, copy, error) ||
		 run_mke2fs(making, copy, image, error) ||
		 root_staging_own(making->folder, image, error);
	remove_tree(copy);
	return status ? -1 : 0;
}

static int make_image(const struct making *making, struct error *error)
{
	struct root_contents after;
	char image[PATH_MAX];
	int status;

	snprintf(image, sizeof(image), "%.4000s/image.new", making->cache);
	remove_unfinished(making);
	if (making->contents.bytes > LARGE_BYTES)
		fprintf(stderr, "stackproof: an image of %s is made, of %" PRIu64 " MB\n",
			PLAIN_TEXT(making->folder), making->contents.bytes >> 20);
	status = making->contents.unreadable || making->contents.elsewhere
			 ? make_by_copy(making, image, error)
			 : run_mke2fs(making, making->folder, image, error);
	if (!status)
		status = root_walk(making->folder, NULL, NULL, &after, error);
	if (!status && after.key != making->contents.key)
		status = error_set(error, ERROR_UNAVAILABLE, "", 0,
				   "%.100s changed while its image was made", making->folder);
	if (!status && rename(image, making->image))
		status = error_set_errno(error, "can't write %.150s", making->image);
	if (status)
		unlink(image);
	return status;
}

int root_image_open(const char *folder, int *ret_fd, struct guest_root *ret, struct error *error)
{
	struct making making = { .folder = folder };
	uint64_t begin = monotonic_ns();
	int status = 0;

	*ret = (struct guest_root) { 0 };
	if (root_walk(folder, NULL, NULL, &making.contents, error))
		return -1;
	FD_CLOSED int lock = lock_cache(&making, error);
	if (lock < 0)
		return -1;
	snprintf(making.image, sizeof(making.image), "%.3800s/%016" PRIx64 ".img", making.cache,
		 making.contents.key);
	*ret_fd = open(making.image, O_RDONLY | O_CLOEXEC);
	ret->cached = *ret_fd >= 0;
	if (!ret->cached) {
		status = make_image(&making, error);
		*ret_fd = status ? -1 : open(making.image, O_RDONLY | O_CLOEXEC);
		if (!status && *ret_fd < 0)
			status = error_set_errno(error, "%.150s", making.image);
	}
	utimensat(AT_FDCWD, making.image, NULL, 0); /* it was used now */
	trim_cache(&making);
	ret->files = making.contents.entries;
	ret->bytes = making.contents.bytes;
	ret->unreadable = making.contents.unreadable;
	ret->elsewhere = making.contents.elsewhere;
	memcpy(ret->unreadable_first, making.contents.first, sizeof(ret->unreadable_first));
	ret->image_ms = (unsigned)((monotonic_ns() - begin) / 1000000);
	return status;
}
