/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tsc.c - how fast this machine's time-stamp counter goes
 *
 * An emulated guest reads the host's counter (QEMU, cpu_get_host_ticks()), but finds its rate out
 * at boot, against emulated timers: on a busy host it was once off by 8 times, and with it every
 * time limit in the guest. So it is told (tsc_early_khz=). The kernel refines that afterwards, by 1
 * % at most.
 */
#include <stdint.h>
#include <time.h>
#include "tsc.h"

#if defined(__x86_64__)
#include <x86intrin.h>

#define BETWEEN_NS 20000000
#define TRIES	   16

struct moment {
	uint64_t ticks;
	int64_t ns;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Both clocks at once: of several tries, the one that took the least time. */
static struct moment read_both(void)
{
	struct moment best = { 0 };
	int64_t least = INT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		int64_t before = now_ns();
		uint64_t ticks = __rdtsc();
		int64_t after = now_ns();

		if (after - before < least) {
			least = after - before;
			best = (struct moment) { ticks, before + (after - before) / 2 };
		}
	}
	return best;
}

unsigned int tsc_khz(void)
{
	struct timespec wait = { .tv_nsec = BETWEEN_NS };
	struct moment begin = read_both(), end;

	nanosleep(&wait, NULL);
	end = read_both();
	if (end.ticks <= begin.ticks || end.ns <= begin.ns)
		return 0;
	return (double)(end.ticks - begin.ticks) / (end.ns - begin.ns) * 1e6 + 0.5;
}
#else
unsigned int tsc_khz(void)
{
	return 0;
}
#endif
