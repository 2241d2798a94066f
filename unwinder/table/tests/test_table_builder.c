/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_builder.c - what a builder stores once, goes back to, and takes apart
 *
 * The builder by itself, fed with rules and runs; and images as compilers write them, whose tables
 * show which way they were made.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "table/table_builder.h"

#define NOPS CFA_nop, CFA_nop, CFA_nop
#define PAGE 0x1000

struct world {
	struct image image;
	struct image_segment segment;
	struct table_builder builder;
};

static void world_init(struct world *world)
{
	struct error error;

	*world = (struct world) { .segment = { TEST_PC, 4 * PAGE, 0, 4 * PAGE, true } };
	world->image = (struct image) { .path = "made",
					.machine = EM_X86_64,
					.type = ET_DYN,
					.segment = &world->segment,
					.segment_count = 1 };
	ck_assert(!builder_init(&world->builder, &world->image, &error));
}

/* cfa=rsp+8*n ra=c-8 */
static uint32_t add_rule(struct table_builder *builder, uint32_t n)
{
	struct table_rule rule = { .cfa_register = REGISTER_RSP, .cfa_offset = 8 * (int)n };

	rule.saved[TABLE_COLUMN_RA] = 1;
	return builder_short_rule(builder, &rule);
}

/* ---- rules ------------------------------------------------------------------------------- */

START_TEST(extended_rules_are_stored_once)
{
	struct table_rule_full full[4];
	struct world world;
	uint32_t number[COUNT(full)];

	world_init(&world);
	for (int i = 0; i < COUNT(full); i++) {
		struct row row = { .cfa = { .kind = RULE_CFA_REGISTER,
					    .reg = REGISTER_RSP,
					    .offset = i == 3 ? 24 : 16 } };

		row.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -8 };
		row.reg[REGISTER_RAX] = (struct row_rule) { .kind = RULE_OFFSET,
							    .offset = i == 2 ? -24 : -16 };
		ck_assert_int_eq(table_rule_from_row(&row, &full[i]), 0);
		ck_assert(full[i].rule.flags & TABLE_RULE_EXTENDED);
		number[i] = builder_rule(&world.builder, &full[i]);
	}
	ck_assert_uint_eq(number[0], number[1]);
	ck_assert(number[0] != number[2] && number[0] != number[3] && number[2] != number[3]);
	ck_assert_uint_eq(world.builder.table->rule_count, TABLE_MARKER_COUNT + 3);
	builder_abandon(&world.builder);
}
END_TEST

/* Just the room that the second rule needs, and a byte less. */
START_TEST(rules_have_so_much_room)
{
	struct table_rule_full full[2];
	struct world world;
	uint64_t places = 0;

	world_init(&world);
	for (int i = 0; i < COUNT(full); i++) {
		struct row row = { .cfa = { .kind = RULE_CFA_REGISTER,
					    .reg = REGISTER_RSP,
					    .offset = 16 + 8 * i } };

		row.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -8 };
		row.reg[REGISTER_RAX] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -16 };
		ck_assert_int_eq(table_rule_from_row(&row, &full[i]), 0);
		places += full[i].rule.flags >> TABLE_RULE_PLACES_SHIFT;
	}
	ck_assert_uint_ge(builder_rule(&world.builder, &full[0]), TABLE_MARKER_COUNT);
	world.builder.rule_bytes_max = (TABLE_MARKER_COUNT + 2) * sizeof(struct table_rule) +
				       places * sizeof(struct table_place) - (uint64_t)_i;
	if (_i)
		ck_assert_uint_eq(builder_rule(&world.builder, &full[1]), TABLE_TOO_MANY_RULES);
	else
		ck_assert_uint_eq(builder_rule(&world.builder, &full[1]), TABLE_MARKER_COUNT + 1);
	ck_assert_uint_eq(builder_rule(&world.builder, &full[0]), TABLE_MARKER_COUNT);
	builder_abandon(&world.builder);
}
END_TEST

/* ---- runs -------------------------------------------------------------------------------- */

START_TEST(run_is_found_where_it_is)
{
	static const struct run_row rows[] = { { 0, 10 }, { 3, 11 }, { 7, 12 } },
				    others[] = { { 0, 10 }, { 4, 11 }, { 7, 12 } };
	struct world world;
	uint32_t number;

	world_init(&world);
	ck_assert_uint_eq(builder_find_run(&world.builder, rows, COUNT(rows)), 0);
	number = builder_run(&world.builder, rows, COUNT(rows));
	ck_assert_uint_ne(number, 0);
	ck_assert_uint_eq(builder_find_run(&world.builder, rows, COUNT(rows)), number);
	ck_assert_uint_eq(builder_run(&world.builder, rows, COUNT(rows)), number);
	ck_assert_uint_eq(builder_find_run(&world.builder, rows, 2), 0);
	ck_assert_uint_eq(builder_find_run(&world.builder, others, COUNT(others)), 0);
	builder_abandon(&world.builder);
}
END_TEST

/* An entry in the next page, and back. */
START_TEST(builder_goes_back_to_its_mark)
{
	struct world world;
	struct builder_mark mark, again;

	world_init(&world);
	builder_jump(&world.builder, TEST_PC);
	builder_entry(&world.builder, TEST_PC, TABLE_DIRECT | 10);
	mark = builder_mark(&world.builder);
	builder_entry(&world.builder, TEST_PC + 16, TABLE_DIRECT | 11);
	builder_entry(&world.builder, TEST_PC + PAGE, TABLE_DIRECT | 12);
	builder_row(&world.builder, TEST_PC + PAGE + 16, 13);
	world.builder.table->cfi_row_count += 3;
	ck_assert_uint_eq(world.builder.part_count, mark.part_count + 1);
	builder_reset(&world.builder, &mark);
	again = builder_mark(&world.builder);
	ck_assert_uint_eq(again.entry_count, mark.entry_count);
	ck_assert_uint_eq(again.part_count, mark.part_count);
	ck_assert_uint_eq(again.page_end, mark.page_end);
	ck_assert_uint_eq(again.cfi_row_count, mark.cfi_row_count);
	ck_assert_uint_eq(world.builder.run_count, 0);
	builder_abandon(&world.builder);
}
END_TEST

/* ---- shapes that only one entry uses ------------------------------------------------------ */

/* Run `begin` of n rows as all have them, one byte apart, and then one row of another rule. */
static void add_run(struct table_builder *builder, uint64_t vaddr, uint32_t n, uint32_t last)
{
	for (uint32_t i = 0; i < n; i++)
		builder_row(builder, vaddr + i, add_rule(builder, 2 + i));
	if (last)
		builder_row(builder, vaddr + n, add_rule(builder, last));
	builder_cut(builder);
}

/* One shape that two entries use, of as many rows as there can be; others begin like it, and are
 * used once. They become its beginnings, and one entry more each. */
START_TEST(shapes_used_once_are_taken_apart)
{
	struct table *table;
	struct world world;
	struct error error;
	uint64_t vaddr = TEST_PC;

	world_init(&world);
	builder_jump(&world.builder, vaddr);
	add_run(&world.builder, vaddr, TABLE_SHAPE_ROWS, 0);
	for (uint32_t n = 2; n < TABLE_SHAPE_ROWS; n++)
		add_run(&world.builder, vaddr += 0x20, n, 20 + n);
	add_run(&world.builder, vaddr += 0x20, TABLE_SHAPE_ROWS, 0);
	world.builder.chunk[0].vaddr_end = vaddr + 0x20;
	ck_assert_uint_gt(world.builder.table->shape_count, 6 * TABLE_SHAPE_ROWS);
	ck_assert_int_eq(builder_finish(&world.builder, &table, &error), 0);
	/* The unused one, the shape, and one row for each rule that only stands alone. */
	ck_assert_uint_eq(table->shape_count, 1 + TABLE_SHAPE_ROWS + TABLE_SHAPE_ROWS - 2);
	ck_assert_uint_eq(table->entry_count, 2 + 2 * (TABLE_SHAPE_ROWS - 2));
	vaddr = TEST_PC;
	for (uint32_t n = 2; n < TABLE_SHAPE_ROWS; n++) {
		vaddr += 0x20;
		for (uint32_t i = 0; i < 0x20; i++) {
			uint32_t expected = i < n ? 2 + i : 20 + n;

			ck_assert_int_eq(table->rule[table_find(table, vaddr + i)].cfa_offset,
					 8 * (int)expected);
		}
	}
	table_destroy(table);
}
END_TEST

/* ---- the fast way ------------------------------------------------------------------------ */

struct fast_image {
	struct bytes bytes;
	struct image_segment segment;
	struct image image;
};

static void add_fast_fde(struct bytes *bytes, size_t cie, uint64_t pc, struct literal instructions)
{
	size_t start = begin_entry(bytes);

	put_number(bytes, bytes->size - cie, 4);
	put_number(bytes, pc - (TEST_SECTION_VADDR + bytes->size), 4);
	put_number(bytes, 0x20, 4);
	put_number(bytes, 0, 1);
	put_literal(bytes, instructions);
	end_entry(bytes, start);
}

static void open_fast(struct fast_image *fast)
{
	fast->segment = (struct image_segment) { TEST_PC, PAGE, 0, PAGE, true };
	fast->image = fake_image(&fast->bytes);
	fast->image.type = ET_DYN;
	fast->image.segment = &fast->segment;
	fast->image.segment_count = 1;
}

/* A CIE's rule is made when it is met: here no row has it. Row by row it would never be made. */
START_TEST(rule_of_a_cie_is_made_once)
{
	static const char nothing[64];
	struct fast_image fast = { .bytes = { .size = 0 } };
	struct table *table, *plain;
	struct error error;
	struct cfi *cfi;
	size_t cie = put_cie(&fast.bytes, 0x1b, (struct literal)CFI(CFA_USUAL));

	for (int i = 0; i < 3; i++)
		add_fast_fde(&fast.bytes, cie, TEST_PC + 0x20 * i,
			     (struct literal)CFI(CFA_def_cfa_offset(16)));
	add_fast_fde(&fast.bytes, cie, TEST_PC + 0x60, (struct literal) { nothing, 64 });
	memcpy(fast.bytes.data + fast.bytes.size - 64, CFI_SIZED(CFA_def_cfa_offset(16)));
	open_fast(&fast);
	ck_assert(!cfi_create(&fast.image, &cfi, &error));
	ck_assert(!table_build(&fast.image, &table, &error));
	ck_assert(!table_create(&fast.image, cfi, &plain, &error));
	ck_assert_uint_eq(plain->rule_count, TABLE_MARKER_COUNT + 1);
	ck_assert_uint_eq(table->rule_count, TABLE_MARKER_COUNT + 2);
	ck_assert_uint_eq(table->cfi_row_count, 4);
	ck_assert_int_eq(table->rule[table_find(table, TEST_PC)].cfa_offset, 16);
	ck_assert_uint_eq(table_find(table, TEST_PC), table_find(table, TEST_PC + 0x7f));
	table_destroy(table);
	table_destroy(plain);
	cfi_destroy(cfi);
}
END_TEST

/* An FDE that points where no CIE begins: before the first one's end, between two, into itself. */
START_TEST(cie_is_where_one_was_met)
{
	struct fast_image fast = { .bytes = { .size = 0 } };
	struct table *table;
	struct error error;
	size_t first = put_cie(&fast.bytes, 0x1b, (struct literal)CFI(CFA_USUAL));
	size_t second = put_cie(&fast.bytes, 0x1b,
				(struct literal)CFI(CFA_def_cfa(RSP, 16), CFA_offset(RIP, 1)));
	const size_t nowhere[] = { first + 4, second - 4, second + 4, fast.bytes.size };

	add_fast_fde(&fast.bytes, first, TEST_PC, (struct literal)CFI(NOPS));
	add_fast_fde(&fast.bytes, nowhere[_i], TEST_PC + 0x20, (struct literal)CFI(NOPS));
	add_fast_fde(&fast.bytes, second, TEST_PC + 0x40, (struct literal)CFI(NOPS));
	open_fast(&fast);
	ck_assert(!table_build(&fast.image, &table, &error));
	ck_assert_int_eq(table->rule[table_find(table, TEST_PC)].cfa_offset, 8);
	ck_assert_uint_eq(table_find(table, TEST_PC + 0x20), TABLE_NO_ROW);
	ck_assert_int_eq(table->rule[table_find(table, TEST_PC + 0x40)].cfa_offset, 16);
	ck_assert_uint_eq(table->lost_fdes, 1);
	table_destroy(table);
}
END_TEST

SUITE(table_builder, TEST(extended_rules_are_stored_once), TIMES(rules_have_so_much_room, 2),
      TEST(run_is_found_where_it_is), TEST(builder_goes_back_to_its_mark),
      TEST(shapes_used_once_are_taken_apart), TEST(rule_of_a_cie_is_made_once),
      TIMES(cie_is_where_one_was_met, 4))
