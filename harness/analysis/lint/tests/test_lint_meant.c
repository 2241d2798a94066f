/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_meant.c - paths into code that was compiled for others, where it is not known that anybody goes them
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

/* Room, and rbx, which is saved where it is needed alone. */
#define ROOM  "sub rsp, 24; cfa 32; "
#define SAVED "mov [rsp+8], rbx; offset rbx, -24; mov rbx, rsi; "
#define BACK  "mov rbx, [rsp+8]; restore rbx; "
#define LEAVE "add rsp, 24; cfa 8; ret; cfa 32; "
/* The branch from inside leads to where the one before it does with rbx unchanged. */
#define INSIDE ROOM "test edi, edi; js 1f; " SAVED
#define BRANCH INSIDE "add rdx, 1; je 1f; call g@PLT; " BACK LEAVE

/* OCaml 5: behind the call for an index out of bounds lies the code that makes the stack larger. */
#define GROWTH(callee)                                                                             \
	"cmp rdi, rsi; jb 2f; 3: sub rsp, 40; cfa 48; cmp rdx, rsi; jbe 1f; add rsp, 40; cfa 8; "  \
	"ret; cfa 48; 1: call " callee                                                             \
	"; 2: push 36; cfa 56; call g@PLT; pop r10; cfa 48; jmp 3b; "

static const struct lint_case lint_cases[] = {
	{ "an empty block before one that saves the register itself",
	  BRANCH "1: mov [rsp+8], rbx; offset rbx, -24; call g@PLT; call abort@PLT",
	  "14 of 17, 1 unproven not_kept" },
	{ "before one that never returns", BRANCH "1: call abort@PLT",
	  "14 of 15, 1 unproven not_kept" },
	{ "before one that returns without it", BRANCH "1: nop; " LEAVE,
	  "11 of 14, 1 unproven value_unknown" },
	{ "who brings it back knows that it was saved", BRANCH "1: nop; mov rbx, [rsp+8]; " LEAVE,
	  "SP004 37..37 from 20 rbx=none / it is the caller's rsi\n"
	  "11 of 15, 1 mismatch" },
	{ "what falls into the next block",
	  ROOM "test edi, edi; js 1f; " SAVED
	       "test esi, esi; jne 2f; mov [rsp+16], r12; restore rbx; 1: mov [rsp+8], rbx; "
	       "offset rbx, -24; call abort@PLT; 2: call g@PLT; " BACK LEAVE,
	  "15 of 17, 1 unproven not_kept" },
	{ "a jump is meant",
	  ROOM "test edi, edi; js 1f; " SAVED
	       "add rdx, 1; jne 2f; jmp 1f; 2: call g@PLT; " BACK LEAVE "1: call abort@PLT",
	  "SP004 39..39 from 22 rbx=none / it is the caller's rsi\n"
	  "15 of 16, 1 mismatch" },
	{ "of the CFA it is said as before",
	  "test edi, edi; js 1f; push rax; cfa 16; test esi, esi; je 1f; pop rax; cfa 8; ret; "
	  "1: nop; call abort@PLT",
	  "SP001 11..11 from 7 cfa=rsp+8 / cfa=rsp+16\n"
	  "7 of 9, 1 mismatch" },

	{ "behind a call of which nothing is known", GROWTH("h@PLT"),
	  "SP001 24..24 from 3 cfa=rsp+48 / cfa=rsp+8\n"
	  "5 of 15, 1 mismatch" },
	{ "by name it never returns", GROWTH("caml_ml_array_bound_error@PLT"),
	  "SP001 24..31 cfa=rsp+48 / cfa=rsp+8\n"
	  "11 of 15, 1 mismatch" },
	{ "by its code it returns: both are wrong", GROWTH("4f") "endproc; 4: startproc; nop; ret",
	  "SP001 24..24 from 3 cfa=rsp+48 / cfa=rsp+8\n"
	  "SP001 5..5 from 33 cfa=rsp+8 / cfa=rsp+48\n"
	  "4 of 14, 1 mismatch, 1 proven" },
	{ "by its code it never does",
	  GROWTH("4f") "endproc; 4: startproc; push rax; cfa 16; call abort@PLT",
	  "SP001 24..24 from 3 cfa=rsp+48 / cfa=rsp+8\n"
	  "7 of 17, 1 mismatch, 1 proven" },
};

#define LINT_SUITE lint_meant
#include "lint_cases_main.h"
