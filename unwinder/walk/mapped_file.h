/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mapped_file.h - the file behind a line of /proc/PID/maps
 */
#ifndef STACKPROOF_MAPPED_FILE_H
#define STACKPROOF_MAPPED_FILE_H

#include <string.h>
#include "image_store.h"

/* A line, as proc(5) has it. */
struct maps_line {
	uint64_t start, end, offset, inode;
	unsigned int major, minor; /* of the device */
	char permissions[5];
	char *path; /* in the line itself */
};

/* Of a line's path: what the kernel maps for its uprobes. No file has such a path: theirs begin with '/'. */
static inline bool maps_path_is_uprobes(const char *path)
{
	return strcmp(path, "[uprobes]") == 0 || strcmp(path, "[uprobes-trampoline]") == 0;
}
/* False: it is none. Changes the line's end. */
bool maps_line_parse(char *line, struct maps_line *ret);
/* The line of /proc/TID/maps that has the address; tid 0: our own. In the text that is returned, and
 * to be freed. NULL: there is none. */
char *maps_line_find(pid_t tid, uint64_t address, struct maps_line *ret);
/* The CPU reads what may be read, written or executed, whichever it is: pages of x86-64 have no
 * permission to read of their own. Protection keys are another matter. */
static inline bool maps_line_is_accessible(const struct maps_line *line)
{
	return memcmp(line->permissions, "---", 3) != 0;
}

/* The image in the file that thread tid has mapped there, and no other's. NULL: error is set;
 * ERROR_SYSTEM: it can't be opened. The caller's. */
struct image *mapped_file_open(pid_t tid, const struct maps_line *line, struct error *error);
/* The same of the vDSO, which is copied out of the process's memory. */
struct image *mapped_vdso_open(pid_t tid, const struct maps_line *line, struct error *error);
/* By which the store knows it. */
struct file_version mapped_file_version(pid_t tid, const struct maps_line *line);

#endif
