/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_doubt.c - values and paths of which too little is known to accuse anybody, or to prove
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

/* rbx goes to rax in some way, and from there to the word that the row says. */
#define DETOUR(how)                                                                                \
	how "push rax; cfa 16; offset rbx, -16; mov ebx, 3; pop rbx; cfa 8; restore rbx; ret; "

/* r15 is put aside in another register, and has another value meanwhile. */
#define VARIABLE(save, bring) save "mov r15, rdi; nop; " bring "ret; "
#define IN_RBX		      "push rbx; cfa 16; offset rbx, -16; mov rbx, r15; "
#define FROM_RBX	      "mov r15, rbx; pop rbx; cfa 8; restore rbx; "

/* A register of Swift's errors: put aside, used, and brought back. No rule is made for it. */
#define ERROR_REGISTER "mov [rsp-8], r12; xor r12d, r12d; nop; mov r12, [rsp-8]; ret; "

/* Jump tables of four entries, of which the last leads to where the stack is another one. */
#define TABLE                                                                                      \
	"lea rcx, 7f[rip]; movsxd rax, dword ptr [rcx+rax*4]; add rax, rcx; jmp rax; 1: ret; 2: "  \
	"sub rsp, 8; cfa 16; call [rdi]; 3: nop; add rsp, 8; cfa 8; ret; .section .rodata; "       \
	".align 4; 7: .long 2b-7b, 1b-7b, 1b-7b, 3b-7b; .text; "

static const struct lint_case lint_cases[] = {
	{ "a register is saved by way of a vector register",
	  DETOUR("movq xmm0, rbx; movq rax, xmm0; "), "3 of 6, 1 unproven value_unknown" },
	{ "by memory that an argument leads to", DETOUR("mov [rdi], rbx; mov rax, [rdi]; "),
	  "3 of 6, 1 unproven value_unknown" },
	{ "by a thread's own word", DETOUR("mov fs:[8], rbx; mov rax, fs:[8]; "),
	  "3 of 6, 1 unproven value_unknown" },
	{ "by arithmetic", DETOUR("mov rax, rbx; bswap rax; bswap rax; "),
	  "4 of 7, 1 unproven value_unknown" },
	{ "another register is", DETOUR("mov rax, rdx; "),
	  "SP003 4..10 rbx=c-16 / there is the caller's rdx\n2 of 5, 1 mismatch" },

	{ "rsp comes from where the caller keeps it, perhaps",
	  "sub rsp, 40; cfa 48; mov rsp, r12; cfa 8; nop; ret",
	  "2 of 4, 1 unproven value_unknown" },
	{ "from rbp, or by another register",
	  "sub rsp, 40; cfa 48; mov rdx, rbp; lea rsp, [rdx+8]; cfa 8; nop; ret",
	  "3 of 5, 1 unproven value_unknown" },
	{ "a row that counts from what the caller has in rbp",
	  "push rbx; cfa rbp, 16; offset rbx, -16; nop; pop rbx; cfa rsp, 8; restore rbx; ret",
	  "SP001 1..3 cfa=rbp+16 / cfa=rsp+16\n2 of 4, 1 mismatch" },

	{ "a variable in a register", VARIABLE(IN_RBX, FROM_RBX), "5 of 7, 1 unproven not_kept" },
	{ "a register that is put where nobody would have to save it",
	  VARIABLE("mov rdx, r15; ", "mov r15, rdx; "),
	  "SP004 6..10 r15=none / it is the caller's rdi\n3 of 5, 1 mismatch" },

	{ "the register of errors of a Swift function", ERROR_REGISTER SECOND("$s1fyyF") LEAF,
	  "4 of 6, 1 proven, 1 unproven not_kept" },
	{ "without any", ERROR_REGISTER SECOND("s1fyyF") LEAF,
	  "SP004 8..14 r12=none / it is 0\n4 of 6, 1 mismatch, 1 proven" },

	{ "the address to return to is moved on",
	  "pop rdi; cfa 0; register rip, rdi; inc rdi; jmp rdi",
	  "2 of 3, 1 unproven value_unknown" },
	{ "it is kept elsewhere, and brought back",
	  "mov rax, [rsp]; mov [r11], rax; mov rax, [r11]; mov [rsp], rax; ret",
	  "4 of 5, 1 unproven value_unknown" },
	{ "SSE2 compares, and writes no general register",
	  "cmpsd xmm1, xmm1, 0; push rsi; cfa 16; offset rsi, -16; xor esi, esi; pop rsi; cfa 8; "
	  "restore rsi; ret",
	  "5 of 5, 1 proven" },
	{ "the string instruction writes two",
	  "cmpsd; push rsi; cfa 16; offset rsi, -16; xor esi, esi; pop rsi; cfa 8; restore rsi; "
	  "ret",
	  "3 of 5, 1 unproven value_unknown" },

	{ "entries of a jump table: by a mask", "mov eax, edi; and eax, 3; " TABLE,
	  "9 of 12, 1 unproven jump_unknown" },
	{ "by a comparison of what it is not", "cmp edi, 3; ja 1f; lea eax, [rdi+1]; " TABLE,
	  "10 of 13, 1 unproven jump_unknown" },
};

#define LINT_SUITE lint_doubt
#include "lint_cases_main.h"
