/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_deferrals.c - paths that end where others go on
 *
 * Cases of lint_fixture.h. Two paths meet, and one of them brings what is not declared.
 */
#include "lint_fixture.h"

#define START "startproc; "
#define END   "endproc; "
#define FRAME "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; "
#define LEAVE "leave; restore rbp; cfa 8; ret; "
#define ROOM  "sub rsp, 40; cfa 48; "
#define MORE  "sub rsp, 72; cfa 80; "
#define OUT   "add rsp, 40; cfa 8; ret; "
#define PART  END "9: " START "cfa 48; xor eax, eax; add rsp, 40; cfa 8; ret; "

#define MANY_CALLS(count)                                                                          \
	".rept " count                                                                             \
	"; test edi, edi; je 1f; push rax; cfa 16; call g@PLT; cfa 8; 1: inc eax; .endr; ret; "

/* A path out of a function, and of so many others that have more room. */
#define SHARED(others)                                                                             \
	FRAME "sub rsp, 32; cfa 48; test edi, edi; je 9f; " LEAVE END ".rept " others              \
	      "; " START FRAME "sub rsp, 64; cfa 80; test edi, edi; je 9f; " LEAVE END             \
	      ".endr; 9: " START "cfa 48; offset rbp, -16; xor eax, eax; cfa rbp, 16; nop; "       \
	      "leave; restore rbp; cfa rsp, 8; ret; "

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "what lies behind a meeting is wrong for one way, too",
	  FRAME "test edi, edi; je 1f; push rax; 1: inc eax; inc ecx; " LEAVE,
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 9, 1 mismatch" },
	{ "who is wrong behind that function is accused",
	  FRAME "test edi, edi; je 1f; push rax; 1: inc eax; inc ecx; " LEAVE END "8: " START "push rdi; pop rdi; ret",
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\nSP001 16..17 cfa=rsp+8 / cfa=rsp+16\n8 of 12, 2 mismatch" },
	{ "up to where it is no more",
	  FRAME "cfa rbp; test edi, edi; je 1f; push rax; cfa rsp, 24; 1: inc eax; cfa rbp, 16; inc ecx; leave; "
	  "restore rbp; cfa rsp, 8; ret",
	  "SP001 9..9 from 6 cfa=rsp+24 / cfa=rsp+16\n8 of 9, 1 mismatch" },
	{ "behind a call, too",
	  FRAME "test edi, edi; je 1f; push rax; 1: inc eax; call g@PLT; inc ecx; " LEAVE,
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 10, 1 mismatch" },
	{ "by a pointer",
	  FRAME "test edi, edi; je 1f; push rax; 1: inc eax; call rax; inc ecx; inc ecx; " LEAVE,
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 11, 1 mismatch" },
	{ "and behind a system call",
	  FRAME "test edi, edi; je 1f; push rax; 1: mov eax, 39; syscall; inc ecx; int 0x80; inc ecx; "
	  LEAVE, "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 12, 1 mismatch" },
	{ "where a jump table leads",
	  FRAME "test edi, edi; je 1f; push rax; 1: and edi, 1; lea rax, [rip + 4f]; "
	  "movsxd rdx, dword ptr [rax + rdi * 4]; add rax, rdx; jmp rax; 2: inc eax; 3: inc ecx; "
	  LEAVE ".section .rodata; .p2align 2; 4: .long 2b - 4b, 3b - 4b; .text",
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n6 of 14, 1 mismatch" },
	{ "and in another fragment",
	  FRAME "test edi, edi; je 1f; push rax; 1: inc eax; test esi, esi; jne 9f; " LEAVE END
	  "9: " START "cfa 16; offset rbp, -16; inc ecx; " LEAVE,
	  "SP001 9..9 from 8 cfa=rsp+16 / cfa=rsp+24\n7 of 13, 1 mismatch, 1 unproven value_unknown" },
	{ "a call that may come back",
	  "test edi, edi; je 1f; push rax; cfa 16; call g@PLT; cfa 8; 1: inc eax; inc ecx; ret",
	  "4 of 7, 1 unproven behind_call" },
	{ "63 such calls", MANY_CALLS("63"), "4 of 316, 1 unproven behind_call" },
	{ "more are not followed", MANY_CALLS("64"), "0 of 321, 1 unproven value_unknown" },
	{ "one that doesn't",
	  "test edi, edi; je 1f; push rax; cfa 16; call abort@PLT; cfa 8; 1: inc eax; inc ecx; ret",
	  "7 of 7, 1 proven" },
	{ "a way out of two functions", ROOM "test edi, edi; je 9f; " OUT END "8: " START MORE
	  "test edi, edi; je 9f; add rsp, 72; cfa 8; ret; " PART,
	  "10 of 13, 2 proven, 1 unproven value_unknown" },
	{ "behind a system call, too",
	  ROOM "test edi, edi; je 9f; " OUT END "8: " START MORE "test edi, edi; je 9f; "
	  "add rsp, 72; cfa 8; ret; " END "9: " START "cfa 48; mov eax, 39; syscall; inc ecx; add rsp, 40; cfa 8; ret",
	  "10 of 15, 2 proven, 1 unproven value_unknown" },
	{ "of two that have the same frame", ROOM "test edi, edi; je 9f; " OUT END "8: " START ROOM
	  "test edi, edi; je 9f; " OUT PART, "13 of 13, 3 proven" },
	{ "what a function falls into", ROOM "test edi, edi; je 9f; " OUT END "8: " START MORE
	  "inc eax; " PART, "7 of 10, 2 proven, 1 unproven value_unknown" },
	{ "two such ways, that lie in another order",
	  ROOM "test edi, edi; je 9f; " OUT END "8: " START MORE "test edi, edi; je 9f; "
	  "add rsp, 72; cfa 8; ret; " END "8: " START MORE "test edi, edi; je 7f; add rsp, 72; "
	  "cfa 8; ret; " END "8: " START ROOM "test edi, edi; je 7f; " OUT END
	  "7: " START "cfa 48; xor eax, eax; add rsp, 40; cfa 8; ret; " END
	  "9: " START "cfa 80; xor eax, eax; add rsp, 72; cfa 8; ret",
	  "20 of 26, 4 proven, 2 unproven value_unknown" },
	{ "rows of it that hold for both", SHARED("1"), "17 of 18, 2 proven, 1 unproven value_unknown" },
	{ "for sixteen more", SHARED("16"), "122 of 123, 17 proven, 1 unproven value_unknown" },
	{ "of still more nobody knows", SHARED("17"), "126 of 130, 18 proven, 1 unproven value_unknown" },
	{ "a way out that ends in no instruction",
	  ROOM "test edi, edi; je 9f; " OUT END "8: " START MORE "test edi, edi; je 9f; "
	  "add rsp, 72; cfa 8; ret; " PART ".byte 6", "10 of 13, 2 proven, 1 unproven value_unknown" },
	{ "not where its end is a call", ROOM "test edi, edi; je 9f; " OUT END "8: " START MORE
	  "call g@PLT; " PART, "10 of 10, 3 proven" },
	{ "nor is a function that begins there doubted", "inc eax; ret; " END "8: " START MORE
	  "inc eax; " END "9: " START "inc eax; ret", "6 of 6, 3 proven" },
};
/* clang-format on */

#define LINT_SUITE lint_deferrals
#include "lint_cases_main.h"
