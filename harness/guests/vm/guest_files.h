/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_files.h - the files of a guest, with the interpreters and libraries that they need
 */
#ifndef STACKPROOF_GUEST_FILES_H
#define STACKPROOF_GUEST_FILES_H

#include <stddef.h>
#include "error.h"

struct guest_path {
	char *host;  /* NULL: a directory, or a link */
	char *link;  /* a symbolic link's target; else NULL */
	char *guest; /* absolute, without ".", ".." and the guest's symbolic links */
};

/* Each guest path once, in the order in which it was added. Zero-initialise. */
struct guest_files {
	struct guest_path *file;
	size_t count;
	const char *
		below; /* an absolute path that all are put below, as they are, without what they need; or NULL */
};

/* Adds the file host at the path guest, and recursively its interpreter and libraries. guest NULL: host's
 * own path; a relative one counts from the working directory. A directory is added with its contents. */
int guest_files_add(struct guest_files *files, const char *host, const char *guest,
		    struct error *error);
int guest_files_add_link(struct guest_files *files, const char *guest, const char *target,
			 struct error *error);
int guest_files_add_directory(struct guest_files *files, const char *guest, struct error *error);
/* Adds a directory with its contents, all on one file system. (guest_folder.c) */
int guest_files_add_folder(struct guest_files *files, const char *host, const char *guest,
			   struct error *error);
/* Makes a relative path absolute, from the working directory; symbolic links stay. -1: it is too long. */
int guest_path_absolute(const char *path, char *ret, size_t size, struct error *error);
void guest_files_deinit(struct guest_files *files);

/*
 * The path in the guest without symbolic links: "/bin/ls" becomes "/usr/bin/ls" if the host's /bin is a
 * symbolic link to usr/bin, because the guest gets the same link. -1: path is not absolute, or too long.
 */
int guest_path_normalise(const char *path, char *ret, size_t size, struct error *error);

/* Name i of the top-level symbolic links that the guest copies from the host ("bin"); NULL: no more. */
const char *guest_link_name(size_t i);
/* The target of the host's top-level link name ("bin" -> "usr/bin"). -1: it is no link. */
int guest_link_target(const char *name, char *ret, size_t size);

#endif
