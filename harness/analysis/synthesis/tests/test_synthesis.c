/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis.c - functions in assembly without directives, and those that they should have
 *
 * A case is assembled and linked into a shared object; its function f begins the text. What is expected
 * are f's directives as synthesis_directives() says them, without the line of its name. Then the rows are
 * written as a section, and our reader must find each of them in it, and none elsewhere; and lint, which
 * holds it against the code once more, must find nothing wrong.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "synthesis_fixture.h"

#define END	     "	.size f, .-f\n"
#define JUMP_BY(reg) "	.type f, @function\nf:	inc eax\n	jmp " reg "\n" END
#define PROC	     "	.cfi_startproc\n"

/* f keeps a frame pointer, and writes to the room that is made; and its rows, for where it takes the frame down. */
#define ROOM(call, h)                                                                              \
	"f:	push rbp\n	mov rbp, rsp\n	" call                                             \
	"\n	mov [rsp], rdi\n	leave\n	ret\n" END "h:	" h
#define ROOM_ROWS(leave, end)                                                                      \
	PROC "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n"                                         \
	     "	# +0x1 mov rbp, rsp\n	.cfi_def_cfa_register rbp\n	.cfi_offset rbp, -16\n"           \
	     "	# +0x" leave " leave\n	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n	# +0x" end \
	     "\n	.cfi_endproc\n"

/* clang-format off */
static const struct synthesis_case {
	const char *rule, *assembly, *expected;
} synthesis_cases[] = {
	{ "nothing moves", "f:	xor eax, eax\n	ret\n" END,
	  PROC "	# +0x3\n	.cfi_endproc\n" },
	{ "a push, and a register that is overwritten",
	  "f:	push rbx\n	mov rbx, rdi\n	call g@PLT\n	pop rbx\n	ret\n" END,
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1 mov rbx, rdi\n	.cfi_offset rbx, -16\n"
	  "	# +0x9 pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"
	  "	# +0xb\n	.cfi_endproc\n" },
	{ "room that is made and given back",
	  "f:	sub rsp, 40\n	call g@PLT\n	add rsp, 40\n	ret\n" END,
	  PROC "	# +0x0 sub rsp, 0x28\n	.cfi_def_cfa_offset 48\n"
	  "	# +0x9 add rsp, 0x28\n	.cfi_def_cfa_offset 8\n	# +0xe\n	.cfi_endproc\n" },
	{ "a frame pointer, and room of a size that is computed",
	  "f:	push rbp\n	mov rbp, rsp\n	sub rsp, rdi\n	call g@PLT\n	leave\n	ret\n" END,
	  PROC "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1 mov rbp, rsp\n	.cfi_def_cfa_register rbp\n	.cfi_offset rbp, -16\n"
	  "	# +0xc leave\n	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n"
	  "	# +0xe\n	.cfi_endproc\n" },
	{ "what is pushed behind an unknown addition to rsp overwrites any word",
	  "f:	push rbp\n	mov rbp, rsp\n	push rbx\n	xor ebx, ebx\n	xadd rsp, r10\n	push rax\n	nop\n	lea rsp, [rbp-8]\n"
	  "	pop rbx\n	pop rbp\n	ret\n" END, "	# no row for 5 (the return address is not in the frame)\n"
	  PROC "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1 mov rbp, rsp\n	.cfi_def_cfa_register rbp\n	.cfi_offset rbp, -16\n"
	  "	# +0x5 xor ebx, ebx\n	.cfi_offset rbx, -24\n	# +0xc\n	.cfi_endproc\n" },
	{ "between the rounds of a string instruction a word is overwritten in part",
	  "f:	mov [rsp-16], rbx\n	xor ebx, ebx\n	lea rdi, [rsp-24]\n	mov ecx, 2\n"
	  "	rep stosq\n	nop\n	ret\n" END,
	  PROC "	# +0x5 xor ebx, ebx\n	.cfi_offset rbx, -24\n"
	  "	# +0xc mov ecx, 0x02\n	.cfi_undefined rbx\n	# +0x16\n	.cfi_endproc\n" },
	{ "a word of 16 bits is pushed into another",
	  "f:	mov r11, rsp\n	push rbx\n	xor ebx, ebx\n	pop rax\n	pushw 0\n	nop\n"
	  "	mov rsp, r11\n	ret\n" END,
	  PROC "	# +0x3 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x4 xor ebx, ebx\n	.cfi_offset rbx, -16\n"
	  "	# +0x6 pop rax\n	.cfi_def_cfa_offset 8\n"
	  "	# +0x7 push 0x00\n	.cfi_def_cfa_offset 10\n	.cfi_register rbx, rax\n"
	  "	# +0xb mov rsp, r11\n	.cfi_def_cfa_offset 8\n	# +0xf\n	.cfi_endproc\n" },
	{ "padding inside has the row before it, and a call that never returns ends its way",
	  "f:	test edi, edi\n	je 1f\n	push rax\n	call abort@PLT\n	nop\n"
	  "1:	ret\n" END,
	  PROC "	# +0x4 push rax\n	.cfi_def_cfa_offset 16\n"
	  "	# +0xa nop\n	.cfi_def_cfa_offset 8\n	# +0xc\n	.cfi_endproc\n" },
	{ "the same of a call whose code never returns",
	  "f:	test edi, edi\n	je 1f\n	push rax\n	call h\n1:	ret\n" END
	  "h:	jmp h\n",
	  PROC "	# +0x4 push rax\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x5 call 0xb\n	.cfi_def_cfa_offset 8\n	# +0xb\n	.cfi_endproc\n" },
	{ "a callee that comes back without a register",
	  "f:	mov r14, rbp\n	sub rsp, 8\n	call h\n	mov rbp, r14\n	add rsp, 8\n	ret\n" END
	  "h:	xor ebp, ebp\n	ret\n", PROC "	# +0x0 mov r14, rbp\n	.cfi_undefined r14\n	# +0x3 sub rsp, 0x08\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x7 call 0x14\n	.cfi_register rbp, r14\n	# +0xc mov rbp, r14\n	.cfi_restore rbp\n"
	  "	# +0xf add rsp, 0x08\n	.cfi_def_cfa_offset 8\n	# +0x14\n	.cfi_endproc\n" },
	{ "a jump past a lock prefix leads to an instruction inside another",
	  "f:	test edi, edi\n	je 1f\n	.byte 0xf0\n1:	inc dword ptr [rsi]\n	ret\n" END,
	  PROC "	# +0x8\n	.cfi_endproc\n" },
	{ "behind a call of who makes room the frame is where a frame pointer says",
	  ROOM("call h", "pop rcx\n	sub rsp, rax\n	jmp rcx\n"), ROOM_ROWS("d", "f") },
	{ "or who copies the return address down",
	  ROOM("call h", "mov rcx, rsp\n	sub rcx, rax\n	mov rax, rsp\n	mov rsp, rcx\n	mov rax, [rax]\n	mov [rsp], rax\n	ret\n"), ROOM_ROWS("d", "f") },
	{ "or pushes it from memory",
	  ROOM("call h", "lea rcx, [rsp+8]\n	sub rcx, rax\n	mov rdx, rsp\n	mov rsp, rcx\n	push [rdx]\n	ret\n"), ROOM_ROWS("d", "f") },
	{ "or jumps by it where it is read",
	  ROOM("call h", "mov rcx, [rsp]\n	neg rax\n	lea rsp, [rsp+rax+8]\n	jmp rcx\n"), ROOM_ROWS("d", "f") },
	{ "or has put it where nobody looks",
	  ROOM("call h", "mov rcx, [rsp]\n	mov rdx, rsp\n	sub rdx, [rdi]\n	mov rsp, rdx\n	mov [rdx], rcx\n	ret\n"), ROOM_ROWS("d", "f") },
	{ "or is called by a register",
	  ROOM("lea rdx, h[rip]\n	call rdx", "pop rcx\n	sub rsp, rax\n	jmp rcx\n"), ROOM_ROWS("11", "13") },
	{ "or by a pointer",
	  ROOM("mov rdx, [rdi]\n	call rdx", "pop rcx\n	sub rsp, rax\n	jmp rcx\n"), ROOM_ROWS("d", "f") },
	{ "what eight bits of rsp are equal to is not where it is",
	  "f:	mov rax, rsp\n	sub rsp, rdi\n2:	add rsp, 8\n	cmp spl, al\n	jne 2b\n	nop\n	nop\n	ret\n" END,
	  PROC "	# +0x3 sub rsp, rdi\n	.cfi_def_cfa_register rax\n	# +0x12\n	.cfi_endproc\n" },
	{ "what all of it is equal to is",
	  "f:	mov rax, rsp\n	sub rsp, rdi\n2:	add rsp, 8\n	cmp rsp, rax\n	jne 2b\n	nop\n	nop\n	ret\n" END,
	  PROC "	# +0x3 sub rsp, rdi\n	.cfi_def_cfa_register rax\n	# +0xd jnz 0x1e1\n"
	  "	.cfi_def_cfa_register rsp\n	# +0x12\n	.cfi_endproc\n" },
	{ "where nobody makes room a pointer's call leaves rsp as it is",
	  "f:	push rbx\n	call rdx\n	pop rbx\n	ret\n" END,
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3 pop rbx\n	.cfi_def_cfa_offset 8\n"
	  "	# +0x5\n	.cfi_endproc\n" },
	{ "what goes back by a register has its return address there, perhaps",
	  "	.type f, @function\nf:	inc eax\n	jmp r11\n" END,
	  "	# no row for 2 (nothing calls it, and it does not return)\n" },
	{ "not if it is called",
	  "	.type f, @function\nf:\n5:	inc eax\n	jmp r11\n" END
	  "	.type h, @function\nh:	call 5b\n	ret\n",
	  PROC "	# +0x5\n	.cfi_endproc\n" },
	{ "nor if it returns",
	  "	.type f, @function\nf:	test eax, eax\n	je 1f\n	jmp r11\n1:	ret\n" END,
	  PROC "	# +0x8\n	.cfi_endproc\n" },
	{ "nor by an argument: rdi", JUMP_BY("rdi"), PROC "	# +0x4\n	.cfi_endproc\n" },
	{ "nor by an argument: rsi", JUMP_BY("rsi"), PROC "	# +0x4\n	.cfi_endproc\n" },
	{ "nor by an argument: rdx", JUMP_BY("rdx"), PROC "	# +0x4\n	.cfi_endproc\n" },
	{ "nor by an argument: rcx", JUMP_BY("rcx"), PROC "	# +0x4\n	.cfi_endproc\n" },
	{ "nor by an argument: r8", JUMP_BY("r8"), PROC "	# +0x5\n	.cfi_endproc\n" },
	{ "nor by an argument: r9", JUMP_BY("r9"), PROC "	# +0x5\n	.cfi_endproc\n" },
	{ "behind a call that perhaps never returns the way that is surer counts",
	  "f:	test edi, edi\n	je 1f\n	push rax\n	call [rdi]\n1:	ret\n" END,
	  PROC "	# +0x4 push rax\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x5 call [rdi]\n	.cfi_def_cfa_offset 8\n	# +0x8\n	.cfi_endproc\n" },
	{ "of two ways that differ neither counts",
	  "f:	test edi, edi\n	je 1f\n	push rax\n1:	nop\n	ret\n" END,
	  "	# no row for 2 (no register leads to the CFA)\n" PROC "	# +0x5\n	.cfi_endproc\n" },
	{ "nor where one of them comes from a system call that is not known",
	  "f:	test edi, edi\n	je 1f\n	push rax\n	syscall\n1:	nop\n	ret\n" END,
	  "	# no row for 2 (no register leads to the CFA)\n"
	  PROC "	# +0x4 push rax\n	.cfi_def_cfa_offset 16\n	# +0x7\n	.cfi_endproc\n" },
	{ "a jump table with a comparison",
	  "f:	push rbx\n	cmp edi, 1\n	ja 1f\n	mov edi, edi\n"
	  "	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n"
	  "	jmp rax\n2:	mov eax, 5\n1:	pop rbx\n	ret\n" END
	  "	.section .rodata\n9:	.long 2b-9b, 1b-9b\n	.text\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1d pop rbx\n	.cfi_def_cfa_offset 8\n	# +0x1f\n	.cfi_endproc\n" },
	{ "one without, where the frame is the same at all such jumps",
	  "f:	push rbx\n	mov edi, [rdi]\n	lea rdx, 9f[rip]\n"
	  "	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n	jmp rax\n"
	  "2:	mov eax, 5\n1:	pop rbx\n	ret\n" END
	  "	.section .rodata\n9:	.long 2b-9b, 1b-9b, 0x7fffffff\n	.text\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x18 pop rbx\n	.cfi_def_cfa_offset 8\n	# +0x1a\n	.cfi_endproc\n" },
	{ "a jump that leads anywhere may bring another copy than what is taken back from it",
	  "f:	push rbx\n	push r12\n	mov r12, rbx\n	test edi, edi\n	jne 1f\n	mov r12d, 5\n"
	  "	jmp rsi\n1:	xor ebx, ebx\n	test edx, edx\n	je 2f\n	nop\n2:	mov rbx, r12\n"
	  "	nop\n	pop r12\n	pop rbx\n	ret\n" END,
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1 push r12\n	.cfi_def_cfa_offset 24\n"
	  "	# +0x3 mov r12, rbx\n	.cfi_offset r12, -24\n"
	  "	# +0x12 xor ebx, ebx\n	.cfi_offset rbx, -16\n"
	  "	# +0x1d pop r12\n	.cfi_def_cfa_offset 16\n	.cfi_restore r12\n"
	  "	# +0x1f pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n"
	  "	# +0x21\n	.cfi_endproc\n" },
	{ "two without, where it is not",
	  "f:	push rbx\n	mov edi, [rdi]\n	test edi, edi\n	je 3f\n	lea rdx, 9f[rip]\n"
	  "	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n	jmp rax\n"
	  "3:	push rdi\n	lea rdx, 8f[rip]\n	movsxd rax, dword ptr [rdx+rdi*4]\n"
	  "	add rax, rdx\n	jmp rax\n"
	  "1:	pop rdi\n2:	pop rbx\n	ret\n" END
	  "	.section .rodata\n8:	.long 1b-8b\n9:	.long 2b-9b, 0x7fffffff\n	.text\n",
	  "	# no row for 3 (by a jump table's entry that may be none)\n"
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x17 push rdi\n	.cfi_def_cfa_offset 24\n	# +0x28\n	.cfi_endproc\n" },
	{ "a jump that goes nobody knows where",
	  "f:	push rbx\n	jmp [rdi]\n	pop rbx\n	ret\n" END,
	  "	# no row for 2 (behind a jump whose targets are not known)\n"
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3\n	.cfi_endproc\n" },
	{ "a tail call ends the way",
	  "f:	push rbx\n	pop rbx\n	jmp h\n" END "h:	.type h, @function\n	ret\n"
	  "	.size h, .-h\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1 pop rbx\n	.cfi_def_cfa_offset 8\n	# +0x4\n	.cfi_endproc\n" },
	{ "one that is jumped to with a frame, and returns",
	  "f:	push rbx\n	test edi, edi\n	jne h\n	pop rbx\n	ret\n" END
	  "h:	.type h, @function\n	ret\n	.size h, .-h\n",
	  "	# no row for 5 (a way of the function returns with another frame)\nh rsp+8\n" },
	{ "one that is jumped to with a frame, and is called, too",
	  "f:	push rbx\n	test edi, edi\n	jne h\n	pop rbx\n	ret\n" END
	  "h:	.type h, @function\n	jmp [rdi]\n	.size h, .-h\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x5 pop rbx\n	.cfi_def_cfa_offset 8\n	# +0x7\n	.cfi_endproc\n"
	  "h 1 (functions lead there with different frames)\n" },
	{ "behind a call that never returns, and looks as if it did, another begins",
	  "f:	push rbx\n	call [rdi]\n	push rbp\n	pop rbp\n	ret\n" END,
	  "	# no row for 3 (behind a call that may never come back)\n" PROC
	  "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3\n	.cfi_endproc\n" },
	{ "a handler of an interrupt, with an error code",
	  "f:	push rbx\n	call [rdi]\n	pop rbx\n	add rsp, 8\n	iretq\n" END,
	  "	# no row for 5 (nothing calls it, and it does not return)\n" },
	{ "one that never ends is perhaps another handler",
	  "f:	push rbx\n1:	jmp 1b\n" END "h:	.type h, @function\n	iretq\n	.size h, .-h\n",
	  "	# no row for 2 (nothing calls it, and it does not return)\n" },
	{ "unless it is called",
	  "9:\nf:	push rbx\n1:	jmp 1b\n" END
	  "h:	.type h, @function\n	iretq\n	.size h, .-h\n"
	  "k:	.type k, @function\n	call 9b\n	ud2\n	.size k, .-k\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3\n	.cfi_endproc\n" },
	{ "or there are no handlers", "f:	push rbx\n1:	jmp 1b\n" END,
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3\n	.cfi_endproc\n" },
	{ "one that goes on in a handler is one",
	  "f:	push rbx\n	pop rbx\n	jmp h\n" END
	  "h:	.type h, @function\n	iretq\n	.size h, .-h\n",
	  "	# no row for 3 (nothing calls it, and it does not return)\n" },
	{ "nor has a piece of one a row",
	  "f:	push rbx\n	test edi, edi\n	jne f.cold\n1:	jmp 1b\n" END
	  "h:	.type h, @function\n	iretq\n	.size h, .-h\n"
	  "f.cold:	.type f.cold, @function\n	ud2\n	.size f.cold, .-f.cold\n",
	  "	# no row for 4 (nothing calls it, and it does not return)\n" },
	{ "a piece elsewhere has the frame of where it is jumped from",
	  "f:	push rbx\n	test edi, edi\n	jne f.cold\n1:	pop rbx\n	ret\n" END
	  "f.cold:	.type f.cold, @function\n	jmp 1b\n	.size f.cold, .-f.cold\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x5 pop rbx\n	.cfi_def_cfa_offset 8\n	# +0x7\n	.cfi_endproc\n"
	  "f.cold rsp+16\n" },
	{ "a stack that is aligned keeps its CFA in a word",
	  "f:	lea r10, [rsp+8]\n	and rsp, -32\n	push [r10-8]\n	push rbp\n"
	  "	mov rbp, rsp\n	push r10\n	call g@PLT\n	mov r10, [rbp-8]\n	leave\n"
	  "	lea rsp, [r10-8]\n	ret\n" END,
	  PROC "	# +0x5 and rsp, 0xffffffffffffffe0\n	.cfi_def_cfa r10, 0\n"
	  "	# +0xe mov rbp, rsp\n	.cfi_escape 0x10, 0x6, 0x2, 0x76, 0x0	# rbp = *(rbp+0)\n"
	  "	# +0x11 push r10\n	.cfi_escape 0xf, 0x3, 0x76, 0x78, 0x6	# cfa = *(rbp-8)\n"
	  "	# +0x18 mov r10, [rbp-0x08]\n	.cfi_def_cfa r10, 0\n"
	  "	# +0x1c leave\n	.cfi_restore rbp\n"
	  "	# +0x1d lea rsp, [r10-0x08]\n	.cfi_def_cfa rsp, 8\n	# +0x22\n	.cfi_endproc\n" },
	{ "above where the stack was aligned a saved register may be overwritten",
	  "f:	push rbp\n	mov rbp, rsp\n	push rbx\n	and rsp, -16\n	mov r12, rbx\n"
	  "	mov [rsp+8], rdi\n	xor ebx, ebx\n	call g@PLT\n	mov rbx, r12\n	leave\n	ret\n" END,
	  PROC "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1 mov rbp, rsp\n	.cfi_def_cfa_register rbp\n	.cfi_offset rbp, -16\n"
	  "	# +0x9 mov r12, rbx\n	.cfi_undefined r12\n"
	  "	# +0x11 xor ebx, ebx\n	.cfi_register rbx, r12\n"
	  "	# +0x18 mov rbx, r12\n	.cfi_restore rbx\n"
	  "	# +0x1b leave\n	.cfi_def_cfa rsp, 8\n	.cfi_restore rbp\n"
	  "	# +0x1d\n	.cfi_endproc\n" },
	{ "rsp comes from elsewhere, and another register leads to the frame",
	  "f:	mov rbx, rsp\n	mov rsp, [rdi]\n	call g@PLT\n	mov rsp, rbx\n	ret\n" END,
	  PROC "	# +0x0 mov rbx, rsp\n	.cfi_undefined rbx\n"
	  "	# +0x3 mov rsp, [rdi]\n	.cfi_def_cfa_register rbx\n"
	  "	# +0xb mov rsp, rbx\n	.cfi_def_cfa_register rsp\n	# +0xf\n	.cfi_endproc\n" },
	{ "one that points above the CFA",
	  "f:	lea rbx, [rsp+24]\n	mov rsp, [rdi]\n	lea rsp, [rbx-24]\n	ret\n" END,
	  PROC "	# +0x0 lea rbx, [rsp+0x18]\n	.cfi_undefined rbx\n"
	  "	# +0x5 mov rsp, [rdi]\n	.cfi_def_cfa rbx, -16\n"
	  "	# +0x8 lea rsp, [rbx-0x18]\n	.cfi_def_cfa rsp, 8\n	# +0xd\n	.cfi_endproc\n" },
	{ "a call has no register that it may overwrite to lead to the frame",
	  "f:	mov rax, rsp\n	mov rsp, [rdi]\n	call g@PLT\n	ud2\n" END,
	  "	# no row for 2 (no register leads to the CFA)\n"
	  PROC "	# +0x6\n	.cfi_endproc\n" },
	{ "a return address in a register",
	  "f:	pop rdx\n	jmp rdx\n" END,
	  PROC "	# +0x0 pop rdx\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, rdx\n"
	  "	# +0x3\n	.cfi_endproc\n" },
	{ "one that a symbol names, that overwrites what callees preserve, and jumps on",
	  "f:	mov rbx, rdi\n	jmp [rbp]\n" END,
	  "	# no row for 2 (nothing calls it, and it does not return)\n" },
	{ "one that only jumps to such a one",
	  "f:	mov esi, 1\n	jmp h\n" END "h:	.type h, @function\n	mov rbx, rdi\n"
	  "	jmp [rbp]\n	.size h, .-h\n",
	  "	# no row for 2 (nothing calls it, and it does not return)\n"
	  "h 0 (functions lead there with different frames)\n" },
	{ "one that is called",
	  "f:	call h\n	ret\n" END "h:	.type h, @function\n	mov rbx, rdi\n	jmp [rbp]\n"
	  "	.size h, .-h\n",
	  PROC "	# +0x6\n	.cfi_endproc\nh rsp+8\n" },
	{ "one that is overwritten", "f:	mov [rsp], rdi\n	ret\n" END,
	  "	# no row for 1 (the return address is not in the frame)\n"
	  PROC "	# +0x4\n	.cfi_endproc\n" },
	{ "a register that was swapped for another's",
	  "f:	xchg rbx, r12\n	nop\n	xchg rbx, r12\n	ret\n" END,
	  PROC "	# +0x0 xchg rbx, r12\n	.cfi_register rbx, r12\n	.cfi_register r12, rbx\n"
	  "	# +0x4 xchg rbx, r12\n	.cfi_restore rbx\n	.cfi_restore r12\n"
	  "	# +0x8\n	.cfi_endproc\n" },
	{ "behind clone nobody knows whose stack it is",
	  "f:	xor eax, eax\n	mov al, 56\n	syscall\n	ret\n" END,
	  "	# no row for 1 (a new thread goes on there, too)\n"
	  PROC "	# +0x6\n	.cfi_endproc\n" },
	{ "what it returned fragments a new thread, which has no caller, from who called",
	  "f:	mov eax, 56\n	syscall\n	test eax, eax\n	jne 1f\n	mov rsp, rsi\n"
	  "	call [rdi]\n	hlt\n1:	ret\n" END,
	  "	# no row for 2 (a new thread goes on there, too)\n"
	  PROC "	# +0x7\n	.cfi_endproc\n"
	  "	# +0xb\n" PROC "	.cfi_undefined rip\n"
	  "	# +0x10 hlt\n	.cfi_offset rip, -8\n	# +0x12\n	.cfi_endproc\n" },
	{ "a thread that is given no stack has those of its parent",
	  "f:	xor esi, esi\n	mov eax, 56\n	syscall\n	test eax, eax\n	jne 1f\n	nop\n1:	ret\n" END,
	  PROC "	# +0xf\n	.cfi_endproc\n" },
	{ "who lets it return has given it a stack for that",
	  "f:	mov eax, 56\n	syscall\n	test eax, eax\n	jne 1f\n	ret\n1:	ret\n" END,
	  "	# no row for 6 (a way of the function returns with another frame)\n" },
	{ "rows of .debug_frame that are wrong are replaced",
	  "	.cfi_sections .debug_frame\nf:	.cfi_startproc\n	push rbx\n	nop\n	pop rbx\n	ret\n"
	  "	.cfi_endproc\n" END,
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x2 pop rbx\n	.cfi_def_cfa_offset 8\n	# +0x4\n	.cfi_endproc\n" },
	{ "where nothing is proven they stay",
	  "	.cfi_sections .debug_frame\nf:	.cfi_startproc\n	push rbx\n	jmp [rdi]\n"
	  "	.cfi_def_cfa_offset 24\n	pop rbx\n	ret\n	.cfi_endproc\n" END,
	  "	# no row for 2 (behind a jump whose targets are not known)\n"
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1 jmp [rdi]\n	.cfi_def_cfa_offset 24\n	# +0x5\n	.cfi_endproc\n" },
	{ "in Go's no rule does not mean that it is the same",
	  "	.cfi_sections .debug_frame\nf:	.cfi_startproc\n	push rbx\n	jmp [rdi]\n	ret\n	.cfi_endproc\n" END
	  "runtime.text:	.type runtime.text, @function\n	ret\n",
	  "	# no row for 1 (behind a jump whose targets are not known)\n"
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1 jmp [rdi]\n	.cfi_def_cfa_offset 8\n	.cfi_undefined rbx\n	.cfi_undefined rbp\n"
	  "	.cfi_undefined r12\n	.cfi_undefined r13\n	.cfi_undefined r14\n	.cfi_undefined r15\n"
	  "	# +0x4\n	.cfi_endproc\n" },
	{ "and a frame pointer leads nowhere if rsp does",
	  "	.cfi_sections .debug_frame\nf:	.cfi_startproc\n	push rbp\n	.cfi_def_cfa_offset 16\n"
	  "	mov rbp, rsp\n	call [rdi]\n	pop rbp\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n" END
	  "runtime.text:	.type runtime.text, @function\n	ret\n",
	  PROC "	# +0x0 push rbp\n	.cfi_def_cfa_offset 16\n"
	  "	# +0x1 mov rbp, rsp\n	.cfi_offset rbp, -16\n"
	  "	# +0x6 pop rbp\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbp\n"
	  "	# +0x8\n	.cfi_endproc\n" },
	{ "behind another system call everybody does",
	  "f:	mov eax, 39\n	syscall\n	ret\n" END,
	  PROC "	# +0x8\n	.cfi_endproc\n" },
	{ "what the kernel returns to from a signal handler",
	  "f:	mov rax, 15\n	syscall\n" END,
	  PROC "	# with a nop before the label, behind .cfi_startproc\n	.cfi_signal_frame\n"
	  "	.cfi_escape 0x10, 0x8, 0x2, 0x77, 0x28	# r8 = *(rsp+40)\n"
	  "	.cfi_escape 0x10, 0x9, 0x2, 0x77, 0x30	# r9 = *(rsp+48)\n"
	  "	.cfi_escape 0x10, 0xa, 0x2, 0x77, 0x38	# r10 = *(rsp+56)\n"
	  "	.cfi_escape 0x10, 0xb, 0x3, 0x77, 0xc0, 0x0	# r11 = *(rsp+64)\n"
	  "	.cfi_escape 0x10, 0x5, 0x3, 0x77, 0xe8, 0x0	# rdi = *(rsp+104)\n"
	  "	.cfi_escape 0x10, 0x4, 0x3, 0x77, 0xf0, 0x0	# rsi = *(rsp+112)\n"
	  "	.cfi_escape 0x10, 0x1, 0x3, 0x77, 0x88, 0x1	# rdx = *(rsp+136)\n"
	  "	.cfi_escape 0x10, 0, 0x3, 0x77, 0x90, 0x1	# rax = *(rsp+144)\n"
	  "	.cfi_escape 0x10, 0x2, 0x3, 0x77, 0x98, 0x1	# rcx = *(rsp+152)\n"
	  "	.cfi_escape 0x10, 0x7, 0x3, 0x77, 0xa0, 0x1	# rsp = *(rsp+160)\n"
	  "	.cfi_escape 0xf, 0x4, 0x77, 0xa0, 0x1, 0x6	# cfa = *(rsp+160)\n"
	  "	.cfi_escape 0x10, 0x3, 0x3, 0x77, 0x80, 0x1	# rbx = *(rsp+128)\n"
	  "	.cfi_escape 0x10, 0x6, 0x3, 0x77, 0xf8, 0x0	# rbp = *(rsp+120)\n"
	  "	.cfi_escape 0x10, 0xc, 0x3, 0x77, 0xc8, 0x0	# r12 = *(rsp+72)\n"
	  "	.cfi_escape 0x10, 0xd, 0x3, 0x77, 0xd0, 0x0	# r13 = *(rsp+80)\n"
	  "	.cfi_escape 0x10, 0xe, 0x3, 0x77, 0xd8, 0x0	# r14 = *(rsp+88)\n"
	  "	.cfi_escape 0x10, 0xf, 0x3, 0x77, 0xe0, 0x0	# r15 = *(rsp+96)\n"
	  "	.cfi_escape 0x10, 0x10, 0x3, 0x77, 0xa8, 0x1	# rip = *(rsp+168)\n"
	  "	# +0x9\n	.cfi_endproc\n" },
	{ "one whose system call is another function's is none",
	  "f:	mov eax, 15\n" END "	.type h, @function\nh:	syscall\n	ret\n	.size h, .-h\n",
	  PROC "	# +0x5\n	.cfi_endproc\n" },
	{ "one that goes on in a function that has an FDE",
	  "f:	push rbx\n	jmp 1f\n" END
	  "h:	.cfi_startproc\n	push rbx\n	.cfi_def_cfa_offset 16\n"
	  "1:	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n",
	  PROC "	# +0x0 push rbx\n	.cfi_def_cfa_offset 16\n	# +0x3\n	.cfi_endproc\n" },
	{ "bytes that are no instruction",
	  "f:	push rax\n	.byte 0x06\n	pop rax\n	ret\n" END,
	  "	# no row for 2 (no way leads there)\n"
	  "	# no row for 1 (instructions that can't be decoded)\n"
	  PROC "	# +0x1\n	.cfi_endproc\n" },
};
/* clang-format on */
#define CASES ((int)(sizeof(synthesis_cases) / sizeof(synthesis_cases[0])))

/* A call's target is an address: the text's begin becomes 0. */
static void replace_target(char *text, uint64_t begin)
{
	char *at = strstr(text, "call 0x"), *end, number[24];
	uint64_t target;

	if (!at)
		return;
	target = strtoull(at + 7, &end, 16);
	snprintf(number, sizeof(number), "%" PRIx64, target - begin);
	memmove(at + 7 + strlen(number), end, strlen(end) + 1);
	memcpy(at + 7, number, strlen(number));
}

/* What another function came to. */
static void append_other(const struct world *world, char **text, const char *name)
{
	const struct synthesis_function *function =
		function_at(world, image_symbol_address(world->image, name));
	const struct synthesis_row *row;
	char *longer;

	ck_assert_ptr_nonnull(function);
	row = &world->synthesis.row[function->first_row];
	if (function->row_count)
		ck_assert_int_gt(asprintf(&longer, "%s%s %s+%d\n", *text, name,
					  register_name(row->cfa_register), row->cfa_offset),
				 0);
	else
		ck_assert_int_gt(asprintf(&longer, "%s%s %" PRIu64 " (%s)\n", *text, name,
					  function->unwritten[SYNTHESIS_WAYS_DIFFER],
					  synthesis_reason_title(SYNTHESIS_WAYS_DIFFER)),
				 0);
	free(*text);
	*text = longer;
}

/* Each has a row, or a reason why not. */
static void check_sums(const struct world *world, const char *rule)
{
	for (size_t i = 0; i < world->synthesis.function_count; i++) {
		const struct synthesis_function *function = &world->synthesis.function[i];
		uint64_t sum = function->written;

		for (int reason = 0; reason < SYNTHESIS_REASON_COUNT; reason++)
			sum += function->unwritten[reason];
		ck_assert_msg(function->replaced || sum == function->instructions,
			      "%s: %" PRIu64 " of %" PRIu64 " in function %zu", rule, sum,
			      (uint64_t)function->instructions, i);
	}
}

START_TEST(a_function_gets_its_directives)
{
	const struct synthesis_case *test = &synthesis_cases[_i];
	struct world world;
	char *text;

	world_init(&world, test->assembly);
	check_sums(&world, test->rule);
	text = directives_at(&world, world.begin);
	replace_target(text, world.begin);
	if (strstr(test->expected, "\nh "))
		append_other(&world, &text, "h");
	if (strstr(test->expected, "\nf.cold "))
		append_other(&world, &text, "f.cold");
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	free(text);
	world_deinit(&world);
}
END_TEST

/* ---- through a section, and back ----------------------------------------------------------- */

static void check_place(const struct synthesis_place *place, const struct row_rule *rule,
			uint8_t column)
{
	static const enum rule_kind kinds[] = {
		[SYNTHESIS_SAME] = RULE_UNSPECIFIED,	   [SYNTHESIS_AT_CFA] = RULE_OFFSET,
		[SYNTHESIS_AT_REGISTER] = RULE_EXPRESSION, [SYNTHESIS_IN_REGISTER] = RULE_REGISTER,
		[SYNTHESIS_LOST] = RULE_UNDEFINED,
	};

	ck_assert_msg(rule->kind == kinds[place->kind], "%s: %d", register_name(column),
		      rule->kind);
	if (place->kind == SYNTHESIS_AT_CFA)
		ck_assert_int_eq(rule->offset, place->offset);
	if (place->kind == SYNTHESIS_IN_REGISTER)
		ck_assert_int_eq(rule->reg, place->reg);
}

static void check_row(const struct cfi *cfi, const struct synthesis_row *expected, uint64_t pc)
{
	struct error error;
	struct row row;

	ck_assert_int_eq(cfi_row_find(cfi, pc, &row, &error), 1);
	if (expected->cfa_loaded || expected->cfa_offset < 0) {
		ck_assert_int_eq(row.cfa.kind, RULE_CFA_EXPRESSION);
	} else {
		ck_assert_int_eq(row.cfa.kind, RULE_CFA_REGISTER);
		ck_assert_int_eq(row.cfa.reg, expected->cfa_register);
		ck_assert_int_eq(row.cfa.offset, expected->cfa_offset);
	}
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++)
		check_place(&expected->place[i], &row.reg[synthesis_register[i]],
			    synthesis_register[i]);
}

static void check_rows(const struct world *world, const struct cfi *cfi)
{
	struct error error;
	struct row row;

	for (size_t f = 0; f < world->synthesis.function_count; f++) {
		const struct synthesis_function *function = &world->synthesis.function[f];
		uint64_t pc = function->begin;

		for (size_t i = 0; i < function->row_count; i++) {
			const struct synthesis_row *expected =
				&world->synthesis.row[function->first_row + i];

			for (; pc < expected->pc; pc++)
				ck_assert_int_eq(cfi_row_find(cfi, pc, &row, &error), 0);
			check_row(cfi, expected, expected->pc);
			check_row(cfi, expected, expected->pc_end - 1);
			pc = expected->pc_end;
		}
		for (; pc < function->end; pc++)
			ck_assert_int_eq(cfi_row_find(cfi, pc, &row, &error), 0);
	}
}

static void count_finding(void *context, const struct lint_finding *finding)
{
	if (finding->id != LINT_UNCOVERED && finding->pc_end)
		(*(int *)context)++;
}

static void read_back(const char *assembly, bool is_debug)
{
	struct world world, again = { .directory = "" };
	struct lint_counts counts;
	int findings = 0;
	const struct lint_watch watch = { .finding = count_finding, .context = &findings };
	struct error error;
	uint8_t *bytes;
	size_t size;

	world_init(&world, assembly);
	ck_assert_int_eq(synthesis_section(&world.synthesis, is_debug, synthesis_vaddr(world.image),
					   NULL, &bytes, &size, &error),
			 0);
	ck_assert_int_eq(image_create(world.path, &again.image, &error), 0);
	if (is_debug)
		again.image->debug_frame = (struct image_section) { .data = bytes,
								    .size = size,
								    .name = ".debug_frame" };
	else
		ck_assert_int_eq(image_add_eh_frame(again.image, bytes, size,
						    synthesis_vaddr(world.image), false, &error),
				 0);
	ck_assert_int_eq(cfi_create(again.image, &again.cfi, &error), 0);
	ck_assert_uint_eq(again.cfi->diagnostics.count, 0);
	check_rows(&world, again.cfi);
	ck_assert_int_eq(lint_image(again.cfi, NULL, &watch, &counts, &error), 0);
	ck_assert_int_eq(findings, 0);
	ck_assert_uint_eq(counts.mismatch, 0);
	cfi_destroy(again.cfi);
	image_destroy(again.image);
	if (is_debug)
		free(bytes);
	world_deinit(&world);
}

/* Instructions that lie over each other are all counted. */
static const struct {
	const char *assembly;
	uint64_t instructions, written;
} counted[] = {
	{ "f:	push rbx\n	mov ebx, edi\n	pop rbx\n	ret\n" END, 4, 4 },
	{ "f:	push rbx\n	test edi, edi\n	je 1f\n	.byte 0xf0\n"
	  "1:	cmpxchg [rsi], ebx\n	pop rbx\n	ret\n" END,
	  7, 7 },
	{ "f:	test edi, edi\n	je 1f\n	.byte 0xb8\n1:	push rbx\n	nop\n	nop\n	pop rbx\n"
	  "	ret\n" END,
	  8, 8 },
	{ "f:	jmp 1f\n	.byte 0xe8\n1:	push rbx\n	nop\n	nop\n	pop rbx\n	"
	  "ret\n" END,
	  7, 6 },
};

START_TEST(instructions_are_counted)
{
	const struct synthesis_function *function;
	struct world world;

	world_init(&world, counted[_i].assembly);
	function = function_at(&world, world.begin);
	ck_assert_ptr_nonnull(function);
	ck_assert_uint_eq(function->instructions, counted[_i].instructions);
	ck_assert_uint_eq(function->written, counted[_i].written);
	world_deinit(&world);
}
END_TEST

START_TEST(the_rows_are_read_back)
{
	read_back(synthesis_cases[_i].assembly, false);
	read_back(synthesis_cases[_i].assembly, true);
}
END_TEST

/* ---- objcopy -------------------------------------------------------------------------------- */

static const struct {
	const char *rule;
	struct synthesis_target target;
	const char *expected;
} command_cases[] = {
	{ "a file without CFI gets an .eh_frame behind its segments",
	  { .vaddr = 0x5000 },
	  "objcopy --remove-section .eh_frame --add-section .eh_frame=S --set-section-flags "
	  ".eh_frame=alloc,readonly "
	  "--change-section-address .eh_frame=0x5000 IN OUT " },
	{ "one that has it gets a .debug_frame",
	  { .is_debug = true },
	  "objcopy --add-section .debug_frame=S IN OUT " },
	{ "where that is, too, it is made longer",
	  { .is_debug = true, .is_joined = true },
	  "objcopy --decompress-debug-sections --update-section .debug_frame=S IN OUT " },
};

START_TEST(a_section_gets_into_a_file)
{
	struct synthesis_command command;
	char text[300] = "";

	synthesis_command(&command_cases[_i].target, "S", "IN", "OUT", &command);
	for (int i = 0; command.argv[i]; i++) {
		strcat(text, command.argv[i]);
		strcat(text, " ");
	}
	ck_assert_str_eq(text, command_cases[_i].expected);
}
END_TEST

START_TEST(a_section_comes_behind_another)
{
	static const uint8_t entry[12] = { 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct image_section before = { .data = entry, .size = sizeof(entry) };
	struct world world;
	struct error error;
	uint8_t *bytes;
	uint32_t cie;
	size_t size;

	world_init(&world, synthesis_cases[0].assembly);
	ck_assert_int_eq(
		synthesis_section(&world.synthesis, true, 0, &before, &bytes, &size, &error), 0);
	ck_assert_mem_eq(bytes, entry, sizeof(entry));
	/* The CIE has 24 bytes; behind the FDE's length is where it begins. */
	memcpy(&cie, bytes + 12 + 24 + 4, sizeof(cie));
	ck_assert_uint_eq(cie, 12);
	free(bytes);
	world_deinit(&world);
}
END_TEST

static const struct {
	const char *rule, *assembly;
	bool early;
} restorer_cases[] = {
	{ "a byte before it is its own",
	  "	.type h, @function\nh:	ret\n	.size h, .-h\n	nop\n", true },
	{ "but not one that is another's", "	.type h, @function\nh:	ret\n	.size h, .-h\n",
	  false },
};

START_TEST(a_signal_frame_is_found_as_if_it_was_called)
{
	char assembly[200];
	struct world world;
	struct error error;
	uint8_t *bytes;
	struct cfi *cfi;
	struct row row;
	size_t size;

	snprintf(assembly, sizeof(assembly), "%sf:	mov eax, 15\n	syscall\n" END,
		 restorer_cases[_i].assembly);
	world_init(&world, assembly);
	ck_assert_int_eq(synthesis_section(&world.synthesis, false, synthesis_vaddr(world.image),
					   NULL, &bytes, &size, &error),
			 0);
	ck_assert_int_eq(image_add_eh_frame(world.image, bytes, size, synthesis_vaddr(world.image),
					    false, &error),
			 0);
	ck_assert_int_eq(cfi_create(world.image, &cfi, &error), 0);
	ck_assert_int_eq(cfi_row_find(cfi, world.begin + 6, &row, &error), 1);
	ck_assert(row.signal_frame);
	ck_assert_int_eq(row.reg[8].kind, RULE_EXPRESSION);
	ck_assert_int_eq(cfi_row_find(cfi, world.begin - 1, &row, &error), 1);
	ck_assert_msg(row.signal_frame == restorer_cases[_i].early, "%s", restorer_cases[_i].rule);
	cfi_destroy(cfi);
	world_deinit(&world);
}
END_TEST

START_TEST(what_is_too_far_is_an_error)
{
	struct world world;
	struct error error;
	uint8_t *bytes;
	size_t size;

	world_init(&world, synthesis_cases[0].assembly);
	ck_assert_int_eq(
		synthesis_section(&world.synthesis, false, 1ull << 32, NULL, &bytes, &size, &error),
		-1);
	ck_assert_int_eq(error.code, ERROR_CFI_RANGE);
	world_deinit(&world);
}
END_TEST

SUITE(synthesis, GROUP(functions), TIMES(a_function_gets_its_directives, CASES),
      LOOP(instructions_are_counted, counted), GROUP(sections),
      TIMES(the_rows_are_read_back, CASES), LOOP(a_section_gets_into_a_file, command_cases),
      LOOP(a_signal_frame_is_found_as_if_it_was_called, restorer_cases),
      TEST(a_section_comes_behind_another), TEST(what_is_too_far_is_an_error))
