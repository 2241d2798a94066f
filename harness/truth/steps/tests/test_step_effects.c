/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step_effects.c - one step, by its registers before and after
 */
#include "tests/suite.h"
#include "step_effects_fixture.h"

/* ---- rets ---------------------------------------------------------------------------------------- */

/* A case begins with the slot, the target, and how many frames there are. */
static const struct ret_case {
	const char *name;
	uint64_t slot, target;
	size_t frames;
	bool unrooted, twice;
	const char *fails, *said;
	int ret;
	uint64_t replaced, stray, doubled;
} ret_cases[] = {
	{ "expected", C, RETURN + 2, 3, .said = "settle " },
	{ "of_a_prefix", C, RETURN + 2, 3, .unrooted = true, .said = "settle " },
	{ "replaced", C, 7, 3, .said = "settle ", .replaced = 1 },
	{ "two_in_one_slot", C, RETURN + 2, 3, .twice = true, .said = "settle ", .doubled = 1 },
	{ "stray", C - 8, 7, 3, .said = "array(77f8,7) ", .stray = 1 },
	{ "stray_into_no_array", C - 8, 7, 3, .fails = "array(77f8,7)", .said = "array(77f8,7) ",
	  .ret = -1, .stray = 1 },
	{ "of_an_empty_stack", C, 7, 0, .said = "array(7800,7) ", .stray = 1 },
	{ "of_an_empty_prefix", C, 7, 0, .unrooted = true,
	  .said = "unswitch(7800,7) array(7800,7) ", .stray = 1 },
};

START_TEST(ret_is_counted)
{
	const struct ret_case *c = &ret_cases[_i];
	struct stepped_thread *thread = setup();
	const struct step_counters *counters = &world.counters;

	thread->shadow.count = c->frames;
	thread->shadow.rooted = !c->unrooted;
	thread->shadow.in_transit = true;
	thread->may_continue = true;
	thread->next.kind = INSTRUCTION_RETURN;
	thread->regs.rsp = c->slot;
	if (c->twice)
		thread->shadow.frame[1].slot = C;
	world.regs.rsp = c->slot + 8;
	world.regs.rip = c->target;
	world.fails = c->fails;
	ck_assert_msg(apply(&world.process, thread, &world.regs) == c->ret, "%s", c->name);
	ck_assert_msg(!strcmp(world.said, c->said), "%s: %s", c->name, world.said);
	ck_assert_uint_eq(counters->returns, 1);
	ck_assert_uint_eq(counters->returns_replaced, c->replaced);
	ck_assert_uint_eq(counters->returns_stray, c->stray);
	ck_assert_uint_eq(counters->returns_doubled, c->doubled);
	ck_assert_uint_eq(thread->shadow.at, PC);
	ck_assert(!thread->shadow.in_transit && !thread->may_continue);
	teardown();
}
END_TEST

/* ---- neither call nor ret ------------------------------------------------------------------------ */

static const struct other_case {
	const char *name;
	enum instruction_kind kind; /* else another */
	int64_t rip, rsp;	    /* moved by; the instruction has 3 bytes */
	bool transit;		    /* before */
	bool off;		    /* a frame is off, of slot 0x7700 */
	uint64_t word;		    /* there */
	size_t count;
	bool transit_after, may_continue, off_after;
	uint64_t abandoned, taken, put_back, disturbed;
} other_cases[] = {
	{ "goes_on", .rip = 3, .count = 3, .may_continue = true },
	{ "goes_on_in_transit", .rip = 3, .transit = true, .count = 3, .transit_after = true,
	  .may_continue = true },
	{ "jumps", .rip = 9, .transit = true, .count = 3 },
	{ "again", .rip = 0, .transit = true, .count = 3, .may_continue = true },
	{ "ret_that_took_nothing", .kind = INSTRUCTION_RETURN, .rip = 9, .count = 3 },
	{ "trap", .kind = INSTRUCTION_TRAP, .rip = 3, .count = 3, .may_continue = true },
	{ "pops_a_frame", .rip = 3, .rsp = 8, .count = 2, .transit_after = true,
	  .may_continue = true, .off_after = true, .taken = 1 },
	{ "pops_a_frame_and_jumps", .rip = 9, .rsp = 8, .count = 2, .off_after = true, .taken = 1 },
	{ "rises_over_two", .rip = 3, .rsp = 0x180, .count = 1, .transit_after = true,
	  .may_continue = true, .abandoned = 2, .disturbed = 1 },
	{ "jumps_over_two", .rip = 9, .rsp = 0x180, .count = 1, .abandoned = 2, .disturbed = 1 },
	{ "jumps_to_the_return_address_of_what_is_off", .rip = 0x55, .off = true, .count = 3 },
	{ "jumps_elsewhere_while_one_is_off", .rip = 0x54, .off = true, .count = 3,
	  .off_after = true },
	{ "goes_on_where_what_is_off_would", .rip = 3, .off = true, .count = 3,
	  .may_continue = true, .off_after = true },
	{ "is_put_back", .rip = 3, .rsp = -0x100, .off = true, .word = PC + 0x55, .count = 4,
	  .may_continue = true, .put_back = 1 },
	{ "its_slot_is_another_s", .rip = 3, .rsp = -0x100, .off = true, .word = PC + 0x56,
	  .count = 3, .may_continue = true },
};

START_TEST(other_instructions_move_rsp)
{
	const struct other_case *c = &other_cases[_i];
	const struct step_counters *counters = &world.counters;
	struct stepped_thread *thread = setup();

	thread->next.kind = c->kind;
	thread->may_continue = true;
	thread->shadow.epoch = 5; /* disturbed before */
	thread->shadow.in_transit = c->transit;
	if (c->off)
		thread->shadow.taken_off = (struct shadow_frame) { .slot = 0x7700,
								   .return_address = PC + 0x55 };
	put_word(0x7700, c->word);
	world.regs.rip = PC + (uint64_t)c->rip;
	world.regs.rsp = RSP + (uint64_t)c->rsp;
	ck_assert_int_eq(apply(&world.process, thread, &world.regs), 0);
	ck_assert_str_eq(world.said, "");
	ck_assert_msg(thread->shadow.count == c->count, "%s: %zu", c->name, thread->shadow.count);
	ck_assert_msg(thread->shadow.in_transit == c->transit_after, "%s: in transit", c->name);
	ck_assert_msg(thread->may_continue == c->may_continue, "%s: may continue", c->name);
	ck_assert_msg((thread->shadow.taken_off.slot != 0) == c->off_after, "%s: off", c->name);
	ck_assert_msg(counters->abandoned == c->abandoned && counters->taken_off == c->taken &&
			      counters->put_back == c->put_back &&
			      counters->disturbances == c->disturbed,
		      "%s: counters", c->name);
	ck_assert_uint_eq(thread->shadow.at, PC);
	teardown();
}
END_TEST

static uint64_t popped_slot;

static void see_popped(void *context, const struct shadow_stack *stack, uint64_t slot,
		       uint64_t target)
{
	popped_slot = slot;
	ck_assert_uint_eq(target, PC + 9);
}

/* Who jumps to the word below rsp has popped it, if a register said where. */
static const struct {
	const char *name;
	bool computed, same;
	int64_t rip;
	bool off, told;
} popped_cases[] = {
	{ "popped", true, true, 9, false, true },
	{ "not_computed", false, true, 9, false, false },
	{ "another_word", true, false, 9, false, false },
	{ "no_jump", true, true, 3, false, false },
	{ "while_one_is_off", true, true, 9, true, false },
};

START_TEST(popped_jump_is_told)
{
	const struct shadow_observer observer = { .popped_jump = see_popped };
	struct stepped_thread *thread = setup();

	popped_slot = 0;
	thread->shadow.observer = &observer;
	thread->next.traits.jumps_computed = popped_cases[_i].computed;
	if (popped_cases[_i].off)
		thread->shadow.taken_off.slot = 0x7700;
	put_word(RSP - 8, PC + 9 + !popped_cases[_i].same);
	world.regs.rip = PC + (uint64_t)popped_cases[_i].rip;
	ck_assert_int_eq(apply(&world.process, thread, &world.regs), 0);
	ck_assert_msg(popped_slot == (popped_cases[_i].told ? RSP - 8 : 0), "%s",
		      popped_cases[_i].name);
	teardown();
}
END_TEST

static int read_nothing(void *context, uint64_t address, void *ret, size_t size)
{
	return -1;
}

/* ---- calls --------------------------------------------------------------------------------------- */

/* A case begins with what it is, how far rsp moves, and the word that is there then, from PC on. */
static const struct push_case {
	const char *name;
	enum instruction_kind kind;
	int64_t rsp;
	uint64_t word;
	bool may_continue;
	bool unreadable; /* the word that was pushed can't be read */
	bool no_length;	 /* of the instruction: it was not decoded */
	const char *fails, *said;
	int ret;
	bool pushed;
	uint64_t unknown;
} push_cases[] = {
	{ "call", INSTRUCTION_CALL, -8, 3, .said = "", .pushed = true },
	{ "call_on_a_new_stack", INSTRUCTION_CALL, -8, 3, .may_continue = true,
	  .said = "continue(3) ", .pushed = true },
	{ "call_that_can_not_go_on", INSTRUCTION_CALL, -8, 3, .may_continue = true,
	  .fails = "continue(3)", .said = "continue(3) ", .ret = -1 },
	{ "call_that_pushed_something_else", INSTRUCTION_CALL, -8, 0x100, .may_continue = true,
	  .said = "" },
	{ "call_that_pushed_nothing", INSTRUCTION_CALL, 0, 3, .said = "" },
	{ "call_whose_word_can_not_be_read", INSTRUCTION_CALL, -8, 3, .unreadable = true,
	  .said = "", .pushed = true },
	{ "call_of_no_length_whose_word_can_not_be_read", INSTRUCTION_CALL, -8, 3,
	  .unreadable = true, .no_length = true, .said = "" },
	{ "unknown_whose_word_can_not_be_read", INSTRUCTION_UNKNOWN, -8, 4, .unreadable = true,
	  .said = "", .unknown = 1 },
	{ "unknown_that_is_a_call", INSTRUCTION_UNKNOWN, -8, 4, .said = "", .pushed = true,
	  .unknown = 1 },
	{ "unknown_that_is_none", INSTRUCTION_UNKNOWN, -16, 4, .said = "", .unknown = 1 },
	{ "push", INSTRUCTION_OTHER, -8, 3, .said = "" },
};

START_TEST(call_is_pushed)
{
	const struct push_case *c = &push_cases[_i];
	struct stepped_thread *thread = setup();

	thread->next.kind = c->kind;
	thread->may_continue = c->may_continue;
	world.regs.rip = PC + 3;
	world.regs.rsp = RSP + (uint64_t)c->rsp;
	world.regs.rbx = 5;
	put_word(world.regs.rsp, PC + c->word);
	if (c->unreadable)
		world.process.memory.read = read_nothing;
	if (c->no_length)
		thread->next.length = 0;
	world.fails = c->fails;
	ck_assert_msg(apply(&world.process, thread, &world.regs) == c->ret, "%s", c->name);
	ck_assert_msg(!strcmp(world.said, c->said), "%s: %s", c->name, world.said);
	ck_assert_msg(thread->shadow.count == 3u + c->pushed, "%s", c->name);
	/* The frame that is open knows what began at its slot. */
	ck_assert_uint_eq(thread->shadow.frame[2].entered, PC);
	ck_assert(c->pushed || c->ret || thread->shadow.at == PC);
	if (c->pushed) {
		ck_assert_uint_eq(thread->shadow.frame[3].slot, RSP - 8);
		ck_assert_uint_eq(thread->shadow.frame[3].return_address, PC + c->word);
		ck_assert_uint_eq(thread->shadow.frame[3].callee_saved[0], 5);
	}
	ck_assert_uint_eq(world.counters.unknown_instructions, c->unknown);
	teardown();
}
END_TEST

START_TEST(system_call_moves_rsp)
{
	struct stepped_thread *thread = setup();

	thread->next.kind = INSTRUCTION_SYSCALL;
	world.regs.rsp = RSP + 16; /* above the innermost slot */
	ck_assert_int_eq(apply(&world.process, thread, &world.regs), 0);
	ck_assert_str_eq(world.said, "");
	ck_assert_uint_eq(thread->shadow.count, 2);
	teardown();
}
END_TEST

/* ---- a step ----------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t rsp; /* 0: as it was */
	uint16_t writes;
	bool sigreturn;
	const char *fails, *said;
	int ret;
	uint16_t derived;
} step_cases[] = {
	{ "plain", 0, 0, false, NULL, "", 0, 6 },
	{ "writes", 0, 2, false, NULL, "", 0, 4 },
	{ "elsewhere", 0x9000, 0, false, NULL, "follow(9000) ", 0, 6 },
	{ "can_not_be_followed", 0x9000, 0, false, "follow(9000)", "follow(9000) ", -1, 6 },
	{ "sigreturn", 0, 0, true, NULL, "", 0, 6 },
	{ "sigreturn_to_elsewhere", 0x9000, 0, true, NULL, "follow(9000) ", 0, 6 },
	{ "sigreturn_that_can_not_be_followed", 0x9000, 0, true, "follow(9000)", "follow(9000) ",
	  -1, 6 },
};

START_TEST(step_is_over)
{
	struct stepped_thread *thread = setup();

	thread->looked = true;
	thread->derived = 6;
	thread->next.writes = step_cases[_i].writes;
	if (step_cases[_i].sigreturn) {
		thread->next.kind = INSTRUCTION_SYSCALL;
		thread->regs.rax = SYS_rt_sigreturn;
	}
	world.regs.rip = PC + 3;
	world.code[3] = 0xc3;
	if (step_cases[_i].rsp)
		world.regs.rsp = step_cases[_i].rsp;
	world.fails = step_cases[_i].fails;
	ck_assert_msg(stepped_apply(&world.process, thread, &world.regs) == step_cases[_i].ret,
		      "%s", step_cases[_i].name);
	ck_assert_msg(!strcmp(world.said, step_cases[_i].said), "%s: %s", step_cases[_i].name,
		      world.said);
	ck_assert(!thread->looked);
	ck_assert_uint_eq(thread->derived, step_cases[_i].derived);
	ck_assert_uint_eq(thread->regs.rip, PC);
	stepped_arrive(&world.process, thread, &world.regs);
	ck_assert_uint_eq(thread->regs.rip, PC + 3);
	ck_assert_int_eq(thread->next.kind, INSTRUCTION_RETURN);
	teardown();
}
END_TEST

/* The innermost that was interrupted; none lies before the first. */
START_TEST(interrupted_is_the_innermost)
{
	struct shadow_frame all[4] = { { .interrupted = true } };
	const struct shadow_stack shadow = { .frame = all + 1, .count = 3 };

	ck_assert_ptr_null(interrupted_frame(&shadow));
	all[1].interrupted = true;
	ck_assert_ptr_eq(interrupted_frame(&shadow), &all[1]);
	all[2].interrupted = true;
	ck_assert_ptr_eq(interrupted_frame(&shadow), &all[2]);
	all[3].interrupted = true;
	ck_assert_ptr_eq(interrupted_frame(&shadow), &all[3]);
}
END_TEST

/* Back from a handler, the frames below rsp are gone; where there was none, a word says nothing. */
START_TEST(sigreturn_moves_rsp)
{
	struct stepped_thread *thread = setup();

	thread->next.kind = INSTRUCTION_SYSCALL;
	thread->regs.rax = SYS_rt_sigreturn;
	world.regs.rip = PC + 3;
	world.regs.rsp = B;
	put_word(B, 1); /* as an interrupted PC that is none */
	ck_assert_int_eq(apply_sigreturn(&world.process, thread, &world.regs), 0);
	ck_assert_uint_eq(thread->shadow.count, 2);
	ck_assert(!thread->shadow.frame[1].planted);
	put_word(B, 0);
	ck_assert_int_eq(apply_sigreturn(&world.process, thread, &world.regs), 0);
	ck_assert_uint_eq(thread->shadow.count, 2);
	teardown();
}
END_TEST

SUITE(step_effects, LOOP(ret_is_counted, ret_cases), LOOP(other_instructions_move_rsp, other_cases),
      LOOP(popped_jump_is_told, popped_cases), LOOP(call_is_pushed, push_cases),
      TEST(system_call_moves_rsp), LOOP(step_is_over, step_cases),
      TEST(interrupted_is_the_innermost), TEST(sigreturn_moves_rsp))
