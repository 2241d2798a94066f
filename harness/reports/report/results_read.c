/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_read.c - results.ndjson back into cells
 *
 * The file may come from a run that was killed, from another version, or from a disk that was full:
 * a line that is no JSON object, or that lacks what its type needs, costs that line. Cells
 * are found by (kernel, binary) and appear at the first line that names them; those that never get
 * their `result` were not judged, and say so.
 *
 * What `compare --json` prints has neither header nor results: results_compare.c makes cells of it.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cli/input_file.h"
#include "base/cli/json_counts.h"
#include "base/cli/no_memory.h"
#include "base/cli/output_file.h"
#include "array.h"
#include "results.h"
#include "results_compare.h"

struct reader {
	struct results *results;
	json_t *index; /* "kernel\nbinary" -> number of the cell */
	bool has_header;
	bool last_is_bad; /* the last line could not be read */
	size_t expected;  /* cells that the header announces */
};

void results_bad_line(struct results *results, size_t number, const char *problem)
{
	if (!results->bad_lines++)
		error_set(&results->first_bad_line, ERROR_TEXT_SYNTAX, "", number,
			  "line %zu of %s: %s", number, RESULTS_FILE, problem);
}

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
	results->kernel =
		need_memory(calloc(json_array_size(kernels) + 1, sizeof(*results->kernel)));
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
	json_object_set_new(reader->index, key, json_integer(results->cell_count));
	struct cell *cell = ARRAY_NEED(results->cell, results->cell_count, (struct cell) { NULL });
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
		if (json_object_get(object, "expected"))
			cell_expect(cell, json_string_value(json_object_get(object, "expected")));
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
		json_decref(results->ignore);
		results->ignore = json_incref(json_object_get(object, "ignore"));
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
	JSON_FREED json_t *object = json_loadb(line, size, 0, &json_error);

	if (json_is_object(object))
		problem = read_object(reader, object);
	else if (object)
		problem = "not an object";
	reader->last_is_bad = problem != NULL;
	if (problem)
		results_bad_line(reader->results, line_number, problem);
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

/* All lines of a file, each to take. A last one that has no newline was cut off. */
static int read_lines(FILE *file, const char *path,
		      void (*take)(void *context, const char *line, size_t size, size_t number),
		      void *context, bool *ret_torn, struct error *error)
{
	FREED char *line = NULL;
	size_t capacity = 0, number = 0;
	ssize_t size;

	errno = 0;
	while ((size = getline(&line, &capacity, file)) >= 0) {
		*ret_torn = line[size - 1] != '\n';
		take(context, line, size, ++number);
	}
	return ferror(file) ? error_set_errno(error, "can't read %s", path) : 0;
}

static void take_line(void *context, const char *line, size_t size, size_t number)
{
	read_line(context, line, size, number);
}

static int read_folder_file(struct results *ret, FILE *file, const char *path, struct error *error)
{
	struct reader reader = { .results = ret, .index = json_object() };
	bool torn = false;
	int status = read_lines(file, path, take_line, &reader, &torn, error);

	if (!status && !reader.has_header)
		status = error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s has no header", path);
	ret->torn = torn && reader.last_is_bad;
	close_cells(ret);
	if (reader.expected > ret->cell_count)
		ret->missing = reader.expected - ret->cell_count;
	if (!status && !ret->finished) {
		strcpy(ret->partial, "killed");
		snprintf(ret->partial_message, sizeof(ret->partial_message),
			 "the run did not come to its end");
	}
	json_decref(reader.index);
	return status;
}

int results_read(struct results *ret, const char *folder, struct error *error)
{
	char path[4096];

	results_init(ret);
	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	FILE_CLOSED FILE *file = input_file_open(path, error);
	if (!file)
		return -1;
	int status = read_folder_file(ret, file, path, error);
	return status;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* What the first line is: the type of its object, "" if it is none. */
static void first_type(FILE *file, char *ret, size_t size)
{
	FREED char *line = NULL;
	size_t capacity = 0;
	ssize_t length = getc(file) == '{' ? (rewind(file), getline(&line, &capacity, file)) : -1;
	JSON_FREED json_t *object = length > 0 ? json_loadb(line, length, 0, NULL) : NULL;

	copy_text(ret, size, object, "type");
	rewind(file);
}

static bool is_of_compare(const char *type)
{
	static const char *const types[] = { "begin", "finding", "unproven",
					     "skip",  "score",	 "verdicts" };

	return ARRAY_ANY(ARRAY_COUNT(types), i, !strcmp(type, types[i]));
}

bool results_recognise(const char *path)
{
	char type[16];
	struct stat st;

	if (is_folder(path))
		return true;
	FILE_CLOSED FILE *file = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	if (!file)
		return false;
	first_type(file, type, sizeof(type));
	return !strcmp(type, "header") || is_of_compare(type);
}

bool results_are_written(const char *const *output, size_t outputs, const char *path)
{
	char inside[PATH_MAX];

	if (path && is_folder(path)) {
		snprintf(inside, sizeof(inside), "%s/%s", path, RESULTS_FILE);
		path = inside;
	}
	return output_files_are_inputs(output, outputs, FILE_NAMES(path));
}

int results_open(struct results *ret, const char *path, struct error *error)
{
	char type[16];
	int status;

	if (is_folder(path))
		return results_read(ret, path, error);
	results_init(ret);
	FILE_CLOSED FILE *file = input_file_open(path, error);
	if (!file)
		return -1;
	first_type(file, type, sizeof(type));
	if (is_of_compare(type)) {
		struct compare_reader reader = { .results = ret };
		bool torn = false;

		status = read_lines(file, path, compare_reader_line, &reader, &torn, error);
		compare_reader_end(&reader);
		ret->torn = torn && reader.last_is_bad;
	} else {
		status = read_folder_file(ret, file, path, error);
	}
	return status;
}
