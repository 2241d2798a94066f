/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_shadow_stack.c - sequences of events -> the frames that are open
 *
 * A case is a short program of events, as the tracer would report them, and the return addresses
 * that must be open after it, innermost first. The stack of the cases grows down from 0x1000;
 * alternate signal stacks lie below it (0x100 to 0x200) or above it (0x5000 to 0x6000).
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/steps/shadow_stack.h"

#define LOW_STACK  0x100, 0x200
#define HIGH_STACK 0x5000, 0x6000
#define NO_STACK   0, 0

enum event_kind {
	EVENT_END,
	EVENT_CALL,
	EVENT_MOVE,
	EVENT_SIGNAL,
	EVENT_SIGRETURN,
	EVENT_CONTINUE,
	EVENT_RETURN,
	EVENT_JUMP,
	EVENT_PUT_BACK,
};

struct event {
	enum event_kind kind;
	uint64_t sp;		 /* after it */
	uint64_t return_address; /* CALL; the interrupted PC for SIGNAL; where RETURN and JUMP go */
	uint64_t interrupted_sp; /* SIGNAL */
	uint64_t low, high;	 /* SIGNAL: the alternate stack; CONTINUE: the new one */
};

#define CALL(slot, pc)		 IN_BRACES(.kind = EVENT_CALL, .sp = slot, .return_address = pc)
#define MOVE(to)		 IN_BRACES(.kind = EVENT_MOVE, .sp = to)
#define SIGRETURN(to)		 IN_BRACES(.kind = EVENT_SIGRETURN, .sp = to)
#define SIGRETURN_TO(to, pc)	 IN_BRACES(.kind = EVENT_SIGRETURN, .sp = to, .return_address = pc)
#define RETURN(slot, pc)	 IN_BRACES(.kind = EVENT_RETURN, .sp = (slot) + 8, .return_address = pc)
#define JUMP(to, pc)		 IN_BRACES(.kind = EVENT_JUMP, .sp = to, .return_address = pc)
#define PUT_BACK		 IN_BRACES(.kind = EVENT_PUT_BACK)
#define CONTINUE_ON(lowest, end) IN_BRACES(.kind = EVENT_CONTINUE, .low = lowest, .high = end)
#define CONTINUE(bounds)	 CONTINUE_ON(bounds)
#define SIGNAL_AT(to, pc, from, lowest, end)                                                       \
	IN_BRACES(.kind = EVENT_SIGNAL, .sp = to, .return_address = pc, .interrupted_sp = from,    \
		  .low = lowest, .high = end)
/* bounds is two arguments once expanded. */
#define SIGNAL(to, pc, from, bounds) SIGNAL_AT(to, pc, from, bounds)

#define RESTORER	 0x77
#define INTERRUPTED_SLOT 168 /* above the restorer's, as in the kernel's frame */

static const struct {
	const char *name;
	struct event event[12];
	uint64_t expected[8]; /* up to the first 0 */
} cases[] = {
	{ "nothing_happened_nothing_is_open", { { 0 } }, { 0 } },
	{ "calls_open_frames_innermost_first", { CALL(0xff8, 1), CALL(0xfe8, 2) }, { 2, 1 } },
	{ "ret_closes", { CALL(0xff8, 1), CALL(0xfe8, 2), MOVE(0xff0) }, { 1 } },
	{ "ret_of_the_outermost_leaves_none", { CALL(0xff8, 1), MOVE(0x1000) }, { 0 } },
	{ "ret_n_closes", { CALL(0xff8, 1), CALL(0xfe0, 2), MOVE(0xff8) }, { 1 } },
	{ "push_and_sub_close_nothing", { CALL(0xff8, 1), MOVE(0xff0), MOVE(0x800) }, { 1 } },
	{ "rsp_at_the_slot_keeps_it", { CALL(0xff8, 1), MOVE(0xff0), MOVE(0xff8) }, { 1 } },
	{ "call_pop_leaves_none", { CALL(0xff8, 1), CALL(0xff0, 2), MOVE(0xff8) }, { 1 } },
	{ "tail_call_keeps_the_callers_frame",
	  { CALL(0xff8, 1), MOVE(0xf00), MOVE(0xff8), MOVE(0xff0) },
	  { 1 } },
	{ "longjmp_closes_many",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), CALL(0xfd8, 3), MOVE(0xff0) },
	  { 1 } },
	{ "a_slot_is_used_again",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), MOVE(0xff0), CALL(0xfe8, 3) },
	  { 3, 1 } },
	{ "call_after_an_unseen_rise_closes_first",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), CALL(0xff0, 3) },
	  { 3, 1 } },
	{ "signal_opens_restorer_and_interrupted",
	  { CALL(0xff8, 1), SIGNAL(0xc00, 0x50, 0xff0, NO_STACK) },
	  { RESTORER, 0x50, 1 } },
	{ "at_the_restorer_only_the_interrupted_is_open",
	  { CALL(0xff8, 1), SIGNAL(0xc00, 0x50, 0xff0, NO_STACK), MOVE(0xc08) },
	  { 0x50, 1 } },
	{ "sigreturn_closes_both",
	  { CALL(0xff8, 1), SIGNAL(0xc00, 0x50, 0xff0, NO_STACK), MOVE(0xc08), SIGRETURN(0xff0) },
	  { 1 } },
	{ "longjmp_out_of_a_handler",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), SIGNAL(0xc00, 0x50, 0xfe0, NO_STACK), CALL(0xb00, 3),
	    MOVE(0xff0) },
	  { 1 } },
	{ "nested_signals_return_in_turn",
	  { CALL(0xff8, 1), SIGNAL(0xc00, 0x50, 0xff0, NO_STACK),
	    SIGNAL(0x800, 0x60, 0xbf0, NO_STACK), MOVE(0x808), SIGRETURN(0xbf0) },
	  { RESTORER, 0x50, 1 } },
	{ "alternate_stack_below",
	  { CALL(0xff8, 1), SIGNAL(0x140, 0x50, 0xff0, LOW_STACK), CALL(0x130, 2) },
	  { 2, RESTORER, 0x50, 1 } },
	{ "alternate_stack_above_closes_nothing_below",
	  { CALL(0xff8, 1), SIGNAL(0x5800, 0x50, 0xff0, HIGH_STACK), CALL(0x57f0, 2) },
	  { 2, RESTORER, 0x50, 1 } },
	{ "return_inside_the_alternate_stack_above",
	  { CALL(0xff8, 1), SIGNAL(0x5800, 0x50, 0xff0, HIGH_STACK), CALL(0x57f0, 2),
	    MOVE(0x57f8) },
	  { RESTORER, 0x50, 1 } },
	{ "sigreturn_from_the_alternate_stack_above",
	  { CALL(0xff8, 1), SIGNAL(0x5800, 0x50, 0xff0, HIGH_STACK), MOVE(0x5808),
	    SIGRETURN(0xff0) },
	  { 1 } },
	{ "longjmp_out_of_the_alternate_stack_above",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), SIGNAL(0x5800, 0x50, 0xfe0, HIGH_STACK),
	    CALL(0x57f0, 3), MOVE(0xff0) },
	  { 1 } },
	{ "longjmp_out_of_the_alternate_stack_below",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), SIGNAL(0x140, 0x50, 0xfe0, LOW_STACK), CALL(0x130, 3),
	    MOVE(0xff0) },
	  { 1 } },
	{ "signal_on_the_alternate_stack_it_is_already_on",
	  { CALL(0xff8, 1), SIGNAL(0x5800, 0x50, 0xff0, HIGH_STACK),
	    SIGNAL(0x5400, 0x60, 0x57f0, HIGH_STACK), MOVE(0x5408), SIGRETURN(0x57f0) },
	  { RESTORER, 0x50, 1 } },
	{ "a_call_on_another_stack_is_above_all_that_was_open",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), CONTINUE(HIGH_STACK), CALL(0x5ff8, 3),
	    CALL(0x5fe8, 4) },
	  { 4, 3, 2, 1 } },
	{ "return_from_a_call_on_another_stack",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), CONTINUE(HIGH_STACK), CALL(0x5ff8, 3), MOVE(0x6000) },
	  { 2, 1 } },
	{ "back_from_another_stack",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), CONTINUE(HIGH_STACK), CALL(0x5ff8, 3), MOVE(0x6000),
	    MOVE(0xfe0), MOVE(0xff0) },
	  { 1 } },
	{ "longjmp_off_another_stack",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), CONTINUE(LOW_STACK), CALL(0x1f8, 3), CALL(0x1e8, 4),
	    MOVE(0xff0) },
	  { 1 } },
	{ "signal_on_another_stack",
	  { CALL(0xff8, 1), CONTINUE(HIGH_STACK), CALL(0x5ff8, 2),
	    SIGNAL(0x5800, 0x50, 0x5ff0, NO_STACK), MOVE(0x5808), SIGRETURN(0x5ff0) },
	  { 2, 1 } },
	{ "handlers_on_two_alternate_stacks_return_in_turn",
	  { CALL(0xff8, 1), SIGNAL(0x5800, 0x50, 0xff0, HIGH_STACK),
	    SIGNAL(0x140, 0x60, 0x57f0, LOW_STACK), MOVE(0x148), SIGRETURN(0x57f0) },
	  { RESTORER, 0x50, 1 } },
	{ "sigreturn_of_a_handler_that_moved_rsp_up",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), SIGNAL(0xc00, 0x50, 0xfe0, NO_STACK),
	    SIGRETURN(0xff0) },
	  { 1 } },
	{ "sigreturn_without_a_handler_only_moves",
	  { CALL(0xff8, 1), CALL(0xfe8, 2), SIGRETURN(0xff0) },
	  { 1 } },
};

static void apply(struct shadow_stack *stack, const struct event *event)
{
	switch (event->kind) {
	case EVENT_CALL:
		ck_assert(shadow_stack_call(stack, event->sp, event->return_address, NULL));
		break;
	case EVENT_CONTINUE:
		ck_assert(shadow_stack_continue(stack, event->low, event->high));
		break;
	case EVENT_MOVE: shadow_stack_move(stack, event->sp); break;
	case EVENT_SIGRETURN:
		shadow_stack_sigreturn(stack, event->return_address, event->sp);
		break;
	case EVENT_RETURN:
		shadow_stack_return(stack, event->sp - 8, event->return_address, event->sp);
		break;
	case EVENT_JUMP: shadow_stack_jump(stack, event->return_address, event->sp); break;
	case EVENT_PUT_BACK: ck_assert(shadow_stack_put_back(stack)); break;
	case EVENT_SIGNAL:
		ck_assert(shadow_stack_signal(
			stack, &(struct signal_frame) {
				       .restorer_slot = event->sp,
				       .restorer = RESTORER,
				       .interrupted_slot = event->sp + INTERRUPTED_SLOT,
				       .interrupted_pc = event->return_address,
				       .interrupted_sp = event->interrupted_sp,
				       .alternate_low = event->low,
				       .alternate_high = event->high,
			       }));
		break;
	case EVENT_END: break;
	}
}

START_TEST(test_events)
{
	struct shadow_stack stack;
	struct stack frames = { 0 };
	struct error error;
	uint32_t expected = 0;

	shadow_stack_init(&stack, true);
	for (const struct event *event = cases[_i].event; event->kind != EVENT_END; event++)
		apply(&stack, event);
	while (cases[_i].expected[expected])
		expected++;
	ck_assert(!shadow_stack_get(&stack, 0x42, &frames, &error));
	ck_assert_msg(frames.count == expected + 1, "%s: %u frames instead of %u", cases[_i].name,
		      frames.count - 1, expected);
	ck_assert_uint_eq(frames.pc[0], 0x42);
	for (uint32_t i = 0; i < expected; i++)
		ck_assert_msg(frames.pc[i + 1] == cases[_i].expected[i], "%s: frame %u is 0x%lx",
			      cases[_i].name, i, (unsigned long)frames.pc[i + 1]);
	ck_assert_int_eq(frames.stop, STOP_COMPLETE);
	stack_deinit(&frames);
	shadow_stack_deinit(&stack);
}
END_TEST

START_TEST(test_interrupted_frame_is_marked)
{
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	apply(&stack, &(struct event)SIGNAL(0xc00, 0x50, 0xff0, NO_STACK));
	ck_assert_uint_eq(stack.count, 2);
	ck_assert(stack.frame[0].interrupted);
	ck_assert(!stack.frame[1].interrupted);
	ck_assert_uint_eq(stack.frame[0].slot, 0xc00 + INTERRUPTED_SLOT);
	shadow_stack_deinit(&stack);
}
END_TEST

/* A handler on HIGH_STACK was interrupted by one on LOW_STACK. */
static const struct {
	const char *name;
	uint64_t sp;
	bool expected;
} region_cases[] = {
	{ "the_innermost_stack", 0x180, true },	      { "the_innermost_stack_empty", 0x200, true },
	{ "the_stack_it_interrupted", 0x57f0, true }, { "between", 0x300, false },
	{ "the_threads_own", 0xff0, false },
};

START_TEST(test_regions)
{
	struct shadow_stack stack;
	const struct event events[] = { CALL(0xff8, 1), SIGNAL(0x5800, 0x50, 0xff0, HIGH_STACK),
					SIGNAL(0x140, 0x60, 0x57f0, LOW_STACK) };

	shadow_stack_init(&stack, true);
	ck_assert(!shadow_stack_on_region(&stack, region_cases[_i].sp));
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		apply(&stack, &events[i]);
	ck_assert_msg(shadow_stack_on_region(&stack, region_cases[_i].sp) ==
			      region_cases[_i].expected,
		      "%s", region_cases[_i].name);
	shadow_stack_deinit(&stack);
}
END_TEST

/* ---- what the stack notices, and tells -------------------------------------------------- */

#define WATCHED_PC 2 /* the frame of this return address is watched */

/* What was told, a letter each: Returned, rePlaced, Taken off, Abandoned, Lost; Stray,
 * Disturbed. */
struct word {
	char letters[16];
	size_t count;
};

static void say(struct word *word, char letter)
{
	ck_assert_uint_lt(word->count, sizeof(word->letters) - 1);
	word->letters[word->count++] = letter;
}

static void say_end(void *context, const struct shadow_stack *stack,
		    const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	ck_assert_uint_eq(frame->return_address, WATCHED_PC);
	say(context, "RPTAL"[end]);
}

static void say_stray(void *context, const struct shadow_stack *stack, uint64_t slot,
		      uint64_t target)
{
	say(context, 'S');
}

static void say_disturbed(void *context, const struct shadow_stack *stack)
{
	say(context, 'D');
}

#define EVENTS(...) .event = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct event event[8];
	const char *told;
	size_t open; /* frames, afterwards */
} told_cases[] = {
	{ "a_frame_is_proven_by_its_ret", EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), RETURN(0xfe8, 2)),
	  "R", 1 },
	{ "a_ret_elsewhere_is_told", EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), RETURN(0xfe8, 9)), "P",
	  1 },
	{ "a_ret_through_an_unknown_slot_is_stray",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), RETURN(0xfd8, 9)), "S", 2 },
	{ "a_ret_without_any_frame_is_stray", EVENTS(RETURN(0xfd8, 9)), "S", 0 },
	{ "a_frame_that_was_left_out_makes_its_ret_stray",
	  EVENTS(CALL(0xff8, 1), CALL(0xfd8, 2), RETURN(0xfd8, 2), RETURN(0xfe8, 3)), "RS", 1 },
	{ "a_popped_return_address_is_not_gone_yet",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), MOVE(0xff0)), "", 1 },
	{ "popped_and_put_back_it_returns",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), MOVE(0xff0), PUT_BACK, RETURN(0xfe8, 2)), "R", 1 },
	{ "popped_and_jumped_to_it_returned",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), MOVE(0xff0), JUMP(0xff0, 2)), "R", 1 },
	{ "jumped_to_while_rsp_is_not_above_its_slot_it_is_open",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), MOVE(0xff0), JUMP(0xfe8, 2)), "", 1 },
	{ "popped_and_jumped_elsewhere_it_is_open",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), MOVE(0xff0), JUMP(0xff0, 3)), "", 1 },
	{ "popped_and_the_caller_returned_it_never_did",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), MOVE(0xff0), RETURN(0xff8, 1)), "T", 0 },
	{ "popped_and_its_slot_called_over_it_never_did",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), MOVE(0xff0), CALL(0xfe8, 3)), "T", 2 },
	{ "two_at_once_are_abandoned_and_disturb",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 2), CALL(0xfd8, 3), MOVE(0xff0)), "AD", 1 },
	{ "above_its_slot_by_more_it_is_abandoned",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe0, 2), MOVE(0xff0)), "AD", 1 },
	{ "a_frame_twice_is_noticed",
	  EVENTS(CALL(0xff8, 1), CALL(0xfe8, 1), CALL(0xfe8, 2), RETURN(0xfe8, 2)), "SL", 1 },
	{ "a_handler_returns_where_it_interrupted",
	  EVENTS(CALL(0xff8, 1), SIGNAL(0xc00, 2, 0xff0, NO_STACK), MOVE(0xc08),
		 SIGRETURN_TO(0xff0, 2)),
	  "R", 1 },
	{ "a_handler_goes_on_elsewhere",
	  EVENTS(CALL(0xff8, 1), SIGNAL(0xc00, 2, 0xff0, NO_STACK), MOVE(0xc08),
		 SIGRETURN_TO(0xff0, 9)),
	  "P", 1 },
	{ "a_handler_goes_on_with_another_rsp",
	  EVENTS(CALL(0xff8, 1), SIGNAL(0xc00, 2, 0xff0, NO_STACK), MOVE(0xc08),
		 SIGRETURN_TO(0xfe0, 2)),
	  "PD", 1 },
	{ "ret_n_disturbs_nothing",
	  EVENTS(CALL(0xff8, 1), CALL(0xfd8, 2), RETURN(0xfd8, 2), MOVE(0xff0)), "R", 1 },
};

START_TEST(test_what_is_told)
{
	struct word word = { .count = 0 };
	const struct shadow_observer observer = { .context = &word,
						  .frame_ended = say_end,
						  .stray_return = say_stray,
						  .disturbed = say_disturbed };
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	stack.observer = &observer;
	for (const struct event *event = told_cases[_i].event; event->kind != EVENT_END; event++) {
		apply(&stack, event);
		for (size_t i = 0; i < stack.count; i++)
			stack.frame[i].watch = stack.frame[i].return_address == WATCHED_PC;
	}
	ck_assert_msg(!strcmp(word.letters, told_cases[_i].told) &&
			      stack.count == told_cases[_i].open,
		      "%s: \"%s\", %zu frames", told_cases[_i].name, word.letters, stack.count);
	shadow_stack_deinit(&stack);
}
END_TEST

/* With a stack what was taken off it ends, too, which will not be put back. */
START_TEST(test_end_settles)
{
	const struct event events[] = { CALL(0xff8, 1), CALL(0xfe8, WATCHED_PC), MOVE(0xff0) };
	struct word word = { .count = 0 };
	const struct shadow_observer observer = { .context = &word,
						  .frame_ended = say_end,
						  .stray_return = say_stray,
						  .disturbed = say_disturbed };
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	stack.observer = &observer;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		apply(&stack, &events[i]);
		if (i == 1)
			stack.frame[1].watch = true;
	}
	ck_assert_str_eq(word.letters, "");
	shadow_stack_end(&stack, FRAME_ABANDONED);
	ck_assert_str_eq(word.letters, "T");
	ck_assert_uint_eq(stack.count, 0);
	shadow_stack_deinit(&stack);
}
END_TEST

static const struct {
	const char *name;
	uint64_t slot[2], slot_at, target; /* two frames to 1 and 2; a ret */
	enum return_kind kind;
} return_cases[] = {
	{ "expected", { 0xff8, 0xfe8 }, 0xfe8, 2, RETURN_EXPECTED },
	{ "replaced", { 0xff8, 0xfe8 }, 0xfe8, 3, RETURN_REPLACED },
	{ "stray_below", { 0xff8, 0xfe8 }, 0xfd8, 2, RETURN_STRAY },
	{ "stray_above", { 0xff8, 0xfe8 }, 0xff0, 2, RETURN_STRAY },
	{ "one_slot_twice", { 0xfe8, 0xfe8 }, 0xfe8, 2, RETURN_DOUBLED },
};

START_TEST(test_a_ret_is_held_against_the_top)
{
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	for (size_t i = 0; i < 2; i++)
		ck_assert(shadow_stack_call(&stack, return_cases[_i].slot[i], i + 1, NULL));
	uint64_t epoch = stack.epoch;
	ck_assert_msg(shadow_stack_return(&stack, return_cases[_i].slot_at, return_cases[_i].target,
					  return_cases[_i].slot_at + 8) == return_cases[_i].kind,
		      "%s", return_cases[_i].name);
	/* What was open is as certain as before only if the ret was expected. */
	if (return_cases[_i].kind != RETURN_DOUBLED)
		ck_assert_int_eq(stack.epoch != epoch, return_cases[_i].kind != RETURN_EXPECTED);
	shadow_stack_deinit(&stack);
}
END_TEST

static const struct {
	const char *name;
	size_t first;
	uint64_t expected[4];
} cut_cases[] = {
	{ "nothing_goes", 0, { 3, 2, 1 } },
	{ "the_outermost_goes", 1, { 3, 2 } },
	{ "all_go", 3, { 0 } },
};

START_TEST(test_cut)
{
	struct shadow_stack stack;
	struct stack frames = { 0 };
	struct error error;

	shadow_stack_init(&stack, true);
	for (uint64_t i = 1; i <= 3; i++)
		ck_assert(shadow_stack_call(&stack, 0x1000 - 16 * i, i, NULL));
	shadow_stack_cut(&stack, cut_cases[_i].first);
	ck_assert(!shadow_stack_get(&stack, 0x42, &frames, &error));
	ck_assert_int_eq(frames.stop, STOP_NONE);
	ck_assert_uint_eq(frames.count, 4 - cut_cases[_i].first);
	for (uint32_t i = 1; i < frames.count; i++)
		ck_assert_msg(frames.pc[i] == cut_cases[_i].expected[i - 1], "%s",
			      cut_cases[_i].name);
	stack_deinit(&frames);
	shadow_stack_deinit(&stack);
}
END_TEST

/* A handler above and one below it, in which the outermost frames are forgotten: a region goes
 * with the frame that it begins with, and the others still know where theirs begin. */
static const struct {
	const char *name;
	size_t first;
	bool on_high, on_low;	 /* regions afterwards */
	size_t restorer_dropped; /* frames, when rsp has risen over the innermost one's slot */
	size_t left;		 /* frames, when rsp is on the thread's own stack again */
} cut_region_cases[] = {
	{ "nothing_goes", 0, true, true, 5, 1 },
	{ "what_the_outer_region_interrupted_goes", 1, true, true, 4, 0 },
	{ "the_outer_region_s_first_frame_goes", 2, false, true, 3, 2 },
	{ "what_the_outer_region_called_is_left", 3, false, true, 2, 1 },
	{ "the_inner_region_is_all", 4, false, true, 1, 0 },
	{ "its_first_frame_goes", 5, false, false, 0, 0 },
};

START_TEST(test_cut_of_regions)
{
	const struct event events[] = { CALL(0xff8, 1), SIGNAL(0x5800, 0x50, 0xff0, HIGH_STACK),
					CALL(0x57f0, 4), SIGNAL(0x140, 0x60, 0x57e0, LOW_STACK) };
	const char *name = cut_region_cases[_i].name;
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		apply(&stack, &events[i]);
	ck_assert_uint_eq(stack.count, 6);
	shadow_stack_cut(&stack, cut_region_cases[_i].first);
	ck_assert_uint_eq(stack.count, 6 - cut_region_cases[_i].first);
	ck_assert_msg(shadow_stack_on_region(&stack, 0x57f0) == cut_region_cases[_i].on_high &&
			      shadow_stack_on_region(&stack, 0x150) == cut_region_cases[_i].on_low,
		      "%s", name);
	shadow_stack_move(&stack, 0x150);
	ck_assert_msg(stack.count == cut_region_cases[_i].restorer_dropped, "%s: %zu frames", name,
		      stack.count);
	shadow_stack_move(&stack, 0xff8);
	ck_assert_msg(stack.count == cut_region_cases[_i].left, "%s: %zu frames left", name,
		      stack.count);
	shadow_stack_deinit(&stack);
}
END_TEST

START_TEST(test_unrooted_is_never_complete)
{
	struct shadow_stack stack;
	struct stack frames = { 0 };
	struct error error;

	shadow_stack_init(&stack, false);
	ck_assert(!shadow_stack_get(&stack, 1, &frames, &error));
	ck_assert_int_eq(frames.stop, STOP_NONE);
	stack_deinit(&frames);
	shadow_stack_deinit(&stack);
}
END_TEST

SUITE(shadow_stack, LOOP(test_events, cases), TEST(test_interrupted_frame_is_marked),
      LOOP(test_regions, region_cases), TEST(test_unrooted_is_never_complete),
      LOOP(test_what_is_told, told_cases), TEST(test_end_settles),
      LOOP(test_a_ret_is_held_against_the_top, return_cases), LOOP(test_cut, cut_cases),
      LOOP(test_cut_of_regions, cut_region_cases))
