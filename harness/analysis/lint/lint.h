/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint.h - is an image's CFI right where nobody ran it? From the bytes of its code alone
 *
 * Each function's code is followed from its entry (flow/flow.h). At every instruction what is known
 * there is held against the row that the CFI declares. So every row is
 *
 *	proven		the code has what the row declares, on every path that leads there
 *	mismatch	on some path it has something else: a finding
 *	unproven	nobody knows, with the reason: enum flow_reason (flow/flow_row.h)
 *
 *	lint_begin.c	 where functions begin, and where FDEs are entered
 *	lint_middle.c	 code in the middle of an FDE that is called
 *	lint_follow.c	 all functions of an image, each once; what is doubtful when all are known
 *	lint_judge.c	 every instruction that was reached, against its row, and what FDEs come to
 *	lint_uncovered.c code that no FDE covers, and FDEs that cover what is none of their function
 *	lint_table.c	 other tables than the CFI, held against the same
 *	lint_executed.c	 findings, held against what ran (executed/executed.h)
 *	lint_ids.c	 what a finding is called, and what it means
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
	LINT_UNCOVERED = 6,    /* SP006 code that is reached, and no FDE covers it */
	LINT_ROW_INSIDE = 7,   /* SP007 a row begins inside an instruction */
	LINT_OVERLAP = 8,      /* SP008 two FDEs cover the same code */
	LINT_SEARCH_TABLE = 9, /* SP009 .eh_frame_hdr hides an FDE, or differs from it */
	LINT_LOST = 10,	       /* SP010 a register is declared lost that is not */
	LINT_BROKEN_OFF = 11,  /* SP011 an FDE's instructions have no meaning from some on */
	LINT_BEYOND = 12,      /* SP012 an FDE reaches beyond its function */
	LINT_SECTION = 13,     /* SP013 a section .eh_frame that unwinders are not led to */
	LINT_ID_COUNT,
};

#define LINT_MEND_BYTES 48
#define LINT_MEND_FDE	".cfi_startproc" /* and .cfi_endproc behind the code */

/* What is wrong at pc .. pc_end. */
struct lint_finding {
	enum lint_id id;
	uint64_t pc, pc_end; /* the instructions */
	uint64_t from;	     /* the jump that leads there, if other paths agree; else 0 */
	uint64_t function;   /* where the FDE begins; 0: none */
	const char *table;   /* whose row it is, if not the CFI's: lint_table.h; else NULL */
	uint8_t reg;	     /* of LINT_NOT_SAVED, LINT_OVERWRITTEN, LINT_LOST */
	char declared[FLOW_TEXT_BYTES], actual[FLOW_TEXT_BYTES];
	char mend
		[LINT_MEND_BYTES]; /* the directive that would make the row right; "": no single one */
	struct flow_trace path;	   /* on which it comes there */
};

/* An instruction that a path leads to, and what is known before it on all paths. */
struct lint_point {
	uint64_t pc;
	uint8_t length;
	uint64_t function;     /* where its FDE begins */
	const struct row *row; /* the declared one, or NULL */
	uint32_t agreed;       /* registers of which no row of the FDE is held against it */
	enum flow_outcome outcome;
	enum flow_reason reason; /* of FLOW_ROW_UNPROVEN */
	bool unsure;  /* only entries of jump tables lead here that may be none of theirs */
	bool returns; /* some path of the function comes to a return */
	bool leaves;  /* this one does, straight on: flow_callee_pop_leaves() */
	const struct flow_row_verdict
		*verdict; /* of flow_row.h: the declared row's, more exactly */
	const struct flow_state *state;
};

/* What an FDE came to. */
struct lint_fde {
	uint64_t begin, end;
	enum flow_outcome outcome;
	enum flow_reason reason; /* of FLOW_ROW_UNPROVEN, */
	uint64_t pc;		 /* and the first instruction that is, or its begin */
	bool unruled; /* of a register that it uses it may claim nothing: FLOW_ROW_UNRULED() */
};

/* Who wants to know; each may be NULL, but for finding. What is pointed to is valid for the call. */
struct lint_watch {
	void (*finding)(void *context, const struct lint_finding *finding);
	/* In no order; more than once if a function has several entries: the worst counts. */
	void (*point)(void *context, const struct lint_point *point);
	/* At last, once for each instruction of an FDE, padding that no path leads to left out. reason: of
	 * FLOW_ROW_UNPROVEN; for one that no path leads to, too. */
	void (*judged)(void *context, uint64_t pc, enum flow_outcome outcome,
		       enum flow_reason reason);
	/* Each FDE once. */
	void (*fde)(void *context, const struct lint_fde *fde);
	void *context;
	bool judged_of_mismatches; /* judged: of FDEs that have one alone */
};

/* What an image came to. FDEs are counted once: one with a mismatch is that, one of which all is
 * proven is proven, of another the first reason that was met counts. */
struct lint_counts {
	uint64_t fdes, proven, mismatch, unproven[FLOW_REASON_COUNT];
	uint64_t instructions, instructions_proven; /* of FDEs; padding does not count */
	uint64_t findings[LINT_ID_COUNT];
	uint64_t calls_not_returning; /* behind which the rows are another path's */
};

/* 0, or -1: no memory, or its code is larger than is read here. */
int lint_image(const struct cfi *cfi, const struct lint_watch *watch, struct lint_counts *ret,
	       struct error *error);

/* The same of an object file: cfi is that of object->image, and addresses are that image's. */
int lint_object(const struct cfi *cfi, const struct object *object, const struct lint_watch *watch,
		struct lint_counts *ret, struct error *error);

/* ---- lint_ids.c --------------------------------------------------------------------------- */

/* "SP001"; "the CFA is elsewhere". */
const char *lint_id_name(enum lint_id id);
const char *lint_id_title(enum lint_id id);
/* What a row's fault is called, but for LINT_ENTRY. */
enum lint_id lint_id_of(enum flow_fault fault);
/* LINT_NONE if it is no such name, in whatever case. */
enum lint_id lint_id_find(const char *name);
/* What it means, with an example, how a toolchain comes to it, and what it does to unwinders. */
void lint_id_explain(FILE *file, enum lint_id id);
/* "jump_unknown"; "a jump whose targets are unknown". */
const char *lint_reason_name(enum flow_reason reason);
const char *lint_reason_title(enum flow_reason reason);
/* By address, then by what is wrong, then by table. 0: they are the same. */
int lint_finding_compare(const struct lint_finding *a, const struct lint_finding *b);
/* The table that a finding's object is of: "cfi" if it doesn't say. */
const char *lint_table_of(const json_t *finding);

/* ---- lint_json.c -------------------------------------------------------------------------- */

struct row_source;

struct lint_options {
	const char *function; /* findings in those alone that match it, or NULL: fnmatch(3) */
	uint32_t only;	      /* a bit for each enum lint_id that is wanted */
	bool unproven;	      /* say which FDEs are */
	bool compact;	      /* the image's compact table, too */
	const struct row_source *source; /* and these: lint_table.h */
	size_t source_count;
	const struct executed *executed; /* a run that it is all held against, or NULL */
};

/* Writes the image's findings, of a run that was stepped the rows that were wrong ("lint_stepped"), and its
 * "lint" object, one JSON object a line. */
void lint_file(const struct lint_options *options, const struct image_path *path, FILE *output);

/* ---- lint_text.c -------------------------------------------------------------------------- */

/* colour: as a terminal shows it (ECMA-48, 8.3.117). */
void lint_text_finding(FILE *file, const json_t *finding, bool colour);
/* One of a baseline that is there no more. */
void lint_text_gone(FILE *file, const json_t *finding);
/* A "lint_unproven" object. */
void lint_text_unproven(FILE *file, const json_t *unproven);
void lint_text_image(FILE *file, const json_t *image);
/* All images. counts: the sums of their objects. */
void lint_text_total(FILE *file, const json_t *counts, uint64_t images, double seconds);

/* ---- lint_text.c ----------------------------------------------------------------------- */

/* As a compiler's warning, by "source_file" or else the image, with what would mend it. */
void lint_warning_print(FILE *file, const json_t *finding, bool colour);
/* The same of one that is ignored, as a note of one line. */
void lint_warning_ignored(FILE *file, const json_t *finding, const char *reason);

/* ---- lint_text.c ----------------------------------------------------------------- */

void lint_text_stepped(FILE *file, const json_t *stepped);

#endif
