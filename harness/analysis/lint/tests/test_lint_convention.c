/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_convention.c - functions that pass arguments in registers that the psABI's callees preserve
 *
 * Cases of lint_fixture.h: rbx is pushed and has a rule, and r14 is another thing's for a while.
 */
#include "lint_fixture.h"

#define END    "	.cfi_endproc\n"
#define START  "	.cfi_startproc\n"
#define RULE   "	.cfi_offset rbx, -16\n"
#define PUSHED "	push rbx\n	.cfi_def_cfa_offset 16\n" RULE
#define ROOM   "	sub rsp, 16\n	.cfi_def_cfa_offset 32\n"
#define STORED "	mov [rsp+8], r14\n"
#define OTHER  "	mov r14d, 3\n	call g@PLT\n"
#define LOADED "	mov r14, [rsp+8]\n"
#define BACK                                                                                       \
	"	add rsp, 16\n	.cfi_def_cfa_offset 16\n	pop rbx\n"                                        \
	"	.cfi_def_cfa_offset 8\n	ret\n"
#define POPPED		   "	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"
#define OVER		   "	mov ebx, 5\n"
#define LOST		   "	.cfi_undefined rbx\n"
#define OVERWRITTEN(where) "SP004 " where " r14=none / it is 0x3\n"

static const struct lint_case lint_cases[] = {
	{ "stored where another is pushed it is an argument", PUSHED ROOM STORED OTHER LOADED BACK,
	  "7 of 9, 1 unproven not_kept" },
	{ "but not if it has a rule elsewhere",
	  PUSHED ROOM STORED OTHER "	.cfi_offset r14, -24\n" LOADED BACK,
	  OVERWRITTEN("16..21") "8 of 9, 1 mismatch" },
	{ "nor if it is pushed, too",
	  PUSHED "	push r14\n	.cfi_def_cfa_offset 24\n" OTHER
		 "	pop r14\n	.cfi_def_cfa_offset 16\n	pop rbx\n	"
		 ".cfi_def_cfa_offset 8\n"
		 "	ret\n",
	  OVERWRITTEN("9..16") "5 of 7, 1 mismatch" },
	{ "nor if nothing is pushed",
	  "	sub rsp, 16\n	.cfi_def_cfa_offset 24\n" STORED OTHER LOADED
	  "	add rsp, 16\n	.cfi_def_cfa_offset 8\n	ret\n",
	  OVERWRITTEN("15..25") "5 of 7, 1 mismatch" },
	{ "or what is has no rule",
	  "	push rax\n	.cfi_def_cfa_offset 16\n" ROOM STORED OTHER LOADED
	  "	add rsp, 16\n	.cfi_def_cfa_offset 16\n	pop rcx\n	"
	  ".cfi_def_cfa_offset 8\n	ret\n",
	  OVERWRITTEN("16..26") "7 of 9, 1 mismatch" },
	{ "nor if it is kept in another register",
	  PUSHED "	mov rbx, r14\n" OTHER
		 "	mov r14, rbx\n	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "5 of 7, 1 unproven not_kept" },
	/* GNU C's global variable: the second register has its value, too. */
	{ "nor, if another one has it as well, once the first has not any more",
	  PUSHED
	  "	mov rbx, r14\n	mov r14d, 3\n	mov rax, rbx\n	mov ebx, 4\n	mov r14, rax\n"
	  "	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "5 of 8, 1 unproven not_kept" },
	{ "stored by way of another register",
	  PUSHED ROOM "	mov rax, r14\n	mov [rsp+8], rax\n" OTHER
		      "	mov rax, [rsp+8]\n	mov r14, rax\n" BACK,
	  "8 of 11, 1 unproven not_kept" },
	{ "but not where nothing is pushed that has a rule",
	  "	sub rsp, 24\n	.cfi_def_cfa_offset 32\n	mov rax, r14\n	mov [rsp+8], "
	  "rax\n" OTHER LOADED "	add rsp, 24\n	.cfi_def_cfa_offset 8\n	ret\n",
	  OVERWRITTEN("18..28") "6 of 8, 1 mismatch" },
	{ "nor what is in a register alone",
	  PUSHED "	mov rax, r14\n	mov r14d, 3\n	nop\n	mov r14, rax\n	pop rbx\n"
		 "	.cfi_def_cfa_offset 8\n	ret\n",
	  OVERWRITTEN("10..14") "5 of 7, 1 mismatch" },
	{ "nor what another fragment pushes",
	  "	push r14\n	.cfi_def_cfa_offset 16\n	.cfi_offset r14, -16\n	jmp "
	  "5f\n" SECOND(
		  5) "	.cfi_def_cfa_offset 16\n	push rbx\n	.cfi_def_cfa_offset 24\n"
		     "	.cfi_offset rbx, -24\n	mov r14d, 3\n	nop\n	pop rbx\n	"
		     ".cfi_def_cfa_offset 16\n"
		     "	pop r14\n	.cfi_def_cfa_offset 8\n	ret\n",
	  OVERWRITTEN("11..15") "5 of 8, 1 mismatch, 1 proven" },
	{ "counted on, and back",
	  "	mov rax, r14\n	add r14, 8\n	nop\n	mov r14, rax\n	ret\n",
	  "3 of 5, 1 unproven not_kept" },
	{ "but not if it is pushed",
	  "	push r14\n	.cfi_def_cfa_offset 16\n	add r14, 8\n	nop\n	pop r14\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n",
	  "SP004 6..9 r14=none / it is the caller's r14+8\n3 of 5, 1 mismatch" },
	{ "nor another's value",
	  "	mov rax, r14\n	lea r14, [rbx+8]\n	nop\n	mov r14, rax\n	ret\n",
	  "SP004 7..11 r14=none / it is the caller's rbx+8\n3 of 5, 1 mismatch" },
	{ "nor rbp, which may be a frame's",
	  "	mov rax, rbp\n	add rbp, 8\n	nop\n	mov rbp, rax\n	ret\n",
	  "SP004 7..11 rbp=none / it is the caller's rbp+8\n3 of 5, 1 mismatch" },
	{ "one that pushes nothing: as if it was saved",
	  "	mov rax, r14\n	mov r14d, 3\n	mov r14, rax\n	ret\n",
	  OVERWRITTEN("9..12") "3 of 4, 1 mismatch" },
	/* __fentry__ preserves all arguments. */
	{ "what is called before there is a frame may preserve more",
	  "	call g@PLT\n	push rsi\n	.cfi_def_cfa_offset 16\n	.cfi_offset rsi, "
	  "-16\n"
	  "	xor esi, esi\n	pop rsi\n	.cfi_def_cfa_offset 8\n	.cfi_restore rsi\n	"
	  "ret\n",
	  "3 of 5, 1 unproven value_unknown" },
	{ "whatever stands before it",
	  "	xchg ax, ax\n	nop\n	call g@PLT\n	push rsi\n	"
	  ".cfi_def_cfa_offset 16\n	.cfi_offset rsi, -16\n"
	  "	xor esi, esi\n	pop rsi\n	.cfi_def_cfa_offset 8\n	.cfi_restore rsi\n	"
	  "ret\n",
	  "5 of 7, 1 unproven value_unknown" },
	{ "and what is called behind it",
	  "	call g@PLT\n	jmp 1f\n1:	call g@PLT\n	push rsi\n	"
	  ".cfi_def_cfa_offset 16\n	.cfi_offset rsi, -16\n"
	  "	xor esi, esi\n	pop rsi\n	.cfi_def_cfa_offset 8\n	.cfi_restore rsi\n	"
	  "ret\n",
	  "5 of 7, 1 unproven value_unknown" },
	{ "but nothing brings an argument back that was overwritten before",
	  "	mov rsi, [rdi]\n	call g@PLT\n	push rsi\n	"
	  ".cfi_def_cfa_offset 16\n	.cfi_offset rsi, -16\n"
	  "	xor esi, esi\n	pop rsi\n	.cfi_def_cfa_offset 8\n	.cfi_restore rsi\n	"
	  "ret\n",
	  "SP003 9..12 rsi=c-16 / it was never written there\n4 of 6, 1 mismatch" },
	{ "and what callees preserve it has no fragment in",
	  "	.cfi_same_value rsi\n	call g@PLT\n	mov rax, rbx\n"
	  "	mov rbx, rsi\n	nop\n	mov rbx, rax\n	ret\n",
	  "SP004 11..15 rbx=none / it is another value\n1 of 6, 1 mismatch" },
	{ "what is called with one doesn't",
	  "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call g@PLT\n	push rsi\n"
	  "	.cfi_def_cfa_offset 24\n	.cfi_offset rsi, -24\n	xor esi, esi\n	pop rsi\n"
	  "	.cfi_def_cfa_offset 16\n	.cfi_restore rsi\n	add rsp, 8\n	"
	  ".cfi_def_cfa_offset 8\n	ret\n",
	  "SP003 10..13 rsi=c-24 / it was never written there\n5 of 7, 1 mismatch" },
	{ "who says that a register is lost that he pops and then overwrites",
	  PUSHED POPPED OVER LOST "	nop\n	ret\n", "3 of 5, 1 unproven rule_unknown" },
	{ "and ends in a jump", PUSHED POPPED OVER LOST "	nop\n	jmp g@PLT\n",
	  "3 of 5, 1 unproven rule_unknown" },
	{ "and never returns", PUSHED POPPED OVER LOST "	nop\n	hlt\n",
	  "3 of 5, 1 unproven rule_unknown" },
	{ "a word that is not gone by",
	  PUSHED OVER LOST "	nop\n" POPPED OVER "	nop\n	ret\n",
	  "SP010 6..8 rbx=undefined / this frame still has it\n"
	  "SP004 13..15 rbx=none / it is 0x5\n3 of 7, 1 mismatch" },
	{ "the register itself", PUSHED POPPED LOST "	nop\n" OVER "	ret\n",
	  "SP010 2..8 rbx=undefined / this frame still has it\n2 of 5, 1 mismatch" },
	{ "one below rsp that it is brought back from",
	  "	mov [rsp-8], rbx\n" OVER LOST
	  "	mov rbx, [rsp-8]\n	.cfi_restore rbx\n	ret\n",
	  "SP010 10..15 rbx=undefined / this frame still has it\n3 of 4, 1 mismatch" },
	{ "a register that the other way has lost",
	  "	test edi, edi\n	je 1f\n	mov ebx, esi\n" LOST
	  "1:	nop\n	mov ebx, 5\n	ret\n",
	  "6 of 6, 1 proven" },
	{ "that a way may have lost which isn't seen",
	  "	test edi, edi\n	je 1f\n	jmp [rdi]\n1:" LOST "	nop\n	ret\n",
	  "3 of 5, 1 unproven rule_unknown" },
	{ "what a called function has written over",
	  PUSHED OVER "	add rsp, 8\n	.cfi_def_cfa_offset 8\n	call g@PLT\n" LOST
		      "	nop\n	ret\n",
	  "6 of 6, 1 proven" },
};

#define LINT_SUITE lint_convention
#include "lint_cases_main.h"
