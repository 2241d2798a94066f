/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_as_called.c - who is not called, though he has a symbol, and instructions that are perhaps the last
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

#define END_START  "endproc; startproc; "
#define ERROR_CODE "cfa 16; "
#define FRAME	   "sub rsp, 8; cfa 24; "
#define NO_FRAME   "add rsp, 8; cfa 16; "
#define TAKES_OFF  "add rsp, 8; cfa 8; "

#define TABLE_JUMP "movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; "

/* A path with a frame ends in this, and behind it another block begins, which has none. */
#define ENDS(how)	     "test edi, edi; je 1f; push rax; cfa 16; " how "1: cfa 8; ret; "
#define ACCUSED(begin, from) "SP001 " #begin ".." #begin " from " #from " cfa=rsp+8 / cfa=rsp+16\n"

static const struct lint_case lint_cases[] = {
	{ "a handler with an error code that never ends", ERROR_CODE "1: jmp 1b",
	  "0 of 1, 1 unproven no_entry" },
	{ "one that ends behind a call", ERROR_CODE FRAME "call [rdi]; " NO_FRAME TAKES_OFF "iretq",
	  "0 of 5, 1 unproven signal_frame" },
	{ "one of a user's interrupt", ERROR_CODE FRAME "call [rdi]; " NO_FRAME TAKES_OFF "uiret",
	  "0 of 5, 1 unproven signal_frame" },
	{ "who goes on in a handler is one",
	  "push rax; cfa 16; pop rax; cfa 8; jmp 9f; " END_START "9: add rsp, 8; cfa 0; iretq",
	  "0 of 5, 2 unproven signal_frame" },
	{ "by way of another, too, and without any frame",
	  "jmp 9f; " END_START "9: nop; jmp 9f; " END_START "9: add rsp, 8; cfa 0; iretq",
	  "0 of 5, 3 unproven signal_frame" },
	{ "unless it is called",
	  "9: jmp 8f; " END_START "8: iretq; " END_START "push rax; cfa 16; call 9b; ud2",
	  "4 of 5, 2 proven, 1 unproven signal_frame" },
	{ "who leaves to a program that has made a system call",
	  "cfa 0; register rip, rcx; push rcx; cfa 8; offset rip, -8; call [rdi]; pop rcx; cfa 0; "
	  "register rip, rcx; sysretq",
	  "0 of 4, 1 unproven signal_frame" },
	{ "by sysexit, too", "push rcx; sysexitq", "0 of 2, 1 unproven signal_frame" },
	{ "a stub of a PLT has pushed two words", "cfa 24; add rsp, 16; cfa 8; jmp r11",
	  "0 of 2, 1 unproven no_entry" },
	{ "a function that returns has that row", ERROR_CODE "ret",
	  "SP005 0..1 cfa=rsp+16 / cfa=rsp+8\n0 of 1, 1 mismatch" },
	{ "one that ends in another one", ERROR_CODE "jmp g@PLT",
	  "SP005 0..5 cfa=rsp+16 / cfa=rsp+8\n0 of 1, 1 mismatch" },
	{ "one that nobody names, too",
	  "9: " LEAF END_START ERROR_CODE "xor eax, eax; cfa 8; jmp 9b",
	  "SP005 1..3 cfa=rsp+16 / cfa=rsp+8\n2 of 3, 1 mismatch, 1 proven" },
	{ "unless it never says where its caller is", "9: " LEAF END_START ERROR_CODE "jmp 9b",
	  "1 of 2, 1 proven, 1 unproven no_entry" },
	{ "who returns to what it has pushed is perhaps not called",
	  ERROR_CODE "push rax; cfa 24; ret", "0 of 2, 1 unproven no_entry" },
	{ "nor is who takes off what lies above its return address",
	  ERROR_CODE "pop rcx; cfa 8; mov [rsp], rcx; ret", "0 of 3, 1 unproven no_entry" },
	{ "nor is who takes off its arguments",
	  ERROR_CODE "pop rcx; cfa 8; pop rax; cfa 0; push rcx; cfa 8; ret",
	  "0 of 4, 1 unproven no_entry" },
	{ "a jump table that is read too far at first",
	  ERROR_CODE "mov edi, [rdi]; cfa 8; test edi, edi; je 3f; lea rdx, 8f[rip]; " TABLE_JUMP
		     "3: lea rdx, 9f[rip]; " TABLE_JUMP
		     "push rax; ret; nop; nop; 2: ret; 1: ret; .section .rodata; 8: .long 1b-8b; "
		     "9: .long 2b-9b, 0x7fffffff; .text",
	  "SP005 0..2 cfa=rsp+16 / cfa=rsp+8\n12 of 15, 1 mismatch" },
	{ "one that never ends is called",
	  ERROR_CODE "1: jmp 1b; " SECOND(g) "push rax; cfa 16; call 1b; ud2",
	  "SP005 0..2 cfa=rsp+16 / cfa=rsp+8\n3 of 4, 1 mismatch, 1 proven" },

	{ "an instruction goes on", ENDS("mov dword ptr [rsi], 1; "),
	  ACCUSED(11, 5) "4 of 5, 1 mismatch" },
	{ "the page at 0 is written", ENDS("mov dword ptr ds:0, 1; "),
	  "4 of 5, 1 unproven behind_call" },
	{ "its last word", ENDS("mov byte ptr ds:4095, 1; "), "4 of 5, 1 unproven behind_call" },
	{ "the next page is", ENDS("mov dword ptr ds:4096, 1; "),
	  ACCUSED(16, 5) "4 of 5, 1 mismatch" },
	{ "a thread's own words are", ENDS("mov dword ptr fs:0, 1; "),
	  ACCUSED(17, 5) "4 of 5, 1 mismatch" },
	{ "the address alone is made", ENDS("lea rax, ds:0; "),
	  ACCUSED(13, 5) "4 of 5, 1 mismatch" },
	{ "a system call of which the number is not known", ENDS("syscall; "),
	  "4 of 5, 1 unproven behind_call" },
	{ "rt_sigreturn", ENDS("mov eax, 15; syscall; "), "6 of 6, 1 proven" },
	{ "another one", ENDS("mov eax, 14; syscall; "), "5 of 6, 1 unproven behind_call" },
	{ "a system call of 32-bit code", ENDS("int 0x80; "), "4 of 5, 1 unproven behind_call" },
	{ "a hypervisor's call", ENDS("vmcall; "), "4 of 5, 1 unproven behind_call" },
	{ "a port", ENDS("out dx, al; "), "4 of 5, 1 unproven behind_call" },
	{ "the end of a transaction", ENDS("xabort 1; "), "4 of 5, 1 unproven behind_call" },
	{ "all that is right behind it stays proven", "out dx, al; syscall; ret",
	  "3 of 3, 1 proven" },
};

#define LINT_SUITE lint_as_called
#include "lint_cases_main.h"
