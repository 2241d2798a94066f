/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_state.h - what is known of registers and stack words before an instruction, without running
 *
 * All is said relative to one activation of a function: its CFA (psABI, figure 3.3: the value of
 * rsp before the call), and what the registers held when it was entered. So a value is known if it
 * is the CFA plus a number, or what a register held then. Where the code aligns the stack or makes room
 * of a size that is computed, a new *base* begins there, a name for an address that is not known.
 *
 *	flow_state.c	values, words, and what two paths to an instruction have in common
 *	flow_state.c	where bases may be that begin with an alignment
 *	flow_effect.c	what an instruction makes of them
 *	flow_effect.c	what a branch by a comparison says of them
 *	flow_effect.c	which way a branch goes
 *
 * What is taken for granted, because no compiled program works without it (psABI, 3.2):
 *	- a call that returns has put rsp back and preserved rbx, rbp and r12 to r15;
 *	- words where a function saves registers are written by itself only, and not by way of
 *	  addresses that are not known to be there.
 */
#ifndef STACKPROOF_FLOW_STATE_H
#define STACKPROOF_FLOW_STATE_H

#include <string.h>
#include "analysis/code/code.h"
#include "table/table_abi.h"

enum value_kind {
	VALUE_UNKNOWN, /* may be anything */
	VALUE_OTHER,   /* made here: not what a register held at the entry, but for chance */
	VALUE_CFA,     /* the CFA + number */
	VALUE_ENTRY, /* what register reg held at the entry + number; REGISTER_RIP: the return address */
	VALUE_BASE,	/* the stack address that began at origin + number */
	VALUE_CONSTANT, /* number */
	VALUE_BOUND,	/* 0 to bound, times scale; compared: a comparison said so */
	VALUE_OFFSET,	/* read from the jump table at number, with such an index; scale bytes */
	VALUE_TARGET,	/* that, added to the table's address; or a target as it stands */
	/* Of a word's address alone: the word says what the base that began at origin is the aligned address of
	 * (flow_state.c). */
	VALUE_ALIGNED,
};

/* Whether an address of the stack is it. */
enum flow_address {
	ADDRESS_CERTAIN,
	ADDRESS_CHANGED, /* it was read from a word that others may have changed: then it is another */
	ADDRESS_EITHER, /* the one on some paths, the other on others */
};

/* What has a part in a result, so that another one may be that again. */
enum value_part {
	VALUE_PART_NONE,
	VALUE_PART_KEPT, /* what a register held at the entry that callees preserve, or the return address */
	VALUE_PART_ARGUMENT, /* the same of another register */
	VALUE_ARGUMENT_AGAIN, /* it is such a result, and may be what another register held, by now */
};

/* A tagged union: kind says which members it has. Values are compared by their bytes, so those that a kind has not are
 * 0. All but VALUE_OTHER have number, too. */
struct value {
	uint8_t kind; /* enum value_kind */
	union {
		uint8_t reg; /* VALUE_ENTRY: whose */
		bool changed; /* VALUE_BOUND: it was read from memory, or somebody may have changed it */
		uint8_t bits; /* of what a base is aligned from: flow_state.c */
	};
	union {
		uint8_t address; /* VALUE_CFA, VALUE_BASE: enum flow_address */
		uint8_t part;	 /* VALUE_OTHER: enum value_part */
		bool read; /* VALUE_CONSTANT: from memory, or it counts from where the image is loaded */
		uint8_t scale; /* VALUE_BOUND, VALUE_OFFSET, VALUE_TARGET */
		uint8_t step;  /* of what a base is aligned from */
	};
	union {
		bool compared; /* VALUE_BOUND, VALUE_OFFSET, VALUE_TARGET */
		bool whole;    /* of what a base is aligned from */
	};
	union {
		uint32_t bound; /* VALUE_BOUND, VALUE_OFFSET, VALUE_TARGET */
		uint32_t
			origin; /* VALUE_BASE, VALUE_ALIGNED: an instruction's distance from the function's */
		uint32_t of_clone; /* VALUE_OTHER: 1: what clone(2) returned */
	};
	int64_t number;
};

/* A word of the stack, whose address is VALUE_CFA or VALUE_BASE. */
struct word {
	struct value at;
	struct value value;
};

#define FLOW_WORDS_MAX 32 /* more of a function's words than registers that it can save there */

/* The last comparison, if nothing that it was of has changed. */
struct last_comparison {
	bool valid;
	bool with_register;
	bool of_word; /* at.., not reg */
	uint8_t reg, source;
	struct value at;
	int64_t constant;
};

/* Whose the path is: flow_effect.c. */
enum flow_thread {
	FLOW_THREAD_NONE, /* the function's caller's thread */
	FLOW_THREAD_EITHER,
	FLOW_THREAD_NEW, /* one that began here, and has no caller */
};

/* Whether words that are in no list were written, by values that are of no use. */
enum flow_unlisted {
	FLOW_UNLISTED_NONE,
	FLOW_UNLISTED_OTHER,
	FLOW_UNLISTED_ARGUMENT, /* some may be what a register held that no callee preserves */
};

struct flow_state {
	struct value reg[REGISTER_GPR_COUNT];
	uint8_t thread; /* enum flow_thread */
	/* Of flow_proof.c: nothing is kept but what may show that a row is right. Of words those where
	 * registers were saved, not which were touched; whether a value is VALUE_OTHER is nothing new. */
	bool saved_only;
	bool words_lost;    /* there were more */
	uint8_t unlisted;   /* enum flow_unlisted */
	bool aligned;	    /* words say what bases are the aligned addresses of */
	uint8_t direction;  /* enum code_direction, which a call finds and leaves DIRECTION_UP */
	bool bases_touched; /* the same of words that are known by bases */
	/* flow_effect.c; not of saved_only. Which flags are known, these, and whether what they are of was read. Then
	 * the number in memory that was stored last, if nothing else was there since: its bits, 0: none is known;
	 * where, from the CFA, or from a base, whose origin + 1 it is; 0: none. */
	uint8_t flags_known, flags;
	bool flags_read;
	uint8_t stored_width;
	int32_t stored_number;
	int32_t stored_at;
	uint32_t stored_base;
	/* Words that something was written to of which nothing is known, from the CFA. */
	int64_t touched_begin, touched_end;
	int64_t lent; /* from there on, counted from the CFA, functions that were called may have written; 0: none */
	/* Words that hold an address of the stack: a bit for each that on some path nobody else can have changed;
	 * and for each of those that somebody can on another. */
	uint32_t fresh, stale;
	/* What these registers held at the entry was stored where it is not known: a bit for each. */
	uint32_t escaped;
	uint32_t
		word_writes; /* grows: else what registers held at the entry is in the words that it was in */
	struct last_comparison comparison;
	uint32_t word_count;
	struct word word[FLOW_WORDS_MAX]; /* the last: those beyond word_count are not copied */
};

static inline struct value value_unknown(void)
{
	return (struct value) { .kind = VALUE_UNKNOWN };
}

static inline struct value value_other(enum value_part part)
{
	return (struct value) { .kind = VALUE_OTHER, .part = (uint8_t)part };
}

static inline struct value value_entry(uint8_t reg)
{
	return (struct value) { .kind = VALUE_ENTRY, .reg = reg };
}

static inline struct value value_constant(int64_t number)
{
	return (struct value) { .kind = VALUE_CONSTANT, .number = number };
}

/* No register is known to lead to the frame: the stack is another one. */
void flow_state_lose_stack(struct flow_state *state);

_Static_assert(sizeof(struct value) == 16, "values are compared by their bytes");

/* Registers that a function that was called preserves (psABI, figure 3.4), a bit for each. */
#define FLOW_PRESERVED                                                                             \
	(1u << REGISTER_RBX | 1u << REGISTER_RBP | 1u << REGISTER_RSP | 1u << REGISTER_R12 |       \
	 1u << REGISTER_R13 | 1u << REGISTER_R14 | 1u << REGISTER_R15)

/* Those that arguments are passed in (psABI, 3.2.3): the last two are r8 and r9. */
#define FLOW_ARGUMENTS                                                                             \
	(1u << REGISTER_RDI | 1u << REGISTER_RSI | 1u << REGISTER_RDX | 1u << REGISTER_RCX |       \
	 1u << REGISTER_R8 | 1u << (REGISTER_R8 + 1))

#define FLOW_RED_ZONE_BYTES 128 /* below rsp, and the function's (psABI, 3.2.2) */

static inline bool value_equal(const struct value *a, const struct value *b)
{
	uint64_t left[2], right[2];

	memcpy(left, a, sizeof(left));
	memcpy(right, b, sizeof(right));
	return !((left[0] ^ right[0]) | (left[1] ^ right[1]));
}

/* A result that what a register held at the entry that callees preserve, or the return address, has a part in. */
static inline bool value_is_part(const struct value *value)
{
	return value->kind == VALUE_OTHER && value->part == VALUE_PART_KEPT;
}

/* It may be what a register held at the entry that no callee preserves, but for chance. Another one's it is not. */
static inline bool value_is_argument_again(const struct value *value)
{
	return value->kind == VALUE_OTHER && value->part == VALUE_ARGUMENT_AGAIN;
}

/* What such a register held has a part in it, or is it. */
static inline bool value_has_argument(const struct value *value)
{
	return value->kind == VALUE_OTHER
		       ? value->part >= VALUE_PART_ARGUMENT
		       : value->kind == VALUE_ENTRY && value->reg < REGISTER_GPR_COUNT &&
				 !(FLOW_PRESERVED & 1u << value->reg);
}

/* A number that is made of another one is no surer than that. */
static inline void value_keep_mark(struct value *value, const struct value *of)
{
	if (value->kind == VALUE_CONSTANT && of->kind == VALUE_CONSTANT)
		value->read |= of->read;
}

/* Where the function returns to, or an address that was counted from it. */
static inline bool value_is_return(const struct value *value)
{
	return value->kind == VALUE_ENTRY && value->reg == REGISTER_RIP;
}

/* a + number, if a is an address or what a register held. */
struct value value_add(struct value a, int64_t number);

static inline bool value_is_stack(const struct value *value)
{
	return value->kind == VALUE_CFA || value->kind == VALUE_BASE;
}

void flow_state_copy(struct flow_state *to, const struct flow_state *from);
/* As a call leaves it: rsp is the CFA - 8, and there is the return address. */
void flow_state_enter(struct flow_state *ret);
/* What the word at that address holds. A word that nobody has written: NULL. */
const struct value *flow_word_find(const struct flow_state *state, const struct value *at);
/* The same of the word where a call puts the return address. */
const struct value *flow_word_on_top(const struct flow_state *state);
/* Writes bytes at at. value: what the word there is now, if it is 8 of them. */
void flow_word_write(struct flow_state *state, const struct value *at, uint32_t bytes,
		     struct value value);
/* Something was written there, maybe, of which nothing is known: as much of it as anybody likes. */
void flow_word_touch(struct flow_state *state, const struct value *at, uint64_t bytes);
/* What lies from begin to end, counted from the CFA, may have been. */
void flow_word_touched(struct flow_state *state, int64_t begin, int64_t end);
/* The address that a word of the state's holds. */
struct value flow_word_address(const struct flow_state *state, const struct value *word);
/* What is read from a word of the state's. If that is a variable which others have changed meanwhile, an address of the
 * stack, or a number, is another. What a function puts back to rsp and rbp it has kept for itself. */
static inline struct value flow_word_read(const struct flow_state *state, const struct value *word)
{
	struct value value = *word;

	if (value_is_stack(word))
		return flow_word_address(state, word);
	if (value.kind == VALUE_CONSTANT)
		value.read = true;
	if (value.kind == VALUE_BOUND)
		value.changed = true;
	return value;
}

/* Something was written, nobody knows where. */
static inline void flow_word_change(struct flow_state *state)
{
	state->fresh = state->stale = 0;
}

/* The value was stored at an address that is not known. */
void flow_word_escape(struct flow_state *state, const struct value *at, const struct value *value);
/* The function's own code can't have written the word. */
bool flow_word_is_untouched(const struct flow_state *state, const struct value *at);
/* Nobody can have written it. */
bool flow_word_is_unwritten(const struct flow_state *state, const struct value *at);
/* A number in memory at at is known, if the word there isn't: of a variable, in less than 8 bytes. */
void flow_word_note(struct flow_state *state, const struct value *at, struct value value);
/* Makes into what is true of it and of from. True: it has changed. */
bool flow_state_join(struct flow_state *into, const struct flow_state *from);
/* rsp is at the same place, or, as in a loop that takes more of the stack, rbp is. */
bool flow_state_same_frame(const struct flow_state *a, const struct flow_state *b);
/* The caller's from now on: rsp is its own again. */
void flow_state_call(struct flow_state *state);

/* ---- flow_state.c ------------------------------------------------------------------------- */

/* The base that begins at origin is at & mask. */
void flow_align_note(struct flow_state *state, uint32_t origin, const struct value *at,
		     int64_t mask);
/* The base that is known to be at & mask, or VALUE_UNKNOWN. */
struct value flow_align_find(const struct flow_state *state, const struct value *at, int64_t mask);
/* Bytes were written at at, or the first of them and nobody knows which else: what other bases' words hold that may
 * be there is not known. */
void flow_align_write(struct flow_state *state, const struct value *at, uint64_t bytes,
		      uint64_t first);
/* at lies below limit, or may do so. */
bool flow_align_is_below(const struct flow_state *state, const struct value *at,
			 const struct value *limit);
/* The highest address that at may be, counted from the CFA; INT64_MIN: that is not known. */
int64_t flow_align_highest(const struct flow_state *state, const struct value *at);

/* ---- flow_effect.c ------------------------------------------------------------------------ */

/* The code's effect, but for where it goes. origin: its distance from where the function begins. */
void flow_effect(struct flow_state *state, const struct code *code, uint32_t origin);
/* rsp is not known: what is pushed from here on is known by where that began. */
void flow_effect_base(struct flow_state *state, uint32_t origin);
/* The register holds an address of the stack, as far from a known one as nobody knows. */
void flow_effect_room(struct flow_state *state, uint8_t reg, uint32_t origin);

/* ---- flow_effect.c -------------------------------------------------------------------- */

/* What the branch adds to it if it is taken, or is not. */
void flow_effect_branch(struct flow_state *state, enum code_condition condition, bool taken);

/* ---- flow_effect.c ------------------------------------------------------------------------- */

/* What the code makes of the flags, and of the number that was stored last. Before its effect. */
void flow_flags_effect(struct flow_state *state, const struct code *code);

static inline void flow_flags_forget(struct flow_state *state)
{
	state->flags_known = state->flags = 0;
	state->flags_read = false;
}

/* A difference of which nothing is known. */
static inline bool flow_flags_are_open(const struct flow_state *state, const struct code *code)
{
	return code->flags == FLAGS_SUBTRACT && code->reg != CODE_NO_REGISTER &&
	       state->reg[code->reg].kind != VALUE_CONSTANT &&
	       state->reg[code->reg].kind != VALUE_BOUND &&
	       (code->constant || code->source != CODE_NO_REGISTER);
}

/* As flow_flags_effect(), where that does more than to forget flags. */
static inline void flow_flags_pass(struct flow_state *state, const struct code *code)
{
	bool stores = code->writes_memory || code->effect == EFFECT_PUSH;

	if (code->flags == FLAGS_KEPT && !(stores && (code->width | state->stored_width)))
		return;
	if ((code->flags == FLAGS_LOST || flow_flags_are_open(state, code)) &&
	    !(state->stored_width | code->port))
		flow_flags_forget(state);
	else
		flow_flags_effect(state, code);
}

/* As flow_state_join(), which asks. */
bool flow_flags_join(struct flow_state *into, const struct flow_state *from);

/* Which way a branch goes, on all that is known. Perhaps: if what was read is what it was. */
enum flow_decision {
	FLOW_BOTH_WAYS,
	FLOW_TAKEN,
	FLOW_PERHAPS_TAKEN,
	FLOW_PASSED,
	FLOW_PERHAPS_PASSED
};

/* Before its effect. */
enum flow_decision flow_flags_decide(const struct flow_state *state, enum code_condition condition);
/* What the branch says of its flag, if it is taken, or is not. */
void flow_flags_branch(struct flow_state *state, enum code_condition condition, bool taken);

/* ---- flow_effect.c ------------------------------------------------------------------------ */

/* Where a computed jump goes. */
struct value flow_effect_jump(const struct flow_state *state, const struct code *code);

#endif
