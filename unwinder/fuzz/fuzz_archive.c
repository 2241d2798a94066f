/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_archive.c - bytes as an archive, or as a Debian package, and the ELF files in it
 *
 * Whatever the bytes are, each member lies in the file, or in the copy that was made of a package;
 * its name is made of the file's and its own; and it is opened as an image, or there is an error with a code and
 * a sentence.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fuzz.h"
#include "base/images/image_list.h"

static uint64_t file_bytes(const char *path)
{
	struct stat status;

	fuzz_require(!stat(path, &status), "%s can't be looked at", path);
	return (uint64_t)status.st_size;
}

static void check_member(const struct image_path *member, const char *path)
{
	uint64_t room = file_bytes(member->copy ? member->copy : path);
	struct opened_image opened;
	struct error error;

	fuzz_require(!strncmp(member->path, path, strlen(path)), "%s of %s", member->path, path);
	if (member->error) {
		fuzz_require(member->error->code && *member->error->message, "no error");
		return;
	}
	fuzz_require(member->offset <= room && member->bytes <= room - member->offset,
		     "%s reaches past the end", member->path);
	if (image_path_open(member, &opened, &error)) {
		fuzz_require(error.code && *error.message, "%s: no error", member->path);
		return;
	}
	fuzz_require(!strcmp(opened.image->path, member->path), "it is called %s",
		     opened.image->path);
	image_path_close(&opened);
}

int fuzz_archive(const uint8_t *data, size_t size)
{
	int file = memfd_create("archive", MFD_CLOEXEC);
	struct image_list list = { .count = 0 };
	struct error error;
	char path[64];

	fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size, "no file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	switch (image_list_members(&list, path, &error)) {
	case 1: break;
	case 0: fuzz_require(!list.count, "%zu members of what is no archive", list.count); break;
	default: fuzz_require(error.code && *error.message, "no error"); break;
	}
	for (size_t i = 0; i < list.count; i++)
		check_member(&list.image[i], path);
	image_list_deinit(&list);
	close(file);
	return 0;
}
