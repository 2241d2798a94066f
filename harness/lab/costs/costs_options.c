/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs_options.c - which profilers are measured at which rates, and how: the options, and what is done with them
 */
#include <errno.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "base/cli/options.h"
#include "costs.h"
#include "lab/bench/bench.h"

#define SETTLE_MS 2000
#define PAIRS	  8

enum { OPTION_PAIRS = 256, OPTION_PROFILER, OPTION_RATES, OPTION_WORK };

static const struct argp_option options[] = {
	{ "pairs", OPTION_PAIRS, "N", 0,
	  "of " COSTS_FIGURE ": pairs of runs for each profiler and rate (default 8, at least 6)",
	  0 },
	{ "profiler", OPTION_PROFILER, "NAME[=COMMAND]", OPTION_AGAIN,
	  "of " COSTS_FIGURE
	  ": this profiler, by a command of /bin/sh: {out} is the file that it is to "
	  "write, {rate} its samples in a second; it is ended by SIGINT, or ends after {seconds}; "
	  "again "
	  "for more. Without a COMMAND, as by default: stackproof, perf-fp, perf-dwarf, bpftrace",
	  0 },
	{ "rates", OPTION_RATES, "HZ,HZ...", 0, "of " COSTS_FIGURE ": rates (default 19,97,997)",
	  0 },
	{ "settle", INTO_SECONDS(costs_arguments, costs.settle_ms), "SECONDS", 0,
	  "of " COSTS_FIGURE ": between a profiler's start and the work's (default 2)", 0 },
	{ "work", OPTION_WORK, "PERCENT", 0, "of " COSTS_FIGURE ": so much of the usual work", 0 },
	{ 0 },
};

static const struct costs_profiler *known_profiler(const char *name)
{
	const struct costs_profiler *known = costs_profilers;

	while (known->name && strcmp(known->name, name) != 0)
		known++;
	return known->name ? known : NULL;
}

/* NAME=COMMAND, or a name that is known. */
static void add_profiler(struct argp_state *state, struct costs_arguments *arguments, char *text)
{
	char *command = strchr(text, '=');
	const struct costs_profiler *known = command ? NULL : known_profiler(text);

	if (command)
		*command++ = '\0';
	if (!known && !command)
		argp_error(state, "--profiler: none is called '%s': NAME=COMMAND", text);
	else if (command && !costs_command_is_whole(command))
		argp_error(state, "--profiler: the command needs {out} and {rate}");
	else if (!text[0] || strlen(text) > COSTS_NAME_MAX)
		argp_error(state, "--profiler: a name has 1 to %d characters", COSTS_NAME_MAX);
	else if (arguments->profilers == COSTS_PROFILERS_MAX)
		argp_error(state, "--profiler: at most %d", COSTS_PROFILERS_MAX);
	else
		arguments->profiler[arguments->profilers++] =
			(struct costs_profiler) { text, known ? known->command : command };
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct costs_arguments *arguments = state->input;
	char *word[COSTS_RATES_MAX];

	switch (key) {
	case OPTION_PAIRS:
		arguments->costs.pairs = option_between(state, argument, "--pairs", COSTS_PAIRS_MIN,
							COSTS_PAIRS_MAX);
		return 0;
	case OPTION_PROFILER: add_profiler(state, arguments, argument); return 0;
	case OPTION_RATES:
		arguments->rates = option_words(state, argument, "--rates", word, COSTS_RATES_MAX);
		for (unsigned int i = 0; i < arguments->rates; i++)
			arguments->rate[i] = option_between(state, word[i], "--rates", 1,
							    COSTS_RATE_MAX);
		return 0;
	case OPTION_WORK:
		arguments->costs.work = option_between(state, argument, "--work", 1,
						       COSTS_WORK_MAX);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!arguments->costs.pairs)
			arguments->costs.pairs = PAIRS;
		if (!arguments->costs.settle_ms)
			arguments->costs.settle_ms = SETTLE_MS;
		if (!arguments->costs.work)
			arguments->costs.work = 100;
		if (!arguments->rates) {
			const unsigned int usual[] = { 19, 97, 997 };

			arguments->rates = 3;
			memcpy(arguments->rate, usual, sizeof(usual));
		}
		for (const struct costs_profiler *known = costs_profilers;
		     known->name && arguments->profilers == (size_t)(known - costs_profilers);
		     known++)
			arguments->profiler[arguments->profilers++] = *known;
		return 0;
	default: return option_into(key, argument, state, options);
	}
}

const struct argp costs_argp = { .options = options, .parser = parse };

/* ---- the figure ----------------------------------------------------------------------------- */

/* One that is not there is a skip; any other has failed, by its name. */
static void print_problem(const char *name, unsigned int rate_hz, const struct error *error,
			  bool json)
{
	bool skipped = error->code == ERROR_UNAVAILABLE;
	char what[64];

	snprintf(what, sizeof(what), rate_hz ? "%s, %u Hz" : "%s", name, rate_hz);
	error_print(stderr, what, error);
	if (json)
		json_line(stdout,
			  JSON_NEW("type", skipped ? "skip" : "profiler_failure", "name",
				   COSTS_FIGURE, "profiler", rate_hz ? name : NULL, "rate_hz",
				   rate_hz ? json_integer(rate_hz) : NULL, "reason",
				   error_code_name(error->code), "message", error->message));
	else
		printf("%s %s: %s: %s\n", what, skipped ? "skipped" : "failed",
		       error_code_name(error->code), error->message);
	fflush(stdout);
}

static bool is_interrupt(const struct error *error)
{
	return error->code == ERROR_SYSTEM && error->system_errno == EINTR;
}

/* -1: an interrupt, or it is not there: no use in another rate. *ret_ends: no use in another profiler. */
static int measure_rate(struct costs_machine *machine, const struct costs_arguments *arguments,
			const struct costs_profiler *profiler, unsigned int rate_hz, bool json,
			struct gate *gate, bool *ret_ends)
{
	struct costs_result result;
	struct error error;

	if (!costs_measure(machine, &arguments->costs, profiler, rate_hz, &result, &error)) {
		gate->checked++;
		if (json)
			costs_print_json(machine, &result, stdout);
		else
			costs_print_result(&result, stdout);
		fflush(stdout);
		return 0;
	}
	print_problem(profiler->name, rate_hz, &error, json);
	gate_add_status(gate, error.code == ERROR_UNAVAILABLE ? EXIT_SKIPPED : EXIT_ENVIRONMENT);
	*ret_ends = is_interrupt(&error);
	return *ret_ends || error.code == ERROR_UNAVAILABLE ? -1 : 0;
}

static void measure_all(struct costs_machine *machine, const struct costs_arguments *arguments,
			bool json, struct gate *gate)
{
	bool ends = false;

	if (!json)
		costs_print_heading(machine, stdout);
	for (unsigned int i = 0; i < arguments->profilers && !ends; i++)
		for (unsigned int j = 0; j < arguments->rates; j++)
			if (measure_rate(machine, arguments, &arguments->profiler[i],
					 arguments->rate[j], json, gate, &ends))
				break;
}

void costs_figure(struct costs_arguments *arguments, bool json, struct gate *gate)
{
	struct costs_machine machine = { .stats = -1 };
	struct ending_signals signals;
	struct error error;

	if (ending_signals_hold(&signals, &error)) {
		print_problem(COSTS_FIGURE, 0, &error, json);
		gate_add_status(gate, EXIT_ENVIRONMENT);
		return;
	}
	arguments->costs.signals = &signals;
	if (costs_machine_init(&machine, &arguments->costs, &error)) {
		print_problem(COSTS_FIGURE, 0, &error, json);
		gate_add_status(gate,
				error.code == ERROR_UNAVAILABLE ? EXIT_SKIPPED : EXIT_ENVIRONMENT);
	} else {
		measure_all(&machine, arguments, json, gate);
	}
	costs_machine_deinit(&machine);
	ending_signals_release(&signals);
}
