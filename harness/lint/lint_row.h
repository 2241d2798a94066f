/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_row.h - a row against what is known before an instruction
 */
#ifndef STACKPROOF_LINT_ROW_H
#define STACKPROOF_LINT_ROW_H

#include "lint/lint.h"

struct lint_row_verdict {
	enum lint_row_outcome outcome;
	enum lint_reason reason; /* of LINT_ROW_UNPROVEN */
	enum lint_id id;	 /* of LINT_ROW_MISMATCH */
	uint8_t reg;
	struct value
		actual;	    /* the CFA that the row comes to, what the register or the word holds */
	bool never_written; /* the word: by nobody */
	bool callers_word; /* actual is its address, counted from what a register of the caller's held */
	bool ends;	   /* the row says that there is no caller */
	bool unspecified; /* of LINT_OVERWRITTEN: the row has no rule for the register */
};

/* It only lacks a register that no rule speaks of: the function may be of another convention. */
static inline bool lint_row_is_vague(const struct lint_row_verdict *verdict)
{
	return verdict->id == LINT_OVERWRITTEN && verdict->unspecified;
}

/* Sets of registers, a bit for each DWARF number. */
struct lint_row_terms {
	uint32_t agreed;   /* those that accuse nobody (lint_part.h) */
	uint32_t declared; /* those that the row says something of, and LINT_ROW_CFA */
	uint32_t vague;	   /* those of which "unspecified" may stand for "undefined" */
};
#define LINT_ROW_CFA (1u << 31)

/* The row's rules, at pc, against the state. The first thing that is wrong counts. agreed: registers
 * that accuse nobody (lint_part.h). */
void lint_row_check(const struct row *row, uint64_t pc, const struct lint_state *state,
		    uint32_t agreed, struct lint_row_verdict *ret);
/* The same of a row that does not say all that CFI would. What it does not declare is not judged. */
void lint_row_check_terms(const struct row *row, uint64_t pc, const struct lint_state *state,
			  const struct lint_row_terms *terms, struct lint_row_verdict *ret);
/* All registers that callees preserve hold what they held at the entry. */
bool lint_row_preserves(const struct lint_state *state);
/* The state is that of a function that was just called. */
bool lint_state_is_entry(const struct lint_state *state);
/* Whether the row says so. */
bool lint_row_is_entry(const struct row *row);
/* The rule that is wrong, and what is so, as texts for people. */
void lint_row_describe(const struct row *row, const struct lint_state *state,
		       const struct lint_row_verdict *verdict, struct lint_finding *ret);

/* ---- lint_expression.c -------------------------------------------------------------------- */

/* What a DWARF expression comes to. cfa: pushed first, unless NULL. VALUE_UNKNOWN if it can't be
 * said. pc: the value of rip. */
struct value lint_expression(const uint8_t *expression, size_t size, uint64_t pc,
			     const struct value *cfa, const struct lint_state *state);

#endif
