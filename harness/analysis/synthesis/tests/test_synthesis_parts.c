/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_parts.c - the parts of synthesis that need no program: each asked by itself
 *
 * Declared rows as synthesized ones, what is known of functions that leave
 * without a return or pop their arguments, and the lists that all of that is looked up in.
 */
#include "analysis/synthesis/synthesis_image.c"
#include "analysis/synthesis/synthesis_row.c"
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "analysis/flow/flow.h"
#include "analysis/synthesis/synthesis.h"

#define RBX 0
#define RIP (SYNTHESIS_COLUMNS - 1)

/* ---- lists --------------------------------------------------------------------------------- */

START_TEST(a_range_is_found)
{
	static const struct synthesis_range ranges[] = { { .begin = 10, .end = 20 },
							 { .begin = 20, .end = 30 },
							 { .begin = 40, .end = 50 } };
	static const struct {
		uint64_t pc;
		int number; /* -1: none */
	} cases[] = { { 0, -1 },  { 9, -1 },  { 10, 0 }, { 19, 0 }, { 20, 1 }, { 29, 1 },
		      { 30, -1 }, { 39, -1 }, { 40, 2 }, { 49, 2 }, { 50, -1 } };

	for (int i = 0; i < COUNT(cases); i++)
		ck_assert_msg(synthesis_range_at(ranges, 3, cases[i].pc) ==
				      (cases[i].number < 0 ? NULL : &ranges[cases[i].number]),
			      "%d", i);
	ck_assert_ptr_null(synthesis_range_at(ranges, 0, 10));
	ck_assert_ptr_null(synthesis_range_at(ranges, 1, 20));
}
END_TEST

START_TEST(a_wrong_row_is_found)
{
	uint64_t pc[] = { 5, 9, 12 };
	const struct synthesis_wrong wrong = { pc, 3 }, none = { pc, 0 };

	for (uint64_t at = 0; at < 20; at++)
		ck_assert(synthesis_wrong_has(&wrong, at) == (at == 5 || at == 9 || at == 12));
	ck_assert(!synthesis_wrong_has(&none, 5));
}
END_TEST

static const struct loaded_case {
	struct synthesis_function function[2];
	bool loaded, others;
} loaded_cases[] = {
	{ { { .row_count = 0 } }, false, false },
	{ { { .row_count = 1 }, { .row_count = 1, .loaded = true } }, true, true },
	{ { { .row_count = 0 }, { .row_count = 1, .loaded = true } }, true, false },
	{ { { .row_count = 1 }, { .row_count = 0, .loaded = true } }, false, true },
	{ { { .row_count = 1, .loaded = true }, { .row_count = 0 } }, true, false },
};

START_TEST(whose_rows_are_written)
{
	for (int i = 0; i < COUNT(loaded_cases); i++) {
		const struct synthesis synthesis = {
			.function = (struct synthesis_function *)loaded_cases[i].function,
			.function_count = 2
		};
		bool others = !loaded_cases[i].others;

		ck_assert(synthesis_has_loaded(&synthesis, &others) == loaded_cases[i].loaded);
		ck_assert(others == loaded_cases[i].others);
	}
}
END_TEST

static struct error lacking;
static struct flow_world lists_world = { .error = &lacking };

START_TEST(who_leaves_to_such_a_one_is_such_a_one)
{
	/* 1 to 2 to 3, which breaks; 4 and 5 to each other; 6 to 4 and to 3. */
	static const uint64_t to[][2] = { { 2 }, { 3 }, { 0 }, { 5 }, { 4 }, { 4, 3 } };
	struct synthesis_jumped jumped = { NULL };

	synthesis_jumped_spread(&jumped, &lists_world);
	for (uint64_t begin = 1; begin <= 6; begin++)
		for (int i = 0; i < (begin == 6 ? 2 : 1); i++)
			synthesis_jumped_add(&jumped, &lists_world, begin, to[begin - 1][i], false);
	ck_assert_uint_eq(jumped.count, 7);
	ck_assert(!address_set_find(&jumped.begins, 3));
	synthesis_jumped_spread(&jumped, &lists_world);
	ck_assert(!flow_lacks(&lists_world));
	for (uint64_t begin = 0; begin <= 7; begin++)
		ck_assert_msg(!address_set_find(&jumped.begins, begin) ==
				      !(begin == 1 || begin == 2 || begin == 3 || begin == 6),
			      "%d", (int)begin);
	synthesis_jumped_deinit(&jumped);
	ck_assert(!address_set_find(&jumped.begins, 3) && !jumped.count);
}
END_TEST

/* Who breaks and leaves, too. */
START_TEST(one_that_breaks_leaves_as_well)
{
	struct synthesis_range range = { .begin = 1 };
	const struct synthesis_ranges ranges = { &range, 1 };
	uint64_t tail = 9;
	struct synthesizer synthesizer = { .ranges = &ranges, .tail = &tail, .tail_count = 1 };
	const struct flow flow = { .world = &lists_world,
				   .found = { .has_tail_call = true, .breaks_convention = true } };
	struct synthesis_jumped jumped;

	note_jumped_to(&synthesizer, &flow);
	jumped = synthesizer.jumped_to;
	ck_assert_uint_eq(jumped.count, 2);
	ck_assert_uint_eq(jumped.leaving[0].to, 9);
	ck_assert_uint_eq(jumped.leaving[1].to, 0);
	ck_assert_uint_eq(jumped.leaving[1].begin, 1);
	synthesis_jumped_spread(&jumped, &lists_world);
	ck_assert(address_set_find(&jumped.begins, 1) && !address_set_find(&jumped.begins, 9));
	synthesis_jumped_deinit(&jumped);
}
END_TEST

/* ---- arguments that are popped -------------------------------------------------------------- */

static void note(struct synthesis_callee_pop *callee_pop, uint64_t begin, uint32_t bytes, bool pops,
		 bool breaks, bool leaves)
{
	const struct flow flow = { .world = &lists_world,
				   .found.callee_pop = bytes,
				   .found.pops = pops,
				   .found.breaks_convention = breaks };

	synthesis_callee_pop_note(callee_pop, begin, &flow, leaves);
	ck_assert(!flow_lacks(&lists_world));
}

/* What is known of one: its bytes, or FLOW_CALLEE_POP_UNKNOWN; ! if it is strange. */
static void check_popped(const struct synthesis_callee_pop *callee_pop, uint64_t begin,
			 uint32_t bytes, bool strange)
{
	uint32_t known = 77;

	ck_assert(synthesis_callee_pop_is_strange(callee_pop, begin, &known) == strange);
	ck_assert_uint_eq(known, bytes);
}

START_TEST(what_is_known_of_functions_that_pop)
{
	struct synthesis_callee_pop callee_pop = { 0 };

	ck_assert(!synthesis_callee_pop_again(&callee_pop));
	note(&callee_pop, 10, 0, false, false, false);
	ck_assert(!callee_pop.any && callee_pop.changed);
	ck_assert(!synthesis_callee_pop_again(&callee_pop)); /* nobody pops */
	note(&callee_pop, 20, 8, true, false, false);
	note(&callee_pop, 5, 0, false, true, false);
	note(&callee_pop, 30, 0, false, false, true);
	ck_assert(callee_pop.any);
	check_popped(&callee_pop, 10, 0, false);
	check_popped(&callee_pop, 20, 8, true);
	check_popped(&callee_pop, 5, 0, true);
	check_popped(&callee_pop, 30, FLOW_CALLEE_POP_UNKNOWN, true);
	check_popped(&callee_pop, 11, FLOW_CALLEE_POP_UNKNOWN, true);
	ck_assert(synthesis_callee_pop_again(&callee_pop));
	ck_assert(callee_pop.believed && !callee_pop.changed && callee_pop.rounds == 1);
	/* The same once more is no change. */
	note(&callee_pop, 20, 8, true, false, false);
	note(&callee_pop, 10, 0, false, false, false);
	note(&callee_pop, 5, 0, false, true, false);
	note(&callee_pop, 30, 0, false, false, true);
	ck_assert(!callee_pop.changed && !synthesis_callee_pop_again(&callee_pop));
	/* Less is, and stays. */
	note(&callee_pop, 10, 0, false, true, false);
	check_popped(&callee_pop, 10, 0, true);
	ck_assert(synthesis_callee_pop_again(&callee_pop) && callee_pop.rounds == 2);
	note(&callee_pop, 10, 0, false, false, false);
	check_popped(&callee_pop, 10, 0, true);
	ck_assert(!callee_pop.changed);
	note(&callee_pop, 20, 16, true, false, false);
	ck_assert(callee_pop.changed);
	check_popped(&callee_pop, 20, FLOW_CALLEE_POP_UNKNOWN, true);
	callee_pop.changed = false;
	note(&callee_pop, 20, 8, true, false, false);
	ck_assert(!callee_pop.changed);
	check_popped(&callee_pop, 20, FLOW_CALLEE_POP_UNKNOWN, true);
	synthesis_callee_pop_deinit(&callee_pop);
	check_popped(&callee_pop, 20, FLOW_CALLEE_POP_UNKNOWN, true);
}
END_TEST

START_TEST(in_the_last_round_nothing_is_believed)
{
	struct synthesis_callee_pop callee_pop = { 0 };
	int rounds = 0;

	note(&callee_pop, 10, 0, true, false, false);
	while (synthesis_callee_pop_again(&callee_pop)) {
		rounds++;
		ck_assert_int_le(rounds, SYNTHESIS_POPPED_ROUNDS_MAX);
		check_popped(&callee_pop, 10,
			     rounds < SYNTHESIS_POPPED_ROUNDS_MAX ? 0 : FLOW_CALLEE_POP_UNKNOWN,
			     rounds == SYNTHESIS_POPPED_ROUNDS_MAX);
		callee_pop.changed = true;
	}
	ck_assert_int_eq(rounds, 8);
	synthesis_callee_pop_deinit(&callee_pop);
}
END_TEST

/* ---- whose code is behind a call ------------------------------------------------------------- */

START_TEST(code_behind_a_call_is_somebodys)
{
	static const struct synthesis_range plain = { .begin = 1 },
					    sized = { .begin = 2, .sized = true },
					    entered = { .begin = 3, .entered = true },
					    taken = { .begin = 4, .taken = true },
					    other = { .begin = 5 };
	static const struct {
		const struct synthesis_range *from;
		bool entered;
		const struct synthesis_range *to;
		uint64_t pc;
		enum flow_whose whose;
	} cases[] = {
		{ NULL, true, &plain, 17, FLOW_ANOTHERS },
		{ &plain, true, NULL, 17, FLOW_ANOTHERS },
		{ &plain, true, &plain, 17, FLOW_LIKELY_OWN },
		{ &plain, true, &plain, 32, FLOW_PERHAPS_OWN },
		{ &plain, false, &plain, 17, FLOW_PERHAPS_OWN },
		{ &sized, false, &sized, 32, FLOW_SUPPOSED_OWN },
		{ &plain, true, &other, 17, FLOW_PERHAPS_OWN },
		{ &sized, true, &other, 17, FLOW_ANOTHERS },
		{ &plain, true, &sized, 17, FLOW_ANOTHERS },
		{ &plain, true, &entered, 17, FLOW_ANOTHERS },
		{ &plain, true, &taken, 17, FLOW_ANOTHERS },
		{ &entered, false, &entered, 32, FLOW_PERHAPS_OWN },
		{ &taken, false, &taken, 32, FLOW_PERHAPS_OWN },
	};

	for (int i = 0; i < COUNT(cases); i++)
		ck_assert_msg(synthesis_whose(cases[i].from, cases[i].entered, cases[i].to,
					      cases[i].pc) == cases[i].whose,
			      "%d", i);
}
END_TEST

START_TEST(ends_are_kept)
{
	struct flow flow = { .world = &lists_world, .after.count = 3 };
	struct address_set ends = { NULL };

	flow.after.code = calloc(3, sizeof(*flow.after.code));
	ck_assert_ptr_nonnull(flow.after.code);
	flow.after.code[0].pc = 10;
	flow.after.code[1].pc = 20;
	flow.after.code[1].own = true;
	flow.after.code[2].pc = 30;
	synthesis_ends_add(&ends, &flow);
	synthesis_ends_add(&ends, &flow);
	ck_assert(!flow_lacks(&lists_world));
	ck_assert(address_set_find(&ends, 10) && address_set_find(&ends, 30));
	ck_assert(!address_set_find(&ends, 20) && !address_set_find(&ends, 0));
	address_set_deinit(&ends);
	ck_assert(!address_set_find(&ends, 10));
	free(flow.after.code);
}
END_TEST

/* ---- declared rows -------------------------------------------------------------------------- */

static const struct declared_case {
	const char *rule;
	struct row row;
	bool good;
	struct synthesis_place rbx, rip;
} declared_cases[] = {
#define ROW .cfa = { .kind = RULE_CFA_REGISTER, .reg = REGISTER_RSP, .offset = 16 }
#define RET .reg[REGISTER_RIP] = { .kind = RULE_OFFSET, .offset = -8 }
	{ "a plain one",
	  { ROW, RET },
	  true,
	  { SYNTHESIS_SAME, 0, 0 },
	  { SYNTHESIS_AT_CFA, 0, -8 } },
	{ "with a number that is negative",
	  { .cfa = { .kind = RULE_CFA_REGISTER, .reg = REGISTER_R15, .offset = -8 }, RET },
	  true,
	  { SYNTHESIS_SAME, 0, 0 },
	  { SYNTHESIS_AT_CFA, 0, -8 } },
	{ "an expression", { .cfa = { .kind = RULE_CFA_EXPRESSION }, RET }, false, { 0 }, { 0 } },
	{ "by a register that is none of these",
	  { .cfa = { .kind = RULE_CFA_REGISTER, .reg = REGISTER_GPR_COUNT, .offset = 16 }, RET },
	  false,
	  { 0 },
	  { 0 } },
	{ "a number that is too large",
	  { .cfa = { .kind = RULE_CFA_REGISTER, .reg = REGISTER_RSP, .offset = 1ll << 31 }, RET },
	  false,
	  { 0 },
	  { 0 } },
	{ "a register is the same",
	  { ROW, RET, .reg[REGISTER_RBX] = { .kind = RULE_SAME_VALUE } },
	  true,
	  { SYNTHESIS_SAME, 0, 0 },
	  { SYNTHESIS_AT_CFA, 0, -8 } },
	{ "or lost",
	  { ROW, RET, .reg[REGISTER_RBX] = { .kind = RULE_UNDEFINED } },
	  true,
	  { SYNTHESIS_LOST, 0, 0 },
	  { SYNTHESIS_AT_CFA, 0, -8 } },
	{ "or in a word",
	  { ROW, RET, .reg[REGISTER_RBX] = { .kind = RULE_OFFSET, .offset = -16 } },
	  true,
	  { SYNTHESIS_AT_CFA, 0, -16 },
	  { SYNTHESIS_AT_CFA, 0, -8 } },
	{ "which is aligned",
	  { ROW, RET, .reg[REGISTER_RBX] = { .kind = RULE_OFFSET, .offset = -12 } },
	  false,
	  { 0 },
	  { 0 } },
	{ "and near",
	  { ROW, RET, .reg[REGISTER_RBX] = { .kind = RULE_OFFSET, .offset = 1ll << 32 } },
	  false,
	  { 0 },
	  { 0 } },
	{ "or in another register",
	  { ROW, RET, .reg[REGISTER_RBX] = { .kind = RULE_REGISTER, .reg = REGISTER_R15 } },
	  true,
	  { SYNTHESIS_IN_REGISTER, REGISTER_R15, 0 },
	  { SYNTHESIS_AT_CFA, 0, -8 } },
	{ "of those",
	  { ROW, RET, .reg[REGISTER_RBX] = { .kind = RULE_REGISTER, .reg = REGISTER_RIP } },
	  false,
	  { 0 },
	  { 0 } },
	{ "not where an expression says",
	  { ROW, RET, .reg[REGISTER_RBX] = { .kind = RULE_EXPRESSION } },
	  false,
	  { 0 },
	  { 0 } },
	{ "the return address must be somewhere", { ROW }, false, { 0 }, { 0 } },
	{ "it is not in its place",
	  { ROW, .reg[REGISTER_RIP] = { .kind = RULE_SAME_VALUE } },
	  false,
	  { 0 },
	  { 0 } },
	{ "but there may be none",
	  { ROW, .reg[REGISTER_RIP] = { .kind = RULE_UNDEFINED } },
	  true,
	  { SYNTHESIS_SAME, 0, 0 },
	  { SYNTHESIS_LOST, 0, 0 } },
	{ "a rule for a register that is no callee's",
	  { ROW, RET, .reg[REGISTER_RDX] = { .kind = RULE_SAME_VALUE } },
	  false,
	  { 0 },
	  { 0 } },
	{ "for the first",
	  { ROW, RET, .reg[REGISTER_RAX] = { .kind = RULE_UNDEFINED } },
	  false,
	  { 0 },
	  { 0 } },
	{ "rsp is the CFA",
	  { ROW, RET, .reg[REGISTER_RSP] = { .kind = RULE_VAL_OFFSET } },
	  true,
	  { SYNTHESIS_SAME, 0, 0 },
	  { SYNTHESIS_AT_CFA, 0, -8 } },
	{ "and not beside it",
	  { ROW, RET, .reg[REGISTER_RSP] = { .kind = RULE_VAL_OFFSET, .offset = 8 } },
	  false,
	  { 0 },
	  { 0 } },
	{ "nor in a word",
	  { ROW, RET, .reg[REGISTER_RSP] = { .kind = RULE_OFFSET } },
	  false,
	  { 0 },
	  { 0 } },
	{ "of another register it would be a rule",
	  { ROW, RET, .reg[REGISTER_RDI] = { .kind = RULE_VAL_OFFSET } },
	  false,
	  { 0 },
	  { 0 } },
	{ "a signal's frame", { ROW, RET, .signal_frame = true }, false, { 0 }, { 0 } },
};

START_TEST(a_declared_row)
{
	const struct declared_case *test = &declared_cases[_i];
	struct row row = test->row;
	struct synthesis_row made;

	row.pc = 100;
	row.pc_end = 200;
	ck_assert_msg(synthesis_row_declared(&row, &made) == test->good, "%s", test->rule);
	if (!test->good)
		return;
	ck_assert_uint_eq(made.pc, 100);
	ck_assert_uint_eq(made.pc_end, 200);
	ck_assert(!made.cfa_loaded && !made.signal_frame);
	ck_assert_uint_eq(made.cfa_register, row.cfa.reg);
	ck_assert_int_eq(made.cfa_offset, row.cfa.offset);
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++) {
		const struct synthesis_place same = { SYNTHESIS_SAME, 0, 0 },
					     *place = i == RBX	 ? &test->rbx
						      : i == RIP ? &test->rip
								 : &same;

		ck_assert_msg(made.place[i].kind == place->kind &&
				      made.place[i].reg == place->reg &&
				      made.place[i].offset == place->offset,
			      "%s: %d", test->rule, i);
	}
}
END_TEST

SUITE(synthesis_parts, TEST(a_range_is_found), TEST(a_wrong_row_is_found),
      TEST(whose_rows_are_written), TEST(who_leaves_to_such_a_one_is_such_a_one),
      TEST(one_that_breaks_leaves_as_well), TEST(what_is_known_of_functions_that_pop),
      TEST(in_the_last_round_nothing_is_believed), TEST(code_behind_a_call_is_somebodys),
      TEST(ends_are_kept), LOOP(a_declared_row, declared_cases))
