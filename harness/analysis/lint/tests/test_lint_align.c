/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_align.c - saved words that are overwritten by an aligned address, or by one that was in a word
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

#define FRAME "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; "
#define SAVED FRAME "push rbx; offset rbx, -24; "
#define ENDS  "xor ebx, ebx; mov rbx, [rbp-8]; restore rbx; leave; cfa rsp, 8; restore rbp; " LEAF
#define PUSH  "push rbx; cfa 16; offset rbx, -16; "
#define COPY  PUSH "push rsp; cfa 24; "
#define POP   "pop rax; cfa 16; pop rbx; cfa 8; restore rbx; "

static const struct lint_case lint_cases[] = {
	/* Each function of SAVED .. ENDS has 3 instructions before what is asked, and 4 behind. */
	{ "what is written above where the stack was aligned may be saved there",
	  SAVED "and rsp, -16; mov qword ptr [rsp+8], 0; " ENDS,
	  "5 of 9, 1 unproven value_unknown" },
	{ "nobody is accused, since it hangs on the caller's stack",
	  SAVED "and rsp, -16; mov [rsp+8], rdi; mov [rsp+16], rdi; " ENDS,
	  "5 of 10, 1 unproven value_unknown" },
	{ "what is written below it is not",
	  SAVED "and rsp, -16; mov qword ptr [rsp-8], 0; mov [rsp], rdi; " ENDS,
	  "10 of 10, 1 proven" },
	{ "nor what is written to room below it, up to its end",
	  SAVED "and rsp, -64; sub rsp, 64; vmovups [rsp+32], ymm0; mov [rsp], rdi; " ENDS,
	  "11 of 11, 1 proven" },
	{ "nor beyond it as far as the alignment was for nothing",
	  SAVED "sub rsp, 72; and rsp, -64; vmovups [rsp+40], ymm0; " ENDS, "10 of 10, 1 proven" },
	{ "one byte more may be", SAVED "sub rsp, 72; and rsp, -64; vmovups [rsp+49], ymm0; " ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "of a store under a mask only what it begins with",
	  SAVED "sub rsp, 72; and rsp, -64; vmovdqu64 [rsp+40]{k1}, zmm0; " ENDS,
	  "10 of 10, 1 proven" },
	{ "by a copy of the aligned address",
	  SAVED "and rsp, -32; lea rax, [rsp+8]; mov [rax], rdi; " ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "by another register that was aligned",
	  SAVED "mov rax, rsp; and rax, -32; mov [rax+8], rdi; " ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "that rsp is set to, too",
	  SAVED "mov rax, rsp; and rax, -32; mov rsp, rax; mov [rsp+8], rdi; " ENDS,
	  "7 of 11, 1 unproven value_unknown" },
	{ "and of several each",
	  SAVED "mov rax, rsp; and rax, -32; mov rcx, rsp; and rcx, -16; and rsp, -64; "
		"mov [rax+8], rdi; " ENDS,
	  "9 of 13, 1 unproven value_unknown" },
	{ "by a string", SAVED "and rsp, -16; lea rdi, [rsp+8]; stosq; " ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "of several", SAVED "and rsp, -16; mov rdi, rsp; mov ecx, 2; rep stosq; " ENDS,
	  "6 of 11, 1 unproven value_unknown" },
	{ "which ends before it", SAVED "and rsp, -16; mov rdi, rsp; mov ecx, 1; rep stosq; " ENDS,
	  "11 of 11, 1 proven" },
	{ "by a push", SAVED "and rsp, -16; add rsp, 16; push rdi; " ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "by a call", SAVED "and rsp, -16; add rsp, 16; call g@PLT; " ENDS,
	  "6 of 10, 1 unproven value_unknown" },
	{ "a return address that may be overwritten so is not known",
	  SAVED "and rsp, -16; mov qword ptr [rsp+24], 0; " ENDS,
	  "5 of 9, 1 unproven value_unknown" },
	{ "what was kept below rsp before it was aligned",
	  FRAME "mov [rsp-8], rbx; offset rbx, -24; and rsp, -16; push rdi; " ENDS,
	  "5 of 9, 1 unproven value_unknown" },
	{ "a word of the aligned frame that is overwritten by way of the CFA",
	  FRAME "and rsp, -64; sub rsp, 64; mov [rsp+56], rbx; "
		"escape 0x10,3,0x0e,0x40,0x1c,0x0d,0xc0,0xff,0xff,0xff; escape "
		"0x1a,0x0d,0xf8,0xff,0xff,0xff,0x22; nop; mov [rbp-24], rdi; nop; restore rbx; "
		"leave; cfa rsp, 8; restore rbp; " LEAF,
	  "9 of 10, 1 unproven value_unknown" },
	{ "what is saved where a word of the aligned frame may be was perhaps written",
	  FRAME "and rsp, -16; sub rsp, 16; mov [rsp+8], rbx; offset rbx, -24; nop; restore rbx; "
		"leave; cfa rsp, 8; restore rbp; " LEAF,
	  "7 of 8, 1 unproven value_unknown" },
	{ "room for a variable, aligned in room for one more",
	  SAVED "sub rsp, rdi; push r12; sub rsp, 32; lea rax, [rsp+15]; and rax, -16; "
		"mov [rax], rdi; mov [rax+8], rdi; " ENDS,
	  "14 of 14, 1 proven" },
	{ "a word too far below the aligned frame",
	  FRAME "sub rsp, 200; mov [rsp], rbx; offset rbx, -216; lea rsp, [rbp-16]; and rsp, -32; "
		"nop; mov rbx, [rbp-200]; restore rbx; leave; cfa rsp, 8; restore rbp; " LEAF,
	  "7 of 10, 1 unproven value_unknown" },

	/* Addresses in words. */
	{ "by an address that was pushed just now",
	  COPY "mov rax, [rsp]; mov qword ptr [rax], 0; nop; " POP LEAF,
	  "SP003 13..16 rbx=c-16 / there is another value\n4 of 8, 1 mismatch" },
	{ "with a number added", COPY "mov rax, [rsp]; mov qword ptr [rax-8], 0; nop; " POP LEAF,
	  "8 of 8, 1 proven" },
	{ "popped", COPY "pop rdi; cfa 16; stosq; push rax; cfa 24; " POP LEAF,
	  "4 of 8, 1 unproven value_unknown" },
	{ "a function that was called may have changed it",
	  COPY "call g@PLT; mov rax, [rsp]; mov qword ptr [rax], 0; nop; " POP LEAF,
	  "9 of 9, 1 proven" },
	{ "so may who writes nobody knows where",
	  COPY "mov [rdi], esi; mov rax, [rsp]; mov qword ptr [rax], 0; nop; " POP LEAF,
	  "9 of 9, 1 proven" },
	{ "or a system call",
	  COPY "mov eax, 5; syscall; mov rax, [rsp]; mov qword ptr [rax], 0; nop; " POP LEAF,
	  "10 of 10, 1 proven" },
	{ "or a string of unknown length",
	  COPY "rep stosq; mov rax, [rsp]; mov qword ptr [rax], 0; nop; " POP LEAF,
	  "9 of 9, 1 proven" },
	{ "on one of two ways nobody knows",
	  COPY
	  "test edi, edi; je 1f; call g@PLT; 1: mov rax, [rsp]; mov qword ptr [rax], 0; nop; " POP
		  LEAF,
	  "7 of 11, 1 unproven value_unknown" },
	{ "the other way round, too",
	  COPY
	  "test edi, edi; jne 2f; 1: mov rax, [rsp]; mov qword ptr [rax], 0; nop; pop rax; cfa 16; "
	  "pop rbx; cfa 8; restore rbx; ret; 2: cfa 24; offset rbx, -16; call g@PLT; jmp 1b",
	  "8 of 12, 1 unproven value_unknown" },
	{ "read before they meet",
	  COPY "mov rax, [rsp]; test edi, edi; je 1f; call g@PLT; mov rax, [rsp]; "
	       "1: mov qword ptr [rax], 0; nop; " POP LEAF,
	  "8 of 12, 1 unproven value_unknown" },
	{ "what is saved by a pointer that others may have changed was perhaps written",
	  "sub rsp, 24; cfa 32; mov [rsp], rsp; mov [rdi], esi; mov rax, [rsp]; mov [rax+8], rbx; "
	  "offset rbx, -24; nop; restore rbx; add rsp, 24; cfa 8; " LEAF,
	  "7 of 8, 1 unproven value_unknown" },
};

#define LINT_SUITE lint_align
#include "lint_cases_main.h"
