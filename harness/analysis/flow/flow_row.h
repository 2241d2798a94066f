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
	FLOW_JUMP_UNKNOWN,  /* the same, and a computed jump of the function has unknown targets */
	FLOW_VALUE_UNKNOWN, /* paths differ, or a value comes from where it can't be followed */
	FLOW_BEHIND_CALL,   /* only if a call returns that perhaps never does: it would be wrong */
	FLOW_UNDECODED,	    /* what Zydis can't decode, or can't say where it goes */
	FLOW_SIGNAL_FRAME,  /* entered by the kernel, not by a call */
	FLOW_RULE_UNKNOWN,  /* a row of a kind that is not understood here */
	FLOW_NO_ENTRY,	    /* it begins in the middle of something that was not found */
	FLOW_MALFORMED,	    /* its instructions of CFI can't be decoded */
	FLOW_TOO_LARGE,	    /* a limit of docs/LIMITS.md */
	FLOW_THROW_UNKNOWN, /* only if a call throws that perhaps never does: it would be wrong */
	FLOW_NOT_KEPT, /* a register that callees keep is overwritten, and has no rule; or its word is */
	FLOW_REASON_COUNT,
};

enum flow_outcome { FLOW_ROW_PROVEN, FLOW_ROW_UNPROVEN, FLOW_ROW_MISMATCH };

/* What is wrong with a row. */
enum flow_fault {
	FLOW_CFA,	  /* the CFA is elsewhere */
	FLOW_RETURN,	  /* the return address is */
	FLOW_NOT_SAVED,	  /* a register is declared saved where it is not */
	FLOW_OVERWRITTEN, /* one is declared unchanged, and was overwritten */
	FLOW_LOST,	  /* one is declared lost that is not */
};

struct flow_row_verdict {
	enum flow_outcome outcome;
	enum flow_reason reason; /* of FLOW_ROW_UNPROVEN */
	enum flow_fault fault;	 /* of FLOW_ROW_MISMATCH */
	uint8_t reg;
	struct value
		actual;	    /* the CFA that the row comes to, what the register or the word holds */
	bool never_written; /* the word: by nobody */
	bool callers_word; /* actual is its address, counted from what a register of the caller's held */
	bool on_top; /* the return address is where the call put it, and the row says something else */
	bool ends;	    /* the row says that there is no caller */
	bool callers_stack; /* of FLOW_CFA: rsp comes from the caller's register, so perhaps it is right */
	bool unspecified; /* of FLOW_OVERWRITTEN: the row has no rule for the register */
};

/* It only lacks a register that no rule speaks of: the function may be of another convention. */
static inline bool flow_row_is_vague(const struct flow_row_verdict *verdict)
{
	return verdict->fault == FLOW_OVERWRITTEN && verdict->unspecified;
}

/* Sets of registers, a bit for each DWARF number. */
struct flow_row_terms {
	uint32_t agreed;   /* those that accuse nobody (flow_fragment.h) */
	uint32_t declared; /* those that the row says something of, and ROW_DECLARES_CFA */
	uint32_t vague;	   /* those of which "unspecified" may stand for "undefined" */
};
/* In agreed: of these registers one without a rule is none that a callee preserves (Go), and nothing is claimed of it. */
#define FLOW_ROW_UNRULED(registers) ((registers) << 16)
/* These. */
static inline uint32_t flow_row_unruled(uint32_t agreed)
{
	return agreed >> 16;
}

/* The same of a row that is known to have no others. */
bool flow_row_holds_usual(const struct row *row, const struct flow_state *state);
/* The row's rules, at pc, against the state. The first thing that is wrong counts. agreed: registers
 * that accuse nobody (flow_fragment.h). */
void flow_row_check(const struct row *row, uint64_t pc, const struct flow_state *state,
		    uint32_t agreed, struct flow_row_verdict *ret);
/* The same of a row that does not say all that CFI would. What it does not declare is not judged. */
void flow_row_check_terms(const struct row *row, uint64_t pc, const struct flow_state *state,
			  const struct flow_row_terms *terms, struct flow_row_verdict *ret);
/* All registers that callees preserve hold what they held at the entry. */
bool flow_row_preserves(const struct flow_state *state);
/* The caller's value of the register is in a word of this frame, whichever, where it stays. */
bool flow_row_has_saved(const struct flow_state *state, uint8_t reg);
/* The row claims something of a register that no callee preserves. */
bool flow_row_has_others(const struct row *row);
/* The state is that of a function that was just called. */
bool flow_state_is_entry(const struct flow_state *state);
/* Whether the row says so. */
bool flow_row_is_entry(const struct row *row);
#define FLOW_TEXT_BYTES 96
/* The rule that is wrong, and what is so, as texts for people. */
void flow_row_describe(const struct row *row, const struct flow_state *state,
		       const struct flow_row_verdict *verdict, char declared[FLOW_TEXT_BYTES],
		       char actual[FLOW_TEXT_BYTES]);

/* ---- flow_row.c -------------------------------------------------------------------- */

/* What a DWARF expression comes to. cfa: pushed first, unless NULL. VALUE_UNKNOWN if it can't be
 * said. pc: the value of rip. */
struct value flow_expression(const uint8_t *expression, size_t size, uint64_t pc,
			     const struct value *cfa, const struct flow_state *state);

#endif
