/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth.c - `stackproof truth`: all true stacks of a program's run, in a file
 *
 * What walks a program's stack elsewhere, with whatever means, is held against that file
 * afterwards. Whether the CFI is right is not asked here: compare does.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include "cli/exit_status.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "commit.h"
#include "compare/compare_progress.h"
#include "contexts/contexts.h"
#include "harness.h"
#include "plain_text.h"

enum {
	OPTION_ASLR = 256,
	OPTION_BIND_NOW,
	OPTION_EVERY,
	OPTION_FOLDED,
	OPTION_FROM,
	OPTION_JSON,
	OPTION_LIMIT,
	OPTION_PASS,
	OPTION_TIMEOUT,
};

static const struct argp_option options[] = {
	{ "aslr", OPTION_ASLR, "on|off", 0,
	  "whether the program's addresses are random (default: off, so that runs repeat)", 0 },
	{ "bind-now", OPTION_BIND_NOW, NULL, 0,
	  "the dynamic loader resolves every symbol before the program begins (LD_BIND_NOW)", 0 },
	{ "every", OPTION_EVERY, "N", 0, "a point at every Nth instruction (default 1)", 0 },
	{ "folded", OPTION_FOLDED, NULL, 0,
	  "print the FILE named as folded stacks: functions, outermost first, separated by "
	  "semicolons, and how many instructions",
	  0 },
	{ "from", OPTION_FROM, "SYMBOL", 0,
	  "from SYMBOL's first execution on; _start: from the program's entry point, the dynamic "
	  "loader unstepped; main: of a stripped program what _start hands the C library "
	  "(default: the first instruction of all)",
	  0 },
	{ "json", OPTION_JSON, NULL, 0, "NDJSON on standard output", 0 },
	{ "limit", OPTION_LIMIT, "POINTS", 0,
	  "end the program after so many points; the file is then partial", 0 },
	{ "output", 'o', "FILE", 0, "step PROGRAM, and write FILE", 0 },
	{ "pass-output", OPTION_PASS, NULL, 0, "let the program's own output through", 0 },
	{ "timeout", OPTION_TIMEOUT, "SECONDS", 0, "give up after so long (default 600)", 0 },
	{ NULL },
};

struct arguments {
	struct tracer_options tracer;
	const char *output;
	const char *of_stepping; /* an option that says how; or NULL */
	bool json, folded;
	char *const *argument;
	size_t argument_count;
	struct gate gate;
};

static bool parse_on(struct argp_state *state, const char *text)
{
	if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
		argp_error(state, "--aslr takes on or off, not '%s'", text);
	return !strcmp(text, "on");
}

/* With --output there is a program; else there is one truth file. */
static void check_usage(struct argp_state *state, const struct arguments *arguments)
{
	if (arguments->output && arguments->folded)
		argp_error(state, "--folded prints a file that is there");
	if (!arguments->output && arguments->argument_count != 1)
		argp_error(state, "without --output there is one FILE");
	if (!arguments->output && arguments->of_stepping)
		argp_error(state, "%s is for --output: nothing is stepped", arguments->of_stepping);
}

/* Its name, if it says how a program is stepped; else NULL. */
static const char *stepping_option(int key)
{
	switch (key) {
	case OPTION_ASLR: return "--aslr";
	case OPTION_BIND_NOW: return "--bind-now";
	case OPTION_EVERY: return "--every";
	case OPTION_FROM: return "--from";
	case OPTION_LIMIT: return "--limit";
	case OPTION_PASS: return "--pass-output";
	case OPTION_TIMEOUT: return "--timeout";
	default: return NULL;
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct tracer_options *tracer = &arguments->tracer;
	const char *of_stepping = stepping_option(key);

	if (of_stepping)
		arguments->of_stepping = of_stepping;
	switch (key) {
	case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->gate; return 0;
	case OPTION_ASLR: tracer->randomize = parse_on(state, argument); return 0;
	case OPTION_BIND_NOW: option_bind_now(state); return 0;
	case OPTION_EVERY:
		tracer->every = option_between(state, argument, "--every", 1, UINT64_MAX);
		return 0;
	case OPTION_FOLDED: arguments->folded = true; return 0;
	case OPTION_FROM: tracer->from = option_text(state, argument, "--from"); return 0;
	case OPTION_JSON: arguments->json = true; return 0;
	case OPTION_LIMIT:
		tracer->point_limit = option_between(state, argument, "--limit", 1, UINT64_MAX);
		return 0;
	case OPTION_PASS: tracer->silence_output = false; return 0;
	case OPTION_TIMEOUT:
		tracer->timeout_ms = option_seconds(state, argument, "--timeout");
		return 0;
	case 'o': arguments->output = option_text(state, argument, "--output"); return 0;
	case ARGP_KEY_ARGS:
		arguments->argument = state->argv + state->next;
		arguments->argument_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	case ARGP_KEY_SUCCESS: check_usage(state, arguments); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 }, { 0 } };

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse,
	.args_doc = "--output=FILE -- PROGRAM [ARGUMENT...]\nFILE",
	.doc = "Steps PROGRAM one instruction at a time, and writes all its true stacks into FILE; "
	       "or says what is in such a FILE.",
};

/* Prints what a file holds. gate: of the run that has just made it; or NULL. */
static int print_file(const struct arguments *arguments, const char *path, const struct gate *gate)
{
	struct truth_file *truth;
	struct error error;
	size_t missing = 0;
	int status = 0;

	if (truth_file_open(path, &truth, &error)) {
		error_print(stderr, path, &error);
		return EXIT_BAD_INPUT;
	}
	if (arguments->folded)
		status = contexts_print_folded(stdout, truth, &missing, &error);
	else if (arguments->json)
		contexts_print_json(stdout, path, truth, gate);
	else
		contexts_print_text(stdout, path, truth);
	if (arguments->folded && truth_file_partial(truth))
		fprintf(stderr, "%s: PARTIAL (%s): the run did not come to its end\n",
			PLAIN_TEXT(path), PLAIN_TEXT(truth_file_partial(truth)));
	if (missing)
		fprintf(stderr,
			"%s: %zu images are not there any more: their functions have no names\n",
			PLAIN_TEXT(path), missing);
	truth_file_close(truth);
	if (status)
		error_print(stderr, path, &error);
	return status ? EXIT_ENVIRONMENT : EXIT_OK;
}

static void on_point(void *context)
{
	compare_progress_point(context);
}

static int step(struct arguments *arguments)
{
	struct compare_progress progress;
	const struct contexts_options contexts = {
		.tracer = &arguments->tracer,
		.output = arguments->output,
		.version = STACKPROOF_VERSION STACKPROOF_COMMIT,
		.strict = arguments->gate.strict,
		.on_point = on_point,
		.context = &progress,
	};
	const char *program = arguments->argument[0];
	struct contexts_result result;

	arguments->tracer.argv = arguments->argument;
	compare_progress_start(&progress, program, arguments->tracer.point_limit);
	progress.bar.live &= arguments->tracer.silence_output; /* or the two lines would mix */
	contexts_step(&contexts, &result);
	compare_progress_end(&progress);
	if (result.early.code)
		error_print(stderr, program, &result.early);
	if (!result.written && result.cut && arguments->json)
		contexts_print_cut(stdout, arguments->output, &contexts, &result);
	if (!result.written)
		return result.early.code ? exit_status_of_error(&result.early)
					 : gate_status(&result.gate);
	print_file(arguments, arguments->output, &result.gate);
	if (result.thin)
		fprintf(stderr, "%s: the truth is thin: it proves little\n", PLAIN_TEXT(program));
	if (!arguments->json && !gate_is_clean(&result.gate))
		gate_print(&result.gate, stdout);
	return gate_status(&result.gate);
}

int command_truth(int argc, char **argv)
{
	struct arguments arguments = {
		.tracer = { .timeout_ms = 600000,
			    .silence_output = true,
			    .ended_by_signals = true },
	};

	argp_err_exit_status = EXIT_USAGE;
	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	if (output_files_are_program(FILE_NAMES(arguments.output), arguments.argument[0]))
		return EXIT_USAGE;
	return arguments.output ? step(&arguments)
				: print_file(&arguments, arguments.argument[0], NULL);
}
