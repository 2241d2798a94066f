/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * report.c - `stackproof report DIR`: a results folder as text, TAP or JUnit
 *
 * The exit status is the run's own (0, 1, 77, 99), so that a report can stand in for the run in a
 * CI job; 3 if the folder can't be read or has lines that can't. To add a format, write one file in
 * report/ and add a line to the table below.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness.h"
#include "report/results.h"

static int print_text(const struct results *results, const char *folder, FILE *file,
		      struct error *error)
{
	const char *no_color = getenv("NO_COLOR");
	bool colour = isatty(fileno(file)) && (!no_color || !no_color[0]);

	terminal_print(results, folder, colour, file);
	return 0;
}

static int print_tap(const struct results *results, const char *folder, FILE *file,
		     struct error *error)
{
	tap_print(results, file);
	return 0;
}

static const struct format {
	const char *name;
	int (*print)(const struct results *results, const char *folder, FILE *file,
		     struct error *error);
} formats[] = {
	{ "text", print_text },
	{ "tap", print_tap },
	{ "junit", junit_print },
};

struct arguments {
	const struct format *format;
	const char *folder;
};

static const struct argp_option options[] = {
	{ "format", 'f', "FORMAT", 0, "text (the default), tap or junit", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'f':
		for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
			if (!strcmp(formats[i].name, value)) {
				arguments->format = &formats[i];
				return 0;
			}
		}
		argp_error(state, "no format \"%s\": text, tap or junit", value);
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->folder)
			argp_error(state, "one folder at a time");
		arguments->folder = value;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->folder)
			argp_error(state, "which results folder?");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = options,
	.parser = parse_option,
	.args_doc = "DIR",
	.doc = "Prints the results folder DIR, as `stackproof run` wrote it.\v"
	       "Exit status: that of the run; 3 if DIR can't be read.",
};

int command_report(int argc, char **argv)
{
	struct arguments arguments = { .format = &formats[0] };
	struct results results;
	struct error error = { 0 };
	int status = EXIT_BAD_INPUT;

	argp_err_exit_status = ARGP_ERR_EXIT;
	argp_parse(&parser, argc, argv, 0, NULL, &arguments);
	if (results_read(&results, arguments.folder, &error)) {
		error_print(stderr, "stackproof report", &error);
		goto out;
	}
	if (arguments.format->print(&results, arguments.folder, stdout, &error) || fflush(stdout)) {
		error_print(stderr, "stackproof report", &error);
		status = EXIT_ENVIRONMENT;
		goto out;
	}
	status = results_exit_status(&results);
	if (results.bad_lines) {
		fprintf(stderr, "stackproof report: %zu lines could not be read; the first: %s\n",
			results.bad_lines, results.first_bad_line.message);
		status = EXIT_BAD_INPUT;
	}
out:
	results_deinit(&results);
	return status;
}
