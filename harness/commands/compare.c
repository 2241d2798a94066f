// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * compare.c - `stackproof compare`: step a real program, hold engines against the truth
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "harness.h"

enum {
	OPTION_EVERY = 256,
	OPTION_FROM,
	OPTION_JSON,
	OPTION_TIMEOUT,
	OPTION_LIMIT,
	OPTION_METHOD,
	OPTION_OUTPUT,
};

static const struct argp_option options[] = {
	{ "engine", 'e', "ENGINE,...", 0, "engines to score (default: all): cfi, table, bpf, fp, libdw", 0 },
	{ "every", OPTION_EVERY, "N", 0, "compare at every Nth instruction (default 1)", 0 },
	{ "from", OPTION_FROM, "SYMBOL", 0,
	  "compare from SYMBOL's first execution on; _start: from the program's entry point, the "
	  "dynamic loader unstepped (default: the first instruction of all)",
	  0 },
	{ "json", OPTION_JSON, NULL, 0, "NDJSON on standard output", 0 },
	{ "limit", OPTION_LIMIT, "POINTS", 0, "end the program after so many points", 0 },
	{ "method", OPTION_METHOD, "loop|chain", 0,
	  "how the BPF walk goes round: bpf_loop or tail calls (default: probed)", 0 },
	{ "output", OPTION_OUTPUT, NULL, 0, "let the program's own output through", 0 },
	{ "timeout", OPTION_TIMEOUT, "SECONDS", 0, "give up after so long (default 600)", 0 },
	{ NULL },
};

struct arguments {
	struct compare_options compare;
	bool json;
};

static unsigned long long number(struct argp_state *state, const char *text, const char *what)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || end == text || *text == '-')
		argp_error(state, "%s takes a whole number, not '%s'", what, text);
	return value;
}

static void parse_engines(struct argp_state *state, struct compare_options *compare, char *list)
{
	char *name, *rest = list;

	compare->engine_count = 0;
	while ((name = strsep(&rest, ","))) {
		const struct engine *engine = engine_find(name);

		if (!engine)
			argp_error(state, "no engine is called '%s'", name);
		for (size_t i = 0; i < compare->engine_count; i++)
			if (compare->engine[i] == engine)
				argp_error(state, "engine '%s' is named twice", name);
		compare->engine[compare->engine_count++] = engine;
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct compare_options *compare = &arguments->compare;

	switch (key) {
	case 'e': parse_engines(state, compare, argument); return 0;
	case OPTION_EVERY: compare->tracer.every = number(state, argument, "--every"); return 0;
	case OPTION_FROM: compare->tracer.from = argument; return 0;
	case OPTION_JSON: arguments->json = true; return 0;
	case OPTION_LIMIT: compare->tracer.point_limit = number(state, argument, "--limit"); return 0;
	case OPTION_METHOD:
		if (strcmp(argument, "loop") != 0 && strcmp(argument, "chain") != 0)
			argp_error(state, "--method takes loop or chain");
		compare->method = argument;
		return 0;
	case OPTION_OUTPUT: compare->tracer.silence_output = false; return 0;
	case OPTION_TIMEOUT:
		compare->tracer.timeout_ms = number(state, argument, "--timeout") * 1000;
		return 0;
	case ARGP_KEY_ARGS:
		compare->tracer.argv = state->argv + state->next;
		return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "-- PROGRAM [ARGUMENT...]",
	.doc = "Steps PROGRAM one instruction at a time, asks each engine for the stack, and says whose "
	       "fault it is where one is wrong.",
};

int command_compare(int argc, char **argv)
{
	struct arguments arguments = {
		.compare.tracer = { .timeout_ms = 600000, .silence_output = true },
	};
	struct comparison comparison;
	const char *program;
	struct error error;
	size_t skipped = 0;
	int status;

	for (size_t i = 0; engine_at(i); i++)
		arguments.compare.engine[arguments.compare.engine_count++] = engine_at(i);
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	program = arguments.compare.tracer.argv[0];
	if (compare_run(&arguments.compare, &comparison, &error)) {
		error_print(stderr, program, &error);
		return error.code == ERROR_NOT_ELF || error.code == ERROR_ELF_BOUNDS ||
				       error.code == ERROR_UNSUPPORTED_ELF ?
			       EXIT_BAD_INPUT :
			       EXIT_ENVIRONMENT;
	}
	if (arguments.json)
		compare_print_json(stdout, program, &comparison);
	else
		compare_print_text(stdout, program, &comparison);
	for (size_t i = 0; i < comparison.engine_count; i++)
		skipped += comparison.engine[i].skipped;
	if (comparison_is_thin(&comparison))
		fprintf(stderr, "%s: the truth is thin: it proves little\n", program);
	status = comparison_has_findings(&comparison) || comparison_is_thin(&comparison) ?
			 EXIT_FINDINGS :
			 EXIT_OK;
	if (skipped == comparison.engine_count)
		status = EXIT_SKIPPED;
	comparison_deinit(&comparison);
	return status;
}
