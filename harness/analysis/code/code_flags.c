/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_flags.c - what an instruction makes of the flags
 *
 * Of those that compare, test and compute by a register and another or a number it is known what their flags are of. That
 * an instruction leaves flags alone is believed only of those whose effect is followed, and of branches.
 */
#include "code_form.h"

static const struct {
	ZydisMnemonic mnemonic;
	enum code_flags flags;
} operations[] = {
	{ ZYDIS_MNEMONIC_CMP, FLAGS_SUBTRACT },	 { ZYDIS_MNEMONIC_TEST, FLAGS_AND },
	{ ZYDIS_MNEMONIC_SUB, FLAGS_SUBTRACT },	 { ZYDIS_MNEMONIC_ADD, FLAGS_ADD },
	{ ZYDIS_MNEMONIC_XOR, FLAGS_XOR },	 { ZYDIS_MNEMONIC_AND, FLAGS_AND },
	{ ZYDIS_MNEMONIC_OR, FLAGS_OR },	 { ZYDIS_MNEMONIC_INC, FLAGS_INCREMENT },
	{ ZYDIS_MNEMONIC_DEC, FLAGS_DECREMENT }, { ZYDIS_MNEMONIC_CLC, FLAGS_CARRY_CLEAR },
	{ ZYDIS_MNEMONIC_STC, FLAGS_CARRY_SET }, { ZYDIS_MNEMONIC_CMC, FLAGS_CARRY_TURN },
};

static enum code_flags operation_of(ZydisMnemonic mnemonic)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (operations[i].mnemonic == mnemonic)
			return operations[i].flags;
	return FLAGS_LOST;
}

static bool leaves_flags(const struct code *code)
{
	if (code->writes_flags)
		return false;
	if (code->flow == CODE_BRANCH)
		return true;
	return code->flow == CODE_NEXT &&
	       (code->effect != EFFECT_WRITES || code->plain_store || code->is_padding);
}

static bool is_register(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       code_register_number(operand->reg.value) != CODE_NO_REGISTER &&
	       (operand->size > 8 || code_is_low_byte(operand));
}

static bool only_reads(enum code_flags flags, ZydisMnemonic mnemonic)
{
	return flags != FLAGS_LOST &&
	       (mnemonic == ZYDIS_MNEMONIC_CMP || mnemonic == ZYDIS_MNEMONIC_TEST);
}

/* The number that the operation takes, where the effect has none. */
static void take_number(struct code_form *ret)
{
	if (ret->code.effect == EFFECT_WRITES)
		ret->numbers.use = IMMEDIATE_CONSTANT;
}

/* Two registers: what makes 0 of one, or leaves it, and what writes none. */
static enum code_flags of_registers(const struct code_decoded *decoded, enum code_flags flags,
				    struct code_form *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];
	bool same = to->reg.value == from->reg.value;

	if (same && (flags == FLAGS_XOR || flags == FLAGS_SUBTRACT))
		return FLAGS_ZERO;
	ret->code.reg = code_register_number(to->reg.value);
	if (same && (flags == FLAGS_AND || flags == FLAGS_OR))
		return FLAGS_SUBTRACT; /* as of a comparison with 0 */
	if (ret->code.effect == EFFECT_WRITES && (!ret->code.written || to->size >= 32))
		ret->code.source = code_register_number(from->reg.value);
	if (ret->code.source != CODE_NO_REGISTER)
		return flags;
	ret->code.reg = CODE_NO_REGISTER;
	return FLAGS_LOST;
}

/* FLAGS_LOST: of operands that are not followed. */
static enum code_flags of_operands(const struct code_decoded *decoded, enum code_flags flags,
				   struct code_form *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];
	bool alone = flags == FLAGS_INCREMENT || flags == FLAGS_DECREMENT;

	if (to->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		if (!only_reads(flags, decoded->instruction.mnemonic) ||
		    from->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return FLAGS_LOST;
		take_number(ret);
		return flags;
	}
	if (!is_register(to))
		return FLAGS_LOST;
	if (!alone && is_register(from))
		return of_registers(decoded, flags, ret);
	if (!alone && from->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return FLAGS_LOST;
	ret->code.reg = code_register_number(to->reg.value);
	if (!alone)
		take_number(ret);
	return flags;
}

void code_flags_take(const struct code_decoded *decoded, struct code_form *ret)
{
	enum code_flags flags = operation_of(decoded->instruction.mnemonic);

	if (flags == FLAGS_LOST) {
		ret->code.flags = leaves_flags(&ret->code) ? FLAGS_KEPT : FLAGS_LOST;
		return;
	}
	ret->code.flags = flags;
	if (flags >= FLAGS_CARRY_CLEAR)
		return;
	ret->code.flags = of_operands(decoded, flags, ret);
	if (ret->code.flags != FLAGS_LOST)
		ret->code.width = (uint8_t)decoded->operand[0].size;
	else if (flags == FLAGS_AND || flags == FLAGS_OR || flags == FLAGS_XOR)
		ret->code.flags = flags; /* whatever they are of, some are cleared */
}
