/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_never.c - paths that the code itself rules out, and paths that only look so
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

/* rbx is saved, and back where a branch goes past, but not where it goes to: the label is wrong if it is taken. */
#define SAVED		"push rbx; cfa 16; offset rbx, -16; "
#define BACK		"pop rbx; restore rbx; cfa 8; "
#define PAST(branch)	SAVED branch " 1f; " BACK "1: nop; ret; "
#define WRONG(begin, n) "SP001 " #begin ".." #begin " from " n " cfa=rsp+8 / cfa=rsp+16\n"

#define LEAS(n) ".rept " n "; lea rdx, [rsi]; .endr; "

/* The same the other path round: the branch is always taken, to where all is right. */
#define OVER(branch) SAVED BACK branch " 2f; push rdi; jmp 3f; 2: nop; 3: nop; ret; "

/* What brings another frame to where it ends, and what doesn't. */
#define MEETING(branch, end) branch end "1: push rdi; cfa 16; jmp 2f; cfa 8; 2: nop; ret; "

static const struct lint_case lint_cases[] = {
	{ "xor, test, jnz", PAST("xor eax, eax; test eax, eax; jnz"), "7 of 7, 1 proven" },
	{ "the flags of xor", PAST("xor eax, eax; jnz"), "6 of 6, 1 proven" },
	{ "of sub", PAST("sub eax, eax; js"), "6 of 6, 1 proven" },
	{ "clc, jc", PAST("clc; jc"), "6 of 6, 1 proven" },
	{ "stc, jnc", PAST("stc; jnc"), "6 of 6, 1 proven" },
	{ "stc, cmc, jc", PAST("stc; cmc; jc"), "7 of 7, 1 proven" },
	{ "a comparison with a number", PAST("mov ebx, 5; cmp ebx, 5; jne"), "7 of 7, 1 proven" },
	{ "signed: -1 is less", PAST("mov ebx, -1; cmp ebx, 1; jg"), "7 of 7, 1 proven" },
	{ "unsigned: it is above", PAST("mov ebx, -1; cmp ebx, 1; jb"), "7 of 7, 1 proven" },
	{ "64 bits: 0xffffffff is above 1, and no less", PAST("mov ebx, -1; cmp rbx, 1; jl"),
	  "7 of 7, 1 proven" },
	{ "8 bits of 0x100 are 0", PAST("mov ebx, 0x100; test bl, bl; jnz"), "7 of 7, 1 proven" },
	{ "two registers", PAST("mov ebx, 5; mov ecx, 6; cmp ebx, ecx; jae"), "8 of 8, 1 proven" },
	{ "a sum that overflows", PAST("mov ebx, 0x7fffffff; add ebx, 1; jno"),
	  "7 of 7, 1 proven" },
	{ "or does, of two registers", PAST("or esi, r10d; jc"), "6 of 6, 1 proven" },
	{ "of memory", PAST("or eax, [rdi]; jo"), "6 of 6, 1 proven" },
	{ "into memory", PAST("and [rdi], rax; jc"), "6 of 6, 1 proven" },
	{ "of registers' fragments", PAST("xor al, ah; jc"), "6 of 6, 1 proven" },
	{ "no sum does", PAST("add eax, [rdi]; jc"), WRONG(6, "3") "4 of 6, 1 mismatch" },
	{ "its result nobody knows", PAST("or eax, [rdi]; jz"),
	  WRONG(6, "3") "4 of 6, 1 mismatch" },
	{ "numbers in two registers", PAST("mov ecx, 256; mov edx, 2; xor rcx, rdx; jz"),
	  "8 of 8, 1 proven" },
	{ "their sum", PAST("mov ecx, -1; mov edx, 1; add ecx, edx; jnc"), "8 of 8, 1 proven" },
	{ "one of them is not known", PAST("mov ecx, 256; xor rcx, rdx; jz"),
	  WRONG(12, "9") "5 of 7, 1 mismatch" },
	{ "or with a number is not 0", PAST("or eax, 1; jz"), "6 of 6, 1 proven" },
	{ "nor with -1, which is all", PAST("or eax, -1; jnp"), "6 of 6, 1 proven" },
	{ "a sign that is set", PAST("or al, 0x81; jns"), "6 of 6, 1 proven" },
	{ "other bits don't set it", PAST("or al, 1; jns"), WRONG(6, "3") "4 of 6, 1 mismatch" },
	{ "a sign that is cleared", PAST("and eax, 0x7fffffff; js"), "6 of 6, 1 proven" },
	{ "one that may be left", PAST("and eax, -8; js"), WRONG(7, "4") "4 of 6, 1 mismatch" },
	{ "what is and with 0", PAST("and eax, 0; jnz"), "6 of 6, 1 proven" },
	{ "whether bits are left nobody knows", PAST("and eax, 3; jz"),
	  WRONG(7, "4") "4 of 6, 1 mismatch" },
	{ "or with 0 does", PAST("or rax, 0; jz"), WRONG(8, "5") "4 of 6, 1 mismatch" },
	{ "and with -1 leaves all", PAST("and rax, -1; jnz"), WRONG(8, "5") "4 of 6, 1 mismatch" },
	{ "test clears the carry, of whatever", PAST("test edi, edi; jc"), "6 of 6, 1 proven" },
	{ "jrcxz with 1", PAST("mov ecx, 1; jrcxz"), "6 of 6, 1 proven" },
	{ "loop, the last time", PAST("mov ecx, 1; loop"), "6 of 6, 1 proven" },
	{ "two branches of which one is taken", OVER("test edi, edi; jz 2f; jnz"),
	  "9 of 10, 1 unproven not_reached" },
	{ "the flags go with a jump", PAST("xor eax, eax; jmp 4f; 4: lea rdx, [rsi]; jnz"),
	  "8 of 8, 1 proven" },
	{ "to a branch that is the fourth instruction there",
	  PAST("xor eax, eax; jmp 4f; 4: " LEAS("3") "jnz"), "10 of 10, 1 proven" },
	{ "but not to one that is further away", PAST("xor eax, eax; jmp 4f; 4: " LEAS("4") "jnz"),
	  WRONG(20, "17") "9 of 11, 1 mismatch" },
	{ "a way that never happens leaves out a landing where all is wrong",
	  SAVED BACK "xor eax, eax; jz 2f; push rdi; push rsi; ret; 2: nop; ret",
	  "7 of 9, 1 unproven not_reached" },

	{ "what a mask leaves is not above it", PAST("and eax, 3; cmp eax, 3; ja"),
	  "7 of 7, 1 proven" },
	{ "nor is it as large as what is above the mask", PAST("and eax, 3; cmp eax, 4; jae"),
	  "7 of 7, 1 proven" },
	{ "it may be above less", PAST("and eax, 3; cmp eax, 2; ja"),
	  "SP001 10..10 from 7 cfa=rsp+8 / cfa=rsp+16\n5 of 7, 1 mismatch" },
	{ "what a comparison has said is no more than it has compared",
	  SAVED "cmp al, 3; ja 2f; cmp eax, 3; ja 1f; 2: " BACK "1: nop; ret",
	  "SP001 11..11 from 8 cfa=rsp+8 / cfa=rsp+16\n6 of 8, 1 mismatch" },
	{ "another fragment's way is not followed",
	  SAVED "and eax, 3; cmp eax, 3; ja 9f; " BACK "ret; " SECOND(g) SAVED
	  "push rdi; cfa 24; nop; endproc; 9: startproc; cfa 24; offset rbx, -16; add rsp, 8; "
	  "cfa 16; " BACK "ret",
	  "12 of 12, 3 proven" },
	{ "by another bound on one of two ways",
	  PAST("test edi, edi; jz 4f; and eax, 7; jmp 5f; 4: and eax, 3; 5: cmp eax, 3; ja"),
	  "SP001 19..19 from 16 cfa=rsp+8 / cfa=rsp+16\n9 of 11, 1 mismatch" },
	{ "by one that was kept in memory on one of them it is doubted",
	  PAST("and eax, 3; test edi, edi; jz 4f; mov [rsp-8], rax; mov rax, [rsp-8]; "
	       "4: cmp eax, 3; ja"),
	  "9 of 11, 1 unproven value_unknown" },
	{ "flags that the branch doesn't ask for", PAST("test edi, edi; jnz"),
	  WRONG(6, "3") "4 of 6, 1 mismatch" },
	{ "inc leaves the carry", PAST("mov ebx, -1; cmp edi, esi; inc ebx; jc"),
	  WRONG(13, "10") "6 of 8, 1 mismatch" },
	{ "high bits count", PAST("mov ebx, 0x100; test bh, bh; jnz"),
	  WRONG(11, "8") "5 of 7, 1 mismatch" },
	{ "a call may leave any flags", PAST("xor eax, eax; call [rdi]; jnz"),
	  WRONG(8, "5") "5 of 7, 1 mismatch" },
	{ "a loop comes back with another number",
	  SAVED "xor ebx, ebx; 4: cmp ebx, 1; je 1f; mov ebx, 1; test edi, edi; jne 4b; " BACK
		"1: nop; ret",
	  WRONG(18, "6") "8 of 10, 1 mismatch" },

	{ "a hypervisor answers in any register", PAST("mov ecx, 5; in eax, dx; cmp ecx, 5; jne"),
	  WRONG(13, "10") "6 of 8, 1 mismatch" },

	{ "a number in memory is only doubted",
	  PAST("mov dword ptr [rsp-8], 0; cmp dword ptr [rsp-8], 0; jne"),
	  "5 of 7, 1 unproven value_unknown" },
	{ "so is one that a register has from there",
	  PAST("xor eax, eax; mov [rsp-8], rax; mov rcx, [rsp-8]; test ecx, ecx; jnz"),
	  "7 of 9, 1 unproven value_unknown" },
	{ "and an address that counts from where the image is",
	  PAST("lea rax, 1f[rip]; test rax, rax; jz"), "5 of 7, 1 unproven value_unknown" },
	{ "another store comes between",
	  PAST("mov dword ptr [rsp-8], 0; mov [rsp-6], di; cmp dword ptr [rsp-8], 0; jne"),
	  WRONG(22, "19") "6 of 8, 1 mismatch" },
	{ "a call does",
	  SAVED "sub rsp, 16; cfa 32; mov dword ptr [rsp+8], 0; call [rdi]; "
		"cmp dword ptr [rsp+8], 0; jne 1f; add rsp, 16; cfa 16; " BACK "1: nop; ret",
	  "SP001 27..27 from 20 cfa=rsp+8 / cfa=rsp+32\n8 of 10, 1 mismatch" },
	{ "a jump to nobody knows where may bring other numbers",
	  SAVED
	  "mov ebx, 5; test edi, edi; jz 2f; mov ebx, 6; jmp [rsi]; 2: cmp ebx, 5; jne 1f; " BACK
	  "1: nop; ret",
	  "8 of 11, 1 unproven jump_unknown" },

	/* Two paths meet, and one brings what is not declared: lint_follow.c. */
	{ "what never happens brings nothing behind a meeting either",
	  MEETING("xor eax, eax; jnz 1f; ", "jmp 2f; "), "7 of 7, 1 proven" },
	{ "what is doubted is held against what lies behind",
	  MEETING("mov dword ptr [rsp-8], 0; cmp dword ptr [rsp-8], 0; jne 1f; ", "jmp 2f; "),
	  "6 of 8, 1 unproven value_unknown" },
	{ "by another number the other way goes on elsewhere, and says nothing of what it doesn't "
	  "come to",
	  SAVED BACK "mov ecx, 1; test edi, edi; jz 2f; mov ecx, 2; push rdi; 2: cmp ecx, 2; "
		     "jne 3f; add rsp, 8; ret; 3: nop; ret",
	  WRONG(17, "16") "10 of 13, 1 mismatch" },
};

#define LINT_SUITE lint_never
#include "lint_cases_main.h"
