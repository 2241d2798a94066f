/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * root_image.h - a folder that holds a whole system -> an ext4 image, kept in the cache
 *
 *	root_walk.c	what is in the folder, and the image's key
 *	root_image.c	mke2fs, and the cache
 *	root_staging.c	a copy of the folder without what mke2fs would stumble over
 */
#ifndef STACKPROOF_ROOT_IMAGE_H
#define STACKPROOF_ROOT_IMAGE_H

#include <sys/stat.h>
#include "vm.h"

/* ---- root_walk.c ------------------------------------------------------------------------ */

struct root_contents {
	uint64_t
		key; /* of all names, owners, modes, sizes and times of change, and of what can be read */
	uint64_t entries;    /* directories, regular files and links */
	uint64_t all;	     /* the same with devices, pipes and sockets */
	uint64_t bytes;	     /* that they take in blocks of ROOT_BLOCK_BYTES */
	uint64_t content;    /* the same of the regular files that can be read, to the byte */
	uint64_t unreadable; /* files and directories that this user may not read */
	uint64_t elsewhere;  /* other file systems that are mounted in the folder */
	char first
		[128]; /* of those that can't be read: its name, from the folder; "" if there is none */
};

#define ROOT_BLOCK_BYTES 4096

/* An entry of the folder. name: from the folder, "/etc/passwd". -1: it is an error, and the walk ends. */
typedef int root_visit(void *context, const char *name, const struct stat *st, struct error *error);

/* Reads the folder, but no file. visit may be NULL; it is not called for the folder itself. */
int root_walk(const char *folder, root_visit *visit, void *context, struct root_contents *ret,
	      struct error *error);

/* ---- root_image.c ----------------------------------------------------------------------- */

/* Finds the folder's image in the cache, or makes it. *ret_fd, readable, is the caller's to close. */
int root_image_open(const char *folder, int *ret_fd, struct guest_root *ret, struct error *error);

/* ---- root_staging.c --------------------------------------------------------------------- */

/* Copies what can be read of the folder into the new folder at path. contents: what root_walk() found. */
int root_staging_make(const char *folder, const struct root_contents *contents, const char *path,
		      struct error *error);
/* Gives the image's files the owners and modes that they have in the folder; the copy is all this user's. */
int root_staging_own(const char *folder, const char *image, struct error *error);

#endif
