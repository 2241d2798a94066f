/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_doubt_keys.c - doubt.c: which points are of one doubt, what it is told, and accounts
 */
#include "tests/suite.h"
#include "doubt_fixture.h"

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

/* What one point has said is not taken back by the next. */
START_TEST(what_a_point_says_of_a_doubt_stays)
{
	struct doubt_key key = {
		.frame = MIDDLE, .sp = SP, .code_begin = CODE, .code_end = CODE + 1
	};
	enum doubt_reason reason;
	struct doubt *doubt;
	struct fixture f;

	fixture_init(&f);
	key.stack = &f.stack;
	f.stack.frame[MIDDLE].called = CODE;
	key.ends = true;
	doubt = doubts_find(&f.doubts, &key, &reason);
	ck_assert(!doubt->intact && !doubt->confirmed && doubt->must_return && doubt->ends);
	key.intact = key.confirmed = true;
	key.ends = false;
	ck_assert_ptr_eq(doubts_find(&f.doubts, &key, &reason), doubt);
	ck_assert(!doubt->intact && !doubt->confirmed && doubt->must_return && doubt->ends);
	/* Registers are those of the caller, however it was entered. */
	ck_assert(!doubt->not_entered);
	key.registers = true;
	f.stack.frame[MIDDLE].called = CODE + 8;
	f.stack.frame[MIDDLE].entered = CODE + 8;
	doubt = doubts_find(&f.doubts, &key, &reason);
	ck_assert(!doubt->not_entered && doubt->must_return && !doubt->confirmed);
	fixture_deinit(&f);
}
END_TEST

/* Whichever comes first: the accused function was not entered at one of two points, so it must return. */
START_TEST(who_was_not_entered_once)
{
	for (int entered_first = 0; entered_first < 2; entered_first++) {
		struct fixture f;
		struct doubt *doubt = NULL;

		fixture_init(&f);
		for (int point = 0; point < 3; point++) {
			bool entered = point == 2 || point != entered_first;

			f.stack.frame[MIDDLE].entered = entered ? CODE : CODE + CODE_BYTES;
			doubt = find(&f, MIDDLE, (struct claim)CLAIMED, false);
			ck_assert_int_eq(doubt->not_entered, point >= entered_first);
			ck_assert_int_eq(doubt->must_return, point >= entered_first);
		}
		ck_assert_uint_eq(f.doubts.count, 1);
		fixture_deinit(&f);
	}
}
END_TEST

/* Another stack's stray ret ends nothing here. */
START_TEST(a_stray_ret_is_of_one_stack)
{
	struct shadow_stack other;
	struct fixture f;

	fixture_init(&f);
	ck_assert_ptr_nonnull(find(&f, MIDDLE, (struct claim)CLAIMED, false));
	other = f.stack;
	other.id++;
	doubts_stray_return(&f.doubts, &other, SLOT(MIDDLE) - 8, 0x600000);
	doubts_disturbed(&f.doubts, &other);
	ck_assert_int_eq(f.log.ended, 0);
	doubts_stray_return(&f.doubts, &f.stack, SLOT(MIDDLE) - 8, 0x600000);
	ck_assert_int_eq(f.log.ended, 1);
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
	for (int i = 2; i >= MIDDLE; i--)
		shadow_stack_return(&f.stack, SLOT(i), RETURN(i), SLOT(i) + 8);
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
	struct engine_score sum = { .points = 3 }, add = { .points = 4 };

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

SUITE(doubt_keys, LOOP(a_key_finds_its_doubt, key_cases),
      TEST(a_stray_ret_at_the_frames_slot_decides_nothing),
      TEST(doubts_that_share_a_bucket_are_apart), TEST(the_root_has_one_doubt),
      LOOP(who_was_entered_need_not_return, entered_cases), TEST(a_doubt_has_one_step),
      TEST(points_of_one_doubt_are_put_together), TEST(who_was_not_entered_once),
      TEST(what_a_point_says_of_a_doubt_stays), TEST(a_stray_ret_is_of_one_stack),
      TEST(there_are_no_more_than_the_limit), TEST(accounts_add_up), TEST(every_reason_has_a_name))
