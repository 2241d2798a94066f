/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_middle.c - a function's own jump table that leads into the middle of an instruction
 *
 * Cases of lint_fixture.h. What begins there is code as all else is, and goes on into what overlaps it.
 */
#include "lint_fixture.h"

#define MASK	 "and edi, 3; "
#define COMPARED "cmp edi, 3; ja 3f; "

/* A table of four entries. */
#define TABLE(first, second, third, last, before)                                                  \
	before "lea rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; "      \
	       ".section .rodata; .align 4; 9: .long " first "-9b, " second "-9b, " third          \
	       "-9b, " last "-9b; .text; "

/* At 1: mov eax, .., at 1 + 1 push rcx, pop rcx, ret. */
#define PLAIN(bound)                                                                               \
	TABLE("0f", "1f+1", "1f", "3f", bound)                                                     \
	"0: nop; 1: .byte 0xb8, 0x51, 0x59, 0xc3, 0x90; ret; 3: nop; ret; "

/* At 1 + 1 three times nop, then push rcx, and on behind what is at 1. */
#define GOES_ON(bound)                                                                             \
	TABLE("0f", "1f+1", "0f", "3f", bound)                                                     \
	"0: nop; 1: .byte 0xb8, 0x90, 0x90, 0x90, 0x51; inc ecx; 3: ret; "

static const struct lint_case lint_cases[] = {
	{ "it is not known that each value of the mask comes", PLAIN(MASK),
	  "10 of 11, 1 unproven jump_unknown" },
	{ "a comparison says so", PLAIN(COMPARED),
	  "SP001 24..25 cfa=rsp+8 / cfa=rsp+16\n11 of 12, 1 mismatch" },
	{ "what begins there may be right",
	  TABLE("0f", "1f+1", "1f", "3f",
		MASK) "0: nop; 1: .byte 0xb8, 0x90, 0x90, 0xc3, 0x90; ret; 3: nop; ret",
	  "10 of 10, 1 proven" },
	{ "with rows of its own, too",
	  TABLE("0f", "1f+1", "1f", "3f", MASK) "0: nop; 1: .byte 0xb8, 0x51; cfa 16; .byte 0x59; "
						"cfa 8; .byte 0xc3, 0x90; ret; 3: nop; ret",
	  "10 of 10, 1 proven" },
	{ "a row that is wrong there at once",
	  "push rbx; cfa 16; offset rbx, -16; " TABLE(
		  "0f", "1f+1", "0f", "0f", MASK) "0: pop rbx; cfa 8; restore rbx; "
						  "1: .byte 0xb8, 0x90, 0x5b, 0xc3, 0x90; ret",
	  "9 of 11, 1 unproven jump_unknown" },
	{ "where it goes on with what others do, too", GOES_ON(MASK),
	  "7 of 9, 1 unproven value_unknown" },
	{ "by a comparison", GOES_ON(COMPARED),
	  "SP001 27..27 from 26 cfa=rsp+8 / cfa=rsp+16\n8 of 10, 1 mismatch" },
	{ "a branch that leads there goes on so, too",
	  "test edi, edi; jz 1f+1; nop; 1: .byte 0xb8, 0x90, 0x90, 0x90, 0x51; inc ecx; ret",
	  "SP001 10..10 from 9 cfa=rsp+8 / cfa=rsp+16\n4 of 6, 1 mismatch" },
	{ "beyond the table, by a number of which no more is known", PLAIN("movzx edi, dil; "),
	  "10 of 10, 1 proven" },
};

#define LINT_SUITE lint_middle
#include "lint_cases_main.h"
