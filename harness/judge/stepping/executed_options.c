/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed_options.c - the run that a command line names, and what is said of it
 *
 * A truth file, or what compare has written, or a program behind "--" that is stepped now. argp would
 * not tell that "--" from one before files, so it is looked for before anything is parsed.
 */
#include <string.h>
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "base/cli/options.h"
#include "base/cli/point_progress.h"
#include "executed_options.h"
#include "truth/rows/row_facts.h"

enum { KEY_EXECUTED = 0x500, KEY_CONFIRM, KEY_STEP_EVERY, KEY_STEP_TIMEOUT };

static const struct argp_option option_list[] = {
	{ "executed", KEY_EXECUTED, "TRUTH", 0,
	  "say what of it ran, by a file of `stackproof truth' or of `stackproof watch --rows'",
	  0 },
	{ "confirm", KEY_CONFIRM, "RESULTS", OPTION_ARG_OPTIONAL,
	  "step PROGRAM, and say of each finding whether its row was wrong when it ran; or by what "
	  "`stackproof compare --json', or `executed --json', has written",
	  0 },
	{ "step-every", KEY_STEP_EVERY, "N", 0,
	  "of --confirm: look at every Nth instruction (default 1)", 0 },
	{ "step-timeout", KEY_STEP_TIMEOUT, "SECONDS", 0,
	  "of --confirm: give up stepping after so long (default 600)", 0 },
	{ 0 },
};

static void check_usage(struct argp_state *state, const struct executed_wish *wish)
{
	if (!!wish->truth + wish->confirm + !!wish->results > 1)
		argp_error(state, "--executed and --confirm are of one run each");
	if (wish->of_stepping && !wish->confirm)
		argp_error(state, "%s is for --confirm -- PROGRAM: nothing is stepped",
			   wish->of_stepping);
	if (wish->confirm && (!wish->tracer.argv || !wish->tracer.argv[0]))
		argp_error(state, "--confirm needs -- PROGRAM [ARGUMENT...]");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct executed_wish *wish = state->input;

	switch (key) {
	case KEY_EXECUTED: wish->truth = option_text(state, argument, "--executed"); return 0;
	case KEY_CONFIRM:
		if (argument)
			wish->results = option_text(state, argument, "--confirm");
		else
			wish->confirm = true;
		return 0;
	case KEY_STEP_EVERY:
		wish->of_stepping = "--step-every";
		wish->tracer.every = option_between(state, argument, "--step-every", 1, UINT64_MAX);
		return 0;
	case KEY_STEP_TIMEOUT:
		wish->of_stepping = "--step-timeout";
		wish->tracer.timeout_ms = option_seconds(state, argument, "--step-timeout");
		return 0;
	case ARGP_KEY_SUCCESS: check_usage(state, wish); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

const struct argp executed_argp = { option_list, parse, NULL, NULL, NULL, NULL, NULL };

void executed_wish_init(struct executed_wish *wish, int *argc, char **argv)
{
	bool confirm = false;

	*wish = (struct executed_wish) {
		.tracer = { .timeout_ms = 600000, .silence_output = true, .ended_by_signals = true }
	};
	for (int i = 1; i < *argc; i++) {
		confirm |= !strcmp(argv[i], "--confirm");
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (confirm) {
			*argc = i;
			argv[i] = NULL;
			wish->tracer.argv = argv + i + 1;
		}
		return;
	}
}

bool executed_is_wanted(const struct executed_wish *wish)
{
	return wish->truth || wish->confirm || wish->results;
}

static void on_point(void *context)
{
	point_progress_point(context);
}

static enum exit_status step(const struct executed_wish *wish, struct executed *ret,
			     struct gate *gate)
{
	struct point_progress progress;
	const struct executed_options options = { .tracer = &wish->tracer,
						  .on_point = on_point,
						  .context = &progress };
	const char *program = wish->tracer.argv[0];
	struct error error;
	int result;

	point_progress_start(&progress, program, 0);
	result = executed_step(&options, ret, &error);
	point_progress_end(&progress);
	if (!result)
		return EXIT_OK;
	error_print(stderr, program, &error);
	gate->environment = true;
	return ret->points ? EXIT_OK : exit_status_of_error(&error);
}

static int read_run(const struct executed_wish *wish, const char *path, struct executed *ret,
		    struct error *error)
{
	if (!wish->truth)
		return executed_read_results(path, ret, error);
	return row_facts_is_file(path) ? executed_read_rows(path, ret, error)
				       : executed_read_truth(path, ret, error);
}

enum exit_status executed_open(const struct executed_wish *wish, struct executed *ret,
			       struct gate *gate)
{
	const char *path = wish->truth ? wish->truth : wish->results;
	struct error error;

	*ret = (struct executed) { .place = NULL };
	if (wish->confirm)
		return step(wish, ret, gate);
	if (!path || !read_run(wish, path, ret, &error))
		return EXIT_OK;
	error_print(stderr, path, &error);
	if (error.code != ERROR_SYSTEM && error.code != ERROR_MEMORY)
		return EXIT_BAD_INPUT; /* what is in the file */
	return exit_status_of_error(&error);
}

json_t *executed_json(const struct executed *run)
{
	return JSON_NEW("stepped", run->stepped, "recorded", run->recorded, "points", run->points,
			"doubted", run->doubted, "every", run->every, "partial", run->partial);
}

void executed_print(FILE *file, const struct executed *run)
{
	fprintf(file, "held against %llu points of %s", (unsigned long long)run->points,
		run->recorded ? "recorded runs" : "a run, ");
	if (run->recorded)
		fprintf(file, ": of each function one address");
	else if (run->every > 1)
		fprintf(file, "one at %llu instructions", (unsigned long long)run->every);
	else
		fprintf(file, "one at each instruction");
	fprintf(file, "; %llu in doubt%s\n", (unsigned long long)run->doubted,
		run->partial ? "; PARTIAL: it did not come to its end" : "");
}
