/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cfi_program.c - each call frame instruction, and each way it can be malformed
 *
 * The CIE says cfa=rsp+8 ra=c-8 (DW_CFA_def_cfa 7 8; DW_CFA_offset 16 1), code factor 1, data
 * factor -8. Every case gives the FDE's instructions and the rows of 0x1000..0x1100 as text. A
 * case with an error also gives its code and where it is, counted from the FDE's instructions.
 */
#include <inttypes.h>
#include <stdio.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "cfi/cfi.h"

struct program_case {
	const char *name;
	struct literal instructions;
	const char *rows; /* "pc..pc_end rules\n", PCs less TEST_PC */
	enum error_code code;
	uint64_t offset;
	struct literal cie_more; /* instructions after the CIE's usual ones */
	uint8_t return_column;	 /* 0: the CIE's usual one */
};

#define NORMAL "cfa=rsp+8 ra=c-8"

#define ROWS(name_, bytes_, rows_, ...)                                                            \
	IN_BRACES(.name = name_, .instructions = bytes_, .rows = rows_, ##__VA_ARGS__)
#define FAILS(name_, bytes_, rows_, code_, offset_)                                                \
	IN_BRACES(.name = name_, .instructions = bytes_, .rows = rows_, .code = code_,             \
		  .offset = offset_)

static const struct program_case cases[] = {
	ROWS("no_instructions_give_the_cie_row", BYTES(""), "0..100 " NORMAL "\n"),
	ROWS("nop_changes_nothing", CFI(CFA_nop, CFA_nop, CFA_nop), "0..100 " NORMAL "\n"),
	ROWS("advance_loc_splits_the_range", CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16)),
	     "0..1 " NORMAL "\n1..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("advance_loc1_is_one_byte", CFI(CFA_advance_loc1(128), CFA_def_cfa_offset(16)),
	     "0..80 " NORMAL "\n80..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("advance_loc2_is_two_bytes", CFI(CFA_advance_loc2(2), CFA_def_cfa_offset(16)),
	     "0..2 " NORMAL "\n2..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("advance_loc4_is_four_bytes", CFI(CFA_advance_loc4(3), CFA_def_cfa_offset(16)),
	     "0..3 " NORMAL "\n3..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("advance_loc8_of_mips_is_read_everywhere",
	     CFI(CFA_MIPS_advance_loc8(128), CFA_def_cfa_offset(16)),
	     "0..80 " NORMAL "\n80..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("set_loc_is_an_address", CFI(CFA_set_loc(U8(0x1004)), CFA_def_cfa_offset(16)),
	     "0..4 " NORMAL "\n4..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("advance_by_zero_merges_rows",
	     CFI(CFA_advance_loc(0), CFA_def_cfa_offset(16), CFA_advance_loc(0),
		 CFA_def_cfa_offset(24)),
	     "0..100 cfa=rsp+24 ra=c-8\n"),
	ROWS("advance_to_the_end_gives_no_empty_row",
	     CFI(CFA_advance_loc2(256), CFA_def_cfa_offset(16)), "0..100 " NORMAL "\n"),
	ROWS("equal_neighbours_stay_two_rows", CFI(CFA_advance_loc(1)),
	     "0..1 " NORMAL "\n1..100 " NORMAL "\n"),
	ROWS("offset_is_factored", CFI(CFA_offset(RBP, 2)), "0..100 " NORMAL " rbp=c-16\n"),
	ROWS("offset_extended", CFI(CFA_offset_extended(RBX, 3)), "0..100 " NORMAL " rbx=c-24\n"),
	ROWS("offset_extended_sf_goes_up", CFI(CFA_offset_extended_sf(RBX, SLEB(-1))),
	     "0..100 " NORMAL " rbx=c+8\n"),
	ROWS("gnu_negative_offset_extended", CFI(CFA_GNU_negative_offset_extended(RBX, 2)),
	     "0..100 " NORMAL " rbx=c+16\n"),
	ROWS("restore_takes_the_cie_rule", CFI(CFA_offset(RIP, 5), CFA_restore(RIP)),
	     "0..100 " NORMAL "\n"),
	ROWS("restore_of_what_the_cie_left_open_is_no_rule",
	     CFI(CFA_offset(RBP, 2), CFA_restore(RBP)), "0..100 " NORMAL "\n"),
	ROWS("restore_extended", CFI(CFA_offset(RBP, 2), CFA_restore_extended(RBP)),
	     "0..100 " NORMAL "\n"),
	ROWS("undefined", CFI(CFA_undefined(RIP)), "0..100 cfa=rsp+8 ra=undefined\n"),
	ROWS("same_value", CFI(CFA_same_value(RBX)), "0..100 " NORMAL " rbx=same\n"),
	ROWS("register", CFI(CFA_register(RIP, RAX)), "0..100 cfa=rsp+8 ra=rax\n"),
	ROWS("register_in_a_vector_register_is_kept", CFI(CFA_register(RBX, 17)),
	     "0..100 " NORMAL " rbx=r17\n"),
	ROWS("val_offset", CFI(CFA_val_offset(RBX, 2)), "0..100 " NORMAL " rbx=v-16\n"),
	ROWS("val_offset_sf", CFI(CFA_val_offset_sf(RBX, SLEB(-2))),
	     "0..100 " NORMAL " rbx=v+16\n"),
	ROWS("expression", CFI(CFA_expression(RBP, DW_OP_breg6, 0)),
	     "0..100 " NORMAL " rbp=exp(breg6+0)\n"),
	ROWS("val_expression", CFI(CFA_val_expression(RBP, DW_OP_breg6, 0)),
	     "0..100 " NORMAL " rbp=val_exp(breg6+0)\n"),
	ROWS("def_cfa", CFI(CFA_def_cfa(RBP, 16)), "0..100 cfa=rbp+16 ra=c-8\n"),
	ROWS("def_cfa_sf_is_factored_and_signed", CFI(CFA_def_cfa_sf(RBP, SLEB(-2))),
	     "0..100 cfa=rbp+16 ra=c-8\n"),
	ROWS("def_cfa_register_keeps_the_offset", CFI(CFA_def_cfa_register(RBP)),
	     "0..100 cfa=rbp+8 ra=c-8\n"),
	ROWS("def_cfa_offset_keeps_the_register", CFI(CFA_def_cfa_offset(ULEB2(256))),
	     "0..100 cfa=rsp+256 ra=c-8\n"),
	ROWS("def_cfa_offset_sf", CFI(CFA_def_cfa_offset_sf(1)), "0..100 cfa=rsp-8 ra=c-8\n"),
	ROWS("def_cfa_expression", CFI(CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref)),
	     "0..100 cfa=exp(breg6-8; deref) ra=c-8\n"),
	ROWS("half_of_a_cfa_that_another_replaces_harms_nobody",
	     CFI(CFA_def_cfa_expression(DW_OP_breg6, 8), CFA_advance_loc(1), CFA_def_cfa_offset(16),
		 CFA_def_cfa_register(RBP), CFA_def_cfa(RSP, 24), CFA_def_cfa_offset(32)),
	     "0..1 cfa=exp(breg6+8) ra=c-8\n1..100 cfa=rsp+32 ra=c-8\n"),
	ROWS("half_of_a_cfa_before_an_expression",
	     CFI(CFA_def_cfa_expression(0x77), CFA_def_cfa_offset(16),
		 CFA_def_cfa_expression(DW_OP_breg6, 8)),
	     "0..100 cfa=exp(breg6+8) ra=c-8\n"),
	ROWS("half_of_a_cfa_before_a_state_is_restored",
	     CFI(CFA_def_cfa_expression(DW_OP_breg6, 8), CFA_remember_state, CFA_advance_loc(1),
		 CFA_def_cfa_register(RBP), CFA_restore_state),
	     "0..1 cfa=exp(breg6+8) ra=c-8\n1..100 cfa=exp(breg6+8) ra=c-8\n"),
	ROWS("gnu_args_size_stays_until_the_next", CFI(CFA_GNU_args_size(16), CFA_advance_loc(1)),
	     "0..1 " NORMAL " args=16\n1..100 " NORMAL " args=16\n"),
	ROWS("remember_and_restore_state_include_the_cfa",
	     CFI(CFA_remember_state, CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_offset(RBP, 2),
		 CFA_advance_loc(1), CFA_restore_state),
	     "0..1 " NORMAL "\n1..2 cfa=rsp+16 ra=c-8 rbp=c-16\n2..100 " NORMAL "\n"),
	ROWS("states_nest",
	     CFI(CFA_remember_state, CFA_def_cfa_offset(16), CFA_remember_state,
		 CFA_def_cfa_offset(24), CFA_remember_state, CFA_def_cfa_offset(32),
		 CFA_advance_loc(1), CFA_restore_state, CFA_advance_loc(1), CFA_restore_state,
		 CFA_advance_loc(1), CFA_restore_state),
	     "0..1 cfa=rsp+32 ra=c-8\n1..2 cfa=rsp+24 ra=c-8\n2..3 cfa=rsp+16 ra=c-8\n"
	     "3..100 " NORMAL "\n"),
	ROWS("states_that_are_equal_nest",
	     CFI(CFA_remember_state, CFA_remember_state, CFA_def_cfa_offset(16), CFA_remember_state,
		 CFA_remember_state, CFA_remember_state, CFA_offset(RBP, 2), CFA_offset(RBP, 3),
		 CFA_restore_state, CFA_advance_loc(1), CFA_offset(RBP, 4), CFA_restore_state,
		 CFA_restore_state, CFA_advance_loc(1), CFA_restore_state, CFA_advance_loc(1),
		 CFA_restore_state),
	     "0..1 cfa=rsp+16 ra=c-8\n1..2 cfa=rsp+16 ra=c-8\n2..3 " NORMAL "\n3..100 " NORMAL
	     "\n"),
	ROWS("state_may_be_restored_again_after_a_change",
	     CFI(CFA_remember_state, CFA_remember_state, CFA_offset(RBP, 2), CFA_offset(RBX, 3),
		 CFA_restore_state, CFA_advance_loc(1), CFA_offset(RBP, 4), CFA_offset(RBX, 5),
		 CFA_undefined(RIP), CFA_advance_loc(1), CFA_restore_state),
	     "0..1 " NORMAL "\n1..2 cfa=rsp+8 ra=undefined rbx=c-40 rbp=c-32\n2..100 " NORMAL "\n"),
	ROWS("every_kind_of_rule_is_remembered",
	     CFI(CFA_undefined(RAX), CFA_same_value(RDX), CFA_val_offset(RCX, 2),
		 CFA_offset(RBP, 2), CFA_register(RBX, R12),
		 CFA_expression(R13, DW_OP_call_frame_cfa),
		 CFA_val_expression(R14, DW_OP_call_frame_cfa),
		 CFA_def_cfa_expression(DW_OP_breg6, 8), CFA_remember_state, CFA_restore(RAX),
		 CFA_restore(RDX), CFA_restore(RCX), CFA_restore(RBP), CFA_restore(RBX),
		 CFA_restore(R13), CFA_restore(R14), CFA_def_cfa(RSP, 16), CFA_advance_loc(1),
		 CFA_restore_state),
	     "0..1 cfa=rsp+16 ra=c-8\n"
	     "1..100 cfa=exp(breg6+8) ra=c-8 rax=undefined rdx=same rcx=v-16 rbx=r12 rbp=c-16 "
	     "r13=exp(call_frame_cfa) r14=val_exp(call_frame_cfa)\n"),
	ROWS("args_size_is_not_part_of_the_state",
	     CFI(CFA_remember_state, CFA_GNU_args_size(16), CFA_advance_loc(1), CFA_restore_state),
	     "0..1 " NORMAL " args=16\n1..100 " NORMAL " args=16\n"),
	ROWS("of_vector_registers_there_is_a_hash",
	     CFI(CFA_offset_extended(23, 2), CFA_offset(RBP, 3)),
	     "0..100 " NORMAL " rbp=c-24 high=5d46f7759669e5f5\n"),
	ROWS("signed_leb_of_ten_bytes_needs_no_copies_of_its_sign",
	     CFI(CFA_def_cfa_offset_sf(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)),
	     "0..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("signed_leb_of_ten_bytes_may_have_them",
	     CFI(CFA_def_cfa_offset_sf(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)),
	     "0..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("signed_leb_may_have_more_of_them",
	     CFI(CFA_def_cfa_offset_sf(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				       0x7f)),
	     "0..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("unsigned_leb_of_ten_bytes_may_be_a_negative_one",
	     CFI(CFA_def_cfa_offset(0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)),
	     "0..100 cfa=rsp-16 ra=c-8\n"),
	ROWS("leb_padding_is_accepted", CFI(CFA_def_cfa_offset(0x90, 0x80, 0x80, 0)),
	     "0..100 cfa=rsp+16 ra=c-8\n"),
	ROWS("cie_instructions_come_first", CFI(CFA_restore(RBP)), "0..100 " NORMAL " rbp=c-16\n",
	     .cie_more = CFI(CFA_offset(RBP, 2))),
	ROWS("return_column_without_a_rule_is_the_register", CFI(CFA_offset(RBP, 2)),
	     "0..100 cfa=rsp+8 ra=rbx rbp=c-16\n", .return_column = 3),
	ROWS("return_column_that_keeps_its_value_is_the_register", CFI(CFA_same_value(RBP)),
	     "0..100 cfa=rsp+8 ra=rbp rbp=same\n", .return_column = 6),
	ROWS("return_column_has_its_rule", CFI(CFA_offset(RBP, 2)),
	     "0..100 cfa=rsp+8 ra=c-16 rbp=c-16\n", .return_column = 6),
	ROWS("return_column_that_is_undefined_is_the_end", CFI(CFA_undefined(RBP)),
	     "0..100 cfa=rsp+8 ra=undefined rbp=undefined\n", .return_column = 6),
	FAILS("advance_loc1_past_end_is_rejected", CFI(CFA_ADVANCE_LOC1 /* cut */), "",
	      ERROR_CFI_TRUNCATED, 0),
	FAILS("advance_loc2_past_end_is_rejected", CFI(CFA_nop, CFA_ADVANCE_LOC2, 1 /* cut */), "",
	      ERROR_CFI_TRUNCATED, 1),
	FAILS("advance_loc4_past_end_is_rejected", CFI(CFA_ADVANCE_LOC4, 1, 2, 3 /* cut */), "",
	      ERROR_CFI_TRUNCATED, 0),
	FAILS("set_loc_past_end_is_rejected", CFI(CFA_SET_LOC, 4, 0x10, 0, 0, 0, 0, 0 /* cut */),
	      "", ERROR_CFI_TRUNCATED, 1),
	FAILS("offset_past_end_is_rejected", CFI(CFA_OFFSET | RBP /* cut */), "",
	      ERROR_CFI_TRUNCATED, 0),
	FAILS("leb_past_end_is_rejected", CFI(CFA_DEF_CFA_OFFSET, 0x80, 0x80 /* cut */), "",
	      ERROR_CFI_TRUNCATED, 0),
	FAILS("leb_of_more_than_64_bits_is_rejected",
	      CFI(CFA_def_cfa_offset(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2)), "",
	      ERROR_CFI_TRUNCATED, 0),
	FAILS("leb_with_a_65th_bit_behind_the_tenth_byte_is_rejected",
	      CFI(CFA_def_cfa_offset(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81,
				     1)),
	      "", ERROR_CFI_TRUNCATED, 0),
	FAILS("signed_leb_of_more_than_64_bits_is_rejected",
	      CFI(CFA_def_cfa_offset_sf(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2)),
	      "", ERROR_CFI_TRUNCATED, 0),
	FAILS("signed_leb_whose_copies_are_not_of_its_sign_is_rejected",
	      CFI(CFA_def_cfa_offset_sf(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					0x7e)),
	      "", ERROR_CFI_TRUNCATED, 0),
	FAILS("second_operand_past_end_is_rejected", CFI(CFA_OFFSET_EXTENDED, 3 /* cut */), "",
	      ERROR_CFI_TRUNCATED, 0),
	FAILS("expression_past_end_is_rejected", CFI(CFA_EXPRESSION, 6, 3, 0x76, 0 /* cut */), "",
	      ERROR_CFI_TRUNCATED, 0),
	FAILS("cfa_expression_past_end_is_rejected",
	      CFI(CFA_DEF_CFA_EXPRESSION, 0x7f, 0x76 /* cut */), "", ERROR_CFI_TRUNCATED, 0),
	FAILS("rows_before_the_error_are_given",
	      CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_advance_loc(1),
		  CFA_ADVANCE_LOC1 /* cut */),
	      "0..1 " NORMAL "\n1..2 cfa=rsp+16 ra=c-8\n", ERROR_CFI_TRUNCATED, 4),
	FAILS("restore_without_remember_is_rejected", CFI(CFA_advance_loc(1), CFA_restore_state),
	      "0..1 " NORMAL "\n", ERROR_CFI_STATE, 1),
	FAILS("offset_for_a_cfa_expression_is_rejected",
	      CFI(CFA_def_cfa_expression(0x77), CFA_def_cfa_offset(16)), "", ERROR_CFI_STATE, 3),
	FAILS("register_for_a_cfa_expression_is_rejected",
	      CFI(CFA_def_cfa_expression(0x77), CFA_def_cfa_register(RBP)), "", ERROR_CFI_STATE, 3),
	FAILS("half_of_a_cfa_on_a_register_that_does_not_exist_is_rejected",
	      CFI(CFA_def_cfa_expression(0x77), CFA_def_cfa_register(ULEB2(256)),
		  CFA_def_cfa(RSP, 8)),
	      "", ERROR_CFI_REGISTER, 3),
	FAILS("offset_for_no_cfa_is_rejected",
	      CFI(CFA_def_cfa_expression(DW_OP_breg6, 8), CFA_advance_loc(1),
		  CFA_def_cfa_offset(16), CFA_def_cfa_register(RBP), CFA_advance_loc(1),
		  CFA_def_cfa(RSP, 8)),
	      "0..1 cfa=exp(breg6+8) ra=c-8\n", ERROR_CFI_STATE, 5),
	FAILS("cfa_on_a_vector_register_is_rejected", CFI(CFA_def_cfa(17, 8)), "",
	      ERROR_CFI_REGISTER, 0),
	FAILS("register_256_is_rejected", CFI(CFA_undefined(ULEB2(256))), "", ERROR_CFI_REGISTER,
	      0),
	FAILS("kept_in_register_256_is_rejected", CFI(CFA_register(RBX, ULEB2(256))), "",
	      ERROR_CFI_REGISTER, 0),
	FAILS("advance_out_of_the_range_clips_the_row",
	      CFI(CFA_advance_loc2(257), CFA_def_cfa_offset(16)), "0..100 " NORMAL "\n",
	      ERROR_CFI_RANGE, 0),
	FAILS("set_loc_backwards_is_rejected", CFI(CFA_advance_loc(4), CFA_set_loc(U8(0x1002))),
	      "0..4 " NORMAL "\n", ERROR_CFI_RANGE, 1),
	FAILS("gnu_window_save_is_not_of_this_machine", CFI(CFA_AARCH64_negate_ra_state), "",
	      ERROR_CFI_INSTRUCTION, 0),
	FAILS("advance_loc8_past_end_is_rejected",
	      CFI(CFA_MIPS_ADVANCE_LOC8, 1, 0, 0, 0, 0, 0, 0 /* cut */), "", ERROR_CFI_TRUNCATED,
	      0),
	FAILS("advance_loc8_that_wraps_is_rejected", CFI(CFA_MIPS_advance_loc8(0xffffffffffffffff)),
	      "", ERROR_CFI_RANGE, 0),
	FAILS("undefined_instruction_is_rejected", CFI(0x17 /* undefined */), "",
	      ERROR_CFI_INSTRUCTION, 0),
};

struct text {
	char data[4096];
	size_t size;
};

static int collect(void *context, const struct row *row)
{
	struct text *text = context;
	char *line = NULL;
	size_t size;
	FILE *file = open_memstream(&line, &size);
	fprintf(file, "%" PRIx64 "..%" PRIx64 " ", row->pc - TEST_PC, row->pc_end - TEST_PC);
	row_print(file, row);
	fputc('\n', file);
	fclose(file);
	ck_assert_uint_lt(text->size + size, sizeof(text->data));
	memcpy(text->data + text->size, line, size + 1);
	text->size += size;
	free(line);
	return 0;
}

#define RETURN_COLUMN 14 /* where put_cie() has it */

/* Builds the case's section and reads it. The caller destroys *ret. */
static size_t build(const struct program_case *test, struct bytes *bytes, struct image *image,
		    struct cfi **ret)
{
	uint8_t cie[64] = { CFA_def_cfa(RSP, 8), CFA_offset(RIP, 1) };
	size_t cie_size = 5 + test->cie_more.size;
	memcpy(cie + 5, test->cie_more.data ? test->cie_more.data : "", test->cie_more.size);
	put_cie(bytes, 0, (struct literal) { (const char *)cie, cie_size });
	if (test->return_column)
		bytes->data[RETURN_COLUMN] = test->return_column;
	size_t instructions = put_fde(bytes, 0, TEST_PC, TEST_PC_RANGE, test->instructions);
	*image = fake_image(bytes);
	struct error error;
	ck_assert_msg(!cfi_create(image, ret, &error), "%s: %s", test->name, error.message);
	ck_assert_msg((*ret)->fde_count == 1, "%s: the FDE was lost", test->name);
	return instructions;
}

/* The case's rows, and how cfi_rows() ends. */
static int rows_of(const struct program_case *test, struct text *text, struct error *error)
{
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;
	int result;

	build(test, &bytes, &image, &cfi);
	*text = (struct text) { .size = 0 };
	*error = (struct error) { 0 };
	result = cfi_rows(cfi, &cfi->fde[0], collect, text, error);
	cfi_destroy(cfi);
	return result;
}

static void check_rows(const struct program_case *test, uint16_t machine)
{
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;
	size_t start = build(test, &bytes, &image, &cfi);
	struct text text = { .size = 0 };
	struct error error = { 0 };
	int result;

	image.machine = machine;
	result = cfi_rows(cfi, &cfi->fde[0], collect, &text, &error);

	ck_assert_msg(!strcmp(text.data, test->rows), "%s: rows\n%sexpected\n%s(%s)", test->name,
		      text.data, test->rows, error.message);
	ck_assert_msg(result == (test->code ? -1 : 0) && error.code == test->code,
		      "%s: %d %s (%s), expected %s", test->name, result,
		      error_code_name(error.code), error.message, error_code_name(test->code));
	if (test->code) {
		ck_assert_msg(error.offset == start + test->offset, "%s: at %" PRIu64 " of the FDE",
			      test->name, error.offset - start);
		ck_assert_str_eq(error.section, ".eh_frame");
	}
	cfi_destroy(cfi);
}

START_TEST(instruction_gives_rows)
{
	check_rows(&cases[_i], EM_X86_64);
}
END_TEST

START_TEST(return_column_without_a_row_is_an_error)
{
	struct program_case test = { "", CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16)),
				     .return_column = 17 };
	struct text text;
	struct error error;

	ck_assert_int_eq(rows_of(&test, &text, &error), -1);
	ck_assert_int_eq(error.code, ERROR_CFI_REGISTER);
	ck_assert_uint_eq(text.size, 0);
}
END_TEST

/* No prefix of any program reads past its end, whatever it gives. */
START_TEST(prefix_is_bounded)
{
	struct program_case test = cases[_i];
	struct text text;
	struct error error;

	for (; test.instructions.size > 0; test.instructions.size--) {
		int result = rows_of(&test, &text, &error);

		ck_assert_int_eq(result, error.code ? -1 : 0);
	}
}
END_TEST

START_TEST(states_nest_as_deep_as_there_are_bytes)
{
	static char program[3000];
	const struct program_case test = { .name = "deep",
					   .instructions = { program, sizeof(program) } };
	struct text text;
	struct error error;

	memset(program, CFA_remember_state, 1500);
	memset(program + 1500, CFA_restore_state, 1500);
	ck_assert_int_eq(rows_of(&test, &text, &error), 0);
	ck_assert_str_eq(text.data, "0..100 " NORMAL "\n");
}
END_TEST

static int stop_at_once(void *context, const struct row *row)
{
	++*(int *)context;
	return 42;
}

START_TEST(callback_stops_and_its_value_is_returned)
{
	const struct program_case test =
		ROWS("stop", CFI(CFA_advance_loc(1), CFA_advance_loc(1), CFA_advance_loc(1)), "");
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;
	build(&test, &bytes, &image, &cfi);
	struct error error = { 0 };
	int calls = 0;
	ck_assert_int_eq(cfi_rows(cfi, &cfi->fde[0], stop_at_once, &calls, &error), 42);
	ck_assert_int_eq(calls, 1);
	cfi_destroy(cfi);
}
END_TEST

START_TEST(row_find_gives_the_row_of_a_pc)
{
	static const struct {
		uint64_t pc;
		int found;
		int64_t cfa_offset;
	} pcs[] = {
		{ 0xfff, 0, 0 },   { 0x1000, 1, 8 }, { 0x1001, 1, 16 },
		{ 0x10ff, 1, 16 }, { 0x1100, 0, 0 },
	};
	const struct program_case test = ROWS("find",
					      CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16)), "");
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;
	build(&test, &bytes, &image, &cfi);
	for (size_t i = 0; i < sizeof(pcs) / sizeof(pcs[0]); i++) {
		struct row row = { 0 };
		struct error error = { 0 };
		ck_assert_int_eq(cfi_row_find(cfi, pcs[i].pc, &row, &error), pcs[i].found);
		ck_assert_int_eq(row.cfa.offset, pcs[i].cfa_offset);
	}
	cfi_destroy(cfi);
}
END_TEST

/* ---- registers above rip ------------------------------------------------------------------- */

/* Of each row one letter: '-' where no register above rip has a rule, else the same letter for the same rules. */
struct high_text {
	uint64_t seen[8];
	char data[16];
};

static int collect_high(void *context, const struct row *row)
{
	struct high_text *text = context;
	char letter[2] = "-";

	if (row->high) {
		size_t i = 0;

		while (text->seen[i] && text->seen[i] != row->high)
			i++;
		text->seen[i] = row->high;
		letter[0] = (char)('a' + i);
	}
	strcat(text->data, letter);
	return 0;
}

#define XMM6 23
#define NEXT CFA_advance_loc(1)

static const struct {
	const char *name;
	struct literal instructions;
	const char *rows;
} high_cases[] = {
	{ "none", CFI(CFA_offset(RBX, 2), NEXT), "--" },
	{ "restored", CFI(CFA_offset(XMM6, 2), NEXT, CFA_restore_extended(XMM6), NEXT), "a--" },
	{ "undefined_is_none", CFI(CFA_undefined(XMM6), NEXT), "--" },
	{ "another_offset", CFI(CFA_offset(XMM6, 2), NEXT, CFA_offset(XMM6, 3), NEXT), "abb" },
	{ "another_register",
	  CFI(CFA_offset(XMM6, 2), NEXT, CFA_undefined(XMM6), CFA_offset(XMM6 + 1, 2), NEXT),
	  "abb" },
	{ "another_rule", CFI(CFA_offset(XMM6, 2), NEXT, CFA_val_offset(XMM6, 2), NEXT), "abb" },
	{ "another_expression",
	  CFI(CFA_expression(XMM6, DW_OP_breg7, 8), NEXT, CFA_expression(XMM6, DW_OP_breg7, 16)),
	  "ab" },
	{ "another_register_in_the_rule",
	  CFI(CFA_register(XMM6, RBX), NEXT, CFA_register(XMM6, RBP)), "ab" },
	{ "in_any_order",
	  CFI(CFA_offset(XMM6, 2), CFA_offset(XMM6 + 1, 4), NEXT, CFA_undefined(XMM6),
	      CFA_undefined(XMM6 + 1), CFA_offset(XMM6 + 1, 4), CFA_offset(XMM6, 2)),
	  "aa" },
	{ "remembered_and_restored",
	  CFI(CFA_offset(XMM6, 2), CFA_remember_state, NEXT, CFA_offset(XMM6, 3), NEXT,
	      CFA_restore_state),
	  "aba" },
	{ "of_the_last_one", CFI(CFA_offset_extended(ULEB2(255), 2)), "a" },
};

START_TEST(rules_above_rip_are_told_apart)
{
	const struct program_case test = { .name = high_cases[_i].name,
					   .instructions = high_cases[_i].instructions };
	struct bytes bytes = { .size = 0 };
	struct high_text text = { .data = "" };
	struct error error = { 0 };
	struct image image;
	struct cfi *cfi;

	build(&test, &bytes, &image, &cfi);
	ck_assert_int_eq(cfi_rows(cfi, &cfi->fde[0], collect_high, &text, &error), 0);
	ck_assert_msg(!strcmp(text.data, high_cases[_i].rows), "%s: %s", test.name, text.data);
	cfi_destroy(cfi);
}
END_TEST

struct raw_text {
	char data[512];
	uint32_t xmm6_seen;
};

static int collect_raw(void *context, const struct cfi_raw_row *raw)
{
	struct raw_text *text = context;
	char line[64];
	snprintf(line, sizeof(line), "%" PRIx64 "..%" PRIx64 "\n", raw->row->pc, raw->row->pc_end);
	strcat(text->data, line);
	if (raw->high && raw->high[23 - REGISTER_COUNT].kind == RULE_OFFSET)
		text->xmm6_seen++;
	return 0;
}

START_TEST(raw_rows_are_those_of_a_dump)
{
	const struct {
		const char *name;
		struct literal instructions;
		const char *rows;
		uint32_t xmm6_seen;
		int result;
	} raw_cases[] = {
		{ "nops_give_none", CFI(CFA_nop, CFA_nop), "", 0, 0 },
		{ "advance_by_zero_gives_one", CFI(CFA_advance_loc(0)), "1000..1000\n1000..1100\n",
		  0, 0 },
		{ "advance_past_the_end_gives_one", CFI(CFA_advance_loc4(0x1000)),
		  "1000..2000\n2000..1100\n", 0, 0 },
		{ "vector_registers_are_there",
		  CFI(CFA_offset_extended(23, 2), CFA_remember_state, CFA_advance_loc(1),
		      CFA_restore_extended(23), CFA_advance_loc(1), CFA_restore_state),
		  "1000..1001\n1001..1002\n1002..1100\n", 2, 0 },
		{ "what_was_decoded_is_given",
		  CFI(CFA_advance_loc(1), 0x17 /* undefined */, CFA_advance_loc(1)),
		  "1000..1001\n1001..1100\n", 0, -1 },
	};
	for (size_t i = 0; i < sizeof(raw_cases) / sizeof(raw_cases[0]); i++) {
		const struct program_case test = { .name = raw_cases[i].name,
						   .instructions = raw_cases[i].instructions };
		struct bytes bytes = { .size = 0 };
		struct image image;
		struct cfi *cfi;
		build(&test, &bytes, &image, &cfi);
		struct raw_text text = { "", 0 };
		struct error error = { 0 };
		int result = cfi_raw_rows(cfi, &cfi->cie[0], &cfi->fde[0], collect_raw, &text,
					  &error);
		ck_assert_msg(result == raw_cases[i].result &&
				      !strcmp(text.data, raw_cases[i].rows) &&
				      text.xmm6_seen == raw_cases[i].xmm6_seen,
			      "%s: %d, %u, rows\n%s", test.name, result, text.xmm6_seen, text.data);
		cfi_destroy(cfi);
	}
}
END_TEST

/* ---- AArch64 ------------------------------------------------------------------------------ */

/* The CIE says cfa=rsp+8 here as above: register numbers are only numbers. */
static const struct program_case aarch64_cases[] = {
	ROWS("negate_ra_state_signs", CFI(CFA_advance_loc(1), CFA_AARCH64_negate_ra_state),
	     "0..1 " NORMAL "\n1..100 " NORMAL " ra-signed\n"),
	ROWS("negate_ra_state_twice_is_none",
	     CFI(CFA_AARCH64_negate_ra_state, CFA_advance_loc(1), CFA_AARCH64_negate_ra_state),
	     "0..1 " NORMAL " ra-signed\n1..100 " NORMAL "\n"),
	ROWS("ra_state_is_remembered",
	     CFI(CFA_AARCH64_negate_ra_state, CFA_remember_state, CFA_AARCH64_negate_ra_state,
		 CFA_advance_loc(1), CFA_restore_state),
	     "0..1 " NORMAL "\n1..100 " NORMAL " ra-signed\n"),
	ROWS("ra_state_is_remembered_once_a_level",
	     CFI(CFA_remember_state, CFA_AARCH64_negate_ra_state, CFA_remember_state,
		 CFA_AARCH64_negate_ra_state, CFA_AARCH64_negate_ra_state,
		 CFA_AARCH64_negate_ra_state, CFA_advance_loc(1), CFA_restore_state,
		 CFA_advance_loc(1), CFA_restore_state),
	     "0..1 " NORMAL "\n1..2 " NORMAL " ra-signed\n2..100 " NORMAL "\n"),
	ROWS("cfa_hangs_on_sp", CFI(CFA_def_cfa(31, 16)), "0..100 cfa=r31+16 ra=c-8\n"),
	FAILS("instruction_0x2c_is_not_defined", CFI(0x2c /* undefined */), "",
	      ERROR_CFI_INSTRUCTION, 0),
};

START_TEST(aarch64_instruction_gives_rows)
{
	check_rows(&aarch64_cases[_i], EM_AARCH64);
}
END_TEST

START_TEST(negate_ra_state_on_x86_64_is_named)
{
	const struct program_case test = ROWS("named", CFI(CFA_AARCH64_negate_ra_state), "");
	struct text text;
	struct error error;

	ck_assert_int_eq(rows_of(&test, &text, &error), -1);
	ck_assert_ptr_nonnull(strstr(error.message, "DW_CFA_AARCH64_negate_ra_state"));
}
END_TEST

START_TEST(truncated_instruction_is_named)
{
	const struct program_case test = ROWS("named", CFI(CFA_OFFSET | RBP /* cut */), "");
	struct text text;
	struct error error;

	ck_assert_int_eq(rows_of(&test, &text, &error), -1);
	ck_assert_str_eq(error.message,
			 "operand of DW_CFA_offset (0x86) reaches past its entry's end");
}
END_TEST

/* DW_EH_PE_funcrel: in a DW_CFA_set_loc it counts from the FDE's first PC. */
START_TEST(set_loc_may_count_from_the_function)
{
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0x43, (struct literal)CFI(CFA_def_cfa(RSP, 8), CFA_offset(RIP, 1)));
	size_t start = begin_entry(&bytes);
	put_number(&bytes, bytes.size, 4);
	put_number(&bytes, TEST_PC, 4);
	put_number(&bytes, TEST_PC_RANGE, 4);
	put_number(&bytes, 0, 1);
	put_literal(&bytes, (struct literal)CFI(CFA_set_loc(U4(4)), CFA_def_cfa_offset(16)));
	end_entry(&bytes, start);
	struct image image = fake_image(&bytes);
	struct text text = { .size = 0 };
	struct error error = { 0 };
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->fde_count, 1);
	ck_assert_int_eq(cfi_rows(cfi, &cfi->fde[0], collect, &text, &error), 0);
	ck_assert_str_eq(text.data, "0..4 " NORMAL "\n4..100 cfa=rsp+16 ra=c-8\n");
	cfi_destroy(cfi);
}
END_TEST

/* What 300 states less the last 200 leave is the hundredth. */
START_TEST(states_that_differ_nest_deep)
{
	enum { DEPTH = 300 };
	static char program[DEPTH * 8];
	size_t size = 0;
	for (int i = 0; i < DEPTH; i++, size += 4) {
		const uint8_t change[4] = { CFA_remember_state, CFA_def_cfa_offset(ULEB2(i)) };
		memcpy(program + size, change, 4);
	}
	for (int i = 0; i < DEPTH - 100; i++)
		program[size++] = CFA_restore_state;
	const struct program_case test = { .name = "deep", .instructions = { program, size } };
	struct text text;
	struct error error;

	ck_assert_int_eq(rows_of(&test, &text, &error), 0);
	ck_assert_str_eq(text.data, "0..100 cfa=rsp+99 ra=c-8\n");
}
END_TEST

SUITE(cfi_program, LOOP(instruction_gives_rows, cases),
      TEST(return_column_without_a_row_is_an_error), LOOP(prefix_is_bounded, cases),
      LOOP(aarch64_instruction_gives_rows, aarch64_cases), TEST(negate_ra_state_on_x86_64_is_named),
      TEST(truncated_instruction_is_named), TEST(set_loc_may_count_from_the_function),
      TEST(states_that_differ_nest_deep), TEST(states_nest_as_deep_as_there_are_bytes),
      TEST(callback_stops_and_its_value_is_returned), TEST(row_find_gives_the_row_of_a_pc),
      TEST(raw_rows_are_those_of_a_dump), LOOP(rules_above_rip_are_told_apart, high_cases))
