/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_arguments.c - rules of registers that no callee preserves
 *
 * Cases of lint_fixture.h. Such a register may be again what it was by arithmetic, and who is called in this image may
 * leave it alone. Nobody is accused of what he doesn't claim: the same of rbx has cases in test_lint_sound.c.
 */
#include "lint_fixture.h"

#define SAME "same_value rdx; nop; "
#define ROOM "sub rsp, 16; cfa 24; "
#define WORD "offset rdx, -16; nop; restore rdx; "
#define BACK "add rsp, 16; cfa 8; ret; "
#define PUSH "push rdx; cfa 16; offset rdx, -16; nop; "
#define POP  "pop rdx; cfa 8; restore rdx; ret; "

/* What is called, a function of its own. */
#define CALLEE SECOND(callee) "ret; "

static const struct lint_case lint_cases[] = {
	{ "put back by a sum", "add rdx, rcx; sub rdx, rcx; " SAME LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "by a difference", "sub rdx, rcx; add rdx, rcx; " SAME LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "by an address", "lea rdx, [rdx+rcx]; sub rdx, rcx; " SAME LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "by a number, behind a sum", "add rdx, rcx; sub rdx, 8; " SAME LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "in two loops",
	  "mov eax, 3; 1: add rdx, rcx; dec eax; jnz 1b; mov eax, 3; 2: sub rdx, rcx; dec eax; "
	  "jnz 2b; " SAME LEAF,
	  "8 of 10, 1 unproven value_unknown" },
	{ "whose low bits were 0", "and rdx, -2; " SAME LEAF, "1 of 3, 1 unproven value_unknown" },
	{ "whose high half was 0", "mov edx, edx; " SAME LEAF, "1 of 3, 1 unproven value_unknown" },
	{ "one sum is another value", "add rdx, rcx; " SAME LEAF,
	  "SP004 3..5 rdx=same / it is another value\n1 of 3, 1 mismatch" },
	{ "as is one of other registers", "mov rdx, [rsi]; add rdx, 8; " SAME LEAF,
	  "SP004 7..9 rdx=same / it is another value\n2 of 4, 1 mismatch" },
	{ "saved when it is back",
	  "add rdx, rcx; sub rdx, rcx; " ROOM "mov [rsp+8], rdx; " WORD BACK,
	  "6 of 7, 1 unproven value_unknown" },
	{ "nothing is saved there", "add rdx, rcx; sub rdx, rcx; " ROOM WORD BACK,
	  "SP003 10..11 rdx=c-16 / nothing was written there\n5 of 6, 1 mismatch" },
	{ "nor is it by another value", ROOM "mov rdx, [rsi]; mov [rsp], rdx; " WORD BACK,
	  "SP003 11..12 rdx=c-16 / it was never written there\n5 of 6, 1 mismatch" },
	{ "what others save is none of it, and of them nobody asks for an argument",
	  "add rdx, rcx; sub rdx, rcx; " ROOM
	  "mov [rsp], rdx; offset rbx, -16; nop; restore rbx; " BACK,
	  "SP003 14..15 rbx=c-16 / it was never written there\n6 of 7, 1 mismatch" },
	{ "a callee of this image may leave it alone", "call callee; " PUSH POP CALLEE,
	  "4 of 6, 1 proven, 1 unproven value_unknown" },
	{ "so it may be the same", "call callee; " SAME LEAF CALLEE,
	  "2 of 4, 1 proven, 1 unproven value_unknown" },
	{ "one of another doesn't",
	  "sub rsp, 8; cfa 16; call g@PLT; mov rsi, rcx; " SAME
	  "restore rdx; add rsp, 8; cfa 8; ret",
	  "SP004 12..13 rdx=same / it is another value\n5 of 6, 1 mismatch" },
};

#define LINT_SUITE lint_arguments
#include "lint_cases_main.h"
