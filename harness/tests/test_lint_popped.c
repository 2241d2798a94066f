/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_popped.c - callees that take their arguments off the stack
 *
 * Cases of lint_fixture.h. f pushes an argument and calls what takes it off, or doesn't.
 */
#include "lint_fixture.h"

#define START	 "	.cfi_startproc\n"
#define END	 "	.cfi_endproc\n"
#define PUSHES	 "	push rdi\n	.cfi_def_cfa_offset 16\n"
#define GONE	 "	.cfi_def_cfa_offset 8\n"
#define CALLS(g) PUSHES "	call " g "\n"
#define TAKES	 END "9:" START "	mov rax, [rsp+8]\n	ret 8\n"
#define GAP(end) "SP006 7.." #end " no FDE covers it / it is a function, or something leads there\n"
#define HAND	 "	pop rcx\n	add rsp, 8\n	push rcx\n	ret\n"
#define LEA	 "	pop rcx\n	lea rsp, [rsp+8]\n	push rcx\n	ret\n"
#define ROOM	 "	sub rsp, 8\n"
#define BACK	 "	add rsp, 8\n"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "rows that say so are right", CALLS("9f") GONE "	inc eax\n	ret\n" TAKES,
	  "6 of 6, 2 proven" },
	{ "rows that don't are not, if it comes back",
	  CALLS("9f") "	inc eax\n	ret\n" TAKES, "4 of 6, 1 proven, 1 unproven behind_call" },
	{ "nor is the room that is made again before they say so",
	  CALLS("9f") ROOM "	inc eax\n" BACK GONE "	ret\n" TAKES,
	  "4 of 8, 1 proven, 1 unproven behind_call" },
	{ "who keeps a frame has it by that",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n"
	  "	.cfi_def_cfa_register rbp\n	push rdi\n	call 9f\n	leave\n	"
	  ".cfi_def_cfa rsp, 8\n"
	  "	.cfi_restore rbp\n	ret\n" TAKES,
	  "8 of 8, 2 proven" },
	{ "through another function",
	  CALLS("8f") GONE "	ret\n" END "8:" START "	jmp 9f\n" TAKES, "6 of 6, 3 proven" },
	{ "one that does it by hand, and has no FDE",
	  CALLS("9f") GONE "	ret\n" END "9:" HAND START "	ret\n",
	  GAP(14) "4 of 4, 2 proven" },
	{ "the other way", CALLS("9f") "	ret\n" END "9:" LEA START "	ret\n",
	  GAP(15) "3 of 4, 1 proven, 1 unproven behind_call" },
	{ "what only looks like that",
	  CALLS("8f") "	pop rdi\n" GONE "	mov eax, 0x1008c2\n	ret\n" END "8:" START
		      "	ret\n",
	  "6 of 6, 2 proven" },
	{ "a callee elsewhere of whom the rows say it: nobody knows",
	  CALLS("g@PLT") ROOM "	inc eax\n" BACK GONE "	ret\n",
	  "2 of 6, 1 unproven value_unknown" },
	{ "one by a pointer", CALLS("[rsi]") ROOM "	inc eax\n" BACK GONE "	ret\n",
	  "2 of 6, 1 unproven value_unknown" },
	{ "if the rows say that room is made it is",
	  CALLS("g@PLT") ROOM "	.cfi_def_cfa_offset 24\n	inc eax\n	add rsp, 16\n" GONE
			      "	ret\n",
	  "6 of 6, 1 proven" },
	{ "the rows of one that is here are held against its code",
	  CALLS("9f") ROOM "	inc eax\n	add rsp, 16\n" GONE "	ret\n" END "9:" START
			   "	ret\n",
	  "SP001 10..16 cfa=rsp+16 / cfa=rsp+24\n5 of 7, 1 mismatch, 1 proven" },
};
/* clang-format on */

#define LINT_SUITE "lint_popped"
#include "lint_cases_main.h"
