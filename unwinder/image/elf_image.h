/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_image.h - what elf_*.c and code_name.c share
 *
 * Private to unwinder/: the mapping and the libelf handle behind an image.
 */
#ifndef STACKPROOF_ELF_IMAGE_H
#define STACKPROOF_ELF_IMAGE_H

#include <libelf.h>
#include "eh_frames.h"

/* A section of code, by its number in the file; of others end is 0. */
struct code_section {
	uint64_t start;
	uint64_t end;
	const char *name; /* in the file; "" if it can't be read */
	bool is_plt;
	bool piecewise; /* it is a PLT, or has pieces of start-up objects: its name stands for what has none */
};

/* A symbol of data among code. */
struct data_symbol {
	uint64_t start;
	uint64_t end; /* of all that start there or before it, the last; start: they have no size */
};

/* A stretch that one symbol covers; ranges don't overlap. */
struct symbol_range {
	uint64_t start;
	uint64_t end;
	const struct image_symbol *symbol;
};

/* One entry of a PLT. */
struct plt_stub {
	uint64_t start;
	uint64_t end;
	const char *name; /* of the function, in the file; NULL: a resolver without one */
	uint64_t target;  /* the resolver, of IRELATIVE */
	bool known;	  /* a relocation fills its slot */
};

struct file_range {
	uint64_t offset;
	uint64_t size;
};

/* One of the sections .eh_frame beside the image's. */
struct other_eh_frame {
	struct image_section section; /* its name is the next */
	char name[24];		      /* ".eh_frame[7]" */
	struct file_range in_file;
	struct error error; /* why it can't be read; or its code is 0 */
};

struct image_file {
	uint8_t *data;
	size_t size;
	bool mapped; /* munmap, else free */
	Elf *elf;
	bool symbols_read; /* and code */
	struct code_section *code;
	size_t code_count;
	uint32_t *code_by_address; /* numbers of sections in code, of a linked file */
	size_t code_by_address_count;
	struct data_symbol *data_symbol; /* by start, of a linked file */
	size_t data_symbol_count;
	bool ranges_made;
	struct symbol_range *range; /* by section of an object file, then by start */
	size_t range_count;
	bool stubs_read;
	struct plt_stub *stub; /* by start */
	size_t stub_count;
	/* Sections .eh_frame; elf_section.c. */
	struct file_range first_eh_frame;
	size_t first_eh_frame_number;
	struct other_eh_frame *other_eh_frame; /* NULL, or room for EH_FRAMES_MAX */
	size_t other_eh_frames;
	size_t eh_frames_unread; /* beyond that */
	uint8_t *added_eh_frame; /* bytes that are not the file's */
	/* Of an object file; elf_relocate.c. */
	struct code_reference *reference;
	size_t reference_count;
	size_t relocations; /* that were gone through */
};

/* ---- elf_section.c ------------------------------------------------------------------------ */

/* Reads .eh_frame, all of them, .eh_frame_hdr and .debug_frame. 0, or -1: one without which the
 * image can't be judged can't be read (the first .eh_frame, .eh_frame_hdr). */
int image_read_sections(struct image *image, struct error *error);

static inline bool has_other_eh_frame(const struct image *image)
{
	const struct image_file *file = image->priv;

	return file && (file->other_eh_frames || file->eh_frames_unread);
}

/* ---- elf_relocate.c, elf_symbol.c, symbol_range.c, elf_plt.c ------------------------------ */

/* Resolves target's relocations in its size bytes at data, which are the image's own copy; name
 * is its name. 0, or -1: one that can't be resolved (ERROR_RELOCATION). */
int section_relocate(struct image_file *file, Elf_Scn *target, const char *name, uint8_t *data,
		     size_t size, struct error *error);

/* The section of code that the field at, of a section that was relocated, points into; 0: it was not
 * relocated. */
uint16_t image_referenced_section(const struct image *image, const uint8_t *at);

/* Each reads what its file knows of the image, once, which the functions below do otherwise. False:
 * there is no memory, and nothing is kept; then nothing is found. */
bool image_read_symbols(const struct image *image);
bool image_read_ranges(const struct image *image);
bool image_read_plt(const struct image *image);

/* The code section that vaddr lies in, of a linked file; NULL: none, or it has no section
 * headers. */
const struct code_section *image_code_section(const struct image *image, uint64_t vaddr);
/* The symbol that covers vaddr (of an object file: in this section, else 0), or NULL. */
const struct image_symbol *image_symbol_covering(const struct image *image, uint16_t section,
						 uint64_t vaddr);
/* The PLT entry that vaddr lies in, or NULL. */
const struct plt_stub *image_plt_stub(const struct image *image, uint64_t vaddr);

#endif
