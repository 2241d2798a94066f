/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * array_signal_stack.c - a signal stack that is an array in a live frame, left by siglongjmp
 *
 * Rule: longjmp's rows name who it jumps to, and that one's stack lies below the handler's. HOW 1: the array
 * begins where rsp is. HOW 2: setcontext in place of siglongjmp.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#define ROUNDS 3

static sigjmp_buf back;
static ucontext_t context;
static volatile int handled;

static void leave(int signal)
{
	handled++;
#if HOW == 1
	siglongjmp(back, 1);
#else
	setcontext(&context);
#endif
}

__attribute__((noinline)) static void round_trip(void)
{
	char array[32768];
	stack_t stack = { .ss_sp = array, .ss_size = sizeof(array) };
	volatile int before = handled;

	sigaltstack(&stack, NULL);
#if HOW == 1
	if (!sigsetjmp(back, 1))
		raise(SIGUSR1);
#else
	getcontext(&context);
	if (handled == before)
		raise(SIGUSR1);
#endif
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	(void)before;
}

int main(void)
{
	struct sigaction action = { .sa_handler = leave, .sa_flags = SA_ONSTACK | SA_NODEFER };

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < ROUNDS; i++)
		round_trip();
	return handled != ROUNDS;
}
