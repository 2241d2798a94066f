/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_doubt.c - doubt.c: what a doubt comes to
 *
 * A shadow stack of three calls, 0x100 bytes apart, and one doubt about the frame in the middle,
 * unless the case says otherwise. Then come events, through the shadow stack, as the tracer brings
 * them; the doubt's end is compared with the case's.
 */
#include "tests/suite.h"
#include "doubt_fixture.h"

/* ---- ends ------------------------------------------------------------------------------- */

enum event_kind {
	NOTHING,
	RETURNS,   /* the top frame, as it should */
	REPLACED,  /* the top frame's ret goes to target */
	STRAY,	   /* a ret through slot to target; rsp is moved there before */
	CLOBBERED, /* the top frame returns with other registers */
	MOVES,	   /* rsp, to slot */
	DISTURBED,
	LOST,
	CALLS, /* through slot */
	JUMPS, /* to target, rsp stays at slot */
	PUTS,  /* what was taken off, into slot */
};

struct event {
	enum event_kind kind;
	uint64_t slot, target;
};

/* Up to the frame in the middle. */
#define ITS_RETURN                                                                                 \
	{ RETURNS },                                                                               \
	{                                                                                          \
		RETURNS                                                                            \
	}
/* That frame's return address is taken off, and put down further up. */
#define IS_MOVED                                                                                   \
	{ RETURNS }, { MOVES, SLOT(MIDDLE) + 8 },                                                  \
	{                                                                                          \
		PUTS, SLOT(MIDDLE) + 32                                                            \
	}

/* What is in question: the frame in the middle, against that claim. */
#define AGAINST(claim_) .frame = MIDDLE, .claim = claim_
/* What comes of it. */
#define TRUTH_STANDS	  .end = DOUBT_TRUTH_STANDS, .reason = DOUBT_OPEN
#define CLAIM_STANDS(why) .end = DOUBT_CLAIM_STANDS, .reason = DOUBT_##why
#define UNPROVEN(why)	  .end = DOUBT_UNPROVEN, .reason = DOUBT_##why

static const struct end_case {
	const char *name;
	struct event event[4]; /* to the first NOTHING; then the program ends */
	size_t frame;
	struct claim claim;
	bool registers, overwritten, other, inserts, ends;
	bool jumped_to; /* with something else on top than the frame's return address */
	bool anothers;	/* ret, and not the accused function's own */
	bool asked, comes_out_right; /* the step is made again */
	bool is_open;		     /* until the program ends */
	bool disturbed_before;
	enum doubt_end end;
	enum doubt_reason reason;
} end_cases[] = {
	{ "a_return_proves_the_truth", .event = { ITS_RETURN }, AGAINST(CLAIMED), .other = true,
	  TRUTH_STANDS },
	{ "a_jump_to_a_popped_return_address_is_a_return",
	  .event = { { RETURNS },
		     { MOVES, SLOT(MIDDLE) + 8 },
		     { JUMPS, SLOT(MIDDLE) + 8, RETURN(MIDDLE) } },
	  AGAINST(CLAIMED), TRUTH_STANDS },
	{ "a_return_says_nothing_of_frames_put_in_before", .event = { ITS_RETURN },
	  AGAINST(CLAIMED), .other = true, .inserts = true, UNPROVEN(OPEN) },
	{ "a_return_through_a_slot_that_held_something_else_proves_nothing",
	  .event = { ITS_RETURN }, AGAINST(CLAIMED), .overwritten = true, UNPROVEN(REPLACED) },
	{ "an_inner_frames_return_decides_nothing", .event = { { RETURNS } }, AGAINST(CLAIMED),
	  .is_open = true, UNPROVEN(OPEN) },
	{ "a_ret_through_the_claims_slot_proves_the_claim",
	  .event = { { RETURNS }, { STRAY, CLAIM_SLOT, CLAIM_PC } }, AGAINST(CLAIMED),
	  .other = true, CLAIM_STANDS(STRAY_RETURN) },
	{ "a_proven_claim_without_a_reading_is_unproven",
	  .event = { { RETURNS }, { STRAY, CLAIM_SLOT, CLAIM_PC } }, AGAINST(CLAIMED),
	  UNPROVEN(STRAY_RETURN) },
	{ "a_ret_through_the_claims_slot_to_elsewhere",
	  .event = { { RETURNS }, { STRAY, CLAIM_SLOT, CLAIM_PC + 1 } }, AGAINST(CLAIMED),
	  .other = true, UNPROVEN(STRAY_RETURN) },
	{ "a_stray_ret_between_rsp_and_the_frame",
	  .event = { { RETURNS }, { STRAY, SLOT(MIDDLE) - 8, 0x600000 } }, AGAINST(CLAIMED),
	  .other = true, UNPROVEN(STRAY_RETURN) },
	{ "a_stray_ret_below_the_point_decides_nothing",
	  .event = { { STRAY, SP - 8, 0x600000 }, ITS_RETURN }, AGAINST(CLAIMED), TRUTH_STANDS },
	{ "a_replaced_return_address", .event = { { RETURNS }, { REPLACED, 0, 0x600000 } },
	  AGAINST(CLAIMED), .other = true, UNPROVEN(REPLACED) },
	{ "the_claims_slot_and_another_target", .event = { { RETURNS }, { REPLACED, 0, 0x600000 } },
	  .frame = MIDDLE, .claim = { SLOT(MIDDLE), CLAIM_PC, true }, .other = true,
	  UNPROVEN(REPLACED) },
	{ "the_claims_target_and_another_slot", .event = { { RETURNS }, { REPLACED, 0, CLAIM_PC } },
	  AGAINST(CLAIMED), .other = true, UNPROVEN(REPLACED) },
	{ "a_return_address_replaced_by_the_claim",
	  .event = { { RETURNS }, { REPLACED, 0, CLAIM_PC } }, .frame = MIDDLE,
	  .claim = { SLOT(MIDDLE), CLAIM_PC, true }, .other = true, CLAIM_STANDS(REPLACED) },
	{ "the_same_without_a_reading_by_the_claim",
	  .event = { { RETURNS }, { REPLACED, 0, CLAIM_PC } }, .frame = MIDDLE,
	  .claim = { SLOT(MIDDLE), CLAIM_PC, true }, UNPROVEN(REPLACED) },
	{ "taken_off_and_its_slot_used_again",
	  .event = { { RETURNS }, { MOVES, SLOT(MIDDLE) + 8 }, { CALLS, SLOT(MIDDLE), 0x600000 } },
	  AGAINST(CLAIMED), UNPROVEN(TAKEN_OFF) },
	{ "moved_and_returned_by_the_accused", .event = { IS_MOVED, { RETURNS } }, AGAINST(CLAIMED),
	  TRUTH_STANDS },
	{ "moved_and_returned_by_another", .event = { IS_MOVED, { RETURNS } }, AGAINST(IMPLAUSIBLE),
	  .anothers = true, UNPROVEN(OPEN) },
	{ "moved_and_returned_says_nothing_of_rsp", .event = { IS_MOVED, { RETURNS } },
	  .frame = MIDDLE, .registers = true, UNPROVEN(TAKEN_OFF) },
	{ "moved_and_abandoned", .event = { IS_MOVED, { MOVES, TOP } }, AGAINST(IMPLAUSIBLE),
	  UNPROVEN(OPEN) },
	{ "disturbed", .event = { { DISTURBED }, ITS_RETURN }, AGAINST(IMPLAUSIBLE),
	  UNPROVEN(DISTURBED) },
	{ "the_stack_is_lost", .event = { { LOST } }, AGAINST(IMPLAUSIBLE), UNPROVEN(LOST) },
	{ "abandoned_against_a_claim_that_can_be_no_frame", .event = { { MOVES, TOP } },
	  AGAINST(IMPLAUSIBLE), TRUTH_STANDS },
	{ "abandoned_against_a_plausible_claim", .event = { { MOVES, TOP } }, AGAINST(CLAIMED),
	  UNPROVEN(OPEN) },
	{ "abandoned_and_not_there", .event = { { MOVES, TOP } }, AGAINST(IMPLAUSIBLE),
	  .overwritten = true, UNPROVEN(OPEN) },
	{ "anothers_return_against_a_claim_that_can_be_a_frame", .event = { ITS_RETURN },
	  AGAINST(CLAIMED), .anothers = true, UNPROVEN(OPEN) },
	{ "anothers_return_against_one_that_can_be_none", .event = { ITS_RETURN },
	  AGAINST(IMPLAUSIBLE), .anothers = true, TRUTH_STANDS },
	{ "open_to_the_end_against_a_claim_that_can_be_no_frame", AGAINST(IMPLAUSIBLE),
	  .is_open = true, TRUTH_STANDS },
	{ "open_to_the_end_on_a_stack_that_was_disturbed_before", AGAINST(IMPLAUSIBLE),
	  .disturbed_before = true, .is_open = true, UNPROVEN(OPEN) },
	{ "a_stray_ret_at_rsp_itself", .event = { { STRAY, SP, 0x600000 } }, AGAINST(CLAIMED),
	  .other = true, UNPROVEN(STRAY_RETURN) },
	{ "open_to_the_end_of_who_was_jumped_to", AGAINST(IMPLAUSIBLE), .jumped_to = true,
	  .is_open = true, UNPROVEN(OPEN) },
	{ "the_root_of_who_was_jumped_to", .frame = ROOT, .claim = { TOP + 0x100, 0, false },
	  .jumped_to = true, .is_open = true, UNPROVEN(OPEN) },
	{ "a_return_of_who_was_jumped_to", .event = { ITS_RETURN }, AGAINST(IMPLAUSIBLE),
	  .jumped_to = true, TRUTH_STANDS },
	{ "anothers_return_for_who_was_called", .event = { ITS_RETURN }, AGAINST(IMPLAUSIBLE),
	  .anothers = true, TRUTH_STANDS },
	{ "anothers_return_for_who_was_jumped_to", .event = { ITS_RETURN }, AGAINST(IMPLAUSIBLE),
	  .jumped_to = true, .anothers = true, UNPROVEN(OPEN) },
	{ "anothers_return_for_who_has_no_caller", .event = { ITS_RETURN }, .frame = MIDDLE,
	  .ends = true, .anothers = true, UNPROVEN(OPEN) },
	{ "a_step_that_is_wrong_again", .event = { ITS_RETURN }, .frame = MIDDLE, .asked = true,
	  TRUTH_STANDS },
	{ "a_step_that_comes_out_right", .event = { ITS_RETURN }, .frame = MIDDLE, .asked = true,
	  .comes_out_right = true, UNPROVEN(CLOBBERED) },
	{ "a_step_that_nobody_made_again", .frame = MIDDLE, .asked = true, .is_open = true,
	  UNPROVEN(OPEN) },
	{ "who_never_returns_has_no_caller", .frame = MIDDLE, .ends = true, .is_open = true,
	  UNPROVEN(OPEN) },
	{ "who_returns_has_one", .event = { ITS_RETURN }, .frame = MIDDLE, .ends = true,
	  TRUTH_STANDS },
	{ "registers_that_nobody_brought_back", .event = { { MOVES, TOP } }, .frame = MIDDLE,
	  .registers = true, UNPROVEN(OPEN) },
	{ "open_to_the_end_against_a_plausible_claim", AGAINST(CLAIMED), .is_open = true,
	  UNPROVEN(OPEN) },
	{ "the_root_waits_for_the_end", .event = { ITS_RETURN, { RETURNS } }, .frame = ROOT,
	  .claim = { TOP + 0x100, 0, false }, .is_open = true, TRUTH_STANDS },
	{ "a_stray_ret_below_the_root", .event = { { STRAY, SLOT(2) - 8, 0x600000 } },
	  .frame = ROOT, .claim = { TOP + 0x100, 0, false }, UNPROVEN(STRAY_RETURN) },
	{ "registers_that_came_back", .event = { ITS_RETURN }, .frame = MIDDLE, .registers = true,
	  TRUTH_STANDS },
	{ "registers_that_did_not_come_back", .event = { { RETURNS }, { CLOBBERED } },
	  .frame = MIDDLE, .registers = true, UNPROVEN(CLOBBERED) },
	{ "registers_do_not_matter_to_who_is_the_caller", .event = { { RETURNS }, { CLOBBERED } },
	  AGAINST(CLAIMED), TRUTH_STANDS },
};

static void bring(struct shadow_stack *stack, const struct event *event)
{
	const struct shadow_frame *top = stack->count ? &stack->frame[stack->count - 1] : NULL;
	uint64_t saved[CALLEE_SAVED_COUNT] = { event->kind == CLOBBERED };
	uint64_t slot = top ? top->slot : 0, target = top ? top->return_address : 0;

	switch (event->kind) {
	case NOTHING: break;
	case REPLACED: target = event->target; /* fall through */
	case CLOBBERED:
	case RETURNS:
		shadow_stack_restores(stack, slot, saved);
		shadow_stack_return(stack, slot, target, slot + 8);
		break;
	case STRAY:
		ck_assert_int_eq(
			shadow_stack_return(stack, event->slot, event->target, event->slot + 8),
			RETURN_STRAY);
		break;
	case MOVES: shadow_stack_move(stack, event->slot); break;
	case DISTURBED: shadow_stack_disturb(stack); break;
	case LOST: shadow_stack_end(stack, FRAME_LOST); break;
	case CALLS: ck_assert(shadow_stack_call(stack, event->slot, event->target, NULL)); break;
	case JUMPS: ck_assert(shadow_stack_jump(stack, event->target, event->slot)); break;
	case PUTS: ck_assert(shadow_stack_put_at(stack, event->slot)); break;
	}
}

START_TEST(a_doubt_ends)
{
	const struct end_case *c = &end_cases[_i];
	struct doubt *doubt, *beside;
	struct fixture f;

	fixture_init(&f);
	/* One of the same frame and claim on another stack: none of the events is of it. */
	beside = find_on(&f, &f.beside, c->frame, c->claim, c->registers, c->ends, c->asked);
	ck_assert_ptr_nonnull(beside);
	if (c->disturbed_before) {
		shadow_stack_disturb(&f.stack);
		f.stack.frame[MIDDLE].epoch = f.stack.epoch;
	}
	if (c->jumped_to)
		f.stack.entered = f.stack.frame[MIDDLE].entered = CODE + CODE_BYTES;
	f.log.comes_out_right = c->comes_out_right;
	doubt = find_asking(&f, c->frame, c->claim, c->registers, c->ends, c->asked);
	ck_assert_ptr_nonnull(doubt);
	doubt->told->points = 7;
	doubt->intact = !c->overwritten;
	doubt->inserts = c->inserts;
	if (c->other)
		doubt->other = account_create(2);
	f.stack.at = c->anothers ? CODE + CODE_BYTES : CODE;
	for (int i = 0; i < COUNT(c->event); i++)
		bring(&f.stack, &c->event[i]);
	ck_assert_msg(f.log.ended == !c->is_open, "%s: ended %d times", c->name, f.log.ended);
	ck_assert_msg(f.log.others == 0, "%s: another stack's has ended", c->name);
	ck_assert_ptr_eq(
		find_on(&f, &f.beside, c->frame, c->claim, c->registers, c->ends, c->asked),
		beside);
	ck_assert_uint_eq(f.doubts.count, 1 + c->is_open);
	fixture_deinit(&f);
	ck_assert_int_eq(f.log.others, 1);
	ck_assert_msg(f.log.ended == 1 && f.doubts.count == 0, "%s: %d ends, %zu left", c->name,
		      f.log.ended, f.doubts.count);
	ck_assert_uint_eq(f.log.points, 7);
	ck_assert_msg(f.log.end == c->end && f.log.reason == c->reason, "%s: end %d, %s", c->name,
		      f.log.end, doubt_reason_name(f.log.reason));
}
END_TEST

/* Where the frame is now, a stray ret says that another is missing. And if it never returns, nobody is
 * accused by it. */
START_TEST(a_doubt_goes_with_its_frame)
{
	static const struct event events[] = {
		{ .kind = RETURNS }, /* an inner one */
		{ .kind = MOVES, .slot = SLOT(MIDDLE) + 8 },
		{ .kind = PUTS, .slot = SLOT(MIDDLE) + 32 },
	};
	const struct event stray = { STRAY, SLOT(MIDDLE) + 16, 0x600000 };
	struct claim claim = CLAIMED;
	struct doubt *doubt;
	struct fixture f;

	fixture_init(&f);
	doubt = find(&f, MIDDLE, claim, false);
	ck_assert(!doubt->must_return);
	for (int i = 0; i < COUNT(events); i++)
		bring(&f.stack, &events[i]);
	ck_assert_ptr_eq(find(&f, MIDDLE, claim, false), doubt);
	ck_assert(doubt->must_return);
	ck_assert_uint_eq(doubt->slot, SLOT(MIDDLE) + 32);
	bring(&f.stack, &stray);
	ck_assert_int_eq(f.log.ended, 1);
	ck_assert_int_eq(f.log.reason, DOUBT_STRAY_RETURN);
	fixture_deinit(&f);
}
END_TEST

/* ---- where nothing returns ------------------------------------------------------------------ */

/* The callee's registers at a frame that is open, or abandoned, and what its callers say of them. */
static const struct {
	const char *name;
	bool confirmed, second; /* at the first point, and at another */
	bool plausible, taken_into_its_middle, moved, not_intact, disturbed;
	bool abandoned; /* rsp is set above the frame; else the thread ends */
	bool untold;	/* ... and nobody says so */
	bool before;	/* it was disturbed before the point */
	bool older;	/* ... and the frame was open by then; else it was opened since */
	bool stands;
} open_cases[] = {
	{ "callers_confirm", .confirmed = true, .second = true, .stands = true },
	{ "nobody_confirms", .confirmed = false },
	{ "at_one_point_only", .confirmed = true },
	{ "what_looks_like_a_frame_is_none", true, true, .plausible = true, .stands = true },
	{ "entered_elsewhere", true, true, .taken_into_its_middle = true },
	{ "moved", true, true, .moved = true },
	{ "its_return_address_is_gone", true, true, .not_intact = true },
	{ "disturbed", true, true, .disturbed = true },
	{ "abandoned_with_others", true, true, .abandoned = true },
	{ "an_end_that_is_not_told", true, true, .untold = true, .stands = true },
	{ "moved_before_an_end_that_is_not_told", true, true, .moved = true, .untold = true },
	{ "disturbed_before", true, true, .before = true },
	{ "disturbed_before_an_end_that_is_not_told", true, true, .before = true, .untold = true },
	{ "disturbed_since_it_was_opened", true, true, .before = true, .untold = true,
	  .older = true },
};

START_TEST(callers_decide_where_nothing_returns)
{
	struct doubt_key key = {
		.sp = SP,
		.frame = MIDDLE,
		.claim = { CLAIM_SLOT, CLAIM_PC, open_cases[_i].plausible },
		.intact = !open_cases[_i].not_intact,
		.code_begin = CODE,
		.code_end = CODE + CODE_BYTES,
		.registers = true,
		.ends = true, /* what is in the register looks like the end of the stack */
		.reread = { .asked = true },
		.confirmed = open_cases[_i].confirmed,
	};
	enum doubt_reason reason;
	struct fixture f;

	fixture_init(&f);
	key.stack = &f.stack;
	f.stack.frame[MIDDLE].called = CODE + (open_cases[_i].taken_into_its_middle ? 4 : 0);
	f.stack.frame[MIDDLE].moved = open_cases[_i].moved;
	if (open_cases[_i].before)
		shadow_stack_disturb(&f.stack);
	if (open_cases[_i].before && open_cases[_i].untold && !open_cases[_i].older)
		f.stack.frame[MIDDLE].epoch = f.stack.epoch;
	doubts_find(&f.doubts, &key, &reason)->told->points++;
	key.confirmed = open_cases[_i].second;
	doubts_find(&f.doubts, &key, &reason)->told->points++;
	if (open_cases[_i].disturbed)
		shadow_stack_disturb(&f.stack);
	if (open_cases[_i].abandoned)
		shadow_stack_move(&f.stack, TOP);
	else if (open_cases[_i].untold)
		doubts_end(&f.doubts);
	else
		shadow_stack_end(&f.stack, FRAME_ABANDONED);
	ck_assert_int_eq(f.log.ended, 1);
	ck_assert_msg(f.log.end == (open_cases[_i].stands ? DOUBT_TRUTH_STANDS : DOUBT_UNPROVEN),
		      "%s: %d", open_cases[_i].name, f.log.end);
	ck_assert_uint_eq(f.log.points, 2);
	fixture_deinit(&f);
}
END_TEST

SUITE(doubt, LOOP(callers_decide_where_nothing_returns, open_cases), LOOP(a_doubt_ends, end_cases),
      TEST(a_doubt_goes_with_its_frame))
