/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cases_tap.c - TAP 14 (Test Anything Protocol, testanything.org/tap-version-14-specification.html)
 *
 * The plan comes first, one test point per case. In a description '#' begins a directive and '\'
 * escapes, so both are escaped there. What isn't ok has a YAML block with the reason; strings in it
 * are written as JSON, which YAML's flow scalars include.
 */
#include "cases.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"

static void print_escaped(const char *text, FILE *file)
{
	for (size_t bytes; *text; text += bytes ? bytes : 1) {
		bytes = plain_character(text);
		if (*text == '#' || *text == '\\')
			putc('\\', file);
		if (bytes)
			fwrite(text, 1, bytes, file);
		else
			putc(*text == '\n' || *text == '\r' ? ' ' : '?', file);
	}
}

/* "  key: "value"\n", two more spaces in. Takes the value. */
static void print_yaml(const char *key, json_t *value, FILE *file)
{
	fprintf(file, "  %s: ", key);
	if (!value || json_dumpf(value, file, JSON_ENCODE_ANY | JSON_ENSURE_ASCII))
		fputs("\"\"", file);
	putc('\n', file);
	json_decref(value);
}

static void print_title(const struct judged_case *judged, FILE *file)
{
	if (judged->title) {
		print_escaped(judged->title, file);
		return;
	}
	print_escaped(judged->class_name, file);
	fputs(": ", file);
	print_escaped(judged->name, file);
}

static void print_point(const struct judged_case *judged, size_t number, FILE *file)
{
	bool ok = judged->status == CASE_PASSED || judged->status == CASE_SKIPPED;
	const char *key;
	json_t *value;

	fprintf(file, "%s %zu - ", ok ? "ok" : "not ok", number);
	print_title(judged, file);
	if (judged->status == CASE_SKIPPED) {
		fputs(" # SKIP ", file);
		print_escaped(judged->message, file);
	}
	putc('\n', file);
	if (ok)
		return;
	fputs("  ---\n", file);
	print_yaml("status", json_string(case_status_name(judged->status)), file);
	print_yaml("reason", json_bytes(judged->message), file);
	json_object_foreach(judged->detail, key, value) print_yaml(key, json_incref(value), file);
	fprintf(file, "  duration_ms: %.0f\n", judged->seconds * 1000);
	fputs("  ...\n", file);
}

void cases_print_tap(const struct cases *cases, FILE *file)
{
	size_t index, number = 0;
	json_t *line;

	for (size_t i = 0; i < cases->count; i++)
		number += cases->suite[i].count;
	fputs("TAP version 14\n", file);
	fprintf(file, "1..%zu\n", number);
	json_array_foreach(cases->comment, index, line)
	{
		fprintf(file, "# %s\n", PLAIN_TEXT(json_string_value(line)));
	}
	number = 0;
	for (size_t i = 0; i < cases->count; i++)
		for (size_t j = 0; j < cases->suite[i].count; j++)
			print_point(&cases->suite[i].judged[j], ++number, file);
}
