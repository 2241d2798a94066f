/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_judge.h - every instruction that was reached, against its row, and what FDEs come to
 */
#ifndef STACKPROOF_LINT_JUDGE_H
#define STACKPROOF_LINT_JUDGE_H

#include "analysis/flow/flow_image.h"
#include "lint_findings.h"

/* Whether a function has a caller that says that it has none. */
enum lint_end {
	LINT_END_UNKNOWN,
	LINT_END_CALLED, /* calls lead to it, and nothing else does */
	LINT_END_FIRST, /* a process goes on there from where it began, and nothing else leads to it */
};

struct lint_asides;
struct lint_contrary;
struct lint_inner;

struct lint_judge {
	const struct cfi *cfi;
	const struct lint_watch *watch;
	struct flow_callees *callees; /* borrowed; NULL: a call whose path is wrong never returns */
	const struct flow *flow;      /* that is judged */
	struct lint_asides *asides;   /* borrowed; unless NULL, where its wrong ways are kept */
	struct lint_contrary *contrary; /* borrowed; unless NULL, what rows come to is noted */
	bool doubtful; /* entered in the middle: what is wrong there is unproven, */
	enum flow_reason why_doubtful;
	struct lint_inner *inner; /* by a call there, and what that accuses of; or NULL */
	enum lint_end end;	  /* of a flow that says from its begin on that it has no caller */
	bool trial;		  /* nothing is told or kept but: */
	bool wrong;		  /* a row is a mismatch */
	/* All of it was proven at once, and nothing was said of any instruction since; or NULL. */
	const struct flow_part *whole;
	struct lint_counts *counts;
	bool holds; /* findings, until they are told at once */
	struct lint_findings held;
	/* What all jumps of the flow have in common that may lead to any of its instructions: lint_unread.c. */
	bool has_unread;
	struct flow_state unread;
	/* Of each byte of executable segments what the instruction that begins there came to. */
	struct flow_code_map map;
	uint8_t *status;
	bool *unsettled; /* of each page of it: something there is not proven on a way that is sure */
};

int lint_judge_init(struct lint_judge *judge, struct error *error);
void lint_judge_deinit(struct lint_judge *judge);
/* A part that never touches what its one row speaks of is proven whichever way its jumps go. */
bool lint_judge_plain(struct lint_judge *judge, struct code_decoder *decoder,
		      struct flow_callees *callees, struct flow_part *part);
/* All blocks of the flow. called: its first row is not a function's, although it is called. */
int lint_judge_flow(struct lint_judge *judge, struct flow *flow, bool called, struct error *error);
/* Whether any row would be a mismatch; nothing is told or kept. */
int lint_judge_try(struct lint_judge *judge, struct flow *flow, bool *ret_wrong,
		   struct error *error);
/* The part's instructions that a proof has reached. */
void lint_judge_proven(struct lint_judge *judge, const struct flow_part *part);
/* What an FDE's instructions came to. */
struct lint_sum {
	struct lint_fde fde;
	uint32_t instructions, proven;
	enum flow_reason none; /* why no way leads to those that none leads to */
	bool made;	       /* zero-initialised: it is none yet */
	bool met; /* since then another function was found to lead into it: it is to be made again */
};

/* flow: of its function, or NULL. */
enum flow_reason lint_judge_why(const struct flow *flow, const struct flow_part *part);
/* Sums up the FDE by its sum's reason for what no way leads to. tell: its instructions, to who wants to know. */
int lint_judge_fde(struct lint_judge *judge, struct code_decoder *decoder, struct flow_part *part,
		   bool tell, struct lint_sum *sum, struct error *error);
/* Counts it, once all that may lead into it was judged. */
void lint_judge_count(struct lint_judge *judge, const struct lint_sum *sum);
/* All this at once. */
int lint_judge_whole(struct lint_judge *judge, struct code_decoder *decoder, struct flow_part *part,
		     const struct flow *flow, struct error *error);
/* What was proven of the part, although it is in doubt that its begin is entered as its first row says: why. */
int lint_judge_take_back(struct lint_judge *judge, struct code_decoder *decoder,
			 struct flow_part *part, enum flow_reason why, struct error *error);
/* What an FDE comes to that can't be followed. */
void lint_judge_unread(const struct cfi_fde *fde, enum flow_reason reason, struct lint_sum *ret);
bool lint_judge_was_reached(const struct lint_judge *judge, uint64_t pc);
/* The same by a way that no call into the middle began. */
bool lint_judge_has_ways(const struct lint_judge *judge, uint64_t pc);
/* An instruction that begins from begin to before end has a row that is wrong. */
bool lint_judge_is_wrong(const struct lint_judge *judge, uint64_t begin, uint64_t end);
/* Nobody is accused any more of what begins from begin to before end: it is unproven. */
void lint_judge_excuse(struct lint_judge *judge, uint64_t begin, uint64_t end);
/* Counts the finding, and tells who wants to know. */
void lint_judge_report(struct lint_judge *judge, const struct lint_finding *finding);
/* The same of all that were held. None is from now on. -1: for want of memory there are not all. */
int lint_judge_tell(struct lint_judge *judge, struct error *error);

/* ---- lint_covers.c ------------------------------------------------------------------------ */

void lint_judge_overlap(struct lint_judge *judge, const struct cfi_fde *before,
			const struct cfi_fde *fde);
void lint_judge_uncovered(struct lint_judge *judge, uint64_t pc, uint64_t pc_end);
void lint_judge_search_table(struct lint_judge *judge);
/* Where its CFI breaks off. */
void lint_judge_program(struct lint_judge *judge, const struct flow_part *part);

/* ---- lint_unread.c ------------------------------------------------------------------------ */

/* What the flow's jumps have in common whose targets are not known. */
void lint_unread_join(struct lint_judge *judge, const struct flow *flow);
/* The row is right at pc on the ways that were followed: it would be, too, if such a jump leads there. */
bool lint_unread_agrees(const struct lint_judge *judge, const struct row *row, uint64_t pc,
			uint32_t agreed);

#endif
