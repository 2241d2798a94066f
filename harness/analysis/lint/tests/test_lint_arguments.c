/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_arguments.c - rules of registers that no callee preserves
 *
 * Cases of lint_fixture.h. Such a register may be again what it was by arithmetic, and who is called in this image may
 * leave it alone. Nobody is accused of what he doesn't claim: the same of rbx has cases in test_lint_sound.c.
 */
#include "lint_fixture.h"

#define SAME "	.cfi_same_value rdx\n	nop\n"
#define ROOM "	sub rsp, 16\n	.cfi_def_cfa_offset 24\n"
#define WORD "	.cfi_offset rdx, -16\n	nop\n	.cfi_restore rdx\n"
#define BACK "	add rsp, 16\n	.cfi_def_cfa_offset 8\n	ret\n"
#define PUSH "	push rdx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rdx, -16\n	nop\n"
#define POP  "	pop rdx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rdx\n	ret\n"

/* What is called, a function of its own. */
#define CALLEE SECOND(callee) "	ret\n"

static const struct lint_case lint_cases[] = {
	{ "put back by a sum", "	add rdx, rcx\n	sub rdx, rcx\n" SAME LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "by a difference", "	sub rdx, rcx\n	add rdx, rcx\n" SAME LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "by an address", "	lea rdx, [rdx+rcx]\n	sub rdx, rcx\n" SAME LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "by a number, behind a sum", "	add rdx, rcx\n	sub rdx, 8\n" SAME LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "in two loops",
	  "	mov eax, 3\n1:	add rdx, rcx\n	dec eax\n	jnz 1b\n	mov eax, 3\n"
	  "2:	sub rdx, rcx\n	dec eax\n	jnz 2b\n" SAME LEAF,
	  "8 of 10, 1 unproven value_unknown" },
	{ "whose low bits were 0", "	and rdx, -2\n" SAME LEAF,
	  "1 of 3, 1 unproven value_unknown" },
	{ "whose high half was 0", "	mov edx, edx\n" SAME LEAF,
	  "1 of 3, 1 unproven value_unknown" },
	{ "one sum is another value", "	add rdx, rcx\n" SAME LEAF,
	  "SP004 3..5 rdx=same / it is another value\n1 of 3, 1 mismatch" },
	{ "as is one of other registers", "	mov rdx, [rsi]\n	add rdx, 8\n" SAME LEAF,
	  "SP004 7..9 rdx=same / it is another value\n2 of 4, 1 mismatch" },
	{ "saved when it is back",
	  "	add rdx, rcx\n	sub rdx, rcx\n" ROOM "	mov [rsp+8], rdx\n" WORD BACK,
	  "6 of 7, 1 unproven value_unknown" },
	{ "nothing is saved there", "	add rdx, rcx\n	sub rdx, rcx\n" ROOM WORD BACK,
	  "SP003 10..11 rdx=c-16 / nothing was written there\n5 of 6, 1 mismatch" },
	{ "nor is it by another value", ROOM "	mov rdx, [rsi]\n	mov [rsp], rdx\n" WORD BACK,
	  "SP003 11..12 rdx=c-16 / it was never written there\n5 of 6, 1 mismatch" },
	{ "what others save is none of it, and of them nobody asks for an argument",
	  "	add rdx, rcx\n	sub rdx, rcx\n" ROOM
	  "	mov [rsp], rdx\n	.cfi_offset rbx, -16\n	nop\n	.cfi_restore rbx\n" BACK,
	  "SP003 14..15 rbx=c-16 / it was never written there\n6 of 7, 1 mismatch" },
	{ "a callee of this image may leave it alone", "	call callee\n" PUSH POP CALLEE,
	  "4 of 6, 1 proven, 1 unproven value_unknown" },
	{ "so it may be the same", "	call callee\n" SAME LEAF CALLEE,
	  "2 of 4, 1 proven, 1 unproven value_unknown" },
	{ "one of another doesn't",
	  "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call g@PLT\n	mov rsi, rcx\n" SAME
	  "	.cfi_restore rdx\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "SP004 12..13 rdx=same / it is another value\n5 of 6, 1 mismatch" },
};

#define LINT_SUITE lint_arguments
#include "lint_cases_main.h"
