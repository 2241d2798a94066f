/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run.c - `stackproof run`: the matrix corpus x engines x kernels
 *
 * This file has the command line and what is printed at the end; run.h says where the rest is. The
 * corpus and the results lie beside the program unless said otherwise (build/corpus,
 * build/results).
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "base/child/child.h"
#include "judge/compare/compare.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "guests/run/run.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "guests/vm/vm.h"
#include "plain_text.h"

#define DEFAULT_KERNELS	   HOST_LANE ",5.10,7.2"
#define DEFAULT_ENGINES	   "cfi,table,bpf,fp"
#define DEFAULT_TIMEOUT_MS 120000
#define KERNELS_MAX	   64
#define JOBS_MAX	   1024

enum option_key {
	OPTION_KERNELS = 256,
	OPTION_ENGINE,
	OPTION_GUESTS,
	OPTION_REQUIRE,
	OPTION_TRUTH,
};

struct arguments {
	struct run_options run;
	char *kernel[KERNELS_MAX];
	const char *ignore; /* a file; NULL: none */
	struct engine_list engines;
	char *asked, *built_in, *external; /* of these: as run has them */
	bool json;
	bool quiet;
	bool steps; /* --guests step */
	struct gate gate;
};

static const struct argp_option options[] = {
	{ "corpus", INTO_TEXT(arguments, run.corpus), "DIR", 0,
	  "the built corpus (default: corpus/ beside stackproof)", 0 },
	{ "results", INTO_TEXT(arguments, run.results), "DIR", 0,
	  "the results folder (default: results/ beside stackproof)", 0 },
	{ "kernels", OPTION_KERNELS, "LIST", 0,
	  "host, series such as 5.10, paths of bzImages (default: " DEFAULT_KERNELS ")", 0 },
	{ "engine", OPTION_ENGINE, "LIST", OPTION_AGAIN,
	  "engines, as of compare (default: " DEFAULT_ENGINES
	  "); your own are asked on this machine, not in guests",
	  0 },
	{ "filter", INTO_TEXT(arguments, run.filter), "GLOB", 0,
	  "only binaries whose name, program, toolchain or variant matches", 0 },
	{ "guests", OPTION_GUESTS, "step|play", 0,
	  "what guests do: step the programs themselves, or play the points that were stepped and "
	  "recorded on the host, in a tenth of the time (default: see --truth)",
	  0 },
	{ "truth", OPTION_TRUTH, "tracer|emulator", 0,
	  "what stacks in guests are held against: the tracer there; or a QEMU whose plugin sees "
	  "each instruction, and nothing is stepped (default: emulator, if there is one and "
	  "neither --guests nor --engine is given)",
	  0 },
	{ "ignore", INTO_TEXT(arguments, ignore), "FILE", 0,
	  "findings that fail no program: a line each, as `compare --ignore` takes them", 0 },
	{ "require", OPTION_REQUIRE, "LIST", 0,
	  "of bpf, vm, gcc, clang, rustc: skips for want of these are failures", 0 },
	{ "record", INTO_FLAG(arguments, run.record), NULL, 0,
	  "keep what `replay` needs of the host's points in recordings/ of the results folder", 0 },
	{ "resume", INTO_FLAG(arguments, run.resume), NULL, 0,
	  "go on with the run in the results folder that was cut short: what is judged stays", 0 },
	{ "jobs", 'j', "N", 0, "how much at once (default: CPUs)", 0 },
	{ "timeout", INTO_SECONDS(arguments, run.timeout_ms), "SECONDS", 0,
	  "for one program on one kernel (default: 120)", 0 },
	{ "json", INTO_FLAG(arguments, json), NULL, 0, "NDJSON on stdout in place of the table",
	  0 },
	{ "quiet", INTO_FLAG(arguments, quiet), NULL, 0, "no progress on stderr", 0 },
	{ 0 },
};

/* Cuts value at commas; it must outlive the arguments. */
static void parse_kernels(struct arguments *arguments, char *value, struct argp_state *state)
{
	size_t count = option_words(state, value, "--kernels", arguments->kernel, KERNELS_MAX);

	for (size_t i = 0; i < count; i++) {
		const char *name = arguments->kernel[i];

		if (strlen(name) >= sizeof(((struct results_kernel *)0)->name))
			argp_error(state, "the kernel's name is too long: %s", name);
		if (strcmp(name, HOST_LANE) && !strchr(name, '/') && !kernel_is_possible(name))
			argp_error(state,
				   "\"%s\" is neither " HOST_LANE ", nor a series that any suite "
				   "holds, nor the path of a bzImage",
				   name);
	}
	arguments->run.kernel_count = count;
}

static void add_engines(struct argp_state *state, const char *list, struct engine_list *engines)
{
	struct error error;

	if (engine_list_add(engines, list, &error))
		argp_error(state, "--engine: %s", error.message);
}

/* They go to each comparison as one word, those that are not built in as another: no guest has
 * them. */
static void choose_engines(struct argp_state *state, struct arguments *arguments)
{
	const struct engine_list *list = &arguments->engines;
	struct run_options *run = &arguments->run;

	if (!list->count)
		return;
	if (list->count == list->own_count)
		argp_error(state,
			   "--engine: one that is built in must be among them: guests have no "
			   "others");
	arguments->asked = engine_list_text(list, ENGINE_LIST_NAMES);
	arguments->built_in = engine_list_text(list, ENGINE_LIST_BUILT_IN);
	arguments->external = engine_list_text(list, ENGINE_LIST_OWN);
	if (!arguments->asked || !arguments->built_in || !arguments->external)
		argp_failure(state, EXIT_ENVIRONMENT, ENOMEM, "--engine");
	run->asked = arguments->asked;
	run->engines = arguments->built_in;
	run->external = list->own_count ? arguments->external : NULL;
}

static bool runs_on_host(const struct arguments *arguments)
{
	return ARRAY_ANY(arguments->run.kernel_count, i, !strcmp(arguments->kernel[i], HOST_LANE));
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct run_options *run = &arguments->run;
	const char *word;

	switch (key) {
	case OPTION_KERNELS: parse_kernels(arguments, value, state); return 0;
	case OPTION_ENGINE: add_engines(state, value, &arguments->engines); return 0;
	case OPTION_GUESTS:
		if (strcmp(value, "step") && strcmp(value, "play"))
			argp_error(state, "--guests takes step or play, not '%s'", value);
		run->play = !strcmp(value, "play");
		arguments->steps = !run->play;
		return 0;
	case OPTION_TRUTH:
		if (strcmp(value, "tracer") && strcmp(value, "emulator"))
			argp_error(state, "--truth takes tracer or emulator, not '%s'", value);
		run->truth = *value == 't' ? RUN_TRUTH_TRACER : RUN_TRUTH_EMULATOR;
		return 0;
	case ARGP_KEY_END:
		if (run->play && run->truth == RUN_TRUTH_EMULATOR)
			argp_error(state,
				   "--truth emulator: with --guests play nothing runs there");
		choose_engines(state, arguments);
		if (arguments->steps && run->truth == RUN_TRUTH_EMULATOR)
			argp_error(state, "--truth emulator: with --guests step the tracer has it");
		if (arguments->steps)
			run->truth = RUN_TRUTH_TRACER;
		if (run->play && !runs_on_host(arguments))
			argp_error(state, "--guests play plays what the host has recorded: "
					  "--kernels must name host");
		run->record |= run->play;
		return 0;
	case OPTION_REQUIRE:
		if (!require_valid(option_text(state, value, "--require"), &word))
			argp_error(state, "nothing is known as \"%s\" to be required", word);
		run->require = value;
		return 0;
	case 'j': run->jobs = option_between(state, value, "--jobs", 1, JOBS_MAX); return 0;
	case ARGP_KEY_ARG: argp_error(state, "what is \"%s\"?", value); return 0;
	default: return option_into(key, value, state, options);
	}
}

static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 }, { 0 } };

static const struct argp parser = {
	.children = children,
	.options = options,
	.parser = parse_option,
	.doc = "Steps every program of the corpus on every kernel, holds the engines against the "
	       "truth, and keeps everything in a results folder.\v"
	       "Exit status: 0 all passed (or skipped); 1 a failure; 2 usage; 3 no corpus; 77 "
	       "everything skipped; 99 the environment failed, a guest died.",
};

static unsigned cpu_count(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

static void print_results(const struct results *results, const struct arguments *arguments)
{
	const char *no_color = getenv("NO_COLOR");
	struct gate gate;
	bool colour = isatty(STDOUT_FILENO) && (!no_color || !no_color[0]);

	if (arguments->json)
		results_print(results, stdout);
	else
		terminal_print(results, arguments->run.results, colour, stdout);
	results_gate(results, &gate);
	if (!arguments->json && !gate_is_clean(&gate))
		gate_print(&gate, stdout);
	fflush(stdout); /* where both are one file, what comes next does not break a line */
	if (arguments->run.ignore)
		ignore_list_print_text(stderr, arguments->run.ignore);
}

/* An installed program has no corpus beside it. */
static void explain_corpus(const char *folder)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/manifest.tsv", folder);
	if (access(path, F_OK))
		fprintf(stderr,
			"stackproof run: there is no corpus in %s: it is not installed, but built "
			"by "
			"`make corpus` in the sources (into build/corpus); say where with "
			"--corpus\n",
			PLAIN_TEXT(folder));
}

static bool writes_over_inputs(const struct arguments *arguments)
{
	const struct run_options *run = &arguments->run;
	char results[PATH_MAX + 32], manifest[PATH_MAX + 32];
	bool found;

	snprintf(results, sizeof(results), "%s/%s", run->results, RESULTS_FILE);
	snprintf(manifest, sizeof(manifest), "%s/manifest.tsv", run->corpus);
	found = output_files_are_inputs(FILE_NAMES(results),
					FILE_NAMES(arguments->ignore, manifest));
	for (size_t i = 0; i < run->kernel_count && !found; i++)
		if (strchr(arguments->kernel[i], '/'))
			found = output_files_are_inputs(FILE_NAMES(results),
							FILE_NAMES(arguments->kernel[i]));
	return found;
}

int command_run(int argc, char **argv)
{
	static const struct run_backend backend = {
		.compare = host_compare,
		.kernel = kernel_get,
		.guest = guest_run,
		.can_boot = qemu_installed,
		.emulator = emulator_choose,
	};
	char kernels[] = DEFAULT_KERNELS;
	char corpus[PATH_MAX + 16], results_folder[PATH_MAX + 16];
	struct arguments arguments = {
		.run = { .corpus = corpus,
			 .results = results_folder,
			 .engines = DEFAULT_ENGINES,
			 .require = "",
			 .jobs = cpu_count(),
			 .timeout_ms = DEFAULT_TIMEOUT_MS },
	};
	struct results results;
	struct ignore_list ignore = { 0 };
	struct error error = { 0 };

	child_beside("corpus", corpus, sizeof(corpus), &error);
	child_beside("results", results_folder, sizeof(results_folder), &error);
	parse_kernels(&arguments, kernels, NULL);
	command_parse(&parser, argc, argv, 0, &arguments, &arguments.gate);
	arguments.run.kernel = arguments.kernel;
	arguments.run.progress = arguments.quiet ? NULL : stderr;
	arguments.run.live = isatty(STDERR_FILENO);

	int status = EXIT_BAD_INPUT;
	struct interrupt interrupt;
	if (writes_over_inputs(&arguments)) {
		status = EXIT_USAGE;
		goto out;
	}
	if (ignore_list_read_now(&ignore, arguments.ignore, &error)) {
		error_print(stderr, "stackproof run", &error);
		goto out;
	}
	if (arguments.ignore)
		arguments.run.ignore = &ignore;
	if (interrupt_init(&interrupt, "stackproof run", "what was found is kept", &error)) {
		error_print(stderr, "stackproof run", &error);
		status = EXIT_ENVIRONMENT;
		goto out;
	}
	arguments.run.interrupt = &interrupt;
	if (run_matrix(&results, &arguments.run, &backend, &error)) {
		error_print(stderr, "stackproof run", &error);
		if (results.unwritten)
			status = EXIT_ENVIRONMENT;
		else
			explain_corpus(arguments.run.corpus);
	} else {
		results.strict = arguments.gate.strict;
		print_results(&results, &arguments);
		status = results_exit_status(&results);
	}
	interrupt_deinit(&interrupt);
	results_deinit(&results);
out:
	ignore_list_deinit(&ignore);
	free(arguments.asked);
	free(arguments.built_in);
	free(arguments.external);
	engine_list_deinit(&arguments.engines);
	return status;
}
