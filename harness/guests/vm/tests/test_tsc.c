/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tsc.c - the time-stamp counter's rate, by a clock of this test's own
 *
 * The clock goes as the machine's does, or by a factor, or not at all. On a machine whose counter
 * does not go evenly nothing can be said.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tests/suite.h"
#include "guests/vm/tsc.h"

static double factor = 1;
static struct timespec first; /* from there on the clock goes by the factor */

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int status = (int)syscall(SYS_clock_gettime, clock, ret);

	if (clock != CLOCK_MONOTONIC_RAW)
		return status;
	double ns = (double)(ret->tv_sec - first.tv_sec) * 1e9 +
		    (double)(ret->tv_nsec - first.tv_nsec);
	/* Seconds are passed on the way. */
	int64_t now = 5999000000 + (int64_t)(ns * factor);
	ret->tv_sec = now / 1000000000;
	ret->tv_nsec = now % 1000000000;
	return status;
}

/* Of some, the one in the middle. */
static double rate(double by)
{
	double all[7];

	factor = by;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &first);
	for (int i = 0; i < 7; i++) {
		double one = tsc_khz();
		int at = i;

		for (; at && all[at - 1] > one; at--)
			all[at] = all[at - 1];
		all[at] = one;
	}
	factor = 1;
	return all[3];
}

START_TEST(rate_is_by_the_clock)
{
#if defined(__x86_64__)
	double plain = rate(1), fast = rate(2), slow = rate(0.5);

	/* From 200 MHz to 20 GHz: kHz, and not another unit. */
	ck_assert_double_gt(plain, 2e5);
	ck_assert_double_lt(plain, 2e7);
	ck_assert_msg(plain / fast > 1.8 && plain / fast < 2.2, "%g, %g", plain, fast);
	ck_assert_msg(slow / plain > 1.8 && slow / plain < 2.2, "%g, %g", plain, slow);
#endif
	ck_assert_double_eq(rate(0), 0);
	ck_assert_double_eq(rate(-1), 0);
}
END_TEST

SUITE(tsc, TEST(rate_is_by_the_clock))
