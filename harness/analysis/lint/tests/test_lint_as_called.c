/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_as_called.c - who is not called, though he has a symbol, and instructions that are perhaps the last
 *
 * Cases of lint_fixture.h.
 */
#include "lint_fixture.h"

#define END_START  "	.cfi_endproc\n	.cfi_startproc\n"
#define ERROR_CODE "	.cfi_def_cfa_offset 16\n"
#define FRAME	   "	sub rsp, 8\n	.cfi_def_cfa_offset 24\n"
#define NO_FRAME   "	add rsp, 8\n	.cfi_def_cfa_offset 16\n"
#define TAKES_OFF  "	add rsp, 8\n	.cfi_def_cfa_offset 8\n"

#define TABLE_JUMP "	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n	jmp rax\n"

/* A path with a frame ends in this, and behind it another block begins, which has none. */
#define ENDS(how)                                                                                  \
	"	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n" how              \
	"1:	.cfi_def_cfa_offset 8\n	ret\n"
#define ACCUSED(begin, from) "SP001 " #begin ".." #begin " from " #from " cfa=rsp+8 / cfa=rsp+16\n"

static const struct lint_case lint_cases[] = {
	{ "a handler with an error code that never ends", ERROR_CODE "1:	jmp 1b\n",
	  "0 of 1, 1 unproven no_entry" },
	{ "one that ends behind a call",
	  ERROR_CODE FRAME "	call [rdi]\n" NO_FRAME TAKES_OFF "	iretq\n",
	  "0 of 5, 1 unproven signal_frame" },
	{ "one of a user's interrupt",
	  ERROR_CODE FRAME "	call [rdi]\n" NO_FRAME TAKES_OFF "	uiret\n",
	  "0 of 5, 1 unproven signal_frame" },
	{ "who goes on in a handler is one",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	pop rax\n	"
	  ".cfi_def_cfa_offset 8\n"
	  "	jmp 9f\n" END_START "9:	add rsp, 8\n	.cfi_def_cfa_offset 0\n	iretq\n",
	  "0 of 5, 2 unproven signal_frame" },
	{ "by way of another, too, and without any frame",
	  "	jmp 9f\n" END_START "9:	nop\n	jmp 9f\n" END_START
	  "9:	add rsp, 8\n	.cfi_def_cfa_offset 0\n	iretq\n",
	  "0 of 5, 3 unproven signal_frame" },
	{ "unless it is called",
	  "9:	jmp 8f\n" END_START "8:	iretq\n" END_START
	  "	push rax\n	.cfi_def_cfa_offset 16\n	call 9b\n	ud2\n",
	  "4 of 5, 2 proven, 1 unproven signal_frame" },
	{ "who leaves to a program that has made a system call",
	  "	.cfi_def_cfa_offset 0\n	.cfi_register rip, rcx\n	push rcx\n	"
	  ".cfi_def_cfa_offset 8\n	.cfi_offset rip, -8\n	call [rdi]\n	pop rcx\n	"
	  ".cfi_def_cfa_offset 0\n	.cfi_register rip, rcx\n	sysretq\n",
	  "0 of 4, 1 unproven signal_frame" },
	{ "by sysexit, too", "	push rcx\n	sysexitq\n", "0 of 2, 1 unproven signal_frame" },
	{ "a stub of a PLT has pushed two words",
	  "	.cfi_def_cfa_offset 24\n	add rsp, 16\n"
	  "	.cfi_def_cfa_offset 8\n	jmp r11\n",
	  "0 of 2, 1 unproven no_entry" },
	{ "a function that returns has that row", ERROR_CODE "	ret\n",
	  "SP005 0..1 cfa=rsp+16 / cfa=rsp+8\n0 of 1, 1 mismatch" },
	{ "one that ends in another one", ERROR_CODE "	jmp g@PLT\n",
	  "SP005 0..5 cfa=rsp+16 / cfa=rsp+8\n0 of 1, 1 mismatch" },
	{ "one that nobody names, too",
	  "9:" LEAF END_START ERROR_CODE "	xor eax, eax\n	.cfi_def_cfa_offset 8\n	jmp 9b\n",
	  "SP005 1..3 cfa=rsp+16 / cfa=rsp+8\n2 of 3, 1 mismatch, 1 proven" },
	{ "unless it never says where its caller is",
	  "9:" LEAF END_START ERROR_CODE "	jmp 9b\n",
	  "1 of 2, 1 proven, 1 unproven no_entry" },
	{ "who returns to what it has pushed is perhaps not called",
	  ERROR_CODE "	push rax\n	.cfi_def_cfa_offset 24\n	ret\n",
	  "0 of 2, 1 unproven no_entry" },
	{ "nor is who takes off what lies above its return address",
	  ERROR_CODE "	pop rcx\n	.cfi_def_cfa_offset 8\n	mov [rsp], rcx\n	ret\n",
	  "0 of 3, 1 unproven no_entry" },
	{ "nor is who takes off its arguments",
	  ERROR_CODE "	pop rcx\n	.cfi_def_cfa_offset 8\n	pop rax\n	"
		     ".cfi_def_cfa_offset 0\n	push rcx\n	.cfi_def_cfa_offset 8\n	"
		     "ret\n",
	  "0 of 4, 1 unproven no_entry" },
	{ "a jump table that is read too far at first",
	  ERROR_CODE
	  "	mov edi, [rdi]\n	.cfi_def_cfa_offset 8\n	test edi, edi\n	je 3f\n"
	  "	lea rdx, 8f[rip]\n" TABLE_JUMP "3:	lea rdx, 9f[rip]\n" TABLE_JUMP
	  "	push rax\n	ret\n	nop\n	nop\n2:	ret\n1:	ret\n"
	  "	.section .rodata\n8:	.long 1b-8b\n9:	.long 2b-9b, 0x7fffffff\n	.text\n",
	  "SP005 0..2 cfa=rsp+16 / cfa=rsp+8\n12 of 15, 1 mismatch" },
	{ "one that never ends is called",
	  ERROR_CODE "1:	jmp 1b\n" SECOND(g) "	push rax\n	.cfi_def_cfa_offset 16\n"
						    "	call 1b\n	ud2\n",
	  "SP005 0..2 cfa=rsp+16 / cfa=rsp+8\n3 of 4, 1 mismatch, 1 proven" },

	{ "an instruction goes on", ENDS("	mov dword ptr [rsi], 1\n"),
	  ACCUSED(11, 5) "4 of 5, 1 mismatch" },
	{ "the page at 0 is written", ENDS("	mov dword ptr ds:0, 1\n"),
	  "4 of 5, 1 unproven behind_call" },
	{ "its last word", ENDS("	mov byte ptr ds:4095, 1\n"),
	  "4 of 5, 1 unproven behind_call" },
	{ "the next page is", ENDS("	mov dword ptr ds:4096, 1\n"),
	  ACCUSED(16, 5) "4 of 5, 1 mismatch" },
	{ "a thread's own words are", ENDS("	mov dword ptr fs:0, 1\n"),
	  ACCUSED(17, 5) "4 of 5, 1 mismatch" },
	{ "the address alone is made", ENDS("	lea rax, ds:0\n"),
	  ACCUSED(13, 5) "4 of 5, 1 mismatch" },
	{ "a system call of which the number is not known", ENDS("	syscall\n"),
	  "4 of 5, 1 unproven behind_call" },
	{ "rt_sigreturn", ENDS("	mov eax, 15\n	syscall\n"), "6 of 6, 1 proven" },
	{ "another one", ENDS("	mov eax, 14\n	syscall\n"), "5 of 6, 1 unproven behind_call" },
	{ "a system call of 32-bit code", ENDS("	int 0x80\n"),
	  "4 of 5, 1 unproven behind_call" },
	{ "a hypervisor's call", ENDS("	vmcall\n"), "4 of 5, 1 unproven behind_call" },
	{ "a port", ENDS("	out dx, al\n"), "4 of 5, 1 unproven behind_call" },
	{ "the end of a transaction", ENDS("	xabort 1\n"), "4 of 5, 1 unproven behind_call" },
	{ "all that is right behind it stays proven", "	out dx, al\n	syscall\n	ret\n",
	  "3 of 3, 1 proven" },
};

#define LINT_SUITE lint_as_called
#include "lint_cases_main.h"
