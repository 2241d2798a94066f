/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_begin.c - FDEs that begin where no function does, and code that lies behind one
 *
 * Cases of lint_fixture.h. f is a function that is right; behind it is what the case is about.
 */
#include "lint_fixture.h"

#define F	      LEAF "endproc; "
#define CALLS	      "call 1f; " F
#define NAMED(symbol) ".type " #symbol ", @function; " #symbol ":; "
#define SIZED(symbol) ".size " #symbol ", . - " #symbol "; "
#define START	      "startproc; "
/* Right where rbx was pushed before the FDE begins, but for the first row. */
#define BEHIND_PUSH                                                                                \
	START "push rbp; cfa 24; offset rbx, -16; offset rbp, -24; pop rbp; cfa 16; restore rbp; " \
	      "pop rbx; cfa 8; restore rbx; ret; "
/* A function that goes on in another FDE, or seems to. */
#define HALF(label) "push rbx; cfa 16; offset rbx, -16; nop; endproc; " label START
/* A jump by four cases; the last is behind the FDE, here or at 16 bytes. */
#define CASES(before)                                                                              \
	"cmp edi, 3; ja 1f; mov edi, edi; lea rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; "   \
	"add rax, rdx; jmp rax; 1: ret; 2: ret; 3: ret; " before                                   \
	"endproc; 4: mov eax, 4; ret; .section .rodata; 9: .long 1b-9b, 2b-9b, 3b-9b, 4b-9b; "     \
	".text; .p2align 4; z: startproc; ret; "

static const struct lint_case lint_cases[] = {
	{ "a function with a name whose FDE begins behind its first push: one row is wrong",
	  F NAMED(g) "push rbx; " BEHIND_PUSH SIZED(g),
	  "SP001 2..3 cfa=rsp+8 / cfa=rsp+16\nSP006 1..2 no FDE covers it / it is a function, or "
	  "something leads there\n4 of 5, 1 mismatch, 1 proven" },
	{ "the same of one that is called", CALLS "1: push rbx; " BEHIND_PUSH,
	  "SP001 7..8 cfa=rsp+8 / cfa=rsp+16\nSP006 6..7 no FDE covers it / it is a function, or "
	  "something leads there\n5 of 6, 1 mismatch, 1 proven" },
	{ "of one that is jumped to: whoever jumps may have a frame",
	  "test edi, edi; je 1f; " F "1: push rbx; " BEHIND_PUSH,
	  "SP006 5..6 no FDE covers it / it is a function, or something leads there\n"
	  "3 of 7, 1 proven, 1 unproven no_entry" },
	{ "of one that nobody names: no row of it is known", F "push rbx; " BEHIND_PUSH,
	  "1 of 5, 1 proven, 1 unproven no_entry" },
	{ "with more ways into it than one, neither",
	  F NAMED(g) "push rbx; test edi, edi; je 2f; 2: " BEHIND_PUSH SIZED(g),
	  "SP006 1..6 no FDE covers it / it is a function, or something leads there\n"
	  "1 of 5, 1 proven, 1 unproven no_entry" },
	{ "who has a name begins there, whatever lies before it",
	  F "push rbx; " NAMED(g) START "nop; ret; " SIZED(g), "3 of 3, 2 proven" },
	{ "who is called, too", CALLS "push rbx; 1: " START "nop; ret", "4 of 4, 2 proven" },
	{ "code that goes elsewhere before it is no doubt",
	  F "push rbx; pop rbx; ret; " START "nop; ret", "3 of 3, 2 proven" },
	{ "nor are data, where no-ops follow", F ".byte 0x53, 0x3e; .p2align 4; " START "nop; ret",
	  "3 of 3, 2 proven" },
	{ "nor are zeros", F ".zero 13; " START "nop; ret", "3 of 3, 2 proven" },
	{ "who would return elsewhere if it was called there was perhaps not called",
	  HALF("") "pop rbx; ret", "2 of 4, 1 proven, 1 unproven no_entry" },
	{ "who has a symbol was", HALF("g: ") "push rax; ret",
	  "SP001 3..4 cfa=rsp+8 / cfa=rsp+16\n3 of 4, 1 mismatch, 1 proven" },
	{ "who has none perhaps not", HALF("") "push rax; ret",
	  "2 of 4, 1 proven, 1 unproven no_entry" },
	{ "who returns as it should was, too", HALF("") "ret", "3 of 3, 2 proven" },
	{ "the last case of a switch behind the FDE is not covered", CASES("nop; "),
	  "SP006 27..33 no FDE covers it / it is a function, or something leads there\n"
	  "11 of 11, 2 proven" },
	{ "a function in the FDE of one that doesn't come back: whoever calls it has no frame",
	  ".type f, @function; push rbx; cfa 16; offset rbx, -16; ud2; " SIZED(
		  f) ".globl g; " NAMED(g) "nop; ret; " SIZED(g),
	  "SP001 3..5 cfa=rsp+16 / cfa=rsp+8\nSP012 3..5 an FDE of 5 bytes from 0x0 / its function "
	  "ends at 0x3, here another begins that has other rows\n2 of 4, 1 mismatch" },
	{ "where another function may begin, it is what compilers do with cases that can't be",
	  CASES(".p2align 4; "), "11 of 11, 2 proven" },
};

#define LINT_SUITE lint_begin
#include "lint_cases_main.h"
