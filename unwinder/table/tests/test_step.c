/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step.c - step.h against a model of it, rule by rule
 *
 * Any rule is tried, also such as no table has: codes that mean nothing, places that are missing or
 * too many. The model says the same in the plainest way: each register is looked at by itself, with
 * branches, in 64 bits. It is written from table_abi.h and not from step.h.
 *
 * Where a step gives a caller, its whole state is compared; where it does not, the reason.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "table/table_abi.h"

#define BASE   0x7ffe00000000ull
#define WORDS  128
#define PLACES 32 /* numbers from 0 on; there is none behind */

struct walk_memory {
	uint64_t word[WORDS]; /* at BASE */
	struct table_place place[PLACES];
};

static int read_word(const struct walk_memory *memory, uint64_t address, uint64_t *ret)
{
	if (address < BASE || address > BASE + 8 * WORDS - 8)
		return -1;
	memcpy(ret, (const char *)memory->word + (address - BASE), 8);
	return 0;
}

static inline int walk_read(struct walk_memory *memory, __u64 address, __u64 *ret)
{
	uint64_t value;

	if (read_word(memory, address, &value))
		return -1;
	*ret = value;
	return 0;
}

static inline const struct table_place *walk_place(struct walk_memory *memory, __u32 number)
{
	return number < PLACES ? &memory->place[number] : NULL;
}

#include "table/step.h"

/* ---- the model -------------------------------------------------------------------------- */

/* A register's value. */
static enum stop_reason model_value(struct walk_state *state, const struct walk_memory *memory,
				    unsigned int reg, uint64_t *ret)
{
	if (!(state->known >> reg & 1))
		return STOP_REGISTER_UNKNOWN;
	*ret = state->reg[reg];
	if (state->in_memory >> reg & 1) {
		if (read_word(memory, *ret, ret))
			return STOP_READ_FAULT;
		state->reg[reg] = *ret;
		state->in_memory &= ~(1u << reg);
	}
	return STOP_NONE;
}

static enum stop_reason model_cfa(struct walk_state *state, const struct walk_memory *memory,
				  const struct table_rule *rule, int64_t add, uint64_t *ret)
{
	unsigned int base = rule->cfa_register % 16, index = rule->cfa_register / 16;
	uint64_t value = 0, scaled = 0;
	enum stop_reason stop = model_value(state, memory, base, &value);

	if (!stop && rule->cfa_scale)
		stop = model_value(state, memory, index, &scaled);
	if (stop)
		return stop;
	value += (int64_t)rule->cfa_offset + scaled * rule->cfa_scale;
	if (rule->cfa_kind == TABLE_CFA_DEREF) {
		if (read_word(memory, value, &value))
			return STOP_READ_FAULT;
		value += add;
	} else if (rule->cfa_kind == TABLE_CFA_PLT && (int64_t)(state->pc % 16) >= add) {
		value += 8;
	}
	*ret = value;
	return STOP_NONE;
}

/* Where a place says that a value is: its address, or the value itself. */
static enum stop_reason model_place(struct walk_state *state, const struct walk_memory *memory,
				    const struct table_place *place, uint64_t cfa,
				    bool *ret_address, uint64_t *ret)
{
	enum stop_reason stop = STOP_NONE;
	uint64_t value = 0;

	*ret_address = false;
	switch (place->kind) {
	case TABLE_AT_CFA: *ret_address = true; /* fall through */
	case TABLE_IS_CFA: *ret = cfa + (int64_t)place->offset; break;
	case TABLE_AT_ALIGNED:
		*ret_address = true;
		value = cfa - place->less;
		value -= value % (1ull << place->reg % 64);
		*ret = value + (int64_t)place->offset;
		break;
	case TABLE_AT_REGISTER:
	case TABLE_IS_REGISTER:
	case TABLE_IN_REGISTER:
		stop = model_value(state, memory, place->reg, &value);
		*ret_address = place->kind == TABLE_AT_REGISTER;
		*ret = value + (place->kind == TABLE_IN_REGISTER ? 0 : (int64_t)place->offset);
		break;
	default: ck_abort_msg("no such kind");
	}
	return stop;
}

static enum stop_reason model_finish(struct walk_state *state, unsigned int flags, uint64_t sp,
				     uint64_t pc)
{
	bool signal_frame = flags & TABLE_RULE_SIGNAL_FRAME;
	uint64_t old = state->reg[REGISTER_RSP];

	if (!signal_frame && sp < old)
		return STOP_NO_PROGRESS;
	if (!signal_frame && sp == old && pc == state->pc)
		return STOP_NO_PROGRESS;
	if (!pc)
		return STOP_ZERO_RETURN;
	state->reg[REGISTER_RSP] = sp;
	state->pc = pc;
	state->exact_pc = signal_frame;
	return STOP_NONE;
}

static enum stop_reason model_plain(struct walk_state *state, const struct walk_memory *memory,
				    const struct table_rule *rule)
{
	static const struct {
		enum table_column column;
		unsigned int reg;
	} saved[] = {
		{ TABLE_COLUMN_RBX, 3 },  { TABLE_COLUMN_RBP, 6 },  { TABLE_COLUMN_R12, 12 },
		{ TABLE_COLUMN_R13, 13 }, { TABLE_COLUMN_R14, 14 }, { TABLE_COLUMN_R15, 15 }
	};
	unsigned int code = rule->saved[TABLE_COLUMN_RA], known = 1u << REGISTER_RSP;
	uint64_t cfa = 0, pc;
	enum stop_reason stop = model_cfa(state, memory, rule, rule->cfa_add, &cfa);

	if (stop)
		return stop;
	if (code == TABLE_CODE_UNDEFINED)
		return STOP_COMPLETE;
	if (code == TABLE_CODE_SAME || code > TABLE_CODE_MAX)
		return STOP_BAD_TABLE;
	if (read_word(memory, cfa - 8 * (uint64_t)code, &pc))
		return STOP_READ_FAULT;
	for (int i = 0; i < COUNT(saved); i++) {
		unsigned int reg = saved[i].reg, bit = 1u << reg;

		code = rule->saved[saved[i].column];
		if (code == TABLE_CODE_SAME) {
			known |= state->known & bit;
		} else if (code <= TABLE_CODE_MAX) {
			known |= bit;
			state->in_memory |= bit;
			state->reg[reg] = cfa - 8 * (uint64_t)code;
		}
	}
	state->known = known;
	return model_finish(state, rule->flags, cfa, pc);
}

static enum stop_reason model_return_address(struct walk_state *state,
					     const struct walk_memory *memory,
					     const struct table_place *place, uint64_t cfa,
					     uint64_t *ret)
{
	enum stop_reason stop;
	bool address;

	if (place->kind == TABLE_UNDEFINED)
		return STOP_COMPLETE;
	if (place->kind == TABLE_SAME || place->kind == TABLE_AT_ALIGNED)
		return STOP_BAD_TABLE;
	stop = model_place(state, memory, place, cfa, &address, ret);
	if (!stop && address && read_word(memory, *ret, ret))
		return STOP_READ_FAULT;
	return stop;
}

static enum stop_reason model_extended(struct walk_state *state, struct walk_memory *memory,
				       const struct table_rule *rule)
{
	unsigned int count = rule->flags / 8, known;
	uint64_t cfa = 0, pc = 0, sp;
	enum stop_reason stop = model_cfa(state, memory, rule, rule->cfa_extended_add, &cfa);
	const struct table_place *place;

	if (stop)
		return stop;
	if (!count || count > TABLE_PLACES_MAX || rule->first_place + count > PLACES)
		return STOP_BAD_TABLE;
	place = &memory->place[rule->first_place + count - 1];
	if (place->column != REGISTER_RIP)
		return STOP_BAD_TABLE;
	stop = model_return_address(state, memory, place, cfa, &pc);
	if (stop)
		return stop;
	sp = cfa;
	known = CALLEE_SAVED_MASK; /* of these, what was known; of listed ones, what has been found */
	for (unsigned int i = 0; i + 1 < count; i++) {
		uint64_t value = 0;
		bool address;

		place = &memory->place[rule->first_place + i];
		if (place->column >= REGISTER_RIP)
			return STOP_BAD_TABLE;
		if (place->kind == TABLE_SAME)
			continue;
		known &= ~(1u << place->column);
		if (place->kind == TABLE_UNDEFINED)
			continue;
		stop = model_place(state, memory, place, cfa, &address, &value);
		if (place->column == REGISTER_RSP) {
			if (stop)
				return stop;
			if (address && read_word(memory, value, &value))
				return STOP_READ_FAULT;
			sp = value;
		} else if (!stop) {
			unsigned int bit = 1u << place->column;

			state->reg[place->column] = value;
			state->known |= bit;
			state->in_memory = address ? state->in_memory | bit
						   : state->in_memory & ~bit;
			known |= bit;
		}
	}
	state->known = (state->known & known) | 1u << REGISTER_RSP;
	return model_finish(state, rule->flags, sp, pc);
}

/* ---- any rule in any state -------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % below;
}

/* Mostly in memory, sometimes at its edge, seldom nowhere near. */
static uint64_t draw_address(void)
{
	switch (draw(12)) {
	case 0: return BASE - 16 + 8 * draw(4);
	case 1: return BASE + 8 * WORDS - 16 + draw(24);
	case 2: return draw(2) ? 0 : -8ull;
	default: return BASE + 8 * draw(WORDS);
	}
}

static void draw_memory(struct walk_memory *memory)
{
	for (int i = 0; i < WORDS; i++)
		memory->word[i] = draw(4) ? draw_address() : draw(3);
}

static void draw_state(struct walk_state *state)
{
	*state = (struct walk_state) { .pc = draw_address(), .exact_pc = draw(2) };
	for (int i = 0; i < REGISTER_GPR_COUNT; i++)
		state->reg[i] = i != REGISTER_RSP && !draw(4) ? draw(64) : draw_address();
	state->known = (draw(3) ? 0xffff : draw(0x10000)) | 1u << REGISTER_RSP;
	state->in_memory = draw(3) ? 0 : draw(0x10000) & state->known & ~(1u << REGISTER_RSP);
}

static void draw_cfa(struct table_rule *rule)
{
	rule->cfa_register = draw(3) ? REGISTER_RSP : draw(256);
	rule->cfa_kind = draw(2) ? TABLE_CFA_REGISTER : draw(3);
	rule->cfa_scale = draw(4) ? 0 : draw(9);
	rule->cfa_offset = draw(3) ? 8 * (int32_t)draw(40) : (int32_t)draw(400) - 200;
}

static void draw_plain(struct table_rule *rule)
{
	static const uint8_t codes[] = { 0, 1, 2, 3, 252, 253, 254, 255 };

	memset(rule, 0, sizeof(*rule));
	draw_cfa(rule);
	rule->flags = draw(2) * TABLE_RULE_SIGNAL_FRAME;
	for (int i = 0; i < TABLE_COLUMN_COUNT; i++)
		rule->saved[i] = draw(2) ? draw(8) : codes[draw(COUNT(codes))];
	if (draw(4))
		rule->saved[TABLE_COLUMN_RA] = 1 + draw(4);
	rule->cfa_add = (int)draw(40) - 20;
}

static void draw_extended(struct table_rule *rule, struct walk_memory *memory)
{
	uint32_t count = draw(8) ? 1 + draw(TABLE_PLACES_MAX) : draw(32);

	memset(rule, 0, sizeof(*rule));
	draw_cfa(rule);
	rule->flags = count << TABLE_RULE_PLACES_SHIFT | TABLE_RULE_EXTENDED |
		      draw(2) * TABLE_RULE_SIGNAL_FRAME;
	rule->first_place = draw(8) ? draw(PLACES + 1 - TABLE_PLACES_MAX) : draw(PLACES + 4);
	rule->cfa_extended_add = (int)draw(40) - 20;
	for (int i = 0; i < PLACES; i++)
		memory->place[i] = (struct table_place) {
			.column = draw(40) ? draw(REGISTER_RIP) : draw(20),
			.kind = draw(TABLE_IS_REGISTER + 1),
			.reg = draw(16),
			.less = draw(4) ? 0 : draw(32),
			.offset = 8 * ((int)draw(40) - 20),
		};
	if (draw(16) && count && rule->first_place + count <= PLACES)
		memory->place[rule->first_place + count - 1].column = REGISTER_RIP;
}

static void check_same(int round, enum stop_reason stop, const struct walk_state *state,
		       enum stop_reason model_stop, const struct walk_state *model)
{
	ck_assert_msg(stop == model_stop, "rule %d: stop %d, the model's %d", round, stop,
		      model_stop);
	if (stop)
		return;
	ck_assert_msg(state->pc == model->pc && state->exact_pc == model->exact_pc &&
			      state->known == model->known,
		      "rule %d: pc %llx known %x, the model's %llx %x", round, state->pc,
		      state->known, model->pc, model->known);
	ck_assert_msg(!((state->in_memory ^ model->in_memory) & model->known), "rule %d: in memory",
		      round);
	for (int i = 0; i < REGISTER_GPR_COUNT; i++)
		ck_assert_msg(!(model->known >> i & 1) || state->reg[i] == model->reg[i],
			      "rule %d: register %d is %llx, the model's %llx", round, i,
			      state->reg[i], model->reg[i]);
}

#define ROUNDS 100000

START_TEST(any_rule_steps_as_the_model_says)
{
	bool extended = _i;
	static struct walk_memory memory;
	uint64_t stops[STOP_REASON_COUNT] = { 0 };

	random_state = _i + 1;
	for (int round = 0; round < ROUNDS; round++) {
		struct walk_state state, model;
		struct table_rule rule;
		enum stop_reason stop;

		draw_memory(&memory);
		draw_state(&state);
		if (extended)
			draw_extended(&rule, &memory);
		else
			draw_plain(&rule);
		model = state;
		stop = step(&state, &rule, &memory);
		stops[stop]++;
		check_same(round, stop, &state,
			   extended ? model_extended(&model, &memory, &rule)
				    : model_plain(&model, &memory, &rule),
			   &model);
	}
	/* Each way out was taken, and often. */
	static const enum stop_reason all[] = {
		STOP_NONE,	 STOP_COMPLETE,		STOP_BAD_TABLE,
		STOP_READ_FAULT, STOP_REGISTER_UNKNOWN, STOP_NO_PROGRESS,
		STOP_ZERO_RETURN
	};
	for (int i = 0; i < COUNT(all); i++)
		ck_assert_msg(stops[all[i]] > ROUNDS / 2000, "stop %d: %" PRIu64, all[i],
			      stops[all[i]]);
}
END_TEST

/* What the walk in the kernel does in two parts: the step, and the registers later. */
START_TEST(near_step_is_the_plain_one)
{
	static struct walk_memory memory;
	uint64_t steps = 0;

	random_state = 5;
	for (int round = 0; round < ROUNDS; round++) {
		struct walk_state state, plain;
		struct table_rule rule;
		enum stop_reason stop;
		__u64 cfa = 0;

		draw_memory(&memory);
		draw_state(&state);
		draw_plain(&rule);
		rule.head = TABLE_HEAD(REGISTER_RSP);
		plain = state;
		stop = step_near(&state, &rule, state.reg[REGISTER_RSP], &memory, &cfa);
		if (!stop) {
			step_registers(&state, rule.codes, cfa);
			steps++;
		}
		check_same(round, stop, &state, model_plain(&plain, &memory, &rule), &plain);
	}
	ck_assert_uint_gt(steps, ROUNDS / 20);
}
END_TEST

/* ---- return addresses that mean nothing ------------------------------------------------- */

static const struct {
	const char *name;
	uint8_t code;
	enum stop_reason stop;
} code_cases[] = {
	{ "same_is_no_return_address", TABLE_CODE_SAME, STOP_BAD_TABLE },
	{ "undefined_is_the_outermost_frame", TABLE_CODE_UNDEFINED, STOP_COMPLETE },
	{ "beyond_undefined_is_no_code", TABLE_CODE_UNDEFINED + 1, STOP_BAD_TABLE },
	{ "the_nearest_word", 1, STOP_NONE },
	{ "the_farthest_word", TABLE_CODE_MAX, STOP_READ_FAULT },
};

START_TEST(undecodable_return_address_is_never_complete)
{
	static struct walk_memory memory = { .word = { BASE + 1 } };
	struct walk_state state = { .pc = BASE, .known = 0xffff };
	struct table_rule rule = { .cfa_register = REGISTER_RSP, .cfa_offset = 8 };
	unsigned int stop;

	state.reg[REGISTER_RSP] = BASE;
	rule.saved[TABLE_COLUMN_RA] = code_cases[_i].code;
	stop = step(&state, &rule, &memory);
	ck_assert_msg(stop == code_cases[_i].stop, "%s: %u", code_cases[_i].name, stop);
}
END_TEST

static const struct {
	const char *name;
	uint32_t count, first;
	struct table_place last;
	enum stop_reason stop;
} place_cases[] = {
	{ "no_place", 0, 0, { REGISTER_RIP, TABLE_AT_CFA, 0, 0, -8 }, STOP_BAD_TABLE },
	{ "no_place_where_one_lies_before",
	  0,
	  1,
	  { REGISTER_RIP, TABLE_AT_CFA, 0, 0, -8 },
	  STOP_BAD_TABLE },
	{ "one_place", 1, 0, { REGISTER_RIP, TABLE_AT_CFA, 0, 0, -8 }, STOP_NONE },
	{ "all_places", TABLE_PLACES_MAX, 0, { REGISTER_RIP, TABLE_AT_CFA, 0, 0, -8 }, STOP_NONE },
	{ "one_too_many",
	  TABLE_PLACES_MAX + 1,
	  0,
	  { REGISTER_RIP, TABLE_AT_CFA, 0, 0, -8 },
	  STOP_BAD_TABLE },
	{ "behind_the_array", 1, PLACES, { 0 }, STOP_BAD_TABLE },
	{ "last_is_no_return_address", 1, 0, { 6, TABLE_AT_CFA, 0, 0, -8 }, STOP_BAD_TABLE },
	{ "return_address_is_the_same",
	  1,
	  0,
	  { REGISTER_RIP, TABLE_SAME, 0, 0, 0 },
	  STOP_BAD_TABLE },
	{ "return_address_is_undefined",
	  1,
	  0,
	  { REGISTER_RIP, TABLE_UNDEFINED, 0, 0, 0 },
	  STOP_COMPLETE },
	{ "return_address_is_aligned",
	  1,
	  0,
	  { REGISTER_RIP, TABLE_AT_ALIGNED, 4, 0, 0 },
	  STOP_BAD_TABLE },
};

START_TEST(places_are_counted)
{
	static struct walk_memory memory = { .word = { BASE + 1 } };
	struct walk_state state = { .pc = BASE, .known = 0xffff };
	struct table_rule rule = {
		.cfa_register = REGISTER_RSP,
		.cfa_offset = 8,
		.flags = place_cases[_i].count << TABLE_RULE_PLACES_SHIFT | TABLE_RULE_EXTENDED,
	};
	unsigned int stop;

	state.reg[REGISTER_RSP] = BASE;
	rule.first_place = place_cases[_i].first;
	if (place_cases[_i].first < PLACES)
		memory.place[place_cases[_i].count ? place_cases[_i].count - 1 : 0] =
			place_cases[_i].last;
	stop = step(&state, &rule, &memory);
	ck_assert_msg(stop == place_cases[_i].stop, "%s: %u", place_cases[_i].name, stop);
}
END_TEST

/* ---- by frame pointer ------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t rbp, saved, pc;
	uint32_t known;
	enum stop_reason stop;
} pointer_cases[] = {
	{ "frame_above", BASE + 16, BASE + 64, 1, 0xffff, STOP_NONE },
	{ "frame_at_the_stack_pointer", BASE + 8, BASE + 64, 1, 0xffff, STOP_NONE },
	{ "frame_below", BASE, BASE + 64, 1, 0xffff, STOP_NO_PROGRESS },
	{ "misaligned_by_four", BASE + 20, BASE + 64, 1, 0xffff, STOP_NO_PROGRESS },
	{ "misaligned_by_one", BASE + 17, BASE + 64, 1, 0xffff, STOP_NO_PROGRESS },
	{ "unknown", BASE + 16, BASE + 64, 1, 0xffbf, STOP_REGISTER_UNKNOWN },
	{ "nothing_to_read", BASE + 8 * WORDS, 0, 1, 0xffff, STOP_READ_FAULT },
	{ "return_address_can_not_be_read", BASE + 8 * WORDS - 8, 0, 1, 0xffff, STOP_READ_FAULT },
	{ "zero", BASE + 16, BASE + 64, 0, 0xffff, STOP_ZERO_RETURN },
};

START_TEST(frame_pointer_is_followed_or_refused)
{
	static struct walk_memory memory;
	struct walk_state state = { .pc = 5, .known = pointer_cases[_i].known, .exact_pc = 1 },
			  before;
	uint64_t at = (pointer_cases[_i].rbp - BASE) / 8;
	unsigned int stop;

	for (int i = 0; i < REGISTER_GPR_COUNT; i++)
		state.reg[i] = 100 + i;
	state.reg[REGISTER_RSP] = BASE + 8;
	state.reg[REGISTER_RBP] = pointer_cases[_i].rbp;
	if (at + 1 < WORDS) {
		memory.word[at] = pointer_cases[_i].saved;
		memory.word[at + 1] = pointer_cases[_i].pc;
	}
	before = state;
	stop = step_by_frame_pointer(&state, &memory);
	ck_assert_msg(stop == pointer_cases[_i].stop, "%s: %u", pointer_cases[_i].name, stop);
	if (stop) {
		ck_assert_msg(!memcmp(&state, &before, sizeof(state)), "%s: is changed",
			      pointer_cases[_i].name);
		return;
	}
	ck_assert_uint_eq(state.pc, pointer_cases[_i].pc);
	ck_assert_uint_eq(state.reg[REGISTER_RSP], pointer_cases[_i].rbp + 16);
	ck_assert_uint_eq(state.reg[REGISTER_RBP], pointer_cases[_i].saved);
	ck_assert_uint_eq(state.known, 1u << REGISTER_RBP | 1u << REGISTER_RSP);
	ck_assert_uint_eq(state.in_memory & state.known, 0);
	ck_assert_uint_eq(state.exact_pc, 0);
}
END_TEST

START_TEST(each_marker_has_its_stop)
{
	for (uint32_t marker = 0; marker < TABLE_MARKER_COUNT; marker++)
		ck_assert_uint_eq(step_marker_stop(marker), STOP_NO_ROW + marker);
	ck_assert_uint_eq(step_marker_stop(TABLE_MARKER_COUNT), STOP_BAD_TABLE);
	ck_assert_uint_eq(step_marker_stop(UINT32_MAX), STOP_BAD_TABLE);
}
END_TEST

SUITE(step, TIMES(any_rule_steps_as_the_model_says, 2), TEST(near_step_is_the_plain_one),
      LOOP(undecodable_return_address_is_never_complete, code_cases),
      LOOP(places_are_counted, place_cases),
      LOOP(frame_pointer_is_followed_or_refused, pointer_cases), TEST(each_marker_has_its_stop))
