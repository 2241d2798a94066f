/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_judge.h - every instruction that was reached, against its row, and what FDEs come to
 */
#ifndef STACKPROOF_LINT_JUDGE_H
#define STACKPROOF_LINT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analysis/flow/flow.h"
#include "analysis/flow/flow_image.h"
#include "lint.h"

/* ---- addresses that were met, to be looked at in order later ----------------------------- */

/* Zeros are an empty one; whose address is the owner's to free. */
struct lint_addresses {
	uint64_t *address;
	size_t count;
	bool no_memory; /* some are missing */
};

void lint_addresses_add(struct lint_addresses *list, uint64_t address);
/* In ascending order, each once. */
void lint_addresses_sort(struct lint_addresses *list);
/* Of a sorted one, the number of the first address that is not before pc. */
size_t lint_addresses_from(const struct lint_addresses *list, uint64_t pc);
/* Of a sorted one: pc is in it. *ret: its number; NULL: nobody asks. */
bool lint_addresses_has(const struct lint_addresses *list, uint64_t pc, size_t *ret);

/* ---- findings that are kept until all are known ------------------------------------------ */

/* Zero-initialise. */
struct lint_findings {
	struct lint_finding **finding;
	size_t count;
	bool no_memory; /* not all are there */
};

void lint_findings_add(struct lint_findings *list, const struct lint_finding *finding);
/* Leaves out those whose places are NULL. */
void lint_findings_pack(struct lint_findings *list);
/* By lint_finding_compare(). */
void lint_findings_sort(struct lint_findings *list);
void lint_findings_deinit(struct lint_findings *list);

/* ---- every instruction that was reached, against its row, and what FDEs come to ---------- */

/* Whether a function has a caller that says that it has none. */
enum lint_end {
	LINT_END_UNKNOWN,
	LINT_END_CALLED, /* calls lead to it, and nothing else does */
	LINT_END_FIRST, /* a process goes on there from where it began, and nothing else leads to it */
};

struct lint_deferrals;
struct lint_contrary;
struct lint_inner;

/* What an FDE's instructions came to. */
struct lint_sum {
	struct lint_fde fde;
	uint32_t instructions, proven;
	enum flow_reason none; /* why no path leads to those that none leads to */
	bool made;	       /* zero-initialised: it is none yet */
	bool met; /* since then another function was found to lead into it: it is to be made again */
};

/* What is known of an FDE. */
struct lint_known {
	bool called;   /* its begin is */
	bool doubtful; /* it perhaps begins where no function does */
	bool later; /* it begins in the middle of a function: it comes when all is known that leads there */
	bool again; /* it leads to a fragment that is perhaps another function's */
	struct lint_sum sum;
};

struct lint_judge {
	const struct cfi *cfi;
	const struct lint_watch *watch;
	struct lint_known *known;     /* borrowed: of each FDE, by its number in cfi->fde */
	struct flow_callees *callees; /* borrowed; NULL: a call whose path is wrong never returns */
	const struct flow *flow;      /* that is judged */
	struct lint_deferrals
		*deferrals;		/* borrowed; unless NULL, where its wrong paths are kept */
	struct lint_contrary *contrary; /* borrowed; unless NULL, what rows come to is noted */
	bool doubtful; /* entered in the middle: what is wrong there is unproven, */
	enum flow_reason why_doubtful;
	struct lint_inner *inner; /* by a call there, and what that accuses of; or NULL */
	enum lint_end end;	  /* of a flow that says from its begin on that it has no caller */
	bool trial;		  /* nothing is told or kept but: */
	bool wrong;		  /* a row is a mismatch */
	/* All of it was proven at once, and nothing was said of any instruction since; or NULL. */
	const struct flow_fragment *whole;
	struct lint_counts *counts;
	bool holds; /* findings, until they are told at once */
	struct lint_findings held;
	/* What all jumps of the flow have in common that may lead to any of its instructions: lint_judge.c. */
	bool has_unread;
	struct flow_state unread;
	/* Of each byte of executable segments what the instruction that begins there came to. */
	struct flow_code_map map;
	uint8_t *status;
	bool *unsettled; /* of each page of it: something there is not proven on a path that is sure */
};

static inline struct lint_known *lint_known_of(const struct lint_judge *judge,
					       const struct cfi_fde *fde)
{
	return &judge->known[fde - judge->cfi->fde];
}

int lint_judge_init(struct lint_judge *judge, struct error *error);
void lint_judge_deinit(struct lint_judge *judge);
/* A fragment that never touches what its one row speaks of is proven whichever path its jumps go. */
bool lint_judge_plain(struct lint_judge *judge, struct code_decoder *decoder,
		      struct flow_callees *callees, struct flow_fragment *fragment);
/* All blocks of the flow. called: its first row is not a function's, although it is called. */
int lint_judge_flow(struct lint_judge *judge, struct flow *flow, bool called, struct error *error);
/* Whether any row would be a mismatch; nothing is told or kept. */
int lint_judge_try(struct lint_judge *judge, struct flow *flow, bool *ret_wrong,
		   struct error *error);
/* The fragment's instructions that a proof has reached. */
void lint_judge_proven(struct lint_judge *judge, const struct flow_fragment *fragment);
/* flow: of its function, or NULL. */
enum flow_reason lint_judge_why(const struct flow *flow, const struct flow_fragment *fragment);
/* Sums up the FDE by its sum's reason for what no path leads to. tell: its instructions, to who wants to know. */
int lint_judge_fde(struct lint_judge *judge, struct code_decoder *decoder,
		   struct flow_fragment *fragment, bool tell, struct lint_sum *sum,
		   struct error *error);
/* Counts it, once all that may lead into it was judged. */
void lint_judge_count(struct lint_judge *judge, const struct lint_sum *sum);
/* What was proven of the fragment, although it is in doubt that its begin is entered as its first row says: why. */
int lint_judge_take_back(struct lint_judge *judge, struct code_decoder *decoder,
			 struct flow_fragment *fragment, enum flow_reason why, struct error *error);
/* What an FDE comes to that can't be followed. */
void lint_judge_unread(const struct cfi_fde *fde, enum flow_reason reason, struct lint_sum *ret);
bool lint_judge_was_reached(const struct lint_judge *judge, uint64_t pc);
/* The same by a path that no call into the middle began. */
bool lint_judge_has_ways(const struct lint_judge *judge, uint64_t pc);
/* An instruction that begins from begin to before end has a row that is wrong. */
bool lint_judge_is_wrong(const struct lint_judge *judge, uint64_t begin, uint64_t end);
/* Counts the finding, and tells who wants to know. */
void lint_judge_report(struct lint_judge *judge, const struct lint_finding *finding);
/* The same of all that were held. None is from now on. -1: for want of memory there are not all. */
int lint_judge_tell(struct lint_judge *judge, struct error *error);

/* ---- lint_judge.c ------------------------------------------------------------------------ */

void lint_judge_overlap(struct lint_judge *judge, const struct cfi_fde *before,
			const struct cfi_fde *fde);
void lint_judge_uncovered(struct lint_judge *judge, uint64_t pc, uint64_t pc_end);
void lint_judge_search_table(struct lint_judge *judge);
/* Where its CFI breaks off. */
void lint_judge_program(struct lint_judge *judge, const struct flow_fragment *fragment);

/* ---- lint_judge.c ------------------------------------------------------------------------ */

/* ---- findings that the other of two paths contradicts ------------------------------------- */

struct lint_right_edge {
	uint64_t from, to;
};

/* What an accused path that is followed by itself comes to. Zero-initialise; lint_contrary_deinit(). */
struct lint_contrary {
	struct lint_addresses right, wrong; /* instructions; their rows are, for it */
	struct lint_right_edge *edge;	    /* what it brings there is what the row says */
	size_t edge_count;
	bool no_memory; /* then nobody is contradicted */
};

/* Of the findings that are held, those from that number on are taken back whose rows are right for the path: their
 * places are NULL until lint_findings_pack(). What they accused is unproven. */
void lint_contrary_take_back(struct lint_contrary *contrary, struct lint_judge *judge,
			     size_t number);
void lint_contrary_deinit(struct lint_contrary *contrary);

/* ---- the directive of the assembler that would make a wrong row right -------------------- */

/* ---- fragments that never touch what their one row speaks of --------------------------------- */

/* The fragment is one. All its instructions are decoded then, and no others. */
bool lint_plain_is(const struct cfi *cfi, struct code_decoder *decoder,
		   struct flow_callees *callees, struct flow_fragment *fragment);
/* What is known at all its instructions alike: watch->point is not NULL. */
void lint_plain_tell(const struct lint_watch *watch, const struct flow_fragment *fragment);

#endif
