/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_judge.h - holds every instruction that was reached against its row, and sums up FDEs
 *
 * What returns an int returns 0, or -1 without memory.
 */
#ifndef STACKPROOF_LINT_JUDGE_H
#define STACKPROOF_LINT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analysis/flow/flow.h"
#include "lint.h"

/* ---- lists of addresses ------------------------------------------------------------------ */

/* Zero-initialise. The owner frees address. */
struct lint_addresses {
	uint64_t *address;
	size_t count;
	bool no_memory; /* some addresses are missing */
};

void lint_addresses_add(struct lint_addresses *list, uint64_t address);
/* Sorts the list in ascending order, and keeps each address once. */
void lint_addresses_sort(struct lint_addresses *list);
/* The number of the first address at pc or behind it. The list must be sorted. */
size_t lint_addresses_from(const struct lint_addresses *list, uint64_t pc);
/* pc is in the list, which must be sorted. *ret: its number; ret may be NULL. */
bool lint_addresses_has(const struct lint_addresses *list, uint64_t pc, size_t *ret);
/* pc is in the list, which need not be sorted. */
bool lint_addresses_met(const struct lint_addresses *list, uint64_t pc);

/* ---- findings that are held until all is known ------------------------------------------- */

/* Zero-initialise; lint_findings_deinit(). It owns copies of the findings. */
struct lint_findings {
	struct lint_finding **finding;
	size_t count;
	bool no_memory; /* some findings are missing */
};

void lint_findings_add(struct lint_findings *list, const struct lint_finding *finding);
/* Removes places that are NULL. */
void lint_findings_pack(struct lint_findings *list);
/* Sorts by lint_finding_compare(). */
void lint_findings_sort(struct lint_findings *list);
void lint_findings_deinit(struct lint_findings *list);

/* ---- instructions against their rows ----------------------------------------------------- */

/* Whether a function has a caller although its first row says that it has none. */
enum lint_end {
	LINT_END_UNKNOWN,
	LINT_END_CALLED, /* it has: calls lead there, and nothing else does */
	LINT_END_FIRST, /* it has none: a process comes there from its first function, and nothing else does */
};

struct lint_deferrals;
struct lint_contrary;
struct lint_inner;

/* What an FDE's instructions came to. */
struct lint_sum {
	struct lint_fde fde;
	uint32_t instructions, proven; /* counts; proven: of them */
	enum flow_reason none;	       /* the reason for instructions that no path leads to */
	bool made;		       /* false: it was not summed up yet */
	bool met; /* another function was found to lead into it since: it is to be summed up again */
};

/* What is known of an FDE. */
struct lint_known {
	bool called;   /* a call leads to its begin */
	bool doubtful; /* lint_begin_doubtful(), or it would not return where it was called from */
	bool later; /* it perhaps begins inside a function: it is judged once all paths that lead there are known */
	bool again; /* it leads to a fragment that is perhaps another function's: it is followed again */
	struct lint_sum sum;
};

/* All pointers but status and unsettled are borrowed. */
struct lint_judge {
	struct flow_world
		*world; /* without callees a call that a wrong path lies behind never returns */
	const struct lint_watch *watch;
	struct lint_known *known; /* by the FDE's number in cfi->fde */
	const struct flow *flow;  /* the flow that is judged */
	struct lint_deferrals
		*deferrals;		/* gets the paths that end where they are wrong; or NULL */
	struct lint_contrary *contrary; /* gets what each row comes to; or NULL */
	bool doubtful; /* the flow was entered in the middle: what is wrong for it is unproven, */
	enum flow_reason why_doubtful; /* for this reason */
	struct lint_inner *inner;      /* the call into the middle that the flow follows, or NULL */
	enum lint_end end;	       /* of the function that is judged */
	bool trial;		       /* nothing is told or kept but wrong */
	bool wrong;		       /* a row is a mismatch */
	/* A fragment that was proven at once, with no outcome set since; or NULL. */
	const struct flow_fragment *whole;
	struct lint_counts *counts;
	bool holds; /* findings are held, and told at once later */
	struct lint_findings held;
	/* For each byte of world->map: the outcome of the instruction that begins there. */
	uint8_t *status;
	bool *unsettled; /* for each page of these bytes: on a sure path something is not proven */
};

static inline struct lint_known *lint_known_of(const struct lint_judge *judge,
					       const struct cfi_fde *fde)
{
	return &judge->known[fde - judge->world->cfi->fde];
}

/* world, watch and counts must be set. lint_judge_deinit() in both cases. */
int lint_judge_init(struct lint_judge *judge, struct error *error);
void lint_judge_deinit(struct lint_judge *judge);
/* If the fragment is plain (flow_plain()), all of it is proven. Returns whether it is. */
bool lint_judge_plain(struct lint_judge *judge, struct flow_fragment *fragment);
/* Judges all blocks of the flow. called: it is called, although its first row is not a function's. */
int lint_judge_flow(struct lint_judge *judge, struct flow *flow, bool called, struct error *error);
/* *ret_wrong: some row would be a mismatch. Nothing is told or kept. */
int lint_judge_try(struct lint_judge *judge, struct flow *flow, bool *ret_wrong,
		   struct error *error);
/* The fragment's instructions that flow_proof_try() has reached are proven. */
void lint_judge_proven(struct lint_judge *judge, const struct flow_fragment *fragment);
/* Why no path leads to instructions of the fragment. flow: its function's, or NULL. */
enum flow_reason lint_judge_why(const struct flow *flow, const struct flow_fragment *fragment);
/* Sums up the FDE. sum->none and sum->fde.unruled must be set. tell: calls watch->judged for each instruction. */
int lint_judge_fde(struct lint_judge *judge, struct flow_fragment *fragment, bool tell,
		   struct lint_sum *sum, struct error *error);
/* Counts the sum, and tells its FDE. Once all paths into it were judged. */
void lint_judge_count(struct lint_judge *judge, const struct lint_sum *sum);
/* What was proven of the fragment becomes unproven: why. For it is in doubt whether its begin is entered as its first
 * row says. */
int lint_judge_take_back(struct lint_judge *judge, struct flow_fragment *fragment,
			 enum flow_reason why, struct error *error);
/* The sum of an FDE that can't be followed. */
void lint_judge_unread(const struct cfi_fde *fde, enum flow_reason reason, struct lint_sum *ret);
/* A path came to the instruction at pc. */
bool lint_judge_was_reached(const struct lint_judge *judge, uint64_t pc);
/* The same, by a path that does not begin at a call into the middle. */
bool lint_judge_has_paths(const struct lint_judge *judge, uint64_t pc);
/* Some instruction that begins in begin .. end has a wrong row. */
bool lint_judge_is_wrong(const struct lint_judge *judge, uint64_t begin, uint64_t end);
/* Holds the finding; or counts it, and tells it. */
void lint_judge_report(struct lint_judge *judge, const struct lint_finding *finding);
/* Counts and tells all that are held, and holds none from now on. -1: some are missing. */
int lint_judge_tell(struct lint_judge *judge, struct error *error);

/* These report a finding. */
void lint_judge_overlap(struct lint_judge *judge, const struct cfi_fde *before,
			const struct cfi_fde *fde);
void lint_judge_uncovered(struct lint_judge *judge, uint64_t pc, uint64_t pc_end);
void lint_judge_search_table(struct lint_judge *judge);
/* Only if the fragment's CFI breaks off. */
void lint_judge_program(struct lint_judge *judge, const struct flow_fragment *fragment);

/* ---- findings that an accused path contradicts -------------------------------------------- */

struct lint_right_edge {
	uint64_t from, to;
};

/* What an accused path comes to that is followed by itself. Zero-initialise; lint_contrary_deinit(). */
struct lint_contrary {
	struct lint_addresses right, wrong; /* instructions whose row is right for it, or not */
	struct lint_right_edge *edge;	    /* edges that bring what the row there declares */
	size_t edge_count;
	bool no_memory; /* nothing is contradicted then */
};

/* Takes back those of the held findings, from that number on, whose rows are right for the path. Their places become
 * NULL until lint_findings_pack(), and the rows unproven. */
void lint_contrary_take_back(struct lint_contrary *contrary, struct lint_judge *judge,
			     size_t number);
void lint_contrary_deinit(struct lint_contrary *contrary);

/* Calls watch->point, which must not be NULL, for each instruction of a plain fragment: all have one state. */
void lint_plain_tell(const struct lint_watch *watch, const struct flow_fragment *fragment,
		     const struct flow_state *state);

#endif
