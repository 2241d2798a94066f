/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * signal_first.c - a signal at a function's first instruction
 *
 * Rule: below a signal frame the PC is where the thread was, not a return address, so it is looked up as it
 * is. A walker that subtracts one from every PC but the first finds the function before (here
 * `neighbour`, whose CFI says something else) and goes astray. The function begins with ud2 (SIGILL); the
 * handler steps over it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>
#include "testprog.h"

int faults_first(int depth);

/* neighbour ends where faults_first begins, with a CFA that is wrong for it. */
__asm__(".text\n"
	".type neighbour, @function\n"
	"neighbour:\n"
	".cfi_startproc\n"
	"	sub	$72, %rsp\n"
	".cfi_adjust_cfa_offset 72\n"
	"	ud2\n"
	".cfi_endproc\n"
	".size neighbour, . - neighbour\n"
	".type faults_first, @function\n"
	"faults_first:\n"
	".cfi_startproc\n"
	"	ud2\n"
	"	lea	1(%rdi), %eax\n"
	"	ret\n"
	".cfi_endproc\n"
	".size faults_first, . - faults_first\n");

static volatile sig_atomic_t calls;

static FRAME int in_handler(int depth)
{
	KEEP(depth);
	return depth + 1;
}

static void on_ill(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	int depth = in_handler(1);

	KEEP(depth);
	calls += depth == 2;
	interrupted->uc_mcontext.gregs[REG_RIP] += 2; /* ud2 is two bytes */
}

static FRAME int caller(int depth)
{
	depth = faults_first(depth + 1);
	KEEP(depth);
	return depth;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_ill, .sa_flags = SA_SIGINFO };

	if (sigaction(SIGILL, &action, 0))
		return 1;

	int depth = caller(1);

	KEEP(depth);
	return depth != 3 || calls != 1;
}
