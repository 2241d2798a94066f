/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_never.c - paths that the code itself rules out, and paths that only look so
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

/* rbx is saved, and back where a branch goes past, but not where it goes to: the label is wrong if it is taken. */
#define SAVED		"	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
#define BACK		"	pop rbx\n	.cfi_restore rbx\n	.cfi_def_cfa_offset 8\n"
#define PAST(branch)	SAVED branch " 1f\n" BACK "1:	nop\n	ret\n"
#define WRONG(begin, n) "SP001 " #begin ".." #begin " from " n " cfa=rsp+8 / cfa=rsp+16\n"

#define LEAS(n) "	.rept " n "\n	lea rdx, [rsi]\n	.endr\n"

/* The same the other path round: the branch is always taken, to where all is right. */
#define OVER(branch)                                                                               \
	SAVED BACK branch " 2f\n	push rdi\n	jmp 3f\n2:	nop\n3:	nop\n	ret\n"

/* What brings another frame to where it ends, and what doesn't. */
#define MEETING(branch, end)                                                                       \
	branch end "1:	push rdi\n	.cfi_def_cfa_offset 16\n	jmp 2f\n	"                              \
		   ".cfi_def_cfa_offset 8\n"                                                       \
		   "2:	nop\n	ret\n"

static const struct lint_case lint_cases[] = {
	{ "xor, test, jnz", PAST("	xor eax, eax\n	test eax, eax\n	jnz"), "7 of 7, 1 proven" },
	{ "the flags of xor", PAST("	xor eax, eax\n	jnz"), "6 of 6, 1 proven" },
	{ "of sub", PAST("	sub eax, eax\n	js"), "6 of 6, 1 proven" },
	{ "clc, jc", PAST("	clc\n	jc"), "6 of 6, 1 proven" },
	{ "stc, jnc", PAST("	stc\n	jnc"), "6 of 6, 1 proven" },
	{ "stc, cmc, jc", PAST("	stc\n	cmc\n	jc"), "7 of 7, 1 proven" },
	{ "a comparison with a number", PAST("	mov ebx, 5\n	cmp ebx, 5\n	jne"),
	  "7 of 7, 1 proven" },
	{ "signed: -1 is less", PAST("	mov ebx, -1\n	cmp ebx, 1\n	jg"), "7 of 7, 1 proven" },
	{ "unsigned: it is above", PAST("	mov ebx, -1\n	cmp ebx, 1\n	jb"),
	  "7 of 7, 1 proven" },
	{ "64 bits: 0xffffffff is above 1, and no less",
	  PAST("	mov ebx, -1\n	cmp rbx, 1\n	jl"), "7 of 7, 1 proven" },
	{ "8 bits of 0x100 are 0", PAST("	mov ebx, 0x100\n	test bl, bl\n	jnz"),
	  "7 of 7, 1 proven" },
	{ "two registers", PAST("	mov ebx, 5\n	mov ecx, 6\n	cmp ebx, ecx\n	jae"),
	  "8 of 8, 1 proven" },
	{ "a sum that overflows", PAST("	mov ebx, 0x7fffffff\n	add ebx, 1\n	jno"),
	  "7 of 7, 1 proven" },
	{ "or does, of two registers", PAST("	or esi, r10d\n	jc"), "6 of 6, 1 proven" },
	{ "of memory", PAST("	or eax, [rdi]\n	jo"), "6 of 6, 1 proven" },
	{ "into memory", PAST("	and [rdi], rax\n	jc"), "6 of 6, 1 proven" },
	{ "of registers' fragments", PAST("	xor al, ah\n	jc"), "6 of 6, 1 proven" },
	{ "no sum does", PAST("	add eax, [rdi]\n	jc"), WRONG(6, "3") "4 of 6, 1 mismatch" },
	{ "its result nobody knows", PAST("	or eax, [rdi]\n	jz"),
	  WRONG(6, "3") "4 of 6, 1 mismatch" },
	{ "numbers in two registers",
	  PAST("	mov ecx, 256\n	mov edx, 2\n	xor rcx, rdx\n	jz"), "8 of 8, 1 proven" },
	{ "their sum", PAST("	mov ecx, -1\n	mov edx, 1\n	add ecx, edx\n	jnc"),
	  "8 of 8, 1 proven" },
	{ "one of them is not known", PAST("	mov ecx, 256\n	xor rcx, rdx\n	jz"),
	  WRONG(12, "9") "5 of 7, 1 mismatch" },
	{ "or with a number is not 0", PAST("	or eax, 1\n	jz"), "6 of 6, 1 proven" },
	{ "nor with -1, which is all", PAST("	or eax, -1\n	jnp"), "6 of 6, 1 proven" },
	{ "a sign that is set", PAST("	or al, 0x81\n	jns"), "6 of 6, 1 proven" },
	{ "other bits don't set it", PAST("	or al, 1\n	jns"),
	  WRONG(6, "3") "4 of 6, 1 mismatch" },
	{ "a sign that is cleared", PAST("	and eax, 0x7fffffff\n	js"), "6 of 6, 1 proven" },
	{ "one that may be left", PAST("	and eax, -8\n	js"),
	  WRONG(7, "4") "4 of 6, 1 mismatch" },
	{ "what is and with 0", PAST("	and eax, 0\n	jnz"), "6 of 6, 1 proven" },
	{ "whether bits are left nobody knows", PAST("	and eax, 3\n	jz"),
	  WRONG(7, "4") "4 of 6, 1 mismatch" },
	{ "or with 0 does", PAST("	or rax, 0\n	jz"), WRONG(8, "5") "4 of 6, 1 mismatch" },
	{ "and with -1 leaves all", PAST("	and rax, -1\n	jnz"),
	  WRONG(8, "5") "4 of 6, 1 mismatch" },
	{ "test clears the carry, of whatever", PAST("	test edi, edi\n	jc"), "6 of 6, 1 proven" },
	{ "jrcxz with 1", PAST("	mov ecx, 1\n	jrcxz"), "6 of 6, 1 proven" },
	{ "loop, the last time", PAST("	mov ecx, 1\n	loop"), "6 of 6, 1 proven" },
	{ "two branches of which one is taken", OVER("	test edi, edi\n	jz 2f\n	jnz"),
	  "9 of 10, 1 unproven not_reached" },
	{ "the flags go with a jump",
	  PAST("	xor eax, eax\n	jmp 4f\n4:	lea rdx, [rsi]\n	jnz"),
	  "8 of 8, 1 proven" },
	{ "to a branch that is the fourth instruction there",
	  PAST("	xor eax, eax\n	jmp 4f\n4:" LEAS("3") "	jnz"), "10 of 10, 1 proven" },
	{ "but not to one that is further away",
	  PAST("	xor eax, eax\n	jmp 4f\n4:" LEAS("4") "	jnz"),
	  WRONG(20, "17") "9 of 11, 1 mismatch" },
	{ "a way that never happens leaves out a landing where all is wrong",
	  SAVED BACK
	  "	xor eax, eax\n	jz 2f\n	push rdi\n	push rsi\n	ret\n2:	nop\n	ret\n",
	  "7 of 9, 1 unproven not_reached" },

	{ "what a mask leaves is not above it", PAST("	and eax, 3\n	cmp eax, 3\n	ja"),
	  "7 of 7, 1 proven" },
	{ "nor is it as large as what is above the mask",
	  PAST("	and eax, 3\n	cmp eax, 4\n	jae"), "7 of 7, 1 proven" },
	{ "it may be above less", PAST("	and eax, 3\n	cmp eax, 2\n	ja"),
	  "SP001 10..10 from 7 cfa=rsp+8 / cfa=rsp+16\n5 of 7, 1 mismatch" },
	{ "what a comparison has said is no more than it has compared",
	  SAVED "	cmp al, 3\n	ja 2f\n	cmp eax, 3\n	ja 1f\n2:\n" BACK
		"1:	nop\n	ret\n",
	  "SP001 11..11 from 8 cfa=rsp+8 / cfa=rsp+16\n6 of 8, 1 mismatch" },
	{ "another fragment's way is not followed",
	  SAVED "	and eax, 3\n	cmp eax, 3\n	ja 9f\n" BACK "	ret\n" SECOND(g) SAVED
	  "	push rdi\n	.cfi_def_cfa_offset 24\n	nop\n	.cfi_endproc\n9:	"
	  ".cfi_startproc\n"
	  "	.cfi_def_cfa_offset 24\n	.cfi_offset rbx, -16\n	add rsp, 8\n	"
	  ".cfi_def_cfa_offset 16\n" BACK "	ret\n",
	  "12 of 12, 3 proven" },
	{ "by another bound on one of two ways",
	  PAST("	test edi, edi\n	jz 4f\n	and eax, 7\n	jmp 5f\n4:	and eax, 3\n5:	"
	       "cmp eax, 3\n	ja"),
	  "SP001 19..19 from 16 cfa=rsp+8 / cfa=rsp+16\n9 of 11, 1 mismatch" },
	{ "by one that was kept in memory on one of them it is doubted",
	  PAST("	and eax, 3\n	test edi, edi\n	jz 4f\n	mov [rsp-8], rax\n	mov rax, "
	       "[rsp-8]\n4:	cmp eax, 3\n	ja"),
	  "9 of 11, 1 unproven value_unknown" },
	{ "flags that the branch doesn't ask for", PAST("	test edi, edi\n	jnz"),
	  WRONG(6, "3") "4 of 6, 1 mismatch" },
	{ "inc leaves the carry",
	  PAST("	mov ebx, -1\n	cmp edi, esi\n	inc ebx\n	jc"),
	  WRONG(13, "10") "6 of 8, 1 mismatch" },
	{ "high bits count", PAST("	mov ebx, 0x100\n	test bh, bh\n	jnz"),
	  WRONG(11, "8") "5 of 7, 1 mismatch" },
	{ "a call may leave any flags", PAST("	xor eax, eax\n	call [rdi]\n	jnz"),
	  WRONG(8, "5") "5 of 7, 1 mismatch" },
	{ "a loop comes back with another number",
	  SAVED
	  "	xor ebx, ebx\n4:	cmp ebx, 1\n	je 1f\n	mov ebx, 1\n	test edi, edi\n"
	  "	jne 4b\n" BACK "1:	nop\n	ret\n",
	  WRONG(18, "6") "8 of 10, 1 mismatch" },

	{ "a hypervisor answers in any register",
	  PAST("	mov ecx, 5\n	in eax, dx\n	cmp ecx, 5\n	jne"),
	  WRONG(13, "10") "6 of 8, 1 mismatch" },

	{ "a number in memory is only doubted",
	  PAST("	mov dword ptr [rsp-8], 0\n	cmp dword ptr [rsp-8], 0\n	jne"),
	  "5 of 7, 1 unproven value_unknown" },
	{ "so is one that a register has from there",
	  PAST("	xor eax, eax\n	mov [rsp-8], rax\n	mov rcx, [rsp-8]\n	test ecx, "
	       "ecx\n"
	       "	jnz"),
	  "7 of 9, 1 unproven value_unknown" },
	{ "and an address that counts from where the image is",
	  PAST("	lea rax, 1f[rip]\n	test rax, rax\n	jz"),
	  "5 of 7, 1 unproven value_unknown" },
	{ "another store comes between",
	  PAST("	mov dword ptr [rsp-8], 0\n	mov [rsp-6], di\n"
	       "	cmp dword ptr [rsp-8], 0\n	jne"),
	  WRONG(22, "19") "6 of 8, 1 mismatch" },
	{ "a call does",
	  SAVED
	  "	sub rsp, 16\n	.cfi_def_cfa_offset 32\n	mov dword ptr [rsp+8], 0\n"
	  "	call [rdi]\n	cmp dword ptr [rsp+8], 0\n	jne 1f\n	add rsp, 16\n"
	  "	.cfi_def_cfa_offset 16\n" BACK "1:	nop\n	ret\n",
	  "SP001 27..27 from 20 cfa=rsp+8 / cfa=rsp+32\n8 of 10, 1 mismatch" },
	{ "a jump to nobody knows where may bring other numbers",
	  SAVED "	mov ebx, 5\n	test edi, edi\n	jz 2f\n	mov ebx, 6\n	jmp [rsi]\n"
		"2:	cmp ebx, 5\n	jne 1f\n" BACK "1:	nop\n	ret\n",
	  "8 of 11, 1 unproven jump_unknown" },

	/* Two paths meet, and one brings what is not declared: lint_follow.c. */
	{ "what never happens brings nothing behind a meeting either",
	  MEETING("	xor eax, eax\n	jnz 1f\n", "	jmp 2f\n"), "7 of 7, 1 proven" },
	{ "what is doubted is held against what lies behind",
	  MEETING("	mov dword ptr [rsp-8], 0\n	cmp dword ptr [rsp-8], 0\n	jne 1f\n",
		  "	jmp 2f\n"),
	  "6 of 8, 1 unproven value_unknown" },
	{ "by another number the other way goes on elsewhere, and says nothing of what it doesn't "
	  "come to",
	  SAVED BACK
	  "	mov ecx, 1\n	test edi, edi\n	jz 2f\n	mov ecx, 2\n	push rdi\n"
	  "2:	cmp ecx, 2\n	jne 3f\n	add rsp, 8\n	ret\n3:	nop\n	ret\n",
	  WRONG(17, "16") "10 of 13, 1 mismatch" },
};

#define LINT_SUITE lint_never
#include "lint_cases_main.h"
