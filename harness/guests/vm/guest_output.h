/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_output.h - files that a command wrote in a guest -> a directory of this machine
 */
#ifndef STACKPROOF_GUEST_OUTPUT_H
#define STACKPROOF_GUEST_OUTPUT_H

#include <stddef.h>
#include "error.h"

/*
 * Unpacks the cpio archive that guest_callbacks.on_files was given, below folder, which is created if it is
 * missing. A name that leads out of folder is an error, and so is an archive that ends early; files that were
 * unpacked before stay. only: the one name that the archive may have in folder, with what is below it; NULL: all may be.
 * *ret_files: how many regular files.
 */
int guest_output_unpack(const void *archive, size_t size, const char *folder, const char *only,
			size_t *ret_files, struct error *error);

#endif
