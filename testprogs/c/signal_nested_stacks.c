/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * signal_nested_stacks.c - a handler on its own stack, interrupted by one on the same stack, which
 * is interrupted by one on a third
 *
 * Rule: the kernel takes the alternate stack only where the thread is not on it already
 * (signal(7)); with SS_AUTODISARM it forgets it, and a handler may set another. So a stack of three
 * handlers lies on two alternate stacks and the thread's own, in any order of addresses.
 */
#define BARE_SIGNALS
#include "bare.h"
#include "bare_call.h"

#define STACK_BYTES 16384
#define SIGNAL_A    10 /* SIGUSR1 */
#define SIGNAL_B    12 /* SIGUSR2 */
#define SIGNAL_C    17 /* SIGCHLD */

static char stacks[2][STACK_BYTES] __attribute__((aligned(16)));
static volatile int depth, deepest;

FRAME long use_stack(int which)
{
	stack_t stack = { .ss_sp = stacks[which],
			  .ss_flags = (int)SS_AUTODISARM,
			  .ss_size = STACK_BYTES };

	return CALL(__NR_sigaltstack, &stack, 0, 0);
}

FRAME long raise_signal(int signal)
{
	long pid = CALL(__NR_getpid, 0, 0, 0);
	long status = CALL(__NR_kill, pid, signal, 0);

	KEEP(status);
	return status;
}

static void on_c(int signal)
{
	deepest = depth + 1;
}

static void on_b(int signal)
{
	depth++;
	use_stack(1);
	raise_signal(SIGNAL_C);
	depth--;
}

static void on_a(int signal)
{
	depth++;
	raise_signal(SIGNAL_B);
	depth--;
}

FRAME long interrupted(int signal)
{
	long status = raise_signal(signal);

	KEEP(status);
	return status;
}

int run(const unsigned long *stack)
{
	if (use_stack(0) || handle_signal(SIGNAL_A, on_a, SA_ONSTACK) ||
	    handle_signal(SIGNAL_B, on_b, SA_ONSTACK) || handle_signal(SIGNAL_C, on_c, SA_ONSTACK))
		return 2;
	return interrupted(SIGNAL_A) || deepest != 3 || depth;
}
