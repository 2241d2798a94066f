/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_list.h - the ELF files that a command line means
 */
#ifndef STACKPROOF_IMAGE_LIST_H
#define STACKPROOF_IMAGE_LIST_H

#include "package.h"
#include "image/image.h"

struct image_path {
	char *path; /* of an archive's member "lib.a(member.o)", a package's "p.deb(usr/bin/x)" */
	uint64_t bytes;	       /* of the file, or the member */
	size_t archive_length; /* of the archive's part of path; 0: it is a file */
	uint64_t offset;       /* of the member in the archive, or in the copy */
	const char *copy;      /* of a package's ELF files, the list's; NULL: it is no package */
	bool named;	       /* on the command line: not found in a directory */
	struct error *error;   /* of an archive that can't be read to its end; else NULL */
	uint64_t device;
	uint64_t inode;
};

/* Zero-initialise. */
struct image_list {
	struct image_path *image;
	size_t count;
	uint64_t empty; /* directories and archives that were named, and stand for nothing at all */
	/* Below a directory: files and directories that could not be looked at, */
	uint64_t unreadable;
	uint64_t thin_archives; /* and these, whose members are files of their own */
	/* Members of archives, wherever: */
	uint64_t bitcode;	    /* of which code is made when they are linked */
	uint64_t nested_archives;   /* whose members are not looked at */
	struct package_copy **copy; /* of packages */
	size_t copy_count;
};

/*
 * Adds a file (of an archive or a Debian package each member that is an ELF file), or everything below a
 * directory that is a regular file with ELF's magic number, or such a member. Other members that hold
 * code are counted. Symbolic links are followed only if they are path itself. Files and directories
 * below path that can't be read are counted and passed over; -1 if path itself can't be. Of an archive
 * below path that can't be read to its end what was read is added, and an image that can't be opened.
 */
int image_list_add(struct image_list *list, const char *path, struct error *error);
/* Adds the members of an archive: 1. 0: path is none. -1: error is set, and what was read is
 * added. */
int image_list_members(struct image_list *list, const char *path, struct error *error);
/* Leaves of each file one name (a named one, else the first by the alphabet), and of those that
 * were not named every n-th by path (n: 1 or more). Then sorts by path. */
void image_list_finish(struct image_list *list, unsigned int every);
/* One of its files is one of the outputs (cli/output_file.h): that is said. */
bool image_list_is_written(const struct image_list *list, const char *const *output,
			   size_t outputs);
/* An image that a list has, and the file that it is in. Zeroed it is none, and may be closed. */
struct opened_image {
	struct image *image; /* its path is the list's */
	const char *file;    /* for other programs, while it is open */
	struct archive_copy copy;
};
/* image_create(), or the same of a member. */
int image_path_open(const struct image_path *path, struct opened_image *ret, struct error *error);
void image_path_close(struct opened_image *opened);
void image_list_deinit(struct image_list *list);

#endif
