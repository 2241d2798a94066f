/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample.c - `stackproof sample`: the walk at a clock's ticks, held against a stepped run
 *
 * compare holds the walk against the truth where a program is stopped by a trap. Profilers meet it
 * elsewhere: at a clock's interrupt, in the kernel's middle, in a system call, while another thread
 * is walked on the next CPU. There the truth of a single sample is not known; but of a program that
 * does the same in every run, all its stacks are, and each sample must be one of them.
 */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/exit_status.h"
#include "base/cases/cases.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "profiles/sample/sample.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/images/debug_link.h"
#include "plain_text.h"
#include "judge/stepping/stepping.h"

#define SAMPLE_STEPPED_MAX 8 /* runs */

enum {
	OPTION_CLOCK = 256,
	OPTION_DRAIN,
	OPTION_METHOD,
	OPTION_RATE,
	OPTION_RUNS,
	OPTION_TRUTH_ARGS,
	OPTION_BIND_NOW,
};

struct arguments {
	struct sample_options sample;
	unsigned int rate[SAMPLE_RATES_MAX];
	size_t rate_count;
	const char *truth_args[SAMPLE_STEPPED_MAX];
	size_t truth_args_count;
	const char *profile;
	bool json;
	char failure[sizeof(((struct error *)0)->message)];
	struct run_cut cut; /* of the stepped run */
	struct gate gate;
	struct cases_options cases;
};

static const struct argp_option options[] = {
	{ "bind-now", OPTION_BIND_NOW, NULL, 0,
	  "the dynamic loader resolves every symbol before the program begins (LD_BIND_NOW)", 0 },
	{ "children", INTO_FLAG(arguments, sample.children), NULL, 0,
	  "sample the processes that it starts, too; stepped runs begin in the dynamic loader", 0 },
	{ "clock", OPTION_CLOCK, "cpu|task|cycles", 0, "what ticks (default cpu)", 0 },
	{ "drain", OPTION_DRAIN, "MS", 0,
	  "read stacks so often (default 1); if too seldom, some are lost, and must be counted",
	  0 },
	{ "json", INTO_FLAG(arguments, json), NULL, 0, "NDJSON on standard output", 0 },
	{ "method", OPTION_METHOD, "loop|chain", 0,
	  "how the BPF walk goes round: bpf_loop or tail calls (default: probed)", 0 },
	{ "profile", INTO_TEXT(arguments, profile), "FILE", 0,
	  "write every stack into FILE, for `stackproof score'; not with --children", 0 },
	{ "rate", OPTION_RATE, "HZ,...", 0, "ticks in a second of CPU time (default 4999)", 0 },
	{ "runs", OPTION_RUNS, "N", 0, "at most so many runs at a rate (default 1000)", 0 },
	{ "samples", INTO_COUNT64(arguments, sample.samples), "N", 0,
	  "at each rate so many, in whole runs (default 10000)", 0 },
	{ "timeout", INTO_SECONDS(arguments, sample.timeout_ms), "SECONDS", 0,
	  "give a run up after so long (default 600)", 0 },
	{ "truth-args", OPTION_TRUTH_ARGS, "ARGUMENTS", OPTION_AGAIN,
	  "a stepped run's arguments, separated by blanks, in place of PROGRAM's; given again, "
	  "another run is stepped, too",
	  0 },
	{ NULL },
};

static void parse_rates(struct argp_state *state, struct arguments *arguments, char *list)
{
	char *text[SAMPLE_RATES_MAX];

	arguments->rate_count = option_words(state, list, "--rate", text, SAMPLE_RATES_MAX);
	for (size_t i = 0; i < arguments->rate_count; i++)
		arguments->rate[i] = option_between(state, text[i], "--rate", 1, 1000000);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct sample_options *sample = &arguments->sample;

	switch (key) {
	case OPTION_BIND_NOW: option_bind_now(state); return 0;
	case OPTION_CLOCK:
		sample->clock = sample_clock_find(argument);
		if (!sample->clock)
			argp_error(state, "--clock takes cpu, task or cycles");
		return 0;
	case OPTION_DRAIN:
		sample->drain_ms = option_between(state, argument, "--drain", 1, INT_MAX);
		return 0;
	case OPTION_METHOD: sample->method = option_method(state, argument); return 0;
	case OPTION_RATE: parse_rates(state, arguments, argument); return 0;
	case OPTION_RUNS:
		sample->run_limit = option_between(state, argument, "--runs", 1, UINT32_MAX);
		return 0;
	case OPTION_TRUTH_ARGS:
		if (arguments->truth_args_count == SAMPLE_STEPPED_MAX)
			argp_error(state, "at most %d stepped runs", SAMPLE_STEPPED_MAX);
		arguments->truth_args[arguments->truth_args_count++] = argument;
		return 0;
	case ARGP_KEY_ARGS: sample->argv = state->argv + state->next; return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	case ARGP_KEY_SUCCESS:
		if (arguments->profile && sample->children)
			argp_error(state, "--profile does not go with --children");
		return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp argp = {
	.children = cases_children,
	.options = options,
	.parser = parse,
	.args_doc = "-- PROGRAM [ARGUMENT...]",
	.doc = "Steps PROGRAM once for the set of all its stacks, then runs it under a clock, "
	       "walks its "
	       "stack in the kernel at every tick, and holds each against the set.",
};

/* PROGRAM with the arguments in text; *ret_text is what they point into. Both to be freed. */
static char **truth_arguments(char *const *argv, const char *text, char **ret_text)
{
	char **ret = calloc(strlen(text) + 2, sizeof(*ret)), *word, *rest;
	size_t count = 0;

	*ret_text = rest = strdup(text);
	if (!ret || !rest)
		goto bad;
	ret[count++] = argv[0];
	while ((word = strsep(&rest, " \t")))
		if (*word)
			ret[count++] = word;
	return ret;
bad:
	free(ret);
	free(*ret_text);
	*ret_text = NULL;
	return NULL;
}

/* The exit status of what could not be done. */
static int fail(struct arguments *arguments, const struct error *error)
{
	const char *program = arguments->sample.argv[0];

	cases_add(&arguments->cases.cases, "sample", program,
		  error->code == ERROR_UNAVAILABLE ? CASE_SKIPPED : CASE_ERROR, error->message);

	if (error->code != ERROR_UNAVAILABLE)
		snprintf(arguments->failure, sizeof(arguments->failure), "%s", error->message);
	if (arguments->json && error->code == ERROR_UNAVAILABLE)
		sample_print_skip_json(stdout, program, "unavailable", error->message);
	error_print(stderr, program, error);
	return error->code == ERROR_UNAVAILABLE && !error_is_environment(error)
		       ? EXIT_SKIPPED
		       : exit_status_of_error(error);
}

/* One stepped run, with the arguments in text, or PROGRAM's own if it is NULL. */
static int step_once(const struct arguments *arguments, const char *text,
		     struct sample_truth *truth, struct error *error)
{
	struct sample_stepping stepping = { .argv = arguments->sample.argv,
					    .loader = arguments->sample.children,
					    .timeout_ms = arguments->sample.timeout_ms };
	FREED char *words = NULL, **own = NULL;

	if (text) {
		own = truth_arguments(stepping.argv, text, &words);
		if (!own)
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for arguments");
		stepping.argv = own;
	}
	return sample_truth_add(truth, &stepping, error);
}

static int step(const struct arguments *arguments, struct sample_truth *truth, struct error *error)
{
	if (sample_truth_init(truth, error))
		return -1;
	if (!arguments->truth_args_count)
		return step_once(arguments, NULL, truth, error);
	for (size_t i = 0; i < arguments->truth_args_count; i++)
		if (step_once(arguments, arguments->truth_args[i], truth, error))
			return -1;
	return 0;
}

/* A rate is a case. */
static void add_case(struct arguments *arguments, const struct sample_score *score, bool sound)
{
	char name[64], message[128];

	snprintf(name, sizeof(name), "%s %u Hz", arguments->sample.clock->name, score->rate_hz);
	snprintf(message, sizeof(message),
		 "%llu stacks: %llu outside, %llu cut, or the account does not come out",
		 (unsigned long long)score->records,
		 (unsigned long long)score->class[SAMPLE_OUTSIDE],
		 (unsigned long long)score -> class[SAMPLE_CUT]);
	cases_add(&arguments->cases.cases, arguments->sample.argv[0], name,
		  sound ? CASE_PASSED : CASE_FAILED, message);
}

/* One rate; *ret_sound: nothing was found. */
static int sample_at(struct arguments *arguments, const struct sample_truth *truth,
		     struct image_store *store, unsigned int rate_hz, bool *ret_sound,
		     struct error *error)
{
	struct sample_score score = { .rate_hz = rate_hz };
	struct sample_report report = { .program = arguments->sample.argv[0],
					.clock = arguments->sample.clock->name,
					.truth = truth,
					.score = &score };
	struct sample_balance broken;
	struct run_cut cut;
	int status = sample_run(&arguments->sample, truth, store, &score, error);

	/* What was sampled until a signal or the time-out came. */
	if (status && (score.runs || score.records)) {
		run_cut_of_error(&cut, error);
		report.cut = &cut;
	}
	if ((!status || report.cut) && arguments->json)
		sample_print_json(stdout, &report);
	else if (!status || report.cut)
		sample_print_text(stdout, &report);
	fflush(stdout);
	arguments->gate.checked += score.records;
	*ret_sound = !score.class[SAMPLE_OUTSIDE] && !score.class[SAMPLE_CUT] &&
		     !sample_account_broken(&score, &broken) &&
		     score.records >= arguments->sample.samples;
	if (!status)
		add_case(arguments, &score, *ret_sound);
	if (!status && score.records < arguments->sample.samples)
		fprintf(stderr, "%s: fewer stacks than asked for in %llu runs\n",
			PLAIN_TEXT(report.program), (unsigned long long)score.runs);
	sample_score_deinit(&score);
	return status;
}

/* A profile that is not whole on the disk is a failure of the environment. */
static int close_profile(struct arguments *arguments, struct error *error)
{
	FILE *file = arguments->sample.profile;
	bool lost = file && ferror(file);

	arguments->sample.profile = NULL;
	if (file && (fclose(file) || lost))
		return error_set_errno(error, "%s", arguments->profile);
	return 0;
}

static int open_profile(struct arguments *arguments, struct error *error)
{
	if (!arguments->profile)
		return 0;
	arguments->sample.profile = fopen(arguments->profile, "we");
	return arguments->sample.profile ? 0 : error_set_errno(error, "%s", arguments->profile);
}

static void sample_all(struct arguments *arguments, const struct sample_truth *truth,
		       struct error *error)
{
	struct image_store *store = debug_link_store();
	struct gate *gate = &arguments->gate;

	if (!store) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
		gate_add_status(gate, fail(arguments, error));
		return;
	}
	for (size_t i = 0; i < arguments->rate_count; i++) {
		bool sound;

		if (sample_at(arguments, truth, store, arguments->rate[i], &sound, error)) {
			gate_add_status(gate, fail(arguments, error));
			break;
		}
		gate->findings += !sound;
	}
	image_store_destroy(store);
}

/* The profile can't be written. */
static void fail_to_write(struct arguments *arguments, const struct error *error)
{
	error_print(stderr, NULL, error);
	gate_add_status(&arguments->gate, EXIT_ENVIRONMENT);
}

static void step_and_sample(struct arguments *arguments)
{
	struct sample_truth truth;
	const struct sample_report report = { .program = arguments->sample.argv[0],
					      .truth = &truth };
	struct gate *gate = &arguments->gate;
	struct ending_signals signals;
	struct error error;

	stepping_hold(&signals);
	if (step(arguments, &truth, &error)) {
		arguments->cut = truth.cut;
		gate_add_status(gate, fail(arguments, &error));
	} else {
		if (!arguments->json)
			sample_print_truth_text(stdout, &report);
		sample_all(arguments, &truth, &error);
		if (sample_truth_is_thin(&truth) || truth.suspect) {
			fprintf(stderr, "%s: the truth is thin or in doubt: it proves little\n",
				PLAIN_TEXT(report.program));
			gate->findings++;
			cases_add(&arguments->cases.cases, report.program, "truth", CASE_FAILED,
				  "the truth is thin or in doubt: it proves little");
		}
	}
	ending_signals_release(&signals);
	sample_truth_deinit(&truth);
	if (close_profile(arguments, &error))
		fail_to_write(arguments, &error);
}

int command_sample(int argc, char **argv)
{
	struct arguments arguments = {
		.sample = { .clock = sample_clock_find("cpu"),
			    .samples = 10000,
			    .run_limit = 1000,
			    .timeout_ms = 600000,
			    .drain_ms = 1 },
		.rate = { 4999 },
		.rate_count = 1,
		.gate = { .unit = "samples" },
	};
	struct error error;

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments, &arguments.gate,
		      &arguments.cases);
	if (output_files_are_program(FILE_NAMES(arguments.profile, CASES_FILES(arguments.cases)),
				     arguments.sample.argv[0]))
		return EXIT_USAGE;
	cases_begin(&arguments.cases, "sample");
	if (open_profile(&arguments, &error))
		fail_to_write(&arguments, &error);
	else
		step_and_sample(&arguments);
	if (arguments.json)
		sample_print_total_json(stdout, arguments.sample.argv[0], arguments.failure,
					&arguments.cut, &arguments.gate);
	return cases_finish(&arguments.cases, gate_status(&arguments.gate));
}
