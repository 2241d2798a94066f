/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_fixture.h - what the decoder says of an instruction, as a line
 *
 * Where control goes, the effect with its registers and its number, the memory operand ("writes" if it
 * is written), and what else is written or marked.
 */
#ifndef STACKPROOF_CODE_FIXTURE_H
#define STACKPROOF_CODE_FIXTURE_H

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cfi/cfi.h"
#include "analysis/code/code.h"

#define PC 0x1000

struct decode_case {
	const char *bytes, *said;
};

static inline const char *name_of(uint8_t reg)
{
	return reg == CODE_NO_REGISTER ? "-" : register_name(reg);
}

static inline void say_memory(FILE *file, const struct code *code)
{
	const char *plus = "";

	fputs(" [", file);
	if (code->base != CODE_NO_REGISTER) {
		fputs(register_name(code->base), file);
		plus = "+";
	}
	if (code->index != CODE_NO_REGISTER) {
		fprintf(file, "%s%s*%u", plus, register_name(code->index), code->scale);
		plus = "+";
	}
	if (!plus[0])
		fprintf(file, "%" PRId64, code->displacement);
	else if (code->displacement)
		fprintf(file, "%+" PRId64, code->displacement);
	fprintf(file, "]%u", code->memory_bytes);
	if (code->writes_memory)
		fputs(" writes", file);
}

static inline void say_effect(FILE *file, const struct code *code)
{
	static const char *const names[] = {
		[EFFECT_WRITES] = "writes",
		[EFFECT_MOVE] = "move",
		[EFFECT_MOVE_32] = "move32",
		[EFFECT_CONSTANT] = "constant",
		[EFFECT_CONSTANT_BYTE] = "byte",
		[EFFECT_ADDRESS] = "address",
		[EFFECT_LOAD] = "load",
		[EFFECT_LOAD_SIGNED] = "signed",
		[EFFECT_LOAD_LESS] = "less",
		[EFFECT_STORE] = "store",
		[EFFECT_ADD] = "add",
		[EFFECT_ADD_REGISTER] = "addreg",
		[EFFECT_SUBTRACT_REGISTER] = "subtract",
		[EFFECT_AND] = "and",
		[EFFECT_PUSH] = "push",
		[EFFECT_POP] = "pop",
		[EFFECT_PUSH_16] = "push16",
		[EFFECT_POP_16] = "pop16",
		[EFFECT_ENTER] = "enter",
		[EFFECT_LEAVE] = "leave",
		[EFFECT_EXCHANGE] = "exchange",
		[EFFECT_SIGN_EXTEND] = "widen",
		[EFFECT_PRODUCT] = "product",
		[EFFECT_COMPARE] = "compare",
		[EFFECT_COMPARE_REGISTER] = "comparereg",
	};

	static const char *const directions[] = { [DIRECTION_KEPT] = "",
						  [DIRECTION_UP] = " up",
						  [DIRECTION_DOWN] = " down",
						  [DIRECTION_UNKNOWN] = " up-or-down" };

	fprintf(file, " %s", names[code->effect]);
	switch (code->effect) {
	case EFFECT_MOVE:
	case EFFECT_MOVE_32:
	case EFFECT_ADD_REGISTER:
	case EFFECT_SUBTRACT_REGISTER:
	case EFFECT_EXCHANGE:
	case EFFECT_SIGN_EXTEND:
	case EFFECT_PRODUCT:
	case EFFECT_COMPARE_REGISTER:
		fprintf(file, " %s,%s", name_of(code->reg), name_of(code->source));
		break;
	case EFFECT_PUSH:
	case EFFECT_PUSH_16:
	case EFFECT_STORE: fprintf(file, " %s", name_of(code->source)); break;
	case EFFECT_WRITES:
		if (code->plain_store)
			fprintf(file, " plain %s", name_of(code->source));
		break;
	case EFFECT_ENTER:
	case EFFECT_LEAVE: break;
	default: fprintf(file, " %s", name_of(code->reg)); break;
	}
	if (code->effect == EFFECT_CONSTANT || code->effect == EFFECT_CONSTANT_BYTE ||
	    code->effect == EFFECT_ADD || code->effect == EFFECT_AND ||
	    code->effect == EFFECT_COMPARE || code->effect == EFFECT_ENTER)
		fprintf(file, " %" PRId64, code->constant);
	if (code->bits)
		fprintf(file, " %u", code->bits);
	if (code->has_memory)
		say_memory(file, code);
	if (code->effect == EFFECT_WRITES && code->written) {
		fputc(' ', file);
		for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
			if (code->written & 1u << i)
				fprintf(file, "+%s", register_name(i));
		if (code->computed)
			fputs(" computed", file);
		fputs(code->partial ? " partial" : "", file);
	}
	if (code->bit_index)
		fprintf(file, " bit %s", name_of(code->source));
	fputs(directions[code->direction], file);
	fputs(code->foreign_segment ? " foreign" : "", file);
	fputs(code->repeated ? " repeated" : "", file);
	fputs(code->masked ? " masked" : "", file);
	fputs(code->writes_flags ? " flags" : "", file);
	fputs(code->system_call ? " system" : "", file);
	fputs(code->is_padding ? " padding" : "", file);
	fputs(code->interrupt_return ? " of an interrupt" : "", file);
}

static inline void say(FILE *file, const struct code *code)
{
	static const char *const conditions[CONDITION_COUNT] = {
		[CONDITION_OTHER] = "",
		[CONDITION_EQUAL] = " equal",
		[CONDITION_NOT_EQUAL] = " not-equal",
		[CONDITION_ABOVE] = " above",
		[CONDITION_ABOVE_EQUAL] = " above-equal",
		[CONDITION_BELOW] = " below",
		[CONDITION_BELOW_EQUAL] = " below-equal",
		[CONDITION_LESS] = " less",
		[CONDITION_LESS_EQUAL] = " less-equal",
		[CONDITION_GREATER_EQUAL] = " greater-equal",
		[CONDITION_GREATER] = " greater",
		[CONDITION_OVERFLOW] = " overflow",
		[CONDITION_NO_OVERFLOW] = " no-overflow",
		[CONDITION_SIGN] = " sign",
		[CONDITION_NO_SIGN] = " no-sign",
		[CONDITION_PARITY] = " parity",
		[CONDITION_NO_PARITY] = " no-parity",
		[CONDITION_RCX_ZERO] = " rcx-zero",
		[CONDITION_ECX_ZERO] = " ecx-zero",
		[CONDITION_LOOP] = " loop",
		[CONDITION_LOOP_EQUAL] = " loop-equal",
		[CONDITION_LOOP_NOT_EQUAL] = " loop-not-equal",
	};

	fputs(code_flow_names[code->flow], file);
	switch (code->flow) {
	case CODE_NEXT:
	case CODE_STOP: say_effect(file, code); break;
	case CODE_CALL:
	case CODE_JUMP:
	case CODE_BRANCH:
	case CODE_BEGIN:
		fprintf(file, " %#" PRIx64 "%s", code->target, conditions[code->condition]);
		break;
	case CODE_JUMP_INDIRECT:
		fprintf(file, " %s", name_of(code->source));
		if (code->has_memory)
			say_memory(file, code);
		fputs(code->foreign_segment ? " foreign" : "", file);
		break;
	case CODE_RETURN:
		if (code->returned_bytes)
			fprintf(file, " %u", code->returned_bytes);
		break;
	case CODE_UNKNOWN: fputs(code->length ? "" : " none", file); break;
	default: break;
	}
}

/* What has no meaning for this instruction is 0. */
static inline void check_unused(const struct code *code)
{
	bool has_target = code->flow == CODE_CALL || code->flow == CODE_JUMP ||
			  code->flow == CODE_BRANCH || code->flow == CODE_BEGIN;

	ck_assert(has_target || !code->target);
	ck_assert(code->flow == CODE_RETURN || !code->returned_bytes);
	switch (code->effect) {
	case EFFECT_CONSTANT:
	case EFFECT_CONSTANT_BYTE:
	case EFFECT_ADD:
	case EFFECT_AND:
	case EFFECT_ENTER:
	case EFFECT_COMPARE:
	case EFFECT_WRITES: break; /* what writes nothing by its number has it, too */
	default: ck_assert_int_eq(code->constant, 0);
	}
}

#define BYTES_MAX (2 * CODE_BYTES_MAX) /* of a text: one is longer than any instruction */

static inline size_t read_bytes(const char *text, uint8_t bytes[BYTES_MAX])
{
	size_t size = 0;
	char *end;

	for (; *text; text = end) {
		ck_assert_uint_lt(size, BYTES_MAX);
		bytes[size++] = (uint8_t)strtoul(text, &end, 16);
	}
	return size;
}

static inline void check_said(const struct code *code, const char *text, const char *expected)
{
	size_t size;
	char *said = NULL;
	FILE *file = open_memstream(&said, &size);

	ck_assert_uint_eq(code->pc, PC);
	say(file, code);
	fclose(file);
	ck_assert_msg(!strcmp(said, expected), "%s: %s\nexpected: %s", text, said, expected);
	free(said);
}

/* What the decoder says of them at PC. */
static inline void decode_as(struct code_decoder *decoder, const char *text, const char *expected)
{
	uint8_t bytes[BYTES_MAX] = { 0 };
	size_t size = read_bytes(text, bytes);
	struct code code;

	code_decode(decoder, PC, bytes, size, &code);
	if (code.length)
		ck_assert_uint_eq(code.length, size);
	check_unused(&code);
	check_said(&code, text, expected);
}

#endif
