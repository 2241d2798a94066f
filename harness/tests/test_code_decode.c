/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_code_decode.c - instructions as bytes, and what the decoder says of them
 *
 * What is said is one line: where control goes, the effect with its registers and its number, the memory
 * operand ("writes" if it is written), and what else is written or marked.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cfi.h"
#include "code/code.h"

#define PC	0x1000
#define NO_MORE 0x100

static const struct decode_case {
	const char *bytes, *said;
} decode_cases[] = {
	{ "55", "next push rbp [rsp]8 writes" },
	{ "41 57", "next push r15 [rsp]8 writes" },
	{ "6a 05", "next push - [rsp]8 writes" },
	{ "ff 73 e0", "next push - [rbx-32]8" },
	{ "66 50", "next writes [rsp]2 writes +rsp" },
	{ "5b", "next pop rbx" },
	{ "8f 43 08", "next pop - [rbx+8]8 writes" },
	{ "c9", "next leave [rbp]8" },
	{ "c8 10 00 00", "next enter 16 [rsp]8 writes" },
	{ "c8 00 80 03", "next enter 229376 [rsp]8 writes" },
	{ "66 c8 10 00 00", "next writes [rsp]2 writes +rbp+rsp partial" },
	{ "48 89 e5", "next move rbp,rsp" },
	{ "89 e5", "next move32 rbp,rsp" },
	{ "48 8b 5d f8", "next load rbx [rbp-8]8" },
	{ "8b 45 f8", "next less rax [rbp-8]4" },
	{ "48 89 5d f8", "next store rbx [rbp-8]8 writes" },
	{ "89 5d f8", "next writes plain rbx [rbp-8]4 writes" },
	{ "88 5d f8", "next writes plain rbx [rbp-8]1 writes" },
	{ "c7 45 f8 07 00 00 00", "next writes plain - [rbp-8]4 writes" },
	{ "48 c7 c3 ff ff ff ff", "next constant rbx -1" },
	{ "b8 ff ff ff ff", "next constant rax 4294967295" },
	{ "b3 01", "next byte rbx 1" },
	{ "b7 01", "next writes +rbx computed partial" }, /* bh */
	{ "40 b5 38", "next byte rbp 56" },
	{ "48 8d 6c 24 10", "next address rbp [rsp+16]8" },
	{ "48 8d 15 10 00 00 00", "next address rdx [4119]8" },
	{ "48 8d 04 9d 00 00 00 00", "next address rax [rbx*4]8" },
	{ "8d 44 24 10", "next writes [rsp+16]8 +rax computed" },
	{ "48 83 ec 28", "next add rsp -40 flags" },
	{ "48 83 c4 28", "next add rsp 40 flags" },
	{ "48 81 ec 80 00 00 00", "next add rsp -128 flags" },
	{ "48 29 c4", "next subtract rsp,rax flags" },
	{ "48 01 d0", "next addreg rax,rdx flags" },
	{ "01 d0", "next writes +rax computed flags" },
	{ "48 03 45 f8", "next writes [rbp-8]8 +rax flags" },
	{ "48 ff c3", "next add rbx 1 flags" },
	{ "48 ff cb", "next add rbx -1 flags" },
	{ "48 83 e4 e0", "next and rsp -32 flags" },
	{ "83 e0 07", "next and rax 7 flags" },
	{ "31 db", "next constant rbx 0 flags" },
	{ "48 31 db", "next constant rbx 0 flags" },
	/* What leaves its operand as it was. */
	{ "48 83 e3 ff", "next writes flags" },
	{ "48 81 e3 ff ff ff ff", "next writes flags" },
	{ "83 e3 ff", "next and rbx 4294967295 flags" },
	{ "66 83 e3 ff", "next writes flags" },
	{ "80 e3 ff", "next writes flags" },
	{ "80 e3 fe", "next writes +rbx computed partial flags" },
	{ "48 83 cb 00", "next writes flags" },
	{ "48 83 cb 01", "next writes +rbx flags" },
	{ "83 cb 00", "next writes +rbx computed flags" },
	{ "48 83 c3 00", "next writes flags" },
	{ "48 83 eb 00", "next writes flags" },
	{ "48 83 f3 00", "next writes flags" },
	{ "48 83 d3 00", "next writes +rbx flags" }, /* with carry */
	{ "48 6b db 01", "next writes flags" },
	{ "48 6b db 03", "next writes +rbx computed flags" },
	{ "48 6b d8 01", "next writes +rbx computed flags" },
	{ "6b db 01", "next writes +rbx computed flags" },
	{ "48 c1 e3 00", "next writes flags" },
	{ "48 c1 e3 40", "next writes flags" },
	{ "48 c1 e3 20", "next writes +rbx flags" },
	{ "48 d1 e3", "next writes +rbx flags" },
	{ "c1 e3 00", "next writes +rbx computed flags" },
	{ "c0 e3 20", "next writes flags" },
	{ "c0 e3 08", "next writes +rbx computed partial flags" },
	{ "48 c1 c3 40", "next writes flags" },
	{ "c0 c3 08", "next writes flags" },
	{ "66 c1 c3 10", "next writes flags" },
	{ "66 c1 c3 08", "next writes +rbx computed partial flags" },
	{ "c0 d3 09", "next writes flags" },
	{ "c0 d3 08", "next writes +rbx computed partial flags" },
	{ "48 0f a4 db 40", "next writes flags" },
	{ "48 21 db", "next writes flags" },
	{ "48 09 db", "next writes flags" },
	{ "09 db", "next writes +rbx computed flags" },
	{ "48 21 c3", "next writes +rbx flags" },
	{ "88 db", "next writes" },
	{ "88 ff", "next writes" },			  /* bh */
	{ "88 fb", "next writes +rbx computed partial" }, /* bl = bh */
	{ "66 89 db", "next writes" },
	{ "89 db", "next move32 rbx,rbx" },
	{ "48 89 db", "next writes" },
	{ "86 db", "next writes" },
	{ "48 87 db", "next writes" },
	{ "87 db", "next writes +rbx computed" },
	{ "48 0f 44 db", "next writes" },
	{ "0f 44 db", "next writes +rbx" },
	{ "66 83 24 24 ff", "next writes [rsp]2 flags" },
	{ "48 83 2c 24 00", "next writes [rsp]8 flags" },
	{ "48 c1 04 24 40", "next writes [rsp]8 flags" },
	{ "48 c1 04 24 08", "next writes [rsp]8 writes flags" },
	{ "48 0f bc d8", "next writes +rbx flags" }, /* of 0 it leaves rbx */
	/* What is written elsewhere than the operand says. */
	{ "48 0f ab 3c 24", "next writes [rsp]8 writes bit rdi flags" },
	{ "0f b3 3c 24", "next writes [rsp]4 writes bit rdi flags" },
	{ "66 0f bb 3c 24", "next writes [rsp]2 writes bit rdi flags" },
	{ "48 0f ba 2c 24 45", "next writes [rsp]8 writes flags" },
	{ "48 0f ab fb", "next writes +rbx flags" },
	{ "48 0f a3 3c 24", "next writes [rsp]8 flags" },
	{ "fd", "next writes down flags" },
	{ "fc", "next writes up flags" },
	{ "9d", "next pop - up-or-down flags" },
	{ "f2 48 ab", "next writes [rdi]8 writes +rcx+rdi repeated" },
	{ "67 f3 48 ab", "next writes [rdi]8 writes +rcx+rdi foreign repeated" },
	{ "9c", "next push - [rsp]8 writes" },
	{ "66 9d", "next writes [rsp]2 +rsp up-or-down flags" },
	{ "0f a1", "next pop -" }, /* fs */
	{ "d7", "next writes [rbx]1 +rax computed partial" },
	{ "48 85 c0", "next compare rax 0 flags" },
	{ "85 c0", "next compare rax 0 flags" },
	{ "84 c0", "next writes flags" },
	{ "48 85 d8", "next writes flags" },
	{ "48 31 c3", "next writes +rbx flags" },
	{ "48 0b c3", "next writes +rax flags" },
	{ "f0 48 83 0c 24 00", "next writes [rsp]8 flags" },
	{ "f0 48 83 0c 24 01", "next writes [rsp]8 writes flags" },
	{ "48 87 de", "next exchange rsi,rbx" },
	{ "0f b6 c0", "next move32 rax,rax 8" },
	{ "0f b7 07", "next less rax [rdi]2" },
	{ "48 63 04 ba", "next signed rax [rdx+rdi*4]4" },
	{ "48 63 ff", "next widen rdi,rdi" },
	{ "48 98", "next widen rax,rax" },
	{ "48 c7 45 f8 07 00 00 00", "next writes plain - [rbp-8]8 writes" },
	{ "48 8c d8", "next writes +rax" },
	{ "8c d8", "next writes +rax computed" },
	{ "8e d8", "next writes" },
	{ "48 8e d8", "next writes" },
	{ "0f 20 c3", "next writes +rbx" },
	{ "0f 22 c3", "next writes" },
	{ "b4 05", "next writes +rax computed partial" },
	{ "66 b8 05 00", "next writes +rax computed partial" },
	{ "48 a7", "next writes [rsi]8 flags" },
	{ "f3 a6", "next writes [rsi]1 +rcx repeated flags" },
	{ "f2 ae", "next writes [rdi]1 +rcx repeated flags" },
	{ "f9", "next writes flags" },
	{ "f8", "next writes flags" },
	{ "f5", "next writes flags" },
	{ "0f b6 c4", "next writes +rax computed" },
	{ "66 0f b6 c0", "next writes +rax computed partial" },
	{ "0f b7 c3", "next move32 rax,rbx 16" },
	{ "63 c3", "next writes +rax computed" },
	{ "63 03", "next writes [rbx]4 +rax computed" },
	{ "48 63 c3", "next widen rax,rbx" },
	{ "48 09 04 24", "next writes [rsp]8 writes flags" },
	{ "48 21 04 24", "next writes [rsp]8 writes flags" },
	{ "48 83 04 24 00", "next writes [rsp]8 flags" },
	{ "48 83 2c 24 00", "next writes [rsp]8 flags" },
	{ "48 83 04 24 01", "next writes [rsp]8 writes flags" },
	{ "48 83 34 24 00", "next writes [rsp]8 flags" },
	{ "ff c3", "next writes +rbx computed flags" },
	{ "48 ff 04 24", "next writes [rsp]8 writes flags" },
	{ "66 58", "next writes [rsp]2 +rax+rsp partial" },
	{ "66 c9", "next writes [rbp]2 +rbp+rsp computed partial" },
	{ "87 de", "next writes +rbx+rsi computed" },
	{ "48 87 1c 24", "next writes [rsp]8 writes +rbx" },
	{ "48 6b d8 05", "next writes +rbx computed flags" },
	{ "0f 44 d8", "next writes +rbx" },
	{ "f3 48 0f b8 d8", "next writes +rbx computed flags" },
	{ "f3 0f b8 d8", "next writes +rbx computed flags" },
	{ "0f af d8", "next writes +rbx computed flags" },
	{ "48 39 1c 24", "next writes [rsp]8 flags" },
	{ "80 3c 24 07", "next writes [rsp]1 flags" },
	{ "66 81 fb 01 00", "next compare rbx 1 flags" },
	{ "66 39 c3", "next comparereg rbx,rax flags" },
	{ "3c 05", "next compare rax 5 flags" },
	{ "57", "next push rdi [rsp]8 writes" },
	{ "4c 63 c7", "next widen r8,rdi" },
	{ "c8 10 00 01", "next enter 65552 [rsp]8 writes" },
	{ "48 f7 f3", "next writes +rax+rdx flags" },
	{ "99", "next writes +rdx computed" },
	{ "48 99", "next writes +rdx" },
	{ "98", "next writes +rax computed" },
	{ "83 ff 05", "next compare rdi 5 flags" },
	{ "48 39 dc", "next comparereg rsp,rbx flags" },
	{ "83 7d fc 07", "next compare - 7 [rbp-4]4 flags" },
	{ "48 83 7d f8 07", "next writes [rbp-8]8 flags" },
	{ "48 0f 44 d8", "next writes +rbx" },
	{ "0f a2", "next writes +rax+rdx+rcx+rbx computed" },
	{ "48 c1 cb 11", "next writes +rbx flags" },
	{ "48 d3 e3", "next writes +rbx flags" },
	{ "66 48 0f 6e c3", "next writes" },
	{ "66 48 0f 7e c3", "next writes +rbx" },
	{ "62 f1 fe 48 7f 04 24", "next writes [rsp]64 writes" },
	{ "f3 48 ab", "next writes [rdi]8 writes +rcx+rdi repeated" },
	{ "64 48 8b 04 25 28 00 00 00", "next load rax [40]8 foreign" },
	{ "67 48 8b 03", "next load rax [rbx]8 foreign" },
	{ "0f 05", "next writes +rax+rcx+r11 flags system" },
	{ "cd 80", "next writes +rax computed flags system" },
	{ "90", "next writes padding" },
	{ "66 0f 1f 44 00 00", "next writes padding" },
	{ "f3 0f 1e fa", "next writes" },
	{ "cc", "stop writes flags padding" },
	{ "0f 0b", "stop writes" },
	{ "f4", "stop writes" },
	{ "e8 10 00 00 00", "call 0x1015" },
	{ "ff d0", "call-computed" },
	{ "ff 15 10 00 00 00", "call-computed" },
	{ "eb fe", "jump 0x1000" },
	{ "f2 e9 10 00 00 00", "jump 0x1016" },
	{ "ff e0", "jump-computed rax" },
	{ "3e ff e0", "jump-computed rax" },
	{ "ff 24 c5 00 10 40 00", "jump-computed - [rax*8+4198400]8" },
	{ "74 02", "branch 0x1004 equal" },
	{ "75 02", "branch 0x1004 not-equal" },
	{ "77 02", "branch 0x1004 above" },
	{ "73 02", "branch 0x1004 above-equal" },
	{ "72 02", "branch 0x1004 below" },
	{ "76 02", "branch 0x1004 below-equal" },
	{ "7f 02", "branch 0x1004" },
	{ "e3 02", "branch 0x1004" },
	{ "e2 02", "branch 0x1004" },
	{ "c7 f8 10 00 00 00", "begin 0x1016" },
	{ "c3", "return" },
	{ "c2 10 00", "return 16" },
	{ "48 cb", "unknown" },
	{ "48 cf", "unknown" },
	{ "48 ff 2b", "unknown" },
	{ "06", "unknown none" },
	{ "48 8b", "unknown none" },
	{ "", "unknown none" },
};

static const char *name_of(uint8_t reg)
{
	return reg == CODE_NO_REGISTER ? "-" : register_name(reg);
}

static void say_memory(FILE *file, const struct code *code)
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

static void say_effect(FILE *file, const struct code *code)
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
		[EFFECT_ENTER] = "enter",
		[EFFECT_LEAVE] = "leave",
		[EFFECT_EXCHANGE] = "exchange",
		[EFFECT_SIGN_EXTEND] = "widen",
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
	case EFFECT_COMPARE_REGISTER:
		fprintf(file, " %s,%s", name_of(code->reg), name_of(code->source));
		break;
	case EFFECT_PUSH:
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
	fputs(code->writes_flags ? " flags" : "", file);
	fputs(code->system_call ? " system" : "", file);
	fputs(code->is_padding ? " padding" : "", file);
}

static void say(FILE *file, const struct code *code)
{
	static const char *const conditions[] = {
		[CONDITION_OTHER] = "",
		[CONDITION_EQUAL] = " equal",
		[CONDITION_NOT_EQUAL] = " not-equal",
		[CONDITION_ABOVE] = " above",
		[CONDITION_ABOVE_EQUAL] = " above-equal",
		[CONDITION_BELOW] = " below",
		[CONDITION_BELOW_EQUAL] = " below-equal",
	};

	fputs(code_flow_name(code->flow), file);
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
static void check_unused(const struct code *code)
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

static size_t read_bytes(const char *text, uint8_t bytes[CODE_BYTES_MAX])
{
	size_t size = 0;
	char *end;

	for (; *text; text = end)
		bytes[size++] = (uint8_t)strtoul(text, &end, 16);
	return size;
}

static void check_said(const struct code *code, const char *text, const char *expected)
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
static void decode_as(struct code_decoder *decoder, const char *text, const char *expected)
{
	uint8_t bytes[CODE_BYTES_MAX] = { 0 };
	size_t size = read_bytes(text, bytes);
	struct code code;

	code_decode(decoder, PC, bytes, size, &code);
	if (code.length)
		ck_assert_uint_eq(code.length, size);
	check_unused(&code);
	check_said(&code, text, expected);
}

START_TEST(an_instruction_has_an_effect)
{
	const struct decode_case *test = &decode_cases[_i];
	struct code_decoder *decoder = code_decoder_create();

	ck_assert_ptr_nonnull(decoder);
	decode_as(decoder, test->bytes, test->said);
	decode_as(decoder, test->bytes, test->said); /* its form is known by now */
	code_decoder_destroy(decoder);
}
END_TEST

/* Of one form: what is said of the second is made of what was said of the first. */
static const struct form_case {
	const char *rule, *first, *second, *said;
} form_cases[] = {
	{ "a displacement of 1 byte has a sign", "48 8b 45 08", "48 8b 45 f8",
	  "next load rax [rbp-8]8" },
	{ "a displacement of 4 bytes has one", "48 8b 85 00 01 00 00", "48 8b 85 00 ff ff ff",
	  "next load rax [rbp-256]8" },
	{ "an address of 8 bytes", "48 a1 00 00 00 00 00 00 00 00", "48 a1 01 02 03 04 05 06 07 08",
	  "next load rax [578437695752307201]8" },
	{ "a distance from the instruction's end", "48 8d 15 10 00 00 00", "48 8d 15 f0 ff ff ff",
	  "next address rdx [4087]8" },
	{ "a target", "e8 10 00 00 00", "e8 fb ff ff ff", "call 0x1000" },
	{ "bytes that a return takes", "c2 10 00", "c2 20 00", "return 32" },
	{ "a constant is extended by its sign", "48 c7 c3 01 00 00 00", "48 c7 c3 ff ff ff ff",
	  "next constant rbx -1" },
	{ "or is not", "b8 01 00 00 00", "b8 fe ff ff ff", "next constant rax 4294967294" },
	{ "one that is subtracted", "48 83 ec 28", "48 83 ec 80", "next add rsp 128 flags" },
	{ "a displacement and a constant", "83 7d fc 07", "83 7d f8 08",
	  "next compare - 8 [rbp-8]4 flags" },
	{ "or with 0 writes nothing", "48 83 0c 24 01", "48 83 0c 24 00",
	  "next writes [rsp]8 flags" },
	{ "or with another number does", "48 83 0c 24 00", "48 83 0c 24 01",
	  "next writes [rsp]8 writes flags" },
	{ "and with -1 writes nothing", "48 83 24 24 00", "48 83 24 24 ff",
	  "next writes [rsp]8 flags" },
	{ "and with another number does", "48 83 24 24 ff", "48 83 24 24 00",
	  "next writes [rsp]8 writes flags" },
	{ "and with -1 writes no register", "48 83 e3 fe", "48 83 e3 ff", "next writes flags" },
	{ "and with another number does", "48 83 e3 ff", "48 83 e3 fe", "next and rbx -2 flags" },
	{ "a count of whole turns", "48 c1 c3 01", "48 c1 c3 c0", "next writes flags" },
	{ "and another one", "48 c1 c3 40", "48 c1 c3 41", "next writes +rbx flags" },
	{ "room, and a level", "c8 10 00 00", "c8 20 00 02", "next enter 131104 [rsp]8 writes" },
	{ "EVEX scales a displacement", "62 f1 fe 48 7f 44 24 01", "62 f1 fe 48 7f 44 24 02",
	  "next writes [rsp+128]64 writes" },
	{ "or with -1 does", "48 83 0c 24 00", "48 83 0c 24 ff",
	  "next writes [rsp]8 writes flags" },
	{ "another register is another form", "55", "53", "next push rbx [rsp]8 writes" },
};

START_TEST(a_known_form_has_numbers_of_its_own)
{
	const struct form_case *test = &form_cases[_i];
	struct code_decoder *decoder = code_decoder_create();
	uint8_t bytes[CODE_BYTES_MAX] = { 0 };
	size_t size = read_bytes(test->first, bytes);
	struct code code;

	code_decode(decoder, 0x2000, bytes, size, &code);
	ck_assert_uint_eq(code.length, size);
	decode_as(decoder, test->second, test->said);
	for (size_t less = 0; less < size; less++) {
		code_decode(decoder, PC, bytes, less, &code);
		ck_assert_msg(code.flow == CODE_UNKNOWN && !code.length, "%s: %zu bytes",
			      test->rule, less);
	}
	code_decoder_destroy(decoder);
}
END_TEST

/* As many heads as there can be: prefixes that mean nothing, in all orders. */
static const struct decode_case rare_cases[] = {
	/* CET (SDM, volume 1, 17). Without shadow stacks rdssp is a no-op. */
	{ "f3 0f 1e fa", "next writes" },
	{ "f3 0f 1e fb", "next writes" },
	{ "f3 48 0f 1e c8", "next writes +rax" },
	{ "f3 48 0f 1e cb", "next writes +rbx" },
	{ "f3 0f 1e cb", "next writes +rbx" },
	{ "f3 48 0f ae e8", "next writes" },
	{ "f3 0f ae ed", "next writes" },
	{ "f3 0f 01 ea", "next writes" },
	{ "f3 0f 01 28", "next writes [rax]8 writes" },
	{ "f3 0f 01 e8", "next writes" },
	{ "48 0f 38 f6 1c 24", "next writes [rsp]8 writes" },
	{ "3e ff e0", "jump-computed rax" },
	{ "3e 41 ff e3", "jump-computed r11" },
	{ "3e ff d0", "call-computed" },
	/* Near branches with an operand-size prefix: Intel and AMD differ, unless there is REX.W. */
	{ "66 e8 10 00 00 00", "unknown" },
	{ "66 e9 10 00 00 00", "unknown" },
	{ "66 eb 10", "unknown" },
	{ "66 74 10", "unknown" },
	{ "66 0f 84 10 00 00 00", "unknown" },
	{ "66 ff d0", "unknown" },
	{ "66 ff 24 25 00 10 00 00", "unknown" },
	{ "66 c3", "unknown" },
	{ "66 c2 08 00", "unknown" },
	{ "66 e2 10", "unknown" },
	{ "66 e3 10", "unknown" },
	{ "66 48 e8 10 00 00 00", "call 0x1017" },
	{ "66 66 48 e8 10 00 00 00", "call 0x1018" },
	{ "66 48 ff 15 10 00 00 00", "call-computed" },
	{ "48 ff e0", "jump-computed rax" },
	{ "66 c7 f8 10 00", "begin 0x1015" },
	/* AVX-512 with FP16, AMX. */
	{ "62 f1 fe 48 7f 04 24", "next writes [rsp]64 writes" },
	{ "62 f1 fe 48 6f 04 24", "next writes [rsp]64" },
	{ "62 f3 fd 48 03 c1 07", "next writes" },
	{ "62 f2 fd 78 a8 e1", "next writes" }, /* {rz-sae}: no byte more */
	{ "62 f5 7c 48 58 c1", "next writes" },
	{ "62 f6 7d 48 98 c1", "next writes" },
	{ "c4 e1 fb 93 d8", "next writes +rbx" },
	{ "c5 fb 92 c3", "next writes" },
	{ "62 f3 fd 08 16 c3 01", "next writes +rbx" },
	{ "62 f2 fd 49 a1 04 0c", "next writes [rsp]8 writes foreign" },
	{ "c4 e2 78 49 04 24", "next writes [rsp]64" },
	{ "c4 e2 7a 4b 04 24", "next writes [rsp]0 writes foreign" },
	{ "c4 e2 78 49 c0", "next writes" },
	{ "c4 e5 7b 58 c1", "unknown none" },
	/* APX: REX2, EVEX map 4, registers from r16 on. */
	{ "d5 08 89 e5", "unknown none" },
	{ "d5 10 50", "unknown none" },
	{ "d5 08 50", "unknown none" },
	{ "d5 80 a2", "unknown none" },
	{ "d5 00 a1 00 10 40 00 00 00 00 00", "unknown none" },
	{ "62 f4 7c 18 ff f0", "unknown none" },
	{ "62 f4 fc 18 8f c3", "unknown none" },
	{ "62 f4 f4 18 01 d8", "unknown none" },
	{ "62 f4 7c 0c 01 d8", "unknown none" },
	{ "62 f4 84 02 39 d8", "unknown none" },
	{ "62 f4 fc 08 58 c3", "unknown none" },
	{ "62 f9 fe 48 7f 04 24", "unknown none" },
	{ "62 f1 fa 48 7f 04 24", "unknown none" },
	/* 3DNow!, XOP, TBM, LWP. */
	{ "0f 0f c1 9e", "next writes" },
	{ "0f 0f 04 24 9e", "next writes [rsp]8" },
	{ "0f 0f c1 00", "unknown none" },
	{ "0f 0e", "next writes" },
	{ "8f e9 60 01 cb", "next writes +rbx computed flags" },
	{ "8f e9 78 12 cb", "next writes +rbx computed" },
	{ "8f ea 78 10 d8 00 00 00 00", "next writes +rbx computed flags" },
	{ "8f c8", "unknown none" },
	/* FRED, UINTR, SGX, SMX, SMM, TDX, SVM: what leaves for somewhere else. */
	{ "f2 0f 01 ca", "unknown none" },
	{ "f3 0f 01 ca", "unknown none" },
	{ "0f 01 ca", "next writes flags" },
	{ "f2 0f 00 f0", "unknown none" },
	{ "f3 0f 01 ec", "unknown" },
	{ "f3 0f 01 ed", "next writes flags" },
	{ "f3 0f c7 f0", "next writes" },
	{ "0f 01 d7", "unknown" },
	{ "0f 01 cf", "unknown" },
	{ "0f 01 c0", "unknown" },
	{ "0f 37", "unknown" },
	{ "0f aa", "unknown" },
	{ "66 0f 01 cd", "unknown" },
	{ "0f 01 de", "unknown" },
	{ "0f 34", "unknown" },
	/* What the other side leaves in registers. */
	{ "0f 01 c1",
	  "next writes +rax+rdx+rcx+rbx+rsi+rdi+rbp+r8+r9+r10+r11+r12+r13+r14+r15 flags" },
	{ "0f 01 d9", "next writes +rax+rdx+rcx+rbx+rsi+rdi+rbp+r8+r9+r10+r11+r12+r13+r14+r15" },
	{ "0f 01 d8", "next writes +rax+rdx+rcx+rbx+rsi+rdi+rbp+r8+r9+r10+r11+r12+r13+r14+r15" },
	{ "66 0f 01 cc", "next writes +rax+rdx+rcx+rbx+rsi+rdi+rbp+r8+r9+r10+r11+r12+r13+r14+r15" },
	{ "66 0f 01 cf",
	  "next writes +rax+rdx+rcx+rbx+rsi+rdi+rbp+r8+r9+r10+r11+r12+r13+r14+r15 flags" },
	/* Others. */
	{ "f3 41 90", "next writes +rax+r8" },
	{ "f3 90", "next writes" },
	{ "f3 42 90", "next writes" },
	{ "6c", "next writes [rdi]1 writes +rdi" },
	{ "f3 6d", "next writes [rdi]4 writes +rcx+rdi repeated" },
	{ "6e", "next writes [rsi]1 +rsi" },
	{ "0f 03 d8", "next writes +rbx flags" },
	{ "0f 02 d8", "next writes +rbx flags" },
	{ "d6", "unknown none" },
	{ "0f ff c0", "stop writes" },
	{ "0f b9 c0", "stop writes" },
	{ "67 0f b9 40 16", "stop writes [rax+22]4 foreign" },
	{ "0f b8 c3", "unknown none" },
	{ "0f a7 c0", "next writes [rdi]1 writes +rax+rdi" },
	{ "f3 0f a7 c8", "next writes [rdi]4 writes +rcx+rsi+rdi repeated" },
	{ "66 0f 38 f8 1c 24", "next writes [rbx]64 writes" },
	{ "f3 0f c7 fb", "next writes +rbx" },
	{ "0f 38 fc 18", "unknown none" },
	{ "c4 e2 71 e0 04 24", "unknown none" },
	{ "c4 e2 7a b1 04 24", "unknown none" },
	{ "c4 e2 73 50 c1", "unknown none" },
	{ "f2 0f 38 f8 c3", "unknown none" },
	{ "c4 e7 7b f8 c3 00 00 00 00", "unknown none" },
	{ "0f 24 c0", "unknown none" },
	{ "f0 90", "unknown none" },
	{ "f0 01 c3", "unknown none" },
	{ "67 48 8d 64 24 f8", "next writes [rsp-8]4 +rsp computed foreign" },
	{ "64 48 8d 64 24 f8", "next address rsp [rsp-8]8" },
	{ "66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", "unknown none" },
};

/* Whatever stands behind it. */
START_TEST(a_rare_instruction_has_its_length)
{
	const struct decode_case *test = &rare_cases[_i];
	struct code_decoder *decoder = code_decoder_create();
	static const char fill[] = { 0x00, (char)0x90, (char)0xff, 0x41 };

	decode_as(decoder, test->bytes, test->said);
	for (size_t i = 0; i < sizeof(fill); i++) {
		uint8_t bytes[2 * CODE_BYTES_MAX + 2];
		struct code code;
		size_t size;

		memset(bytes, fill[i], sizeof(bytes));
		size = read_bytes(test->bytes, bytes);
		code_decode(decoder, PC, bytes, sizeof(bytes), &code);
		if (code.length)
			ck_assert_msg(code.length == size, "%s: %u bytes", test->bytes,
				      code.length);
		else
			ck_assert_int_eq(code.flow, CODE_UNKNOWN);
	}
	code_decoder_destroy(decoder);
}
END_TEST

/* Each among all others, with the same bytes before it and behind it. */
static void decode_among(struct code_decoder *decoder, const struct decode_case *cases,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t bytes[2 * CODE_BYTES_MAX + 1];
		struct code code;
		size_t size;

		memset(bytes, 0x55, sizeof(bytes));
		size = read_bytes(cases[i].bytes, bytes + 1);
		code_decode(decoder, PC, bytes + 1, sizeof(bytes) - 1, &code);
		if (!code.length || strstr(cases[i].said, "none"))
			continue; /* with more bytes behind it, it is another one */
		ck_assert_msg(code.length == size, "%s: %u bytes", cases[i].bytes, code.length);
		check_unused(&code);
		check_said(&code, cases[i].bytes, cases[i].said);
	}
}

START_TEST(known_forms_are_told_apart)
{
	struct code_decoder *decoder = code_decoder_create();

	for (int times = 0; times < 3; times++) {
		decode_among(decoder, decode_cases, sizeof(decode_cases) / sizeof(decode_cases[0]));
		decode_among(decoder, rare_cases, sizeof(rare_cases) / sizeof(rare_cases[0]));
	}
	code_decoder_destroy(decoder);
	code_decoder_destroy(NULL);
}
END_TEST

/* Their DWARF numbers, in the order in which instructions count registers. */
static const uint8_t numbers[] = {
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

/* push, by the last byte. */
static void decode_push(struct code_decoder *decoder, const uint8_t *bytes, size_t size)
{
	struct code code;

	code_decode(decoder, PC, bytes, size, &code);
	ck_assert_uint_eq(code.length, size);
	ck_assert_int_eq(code.effect, EFFECT_PUSH);
	ck_assert_uint_eq(code.source, numbers[bytes[size - 1] & 7]);
}

/* Heads that share few bytes: more nodes than there can be. */
START_TEST(forms_beyond_the_limit_are_decoded)
{
	static const uint8_t prefix[] = { 0x2e, 0x36, 0x26, 0x3e };
	struct code_decoder *decoder = code_decoder_create();

	for (uint32_t order = 0; order < 2u << 16; order++) {
		uint8_t bytes[9];

		for (int i = 0; i < 8; i++)
			bytes[i] = prefix[order >> 2 * i & 3];
		bytes[8] = (uint8_t)(0x50 + (order >> 8 ^ order) % 8);
		decode_push(decoder, bytes, sizeof(bytes));
		decode_push(decoder, bytes + 8, 1);
	}
	code_decoder_destroy(decoder);
}
END_TEST

/* Heads that differ in the last bytes only: more forms. */
START_TEST(more_forms_than_can_be_known_are_decoded)
{
	static const uint8_t prefix[] = { 0x2e, 0x36, 0x26, 0x3e };
	struct code_decoder *decoder = code_decoder_create();

	for (int times = 0; times < 2; times++)
		for (uint32_t number = 0; number < 4u << 14; number++) {
			/* prefix, REX, mov of two registers */
			const uint8_t bytes[] = { prefix[number >> 14],
						  (uint8_t)(0x48 | (number >> 11 & 7)),
						  number >> 10 & 1 ? 0x89 : 0x8b,
						  (uint8_t)(0xc0 | (number & 0x3f)) };
			uint8_t rm = (uint8_t)((number & 7) | (bytes[1] & 1) << 3);
			uint8_t reg = (uint8_t)((number >> 3 & 7) | (bytes[1] & 4) << 1);
			struct code code;

			code_decode(decoder, PC, bytes, sizeof(bytes), &code);
			ck_assert_uint_eq(code.length, sizeof(bytes));
			ck_assert_int_eq(code.effect, rm == reg ? EFFECT_WRITES : EFFECT_MOVE);
			if (rm == reg)
				continue;
			ck_assert_uint_eq(code.reg, numbers[bytes[2] == 0x89 ? rm : reg]);
			ck_assert_uint_eq(code.source, numbers[bytes[2] == 0x89 ? reg : rm]);
		}
	code_decoder_destroy(decoder);
}
END_TEST

static const struct unknown_case {
	const char *rule, *bytes;
	int field[8]; /* from PC; sorted, and ended by NO_MORE */
	const char *said;
} unknown_cases[] = {
	{ "none in it", "e8 10 00 00 00", { -40, -4, -1, 5, 6, NO_MORE, 1 }, "call 0x1015" },
	{ "all before it", "e8 10 00 00 00", { -40, -4, NO_MORE, 1 }, "call 0x1015" },
	{ "a call's target", "e8 10 00 00 00", { 1, NO_MORE }, "call-computed" },
	{ "one between others", "e8 10 00 00 00", { -40, 1, 30, NO_MORE }, "call-computed" },
	{ "one of many", "e8 10 00 00 00", { -40, -4, -3, 1, 9, 30, NO_MORE }, "call-computed" },
	{ "the last of many",
	  "e8 10 00 00 00",
	  { -40, -9, -8, -4, -3, 1, NO_MORE },
	  "call-computed" },
	{ "the first of many",
	  "e8 10 00 00 00",
	  { 1, 9, 20, 30, 31, 32, NO_MORE },
	  "call-computed" },
	{ "a jump's", "e9 10 00 00 00", { 1, NO_MORE }, "jump-computed -" },
	{ "a branch's", "0f 84 10 00 00 00", { 2, NO_MORE }, "unknown" },
	{ "a transaction's", "c7 f8 10 00 00 00", { 2, NO_MORE }, "unknown" },
	{ "an address without registers",
	  "48 8d 15 10 00 00 00",
	  { 3, NO_MORE },
	  "next writes [4119]8 +rdx computed foreign" },
	{ "one with a base",
	  "48 8d 93 10 00 00 00",
	  { 3, NO_MORE },
	  "next writes [rbx+16]8 +rdx foreign" },
	{ "one with an index",
	  "48 8d 04 9d 00 00 00 00",
	  { 4, NO_MORE },
	  "next writes [rbx*4]8 +rax foreign" },
	{ "what is read there",
	  "48 8b 05 10 00 00 00",
	  { 3, NO_MORE },
	  "next load rax [4119]8 foreign" },
	{ "half of it", "8b 05 10 00 00 00", { 2, NO_MORE }, "next less rax [4118]4 foreign" },
	{ "half of it, with its sign",
	  "48 63 05 10 00 00 00",
	  { 3, NO_MORE },
	  "next signed rax [4119]4 foreign" },
	{ "what is read by a base",
	  "48 8b 83 10 00 00 00",
	  { 3, NO_MORE },
	  "next writes [rbx+16]8 +rax foreign" },
	{ "half of it by an index",
	  "8b 04 9d 10 00 00 00",
	  { 3, NO_MORE },
	  "next writes [rbx*4+16]4 +rax foreign" },
	{ "with its sign by both",
	  "48 63 84 8b 10 00 00 00",
	  { 4, NO_MORE },
	  "next writes [rbx+rcx*4+16]4 +rax foreign" },
	{ "a number", "b8 01 00 00 00", { 1, NO_MORE }, "next writes +rax computed" },
	{ "the first byte", "b8 01 00 00 00", { 0, NO_MORE }, "next writes +rax computed" },
	{ "a byte of it", "b3 01", { 1, NO_MORE }, "next writes +rbx partial" },
	{ "what is added", "48 81 c4 10 00 00 00", { 3, NO_MORE }, "next writes +rsp flags" },
	{ "what is compared", "81 fb 10 00 00 00", { 2, NO_MORE }, "next writes flags" },
	{ "what is pushed", "68 10 00 00 00", { 1, NO_MORE }, "next push - [rsp]8 writes" },
	{ "where it is", "ff 35 10 00 00 00", { 2, NO_MORE }, "next push - [4118]8 foreign" },
	{ "where a pop goes",
	  "8f 05 10 00 00 00",
	  { 2, NO_MORE },
	  "next pop - [4118]8 writes foreign" },
	{ "where a store goes",
	  "48 89 05 10 00 00 00",
	  { 3, NO_MORE },
	  "next store rax [4119]8 writes foreign" },
	{ "what is stored",
	  "48 c7 44 24 08 10 00 00 00",
	  { 5, NO_MORE },
	  "next writes plain - [rsp+8]8 writes" },
	{ "where it goes",
	  "48 c7 84 24 10 00 00 00 10 00 00 00",
	  { 4, NO_MORE },
	  "next writes plain - [rsp+16]8 writes foreign" },
	{ "both",
	  "48 c7 84 24 10 00 00 00 10 00 00 00",
	  { 4, 8, NO_MORE },
	  "next writes plain - [rsp+16]8 writes foreign" },
	{ "an index of a jump",
	  "ff 24 c5 00 10 40 00",
	  { 3, NO_MORE },
	  "jump-computed - [rax*8+4198400]8 foreign" },
};

START_TEST(a_field_may_be_unknown)
{
	const struct unknown_case *test = &unknown_cases[_i];
	struct code_decoder *decoder = code_decoder_create();
	uint64_t field[8];
	size_t count = 0;

	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		field[i] = PC + (uint64_t)(int64_t)test->field[i];
	while (test->field[count] != NO_MORE)
		count++;
	field[count] = field[count + 1]; /* it is not to be looked at */
	code_decoder_leave_unknown(decoder, field, count);
	for (int times = 0; times < 2; times++) {
		uint8_t bytes[CODE_BYTES_MAX] = { 0 };
		struct code code, moved;

		code_decode(decoder, PC, bytes, read_bytes(test->bytes, bytes), &code);
		check_said(&code, test->bytes, test->said);
		for (size_t i = 0; i < count; i++)
			field[i] += 5;
		code_decode(decoder, PC + 5, bytes, read_bytes(test->bytes, bytes), &moved);
		ck_assert_int_eq(moved.flow, code.flow);
		ck_assert_int_eq(moved.effect, code.effect);
		ck_assert_int_eq(moved.foreign_segment, code.foreign_segment);
		for (size_t i = 0; i < count; i++)
			field[i] -= 5;
	}
	code_decoder_destroy(decoder);
}
END_TEST

START_TEST(an_instruction_has_a_text)
{
	static const struct decode_case texts[] = {
		{ "48 89 e5", "mov rbp, rsp" },
		{ "e8 c8 9b 0a 00", "call 0xaabcd" },
		{ "48 8b 44 24 1c", "mov rax, [rsp+0x1c]" },
		{ "06", "" },
	};
	struct code_decoder *decoder = code_decoder_create();
	uint8_t bytes[CODE_BYTES_MAX] = { 0 };
	char text[64];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t size = read_bytes(texts[i].bytes, bytes);

		code_print(decoder, PC, bytes, size, text, sizeof(text));
		ck_assert_str_eq(text, texts[i].said);
	}
	code_decoder_destroy(decoder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_decode");
	TCase *tcase = tcase_create("instructions");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tcase, an_instruction_has_an_effect, 0,
			    (int)(sizeof(decode_cases) / sizeof(decode_cases[0])));
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, a_known_form_has_numbers_of_its_own, 0,
			    sizeof(form_cases) / sizeof(form_cases[0]));
	tcase_add_loop_test(tcase, a_rare_instruction_has_its_length, 0,
			    sizeof(rare_cases) / sizeof(rare_cases[0]));
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, known_forms_are_told_apart);
	tcase_add_test(tcase, forms_beyond_the_limit_are_decoded);
	tcase_add_test(tcase, more_forms_than_can_be_known_are_decoded);
	tcase_add_loop_test(tcase, a_field_may_be_unknown, 0,
			    sizeof(unknown_cases) / sizeof(unknown_cases[0]));
	tcase_add_test(tcase, an_instruction_has_a_text);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
