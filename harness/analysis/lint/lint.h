/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint.h - is an image's CFI right where it never ran? From the bytes of its code alone
 *
 * Each function's code is followed from its entry (flow/flow.h). Before every instruction the state is held against the
 * row that the CFI declares. So every row is
 *
 *	proven		on every path that leads there the row is right
 *	mismatch	on some path it is wrong: a finding
 *	unproven	neither, with a reason: enum flow_reason (flow/flow_row.h)
 *
 *	lint_begin.c	 where functions begin, and where FDEs are entered
 *	lint_middle.c	 calls into the middle of an FDE
 *	lint_follow.c	 follows all functions of an image, each once; decides what was in doubt
 *	lint_judge.c	 holds every instruction that was reached against its row, and sums up FDEs
 *	lint_uncovered.c code that no FDE covers, and FDEs that cover more than their function
 *	lint_table.c	 holds another table than the CFI against the same states
 *	lint_executed.c	 holds findings against a run (executed/executed.h)
 *	lint_ids.c	 names and explanations of findings
 *	lint_tables.c	 all tables that an image is held against, and their counts
 *	lint_json.c, lint_text.c, lint_files.c  what programs and people read
 *
 * docs/LINT.md says what is taken for granted, and which findings there are.
 */
#ifndef STACKPROOF_LINT_H
#define STACKPROOF_LINT_H

#include <jansson.h>
#include "cfi/cfi.h"
#include "analysis/flow/flow.h"
#include "base/finding/finding_record.h"
#include "base/images/image_list.h"
#include "analysis/objects/object.h"

struct executed;

enum lint_id {
	LINT_NONE,
	LINT_CFA = 1,	       /* SP001 the CFA is elsewhere */
	LINT_RETURN = 2,       /* SP002 the return address is elsewhere */
	LINT_NOT_SAVED = 3,    /* SP003 a register is declared saved where it is not */
	LINT_OVERWRITTEN = 4,  /* SP004 a register is declared unchanged, and was overwritten */
	LINT_ENTRY = 5,	       /* SP005 the first row is not that of a function that was called */
	LINT_UNCOVERED = 6,    /* SP006 a path leads to code that no FDE covers */
	LINT_ROW_INSIDE = 7,   /* SP007 a row begins inside an instruction */
	LINT_OVERLAP = 8,      /* SP008 two FDEs cover the same code */
	LINT_SEARCH_TABLE = 9, /* SP009 .eh_frame_hdr hides an FDE, or differs from it */
	LINT_LOST = 10,	       /* SP010 a register is declared lost that is not */
	LINT_BROKEN_OFF = 11,  /* SP011 an FDE's call frame instructions break off */
	LINT_BEYOND = 12,      /* SP012 an FDE reaches beyond its function */
	LINT_SECTION = 13,     /* SP013 unwinders are not led to a section .eh_frame */
	LINT_ID_COUNT,
};

#define LINT_MEND_BYTES 48
#define LINT_MEND_FDE	".cfi_startproc" /* and .cfi_endproc behind the code */

/* What is wrong with the instructions pc .. pc_end. */
struct lint_finding {
	enum lint_id id;
	uint64_t pc, pc_end; /* pc_end is pc if only the edge from `from` is wrong */
	uint64_t from;	     /* where that edge comes from; 0: the row is wrong for all paths */
	uint64_t function;   /* where the FDE begins; 0: none */
	const char *table;   /* the row's table (lint_table.h); NULL: the CFI */
	uint8_t reg;	     /* of LINT_NOT_SAVED, LINT_OVERWRITTEN, LINT_LOST */
	char declared[FLOW_TEXT_BYTES], actual[FLOW_TEXT_BYTES];
	char mend
		[LINT_MEND_BYTES]; /* the directive that would make the row right; "": there is none */
	struct flow_trace path;	   /* one that leads to pc */
};

/* An instruction that a path leads to, and the state before it on all paths. */
struct lint_point {
	uint64_t pc;
	uint8_t length;
	uint64_t function;     /* where its FDE begins */
	const struct row *row; /* by the CFI, or NULL */
	uint32_t agreed;       /* of its FDE: registers that accuse nobody (flow_fragment.h) */
	enum flow_outcome outcome;
	enum flow_reason reason; /* of FLOW_ROW_UNPROVEN */
	bool unsure;		 /* it is in doubt whether any path leads here */
	bool returns;		 /* some path of the function comes to a return */
	bool leaves;		 /* flow_callee_pop_leaves() */
	const struct flow_row_verdict
		*verdict; /* of the row: outcome and reason are from this verdict */
	const struct flow_state *state;
};

/* What an FDE came to. */
struct lint_fde {
	uint64_t begin, end;
	enum flow_outcome outcome;
	enum flow_reason reason; /* of FLOW_ROW_UNPROVEN */
	uint64_t pc;		 /* the first instruction with that reason, or begin */
	bool unruled; /* its rows may claim nothing of a register that it uses: FLOW_ROW_UNRULED() */
};

/* Is told what lint finds. Each function but finding may be NULL. What is pointed to is valid during the call. */
struct lint_watch {
	void (*finding)(void *context, const struct lint_finding *finding);
	/* In no order. If a function has several entries, perhaps repeatedly for one instruction: the worst counts. */
	void (*point)(void *context, const struct lint_point *point);
	/* Last, once for each instruction of an FDE, but not for padding that no path leads to. reason: of
	 * FLOW_ROW_UNPROVEN; that is also the outcome if no path leads there. */
	void (*judged)(void *context, uint64_t pc, enum flow_outcome outcome,
		       enum flow_reason reason);
	/* Once for each FDE. */
	void (*fde)(void *context, const struct lint_fde *fde);
	void *context;
	bool judged_of_mismatches; /* judged is wanted only of FDEs with a mismatch */
};

/* The counts of an image. Each FDE is counted once: as mismatch if it has one, as proven if all of it is, else by the
 * first reason that was met. */
struct lint_counts {
	uint64_t fdes, proven, mismatch, unproven[FLOW_REASON_COUNT];
	uint64_t instructions, instructions_proven; /* of FDEs, without padding */
	uint64_t findings[LINT_ID_COUNT];
	uint64_t calls_not_returning; /* calls behind which the rows are another path's */
};

/* object: that the image is the layout of, or NULL; addresses are that image's. 0, or -1: no memory, or more code than
 * FLOW_IMAGE_BYTES_MAX. */
int lint_image(const struct cfi *cfi, const struct object *object, const struct lint_watch *watch,
	       struct lint_counts *ret, struct error *error);

/* ---- lint_ids.c --------------------------------------------------------------------------- */

struct lint_words {
	const char *name, *title; /* "SP001", and "the CFA is elsewhere" */
	/* What it means, with an example, how a toolchain comes to it, and what it does to unwinders. */
	const char *text;
	const char *level;   /* SARIF's: "error" where a stack becomes wrong */
	bool is_of_no_stack; /* what is wrong is not a row, so that no stack can show it */
};

extern const struct lint_words lint_ids[LINT_ID_COUNT];
/* Without a text and a level: "jump_unknown", and "a jump whose targets are unknown". */
extern const struct lint_words lint_reasons[FLOW_REASON_COUNT];

/* The id of a fault, never LINT_ENTRY. */
enum lint_id lint_id_of(enum flow_fault fault);
/* The id of that name, in whatever case; LINT_NONE: there is none. */
enum lint_id lint_id_find(const char *name);
/* Orders findings by address, id, what is wrong, and table. 0: they are equal. */
int lint_finding_compare(const struct lint_finding *a, const struct lint_finding *b);

/* ---- lint_json.c -------------------------------------------------------------------------- */

struct row_source;

struct lint_options {
	const char *function; /* NULL, or only findings in functions that match: fnmatch(3) */
	uint32_t only;	      /* a bit for each enum lint_id that is wanted */
	bool unproven;	      /* name unproven FDEs */
	bool compact;	      /* hold the image's compact table against the states, too */
	bool sframe;	      /* the same of its SFrame, if it has any */
	const struct row_source *source; /* and these tables: lint_table.h */
	size_t source_count;
	const struct executed *executed; /* a run that all is held against, or NULL */
};

/* Writes, one JSON object a line: the image's findings; the rows that were wrong in a stepped run ("lint_stepped"); and
 * its "lint" object. */
void lint_file(const struct lint_options *options, const struct image_path *path, FILE *output);

/* ---- lint_text.c -------------------------------------------------------------------------- */

/* Prints any object of lint_file()'s; or "lint_gone", a finding of a baseline that is gone; or "lint_total", the sums of
 * all images' objects. colour: of findings, with a terminal's escape sequences (ECMA-48, 8.3.117). */
void lint_text_print(FILE *file, const struct finding_record *object, bool colour);

/* Prints it like a compiler's warning, by "source_file" or else the image, with the directive that would mend it. ignored:
 * the reason, then it is a note of one line; or NULL. */
void lint_warning_print(FILE *file, const struct finding_record *finding, const char *ignored,
			bool colour);

/* ---- lint_files.c ------------------------------------------------------------------------- */

#define LINT_FILES_FULL	 3  /* up to so many findings of a file are shown one by one */
#define LINT_FILES_SHOWN 20 /* of a file with CFI so many functions without are shown */

/* Functions without CFI: a line for each file, not for each function. lint_files_end(). */
struct lint_files {
	json_t *file; /* counts and first findings by path; an archive's members count as one file */
	bool summed;  /* some file's findings were not all shown */
	uint64_t uncovered; /* functions without CFI in the image at hand, which has CFI */
	/* Of who begins: */
	bool json;   /* for programs, which are told each finding */
	bool each;   /* for people who want each */
	bool colour; /* as lint_text_print() */
};

/* Takes a finding, whatever it is. True: it needs not be told, since there are many such. */
bool lint_files_take(struct lint_files *files, const struct image_path *path,
		     const struct finding_record *finding);
/* Once all findings of the image were taken; image: its object. True: what was told here is all of it. */
bool lint_files_end_image(struct lint_files *files, const struct image_path *path,
			  const json_t *image, FILE *output);
/* Tells what was not told yet: of archives, and for programs of all files. output: NULL: nothing. Then they are empty. */
void lint_files_end(struct lint_files *files, FILE *output);

#endif
