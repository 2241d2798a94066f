/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_judge.h - rows that ran, held against where the caller's frame really was
 *
 * A run has left facts (truth/rows/row_facts.h): before an instruction the CFA was so far above rsp and rbp, and the
 * return address lay right below it. A row of whatever table is right there if the caller's rsp and the return address
 * that it gives are the true ones: where it finds them does not count. It is *wrong* if it gives another one; and
 * *unjudged*,
 * by reason, if what it says can't be known from the facts.
 *
 *	row_hold.c	one row against one fact
 *	row_image.c	all rows of an image; which FDEs and rows ran
 *	row_findings.c	wrong ones as findings, those of compare
 *	row_report.c	counts as JSON; all for people
 *	commands/executed.c	the command
 */
#ifndef STACKPROOF_ROW_JUDGE_H
#define STACKPROOF_ROW_JUDGE_H

#include <jansson.h>
#include <stdio.h>
#include "tables/rows/row_source.h"
#include "truth/executed/fault_kind.h"
#include "truth/rows/row_facts.h"

/* ---- row_hold.c ----------------------------------------------------------------------------- */

/* From what counts least to what counts most, where a row meets several facts. */
enum row_outcome {
	ROW_NEVER,   /* it did not run */
	ROW_DOUBTED, /* the truth is not known */
	ROW_RIGHT,
	ROW_UNJUDGED,
	ROW_WRONG,
	ROW_OUTCOME_COUNT,
};

enum row_reason {
	/* of ROW_DOUBTED */
	ROW_CONTRADICTED, /* a later return showed that the stack was another */
	ROW_IN_DOUBT,	  /* a return address was out of its slot */
	ROW_PREFIX,	  /* the stack was switched to: its caller isn't known */
	/* of ROW_UNJUDGED */
	ROW_OTHER_REGISTER,  /* the CFA is found by another register than rsp and rbp */
	ROW_MEMORY,	     /* it is found in memory */
	ROW_VARIES,	     /* the register that it is found by had too many different places */
	ROW_SIGNAL,	     /* a signal's frame */
	ROW_RULE,	     /* a rule that isn't evaluated, or that the table has no words for */
	ROW_RETURN_REGISTER, /* the return address is said to be in a register */
	ROW_RETURN_COPIED, /* it is said to be in another word than its slot: what was there isn't known */
	ROW_AS_CFI,	   /* it is wrong, but so is the CFI that it was made of, in the same way */
	ROW_MARKED,	   /* the table says that it has no row, and why */
	ROW_REASON_COUNT,
};
/* "other_register". */
const char *row_reason_name(enum row_reason reason);

#define ROW_TEXT_BYTES 320

struct row_verdict {
	enum row_outcome outcome;
	enum row_reason reason; /* of ROW_DOUBTED, ROW_UNJUDGED */
	enum fault_kind kind;	/* of ROW_WRONG */
	uint32_t
		registers; /* wrong ones, by DWARF number; rsp: the CFA; rip: the return address's place */
	uint32_t registers_right, registers_unjudged; /* callee-saved ones, if the fact has them */
};

/* Holds what a table says at the fact's instruction against the fact. */
void row_hold(const struct row_said *said, const struct row_fact *fact, struct row_verdict *ret);
/* Where the CFA really was: "cfa=rsp+16", "no caller". */
void row_actual_print(const struct row_fact *fact, const struct row_verdict *verdict, char *text,
		      size_t size);

/* ---- row_image.c ------------------------------------------------------------------------------ */

/* Of FDEs, rows or instructions. */
struct row_counts {
	uint64_t count[ROW_OUTCOME_COUNT];
};

struct row_coverage {
	struct row_counts fde, row, instruction;
	uint64_t fdes_whole;		     /* all rows of these ran, and were right */
	uint64_t unjudged[ROW_REASON_COUNT]; /* rows, by reason; of ROW_DOUBTED, too */
	uint64_t runs;			     /* of instructions, that were held against rows */
	uint64_t registers_right, registers_wrong,
		registers_unjudged; /* rules of callee-saved ones */
};

/* A wrong row, or code without one, as far as it ran. */
struct row_finding {
	const struct row_said *said; /* valid during the call */
	const struct row_fact *fact; /* the first one */
	const struct row_verdict *verdict;
	uint64_t pc,
		pc_end; /* from the first instruction to behind the last that ran so: its begin, and 1 byte */
	uint64_t instructions; /* that ran so */
	uint64_t runs;
};

/* What is held. */
struct row_holding {
	const struct cfi *cfi;
	const struct row_fact *fact; /* of the image, rising */
	uint32_t count;
	/* Is told each finding, by address. */
	void (*finding)(void *context, const struct row_finding *finding);
	void *context;
};

/* Fills in ret_verdict, of count elements, and *ret. own: what the CFI has come to; NULL: this is the CFI. */
void row_image_hold(const struct row_holding *holding, const struct row_source *source,
		    const struct row_verdict *own, struct row_verdict *ret_verdict,
		    struct row_coverage *ret);

/* ---- row_findings.c ---------------------------------------------------------------------------- */

struct image_path;

struct row_options {
	const struct row_facts *facts;
	const char *root;		 /* where the run's own files are; "" */
	bool compact;			 /* hold the image's compact table, too */
	const struct row_source *source; /* and these */
	size_t source_count;
};

/* Writes the image's findings, one JSON object a line, and its "executed_image" object. */
void row_file_hold(const struct row_options *options, const struct image_path *path, FILE *output);

/* ---- row_report.c ------------------------------------------------------------------------------- */

/* Adds the counts. */
void row_coverage_json(const struct row_coverage *coverage, json_t *object);
/* Prints a finding, an image's object, or the total for people. */
void row_report_print(FILE *file, const json_t *object);

#endif
