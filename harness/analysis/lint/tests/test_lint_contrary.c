/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_contrary.c - findings that the other of two paths contradicts
 *
 * Cases of lint_fixture.h. Two paths meet, and one of them is accused; what is found behind that is perhaps none.
 */
#include "lint_fixture.h"

/* Room that is made on one of two paths, without a directive. */
#define ROOM "	test edi, edi\n	jz 1f\n	sub rsp, 64\n1:	inc eax\n	test edi, edi\n	jz 2f\n"
#define SAID "SP001 8..8 from 4 cfa=rsp+8 / cfa=rsp+72\n"
/* The same with one: who goes past it is accused. */
#define DEEP                                                                                       \
	"	test edi, edi\n	jz 1f\n	sub rsp, 64\n	.cfi_def_cfa_offset 72\n1:	inc eax\n"              \
	"	test edi, edi\n	jz 2f\n"
#define RBX                                                                                        \
	"	test edi, edi\n	jz 1f\n	mov [rsp-8], rbx\n	.cfi_offset rbx, -16\n	mov ebx, "             \
	"5\n1:	inc eax\n	test edi, edi\n	jz 2f\n"
/* Pushed, and popped again, on the same condition. */
#define AGAIN(a, b)                                                                                \
	"	test edi, edi\n	jz " a "f\n	push rax\n" a                                      \
	":	inc eax\n	test edi, edi\n	jz " b "f\n	"                                      \
	"pop rax\n" b ":	nop\n"
#define FRAME                                                                                      \
	"	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "                    \
	"rsp\n"
#define LEAVE "	leave\n	.cfi_restore rbp\n	.cfi_def_cfa_offset 8\n	ret\n"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "the same is asked twice", ROOM "	add rsp, 64\n2:	ret\n", SAID "3 of 8, 1 mismatch" },
	{ "and not to take it down", ROOM "	inc ecx\n2:	ret\n", SAID "3 of 8, 1 mismatch" },
	{ "what stands before the second meeting", ROOM "	add rsp, 64\n	inc ecx\n	inc edx\n2:	ret\n", SAID "3 of 10, 1 mismatch" },
	{ "the row is that of the other way", DEEP "	add rsp, 64\n2:	.cfi_def_cfa_offset 8\n	inc ecx\n	ret\n", "SP001 8..8 from 2 cfa=rsp+72 / cfa=rsp+8\n3 of 9, 1 mismatch" },
	{ "it is asked a third time", ROOM "	inc ecx\n2:	inc edx\n	test edi, edi\n	jz 3f\n	add rsp, 64\n3:	ret\n", SAID "3 of 12, 1 mismatch" },
	{ "of a register", RBX "	mov rbx, [rsp-8]\n2:	.cfi_restore rbx\n	inc ecx\n	ret\n", "SP003 14..14 from 2 rbx=c-16 / nothing was written there\n4 of 10, 1 mismatch" },
	{ "both come home", FRAME ROOM "	add rsp, 64\n2:	inc ecx\n" LEAVE, "SP001 12..12 from 8 cfa=rsp+16 / cfa=rsp+80\n6 of 12, 1 mismatch" },
	{ "neither is seen to", ROOM "	add rsp, 64\n2:	inc ecx\n	jmp 2b\n", SAID "3 of 9, 1 mismatch" },
	{ "an end without rows behind it",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	test edi, edi\n	jz 1f\n	push rax\n1:	inc eax\n"
	  "	pop rbx\n	.cfi_restore rbx\n	inc ecx\n	ret\n", "SP001 6..6 from 5 cfa=rsp+16 / cfa=rsp+24\nSP001 9..12 cfa=rsp+16 / cfa=rsp+8\n4 of 8, 1 mismatch" },
	{ "though another way leads there, whose fault it is",
	  "	test esi, esi\n	jz 3f\n" ROOM "3:	add rsp, 64\n	inc ecx\n	nop\n2:	ret\n", "SP001 12..12 from 8 cfa=rsp+8 / cfa=rsp+72\n5 of 12, 1 mismatch" },
	{ "in a loop the first is accused",
	  "1:	test edi, edi\n	jz 2f\n	push rax\n2:	inc eax\n	test edi, edi\n	jz 3f\n	pop rax\n	jmp 1b\n3:	ret\n", "SP001 5..5 from 4 cfa=rsp+8 / cfa=rsp+16\nSP001 0..0 from 12 cfa=rsp+8 / cfa=rsp+0\n"
	  "SP001 12..14 cfa=rsp+8 / cfa=rsp+0\n0 of 9, 1 mismatch" },
	{ "who is contradicted contradicts nobody",
	  AGAIN("1", "2") AGAIN("3", "4") AGAIN("5", "6") "	ret\n", "SP001 5..5 from 4 cfa=rsp+8 / cfa=rsp+16\nSP001 18..18 from 17 cfa=rsp+8 / cfa=rsp+16\n"
	  "SP001 31..31 from 30 cfa=rsp+8 / cfa=rsp+16\n3 of 25, 1 mismatch" },
	{ "two that make up for nothing", ROOM "	push rax\n	inc ecx\n	pop rax\n	ret\n2:	ret\n", SAID "SP001 15..18 cfa=rsp+8 / cfa=rsp+16\n3 of 11, 1 mismatch" },
};
/* clang-format on */

#define LINT_SUITE lint_contrary
#include "lint_cases_main.h"
