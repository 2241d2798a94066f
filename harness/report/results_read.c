/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_read.c - results.ndjson back into cells
 *
 * The file may come from a run that was killed, from another version, or from a disk that was full:
 * a line that is no JSON object, or that lacks what its type needs, costs that line. Cells
 * are found by (kernel, binary) and appear at the first line that names them; those that never get
 * their `result` were not judged, and say so.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/json_counts.h"
#include "array.h"
#include "report/results.h"

struct reader {
	struct results *results;
	json_t *index; /* "kernel\nbinary" -> number of the cell */
	bool has_header;
	size_t expected; /* cells that the header announces */
};

static void copy_text(char *ret, size_t size, const json_t *object, const char *key)
{
	snprintf(ret, size, "%s", json_text(object, key));
}

static unsigned number(const json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));
	return value < 0 || value > 0xffffffffLL ? 0 : (unsigned)value;
}

static void read_header(struct reader *reader, json_t *object)
{
	struct results *results = reader->results;
	json_t *kernels = json_object_get(object, "kernels");
	size_t index;
	json_t *kernel;

	reader->has_header = true;
	free(results->kernel);
	results->kernel_count = 0;
	results->kernel = calloc(json_array_size(kernels) + 1, sizeof(*results->kernel));
	assert(results->kernel);
	json_array_foreach(kernels, index, kernel)
	{
		struct results_kernel *to = &results->kernel[results->kernel_count++];

		copy_text(to->name, sizeof(to->name), kernel, "name");
		copy_text(to->version, sizeof(to->version), kernel, "version");
		copy_text(to->package, sizeof(to->package), kernel, "package");
		copy_text(to->how, sizeof(to->how), kernel, "how");
		copy_text(to->accelerator, sizeof(to->accelerator), kernel, "accelerator");
		copy_text(to->outcome, sizeof(to->outcome), kernel, "outcome");
		copy_text(to->sentence, sizeof(to->sentence), kernel, "sentence");
		to->boot_ms = number(kernel, "boot_ms");
		to->total_ms = number(kernel, "total_ms");
		to->splats = number(kernel, "splats");
	}
	reader->expected = number(object, "cells");
	json_object_update(results->header, object);
	json_object_del(results->header, "kernels");
	json_object_del(results->header, "cells");
}

/* The cell that an object is about; a new one at first sight. NULL: the object doesn't say. */
static struct cell *find_cell(struct reader *reader, const json_t *object)
{
	struct results *results = reader->results;
	const char *binary = json_text(object, "binary"), *kernel = json_text(object, "kernel");
	char key[4096 + 64];

	if (!binary[0] || !kernel[0])
		return NULL;
	if ((size_t)snprintf(key, sizeof(key), "%s\n%s", kernel, binary) >= sizeof(key))
		return NULL;
	json_t *known = json_object_get(reader->index, key);
	if (known)
		return &results->cell[json_integer_value(known)];
	if (!ARRAY_GROW(results->cell, results->cell_count))
		abort();
	json_object_set_new(reader->index, key, json_integer(results->cell_count));
	struct cell *cell = &results->cell[results->cell_count++];
	cell_init(cell, binary, json_text(object, "program"), json_text(object, "toolchain"),
		  json_text(object, "variant"), json_text(object, "language"), kernel);
	return cell;
}

/* A result object into its cell. */
static int read_result(struct cell *cell, const json_t *object)
{
	const char *name = json_text(object, "status");

	for (int status = CELL_PASSED; status < CELL_STATUS_COUNT; status++) {
		if (strcmp(name, cell_status_name(status)))
			continue;
		cell_set(cell, status, "%s", json_text(object, "reason"));
		cell->environment = json_is_true(json_object_get(object, "environment"));
		cell->seconds = json_number_value(json_object_get(object, "seconds"));
		return 0;
	}
	return -1;
}

static const char *read_object(struct reader *reader, json_t *object)
{
	const char *type = json_text(object, "type");

	if (!strcmp(type, "header")) {
		if (number(object, "version") != RESULTS_VERSION)
			return "a header of another version";
		read_header(reader, object);
		return NULL;
	}
	if (!strcmp(type, "summary")) {
		struct results *results = reader->results;
		results->finished = true;
		results->seconds = json_number_value(json_object_get(object, "seconds"));
		results->compared = number(object, "compared");
		results->not_comparable = number(object, "not_comparable");
		copy_text(results->partial, sizeof(results->partial), object, "partial");
		copy_text(results->partial_message, sizeof(results->partial_message), object,
			  "partial_message");
		return NULL;
	}
	if (!type[0])
		return "no \"type\"";
	struct cell *cell = find_cell(reader, object);
	if (!cell)
		return "no \"binary\" and \"kernel\"";
	if (!strcmp(type, "result"))
		return read_result(cell, object) ? "a status that is not known" : NULL;
	json_array_append(cell->objects, object);
	return NULL;
}

static void read_line(struct reader *reader, const char *line, size_t size, size_t line_number)
{
	json_error_t json_error;
	const char *problem = json_error.text;
	json_t *object = json_loadb(line, size, 0, &json_error);

	if (json_is_object(object))
		problem = read_object(reader, object);
	else if (object)
		problem = "not an object";
	json_decref(object);
	if (!problem)
		return;
	if (!reader->results->bad_lines++) {
		error_set(&reader->results->first_bad_line, ERROR_TEXT_SYNTAX, "", line_number,
			  "line %zu of %s: %s", line_number, RESULTS_FILE, problem);
	}
}

/* What nobody judged: the run ended before. */
static void close_cells(struct results *results)
{
	for (size_t i = 0; i < results->cell_count; i++) {
		struct cell *cell = &results->cell[i];
		if (cell->status != CELL_PENDING)
			continue;
		cell_set(cell, CELL_ERROR, "the run ended before this was judged");
		cell->environment = true;
	}
}

int results_read(struct results *ret, const char *folder, struct error *error)
{
	char path[4096];
	char *line = NULL;
	size_t capacity = 0, line_number = 0;
	ssize_t size;

	results_init(ret);
	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	FILE *file = fopen(path, "re");
	if (!file)
		return error_set_errno(error, "can't read %s", path);

	struct reader reader = { .results = ret, .index = json_object() };
	errno = 0;
	while ((size = getline(&line, &capacity, file)) >= 0)
		read_line(&reader, line, size, ++line_number);
	int status = ferror(file) ? error_set_errno(error, "can't read %s", path) : 0;
	if (!status && !reader.has_header)
		status = error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s has no header", path);
	close_cells(ret);
	if (reader.expected > ret->cell_count)
		ret->missing = reader.expected - ret->cell_count;
	if (!status && !ret->finished) {
		strcpy(ret->partial, "killed");
		snprintf(ret->partial_message, sizeof(ret->partial_message),
			 "the run did not come to its end");
	}
	json_decref(reader.index);
	free(line);
	fclose(file);
	return status;
}
