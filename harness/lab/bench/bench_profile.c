/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_profile.c - what a profiler takes from a thread that has a CPU for itself
 *
 * How much slower a program gets can't be told from the noise of its own runs. So a thread with a real-time priority
 * looks at the clock again and again, FRAMES frames deep, and adds up the gaps: what else ran on its CPU. Once without
 * a profiler, and then with each: the difference is what the profiler took, with all that the kernel did for it. The
 * profilers themselves run on other CPUs, and are no part of it but for their wake-ups.
 *
 * Less than the clock itself no profiler can take: an event of the same rate that nobody looks at says how much that is.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/child/child.h"
#include "bench.h"
#include "clock.h"

#define RATE_HZ	   997
#define RATE_TEXT  "997"
#define FRAMES	   31
#define SETTLE_MS  2000 /* until a profiler has begun */
#define MEASURE_NS 2000000000ull
#define GAP_NS	   400 /* looking at the clock takes less */
#define GAP_MOST_NS                                                                                \
	1000000 /* no interrupt's: real-time threads are throttled, and the machine may be a guest */
#define PRIORITY 50 /* above a profiler's own */

/* ---- the thread --------------------------------------------------------------------------- */

/* The nanoseconds in gaps, from so many more frames down. */
__attribute__((noinline)) static uint64_t look(unsigned int frames, uint64_t end_ns)
{
	uint64_t taken = 0, before = monotonic_ns(), now;

	if (frames > 1) {
		taken = look(frames - 1, end_ns);
		__asm__ volatile("" : "+r"(taken)); /* no tail call */
		return taken;
	}
	for (; before < end_ns; before = now) {
		now = monotonic_ns();
		if (now - before > GAP_NS && now - before < GAP_MOST_NS)
			taken += now - before;
	}
	return taken;
}

static long last_cpu(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) - 1;
}

static int be_alone(void)
{
	const struct sched_param parameter = { .sched_priority = PRIORITY };
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(last_cpu(), &cpu);
	return sched_setaffinity(0, sizeof(cpu), &cpu) ||
	       sched_setscheduler(0, SCHED_FIFO, &parameter);
}

/* Per cent of a CPU. */
static int measure(double *ret, struct error *error)
{
	uint64_t taken = UINT64_MAX;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return error_set_errno(error, "pipe");
	pid = child_fork();
	if (!pid) {
		if (!be_alone())
			taken = look(FRAMES, monotonic_ns() + MEASURE_NS);
		_exit(write(ends[1], &taken, sizeof(taken)) != sizeof(taken));
	}
	close(ends[1]);
	if (pid > 0 && read(ends[0], &taken, sizeof(taken)) != sizeof(taken))
		taken = UINT64_MAX;
	close(ends[0]);
	if (pid > 0)
		child_end(pid, false);
	if (taken == UINT64_MAX)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "no CPU for a thread with a real-time priority");
	*ret = 100.0 * taken / MEASURE_NS;
	return 0;
}

/* ---- profilers ---------------------------------------------------------------------------- */

static int measure_beside_clock(double *ret, struct error *error)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(clock),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = RATE_HZ,
		.freq = 1,
	};
	FD_CLOSED int fd = syscall(SYS_perf_event_open, &clock, -1, last_cpu(), -1,
				   PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? error_set_errno(error, "opening a clock") : measure(ret, error);
}

static int measure_beside(const char *const *argv, double *ret, struct error *error)
{
	const struct child_command command = { .argv = argv };
	const struct timespec settle = { .tv_sec = SETTLE_MS / 1000 };
	pid_t pid = child_start(&command, NULL, error);
	int status;

	if (pid < 0)
		return -1;
	nanosleep(&settle, NULL);
	status = kill(pid, 0) ? error_set(error, ERROR_UNAVAILABLE, "", 0, "%s has ended", argv[0])
			      : measure(ret, error);
	child_end(pid, true);
	return status;
}

int bench_profile_taken(const struct bench_options *options, struct bench_figure *ret,
			struct error *error)
{
	double ours[BENCH_RUNS_MAX], perfs[BENCH_RUNS_MAX], none[BENCH_RUNS_MAX];
	double clock[BENCH_RUNS_MAX];
	char self[4096], perf[4096];
	const char *const our_argv[] = { self,	    "profile",	"--all",     "--rate",
					 RATE_TEXT, "--output", "/dev/null", NULL };
	const char *const perf_argv[] = { perf,	     "record", "-q", "-a",	  "-F",
					  RATE_TEXT, "-g",     "-o", "/dev/null", NULL };

	if (child_self(self, sizeof(self), error))
		return -1;
	if (child_find("perf", perf, sizeof(perf)))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "perf is not installed");
	for (unsigned int i = 0; i < options->runs; i++) {
		if (measure(&none[i], error) || measure_beside_clock(&clock[i], error) ||
		    measure_beside(our_argv, &ours[i], error) ||
		    measure_beside(perf_argv, &perfs[i], error))
			return -1;
		clock[i] -= none[i];
		ours[i] -= none[i];
		perfs[i] -= none[i];
	}
	ret->value = bench_median(ours, options->runs);
	ret->unit = "%";
	ret->reference = "perf record with frame pointers";
	ret->reference_value = bench_median(perfs, options->runs);
	ret->ratio = ret->value / ret->reference_value;
	snprintf(ret->note, sizeof(ret->note),
		 "of a CPU, from a thread %d frames deep, at %d Hz, with the kernel's stacks: "
		 "%.1f and %.1f us a sample; the clock alone takes %.2f %%, and %.2f %% are taken "
		 "without one",
		 FRAMES, RATE_HZ, ret->value * 1e4 / RATE_HZ, ret->reference_value * 1e4 / RATE_HZ,
		 bench_median(clock, options->runs), bench_median(none, options->runs));
	return 0;
}
