/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording_folder.h - a folder of a test's own: a recording, and another file
 */
#ifndef STACKPROOF_TESTS_RECORDING_FOLDER_H
#define STACKPROOF_TESTS_RECORDING_FOLDER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test_recording.XXXXXX", path[64], other[64];

static inline void folder_begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/recording", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
}

static inline void folder_end(void)
{
	unlink(path);
	unlink(other);
	ck_assert(!rmdir(folder));
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
}

#endif
