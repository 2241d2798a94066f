/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_kept.c - code that nothing was seen to call
 *
 * Cases of lint_fixture.h: functions of which only the address is kept, and what else an address may be of;
 * functions whose return says what their first row denies; rows that hide a caller; and where
 * exceptions land. Each finding has a case beside it that is nearly the same, and accuses nobody.
 */
#include "lint_fixture.h"

/* f keeps the address of 5, which lies behind it in a gap between FDEs. */
#define KEEPS	  "	lea rax, 5f[rip]\n	ret\n	.cfi_endproc\n	.balign 16\n5:"
#define NO_KEEPER "	ret\n	.cfi_endproc\n	.balign 16\n5:"
#define NEXT	  "	.balign 16\nk:	.cfi_startproc\n	ret\n"
#define NO_FDE(end)                                                                                \
	"SP006 16.." #end " no FDE covers it / it is a function, or something leads there\n"
/* f keeps two addresses, of gaps that begin at 16 and at 48. */
#define TWO(first, second)                                                                         \
	"	lea rax, 5f[rip]\n	lea rcx, 6f[rip]\n	ret\n	.cfi_endproc\n	.balign "                     \
	"16\n" first "5:	xor eax, eax\n	ret\n" NEXT                                        \
	"	.cfi_endproc\n	.balign 16\n" second                                               \
	"6:	xor eax, eax\n	ret\n	.balign 16\nm:	.cfi_startproc\n	ret\n"
#define TELLS_AT(begin, end)                                                                       \
	begin ".." end " no FDE covers it / it is a function, or something leads there\n"
/* Nothing leads to what begins there. */
#define ANOTHER LEAF "	.cfi_endproc\n	.balign 16\n5:	.cfi_startproc\n"
/* 1 MiB of code. */
#define LONG  "	mov eax, 1\n	.rept 104857\n	movabs rax, 1\n	.endr\n	ret\n"
#define FRAME "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
/* A call of f's whose exceptions land at 9. */
#define CATCHES                                                                                    \
	"	.cfi_lsda 0x1b, 8f\n	push rax\n	.cfi_def_cfa_offset 16\n	call "                          \
	"h@PLT\n"                                                                                  \
	"	pop rax\n	.cfi_def_cfa_offset 8\n	ret\n"
#define AREA                                                                                       \
	"	.section .gcc_except_table, \"a\"\n8:	.byte 0xff, 0xff, 1\n"                             \
	"	.uleb128 7f-6f\n6:	.uleb128 0, 16, 9b-f, 0\n7:	.text\n"                                  \
	"k:	.cfi_startproc\n	ret\n"

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "a function without CFI whose address an instruction makes",
	  KEEPS "	push rbx\n	pop rbx\n	ret\n" NEXT, NO_FDE(19) "3 of 3, 2 proven" },
	{ "whose address a word keeps",
	  "	ret\n	.cfi_endproc\n	.balign 16\n5:	nop\n	xor eax, eax\n	ret\n"
	  "	.data\n	.quad 5b\n	.text\n" NEXT, "2 of 2, 2 proven" },
	{ "those that the loader calls are no finding, the others are",
	  TWO("	.globl _init\n_init:", ""), TELLS_AT("SP006 48", "51") "5 of 5, 3 proven" },
	{ "at a process's end, too", TWO("", "	.globl _fini\n_fini:"),
	  TELLS_AT("SP006 16", "19") "5 of 5, 3 proven" },
	{ "neither of two", TWO("	.globl _init\n_init:", "	.globl _fini\n_fini:"),
	  "5 of 5, 3 proven" },
	{ "both of two", TWO("", ""), TELLS_AT("SP006 16", "19") TELLS_AT("SP006 48", "51") "5 of 5, 3 proven" },
	{ "the same, where it begins with no padding",
	  "	ret\n	.cfi_endproc\n	.balign 16\n5:	xor eax, eax\n	ret\n"
	  "	.data\n	.quad 5b\n	.text\n" NEXT, NO_FDE(19) "2 of 2, 2 proven" },
	{ "whose address nobody keeps", NO_KEEPER "	xor eax, eax\n	ret\n" NEXT, "2 of 2, 2 proven" },
	{ "with a loop and a call", KEEPS "1:	call k\n	dec edi\n	jne 1b\n	ret\n" NEXT,
	  NO_FDE(26) "3 of 3, 2 proven" },
	{ "with a jump table behind which cases lie",
	  KEEPS "	jmp [rdi]\n	xor eax, eax\n	ret\n" NEXT, NO_FDE(18) "3 of 3, 2 proven" },
	{ "a template of code, which is data by its symbol",
	  KEEPS "	.type t, @object\nt:	push rbx\n	pop rbx\n	ret\n	.size t, .-t\n" NEXT, "3 of 3, 2 proven" },
	{ "one keeps it, and a later one only reads there",
	  "	lea rax, 5f[rip]\n	lea rdx, 5f[rip]\n	mov ecx, [rdx]\n	ret\n	.cfi_endproc\n"
	  "	.balign 16\n5:	xor eax, eax\n	ret\n" NEXT,
	  "SP006 32..35 no FDE covers it / it is a function, or something leads there\n5 of 5, 2 proven" },
	{ "lea is the last of its FDE",
	  "	ret\n" SECOND(g) "	ret\n	lea rax, 5f[rip]\n	.cfi_endproc\n	.balign 16\n5:	xor eax, eax\n	ret\n" NEXT, NO_FDE(19) "3 of 4, 2 proven, 1 unproven not_reached" },
	{ "lea of 32 bits is none", "	.byte 0x67\n	lea eax, 5f[rip]\n	ret\n	.cfi_endproc\n	.balign 16\n5:	xor eax, eax\n	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "an address before it", "	lea rax, 5f[rip-1]\n	ret\n	.cfi_endproc\n	.balign 16\n5:	xor eax, eax\n	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "zeros before it are padding", KEEPS "	.zero 16\n	xor eax, eax\n	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "a fragment that is jumped over, and a jump back", KEEPS "	jmp 2f\n1:	ret\n2:	jmp 1b\n" NEXT, NO_FDE(21) "3 of 3, 2 proven" },
	{ "a call behind which nothing is", KEEPS "	dec edi\n	je 1f\n	call h@PLT\n1:	ret\n" NEXT, NO_FDE(26) "3 of 3, 2 proven" },
	{ "a branch out of it to where nothing begins", KEEPS "	je k+1\n	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "to where an FDE begins", KEEPS "	je k\n	ret\n" NEXT, NO_FDE(19) "3 of 3, 2 proven" },
	{ "a jump elsewhere", KEEPS "	xor eax, eax\n	jmp k\n" NEXT, NO_FDE(20) "3 of 3, 2 proven" },
	{ "a transaction's other way", KEEPS "	xbegin 1f\n	ret\n1:	xor eax, eax\n	ret\n" NEXT, NO_FDE(26) "3 of 3, 2 proven" },
	{ "what begins one goes on, too", KEEPS "	xbegin 1f\n	.byte 6\n1:	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "it is no code", KEEPS "	xbegin 1f\n	ret\n1:	.byte 6\n" NEXT, "3 of 3, 2 proven" },
	{ "cases of a computed jump that are no code", KEEPS "	jmp [rdi]\n	.byte 6\n" NEXT, "3 of 3, 2 proven" },
	{ "each of several cases", KEEPS "	jmp [rdi]\n	xor eax, eax\n	ret\n	nop\n	xor ecx, ecx\n	ret\n" NEXT, NO_FDE(18) "3 of 3, 2 proven" },
	{ "a symbol of data without a size says nothing of code",
	  KEEPS "	.type t, @object\nt:	push rbx\n	pop rbx\n	ret\n" NEXT, NO_FDE(19) "3 of 3, 2 proven" },
	{ "data behind it", KEEPS "	push rbx\n	pop rbx\n	ret\n	.type t, @object\nt:	ret\n	.size t, 1\n" NEXT,
	  "3 of 3, 2 proven" },
	{ "a table among code", KEEPS "	.quad 0x428a2f98d728ae22\n" NEXT, "3 of 3, 2 proven" },
	{ "one that could be an instruction before a function",
	  KEEPS "	.quad 0x9090909090909048, 0x9090909090909048\n" NEXT, "3 of 3, 2 proven" },
	{ "code, and a table behind it", KEEPS "	ret\n	.byte 0x06\n" NEXT, "3 of 3, 2 proven" },
	{ "code of which a call leads to where nothing begins",
	  KEEPS "	call k+1\n	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "to an FDE's middle", KEEPS "	call 5b-9\n	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "code that calls itself", KEEPS "	dec edi\n	je 1f\n	call 5b\n1:	ret\n" NEXT,
	  NO_FDE(26) "3 of 3, 2 proven" },
	{ "a call of what never returns", KEEPS "	call abort@PLT\n" NEXT, NO_FDE(21) "3 of 3, 2 proven" },
	{ "by its name alone", KEEPS "	call abort\n	.balign 16\nabort:	.cfi_startproc\n	jmp rdi\n",
	  NO_FDE(21) "3 of 3, 2 proven" },
	{ "a number that looks as if it made the address",
	  "	.byte 0x48, 0xb8, 0x8d, 0x05\n	.long 5f-1f\n1:	.byte 0, 0\n	ret\n	.cfi_endproc\n"
	  "	.balign 16\n5:	xor eax, eax\n	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "as much code as is looked at", KEEPS LONG NEXT, NO_FDE(1048592) "3 of 3, 2 proven" },
	{ "more of it", KEEPS "	nop\n" LONG NEXT, "3 of 3, 2 proven" },
	{ "by what it does", KEEPS "	call k\n	.balign 16\nk:	.cfi_startproc\n	hlt\n",
	  NO_FDE(21) "3 of 3, 2 proven" },
	{ "a call by a pointer", KEEPS "	call rdi\n	xor eax, eax\n	ret\n" NEXT,
	  NO_FDE(21) "3 of 3, 2 proven" },
	{ "two ways with an end each", KEEPS "	dec edi\n	je 1f\n	ret\n1:	xor eax, eax\n	ret\n" NEXT,
	  NO_FDE(24) "3 of 3, 2 proven" },
	{ "code that goes where nobody can say", KEEPS "	xor eax, eax\n	iretq\n" NEXT,
	  "3 of 3, 2 proven" },
	{ "zeros behind it, as linkers fill", KEEPS "	xor eax, eax\n	ret\n	.zero 5\n" NEXT,
	  NO_FDE(19) "3 of 3, 2 proven" },
	{ "a jump into an instruction", KEEPS "	jmp 5b+1\n" NEXT, "3 of 3, 2 proven" },
	{ "where no function would begin",
	  "	lea rax, 5f[rip]\n	ret\n	.cfi_endproc\n	.balign 16\n	.nops 3\n5:	xor eax, eax\n"
	  "	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "the second of two functions in a gap",
	  "	lea rax, 5f[rip]\n	ret\n	.cfi_endproc\n	.balign 16\n	xor eax, eax\n	ret\n"
	  "	.balign 16\n5:	xor eax, eax\n	ret\n" NEXT, "3 of 3, 2 proven" },
	{ "the first of two", KEEPS "	xor eax, eax\n	ret\n	.balign 16\n	ret\n" NEXT,
	  "3 of 3, 2 proven" },
	{ "what falls into a function that begins where functions do",
	  KEEPS "	.rept 8\n	xor eax, eax\n	.endr\n" NEXT, "3 of 3, 2 proven" },
	{ "code up to there that doesn't", KEEPS "	.rept 7\n	xor eax, eax\n	.endr\n	ret\n	nop\n" NEXT,
	  NO_FDE(31) "3 of 3, 2 proven" },
	{ "an FDE that begins behind its function's first instruction",
	  KEEPS "	xor eax, eax\nk:	.cfi_startproc\n	ret\n", NO_FDE(18) "3 of 3, 2 proven" },

	{ "a first row that its return denies",
	  ANOTHER "	.cfi_def_cfa_offset 16\n	xor eax, eax\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "SP005 16..18 cfa=rsp+16 / cfa=rsp+8\n2 of 3, 1 mismatch, 1 proven" },
	{ "if its return's row has that word more, too, it may hide who entered it",
	  ANOTHER "	.cfi_def_cfa_offset 16\n	xor eax, eax\n	ret\n",
	  "1 of 3, 1 proven, 1 unproven no_entry" },
	{ "a caller's address in a register, where the return finds it in its word",
	  ANOTHER "	.cfi_register rip, rbp\n	nop\n	ret\n",
	  "SP002 16..18 ra=rbp / there is the caller's rbp\n1 of 3, 1 mismatch, 1 proven" },
	{ "the same, where rows behind its call are as wrong",
	  ANOTHER "	.cfi_register rip, rbp\n	push rax\n	.cfi_def_cfa_offset 16\n	call h@PLT\n"
	  "	pop rax\n	.cfi_def_cfa_offset 8\n	ret\n",
	  "SP002 16..22 ra=rbp / there is the caller's rbp\n1 of 5, 1 mismatch, 1 proven" },
	{ "one that calls another function in place of a return",
	  ANOTHER "	.cfi_def_cfa_offset 16\n	xor eax, eax\n	.cfi_def_cfa_offset 8\n	jmp f\n",
	  "SP005 16..18 cfa=rsp+16 / cfa=rsp+8\n2 of 3, 1 mismatch, 1 proven" },
	{ "or jumps to where a register says: a label's code may, too",
	  ANOTHER "	.cfi_def_cfa_offset 16\n	xor eax, eax\n	jmp rdi\n",
	  "1 of 3, 1 proven, 1 unproven no_entry" },
	{ "a fragment with a frame that it takes down",
	  ANOTHER "	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n	ret\n",
	  "1 of 3, 1 proven, 1 unproven no_entry" },
	{ "with one that hangs on rbp", ANOTHER "	.cfi_def_cfa rbp, 16\n	.cfi_offset rbp, -16\n"
	  "	leave\n	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n	ret\n",
	  "1 of 3, 1 proven, 1 unproven no_entry" },
	{ "one that never returns", ANOTHER "	.cfi_def_cfa_offset 16\n	nop\n	xor eax, eax\n	hlt\n",
	  "1 of 2, 1 proven, 1 unproven no_entry" },

	{ "no caller, where its address lies in its word",
	  FRAME "	test edi, edi\n	je 1f\n	pop rbx\n	.cfi_remember_state\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n1:	.cfi_restore_state\n	.cfi_undefined rip\n	hlt\n",
	  "SP002 7..8 ra=undefined / there is the return address\n5 of 6, 1 mismatch" },
	{ "the same of a fragment", FRAME "	test edi, edi\n	jne 1f\n	pop rbx\n	.cfi_def_cfa_offset 8\n"
	  "	ret\n" SECOND(1) "	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	  "	.cfi_undefined rip\n	nop\n	hlt\n",
	  "SP002 7..9 ra=undefined / there is the return address\n5 of 7, 1 mismatch, 1 proven" },
	{ "on another stack nothing is known of it",
	  "	test edi, edi\n	je 1f\n	ret\n1:	mov rsp, rdi\n	.cfi_undefined rip\n	hlt\n",
	  "4 of 5, 1 unproven rule_unknown" },

	{ "where an exception lands no FDE is",
	  CATCHES "	.cfi_endproc\n9:	hlt\n" AREA,
	  "SP006 8..9 no FDE covers it / it is a function, or something leads there\n5 of 5, 2 proven" },
	{ "a row of where exceptions land that none of the calls brings",
	  CATCHES "9:	nop\n	hlt\n	.cfi_endproc\n" AREA,
	  "SP001 8..10 cfa=rsp+8 / cfa=rsp+16\n5 of 7, 1 mismatch, 1 proven" },
	{ "one brings it, the other has arguments on the stack: it never throws",
	  "	.cfi_lsda 0x1b, 8f\n	call h@PLT\n	push rax\n	.cfi_def_cfa_offset 16\n	call h@PLT\n"
	  "	pop rax\n	.cfi_def_cfa_offset 8\n	ret\n9:	nop\n	hlt\n	.cfi_endproc\n" AREA,
	  "8 of 8, 2 proven" },
	{ "a register without a rule, brought back before a call in place of a return",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	mov rbx, rdi\n	nop\n	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	jmp 5f\n" SECOND(5) LEAF,
	  "SP004 4..6 rbx=none / it is the caller's rdi\n4 of 6, 1 mismatch, 1 proven" },
	{ "or not",
	  "	push rbx\n	.cfi_def_cfa_offset 16\n	mov rbx, rdi\n	nop\n	pop rcx\n"
	  "	.cfi_def_cfa_offset 8\n	jmp 5f\n" SECOND(5) LEAF,
	  "3 of 6, 1 proven, 1 unproven not_kept" },
	{ "in the function", CATCHES "9:	.cfi_def_cfa_offset 16\n	hlt\n	.cfi_endproc\n" AREA,
	  "6 of 6, 2 proven" },
};
/* clang-format on */

#define LINT_SUITE lint_kept
#include "lint_cases_main.h"
