/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load_check.c - results of many kernels against the record
 *
 * The results are lines of `load --json` from any number of kernels, one file. Between them may
 * stand {"type":"skip"} with name, reason and message (no_kernel, no_compiler, no_bpf), which are
 * counted, and {"type":"error"} with the same fields, which are failures: a guest that died.
 *
 * Each program on each kernel by each compiler is one test. A kernel of the record that the results
 * do not have, or a compiler on one that they do have, is a skip, so that nothing falls out of the
 * list unseen; a recorded program that is missing among the others of its kernel and compiler is a
 * failure.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/input_file.h"
#include "base/cases/cases.h"
#include "base/cli/json_counts.h"
#include "load.h"
#include "base/gate/gate.h"
#include "base/cli/exit_status.h"
#include "plain_text.h"

struct check {
	const struct load_check_options *options;
	struct load_record record, results;
	json_t *not_tried; /* a set of the names that were skipped: kernels, compilers */
	size_t passed, failed, skipped;
};

/* ---- what is said ----------------------------------------------------------------------- */

/* "no_kernel 7.3: no Debian suite holds it". Of type skip or error. */
static void say_other(struct check *check, json_t *object, bool failed)
{
	const char *message = json_text(object, "message");

	*(failed ? &check->failed : &check->skipped) += 1;
	json_object_set_new(check->not_tried, json_text(object, "name"), json_true());
	if (check->options->cases) {
		struct judged_case *judged =
			cases_add(check->options->cases, "load", json_text(object, "name"),
				  failed ? CASE_ERROR : CASE_SKIPPED, json_text(object, "reason"));
		if (*message)
			case_output(judged, message);
	}
	if (check->options->json)
		json_line(stdout, json_incref(object));
	else
		printf("%s %s: %s%s%s\n", failed ? "failed" : "skipped",
		       PLAIN_TEXT(json_text(object, "name")),
		       PLAIN_TEXT(json_text(object, "reason")), *message ? ": " : "",
		       PLAIN_TEXT(message));
}

/* A name that the record has and the results have not; once. */
static void say_not_measured(struct check *check, const char *name)
{
	JSON_FREED json_t *object = JSON_NEW("type", "skip", "name", name, "reason", "not_measured",
					     "message",
					     "it is in the record, but not in the results");

	if (!json_object_get(check->not_tried, name))
		say_other(check, object, false);
}

static void say_text(enum load_verdict verdict, const char *outcome,
		     const struct load_result *recorded, const struct load_result *now)
{
	const struct load_result *of = now ? now : recorded;

	printf("%s %s %s %s %s: ", outcome, PLAIN_TEXT(of->kernel), PLAIN_TEXT(of->compiler),
	       PLAIN_TEXT(of->object), PLAIN_TEXT(of->program));
	switch (verdict) {
	case LOAD_NEW: printf("not in the record before\n"); return;
	case LOAD_GONE: printf("in the record, and no program any more\n"); return;
	case LOAD_STOPPED:
	case LOAD_NEW_REFUSED:
		printf("%s on %s; the log's end:\n",
		       recorded && recorded->outcome == LOAD_YES ? "no longer loads"
								 : "does not load",
		       PLAIN_TEXT(now->release));
		plain_lines(stdout, now->log);
		putchar('\n');
		return;
	case LOAD_OTHER_METHOD:
		printf("%s, recorded as %s\n", PLAIN_TEXT(now->method),
		       PLAIN_TEXT(recorded->method));
		return;
	case LOAD_STACK_GREW:
		printf("stack %s, recorded as %s\n", PLAIN_TEXT(now->statistics.stack),
		       PLAIN_TEXT(recorded->statistics.stack));
		return;
	default:
		printf("%s%" PRIu64 " instructions, recorded as %" PRIu64 " (%+.0f %%)\n",
		       recorded->outcome == now->outcome ? "" : "loads now: ",
		       now->statistics.instructions, recorded->statistics.instructions,
		       recorded->statistics.instructions
			       ? 100.0 * (double)now->statistics.instructions /
						 (double)recorded->statistics.instructions -
					 100
			       : 0);
	}
}

/* A refusal is recorded only if it is named. */
static bool is_recorded(const struct check *check, const struct load_result *now)
{
	const char *glob = check->options->refused;
	char name[4 * LOAD_NAME_MAX + 4];

	if (now->outcome == LOAD_YES)
		return true;
	snprintf(name, sizeof(name), "%s/%s/%s/%s", now->kernel, now->compiler, now->object,
		 now->program);
	return glob && (!fnmatch(glob, name, 0) || !fnmatch(glob, now->program, 0));
}

static void add_case(const struct check *check, enum load_verdict verdict,
		     const struct load_result *of, bool failed)
{
	char class_name[3 * LOAD_NAME_MAX + 4];

	snprintf(class_name, sizeof(class_name), "%s.%s.%s", of->kernel, of->compiler, of->object);
	struct judged_case *judged = cases_add(check->options->cases, class_name, of->program,
					       failed ? CASE_FAILED : CASE_PASSED,
					       load_verdict_name(verdict));
	if (failed && of->log[0])
		case_output(judged, of->log);
}

static void say_verdict(struct check *check, enum load_verdict verdict,
			const struct load_result *recorded, const struct load_result *now)
{
	const struct load_result *of = now ? now : recorded;
	bool recorded_now = check->options->update && (!now || is_recorded(check, now));
	/* What is being recorded can't fail against the record. */
	bool failed = load_verdict_fails(verdict) && !recorded_now;

	*(failed ? &check->failed : &check->passed) += 1;
	if (check->options->cases)
		add_case(check, verdict, of, failed);
	if (!check->options->json) {
		if (verdict != LOAD_AS_RECORDED)
			say_text(verdict,
				 failed		? "failed"
				 : recorded_now ? "recorded"
						: "passed",
				 recorded, now);
		return;
	}
	json_line(stdout,
		  JSON_NEW("type", "load_verdict", "passed", json_boolean(!failed), "verdict",
			   load_verdict_name(verdict), "kernel", of->kernel, "kernel_name",
			   of->kernel, "compiler", of->compiler, "object", of->object, "program",
			   of->program, "instructions",
			   now ? (json_int_t)now->statistics.instructions : (json_int_t)0,
			   "recorded_instructions",
			   recorded ? (json_int_t)recorded->statistics.instructions : (json_int_t)0,
			   "stack", now ? now->statistics.stack : "", "recorded_stack",
			   recorded ? recorded->statistics.stack : "", "log", now ? now->log : ""));
}

/* A line for each kernel and compiler: how many load, and the largest. */
static void say_overview(const struct check *check)
{
	const struct load_record *results = &check->results;

	for (size_t i = 0, end; i < results->count; i = end) {
		const struct load_result *first = &results->line[i], *most = first;
		size_t outcome[LOAD_OUTCOME_COUNT] = { 0 };

		for (end = i; end < results->count; end++) {
			const struct load_result *line = &results->line[end];

			if (strcmp(line->kernel, first->kernel) ||
			    strcmp(line->compiler, first->compiler))
				break;
			outcome[line->outcome]++;
			if (line->statistics.instructions > most->statistics.instructions)
				most = line;
		}
		printf("%-12s %-26s %-9s %2zu load, %zu do not, %zu lack a helper; at most %" PRIu64
		       " instructions (%s)\n",
		       first->kernel, first->release, first->compiler, outcome[LOAD_YES],
		       outcome[LOAD_NO], outcome[LOAD_NO_HELPER], most->statistics.instructions,
		       most->program);
	}
}

/* ---- reading ---------------------------------------------------------------------------- */

static int read_line(struct check *check, json_t *object)
{
	const char *type = json_text(object, "type");
	struct load_result result;

	if (!strcmp(type, "skip") || !strcmp(type, "error")) {
		say_other(check, object, *type == 'e');
		return 0;
	}
	if (!strcmp(type, "load_summary")) /* of the programs before it: they are counted here */
		return 0;
	if (load_result_of_json(object, &result))
		return -1;
	return load_record_set(&check->results, &result);
}

static int read_results(struct check *check, struct error *error)
{
	FILE_CLOSED FILE *file = input_file_open(check->options->results, error);
	FREED char *line = NULL;
	size_t size = 0, number = 0;
	int status = 0;

	if (!file)
		return errno == ESPIPE ? -1 : error_set_errno(error, "can't be opened");
	while (!status && getline(&line, &size, file) > 0) {
		JSON_FREED json_t *object = json_loads(line, 0, NULL);

		number++;
		if (!object || read_line(check, object))
			status = error_set(error, ERROR_PROTOCOL, "", 0,
					   "line %zu is not one of `stackproof load --json`",
					   number);
	}
	if (!status && ferror(file))
		status = error_set_errno(error, "can't be read");
	return status;
}

/* ---- checking --------------------------------------------------------------------------- */

/* Is there a result of the line's kernel; and by its compiler, if that counts? */
static bool is_measured(const struct check *check, const struct load_result *line, bool by_compiler)
{
	return ARRAY_FIRST(check->results.line, check->results.count, result,
			   !strcmp(result->kernel, line->kernel) &&
				   (!by_compiler || !strcmp(result->compiler, line->compiler))) !=
	       NULL;
}

static void check_recorded(struct check *check)
{
	for (size_t i = 0; i < check->record.count; i++) {
		const struct load_result *line = &check->record.line[i];
		char name[2 * LOAD_NAME_MAX + 8];

		if (is_measured(check, line, true)) {
			if (!load_record_find(&check->results, line))
				say_verdict(check, LOAD_GONE, line, NULL);
		} else if (!is_measured(check, line, false)) {
			say_not_measured(check, line->kernel);
		} else if (!json_object_get(check->not_tried, line->compiler)) {
			snprintf(name, sizeof(name), "%s by %s", line->kernel, line->compiler);
			say_not_measured(check, name);
		}
	}
}

static int update(struct check *check, struct error *error)
{
	/* Nothing was measured: a record of nothing would fail nothing. */
	if (!check->results.count)
		return 0;
	load_record_drop_gone(&check->record, &check->results);
	for (size_t i = 0; i < check->results.count; i++) {
		if (!is_recorded(check, &check->results.line[i]))
			continue; /* it failed, and what was recorded of it stays */
		if (load_record_set(&check->record, &check->results.line[i]))
			return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	}
	return load_record_write(&check->record, check->options->record, error);
}

static int finish(const struct check *check)
{
	struct gate gate = { .unit = "programs",
			     .strict = check->options->strict,
			     .checked = check->passed + check->failed,
			     .findings = check->failed };

	gate_leave(&gate, GATE_SKIPPED, check->skipped);
	if (check->options->json) {
		json_t *object = JSON_NEW("type", "load_summary", "passed", check->passed, "failed",
					  check->failed, "skipped", check->skipped);

		gate_json(&gate, object);
		json_line(stdout, object);
	} else {
		if (!gate_is_clean(&gate))
			gate_print(&gate, stdout);
		printf("%zu passed, %zu failed, %zu skipped\n", check->passed, check->failed,
		       check->skipped);
	}
	return gate_status(&gate);
}

int load_check(const struct load_check_options *options)
{
	struct check check = { .options = options, .not_tried = json_object() };
	struct error error = { 0 };
	const char *file = options->results;
	int status = EXIT_BAD_INPUT;

	if (read_results(&check, &error))
		goto out;
	file = options->record;
	/* The first update makes the record. */
	if (load_record_read(&check.record, file, &error) &&
	    !(options->update && error.system_errno == ENOENT))
		goto out;
	for (size_t i = 0; i < check.results.count; i++) {
		const struct load_result *now = &check.results.line[i];
		const struct load_result *recorded = load_record_find(&check.record, now);

		say_verdict(&check, load_compare(recorded, now), recorded, now);
	}
	check_recorded(&check);
	error = (struct error) { 0 };
	if (options->update && update(&check, &error))
		goto out;
	if (!options->json)
		say_overview(&check);
	status = finish(&check);
out:
	if (error.code)
		error_print(stderr, file, &error);
	if (error_is_want(&error))
		status = EXIT_ENVIRONMENT;
	load_record_deinit(&check.record);
	load_record_deinit(&check.results);
	json_decref(check.not_tried);
	return status;
}
