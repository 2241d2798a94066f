/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_code_forms.c - instructions whose form is known already, and fields whose value is not known
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "code_fixture.h"

#define NO_MORE 0x100

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
	{ "another register", "55", "53", "next push rbx [rsp]8 writes" },
	{ "one of the other eight", "41 5c", "41 5f", "next pop r15" },
	{ "rsp, which push moves, is another form", "55", "54", "next push rsp [rsp]8 writes" },
	{ "other registers", "48 89 d8", "48 89 ca", "next move rdx,rcx" },
	{ "a register twice is another form", "31 d8", "31 c0", "next constant rax 0 flags" },
	{ "and two are another one than one twice", "31 c0", "31 d8",
	  "next writes +rax computed flags" },
	{ "a register tested by itself, and by another", "48 85 c0", "48 85 d0",
	  "next writes flags" },
	{ "a register beside memory", "48 8b 45 08", "48 8b 5d f8", "next load rbx [rbp-8]8" },
	{ "a register of 8 bits is another form", "88 45 08", "88 65 f8",
	  "next writes plain rax [rbp-8]1 writes" },
};

START_TEST(a_known_form_has_numbers_of_its_own)
{
	const struct form_case *test = &form_cases[_i];
	struct code_decoder *decoder = code_decoder_create();
	uint8_t bytes[BYTES_MAX] = { 0 };
	size_t size = read_bytes(test->first, bytes);
	struct code code;

	code_decode(decoder, 0x2000, bytes, size, &code);
	ck_assert_uint_eq(code.length, size);
	for (int times = 0; times < 3; times++) {
		code_decode(decoder, PC, bytes, size, &code);
		decode_as(decoder, test->second, test->said);
	}
	for (size_t less = 0; less < size; less++) {
		code_decode(decoder, PC, bytes, less, &code);
		ck_assert_msg(code.flow == CODE_UNKNOWN && !code.length, "%s: %zu bytes",
			      test->rule, less);
	}
	code_decoder_destroy(decoder);
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

#define FIELDS(...) .field = { __VA_ARGS__ }

static const struct unknown_case {
	const char *rule, *bytes;
	int field[8]; /* from PC; sorted, and ended by NO_MORE */
	const char *said;
} unknown_cases[] = {
	{ "none in it", "e8 10 00 00 00", FIELDS(-40, -4, -1, 5, 6, NO_MORE, 1), "call 0x1015" },
	{ "all before it", "e8 10 00 00 00", FIELDS(-40, -4, NO_MORE, 1), "call 0x1015" },
	{ "a call's target", "e8 10 00 00 00", FIELDS(1, NO_MORE), "call-computed" },
	{ "one between others", "e8 10 00 00 00", FIELDS(-40, 1, 30, NO_MORE), "call-computed" },
	{ "one of many", "e8 10 00 00 00", FIELDS(-40, -4, -3, 1, 9, 30, NO_MORE),
	  "call-computed" },
	{ "the last of many", "e8 10 00 00 00", FIELDS(-40, -9, -8, -4, -3, 1, NO_MORE),
	  "call-computed" },
	{ "the first of many", "e8 10 00 00 00", FIELDS(1, 9, 20, 30, 31, 32, NO_MORE),
	  "call-computed" },
	{ "a jump's", "e9 10 00 00 00", FIELDS(1, NO_MORE), "jump-computed -" },
	{ "a branch's", "0f 84 10 00 00 00", FIELDS(2, NO_MORE), "unknown" },
	{ "a transaction's", "c7 f8 10 00 00 00", FIELDS(2, NO_MORE), "unknown" },
	{ "an address without registers", "48 8d 15 10 00 00 00", FIELDS(3, NO_MORE),
	  "next writes [4119]8 +rdx computed foreign" },
	{ "one with a base", "48 8d 93 10 00 00 00", FIELDS(3, NO_MORE),
	  "next writes [rbx+16]8 +rdx foreign" },
	{ "one with an index", "48 8d 04 9d 00 00 00 00", FIELDS(4, NO_MORE),
	  "next writes [rbx*4]8 +rax foreign" },
	{ "what is read there", "48 8b 05 10 00 00 00", FIELDS(3, NO_MORE),
	  "next load rax [4119]8 foreign" },
	{ "half of it", "8b 05 10 00 00 00", FIELDS(2, NO_MORE), "next less rax [4118]4 foreign" },
	{ "half of it, with its sign", "48 63 05 10 00 00 00", FIELDS(3, NO_MORE),
	  "next signed rax [4119]4 foreign" },
	{ "what is read by a base", "48 8b 83 10 00 00 00", FIELDS(3, NO_MORE),
	  "next writes [rbx+16]8 +rax foreign" },
	{ "half of it by an index", "8b 04 9d 10 00 00 00", FIELDS(3, NO_MORE),
	  "next writes [rbx*4+16]4 +rax foreign" },
	{ "with its sign by both", "48 63 84 8b 10 00 00 00", FIELDS(4, NO_MORE),
	  "next writes [rbx+rcx*4+16]4 +rax foreign" },
	{ "a number", "b8 01 00 00 00", FIELDS(1, NO_MORE), "next writes +rax computed" },
	{ "the first byte", "b8 01 00 00 00", FIELDS(0, NO_MORE), "next writes +rax computed" },
	{ "a byte of it", "b3 01", FIELDS(1, NO_MORE), "next writes +rbx partial" },
	{ "what is added", "48 81 c4 10 00 00 00", FIELDS(3, NO_MORE), "next writes +rsp flags" },
	{ "what is compared", "81 fb 10 00 00 00", FIELDS(2, NO_MORE), "next writes flags" },
	{ "what is pushed", "68 10 00 00 00", FIELDS(1, NO_MORE), "next push - [rsp]8 writes" },
	{ "where it is", "ff 35 10 00 00 00", FIELDS(2, NO_MORE), "next push - [4118]8 foreign" },
	{ "where a pop goes", "8f 05 10 00 00 00", FIELDS(2, NO_MORE),
	  "next pop - [4118]8 writes foreign" },
	{ "where a store goes", "48 89 05 10 00 00 00", FIELDS(3, NO_MORE),
	  "next store rax [4119]8 writes foreign" },
	{ "what is stored", "48 c7 44 24 08 10 00 00 00", FIELDS(5, NO_MORE),
	  "next writes plain - [rsp+8]8 writes" },
	{ "where it goes", "48 c7 84 24 10 00 00 00 10 00 00 00", FIELDS(4, NO_MORE),
	  "next writes plain - [rsp+16]8 writes foreign" },
	{ "both", "48 c7 84 24 10 00 00 00 10 00 00 00", FIELDS(4, 8, NO_MORE),
	  "next writes plain - [rsp+16]8 writes foreign" },
	{ "an index of a jump", "ff 24 c5 00 10 40 00", FIELDS(3, NO_MORE),
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
		uint8_t bytes[BYTES_MAX] = { 0 };
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

SUITE(code_forms, LOOP(a_known_form_has_numbers_of_its_own, form_cases),
      TEST(forms_beyond_the_limit_are_decoded), TEST(more_forms_than_can_be_known_are_decoded),
      LOOP(a_field_may_be_unknown, unknown_cases))
