/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tap.c - TAP 14 (Test Anything Protocol, testanything.org/tap-version-14-specification.html)
 *
 * The plan comes first, one test point per cell. In a description '#' begins a directive and '\'
 * escapes, so both are escaped there. What isn't ok has a YAML block with the reason; strings in it
 * are written as JSON, which YAML's flow scalars include.
 */
#include <string.h>
#include "report/results.h"
#include "plain_text.h"
#include "cli/json_counts.h"

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

/* "  key: "value"\n", two more spaces in. */
static void print_yaml(const char *key, const char *value, FILE *file)
{
	json_t *string = json_bytes(value);

	fprintf(file, "  %s: ", key);
	if (!string || json_dumpf(string, file, JSON_ENCODE_ANY | JSON_ENSURE_ASCII))
		fputs("\"\"", file);
	putc('\n', file);
	json_decref(string);
}

static void print_point(const struct cell *cell, size_t number, FILE *file)
{
	bool ok = cell->status == CELL_PASSED || cell->status == CELL_SKIPPED;

	fprintf(file, "%s %zu - ", ok ? "ok" : "not ok", number);
	print_escaped(cell->kernel, file);
	fputs(": ", file);
	print_escaped(cell->binary, file);
	if (cell->status == CELL_SKIPPED) {
		fputs(" # SKIP ", file);
		print_escaped(cell->reason, file);
	}
	putc('\n', file);
	if (ok)
		return;
	fputs("  ---\n", file);
	print_yaml("status", cell_status_name(cell->status), file);
	print_yaml("reason", cell->reason, file);
	print_yaml("toolchain", cell->toolchain, file);
	print_yaml("variant", cell->variant, file);
	fprintf(file, "  duration_ms: %.0f\n", cell->seconds * 1000);
	fputs("  ...\n", file);
}

void tap_print(const struct results *results, FILE *file)
{
	fputs("TAP version 14\n", file);
	fprintf(file, "1..%zu\n", results->cell_count + (results->missing ? 1 : 0));
	if (results->partial[0])
		fprintf(file, "# PARTIAL (%s): %s\n", PLAIN_TEXT(results->partial),
			PLAIN_TEXT(results->partial_message));
	for (size_t i = 0; i < results->kernel_count; i++) {
		const struct results_kernel *kernel = &results->kernel[i];
		fprintf(file, "# kernel %s: %s %s%s%s\n", PLAIN_TEXT(kernel->name),
			kernel->version[0] ? PLAIN_TEXT(kernel->version) : "not",
			kernel->accelerator[0] ? PLAIN_TEXT(kernel->accelerator) : "run",
			kernel->sentence[0] ? ": " : "", PLAIN_TEXT(kernel->sentence));
	}
	for (size_t i = 0; i < results->cell_count; i++)
		print_point(&results->cell[i], i + 1, file);
	if (results->missing) {
		fprintf(file, "not ok %zu - the run was cut short: %zu cells are missing\n",
			results->cell_count + 1, results->missing);
	}
}
