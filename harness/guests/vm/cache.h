/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cache.h - the folder that keeps kernels, and whether KVM works here
 *
 * $STACKPROOF_CACHE, else $XDG_CACHE_HOME/stackproof, else ~/.cache/stackproof. Everything in it
 * can be deleted at any time.
 */
#ifndef STACKPROOF_CACHE_H
#define STACKPROOF_CACHE_H

#include <stddef.h>
#include "error.h"

/* Writes the path of name (which may have directories) in the cache; creates nothing. */
int cache_path(const char *name, char *ret, size_t size, struct error *error);
/* mkdir -p. */
int make_directories(const char *path, struct error *error);
/* Removes a directory and everything in it; errors are ignored. */
void remove_tree(const char *path);
/*
 * Replaces the file at path by size bytes of data. It writes a new file beside it and renames that, so
 * readers see the old contents or the new, and never a part.
 */
int write_file_atomically(const char *path, const void *data, size_t size, struct error *error);
/* Reads at most size - 1 bytes and adds a NUL. 0, or -1 with errno. */
int read_small_file(const char *path, char *ret, size_t size);

#endif
