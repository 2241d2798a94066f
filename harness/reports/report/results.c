/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results.c - cells, what they amount to, and how they are written
 *
 * results.ndjson is written twice: line by line while the matrix runs, so that a run that is killed
 * leaves what it found, and whole at the end, in the manifest's order and with the final outcomes
 * (a kernel fault is only known when all kernels are in). Only the second has a summary. Reading it
 * back is results_read.c.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "results.h"
#include "base/cli/json_counts.h"

static const char *const status_names[CELL_STATUS_COUNT] = {
	[CELL_PENDING] = "pending", [CELL_PASSED] = "passed", [CELL_FAILED] = "failed",
	[CELL_SKIPPED] = "skipped", [CELL_ERROR] = "error",
};

const char *cell_status_name(enum cell_status status)
{
	return status < CELL_STATUS_COUNT ? status_names[status] : "?";
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

void cell_init(struct cell *cell, const char *binary, const char *program, const char *toolchain,
	       const char *variant, const char *language, const char *kernel)
{
	*cell = (struct cell) {
		.binary = copy(binary),
		.program = copy(program),
		.toolchain = copy(toolchain),
		.variant = copy(variant),
		.language = copy(language),
		.kernel = copy(kernel),
		.reason = copy(""),
		.objects = json_array(),
	};
}

void cell_deinit(struct cell *cell)
{
	free(cell->binary);
	free(cell->program);
	free(cell->toolchain);
	free(cell->variant);
	free(cell->language);
	free(cell->kernel);
	free(cell->reason);
	free(cell->expected);
	json_decref(cell->objects);
	*cell = (struct cell) { 0 };
}

/*
 * A reason may quote what a broken program printed: one line, and text that JSON can hold.
 */
static void make_printable(char *text)
{
	JSON_FREED json_t *utf8 = json_string(text);

	for (char *at = text; *at; at++) {
		unsigned char byte = *at;
		if (byte < ' ' || byte == 0x7f)
			*at = ' ';
		else if (byte >= 0x80 && !utf8)
			*at = '?';
	}
}

void cell_set(struct cell *cell, enum cell_status status, const char *format, ...)
{
	char reason[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	make_printable(reason);
	free(cell->reason);
	cell->reason = copy(reason);
	cell->status = status;
}

bool cell_is_judged(const struct cell *cell)
{
	return cell->status == CELL_PASSED || cell->status == CELL_FAILED;
}

void cell_expect(struct cell *cell, const char *expected)
{
	free(cell->expected);
	cell->expected = expected ? copy(expected) : NULL;
	cell->expected_known = true;
}

static void tag(json_t *object, const struct cell *cell)
{
	JSON_SET(object, "binary", cell->binary, "program", cell->program, "toolchain",
		 cell->toolchain, "variant", cell->variant, "language", cell->language, "kernel",
		 cell->kernel, "kernel_name", cell->kernel);
}

void cell_add_object(struct cell *cell, json_t *object)
{
	tag(object, cell);
	json_array_append_new(cell->objects, object);
}

json_t *cell_object(const struct cell *cell, const char *type, const char *engine)
{
	size_t index;
	json_t *object;

	json_array_foreach(cell->objects, index, object)
	{
		if (!strcmp(json_text(object, "type"), type) &&
		    (!engine || !strcmp(json_text(object, "engine"), engine)))
			return object;
	}
	return NULL;
}

bool cell_finding(const struct cell *cell, size_t *at, struct finding_record *ret)
{
	const json_t *object;

	while ((object = json_array_get(cell->objects, (*at)++)))
		if (!strcmp(json_text(object, "type"), "finding")) {
			*ret = finding_record_read(object);
			return true;
		}
	return false;
}

/* One object and a newline. */
static int print_line(const json_t *object, FILE *file)
{
	if (json_dumpf(object, file, JSON_COMPACT))
		return -1;
	return putc('\n', file) == EOF ? -1 : 0;
}

int cell_write(const struct cell *cell, FILE *file)
{
	size_t index;
	json_t *object;
	int status = 0;

	json_array_foreach(cell->objects, index, object) status |= print_line(object, file);

	JSON_FREED json_t *result = JSON_NEW("type", "result");
	tag(result, cell);
	JSON_SET(result, "status", cell_status_name(cell->status), "reason", cell->reason,
		 "environment", cell->status == CELL_ERROR ? json_boolean(cell->environment) : NULL,
		 "seconds", cell->seconds);
	if (cell->expected_known)
		JSON_SET(result, "expected",
			 cell->expected ? json_bytes(cell->expected) : json_null());
	status |= print_line(result, file);
	return status;
}

void results_init(struct results *results)
{
	*results = (struct results) { .header = json_object() };
}

void results_deinit(struct results *results)
{
	for (size_t i = 0; i < results->cell_count; i++)
		cell_deinit(&results->cell[i]);
	free(results->cell);
	free(results->kernel);
	json_decref(results->ignore);
	json_decref(results->header);
	*results = (struct results) { 0 };
}

const struct results_kernel *results_kernel_find(const struct results *results, const char *name)
{
	return ARRAY_FIRST(results->kernel, results->kernel_count, kernel,
			   !strcmp(kernel->name, name));
}

const char *results_kernel_label(const struct results *results, const char *name)
{
	const struct results_kernel *kernel = results_kernel_find(results, name);
	const char *slash = strrchr(name, '/');

	if (!slash)
		return name;
	return kernel && kernel->version[0] ? kernel->version : slash + 1;
}

void results_count(const struct results *results, const char *kernel,
		   size_t ret_count[CELL_STATUS_COUNT])
{
	memset(ret_count, 0, CELL_STATUS_COUNT * sizeof(*ret_count));
	for (size_t i = 0; i < results->cell_count; i++) {
		if (!kernel || !strcmp(results->cell[i].kernel, kernel))
			ret_count[results->cell[i].status]++;
	}
}

/* The points of all objects of that type. */
static uint64_t count_points(const struct results *results, const char *kernel, const char *wanted)
{
	uint64_t points = 0;

	for (size_t i = 0; i < results->cell_count; i++) {
		size_t index;
		json_t *object;

		if (kernel && strcmp(results->cell[i].kernel, kernel))
			continue;
		json_array_foreach(results->cell[i].objects, index, object)
		{
			if (!strcmp(json_text(object, "type"), wanted))
				points += json_number(object, "points");
		}
	}
	return points;
}

uint64_t results_points(const struct results *results)
{
	return count_points(results, NULL, "verdicts");
}

uint64_t results_points_played(const struct results *results, const char *kernel)
{
	return count_points(results, kernel, "replay");
}

uint64_t results_points_watched(const struct results *results, const char *kernel)
{
	return count_points(results, kernel, "walks");
}

void results_gate(const struct results *results, struct gate *ret)
{
	size_t count[CELL_STATUS_COUNT];
	uint64_t ignored;

	results_count(results, NULL, count);
	*ret = (struct gate) { .unit = "binaries",
			       .strict = results->strict,
			       .checked = count[CELL_PASSED] + count[CELL_FAILED],
			       .findings = count[CELL_FAILED],
			       .environment = results->missing > 0,
			       .bad_input = results->bad_lines > 0 };
	gate_leave(ret, GATE_IGNORED, results_ignored(results, &ignored));
	gate_leave(ret, GATE_SKIPPED, count[CELL_SKIPPED]);
	gate_leave(ret, GATE_CUT_SHORT, count[CELL_PENDING] + results->missing);
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		if (cell->status == CELL_PENDING)
			ret->environment = true;
		if (cell->status == CELL_ERROR) {
			ret->environment |= cell->environment;
			ret->findings += !cell->environment;
			gate_leave(ret, GATE_CUT_SHORT, 1);
		}
	}
	/* A guest may run every binary and still not end well. */
	for (size_t i = 0; i < results->kernel_count; i++) {
		const char *outcome = results->kernel[i].outcome;
		ret->environment |= outcome[0] && strcmp(outcome, "ok");
	}
	/* A run that was cut short has proven nothing: what it found is said, and its status is
	 * that it was. */
	if (results->partial[0]) {
		ret->environment = true;
		ret->findings = 0;
		ret->strict = false;
	}
}

int results_exit_status(const struct results *results)
{
	struct gate gate;

	results_gate(results, &gate);
	return gate_status(&gate);
}

static json_t *kernel_json(const struct results_kernel *kernel)
{
	return JSON_NEW("name", kernel->name, "version", kernel->version, "kernel_name",
			kernel->name, "kernel_release", kernel->version, "package", kernel->package,
			"how", kernel->how, "accelerator", kernel->accelerator, "outcome",
			kernel->outcome, "sentence", kernel->sentence, "boot_ms", kernel->boot_ms,
			"total_ms", kernel->total_ms, "splats", kernel->splats);
}

json_t *results_header_json(const struct results *results)
{
	json_t *header = JSON_NEW("type", "header", "version", RESULTS_VERSION);
	json_t *kernels = json_array();

	json_object_update_missing(header, results->header);
	for (size_t i = 0; i < results->kernel_count; i++)
		json_array_append_new(kernels, kernel_json(&results->kernel[i]));
	return JSON_SET(header, "kernels", kernels, "cells", results->cell_count);
}

json_t *results_summary_json(const struct results *results)
{
	json_t *summary = JSON_NEW("type", "summary", "cells", results->cell_count);
	struct gate gate;
	uint64_t ignored;
	size_t count[CELL_STATUS_COUNT];

	results_count(results, NULL, count);
	for (int status = CELL_PASSED; status < CELL_STATUS_COUNT; status++)
		JSON_SET(summary, status_names[status], count[status]);
	JSON_SET(summary, "points", results_points(results), "points_played",
		 results_points_played(results, NULL), "points_watched",
		 results_points_watched(results, NULL), "compared", results->compared,
		 "not_comparable", results->not_comparable, "seconds", results->seconds, "status",
		 results_exit_status(results));
	if (results->ignore) {
		JSON_SET(summary, "ignored", results_ignored(results, &ignored));
		JSON_SET(summary, "ignored_findings", ignored, "ignore",
			 json_incref(results->ignore));
	}
	if (results->partial[0])
		JSON_SET(summary, "partial", results->partial, "partial_message",
			 results->partial_message);
	results_gate(results, &gate);
	gate_json(&gate, summary);
	return summary;
}

int results_print(const struct results *results, FILE *file)
{
	JSON_FREED json_t *header = results_header_json(results);
	JSON_FREED json_t *summary = results_summary_json(results);
	int status = print_line(header, file);

	for (size_t i = 0; i < results->cell_count; i++)
		status |= cell_write(&results->cell[i], file);
	status |= print_line(summary, file);
	return status;
}

void results_path(char *ret, size_t size, const char *folder, const char *subfolder,
		  const char *name, const char *suffix)
{
	size_t used = (size_t)snprintf(ret, size, "%s/%s/", folder, subfolder);

	if (used >= size)
		return;
	snprintf(ret + used, size - used, "%s.%s", name, suffix);
	for (char *at = ret + used; *at; at++) {
		if (*at == '/')
			*at = '_';
	}
}

int results_write(const struct results *results, const char *folder, struct error *error)
{
	char path[4096], temporary[4096 + 8];

	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	FILE *file = fopen(temporary, "we");
	if (!file)
		return error_set_errno(error, "can't write %s", temporary);
	int status = results_print(results, file);
	status |= fclose(file) ? -1 : 0;
	if (!status)
		status = rename(temporary, path);
	if (status) {
		error_set_errno(error, "can't write %s", path);
		unlink(temporary);
	}
	return status;
}
