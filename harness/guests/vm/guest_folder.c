/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_folder.c - a directory of this machine, with all that is in it, for a guest
 *
 * Regular files (programs among them with what they need, if that is here), symbolic links as they
 * are, directories, empty ones too. Sockets, pipes and devices are left out, and so is what lies on
 * another file system. The whole goes through the guest's memory, so a directory that is too large
 * for that is an error.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "freed.h"
#include "guest_files.h"

#define FOLDER_BYTES_MAX (1ull << 30)
#define FOLDER_DEPTH_MAX 64

struct folder {
	struct guest_files *files;
	const char *top;
	dev_t device;
	uint64_t bytes;
	struct error *error;
};

static int add_folder(struct folder *folder, const char *host, const char *guest,
		      unsigned int depth);

static int add_link(struct folder *folder, const char *host, const char *guest)
{
	char target[PATH_MAX];
	ssize_t length = readlink(host, target, sizeof(target) - 1);

	if (length < 0)
		return error_set_errno(folder->error, "%s", host);
	target[length] = '\0';
	return guest_files_add_link(folder->files, guest, target, folder->error);
}

static int add_regular(struct folder *folder, const char *host, const char *guest, off_t size)
{
	struct error error;

	folder->bytes += (uint64_t)size;
	if (folder->bytes > FOLDER_BYTES_MAX)
		return error_set(
			folder->error, ERROR_UNAVAILABLE, "", 0,
			"%s has more than %llu MB: too much for a guest's memory; name what is "
			"needed of it",
			folder->top, FOLDER_BYTES_MAX >> 20);
	/* What lies about in a directory need not be able to run: it is in the list all the same. */
	if (!guest_files_add(folder->files, host, guest, &error) || !error_is_want(&error))
		return 0;
	*folder->error = error;
	return -1;
}

static int add_any(struct folder *folder, const char *host, const char *guest, unsigned int depth)
{
	struct stat st;

	if (lstat(host, &st))
		return error_set_errno(folder->error, "%s", host);
	if (st.st_dev != folder->device)
		return 0;
	if (S_ISDIR(st.st_mode))
		return add_folder(folder, host, guest, depth);
	if (S_ISLNK(st.st_mode))
		return add_link(folder, host, guest);
	return S_ISREG(st.st_mode) ? add_regular(folder, host, guest, st.st_size) : 0;
}

static int add_folder(struct folder *folder, const char *host, const char *guest,
		      unsigned int depth)
{
	struct dirent *entry;
	int status;

	if (depth > FOLDER_DEPTH_MAX)
		return error_set(folder->error, ERROR_UNAVAILABLE, "", 0,
				 "%s: directories nest too deep", folder->top);
	DIR_CLOSED DIR *dir = opendir(host);
	if (!dir)
		return error_set_errno(folder->error, "%s", host);
	status = guest_files_add_directory(folder->files, guest, folder->error);
	while (!status && (entry = readdir(dir))) {
		FREED char *below = NULL, *there = NULL;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (asprintf(&below, "%s/%s", host, entry->d_name) < 0 ||
		    asprintf(&there, "%s/%s", guest, entry->d_name) < 0)
			status = error_set(folder->error, ERROR_MEMORY, "", 0, "out of memory");
		else
			status = add_any(folder, below, there, depth + 1);
	}
	return status;
}

int guest_files_add_folder(struct guest_files *files, const char *host, const char *guest,
			   struct error *error)
{
	struct folder folder = { .files = files, .top = host, .error = error };
	struct stat st;

	if (stat(host, &st))
		return error_set_errno(error, "%s", host);
	folder.device = st.st_dev;
	return add_folder(&folder, host, guest, 0);
}
