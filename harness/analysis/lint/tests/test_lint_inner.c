/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_inner.c - a function inside of an FDE that nothing but calls enters, and what casts doubt on that
 *
 * Cases of lint_fixture.h. Each has a row in the middle that is wrong for a function that is called there. It is accused
 * in those alone in which no other path leads there.
 */
#include "lint_fixture.h"

#define PUSH   "push rbx; cfa 16; offset rbx, -16; "
#define POP    "pop rbx; cfa 8; restore rbx; "
#define BEHIND "remember_state; " POP LEAF "restore_state; "

/* f's frame is 16 bytes, and those are the rows of what is at 1, too. */
#define CALLS  PUSH "call 1f; " BEHIND
#define AROUND PUSH "2: call 1f; dec ebx; jnz 2b; " BEHIND
#define BODY   "mov eax, ebx; ret; "

#define FRAME "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; "
#define LEAVE "remember_state; leave; cfa rsp, 8; restore rbp; " LEAF "restore_state; "

/* One of two, at 19 and at 22. */
#define TWO                                                                                        \
	PUSH "test edi, edi; jz 3f; call 1f; " BEHIND "3: call 2f; " BEHIND "1: " BODY             \
	     "2: mov ecx, ebx; ret; "

/* A function that calls what is in the middle of f. */
#define CALLER                                                                                     \
	SECOND(g)                                                                                  \
	"sub rsp, 8; cfa 16; call 1b; add rsp, 8; cfa 8; " LEAF

static const struct lint_case lint_cases[] = {
	{ "a function's own, which it calls in a loop", AROUND "1: " BODY,
	  "SP001 12..15 cfa=rsp+16 / cfa=rsp+8\n"
	  "6 of 8, 1 mismatch" },
	{ "one that another function calls", PUSH BEHIND "1: " BODY CALLER,
	  "SP001 3..6 cfa=rsp+16 / cfa=rsp+8\n"
	  "7 of 9, 1 mismatch, 1 proven" },
	{ "one with a frame of its own, too", CALLS "1: push rcx; push rdx; pop rdx; pop rcx; ret",
	  "SP001 8..9 cfa=rsp+16 / cfa=rsp+8\n"
	  "SP001 10..11 cfa=rsp+16 / cfa=rsp+24\n"
	  "SP001 12..13 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 9, 1 mismatch" },
	{ "one whose own jumps lead to its begin", CALLS "1: dec edi; jnz 1b; ret",
	  "SP001 8..13 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 7, 1 mismatch" },
	{ "one with two returns", CALLS "1: test edi, edi; jz 3f; ret; 3: " BODY,
	  "SP001 8..13 cfa=rsp+16 / cfa=rsp+8\n"
	  "SP001 13..16 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 9, 1 mismatch" },
	{ "one that has a function's symbol, which others call",
	  CALLS ".globl inner; .type inner, @function; inner: 1: " BODY,
	  "SP001 8..11 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 6, 1 mismatch" },
	{ "one that doesn't keep what callees do", CALLS "1: xor ebx, ebx; ret",
	  "SP001 8..11 cfa=rsp+16 / cfa=rsp+8\n"
	  "4 of 6, 1 mismatch" },

	{ "rows of its own are right", CALLS "1: cfa 8; restore rbx; " BODY, "6 of 6, 1 proven" },
	{ "rows may count what the call pushed as the function's around it",
	  CALLS "1: adjust_cfa_offset 8; " BODY, "4 of 6, 1 unproven value_unknown" },
	{ "but not a byte more", CALLS "1: adjust_cfa_offset 16; " BODY,
	  "SP001 8..11 cfa=rsp+32 / cfa=rsp+8\n"
	  "4 of 6, 1 mismatch" },
	{ "of one caller of two", CALLS "1: adjust_cfa_offset 8; " BODY CALLER,
	  "8 of 10, 1 proven, 1 unproven value_unknown" },
	{ "rows that count from a frame pointer are the function's around it",
	  FRAME "call 1f; " LEAVE "1: " BODY, "5 of 7, 1 unproven value_unknown" },
	{ "a caller that has one may have any frame",
	  FRAME "call 1f; " LEAVE "1: cfa rsp, 32; " BODY, "5 of 7, 1 unproven value_unknown" },
	{ "one that counts from another register accuses nobody",
	  CALLS "1: cfa rsp, 8; push rbp; cfa rsp, 16; mov rbp, rsp; cfa rbp, 40; pop rbp; "
		"cfa rsp, 8; ret",
	  "4 of 8, 1 unproven value_unknown" },
	{ "a register's rule alone accuses nobody", CALLS "1: cfa 8; " BODY,
	  "4 of 6, 1 unproven value_unknown" },

	{ "the function's own way leads there",
	  PUSH "test edi, edi; jz 1f; call 1f; " BEHIND "1: " BODY,
	  "6 of 8, 1 unproven value_unknown" },
	{ "but not to all that a call does",
	  PUSH "test edi, edi; jz 3f; call 1f; " BEHIND
	       "3: xor edi, edi; 1: jnz 3f; ret; 3: nop; ret",
	  "7 of 11, 1 unproven value_unknown" },
	{ "or comes to it further on",
	  PUSH "test edi, edi; jz 3f; call 1f; " BEHIND "1: nop; 3: nop; ret",
	  "SP001 12..13 cfa=rsp+16 / cfa=rsp+8\n6 of 9, 1 mismatch" },
	{ "or falls into it", PUSH "call 1f; nop; 1: nop; " POP LEAF,
	  "3 of 6, 1 unproven value_unknown" },
	{ "or one of another function", CALLS "1: " BODY SECOND(g) PUSH "jmp 1b",
	  "6 of 8, 1 proven, 1 unproven value_unknown" },
	{ "code that no way leads to jumps there", CALLS "jmp 1f; 1: " BODY,
	  "4 of 7, 1 unproven not_reached" },
	{ "the same from afar", CALLS "jmp 1f; .zero 200, 0x90; 1: " BODY,
	  "4 of 7, 1 unproven not_reached" },
	{ "by a branch", CALLS "jz 1f; .zero 200, 0x90; 1: " BODY,
	  "4 of 7, 1 unproven not_reached" },
	{ "by a loop", CALLS "loop 1f; 1: " BODY, "4 of 7, 1 unproven not_reached" },
	{ "if rcx is 0", CALLS "jrcxz 1f; 1: " BODY, "4 of 7, 1 unproven not_reached" },
	{ "by each condition", CALLS "jo 1f; 1: " BODY, "4 of 7, 1 unproven not_reached" },
	{ "to the last", CALLS "jg 1f; 1: " BODY, "4 of 7, 1 unproven not_reached" },
	{ "from behind", CALLS "1: " BODY "jmp 1b", "4 of 7, 1 unproven value_unknown" },
	{ "it jumps there from the middle of an instruction of its own",
	  CALLS "1: mov eax, 0xfceb90; ret", "4 of 6, 1 unproven value_unknown" },
	{ "each of eight of its own jumps is one", CALLS "1: .rept 8; dec edi; jnz 1b; .endr; ret",
	  "SP001 8..41 cfa=rsp+16 / cfa=rsp+8\n4 of 21, 1 mismatch" },
	{ "more are not counted", CALLS "1: .rept 9; dec edi; jnz 1b; .endr; ret",
	  "4 of 23, 1 unproven value_unknown" },
	{ "from afar, too", CALLS "1: dec edi; .nops 200; jnz 1b; ret",
	  "SP001 8..15 cfa=rsp+16 / cfa=rsp+8\nSP001 210..217 cfa=rsp+16 / cfa=rsp+8\n4 of 8, 1 "
	  "mismatch" },
	{ "without a condition", CALLS "1: dec edi; jz 3f; .nops 200; jmp 1b; 3: ret",
	  "SP001 8..21 cfa=rsp+16 / cfa=rsp+8\nSP001 221..222 cfa=rsp+16 / cfa=rsp+8\nSP001 "
	  "216..221 cfa=rsp+16 / cfa=rsp+8\n4 of 9, 1 mismatch" },
	{ "its symbol says that it is data", CALLS ".type t, @object; t: 1: " BODY ".size t, 3",
	  "4 of 6, 1 unproven value_unknown" },
	{ "a label that this file alone knows", CALLS "inner:\n1:" BODY,
	  "SP001 8..11 cfa=rsp+16 / cfa=rsp+8\n4 of 6, 1 mismatch" },
	{ "a weak one is another's, too", CALLS ".weak inner; inner: 1: " BODY,
	  "4 of 6, 1 unproven value_unknown" },
	{ "an exception may land there",
	  "lsda 0x1b, 8f; " CALLS "1: " BODY
	  ".section .gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; "
	  "6: .uleb128 0, 1, 1b-f, 0; 7: .text",
	  "4 of 6, 1 unproven value_unknown" },
	{ "elsewhere in it",
	  "lsda 0x1b, 8f; " CALLS
	  "1: mov eax, ebx; 3: ret; .section .gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, 1; "
	  ".uleb128 7f-6f; 6: .uleb128 0, 1, 3b-f, 0; 7: .text",
	  "SP001 8..11 cfa=rsp+16 / cfa=rsp+8\n4 of 6, 1 mismatch" },
	{ "it returns as an interrupt's handler", CALLS "1: nop; iretq",
	  "4 of 6, 1 unproven signal_frame" },
	{ "who calls the next instruction asks where it is", PUSH "call 1f; 1: pop rax; " POP LEAF,
	  "2 of 5, 1 unproven behind_call" },
	{ "two that are called, each alone", TWO,
	  "SP001 19..22 cfa=rsp+16 / cfa=rsp+8\nSP001 22..25 cfa=rsp+16 / cfa=rsp+8\n9 of 13, 1 "
	  "mismatch" },
	{ "one of two is doubted", TWO ".data; .quad 2b; .text",
	  "SP001 19..22 cfa=rsp+16 / cfa=rsp+8\n9 of 13, 1 mismatch" },
	{ "the other is", TWO ".data; .quad 1b; .text",
	  "SP001 22..25 cfa=rsp+16 / cfa=rsp+8\n9 of 13, 1 mismatch" },
	{ "rows of another FDE that it goes on in accuse nobody",
	  CALLS "1: mov eax, ebx; jmp 5f; " SECOND(g) "ret; 5: cfa 32; nop; ret",
	  "SP001 8..12 cfa=rsp+16 / cfa=rsp+8\n5 of 9, 1 mismatch, 1 unproven value_unknown" },
	{ "it goes on in another FDE", CALLS "1: mov eax, ebx; jmp g; " SECOND(g) "nop; ret",
	  "6 of 8, 1 proven, 1 unproven value_unknown" },
	{ "an instruction makes its address", PUSH "lea rax, 1f[rip]; call 1f; " BEHIND "1: " BODY,
	  "5 of 7, 1 unproven value_unknown" },
	{ "a word keeps it", CALLS "1: " BODY ".data; .quad 1b; .text",
	  "4 of 6, 1 unproven value_unknown" },
	{ "the function has a jump of unknown targets",
	  PUSH "call 1f; test eax, eax; jz 3f; " BEHIND "1: " BODY "3: jmp [rdi]",
	  "5 of 9, 1 unproven jump_unknown" },
	{ "so has it itself", CALLS "1: test ebx, ebx; jnz 3f; ret; 3: jmp [rdi]",
	  "4 of 8, 1 unproven value_unknown" },
	{ "other files know its label", CALLS ".globl inner; inner: 1: " BODY,
	  "4 of 6, 1 unproven value_unknown" },

	{ "no way leads to the call", PUSH BEHIND "call 1f; ud2; 1: " BODY,
	  "3 of 6, 1 unproven not_reached" },
	{ "it takes what the call pushed off", CALLS "1: nop; pop rcx; jmp rcx",
	  "4 of 7, 1 unproven value_unknown" },
	{ "and the caller's argument", CALLS "1: nop; pop rcx; add rsp, 8; push rcx; ret",
	  "2 of 9, 1 unproven behind_call" },
	{ "by its return", CALLS "1: nop; ret 8", "2 of 6, 1 unproven behind_call" },
	{ "it returns elsewhere", CALLS "1: add qword ptr [rsp], 4; ret",
	  "1 of 6, 1 unproven jump_unknown" },
	{ "to what it puts there", CALLS "1: mov [rsp], rdi; ret",
	  "4 of 6, 1 unproven value_unknown" },
	{ "on some way", CALLS "1: test edi, edi; jz 3f; ret; 3: add rsp, 8; ret",
	  "4 of 9, 1 unproven value_unknown" },
	{ "it ends in the function around it", PUSH "call 1f; 3: " BEHIND "1: nop; jmp 3b",
	  "2 of 6, 1 unproven value_unknown" },
	{ "it never returns", CALLS "1: nop; hlt", "4 of 6, 1 unproven value_unknown" },
	{ "on another stack", CALLS "1: mov rsp, rdi; ret", "4 of 6, 1 unproven value_unknown" },
	{ "what it has in common with others is right for both",
	  PUSH "call 1f; remember_state; " POP "3: nop; ret; restore_state; 1: nop; jmp 3b",
	  "SP001 9..12 cfa=rsp+16 / cfa=rsp+8\n"
	  "5 of 7, 1 mismatch" },
};

#define LINT_SUITE lint_inner
#include "lint_cases_main.h"
