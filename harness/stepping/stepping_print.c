/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping_print.c - the estimate for people, and as JSON; what can't be known is said
 */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/wait.h>
#include "cli/exit_status.h"
#include "cli/json_counts.h"
#include "harness.h"
#include "plain_text.h"
#include "stepping/stepping.h"

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
	{ "guessed", "how many steps there are is a guess by CPU time: a program that waits for "
		     "memory makes several times fewer, a tight loop makes twice as many" },
	{ "input", "standard input can't be read twice: the program had none" },
	{ "children", "processes that it makes run unstepped: their time comes on top" },
	{ "died", "the unstepped run was ended by a signal" },
	{ "differs", "the stepped run ended otherwise than the unstepped one" },
	{ "from", "what --from names was not come to" },
};

#define UNKNOWN_COUNT (sizeof(unknowns) / sizeof(unknowns[0]))

static bool applies(const struct stepping_estimate *estimate, size_t which)
{
	const bool known[UNKNOWN_COUNT] = {
		estimate->native.endless,
		estimate->by == ESTIMATE_TIME,
		estimate->input_is_empty,
		estimate->children != 0,
		!estimate->native.endless && WIFSIGNALED(estimate->native.status),
		estimate->by == ESTIMATE_STEPPED && estimate->status != estimate->native.status,
		estimate->from_missed,
	};

	return known[which];
}

static void print_minute(FILE *file, const struct stepping_estimate *estimate)
{
	fputs("ends in a minute: ", file);
	if (estimate->by == ESTIMATE_NONE)
		fputs("no --every that is known", file);
	else if (!estimate->every_minute)
		fputs("no --every, the steps alone take longer", file);
	else
		fprintf(file, "--every=%" PRIu64, estimate->every_minute);
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
			"steps: about %" PRIu64 "; the first %" PRIu64 " were counted in %.1f s\n",
			estimate->steps, estimate->stepped, estimate->stepped_seconds);
	else
		fprintf(file, "steps: not known; the first %" PRIu64 " were counted in %.1f s\n",
			estimate->stepped, estimate->stepped_seconds);
	fprintf(file, "a step takes %.1f us here, a point %.1f us more\n", estimate->step_ns / 1e3,
		estimate->point_ns / 1e3);
	if (estimate->by != ESTIMATE_NONE)
		fprintf(file,
			"it would take about %.1f s: %" PRIu64 " points, --every=%" PRIu64 "\n",
			estimate->seconds, estimate->points, estimate->every);
	print_minute(file, estimate);
	for (size_t i = 0; i < UNKNOWN_COUNT; i++)
		if (applies(estimate, i))
			fprintf(file, "not known: %s\n", unknowns[i].text);
}

static json_t *known_number(bool known, uint64_t value)
{
	return known ? json_integer((json_int_t)value) : json_null();
}

void stepping_print_json(FILE *file, const char *program, const struct stepping_estimate *estimate)
{
	const struct native_run *native = &estimate->native;
	bool known = estimate->by != ESTIMATE_NONE;
	json_t *object, *unknown = json_array();

	for (size_t i = 0; i < UNKNOWN_COUNT; i++)
		if (applies(estimate, i))
			json_array_append_new(unknown, json_string(unknowns[i].name));
	object = json_pack(
		"{s:s, s:o, s:f, s:f, s:o, s:s, s:o, s:I, s:f, s:I, s:I, s:f, s:f, s:I, s:o, s:o, "
		"s:o, s:I, s:o}",
		"type", "estimate", "program", json_bytes(program), "native_seconds",
		native->seconds, "native_cpu_seconds", native->cpu_seconds, "native_status",
		known_number(!native->endless, (uint64_t)native->status), "steps_by",
		by_names[estimate->by], "steps", known_number(known, estimate->steps),
		"steps_counted", (json_int_t)estimate->stepped, "counted_seconds",
		estimate->stepped_seconds, "threads", (json_int_t)estimate->threads, "children",
		(json_int_t)estimate->children, "step_ns", estimate->step_ns, "point_ns",
		estimate->point_ns, "every", (json_int_t)estimate->every, "points",
		known_number(known, estimate->points), "seconds",
		known ? json_real(estimate->seconds) : json_null(), "every_for_a_minute",
		known_number(estimate->every_minute != 0, estimate->every_minute),
		"limit_for_a_minute", (json_int_t)estimate->limit_minute, "unknown", unknown);
	json_line(file, object);
}

int stepping_estimate_command(const struct tracer_options *options,
			      const struct compare_options *engines, bool json)
{
	const char *program = options->argv[0];
	struct stepping_estimate estimate;
	struct error error;

	if (stepping_estimate(options, engines, &estimate, &error)) {
		error_print(stderr, program, &error);
		return exit_status_of_error(&error);
	}
	(json ? stepping_print_json : stepping_print_text)(stdout, program, &estimate);
	return fflush(stdout) || ferror(stdout) ? EXIT_ENVIRONMENT : EXIT_OK;
}
