/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * decode_registers.c - which general registers an instruction writes, and computes them from
 *
 * One question is behind this: was what is put into rsp computed from rsp? An array of variable
 * length is (`mov rax, rsp; sub rax, rcx; mov rsp, rax`), another stack is not: its address comes
 * from memory. So each instruction says which registers it writes, and from which ones the results
 * are computed. Only copies and sums count; a load from memory, a product, a result in half a
 * register are computed from nothing.
 *
 * What capstone can't decode writes nothing here. It knows neither AVX-512 nor rdsspq, and those
 * give no general register an address of the stack.
 */
#include "decode.h"

/* The encoding's number of a 64-bit register, or -1. */
static int number_of(x86_reg reg)
{
	switch (reg) {
	case X86_REG_RAX: return 0;
	case X86_REG_RCX: return 1;
	case X86_REG_RDX: return 2;
	case X86_REG_RBX: return 3;
	case X86_REG_RSP: return 4;
	case X86_REG_RBP: return 5;
	case X86_REG_RSI: return 6;
	case X86_REG_RDI: return 7;
	case X86_REG_R8:
	case X86_REG_R9:
	case X86_REG_R10:
	case X86_REG_R11:
	case X86_REG_R12:
	case X86_REG_R13:
	case X86_REG_R14:
	case X86_REG_R15: return 8 + (int)(reg - X86_REG_R8);
	default: return -1;
	}
}

/* The 64-bit register that a narrower one is part of; the same if it is none. */
static x86_reg whole_register(x86_reg reg)
{
	static const struct {
		x86_reg part, whole;
	} parts[] = {
		{ X86_REG_EAX, X86_REG_RAX },	      { X86_REG_ECX, X86_REG_RCX },
		{ X86_REG_EDX, X86_REG_RDX },	      { X86_REG_EBX, X86_REG_RBX },
		{ X86_REG_ESP, X86_REG_RSP },	      { X86_REG_EBP, X86_REG_RBP },
		{ X86_REG_ESI, X86_REG_RSI },	      { X86_REG_EDI, X86_REG_RDI },
		{ X86_REG_AX, X86_REG_RAX },	      { X86_REG_CX, X86_REG_RCX },
		{ X86_REG_DX, X86_REG_RDX },	      { X86_REG_BX, X86_REG_RBX },
		{ X86_REG_SP, X86_REG_RSP },	      { X86_REG_BP, X86_REG_RBP },
		{ X86_REG_SI, X86_REG_RSI },	      { X86_REG_DI, X86_REG_RDI },
		{ X86_REG_AL, X86_REG_RAX },	      { X86_REG_CL, X86_REG_RCX },
		{ X86_REG_DL, X86_REG_RDX },	      { X86_REG_BL, X86_REG_RBX },
		{ X86_REG_SPL, X86_REG_RSP },	      { X86_REG_BPL, X86_REG_RBP },
		{ X86_REG_SIL, X86_REG_RSI },	      { X86_REG_DIL, X86_REG_RDI },
		{ X86_REG_AH, X86_REG_RAX },	      { X86_REG_CH, X86_REG_RCX },
		{ X86_REG_DH, X86_REG_RDX },	      { X86_REG_BH, X86_REG_RBX },
		{ X86_REG_INVALID, X86_REG_INVALID },
	};

	if (reg >= X86_REG_R8B && reg <= X86_REG_R15B)
		return reg - X86_REG_R8B + X86_REG_R8;
	if (reg >= X86_REG_R8D && reg <= X86_REG_R15D)
		return reg - X86_REG_R8D + X86_REG_R8;
	if (reg >= X86_REG_R8W && reg <= X86_REG_R15W)
		return reg - X86_REG_R8W + X86_REG_R8;
	for (size_t i = 0; parts[i].part != X86_REG_INVALID; i++)
		if (parts[i].part == reg)
			return parts[i].whole;
	return reg;
}

static uint16_t mask_of(x86_reg reg)
{
	int number = number_of(reg);

	return number < 0 ? 0 : 1u << number;
}

/* Copies and sums: a result that is an address if what it is computed from was one. */
static bool is_copy_or_sum(unsigned int id)
{
	switch (id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_LEA:
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
	case X86_INS_OR:
	case X86_INS_XCHG:
	case X86_INS_INC:
	case X86_INS_DEC:
	case X86_INS_NEG:
	case X86_INS_CMOVA:
	case X86_INS_CMOVAE:
	case X86_INS_CMOVB:
	case X86_INS_CMOVBE:
	case X86_INS_CMOVE:
	case X86_INS_CMOVG:
	case X86_INS_CMOVGE:
	case X86_INS_CMOVL:
	case X86_INS_CMOVLE:
	case X86_INS_CMOVNE:
	case X86_INS_CMOVNO:
	case X86_INS_CMOVNP:
	case X86_INS_CMOVNS:
	case X86_INS_CMOVO:
	case X86_INS_CMOVP:
	case X86_INS_CMOVS: return true;
	default: return false;
	}
}

void instruction_registers(const cs_insn *decoded, struct instruction *ret)
{
	const cs_x86 *x86 = &decoded->detail->x86;
	bool is_lea = decoded->id == X86_INS_LEA;
	bool counts = is_copy_or_sum(decoded->id);

	ret->writes = 0;
	ret->computed_from = 0;
	for (uint8_t i = 0; i < decoded->detail->regs_write_count; i++)
		ret->writes |= mask_of(whole_register(decoded->detail->regs_write[i]));
	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *operand = &x86->operands[i];

		if (operand->type == X86_OP_REG && operand->access & CS_AC_WRITE)
			ret->writes |= mask_of(whole_register(operand->reg));
		if (!counts)
			continue;
		if (operand->type == X86_OP_REG && operand->access & CS_AC_READ)
			ret->computed_from |= mask_of(operand->reg);
		if (operand->type == X86_OP_MEM && is_lea)
			ret->computed_from |= mask_of(operand->mem.base) |
					      mask_of(operand->mem.index);
	}
}
