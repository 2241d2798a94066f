/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_emulator.c - true stacks of a whole program by the emulator, against the same guest without a plugin
 *
 * testprogs/bench/calls.c says how much CPU time its rounds took in the guest. The plugin `count` says, once, how
 * many user instructions the rounds are: a guest with them has so many more than one without. The two sides
 * alternate.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/child/child.h"
#include "bench.h"
#include "guests/vm/vm.h"

#define ROUNDS	     "2"
#define PLUGIN_BYTES 4200
#define FILE_BYTES   4096

struct guest_bench {
	struct kernel kernel;
	struct emulator emulator;
	char self[PATH_MAX], program[PATH_MAX];
	char said[200]; /* the command's standard output */
	size_t used;
	int exit_code;
};

static void take_output(void *context, size_t index, enum guest_stream stream, const void *data,
			size_t size)
{
	struct guest_bench *bench = context;

	if (stream != GUEST_STDOUT || size >= sizeof(bench->said) - bench->used)
		return;
	memcpy(bench->said + bench->used, data, size);
	bench->used += size;
	bench->said[bench->used] = '\0';
}

static void take_exit(void *context, size_t index, int exit_code)
{
	((struct guest_bench *)context)->exit_code = exit_code;
}

/* Runs the program under the plugin, as of -plugin, or none: *ret_sum and *ret_seconds are what it says. */
static int run(struct guest_bench *bench, const char *plugin, const char *rounds, uint64_t *ret_sum,
	       double *ret_seconds, struct error *error)
{
	char *const argv[] = { bench->self, "watch", "--", bench->program, (char *)rounds, NULL };
	struct guest_command command = { .argv = argv };
	struct guest_file files[] = { { .host_path = bench->self },
				      { .host_path = bench->program } };
	struct guest_callbacks callbacks = { .on_output = take_output,
					     .on_exit = take_exit,
					     .context = bench };
	struct guest_options guest = { .kernel_image = bench->kernel.image,
				       .files = files,
				       .file_count = 2,
				       .commands = &command,
				       .command_count = 1,
				       .emulator = bench->emulator.directory,
				       .plugin = plugin };
	struct guest_result result;

	bench->used = 0;
	bench->exit_code = -1;
	if (guest_run(&guest, &callbacks, &result, error))
		return -1;
	if (result.outcome != GUEST_OK || bench->exit_code ||
	    sscanf(bench->said, "%" SCNu64 " %lf", ret_sum, ret_seconds) != 2)
		return error_set(error, ERROR_PROTOCOL, NULL, 0, "the guest: %s, exit status %d",
				 result.sentence, bench->exit_code);
	return 0;
}

/* The number behind "name": in the last line of a file that has it; 0: it isn't there. */
static uint64_t read_number(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	char line[FILE_BYTES], key[64];
	uint64_t ret = 0;

	if (!file)
		return 0;
	snprintf(key, sizeof(key), "\"%s\": ", name);
	while (fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, key);

		if (at)
			ret = strtoull(at + strlen(key), NULL, 10);
	}
	fclose(file);
	return ret;
}

/* How many user instructions the rounds are. */
static int count(struct guest_bench *bench, const char *out, uint64_t *ret, struct error *error)
{
	char plugin[PATH_MAX], option[2 * PLUGIN_BYTES];
	uint64_t sum, with;
	double seconds;

	if (emulator_plugin(&bench->emulator, "count", plugin, sizeof(plugin), error) < 0)
		return -1;
	snprintf(option, sizeof(option), "%s,out=%s", plugin, out);
	if (run(bench, option, ROUNDS, &sum, &seconds, error))
		return -1;
	with = read_number(out, "user");
	if (run(bench, option, "0", &sum, &seconds, error))
		return -1;
	*ret = with - read_number(out, "user");
	return with > *ret ? 0 : error_set(error, ERROR_PROTOCOL, NULL, 0, "nothing was counted");
}

/* What the plugin is to do, and the number by which it says that it did. */
struct watch_work {
	bool rows; /* they go to the file of what it says, with ".rows" behind */
	const char *first, *number;
};

static int measure(struct guest_bench *bench, const struct bench_options *options,
		   const struct watch_work *work, const char *out, struct bench_figure *ret,
		   struct error *error)
{
	double ours[BENCH_RUNS_MAX], reference[BENCH_RUNS_MAX];
	char plugin[PATH_MAX], option[2 * PLUGIN_BYTES];
	uint64_t instructions, sum, other;

	if (emulator_choose("watch", &bench->emulator, plugin, sizeof(plugin), error) < 0 ||
	    kernel_get(options->kernel, &bench->kernel, error) ||
	    count(bench, out, &instructions, error))
		return -1;
	snprintf(option, sizeof(option), "%s,at=entries,out=%s%s%s%s%s", plugin, out,
		 work->rows ? ",rows=" : "", work->rows ? out : "", work->rows ? ".rows" : "",
		 work->first);
	for (unsigned int i = 0; i < options->runs; i++) {
		if (run(bench, NULL, ROUNDS, &sum, &reference[i], error) ||
		    run(bench, option, ROUNDS, &other, &ours[i], error))
			return -1;
		if (sum != other || !read_number(out, work->number))
			return error_set(error, ERROR_PROTOCOL, NULL, 0,
					 "the program was not watched, or did something else");
	}
	ret->value = (double)instructions / bench_median(ours, options->runs);
	ret->unit = "instructions/s";
	ret->reference = "the same guest without the plugin";
	ret->reference_value = (double)instructions / bench_median(reference, options->runs);
	ret->ratio = ret->value / ret->reference_value;
	snprintf(ret->note, sizeof(ret->note),
		 "QEMU of %s, kernel %s: %" PRIu64 " user instructions, %" PRIu64
		 " calls in the last run",
		 bench->emulator.name, bench->kernel.version, instructions,
		 read_number(out, "calls"));
	if (read_number(out, "rows_checked"))
		snprintf(ret->note + strlen(ret->note), sizeof(ret->note) - strlen(ret->note),
			 "; %" PRIu64 " instructions looked at, of the program's start, too",
			 read_number(out, "rows_checked"));
	return 0;
}

static int bench_watch(const struct bench_options *options, const struct watch_work *work,
		       struct bench_figure *ret, struct error *error)
{
	struct guest_bench *bench = calloc(1, sizeof(*bench));
	char out[] = "/tmp/stackproof-bench-XXXXXX", rows[sizeof(out) + 8];
	int fd = bench ? mkstemp(out) : -1, status = -1;
	ssize_t length;

	if (fd < 0) {
		free(bench);
		return error_set_errno(error, "%s", out);
	}
	close(fd);
	length = readlink("/proc/self/exe", bench->self, sizeof(bench->self) - 1);
	snprintf(bench->program, sizeof(bench->program), "%s/calls", options->programs);
	if (length < 0)
		error_set_errno(error, "/proc/self/exe");
	else if (access(bench->program, X_OK))
		error_set(error, ERROR_UNAVAILABLE, NULL, 0, "%s is not built", bench->program);
	else
		status = measure(bench, options, work, out, ret, error);
	snprintf(rows, sizeof(rows), "%s.rows", out);
	unlink(rows);
	unlink(out);
	free(bench);
	return status;
}

int bench_emulator_stacks(const struct bench_options *options, struct bench_figure *ret,
			  struct error *error)
{
	static const struct watch_work work = { false, "", "calls" };

	return bench_watch(options, &work, ret, error);
}

int bench_emulator_rows_first(const struct bench_options *options, struct bench_figure *ret,
			      struct error *error)
{
	static const struct watch_work work = { true, ",first=64", "rows_checked" };

	return bench_watch(options, &work, ret, error);
}

int bench_emulator_rows_all(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error)
{
	static const struct watch_work work = { true, "", "rows_checked" };

	return bench_watch(options, &work, ret, error);
}
