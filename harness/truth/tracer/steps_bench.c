/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * steps_bench.c - how fast the tracer is, beside what the machine can do
 *
 * The reference is a program that single-steps itself: it sets the trap flag (EFLAGS.TF, Intel SDM
 * volume 3, 17.3.1.4) and its SIGTRAP handler only counts. Each instruction then costs a trap, a
 * signal and an rt_sigreturn, but no context switch. A tracer needs two of those and three system
 * calls more per step, so it can come near to the reference and not reach it.
 *
 * Both step the same function in a forked child of this process on one CPU. Runs alternate, so that
 * what else the machine does hits both alike; the medians are compared.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "truth.h"

#define ITERATIONS     5000 /* about 25,000 instructions: half a second */
#define NS_PER_SECOND  1e9
#define CHILD_FAILED   1
#define STEPS_EXPECTED ITERATIONS /* at least one an iteration, or nothing was stepped */

struct self_result {
	uint64_t steps;
	uint64_t ns;
};

/* What both step: arithmetic, memory, a branch. */
static int __attribute__((noinline)) workload(void *context)
{
	volatile uint32_t state = 1;

	for (int i = 0; i < ITERATIONS; i++)
		state = state * 1664525 + 1013904223;
	return 0;
}

/* The only place that a signal handler without arguments can count in; of the child's copy alone.
 */
static volatile uint64_t traps;

static void count_trap(int signal)
{
	traps++;
}

/* Turns the trap flag, 0x100, over. GCC's __readeflags() pushes within a function whose rows don't say so:
 * what is held against the truth should be right itself. */
void flip_trap_flag(void);
__asm__(".text\n"
	"flip_trap_flag:\n"
	"	.cfi_startproc\n"
	"	pushfq\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	xorq $0x100, (%rsp)\n"
	"	popfq\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n");

static void __attribute__((noreturn)) step_self(int result_fd)
{
	struct sigaction action = { .sa_handler = count_trap };
	struct self_result result;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (sigaction(SIGTRAP, &action, NULL))
		_exit(CHILD_FAILED);

	uint64_t start = monotonic_ns();

	flip_trap_flag();
	workload(NULL);
	flip_trap_flag();
	result = (struct self_result) { .steps = traps, .ns = monotonic_ns() - start };
	if (write(result_fd, &result, sizeof(result)) != sizeof(result))
		_exit(CHILD_FAILED);
	_exit(0);
}

static int measure_self(double *ret_steps_per_s, struct error *error)
{
	struct self_result result = { 0 };
	int fd[2];

	if (pipe(fd))
		return error_set_errno(error, "pipe");

	pid_t pid = fork();

	if (pid == 0) {
		close(fd[0]);
		step_self(fd[1]);
	}
	close(fd[1]);

	bool got = pid > 0 && read(fd[0], &result, sizeof(result)) == sizeof(result);

	close(fd[0]);
	if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	if (!got || result.steps < STEPS_EXPECTED || !result.ns)
		return error_set(error, ERROR_UNAVAILABLE, NULL, 0,
				 "a program could not single-step itself");
	*ret_steps_per_s = result.steps * NS_PER_SECOND / result.ns;
	return 0;
}

static int measure_tracer(double *ret_steps_per_s, struct error *error)
{
	struct tracer_options options = { .function = workload };
	struct tracer_callbacks callbacks = { 0 };
	struct tracer_counters counters;
	int status;
	uint64_t start = monotonic_ns();

	if (tracer_run(&options, &callbacks, &counters, &status, error))
		return -1;
	if (counters.steps < STEPS_EXPECTED || !WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(error, ERROR_PROTOCOL, NULL, 0,
				 "the traced function made %llu steps and ended with status 0x%x",
				 (unsigned long long)counters.steps, status);
	*ret_steps_per_s = counters.steps * NS_PER_SECOND / (monotonic_ns() - start);
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

static double median(double *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return values[count / 2];
}

int bench_steps(unsigned int rounds, double *ret_tracer_steps_per_s, double *ret_self_steps_per_s,
		struct error *error)
{
	double tracer[BENCH_STEPS_ROUNDS];
	double self[BENCH_STEPS_ROUNDS];

	for (unsigned int i = 0; i < rounds; i++)
		if (measure_tracer(&tracer[i], error) || measure_self(&self[i], error))
			return -1;
	*ret_tracer_steps_per_s = median(tracer, rounds);
	*ret_self_steps_per_s = median(self, rounds);
	return 0;
}
