/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_table_first.c - the first table that a process builds, against `readelf -wF`
 *
 * table_build repeats itself in one process: the section's pages are mapped, the heap has pages,
 * the CPU
 * has met the branches. A profiler builds an image's table once. So each run here is a process of
 * its own:
 * `stackproof stat`, which says how long the first of its builds took, from opening the file. Only
 * the page cache
 * is warm. readelf's run is a whole process, as it is elsewhere.
 */
#include <jansson.h>
#include <stdlib.h>
#include "bench.h"

#define OUTPUT_MAX 65536
#define TIMEOUT_MS 120000

static int first_build(const char *path, double *ret_ms, struct error *error)
{
	const char *const argv[] = { "/proc/self/exe", "stat", "--json", path, NULL };
	char *output = malloc(OUTPUT_MAX);
	int status = -1;

	if (!output)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (!bench_child(argv, false, TIMEOUT_MS, output, OUTPUT_MAX, error)) {
		json_t *stat = json_loads(output, JSON_DISABLE_EOF_CHECK, NULL);
		json_int_t ns = json_integer_value(json_object_get(stat, "build_first_ns"));

		json_decref(stat);
		*ret_ms = (double)ns / 1e6;
		status = ns > 0 ? 0
				: error_set(error, ERROR_PROTOCOL, "", 0,
					    "stat does not say how long its first build took");
	}
	free(output);
	return status;
}

int bench_table_build_first(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error)
{
	double ours[BENCH_RUNS_MAX], theirs[BENCH_RUNS_MAX];
	struct image *image = NULL;
	struct table *table = NULL;
	char path[4096];
	uint64_t rows;
	int status = -1;

	if (bench_image_find(ret->subject, path, error) || image_create(path, &image, error) ||
	    bench_build(image, &table, error) || /* it is in the page cache from here on */
	    bench_agree(path, image, table, &rows, error))
		goto out;
	for (unsigned int i = 0; i < options->runs; i++)
		if (first_build(path, &ours[i], error) || bench_readelf_ms(path, &theirs[i], error))
			goto out;
	ret->value = bench_median(ours, options->runs);
	ret->unit = "ms";
	ret->reference = "readelf -wF";
	ret->reference_value = bench_median(theirs, options->runs);
	ret->ratio = ret->reference_value / ret->value;
	snprintf(ret->note, sizeof(ret->note),
		 "%.500s: %llu rows, the same lines by both; a process for each run, from the path "
		 "to the finished table",
		 path, (unsigned long long)rows);
	status = 0;
out:
	table_destroy(table);
	image_destroy(image);
	return status;
}
