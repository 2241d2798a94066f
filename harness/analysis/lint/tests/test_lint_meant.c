/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_meant.c - paths into code that was compiled for others, where it is not known that anybody goes them
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

/* Room, and rbx, which is saved where it is needed alone. */
#define ROOM  "	sub rsp, 24\n	.cfi_def_cfa_offset 32\n"
#define SAVED "	mov [rsp+8], rbx\n	.cfi_offset rbx, -24\n	mov rbx, rsi\n"
#define BACK  "	mov rbx, [rsp+8]\n	.cfi_restore rbx\n"
#define LEAVE "	add rsp, 24\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_def_cfa_offset 32\n"
/* The branch from inside leads to where the one before it does with rbx unchanged. */
#define INSIDE ROOM "	test edi, edi\n	js 1f\n" SAVED
#define BRANCH INSIDE "	add rdx, 1\n	je 1f\n	call g@PLT\n" BACK LEAVE

/* OCaml 5: behind the call for an index out of bounds lies the code that makes the stack larger. */
#define GROWTH(callee)                                                                             \
	"	cmp rdi, rsi\n	jb 2f\n3:	sub rsp, 40\n	.cfi_def_cfa_offset 48\n	"                        \
	"cmp rdx, rsi\n"                                                                           \
	"	jbe 1f\n	add rsp, 40\n	.cfi_def_cfa_offset 8\n	ret\n	"                                   \
	".cfi_def_cfa_offset 48\n"                                                                 \
	"1:	call " callee                                                                      \
	"\n2:	push 36\n	.cfi_def_cfa_offset 56\n	call g@PLT\n	pop r10\n"                           \
	"	.cfi_def_cfa_offset 48\n	jmp 3b\n"

static const struct lint_case lint_cases[] = {
	{ "an empty block before one that saves the register itself",
	  BRANCH
	  "1:	mov [rsp+8], rbx\n	.cfi_offset rbx, -24\n	call g@PLT\n	call abort@PLT\n",
	  "14 of 17, 1 unproven not_kept" },
	{ "before one that never returns", BRANCH "1:	call abort@PLT\n",
	  "14 of 15, 1 unproven not_kept" },
	{ "before one that returns without it", BRANCH "1:	nop\n" LEAVE,
	  "11 of 14, 1 unproven value_unknown" },
	{ "who brings it back knows that it was saved",
	  BRANCH "1:	nop\n	mov rbx, [rsp+8]\n" LEAVE,
	  "SP004 37..37 from 20 rbx=none / it is the caller's rsi\n"
	  "11 of 15, 1 mismatch" },
	{ "what falls into the next block",
	  ROOM "	test edi, edi\n	js 1f\n" SAVED
	       "	test esi, esi\n	jne 2f\n	mov [rsp+16], r12\n"
	       "	.cfi_restore rbx\n1:	mov [rsp+8], rbx\n	.cfi_offset rbx, -24\n	"
	       "call abort@PLT\n"
	       "2:	call g@PLT\n" BACK LEAVE,
	  "15 of 17, 1 unproven not_kept" },
	{ "a jump is meant",
	  ROOM "	test edi, edi\n	js 1f\n" SAVED
	       "	add rdx, 1\n	jne 2f\n	jmp 1f\n2:	call g@PLT\n" BACK LEAVE
	       "1:	call abort@PLT\n",
	  "SP004 39..39 from 22 rbx=none / it is the caller's rsi\n"
	  "15 of 16, 1 mismatch" },
	{ "of the CFA it is said as before",
	  "	test edi, edi\n	js 1f\n	push rax\n	.cfi_def_cfa_offset 16\n	test esi, "
	  "esi\n	je 1f\n"
	  "	pop rax\n	.cfi_def_cfa_offset 8\n	ret\n1:	nop\n	call abort@PLT\n",
	  "SP001 11..11 from 7 cfa=rsp+8 / cfa=rsp+16\n"
	  "7 of 9, 1 mismatch" },

	{ "behind a call of which nothing is known", GROWTH("h@PLT"),
	  "SP001 24..24 from 3 cfa=rsp+48 / cfa=rsp+8\n"
	  "5 of 15, 1 mismatch" },
	{ "by name it never returns", GROWTH("caml_ml_array_bound_error@PLT"),
	  "SP001 24..31 cfa=rsp+48 / cfa=rsp+8\n"
	  "11 of 15, 1 mismatch" },
	{ "by its code it returns: both are wrong",
	  GROWTH("4f") "	.cfi_endproc\n4:	.cfi_startproc\n	nop\n	ret\n",
	  "SP001 24..24 from 3 cfa=rsp+48 / cfa=rsp+8\n"
	  "SP001 5..5 from 33 cfa=rsp+8 / cfa=rsp+48\n"
	  "4 of 14, 1 mismatch, 1 proven" },
	{ "by its code it never does",
	  GROWTH("4f") "	.cfi_endproc\n4:	.cfi_startproc\n	push rax\n	"
		       ".cfi_def_cfa_offset 16\n"
		       "	call abort@PLT\n",
	  "SP001 24..24 from 3 cfa=rsp+48 / cfa=rsp+8\n"
	  "7 of 17, 1 mismatch, 1 proven" },
};

#define LINT_SUITE lint_meant
#include "lint_cases_main.h"
