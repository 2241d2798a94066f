/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * signal.c - a handler with a call chain, interrupted by another handler, on the thread's own stack
 *
 * Rules: the signal frame (__restore_rt: augmentation 'S', every register by expression, the PC
 * below it exact rather than a return address) and the C library's CFI for it. Parca and
 * lightswitch do not go through signal frames; profile-bee stops at __restore_rt.
 */
#include <signal.h>
#include <unistd.h>
#include "testprog.h"

static volatile sig_atomic_t inner_calls, outer_calls;

static FRAME int inner_work(int depth)
{
	KEEP(depth);
	return depth + 1;
}

static void on_usr2(int signal)
{
	int depth = inner_work(1);

	KEEP(depth);
	inner_calls += depth == 2;
}

static FRAME int outer_work(int depth)
{
	depth = raise(SIGUSR2) ? -1 : depth + 1;
	KEEP(depth);
	return depth;
}

static void on_usr1(int signal)
{
	int depth = outer_work(1);

	KEEP(depth);
	outer_calls += depth == 2;
}

static FRAME int interrupted(int depth)
{
	depth = kill(getpid(), SIGUSR1) ? -1 : depth + 1;
	KEEP(depth);
	return depth;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_usr1 };

	sigaction(SIGUSR1, &action, 0);
	action.sa_handler = on_usr2;
	sigaction(SIGUSR2, &action, 0);

	int depth = interrupted(1);

	KEEP(depth);
	return depth != 2 || inner_calls != 1 || outer_calls != 1;
}
