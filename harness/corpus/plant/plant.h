/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant.h - faults planted in the call frame information of a correct image
 *
 * A detector must show that it finds faults. A planting is one fault in an FDE or a CIE of .eh_frame, made
 * by editing a copy of the file in place. No byte outside of .eh_frame and .eh_frame_hdr changes, so the
 * copy runs as the original does.
 *
 *	commands/plant.c  the command line
 *	plant_program.c		call frame instructions as a list that can be edited and written back
 *	plant_kinds.c		the list of kinds, and the kinds that change one row
 *	plant_entry.c		the kinds that change a whole FDE or CIE
 *	plant_search.c		updates the search table of .eh_frame_hdr
 *	plant_image.c		makes a planting, and finds what it changed
 *	plant_check.c		`plant --check`: the corpus, planted and compared
 *	plant_effect.c		whether a planted row would lead a walk astray, by the truth alone
 *	plant_worker.c		a program of the corpus: its runs, compared with each other
 *
 * Words: a *row* here is the group of instructions between two advances, which may be empty; rows are
 * numbered from 0. A planting is *refused* if its kind does not apply, or if it would change no row.
 */
#ifndef STACKPROOF_PLANT_H
#define STACKPROOF_PLANT_H

#include "engines/built_in/engine.h"
#include "truth/steps/decoder.h"
#include "base/gate/gate.h"
#include "cfi/cfi_instruction.h"
#include "cfi/cfi.h"

/* ---- plant_program.c -------------------------------------------------------------------- */

/* CFA_OFFSET, CFA_RESTORE and CFA_ADVANCE_LOC stand for their long forms, too. */
struct plant_program {
	struct cfi_instruction *op; /* without DW_CFA_nop */
	size_t count;
	uint8_t *bytes; /* a copy of the bytes that were read; blocks point into it */
	size_t size;	/* of bytes, into which the program must fit again */
};

/* Reads size bytes. -1, also for instructions that can't be edited: DW_CFA_set_loc,
 * DW_CFA_MIPS_advance_loc8, undefined or truncated ones. */
int plant_program_read(struct plant_program *ret, const uint8_t *bytes, size_t size,
		       struct error *error);
/* Writes the program to ret, and fills it up to size bytes with DW_CFA_nop. -1: it doesn't fit. */
int plant_program_write(const struct plant_program *program, uint8_t *ret, size_t size,
			struct error *error);
void plant_program_deinit(struct plant_program *program);
size_t plant_program_rows(const struct plant_program *program);
/* The ops of a row: [*ret_begin, *ret_end). The row's advance is at *ret_begin - 1. */
void plant_program_row(const struct plant_program *program, size_t row, size_t *ret_begin,
		       size_t *ret_end);
/* The sum of the advances up to a row, in units of the code alignment factor. */
uint64_t plant_program_advance(const struct plant_program *program, size_t row);
void plant_program_remove(struct plant_program *program, size_t at);
/* Puts op before the one at `at`. False: out of memory. */
bool plant_program_insert(struct plant_program *program, size_t at, struct cfi_instruction op);

/* ---- plant_image.c ---------------------------------------------------------------------- */

/* A range in which a planting changed the row. */
struct plant_range {
	uint64_t pc, pc_end;
	char function[96]; /* as findings name it */
	char before[256];  /* the row, or why there is none */
	char after[256];
};

/* A file for any number of plantings, each in a copy of its own. */
struct plant_image {
	struct image *image;
	struct cfi *cfi;   /* .eh_frame alone, which is edited */
	struct cfi *whole; /* all CFI, from which the table is made */
	uint8_t *file;	   /* the file's bytes */
	size_t size;
	struct decoder *decoder; /* finds where machine instructions begin */
};

int plant_image_open(struct plant_image *ret, const char *path, struct error *error);
void plant_image_close(struct plant_image *image);

/* What a kind works on. */
struct plant_site {
	const struct plant_image *source;
	const struct cfi_fde *fde;
	const struct cfi_cie *cie;
	struct plant_program program; /* the FDE's */
	size_t row;
	uint64_t seed;
	int64_t by; /* what the kinds of one function differ in: so many bytes, an opcode, which rows */
	uint8_t *file; /* the copy that is edited */
	bool in_file;  /* the kind edited file itself: program is not written back */
};

struct planting {
	const struct plant_kind *kind;
	uint64_t fde_pc; /* start of the FDE's range */
	char function[96];
	size_t row;
	uint8_t *file; /* the edited copy; owned */
	size_t size;
	struct image *image; /* of file; cfi is its CFI */
	struct cfi *cfi;
	struct plant_range *range;
	size_t range_count;
};

#define PLANT_ANY_ROW SIZE_MAX
#define SLOT_BYTES    8 /* of a register on the stack */

/* Plants kind at a row of the FDE. PLANT_ANY_ROW: at a row that the seed chooses. -1 with
 * ERROR_UNAVAILABLE: refused, error says why. */
int planting_create(const struct plant_image *image, const struct plant_kind *kind,
		    const struct cfi_fde *fde, size_t row, uint64_t seed, struct planting *ret,
		    struct error *error);
/* Writes the edited copy as an executable file. (commands/plant.c) */
int planting_write(const struct planting *planting, const char *path, struct error *error);
void planting_deinit(struct planting *planting);
/* The changed range that has vaddr; or NULL. */
const struct plant_range *planting_range(const struct planting *planting, uint64_t vaddr);
/* The number of rows of an FDE at which a kind can be tried; 1 if the kind changes whole entries. */
size_t plant_row_count(const struct plant_image *image, const struct plant_kind *kind,
		       const struct cfi_fde *fde);
/* Length in bytes of the machine instruction at vaddr; 0: it can't be decoded. */
unsigned int plant_instruction_bytes(const struct plant_image *image, uint64_t vaddr);
/* Address of the last instruction before vaddr, decoding from start; 0: not possible. */
uint64_t plant_previous_instruction(const struct plant_image *image, uint64_t start,
				    uint64_t vaddr);
/* Where the byte at in_section, in the source's .eh_frame, lies in the site's copy of the file. */
uint8_t *plant_site_bytes(const struct plant_site *site, const uint8_t *in_section);

/* ---- plant_kinds.c, plant_entry.c ------------------------------------------------------- */

struct plant_kind {
	const char *name;
	const char *summary; /* what the kind breaks */
	bool by_row;	     /* it changes one row; false: a whole entry */
	/* Edits site->program, or the file. -1 with ERROR_UNAVAILABLE: it does not apply there. */
	int (*plant)(struct plant_site *site, struct error *error);
	int64_t by; /* site->by */
};

const struct plant_kind *plant_kind_find(const char *name);
const struct plant_kind *plant_kind_at(size_t index); /* NULL after the last */
/* Sets ERROR_UNAVAILABLE with the reason, and returns -1. */
int plant_refuse(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

int plant_fde_dropped(struct plant_site *site, struct error *error);
int plant_range_shrunk(struct plant_site *site, struct error *error);
int plant_range_grown(struct plant_site *site, struct error *error);
int plant_range_stolen(struct plant_site *site, struct error *error);
int plant_start_late(struct plant_site *site, struct error *error);
int plant_ranges_swapped(struct plant_site *site, struct error *error);
int plant_return_column(struct plant_site *site, struct error *error);
int plant_data_alignment(struct plant_site *site, struct error *error);
int plant_code_alignment(struct plant_site *site, struct error *error);
int plant_initial(struct plant_site *site, struct error *error);
int plant_signal_flag(struct plant_site *site, struct error *error);

/* ---- plant_search.c --------------------------------------------------------------------- */

/* Change the search table's entry of the FDE at fde_offset in .eh_frame: its address becomes start, or the
 * entry is removed. A file without a search table is left as it is. */
int plant_search_move(const struct plant_site *site, uint64_t fde_offset, uint64_t start,
		      struct error *error);
int plant_search_remove(const struct plant_site *site, uint64_t fde_offset, struct error *error);

/* ---- plant_effect.c --------------------------------------------------------------------- */

/*
 * True if a planted row leads astray at a point: for a frame in the planted ranges, a step from the
 * frame's true registers does not give the true caller. path: the planted image's, in point->space.
 */
bool plant_has_effect(const struct planting *planting, const struct point *point, const char *path);
/* Converts pc to the planted image's own address. False: pc is not in this image. */
bool plant_image_address(const struct point *point, const char *path, uint64_t pc,
			 uint64_t *ret_vaddr);

/* ---- plant_check.c, plant_worker.c, plant_report.c -------------------------------------- */

#define PLANT_KINDS_MAX 64
#define PLANT_JOBS_MAX	64

struct plant_check_options {
	const char *corpus;
	const char *glob; /* which programs; NULL: all */
	uint64_t seed;
	unsigned int per_kind; /* plantings of each kind, over all programs */
	unsigned int programs; /* at most so many are run */
	unsigned int jobs;
	uint64_t points_max; /* programs with more points are left out */
	uint64_t least;	     /* fewer plantings are a failure */
	bool json;
	bool bpf;
	struct gate gate;
	struct cases *cases; /* gets a case for each kind; or NULL */
};

/* The outcomes of the plantings of one kind. Each planting is in one of the first five. */
struct plant_count {
	uint64_t caught;    /* every point that changed is a table fault in a planted function */
	uint64_t missed;    /* the row led astray at a point that no verdict blames */
	uint64_t misblamed; /* something else was blamed */
	uint64_t broken;    /* the run failed, or took another path */
	uint64_t unproven;  /* noticed, but not blamed, since the truth could not prove itself */
	uint64_t no_effect; /* tried, but right at every point: not counted as a planting */
};

/* In memory that all workers share; counted atomically. */
struct plant_tally {
	struct plant_count kind[PLANT_KINDS_MAX];
	uint64_t next;	/* index of the program to be taken next */
	uint64_t taken; /* programs of which something could be run */
	uint64_t programs, functions, points, faults;
	uint64_t left_out_long, left_out_threads, left_out_status, left_out_faulty;
	uint64_t left_out_no_cfi;
	uint64_t left_out_doubt; /* the truth is unproven at points, so plantings might be, too */
	uint64_t
		left_out_overlap; /* FDEs overlap, or are empty: which FDE counts depends on the reader */
	uint64_t skipped, failed;
	uint64_t without_bpf;
};

/* Plants and compares the corpus. Returns the exit status. */
int plant_check(const struct plant_check_options *options);

struct corpus_binary;
/* Makes a program's share of the plantings, in copies in folder. -1: the environment failed. */
int plant_check_program(const struct plant_check_options *options,
			const struct corpus_binary *binary, const char *folder,
			struct plant_tally *tally, struct error *error);

#endif
