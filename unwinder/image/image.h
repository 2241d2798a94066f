/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image.h - an ELF file as far as unwinding asks for it
 *
 * Segments, sections with CFI, symbols and build-id. Addresses are the image's own: what a process
 * adds to them is its mapping's bias (address_space.h).
 */
#ifndef STACKPROOF_IMAGE_H
#define STACKPROOF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "error.h"

/* One PT_LOAD. Addresses are the image's own (unbiased). */
struct image_segment {
	uint64_t vaddr;
	uint64_t memory_bytes;
	uint64_t file_offset;
	uint64_t file_bytes;
	bool executable;
};

/* Bytes of a section, in memory. name is NULL if the image has no such section; data is NULL then,
 * if it is empty, and if its bytes are elsewhere (SHT_NOBITS: size is not 0). */
struct image_section {
	const uint8_t *data;
	size_t size;
	uint64_t vaddr;
	uint64_t file_offset;
	const char *name;
};

/* A symbol of code in .symtab or .dynsym: STT_FUNC, STT_GNU_IFUNC, and STT_NOTYPE, as assembly
 * without .type has it. Sorted by pc; of several names of one pc the one to show comes first: a
 * function, then global, then shortest, then by the alphabet. */
struct image_symbol {
	uint64_t pc;
	uint64_t size;	    /* 0 if the symbol says none */
	uint64_t end;	    /* of what it covers at most: docs/NAMES.md */
	const char *name;   /* in the image's string table */
	uint8_t binding;    /* STB_* */
	uint8_t type;	    /* STT_* */
	uint16_t section;   /* that pc is an offset in, of an object file; else 0 */
	uint8_t visibility; /* STV_* */
};

#define BUILD_ID_MAX 64

struct image {
	char *path;
	uint16_t machine; /* EM_* */
	uint16_t type;	  /* ET_* */
	uint64_t entry;
	bool has_sections; /* section headers */
	struct image_segment *segment;
	size_t segment_count;
	struct image_section eh_frame; /* of several, where a run-time begins: elf_section.c */
	unsigned int empty_eh_frames;  /* before the first that has bytes */
	struct image_section eh_frame_hdr;
	struct image_section debug_frame; /* its name may be ".zdebug_frame" */
	struct error debug_frame_error;	  /* why it has no data, if it can't be read */
	uint64_t text_vaddr;		  /* base of DW_EH_PE_textrel; 0 if none */
	uint64_t data_vaddr; /* base of DW_EH_PE_datarel (.got, else .eh_frame_hdr); 0 if none */
	struct image_symbol *symbol; /* read by the first image_symbol*() call; NULL before */
	size_t symbol_count;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_size;
	struct image *debug; /* owned; NULL without image_adopt_debug() */
	char *debug_refused; /* owned; which debug file is there and not read, and why; or NULL */
	void *priv;	     /* file mapping and libelf handle, owned by elf_image.c */
};

/* Opens and checks the ELF file at path. *ret is owned by the caller: image_destroy. */
int image_create(const char *path, struct image **ret, struct error *error);
/* The same over size bytes at data (copied); name stands for the path: the vDSO. */
int image_create_memory(const void *data, size_t size, const char *name, struct image **ret,
			struct error *error);
void image_destroy(struct image *image);
/* Takes .debug_frame and the symbols from the image's separate debug file, which image owns from
 * then on. Its addresses must be the same. */
void image_adopt_debug(struct image *image, struct image *debug);
/* Adds a section .eh_frame that the file doesn't have, at address vaddr, before its CFI is read. data, of
 * malloc(), is the image's whether it succeeds or not. Fails for want of memory. (elf_section.c) */
int image_add_eh_frame(struct image *image, uint8_t *data, size_t size, uint64_t vaddr, bool first,
		       struct error *error);
/* The image\'s .eh_frame is the one that was added. */
bool image_eh_frame_is_added(const struct image *image);
/* All symbols of code. Sorting them takes longer than building a table, so they are read when
 * first asked for: the image caches them. Where there is no memory for them, they are none. */
const struct image_symbol *image_symbols(const struct image *image, size_t *ret_count);
/* The symbol that covers vaddr: the innermost that has a size, else one without, which reaches
 * to the next symbol or its section's end. NULL: none. Where the CFI is at hand,
 * code_name_find() knows better. */
const struct image_symbol *image_symbol_find(const struct image *image, uint64_t vaddr);
/* A symbol of data with a size covers vaddr, in a section of code of a linked file. */
bool image_is_data(const struct image *image, uint64_t vaddr);
/* The symbol's address by name, or 0. */
uint64_t image_symbol_address(const struct image *image, const char *name);
/* Bytes of the file behind addresses vaddr .. vaddr+size, or NULL if no segment holds them. */
const uint8_t *image_bytes(const struct image *image, uint64_t vaddr, size_t size);
/* The same, of as many bytes as are there, at most `most`. NULL: none is, *ret_size is 0. */
const uint8_t *image_bytes_most(const struct image *image, uint64_t vaddr, size_t most,
				size_t *ret_size);
/* The executable segment of whose bytes in the file one is at vaddr; NULL: no code is there. */
const struct image_segment *image_code_segment(const struct image *image, uint64_t vaddr);
/* vaddr is in a segment of code and, where section headers say which sections hold code, in one of
 * them: a linker may put constants into the segment, too. */
bool image_is_code(const struct image *image, uint64_t vaddr);
/* Where the code around vaddr, which is in a segment of code, ends at the latest: with its section of
 * code; where section headers know of none there, with its segment's bytes. */
uint64_t image_code_end(const struct image *image, uint64_t vaddr);
/* The first program header of that type: PT_DYNAMIC and the like (gABI 4.1, chapter 5). False: none. */
bool image_program_header(const struct image *image, uint32_t type, Elf64_Phdr *ret);
/* All bytes of the file, as it was read. */
const uint8_t *image_file_bytes(const struct image *image, size_t *ret_size);

#endif
