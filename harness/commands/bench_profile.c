/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_profile.c - what profiling costs the profiled, by the walk and by `perf record`
 *
 * One busy program, 100 frames deep without frame pointers, does the same work three times over:
 * alone, sampled by the walk, and sampled by `perf record --call-graph dwarf` with its defaults, at
 * 999 Hz of CPU time each. What counts is the CPU time that the work takes (getrusage(2)): an
 * interrupt's is the interrupted program's. Further: the bytes that leave the kernel, and the share
 * of stacks that reach the program's start. perf copies 8 KiB of stack with each sample and unwinds
 * later, so a deeper stack is cut off there; and that it keeps up with its own output is not sure.
 */
#include <errno.h>
#include <signal.h>
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
#define SPINS	   "700000000" /* a second or two */
#define CONSUME_MS 20
#define ATTACH_MS  1500 /* perf says nowhere when it has begun */

enum profiler { NONE, WALK, PERF, PROFILER_COUNT };

struct outcome {
	double cpu_s;
	double samples, complete, bytes; /* complete: of the samples */
};

static double seconds(struct timeval time)
{
	return time.tv_sec + time.tv_usec / 1e6;
}

/* The program, stopped when it spins. */
static pid_t start(const struct bench_options *options, struct error *error)
{
	char path[4200];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/one.nofp", options->programs);
	if (access(path, X_OK)) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not built", path);
		return -1;
	}
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(path, path, "chain", "100", "0", SPINS, (char *)NULL);
		_exit(127);
	}
	if (pid < 0) {
		error_set_errno(error, "fork");
		return -1;
	}
	if (bench_settle(pid, error)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return -1;
	}
	kill(pid, SIGSTOP);
	return pid;
}

/* Until it ends, meanwhile() is called now and then. */
static int finish(pid_t pid, int (*meanwhile)(void *context, struct error *error), void *context,
		  struct outcome *ret, struct error *error)
{
	struct rusage usage;
	int status;

	kill(pid, SIGCONT);
	for (;;) {
		pid_t ended = wait4(pid, &status, WNOHANG, &usage);

		if (ended == pid)
			break;
		if (ended < 0 && errno != EINTR)
			return error_set_errno(error, "wait4");
		bench_sleep_ms(CONSUME_MS);
		if (meanwhile && meanwhile(context, error)) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return -1;
		}
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(error, ERROR_PROTOCOL, "", 0, "the profiled program failed");
	ret->cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	return 0;
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

static int by_walk(pid_t pid, struct outcome *ret, struct error *error)
{
	struct bpf_session_options options = { .entries = 1u << WALK_ENTRY_SAMPLE,
					       .count_stacks = true };
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	struct taken taken = { 0 };
	int status = -1;

	if (!store)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	if (bpf_session_open(&options, &taken.session, error) ||
	    address_space_read(&space, store, pid, error) ||
	    bpf_session_set_process(taken.session, &space, error) ||
	    bpf_session_attach_samples(taken.session, pid, -1, SAMPLE_HZ, error) ||
	    finish(pid, take, &taken, ret, error))
		goto out;
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

static int by_perf(pid_t pid, struct outcome *ret, struct error *error)
{
	char path[] = "/tmp/stackproof-perf-XXXXXX";
	int fd = mkstemp(path), result = -1, status;
	struct stat file;
	pid_t perf;

	if (fd < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return error_set_errno(error, "mkstemp");
	}
	perf = start_perf(pid, path);
	bench_sleep_ms(ATTACH_MS);
	if (finish(pid, NULL, NULL, ret, error))
		goto out;
	waitpid(perf, &status, 0);
	perf = 0;
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
	pid_t pid = start(options, error);

	*ret = (struct outcome) { 0 };
	if (pid < 0)
		return -1;
	switch (profiler) {
	case WALK: return by_walk(pid, ret, error);
	case PERF: return by_perf(pid, ret, error);
	default: return finish(pid, NULL, NULL, ret, error);
	}
}

int bench_profile_cost(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error)
{
	double lost[PROFILER_COUNT][BENCH_RUNS_MAX];
	struct outcome outcome[PROFILER_COUNT];

	for (unsigned int round = 0; round < options->runs; round++) {
		for (int profiler = NONE; profiler < PROFILER_COUNT; profiler++)
			if (run(options, profiler, &outcome[profiler], error))
				return -1;
		for (int profiler = NONE; profiler < PROFILER_COUNT; profiler++)
			lost[profiler][round] =
				(outcome[profiler].cpu_s / outcome[NONE].cpu_s - 1) * 100;
	}
	if (outcome[WALK].samples < 100 || outcome[PERF].samples < 100)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "%.0f and %.0f samples only: the clock does not sample here",
				 outcome[WALK].samples, outcome[PERF].samples);
	ret->value = bench_median(lost[WALK], options->runs);
	ret->unit = "% of CPU time lost";
	ret->reference = "perf record --call-graph dwarf";
	ret->reference_value = bench_median(lost[PERF], options->runs);
	ret->ratio = ret->value / ret->reference_value;
	snprintf(ret->note, sizeof(ret->note),
		 "at %d Hz, 104 frames; in the last of %u runs the walk moved %.0f bytes for %.0f "
		 "samples, %.2f %% of them complete; perf %.0f bytes for %.0f, %.2f %%",
		 SAMPLE_HZ, options->runs, outcome[WALK].bytes, outcome[WALK].samples,
		 outcome[WALK].complete * 100 / outcome[WALK].samples, outcome[PERF].bytes,
		 outcome[PERF].samples, outcome[PERF].complete * 100 / outcome[PERF].samples);
	return 0;
}
