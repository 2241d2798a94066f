/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_list.h - the ELF files that a command line means
 */
#ifndef STACKPROOF_COMMANDS_IMAGE_LIST_H
#define STACKPROOF_COMMANDS_IMAGE_LIST_H

#include "unwinder.h"

struct image_path {
	char *path;
	uint64_t bytes; /* of the file */
	bool named;	/* on the command line: not found in a directory */
	uint64_t device;
	uint64_t inode;
};

/* Zero-initialise. */
struct image_list {
	struct image_path *image;
	size_t count;
	size_t capacity;
};

/*
 * Adds a file, or everything below a directory that is a regular file with ELF's magic number.
 * Symbolic links are followed only if they are path itself. Files and directories below path that
 * can't be read are passed over; -1 if path itself can't be.
 */
int image_list_add(struct image_list *list, const char *path, struct error *error);
/* Leaves of each file one name (a named one, else the first by the alphabet), and of those that were
 * not named every n-th by path (n: 1 or more). Then sorts by path. */
void image_list_finish(struct image_list *list, unsigned int every);
void image_list_deinit(struct image_list *list);

#endif
