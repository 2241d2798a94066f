/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_json.c - what `table --json` says of what is wrong with the CFI, and what a part of an image is
 *
 * In two sections at once, in more FDEs than a list of errors holds, and in those that no row is of: each is told
 * once.
 */
#include "tables/table/tests/table_sections.h"

static size_t count_of(const char *text, const char *part)
{
	size_t ret = 0;

	for (; (text = strstr(text, part)); text++)
		ret++;
	return ret;
}

/* FDEs of no code, which are told behind all rows. */
static void covers_nothing(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1200, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1300, 4, CFA_nop);
}

/* The same at the same offsets, of other code. */
static void covers_nothing_again(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1140, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1240, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1340, 4, CFA_nop);
}

/* The second of three can't be read to its end, and behind them is one of no CIE. */
static void second_is_bad(struct diff_image *image)
{
	static const uint8_t of_none[] = { 12, 0, 0, 0, 1, 0, 0, 0, 0, 0x11, 0, 0, 4, 0, 0, 0 };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1110, 0x10, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1120, 0x10, CFA_nop);
	diff_image_put(image, of_none, sizeof(of_none));
}

START_TEST(what_is_wrong_in_two_sections_is_told_of_both)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", covers_nothing),
							SECTION(".eh_frame", covers_nothing_again),
							NO_SECTION };
	struct table_filter filter = { .section = NULL };
	char *text;

	section_image_write("image", sections);
	text = formatted(table_json, &filter, 0, 4, "two sections");
	ck_assert_msg(count_of(text, "\"code\":\"cfi_instruction\",\"section\":\".eh_frame\"") == 2,
		      "%s", text);
	ck_assert_msg(count_of(text, "\"code\":\"cfi_instruction\",\"section\":\".eh_frame[") == 2,
		      "%s", text);
	free(text);
}
END_TEST

/* A row is of its section, and what is asked for is all that is asked of it. */
START_TEST(a_part_of_two_sections)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", eh_frame),
							SECTION(".debug_frame", debug_frame),
							NO_SECTION },
					 bad[] = { SECTION(".eh_frame", second_is_bad),
						   NO_SECTION };
	struct table_filter filter = { .by_pc = true, .pc = 0x1100, .pc_end = 0x1400 };
	char *text;

	section_image_write("image", sections);
	text = formatted(table_json, &filter, 0, 0, "two sections");
	ck_assert_msg(count_of(text, "\"section\":\".eh_frame\"") == 1, "%s", text);
	ck_assert_msg(count_of(text, "\"section\":\".debug_frame\"") == 2, "%s", text);
	free(text);
	section_image_write("image", bad);
	for (int i = 0; i < 3; i++) { /* the bad one is among them, is it alone, is not */
		filter.pc = i == 1 ? 0x1110 : 0x1100;
		filter.pc_end = i == 2 ? 0x1110 : 0x1130;
		/* Whatever is asked for, what can't be read may be it. */
		text = formatted(table_text, &filter, 0, i == 2 ? 1 : 2, "a bad one");
		ck_assert_msg(count_of(text, "function ") == (i == 0   ? 3
							      : i == 1 ? 2
								       : 1),
			      "%s", text);
		free(text);
	}
}
END_TEST

/* ---- more than a list of errors holds ------------------------------------------------------- */

/* Ten that can't be read to their end, of the last code, the first, and none. */
static void ten_bad(struct diff_image *image, uint64_t pc, uint64_t range)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	for (int i = 0; i < 10; i++)
		DIFF_IMAGE_FDE(image, cie, pc, range, 0x3f);
}

static void last_code(struct diff_image *image)
{
	ten_bad(image, 0x1200, 0x10);
}

static void first_code(struct diff_image *image)
{
	ten_bad(image, 0x1100, 0x10);
}

static void no_code(struct diff_image *image)
{
	ten_bad(image, 0x1300, 0);
}

static void ten_sound(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	for (int i = 0; i < 10; i++)
		DIFF_IMAGE_FDE(image, cie, 0x1400, 0x10, CFA_nop);
}

/* An .eh_frame_hdr of an .eh_frame right behind it, which lists nothing. */
static void empty_search_table(struct diff_image *image)
{
	static const uint8_t header[16] = { 1, 0x1b, 0x03, 0x3b, 12 };

	diff_image_put(image, header, sizeof(header));
}

static const struct {
	const char *name;
	struct test_section section[4];
	size_t instructions, search_table; /* lines of what is wrong in either */
	const char *more;		   /* the line of what is only counted */
	size_t more_count;
} many[] = {
	{ "in_another_order_than_by_pc",
	  { { ".eh_frame", last_code, 0, 0, 53 }, { ".eh_frame", first_code, 0, 0, 53 } },
	  1060,
	  0,
	  NULL,
	  0 },
	{ "behind_a_thousand_those_of_no_code",
	  { { ".eh_frame", first_code, 0, 0, 105 }, { ".eh_frame", no_code, 0, 0, 2 } },
	  1070,
	  0,
	  NULL,
	  0 },
	{ "of_no_code_alone", { { ".eh_frame", no_code, 0, 0, 105 } }, 1050, 0, NULL, 0 },
	{ "in_the_search_table_too",
	  { SECTION(".eh_frame_hdr", empty_search_table),
	    { ".eh_frame", ten_sound, 0, 0, 105 },
	    { ".eh_frame", no_code, 0, 0, 2 } },
	  20,
	  1000,
	  "{\"type\":\"error\",\"image\":\"image\",\"more\":50}\n",
	  50 },
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* No two lines of the text are the same. */
static void expect_different_lines(const char *name, char *text)
{
	char **line = calloc(count_of(text, "\n"), sizeof(*line));
	size_t count = 0;

	ck_assert_ptr_nonnull(line);
	for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n"))
		if (count_of(at, "\"type\":\"error\""))
			line[count++] = at;
	qsort(line, count, sizeof(*line), compare_lines);
	for (size_t i = 1; i < count; i++)
		ck_assert_msg(strcmp(line[i - 1], line[i]) != 0, "%s: twice: %s", name, line[i]);
	free(line);
}

START_TEST(each_of_many_is_told_once)
{
	typeof(&many[0]) c = &many[_i];
	struct table_filter filter = { .section = NULL };
	char *text;

	section_image_write("image", c->section);
	text = formatted(table_json, &filter, 0, c->instructions + c->search_table + c->more_count,
			 c->name);
	ck_assert_msg(count_of(text, "\"code\":\"cfi_instruction\"") == c->instructions, "%s: %zu",
		      c->name, count_of(text, "\"code\":\"cfi_instruction\""));
	ck_assert_msg(count_of(text, "\"code\":\"search_table\"") == c->search_table, "%s: %zu",
		      c->name, count_of(text, "\"code\":\"search_table\""));
	ck_assert_msg(count_of(text, "\"more\":") == !!c->more, "%s", c->name);
	ck_assert_msg(!c->more || strstr(text, c->more), "%s", c->name);
	expect_different_lines(c->name, text);
	free(text);
}
END_TEST

/* Who asks for a part is told of that part: not of the search table, nor of what covers nothing. */
START_TEST(a_part_is_told_of_itself)
{
	static const struct test_section sections[] = {
		SECTION(".eh_frame_hdr", empty_search_table), SECTION(".eh_frame", covers_nothing),
		NO_SECTION
	};
	struct table_filter filter = { .by_pc = true, .pc = 0x1303, .pc_end = 0x1304 };
	char *text;

	section_image_write("image", sections);
	text = formatted(table_json, &filter, 0, 0, "a part");
	ck_assert_msg(count_of(text, "\"type\"") == 1 && count_of(text, "\"pc\":\"0x1300\"") == 1,
		      "%s", text);
	free(text);
	filter.by_pc = false;
	text = formatted(table_json, &filter, 0, 3, "all");
	ck_assert_msg(count_of(text, "\"type\":\"error\"") == 3 &&
			      count_of(text, "\"pc\":\"0x1300\"") == 2,
		      "%s", text);
	free(text);
}
END_TEST

SUITE(table_json, FIXTURE(folder_enter, folder_remove),
      TEST(what_is_wrong_in_two_sections_is_told_of_both), TEST(a_part_of_two_sections),
      LOOP(each_of_many_is_told_once, many), TEST(a_part_is_told_of_itself))
