/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * phases.c - a program whose stack says how long it has been there
 *
 *	phases PROBE START_NS
 *
 * until_P_N is the function that program number P (0 to 2) is in until N milliseconds after START_NS, the moment on
 * CLOCK_MONOTONIC at which exec(3) was called: main calls phases, and that calls until_P_N. So the first
 * of these functions that a profile has tells when the profiler had its first sample of a new process, whether the profile
 * has times or not; and the first that has main around it, when it had its first whole stack. When the last has returned
 * the program waits to be killed: profilers that name addresses late find it alive.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "../c/testprog.h"

#define PROBES 3
/* harness/lab/costs/costs_first.c knows where each begins. */
#define PHASES(phase, probe)                                                                       \
	phase(probe, 1) phase(probe, 2) phase(probe, 3) phase(probe, 4) phase(probe, 5)            \
		phase(probe, 6) phase(probe, 8) phase(probe, 10) phase(probe, 12) phase(probe, 15) \
			phase(probe, 20) phase(probe, 25) phase(probe, 30) phase(probe, 40) phase( \
				probe, 50) phase(probe, 60) phase(probe, 80) phase(probe, 100)     \
				phase(probe, 120) phase(probe, 150) phase(probe, 200)              \
					phase(probe, 250) phase(probe, 300) phase(probe, 400)      \
						phase(probe, 500) phase(probe, 600)                \
							phase(probe, 800) phase(probe, 1000)       \
								phase(probe, 1200)                 \
									phase(probe, 1500)         \
										phase(probe, 2000)

/* Rarely in the clock's code, so that the function that is sampled is the caller: profilers that have only that know it. */
static inline __attribute__((always_inline)) uint64_t spin(uint64_t end_ns)
{
	struct timespec now;
	uint64_t now_ns;

	do {
		for (int i = 0; i < 10000; i++)
			KEEP(i);
		clock_gettime(CLOCK_MONOTONIC, &now);
		now_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	} while (now_ns < end_ns);
	return now_ns;
}

/* What it adds makes it different from all others: equal functions would become one. */
#define PHASE(probe, ms)                                                                           \
	static FRAME uint64_t until_##probe##_##ms(uint64_t start_ns)                              \
	{                                                                                          \
		uint64_t at_ns = spin(start_ns + ms * 1000000ull) + probe;                         \
                                                                                                   \
		KEEP(at_ns);                                                                       \
		return at_ns + ms;                                                                 \
	}
PHASES(PHASE, 0)
PHASES(PHASE, 1)
PHASES(PHASE, 2)

#define NAME(probe, ms) until_##probe##_##ms,
static uint64_t (*const all[PROBES][40])(uint64_t) = { { PHASES(NAME, 0) },
						       { PHASES(NAME, 1) },
						       { PHASES(NAME, 2) } };

static FRAME uint64_t phases(unsigned int probe, uint64_t start_ns)
{
	uint64_t sum = 0;

	for (int i = 0; i < 40 && all[probe][i]; i++) {
		sum += all[probe][i](start_ns);
		KEEP(sum);
	}
	return sum;
}

int main(int argc, char **argv)
{
	if (argc != 3 || atoi(argv[1]) < 0 || atoi(argv[1]) >= PROBES)
		return 2;
	uint64_t sum = phases(atoi(argv[1]), strtoull(argv[2], NULL, 10));

	KEEP(sum);
	for (;;)
		pause();
}
