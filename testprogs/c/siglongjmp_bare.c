/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * siglongjmp_bare.c - out of a handler, over the signal frame, into the middle of a function
 *
 * Rule: a handler that never returns: neither the restorer nor rt_sigreturn runs, and the
 * interrupted frames go with it. From the thread's own stack, and from an alternate one, where the
 * target lies at higher addresses. The compiler's own setjmp and longjmp are inline: the landing
 * has no call before it, and every callee-saved register is taken as lost there.
 */
#define BARE_SIGNALS
#include "bare.h"
#include "bare_call.h"

#define STACK_BYTES 16384
#define SIGNAL	    10 /* SIGUSR1 */

static char alternate[STACK_BYTES] __attribute__((aligned(16)));
static void *target[5];
static volatile int jumps;

FRAME void jump(void)
{
	jumps++;
	__builtin_longjmp(target, 1);
}

static void on_signal(int signal)
{
	KEEP(signal);
	jump();
}

FRAME long interrupted(long value)
{
	long pid = CALL(__NR_getpid, 0, 0, 0);
	long status = CALL(__NR_kill, pid, SIGNAL, 0);

	KEEP(status);
	return -1;
}

FRAME long after(long value)
{
	KEEP(value);
	return value + 1;
}

FRAME long guarded(long value)
{
	if (__builtin_setjmp(target))
		return after(jumps);
	value = interrupted(value);
	KEEP(value);
	return -1;
}

int run(const unsigned long *stack)
{
	stack_t on = { .ss_sp = alternate, .ss_size = STACK_BYTES };

	if (handle_signal(SIGNAL, on_signal, SA_NODEFER) || guarded(1) != 2)
		return 2;
	if (CALL(__NR_sigaltstack, &on, 0, 0) ||
	    handle_signal(SIGNAL, on_signal, SA_NODEFER | SA_ONSTACK) || guarded(1) != 3)
		return 3;
	return 0;
}
