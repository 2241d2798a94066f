/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepped_folder.h - a folder with one file, for a program of stepped_program.h, and its image
 */
#ifndef STACKPROOF_STEPPED_FOLDER_H
#define STACKPROOF_STEPPED_FOLDER_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cfi/cfi.h"
#include "truth/tracer/tests/stepped_program.h"

static char folder[] = "/tmp/stepped_folder.XXXXXX", path[64];
static struct image *image;
static struct cfi *cfi;

/* Before and after a test. */
static inline void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
}

static inline void end(void)
{
	unlink(path);
	rmdir(folder);
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
}

/* False: it has no CFI. close_program() in both cases. */
static inline bool open_program(const char *text)
{
	struct error error;

	make_program(path, text);
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	if (!cfi_create(image, &cfi, &error))
		return true;
	ck_assert_int_eq(error.code, ERROR_NO_CFI);
	return false;
}

static inline void close_program(void)
{
	cfi_destroy(cfi);
	image_destroy(image);
}

#endif
