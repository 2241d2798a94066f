/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * patience.h - waiting for what another process must do first
 *
 * On a busy machine a process runs seldom, and how much it did in some milliseconds says nothing.
 * So a test waits for what it counts, or for the time that the process was on a CPU. What ends the
 * waiting without it is only there for what never comes.
 */
#ifndef STACKPROOF_PATIENCE_H
#define STACKPROOF_PATIENCE_H

#include <check.h>
#include <linux/membarrier.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include "clock.h"

#define PATIENCE_S	   100
#define PATIENCE_TIMEOUT_S 900 /* of a test that waits several times */

/* Until when to wait for something. */
static inline uint64_t patience(void)
{
	return monotonic_ns() + PATIENCE_S * 1000000000ull;
}

static inline void nap(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/* Sleeps for ms milliseconds. False: it took too long. To be asked behind the condition. */
static inline bool waits(uint64_t until_ns, long ms)
{
	nap(ms);
	return monotonic_ns() < until_ns;
}

/* How long a process was on a CPU. */
static inline uint64_t process_cpu_ns(pid_t pid)
{
	struct timespec time = { 0 };
	clockid_t clock;

	ck_assert(!clock_getcpuclockid(pid, &clock) && !clock_gettime(clock, &time));
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

/* Until a process has been on a CPU for so long, from now on. */
static inline void await_cpu(pid_t pid, uint64_t ms)
{
	uint64_t wanted = process_cpu_ns(pid) + ms * 1000000, until = patience();

	while (process_cpu_ns(pid) < wanted)
		ck_assert_msg(waits(until, 1), "the process does not run");
}

/* Until every BPF program that was running has ended: they run under RCU's lock, and the kernel
 * waits for a grace period here (membarrier(2)). */
static inline void await_programs(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0))
		nap(500); /* CONFIG_NO_HZ_FULL */
}

#endif
