/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_external.c - engines of the user's own: how they fared, for people and in JSON
 *
 * What a program could not answer is scored as a stack of no frames, and here is why; where a BPF
 * program sent nothing the engine was silent. No other engine's figures hang on it.
 */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "comparer.h"
#include "plain_text.h"

#define STDERR_LINES_SHOWN                                                                         \
	3 /* of what it wrote to standard error, in text; JSON has all that is kept */

void compare_external_begin(struct comparer *comparer)
{
	for (size_t i = 0; i < comparer->engine_count; i++) {
		const struct compare_engine *engine = &comparer->engine[i];

		if (engine->engine->external && !engine->skipped)
			engine_external_begin(engine->open);
		if (engine->engine->driven && !engine->skipped)
			engine_driven_begin(engine->open);
	}
}

void compare_external_end(struct comparison *result)
{
	for (size_t i = 0; i < result->engine_count; i++) {
		struct compare_engine *engine = &result->engine[i];

		if (engine->engine->driven && !engine->skipped)
			engine_driven_counts(engine->open, &engine->driven);
		if (!engine->engine->external || engine->skipped)
			continue;
		engine_external_report(engine->open, &engine->external);
		engine->cost = (struct engine_cost) {
			.walks = engine->external.outcome[EXTERNAL_STACK],
			.walk_ns = engine->external.answered_ns,
			.sized = engine->external.outcome[EXTERNAL_STACK],
			.bytes = engine->external.bytes,
		};
	}
}

/* What was started: the command, the shared object and its argument, or a program of ours. */
static const char *what_runs(const struct engine *engine, char *ret, size_t size)
{
	const struct external_options *external = engine->external;
	bool has_argument = external->argument && external->argument[0];

	snprintf(ret, size, "%s%s%s", external->program ?: external->command,
		 has_argument ? " " : "", has_argument ? external->argument : "");
	return ret;
}

void compare_external_json(json_t *object, const struct compare_engine *engine)
{
	const struct external_report *report = &engine->external;
	json_t *outcomes = json_object(), *said = json_array();
	const char *at = report->said;
	char text[PLAIN_BYTES];

	JSON_SET(object, "external", what_runs(engine->engine, text, sizeof(text)), "version",
		 report->version);
	for (unsigned int outcome = 0; outcome < EXTERNAL_OUTCOME_COUNT; outcome++)
		JSON_SET(outcomes, external_outcome_name(outcome), report->outcome[outcome]);
	JSON_SET(object, "outcomes", outcomes, "starts", report->starts, "reads", report->reads,
		 "waited_seconds", (double)report->waited_ns / 1e9, "failure", report->failure);
	while (*at) {
		size_t length = strcspn(at, "\n");

		snprintf(text, sizeof(text), "%.*s", (int)length, at);
		json_array_append_new(said, json_bytes(text));
		at += length + (at[length] == '\n');
	}
	JSON_SET(object, "stderr", said);
}

static void print_failures(FILE *file, const struct external_report *report)
{
	const char *separator = "\t";

	for (unsigned int outcome = EXTERNAL_STACK + 1; outcome < EXTERNAL_OUTCOME_COUNT;
	     outcome++) {
		if (!report->outcome[outcome])
			continue;
		fprintf(file, "%s%s %" PRIu64, separator, external_outcome_name(outcome),
			report->outcome[outcome]);
		separator = ", ";
	}
	fprintf(file, "; started again %" PRIu64 " times; first: %s\n", report->starts,
		PLAIN_TEXT(report->failure));
}

static void print_said(FILE *file, const char *said)
{
	char text[160];

	for (unsigned int line = 0; *said && line < STDERR_LINES_SHOWN; line++) {
		size_t length = strcspn(said, "\n");

		snprintf(text, sizeof(text), "%.*s", (int)length, said);
		fprintf(file, "\tit said: %s\n", PLAIN_TEXT(text));
		said += length + (said[length] == '\n');
	}
}

static void print_engine(FILE *file, const struct compare_engine *engine)
{
	const struct external_report *report = &engine->external;
	uint64_t points = 0;
	char text[PLAIN_BYTES];

	for (unsigned int outcome = 0; outcome < EXTERNAL_OUTCOME_COUNT; outcome++)
		points += report->outcome[outcome];
	fprintf(file, "%s is external: %s", engine->engine->name,
		PLAIN_TEXT(what_runs(engine->engine, text, sizeof(text))));
	if (report->version[0])
		fprintf(file, ", version %s", PLAIN_TEXT(report->version));
	fprintf(file, "; %" PRIu64 " answers, %" PRIu64 " reads, %.0f us a point\n",
		report->outcome[EXTERNAL_STACK], report->reads,
		points ? (double)report->waited_ns / 1e3 / (double)points : 0);
	if (report->outcome[EXTERNAL_STACK] != points)
		print_failures(file, report);
	print_said(file, report->said);
}

/* ---- BPF programs ------------------------------------------------------------------------- */

static const struct {
	const char *name; /* in JSON */
	size_t offset;	  /* in struct driven_counts */
	const char *what; /* for people; NULL: it is no failure */
} driven_parts[] = {
	{ "records", offsetof(struct driven_counts, records), NULL },
	{ "record_bytes", offsetof(struct driven_counts, bytes), NULL },
	{ "none", offsetof(struct driven_counts, none), "stops without a record" },
	{ "stale", offsetof(struct driven_counts, stale), "stops with an earlier one's" },
	{ "malformed", offsetof(struct driven_counts, malformed),
	  "records that are not as described" },
	{ "lost", offsetof(struct driven_counts, lost), "stacks that found no room" },
};
#define DRIVEN_PARTS (sizeof(driven_parts) / sizeof(driven_parts[0]))

static uint64_t driven_part(const struct compare_engine *engine, size_t part)
{
	return *(const uint64_t *)((const char *)&engine->driven + driven_parts[part].offset);
}

void compare_driven_json(json_t *object, const struct compare_engine *engine)
{
	json_t *driven = json_object();

	JSON_SET(driven, "program", engine->engine->driven->text);
	for (size_t i = 0; i < DRIVEN_PARTS; i++)
		JSON_SET(driven, driven_parts[i].name, driven_part(engine, i));
	JSON_SET(object, "driven", driven);
}

static void print_driven(FILE *file, const struct compare_engine *engine)
{
	fprintf(file, "%s is a BPF program: %s; %" PRIu64 " records", engine->engine->name,
		PLAIN_TEXT(engine->engine->driven->text), engine->driven.records);
	for (size_t i = 0; i < DRIVEN_PARTS; i++)
		if (driven_parts[i].what && driven_part(engine, i))
			fprintf(file, "; %s %" PRIu64, driven_parts[i].what,
				driven_part(engine, i));
	fputc('\n', file);
}

void compare_external_text(FILE *file, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->engine_count; i++) {
		const struct compare_engine *engine = &comparison->engine[i];

		if (engine->engine->external && !engine->skipped)
			print_engine(file, engine);
		if (engine->engine->driven && !engine->skipped)
			print_driven(file, engine);
	}
}
