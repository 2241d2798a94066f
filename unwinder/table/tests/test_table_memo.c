/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_memo.c - the memo: what it does itself, that it says what cfi_rows() says, and that
 * what was met is not interpreted again
 *
 * What compilers don't write: test_table_memo_many.c.
 */
#include "tests/suite.h"
#include "memo_world.h"

static int count_row(void *context, const struct row *row)
{
	++*(uint64_t *)context;
	return 0;
}

static uint64_t rows_of(const struct cfi *cfi, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(cfi, pc);
	struct error error;
	uint64_t rows = 0;

	ck_assert_ptr_nonnull(fde);
	ck_assert(!cfi_rows(cfi, fde, count_row, &rows, &error));
	return rows;
}

/* ---- one FDE ---------------------------------------------------------------------------- */

#define ROW(delta, offset) CFA_advance_loc(delta), CFA_def_cfa_offset(offset)
#define PUSHED		   ROW(1, 16), CFA_offset(RBP, 2) /* push %rbp */
#define TWO		   CFA_def_cfa_offset(16), CFA_def_cfa_offset(24)
#define EIGHT		   TWO, TWO, TWO, TWO
#define NOPS		   CFA_nop, CFA_nop, CFA_nop, CFA_nop, CFA_nop, CFA_nop, CFA_nop, CFA_nop

static const uint8_t pushed[] = { PUSHED };

static const struct fde_case {
	const char *name;
	struct literal instructions;
	bool plain; /* not for the memo */
} fde_cases[] = {
	{ "nothing", BYTES(""), false },
	{ "padding", CFI(CFA_nop, CFA_nop, CFA_nop), false },
	{ "padding_by_the_word", CFI(NOPS, NOPS), false },
	{ "padding_behind_an_operand_of_zero",
	  CFI(PUSHED, CFA_GNU_args_size(0), CFA_nop, CFA_nop, CFA_nop, CFA_nop, CFA_nop, CFA_nop,
	      CFA_nop),
	  true },
	{ "push", CFI(PUSHED), false },
	{ "push_and_frame_pointer", CFI(PUSHED, CFA_advance_loc(3), CFA_def_cfa_register(RBP)),
	  false },
	{ "frame_pointer_keeps_the_offset",
	  CFI(PUSHED, CFA_advance_loc(3), CFA_def_cfa_register(RBP), CFA_advance_loc(1),
	      CFA_def_cfa_register(RSP)),
	  false },
	{ "def_cfa", CFI(CFA_advance_loc(1), CFA_def_cfa(RBP, 32)), false },
	{ "def_cfa_of_two_bytes", CFI(CFA_advance_loc(1), CFA_def_cfa(RBP, ULEB2(160))), false },
	{ "cfa_on_r15", CFI(CFA_advance_loc(1), CFA_def_cfa_register(R15)), false },
	{ "cfa_on_rip", CFI(CFA_advance_loc(1), CFA_def_cfa_register(RIP)), true },
	{ "cfa_offset_is_the_largest",
	  CFI(CFA_advance_loc(1), CFA_def_cfa_offset(0xff, 0xff, 0xff, 0xff, 7)), false },
	{ "cfa_offset_is_too_large",
	  CFI(CFA_advance_loc(1), CFA_def_cfa_offset(0x80, 0x80, 0x80, 0x80, 8)), true },
	{ "all_callee_saved",
	  CFI(CFA_advance_loc(2), CFA_offset(R15, 2), CFA_advance_loc(2), CFA_offset(R14, 3),
	      CFA_advance_loc(5), CFA_offset(R13, 4), CFA_advance_loc(2), CFA_offset(R12, 5),
	      CFA_advance_loc(4), CFA_offset(RBP, 6), CFA_advance_loc(4), CFA_offset(RBX, 7)),
	  false },
	{ "scratch_register_is_saved", CFI(CFA_advance_loc(1), CFA_offset(RAX, 2)), true },
	{ "rsp_is_saved", CFI(CFA_advance_loc(1), CFA_offset(RSP, 2)), true },
	{ "register_that_there_is_not", CFI(CFA_advance_loc(1), CFA_offset(32, 2)), true },
	{ "saved_at_the_cfa", CFI(CFA_advance_loc(1), CFA_offset(RBP, 0)), true },
	{ "saved_at_the_farthest_code", CFI(CFA_advance_loc(1), CFA_offset(RBP, ULEB2(253))),
	  false },
	{ "saved_beyond_the_codes", CFI(CFA_advance_loc(1), CFA_offset(RBP, ULEB2(254))), true },
	{ "return_address_elsewhere", CFI(CFA_advance_loc(1), CFA_offset(RIP, 2)), false },
	{ "restore", CFI(PUSHED, CFA_advance_loc(4), CFA_restore(RBP), CFA_def_cfa_offset(8)),
	  false },
	{ "restore_what_never_changed", CFI(CFA_advance_loc(1), CFA_restore(RBX)), false },
	{ "restore_the_return_address",
	  CFI(CFA_advance_loc(1), CFA_offset(RIP, 3), CFA_advance_loc(1), CFA_restore(RIP)),
	  false },
	{ "restore_a_scratch_register", CFI(CFA_advance_loc(1), CFA_restore(RAX)), false },
	{ "restore_rsp", CFI(CFA_advance_loc(1), CFA_restore(RSP)), true },
	{ "restore_a_vector_register", CFI(CFA_advance_loc(1), CFA_restore(17)), true },
	{ "restore_extended", CFI(PUSHED, CFA_advance_loc(4), CFA_restore_extended(RBP)), false },
	{ "restore_extended_of_none", CFI(PUSHED, CFA_advance_loc(4), CFA_restore_extended(64)),
	  true },
	{ "remember_and_restore",
	  CFI(PUSHED, CFA_advance_loc(4), CFA_remember_state, CFA_restore(RBP),
	      CFA_def_cfa_offset(8), CFA_advance_loc(1), CFA_restore_state),
	  false },
	{ "remember_twice",
	  CFI(CFA_remember_state, PUSHED, CFA_remember_state, ROW(4, 32), CFA_advance_loc(1),
	      CFA_restore_state, CFA_advance_loc(4), CFA_restore_state),
	  false },
	{ "restore_of_nothing_remembered", CFI(CFA_advance_loc(1), CFA_restore_state), true },
	{ "restore_once_too_often",
	  CFI(CFA_remember_state, ROW(1, 16), CFA_advance_loc(1), CFA_restore_state,
	      CFA_advance_loc(1), CFA_restore_state),
	  true },
	{ "remembered_over_a_long_advance",
	  CFI(PUSHED, CFA_remember_state, ROW(32, 32), CFA_advance_loc(32), CFA_restore_state,
	      ROW(32, 8)),
	  false },
	{ "restore_after_a_long_advance",
	  CFI(PUSHED, CFA_advance_loc(32), CFA_restore(RBP), CFA_def_cfa_offset(8)), false },
	{ "args_size",
	  CFI(PUSHED, CFA_advance_loc(1), CFA_GNU_args_size(16), CFA_advance_loc(1),
	      CFA_GNU_args_size(ULEB2(128))),
	  false },
	{ "advance_by_one_byte",
	  CFI(CFA_advance_loc1(5), CFA_def_cfa_offset(16), CFA_advance_loc1(112),
	      CFA_def_cfa_offset(24)),
	  false },
	{ "advance_by_two_bytes",
	  CFI(CFA_advance_loc2(5), CFA_def_cfa_offset(16), CFA_advance_loc2(112),
	      CFA_def_cfa_offset(24)),
	  false },
	{ "advance_by_four_bytes",
	  CFI(CFA_advance_loc4(5), CFA_def_cfa_offset(16), CFA_advance_loc4(112),
	      CFA_def_cfa_offset(24)),
	  false },
	{ "advance_by_eight_bytes", CFI(CFA_MIPS_advance_loc8(5), CFA_def_cfa_offset(16)), true },
	{ "advance_by_nothing", CFI(ROW(0, 16), ROW(0, 24), ROW(1, 32), ROW(0, 16)), false },
	{ "advance_as_far_as_a_run_goes", CFI(ROW(15, 16), ROW(15, 24)), false },
	{ "advance_beyond_a_run", CFI(ROW(16, 16), ROW(16, 24)), false },
	{ "advance_to_the_last_byte", CFI(CFA_advance_loc1(255), CFA_def_cfa_offset(16)), false },
	{ "advance_to_the_end", CFI(CFA_advance_loc2(256), CFA_def_cfa_offset(16)), true },
	{ "advance_beyond_the_end", CFI(CFA_advance_loc2(384), CFA_def_cfa_offset(16)), true },
	{ "short_advances_to_the_end",
	  CFI(CFA_advance_loc1(248), CFA_def_cfa_offset(16), ROW(7, 24)), false },
	{ "short_advances_beyond_the_end",
	  CFI(CFA_advance_loc1(248), CFA_def_cfa_offset(16), ROW(8, 24)), true },
	{ "the_same_row_again", CFI(ROW(1, 16), ROW(1, 16), ROW(1, 16), ROW(1, 16)), false },
	{ "more_rows_than_a_shape_has",
	  CFI(ROW(1, 16), ROW(1, 24), ROW(1, 32), ROW(1, 40), ROW(1, 48), ROW(1, 56), ROW(1, 64),
	      ROW(1, 72), ROW(1, 80), ROW(1, 88), ROW(1, 96), ROW(1, 104), ROW(1, 112),
	      ROW(1, 120)),
	  false },
	{ "rows_as_far_as_a_shape_spans",
	  CFI(ROW(15, 16), ROW(15, 24), ROW(15, 32), ROW(15, 40), ROW(15, 48), ROW(15, 56),
	      ROW(15, 64), ROW(15, 72), ROW(15, 80)),
	  false },
	{ "just_an_edge", CFI(EIGHT, EIGHT, EIGHT), false },
	{ "two_edges", CFI(EIGHT, EIGHT, EIGHT, EIGHT), false },
	{ "instruction_over_the_end_of_an_edge",
	  CFI(CFA_advance_loc(1), EIGHT, EIGHT, EIGHT, ROW(1, 32)), false },
	{ "long_instruction_over_the_end_of_an_edge",
	  CFI(CFA_advance_loc(2), EIGHT, EIGHT, CFA_def_cfa_offset(16), CFA_def_cfa_offset(24),
	      CFA_def_cfa_offset(16), CFA_def_cfa_offset(24), CFA_def_cfa_offset(16),
	      CFA_def_cfa_offset(24), CFA_def_cfa(RBP, ULEB2(144))),
	  false },
	{ "padded_operand", CFI(CFA_def_cfa_offset(0x90, 0x80, 0x80, 0), ROW(1, 24)), false },
	{ "operand_is_cut", CFI(CFA_advance_loc(1), CFA_DEF_CFA_OFFSET /* cut */), true },
	{ "advance_is_cut", CFI(ROW(1, 16), CFA_ADVANCE_LOC2, 0x10 /* cut */), true },
	{ "expression", CFI(CFA_advance_loc(1), CFA_def_cfa_expression(DW_OP_breg7, 8)), true },
	{ "undefined", CFI(CFA_advance_loc(1), CFA_undefined(RBP)), true },
	{ "same_value", CFI(CFA_advance_loc(1), CFA_same_value(RBP)), true },
	{ "signed_offset", CFI(CFA_advance_loc(1), CFA_def_cfa_sf(RSP, SLEB(-2))), true },
	{ "unknown_instruction", CFI(CFA_advance_loc(1), 0x3f /* undefined */), true },
	{ "bytes_that_look_like_advances",
	  CFI(ROW(1, 80), ROW(1, 2), ROW(1, 3), CFA_advance_loc(1), CFA_offset(RBP, 2),
	      CFA_offset(RBX, 3), ROW(1, 112)),
	  false },
};

/* Runs are cut where they are row by row; there the tail's FDE is in the table, too. */
static void check_entries(const char *name, const struct world *world, const struct table *table)
{
	struct table *plain;
	struct error error;

	ck_assert_int_eq(table_create(&world->image, world->cfi, &plain, &error), 0);
	ck_assert_msg(table->entry_count + 1 == plain->entry_count, "%s: %u entries, not %u", name,
		      table->entry_count, plain->entry_count - 1);
	table_destroy(plain);
}

START_TEST(fde_is_done_or_left)
{
	const struct fde_case *c = &fde_cases[_i];
	static struct section section;
	struct table *table;
	struct world world;
	struct error error;

	section_init(&section);
	add_fde(&section, TEST_PC, RANGE, c->instructions.data, c->instructions.size);
	add_tail(&section);
	world_init(&world, &section);
	bool done = run(&world, &section, 0, RANGE, UINT64_MAX);
	ck_assert_msg(done != c->plain, "%s: %s", c->name, done ? "done" : "left");
	if (done) {
		ck_assert_msg(world.builder.table->cfi_row_count == rows_of(world.cfi, TEST_PC),
			      "%s: %" PRIu64 " rows, the reader's %" PRIu64, c->name,
			      world.builder.table->cfi_row_count, rows_of(world.cfi, TEST_PC));
		ck_assert_int_eq(builder_finish(&world.builder, &table, &error), 0);
		for (uint64_t vaddr = TEST_PC - 16; vaddr < TEST_PC + RANGE + 16; vaddr++)
			check_address(c->name, world.cfi, table, vaddr);
		check_entries(c->name, &world, table);
		table_destroy(table);
	} else {
		ck_assert_uint_eq(world.builder.table->cfi_row_count, 0);
	}
	world_deinit(&world);
}
END_TEST

/* ---- FDEs that follow each other -------------------------------------------------------- */

/* By how much the FDE's end is behind its last row, and the next FDE behind that. */
START_TEST(end_of_a_run_and_the_next_fde)
{
	static const uint64_t ends[] = { 1, 14, 15, 16, 17, 100 }, gaps[] = { 0, 1, 15, 100 };
	uint64_t range = 1 + ends[_i / COUNT(gaps)], gap = gaps[_i % COUNT(gaps)];
	static struct section section;
	struct table *table;
	struct world world;
	struct error error;

	section_init(&section);
	add_fde(&section, TEST_PC, range, pushed, sizeof(pushed));
	add_fde(&section, TEST_PC + range + gap, range, pushed, sizeof(pushed));
	add_tail(&section);
	world_init(&world, &section);
	builder_jump(&world.builder, TEST_PC);
	for (int i = 0; i < 2; i++) {
		struct memo_fde fde = {
			.pc = section.pc[i],
			.pc_end = section.pc[i] + range,
			.next_pc = i ? UINT64_MAX : section.pc[1],
			.instructions = section.data + section.start[i],
			.end = section.data + section.end[i],
		};

		ck_assert(memo_run(&world.memo, world.root, &fde));
		world.builder.chunk[world.builder.chunk_count - 1].vaddr_end = fde.pc_end;
	}
	ck_assert_int_eq(builder_finish(&world.builder, &table, &error), 0);
	for (uint64_t vaddr = TEST_PC - 16; vaddr < section.pc[1] + range + 16; vaddr++)
		check_address("two", world.cfi, table, vaddr);
	table_destroy(table);
	world_deinit(&world);
}
END_TEST

START_TEST(what_was_met_is_not_interpreted_again)
{
	static struct section section;
	uint32_t edges, nodes, cells;
	struct world world;

	section_init(&section);
	for (int i = 0; i < COUNT(fde_cases); i++)
		add_fde(&section, TEST_PC + (uint64_t)i * RANGE, RANGE,
			fde_cases[i].instructions.data, fde_cases[i].instructions.size);
	add_tail(&section);
	world_init(&world, &section);
	for (int i = 0; i < section.count; i++)
		ck_assert_int_ne(run(&world, &section, i, RANGE, UINT64_MAX), fde_cases[i].plain);
	edges = world.memo.edge_count;
	nodes = world.memo.node_count;
	cells = world.memo.cell_count;
	ck_assert_uint_gt(edges, COUNT(fde_cases) / 2);
	for (int i = 0; i < section.count; i++)
		ck_assert_int_ne(run(&world, &section, i, RANGE, UINT64_MAX), fde_cases[i].plain);
	ck_assert_uint_eq(world.memo.edge_count, edges);
	ck_assert_uint_eq(world.memo.node_count, nodes);
	ck_assert_uint_eq(world.memo.cell_count, cells);
	world_deinit(&world);
}
END_TEST

START_TEST(root_is_found_again)
{
	static struct section section;
	struct world world;

	section_init(&section);
	add_fde(&section, TEST_PC, RANGE, "", 0);
	world_init(&world, &section);
	uint32_t a = memo_root(&world.memo, 100, 0, 100), b = memo_root(&world.memo, 100, 1, 100),
		 c = memo_root(&world.memo, 100, 0, 101), d = memo_root(&world.memo, 101, 0, 100);
	ck_assert(a && b && c && d && a != b && a != c && a != d && b != c && b != d && c != d);
	ck_assert_uint_eq(memo_root(&world.memo, 100, 0, 100), a);
	ck_assert_uint_eq(memo_root(&world.memo, 100, 1, 100), b);
	ck_assert_uint_eq(memo_root(&world.memo, 100, 0, 101), c);
	ck_assert_uint_eq(memo_root(&world.memo, 101, 0, 100), d);
	ck_assert_uint_eq(world.memo.node[a].root, a);
	ck_assert_uint_eq(world.memo.node[a].row_count, 1);
	world_deinit(&world);
}
END_TEST

/* ---- headers that are not as compilers write them --------------------------------------- */

/* What an FDE's header may have: the whole section then goes the plain way, which knows what it
 * means. */
static const struct header_case {
	const char *name;
	uint64_t pc, range;
	struct literal behind; /* the range: the augmentation's length, its data, instructions */
} header_cases[] = {
	{ "usual", TEST_PC, RANGE, CFI(0, ROW(1, 16)) },
	{ "augmentation_data_are_skipped", TEST_PC, RANGE, CFI(2, 0x0e, 0x20, ROW(1, 16)) },
	{ "length_in_two_bytes", TEST_PC, RANGE, CFI(ULEB2(0), ROW(1, 16)) },
	{ "length_in_two_bytes_before_many", TEST_PC, RANGE,
	  CFI(ULEB2(1), 0, ROW(1, 16), EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT,
	      EIGHT) },
	{ "data_to_the_end", TEST_PC, RANGE, CFI(3, ROW(1, 16)) },
	{ "data_beyond_the_end", TEST_PC, RANGE, CFI(4, ROW(1, 16)) },
	{ "data_far_beyond_the_end", TEST_PC, RANGE, CFI(127, ROW(1, 16)) },
	{ "before_the_segment", 0x800, 0x900, CFI(0, ROW(1, 16)) },
	{ "wholly_before_the_segment", 0x800, 0x100, CFI(0, ROW(1, 16)) },
	{ "over_the_segments_end", 0x1f80, RANGE, CFI(0, ROW(1, 16)) },
	{ "to_the_segments_end", 0x1f00, RANGE, CFI(0, ROW(1, 16)) },
	{ "at_the_segments_end", 0x2000, RANGE, CFI(0, ROW(1, 16)) },
	{ "range_of_four_gigabytes", TEST_PC, UINT32_MAX, CFI(0, ROW(1, 16)) },
};

/* Where what is at 0 is: near the end of all addresses, as a kernel's code is, ranges can wrap. */
static const uint64_t bases[] = { 0, -(uint64_t)0x5000 };

/* The table of such a section, made fast and plainly. */
static void check_both_ways(const char *name, struct section *section, uint64_t base)
{
	static const uint8_t nothing[2 * MEMO_EDGE_BYTES];
	struct image_segment segment = { base + 0x1000, 0x1000, 0, 0x1000, true };
	struct table *fast, *plain;
	struct image image;
	struct error error;
	struct cfi *cfi;

	add_fde(section, base + 0x1a00, 1, nothing, sizeof(nothing)); /* the memo reads ahead */
	add(section, "\0\0\0", 4);
	image = (struct image) {
		.path = "made",
		.machine = EM_X86_64,
		.eh_frame = { section->data, section->size, VADDR, 0, ".eh_frame" },
		.segment = &segment,
		.segment_count = 1,
	};
	ck_assert_msg(!cfi_create(&image, &cfi, &error), "%s", error.message);
	ck_assert_msg(!table_create(&image, cfi, &plain, &error), "%s", error.message);
	ck_assert_msg(!table_build(&image, &fast, &error), "%s", error.message);
	for (uint64_t vaddr = base + 0x1000; vaddr < base + 0x2000; vaddr++) {
		uint32_t a = table_find(fast, vaddr), b = table_find(plain, vaddr);

		ck_assert_msg(
			(a < TABLE_MARKER_COUNT || b < TABLE_MARKER_COUNT)
				? a == b
				: !memcmp(&fast->rule[a], &plain->rule[b], sizeof(fast->rule[a])),
			"%s: 0x%" PRIx64 ": rule %u, plainly %u", name, vaddr, a, b);
	}
	ck_assert_uint_eq(fast->lost_fdes, plain->lost_fdes);
	ck_assert_uint_eq(fast->fde_count, plain->fde_count);
	table_destroy(fast);
	table_destroy(plain);
	cfi_destroy(cfi);
}

START_TEST(header_is_never_misread)
{
	const struct header_case *c = &header_cases[_i / COUNT(bases)];
	uint64_t base = bases[_i % COUNT(bases)];
	static struct section section;

	section_init(&section);
	add_fde(&section, base + 0x1800, 0x40, pushed, sizeof(pushed));
	/* add_fde()'s own length is taken for the first of these bytes. */
	add_fde(&section, base + c->pc, c->range, c->behind.data + 1, c->behind.size - 1);
	section.data[section.start[1] - 1] = (uint8_t)c->behind.data[0];
	add_fde(&section, base + 0x1900, 0x40, pushed, sizeof(pushed));
	check_both_ways(c->name, &section, base);
}
END_TEST

/* The first entry is an FDE, whose CIE pointer leads before the section, or behind the FDE. */
START_TEST(cie_pointer_is_never_misread)
{
	static const uint32_t back[] = { 1, 4, 5, 6, INT32_MAX, 0x80000000, -40, UINT32_MAX };
	static struct section section;

	memset(&section, 0, sizeof(section));
	add_fde(&section, 0x1700, 0x40, pushed, sizeof(pushed));
	memcpy(section.data + 4, &back[_i], sizeof(back[_i]));
	add_cie(&section);
	add_fde(&section, 0x1800, 0x40, pushed, sizeof(pushed));
	check_both_ways("pointer", &section, 0);
}
END_TEST

/* ---- many, drawn ------------------------------------------------------------------------ */

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % below;
}

/* Instructions as compilers write them; now and then one that the memo can't do. */
static size_t draw_instructions(uint8_t *ret, size_t size)
{
	static const uint8_t saved[] = { RBX, RBP, R12, R13, R14, R15 };
	uint32_t pc = 0, remembered = 0;
	size_t used = 0;

	while (used + 8 < size && draw(12)) {
		uint32_t delta = draw(6) ? 1 + draw(8) : draw(40);

		if (pc + delta >= RANGE)
			break;
		pc += delta;
		if (draw(8)) {
			ret[used++] = CFA_advance_loc(delta);
		} else {
			ret[used++] = CFA_ADVANCE_LOC1;
			ret[used++] = delta;
		}
		switch (draw(10)) {
		case 0:
			ret[used++] = CFA_remember_state;
			remembered++;
			break;
		case 1:
			if (remembered) {
				ret[used++] = CFA_restore_state;
				remembered--;
			}
			break;
		case 2: ret[used++] = CFA_restore(saved[draw(COUNT(saved))]); break;
		case 3:
		case 4:
			ret[used++] = CFA_OFFSET | saved[draw(COUNT(saved))];
			ret[used++] = 2 + draw(6);
			break;
		case 5:
			ret[used++] = CFA_DEF_CFA_REGISTER;
			ret[used++] = draw(2) ? RBP : RSP;
			break;
		case 6:
			ret[used++] = CFA_DEF_CFA;
			ret[used++] = draw(2) ? RBP : RSP;
			ret[used++] = 8 * draw(10);
			break;
		case 7:
			if (!draw(20))
				ret[used++] = CFA_VAL_EXPRESSION; /* an expression, cut */
			break;
		default:
			ret[used++] = CFA_DEF_CFA_OFFSET;
			ret[used++] = 8 * draw(16);
			break;
		}
	}
	return used;
}

START_TEST(many_fdes_say_what_the_reader_says)
{
	static struct section section;
	struct table *table;
	struct world world;
	struct error error;
	bool done[FDES_MAX];
	int count = 0;

	random_state = _i + 1;
	section_init(&section);
	for (int i = 0; i < FDES_MAX; i++) {
		uint8_t instructions[64];
		size_t size = draw_instructions(instructions, 16 + draw(48));

		add_fde(&section, TEST_PC + (uint64_t)i * RANGE, RANGE - draw(2) * 5, instructions,
			size);
		if (draw(3) == 0 && i + 1 < FDES_MAX) { /* the same again */
			i++;
			add_fde(&section, TEST_PC + (uint64_t)i * RANGE, RANGE, instructions, size);
		}
	}
	ck_assert_int_eq(section.count, FDES_MAX);
	section.count--; /* room for the tail */
	add_tail(&section);
	world_init(&world, &section);
	for (int i = 0; i < section.count; i++) {
		const struct cfi_fde *fde = cfi_fde_find(world.cfi, section.pc[i]);

		done[i] = run(&world, &section, i, fde->pc_range, UINT64_MAX);
		count += done[i];
	}
	ck_assert_int_gt(count, FDES_MAX * 3 / 4);
	ck_assert_int_eq(builder_finish(&world.builder, &table, &error), 0);
	for (int i = 0; i < section.count; i++)
		for (uint64_t at = 0; done[i] && at < RANGE; at++)
			check_address("drawn", world.cfi, table, section.pc[i] + at);
	table_destroy(table);
	world_deinit(&world);
}
END_TEST

SUITE(table_memo, LOOP(fde_is_done_or_left, fde_cases), TIMES(end_of_a_run_and_the_next_fde, 24),
      TEST(what_was_met_is_not_interpreted_again), TEST(root_is_found_again),
      TIMES(header_is_never_misread, COUNT(header_cases) * COUNT(bases)),
      TIMES(cie_pointer_is_never_misread, 8), TIMES(many_fdes_say_what_the_reader_says, 10))
