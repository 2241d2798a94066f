/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_row.h - a row against what is known before an instruction
 */
#ifndef STACKPROOF_FLOW_ROW_H
#define STACKPROOF_FLOW_ROW_H

#include "flow_state.h"
#include "cfi/cfi.h"
#include "tables/rows/row_source.h"

/* Why it can't be said whether a row is right. */
enum flow_reason {
	FLOW_REACHED_BY_NONE, /* no path that was followed leads here */
	FLOW_JUMP_UNKNOWN, /* a computed jump of the function has unknown targets, and may lead here */
	FLOW_VALUE_UNKNOWN, /* a value is not known, or paths differ in it */
	FLOW_BEHIND_CALL,   /* it is wrong if a call returns that perhaps never does */
	FLOW_UNDECODED,	    /* Zydis can't decode the instruction, or its target can't be said */
	FLOW_SIGNAL_FRAME,  /* the code is entered by the kernel or the CPU, not by a call */
	FLOW_RULE_UNKNOWN,  /* the row has a rule that is not understood here */
	FLOW_NO_ENTRY,	    /* the code is part of a function whose entry was not found */
	FLOW_MALFORMED,	    /* the call frame instructions can't be decoded */
	FLOW_TOO_LARGE,	    /* a limit of docs/LIMITS.md */
	FLOW_THROW_UNKNOWN, /* it is wrong if a call throws that perhaps never does */
	FLOW_NOT_KEPT, /* a preserved register without a rule is overwritten, or the word that saved one */
	FLOW_REASON_COUNT,
};

enum flow_outcome { FLOW_ROW_PROVEN, FLOW_ROW_UNPROVEN, FLOW_ROW_MISMATCH };

/* What is wrong with a row. */
enum flow_fault {
	FLOW_CFA,	  /* the CFA is elsewhere */
	FLOW_RETURN,	  /* the return address is elsewhere */
	FLOW_NOT_SAVED,	  /* a register is declared saved where it is not */
	FLOW_OVERWRITTEN, /* a register is declared unchanged, and was overwritten */
	FLOW_LOST,	  /* a register is declared lost that is not */
};

struct flow_row_verdict {
	enum flow_outcome outcome;
	enum flow_reason reason; /* of FLOW_ROW_UNPROVEN */
	enum flow_fault fault;	 /* of FLOW_ROW_MISMATCH */
	uint8_t reg;
	struct value
		actual; /* of FLOW_CFA the row's CFA; else the value of the register, or of the word */
	bool never_written; /* the word was never written */
	bool callers_word; /* actual is the word's address, counted from a register of the caller's */
	bool on_top; /* the return address is at the CFA - 8, and the row says something else */
	bool ends;   /* the row says that there is no caller */
	bool callers_stack; /* of FLOW_CFA: it and rsp come from one register of the caller's: perhaps right */
	bool unspecified; /* of FLOW_OVERWRITTEN: the row has no rule for the register */
};

/* The only fault is a register without a rule: the function may have another convention. */
static inline bool flow_row_is_vague(const struct flow_row_verdict *verdict)
{
	return verdict->fault == FLOW_OVERWRITTEN && verdict->unspecified;
}

/* Sets of registers, a bit for each DWARF number. */
struct flow_row_terms {
	uint32_t agreed;   /* those that accuse nobody (flow_fragment.h) */
	uint32_t declared; /* those that the row says something of; and ROW_DECLARES_CFA */
	uint32_t vague;	   /* those of which "unspecified" may mean "undefined" */
};
/* In agreed: registers of which a row without a rule claims nothing, since callees do not preserve them (Go). */
#define FLOW_ROW_UNRULED(registers) ((registers) << 16)
/* The registers of FLOW_ROW_UNRULED() in agreed. */
static inline uint32_t flow_row_unruled(uint32_t agreed)
{
	return agreed >> 16;
}

/* A quick check. True only if the row is right; it must have no rules of other registers (flow_row_has_others()). */
bool flow_row_holds_usual(const struct row *row, const struct flow_state *state);
/* Holds the row, at pc, against the state. The first fault counts. What the terms do not declare is not judged: a table's
 * row can't say all that CFI can. */
void flow_row_check_terms(const struct row *row, uint64_t pc, const struct flow_state *state,
			  const struct flow_row_terms *terms, struct flow_row_verdict *ret);
/* The same of a row of CFI. agreed: registers that accuse nobody (flow_fragment.h). */
static inline void flow_row_check(const struct row *row, uint64_t pc,
				  const struct flow_state *state, uint32_t agreed,
				  struct flow_row_verdict *ret)
{
	const struct flow_row_terms terms = { .agreed = agreed, .declared = UINT32_MAX };

	flow_row_check_terms(row, pc, state, &terms, ret);
}

/* All registers that callees preserve hold what they held at the entry. */
bool flow_row_preserves(const struct flow_state *state);
/* A word of this frame, not below the red zone, has the caller's value of the register. */
bool flow_row_has_saved(const struct flow_state *state, uint8_t reg);
/* The row claims something of a register that no callee preserves. */
bool flow_row_has_others(const struct row *row);
/* The state is that of a function that was just called. */
bool flow_state_is_entry(const struct flow_state *state);
/* The row is right for that state. */
bool flow_row_is_entry(const struct row *row);
#define FLOW_TEXT_BYTES 96
/* The wrong rule, and what is true, as texts for people. */
void flow_row_describe(const struct row *row, const struct flow_state *state,
		       const struct flow_row_verdict *verdict, char declared[FLOW_TEXT_BYTES],
		       char actual[FLOW_TEXT_BYTES]);

/* ---- flow_row.c -------------------------------------------------------------------- */

#endif
