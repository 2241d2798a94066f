/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_array.c - an array that grows keeps what it has, and says when it can't grow
 */
#include <malloc.h>
#include <string.h>
#include "suite.h"
#include "array.h"
#include "sanitized.h"

/* realloc() refuses as it does without the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* There is room for one more, and what is there is what was put there. */
static void add(uint64_t **array, size_t *count)
{
	size_t lost = 0;

	ck_assert(ARRAY_GROW(*array, *count));
	ck_assert_uint_ge(malloc_usable_size(*array), (*count + 1) * sizeof(**array));
	(*array)[*count] = ~(uint64_t)*count;
	++*count;
	for (size_t i = 0; i < *count; i++)
		lost += (*array)[i] != ~(uint64_t)i;
	ck_assert_uint_eq(lost, 0);
}

START_TEST(one_by_one_keeps_all)
{
	uint64_t *array = NULL;
	size_t count = 0;

	while (count < 1100)
		add(&array, &count);
	free(array);
}
END_TEST

/* To how many it shrinks, from how many. */
static const struct {
	size_t from, to;
} shrinks[] = { { 9, 8 },   { 9, 7 },	{ 9, 0 },    { 8, 0 },	{ 3, 2 },   { 65, 64 },
		{ 65, 63 }, { 600, 1 }, { 600, 16 }, { 64, 8 }, { 64, 63 }, { 1024, 512 } };

START_TEST(grows_again_after_shrinking)
{
	uint64_t *array = NULL;
	size_t count = 0;

	while (count < shrinks[_i].from)
		add(&array, &count);
	count = shrinks[_i].to;
	while (count < 2 * shrinks[_i].from + 2)
		add(&array, &count);
	free(array);
}
END_TEST

START_TEST(too_many_bytes_are_refused)
{
	struct {
		char bytes[1 << 12];
	} one, *array = &one, *before = array;
	size_t count = (size_t)1 << 51, capacity = 1;

	ck_assert(!ARRAY_GROW(array, count));
	ck_assert(!ARRAY_RESERVE(array, capacity, SIZE_MAX / 2));
	ck_assert(array == before && capacity == 1);
}
END_TEST

START_TEST(no_memory_changes_nothing)
{
	char *array = malloc(1), *before = array;
	size_t capacity = 1;

	/* ASan ends a program that asks for so much. */
	ck_assert(SANITIZED || !ARRAY_GROW(array, (size_t)1 << 61));
	ck_assert(SANITIZED || !ARRAY_RESERVE(array, capacity, PTRDIFF_MAX));
	ck_assert(array == before && capacity == 1);
	free(array);
}
END_TEST

/* A capacity is never more than its type can hold. */
START_TEST(capacity_ends_with_its_type)
{
	char *array = NULL;
	uint8_t capacity = 0;

	for (unsigned int wanted = 1; wanted <= UINT8_MAX; wanted++) {
		ck_assert(ARRAY_RESERVE(array, capacity, wanted));
		ck_assert_uint_ge(capacity, wanted);
		ck_assert_uint_ge(malloc_usable_size(array), capacity);
		memset(array, 1, capacity);
	}
	ck_assert(!ARRAY_RESERVE(array, capacity, UINT8_MAX + 1));
	ck_assert_uint_eq(capacity, UINT8_MAX);
	free(array);
}
END_TEST

START_TEST(reserving_doubles_at_least)
{
	char *array = NULL, *before;
	size_t capacity = 0;

	ck_assert(ARRAY_RESERVE(array, capacity, 100));
	ck_assert_uint_eq(capacity, 100);
	before = array;
	ck_assert(ARRAY_RESERVE(array, capacity, 100));
	ck_assert(array == before && capacity == 100);
	ck_assert(ARRAY_RESERVE(array, capacity, 101));
	ck_assert_uint_eq(capacity, 200);
	ck_assert(ARRAY_RESERVE(array, capacity, 1000));
	ck_assert_uint_eq(capacity, 1000);
	free(array);
}
END_TEST

SUITE(array, TEST(one_by_one_keeps_all), LOOP(grows_again_after_shrinking, shrinks),
      TEST(too_many_bytes_are_refused), TEST(no_memory_changes_nothing),
      TEST(capacity_ends_with_its_type), TEST(reserving_doubles_at_least))
