/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step.c - `stackproof step`: a program in a terminal, point by point
 *
 * What compare does all at once is looked at one point after the other: instruction, row, rule, the
 * truth and each engine's stack. Commands come from standard input, so a script can give them, too;
 * the program has none then.
 */
#include <argp.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "freed.h"
#include "base/cli/exit_status.h"
#include "base/cli/options.h"
#include "judge/compare/compare.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "plain_text.h"
#include "judge/stepping/stepping.h"
#include "judge/step/step.h"

#define DEFAULT_ENGINES "cfi,table,bpf,libdw"

enum { OPTION_BIND_NOW = 256, OPTION_OUTPUT };

struct arguments {
	struct compare_options compare;
	struct engine_list engines;
	struct tracer_options tracer;
};

static const struct argp_option options[] = {
	{ "engine", 'e', "ENGINE,...", OPTION_AGAIN,
	  "whose stacks are shown (default: " DEFAULT_ENGINES "); as of compare", 0 },
	{ "aslr", INTO_FLAG(arguments, tracer.randomize), NULL, 0,
	  "the program's addresses are random (default: not, so that points repeat)", 0 },
	{ "bind-now", OPTION_BIND_NOW, NULL, 0,
	  "the dynamic loader resolves every symbol before the program begins (LD_BIND_NOW)", 0 },
	{ "from", INTO_TEXT(arguments, tracer.from), "SYMBOL", 0,
	  "the first point is SYMBOL's first instruction; _start: the program's entry point "
	  "(default: the first instruction of all, the dynamic loader's)",
	  0 },
	{ "output", OPTION_OUTPUT, NULL, 0, "let the program's own output through", 0 },
	{ NULL },
};

static void add_engines(struct argp_state *state, const char *list, struct engine_list *engines)
{
	struct error error;

	if (engine_list_add(engines, list, &error))
		argp_error(state, "--engine: %s", error.message);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct tracer_options *tracer = &arguments->tracer;

	switch (key) {
	case 'e': add_engines(state, argument, &arguments->engines); return 0;
	case OPTION_BIND_NOW: option_bind_now(state); return 0;
	case OPTION_OUTPUT: tracer->silence_output = false; return 0;
	case ARGP_KEY_ARGS: tracer->argv = state->argv + state->next; return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "-- PROGRAM [ARGUMENT...]",
	.doc = "Steps PROGRAM and shows one point at a time: the instruction, the row and the rule "
	       "for it, the true stack and each engine's. At the prompt h lists the commands, "
	       "among "
	       "them the next disagreement, the next call, and the points before.",
};

/* Commands from standard input, which is empty for the program. */
static FILE *take_input(struct error *error)
{
	int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FD_CLOSED int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	FILE *file = NULL;

	if (fd >= 0 && null >= 0 && dup2(null, STDIN_FILENO) == STDIN_FILENO)
		file = fdopen(fd, "r");
	if (!file) {
		error_set_errno(error, "standard input");
		if (fd >= 0)
			close(fd);
	}
	return file;
}

static enum exit_status step_program(struct comparer *comparer, struct step_session *session,
				     const struct tracer_options *tracer,
				     struct ending_signals *signals)
{
	const char *program = tracer->argv[0];
	struct comparison comparison;
	struct gate gate = { .unit = "points" };
	bool whole = comparer_run_far(comparer, tracer, &comparison);
	char ending[128];

	ending_signals_release(signals); /* at the last prompt ^C is as anywhere */
	for (size_t i = 0; i < comparison.engine_count; i++)
		if (comparison.engine[i].skipped)
			fprintf(stderr, "%s: skipped: %s\n", comparison.engine[i].engine->name,
				PLAIN_TEXT(comparison.engine[i].skip.message));
	compare_ending_text(&comparison, ending, sizeof(ending));
	step_session_end(session, ending);
	gate.checked = step_session_shown(session);
	if (!whole && !step_session_has_quit(session)) {
		error_print(stderr, program, &comparison.cut.early);
		gate.environment = true;
	}
	comparison_deinit(&comparison);
	if (gate.environment && !step_session_points(session))
		return exit_status_of_error(&comparison.cut.early);
	return gate_status(&gate);
}

int command_step(int argc, char **argv)
{
	struct arguments arguments = {
		.tracer = { .silence_output = true, .ended_by_signals = true },
	};
	struct compare_options *compare = &arguments.compare;
	enum exit_status status = EXIT_ENVIRONMENT;
	struct step_session *session = NULL;
	struct comparer *comparer = NULL;
	struct ending_signals signals;
	struct error error;
	FD_CLOSED int ended_fd = -1;
	FILE_CLOSED FILE *in = NULL;

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	if (!arguments.engines.count &&
	    engine_list_add(&arguments.engines, DEFAULT_ENGINES, &error))
		return EXIT_ENVIRONMENT;
	memcpy(compare->engine, arguments.engines.engine, sizeof(compare->engine));
	compare->engine_count = arguments.engines.count;
	in = take_input(&error); /* before a descriptor is made, which could take its number */
	stepping_hold(&signals);
	arguments.tracer.ended_fd = ended_fd = eventfd(0, EFD_CLOEXEC);
	if (ended_fd < 0)
		error_set_errno(&error, "eventfd");
	if (!in || ended_fd < 0 ||
	    step_session_create(in, stdout, isatty(fileno(in)), ended_fd, &session, &error))
		goto out;
	step_session_listen(session, compare);
	if (comparer_create(compare, &comparer, &error))
		goto out;
	status = step_program(comparer, session, &arguments.tracer, &signals);
out:
	if (!comparer)
		error_print(stderr, "stackproof step", &error);
	ending_signals_release(&signals);
	comparer_destroy(comparer);
	step_session_destroy(session);
	engine_list_deinit(&arguments.engines);
	return status;
}
