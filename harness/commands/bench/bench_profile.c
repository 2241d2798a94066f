/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_profile.c - what profiling costs the profiled, by the walk and by `perf record`
 *
 * One busy program, 100 frames deep without frame pointers, runs three times over: alone, sampled by
 * the walk, and sampled by `perf record --call-graph dwarf` with its defaults, at 999 Hz of CPU time
 * each. It does nothing but look at the clock, and says how much of its time was lost in jumps
 * (testprogs/bench/deep.c): interrupts', the profiler's among them. What it loses alone is taken off.
 * The time that a fixed piece of work takes says less: here it varies by more than a profiler
 * costs. What a profiler leaves in the caches is not in it. The program has a CPU of its own, if there
 * are two. Further: the bytes that leave the kernel, and the share
 * of stacks that reach the program's start. perf copies 8 KiB of stack with each sample and unwinds
 * later, so a deeper stack is cut off there; and that it keeps up with its own output is not sure.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"
#include "session.h"

#define SAMPLE_HZ  999
#define LOOKS	   "30000000" /* one to two seconds */
#define CONSUME_MS 20
#define LEAST_LOST 0.01 /* %; less can't be told from nothing */
#define ATTACH_MS  1500 /* perf says nowhere when it has begun */

enum profiler { NONE, WALK, PERF, PROFILER_COUNT };

struct outcome {
	double lost;			 /* of the time, % */
	double own;			 /* CPU time of the profiler's, in % of that time */
	double target_ns;		 /* that time */
	double samples, complete, bytes; /* complete: of the samples */
};

/* The profiled program, and the end of its standard output. */
struct target {
	pid_t pid;
	int output;
};

static void discard(struct target *target)
{
	if (target->pid > 0) {
		kill(target->pid, SIGKILL);
		waitpid(target->pid, NULL, 0);
	}
	close(target->output);
}

/* On the last CPU, for the target, or on the others. Where there is one only, nothing. */
static void take_cpus(bool last)
{
	int count = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t cpus;

	if (count < 2 || count > CPU_SETSIZE)
		return;
	CPU_ZERO(&cpus);
	if (last)
		CPU_SET(count - 1, &cpus);
	else
		for (int cpu = 0; cpu < count - 1; cpu++)
			CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* The program, stopped when it looks at the clock. */
static int start(const struct bench_options *options, struct target *ret, struct error *error)
{
	char path[4200];
	int ends[2];

	snprintf(path, sizeof(path), "%s/one.nofp", options->programs);
	if (access(path, X_OK))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not built", path);
	if (pipe2(ends, O_CLOEXEC))
		return error_set_errno(error, "pipe");
	*ret = (struct target) { .pid = fork(), .output = ends[0] };
	if (!ret->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		take_cpus(true);
		dup2(ends[1], STDOUT_FILENO);
		execl(path, path, "chain", "100", "0", LOOKS, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (ret->pid < 0 || bench_settle(ret->pid, error)) {
		if (ret->pid < 0)
			error_set_errno(error, "fork");
		discard(ret);
		return -1;
	}
	kill(ret->pid, SIGSTOP);
	return 0;
}

/* Until it ends, meanwhile() is called now and then. */
static int finish(struct target *target, int (*meanwhile)(void *context, struct error *error),
		  void *context, struct outcome *ret, struct error *error)
{
	char text[128] = "";
	double lost, all;
	int status;

	kill(target->pid, SIGCONT);
	for (;;) {
		pid_t ended = waitpid(target->pid, &status, WNOHANG);

		if (ended == target->pid)
			break;
		if (ended < 0 && errno != EINTR)
			return error_set_errno(error, "waitpid");
		bench_sleep_ms(CONSUME_MS);
		if (meanwhile && meanwhile(context, error))
			return -1;
	}
	target->pid = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status) ||
	    read(target->output, text, sizeof(text) - 1) <= 0 ||
	    sscanf(text, "%lf %lf", &lost, &all) != 2 || all <= 0)
		return error_set(error, ERROR_PROTOCOL, "", 0, "the profiled program failed");
	ret->lost = lost * 100 / all;
	ret->target_ns = all;
	return 0;
}

static double cpu_ns(const struct rusage *usage)
{
	return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e9 +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e3;
}

/* ---- the walk --------------------------------------------------------------------------- */

struct taken {
	struct bpf_session *session;
	double samples, complete, bytes;
};

static void take_one(void *context, const struct walk_record *record, uint64_t count)
{
	struct taken *taken = context;

	taken->samples += count;
	taken->complete += record->stop == STOP_COMPLETE ? count : 0;
	taken->bytes += offsetof(struct walk_record, pc) + record->count * sizeof(record->pc[0]) +
			sizeof(struct walk_stack_key) + sizeof(struct walk_stack_count);
}

static int take(void *context, struct error *error)
{
	struct taken *taken = context;
	uint64_t unsent;

	if (bpf_session_take_counts(taken->session, take_one, taken, &unsent, error))
		return -1;
	taken->samples += unsent;
	return 0;
}

static int by_walk(struct target *target, struct outcome *ret, struct error *error)
{
	struct bpf_session_options options = { .entries = 1u << WALK_ENTRY_SAMPLE,
					       .count_stacks = true };
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	struct rusage before, after;
	struct taken taken = { 0 };
	int status = -1;

	if (!store)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	if (bpf_session_open(&options, &taken.session, error) ||
	    address_space_read(&space, store, target->pid, error) ||
	    bpf_session_set_process(taken.session, &space, error) ||
	    bpf_session_attach_samples(taken.session, target->pid, -1, SAMPLE_HZ, error))
		goto out;
	getrusage(RUSAGE_SELF, &before);
	if (finish(target, take, &taken, ret, error))
		goto out;
	getrusage(RUSAGE_SELF, &after);
	ret->own = (cpu_ns(&after) - cpu_ns(&before)) * 100 / ret->target_ns;
	bpf_session_detach(taken.session);
	/* Of both maps. */
	if (take(&taken, error) || take(&taken, error))
		goto out;
	ret->samples = taken.samples;
	ret->complete = taken.complete;
	ret->bytes = taken.bytes;
	status = 0;
out:
	bpf_session_close(taken.session);
	address_space_deinit(&space);
	image_store_destroy(store);
	return status;
}

/* ---- perf ------------------------------------------------------------------------------- */

static pid_t start_perf(pid_t pid, const char *path)
{
	char number[16];
	pid_t perf;

	snprintf(number, sizeof(number), "%d", pid);
	perf = fork();
	if (!perf) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
			_exit(126);
		execlp("perf", "perf", "record", "-q", "-e", "cpu-clock", "-F", "999",
		       "--call-graph", "dwarf", "-o", path, "-p", number, (char *)NULL);
		_exit(127);
	}
	return perf;
}

/* Samples end with an empty line, and a whole one has _start before it. */
static int count_samples(const char *path, struct outcome *ret, struct error *error)
{
	char command[4200], line[1024];
	bool any = false, whole = false;
	FILE *output;

	snprintf(command, sizeof(command), "perf script -F ip,sym -i '%s' 2>/dev/null", path);
	output = popen(command, "r");
	if (!output)
		return error_set_errno(error, "perf script");
	while (fgets(line, sizeof(line), output)) {
		if (line[0] == '\n') {
			ret->samples += any;
			ret->complete += whole;
			any = whole = false;
		} else {
			any = true;
			whole = strstr(line, " _start") != NULL;
		}
	}
	if (pclose(output))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "perf script failed");
	return 0;
}

static int by_perf(struct target *target, struct outcome *ret, struct error *error)
{
	char path[] = "/tmp/stackproof-perf-XXXXXX";
	int fd = mkstemp(path), result = -1, status;
	struct rusage usage;
	struct stat file;
	pid_t perf;

	if (fd < 0)
		return error_set_errno(error, "mkstemp");
	perf = start_perf(target->pid, path);
	bench_sleep_ms(ATTACH_MS);
	if (finish(target, NULL, NULL, ret, error))
		goto out;
	wait4(perf, &status, 0, &usage);
	perf = 0;
	ret->own = cpu_ns(&usage) * 100 / ret->target_ns;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "perf is not installed");
		goto out;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) || fstat(fd, &file)) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "perf record failed");
		goto out;
	}
	ret->bytes = file.st_size;
	result = count_samples(path, ret, error);
out:
	if (perf > 0) {
		kill(perf, SIGKILL);
		waitpid(perf, NULL, 0);
	}
	close(fd);
	unlink(path);
	return result;
}

/* ---- both ------------------------------------------------------------------------------- */

static int run(const struct bench_options *options, enum profiler profiler, struct outcome *ret,
	       struct error *error)
{
	struct target target;
	int status;

	*ret = (struct outcome) { 0 };
	if (start(options, &target, error))
		return -1;
	switch (profiler) {
	case WALK: status = by_walk(&target, ret, error); break;
	case PERF: status = by_perf(&target, ret, error); break;
	default: status = finish(&target, NULL, NULL, ret, error);
	}
	discard(&target);
	return status;
}

int bench_profile_cost(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error)
{
	double lost[PROFILER_COUNT][BENCH_RUNS_MAX];
	struct outcome outcome[PROFILER_COUNT];
	cpu_set_t cpus;
	int status = -1;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	take_cpus(false);
	for (unsigned int round = 0; round < options->runs; round++) {
		for (int profiler = NONE; profiler < PROFILER_COUNT; profiler++)
			if (run(options, profiler, &outcome[profiler], error))
				goto out;
		for (int profiler = NONE; profiler < PROFILER_COUNT; profiler++)
			lost[profiler][round] = outcome[profiler].lost - outcome[NONE].lost;
	}
	status = 0;
out:
	sched_setaffinity(0, sizeof(cpus), &cpus);
	if (status)
		return -1;
	if (outcome[WALK].samples < 100 || outcome[PERF].samples < 100)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "%.0f and %.0f samples only: the clock does not sample here",
				 outcome[WALK].samples, outcome[PERF].samples);
	ret->value = bench_median(lost[WALK], options->runs);
	ret->unit = "% of time lost";
	ret->reference = "perf record --call-graph dwarf";
	ret->reference_value = bench_median(lost[PERF], options->runs);
	ret->ratio = ret->value /
		     (ret->reference_value > LEAST_LOST ? ret->reference_value : LEAST_LOST);
	snprintf(ret->note, sizeof(ret->note),
		 "%d Hz, 104 frames; last run: the walk moved %.0f bytes, %.0f samples, %.2f %% "
		 "complete, reader's CPU time %.1f %%; perf %.0f bytes, %.0f samples, %.2f %%, "
		 "from its start %.1f %%",
		 SAMPLE_HZ, outcome[WALK].bytes, outcome[WALK].samples,
		 outcome[WALK].complete * 100 / outcome[WALK].samples, outcome[WALK].own,
		 outcome[PERF].bytes, outcome[PERF].samples,
		 outcome[PERF].complete * 100 / outcome[PERF].samples, outcome[PERF].own);
	return 0;
}
