/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_provisional.c - points that agree are final, or taken back, and never lost
 *
 * A case is a text of events on one stack: a hexadecimal digit is a point with rsp there, 'a' to
 * 'f' count up from 10; "r8" is a stray return through slot 8, "!" a disturbance, "+" another
 * region, "-" back; "@5" is a point's claim from there on (in truth that is only a prefix), "R85" a
 * stray return through 8 to 5. "t8" takes the frame of slot 8 off, and "y" or "n" says whether it was
 * one; points behind "^" have it, those behind "_" have not, behind "=" nobody knows. "m7" puts it into
 * slot 7, where it returns by "Y7", and not by "N7". Then the program ends.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/verdict/provisional.h"

#define ENGINES 2
#define NOWHERE 0x99

struct sums {
	uint64_t final, taken_back, score;
};

static void on_end(void *context, const struct account *account, enum provisional_outcome end)
{
	struct sums *sums = context;
	uint64_t marks = account->marks.lost;

	/* All that an account has is of the same points: nothing of those that it had before. */
	for (size_t i = 0; i < account->marks.count; i++)
		marks += account->marks.entry[i].count;
	ck_assert_uint_eq(marks, account->points);
	ck_assert_uint_eq(account->verdict[VERDICT_EXACT], account->points);
	ck_assert_uint_eq(account->verdict[VERDICT_COUNT - 1], 3 * account->points);
	ck_assert_uint_eq(account->missing, 5 * account->points);
	ck_assert_uint_eq(account->uncovered, 7 * account->points);
	ck_assert_uint_eq(account->score[0].points, 11 * account->points);
	ck_assert_uint_eq(account->score[0].guesses.frames_right, 13 * account->points);
	ck_assert(!account->finding && !account->finding_count);
	*(end != PROVISIONAL_FINAL ? &sums->taken_back : &sums->final) += account->points;
	sums->score += account->score[ENGINES - 1].points;
}

static void fixture(struct provisional *provisional, struct sums *sums)
{
	*sums = (struct sums) { 0 };
	provisional_init(provisional, ENGINES);
	provisional->on_end = on_end;
	provisional->context = sums;
}

static void point(struct provisional *provisional, const struct provisional_place *place)
{
	struct account *account = provisional_find(provisional, place);

	ck_assert_ptr_nonnull(account);
	account->points++;
	account->score[ENGINES - 1].points++;
	account->verdict[VERDICT_EXACT]++;
	account->verdict[VERDICT_COUNT - 1] += 3;
	account->missing += 5;
	account->uncovered += 7;
	account->score[0].points += 11;
	account->score[0].guesses.frames_right += 13;
	marks_add(&account->marks, place->sp, 1);
}

static uint64_t digit(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

static const struct {
	const char *name, *events;
	uint64_t final, taken_back;
} cases[] = {
	{ "nothing_strays", "a987", 4, 0 },
	{ "all_since_rsp_came_below_the_slot", "a98767r8", 2, 4 },
	{ "not_what_was_before_rsp_had_been_above_it", "8798r8", 3, 1 },
	{ "a_slot_that_is_rsp_itself", "a9r9", 1, 1 },
	{ "a_slot_below_all", "a9r8", 2, 0 },
	{ "the_highest_of_those_put_together_counts", "a789r8", 4, 0 },
	{ "once_only", "a98r8r8", 2, 1 },
	{ "what_comes_after_is_new", "a98r888", 4, 1 },
	{ "two_in_a_row", "a98r87r9", 1, 3 },
	{ "a_disturbance_makes_final", "a98!r8", 3, 0 },
	{ "and_begins_anew", "a98!8r8", 3, 1 },
	{ "a_signal_stack_is_another", "a98+f-8r8", 3, 2 },
	{ "a_return_there", "a98+2r2-r8", 2, 2 },
	{ "taken_off_for_good", "a98t8n", 2, 1 },
	{ "taken_off_with_all_below", "a9876t8n", 2, 3 },
	{ "taken_off_below_all", "a98t5n", 3, 0 },
	{ "taken_off_below_what_is_left", "a9876t6nt5n", 4, 1 },
	{ "taken_off_and_put_back", "a98t8y", 3, 0 },
	{ "put_back_may_still_stray", "a98t8yr8", 2, 1 },
	{ "taken_off_when_the_program_ends", "a98t8", 2, 1 },
	{ "points_meanwhile_are_not_the_frame_s", "a98t899n", 4, 1 },
	{ "a_second_one_settles_the_first", "a98t8987t7n", 4, 2 },
	{ "settled_without_one", "a98yn", 3, 0 },
	{ "a_disturbance_makes_final_what_was_taken_off", "a98t8!n", 3, 0 },
	{ "a_claim_that_is_proven", "@5a98R85", 3, 0 },
	{ "a_claim_that_is_not", "@5a98R84", 2, 1 },
	{ "points_with_two_claims_in_one_entry", "@5a8@48R85", 1, 2 },
	{ "entries_with_a_claim_each", "@5a8@47R85", 2, 1 },
	{ "claims_put_together_are_mixed", "@5a8@478R95", 1, 3 },
	{ "mixed_by_the_lower_entry", "@5a8@47@58R95", 1, 3 },
	{ "mixed_in_the_lower_entry", "@5a87@47@58R95", 1, 4 },
	{ "mixed_before_what_is_put_together", "@5a9@49@58@59R95", 1, 4 },
	{ "one_claim_put_together", "@5a878R95", 4, 0 },
	{ "the_last_two_are_put_together", "@59@489R95", 0, 3 },
	{ "what_a_frame_had_kept_has_no_claim", "@5at9^9=8yR85", 1, 2 },
	{ "a_return_before_there_is_a_point", "r8", 0, 0 },
	{ "taken_off_before_there_is_a_point", "t8n", 0, 0 },
	{ "a_disturbance_before_there_is_a_point", "!", 0, 0 },
	{ "put_back_at_its_slot", "a98t9yr8", 3, 0 },
	{ "taken_off_and_put_back_too_late", "a98t8ny", 2, 1 },
	{ "meanwhile_with_it_and_it_was_one", "at9^98y", 3, 0 },
	{ "meanwhile_with_it_and_it_was_none", "at9^98n", 1, 2 },
	{ "meanwhile_without_it_and_it_was_one", "at9_98y", 1, 2 },
	{ "meanwhile_without_it_and_it_was_none", "at9_98n", 3, 0 },
	{ "meanwhile_both_ways", "at9^9_88^7n", 3, 2 },
	{ "meanwhile_when_the_program_ends", "at9^9_88", 3, 1 },
	{ "meanwhile_and_a_disturbance", "at9^9_88!n", 4, 0 },
	{ "a_second_one_settles_the_first_and_what_was_meanwhile", "a9t9^98_8=8t8n", 1, 5 },
	{ "what_it_was_none_of_may_still_stray", "at9_98nr9", 1, 2 },
	{ "what_was_deeper_meanwhile_is_no_higher", "at9_99=6nr6", 1, 3 },
	{ "moved_and_returned_there", "a98t8^8m7=765Y7", 7, 0 },
	{ "moved_and_not_returned", "a98t8^8m7=765N7", 2, 5 },
	{ "moved_up_and_returned_there", "a965t7m8=876Y8", 7, 0 },
	{ "moved_up_and_not_returned", "a965t6m8=876N8", 2, 5 },
	{ "moved_and_open_to_the_end", "a98t8^8m7=765", 2, 5 },
	{ "moved_and_disturbed", "a98t8^8m7=76!5", 2, 5 },
	{ "moved_and_disturbed_and_returned", "a98t8^8m7=76!5Y7", 3, 4 },
	{ "without_it_and_moved", "at9_98m8=8Y8", 2, 2 },
	{ "without_it_and_moved_and_gone", "at9_98m8=8N8", 1, 3 },
	{ "without_it_and_moved_to_the_end", "at9_98m8=8", 1, 3 },
	{ "moved_and_a_stray_return_above", "a98t8m7=765Y7r9", 1, 5 },
	{ "moved_and_a_stray_return_below", "a98t8m7=765r6Y7", 4, 2 },
	{ "moved_twice_and_returned", "a98t8^8m7=76t7^7m5=54Y5", 9, 0 },
	{ "moved_twice_and_not_returned", "a98t8^8m7=76t7^7m5=54N5", 2, 7 },
	{ "moved_twice_and_popped_for_good", "a98t8^8m7=76t7^7n", 2, 5 },
	{ "moved_and_put_back_where_it_was_moved", "a98t8^8m7=7t7^7m7=6Y7", 7, 0 },
	{ "moved_and_jumped_to", "a98t8^8m7=76t7^7y", 7, 0 },
	{ "moved_and_taken_off_when_the_program_ends", "a98t8^8m7=7t7_7", 2, 4 },
	{ "moved_and_taken_off_and_disturbed", "a98t8^8m7=7t7_7!", 2, 4 },
	{ "one_in_another_and_both_returned", "a9t9m8=87t7m6=65Y6Y8", 6, 0 },
	{ "one_in_another_and_the_inner_gone", "a9t9m8=87t7m6=65N6Y8", 3, 3 },
	{ "one_in_another_and_the_outer_gone", "a9t9m8=87t7m6=65Y6N8", 1, 5 },
	{ "the_outer_gone_while_the_inner_is_off", "a9t9m8=87t7^7N8y", 1, 4 },
	{ "an_inner_one_that_nobody_ended", "a9t9m8=87t7m6=65Y8", 3, 3 },
	{ "moved_and_another_is_off_without_it", "a9t9m8=87t7_6", 1, 4 },
	{ "moved_and_another_is_off_and_disturbed", "a9t9m8=87t7_6!", 1, 4 },
	{ "moved_and_a_signal_stack", "a9t9m8=8+f1-Y8", 5, 0 },
	{ "moved_and_gone_and_a_signal_stack", "a9t9m8=8+f1-N8", 1, 4 },
	{ "moved_and_disturbed_and_a_signal_stack", "a9t9m8=8+f1-!Y8", 1, 4 },
	{ "a_signal_stack_of_its_own", "a9+ft9m8=8N8-9", 4, 1 },
	{ "moved_before_there_is_a_point", "t9m8Y8", 0, 0 },
	{ "gone_before_it_was_moved", "a98N9", 1, 2 },
	{ "returned_and_not_moved", "a98Y9", 3, 0 },
};

/* One event, the first of the text; returns how long it is, 0 at the end. */
static size_t event(struct provisional *provisional, struct provisional_place *place,
		    const char *text)
{
	const char *at = text;

	switch (*at) {
	case '\0': return 0;
	case 'r': provisional_stray_return(provisional, place, digit(*++at), NOWHERE); break;
	case 'R':
		provisional_stray_return(provisional, place, digit(at[1]), digit(at[2]));
		at += 2;
		break;
	case 't': provisional_taken_off(provisional, place, digit(*++at)); break;
	case 'y': provisional_settled(provisional, place, true); break;
	case 'n': provisional_settled(provisional, place, false); break;
	case 'm': provisional_moved(provisional, place, digit(*++at)); break;
	case 'Y': provisional_moved_ended(provisional, place, digit(*++at), true); break;
	case 'N': provisional_moved_ended(provisional, place, digit(*++at), false); break;
	case '^': place->carried = CARRIED_WITH; break;
	case '_': place->carried = CARRIED_WITHOUT; break;
	case '=': place->carried = CARRIED_NONE; break;
	case '!': provisional_disturbed(provisional, place->stack_id); break;
	case '+': place->region++; break;
	case '-': place->region--; break;
	case '@': place->claim = digit(*++at); break;
	default: place->sp = digit(*at); point(provisional, place);
	}
	return at + 1 - text;
}

/* Returns how many points there were. */
static uint64_t events(struct provisional *provisional, struct provisional_place *place,
		       const char *text)
{
	uint64_t points = 0;
	size_t length;

	for (; (length = event(provisional, place, text)); text += length)
		points += strchr("0123456789abcdef", *text) != NULL;
	return points;
}

START_TEST(points_are_final_or_taken_back)
{
	struct provisional_place place = { .stack_id = 1 };
	struct provisional provisional;
	struct sums sums;
	uint64_t points;

	fixture(&provisional, &sums);
	points = events(&provisional, &place, cases[_i].events);
	provisional_end(&provisional);
	ck_assert_msg(sums.final == cases[_i].final && sums.taken_back == cases[_i].taken_back,
		      "%s: %d final, %d taken back", cases[_i].name, (int)sums.final,
		      (int)sums.taken_back);
	ck_assert_uint_eq(sums.score, points);
	ck_assert(!provisional.count && !provisional.stack && !provisional.spare);
}
END_TEST

/* An account that has told its points is the next entry's. */
static const struct {
	const char *name, *events;
	bool has_spare;
} spare_cases[] = {
	{ "none_has_ended", "a98", false },
	{ "one_was_taken_back", "a98r8", true },
	{ "the_next_entry_uses_it", "a98r88", false },
	{ "two_were_put_together", "a989", true },
	{ "two_were_taken_off", "a987t8", true },
	{ "one_was_taken_off", "a98t8", false },
	{ "one_was_put_back", "a98t8y", true },
	{ "one_was_not", "a98t8n", true },
	{ "all_are_final", "a98!", true },
};

START_TEST(accounts_are_used_again)
{
	struct provisional_place place = { .stack_id = 1 };
	struct provisional provisional;
	struct sums sums;

	fixture(&provisional, &sums);
	events(&provisional, &place, spare_cases[_i].events);
	ck_assert_msg((provisional.spare != NULL) == spare_cases[_i].has_spare, "%s",
		      spare_cases[_i].name);
	provisional_end(&provisional);
}
END_TEST

/* Two stacks of the same slots, with events of one between those of the other: each comes to what it would alone.
 * In some a frame is off, or has moved, in both at once. */
START_TEST(two_stacks_at_once)
{
	for (int i = 0; i < COUNT(cases); i += 1 + COUNT(cases) / 16) {
		struct provisional_place one = { .stack_id = 1 }, two = { .stack_id = 2 };
		const char *a = cases[_i].events, *b = cases[i].events;
		struct provisional provisional;
		struct sums sums;

		fixture(&provisional, &sums);
		while (*a || *b) {
			a += event(&provisional, &one, a);
			b += event(&provisional, &two, b);
		}
		provisional_end(&provisional);
		ck_assert_msg(sums.final == cases[_i].final + cases[i].final &&
				      sums.taken_back == cases[_i].taken_back + cases[i].taken_back,
			      "%s, %s: %d final, %d taken back", cases[_i].name, cases[i].name,
			      (int)sums.final, (int)sums.taken_back);
	}
}
END_TEST

START_TEST(another_stack_is_not_concerned)
{
	struct provisional_place one = { .stack_id = 1, .sp = 8 }, two = { .stack_id = 2, .sp = 8 };
	struct provisional provisional;
	struct sums sums;

	fixture(&provisional, &sums);
	point(&provisional, &one);
	point(&provisional, &two);
	provisional_stray_return(&provisional, &two, 8, NOWHERE);
	provisional_disturbed(&provisional, 2);
	ck_assert_uint_eq(sums.taken_back, 1);
	ck_assert_uint_eq(sums.final, 0);
	provisional_end(&provisional);
	ck_assert_uint_eq(sums.final, 1);
}
END_TEST

/* A recursion that is deeper than there are entries: more may be taken back, nothing less or
 * twice. */
START_TEST(deep_stacks_are_bounded)
{
	const uint64_t depth = PROVISIONAL_ENTRIES_MAX * 5;
	struct provisional_place place = { .stack_id = 1 };
	struct provisional provisional;
	struct sums sums;

	fixture(&provisional, &sums);
	for (uint64_t i = 0; i < depth; i++) {
		place.sp = 8 * (depth - i);
		point(&provisional, &place);
	}
	ck_assert_uint_le(provisional.stack[0].count, PROVISIONAL_ENTRIES_MAX);
	provisional_stray_return(&provisional, &place, 8 * (depth - 100), NOWHERE);
	ck_assert_uint_ge(sums.taken_back, depth - 100);
	ck_assert_uint_le(sums.taken_back, depth);
	provisional_end(&provisional);
	ck_assert_uint_eq(sums.final + sums.taken_back, depth);
}
END_TEST

/* Each two neighbours have become one, with the lower rsp. */
static const struct {
	const char *name;
	uint64_t slot, taken_back;
} halved_cases[] = {
	{ "from_the_upper_of_two", 101, PROVISIONAL_ENTRIES_MAX + 1 - 100 },
	{ "from_the_lower_of_two", 102, PROVISIONAL_ENTRIES_MAX + 1 - 102 },
	{ "from_the_last_two", PROVISIONAL_ENTRIES_MAX - 1, 3 },
	{ "from_the_one_that_came_last", PROVISIONAL_ENTRIES_MAX, 1 },
};

START_TEST(a_deep_stack_is_halved)
{
	const uint64_t depth = PROVISIONAL_ENTRIES_MAX + 1;
	struct provisional_place place = { .stack_id = 1 };
	struct provisional provisional;
	struct sums sums;

	fixture(&provisional, &sums);
	for (uint64_t i = 0; i < depth; i++) {
		place.sp = 8 * (depth - i);
		point(&provisional, &place);
	}
	ck_assert_uint_eq(provisional.stack[0].count, PROVISIONAL_ENTRIES_MAX / 2 + 1);
	provisional_stray_return(&provisional, &place, 8 * (depth - halved_cases[_i].slot),
				 NOWHERE);
	ck_assert_msg(sums.taken_back == halved_cases[_i].taken_back, "%s: %d taken back",
		      halved_cases[_i].name, (int)sums.taken_back);
	provisional_end(&provisional);
	ck_assert_uint_eq(sums.final + sums.taken_back, depth);
}
END_TEST

START_TEST(who_was_longest_not_in_use_goes)
{
	struct provisional_place place = { .sp = 8 };
	struct provisional provisional;
	struct sums sums;

	fixture(&provisional, &sums);
	for (place.stack_id = 1; place.stack_id <= PROVISIONAL_STACKS_MAX; place.stack_id++)
		point(&provisional, &place);
	place.stack_id = 1;
	point(&provisional, &place);
	place.stack_id = 5000;
	point(&provisional, &place);
	ck_assert_uint_eq(provisional.count, PROVISIONAL_STACKS_MAX);
	ck_assert_uint_eq(provisional.stack[0].stack_id, 1);
	ck_assert_uint_eq(provisional.stack[1].stack_id, 5000);
	ck_assert_uint_eq(sums.final, 1);
	provisional_end(&provisional);
	ck_assert_uint_eq(sums.final, PROVISIONAL_STACKS_MAX + 2);
}
END_TEST

START_TEST(many_stacks_are_bounded)
{
	const uint64_t stacks = PROVISIONAL_STACKS_MAX + 100;
	struct provisional_place place = { .sp = 8 };
	struct provisional provisional;
	struct sums sums;

	fixture(&provisional, &sums);
	for (uint64_t i = 1; i <= stacks; i++) {
		place.stack_id = i;
		point(&provisional, &place);
		place.stack_id = 1; /* it stays in use */
		point(&provisional, &place);
	}
	ck_assert_uint_eq(provisional.count, PROVISIONAL_STACKS_MAX);
	ck_assert_uint_eq(sums.final, 100);
	provisional_stray_return(&provisional, &place, 8, NOWHERE);
	ck_assert_uint_eq(sums.taken_back, stacks + 1);
	provisional_end(&provisional);
	ck_assert_uint_eq(sums.final + sums.taken_back, 2 * stacks);
}
END_TEST

SUITE(provisional, LOOP(points_are_final_or_taken_back, cases), LOOP(two_stacks_at_once, cases),
      TEST(another_stack_is_not_concerned), TEST(deep_stacks_are_bounded),
      TEST(many_stacks_are_bounded), LOOP(accounts_are_used_again, spare_cases),
      LOOP(a_deep_stack_is_halved, halved_cases), TEST(who_was_longest_not_in_use_goes))
