/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fiber.h - stacks for programs without a C library: made, switched to, and called on
 *
 * The CFI of both functions is right at each of their instructions, so whoever is blamed near them is
 * innocent. At its first entry a fiber has no caller: its function's return address is 0.
 */
#ifndef TESTPROGS_FIBER_H
#define TESTPROGS_FIBER_H

#include "testprog.h"

/* Saves the stack at hand in *save and goes on with the one saved in to. */
void fiber_switch(void **save, void *to);
/* Calls function(argument) on the stack that ends at top. */
void call_on(void (*function)(long argument), long argument, void *top);
/* Saves the stack at hand in *save, as fiber_switch() does, and calls function there, for it to go to others:
 * who switches to *save comes back from here. */
void fiber_start(void **save, void (*function)(void));

__asm__(".text\n"
	".type fiber_switch, @function\n"
	"fiber_switch:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 24\n"
	"	.cfi_offset %rbx, -24\n"
	"	push %r12\n"
	"	.cfi_def_cfa_offset 32\n"
	"	.cfi_offset %r12, -32\n"
	"	push %r13\n"
	"	.cfi_def_cfa_offset 40\n"
	"	.cfi_offset %r13, -40\n"
	"	push %r14\n"
	"	.cfi_def_cfa_offset 48\n"
	"	.cfi_offset %r14, -48\n"
	"	push %r15\n"
	"	.cfi_def_cfa_offset 56\n"
	"	.cfi_offset %r15, -56\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	.cfi_def_cfa_offset 48\n"
	"	.cfi_restore %r15\n"
	"	pop %r14\n"
	"	.cfi_def_cfa_offset 40\n"
	"	.cfi_restore %r14\n"
	"	pop %r13\n"
	"	.cfi_def_cfa_offset 32\n"
	"	.cfi_restore %r13\n"
	"	pop %r12\n"
	"	.cfi_def_cfa_offset 24\n"
	"	.cfi_restore %r12\n"
	"	pop %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_restore %rbx\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_restore %rbp\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size fiber_switch, . - fiber_switch\n"
	".type fiber_start, @function\n"
	"fiber_start:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 24\n"
	"	.cfi_offset %rbx, -24\n"
	"	push %r12\n"
	"	.cfi_def_cfa_offset 32\n"
	"	.cfi_offset %r12, -32\n"
	"	push %r13\n"
	"	.cfi_def_cfa_offset 40\n"
	"	.cfi_offset %r13, -40\n"
	"	push %r14\n"
	"	.cfi_def_cfa_offset 48\n"
	"	.cfi_offset %r14, -48\n"
	"	push %r15\n"
	"	.cfi_def_cfa_offset 56\n"
	"	.cfi_offset %r15, -56\n"
	"	mov %rsp, (%rdi)\n"
	"	sub $8, %rsp\n"
	"	.cfi_def_cfa_offset 64\n"
	"	call *%rsi\n"
	"	hlt\n" /* function does not return */
	"	.cfi_endproc\n"
	"	.size fiber_start, . - fiber_start\n"
	".type call_on, @function\n"
	"call_on:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	mov %rdx, %rsp\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size call_on, . - call_on\n");

/* A stack that ends at top, for fiber_switch() to go to: function is entered, and must not return. */
static inline void *fiber_make(char *top, void (*function)(void))
{
	long *word = (long *)((long)top & -16) - 1;

	*word = 0;
	*--word = (long)function;
	for (int i = 0; i < 6; i++)
		*--word = 0;
	return word;
}

#endif
