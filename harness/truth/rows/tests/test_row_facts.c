/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_row_facts.c - facts: collected, written, read again; and files that are none
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "truth/rows/row_facts.h"

static char path[] = "/tmp/row_facts.XXXXXX";

static void setup(void)
{
	strcpy(path + strlen(path) - 6, "XXXXXX");
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void teardown(void)
{
	unlink(path);
}

static const uint8_t id[] = { 0xab, 0x01 };
static const struct truth_image images[] = {
	{ TRUTH_IMAGE_FILE, "/never", NULL, 0, { 0 } },
	{ TRUTH_IMAGE_FILE, "/lib/a b\n\\c", id, sizeof(id), { 0 } },
	{ TRUTH_IMAGE_FILE, "/bin/p", NULL, 0, { 0xab, 0, 2 } },
};

static void add(struct row_facts *facts, struct row_fact fact)
{
	ck_assert(row_facts_add(facts, &fact));
}

static const char text[] = "stackproof rows 1\n"
			   "every 1\n"
			   "I ab01 /lib/a b\\x0a\\x5cc\n"
			   "F 1000 frame * 16 1 0\n"
			   "F 1000 frame 8 0 12 4\n"
			   "A 4 3\n"
			   "R 5 1 0 0 0 0 c\n"
			   "F 1000 frame 8 0 1 0 24 16 -1 0\n"
			   "A 0 0 8\n"
			   "F 1000 outermost 0 0 1 0\n"
			   "I 00000000000000ab-0000000000000000-0000000000000002 /bin/p\n"
			   "F 0 doubt 0 0 0 7\n"
			   "E 5\n";

static void fill(struct row_facts *facts)
{
	*facts = (struct row_facts) { .image = malloc(sizeof(images)), .images = 3 };
	memcpy(facts->image, images, sizeof(images));
	add(facts, (struct row_fact) { .image = 2, .kind = ROW_FACT_DOUBT, .unproven = 7 });
	add(facts, (struct row_fact) {
			   .image = 1, .pc = 0x1000, .kind = ROW_FACT_OUTERMOST, .proven = 1 });
	add(facts, (struct row_fact) { .image = 1,
				       .pc = 0x1000,
				       .sp = 8,
				       .proven = 2,
				       .returns = { true, 12, UINT64_MAX << 4 & ~ROW_RETURN_SLOT },
				       .registers = { true, 7, { 3, 0, 0, 0, 0, 12 } } });
	add(facts, (struct row_fact) {
			   .image = 1, .pc = 0x1000, .sp = ROW_FACT_ANY, .bp = 16, .proven = 1 });
	add(facts,
	    (struct row_fact) { .image = 1,
				.pc = 0x1000,
				.sp = 8,
				.proven = 1,
				.others = 2,
				.other = { { 24, 16 }, { ROW_FACT_NO_CALLER, 0 } },
				.returns = { true, 0, UINT64_MAX & ~ROW_RETURN_SLOT, true, 8 } });
	add(facts, (struct row_fact) { .image = 1,
				       .pc = 0x1000,
				       .sp = 8,
				       .proven = 10,
				       .unproven = 4,
				       .returns = { true, 6, UINT64_MAX << 3 & ~ROW_RETURN_SLOT },
				       .registers = { true, 5, { 1, 0, 0, 0, 0, 14 } } });
}

static void check_text(const struct row_facts *facts)
{
	FILE *file;
	char said[1000];
	struct error error;
	size_t size;

	ck_assert_int_eq(row_facts_write(facts, path, &error), 0);
	file = fopen(path, "re");
	size = fread(said, 1, sizeof(said) - 1, file);
	fclose(file);
	said[size] = '\0';
	ck_assert_str_eq(said, text);
}

START_TEST(what_is_written_is_read)
{
	struct row_facts facts, again;
	const struct row_fact *found;
	struct error error;

	fill(&facts);
	row_facts_sort(&facts);
	check_text(&facts);
	ck_assert(row_facts_is_file(path));
	ck_assert_int_eq(row_facts_read(path, &again, &error), 0);
	ck_assert_uint_eq(again.images, 2);
	ck_assert_str_eq(again.image[0].path, images[1].path);
	ck_assert_uint_eq(row_facts_find(&again, 0, 0x1000, 0x1001, &found), 4);
	ck_assert_int_eq(found[1].sp, 8);
	ck_assert_uint_eq(found[1].proven, 12);
	ck_assert_uint_eq(found[1].registers.same, 5);
	ck_assert_uint_eq(row_facts_find(&again, 0, 0x1001, UINT64_MAX, &found), 0);
	ck_assert_uint_eq(row_facts_find(&again, 1, 0, 1, &found), 1);
	check_text(&again);
	row_facts_deinit(&again);
	row_facts_deinit(&facts);
}
END_TEST

#define BEGIN "stackproof rows 1\nI - /x\nF 10 frame 8 0 1 0\n"

static const struct bad_case {
	const char *name, *text;
	uint64_t line;
} bad_cases[] = {
	{ "empty", "", 0 },
	{ "another_file", "stackproof truth 2\n", 1 },
	{ "no_end", "stackproof rows 1\n", 1 },
	{ "cut_off", BEGIN, 3 },
	{ "cut_off_in_a_line", BEGIN "E 1", 4 },
	{ "another_count", BEGIN "E 2\n", 4 },
	{ "behind_the_end", BEGIN "E 1\nE 1\n", 5 },
	{ "fact_before_any_image", "stackproof rows 1\nF 10 frame 8 0 1 0\nE 1\n", 2 },
	{ "the_same_again", BEGIN "F 10 frame 8 0 1 0\nE 2\n", 4 },
	{ "falling", BEGIN "F f frame 8 0 1 0\nE 2\n", 4 },
	{ "no_such_kind", BEGIN "F 11 thing 8 0 1 0\nE 2\n", 4 },
	{ "no_address", BEGIN "F x frame 8 0 1 0\nE 2\n", 4 },
	{ "address_too_large", BEGIN "F 10000000000000000 frame 8 0 1 0\nE 2\n", 4 },
	{ "negative_count", BEGIN "F 11 frame 8 0 -1 0\nE 2\n", 4 },
	{ "no_offset", BEGIN "F 11 frame - 0 1 0\nE 2\n", 4 },
	{ "too_short", BEGIN "F 11 frame 8 0 1\nE 2\n", 4 },
	{ "too_long", BEGIN "F 11 frame 8 0 1 0 0\nE 2\n", 4 },
	{ "half_a_reading", BEGIN "F 11 frame 8 0 1 0 16\nE 2\n", 4 },
	{ "reading_of_no_frame", BEGIN "F 11 frame 8 0 1 0 0 16\nE 2\n", 4 },
	{ "too_many_readings", BEGIN "F 11 frame 8 0 1 0 16 0 24 0 32 0\nE 2\n", 4 },
	{ "reading_of_what_is_none", BEGIN "F 11 doubt 0 0 1 0 16 0\nE 2\n", 4 },
	{ "return_address_twice", BEGIN "A 0 0\nA 0 0\nE 1\n", 5 },
	{ "return_address_of_no_fact", "stackproof rows 1\nA 0 0\nE 0\n", 2 },
	{ "half_a_return_address", BEGIN "A 0\nE 1\n", 4 },
	{ "word_that_has_it_and_is_not_known", BEGIN "A 1 1\nE 1\n", 4 },
	{ "too_many_registers_with_it", BEGIN "A 0 0 10000\nE 1\n", 4 },
	{ "two_spaces", BEGIN "F  11 frame 8 0 1 0\nE 2\n", 4 },
	{ "registers_twice", BEGIN "R 0 0 0 0 0 0 0\nR 0 0 0 0 0 0 0\nE 1\n", 5 },
	{ "registers_of_no_fact", "stackproof rows 1\nR 0 0 0 0 0 0 0\nE 0\n", 2 },
	{ "too_many_registers", BEGIN "R 40 0 0 0 0 0 0\nE 1\n", 4 },
	{ "too_few_registers", BEGIN "R 0 0 0 0 0 0\nE 1\n", 4 },
	{ "no_path", "stackproof rows 1\nI -\nE 0\n", 2 },
	{ "no_build_id", "stackproof rows 1\nI xy /x\nE 0\n", 2 },
	{ "half_a_byte", "stackproof rows 1\nI abc /x\nE 0\n", 2 },
	{ "bad_escape", "stackproof rows 1\nI - /x\\y\nE 0\n", 2 },
	{ "nul_in_a_path", "stackproof rows 1\nI - /x\\x00\nE 0\n", 2 },
	{ "another_rate", "stackproof rows 1\nevery 2\nE 0\n", 2 },
	{ "no_such_line", BEGIN "X 1\nE 1\n", 4 },
	{ "empty_line", BEGIN "\nE 1\n", 4 },
};

START_TEST(what_is_no_file_of_facts_is_refused)
{
	const struct bad_case *c = &bad_cases[_i];
	FILE *file = fopen(path, "we");
	struct row_facts facts;
	struct error error = { 0 };

	fputs(c->text, file);
	fclose(file);
	ck_assert_msg(row_facts_read(path, &facts, &error) == -1, "%s", c->name);
	ck_assert_msg(error.code == ERROR_TEXT_SYNTAX && error.offset == c->line, "%s: line %d: %s",
		      c->name, (int)error.offset, error.message);
	row_facts_deinit(&facts);
}
END_TEST

START_TEST(nul_is_refused)
{
	FILE *file = fopen(path, "we");
	struct row_facts facts;
	struct error error;

	fwrite("stackproof rows 1\nE\0", 1, 20, file);
	fclose(file);
	ck_assert_int_eq(row_facts_read(path, &facts, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
	row_facts_deinit(&facts);
	unlink(path);
	ck_assert(!row_facts_is_file(path));
	ck_assert_int_eq(row_facts_read(path, &facts, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(row_facts_write(&facts, "/nowhere/x", &error), -1);
	row_facts_deinit(&facts);
}
END_TEST

SUITE(row_facts, FIXTURE(setup, teardown), TEST(what_is_written_is_read),
      LOOP(what_is_no_file_of_facts_is_refused, bad_cases), TEST(nul_is_refused))
