/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_truth_file_answers.c - what a truth file is asked: which of several stacks is the nearest,
 * why one may be missing; and how much there may be in it
 *
 * That its bytes are read, or refused: test_truth_file.c.
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "truth_bytes.h"

/* ---- the nearest stack ------------------------------------------------------------------ */

/*
 * Several stacks of one innermost frame, F or G in whole stacks, H in open ones; node numbers:
 *
 *	whole	1 A: 2 F, 3 G in doubt	4 B: 5 F in doubt, 6 G	7 C: 8 F
 *	open	10 K: 11 H	12 H	13 L: 14 H	15 M: 16 H in doubt
 */
static const char alike[] = "I [01 01 'p' 00] T [01 00 10 00 01 00 8002 01 0b 00 8003 00 01 00 "
			    "11 00 20 00 03 00 8002 00 01 00 09 00 8003 01 "
			    "11 00 30 00 01 00 8002 02] "
			    "O [01 00 8004 00 01 00 8006 01 11 00 8006 01 09 00 8008 00 "
			    "01 00 8006 01 11 00 800a 00 03 00 8006 00 01 00] E [0a]";

static const struct {
	const char *name;
	uint64_t frame[3]; /* innermost first; 0: no more */
	struct truth_match want;
} nearest[] = {
	{ "proven_by_the_first", { 0x100 }, { TRUTH_MATCH_PREFIX, true, 2, 1, 0, true } },
	{ "proven_by_a_later_one", { 0x180 }, { TRUTH_MATCH_PREFIX, true, 6, 1, 0, true } },
	{ "the_whole_one_though_in_doubt",
	  { 0x100, 0x20 },
	  { TRUTH_MATCH_WHOLE, false, 5, 2, 2, true } },
	{ "the_whole_one_behind_others",
	  { 0x100, 0x30 },
	  { TRUTH_MATCH_WHOLE, true, 8, 2, 2, true } },
	{ "none_and_a_proven_one_named",
	  { 0x180, 0x99 },
	  { TRUTH_MATCH_NONE, true, 6, 1, 0, true } },
	{ "none_and_the_one_that_agrees_longest_named",
	  { 0x100, 0x20, 0x99 },
	  { TRUTH_MATCH_NONE, false, 5, 2, 0, true } },
	{ "open_is_more_than_a_prefix", { 0x300 }, { TRUTH_MATCH_OPEN, true, 12, 1, 0, true } },
	{ "the_longer_open_one_first",
	  { 0x300, 0x200 },
	  { TRUTH_MATCH_OPEN, true, 11, 2, 0, true } },
	{ "the_longer_open_one_later",
	  { 0x300, 0x400 },
	  { TRUTH_MATCH_OPEN, true, 14, 2, 0, true } },
	{ "a_proven_open_one_before_a_longer",
	  { 0x300, 0x500 },
	  { TRUTH_MATCH_OPEN, true, 12, 1, 0, true } },
};

START_TEST(nearest_of_several)
{
	const struct truth_match *want = &nearest[_i].want;
	struct truth_frame frame[3] = { { 0 } };
	uint8_t bytes[TRUTH_BYTES];
	const size_t size = truth_bytes(alike, bytes);
	struct truth_file *read;
	struct truth_match got;
	struct error error;
	uint32_t count = 0;

	for (; count < 3 && nearest[_i].frame[count]; count++)
		frame[count].address = nearest[_i].frame[count];
	ck_assert_msg(!truth_file_create(bytes, size, &read, &error), "%s", error.message);
	truth_file_find(read, frame, count, &got);
	ck_assert_msg(got.kind == want->kind && got.proven == want->proven &&
			      got.node == want->node && got.inner == want->inner &&
			      got.outer == want->outer && got.is_doubted == want->is_doubted,
		      "%s: kind %d proven %d node %u inner %u outer %u doubted %d",
		      nearest[_i].name, got.kind, got.proven, got.node, got.inner, got.outer,
		      got.is_doubted);
	truth_file_close(read);
}
END_TEST

/* ---- why one may be missing ------------------------------------------------------------- */

static const struct {
	const char *name, *fields, *gap; /* NULL: none */
} gaps[] = {
	{ "whole", "", NULL },
	{ "it_ended_by_itself", "C [0b 'wait_status' 80fe03]", NULL }, /* 0xff00: exit(255) */
	{ "it_was_ended", "C [0b 'wait_status' 0f]", "signal" },
	{ "each_instruction", "C [05 'every' 01]", NULL },
	{ "every_second", "C [05 'every' 02]", "every" },
	{ "a_number_is_no_text", "C [04 'from' 01] C [07 'partial' 01]", NULL },
	{ "a_text_is_no_number", "S [06 'unread' 01 '1'] S [05 'every' 01 '9']", NULL },
	{ "in_bursts", "C [08 'attached' 01]", "attached" },
	{ "bursts_come_first", "C [05 'every' 02] C [08 'attached' 01]", "attached" },
	{ "from_a_function_on", "S [04 'from' 04 'main']", "from" },
	{ "all_traced", "C [08 'untraced' 00]", NULL },
	{ "some_untraced", "C [08 'untraced' 01]", "threads" },
	{ "some_unread", "C [06 'unread' 01]", "unread" },
	{ "some_merged", "C [0c 'merged_steps' 01]", "merged_steps" },
	{ "cut_short_comes_first", "C [0b 'wait_status' 0f] S [07 'partial' 07 'timeout']",
	  "timeout" },
	{ "the_signal_comes_next", "C [05 'every' 02] C [0b 'wait_status' 0f]", "signal" },
};

START_TEST(gap)
{
	uint8_t bytes[TRUTH_BYTES];
	struct truth_file *read;
	struct error error;
	char text[256];

	snprintf(text, sizeof(text), "%s T [] O [] E [00]", gaps[_i].fields);
	ck_assert(!truth_file_create(bytes, truth_bytes(text, bytes), &read, &error));
	ck_assert_pstr_eq(truth_file_gap(read), gaps[_i].gap);
	truth_file_close(read);
}
END_TEST

/* As zlib's crc32() and the standard's check value have it. */
START_TEST(digest_is_crc_32)
{
	uint8_t all[256];

	for (int i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	ck_assert_uint_eq(crc32_add(0, "123456789", 9), 0xcbf43926);
	ck_assert_uint_eq(crc32_add(0, all, 256), 0x29058c73);
	ck_assert_uint_eq(crc32_add(crc32_add(0, all, 100), all + 100, 156), 0x29058c73);
	ck_assert_uint_eq(crc32_add(0, all, 0), 0);
}
END_TEST

/* ---- how much there may be ---------------------------------------------------------------- */

static const struct {
	const char *name, *item; /* which is repeated */
	size_t limit;
	const char *message; /* of one more */
} most[] = {
	{ "fields", "S [00 00]", TRUTH_FILE_FIELDS_MAX, "too many fields" },
	{ "images", "I [00 00 00]", TRUTH_FILE_IMAGES_MAX, "too many images" },
};

static size_t add_text(uint8_t *bytes, size_t size, const char *text)
{
	const size_t first_line = strlen(TRUTH_FILE_MAGIC);
	uint8_t added[TRUTH_BYTES];
	size_t more = truth_bytes(text, added) - first_line;

	memcpy(bytes + size, added + first_line, more);
	return size + more;
}

START_TEST(as_many_and_one_more)
{
	const size_t count = most[_i / 2].limit + _i % 2;
	uint8_t *bytes = malloc(8 * count + TRUTH_BYTES), item[TRUTH_BYTES];
	const size_t first_line = truth_bytes("", item);
	const size_t item_size = truth_bytes(most[_i / 2].item, item) - first_line;
	size_t size = first_line;
	struct truth_file *read;
	struct error error;

	memcpy(bytes, item, first_line);
	for (size_t i = 0; i < count; i++, size += item_size)
		memcpy(bytes + size, item + first_line, item_size);
	size = add_text(bytes, size, "T [] O [] E [00]");
	if (_i % 2) {
		ck_assert(truth_file_create(bytes, size, &read, &error));
		ck_assert_str_eq(error.message, most[_i / 2].message);
	} else {
		ck_assert_msg(!truth_file_create(bytes, size, &read, &error), "%s", error.message);
		ck_assert_uint_eq(truth_file_field_count(read) + truth_file_image_count(read),
				  count);
		truth_file_close(read);
	}
	free(bytes);
}
END_TEST

/* One stack, each of whose frames calls itself: as deep as it may be, and one frame deeper. */
START_TEST(as_deep_and_one_more)
{
	const uint32_t depth = TRUTH_FILE_FRAMES_MAX + _i;
	uint8_t *bytes = malloc(3 * (size_t)depth + TRUTH_BYTES);
	size_t size = add_text(bytes, truth_bytes("", bytes), "I [01 01 'p' 00] T");
	const size_t tree = 3 * (size_t)depth;
	struct truth_file *read;
	struct error error;

	for (int shift = 0; shift < 28; shift += 7) /* LEB128, padded */
		bytes[size++] = (uint8_t)((tree >> shift & 0x7f) | (shift < 21 ? 0x80 : 0));
	for (uint32_t i = 0; i < depth; i++, size += 3)
		memcpy(bytes + size, "\0\0\0", 3);
	size = add_text(bytes, size, "O [] E [00]");
	if (_i) {
		ck_assert(truth_file_create(bytes, size, &read, &error));
		ck_assert_str_eq(error.message, "a stack that is too deep");
	} else {
		ck_assert_msg(!truth_file_create(bytes, size, &read, &error), "%s", error.message);
		ck_assert_uint_eq(truth_file_node(read, depth)->depth, depth);
		truth_file_close(read);
	}
	free(bytes);
}
END_TEST

SUITE(truth_file_answers, LOOP(nearest_of_several, nearest), LOOP(gap, gaps),
      TEST(digest_is_crc_32), TIMES(as_many_and_one_more, 2 * COUNT(most)),
      TIMES(as_deep_and_one_more, 2))
