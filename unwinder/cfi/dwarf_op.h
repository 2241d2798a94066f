/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dwarf_op.h - the operations of DWARF expressions, for their evaluation and their recognition
 *
 * Private to unwinder/.
 */
#ifndef STACKPROOF_DWARF_OP_H
#define STACKPROOF_DWARF_OP_H

#include "reader.h"

/* DWARF 5, table 7.9. */
enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_REG0 = 0x50,
	OP_REG31 = 0x6f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_REGX = 0x90,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

/* Whether the operation pushes a constant: DW_OP_addr, DW_OP_lit*, DW_OP_const*. */
bool expression_is_constant(uint8_t opcode);
/* Reads that constant; reader is behind the opcode. False: it reaches past the expression's end. */
bool expression_read_constant(struct reader *reader, uint8_t opcode, uint64_t *ret);
/* How many entries the operation needs on the stack, at least. */
unsigned int expression_operands(uint8_t opcode);
/* The value of "a OP b"; a was pushed first. Comparisons and division are signed (DWARF 5, 2.5.1.4). False:
 * division by zero, or opcode is no binary operation. */
bool expression_binary(uint8_t opcode, uint64_t a, uint64_t b, uint64_t *ret);

#endif
