/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * eh_frames.h - the sections with call frame information, one by one
 *
 *	elf_section.c	all of it
 *
 * A file may have several sections .eh_frame, which cfi_create() reads as one. These functions are for
 * commands that print sections or locate an error; a walk needs none of them.
 */
#ifndef STACKPROOF_EH_FRAMES_H
#define STACKPROOF_EH_FRAMES_H

#include "image.h"

/* How many sections .eh_frame are read beside the first. `ld -r` makes two in all. */
#define EH_FRAMES_MAX 64

/* Section .eh_frame number `number`: 0 is image->eh_frame, the others come in the file's order. One that
 * can't be read has no data. NULL: there are no more. */
const struct image_section *image_eh_frame(const struct image *image, size_t number);
/* Whether PT_GNU_EH_FRAME alone leads to the image's .eh_frame: no section has its name, so a tool that goes by names
 * doesn't find it. */
bool image_eh_frame_is_unnamed(const struct image *image);
/* Adds an error to ret for each of these sections that can't be read or is beyond EH_FRAMES_MAX. */
void image_eh_frame_errors(const struct image *image, struct error_list *ret);
/* The section that an error names: ".eh_frame", ".eh_frame[7]", ".debug_frame". NULL: it names no
 * section with CFI. */
const struct image_section *image_cfi_section(const struct image *image, const char *name);
/* The size of all sections with CFI. It bounds the memory and time that reading them may take. */
uint64_t image_cfi_bytes(const struct image *image);

#endif
