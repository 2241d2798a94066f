/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * leaderless.h - a child whose first thread has ended, while another lives
 *
 * Its memory is this process's at the fork, so addresses here are addresses there.
 */
#ifndef STACKPROOF_TESTS_LEADERLESS_H
#define STACKPROOF_TESTS_LEADERLESS_H

#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct leaderless {
	pid_t pid; /* the child's, and its dead first thread's */
	pid_t tid; /* the one that lives */
};

struct leaderless_child {
	pthread_t first;
	int tell;
};

static inline void *leaderless_live(void *argument)
{
	struct leaderless_child *child = argument;
	pid_t tid = syscall(SYS_gettid);

	pthread_join(child->first, NULL);
	if (write(child->tell, &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	for (;;)
		pause();
}

static inline struct leaderless leaderless_start(void)
{
	static struct leaderless_child child;
	struct leaderless started = { 0 };
	pthread_t thread;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	started.pid = fork();
	ck_assert_int_ge(started.pid, 0);
	if (!started.pid) {
		child = (struct leaderless_child) { pthread_self(), ends[1] };
		if (pthread_create(&thread, NULL, leaderless_live, &child))
			_exit(1);
		pthread_exit(NULL);
	}
	ck_assert_int_eq(read(ends[0], &started.tid, sizeof(started.tid)), sizeof(started.tid));
	close(ends[0]);
	close(ends[1]);
	return started;
}

static inline void leaderless_end(const struct leaderless *started)
{
	kill(started->pid, SIGKILL);
	waitpid(started->pid, NULL, 0);
}

#endif
