/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_doubt.c - doubt.c: what a doubt is told, and what it comes to
 *
 * A shadow stack of three calls, 0x100 bytes apart, and one doubt about the frame in the middle,
 * unless the case says otherwise. Then come events, through the shadow stack, as the tracer brings
 * them; the doubt's end is compared with the case's.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "verdict/doubt.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define FRAMES	     3
#define MIDDLE	     1
#define ROOT	     SIZE_MAX
#define TOP	     0x8000
#define SLOT(frame)  (TOP - 0x100 * ((frame) + 1)) /* 0 is the outermost */
#define RETURN(at)   (0x400000 + 0x10 * (at))
#define SP	     (SLOT(2) - 0x40) /* at the point */
#define CLAIM_SLOT   (SLOT(MIDDLE) - 0x20)
#define CLAIM_PC     0x500000
#define CODE	     0x400800 /* the accused function */
#define CODE_BYTES   0x40

/* What became of doubts. */
struct log {
	int ended;
	bool comes_out_right; /* what is answered when a step is made again */
	enum doubt_end end;
	enum doubt_reason reason;
	uint64_t points;
};

static void on_end(void *context, const struct doubt *doubt, enum doubt_end end,
		   enum doubt_reason reason)
{
	struct log *log = context;

	log->ended++;
	log->end = end;
	log->reason = reason;
	log->points += doubt->told->points;
}

static bool comes_out_right(void *context, const struct reread *reread)
{
	const struct log *log = context;

	ck_assert(reread->asked);
	return log->comes_out_right;
}

struct fixture {
	struct doubts doubts;
	struct shadow_observer observer;
	struct shadow_stack stack;
	struct log log;
};

static void fixture_init(struct fixture *f)
{
	static const uint64_t saved[CALLEE_SAVED_COUNT];

	memset(f, 0, sizeof(*f));
	doubts_init(&f->doubts, 2);
	f->doubts.on_end = on_end;
	f->doubts.comes_out_right = comes_out_right;
	f->doubts.context = &f->log;
	f->observer = (struct shadow_observer) { .context = &f->doubts,
						 .frame_ended = doubts_frame_ended,
						 .stray_return = doubts_stray_return,
						 .disturbed = doubts_disturbed };
	shadow_stack_init(&f->stack, true);
	f->stack.id = 1;
	f->stack.observer = &f->observer;
	for (int i = 0; i < FRAMES; i++)
		ck_assert(shadow_stack_call(&f->stack, SLOT(i), RETURN(i), saved));
	f->stack.entered = f->stack.frame[MIDDLE].entered = f->stack.at = CODE;
}

static void fixture_deinit(struct fixture *f)
{
	doubts_end(&f->doubts);
	shadow_stack_deinit(&f->stack);
}

static struct doubt *find_asking(struct fixture *f, size_t frame, struct claim claim,
				 bool registers, bool ends, bool asked)
{
	const struct doubt_key key = { .stack = &f->stack,
				       .frame = frame,
				       .sp = SP,
				       .claim = claim,
				       .intact = true,
				       .code_begin = CODE,
				       .code_end = CODE + CODE_BYTES,
				       .registers = registers,
				       .ends = ends,
				       .reread = { .asked = asked } };
	enum doubt_reason reason;

	return doubts_find(&f->doubts, &key, &reason);
}

static struct doubt *find(struct fixture *f, size_t frame, struct claim claim, bool registers)
{
	return find_asking(f, frame, claim, registers, false, false);
}

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
#define CLAIMED                                                                                    \
	{                                                                                          \
		CLAIM_SLOT, CLAIM_PC, true                                                         \
	}
#define IMPLAUSIBLE                                                                                \
	{                                                                                          \
		CLAIM_SLOT, CLAIM_PC, false                                                        \
	}

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
	{ .name = "a_return_proves_the_truth",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .other = true,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "a_jump_to_a_popped_return_address_is_a_return",
	  .event = { { RETURNS },
		     { MOVES, SLOT(MIDDLE) + 8 },
		     { JUMPS, SLOT(MIDDLE) + 8, RETURN(MIDDLE) } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "a_return_says_nothing_of_frames_put_in_before",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .other = true,
	  .inserts = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "a_return_through_a_slot_that_held_something_else_proves_nothing",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .overwritten = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_REPLACED },
	{ .name = "an_inner_frames_return_decides_nothing",
	  .event = { { RETURNS } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .is_open = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "a_ret_through_the_claims_slot_proves_the_claim",
	  .event = { { RETURNS }, { STRAY, CLAIM_SLOT, CLAIM_PC } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .other = true,
	  .end = DOUBT_CLAIM_STANDS,
	  .reason = DOUBT_STRAY_RETURN },
	{ .name = "a_proven_claim_without_a_reading_is_unproven",
	  .event = { { RETURNS }, { STRAY, CLAIM_SLOT, CLAIM_PC } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_STRAY_RETURN },
	{ .name = "a_ret_through_the_claims_slot_to_elsewhere",
	  .event = { { RETURNS }, { STRAY, CLAIM_SLOT, CLAIM_PC + 1 } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .other = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_STRAY_RETURN },
	{ .name = "a_stray_ret_between_rsp_and_the_frame",
	  .event = { { RETURNS }, { STRAY, SLOT(MIDDLE) - 8, 0x600000 } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .other = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_STRAY_RETURN },
	{ .name = "a_stray_ret_below_the_point_decides_nothing",
	  .event = { { STRAY, SP - 8, 0x600000 }, ITS_RETURN },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "a_replaced_return_address",
	  .event = { { RETURNS }, { REPLACED, 0, 0x600000 } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .other = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_REPLACED },
	{ .name = "a_return_address_replaced_by_the_claim",
	  .event = { { RETURNS }, { REPLACED, 0, CLAIM_PC } },
	  .frame = MIDDLE,
	  .claim = { SLOT(MIDDLE), CLAIM_PC, true },
	  .other = true,
	  .end = DOUBT_CLAIM_STANDS,
	  .reason = DOUBT_REPLACED },
	{ .name = "the_same_without_a_reading_by_the_claim",
	  .event = { { RETURNS }, { REPLACED, 0, CLAIM_PC } },
	  .frame = MIDDLE,
	  .claim = { SLOT(MIDDLE), CLAIM_PC, true },
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_REPLACED },
	{ .name = "taken_off_and_its_slot_used_again",
	  .event = { { RETURNS }, { MOVES, SLOT(MIDDLE) + 8 }, { CALLS, SLOT(MIDDLE), 0x600000 } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_TAKEN_OFF },
	{ .name = "disturbed",
	  .event = { { DISTURBED }, ITS_RETURN },
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_DISTURBED },
	{ .name = "the_stack_is_lost",
	  .event = { { LOST } },
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_LOST },
	{ .name = "abandoned_against_a_claim_that_can_be_no_frame",
	  .event = { { MOVES, TOP } },
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "abandoned_against_a_plausible_claim",
	  .event = { { MOVES, TOP } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "abandoned_and_not_there",
	  .event = { { MOVES, TOP } },
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .overwritten = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "open_to_the_end_against_a_claim_that_can_be_no_frame",
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .is_open = true,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "open_to_the_end_on_a_stack_that_was_disturbed_before",
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .disturbed_before = true,
	  .is_open = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "a_stray_ret_at_rsp_itself",
	  .event = { { STRAY, SP, 0x600000 } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .other = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_STRAY_RETURN },
	{ .name = "open_to_the_end_of_who_was_jumped_to",
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .jumped_to = true,
	  .is_open = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "the_root_of_who_was_jumped_to",
	  .frame = ROOT,
	  .claim = { TOP + 0x100, 0, false },
	  .jumped_to = true,
	  .is_open = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "a_return_of_who_was_jumped_to",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .jumped_to = true,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "anothers_return_for_who_was_called",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .anothers = true,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "anothers_return_for_who_was_jumped_to",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .claim = IMPLAUSIBLE,
	  .jumped_to = true,
	  .anothers = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "anothers_return_for_who_has_no_caller",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .ends = true,
	  .anothers = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "a_step_that_is_wrong_again",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .asked = true,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "a_step_that_comes_out_right",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .asked = true,
	  .comes_out_right = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_CLOBBERED },
	{ .name = "a_step_that_nobody_made_again",
	  .frame = MIDDLE,
	  .asked = true,
	  .is_open = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "who_never_returns_has_no_caller",
	  .frame = MIDDLE,
	  .ends = true,
	  .is_open = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "who_returns_has_one",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .ends = true,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "registers_that_nobody_brought_back",
	  .event = { { MOVES, TOP } },
	  .frame = MIDDLE,
	  .registers = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "open_to_the_end_against_a_plausible_claim",
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .is_open = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_OPEN },
	{ .name = "the_root_waits_for_the_end",
	  .event = { ITS_RETURN, { RETURNS } },
	  .frame = ROOT,
	  .claim = { TOP + 0x100, 0, false },
	  .is_open = true,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "a_stray_ret_below_the_root",
	  .event = { { STRAY, SLOT(2) - 8, 0x600000 } },
	  .frame = ROOT,
	  .claim = { TOP + 0x100, 0, false },
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_STRAY_RETURN },
	{ .name = "registers_that_came_back",
	  .event = { ITS_RETURN },
	  .frame = MIDDLE,
	  .registers = true,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
	{ .name = "registers_that_did_not_come_back",
	  .event = { { RETURNS }, { CLOBBERED } },
	  .frame = MIDDLE,
	  .registers = true,
	  .end = DOUBT_UNPROVEN,
	  .reason = DOUBT_CLOBBERED },
	{ .name = "registers_do_not_matter_to_who_is_the_caller",
	  .event = { { RETURNS }, { CLOBBERED } },
	  .frame = MIDDLE,
	  .claim = CLAIMED,
	  .end = DOUBT_TRUTH_STANDS,
	  .reason = DOUBT_OPEN },
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
	}
}

START_TEST(a_doubt_ends)
{
	const struct end_case *c = &end_cases[_i];
	struct fixture f;
	struct doubt *doubt;

	fixture_init(&f);
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
	fixture_deinit(&f);
	ck_assert_msg(f.log.ended == 1 && f.doubts.count == 0, "%s: %d ends, %zu left", c->name,
		      f.log.ended, f.doubts.count);
	ck_assert_uint_eq(f.log.points, 7);
	ck_assert_msg(f.log.end == c->end && f.log.reason == c->reason, "%s: end %d, %s", c->name,
		      f.log.end, doubt_reason_name(f.log.reason));
}
END_TEST

/* ---- keys ------------------------------------------------------------------------------- */

static const struct key_case {
	const char *name;
	size_t frame;
	struct claim claim;
	bool registers, other_stack;
	bool is_same; /* as { MIDDLE, CLAIMED } */
} key_cases[] = {
	{ "the_same_frame_and_claim", MIDDLE, CLAIMED, false, false, true },
	{ "plausible_or_not", MIDDLE, IMPLAUSIBLE, false, false, true },
	{ "another_frame", 0, CLAIMED, false, false, false },
	{ "the_root", ROOT, CLAIMED, false, false, false },
	{ "another_slot", MIDDLE, { CLAIM_SLOT + 8, CLAIM_PC, true }, false, false, false },
	{ "another_pc", MIDDLE, { CLAIM_SLOT, CLAIM_PC + 1, true }, false, false, false },
	{ "about_registers", MIDDLE, CLAIMED, true, false, false },
	{ "on_another_stack", MIDDLE, CLAIMED, false, true, false },
};

/* A stray return through the frame's own slot says nothing of what is below it. */
START_TEST(a_stray_ret_at_the_frames_slot_decides_nothing)
{
	struct fixture f;

	fixture_init(&f);
	ck_assert_ptr_nonnull(find(&f, MIDDLE, (struct claim)CLAIMED, false));
	doubts_stray_return(&f.doubts, &f.stack, SLOT(MIDDLE), 0x600000);
	ck_assert_int_eq(f.log.ended, 0);
	doubts_stray_return(&f.doubts, &f.stack, SLOT(MIDDLE) - 1, 0x600000);
	ck_assert_int_eq(f.log.ended, 1);
	fixture_deinit(&f);
}
END_TEST

/* Watches of one bucket: what ends one leaves the others, before and behind it. */
START_TEST(doubts_that_share_a_bucket_are_apart)
{
	const uint64_t buckets = sizeof(((struct doubts *)0)->bucket) / sizeof(void *);
	struct fixture f;

	fixture_init(&f);
	f.stack.frame[2].watch = 1;
	f.stack.frame[1].watch = 1 + buckets;
	f.stack.frame[0].watch = 1 + 2 * buckets;
	for (int i = 0; i < FRAMES; i++)
		ck_assert_ptr_nonnull(find(&f, i, (struct claim)CLAIMED, false));
	doubts_frame_ended(&f.doubts, &f.stack, &f.stack.frame[1], FRAME_LOST, 0);
	ck_assert_int_eq(f.log.ended, 1);
	ck_assert_uint_eq(f.doubts.count, 2);
	find(&f, 0, (struct claim)CLAIMED, false);
	find(&f, 2, (struct claim)CLAIMED, false);
	ck_assert_uint_eq(f.doubts.count, 2);
	fixture_deinit(&f);
	ck_assert_int_eq(f.log.ended, 3);
}
END_TEST

START_TEST(the_root_has_one_doubt)
{
	struct fixture f;
	struct doubt *root;

	fixture_init(&f);
	root = find(&f, ROOT, (struct claim)CLAIMED, false);
	ck_assert_ptr_nonnull(root);
	ck_assert_ptr_eq(find(&f, ROOT, (struct claim)CLAIMED, false), root);
	ck_assert_uint_eq(f.doubts.count, 1);
	ck_assert_uint_eq(root->watch, 0);
	fixture_deinit(&f);
}
END_TEST

/* ---- who was entered -------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t entered, called; /* where rsp came to the slot; where a call went */
	bool not_entered;
} entered_cases[] = {
	{ "by_a_call_to_its_begin", CODE, CODE, false },
	{ "by_a_jump_after_a_call_to_another", CODE + 4, CODE - 0x100, false },
	{ "by_a_jump_after_a_call_to_what_lies_behind", CODE, CODE + CODE_BYTES, false },
	{ "by_a_call_into_its_middle", CODE + 4, CODE + 4, true },
	{ "by_a_call_to_its_last_byte", CODE, CODE + CODE_BYTES - 1, true },
	{ "not_at_all", CODE + CODE_BYTES, CODE, true },
	{ "not_before_its_begin", CODE - 1, CODE, true },
	{ "at_its_last_byte", CODE + CODE_BYTES - 1, CODE, false },
};

START_TEST(who_was_entered_need_not_return)
{
	struct fixture f;
	struct doubt *doubt;

	fixture_init(&f);
	f.stack.frame[MIDDLE].entered = entered_cases[_i].entered;
	f.stack.frame[MIDDLE].called = entered_cases[_i].called;
	doubt = find(&f, MIDDLE, (struct claim)CLAIMED, false);
	ck_assert_ptr_nonnull(doubt);
	ck_assert_msg(doubt->not_entered == entered_cases[_i].not_entered &&
			      doubt->must_return == entered_cases[_i].not_entered,
		      "%s: %d, %d", entered_cases[_i].name, doubt->not_entered, doubt->must_return);
	fixture_deinit(&f);
}
END_TEST

START_TEST(a_key_finds_its_doubt)
{
	const struct key_case *c = &key_cases[_i];
	struct fixture f;
	struct doubt *first, *second;

	fixture_init(&f);
	first = find(&f, MIDDLE, (struct claim)CLAIMED, false);
	f.stack.id += c->other_stack;
	second = find(&f, c->frame, c->claim, c->registers);
	ck_assert(first && second);
	ck_assert_msg((first == second) == c->is_same, "%s", c->name);
	ck_assert_uint_eq(f.doubts.count, c->is_same ? 1 : 2);
	fixture_deinit(&f);
	ck_assert_int_eq(f.log.ended, c->is_same ? 1 : 2);
}
END_TEST

/* Which step is made again is the first point's. Of a frame further out it is that of its PC. */
START_TEST(a_doubt_has_one_step)
{
	struct doubt_key key = { .frame = MIDDLE, .sp = SP, .reread = { .asked = true } };
	enum doubt_reason reason;
	struct fixture f;
	struct doubt *first;

	fixture_init(&f);
	key.stack = &f.stack;
	key.reread.regs.value[REGISTER_RIP] = CODE;
	first = doubts_find(&f.doubts, &key, &reason);
	ck_assert_ptr_eq(doubts_find(&f.doubts, &key, &reason), first);
	key.reread.regs.value[REGISTER_RIP]++;
	ck_assert_ptr_ne(doubts_find(&f.doubts, &key, &reason), first);
	key.reread.exact_pc = true;
	first = doubts_find(&f.doubts, &key, &reason);
	key.reread.regs.value[REGISTER_RIP]++;
	ck_assert_ptr_eq(doubts_find(&f.doubts, &key, &reason), first);
	key.reread.right.known = 1u << REGISTER_RSP;
	ck_assert_ptr_ne(doubts_find(&f.doubts, &key, &reason), first);
	key.reread.asked = false;
	ck_assert_ptr_ne(doubts_find(&f.doubts, &key, &reason), first);
	ck_assert_uint_eq(f.doubts.count, 5);
	fixture_deinit(&f);
}
END_TEST

START_TEST(points_of_one_doubt_are_put_together)
{
	struct doubt_key key = { .frame = MIDDLE, .sp = SP, .claim = IMPLAUSIBLE, .intact = true };
	enum doubt_reason reason;
	struct doubt *doubt;
	struct fixture f;

	fixture_init(&f);
	key.stack = &f.stack;
	doubt = doubts_find(&f.doubts, &key, &reason);
	ck_assert(doubt->intact && !doubt->claim.plausible && doubt->lowest == SP);
	key.sp = SP - 0x80;
	key.claim.plausible = true;
	ck_assert_ptr_eq(doubts_find(&f.doubts, &key, &reason), doubt);
	ck_assert(doubt->intact && doubt->claim.plausible && doubt->lowest == SP - 0x80);
	key.sp = SP;
	key.intact = key.claim.plausible = false;
	ck_assert_ptr_eq(doubts_find(&f.doubts, &key, &reason), doubt);
	ck_assert(!doubt->intact && doubt->claim.plausible && doubt->lowest == SP - 0x80);
	fixture_deinit(&f);
}
END_TEST

START_TEST(there_are_no_more_than_the_limit)
{
	struct doubt_key key = { .frame = MIDDLE, .sp = SP };
	enum doubt_reason reason;
	struct fixture f;

	fixture_init(&f);
	key.stack = &f.stack;
	for (uint64_t i = 0; i < DOUBTS_MAX; i++) {
		key.claim.pc = i + 1;
		ck_assert_ptr_nonnull(doubts_find(&f.doubts, &key, &reason));
	}
	key.claim.pc = DOUBTS_MAX + 1;
	ck_assert_ptr_null(doubts_find(&f.doubts, &key, &reason));
	ck_assert_int_eq(reason, DOUBT_TOO_MANY);
	key.claim.pc = 1; /* one that is open is found all the same */
	ck_assert_ptr_nonnull(doubts_find(&f.doubts, &key, &reason));
	ck_assert_uint_eq(f.doubts.count, DOUBTS_MAX);
	bring(&f.stack, &(struct event) { .kind = RETURNS });
	bring(&f.stack, &(struct event) { .kind = RETURNS });
	ck_assert_int_eq(f.log.ended, DOUBTS_MAX);
	ck_assert_uint_eq(f.doubts.count, 0);
	fixture_deinit(&f);
}
END_TEST

/* ---- accounts --------------------------------------------------------------------------- */

START_TEST(accounts_add_up)
{
	static const struct finding_count counts[] = {
		{ 3, 1, 0, 0 }, { 5, 2, 1, 1 }, { 3, 4, 3, 2 }, { 9, 8, 0, 0 }, { 5, 1, 1, 0 }
	};
	static const struct finding_count sums[] = { { 3, 5, 3, 2 },
						     { 5, 3, 2, 1 },
						     { 9, 8, 0, 0 } };
	struct account *account = account_create(0), *other;
	struct score sum = { .points = 3 }, add = { .points = 4 };

	ck_assert_ptr_nonnull(account);
	for (int i = 0; i < COUNT(counts); i++)
		ck_assert(account_add_finding(account, &counts[i]));
	ck_assert_uint_eq(account->finding_count, COUNT(sums));
	ck_assert_mem_eq(account->finding, sums, sizeof(sums));
	account_destroy(account);
	account_destroy(NULL);
	account = account_create(2);
	other = account_create(2);
	ck_assert(account && other);
	*account = (struct account) {
		.points = 1, .missing = 20, .uncovered = 300, .score = account->score
	};
	other->points = 5;
	other->missing = 60;
	other->uncovered = 700;
	other->score[0].points = 8;
	other->score[1].points = 9;
	for (int i = 0; i < VERDICT_COUNT; i++) {
		account->verdict[i] = 1000 + i;
		other->verdict[i] = 10 * i + 1;
	}
	account_add(account, other, 2);
	account_add(account, other, 2);
	ck_assert_uint_eq(account->points, 11);
	ck_assert_uint_eq(account->missing, 140);
	ck_assert_uint_eq(account->uncovered, 1700);
	for (int i = 0; i < VERDICT_COUNT; i++)
		ck_assert_uint_eq(account->verdict[i], 1000 + i + 2 * (10 * i + 1));
	ck_assert_uint_eq(account->score[0].points, 16);
	ck_assert_uint_eq(account->score[1].points, 18);
	ck_assert_uint_eq(other->points, 5);
	account_destroy(account);
	account_destroy(other);
	add.match[MATCH_EXACT] = 2;
	add.guesses.frames_right = 5; /* the last of a score */
	score_add(&sum, &add);
	score_add(&sum, &add);
	ck_assert_uint_eq(sum.points, 11);
	ck_assert_uint_eq(sum.match[MATCH_EXACT], 4);
	ck_assert_uint_eq(sum.guesses.frames_right, 10);
}
END_TEST

START_TEST(every_reason_has_a_name)
{
	for (int i = 0; i < DOUBT_REASON_COUNT; i++)
		ck_assert_ptr_nonnull(doubt_reason_name(i));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("doubt");
	TCase *tcase = tcase_create("doubt");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, a_doubt_ends, 0, COUNT(end_cases));
	tcase_add_loop_test(tcase, a_key_finds_its_doubt, 0, COUNT(key_cases));
	tcase_add_test(tcase, a_stray_ret_at_the_frames_slot_decides_nothing);
	tcase_add_test(tcase, doubts_that_share_a_bucket_are_apart);
	tcase_add_test(tcase, the_root_has_one_doubt);
	tcase_add_loop_test(tcase, who_was_entered_need_not_return, 0, COUNT(entered_cases));
	tcase_add_test(tcase, a_doubt_has_one_step);
	tcase_add_test(tcase, points_of_one_doubt_are_put_together);
	tcase_add_test(tcase, there_are_no_more_than_the_limit);
	tcase_add_test(tcase, accounts_add_up);
	tcase_add_test(tcase, every_reason_has_a_name);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
