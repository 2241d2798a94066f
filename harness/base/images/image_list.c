/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_list.c - the ELF files that a command line means
 *
 * A directory stands for every ELF file below it, in archives (.a, .rlib) and Debian packages, too. Distributions give
 * one file many names: links are not followed inside directories, and of several hard links one
 * remains, so that each file counts once. What is no ELF file below a directory is not mentioned,
 * and what can't be read there is counted; what is named is always kept, and whoever opens it says
 * what is wrong with it.
 */
#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array.h"
#include "base/cli/output_file.h"
#include "image_list.h"

static void free_path(struct image_path *image)
{
	free(image->path);
	free(image->error);
}

static int add(struct image_list *list, const char *path, const struct stat *status, bool named,
	       struct error *error)
{
	char *copy = strdup(path);
	const struct image_path image = {
		.path = copy,
		.bytes = (uint64_t)status->st_size,
		.named = named,
		.device = status->st_dev,
		.inode = status->st_ino,
	};

	if (!copy || !ARRAY_ADD(list->image, list->count, image)) {
		free(copy);
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for a list of files");
	}
	return 0;
}

/* What a file says it is. False: it can't be read. */
static bool read_kind(const char *path, enum archive_kind *ret)
{
	char magic[SARMAG];
	ssize_t size;
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return false;
	size = read(fd, magic, sizeof(magic));
	if (size >= 0)
		*ret = archive_kind(magic, (size_t)size);
	return size >= 0;
}

/* Whose members are added. */
struct archive {
	struct image_list *list;
	const char *path;
	const struct stat *status;
	bool named;
	const char *copy;   /* of a package's files, or NULL */
	const char *member; /* only what is called so; NULL: all */
};

static int add_member(void *context, const char *name, enum archive_kind kind, uint64_t offset,
		      uint64_t size, struct error *error)
{
	struct archive *archive = context;
	struct image_path *image;
	FREED char *path = NULL;

	if (archive->member && strcmp(archive->member, name))
		return 0;
	if (kind != ARCHIVE_ELF) {
		archive->list->bitcode += kind == ARCHIVE_BITCODE;
		archive->list->nested_archives += kind != ARCHIVE_BITCODE;
		return 0;
	}
	if (asprintf(&path, "%s(%s)", archive->path, name) < 0)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for a list of files");
	if (add(archive->list, path, archive->status, archive->named, error))
		return -1;
	image = &archive->list->image[archive->list->count - 1];
	image->bytes = size;
	image->offset = offset;
	image->archive_length = strlen(archive->path);
	image->copy = archive->copy;
	return 0;
}

/* A Debian package's ELF files. */
static int add_package(struct archive *archive, const char *open_path, struct error *error)
{
	struct image_list *list = archive->list;
	struct package_copy *copy = malloc(sizeof(*copy));

	if (!copy || !ARRAY_ADD(list->copy, list->copy_count, copy)) {
		free(copy);
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for a list of files");
	}
	archive->copy = copy->path;
	return package_unpack(open_path, copy, add_member, archive, error);
}

/* Of an archive or a package, as archive_members(). */
static int add_members(struct archive *archive, const char *open_path, struct error *error)
{
	if (!package_is(open_path))
		return archive_members(open_path, add_member, archive, error);
	return add_package(archive, open_path, error) ? -1 : 1;
}

/* One below a directory. What is wrong with it is for who opens it. */
static int add_archive(struct image_list *list, const char *path, const char *open_path,
		       const struct stat *status, struct error *error)
{
	struct archive archive = { list, path, status, false, NULL, NULL };
	struct error *why;

	if (add_members(&archive, open_path, error) >= 0)
		return 0;
	if (error->code == ERROR_MEMORY)
		return -1;
	why = malloc(sizeof(*why));
	if (!why)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for a list of files");
	*why = *error;
	if (add(list, path, status, false, error)) {
		free(why);
		return -1;
	}
	list->image[list->count - 1].error = why;
	return 0;
}

/* A regular file below a directory. */
static int add_found(struct image_list *list, const FTSENT *entry, struct error *error)
{
	const struct stat *status = entry->fts_statp;
	enum archive_kind kind;

	if (!read_kind(entry->fts_accpath, &kind)) {
		list->unreadable++;
		return 0;
	}
	switch (kind) {
	case ARCHIVE_ELF: return add(list, entry->fts_path, status, false, error);
	case ARCHIVE_AR:
		return add_archive(list, entry->fts_path, entry->fts_accpath, status, error);
	case ARCHIVE_THIN: list->thin_archives++; return 0;
	case ARCHIVE_BITCODE:
	case ARCHIVE_OTHER: break;
	}
	return 0;
}

static int add_directory(struct image_list *list, const char *path, struct error *error)
{
	char *roots[] = { (char *)path, NULL }; /* fts wants it so, and leaves it alone */
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	int result = 0;
	FTSENT *entry;

	if (!tree)
		return error_set_errno(error, "%s", path);
	while (!result && (entry = fts_read(tree))) {
		if ((entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) &&
		    entry->fts_level == FTS_ROOTLEVEL) {
			errno = entry->fts_errno;
			result = error_set_errno(error, "%s", path);
		} else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR ||
			   entry->fts_info == FTS_NS) {
			list->unreadable++;
		} else if (entry->fts_info == FTS_F) {
			result = add_found(list, entry, error);
		}
	}
	fts_close(tree);
	return result;
}

int image_list_members(struct image_list *list, const char *path, struct error *error)
{
	struct stat status;
	struct archive archive = { list, path, &status, true, NULL, NULL };

	return stat(path, &status) ? 0 : add_members(&archive, path, error);
}

/* A name as lists have it, "lib.a(member.o)", where no file is called so. 1; 0: it is none, or there is no such
 * member; or -1. */
static int add_named_member(struct image_list *list, const char *path, struct error *error)
{
	const char *open = strchr(path, '(');
	size_t count = list->count, length = strlen(path);
	struct stat status;
	struct archive archive = { list, NULL, &status, true, NULL, NULL };
	FREED char *file = NULL, *member = NULL;
	int result = 0;

	if (!open || path[length - 1] != ')')
		return 0;
	file = strndup(path, (size_t)(open - path));
	member = strndup(open + 1, (size_t)(path + length - 1 - open - 1));
	archive.path = file;
	archive.member = member;
	if (!file || !member)
		result = error_set(error, ERROR_MEMORY, NULL, 0, "no memory for a list of files");
	else if (!stat(file, &status) && S_ISREG(status.st_mode))
		result = add_members(&archive, file, error);
	if (result >= 0)
		return list->count > count;
	/* What was read until it failed is not what was asked for. */
	return list->count > count && error->code != ERROR_MEMORY ? 1 : -1;
}

/* All that something stands for. */
static uint64_t sum_of(const struct image_list *list)
{
	return list->count + list->unreadable + list->thin_archives + list->bitcode +
	       list->nested_archives;
}

int image_list_add(struct image_list *list, const char *path, struct error *error)
{
	uint64_t before = sum_of(list);
	struct stat status;
	int result;

	if (stat(path, &status)) {
		int why = errno;

		result = why == ENOENT || why == ENOTDIR ? add_named_member(list, path, error) : 0;
		errno = why;
		return result > 0 ? 0 : result ? -1 : error_set_errno(error, "%s", path);
	}
	if (S_ISDIR(status.st_mode)) {
		result = add_directory(list, path, error);
		list->empty += !result && sum_of(list) == before;
		return result;
	}
	result = image_list_members(list, path, error);
	list->empty += result > 0 && sum_of(list) == before;
	if (result < 0) { /* libelf's words have no name */
		struct error why = *error;
		return error_set(error, why.code, NULL, why.offset, "%s: %s", path, why.message);
	}
	return result ? 0 : add(list, path, &status, true, error);
}

/* One file's names together; named ones first. */
static int by_file(const void *a, const void *b)
{
	const struct image_path *left = a, *right = b;

	if (left->device != right->device)
		return left->device < right->device ? -1 : 1;
	if (left->inode != right->inode)
		return left->inode < right->inode ? -1 : 1;
	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	if (left->named != right->named)
		return left->named ? -1 : 1;
	return strcmp(left->path, right->path);
}

static int by_path(const void *a, const void *b)
{
	const struct image_path *left = a, *right = b;

	return strcmp(left->path, right->path);
}

bool image_list_is_written(const struct image_list *list, const char *const *output, size_t outputs)
{
	return ARRAY_ANY(list->count, i,
			 output_files_have(output, outputs, list->image[i].device,
					   list->image[i].inode)) ||
	       output_files_are_one(output, outputs);
}

void image_list_finish(struct image_list *list, unsigned int every)
{
	size_t count = 0, found = 0;

	if (!list->count)
		return;
	qsort(list->image, list->count, sizeof(*list->image), by_file);
	for (size_t i = 0; i < list->count; i++) {
		struct image_path *image = &list->image[i], *last = list->image + count - 1;

		if (count && last->device == image->device && last->inode == image->inode &&
		    last->offset == image->offset)
			free_path(image);
		else
			list->image[count++] = *image;
	}
	list->count = count;
	qsort(list->image, count, sizeof(*list->image), by_path);
	count = 0;
	for (size_t i = 0; i < list->count; i++)
		if (list->image[i].named || found++ % every == 0)
			list->image[count++] = list->image[i];
		else
			free_path(&list->image[i]);
	list->count = count;
}

int image_path_open(const struct image_path *path, struct opened_image *ret, struct error *error)
{
	*ret = (struct opened_image) { .file = path->path };
	if (path->error) {
		*error = *path->error;
		return -1;
	}
	if (!path->archive_length)
		return image_create(path->path, &ret->image, error);
	FREED char *archive = path->copy ? strdup(path->copy)
					 : strndup(path->path, path->archive_length);
	if (!archive)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for a path");
	int result = archive_copy_open(archive, path->offset, path->bytes, &ret->copy, error);
	if (result)
		return -1;
	void *data = mmap(NULL, path->bytes, PROT_READ, MAP_PRIVATE, ret->copy.fd, 0);
	if (data == MAP_FAILED)
		result = error_set_errno(error, "mmap");
	else
		result = image_create_memory(data, path->bytes, path->path, &ret->image, error);
	if (data != MAP_FAILED)
		munmap(data, path->bytes);
	ret->file = ret->copy.path;
	if (result)
		image_path_close(ret);
	return result;
}

void image_path_close(struct opened_image *opened)
{
	image_destroy(opened->image);
	archive_copy_close(&opened->copy);
	opened->image = NULL;
}

void image_list_deinit(struct image_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free_path(&list->image[i]);
	free(list->image);
	for (size_t i = 0; i < list->copy_count; i++) {
		package_copy_close(list->copy[i]);
		free(list->copy[i]);
	}
	free(list->copy);
	*list = (struct image_list) { 0 };
}
