/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs.c - pairs of runs: the work by itself, and beside a profiler
 *
 * The two runs of a pair follow each other, so that both meet the same machine, and the order turns from pair to pair:
 * what grows steadily (heat, others' work) is on both sides alike. A profiler is started and ended for each pair, and the
 * work begins when it had time to settle. Then, once, it meets new processes, while the work goes on without end:
 * that run is no pair's.
 */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "clock.h"
#include "costs.h"
#include "lab/bench/bench.h"

#define SETTLE_TIMES	     10 /* of what it is given, at most */
#define SETTLE_TIMES_UNKNOWN 3
#define SETTLE_POLL_MS	     100

/* What is seen of a profiler in one run. */
struct seen {
	struct costs_work_time work;
	double cpu_percent, bpf_percent, cpu_s, bytes_per_minute;
	struct costs_kernel kernel;
	uint64_t peak_bytes;
};

static int run_alone(struct costs_machine *machine, const struct costs_options *options,
		     struct costs_work_time *ret, struct error *error)
{
	int status = costs_work_start(&machine->work, error) ||
		     costs_work_wait(&machine->work, options->signals, ret, error);

	costs_work_kill(&machine->work);
	return status ? -1 : 0;
}

/* More than a run beside it takes, which a profiler may be told. */
static unsigned int seconds_for(const struct costs_machine *machine,
				const struct costs_options *options)
{
	return SETTLE_TIMES * options->settle_ms / 1000 +
	       2 * (unsigned int)machine->usual.elapsed_s + 2;
}

/* It has begun if a BPF program of it has run or, where it has none, it has mapped a buffer. */
static bool has_begun(const struct costs_machine *machine, const struct costs_kernel *kernel)
{
	return kernel->programs && machine->stats >= 0 ? kernel->runs : kernel->buffer_bytes;
}

/*
 * Waits until a profiler has begun, which on a busy machine takes longer than it is given. Of one that has neither
 * programs nor buffers nobody knows, and the work begins sooner. ret: its processes then, and what they hold.
 */
static int settle(const struct costs_machine *machine, const struct costs_options *options,
		  const struct costs_running *running, const struct costs_work *work,
		  struct costs_tree *ret, struct costs_kernel *ret_kernel, struct error *error)
{
	int64_t begin_ms = monotonic_ms(), most_ms;
	unsigned int wait_ms = options->settle_ms;

	do {
		if (costs_sleep(options->signals, wait_ms, error) ||
		    costs_profiler_check(running, error) || costs_tree_read(ret, work, error) ||
		    costs_kernel_read(ret_kernel, ret, error))
			return -1;
		wait_ms = SETTLE_POLL_MS;
		most_ms = ret_kernel->programs ? SETTLE_TIMES : SETTLE_TIMES_UNKNOWN;
		most_ms *= options->settle_ms;
	} while (!has_begun(machine, ret_kernel) && monotonic_ms() - begin_ms < most_ms);
	return 0;
}

/* The work beside a profiler that has been started. */
static int run_beside(struct costs_machine *machine, const struct costs_options *options,
		      struct costs_running *running, struct seen *ret, struct error *error)
{
	struct costs_tree before DEINIT(costs_tree_deinit) = { 0 };
	struct costs_kernel kernel;
	uint64_t bytes;

	if (settle(machine, options, running, &machine->work, &before, &kernel, error) ||
	    run_alone(machine, options, &ret->work, error) ||
	    costs_tree_read(&running->tree, &machine->work, error) ||
	    costs_profiler_check(running, error) ||
	    costs_kernel_read(&ret->kernel, &running->tree, error))
		return -1;

	const double machine_ns = ret->work.elapsed_s * 1e9 * machine->cpus;

	ret->cpu_percent = 100 * costs_tree_cpu_ns(&before, &running->tree) / machine_ns;
	if (ret->kernel.run_ns >= kernel.run_ns)
		ret->bpf_percent = 100 * (ret->kernel.run_ns - kernel.run_ns) / machine_ns;
	if (costs_profiler_end(running, &machine->work, options->signals, &bytes, error))
		return -1;
	ret->cpu_s = running->cpu_s;
	ret->peak_bytes = running->peak_bytes;
	ret->bytes_per_minute = bytes * 60 / ret->work.elapsed_s;
	return 0;
}

static int run_profiled(struct costs_machine *machine, const struct costs_options *options,
			const struct costs_result *of, struct seen *ret, struct error *error)
{
	struct costs_running running;
	int status = costs_profiler_start(&running, of->profiler, of->rate_hz,
					  seconds_for(machine, options), error);

	if (!status)
		status = run_beside(machine, options, &running, ret, error);
	costs_profiler_deinit(&running, &machine->work);
	return status;
}

/* ---- new processes -------------------------------------------------------------------------- */

static int meet_new(struct costs_machine *machine, const struct costs_options *options,
		    struct costs_result *ret, struct error *error)
{
	struct costs_running running;
	struct costs_kernel kernel;
	struct costs_work endless;
	char path[4200];
	uint64_t bytes;
	int status = -1;

	if (costs_work_init(&endless, options->programs, 100, true, error))
		return -1;
	if (costs_profiler_start(&running, ret->profiler, ret->rate_hz,
				 seconds_for(machine, options) + 10, error) ||
	    settle(machine, options, &running, &endless, &running.tree, &kernel, error) ||
	    costs_work_start(&endless, error) ||
	    costs_probes_run(&endless, options->programs, options->signals, error) ||
	    costs_profiler_check(&running, error))
		goto out;
	/* The probes stay: some profilers look for names only now. */
	costs_work_kill(&endless);
	if (costs_profiler_end(&running, &endless, options->signals, &bytes, error))
		goto out;
	costs_profile_path(&running, path);
	status = costs_first_read(path, &ret->first, error);
out:
	costs_profiler_deinit(&running, &endless);
	costs_probes_kill(&endless);
	costs_work_kill(&endless);
	return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

int costs_machine_init(struct costs_machine *ret, const struct costs_options *options,
		       struct error *error)
{
	*ret = (struct costs_machine) { .cpus = sysconf(_SC_NPROCESSORS_ONLN),
					.stats = bpf_enable_stats(BPF_STATS_RUN_TIME) };
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (costs_work_init(&ret->work, options->programs, options->work, false, error) ||
	    run_alone(ret, options, &ret->usual, error))
		return -1;
	return 0;
}

void costs_machine_deinit(struct costs_machine *machine)
{
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	if (machine->stats >= 0)
		close(machine->stats);
}

static void most(uint64_t *ret, uint64_t other)
{
	if (*ret < other)
		*ret = other;
}

/* What all pairs say. */
static int conclude(struct costs_result *ret, const struct costs_work_time *alone,
		    const struct seen *seen, struct error *error)
{
	double cpu[COSTS_PAIRS_MAX], elapsed[COSTS_PAIRS_MAX], own[COSTS_PAIRS_MAX];
	double bpf[COSTS_PAIRS_MAX], own_s[COSTS_PAIRS_MAX], bytes[COSTS_PAIRS_MAX];
	double alone_cpu[COSTS_PAIRS_MAX], alone_elapsed[COSTS_PAIRS_MAX];

	for (unsigned int i = 0; i < ret->pairs; i++) {
		cpu[i] = 100 * (seen[i].work.cpu_s / alone[i].cpu_s - 1);
		elapsed[i] = 100 * (seen[i].work.elapsed_s / alone[i].elapsed_s - 1);
		own[i] = seen[i].cpu_percent;
		bpf[i] = seen[i].bpf_percent;
		own_s[i] = seen[i].cpu_s;
		bytes[i] = seen[i].bytes_per_minute;
		alone_cpu[i] = alone[i].cpu_s;
		alone_elapsed[i] = alone[i].elapsed_s;
		most(&ret->kernel.map_bytes, seen[i].kernel.map_bytes);
		most(&ret->kernel.program_bytes, seen[i].kernel.program_bytes);
		most(&ret->kernel.buffer_bytes, seen[i].kernel.buffer_bytes);
		most(&ret->resident_bytes, seen[i].peak_bytes);
		ret->has_bpf |= seen[i].kernel.runs > 0;
	}
	ret->bpf_percent = bench_median(bpf, ret->pairs);
	ret->cpu_s = bench_median(own_s, ret->pairs);
	ret->bytes_per_minute = bench_median(bytes, ret->pairs);
	ret->work_cpu_s = bench_median(alone_cpu, ret->pairs);
	ret->work_elapsed_s = bench_median(alone_elapsed, ret->pairs);
	return costs_interval(cpu, ret->pairs, &ret->cpu_slower, error) ||
			       costs_interval(elapsed, ret->pairs, &ret->elapsed_slower, error) ||
			       costs_interval(own, ret->pairs, &ret->cpu_percent, error)
		       ? -1
		       : 0;
}

int costs_measure(struct costs_machine *machine, const struct costs_options *options,
		  const struct costs_profiler *profiler, unsigned int rate_hz,
		  struct costs_result *ret, struct error *error)
{
	struct costs_work_time alone[COSTS_PAIRS_MAX];
	struct seen seen[COSTS_PAIRS_MAX] = { 0 };

	*ret = (struct costs_result) { .profiler = profiler,
				       .rate_hz = rate_hz,
				       .pairs = options->pairs };
	if (getloadavg(&ret->load, 1) != 1)
		ret->load = 0;
	/* First, for it shows at once whether there is such a profiler, and whether it writes one. */
	if (meet_new(machine, options, ret, error))
		return -1;
	for (unsigned int i = 0; i < options->pairs; i++)
		for (unsigned int second = 0; second < 2; second++)
			if (i % 2 == second ? run_alone(machine, options, &alone[i], error)
					    : run_profiled(machine, options, ret, &seen[i], error))
				return -1;
	return conclude(ret, alone, seen, error);
}
