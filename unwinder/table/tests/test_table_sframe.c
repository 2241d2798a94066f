/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_sframe.c - SFrame as a table: at each address the rule is the row's, or a marker
 *
 * What the table says is found as a walk finds it, and held against the row that sframe_canonical_find() gives, made a
 * rule by itself.
 */
#include "tests/suite.h"
#include "sframe/tests/sframe_bytes.h"
#include "table/unwind_table.h"

#define CODE_VADDR 0x1000
#define CODE_BYTES 0x3000

enum content { USUAL, OVERLAPPING, MALFORMED, GAP_BEFORE_ROWS, OUTSIDE, BLOCKS, MANY };

static const struct {
	const char *name;
	unsigned int version;
	enum content content;
	uint64_t functions, rows, lost, malformed;
} cases[] = {
	{ "version_1", 1, USUAL, 3, 11, 0, 0 },
	{ "version_2", 2, USUAL, 3, 11, 0, 0 },
	{ "version_3", 3, USUAL, 5, 14, 0, 0 },
	{ "functions_share_code", 2, OVERLAPPING, 3, 3, 0, 0 },
	{ "a_malformed_row", 3, MALFORMED, 1, 1, 0, 1 },
	{ "no_row_at_first", 2, GAP_BEFORE_ROWS, 1, 2, 0, 0 },
	{ "a_function_elsewhere", 2, OUTSIDE, 1, 1, 1, 0 },
	{ "blocks_that_do_not_begin_with_a_row", 2, BLOCKS, 1, 6, 0, 0 },
	{ "many_in_version_1", 1, MANY, 150, 825, 0, 0 },
	{ "many_in_version_2", 2, MANY, 150, 825, 0, 0 },
	{ "many_in_version_3", 3, MANY, 150, 825, 0, 0 },
};

static void put_one_row(struct made *made, uint64_t pc, uint32_t size, int cfa)
{
	made_function(made, pc, size, ADDR1, 0, 0, 1);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), cfa);
}

/* Functions of each kind: one behind the other or not, rows near and far, of few kinds and of many, words of each size. */
static void put_many(struct made *made)
{
	uint32_t pc = 0x1000, seed = made->version;

	for (unsigned int i = 0; i < 150; i++) {
		unsigned int rows = 1 + i % 10, starts = i % 3;
		uint8_t info = (uint8_t)(starts |
					 (made->version == 3 && i % 7 == 0 ? SIGNAL_P : 0));
		uint32_t at = 0;

		made_function(made, pc, 8 * rows + (i % 4 ? 0 : 60), info, 0, 0, rows);
		for (unsigned int row = 0; row < rows; row++) {
			unsigned int bytes = i % 5 ? 1 : seed % 3 == 2 ? 4 : 1 + seed % 3;
			int cfa = 8 + (int)(seed >> 8) % (i % 5 ? 4 : 15) * 8;

			made_row(made, 1u << starts, at,
				 ROW(seed % 5 ? BY_SP : BY_FP, bytes, 1 + seed % 2), cfa, -16);
			at += 1 + seed % 8;
			seed = seed * 1103515245 + 12345;
		}
		pc += 8 * rows + 60 + i % 2 * 7;
		pc -= i % 4 && i % 2 ? 67 : 0;
	}
}

static void put_content(struct made *made, enum content content)
{
	switch (content) {
	case USUAL: made_usual(made); return;
	case OVERLAPPING:
		put_one_row(made, 0x1000, 0x1000, 8);
		put_one_row(made, 0x1100, 0x100, 16);
		put_one_row(made, 0x1180, 0x20, 24);
		return;
	case MALFORMED:
		made_function(made, 0x1200, 0x40, ADDR1, 0, 0, 2);
		made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
		made_row(made, 1, 8, ROW(BY_SP, 1, 3), 8, 8, 8);
		return;
	case GAP_BEFORE_ROWS:
		made_function(made, 0x1200, 0x40, ADDR1, 0, 0, 2);
		made_row(made, 1, 4, ROW(BY_SP, 1, 1), 8);
		made_row(made, 1, 8, ROW(BY_SP, 1, 2), 16, -16);
		return;
	case BLOCKS:
		made_function(made, 0x1400, 0x30, ADDR1 | PCMASK, 0, 16, 2);
		made_row(made, 1, 2, ROW(BY_SP, 1, 1), 8);
		made_row(made, 1, 9, ROW(BY_SP, 1, 1), 16);
		return;
	case MANY: put_many(made); return;
	case OUTSIDE:
		put_one_row(made, 0x1000, 0x10, 8);
		put_one_row(made, 0x100000, 0x10, 8);
		return;
	}
}

/* The same rule or marker as the row at pc becomes. */
static void check_pc(const char *name, const struct sframe *sframe, const struct table *table,
		     uint64_t pc)
{
	struct sframe_canonical canonical;
	struct table_rule_full rule;
	struct error error;
	int found = sframe_canonical_find(sframe, pc, &canonical, &error);
	uint32_t number = table_find(table, pc), count;
	enum table_marker marker = TABLE_NO_ROW;

	if (found > 0)
		marker = table_rule_from_row(&canonical.row, &rule);
	else if (found < 0)
		marker = TABLE_MALFORMED;
	if (marker || !found) {
		ck_assert_msg(number == (uint32_t)marker, "%s: 0x%x: %u", name, (unsigned int)pc,
			      number);
		return;
	}
	ck_assert_msg(number >= TABLE_MARKER_COUNT, "%s: 0x%x: %u", name, (unsigned int)pc, number);
	struct table_rule is = table->rule[number];
	const struct table_place *place = table_rule_places(table, number, &count);

	if (place) {
		is.first_place = rule.rule.first_place;
		ck_assert(!memcmp(place, rule.place, count * sizeof(*place)));
	}
	ck_assert_msg(!memcmp(&is, &rule.rule, sizeof(is)), "%s: 0x%x", name, (unsigned int)pc);
}

START_TEST(each_address_has_its_rule)
{
	struct made made = { .version = cases[_i].version };
	struct bytes bytes = { .size = 0 }, no_cfi = { .size = 0 };
	struct image image = fake_image(&no_cfi);
	struct image_segment segment = { CODE_VADDR, CODE_BYTES, 0, CODE_BYTES, true };
	struct image_section section;
	struct sframe *sframe;
	struct table *table;
	struct error error;

	image.segment = &segment;
	image.segment_count = 1;
	image.type = ET_DYN;
	put_content(&made, cases[_i].content);
	made_finish(&made, &bytes);
	section = made_section(&bytes);
	sframe = read_made(&section, &error);
	ck_assert_msg(!table_build_sframe(&image, sframe, &table, &error), "%s", error.message);
	ck_assert_uint_eq(table->fde_count, cases[_i].functions);
	ck_assert_uint_eq(table->cfi_row_count, cases[_i].rows);
	ck_assert_uint_eq(table->lost_fdes, cases[_i].lost);
	ck_assert_uint_eq(table->lost[TABLE_MALFORMED], cases[_i].malformed);
	for (uint64_t pc = CODE_VADDR; pc < CODE_VADDR + CODE_BYTES; pc++) {
		/* Behind a bad row there is a marker; the rows before it are good. */
		if (cases[_i].content == MALFORMED && pc >= 0x1200 && pc < 0x1208)
			ck_assert_uint_ge(table_find(table, pc), TABLE_MARKER_COUNT);
		else
			check_pc(cases[_i].name, sframe, table, pc);
	}
	table_destroy(table);
	sframe_destroy(sframe);
}
END_TEST

SUITE(table_sframe, LOOP(each_address_has_its_rule, cases))
