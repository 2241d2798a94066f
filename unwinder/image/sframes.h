/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframes.h - the sections .sframe of an image
 *
 *	elf_sframe.c	all of it
 *
 * Assemblers up to binutils 2.44 give the section the general type, newer ones a type of its own; a linker that met
 * both may leave two.
 */
#ifndef STACKPROOF_SFRAMES_H
#define STACKPROOF_SFRAMES_H

#include <gelf.h>
#include "image.h"

#define SHT_GNU_SFRAME 0x6ffffff4u
#define PT_GNU_SFRAME  0x6474e554u

#define SFRAMES_MAX 8 /* of a file; more are not read */

/* Section .sframe number `number`, in the file's order. *ret_unread: why it can't be read; its code is ERROR_NONE
 * if it can. NULL: there are no more. */
const struct image_section *image_sframe(const struct image *image, size_t number,
					 const struct error **ret_unread);
/* Whether PT_GNU_SFRAME alone leads to it: then its size is a bound, and other data may follow. */
bool image_sframe_is_unnamed(const struct image *image);
/* The size of all of them. */
uint64_t image_sframe_bytes(const struct image *image);

/* ---- for elf_section.c and elf_image.c ------------------------------------------------------ */

/* Adds a section of the file. What is wrong with it is kept, and no failure. -1: no memory. */
int image_add_sframe(struct image *image, Elf_Scn *section, GElf_Shdr *header, struct error *error);
/* The same by PT_GNU_SFRAME, in a file whose section has no header. */
int image_find_sframe(struct image *image, const Elf64_Phdr *segment, struct error *error);

#endif
