/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint.c - functions in assembly, right and wrong ones, and what lint says of each
 *
 * The cases are of lint_fixture.h. Those about what would be proven or accused by mistake are in
 * test_lint_sound.c.
 */
#include "tests/suite.h"
#include "lint_fixture.h"

/* Two functions with frames of 16 and 24 bytes that lead to g_cold. */
#define TWO_TO_COLD                                                                                \
	"	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"                              \
	"	test edi, edi\n	je g_cold\n	pop rbx\n	.cfi_def_cfa_offset 8\n	"                          \
	"ret\n" SECOND(                                                                            \
		g) "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n"                   \
		   "	push rax\n	.cfi_def_cfa_offset 24\n	test edi, edi\n	jne "                     \
		   "g_cold\n"                                                                      \
		   "1:	pop rax\n	.cfi_def_cfa_offset 16\n	pop rbp\n	"                              \
		   ".cfi_def_cfa_offset "                                                          \
		   "8\n	ret\n" SECOND(g_cold) "	.cfi_offset rbp, -16\n"

/* A function that has another one called first if there is too little stack. */
#define SPLIT(callee)                                                                              \
	"	cmp rsp, fs:0x70\n	jb 1f\n2:	push rbx\n	.cfi_def_cfa_offset 16\n"                        \
	"	.cfi_offset rbx, -16\n	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore "                  \
	"rbx\n	ret\n"                                                                              \
	"1:	call " callee "\n	ret\n	jmp 2b\n	.cfi_endproc\n" callee             \
	":	.cfi_startproc\n	xor eax, eax\n	ret\n"

static const struct lint_case lint_cases[] = {
	{ "a function that was right until another led into it",
	  "	nop\n1:	nop\n	ret\n" SECOND(
		  g) "	push rbx\n	.cfi_def_cfa_offset 16\n"
		     "	je 1b\n	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "SP001 1..3 cfa=rsp+8 / cfa=rsp+16\n5 of 7, 1 mismatch, 1 proven" },
	{ "the first function of an image, which only a fragment calls that nobody leads to",
	  "	.hidden f\n	.cfi_def_cfa_offset 16\n	nop\n	ud2\n" SECOND(
		  h) "	.cfi_def_cfa_offset 16\n	call f\n	ud2\n",
	  "SP005 0..1 cfa=rsp+16 / cfa=rsp+8\nSP001 1..3 cfa=rsp+16 / cfa=rsp+8\n0 of 3, 1 "
	  "mismatch, 1 unproven no_entry" },
	{ "nothing moves", "	xor eax, eax\n" LEAF, "2 of 2, 1 proven" },
	{ "a push with its directive",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	mov rbx, rdi\n	call g@PLT\n	mov rax, rbx\n"
	  "	pop rbx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "6 of 6, 1 proven" },
	{ "a push without one", "	push rbx\n	mov eax, 1\n	pop rbx\n" LEAF,
	  "SP001 1..7 cfa=rsp+8 / cfa=rsp+16\n2 of 4, 1 mismatch" },
	{ "a directive too early is a register that is not saved",
	  "	.cfi_offset rbx, -16\n	push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	xor ebx, ebx\n	pop rbx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "SP003 0..1 rbx=c-16 / nothing was written there\n3 of 4, 1 mismatch" },
	{ "a register saved elsewhere",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n"
	  "	pop rbx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "SP003 1..3 rbp=c-16 / there is the caller's rbx\n1 of 3, 1 mismatch" },
	{ "a register used and not declared, and brought back",
	  "	mov rax, rbx\n	mov rbx, rdi\n	mov rbx, rax\n	ret\n",
	  "SP004 6..9 rbx=none / it is the caller's rdi\n3 of 4, 1 mismatch" },
	{ "a register that another convention has no rule for",
	  "	mov rbx, rdi\n	xor eax, eax\n	ret\n", "1 of 3, 1 unproven not_kept" },
	{ "the same, kept for a while, and not brought back",
	  "	mov rax, rbx\n	mov rbx, rdi\n	nop\n	ret\n", "2 of 4, 1 unproven not_kept" },
	{ "the same, but a row says where it is: without a rule it is unchanged",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	mov rbx, "
	  "rdi\n	pop rcx\n"
	  "	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n	ret\n",
	  "SP004 5..6 rbx=none / it is the caller's rdi\n3 of 4, 1 mismatch" },
	{ "the same, that one of two ways brings to a block: it is brought back behind it",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	test edi, edi\n	je 1f\n"
	  "	mov rbx, rdi\n	test esi, esi\n	jne 1f\n	xor eax, eax\n1:	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n",
	  "SP004 14..14 from 10 rbx=none / it is the caller's rdi\n"
	  "SP004 8..14 rbx=none / it is the caller's rdi\n"
	  "SP004 14..14 from 12 rbx=none / it is the caller's rdi\n5 of 9, 1 mismatch" },
	{ "the same, first by the way on which it is another value",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	test edi, edi\n	jne 2f\n"
	  "	nop\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n2:	.cfi_def_cfa_offset 16\n"
	  "	mov rbx, rdi\n	jmp 1b\n",
	  "SP004 6..6 from 11 rbx=none / it is the caller's rdi\n"
	  "SP004 11..13 rbx=none / it is the caller's rdi\n6 of 8, 1 mismatch" },
	{ "the same, handed to another function",
	  "	test edi, edi\n	jne 1f\n	ret\n1:	mov rax, rbx\n	mov rbx, rdi\n	jmp "
	  "[rsi]\n",
	  "5 of 6, 1 unproven not_kept" },
	{ "a call that returns into another way's row",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n	call 2f\n"
	  "	.cfi_def_cfa_offset 8\n1:	nop\n	ret\n	.cfi_endproc\n"
	  "	.cfi_startproc\n2:	ret\n",
	  "5 of 7, 1 proven, 1 unproven behind_call" },
	{ "the same of a call that nobody knows",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n	call "
	  "[rdi]\n"
	  "	.cfi_def_cfa_offset 8\n1:	nop\n	ret\n",
	  "4 of 6, 1 unproven behind_call" },
	{ "and of one that never returns",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n	call "
	  "abort@PLT\n"
	  "	.cfi_def_cfa_offset 8\n1:	nop\n	ret\n",
	  "6 of 6, 1 proven" },
	{ "a rule for rsp",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rsp, -16\n"
	  "	pop rbx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "1 of 3, 1 unproven rule_unknown" },
	{ "a store with an index that is known",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	xor ecx, "
	  "ecx\n"
	  "	mov qword ptr [rsp+rcx*8], 99\n	nop\n	pop rbx\n	.cfi_def_cfa_offset 8\n"
	  "	.cfi_restore rbx\n" LEAF,
	  "SP003 11..13 rbx=c-16 / there is another value\n3 of 6, 1 mismatch" },
	{ "a part of a word that is written back", "	mov al, [rsp]\n	mov [rsp], al\n" LEAF,
	  "2 of 3, 1 unproven value_unknown" },
	{ "what is declared to be the same", "	.cfi_same_value rbx\n	mov ebx, edi\n" LEAF,
	  "SP004 2..3 rbx=same / it is another value\n1 of 2, 1 mismatch" },
	{ "the number of a register that is cleared",
	  "	.cfi_same_value rbp\n	xor ebp, ebp\n" LEAF,
	  "SP004 2..3 rbp=same / it is 0\n1 of 2, 1 mismatch" },
	{ "a copy brought back",
	  "	mov rax, rbx\n	.cfi_register rbx, rax\n	xor ebx, ebx\n"
	  "	mov rbx, rax\n	.cfi_same_value rbx\n" LEAF,
	  "4 of 4, 1 proven" },
	{ "a frame pointer",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n"
	  "	mov rbp, rsp\n	.cfi_def_cfa_register rbp\n	sub rsp, rdi\n	call g@PLT\n"
	  "	leave\n	.cfi_def_cfa rsp, 8\n" LEAF,
	  "6 of 6, 1 proven" },
	{ "a frame pointer declared too early",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n"
	  "	.cfi_def_cfa_register rbp\n	mov rbp, rsp\n	leave\n	.cfi_def_cfa rsp, 8\n" LEAF,
	  "SP001 1..4 cfa=rbp+16 / cfa=rsp+16\n3 of 4, 1 mismatch" },
	{ "a number that is extended by its sign",
	  "	mov eax, -16\n	cdqe\n	add rsp, rax\n	.cfi_def_cfa_offset 24\n"
	  "	mov ecx, -8\n	movsxd rdx, ecx\n	add rsp, rdx\n	.cfi_def_cfa_offset 32\n"
	  "	mov ecx, 24\n	movsxd rcx, ecx\n	add rsp, rcx\n	.cfi_def_cfa_offset "
	  "8\n" LEAF,
	  "10 of 10, 1 proven" },
	{ "a CFA by what a call's argument points to accuses nobody",
	  "	xor eax, eax\n	.cfi_def_cfa rdi, 8\n" LEAF, "1 of 2, 1 unproven value_unknown" },
	{ "a register declared lost", "	.cfi_undefined rbx\n	xor eax, eax\n" LEAF,
	  "SP010 0..3 rbx=undefined / this frame still has it\n0 of 2, 1 mismatch" },
	{ "a register declared to be the address where it is",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_val_offset rbx, -16\n"
	  "	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_same_value rbx\n" LEAF,
	  "SP003 1..2 rbx=v-16 / there is the caller's rbx\n2 of 3, 1 mismatch" },
	{ "code that goes on behind its FDE",
	  "	xor eax, eax\n	.cfi_endproc\nh:	ret\nk:	.cfi_startproc\n	ret\n",
	  "SP006 2..3 no FDE covers it / it is a function, or something leads there\n2 of 2, 2 "
	  "proven" },
	{ "a stack that is aligned, with the CFA in a word of it",
	  "	lea r10, [rsp+8]\n	.cfi_def_cfa r10, 0\n	and rsp, -32\n	push [r10-8]\n"
	  "	push rbp\n	mov rbp, rsp\n	.cfi_escape 0x10,6,2,0x76,0\n	push r10\n"
	  "	.cfi_escape 0x0f,3,0x76,0x78,0x06\n	sub rsp, 40\n	call g@PLT\n"
	  "	mov r10, [rbp-8]\n	.cfi_def_cfa r10, 0\n	leave\n	.cfi_restore rbp\n"
	  "	lea rsp, [r10-8]\n	.cfi_def_cfa rsp, 8\n" LEAF,
	  "12 of 12, 1 proven" },
	{ "a word that is counted from the caller's register, of one that is here",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_escape 0x10,6,2,0x76,0\n"
	  "	mov rbp, rsp\n	pop rbp\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "SP003 1..4 rbp=exp(breg6+0) / it is in rbp, and that word counts from the caller's "
	  "rbp\n"
	  "SP003 5..6 rbp=exp(breg6+0) / it is in rbp, and that word counts from the caller's "
	  "rbp\n"
	  "2 of 4, 1 mismatch" },
	{ "a word that is counted from the caller's register, of one that is not",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_escape 0x10,3,2,0x76,0\n"
	  "	mov rbx, rdi\n	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore "
	  "rbx\n" LEAF,
	  "SP003 1..4 rbx=exp(breg6+0) / it is in rbx, and that word counts from the caller's "
	  "rbp\n"
	  "2 of 4, 1 mismatch" },
	{ "a register saved in a word that is counted from an aligned CFA",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n"
	  "	.cfi_def_cfa_register rbp\n	and rsp, -64\n	sub rsp, 64\n	mov [rsp+8], rbx\n"
	  "	.cfi_escape 0x10,3,0x0e,0x38,0x1c,0x0d,0xc0,0xff,0xff,0xff\n"
	  "	.cfi_escape 0x1a,0x0d,0xc8,0xff,0xff,0xff,0x22\n	xor ebx, ebx\n	mov rbx, "
	  "[rsp+8]\n	.cfi_restore rbx\n	leave\n"
	  "	.cfi_def_cfa rsp, 8\n" LEAF,
	  "9 of 9, 1 proven" },
	{ "counted from another paragraph it is not known",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n"
	  "	.cfi_def_cfa_register rbp\n	and rsp, -64\n	sub rsp, 64\n	mov [rsp+8], rbx\n"
	  "	.cfi_escape 0x10,3,0x0e,0x48,0x1c,0x0d,0xc0,0xff,0xff,0xff\n"
	  "	.cfi_escape 0x1a,0x0d,0xc8,0xff,0xff,0xff,0x22\n	xor ebx, ebx\n	mov rbx, "
	  "[rsp+8]\n	.cfi_restore rbx\n	leave\n"
	  "	.cfi_def_cfa rsp, 8\n" LEAF,
	  "7 of 9, 1 unproven value_unknown" },
	{ "room made behind a call that touches it, whose size it leaves in rax",
	  "	mov eax, 0x2008\n	call 5f\n	sub rsp, rax\n	.cfi_def_cfa_offset "
	  "0x2010\n"
	  "	add rsp, 0x2008\n	.cfi_def_cfa_offset 8\n	ret\n" SECOND(
		  5) "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	"
		     "mov rbp, rsp\n"
		     "	.cfi_def_cfa_register rbp\n	mov r11, rax\n1:	sub rsp, 0x1000\n"
		     "	test [rsp+8], rsp\n	sub r11, 0x1000\n	cmp r11, 0x1000\n	ja "
		     "1b\n"
		     "	leave\n	.cfi_def_cfa rsp, 8\n" LEAF,
	  "15 of 15, 2 proven" },
	{ "room of a size that the call may have changed",
	  "	mov eax, 0x2008\n	call 5f\n	sub rsp, rax\n	.cfi_def_cfa_offset "
	  "0x2010\n"
	  "	add rsp, 0x2008\n	.cfi_def_cfa_offset 8\n	ret\n" SECOND(
		  5) "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	"
		     "mov rbp, rsp\n"
		     "	.cfi_def_cfa_register rbp\n	mov r11, rax\n1:	sub rsp, 0x1000\n"
		     "	test [rsp+8], rsp\n	sub r11, 0x1000\n	cmp r11, 0x1000\n	ja "
		     "1b\n	mov eax, 1\n"
		     "	leave\n	.cfi_def_cfa rsp, 8\n" LEAF,
	  "14 of 16, 1 proven, 1 unproven value_unknown" },
	{ "room made in steps, to a register's address",
	  "	lea r11, [rsp-0x3000]\n	.cfi_def_cfa r11, 0x3008\n"
	  "1:	sub rsp, 0x1000\n	or qword ptr [rsp], 0\n	cmp rsp, r11\n	jne 1b\n"
	  "	.cfi_def_cfa_register rsp\n	mov rax, [rsp]\n	add rsp, 0x3000\n"
	  "	.cfi_def_cfa_offset 8\n" LEAF,
	  "8 of 8, 1 proven" },
	{ "an addition moved before a branch, its directive not",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	sub rsp, 16\n	.cfi_def_cfa_offset 32\n	call g@PLT\n	add rsp, 16\n"
	  "	test al, al\n	je 1f\n	.cfi_def_cfa_offset 16\n	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n1:	.cfi_def_cfa_offset 16\n	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n" LEAF,
	  "SP001 14..18 cfa=rsp+32 / cfa=rsp+16\n8 of 10, 1 mismatch" },
	{ "two ways that differ: the one that is wrong is named",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n"
	  "	.cfi_def_cfa_offset 8\n1:	nop\n	xor eax, eax\n" LEAF,
	  "SP001 5..5 from 4 cfa=rsp+8 / cfa=rsp+16\n3 of 6, 1 mismatch" },
	{ "padding before another block's row: what is never reached falls into it",
	  "	test edi, edi\n	je 2f\n	push rax\n	.cfi_def_cfa_offset 16\n	test esi, "
	  "esi\n"
	  "	jne 1f\n	pop rax\n	.cfi_def_cfa_offset 8\n	ret\n"
	  "2:	test edx, edx\n	je 3f\n	nop\n	.cfi_def_cfa_offset 16\n1:	pop rax\n"
	  "	.cfi_def_cfa_offset 8\n3:	xor eax, eax\n" LEAF,
	  "13 of 13, 1 proven" },
	{ "behind a call that never returns another block begins",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n"
	  "	call g@PLT\n	.cfi_def_cfa_offset 8\n1:	xor eax, eax\n" LEAF,
	  "4 of 6, 1 unproven behind_call" },
	{ "the same with padding",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n"
	  "	call g@PLT\n	nop\n	.cfi_def_cfa_offset 8\n1:	xor eax, eax\n" LEAF,
	  "6 of 7, 1 unproven behind_call" },
	{ "a jump behind such a call is none of the program's",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n"
	  "	call g@PLT\n	jmp 1f\n	.cfi_def_cfa_offset 8\n1:	xor eax, "
	  "eax\n" LEAF,
	  "5 of 7, 1 unproven behind_call" },
	{ "behind such a call, and nothing else leads there",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	call g@PLT\n	"
	  ".cfi_def_cfa_offset 8\n"
	  "	xor eax, eax\n" LEAF,
	  "2 of 4, 1 unproven behind_call" },
	{ "a name that is known never to return",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	call abort@PLT\n	ud2\n",
	  "2 of 2, 1 proven" },
	{ "a jump table with a comparison",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	mov ebx, edi\n	cmp edi, 1\n	ja 1f\n	mov edi, edi\n"
	  "	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n"
	  "	jmp rax\n2:	mov eax, 5\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n"
	  "	.section .rodata\n9:	.long 2b-9b, 1b-9b\n	.text\n",
	  "12 of 12, 1 proven" },
	{ "a jump table without one ends where it leaves the function",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	mov ebx, [rdi]\n	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rbx*4]\n"
	  "	add rax, rdx\n	jmp rax\n2:	mov eax, 5\n1:	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n"
	  "	.section .rodata\n9:	.long 2b-9b, 1b-9b, 0x7fffffff\n	.text\n",
	  "9 of 9, 1 proven" },
	{ "an entry of it that leads behind the function is a case that never happens",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	mov ebx, [rdi]\n	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rbx*4]\n"
	  "	add rax, rdx\n	jmp rax\n2:	mov eax, 5\n	ud2\n1:	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n8:\n"
	  "	.section .rodata\n9:	.long 2b-9b, 8b-9b, 1b-9b, 0x7fffffff\n	.text\n",
	  "10 of 10, 1 proven" },
	{ "the same with a comparison",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	mov ebx, edi\n	cmp edi, 2\n	ja 1f\n	mov edi, edi\n"
	  "	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n"
	  "	jmp rax\n2:	mov eax, 5\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n8:\n"
	  "	.section .rodata\n9:	.long 2b-9b, 8b-9b, 1b-9b\n	.text\n",
	  "12 of 12, 1 proven" },
	{ "a comparison that is another one's does not say how long the table is",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	mov ebx, edi\n	cmp edi, 2\n	ja 1f\n	mov edi, edi\n"
	  "	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n"
	  "	jmp rax\n2:	mov eax, 5\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	"
	  "ret\n" SECOND(g) "	push rax\n	.cfi_def_cfa_offset 16\n	push rax\n	"
			    ".cfi_def_cfa_offset 24\n"
			    "3:	nop\n	xor eax, eax\n	add rsp, 16\n	.cfi_def_cfa_offset 8\n	"
			    "ret\n"
			    "	.section .rodata\n9:	.long 2b-9b, 1b-9b, 3b-9b\n	.text\n",
	  "18 of 18, 2 proven" },
	{ "of a comparison's values some went another way since: the table ends where another "
	  "begins",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	mov ebx, "
	  "edi\n"
	  "	cmp ebx, 3\n	ja 1f\n	lea rdx, 8f[rip]\n	movsxd rax, dword ptr "
	  "[rdx+rbx*4]\n"
	  "	add rax, rdx\n	jmp rax\n"
	  "2:	xor ecx, ecx\n	lea rdx, 7f[rip]\n	movsxd rax, dword ptr [rdx+rbx*4]\n"
	  "	add rax, rdx\n	jmp rax\n"
	  "3:	mov eax, 5\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n"
	  "	.section .rodata\n7:	.long 3b-7b, 1b-7b\n8:	.long 2b-8b, 2b-8b, 3b-8b, "
	  "3b-8b\n	.text\n",
	  "16 of 16, 1 proven" },
	{ "a jump that goes nobody knows where",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	jmp [rdi]\n"
	  "	pop rbx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "1 of 4, 1 unproven jump_unknown" },
	{ "such a jump may lead to what others lead to as well: rows that are not the jump's are "
	  "unproven",
	  "	test edi, edi\n	je 1f\n	push rdi\n	.cfi_def_cfa_offset 16\n	jmp [rsi]\n"
	  "	.cfi_def_cfa_offset 8\n1:	xor eax, eax\n" LEAF,
	  "1 of 6, 1 unproven jump_unknown" },
	{ "rows that are the jump's stay proven",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	mov ebx, "
	  "edi\n"
	  "	test edi, edi\n	je 1f\n	jmp [rsi]\n1:	xor eax, eax\n	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n" LEAF,
	  "6 of 8, 1 unproven jump_unknown" },
	{ "of two such jumps what both have counts",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	test edi, "
	  "edi\n"
	  "	je 1f\n	jmp [rsi]\n1:	push rdi\n	.cfi_def_cfa_offset 24\n	jmp "
	  "[rsi]\n",
	  "0 of 6, 1 unproven jump_unknown" },
	{ "in place of a call: it leads to another function",
	  "	test edi, edi\n	je 1f\n	jmp [rsi]\n1:	push rax\n	.cfi_def_cfa_offset "
	  "16\n	"
	  "pop rax\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "6 of 6, 1 proven" },
	{ "code behind a jump that nothing leads to",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	pop rax\n	"
	  ".cfi_def_cfa_offset 8\n"
	  "	ret\n	xor eax, eax\n" LEAF,
	  "3 of 5, 1 unproven not_reached" },
	{ "padding is neither proven nor missing",
	  "	push rax\n	.cfi_def_cfa_offset 16\n"
	  "	pop rax\n	.cfi_def_cfa_offset 8\n"
	  "	ret\n	nop\n	int3\n	ud2\n",
	  "3 of 3, 1 proven" },
	{ "to know where it is: no call",
	  "	call 1f\n1:	.cfi_def_cfa_offset 16\n	pop rax\n	"
	  ".cfi_def_cfa_offset 8\n" LEAF,
	  "3 of 3, 1 proven" },
	{ "the end of the stack, in a function that returns", "	.cfi_undefined rip\n" LEAF,
	  "SP002 0..1 ra=undefined / there is the return address\n0 of 1, 1 mismatch" },
	{ "the end of the stack, where nothing returns",
	  "	.cfi_undefined rip\n	xor ebp, ebp\n	call g@PLT\n	hlt\n",
	  "0 of 3, 1 unproven rule_unknown" },
	{ "the end of the stack, in one that goes on in another such function",
	  "	.cfi_undefined rip\n	jmp h\n	.cfi_endproc\nh:	.cfi_startproc\n"
	  "	.cfi_undefined rip\n	hlt\n",
	  "0 of 2, 2 unproven rule_unknown" },
	{ "the end of the stack, in one whose caller another returns to",
	  "	.cfi_undefined rip\n	jmp h\n	.cfi_endproc\nh:	.cfi_startproc\n" LEAF,
	  "SP002 0..2 ra=undefined / there is the return address\n1 of 2, 1 mismatch, 1 proven" },
	{ "the end of the stack, beside a way that returns",
	  "	mov eax, 56\n	syscall\n	test eax, eax\n	je 1f\n	ret\n"
	  "1:	.cfi_undefined rip\n	xor ebp, ebp\n	call g@PLT\n	hlt\n",
	  "3 of 8, 1 unproven value_unknown" },
	{ "a return address moved",
	  "	pop rax\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, rax\n	jmp rax\n",
	  "2 of 2, 1 proven" },
	{ "a return address overwritten", "	mov [rsp], rdi\n	xor eax, eax\n" LEAF,
	  "SP002 4..7 ra=c-8 / there is the caller's rdi\n1 of 3, 1 mismatch" },
	{ "a return address in two halves",
	  "	nop\n	.cfi_escape 0x10,16,2,0x77,4\n	xor eax, eax\n" LEAF,
	  "SP002 1..4 ra=exp(breg7+4) / there is another value\n1 of 3, 1 mismatch" },
	{ "a state that was never remembered",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	mov ebx, edi\n	.cfi_escape 0x0b\n	pop rbx\n	.cfi_def_cfa_offset "
	  "8\n" LEAF,
	  "SP011 3..5 no remembered state to restore / no row from here on\n"
	  "2 of 4, 1 unproven malformed" },
	{ "half of a CFA that hangs on no register, and that a row hangs on",
	  "	.cfi_escape 0x0f, 2, 0x77, 8\n	nop\n	.cfi_def_cfa_offset 8\n	nop\n"
	  "	.cfi_def_cfa rsp, 8\n" LEAF,
	  "SP011 1..3 half of a CFA rule is changed where there is none / no row from here on\n"
	  "1 of 3, 1 unproven malformed" },
	{ "one that another rule replaces",
	  "	.cfi_escape 0x0f, 2, 0x77, 8\n	nop\n	.cfi_def_cfa_offset 16\n"
	  "	.cfi_escape 0x0f, 2, 0x77, 8\n	nop\n" LEAF,
	  "3 of 3, 1 proven" },
	{ "an instruction of another machine accuses nobody",
	  "	nop\n	.cfi_escape 0x2d\n	xor eax, eax\n" LEAF,
	  "1 of 3, 1 unproven malformed" },
	{ "a row that begins inside an instruction",
	  "	.byte 0xb8\n	.cfi_remember_state\n	.byte 1\n	.cfi_def_cfa_offset 16\n"
	  "	.byte 0, 0, 0\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "SP007 0..5 a row begins at 0x2 / the instruction has 5 bytes from 0x0\n1 of 2, 1 "
	  "mismatch" },
	{ "what a vector register or a mask writes is not known, and accuses nobody",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	movups [rsp-8], xmm0\n	pop rbx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "a register saved by way of a vector register",
	  "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	movq xmm0, rbx\n	movq "
	  "[rsp], xmm0\n"
	  "	.cfi_offset rbx, -16\n	xor ebx, ebx\n	mov rbx, [rsp]\n	add rsp, 8\n"
	  "	.cfi_def_cfa_offset 8\n" LEAF,
	  "3 of 7, 1 unproven value_unknown" },
	{ "a probe writes nothing",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	xor qword ptr [rsp], 0\n	and qword ptr [rsp], -1\n	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n" LEAF,
	  "5 of 5, 1 proven" },
	{ "as many bytes as a number says",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	lea rdi, [rsp-8]\n	mov ecx, 2\n	xor eax, eax\n	rep stosq\n	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n" LEAF,
	  "4 of 7, 1 unproven value_unknown" },
	{ "a call by hand is another function's affair",
	  "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	lea rax, 1f[rip]\n	push rax\n"
	  "	.cfi_def_cfa_offset 24\n	jmp g@PLT\n1:	.cfi_def_cfa_offset 16\n"
	  "	add rsp, 8\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "4 of 6, 1 unproven not_reached" },
	{ "a barrier writes nothing",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	lock or qword ptr [rsp], 0\n	pop rbx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "4 of 4, 1 proven" },
	{ "a saved word that is overwritten",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	mov dword ptr [rsp], 0\n	pop rbx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "SP003 8..9 rbx=c-16 / there is another value\n2 of 4, 1 mismatch" },
	{ "one that the code has no more: nobody knows where it is, and perhaps nobody comes there",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	mov ebx, "
	  "edi\n"
	  "	mov dword ptr [rsp], 0\n	nop\n	pop rbx\n	.cfi_def_cfa_offset "
	  "8\n" LEAF,
	  "3 of 6, 1 unproven not_kept" },
	{ "what lies below rsp is a called function's",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	call g@PLT\n" LEAF,
	  "3 of 4, 1 unproven behind_call" },
	{ "a register kept in a vector register is not followed, and accuses nobody",
	  "	movq xmm0, rbx\n	mov rbx, rdi\n	.cfi_undefined rbx\n	movq rbx, xmm0\n"
	  "	.cfi_same_value rbx\n" LEAF,
	  "3 of 4, 1 unproven value_unknown" },
	{ "a variable that a called function may have changed is no known address",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	sub rsp, "
	  "32\n"
	  "	.cfi_def_cfa_offset 48\n	mov rdi, rsp\n	mov [rsp+8], rsp\n	call "
	  "g@PLT\n"
	  "	mov rdx, [rsp+8]\n	mov [rdx+32], rax\n	add rsp, 32\n	"
	  ".cfi_def_cfa_offset 16\n"
	  "	pop rbx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "10 of 10, 1 proven" },
	{ "but what it puts back to rsp it has kept for itself",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov "
	  "[rsp-8], rsp\n"
	  "	mov rsp, [rsp-8]\n	mov [rsp], rdi\n	pop rbp\n	"
	  ".cfi_def_cfa_offset 8\n" LEAF,
	  "SP003 15..17 rbp=c-16 / there is the caller's rdi\n4 of 6, 1 mismatch" },
	{ "a part of it elsewhere, with its own FDE",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	test edi, "
	  "edi\n"
	  "	jne f_cold\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
	  "f_cold:	.cfi_startproc\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, "
	  "-16\n"
	  "	mov eax, 1\n	jmp 1b\n",
	  "7 of 7, 2 proven" },
	{ "the same with another CFA there",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	test edi, "
	  "edi\n"
	  "	jne f_cold\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
	  "f_cold:	.cfi_startproc\n	.cfi_def_cfa_offset 24\n	.cfi_offset rbx, "
	  "-16\n"
	  "	mov eax, 1\n	jmp 1b\n",
	  "SP001 7..14 cfa=rsp+24 / cfa=rsp+16\n5 of 7, 1 mismatch, 1 proven" },
	{ "a fragment belongs to whoever has the frame that its first row says",
	  TWO_TO_COLD "	.cfi_def_cfa_offset 24\n	mov eax, 1\n	jmp 1b\n",
	  "14 of 14, 3 proven" },
	{ "if nobody has, to the function that it leads back to",
	  TWO_TO_COLD "	.cfi_def_cfa_offset 32\n	mov eax, 1\n	jmp 1b\n",
	  "SP001 16..23 cfa=rsp+32 / cfa=rsp+24\n12 of 14, 1 mismatch, 2 proven" },
	{ "if it leads back to nobody, nobody is accused",
	  TWO_TO_COLD "	.cfi_def_cfa_offset 32\n	mov eax, 1\n	ud2\n",
	  "12 of 13, 2 proven, 1 unproven no_entry" },
	{ "what a compiler holds to be unreachable falls into another function's fragment",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	test edi, "
	  "edi\n"
	  "	je 1f\n	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n1:	.cfi_def_cfa_offset 16\n"
	  "	mov eax, 1\n" SECOND(
		  g_cold) "	.cfi_def_cfa_offset 24\n	mov eax, 1\n	ud2\n",
	  "6 of 7, 1 proven, 1 unproven no_entry" },
	{ "a fragment that nothing leads to",
	  LEAF "	.cfi_endproc\nf_cold:	.cfi_startproc\n	.cfi_def_cfa_offset 24\n"
	       "	mov eax, 1\n	ud2\n",
	  "1 of 2, 1 proven, 1 unproven no_entry" },
	{ "where another function's fragment begins is the end of what compilers jump to",
	  "	sub rsp, 24\n	.cfi_def_cfa_offset 32\n	cmp edi, 1\n	ja g.cold\n"
	  "	add rsp, 24\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
	  "	.type g.cold, @function\ng.cold:	.cfi_startproc\n	xor eax, eax\n"
	  "	ud2\n",
	  "7 of 7, 2 proven" },
	{ "a fragment that is named so, and begins with a function's row",
	  "	sub rsp, 24\n	.cfi_def_cfa_offset 32\n	cmp edi, 1\n	ja f.cold\n"
	  "	add rsp, 24\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
	  "	.type f.cold, @function\nf.cold:	.cfi_startproc\n	xor eax, eax\n"
	  "	ud2\n",
	  "SP001 14..18 cfa=rsp+8 / cfa=rsp+32\n5 of 7, 1 mismatch, 1 proven" },
	{ "one that is called begins with another function's row",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	call h\n	pop rax\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\nh:	.cfi_startproc\n"
	  "	.cfi_def_cfa_offset 16\n	xor eax, eax\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "SP005 8..10 cfa=rsp+16 / cfa=rsp+8\n5 of 6, 1 mismatch, 1 proven" },
	{ "code that is called and has no FDE",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	call h\n	pop rax\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\nh:	ret\n"
	  "k:	.cfi_startproc\n	ret\n",
	  "SP006 8..9 no FDE covers it / it is a function, or something leads there\n5 of 5, 2 "
	  "proven" },
	{ "zeros between functions are no code",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	test edi, edi\n	jne 1f\n"
	  "	pop rax\n	.cfi_def_cfa_offset 8\n	ret\n1:	.cfi_endproc\n"
	  "	.byte 0, 0\nk:	.cfi_startproc\n	ret\n",
	  "6 of 6, 2 proven" },
	{ "a call behind an entry that may be none of a jump table's accuses nobody",
	  "	mov ecx, [rdi]\n	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rcx*4]\n"
	  "	add rax, rdx\n	jmp rax\n2:	push rax\n	.cfi_def_cfa_offset 16\n"
	  "	call h\n	pop rax\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
	  "h:	ret\nk:	.cfi_startproc\n	ret\n"
	  "	.section .rodata\n9:	.long 2b-9b, 0x7fffffff\n	.text\n",
	  "10 of 10, 2 proven" },
	{ "what calls its caller on another stack comes to behind the return", SPLIT("__morestack"),
	  "10 of 10, 2 proven" },
	{ "what does not, doesn't", SPLIT("more"), "9 of 10, 1 proven, 1 unproven not_reached" },
	{ "bytes that are no instruction",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	.byte 0x06\n	pop rax\n"
	  "	.cfi_def_cfa_offset 8\n" LEAF,
	  "1 of 4, 1 unproven undecoded" },
};

START_TEST(a_function_is_judged)
{
	judge_function(&lint_cases[_i]);
}
END_TEST

/* Of more words than have room nothing changes any more: else two of a loop's blocks wake each other for
 * ever. */
START_TEST(full_states_come_to_rest)
{
	struct flow_state a, b;

	flow_state_enter(&a);
	flow_state_enter(&b);
	for (int i = 0; i < 2 * FLOW_WORDS_MAX; i++) {
		struct value at = { .kind = VALUE_CFA, .number = -16 - 8 * i };
		struct value value = { .kind = VALUE_ENTRY, .reg = REGISTER_RDI };

		flow_word_write(i % 2 ? &a : &b, &at, 8, value);
	}
	ck_assert(a.words_lost && b.words_lost);
	ck_assert(flow_state_join(&a, &b));
	ck_assert(!flow_state_join(&a, &b));
	ck_assert(flow_state_join(&b, &a));
	ck_assert(!flow_state_join(&b, &a));
}
END_TEST

START_TEST(ids_are_found_by_name)
{
	ck_assert_int_eq(lint_id_find("SP001"), LINT_CFA);
	ck_assert_int_eq(lint_id_find("sp009"), LINT_SEARCH_TABLE);
	ck_assert_int_eq(lint_id_find("SP014"), LINT_NONE);
	ck_assert_int_eq(lint_id_find(""), LINT_NONE);
	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++)
		ck_assert_int_eq(lint_id_find(lint_id_name((enum lint_id)i)), i);
}
END_TEST

SUITE(lint, GROUP(functions), LOOP(a_function_is_judged, lint_cases), GROUP(ids),
      TEST(ids_are_found_by_name), TEST(full_states_come_to_rest))
