/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_table_first.c - the first table that a process builds, against `readelf -wF`
 *
 * table_build repeats itself in one process: the section's pages are mapped, the heap has pages,
 * the CPU has met the branches. A profiler builds an image's table once. So each run here is a
 * process of its own: `stackproof stat`, which says how long the first of its builds took, from
 * opening the file. Only the page cache is warm. readelf's run is a whole process, as it is
 * elsewhere.
 */
#include <jansson.h>
#include <stdlib.h>
#include "base/cli/json_members.h"
#include "bench.h"

#define OUTPUT_MAX 65536
#define TIMEOUT_MS 120000

static int first_build(const struct image *image, const char *path, double *ret_ms,
		       struct error *error)
{
	const char *const argv[] = { "/proc/self/exe", "stat", "--json", path, NULL };
	FREED char *output = malloc(OUTPUT_MAX);
	JSON_FREED json_t *stat = NULL;
	json_int_t ns;

	if (!output)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (bench_child(argv, false, TIMEOUT_MS, output, OUTPUT_MAX, error))
		return -1;
	stat = json_loads(output, JSON_DISABLE_EOF_CHECK, NULL);
	ns = json_integer_value(json_object_get(stat, "build_first_ns"));
	*ret_ms = (double)ns / 1e6;
	return ns > 0 ? 0
		      : error_set(error, ERROR_PROTOCOL, "", 0,
				  "stat does not say how long its first build took");
}

int bench_table_build_first(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error)
{
	return bench_measure_build(options, first_build,
				   "a process for each run, from the path to the finished table",
				   ret, error);
}
