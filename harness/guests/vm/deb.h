/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * deb.h - one file out of a Debian package
 */
#ifndef STACKPROOF_DEB_H
#define STACKPROOF_DEB_H

#include "error.h"

/* Writes the kernel image in the package deb to the new file path. */
int deb_extract_kernel(const char *deb, const char *path, struct error *error);

#endif
