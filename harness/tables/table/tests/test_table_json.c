/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_json.c - what `table --json` says of what is wrong with the CFI, and what a part of an image is
 *
 * In two sections at once each is told once.
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

SUITE(table_json, FIXTURE(set_up, tear_down), TEST(what_is_wrong_in_two_sections_is_told_of_both),
      TEST(a_part_of_two_sections))
