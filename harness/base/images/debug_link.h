/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * debug_link.h - the separate debug file of an ELF file
 *
 * `table --format readelf` shows the debug file's tables, too, as readelf does. All other commands read .debug_frame
 * from it if the image has none: strip removes that section, and with it the CFI of functions that .eh_frame does not
 * cover. The debug file also names the functions that are not exported. debug_link_adopt() alone decides whether a
 * debug file is read. Commands call it for files that they open one by one; debug_link_store() calls it for files
 * that processes have mapped.
 */
#ifndef STACKPROOF_DEBUG_LINK_H
#define STACKPROOF_DEBUG_LINK_H

#include <elfutils/libdw.h>
#include "walk/address_space.h"

/* The path of image's separate debug file; the caller frees it. NULL: this machine does not have the file. */
char *debug_link_find(const struct image *image);
/* If the image has no .debug_frame, takes .debug_frame and the symbols of its debug file. A debug file of
 * another build (by its CRC or build-id), or one that can't be read, is refused: image->debug_refused says
 * so, and so does stderr, once for each image. */
void debug_link_adopt(struct image *image);
/* An image store that calls debug_link_adopt() for each image. Every command has its store from here, so
 * that all of them see the same CFI. The caller's: image_store_destroy(). NULL: no memory. */
struct image_store *debug_link_store(void);
/* image_create(), and debug_link_adopt() if section is ".debug_frame" or NULL. */
int debug_link_open(const char *path, const char *section, struct image **ret, struct error *error);
/* True if reading this debug info may block: libdw opens the file that .gnu_debugaltlink names (dwz -m), and
 * that is no regular file, a FIFO say. path: the file that dwarf is in. dwarf NULL: false. */
bool debug_link_waits(Dwarf *dwarf, const char *path);

#endif
