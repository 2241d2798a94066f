/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping_print.c - the estimate for people, and as JSON; what can't be known is said
 */
#include <inttypes.h>
#include <jansson.h>
#include <sys/wait.h>
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"
#include "stepping.h"

static const char *const by_names[] = {
	[ESTIMATE_STEPPED] = "stepped",
	[ESTIMATE_TIME] = "time",
	[ESTIMATE_NONE] = "none",
};

/* Each thing that is not known: its name in JSON, and what it means. */
static const struct unknown {
	const char *name, *text;
} unknowns[] = {
	{ "endless", "the unstepped run did not end in time: how long it is nobody knows" },
	{ "guessed",
	  "how many steps there are is between what a loop that never waits makes in its "
	  "CPU time, and one that waits for each load; fewer if it waits for memory "
	  "itself, more if it copies with rep, of which each element is a step" },
	{ "input", "standard input can't be read twice: the program had none" },
	{ "children", "processes that it makes run unstepped: their time comes on top" },
	{ "died", "the unstepped run was ended by a signal" },
	{ "differs", "the stepped run ended otherwise than the unstepped one" },
	{ "from", "what --from names was not come to" },
};

#define UNKNOWN_COUNT (sizeof(unknowns) / sizeof(unknowns[0]))

static bool native_ended(const struct stepping_estimate *estimate)
{
	return !estimate->native.endless && !estimate->native.interrupted;
}

static bool applies(const struct stepping_estimate *estimate, size_t which)
{
	const bool known[UNKNOWN_COUNT] = {
		estimate->native.endless,
		estimate->by == ESTIMATE_TIME,
		estimate->input_is_empty,
		estimate->children != 0,
		native_ended(estimate) && WIFSIGNALED(estimate->native.status),
		native_ended(estimate) && estimate->by == ESTIMATE_STEPPED &&
			estimate->status != estimate->native.status,
		estimate->from_missed,
	};

	return known[which];
}

static void print_minute(FILE *file, const struct stepping_estimate *estimate)
{
	fputs("ends in a minute: ", file);
	if (estimate->by == ESTIMATE_NONE)
		fputs("no --every that is known", file);
	else if (estimate->every_minute)
		fprintf(file, "--every=%" PRIu64, estimate->every_minute);
	else if (!estimate->every_minute_low)
		fputs("no --every, the steps alone take longer", file);
	else
		fputs("no --every for certain", file);
	if (estimate->every_minute_low != estimate->every_minute)
		fprintf(file, ", perhaps --every=%" PRIu64, estimate->every_minute_low);
	fprintf(file, "; --limit=%" PRIu64, estimate->limit_minute);
	if (estimate->every > 1)
		fprintf(file, " with --every=%" PRIu64, estimate->every);
	fputc('\n', file);
}

void stepping_print_text(FILE *file, const char *program, const struct stepping_estimate *estimate)
{
	const struct native_run *native = &estimate->native;

	fprintf(file, "%s: unstepped %.3f s, %.3f s of CPU time\n", PLAIN_TEXT(program),
		native->seconds, native->cpu_seconds);
	if (estimate->by == ESTIMATE_STEPPED)
		fprintf(file, "steps: %" PRIu64 ", counted in %.1f s\n", estimate->steps,
			estimate->stepped_seconds);
	else if (estimate->by == ESTIMATE_TIME)
		fprintf(file,
			"steps: %" PRIu64 " to %" PRIu64 "; the first %" PRIu64
			" were counted in %.1f s\n",
			estimate->steps_low, estimate->steps, estimate->stepped,
			estimate->stepped_seconds);
	else
		fprintf(file, "steps: not known; the first %" PRIu64 " were counted in %.1f s\n",
			estimate->stepped, estimate->stepped_seconds);
	fprintf(file, "a step takes %.1f us here, a point %.1f us more\n", estimate->step_ns / 1e3,
		estimate->point_ns / 1e3);
	if (estimate->by == ESTIMATE_STEPPED)
		fprintf(file,
			"it would take about %.1f s: %" PRIu64 " points, --every=%" PRIu64 "\n",
			estimate->seconds, estimate->points, estimate->every);
	else if (estimate->by == ESTIMATE_TIME)
		fprintf(file,
			"it would take %.1f to %.1f s: at most %" PRIu64 " points, --every=%" PRIu64
			"\n",
			estimate->seconds_low, estimate->seconds, estimate->points,
			estimate->every);
	print_minute(file, estimate);
	for (size_t i = 0; i < UNKNOWN_COUNT; i++)
		if (applies(estimate, i))
			fprintf(file, "not known: %s\n", unknowns[i].text);
}

static json_t *known_number(bool known, uint64_t value)
{
	return known ? json_integer((json_int_t)value) : json_null();
}

/* Of a run that was cut short from outside nothing is final. */
static enum exit_status status_of(const struct stepping_estimate *estimate)
{
	return run_cut_from_outside(&estimate->cut) ? EXIT_ENVIRONMENT : EXIT_OK;
}

static json_t *known_seconds(bool known, double seconds)
{
	return known ? json_real(seconds) : json_null();
}

/* What follows from the costs. */
static json_t *measured(const struct stepping_estimate *estimate)
{
	bool known = estimate->by != ESTIMATE_NONE;

	return JSON_NEW("step_ns", estimate->step_ns, "point_ns", estimate->point_ns, "every",
			estimate->every, "points", known_number(known, estimate->points), "seconds",
			known_seconds(known, estimate->seconds), "seconds_low",
			known_seconds(known, estimate->seconds_low), "seconds_high",
			known_seconds(known, estimate->seconds), "every_for_a_minute",
			known_number(estimate->every_minute != 0, estimate->every_minute),
			"every_for_a_minute_low",
			known_number(estimate->every_minute_low != 0, estimate->every_minute_low),
			"limit_for_a_minute", estimate->limit_minute);
}

void stepping_print_json(FILE *file, const char *program, const struct stepping_estimate *estimate)
{
	const struct native_run *native = &estimate->native;
	bool known = estimate->by != ESTIMATE_NONE;
	json_t *object, *unknown = json_array(), *costs;

	for (size_t i = 0; i < UNKNOWN_COUNT; i++)
		if (applies(estimate, i))
			json_array_append_new(unknown, json_string(unknowns[i].name));
	object = JSON_NEW("type", "estimate", "program", program, "native_seconds", native->seconds,
			  "native_cpu_seconds", native->cpu_seconds, "native_status",
			  known_number(native_ended(estimate), (uint64_t)native->status),
			  "steps_by", by_names[estimate->by], "steps",
			  known_number(known, estimate->steps), "steps_low",
			  known_number(known, estimate->steps_low), "steps_high",
			  known_number(known, estimate->steps), "steps_counted", estimate->stepped,
			  "counted_seconds", estimate->stepped_seconds, "threads",
			  estimate->threads, "children", estimate->children);
	if (estimate->measured) {
		costs = measured(estimate);
		json_object_update(object, costs);
		json_decref(costs);
	}
	JSON_SET(object, "unknown", unknown);
	run_cut_json(object, &estimate->cut);
	JSON_SET(object, "exit_status", status_of(estimate));
	json_line(file, object);
}

int stepping_estimate_command(const struct tracer_options *options,
			      const struct compare_options *engines, bool json)
{
	const char *program = options->argv[0];
	struct stepping_estimate estimate;
	struct ending_signals signals;
	struct error error;
	int status;

	stepping_hold(&signals);
	status = stepping_estimate(options, engines, &estimate, &error);
	ending_signals_release(&signals);
	if (!status || (json && run_cut_from_outside(&estimate.cut)))
		(json ? stepping_print_json : stepping_print_text)(stdout, program, &estimate);
	if (fflush(stdout) || ferror(stdout))
		return EXIT_ENVIRONMENT;
	if (run_cut_from_outside(&estimate.cut))
		error_print(stderr, program, &estimate.cut.early);
	else if (status)
		error_print(stderr, program, &error);
	return status && !run_cut_from_outside(&estimate.cut) ? exit_status_of_error(&error)
							      : status_of(&estimate);
}
