/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_identity.c - instructions that leave their operand as it was
 *
 * `and rbx, -1`, `shl rbx, 64`, `or rbx, rbx` and `mov bl, bl` write a register, and it holds what it held
 * before. Whether an instruction is such an *identity* is decided here, once for all effects: by its
 * registers, or by its immediate, the *neutral* one of its operation.
 *
 * Writes to 32 bits of a register are none: they clear the others (SDM, volume 1, 3.4.1.1), `mov ebx, ebx`
 * as well as `shl ebx, 0`. In memory any width is one: `lock or dword ptr [rsp], 0` is a barrier. The flags
 * may change.
 */
#include "code_form.h"

#define FULL_WIDTH 64

enum operation {
	OPERATION_SUM,	   /* neutral: 0 */
	OPERATION_MASK,	   /* all bits; or the register itself */
	OPERATION_UNION,   /* 0; or the register itself */
	OPERATION_SHIFT,   /* 0, of the bits of a count that are looked at */
	OPERATION_TURN,	   /* the same, and whole turns */
	OPERATION_TURN_CF, /* whole turns that the carry flag is a bit of */
	OPERATION_PRODUCT, /* 1 */
	OPERATION_COPY,	   /* the register itself */
};

static const struct {
	ZydisMnemonic mnemonic;
	enum operation operation;
} operations[] = {
	{ ZYDIS_MNEMONIC_ADD, OPERATION_SUM },	    { ZYDIS_MNEMONIC_SUB, OPERATION_SUM },
	{ ZYDIS_MNEMONIC_XOR, OPERATION_SUM },	    { ZYDIS_MNEMONIC_AND, OPERATION_MASK },
	{ ZYDIS_MNEMONIC_OR, OPERATION_UNION },	    { ZYDIS_MNEMONIC_SHL, OPERATION_SHIFT },
	{ ZYDIS_MNEMONIC_SHR, OPERATION_SHIFT },    { ZYDIS_MNEMONIC_SAR, OPERATION_SHIFT },
	{ ZYDIS_MNEMONIC_SHLD, OPERATION_SHIFT },   { ZYDIS_MNEMONIC_SHRD, OPERATION_SHIFT },
	{ ZYDIS_MNEMONIC_ROL, OPERATION_TURN },	    { ZYDIS_MNEMONIC_ROR, OPERATION_TURN },
	{ ZYDIS_MNEMONIC_RCL, OPERATION_TURN_CF },  { ZYDIS_MNEMONIC_RCR, OPERATION_TURN_CF },
	{ ZYDIS_MNEMONIC_IMUL, OPERATION_PRODUCT }, { ZYDIS_MNEMONIC_MOV, OPERATION_COPY },
	{ ZYDIS_MNEMONIC_XCHG, OPERATION_COPY },    { ZYDIS_MNEMONIC_CMOVB, OPERATION_COPY },
	{ ZYDIS_MNEMONIC_CMOVBE, OPERATION_COPY },  { ZYDIS_MNEMONIC_CMOVL, OPERATION_COPY },
	{ ZYDIS_MNEMONIC_CMOVLE, OPERATION_COPY },  { ZYDIS_MNEMONIC_CMOVNB, OPERATION_COPY },
	{ ZYDIS_MNEMONIC_CMOVNBE, OPERATION_COPY }, { ZYDIS_MNEMONIC_CMOVNL, OPERATION_COPY },
	{ ZYDIS_MNEMONIC_CMOVNLE, OPERATION_COPY }, { ZYDIS_MNEMONIC_CMOVNO, OPERATION_COPY },
	{ ZYDIS_MNEMONIC_CMOVNP, OPERATION_COPY },  { ZYDIS_MNEMONIC_CMOVNS, OPERATION_COPY },
	{ ZYDIS_MNEMONIC_CMOVNZ, OPERATION_COPY },  { ZYDIS_MNEMONIC_CMOVO, OPERATION_COPY },
	{ ZYDIS_MNEMONIC_CMOVP, OPERATION_COPY },   { ZYDIS_MNEMONIC_CMOVS, OPERATION_COPY },
	{ ZYDIS_MNEMONIC_CMOVZ, OPERATION_COPY },
};

static void leave_all(struct code *code)
{
	code->effect = EFFECT_WRITES;
	code->reg = code->source = CODE_NO_REGISTER;
	code->written = 0;
	code->writes_memory = code->partial = code->plain_store = false;
}

/* Of the same part of the same register, of which no other part is cleared. */
static bool is_itself(const ZydisDecodedOperand *to, const ZydisDecodedOperand *from)
{
	return to->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       from->type == ZYDIS_OPERAND_TYPE_REGISTER && to->reg.value == from->reg.value &&
	       ZydisRegisterGetClass(to->reg.value) >= ZYDIS_REGCLASS_GPR8 &&
	       ZydisRegisterGetClass(to->reg.value) <= ZYDIS_REGCLASS_GPR64 && to->size != 32;
}

/* SDM, volume 2, RCL/RCR/ROL/ROR: of a count 5 bits are looked at, or 6. */
static uint8_t count_bits(uint16_t width)
{
	return width == FULL_WIDTH ? 6 : 5;
}

/* With 1 it is the other operand. */
static void take_product(const struct code_decoded *decoded, uint16_t width,
			 struct code_neutral *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];
	bool is_register = from->type == ZYDIS_OPERAND_TYPE_REGISTER;

	if (is_register && to->reg.value == from->reg.value)
		*ret = (struct code_neutral) { .bits = (uint8_t)width, .value = 1 };
	else if (width == FULL_WIDTH)
		*ret = (struct code_neutral) {
			.bits = FULL_WIDTH,
			.value = 1,
			.copies = true,
			.reg = code_register_number(to->reg.value),
			.source = is_register ? code_register_number(from->reg.value)
					      : CODE_NO_REGISTER,
		};
}

static void take_immediate(const struct code_decoded *decoded, enum operation operation,
			   struct code_neutral *ret)
{
	uint8_t width = (uint8_t)decoded->operand[0].size;

	switch (operation) {
	case OPERATION_SUM:
	case OPERATION_UNION: ret->bits = width; break;
	case OPERATION_MASK: *ret = (struct code_neutral) { .bits = width, .value = -1 }; break;
	case OPERATION_TURN: ret->modulo = width; /* fall through */
	case OPERATION_SHIFT: ret->bits = count_bits(width); break;
	case OPERATION_TURN_CF:
		*ret = (struct code_neutral) { .bits = count_bits(width),
					       .modulo = (uint8_t)(width + 1) };
		break;
	case OPERATION_PRODUCT: take_product(decoded, width, ret); break;
	case OPERATION_COPY: break;
	}
}

/* The immediate is the last operand that is seen. */
static bool has_immediate(const struct code_decoded *decoded)
{
	uint8_t count = decoded->instruction.operand_count_visible;

	return count >= 2 && decoded->instruction.raw.imm[0].size &&
	       decoded->operand[count - 1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

void code_identity_take(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];
	enum operation operation;
	size_t i = 0, count = sizeof(operations) / sizeof(operations[0]);

	while (i < count && operations[i].mnemonic != decoded->instruction.mnemonic)
		i++;
	if (i == count || decoded->instruction.operand_count_visible < 2)
		return;
	operation = operations[i].operation;
	if (operation == OPERATION_COPY || operation == OPERATION_MASK ||
	    operation == OPERATION_UNION)
		if (is_itself(to, from)) {
			leave_all(&ret->code);
			return;
		}
	if (has_immediate(decoded) && (to->type == ZYDIS_OPERAND_TYPE_MEMORY || to->size != 32))
		take_immediate(decoded, operation, &ret->numbers.neutral);
}

void code_identity_apply(const struct code_neutral *neutral, uint64_t immediate, struct code *code)
{
	uint64_t mask = UINT64_MAX >> (FULL_WIDTH - neutral->bits);
	uint64_t counted = immediate & mask;

	if (neutral->modulo)
		counted %= neutral->modulo;
	if (counted != ((uint64_t)neutral->value & mask))
		return;
	if (!neutral->copies) {
		leave_all(code);
		return;
	}
	code->effect = neutral->source == CODE_NO_REGISTER ? EFFECT_LOAD : EFFECT_MOVE;
	code->reg = neutral->reg;
	code->source = neutral->source;
}
