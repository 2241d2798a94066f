/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_timers.c - timers that fire too often for a program that is so slow
 *
 * A stepped program is some thousand times as slow as natively, but its timers are not. A handler
 * of 500 instructions, called every millisecond, takes all the time there is, and the program comes
 * to nothing. So a timer's signal waits until the thread has executed STEPS_BETWEEN instructions
 * since a handler was last entered or left. Signals of one kind become one meanwhile, as they do
 * while they are blocked. A busy machine does no other.
 *
 * A signal that meets the thread at a system call does not wait: the program may wait for it there.
 * But it does if a handler has just returned to that call, or the call would never be made.
 *
 * Signals of timers are counted: where there are many, the program has seen another clock than it
 * does natively.
 */
#include <sys/ptrace.h>
#include "tracer.h"

#define STEPS_BETWEEN 1000

/* setitimer's and alarm's come from the kernel, timer_create's say what they are. */
static bool is_from_timer(const siginfo_t *info)
{
	bool of_itimer = info->si_signo == SIGALRM || info->si_signo == SIGVTALRM ||
			 info->si_signo == SIGPROF;

	return info->si_code == SI_TIMER || (of_itimer && info->si_code == SI_KERNEL);
}

static bool must_wait(const struct thread *thread)
{
	uint64_t steps = thread->steps - thread->timers.since;

	if (call_was_interrupted(&thread->core.regs))
		return false;
	return thread->core.next.kind == INSTRUCTION_SYSCALL ? steps == 0 : steps < STEPS_BETWEEN;
}

bool thread_timer_holds(struct tracer *tracer, struct thread *thread, int signal)
{
	struct timer_watch *timers = &thread->timers;
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, thread->core.tid, NULL, &info) || !is_from_timer(&info))
		return false;
	tracer->counters.timer_signals++;
	if (!must_wait(thread)) {
		timers->since = thread->steps;
		if (timers->held == signal)
			timers->held = 0; /* two that wait are one */
		return false;
	}
	if (timers->held && timers->held != signal)
		return false;
	tracer->counters.timer_signals_late++;
	timers->held = signal;
	timers->info = info;
	return true;
}

int thread_timer_due(struct tracer *tracer, struct thread *thread)
{
	struct timer_watch *timers = &thread->timers;
	int signal = timers->held;

	if (!signal || must_wait(thread))
		return 0;
	timers->held = 0;
	timers->since = thread->steps;
	return signal;
}
