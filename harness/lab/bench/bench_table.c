/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_table.c - how long building an image's table takes, against `readelf -wF`
 *
 * Both read the same file from the page cache, with one thread, and decode every FDE. readelf
 * prints the rows (to /dev/null); here they become a finished table: sorted, deduplicated, what BPF
 * is given. table_build begins with the opened image and its mapped section; table_open_build with
 * the path, as readelf does.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include "base/child/child.h"
#include "bench.h"
#include "clock.h"

/* The one place that says how a table is built. */
int bench_build(const struct image *image, struct table **ret, struct error *error)
{
	return table_build(image, ret, error);
}

/* Milliseconds of one build; with the path given, opening the file is one of them. */
static int build_once(const struct image *image, const char *path, double *ret, struct error *error)
{
	uint64_t begin = monotonic_ns();
	struct image *opened DEINIT(image_destroy_at) = NULL;
	struct table *table DEINIT(table_destroy_at) = NULL;

	if ((path && image_create(path, &opened, error)) ||
	    bench_build(path ? opened : image, &table, error))
		return -1;
	*ret = (monotonic_ns() - begin) / 1e6;
	return 0;
}

static int build_some(const struct image *image, const char *path, double *ret, struct error *error)
{
	double ms[BENCH_INNER_RUNS];

	for (unsigned int i = 0; i < BENCH_INNER_RUNS; i++)
		if (build_once(image, path, &ms[i], error))
			return -1;
	*ret = bench_median(ms, BENCH_INNER_RUNS);
	return 0;
}

int bench_build_ms(const struct image *image, double *ret, struct error *error)
{
	return build_some(image, NULL, ret, error);
}

int bench_program_ms(const char *const *argv, int status_most, double *ret_ms, struct error *error)
{
	const struct child_command command = { .argv = argv };
	uint64_t begin = monotonic_ns();
	pid_t pid = child_start(&command, NULL, error);
	int status;

	if (pid < 0)
		return -1;
	status = child_end(pid, false);
	*ret_ms = (monotonic_ns() - begin) / 1e6;
	if (child_check(argv[0], status, error))
		return -1;
	return WEXITSTATUS(status) > status_most
		       ? error_set(error, ERROR_PROTOCOL, "", 0, "%s failed", argv[0])
		       : 0;
}

/* 1 is a warning: a file of debugging information that isn't installed is one. */
static int readelf_ms(const char *path, double *ret_ms, struct error *error)
{
	const char *const argv[] = { "readelf", "-wF", path, NULL };

	return bench_program_ms(argv, 1, ret_ms, error);
}

int bench_measure_build(const struct bench_options *options, bench_build_fn *build, const char *how,
			struct bench_figure *ret, struct error *error)
{
	double ours[BENCH_RUNS_MAX], theirs[BENCH_RUNS_MAX];
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct table *table DEINIT(table_destroy_at) = NULL;
	char path[4096];
	uint64_t rows;

	if (bench_image_find(ret->subject, path, error) || image_create(path, &image, error) ||
	    bench_build(image, &table, error) || /* it is in the page cache from here on */
	    bench_agree(path, image, table, &rows, error))
		return -1;
	for (unsigned int i = 0; i < options->runs; i++)
		if (build(image, path, &ours[i], error) || readelf_ms(path, &theirs[i], error))
			return -1;
	ret->value = bench_median(ours, options->runs);
	ret->unit = "ms";
	ret->reference = "readelf -wF";
	ret->reference_value = bench_median(theirs, options->runs);
	ret->ratio = ret->reference_value / ret->value;
	snprintf(ret->note, sizeof(ret->note),
		 "%.500s: %llu FDEs, %llu rows, the same lines by both; %s", path,
		 (unsigned long long)table->fde_count, (unsigned long long)rows, how);
	return 0;
}

static int build_opened(const struct image *image, const char *path, double *ret_ms,
			struct error *error)
{
	return build_some(image, NULL, ret_ms, error);
}

int bench_table_build(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error)
{
	return bench_measure_build(options, build_opened,
				   "from the open image to the finished table", ret, error);
}

int bench_table_open_build(const struct bench_options *options, struct bench_figure *ret,
			   struct error *error)
{
	return bench_measure_build(options, build_some, "from the path to the finished table", ret,
				   error);
}
