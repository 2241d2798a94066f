/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_flags.c - which way a branch goes, where the code itself says so
 *
 * Behind `xor eax, eax; test eax, eax` no CPU takes a jnz. So the flags CF, PF, ZF, SF and OF are known where what
 * they are of is: registers that hold numbers, or whatever an operation gives them always (`test` clears CF). And a
 * branch says of its own flag what it is on either way. When ways meet, what differs is not known any more, and the
 * branch goes both ways again.
 *
 * Of what a mask leaves, or has 8 or 16 bits, it is known how large it is at most: behind `and eax, 3; cmp eax, 3`
 * nobody takes a ja.
 *
 * A number that is read from memory somebody else may have changed meanwhile, and an address counts from where the
 * image is loaded: what they decide is marked as *read*, and only doubted. Of such numbers in memory the one is
 * known that was stored last.
 *
 * flow_proof.c asks for none of that: it follows both ways, and proves less.
 */
#include "flow_state.h"

enum flag {
	CARRY = 1,
	PARITY = 2,
	ZERO = 4,
	SIGN = 8,
	OVERFLOW = 16,
	ALL = 31,
	NOT_ABOVE = 32, /* none of the CPU's: CF or ZF is set, nobody knows which */
};

static void know(struct flow_state *state, uint8_t known, uint8_t flags)
{
	state->flags_known = known;
	state->flags = flags & known;
	state->flags_read &= known != 0;
}

/* ---- operands ----------------------------------------------------------------------------- */

struct operands {
	uint64_t left, right;
	bool read;
};

static bool take_register(const struct flow_state *state, uint8_t reg, uint64_t *ret, bool *read)
{
	const struct value *value = &state->reg[reg];

	*ret = (uint64_t)value->number;
	*read |= value->scale;
	return value->kind == VALUE_CONSTANT;
}

/* A place of the stack that is known for certain. */
static bool is_place(const struct value *at)
{
	return value_is_stack(at) && !at->scale;
}

static uint32_t base_of(const struct value *at)
{
	return at->kind == VALUE_BASE ? at->bound + 1 : 0;
}

static bool take_memory(const struct flow_state *state, const struct code *code, uint64_t *ret)
{
	struct value at;

	if (!code->has_memory || code->width > state->stored_width)
		return false;
	at = flow_effect_address(state, code);
	*ret = (uint64_t)(int64_t)state->stored_number;
	return is_place(&at) && base_of(&at) == state->stored_base && at.number == state->stored_at;
}

static bool take_right(const struct flow_state *state, const struct code *code,
		       struct operands *ret)
{
	if (code->flags == FLAGS_INCREMENT || code->flags == FLAGS_DECREMENT)
		ret->right = 1;
	else if (code->source != CODE_NO_REGISTER)
		return take_register(state, code->source, &ret->right, &ret->read);
	else if (code->flags == FLAGS_SUBTRACT && code->effect == EFFECT_ADD)
		ret->right = 0 - (uint64_t)code->constant; /* its effect is to add that */
	else
		ret->right = (uint64_t)code->constant;
	return true;
}

static bool take_operands(const struct flow_state *state, const struct code *code,
			  struct operands *ret)
{
	if (!code->width)
		return false;
	if (code->reg != CODE_NO_REGISTER)
		return take_register(state, code->reg, &ret->left, &ret->read) &&
		       take_right(state, code, ret);
	ret->read = true;
	return take_memory(state, code, &ret->left) && take_right(state, code, ret);
}

/* ---- flags -------------------------------------------------------------------------------- */

static uint8_t flags_of(uint64_t result, unsigned int width)
{
	uint8_t flags = __builtin_parity(result & UINT8_MAX) ? 0 : PARITY;

	if (!result)
		flags |= ZERO;
	return result >> (width - 1) & 1 ? flags | SIGN : flags;
}

/* SDM, volume 1, 3.4.3.1. */
static uint8_t compute(enum code_flags operation, struct operands operands, unsigned int width)
{
	const uint64_t mask = UINT64_MAX >> (64 - width), top = width - 1;
	uint64_t a = operands.left & mask, b = operands.right & mask, result;

	switch (operation) {
	case FLAGS_ADD:
	case FLAGS_INCREMENT:
		result = (a + b) & mask;
		return (uint8_t)(flags_of(result, width) | (result < a ? CARRY : 0) |
				 ((~(a ^ b) & (a ^ result)) >> top & 1 ? OVERFLOW : 0));
	case FLAGS_AND: return flags_of(a & b, width);
	case FLAGS_OR: return flags_of(a | b, width);
	case FLAGS_XOR: return flags_of(a ^ b, width);
	default:
		result = (a - b) & mask;
		return (uint8_t)(flags_of(result, width) | (a < b ? CARRY : 0) |
				 (((a ^ b) & (a ^ result)) >> top & 1 ? OVERFLOW : 0));
	}
}

/* Of `or` and `and` with a number: what of the result that number says. */
static uint8_t known_by_number(const struct code *code, uint8_t *flags)
{
	const uint64_t mask = UINT64_MAX >> (64 - code->width);
	const uint64_t number = (uint64_t)code->constant & mask;
	const bool top = number >> (code->width - 1) & 1, is_or = code->flags == FLAGS_OR;

	if (number == (is_or ? mask : 0)) {
		*flags = flags_of(number, code->width);
		return ALL;
	}
	if (is_or) {
		*flags = top ? SIGN : 0;
		return (uint8_t)((number ? ZERO : 0) | (top ? SIGN : 0));
	}
	return top ? 0 : SIGN;
}

/* Those that are so whatever the left operand is. */
static uint8_t known_always(const struct code *code, uint8_t *flags)
{
	const bool number = code->width && code->source == CODE_NO_REGISTER;

	*flags = 0;
	switch (code->flags) {
	case FLAGS_AND:
	case FLAGS_OR: return (number ? known_by_number(code, flags) : 0) | CARRY | OVERFLOW;
	case FLAGS_XOR: return CARRY | OVERFLOW;
	case FLAGS_SUBTRACT:
		return number && code->effect != EFFECT_ADD && !code->constant ? CARRY | OVERFLOW
									       : 0;
	default: return 0;
	}
}

/* Of a difference of what is at most some number, and another one. A comparison's bound is that of as many bits as it
 * had, which are not known any more. */
static uint8_t known_by_bound(const struct flow_state *state, const struct code *code,
			      uint8_t *flags, bool *read)
{
	const uint64_t mask = code->width ? UINT64_MAX >> (64 - code->width) : 0;
	struct operands operands = { .read = false };
	const struct value *left;

	if (code->flags != FLAGS_SUBTRACT || code->reg == CODE_NO_REGISTER)
		return 0;
	left = &state->reg[code->reg];
	if (left->kind != VALUE_BOUND || left->scale != 1 || left->compared || left->bound > mask ||
	    !take_right(state, code, &operands) || (operands.right & mask) < left->bound)
		return 0;
	*read = operands.read || left->reg;
	*flags |= (operands.right & mask) > left->bound ? CARRY | NOT_ABOVE : NOT_ABOVE;
	return (operands.right & mask) > left->bound ? CARRY | ZERO | NOT_ABOVE : NOT_ABOVE;
}

static void operate(struct flow_state *state, const struct code *code)
{
	bool carry_stays = code->flags == FLAGS_INCREMENT || code->flags == FLAGS_DECREMENT;
	uint8_t kept = carry_stays ? state->flags_known & CARRY : 0, carry = state->flags & kept;
	struct operands operands = { .read = kept && state->flags_read };
	uint8_t changed = carry_stays ? ALL & ~CARRY : ALL, always;

	if (!take_operands(state, code, &operands)) {
		const uint8_t known = known_always(code, &always);
		bool read = false;
		const uint8_t bound = known_by_bound(state, code, &always, &read);

		state->flags_read = (state->flags_read && kept) || read;
		know(state, kept | known | bound, carry | always);
		return;
	}
	state->flags_read = operands.read;
	know(state, kept | changed,
	     carry | (compute(code->flags, operands, code->width) & changed));
}

static void make_flags(struct flow_state *state, const struct code *code)
{
	switch (code->flags) {
	case FLAGS_LOST: know(state, 0, 0); break;
	case FLAGS_KEPT: break;
	case FLAGS_ZERO:
		state->flags_read = false;
		know(state, ALL, ZERO | PARITY);
		break;
	case FLAGS_CARRY_CLEAR:
		know(state, (state->flags_known & ALL) | CARRY, state->flags & ~CARRY);
		break;
	case FLAGS_CARRY_SET:
		know(state, (state->flags_known & ALL) | CARRY, state->flags | CARRY);
		break;
	case FLAGS_CARRY_TURN: know(state, state->flags_known & ALL, state->flags ^ CARRY); break;
	default: operate(state, code); break;
	}
}

bool flow_flags_join(struct flow_state *into, const struct flow_state *from)
{
	uint8_t both = into->flags_known & from->flags_known & ~(into->flags ^ from->flags);
	bool read = both && from->flags_read && !into->flags_read;
	bool changed = both != into->flags_known || read;

	into->flags_read |= read;
	know(into, both, into->flags);
	if (into->stored_width &&
	    (into->stored_width != from->stored_width ||
	     into->stored_number != from->stored_number || into->stored_at != from->stored_at ||
	     into->stored_base != from->stored_base)) {
		into->stored_width = 0;
		changed = true;
	}
	return changed;
}

/* ---- numbers in memory -------------------------------------------------------------------- */

static bool may_overlap(const struct flow_state *state, const struct value *at, uint32_t bytes)
{
	if (!is_place(at) || base_of(at) != state->stored_base)
		return true;
	return at->number < (int64_t)state->stored_at + state->stored_width / 8 &&
	       at->number + (int64_t)bytes > state->stored_at;
}

static void store(struct flow_state *state, const struct code *code)
{
	bool number = code->plain_store && code->source == CODE_NO_REGISTER && code->width;
	struct value at;

	if (!number && !state->stored_width)
		return;
	/* What a push or a pop writes is no operand. */
	at = code->effect == EFFECT_WRITES || code->effect == EFFECT_STORE
		     ? flow_effect_address(state, code)
		     : (struct value) { .kind = VALUE_UNKNOWN };
	if (code->repeated || code->bit_index || may_overlap(state, &at, code->memory_bytes))
		state->stored_width = 0;
	if (!number || !is_place(&at) || at.number != (int32_t)at.number)
		return;
	state->stored_width = code->width;
	state->stored_number = (int32_t)code->constant;
	state->stored_at = (int32_t)at.number;
	state->stored_base = base_of(&at);
}

static void forget_numbers(struct flow_state *state)
{
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (state->reg[i].kind == VALUE_CONSTANT)
			state->reg[i] = (struct value) { .kind = VALUE_OTHER };
		else if (state->reg[i].kind == VALUE_BOUND)
			state->reg[i].reg = 1;
}

void flow_flags_effect(struct flow_state *state, const struct code *code)
{
	make_flags(state, code);
	if (code->port)
		forget_numbers(state);
	if (code->system_call || code->effect == EFFECT_PUSH)
		state->stored_width = 0;
	if (code->writes_memory)
		store(state, code);
}

/* ---- branches ----------------------------------------------------------------------------- */

/* Each is that of a flag, or its opposite. */
static const struct {
	uint8_t flag;
	bool is_set;
} simple[CONDITION_COUNT] = {
	[CONDITION_EQUAL] = { ZERO, true },	   [CONDITION_NOT_EQUAL] = { ZERO, false },
	[CONDITION_BELOW] = { CARRY, true },	   [CONDITION_ABOVE_EQUAL] = { CARRY, false },
	[CONDITION_OVERFLOW] = { OVERFLOW, true }, [CONDITION_NO_OVERFLOW] = { OVERFLOW, false },
	[CONDITION_SIGN] = { SIGN, true },	   [CONDITION_NO_SIGN] = { SIGN, false },
	[CONDITION_PARITY] = { PARITY, true },	   [CONDITION_NO_PARITY] = { PARITY, false },
};

enum truth { NO, YES, NOBODY_KNOWS };

static enum truth is_set(const struct flow_state *state, uint8_t flag)
{
	if (!(state->flags_known & flag))
		return NOBODY_KNOWS;
	return state->flags & flag ? YES : NO;
}

static enum truth opposite(enum truth a)
{
	if (a == NOBODY_KNOWS)
		return a;
	return a == YES ? NO : YES;
}

static enum truth either(enum truth a, enum truth b)
{
	if (a == YES || b == YES)
		return YES;
	return a == NO && b == NO ? NO : NOBODY_KNOWS;
}

static enum truth is_not_above(const struct flow_state *state)
{
	if (is_set(state, NOT_ABOVE) == YES)
		return YES;
	return either(is_set(state, CARRY), is_set(state, ZERO));
}

static enum truth is_less(const struct flow_state *state)
{
	enum truth sign = is_set(state, SIGN), overflow = is_set(state, OVERFLOW);

	if (sign == NOBODY_KNOWS || overflow == NOBODY_KNOWS)
		return NOBODY_KNOWS;
	return sign != overflow ? YES : NO;
}

/* Of the bits that the mask says, less a number. */
static enum truth count_is_zero(const struct flow_state *state, uint64_t less, uint64_t mask)
{
	const struct value *rcx = &state->reg[REGISTER_RCX];

	if (rcx->kind != VALUE_CONSTANT)
		return NOBODY_KNOWS;
	return ((uint64_t)rcx->number - less) & mask ? NO : YES;
}

static enum truth holds(const struct flow_state *state, enum code_condition condition)
{
	enum truth zero = is_set(state, ZERO);
	enum truth last = count_is_zero(state, 1, UINT64_MAX);

	if (simple[condition].flag) {
		enum truth set = is_set(state, simple[condition].flag);

		return simple[condition].is_set ? set : opposite(set);
	}
	switch (condition) {
	case CONDITION_BELOW_EQUAL: return is_not_above(state);
	case CONDITION_ABOVE: return opposite(is_not_above(state));
	case CONDITION_LESS: return is_less(state);
	case CONDITION_GREATER_EQUAL: return opposite(is_less(state));
	case CONDITION_LESS_EQUAL: return either(is_less(state), zero);
	case CONDITION_GREATER: return opposite(either(is_less(state), zero));
	case CONDITION_RCX_ZERO: return count_is_zero(state, 0, UINT64_MAX);
	case CONDITION_ECX_ZERO: return count_is_zero(state, 0, UINT32_MAX);
	case CONDITION_LOOP: return opposite(last);
	case CONDITION_LOOP_EQUAL: return opposite(either(last, opposite(zero)));
	case CONDITION_LOOP_NOT_EQUAL: return opposite(either(last, zero));
	default: return NOBODY_KNOWS;
	}
}

enum flow_decision flow_flags_decide(const struct flow_state *state, enum code_condition condition)
{
	const struct value *rcx = &state->reg[REGISTER_RCX];
	bool counts = condition >= CONDITION_RCX_ZERO, read;
	enum truth truth;

	if (!state->flags_known && !counts)
		return FLOW_BOTH_WAYS;
	truth = holds(state, condition);
	if (truth == NOBODY_KNOWS)
		return FLOW_BOTH_WAYS;
	read = state->flags_read || (counts && rcx->kind == VALUE_CONSTANT && rcx->scale);
	if (truth == YES)
		return read ? FLOW_PERHAPS_TAKEN : FLOW_TAKEN;
	return read ? FLOW_PERHAPS_PASSED : FLOW_PASSED;
}

void flow_flags_branch(struct flow_state *state, enum code_condition condition, bool taken)
{
	uint8_t flag = simple[condition].flag;

	if (flag)
		know(state, state->flags_known | flag,
		     simple[condition].is_set == taken ? state->flags | flag
						       : state->flags & ~flag);
}
