/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_memo_many.c - the memo: more edges and rules than a compiler's CFI leads to
 */
#include "tests/suite.h"
#include "memo_world.h"

#define TWO   CFA_def_cfa_offset(16), CFA_def_cfa_offset(24)
#define STEPS 7 /* runs of an FDE */

/* Runs of two rows, none of which was met before: DW_CFA_def_cfa_offset by two bytes. */
static void add_new_runs(struct section *section, int number)
{
	uint8_t instructions[9 * STEPS], *at = instructions;

	for (int step = 0; step < STEPS; step++) {
		int offset = 128 + (number * STEPS + step) * 2;

		*at++ = CFA_ADVANCE_LOC1;
		*at++ = 0x10; /* too far for a run */
		for (int row = 0; row < 2; row++, offset++) {
			*at++ = CFA_DEF_CFA_OFFSET;
			*at++ = 0x80 | (offset & 0x7f);
			*at++ = offset >> 7;
			if (!row)
				*at++ = CFA_advance_loc(1);
		}
	}
	add_fde(section, TEST_PC + (uint64_t)number * RANGE, RANGE, instructions,
		sizeof(instructions));
}

static void run_new(struct world *world, const struct section *section)
{
	for (int i = 0; i < section->count; i++)
		ck_assert(run(world, section, i, RANGE, UINT64_MAX));
}

/* More edges than there are buckets at first. */
START_TEST(many_edges_are_found_again)
{
	static struct section section;
	struct world world;
	uint32_t buckets, edges;

	section_init(&section);
	for (int i = 0; i < FDES_MAX - 1; i++)
		add_new_runs(&section, i);
	add_tail(&section);
	world_init(&world, &section);
	buckets = 1u << world.memo.bucket_bits;
	run_new(&world, &section);
	edges = world.memo.edge_count;
	ck_assert_uint_gt(edges, buckets);
	ck_assert_uint_gt(1u << world.memo.bucket_bits, buckets);
	run_new(&world, &section);
	ck_assert_uint_eq(world.memo.edge_count, edges);
	world_deinit(&world);
}
END_TEST

/* More rules than a shape's row can number: each row of a run has an entry of its own. */
START_TEST(many_rules_say_what_the_reader_says)
{
	static struct section section;
	struct table *table;
	struct world world;
	struct error error;

	section_init(&section);
	for (int i = 0; i < FDES_MAX - 1; i++)
		add_new_runs(&section, i);
	add_tail(&section);
	world_init(&world, &section);
	run_new(&world, &section);
	ck_assert_uint_gt(world.builder.table->rule_count, 2 * TABLE_SHAPE_RULES);
	ck_assert_int_eq(builder_finish(&world.builder, &table, &error), 0);
	for (int i = 0; i < section.count; i++)
		for (uint64_t at = 0; at < RANGE; at += at % 16 == 2 ? 14 : 1)
			check_address("new", world.cfi, table, section.pc[i] + at);
	table_destroy(table);
	world_deinit(&world);
}
END_TEST

static const struct literal same[] = {
	BYTES(""),
	CFI(CFA_advance_loc(1)),
	CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16)),
	CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_offset(RBP, 2), TWO, TWO, TWO, TWO),
};

/* What comes behind an FDE's instructions has nothing to do with them. */
START_TEST(edges_end_with_their_fde)
{
	static struct section section;
	struct world world;
	uint32_t edges;

	section_init(&section);
	for (int i = 0; i < 4; i++) {
		add_fde(&section, TEST_PC + (uint64_t)i * RANGE, RANGE, same[_i].data,
			same[_i].size);
		for (int byte = 0; byte < 32; byte++) /* not of any FDE: as nobody sees them */
			add_number(&section, 0x0102040810204080ull >> (byte * i & 63), 1);
	}
	add_tail(&section);
	world_init(&world, &section);
	ck_assert(run(&world, &section, 0, RANGE, UINT64_MAX));
	edges = world.memo.edge_count;
	for (int i = 1; i < section.count; i++)
		ck_assert(run(&world, &section, i, RANGE, UINT64_MAX));
	ck_assert_uint_eq(world.memo.edge_count, edges);
	world_deinit(&world);
}
END_TEST

SUITE(table_memo_many, TEST(many_edges_are_found_again), TEST(many_rules_say_what_the_reader_says),
      LOOP(edges_end_with_their_fde, same))
