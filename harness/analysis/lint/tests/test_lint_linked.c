/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_linked.c - routines that are entered by a jump, with the return address in a register
 *
 * Cases of lint_fixture.h. f jumps to such a routine, g.
 */
#include "lint_fixture.h"

#define FRAME "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n"
#define DOWN  "	add rsp, 8\n	.cfi_def_cfa_offset 8\n	ret\n"
#define DONE                                                                                       \
	"	push rax\n	.cfi_def_cfa_offset 16\n	pop rax\n	"                                          \
	".cfi_def_cfa_offset 8\n"
#define LINK(to) "	lea r11, " to "[rip]\n	jmp g\n"
#define LINKED	 SECOND(g) "	.cfi_def_cfa rsp, 0\n	.cfi_register rip, r11\n"
#define BACK	 "	jmp r11\n"
#define PUSH	 "	push rbx\n	.cfi_def_cfa_offset 8\n	.cfi_offset rbx, -8\n"
#define POP	 "	pop rbx\n	.cfi_def_cfa_offset 0\n	.cfi_restore rbx\n"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "with a frame", FRAME LINK("1f") "1:	nop\n" DOWN LINKED "	inc eax\n" BACK,
	  "8 of 8, 2 proven" },
	{ "without one", LINK("1f") "1:	nop\n	ret\n" LINKED "	inc eax\n" BACK,
	  "6 of 6, 2 proven" },
	{ "which has one itself", FRAME LINK("1f") "1:	nop\n" DOWN LINKED PUSH POP BACK,
	  "9 of 9, 2 proven" },
	{ "which pushes the return address",
	  FRAME LINK("1f") "1:	nop\n" DOWN LINKED
	  "	push r11\n	.cfi_def_cfa_offset 8\n	.cfi_offset rip, -8\n	inc eax\n	ret\n",
	  "9 of 9, 2 proven" },
	{ "whose rows are wrong", FRAME LINK("1f") "1:	nop\n" DOWN LINKED "	push rbx\n	pop rbx\n" BACK,
	  "SP001 20..21 cfa=rsp+0 / cfa=rsp+8\n8 of 9, 1 mismatch, 1 proven" },
	{ "and which says nothing of what it puts there",
	  FRAME LINK("1f") "1:	nop\n" DOWN LINKED "	xor r11d, r11d\n	nop\n	ud2\n",
	  "SP002 22..25 ra=r11 / there is 0\n7 of 9, 1 mismatch, 1 proven" },
	{ "on two ways",
	  FRAME LINK("1f") "1:	" LINK("2f") "2:	nop\n" DOWN LINKED "	inc eax\n" BACK,
	  "10 of 10, 2 proven" },
	{ "on a way back to itself",
	  LINK("1f") "1:	ret\n" LINKED
	  "	push r11\n	.cfi_def_cfa_offset 8\n	.cfi_offset rip, -8\n	dec eax\n	jz 1f\n"
	  LINK("1f") "1:	pop r11\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, r11\n" BACK,
	  "10 of 10, 2 proven" },
	{ "nobody knows where it comes back to",
	  FRAME "	mov r11, [rdi]\n	jmp g\n	nop\n" DOWN LINKED "	inc eax\n" BACK,
	  "5 of 7, 1 proven, 1 unproven not_reached" },
	{ "its registers are what the two agree on",
	  FRAME "	mov rdx, rax\n" LINK("1f") "1:	.cfi_register rax, rdx\n	nop\n	.cfi_restore rax\n"
	  DOWN LINKED "	inc eax\n" BACK,
	  "8 of 9, 1 proven, 1 unproven value_unknown" },
	{ "as are those that callees preserve, if it is seen to change them",
	  FRAME LINK("1f") "1:	nop\n" DOWN LINKED "	mov rbx, rax\n	.cfi_undefined rbx\n" BACK,
	  "5 of 8, 1 proven, 1 unproven value_unknown" },
	{ "also where another way comes by",
	  FRAME "	test edi, edi\n	je 1f\n" LINK("1f") "1:	nop\n" DOWN LINKED "	mov rbx, rax\n	.cfi_undefined rbx\n" BACK,
	  "7 of 10, 1 proven, 1 unproven value_unknown" },
	{ "a jump to what is no code",
	  DONE "	lea rcx, 5f[rip]\n5:	jmp g\n	.cfi_endproc\n	.data\ng:	.cfi_startproc\n	ret\n",
	  "4 of 4, 1 proven, 1 unproven no_entry" },
	{ "who has his own return address there goes on in a part of his",
	  "	pop r11\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, r11\n	jmp g\n" LINKED
	  "	inc eax\n" BACK,
	  "4 of 4, 2 proven" },
	{ "what is called is none", FRAME "	call g\n" DOWN LINKED "	inc eax\n" BACK,
	  "SP005 14..16 cfa=rsp+0 / cfa=rsp+8\nSP001 16..19 cfa=rsp+0 / cfa=rsp+8\n4 of 6, 1 mismatch, 1 proven" },
	{ "nor by who has no frame", "	call g\n	ret\n" LINKED "	inc eax\n" BACK,
	  "2 of 4, 1 proven, 1 unproven no_entry" },
	{ "nor is what returns as if it was", "	ret\n" LINKED "	inc eax\n	ret\n",
	  "SP005 1..3 cfa=rsp+0 / cfa=rsp+8\nSP001 3..4 cfa=rsp+0 / cfa=rsp+8\n1 of 3, 1 mismatch, 1 proven" },
	{ "but what goes on in another such routine is one",
	  FRAME LINK("1f") "1:	nop\n" DOWN LINKED "	jmp h\n" SECOND(h)
	  "	.cfi_def_cfa rsp, 0\n	.cfi_register rip, r11\n	inc eax\n" BACK,
	  "9 of 9, 3 proven" },
	{ "without one any more",
	  DONE LINK("1f") "1:	nop\n	ret\n" LINKED "	inc eax\n" BACK, "8 of 8, 2 proven" },
	{ "by rax", DONE "	lea rax, 1f[rip]\n	jmp g\n1:	nop\n	ret\n" SECOND(g)
	  "	.cfi_def_cfa rsp, 0\n	.cfi_register rip, rax\n	inc ecx\n	jmp rax\n",
	  "8 of 8, 2 proven" },
	{ "by what is no register", DONE LINK("1f") "1:	nop\n	ret\n" SECOND(g)
	  "	.cfi_def_cfa rsp, 0\n	.cfi_register rip, rip\n	inc ecx\n" BACK,
	  "4 of 7, 1 unproven not_reached, 1 unproven no_entry" },
	{ "a row that is wrong where it comes back: perhaps it never does",
	  FRAME LINK("1f") "1:	nop\n	.cfi_def_cfa_offset 24\n" DOWN LINKED "	inc eax\n" BACK,
	  "6 of 8, 1 proven, 1 unproven behind_call" },
	{ "it comes back in another function",
	  FRAME LINK("h+1") "	nop\n" DOWN LINKED "	inc eax\n" BACK SECOND(h) "	push rbx\n	.cfi_def_cfa_offset 16\n	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "8 of 10, 2 proven, 1 unproven not_reached" },
};
/* clang-format on */

#define LINT_SUITE lint_linked
#include "lint_cases_main.h"
