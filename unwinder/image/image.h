/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image.h - what unwinding needs of an ELF file: segments, sections with CFI, symbols, build-id
 *
 * Addresses are those of the file (p_vaddr). In a process a mapping's bias is added (address_space.h).
 */
#ifndef STACKPROOF_IMAGE_H
#define STACKPROOF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "code_digest.h"
#include "error.h"
#include "freed.h"

/* One PT_LOAD segment. */
struct image_segment {
	uint64_t vaddr;
	uint64_t memory_bytes;
	uint64_t file_offset;
	uint64_t file_bytes;
	bool executable;
};

/* A section's bytes. name is NULL if the image has no such section. data is NULL if there is none, if it is
 * empty, and if the file does not have its bytes (SHT_NOBITS: size is not 0). */
struct image_section {
	const uint8_t *data;
	size_t size;
	uint64_t vaddr;
	uint64_t file_offset;
	const char *name;
};

/* A symbol of code in .symtab or .dynsym: STT_FUNC, STT_GNU_IFUNC, or STT_NOTYPE (assembly without .type).
 * Sorted by pc. Of several symbols at one pc the best name comes first: functions, then by binding (global
 * first), then the shortest name, then by the alphabet. */
struct image_symbol {
	uint64_t pc;
	uint64_t size;	    /* st_size; may be 0 */
	uint64_t end;	    /* what it covers ends here at the latest: docs/NAMES.md */
	const char *name;   /* in the image's string table */
	uint8_t binding;    /* STB_* */
	uint8_t type;	    /* STT_* */
	uint16_t section;   /* in an object file: pc is an offset in it; else 0 */
	uint8_t visibility; /* STV_* */
};

#define BUILD_ID_MAX 64

struct image {
	char *path;
	uint16_t machine; /* EM_* */
	uint16_t type;	  /* ET_* */
	uint64_t entry;
	bool has_sections; /* the file has section headers */
	struct image_segment *segment;
	size_t segment_count;
	struct image_section eh_frame; /* the first of several: elf_section.c says which */
	unsigned int empty_eh_frames;  /* how many come before the first that has bytes */
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
	char *debug_refused; /* owned; names a debug file that was not read, and why; or NULL */
	void *priv;	     /* file mapping and libelf handle, owned by elf_image.c */
};

/* Opens and checks the ELF file at path. *ret is the caller's: image_destroy(). */
int image_create(const char *path, struct image **ret, struct error *error);
/* The same with size bytes at data, which are copied: the vDSO. name is kept as its path. */
int image_create_memory(const void *data, size_t size, const char *name, struct image **ret,
			struct error *error);
void image_destroy(struct image *image);
DEINIT_AT(image_destroy, image)
/* False: the file has been written to since, or was cut off: to read its bytes again may be the end (SIGBUS).
 * *ret_touched: its ctime says that something of it has changed: its name, mode or owner; or its bytes, and then the time
 * of that was set back. */
bool image_is_as_it_was(const struct image *image, bool *ret_touched);
/* What tells the file from another build (code_digest.h); .code is 0 if the file has been written to since. The first call
 * reads all of its code, and the image keeps the answer. */
struct code_digest image_code_digest(const struct image *image);
/* Gives back what memory the image does without until it is asked for again: symbols, ranges and stubs, and the pages of
 * its file, which stays mapped, whatever becomes of its name. What was returned of these is not valid any more. */
void image_give_back(struct image *image);
/* Takes .debug_frame and the symbols from debug, the image's separate debug file, and takes debug over. Both
 * files must have the same addresses. */
void image_adopt_debug(struct image *image, struct image *debug);
/* Adds one section .eh_frame that the file doesn't have, at address vaddr; to be called before the CFI is read.
 * first: it becomes image->eh_frame, in place of the file's. data, of malloc(), is taken over even on failure. -1:
 * no memory. (elf_section.c) */
int image_add_eh_frame(struct image *image, uint8_t *data, size_t size, uint64_t vaddr, bool first,
		       struct error *error);
/* image->eh_frame is the section that was added. */
bool image_eh_frame_is_added(const struct image *image);
/* All symbols of code, the image's. Sorting them takes longer than building a table, so the first call reads
 * them, and the image keeps them. Without memory for them *ret_count is 0. */
const struct image_symbol *image_symbols(const struct image *image, size_t *ret_count);
/* The symbol that covers vaddr, or NULL: the innermost one with a size; else one without, which reaches to the
 * next symbol or the end of its section. code_name_find() is more exact, but needs the CFI. */
const struct image_symbol *image_symbol_find(const struct image *image, uint64_t vaddr);
/* The same, if it begins at vaddr. */
const struct image_symbol *image_symbol_at(const struct image *image, uint64_t vaddr);
/* Whether a symbol of data covers vaddr, in a section of code of a linked file. */
bool image_is_data(const struct image *image, uint64_t vaddr);
/* The address of the symbol of that name, or 0. */
uint64_t image_symbol_address(const struct image *image, const char *name);
/* The file's bytes at addresses vaddr .. vaddr+size, or NULL if no segment has them all. */
const uint8_t *image_bytes(const struct image *image, uint64_t vaddr, size_t size);
/* The same for as many bytes as there are, at most `most`. NULL: there is none; *ret_size is 0. */
const uint8_t *image_bytes_most(const struct image *image, uint64_t vaddr, size_t most,
				size_t *ret_size);
/* The executable segment that has a byte of the file at vaddr, or NULL. */
const struct image_segment *image_code_segment(const struct image *image, uint64_t vaddr);
/* Whether vaddr is in an executable segment and, if section headers name sections of code, in one of these. A
 * linker may put constants into the segment, too. */
bool image_is_code(const struct image *image, uint64_t vaddr);
/* The lowest address of an executable segment at vaddr or behind it that image_is_code() holds of, as far as sections
 * tell; UINT64_MAX: none. */
uint64_t image_next_code(const struct image *image, uint64_t vaddr);
/* Where the code at vaddr, which must be in an executable segment, ends at the latest: at the end of its section
 * of code, or, without one, of its segment's bytes in the file. */
uint64_t image_code_end(const struct image *image, uint64_t vaddr);
/* The first program header of that type (PT_*; gABI 4.1, chapter 5). False: there is none. */
bool image_program_header(const struct image *image, uint32_t type, Elf64_Phdr *ret);
/* All bytes of the file, the image's. */
const uint8_t *image_file_bytes(const struct image *image, size_t *ret_size);

#endif
