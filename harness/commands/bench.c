/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench.c - `stackproof bench`: the table of figures, the command line, the output
 *
 * A figure is a line of the table below and one function (bench.h). One that can't be had on this
 * machine is a skip with its reason, in the text and in the JSON, and never a missing line.
 */
#include <argp.h>
#include <string.h>
#include "lab/bench/bench.h"
#include "lab/costs/costs.h"
#include "base/child/child.h"
#include "base/cli/options.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/cli/json_counts.h"
#include "truth/tracer/truth.h"

/* How the ratio reads. */
enum ratio { TIMES_AS_FAST, TIMES_THE_COST, TIMES_SMALLER };
static const char *const ratio_text[] = { "as fast", "the cost", "smaller" };

static const struct bench {
	const char *name;
	int (*measure)(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error);
	enum ratio ratio;
	const char *subject;
	const char *what; /* for --help */
} benches[] = {
	{ "table_build", bench_table_build, TIMES_AS_FAST, "libLLVM",
	  "libLLVM's table, from the open image to its end" },
	{ "table_open_build", bench_table_open_build, TIMES_AS_FAST, "libLLVM",
	  "the same, opening the file included" },
	{ "table_build_first", bench_table_build_first, TIMES_AS_FAST, "libLLVM",
	  "the same in a process that has built none before" },
	{ "table_build_gimli", bench_table_build_gimli, TIMES_AS_FAST, "libLLVM",
	  "table_build against gimli, which keeps no row" },
	{ "table_build_cc1", bench_table_build, TIMES_AS_FAST, "cc1", "as table_build" },
	{ "table_build_libstdc++", bench_table_build, TIMES_AS_FAST, "libstdc++",
	  "as table_build" },
	{ "table_build_libc", bench_table_build, TIMES_AS_FAST, "libc", "as table_build" },
	{ "sframe_table", bench_sframe_table, TIMES_AS_FAST, "libLLVM",
	  "libLLVM's table of SFrame, against that of its .eh_frame" },
	{ "sframe_read", bench_sframe_read, TIMES_AS_FAST, "libLLVM",
	  "reading all of libLLVM's SFrame, against objdump" },
	{ "table_size_libLLVM", bench_table_size, TIMES_SMALLER, "libLLVM",
	  "bytes per CFI row, against plain sorted rows" },
	{ "table_size_cc1", bench_table_size, TIMES_SMALLER, "cc1", "the same" },
	{ "table_size_libstdc++", bench_table_size, TIMES_SMALLER, "libstdc++", "the same" },
	{ "table_size_libc", bench_table_size, TIMES_SMALLER, "libc", "the same" },
	{ "lint_libLLVM", bench_lint, TIMES_AS_FAST, "libLLVM",
	  "FDEs that lint judges in a CPU second, against decoding their code" },
	{ "lint_libclang-cpp", bench_lint, TIMES_AS_FAST, "libclang-cpp", "the same" },
	{ "lint_cc1", bench_lint, TIMES_AS_FAST, "cc1", "the same" },
	{ "lookup_warm", bench_lookup_warm, TIMES_AS_FAST, "libLLVM",
	  "from a PC to its caller's, against libunwind" },
	{ "lookup_cold", bench_lookup_cold, TIMES_AS_FAST, "libLLVM",
	  "the same with the CPU's caches swept" },
	{ "lookup_warm_libdw", bench_lookup_warm_libdw, TIMES_AS_FAST, "libLLVM",
	  "as lookup_warm, against libdw" },
	{ "lookup_cold_libdw", bench_lookup_cold_libdw, TIMES_AS_FAST, "libLLVM",
	  "as lookup_cold, against libdw" },
	{ "lookup_bpf_warm", bench_lookup_bpf_warm, TIMES_AS_FAST, "libLLVM",
	  "in BPF from a PC to its rule, against plain sorted rows" },
	{ "lookup_bpf_random", bench_lookup_bpf_random, TIMES_AS_FAST, "libLLVM",
	  "the same over the whole table" },
	{ "lookup_bpf_cold", bench_lookup_bpf_cold, TIMES_AS_FAST, "libLLVM",
	  "the same with the CPU's caches swept" },
	{ "lookup_bpf_warm_libc", bench_lookup_bpf_warm, TIMES_AS_FAST, "libc",
	  "as lookup_bpf_warm" },
	{ "lookup_bpf_random_libc", bench_lookup_bpf_random, TIMES_AS_FAST, "libc",
	  "as lookup_bpf_random" },
	{ "tracer_steps", bench_tracer_steps, TIMES_AS_FAST, NULL,
	  "single steps a second of the tracer" },
	{ "engine_so", bench_engine_so, TIMES_AS_FAST, NULL,
	  "points a second that an external engine is asked about, a shared object" },
	{ "engine_protocol", bench_engine_protocol, TIMES_AS_FAST, NULL,
	  "the same, a program that speaks lines" },
	{ "walk_one_image", bench_walk, TIMES_THE_COST, NULL,
	  "a walk in the kernel over one image" },
	{ "walk_five_images", bench_walk, TIMES_THE_COST, NULL,
	  "the same over five, in a process of 200 mappings" },
	{ "walk_one_image_new", bench_walk, TIMES_THE_COST, NULL,
	  "walk_one_image, if no PC had been met before" },
	{ "walk_five_images_new", bench_walk, TIMES_THE_COST, NULL,
	  "walk_five_images, if no PC had been met before" },
	{ "walk_recursion", bench_walk, TIMES_THE_COST, NULL,
	  "one function 100 times instead of 100 functions" },
	{ "walk_shallow", bench_walk, TIMES_THE_COST, NULL, "10 frames instead of 100" },
	{ "walk_deep", bench_walk, TIMES_THE_COST, NULL, "1,000 frames" },
	{ "walk_fixed", bench_walk_fixed, TIMES_THE_COST, NULL,
	  "what a walk costs before its first frame" },
	{ "first_stack", bench_first_stack, TIMES_THE_COST, NULL,
	  "from exec of a new program to its first complete stack" },
	{ "profile_taken", bench_profile_taken, TIMES_THE_COST, NULL,
	  "what a profiler takes from a thread that has a CPU for itself, against perf" },
	{ "kernel_memory", bench_kernel_memory, TIMES_THE_COST, NULL,
	  "of a session with 300 processes and 400 images" },
	{ "emulator_stacks", bench_emulator_stacks, TIMES_AS_FAST, NULL,
	  "instructions a second whose stacks an emulator's plugin knows, against a guest "
	  "without" },
	{ "emulator_rows_first", bench_emulator_rows_first, TIMES_AS_FAST, NULL,
	  "the same, and of each block the caller's frame is looked at in its first runs" },
	{ "emulator_rows_all", bench_emulator_rows_all, TIMES_AS_FAST, NULL,
	  "the same in all its runs" },
	{ "guest_start", bench_guest_start, TIMES_THE_COST, NULL,
	  "a guest from its start to its first result" },
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

int bench_tracer_steps(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error)
{
	/* bench_steps() alternates and takes medians itself. */
	if (bench_steps(BENCH_STEPS_ROUNDS, &ret->value, &ret->reference_value, error))
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
	json_line(stdout, JSON_NEW("type", "bench", "name", figure->name, "value", figure->value,
				   "unit", figure->unit, "reference", figure->reference,
				   "reference_value", figure->reference_value, "ratio",
				   figure->ratio, "runs", figure->runs, "note", figure->note,
				   "emulated", bench_is_emulated() ? json_true() : NULL));
}

static void print_skip_json(const char *name, const struct error *error)
{
	json_line(stdout, JSON_NEW("type", "skip", "name", name, "reason",
				   error_code_name(error->code), "message", error->message));
}

static void print_text(const struct bench *bench, const struct bench_figure *figure)
{
	printf("%-21s %12.6g %s\n%21s %12.6g %s (%s)\n%21s %12.2f times %s\n%21s %s\n\n",
	       figure->name, figure->value, figure->unit, "", figure->reference_value, figure->unit,
	       figure->reference, "", figure->ratio, ratio_text[bench->ratio], "", figure->note);
}

/* ---- command line ----------------------------------------------------------------------- */

enum { OPTION_RUNS = 256 };

struct arguments {
	struct bench_options bench;
	bool json;
	struct gate gate;
	bool wanted[BENCH_COUNT];
	bool any;
	struct costs_arguments costs;
	bool wants_costs;
};

static const struct argp_option options[] = {
	{ "json", INTO_FLAG(arguments, json), NULL, 0, "NDJSON on standard output", 0 },
	{ "runs", OPTION_RUNS, "N", 0, "runs of each side (default 5)", 0 },
	{ "kernel", INTO_TEXT(arguments, bench.kernel), "NAME", 0, "the guest's (default 7.2)", 0 },
	{ "programs", INTO_TEXT(arguments, bench.programs), "DIR", 0,
	  "where the walked programs are (default: bench/ beside the executable)", 0 },
	{ NULL },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case OPTION_RUNS:
		arguments->bench.runs = option_between(state, argument, "--runs", 1,
						       BENCH_RUNS_MAX);
		return 0;
	case ARGP_KEY_ARG:
		for (size_t i = 0; i < BENCH_COUNT; i++)
			if (strcmp(benches[i].name, argument) == 0) {
				arguments->wanted[i] = arguments->any = true;
				return 0;
			}
		if (strcmp(argument, COSTS_FIGURE) == 0) {
			arguments->wants_costs = arguments->any = true;
			return 0;
		}
		argp_error(state, "no figure is called '%s'", argument);
		return 0;
	default: return option_into(key, argument, state, options);
	}
}

/* The list of figures, below the options. argp frees what is not text. */
static char *add_figures(int key, const char *text, void *input)
{
	char *longer = NULL;
	size_t size;

	if (key != ARGP_KEY_HELP_POST_DOC || !text)
		return (char *)text;
	FILE *file = open_memstream(&longer, &size);
	if (!file)
		return (char *)text;
	fprintf(file, "%s", text);
	for (size_t i = 0; i < BENCH_COUNT; i++)
		fprintf(file, "  %-21s %s\n", benches[i].name, benches[i].what);
	fprintf(file, "  %-21s %s\n", COSTS_FIGURE,
		"what profilers cost, ours and any other's: only if it is named, for it takes "
		"long");
	fclose(file);
	return longer;
}

static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 },
					      { &costs_argp, 0, NULL, 0 },
					      { 0 } };

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse,
	.args_doc = "[FIGURE...]",
	.doc = "Measures the project's own figures, each beside its reference in the same run. A "
	       "figure that can't be had here is a skip, with the reason. The ratio says how many "
	       "times as fast as the reference (table_build*, lint*, lookup*, tracer_steps, "
	       "engine*, emulator_*), how "
	       "many "
	       "times "
	       "smaller (table_size*), or how many times its cost (walk*, guest_start).\vThe "
	       "figures:\n",
	.help_filter = add_figures,
};

int command_bench(int argc, char **argv)
{
	struct arguments arguments = { .gate = { .unit = "figures" },
				       .bench = { .runs = 5, .kernel = "7.2" } };
	char programs[4096], gimli[4096];
	struct gate *gate = &arguments.gate;
	struct error beside;

	command_parse(&argp, argc, argv, 0, &arguments, &arguments.gate, &arguments.costs);
	child_beside("bench", programs, sizeof(programs), &beside);
	child_beside("bench_gimli", gimli, sizeof(gimli), &beside);
	if (!arguments.bench.programs)
		arguments.bench.programs = programs;
	arguments.bench.gimli = gimli;
	arguments.costs.costs.programs = arguments.bench.programs;
	if (bench_is_emulated())
		fprintf(arguments.json ? stderr : stdout, "warning: %s\n\n", BENCH_EMULATED);
	for (size_t i = 0; i < BENCH_COUNT; i++) {
		struct bench_figure figure = { .name = benches[i].name,
					       .subject = benches[i].subject,
					       .runs = arguments.bench.runs };
		struct error error;

		if (arguments.any && !arguments.wanted[i])
			continue;
		if (benches[i].measure(&arguments.bench, &figure, &error)) {
			error_print(stderr, benches[i].name, &error);
			if (arguments.json)
				print_skip_json(benches[i].name, &error);
			else
				printf("%-21s skipped: %s: %s\n\n", benches[i].name,
				       error_code_name(error.code), error.message);
			gate_add_status(gate, error.code == ERROR_UNAVAILABLE ? EXIT_SKIPPED
									      : EXIT_ENVIRONMENT);
			continue;
		}
		gate->checked++;
		if (arguments.json)
			print_json(&figure);
		else
			print_text(&benches[i], &figure);
		fflush(stdout);
	}
	if (arguments.wants_costs)
		costs_figure(&arguments.costs, arguments.json, gate);
	return gate_status(gate);
}
