/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_form.h - what instructions that differ only in their numbers have in common
 *
 * Two instructions are of one *form* if they are equal up to where a displacement or an immediate
 * stands, but for registers: `mov rax, [rsp+8]` and `mov rcx, [rbx+24]`. These first bytes, the form's
 * *head*, decide all else that Zydis says. An image has millions of instructions and a few thousand forms,
 * so each is asked of Zydis once; then registers and numbers are filled in.
 *
 *	code_form.c	 bytes -> form, by Zydis
 *	code_correct.c	 what it writes that Zydis does not say
 *	code_identity.c	 forms that leave their operand as it was, with some number
 *	code_flags.c	 what it makes of the flags
 *	code_head.c	 bytes -> the key that forms are kept by
 *	code_decode.c	 head -> form that is known already; form and bytes -> struct code
 */
#ifndef STACKPROOF_CODE_FORM_H
#define STACKPROOF_CODE_FORM_H

#include <Zydis/Zydis.h>
#include "code.h"

/* What the immediate is to the effect. */
enum immediate_use {
	IMMEDIATE_UNUSED,
	IMMEDIATE_TARGET,   /* from the instruction's end */
	IMMEDIATE_RETURNED, /* returned_bytes */
	IMMEDIATE_CONSTANT, /* the constant */
	IMMEDIATE_NEGATED,
	IMMEDIATE_LOW_HALF, /* its low 32 bits */
	IMMEDIATE_ENTER,    /* the constant, of both immediates */
};

/* Where a number stands in the instruction. bytes 0: nowhere. */
struct code_field {
	uint8_t offset, bytes;
	bool is_signed;
};

/* The immediates that make the instruction an identity: those of which bits, the lowest, % modulo are
 * value's. bits 0: there are none. modulo 0: of the whole. Or a copy of source, or of memory if it is none,
 * to reg. */
struct code_neutral {
	uint8_t bits, modulo;
	int8_t value;
	bool copies;
	uint8_t reg, source;
};

/* What is filled in of the instruction's own bytes. */
struct code_numbers {
	bool relative; /* the displacement is, to the instruction's end */
	enum immediate_use use : 8;
	struct code_field displacement, immediate;
	struct code_neutral neutral;
};

struct code_form {
	struct code code; /* at pc 0, its numbers not filled in */
	uint8_t head;	  /* bytes that decide it; 0: all do, and it can't be used again */
	bool displaced;	  /* the memory operand has a displacement */
	bool by_modrm;	  /* the memory operand is the one that ModRM says */
	struct code_numbers numbers;
};

struct code_decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

/* General registers in the order of their numbers in instructions (Intel SDM, volume 2, table 2-2, and
 * 2.2.1), as DWARF numbers them. */
extern const uint8_t code_dwarf_number[REGISTER_GPR_COUNT];

/* False: it can't be decoded. */
bool code_form_decode(const ZydisDecoder *zydis, const uint8_t *bytes, size_t size,
		      struct code_decoded *ret);
/* The general register that part is of; CODE_NO_REGISTER for others. */
uint8_t code_register_number(ZydisRegister part);
/* al, not ah. */
bool code_is_low_byte(const ZydisDecodedOperand *operand);
/* What Zydis said of it, as a form. */
void code_form_make(const struct code_decoded *decoded, struct code_form *ret);

/* ---- code_correct.c ----------------------------------------------------------------------- */

/* What Zydis does not say of the instruction is added. */
void code_correct(const ZydisDecodedInstruction *instruction, struct code *ret);

/* ---- code_identity.c ---------------------------------------------------------------------- */

/* Whether the instruction leaves its operands as they were, or does with some immediates: then neutral is
 * set. */
void code_identity_take(const struct code_decoded *decoded, struct code_form *ret);
/* The form's instruction with that immediate. */
void code_identity_apply(const struct code_neutral *neutral, uint64_t immediate, struct code *code);

/* ---- code_flags.c ------------------------------------------------------------------------- */

/* What the instruction makes of the flags; once all else is known of it. */
void code_flags_take(const struct code_decoded *decoded, struct code_form *ret);

/* ---- code_head.c -------------------------------------------------------------------------- */

/* Where a register stands: in ModRM, or in the opcode. */
enum head_operand { HEAD_REG, HEAD_RM, HEAD_OPCODE = HEAD_RM, HEAD_OPERANDS };

/* What forms are known by. */
struct code_head {
	uint64_t key[2];  /* bytes of the instruction, with zeros behind them */
	uint8_t bytes;	  /* of the key: the head's but for left_out */
	uint8_t left_out; /* the SIB */
	/* The memory operand's registers, which the key doesn't have, if it leaves them out. */
	bool by_registers;
	uint8_t base, index, scale;
	/* Other registers that it doesn't have, by where they stand; CODE_NO_REGISTER: it has them. Of
	 * HEAD_REG perhaps a vector register's number. */
	uint8_t operand[HEAD_OPERANDS];
};

/* False: it is not known here. */
bool code_head_find(const uint8_t bytes[CODE_HEAD_READ], struct code_head *ret);

#endif
