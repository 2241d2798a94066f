/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_truth_entries.c - files of kernel entries that nobody may have written so
 */
#include "tests/suite.h"
#include "truth_bytes.h"

/* Behind the first line of a file of entries; "E" gets its digest. */
static size_t entries_bytes(const char *text, uint8_t ret[TRUTH_BYTES])
{
	size_t size = truth_bytes(text, ret), old = strlen(TRUTH_FILE_MAGIC),
	       magic = strlen(TRUTH_ENTRIES_MAGIC);
	uint32_t digest;

	memmove(ret + magic, ret + old, size - old);
	memcpy(ret, TRUTH_ENTRIES_MAGIC, magic);
	size += magic - old;
	digest = crc32_add(0, ret, size);
	memcpy(ret + size, &digest, sizeof(digest));
	return size + sizeof(digest);
}

#define IMAGE "I [01 02 '/a' 00]"

static const struct {
	const char *name, *text;
	const char *wrong; /* NULL: it can be read */
} cases[] = {
	{ "empty", "E [00]", NULL },
	{ "one_entry", IMAGE "N [00 00 10] R [07 05 01 02 02 00] E [01]", NULL },
	{ "below_the_open_root", IMAGE "N [02 00 10] R [07 05 01 02 02 00] E [01]", NULL },
	{ "an_unknown_small_letter", "x [00] E [00]", NULL },
	{ "an_unknown_letter", "Q [00] E [00]", "an item of an unknown kind" },
	{ "a_tree", "T [] E [00]", "an item of an unknown kind" },
	{ "other_entries", "E [01]", "other entries than it says" },
	{ "a_parent_that_is_not_there", IMAGE "N [04 00 10] E [00]",
	  "a node below one that there is not" },
	{ "an_image_that_is_not_there", IMAGE "N [00 01 10] E [00]", "an image that there is not" },
	{ "a_node_twice", IMAGE "N [00 00 10 00 00 10] E [00]", "a node that is there twice" },
	{ "half_a_node", IMAGE "N [00 00] E [00]",
	  "a number that is cut off, or of more than 64 bits" },
	{ "an_entry_at_no_node", IMAGE "R [07 05 01 02 02 00] E [01]",
	  "an entry at a node that there is not" },
	{ "an_entry_at_a_root", IMAGE "N [00 00 10] R [07 05 01 02 01 00] E [01]",
	  "an entry at a node that there is not" },
	{ "half_an_entry", IMAGE "N [00 00 10] R [07 05 01 02 02] E [01]",
	  "a number that is cut off, or of more than 64 bits" },
	{ "a_root_interrupts", IMAGE "N [00 00 10] J [01] E [00]", "a node that there is not" },
	{ "bytes_left_in_an_item", "E [00 00]", "bytes that are left over in an item" },
};

START_TEST(each_is_read_or_refused)
{
	uint8_t bytes[TRUTH_BYTES];
	const size_t size = entries_bytes(cases[_i].text, bytes);
	struct truth_file *file;
	struct error error;
	int status = truth_file_create(bytes, size, &file, &error);

	if (cases[_i].wrong) {
		ck_assert_msg(status, "%s", cases[_i].name);
		ck_assert_int_eq(error.code, ERROR_PROTOCOL);
		ck_assert_str_eq(error.message, cases[_i].wrong);
		return;
	}
	ck_assert_msg(!status, "%s: %s", cases[_i].name, error.message);
	ck_assert(truth_file_has_entries(file));
	truth_file_close(file);
}
END_TEST

START_TEST(an_open_stack_is_known)
{
	uint8_t bytes[TRUTH_BYTES];
	const size_t size =
		entries_bytes(IMAGE "N [02 00 10 00 00 20] R [07 05 01 02 02 00] E [01]", bytes);
	struct truth_file *file;
	struct error error;

	ck_assert(!truth_file_create(bytes, size, &file, &error));
	ck_assert_uint_eq(truth_file_open_root(file), 2);
	ck_assert_uint_eq(truth_file_entry(file, 0)->node, 3);
	ck_assert(truth_file_is_open(file, 3));
	ck_assert_uint_eq(truth_file_number(file, "open"), 1);
	ck_assert_uint_eq(truth_file_node(file, 3)->points, 0);
	ck_assert_uint_eq(truth_file_node(file, 3)->unproven, 1);
	ck_assert_uint_eq(truth_file_entry(file, 0)->flags, TRUTH_ENTRY_DOUBT);
	truth_file_close(file);
}
END_TEST

SUITE(truth_entries, LOOP(each_is_read_or_refused, cases), TEST(an_open_stack_is_known))
