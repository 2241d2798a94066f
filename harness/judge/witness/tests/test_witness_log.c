/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_witness_log.c - the log of reports and what is found in it, at the borders
 *
 * Where a function, an alternate stack or a frame's base begins and ends; what is no function's; and
 * what a difference says, not only that there is one.
 */
#include "tests/suite.h"
#include "witness_fixture.h"

/* On the alternate stack, with the handler's own report. */
#define ALTERNATE                                                                                  \
	HANDLER_ENTRY(0x5800, OUTER + 0x40, 0xd80, 0x5000, 0x6000),                                \
		ENTER(0x5700, HANDLER, 0x57f8, HANDLER, RESTORER)
/* Entered, and never said again: its base is above the slots that follow. */
#define NEVER_ENTERED ENTRY(0xe00, OUTER, MAIN + 0x20, 0xef8)
/* A report from the code before pc. */
#define REPORT(is, at, pc, own, said, site)                                                        \
	IN_BRACES(.kind = is, .sp = at, .hook_return = pc, .base = own, .function = said,          \
		  .call_site = site)

static const struct log_case {
	const char *name;
	struct witness_event event[12];
	uint64_t open[6]; /* slots, the outermost first; up to the first 0 */
	struct witness_difference last;
} cases[] = {
	/* Where a function begins and ends. */
	{ .name = "entry_in_the_first_byte",
	  { { .kind = WITNESS_ENTRY, .sp = 0xef8, .hook_return = MAIN + 1, .slot = 0xf00 } },
	  { 0xf00 } },
	{ .name = "entry_in_the_last_byte",
	  { { .kind = WITNESS_ENTRY, .sp = 0xef8, .hook_return = MAIN + 0x100, .slot = 0xf00 } },
	  { 0xf00 } },
	{ .name = "entry_behind_it",
	  { { .kind = WITNESS_ENTRY, .sp = 0xef8, .hook_return = MAIN + 0x101, .slot = 0xf00 } },
	  { 0 },
	  { WITNESS_LOG, 0, 0xf00, 0, MAIN + 0x101 } },
	{ .name = "call_in_the_first_byte",
	  { MAIN_CALLED, OUTER_CALLED, ENTRY(0xd00, INNER, MAIN + 1, 0xdf8) },
	  { 0xf00, 0xe00, 0xd00 },
	  { WITNESS_LOG, 0, 0xe00, OUTER, MAIN + 1 } },
	{ .name = "call_in_the_last_byte",
	  { MAIN_CALLED, OUTER_CALLED, ENTRY(0xd00, INNER, MAIN + 0x100, 0xdf8) },
	  { 0xf00, 0xe00, 0xd00 },
	  { WITNESS_LOG, 0, 0xe00, OUTER, MAIN + 0x100 } },
	{ .name = "enter_in_the_first_byte",
	  { MAIN_CALLED, REPORT(WITNESS_ENTER, 0xe80, MAIN + 1, 0xef8, INNER, LIBRARY + 0x10) },
	  { 0xf00, 0xf00 } },
	{ .name = "enter_in_the_last_byte",
	  { MAIN_CALLED, REPORT(WITNESS_ENTER, 0xe80, MAIN + 0x100, 0xef8, INNER, LIBRARY + 0x10) },
	  { 0xf00, 0xf00 } },
	{ .name = "resume_in_the_first_byte",
	  { MAIN_CALLED, OUTER_CALLED, REPORT(WITNESS_RESUME, 0xd80, MAIN + 1, 0xdf8, 0, 0) },
	  { 0xf00, 0xe00 },
	  { WITNESS_LOG, 0, 0xe00, OUTER, MAIN + 1 } },
	{ .name = "resume_in_the_last_byte",
	  { MAIN_CALLED, OUTER_CALLED, REPORT(WITNESS_RESUME, 0xd80, MAIN + 0x100, 0xdf8, 0, 0) },
	  { 0xf00, 0xe00 },
	  { WITNESS_LOG, 0, 0xe00, OUTER, MAIN + 0x100 } },
	{ .name = "exit_in_the_first_byte",
	  { MAIN_CALLED, REPORT(WITNESS_EXIT, 0xe80, MAIN + 1, 0xef8, MAIN, LIBRARY + 0x10),
	    CALLED(0xe00, INNER, LIBRARY, 0) },
	  { 0xe00 } },
	{ .name = "exit_in_the_last_byte",
	  { MAIN_CALLED, REPORT(WITNESS_EXIT, 0xe80, MAIN + 0x100, 0xef8, MAIN, LIBRARY + 0x10),
	    CALLED(0xe00, INNER, LIBRARY, 0) },
	  { 0xe00 } },
	{ .name = "enter_where_nothing_is_open",
	  { ENTER(0xe80, MAIN, 0xef8, MAIN, LIBRARY + 0x10) },
	  { 0 },
	  { WITNESS_LOG, 0, 0, 0, MAIN + 0x10 } },
	/* Alternate stacks. */
	{ .name = "alternate_stack_without_anything_below",
	  { HANDLER_ENTRY(0x5800, LIBRARY, 0xd80, 0x5000, 0x6000),
	    ENTER(0x5700, HANDLER, 0x57f8, HANDLER, RESTORER), MAIN_CALLED },
	  { 0xf00 } },
	{ .name = "lowest_address_of_an_alternate_stack",
	  { MAIN_CALLED, OUTER_CALLED, ALTERNATE, ENTER(0x5000, HANDLER, 0x57f8, INNER, RESTORER) },
	  { 0xf00, 0xe00, 0x5800, 0x5800 } },
	{ .name = "end_of_an_alternate_stack",
	  { MAIN_CALLED, OUTER_CALLED, ALTERNATE, ENTER(0x6000, HANDLER, 0x57f8, INNER, RESTORER) },
	  { 0xf00, 0xe00, 0x5800, 0x5800 } },
	{ .name = "call_above_on_an_alternate_stack_leaves_that_alone",
	  { MAIN_CALLED, OUTER_CALLED, ALTERNATE, CALLED(0x5900, INNER, LIBRARY, 0) },
	  { 0xf00, 0xe00, 0x5900 } },
	{ .name = "handler_of_what_came_back_from_an_alternate_stack",
	  { MAIN_CALLED, OUTER_CALLED, ALTERNATE, HANDLER_ENTRY(0xa00, OUTER + 0x40, 0xd80, 0, 0) },
	  { 0xf00, 0xe00, 0xa00 } },
	{ .name = "handler_after_longjmp",
	  { MAIN_CALLED, OUTER_CALLED, INNER_CALLED,
	    HANDLER_ENTRY(0xa00, MAIN + 0x40, 0xe80, 0, 0) },
	  { 0xf00, 0xa00 } },
	{ .name = "handler_with_rsp_at_the_innermost_slot",
	  { MAIN_CALLED, OUTER_CALLED, HANDLER_ENTRY(0xa00, OUTER, 0xe00, 0, 0) },
	  { 0xf00, 0xe00, 0xa00 } },
	{ .name = "enter_from_outside_has_left_it",
	  { MAIN_CALLED, OUTER_CALLED, ALTERNATE, ENTER(0xd80, OUTER, 0xdf8, INNER, MAIN + 0x20) },
	  { 0xf00, 0xe00, 0xe00 } },
	{ .name = "resume_from_outside_has_left_it",
	  { MAIN_CALLED, OUTER_CALLED, ALTERNATE, RESUME(0xd80, OUTER, 0xdf8) },
	  { 0xf00, 0xe00 } },
	{ .name = "exit_from_outside_has_left_it",
	  { MAIN_CALLED, OUTER_CALLED, ALTERNATE, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20) },
	  { 0xf00, 0xe00 } },
	{ .name = "enter_from_outside_of_two_has_left_both",
	  { MAIN_CALLED, OUTER_CALLED, ALTERNATE,
	    HANDLER_ENTRY(0x7800, HANDLER + 0x40, 0x5680, 0x7000, 0x8000),
	    ENTER(0x7700, HANDLER, 0x77f8, HANDLER, RESTORER),
	    ENTER(0xd80, OUTER, 0xdf8, INNER, MAIN + 0x20) },
	  { 0xf00, 0xe00, 0xe00 } },
	{ .name = "resume_on_the_outer_of_two_has_left_the_inner",
	  { MAIN_CALLED, OUTER_CALLED, ALTERNATE,
	    HANDLER_ENTRY(0x7800, HANDLER + 0x40, 0x5680, 0x7000, 0x8000),
	    ENTER(0x7700, HANDLER, 0x77f8, HANDLER, RESTORER), RESUME(0x5680, HANDLER, 0x57f8) },
	  { 0xf00, 0xe00, 0x5800 } },
	{ .name = "handler_at_the_mark_of_an_exit",
	  { MAIN_CALLED, OUTER_CALLED, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20),
	    HANDLER_ENTRY(0xa00, HOOK + 0x30, 0xd80, 0, 0) },
	  { 0xf00, 0xe00, 0xa00 } },
	{ .name = "handler_elsewhere_after_an_exit",
	  { MAIN_CALLED, OUTER_CALLED, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20),
	    HANDLER_ENTRY(0xa00, HOOK + 0x20, 0xd80, 0, 0) },
	  { 0xf00, 0xa00 } },
	/* What lies below a slot, or a base, was left. */
	{ .name = "base_of_a_caller_that_reports_nothing",
	  { MAIN_CALLED, ENTRY(0xd00, INNER, OUTER + 0x20, 0xff8) },
	  { 0xf00, 0xd00 } },
	{ .name = "slot_that_a_library_uses_again",
	  { MAIN_CALLED, OUTER_CALLED, CALLED(0xe00, INNER, LIBRARY, 0) },
	  { 0xf00, 0xe00 } },
	{ .name = "highest_slot_below_the_callers_base",
	  { MAIN_CALLED, CALLED(0xef0, OUTER, MAIN + 0x20, 0xef8),
	    CALLED(0xb00, INNER, MAIN + 0x30, 0xef8) },
	  { 0xf00, 0xb00 } },
	{ .name = "highest_slot_below_the_base_at_an_enter",
	  { MAIN_CALLED, CALLED(0xef0, OUTER, MAIN + 0x20, 0xef8),
	    ENTER(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10) },
	  { 0xf00, 0xf00 } },
	{ .name = "highest_slot_below_the_base_at_a_resume",
	  { MAIN_CALLED, CALLED(0xef0, OUTER, MAIN + 0x20, 0xef8), RESUME(0xe80, MAIN, 0xef8) },
	  { 0xf00 } },
	{ .name = "highest_slot_below_the_base_at_an_exit",
	  { MAIN_CALLED, CALLED(0xef0, OUTER, MAIN + 0x20, 0xef8),
	    EXIT(0xe80, MAIN, 0xef8, MAIN, LIBRARY + 0x10) },
	  { 0xf00 } },
	{ .name = "what_has_exited_below_a_realigned_caller",
	  { MAIN_CALLED, OUTER_CALLED, EXIT(0xd80, OUTER, 0xdf8, OUTER, MAIN + 0x20),
	    CALLED(0xc00, INNER, MAIN + 0x30, 0xb00) },
	  { 0xf00, 0xc00 } },
	/* Who reports its entry alone. */
	{ .name = "mute_at_anothers_enter",
	  { MAIN_CALLED, NEVER_ENTERED, ENTER(0xd80, MAIN, 0xdd0, INNER, LIBRARY + 0x10) },
	  { 0xf00, 0xf00 } },
	{ .name = "mute_at_anothers_resume",
	  { MAIN_CALLED, NEVER_ENTERED, RESUME(0xd80, MAIN, 0xdd0) },
	  { 0xf00 } },
	{ .name = "mute_at_anothers_exit",
	  { MAIN_CALLED, NEVER_ENTERED, EXIT(0xd80, MAIN, 0xdd0, MAIN, LIBRARY + 0x10) },
	  { 0xf00 } },
	{ .name = "mute_itself_at_its_exit",
	  { MAIN_CALLED, NEVER_ENTERED, INNER_CALLED,
	    EXIT(0xc80, OUTER, 0xdf8, OUTER, MAIN + 0x20) },
	  { 0xf00 } },
	{ .name = "mute_is_not_opened_again",
	  { MAIN_CALLED, NEVER_ENTERED, INNER_CALLED, ENTRY(0xc00, OUTER, LIBRARY, 0) },
	  { 0xf00, 0xd00 } },
	{ .name = "mute_with_an_inlined_one_that_is_none",
	  { MAIN_CALLED, NEVER_ENTERED, ENTER(0xd80, MAIN, 0xdd0, INNER, LIBRARY + 0x10),
	    ENTRY(0xc00, OUTER, MAIN + 0x30, 0xef8), ENTER(0xb80, OUTER, 0xbf8, INNER, MAIN + 0x30),
	    EXIT(0xb80, OUTER, 0xbf8, INNER, MAIN + 0x30) },
	  { 0xf00, 0xf00 } },
	/* Inlined ones. */
	{ .name = "resume_of_the_host_of_an_inlined_one",
	  { MAIN_CALLED, ENTER(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10),
	    EXIT(0xe80, MAIN, 0xef8, MAIN, LIBRARY + 0x10), RESUME(0xe80, MAIN, 0xef8),
	    EXIT(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10), CALLED(0xe00, INNER, LIBRARY, 0) },
	  { 0xf00, 0xe00 } },
	{ .name = "exit_of_an_inlined_one_leaves_what_it_had_inlined",
	  { MAIN_CALLED, ENTER(0xe80, MAIN, 0xef8, OUTER, LIBRARY + 0x10),
	    ENTER(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10),
	    EXIT(0xe80, MAIN, 0xef8, OUTER, LIBRARY + 0x10) },
	  { 0xf00 } },
	{ .name = "exit_of_the_inner_one_leaves_the_outer",
	  { MAIN_CALLED, ENTER(0xe80, MAIN, 0xef8, OUTER, LIBRARY + 0x10),
	    ENTER(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10),
	    EXIT(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10) },
	  { 0xf00, 0xf00 } },
	{ .name = "exit_of_an_inlined_one_that_names_another_caller",
	  { MAIN_CALLED, ENTER(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x10),
	    EXIT(0xe80, MAIN, 0xef8, INNER, LIBRARY + 0x11) },
	  { 0xf00 },
	  { WITNESS_LOG, 0, 0xf00, LIBRARY + 0x10, LIBRARY + 0x11 } },
	{ .name = "exit_that_names_no_function",
	  { MAIN_CALLED, EXIT(0xe80, MAIN, 0xef8, LIBRARY, LIBRARY + 0x10) },
	  { 0xf00 },
	  { WITNESS_LOG, 0, 0xf00, MAIN, LIBRARY } },
};

static void same(const char *name, const struct witness_difference *got,
		 const struct witness_difference *wanted)
{
	ck_assert_msg(got->kind == wanted->kind && got->frame == wanted->frame &&
			      got->slot == wanted->slot && got->truth == wanted->truth &&
			      got->said == wanted->said,
		      "%s: %s, frame %zu at 0x%lx: 0x%lx, 0x%lx", name,
		      witness_difference_name(got->kind), got->frame, got->slot, got->truth,
		      got->said);
}

START_TEST(test_log)
{
	struct witness_difference difference = { .kind = WITNESS_AGREES };
	const struct log_case *c = &cases[_i];
	struct fixture fixture;
	size_t count = 0;

	set_up(&fixture);
	for (int i = 0; i < COUNT(c->event) && c->event[i].sp; i++) {
		ck_assert_int_eq(difference.kind, WITNESS_AGREES);
		ck_assert(witness_log_event(&fixture.log, &fixture.functions, &c->event[i],
					    &difference));
	}
	same(c->name, &difference, &c->last);
	while (c->open[count])
		count++;
	ck_assert_msg(fixture.log.now.count == count, "%s: %zu open", c->name,
		      fixture.log.now.count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(fixture.log.now.open[i].slot == c->open[i], "%s: 0x%lx at %zu",
			      c->name, fixture.log.now.open[i].slot, i);
	witness_log_deinit(&fixture.log);
}
END_TEST

static const struct {
	const char *name;
	uint64_t slot, interrupted_sp;
	bool alternate;
} alternates[] = {
	{ "lowest_slot", 0x5000, 0xd80, true },
	{ "slot_below_it", 0x4ff8, 0xd80, false },
	{ "highest_slot", 0x5ff8, 0xd80, true },
	{ "slot_behind_it", 0x6000, 0xd80, false },
	{ "interrupted_below_it", 0x5800, 0x4fff, true },
	{ "interrupted_at_its_lowest_address", 0x5800, 0x5000, false },
	{ "interrupted_on_it", 0x5800, 0x5c00, false },
	{ "interrupted_at_its_end", 0x5800, 0x6000, false },
	{ "interrupted_above_it", 0x5800, 0x6001, true },
};

START_TEST(test_alternate)
{
	const struct witness_event event = HANDLER_ENTRY(
		alternates[_i].slot, LIBRARY, alternates[_i].interrupted_sp, 0x5000, 0x6000);
	const struct witness_open *open;
	struct fixture fixture;

	set_up(&fixture);
	ck_assert_int_eq(report(&fixture, &event, 1), WITNESS_AGREES);
	ck_assert_uint_eq(fixture.log.now.count, 1);
	open = &fixture.log.now.open[0];
	ck_assert_msg(open->alternate == alternates[_i].alternate, "%s", alternates[_i].name);
	ck_assert(open->handler && open->interrupted_pc == LIBRARY);
	ck_assert_uint_eq(open->low, open->alternate ? 0x5000 : 0);
	ck_assert_uint_eq(open->high, open->alternate ? 0x6000 : 0);
	witness_log_deinit(&fixture.log);
}
END_TEST

/* What is no change of contexts changes nothing, whatever it says of them. */
START_TEST(test_settled)
{
	struct witness_event event = CHANGE(0xe80, MAIN, 0xef8, 1, 1, 3);
	struct fixture fixture;

	set_up(&fixture);
	ck_assert(witness_log_settle(&fixture.log, &event));
	ck_assert(!fixture.log.parked_count && !fixture.log.now.begun);
	event.kind = WITNESS_RESUME;
	event.to = 2;
	ck_assert(witness_log_settle(&fixture.log, &event));
	ck_assert(!fixture.log.parked_count && !fixture.log.now.begun);
	event.kind = WITNESS_CHANGE;
	ck_assert(witness_log_settle(&fixture.log, &event));
	ck_assert(fixture.log.parked_count == 1 && fixture.log.now.begun);
	ck_assert_uint_eq(fixture.log.parked[0].context, 1);
	ck_assert_uint_eq(fixture.log.now.link, 3);
	witness_log_deinit(&fixture.log);
}
END_TEST

/* The slot of the outermost function of the stack in use; 0: none is open. */
static uint64_t outermost(const struct fixture *fixture)
{
	return fixture->log.now.count ? fixture->log.now.open[0].slot : 0;
}

static void change(struct fixture *fixture, uint64_t from, uint64_t to, uint64_t link)
{
	const struct witness_event event = CHANGE(0xe80, MAIN, 0xef8, from, to, link);

	ck_assert(witness_log_settle(&fixture->log, &event));
}

static void open_one(struct fixture *fixture, uint64_t slot)
{
	const struct witness_event event = ENTRY(slot, INNER, LIBRARY, 0);
	struct witness_difference difference;

	ck_assert(witness_log_event(&fixture->log, &fixture->functions, &event, &difference));
	ck_assert_int_eq(difference.kind, WITNESS_AGREES);
	fixture->log.now.open[fixture->log.now.count - 1].entered = true;
}

/* Three stacks: who comes back finds what was left, as it was left; of a context that was saved twice the last. */
START_TEST(test_contexts_are_come_back_to)
{
	struct fixture fixture;

	set_up(&fixture);
	open_one(&fixture, 0xf00);
	change(&fixture, 1, 2, 0x77);
	ck_assert(fixture.log.now.begun && fixture.log.now.link == 0x77 && !outermost(&fixture));
	open_one(&fixture, 0x2f00);
	change(&fixture, 2, 1, 0x88);
	/* Nobody began it, and what it goes on to is not the other's. */
	ck_assert(!fixture.log.now.begun && !fixture.log.now.link);
	ck_assert_uint_eq(outermost(&fixture), 0xf00);
	change(&fixture, 1, 2, 0x99);
	ck_assert(fixture.log.now.begun && fixture.log.now.link == 0x77);
	ck_assert_uint_eq(outermost(&fixture), 0x2f00);
	/* Context 1 is used for another stack: what it had before was abandoned. */
	change(&fixture, 1, 3, 0);
	ck_assert_uint_eq(fixture.log.parked_count, 1);
	open_one(&fixture, 0x3f00);
	change(&fixture, 3, 1, 0);
	ck_assert_uint_eq(outermost(&fixture), 0x2f00);
	ck_assert_uint_eq(fixture.log.parked_count, 1);
	ck_assert_uint_eq(fixture.log.parked[0].context, 3);
	witness_log_deinit(&fixture.log);
}
END_TEST

/* The thread goes on in the linked one when the outermost function has exited, not before. */
START_TEST(test_link_is_followed_from_the_outermost)
{
	struct fixture fixture;

	set_up(&fixture);
	open_one(&fixture, 0xf00);
	change(&fixture, 1, 2, 1);
	witness_log_follow_link(&fixture.log); /* nothing was entered yet */
	ck_assert(!outermost(&fixture));
	open_one(&fixture, 0x2f00);
	open_one(&fixture, 0x2e00);
	fixture.log.now.open[1].exited = true;
	witness_log_follow_link(&fixture.log);
	ck_assert_uint_eq(outermost(&fixture), 0x2f00);
	fixture.log.now.open[1].exited = false;
	fixture.log.now.open[0].exited = true;
	witness_log_follow_link(&fixture.log);
	ck_assert_uint_eq(outermost(&fixture), 0xf00);
	ck_assert_uint_eq(fixture.log.parked_count, 0);
	/* That one is linked to none. */
	fixture.log.now.open[0].exited = true;
	witness_log_follow_link(&fixture.log);
	ck_assert_uint_eq(outermost(&fixture), 0xf00);
	witness_log_deinit(&fixture.log);
}
END_TEST

/* ---- what a difference says ------------------------------------------------------------------ */

#define DIFFERS(...) .expected = { __VA_ARGS__ }

static const struct {
	const char *name;
	enum plant plant;
	size_t frame;
	struct witness_difference expected;
} said[] = {
	{ "return_address", RETURN_ADDRESS, FRAME_OUTER,
	  DIFFERS(WITNESS_CALL_SITE, FRAME_OUTER, 0xe00, MAIN + 0x24, MAIN + 0x20) },
	{ "function_without_a_symbol", LEFT_OUT, FRAME_LIBRARY,
	  DIFFERS(WITNESS_FUNCTION, FRAME_OUTER, 0xe00, 0, OUTER) },
	{ "handler_that_interrupts_nothing", CUT_OUTER, FRAME_HANDLER,
	  DIFFERS(WITNESS_INTERRUPTED, 0, 0xa00, 0, INNER + 0x40) },
	{ "handler_that_interrupts_something_else", RETURN_ADDRESS, FRAME_INTERRUPTED,
	  DIFFERS(WITNESS_INTERRUPTED, FRAME_HANDLER, 0xa00, INNER + 0x44, INNER + 0x40) },
	{ "interruption_of_no_handler", INTERRUPTED_AGAIN, FRAME_AGAIN,
	  DIFFERS(WITNESS_INTERRUPTED, FRAME_AGAIN, 0xaa8, INNER + 0x40, OUTER) },
	{ "slot_of_two_frames", TWICE, FRAME_INNER,
	  DIFFERS(WITNESS_UNLOGGED, FRAME_INNER, 0xc00, LIBRARY + 0x50, 0) },
	{ "slot_of_two_frames_of_a_function", TWICE, FRAME_LIBRARY,
	  DIFFERS(WITNESS_UNLOGGED, FRAME_LIBRARY, 0xd00, OUTER + 0x30, OUTER) },
	{ "last_call", RETURN_ADDRESS, FRAME_HOOK,
	  DIFFERS(WITNESS_HOOK, FRAME_HOOK, 0x8f8, OUTER + 9, OUTER + 5) },
	{ "no_frames", CUT_OUTER, FRAMES, DIFFERS(WITNESS_HOOK, 0, 0x8f8, 0, OUTER + 5) },
	{ "missing", CUT_OUTER, FRAME_OUTER,
	  DIFFERS(WITNESS_MISSING, FRAMES - 1, 0xf00, 0, LIBRARY + 0x10) },
};

START_TEST(test_said)
{
	size_t confirmed;
	const struct witness_difference difference = compare_planted(said[_i].plant, said[_i].frame,
								     &confirmed);

	same(said[_i].name, &difference, &said[_i].expected);
}
END_TEST

/* ---- truths of other stories ------------------------------------------------------------------ */

#define CALL(at, to)	    IN_BRACES(.slot = at, .return_address = to)
#define INTERRUPTED(at, to) IN_BRACES(.slot = at, .return_address = to, .interrupted = true)

#define EVENTS(...) .event = { __VA_ARGS__ }
#define TRUTH(...)  .frame = { __VA_ARGS__ }

/* One frame more than the truth has lies behind it, where nobody may look. */
static const struct story_case {
	const char *name;
	struct witness_event event[10];
	struct shadow_frame frame[7];
	size_t count;
	size_t hooked;	       /* a function that has begun to report since; 0: none */
	unsigned int unhooked; /* those that have not reported, a bit each */
	bool prefix;	       /* the truth's root is not known */
	size_t confirmed;
	struct witness_difference expected;
} stories[] = {
	{ "inlined_in_the_innermost",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, ENTER(0xd80, OUTER, 0xdf8, INNER, MAIN + 0x20)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20), CALL(0xd80, OUTER + 0x10)),
	  3, .confirmed = 2 },
	{ "last_call_ends_its_function",
	  EVENTS(MAIN_CALLED, OUTER_CALLED,
		 REPORT(WITNESS_ENTER, 0xd80, OUTER + 0x100, 0xdf8, INNER, MAIN + 0x20)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20), CALL(0xd80, OUTER + 0x100)),
	  3, .confirmed = 2 },
	{ "last_call_is_its_function_s_first_byte",
	  EVENTS(MAIN_CALLED, OUTER_CALLED,
		 REPORT(WITNESS_ENTER, 0xd80, OUTER + 1, 0xdf8, INNER, MAIN + 0x20)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20), CALL(0xd80, OUTER + 1)), 3,
	  .confirmed = 2 },
	{ "call_ends_its_function",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, ENTRY(0xc00, INNER, LIBRARY + 0x50, 0)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20), CALL(0xd00, OUTER + 0x100),
		CALL(0xc00, LIBRARY + 0x50), CALL(0xbf8, INNER + 5)),
	  5, .confirmed = 3 },
	{ "interrupted_at_its_first_instruction",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, HANDLER_ENTRY(0xa00, OUTER, 0xd80, 0, 0)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20), INTERRUPTED(0xaa8, OUTER),
		CALL(0xa00, RESTORER), CALL(0x9f8, HANDLER + 5)),
	  5, .confirmed = 3 },
	{ "handler_of_a_library",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, ENTRY(0x900, INNER, LIBRARY + 0x50, 0)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20),
		INTERRUPTED(0xaa8, OUTER + 0x40), CALL(0xa00, RESTORER),
		CALL(0x900, LIBRARY + 0x50), CALL(0x8f8, INNER + 5)),
	  6, .confirmed = 3 },
	{ "call_in_the_slot_of_an_interruption",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, ENTRY(0x900, INNER, LIBRARY + 0x50, 0)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20),
		INTERRUPTED(0xa00, OUTER + 0x40), CALL(0xa00, RESTORER),
		CALL(0x900, LIBRARY + 0x50), CALL(0x8f8, INNER + 5)),
	  6, .confirmed = 1, DIFFERS(WITNESS_INTERRUPTED, 2, 0xa00, OUTER + 0x40, 0) },
	/* The first function of a stack may be missing where a change has begun that: here none has. */
	{ "prefix_of_a_stack_that_was_called",
	  EVENTS(MAIN_CALLED, ENTRY(0xe00, OUTER, MAIN + 0x20, 0xef8)),
	  TRUTH(CALL(0xe00, MAIN + 0x20), CALL(0xdf8, OUTER + 5)), 2, .prefix = true,
	  .confirmed = 1, DIFFERS(WITNESS_MISSING, 2, 0xf00, 0, LIBRARY + 0x10) },
	{ "interruption_instead_of_the_hook",
	  EVENTS(MAIN_CALLED, ENTRY(0xe00, OUTER, MAIN + 0x20, 0xef8)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20),
		INTERRUPTED(0xdf8, OUTER + 5)),
	  3, DIFFERS(WITNESS_HOOK, 2, 0xdf8, OUTER + 5, OUTER + 5) },
	{ "interruption_of_an_interruption",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, HANDLER_ENTRY(0xa00, OUTER + 0x44, 0xb80, 0, 0)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20),
		INTERRUPTED(0xd80, OUTER + 0x40), INTERRUPTED(0xaa8, OUTER + 0x44),
		CALL(0xa00, RESTORER), CALL(0x9f8, HANDLER + 5)),
	  6, .confirmed = 1, DIFFERS(WITNESS_INTERRUPTED, 2, 0xd80, OUTER + 0x40, 0) },
	/* Who jumps to the hook gives it its own frame, which is then the last. */
	{ "jumped",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, JUMP_TO_EXIT(0xe00, OUTER, MAIN + 0x20, 0xef8)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20), CALL(0xd00, LIBRARY)), 2,
	  .confirmed = 2 },
	{ "jumped_over_an_interruption",
	  EVENTS(MAIN_CALLED, OUTER_CALLED, JUMP_TO_EXIT(0xe00, OUTER, MAIN + 0x20, 0xef8)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), INTERRUPTED(0xe40, MAIN + 0x20),
		CALL(0xd00, MAIN + 0x20)),
	  2, DIFFERS(WITNESS_INTERRUPTED, 1, 0xe40, MAIN + 0x20, 0) },
	{ "jumped_and_a_caller_is_not_in_the_log",
	  EVENTS(MAIN_CALLED, CALLED(0xd00, INNER, OUTER + 0x20, 0),
		 JUMP_TO_EXIT(0xd00, INNER, OUTER + 0x20, 0)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xe00, MAIN + 0x20), CALL(0xd00, OUTER + 0x20),
		INTERRUPTED(0xc00, HOOK + 4)),
	  3, .hooked = 1, .confirmed = 1, DIFFERS(WITNESS_UNLOGGED, 1, 0xe00, MAIN + 0x20, OUTER) },
	{ "jumped_from_elsewhere",
	  EVENTS(MAIN_CALLED, CALLED(0xd00, INNER, LIBRARY + 0x50, 0),
		 JUMP_TO_EXIT(0xd00, INNER, LIBRARY + 0x50, 0)),
	  TRUTH(CALL(0xf00, LIBRARY + 0x10), CALL(0xc80, MAIN + 0x50), CALL(0xc80, LIBRARY)), 2,
	  .unhooked = 1 | 1 << 2, .confirmed = 0,
	  DIFFERS(WITNESS_MISSING, 2, 0xd00, 0, LIBRARY + 0x50) },
};

START_TEST(test_stories)
{
	const struct story_case *c = &stories[_i];
	struct shadow_frame frame[COUNT(c->frame)];
	struct shadow_stack truth = { .frame = frame, .count = c->count, .rooted = !c->prefix };
	struct witness_difference difference;
	struct fixture fixture;
	size_t confirmed;
	int events = 0;

	set_up(&fixture);
	while (c->event[events].sp)
		events++;
	ck_assert_msg(report(&fixture, c->event, events) == WITNESS_AGREES, "%s", c->name);
	if (c->hooked)
		fixture.function[c->hooked].hooked = true;
	for (size_t i = 0; i < FUNCTION_COUNT; i++)
		fixture.function[i].hooked &= !(c->unhooked >> i & 1);
	memcpy(frame, c->frame, sizeof(frame));
	witness_compare(&fixture.log, &fixture.functions, &c->event[events - 1], &truth, &confirmed,
			&difference);
	same(c->name, &difference, &c->expected);
	ck_assert_msg(confirmed == c->confirmed, "%s: %zu confirmed", c->name, confirmed);
	witness_log_deinit(&fixture.log);
}
END_TEST

static int read_nothing(void *context, uint64_t address, void *ret, size_t size)
{
	return -1;
}

START_TEST(test_memory_that_is_not_there)
{
	const struct memory_reader memory = { .read = read_nothing };
	const struct witness_difference expected = { WITNESS_MEMORY, 1, 0xe00, MAIN + 0x20, 0 };
	struct shadow_frame frame[] = { CALL(0xf00, LIBRARY), CALL(0xe00, MAIN + 0x20),
					INTERRUPTED(0xd00, OUTER) };
	struct shadow_stack truth = { .frame = frame, .count = 3 };
	struct witness_difference difference;

	witness_compare_memory(&truth, &memory, &difference);
	same("memory", &difference, &expected);
}
END_TEST

SUITE(witness_log, LOOP(test_log, cases), LOOP(test_alternate, alternates), TEST(test_settled),
      TEST(test_contexts_are_come_back_to), TEST(test_link_is_followed_from_the_outermost),
      LOOP(test_said, said), LOOP(test_stories, stories), TEST(test_memory_that_is_not_there))
