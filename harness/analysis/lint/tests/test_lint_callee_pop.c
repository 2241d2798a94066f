/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_callee_pop.c - callees that take their arguments off the stack
 *
 * Cases of lint_fixture.h. f pushes an argument and calls what takes it off, or doesn't; or what makes room on the stack
 * for it.
 */
#include "lint_fixture.h"

#define START	 "	.cfi_startproc\n"
#define END	 "	.cfi_endproc\n"
#define PUSHES	 "	push rdi\n	.cfi_def_cfa_offset 16\n"
#define GONE	 "	.cfi_def_cfa_offset 8\n"
#define CALLS(g) PUSHES "	call " g "\n"
#define TAKES	 END "9:" START "	mov rax, [rsp+8]\n	ret 8\n"
#define GAP(end) GAP_FROM(7, end)
#define HAND	 "	pop rcx\n	add rsp, 8\n	push rcx\n	ret\n"
#define LEA	 "	pop rcx\n	lea rsp, [rsp+8]\n	push rcx\n	ret\n"
#define ROOM	 "	sub rsp, 8\n"
#define BACK	 "	add rsp, 8\n"

/* f keeps a frame, and writes to the room that is made. */
#define ROOM_BY(g)                                                                                 \
	"	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "                    \
	"rsp\n"                                                                                    \
	"	.cfi_def_cfa_register rbp\n	mov eax, 64\n	call " g "\n	mov [rsp], rdi\n"     \
	"	mov [rsp+8], rdi\n	leave\n	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n	"                    \
	"ret\n" END
#define POPS(reg)                                                                                  \
	"9:" START "	pop " reg "\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, " reg "\n"
#define LOWERS(before, rows, behind)                                                               \
	before "	mov rcx, [rsp]\n	sub rsp, 64\n	.cfi_def_cfa_offset 72\n	"                         \
	       "mov [rsp], rcx\n" rows behind
/* f keeps a frame and a register, and no row counts from rsp behind the call. */
#define FRAMED(call, before_return)                                                                \
	"	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "                    \
	"rsp\n	.cfi_def_cfa_register rbp\n	push rbx\n	.cfi_offset rbx, -24\n	mov ebx, "            \
	"edi\n	push 1\n	call " call "\n	pop rbx\n	.cfi_restore rbx\n	pop rbp\n"            \
	"	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n" before_return "	ret\n"
#define GAP_FROM(begin, end)                                                                       \
	"SP006 " #begin ".." #end " no FDE covers it / it is a function, or something leads "      \
	"there\n"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "rows that say so are right", CALLS("9f") GONE "	inc eax\n	ret\n" TAKES,
	  "6 of 6, 2 proven" },
	{ "rows that don't are not, if it comes back",
	  CALLS("9f") "	inc eax\n	ret\n" TAKES, "4 of 6, 1 proven, 1 unproven behind_call" },
	{ "nor is the room that is made again before they say so",
	  CALLS("9f") ROOM "	inc eax\n" BACK GONE "	ret\n" TAKES,
	  "4 of 8, 1 proven, 1 unproven behind_call" },
	{ "who keeps a frame has it by that",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n"
	  "	.cfi_def_cfa_register rbp\n	push rdi\n	call 9f\n	leave\n	"
	  ".cfi_def_cfa rsp, 8\n"
	  "	.cfi_restore rbp\n	ret\n" TAKES,
	  "8 of 8, 2 proven" },
	{ "through another function",
	  CALLS("8f") GONE "	ret\n" END "8:" START "	jmp 9f\n" TAKES, "6 of 6, 3 proven" },
	{ "one that does it by hand, and has no FDE",
	  CALLS("9f") GONE "	ret\n" END "9:" HAND START "	ret\n",
	  GAP(14) "4 of 4, 2 proven" },
	{ "the other way", CALLS("9f") "	ret\n" END "9:" LEA START "	ret\n",
	  GAP(15) "3 of 4, 1 proven, 1 unproven behind_call" },
	{ "what only looks like that",
	  CALLS("8f") "	pop rdi\n" GONE "	mov eax, 0x1008c2\n	ret\n" END "8:" START
		      "	ret\n",
	  "6 of 6, 2 proven" },
	{ "a callee elsewhere of whom the rows say it: nobody knows",
	  CALLS("g@PLT") ROOM "	inc eax\n" BACK GONE "	ret\n",
	  "2 of 6, 1 unproven value_unknown" },
	{ "one by a pointer", CALLS("[rsi]") ROOM "	inc eax\n" BACK GONE "	ret\n",
	  "2 of 6, 1 unproven value_unknown" },
	{ "if the rows say that room is made it is",
	  CALLS("g@PLT") ROOM "	.cfi_def_cfa_offset 24\n	inc eax\n	add rsp, 16\n" GONE
			      "	ret\n",
	  "6 of 6, 1 proven" },
	{ "one that takes more off than any row says is seen by the return: nobody knows",
	  FRAMED("g@PLT", ""), "7 of 9, 1 unproven value_unknown" },
	{ "also by a pointer", FRAMED("[rsi]", ""), "7 of 9, 1 unproven value_unknown" },
	{ "not where a word is pushed to be returned to",
	  FRAMED("g@PLT", "	push rax\n"),
	  "SP001 16..17 cfa=rsp+8 / cfa=rsp+16\nSP001 17..18 cfa=rsp+8 / cfa=rsp+24\n7 of 10, 1 mismatch" },
	{ "nor with a callee that is here", FRAMED("9f", "") END "9:" START "	ret\n",
	  "SP001 16..17 cfa=rsp+8 / cfa=rsp+16\n8 of 10, 1 mismatch, 1 proven" },
	{ "the rows of one that is here are held against its code",
	  CALLS("9f") ROOM "	inc eax\n	add rsp, 16\n" GONE "	ret\n" END "9:" START
			   "	ret\n",
	  "SP001 10..16 cfa=rsp+16 / cfa=rsp+24\n5 of 7, 1 mismatch, 1 proven" },
	{ "room is made for the caller", ROOM_BY("9f") POPS("rcx") "	sub rsp, rax\n	jmp rcx\n",
	  "10 of 11, 1 proven, 1 unproven value_unknown" },
	{ "by another register", ROOM_BY("9f") POPS("r11") "	sub rsp, rax\n	jmp r11\n",
	  "10 of 11, 1 proven, 1 unproven value_unknown" },
	{ "and touched on the way",
	  ROOM_BY("9f") POPS("r11") "1:	sub rsp, 4096\n	or dword ptr [rsp], 0\n	sub eax, 4096\n	ja 1b\n	jmp r11\n",
	  "SP001 34..48 cfa=rsp+0 / cfa=rsp+4096\n9 of 14, 1 mismatch, 1 proven" },
	{ "as tcc's alloca does it",
	  ROOM_BY("9f") "9:	pop rdx\n	add rax, 15\n	and rax, -16\n	jz 1f\n	sub rsp, rax\n"
	  "	mov rax, rsp\n1:	push rdx\n	ret\n" START "	ret\n", GAP_FROM(25, 44) "9 of 9, 2 proven" },
	{ "as MinGW's ___chkstk does it",
	  ROOM_BY("9f") "9:	pop r11\n	mov r10, rsp\n	cmp rax, 0x1000\n	jb 2f\n1:	sub r10, 0x1000\n"
	  "	or dword ptr [r10], 0\n	sub rax, 0x1000\n	cmp rax, 0x1000\n	ja 1b\n2:	sub r10, rax\n"
	  "	mov rax, rsp\n	or dword ptr [r10], 0\n	mov rsp, r10\n	push r11\n	ret\n" START "	ret\n", GAP_FROM(25, 79) "9 of 9, 2 proven" },
	{ "or copied down with the return address",
	  ROOM_BY("9f") "9:" START "	mov rcx, rsp\n	sub rcx, rax\n	mov rax, rsp\n	mov rsp, rcx\n"
	  "	mov rax, [rax]\n	mov [rsp], rax\n	ret\n",
	  "12 of 15, 1 proven, 1 unproven value_unknown" },
	{ "or pushed from memory",
	  ROOM_BY("9f") "9:	lea rcx, [rsp+8]\n	sub rcx, rax\n	mov rdx, rsp\n	mov rsp, rcx\n	push [rdx]\n	ret\n"
	  START "	ret\n", GAP_FROM(25, 42) "9 of 9, 2 proven" },
	{ "or read and jumped to",
	  ROOM_BY("9f") "9:	mov rcx, [rsp]\n	neg rax\n	lea rsp, [rsp+rax+8]\n	jmp rcx\n" START "	ret\n",
	  GAP_FROM(25, 39) "9 of 9, 2 proven" },
	{ "by a register that has its address",
	  "	lea rdx, 9f[rip]\n" ROOM_BY("rdx") POPS("rcx") "	sub rsp, rax\n	jmp rcx\n",
	  "11 of 12, 1 proven, 1 unproven value_unknown" },
	{ "by a pointer, perhaps",
	  ROOM_BY("[rdx]") POPS("rcx") "	sub rsp, rax\n	jmp rcx\n",
	  "10 of 11, 1 proven, 1 unproven value_unknown" },
	{ "a pointer's callee of which the row counts from rsp leaves it as it is",
	  PUSHES "	call rdx\n	inc eax\n	pop rdi\n" GONE "	ret\n" END POPS("rcx") "	sub rsp, rax\n	jmp rcx\n",
	  "7 of 8, 1 proven, 1 unproven value_unknown" },
	{ "where rsp is then nobody knows",
	  "	mov eax, 64\n	call 9f\n	.cfi_def_cfa_offset 72\n	add rsp, 64\n	.cfi_def_cfa_offset 8\n	ret\n" END
	  POPS("rcx") "	sub rsp, rax\n	jmp rcx\n",
	  "4 of 7, 2 unproven value_unknown" },
	{ "unless it is a number",
	  "	call 9f\n	.cfi_def_cfa_offset 72\n	add rsp, 64\n	.cfi_def_cfa_offset 8\n	ret\n" END
	  POPS("rcx") "	sub rsp, 64\n	.cfi_def_cfa_offset 64\n	jmp rcx\n",
	  "6 of 6, 2 proven" },
	{ "which is asked for",
	  "	call 9f\n	.cfi_def_cfa_offset 64\n	add rsp, 64\n	.cfi_def_cfa_offset 8\n	ret\n" END
	  POPS("rcx") "	sub rsp, 64\n	.cfi_def_cfa_offset 64\n	jmp rcx\n",
	  "4 of 6, 1 proven, 1 unproven behind_call" },
	{ "what it has put there nobody sees",
	  "	call 9f\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	mov ebx, edi\n	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n	ret\n" END
	  POPS("rcx") "	push rbx\n	.cfi_def_cfa_offset 8\n	jmp rcx\n",
	  "4 of 7, 1 proven, 1 unproven value_unknown" },
	{ "an argument that is popped into another register",
	  CALLS("9f") GONE "	ret\n" END POPS("rcx") "	pop rax\n	.cfi_def_cfa_offset -8\n	jmp rcx\n",
	  "6 of 6, 2 proven" },
	{ "a tail call is none, whatever bytes are before it",
	  CALLS("9f") "	pop rdi\n" GONE "	ret\n" END
	  "9:" START "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	mov rax, [rdi+0x58]\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n"
	  "	jmp rax\n",
	  "8 of 8, 2 proven" },

	/* At a return that leaves the stack lower the CFA is where it was, or where the caller has rsp then. */
	{ "a return from where the return address was put", LOWERS("", GONE, "") "	ret\n", "3 of 4, 1 unproven value_unknown" },
	{ "as it was entered", LOWERS("", "	.cfi_offset rip, -72\n", "") "	ret\n", "4 of 4, 1 proven" },
	{ "what lies before it, if that goes there straight on", LOWERS("", GONE, "	mov eax, edi\n	cmp eax, 2\n") "	ret\n", "3 of 6, 1 unproven value_unknown" },
	{ "not before a branch", LOWERS("", GONE, "	test edi, edi\n	jz 1f\n1:") "	ret\n", "SP001 12..16 cfa=rsp+8 / cfa=rsp+72\n3 of 6, 1 mismatch" },
	{ "nor where the stack is another one later", LOWERS("", GONE, "") "	add rsp, 64\n	ret\n", "SP001 12..16 cfa=rsp+8 / cfa=rsp+72\n4 of 5, 1 mismatch" },
	{ "nor where another word is written on the way", LOWERS("", GONE, "	mov [rsp], rdi\n") "	ret\n", "SP001 12..17 cfa=rsp+8 / cfa=rsp+72\n3 of 5, 1 mismatch" },
	{ "where two ways meet, too", "	test edi, edi\n	jz 1f\n" LOWERS("", GONE, "") "1:	ret\n", "5 of 6, 1 unproven value_unknown" },
	{ "another number is wrong", LOWERS("", "	.cfi_def_cfa_offset 16\n", "") "	ret\n", "SP001 12..13 cfa=rsp+16 / cfa=rsp+72\n3 of 4, 1 mismatch" },
	{ "so is another register", "	mov rdx, rsp\n" LOWERS("", "	.cfi_def_cfa rdx, 16\n", "") "	ret\n", "SP001 15..16 cfa=rdx+16 / cfa=rdx+8\n4 of 5, 1 mismatch" },
	{ "and one that is said to be as it was", LOWERS("	.cfi_same_value rbx\n	xor ebx, ebx\n", GONE, "") "	ret\n", "SP004 2..14 rbx=same / it is 0\nSP001 14..15 cfa=rsp+8 / cfa=rsp+72\n1 of 5, 1 mismatch" },
	{ "or saved where it is not", LOWERS("", GONE "	.cfi_offset rbx, -16\n", "") "	ret\n", "SP001 12..13 cfa=rsp+8 / cfa=rsp+72\n3 of 4, 1 mismatch" },
	{ "a copy of the return address that is not returned by", "	push [rsp]\n	pop rcx\n	ret\n", "SP001 3..4 cfa=rsp+8 / cfa=rsp+16\n2 of 3, 1 mismatch" },
	{ "where the stack is higher, it counts from the frame's", "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	pop rbx\n	pop rcx\n	pop rdx\n"
	  "	.cfi_def_cfa_offset -8\n	.cfi_register rip, rcx\n	.cfi_restore rbx\n	push rcx\n" GONE "	.cfi_restore rip\n	ret\n", "0 of 6, 1 unproven no_entry" },
};
/* clang-format on */

#define LINT_SUITE lint_callee_pop
#include "lint_cases_main.h"
