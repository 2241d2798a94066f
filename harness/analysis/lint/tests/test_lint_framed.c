/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_framed.c - who is entered with a frame that his first row doesn't know
 *
 * Cases of lint_fixture.h: f jumps with a frame to where another FDE begins, and what else enters that one.
 */
#include "lint_fixture.h"

/* A jump with a frame; 9 is where the other FDE begins. */
#define JUMPS                                                                                      \
	"push rbx; cfa 16; offset rbx, -16; test edi, edi; je 9f; pop rbx; cfa 8; restore rbx; "   \
	"ret; endproc; "
#define START	      "startproc; "
#define CALLS_AT_ONCE START "call 9f; ud2; endproc; "
#define OTHER	      "9: " START "nop; ud2; "
#define LATER	      "9: " START "xor eax, eax; cfa 16; offset rbx, -16; xor ecx, ecx; ud2; "
#define LATER_ON                                                                                   \
	"9: " START "xor eax, eax; cfa 16; offset rbx, -16; jmp 7f; endproc; 7: " START            \
	"cfa 16; offset rbx, -16; pop rbx; cfa 8; restore rbx; ret; "
#define ACCUSED(pc, pc_end) "SP001 " #pc ".." #pc_end " cfa=rsp+16 / cfa=rsp+8\n"
#define CALLS		    START "sub rsp, 8; cfa 16; call 9f; add rsp, 8; cfa 8; ret; endproc; "

static const struct lint_case lint_cases[] = {
	{ "nothing else does", JUMPS OTHER, "5 of 7, 1 proven, 1 unproven no_entry" },
	{ "the function is called", JUMPS CALLS OTHER, "11 of 11, 3 proven" },
	{ "by one that has no frame", JUMPS CALLS_AT_ONCE OTHER, "9 of 9, 3 proven" },
	{ "a jump without a frame leads there",
	  JUMPS START "push rax; cfa 16; pop rax; cfa 8; jmp 9f; endproc; " OTHER,
	  "10 of 10, 3 proven" },
	{ "of a function that never has one",
	  JUMPS START "test edi, edi; je 9f; ret; endproc; " OTHER, "10 of 10, 3 proven" },
	{ "an instruction makes its address", JUMPS START "lea rax, 9f[rip]; ret; endproc; " OTHER,
	  "9 of 9, 3 proven" },
	{ "one makes another address", JUMPS START "lea rax, 9f[rip+1]; ret; endproc; " OTHER,
	  "7 of 9, 2 proven, 1 unproven no_entry" },
	{ "a word keeps it", JUMPS OTHER ".data; .quad 9b; .text", "7 of 7, 2 proven" },
	{ "it has a symbol", JUMPS "g:\n" OTHER, "7 of 7, 2 proven" },
	{ "two such: each for itself",
	  JUMPS OTHER
	  "endproc; " START
	  "push rbx; cfa 16; test edi, edi; je 8f; call 9b; pop rbx; cfa 8; ret; endproc; 8: " START
	  "ud2",
	  "13 of 14, 3 proven, 1 unproven no_entry" },
	/* Right but for its first row. */
	{ "rows behind the first are not accused", JUMPS LATER,
	  "5 of 7, 1 proven, 1 unproven no_entry" },
	{ "but if the function is called", JUMPS CALLS LATER,
	  ACCUSED(23, 27) "10 of 12, 1 mismatch, 2 proven" },
	{ "by one that comes later, too",
	  JUMPS LATER "endproc; " START "sub rsp, 8; cfa 16; call 9b; add rsp, 8; cfa 8; ret",
	  ACCUSED(9, 13) "10 of 12, 1 mismatch, 2 proven" },
	{ "or if a word keeps its address", JUMPS LATER ".data; .quad 9b; .text",
	  ACCUSED(9, 13) "6 of 8, 1 mismatch, 1 proven" },
	{ "or if it has a symbol", JUMPS "g:\n" LATER,
	  ACCUSED(9, 13) "6 of 8, 1 mismatch, 1 proven" },
	{ "or if nobody jumps there with a frame", LEAF "endproc; " LATER,
	  ACCUSED(3, 7) "2 of 4, 1 mismatch, 1 proven" },
	{ "nor is what it leads to", JUMPS LATER_ON, "5 of 9, 1 proven, 2 unproven no_entry" },
	{ "the jump has none", "test edi, edi; je 9f; ret; endproc; " OTHER, "5 of 5, 2 proven" },
};

#define LINT_SUITE lint_framed
#include "lint_cases_main.h"
