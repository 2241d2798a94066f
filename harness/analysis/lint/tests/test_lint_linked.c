/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_linked.c - routines that are entered by a jump, with the return address in a register
 *
 * Cases of lint_fixture.h. f jumps to such a routine, g.
 */
#include "lint_fixture.h"

#define FRAME	 "sub rsp, 8; cfa 16; "
#define DOWN	 "add rsp, 8; cfa 8; ret; "
#define DONE	 "push rax; cfa 16; pop rax; cfa 8; "
#define LINK(to) "lea r11, " to "[rip]; jmp g; "
#define LINKED	 SECOND(g) "cfa rsp, 0; register rip, r11; "
#define BACK	 "jmp r11; "
#define PUSH	 "push rbx; cfa 8; offset rbx, -8; "
#define POP	 "pop rbx; cfa 0; restore rbx; "

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "with a frame", FRAME LINK("1f") "1: nop; " DOWN LINKED "inc eax; " BACK,
	  "8 of 8, 2 proven" },
	{ "without one", LINK("1f") "1: nop; ret; " LINKED "inc eax; " BACK, "6 of 6, 2 proven" },
	{ "which has one itself", FRAME LINK("1f") "1: nop; " DOWN LINKED PUSH POP BACK,
	  "9 of 9, 2 proven" },
	{ "which pushes the return address", FRAME LINK("1f") "1: nop; " DOWN LINKED
	  "push r11; cfa 8; offset rip, -8; inc eax; ret", "9 of 9, 2 proven" },
	{ "whose rows are wrong", FRAME LINK("1f") "1: nop; " DOWN LINKED "push rbx; pop rbx; "
	  BACK, "SP001 20..21 cfa=rsp+0 / cfa=rsp+8\n8 of 9, 1 mismatch, 1 proven" },
	{ "and which says nothing of what it puts there", FRAME LINK("1f") "1: nop; " DOWN LINKED
	  "xor r11d, r11d; nop; ud2",
	  "SP002 22..25 ra=r11 / there is 0\n7 of 9, 1 mismatch, 1 proven" },
	{ "on two ways", FRAME LINK("1f") "1: " LINK("2f") "2: nop; " DOWN LINKED "inc eax; " BACK,
	  "10 of 10, 2 proven" },
	{ "on a way back to itself", LINK("1f") "1: ret; " LINKED
	  "push r11; cfa 8; offset rip, -8; dec eax; jz 1f; " LINK("1f")
	  "1: pop r11; cfa 0; register rip, r11; " BACK, "10 of 10, 2 proven" },
	{ "nobody knows where it comes back to", FRAME "mov r11, [rdi]; jmp g; nop; " DOWN LINKED
	  "inc eax; " BACK, "5 of 7, 1 proven, 1 unproven not_reached" },
	{ "its registers are what the two agree on", FRAME "mov rdx, rax; " LINK("1f")
	  "1: register rax, rdx; nop; restore rax; " DOWN LINKED "inc eax; " BACK,
	  "8 of 9, 1 proven, 1 unproven value_unknown" },
	{ "as are those that callees preserve, if it is seen to change them", FRAME LINK("1f")
	  "1: nop; " DOWN LINKED "mov rbx, rax; undefined rbx; " BACK,
	  "5 of 8, 1 proven, 1 unproven value_unknown" },
	{ "also where another way comes by", FRAME "test edi, edi; je 1f; " LINK("1f") "1: nop; "
	  DOWN LINKED "mov rbx, rax; undefined rbx; " BACK,
	  "7 of 10, 1 proven, 1 unproven value_unknown" },
	{ "a jump to what is no code",
	  DONE "lea rcx, 5f[rip]; 5: jmp g; endproc; .data; g: startproc; ret",
	  "4 of 4, 1 proven, 1 unproven no_entry" },
	{ "who has his own return address there goes on in a part of his",
	  "pop r11; cfa 0; register rip, r11; jmp g; " LINKED "inc eax; " BACK, "4 of 4, 2 proven" },
	{ "what is called is none", FRAME "call g; " DOWN LINKED "inc eax; " BACK,
	  "SP005 14..16 cfa=rsp+0 / cfa=rsp+8\nSP001 16..19 cfa=rsp+0 / cfa=rsp+8\n4 of 6, 1 mismatch, 1 proven" },
	{ "nor by who has no frame", "call g; ret; " LINKED "inc eax; " BACK,
	  "2 of 4, 1 proven, 1 unproven no_entry" },
	{ "nor is what returns as if it was", "ret; " LINKED "inc eax; ret",
	  "SP005 1..3 cfa=rsp+0 / cfa=rsp+8\nSP001 3..4 cfa=rsp+0 / cfa=rsp+8\n1 of 3, 1 mismatch, 1 proven" },
	{ "but what goes on in another such routine is one", FRAME LINK("1f") "1: nop; " DOWN LINKED
	  "jmp h; " SECOND(h) "cfa rsp, 0; register rip, r11; inc eax; " BACK, "9 of 9, 3 proven" },
	{ "without one any more", DONE LINK("1f") "1: nop; ret; " LINKED "inc eax; " BACK,
	  "8 of 8, 2 proven" },
	{ "by rax", DONE "lea rax, 1f[rip]; jmp g; 1: nop; ret; " SECOND(g)
	  "cfa rsp, 0; register rip, rax; inc ecx; jmp rax", "8 of 8, 2 proven" },
	{ "by what is no register", DONE LINK("1f") "1: nop; ret; " SECOND(g)
	  "cfa rsp, 0; register rip, rip; inc ecx; " BACK,
	  "4 of 7, 1 unproven not_reached, 1 unproven no_entry" },
	{ "a row that is wrong where it comes back: perhaps it never does", FRAME LINK("1f")
	  "1: nop; cfa 24; " DOWN LINKED "inc eax; " BACK,
	  "6 of 8, 1 proven, 1 unproven behind_call" },
	{ "it comes back in another function", FRAME LINK("h+1") "nop; " DOWN LINKED "inc eax; "
	  BACK SECOND(h) "push rbx; cfa 16; pop rbx; cfa 8; ret",
	  "8 of 10, 2 proven, 1 unproven not_reached" },
};
/* clang-format on */

#define LINT_SUITE lint_linked
#include "lint_cases_main.h"
