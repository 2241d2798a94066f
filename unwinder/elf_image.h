/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_image.h - what elf_image.c, elf_symbol.c and elf_relocate.c share
 *
 * Private to unwinder/: the mapping and the libelf handle behind an image.
 */
#ifndef STACKPROOF_ELF_IMAGE_H
#define STACKPROOF_ELF_IMAGE_H

#include <libelf.h>
#include "unwinder.h"

struct image_file {
	uint8_t *data;
	size_t size;
	bool mapped; /* munmap, else free */
	Elf *elf;
	bool symbols_read;
	/* Of an object file; elf_relocate.c. */
	struct code_reference *reference;
	size_t reference_count;
	size_t reference_capacity;
	const struct image_symbol **by_section;
	size_t by_section_count;
};

/* Resolves target's relocations in its size bytes at data, which are the image's own copy. */
void section_relocate(struct image_file *file, Elf_Scn *target, uint8_t *data, size_t size);

#endif
