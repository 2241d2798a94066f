/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth.c - `stackproof truth`: all true stacks of a program's run, in a file
 *
 * What walks a program's stack elsewhere, with whatever means, is held against that file
 * afterwards. Whether the CFI is right is not asked here: compare does.
 */
#include <argp.h>
#include "base/cli/exit_status.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "commit.h"
#include "base/cli/point_progress.h"
#include "judge/compare/compare_contexts.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "plain_text.h"
#include "judge/stepping/attach_options.h"
#include "judge/stepping/stepping.h"
#include "reports/flame/flame.h"

enum { OPTION_PASS = 256, OPTION_PAGE };

struct arguments {
	struct stepping stepping;
	struct attach_options attach;
	const char *output, *page, *root;
	bool json, folded;
	char *const *argument;
	size_t argument_count;
	struct gate gate;
};

static const struct argp_option options[] = {
	{ "folded", INTO_FLAG(arguments, folded), NULL, 0,
	  "print the FILE named as folded stacks: functions, outermost first, separated by "
	  "semicolons, and how many instructions",
	  0 },
	{ "json", INTO_FLAG(arguments, json), NULL, 0, "NDJSON on standard output", 0 },
	{ "output", 'o', "FILE", 0,
	  "step PROGRAM, and write FILE; with --children FILE.NUMBER of the others", 0 },
	{ "page", OPTION_PAGE, "PAGE", 0,
	  "write the stacks of the FILE named as an HTML page with a flame graph", 0 },
	{ "pass-output", OPTION_PASS, NULL, 0, "let the program's own output through", 0 },
	{ "root", INTO_TEXT(arguments, root), "DIR", 0,
	  "the images of the FILE named are below DIR: names come from there", 0 },
	{ NULL },
};

/* With --output there is a program; else there is one truth file. */
static void check_usage(struct argp_state *state, struct arguments *arguments)
{
	if (arguments->stepping.estimate && !arguments->folded && arguments->argument_count)
		return; /* nothing is written */
	if (arguments->attach.attach.pid && (arguments->argument_count || !arguments->output))
		argp_error(state, "--pid is of a process that runs, and needs --output alone");
	if (arguments->attach.attach.children && !arguments->output)
		argp_error(state, "--children is for --output: nothing is stepped");
	if (arguments->output && !arguments->attach.attach.pid && !arguments->argument_count)
		argp_usage(state);
	if (arguments->output && (arguments->folded || arguments->page))
		argp_error(state, "--%s prints a file that is there",
			   arguments->folded ? "folded" : "page");
	if (arguments->output && arguments->root)
		argp_error(state, "--root is for a file that is there");
	if (!arguments->output && arguments->argument_count != 1)
		argp_error(state, "without --output there is one FILE");
	if (!arguments->output && arguments->stepping.given)
		argp_error(state, "--%s is for --output: nothing is stepped",
			   arguments->stepping.given);
	attach_options_apply(state, &arguments->attach, arguments->stepping.estimate,
			     &arguments->stepping.tracer);
	if (arguments->attach.attach.pid)
		arguments->argument = arguments->attach.argv;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case OPTION_PASS:
		arguments->stepping.tracer.silence_output = false;
		arguments->stepping.given = "pass-output";
		return 0;
	case 'o': arguments->output = option_text(state, argument, "--output"); return 0;
	case OPTION_PAGE: arguments->page = option_file(state, argument, "--page"); return 0;
	case ARGP_KEY_ARGS:
		arguments->argument = state->argv + state->next;
		arguments->argument_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!arguments->output)
			argp_usage(state);
		return 0;
	case ARGP_KEY_SUCCESS: check_usage(state, arguments); return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 },
					      { &stepping_argp, 0, NULL, 0 },
					      { &attach_argp, 0, NULL, 0 },
					      { 0 } };

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse,
	.args_doc = "--output=FILE -- PROGRAM [ARGUMENT...]\n--output=FILE --pid=PID\n--estimate "
		    "-- PROGRAM [ARGUMENT...]\nFILE",
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
	truth_file_set_root(truth, arguments->root);
	if (arguments->folded)
		status = contexts_print_folded(stdout, truth, &missing, &error);
	else if (arguments->page)
		status = flame_truth_write(truth, arguments->page, &missing, &error);
	else if (arguments->json)
		contexts_print_json(stdout, path, truth, gate);
	else
		contexts_print_text(stdout, path, truth);
	if ((arguments->folded || arguments->page) && truth_file_partial(truth))
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
	point_progress_point(context);
}

static int step(struct arguments *arguments)
{
	struct point_progress progress;
	const struct contexts_options contexts = {
		.tracer = &arguments->stepping.tracer,
		.output = arguments->output,
		.version = STACKPROOF_VERSION STACKPROOF_COMMIT,
		.strict = arguments->gate.strict,
		.on_point = on_point,
		.context = &progress,
	};
	const char *program = arguments->argument[0];
	struct contexts_result result;
	struct ending_signals signals;

	stepping_hold(&signals);
	arguments->stepping.tracer.argv = arguments->argument;
	point_progress_start(&progress, program, arguments->stepping.tracer.point_limit);
	progress.bar.live &=
		arguments->stepping.tracer.silence_output; /* or the two lines would mix */
	contexts_step(&contexts, &result);
	ending_signals_release(&signals);
	point_progress_end(&progress);
	if (result.cut.early.code)
		error_print(stderr, program, &result.cut.early);
	else if (!result.written)
		fprintf(stderr, "%s: it %s before there was a point: no file is written\n",
			PLAIN_TEXT(program),
			result.cut.ending == TRACER_LEFT ? "was let go" : "came to its end");
	if (!result.written && arguments->json &&
	    (run_cut_from_outside(&result.cut) || !result.cut.early.code))
		contexts_print_none(stdout, arguments->output, &contexts, &result);
	if (!result.written) {
		contexts_result_deinit(&result);
		return result.cut.early.code ? exit_status_of_error(&result.cut.early)
					     : gate_status(&result.gate);
	}
	for (size_t i = 0; i < result.paths; i++)
		print_file(arguments, result.path[i], i ? NULL : &result.gate);
	run_processes_print(stdout, &result.processes, &result.gate, arguments->json);
	contexts_result_deinit(&result);
	if (result.thin)
		fprintf(stderr, "%s: the truth is thin: it proves little\n", PLAIN_TEXT(program));
	if (!arguments->json && !gate_is_clean(&result.gate))
		gate_print(&result.gate, stdout);
	return gate_status(&result.gate);
}

int command_truth(int argc, char **argv)
{
	struct arguments arguments = {
		.stepping.tracer = STEPPING_TRACER,
	};
	int status;

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments, &arguments.gate,
		      &arguments.stepping, &arguments.attach);
	if (arguments.stepping.estimate) {
		const struct compare_options none = { .engine_count = 0 };

		arguments.stepping.tracer.argv = arguments.argument;
		return stepping_estimate_command(&arguments.stepping.tracer, &none, arguments.json);
	}
	if (output_files_are_program(FILE_NAMES(arguments.output), arguments.argument[0]))
		return EXIT_USAGE;
	status = arguments.attach.attach.pid ? attach_guard() : -1;
	if (status >= 0)
		return status;
	if (arguments.page &&
	    output_files_are_inputs(FILE_NAMES(arguments.page), FILE_NAMES(arguments.argument[0])))
		return EXIT_USAGE;
	return arguments.output ? step(&arguments)
				: print_file(&arguments, arguments.argument[0], NULL);
}
