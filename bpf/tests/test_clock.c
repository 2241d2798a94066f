/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_clock.c - the clock is the kernel's, in each unit
 */
#include <stdlib.h>
#include <time.h>
#include "tests/suite.h"
#include "clock.h"

/* By other words than clock.h's. */
static uint64_t kernels_ns(void)
{
	struct timespec now;

	ck_assert(!clock_gettime(CLOCK_MONOTONIC, &now));
	return now.tv_sec * UINT64_C(1000) * 1000 * 1000 + now.tv_nsec;
}

/* However long it takes: what was before is before, and what came after is after. */
START_TEST(clock_is_the_kernels)
{
	for (int round = 0; round < 1000; round++) {
		uint64_t before = kernels_ns(), ns = monotonic_ns(), after = kernels_ns();
		int64_t ms = monotonic_ms();
		double seconds = monotonic_seconds();
		uint64_t end = kernels_ns();

		ck_assert(before <= ns && ns <= after);
		ck_assert(ms >= (int64_t)(after / 1000 / 1000));
		ck_assert(ms <= (int64_t)(end / 1000 / 1000));
		ck_assert(seconds >= (double)after / 1e9 && seconds <= (double)end / 1e9);
	}
}
END_TEST

SUITE(clock, TEST(clock_is_the_kernels))
