/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * deb.h - files out of a Debian package
 */
#ifndef STACKPROOF_DEB_H
#define STACKPROOF_DEB_H

#include <stdbool.h>
#include <stddef.h>
#include "error.h"

/* Writes the kernel image in the package deb to the new file path. */
int deb_extract_kernel(const char *deb, const char *path, struct error *error);

/* Where a file of the package ("usr/bin/x", without "./") is to lie below the folder. false: it is not wanted. */
typedef bool deb_place(const char *path, char *ret, size_t size);
/* Writes the files and symbolic links that are wanted below the folder, which is a real path. */
int deb_unpack(const char *deb, const char *folder, deb_place *place, struct error *error);

#endif
