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
#define KEEPS	  "lea rax, 5f[rip]; ret; endproc; .balign 16; 5: "
#define NO_KEEPER "ret; endproc; .balign 16; 5: "
#define NEXT	  ".balign 16; k: startproc; ret; "
#define NO_FDE(end)                                                                                \
	"SP006 16.." #end " no FDE covers it / it is a function, or something leads there\n"
/* f keeps two addresses, of gaps that begin at 16 and at 48. */
#define TWO(first, second)                                                                         \
	"lea rax, 5f[rip]; lea rcx, 6f[rip]; ret; endproc; .balign 16; " first                     \
	"5: xor eax, eax; ret; " NEXT "endproc; .balign 16; " second                               \
	"6: xor eax, eax; ret; .balign 16; m: startproc; ret; "
#define TELLS_AT(begin, end)                                                                       \
	begin ".." end " no FDE covers it / it is a function, or something leads there\n"
/* Nothing leads to what begins there. */
#define ANOTHER LEAF "endproc; .balign 16; 5: startproc; "
/* 1 MiB of code. */
#define LONG  "mov eax, 1; .rept 104857; movabs rax, 1; .endr; ret; "
#define FRAME "push rbx; cfa 16; offset rbx, -16; "
/* A call of f's whose exceptions land at 9. */
#define CATCHES "lsda 0x1b, 8f; push rax; cfa 16; call h@PLT; pop rax; cfa 8; ret; "
#define AREA                                                                                       \
	".section .gcc_except_table, \"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: .uleb128 "  \
	"0, 16, 9b-f, 0; 7: .text; k: startproc; ret; "

/* clang-format off */
static const struct lint_case lint_cases[] = {
	{ "a function without CFI whose address an instruction makes",
	  KEEPS "push rbx; pop rbx; ret; " NEXT, NO_FDE(19) "3 of 3, 2 proven" },
	{ "whose address a word keeps",
	  "ret; endproc; .balign 16; 5: nop; xor eax, eax; ret; .data; .quad 5b; .text; " NEXT, "2 of 2, 2 proven" },
	{ "those that the loader calls are no finding, the others are",
	  TWO(".globl _init; _init: ", ""), TELLS_AT("SP006 48", "51") "5 of 5, 3 proven" },
	{ "at a process's end, too", TWO("", ".globl _fini; _fini: "),
	  TELLS_AT("SP006 16", "19") "5 of 5, 3 proven" },
	{ "neither of two", TWO(".globl _init; _init: ", ".globl _fini; _fini: "),
	  "5 of 5, 3 proven" },
	{ "both of two", TWO("", ""), TELLS_AT("SP006 16", "19") TELLS_AT("SP006 48", "51") "5 of 5, 3 proven" },
	{ "the same, where it begins with no padding",
	  "ret; endproc; .balign 16; 5: xor eax, eax; ret; .data; .quad 5b; .text; " NEXT, NO_FDE(19) "2 of 2, 2 proven" },
	{ "whose address nobody keeps", NO_KEEPER "xor eax, eax; ret; " NEXT, "2 of 2, 2 proven" },
	{ "with a loop and a call", KEEPS "1: call k; dec edi; jne 1b; ret; " NEXT,
	  NO_FDE(26) "3 of 3, 2 proven" },
	{ "with a jump table behind which cases lie", KEEPS "jmp [rdi]; xor eax, eax; ret; " NEXT,
	  NO_FDE(18) "3 of 3, 2 proven" },
	{ "a template of code, which is data by its symbol",
	  KEEPS ".type t, @object; t: push rbx; pop rbx; ret; .size t, .-t; " NEXT, "3 of 3, 2 proven" },
	{ "one keeps it, and a later one only reads there",
	  "lea rax, 5f[rip]; lea rdx, 5f[rip]; mov ecx, [rdx]; ret; endproc; .balign 16; 5: xor eax, eax; ret; " NEXT,
	  "SP006 32..35 no FDE covers it / it is a function, or something leads there\n5 of 5, 2 proven" },
	{ "lea is the last of its FDE",
	  "ret; " SECOND(g) "ret; lea rax, 5f[rip]; endproc; .balign 16; 5: xor eax, eax; ret; "
	  "" NEXT, NO_FDE(19) "3 of 4, 2 proven, 1 unproven not_reached" },
	{ "lea of 32 bits is none", ".byte 0x67; lea eax, 5f[rip]; ret; endproc; .balign 16; 5: xor eax, eax; ret; "
	  "" NEXT, "3 of 3, 2 proven" },
	{ "an address before it", "lea rax, 5f[rip-1]; ret; endproc; .balign 16; 5: xor eax, eax; ret; "
	  "" NEXT, "3 of 3, 2 proven" },
	{ "zeros before it are padding", KEEPS ".zero 16; xor eax, eax; ret; " NEXT, "3 of 3, 2 proven" },
	{ "a fragment that is jumped over, and a jump back", KEEPS "jmp 2f; 1: ret; 2: jmp 1b; "
	  "" NEXT, NO_FDE(21) "3 of 3, 2 proven" },
	{ "a call behind which nothing is", KEEPS "dec edi; je 1f; call h@PLT; 1: ret; "
	  "" NEXT, NO_FDE(26) "3 of 3, 2 proven" },
	{ "a branch out of it to where nothing begins", KEEPS "je k+1; ret; " NEXT, "3 of 3, 2 proven" },
	{ "to where an FDE begins", KEEPS "je k; ret; " NEXT, NO_FDE(19) "3 of 3, 2 proven" },
	{ "a jump elsewhere", KEEPS "xor eax, eax; jmp k; " NEXT, NO_FDE(20) "3 of 3, 2 proven" },
	{ "a transaction's other way", KEEPS "xbegin 1f; ret; 1: xor eax, eax; ret; " NEXT, NO_FDE(26) "3 of 3, 2 proven" },
	{ "what begins one goes on, too", KEEPS "xbegin 1f; .byte 6; 1: ret; " NEXT, "3 of 3, 2 proven" },
	{ "it is no code", KEEPS "xbegin 1f; ret; 1: .byte 6; " NEXT, "3 of 3, 2 proven" },
	{ "cases of a computed jump that are no code", KEEPS "jmp [rdi]; .byte 6; " NEXT, "3 of 3, 2 proven" },
	{ "each of several cases", KEEPS "jmp [rdi]; xor eax, eax; ret; nop; xor ecx, ecx; ret; "
	  "" NEXT, NO_FDE(18) "3 of 3, 2 proven" },
	{ "a symbol of data without a size says nothing of code",
	  KEEPS ".type t, @object; t: push rbx; pop rbx; ret; " NEXT, NO_FDE(19) "3 of 3, 2 proven" },
	{ "data behind it", KEEPS "push rbx; pop rbx; ret; .type t, @object; t: ret; .size t, 1; "
	  NEXT, "3 of 3, 2 proven" },
	{ "a table among code", KEEPS ".quad 0x428a2f98d728ae22; " NEXT, "3 of 3, 2 proven" },
	{ "one that could be an instruction before a function",
	  KEEPS ".quad 0x9090909090909048, 0x9090909090909048; " NEXT, "3 of 3, 2 proven" },
	{ "code, and a table behind it", KEEPS "ret; .byte 0x06; " NEXT, "3 of 3, 2 proven" },
	{ "code of which a call leads to where nothing begins", KEEPS "call k+1; ret; " NEXT,
	  "3 of 3, 2 proven" },
	{ "to an FDE's middle", KEEPS "call 5b-9; ret; " NEXT, "3 of 3, 2 proven" },
	{ "code that calls itself", KEEPS "dec edi; je 1f; call 5b; 1: ret; " NEXT,
	  NO_FDE(26) "3 of 3, 2 proven" },
	{ "a call of what never returns", KEEPS "call abort@PLT; " NEXT, NO_FDE(21) "3 of 3, 2 proven" },
	{ "by its name alone", KEEPS "call abort; .balign 16; abort: startproc; jmp rdi",
	  NO_FDE(21) "3 of 3, 2 proven" },
	{ "a number that looks as if it made the address",
	  ".byte 0x48, 0xb8, 0x8d, 0x05; .long 5f-1f; 1: .byte 0, 0; ret; endproc; .balign 16; 5: xor eax, eax; "
	  "ret; " NEXT, "3 of 3, 2 proven" },
	{ "as much code as is looked at", KEEPS LONG NEXT, NO_FDE(1048592) "3 of 3, 2 proven" },
	{ "more of it", KEEPS "nop; " LONG NEXT, "3 of 3, 2 proven" },
	{ "by what it does", KEEPS "call k; .balign 16; k: startproc; hlt",
	  NO_FDE(21) "3 of 3, 2 proven" },
	{ "a call by a pointer", KEEPS "call rdi; xor eax, eax; ret; " NEXT,
	  NO_FDE(21) "3 of 3, 2 proven" },
	{ "two ways with an end each", KEEPS "dec edi; je 1f; ret; 1: xor eax, eax; ret; " NEXT,
	  NO_FDE(24) "3 of 3, 2 proven" },
	{ "code that goes where nobody can say", KEEPS "xor eax, eax; iretq; " NEXT,
	  "3 of 3, 2 proven" },
	{ "zeros behind it, as linkers fill", KEEPS "xor eax, eax; ret; .zero 5; " NEXT,
	  NO_FDE(19) "3 of 3, 2 proven" },
	{ "a jump into an instruction", KEEPS "jmp 5b+1; " NEXT, "3 of 3, 2 proven" },
	{ "where no function would begin",
	  "lea rax, 5f[rip]; ret; endproc; .balign 16; .nops 3; 5: xor eax, eax; ret; " NEXT, "3 of 3, 2 proven" },
	{ "the second of two functions in a gap",
	  "lea rax, 5f[rip]; ret; endproc; .balign 16; xor eax, eax; ret; .balign 16; 5: xor eax, eax; ret; "
	  "" NEXT, "3 of 3, 2 proven" },
	{ "the first of two", KEEPS "xor eax, eax; ret; .balign 16; ret; " NEXT, "3 of 3, 2 proven" },
	{ "what falls into a function that begins where functions do",
	  KEEPS ".rept 8; xor eax, eax; .endr; " NEXT, "3 of 3, 2 proven" },
	{ "code up to there that doesn't", KEEPS ".rept 7; xor eax, eax; .endr; ret; nop; " NEXT,
	  NO_FDE(31) "3 of 3, 2 proven" },
	{ "an FDE that begins behind its function's first instruction",
	  KEEPS "xor eax, eax; k: startproc; ret", NO_FDE(18) "3 of 3, 2 proven" },

	{ "a first row that its return denies", ANOTHER "cfa 16; xor eax, eax; cfa 8; ret",
	  "SP005 16..18 cfa=rsp+16 / cfa=rsp+8\n2 of 3, 1 mismatch, 1 proven" },
	{ "if its return's row has that word more, too, it may hide who entered it",
	  ANOTHER "cfa 16; xor eax, eax; ret", "1 of 3, 1 proven, 1 unproven no_entry" },
	{ "a caller's address in a register, where the return finds it in its word",
	  ANOTHER "register rip, rbp; nop; ret",
	  "SP002 16..18 ra=rbp / there is the caller's rbp\n1 of 3, 1 mismatch, 1 proven" },
	{ "the same, where rows behind its call are as wrong",
	  ANOTHER "register rip, rbp; push rax; cfa 16; call h@PLT; pop rax; cfa 8; ret",
	  "SP002 16..22 ra=rbp / there is the caller's rbp\n1 of 5, 1 mismatch, 1 proven" },
	{ "one that calls another function in place of a return",
	  ANOTHER "cfa 16; xor eax, eax; cfa 8; jmp f",
	  "SP005 16..18 cfa=rsp+16 / cfa=rsp+8\n2 of 3, 1 mismatch, 1 proven" },
	{ "or jumps to where a register says: a label's code may, too",
	  ANOTHER "cfa 16; xor eax, eax; jmp rdi", "1 of 3, 1 proven, 1 unproven no_entry" },
	{ "a fragment with a frame that it takes down",
	  ANOTHER "cfa 16; offset rbx, -16; pop rbx; cfa 8; restore rbx; ret",
	  "1 of 3, 1 proven, 1 unproven no_entry" },
	{ "with one that hangs on rbp", ANOTHER "cfa rbp, 16; offset rbp, -16; leave; cfa rsp, 8; restore rbp; ret",
	  "1 of 3, 1 proven, 1 unproven no_entry" },
	{ "one that never returns", ANOTHER "cfa 16; nop; xor eax, eax; hlt",
	  "1 of 2, 1 proven, 1 unproven no_entry" },

	{ "no caller, where its address lies in its word",
	  FRAME "test edi, edi; je 1f; pop rbx; remember_state; cfa 8; ret; 1: restore_state; undefined rip; hlt",
	  "SP002 7..8 ra=undefined / there is the return address\n5 of 6, 1 mismatch" },
	{ "the same of a fragment", FRAME "test edi, edi; jne 1f; pop rbx; cfa 8; ret; " SECOND(1) "cfa 16; "
	  "offset rbx, -16; undefined rip; nop; hlt",
	  "SP002 7..9 ra=undefined / there is the return address\n5 of 7, 1 mismatch, 1 proven" },
	{ "on another stack nothing is known of it",
	  "test edi, edi; je 1f; ret; 1: mov rsp, rdi; undefined rip; hlt",
	  "4 of 5, 1 unproven rule_unknown" },

	{ "where an exception lands no FDE is", CATCHES "endproc; 9: hlt; " AREA,
	  "SP006 8..9 no FDE covers it / it is a function, or something leads there\n5 of 5, 2 proven" },
	{ "a row of where exceptions land that none of the calls brings",
	  CATCHES "9: nop; hlt; endproc; " AREA,
	  "SP001 8..10 cfa=rsp+8 / cfa=rsp+16\n5 of 7, 1 mismatch, 1 proven" },
	{ "one brings it, the other has arguments on the stack: it never throws",
	  "lsda 0x1b, 8f; call h@PLT; push rax; cfa 16; call h@PLT; pop rax; cfa 8; ret; 9: nop; hlt; endproc; "
	  AREA, "8 of 8, 2 proven" },
	{ "a register without a rule, brought back before a call in place of a return",
	  "push rbx; cfa 16; mov rbx, rdi; nop; pop rbx; cfa 8; jmp 5f; " SECOND(5) LEAF,
	  "SP004 4..6 rbx=none / it is the caller's rdi\n4 of 6, 1 mismatch, 1 proven" },
	{ "or not", "push rbx; cfa 16; mov rbx, rdi; nop; pop rcx; cfa 8; jmp 5f; " SECOND(5) LEAF,
	  "3 of 6, 1 proven, 1 unproven not_kept" },
	{ "in the function", CATCHES "9: cfa 16; hlt; endproc; " AREA, "6 of 6, 2 proven" },
};
/* clang-format on */

#define LINT_SUITE lint_kept
#include "lint_cases_main.h"
