/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_expression.c - DWARF expressions: recognise, evaluate
 *
 * Few shapes of expression occur in real tables, and a rule can hold them: a PLT stub's CFA, a
 * frame whose CFA was spilled (stack realignment, _dl_runtime_resolve), signal frames. Recognising
 * reads the operands out of the bytes and accepts nothing that is only similar.
 *
 *	breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus	rsp+8+(((rip&15)>=11)<<3)
 *	breg6 -8; deref							*(rbp-8)+0
 *	breg7 8; breg9 0; lit8; mul; plus; deref; plus_uconst 8		*(rsp+r9*8+8)+8
 *
 * Evaluating is a stack machine (DWARF 5, 2.5). Its stack, and the steps it may take (backward
 * branches exist), are bounded. It knows what the C++ runtime (libgcc's unwind-dw2.c) knows, but
 * DW_OP_GNU_encoded_addr, which nobody writes: so DW_OP_reg*, in DWARF a place and not a value, is the
 * register's value. What needs more than registers and memory may not occur in CFI (6.4.2: fbreg,
 * call_frame_cfa, calls, types) or has no meaning in it (pieces, entry values, other address spaces,
 * thread-local storage) and is an error.
 */
#include <inttypes.h>
#include "reader.h"
#include "unwinder.h"

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

/* ---- recognise --------------------------------------------------------------------------- */

static bool accept_byte(struct reader *reader, uint8_t byte)
{
	if (reader->at == reader->end || *reader->at != byte)
		return false;
	reader->at++;
	return true;
}

static bool accept_register(struct reader *reader, uint32_t *ret_reg, int64_t *ret_offset)
{
	uint8_t opcode;
	uint64_t reg;
	if (!reader_u8(reader, &opcode))
		return false;
	if (opcode >= OP_BREG0 && opcode <= OP_BREG31)
		reg = opcode - OP_BREG0;
	else if (opcode != OP_BREGX || !reader_uleb(reader, &reg))
		return false;
	if (reg >= REGISTER_COUNT || !reader_sleb(reader, ret_offset))
		return false;
	*ret_reg = (uint32_t)reg;
	return true;
}

/* DW_OP_lit*, DW_OP_const*: a number pushed as it stands. */
static bool read_constant(struct reader *reader, uint8_t opcode, uint64_t *ret)
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

static bool is_constant(uint8_t opcode)
{
	return opcode == OP_ADDR || (opcode >= OP_CONST1U && opcode <= OP_CONSTS) ||
	       (opcode >= OP_LIT0 && opcode <= OP_LIT31);
}

static bool accept_constant(struct reader *reader, int64_t *ret)
{
	uint8_t opcode;
	return reader_u8(reader, &opcode) && opcode != OP_ADDR && is_constant(opcode) &&
	       read_constant(reader, opcode, (uint64_t *)ret);
}

/* After "breg reg a": the rest of binutils' and lld's PLT form. */
static bool accept_plt(struct reader reader, int64_t *ret_b)
{
	static const uint8_t tail[] = { OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS };
	uint32_t reg;
	int64_t offset;
	if (!accept_register(&reader, &reg, &offset) || reg != REGISTER_RIP || offset ||
	    !accept_byte(&reader, OP_LIT0 + 15) || !accept_byte(&reader, OP_AND) ||
	    !accept_constant(&reader, ret_b))
		return false;
	return reader_left(&reader) == sizeof(tail) && !memcmp(reader.at, tail, sizeof(tail));
}

/* After "breg reg a": "breg index b; [constant; mul;] plus", then perhaps a constant added: an array
 * below the frame (Montgomery multiplication in libcrypto). Leaves the reader behind it. */
static bool accept_index(struct reader *reader, struct expression_shape *shape)
{
	struct reader at = *reader;
	int64_t offset, scale = 1, add = 0;
	uint32_t index;

	if (!accept_register(&at, &index, &offset))
		return false;
	if (!accept_byte(&at, OP_PLUS) && (!accept_constant(&at, &scale) ||
					   !accept_byte(&at, OP_MUL) || !accept_byte(&at, OP_PLUS)))
		return false;
	if (accept_byte(&at, OP_PLUS_UCONST) && !reader_uleb(&at, (uint64_t *)&add))
		return false;
	/* Nothing of the index is left in the value, but unless it is known there is none. */
	if (!scale)
		return false;
	shape->index = index;
	shape->scale = (uint64_t)scale;
	shape->a =
		(int64_t)((uint64_t)shape->a + (uint64_t)offset * (uint64_t)scale + (uint64_t)add);
	*reader = at;
	return true;
}

/* After "breg reg a; deref": nothing, or a constant added. */
static bool accept_deref(struct reader reader, int64_t *ret_b)
{
	*ret_b = 0;
	if (!reader_left(&reader))
		return true;
	if (accept_byte(&reader, OP_PLUS_UCONST))
		return reader_uleb(&reader, (uint64_t *)ret_b) && !reader_left(&reader);
	return accept_constant(&reader, ret_b) && accept_byte(&reader, OP_PLUS) &&
	       !reader_left(&reader);
}

void expression_recognise(const uint8_t *expression, size_t size, struct expression_shape *ret)
{
	struct reader reader = { expression, expression + size };
	*ret = (struct expression_shape) { .form = EXPRESSION_OTHER };
	struct expression_shape shape = { .form = EXPRESSION_OTHER };
	if (!accept_register(&reader, &shape.reg, &shape.a))
		return;
	accept_index(&reader, &shape);
	if (!reader_left(&reader)) {
		shape.form = EXPRESSION_REGISTER;
	} else if (accept_byte(&reader, OP_DEREF)) {
		if (accept_deref(reader, &shape.b))
			shape.form = EXPRESSION_DEREF;
	} else if (!shape.scale && accept_plt(reader, &shape.b)) {
		shape.form = EXPRESSION_PLT;
	}
	if (shape.form != EXPRESSION_OTHER)
		*ret = shape;
}

/*
 * With the CFA on the stack, "const less; minus; const -scale; and; const a; plus": a slot of a frame
 * that was realigned below the CFA. Intel's vector mathematics (libmvec, Java's libjsvml) say it so.
 */
static bool accept_aligned(struct reader reader, struct expression_shape *shape)
{
	int64_t mask;

	if (!accept_constant(&reader, &shape->b) || !accept_byte(&reader, OP_MINUS) ||
	    !accept_constant(&reader, &mask) || !accept_byte(&reader, OP_AND) ||
	    !accept_constant(&reader, &shape->a) || !accept_byte(&reader, OP_PLUS))
		return false;
	shape->scale = -(uint64_t)mask;
	return !reader_left(&reader) && shape->scale && !(shape->scale & (shape->scale - 1));
}

void expression_recognise_saved(const uint8_t *expression, size_t size,
				struct expression_shape *ret)
{
	struct reader reader = { expression, expression + size };
	struct expression_shape shape = { .form = EXPRESSION_ALIGNED };

	accept_byte(&reader, OP_DROP); /* the CFA isn't needed */
	expression_recognise(reader.at, reader_left(&reader), ret);
	if (ret->form == EXPRESSION_OTHER && reader.at == expression &&
	    accept_aligned(reader, &shape))
		*ret = shape;
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

/* How many entries an operation takes from the stack, at least. */
static unsigned int operands_needed(uint8_t opcode)
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

/* The value of "a OP b"; a was pushed first. Comparisons and division are signed (2.5.1.4). */
static int binary(struct evaluator *evaluator, uint8_t opcode, uint64_t a, uint64_t b,
		  uint64_t *ret)
{
	int64_t left = (int64_t)a;
	int64_t right = (int64_t)b;
	switch (opcode) {
	case OP_AND: *ret = a & b; return 0;
	case OP_OR: *ret = a | b; return 0;
	case OP_XOR: *ret = a ^ b; return 0;
	case OP_PLUS: *ret = a + b; return 0;
	case OP_MINUS: *ret = a - b; return 0;
	case OP_MUL: *ret = a * b; return 0;
	case OP_DIV:
		if (!b)
			return fail(evaluator, "division by zero");
		/* INT64_MIN / -1 traps; it is the negation, which wraps. */
		*ret = right == -1 ? -a : (uint64_t)(left / right);
		return 0;
	case OP_MOD:
		if (!b)
			return fail(evaluator, "division by zero");
		*ret = a % b;
		return 0;
	case OP_SHL: *ret = b > 63 ? 0 : a << b; return 0;
	case OP_SHR: *ret = b > 63 ? 0 : a >> b; return 0;
	case OP_SHRA: *ret = (uint64_t)shift_right_arithmetic(a, b); return 0;
	case OP_EQ: *ret = left == right; return 0;
	case OP_NE: *ret = left != right; return 0;
	case OP_GE: *ret = left >= right; return 0;
	case OP_GT: *ret = left > right; return 0;
	case OP_LE: *ret = left <= right; return 0;
	case OP_LT: *ret = left < right; return 0;
	default: return fail(evaluator, "it is not evaluated here");
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

	if (operands_needed(opcode) > evaluator->depth)
		return fail(evaluator, "the stack has too few entries");
	if (is_constant(opcode)) {
		if (!read_constant(reader, opcode, &value))
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
		if (operands_needed(opcode) != 2)
			return fail(evaluator, "it is not evaluated here");
		if (binary(evaluator, opcode, top[-1], top[0], &top[-1]))
			return -1;
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
