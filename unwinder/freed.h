/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * freed.h - what a block holds is released where the block ends, by whatever way
 *
 *	FREED char *said = command_output(command_stat, arguments, &status);
 *	struct results results DEINIT(results_deinit);
 *
 * By the end of the block the variable must have been made, or be NULL; a descriptor, or be -1.
 */
#ifndef STACKPROOF_FREED_H
#define STACKPROOF_FREED_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEINIT(function) __attribute__((cleanup(function)))
#define FREED		 DEINIT(free_pointed_at)
#define FILE_CLOSED	 DEINIT(close_file_at)
#define DIR_CLOSED	 DEINIT(close_folder_at)
#define FD_CLOSED	 DEINIT(close_descriptor_at)

/* Defines NAME_at(), for DEINIT(NAME_at), of a function that takes a pointer to a struct, or NULL. */
#define DEINIT_AT(name, type)                                                                      \
	static inline void name##_at(struct type **pointer)                                        \
	{                                                                                          \
		name(*pointer);                                                                    \
	}

static inline void free_pointed_at(void *pointer)
{
	free(*(void **)pointer);
}

static inline void close_file_at(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void close_folder_at(DIR **folder)
{
	if (*folder)
		closedir(*folder);
}

static inline void close_descriptor_at(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#endif
