/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_sound.c - what must not be proven, and what must not be accused
 *
 * Cases of lint_fixture.h, by what an analysis is easily wrong about: writes that lie elsewhere than the
 * operand says, instructions that leave a register as it was, and values that come back on a detour.
 */
#include "lint_fixture.h"

#define PUSH  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
#define POP   "	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"
#define ROOM  "	sub rsp, 16\n	.cfi_def_cfa_offset 32\n"
#define CLEAR "	add rsp, 16\n	.cfi_def_cfa_offset 16\n"
/* rbx is kept in rax for a while: then it counts if it is another one. */
#define KEPT(code) "	mov rax, rbx\n" code "	nop\n	mov rbx, rax\n	ret\n"

/* What a table of two leads to has a frame, and what lies behind has none. */
#define TABLE TABLE_OF("1b", "1b")
#define TABLE_OF(first, second)                                                                    \
	"	mov edi, edi\n	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rdi*4]\n"                   \
	"	add rax, rdx\n	jmp rax\n1:	mov eax, 1\n" POP                                  \
	"	ret\n2:	xor eax, eax\n	ret\n"                                                            \
	"	.section .rodata\n9:	.long " first "-9b, " second "-9b\n	.text\n"

#define OCAML                                                                                      \
	"	.cfi_endproc\ncamlM__code_begin:\n	.type camlM__f_12, @function\n"                       \
	"camlM__f_12:	.cfi_startproc\n"

/* rbx is saved at the end of a large frame. */
#define FAR                                                                                        \
	"	sub rsp, 400\n	.cfi_def_cfa_offset 408\n	mov [rsp], rbx\n	"                              \
	".cfi_offset rbx, -408\n"
#define NEAR                                                                                       \
	"	sub rsp, 400\n	.cfi_def_cfa_offset 408\n	mov [rsp+272], rbx\n	"                          \
	".cfi_offset rbx, -136\n"

/* rbx is kept in r12, and for one instruction only there. */
#define UNREAD(before)                                                                             \
	PUSH "	push r12\n	.cfi_def_cfa_offset 24\n	.cfi_offset r12, -24\n	mov r12, "               \
	     "rbx\n"                                                                               \
	     "	test edi, edi\n	jne 1f\n" before                                                   \
	     "	jmp rsi\n1:	xor ebx, ebx\n	test edx, edx\n	je 2f\n	nop\n2:	mov rbx, r12\n"          \
	     "	.cfi_same_value rbx\n	nop\n	.cfi_offset rbx, -16\n	pop r12\n"                       \
	     "	.cfi_def_cfa_offset 16\n	.cfi_restore r12\n" POP LEAF

/* The row counts from rsp itself: where rbx and the return address are, and the caller's rsp by an expression. */
#define ELSEWHERE(rbx, rip, rsp)                                                                   \
	"	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	sub rsp, "                    \
	"16\n"                                                                                     \
	"	.cfi_def_cfa rsp, 0\n	.cfi_offset rbx, " rbx "\n	.cfi_offset rip, " rip     \
	"\n"                                                                                       \
	"	.cfi_escape 0x16, 7, 2, 0x77, " rsp "\n	nop\n	hlt\n"

/* rbx is saved, and a frame pointer leads there. */
#define FRAME_POINTER                                                                              \
	"	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "                    \
	"rsp\n"                                                                                    \
	"	.cfi_def_cfa_register rbp\n	push rbx\n	.cfi_offset rbx, -24\n	xor ebx, "                 \
	"ebx\n"
#define TAKEN_DOWN                                                                                 \
	"	nop\n	mov rbx, [rbp-8]\n	.cfi_same_value rbx\n	leave\n"                                  \
	"	.cfi_def_cfa rsp, 8\n	.cfi_same_value rbp\n	ret\n"

static const struct lint_case lint_cases[] = {
	{ "a row inside an instruction is for what a jump finds there",
	  "	test edi, edi\n	jnz 1f+1\n1:	.byte 0xb8, 0x53\n	.cfi_def_cfa_offset "
	  "16\n	.byte 0x90, 0x5b\n"
	  "	.cfi_def_cfa_offset 8\n	.byte 0x90\n	nop\n	ret\n",
	  "5 of 5, 1 proven" },
	{ "not one that lies inside of that, too",
	  "	test edi, edi\n	jnz 1f+1\n1:	.byte 0xb8, 0x0f\n	.cfi_def_cfa_offset "
	  "16\n	.byte 0x1f\n"
	  "	.cfi_def_cfa_offset 8\n	.byte 0x40, 0\n	ret\n",
	  "SP007 4..9 a row begins at 0x6 / the instruction has 5 bytes from 0x4\n"
	  "SP007 4..9 a row begins at 0x7 / the instruction has 5 bytes from 0x4\n"
	  "SP007 5..9 a row begins at 0x6 / the instruction has 4 bytes from 0x5\n"
	  "SP007 5..9 a row begins at 0x7 / the instruction has 4 bytes from 0x5\n"
	  "3 of 4, 1 mismatch" },
	/* GCC's __attribute__((interrupt)) with an error code: below it the CPU has pushed that. */
	{ "a handler of an interrupt is not called",
	  "	.cfi_def_cfa_offset 16\n	push rax\n	.cfi_def_cfa_offset 24\n	"
	  "pop rax\n"
	  "	.cfi_def_cfa_offset 16\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n	iretq\n",
	  "0 of 4, 1 unproven signal_frame" },
	{ "without an error code, neither",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	pop rax\n"
	  "	.cfi_def_cfa_offset 8\n	iretq\n",
	  "0 of 3, 1 unproven signal_frame" },
	/* GHC's adjustors push the address of such code in place of a return address. */
	{ "what returns to its caller's frame was not called", "	add rsp, 8\n	ret\n",
	  "0 of 2, 1 unproven no_entry" },
	{ "code in the middle of another function that is called has another frame then",
	  PUSH "1:	nop\n" POP LEAF SECOND(
		  g) "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call 1b\n"
		     "	add rsp, 8\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "5 of 8, 1 proven, 1 unproven value_unknown" },
	{ "so has a function there that others may call, by its symbol",
	  "	.globl f\n	.size f, 7f-f\n" PUSH
	  "	.globl inner\n	.type inner, @function\ninner:	nop\n" POP LEAF
	  "7:	.size inner, 7b-inner\n",
	  "1 of 4, 1 unproven value_unknown" },
	{ "not one that is the file's own",
	  "	.globl f\n	.size f, 7f-f\n" PUSH
	  "	.type inner, @function\ninner:	nop\n" POP LEAF "7:	.size inner, 7b-inner\n",
	  "4 of 4, 1 proven" },
	{ "nor one without a size, which may be a label",
	  "	.globl f\n	.size f, 7f-f\n" PUSH
	  "	.globl inner\n	.type inner, @function\ninner:	nop\n" POP LEAF "7:\n",
	  "4 of 4, 1 proven" },
	{ "or none, where its rows say so",
	  "	nop\n1:	xor eax, eax\n" LEAF SECOND(
		  g) "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n"
		     "	call 1b\n	add rsp, 8\n	"
		     ".cfi_def_cfa_offset 8\n" LEAF,
	  "7 of 7, 2 proven" },
	{ "what another function leads to, behind it",
	  "	nop\n1:	xor eax, eax\n	ret\n" SECOND(
		  g) "	push rax\n	.cfi_def_cfa_offset 16\n	jmp 1b\n",
	  "SP001 1..4 cfa=rsp+8 / cfa=rsp+16\n3 of 5, 1 mismatch, 1 proven" },
	{ "and before it: which of them was judged first makes no difference",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	jmp 1f\n" SECOND(
		  g) "	nop\n1:	xor eax, eax\n	ret\n",
	  "SP001 4..7 cfa=rsp+8 / cfa=rsp+16\n3 of 5, 1 mismatch, 1 proven" },
	{ "an inner routine of its own",
	  PUSH "	call 1f\n" POP
	       "	ret\n1:	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, "
	       "-16\n	nop\n	ret\n",
	  "SP001 8..10 cfa=rsp+16 / cfa=rsp+8\n4 of 6, 1 mismatch" },
	{ "with rows of its own", PUSH "	call 1f\n" POP "	ret\n1:	nop\n	ret\n",
	  "6 of 6, 1 proven" },
	{ "a call over data leaves their address",
	  "	call 1f\n	.byte 0xb8, 1\n	.cfi_def_cfa_offset 16\n	.byte 0, 0, "
	  "0\n1:	pop "
	  "rax\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "3 of 4, 1 unproven not_reached" },
	{ "and what takes it off has its row, or is accused",
	  "	call 1f\n	.byte 0xb8, 1, 0, 0, 0\n1:	pop rax\n" LEAF,
	  "SP001 10..11 cfa=rsp+8 / cfa=rsp+16\n2 of 4, 1 mismatch" },
	{ "bytes of another instruction are no call",
	  PUSH
	  "1:	nop\n" POP LEAF SECOND(g) "	mov eax, 0xf6e80000\n	.byte 0x0d, 0xff, 0xff, "
					  "0xff, 0\n" LEAF,
	  "7 of 7, 2 proven" },
	{ "a jump into the middle of an instruction leads to others",
	  "	test edi, edi\n	jz 1f+1\n1:	.byte 0xb8, 0x53, 0x90, 0x90, 0x5b\n" LEAF,
	  "SP001 6..9 cfa=rsp+8 / cfa=rsp+16\n4 of 7, 1 mismatch" },
	{ "of which all may be right",
	  "	test edi, edi\n	jz 1f+1\n1:	.byte 0xb8, 0x90, 0x90, 0x90, 0x90\n" LEAF,
	  "4 of 4, 1 proven" },
	{ "or nobody knows",
	  "	test edi, edi\n	jz 1f+1\n1:	.byte 0xb8, 0x5c, 0x90, 0x90, 0x90\n" LEAF,
	  "3 of 7, 1 unproven value_unknown" },
	{ "behind clone the new thread has another stack, until rax tells them apart",
	  "	mov eax, 56\n	syscall\n	test eax, eax\n	je 1f\n	ret\n1:	xor ebp, "
	  "ebp\n	.cfi_undefined rbp\n	hlt\n",
	  "3 of 7, 1 unproven value_unknown" },
	{ "as the C library of Alpine does it",
	  "	xor eax, eax\n	mov al, 56\n	sub rsi, 8\n	syscall\n	test eax, eax\n	"
	  "jne 1f\n	xor ebp, ebp\n	.cfi_undefined rbp\n	pop rdi\n	call r9\n	"
	  "hlt\n"
	  "1:	.cfi_restore rbp\n	ret\n",
	  "5 of 11, 1 unproven value_unknown" },
	{ "a process begins on the same stack",
	  "	mov eax, 56\n	xor esi, esi\n	syscall\n	test eax, eax\n	je 1f\n	ret\n1:	"
	  "nop\n" LEAF,
	  "8 of 8, 1 proven" },
	{ "clone3 says in memory whether it does",
	  "	mov eax, 435\n	xor esi, esi\n	syscall\n	cmp rax, 0\n	jne 1f\n	"
	  "hlt\n1:	ret\n",
	  "4 of 7, 1 unproven value_unknown" },
	{ "another system call begins nothing",
	  "	mov eax, 57\n	syscall\n	test eax, eax\n" LEAF, "4 of 4, 1 proven" },
	{ "a register that no callee preserves, where its row says",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	.cfi_offset rax, -16\n	xor eax, "
	  "eax\n"
	  "	pop rax\n	.cfi_def_cfa_offset 8\n	.cfi_same_value rax\n" LEAF,
	  "4 of 4, 1 proven" },
	{ "and elsewhere", "	.cfi_offset rax, -16\n	nop\n" LEAF,
	  "SP003 0..2 rax=c-16 / nothing was written there\n0 of 2, 1 mismatch" },
	{ "one that is declared the same, and is not",
	  "	.cfi_same_value r11\n	mov eax, 1\n	xor r11d, r11d\n" LEAF,
	  "SP004 8..9 r11=same / it is 0\n2 of 3, 1 mismatch" },
	{ "one that is kept in another",
	  "	mov r11, rcx\n	.cfi_register rcx, r11\n	xor ecx, "
	  "ecx\n" LEAF,
	  "3 of 3, 1 proven" },
	{ "one of which a fragment is kept there",
	  "	mov r11d, esi\n	.cfi_register rsi, r11\n	xor esi, esi\n" LEAF,
	  "1 of 3, 1 unproven value_unknown" },
	{ "one that is declared lost may be", "	.cfi_undefined rdx\n	nop\n" LEAF,
	  "2 of 2, 1 proven" },
	{ "one that a call changes",
	  "	push rdi\n	.cfi_def_cfa_offset 16\n	.cfi_same_value rdi\n	call "
	  "g@PLT\n"
	  "	nop\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n	.cfi_restore rdi\n" LEAF,
	  "2 of 5, 1 unproven behind_call" },
	{ "a return address that is overwritten by a copy of rsp",
	  "	lea rax, [rsp]\n	mov [rax], rdi\n	nop\n" LEAF,
	  "SP002 7..9 ra=c-8 / there is the caller's rdi\n2 of 4, 1 mismatch" },
	{ "or of a sum with it",
	  "	xor eax, eax\n	add rax, rsp\n	mov [rax], rdi\n	nop\n" LEAF,
	  "SP002 8..10 ra=c-8 / there is the caller's rdi\n3 of 5, 1 mismatch" },
	{ "vector registers are not followed",
	  "	nop\n	.cfi_offset xmm6, -32\n	nop\n	.cfi_restore xmm6\n" LEAF,
	  "2 of 3, 1 unproven rule_unknown" },
	{ "unless nothing is claimed", "	.cfi_undefined xmm6\n	nop\n" LEAF,
	  "2 of 2, 1 proven" },
	{ "a bit far from its operand is in another word",
	  PUSH ROOM "	mov edi, 128\n	bts qword ptr [rsp], rdi\n" CLEAR POP LEAF,
	  "4 of 7, 1 unproven value_unknown" },
	{ "a bit before it", PUSH "	mov rdi, -1\n	btr [rsp+8], rdi\n" POP LEAF,
	  "3 of 5, 1 unproven value_unknown" },
	{ "a bit in it", PUSH ROOM "	mov edi, 127\n	btc qword ptr [rsp], rdi\n" CLEAR POP LEAF,
	  "7 of 7, 1 proven" },
	{ "of an operand of 32 bits",
	  PUSH "	mov edi, 64\n	bts dword ptr [rsp-8], edi\n" POP LEAF,
	  "3 of 5, 1 unproven value_unknown" },
	{ "of a bit that is a number only the operand's count",
	  PUSH ROOM "	bts qword ptr [rsp], 128\n" CLEAR POP LEAF, "6 of 6, 1 proven" },
	{ "a string goes down behind std",
	  PUSH ROOM
	  "	lea rdi, [rsp+24]\n	mov ecx, 2\n	std\n	rep stosq\n	cld\n" CLEAR POP
		  LEAF,
	  "5 of 10, 1 unproven value_unknown" },
	{ "up without it",
	  PUSH ROOM "	lea rdi, [rsp]\n	mov ecx, 2\n	rep stosq\n" CLEAR POP LEAF,
	  "8 of 8, 1 proven" },
	{ "up again behind cld",
	  PUSH ROOM
	  "	lea rdi, [rsp]\n	mov ecx, 2\n	std\n	cld\n	rep stosq\n" CLEAR POP LEAF,
	  "10 of 10, 1 proven" },
	{ "either way behind popf",
	  PUSH ROOM
	  "	pushfq\n	.cfi_def_cfa_offset 40\n	popfq\n	.cfi_def_cfa_offset 32\n"
	  "	lea rdi, [rsp]\n	mov ecx, 2\n	rep stosq\n" CLEAR POP LEAF,
	  "10 of 10, 1 proven" },
	{ "or where it began",
	  PUSH ROOM
	  "	pushfq\n	.cfi_def_cfa_offset 40\n	popfq\n	.cfi_def_cfa_offset 32\n"
	  "	lea rdi, [rsp+24]\n	mov ecx, 2\n	rep stosq\n" CLEAR POP LEAF,
	  "6 of 10, 1 unproven value_unknown" },
	{ "between the rounds of a string instruction some of it is written",
	  PUSH "	mov rax, rbx\n	xor ebx, ebx\n	lea rdi, [rsp-8]\n	mov ecx, 2\n"
	       "	rep stosq\n	.cfi_register rbx, rax\n	nop\n	mov rbx, rax\n"
	       "	.cfi_offset rbx, -16\n	pop rax\n	.cfi_def_cfa_offset 8\n"
	       "	.cfi_same_value rbx\n" LEAF,
	  "8 of 10, 1 unproven value_unknown" },
	{ "and rcx and rdi are others",
	  "	mov rcx, rbx\n	.cfi_register rbx, rcx\n	xor ebx, ebx\n	rep stosb\n"
	  "	.cfi_undefined rbx\n	ret\n",
	  "3 of 4, 1 unproven value_unknown" },
	{ "what is pushed is anywhere if rsp was raised by what nobody knows",
	  FRAME_POINTER "	xadd rsp, rdi\n	push rax\n" TAKEN_DOWN,
	  "6 of 10, 1 unproven value_unknown" },
	{ "also by a call", FRAME_POINTER "	add rsp, rdi\n	call g@PLT\n" TAKEN_DOWN,
	  "6 of 10, 1 unproven value_unknown" },
	{ "or where the sum is made elsewhere",
	  FRAME_POINTER
	  "	lea rcx, [rsp+rdi]\n	and rcx, -16\n	mov rsp, rcx\n	push rax\n" TAKEN_DOWN,
	  "8 of 12, 1 unproven value_unknown" },
	{ "what is taken down again behind it is right",
	  FRAME_POINTER "	add rsp, rdi\n	nop\n" TAKEN_DOWN, "10 of 10, 1 proven" },
	{ "room of a size that is computed lies below",
	  FRAME_POINTER "	sub rsp, rdi\n	push rax\n	call g@PLT\n" TAKEN_DOWN,
	  "11 of 11, 1 proven" },
	{ "also if it is computed elsewhere",
	  FRAME_POINTER "	mov rcx, rsp\n	sub rcx, rdi\n	and rcx, -16\n	mov rsp, rcx\n	"
			"push rax\n" TAKEN_DOWN,
	  "13 of 13, 1 proven" },
	{ "another stack is another",
	  FRAME_POINTER "	mov rsp, rdi\n	push rax\n	call g@PLT\n" TAKEN_DOWN,
	  "11 of 11, 1 proven" },
	{ "words of 16 bits are pushed into a part of what was saved",
	  PUSH "	mov rax, rbx\n	xor ebx, ebx\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n"
	       "	pushw 5\n	.cfi_def_cfa_offset 10\n	nop\n	add rsp, 2\n"
	       "	.cfi_def_cfa_offset 8\n	mov rbx, rax\n	.cfi_restore rbx\n" LEAF,
	  "6 of 9, 1 unproven value_unknown" },
	{ "beside it they are not",
	  PUSH "	pushw 5\n	.cfi_def_cfa_offset 18\n	pushfw\n	"
	       ".cfi_def_cfa_offset 20\n"
	       "	popfw\n	.cfi_def_cfa_offset 18\n	pop ax\n	"
	       ".cfi_def_cfa_offset 16\n" POP LEAF,
	  "7 of 7, 1 proven" },
/* Parts of registers: what they are said to be equal in is not the registers. */
#define ROUNDS(compare, cfa)                                                                       \
	"	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "                    \
	"rsp\n"                                                                                    \
	"	.cfi_def_cfa_register rbp\n	sub rsp, rdi\n2:	pop rcx\n	" compare  \
	"\n	jne 2b\n	.cfi_def_cfa rsp, " cfa                                            \
	"\n	nop\n	mov rsp, rbp\n	.cfi_def_cfa rsp, 16\n"                                           \
	"	pop rbp\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbp\n" LEAF
	{ "rsp comes to where rbp is", ROUNDS("cmp rsp, rbp", "16"), "10 of 10, 1 proven" },
	{ "not where eight bits of them are equal", ROUNDS("cmp spl, bpl", "16"),
	  "8 of 10, 1 unproven value_unknown" },
	{ "nor the other way round", ROUNDS("cmp bpl, spl", "16"),
	  "8 of 10, 1 unproven value_unknown" },
	{ "nor sixteen", ROUNDS("cmp sp, bp", "16"), "8 of 10, 1 unproven value_unknown" },
	{ "nor thirty-two", ROUNDS("cmp esp, ebp", "16"), "8 of 10, 1 unproven value_unknown" },
	{ "and nobody is accused of where rsp is then", ROUNDS("cmp spl, bpl", "272"),
	  "8 of 10, 1 unproven value_unknown" },
	/* Of values that are equal both are the caller's. */
	{ "a value is counted up to the caller's",
	  PUSH
	  "	mov r8, rbx\n	xor ebx, ebx\n1:	inc rbx\n	cmp rbx, r8\n	jne 1b\n"
	  "	.cfi_restore rbx\n	nop\n	pop rcx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "9 of 9, 1 proven" },
	{ "or is it at once, by the other operand",
	  PUSH "	mov r8, rbx\n	mov rbx, [rdi]\n	cmp r8, rbx\n	jne 1f\n	"
	       ".cfi_remember_state\n"
	       "	.cfi_restore rbx\n	pop rcx\n	.cfi_def_cfa_offset 8\n	ret\n"
	       "1:	.cfi_restore_state\n" POP LEAF,
	  "9 of 9, 1 proven" },
	{ "where they differ it is another",
	  PUSH
	  "	mov r8, rbx\n	mov rbx, [rdi]\n	cmp rbx, r8\n	je 1f\n	.cfi_restore rbx\n"
	  "	nop\n1:	.cfi_offset rbx, -16\n" POP LEAF,
	  "SP004 12..13 rbx=none / it is another value\n7 of 8, 1 mismatch" },
	{ "of half of them nothing is known",
	  PUSH "	mov r8, rbx\n	mov rbx, [rdi]\n	cmp ebx, r8d\n	jne 1f\n	"
	       ".cfi_remember_state\n"
	       "	.cfi_restore rbx\n	pop rcx\n	.cfi_def_cfa_offset 8\n	ret\n"
	       "1:	.cfi_restore_state\n" POP LEAF,
	  "SP004 12..14 rbx=none / it is another value\n7 of 9, 1 mismatch" },
	/* A callee may return what it was given. */
	{ "a call's result is the caller's value, perhaps",
	  PUSH
	  "	mov rdi, rbx\n	xor ebx, ebx\n	call g@PLT\n	mov rbx, rax\n	.cfi_restore rbx\n"
	  "	nop\n	pop rcx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "5 of 8, 1 unproven value_unknown" },
	{ "if that was passed",
	  PUSH "	xor ebx, ebx\n	call g@PLT\n	mov rbx, rax\n	.cfi_restore rbx\n"
	       "	nop\n	pop rcx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "SP004 11..14 rbx=none / it is another value\n4 of 7, 1 mismatch" },
	/* -1 times -1. */
	{ "a product by an odd number is undone by another one",
	  PUSH "	imul rbx, rbx, -1\n	nop\n	imul rbx, rbx, -1\n	.cfi_restore rbx\n"
	       "	nop\n	pop rcx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "4 of 7, 1 unproven value_unknown" },
	{ "one by an even number is not",
	  PUSH "	imul rbx, rbx, 6\n	nop\n	.cfi_restore rbx\n"
	       "	nop\n	pop rcx\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "SP004 6..9 rbx=none / it is another value\n3 of 6, 1 mismatch" },
	{ "a tile's rows lie as far apart as its index says",
	  PUSH
	  "	sub rsp, 64\n	.cfi_def_cfa_offset 80\n	xor ebx, ebx\n	mov ecx, 8\n"
	  "	tilestored [rsp+rcx], tmm0\n	add rsp, 64\n	.cfi_def_cfa_offset 16\n" POP LEAF,
	  "5 of 8, 1 unproven value_unknown" },
	{ "downwards, too",
	  PUSH "	xor ebx, ebx\n	mov rcx, -64\n	tilestored [rsp+rcx+960], tmm0\n" POP LEAF,
	  "4 of 6, 1 unproven value_unknown" },
	{ "elsewhere than in the stack",
	  PUSH "	xor ebx, ebx\n	mov ecx, 64\n	tilestored [rdi+rcx], tmm0\n" POP LEAF,
	  "6 of 6, 1 proven" },
	{ "what is popped to a segment register is not written to memory",
	  "	push fs\n	.cfi_def_cfa_offset 16\n	pop fs\n	"
	  ".cfi_def_cfa_offset 8\n" LEAF,
	  "3 of 3, 1 proven" },
	{ "the prefix of scas repeats stos, too",
	  PUSH ROOM
	  "	lea rdi, [rsp]\n	mov ecx, 3\n	.byte 0xf2\n	stosq\n" CLEAR POP LEAF,
	  "4 of 8, 1 unproven value_unknown" },
	{ "enter makes a frame",
	  "	enter 16, 0\n	.cfi_def_cfa rbp, 16\n	.cfi_offset rbp, -16\n	mov [rsp], "
	  "rdi\n	leave\n	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n" LEAF,
	  "4 of 4, 1 proven" },
	{ "enter with a level pushes words of the frames around it",
	  "	lea r11, [rsp+8]\n	.cfi_def_cfa r11, 0\n	mov [rsp-16], rbx\n	"
	  ".cfi_offset rbx, "
	  "-24\n	enter 0, 2\n	.cfi_offset rbp, -16\n	leave\n	.cfi_def_cfa rsp, 8\n	"
	  ".cfi_restore rbp\n"
	  "	.cfi_restore rbx\n" LEAF,
	  "4 of 5, 1 unproven value_unknown" },
	{ "and has that much room less",
	  "	enter 16, 3\n	.cfi_def_cfa rsp, 56\n	.cfi_offset rbp, -16\n	leave\n"
	  "	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n" LEAF,
	  "3 of 3, 1 proven" },
	{ "a word that is pushed from memory is a copy, and so is one that is popped",
	  "	push [rsp]\n	.cfi_def_cfa_offset 16\n	.cfi_offset rip, -16\n	mov qword "
	  "ptr "
	  "[rsp+8], 0\n	pop [rsp]\n	.cfi_def_cfa_offset 8\n	.cfi_offset rip, -8\n" LEAF,
	  "4 of 4, 1 proven" },
	{ "what was pushed nobody knows where may be where the row says",
	  "	lea rax, [rsp+8]\n	.cfi_def_cfa rax, 0\n	sub rsp, [rdi]\n	push rbx\n"
	  "	.cfi_offset rbx, -16\n	pop rbx\n	.cfi_restore rbx\n	lea rsp, [rax-8]\n"
	  "	.cfi_def_cfa rsp, 8\n" LEAF,
	  "3 of 6, 1 unproven value_unknown" },
	{ "and with all bits", KEPT("	and rbx, -1\n"), "5 of 5, 1 proven" },
	{ "a register with itself", KEPT("	or rbx, rbx\n	and rbx, rbx\n"),
	  "6 of 6, 1 proven" },
	{ "or, xor, add and sub of 0",
	  KEPT("	or rbx, 0\n	xor rbx, 0\n	add rbx, 0\n	sub rbx, 0\n"),
	  "8 of 8, 1 proven" },
	{ "a product with 1", KEPT("	imul rbx, rbx, 1\n"), "5 of 5, 1 proven" },
	{ "of another register is that one",
	  KEPT("	xor ebx, ebx\n	.cfi_register rbx, rax\n	imul rbx, rax, 1\n	"
	       ".cfi_restore rbx\n"),
	  "6 of 6, 1 proven" },
	{ "and of a word what was saved there",
	  PUSH
	  "	xor ebx, ebx\n	imul rbx, [rsp], 1\n	.cfi_same_value rbx\n	add rsp, 8\n"
	  "	.cfi_def_cfa_offset 8\n" LEAF,
	  "5 of 5, 1 proven" },
	{ "a cache line that is cleared by an address in rax",
	  PUSH "	lea rax, [rsp-32]\n	clzero\n" POP LEAF,
	  "3 of 5, 1 unproven value_unknown" },
	{ "how much of the CPU's state is saved the CPU knows",
	  "	sub rsp, 2048\n	.cfi_def_cfa_offset 2056\n	mov [rsp+1088], rbx\n	"
	  ".cfi_offset rbx, -968\n	xsave [rsp+512]\n	nop\n	mov rbx, [rsp+1088]\n	"
	  ".cfi_restore rbx\n	add rsp, 2048\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "3 of 7, 1 unproven value_unknown" },
	{ "and not how much in another form", PUSH "	xsavec64 [rsp-576]\n" POP LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "below a frame that was aligned for it is room for it",
	  PUSH
	  "	mov rbx, rsp\n	.cfi_def_cfa_register rbx\n	and rsp, -64\n	sub rsp, [rdi]\n"
	  "	xsavec [rsp+64]\n	mov rsp, rbx\n	.cfi_def_cfa_register rsp\n" POP LEAF,
	  "8 of 8, 1 proven" },
	{ "shifts by whole counts",
	  KEPT("	shl rbx, 0\n	shr rbx, 64\n	rol rbx, 64\n	ror bl, 8\n"),
	  "8 of 8, 1 proven" },
	{ "moves to itself",
	  KEPT("	mov rbx, rbx\n	mov bl, bl\n	xchg rbx, rbx\n	lea rbx, [rbx+0]\n	"
	       "cmove "
	       "rbx, rbx\n"),
	  "9 of 9, 1 proven" },
	{ "with a register of which a number is known",
	  KEPT("	xor ecx, ecx\n	lea rbx, [rbx+rcx*8]\n"), "6 of 6, 1 proven" },
	{ "32 bits of itself clear the others", KEPT("	mov ebx, ebx\n"),
	  "SP004 5..9 rbx=none / it is another value\n3 of 5, 1 mismatch" },
	{ "so do 32 bits and all bits", KEPT("	and ebx, -1\n"),
	  "SP004 6..10 rbx=none / it is another value\n3 of 5, 1 mismatch" },
	{ "what is taken off and added again may be the same",
	  "	.cfi_same_value rbx\n	sub rbx, rdi\n	add rbx, rdi\n" LEAF,
	  "SP004 3..6 rbx=same / it is another value\n1 of 3, 1 mismatch" },
	{ "a fragment that is put back may be the same",
	  "	.cfi_same_value rbx\n	mov al, bl\n	mov bl, 1\n	mov bl, al\n" LEAF,
	  "SP004 4..6 rbx=same / it is another value\n2 of 4, 1 mismatch" },
	{ "a mark taken off may leave it as it was",
	  "	.cfi_same_value rbx\n	or rbx, 1\n	and rbx, -2\n" LEAF,
	  "1 of 3, 1 unproven value_unknown" },
	{ "past the table of a switch without default a compiler lets anything come",
	  "	test esi, esi\n	je 2f\n" PUSH "	cmp edi, 1\n	ja 2f\n" TABLE,
	  "13 of 15, 1 unproven jump_unknown" },
	{ "so may what is one of its cases",
	  "	test esi, esi\n	je 2f\n" PUSH "	cmp edi, 1\n	ja 1f\n" TABLE_OF("2b", "1b"),
	  "13 of 15, 1 unproven jump_unknown" },
	{ "another function's fragment, too, though nobody was seen to come there",
	  "	test esi, esi\n	je 2f\n" PUSH "	cmp edi, 1\n	ja g_cold\n" TABLE
	  "	.cfi_endproc\ng_cold:	.cfi_startproc\n	.cfi_def_cfa_offset 24\n"
	  "	mov eax, 1\n	ud2\n",
	  "15 of 16, 1 proven, 1 unproven no_entry" },
	{ "by another condition it is the code's",
	  "	test esi, esi\n	je 2f\n" PUSH
	  "	cmp edi, 1\n	je 2f\n	cmp edi, 1\n	ja 1f\n" TABLE,
	  "SP001 40..40 from 8 cfa=rsp+8 / cfa=rsp+16\n15 of 17, 1 mismatch" },
	{ "a register by which the caller tells something is not preserved",
	  "	push rax\n	.cfi_def_cfa_offset 16\n	mov [rsp], rbx\n	mov rdx, "
	  "[rbx+16]\n"
	  "	mov rbx, [rdx+8]\n	nop\n	mov rbx, [rsp]\n	pop rax\n	"
	  ".cfi_def_cfa_offset 8\n" LEAF,
	  "6 of 8, 1 unproven not_kept" },
	{ "as an index, neither, nor by another register that has it",
	  "	mov rax, rbx\n	mov rdx, [rdi+rax*8]\n	mov ebx, edx\n	nop\n	mov rbx, "
	  "rax\n" LEAF,
	  "4 of 6, 1 unproven not_kept" },
	{ "its address alone says nothing", KEPT("	lea rdx, [rbx+8]\n	mov ebx, edx\n"),
	  "SP004 9..13 rbx=none / it is another value\n4 of 6, 1 mismatch" },
	{ "a row that counts from rip is asked at each instruction",
	  "	ret\n	.cfi_endproc\n	.balign 16\nk:	.cfi_startproc\n"
	  "	.cfi_escape 0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22\n"
	  "	xor eax, eax\n	cdq\n	cdq\n	.balign 8, 0x99\n	cdq\n	cdq\n	cdq\n	"
	  "ret\n",
	  "SP001 27..28 cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) / "
	  "cfa=rsp+8\n11 of 12, 1 mismatch, 1 proven" },
	{ "OCaml's code preserves nothing, and its rows say nothing of it",
	  "	mov rbx, rdi\n	ret\n" OCAML "	mov rbx, [rdi]\n	mov r12, rax\n	ret\n",
	  "4 of 5, 1 proven, 1 unproven not_kept" },
	{ "but where its frame is",
	  "	ret\n" OCAML "	sub rsp, 8\n	xor ebx, ebx\n	add rsp, 8\n	ret\n",
	  "SP001 5..11 cfa=rsp+8 / cfa=rsp+16\n3 of 5, 1 mismatch, 1 proven" },
	{ "what lies below the red zone a signal overwrites",
	  FAR "	mov rbx, [rsp]\n	add rsp, 400\n	.cfi_def_cfa_offset 8\n	add rdi, "
	      "rax\n" LEAF,
	  "4 of 6, 1 unproven value_unknown" },
	{ "what lies in it, not",
	  NEAR "	mov rbx, [rsp+272]\n	add rsp, 400\n	.cfi_def_cfa_offset 8\n	add rdi, "
	       "rax\n" LEAF,
	  "6 of 6, 1 proven" },
	{ "nor who has its register back",
	  FAR "	mov rbx, [rsp]\n	.cfi_restore rbx\n	add rsp, 400\n	"
	      ".cfi_def_cfa_offset 8\n" LEAF,
	  "5 of 5, 1 proven" },
	{ "counted from rbp it is no less below",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n"
	  "	.cfi_def_cfa_register rbp\n	sub rsp, 208\n	mov [rsp], rbx\n	"
	  ".cfi_offset rbx, -224\n"
	  "	nop\n	add rsp, 208\n	nop\n	.cfi_restore rbx\n	pop rbp\n	"
	  ".cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n" LEAF,
	  "8 of 9, 1 unproven value_unknown" },
	{ "a jump of unknown targets may bring another copy than what is taken back from it",
	  UNREAD("	mov r12d, 5\n"), "11 of 16, 1 unproven jump_unknown" },
	{ "unless it brings the same", UNREAD("	nop\n"), "12 of 16, 1 unproven jump_unknown" },
	{ "a fragment that is written may be the same part of the same",
	  "	mov rax, rbx\n	mov al, bl\n	.cfi_register rbx, rax\n	xor ebx, ebx\n	"
	  "nop\n	"
	  "mov rbx, rax\n	.cfi_restore rbx\n" LEAF,
	  "2 of 6, 1 unproven value_unknown" },
	{ "so may one from a word that has it",
	  PUSH "	mov ax, [rsp]\n	mov rax, rbx\n	mov ax, [rsp]\n	.cfi_register rbx, "
	       "rax\n	nop\n	.cfi_offset rbx, -16\n" POP LEAF,
	  "6 of 7, 1 unproven value_unknown" },
	{ "or one by arithmetic with a register that has it",
	  "	mov rax, rbx\n	or al, bl\n	.cfi_register rbx, rax\n	nop\n" LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "a part of another is another",
	  "	mov rax, rbx\n	mov al, dil\n	.cfi_register rbx, rax\n	nop\n	"
	  ".cfi_restore rbx\n" LEAF,
	  "SP003 6..7 rbx=rax / there is another value\n3 of 4, 1 mismatch" },
	{ "what a called function is given to write to it may have written",
	  "	sub rsp, 24\n	.cfi_def_cfa_offset 32\n	mov rdi, rsp\n	call g@PLT\n	"
	  "nop\n"
	  "	.cfi_offset rbx, -32\n	mov ebx, 3\n	nop\n	mov rbx, [rsp]\n	"
	  ".cfi_restore rbx\n	add rsp, 24\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "4 of 9, 1 unproven value_unknown" },
	{ "on one of two ways, too",
	  "	sub rsp, 24\n	.cfi_def_cfa_offset 32\n	test edi, edi\n	je 1f\n	call "
	  "g@PLT\n"
	  "1:	mov eax, eax\n	.cfi_offset rbx, -32\n	nop\n	.cfi_restore rbx\n	add rsp, "
	  "24\n	"
	  ".cfi_def_cfa_offset 8\n" LEAF,
	  "7 of 8, 1 unproven value_unknown" },
	{ "above room of a size that is computed",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n	"
	  ".cfi_def_cfa_register rbp\n	sub rsp, rdi\n	call g@PLT\n	mov eax, eax\n	"
	  ".cfi_offset rbx, -24\n	nop\n	.cfi_restore rbx\n	leave\n	.cfi_def_cfa rsp, "
	  "8\n	"
	  ".cfi_restore rbp\n" LEAF,
	  "7 of 8, 1 unproven value_unknown" },
	{ "in it",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n	"
	  ".cfi_def_cfa_register rbp\n	sub rsp, rdi\n	call g@PLT\n	mov eax, eax\n	"
	  ".cfi_escape 0x10,3,2,0x77,8\n	nop\n	.cfi_restore rbx\n	leave\n	"
	  ".cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n" LEAF,
	  "7 of 8, 1 unproven value_unknown" },
	{ "in it, before the call",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n	"
	  ".cfi_def_cfa_register rbp\n	sub rsp, rdi\n	.cfi_escape 0x10,3,2,0x77,8\n	nop\n	"
	  ".cfi_restore rbx\n	call g@PLT\n	leave\n	.cfi_def_cfa rsp, 8\n	"
	  ".cfi_restore rbp\n" LEAF,
	  "SP003 7..8 rbx=exp(breg7+8) / nothing was written there\n6 of 7, 1 mismatch" },
	{ "below its frame it has not",
	  "	sub rsp, 24\n	.cfi_def_cfa_offset 32\n	call g@PLT\n	mov eax, eax\n	"
	  ".cfi_offset rbx, "
	  "-40\n	nop\n	.cfi_restore rbx\n	add rsp, 24\n	.cfi_def_cfa_offset "
	  "8\n" LEAF,
	  "SP003 11..12 rbx=c-40 / nothing was written there\n5 of 6, 1 mismatch" },
	{ "nor what the function has saved elsewhere itself",
	  PUSH
	  "	sub rsp, 16\n	.cfi_def_cfa_offset 32\n	call g@PLT\n	mov eax, eax\n	"
	  ".cfi_offset rbx, -24\n	nop\n	.cfi_offset rbx, -16\n	add rsp, 16\n	"
	  ".cfi_def_cfa_offset 16\n" POP LEAF,
	  "SP003 12..13 rbx=c-24 / nothing was written there\n7 of 8, 1 mismatch" },
	{ "and before it was called neither",
	  "	sub rsp, 24\n	.cfi_def_cfa_offset 32\n	.cfi_offset rbx, -32\n	nop\n	"
	  "call g@PLT\n	"
	  ".cfi_restore rbx\n	add rsp, 24\n	.cfi_def_cfa_offset 8\n" LEAF,
	  "SP003 4..10 rbx=c-32 / nothing was written there\n3 of 5, 1 mismatch" },
	{ "data behind a call are no code",
	  "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call g\n	.byte 10\n	"
	  ".ascii \"PPPP "
	  "hello\"\n	mov eax, 1\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n	ret\n" SECOND(
		  g) "	pop rdi\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, rdi\n	"
		     "movzx eax, "
		     "byte ptr [rdi]\n	lea rdi, [rdi+rax+1]\n	jmp rdi\n",
	  "1 of 16, 2 unproven jump_unknown" },
	{ "nor is text, whoever is called",
	  "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call g@PLT\n	.asciz \"PPPP "
	  "hello\"\n"
	  "	mov eax, 1\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "1 of 13, 1 unproven jump_unknown" },
	{ "text with a letter that is no instruction",
	  "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call [rdi]\n	.asciz \"PPP?\"\n"
	  "	mov eax, 1\n	add rsp, 8\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "1 of 8, 1 unproven jump_unknown" },
	{ "code is followed",
	  "	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	call [rdi]\n	rep outsb\n	"
	  "push rax\n"
	  "	add rsp, 16\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "SP001 9..13 cfa=rsp+16 / cfa=rsp+24\n5 of 6, 1 mismatch" },
	{ "who goes on behind data returns to what he makes of his return address",
	  "	pop rdi\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, rdi\n	movzx eax, "
	  "byte ptr "
	  "[rdi]\n	lea rax, [rdi+rax+1]\n	.cfi_register rip, rax\n	jmp rax\n",
	  "2 of 4, 1 unproven jump_unknown" },
	{ "of 0 bsf finds nothing and writes nothing", KEPT("	bsf rbx, rdi\n"),
	  "3 of 5, 1 unproven value_unknown" },
	{ "a row that counts from elsewhere, and says what the caller's rsp is",
	  ELSEWHERE("16", "24", "32"), "2 of 4, 1 unproven rule_unknown" },
	{ "and says it wrong", ELSEWHERE("16", "24", "40"),
	  "SP001 5..7 cfa=rsp+0 / cfa=rsp+32\n2 of 4, 1 mismatch" },
	{ "or where a register is", ELSEWHERE("8", "24", "32"),
	  "SP003 5..7 rbx=c+8 / nothing was written there\n2 of 4, 1 mismatch" },
	{ "or where the return address is", ELSEWHERE("16", "16", "32"),
	  "SP002 5..7 ra=c+16 / there is the caller's rbx\n2 of 4, 1 mismatch" },
};

#define LINT_SUITE lint_sound
#include "lint_cases_main.h"
