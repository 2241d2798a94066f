/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_output.h - files that a command wrote in a guest -> a directory of this machine
 */
#ifndef STACKPROOF_GUEST_OUTPUT_H
#define STACKPROOF_GUEST_OUTPUT_H

#include <stddef.h>
#include "error.h"

/*
 * Unpacks what guest_callbacks.on_files was given, a cpio archive, below folder, which is made if
 * it isn't there. Names that would lead out of it are an error, and so is an archive that ends
 * early; what was unpacked before stays. *ret_files: regular files.
 */
int guest_output_unpack(const void *archive, size_t size, const char *folder, size_t *ret_files,
			struct error *error);

#endif
