/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_uncovered.c - how far code goes on that no FDE covers
 *
 * Cases of lint_fixture.h: f jumps to where its FDE has ended, which is at 3.
 */
#include "lint_fixture.h"

#define GAP(code) "	jmp 1f\n	nop\n	.cfi_endproc\n1:" code
#define NEXT	  "	.p2align 4\nk:	.cfi_startproc\n	ret\n"
#define NONE(pc, pc_end)                                                                           \
	"SP006 " #pc ".." #pc_end " no FDE covers it / it is a function, or something leads "      \
	"there\n"

#define ADDS GAP("	add al, al\n	add al, al\n	ret\n")
#define LONG GAP("	xor eax, eax\n	.fill 1100000, 1, 0x90\n	ret\n")

static const struct lint_case lint_cases[] = {
	{ "up to a return", GAP("	xor eax, eax\n	ret\n	xor ecx, ecx\n") NEXT,
	  NONE(3, 6) "2 of 2, 2 proven" },
	{ "past one that a branch passes",
	  GAP("	test edi, edi\n	je 2f\n	ret\n2:	xor eax, eax\n	ret\n	nop\n") NEXT,
	  NONE(3, 11) "2 of 2, 2 proven" },
	{ "not past one that it leads back from",
	  GAP("2:	test edi, edi\n	je 2b\n	ret\n	nop\n") NEXT,
	  NONE(3, 8) "2 of 2, 2 proven" },
	{ "past a jump that goes round",
	  GAP("	jmp 3f\n2:	ret\n3:	jne 2b\n	ret\n	nop\n") NEXT,
	  NONE(3, 9) "2 of 2, 2 proven" },
	{ "past one to what is behind it", GAP("	jmp 3f\n3:	ret\n	nop\n") NEXT,
	  NONE(3, 6) "2 of 2, 2 proven" },
	{ "up to a jump elsewhere", GAP("	xor eax, eax\n	jmp k\n	nop\n") NEXT,
	  NONE(3, 7) "2 of 2, 2 proven" },
	{ "up to a computed one", GAP("	jmp rax\n	nop\n") NEXT,
	  NONE(3, 5) "2 of 2, 2 proven" },
	{ "past calls", GAP("	call k\n	call rax\n	ret\n	nop\n") NEXT,
	  NONE(3, 11) "2 of 2, 2 proven" },
	{ "up to one that never returns",
	  GAP("	call k\n	nop\n") "	.p2align 4\nk:	.cfi_startproc\n	ud2\n",
	  NONE(3, 8) "2 of 2, 2 proven" },
	{ "up to the next FDE", GAP("	xor eax, eax\n") "k:	.cfi_startproc\n	ret\n",
	  NONE(3, 5) "2 of 2, 2 proven" },
	{ "up to the next function",
	  GAP("	xor eax, eax\n	.type g, @function\ng:	xor ecx, ecx\n	ret\n") NEXT,
	  NONE(3, 5) NONE(5, 8) "2 of 2, 2 proven" },
	{ "up to a function of crtstuff, which is not told",
	  GAP("	xor eax, eax\n	.type frame_dummy, @function\nframe_dummy:	ret\n") NEXT,
	  NONE(3, 5) "2 of 2, 2 proven" },
	{ "a label is none", GAP("	xor eax, eax\ng:	xor ecx, ecx\n	ret\n") NEXT,
	  NONE(3, 8) "2 of 2, 2 proven" },
	{ "up to the next that is reached",
	  "	test edi, edi\n	je 2f\n	jmp 1f\n	.cfi_endproc\n1:	xor eax, "
	  "eax\n2:	xor ecx, ecx\n	ret\n" NEXT,
	  NONE(6, 8) NONE(8, 11) "4 of 4, 2 proven" },
	{ "up to what is no instruction", GAP("	xor eax, eax\n	.byte 0x06\n	ret\n") NEXT,
	  NONE(3, 5) "2 of 2, 2 proven" },
	{ "at once", GAP("	.byte 0x06\n	ret\n") NEXT, NONE(3, 4) "2 of 2, 2 proven" },
	{ "what is jumped to is code, though its symbol says data",
	  GAP("	.type t, @object\nt:	xor eax, eax\n	ret\n	.size t, .-t\n") NEXT,
	  NONE(3, 6) "2 of 2, 2 proven" },
	{ "what is branched to",
	  "	test edi, edi\n	je t\n	ret\n	.cfi_endproc\n	.type t, @object\n"
	  "t:	xor eax, eax\n	ret\n	.size t, .-t\n" NEXT,
	  NONE(5, 8) "4 of 4, 2 proven" },
	{ "what is called",
	  "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call t\n	add rsp, 8\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n	.type t, @object\n"
	  "t:	xor eax, eax\n	ret\n	.size t, .-t\n" NEXT,
	  NONE(14, 17) "5 of 5, 2 proven" },
	{ "what falls into data isn't seen to",
	  "	test edi, edi\n	je 1f\n	ret\n1:	xor eax, eax\n	.cfi_endproc\n"
	  "	.type t, @object\nt:	xor eax, eax\n	ret\n	.size t, .-t\n" NEXT,
	  "5 of 5, 2 proven" },
	{ "into what is none it is",
	  "	test edi, edi\n	je 1f\n	ret\n1:	xor eax, eax\n	.cfi_endproc\n"
	  "t:	xor eax, eax\n	ret\n" NEXT,
	  NONE(7, 10) "5 of 5, 2 proven" },
	{ "zeros are no code", GAP("	.zero 2\n	ret\n") NEXT, "2 of 2, 2 proven" },
	{ "nor are no-ops", GAP("	nop\n	ret\n") NEXT, "2 of 2, 2 proven" },
	{ "one zero may begin an instruction", ADDS NEXT, NONE(3, 8) "2 of 2, 2 proven" },
	{ "a MiB at most", LONG NEXT, NONE(3, 1048579) "2 of 2, 2 proven" },
	{ "up to the section's end",
	  "	jmp 1f\n	nop\n	.cfi_endproc\n	.section .text.z, \"ax\"\n1:	xor eax, "
	  "eax\n"
	  "	.previous\nk:	.cfi_startproc\n	ret\n",
	  NONE(7, 9) "2 of 2, 2 proven" },
};

#define LINT_SUITE lint_uncovered
#include "lint_cases_main.h"
