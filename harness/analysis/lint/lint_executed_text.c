/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_executed_text.c - what a run makes of findings and of images, for people
 *
 *	    executed    12 points: wrong at 12, right at 0: confirmed
 *
 * stands below a finding, and below an image how much of it ran. A row that was wrong has a line of its own
 * only where lint has no finding that says so.
 */
#include <string.h>
#include "base/cli/json_counts.h"
#include "lint_executed.h"
#include "plain_text.h"

static void print_place(FILE *file, const json_t *object)
{
	fprintf(file, "%s", PLAIN_TEXT(json_text(object, "function")));
	if (json_count(object, "offset"))
		fprintf(file, "+0x%llx", (unsigned long long)json_count(object, "offset"));
}

void lint_text_executed(FILE *file, const json_t *finding)
{
	const char *outcome = json_text(finding, "outcome"), *because;
	json_int_t points = json_count(finding, "points");

	if (!json_object_get(finding, "executed"))
		return;
	if (!json_is_true(json_object_get(finding, "executed"))) {
		fprintf(file, "    executed    no\n");
		return;
	}
	fprintf(file, "    executed    ");
	if (json_object_get(finding, "points"))
		fprintf(file, "%" JSON_INTEGER_FORMAT " points", points);
	if (json_count(finding, "calls"))
		fprintf(file, ", below its call %" JSON_INTEGER_FORMAT,
			json_count(finding, "calls"));
	if (json_object_get(finding, "points") && outcome[0])
		fprintf(file, ": ");
	if (outcome[0])
		fprintf(file, "wrong at %" JSON_INTEGER_FORMAT, json_count(finding, "wrong"));
	if (json_object_get(finding, "right"))
		fprintf(file, ", right at %" JSON_INTEGER_FORMAT, json_count(finding, "right"));
	if (outcome[0]) {
		because = json_text(finding, "because");
		fprintf(file, ": %s%s%s%s", outcome, because[0] ? " (" : "", because,
			because[0] ? ")" : "");
	}
	fputc('\n', file);
}

void lint_text_stepped(FILE *file, const json_t *stepped)
{
	const char *reason = json_text(stepped, "reason");

	if (!strcmp(json_text(stepped, "outcome"), lint_agreement_name(LINT_AGREES)))
		return;
	fprintf(file, "%s: ", PLAIN_TEXT(json_text(stepped, "image")));
	print_place(file, stepped);
	fprintf(file, ": table_fault (%s) x %" JSON_INTEGER_FORMAT "%s: %s; lint: %s%s%s%s\n",
		json_text(stepped, "kind"), json_count(stepped, "count"),
		json_is_true(json_object_get(stepped, "lost")) ? ", declared lost" : "",
		json_text(stepped, "outcome"), json_text(stepped, "lint"), reason[0] ? " (" : "",
		reason, reason[0] ? ")" : "");
	fprintf(file, "    %-10s  %s\n", json_text(stepped, "pc"),
		json_text(stepped, "instruction"));
}

static void print_ran(FILE *file, const json_t *executed, const char *key, const char *what)
{
	const json_t *ran = json_object_get(executed, key);

	fprintf(file,
		"%" JSON_INTEGER_FORMAT " %s (%" JSON_INTEGER_FORMAT
		" proven, %" JSON_INTEGER_FORMAT " with mismatches, %" JSON_INTEGER_FORMAT
		" unproven)",
		json_count(ran, "all"), what, json_count(ran, "proven"),
		json_count(ran, "mismatch"), json_count(ran, "unproven"));
}

void lint_text_ran(FILE *file, const json_t *counts)
{
	const json_t *executed = json_object_get(counts, "executed");
	const json_t *confirm = json_object_get(counts, "confirm");
	const json_t *stepped = json_object_get(counts, "stepped");
	const char *identity = json_text(executed, "identity");

	if (!executed)
		return;
	if (!json_object_get(executed, "instructions") && !confirm) {
		if (identity[0])
			fprintf(file, "    ran: nothing is known: %s\n",
				executed_identity_title(identity));
		return;
	}
	if (json_object_get(executed, "instructions")) {
		fprintf(file, "    ran");
		if (identity[0])
			fprintf(file, " (by %s)", identity);
		fprintf(file, ": ");
		print_ran(file, executed, "instructions", "instructions");
		fprintf(file, ", ");
		print_ran(file, executed, "fdes", "FDEs");
		fputc('\n', file);
	}
	if (!confirm)
		return;
	fprintf(file, "    findings: ");
	for (int i = LINT_OUTCOME_COUNT; i-- > 0;)
		fprintf(file, "%" JSON_INTEGER_FORMAT " %s%s",
			json_count(confirm, lint_outcome_name((enum lint_outcome)i)),
			lint_outcome_name((enum lint_outcome)i), i ? ", " : "\n");
	fprintf(file, "    stepped faults: ");
	for (int i = 0; i < LINT_AGREEMENT_COUNT; i++)
		fprintf(file, "%" JSON_INTEGER_FORMAT " %s%s",
			json_count(stepped, lint_agreement_name((enum lint_agreement)i)),
			lint_agreement_name((enum lint_agreement)i),
			i + 1 < LINT_AGREEMENT_COUNT ? ", " : "\n");
}
