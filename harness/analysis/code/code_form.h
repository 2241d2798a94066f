/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_form.h - what instructions that differ only in their numbers have in common
 *
 * Two instructions are of one *form* if their bytes before a displacement or an immediate are equal but for registers:
 * `mov rax, [rsp+8]` and `mov rcx, [rbx+24]`. These first bytes are the form's *head*. They decide all else that Zydis
 * says. An image has millions of instructions and a few thousand forms, so Zydis is asked once per form; then registers
 * and numbers are filled in.
 *
 *	code_form.c	 bytes -> form, by Zydis
 *	code_correct.c	 what a form writes that Zydis does not say
 *	code_identity.c	 forms that leave their operand as it was, perhaps with certain immediates only
 *	code_flags.c	 what a form makes of the flags
 *	code_head.c	 bytes -> the key that a form is looked up by
 *	code_decode.c	 key -> known form; form and bytes -> struct code
 */
#ifndef STACKPROOF_CODE_FORM_H
#define STACKPROOF_CODE_FORM_H

#include <Zydis/Zydis.h>
#include "code.h"

/* What the effect takes the immediate for. */
enum immediate_use {
	IMMEDIATE_UNUSED,
	IMMEDIATE_TARGET,   /* from the instruction's end */
	IMMEDIATE_RETURNED, /* returned_bytes */
	IMMEDIATE_CONSTANT, /* the constant */
	IMMEDIATE_NEGATED,  /* the constant is -immediate */
	IMMEDIATE_LOW_HALF, /* the constant is its low 32 bits */
	IMMEDIATE_ENTER,    /* the constant is made of both immediates */
};

/* Where a number stands in the instruction, in bytes. bytes 0: there is none. */
struct code_field {
	uint8_t offset, bytes;
	bool is_signed;
};

/* Which immediates make the instruction an identity: those whose lowest `bits` bits, modulo `modulo`, are value.
 * bits 0: none. modulo 0: without a modulo. copies: these immediates make it a copy to reg instead, of source or, if
 * that is CODE_NO_REGISTER, of memory. */
struct code_neutral {
	uint8_t bits, modulo;
	int8_t value;
	bool copies;
	uint8_t reg, source;
};

/* What is filled in from the instruction's own bytes. */
struct code_numbers {
	bool relative; /* the displacement counts from the instruction's end */
	enum immediate_use use : 8;
	struct code_field displacement, immediate;
	struct code_neutral neutral;
};

struct code_form {
	struct code code; /* at pc 0, without its numbers */
	uint8_t head; /* bytes of the head; 0: all bytes decide, so the form holds for no other instruction */
	bool displaced; /* the memory operand has a displacement */
	bool by_modrm;	/* the memory operand is the one that ModRM says */
	struct code_numbers numbers;
};

struct code_decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

/* The DWARF number of each general register, by its number in instructions (Intel SDM, volume 2, table 2-2, and
 * 2.2.1). */
extern const uint8_t code_dwarf_number[REGISTER_GPR_COUNT];

/* False: it can't be decoded. */
bool code_form_decode(const ZydisDecoder *zydis, const uint8_t *bytes, size_t size,
		      struct code_decoded *ret);
/* The general register that part is of; CODE_NO_REGISTER for others. */
uint8_t code_register_number(ZydisRegister part);
/* al, not ah. */
bool code_is_low_byte(const ZydisDecodedOperand *operand);
/* Makes the form of what Zydis decoded. */
void code_form_make(const struct code_decoded *decoded, struct code_form *ret);

/* ---- code_correct.c ----------------------------------------------------------------------- */

/* Adds what Zydis does not say of the instruction. */
void code_correct(const ZydisDecodedInstruction *instruction, struct code *ret);

/* ---- code_identity.c ---------------------------------------------------------------------- */

/* If the instruction leaves its operands as they were, its effect becomes that. If only some immediates do so, sets
 * neutral. */
void code_identity_take(const struct code_decoded *decoded, struct code_form *ret);
/* Changes code, an instruction of the form with that immediate, if the immediate makes it an identity or a copy. */
void code_identity_apply(const struct code_neutral *neutral, uint64_t immediate, struct code *code);

/* ---- code_flags.c ------------------------------------------------------------------------- */

/* Sets what the instruction makes of the flags. All else of the form must be set. */
void code_flags_take(const struct code_decoded *decoded, struct code_form *ret);

/* ---- code_head.c -------------------------------------------------------------------------- */

/* Where a register is encoded: in ModRM, or in the opcode. */
enum head_operand { HEAD_REG, HEAD_RM, HEAD_OPCODE = HEAD_RM, HEAD_OPERANDS };

/* What a form is looked up by. */
struct code_head {
	uint64_t key[2];  /* the first bytes of the instruction, some bits 0; then zeros */
	uint8_t bytes;	  /* of the key: those of the head less left_out */
	uint8_t left_out; /* bytes of the head that the key leaves out: the SIB */
	/* The key leaves out the memory operand's registers: they are these. */
	bool by_registers;
	uint8_t base, index, scale;
	/* Other registers that the key leaves out, by enum head_operand. CODE_NO_REGISTER: the key has it. That of
	 * HEAD_REG may be a vector register's number. */
	uint8_t operand[HEAD_OPERANDS];
};

/* False: the instruction's layout is not known here. */
bool code_head_find(const uint8_t bytes[CODE_HEAD_READ], struct code_head *ret);

#endif
