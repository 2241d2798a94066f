/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_marks.c - points by mark: none is lost, however they are added and put together
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/verdict/doubt.h"

#define DIFFERENT 1000

static uint64_t count_of(const struct marks *marks, uint64_t mark)
{
	uint64_t count = 0;

	for (size_t i = 0; i < marks->count; i++)
		if (marks->entry[i].mark == mark)
			count += marks->entry[i].count;
	return count;
}

START_TEST(equal_marks_in_a_row_are_one)
{
	struct marks marks = { 0 };

	for (int i = 0; i < 5; i++)
		marks_add(&marks, 3, 2);
	marks_add(&marks, 4, 1);
	marks_add(&marks, 3, 1);
	ck_assert_uint_eq(marks.count, 3);
	ck_assert_uint_eq(count_of(&marks, 3), 11);
	ck_assert_uint_eq(count_of(&marks, 4), 1);
	marks_deinit(&marks);
	ck_assert_uint_eq(marks.count, 0);
	ck_assert_ptr_null(marks.entry);
}
END_TEST

START_TEST(memory_grows_by_different_ones_only)
{
	struct marks marks = { 0 };

	for (uint64_t round = 0; round < 200; round++)
		for (uint64_t mark = 0; mark < DIFFERENT; mark++)
			marks_add(&marks, mark * 7919 % DIFFERENT, mark + 1);
	ck_assert_uint_le(marks.capacity, 4 * DIFFERENT);
	ck_assert_uint_eq(marks.lost, 0);
	for (uint64_t mark = 0; mark < DIFFERENT; mark++)
		ck_assert_uint_eq(count_of(&marks, mark * 7919 % DIFFERENT), 200 * (mark + 1));
	marks_deinit(&marks);
}
END_TEST

static const struct {
	const char *name;
	uint64_t to, from; /* marks there: 0 to that */
} sizes[] = {
	{ "none_to_none", 0, 0 },     { "none_to_some", 5, 0 },	    { "some_to_none", 0, 5 },
	{ "fewer_to_more", 300, 20 }, { "more_to_fewer", 20, 300 }, { "as_many", 64, 64 },
};

START_TEST(what_is_taken_is_added)
{
	struct marks to = { .lost = 2 }, from = { .lost = 1 };
	uint64_t most = sizes[_i].to > sizes[_i].from ? sizes[_i].to : sizes[_i].from;

	for (uint64_t mark = 0; mark < sizes[_i].to; mark++)
		marks_add(&to, mark, 1);
	for (uint64_t mark = 0; mark < sizes[_i].from; mark++)
		marks_add(&from, mark, 10);
	marks_take(&to, &from);
	ck_assert_uint_eq(from.count, 0);
	ck_assert_uint_eq(from.lost, 0);
	ck_assert_uint_eq(to.lost, 3);
	for (uint64_t mark = 0; mark <= most; mark++)
		ck_assert_msg(count_of(&to, mark) == (mark < sizes[_i].to ? 1u : 0u) +
							     (mark < sizes[_i].from ? 10u : 0u),
			      "%s: %lu", sizes[_i].name, (unsigned long)mark);
	marks_deinit(&to);
	marks_deinit(&from);
}
END_TEST

START_TEST(accounts_take_their_marks_along)
{
	struct account *one = account_create(1), *other = account_create(1);

	ck_assert(one && other);
	marks_add(&one->marks, 1, 1);
	marks_add(&other->marks, 2, 5);
	account_add(one, other, 1);
	ck_assert_uint_eq(count_of(&one->marks, 1), 1);
	ck_assert_uint_eq(count_of(&one->marks, 2), 5);
	ck_assert_uint_eq(other->marks.count, 0);
	account_destroy(one);
	account_destroy(other);
}
END_TEST

SUITE(marks, TEST(equal_marks_in_a_row_are_one), TEST(memory_grows_by_different_ones_only),
      LOOP(what_is_taken_is_added, sizes), TEST(accounts_take_their_marks_along))
