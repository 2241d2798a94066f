/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * eh_frames.h - the sections with call frame information, one by one
 *
 *	elf_section.c	all of it
 *
 * A file may have several sections .eh_frame, which cfi_create() reads as one. For commands that print
 * sections or look up where an error is; a walk needs none of it.
 */
#ifndef STACKPROOF_EH_FRAMES_H
#define STACKPROOF_EH_FRAMES_H

#include "image.h"

/* So many sections .eh_frame are read beside the first; `ld -r` makes two. */
#define EH_FRAMES_MAX 64

/* The sections .eh_frame by number: 0 is image->eh_frame, the others come in the file's order,
 * and have no data if they can't be read. NULL: there are no more. */
const struct image_section *image_eh_frame(const struct image *image, size_t number);
/* Adds to ret why such sections can't be read, or are not. */
void image_eh_frame_errors(const struct image *image, struct error_list *ret);
/* The section that an error names: ".eh_frame", ".eh_frame[7]", ".debug_frame". NULL: none of
 * CFI. */
const struct image_section *image_cfi_section(const struct image *image, const char *name);
/* Bytes of all sections with CFI: what bounds the memory and time that they are given. */
uint64_t image_cfi_bytes(const struct image *image);

#endif
