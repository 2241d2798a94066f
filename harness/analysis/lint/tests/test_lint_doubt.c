/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_doubt.c - values and paths of which too little is known to accuse anybody, or to prove
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

/* rbx goes to rax in some way, and from there to the word that the row says. */
#define DETOUR(how)                                                                                \
	how "	push rax\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	mov ebx, "                \
	    "3\n"                                                                                  \
	    "	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n	ret\n"

/* r15 is put aside in another register, and has another value meanwhile. */
#define VARIABLE(save, bring) save "	mov r15, rdi\n	nop\n" bring "	ret\n"
#define IN_RBX                                                                                     \
	"	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	mov rbx, "                    \
	"r15\n"
#define FROM_RBX "	mov r15, rbx\n	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"

/* A register of Swift's errors: put aside, used, and brought back. No rule is made for it. */
#define ERROR_REGISTER                                                                             \
	"	mov [rsp-8], r12\n	xor r12d, r12d\n	nop\n	mov r12, [rsp-8]\n	"                           \
	"ret\n"

/* Jump tables of four entries, of which the last leads to where the stack is another one. */
#define TABLE                                                                                      \
	"	lea rcx, 7f[rip]\n	movsxd rax, dword ptr [rcx+rax*4]\n	add rax, rcx\n"                   \
	"	jmp rax\n"                                                                               \
	"1:	ret\n2:	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call [rdi]\n"                            \
	"3:	nop\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n	ret\n"                                      \
	"	.section .rodata\n	.align 4\n7:	.long 2b-7b, 1b-7b, 1b-7b, 3b-7b\n	"                     \
	".text\n"

static const struct lint_case lint_cases[] = {
	{ "a register is saved by way of a vector register",
	  DETOUR("	movq xmm0, rbx\n	movq rax, xmm0\n"),
	  "3 of 6, 1 unproven value_unknown" },
	{ "by memory that an argument leads to",
	  DETOUR("	mov [rdi], rbx\n	mov rax, [rdi]\n"),
	  "3 of 6, 1 unproven value_unknown" },
	{ "by a thread's own word", DETOUR("	mov fs:[8], rbx\n	mov rax, fs:[8]\n"),
	  "3 of 6, 1 unproven value_unknown" },
	{ "by arithmetic", DETOUR("	mov rax, rbx\n	bswap rax\n	bswap rax\n"),
	  "4 of 7, 1 unproven value_unknown" },
	{ "another register is", DETOUR("	mov rax, rdx\n"),
	  "SP003 4..10 rbx=c-16 / there is the caller's rdx\n2 of 5, 1 mismatch" },

	{ "rsp comes from where the caller keeps it, perhaps",
	  "	sub rsp, 40\n	.cfi_def_cfa_offset 48\n	mov rsp, r12\n	"
	  ".cfi_def_cfa_offset 8\n	"
	  "nop\n	ret\n",
	  "2 of 4, 1 unproven value_unknown" },
	{ "from rbp, or by another register",
	  "	sub rsp, 40\n	.cfi_def_cfa_offset 48\n	mov rdx, rbp\n	lea rsp, "
	  "[rdx+8]\n	"
	  ".cfi_def_cfa_offset 8\n	nop\n	ret\n",
	  "3 of 5, 1 unproven value_unknown" },
	{ "a row that counts from what the caller has in rbp",
	  "	push rbx\n	.cfi_def_cfa rbp, 16\n	.cfi_offset rbx, -16\n	nop\n	pop "
	  "rbx\n	"
	  ".cfi_def_cfa rsp, 8\n	.cfi_restore rbx\n	ret\n",
	  "SP001 1..3 cfa=rbp+16 / cfa=rsp+16\n2 of 4, 1 mismatch" },

	{ "a variable in a register", VARIABLE(IN_RBX, FROM_RBX), "5 of 7, 1 unproven not_kept" },
	{ "a register that is put where nobody would have to save it",
	  VARIABLE("	mov rdx, r15\n", "	mov r15, rdx\n"),
	  "SP004 6..10 r15=none / it is the caller's rdi\n3 of 5, 1 mismatch" },

	{ "the register of errors of a Swift function", ERROR_REGISTER SECOND("$s1fyyF") LEAF,
	  "4 of 6, 1 proven, 1 unproven not_kept" },
	{ "without any", ERROR_REGISTER SECOND("s1fyyF") LEAF,
	  "SP004 8..14 r12=none / it is 0\n4 of 6, 1 mismatch, 1 proven" },

	{ "the address to return to is moved on",
	  "	pop rdi\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, rdi\n"
	  "	inc rdi\n	jmp rdi\n",
	  "2 of 3, 1 unproven value_unknown" },
	{ "it is kept elsewhere, and brought back",
	  "	mov rax, [rsp]\n	mov [r11], rax\n	mov rax, [r11]\n	mov [rsp], "
	  "rax\n	ret\n",
	  "4 of 5, 1 unproven value_unknown" },
	{ "SSE2 compares, and writes no general register",
	  "	cmpsd xmm1, xmm1, 0\n	push rsi\n	.cfi_def_cfa_offset 16\n	"
	  ".cfi_offset rsi, -16\n"
	  "	xor esi, esi\n	pop rsi\n	.cfi_def_cfa_offset 8\n	.cfi_restore rsi\n	"
	  "ret\n",
	  "5 of 5, 1 proven" },
	{ "the string instruction writes two",
	  "	cmpsd\n	push rsi\n	.cfi_def_cfa_offset 16\n	.cfi_offset rsi, -16\n"
	  "	xor esi, esi\n	pop rsi\n	.cfi_def_cfa_offset 8\n	.cfi_restore rsi\n	"
	  "ret\n",
	  "3 of 5, 1 unproven value_unknown" },

	{ "entries of a jump table: by a mask", "	mov eax, edi\n	and eax, 3\n" TABLE,
	  "9 of 12, 1 unproven jump_unknown" },
	{ "by a comparison of what it is not",
	  "	cmp edi, 3\n	ja 1f\n	lea eax, [rdi+1]\n" TABLE,
	  "10 of 13, 1 unproven jump_unknown" },
};

#define LINT_SUITE lint_doubt
#include "lint_cases_main.h"
