/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_sound.c - what must not be proven, and what must not be accused
 *
 * Cases of lint_fixture.h, by what an analysis is easily wrong about: writes that lie elsewhere than the
 * operand says, instructions that leave a register as it was, and values that come back on a detour.
 */
#include "lint_fixture.h"

#define PUSH  "push rbx; cfa 16; offset rbx, -16; "
#define POP   "pop rbx; cfa 8; restore rbx; "
#define ROOM  "sub rsp, 16; cfa 32; "
#define CLEAR "add rsp, 16; cfa 16; "
/* rbx is kept in rax for a while: then it counts if it is another one. */
#define KEPT(code) "mov rax, rbx; " code "nop; mov rbx, rax; ret; "

/* What a table of two leads to has a frame, and what lies behind has none. */
#define TABLE TABLE_OF("1b", "1b")
#define TABLE_OF(first, second)                                                                    \
	"mov edi, edi; lea rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp "    \
	"rax; 1: mov eax, 1; " POP "ret; 2: xor eax, eax; ret; .section .rodata; 9: .long " first  \
	"-9b, " second "-9b; .text; "

#define OCAML "endproc; camlM__code_begin: .type camlM__f_12, @function; camlM__f_12: startproc; "

/* rbx is saved at the end of a large frame. */
#define FAR  "sub rsp, 400; cfa 408; mov [rsp], rbx; offset rbx, -408; "
#define NEAR "sub rsp, 400; cfa 408; mov [rsp+272], rbx; offset rbx, -136; "

/* rbx is kept in r12, and for one instruction only there. */
#define UNREAD(before)                                                                             \
	PUSH "push r12; cfa 24; offset r12, -24; mov r12, rbx; test edi, edi; jne 1f; " before     \
	     "jmp rsi; 1: xor ebx, ebx; test edx, edx; je 2f; nop; 2: mov rbx, r12; same_value "   \
	     "rbx; nop; offset rbx, -16; pop r12; cfa 16; restore r12; " POP LEAF

/* The row counts from rsp itself: where rbx and the return address are, and the caller's rsp by an expression. */
#define ELSEWHERE(rbx, rip, rsp)                                                                   \
	"push rbx; cfa 16; offset rbx, -16; sub rsp, 16; cfa rsp, 0; offset rbx, " rbx             \
	"; offset rip, " rip "; escape 0x16, 7, 2, 0x77, " rsp "; nop; hlt; "

/* rbx is saved, and a frame pointer leads there. */
#define FRAME_POINTER                                                                              \
	"push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; push rbx; offset rbx, -24; "    \
	"xor ebx, ebx; "
#define TAKEN_DOWN "nop; mov rbx, [rbp-8]; same_value rbx; leave; cfa rsp, 8; same_value rbp; ret; "

static const struct lint_case lint_cases[] = {
	{ "a row inside an instruction is for what a jump finds there",
	  "test edi, edi; jnz 1f+1; 1: .byte 0xb8, 0x53; cfa 16; .byte 0x90, 0x5b; cfa 8; "
	  ".byte 0x90; nop; ret",
	  "5 of 5, 1 proven" },
	{ "not one that lies inside of that, too",
	  "test edi, edi; jnz 1f+1; 1: .byte 0xb8, 0x0f; cfa 16; .byte 0x1f; cfa 8; .byte 0x40, 0; "
	  "ret",
	  "SP007 4..9 a row begins at 0x6 / the instruction has 5 bytes from 0x4\n"
	  "SP007 4..9 a row begins at 0x7 / the instruction has 5 bytes from 0x4\n"
	  "SP007 5..9 a row begins at 0x6 / the instruction has 4 bytes from 0x5\n"
	  "SP007 5..9 a row begins at 0x7 / the instruction has 4 bytes from 0x5\n"
	  "3 of 4, 1 mismatch" },
	/* GCC's __attribute__((interrupt)) with an error code: below it the CPU has pushed that. */
	{ "a handler of an interrupt is not called",
	  "cfa 16; push rax; cfa 24; pop rax; cfa 16; add rsp, 8; cfa 8; iretq",
	  "0 of 4, 1 unproven signal_frame" },
	{ "without an error code, neither", "push rax; cfa 16; pop rax; cfa 8; iretq",
	  "0 of 3, 1 unproven signal_frame" },
	/* GHC's adjustors push the address of such code in place of a return address. */
	{ "what returns to its caller's frame was not called", "add rsp, 8; ret",
	  "0 of 2, 1 unproven no_entry" },
	{ "code in the middle of another function that is called has another frame then",
	  PUSH
	  "1: nop; " POP LEAF SECOND(g) "sub rsp, 8; cfa 16; call 1b; add rsp, 8; cfa 8; " LEAF,
	  "5 of 8, 1 proven, 1 unproven value_unknown" },
	{ "so has a function there that others may call, by its symbol",
	  ".globl f; .size f, 7f-f; " PUSH
	  ".globl inner; .type inner, @function; inner: nop; " POP LEAF "7: .size inner, 7b-inner",
	  "1 of 4, 1 unproven value_unknown" },
	{ "not one that is the file's own",
	  ".globl f; .size f, 7f-f; " PUSH ".type inner, @function; inner: nop; " POP LEAF
	  "7: .size inner, 7b-inner",
	  "4 of 4, 1 proven" },
	{ "nor one without a size, which may be a label",
	  ".globl f; .size f, 7f-f; " PUSH
	  ".globl inner; .type inner, @function; inner: nop; " POP LEAF "7: ",
	  "4 of 4, 1 proven" },
	{ "or none, where its rows say so",
	  "nop; 1: xor eax, eax; " LEAF SECOND(
		  g) "sub rsp, 8; cfa 16; call 1b; add rsp, 8; cfa 8; " LEAF,
	  "7 of 7, 2 proven" },
	{ "what another function leads to, behind it",
	  "nop; 1: xor eax, eax; ret; " SECOND(g) "push rax; cfa 16; jmp 1b",
	  "SP001 1..4 cfa=rsp+8 / cfa=rsp+16\n3 of 5, 1 mismatch, 1 proven" },
	{ "and before it: which of them was judged first makes no difference",
	  "push rax; cfa 16; jmp 1f; " SECOND(g) "nop; 1: xor eax, eax; ret",
	  "SP001 4..7 cfa=rsp+8 / cfa=rsp+16\n3 of 5, 1 mismatch, 1 proven" },
	{ "an inner routine of its own",
	  PUSH "call 1f; " POP "ret; 1: cfa 16; offset rbx, -16; nop; ret",
	  "SP001 8..10 cfa=rsp+16 / cfa=rsp+8\n4 of 6, 1 mismatch" },
	{ "with rows of its own", PUSH "call 1f; " POP "ret; 1: nop; ret", "6 of 6, 1 proven" },
	{ "a call over data leaves their address",
	  "call 1f; .byte 0xb8, 1; cfa 16; .byte 0, 0, 0; 1: pop rax; cfa 8; " LEAF,
	  "3 of 4, 1 unproven not_reached" },
	{ "and what takes it off has its row, or is accused",
	  "call 1f; .byte 0xb8, 1, 0, 0, 0; 1: pop rax; " LEAF,
	  "SP001 10..11 cfa=rsp+8 / cfa=rsp+16\n2 of 4, 1 mismatch" },
	{ "bytes of another instruction are no call",
	  PUSH "1: nop; " POP LEAF SECOND(
		  g) "mov eax, 0xf6e80000; .byte 0x0d, 0xff, 0xff, 0xff, 0; " LEAF,
	  "7 of 7, 2 proven" },
	{ "a jump into the middle of an instruction leads to others",
	  "test edi, edi; jz 1f+1; 1: .byte 0xb8, 0x53, 0x90, 0x90, 0x5b; " LEAF,
	  "SP001 6..9 cfa=rsp+8 / cfa=rsp+16\n4 of 7, 1 mismatch" },
	{ "of which all may be right",
	  "test edi, edi; jz 1f+1; 1: .byte 0xb8, 0x90, 0x90, 0x90, 0x90; " LEAF,
	  "4 of 4, 1 proven" },
	{ "or nobody knows", "test edi, edi; jz 1f+1; 1: .byte 0xb8, 0x5c, 0x90, 0x90, 0x90; " LEAF,
	  "3 of 7, 1 unproven value_unknown" },
	{ "behind clone the new thread has another stack, until rax tells them apart",
	  "mov eax, 56; syscall; test eax, eax; je 1f; ret; 1: xor ebp, ebp; undefined rbp; hlt",
	  "3 of 7, 1 unproven value_unknown" },
	{ "as the C library of Alpine does it",
	  "xor eax, eax; mov al, 56; sub rsi, 8; syscall; test eax, eax; jne 1f; xor ebp, ebp; "
	  "undefined rbp; pop rdi; call r9; hlt; 1: restore rbp; ret",
	  "5 of 11, 1 unproven value_unknown" },
	{ "a process begins on the same stack",
	  "mov eax, 56; xor esi, esi; syscall; test eax, eax; je 1f; ret; 1: nop; " LEAF,
	  "8 of 8, 1 proven" },
	{ "clone3 says in memory whether it does",
	  "mov eax, 435; xor esi, esi; syscall; cmp rax, 0; jne 1f; hlt; 1: ret",
	  "4 of 7, 1 unproven value_unknown" },
	{ "another system call begins nothing", "mov eax, 57; syscall; test eax, eax; " LEAF,
	  "4 of 4, 1 proven" },
	{ "a register that no callee preserves, where its row says",
	  "push rax; cfa 16; offset rax, -16; xor eax, eax; pop rax; cfa 8; same_value rax; " LEAF,
	  "4 of 4, 1 proven" },
	{ "and elsewhere", "offset rax, -16; nop; " LEAF,
	  "SP003 0..2 rax=c-16 / nothing was written there\n0 of 2, 1 mismatch" },
	{ "one that is declared the same, and is not",
	  "same_value r11; mov eax, 1; xor r11d, r11d; " LEAF,
	  "SP004 8..9 r11=same / it is 0\n2 of 3, 1 mismatch" },
	{ "one that is kept in another", "mov r11, rcx; register rcx, r11; xor ecx, ecx; " LEAF,
	  "3 of 3, 1 proven" },
	{ "one of which a fragment is kept there",
	  "mov r11d, esi; register rsi, r11; xor esi, esi; " LEAF,
	  "1 of 3, 1 unproven value_unknown" },
	{ "one that is declared lost may be", "undefined rdx; nop; " LEAF, "2 of 2, 1 proven" },
	{ "one that a call changes",
	  "push rdi; cfa 16; same_value rdi; call g@PLT; nop; add rsp, 8; cfa 8; "
	  "restore rdi; " LEAF,
	  "2 of 5, 1 unproven behind_call" },
	{ "a return address that is overwritten by a copy of rsp",
	  "lea rax, [rsp]; mov [rax], rdi; nop; " LEAF,
	  "SP002 7..9 ra=c-8 / there is the caller's rdi\n2 of 4, 1 mismatch" },
	{ "or of a sum with it", "xor eax, eax; add rax, rsp; mov [rax], rdi; nop; " LEAF,
	  "SP002 8..10 ra=c-8 / there is the caller's rdi\n3 of 5, 1 mismatch" },
	{ "vector registers are not followed", "nop; offset xmm6, -32; nop; restore xmm6; " LEAF,
	  "2 of 3, 1 unproven rule_unknown" },
	{ "unless nothing is claimed", "undefined xmm6; nop; " LEAF, "2 of 2, 1 proven" },
	{ "a bit far from its operand is in another word",
	  PUSH ROOM "mov edi, 128; bts qword ptr [rsp], rdi; " CLEAR POP LEAF,
	  "4 of 7, 1 unproven value_unknown" },
	{ "a bit before it", PUSH "mov rdi, -1; btr [rsp+8], rdi; " POP LEAF,
	  "3 of 5, 1 unproven value_unknown" },
	{ "a bit in it", PUSH ROOM "mov edi, 127; btc qword ptr [rsp], rdi; " CLEAR POP LEAF,
	  "7 of 7, 1 proven" },
	{ "of an operand of 32 bits", PUSH "mov edi, 64; bts dword ptr [rsp-8], edi; " POP LEAF,
	  "3 of 5, 1 unproven value_unknown" },
	{ "of a bit that is a number only the operand's count",
	  PUSH ROOM "bts qword ptr [rsp], 128; " CLEAR POP LEAF, "6 of 6, 1 proven" },
	{ "a string goes down behind std",
	  PUSH ROOM "lea rdi, [rsp+24]; mov ecx, 2; std; rep stosq; cld; " CLEAR POP LEAF,
	  "5 of 10, 1 unproven value_unknown" },
	{ "up without it", PUSH ROOM "lea rdi, [rsp]; mov ecx, 2; rep stosq; " CLEAR POP LEAF,
	  "8 of 8, 1 proven" },
	{ "up again behind cld",
	  PUSH ROOM "lea rdi, [rsp]; mov ecx, 2; std; cld; rep stosq; " CLEAR POP LEAF,
	  "10 of 10, 1 proven" },
	{ "either way behind popf",
	  PUSH ROOM
	  "pushfq; cfa 40; popfq; cfa 32; lea rdi, [rsp]; mov ecx, 2; rep stosq; " CLEAR POP LEAF,
	  "10 of 10, 1 proven" },
	{ "or where it began",
	  PUSH ROOM
	  "pushfq; cfa 40; popfq; cfa 32; lea rdi, [rsp+24]; mov ecx, 2; rep stosq; " CLEAR POP
		  LEAF,
	  "6 of 10, 1 unproven value_unknown" },
	{ "between the rounds of a string instruction some of it is written",
	  PUSH "mov rax, rbx; xor ebx, ebx; lea rdi, [rsp-8]; mov ecx, 2; rep stosq; register rbx, "
	       "rax; nop; mov rbx, rax; offset rbx, -16; pop rax; cfa 8; same_value rbx; " LEAF,
	  "8 of 10, 1 unproven value_unknown" },
	{ "and rcx and rdi are others",
	  "mov rcx, rbx; register rbx, rcx; xor ebx, ebx; rep stosb; undefined rbx; ret",
	  "3 of 4, 1 unproven value_unknown" },
	{ "what is pushed is anywhere if rsp was raised by what nobody knows",
	  FRAME_POINTER "xadd rsp, rdi; push rax; " TAKEN_DOWN,
	  "6 of 10, 1 unproven value_unknown" },
	{ "also by a call", FRAME_POINTER "add rsp, rdi; call g@PLT; " TAKEN_DOWN,
	  "6 of 10, 1 unproven value_unknown" },
	{ "or where the sum is made elsewhere",
	  FRAME_POINTER "lea rcx, [rsp+rdi]; and rcx, -16; mov rsp, rcx; push rax; " TAKEN_DOWN,
	  "8 of 12, 1 unproven value_unknown" },
	{ "what is taken down again behind it is right",
	  FRAME_POINTER "add rsp, rdi; nop; " TAKEN_DOWN, "10 of 10, 1 proven" },
	{ "room of a size that is computed lies below",
	  FRAME_POINTER "sub rsp, rdi; push rax; call g@PLT; " TAKEN_DOWN, "11 of 11, 1 proven" },
	{ "also if it is computed elsewhere",
	  FRAME_POINTER
	  "mov rcx, rsp; sub rcx, rdi; and rcx, -16; mov rsp, rcx; push rax; " TAKEN_DOWN,
	  "13 of 13, 1 proven" },
	{ "another stack is another",
	  FRAME_POINTER "mov rsp, rdi; push rax; call g@PLT; " TAKEN_DOWN, "11 of 11, 1 proven" },
	{ "words of 16 bits are pushed into a part of what was saved",
	  PUSH "mov rax, rbx; xor ebx, ebx; add rsp, 8; cfa 8; pushw 5; cfa 10; nop; add rsp, 2; "
	       "cfa 8; mov rbx, rax; restore rbx; " LEAF,
	  "6 of 9, 1 unproven value_unknown" },
	{ "beside it they are not",
	  PUSH "pushw 5; cfa 18; pushfw; cfa 20; popfw; cfa 18; pop ax; cfa 16; " POP LEAF,
	  "7 of 7, 1 proven" },
/* Parts of registers: what they are said to be equal in is not the registers. */
#define ROUNDS(compare, cfa)                                                                       \
	"push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; sub rsp, rdi; 2: pop "          \
	"rcx; " compare "; jne 2b; cfa rsp, " cfa                                                  \
	"; nop; mov rsp, rbp; cfa rsp, 16; pop rbp; cfa 8; restore rbp; " LEAF
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
	  PUSH "mov r8, rbx; xor ebx, ebx; 1: inc rbx; cmp rbx, r8; jne 1b; restore rbx; nop; "
	       "pop rcx; cfa 8; " LEAF,
	  "9 of 9, 1 proven" },
	{ "or is it at once, by the other operand",
	  PUSH "mov r8, rbx; mov rbx, [rdi]; cmp r8, rbx; jne 1f; remember_state; restore rbx; "
	       "pop rcx; cfa 8; ret; 1: restore_state; " POP LEAF,
	  "9 of 9, 1 proven" },
	{ "where they differ it is another",
	  PUSH "mov r8, rbx; mov rbx, [rdi]; cmp rbx, r8; je 1f; restore rbx; nop; "
	       "1: offset rbx, -16; " POP LEAF,
	  "SP004 12..13 rbx=none / it is another value\n7 of 8, 1 mismatch" },
	{ "of half of them nothing is known",
	  PUSH "mov r8, rbx; mov rbx, [rdi]; cmp ebx, r8d; jne 1f; remember_state; restore rbx; "
	       "pop rcx; cfa 8; ret; 1: restore_state; " POP LEAF,
	  "SP004 12..14 rbx=none / it is another value\n7 of 9, 1 mismatch" },
	/* A callee may return what it was given. */
	{ "a call's result is the caller's value, perhaps",
	  PUSH "mov rdi, rbx; xor ebx, ebx; call g@PLT; mov rbx, rax; restore rbx; nop; pop rcx; "
	       "cfa 8; " LEAF,
	  "5 of 8, 1 unproven value_unknown" },
	{ "if that was passed",
	  PUSH "xor ebx, ebx; call g@PLT; mov rbx, rax; restore rbx; nop; pop rcx; cfa 8; " LEAF,
	  "SP004 11..14 rbx=none / it is another value\n4 of 7, 1 mismatch" },
	/* -1 times -1. */
	{ "a product by an odd number is undone by another one",
	  PUSH "imul rbx, rbx, -1; nop; imul rbx, rbx, -1; restore rbx; nop; pop rcx; cfa 8; " LEAF,
	  "4 of 7, 1 unproven value_unknown" },
	{ "one by an even number is not",
	  PUSH "imul rbx, rbx, 6; nop; restore rbx; nop; pop rcx; cfa 8; " LEAF,
	  "SP004 6..9 rbx=none / it is another value\n3 of 6, 1 mismatch" },
	{ "a tile's rows lie as far apart as its index says",
	  PUSH "sub rsp, 64; cfa 80; xor ebx, ebx; mov ecx, 8; tilestored [rsp+rcx], tmm0; "
	       "add rsp, 64; cfa 16; " POP LEAF,
	  "5 of 8, 1 unproven value_unknown" },
	{ "downwards, too",
	  PUSH "xor ebx, ebx; mov rcx, -64; tilestored [rsp+rcx+960], tmm0; " POP LEAF,
	  "4 of 6, 1 unproven value_unknown" },
	{ "elsewhere than in the stack",
	  PUSH "xor ebx, ebx; mov ecx, 64; tilestored [rdi+rcx], tmm0; " POP LEAF,
	  "6 of 6, 1 proven" },
	{ "what is popped to a segment register is not written to memory",
	  "push fs; cfa 16; pop fs; cfa 8; " LEAF, "3 of 3, 1 proven" },
	{ "the prefix of scas repeats stos, too",
	  PUSH ROOM "lea rdi, [rsp]; mov ecx, 3; .byte 0xf2; stosq; " CLEAR POP LEAF,
	  "4 of 8, 1 unproven value_unknown" },
	{ "enter makes a frame",
	  "enter 16, 0; cfa rbp, 16; offset rbp, -16; mov [rsp], rdi; leave; cfa rsp, 8; "
	  "restore rbp; " LEAF,
	  "4 of 4, 1 proven" },
	{ "enter with a level pushes words of the frames around it",
	  "lea r11, [rsp+8]; cfa r11, 0; mov [rsp-16], rbx; offset rbx, -24; enter 0, 2; "
	  "offset rbp, -16; leave; cfa rsp, 8; restore rbp; restore rbx; " LEAF,
	  "4 of 5, 1 unproven value_unknown" },
	{ "and has that much room less",
	  "enter 16, 3; cfa rsp, 56; offset rbp, -16; leave; cfa rsp, 8; restore rbp; " LEAF,
	  "3 of 3, 1 proven" },
	{ "a word that is pushed from memory is a copy, and so is one that is popped",
	  "push [rsp]; cfa 16; offset rip, -16; mov qword ptr [rsp+8], 0; pop [rsp]; cfa 8; "
	  "offset rip, -8; " LEAF,
	  "4 of 4, 1 proven" },
	{ "what was pushed nobody knows where may be where the row says",
	  "lea rax, [rsp+8]; cfa rax, 0; sub rsp, [rdi]; push rbx; offset rbx, -16; pop rbx; "
	  "restore rbx; lea rsp, [rax-8]; cfa rsp, 8; " LEAF,
	  "3 of 6, 1 unproven value_unknown" },
	{ "and with all bits", KEPT("and rbx, -1; "), "5 of 5, 1 proven" },
	{ "a register with itself", KEPT("or rbx, rbx; and rbx, rbx; "), "6 of 6, 1 proven" },
	{ "or, xor, add and sub of 0", KEPT("or rbx, 0; xor rbx, 0; add rbx, 0; sub rbx, 0; "),
	  "8 of 8, 1 proven" },
	{ "a product with 1", KEPT("imul rbx, rbx, 1; "), "5 of 5, 1 proven" },
	{ "of another register is that one",
	  KEPT("xor ebx, ebx; register rbx, rax; imul rbx, rax, 1; restore rbx; "),
	  "6 of 6, 1 proven" },
	{ "and of a word what was saved there",
	  PUSH "xor ebx, ebx; imul rbx, [rsp], 1; same_value rbx; add rsp, 8; cfa 8; " LEAF,
	  "5 of 5, 1 proven" },
	{ "a cache line that is cleared by an address in rax",
	  PUSH "lea rax, [rsp-32]; clzero; " POP LEAF, "3 of 5, 1 unproven value_unknown" },
	{ "how much of the CPU's state is saved the CPU knows",
	  "sub rsp, 2048; cfa 2056; mov [rsp+1088], rbx; offset rbx, -968; xsave [rsp+512]; nop; "
	  "mov rbx, [rsp+1088]; restore rbx; add rsp, 2048; cfa 8; " LEAF,
	  "3 of 7, 1 unproven value_unknown" },
	{ "and not how much in another form", PUSH "xsavec64 [rsp-576]; " POP LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "below a frame that was aligned for it is room for it",
	  PUSH "mov rbx, rsp; cfa rbx; and rsp, -64; sub rsp, [rdi]; xsavec [rsp+64]; "
	       "mov rsp, rbx; cfa rsp; " POP LEAF,
	  "8 of 8, 1 proven" },
	{ "shifts by whole counts", KEPT("shl rbx, 0; shr rbx, 64; rol rbx, 64; ror bl, 8; "),
	  "8 of 8, 1 proven" },
	{ "moves to itself",
	  KEPT("mov rbx, rbx; mov bl, bl; xchg rbx, rbx; lea rbx, [rbx+0]; cmove rbx, rbx; "),
	  "9 of 9, 1 proven" },
	{ "with a register of which a number is known",
	  KEPT("xor ecx, ecx; lea rbx, [rbx+rcx*8]; "), "6 of 6, 1 proven" },
	{ "32 bits of itself clear the others", KEPT("mov ebx, ebx; "),
	  "SP004 5..9 rbx=none / it is another value\n3 of 5, 1 mismatch" },
	{ "so do 32 bits and all bits", KEPT("and ebx, -1; "),
	  "SP004 6..10 rbx=none / it is another value\n3 of 5, 1 mismatch" },
	{ "what is taken off and added again may be the same",
	  "same_value rbx; sub rbx, rdi; add rbx, rdi; " LEAF,
	  "SP004 3..6 rbx=same / it is another value\n1 of 3, 1 mismatch" },
	{ "a fragment that is put back may be the same",
	  "same_value rbx; mov al, bl; mov bl, 1; mov bl, al; " LEAF,
	  "SP004 4..6 rbx=same / it is another value\n2 of 4, 1 mismatch" },
	{ "a mark taken off may leave it as it was",
	  "same_value rbx; or rbx, 1; and rbx, -2; " LEAF, "1 of 3, 1 unproven value_unknown" },
	{ "past the table of a switch without default a compiler lets anything come",
	  "test esi, esi; je 2f; " PUSH "cmp edi, 1; ja 2f; " TABLE,
	  "13 of 15, 1 unproven jump_unknown" },
	{ "so may what is one of its cases",
	  "test esi, esi; je 2f; " PUSH "cmp edi, 1; ja 1f; " TABLE_OF("2b", "1b"),
	  "13 of 15, 1 unproven jump_unknown" },
	{ "another function's fragment, too, though nobody was seen to come there",
	  "test esi, esi; je 2f; " PUSH "cmp edi, 1; ja g_cold; " TABLE
	  "fde g_cold; cfa 24; mov eax, 1; ud2",
	  "15 of 16, 1 proven, 1 unproven no_entry" },
	{ "by another condition it is the code's",
	  "test esi, esi; je 2f; " PUSH "cmp edi, 1; je 2f; cmp edi, 1; ja 1f; " TABLE,
	  "SP001 40..40 from 8 cfa=rsp+8 / cfa=rsp+16\n15 of 17, 1 mismatch" },
	{ "a register by which the caller tells something is not preserved",
	  "push rax; cfa 16; mov [rsp], rbx; mov rdx, [rbx+16]; mov rbx, [rdx+8]; nop; "
	  "mov rbx, [rsp]; pop rax; cfa 8; " LEAF,
	  "6 of 8, 1 unproven not_kept" },
	{ "as an index, neither, nor by another register that has it",
	  "mov rax, rbx; mov rdx, [rdi+rax*8]; mov ebx, edx; nop; mov rbx, rax; " LEAF,
	  "4 of 6, 1 unproven not_kept" },
	{ "its address alone says nothing", KEPT("lea rdx, [rbx+8]; mov ebx, edx; "),
	  "SP004 9..13 rbx=none / it is another value\n4 of 6, 1 mismatch" },
	{ "a row that counts from rip is asked at each instruction",
	  "ret; endproc; .balign 16; k: startproc; escape "
	  "0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22; xor eax, eax; cdq; cdq; "
	  ".balign 8, 0x99; cdq; cdq; cdq; ret",
	  "SP001 27..28 cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) / "
	  "cfa=rsp+8\n11 of 12, 1 mismatch, 1 proven" },
	{ "OCaml's code preserves nothing, and its rows say nothing of it",
	  "mov rbx, rdi; ret; " OCAML "mov rbx, [rdi]; mov r12, rax; ret",
	  "4 of 5, 1 proven, 1 unproven not_kept" },
	{ "but where its frame is", "ret; " OCAML "sub rsp, 8; xor ebx, ebx; add rsp, 8; ret",
	  "SP001 5..11 cfa=rsp+8 / cfa=rsp+16\n3 of 5, 1 mismatch, 1 proven" },
	{ "what lies below the red zone a signal overwrites",
	  FAR "mov rbx, [rsp]; add rsp, 400; cfa 8; add rdi, rax; " LEAF,
	  "4 of 6, 1 unproven value_unknown" },
	{ "what lies in it, not",
	  NEAR "mov rbx, [rsp+272]; add rsp, 400; cfa 8; add rdi, rax; " LEAF, "6 of 6, 1 proven" },
	{ "nor who has its register back",
	  FAR "mov rbx, [rsp]; restore rbx; add rsp, 400; cfa 8; " LEAF, "5 of 5, 1 proven" },
	{ "counted from rbp it is no less below",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; sub rsp, 208; mov [rsp], rbx; "
	  "offset rbx, -224; nop; add rsp, 208; nop; restore rbx; pop rbp; cfa rsp, 8; "
	  "restore rbp; " LEAF,
	  "8 of 9, 1 unproven value_unknown" },
	{ "a jump of unknown targets may bring another copy than what is taken back from it",
	  UNREAD("mov r12d, 5; "), "11 of 16, 1 unproven jump_unknown" },
	{ "unless it brings the same", UNREAD("nop; "), "12 of 16, 1 unproven jump_unknown" },
	{ "a fragment that is written may be the same part of the same",
	  "mov rax, rbx; mov al, bl; register rbx, rax; xor ebx, ebx; nop; mov rbx, rax; "
	  "restore rbx; " LEAF,
	  "2 of 6, 1 unproven value_unknown" },
	{ "so may one from a word that has it",
	  PUSH "mov ax, [rsp]; mov rax, rbx; mov ax, [rsp]; register rbx, rax; nop; "
	       "offset rbx, -16; " POP LEAF,
	  "6 of 7, 1 unproven value_unknown" },
	{ "or one by arithmetic with a register that has it",
	  "mov rax, rbx; or al, bl; register rbx, rax; nop; " LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "a part of another is another",
	  "mov rax, rbx; mov al, dil; register rbx, rax; nop; restore rbx; " LEAF,
	  "SP003 6..7 rbx=rax / there is another value\n3 of 4, 1 mismatch" },
	{ "what a called function is given to write to it may have written",
	  "sub rsp, 24; cfa 32; mov rdi, rsp; call g@PLT; nop; offset rbx, -32; mov ebx, 3; nop; "
	  "mov rbx, [rsp]; restore rbx; add rsp, 24; cfa 8; " LEAF,
	  "4 of 9, 1 unproven value_unknown" },
	{ "on one of two ways, too",
	  "sub rsp, 24; cfa 32; test edi, edi; je 1f; call g@PLT; 1: mov eax, eax; "
	  "offset rbx, -32; nop; restore rbx; add rsp, 24; cfa 8; " LEAF,
	  "7 of 8, 1 unproven value_unknown" },
	{ "above room of a size that is computed",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; sub rsp, rdi; call g@PLT; "
	  "mov eax, eax; offset rbx, -24; nop; restore rbx; leave; cfa rsp, 8; restore rbp; " LEAF,
	  "7 of 8, 1 unproven value_unknown" },
	{ "in it",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; sub rsp, rdi; call g@PLT; "
	  "mov eax, eax; escape 0x10,3,2,0x77,8; nop; restore rbx; leave; cfa rsp, 8; "
	  "restore rbp; " LEAF,
	  "7 of 8, 1 unproven value_unknown" },
	{ "in it, before the call",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; sub rsp, rdi; escape "
	  "0x10,3,2,0x77,8; nop; restore rbx; call g@PLT; leave; cfa rsp, 8; restore rbp; " LEAF,
	  "SP003 7..8 rbx=exp(breg7+8) / nothing was written there\n6 of 7, 1 mismatch" },
	{ "below its frame it has not",
	  "sub rsp, 24; cfa 32; call g@PLT; mov eax, eax; offset rbx, -40; nop; restore rbx; "
	  "add rsp, 24; cfa 8; " LEAF,
	  "SP003 11..12 rbx=c-40 / nothing was written there\n5 of 6, 1 mismatch" },
	{ "nor what the function has saved elsewhere itself",
	  PUSH "sub rsp, 16; cfa 32; call g@PLT; mov eax, eax; offset rbx, -24; nop; "
	       "offset rbx, -16; add rsp, 16; cfa 16; " POP LEAF,
	  "SP003 12..13 rbx=c-24 / nothing was written there\n7 of 8, 1 mismatch" },
	{ "and before it was called neither",
	  "sub rsp, 24; cfa 32; offset rbx, -32; nop; call g@PLT; restore rbx; add rsp, 24; "
	  "cfa 8; " LEAF,
	  "SP003 4..10 rbx=c-32 / nothing was written there\n3 of 5, 1 mismatch" },
	{ "data behind a call are no code",
	  "sub rsp, 8; cfa 16; call g; .byte 10; .ascii \"PPPP hello\"; mov eax, 1; add rsp, 8; "
	  "cfa 8; ret; " SECOND(g) "pop rdi; cfa 0; register rip, rdi; movzx eax, byte ptr [rdi]; "
				   "lea rdi, [rdi+rax+1]; jmp rdi",
	  "1 of 16, 2 unproven jump_unknown" },
	{ "nor is text, whoever is called",
	  "sub rsp, 8; cfa 16; call g@PLT; .asciz \"PPPP hello\"; mov eax, 1; add rsp, 8; cfa 8; "
	  "ret",
	  "1 of 13, 1 unproven jump_unknown" },
	{ "text with a letter that is no instruction",
	  "sub rsp, 8; cfa 16; call [rdi]; .asciz \"PPP?\"; mov eax, 1; add rsp, 8; cfa 8; ret",
	  "1 of 8, 1 unproven jump_unknown" },
	{ "code is followed",
	  "sub rsp, 8; cfa 16; call [rdi]; rep outsb; push rax; add rsp, 16; cfa 8; ret",
	  "SP001 9..13 cfa=rsp+16 / cfa=rsp+24\n5 of 6, 1 mismatch" },
	{ "who goes on behind data returns to what he makes of his return address",
	  "pop rdi; cfa 0; register rip, rdi; movzx eax, byte ptr [rdi]; lea rax, [rdi+rax+1]; "
	  "register rip, rax; jmp rax",
	  "2 of 4, 1 unproven jump_unknown" },
	{ "of 0 bsf finds nothing and writes nothing", KEPT("bsf rbx, rdi; "),
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
