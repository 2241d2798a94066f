/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * debug_link.h - the separate debug file of an ELF file
 *
 * Only `table --format readelf` needs it: readelf shows that file's tables too.
 */
#ifndef STACKPROOF_COMMANDS_DEBUG_LINK_H
#define STACKPROOF_COMMANDS_DEBUG_LINK_H

#include "unwinder.h"

/* The path of image's separate debug file if this machine has it, else NULL. To be freed. */
char *debug_link_find(const struct image *image);

#endif
