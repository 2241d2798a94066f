/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_image.h - what is behind an image: the mapped file, the libelf handle, symbols by address
 *
 * For elf_*.c, symbol_range.c and code_name.c. Private to unwinder/.
 */
#ifndef STACKPROOF_ELF_IMAGE_H
#define STACKPROOF_ELF_IMAGE_H

#include <gelf.h>
#include <sys/stat.h>
#include "code_digest.h"
#include "eh_frames.h"

/* A section of code. In image_file.code sections have their numbers in the file; end is 0 for a section without
 * code. */
struct code_section {
	uint64_t start;
	uint64_t end;
	const char *name; /* in the file; "" if it can't be read */
	bool is_plt;
	bool piecewise; /* a PLT, .init or .fini: its name is that of code which has no symbol and is no stub */
};

/* A symbol of data in a section of code. */
struct data_symbol {
	uint64_t start;
	uint64_t end; /* the last end of symbols that start here or before; start: no size */
};

/* A range of addresses that one symbol covers. Ranges don't overlap. */
struct symbol_range {
	uint64_t start;
	uint64_t end;
	const struct image_symbol *symbol;
};

/* One entry of a PLT. */
struct plt_stub {
	uint64_t start;
	uint64_t end;
	const char *name; /* the function's, in the file; NULL: a resolver without symbol */
	uint64_t target;  /* the resolver's address, if the relocation is IRELATIVE */
	bool known;	  /* a relocation fills its slot in the GOT */
};

struct file_range {
	uint64_t offset;
	uint64_t size;
};

/* One of the sections .eh_frame beside the image's. */
struct other_eh_frame {
	struct image_section section; /* its name points to the next member */
	char name[24];		      /* ".eh_frame[7]" */
	struct file_range in_file;
	struct error error; /* why it can't be read; ERROR_NONE if it can */
};

struct image_file {
	uint8_t *data;
	size_t size;
	bool mapped;	 /* data is freed by munmap(), else by free() */
	struct stat was; /* of a mapped file, when it was opened */
	struct code_digest digest;
	bool digest_known;
	Elf *elf;
	bool symbols_read;   /* and the sections of code, too */
	bool symbols_chosen; /* but not all: image_read_symbols_at() */
	bool is_private;     /* a page of data was written to */
	struct code_section *code;
	size_t code_count;
	uint32_t *code_by_address; /* indices of code[], sorted by start; of a linked file */
	size_t code_by_address_count;
	struct data_symbol *data_symbol; /* sorted by start; of a linked file */
	size_t data_symbol_count;
	bool ranges_made;
	struct symbol_range *range; /* sorted by start; in an object file by section first */
	size_t range_count;
	bool stubs_read;
	struct plt_stub *stub; /* sorted by start */
	size_t stub_count;
	/* Sections .eh_frame; elf_section.c. */
	struct file_range first_eh_frame;
	size_t first_eh_frame_number;
	struct other_eh_frame *other_eh_frame; /* NULL, or room for EH_FRAMES_MAX */
	size_t other_eh_frames;
	size_t eh_frames_unread;       /* how many are beyond EH_FRAMES_MAX */
	uint8_t *added_eh_frame;       /* owned: what image_add_eh_frame() added */
	struct sframe_section *sframe; /* NULL, or room for SFRAMES_MAX; elf_sframe.c */
	size_t sframe_count;
	bool sframe_unnamed; /* found by PT_GNU_SFRAME */
	/* Of an object file; elf_relocate.c. */
	struct code_reference *reference;
	size_t reference_count;
	size_t relocations; /* how many have been resolved, for a limit */
};

/* ---- elf_section.c ------------------------------------------------------------------------ */

/* Reads all sections .eh_frame, .eh_frame_hdr and .debug_frame. -1: the first .eh_frame or .eh_frame_hdr
 * can't be read. An error in another section is kept, and no failure. */
int image_read_sections(struct image *image, struct error *error);

/* The section's bytes, decompressed and relocated if need be. gnu_compressed: a .zdebug_ section. */
int section_bytes(const struct image *image, Elf_Scn *section, GElf_Shdr *header, const char *name,
		  bool gnu_compressed, struct image_section *ret, struct error *error);

static inline bool has_other_eh_frame(const struct image *image)
{
	const struct image_file *file = image->priv;

	return file && (file->other_eh_frames || file->eh_frames_unread);
}

/* ---- elf_relocate.c, elf_symbol.c, symbol_range.c, elf_plt.c ------------------------------ */

/* Resolves the relocations of the section target, whose name is name, in a copy of its bytes: size bytes at
 * data. -1: a relocation can't be resolved (ERROR_RELOCATION). */
int section_relocate(struct image_file *file, Elf_Scn *target, const char *name, uint8_t *data,
		     size_t size, struct error *error);

/* The number of the section that a relocated field points into. at: the field's address in the section's data.
 * 0: the field was not relocated. */
uint16_t image_referenced_section(const struct image *image, const uint8_t *at);

/* Each reads its part of the image, once. The functions below call them, and find nothing where they fail. False:
 * no memory; nothing is kept. */
bool image_read_symbols(const struct image *image);
bool image_read_ranges(const struct image *image);
bool image_read_plt(const struct image *image);

/* The same as image_read_symbols(), unless all have been read, for callers that name no other addresses than these
 * (count of them, ascending, of a linked file): only the symbols that decide about them are read, and image_symbols()
 * has no others. */
bool image_read_symbols_at(const struct image *image, const uint64_t *address, size_t count);
/* Gives up symbols and ranges: they are read again when they are asked for. */
void image_forget_symbols(struct image *image);

/* The section of code that vaddr lies in, in a linked file. NULL: there is none, or there are no section
 * headers. */
const struct code_section *image_code_section(const struct image *image, uint64_t vaddr);
/* The symbol that covers vaddr, or NULL. section: in an object file that of vaddr, which is an offset there;
 * else 0. */
const struct image_symbol *image_symbol_covering(const struct image *image, uint16_t section,
						 uint64_t vaddr);
/* The PLT entry that vaddr lies in, or NULL. */
const struct plt_stub *image_plt_stub(const struct image *image, uint64_t vaddr);

#endif
