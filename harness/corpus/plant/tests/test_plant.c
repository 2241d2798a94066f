/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plant.c - call frame instructions edited, and each kind of fault in a small image
 *
 * Lists of instructions are bytes in a table: what is read must be written again as it was, and
 * what can't be edited must be refused. Then an image that is its own .eh_frame (six functions of
 * real machine code, an .eh_frame_hdr over them) is planted with every kind: a case says the row
 * and which addresses say what before and after.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "corpus/plant/plant.h"
#include "plant_image.h"

/* ---- programs --------------------------------------------------------------------------- */

static const struct program_case {
	const char *name;
	const uint8_t *bytes;
	size_t size;
	int ops, rows; /* ops -1: refused */
	/* NULL: as it was */
	const uint8_t *written;
	size_t written_size;
} programs[] = {
	{ "empty", CFI_SIZED(CFA_nop), 0, 1, NULL, 0 },
	{ "nops_are_no_ops", CFI_SIZED(CFA_nop, CFA_nop, CFA_nop), 0, 1, NULL, 0 },
	{ "advance_makes_a_row", CFI_SIZED(CFA_advance_loc(1), CFA_def_cfa_offset(16)), 2, 2, NULL,
	  0 },
	{ "two_advances_make_two_rows",
	  CFI_SIZED(CFA_advance_loc(1), CFA_advance_loc(2), CFA_def_cfa_offset(16)), 3, 3, NULL,
	  0 },
	{ "offset_has_a_leb", CFI_SIZED(CFA_offset(RBP, ULEB2(128))), 1, 1, NULL, 0 },
	{ "restore_has_no_operand", CFI_SIZED(CFA_restore(RBP), CFA_restore(RBX)), 2, 1, NULL, 0 },
	{ "advance_loc1", CFI_SIZED(CFA_advance_loc1(64)), 1, 2, NULL, 0 },
	{ "advance_loc2", CFI_SIZED(CFA_advance_loc2(256)), 1, 2, NULL, 0 },
	{ "advance_loc4", CFI_SIZED(CFA_advance_loc4(0x10000)), 1, 2, NULL, 0 },
	{ "a_long_advance_is_written_short", CFI_SIZED(CFA_advance_loc2(63)), 1, 2,
	  CFI_SIZED(CFA_advance_loc(63), CFA_nop, CFA_nop) },
	{ "an_advance_of_nothing_is_not_written",
	  CFI_SIZED(CFA_advance_loc(0), CFA_def_cfa_offset(8)), 2, 2,
	  CFI_SIZED(CFA_def_cfa_offset(8), CFA_nop) },
	{ "nops_inside_move_to_the_end", CFI_SIZED(CFA_nop, CFA_def_cfa_offset(8)), 1, 1,
	  CFI_SIZED(CFA_def_cfa_offset(8), CFA_nop) },
	{ "padded_leb_is_written_short", CFI_SIZED(CFA_def_cfa_offset(0x88, 0)), 1, 1,
	  CFI_SIZED(CFA_def_cfa_offset(8), CFA_nop) },
	{ "offset_extended_is_written_short", CFI_SIZED(CFA_offset_extended(RBP, 2)), 1, 1,
	  CFI_SIZED(CFA_offset(RBP, 2), CFA_nop) },
	{ "offset_extended_of_a_high_register", CFI_SIZED(CFA_offset_extended(64, 2)), 1, 1, NULL,
	  0 },
	{ "restore_extended_of_a_high_register", CFI_SIZED(CFA_restore_extended(64)), 1, 1, NULL,
	  0 },
	{ "def_cfa", CFI_SIZED(CFA_def_cfa(RSP, 8)), 1, 1, NULL, 0 },
	{ "negative_sleb", CFI_SIZED(CFA_def_cfa_offset_sf(SLEB(-2))), 1, 1, NULL, 0 },
	{ "long_negative_sleb", CFI_SIZED(CFA_offset_extended_sf(RBP, SLEB2(-128))), 1, 1, NULL,
	  0 },
	{ "positive_sleb_with_the_sign_bit", CFI_SIZED(CFA_def_cfa_offset_sf(SLEB2(64))), 1, 1,
	  NULL, 0 },
	{ "val_offset", CFI_SIZED(CFA_val_offset(RBP, 2)), 1, 1, NULL, 0 },
	{ "expression_is_a_block", CFI_SIZED(CFA_expression(RBP, DW_OP_breg6, SLEB(-8))), 1, 1,
	  NULL, 0 },
	{ "cfa_expression_is_a_block",
	  CFI_SIZED(CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_deref), CFA_nop), 1, 1, NULL, 0 },
	{ "states", CFI_SIZED(CFA_remember_state, CFA_advance_loc(1), CFA_restore_state), 3, 2,
	  NULL, 0 },
	{ "args_size", CFI_SIZED(CFA_GNU_args_size(16)), 1, 1, NULL, 0 },
	{ "gnu_negative_offset_extended", CFI_SIZED(CFA_GNU_negative_offset_extended(RBX, 2)), 1, 1,
	  NULL, 0 },
	{ "advance_loc8_is_refused", CFI_SIZED(CFA_MIPS_advance_loc8(1)), -1, 0, NULL, 0 },
	{ "set_loc_is_refused", CFI_SIZED(CFA_set_loc(U4(0))), -1, 0, NULL, 0 },
	{ "unknown_is_refused", CFI_SIZED(0x3f /* undefined */), -1, 0, NULL, 0 },
	{ "truncated_leb_is_refused", CFI_SIZED(CFA_DEF_CFA_OFFSET, 0x80 /* cut */), -1, 0, NULL,
	  0 },
	{ "leb_beyond_64_bits_is_refused",
	  CFI_SIZED(CFA_def_cfa_offset(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x82,
				       0)),
	  -1, 0, NULL, 0 },
	{ "truncated_block_is_refused", CFI_SIZED(CFA_DEF_CFA_EXPRESSION, 3, 0x77, 8 /* cut */), -1,
	  0, NULL, 0 },
	{ "truncated_advance_is_refused", CFI_SIZED(CFA_ADVANCE_LOC4, 1, 0 /* cut */), -1, 0, NULL,
	  0 },
};

START_TEST(programs_are_read_and_written)
{
	const struct program_case *c = &programs[_i];
	const uint8_t *expected = c->written ? c->written : c->bytes;
	struct plant_program program;
	struct error error;
	uint8_t written[32];
	int status = plant_program_read(&program, c->bytes, c->size, &error);

	ck_assert_msg((status == -1) == (c->ops == -1), "%s: status %d", c->name, status);
	if (status) {
		ck_assert_msg(error.code == ERROR_UNAVAILABLE, "%s: %s", c->name, error.message);
		return;
	}
	ck_assert_msg((int)program.count == c->ops, "%s: %zu ops", c->name, program.count);
	ck_assert_msg((int)plant_program_rows(&program) == c->rows, "%s: %zu rows", c->name,
		      plant_program_rows(&program));
	memset(written, 0xee, sizeof(written));
	ck_assert_msg(!plant_program_write(&program, written, c->size, &error), "%s: %s", c->name,
		      error.message);
	ck_assert_msg(!memcmp(written, expected, c->size), "%s: other bytes", c->name);
	ck_assert_msg(written[c->size] == 0xee, "%s: written past the end", c->name);
	plant_program_deinit(&program);
}
END_TEST

START_TEST(what_can_not_be_edited_is_named)
{
	static const struct {
		uint8_t bytes[2];
		const char *message;
	} c[] = {
		{ { CFA_SET_LOC, 0 }, "DW_CFA_set_loc (0x01) can't be edited" },
		{ { CFA_DEF_CFA_OFFSET, 0x80 }, "DW_CFA_def_cfa_offset (0x0e) can't be edited" },
		{ { CFA_OFFSET | RBP, 0x80 }, "DW_CFA_offset (0x86) can't be edited" },
		{ { 0x3f, 0 },
		  "a call frame instruction that is not defined (0x3f) can't be edited" },
	};

	for (int i = 0; i < COUNT(c); i++) {
		struct plant_program program;
		struct error error;

		ck_assert(plant_program_read(&program, c[i].bytes, 2, &error) == -1);
		ck_assert_str_eq(error.message, c[i].message);
	}
}
END_TEST

START_TEST(a_program_that_grew_is_refused)
{
	static const uint8_t bytes[] = { CFA_advance_loc(1), CFA_def_cfa_offset(16) };
	struct cfi_instruction op = { CFA_UNDEFINED, .a = REGISTER_RIP };
	uint8_t written[5] = { 0 };
	struct plant_program program;
	struct error error;
	size_t begin, end;

	ck_assert(!plant_program_read(&program, bytes, sizeof(bytes), &error));
	plant_program_row(&program, 1, &begin, &end);
	ck_assert(begin == 1 && end == 2 && plant_program_advance(&program, 1) == 1);
	ck_assert(plant_program_insert(&program, begin, op));
	ck_assert(plant_program_write(&program, written, 3, &error) == -1);
	ck_assert(!plant_program_write(&program, written, 5, &error));
	ck_assert(!memcmp(written, CFI_SIZED(CFA_advance_loc(1), CFA_undefined(RIP),
					     CFA_def_cfa_offset(16))));
	plant_program_remove(&program, 1);
	ck_assert(!plant_program_write(&program, written, 5, &error));
	ck_assert(!memcmp(written,
			  CFI_SIZED(CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_nop, CFA_nop)));
	plant_program_deinit(&program);
}
END_TEST

/* ---- kinds ------------------------------------------------------------------------------ */

#define WHOLE 0

static const struct kind_case {
	const char *name, *kind;
	uint64_t pc; /* of the FDE */
	size_t row;
	uint64_t seed;
	/* The first range that changes; pc 0: refused, and `after` is in the reason. */
	uint64_t change, change_end;
	const char *before, *after;
} kinds[] = {
	{ "offset_too_high", "cfa-offset-high", PLANT_PUSHES, 1, 0, 0x1011, 0x1012,
	  "cfa=rsp+16 ra=c-8 rbx=c-16", "cfa=rsp+24 ra=c-8 rbx=c-16" },
	{ "a_row_without_a_cfa", "cfa-offset-high", PLANT_PUSHES, 0, 0, 0, 0, NULL,
	  "no instruction for it" },
	{ "a_row_that_is_not_there", "cfa-offset-high", PLANT_PUSHES, 3, 0, 0, 0, NULL, "3 rows" },
	{ "offset_too_low", "cfa-offset-low", PLANT_PUSHES, 2, 0, 0x1012, 0x1020,
	  "cfa=rsp+8 ra=c-8", "cfa=rsp+0 ra=c-8" },
	{ "rsp_for_rbp", "cfa-register", PLANT_FRAMED, 2, 0, 0x1004, 0x1005,
	  "cfa=rbp+16 ra=c-8 rbp=c-16", "cfa=rsp+16 ra=c-8 rbp=c-16" },
	{ "rbp_for_rsp", "cfa-register", PLANT_FRAMED, 4, 0, 0x1007, 0x1008,
	  "cfa=rsp+8 ra=c-8 rbx=c-24", "cfa=rbp+8 ra=c-8 rbx=c-24" },
	{ "epilogue", "epilogue-lost", PLANT_PUSHES, 2, 0, 0x1012, 0x1020, "cfa=rsp+8 ra=c-8",
	  "cfa=rsp+16 ra=c-8" },
	{ "a_prologue_is_no_epilogue", "epilogue-lost", PLANT_PUSHES, 1, 0, 0, 0, NULL,
	  "does not bring the CFA back" },
	{ "save_a_slot_lower", "save-offset", PLANT_PUSHES, 1, 0, 0x1011, 0x1012,
	  "cfa=rsp+16 ra=c-8 rbx=c-16", "cfa=rsp+16 ra=c-8 rbx=c-24" },
	{ "save_of_another", "save-register", PLANT_PUSHES, 1, 0, 0x1011, 0x1012,
	  "cfa=rsp+16 ra=c-8 rbx=c-16", "cfa=rsp+16 ra=c-8 rbp=c-16" },
	{ "save_lost", "save-lost", PLANT_PUSHES, 1, 0, 0x1011, 0x1012,
	  "cfa=rsp+16 ra=c-8 rbx=c-16", "cfa=rsp+16 ra=c-8" },
	{ "save_same_value", "save-same-value", PLANT_PUSHES, 1, 0, 0x1011, 0x1012,
	  "cfa=rsp+16 ra=c-8 rbx=c-16", "cfa=rsp+16 ra=c-8 rbx=same" },
	{ "save_undefined", "save-undefined", PLANT_PUSHES, 1, 0, 0x1011, 0x1012,
	  "cfa=rsp+16 ra=c-8 rbx=c-16", "cfa=rsp+16 ra=c-8 rbx=undefined" },
	{ "save_as_value", "save-as-value", PLANT_FRAMED, 3, 0, 0x1005, 0x1007,
	  "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16", "cfa=rbp+16 ra=c-8 rbx=v-24 rbp=c-16" },
	{ "restore_lost", "restore-lost", PLANT_PUSHES, 2, 0, 0x1012, 0x1020, "cfa=rsp+8 ra=c-8",
	  "cfa=rsp+8 ra=c-8 rbx=c-16" },
	{ "stack_ends_early", "return-undefined", PLANT_FRAMED, 5, 0, 0x1008, 0x1010,
	  "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16", "cfa=rbp+16 ra=undefined rbx=c-24 rbp=c-16" },
	{ "return_in_rbp", "return-in-register", PLANT_FRAMED, 5, 0, 0x1008, 0x1010,
	  "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16", "cfa=rbp+16 ra=rbp rbx=c-24 rbp=c-16" },
	{ "state_not_restored", "restore-state-lost", PLANT_FRAMED, 5, 0, 0x1008, 0x1010,
	  "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16", "cfa=rsp+8 ra=c-8 rbx=c-24" },
	{ "state_not_remembered", "remember-state-lost", PLANT_FRAMED, 4, 0, 0x1008, 0x1010,
	  "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16", "no remembered state to restore" },
	{ "row_missing", "row-missing", PLANT_FRAMED, 2, 0, 0x1004, 0x1005,
	  "cfa=rbp+16 ra=c-8 rbp=c-16", "cfa=rsp+16 ra=c-8 rbp=c-16" },
	{ "last_row_missing", "row-missing", PLANT_PUSHES, 2, 0, 0x1012, 0x1020, "cfa=rsp+8 ra=c-8",
	  "cfa=rsp+16 ra=c-8 rbx=c-16" },
	{ "a_row_of_states_is_not_removed", "row-missing", PLANT_FRAMED, 4, 0, 0, 0, NULL,
	  "remembers or restores" },
	{ "first_row_is_not_moved", "row-missing", PLANT_FRAMED, 0, 0, 0, 0, NULL, "row 0" },
	{ "row_late", "row-late", PLANT_FRAMED, 1, 0, 0, 0, NULL, "next row begins there" },
	{ "row_late_by_an_instruction", "row-late", PLANT_FRAMED, 3, 0, 0x1005, 0x1006,
	  "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16", "cfa=rbp+16 ra=c-8 rbp=c-16" },
	{ "last_row_late", "row-late", PLANT_PUSHES, 2, 0, 0x1012, 0x1013, "cfa=rsp+8 ra=c-8",
	  "cfa=rsp+16 ra=c-8 rbx=c-16" },
	{ "row_early", "row-early", PLANT_FRAMED, 2, 0, 0x1001, 0x1004,
	  "cfa=rsp+16 ra=c-8 rbp=c-16", "cfa=rbp+16 ra=c-8 rbp=c-16" },
	{ "rows_late", "rows-late", PLANT_FRAMED, 3, 0, 0x1005, 0x1006,
	  "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16", "cfa=rbp+16 ra=c-8 rbp=c-16" },
	{ "literal_15", "expression-literal", PLANT_PLT, 0, 0, 0x1030, 0x1040,
	  "cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8",
	  "cfa=exp(breg7+8; breg16+0; lit16; and; lit11; ge; lit3; shl; plus) ra=c-8" },
	{ "literal_11", "expression-literal", PLANT_PLT, 0, 1, 0x1030, 0x1040,
	  "cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8",
	  "cfa=exp(breg7+8; breg16+0; lit15; and; lit12; ge; lit3; shl; plus) ra=c-8" },
	{ "offset", "expression-offset", PLANT_PLT, 0, 0, 0x1030, 0x1040,
	  "cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8",
	  "cfa=exp(breg7+16; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8" },
	{ "no_expression", "expression-offset", PLANT_PUSHES, 1, 0, 0, 0, NULL, "no expression" },
	{ "behind_a_cie", "fde-dropped", PLANT_FRAMED, WHOLE, 0, 0x1000, 0x1001, "cfa=rsp+8 ra=c-8",
	  "no FDE covers it" },
	{ "behind_an_fde", "fde-dropped", PLANT_PLT, WHOLE, 0, 0x1030, 0x1040,
	  "cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8",
	  "no FDE covers it" },
	{ "range_shrunk", "range-shrunk", PLANT_PUSHES, 2, 0, 0x1012, 0x1020, "cfa=rsp+8 ra=c-8",
	  "no FDE covers it" },
	{ "range_shrunk_to_nothing", "range-shrunk", PLANT_PUSHES, 0, 0, 0, 0, NULL,
	  "row 0 begins where" },
	{ "range_grown", "range-grown", PLANT_PUSHES, WHOLE, 0, 0x1020, 0x1030, "no FDE covers it",
	  "cfa=rsp+8 ra=c-8" },
	{ "range_can_not_grow", "range-grown", PLANT_FRAMED, WHOLE, 0, 0, 0, NULL,
	  "would prevail" },
	{ "stolen_tail", "range-stolen", PLANT_PUSHES, WHOLE, 4, 0x1008, 0x1010,
	  "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16", "cfa=rsp+8 ra=c-8" },
	{ "nobody_to_steal_from", "range-stolen", PLANT_FRAMED, WHOLE, 0, 0, 0, NULL,
	  "no second row" },
	{ "start_late", "start-late", PLANT_PUSHES, WHOLE, 0, 0x1010, 0x1011, "cfa=rsp+8 ra=c-8",
	  "no FDE covers it" },
	{ "ranges_swapped", "ranges-swapped", PLANT_PLT, WHOLE, 0, 0x1030, 0x1040,
	  "cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8",
	  "cfa=rsp+8 ra=c-8 signal" },
	{ "ranges_of_the_last", "ranges-swapped", PLANT_SIGNAL, WHOLE, 0, 0, 0, NULL,
	  "no FDE follows" },
	{ "return_column", "return-column", PLANT_PUSHES, WHOLE, 0, 0x1000, 0x1001,
	  "cfa=rsp+8 ra=c-8", "cfa=rsp+8 ra=rbp" },
	{ "data_alignment", "data-alignment", PLANT_PUSHES, WHOLE, 0, 0x1000, 0x1001,
	  "cfa=rsp+8 ra=c-8", "cfa=rsp+8 ra=c-4" },
	{ "code_alignment", "code-alignment", PLANT_PUSHES, WHOLE, 0, 0x1001, 0x1002,
	  "cfa=rsp+16 ra=c-8 rbp=c-16", "cfa=rsp+8 ra=c-8" },
	{ "initial_cfa", "initial-cfa", PLANT_PUSHES, WHOLE, 0, 0x1000, 0x1001, "cfa=rsp+8 ra=c-8",
	  "cfa=rsp+16 ra=c-8" },
	{ "initial_return", "initial-return", PLANT_SIGNAL, WHOLE, 0, 0x1040, 0x1048,
	  "cfa=rsp+8 ra=c-8 signal", "cfa=rsp+8 ra=c-16 signal" },
	{ "signal_flag", "signal-flag-lost", PLANT_SIGNAL, WHOLE, 0, 0x1040, 0x1048,
	  "cfa=rsp+8 ra=c-8 signal", "cfa=rsp+8 ra=c-8" },
	{ "no_signal_flag", "signal-flag-lost", PLANT_PUSHES, WHOLE, 0, 0, 0, NULL,
	  "not one of signal frames" },
};

static void open_file(struct plant_image *ret, const struct plant_file *file)
{
	char path[] = "/tmp/test_plant-XXXXXX";
	int fd = mkstemp(path);
	struct error error;

	ck_assert(fd >= 0 && write(fd, file->bytes, file->size) == (ssize_t)file->size);
	close(fd);
	int status = plant_image_open(ret, path, &error);

	unlink(path);
	ck_assert_msg(!status, "%s", error.message);
}

static void open_image(struct plant_image *ret)
{
	static struct plant_file file;

	plant_file_make(&file);
	open_file(ret, &file);
}

/* Nothing else changed, and what changed is sound: no entry lost, the search table true. */
static void check_file(const struct kind_case *c, const struct plant_image *image,
		       const struct planting *planting)
{
	const struct image_section *section = image->cfi->section;
	struct error_list errors = { 0 };

	ck_assert_msg(planting->size == image->size, "%s: another size", c->name);
	for (size_t i = 0; i < image->size; i++)
		ck_assert_msg(planting->file[i] == image->file[i] ||
				      (i >= PLANT_HDR && i < section->file_offset + section->size),
			      "%s: byte 0x%zx changed", c->name, i);
	eh_frame_hdr_check(planting->cfi, &errors);
	ck_assert_msg(!errors.count && !planting->cfi->diagnostics.count, "%s: %s", c->name,
		      errors.count ? errors.error[0].message
				   : planting->cfi->diagnostics.error[0].message);
	error_list_deinit(&errors);
}

START_TEST(kinds_change_what_they_say)
{
	const struct kind_case *c = &kinds[_i];
	const struct plant_kind *kind = plant_kind_find(c->kind);
	struct plant_image image;
	struct planting planting;
	struct error error;

	open_image(&image);
	ck_assert_msg(kind, "%s: no kind %s", c->name, c->kind);
	const struct cfi_fde *fde = cfi_fde_find(image.cfi, c->pc);
	int status = planting_create(&image, kind, fde, c->row, c->seed, &planting, &error);

	ck_assert_msg((status == 0) == (c->change != 0), "%s: %s", c->name,
		      status ? error.message : "planted");
	if (status) {
		ck_assert_msg(error.code == ERROR_UNAVAILABLE && strstr(error.message, c->after),
			      "%s: %s", c->name, error.message);
	} else {
		const struct plant_range *range = &planting.range[0];

		ck_assert_msg(range->pc == c->change && range->pc_end == c->change_end &&
				      !strcmp(range->before, c->before) &&
				      !strcmp(range->after, c->after),
			      "%s: 0x%lx..0x%lx was %s, is %s", c->name, range->pc, range->pc_end,
			      range->before, range->after);
		ck_assert(planting_range(&planting, c->change) == range);
		ck_assert(!planting_range(&planting, PLANT_END));
		check_file(c, &image, &planting);
		planting_deinit(&planting);
	}
	plant_image_close(&image);
}
END_TEST

/* The FDE alone is of 64-bit DWARF: where its fields are, its CIE does not say. */
START_TEST(an_fde_of_64_bits_is_refused)
{
	static const char *const kinds_of_fdes[] = { "fde-dropped", "start-late", "range-grown" };
	static struct plant_file file;
	struct plant_image image;
	struct planting planting;
	struct error error;
	uint32_t back, range = 8;
	size_t start;

	plant_file_make(&file);
	start = file.at - 24; /* of the last one, with 4 bytes of instructions */
	memcpy(&back, file.bytes + start + 4, sizeof(back));
	back += 8;
	memcpy(file.bytes + start, (uint32_t[]) { UINT32_MAX, 20, 0, back }, 16);
	memcpy(file.bytes + start + 16, &(int32_t) { PLANT_SIGNAL - (int32_t)start - 16 }, 4);
	memcpy(file.bytes + start + 20, &range, sizeof(range));
	file.bytes[start + 24] = 0;
	file.bytes[0x1300 + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size)] += 8;
	open_file(&image, &file);
	for (int i = 0; i < COUNT(kinds_of_fdes); i++) {
		const struct cfi_fde *fde = cfi_fde_find(image.cfi, PLANT_SIGNAL);

		ck_assert(fde && fde->pc_range == 8);
		ck_assert(planting_create(&image, plant_kind_find(kinds_of_fdes[i]), fde, 0, 0,
					  &planting, &error) == -1);
		ck_assert_msg(strstr(error.message, "32-bit"), "%s: %s", kinds_of_fdes[i],
			      error.message);
	}
	plant_image_close(&image);
}
END_TEST

/* A CIE that says of two registers where they are: one place is wrong, and not two. */
START_TEST(only_one_instruction_of_the_cie_changes)
{
	static const uint8_t more[] = { CFA_offset(RBX, 2) };
	static struct plant_file file;
	struct plant_image image;
	struct planting planting;
	struct error error;

	plant_file_make(&file);
	/* Where it is padded. */
	ck_assert(!memcmp(file.bytes + PLANT_EH_FRAME + 22, "\0", 2));
	memcpy(file.bytes + PLANT_EH_FRAME + 22, more, sizeof(more));
	open_file(&image, &file);
	ck_assert(!planting_create(&image, plant_kind_find("initial-return"),
				   cfi_fde_find(image.cfi, PLANT_PUSHES), 0, 0, &planting, &error));
	ck_assert_str_eq(planting.range[0].before, "cfa=rsp+8 ra=c-8 rbx=c-16");
	ck_assert_str_eq(planting.range[0].after, "cfa=rsp+8 ra=c-16 rbx=c-16");
	planting_deinit(&planting);
	plant_image_close(&image);
}
END_TEST

START_TEST(every_kind_has_a_case_that_plants)
{
	for (size_t i = 0; plant_kind_at(i); i++) {
		bool found = false;

		for (int j = 0; j < COUNT(kinds); j++)
			found |= kinds[j].change && !strcmp(kinds[j].kind, plant_kind_at(i)->name);
		ck_assert_msg(found, "%s", plant_kind_at(i)->name);
	}
	ck_assert(!plant_kind_find("no-such-kind"));
}
END_TEST

START_TEST(the_seed_chooses_a_row_that_fits)
{
	struct plant_image image;
	struct planting planting;
	struct error error;

	open_image(&image);
	for (uint64_t seed = 0; seed < 5; seed++) {
		ck_assert(!planting_create(&image, plant_kind_find("save-lost"),
					   cfi_fde_find(image.cfi, PLANT_FRAMED), PLANT_ANY_ROW,
					   seed, &planting, &error));
		ck_assert(planting.row == 1 || planting.row == 3);
		ck_assert_str_eq(planting.function, "framed");
		planting_deinit(&planting);
	}
	ck_assert(planting_create(&image, plant_kind_find("save-lost"),
				  cfi_fde_find(image.cfi, PLANT_PLT), PLANT_ANY_ROW, 1, &planting,
				  &error) == -1);
	plant_image_close(&image);
}
END_TEST

SUITE(plant, LOOP(programs_are_read_and_written, programs), TEST(what_can_not_be_edited_is_named),
      TEST(a_program_that_grew_is_refused), LOOP(kinds_change_what_they_say, kinds),
      TEST(an_fde_of_64_bits_is_refused), TEST(only_one_instruction_of_the_cie_changes),
      TEST(every_kind_has_a_case_that_plants), TEST(the_seed_chooses_a_row_that_fits))
