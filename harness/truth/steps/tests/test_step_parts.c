/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step_parts.c - questions about addresses, at their borders
 *
 * In a run nearly all answers are far from the border: whole programs do not judge these.
 */
#include <errno.h>
#include <inttypes.h>
#include "tests/suite.h"
#include "truth/steps/step_stacks.c"
#include "truth/steps/step_apply.c"

#define SLOT 0x7000

static const struct {
	const char *name;
	struct address_range range;
	uint64_t address;
	bool in;
} range_cases[] = {
	{ "first_byte", { 0x1000, 0x2000 }, 0x1000, true },
	{ "before_it", { 0x1000, 0x2000 }, 0xfff, false },
	{ "last_byte", { 0x1000, 0x2000 }, 0x1fff, true },
	{ "behind_it", { 0x1000, 0x2000 }, 0x2000, false },
	{ "empty", { 0x1000, 0x1000 }, 0x1000, false },
	{ "none", { 0, 0 }, 0, false },
};

START_TEST(range_has_its_first_byte_and_not_its_end)
{
	ck_assert_msg(in_range(range_cases[_i].range, range_cases[_i].address) ==
			      range_cases[_i].in,
		      "%s", range_cases[_i].name);
}
END_TEST

START_TEST(extent_has_slack_on_both_sides)
{
	const struct stepped_thread thread = { .base = 0x200000 };
	const uint64_t from = 0x100000;

	ck_assert(in_extent(&thread, from, from - STACK_SLACK));
	ck_assert(!in_extent(&thread, from, from - STACK_SLACK - 1));
	ck_assert(in_extent(&thread, from, thread.base + STACK_SLACK));
	ck_assert(!in_extent(&thread, from, thread.base + STACK_SLACK + 1));
	ck_assert(in_extent(&thread, from, from));
}
END_TEST

/* ---- a frame that was taken off --------------------------------------------------------- */

static int read_slot(void *context, uint64_t address, void *ret, size_t size)
{
	const uint64_t *word = context;

	if (!word || address != SLOT || size != sizeof(*word))
		return -1;
	memcpy(ret, word, size);
	return 0;
}

static const struct {
	const char *name;
	uint64_t sp, word;
	bool readable, back;
} taken_cases[] = {
	{ "slot_as_it_was", SLOT, 0x401000, true, true },
	{ "slot_is_overwritten", SLOT, 0x401001, true, false },
	{ "slot_can_not_be_read", SLOT, 0x401000, false, false },
	{ "above_the_slot", SLOT + 8, 0x401000, true, false },
	{ "below_the_slot", SLOT - 8, 0x401000, true, false },
};

START_TEST(frame_is_put_back_at_its_slot_alone)
{
	struct shadow_frame outer = { .slot = SLOT + 64, .return_address = 0x400000 };
	struct step_counters counters = { 0 };
	struct stepped_process process = { .counters = &counters };
	struct stepped_thread thread = { 0 };
	uint64_t word = taken_cases[_i].word;
	const struct user_regs_struct regs = { .rsp = taken_cases[_i].sp };

	process.memory.read = read_slot;
	process.memory.context = taken_cases[_i].readable ? &word : NULL;
	shadow_stack_init(&thread.shadow, true);
	ck_assert(shadow_stack_call(&thread.shadow, outer.slot, outer.return_address, NULL));
	thread.shadow.taken_off = (struct shadow_frame) { .slot = SLOT,
							  .return_address = 0x401000 };
	ck_assert_int_eq(apply_taken_off(&process, &thread, &regs), 0);
	ck_assert_msg(counters.put_back == taken_cases[_i].back &&
			      thread.shadow.count == 1u + taken_cases[_i].back,
		      "%s: %zu frames", taken_cases[_i].name, thread.shadow.count);
	if (taken_cases[_i].back) {
		ck_assert_uint_eq(thread.shadow.frame[1].slot, SLOT);
		ck_assert_uint_eq(thread.shadow.frame[1].return_address, 0x401000);
	}
	/* Elsewhere it may still come back; at its slot it was decided. */
	ck_assert_msg((thread.shadow.taken_off.slot == SLOT) == (taken_cases[_i].sp != SLOT), "%s",
		      taken_cases[_i].name);
	shadow_stack_deinit(&thread.shadow);
}
END_TEST

/* ---- what an instruction pushed ----------------------------------------------------------- */

#define PC 0x401000

#define EXECUTED(...) .executed = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct instruction executed;
	uint64_t word;
	bool readable, pushed;
	uint64_t mismatches;
} pushed_cases[] = {
	{ "call", EXECUTED(.kind = INSTRUCTION_CALL, .length = 5), PC + 5, true, true, 0 },
	{ "call_that_was_another_one", EXECUTED(.kind = INSTRUCTION_CALL, .length = 5), PC + 6,
	  true, true, 1 },
	{ "call_of_unknown_length", EXECUTED(.kind = INSTRUCTION_CALL), PC + 6, true, true, 0 },
	{ "unknown_bytes", EXECUTED(.kind = INSTRUCTION_UNKNOWN, .length = 1), PC + 6, true, true,
	  0 },
	{ "shortest", EXECUTED(.kind = INSTRUCTION_UNKNOWN), PC + 1, true, true, 0 },
	{ "its_own_address", EXECUTED(.kind = INSTRUCTION_UNKNOWN), PC, true, false, 0 },
	{ "longest", EXECUTED(.kind = INSTRUCTION_UNKNOWN), PC + 15, true, true, 0 },
	{ "behind_the_longest", EXECUTED(.kind = INSTRUCTION_UNKNOWN), PC + 16, true, false, 0 },
	/* A call is known to have pushed the address behind it, whatever can be read of that. */
	{ "slot_can_not_be_read", EXECUTED(.kind = INSTRUCTION_CALL, .length = 5), PC + 5, false,
	  true, 0 },
	{ "slot_of_unknown_bytes_can_not_be_read",
	  EXECUTED(.kind = INSTRUCTION_UNKNOWN, .length = 5), PC + 5, false, false, 0 },
	{ "slot_of_a_call_of_unknown_length_can_not_be_read", EXECUTED(.kind = INSTRUCTION_CALL),
	  PC + 5, false, false, 0 },
};

START_TEST(return_address_is_behind_the_call)
{
	struct step_counters counters = { 0 };
	struct stepped_process process = { .counters = &counters };
	uint64_t word = pushed_cases[_i].word, got = 0;

	process.memory.read = read_slot;
	process.memory.context = pushed_cases[_i].readable ? &word : NULL;
	ck_assert_msg(pushed_return_address(&process, pushed_cases[_i].executed, PC, SLOT, &got) ==
			      pushed_cases[_i].pushed,
		      "%s", pushed_cases[_i].name);
	ck_assert_msg(!pushed_cases[_i].pushed || got == word, "%s", pushed_cases[_i].name);
	ck_assert_msg(counters.call_mismatches == pushed_cases[_i].mismatches, "%s",
		      pushed_cases[_i].name);
}
END_TEST

/* ---- the end of a handler ----------------------------------------------------------------- */

#define HANDLER_SP (SLOT - 512)

struct left {
	unsigned int count;
	bool clobbered;
};

static void see_left(void *context, const struct shadow_stack *stack,
		     const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	struct left *left = context;

	left->count++;
	left->clobbered = frame->clobbered;
}

/* _i: 0: they are as they were; else the one that is not. */
START_TEST(handler_may_leave_other_registers)
{
	struct user_regs_struct regs = { .rip = PC,
					 .rsp = SLOT,
					 .rbx = 3,
					 .rbp = 6,
					 .r12 = 12,
					 .r13 = 13,
					 .r14 = 14,
					 .r15 = 15 };
	unsigned long long *const saved[] = { &regs.rbx, &regs.rbp, &regs.r12,
					      &regs.r13, &regs.r14, &regs.r15 };
	struct left left = { 0 };
	const struct shadow_observer observer = { .context = &left, .frame_ended = see_left };
	const struct signal_frame frame = {
		.restorer_slot = HANDLER_SP,
		.restorer = 0x400000,
		.interrupted_slot = SLOT - 128 - 8,
		.interrupted_pc = PC,
		.interrupted_sp = SLOT,
		.callee_saved = { 3, 6, 12, 13, 14, 15 },
	};
	struct step_counters counters = { 0 };
	struct stepped_process process = { .counters = &counters };
	struct stepped_thread thread = { 0 };

	shadow_stack_init(&thread.shadow, true);
	thread.shadow.observer = &observer;
	ck_assert(shadow_stack_signal(&thread.shadow, &frame));
	thread.shadow.frame[0].watch = true;
	shadow_stack_move(&thread.shadow, HANDLER_SP + 8); /* its ret */
	ck_assert_uint_eq(thread.shadow.count, 1);
	if (_i)
		++*saved[_i - 1];
	leave_handler(&process, &thread, &regs);
	ck_assert_uint_eq(left.count, 1);
	ck_assert_int_eq(left.clobbered, _i > 0);
	ck_assert_uint_eq(thread.shadow.count, 0);
	ck_assert_uint_eq(thread.regs.rsp, SLOT);
	ck_assert_uint_eq(counters.disturbances, 0);
	leave_handler(&process, &thread, &regs); /* there is none */
	ck_assert_uint_eq(left.count, 1);
	shadow_stack_deinit(&thread.shadow);
}
END_TEST

/* ---- the digest of all stacks ------------------------------------------------------------ */

#define FRAMES_MAX 3

/* A thread's stacks, one after the other: a PC, and the frames below it. */
struct digest_stack {
	uint64_t pc, frame[FRAMES_MAX];
};

static const struct digest_case {
	const char *name;
	struct digest_stack stack[3];
	uint64_t stacks;
	bool same; /* as the first case's digest */
	bool unrooted;
} digest_cases[] = {
	{ "a_call", .stack = { { .pc = 1 }, { .pc = 5, .frame = { 2 } }, { .pc = 2 } }, .stacks = 3,
	  .same = true },
	{ "executed_again", .stack = { { .pc = 1 }, { .pc = 1 }, { .pc = 5, .frame = { 2 } } },
	  .stacks = 2 },
	{ "another_order", .stack = { { .pc = 2 }, { .pc = 5, .frame = { 2 } }, { .pc = 1 } },
	  .stacks = 3 },
	{ "another_caller", .stack = { { .pc = 1 }, { .pc = 5, .frame = { 3 } }, { .pc = 2 } },
	  .stacks = 3 },
	{ "a_frame_more", .stack = { { .pc = 1 }, { .pc = 5, .frame = { 2, 2 } }, { .pc = 2 } },
	  .stacks = 3 },
	{ "frames_swapped", .stack = { { .pc = 1 }, { .pc = 2, .frame = { 5 } }, { .pc = 2 } },
	  .stacks = 3 },
	{ "a_prefix", .stack = { { .pc = 1 }, { .pc = 5, .frame = { 2 } }, { .pc = 2 } },
	  .stacks = 3, .unrooted = true },
};

static uint64_t digest_of(const struct digest_case *c, struct step_counters *counters)
{
	struct stepped_process process = { .counters = counters };
	struct stepped_thread thread = { .shadow.rooted = !c->unrooted };

	for (int i = 0; i < COUNT(c->stack) && c->stack[i].pc; i++) {
		struct shadow_frame frame[FRAMES_MAX] = { 0 };

		thread.shadow.count = 0;
		for (int k = FRAMES_MAX; k-- > 0;)
			if (c->stack[i].frame[k])
				frame[thread.shadow.count++].return_address = c->stack[i].frame[k];
		thread.shadow.frame = frame;
		shadow_stack_sum(&thread.shadow, 0);
		thread.regs.rip = c->stack[i].pc;
		stepped_point(&process, &thread);
	}
	return counters->stacks_digest;
}

START_TEST(digest_tells_stacks_apart)
{
	const struct digest_case *c = &digest_cases[_i];
	struct step_counters first = { 0 }, counters = { 0 };

	digest_of(&digest_cases[0], &first);
	digest_of(c, &counters);
	ck_assert_uint_eq(counters.stacks, c->stacks);
	ck_assert_msg((counters.stacks_digest == first.stacks_digest) == c->same, "%s", c->name);
	/* Of two threads the order makes no difference. */
	digest_of(&digest_cases[0], &counters);
	digest_of(c, &first);
	ck_assert_uint_eq(counters.stacks_digest, first.stacks_digest);
}
END_TEST

SUITE(step_parts, LOOP(digest_tells_stacks_apart, digest_cases),
      LOOP(range_has_its_first_byte_and_not_its_end, range_cases),
      TEST(extent_has_slack_on_both_sides), LOOP(frame_is_put_back_at_its_slot_alone, taken_cases),
      LOOP(return_address_is_behind_the_call, pushed_cases),
      TIMES(handler_may_leave_other_registers, 7))
