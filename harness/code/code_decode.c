/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_decode.c - bytes to effects, by Zydis
 *
 * Two tables decide. The one of mnemonics below lists the instructions whose effect is followed
 * exactly, each with the forms of operands for which that holds. Of all others Zydis' own table of
 * operands, hidden ones included, says which registers are written, and those are unknown from then
 * on. A write to a part of a register is one to the register.
 *
 * Zydis 4.0 decodes what compilers emit up to AVX-512, AMX and CET, which Capstone 4.0 does not.
 */
#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>
#include "code/code.h"

struct code_decoder {
	ZydisDecoder zydis;
	ZydisFormatter formatter;
};

struct decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

struct code_decoder *code_decoder_create(void)
{
	struct code_decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return NULL;
	ZydisDecoderInit(&decoder->zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisFormatterInit(&decoder->formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	return decoder;
}

void code_decoder_destroy(struct code_decoder *decoder)
{
	free(decoder);
}

/* In the order of encoding, which Zydis' names follow. */
static const uint8_t dwarf_number[] = {
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

/* Of whatever part; CODE_NO_REGISTER for others. */
static uint8_t number_of(ZydisRegister part)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return CODE_NO_REGISTER;
	return dwarf_number[whole - ZYDIS_REGISTER_RAX];
}

static bool is_register(const ZydisDecodedOperand *operand, unsigned int bits)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->size == bits &&
	       number_of(operand->reg.value) != CODE_NO_REGISTER;
}

static bool is_memory(const ZydisDecodedOperand *operand, unsigned int bits)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->size == bits;
}

static bool is_immediate(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static void take_memory(const struct decoded *decoded, const ZydisDecodedOperand *operand,
			struct code *ret)
{
	const ZydisDecodedOperandMem *memory = &operand->mem;

	ret->has_memory = true;
	ret->memory_bytes = operand->size / 8;
	ret->base = memory->base == ZYDIS_REGISTER_NONE ? CODE_NO_REGISTER
							: number_of(memory->base);
	ret->index = memory->index == ZYDIS_REGISTER_NONE ? CODE_NO_REGISTER
							  : number_of(memory->index);
	ret->scale = memory->scale;
	ret->displacement = memory->disp.has_displacement ? memory->disp.value : 0;
	ret->foreign_segment = memory->segment == ZYDIS_REGISTER_FS ||
			       memory->segment == ZYDIS_REGISTER_GS ||
			       decoded->instruction.address_width != 64 ||
			       memory->type == ZYDIS_MEMOP_TYPE_VSIB;
	if (memory->base == ZYDIS_REGISTER_RIP)
		ret->displacement += (int64_t)(ret->pc + ret->length);
}

/* What Zydis' operands say: registers and memory that are written, and the memory operand. */
static void take_operands(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedInstruction *instruction = &decoded->instruction;

	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operand[i];
		bool written = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && written) {
			uint8_t number = number_of(operand->reg.value);

			if (number != CODE_NO_REGISTER)
				ret->written |= 1u << number;
		} else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			/* Of two (movs) the one that is written. */
			if (!ret->has_memory || (written && !ret->writes_memory))
				take_memory(decoded, operand, ret);
			ret->writes_memory |= written;
		}
	}
	ret->repeated = instruction->attributes &
			(ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
	ret->writes_flags = instruction->cpu_flags &&
			    (instruction->cpu_flags->modified | instruction->cpu_flags->set_0 |
			     instruction->cpu_flags->set_1 | instruction->cpu_flags->undefined);
}

/* ---- control flow ------------------------------------------------------------------------- */

static const struct {
	ZydisMnemonic mnemonic;
	enum code_condition condition;
} branches[] = {
	{ ZYDIS_MNEMONIC_JZ, CONDITION_EQUAL },	    { ZYDIS_MNEMONIC_JNZ, CONDITION_NOT_EQUAL },
	{ ZYDIS_MNEMONIC_JNBE, CONDITION_ABOVE },   { ZYDIS_MNEMONIC_JNB, CONDITION_ABOVE_EQUAL },
	{ ZYDIS_MNEMONIC_JB, CONDITION_BELOW },	    { ZYDIS_MNEMONIC_JBE, CONDITION_BELOW_EQUAL },
	{ ZYDIS_MNEMONIC_JL, CONDITION_OTHER },	    { ZYDIS_MNEMONIC_JLE, CONDITION_OTHER },
	{ ZYDIS_MNEMONIC_JNL, CONDITION_OTHER },    { ZYDIS_MNEMONIC_JNLE, CONDITION_OTHER },
	{ ZYDIS_MNEMONIC_JO, CONDITION_OTHER },	    { ZYDIS_MNEMONIC_JNO, CONDITION_OTHER },
	{ ZYDIS_MNEMONIC_JP, CONDITION_OTHER },	    { ZYDIS_MNEMONIC_JNP, CONDITION_OTHER },
	{ ZYDIS_MNEMONIC_JS, CONDITION_OTHER },	    { ZYDIS_MNEMONIC_JNS, CONDITION_OTHER },
	{ ZYDIS_MNEMONIC_JRCXZ, CONDITION_OTHER },  { ZYDIS_MNEMONIC_JECXZ, CONDITION_OTHER },
	{ ZYDIS_MNEMONIC_LOOP, CONDITION_OTHER },   { ZYDIS_MNEMONIC_LOOPE, CONDITION_OTHER },
	{ ZYDIS_MNEMONIC_LOOPNE, CONDITION_OTHER },
};

static bool target_of(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *operand = &decoded->operand[0];

	if (operand->type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !operand->imm.is_relative)
		return false;
	ret->target = ret->pc + ret->length + (uint64_t)operand->imm.value.s;
	return true;
}

static void take_flow(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedInstruction *instruction = &decoded->instruction;
	bool is_far = instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;

	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_CALL:
		ret->flow = is_far		      ? CODE_UNKNOWN
			    : target_of(decoded, ret) ? CODE_CALL
						      : CODE_CALL_INDIRECT;
		return;
	case ZYDIS_MNEMONIC_JMP:
		ret->flow = is_far		      ? CODE_UNKNOWN
			    : target_of(decoded, ret) ? CODE_JUMP
						      : CODE_JUMP_INDIRECT;
		if (is_register(&decoded->operand[0], 64))
			ret->source = number_of(decoded->operand[0].reg.value);
		return;
	case ZYDIS_MNEMONIC_RET:
		ret->flow = is_far ? CODE_UNKNOWN : CODE_RETURN;
		if (is_immediate(&decoded->operand[0]))
			ret->returned_bytes = (uint16_t)decoded->operand[0].imm.value.u;
		return;
	case ZYDIS_MNEMONIC_XBEGIN:
		ret->flow = target_of(decoded, ret) ? CODE_BEGIN : CODE_UNKNOWN;
		return;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3: ret->flow = CODE_STOP; return;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_SYSENTER: ret->flow = CODE_UNKNOWN; return;
	default: break;
	}
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		if (branches[i].mnemonic == instruction->mnemonic) {
			ret->flow = target_of(decoded, ret) ? CODE_BRANCH : CODE_UNKNOWN;
			ret->condition = branches[i].condition;
			return;
		}
	if (instruction->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
		ret->flow = CODE_UNKNOWN;
}

/* ---- effects ------------------------------------------------------------------------------ */

static uint8_t register_of(const ZydisDecodedOperand *operand)
{
	return number_of(operand->reg.value);
}

static void effect_move(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	if (is_register(to, 64) && is_register(from, 64)) {
		ret->effect = EFFECT_MOVE;
		ret->source = register_of(from);
	} else if (is_register(to, 32) && is_register(from, 32)) {
		ret->effect = EFFECT_MOVE_32;
		ret->source = register_of(from);
	} else if ((is_register(to, 64) || is_register(to, 32)) && is_immediate(from)) {
		ret->effect = EFFECT_CONSTANT;
		ret->constant = to->size == 64 ? from->imm.value.s
					       : (int64_t)(uint32_t)from->imm.value.u;
	} else if (is_register(to, 64) && is_memory(from, 64)) {
		ret->effect = EFFECT_LOAD;
	} else if (is_register(to, 32) && is_memory(from, 32)) {
		ret->effect = EFFECT_LOAD_LESS;
	} else if (is_memory(to, 64) && is_register(from, 64)) {
		ret->effect = EFFECT_STORE;
		ret->source = register_of(from);
		return;
	} else {
		ret->plain_store = to->type == ZYDIS_OPERAND_TYPE_MEMORY;
		return;
	}
	ret->reg = register_of(to);
}

/* movzx: zero extended. */
static void effect_extend(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	if (to->size < 32 || !is_register(to, to->size))
		return;
	ret->reg = register_of(to);
	if (from->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		ret->effect = EFFECT_LOAD_LESS;
	} else if (from->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		   number_of(from->reg.value) != CODE_NO_REGISTER) {
		ret->effect = EFFECT_MOVE_32;
		ret->source = register_of(from);
		ret->bits = (uint8_t)from->size;
	}
}

/* movsxd: what jump tables are read by, and their index before that. */
static void effect_sign_extend(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	if (!is_register(to, 64))
		return;
	if (is_memory(from, 32)) {
		ret->effect = EFFECT_LOAD_SIGNED;
		ret->reg = register_of(to);
	} else if (is_register(from, 32)) {
		ret->effect = EFFECT_MOVE_32;
		ret->reg = register_of(to);
		ret->source = register_of(from);
	}
}

/* A write of what is there: `lock or [rsp], 0` is a barrier. */
static void effect_or(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	if (to->type == ZYDIS_OPERAND_TYPE_MEMORY && is_immediate(from) && !from->imm.value.u)
		ret->writes_memory = false;
}

static void effect_add(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];
	bool subtract = decoded->instruction.mnemonic == ZYDIS_MNEMONIC_SUB;

	if (!is_register(to, 64)) {
		effect_or(decoded, ret);
		return;
	}
	if (is_immediate(from)) {
		ret->effect = EFFECT_ADD;
		ret->constant = subtract ? (int64_t)(0 - from->imm.value.u) : from->imm.value.s;
	} else if (is_register(from, 64)) {
		ret->effect = subtract ? EFFECT_SUBTRACT_REGISTER : EFFECT_ADD_REGISTER;
		ret->source = register_of(from);
	} else {
		return;
	}
	ret->reg = register_of(to);
}

static void effect_increment(const struct decoded *decoded, struct code *ret)
{
	if (!is_register(&decoded->operand[0], 64))
		return;
	ret->effect = EFFECT_ADD;
	ret->reg = register_of(&decoded->operand[0]);
	ret->constant = decoded->instruction.mnemonic == ZYDIS_MNEMONIC_INC ? 1 : -1;
}

static void effect_and(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	if (to->type == ZYDIS_OPERAND_TYPE_MEMORY && is_immediate(from) && from->imm.value.s == -1)
		ret->writes_memory = false; /* as of effect_or() */
	if (!(is_register(to, 64) || is_register(to, 32)) || !is_immediate(from))
		return;
	ret->effect = EFFECT_AND;
	ret->reg = register_of(to);
	ret->constant = to->size == 64 ? from->imm.value.s : (int64_t)(uint32_t)from->imm.value.u;
}

/* xor of a register with itself. */
static void effect_clear(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	effect_or(decoded, ret);
	if ((is_register(to, 64) || is_register(to, 32)) && is_register(from, to->size) &&
	    register_of(to) == register_of(from)) {
		ret->effect = EFFECT_CONSTANT;
		ret->reg = register_of(to);
		ret->constant = 0;
	}
}

static void effect_address(const struct decoded *decoded, struct code *ret)
{
	if (!is_register(&decoded->operand[0], 64) || ret->foreign_segment)
		return;
	ret->effect = EFFECT_ADDRESS;
	ret->reg = register_of(&decoded->operand[0]);
}

/* A push or pop of 16 bits moves rsp by 2: its registers are unknown then, as Zydis says. */
static void effect_push(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *operand = &decoded->operand[0];

	if (decoded->instruction.operand_width != 64)
		return;
	ret->effect = EFFECT_PUSH;
	ret->source = is_register(operand, 64) ? register_of(operand) : CODE_NO_REGISTER;
}

static void effect_pop(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *operand = &decoded->operand[0];

	if (decoded->instruction.operand_width != 64)
		return;
	ret->effect = EFFECT_POP;
	ret->reg = is_register(operand, 64) ? register_of(operand) : CODE_NO_REGISTER;
}

static void effect_leave(const struct decoded *decoded, struct code *ret)
{
	if (decoded->instruction.operand_width == 64)
		ret->effect = EFFECT_LEAVE;
}

static void effect_exchange(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	if (!is_register(to, 64) || !is_register(from, 64))
		return;
	ret->effect = EFFECT_EXCHANGE;
	ret->reg = register_of(to);
	ret->source = register_of(from);
}

static void effect_compare(const struct decoded *decoded, struct code *ret)
{
	const ZydisDecodedOperand *to = &decoded->operand[0], *from = &decoded->operand[1];

	if (is_memory(to, 32) && is_immediate(from)) {
		ret->effect = EFFECT_COMPARE;
		ret->constant = from->imm.value.s;
		return;
	}
	if (!is_register(to, to->size))
		return;
	if (is_immediate(from)) {
		ret->effect = EFFECT_COMPARE;
		ret->constant = from->imm.value.s;
	} else if (is_register(from, to->size)) {
		ret->effect = EFFECT_COMPARE_REGISTER;
		ret->source = register_of(from);
	} else {
		return;
	}
	ret->reg = register_of(to);
}

/* cdqe */
static void effect_widen(const struct decoded *decoded, struct code *ret)
{
	ret->effect = EFFECT_SIGN_EXTEND;
	ret->reg = REGISTER_RAX;
}

/* The kernel's results: rax isn't among Zydis' operands. */
static void effect_system_call(const struct decoded *decoded, struct code *ret)
{
	ret->system_call = true;
	ret->written |= 1u << REGISTER_RAX;
}

/* nops that have operands read none of them. */
static void effect_none(const struct decoded *decoded, struct code *ret)
{
	ret->has_memory = false;
	ret->is_padding = true;
}

static const struct {
	ZydisMnemonic mnemonic;
	void (*effect)(const struct decoded *decoded, struct code *ret);
} effects[] = {
	{ ZYDIS_MNEMONIC_MOV, effect_move },	    { ZYDIS_MNEMONIC_PUSH, effect_push },
	{ ZYDIS_MNEMONIC_POP, effect_pop },	    { ZYDIS_MNEMONIC_LEA, effect_address },
	{ ZYDIS_MNEMONIC_CMP, effect_compare },	    { ZYDIS_MNEMONIC_ADD, effect_add },
	{ ZYDIS_MNEMONIC_SUB, effect_add },	    { ZYDIS_MNEMONIC_XOR, effect_clear },
	{ ZYDIS_MNEMONIC_MOVZX, effect_extend },    { ZYDIS_MNEMONIC_MOVSXD, effect_sign_extend },
	{ ZYDIS_MNEMONIC_AND, effect_and },	    { ZYDIS_MNEMONIC_OR, effect_or },
	{ ZYDIS_MNEMONIC_NOP, effect_none },	    { ZYDIS_MNEMONIC_INC, effect_increment },
	{ ZYDIS_MNEMONIC_DEC, effect_increment },   { ZYDIS_MNEMONIC_LEAVE, effect_leave },
	{ ZYDIS_MNEMONIC_XCHG, effect_exchange },   { ZYDIS_MNEMONIC_INT3, effect_none },
	{ ZYDIS_MNEMONIC_CDQE, effect_widen },	    { ZYDIS_MNEMONIC_SYSCALL, effect_system_call },
	{ ZYDIS_MNEMONIC_INT, effect_system_call },
};

/* Results of which no register could have been the saved value: those of 64 bits that are made of
 * others' bits by arithmetic. What moves, mangles and turns bits round may bring back a saved one. */
static const ZydisMnemonic computing[] = {
	ZYDIS_MNEMONIC_IMUL,   ZYDIS_MNEMONIC_MUL, ZYDIS_MNEMONIC_DIV,	 ZYDIS_MNEMONIC_IDIV,
	ZYDIS_MNEMONIC_SHL,    ZYDIS_MNEMONIC_SHR, ZYDIS_MNEMONIC_SAR,	 ZYDIS_MNEMONIC_AND,
	ZYDIS_MNEMONIC_OR,     ZYDIS_MNEMONIC_SBB, ZYDIS_MNEMONIC_ADC,	 ZYDIS_MNEMONIC_LEA,
	ZYDIS_MNEMONIC_BSR,    ZYDIS_MNEMONIC_BSF, ZYDIS_MNEMONIC_TZCNT, ZYDIS_MNEMONIC_LZCNT,
	ZYDIS_MNEMONIC_POPCNT, ZYDIS_MNEMONIC_ADD, ZYDIS_MNEMONIC_SUB,
};

/* Each register that is written is written whole, always, by a result. */
static bool is_computed(const struct decoded *decoded)
{
	const ZydisDecodedInstruction *instruction = &decoded->instruction;
	bool known = false;

	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operand[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
		    number_of(operand->reg.value) == CODE_NO_REGISTER)
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

static bool decode(struct code_decoder *decoder, const uint8_t *bytes, size_t size,
		   struct decoded *ret)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder->zydis, bytes,
						   size < CODE_BYTES_MAX ? size : CODE_BYTES_MAX,
						   &ret->instruction, ret->operand));
}

void code_decode(struct code_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size,
		 struct code *ret)
{
	struct decoded decoded;

	*ret = (struct code) { .pc = pc,
			       .reg = CODE_NO_REGISTER,
			       .source = CODE_NO_REGISTER,
			       .base = CODE_NO_REGISTER,
			       .index = CODE_NO_REGISTER };
	if (!decode(decoder, bytes, size, &decoded)) {
		ret->flow = CODE_UNKNOWN;
		return;
	}
	ret->length = decoded.instruction.length;
	take_operands(&decoded, ret);
	take_flow(&decoded, ret);
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
		if (effects[i].mnemonic == decoded.instruction.mnemonic) {
			effects[i].effect(&decoded, ret);
			break;
		}
	ret->computed = is_computed(&decoded);
}

void code_print(struct code_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size,
		char *text, size_t text_size)
{
	struct decoded decoded;

	text[0] = '\0';
	if (decode(decoder, bytes, size, &decoded))
		ZydisFormatterFormatInstruction(
			&decoder->formatter, &decoded.instruction, decoded.operand,
			decoded.instruction.operand_count_visible, text, text_size, pc, NULL);
}
