/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * clone_stack.c - a thread made by clone(2) itself, on a stack in .bss
 *
 * Rule: behind the system call two threads go on at one PC, one with its caller and one with no
 * frame below. CFI is looked up by PC alone, so it can be right for one of them only: here for the
 * parent, and in the child from the first jump on, where its own FDE says that the return address
 * is undefined. glibc leaves the instructions of both without CFI. What a walk takes for the
 * child's return address is put there by run(): an address that is nowhere.
 */
#include <linux/futex.h>
#include <linux/sched.h>
#include "bare.h"
#include "bare_call.h"

#define STACK_WORDS 1024

static unsigned long child_stack[STACK_WORDS] __attribute__((aligned(16)));
static volatile int thread_id = 1;
static volatile long result;

/* (flags, stack, parent's tid, child's tid): the kernel's order. */
long make_thread(unsigned long flags, void *stack, void *parent, volatile int *child);

__asm__(".text\n"
	".type make_thread, @function\n"
	"make_thread:\n"
	"	.cfi_startproc\n"
	"	mov %rcx, %r10\n"
	"	mov $56, %eax\n" /* clone */
	"	syscall\n"
	"	test %eax, %eax\n"
	"	jz .Lthread\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size make_thread, . - make_thread\n"
	".type begin_thread, @function\n"
	"begin_thread:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	nop\n"
	".Lthread:\n"
	"	mov $20, %edi\n"
	"	call thread_bottom\n"
	"	xor %edi, %edi\n"
	"	mov $60, %eax\n" /* exit: of this thread */
	"	syscall\n"
	"	.cfi_endproc\n"
	"	.size begin_thread, . - begin_thread\n");

FRAME long thread_top(long value)
{
	KEEP(value);
	return value + 1;
}

__attribute__((used)) FRAME void thread_bottom(long value)
{
	value = thread_top(value + 1);
	KEEP(value);
	result = value;
}

/* The kernel clears thread_id at the thread's end, and wakes who waits. */
FRAME long join(void)
{
	long status = bare_call(__NR_futex, (long)&thread_id, FUTEX_WAIT, 1, 0, 0, 0);

	KEEP(status);
	return thread_id;
}

int run(const unsigned long *stack)
{
	unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			      CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;

	child_stack[STACK_WORDS - 2] = 0x1234567;
	if (make_thread(flags, child_stack + STACK_WORDS - 2, 0, &thread_id) <= 0)
		return 2;
	return join() || result != 22;
}
