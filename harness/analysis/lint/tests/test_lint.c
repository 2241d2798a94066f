/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint.c - functions in assembly, right and wrong ones, and what lint says of each
 *
 * The cases are of lint_fixture.h. Those about what would be proven or accused by mistake are in
 * test_lint_sound.c.
 */
#include "tests/suite.h"
#include "lint_fixture.h"

/* Two functions with frames of 16 and 24 bytes that lead to g_cold. */
#define TWO_TO_COLD                                                                                \
	"push rbx; cfa 16; offset rbx, -16; test edi, edi; je g_cold; pop rbx; cfa 8; "            \
	"ret; " SECOND(g) "push rbp; cfa 16; offset rbp, -16; push rax; cfa 24; test edi, edi; "   \
			  "jne g_cold; 1: pop rax; cfa 16; pop rbp; cfa 8; ret; " SECOND(          \
				  g_cold) "offset rbp, -16; "

/* A function that has another one called first if there is too little stack. */
#define SPLIT(callee)                                                                              \
	"cmp rsp, fs:0x70; jb 1f; 2: push rbx; cfa 16; offset rbx, -16; pop rbx; cfa 8; restore "  \
	"rbx; ret; 1: call " callee "; ret; jmp 2b; endproc; " callee                              \
	": startproc; xor eax, eax; ret; "

static const struct lint_case lint_cases[] = {
	{ "a function that was right until another led into it",
	  "nop; 1: nop; ret; " SECOND(g) "push rbx; cfa 16; je 1b; pop rbx; cfa 8; ret",
	  "SP001 1..3 cfa=rsp+8 / cfa=rsp+16\n5 of 7, 1 mismatch, 1 proven" },
	{ "the first function of an image, which only a fragment calls that nobody leads to",
	  ".hidden f; cfa 16; nop; ud2; " SECOND(h) "cfa 16; call f; ud2",
	  "SP005 0..1 cfa=rsp+16 / cfa=rsp+8\nSP001 1..3 cfa=rsp+16 / cfa=rsp+8\n0 of 3, 1 "
	  "mismatch, 1 unproven no_entry" },
	{ "nothing moves", "xor eax, eax; " LEAF, "2 of 2, 1 proven" },
	{ "a push with its directive",
	  "push rbx; cfa 16; offset rbx, -16; mov rbx, rdi; call g@PLT; mov rax, rbx; pop rbx; "
	  "cfa 8; " LEAF,
	  "6 of 6, 1 proven" },
	{ "a push without one", "push rbx; mov eax, 1; pop rbx; " LEAF,
	  "SP001 1..7 cfa=rsp+8 / cfa=rsp+16\n2 of 4, 1 mismatch" },
	{ "a directive too early is a register that is not saved",
	  "offset rbx, -16; push rbx; cfa 16; xor ebx, ebx; pop rbx; cfa 8; " LEAF,
	  "SP003 0..1 rbx=c-16 / nothing was written there\n3 of 4, 1 mismatch" },
	{ "a register saved elsewhere", "push rbx; cfa 16; offset rbp, -16; pop rbx; cfa 8; " LEAF,
	  "SP003 1..3 rbp=c-16 / there is the caller's rbx\n1 of 3, 1 mismatch" },
	{ "a register used and not declared, and brought back",
	  "mov rax, rbx; mov rbx, rdi; mov rbx, rax; ret",
	  "SP004 6..9 rbx=none / it is the caller's rdi\n3 of 4, 1 mismatch" },
	{ "a register that another convention has no rule for", "mov rbx, rdi; xor eax, eax; ret",
	  "1 of 3, 1 unproven not_kept" },
	{ "the same, kept for a while, and not brought back",
	  "mov rax, rbx; mov rbx, rdi; nop; ret", "2 of 4, 1 unproven not_kept" },
	{ "the same, but a row says where it is: without a rule it is unchanged",
	  "push rbx; cfa 16; offset rbx, -16; mov rbx, rdi; pop rcx; cfa 8; restore rbx; ret",
	  "SP004 5..6 rbx=none / it is the caller's rdi\n3 of 4, 1 mismatch" },
	{ "the same, that one of two ways brings to a block: it is brought back behind it",
	  "push rbx; cfa 16; test edi, edi; je 1f; mov rbx, rdi; test esi, esi; jne 1f; "
	  "xor eax, eax; 1: pop rbx; cfa 8; ret",
	  "SP004 14..14 from 10 rbx=none / it is the caller's rdi\n"
	  "SP004 8..14 rbx=none / it is the caller's rdi\n"
	  "SP004 14..14 from 12 rbx=none / it is the caller's rdi\n5 of 9, 1 mismatch" },
	{ "the same, first by the way on which it is another value",
	  "push rbx; cfa 16; test edi, edi; jne 2f; nop; 1: pop rbx; cfa 8; ret; 2: cfa 16; "
	  "mov rbx, rdi; jmp 1b",
	  "SP004 6..6 from 11 rbx=none / it is the caller's rdi\n"
	  "SP004 11..13 rbx=none / it is the caller's rdi\n6 of 8, 1 mismatch" },
	{ "the same, handed to another function",
	  "test edi, edi; jne 1f; ret; 1: mov rax, rbx; mov rbx, rdi; jmp [rsi]",
	  "5 of 6, 1 unproven not_kept" },
	{ "a call that returns into another way's row",
	  "test edi, edi; je 1f; push rax; cfa 16; call 2f; cfa 8; 1: nop; ret; endproc; "
	  "startproc; 2: ret",
	  "5 of 7, 1 proven, 1 unproven behind_call" },
	{ "the same of a call that nobody knows",
	  "test edi, edi; je 1f; push rax; cfa 16; call [rdi]; cfa 8; 1: nop; ret",
	  "4 of 6, 1 unproven behind_call" },
	{ "and of one that never returns",
	  "test edi, edi; je 1f; push rax; cfa 16; call abort@PLT; cfa 8; 1: nop; ret",
	  "6 of 6, 1 proven" },
	{ "a rule for rsp", "push rbx; cfa 16; offset rsp, -16; pop rbx; cfa 8; " LEAF,
	  "1 of 3, 1 unproven rule_unknown" },
	{ "a store with an index that is known",
	  "push rbx; cfa 16; offset rbx, -16; xor ecx, ecx; mov qword ptr [rsp+rcx*8], 99; nop; "
	  "pop rbx; cfa 8; restore rbx; " LEAF,
	  "SP003 11..13 rbx=c-16 / there is another value\n3 of 6, 1 mismatch" },
	{ "a part of a word that is written back", "mov al, [rsp]; mov [rsp], al; " LEAF,
	  "2 of 3, 1 unproven value_unknown" },
	{ "what is declared to be the same", "same_value rbx; mov ebx, edi; " LEAF,
	  "SP004 2..3 rbx=same / it is another value\n1 of 2, 1 mismatch" },
	{ "the number of a register that is cleared", "same_value rbp; xor ebp, ebp; " LEAF,
	  "SP004 2..3 rbp=same / it is 0\n1 of 2, 1 mismatch" },
	{ "a copy brought back",
	  "mov rax, rbx; register rbx, rax; xor ebx, ebx; mov rbx, rax; same_value rbx; " LEAF,
	  "4 of 4, 1 proven" },
	{ "a frame pointer",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; sub rsp, rdi; call g@PLT; "
	  "leave; cfa rsp, 8; " LEAF,
	  "6 of 6, 1 proven" },
	{ "a frame pointer declared too early",
	  "push rbp; cfa 16; offset rbp, -16; cfa rbp; mov rbp, rsp; leave; cfa rsp, 8; " LEAF,
	  "SP001 1..4 cfa=rbp+16 / cfa=rsp+16\n3 of 4, 1 mismatch" },
	{ "a number that is extended by its sign",
	  "mov eax, -16; cdqe; add rsp, rax; cfa 24; mov ecx, -8; movsxd rdx, ecx; add rsp, rdx; "
	  "cfa 32; mov ecx, 24; movsxd rcx, ecx; add rsp, rcx; cfa 8; " LEAF,
	  "10 of 10, 1 proven" },
	{ "a CFA by what a call's argument points to accuses nobody",
	  "xor eax, eax; cfa rdi, 8; " LEAF, "1 of 2, 1 unproven value_unknown" },
	{ "a register declared lost", "undefined rbx; xor eax, eax; " LEAF,
	  "SP010 0..3 rbx=undefined / this frame still has it\n0 of 2, 1 mismatch" },
	{ "a register declared to be the address where it is",
	  "push rbx; cfa 16; val_offset rbx, -16; pop rbx; cfa 8; same_value rbx; " LEAF,
	  "SP003 1..2 rbx=v-16 / there is the caller's rbx\n2 of 3, 1 mismatch" },
	{ "code that goes on behind its FDE", "xor eax, eax; endproc; h: ret; k: startproc; ret",
	  "SP006 2..3 no FDE covers it / it is a function, or something leads there\n2 of 2, 2 "
	  "proven" },
	{ "a stack that is aligned, with the CFA in a word of it",
	  "lea r10, [rsp+8]; cfa r10, 0; and rsp, -32; push [r10-8]; push rbp; mov rbp, rsp; "
	  "escape 0x10,6,2,0x76,0; push r10; escape 0x0f,3,0x76,0x78,0x06; sub rsp, 40; call "
	  "g@PLT; mov r10, [rbp-8]; cfa r10, 0; leave; restore rbp; lea rsp, [r10-8]; "
	  "cfa rsp, 8; " LEAF,
	  "12 of 12, 1 proven" },
	{ "a word that is counted from the caller's register, of one that is here",
	  "push rbp; cfa 16; escape 0x10,6,2,0x76,0; mov rbp, rsp; pop rbp; cfa 8; " LEAF,
	  "SP003 1..4 rbp=exp(breg6+0) / it is in rbp, and that word counts from the caller's rbp\n"
	  "SP003 5..6 rbp=exp(breg6+0) / it is in rbp, and that word counts from the caller's rbp\n"
	  "2 of 4, 1 mismatch" },
	{ "a word that is counted from the caller's register, of one that is not",
	  "push rbx; cfa 16; escape 0x10,3,2,0x76,0; mov rbx, rdi; pop rbx; cfa 8; "
	  "restore rbx; " LEAF,
	  "SP003 1..4 rbx=exp(breg6+0) / it is in rbx, and that word counts from the caller's rbp\n"
	  "2 of 4, 1 mismatch" },
	{ "a register saved in a word that is counted from an aligned CFA",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; and rsp, -64; sub rsp, 64; "
	  "mov [rsp+8], rbx; escape 0x10,3,0x0e,0x38,0x1c,0x0d,0xc0,0xff,0xff,0xff; escape "
	  "0x1a,0x0d,0xc8,0xff,0xff,0xff,0x22; xor ebx, ebx; mov rbx, [rsp+8]; restore rbx; leave; "
	  "cfa rsp, 8; " LEAF,
	  "9 of 9, 1 proven" },
	{ "counted from another paragraph it is not known",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; and rsp, -64; sub rsp, 64; "
	  "mov [rsp+8], rbx; escape 0x10,3,0x0e,0x48,0x1c,0x0d,0xc0,0xff,0xff,0xff; escape "
	  "0x1a,0x0d,0xc8,0xff,0xff,0xff,0x22; xor ebx, ebx; mov rbx, [rsp+8]; restore rbx; leave; "
	  "cfa rsp, 8; " LEAF,
	  "7 of 9, 1 unproven value_unknown" },
	{ "room made behind a call that touches it, whose size it leaves in rax",
	  "mov eax, 0x2008; call 5f; sub rsp, rax; cfa 0x2010; add rsp, 0x2008; cfa 8; "
	  "ret; " SECOND(5) "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; mov r11, "
			    "rax; 1: sub rsp, 0x1000; test [rsp+8], rsp; sub r11, 0x1000; "
			    "cmp r11, 0x1000; ja 1b; leave; cfa rsp, 8; " LEAF,
	  "15 of 15, 2 proven" },
	{ "room of a size that the call may have changed",
	  "mov eax, 0x2008; call 5f; sub rsp, rax; cfa 0x2010; add rsp, 0x2008; cfa 8; "
	  "ret; " SECOND(5) "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; mov r11, "
			    "rax; 1: sub rsp, 0x1000; test [rsp+8], rsp; sub r11, 0x1000; "
			    "cmp r11, 0x1000; ja 1b; mov eax, 1; leave; cfa rsp, 8; " LEAF,
	  "14 of 16, 1 proven, 1 unproven value_unknown" },
	{ "room made in steps, to a register's address",
	  "lea r11, [rsp-0x3000]; cfa r11, 0x3008; 1: sub rsp, 0x1000; or qword ptr [rsp], 0; "
	  "cmp rsp, r11; jne 1b; cfa rsp; mov rax, [rsp]; add rsp, 0x3000; cfa 8; " LEAF,
	  "8 of 8, 1 proven" },
	{ "an addition moved before a branch, its directive not",
	  "push rbx; cfa 16; offset rbx, -16; sub rsp, 16; cfa 32; call g@PLT; add rsp, 16; "
	  "test al, al; je 1f; cfa 16; pop rbx; cfa 8; ret; 1: cfa 16; pop rbx; cfa 8; " LEAF,
	  "SP001 14..18 cfa=rsp+32 / cfa=rsp+16\n8 of 10, 1 mismatch" },
	{ "two ways that differ: the one that is wrong is named",
	  "test edi, edi; je 1f; push rax; cfa 16; cfa 8; 1: nop; xor eax, eax; " LEAF,
	  "SP001 5..5 from 4 cfa=rsp+8 / cfa=rsp+16\n3 of 6, 1 mismatch" },
	{ "padding before another block's row: what is never reached falls into it",
	  "test edi, edi; je 2f; push rax; cfa 16; test esi, esi; jne 1f; pop rax; cfa 8; ret; "
	  "2: test edx, edx; je 3f; nop; cfa 16; 1: pop rax; cfa 8; 3: xor eax, eax; " LEAF,
	  "13 of 13, 1 proven" },
	{ "behind a call that never returns another block begins",
	  "test edi, edi; je 1f; push rax; cfa 16; call g@PLT; cfa 8; 1: xor eax, eax; " LEAF,
	  "4 of 6, 1 unproven behind_call" },
	{ "the same with padding",
	  "test edi, edi; je 1f; push rax; cfa 16; call g@PLT; nop; cfa 8; 1: xor eax, eax; " LEAF,
	  "6 of 7, 1 unproven behind_call" },
	{ "a jump behind such a call is none of the program's",
	  "test edi, edi; je 1f; push rax; cfa 16; call g@PLT; jmp 1f; cfa 8; "
	  "1: xor eax, eax; " LEAF,
	  "5 of 7, 1 unproven behind_call" },
	{ "behind such a call, and nothing else leads there",
	  "push rax; cfa 16; call g@PLT; cfa 8; xor eax, eax; " LEAF,
	  "2 of 4, 1 unproven behind_call" },
	{ "a name that is known never to return", "push rax; cfa 16; call abort@PLT; ud2",
	  "2 of 2, 1 proven" },
	{ "a jump table with a comparison",
	  "push rbx; cfa 16; offset rbx, -16; mov ebx, edi; cmp edi, 1; ja 1f; mov edi, edi; lea "
	  "rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; 2: mov eax, 5; "
	  "1: pop rbx; cfa 8; ret; .section .rodata; 9: .long 2b-9b, 1b-9b; .text",
	  "12 of 12, 1 proven" },
	{ "a jump table without one ends where it leaves the function",
	  "push rbx; cfa 16; offset rbx, -16; mov ebx, [rdi]; lea rdx, 9f[rip]; movsxd rax, dword "
	  "ptr [rdx+rbx*4]; add rax, rdx; jmp rax; 2: mov eax, 5; 1: pop rbx; cfa 8; ret; "
	  ".section .rodata; 9: .long 2b-9b, 1b-9b, 0x7fffffff; .text",
	  "9 of 9, 1 proven" },
	{ "an entry of it that leads behind the function is a case that never happens",
	  "push rbx; cfa 16; offset rbx, -16; mov ebx, [rdi]; lea rdx, 9f[rip]; movsxd rax, dword "
	  "ptr [rdx+rbx*4]; add rax, rdx; jmp rax; 2: mov eax, 5; ud2; 1: pop rbx; cfa 8; ret; "
	  "8: .section .rodata; 9: .long 2b-9b, 8b-9b, 1b-9b, 0x7fffffff; .text",
	  "10 of 10, 1 proven" },
	{ "the same with a comparison",
	  "push rbx; cfa 16; offset rbx, -16; mov ebx, edi; cmp edi, 2; ja 1f; mov edi, edi; lea "
	  "rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; 2: mov eax, 5; "
	  "1: pop rbx; cfa 8; ret; 8: .section .rodata; 9: .long 2b-9b, 8b-9b, 1b-9b; .text",
	  "12 of 12, 1 proven" },
	{ "a comparison that is another one's does not say how long the table is",
	  "push rbx; cfa 16; offset rbx, -16; mov ebx, edi; cmp edi, 2; ja 1f; mov edi, edi; lea "
	  "rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; 2: mov eax, 5; "
	  "1: pop rbx; cfa 8; ret; " SECOND(
		  g) "push rax; cfa 16; push rax; cfa 24; 3: nop; xor eax, eax; add rsp, 16; "
		     "cfa 8; ret; .section .rodata; 9: .long 2b-9b, 1b-9b, 3b-9b; .text",
	  "18 of 18, 2 proven" },
	{ "of a comparison's values some went another way since: the table ends where another "
	  "begins",
	  "push rbx; cfa 16; offset rbx, -16; mov ebx, edi; cmp ebx, 3; ja 1f; lea rdx, 8f[rip]; "
	  "movsxd rax, dword ptr [rdx+rbx*4]; add rax, rdx; jmp rax; 2: xor ecx, ecx; lea rdx, "
	  "7f[rip]; movsxd rax, dword ptr [rdx+rbx*4]; add rax, rdx; jmp rax; 3: mov eax, 5; "
	  "1: pop rbx; cfa 8; ret; .section .rodata; 7: .long 3b-7b, 1b-7b; "
	  "8: .long 2b-8b, 2b-8b, 3b-8b, 3b-8b; .text",
	  "16 of 16, 1 proven" },
	{ "a jump that goes nobody knows where",
	  "push rbx; cfa 16; offset rbx, -16; jmp [rdi]; pop rbx; cfa 8; " LEAF,
	  "1 of 4, 1 unproven jump_unknown" },
	{ "such a jump may lead to what others lead to as well: rows that are not the jump's are "
	  "unproven",
	  "test edi, edi; je 1f; push rdi; cfa 16; jmp [rsi]; cfa 8; 1: xor eax, eax; " LEAF,
	  "1 of 6, 1 unproven jump_unknown" },
	{ "rows that are the jump's stay proven",
	  "push rbx; cfa 16; offset rbx, -16; mov ebx, edi; test edi, edi; je 1f; jmp [rsi]; "
	  "1: xor eax, eax; pop rbx; cfa 8; " LEAF,
	  "6 of 8, 1 unproven jump_unknown" },
	{ "of two such jumps what both have counts",
	  "push rbx; cfa 16; offset rbx, -16; test edi, edi; je 1f; jmp [rsi]; 1: push rdi; "
	  "cfa 24; jmp [rsi]",
	  "0 of 6, 1 unproven jump_unknown" },
	{ "in place of a call: it leads to another function",
	  "test edi, edi; je 1f; jmp [rsi]; 1: push rax; cfa 16; pop rax; cfa 8; " LEAF,
	  "6 of 6, 1 proven" },
	{ "code behind a jump that nothing leads to",
	  "push rax; cfa 16; pop rax; cfa 8; ret; xor eax, eax; " LEAF,
	  "3 of 5, 1 unproven not_reached" },
	{ "padding is neither proven nor missing",
	  "push rax; cfa 16; pop rax; cfa 8; ret; nop; int3; ud2", "3 of 3, 1 proven" },
	{ "to know where it is: no call", "call 1f; 1: cfa 16; pop rax; cfa 8; " LEAF,
	  "3 of 3, 1 proven" },
	{ "the end of the stack, in a function that returns", "undefined rip; " LEAF,
	  "SP002 0..1 ra=undefined / there is the return address\n0 of 1, 1 mismatch" },
	{ "the end of the stack, where nothing returns",
	  "undefined rip; xor ebp, ebp; call g@PLT; hlt", "0 of 3, 1 unproven rule_unknown" },
	{ "the end of the stack, in one that goes on in another such function",
	  "undefined rip; jmp h; fde h; undefined rip; hlt", "0 of 2, 2 unproven rule_unknown" },
	{ "the end of the stack, in one whose caller another returns to",
	  "undefined rip; jmp h; fde h; " LEAF,
	  "SP002 0..2 ra=undefined / there is the return address\n1 of 2, 1 mismatch, 1 proven" },
	{ "the end of the stack, beside a way that returns",
	  "mov eax, 56; syscall; test eax, eax; je 1f; ret; 1: undefined rip; xor ebp, ebp; "
	  "call g@PLT; hlt",
	  "3 of 8, 1 unproven value_unknown" },
	{ "a return address moved", "pop rax; cfa 0; register rip, rax; jmp rax",
	  "2 of 2, 1 proven" },
	{ "a return address overwritten", "mov [rsp], rdi; xor eax, eax; " LEAF,
	  "SP002 4..7 ra=c-8 / there is the caller's rdi\n1 of 3, 1 mismatch" },
	{ "a return address in two halves", "nop; escape 0x10,16,2,0x77,4; xor eax, eax; " LEAF,
	  "SP002 1..4 ra=exp(breg7+4) / there is another value\n1 of 3, 1 mismatch" },
	{ "a state that was never remembered",
	  "push rbx; cfa 16; offset rbx, -16; mov ebx, edi; escape 0x0b; pop rbx; cfa 8; " LEAF,
	  "SP011 3..5 no remembered state to restore / no row from here on\n"
	  "2 of 4, 1 unproven malformed" },
	{ "half of a CFA that hangs on no register, and that a row hangs on",
	  "escape 0x0f, 2, 0x77, 8; nop; cfa 8; nop; cfa rsp, 8; " LEAF,
	  "SP011 1..3 half of a CFA rule is changed where there is none / no row from here on\n"
	  "1 of 3, 1 unproven malformed" },
	{ "one that another rule replaces",
	  "escape 0x0f, 2, 0x77, 8; nop; cfa 16; escape 0x0f, 2, 0x77, 8; nop; " LEAF,
	  "3 of 3, 1 proven" },
	{ "an instruction of another machine accuses nobody",
	  "nop; escape 0x2d; xor eax, eax; " LEAF, "1 of 3, 1 unproven malformed" },
	{ "a row that begins inside an instruction",
	  ".byte 0xb8; remember_state; .byte 1; cfa 16; .byte 0, 0, 0; cfa 8; " LEAF,
	  "SP007 0..5 a row begins at 0x2 / the instruction has 5 bytes from 0x0\n1 of 2, 1 "
	  "mismatch" },
	{ "what a vector register or a mask writes is not known, and accuses nobody",
	  "push rbx; cfa 16; offset rbx, -16; movups [rsp-8], xmm0; pop rbx; cfa 8; " LEAF,
	  "2 of 4, 1 unproven value_unknown" },
	{ "a register saved by way of a vector register",
	  "sub rsp, 8; cfa 16; movq xmm0, rbx; movq [rsp], xmm0; offset rbx, -16; xor ebx, ebx; "
	  "mov rbx, [rsp]; add rsp, 8; cfa 8; " LEAF,
	  "3 of 7, 1 unproven value_unknown" },
	{ "a probe writes nothing",
	  "push rbx; cfa 16; offset rbx, -16; xor qword ptr [rsp], 0; and qword ptr [rsp], -1; "
	  "pop rbx; cfa 8; " LEAF,
	  "5 of 5, 1 proven" },
	{ "as many bytes as a number says",
	  "push rbx; cfa 16; offset rbx, -16; lea rdi, [rsp-8]; mov ecx, 2; xor eax, eax; "
	  "rep stosq; pop rbx; cfa 8; " LEAF,
	  "4 of 7, 1 unproven value_unknown" },
	{ "a call by hand is another function's affair",
	  "sub rsp, 8; cfa 16; lea rax, 1f[rip]; push rax; cfa 24; jmp g@PLT; 1: cfa 16; "
	  "add rsp, 8; cfa 8; " LEAF,
	  "4 of 6, 1 unproven not_reached" },
	{ "a barrier writes nothing",
	  "push rbx; cfa 16; offset rbx, -16; lock or qword ptr [rsp], 0; pop rbx; cfa 8; " LEAF,
	  "4 of 4, 1 proven" },
	{ "a saved word that is overwritten",
	  "push rbx; cfa 16; offset rbx, -16; mov dword ptr [rsp], 0; pop rbx; cfa 8; " LEAF,
	  "SP003 8..9 rbx=c-16 / there is another value\n2 of 4, 1 mismatch" },
	{ "one that the code has no more: nobody knows where it is, and perhaps nobody comes there",
	  "push rbx; cfa 16; offset rbx, -16; mov ebx, edi; mov dword ptr [rsp], 0; nop; pop rbx; "
	  "cfa 8; " LEAF,
	  "3 of 6, 1 unproven not_kept" },
	{ "what lies below rsp is a called function's",
	  "push rbx; cfa 16; offset rbx, -16; pop rbx; cfa 8; call g@PLT; " LEAF,
	  "3 of 4, 1 unproven behind_call" },
	{ "a register kept in a vector register is not followed, and accuses nobody",
	  "movq xmm0, rbx; mov rbx, rdi; undefined rbx; movq rbx, xmm0; same_value rbx; " LEAF,
	  "3 of 4, 1 unproven value_unknown" },
	{ "a variable that a called function may have changed is no known address",
	  "push rbx; cfa 16; offset rbx, -16; sub rsp, 32; cfa 48; mov rdi, rsp; mov [rsp+8], rsp; "
	  "call g@PLT; mov rdx, [rsp+8]; mov [rdx+32], rax; add rsp, 32; cfa 16; pop rbx; "
	  "cfa 8; " LEAF,
	  "10 of 10, 1 proven" },
	{ "but what it puts back to rsp it has kept for itself",
	  "push rbp; cfa 16; offset rbp, -16; mov [rsp-8], rsp; mov rsp, [rsp-8]; mov [rsp], rdi; "
	  "pop rbp; cfa 8; " LEAF,
	  "SP003 15..17 rbp=c-16 / there is the caller's rdi\n4 of 6, 1 mismatch" },
	{ "a part of it elsewhere, with its own FDE",
	  "push rbx; cfa 16; offset rbx, -16; test edi, edi; jne f_cold; 1: pop rbx; cfa 8; ret; "
	  "fde f_cold; cfa 16; offset rbx, -16; mov eax, 1; jmp 1b",
	  "7 of 7, 2 proven" },
	{ "the same with another CFA there",
	  "push rbx; cfa 16; offset rbx, -16; test edi, edi; jne f_cold; 1: pop rbx; cfa 8; ret; "
	  "fde f_cold; cfa 24; offset rbx, -16; mov eax, 1; jmp 1b",
	  "SP001 7..14 cfa=rsp+24 / cfa=rsp+16\n5 of 7, 1 mismatch, 1 proven" },
	{ "a fragment belongs to whoever has the frame that its first row says",
	  TWO_TO_COLD "cfa 24; mov eax, 1; jmp 1b", "14 of 14, 3 proven" },
	{ "if nobody has, to the function that it leads back to",
	  TWO_TO_COLD "cfa 32; mov eax, 1; jmp 1b",
	  "SP001 16..23 cfa=rsp+32 / cfa=rsp+24\n12 of 14, 1 mismatch, 2 proven" },
	{ "if it leads back to nobody, nobody is accused", TWO_TO_COLD "cfa 32; mov eax, 1; ud2",
	  "12 of 13, 2 proven, 1 unproven no_entry" },
	{ "what a compiler holds to be unreachable falls into another function's fragment",
	  "push rbx; cfa 16; offset rbx, -16; test edi, edi; je 1f; pop rbx; cfa 8; ret; "
	  "1: cfa 16; mov eax, 1; " SECOND(g_cold) "cfa 24; mov eax, 1; ud2",
	  "6 of 7, 1 proven, 1 unproven no_entry" },
	{ "a fragment that nothing leads to", LEAF "fde f_cold; cfa 24; mov eax, 1; ud2",
	  "1 of 2, 1 proven, 1 unproven no_entry" },
	{ "where another function's fragment begins is the end of what compilers jump to",
	  "sub rsp, 24; cfa 32; cmp edi, 1; ja g.cold; add rsp, 24; cfa 8; ret; endproc; "
	  ".type g.cold, @function; g.cold: startproc; xor eax, eax; ud2",
	  "7 of 7, 2 proven" },
	{ "a fragment that is named so, and begins with a function's row",
	  "sub rsp, 24; cfa 32; cmp edi, 1; ja f.cold; add rsp, 24; cfa 8; ret; endproc; "
	  ".type f.cold, @function; f.cold: startproc; xor eax, eax; ud2",
	  "SP001 14..18 cfa=rsp+8 / cfa=rsp+32\n5 of 7, 1 mismatch, 1 proven" },
	{ "one that is called begins with another function's row",
	  "push rax; cfa 16; call h; pop rax; cfa 8; ret; fde h; cfa 16; xor eax, eax; cfa 8; ret",
	  "SP005 8..10 cfa=rsp+16 / cfa=rsp+8\n5 of 6, 1 mismatch, 1 proven" },
	{ "code that is called and has no FDE",
	  "push rax; cfa 16; call h; pop rax; cfa 8; ret; endproc; h: ret; k: startproc; ret",
	  "SP006 8..9 no FDE covers it / it is a function, or something leads there\n5 of 5, 2 "
	  "proven" },
	{ "zeros between functions are no code",
	  "push rax; cfa 16; test edi, edi; jne 1f; pop rax; cfa 8; ret; 1: endproc; .byte 0, 0; "
	  "k: startproc; ret",
	  "6 of 6, 2 proven" },
	{ "a call behind an entry that may be none of a jump table's accuses nobody",
	  "mov ecx, [rdi]; lea rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rcx*4]; add rax, rdx; jmp "
	  "rax; 2: push rax; cfa 16; call h; pop rax; cfa 8; ret; endproc; h: ret; k: startproc; "
	  "ret; .section .rodata; 9: .long 2b-9b, 0x7fffffff; .text",
	  "10 of 10, 2 proven" },
	{ "what calls its caller on another stack comes to behind the return", SPLIT("__morestack"),
	  "10 of 10, 2 proven" },
	{ "what does not, doesn't", SPLIT("more"), "9 of 10, 1 proven, 1 unproven not_reached" },
	{ "bytes that are no instruction", "push rax; cfa 16; .byte 0x06; pop rax; cfa 8; " LEAF,
	  "1 of 4, 1 unproven undecoded" },
};

START_TEST(a_function_is_judged)
{
	judge_function(&lint_cases[_i]);
}
END_TEST

/* Of more words than have room nothing changes any more: else two of a loop's blocks wake each other for
 * ever. */
START_TEST(full_states_come_to_rest)
{
	struct flow_state a, b;

	flow_state_enter(&a);
	flow_state_enter(&b);
	for (int i = 0; i < 2 * FLOW_WORDS_MAX; i++) {
		struct value at = { .kind = VALUE_CFA, .number = -16 - 8 * i };
		struct value value = { .kind = VALUE_ENTRY, .reg = REGISTER_RDI };

		flow_word_write(i % 2 ? &a : &b, &at, 8, value);
	}
	ck_assert(a.words_lost && b.words_lost);
	ck_assert(flow_state_join(&a, &b));
	ck_assert(!flow_state_join(&a, &b));
	ck_assert(flow_state_join(&b, &a));
	ck_assert(!flow_state_join(&b, &a));
}
END_TEST

START_TEST(ids_are_found_by_name)
{
	ck_assert_int_eq(lint_id_find("SP001"), LINT_CFA);
	ck_assert_int_eq(lint_id_find("sp009"), LINT_SEARCH_TABLE);
	ck_assert_int_eq(lint_id_find("SP014"), LINT_NONE);
	ck_assert_int_eq(lint_id_find(""), LINT_NONE);
	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++)
		ck_assert_int_eq(lint_id_find(lint_ids[i].name), i);
}
END_TEST

SUITE(lint, GROUP(functions), LOOP(a_function_is_judged, lint_cases), GROUP(ids),
      TEST(ids_are_found_by_name), TEST(full_states_come_to_rest))
