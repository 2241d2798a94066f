/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * debug_link.h - the separate debug file of an ELF file
 *
 * `table --format readelf` shows that file's tables too, as readelf does. The others read
 * .debug_frame there, when the file itself doesn't have the section.
 */
#ifndef STACKPROOF_COMMANDS_DEBUG_LINK_H
#define STACKPROOF_COMMANDS_DEBUG_LINK_H

#include "unwinder.h"

/* The path of image's separate debug file if this machine has it, else NULL. To be freed. */
char *debug_link_find(const struct image *image);
/*
 * image_create(), and if .debug_frame is wanted (section is its name, or NULL and the file has no
 * .eh_frame) but not in the file, it and the symbols come from the debug file of the same build.
 */
int debug_link_open(const char *path, const char *section, struct image **ret, struct error *error);

#endif
