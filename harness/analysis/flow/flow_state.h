/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_state.h - what is known of registers and stack words before an instruction, without running
 *
 * All is said relative to one activation of a function: its CFA (psABI, figure 3.3: the value of rsp before the call),
 * and what the registers held at its entry. So a value is known if it is the CFA plus a number, or what a register held
 * then. Where the code aligns the stack, or makes room of a computed size, a new *base* begins: a name for an address
 * that is not known. An *origin* says which base: the distance of the instruction where it begins from the function's
 * begin.
 *
 *	flow_state.c	values, words, and the join of two states; where bases may be that begin with an alignment
 *	flow_effect.c	how an instruction, or an edge of a branch, changes the state; which way a branch goes
 *
 * Two things are taken for granted, because no compiled program works without them (psABI, 3.2):
 *	- a call that returns has put rsp back and preserved rbx, rbp and r12 to r15;
 *	- a word where a function saves a register is written by that function only, and never by way of an address
 *	  that is not known.
 */
#ifndef STACKPROOF_FLOW_STATE_H
#define STACKPROOF_FLOW_STATE_H

#include <stddef.h>
#include <string.h>
#include "analysis/code/code.h"
#include "table/table_abi.h"

enum value_kind {
	VALUE_UNKNOWN,	/* anything */
	VALUE_OTHER,	/* made here: only by chance what a register held at the entry */
	VALUE_CFA,	/* the CFA + number */
	VALUE_ENTRY,	/* what reg held at the entry + number; REGISTER_RIP: the return address */
	VALUE_BASE,	/* the base of that origin + number */
	VALUE_CONSTANT, /* number */
	VALUE_BOUND,  /* an index from 0 to bound, times scale; compared: a comparison bounds it */
	VALUE_OFFSET, /* an entry of scale bytes of the jump table at number, by such an index */
	VALUE_TARGET, /* a target: such an entry as it is, or added to the table's address */
	/* Only in struct word, as `at`: the word's value is the address that the base of that origin was aligned from
	 * (flow_state.c). */
	VALUE_ALIGNED,
};

/* Whether a value is the stack address that it says. */
enum flow_address {
	ADDRESS_CERTAIN,
	ADDRESS_CHANGED, /* it was read from a word that others may have changed: it may be another address */
	ADDRESS_EITHER, /* certain on some paths, changed on others */
};

/* What a result is made of. A later result may be that value again. */
enum value_part {
	VALUE_PART_NONE,
	VALUE_PART_KEPT, /* what a register of FLOW_PRESERVED held at the entry, or the return address */
	VALUE_PART_ARGUMENT, /* what another register held at the entry */
	VALUE_ARGUMENT_AGAIN, /* a result of VALUE_PART_ARGUMENT: it may be what that register held */
};

/* A tagged union: kind says which members it has. Values are compared by their bytes, so the other members are 0. An
 * address that a base was aligned from is a VALUE_CFA or VALUE_BASE with bits, step and whole (flow_state.c). */
struct value {
	uint8_t kind; /* enum value_kind */
	union {
		uint8_t reg;  /* VALUE_ENTRY */
		bool changed; /* VALUE_BOUND: it was read from memory, or may have changed */
		uint8_t bits; /* aligned from: bits of the alignment */
	};
	union {
		uint8_t address; /* VALUE_CFA, VALUE_BASE: enum flow_address */
		uint8_t part;	 /* VALUE_OTHER: enum value_part */
		bool read; /* VALUE_CONSTANT: from memory, or counted from where the image is loaded */
		uint8_t scale; /* VALUE_BOUND, VALUE_OFFSET, VALUE_TARGET: bytes */
		uint8_t step;  /* aligned from: lowest bits that are known to be 0 but for number */
	};
	union {
		bool compared; /* VALUE_BOUND, VALUE_OFFSET, VALUE_TARGET */
		bool whole;    /* aligned from: the mask is that of a power of two */
		/* VALUE_UNKNOWN, VALUE_OTHER, VALUE_BASE: an address of the stack, and a number that is not known was
		 * added. So it may be above what the function has written, not only below. */
		bool raised;
	};
	union {
		uint32_t bound; /* VALUE_BOUND, VALUE_OFFSET, VALUE_TARGET */
		uint32_t
			origin; /* VALUE_BASE, VALUE_ALIGNED: of the base, in bytes from the function's begin */
		uint32_t of_clone; /* VALUE_OTHER: 1: what clone(2) returned */
	};
	int64_t number;
};

/* A word of the stack, whose address is VALUE_CFA or VALUE_BASE. */
struct word {
	struct value at;
	struct value value;
};

#define FLOW_WORDS_MAX 32 /* of a state; a function has fewer registers to save */

/* The last comparison, as long as its operands have not changed. */
struct last_comparison {
	bool valid;
	bool with_register;
	bool of_word; /* of the word at `at`, not of reg */
	uint8_t reg, source;
	struct value at;
	int64_t constant;
};

/* Which thread takes the path: flow_effect.c. */
enum flow_thread {
	FLOW_THREAD_NONE, /* the caller's */
	FLOW_THREAD_EITHER,
	FLOW_THREAD_NEW, /* one that began here, and has no caller */
};

/* What was written to words that are not in the list, since the values are of no use. */
enum flow_unlisted {
	FLOW_UNLISTED_NONE,
	FLOW_UNLISTED_OTHER,
	FLOW_UNLISTED_ARGUMENT, /* some perhaps what a register held that callees do not preserve */
};

struct flow_state {
	struct value reg[REGISTER_GPR_COUNT];
	uint8_t thread; /* enum flow_thread */
	/* A state of flow_proof.c: it keeps only what may show that a row is right. Of words it knows where registers
	 * were saved, not which were touched. A value that becomes VALUE_OTHER is no change. */
	bool saved_only;
	bool words_lost;    /* there were more words than the list takes */
	uint8_t unlisted;   /* enum flow_unlisted */
	bool aligned;	    /* the list has words at VALUE_ALIGNED */
	uint8_t direction;  /* enum code_direction; a call finds and leaves DIRECTION_UP */
	bool bases_touched; /* something unknown was written to words of bases */
	/* The next members are flow_effect.c's, and not of saved_only. flags_known: which flags are known. flags:
	 * these. flags_read: they depend on a value that was read. */
	uint8_t flags_known, flags;
	bool flags_read;
	/* The number in memory that was stored last. stored_width: its bits; 0: none is known. stored_at: its address,
	 * from the CFA, or from the base of origin stored_base - 1. */
	uint8_t stored_width;
	int32_t stored_number;
	int32_t stored_at;
	uint32_t stored_base;
	/* Something unknown was written in this range, counted from the CFA. */
	int64_t touched_begin, touched_end;
	int64_t lent; /* callees may have written from here up, counted from the CFA; 0: nothing */
	/* A bit for each number in word. fresh: the word holds a stack address, and on some path only this function can
	 * have changed the word. stale: on another path others can. */
	uint32_t fresh, stale;
	/* A bit for each register: what it held at the entry was stored at an address that is not known. */
	uint32_t escaped;
	uint32_t
		word_writes; /* counts writes to words that hold what a register held at the entry */
	struct last_comparison comparison;
	uint32_t word_count;
	struct word word[FLOW_WORDS_MAX]; /* last: words beyond word_count are not copied */
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

/* No register is known to lead to the frame any more: rsp is on another stack. */
void flow_state_lose_stack(struct flow_state *state);

_Static_assert(sizeof(struct value) == 16, "values are compared by their bytes");

/* Registers that callees preserve (psABI, figure 3.4), a bit for each. */
#define FLOW_PRESERVED                                                                             \
	(1u << REGISTER_RBX | 1u << REGISTER_RBP | 1u << REGISTER_RSP | 1u << REGISTER_R12 |       \
	 1u << REGISTER_R13 | 1u << REGISTER_R14 | 1u << REGISTER_R15)

/* Registers that arguments are passed in (psABI, 3.2.3). The last two are r8 and r9. */
#define FLOW_ARGUMENTS                                                                             \
	(1u << REGISTER_RDI | 1u << REGISTER_RSI | 1u << REGISTER_RDX | 1u << REGISTER_RCX |       \
	 1u << REGISTER_R8 | 1u << (REGISTER_R8 + 1))

#define FLOW_RED_ZONE_BYTES 128 /* below rsp, for the function itself (psABI, 3.2.2) */

static inline bool value_equal(const struct value *a, const struct value *b)
{
	uint64_t left[2], right[2];

	memcpy(left, a, sizeof(left));
	memcpy(right, b, sizeof(right));
	return !((left[0] ^ right[0]) | (left[1] ^ right[1]));
}

/* What a register of FLOW_PRESERVED held at the entry, whole or with a number added. */
static inline bool value_is_callers(const struct value *value)
{
	return value->kind == VALUE_ENTRY && value->reg < REGISTER_GPR_COUNT &&
	       FLOW_PRESERVED & 1u << value->reg;
}

/* A result made of what a register of FLOW_PRESERVED held at the entry, or of the return address. */
static inline bool value_is_part(const struct value *value)
{
	return value->kind == VALUE_OTHER && value->part == VALUE_PART_KEPT;
}

/* A result that may be what another register held at the entry. */
static inline bool value_is_argument_again(const struct value *value)
{
	return value->kind == VALUE_OTHER && value->part == VALUE_ARGUMENT_AGAIN;
}

/* It is made of what such a register held, or is that. */
static inline bool value_has_argument(const struct value *value)
{
	return value->kind == VALUE_OTHER
		       ? value->part >= VALUE_PART_ARGUMENT
		       : value->kind == VALUE_ENTRY && value->reg < REGISTER_GPR_COUNT &&
				 !(FLOW_PRESERVED & 1u << value->reg);
}

static inline bool value_is_raised(const struct value *value)
{
	return value->raised && (value->kind == VALUE_UNKNOWN || value->kind == VALUE_OTHER ||
				 value->kind == VALUE_BASE);
}

/* value was made of `of`: it is no surer. */
static inline void value_keep_mark(struct value *value, const struct value *of)
{
	if (value->kind == VALUE_CONSTANT && of->kind == VALUE_CONSTANT)
		value->read |= of->read;
}

/* The return address, perhaps plus a number. */
static inline bool value_is_return(const struct value *value)
{
	return value->kind == VALUE_ENTRY && value->reg == REGISTER_RIP;
}

/* a + number. Known if a is an address, a number, or what a register held. */
struct value value_add(struct value a, int64_t number);

static inline bool value_is_stack(const struct value *value)
{
	return value->kind == VALUE_CFA || value->kind == VALUE_BASE;
}

static inline void flow_state_copy(struct flow_state *to, const struct flow_state *from)
{
	memcpy(to, from,
	       offsetof(struct flow_state, word) + from->word_count * sizeof(struct word));
}

/* The state at the entry, behind a call: rsp is the CFA - 8, and the return address is there. */
void flow_state_enter(struct flow_state *ret);
/* The value of the word at that address; NULL: it is not in the list. */
const struct value *flow_word_find(const struct flow_state *state, const struct value *at);
/* The same of the word at the CFA - 8, where a call puts the return address. */
const struct value *flow_word_on_top(const struct flow_state *state);
/* Something is pushed. If rsp was raised by a number that is not known, nobody knows which words that overwrites. To be
 * called before the word is written. */
void flow_word_push(struct flow_state *state);
/* Bytes are written from `at` on. value: that of the word, if bytes is 8. */
void flow_word_write(struct flow_state *state, const struct value *at, uint32_t bytes,
		     struct value value);
/* Something unknown is perhaps written, to any of these bytes. */
void flow_word_touch(struct flow_state *state, const struct value *at, uint64_t bytes);
/* The same from begin to end, counted from the CFA. */
void flow_word_touched(struct flow_state *state, int64_t begin, int64_t end);
/* The stack address that a word of the list holds. */
struct value flow_word_address(const struct flow_state *state, const struct value *word);
/* The value that is read from a word of the list. If others may have changed the word since, a stack address or a
 * number is marked so. */
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

/* Something was written at an address that is not known. */
static inline void flow_word_change(struct flow_state *state)
{
	state->fresh = state->stale = 0;
}

/* value was stored at `at`, which perhaps is not on the stack. */
void flow_word_escape(struct flow_state *state, const struct value *at, const struct value *value);
/* The function's own code has not written the word. */
bool flow_word_is_untouched(const struct flow_state *state, const struct value *at);
/* Neither has a callee. */
bool flow_word_is_unwritten(const struct flow_state *state, const struct value *at);
/* A variable of less than 8 bytes at `at` has that value. Nothing if the list has a word there. */
void flow_word_note(struct flow_state *state, const struct value *at, struct value value);
/* Makes into what is true of both states. Returns whether into has changed. */
bool flow_state_join(struct flow_state *into, const struct flow_state *from);
/* Both have the same rsp, or the same rbp, as in a loop that takes more of the stack. */
bool flow_state_same_frame(const struct flow_state *a, const struct flow_state *b);
/* Makes state, before a call, the state behind it, by the psABI. */
void flow_state_call(struct flow_state *state);

/* ---- flow_state.c ------------------------------------------------------------------------- */

/* Notes that the base of that origin is at & mask. */
void flow_align_note(struct flow_state *state, uint32_t origin, const struct value *at,
		     int64_t mask);
/* The base that is known to be at & mask; VALUE_UNKNOWN: none. */
struct value flow_align_find(const struct flow_state *state, const struct value *at, int64_t mask);
/* Bytes were perhaps written from `at` on. Words known by another base, or by the CFA, become unknown where they may
 * overlap the first of them. */
void flow_align_write(struct flow_state *state, const struct value *at, uint64_t bytes,
		      uint64_t first);
/* at perhaps lies below limit. */
bool flow_align_is_below(const struct flow_state *state, const struct value *at,
			 const struct value *limit);
/* The highest address that at may be, counted from the CFA; INT64_MIN: not known. */
int64_t flow_align_highest(const struct flow_state *state, const struct value *at);

/* ---- flow_effect.c ------------------------------------------------------------------------ */

/* The code's effect on the state, without where it goes. origin: of a base that begins here. */
void flow_effect(struct flow_state *state, const struct code *code, uint32_t origin);
/* Makes the state before a repeated instruction what is so between its rounds, too: then rip still is at the instruction,
 * and some of what it writes is written. */
void flow_effect_rounds(struct flow_state *state, const struct code *code);
/* If rsp is not known, a base begins at it: so words are known that are pushed from here on. */
void flow_effect_base(struct flow_state *state, uint32_t origin);
/* The register holds a stack address at an unknown distance from others: a base begins. */
void flow_effect_room(struct flow_state *state, uint8_t reg, uint32_t origin);

/* What the last comparison tells on an edge of the branch. taken: to its target; else to the next instruction. */
void flow_effect_branch(struct flow_state *state, enum code_condition condition, bool taken);

/* How the code changes the flags, and the number that was stored last. To be called before its effect. */
void flow_flags_effect(struct flow_state *state, const struct code *code);

static inline void flow_flags_forget(struct flow_state *state)
{
	state->flags_known = state->flags = 0;
	state->flags_read = false;
}

/* The flags are those of a difference of which nothing is known. */
static inline bool flow_flags_are_open(const struct flow_state *state, const struct code *code)
{
	return code->flags == FLAGS_SUBTRACT && code->reg != CODE_NO_REGISTER &&
	       state->reg[code->reg].kind != VALUE_CONSTANT &&
	       state->reg[code->reg].kind != VALUE_BOUND &&
	       (code->constant || code->source != CODE_NO_REGISTER);
}

/* flow_flags_effect(), faster where flags stay or are only forgotten. */
static inline void flow_flags_pass(struct flow_state *state, const struct code *code)
{
	bool stores = code->writes_memory || code->effect == EFFECT_PUSH ||
		      code->effect == EFFECT_PUSH_16;

	if (code->flags == FLAGS_KEPT && !(stores && (code->width | state->stored_width)))
		return;
	if ((code->flags == FLAGS_LOST || flow_flags_are_open(state, code)) &&
	    !(state->stored_width | code->port))
		flow_flags_forget(state);
	else
		flow_flags_effect(state, code);
}

/* Joins the flags, for flow_state_join(). */
bool flow_flags_join(struct flow_state *into, const struct flow_state *from);

/* Which edge of a branch is taken, by what is known. Perhaps: unless a number that was read has changed. */
enum flow_decision {
	FLOW_BOTH_WAYS,
	FLOW_TAKEN,
	FLOW_PERHAPS_TAKEN,
	FLOW_PASSED,
	FLOW_PERHAPS_PASSED
};

/* Before the branch's effect. */
enum flow_decision flow_flags_decide(const struct flow_state *state, enum code_condition condition);
/* What an edge of the branch tells of its flag. taken: as of flow_effect_branch(). */
void flow_flags_branch(struct flow_state *state, enum code_condition condition, bool taken);

/* The target of a computed jump or call. */
struct value flow_effect_jump(const struct flow_state *state, const struct code *code);

#endif
