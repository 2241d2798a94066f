/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed.h - which instructions of which images ran, and whether their rows were right then
 *
 * `stackproof lint` compares its findings about code with a run of that code. A run comes from one of four sources;
 * the fourth, a program that is stepped now, is judge/stepping/executed_step.c:
 *
 *	executed_truth.c	a truth file (truth_file.h): where threads stood, and which calls were open
 *	executed_rows.c		a file of `watch --rows` (row_facts.h): which instructions ran in an emulated guest
 *	executed_results.c	results of compare, or of executed: some of the rows that were wrong
 *	executed.c		all of them as sorted lists of places and faults
 *	executed_image.c	which of the run's images a file is
 *	fault_kind.c		the names of what can be wrong with a row
 *
 * A *place* is an instruction and the instruction that was executed before it: the path to an instruction may matter.
 * A *fault* is a place whose row the truth has proven wrong, as compare judges it (verdict.h).
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
	uint64_t points; /* how often a thread stood there */
	uint64_t calls;	 /* points while the call was open whose last byte is at pc */
	/* Of points, if rows were compared with the truth: */
	uint64_t right;	  /* CFA, return address and callee-saved registers are the true ones */
	uint64_t doubted; /* the truth could not prove itself */
	/* Bits of callee-saved registers, by DWARF number: the caller had several values in the register,
	 * and the row restored each of them. */
	uint32_t varied;
	uint64_t value[CALLEE_SAVED_COUNT]; /* of these registers when the row was first right */
	bool valued;			    /* value is set */
};

/* A row that was wrong. */
struct executed_fault {
	uint32_t image;
	uint64_t pc;   /* that was looked up; in a caller's frame, within its call */
	uint64_t from; /* as of a place; 0 in a caller's frame */
	enum fault_kind kind;
	bool lost;	    /* registers are not wrong: the row says that they can't be recovered */
	uint32_t registers; /* wrong ones, by DWARF number; rsp: the CFA; rip: the caller */
	uint64_t count, doubted;
};

struct executed {
	bool stepped;	/* rows were compared with the truth */
	bool recorded;	/* read from results: some wrong rows are known, and nothing else */
	bool partial;	/* the run did not come to its end */
	uint64_t every; /* so many instructions have one point */
	uint64_t points, doubted;
	struct context_tree images; /* only its images are used */
	struct executed_place *place;
	uint32_t place_count;
	struct executed_fault *fault;
	uint32_t fault_count;
	struct number_map place_map, fault_map; /* until executed_sort() */
};

/* ---- executed.c --------------------------------------------------------------------------- */

int executed_init(struct executed *executed, struct error *error);
void executed_deinit(struct executed *executed);
/* The number of a place or a fault, from 1 on; a new one is added. 0: no memory. Not after executed_sort(). */
uint32_t executed_place(struct executed *executed, uint32_t image, uint64_t pc, uint64_t from);
uint32_t executed_fault(struct executed *executed, const struct executed_fault *fault);
/* Sorts places and faults by image and address, when the last was added. */
void executed_sort(struct executed *executed);
/* Finds the places, or faults, of an image from begin to before end. Returns how many; *ret: the first,
 * borrowed. */
uint32_t executed_places(const struct executed *executed, uint32_t image, uint64_t begin,
			 uint64_t end, const struct executed_place **ret);
uint32_t executed_faults(const struct executed *executed, uint32_t image, uint64_t begin,
			 uint64_t end, const struct executed_fault **ret);

/* ---- executed_truth.c --------------------------------------------------------------------- */

/* Fills ret from a truth file's stacks. Fails as truth_file_open(). To be freed by executed_deinit(). */
int executed_read_truth(const char *path, struct executed *ret, struct error *error);

/* ---- executed_rows.c ------------------------------------------------------------------------ */

/* The same from a file of facts about rows. Fails as row_facts_read(). */
int executed_read_rows(const char *path, struct executed *ret, struct error *error);

/* ---- executed_results.c ------------------------------------------------------------------- */

/* Fills ret from the NDJSON of `compare`, `run` or `executed`. ERROR_TEXT_SYNTAX, with the line as offset: it is no such
 * file, or has no complete run. Call executed_deinit() in any case. */
int executed_read_results(const char *path, struct executed *ret, struct error *error);

/* ---- executed_image.c --------------------------------------------------------------------- */

/* Whether a file is an image of the run. */
enum executed_identity {
	EXECUTED_NOT_LOADED, /* it is none of them */
	EXECUTED_BUILD_ID,   /* an image has the same build-id */
	EXECUTED_PATH, /* an image has the same path, and nothing tells whether it is this file */
	EXECUTED_CHANGED, /* an image has the same path, and another build-id, or other code */
	EXECUTED_DIGEST,  /* neither has a build-id, and an image has the same code */
	EXECUTED_IDENTITY_COUNT,
};
/* "changed"; and for this name "the run had another build of it", or "" if the name is unknown. */
const char *executed_identity_name(enum executed_identity identity);
const char *executed_identity_title(const char *name);
/* The run had this file: what ran says something of it. */
bool executed_is_file(enum executed_identity identity);
/* *ret: the image's number, unless it is EXECUTED_NOT_LOADED. */
enum executed_identity executed_find_image(const struct executed *executed,
					   const struct image *image, const char *path,
					   uint32_t *ret);
/* The path of the next image that is a file, from number *at on; moves *at behind it. Borrowed. NULL: there
 * are no more. */
const char *executed_next_file(const struct executed *executed, size_t *at);

#endif
