/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * signal_onstack.c - a handler on its own stack (sigaltstack, SA_ONSTACK)
 *
 * Rule: below the signal frame the CFA goes to another stack, upwards or downwards; "the CFA must
 * grow" holds only on one stack. The alternate stack is in .bss, so below the thread's.
 */
#include <signal.h>
#include <unistd.h>
#include "testprog.h"

static char handler_stack[16 * 1024] __attribute__((aligned(16)));
static volatile sig_atomic_t calls;

static FRAME int on_handler_stack(int depth)
{
	char here;
	char *pointer = &here;

	KEEP(pointer);
	return pointer >= handler_stack && pointer < handler_stack + sizeof(handler_stack)
		       ? depth + 1
		       : -1;
}

static void on_usr1(int signal)
{
	int depth = on_handler_stack(1);

	KEEP(depth);
	calls += depth == 2;
}

static FRAME int interrupted(int depth)
{
	depth = kill(getpid(), SIGUSR1) ? -1 : depth + 1;
	KEEP(depth);
	return depth;
}

int main(void)
{
	stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	struct sigaction action = { .sa_handler = on_usr1, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&stack, 0) || sigaction(SIGUSR1, &action, 0))
		return 1;

	int depth = interrupted(1);

	KEEP(depth);
	return depth != 2 || calls != 1;
}
