/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_recording_truth.c - true stacks as a tree: numbers, callers, depths; and a set of pages
 *
 * Both are what a recording is written and played by; here they are alone.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/replay/page_set.h"
#include "judge/replay/recording.h"

#define MANY 5000u

START_TEST(frame_is_found_again)
{
	struct recording_frames frames = { 0 };
	bool is_new;

	ck_assert_uint_eq(recording_frames_find(&frames, 0, 0x10, &is_new), 1);
	ck_assert(is_new);
	ck_assert_uint_eq(recording_frames_find(&frames, 1, 0x20, &is_new), 2);
	ck_assert(is_new);
	ck_assert_uint_eq(recording_frames_find(&frames, 1, 0x10, &is_new), 3);
	ck_assert(is_new);
	ck_assert_uint_eq(recording_frames_find(&frames, 2, 0x20, &is_new), 4);
	ck_assert(is_new);
	ck_assert_uint_eq(recording_frames_find(&frames, 0, 0x10, &is_new), 1);
	ck_assert(!is_new);
	ck_assert_uint_eq(recording_frames_find(&frames, 2, 0x20, &is_new), 4);
	ck_assert(!is_new);
	static const uint32_t callers[] = { 0, 1, 1, 2 }, depths[] = { 1, 2, 2, 3 };
	for (int i = 0; i < 4; i++) {
		ck_assert_uint_eq(frames.frame[i].caller, callers[i]);
		ck_assert_uint_eq(frames.frame[i].depth, depths[i]);
	}
	ck_assert_uint_eq(frames.frame[3].pc, 0x20);
	ck_assert_uint_eq(frames.count, 4);
	/* Added without being looked for it is another one. */
	ck_assert_uint_eq(recording_frames_add(&frames, 4, 0x30), 5);
	ck_assert_uint_eq(recording_frames_add(&frames, 4, 0x30), 6);
	ck_assert_uint_eq(frames.frame[5].depth, 4);
	ck_assert_uint_eq(frames.frame[5].pc, 0x30);
	recording_frames_deinit(&frames);
	ck_assert(!frames.frame && !frames.slot && !frames.count && !frames.slot_count);
}
END_TEST

/* A chain, and many of one caller: all are found again, however often there was no room. Half of the
 * slots are free at least. */
START_TEST(many_frames)
{
	struct recording_frames frames = { 0 };
	bool is_new;

	for (int again = 0; again < 2; again++) {
		for (uint32_t i = 0; i < MANY; i++) {
			uint32_t caller = i % 2 ? i : 7 * (i > 7);

			ck_assert_uint_eq(recording_frames_find(&frames, caller, i, &is_new),
					  i + 1);
			ck_assert(is_new == !again);
			ck_assert_uint_eq(frames.frame[i].depth,
					  caller ? frames.frame[caller - 1].depth + 1 : 1);
			if (!again)
				ck_assert_uint_eq(frames.slot_count, i < 512	? 1024u
								     : i < 1024 ? 2048u
								     : i < 2048 ? 4096u
								     : i < 4096 ? 8192u
										: 16384u);
		}
	}
	ck_assert_uint_eq(frames.count, MANY);
	recording_frames_deinit(&frames);
}
END_TEST

/* A recursion, and others beside it: the same PC below another caller is another frame, wherever its slot is. */
START_TEST(recursive_frames)
{
	struct recording_frames frames = { 0 };
	bool is_new;

	for (int again = 0; again < 2; again++)
		for (uint32_t i = 0; i < MANY; i++) {
			is_new = again;
			ck_assert_uint_eq(
				recording_frames_find(&frames, i, i % 3 ? 0x10 : 0x20, &is_new),
				i + 1);
			ck_assert(is_new == !again);
			ck_assert_uint_eq(frames.frame[i].depth, i + 1);
		}
	for (uint32_t i = 0; i < MANY; i++)
		ck_assert_uint_eq(recording_frames_find(&frames, i, 0x30, &is_new), MANY + i + 1);
	/* A frame's depth is its caller's and one, whichever came last. */
	ck_assert_uint_eq(recording_frames_find(&frames, 0, 0x40, &is_new), 2 * MANY + 1);
	ck_assert_uint_eq(frames.frame[2 * MANY].depth, 1);
	ck_assert_uint_eq(recording_frames_add(&frames, 7, 0x50), 2 * MANY + 2);
	ck_assert_uint_eq(frames.frame[2 * MANY + 1].depth, 8);
	recording_frames_deinit(&frames);
}
END_TEST

/* ---- pages -------------------------------------------------------------------------------- */

static uint8_t bytes[64];

START_TEST(pages_are_found_by_any_address)
{
	struct page_set set = { 0 };

	ck_assert_ptr_null(page_set_find(&set, 0));
	ck_assert_ptr_null(page_set_take(&set, 0x5000));
	/* From both ends to the middle. */
	for (uint64_t i = 0; i < 32; i++) {
		ck_assert(page_set_add(&set, i * 0x2000 + 0x123, &bytes[i]));
		ck_assert(page_set_add(&set, (63 - i) * 0x2000 + 0xfff, &bytes[63 - i]));
		ck_assert_ptr_eq(page_set_find(&set, i * 0x2000), &bytes[i]);
	}
	ck_assert_uint_eq(set.count, 64);
	for (uint64_t i = 0; i < 64; i++) {
		ck_assert_uint_eq(set.page[i].address, i * 0x2000);
		ck_assert_ptr_eq(page_set_find(&set, i * 0x2000), &bytes[i]);
		ck_assert_ptr_eq(page_set_find(&set, i * 0x2000 + 0xfff), &bytes[i]);
		ck_assert_ptr_null(page_set_find(&set, i * 0x2000 + 0x1000));
		ck_assert_ptr_null(page_set_find(&set, i * 0x2000 - 1));
	}
	/* The last one that was found is not what is behind it afterwards. */
	ck_assert_ptr_eq(page_set_find(&set, 126 * 0x1000), &bytes[63]);
	ck_assert_ptr_eq(page_set_take(&set, 126 * 0x1000 + 1), &bytes[63]);
	ck_assert_ptr_null(page_set_find(&set, 126 * 0x1000));
	ck_assert_ptr_eq(page_set_take(&set, 0), &bytes[0]);
	ck_assert_ptr_null(page_set_take(&set, 0));
	for (uint64_t i = 1; i < 63; i++) {
		ck_assert_ptr_eq(page_set_find(&set, i * 0x2000), &bytes[i]);
		if (i % 3 == 0)
			ck_assert_ptr_eq(page_set_take(&set, i * 0x2000 + 7), &bytes[i]);
	}
	ck_assert_uint_eq(set.count, 62 - 20);
	for (uint64_t i = 1; i < 63; i++)
		ck_assert_ptr_eq(page_set_find(&set, i * 0x2000), i % 3 ? &bytes[i] : NULL);
	page_set_deinit(&set);
	ck_assert(!set.page && !set.count && !set.last);
}
END_TEST

START_TEST(as_many_pages_as_there_may_be)
{
	struct page_set set = { 0 };

	for (uint64_t i = 0; i < PAGE_SET_MAX; i++)
		ck_assert(page_set_add(&set, i << 12, bytes));
	ck_assert(!page_set_add(&set, (uint64_t)PAGE_SET_MAX << 12, bytes));
	ck_assert_uint_eq(set.count, 65536);
	ck_assert_ptr_eq(page_set_take(&set, 65535 << 12), bytes);
	ck_assert(page_set_add(&set, (uint64_t)PAGE_SET_MAX << 12, bytes));
	page_set_deinit(&set);
}
END_TEST

SUITE(recording_truth, TEST(frame_is_found_again), TEST(many_frames), TEST(recursive_frames),
      TEST(pages_are_found_by_any_address), TEST(as_many_pages_as_there_may_be))
