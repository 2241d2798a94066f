/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_form.h - what instructions that differ only in their numbers have in common
 *
 * Two instructions are of one *form* if they are equal up to where a displacement or an immediate
 * stands: `mov rax, [rsp+8]` and `mov rax, [rsp+24]`. These first bytes, the form's *head*, decide
 * all that Zydis says but for the two numbers. An image has millions of instructions and a few
 * thousand forms, so each is asked of Zydis once; then its numbers are filled in.
 *
 *	code_form.c	 bytes -> form, by Zydis
 *	code_identity.c	 forms that leave their operand as it was, with some number
 *	code_decode.c	 head -> form that is known already; form and bytes -> struct code
 */
#ifndef STACKPROOF_CODE_FORM_H
#define STACKPROOF_CODE_FORM_H

#include <Zydis/Zydis.h>
#include "code/code.h"

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

/* The immediates that make the instruction an identity: (immediate & mask) % modulo == value. mask 0: there
 * are none. modulo 0: of the whole. */
struct code_neutral {
	uint64_t mask, value;
	uint8_t modulo;
};

struct code_form {
	struct code code; /* at pc 0, its numbers not filled in */
	uint8_t head;	  /* bytes that decide it; 0: all do, and it can't be used again */
	bool displaced;	  /* the memory operand has a displacement */
	bool relative;	  /* to the instruction's end */
	struct code_field displacement, immediate;
	enum immediate_use use;
	struct code_neutral neutral;
};

struct code_decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

/* False: it can't be decoded. */
bool code_form_decode(const ZydisDecoder *zydis, const uint8_t *bytes, size_t size,
		      struct code_decoded *ret);
/* What Zydis said of it, as a form. */
void code_form_make(const struct code_decoded *decoded, struct code_form *ret);

/* ---- code_identity.c ---------------------------------------------------------------------- */

/* Whether the instruction leaves its operands as they were, or does with some immediates: then neutral is
 * set. */
void code_identity_take(const struct code_decoded *decoded, struct code_form *ret);
/* The form's instruction with that immediate. */
void code_identity_apply(const struct code_neutral *neutral, uint64_t immediate, struct code *code);

#endif
