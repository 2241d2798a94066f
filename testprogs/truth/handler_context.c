/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * handler_context.c - a handler that changes where its program goes on
 *
 * Rule: rt_sigreturn goes where struct ucontext says, and only then it is known. HOW 1: behind the instruction that
 * faulted; 2: to the caller of a null pointer, whose return address it takes off; 3: to another stack in a mapping
 * of its own, and back (preemption in user space); 4: the same with both stacks in one array; 5: as 4, with
 * the handler on a signal stack in that array; 6: rsp only, at a place where nobody's return address is, and the
 * handler ends the program. 7: rip for a while, then what it is to be; 8: r10 for a while, on which the CFA of what
 * faulted hangs; 9: as 8, by a second handler.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "../c/testprog.h"
#include "fiber.h"

#define STACK_BYTES 16384
#define SWITCHES    6

static char array[3 * STACK_BYTES] __attribute__((aligned(16)));
static gregset_t saved[2];
static int current, left = SWITCHES, started;
static char *second_top;
static void *home, *first;
static volatile long sum;

static FRAME long work(long depth)
{
	long below;

	if (!depth) {
		if (HOW < 7)
			kill(getpid(), SIGUSR1);
		return 1;
	}
	below = work(depth - 1);
	KEEP(below);
	return below + 1;
}

static void in_second(void)
{
	for (long i = 0;; i++)
		sum += work(i % 3);
}

static void in_first(void)
{
	for (long i = 0; left > 0; i++)
		sum += work(i % 3);
	fiber_switch(&first, home);
}

static void on_preempt(int number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	if (left-- <= 0 && !current)
		return;
	memcpy(saved[current], regs, sizeof(saved[0]));
	current = !current;
	if (!started) {
		started = 1;
		memcpy(saved[1], regs, sizeof(saved[0]));
		saved[1][REG_RIP] = (greg_t)in_second;
		saved[1][REG_RSP] = (greg_t)second_top - 8;
	}
	memcpy(regs, saved[current], sizeof(saved[0]));
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

#if HOW == 1
	regs[REG_RIP] += 2; /* ud2 */
#else
	regs[REG_RIP] = *(greg_t *)regs[REG_RSP];
	regs[REG_RSP] += 8;
#endif
	sum++;
}

/* ud2, where the CFA is in r10; and a place where it is rsp+48. */
void by_r10(void);
extern char larger[];
__asm__(".type by_r10, @function\n"
	"by_r10:\n"
	".cfi_startproc\n"
	"	lea 8(%rsp), %r10\n"
	".cfi_def_cfa %r10, 0\n"
	"	ud2\n"
	"	nop\n"
	".cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	".cfi_def_cfa %rsp, 48\n"
	"larger:\n"
	"	nop\n"
	".cfi_endproc\n"
	".size by_r10, .-by_r10\n");

static greg_t *interrupted;

static void change(int number)
{
	int reg = HOW == 7 ? REG_RIP : REG_R10;
	greg_t kept = interrupted[reg];

	interrupted[reg] = HOW == 7 ? (greg_t)larger : kept + 64;
	sum += work(0) + number;
	interrupted[reg] = kept;
}

static void on_by_r10(int number, siginfo_t *info, void *context)
{
	interrupted = ((ucontext_t *)context)->uc_mcontext.gregs;
	interrupted[REG_RIP] += 2;
	if (HOW == 9)
		raise(SIGUSR2);
	else
		change(0);
}

static void on_end(int number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	regs[REG_RSP] -= 8;
	*(greg_t *)regs[REG_RSP] = 0;
	for (int i = 0; i < 20; i++)
		sum += i;
	_exit(sum != 190);
}

static FRAME void fault(void (*volatile target)(void))
{
#if HOW == 1
	__asm__ volatile("ud2");
#else
	target();
#endif
	sum += 2;
}

static int install(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	return sigaction(number, &action, NULL);
}

int main(void)
{
	stack_t on = { .ss_sp = array + 2 * STACK_BYTES, .ss_size = STACK_BYTES };

	if (HOW <= 2) {
		if (install(SIGILL, on_fault, 0) || install(SIGSEGV, on_fault, 0))
			return 1;
		for (int i = 0; i < 3; i++)
			fault(NULL);
		return sum != 9;
	}
	if (HOW >= 7) {
		if (install(SIGILL, on_by_r10, 0) || signal(SIGUSR2, change) == SIG_ERR)
			return 1;
		for (int i = 0; i < 4; i++)
			by_r10();
		return sum == 0;
	}
	if (HOW == 6) {
		if (install(SIGUSR1, on_end, 0))
			return 1;
		kill(getpid(), SIGUSR1);
		return 1;
	}
	if (HOW == 5 && sigaltstack(&on, NULL))
		return 1;
	if (install(SIGUSR1, on_preempt, HOW == 5 ? SA_ONSTACK : 0))
		return 1;
	second_top = array + STACK_BYTES;
	if (HOW == 3) {
		second_top = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		second_top += STACK_BYTES;
		for (long i = 0; left > 0; i++)
			sum += work(i % 3);
		return sum == 0;
	}
	first = fiber_make(array + 2 * STACK_BYTES, in_first);
	fiber_switch(&home, first);
	return sum == 0;
}
