/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * target_follow.h - runs a program that nobody steps, and tells when its code may have changed
 *
 * It is traced, but stops only where it has executed a program, at that one's entry point, and at its system calls: so
 * who is told of its mappings has them before code in a new one runs. Its threads are followed, the processes that it
 * makes are not.
 */
#ifndef STACKPROOF_TARGET_FOLLOW_H
#define STACKPROOF_TARGET_FOLLOW_H

#include "target_start.h"

/* Each returns 0; or -1, with the caller's error set, and the program is killed. */
struct target_follower {
	int (*on_start)(void *context,
			pid_t pid);	   /* it is about to execute the program, and waits */
	int (*on_exec)(void *context);	   /* it has; its entry point comes next */
	int (*on_mappings)(void *context); /* at the entry point, and when they may be others */
	int (*on_turn)(void *context);	   /* now and then, and when wake_fd is readable */
	int wake_fd;			   /* epoll(7) */
	void *context;
};

/*
 * Runs the program to its end, at most so long (0: for ever). *ret_status: as of waitpid(2). -1: it could not be executed,
 * ERROR_TIMEOUT, or what a function has set; then it was killed. The calling thread must have no other children that
 * it waits for with waitpid(-1).
 */
int target_follow(const struct target_program *program, unsigned timeout_ms,
		  const struct target_follower *follower, int *ret_status, struct error *error);

#endif
