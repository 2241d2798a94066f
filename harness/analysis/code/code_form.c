/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_form.c - an instruction's form, by Zydis
 *
 * Two tables decide. The one of mnemonics below lists the instructions whose effect is followed
 * exactly, each with the forms of operands for which that holds. Of all others Zydis' own table of
 * operands, hidden ones included, says which registers are written, and those are unknown from then
 * on. A write to a part of a register is one to the register.
 *
 * Zydis 4.0 decodes what compilers emit up to AVX-512, AMX and CET, which Capstone 4.0 does not.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "code_form.h"

const uint8_t code_dwarf_number[REGISTER_GPR_COUNT] = {
	REGISTER_RAX,
	REGISTER_RCX,
	REGISTER_RDX,
	REGISTER_RBX,
	REGISTER_RSP,
	REGISTER_RBP,
	REGISTER_RSI,
	REGISTER_RDI,
	8,
	9,
	10,
	11,
	REGISTER_R12,
	REGISTER_R13,
	REGISTER_R14,
	REGISTER_R15,
};

uint8_t code_register_number(ZydisRegister part)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return CODE_NO_REGISTER;
	return code_dwarf_number[whole - ZYDIS_REGISTER_RAX];
}

static bool is_register(const ZydisDecodedOperand *operand, unsigned int bits)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->size == bits &&
	       code_register_number(operand->reg.value) != CODE_NO_REGISTER;
}

bool code_is_low_byte(const ZydisDecodedOperand *operand)
{
	return is_register(operand, 8) &&
	       (operand->reg.value < ZYDIS_REGISTER_AH || operand->reg.value > ZYDIS_REGISTER_BH);
}

static bool is_immediate(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static void take_memory(const struct code_decoded *decoded, const ZydisDecodedOperand *operand,
			struct code_form *ret)
{
	const ZydisDecodedOperandMem *memory = &operand->mem;

	ret->code.has_memory = true;
	ret->code.memory_bytes = operand->size / 8;
	ret->code.base = memory->base == ZYDIS_REGISTER_NONE ? CODE_NO_REGISTER
							     : code_register_number(memory->base);
	ret->code.index = memory->index == ZYDIS_REGISTER_NONE
				  ? CODE_NO_REGISTER
				  : code_register_number(memory->index);
	ret->code.scale = memory->scale;
	ret->code.displacement = memory->disp.has_displacement ? memory->disp.value : 0;
	ret->displaced = memory->disp.has_displacement;
	ret->by_modrm = operand->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;
	ret->code.foreign_segment = memory->segment == ZYDIS_REGISTER_FS ||
				    memory->segment == ZYDIS_REGISTER_GS ||
				    decoded->instruction.address_width != 64 ||
				    memory->type == ZYDIS_MEMOP_TYPE_VSIB ||
				    operand->size == 0; /* rows of a tile, an index apart */
	ret->numbers.relative = memory->base == ZYDIS_REGISTER_RIP;
}

static enum code_direction direction_of(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_CLD: return DIRECTION_UP;
	case ZYDIS_MNEMONIC_STD: return DIRECTION_DOWN;
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFQ: return DIRECTION_UNKNOWN;
	default: return DIRECTION_KEPT;
	}
}

/* Either prefix repeats a string instruction, also where only one has a name (SDM, volume 2, 2.1.1). */
static bool is_repeated(const ZydisDecodedInstruction *instruction)
{
	if (instruction->attributes &
	    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		return true;
	if (instruction->meta.category != ZYDIS_CATEGORY_STRINGOP &&
	    instruction->meta.category != ZYDIS_CATEGORY_IOSTRINGOP)
		return false;
	return ARRAY_ANY(instruction->raw.prefix_count, i,
			 instruction->raw.prefixes[i].value == 0xf2 ||
				 instruction->raw.prefixes[i].value == 0xf3);
}

/* AVX: a mask in a register says which elements of memory are written. */
static bool is_masked(const ZydisDecodedInstruction *instruction)
{
	ZydisRegister mask = instruction->avx.mask.reg;

	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ: return true;
	default:
		return instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
		       mask != ZYDIS_REGISTER_NONE && mask != ZYDIS_REGISTER_K0;
	}
}

/* What Zydis' operands say: registers and memory that are written, and the memory operand. */
static void take_operands(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedInstruction *instruction = &decoded->instruction;

	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operand[i];
		bool written = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && written) {
			uint8_t number = code_register_number(operand->reg.value);

			if (number != CODE_NO_REGISTER) {
				ret->code.written |= 1u << number;
				ret->code.partial |= operand->size < 32;
			}
		} else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			/* Of two (movs) the one that is written. */
			if (!ret->code.has_memory || (written && !ret->code.writes_memory))
				take_memory(decoded, operand, ret);
			ret->code.writes_memory |= written;
			ret->code.masked |= written && is_masked(instruction);
		}
	}
	ret->code.repeated = is_repeated(instruction);
	ret->code.direction = direction_of(instruction->mnemonic);
	ret->code.writes_flags = instruction->cpu_flags &&
				 (instruction->cpu_flags->modified | instruction->cpu_flags->set_0 |
				  instruction->cpu_flags->set_1 |
				  instruction->cpu_flags->undefined);
}

/* ---- control flow ------------------------------------------------------------------------- */

static const struct {
	ZydisMnemonic mnemonic;
	enum code_condition condition;
} branches[] = {
	{ ZYDIS_MNEMONIC_JZ, CONDITION_EQUAL },
	{ ZYDIS_MNEMONIC_JNZ, CONDITION_NOT_EQUAL },
	{ ZYDIS_MNEMONIC_JNBE, CONDITION_ABOVE },
	{ ZYDIS_MNEMONIC_JNB, CONDITION_ABOVE_EQUAL },
	{ ZYDIS_MNEMONIC_JB, CONDITION_BELOW },
	{ ZYDIS_MNEMONIC_JBE, CONDITION_BELOW_EQUAL },
	{ ZYDIS_MNEMONIC_JL, CONDITION_LESS },
	{ ZYDIS_MNEMONIC_JLE, CONDITION_LESS_EQUAL },
	{ ZYDIS_MNEMONIC_JNL, CONDITION_GREATER_EQUAL },
	{ ZYDIS_MNEMONIC_JNLE, CONDITION_GREATER },
	{ ZYDIS_MNEMONIC_JO, CONDITION_OVERFLOW },
	{ ZYDIS_MNEMONIC_JNO, CONDITION_NO_OVERFLOW },
	{ ZYDIS_MNEMONIC_JP, CONDITION_PARITY },
	{ ZYDIS_MNEMONIC_JNP, CONDITION_NO_PARITY },
	{ ZYDIS_MNEMONIC_JS, CONDITION_SIGN },
	{ ZYDIS_MNEMONIC_JNS, CONDITION_NO_SIGN },
	{ ZYDIS_MNEMONIC_JRCXZ, CONDITION_RCX_ZERO },
	{ ZYDIS_MNEMONIC_JECXZ, CONDITION_ECX_ZERO },
	{ ZYDIS_MNEMONIC_LOOP, CONDITION_LOOP },
	{ ZYDIS_MNEMONIC_LOOPE, CONDITION_LOOP_EQUAL },
	{ ZYDIS_MNEMONIC_LOOPNE, CONDITION_LOOP_NOT_EQUAL },
};

static bool target_of(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedOperand *operand = &decoded->operand[0];

	if (operand->type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !operand->imm.is_relative)
		return false;
	ret->numbers.use = IMMEDIATE_TARGET;
	return true;
}

/* A near branch with an operand-size prefix that no REX.W overrides. Intel's CPUs ignore the prefix (SDM,
 * volume 2, CALL, Jcc, JMP); AMD's take 16 bits, of which the target's are left (APM, volume 3, 1.2.2). */
static bool is_vendors_branch(const ZydisDecodedInstruction *instruction)
{
	bool is_near = instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR ||
		       instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT;

	if (!is_near || instruction->mnemonic == ZYDIS_MNEMONIC_XBEGIN || instruction->raw.rex.W)
		return false;
	return ARRAY_ANY(instruction->raw.prefix_count, i,
			 instruction->raw.prefixes[i].value == 0x66);
}

/* With a prefix for addresses: loop counts in ecx, and clears the other half. */
static bool counts_by_ecx(const ZydisDecodedInstruction *instruction)
{
	return instruction->address_width != 64 && instruction->mnemonic != ZYDIS_MNEMONIC_JECXZ;
}

static void take_flow(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedInstruction *instruction = &decoded->instruction;
	bool is_far = instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;

	if (is_vendors_branch(instruction)) {
		ret->code.flow = CODE_UNKNOWN;
		return;
	}
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_CALL:
		ret->code.flow = is_far			   ? CODE_UNKNOWN
				 : target_of(decoded, ret) ? CODE_CALL
							   : CODE_CALL_INDIRECT;
		if (is_register(&decoded->operand[0], 64))
			ret->code.source = code_register_number(decoded->operand[0].reg.value);
		return;
	case ZYDIS_MNEMONIC_JMP:
		ret->code.flow = is_far			   ? CODE_UNKNOWN
				 : target_of(decoded, ret) ? CODE_JUMP
							   : CODE_JUMP_INDIRECT;
		if (is_register(&decoded->operand[0], 64))
			ret->code.source = code_register_number(decoded->operand[0].reg.value);
		return;
	case ZYDIS_MNEMONIC_RET:
		ret->code.flow = is_far ? CODE_UNKNOWN : CODE_RETURN;
		if (is_immediate(&decoded->operand[0]))
			ret->numbers.use = IMMEDIATE_RETURNED;
		return;
	case ZYDIS_MNEMONIC_XBEGIN:
		ret->code.flow = target_of(decoded, ret) ? CODE_BEGIN : CODE_UNKNOWN;
		return;
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3: ret->code.may_stop = true; __attribute__((fallthrough));
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2: ret->code.flow = CODE_STOP; return;
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_VMCALL:
	case ZYDIS_MNEMONIC_VMMCALL:
	case ZYDIS_MNEMONIC_TDCALL:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_OUT:
	case ZYDIS_MNEMONIC_OUTSB:
	case ZYDIS_MNEMONIC_OUTSW:
	case ZYDIS_MNEMONIC_OUTSD: ret->code.may_stop = true; break;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_UIRET:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
		ret->code.interrupt_return = true;
		ret->code.flow = CODE_UNKNOWN;
		return;
	case ZYDIS_MNEMONIC_RSM:
	case ZYDIS_MNEMONIC_SEAMRET:
	case ZYDIS_MNEMONIC_ENCLS: /* EENTER, ERESUME, EEXIT: into an enclave and out of it */
	case ZYDIS_MNEMONIC_ENCLU:
	case ZYDIS_MNEMONIC_ENCLV:
	case ZYDIS_MNEMONIC_GETSEC:
	case ZYDIS_MNEMONIC_SKINIT:
	case ZYDIS_MNEMONIC_SYSENTER: ret->code.flow = CODE_UNKNOWN; return;
	default: break;
	}
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		if (branches[i].mnemonic == instruction->mnemonic) {
			ret->code.flow = target_of(decoded, ret) ? CODE_BRANCH : CODE_UNKNOWN;
			if (!counts_by_ecx(instruction))
				ret->code.condition = branches[i].condition;
			return;
		}
	if (instruction->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
		ret->code.flow = CODE_UNKNOWN;
}

/* ---- effects ------------------------------------------------------------------------------ */

static uint8_t register_of(const ZydisDecodedOperand *operand)
{
	return code_register_number(operand->reg.value);
}

/* ---- by the operands ---------------------------------------------------------------------- */

/* What an operand is: a bit each. */
enum operand_form {
	ANY = 0,
	R64 = 1,
	R32 = 2,
	R16 = 4,
	LOW = 8, /* al, not ah */
	HIGH = 16,
	M64 = 32,
	M32 = 64,
	M_OTHER = 128,
	NUMBER = 256,
	SAME = 512, /* the first operand's register */
};

#define R    (R64 | R32)
#define PART (R16 | LOW | HIGH)
#define M    (M64 | M32 | M_OTHER)

static unsigned int form_of(const ZydisDecodedOperand *operand)
{
	if (is_immediate(operand))
		return NUMBER;
	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return operand->size == 64 ? M64 : operand->size == 32 ? M32 : M_OTHER;
	if (!is_register(operand, operand->size))
		return ANY;
	switch (operand->size) {
	case 64: return R64;
	case 32: return R32;
	case 16: return R16;
	default: return code_is_low_byte(operand) ? LOW : HIGH;
	}
}

/* The first line of a mnemonic that fits its two operands says what it does. What has no line has a function, or writes
 * what Zydis says. */
static const struct operand_effect {
	ZydisMnemonic mnemonic;
	unsigned int to, from;
	enum code_effect effect;
	enum { NONE, TO = 1, FROM = 2, BOTH = TO | FROM } registers; /* that the code has */
	enum immediate_use use;
	int8_t constant;
} operand_effects[] = {
	{ ZYDIS_MNEMONIC_MOV, R64, R64, EFFECT_MOVE, BOTH, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_MOV, R32, R32, EFFECT_MOVE_32, BOTH, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_MOV, R64, NUMBER, EFFECT_CONSTANT, TO, IMMEDIATE_CONSTANT, 0 },
	{ ZYDIS_MNEMONIC_MOV, R32, NUMBER, EFFECT_CONSTANT, TO, IMMEDIATE_LOW_HALF, 0 },
	{ ZYDIS_MNEMONIC_MOV, LOW, NUMBER, EFFECT_CONSTANT_BYTE, TO, IMMEDIATE_CONSTANT, 0 },
	{ ZYDIS_MNEMONIC_MOV, R64, M64, EFFECT_LOAD, TO, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_MOV, R32, M32, EFFECT_LOAD_LESS, TO, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_MOV, M64, R64, EFFECT_STORE, FROM, IMMEDIATE_UNUSED, 0 },
	/* It is extended by zeros. Of ah it takes bits that are not the lowest. */
	{ ZYDIS_MNEMONIC_MOVZX, R, M, EFFECT_LOAD_LESS, TO, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_MOVZX, R, R16 | LOW, EFFECT_MOVE_32, BOTH, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_MOVZX, R, HIGH, EFFECT_WRITES, TO, IMMEDIATE_UNUSED, 0 },
	/* What jump tables are read by, and their index before that. */
	{ ZYDIS_MNEMONIC_MOVSXD, R64, M32, EFFECT_LOAD_SIGNED, TO, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_MOVSXD, R64, R32, EFFECT_SIGN_EXTEND, BOTH, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_ADD, R64, NUMBER, EFFECT_ADD, TO, IMMEDIATE_CONSTANT, 0 },
	{ ZYDIS_MNEMONIC_ADD, R64, R64, EFFECT_ADD_REGISTER, BOTH, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_SUB, R64, NUMBER, EFFECT_ADD, TO, IMMEDIATE_NEGATED, 0 },
	{ ZYDIS_MNEMONIC_SUB, R64, R64, EFFECT_SUBTRACT_REGISTER, BOTH, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_INC, R64, ANY, EFFECT_ADD, TO, IMMEDIATE_UNUSED, 1 },
	{ ZYDIS_MNEMONIC_DEC, R64, ANY, EFFECT_ADD, TO, IMMEDIATE_UNUSED, -1 },
	{ ZYDIS_MNEMONIC_AND, R64, NUMBER, EFFECT_AND, TO, IMMEDIATE_CONSTANT, 0 },
	{ ZYDIS_MNEMONIC_AND, R32, NUMBER, EFFECT_AND, TO, IMMEDIATE_LOW_HALF, 0 },
	{ ZYDIS_MNEMONIC_XOR, R, SAME, EFFECT_CONSTANT, TO, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_XCHG, R64, R64, EFFECT_EXCHANGE, BOTH, IMMEDIATE_UNUSED, 0 },
	/* That parts of two registers are equal says nothing of them. */
	{ ZYDIS_MNEMONIC_CMP, M32, NUMBER, EFFECT_COMPARE, NONE, IMMEDIATE_CONSTANT, 0 },
	{ ZYDIS_MNEMONIC_CMP, R | PART, NUMBER, EFFECT_COMPARE, TO, IMMEDIATE_CONSTANT, 0 },
	{ ZYDIS_MNEMONIC_CMP, R64, R64, EFFECT_COMPARE_REGISTER, BOTH, IMMEDIATE_UNUSED, 0 },
	{ ZYDIS_MNEMONIC_TEST, R, SAME, EFFECT_COMPARE, TO, IMMEDIATE_UNUSED, 0 },
};

/* False: no line fits. */
static bool take_effect_by_operands(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];
	const struct operand_effect *line = operand_effects;
	const struct operand_effect *end = line + sizeof(operand_effects) / sizeof(*line);
	unsigned int to_form = form_of(to), from_form = form_of(from);

	if (to_form & R && from_form == to_form && register_of(to) == register_of(from))
		from_form |= SAME;
	while (line < end &&
	       (line->mnemonic != decoded->instruction.mnemonic || !(line->to & to_form) ||
		!(line->from == ANY || line->from & from_form)))
		line++;
	if (line == end)
		return false;
	ret->code.effect = line->effect;
	if (line->registers & TO)
		ret->code.reg = register_of(to);
	if (line->registers & FROM)
		ret->code.source = register_of(from);
	ret->numbers.use = line->use;
	ret->code.constant = line->constant;
	if (line->effect == EFFECT_CONSTANT)
		ret->code.long_constant = decoded->instruction.raw.imm[0].size == 64;
	if (line->effect == EFFECT_MOVE_32 && from->size < 32)
		ret->code.bits = (uint8_t)from->size;
	return true;
}

/* ---- by a function ------------------------------------------------------------------------ */

/* What is left of mov. */
static void effect_store(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	ret->code.plain_store = to->type == ZYDIS_OPERAND_TYPE_MEMORY;
	if (from->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		ret->code.source = register_of(from);
	} else if (ret->code.plain_store && is_immediate(from)) {
		ret->code.width = (uint8_t)to->size;
		ret->numbers.use = IMMEDIATE_CONSTANT;
	}
}

static void effect_product(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	if (!is_register(to, 64) || !is_register(from, 64) || !is_immediate(&decoded->operand[2]))
		return;
	ret->code.effect = EFFECT_PRODUCT;
	ret->code.reg = register_of(to);
	ret->code.source = register_of(from);
}

static void effect_address(const struct code_decoded *decoded, struct code_form *ret)
{
	if (!is_register(&decoded->operand[0], 64) || ret->code.foreign_segment)
		return;
	ret->code.effect = EFFECT_ADDRESS;
	ret->code.reg = register_of(&decoded->operand[0]);
}

/* The operand of a push or pop; NULL: the flags. */
static const ZydisDecodedOperand *stack_operand(const struct code_decoded *decoded)
{
	const ZydisDecodedOperand *operand = &decoded->operand[0];

	return decoded->instruction.operand_count_visible ? operand : NULL;
}

/* One of 16 bits moves rsp by 2, which Zydis doesn't say of what it writes. */
static void effect_push(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedOperand *operand = stack_operand(decoded);
	const unsigned int bits = decoded->instruction.operand_width == 64 ? 64 : 16;

	ret->code.effect = bits == 64 ? EFFECT_PUSH : EFFECT_PUSH_16;
	if (operand && is_register(operand, bits))
		ret->code.source = register_of(operand);
	if (operand && operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		take_memory(decoded, operand,
			    ret); /* it is read; the word that is written is known */
		ret->code.writes_memory = false;
	}
}

static void effect_pop(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedOperand *operand = stack_operand(decoded);
	const unsigned int bits = decoded->instruction.operand_width == 64 ? 64 : 16;

	ret->code.effect = bits == 64 ? EFFECT_POP : EFFECT_POP_16;
	if (operand && is_register(operand, bits))
		ret->code.reg = register_of(operand);
	/* A segment register and the flags are no memory. */
	ret->code.has_memory = operand && operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static void effect_enter(const struct code_decoded *decoded, struct code_form *ret)
{
	if (decoded->instruction.operand_width != 64) {
		/* Up to 32 words of 2 bytes below rsp. What becomes of the registers is not followed. */
		ret->code.memory_bytes = 64;
		ret->code.displacement = -64;
		return;
	}
	ret->code.effect = EFFECT_ENTER;
	ret->numbers.use = IMMEDIATE_ENTER;
}

static void effect_leave(const struct code_decoded *decoded, struct code_form *ret)
{
	if (decoded->instruction.operand_width == 64)
		ret->code.effect = EFFECT_LEAVE;
}

/* Bits beyond the operand are in memory beyond it (SDM, volume 2, 3.1.1.9): by a register, not by a
 * number, of which only the operand's bits count. */
static void effect_bits(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	if (to->type != ZYDIS_OPERAND_TYPE_MEMORY || from->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return;
	ret->code.bit_index = true;
	ret->code.source = register_of(from);
}

/* cdqe */
static void effect_widen(const struct code_decoded *decoded, struct code_form *ret)
{
	ret->code.effect = EFFECT_SIGN_EXTEND;
	ret->code.reg = REGISTER_RAX;
	ret->code.source = REGISTER_RAX;
}

/* The kernel's results: rax isn't among Zydis' operands. */
static void effect_system_call(const struct code_decoded *decoded, struct code_form *ret)
{
	ret->code.system_call = true;
	ret->code.written |= 1u << REGISTER_RAX;
}

/* nops that have operands read none of them. */
static void effect_none(const struct code_decoded *decoded, struct code_form *ret)
{
	ret->code.has_memory = false;
	ret->code.is_padding = true;
}

static const struct {
	ZydisMnemonic mnemonic;
	void (*effect)(const struct code_decoded *decoded, struct code_form *ret);
} effects[] = {
	{ ZYDIS_MNEMONIC_MOV, effect_store },	    { ZYDIS_MNEMONIC_PUSH, effect_push },
	{ ZYDIS_MNEMONIC_POP, effect_pop },	    { ZYDIS_MNEMONIC_LEA, effect_address },
	{ ZYDIS_MNEMONIC_IMUL, effect_product },    { ZYDIS_MNEMONIC_NOP, effect_none },
	{ ZYDIS_MNEMONIC_LEAVE, effect_leave },	    { ZYDIS_MNEMONIC_INT3, effect_none },
	{ ZYDIS_MNEMONIC_CDQE, effect_widen },	    { ZYDIS_MNEMONIC_SYSCALL, effect_system_call },
	{ ZYDIS_MNEMONIC_INT, effect_system_call }, { ZYDIS_MNEMONIC_BTS, effect_bits },
	{ ZYDIS_MNEMONIC_BTR, effect_bits },	    { ZYDIS_MNEMONIC_PUSHF, effect_push },
	{ ZYDIS_MNEMONIC_PUSHFQ, effect_push },	    { ZYDIS_MNEMONIC_POPF, effect_pop },
	{ ZYDIS_MNEMONIC_POPFQ, effect_pop },	    { ZYDIS_MNEMONIC_BTC, effect_bits },
	{ ZYDIS_MNEMONIC_ENTER, effect_enter },
};

/* Results of which no register could have been the saved value: those of 64 bits that are made of
 * others' bits by arithmetic. What moves, mangles and turns bits round may bring back a saved one. */
static const ZydisMnemonic computing[] = {
	ZYDIS_MNEMONIC_IMUL,  ZYDIS_MNEMONIC_MUL,   ZYDIS_MNEMONIC_DIV,	   ZYDIS_MNEMONIC_IDIV,
	ZYDIS_MNEMONIC_SHL,   ZYDIS_MNEMONIC_SHR,   ZYDIS_MNEMONIC_SAR,	   ZYDIS_MNEMONIC_AND,
	ZYDIS_MNEMONIC_OR,    ZYDIS_MNEMONIC_SBB,   ZYDIS_MNEMONIC_ADC,	   ZYDIS_MNEMONIC_LEA,
	ZYDIS_MNEMONIC_TZCNT, ZYDIS_MNEMONIC_LZCNT, ZYDIS_MNEMONIC_POPCNT, ZYDIS_MNEMONIC_ADD,
	ZYDIS_MNEMONIC_SUB,
};

/* Each register that is written is written whole, always, by a result. */
static bool is_computed(const struct code_decoded *decoded)
{
	const ZydisDecodedInstruction *instruction = &decoded->instruction;
	bool known = false;

	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operand[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
		    code_register_number(operand->reg.value) == CODE_NO_REGISTER)
			continue;
		if (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
			return false;
		/* It is made of what it held: perhaps the same again. */
		if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ && operand->size == 64)
			return false;
		known |= operand->size == 64;
	}
	for (size_t i = 0; known && i < sizeof(computing) / sizeof(computing[0]); i++)
		if (computing[i] == instruction->mnemonic)
			known = false;
	return !known;
}

/* ---- forms -------------------------------------------------------------------------------- */

bool code_form_decode(const ZydisDecoder *zydis, const uint8_t *bytes, size_t size,
		      struct code_decoded *ret)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(zydis, bytes,
						   size < CODE_BYTES_MAX ? size : CODE_BYTES_MAX,
						   &ret->instruction, ret->operand));
}

/* Where the numbers stand, and the bytes before them. EVEX scales displacements, and others choose the
 * operation by a byte behind them (3DNow!): their numbers are taken as Zydis has them. */
static void take_fields(const ZydisDecodedInstruction *instruction, struct code_form *ret)
{
	const struct code_field displacement = { instruction->raw.disp.offset,
						 instruction->raw.disp.size / 8, true };
	const struct code_field immediate = { instruction->raw.imm[0].offset,
					      instruction->raw.imm[0].size / 8,
					      instruction->raw.imm[0].is_signed };

	ret->numbers.immediate = immediate;
	if (ret->numbers.use == IMMEDIATE_ENTER)
		ret->numbers.immediate.bytes += instruction->raw.imm[1].size / 8;
	if (instruction->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	    instruction->encoding != ZYDIS_INSTRUCTION_ENCODING_VEX)
		return;
	if (ret->displaced)
		ret->numbers.displacement = displacement;
	ret->head = displacement.bytes ? displacement.offset
		    : immediate.bytes  ? immediate.offset
				       : instruction->length;
}

void code_form_make(const struct code_decoded *decoded, struct code_form *ret)
{
	const ZydisDecodedInstruction *instruction = &decoded->instruction;

	*ret = (struct code_form) { .code = { .length = instruction->length,
					      .reg = CODE_NO_REGISTER,
					      .source = CODE_NO_REGISTER,
					      .base = CODE_NO_REGISTER,
					      .index = CODE_NO_REGISTER } };
	take_operands(decoded, ret);
	take_flow(decoded, ret);
	if (!take_effect_by_operands(decoded, ret))
		for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
			if (effects[i].mnemonic == instruction->mnemonic)
				effects[i].effect(decoded, ret);
	ret->code.computed = is_computed(decoded);
	ret->code.lowers = instruction->mnemonic == ZYDIS_MNEMONIC_SUB ||
			   instruction->mnemonic == ZYDIS_MNEMONIC_AND;
	code_correct(instruction, &ret->code);
	ret->displaced &= instruction->mnemonic != ZYDIS_MNEMONIC_TILESTORED; /* it is counted in */
	code_identity_take(decoded, ret);
	code_flags_take(decoded, ret);
	take_fields(instruction, ret);
}
