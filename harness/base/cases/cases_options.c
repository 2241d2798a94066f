/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cases_options.c - --junit, --tap and --quality, and the last word of a command that has them
 *
 * A CI server that reads the file must not see less than one that reads the exit status. So a
 * status that no case accounts for is a case of its own: an environment that failed before
 * anything was judged is an error, nothing checked is a skip, and what --strict fails is a failure.
 * Where nothing was checked nothing has passed.
 */
#include "cases.h"
#include "base/gate/gate.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"

enum { KEY_JUNIT = 0x2100, KEY_TAP, KEY_QUALITY };

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct cases_options *options = state->input;

	switch (key) {
	case KEY_JUNIT: options->junit = option_file(state, argument, "--junit"); return 0;
	case KEY_TAP: options->tap = option_file(state, argument, "--tap"); return 0;
	case KEY_QUALITY: options->quality = option_file(state, argument, "--quality"); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options_list[] = {
	{ "junit", KEY_JUNIT, "FILE", 0, "also write what was judged as JUnit XML", 0 },
	{ "tap", KEY_TAP, "FILE", 0, "also write what was judged as TAP", 0 },
	{ "quality", KEY_QUALITY, "FILE", 0,
	  "also write what failed as GitLab's report of code quality", 0 },
	{ 0 },
};

const struct argp cases_argp = { .options = options_list, .parser = parse };
const struct argp_child cases_children[] = { { &gate_argp, 0, NULL, 0 },
					     { &cases_argp, 0, NULL, 0 },
					     { 0 } };
const struct argp_child cases_image_children[] = { { &gate_image_argp, 0, NULL, 0 },
						   { &cases_argp, 0, NULL, 0 },
						   { 0 } };

void cases_begin(struct cases_options *options, const char *command)
{
	options->cases.seconds = -1;
	cases_suite(&options->cases, command);
}

/* What a status says that no case says. */
static const char *unsaid(const struct cases *cases, enum exit_status status)
{
	size_t count[CASE_STATUS_COUNT];
	bool any;

	cases_count(cases, count);
	any = count[CASE_PASSED] || count[CASE_FAILED] || count[CASE_SKIPPED] || count[CASE_ERROR];
	switch (status) {
	case EXIT_OK: return any ? NULL : "no case was judged by itself";
	case EXIT_FINDINGS: return count[CASE_FAILED] || count[CASE_ERROR] ? NULL : "it failed";
	case EXIT_SKIPPED: return any ? NULL : "nothing was checked";
	case EXIT_USAGE: return count[CASE_ERROR] ? NULL : "what was asked for can't be done";
	case EXIT_BAD_INPUT: return count[CASE_ERROR] ? NULL : "an input can't be read";
	default: return count[CASE_ERROR] ? NULL : "the environment failed";
	}
}

static void skip_passed(struct cases *cases)
{
	for (size_t i = 0; i < cases->count; i++) {
		struct case_suite *suite = &cases->suite[i];

		for (size_t j = 0; j < suite->count; j++) {
			if (suite->judged[j].status != CASE_PASSED)
				continue;
			suite->judged[j].status = CASE_SKIPPED;
			case_text(&suite->judged[j].message, "nothing was checked");
		}
	}
}

static int print_tap(const struct cases *cases, FILE *file, struct error *error)
{
	cases_print_tap(cases, file);
	return ferror(file) ? error_set_errno(error, "can't write TAP") : 0;
}

static int write_file(const struct cases *cases, const char *path,
		      int (*print)(const struct cases *cases, FILE *file, struct error *error))
{
	struct error error = { 0 }, late;
	struct output_file output;
	int status = output_file_open(path, &output, &error);

	if (!status) {
		status = print(cases, output.file, &error);
		if (output_file_close(&output, !status, &late) && !status) {
			status = -1;
			error = late;
		}
	}
	if (status)
		error_print(stderr, "stackproof", &error);
	return status;
}

enum exit_status cases_finish(struct cases_options *options, enum exit_status status)
{
	struct cases *cases = &options->cases;
	int written = 0;

	if (!cases->count)
		cases_begin(options, "stackproof");
	const char *message = unsaid(cases, status);
	if (message)
		cases_add(cases, cases->suite[0].name, "exit status", case_status_of(status),
			  message);
	if (status == EXIT_SKIPPED)
		skip_passed(cases);
	if (options->junit)
		written |= write_file(cases, options->junit, cases_print_junit);
	if (options->tap)
		written |= write_file(cases, options->tap, print_tap);
	if (options->quality)
		written |= write_file(cases, options->quality, cases_print_quality);
	if (cases_are_for_github())
		cases_print_github(cases, stderr);
	cases_deinit(cases);
	return written ? EXIT_ENVIRONMENT : status;
}
