/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_code_decode.c - instructions as bytes, and what the decoder says of them
 *
 * What is said is one line: code_fixture.h. A case is all instructions of which the same is said.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "code_fixture.h"

static const struct decode_case decode_cases[] = {
	{ "55, 66 48 55", "next push rbp [rsp]8 writes" },
	{ "41 57", "next push r15 [rsp]8 writes" },
	{ "6a 05", "next push - [rsp]8 writes" },
	{ "ff 73 e0", "next push - [rbx-32]8" },
	{ "66 50", "next push16 rax [rsp]2 writes" },
	{ "66 55", "next push16 rbp [rsp]2 writes" },
	{ "66 41 57", "next push16 r15 [rsp]2 writes" },
	{ "66 6a 05, 66 68 05 00, 66 9c", "next push16 - [rsp]2 writes" },
	{ "66 ff 73 e0", "next push16 - [rbx-32]2" },
	{ "66 0f a0", "next push16 - [rsp]2 writes" }, /* fs */
	{ "66 5b", "next pop16 rbx" },
	{ "66 8f 43 08", "next pop16 - [rbx+8]2 writes" },
	{ "66 0f a1", "next pop16 -" }, /* fs */
	{ "5b", "next pop rbx" },
	{ "8f 43 08", "next pop - [rbx+8]8 writes" },
	{ "c9", "next leave [rbp]8" },
	{ "c8 10 00 00", "next enter 16 [rsp]8 writes" },
	{ "c8 00 80 03", "next enter 229376 [rsp]8 writes" },
	{ "66 c8 10 00 00", "next writes [rsp-64]64 writes +rbp+rsp partial" },
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
	{ "31 db, 48 31 db", "next constant rbx 0 flags" },
	/* What leaves its operand as it was. */
	{ "48 83 e3 ff, 48 81 e3 ff ff ff ff, 66 83 e3 ff, 80 e3 ff, 48 83 cb 00, "
	  "48 83 c3 00, 48 83 eb 00, 48 83 f3 00, 48 6b db 01, 48 c1 e3 00, 48 c1 e3 40, "
	  "c0 e3 20, 48 c1 c3 40, c0 c3 08, 66 c1 c3 10, c0 d3 09, 48 0f a4 db 40, "
	  "48 21 db, 48 09 db",
	  "next writes flags" },
	{ "83 e3 ff", "next and rbx 4294967295 flags" },
	{ "80 e3 fe, c0 e3 08, 66 c1 c3 08, c0 d3 08", "next writes +rbx computed partial flags" },
	{ "48 83 cb 01, 48 c1 e3 20, 48 d1 e3, 48 21 c3", "next writes +rbx flags" },
	{ "83 cb 00, 6b db 01, c1 e3 00, 09 db", "next writes +rbx computed flags" },
	{ "48 83 d3 00", "next writes +rbx flags" }, /* with carry */
	{ "48 6b db 03", "next product rbx,rbx flags" },
	{ "48 6b d8 03", "next product rbx,rax flags" },
	{ "88 db, 66 89 db, 48 89 db, 86 db, 48 87 db, 48 0f 44 db", "next writes" },
	{ "88 ff", "next writes" },			  /* bh */
	{ "88 fb", "next writes +rbx computed partial" }, /* bl = bh */
	{ "89 db", "next move32 rbx,rbx" },
	{ "87 db", "next writes +rbx computed" },
	{ "0f 44 db", "next writes +rbx" },
	{ "66 83 24 24 ff", "next writes [rsp]2 flags" },
	{ "48 83 2c 24 00, 48 c1 04 24 40", "next writes [rsp]8 flags" },
	{ "48 c1 04 24 08", "next writes [rsp]8 writes flags" },
	{ "48 0f bc d8", "next writes +rbx flags" }, /* of 0 it leaves rbx */
	/* What is written elsewhere than the operand says. */
	{ "48 0f ab 3c 24", "next writes [rsp]8 writes bit rdi flags" },
	{ "0f b3 3c 24", "next writes [rsp]4 writes bit rdi flags" },
	{ "66 0f bb 3c 24", "next writes [rsp]2 writes bit rdi flags" },
	{ "48 0f ba 2c 24 45, f0 48 83 0c 24 01, 48 09 04 24, 48 21 04 24, "
	  "48 83 04 24 01, 48 ff 04 24",
	  "next writes [rsp]8 writes flags" },
	{ "48 0f ab fb, 48 31 c3, 48 c1 cb 11, 48 d3 e3", "next writes +rbx flags" },
	{ "48 0f a3 3c 24, f0 48 83 0c 24 00, 48 83 04 24 00, 48 83 2c 24 00, "
	  "48 83 34 24 00, 48 39 1c 24",
	  "next writes [rsp]8 flags" },
	{ "fd", "next writes down flags" },
	{ "fc", "next writes up flags" },
	{ "9d", "next pop - up-or-down flags" },
	{ "f2 48 ab, f3 48 ab", "next writes [rdi]8 writes +rcx+rdi repeated" },
	{ "67 f3 48 ab", "next writes [rdi]8 writes +rcx+rdi foreign repeated" },
	{ "9c", "next push - [rsp]8 writes" },
	{ "66 9d", "next pop16 - up-or-down flags" },
	{ "0f a1", "next pop -" }, /* fs */
	{ "d7", "next writes [rbx]1 +rax computed partial" },
	{ "48 85 c0, 85 c0", "next compare rax 0 flags" },
	{ "84 c0, 48 85 d8, f9, f8, f5, 66 39 c3", "next writes flags" },
	{ "48 0b c3", "next writes +rax flags" },
	{ "48 87 de", "next exchange rsi,rbx" },
	{ "0f b6 c0", "next move32 rax,rax 8" },
	{ "0f b7 07", "next less rax [rdi]2" },
	{ "48 63 04 ba", "next signed rax [rdx+rdi*4]4" },
	{ "48 63 ff", "next widen rdi,rdi" },
	{ "48 98", "next widen rax,rax" },
	{ "48 c7 45 f8 07 00 00 00", "next writes plain - [rbp-8]8 writes" },
	{ "48 8c d8", "next writes +rax" },
	{ "8c d8, 0f b6 c4, 63 c3, 98", "next writes +rax computed" },
	{ "8e d8, 48 8e d8, 0f 22 c3, 66 48 0f 6e c3, f3 0f 1e fa", "next writes" },
	{ "0f 20 c3, 0f 44 d8, 48 0f 44 d8, 66 48 0f 7e c3", "next writes +rbx" },
	{ "b4 05, 66 b8 05 00, 66 0f b6 c0", "next writes +rax computed partial" },
	{ "48 a7", "next writes [rsi]8 +rsi+rdi flags" },
	{ "f3 a6", "next writes [rsi]1 +rcx+rsi+rdi repeated flags" },
	{ "48 af", "next writes [rdi]8 +rdi flags" },
	{ "0f 01 fc", "next writes [rax-63]127 writes" }, /* clzero */
	{ "67 0f 01 fc", "next writes [rax-63]127 writes foreign" },
	{ "0f ae 27", "next writes [rdi]16384 writes" },      /* xsave */
	{ "48 0f ae 37", "next writes [rdi]16384 writes" },   /* xsaveopt64 */
	{ "0f c7 67 08", "next writes [rdi+8]16384 writes" }, /* xsavec */
	{ "48 0f c7 2f", "next writes [rdi]16384 writes" },   /* xsaves64 */
	{ "0f 01 c2",
	  "next writes +rax+rdx+rcx+rbx+rsi+rdi+rbp+r8+r9+r10+r11+r12+r13+r14+r15 flags" },
	{ "48 6b d8 01", "next move rbx,rax flags" },
	{ "48 6b d8 02, 48 6b d8 05", "next product rbx,rax flags" },
	{ "6b d8 01, ff c3, f3 48 0f b8 d8, f3 0f b8 d8, 0f af d8",
	  "next writes +rbx computed flags" },
	{ "48 6b 5c 24 08 01", "next load rbx [rsp+8]8 flags" },
	{ "48 69 5c 24 08 01 01 00 00", "next writes [rsp+8]8 +rbx computed flags" },
	{ "f2 ae", "next writes [rdi]1 +rcx+rdi repeated flags" },
	{ "0f b7 c3", "next move32 rax,rbx 16" },
	{ "63 03", "next writes [rbx]4 +rax computed" },
	{ "48 63 c3", "next widen rax,rbx" },
	{ "66 58", "next pop16 rax" },
	{ "66 c9", "next writes [rbp]2 +rbp+rsp computed partial" },
	{ "87 de", "next writes +rbx+rsi computed" },
	{ "48 87 1c 24", "next writes [rsp]8 writes +rbx" },
	{ "80 3c 24 07", "next writes [rsp]1 flags" },
	{ "66 81 fb 01 00", "next compare rbx 1 flags" },
	{ "3c 05", "next compare rax 5 flags" },
	{ "57", "next push rdi [rsp]8 writes" },
	{ "4c 63 c7", "next widen r8,rdi" },
	{ "c8 10 00 01", "next enter 65552 [rsp]8 writes" },
	{ "48 f7 f3", "next writes +rax+rdx flags" },
	{ "99", "next writes +rdx computed" },
	{ "48 99", "next writes +rdx" },
	{ "83 ff 05", "next compare rdi 5 flags" },
	{ "48 39 dc", "next comparereg rsp,rbx flags" },
	{ "83 7d fc 07", "next compare - 7 [rbp-4]4 flags" },
	{ "48 83 7d f8 07", "next writes [rbp-8]8 flags" },
	{ "0f a2", "next writes +rax+rdx+rcx+rbx computed" },
	{ "62 f1 fe 48 7f 04 24", "next writes [rsp]64 writes" },
	{ "64 48 8b 04 25 28 00 00 00", "next load rax [40]8 foreign" },
	{ "67 48 8b 03", "next load rax [rbx]8 foreign" },
	{ "0f 05", "next writes +rax+rcx+r11 flags system" },
	{ "cd 80", "next writes +rax computed flags system" },
	{ "90, 66 0f 1f 44 00 00", "next writes padding" },
	{ "cc", "stop writes flags padding" },
	{ "0f 0b, f4", "stop writes" },
	{ "e8 10 00 00 00", "call 0x1015" },
	{ "ff d0, ff 15 10 00 00 00", "call-computed" },
	{ "eb fe", "jump 0x1000" },
	{ "f2 e9 10 00 00 00", "jump 0x1016" },
	{ "ff e0, 3e ff e0", "jump-computed rax" },
	{ "ff 24 c5 00 10 40 00", "jump-computed - [rax*8+4198400]8" },
	{ "74 02", "branch 0x1004 equal" },
	{ "75 02", "branch 0x1004 not-equal" },
	{ "77 02", "branch 0x1004 above" },
	{ "73 02", "branch 0x1004 above-equal" },
	{ "72 02", "branch 0x1004 below" },
	{ "76 02", "branch 0x1004 below-equal" },
	{ "7f 02", "branch 0x1004 greater" },
	{ "e3 02", "branch 0x1004 rcx-zero" },
	{ "e2 02", "branch 0x1004 loop" },
	{ "c7 f8 10 00 00 00", "begin 0x1016" },
	{ "c3", "return" },
	{ "c2 10 00", "return 16" },
	{ "48 cb, 48 cf, 48 ff 2b", "unknown" },
	{ "06, 48 8b", "unknown none" },
	{ "", "unknown none" },
};

/* The first of the list, which becomes what is behind it; NULL: nothing is. The caller's. */
static char *next_bytes(const char **list)
{
	const char *end = strchrnul(*list, ',');
	char *ret = strndup(*list, (size_t)(end - *list));

	ck_assert_ptr_nonnull(ret);
	*list = *end ? end + strlen(", ") : NULL;
	return ret;
}

START_TEST(an_instruction_has_an_effect)
{
	const struct decode_case *test = &decode_cases[_i];
	struct code_decoder *decoder = code_decoder_create();

	ck_assert_ptr_nonnull(decoder);
	for (const char *list = test->bytes; list;) {
		char *bytes = next_bytes(&list);

		decode_as(decoder, bytes, test->said);
		decode_as(decoder, bytes, test->said); /* its form is known by now */
		free(bytes);
	}
	code_decoder_destroy(decoder);
}
END_TEST

static const struct decode_case rare_cases[] = {
	/* CET (SDM, volume 1, 17). Without shadow stacks rdssp is a no-op. */
	{ "f3 0f 1e fa, f3 0f 1e fb, f3 48 0f ae e8, f3 0f ae ed, f3 0f 01 ea, "
	  "f3 0f 01 e8",
	  "next writes" },
	{ "f3 48 0f 1e c8", "next writes +rax" },
	{ "f3 48 0f 1e cb, f3 0f 1e cb", "next writes +rbx" },
	{ "f3 0f 01 28", "next writes [rax]8 writes" },
	{ "48 0f 38 f6 1c 24", "next writes [rsp]8 writes" },
	{ "3e ff e0", "jump-computed rax" },
	{ "3e 41 ff e3", "jump-computed r11" },
	{ "3e ff d0", "call-computed" },
	/* Near branches with an operand-size prefix: Intel and AMD differ, unless there is REX.W. */
	{ "66 e8 10 00 00 00, 66 e9 10 00 00 00, 66 eb 10, 66 74 10, "
	  "66 0f 84 10 00 00 00, 66 ff d0, 66 ff 24 25 00 10 00 00, 66 c3, 66 c2 08 00, "
	  "66 e2 10, 66 e3 10",
	  "unknown" },
	{ "66 48 e8 10 00 00 00", "call 0x1017" },
	/* Its ModRM byte would be the sixteenth. */
	{ "66 66 66 66 66 66 66 66 66 66 66 66 48 0f af", "unknown none" },
	{ "66 66 48 e8 10 00 00 00", "call 0x1018" },
	{ "66 48 ff 15 10 00 00 00", "call-computed" },
	{ "48 ff e0", "jump-computed rax" },
	{ "66 c7 f8 10 00", "begin 0x1015" },
	/* AVX-512 with FP16, AMX. */
	{ "62 f1 fe 48 7f 04 24", "next writes [rsp]64 writes" },
	{ "62 f1 fe 48 6f 04 24", "next writes [rsp]64" },
	{ "62 f3 fd 48 03 c1 07, 62 f5 7c 48 58 c1, 62 f6 7d 48 98 c1, c5 fb 92 c3",
	  "next writes" },
	{ "62 f2 fd 78 a8 e1", "next writes" }, /* {rz-sae}: no byte more */
	{ "c4 e1 fb 93 d8, 62 f3 fd 08 16 c3 01", "next writes +rbx" },
	{ "62 f2 fd 49 a1 04 0c", "next writes [rsp]8 writes foreign masked" },
	/* AVX's masks: vmovdqa64 [rsp]{k2}, the same without, vpmaskmovq and vmaskmovps. */
	{ "62 f1 fd 4a 7f 04 24", "next writes [rsp]64 writes masked" },
	{ "62 f1 fd 48 7f 04 24", "next writes [rsp]64 writes" },
	{ "c4 e2 fd 8e 04 24, c4 e2 7d 2e 04 24", "next writes [rsp]32 writes masked" },
	{ "c5 fd 7f 04 24", "next writes [rsp]32 writes" },
	{ "c4 e2 78 49 04 24", "next writes [rsp]64" },
	{ "c4 e2 7a 4b 04 24", "next writes [rsp-16384]32768 writes masked" },
	{ "c4 e2 78 49 c0", "next writes" },
	{ "c4 e5 7b 58 c1", "unknown none" },
	/* APX: REX2, EVEX map 4, registers from r16 on. */
	{ "d5 08 89 e5, d5 10 50, d5 08 50, d5 80 a2, d5 00 a1 00 10 40 00 00 00 00 00, "
	  "62 f4 7c 18 ff f0, 62 f4 fc 18 8f c3, 62 f4 f4 18 01 d8, 62 f4 7c 0c 01 d8, "
	  "62 f4 84 02 39 d8, 62 f4 fc 08 58 c3, 62 f9 fe 48 7f 04 24, "
	  "62 f1 fa 48 7f 04 24",
	  "unknown none" },
	/* 3DNow!, XOP, TBM, LWP. */
	{ "0f 0f c1 9e, 0f 0e", "next writes" },
	{ "0f 0f 04 24 9e", "next writes [rsp]8" },
	{ "0f 0f c1 00, 8f c8", "unknown none" },
	{ "8f e9 60 01 cb, 8f ea 78 10 d8 00 00 00 00", "next writes +rbx computed flags" },
	{ "8f e9 78 12 cb", "next writes +rbx computed" },
	/* FRED, UINTR, SGX, SMX, SMM, TDX, SVM: what leaves for somewhere else. */
	{ "f2 0f 01 ca, f3 0f 01 ca, f2 0f 00 f0", "unknown none" },
	{ "0f 01 ca, f3 0f 01 ed", "next writes flags" },
	{ "f3 0f 01 ec, 0f 01 d7, 0f 01 cf, 0f 01 c0, 0f 37, 0f aa, 66 0f 01 cd, "
	  "0f 01 de, 0f 34",
	  "unknown" },
	{ "f3 0f c7 f0", "next writes" },
	/* What the other side leaves in registers. */
	{ "0f 01 c1, 66 0f 01 cf",
	  "next writes +rax+rdx+rcx+rbx+rsi+rdi+rbp+r8+r9+r10+r11+r12+r13+r14+r15 flags" },
	{ "0f 01 d9, 0f 01 d8, 66 0f 01 cc",
	  "next writes +rax+rdx+rcx+rbx+rsi+rdi+rbp+r8+r9+r10+r11+r12+r13+r14+r15" },
	/* Others. */
	{ "f3 41 90", "next writes +rax+r8" },
	{ "f3 90, f3 42 90", "next writes" },
	{ "6c", "next writes [rdi]1 writes +rdi" },
	{ "f3 6d", "next writes [rdi]4 writes +rcx+rdi repeated" },
	{ "6e", "next writes [rsi]1 +rsi" },
	{ "0f 03 d8, 0f 02 d8", "next writes +rbx flags" },
	{ "d6, 0f b8 c3, 0f 38 fc 18, c4 e2 71 e0 04 24, c4 e2 7a b1 04 24, "
	  "c4 e2 73 50 c1, f2 0f 38 f8 c3, c4 e7 7b f8 c3 00 00 00 00, 0f 24 c0, f0 90, "
	  "f0 01 c3, 66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90",
	  "unknown none" },
	{ "0f ff c0, 0f b9 c0", "stop writes" },
	{ "67 0f b9 40 16", "stop writes [rax+22]4 foreign" },
	{ "0f a7 c0", "next writes [rdi]1 writes +rax+rdi" },
	{ "f3 0f a7 c8", "next writes [rdi]4 writes +rcx+rsi+rdi repeated" },
	{ "66 0f 38 f8 1c 24", "next writes [rbx]64 writes" },
	{ "f3 0f c7 fb", "next writes +rbx" },
	{ "67 48 8d 64 24 f8", "next writes [rsp-8]4 +rsp computed foreign" },
	{ "64 48 8d 64 24 f8", "next address rsp [rsp-8]8" },
};

static const char fill[] = { 0x00, (char)0x90, (char)0xff, 0x41 };

/* Whatever stands behind it. */
static void decode_filled(struct code_decoder *decoder, const char *text)
{
	for (size_t i = 0; i < sizeof(fill); i++) {
		uint8_t bytes[2 * CODE_BYTES_MAX + 2];
		struct code code;
		size_t size;

		memset(bytes, fill[i], sizeof(bytes));
		size = read_bytes(text, bytes);
		code_decode(decoder, PC, bytes, sizeof(bytes), &code);
		if (code.length)
			ck_assert_msg(code.length == size, "%s: %u bytes", text, code.length);
		else
			ck_assert_int_eq(code.flow, CODE_UNKNOWN);
	}
}

START_TEST(a_rare_instruction_has_its_length)
{
	const struct decode_case *test = &rare_cases[_i];
	struct code_decoder *decoder = code_decoder_create();

	for (const char *list = test->bytes; list;) {
		char *bytes = next_bytes(&list);

		decode_as(decoder, bytes, test->said);
		decode_filled(decoder, bytes);
		free(bytes);
	}
	code_decoder_destroy(decoder);
}
END_TEST

/* Each among all others, with the same bytes before it and behind it. */
static void decode_one_among(struct code_decoder *decoder, const char *text, const char *said)
{
	uint8_t bytes[2 * CODE_BYTES_MAX + 1];
	struct code code;
	size_t size;

	memset(bytes, 0x55, sizeof(bytes));
	size = read_bytes(text, bytes + 1);
	code_decode(decoder, PC, bytes + 1, sizeof(bytes) - 1, &code);
	if (!code.length || strstr(said, "none"))
		return; /* with more bytes behind it, it is another one */
	ck_assert_msg(code.length == size, "%s: %u bytes", text, code.length);
	check_unused(&code);
	check_said(&code, text, said);
}

static void decode_among(struct code_decoder *decoder, const struct decode_case *cases,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (const char *list = cases[i].bytes; list;) {
			char *bytes = next_bytes(&list);

			decode_one_among(decoder, bytes, cases[i].said);
			free(bytes);
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

/* What may be read behind it is no part of it: whatever is there, it is cut off where it is said to be. */
static void cut_at(struct code_decoder *decoder, const uint8_t *bytes, size_t size, size_t readable)
{
	struct code alone, within;

	memset(&alone, 0, sizeof(alone));
	memset(&within, 0, sizeof(within));
	for (int times = 0; times < 2; times++) /* its form may be new */
		code_decode(decoder, PC, bytes, size, &alone);
	ck_assert_ptr_eq(code_decode_within(decoder, PC, bytes, size, readable, &within), &within);
	ck_assert_mem_eq(&within, &alone, sizeof(alone));
}

static void cut_everywhere(struct code_decoder *decoder, const char *text)
{
	for (size_t i = 0; i < sizeof(fill); i++) {
		uint8_t bytes[2 * CODE_HEAD_READ];
		size_t size;

		memset(bytes, fill[i], sizeof(bytes));
		size = read_bytes(text, bytes);
		for (size_t cut = 1; cut <= size + 1; cut++) {
			cut_at(decoder, bytes, cut, sizeof(bytes));
			cut_at(decoder, bytes, cut, CODE_HEAD_READ);
			cut_at(decoder, bytes, cut, CODE_HEAD_READ - 1);
			cut_at(decoder, bytes, cut, cut);
		}
	}
}

START_TEST(an_instruction_ends_where_it_is_said)
{
	struct code_decoder *decoder = code_decoder_create();

	for (const char *list = decode_cases[_i].bytes; list;) {
		char *bytes = next_bytes(&list);

		cut_everywhere(decoder, bytes);
		free(bytes);
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
	uint8_t bytes[BYTES_MAX] = { 0 };
	char text[64];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t size = read_bytes(texts[i].bytes, bytes);

		code_print(decoder, PC, bytes, size, text, sizeof(text));
		ck_assert_str_eq(text, texts[i].said);
	}
	code_decoder_destroy(decoder);
}
END_TEST

START_TEST(an_image_has_an_instruction)
{
	struct code_decoder *decoder = code_decoder_create();
	struct assembled assembled;
	struct code code;
	uint64_t pc;

	assembled_open_function(&assembled, "nop\n xor eax, eax\n ret\n .byte 6\n");
	pc = image_symbol_address(assembled.image, "f");
	ck_assert(code_decode_at(decoder, assembled.image, pc + 1, &code));
	ck_assert(code.pc == pc + 1 && code.length == 2 && code.flow == CODE_NEXT);
	ck_assert(code_decode_at(decoder, assembled.image, pc + 4, &code));
	ck_assert(code.flow == CODE_UNKNOWN && !code.length);
	ck_assert(!code_decode_at(decoder, assembled.image, UINT64_MAX, &code));
	assembled_close(&assembled);
	code_decoder_destroy(decoder);
}
END_TEST

SUITE(code_decode, LOOP(an_instruction_has_an_effect, decode_cases),
      LOOP(an_instruction_ends_where_it_is_said, decode_cases),
      LOOP(a_rare_instruction_has_its_length, rare_cases), TEST(known_forms_are_told_apart),
      TEST(an_instruction_has_a_text), TEST(an_image_has_an_instruction))
