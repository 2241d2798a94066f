/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_cases.c - a results folder as cases
 *
 * A suite per kernel, a case per cell: its class is "toolchain.variant", its name the program. A
 * guest that did not end well has its console's end in its suite. A cell that nobody judged is an
 * error, and so are those that were never reached, which belong to no kernel.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/input_file.h"
#include "base/cli/json_counts.h"
#include "results_cases.h"

#define CONSOLE_BYTES_MAX 65536

static enum case_status status_of(const struct cell *cell)
{
	switch (cell->status) {
	case CELL_PASSED: return CASE_PASSED;
	case CELL_FAILED: return CASE_FAILED;
	case CELL_SKIPPED: return CASE_SKIPPED;
	default: return CASE_ERROR;
	}
}

/* What compare found in this cell, a finding per line, as it printed it. */
static void add_findings(struct judged_case *judged, const struct cell *cell)
{
	struct finding_record finding;

	for (size_t at = 0; cell_finding(cell, &at, &finding);) {
		FREED char *line = json_dumps(finding.object, JSON_COMPACT | JSON_ENSURE_ASCII);
		case_output(judged, line ? line : "");
	}
}

static void add_cell(struct cases *cases, const struct cell *cell)
{
	char class_name[256], title[4096 + 64];

	snprintf(class_name, sizeof(class_name), "%s.%s", cell->toolchain, cell->variant);
	snprintf(title, sizeof(title), "%s: %s", cell->kernel, cell->binary);
	struct judged_case *judged = cases_add(cases, class_name, cell->program, status_of(cell),
					       cell->reason);
	case_text(&judged->file, cell->binary);
	case_text(&judged->title, title);
	case_text(&judged->type, cell->environment ? "environment" : "comparison");
	judged->seconds = cell->seconds;
	judged->detail = JSON_NEW("toolchain", cell->toolchain, "variant", cell->variant);
	add_findings(judged, cell);
}

static void set_property(json_t *properties, const char *name, const char *value)
{
	if (value[0])
		json_object_set_new(properties, name, json_bytes(value));
}

/* The end of the console of a guest that did not end well. */
static void add_console(struct case_suite *suite, const struct results_kernel *kernel,
			const char *folder)
{
	char path[4096];

	if (!folder || !kernel->outcome[0] || !strcmp(kernel->outcome, "ok"))
		return;
	results_path(path, sizeof(path), folder, "kernels", kernel->name, "console");
	FILE_CLOSED FILE *file = input_file_open(path, &(struct error) { 0 });
	if (!file)
		return;
	/* Shorter than that: the seek fails and all of it is read. */
	if (fseek(file, -(long)CONSOLE_BYTES_MAX, SEEK_END))
		rewind(file);
	FREED char *text = malloc(CONSOLE_BYTES_MAX + 1);
	size_t size = text ? fread(text, 1, CONSOLE_BYTES_MAX, file) : 0;
	for (size_t i = 0; i < size; i++) {
		if (!text[i])
			text[i] = '?';
	}
	if (size) {
		text[size] = '\0';
		case_text(&suite->output, text);
	}
}

static void add_comment(struct cases *cases, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_comment(struct cases *cases, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	json_array_append_new(cases->comment, json_bytes(line));
}

static void add_kernel(struct cases *cases, const struct results *results,
		       const struct results_kernel *kernel, const char *folder)
{
	struct case_suite *suite = cases_suite(cases, kernel->name);

	suite->property = json_object();
	set_property(suite->property, "kernel.version", kernel->version);
	set_property(suite->property, "kernel.package", kernel->package);
	set_property(suite->property, "kernel.accelerator", kernel->accelerator);
	set_property(suite->property, "kernel.outcome", kernel->outcome);
	set_property(suite->property, "kernel.sentence", kernel->sentence);
	add_console(suite, kernel, folder);
	add_comment(cases, "kernel %s: %s %s%s%s", kernel->name,
		    kernel->version[0] ? kernel->version : "not",
		    kernel->accelerator[0] ? kernel->accelerator : "run",
		    kernel->sentence[0] ? ": " : "", kernel->sentence);
	for (size_t i = 0; i < results->cell_count; i++)
		if (!strcmp(results->cell[i].kernel, kernel->name))
			add_cell(cases, &results->cell[i]);
}

/* Cells of kernels that the header does not have: of a damaged file. */
static void add_strays(struct cases *cases, const struct results *results)
{
	bool begun = false;

	for (size_t i = 0; i < results->cell_count; i++) {
		if (results_kernel_find(results, results->cell[i].kernel))
			continue;
		if (!begun)
			cases_suite(cases, "unknown kernels");
		begun = true;
		add_cell(cases, &results->cell[i]);
	}
}

/* Cells that were never reached belong to no kernel; a CI server must still see them. */
static void add_missing(struct cases *cases, const struct results *results)
{
	char message[128];

	if (!results->missing)
		return;
	snprintf(message, sizeof(message), "the run was cut short: %zu cells are missing",
		 results->missing);
	cases_suite(cases, "missing");
	struct judged_case *judged = cases_add(cases, "run", "finished", CASE_ERROR, message);
	case_text(&judged->type, "environment");
	case_text(&judged->title, message);
}

void results_cases(struct cases *ret, const struct results *results, const char *folder)
{
	*ret = (struct cases) { .comment = json_array(), .seconds = results->seconds };
	if (results->partial[0])
		add_comment(ret, "PARTIAL (%s): %s", results->partial, results->partial_message);
	for (size_t i = 0; i < results->kernel_count; i++)
		add_kernel(ret, results, &results->kernel[i], folder);
	add_strays(ret, results);
	add_missing(ret, results);
}
