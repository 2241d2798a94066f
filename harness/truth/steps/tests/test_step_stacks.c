/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step_stacks.c - which stack a thread is on, by its rsp alone
 */
#include "tests/suite.h"
#include "step_stacks_fixture.h"

/* ---- where it begins ----------------------------------------------------------------------- */

static const struct {
	const char *name;
	pid_t tid;
	uint64_t rsp, base, low;
	bool rooted;
} begin_cases[] = {
	{ "first_thread", PID, 0x1f008, HIGH, LOW, true },
	{ "another_thread", TID, 0x1f008, 0x1f008, LOW, true },
	{ "function_that_goes_on", PID, 0x1f008, HIGH, LOW, false },
	{ "in_no_mapping", TID, 0x28000, 0x28000, 0, true },
	{ "first_one_in_no_mapping", PID, 0x28000, 0, 0, true },
};

START_TEST(stack_begins)
{
	struct stepped_thread *thread = setup(begin_cases[_i].tid);
	bool rooted = begin_cases[_i].rooted;

	ck_assert_uint_eq(thread->shadow.id, 1);
	ck_assert_int_eq(presume_gone(&world.process, thread, 0x1e000), 0);
	thread->derived = 3;
	thread->may_continue = true;
	thread->root = 5;
	thread->regs.rsp = begin_cases[_i].rsp;
	stepped_begin(&world.process, thread, rooted, begin_cases[_i].tid != PID);
	ck_assert_int_eq(world.ended[FRAME_ABANDONED], 3);
	ck_assert_uint_eq(thread->shadow.id, 2);
	ck_assert_uint_eq(world.process.last_stack_id, 2);
	ck_assert_ptr_eq(thread->shadow.observer, &world.observer);
	ck_assert_int_eq(thread->shadow.rooted, rooted);
	ck_assert_uint_eq(thread->shadow.base, rooted ? begin_cases[_i].rsp : UINT64_MAX);
	ck_assert_msg(thread->base == begin_cases[_i].base, "%s: 0x%" PRIx64, begin_cases[_i].name,
		      thread->base);
	ck_assert_uint_eq(thread->stack.low, begin_cases[_i].low);
	ck_assert_uint_eq(thread->stack.high, begin_cases[_i].low ? HIGH : 0);
	ck_assert(!thread->derived && !thread->may_continue && !thread->presumed.valid);
	ck_assert_int_eq(thread->root, begin_cases[_i].tid);
	teardown();
}
END_TEST

START_TEST(a_range_ends_before_its_end)
{
	const struct address_range range = { 0x10, 0x20 };

	ck_assert(!in_range(range, 0xf) && in_range(range, 0x10));
	ck_assert(in_range(range, 0x1f) && !in_range(range, 0x20));
}
END_TEST

/* What registers have they have of the stack in use. */
START_TEST(a_stack_that_is_left_has_no_registers)
{
	struct stepped_thread *thread = setup(TID);
	struct parked_stack left;

	thread->shadow.carriers = 1;
	thread->shadow.readers = 2;
	thread->derived = 3;
	ck_assert_int_eq(park(&world.process, thread, RSP + 8), 0);
	ck_assert(stack_pool_take_number(&world.process.stacks, thread->left, &left));
	ck_assert_uint_eq(left.sp, RSP + 8);
	ck_assert_uint_eq(left.shadow.count, 3);
	ck_assert_uint_eq(left.shadow.carriers, 0);
	ck_assert_uint_eq(left.shadow.readers, 0);
	ck_assert_uint_eq(thread->shadow.count, 0);
	ck_assert_int_eq(thread->derived, 0);
	/* Nor has the one that is come back to, of those of the one between. */
	thread->derived = 5;
	thread->may_continue = true;
	use(thread, &left);
	ck_assert_int_eq(thread->derived, 0);
	ck_assert(!thread->may_continue);
	ck_assert_uint_eq(thread->shadow.count, 3);
	ck_assert_uint_eq(thread->base, left.base);
	ck_assert_int_eq(thread->root, left.root);
	teardown();
}
END_TEST

/* ---- frames that are presumed gone --------------------------------------------------------- */

static const struct {
	uint64_t sp;
	size_t kept;
} kept_cases[] = {
	{ RSP, 3 },	{ 0x1d000, 3 }, { 0x1d001, 2 }, { 0x1e000, 2 },
	{ 0x1e001, 1 }, { 0x1f000, 1 }, { 0x1f001, 0 },
};

START_TEST(frames_from_rsp_on_are_kept)
{
	struct stepped_thread *thread = setup(TID);
	size_t kept = kept_cases[_i].kept;

	ck_assert_uint_eq(frames_kept(&thread->shadow, kept_cases[_i].sp), kept);
	shadow_stack_continue(&thread->shadow, 0x17000, 0x18000);
	thread->shadow.taken_off.slot = 9;
	ck_assert_int_eq(presume_gone(&world.process, thread, kept_cases[_i].sp), 0);
	ck_assert_int_eq(thread->presumed.valid, kept < 3);
	if (kept < 3) {
		const struct presumed_stack *presumed = &thread->presumed;

		ck_assert_uint_eq(presumed->kept, kept);
		ck_assert_uint_eq(presumed->landing, kept_cases[_i].sp);
		ck_assert_uint_eq(presumed->stack.sp, RSP);
		ck_assert_uint_eq(presumed->stack.base, HIGH - 0x800);
		ck_assert_int_eq(presumed->stack.root, TID);
		ck_assert_uint_eq(presumed->stack.range.low, LOW);
		/* A copy: the thread's own go on. */
		ck_assert_uint_eq(presumed->stack.shadow.count, 3);
		ck_assert_uint_ge(presumed->stack.shadow.capacity, 3);
		ck_assert_ptr_ne(presumed->stack.shadow.frame, thread->shadow.frame);
		ck_assert_mem_eq(presumed->stack.shadow.frame, thread->shadow.frame,
				 3 * sizeof(thread->shadow.frame[0]));
		ck_assert_uint_eq(presumed->stack.shadow.region_count, 1);
		ck_assert_uint_ge(presumed->stack.shadow.region_capacity, 2);
		ck_assert_ptr_ne(presumed->stack.shadow.region, thread->shadow.region);
		ck_assert_uint_eq(presumed->stack.shadow.region[0].low, 0x17000);
		ck_assert_uint_eq(presumed->stack.shadow.taken_off.slot, 0);
	}
	/* Once an outer frame has returned they are gone. */
	thread->shadow.count = kept;
	stepped_settle_presumed(thread);
	ck_assert_int_eq(thread->presumed.valid, kept < 3);
	if (kept > 0 && kept < 3) {
		thread->shadow.count = kept - 1;
		stepped_settle_presumed(thread);
		ck_assert(!thread->presumed.valid);
	}
	teardown();
}
END_TEST

static const struct {
	const char *name;
	uint64_t sp;
	uint64_t overwritten; /* a slot */
	bool is_presumed;
} presumed_cases[] = {
	{ "where_it_was", RSP, 0, true },
	{ "lowest", RSP - STACK_SLACK, 0, true },
	{ "below_it", RSP - STACK_SLACK - 1, 0, false },
	{ "first_gone_frame_s_return", 0x1d008, 0, true },
	{ "above_that", 0x1d009, 0, false },
	{ "overwritten", RSP, 0x1d000, false },
	{ "overwritten_further_out", RSP, 0x1f000, false },
};

START_TEST(frames_come_back_where_they_were)
{
	struct stepped_thread *thread = setup(TID);

	ck_assert(!is_presumed(&world.process, thread, presumed_cases[_i].sp));
	ck_assert_int_eq(presume_gone(&world.process, thread, 0x1e000), 0);
	if (presumed_cases[_i].overwritten)
		bytes[presumed_cases[_i].overwritten - LOW]++;
	ck_assert_msg(is_presumed(&world.process, thread, presumed_cases[_i].sp) ==
			      presumed_cases[_i].is_presumed,
		      "%s", presumed_cases[_i].name);
	teardown();
}
END_TEST

/* They were open all the time: what was opened since is another stack's. _i: since then one frame
 * was opened, or an outer one is gone. */
START_TEST(frames_are_back)
{
	struct stepped_thread *thread = setup(TID);
	const struct parked_stack *parked;

	ck_assert_int_eq(presume_gone(&world.process, thread, 0x1e000), 0);
	shadow_stack_move(&thread->shadow, 0x1e000);
	if (_i)
		thread->shadow.count = 1;
	else
		call(&thread->shadow, 0x1c800, 0x401009);
	thread->regs.rsp = 0x1c700;
	thread->root = 5;
	thread->base = HIGH;
	thread->next.sp_source = SP_FROM_MEMORY;
	memset(world.ended, 0, sizeof(world.ended));
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, RSP), 0);
	ck_assert_str_eq(outcome(), "3 0x1f800 77, 1 switches, 2 disturbed, 1 parked");
	ck_assert_uint_eq(thread->shadow.frame[2].slot, 0x1d000);
	ck_assert_uint_eq(thread->shadow.id, 1);
	ck_assert(thread->looked);
	parked = &world.process.stacks.parked[0];
	ck_assert_uint_eq(parked->shadow.count, _i ? 0 : 1);
	ck_assert_uint_eq(parked->shadow.id, 2);
	ck_assert_uint_eq(parked->sp, 0x1c700);
	ck_assert_uint_eq(parked->base, 0x1e000);
	ck_assert_int_eq(parked->root, 0);
	ck_assert_uint_eq(thread->left, parked->number);
	ck_assert_int_eq(world.ended[FRAME_LOST], _i ? 1 : 2);
	teardown();
}
END_TEST

static const struct {
	const char *name;
	bool presumed, called;
	size_t count; /* of frames, then */
	uint64_t slot;
	const char *outcome;
} array_cases[] = {
	{ "first_entry", true, false, 2, 0x1df00,
	  "0 0x1e000 0, 1 switches, 1 disturbed, 1 parked" },
	{ "first_entry_with_fewer_frames", true, false, 1, 0x1df00,
	  "0 0x1e000 0, 1 switches, 1 disturbed, 1 parked" },
	{ "nothing_is_presumed", false, false, 2, 0x1df00,
	  "2 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "a_call_was_made_since", true, false, 3, 0x1df00,
	  "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked, presumed 2 @ 0x1e000" },
	{ "word_from_before", true, false, 2, 0x1e000,
	  "2 0x1f800 77, 0 switches, 0 disturbed, 0 parked, presumed 2 @ 0x1e000" },
	{ "last_word_since", true, false, 2, 0x1dff8,
	  "0 0x1e000 0, 1 switches, 1 disturbed, 1 parked" },
	{ "goes_behind_a_call", true, true, 2, 0x1df00,
	  "2 0x1f800 77, 0 switches, 0 disturbed, 0 parked, presumed 2 @ 0x1e000" },
};

START_TEST(array_is_entered_by_a_ret)
{
	static const uint8_t code[] = { 0xe8, 0, 0, 0, 0 };
	struct stepped_thread *thread = setup(TID);

	if (array_cases[_i].presumed)
		ck_assert_int_eq(presume_gone(&world.process, thread, 0x1e000), 0);
	thread->shadow.count = array_cases[_i].count;
	memset(bytes + (CODE - LOW) - 16, 0x90, 16);
	if (array_cases[_i].called)
		memcpy(bytes + (CODE - LOW) - sizeof(code), code, sizeof(code));
	ck_assert_int_eq(stepped_enter_array(&world.process, thread, array_cases[_i].slot, CODE),
			 0);
	ck_assert_msg(!strcmp(outcome(), array_cases[_i].outcome), "%s: %s", array_cases[_i].name,
		      outcome());
	if (world.process.stacks.count) {
		ck_assert_uint_eq(world.process.stacks.parked[0].shadow.count, 3);
		ck_assert_uint_eq(thread->left, 1);
		ck_assert(!thread->shadow.rooted);
		ck_assert_uint_eq(thread->shadow.id, 2);
		ck_assert_int_eq(world.ended[FRAME_LOST], (int)array_cases[_i].count);
	}
	teardown();
}
END_TEST

/* ---- rsp is somewhere ----------------------------------------------------------------------- */

enum region { NO_REGION, OF_SIGNAL, OF_CALL };

/* A case begins with how rsp was set, and to what. */
static const struct follow_case {
	const char *name;
	enum sp_source source;
	uint64_t sp;
	enum region region; /* the innermost, from 0x17000 to 0x18000 */
	bool derived, is_main, presumed;
	bool held; /* the innermost frame's return address, in a register */
	struct {
		uint64_t sp, base;
	} parked; /* without frames; sp 0: there is none */
	const char *outcome;
} follow_cases[] = {
	/* Moved. */
	{ "moved_down", SP_MOVED, RSP - 0x2000,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "moved_to_the_base", SP_MOVED, HIGH - 0x800,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "moved_above_the_base", SP_MOVED, HIGH - 0x7f8,
	  .outcome = "3 0x1f808 77, 0 switches, 0 disturbed, 0 parked" },
	{ "frame_pointer_leads_up", SP_FROM_FRAME, HIGH - 0x7f8,
	  .outcome = "3 0x1f808 77, 0 switches, 0 disturbed, 0 parked" },
	{ "frame_pointer_leads_nowhere", SP_FROM_FRAME, RSP,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "frame_pointer_leads_down", SP_FROM_FRAME, RSP - 8,
	  .outcome = "3 0x1f800 77, 0 switches, 1 disturbed, 0 parked" },
	{ "handler_s_own_affair", SP_FROM_FRAME, RSP - 8, .region = OF_SIGNAL,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "called_stack_s_affair", SP_FROM_FRAME, RSP - 8, .region = OF_CALL,
	  .outcome = "3 0x1f800 77, 0 switches, 1 disturbed, 0 parked" },
	/* Set further up. */
	{ "set_below_all_frames", SP_FROM_MEMORY, 0x1d000,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "set_above_a_frame", SP_FROM_MEMORY, 0x1d008,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked, presumed 2 @ 0x1d008" },
	{ "set_above_a_frame_whose_return_address_is_held", SP_FROM_REGISTER, 0x1d100, .held = true,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "set_above_two_frames_and_one_is_held", SP_FROM_REGISTER, 0x1e008, .held = true,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked, presumed 1 @ 0x1e008" },
	{ "set_from_memory_above_a_frame_that_is_held", SP_FROM_MEMORY, 0x1d100, .held = true,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked, presumed 2 @ 0x1d100" },
	{ "set_to_the_base", SP_FROM_MEMORY, HIGH - 0x800,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked, presumed 0 @ 0x1f800" },
	{ "set_above_the_base", SP_FROM_MEMORY, HIGH - 0x7f8,
	  .outcome = "3 0x1f808 77, 0 switches, 0 disturbed, 0 parked" },
	{ "set_as_far_above_as_may_be", SP_FROM_MEMORY, HIGH - 0x800 + STACK_SLACK,
	  .outcome = "3 0x1f880 77, 0 switches, 0 disturbed, 0 parked" },
	{ "set_to_another_stack_above", SP_FROM_MEMORY, HIGH - 0x800 + STACK_SLACK + 1,
	  .outcome = "0 0x1f881 0 new, 1 switches, 1 disturbed, 1 parked" },
	{ "set_to_an_array_s_stack", SP_FROM_MEMORY, 0x1d100, .parked = { 0x1d100, 0x1d200 },
	  .outcome = "0 0x1d200 0, 1 switches, 2 disturbed, 1 parked" },
	{ "set_to_the_lowest_array_s_stack", SP_FROM_MEMORY, 0x1d100,
	  .parked = { RSP, HIGH - 0x800 },
	  .outcome = "0 0x1f800 0, 1 switches, 2 disturbed, 1 parked" },
	{ "set_to_what_begins_below", SP_FROM_MEMORY, 0x1d100, .parked = { RSP - 1, 0x1d200 },
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 1 parked, presumed 2 @ 0x1d100" },
	{ "set_to_what_ends_above", SP_FROM_MEMORY, 0x1d100, .parked = { 0x1d000, HIGH - 0x7ff },
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 1 parked, presumed 2 @ 0x1d100" },
	{ "set_below_all_frames_to_a_parked_one", SP_FROM_MEMORY, 0x1c000,
	  .parked = { 0x1c000, 0x1c800 },
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 1 parked" },
	{ "set_where_it_was", SP_FROM_MEMORY, RSP, .parked = { RSP, RSP + 0x100 },
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 1 parked" },
	/* Set further down. */
	{ "set_down_within_slack", SP_FROM_MEMORY, RSP - STACK_SLACK,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "set_down_to_another_stack", SP_FROM_MEMORY, RSP - STACK_SLACK - 1,
	  .outcome = "0 0x19f7f 0 new, 1 switches, 1 disturbed, 1 parked" },
	{ "set_down_on_the_kernel_s_stack", SP_FROM_MEMORY, RSP - STACK_SLACK - 1, .is_main = true,
	  .outcome = "3 0x20000 70, 0 switches, 1 disturbed, 0 parked" },
	{ "set_down_by_what_was_computed", SP_FROM_REGISTER, RSP - 0x1000, .derived = true,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "set_down_by_another_register", SP_FROM_REGISTER, RSP - 0x1000,
	  .outcome = "0 0x19000 0 new, 1 switches, 1 disturbed, 1 parked" },
	{ "set_up_by_what_was_computed", SP_FROM_REGISTER, HIGH - 8, .derived = true,
	  .outcome = "0 0x1fff8 0 new, 1 switches, 1 disturbed, 1 parked" },
	{ "set_up_on_the_kernel_s_stack", SP_FROM_MEMORY, HIGH - 8, .is_main = true,
	  .outcome = "3 0x20000 70, 0 switches, 0 disturbed, 0 parked, presumed 0 @ 0x1fff8" },
	{ "set_down_to_a_parked_one", SP_FROM_MEMORY, 0x15000, .parked = { 0x15000, 0x16000 },
	  .outcome = "0 0x16000 0, 1 switches, 2 disturbed, 1 parked" },
	{ "set_down_to_a_parked_one_of_the_kernel_s_stack", SP_FROM_MEMORY, 0x15000,
	  .is_main = true, .parked = { 0x15000, 0x16000 },
	  .outcome = "0 0x16000 0, 1 switches, 2 disturbed, 1 parked" },
	/* Where something is presumed gone. */
	{ "moved_to_what_is_presumed_gone", SP_MOVED, RSP, .presumed = true,
	  .outcome = "2 0x1f800 77, 0 switches, 0 disturbed, 0 parked, presumed 2 @ 0x1d008" },
	{ "set_to_what_is_presumed_gone", SP_FROM_REGISTER, RSP, .presumed = true,
	  .outcome = "3 0x1f800 77, 1 switches, 2 disturbed, 1 parked" },
	{ "frame_pointer_leads_there", SP_FROM_FRAME, RSP, .presumed = true,
	  .outcome = "3 0x1f800 77, 1 switches, 2 disturbed, 1 parked" },
	/* In other mappings, or none. */
	{ "other_mapping", SP_MOVED, 0x38000,
	  .outcome = "0 0x38000 0 new, 1 switches, 1 disturbed, 1 parked" },
	{ "parked_one_in_another_mapping", SP_MOVED, 0x38000, .parked = { 0x38000, 0x39000 },
	  .outcome = "0 0x39000 0, 1 switches, 2 disturbed, 1 parked" },
	{ "end_of_the_mapping", SP_MOVED, HIGH,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "behind_the_end_of_the_mapping", SP_MOVED, HIGH + 1,
	  .outcome = "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked" },
	{ "last_byte_of_the_mapping", SP_MOVED, HIGH - 1,
	  .outcome = "3 0x1ffff 77, 0 switches, 0 disturbed, 0 parked" },
};

START_TEST(rsp_is_followed)
{
	const struct follow_case *c = &follow_cases[_i];
	struct stepped_thread *thread = setup(c->is_main ? PID : TID);

	if (c->region)
		ck_assert(shadow_stack_continue(&thread->shadow, 0x17000, 0x18000));
	if (c->region == OF_SIGNAL)
		thread->shadow.region[0].called = false;
	if (c->presumed) {
		ck_assert_int_eq(presume_gone(&world.process, thread, 0x1d008), 0);
		shadow_stack_move(&thread->shadow, 0x1d008);
		thread->regs.rsp = 0x1d008;
		if (c->source == SP_FROM_REGISTER)
			thread->regs.rsp = 0x19000; /* and is set up, within the stack */
	}
	if (c->parked.sp) {
		struct parked_stack parked = { .range = thread->stack,
					       .sp = c->parked.sp,
					       .base = c->parked.base };

		shadow_stack_init(&parked.shadow, false);
		ck_assert_uint_eq(stack_pool_park(&world.process.stacks, &parked), 1);
	}
	thread->next.sp_source = c->source;
	thread->next.sp_register = 15;
	thread->derived = c->derived ? 1u << 15 : 0x7fff;
	thread->shadow.readers = c->held;
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, c->sp), 0);
	ck_assert(thread->looked);
	ck_assert_msg(!strcmp(outcome(), c->outcome), "%s: %s", c->name, outcome());
	ck_assert_uint_eq(thread->stack.low, c->sp > 0x30000 ? OTHER_LOW : LOW);
	if (world.counters.stack_switches && !c->presumed) {
		const struct parked_stack *left = &world.process.stacks.parked[0];

		ck_assert_uint_eq(left->sp, RSP);
		ck_assert_uint_eq(left->base, c->is_main ? HIGH : HIGH - 0x800);
		ck_assert_int_eq(left->root, c->is_main ? PID : TID);
		ck_assert_uint_eq(left->range.low, LOW);
		ck_assert_uint_eq(left->shadow.count, 3);
		ck_assert_uint_eq(left->shadow.epoch, 1);
		ck_assert_uint_eq(thread->left, left->number);
		ck_assert(!thread->shadow.rooted && !thread->derived);
	}
	teardown();
}
END_TEST

#define STACKS(...) .stack = { __VA_ARGS__ }

/* A stack that has grown, or that nobody has written to yet. */
static const struct {
	const char *name;
	struct address_range stack; /* as it was known */
	uint64_t sp;
	uint64_t low, high, base; /* then */
	size_t frames;
} grown_cases[] = {
	{ "below_the_mapping", STACKS(0x38000, 0x3f000), 0x2fff8, 0x2f000, 0x3f000, 0x3a000, 3 },
	{ "a_page_s_first_byte", STACKS(0x38000, 0x3f000), 0x2f000, 0x2f000, 0x3f000, 0x3a000, 3 },
	{ "above_the_mapping", STACKS(LOW, HIGH), 0x28000, LOW, HIGH, 0x3a000, 3 },
	{ "it_has_grown", STACKS(0x38000, OTHER_HIGH), 0x37000, OTHER_LOW, OTHER_HIGH, 0x3a000, 3 },
	{ "it_has_grown_by_all", STACKS(0x3fff0, 0x48000), 0x37000, OTHER_LOW, OTHER_HIGH, 0x3a000,
	  3 },
	{ "one_that_touches_it", STACKS(OTHER_HIGH, 0x48000), 0x37000, OTHER_LOW, OTHER_HIGH,
	  0x37000, 0 },
	{ "one_that_it_touches", STACKS(0x28000, OTHER_LOW), 0x37000, OTHER_LOW, OTHER_HIGH,
	  0x37000, 0 },
	{ "it_is_as_it_was", STACKS(0x31000, 0x3f000), 0x37000, 0x31000, 0x3f000, 0x3a000, 3 },
	{ "it_was_not_known", STACKS(0, 0), 0x37000, OTHER_LOW, OTHER_HIGH, OTHER_HIGH, 3 },
};

START_TEST(stack_may_have_grown)
{
	struct stepped_thread *thread = setup(TID);

	thread->stack = grown_cases[_i].stack;
	thread->base = 0x3a000;
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, grown_cases[_i].sp), 0);
	ck_assert_msg(thread->stack.low == grown_cases[_i].low &&
			      thread->stack.high == grown_cases[_i].high &&
			      thread->base == grown_cases[_i].base &&
			      thread->shadow.count == grown_cases[_i].frames,
		      "%s: %s, 0x%" PRIx64 "-0x%" PRIx64, grown_cases[_i].name, outcome(),
		      thread->stack.low, thread->stack.high);
	teardown();
}
END_TEST

/* On an alternate stack of a handler that is open, wherever that is mapped, no switch is seen. */
START_TEST(handler_s_stack_is_no_other)
{
	struct stepped_thread *thread = setup(TID);

	ck_assert(shadow_stack_continue(&thread->shadow, 0x37000, 0x38000));
	thread->shadow.region[0].called = false;
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, 0x37800), 0);
	ck_assert_str_eq(outcome(), "3 0x1f800 77, 0 switches, 0 disturbed, 0 parked");
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, 0x38001), 0);
	ck_assert_str_eq(outcome(), "0 0x38001 0 new, 1 switches, 1 disturbed, 1 parked");
	teardown();
}
END_TEST

SUITE(step_stacks, LOOP(stack_begins, begin_cases), TEST(a_range_ends_before_its_end),
      TEST(a_stack_that_is_left_has_no_registers), LOOP(frames_from_rsp_on_are_kept, kept_cases),
      LOOP(frames_come_back_where_they_were, presumed_cases), TIMES(frames_are_back, 2),
      LOOP(array_is_entered_by_a_ret, array_cases), LOOP(rsp_is_followed, follow_cases),
      LOOP(stack_may_have_grown, grown_cases), TEST(handler_s_stack_is_no_other))
