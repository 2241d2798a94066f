/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * debug_link.h - the separate debug file of an ELF file
 *
 * `table --format readelf` shows that file's tables too, as readelf does. All other commands read
 * .debug_frame there, when the file itself doesn't have the section: strip takes it away, and with it
 * the functions that .eh_frame has nothing of. The names of functions that are not exported are there,
 * too. Which images are read so is decided by debug_link_adopt() alone: of files that are opened one by
 * one it is called, and of what processes have mapped debug_link_store() calls it.
 */
#ifndef STACKPROOF_DEBUG_LINK_H
#define STACKPROOF_DEBUG_LINK_H

#include <elfutils/libdw.h>
#include "walk/address_space.h"

/* The path of image's separate debug file if this machine has it, else NULL. To be freed. */
char *debug_link_find(const struct image *image);
/* Takes .debug_frame and the symbols from the debug file of the same build, if the image has no
 * .debug_frame of its own. One that is there and is another's (its CRC, its build-id) or can't be read is not
 * taken: image->debug_refused says so, and stderr, once of each image. */
void debug_link_adopt(struct image *image);
/* An image store each of whose images is read with its debug file: every command has its store from
 * here, so that a function has CFI for all of them, or for none. NULL: no memory. */
struct image_store *debug_link_store(void);
/* image_create() and debug_link_adopt(), unless section, a name, is another one. NULL: both are
 * wanted. */
int debug_link_open(const char *path, const char *section, struct image **ret, struct error *error);
/* Debug info that leads to what .gnu_debugaltlink (dwz -m) names makes libdw open that by itself, and wait for a
 * FIFO. It is there, and no regular file: who reads this debug info may wait. path: of the file that it is in.
 * dwarf NULL: there is none. */
bool debug_link_waits(Dwarf *dwarf, const char *path);

#endif
