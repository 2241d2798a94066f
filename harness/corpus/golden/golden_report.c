/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_report.c - what is said of each golden, as text and as JSON
 *
 * A row that changed is shown with the function, the instruction that begins at its offset, the
 * source line, and both rules. Where one side has no row at that offset, what it has instead is
 * shown: the row before it, which holds there too. The line that begins with "failed" says the
 * first difference again, so that a log of nothing but such lines says what happened.
 */
#include <inttypes.h>
#include <string.h>
#include "golden.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"

#define SHOWN_DIFFERENCES_MAX 8

static const char *const outcome_name[GOLDEN_OUTCOME_COUNT] = { "passed", "failed", "skipped" };

/* ---- the outcome ------------------------------------------------------------------------- */

/* An empty one is none. */
static const char *text_or_none(const char *text)
{
	return text && *text ? text : NULL;
}

static void print_json(const struct golden_run *run, const struct golden_item *item,
		       enum golden_outcome outcome, const char *reason, const char *detail)
{
	json_line(stdout,
		  JSON_NEW("type", "golden", "kind", item->kind, "name", text_or_none(item->name),
			   "outcome", outcome_name[outcome], "reason", text_or_none(reason),
			   "detail", text_or_none(detail), "difference_count",
			   item->difference_count, "differences", json_incref(item->differences)));
}

static void print_text(const struct golden_run *run, const struct golden_item *item,
		       enum golden_outcome outcome, const char *reason, const char *detail)
{
	bool different = outcome == GOLDEN_FAILED && item->first[0];
	const char *kind = strcmp(item->kind, "table") ? item->kind : "";

	if (outcome == GOLDEN_PASSED && !reason)
		return;
	fprintf(run->out, "%s%s%s %s", outcome == GOLDEN_PASSED ? reason : outcome_name[outcome],
		*kind ? " " : "", kind, PLAIN_TEXT(item->name));
	if (outcome != GOLDEN_PASSED)
		fprintf(run->out, ": %s", PLAIN_TEXT(reason));
	if (different)
		fprintf(run->out, ": %s", PLAIN_TEXT(item->first));
	if (detail && outcome != GOLDEN_SKIPPED)
		fprintf(run->out, "%s%s", different ? "; " : ": ", PLAIN_TEXT(detail));
	fputc('\n', run->out);
}

static void add_case(struct golden_run *run, const struct golden_item *item,
		     enum golden_outcome outcome, const char *reason, const char *detail)
{
	static const enum case_status statuses[GOLDEN_OUTCOME_COUNT] = {
		[GOLDEN_PASSED] = CASE_PASSED,
		[GOLDEN_FAILED] = CASE_FAILED,
		[GOLDEN_SKIPPED] = CASE_SKIPPED,
	};
	char class_name[64], message[1024];

	snprintf(class_name, sizeof(class_name), "golden.%s", item->kind);
	snprintf(message, sizeof(message), "%s%s%s", reason, detail ? ": " : "",
		 detail ? detail : "");
	struct judged_case *judged = cases_add(run->cases, class_name, item->name,
					       statuses[outcome], message);
	if (outcome == GOLDEN_FAILED && item->first[0])
		case_output(judged, item->first);
}

void golden_finish(struct golden_run *run, struct golden_item *item, enum golden_outcome outcome,
		   const char *reason, const char *detail)
{
	run->count[outcome]++;
	if (run->cases)
		add_case(run, item, outcome, reason, detail);
	if (run->options->json)
		print_json(run, item, outcome, reason, detail);
	else
		print_text(run, item, outcome, reason, detail);
	json_decref(item->differences);
	item->differences = NULL;
}

void golden_finish_name(struct golden_run *run, const char *kind, const char *name,
			enum golden_outcome outcome, const char *reason, const char *detail)
{
	struct golden_item item = { .kind = kind };

	snprintf(item.name, sizeof(item.name), "%s", name);
	golden_finish(run, &item, outcome, reason, detail);
}

/* ---- differences of tables --------------------------------------------------------------- */

struct difference_context {
	struct golden_run *run;
	struct golden_item *item;
	const struct golden_text *expected, *actual;
	struct golden_explainer *explainer; /* made when the first difference needs it */
};

/* One difference with everything that can be said of it. */
struct shown {
	bool placed; /* it has an offset, and the image has code there */
	struct golden_place place;
	char expected[400], actual[400];
	char where[600]; /* "a1 +0x4 at 0x1184: `push rbp` (testprogs/c/chain.c:12)" */
};

/* What a text says at a difference's place: the rule, or, where it has none, what holds there. */
static void say_rule(char *ret, size_t size, const char *rule, const struct golden_text *text,
		     const struct golden_difference *difference)
{
	uint64_t offset;

	if (rule) {
		snprintf(ret, size, "%s", *rule ? rule : "(there)");
		return;
	}
	snprintf(ret, size, "no such line");
	if (!golden_key_offset(difference->key, &offset))
		return;

	const struct golden_line *holds = golden_text_row_at(text, difference->function,
							     difference->occurrence, offset);

	if (holds && !strcmp(holds->rule, "end"))
		snprintf(ret, size, "no row: the function ends at %s", holds->key);
	else if (holds)
		snprintf(ret, size, "no row: that of %s holds, %s", holds->key, holds->rule);
}

static void describe(struct difference_context *context, const struct golden_difference *difference,
		     struct shown *ret)
{
	uint64_t offset = 0;
	bool has_offset = golden_key_offset(difference->key, &offset);

	*ret = (struct shown) { 0 };
	say_rule(ret->expected, sizeof(ret->expected), difference->expected, context->expected,
		 difference);
	say_rule(ret->actual, sizeof(ret->actual), difference->actual, context->actual, difference);
	if (has_offset && !context->explainer)
		context->explainer = golden_explainer_create(context->item->path);
	if (has_offset)
		ret->placed = golden_explain(context->explainer, difference->function,
					     difference->occurrence, offset, &ret->place);

	int at = snprintf(ret->where, sizeof(ret->where), "%s%s%s", difference->function,
			  *difference->function ? " " : "", difference->key);

	if (!ret->placed || at < 0 || (size_t)at >= sizeof(ret->where))
		return;

	const struct golden_place *place = &ret->place;
	char inside[48] = "";

	if (place->instruction_offset != offset)
		snprintf(inside, sizeof(inside), "inside +0x%" PRIx64 " ",
			 place->instruction_offset);
	snprintf(ret->where + at, sizeof(ret->where) - (size_t)at,
		 " at 0x%" PRIx64 ": %s`%s`%s%s%s", place->address, inside, place->instruction,
		 *place->source ? " (" : "", place->source, *place->source ? ")" : "");
}

static json_t *difference_json(const struct golden_difference *difference,
			       const struct shown *shown)
{
	json_t *object = JSON_NEW(
		"function", difference->function, "key", difference->key, "expected",
		difference->expected ? json_bytes(difference->expected) : json_null(), "actual",
		difference->actual ? json_bytes(difference->actual) : json_null());

	if (!difference->expected)
		JSON_SET(object, "expected_there", text_or_none(shown->expected));
	if (!difference->actual)
		JSON_SET(object, "actual_there", text_or_none(shown->actual));
	if (!shown->placed)
		return object;
	return JSON_SET(object, "address", json_hex(shown->place.address), "instruction",
			text_or_none(shown->place.instruction), "instruction_offset",
			json_hex(shown->place.instruction_offset), "source",
			text_or_none(shown->place.source));
}

static void on_difference(void *context_, const struct golden_difference *difference)
{
	struct difference_context *context = context_;
	struct golden_item *item = context->item;
	bool update = context->run->options->action == GOLDEN_UPDATE;
	struct shown shown;

	if (item->difference_count++ >= SHOWN_DIFFERENCES_MAX)
		return;
	describe(context, difference, &shown);
	if (!item->first[0])
		snprintf(item->first, sizeof(item->first), "%s: %s %s, %s %s", shown.where,
			 update ? "old" : "expected", shown.expected, update ? "new" : "actual",
			 shown.actual);
	if (context->run->options->json)
		json_array_append_new(item->differences, difference_json(difference, &shown));
	else
		fprintf(context->run->out, "  %s %s\n    %s %s\n    %s %s\n",
			PLAIN_TEXT(item->name), PLAIN_TEXT(shown.where),
			update ? "old" : "expected", PLAIN_TEXT(shown.expected),
			update ? "new" : "actual  ", PLAIN_TEXT(shown.actual));
}

size_t golden_show_differences(struct golden_run *run, struct golden_item *item,
			       const struct golden_table *expected,
			       const struct golden_table *actual)
{
	struct difference_context context = { run, item, &expected->lines, &actual->lines, NULL };

	item->difference_count = 0;
	json_decref(item->differences);
	item->differences = json_array();

	size_t count = golden_text_diff(&expected->lines, &actual->lines, on_difference, &context);

	golden_explainer_destroy(context.explainer);
	if (count > SHOWN_DIFFERENCES_MAX && !run->options->json)
		fprintf(run->out, "  and %zu more\n", count - SHOWN_DIFFERENCES_MAX);
	return count;
}

/* ---- differences of findings ------------------------------------------------------------- */

void golden_show_finding(struct golden_run *run, struct golden_item *item, const char *change,
			 const char *finding, const char *kernel)
{
	if (!item->differences)
		item->differences = json_array();
	if (!item->first[0])
		snprintf(item->first, sizeof(item->first), "%s: %s", change, finding);
	if (item->difference_count++ >= SHOWN_DIFFERENCES_MAX)
		return;
	if (run->options->json)
		json_array_append_new(item->differences,
				      JSON_NEW("change", text_or_none(change), "finding",
					       text_or_none(finding), "kernel",
					       text_or_none(kernel), "kernel_name",
					       text_or_none(kernel)));
	else
		fprintf(run->out, "  %s %s%s%s: %s\n", PLAIN_TEXT(item->name), change,
			kernel ? " on " : "", kernel ? PLAIN_TEXT(kernel) : "",
			PLAIN_TEXT(finding));
}
