/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_callee_pop.c - callees that take their arguments off the stack
 *
 * Cases of lint_fixture.h. f pushes an argument and calls what takes it off, or doesn't; or what makes room on the stack
 * for it.
 */
#include "lint_fixture.h"

#define START	 "startproc; "
#define END	 "endproc; "
#define PUSHES	 "push rdi; cfa 16; "
#define GONE	 "cfa 8; "
#define CALLS(g) PUSHES "call " g "; "
#define TAKES	 END "9: " START "mov rax, [rsp+8]; ret 8; "
#define GAP(end) GAP_FROM(7, end)
#define HAND	 "pop rcx; add rsp, 8; push rcx; ret; "
#define LEA	 "pop rcx; lea rsp, [rsp+8]; push rcx; ret; "
#define ROOM	 "sub rsp, 8; "
#define BACK	 "add rsp, 8; "

/* f keeps a frame, and writes to the room that is made. */
#define ROOM_BY(g)                                                                                 \
	"push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; mov eax, 64; call " g           \
	"; mov [rsp], rdi; mov [rsp+8], rdi; leave; cfa rsp, 8; restore rbp; ret; " END
#define POPS(reg) "9: " START "pop " reg "; cfa 0; register rip, " reg "; "
#define LOWERS(before, rows, behind)                                                               \
	before "mov rcx, [rsp]; sub rsp, 64; cfa 72; mov [rsp], rcx; " rows behind
/* f keeps a frame and a register, and no row counts from rsp behind the call. */
#define FRAMED(call, before_return)                                                                \
	"push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; push rbx; offset rbx, -24; "    \
	"mov ebx, edi; push 1; call " call                                                         \
	"; pop rbx; restore rbx; pop rbp; cfa rsp, 8; restore rbp; " before_return "ret; "
#define GAP_FROM(begin, end)                                                                       \
	"SP006 " #begin ".." #end " no FDE covers it / it is a function, or something leads "      \
	"there\n"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "rows that say so are right", CALLS("9f") GONE "inc eax; ret; " TAKES, "6 of 6, 2 proven" },
	{ "rows that don't are not, if it comes back", CALLS("9f") "inc eax; ret; " TAKES,
	  "4 of 6, 1 proven, 1 unproven behind_call" },
	{ "nor is the room that is made again before they say so", CALLS("9f") ROOM "inc eax; " BACK
	  GONE "ret; " TAKES, "4 of 8, 1 proven, 1 unproven behind_call" },
	{ "who keeps a frame has it by that",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; push rdi; call 9f; leave; cfa rsp, 8; "
	  "restore rbp; ret; "
	  TAKES, "8 of 8, 2 proven" },
	{ "through another function", CALLS("8f") GONE "ret; " END "8: " START "jmp 9f; " TAKES,
	  "6 of 6, 3 proven" },
	{ "one that does it by hand, and has no FDE", CALLS("9f") GONE "ret; " END "9: " HAND START
	  "ret", GAP(14) "4 of 4, 2 proven" },
	{ "the other way", CALLS("9f") "ret; " END "9: " LEA START "ret",
	  GAP(15) "3 of 4, 1 proven, 1 unproven behind_call" },
	{ "what only looks like that", CALLS("8f") "pop rdi; " GONE "mov eax, 0x1008c2; ret; " END
	  "8: " START "ret", "6 of 6, 2 proven" },
	{ "a callee elsewhere of whom the rows say it: nobody knows", CALLS("g@PLT") ROOM
	  "inc eax; " BACK GONE "ret", "2 of 6, 1 unproven value_unknown" },
	{ "one by a pointer", CALLS("[rsi]") ROOM "inc eax; " BACK GONE "ret",
	  "2 of 6, 1 unproven value_unknown" },
	{ "if the rows say that room is made it is", CALLS("g@PLT") ROOM
	  "cfa 24; inc eax; add rsp, 16; " GONE "ret", "6 of 6, 1 proven" },
	{ "one that takes more off than any row says is seen by the return: nobody knows",
	  FRAMED("g@PLT", ""), "7 of 9, 1 unproven value_unknown" },
	{ "also by a pointer", FRAMED("[rsi]", ""), "7 of 9, 1 unproven value_unknown" },
	{ "not where a word is pushed to be returned to", FRAMED("g@PLT", "push rax; "),
	  "SP001 16..17 cfa=rsp+8 / cfa=rsp+16\nSP001 17..18 cfa=rsp+8 / cfa=rsp+24\n7 of 10, 1 mismatch" },
	{ "nor with a callee that is here", FRAMED("9f", "") END "9: " START "ret",
	  "SP001 16..17 cfa=rsp+8 / cfa=rsp+16\n8 of 10, 1 mismatch, 1 proven" },
	{ "the rows of one that is here are held against its code", CALLS("9f") ROOM
	  "inc eax; add rsp, 16; " GONE "ret; " END "9: " START "ret",
	  "SP001 10..16 cfa=rsp+16 / cfa=rsp+24\n5 of 7, 1 mismatch, 1 proven" },
	{ "room is made for the caller", ROOM_BY("9f") POPS("rcx") "sub rsp, rax; jmp rcx",
	  "10 of 11, 1 proven, 1 unproven value_unknown" },
	{ "by another register", ROOM_BY("9f") POPS("r11") "sub rsp, rax; jmp r11",
	  "10 of 11, 1 proven, 1 unproven value_unknown" },
	{ "and touched on the way", ROOM_BY("9f") POPS("r11")
	  "1: sub rsp, 4096; or dword ptr [rsp], 0; sub eax, 4096; ja 1b; jmp r11",
	  "SP001 34..48 cfa=rsp+0 / cfa=rsp+4096\n9 of 14, 1 mismatch, 1 proven" },
	{ "as tcc's alloca does it",
	  ROOM_BY("9f") "9: pop rdx; add rax, 15; and rax, -16; jz 1f; sub rsp, rax; mov rax, rsp; "
	  "1: push rdx; ret; " START "ret", GAP_FROM(25, 44) "9 of 9, 2 proven" },
	{ "as MinGW's ___chkstk does it",
	  ROOM_BY("9f") "9: pop r11; mov r10, rsp; cmp rax, 0x1000; jb 2f; 1: sub r10, 0x1000; "
	  "or dword ptr [r10], 0; sub rax, 0x1000; cmp rax, 0x1000; ja 1b; 2: sub r10, rax; "
	  "mov rax, rsp; or dword ptr [r10], 0; mov rsp, r10; push r11; ret; "
	  "" START "ret", GAP_FROM(25, 79) "9 of 9, 2 proven" },
	{ "or copied down with the return address", ROOM_BY("9f") "9: " START
	  "mov rcx, rsp; sub rcx, rax; mov rax, rsp; mov rsp, rcx; mov rax, [rax]; mov [rsp], rax; ret",
	  "12 of 15, 1 proven, 1 unproven value_unknown" },
	{ "or pushed from memory",
	  ROOM_BY("9f") "9: lea rcx, [rsp+8]; sub rcx, rax; mov rdx, rsp; mov rsp, rcx; push [rdx]; ret; "
	  START "ret", GAP_FROM(25, 42) "9 of 9, 2 proven" },
	{ "or read and jumped to",
	  ROOM_BY("9f") "9: mov rcx, [rsp]; neg rax; lea rsp, [rsp+rax+8]; jmp rcx; " START "ret",
	  GAP_FROM(25, 39) "9 of 9, 2 proven" },
	{ "by a register that has its address", "lea rdx, 9f[rip]; " ROOM_BY("rdx") POPS("rcx")
	  "sub rsp, rax; jmp rcx", "11 of 12, 1 proven, 1 unproven value_unknown" },
	{ "by a pointer, perhaps", ROOM_BY("[rdx]") POPS("rcx") "sub rsp, rax; jmp rcx",
	  "10 of 11, 1 proven, 1 unproven value_unknown" },
	{ "a pointer's callee of which the row counts from rsp leaves it as it is",
	  PUSHES "call rdx; inc eax; pop rdi; " GONE "ret; " END POPS("rcx")
	  "sub rsp, rax; jmp rcx", "7 of 8, 1 proven, 1 unproven value_unknown" },
	{ "where rsp is then nobody knows",
	  "mov eax, 64; call 9f; cfa 72; add rsp, 64; cfa 8; ret; " END POPS("rcx")
	  "sub rsp, rax; jmp rcx", "4 of 7, 2 unproven value_unknown" },
	{ "unless it is a number", "call 9f; cfa 72; add rsp, 64; cfa 8; ret; " END POPS("rcx")
	  "sub rsp, 64; cfa 64; jmp rcx", "6 of 6, 2 proven" },
	{ "which is asked for", "call 9f; cfa 64; add rsp, 64; cfa 8; ret; " END POPS("rcx")
	  "sub rsp, 64; cfa 64; jmp rcx", "4 of 6, 1 proven, 1 unproven behind_call" },
	{ "what it has put there nobody sees",
	  "call 9f; cfa 16; offset rbx, -16; mov ebx, edi; pop rbx; cfa 8; restore rbx; ret; " END
	  POPS("rcx") "push rbx; cfa 8; jmp rcx", "4 of 7, 1 proven, 1 unproven value_unknown" },
	{ "an argument that is popped into another register", CALLS("9f") GONE "ret; " END
	  POPS("rcx") "pop rax; cfa -8; jmp rcx", "6 of 6, 2 proven" },
	{ "a tail call is none, whatever bytes are before it", CALLS("9f") "pop rdi; " GONE "ret; "
	  END "9: " START "sub rsp, 8; cfa 16; mov rax, [rdi+0x58]; add rsp, 8; cfa 8; jmp rax",
	  "8 of 8, 2 proven" },

	/* At a return that leaves the stack lower the CFA is where it was, or where the caller has rsp then. */
	{ "a return from where the return address was put", LOWERS("", GONE, "") "ret", "3 of 4, 1 unproven value_unknown" },
	{ "as it was entered", LOWERS("", "offset rip, -72; ", "") "ret", "4 of 4, 1 proven" },
	{ "what lies before it, if that goes there straight on", LOWERS("", GONE, "mov eax, edi; cmp eax, 2; ") "ret", "3 of 6, 1 unproven value_unknown" },
	{ "not before a branch", LOWERS("", GONE, "test edi, edi; jz 1f; "
	  "1: ") "ret", "SP001 12..16 cfa=rsp+8 / cfa=rsp+72\n3 of 6, 1 mismatch" },
	{ "nor where the stack is another one later", LOWERS("", GONE, "") "add rsp, 64; "
	  "ret", "SP001 12..16 cfa=rsp+8 / cfa=rsp+72\n4 of 5, 1 mismatch" },
	{ "nor where another word is written on the way", LOWERS("", GONE, "mov [rsp], rdi; ") "ret", "SP001 12..17 cfa=rsp+8 / cfa=rsp+72\n3 of 5, 1 mismatch" },
	{ "where two ways meet, too", "test edi, edi; jz 1f; "
	  "" LOWERS("", GONE, "") "1: ret", "5 of 6, 1 unproven value_unknown" },
	{ "another number is wrong", LOWERS("", "cfa 16; ", "") "ret", "SP001 12..13 cfa=rsp+16 / cfa=rsp+72\n3 of 4, 1 mismatch" },
	{ "so is another register", "mov rdx, rsp; " LOWERS("", "cfa rdx, 16; ", "") "ret", "SP001 15..16 cfa=rdx+16 / cfa=rdx+8\n4 of 5, 1 mismatch" },
	{ "and one that is said to be as it was", LOWERS("same_value rbx; xor ebx, ebx; ", GONE, "") "ret", "SP004 2..14 rbx=same / it is 0\nSP001 14..15 cfa=rsp+8 / cfa=rsp+72\n1 of 5, 1 mismatch" },
	{ "or saved where it is not", LOWERS("", GONE "offset rbx, -16; ", "") "ret", "SP001 12..13 cfa=rsp+8 / cfa=rsp+72\n3 of 4, 1 mismatch" },
	{ "a copy of the return address that is not returned by", "push [rsp]; pop rcx; "
	  "ret", "SP001 3..4 cfa=rsp+8 / cfa=rsp+16\n2 of 3, 1 mismatch" },
	{ "where the stack is higher, it counts from the frame's", "push rbx; cfa 16; "
	  "offset rbx, -16; pop rbx; pop rcx; pop rdx; cfa -8; register rip, rcx; restore rbx; "
	  "push rcx; " GONE "restore rip; ret", "0 of 6, 1 unproven no_entry" },
};
/* clang-format on */

#define LINT_SUITE lint_callee_pop
#include "lint_cases_main.h"
