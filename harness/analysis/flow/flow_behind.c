/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_behind.c - functions that go on elsewhere than right behind their call
 *
 *	call print		print:	pop rsi
 *	.asciz "data"		1:	lodsb
 *	...				...
 *					push rsi
 *					ret
 *
 * Old assembly puts data behind a call. The callee takes it from there by its return address, and goes on behind it.
 * Nobody can say where that is, nor what is decoded from the data. Such a function is known by its code: some way of
 * it leaves by an address that was made of the return address, or by what was put in its place. Ways are followed
 * one by one; of one that goes to another stack, or is too long, nothing is said.
 *
 * Of a callee elsewhere only what lies behind its call can show it: no compiler makes the instructions that text is
 * full of.
 */
#include <stdlib.h>
#include <string.h>
#include "flow.h"
#include "flow_callees.h"

#define STEPS_MAX 256 /* instructions of a function */
#define WAYS_MAX  16  /* that are not followed yet */

#define LOOK 24 /* instructions behind a call */

/* These bytes begin no instruction of 64-bit code (SDM, volume 2, A.3: i64), or one for ports that nobody writes
 * without rep. */
static const char text_bytes[] = "'/7?`almno";

struct search {
	uint64_t seen[STEPS_MAX];
	size_t seen_count;
	struct way {
		uint64_t pc;
		struct flow_state state;
	} way[WAYS_MAX];
	size_t way_count;
	struct flow_done done;
};

/* The way leaves for that address. on_top: it is what lies where the return address was, or that was taken off. */
static bool is_elsewhere(const struct value *to, bool on_top)
{
	return (value_is_return(to) && to->number) || value_is_part(to) ||
	       (on_top && to->kind == VALUE_UNKNOWN);
}

static bool leaves_elsewhere(const struct flow_state *state, const struct code *code)
{
	const struct value *rsp = &state->reg[REGISTER_RSP], *word;
	struct value to;

	if (rsp->kind != VALUE_CFA)
		return false;
	word = flow_word_find(state, rsp);
	if (code->flow == CODE_RETURN)
		return word && is_elsewhere(word, rsp->number == -8);
	to = flow_effect_jump(state, code);
	return is_elsewhere(&to, rsp->number >= 0 && !(word && value_is_return(word)));
}

/* By as much as nobody knows rsp is elsewhere on this stack, and so is what lies there. */
static bool returns_by_room(const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value *word = flow_word_find(state, rsp);

	return rsp->kind == VALUE_BASE && (!word || word->kind == VALUE_UNKNOWN);
}

/* Bytes by which rsp is higher behind the call than before it; lower: less than 0. False: it doesn't come back there, as
 * far as is seen. */
static bool comes_back(const struct flow_state *state, const struct code *code, int64_t *ret)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (code->flow == CODE_RETURN) {
		if (!flow_popped_returns(state) && !returns_by_room(state))
			return false;
		*ret = rsp->number + 8 + code->returned_bytes;
	} else {
		struct value to = flow_effect_jump(state, code);

		if (!value_is_return(&to) || to.number)
			return false;
		*ret = rsp->number;
	}
	/* Room of a size that is computed begins at a base, or is a result. */
	if (rsp->kind != VALUE_CFA)
		*ret = INT64_MIN;
	return rsp->kind == VALUE_CFA || rsp->kind == VALUE_BASE || rsp->kind == VALUE_OTHER;
}

/* By a return or a jump the way comes back to behind the call, with rsp as it is there. */
static void come_back(struct search *search, const struct flow_state *state,
		      const struct code *code)
{
	struct flow_done *done = &search->done;
	int64_t popped;

	if (!comes_back(state, code, &popped))
		return;
	if (popped <= INT32_MIN || popped > INT32_MAX ||
	    (done->returns && done->popped != (uint32_t)popped))
		popped = FLOW_POPPED_UNKNOWN;
	done->popped = (uint32_t)popped;
	done->returns = true;
}

static void go(struct search *search, uint64_t pc, const struct flow_state *state)
{
	struct way *way = &search->way[search->way_count];

	if (search->way_count == WAYS_MAX)
		return;
	search->way_count++;
	way->pc = pc;
	flow_state_copy(&way->state, state);
}

/* False: it was there before, or there are too many. */
static bool see(struct search *search, uint64_t pc)
{
	for (size_t i = 0; i < search->seen_count; i++)
		if (search->seen[i] == pc)
			return false;
	if (search->seen_count == STEPS_MAX)
		return false;
	search->seen[search->seen_count++] = pc;
	return true;
}

/* rsp comes from memory: it is another stack, perhaps. */
static bool changes_stack(const struct code *code)
{
	return (code->effect == EFFECT_LOAD || code->effect == EFFECT_POP ||
		code->effect == EFFECT_WRITES) &&
	       (code->reg == REGISTER_RSP ||
		(code->effect == EFFECT_WRITES && code->written >> REGISTER_RSP & 1));
}

/* An address of the stack is moved by a number that is not known: so is rsp, later on. In that register, or
 * CODE_NO_REGISTER. */
static uint8_t makes_room(const struct flow_state *state, const struct code *code)
{
	const uint8_t from = code->base, index = code->index;
	uint8_t reg = code->reg;
	bool moves;

	switch (code->effect) {
	case EFFECT_ADD_REGISTER:
		moves = value_is_stack(&state->reg[reg]) ||
			value_is_stack(&state->reg[code->source]);
		break;
	case EFFECT_SUBTRACT_REGISTER: moves = value_is_stack(&state->reg[reg]); break;
	case EFFECT_ADDRESS:
		moves = index != CODE_NO_REGISTER &&
			(value_is_stack(&state->reg[index]) ||
			 (from != CODE_NO_REGISTER && value_is_stack(&state->reg[from])));
		break;
	case EFFECT_WRITES:
		if (!code->written || code->written & (code->written - 1))
			return CODE_NO_REGISTER;
		reg = (uint8_t)__builtin_ctz(code->written);
		moves = code->writes_flags && !code->partial && value_is_stack(&state->reg[reg]);
		break;
	default: return CODE_NO_REGISTER;
	}
	return moves ? reg : CODE_NO_REGISTER;
}

static void effect(struct flow_state *state, const struct code *code, uint64_t callee)
{
	const uint32_t origin = (uint32_t)(code->pc - callee);
	const uint8_t room = makes_room(state, code);

	if (code->effect == EFFECT_PUSH && state->reg[REGISTER_RSP].kind == VALUE_OTHER)
		flow_effect_base(state, origin);
	flow_effect(state, code, origin);
	if (room != CODE_NO_REGISTER && !value_is_stack(&state->reg[room]))
		flow_effect_room(state, room, origin);
}

/* True: the way leaves for elsewhere. *pc: where it goes on; 0: it ends. */
static bool pass(const struct flow_world *world, struct search *search, const struct code *code,
		 struct flow_state *state, uint64_t callee, uint64_t *pc)
{
	*pc = code->pc + code->length;
	switch (code->flow) {
	case CODE_NEXT:
		if (changes_stack(code))
			*pc = 0;
		effect(state, code, callee);
		return false;
	case CODE_CALL:
	case CODE_CALL_INDIRECT:
		flow_state_call(state);
		if (code->flow == CODE_CALL && flow_never_returns(world->callees, code->target))
			*pc = 0;
		return false;
	case CODE_BRANCH:
	case CODE_BEGIN:
		flow_effect(state, code, 0);
		go(search, code->target, state);
		return false;
	case CODE_JUMP: *pc = code->target; return false;
	case CODE_RETURN:
	case CODE_JUMP_INDIRECT:
		*pc = 0;
		come_back(search, state, code);
		return leaves_elsewhere(state, code);
	case CODE_STOP:
	case CODE_UNKNOWN: *pc = 0; return false;
	}
	return false;
}

static bool follow(const struct flow_world *world, struct search *search, uint64_t callee)
{
	struct way *way = &search->way[--search->way_count];
	struct flow_state state;
	uint64_t pc = way->pc;

	flow_state_copy(&state, &way->state);
	while (pc && see(search, pc)) {
		size_t size;
		const uint8_t *bytes = image_bytes_most(world->cfi->image, pc, CODE_HEAD_READ,
							&size);
		struct code code;

		if (!bytes || flow_is_stub(world->callees, pc))
			return false;
		code_decode(world->decoder, pc, bytes, size, &code);
		if (!code.length)
			return false;
		if (pass(world, search, &code, &state, callee, &pc))
			return true;
	}
	return false;
}

/* As far as it is seen. */
static struct flow_done find_done(const struct flow_world *world, uint64_t callee)
{
	struct flow_done done = *flow_callee_done(world->callees, callee);
	struct flow_state state;
	struct search *search;
	bool elsewhere = false;

	if (done.elsewhere != FLOW_ELSEWHERE_UNASKED)
		return done;
	search = malloc(sizeof(*search));
	if (!search)
		return done;
	search->seen_count = search->way_count = 0;
	search->done = done;
	flow_state_enter(&state);
	go(search, callee, &state);
	while (!elsewhere && search->way_count)
		elsewhere = follow(world, search, callee);
	done = search->done;
	done.elsewhere = elsewhere ? FLOW_ELSEWHERE : FLOW_BEHIND;
	free(search);
	*flow_callee_done(world->callees, callee) = done;
	return done;
}

bool flow_goes_elsewhere(const struct flow_world *world, uint64_t callee)
{
	return find_done(world, callee).elsewhere == FLOW_ELSEWHERE;
}

uint32_t flow_popped_by(const struct flow_world *world, uint64_t callee, enum flow_takes takes)
{
	struct flow_done done = find_done(world, callee);

	if (done.returns)
		return done.popped;
	return takes == FLOW_TAKES_ARGUMENTS ? FLOW_POPPED_UNKNOWN : 0;
}

bool flow_is_text(const struct flow_world *world, struct flow_part *part, uint64_t pc)
{
	for (int i = 0; i < LOOK && pc < part->end; i++) {
		const struct code *code = flow_part_code(part, world->decoder, pc);
		const uint8_t byte = part->bytes[pc - part->begin];

		if (!code)
			return false;
		if (code->length <= 1 && byte && strchr(text_bytes, byte))
			return true;
		if (!code->length || (code->flow != CODE_NEXT && code->flow != CODE_BRANCH))
			return false;
		pc += code->length;
	}
	return false;
}
