/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_files.h - the files of a guest, completed with what they need to run
 */
#ifndef STACKPROOF_GUEST_FILES_H
#define STACKPROOF_GUEST_FILES_H

#include <limits.h>
#include <stddef.h>
#include "error.h"

struct guest_path {
	char *host;  /* NULL: a directory, or a link */
	char *link;  /* a symbolic link's target; else NULL */
	char *guest; /* absolute, without "." and "..", below no symbolic link of the guest */
};

/* Each guest path once, in the order of being added. Zero-initialise. */
struct guest_files {
	struct guest_path *file;
	size_t count;
};

/* Adds host (as guest; NULL: the same path, of a relative one that below the working directory)
 * and, recursively, interpreters and libraries; a directory with all that is in it. */
int guest_files_add(struct guest_files *files, const char *host, const char *guest,
		    struct error *error);
int guest_files_add_link(struct guest_files *files, const char *guest, const char *target,
			 struct error *error);
int guest_files_add_directory(struct guest_files *files, const char *guest, struct error *error);
/* A directory with its contents, which has to be one file system's. (guest_folder.c) */
int guest_files_add_folder(struct guest_files *files, const char *host, const char *guest,
			   struct error *error);
/* A path of the working directory as an absolute one, symbolic links in it left alone. -1: it is
 * too long. */
int guest_path_absolute(const char *path, char *ret, size_t size, struct error *error);
void guest_files_deinit(struct guest_files *files);

/*
 * Where a path ends up in the guest: "/bin/ls" is "/usr/bin/ls" where the host's /bin is a symbolic
 * link to usr/bin, because the guest gets the same link. -1 if it is not absolute or too long.
 */
int guest_path_normalise(const char *path, char *ret, size_t size, struct error *error);

/* The top-level links that the guest copies from the host; NULL if there is no link i. */
const char *guest_link_name(size_t i);
/* The target of the host's top-level link name ("bin" -> "usr/bin"); -1 if it is none. */
int guest_link_target(const char *name, char *ret, size_t size);

#endif
