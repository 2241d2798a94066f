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

#define END	     ".size f, .-f; "
#define JUMP_BY(reg) ".type f, @function; f: inc eax; jmp " reg "; " END
#define PROC	     "startproc; "

/* f keeps a frame pointer, and writes to the room that is made; and its rows, for where it takes the frame down. */
#define ROOM(call, h)                                                                              \
	"f: push rbp; mov rbp, rsp; " call "; mov [rsp], rdi; leave; ret; " END "h: " h
#define ROOM_ROWS(leave, end)                                                                      \
	PROC "# +0x0 push rbp; cfa 16; # +0x1 mov rbp, rsp; cfa rbp; offset rbp, -16; # +0x" leave \
	     " leave; cfa rsp, 8; restore rbp; # +0x" end "; endproc; "

/* clang-format off */
static const struct synthesis_case {
	const char *rule, *assembly, *expected;
} synthesis_cases[] = {
	{ "nothing moves", "f: xor eax, eax; ret; " END, PROC "# +0x3; endproc" },
	{ "a push, and a register that is overwritten",
	  "f: push rbx; mov rbx, rdi; call g@PLT; pop rbx; ret; " END,
	  PROC "# +0x0 push rbx; cfa 16; # +0x1 mov rbx, rdi; offset rbx, -16; # +0x9 pop rbx; cfa 8; restore rbx; "
	  "# +0xb; endproc" },
	{ "room that is made and given back", "f: sub rsp, 40; call g@PLT; add rsp, 40; ret; " END,
	  PROC "# +0x0 sub rsp, 0x28; cfa 48; # +0x9 add rsp, 0x28; cfa 8; # +0xe; endproc" },
	{ "a frame pointer, and room of a size that is computed",
	  "f: push rbp; mov rbp, rsp; sub rsp, rdi; call g@PLT; leave; ret; " END,
	  PROC "# +0x0 push rbp; cfa 16; # +0x1 mov rbp, rsp; cfa rbp; offset rbp, -16; # +0xc leave; cfa rsp, 8; "
	  "restore rbp; # +0xe; endproc" },
	{ "what is pushed behind an unknown addition to rsp overwrites any word",
	  "f: push rbp; mov rbp, rsp; push rbx; xor ebx, ebx; xadd rsp, r10; push rax; nop; "
	  "lea rsp, [rbp-8]; pop rbx; pop rbp; ret; " END, "# no row for 5 (the return address is not in the frame); "
	  PROC "# +0x0 push rbp; cfa 16; # +0x1 mov rbp, rsp; cfa rbp; offset rbp, -16; # +0x5 xor ebx, ebx; "
	  "offset rbx, -24; # +0xc; endproc" },
	{ "between the rounds of a string instruction a word is overwritten in part",
	  "f: mov [rsp-16], rbx; xor ebx, ebx; lea rdi, [rsp-24]; mov ecx, 2; rep stosq; nop; ret; " END,
	  PROC "# +0x5 xor ebx, ebx; offset rbx, -24; # +0xc mov ecx, 0x02; undefined rbx; # +0x16; endproc" },
	{ "a word of 16 bits is pushed into another",
	  "f: mov r11, rsp; push rbx; xor ebx, ebx; pop rax; pushw 0; nop; mov rsp, r11; ret; " END,
	  PROC "# +0x3 push rbx; cfa 16; # +0x4 xor ebx, ebx; offset rbx, -16; # +0x6 pop rax; "
	  "cfa 8; # +0x7 push 0x00; cfa 10; register rbx, rax; # +0xb mov rsp, r11; cfa 8; # +0xf; endproc" },
	{ "padding inside has the row before it, and a call that never returns ends its way",
	  "f: test edi, edi; je 1f; push rax; call abort@PLT; nop; 1: ret; " END,
	  PROC "# +0x4 push rax; cfa 16; # +0xa nop; cfa 8; # +0xc; endproc" },
	{ "the same of a call whose code never returns",
	  "f: test edi, edi; je 1f; push rax; call h; 1: ret; " END "h: jmp h",
	  PROC "# +0x4 push rax; cfa 16; # +0x5 call 0xb; cfa 8; # +0xb; endproc" },
	{ "a callee that comes back without a register",
	  "f: mov r14, rbp; sub rsp, 8; call h; mov rbp, r14; add rsp, 8; ret; " END
	  "h: xor ebp, ebp; ret", PROC "# +0x0 mov r14, rbp; undefined r14; # +0x3 sub rsp, 0x08; "
	  "cfa 16; # +0x7 call 0x14; register rbp, r14; # +0xc mov rbp, r14; restore rbp; # +0xf add rsp, 0x08; "
	  "cfa 8; # +0x14; endproc" },
	{ "a jump past a lock prefix leads to an instruction inside another",
	  "f: test edi, edi; je 1f; .byte 0xf0; 1: inc dword ptr [rsi]; ret; " END,
	  PROC "# +0x8; endproc" },
	{ "behind a call of who makes room the frame is where a frame pointer says",
	  ROOM("call h", "pop rcx; sub rsp, rax; jmp rcx; "), ROOM_ROWS("d", "f") },
	{ "or who copies the return address down",
	  ROOM("call h", "mov rcx, rsp; sub rcx, rax; mov rax, rsp; mov rsp, rcx; mov rax, [rax]; mov [rsp], rax; "
	  "ret; "), ROOM_ROWS("d", "f") },
	{ "or pushes it from memory",
	  ROOM("call h", "lea rcx, [rsp+8]; sub rcx, rax; mov rdx, rsp; mov rsp, rcx; push [rdx]; ret; "), ROOM_ROWS("d", "f") },
	{ "or jumps by it where it is read",
	  ROOM("call h", "mov rcx, [rsp]; neg rax; lea rsp, [rsp+rax+8]; jmp rcx; "), ROOM_ROWS("d", "f") },
	{ "or has put it where nobody looks",
	  ROOM("call h", "mov rcx, [rsp]; mov rdx, rsp; sub rdx, [rdi]; mov rsp, rdx; mov [rdx], rcx; ret; "), ROOM_ROWS("d", "f") },
	{ "or is called by a register",
	  ROOM("lea rdx, h[rip]; call rdx", "pop rcx; sub rsp, rax; jmp rcx; "), ROOM_ROWS("11", "13") },
	{ "or by a pointer", ROOM("mov rdx, [rdi]; call rdx", "pop rcx; sub rsp, rax; jmp rcx; "),
	  ROOM_ROWS("d", "f") },
	{ "what eight bits of rsp are equal to is not where it is",
	  "f: mov rax, rsp; sub rsp, rdi; 2: add rsp, 8; cmp spl, al; jne 2b; nop; nop; ret; " END,
	  PROC "# +0x3 sub rsp, rdi; cfa rax; # +0x12; endproc" },
	{ "what all of it is equal to is",
	  "f: mov rax, rsp; sub rsp, rdi; 2: add rsp, 8; cmp rsp, rax; jne 2b; nop; nop; ret; " END,
	  PROC "# +0x3 sub rsp, rdi; cfa rax; # +0xd jnz 0x1e1; cfa rsp; # +0x12; endproc" },
	{ "where nobody makes room a pointer's call leaves rsp as it is",
	  "f: push rbx; call rdx; pop rbx; ret; " END,
	  PROC "# +0x0 push rbx; cfa 16; # +0x3 pop rbx; cfa 8; # +0x5; endproc" },
	{ "what goes back by a register has its return address there, perhaps",
	  ".type f, @function; f: inc eax; jmp r11; " END,
	  "# no row for 2 (nothing calls it, and it does not return)" },
	{ "not if it is called", ".type f, @function; f: 5: inc eax; jmp r11; " END
	  ".type h, @function; h: call 5b; ret", PROC "# +0x5; endproc" },
	{ "nor if it returns", ".type f, @function; f: test eax, eax; je 1f; jmp r11; 1: ret; " END,
	  PROC "# +0x8; endproc" },
	{ "nor by an argument: rdi", JUMP_BY("rdi"), PROC "# +0x4; endproc" },
	{ "nor by an argument: rsi", JUMP_BY("rsi"), PROC "# +0x4; endproc" },
	{ "nor by an argument: rdx", JUMP_BY("rdx"), PROC "# +0x4; endproc" },
	{ "nor by an argument: rcx", JUMP_BY("rcx"), PROC "# +0x4; endproc" },
	{ "nor by an argument: r8", JUMP_BY("r8"), PROC "# +0x5; endproc" },
	{ "nor by an argument: r9", JUMP_BY("r9"), PROC "# +0x5; endproc" },
	{ "behind a call that perhaps never returns the way that is surer counts",
	  "f: test edi, edi; je 1f; push rax; call [rdi]; 1: ret; " END,
	  PROC "# +0x4 push rax; cfa 16; # +0x5 call [rdi]; cfa 8; # +0x8; endproc" },
	{ "of two ways that differ neither counts",
	  "f: test edi, edi; je 1f; push rax; 1: nop; ret; " END,
	  "# no row for 2 (no register leads to the CFA); " PROC "# +0x5; endproc" },
	{ "nor where one of them comes from a system call that is not known",
	  "f: test edi, edi; je 1f; push rax; syscall; 1: nop; ret; " END,
	  "# no row for 2 (no register leads to the CFA); " PROC
	  "# +0x4 push rax; cfa 16; # +0x7; endproc" },
	{ "a jump table with a comparison",
	  "f: push rbx; cmp edi, 1; ja 1f; mov edi, edi; lea rdx, 9f[rip]; "
	  "movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; 2: mov eax, 5; 1: pop rbx; ret; "
	  END ".section .rodata; 9: .long 2b-9b, 1b-9b; .text",
	  PROC "# +0x0 push rbx; cfa 16; # +0x1d pop rbx; cfa 8; # +0x1f; endproc" },
	{ "one without, where the frame is the same at all such jumps",
	  "f: push rbx; mov edi, [rdi]; lea rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; "
	  "jmp rax; 2: mov eax, 5; 1: pop rbx; ret; "
	  END ".section .rodata; 9: .long 2b-9b, 1b-9b, 0x7fffffff; .text",
	  PROC "# +0x0 push rbx; cfa 16; # +0x18 pop rbx; cfa 8; # +0x1a; endproc" },
	{ "a jump that leads anywhere may bring another copy than what is taken back from it",
	  "f: push rbx; push r12; mov r12, rbx; test edi, edi; jne 1f; mov r12d, 5; jmp rsi; "
	  "1: xor ebx, ebx; test edx, edx; je 2f; nop; 2: mov rbx, r12; nop; pop r12; pop rbx; ret; " END,
	  PROC "# +0x0 push rbx; cfa 16; # +0x1 push r12; cfa 24; # +0x3 mov r12, rbx; "
	  "offset r12, -24; # +0x12 xor ebx, ebx; offset rbx, -16; # +0x1d pop r12; cfa 16; "
	  "restore r12; # +0x1f pop rbx; cfa 8; restore rbx; # +0x21; endproc" },
	{ "two without, where it is not",
	  "f: push rbx; mov edi, [rdi]; test edi, edi; je 3f; lea rdx, 9f[rip]; "
	  "movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; 3: push rdi; "
	  "lea rdx, 8f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; add rax, rdx; jmp rax; 1: pop rdi; 2: pop rbx; ret; "
	  END ".section .rodata; 8: .long 1b-8b; 9: .long 2b-9b, 0x7fffffff; .text",
	  "# no row for 3 (by a jump table's entry that may be none); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x17 push rdi; cfa 24; # +0x28; endproc" },
	{ "a jump that goes nobody knows where", "f: push rbx; jmp [rdi]; pop rbx; ret; " END,
	  "# no row for 2 (behind a jump whose targets are not known); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x3; endproc" },
	{ "a tail call ends the way", "f: push rbx; pop rbx; jmp h; " END
	  "h: .type h, @function; ret; .size h, .-h",
	  PROC "# +0x0 push rbx; cfa 16; # +0x1 pop rbx; cfa 8; # +0x4; endproc" },
	{ "one that is jumped to with a frame, and returns",
	  "f: push rbx; test edi, edi; jne h; pop rbx; ret; " END
	  "h: .type h, @function; ret; .size h, .-h",
	  "# no row for 5 (a way of the function returns with another frame); h rsp+8" },
	{ "one that is jumped to with a frame, and is called, too",
	  "f: push rbx; test edi, edi; jne h; pop rbx; ret; " END
	  "h: .type h, @function; jmp [rdi]; .size h, .-h",
	  PROC "# +0x0 push rbx; cfa 16; # +0x5 pop rbx; cfa 8; # +0x7; endproc; "
	  "h 1 (functions lead there with different frames)" },
	{ "behind a call that never returns, and looks as if it did, another begins",
	  "f: push rbx; call [rdi]; push rbp; pop rbp; ret; " END,
	  "# no row for 3 (behind a call that may never come back); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x3; endproc" },
	{ "a handler of an interrupt, with an error code",
	  "f: push rbx; call [rdi]; pop rbx; add rsp, 8; iretq; " END,
	  "# no row for 5 (nothing calls it, and it does not return)" },
	{ "one that never ends is perhaps another handler", "f: push rbx; 1: jmp 1b; " END
	  "h: .type h, @function; iretq; .size h, .-h",
	  "# no row for 2 (nothing calls it, and it does not return)" },
	{ "unless it is called", "9: f: push rbx; 1: jmp 1b; " END
	  "h: .type h, @function; iretq; .size h, .-h; k: .type k, @function; call 9b; ud2; .size k, .-k",
	  PROC "# +0x0 push rbx; cfa 16; # +0x3; endproc" },
	{ "or there are no handlers", "f: push rbx; 1: jmp 1b; " END,
	  PROC "# +0x0 push rbx; cfa 16; # +0x3; endproc" },
	{ "one that goes on in a handler is one", "f: push rbx; pop rbx; jmp h; " END
	  "h: .type h, @function; iretq; .size h, .-h",
	  "# no row for 3 (nothing calls it, and it does not return)" },
	{ "nor has a piece of one a row", "f: push rbx; test edi, edi; jne f.cold; 1: jmp 1b; " END
	  "h: .type h, @function; iretq; .size h, .-h; f.cold: .type f.cold, @function; ud2; .size f.cold, .-f.cold",
	  "# no row for 4 (nothing calls it, and it does not return)" },
	{ "a piece elsewhere has the frame of where it is jumped from",
	  "f: push rbx; test edi, edi; jne f.cold; 1: pop rbx; ret; " END
	  "f.cold: .type f.cold, @function; jmp 1b; .size f.cold, .-f.cold",
	  PROC "# +0x0 push rbx; cfa 16; # +0x5 pop rbx; cfa 8; # +0x7; endproc; f.cold rsp+16" },
	{ "a stack that is aligned keeps its CFA in a word",
	  "f: lea r10, [rsp+8]; and rsp, -32; push [r10-8]; push rbp; mov rbp, rsp; push r10; call g@PLT; "
	  "mov r10, [rbp-8]; leave; lea rsp, [r10-8]; ret; " END,
	  PROC "# +0x5 and rsp, 0xffffffffffffffe0; cfa r10, 0; # +0xe mov rbp, rsp; "
	  "escape 0x10, 0x6, 0x2, 0x76, 0x0\t# rbp = *(rbp+0); # +0x11 push r10; "
	  "escape 0xf, 0x3, 0x76, 0x78, 0x6\t# cfa = *(rbp-8); # +0x18 mov r10, [rbp-0x08]; "
	  "cfa r10, 0; # +0x1c leave; restore rbp; # +0x1d lea rsp, [r10-0x08]; cfa rsp, 8; # +0x22; endproc" },
	{ "above where the stack was aligned a saved register may be overwritten",
	  "f: push rbp; mov rbp, rsp; push rbx; and rsp, -16; mov r12, rbx; mov [rsp+8], rdi; xor ebx, ebx; "
	  "call g@PLT; mov rbx, r12; leave; ret; " END,
	  PROC "# +0x0 push rbp; cfa 16; # +0x1 mov rbp, rsp; cfa rbp; offset rbp, -16; "
	  "# +0x9 mov r12, rbx; undefined r12; # +0x11 xor ebx, ebx; register rbx, r12; "
	  "# +0x18 mov rbx, r12; restore rbx; # +0x1b leave; cfa rsp, 8; restore rbp; # +0x1d; endproc" },
	{ "rsp comes from elsewhere, and another register leads to the frame",
	  "f: mov rbx, rsp; mov rsp, [rdi]; call g@PLT; mov rsp, rbx; ret; " END,
	  PROC "# +0x0 mov rbx, rsp; undefined rbx; # +0x3 mov rsp, [rdi]; cfa rbx; # +0xb mov rsp, rbx; cfa rsp; "
	  "# +0xf; endproc" },
	{ "one that points above the CFA",
	  "f: lea rbx, [rsp+24]; mov rsp, [rdi]; lea rsp, [rbx-24]; ret; " END,
	  PROC "# +0x0 lea rbx, [rsp+0x18]; undefined rbx; # +0x5 mov rsp, [rdi]; cfa rbx, -16; "
	  "# +0x8 lea rsp, [rbx-0x18]; cfa rsp, 8; # +0xd; endproc" },
	{ "a call has no register that it may overwrite to lead to the frame",
	  "f: mov rax, rsp; mov rsp, [rdi]; call g@PLT; ud2; " END,
	  "# no row for 2 (no register leads to the CFA); " PROC "# +0x6; endproc" },
	{ "a return address in a register", "f: pop rdx; jmp rdx; " END,
	  PROC "# +0x0 pop rdx; cfa 0; register rip, rdx; # +0x3; endproc" },
	{ "one that a symbol names, that overwrites what callees preserve, and jumps on",
	  "f: mov rbx, rdi; jmp [rbp]; " END,
	  "# no row for 2 (nothing calls it, and it does not return)" },
	{ "one that only jumps to such a one", "f: mov esi, 1; jmp h; " END
	  "h: .type h, @function; mov rbx, rdi; jmp [rbp]; .size h, .-h",
	  "# no row for 2 (nothing calls it, and it does not return); h 0 (functions lead there with different frames)" },
	{ "one that is called", "f: call h; ret; " END
	  "h: .type h, @function; mov rbx, rdi; jmp [rbp]; .size h, .-h",
	  PROC "# +0x6; endproc; h rsp+8" },
	{ "one that is overwritten", "f: mov [rsp], rdi; ret; " END,
	  "# no row for 1 (the return address is not in the frame); " PROC "# +0x4; endproc" },
	{ "a register that was swapped for another's", "f: xchg rbx, r12; nop; xchg rbx, r12; ret; "
	  END,
	  PROC "# +0x0 xchg rbx, r12; register rbx, r12; register r12, rbx; # +0x4 xchg rbx, r12; restore rbx; "
	  "restore r12; # +0x8; endproc" },
	{ "behind clone nobody knows whose stack it is",
	  "f: xor eax, eax; mov al, 56; syscall; ret; " END,
	  "# no row for 1 (a new thread goes on there, too); " PROC "# +0x6; endproc" },
	{ "what it returned fragments a new thread, which has no caller, from who called",
	  "f: mov eax, 56; syscall; test eax, eax; jne 1f; mov rsp, rsi; call [rdi]; hlt; 1: ret; "
	  END, "# no row for 2 (a new thread goes on there, too); " PROC "# +0x7; endproc; # +0xb; "
	  PROC "undefined rip; # +0x10 hlt; offset rip, -8; # +0x12; endproc" },
	{ "a thread that is given no stack has those of its parent",
	  "f: xor esi, esi; mov eax, 56; syscall; test eax, eax; jne 1f; nop; 1: ret; " END,
	  PROC "# +0xf; endproc" },
	{ "who lets it return has given it a stack for that",
	  "f: mov eax, 56; syscall; test eax, eax; jne 1f; ret; 1: ret; " END,
	  "# no row for 6 (a way of the function returns with another frame)" },
	{ "rows of .debug_frame that are wrong are replaced",
	  ".cfi_sections .debug_frame; f: startproc; push rbx; nop; pop rbx; ret; endproc; " END,
	  PROC "# +0x0 push rbx; cfa 16; # +0x2 pop rbx; cfa 8; # +0x4; endproc" },
	{ "where nothing is proven they stay",
	  ".cfi_sections .debug_frame; f: startproc; push rbx; jmp [rdi]; cfa 24; pop rbx; ret; endproc; "
	  END, "# no row for 2 (behind a jump whose targets are not known); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x1 jmp [rdi]; cfa 24; # +0x5; endproc" },
	{ "in Go's no rule does not mean that it is the same",
	  ".cfi_sections .debug_frame; f: startproc; push rbx; jmp [rdi]; ret; endproc; " END
	  "runtime.text: .type runtime.text, @function; ret",
	  "# no row for 1 (behind a jump whose targets are not known); " PROC
	  "# +0x0 push rbx; cfa 16; # +0x1 jmp [rdi]; cfa 8; undefined rbx; undefined rbp; "
	  "undefined r12; undefined r13; undefined r14; undefined r15; # +0x4; endproc" },
	{ "and a frame pointer leads nowhere if rsp does",
	  ".cfi_sections .debug_frame; f: startproc; push rbp; cfa 16; mov rbp, rsp; call [rdi]; pop rbp; cfa 8; "
	  "ret; endproc; "
	  END "runtime.text: .type runtime.text, @function; ret",
	  PROC "# +0x0 push rbp; cfa 16; # +0x1 mov rbp, rsp; offset rbp, -16; # +0x6 pop rbp; cfa 8; restore rbp; "
	  "# +0x8; endproc" },
	{ "behind another system call everybody does", "f: mov eax, 39; syscall; ret; " END,
	  PROC "# +0x8; endproc" },
	{ "what the kernel returns to from a signal handler", "f: mov rax, 15; syscall; " END,
	  PROC "# with a nop before the label, behind .cfi_startproc; signal_frame; "
	  "escape 0x10, 0x8, 0x2, 0x77, 0x28\t# r8 = *(rsp+40); "
	  "escape 0x10, 0x9, 0x2, 0x77, 0x30\t# r9 = *(rsp+48); "
	  "escape 0x10, 0xa, 0x2, 0x77, 0x38\t# r10 = *(rsp+56); "
	  "escape 0x10, 0xb, 0x3, 0x77, 0xc0, 0x0\t# r11 = *(rsp+64); "
	  "escape 0x10, 0x5, 0x3, 0x77, 0xe8, 0x0\t# rdi = *(rsp+104); "
	  "escape 0x10, 0x4, 0x3, 0x77, 0xf0, 0x0\t# rsi = *(rsp+112); "
	  "escape 0x10, 0x1, 0x3, 0x77, 0x88, 0x1\t# rdx = *(rsp+136); "
	  "escape 0x10, 0, 0x3, 0x77, 0x90, 0x1\t# rax = *(rsp+144); "
	  "escape 0x10, 0x2, 0x3, 0x77, 0x98, 0x1\t# rcx = *(rsp+152); "
	  "escape 0x10, 0x7, 0x3, 0x77, 0xa0, 0x1\t# rsp = *(rsp+160); "
	  "escape 0xf, 0x4, 0x77, 0xa0, 0x1, 0x6\t# cfa = *(rsp+160); "
	  "escape 0x10, 0x3, 0x3, 0x77, 0x80, 0x1\t# rbx = *(rsp+128); "
	  "escape 0x10, 0x6, 0x3, 0x77, 0xf8, 0x0\t# rbp = *(rsp+120); "
	  "escape 0x10, 0xc, 0x3, 0x77, 0xc8, 0x0\t# r12 = *(rsp+72); "
	  "escape 0x10, 0xd, 0x3, 0x77, 0xd0, 0x0\t# r13 = *(rsp+80); "
	  "escape 0x10, 0xe, 0x3, 0x77, 0xd8, 0x0\t# r14 = *(rsp+88); "
	  "escape 0x10, 0xf, 0x3, 0x77, 0xe0, 0x0\t# r15 = *(rsp+96); "
	  "escape 0x10, 0x10, 0x3, 0x77, 0xa8, 0x1\t# rip = *(rsp+168); # +0x9; endproc" },
	{ "one whose system call is another function's is none", "f: mov eax, 15; " END
	  ".type h, @function; h: syscall; ret; .size h, .-h", PROC "# +0x5; endproc" },
	{ "one that goes on in a function that has an FDE", "f: push rbx; jmp 1f; " END
	  "h: startproc; push rbx; cfa 16; 1: pop rbx; cfa 8; ret; endproc",
	  PROC "# +0x0 push rbx; cfa 16; # +0x3; endproc" },
	{ "bytes that are no instruction", "f: push rax; .byte 0x06; pop rax; ret; " END,
	  "# no row for 2 (no way leads there); # no row for 1 (instructions that can't be decoded); "
	  PROC "# +0x1; endproc" },
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
					  synthesis_reasons[SYNTHESIS_WAYS_DIFFER].title),
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
	if (strstr(test->expected, "; h "))
		append_other(&world, &text, "h");
	if (strstr(test->expected, "; f.cold "))
		append_other(&world, &text, "f.cold");
	ck_assert_msg(is_spelled(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
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
	{ "f: push rbx; mov ebx, edi; pop rbx; ret; " END, 4, 4 },
	{ "f: push rbx; test edi, edi; je 1f; .byte 0xf0; 1: cmpxchg [rsi], ebx; pop rbx; "
	  "ret; " END,
	  7, 7 },
	{ "f: test edi, edi; je 1f; .byte 0xb8; 1: push rbx; nop; nop; pop rbx; ret; " END, 8, 8 },
	{ "f: jmp 1f; .byte 0xe8; 1: push rbx; nop; nop; pop rbx; ret; " END, 7, 6 },
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
	  ".eh_frame=alloc,readonly --change-section-address .eh_frame=0x5000 IN OUT " },
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
	{ "a byte before it is its own", ".type h, @function; h: ret; .size h, .-h; nop", true },
	{ "but not one that is another's", ".type h, @function; h: ret; .size h, .-h", false },
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

	snprintf(assembly, sizeof(assembly), "%s; f: mov eax, 15; syscall; " END,
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
