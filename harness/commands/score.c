/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score.c - `stackproof score`: any profiler's stacks, held against a truth file
 *
 *	stackproof truth -o FILE -- PROGRAM	all the stacks that it has
 *	perf record -g -- PROGRAM		with whatever profiler
 *	stackproof score --truth FILE perf.data
 *
 * or all at once, with --run.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array.h"
#include "cli/exit_status.h"
#include "cli/json_counts.h"
#include "cli/options.h"
#include "gate/gate.h"
#include "harness.h"
#include "plain_text.h"
#include "score/score.h"

enum {
	OPTION_COMM = 256,
	OPTION_FINDINGS,
	OPTION_FORMAT,
	OPTION_FUNCTIONS,
	OPTION_JSON,
	OPTION_RUN,
	OPTION_TIMEOUT,
	OPTION_TRUTH,
};

static const struct argp_option options[] = {
	{ "comm", OPTION_COMM, "NAME", 0,
	  "a thread of the program has that name, too; may be given again", 0 },
	{ "findings", OPTION_FINDINGS, "N", 0, "show so many at most (default 10; JSON: 1000)", 0 },
	{ "format", OPTION_FORMAT, "perf-script|perf-data|folded|pprof|stacks", 0,
	  "what the profiles are (default: by their content)", 0 },
	{ "functions", OPTION_FUNCTIONS, "N", 0, "show so many at most (default 10)", 0 },
	{ "json", OPTION_JSON, NULL, 0, "NDJSON on standard output", 0 },
	{ "run", OPTION_RUN, "COMMAND", 0,
	  "run this profiler on PROGRAM first; {out} is the file that it is to write, {program} "
	  "PROGRAM and its arguments",
	  0 },
	{ "timeout", OPTION_TIMEOUT, "SECONDS", 0,
	  "with --run, give up the profiler, and stepping, after so long (default 600)", 0 },
	{ "truth", OPTION_TRUTH, "FILE", 0,
	  "as `stackproof truth' wrote it (with --run: default, PROGRAM is stepped)", 0 },
	{ NULL },
};

struct arguments {
	const char *truth, *run;
	enum profile_format format;
	uint64_t findings, functions;
	unsigned int timeout_ms;
	bool json;
	const char **comm;
	size_t comms;
	char **argument; /* profiles, or with --run the program; ends with NULL */
	struct gate gate;
};

static void check_usage(struct argp_state *state, const struct arguments *arguments)
{
	if (!arguments->truth && !arguments->run)
		argp_error(state, "--truth FILE is needed, or --run");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->gate; return 0;
	case OPTION_COMM:
		if (!ARRAY_GROW(arguments->comm, arguments->comms))
			argp_failure(state, EXIT_ENVIRONMENT, 0, "no memory");
		arguments->comm[arguments->comms++] = option_text(state, argument, "--comm");
		return 0;
	case OPTION_FINDINGS:
		arguments->findings = option_number(state, argument, "--findings");
		return 0;
	case OPTION_FORMAT:
		arguments->format = profile_format_find(argument);
		if (arguments->format == PROFILE_FORMAT_COUNT || arguments->format == PROFILE_ANY)
			argp_error(state, "--format takes perf-script, perf-data, folded, pprof or "
					  "stacks");
		return 0;
	case OPTION_FUNCTIONS:
		arguments->functions = option_number(state, argument, "--functions");
		return 0;
	case OPTION_JSON: arguments->json = true; return 0;
	case OPTION_RUN: arguments->run = option_text(state, argument, "--run"); return 0;
	case OPTION_TIMEOUT:
		arguments->timeout_ms = option_seconds(state, argument, "--timeout");
		return 0;
	case OPTION_TRUTH: arguments->truth = option_text(state, argument, "--truth"); return 0;
	case ARGP_KEY_ARGS: arguments->argument = state->argv + state->next; return 0;
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
	.args_doc = "--truth=FILE PROFILE...\n--run=COMMAND -- PROGRAM [ARGUMENT...]",
	.doc = "Holds every stack of a profile against all stacks that the program has: which are "
	       "exact, which are cut short and in which function, and which are impossible. Reads "
	       "perf.data, the text of perf script, folded stacks, pprof, and what `stackproof "
	       "sample --profile' writes.\v"
	       "Exit status: 0 all stacks are possible; 1 some are not; 2 usage; 3 an input that "
	       "can't be read; 77 nothing could be compared; 99 the environment failed.",
};

/* What could not be done with a file: said, and put to the gate's account. */
static void fail(struct arguments *arguments, const char *path, const struct error *error)
{
	bool no_perf = error->code == ERROR_UNAVAILABLE;

	error_print(stderr, path, error);
	if (arguments->json)
		json_line(stdout,
			  json_pack("{s:s, s:o, s:s, s:o}", "type", no_perf ? "skip" : "failed",
				    "profile", json_bytes(path), "reason",
				    no_perf ? "no_profiler" : error_code_name(error->code),
				    "message", json_bytes(error->message)));
	if (no_perf) {
		gate_leave(&arguments->gate, GATE_SKIPPED, 1);
	} else if (error->code == ERROR_TEXT_SYNTAX || error->code == ERROR_TABLE_LIMIT) {
		gate_leave(&arguments->gate, GATE_UNREADABLE, 1);
		arguments->gate.bad_input = true;
	} else {
		gate_add_status(&arguments->gate, exit_status_of_error(error));
	}
}

static void account(struct gate *gate, const struct score *score)
{
	const uint64_t *class = score->all.class;

	gate_check(gate, class[SCORE_EXACT] + class[SCORE_TRUNCATED] + class[SCORE_IMPOSSIBLE]);
	gate->findings += score->findings; /* of further ones are none without these */
	gate_leave(gate, GATE_SAMPLES_UNPROVEN, class[SCORE_UNPROVEN]);
	gate_leave(gate, GATE_SAMPLES_LEFT, class[SCORE_SKIPPED]);
	gate_leave(gate, GATE_SAMPLES_UNREAD, profile_lost(&score->profile));
	if (profile_lost(&score->profile))
		gate->bad_input |= !class[SCORE_EXACT] && !class[SCORE_TRUNCATED];
}

static void score_one(struct arguments *arguments, struct score_truth *truth, const char *path)
{
	const struct score_shown shown = { path, arguments->truth, arguments->findings,
					   arguments->functions };
	struct score score;
	struct error error;

	if (score_init(&score, truth, &error)) {
		fail(arguments, path, &error);
		return;
	}
	if (score_profile(&score, path, arguments->format, &error))
		fail(arguments, path, &error);
	else if (arguments->json)
		score_print_json(stdout, &score, &shown);
	else
		score_print_text(stdout, &score, &shown);
	account(&arguments->gate, &score);
	fflush(stdout);
	score_deinit(&score);
}

/* ---- --run ------------------------------------------------------------------------------------ */

/* A folder for what is made, and what is in it. */
struct workshop {
	char folder[64], profile[80], truth[80];
};

static int workshop_init(struct workshop *workshop, struct error *error)
{
	snprintf(workshop->folder, sizeof(workshop->folder), "/tmp/stackproof-score-XXXXXX");
	if (!mkdtemp(workshop->folder))
		return error_set_errno(error, "%s", workshop->folder);
	snprintf(workshop->profile, sizeof(workshop->profile), "%s/profile", workshop->folder);
	snprintf(workshop->truth, sizeof(workshop->truth), "%s/truth", workshop->folder);
	return 0;
}

static void workshop_deinit(const struct workshop *workshop)
{
	unlink(workshop->profile);
	unlink(workshop->truth);
	rmdir(workshop->folder);
}

/* Runs a command whose {out} is path. Its own status counts only if it wrote nothing. */
static int make_file(const struct arguments *arguments, const char *text, const char *path,
		     struct error *error)
{
	struct score_command command;
	struct stat status;
	int ret;

	if (score_command_parse(text, path, arguments->argument, &command, error))
		return -1;
	ret = score_command_run(&command, arguments->timeout_ms, error);
	if (ret && error->code == ERROR_PROTOCOL && !stat(path, &status) && status.st_size)
		ret = 0;
	score_command_deinit(&command);
	return ret;
}

static int add_names(const struct arguments *arguments, struct score_truth *truth,
		     struct error *error)
{
	for (size_t i = 0; i < arguments->comms; i++)
		if (score_truth_add_name(truth, arguments->comm[i], error))
			return -1;
	return 0;
}

static void score_all(struct arguments *arguments, char *const *profile)
{
	struct score_truth truth;
	struct error error;

	if (score_truth_open(&truth, arguments->truth, &error)) {
		error_print(stderr, arguments->truth, &error);
		if (error.code == ERROR_PROTOCOL) {
			gate_leave(&arguments->gate, GATE_DAMAGED, 1);
			arguments->gate.bad_input = true;
		} else {
			gate_add_status(&arguments->gate, exit_status_of_error(&error));
		}
		return;
	}
	if (!arguments->json)
		score_print_truth_text(stdout, arguments->truth, &truth);
	if (score_truth_unproven(&truth) > 50)
		gate_leave(&arguments->gate, GATE_TRUTHS_UNPROVEN, 1);
	if (add_names(arguments, &truth, &error))
		fail(arguments, arguments->truth, &error);
	for (; *profile; profile++)
		score_one(arguments, &truth, *profile);
	score_truth_close(&truth);
}

static void run_and_score(struct arguments *arguments)
{
	struct workshop workshop;
	char *profile[] = { workshop.profile, NULL };
	const char *truth = arguments->truth;
	struct error error;

	if (workshop_init(&workshop, &error)) {
		fail(arguments, arguments->argument[0], &error);
		return;
	}
	if (make_file(arguments, arguments->run, workshop.profile, &error) ||
	    (!truth && make_file(arguments, "/proc/self/exe truth --output {out} -- {program}",
				 workshop.truth, &error))) {
		fail(arguments, arguments->argument[0], &error);
	} else {
		arguments->truth = truth ? truth : workshop.truth;
		score_all(arguments, profile);
	}
	workshop_deinit(&workshop);
}

static void print_total(const struct gate *gate)
{
	json_t *total = json_pack("{s:s}", "type", "score_total");

	gate_json(gate, total);
	json_line(stdout, total);
}

int command_score(int argc, char **argv)
{
	struct arguments arguments = {
		.findings = UINT64_MAX,
		.functions = 10,
		.timeout_ms = 600000,
		.gate = { .unit = "samples" },
	};

	argp_err_exit_status = EXIT_USAGE;
	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	if (arguments.findings == UINT64_MAX && !arguments.json)
		arguments.findings = 10;
	if (arguments.run)
		run_and_score(&arguments);
	else
		score_all(&arguments, arguments.argument);
	if (arguments.json)
		print_total(&arguments.gate);
	else if (!gate_is_clean(&arguments.gate))
		gate_print(&arguments.gate, stdout);
	free(arguments.comm);
	return gate_status(&arguments.gate);
}
