/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_middle.c - a function's own jump table that leads into the middle of an instruction
 *
 * Cases of lint_fixture.h. What begins there is code as all else is, and goes on into what overlaps it.
 */
#include "lint_fixture.h"

#define MASK	 "	and edi, 3\n"
#define COMPARED "	cmp edi, 3\n	ja 3f\n"

/* A table of four entries. */
#define TABLE(first, second, third, last, before)                                                  \
	before "	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, "                 \
	       "rdx\n"                                                                             \
	       "	jmp rax\n	.section .rodata\n	.align 4\n9:	.long " first      \
	       "-9b, " second "-9b, " third "-9b, " last "-9b\n	.text\n"

/* At 1: mov eax, .., at 1 + 1 push rcx, pop rcx, ret. */
#define PLAIN(bound)                                                                               \
	TABLE("0f", "1f+1", "1f", "3f", bound)                                                     \
	"0:	nop\n1:	.byte 0xb8, 0x51, 0x59, 0xc3, 0x90\n	ret\n3:	nop\n	ret\n"

/* At 1 + 1 three times nop, then push rcx, and on behind what is at 1. */
#define GOES_ON(bound)                                                                             \
	TABLE("0f", "1f+1", "0f", "3f", bound)                                                     \
	"0:	nop\n1:	.byte 0xb8, 0x90, 0x90, 0x90, 0x51\n	inc ecx\n3:	ret\n"

static const struct lint_case lint_cases[] = {
	{ "it is not known that each value of the mask comes", PLAIN(MASK),
	  "10 of 11, 1 unproven jump_unknown" },
	{ "a comparison says so", PLAIN(COMPARED),
	  "SP001 24..25 cfa=rsp+8 / cfa=rsp+16\n11 of 12, 1 mismatch" },
	{ "what begins there may be right",
	  TABLE("0f", "1f+1", "1f", "3f", MASK) "0:	nop\n1:	.byte 0xb8, 0x90, 0x90, 0xc3, "
						"0x90\n	ret\n3:	nop\n	ret\n",
	  "10 of 10, 1 proven" },
	{ "with rows of its own, too",
	  TABLE("0f", "1f+1", "1f", "3f",
		MASK) "0:	nop\n1:	.byte 0xb8, 0x51\n	.cfi_def_cfa_offset 16\n	"
		      ".byte 0x59\n"
		      "	.cfi_def_cfa_offset 8\n	.byte 0xc3, 0x90\n	ret\n3:	nop\n	ret\n",
	  "10 of 10, 1 proven" },
	{ "a row that is wrong there at once",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n" TABLE(
		  "0f", "1f+1", "0f", "0f",
		  MASK) "0:	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"
			"1:	.byte 0xb8, 0x90, 0x5b, 0xc3, 0x90\n	ret\n",
	  "9 of 11, 1 unproven jump_unknown" },
	{ "where it goes on with what others do, too", GOES_ON(MASK),
	  "7 of 9, 1 unproven value_unknown" },
	{ "by a comparison", GOES_ON(COMPARED),
	  "SP001 27..27 from 26 cfa=rsp+8 / cfa=rsp+16\n8 of 10, 1 mismatch" },
	{ "a branch that leads there goes on so, too",
	  "	test edi, edi\n	jz 1f+1\n	nop\n1:	.byte 0xb8, 0x90, 0x90, 0x90, 0x51\n"
	  "	inc ecx\n	ret\n",
	  "SP001 10..10 from 9 cfa=rsp+8 / cfa=rsp+16\n4 of 6, 1 mismatch" },
	{ "beyond the table, by a number of which no more is known",
	  PLAIN("	movzx edi, dil\n"), "10 of 10, 1 proven" },
};

#define LINT_SUITE lint_middle
#include "lint_cases_main.h"
