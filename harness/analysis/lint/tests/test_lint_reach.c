/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_reach.c - a fragment that another function perhaps leads to with a frame of its own
 *
 * Cases of lint_fixture.h. f jumps to a fragment whose rows are f's, and who comes there else has more on the stack.
 */
#include "lint_fixture.h"

#define END   "endproc; "
#define START "startproc; "
#define ROOM  "sub rsp, 40; cfa 48; jmp 9f; " END
#define MORE  "8: " START "sub rsp, 72; cfa 80; "
#define SAME  "8: " START "sub rsp, 40; cfa 48; "
#define PART  "9: " START "cfa 48; xor eax, eax; add rsp, 40; cfa 8; ret; "
#define HIDDEN                                                                                     \
	"6: .byte 0xb8, 0x53, 0x90, 0x5b, 0x90; ret; " /* mov eax; push rbx; nop; pop rbx; nop */
#define BY_TABLE                                                                                   \
	"and edi, 1; lea rax, [rip + 7f]; movsxd rdx, dword ptr [rax + rdi * 4]; add rax, rdx; "   \
	"jmp rax; "
#define TABLE(first, second)                                                                       \
	".section .rodata; .p2align 2; 7: .long " first " - 7b, " second " - 7b; .text; "

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "by an address in a register", ROOM MORE "lea rax, [rip + 9f]; jmp rax; " END PART,
	  "5 of 8, 2 proven, 1 unproven value_unknown" },
	{ "of the same frame", ROOM SAME "lea rax, [rip + 9f]; jmp rax; " END PART,
	  "8 of 8, 3 proven" },
	{ "in a word of the stack", ROOM MORE "lea rax, [rip + 9f]; mov [rsp], rax; jmp [rsp]; " END
	  PART, "6 of 9, 2 proven, 1 unproven value_unknown" },
	{ "that is returned to", ROOM MORE "lea rax, [rip + 9f]; push rax; cfa 88; ret; " END PART,
	  "2 of 9, 1 proven, 1 unproven value_unknown, 1 unproven no_entry" },
	{ "of two, one by a condition", ROOM MORE
	  "lea rax, [rip + 9f]; lea rdx, [rip + 9f]; test edi, edi; cmovz rax, rdx; jmp rax; " END
	  PART, "7 of 11, 1 proven, 2 unproven jump_unknown" },
	{ "by a table that has nothing else", ROOM MORE BY_TABLE END "nop; " PART TABLE("9b", "9b"),
	  "7 of 11, 1 proven, 2 unproven jump_unknown" },
	{ "right behind the function", ROOM MORE BY_TABLE END PART TABLE("9b", "9b"),
	  "7 of 11, 1 proven, 2 unproven jump_unknown" },
	{ "by an entry for what is unreachable", ROOM MORE BY_TABLE "6: add rsp, 72; cfa 8; ret; "
	  END PART TABLE("6b", "9b"), "13 of 13, 3 proven" },
	{ "through padding", ROOM MORE "test edi, edi; " END "nop; " PART,
	  "4 of 7, 2 proven, 1 unproven value_unknown" },
	{ "through code without an FDE", ROOM MORE "jmp 7f; " END
	  "7: xor eax, eax; push rax; jmp 9f; " PART,
	  "SP006 12..17 no FDE covers it / it is a function, or something leads there\n4 of 7, 2 proven, 1 unproven value_unknown" },
	{ "not where that brings the frame", ROOM "8: " START "sub rsp, 32; cfa 40; jmp 7f; " END
	  "7: push rax; jmp 9f; " PART,
	  "SP006 12..15 no FDE covers it / it is a function, or something leads there\n7 of 7, 3 proven" },
	{ "from a function without an FDE",
	  ROOM ".globl g; .type g, @function; g: sub rsp, 72; jmp 9f; .size g, .-g; " PART,
	  "SP006 6..12 no FDE covers it / it is a function, or something leads there\n2 of 5, 1 proven, 1 unproven value_unknown" },
	{ "jumped to as what was called", ROOM "8: " START "xor ecx, ecx; jmp 9f; " END PART,
	  "4 of 7, 2 proven, 1 unproven value_unknown" },
	{ "or by who has a frame else", ROOM MORE "add rsp, 72; cfa 8; jmp 9f; " END PART,
	  "5 of 8, 2 proven, 1 unproven value_unknown" },
	{ "or called", ROOM MORE "call 9f; add rsp, 72; cfa 8; ret; " END PART,
	  "6 of 9, 2 proven, 1 unproven value_unknown" },
	{ "a call into the middle of an instruction", HIDDEN END MORE
	  "call 6b + 1; add rsp, 72; cfa 8; ret", "6 of 8, 1 proven, 1 unproven value_unknown" },
	{ "from a function that has no frame", HIDDEN END "8: " START "call 6b + 1; ret",
	  "4 of 6, 1 proven, 1 unproven value_unknown" },
	{ "by an address in a register, too",
	  HIDDEN END MORE "lea rax, [rip + 6b + 1]; call rax; add rsp, 72; cfa 8; "
	  "ret", "7 of 9, 1 proven, 1 unproven value_unknown" },
	{ "to its begin", HIDDEN END MORE "lea rax, [rip + 6b]; call rax; add rsp, 72; cfa 8; ret",
	  "7 of 7, 2 proven" },
	{ "from code without an FDE",
	  HIDDEN END ".globl g; .type g, @function; g: jmp 6b + 1; .size g, .-g; "
	  "" START, "SP006 6..8 no FDE covers it / it is a function, or something leads there\n2 of 4, 1 unproven value_unknown" },
	{ "from what an FDE's end cuts off", ROOM MORE ".byte 0xb8, 0x11, 0x22; " END "9: " START
	  "cfa 48; .byte 0x90, 0x90; add rsp, 40; cfa 8; ret",
	  "5 of 9, 1 proven, 1 unproven value_unknown, 1 unproven undecoded" },
};
/* clang-format on */

#define LINT_SUITE lint_reach
#include "lint_cases_main.h"
