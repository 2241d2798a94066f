/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_expression.c - DWARF expressions, evaluated
 *
 * Evaluating is a stack machine (DWARF 5, 2.5). Its stack, and the steps it may take (backward
 * branches exist), are bounded. It knows what the C++ runtime (libgcc's unwind-dw2.c) knows, but
 * DW_OP_GNU_encoded_addr, which nobody writes: so DW_OP_reg*, in DWARF a place and not a value, is
 * the register's value. What needs more than registers and memory may not occur in CFI (6.4.2:
 * fbreg, call_frame_cfa, calls, types) or has no meaning in it (pieces, entry values, other address
 * spaces, thread-local storage) and is an error.
 */
#include <inttypes.h>
#include "dwarf_op.h"
#include "cfi.h"
#include "expression.h"

bool expression_read_constant(struct reader *reader, uint8_t opcode, uint64_t *ret)
{
	if (opcode >= OP_LIT0 && opcode <= OP_LIT31) {
		*ret = opcode - OP_LIT0;
		return true;
	}
	switch (opcode) {
	case OP_ADDR: return reader_unsigned(reader, 8, ret);
	case OP_CONST1U: return reader_unsigned(reader, 1, ret);
	case OP_CONST2U: return reader_unsigned(reader, 2, ret);
	case OP_CONST4U: return reader_unsigned(reader, 4, ret);
	case OP_CONST8U: return reader_unsigned(reader, 8, ret);
	case OP_CONST1S: return reader_signed(reader, 1, (int64_t *)ret);
	case OP_CONST2S: return reader_signed(reader, 2, (int64_t *)ret);
	case OP_CONST4S: return reader_signed(reader, 4, (int64_t *)ret);
	case OP_CONST8S: return reader_signed(reader, 8, (int64_t *)ret);
	case OP_CONSTU: return reader_uleb(reader, ret);
	case OP_CONSTS: return reader_sleb(reader, (int64_t *)ret);
	default: return false;
	}
}

bool expression_is_constant(uint8_t opcode)
{
	return opcode == OP_ADDR || (opcode >= OP_CONST1U && opcode <= OP_CONSTS) ||
	       (opcode >= OP_LIT0 && opcode <= OP_LIT31);
}

/* ---- evaluate ---------------------------------------------------------------------------- */

#define EXPRESSION_STACK_MAX 64
#define EXPRESSION_STEPS_MAX 10000

struct evaluator {
	const uint8_t *start;
	struct reader reader;
	const uint8_t *at; /* the operation being done */
	uint64_t stack[EXPRESSION_STACK_MAX];
	unsigned int depth;
	const struct register_values *regs;
	const struct memory_reader *memory;
	struct error *error;
};

static int fail(const struct evaluator *evaluator, const char *what)
{
	return error_set(evaluator->error, ERROR_EXPRESSION, NULL,
			 (uint64_t)(evaluator->at - evaluator->start),
			 "DWARF operation 0x%02x at byte %td of the expression: %s", *evaluator->at,
			 evaluator->at - evaluator->start, what);
}

static int push(struct evaluator *evaluator, uint64_t value)
{
	if (evaluator->depth == EXPRESSION_STACK_MAX)
		return fail(evaluator, "the stack is full");
	evaluator->stack[evaluator->depth++] = value;
	return 0;
}

/* The last entry; on an empty stack, of no use but a valid pointer. */
static uint64_t *top_of(struct evaluator *evaluator)
{
	return &evaluator->stack[evaluator->depth ? evaluator->depth - 1 : 0];
}

static int push_register(struct evaluator *evaluator, uint64_t reg, int64_t offset)
{
	if (reg >= REGISTER_COUNT)
		return fail(evaluator, "the register doesn't exist");
	if (!(evaluator->regs->known >> reg & 1))
		return error_set(evaluator->error, ERROR_EXPRESSION_REGISTER, NULL,
				 (uint64_t)(evaluator->at - evaluator->start),
				 "DWARF operation 0x%02x at byte %td of the expression: "
				 "the value of %s is not known",
				 *evaluator->at, evaluator->at - evaluator->start,
				 register_name((unsigned int)reg));
	return push(evaluator, evaluator->regs->value[reg] + (uint64_t)offset);
}

/* DW_OP_breg*: the offset follows. */
static int push_based(struct evaluator *evaluator, uint64_t reg)
{
	int64_t offset;
	if (!reader_sleb(&evaluator->reader, &offset))
		return fail(evaluator, "its operand reaches past the expression's end");
	return push_register(evaluator, reg, offset);
}

static int dereference(struct evaluator *evaluator, uint64_t size)
{
	uint64_t address = evaluator->stack[evaluator->depth - 1];
	uint64_t value = 0;
	if (!size || size > sizeof(value))
		return fail(evaluator, "the size is not 1 to 8");
	if (!evaluator->memory || !evaluator->memory->read ||
	    evaluator->memory->read(evaluator->memory->context, address, &value, size))
		return error_set(evaluator->error, ERROR_EXPRESSION_MEMORY, NULL,
				 (uint64_t)(evaluator->at - evaluator->start),
				 "%" PRIu64 " bytes at 0x%" PRIx64 " could not be read", size,
				 address);
	evaluator->stack[evaluator->depth - 1] = value;
	return 0;
}

static int jump(struct evaluator *evaluator, bool taken)
{
	int64_t distance;
	if (!reader_signed(&evaluator->reader, 2, &distance))
		return fail(evaluator, "its operand reaches past the expression's end");
	if (!taken)
		return 0;
	if (distance < evaluator->start - evaluator->reader.at ||
	    distance > evaluator->reader.end - evaluator->reader.at)
		return fail(evaluator, "it branches out of the expression");
	evaluator->reader.at += distance;
	return 0;
}

unsigned int expression_operands(uint8_t opcode)
{
	switch (opcode) {
	case OP_DEREF:
	case OP_DEREF_SIZE:
	case OP_DUP:
	case OP_DROP:
	case OP_ABS:
	case OP_NEG:
	case OP_NOT:
	case OP_PLUS_UCONST:
	case OP_BRA: return 1;
	case OP_OVER:
	case OP_SWAP:
	case OP_AND:
	case OP_DIV:
	case OP_MINUS:
	case OP_MOD:
	case OP_MUL:
	case OP_OR:
	case OP_PLUS:
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA:
	case OP_XOR:
	case OP_EQ:
	case OP_GE:
	case OP_GT:
	case OP_LE:
	case OP_LT:
	case OP_NE: return 2;
	case OP_ROT: return 3;
	default: return 0;
	}
}

static int64_t shift_right_arithmetic(uint64_t value, uint64_t count)
{
	return (int64_t)value >> (count > 63 ? 63 : count);
}

bool expression_binary(uint8_t opcode, uint64_t a, uint64_t b, uint64_t *ret)
{
	int64_t left = (int64_t)a;
	int64_t right = (int64_t)b;
	switch (opcode) {
	case OP_AND: *ret = a & b; return true;
	case OP_OR: *ret = a | b; return true;
	case OP_XOR: *ret = a ^ b; return true;
	case OP_PLUS: *ret = a + b; return true;
	case OP_MINUS: *ret = a - b; return true;
	case OP_MUL: *ret = a * b; return true;
	case OP_DIV:
		if (!b)
			return false;
		/* INT64_MIN / -1 traps; it is the negation, which wraps. */
		*ret = right == -1 ? -a : (uint64_t)(left / right);
		return true;
	case OP_MOD:
		if (!b)
			return false;
		*ret = a % b;
		return true;
	case OP_SHL: *ret = b > 63 ? 0 : a << b; return true;
	case OP_SHR: *ret = b > 63 ? 0 : a >> b; return true;
	case OP_SHRA: *ret = (uint64_t)shift_right_arithmetic(a, b); return true;
	case OP_EQ: *ret = left == right; return true;
	case OP_NE: *ret = left != right; return true;
	case OP_GE: *ret = left >= right; return true;
	case OP_GT: *ret = left > right; return true;
	case OP_LE: *ret = left <= right; return true;
	case OP_LT: *ret = left < right; return true;
	default: return false;
	}
}

/* Operations that only move the stack's entries. top is the last one. */
static int shuffle(struct evaluator *evaluator, uint8_t opcode)
{
	uint64_t *top = top_of(evaluator);
	uint64_t value;
	uint8_t index;
	switch (opcode) {
	case OP_DUP: return push(evaluator, *top);
	case OP_DROP: evaluator->depth--; return 0;
	case OP_OVER: return push(evaluator, top[-1]);
	case OP_PICK:
		if (!reader_u8(&evaluator->reader, &index))
			return fail(evaluator, "its operand reaches past the expression's end");
		if (index >= evaluator->depth)
			return fail(evaluator, "the stack has too few entries");
		return push(evaluator, evaluator->stack[evaluator->depth - 1 - index]);
	case OP_SWAP:
		value = top[0];
		top[0] = top[-1];
		top[-1] = value;
		return 0;
	default: /* OP_ROT: the top becomes the third */
		value = top[0];
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = value;
		return 0;
	}
}

static int evaluate_one(struct evaluator *evaluator)
{
	struct reader *reader = &evaluator->reader;
	evaluator->at = reader->at;
	uint8_t opcode = *reader->at++;
	uint64_t value = 0;
	uint8_t size;

	if (expression_operands(opcode) > evaluator->depth)
		return fail(evaluator, "the stack has too few entries");
	if (expression_is_constant(opcode)) {
		if (!expression_read_constant(reader, opcode, &value))
			return fail(evaluator, "its operand reaches past the expression's end");
		return push(evaluator, value);
	}
	if (opcode >= OP_BREG0 && opcode <= OP_BREG31)
		return push_based(evaluator, opcode - OP_BREG0);
	if (opcode >= OP_REG0 && opcode <= OP_REG31)
		return push_register(evaluator, opcode - OP_REG0, 0);

	uint64_t *top = top_of(evaluator);
	switch (opcode) {
	case OP_NOP: return 0;
	case OP_REGX:
	case OP_BREGX:
		if (!reader_uleb(reader, &value))
			return fail(evaluator, "its operand reaches past the expression's end");
		return opcode == OP_REGX ? push_register(evaluator, value, 0)
					 : push_based(evaluator, value);
	case OP_DUP:
	case OP_DROP:
	case OP_OVER:
	case OP_PICK:
	case OP_SWAP:
	case OP_ROT: return shuffle(evaluator, opcode);
	case OP_DEREF: return dereference(evaluator, 8);
	case OP_DEREF_SIZE:
		if (!reader_u8(reader, &size))
			return fail(evaluator, "its operand reaches past the expression's end");
		return dereference(evaluator, size);
	case OP_ABS: *top = (int64_t)*top < 0 ? -*top : *top; return 0;
	case OP_NEG: *top = -*top; return 0;
	case OP_NOT: *top = ~*top; return 0;
	case OP_PLUS_UCONST:
		if (!reader_uleb(reader, &value))
			return fail(evaluator, "its operand reaches past the expression's end");
		*top += value;
		return 0;
	case OP_SKIP: return jump(evaluator, true);
	case OP_BRA: evaluator->depth--; return jump(evaluator, *top != 0);
	default:
		if (expression_operands(opcode) != 2)
			return fail(evaluator, "it is not evaluated here");
		if (!expression_binary(opcode, top[-1], top[0], &top[-1]))
			return fail(evaluator, opcode == OP_DIV || opcode == OP_MOD
						       ? "division by zero"
						       : "it is not evaluated here");
		evaluator->depth--;
		return 0;
	}
}

int expression_evaluate(const uint8_t *expression, size_t size, const struct register_values *regs,
			bool push_cfa, uint64_t cfa, const struct memory_reader *memory,
			uint64_t *ret, struct error *error)
{
	struct evaluator evaluator = {
		.start = expression,
		.reader = { expression, expression + size },
		.at = expression,
		.regs = regs,
		.memory = memory,
		.error = error,
	};
	if (push_cfa)
		evaluator.stack[evaluator.depth++] = cfa;
	for (unsigned int steps = 0; evaluator.reader.at < evaluator.reader.end; steps++) {
		if (steps == EXPRESSION_STEPS_MAX)
			return fail(&evaluator, "it loops too long");
		if (evaluate_one(&evaluator))
			return -1;
	}
	if (!evaluator.depth)
		return error_set(error, ERROR_EXPRESSION, NULL, size,
				 "the expression leaves nothing on the stack");
	*ret = evaluator.stack[evaluator.depth - 1];
	return 0;
}
