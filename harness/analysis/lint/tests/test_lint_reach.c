/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_reach.c - a fragment that another function perhaps leads to with a frame of its own
 *
 * Cases of lint_fixture.h. f jumps to a fragment whose rows are f's, and who comes there else has more on the stack.
 */
#include "lint_fixture.h"

#define END   "	.cfi_endproc\n"
#define START "	.cfi_startproc\n"
#define ROOM  "	sub rsp, 40\n	.cfi_def_cfa_offset 48\n	jmp 9f\n" END
#define MORE  "8:" START "	sub rsp, 72\n	.cfi_def_cfa_offset 80\n"
#define SAME  "8:" START "	sub rsp, 40\n	.cfi_def_cfa_offset 48\n"
#define PART                                                                                       \
	"9:" START "	.cfi_def_cfa_offset 48\n	xor eax, eax\n	add rsp, 40\n	"                       \
	".cfi_def_cfa_offset 8\n	ret\n"
#define HIDDEN                                                                                     \
	"6:	.byte 0xb8, 0x53, 0x90, 0x5b, 0x90\n	ret\n" /* mov eax; push rbx; nop; pop rbx; nop */
#define BY_TABLE                                                                                   \
	"	and edi, 1\n	lea rax, [rip + 7f]\n	movsxd rdx, dword ptr [rax + rdi * 4]\n	"             \
	"add rax, "                                                                                \
	"rdx\n	jmp rax\n"
#define TABLE(first, second)                                                                       \
	"	.section .rodata\n	.p2align 2\n7:	.long " first " - 7b, " second             \
	" - 7b\n	.text\n"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "by an address in a register",
	  ROOM MORE "	lea rax, [rip + 9f]\n	jmp rax\n" END PART, "5 of 8, 2 proven, 1 unproven value_unknown" },
	{ "of the same frame",
	  ROOM SAME "	lea rax, [rip + 9f]\n	jmp rax\n" END PART, "8 of 8, 3 proven" },
	{ "in a word of the stack",
	  ROOM MORE "	lea rax, [rip + 9f]\n	mov [rsp], rax\n	jmp [rsp]\n" END PART,
	  "6 of 9, 2 proven, 1 unproven value_unknown" },
	{ "that is returned to",
	  ROOM MORE "	lea rax, [rip + 9f]\n	push rax\n	.cfi_def_cfa_offset 88\n	ret\n" END PART,
	  "2 of 9, 1 proven, 1 unproven value_unknown, 1 unproven no_entry" },
	{ "of two, one by a condition",
	  ROOM MORE "	lea rax, [rip + 9f]\n	lea rdx, [rip + 9f]\n	test edi, edi\n	cmovz rax, rdx\n	jmp rax\n" END PART,
	  "7 of 11, 1 proven, 2 unproven jump_unknown" },
	{ "by a table that has nothing else",
	  ROOM MORE BY_TABLE END "	nop\n" PART TABLE("9b", "9b"), "7 of 11, 1 proven, 2 unproven jump_unknown" },
	{ "right behind the function",
	  ROOM MORE BY_TABLE END PART TABLE("9b", "9b"), "7 of 11, 1 proven, 2 unproven jump_unknown" },
	{ "by an entry for what is unreachable",
	  ROOM MORE BY_TABLE "6:	add rsp, 72\n	.cfi_def_cfa_offset 8\n	ret\n" END PART TABLE("6b", "9b"), "13 of 13, 3 proven" },
	{ "through padding",
	  ROOM MORE "	test edi, edi\n" END "	nop\n" PART, "4 of 7, 2 proven, 1 unproven value_unknown" },
	{ "through code without an FDE",
	  ROOM MORE "	jmp 7f\n" END "7:	xor eax, eax\n	push rax\n	jmp 9f\n" PART,
	  "SP006 12..17 no FDE covers it / it is a function, or something leads there\n4 of 7, 2 proven, 1 unproven value_unknown" },
	{ "not where that brings the frame",
	  ROOM "8:" START "	sub rsp, 32\n	.cfi_def_cfa_offset 40\n	jmp 7f\n" END "7:	push rax\n	jmp 9f\n" PART,
	  "SP006 12..15 no FDE covers it / it is a function, or something leads there\n7 of 7, 3 proven" },
	{ "from a function without an FDE",
	  ROOM "	.globl g\n	.type g, @function\ng:	sub rsp, 72\n	jmp 9f\n	.size g, .-g\n" PART,
	  "SP006 6..12 no FDE covers it / it is a function, or something leads there\n2 of 5, 1 proven, 1 unproven value_unknown" },
	{ "jumped to as what was called",
	  ROOM "8:" START "	xor ecx, ecx\n	jmp 9f\n" END PART, "4 of 7, 2 proven, 1 unproven value_unknown" },
	{ "or by who has a frame else",
	  ROOM MORE "	add rsp, 72\n	.cfi_def_cfa_offset 8\n	jmp 9f\n" END PART, "5 of 8, 2 proven, 1 unproven value_unknown" },
	{ "or called",
	  ROOM MORE "	call 9f\n	add rsp, 72\n	.cfi_def_cfa_offset 8\n	ret\n" END PART, "6 of 9, 2 proven, 1 unproven value_unknown" },
	{ "a call into the middle of an instruction",
	  HIDDEN END MORE "	call 6b + 1\n	add rsp, 72\n	.cfi_def_cfa_offset 8\n	ret\n", "6 of 8, 1 proven, 1 unproven value_unknown" },
	{ "from a function that has no frame",
	  HIDDEN END "8:" START "	call 6b + 1\n	ret\n", "4 of 6, 1 proven, 1 unproven value_unknown" },
	{ "by an address in a register, too",
	  HIDDEN END MORE "	lea rax, [rip + 6b + 1]\n	call rax\n	add rsp, 72\n	.cfi_def_cfa_offset 8\n	ret\n", "7 of 9, 1 proven, 1 unproven value_unknown" },
	{ "to its begin",
	  HIDDEN END MORE "	lea rax, [rip + 6b]\n	call rax\n	add rsp, 72\n	.cfi_def_cfa_offset 8\n	ret\n", "7 of 7, 2 proven" },
	{ "from code without an FDE",
	  HIDDEN END ".globl g\n	.type g, @function\ng:	jmp 6b + 1\n	.size g, .-g\n" START, "SP006 6..8 no FDE covers it / it is a function, or something leads there\n2 of 4, 1 unproven value_unknown" },
	{ "from what an FDE's end cuts off",
	  ROOM MORE "	.byte 0xb8, 0x11, 0x22\n" END
	  "9:" START "	.cfi_def_cfa_offset 48\n	.byte 0x90, 0x90\n	add rsp, 40\n	.cfi_def_cfa_offset 8\n	ret\n", "5 of 9, 1 proven, 1 unproven value_unknown, 1 unproven undecoded" },
};
/* clang-format on */

#define LINT_SUITE lint_reach
#include "lint_cases_main.h"
