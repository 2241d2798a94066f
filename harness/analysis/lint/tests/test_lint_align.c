/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_align.c - saved words that are overwritten by an aligned address, or by one that was in a word
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

#define FRAME                                                                                      \
	"	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "                    \
	"rsp\n"                                                                                    \
	"	.cfi_def_cfa_register rbp\n"
#define SAVED FRAME "	push rbx\n	.cfi_offset rbx, -24\n"
#define ENDS                                                                                       \
	"	xor ebx, ebx\n	mov rbx, [rbp-8]\n	.cfi_restore rbx\n	leave\n	"                           \
	".cfi_def_cfa rsp, 8\n"                                                                    \
	"	.cfi_restore rbp\n" LEAF
#define PUSH "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
#define COPY PUSH "	push rsp\n	.cfi_def_cfa_offset 24\n"
#define POP                                                                                        \
	"	pop rax\n	.cfi_def_cfa_offset 16\n	pop rbx\n	"                                           \
	".cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"

static const struct lint_case lint_cases[] = {
	/* Each function of SAVED .. ENDS has 3 instructions before what is asked, and 4 behind. */
	{ "what is written above where the stack was aligned may be saved there",
	  SAVED "	and rsp, -16\n	mov qword ptr [rsp+8], 0\n" ENDS,
	  "5 of 9, 1 unproven value_unknown" },
	{ "nobody is accused, since it hangs on the caller's stack",
	  SAVED "	and rsp, -16\n	mov [rsp+8], rdi\n	mov [rsp+16], rdi\n" ENDS,
	  "5 of 10, 1 unproven value_unknown" },
	{ "what is written below it is not",
	  SAVED "	and rsp, -16\n	mov qword ptr [rsp-8], 0\n	mov [rsp], rdi\n" ENDS,
	  "10 of 10, 1 proven" },
	{ "nor what is written to room below it, up to its end",
	  SAVED "	and rsp, -64\n	sub rsp, 64\n	vmovups [rsp+32], ymm0\n	mov [rsp], "
		"rdi\n" ENDS,
	  "11 of 11, 1 proven" },
	{ "nor beyond it as far as the alignment was for nothing",
	  SAVED "	sub rsp, 72\n	and rsp, -64\n	vmovups [rsp+40], ymm0\n" ENDS,
	  "10 of 10, 1 proven" },
	{ "one byte more may be",
	  SAVED "	sub rsp, 72\n	and rsp, -64\n	vmovups [rsp+49], ymm0\n" ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "of a store under a mask only what it begins with",
	  SAVED "	sub rsp, 72\n	and rsp, -64\n	vmovdqu64 [rsp+40]{k1}, zmm0\n" ENDS,
	  "10 of 10, 1 proven" },
	{ "by a copy of the aligned address",
	  SAVED "	and rsp, -32\n	lea rax, [rsp+8]\n	"
		"mov [rax], rdi\n" ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "by another register that was aligned",
	  SAVED "	mov rax, rsp\n	and rax, -32\n	mov [rax+8], rdi\n" ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "that rsp is set to, too",
	  SAVED "	mov rax, rsp\n	and rax, -32\n	mov rsp, rax\n	mov [rsp+8], rdi\n" ENDS,
	  "7 of 11, 1 unproven value_unknown" },
	{ "and of several each",
	  SAVED
	  "	mov rax, rsp\n	and rax, -32\n	mov rcx, rsp\n	and rcx, -16\n	and rsp, -64\n"
	  "	mov [rax+8], rdi\n" ENDS,
	  "9 of 13, 1 unproven value_unknown" },
	{ "by a string", SAVED "	and rsp, -16\n	lea rdi, [rsp+8]\n	stosq\n" ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "of several",
	  SAVED "	and rsp, -16\n	mov rdi, rsp\n	mov ecx, 2\n	rep stosq\n" ENDS,
	  "6 of 11, 1 unproven value_unknown" },
	{ "which ends before it",
	  SAVED "	and rsp, -16\n	mov rdi, rsp\n	mov ecx, 1\n	rep stosq\n" ENDS,
	  "11 of 11, 1 proven" },
	{ "by a push", SAVED "	and rsp, -16\n	add rsp, 16\n	push rdi\n" ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "by a call", SAVED "	and rsp, -16\n	add rsp, 16\n	call g@PLT\n" ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "a return address that may be overwritten so is not known",
	  SAVED "	and rsp, -16\n	mov qword ptr [rsp+24], 0\n" ENDS,
	  "5 of 9, 1 unproven value_unknown" },
	{ "what was kept below rsp before it was aligned",
	  FRAME
	  "	mov [rsp-8], rbx\n	.cfi_offset rbx, -24\n	and rsp, -16\n	push rdi\n" ENDS,
	  "5 of 9, 1 unproven value_unknown" },
	{ "a word of the aligned frame that is overwritten by way of the CFA",
	  FRAME
	  "	and rsp, -64\n	sub rsp, 64\n	mov [rsp+56], rbx\n"
	  "	.cfi_escape 0x10,3,0x0e,0x40,0x1c,0x0d,0xc0,0xff,0xff,0xff\n"
	  "	.cfi_escape 0x1a,0x0d,0xf8,0xff,0xff,0xff,0x22\n	nop\n	mov [rbp-24], rdi\n"
	  "	nop\n	.cfi_restore rbx\n	leave\n	.cfi_def_cfa rsp, 8\n	.cfi_restore "
	  "rbp\n" LEAF,
	  "9 of 10, 1 unproven value_unknown" },
	{ "what is saved where a word of the aligned frame may be was perhaps written",
	  FRAME
	  "	and rsp, -16\n	sub rsp, 16\n	mov [rsp+8], rbx\n	.cfi_offset rbx, -24\n"
	  "	nop\n	.cfi_restore rbx\n	leave\n	.cfi_def_cfa rsp, 8\n"
	  "	.cfi_restore rbp\n" LEAF,
	  "7 of 8, 1 unproven value_unknown" },
	{ "room for a variable, aligned in room for one more",
	  SAVED "	sub rsp, rdi\n	push r12\n	sub rsp, 32\n	lea rax, [rsp+15]\n	"
		"and rax, -16\n"
		"	mov [rax], rdi\n	mov [rax+8], rdi\n" ENDS,
	  "14 of 14, 1 proven" },
	{ "a word too far below the aligned frame",
	  FRAME
	  "	sub rsp, 200\n	mov [rsp], rbx\n	.cfi_offset rbx, -216\n	lea rsp, [rbp-16]\n"
	  "	and rsp, -32\n	nop\n	mov rbx, [rbp-200]\n	.cfi_restore rbx\n	leave\n"
	  "	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n" LEAF,
	  "7 of 10, 1 unproven value_unknown" },

	/* Addresses in words. */
	{ "by an address that was pushed just now",
	  COPY "	mov rax, [rsp]\n	mov qword ptr [rax], 0\n	nop\n" POP LEAF,
	  "SP003 13..16 rbx=c-16 / there is another value\n4 of 8, 1 mismatch" },
	{ "with a number added",
	  COPY "	mov rax, [rsp]\n	mov qword ptr [rax-8], 0\n	nop\n" POP LEAF,
	  "8 of 8, 1 proven" },
	{ "popped",
	  COPY "	pop rdi\n	.cfi_def_cfa_offset 16\n	stosq\n	push rax\n"
	       "	.cfi_def_cfa_offset 24\n" POP LEAF,
	  "4 of 8, 1 unproven value_unknown" },
	{ "a function that was called may have changed it",
	  COPY
	  "	call g@PLT\n	mov rax, [rsp]\n	mov qword ptr [rax], 0\n	nop\n" POP
		  LEAF,
	  "9 of 9, 1 proven" },
	{ "so may who writes nobody knows where",
	  COPY "	mov [rdi], esi\n	mov rax, [rsp]\n	mov qword ptr [rax], "
	       "0\n	nop\n" POP LEAF,
	  "9 of 9, 1 proven" },
	{ "or a system call",
	  COPY "	mov eax, 5\n	syscall\n	mov rax, [rsp]\n	mov qword ptr "
	       "[rax], 0\n	nop\n" POP LEAF,
	  "10 of 10, 1 proven" },
	{ "or a string of unknown length",
	  COPY
	  "	rep stosq\n	mov rax, [rsp]\n	mov qword ptr [rax], 0\n	nop\n" POP
		  LEAF,
	  "9 of 9, 1 proven" },
	{ "on one of two ways nobody knows",
	  COPY "	test edi, edi\n	je 1f\n	call g@PLT\n1:	mov rax, [rsp]\n"
	       "	mov qword ptr [rax], 0\n	nop\n" POP LEAF,
	  "7 of 11, 1 unproven value_unknown" },
	{ "the other way round, too",
	  COPY "	test edi, edi\n	jne 2f\n1:	mov rax, [rsp]\n	mov qword ptr "
	       "[rax], 0\n	nop\n"
	       "	pop rax\n	.cfi_def_cfa_offset 16\n	pop rbx\n	"
	       ".cfi_def_cfa_offset 8\n"
	       "	.cfi_restore rbx\n	ret\n2:	.cfi_def_cfa_offset 24\n	"
	       ".cfi_offset rbx, -16\n"
	       "	call g@PLT\n	jmp 1b\n",
	  "8 of 12, 1 unproven value_unknown" },
	{ "read before they meet",
	  COPY
	  "	mov rax, [rsp]\n	test edi, edi\n	je 1f\n	call g@PLT\n	mov rax, [rsp]\n"
	  "1:	mov qword ptr [rax], 0\n	nop\n" POP LEAF,
	  "8 of 12, 1 unproven value_unknown" },
	{ "what is saved by a pointer that others may have changed was perhaps written",
	  "	sub rsp, 24\n	.cfi_def_cfa_offset 32\n	mov [rsp], rsp\n	mov [rdi], "
	  "esi\n"
	  "	mov rax, [rsp]\n	mov [rax+8], rbx\n	.cfi_offset rbx, -24\n	nop\n"
	  "	.cfi_restore rbx\n	add rsp, 24\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "7 of 8, 1 unproven value_unknown" },
};

#define LINT_SUITE lint_align
#include "lint_cases_main.h"
