/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant.h - faults planted in the call frame information of a correct image
 *
 * A detector is only believed once it has found faults that somebody put there. A planting is one
 * fault in one function's (or one CIE's) part of .eh_frame, made by editing a copy of the file in
 * place: no byte outside of .eh_frame and .eh_frame_hdr changes, so the copy runs as the original
 * does.
 *
 *	commands/plant.c  the command line
 *	plant_program.c		call frame instructions as a list that can be edited and written back
 *	plant_kinds.c		the kinds: table, and those of one row
 *	plant_entry.c		the kinds of a whole FDE or CIE
 *	plant_search.c		the search table of .eh_frame_hdr, kept true
 *	plant_image.c		one planting from begin to end, and what it changed
 *	plant_check.c		`plant --check`: the corpus, planted and compared
 *	plant_effect.c		whether a planted row would lead a run astray, from the truth alone
 *	plant_worker.c		one program of the corpus: its runs, held against each other
 *
 * Words: a *row* here is a group of instructions between two advances, numbered from 0; it may be
 * without instructions. A planting is *refused* where the kind does not apply, or where it would
 * leave every row as it was.
 */
#ifndef STACKPROOF_PLANT_H
#define STACKPROOF_PLANT_H

#include "engines/built_in/engine.h"
#include "truth/tracer/decoder.h"
#include "base/gate/gate.h"
#include "cfi/cfi_instruction.h"
#include "cfi/cfi.h"

/* ---- plant_program.c -------------------------------------------------------------------- */

/* CFA_OFFSET, CFA_RESTORE and CFA_ADVANCE_LOC stand for the long forms, too. Blocks are in the
 * program's own copy. */
struct plant_program {
	struct cfi_instruction *op; /* without DW_CFA_nop */
	size_t count;
	uint8_t *bytes; /* a copy of what was read; blocks point into it */
	size_t size;	/* of it: what the program must fit in again */
};

/* Reads size bytes. Fails on what can't be edited: DW_CFA_set_loc, DW_CFA_MIPS_advance_loc8,
 * undefined or truncated ones. */
int plant_program_read(struct plant_program *ret, const uint8_t *bytes, size_t size,
		       struct error *error);
/* Writes the program into exactly size bytes at ret, the rest DW_CFA_nop. Fails if it doesn't
 * fit. */
int plant_program_write(const struct plant_program *program, uint8_t *ret, size_t size,
			struct error *error);
void plant_program_deinit(struct plant_program *program);
size_t plant_program_rows(const struct plant_program *program);
/* The ops of a row: [*ret_begin, *ret_end). The advance that leads to it is at *ret_begin - 1. */
void plant_program_row(const struct plant_program *program, size_t row, size_t *ret_begin,
		       size_t *ret_end);
/* What the advances up to a row add up to (factored). */
uint64_t plant_program_advance(const struct plant_program *program, size_t row);
void plant_program_remove(struct plant_program *program, size_t at);
/* Puts op before the one at `at`. False: out of memory. */
bool plant_program_insert(struct plant_program *program, size_t at, struct cfi_instruction op);

/* ---- plant_image.c ---------------------------------------------------------------------- */

/* Where a planting changed what the table says. */
struct plant_range {
	uint64_t pc, pc_end;
	char function[96]; /* as findings name it */
	char before[256];  /* the row, or why there is none */
	char after[256];
};

/* A file whose CFI can be planted with faults, one after the other. */
struct plant_image {
	struct image *image;
	struct cfi *cfi;   /* .eh_frame, which is edited */
	struct cfi *whole; /* what its table is made of */
	uint8_t *file;	   /* as it is on disk */
	size_t size;
	struct decoder *decoder; /* of the machine code: where instructions begin */
};

int plant_image_open(struct plant_image *ret, const char *path, struct error *error);
void plant_image_close(struct plant_image *image);

/* What a kind works on. */
struct plant_site {
	const struct plant_image *source;
	const struct cfi_fde *fde;
	const struct cfi_cie *cie;
	struct plant_program program; /* of the FDE */
	size_t row;
	uint64_t seed;
	uint8_t *file; /* the copy that is edited */
	bool in_file;  /* the kind edited the file itself: the program is not written back */
};

struct planting {
	const struct plant_kind *kind;
	uint64_t fde_pc; /* the function's FDE */
	char function[96];
	size_t row;
	uint8_t *file; /* owned */
	size_t size;
	struct image *image; /* of file, with its CFI */
	struct cfi *cfi;
	struct plant_range *range;
	size_t range_count;
};

#define PLANT_ANY_ROW SIZE_MAX
#define SLOT_BYTES    8 /* of a register on the stack */

/* Plants kind at a row of the FDE. Fails with ERROR_UNAVAILABLE and the reason where it does not
 * apply. PLANT_ANY_ROW: the seed chooses one at which it does. */
int planting_create(const struct plant_image *image, const struct plant_kind *kind,
		    const struct cfi_fde *fde, size_t row, uint64_t seed, struct planting *ret,
		    struct error *error);
/* Writes the file, executable. (plant.c) */
int planting_write(const struct planting *planting, const char *path, struct error *error);
void planting_deinit(struct planting *planting);
const struct plant_range *planting_range(const struct planting *planting, uint64_t vaddr);
/* The rows of an FDE's program that a kind can be tried at: 1 for those of whole entries. */
size_t plant_row_count(const struct plant_image *image, const struct plant_kind *kind,
		       const struct cfi_fde *fde);
/* Length of the machine instruction at vaddr, or 0. */
unsigned int plant_instruction_bytes(const struct plant_image *image, uint64_t vaddr);
/* Start of the last instruction before vaddr, decoding from start; 0 if that is not possible. */
uint64_t plant_previous_instruction(const struct plant_image *image, uint64_t start,
				    uint64_t vaddr);
/* Where a byte of .eh_frame lies in the site's copy of the file. */
uint8_t *plant_site_bytes(const struct plant_site *site, const uint8_t *in_section);

/* ---- plant_kinds.c, plant_entry.c ------------------------------------------------------- */

struct plant_kind {
	const char *name;
	const char *summary; /* what it breaks */
	bool by_row;	     /* else it is the same whatever the row */
	/* Edits site->program, or the file. -1 with ERROR_UNAVAILABLE: it does not apply there. */
	int (*plant)(struct plant_site *site, struct error *error);
};

const struct plant_kind *plant_kind_find(const char *name);
const struct plant_kind *plant_kind_at(size_t index); /* NULL after the last */
/* "does not apply": returns -1. */
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
int plant_initial_cfa(struct plant_site *site, struct error *error);
int plant_initial_return(struct plant_site *site, struct error *error);
int plant_signal_flag(struct plant_site *site, struct error *error);

/* ---- plant_search.c --------------------------------------------------------------------- */

/* The entry of the FDE at fde_offset of .eh_frame in the file's search table: its start becomes
 * start, or it is removed. No table: nothing to do. */
int plant_search_move(const struct plant_site *site, uint64_t fde_offset, uint64_t start,
		      struct error *error);
int plant_search_remove(const struct plant_site *site, uint64_t fde_offset, struct error *error);

/* ---- plant_effect.c --------------------------------------------------------------------- */

/*
 * True if a planted row leads astray at a point: for some frame that is looked up in the planted
 * ranges, stepping from the frame's true registers does not give its true caller. space has the
 * planted image, path is its path.
 */
bool plant_has_effect(const struct planting *planting, const struct point *point, const char *path);
/* The address in the planted image that pc stands for. False: it is in another one. */
bool plant_image_address(const struct point *point, const char *path, uint64_t pc,
			 uint64_t *ret_vaddr);

/* ---- plant_check.c, plant_worker.c, plant_report.c -------------------------------------- */

#define PLANT_KINDS_MAX 64
#define PLANT_JOBS_MAX	64

struct plant_check_options {
	const char *corpus;
	const char *glob; /* programs, or NULL */
	uint64_t seed;
	unsigned int per_kind; /* plantings of each kind, over all programs */
	unsigned int programs; /* at most so many are run */
	unsigned int jobs;
	uint64_t points_max; /* programs with longer runs are left out */
	uint64_t least;	     /* fewer plantings are a failure */
	bool json;
	bool bpf;
	struct gate gate;
	struct cases *cases; /* each kind is one; NULL: nobody wants them */
};

/* What became of the plantings of one kind. Every one is in one of the first five. */
struct plant_count {
	uint64_t caught;    /* each point that changed is a table fault in what was planted */
	uint64_t missed;    /* the row led astray, and no point or not every point says so */
	uint64_t misblamed; /* something else was blamed */
	uint64_t broken;    /* the run itself failed or was another one */
	uint64_t unproven;  /* noticed, but the truth could not prove itself: nobody was blamed */
	uint64_t no_effect; /* tried, and right at every point of the run: not a planting */
};

/* In memory that all workers share; counted atomically. */
struct plant_tally {
	struct plant_count kind[PLANT_KINDS_MAX];
	uint64_t next;	/* index of the program to be taken next */
	uint64_t taken; /* programs of which something could be run */
	uint64_t programs, functions, points, faults;
	uint64_t left_out_long, left_out_threads, left_out_status, left_out_faulty;
	uint64_t left_out_no_cfi;
	uint64_t left_out_doubt; /* the truth is in doubt: what is planted may stay unproven */
	uint64_t
		left_out_overlap; /* FDEs over one another, or without code: which one holds is the reader's to say */
	uint64_t skipped, failed;
	uint64_t without_bpf;
};

/* Plants and compares the corpus in a folder with a manifest.tsv; the exit status. */
int plant_check(const struct plant_check_options *options);

struct corpus_binary;
/* Plants one program as often as it should be; folder is for the copies. -1: the environment. */
int plant_check_program(const struct plant_check_options *options,
			const struct corpus_binary *binary, const char *folder,
			struct plant_tally *tally, struct error *error);

#endif
