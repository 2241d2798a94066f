/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mapped_file.h - the file behind a line of /proc/PID/maps
 */
#ifndef STACKPROOF_MAPPED_FILE_H
#define STACKPROOF_MAPPED_FILE_H

#include <string.h>
#include "image_store.h"

/* A line of the file, see proc(5). */
struct maps_line {
	uint64_t start, end, offset, inode;
	unsigned int major, minor; /* of the device */
	char permissions[5];
	char *path; /* points into the line; "" if there is none */
};

/* Whether the path is that of a mapping for uprobes (address_space_is_uprobes()). Paths of files begin with '/'. */
static inline bool maps_path_is_uprobes(const char *path)
{
	return strcmp(path, "[uprobes]") == 0 || strcmp(path, "[uprobes-trampoline]") == 0;
}
/* Parses a line, and replaces its newline by a NUL. False: it is malformed. */
bool maps_line_parse(char *line, struct maps_line *ret);
/* Finds the line of /proc/TID/maps with that address; tid 0: this process. Returns the line's text, into which
 * *ret points: the caller's to free(). NULL: there is none. */
char *maps_line_find(pid_t tid, uint64_t address, struct maps_line *ret);
/* Whether the CPU can read the mapping: on x86-64 pages that may be written or executed can be read, too.
 * Protection keys are not considered. */
static inline bool maps_line_is_accessible(const struct maps_line *line)
{
	return memcmp(line->permissions, "---", 3) != 0;
}

/* A descriptor of the very file that thread tid has mapped there; -1: it can't be opened. The caller closes it. */
int mapped_file_descriptor(pid_t tid, const struct maps_line *line);
/* Opens the image in the very file that thread tid has mapped there. It is the caller's. NULL: error is set;
 * ERROR_SYSTEM: the file can't be opened. */
struct image *mapped_file_open(pid_t tid, const struct maps_line *line, struct error *error);
/* The same for the vDSO, which is copied from the process's memory. */
struct image *mapped_vdso_open(pid_t tid, const struct maps_line *line, struct error *error);
/* The version of the file that is mapped there, for the image store. */
struct file_version mapped_file_version(pid_t tid, const struct maps_line *line);

#endif
