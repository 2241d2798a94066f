/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_list.h - the ELF files that the arguments of a command stand for
 */
#ifndef STACKPROOF_IMAGE_LIST_H
#define STACKPROOF_IMAGE_LIST_H

#include "package.h"
#include "image/image.h"

struct image_path {
	char *path;	       /* a member's: "lib.a(member.o)", in a package "p.deb(usr/bin/x)" */
	uint64_t bytes;	       /* of the file, or of the member */
	size_t archive_length; /* of the archive's part of path; 0: a plain file */
	uint64_t offset;       /* of the member's bytes in the archive, or in copy */
	const char *copy;      /* the path of a package's copy, the list's; NULL: no package */
	bool named;	       /* by the command line; false: found in a directory */
	struct error *error;   /* owned: the archive can't be read to its end; else NULL */
	uint64_t device;
	uint64_t inode;
};

/* Zero-initialise. */
struct image_list {
	struct image_path *image;
	size_t count;
	uint64_t empty; /* named directories and archives in which nothing was found or counted */
	/* Below directories: files and directories that can't be read, */
	uint64_t unreadable;
	uint64_t thin_archives; /* and archives whose members are files elsewhere */
	/* Members of archives, with code that is not checked: */
	uint64_t bitcode;	    /* LLVM bitcode */
	uint64_t nested_archives;   /* their members are not read */
	struct package_copy **copy; /* of packages */
	size_t copy_count;
};

/*
 * Adds what path stands for: an archive or a Debian package stands for its members that are ELF files, a directory
 * for the ELF files, archives and packages below it, "lib.a(member.o)" for that member, any other file for itself.
 * Other members that hold code are counted. A symbolic link is followed only if it is path itself. What can't be read
 * below path is counted and passed over. If an archive below path can't be read to its end, the members before that
 * are added, and an image with the error. -1: path can't be read.
 */
int image_list_add(struct image_list *list, const char *path, struct error *error);
/* Adds the members of an archive or a package. 1: done. 0: path is neither. -1: the members before the error
 * are added. */
int image_list_members(struct image_list *list, const char *path, struct error *error);
/* Keeps one name of each file: a named one, else the first in alphabetical order. Of images that were not
 * named, keeps every n-th (every: n, at least 1). Sorts by path. */
void image_list_finish(struct image_list *list, unsigned int every);
/* True if an output is a file of the list, or if two outputs are one file (cli/output_file.h). stderr says
 * which. */
bool image_list_is_written(const struct image_list *list, const char *const *output,
			   size_t outputs);
/* An opened image of a list. A zeroed one is empty, and may be closed. */
struct opened_image {
	struct image *image; /* its path is the one in the list */
	const char *file;    /* a path that other programs can open, while this is open */
	struct archive_copy copy;
};
/* image_create() for a file or a member. image_path_close() closes it. */
int image_path_open(const struct image_path *path, struct opened_image *ret, struct error *error);
void image_path_close(struct opened_image *opened);
void image_list_deinit(struct image_list *list);

#endif
