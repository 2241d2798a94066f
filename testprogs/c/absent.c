/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * absent.c - a stack whose upper pages are not resident
 *
 * Rule: memory that is mapped need not be present. The page tables have nothing of it while it is in
 * swap, or in a file only; the first who touches it waits for it. A walk in the kernel can't wait: it
 * has to end there and say why. It must not take that for the stack's end, nor for a fault.
 *
 * Broke on it: parca-agent, whose stacks ended there without a word.
 *
 * The stack is a file's shared mapping, since an anonymous page that is given back comes as zeroes. top()
 * gives the upper pages back from the lowest one; deep() is large, so that its caller's frame lies on
 * them. They stay absent until top()'s callers return: but whoever looks from outside brings them back.
 */
#include <linux/mman.h>
#include "bare.h"
#include "bare_call.h"

#define PAGE	    4096
#define STACK_BYTES (16 * PAGE)
#define GIVEN_BACK  (2 * PAGE)

long call_on(void *stack, long (*function)(char *), char *argument);

/* Calls on another stack; this frame is found by rbp then. */
__asm__(".text\n"
	".type call_on, @function\n"
	"call_on:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	xchg %rdi, %rdx\n"
	"	mov %rdx, %rsp\n"
	"	call *%rsi\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size call_on, . - call_on\n");

FRAME long top(char *stack)
{
	long result = CALL(__NR_madvise, stack + STACK_BYTES - GIVEN_BACK, GIVEN_BACK,
			   MADV_DONTNEED);

	KEEP(result);
	return result;
}

FRAME long deep(char *stack)
{
	char array[5 * PAGE];
	char *pointer = array;

	KEEP_MEMORY(pointer);
	long result = top(stack);
	KEEP_MEMORY(pointer);
	return result;
}

FRAME long bottom(char *stack)
{
	long result = deep(stack);

	KEEP(result);
	return result;
}

int run(const unsigned long *unused)
{
	long file = CALL(__NR_memfd_create, "stack", 0, 0);

	if (file < 0 || CALL(__NR_ftruncate, file, STACK_BYTES, 0))
		return 2;
	long stack = bare_call(__NR_mmap, 0, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file,
			       0);
	if (stack < 0 && stack > -PAGE)
		return 3;
	return call_on((char *)stack + STACK_BYTES - 64, bottom, (char *)stack) != 0;
}
