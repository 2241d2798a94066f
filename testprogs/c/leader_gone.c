/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * leader_gone.c - a process whose first thread has ended
 *
 * Rule: a process is its threads' memory, and goes on when the first of them ends (pthread_exit in
 * main). But the process's number is the first one's, and under it there is no memory any more:
 * /proc/PID/maps is empty, process_vm_readv(2) fails with ESRCH. Who reads by that number sees
 * nothing: a walk in the kernel is right then, and every one from outside is wrong. Here all that an
 * unwinder needs of a process is asked for afterwards: its stack, its mappings when code was mapped, and
 * a thread that was started later. Both threads are made in _start, whose return address is
 * undefined, so that the CFI is right for both that go on there.
 */
#include <linux/futex.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include "bare_call.h"

#define STACK_WORDS 512
#define PAGE	    4096

struct stack {
	unsigned long word[STACK_WORDS];
} __attribute__((aligned(16)));

__attribute__((used)) static struct stack second_stack, third_stack;
/* Not 0 while the thread lives: the kernel clears it, and wakes who waits. */
__attribute__((used)) static volatile int first_lives = 1, third_lives = 1;
static volatile long result;

#define THREAD_FLAGS "$0x50f00"	 /* CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD, _SYSVSEM */
#define CLEARS_FLAGS "$0x250f00" /* and CLONE_CHILD_CLEARTID */

__asm__(".text\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	lea first_lives(%rip), %rdi\n"
	"	mov $218, %eax\n" /* set_tid_address */
	"	syscall\n"
	"	mov " THREAD_FLAGS ", %edi\n"
	"	lea second_stack+4096(%rip), %rsi\n"
	"	mov $56, %eax\n" /* clone */
	"	syscall\n"
	"	test %eax, %eax\n"
	"	jz .Lsecond\n"
	"	xor %edi, %edi\n"
	"	mov $60, %eax\n" /* exit: of the first thread */
	"	syscall\n"
	".Lsecond:\n"
	"	call without_the_first\n"
	"	mov " CLEARS_FLAGS ", %edi\n"
	"	lea third_stack+4096(%rip), %rsi\n"
	"	lea third_lives(%rip), %r10\n"
	"	mov $56, %eax\n"
	"	syscall\n"
	"	test %eax, %eax\n"
	"	jz .Lthird\n"
	"	call finish\n"
	"	mov %eax, %edi\n"
	"	mov $231, %eax\n" /* exit_group */
	"	syscall\n"
	".Lthird:\n"
	"	mov $20, %edi\n"
	"	call started_late\n"
	"	xor %edi, %edi\n"
	"	mov $60, %eax\n"
	"	syscall\n"
	"	.cfi_endproc\n"
	"	.size _start, . - _start\n");

_Static_assert(sizeof(struct stack) == 4096, "_start has it, too");

static inline __attribute__((always_inline)) void wait_for_end(volatile int *lives)
{
	do /* once in any case, whoever is first: so the same instructions in each run */
		bare_call(__NR_futex, (long)lives, FUTEX_WAIT, 1, 0, 0, 0);
	while (*lives);
}

FRAME long deepest(long value)
{
	KEEP(value);
	return value + 1;
}

__attribute__((used)) FRAME void started_late(long value)
{
	value = deepest(value + 1);
	KEEP(value);
	result += value;
}

/* Nothing is ever called there: that code was mapped is enough for the mappings to be read anew. */
FRAME long map_code(void)
{
	long page = bare_call(__NR_mmap, 0, PAGE, PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	KEEP(page);
	return page > 0;
}

__attribute__((used)) FRAME void without_the_first(void)
{
	wait_for_end(&first_lives);
	started_late(8);
	result += map_code();
	started_late(9);
}

/* 10 + 1 + 11 of without_the_first(), 22 of the third thread. */
__attribute__((used)) FRAME int finish(void)
{
	wait_for_end(&third_lives);
	KEEP(result);
	return result != 44;
}
