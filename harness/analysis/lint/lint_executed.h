/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_executed.h - what lint says of an image, and what a run of it showed (executed/executed.h)
 */
#ifndef STACKPROOF_LINT_EXECUTED_H
#define STACKPROOF_LINT_EXECUTED_H

#include "truth/executed/executed.h"
#include "lint.h"

/* What stepping makes of a finding. */
enum lint_outcome {
	LINT_NOT_EXECUTED,
	LINT_CONFIRMED,	   /* the row was wrong */
	LINT_CONTRADICTED, /* it was right each time: lint's fault */
	LINT_UNDECIDED,	   /* it ran, and that says nothing: with the reason */
	LINT_OUTCOME_COUNT,
};

/* What lint makes of a fault that was stepped. */
enum lint_agreement {
	LINT_AGREES,	/* a finding, or no row at all */
	LINT_OPEN,	/* unproven: with the reason */
	LINT_NOT_ASKED, /* proven, but not of what was wrong: it is taken for granted */
	LINT_DENIES,	/* proven: lint's fault */
	LINT_AGREEMENT_COUNT,
};

/* An instruction of an FDE, and what it was judged to be. */
struct lint_judged {
	uint64_t pc;
	uint8_t outcome, reason; /* enum flow_outcome, flow_reason */
};

struct lint_join {
	const struct executed *executed;
	const struct cfi *cfi;
	enum executed_identity identity;
	uint32_t image; /* the run's number, if it had this one */
	struct lint_judged *judged;
	size_t judged_count;
	struct lint_fde *open; /* those that are unproven */
	size_t open_count;
	uint64_t *agreeing; /* instructions that ran, and to which some path leads that is right */
	size_t agreeing_count;
	/* Functions with registers that are not held against their rows (struct lint_point). */
	struct lint_agreed {
		uint64_t function;
		uint32_t agreed;
	} * agreed;
	size_t agreed_count;
	bool no_memory;
	struct lint_watch others; /* who is told what the join is told */
	uint64_t outcomes[LINT_OUTCOME_COUNT], agreements[LINT_AGREEMENT_COUNT];
};

void lint_join_init(struct lint_join *join, const struct executed *executed, const struct cfi *cfi,
		    const char *path);
void lint_join_deinit(struct lint_join *join);
/* What is told of instructions: struct lint_watch's. */
void lint_join_point(struct lint_join *join, const struct lint_point *point);
void lint_join_judged(struct lint_join *join, uint64_t pc, enum flow_outcome outcome,
		      enum flow_reason reason);
void lint_join_fde(struct lint_join *join, const struct lint_fde *fde);
/* The join listens, too, before those who did: they are told the same. */
void lint_join_listen(struct lint_join *join, struct lint_watch *watch);
/* All was told. -1: no memory. */
int lint_join_finish(struct lint_join *join, struct error *error);

/* Adds what the run says of a finding to its object, and counts it. */
void lint_join_finding(struct lint_join *join, const struct lint_finding *finding, json_t *object);

/* ---- lint_executed.c ----------------------------------------------------------------------- */

/* The next fault that was stepped, from *at on, but for its place; NULL: there are no more. *ret_pc: where. */
json_t *lint_join_fault(const struct lint_join *join, uint32_t *at, uint64_t *ret_pc,
			enum lint_agreement *ret);
/* Writes those in functions that match (NULL: in all), and adds to the image's object what all comes
 * to. -1: no memory. */
int lint_join_print(struct lint_join *join, const char *function, json_t *image, FILE *output,
		    struct error *error);

/* "confirmed"; "agrees". */
const char *lint_outcome_name(enum lint_outcome outcome);
const char *lint_agreement_name(enum lint_agreement agreement);

#endif
