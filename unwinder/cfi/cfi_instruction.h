/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_instruction.h - the call frame instructions: opcodes, operands, names
 *
 * The only list of them (DWARF 5, 6.4.2 and table 7.29; the GNU ones: LSB 5, 10.5.2), and the only
 * decoder. Code that executes instructions (cfi_program.c, table_memo.c), edits them (plant) or writes
 * them (tests) uses it. The meaning of an instruction is left to that code. An opcode that is not in the
 * list is undefined. Not for programs that use the library.
 */
#ifndef STACKPROOF_CFI_INSTRUCTION_H
#define STACKPROOF_CFI_INSTRUCTION_H

#include "reader.h"

/* How an operand is stored. */
enum cfi_operand {
	CFI_OPERAND_NONE,
	CFI_OPERAND_LOW, /* in the opcode's low six bits */
	CFI_OPERAND_U1,	 /* an unsigned number of so many bytes */
	CFI_OPERAND_U2,
	CFI_OPERAND_U4,
	CFI_OPERAND_U8,
	CFI_OPERAND_ULEB,
	CFI_OPERAND_SLEB,
	CFI_OPERAND_BLOCK,   /* an expression: its length as a ULEB, then its bytes */
	CFI_OPERAND_ADDRESS, /* encoded as the CIE says for the FDE's PC */
};

/* X(constant, opcode, first operand, second operand, name without "DW_CFA_") */
#define CFI_INSTRUCTIONS(X)                                                                        \
	X(NOP, 0x00, NONE, NONE, "nop")                                                            \
	X(SET_LOC, 0x01, ADDRESS, NONE, "set_loc")                                                 \
	X(ADVANCE_LOC1, 0x02, U1, NONE, "advance_loc1")                                            \
	X(ADVANCE_LOC2, 0x03, U2, NONE, "advance_loc2")                                            \
	X(ADVANCE_LOC4, 0x04, U4, NONE, "advance_loc4")                                            \
	X(OFFSET_EXTENDED, 0x05, ULEB, ULEB, "offset_extended")                                    \
	X(RESTORE_EXTENDED, 0x06, ULEB, NONE, "restore_extended")                                  \
	X(UNDEFINED, 0x07, ULEB, NONE, "undefined")                                                \
	X(SAME_VALUE, 0x08, ULEB, NONE, "same_value")                                              \
	X(REGISTER, 0x09, ULEB, ULEB, "register")                                                  \
	X(REMEMBER_STATE, 0x0a, NONE, NONE, "remember_state")                                      \
	X(RESTORE_STATE, 0x0b, NONE, NONE, "restore_state")                                        \
	X(DEF_CFA, 0x0c, ULEB, ULEB, "def_cfa")                                                    \
	X(DEF_CFA_REGISTER, 0x0d, ULEB, NONE, "def_cfa_register")                                  \
	X(DEF_CFA_OFFSET, 0x0e, ULEB, NONE, "def_cfa_offset")                                      \
	X(DEF_CFA_EXPRESSION, 0x0f, BLOCK, NONE, "def_cfa_expression")                             \
	X(EXPRESSION, 0x10, ULEB, BLOCK, "expression")                                             \
	X(OFFSET_EXTENDED_SF, 0x11, ULEB, SLEB, "offset_extended_sf")                              \
	X(DEF_CFA_SF, 0x12, ULEB, SLEB, "def_cfa_sf")                                              \
	X(DEF_CFA_OFFSET_SF, 0x13, SLEB, NONE, "def_cfa_offset_sf")                                \
	X(VAL_OFFSET, 0x14, ULEB, ULEB, "val_offset")                                              \
	X(VAL_OFFSET_SF, 0x15, ULEB, SLEB, "val_offset_sf")                                        \
	X(VAL_EXPRESSION, 0x16, ULEB, BLOCK, "val_expression")                                     \
	/* as binutils and elfutils, for every machine */                                          \
	X(MIPS_ADVANCE_LOC8, 0x1d, U8, NONE, "MIPS_advance_loc8")                                  \
	X(AARCH64_NEGATE_RA_STATE, 0x2d, NONE, NONE, "AARCH64_negate_ra_state")                    \
	X(GNU_ARGS_SIZE, 0x2e, ULEB, NONE, "GNU_args_size")                                        \
	X(GNU_NEGATIVE_OFFSET_EXTENDED, 0x2f, ULEB, ULEB, "GNU_negative_offset_extended")          \
	/* the high two bits; the low six are an operand */                                        \
	X(ADVANCE_LOC, 0x40, LOW, NONE, "advance_loc")                                             \
	X(OFFSET, 0x80, LOW, ULEB, "offset")                                                       \
	X(RESTORE, 0xc0, LOW, NONE, "restore")

enum {
#define CFI_CONSTANT(name, opcode, first, second, text) CFA_##name = opcode,
	CFI_INSTRUCTIONS(CFI_CONSTANT)
#undef CFI_CONSTANT
};

#define CFI_HIGH_BITS 0xc0 /* if one of these is set, the others are an operand */
#define CFI_LOW_BITS  0x3f /* the operand in the opcode's byte */

/* One instruction. a, b: its first and second operand, if they are numbers; factored offsets stay factored,
 * signed numbers are in two's complement. block: its expression, not copied. */
struct cfi_instruction {
	uint8_t opcode; /* CFA_*, without the operand's bits; may be undefined */
	uint64_t a, b;
	const uint8_t *block;
	uint64_t block_bytes;
};

/* An opcode's entry in the list. */
struct cfi_instruction_form {
	const char *name;
	uint8_t first, second; /* enum cfi_operand */
};

/* The entry of an opcode, or of an instruction's first byte; name begins with "DW_CFA_". NULL: undefined. */
const struct cfi_instruction_form *cfi_instruction_form(uint8_t opcode);

static inline uint8_t cfi_opcode(uint8_t first_byte)
{
	return first_byte & CFI_HIGH_BITS ? first_byte & CFI_HIGH_BITS : first_byte;
}

static inline bool cfi_operand_read(struct reader *reader, enum cfi_operand operand,
				    struct cfi_instruction *ret, uint64_t *ret_number)
{
	switch (operand) {
	case CFI_OPERAND_U1: return reader_unsigned(reader, 1, ret_number);
	case CFI_OPERAND_U2: return reader_unsigned(reader, 2, ret_number);
	case CFI_OPERAND_U4: return reader_unsigned(reader, 4, ret_number);
	case CFI_OPERAND_U8: return reader_unsigned(reader, 8, ret_number);
	case CFI_OPERAND_ULEB: return reader_uleb(reader, ret_number);
	case CFI_OPERAND_SLEB: return reader_sleb(reader, (int64_t *)ret_number);
	case CFI_OPERAND_BLOCK:
		return reader_uleb(reader, &ret->block_bytes) &&
		       reader_block(reader, ret->block_bytes, &ret->block);
	case CFI_OPERAND_NONE:
	case CFI_OPERAND_LOW:
	case CFI_OPERAND_ADDRESS: break;
	}
	return true;
}

/*
 * Reads the instruction at reader, which must not be at its end, and moves past it. An operand that is an
 * address is left to the caller, and so is all that follows an undefined opcode. False: an operand
 * reaches past the end.
 */
static inline bool cfi_instruction_read(struct reader *reader, struct cfi_instruction *ret)
{
	uint8_t byte = *reader->at++;

	*ret = (struct cfi_instruction) { .opcode = cfi_opcode(byte) };
	if (ret->opcode & CFI_HIGH_BITS)
		ret->a = byte & CFI_LOW_BITS;
	switch (ret->opcode) {
#define CFI_READ(name, opcode, first, second, text)                                                \
	case opcode:                                                                               \
		return cfi_operand_read(reader, CFI_OPERAND_##first, ret, &ret->a) &&              \
		       cfi_operand_read(reader, CFI_OPERAND_##second, ret, &ret->b);
		CFI_INSTRUCTIONS(CFI_READ)
#undef CFI_READ
	default: return true;
	}
}

#endif
