/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed.h - which instructions of which images ran, and whether their rows were right then
 *
 * What `stackproof lint` says of code that nobody ran is held against a run. There are three ways
 * to it; the third, a program stepped now, is judge/stepping/executed_step.c:
 *
 *	executed_truth.c	a truth file (truth_file.h): where threads stood, and what had called
 *	executed_results.c	what compare has written of runs: some of the rows that were wrong
 *	executed.c		all of that as sorted lists of places
 *	executed_image.c	which of the run's images a file is
 *	fault_kind.c		what can be wrong with a row, in a word
 *
 * A place is an instruction, and the one before it: what leads to it may matter. A fault is a place
 * whose row the truth has proven wrong, as compare judges it (verdict.h).
 */
#ifndef STACKPROOF_EXECUTED_H
#define STACKPROOF_EXECUTED_H

#include "truth/contexts/contexts.h"
#include "fault_kind.h"
#include "image/image.h"
#include "number_map.h"

/* An instruction of an image at which a thread stood. */
struct executed_place {
	uint32_t image;
	uint64_t pc;
	/* The instruction that the thread had executed before, in the same image; 0: none, or it
	 * is not known. */
	uint64_t from;
	uint64_t points; /* how often */
	uint64_t calls;	 /* points below the call that pc is the last byte of */
	/* Of points, if rows were held against the truth: */
	uint64_t right;	  /* CFA, return address and callee-saved registers are the true ones */
	uint64_t doubted; /* the truth could not prove itself */
	/* A bit for each callee-saved register (its DWARF number): the caller had several values in
	 * it, and the row brought each back. */
	uint32_t varied;
	uint64_t value[CALLEE_SAVED_COUNT]; /* that it had when the row was right first */
	bool valued;			    /* there are such */
};

/* A row that was wrong. */
struct executed_fault {
	uint32_t image;
	uint64_t pc;   /* looked up: of a caller's frame, in its call */
	uint64_t from; /* as of a place; of a caller's frame 0 */
	enum fault_kind kind;
	bool lost;	    /* a register is not wrong: the row says that it can't be recovered */
	uint32_t registers; /* that were wrong, by DWARF number; rsp: the CFA; rip: the caller */
	uint64_t count, doubted;
};

struct executed {
	bool stepped; /* rows were held against the truth */
	bool recorded; /* by somebody else, who says of some places that they were wrong, and no more */
	bool partial;	/* the run did not come to its end */
	uint64_t every; /* a point at each so many instructions */
	uint64_t points, doubted;
	struct context_tree images; /* only its images */
	struct executed_place *place;
	uint32_t place_count;
	struct executed_fault *fault;
	uint32_t fault_count;
	struct number_map place_map, fault_map; /* until executed_sort() */
};

/* ---- executed.c --------------------------------------------------------------------------- */

int executed_init(struct executed *executed, struct error *error);
void executed_deinit(struct executed *executed);
/* The number of a place, or a fault, from 1 on: added if it is new. 0: no memory. Only before
 * executed_sort(). */
uint32_t executed_place(struct executed *executed, uint32_t image, uint64_t pc, uint64_t from);
uint32_t executed_fault(struct executed *executed, const struct executed_fault *fault);
/* By image, address and way. */
void executed_sort(struct executed *executed);
/* The places of an image from begin to before end: how many, and the first. */
uint32_t executed_places(const struct executed *executed, uint32_t image, uint64_t begin,
			 uint64_t end, const struct executed_place **ret);
uint32_t executed_faults(const struct executed *executed, uint32_t image, uint64_t begin,
			 uint64_t end, const struct executed_fault **ret);

/* ---- executed_truth.c --------------------------------------------------------------------- */

/* Of a truth file's stacks. Fails as truth_file_open(). ret: executed_deinit(). */
int executed_read_truth(const char *path, struct executed *ret, struct error *error);

/* ---- executed_results.c ------------------------------------------------------------------- */

/* Of the NDJSON of `compare` or `run`. ERROR_TEXT_SYNTAX with the line as offset: it is none, or has not
 * one whole run. ret: executed_deinit(), in any case. */
int executed_read_results(const char *path, struct executed *ret, struct error *error);

/* ---- executed_image.c --------------------------------------------------------------------- */

/* Is a file an image of the run? */
enum executed_identity {
	EXECUTED_NOT_LOADED, /* none of them */
	EXECUTED_BUILD_ID,   /* it has that build-id */
	EXECUTED_PATH,	     /* neither has a build-id, or only one; it lies where the image lay */
	EXECUTED_CHANGED,    /* it lies there, and has another build-id */
	EXECUTED_IDENTITY_COUNT,
};
/* "changed"; by that name "the run had another build of it", "" if there is none of it. */
const char *executed_identity_name(enum executed_identity identity);
const char *executed_identity_title(const char *name);
enum executed_identity executed_find_image(const struct executed *executed,
					   const struct image *image, const char *path,
					   uint32_t *ret);
/* The first of image's path that is a file's, by number from *at on; NULL: there are no more. */
const char *executed_next_file(const struct executed *executed, size_t *at);

#endif
