/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_deferrals.c - paths that end where others go on
 *
 * Cases of lint_fixture.h. Two paths meet, and one of them brings what is not declared.
 */
#include "lint_fixture.h"

#define START "	.cfi_startproc\n"
#define END   "	.cfi_endproc\n"
#define FRAME                                                                                      \
	"	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "                    \
	"rsp\n"
#define LEAVE "	leave\n	.cfi_restore rbp\n	.cfi_def_cfa_offset 8\n	ret\n"
#define ROOM  "	sub rsp, 40\n	.cfi_def_cfa_offset 48\n"
#define MORE  "	sub rsp, 72\n	.cfi_def_cfa_offset 80\n"
#define OUT   "	add rsp, 40\n	.cfi_def_cfa_offset 8\n	ret\n"
#define PART                                                                                       \
	END "9:" START "	.cfi_def_cfa_offset 48\n	xor eax, eax\n	add rsp, 40\n	"                   \
	    ".cfi_def_cfa_offset 8\n	ret\n"

#define MANY_CALLS(count)                                                                          \
	"	.rept " count "\n	test edi, edi\n	je 1f\n	push rax\n"                              \
	"	.cfi_def_cfa_offset 16\n	call g@PLT\n	.cfi_def_cfa_offset 8\n1:	"                        \
	"inc eax\n"                                                                                \
	"	.endr\n	ret\n"

/* A path out of a function, and of so many others that have more room. */
#define SHARED(others)                                                                             \
	FRAME "	sub rsp, 32\n	.cfi_def_cfa_offset 48\n	test edi, edi\n	je 9f\n" LEAVE END \
	      "	.rept " others "\n" START FRAME                                                    \
	      "	sub rsp, 64\n	.cfi_def_cfa_offset 80\n	test edi, edi\n	je 9f\n" LEAVE END \
	      "	.endr\n9:" START                                                                   \
	      "	.cfi_def_cfa_offset 48\n	.cfi_offset rbp, -16\n	xor eax, eax\n"                    \
	      "	.cfi_def_cfa rbp, 16\n	nop\n	leave\n	.cfi_restore rbp\n	.cfi_def_cfa "             \
	      "rsp, 8\n	ret\n"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "what lies behind a meeting is wrong for one way, too",
	  FRAME "	test edi, edi\n	je 1f\n	push rax\n1:	inc eax\n	inc ecx\n" LEAVE,
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 9, 1 mismatch" },
	{ "who is wrong behind that function is accused",
	  FRAME "	test edi, edi\n	je 1f\n	push rax\n1:	inc eax\n	inc ecx\n" LEAVE END "8:" START "	push rdi\n	pop rdi\n	ret\n",
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\nSP001 16..17 cfa=rsp+8 / cfa=rsp+16\n8 of 12, 2 mismatch" },
	{ "up to where it is no more",
	  FRAME "	.cfi_def_cfa_register rbp\n	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa rsp, 24\n"
	  "1:	inc eax\n	.cfi_def_cfa rbp, 16\n	inc ecx\n	leave\n	.cfi_restore rbp\n	.cfi_def_cfa rsp, 8\n	ret\n",
	  "SP001 9..9 from 6 cfa=rsp+24 / cfa=rsp+16\n8 of 9, 1 mismatch" },
	{ "behind a call, too",
	  FRAME "	test edi, edi\n	je 1f\n	push rax\n1:	inc eax\n	call g@PLT\n	inc ecx\n" LEAVE,
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 10, 1 mismatch" },
	{ "by a pointer",
	  FRAME "	test edi, edi\n	je 1f\n	push rax\n1:	inc eax\n	call rax\n	inc ecx\n	inc ecx\n" LEAVE,
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 11, 1 mismatch" },
	{ "and behind a system call",
	  FRAME "	test edi, edi\n	je 1f\n	push rax\n1:	mov eax, 39\n	syscall\n	inc ecx\n	int 0x80\n	inc ecx\n" LEAVE,
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 12, 1 mismatch" },
	{ "where a jump table leads",
	  FRAME "	test edi, edi\n	je 1f\n	push rax\n1:	and edi, 1\n	lea rax, [rip + 4f]\n	movsxd rdx, dword ptr [rax + rdi * 4]\n"
	  "	add rax, rdx\n	jmp rax\n2:	inc eax\n3:	inc ecx\n" LEAVE
	  "	.section .rodata\n	.p2align 2\n4:	.long 2b - 4b, 3b - 4b\n	.text\n",
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 14, 1 mismatch" },
	{ "and in another fragment",
	  FRAME "	test edi, edi\n	je 1f\n	push rax\n1:	inc eax\n	test esi, esi\n	jne 9f\n" LEAVE END "9:" START
	  "	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	inc ecx\n" LEAVE,
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n7 of 13, 1 mismatch, 1 unproven value_unknown" },
	{ "a call that may come back",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n	call g@PLT\n	.cfi_def_cfa_offset 8\n1:	inc eax\n	inc ecx\n	ret\n",
	  "4 of 7, 1 unproven behind_call" },
	{ "63 such calls", MANY_CALLS("63"), "4 of 316, 1 unproven behind_call" },
	{ "more are not followed", MANY_CALLS("64"), "0 of 321, 1 unproven value_unknown" },
	{ "one that doesn't",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n	call abort@PLT\n	.cfi_def_cfa_offset 8\n1:	inc eax\n	inc ecx\n	ret\n",
	  "7 of 7, 1 proven" },
	{ "a way out of two functions",
	  ROOM "	test edi, edi\n	je 9f\n" OUT END "8:" START MORE "	test edi, edi\n	je 9f\n	add rsp, 72\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n" PART,
	  "10 of 13, 2 proven, 1 unproven value_unknown" },
	{ "behind a system call, too",
	  ROOM "	test edi, edi\n	je 9f\n" OUT END "8:" START MORE "	test edi, edi\n	je 9f\n	add rsp, 72\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n" END "9:" START "	.cfi_def_cfa_offset 48\n	mov eax, 39\n	syscall\n	inc ecx\n	add rsp, 40\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n",
	  "10 of 15, 2 proven, 1 unproven value_unknown" },
	{ "of two that have the same frame",
	  ROOM "	test edi, edi\n	je 9f\n" OUT END "8:" START ROOM "	test edi, edi\n	je 9f\n" OUT PART,
	  "13 of 13, 3 proven" },
	{ "what a function falls into",
	  ROOM "	test edi, edi\n	je 9f\n" OUT END "8:" START MORE "	inc eax\n" PART,
	  "7 of 10, 2 proven, 1 unproven value_unknown" },
	{ "two such ways, that lie in another order",
	  ROOM "	test edi, edi\n	je 9f\n" OUT END "8:" START MORE "	test edi, edi\n	je 9f\n	add rsp, 72\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n" END "8:" START MORE "	test edi, edi\n	je 7f\n	add rsp, 72\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n" END "8:" START ROOM "	test edi, edi\n	je 7f\n" OUT END
	  "7:" START "	.cfi_def_cfa_offset 48\n	xor eax, eax\n	add rsp, 40\n	.cfi_def_cfa_offset 8\n	ret\n" END
	  "9:" START "	.cfi_def_cfa_offset 80\n	xor eax, eax\n	add rsp, 72\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "20 of 26, 4 proven, 2 unproven value_unknown" },
	{ "rows of it that hold for both", SHARED("1"), "17 of 18, 2 proven, 1 unproven value_unknown" },
	{ "for sixteen more", SHARED("16"), "122 of 123, 17 proven, 1 unproven value_unknown" },
	{ "of still more nobody knows", SHARED("17"), "126 of 130, 18 proven, 1 unproven value_unknown" },
	{ "a way out that ends in no instruction",
	  ROOM "	test edi, edi\n	je 9f\n" OUT END "8:" START MORE "	test edi, edi\n	je 9f\n	add rsp, 72\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n" PART "	.byte 6\n", "10 of 13, 2 proven, 1 unproven value_unknown" },
	{ "not where its end is a call",
	  ROOM "	test edi, edi\n	je 9f\n" OUT END "8:" START MORE "	call g@PLT\n" PART,
	  "10 of 10, 3 proven" },
	{ "nor is a function that begins there doubted",
	  "	inc eax\n	ret\n" END "8:" START MORE "	inc eax\n" END "9:" START "	inc eax\n	ret\n",
	  "6 of 6, 3 proven" },
};
/* clang-format on */

#define LINT_SUITE lint_deferrals
#include "lint_cases_main.h"
