/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_held_records.c - records that are held come back as they were, in their order
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "held_records.h"

#define KEPT_BYTES (1u << 20) /* the most memory that a reset keeps */

static struct walk_record *record_of(uint32_t count, uint64_t first)
{
	struct walk_record *ret = calloc(1, sizeof(*ret));

	ck_assert_ptr_nonnull(ret);
	ret->pid = 7 + count;
	ret->time = first;
	ret->count = count;
	for (uint32_t i = 0; i < count && i < WALK_FRAMES_MAX; i++)
		ret->pc[i] = first + i;
	return ret;
}

static void add(struct held_records *held, uint32_t count, uint64_t first, bool frame_pointer)
{
	struct walk_record *record = record_of(count, first);
	const struct held_as as = { .frame_pointer = frame_pointer,
				    .times = 3 + count,
				    .last_ns = first + 1 };

	held_records_add(held, record, &as);
	free(record);
}

static const uint32_t counts[] = { 0, 1, 2, 127, WALK_FRAMES_MAX, WALK_FRAMES_MAX + 1, 3 };

#define COUNTS (sizeof(counts) / sizeof(counts[0]))

START_TEST(records_come_back)
{
	struct held_records held = { 0 };
	struct held_as as;
	size_t at = 0;

	for (size_t i = 0; i < COUNTS; i++)
		add(&held, counts[i], 1000 * i, i & 1);
	ck_assert_uint_eq(held.lost, 0);
	for (size_t i = 0; i < COUNTS; i++) {
		const struct walk_record *record = held_records_next(&held, &at, &as);
		uint32_t frames = counts[i] < WALK_FRAMES_MAX ? counts[i] : WALK_FRAMES_MAX;

		ck_assert_ptr_nonnull(record);
		ck_assert_uint_eq(as.frame_pointer, i & 1);
		ck_assert_uint_eq(as.last_ns, 1000 * i + 1);
		ck_assert_uint_eq(record->count, counts[i]);
		ck_assert_uint_eq(as.times, 3 + counts[i]);
		ck_assert_uint_eq(record->pid, 7 + counts[i]);
		ck_assert_uint_eq(record->time, 1000 * i);
		for (uint32_t k = 0; k < frames; k++)
			ck_assert_uint_eq(record->pc[k], 1000 * i + k);
	}
	ck_assert_ptr_null(held_records_next(&held, &at, &as));
	held_records_deinit(&held);
}
END_TEST

/* Little memory is kept for the next time, much is given back. */
START_TEST(reset_keeps_a_mebibyte)
{
	struct held_records held = { 0 };
	struct held_as as;
	size_t at = 0;

	add(&held, 5, 1, false);
	ck_assert_uint_gt(held.capacity, 0);
	held_records_reset(&held);
	ck_assert_ptr_nonnull(held.memory);
	ck_assert_ptr_null(held_records_next(&held, &at, &as));
	while (held.capacity <= KEPT_BYTES)
		add(&held, WALK_FRAMES_MAX, 1, false);
	held_records_reset(&held);
	ck_assert_ptr_null(held.memory);
	ck_assert_uint_eq(held.capacity, 0);
	ck_assert_uint_eq(held.used, 0);
	add(&held, 5, 9, true);
	ck_assert_uint_eq(held_records_next(&held, &at, &as)->time, 9);
	ck_assert(as.frame_pointer);
	held_records_deinit(&held);
}
END_TEST

SUITE(held_records, TEST(records_come_back), TEST(reset_keeps_a_mebibyte))
