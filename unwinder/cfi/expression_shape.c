/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * expression_shape.c - DWARF expressions that a rule can hold, recognised
 *
 * Few shapes of value occur in real tables, and a rule can hold them: a PLT stub's CFA, a frame
 * whose CFA was spilled (stack realignment, _dl_runtime_resolve), an array below the frame
 * (Montgomery multiplication in libcrypto), a slot of a frame that was realigned below the CFA
 * (Intel's vector mathematics), a return address off rip (the low-level locks of old nptl).
 *
 *	breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus	rsp+8+(((rip&15)>=11)<<3)
 *	breg6 -8; deref							*(rbp-8)+0
 *	breg7 8; breg9 0; lit8; mul; plus; deref; plus_uconst 8		*(rsp+r9*8+8)+8
 *	breg16 9; const4s 7; minus; const4s 2; plus			rip+4
 *
 * One shape is spelled in many ways. So the expression is evaluated on a stack of symbols: a
 * number, a sum of registers, what lies at such a sum, and the steps on the way to a PLT's CFA.
 * What an operation makes of its operands is exact, modulo 2^64. If it is none of these, the
 * expression has no shape: nothing that is only similar is accepted. A shape needs the registers
 * and the memory that it names. An expression that asks for more, and drops it, has none.
 */
#include "dwarf_op.h"
#include "expression.h"

#define SYMBOLS_MAX 16		   /* entries of the stack; real expressions have three */
#define CFA	    REGISTER_COUNT /* the number of what is no register: the CFA */

enum symbol_kind {
	SYMBOL_NUMBER, /* a */
	SYMBOL_SUM, /* reg * coefficient + a; with a second register reg + index * coefficient + a */
	SYMBOL_LOADED,	/* *(the same) + b */
	SYMBOL_ALIGNED, /* ((cfa - b) & -coefficient) + a */
	SYMBOL_PC_LOW,	/* rip & 15 */
	SYMBOL_PC_TEST, /* (rip & 15) >= b */
	SYMBOL_PC_SLOT, /* ((rip & 15) >= b) << 3 */
	SYMBOL_PLT,	/* reg + a + (((rip & 15) >= b) << 3) */
};

struct symbol {
	enum symbol_kind kind;
	uint32_t reg;
	uint32_t index;
	bool has_index;
	uint64_t coefficient;
	uint64_t a;
	uint64_t b;
};

struct recogniser {
	struct reader reader;
	struct symbol stack[SYMBOLS_MAX];
	unsigned int depth;
	uint32_t registers; /* asked for: a bit each */
	unsigned int loads;
};

static bool push(struct recogniser *recogniser, struct symbol symbol)
{
	if (recogniser->depth == SYMBOLS_MAX)
		return false;
	recogniser->stack[recogniser->depth++] = symbol;
	return true;
}

static bool push_number(struct recogniser *recogniser, uint64_t value)
{
	return push(recogniser, (struct symbol) { .kind = SYMBOL_NUMBER, .a = value });
}

static bool push_register(struct recogniser *recogniser, uint64_t reg, int64_t offset)
{
	if (reg >= REGISTER_COUNT)
		return false;
	recogniser->registers |= 1u << reg;
	return push(recogniser, (struct symbol) { .kind = SYMBOL_SUM,
						  .reg = (uint32_t)reg,
						  .coefficient = 1,
						  .a = (uint64_t)offset });
}

/* ---- operations on two symbols ------------------------------------------------------------ */

static bool add_number(struct symbol *symbol, uint64_t number)
{
	switch (symbol->kind) {
	case SYMBOL_NUMBER:
	case SYMBOL_SUM:
	case SYMBOL_ALIGNED:
	case SYMBOL_PLT: symbol->a += number; return true;
	case SYMBOL_LOADED: symbol->b += number; return true;
	default: return false;
	}
}

/* Two sums: of one register each, one of them as it is. */
static bool add_sum(struct symbol *left, const struct symbol *right)
{
	if (left->has_index || right->has_index ||
	    (left->coefficient != 1 && right->coefficient != 1))
		return false;
	uint64_t a = left->a + right->a;
	struct symbol plain = left->coefficient == 1 ? *left : *right;
	const struct symbol *other = left->coefficient == 1 ? right : left;
	plain.index = other->reg;
	plain.coefficient = other->coefficient;
	plain.has_index = true;
	plain.a = a;
	*left = plain;
	return true;
}

static bool add_slot(struct symbol *left, const struct symbol *sum, const struct symbol *slot)
{
	if (sum->has_index || sum->coefficient != 1)
		return false;
	struct symbol plt = *sum;
	plt.kind = SYMBOL_PLT;
	plt.b = slot->b;
	*left = plt;
	return true;
}

static bool add(struct symbol *left, struct symbol right)
{
	if (right.kind == SYMBOL_NUMBER)
		return add_number(left, right.a);
	if (left->kind == SYMBOL_NUMBER) {
		uint64_t number = left->a;
		*left = right;
		return add_number(left, number);
	}
	if (left->kind == SYMBOL_SUM && right.kind == SYMBOL_SUM)
		return add_sum(left, &right);
	if (left->kind == SYMBOL_SUM && right.kind == SYMBOL_PC_SLOT)
		return add_slot(left, left, &right);
	if (left->kind == SYMBOL_PC_SLOT && right.kind == SYMBOL_SUM)
		return add_slot(left, &right, left);
	return false;
}

static bool multiply(struct symbol *symbol, uint64_t factor)
{
	if (symbol->kind == SYMBOL_PC_TEST && factor == 8) {
		symbol->kind = SYMBOL_PC_SLOT;
		return true;
	}
	/* Nothing of the register is left in the value, but unless it is known there is none. */
	if (symbol->kind != SYMBOL_SUM || symbol->has_index || symbol->coefficient * factor == 0)
		return false;
	symbol->coefficient *= factor;
	symbol->a *= factor;
	return true;
}

static bool mask(struct symbol *symbol, uint64_t bits)
{
	uint64_t scale = -bits;
	if (symbol->kind != SYMBOL_SUM || symbol->has_index || symbol->coefficient != 1)
		return false;
	if (symbol->reg == REGISTER_RIP && !symbol->a && bits == 15) {
		*symbol = (struct symbol) { .kind = SYMBOL_PC_LOW };
		return true;
	}
	if (symbol->reg != CFA || !scale || scale & (scale - 1))
		return false;
	*symbol = (struct symbol) { .kind = SYMBOL_ALIGNED, .b = -symbol->a, .coefficient = scale };
	return true;
}

/* "left OP right", which become left. */
static bool binary(uint8_t opcode, struct symbol *left, struct symbol right)
{
	if (left->kind == SYMBOL_NUMBER && right.kind == SYMBOL_NUMBER)
		return expression_binary(opcode, left->a, right.a, &left->a);
	if (opcode == OP_PLUS)
		return add(left, right);
	if (left->kind == SYMBOL_NUMBER && (opcode == OP_MUL || opcode == OP_AND)) {
		struct symbol number = *left;
		*left = right;
		right = number;
	}
	if (right.kind != SYMBOL_NUMBER)
		return false;
	switch (opcode) {
	case OP_MINUS: return add_number(left, -right.a);
	case OP_MUL: return multiply(left, right.a);
	case OP_SHL: return right.a < 64 && multiply(left, 1ull << right.a);
	case OP_AND: return mask(left, right.a);
	case OP_GE:
		if (left->kind != SYMBOL_PC_LOW)
			return false;
		*left = (struct symbol) { .kind = SYMBOL_PC_TEST, .b = right.a };
		return true;
	default: return false;
	}
}

/* ---- the others --------------------------------------------------------------------------- */

static bool load(struct recogniser *recogniser, struct symbol *top)
{
	if (top->kind != SYMBOL_SUM)
		return false;
	top->kind = SYMBOL_LOADED;
	recogniser->loads++;
	return true;
}

/* Moves or copies entries; there are as many as the operation takes. */
static bool shuffle(struct recogniser *recogniser, uint8_t opcode)
{
	struct symbol *top = &recogniser->stack[recogniser->depth - 1];
	struct symbol last = *top;
	uint8_t index;
	switch (opcode) {
	case OP_DUP: return push(recogniser, last);
	case OP_DROP: recogniser->depth--; return true;
	case OP_OVER: return push(recogniser, top[-1]);
	case OP_PICK:
		return reader_u8(&recogniser->reader, &index) && index < recogniser->depth &&
		       push(recogniser, *(top - index));
	case OP_SWAP:
		top[0] = top[-1];
		top[-1] = last;
		return true;
	default: /* OP_ROT */
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = last;
		return true;
	}
}

/* One operation. False: what comes out has no shape. */
static bool recognise_one(struct recogniser *recogniser)
{
	struct reader *reader = &recogniser->reader;
	uint8_t opcode = *reader->at++, size;
	uint64_t number;
	int64_t offset;

	if (expression_operands(opcode) > recogniser->depth ||
	    (opcode == OP_PICK && !recogniser->depth))
		return false;
	if (opcode == OP_ADDR) /* of the image, not of where it is loaded */
		return false;
	if (expression_is_constant(opcode))
		return expression_read_constant(reader, opcode, &number) &&
		       push_number(recogniser, number);
	if (opcode >= OP_REG0 && opcode <= OP_REG31)
		return push_register(recogniser, opcode - OP_REG0, 0);
	if (opcode >= OP_BREG0 && opcode <= OP_BREG31)
		return reader_sleb(reader, &offset) &&
		       push_register(recogniser, opcode - OP_BREG0, offset);

	struct symbol *top = recogniser->depth ? &recogniser->stack[recogniser->depth - 1] : NULL;
	switch (opcode) {
	case OP_NOP: return true;
	case OP_REGX: return reader_uleb(reader, &number) && push_register(recogniser, number, 0);
	case OP_BREGX:
		return reader_uleb(reader, &number) && reader_sleb(reader, &offset) &&
		       push_register(recogniser, number, offset);
	case OP_DUP:
	case OP_DROP:
	case OP_OVER:
	case OP_PICK:
	case OP_SWAP:
	case OP_ROT: return shuffle(recogniser, opcode);
	case OP_DEREF: return load(recogniser, top);
	case OP_DEREF_SIZE: return reader_u8(reader, &size) && size == 8 && load(recogniser, top);
	case OP_PLUS_UCONST: return reader_uleb(reader, &number) && add_number(top, number);
	case OP_NEG:
	case OP_NOT:
		if (top->kind != SYMBOL_NUMBER)
			return false;
		top->a = opcode == OP_NEG ? -top->a : ~top->a;
		return true;
	default:
		if (expression_operands(opcode) != 2 || !binary(opcode, top - 1, *top))
			return false;
		recogniser->depth--;
		return true;
	}
}

/* ---- shapes ------------------------------------------------------------------------------- */

/* What a sum is made of, and which registers it needs. False: a rule can't say it. */
static bool shape_sum(const struct symbol *symbol, struct expression_shape *ret,
		      uint32_t *ret_needed)
{
	if (!symbol->has_index && symbol->coefficient != 1)
		return false;
	*ret_needed = 1u << symbol->reg;
	ret->reg = symbol->reg;
	ret->a = (int64_t)symbol->a;
	if (symbol->has_index) {
		*ret_needed |= 1u << symbol->index;
		ret->index = symbol->index;
		ret->scale = symbol->coefficient;
	}
	return symbol->reg != CFA && (!symbol->has_index || symbol->index != CFA);
}

static bool shape(const struct recogniser *recogniser, struct expression_shape *ret)
{
	const struct symbol *symbol = &recogniser->stack[recogniser->depth - 1];
	uint32_t needed = 0;

	switch (symbol->kind) {
	case SYMBOL_SUM:
		if (symbol->reg == CFA && !symbol->has_index && symbol->coefficient == 1) {
			*ret = (struct expression_shape) { .form = EXPRESSION_ALIGNED,
							   .scale = 1,
							   .a = (int64_t)symbol->a };
			break;
		}
		ret->form = EXPRESSION_REGISTER;
		if (!shape_sum(symbol, ret, &needed))
			return false;
		break;
	case SYMBOL_LOADED:
		ret->form = EXPRESSION_DEREF;
		ret->b = (int64_t)symbol->b;
		if (!shape_sum(symbol, ret, &needed))
			return false;
		break;
	case SYMBOL_ALIGNED:
		*ret = (struct expression_shape) { .form = EXPRESSION_ALIGNED,
						   .scale = symbol->coefficient,
						   .a = (int64_t)symbol->a,
						   .b = (int64_t)symbol->b };
		break;
	case SYMBOL_PLT:
		ret->form = EXPRESSION_PLT;
		ret->b = (int64_t)symbol->b;
		if (!shape_sum(symbol, ret, &needed))
			return false;
		needed |= 1u << REGISTER_RIP;
		break;
	default: return false;
	}
	return recogniser->registers == needed &&
	       recogniser->loads == (symbol->kind == SYMBOL_LOADED);
}

static void recognise(struct recogniser *recogniser, struct expression_shape *ret)
{
	struct expression_shape found = { .form = EXPRESSION_OTHER };

	*ret = found;
	while (reader_left(&recogniser->reader))
		if (!recognise_one(recogniser))
			return;
	if (recogniser->depth && shape(recogniser, &found))
		*ret = found;
}

void expression_recognise(const uint8_t *expression, size_t size, struct expression_shape *ret)
{
	struct recogniser recogniser = { .reader = { expression, expression + size } };

	recognise(&recogniser, ret);
}

void expression_recognise_saved(const uint8_t *expression, size_t size,
				struct expression_shape *ret)
{
	struct recogniser recogniser = { .reader = { expression, expression + size } };

	push(&recogniser, (struct symbol) { .kind = SYMBOL_SUM, .reg = CFA, .coefficient = 1 });
	recognise(&recogniser, ret);
}
