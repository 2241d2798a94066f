/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_folder.c - a dispute's images as files, for engines that open what is mapped
 *
 * In a private folder, named by their numbers: whatever an image was called where the point was, here
 * that name is not a path. What is not kept of an image is a hole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/cli/own_folder.h"
#include "disputes.h"

int dispute_folder_create(struct dispute_folder *ret, struct error *error)
{
	ret->path = own_folder_create("case", error);
	return ret->path ? 0 : -1;
}

char *dispute_folder_image(const struct dispute_folder *folder, size_t number)
{
	char *path;

	return asprintf(&path, "%s/image-%zu", folder->path, number) < 0 ? NULL : path;
}

void dispute_folder_deinit(struct dispute_folder *folder)
{
	own_folder_remove(folder->path);
	folder->path = NULL;
}

int dispute_folder_make(const struct dispute_folder *folder, size_t number, uint64_t bytes,
			struct error *error)
{
	FREED char *path = dispute_folder_image(folder, number);
	int fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

	if (fd < 0 || ftruncate(fd, (off_t)bytes)) {
		error_set_errno(error, "image %zu of a case", number);
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	return fd;
}

static int write_all(int fd, const uint8_t *bytes, uint64_t offset, uint64_t size)
{
	while (size) {
		ssize_t written = pwrite(fd, bytes + offset, size, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return -1;
		offset += (uint64_t)written;
		size -= (uint64_t)written;
	}
	return 0;
}

int dispute_folder_fill(const struct dispute_folder *folder, const struct dispute *dispute,
			struct error *error)
{
	for (size_t i = 0; i < dispute->image_count; i++) {
		const struct dispute_image *image = &dispute->image[i];
		int fd = dispute_folder_make(folder, i, image->file_bytes, error);
		int status = fd < 0 ? -1 : 0;

		for (size_t at = 0; !status && at < image->range_count; at++) {
			status = write_all(fd, image->bytes, image->range[at].offset,
					   image->range[at].size);
			if (status)
				error_set_errno(error, "image %zu of a case", i);
		}
		if (fd >= 0 && close(fd) && !status)
			status = error_set_errno(error, "image %zu of a case", i);
		if (status)
			return -1;
	}
	return 0;
}
