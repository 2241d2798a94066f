/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_code_head.c - what is remembered of a form, held against Zydis for every opcode
 *
 * A case is a prefix and an opcode map. For each opcode with each ModRM byte, and with SIB bytes of
 * all kinds, a decoder that remembers forms must say what one says that has met nothing before. The
 * order is such that each form is met first with other registers and other numbers, and then once more with
 * other numbers. And each general register that Zydis says is written is one of which the effect tells.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "analysis/code/code_form.h"

#define PC 0x1000

static const struct head_case {
	const char *rule;
	uint8_t bytes[5];
	size_t count;
} head_cases[] = {
	{ "no prefix", "", 0 },
	{ "REX", "\x40", 1 },
	{ "REX.B", "\x41", 1 },
	{ "REX.X", "\x42", 1 },
	{ "REX.RXB", "\x47", 1 },
	{ "REX.W", "\x48", 1 },
	{ "REX.WB", "\x49", 1 },
	{ "REX.WRX", "\x4e", 1 },
	{ "16 bits", "\x66", 1 },
	{ "16 bits, REX.XB", "\x66\x43", 2 },
	{ "16 bits, REX.W", "\x66\x48", 2 },
	{ "an address of 32 bits", "\x67", 1 },
	{ "fs", "\x64", 1 },
	{ "rep, REX.B", "\xf3\x41", 2 },
	{ "lock", "\xf0", 1 },
	{ "0f", "\x0f", 1 },
	{ "0f, REX.XB", "\x43\x0f", 2 },
	{ "0f, REX.WRB", "\x4d\x0f", 2 },
	{ "0f, 66", "\x66\x0f", 2 },
	{ "0f, 66, REX.B", "\x66\x41\x0f", 3 },
	{ "0f, f2", "\xf2\x0f", 2 },
	{ "0f, f3", "\xf3\x0f", 2 },
	{ "0f, f3, REX.WX", "\xf3\x4a\x0f", 3 },
	{ "0f 38", "\x0f\x38", 2 },
	{ "0f 38, f2, REX.W", "\xf2\x48\x0f\x38", 4 },
	{ "0f 38, 66", "\x66\x0f\x38", 3 },
	{ "0f 3a, 66, REX.B", "\x66\x41\x0f\x3a", 4 },
	{ "VEX of two bytes", "\xc5\xf8", 2 },
	{ "VEX of two bytes, 66", "\xc5\xfd", 2 },
	{ "VEX, 0f 38", "\xc4\xe2\x79", 3 },
	{ "VEX, 0f 38, other registers", "\xc4\x82\x79", 3 },
	{ "VEX, 0f 3a", "\xc4\xe3\xfd", 3 },
};

/* Bases and indices of each kind: rsp, rbp, none, others, and each scale. */
static const uint8_t sib_bytes[] = { 0x24, 0x65, 0xa5, 0x00, 0x4c, 0x9b, 0xe2, 0x3d };

static void assert_same(const struct head_case *test, const uint8_t *bytes, const struct code *a,
			const struct code *b)
{
	bool same = a->pc == b->pc && a->target == b->target && a->constant == b->constant &&
		    a->displacement == b->displacement && a->written == b->written &&
		    a->memory_bytes == b->memory_bytes && a->returned_bytes == b->returned_bytes &&
		    a->length == b->length && a->flow == b->flow && a->effect == b->effect &&
		    a->condition == b->condition && a->direction == b->direction &&
		    a->partial == b->partial && a->bit_index == b->bit_index && a->reg == b->reg &&
		    a->source == b->source && a->bits == b->bits && a->flags == b->flags &&
		    a->width == b->width && a->long_constant == b->long_constant &&
		    a->base == b->base && a->index == b->index && a->scale == b->scale &&
		    a->has_memory == b->has_memory && a->writes_memory == b->writes_memory &&
		    a->computed == b->computed && a->plain_store == b->plain_store &&
		    a->foreign_segment == b->foreign_segment && a->repeated == b->repeated &&
		    a->masked == b->masked && a->lowers == b->lowers &&
		    a->writes_flags == b->writes_flags && a->system_call == b->system_call &&
		    a->is_padding == b->is_padding && a->interrupt_return == b->interrupt_return;

	ck_assert_msg(same, "%s: %02x %02x %02x %02x %02x %02x: length %u and %u", test->rule,
		      bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], a->length,
		      b->length);
}

/* Registers of which the effect says what becomes of them. Behind CODE_STOP and CODE_UNKNOWN no way goes on; a
 * call puts rsp back, a return leaves. */
static uint32_t told(const struct code *code)
{
	uint32_t rsp = 1u << REGISTER_RSP, rbp = 1u << REGISTER_RBP;
	uint32_t reg = code->reg == CODE_NO_REGISTER ? 0 : 1u << code->reg;

	switch (code->flow) {
	case CODE_STOP:
	case CODE_UNKNOWN: return UINT32_MAX;
	case CODE_CALL:
	case CODE_CALL_INDIRECT:
	case CODE_RETURN: return code->written | rsp;
	default: break;
	}
	switch (code->effect) {
	case EFFECT_WRITES: return code->written;
	case EFFECT_PUSH:
	case EFFECT_POP:
	case EFFECT_PUSH_16:
	case EFFECT_POP_16: return reg | rsp;
	case EFFECT_ENTER:
	case EFFECT_LEAVE: return rsp | rbp;
	case EFFECT_EXCHANGE: return reg | 1u << code->source;
	case EFFECT_STORE:
	case EFFECT_COMPARE:
	case EFFECT_COMPARE_REGISTER: return 0;
	default: return reg;
	}
}

/* What leaves its operand as it was: test_code_decode.c has each kind. */
static bool may_be_identity(const ZydisDecodedInstruction *instruction, const struct code *code)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST: return false;
	default:
		return code->effect == EFFECT_WRITES && !code->written &&
		       instruction->operand_count_visible >= 2;
	}
}

static void check_written(const struct head_case *test, const uint8_t *bytes,
			  const struct code *code)
{
	struct code_decoded decoded;
	uint32_t written = 0;
	ZydisDecoder zydis;

	ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!code_form_decode(&zydis, bytes, CODE_BYTES_MAX, &decoded))
		return;
	for (unsigned int i = 0; i < decoded.instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded.operand[i];
		uint8_t number = operand->type == ZYDIS_OPERAND_TYPE_REGISTER
					 ? code_register_number(operand->reg.value)
					 : CODE_NO_REGISTER;

		if (number != CODE_NO_REGISTER &&
		    operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			written |= 1u << number;
	}
	ck_assert_msg(!(written & ~told(code)) || may_be_identity(&decoded.instruction, code),
		      "%s: %02x %02x %02x %02x %02x %02x (%s): %x of %x", test->rule, bytes[0],
		      bytes[1], bytes[2], bytes[3], bytes[4], bytes[5],
		      ZydisMnemonicGetString(decoded.instruction.mnemonic), told(code), written);
}

static void check_bytes(const struct head_case *test, struct code_decoder *decoder,
			const uint8_t bytes[CODE_BYTES_MAX])
{
	struct code_decoder *fresh = code_decoder_create();
	struct code remembered, met_first;

	ck_assert_ptr_nonnull(fresh);
	code_decode(decoder, PC, bytes, CODE_BYTES_MAX, &remembered);
	code_decode(fresh, PC, bytes, CODE_BYTES_MAX, &met_first);
	code_decoder_destroy(fresh);
	assert_same(test, bytes, &remembered, &met_first);
	check_written(test, bytes, &remembered);
}

static void meet_bytes(const struct head_case *test, struct code_decoder *decoder,
		       const uint8_t bytes[CODE_BYTES_MAX])
{
	struct code code;

	code_decode(decoder, PC, bytes, CODE_BYTES_MAX, &code);
}

typedef void (*bytes_fn)(const struct head_case *test, struct code_decoder *decoder,
			 const uint8_t bytes[CODE_BYTES_MAX]);

static void with_modrm(const struct head_case *test, struct code_decoder *decoder,
		       uint8_t bytes[CODE_BYTES_MAX], size_t modrm, bytes_fn fn)
{
	bool has_sib = bytes[modrm] < 0xc0 && (bytes[modrm] & 7) == 4;

	for (size_t i = 0; i < 2 * (has_sib ? sizeof(sib_bytes) : 1); i++) {
		/* 7 is no divisor of what is counted over: numbers differ in each form. */
		for (size_t at = modrm + 1; at < CODE_BYTES_MAX; at++)
			bytes[at] = (uint8_t)(7 * at + 31 * i + bytes[modrm] + 0x70);
		if (has_sib)
			bytes[modrm + 1] = sib_bytes[i / 2];
		fn(test, decoder, bytes);
	}
}

static void go_over(const struct head_case *test, struct code_decoder *decoder, bytes_fn fn)
{
	uint8_t bytes[CODE_BYTES_MAX] = { 0 };

	memcpy(bytes, test->bytes, test->count);
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		bytes[test->count] = (uint8_t)opcode;
		for (unsigned int modrm = 0; modrm < 256; modrm++) {
			bytes[test->count + 1] = (uint8_t)modrm;
			with_modrm(test, decoder, bytes, test->count + 1, fn);
		}
	}
}

START_TEST(a_form_is_remembered_as_zydis_says)
{
	const struct head_case *test = &head_cases[_i];
	struct code_decoder *decoder = code_decoder_create();

	ck_assert_ptr_nonnull(decoder);
	if (_i)
		go_over(&head_cases[_i - 1], decoder, meet_bytes);
	go_over(test, decoder, check_bytes);
	code_decoder_destroy(decoder);
}
END_TEST

SUITE(code_head, TIMEOUT(300), LOOP(a_form_is_remembered_as_zydis_says, head_cases))
