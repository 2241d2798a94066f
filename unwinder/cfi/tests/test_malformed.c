/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_malformed.c - one bad thing at a time, named by its code and its place, and nothing else
 * lost
 *
 * Every section here begins with a good CIE and ends with a good FDE, whatever stands between them;
 * both must survive. What is bad is a CIE, an FDE, a pointer, an instruction or an expression of
 * another entry. The expected error is its code and its offset, counted as each table says. Whole
 * files are test_malformed_image.c's.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "tests/malformed.h"
#include "cfi/cfi.h"
#include "cfi/expression.h"

#define GOOD_PC 0x9000

/* ---- entries ----------------------------------------------------------------------------- */

enum kind {
	ENTRY, /* bytes: whole entries */
	CIE,   /* bytes: from the version on */
	FDE,   /* bytes: from pc_begin on, under a CIE of encoding */
};

static const struct {
	const char *name;
	enum kind kind;
	uint8_t encoding;
	struct literal bytes;
	enum error_code code;
	int64_t offset; /* from the first of bytes */
} entries[] = {
	{ "length_past_the_section", ENTRY, 0, BYTES("\xff\xff\0\0\1\2\3\4"), ERROR_CFI_LENGTH, 0 },
	{ "length_of_64_bits_past_the_section", ENTRY, 0,
	  BYTES("\xff\xff\xff\xff\0\0\0\0\1\0\0\0\1\2\3\4"), ERROR_CFI_LENGTH, 0 },
	{ "length_of_64_bits_that_wraps", ENTRY, 0,
	  BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), ERROR_CFI_LENGTH, 0 },
	{ "reserved_length_0xfffffff0", ENTRY, 0, BYTES("\xf0\xff\xff\xff\1\2\3\4"),
	  ERROR_CFI_LENGTH, 0 },
	{ "reserved_length_0xfffffffe", ENTRY, 0, BYTES("\xfe\xff\xff\xff\1\2\3\4"),
	  ERROR_CFI_LENGTH, 0 },
	{ "entry_of_one_byte", ENTRY, 0, BYTES("\1\0\0\0\1"), ERROR_CFI_TRUNCATED, 4 },
	{ "entry_of_three_bytes", ENTRY, 0, BYTES("\3\0\0\0\1\2\3"), ERROR_CFI_TRUNCATED, 4 },
	{ "empty_entry_of_64_bits", ENTRY, 0, BYTES("\xff\xff\xff\xff\0\0\0\0\0\0\0\0"),
	  ERROR_CFI_TRUNCATED, 12 },
	{ "cie_pointer_before_the_section", ENTRY, 0, BYTES("\4\0\0\0\xff\xff\0\0"),
	  ERROR_CIE_POINTER, 0 },
	{ "cie_pointer_past_the_section", ENTRY, 0, BYTES("\4\0\0\0\0\0\0\x80"), ERROR_CIE_POINTER,
	  0 },
	{ "cie_pointer_to_itself", ENTRY, 0, BYTES("\4\0\0\0\4\0\0\0"), ERROR_CIE_POINTER, 0 },
	{ "cie_pointer_into_the_middle_of_a_cie", ENTRY, 0, BYTES("\4\0\0\0\x11\0\0\0"),
	  ERROR_CIE_POINTER, 0 },
	{ "cie_without_a_body", ENTRY, 0, BYTES("\4\0\0\0\0\0\0\0"), ERROR_CFI_TRUNCATED, 8 },
	{ "cie_version_0", CIE, 0, BYTES("\0\0\1\x78\x10"), ERROR_CIE_VERSION, 0 },
	{ "cie_version_2", CIE, 0, BYTES("\2\0\1\x78\x10"), ERROR_CIE_VERSION, 0 },
	{ "cie_version_255", CIE, 0, BYTES("\xff\0\1\x78\x10"), ERROR_CIE_VERSION, 0 },
	{ "augmentation_without_end", CIE, 0, BYTES("\1zR"), ERROR_CFI_TRUNCATED, 1 },
	{ "augmentation_unknown_without_z", CIE, 0, BYTES("\1armcc+\0\1\x78\x10"),
	  ERROR_CIE_AUGMENTATION, -8 },
	{ "eh_without_its_pointer", CIE, 0, BYTES("\1eh\0\1\2\3"), ERROR_CFI_TRUNCATED, 4 },
	{ "eh_with_an_unknown_letter", CIE, 0, BYTES("\1ehX\0\1\2\3\4\5\6\7\x08\1\x78\x10"),
	  ERROR_CIE_AUGMENTATION, -8 },
	{ "version_4_without_address_size", CIE, 0, BYTES("\4\0"), ERROR_CFI_TRUNCATED, 2 },
	{ "addresses_of_2_bytes", CIE, 0, BYTES("\4\0\2\0\1\x78\x10"), ERROR_CIE_VERSION, 2 },
	{ "segment_selectors", CIE, 0, BYTES("\5\0\x08\4\1\x78\x10"), ERROR_CIE_VERSION, 2 },
	{ "code_alignment_of_70_bits", CIE, 0,
	  BYTES("\1\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x3f\x78\x10"), ERROR_CFI_TRUNCATED, 2 },
	{ "data_alignment_without_end", CIE, 0, BYTES("\1\0\1\x80\x80"), ERROR_CFI_TRUNCATED, 3 },
	{ "return_register_is_missing", CIE, 0, BYTES("\3\0\1\x78"), ERROR_CFI_TRUNCATED, 4 },
	{ "augmentation_length_past_the_cie", CIE, 0, BYTES("\1zR\0\1\x78\x10\x7f\x1b"),
	  ERROR_CFI_TRUNCATED, 8 },
	{ "augmentation_length_of_64_bits", CIE, 0,
	  BYTES("\1zR\0\1\x78\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), ERROR_CFI_TRUNCATED,
	  17 },
	{ "personality_encoding_is_undefined", CIE, 0, BYTES("\1zP\0\1\x78\x10\2\x07\0"),
	  ERROR_POINTER_ENCODING, 9 },
	{ "personality_past_its_data", CIE, 0, BYTES("\1zP\0\1\x78\x10\2\x04\0"),
	  ERROR_CFI_TRUNCATED, 9 },
	{ "lsda_encoding_is_missing", CIE, 0, BYTES("\1zRL\0\1\x78\x10\1\x1b"), ERROR_CFI_TRUNCATED,
	  10 },
	{ "fde_ends_in_pc_begin", FDE, 0x1b, BYTES("\1\2\3"), ERROR_CFI_TRUNCATED, 0 },
	{ "fde_ends_in_pc_range", FDE, 0x1b, BYTES("\1\2\3\4\5\6\7"), ERROR_CFI_TRUNCATED, 4 },
	{ "fde_without_augmentation_length", FDE, 0x1b, BYTES("\1\2\3\4\5\6\7\0"),
	  ERROR_CFI_TRUNCATED, 8 },
	{ "fde_augmentation_past_its_end", FDE, 0x1b, BYTES("\1\2\3\4\5\6\7\0\4\1\2\3"),
	  ERROR_CFI_TRUNCATED, 9 },
	{ "range_that_wraps", FDE, 0x04,
	  BYTES("\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0"), ERROR_CFI_RANGE, -8 },
	{ "pointer_omitted", FDE, 0xff, BYTES("\1\0\0\0\0\0\0\0"), ERROR_POINTER_ENCODING, 0 },
	{ "pointer_format_5", FDE, 0x05, BYTES("\1\0\0\0\0\0\0\0"), ERROR_POINTER_ENCODING, 0 },
	{ "pointer_format_15", FDE, 0x0f, BYTES("\1\0\0\0\0\0\0\0"), ERROR_POINTER_ENCODING, 0 },
	{ "pointer_base_6", FDE, 0x6b, BYTES("\1\0\0\0\0\0\0\0"), ERROR_POINTER_ENCODING, 0 },
	{ "aligned_with_a_format", FDE, 0x5b, BYTES("\1\0\0\0\0\0\0\0"), ERROR_POINTER_ENCODING,
	  0 },
	{ "indirect_out_of_the_image", FDE, 0x9b, BYTES("\1\0\0\0\1\0\0\0\0"),
	  ERROR_POINTER_ENCODING, 0 },
	{ "indirect_near_the_last_address", FDE, 0x84,
	  BYTES("\xfe\xff\xff\xff\xff\xff\xff\xff\1\0\0\0\0\0\0\0"), ERROR_POINTER_ENCODING, 0 },
	{ "uleb_pointer_of_70_bits", FDE, 0x01,
	  BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x3f\1\0"), ERROR_CFI_TRUNCATED, 0 },
	{ "sleb_pointer_without_end", FDE, 0x09, BYTES("\xff\xff\xff"), ERROR_CFI_TRUNCATED, 0 },
	{ "aligned_pointer_past_the_end", FDE, 0x50, BYTES("\1\2\3\4"), ERROR_CFI_TRUNCATED, 0 },
};

static void put_bad(struct bytes *bytes, size_t index, size_t *ret_start)
{
	*ret_start = bytes->size;
	if (entries[index].kind == ENTRY) {
		put_literal(bytes, entries[index].bytes);
		return;
	}
	size_t cie = bytes->size;
	if (entries[index].kind == FDE)
		put_cie(bytes, entries[index].encoding, (struct literal)BYTES(""));
	size_t start = begin_entry(bytes);
	put_number(bytes, entries[index].kind == FDE ? bytes->size - cie : 0, 4);
	*ret_start = bytes->size;
	put_literal(bytes, entries[index].bytes);
	end_entry(bytes, start);
}

static int take_row(void *context, const struct row *row)
{
	*(struct row *)context = *row;
	return 0;
}

/* The last FDE of a section, which each test puts there. */
static void check_good_fde(const char *name, const struct cfi *cfi)
{
	struct row row = { 0 };
	struct error error;
	const struct cfi_fde *fde = cfi_fde_find(cfi, GOOD_PC);
	ck_assert_msg(fde && fde->pc_begin == GOOD_PC && fde->pc_range == 0x10,
		      "%s: the good FDE is lost", name);
	ck_assert_msg(!cfi_rows(cfi, fde, take_row, &row, &error), "%s: %s", name, error.message);
	ck_assert_int_eq(row.cfa.offset, 16);
}

static void put_good_fde(struct bytes *bytes)
{
	put_fde(bytes, 0, GOOD_PC, 0x10, (struct literal)CFI(CFA_def_cfa_offset(16)));
}

#define GOOD_CIE CFI(CFA_def_cfa(RSP, 8), CFA_offset(RIP, 1))

/* A CIE costs those that name it, too: each is an FDE of its own. */
static bool is_bad_cie(size_t index)
{
	return entries[index].kind == CIE ||
	       (entries[index].kind == ENTRY && !strcmp(entries[index].name, "cie_without_a_body"));
}

START_TEST(bad_entry_costs_itself)
{
	struct bytes bytes = { .size = 0 };
	size_t start, cie, lost = is_bad_cie(_i) ? 2 : 1;
	put_cie(&bytes, 0, (struct literal)GOOD_CIE);
	cie = bytes.size;
	put_bad(&bytes, (size_t)_i, &start);
	if (lost == 2)
		put_fde(&bytes, cie, GOOD_PC + 0x100, 0x10, (struct literal)BYTES(""));
	put_good_fde(&bytes);
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	ck_assert_msg(cfi->diagnostics.count == lost, "%s: %zu diagnostics", entries[_i].name,
		      cfi->diagnostics.count);
	check_error(entries[_i].name, cfi->diagnostics.error, entries[_i].code, ".eh_frame",
		    start + (uint64_t)entries[_i].offset);
	ck_assert_uint_eq(cfi->fde_count, 1);
	check_good_fde(entries[_i].name, cfi);
	cfi_destroy(cfi);
}
END_TEST

/* What no FDE names nobody uses. */
START_TEST(bad_cie_of_nobody_costs_nothing)
{
	struct bytes bytes = { .size = 0 };
	struct image image;
	size_t start;

	put_cie(&bytes, 0, (struct literal)GOOD_CIE);
	put_bad(&bytes, (size_t)_i, &start);
	put_good_fde(&bytes);
	image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	ck_assert_msg(cfi->diagnostics.count == !is_bad_cie(_i), "%s: %zu", entries[_i].name,
		      cfi->diagnostics.count);
	check_good_fde(entries[_i].name, cfi);
	cfi_destroy(cfi);
}
END_TEST

/* ---- instructions ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	struct literal instructions;
	enum error_code code;
	uint64_t offset; /* from the first instruction */
} programs[] = {
	{ "advance_loc1_without_operand", CFI(CFA_ADVANCE_LOC1 /* cut */), ERROR_CFI_TRUNCATED, 0 },
	{ "advance_loc2_cut", CFI(CFA_ADVANCE_LOC2, 1 /* cut */), ERROR_CFI_TRUNCATED, 0 },
	{ "advance_loc4_cut", CFI(CFA_ADVANCE_LOC4, 1, 2, 3 /* cut */), ERROR_CFI_TRUNCATED, 0 },
	{ "advance_loc8_cut", CFI(CFA_MIPS_ADVANCE_LOC8, 1, 2, 3, 4, 5, 6, 7 /* cut */),
	  ERROR_CFI_TRUNCATED, 0 },
	{ "advance_past_the_fde", CFI(CFA_advance_loc(1), CFA_advance_loc1(255)), ERROR_CFI_RANGE,
	  1 },
	{ "advance_that_wraps", CFI(CFA_advance_loc(1), CFA_MIPS_advance_loc8(0xffffffffffffffff)),
	  ERROR_CFI_RANGE, 1 },
	{ "set_loc_backwards", CFI(CFA_advance_loc(4), CFA_set_loc(U8(0x1001))), ERROR_CFI_RANGE,
	  1 },
	{ "set_loc_past_the_fde", CFI(CFA_set_loc(U8(0x2000))), ERROR_CFI_RANGE, 0 },
	{ "set_loc_cut", CFI(CFA_SET_LOC, 0, 0x20, 0, 0 /* cut */), ERROR_CFI_TRUNCATED, 1 },
	{ "offset_without_operand", CFI(CFA_OFFSET | RBP /* cut */), ERROR_CFI_TRUNCATED, 0 },
	{ "offset_extended_without_offset", CFI(CFA_OFFSET_EXTENDED, 6 /* cut */),
	  ERROR_CFI_TRUNCATED, 0 },
	{ "offset_of_register_256", CFI(CFA_offset_extended(ULEB2(256), 1)), ERROR_CFI_REGISTER,
	  0 },
	{ "restore_of_register_256", CFI(CFA_restore_extended(ULEB2(256))), ERROR_CFI_REGISTER, 0 },
	{ "same_value_of_register_2_to_the_63",
	  CFI(CFA_same_value(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1)),
	  ERROR_CFI_REGISTER, 0 },
	{ "register_in_register_256", CFI(CFA_register(RBP, ULEB2(256))), ERROR_CFI_REGISTER, 0 },
	{ "cfa_in_a_vector_register", CFI(CFA_def_cfa(17, 16)), ERROR_CFI_REGISTER, 0 },
	{ "cfa_register_without_operand", CFI(CFA_DEF_CFA_REGISTER /* cut */), ERROR_CFI_TRUNCATED,
	  0 },
	{ "cfa_offset_of_70_bits",
	  CFI(CFA_def_cfa_offset(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f)),
	  ERROR_CFI_TRUNCATED, 0 },
	{ "cfa_offset_after_an_expression",
	  CFI(CFA_def_cfa_expression(DW_OP_call_frame_cfa), CFA_def_cfa_offset(16)),
	  ERROR_CFI_STATE, 3 },
	{ "cfa_register_after_an_expression",
	  CFI(CFA_def_cfa_expression(DW_OP_call_frame_cfa), CFA_def_cfa_register(RBP)),
	  ERROR_CFI_STATE, 3 },
	{ "cfa_expression_past_the_end", CFI(CFA_DEF_CFA_EXPRESSION, 5, 0x9c /* cut */),
	  ERROR_CFI_TRUNCATED, 0 },
	{ "expression_length_of_64_bits",
	  CFI(CFA_EXPRESSION, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
	      0x9c /* cut */),
	  ERROR_CFI_TRUNCATED, 0 },
	{ "val_expression_past_the_end", CFI(CFA_VAL_EXPRESSION, 6, 2, 0x9c /* cut */),
	  ERROR_CFI_TRUNCATED, 0 },
	{ "restore_state_alone", CFI(CFA_restore_state), ERROR_CFI_STATE, 0 },
	{ "restore_state_once_too_often",
	  CFI(CFA_remember_state, CFA_remember_state, CFA_restore_state, CFA_restore_state,
	      CFA_restore_state),
	  ERROR_CFI_STATE, 4 },
	{ "args_size_without_operand", CFI(CFA_GNU_ARGS_SIZE /* cut */), ERROR_CFI_TRUNCATED, 0 },
	{ "negate_ra_state_is_of_aarch64", CFI(CFA_advance_loc(1), CFA_AARCH64_negate_ra_state),
	  ERROR_CFI_INSTRUCTION, 1 },
	{ "instruction_0x17", CFI(0x17 /* undefined */), ERROR_CFI_INSTRUCTION, 0 },
	{ "instruction_lo_user", CFI(0x1c /* undefined */), ERROR_CFI_INSTRUCTION, 0 },
	{ "instruction_hi_user", CFI(0x3f /* undefined */), ERROR_CFI_INSTRUCTION, 0 },
};

START_TEST(bad_instruction_costs_its_fde)
{
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0, (struct literal)GOOD_CIE);
	size_t start = put_fde(&bytes, 0, TEST_PC, TEST_PC_RANGE / 2, programs[_i].instructions);
	put_good_fde(&bytes);
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->fde_count, 2);
	struct error_list found = { 0 };
	cfi_check(cfi, &found);
	ck_assert_msg(found.count == 1, "%s: %zu errors", programs[_i].name, found.count);
	check_error(programs[_i].name, found.error, programs[_i].code, ".eh_frame",
		    start + programs[_i].offset);
	check_good_fde(programs[_i].name, cfi);
	error_list_deinit(&found);
	cfi_destroy(cfi);
}
END_TEST

/* The CIE's instructions belong to each of its FDEs. */
START_TEST(cie_that_advances_costs_its_fdes)
{
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0, (struct literal)GOOD_CIE);
	size_t bad = put_cie(&bytes, 0, (struct literal)CFI(CFA_advance_loc(1)));
	put_fde(&bytes, bad, TEST_PC, 0x10, (struct literal)BYTES(""));
	put_good_fde(&bytes);
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	struct error_list found = { 0 };
	cfi_check(cfi, &found);
	ck_assert_uint_eq(found.count, 1);
	check_error("cie_advances", found.error, ERROR_CFI_INSTRUCTION, ".eh_frame", bad + 17);
	check_good_fde("cie_advances", cfi);
	error_list_deinit(&found);
	cfi_destroy(cfi);
}
END_TEST

/* ---- expressions ------------------------------------------------------------------------- */

static const struct {
	const char *name;
	struct literal expression;
	enum error_code code;
	uint64_t offset; /* in the expression */
} expressions[] = {
	{ "nothing_on_the_stack", BYTES(""), ERROR_EXPRESSION, 0 },
	{ "operation_0x00", BYTES("\x00"), ERROR_EXPRESSION, 0 },
	{ "operation_0xff", BYTES("\x30\xff"), ERROR_EXPRESSION, 1 },
	{ "deref_of_nothing", CFI(DW_OP_deref), ERROR_EXPRESSION, 0 },
	{ "plus_of_one_operand", CFI(DW_OP_lit1, DW_OP_plus), ERROR_EXPRESSION, 1 },
	{ "const8u_cut", BYTES("\x0e\1\2\3"), ERROR_EXPRESSION, 0 },
	{ "breg_without_offset", BYTES("\x77"), ERROR_EXPRESSION, 0 },
	{ "register_that_is_not_known", CFI(DW_OP_breg3, 0), ERROR_EXPRESSION_REGISTER, 0 },
	{ "division_by_zero", CFI(DW_OP_lit1, DW_OP_lit0, DW_OP_div), ERROR_EXPRESSION, 2 },
	{ "branch_out_of_the_expression", CFI(DW_OP_skip, U2(127)), ERROR_EXPRESSION, 0 },
	{ "endless_loop", CFI(DW_OP_skip, U2(-3)), ERROR_EXPRESSION, 0 },
	{ "pick_below_the_stack", CFI(DW_OP_lit0, DW_OP_pick, 5), ERROR_EXPRESSION, 1 },
	{ "memory_that_can_not_be_read", CFI(DW_OP_lit0, DW_OP_deref), ERROR_EXPRESSION_MEMORY, 1 },
};

static int read_nothing(void *context, uint64_t address, void *ret, size_t size)
{
	return -1;
}

START_TEST(bad_expression_costs_its_value)
{
	char program[64] = { CFA_DEF_CFA_EXPRESSION, (char)expressions[_i].expression.size };
	struct bytes bytes = { .size = 0 };
	memcpy(program + 2, expressions[_i].expression.data, expressions[_i].expression.size);
	put_cie(&bytes, 0, (struct literal)GOOD_CIE);
	put_fde(&bytes, 0, TEST_PC, 0x10,
		(struct literal) { program, 2 + expressions[_i].expression.size });
	put_good_fde(&bytes);
	struct image image = fake_image(&bytes);
	struct error error = { 0 };
	struct cfi *cfi = cfi_of(&image);
	struct row row;
	ck_assert_int_eq(cfi_row_find(cfi, TEST_PC, &row, &error), 1);
	ck_assert_int_eq(row.cfa.kind, RULE_CFA_EXPRESSION);
	struct register_values registers = { .known = 1u << REGISTER_RSP };
	struct memory_reader memory = { .read = read_nothing };
	uint64_t value;
	ck_assert_msg(expression_evaluate(row.cfa.expression, row.cfa.expression_bytes, &registers,
					  false, 0, &memory, &value, &error) == -1,
		      "%s: has a value", expressions[_i].name);
	check_error(expressions[_i].name, &error, expressions[_i].code, "", expressions[_i].offset);
	check_good_fde(expressions[_i].name, cfi);
	cfi_destroy(cfi);
}
END_TEST

SUITE(malformed, LOOP(bad_entry_costs_itself, entries),
      LOOP(bad_cie_of_nobody_costs_nothing, entries), LOOP(bad_instruction_costs_its_fde, programs),
      TEST(cie_that_advances_costs_its_fdes), LOOP(bad_expression_costs_its_value, expressions))
