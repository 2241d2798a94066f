/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench.c - `stackproof bench`
 */
#include <argp.h>
#include <jansson.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"
#include "harness.h"
#include "truth/truth.h"

static const struct bench {
	const char *name;
	int (*measure)(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error);
	bool ratio_is_cost; /* how many times the reference's cost; else how many times better */
} benches[] = {
	{ "table_build", bench_table_build, false },
	{ "tracer_steps", bench_tracer_steps, false },
	{ "walk_one_image", bench_walk_one_image, true },
	{ "walk_five_images", bench_walk_five_images, true },
	{ "guest_start", bench_guest_start, true },
};
#define BENCH_COUNT (sizeof(benches) / sizeof(benches[0]))

double bench_median(double *values, unsigned int count)
{
	for (unsigned int i = 1; i < count; i++)
		for (unsigned int j = i; j && values[j] < values[j - 1]; j--) {
			double swap = values[j];

			values[j] = values[j - 1];
			values[j - 1] = swap;
		}
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

uint64_t bench_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

int bench_tracer_steps(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error)
{
	/* bench_steps() alternates and takes medians itself. */
	if (bench_steps(&ret->value, &ret->reference_value, error))
		return -1;
	ret->unit = "steps/s";
	ret->reference = "a program that single-steps itself";
	ret->ratio = ret->value / ret->reference_value;
	snprintf(ret->note, sizeof(ret->note), "the tracer alone, no engine");
	return 0;
}

/* ---- output ----------------------------------------------------------------------------- */

static void print_json(const struct bench_figure *figure)
{
	json_t *object = json_pack("{s:s, s:s, s:f, s:s, s:s, s:f, s:f, s:i, s:s}", "type", "bench",
				   "name", figure->name, "value", figure->value, "unit",
				   figure->unit, "reference", figure->reference, "reference_value",
				   figure->reference_value, "ratio", figure->ratio, "runs",
				   (int)figure->runs, "note", figure->note);

	if (object) {
		json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
		putchar('\n');
	}
	json_decref(object);
}

static void print_skip_json(const char *name, const struct error *error)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "type", "skip", "name", name, "reason",
				   "unavailable", "message", error->message);

	if (object) {
		json_dumpf(object, stdout, JSON_COMPACT);
		putchar('\n');
	}
	json_decref(object);
}

static void print_text(const struct bench *bench, const struct bench_figure *figure)
{
	printf("%-17s %12.6g %s\n%17s %12.6g %s (%s)\n%17s %12.2f times %s\n%17s %s\n\n",
	       figure->name, figure->value, figure->unit, "", figure->reference_value, figure->unit,
	       figure->reference, "", figure->ratio, bench->ratio_is_cost ? "the cost" : "as fast",
	       "", figure->note);
}

/* ---- command line ----------------------------------------------------------------------- */

enum { OPTION_JSON = 256, OPTION_RUNS, OPTION_KERNEL, OPTION_PROGRAMS };

static const struct argp_option options[] = {
	{ "json", OPTION_JSON, NULL, 0, "NDJSON on standard output", 0 },
	{ "runs", OPTION_RUNS, "N", 0, "runs of each side (default 5)", 0 },
	{ "kernel", OPTION_KERNEL, "NAME", 0, "the guest's (default 7.2)", 0 },
	{ "programs", OPTION_PROGRAMS, "DIR", 0,
	  "where the walked programs are (default: bench/ beside the executable)", 0 },
	{ NULL },
};

struct arguments {
	struct bench_options bench;
	bool json;
	bool wanted[BENCH_COUNT];
	bool any;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	char *end;

	switch (key) {
	case OPTION_JSON: arguments->json = true; return 0;
	case OPTION_KERNEL: arguments->bench.kernel = argument; return 0;
	case OPTION_PROGRAMS: arguments->bench.programs = argument; return 0;
	case OPTION_RUNS:
		arguments->bench.runs = strtoul(argument, &end, 10);
		if (*end || !arguments->bench.runs || arguments->bench.runs > BENCH_RUNS_MAX)
			argp_error(state, "--runs takes 1 to %d", BENCH_RUNS_MAX);
		return 0;
	case ARGP_KEY_ARG:
		for (size_t i = 0; i < BENCH_COUNT; i++)
			if (strcmp(benches[i].name, argument) == 0) {
				arguments->wanted[i] = arguments->any = true;
				return 0;
			}
		argp_error(state, "no figure is called '%s'", argument);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FIGURE...]",
	.doc = "Measures the project's speed figures, each beside its reference in the same run: "
	       "table_build, tracer_steps (ratio: how many times as fast as the reference), "
	       "walk_one_image, walk_five_images, guest_start (ratio: how many times its cost).",
};

int command_bench(int argc, char **argv)
{
	struct arguments arguments = { .bench = { .runs = 5, .kernel = "7.2" } };
	size_t done = 0, skipped = 0;
	char programs[4096] = "";
	int status = EXIT_OK;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (!arguments.bench.programs) {
		if (readlink("/proc/self/exe", programs, sizeof(programs) - 16) > 0)
			strcpy(dirname(programs) + strlen(programs), "/bench");
		arguments.bench.programs = programs;
	}
	for (size_t i = 0; i < BENCH_COUNT; i++) {
		struct bench_figure figure = { .name = benches[i].name,
					       .runs = arguments.bench.runs };
		struct error error;

		if (arguments.any && !arguments.wanted[i])
			continue;
		if (benches[i].measure(&arguments.bench, &figure, &error)) {
			error_print(stderr, benches[i].name, &error);
			if (arguments.json)
				print_skip_json(benches[i].name, &error);
			skipped++;
			if (error.code != ERROR_UNAVAILABLE)
				status = EXIT_ENVIRONMENT;
			continue;
		}
		done++;
		if (arguments.json)
			print_json(&figure);
		else
			print_text(&benches[i], &figure);
		fflush(stdout);
	}
	return status == EXIT_OK && !done && skipped ? EXIT_SKIPPED : status;
}
