/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_executed.h - findings held against a run, and the run's faults against lint (executed/executed.h)
 */
#ifndef STACKPROOF_LINT_EXECUTED_H
#define STACKPROOF_LINT_EXECUTED_H

#include "truth/executed/executed.h"
#include "lint.h"

/* What a stepped run says of a finding. */
enum lint_outcome {
	LINT_NOT_EXECUTED,
	LINT_CONFIRMED,	   /* the row was wrong */
	LINT_CONTRADICTED, /* the row was right each time: lint's fault */
	LINT_UNDECIDED,	   /* it ran, and that proves nothing; with the reason */
	LINT_OUTCOME_COUNT,
};

/* What lint says of a fault of a stepped run. */
enum lint_agreement {
	LINT_AGREES,	/* there is a finding, or no row */
	LINT_OPEN,	/* the row is unproven; with the reason */
	LINT_NOT_ASKED, /* the row is proven, but lint doesn't ask for what was wrong */
	LINT_DENIES,	/* the row is proven: lint's fault */
	LINT_AGREEMENT_COUNT,
};

/* An instruction of an FDE, and its outcome. */
struct lint_judged {
	uint64_t pc;
	uint8_t outcome, reason; /* enum flow_outcome, flow_reason */
};

struct lint_join {
	const struct executed *executed; /* borrowed, as cfi */
	const struct cfi *cfi;
	enum executed_identity identity;
	uint32_t image; /* its number in the run, if the run had it */
	struct lint_judged *judged;
	size_t judged_count;
	struct lint_fde *open; /* unproven FDEs */
	size_t open_count;
	uint64_t *agreeing; /* instructions that ran, and whose row is no mismatch on some path */
	size_t agreeing_count;
	/* Functions with registers that accuse nobody (struct lint_point). */
	struct lint_agreed {
		uint64_t function;
		uint32_t agreed;
	} * agreed;
	size_t agreed_count;
	bool no_memory;
	struct lint_watch others; /* is told all that the join is told */
	uint64_t outcomes[LINT_OUTCOME_COUNT], agreements[LINT_AGREEMENT_COUNT];
};

/* path: the image's file, to find it in the run. */
void lint_join_init(struct lint_join *join, const struct executed *executed, const struct cfi *cfi,
		    const char *path);
void lint_join_deinit(struct lint_join *join);
/* Makes *watch the join's, which passes all on to what *watch was. */
void lint_join_listen(struct lint_join *join, struct lint_watch *watch);
/* Once all was told. 0, or -1: no memory. */
int lint_join_finish(struct lint_join *join, struct error *error);

/* Adds what the run says of a finding to its object, and counts it. Of another table's finding it says nothing: what
 * ran was held against the CFI. */
void lint_join_finding(struct lint_join *join, const struct lint_finding *finding, json_t *object);

/* ---- lint_executed.c ----------------------------------------------------------------------- */

/* Writes the faults in functions that match (NULL: in all), and adds all counts to the image's object. 0, or -1: no
 * memory. */
int lint_join_print(struct lint_join *join, const char *function, json_t *image, FILE *output,
		    struct error *error);

/* "confirmed", and "agrees". */
extern const char *const lint_outcome_names[LINT_OUTCOME_COUNT];
extern const char *const lint_agreement_names[LINT_AGREEMENT_COUNT];

#endif
