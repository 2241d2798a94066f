/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_convention.c - functions that pass arguments in registers that the psABI's callees preserve
 *
 * Cases of lint_fixture.h: rbx is pushed and has a rule, and r14 is another thing's for a while.
 */
#include "lint_fixture.h"

#define END		   "endproc; "
#define START		   "startproc; "
#define RULE		   "offset rbx, -16; "
#define PUSHED		   "push rbx; cfa 16; " RULE
#define ROOM		   "sub rsp, 16; cfa 32; "
#define STORED		   "mov [rsp+8], r14; "
#define OTHER		   "mov r14d, 3; call g@PLT; "
#define LOADED		   "mov r14, [rsp+8]; "
#define BACK		   "add rsp, 16; cfa 16; pop rbx; cfa 8; ret; "
#define POPPED		   "pop rbx; cfa 8; restore rbx; "
#define OVER		   "mov ebx, 5; "
#define LOST		   "undefined rbx; "
#define OVERWRITTEN(where) "SP004 " where " r14=none / it is 0x3\n"

static const struct lint_case lint_cases[] = {
	{ "stored where another is pushed it is an argument", PUSHED ROOM STORED OTHER LOADED BACK,
	  "7 of 9, 1 unproven not_kept" },
	{ "but not if it has a rule elsewhere",
	  PUSHED ROOM STORED OTHER "offset r14, -24; " LOADED BACK,
	  OVERWRITTEN("16..21") "8 of 9, 1 mismatch" },
	{ "nor if it is pushed, too",
	  PUSHED "push r14; cfa 24; " OTHER "pop r14; cfa 16; pop rbx; cfa 8; ret",
	  OVERWRITTEN("9..16") "5 of 7, 1 mismatch" },
	{ "nor if nothing is pushed",
	  "sub rsp, 16; cfa 24; " STORED OTHER LOADED "add rsp, 16; cfa 8; ret",
	  OVERWRITTEN("15..25") "5 of 7, 1 mismatch" },
	{ "or what is has no rule",
	  "push rax; cfa 16; " ROOM STORED OTHER LOADED "add rsp, 16; cfa 16; pop rcx; cfa 8; ret",
	  OVERWRITTEN("16..26") "7 of 9, 1 mismatch" },
	{ "nor if it is kept in another register",
	  PUSHED "mov rbx, r14; " OTHER "mov r14, rbx; pop rbx; cfa 8; ret",
	  "5 of 7, 1 unproven not_kept" },
	/* GNU C's global variable: the second register has its value, too. */
	{ "nor, if another one has it as well, once the first has not any more",
	  PUSHED
	  "mov rbx, r14; mov r14d, 3; mov rax, rbx; mov ebx, 4; mov r14, rax; pop rbx; cfa 8; ret",
	  "5 of 8, 1 unproven not_kept" },
	{ "stored by way of another register",
	  PUSHED ROOM "mov rax, r14; mov [rsp+8], rax; " OTHER
		      "mov rax, [rsp+8]; mov r14, rax; " BACK,
	  "8 of 11, 1 unproven not_kept" },
	{ "but not where nothing is pushed that has a rule",
	  "sub rsp, 24; cfa 32; mov rax, r14; mov [rsp+8], rax; " OTHER LOADED
	  "add rsp, 24; cfa 8; ret",
	  OVERWRITTEN("18..28") "6 of 8, 1 mismatch" },
	{ "nor what is in a register alone",
	  PUSHED "mov rax, r14; mov r14d, 3; nop; mov r14, rax; pop rbx; cfa 8; ret",
	  OVERWRITTEN("10..14") "5 of 7, 1 mismatch" },
	{ "nor what another fragment pushes",
	  "push r14; cfa 16; offset r14, -16; jmp 5f; " SECOND(
		  5) "cfa 16; push rbx; cfa 24; offset rbx, -24; mov r14d, 3; nop; pop rbx; "
		     "cfa 16; pop r14; cfa 8; ret",
	  OVERWRITTEN("11..15") "5 of 8, 1 mismatch, 1 proven" },
	{ "counted on, and back", "mov rax, r14; add r14, 8; nop; mov r14, rax; ret",
	  "3 of 5, 1 unproven not_kept" },
	{ "but not if it is pushed", "push r14; cfa 16; add r14, 8; nop; pop r14; cfa 8; ret",
	  "SP004 6..9 r14=none / it is the caller's r14+8\n3 of 5, 1 mismatch" },
	{ "nor another's value", "mov rax, r14; lea r14, [rbx+8]; nop; mov r14, rax; ret",
	  "SP004 7..11 r14=none / it is the caller's rbx+8\n3 of 5, 1 mismatch" },
	{ "nor rbp, which may be a frame's", "mov rax, rbp; add rbp, 8; nop; mov rbp, rax; ret",
	  "SP004 7..11 rbp=none / it is the caller's rbp+8\n3 of 5, 1 mismatch" },
	{ "one that pushes nothing: as if it was saved",
	  "mov rax, r14; mov r14d, 3; mov r14, rax; ret",
	  OVERWRITTEN("9..12") "3 of 4, 1 mismatch" },
	/* __fentry__ preserves all arguments. */
	{ "what is called before there is a frame may preserve more",
	  "call g@PLT; push rsi; cfa 16; offset rsi, -16; xor esi, esi; pop rsi; cfa 8; "
	  "restore rsi; ret",
	  "3 of 5, 1 unproven value_unknown" },
	{ "whatever stands before it",
	  "xchg ax, ax; nop; call g@PLT; push rsi; cfa 16; offset rsi, -16; xor esi, esi; pop rsi; "
	  "cfa 8; restore rsi; ret",
	  "5 of 7, 1 unproven value_unknown" },
	{ "and what is called behind it",
	  "call g@PLT; jmp 1f; 1: call g@PLT; push rsi; cfa 16; offset rsi, -16; xor esi, esi; "
	  "pop rsi; cfa 8; restore rsi; ret",
	  "5 of 7, 1 unproven value_unknown" },
	{ "but nothing brings an argument back that was overwritten before",
	  "mov rsi, [rdi]; call g@PLT; push rsi; cfa 16; offset rsi, -16; xor esi, esi; pop rsi; "
	  "cfa 8; restore rsi; ret",
	  "SP003 9..12 rsi=c-16 / it was never written there\n4 of 6, 1 mismatch" },
	{ "and what callees preserve it has no fragment in",
	  "same_value rsi; call g@PLT; mov rax, rbx; mov rbx, rsi; nop; mov rbx, rax; ret",
	  "SP004 11..15 rbx=none / it is another value\n1 of 6, 1 mismatch" },
	{ "what is called with one doesn't",
	  "sub rsp, 8; cfa 16; call g@PLT; push rsi; cfa 24; offset rsi, -24; xor esi, esi; "
	  "pop rsi; cfa 16; restore rsi; add rsp, 8; cfa 8; ret",
	  "SP003 10..13 rsi=c-24 / it was never written there\n5 of 7, 1 mismatch" },
	{ "who says that a register is lost that he pops and then overwrites",
	  PUSHED POPPED OVER LOST "nop; ret", "3 of 5, 1 unproven rule_unknown" },
	{ "and ends in a jump", PUSHED POPPED OVER LOST "nop; jmp g@PLT",
	  "3 of 5, 1 unproven rule_unknown" },
	{ "and never returns", PUSHED POPPED OVER LOST "nop; hlt",
	  "3 of 5, 1 unproven rule_unknown" },
	{ "a word that is not gone by", PUSHED OVER LOST "nop; " POPPED OVER "nop; ret",
	  "SP010 6..8 rbx=undefined / this frame still has it\n"
	  "SP004 13..15 rbx=none / it is 0x5\n3 of 7, 1 mismatch" },
	{ "the register itself", PUSHED POPPED LOST "nop; " OVER "ret",
	  "SP010 2..8 rbx=undefined / this frame still has it\n2 of 5, 1 mismatch" },
	{ "one below rsp that it is brought back from",
	  "mov [rsp-8], rbx; " OVER LOST "mov rbx, [rsp-8]; restore rbx; ret",
	  "SP010 10..15 rbx=undefined / this frame still has it\n3 of 4, 1 mismatch" },
	{ "a register that the other way has lost",
	  "test edi, edi; je 1f; mov ebx, esi; " LOST "1: nop; mov ebx, 5; ret",
	  "6 of 6, 1 proven" },
	{ "that a way may have lost which isn't seen",
	  "test edi, edi; je 1f; jmp [rdi]; 1: " LOST "nop; ret",
	  "3 of 5, 1 unproven rule_unknown" },
	{ "what a called function has written over",
	  PUSHED OVER "add rsp, 8; cfa 8; call g@PLT; " LOST "nop; ret", "6 of 6, 1 proven" },
};

#define LINT_SUITE lint_convention
#include "lint_cases_main.h"
