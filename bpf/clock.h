/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * clock.h - CLOCK_MONOTONIC, the clock that never goes back (clock_gettime(2))
 */
#ifndef STACKPROOF_CLOCK_H
#define STACKPROOF_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline int64_t monotonic_ms(void)
{
	return (int64_t)(monotonic_ns() / 1000000);
}

static inline double monotonic_seconds(void)
{
	return (double)monotonic_ns() / 1e9;
}

#endif
