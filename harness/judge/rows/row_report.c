/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_report.c - what ran and was right, as JSON and for people
 */
#include <inttypes.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"
#include "row_judge.h"
#include "truth/executed/executed.h"

static const char *const outcome_names[ROW_OUTCOME_COUNT] = {
	[ROW_NEVER] = "never",	     [ROW_DOUBTED] = "doubted", [ROW_RIGHT] = "right",
	[ROW_UNJUDGED] = "unjudged", [ROW_WRONG] = "wrong",
};

static void set_counts(json_t *object, const char *of, const struct row_counts *counts)
{
	char key[64];

	for (int i = 0; i < ROW_OUTCOME_COUNT; i++) {
		snprintf(key, sizeof(key), "%s_%s", of, outcome_names[i]);
		json_set_count(object, key, counts->count[i]);
	}
}

void row_coverage_json(const struct row_coverage *coverage, json_t *object)
{
	json_t *reasons = json_object();

	set_counts(object, "fdes", &coverage->fde);
	JSON_SET(object, "fdes_whole", coverage->fdes_whole);
	set_counts(object, "rows", &coverage->row);
	set_counts(object, "instructions", &coverage->instruction);
	json_object_del(object, "instructions_never");
	JSON_SET(object, "runs", coverage->runs, "registers_right", coverage->registers_right,
		 "registers_wrong", coverage->registers_wrong, "registers_unjudged",
		 coverage->registers_unjudged);
	for (int i = 0; i < ROW_REASON_COUNT; i++)
		if (coverage->unjudged[i])
			json_set_count(reasons, row_reason_name((enum row_reason)i),
				       coverage->unjudged[i]);
	json_object_set_new(object, "rows_by_reason", reasons);
}

/* ---- for people ------------------------------------------------------------------------------------- */

static void print_finding(FILE *file, const json_t *object)
{
	const char *start_file = json_text(object, "start_file");
	uint64_t instructions = json_number(object, "instructions");

	fprintf(file, "%s: table_fault %s: %s (%s..%s): %s", PLAIN_TEXT(json_text(object, "image")),
		json_text(object, "kind"), PLAIN_TEXT(json_text(object, "place")),
		json_text(object, "pc"), json_text(object, "pc_end"),
		PLAIN_TEXT(json_text(object, "instruction")));
	if (strcmp(json_text(object, "table"), ROWS_CFI))
		fprintf(file, " [%s]", PLAIN_TEXT(json_text(object, "table")));
	if (*start_file)
		fprintf(file, " (of %s)", start_file);
	if (json_object_get(object, "ignored"))
		fprintf(file, " (ignored: %s)", PLAIN_TEXT(json_text(object, "ignored")));
	fprintf(file,
		"\n\tdeclared %s\n\tactual   %s\n\t%" PRIu64 " instruction%s, ran %" PRIu64
		" times\n",
		PLAIN_TEXT(json_text(object, "declared")), json_text(object, "actual"),
		instructions, instructions == 1 ? "" : "s", json_number(object, "count"));
}

static uint64_t sum_of(const json_t *object, const char *of)
{
	uint64_t sum = 0;
	char key[64];

	for (int i = 0; i < ROW_OUTCOME_COUNT; i++) {
		snprintf(key, sizeof(key), "%s_%s", of, outcome_names[i]);
		sum += json_number(object, key);
	}
	return sum;
}

static void print_counts(FILE *file, const json_t *object)
{
	const json_t *reasons = json_object_get(object, "rows_by_reason");
	const char *name, *separator = " (";
	json_t *count;

	fprintf(file,
		"%" PRIu64 " of %" PRIu64 " rows ran and were right, %" PRIu64 " wrong, %" PRIu64
		" unjudged, %" PRIu64 " in doubt",
		json_number(object, "rows_right"), sum_of(object, "rows"),
		json_number(object, "rows_wrong"), json_number(object, "rows_unjudged"),
		json_number(object, "rows_doubted"));
	json_object_foreach((json_t *)reasons, name, count)
	{
		fprintf(file, "%s%s %" PRIu64, separator, name,
			(uint64_t)json_integer_value(count));
		separator = ", ";
	}
	fprintf(file,
		"%s; FDEs %" PRIu64 " of %" PRIu64 ", %" PRIu64 " of them whole, %" PRIu64 " wrong",
		separator[0] == ',' ? ")" : "", json_number(object, "fdes_right"),
		sum_of(object, "fdes"), json_number(object, "fdes_whole"),
		json_number(object, "fdes_wrong"));
	if (json_number(object, "registers_right") || json_number(object, "registers_wrong"))
		fprintf(file,
			"; rules of registers %" PRIu64 " right, %" PRIu64 " wrong, %" PRIu64
			" unjudged",
			json_number(object, "registers_right"),
			json_number(object, "registers_wrong"),
			json_number(object, "registers_unjudged"));
	fputc('\n', file);
}

static void print_tables(FILE *file, const json_t *object)
{
	const char *name;
	json_t *table;

	json_object_foreach(json_object_get(object, "tables"), name, table)
	{
		fprintf(file, "  %s: ", PLAIN_TEXT(name));
		print_counts(file, table);
	}
}

static void print_image(FILE *file, const json_t *object)
{
	const char *status = json_text(object, "status");

	fprintf(file, "%s: ", PLAIN_TEXT(json_text(object, "image")));
	if (!strcmp(status, "held"))
		print_counts(file, object);
	else if (!strcmp(status, "no_cfi"))
		fprintf(file, "it has no CFI\n");
	else if (!strcmp(status, "not_held"))
		fprintf(file, "%s\n", executed_identity_title(json_text(object, "identity")));
	else
		fprintf(file, "%s: %s\n", status, PLAIN_TEXT(json_text(object, "message")));
	print_tables(file, object);
}

void row_report_print(FILE *file, const json_t *object)
{
	const char *type = json_text(object, "type");

	if (!strcmp(type, "finding")) {
		print_finding(file, object);
	} else if (!strcmp(type, "executed_image")) {
		print_image(file, object);
	} else {
		fprintf(file, "%" PRIu64 " images: ", json_number(object, "images"));
		print_counts(file, object);
		print_tables(file, object);
	}
}
