/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_uncovered.c - how far code goes on that no FDE covers
 *
 * Cases of lint_fixture.h: f jumps to where its FDE has ended, which is at 3.
 */
#include "lint_fixture.h"

#define GAP(code) "jmp 1f; nop; endproc; 1: " code
#define NEXT	  ".p2align 4; k: startproc; ret; "
#define NONE(pc, pc_end)                                                                           \
	"SP006 " #pc ".." #pc_end " no FDE covers it / it is a function, or something leads "      \
	"there\n"

#define ADDS GAP("add al, al; add al, al; ret; ")
#define LONG GAP("xor eax, eax; .fill 1100000, 1, 0x90; ret; ")

static const struct lint_case lint_cases[] = {
	{ "up to a return", GAP("xor eax, eax; ret; xor ecx, ecx; ") NEXT,
	  NONE(3, 6) "2 of 2, 2 proven" },
	{ "past one that a branch passes",
	  GAP("test edi, edi; je 2f; ret; 2: xor eax, eax; ret; nop; ") NEXT,
	  NONE(3, 11) "2 of 2, 2 proven" },
	{ "not past one that it leads back from", GAP("2: test edi, edi; je 2b; ret; nop; ") NEXT,
	  NONE(3, 8) "2 of 2, 2 proven" },
	{ "past a jump that goes round", GAP("jmp 3f; 2: ret; 3: jne 2b; ret; nop; ") NEXT,
	  NONE(3, 9) "2 of 2, 2 proven" },
	{ "past one to what is behind it", GAP("jmp 3f; 3: ret; nop; ") NEXT,
	  NONE(3, 6) "2 of 2, 2 proven" },
	{ "up to a jump elsewhere", GAP("xor eax, eax; jmp k; nop; ") NEXT,
	  NONE(3, 7) "2 of 2, 2 proven" },
	{ "up to a computed one", GAP("jmp rax; nop; ") NEXT, NONE(3, 5) "2 of 2, 2 proven" },
	{ "past calls", GAP("call k; call rax; ret; nop; ") NEXT, NONE(3, 11) "2 of 2, 2 proven" },
	{ "up to one that never returns", GAP("call k; nop; ") ".p2align 4; k: startproc; ud2",
	  NONE(3, 8) "2 of 2, 2 proven" },
	{ "up to the next FDE", GAP("xor eax, eax; ") "k: startproc; ret",
	  NONE(3, 5) "2 of 2, 2 proven" },
	{ "up to the next function",
	  GAP("xor eax, eax; .type g, @function; g: xor ecx, ecx; ret; ") NEXT,
	  NONE(3, 5) NONE(5, 8) "2 of 2, 2 proven" },
	{ "up to a function of crtstuff, which is not told",
	  GAP("xor eax, eax; .type frame_dummy, @function; frame_dummy: ret; ") NEXT,
	  NONE(3, 5) "2 of 2, 2 proven" },
	{ "a label is none", GAP("xor eax, eax; g: xor ecx, ecx; ret; ") NEXT,
	  NONE(3, 8) "2 of 2, 2 proven" },
	{ "up to the next that is reached",
	  "test edi, edi; je 2f; jmp 1f; endproc; 1: xor eax, eax; 2: xor ecx, ecx; ret; " NEXT,
	  NONE(6, 8) NONE(8, 11) "4 of 4, 2 proven" },
	{ "up to what is no instruction", GAP("xor eax, eax; .byte 0x06; ret; ") NEXT,
	  NONE(3, 5) "2 of 2, 2 proven" },
	{ "at once", GAP(".byte 0x06; ret; ") NEXT, NONE(3, 4) "2 of 2, 2 proven" },
	{ "what is jumped to is code, though its symbol says data",
	  GAP(".type t, @object; t: xor eax, eax; ret; .size t, .-t; ") NEXT,
	  NONE(3, 6) "2 of 2, 2 proven" },
	{ "what is branched to",
	  "test edi, edi; je t; ret; endproc; .type t, @object; t: xor eax, eax; ret; "
	  ".size t, .-t; " NEXT,
	  NONE(5, 8) "4 of 4, 2 proven" },
	{ "what is called",
	  "sub rsp, 8; cfa 16; call t; add rsp, 8; cfa 8; ret; endproc; .type t, @object; "
	  "t: xor eax, eax; ret; .size t, .-t; " NEXT,
	  NONE(14, 17) "5 of 5, 2 proven" },
	{ "what falls into data isn't seen to",
	  "test edi, edi; je 1f; ret; 1: xor eax, eax; endproc; .type t, @object; t: xor eax, eax; "
	  "ret; .size t, .-t; " NEXT,
	  "5 of 5, 2 proven" },
	{ "into what is none it is",
	  "test edi, edi; je 1f; ret; 1: xor eax, eax; endproc; t: xor eax, eax; ret; " NEXT,
	  NONE(7, 10) "5 of 5, 2 proven" },
	{ "zeros are no code", GAP(".zero 2; ret; ") NEXT, "2 of 2, 2 proven" },
	{ "nor are no-ops", GAP("nop; ret; ") NEXT, "2 of 2, 2 proven" },
	{ "one zero may begin an instruction", ADDS NEXT, NONE(3, 8) "2 of 2, 2 proven" },
	{ "a MiB at most", LONG NEXT, NONE(3, 1048579) "2 of 2, 2 proven" },
	{ "up to the section's end",
	  "jmp 1f; nop; endproc; .section .text.z, \"ax\"; 1: xor eax, eax; .previous; "
	  "k: startproc; ret",
	  NONE(7, 9) "2 of 2, 2 proven" },
};

#define LINT_SUITE lint_uncovered
#include "lint_cases_main.h"
