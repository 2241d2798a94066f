/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_walk.c - every way a walk goes on, and every way it stops, with both walks of walk.c
 *
 * One hand-made image lies at BIAS; each case gives the CFI of up to three functions, the registers
 * and the words of its stack. Unless a case says that the table can't hold its CFI, walk_rows() and
 * walk_table() must find the same stack and stop for the same reason.
 */
#include "tests/suite.h"
#include "walk_world.h"
#include "walk/walk_rows.h"

struct known_value {
	uint32_t reg;
	uint64_t value;
};

/* Functions have cfa=rsp+8 ra=c-8 unless their instructions say more. */
static const struct walk_case {
	const char *name;
	struct literal function[3];
	uint64_t pc;
	uint64_t stack[WORDS]; /* at SP */
	uint64_t expect[6];
	uint32_t stop;
	struct known_value reg[3];
	bool signal_frame;   /* of the second function */
	uint32_t unknown;    /* registers */
	uint32_t table_stop; /* if the table can't hold what the rows say: at the first frame */
} cases[] = {
	{ "complete", .function = { NORMAL, END }, .pc = A, .stack = { B + 1 },
	  FINDS(COMPLETE, A, B + 1) },
	{ "outermost_at_once", .function = { END }, .pc = A, FINDS(COMPLETE, A) },
	{ "no_mapping_at_the_top", .pc = OUTSIDE, FINDS(NO_MAPPING, OUTSIDE) },
	{ "no_mapping_of_the_caller", .function = { NORMAL }, .pc = A, .stack = { OUTSIDE },
	  FINDS(NO_MAPPING, A, OUTSIDE) },
	{ "no_row", .function = { NORMAL, NORMAL, NORMAL }, .pc = A, .stack = { GAP + 1 },
	  FINDS(NO_ROW, A, GAP + 1) },
	{ "malformed", .function = { CFI(0x17 /* undefined */) }, .pc = A, FINDS(MALFORMED, A) },
	{ "malformed_in_the_rest_of_a_function",
	  .function = { CFI(CFA_advance_loc(1), 0x17 /* undefined */) }, .pc = A + 1,
	  .stack = { B + 1 }, FINDS(MALFORMED, A + 1) },
	{ "register_unknown", .function = { CFI(CFA_def_cfa_register(RBP)) }, .pc = A,
	  .unknown = 1u << REGISTER_RBP, FINDS(REGISTER_UNKNOWN, A) },
	{ "scratch_register_is_unknown_in_the_caller",
	  .function = { NORMAL, CFI(CFA_def_cfa_register(RAX)) }, .pc = A, .stack = { B + 1 },
	  .reg = { { 0, SP } }, FINDS(REGISTER_UNKNOWN, A, B + 1) },
	{ "expression_of_a_register_that_is_unknown",
	  .function = { NORMAL, CFI(CFA_def_cfa_expression(DW_OP_breg0, 0)) }, .pc = A,
	  .stack = { B + 1 }, .reg = { { 0, SP } }, FINDS(REGISTER_UNKNOWN, A, B + 1) },
	{ "saved_rsp_that_can_not_be_read_is_not_guessed",
	  .function = { CFI(CFA_offset(RSP, ULEB2(128))), END }, .pc = A, .stack = { B + 1 },
	  FINDS(READ_FAULT, A) },
	{ "undefined_rsp_is_not_guessed", .function = { CFI(CFA_undefined(RSP)), END }, .pc = A,
	  .stack = { B + 1 }, FINDS(REGISTER_UNKNOWN, A), .table_stop = STOP_UNSUPPORTED_REGISTER },
	{ "undefined_register_is_unknown_in_the_caller",
	  .function = { CFI(CFA_undefined(RBP)), CFI(CFA_def_cfa_register(RBP)) }, .pc = A,
	  .stack = { B + 1 }, .reg = { { 6, SP } }, FINDS(REGISTER_UNKNOWN, A, B + 1) },
	{ "read_fault_above_the_stack", .function = { CFI(CFA_def_cfa_offset(ULEB2(128))) },
	  .pc = A, FINDS(READ_FAULT, A) },
	{ "zero_return", .function = { NORMAL }, .pc = A, .stack = { 0 }, FINDS(ZERO_RETURN, A) },
	{ "no_progress_when_the_cfa_goes_down",
	  .function = { CFI(CFA_def_cfa_register(RBP), CFA_register(RIP, RAX)) }, .pc = A,
	  .reg = { { 6, SP - 0x10 }, { 0, B + 1 } }, FINDS(NO_PROGRESS, A) },
	{ "no_progress_when_nothing_changes",
	  .function = { CFI(CFA_def_cfa_offset(0), CFA_register(RIP, RAX)) }, .pc = A,
	  .reg = { { 0, A } }, FINDS(NO_PROGRESS, A) },
	{ "progress_by_the_pc_alone",
	  .function = { CFI(CFA_def_cfa_offset(0), CFA_register(RIP, RAX)), END }, .pc = A,
	  .reg = { { 0, B + 1 } }, FINDS(COMPLETE, A, B + 1) },
	{ "return_address_off_rip",
	  .function = { CFI(CFA_val_expression(RIP, DW_OP_breg16, SLEB2(257))), END }, .pc = A,
	  FINDS(COMPLETE, A, B + 1) },
	{ "return_address_off_a_return_address_with_a_tail_of_constants",
	  .function = { NORMAL,
			CFI(CFA_val_expression(RIP, DW_OP_breg16, SLEB2(257), DW_OP_lit5,
					       DW_OP_minus, DW_OP_const1s, 4, DW_OP_plus)),
			END },
	  .pc = A, .stack = { B + 1 }, FINDS(COMPLETE, A, B + 1, C + 1) },
	{ "register_off_rip",
	  .function = { CFI(CFA_val_expression(RBX, DW_OP_breg16, SLEB2(513))),
			CFI(CFA_register(RIP, RBX)), END },
	  .pc = A, .stack = { B + 1 }, FINDS(COMPLETE, A, B + 1, C + 1) },
	{ "return_address_is_looked_up_one_below", .function = { NORMAL, END, NORMAL }, .pc = A,
	  .stack = { C }, FINDS(COMPLETE, A, C) },
	{ "top_pc_is_looked_up_as_it_is", .function = { NORMAL, END }, .pc = B, .stack = { A + 1 },
	  FINDS(COMPLETE, B) },
	{ "interrupted_pc_is_looked_up_as_it_is", .function = { NORMAL, NORMAL, END }, .pc = A,
	  .stack = { B + 1, C }, .signal_frame = true, FINDS(COMPLETE, A, B + 1, C) },
	{ "below_the_interrupted_frame_one_below_again", .function = { END, NORMAL, NORMAL },
	  .pc = C, .stack = { B + 1, C, B }, .signal_frame = true,
	  FINDS(COMPLETE, C, B + 1, C, B) },
	{ "signal_frame_may_lead_to_a_lower_stack",
	  .function = { NORMAL, CFI(CFA_offset(RSP, 0)), NORMAL }, .pc = A,
	  .stack = { B + 1, C, SP - 0x1000 }, .signal_frame = true,
	  FINDS(READ_FAULT, A, B + 1, C) },
	{ "saved_register_is_read_when_a_cfa_needs_it",
	  .function = { CFI(CFA_def_cfa_offset(16), CFA_offset(RBP, 2)), CFI(CFA_def_cfa(RBP, 16)),
			END },
	  .pc = A, .stack = { SP + 0x10, B + 1, 0, C + 1 }, .reg = { { 6, 1 } },
	  FINDS(COMPLETE, A, B + 1, C + 1) },
	{ "saved_register_that_none_needs_is_not_read",
	  .function = { CFI(CFA_offset_extended(RBP, 127)), END }, .pc = A, .stack = { B + 1 },
	  FINDS(COMPLETE, A, B + 1) },
	{ "register_is_an_address_in_the_frame",
	  .function = { CFI(CFA_def_cfa_offset(16), CFA_val_offset(RBP, 0)),
			CFI(CFA_def_cfa(RBP, 8)), END },
	  .pc = A, .stack = { 0, B + 1, C + 1 }, FINDS(COMPLETE, A, B + 1, C + 1) },
	{ "callee_saved_register_lasts", .function = { NORMAL, CFI(CFA_def_cfa(RBX, 8)), END },
	  .pc = A, .stack = { B + 1, 0, C + 1 }, .reg = { { 3, SP + 0x10 } },
	  FINDS(COMPLETE, A, B + 1, C + 1) },
	{ "cfa_through_memory",
	  .function = { CFI(CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref)), END },
	  .pc = A, .stack = { SP + 0x20, 0, 0, B + 1 }, .reg = { { 6, SP + 8 } },
	  FINDS(COMPLETE, A, B + 1) },
	{ "cfa_through_memory_and_an_offset",
	  .function = { CFI(CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref,
						   DW_OP_plus_uconst, 16)),
			END },
	  .pc = A, .stack = { SP + 0x10, 0, 0, B + 1 }, .reg = { { 6, SP + 8 } },
	  FINDS(COMPLETE, A, B + 1) },
	{ "cfa_through_memory_that_faults",
	  .function = { CFI(CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref)) }, .pc = A,
	  .reg = { { 6, 8 } }, FINDS(READ_FAULT, A) },
	{ "rsp_by_a_rule", .function = { CFI(CFA_offset(RSP, 0)), NORMAL, END }, .pc = A,
	  .stack = { B + 1, SP + 0x20, 0, 0, C + 1 }, FINDS(COMPLETE, A, B + 1, C + 1) },
	{ "longjmp_everything_off_a_register",
	  .function = { CFI(CFA_def_cfa(RDI, 0), CFA_expression(RSP, DW_OP_breg5, 48),
			    CFA_expression(RBP, DW_OP_breg5, 8),
			    CFA_expression(RIP, DW_OP_breg5, 56)),
			CFI(CFA_def_cfa(RBP, 16)), END },
	  .pc = A, .stack = { 0, SP + 0x18, 0, 0, C + 1, 0, SP + 0x20, B + 1 },
	  .reg = { { 5, SP } }, FINDS(COMPLETE, A, B + 1, C + 1) },
	{ "return_address_in_a_register", .function = { CFI(CFA_register(RIP, RDI)), END }, .pc = A,
	  .reg = { { 5, B + 1 } }, FINDS(COMPLETE, A, B + 1) },
	{ "return_address_in_an_unknown_register", .function = { CFI(CFA_register(RIP, RDI)) },
	  .pc = A, .unknown = 1u << 5, FINDS(REGISTER_UNKNOWN, A) },
	{ "register_rule_of_an_unknown_register_loses_only_that",
	  .function = { CFI(CFA_register(RBX, RDI)), END }, .pc = A, .stack = { B + 1 },
	  .unknown = 1u << 5, FINDS(COMPLETE, A, B + 1) },
	{ "table_flags_an_expression",
	  .function = { CFI(CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_abs)), END }, .pc = A,
	  .stack = { B + 1 }, FINDS(COMPLETE, A, B + 1),
	  .table_stop = STOP_UNSUPPORTED_EXPRESSION },
	{ "table_flags_an_offset",
	  .function = { CFI(CFA_offset_extended(RBX, 0x80, 0x80, 0x80, 0x80, 0x10)), END }, .pc = A,
	  .stack = { B + 1 }, FINDS(COMPLETE, A, B + 1), .table_stop = STOP_OFFSET_RANGE },
	{ "table_flags_a_register",
	  .function = { CFI(CFA_register(RBX, RBP), CFA_register(RBP, RBX)), END }, .pc = A,
	  .stack = { B + 1 }, FINDS(COMPLETE, A, B + 1), .table_stop = STOP_UNSUPPORTED_REGISTER },
};

START_TEST(walk_goes_on_and_stops)
{
	const struct walk_case *c = &cases[_i];
	struct fake_stack memory = { .word = c->stack, .words = WORDS };
	struct memory_reader reader = { read_stack, &memory };
	struct register_values regs = { .known = ((1u << REGISTER_COUNT) - 1) & ~c->unknown };
	struct world world;
	struct stack stack = { 0 };
	struct error error;
	uint32_t count = 0;

	regs.value[REGISTER_RSP] = SP;
	regs.value[REGISTER_RIP] = c->pc;
	for (int i = 0; i < COUNT(c->reg); i++)
		if (c->reg[i].value)
			regs.value[c->reg[i].reg] = c->reg[i].value;
	while (count < (uint32_t)COUNT(c->expect) && c->expect[count])
		count++;
	world_init(&world, c->function, COUNT(c->function), c->signal_frame);
	ck_assert(!walk_rows(&world.space, &regs, &reader, NULL, &stack, &error));
	check_stack(c->name, "rows", &stack, c->expect, count, c->stop);
	ck_assert(!walk_table(&world.space, &regs, &reader, NULL, &stack, &error));
	check_stack(c->name, "table", &stack, c->expect, c->table_stop ? 1 : count,
		    c->table_stop ? c->table_stop : c->stop);
	stack_deinit(&stack);
	world_deinit(&world);
}
END_TEST

/* gcc's PLT row: the push at offset 11 of a 16-byte stub moves the CFA up. */
START_TEST(plt_stub_at_each_offset)
{
	const struct literal function[] = { CFI(CFA_def_cfa_expression(
						    DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
						    DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,
						    DW_OP_shl, DW_OP_plus)),
					    END };
	static const uint64_t words[WORDS] = { B + 1, B + 2 };
	struct fake_stack memory = { .word = words, .words = WORDS };
	struct memory_reader reader = { read_stack, &memory };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	uint64_t expect[] = { A + 0x20 + _i, _i >= 11 ? B + 2 : B + 1 };
	struct world world;
	struct stack stack = { 0 };
	struct error error;

	regs.value[REGISTER_RSP] = SP;
	regs.value[REGISTER_RIP] = expect[0];
	world_init(&world, function, COUNT(function), false);
	ck_assert(!walk_rows(&world.space, &regs, &reader, NULL, &stack, &error));
	check_stack("plt", "rows", &stack, expect, 2, STOP_COMPLETE);
	ck_assert(!walk_table(&world.space, &regs, &reader, NULL, &stack, &error));
	check_stack("plt", "table", &stack, expect, 2, STOP_COMPLETE);
	stack_deinit(&stack);
	world_deinit(&world);
}
END_TEST

/* A recursion: each word of the stack is one frame's return address. */
static const struct {
	const char *name;
	uint32_t words, limit;
	uint32_t frames;
	uint32_t stop;
} depth_cases[] = {
	{ "a_limit_is_a_stop_of_its_own", 1024, 1024, 1024, STOP_DEPTH },
	{ "a_limit_that_is_just_reached", 1023, 1024, 1024, STOP_READ_FAULT },
	{ "without_a_limit_it_goes_on", 1024, 0, 1025, STOP_READ_FAULT },
	{ "100000_frames", 99999, 0, 100000, STOP_READ_FAULT },
	{ "as_many_as_a_stack_has", STACK_FRAMES_MAX - 1, 0, STACK_FRAMES_MAX, STOP_READ_FAULT },
	{ "one_more_than_a_stack_has", STACK_FRAMES_MAX, 0, STACK_FRAMES_MAX, STOP_DEPTH },
};

/* The words of a recursion; the caller frees them. */
static uint64_t *make_recursion(uint32_t count)
{
	uint64_t *words = malloc(count * sizeof(*words));

	ck_assert_ptr_nonnull(words);
	for (uint32_t i = 0; i < count; i++)
		words[i] = A + 1;
	return words;
}

START_TEST(as_deep_as_the_stack_goes)
{
	const struct literal function[] = { NORMAL };
	uint64_t *words = make_recursion(depth_cases[_i].words);
	struct fake_stack memory = { .word = words, .words = depth_cases[_i].words };
	struct memory_reader reader = { read_stack, &memory };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct walk_memo *memo[] = { NULL, walk_memo_create() };
	struct stack stack = { .limit = depth_cases[_i].limit };
	struct error error;
	struct world world;

	regs.value[REGISTER_RSP] = SP;
	regs.value[REGISTER_RIP] = A;
	world_init(&world, function, COUNT(function), false);
	for (int i = 0; i < COUNT(memo); i++) {
		ck_assert(!walk_rows(&world.space, &regs, &reader, memo[i], &stack, &error));
		ck_assert_msg(stack.count == depth_cases[_i].frames &&
				      stack.stop == depth_cases[_i].stop,
			      "%s: rows: %u frames, %s", depth_cases[_i].name, stack.count,
			      stop_reason_name(stack.stop));
		walk_memo_reset(memo[1]);
		ck_assert(!walk_table(&world.space, &regs, &reader, memo[i], &stack, &error));
		ck_assert_msg(stack.count == depth_cases[_i].frames &&
				      stack.stop == depth_cases[_i].stop,
			      "%s: table: %u frames, %s", depth_cases[_i].name, stack.count,
			      stop_reason_name(stack.stop));
		for (uint32_t n = 1; n < stack.count; n++)
			ck_assert_uint_eq(stack.pc[n], A + 1);
	}
	walk_memo_destroy(memo[1]);
	stack_deinit(&stack);
	world_deinit(&world);
	free(words);
}
END_TEST

#define DEEP 100000

/* At depth 100,000 nothing is believed unread, nor read for each frame anew; and one word that has
 * changed is seen wherever it is. */
START_TEST(memo_reads_a_deep_stack_again)
{
	static const uint32_t changes[] = { 0, 1, DEEP / 2, DEEP - 2, DEEP - 1 };
	const struct literal function[] = { NORMAL, END };
	uint64_t *words = make_recursion(DEEP);
	struct fake_stack memory = { .word = words, .words = DEEP };
	struct memory_reader reader = { read_stack, &memory };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct walk_memo *memo = walk_memo_create();
	struct stack with = { 0 }, without = { 0 };
	struct error error;
	struct world world;

	regs.value[REGISTER_RSP] = SP;
	regs.value[REGISTER_RIP] = A;
	world_init(&world, function, COUNT(function), false);
	words[DEEP - 1] = B + 1;
	for (int i = 0; i < COUNT(changes); i++) {
		uint64_t *word = &words[changes[i]], before = *word;

		ck_assert(!walk_table(&world.space, &regs, &reader, memo, &with, &error));
		memory.reads = 0;
		ck_assert(!walk_table(&world.space, &regs, &reader, memo, &with, &error));
		ck_assert_uint_eq(memory.reads, DEEP);
		ck_assert_uint_eq(with.count, DEEP + 1);
		ck_assert_uint_eq(with.stop, STOP_COMPLETE);
		*word = before == A + 1 ? B + 1 : A + 1;
		ck_assert(!walk_table(&world.space, &regs, &reader, NULL, &without, &error));
		memory.reads = 0;
		ck_assert(!walk_table(&world.space, &regs, &reader, memo, &with, &error));
		ck_assert_uint_le(memory.reads, 2 * DEEP + 1);
		check_stack("deep", "table", &with, without.pc, without.count, without.stop);
		ck_assert_uint_eq(with.count, changes[i] + 2);
		*word = before;
	}
	walk_memo_destroy(memo);
	stack_deinit(&with);
	stack_deinit(&without);
	world_deinit(&world);
	free(words);
}
END_TEST

/* The memo is exact: walks over a stack that changes a little each time, with it and without. */
START_TEST(memo_never_changes_a_walk)
{
	const struct literal function[] = { NORMAL };
	static uint64_t words[64];
	struct fake_stack memory = { .word = words, .words = COUNT(words) };
	struct memory_reader reader = { read_stack, &memory };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct walk_memo *rows = walk_memo_create(), *table = walk_memo_create();
	struct stack with = { 0 }, without = { 0 };
	struct error error;
	uint64_t random = 1, deep = 0;
	struct world world;

	ck_assert_ptr_nonnull(rows);
	ck_assert_ptr_nonnull(table);
	world_init(&world, function, COUNT(function), false);
	for (int i = 0; i < COUNT(words); i++)
		words[i] = A + 1;
	for (int round = 0; round < 4000; round++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		/* Mostly the stack's top moves; sometimes a word anywhere changes, or the end. */
		if (random >> 60 == 0)
			words[(random >> 8) % COUNT(words)] = random >> 20 & 1 ? A + 1 : B + 1;
		regs.value[REGISTER_RSP] = SP + (random >> 33) % 8 * 8;
		regs.value[REGISTER_RIP] = A + (random >> 40) % 2;
		regs.value[REGISTER_RAX] = random;
		ck_assert(!walk_rows(&world.space, &regs, &reader, NULL, &without, &error));
		ck_assert(!walk_rows(&world.space, &regs, &reader, rows, &with, &error));
		check_stack("memo", "rows", &with, without.pc, without.count, without.stop);
		ck_assert(!walk_table(&world.space, &regs, &reader, NULL, &without, &error));
		ck_assert(!walk_table(&world.space, &regs, &reader, table, &with, &error));
		check_stack("memo", "table", &with, without.pc, without.count, without.stop);
		deep += without.count > 8;
	}
	ck_assert_uint_gt(deep, 100);
	stack_deinit(&with);
	stack_deinit(&without);
	world_deinit(&world);
	walk_memo_destroy(rows);
	walk_memo_destroy(table);
}
END_TEST

/* What is known is not looked up again: not even where nothing is mapped any more, which only a reset
 * tells the memo. */
START_TEST(memo_looks_nothing_up_again)
{
	const struct literal function[] = { NORMAL, END };
	static const uint64_t words[] = { A + 1, A + 2, B + 1 },
			      found[] = { A, A + 1, A + 2, B + 1 };
	int (*walks[])(const struct address_space *, const struct register_values *,
		       const struct memory_reader *, struct walk_memo *, struct stack *,
		       struct error *) = { walk_rows, walk_table };
	struct fake_stack memory = { .word = words, .words = COUNT(words) };
	struct memory_reader reader = { read_stack, &memory };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct walk_memo *memo = walk_memo_create();
	struct stack stack = { 0 };
	struct error error;

	regs.value[REGISTER_RSP] = SP;
	regs.value[REGISTER_RIP] = A;
	for (int i = 0; i < COUNT(walks); i++) {
		struct world world;

		world_init(&world, function, COUNT(function), false);
		ck_assert(!walks[i](&world.space, &regs, &reader, memo, &stack, &error));
		world.space.mapping_count = 0;
		ck_assert(!walks[i](&world.space, &regs, &reader, memo, &stack, &error));
		check_stack("known", "memo", &stack, found, COUNT(found), STOP_COMPLETE);
		walk_memo_reset(memo);
		ck_assert(!walks[i](&world.space, &regs, &reader, memo, &stack, &error));
		check_stack("forgotten", "memo", &stack, found, 1, STOP_NO_MAPPING);
		world_deinit(&world);
	}
	walk_memo_destroy(memo);
	stack_deinit(&stack);
}
END_TEST

/* Registers that a caller's frame does not know: rax, rdx, rcx, rsi, rdi and r8 to r11. */
#define SCRATCH 0xf37u

/* Frames that differ in one thing only: a PC where a function begins, or to which the one before it
 * would return; and a register that is zero, or unknown. */
static const struct {
	const char *name;
	struct literal function[2];
	uint64_t words[4];
	uint64_t pc[2], sp[2]; /* of the first walk and the second */
	uint32_t unknown[2];
	uint64_t found[2][5];
	uint32_t count[2], stop[2];
} alike[] = {
	{ "an_exact_pc",
	  { NORMAL, CFI(CFA_def_cfa_offset(24)) },
	  { B, A + 1, A + 2, OUTSIDE },
	  { B, A },
	  { SP + 8, SP },
	  { SCRATCH, SCRATCH },
	  { { B, OUTSIDE }, { A, B, A + 1, A + 2, OUTSIDE } },
	  { 2, 5 },
	  { STOP_NO_MAPPING, STOP_NO_MAPPING } },
	{ "a_zero_that_is_known",
	  { CFI(CFA_register(RIP, RBX)), NORMAL },
	  { 0 },
	  { A, A },
	  { SP, SP },
	  { 0, 1u << REGISTER_RBX },
	  { { A }, { A } },
	  { 1, 1 },
	  { STOP_ZERO_RETURN, STOP_REGISTER_UNKNOWN } },
};

START_TEST(memo_tells_frames_apart)
{
	struct fake_stack memory = { .word = alike[_i].words, .words = COUNT(alike[_i].words) };
	struct memory_reader reader = { read_stack, &memory };
	struct walk_memo *rows = walk_memo_create(), *table = walk_memo_create();
	struct stack stack = { 0 };
	struct error error;
	struct world world;

	world_init(&world, alike[_i].function, COUNT(alike[_i].function), false);
	for (int i = 0; i < 2; i++) {
		struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };

		regs.known &= ~alike[_i].unknown[i];
		regs.value[REGISTER_RSP] = alike[_i].sp[i];
		regs.value[REGISTER_RIP] = alike[_i].pc[i];
		ck_assert(!walk_rows(&world.space, &regs, &reader, rows, &stack, &error));
		check_stack(alike[_i].name, "rows", &stack, alike[_i].found[i], alike[_i].count[i],
			    alike[_i].stop[i]);
		ck_assert(!walk_table(&world.space, &regs, &reader, table, &stack, &error));
		check_stack(alike[_i].name, "table", &stack, alike[_i].found[i], alike[_i].count[i],
			    alike[_i].stop[i]);
	}
	walk_memo_destroy(rows);
	walk_memo_destroy(table);
	stack_deinit(&stack);
	world_deinit(&world);
}
END_TEST

/* As free() does. */
START_TEST(no_memo_is_destroyed)
{
	walk_memo_destroy(NULL);
}
END_TEST

SUITE(walk, LOOP(walk_goes_on_and_stops, cases), TIMES(plt_stub_at_each_offset, 16),
      LOOP(as_deep_as_the_stack_goes, depth_cases), TEST(memo_reads_a_deep_stack_again),
      TEST(memo_never_changes_a_walk), TEST(memo_looks_nothing_up_again),
      LOOP(memo_tells_frames_apart, alike), TEST(no_memo_is_destroyed))
