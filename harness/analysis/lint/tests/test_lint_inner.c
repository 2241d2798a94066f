/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_inner.c - a function inside of an FDE that nothing but calls enters, and what casts doubt on that
 *
 * Cases of lint_fixture.h. Each has a row in the middle that is wrong for a function that is called there. It is accused
 * in those alone in which no other path leads there.
 */
#include "lint_fixture.h"

#define PUSH   "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
#define POP    "	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"
#define BEHIND "	.cfi_remember_state\n" POP LEAF "	.cfi_restore_state\n"

/* f's frame is 16 bytes, and those are the rows of what is at 1, too. */
#define CALLS  PUSH "	call 1f\n" BEHIND
#define AROUND PUSH "2:	call 1f\n	dec ebx\n	jnz 2b\n" BEHIND
#define BODY   "	mov eax, ebx\n	ret\n"

#define FRAME                                                                                      \
	"	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "                    \
	"rsp\n"                                                                                    \
	"	.cfi_def_cfa_register rbp\n"
#define LEAVE                                                                                      \
	"	.cfi_remember_state\n	leave\n	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n" LEAF   \
	"	.cfi_restore_state\n"

/* One of two, at 19 and at 22. */
#define TWO                                                                                        \
	PUSH "	test edi, edi\n	jz 3f\n	call 1f\n" BEHIND "3:	call 2f\n" BEHIND "1:" BODY        \
	     "2:	mov ecx, ebx\n	ret\n"

/* A function that calls what is in the middle of f. */
#define CALLER                                                                                     \
	SECOND(g)                                                                                  \
	"	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call 1b\n	add rsp, 8\n"                            \
	"	.cfi_def_cfa_offset 8\n" LEAF

static const struct lint_case lint_cases[] = {
	{ "a function's own, which it calls in a loop", AROUND "1:" BODY,
	  "SP001 12..15 cfa=rsp+16 / cfa=rsp+8\n"
	  "6 of 8, 1 mismatch" },
	{ "one that another function calls", PUSH BEHIND "1:" BODY CALLER,
	  "SP001 3..6 cfa=rsp+16 / cfa=rsp+8\n"
	  "7 of 9, 1 mismatch, 1 proven" },
	{ "one with a frame of its own, too",
	  CALLS "1:	push rcx\n	push rdx\n	pop rdx\n	pop rcx\n	ret\n",
	  "SP001 8..9 cfa=rsp+16 / cfa=rsp+8\n"
	  "SP001 10..11 cfa=rsp+16 / cfa=rsp+24\n"
	  "SP001 12..13 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 9, 1 mismatch" },
	{ "one whose own jumps lead to its begin",
	  CALLS "1:	dec edi\n	jnz 1b\n	ret\n",
	  "SP001 8..13 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 7, 1 mismatch" },
	{ "one with two returns", CALLS "1:	test edi, edi\n	jz 3f\n	ret\n3:" BODY,
	  "SP001 8..13 cfa=rsp+16 / cfa=rsp+8\n"
	  "SP001 13..16 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 9, 1 mismatch" },
	{ "one that has a function's symbol, which others call",
	  CALLS "	.globl inner\n	.type inner, @function\ninner:\n1:" BODY,
	  "SP001 8..11 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 6, 1 mismatch" },
	{ "one that doesn't keep what callees do", CALLS "1:	xor ebx, ebx\n	ret\n",
	  "SP001 8..11 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 6, 1 mismatch" },

	{ "rows of its own are right",
	  CALLS "1:	.cfi_def_cfa_offset 8\n	.cfi_restore "
		"rbx\n" BODY,
	  "6 of 6, 1 proven" },
	{ "rows may count what the call pushed as the function's around it",
	  CALLS "1:	.cfi_adjust_cfa_offset 8\n" BODY, "4 of 6, 1 unproven value_unknown" },
	{ "but not a byte more", CALLS "1:	.cfi_adjust_cfa_offset 16\n" BODY,
	  "SP001 8..11 cfa=rsp+32 / cfa=rsp+8\n"
	  "4 of 6, 1 mismatch" },
	{ "of one caller of two", CALLS "1:	.cfi_adjust_cfa_offset 8\n" BODY CALLER,
	  "8 of 10, 1 proven, 1 unproven value_unknown" },
	{ "rows that count from a frame pointer are the function's around it",
	  FRAME "	call 1f\n" LEAVE "1:" BODY, "5 of 7, 1 unproven value_unknown" },
	{ "a caller that has one may have any frame",
	  FRAME "	call 1f\n" LEAVE "1:	.cfi_def_cfa rsp, 32\n" BODY,
	  "5 of 7, 1 unproven value_unknown" },
	{ "one that counts from another register accuses nobody",
	  CALLS
	  "1:	.cfi_def_cfa rsp, 8\n	push rbp\n	.cfi_def_cfa rsp, 16\n	mov rbp, rsp\n"
	  "	.cfi_def_cfa rbp, 40\n	pop rbp\n	.cfi_def_cfa rsp, 8\n	ret\n",
	  "4 of 8, 1 unproven value_unknown" },
	{ "a register's rule alone accuses nobody", CALLS "1:	.cfi_def_cfa_offset 8\n" BODY,
	  "4 of 6, 1 unproven value_unknown" },

	{ "the function's own way leads there",
	  PUSH "	test edi, edi\n	jz 1f\n"
	       "	call 1f\n" BEHIND "1:" BODY,
	  "6 of 8, 1 unproven value_unknown" },
	{ "but not to all that a call does",
	  PUSH "	test edi, edi\n	jz 3f\n	call 1f\n" BEHIND
	       "3:	xor edi, edi\n1:	jnz 3f\n	ret\n3:	nop\n	ret\n",
	  "7 of 11, 1 unproven value_unknown" },
	{ "or comes to it further on",
	  PUSH "	test edi, edi\n	jz 3f\n	call 1f\n" BEHIND "1:	nop\n3:	nop\n	ret\n",
	  "SP001 12..13 cfa=rsp+16 / cfa=rsp+8\n6 of 9, 1 mismatch" },
	{ "or falls into it", PUSH "	call 1f\n	nop\n1:	nop\n" POP LEAF,
	  "3 of 6, 1 unproven value_unknown" },
	{ "or one of another function", CALLS "1:" BODY SECOND(g) PUSH "	jmp 1b\n",
	  "6 of 8, 1 proven, 1 unproven value_unknown" },
	{ "code that no way leads to jumps there", CALLS "	jmp 1f\n1:" BODY,
	  "4 of 7, 1 unproven not_reached" },
	{ "the same from afar", CALLS "	jmp 1f\n	.zero 200, 0x90\n1:" BODY,
	  "4 of 7, 1 unproven not_reached" },
	{ "by a branch", CALLS "	jz 1f\n	.zero 200, 0x90\n1:" BODY,
	  "4 of 7, 1 unproven not_reached" },
	{ "by a loop", CALLS "	loop 1f\n1:" BODY, "4 of 7, 1 unproven not_reached" },
	{ "if rcx is 0", CALLS "	jrcxz 1f\n1:" BODY, "4 of 7, 1 unproven not_reached" },
	{ "by each condition", CALLS "	jo 1f\n1:" BODY, "4 of 7, 1 unproven not_reached" },
	{ "to the last", CALLS "	jg 1f\n1:" BODY, "4 of 7, 1 unproven not_reached" },
	{ "from behind", CALLS "1:" BODY "	jmp 1b\n", "4 of 7, 1 unproven value_unknown" },
	{ "it jumps there from the middle of an instruction of its own",
	  CALLS "1:	mov eax, 0xfceb90\n	ret\n", "4 of 6, 1 unproven value_unknown" },
	{ "each of eight of its own jumps is one",
	  CALLS "1:	.rept 8\n	dec edi\n	jnz 1b\n	.endr\n	ret\n",
	  "SP001 8..41 cfa=rsp+16 / cfa=rsp+8\n4 of 21, 1 mismatch" },
	{ "more are not counted",
	  CALLS "1:	.rept 9\n	dec edi\n	jnz 1b\n	.endr\n	ret\n",
	  "4 of 23, 1 unproven value_unknown" },
	{ "from afar, too", CALLS "1:	dec edi\n	.nops 200\n	jnz 1b\n	ret\n",
	  "SP001 8..15 cfa=rsp+16 / cfa=rsp+8\nSP001 210..217 cfa=rsp+16 / cfa=rsp+8\n4 of 8, 1 "
	  "mismatch" },
	{ "without a condition",
	  CALLS "1:	dec edi\n	jz 3f\n	.nops 200\n	jmp 1b\n3:	ret\n",
	  "SP001 8..21 cfa=rsp+16 / cfa=rsp+8\nSP001 221..222 cfa=rsp+16 / cfa=rsp+8\nSP001 "
	  "216..221 cfa=rsp+16 / cfa=rsp+8\n4 of 9, 1 mismatch" },
	{ "its symbol says that it is data",
	  CALLS "	.type t, @object\nt:\n1:" BODY "	.size t, 3\n",
	  "4 of 6, 1 unproven value_unknown" },
	{ "a label that this file alone knows", CALLS "inner:\n1:" BODY,
	  "SP001 8..11 cfa=rsp+16 / cfa=rsp+8\n4 of 6, 1 mismatch" },
	{ "a weak one is another's, too", CALLS "	.weak inner\ninner:\n1:" BODY,
	  "4 of 6, 1 unproven value_unknown" },
	{ "an exception may land there",
	  "	.cfi_lsda 0x1b, 8f\n" CALLS "1:" BODY
	  "	.section .gcc_except_table, \"a\"\n8:	.byte 0xff, 0xff, 1\n	.uleb128 7f-6f\n"
	  "6:	.uleb128 0, 1, 1b-f, 0\n7:	.text\n",
	  "4 of 6, 1 unproven value_unknown" },
	{ "elsewhere in it",
	  "	.cfi_lsda 0x1b, 8f\n" CALLS "1:	mov eax, ebx\n3:	ret\n"
	  "	.section .gcc_except_table, \"a\"\n8:	.byte 0xff, 0xff, 1\n	.uleb128 7f-6f\n"
	  "6:	.uleb128 0, 1, 3b-f, 0\n7:	.text\n",
	  "SP001 8..11 cfa=rsp+16 / cfa=rsp+8\n4 of 6, 1 mismatch" },
	{ "it returns as an interrupt's handler", CALLS "1:	nop\n	iretq\n",
	  "4 of 6, 1 unproven signal_frame" },
	{ "who calls the next instruction asks where it is",
	  PUSH "	call 1f\n1:	pop rax\n" POP LEAF, "2 of 5, 1 unproven behind_call" },
	{ "two that are called, each alone", TWO,
	  "SP001 19..22 cfa=rsp+16 / cfa=rsp+8\nSP001 22..25 cfa=rsp+16 / cfa=rsp+8\n9 of 13, 1 "
	  "mismatch" },
	{ "one of two is doubted", TWO "	.data\n	.quad 2b\n	.text\n",
	  "SP001 19..22 cfa=rsp+16 / cfa=rsp+8\n9 of 13, 1 mismatch" },
	{ "the other is", TWO "	.data\n	.quad 1b\n	.text\n",
	  "SP001 22..25 cfa=rsp+16 / cfa=rsp+8\n9 of 13, 1 mismatch" },
	{ "rows of another FDE that it goes on in accuse nobody",
	  CALLS "1:	mov eax, ebx\n	jmp 5f\n" SECOND(
		  g) "	ret\n5:	.cfi_def_cfa_offset 32\n	nop\n	ret\n",
	  "SP001 8..12 cfa=rsp+16 / cfa=rsp+8\n5 of 9, 1 mismatch, 1 unproven value_unknown" },
	{ "it goes on in another FDE",
	  CALLS "1:	mov eax, ebx\n	jmp g\n" SECOND(g) "	nop\n	ret\n",
	  "6 of 8, 1 proven, 1 unproven value_unknown" },
	{ "an instruction makes its address",
	  PUSH "	lea rax, 1f[rip]\n	call 1f\n" BEHIND "1:" BODY,
	  "5 of 7, 1 unproven value_unknown" },
	{ "a word keeps it", CALLS "1:" BODY "	.data\n	.quad 1b\n	.text\n",
	  "4 of 6, 1 unproven value_unknown" },
	{ "the function has a jump of unknown targets",
	  PUSH "	call 1f\n	test eax, eax\n	jz 3f\n" BEHIND "1:" BODY
	       "3:	jmp [rdi]\n",
	  "5 of 9, 1 unproven jump_unknown" },
	{ "so has it itself", CALLS "1:	test ebx, ebx\n	jnz 3f\n	ret\n3:	jmp [rdi]\n",
	  "4 of 8, 1 unproven value_unknown" },
	{ "other files know its label", CALLS "	.globl inner\ninner:\n1:" BODY,
	  "4 of 6, 1 unproven value_unknown" },

	{ "no way leads to the call", PUSH BEHIND "	call 1f\n	ud2\n1:" BODY,
	  "3 of 6, 1 unproven not_reached" },
	{ "it takes what the call pushed off", CALLS "1:	nop\n	pop rcx\n	jmp rcx\n",
	  "4 of 7, 1 unproven value_unknown" },
	{ "and the caller's argument",
	  CALLS "1:	nop\n	pop rcx\n	add rsp, 8\n	push rcx\n	ret\n",
	  "2 of 9, 1 unproven behind_call" },
	{ "by its return", CALLS "1:	nop\n	ret 8\n", "2 of 6, 1 unproven behind_call" },
	{ "it returns elsewhere", CALLS "1:	add qword ptr [rsp], 4\n	ret\n",
	  "1 of 6, 1 unproven jump_unknown" },
	{ "to what it puts there", CALLS "1:	mov [rsp], rdi\n	ret\n",
	  "4 of 6, 1 unproven value_unknown" },
	{ "on some way", CALLS "1:	test edi, edi\n	jz 3f\n	ret\n3:	add rsp, 8\n	ret\n",
	  "4 of 9, 1 unproven value_unknown" },
	{ "it ends in the function around it",
	  PUSH "	call 1f\n3:" BEHIND "1:	nop\n	jmp 3b\n",
	  "2 of 6, 1 unproven value_unknown" },
	{ "it never returns", CALLS "1:	nop\n	hlt\n", "4 of 6, 1 unproven value_unknown" },
	{ "on another stack", CALLS "1:	mov rsp, rdi\n	ret\n",
	  "4 of 6, 1 unproven value_unknown" },
	{ "what it has in common with others is right for both",
	  PUSH "	call 1f\n	.cfi_remember_state\n" POP
	       "3:	nop\n	ret\n	.cfi_restore_state\n1:	nop\n	jmp 3b\n",
	  "SP001 9..12 cfa=rsp+16 / cfa=rsp+8\n"
	  "5 of 7, 1 mismatch" },
};

#define LINT_SUITE lint_inner
#include "lint_cases_main.h"
