/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_report.c - what differs, for people and as NDJSON
 *
 *	changed function a1: length 0x2b, 0x2c
 *	  - +0x1 cfa=rsp+16 ra=c-8 rbp=c-16
 *	  + +0x1 cfa=rsp+24 ra=c-8 rbp=c-16
 *	removed function b2
 *	  - +0x0 cfa=rsp+8 ra=c-8
 *	  - +0x10 end
 *	12 functions equal, 1 changed, 0 added, 1 removed; rows: 1 changed, 0 added, 1 removed
 *
 * The first file's rows have a '-', the second's a '+'. Rows are held against each other by their
 * offset in the function: of those with one offset and other rules one row was changed, any other
 * was added or removed.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include "diff.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"

/* A function's two sides; either may be absent. */
struct pair {
	const struct diff_table *table_a;
	const struct diff_table *table_b;
	const struct diff_function *a;
	const struct diff_function *b;
};

/* A row of one offset, on one side or on both. */
struct row_pair {
	uint64_t offset;
	const char *a; /* NULL: not there */
	const char *b;
};

struct row_walk {
	size_t at_a;
	size_t at_b;
};

/* The next offset at which either side has a row that the other hasn't. False: no more. */
static bool next_difference(const struct pair *pair, struct row_walk *walk, struct row_pair *ret)
{
	for (;;) {
		const struct diff_row *a = NULL;
		const struct diff_row *b = NULL;
		if (pair->a && walk->at_a < pair->a->row_count)
			a = &pair->table_a->row[pair->a->first_row + walk->at_a];
		if (pair->b && walk->at_b < pair->b->row_count)
			b = &pair->table_b->row[pair->b->first_row + walk->at_b];
		if (!a && !b)
			return false;
		bool take_a = a && (!b || a->offset <= b->offset);
		bool take_b = b && (!a || b->offset <= a->offset);
		walk->at_a += take_a;
		walk->at_b += take_b;
		if (take_a && take_b && a->words == b->words)
			continue;
		*ret = (struct row_pair) { .offset = take_a ? a->offset : b->offset,
					   .a = take_a ? a->words : NULL,
					   .b = take_b ? b->words : NULL };
		return true;
	}
}

static const char *change_of(bool a, bool b)
{
	return a && b ? "changed" : a ? "removed" : "added";
}

/* The name to show: one that says something. */
static const char *name_of(const struct pair *pair, char buffer[DIFF_NUMBER_BYTES])
{
	bool first = pair->a && (pair->a->named || !pair->b || !pair->b->named);
	return diff_function_name(first ? pair->a : pair->b, buffer);
}

/* ---- text -------------------------------------------------------------------------------- */

static void print_side(FILE *file, char sign, uint64_t offset, const char *words)
{
	if (words)
		fprintf(file, "  %c +0x%" PRIx64 " %s\n", sign, offset, words);
}

/* What a function says of itself, apart from its rows. */
static void print_changes(FILE *file, const struct diff_function *a, const struct diff_function *b)
{
	const char *separator = ": ";
	if (a->length != b->length) {
		fprintf(file, "%slength 0x%" PRIx64 ", 0x%" PRIx64, separator, a->length,
			b->length);
		separator = "; ";
	}
	if (a->signal != b->signal) {
		fprintf(file, "%ssignal frame only in the %s", separator,
			a->signal ? "first" : "second");
		separator = "; ";
	}
	if (a->diagnostic != b->diagnostic)
		fprintf(file, "%sdiagnostic %s, %s", separator, error_code_name(a->diagnostic),
			error_code_name(b->diagnostic));
}

static void print_pair(FILE *file, const struct pair *pair)
{
	struct row_walk walk = { 0 };
	struct row_pair rows;
	char number[DIFF_NUMBER_BYTES];
	fprintf(file, "%s function %s", change_of(pair->a, pair->b),
		PLAIN_TEXT(name_of(pair, number)));
	if (pair->a && pair->b)
		print_changes(file, pair->a, pair->b);
	fputc('\n', file);
	while (next_difference(pair, &walk, &rows)) {
		print_side(file, '-', rows.offset, rows.a);
		print_side(file, '+', rows.offset, rows.b);
	}
	if (!pair->b)
		print_side(file, '-', pair->a->length, "end");
	if (!pair->a)
		print_side(file, '+', pair->b->length, "end");
}

static void print_summary(const struct diff_report *report, const struct diff_dialect *dialect)
{
	const struct diff_counts *counts = &report->counts;
	if (dialect != &diff_dialect_text)
		fprintf(report->file, "compared: %s\n", dialect->compared);
	fprintf(report->file,
		"%zu functions equal, %zu changed, %zu added, %zu removed; "
		"rows: %zu changed, %zu added, %zu removed\n",
		counts->functions_equal, counts->functions_changed, counts->functions_added,
		counts->functions_removed, counts->rows_changed, counts->rows_added,
		counts->rows_removed);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *hex(uint64_t value)
{
	return json_sprintf("0x%" PRIx64, value);
}

static json_t *side_json(const struct diff_function *function)
{
	char number[DIFF_NUMBER_BYTES];

	return JSON_NEW("name", diff_function_name(function, number), "length",
			hex(function->length), "rows", function->row_count, "pc",
			function->has_pc ? hex(function->pc) : NULL, "signal",
			function->signal ? json_true() : NULL, "diagnostic",
			function->diagnostic ? error_code_name(function->diagnostic) : NULL);
}

static void json_pair(FILE *file, const struct pair *pair)
{
	struct row_walk walk = { 0 };
	struct row_pair rows;
	char number[DIFF_NUMBER_BYTES];
	json_t *list = json_array();
	while (next_difference(pair, &walk, &rows))
		json_array_append_new(list, JSON_NEW("offset", hex(rows.offset), "change",
						     change_of(rows.a, rows.b), "a", rows.a, "b",
						     rows.b));
	json_line(file, JSON_NEW("type", "function", "function", name_of(pair, number), "change",
				 change_of(pair->a, pair->b), "rows", list, "a",
				 pair->a ? side_json(pair->a) : NULL, "b",
				 pair->b ? side_json(pair->b) : NULL));
}

static void json_summary(const struct diff_report *report, const struct diff_dialect *dialect)
{
	const struct diff_counts *counts = &report->counts;
	json_t *object =
		JSON_NEW("type", "diff", "a", report->path_a, "b", report->path_b, "dialect",
			 dialect->name, "compared", dialect->compared, "functions_equal",
			 counts->functions_equal, "functions_changed", counts->functions_changed,
			 "functions_added", counts->functions_added, "functions_removed",
			 counts->functions_removed, "rows_changed", counts->rows_changed,
			 "rows_added", counts->rows_added, "rows_removed", counts->rows_removed);
	if (!object)
		return;
	gate_json(report->gate, object);
	json_line(report->file, object);
}

/* ---- both -------------------------------------------------------------------------------- */

static void count_pair(struct diff_counts *counts, const struct pair *pair)
{
	struct row_walk walk = { 0 };
	struct row_pair rows;
	counts->functions_changed += pair->a && pair->b;
	counts->functions_removed += !pair->b;
	counts->functions_added += !pair->a;
	while (next_difference(pair, &walk, &rows)) {
		counts->rows_changed += rows.a && rows.b;
		counts->rows_removed += !rows.b;
		counts->rows_added += !rows.a;
	}
}

static void report_pair(struct diff_report *report, const struct pair *pair)
{
	char number[DIFF_NUMBER_BYTES];
	if (report->func && fnmatch(report->func, name_of(pair, number), 0))
		return;
	if (pair->a && pair->b &&
	    diff_function_equal(pair->table_a, pair->a, pair->table_b, pair->b)) {
		report->counts.functions_equal++;
		return;
	}
	count_pair(&report->counts, pair);
	if (report->summary)
		return;
	if (report->json)
		json_pair(report->file, pair);
	else
		print_pair(report->file, pair);
}

static void gate_report(struct diff_report *report)
{
	const struct diff_counts *counts = &report->counts;
	uint64_t differ = counts->functions_changed + counts->functions_added +
			  counts->functions_removed;
	report->gate->checked += counts->functions_equal + differ;
	if (!report->gate->bad_input)
		report->gate->findings += differ;
}

void diff_report_write(struct diff_report *report, const struct diff_table *a,
		       const struct diff_table *b, const struct diff_match *match)
{
	for (size_t i = 0; i < a->function_count; i++) {
		uint32_t other = match->of_a[i];
		report_pair(report,
			    &(struct pair) { a, b, &a->function[i],
					     other == DIFF_NONE ? NULL : &b->function[other] });
	}
	for (size_t i = 0; i < b->function_count; i++)
		if (match->of_b[i] == DIFF_NONE)
			report_pair(report, &(struct pair) { a, b, NULL, &b->function[i] });
	gate_report(report);
	if (report->json)
		json_summary(report, b->dialect);
	else
		print_summary(report, b->dialect);
}
