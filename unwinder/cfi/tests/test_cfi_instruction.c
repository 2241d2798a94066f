/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cfi_instruction.c - the list of call frame instructions against elfutils' constants
 *
 * Each case is one instruction, whole: its name, with the number that <dwarf.h> has for it, its
 * operands' bytes, and what is read of them. Fewer bytes must be refused. An opcode without a case
 * is not in the list.
 */
#include <dwarf.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "cfi/cfi_instruction.h"

#define BYTES(...) (const uint8_t[]) { __VA_ARGS__ }, sizeof((const uint8_t[]) { __VA_ARGS__ })
#define INSTRUCTION(name, opcode, a, b, block_bytes, ...)                                          \
	IN_BRACES(opcode, name, #name, a, b, block_bytes, BYTES(__VA_ARGS__))
#define MINUS_2 ((uint64_t)-2) /* the SLEB 0x7e */

static const struct instruction_case {
	uint8_t opcode; /* of the list */
	int number;	/* of <dwarf.h> */
	const char *name;
	uint64_t a, b, block_bytes;
	const uint8_t *bytes;
	size_t size;
} cases[] = {
	INSTRUCTION(DW_CFA_advance_loc, CFA_ADVANCE_LOC, 0x3f, 0, 0, CFA_ADVANCE_LOC | 0x3f),
	INSTRUCTION(DW_CFA_offset, CFA_OFFSET, 16, 129, 0, CFA_OFFSET | 16, 0x81, 1),
	INSTRUCTION(DW_CFA_restore, CFA_RESTORE, 6, 0, 0, CFA_RESTORE | 6),
	INSTRUCTION(DW_CFA_nop, CFA_NOP, 0, 0, 0, 0x00),
	/* Its address is left to the caller. */
	INSTRUCTION(DW_CFA_set_loc, CFA_SET_LOC, 0, 0, 0, 0x01),
	INSTRUCTION(DW_CFA_advance_loc1, CFA_ADVANCE_LOC1, 0x80, 0, 0, 0x02, 0x80),
	INSTRUCTION(DW_CFA_advance_loc2, CFA_ADVANCE_LOC2, 0x201, 0, 0, 0x03, 1, 2),
	INSTRUCTION(DW_CFA_advance_loc4, CFA_ADVANCE_LOC4, 0x4030201, 0, 0, 0x04, 1, 2, 3, 4),
	INSTRUCTION(DW_CFA_offset_extended, CFA_OFFSET_EXTENDED, 3, 2, 0, 0x05, 3, 2),
	INSTRUCTION(DW_CFA_restore_extended, CFA_RESTORE_EXTENDED, 128, 0, 0, 0x06, 0x80, 1),
	INSTRUCTION(DW_CFA_undefined, CFA_UNDEFINED, 16, 0, 0, 0x07, 16),
	INSTRUCTION(DW_CFA_same_value, CFA_SAME_VALUE, 3, 0, 0, 0x08, 3),
	INSTRUCTION(DW_CFA_register, CFA_REGISTER, 3, 5, 0, 0x09, 3, 5),
	INSTRUCTION(DW_CFA_remember_state, CFA_REMEMBER_STATE, 0, 0, 0, 0x0a),
	INSTRUCTION(DW_CFA_restore_state, CFA_RESTORE_STATE, 0, 0, 0, 0x0b),
	INSTRUCTION(DW_CFA_def_cfa, CFA_DEF_CFA, 7, 0x7e, 0, 0x0c, 7, 0x7e),
	INSTRUCTION(DW_CFA_def_cfa_register, CFA_DEF_CFA_REGISTER, 6, 0, 0, 0x0d, 6),
	INSTRUCTION(DW_CFA_def_cfa_offset, CFA_DEF_CFA_OFFSET, 0x7e, 0, 0, 0x0e, 0x7e),
	INSTRUCTION(DW_CFA_def_cfa_expression, CFA_DEF_CFA_EXPRESSION, 0, 0, 2, 0x0f, 2, 0x77, 8),
	INSTRUCTION(DW_CFA_expression, CFA_EXPRESSION, 6, 0, 1, 0x10, 6, 1, 0x9c),
	INSTRUCTION(DW_CFA_offset_extended_sf, CFA_OFFSET_EXTENDED_SF, 3, MINUS_2, 0, 0x11, 3,
		    0x7e),
	INSTRUCTION(DW_CFA_def_cfa_sf, CFA_DEF_CFA_SF, 7, MINUS_2, 0, 0x12, 7, 0x7e),
	INSTRUCTION(DW_CFA_def_cfa_offset_sf, CFA_DEF_CFA_OFFSET_SF, MINUS_2, 0, 0, 0x13, 0x7e),
	INSTRUCTION(DW_CFA_val_offset, CFA_VAL_OFFSET, 3, 0x7e, 0, 0x14, 3, 0x7e),
	INSTRUCTION(DW_CFA_val_offset_sf, CFA_VAL_OFFSET_SF, 3, MINUS_2, 0, 0x15, 3, 0x7e),
	INSTRUCTION(DW_CFA_val_expression, CFA_VAL_EXPRESSION, 6, 0, 0, 0x16, 6, 0),
	INSTRUCTION(DW_CFA_MIPS_advance_loc8, CFA_MIPS_ADVANCE_LOC8, 1ull << 56 | 1, 0, 0, 0x1d, 1,
		    0, 0, 0, 0, 0, 0, 1),
	INSTRUCTION(DW_CFA_AARCH64_negate_ra_state, CFA_AARCH64_NEGATE_RA_STATE, 0, 0, 0, 0x2d),
	INSTRUCTION(DW_CFA_GNU_args_size, CFA_GNU_ARGS_SIZE, 256, 0, 0, 0x2e, 0x80, 2),
	INSTRUCTION(DW_CFA_GNU_negative_offset_extended, CFA_GNU_NEGATIVE_OFFSET_EXTENDED, 3, 2, 0,
		    0x2f, 3, 2),
};

START_TEST(instruction_is_read)
{
	const struct instruction_case *test = &cases[_i];
	const uint8_t *end = test->bytes + test->size;
	struct reader reader = { test->bytes, end };
	const struct cfi_instruction_form *form = cfi_instruction_form(test->bytes[0]);
	struct cfi_instruction read;

	ck_assert_msg(form && !strcmp(form->name, test->name), "%s", test->name);
	ck_assert_msg(test->opcode == test->number, "%s: 0x%x", test->name, test->opcode);
	ck_assert_msg(cfi_instruction_read(&reader, &read), "%s", test->name);
	ck_assert_msg(read.opcode == test->opcode && read.a == test->a && read.b == test->b &&
			      read.block_bytes == test->block_bytes,
		      "%s: 0x%x, 0x%lx, 0x%lx, %lu", test->name, read.opcode, read.a, read.b,
		      read.block_bytes);
	ck_assert_msg(reader.at == end, "%s: %zu bytes are left", test->name, reader_left(&reader));
	ck_assert(!read.block || read.block + read.block_bytes == end);
	for (size_t size = 1; size < test->size; size++) {
		reader = (struct reader) { test->bytes, test->bytes + size };
		ck_assert_msg(!cfi_instruction_read(&reader, &read), "%s: %zu bytes", test->name,
			      size);
	}
}
END_TEST

START_TEST(other_opcodes_are_not_in_the_list)
{
	for (unsigned int byte = 0; byte <= UINT8_MAX; byte++) {
		bool listed = byte & CFI_HIGH_BITS;

		for (int i = 0; i < COUNT(cases); i++)
			listed |= cases[i].number == (int)byte;
		ck_assert_msg(!cfi_instruction_form((uint8_t)byte) == !listed, "0x%02x", byte);
	}
}
END_TEST

SUITE(cfi_instruction, LOOP(instruction_is_read, cases), TEST(other_opcodes_are_not_in_the_list))
