/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe.h - the SFrame format: what a walk needs of each function, without call frame instructions
 *
 *	sframe_section.c	headers and the index of functions
 *	sframe_by_pc.c		functions in order of PC, and the function of a PC
 *	sframe_rows.c		a function's rows, as they are stored
 *	sframe_canonical.c	a row as a canonical row (cfi.h), x86-64 only
 *	sframe_foreign.c	the section of a file for AArch64 or s390x
 *
 * Section .sframe: a header, then an index with an entry for each function, then the functions' rows. Linkers that
 * don't know the format put the sections of their inputs one behind the other: then there are several headers.
 *
 * A row (the specification's "frame row entry", FRE) says how the CFA, the return address (RA) and the caller's frame
 * pointer (FP) are found; of other registers SFrame says nothing. Specification: "The SFrame Format", version 3 of
 * 2026-10-21 with the changes since versions 1 and 2. docs/SFRAME.md says what is read how.
 */
#ifndef STACKPROOF_SFRAME_H
#define STACKPROOF_SFRAME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "cfi/cfi.h"
#include "image/image.h"

/* ---- sframe_section.c ------------------------------------------------------------------------ */

#define SFRAME_MAGIC	    0xdee2u
#define SFRAME_HEADER_BYTES 28u

#define SFRAME_BLOCKS_MAX (1u << 17) /* of functions that repeat: entries of PLTs, of a file */

enum sframe_flag {
	SFRAME_SORTED = 0x1,	    /* the index is in order of PC */
	SFRAME_FRAME_POINTER = 0x2, /* versions 1 and 2: all functions keep the frame pointer */
	SFRAME_START_PCREL = 0x4,   /* a function's start counts from its own field */
};

enum sframe_machine {
	SFRAME_AARCH64_BIG = 1,
	SFRAME_AARCH64 = 2,
	SFRAME_AMD64 = 3,
	SFRAME_S390X = 4,
};

/* One header. Offsets are in its section, and checked: index_offset .. + function_count entries, and rows_offset ..
 * rows_offset + rows_bytes lie in the section. */
struct sframe_header {
	const struct image_section *section;
	uint32_t offset;
	uint32_t index_offset;
	uint32_t rows_offset;
	uint32_t rows_bytes;
	uint32_t function_count; /* as the header says */
	uint32_t row_count;	 /* the same */
	uint32_t end;		 /* where the header's last byte of rows ends */
	uint8_t version;	 /* 1, 2 or 3 */
	uint8_t flags;		 /* enum sframe_flag */
	uint8_t machine;	 /* enum sframe_machine */
	bool big_endian;
	bool from_field; /* starts count from their fields, whatever the flags say: an object file */
	int8_t fixed_fp; /* the FP is at cfa + this in each row; 0: it is not */
	int8_t fixed_ra; /* the same of the RA */
	uint8_t auxiliary_bytes;
};

/* An entry of the index, with what version 3 keeps before the rows. */
struct sframe_function {
	uint64_t pc_begin; /* an image address; in an object file an offset in the code's section */
	uint32_t pc_range;
	uint32_t header;      /* number in sframe.header */
	uint32_t offset;      /* of the entry in the section */
	uint32_t rows_offset; /* of the first row in the section */
	uint32_t row_count;
	uint8_t start_bytes; /* of a row's start: 1, 2 or 4 */
	uint8_t repeat;	     /* with repeats: the block's size; version 1 has none: 0 */
	bool repeats; /* PCMASK: the rows are those of a block, which comes again until the function ends */
	bool signal_frame;
	bool flexible;	/* version 3: rules by any register */
	bool outermost; /* version 3: no rows, and this is the end of the stack */
	bool key_b;	/* AArch64: the return address is signed by key B */
};

struct sframe {
	const struct image *image; /* NULL: of another machine */
	struct sframe_header *header;
	size_t header_count;
	struct sframe_function *function; /* readable ones, in the section's order */
	size_t function_count;
	/* Indices of the functions with a range, sorted by pc_begin, then by offset. */
	uint32_t *by_pc;
	size_t by_pc_count;
	uint64_t *reach; /* private to sframe_by_pc.c; NULL: no two functions share a PC */
	struct error_list
		diagnostics; /* one for each header or function that could not be read in full */
};

/*
 * Reads all sections .sframe of the image, or where PT_GNU_SFRAME leads. What can't be read is left out, with a
 * diagnostic that names section and offset. -1: ERROR_NO_SFRAME: there is none; ERROR_MEMORY; or none could be read at
 * all: the first diagnostic. *ret: sframe_destroy(). image is borrowed.
 */
int sframe_create(const struct image *image, struct sframe **ret, struct error *error);
/* The same with one section's bytes, borrowed. object: of an object file, whose relocations were resolved: starts
 * count from their fields. bounded: bytes behind the last header that are none are an error. */
struct sframe_input {
	const struct image_section *section;
	bool object;
	bool bounded;
};
int sframe_create_sections(const struct sframe_input *input, size_t count, struct sframe **ret,
			   struct error *error);
void sframe_destroy(struct sframe *sframe);
DEINIT_AT(sframe_destroy, sframe)
/* False: some header is of another machine than x86-64. */
bool sframe_is_amd64(const struct sframe *sframe);
/* How long the index's entries of a version are. */
unsigned int sframe_index_bytes(unsigned int version);
/* Adds all errors to ret: the diagnostics, functions with malformed rows, and where counts, flags or functions
 * contradict each other. */
void sframe_check(const struct sframe *sframe, struct error_list *ret);

/* In an object file, the number of the section that the function's code is in; 0: no relocation says it. */
uint16_t sframe_code_section(const struct sframe *sframe, const struct sframe_function *function);

/* ---- sframe_by_pc.c -------------------------------------------------------------------------- */

/* Makes by_pc of function[]. */
int sframe_order(struct sframe *sframe, struct error *error);
/* The function that covers pc, or NULL; of several that with the highest pc_begin. */
const struct sframe_function *sframe_function_find(const struct sframe *sframe, uint64_t pc);
/* The lowest pc_begin of a function behind pc; UINT64_MAX: none. */
uint64_t sframe_next_begin(const struct sframe *sframe, uint64_t pc);

/* ---- sframe_rows.c --------------------------------------------------------------------------- */

enum sframe_rule_kind {
	SFRAME_NO_RULE, /* FP: still in its register; RA: the same, where the machine has such a register */
	SFRAME_AT_CFA,	    /* *(cfa + offset) */
	SFRAME_IS_CFA,	    /* cfa + offset */
	SFRAME_AT_REGISTER, /* *(reg + offset) */
	SFRAME_IS_REGISTER, /* reg + offset */
};

struct sframe_rule {
	enum sframe_rule_kind kind;
	uint32_t reg; /* DWARF number */
	int32_t offset;
	bool fixed;  /* the row doesn't say it, the header does */
	bool padded; /* flexible: the row says that it says nothing */
};

#define SFRAME_WORDS_MAX 15

/* A row. start .. end are bytes from the function's begin, or from a block's, if the function repeats. */
struct sframe_row {
	uint32_t start, end;
	uint32_t offset; /* in the section */
	uint8_t info;	 /* the row's info byte */
	uint8_t word_count;
	uint8_t word_bytes;
	bool by_sp;	/* default rows: the CFA's base is SP, not FP */
	bool outermost; /* no words: the end of the stack */
	bool ra_signed;
	int32_t word[SFRAME_WORDS_MAX];
	struct sframe_rule cfa, ra, fp;
};

/* Is given each row in order, valid during the call. Anything but 0 ends sframe_rows(), which returns it: no negative
 * number, for -1 is an error. */
typedef int (*sframe_row_fn)(void *context, const struct sframe_row *row);
/* -1: a row is malformed; those before it have been given. */
int sframe_rows(const struct sframe *sframe, const struct sframe_function *function,
		sframe_row_fn fn, void *context, struct error *error);
/* The DWARF numbers of SP and FP on that machine. */
unsigned int sframe_sp(uint8_t machine);
unsigned int sframe_fp(uint8_t machine);
/* The size of the function's block: version 1 has none stored, and PLTs of x86-64 have blocks of 16 bytes. */
uint32_t sframe_repeat(const struct sframe_function *function);

/* ---- sframe_canonical.c ---------------------------------------------------------------------- */

#define SFRAME_EXPRESSION_BYTES 64

/* A canonical row, and the expressions of its rules. */
struct sframe_canonical {
	struct row row;
	uint8_t expression[SFRAME_EXPRESSION_BYTES];
};

/*
 * What the row says, without PCs. rbx and r12 to r15 are undefined: SFrame doesn't say where they are saved. At an
 * outermost frame RA is undefined, and the CFA, which SFrame doesn't say and no walk uses, is rsp+8. row NULL: of a
 * function that is outermost. The header must be AMD64's.
 */
void sframe_canonical(const struct sframe *sframe, const struct sframe_function *function,
		      const struct sframe_row *row, struct sframe_canonical *ret);
/* The row at pc. 1: *ret is set, with PCs from .. to which it holds; 0: there is none (ret->row.pc and pc_end say from
 * where to where); -1: the function's rows are malformed. */
int sframe_canonical_find(const struct sframe *sframe, uint64_t pc, struct sframe_canonical *ret,
			  struct error *error);
/* The same in a function that covers pc, whatever other functions do. */
int sframe_canonical_in(const struct sframe *sframe, const struct sframe_function *function,
			uint64_t pc, struct sframe_canonical *ret, struct error *error);
/* Gives the canonical rows of a function to fn, in order of PC: those of a block as often as it comes. Returns as
 * sframe_rows(). */
int sframe_canonical_rows(const struct sframe *sframe, const struct sframe_function *function,
			  cfi_row_fn fn, void *context, struct error *error);

/* ---- sframe_foreign.c ------------------------------------------------------------------------ */

/* A file's section .sframe, whatever the file's machine and byte order; relocated, if it is an object file for AArch64,
 * s390x or x86-64. *ret: sframe_foreign_close(). */
struct sframe_foreign;
int sframe_foreign_open(const char *path, struct sframe_foreign **ret, struct error *error);
const struct sframe *sframe_foreign_get(const struct sframe_foreign *foreign);
void sframe_foreign_close(struct sframe_foreign *foreign);

#endif
