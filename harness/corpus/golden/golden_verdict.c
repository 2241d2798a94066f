/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_verdict.c - table faults that the truth found, and the waivers that admit them
 *
 * A snapshot of a wrong table makes the fault the expected result. So a golden may be held against
 * what `stackproof compare --json` found when the same binary was stepped: a function whose table
 * the truth contradicts must not be in a golden, unless a waiver says which toolchain bug it is.
 * Waivers are GOLDEN/waivers.tsv: binary, function (both globs) and reason, separated by tabs; #
 * begins a comment. What corpus.tsv expects of a program needs no waiver.
 */
#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/input_file.h"
#include "golden.h"
#include "corpus/manifest/corpus.h"

/* ---- waivers ----------------------------------------------------------------------------- */

static void waiver_deinit(struct golden_waiver *waiver)
{
	free(waiver->binary);
	free(waiver->function);
	free(waiver->reason);
}

static int add_waiver(struct golden_verdicts *verdicts, char *line, const char *path, size_t number,
		      struct error *error)
{
	char *binary = strsep(&line, "\t"), *function = strsep(&line, "\t");

	if (!function || !line || !*binary || !*function || !*line)
		return error_set(error, ERROR_TEXT_SYNTAX, "", number,
				 "%s: line %zu is not binary, function, reason", path, number);

	struct golden_waiver waiver = { strdup(binary), strdup(function), strdup(line) };

	if (!ARRAY_GROW(verdicts->waiver, verdicts->waiver_count) || !waiver.binary ||
	    !waiver.function || !waiver.reason) {
		waiver_deinit(&waiver);
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	}
	verdicts->waiver[verdicts->waiver_count++] = waiver;
	return 0;
}

/* ---- findings ---------------------------------------------------------------------------- */

static int add_fault(struct golden_verdicts *verdicts, const json_t *finding, struct error *error)
{
	const char *verdict = json_string_value(json_object_get(finding, "verdict"));
	const char *program = json_string_value(json_object_get(finding, "program"));
	const char *image = json_string_value(json_object_get(finding, "image"));
	const char *function = json_string_value(json_object_get(finding, "function"));
	const char *kind = json_string_value(json_object_get(finding, "kind"));

	if (!verdict || strcmp(verdict, "table_fault") || !function || (!program && !image))
		return 0;

	struct golden_fault fault = { strdup(basename(image ? image : program)), strdup(function),
				      kind && !strcmp(kind, "malformed") };

	if (!ARRAY_GROW(verdicts->fault, verdicts->fault_count) || !fault.file || !fault.function) {
		free(fault.file);
		free(fault.function);
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	}
	verdicts->fault[verdicts->fault_count++] = fault;
	return 0;
}

/* A run of a binary that came to its end: `run` names the binary, `compare` only the program. */
static int add_stepped(struct golden_verdicts *verdicts, const json_t *object, struct error *error)
{
	const char *binary = json_string_value(json_object_get(object, "binary"));
	const char *program = json_string_value(json_object_get(object, "program"));

	if (!binary && !program)
		return 0;
	if (!verdicts->stepped)
		verdicts->stepped = json_object();
	if (json_object_set_new(verdicts->stepped, basename(binary ? binary : program),
				json_true()))
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	return 0;
}

static int add_finding(struct golden_verdicts *verdicts, char *line, const char *path,
		       size_t number, struct error *error)
{
	json_error_t json_error;
	json_t *object = json_loads(line, 0, &json_error);

	if (!object)
		return error_set(error, ERROR_TEXT_SYNTAX, "", number, "%s: line %zu: %s", path,
				 number, json_error.text);

	const char *type = json_string_value(json_object_get(object, "type"));
	int status = 0;

	if (type && !strcmp(type, "finding"))
		status = add_fault(verdicts, object, error);
	else if (type && !strcmp(type, "verdicts") && !json_object_get(object, "partial"))
		status = add_stepped(verdicts, object, error);
	json_decref(object);
	return status;
}

/* ---- both -------------------------------------------------------------------------------- */

typedef int (*line_fn)(struct golden_verdicts *verdicts, char *line, const char *path,
		       size_t number, struct error *error);

static int read_lines(struct golden_verdicts *verdicts, FILE *file, const char *path, line_fn fn,
		      struct error *error)
{
	char *line = NULL;
	size_t capacity = 0, number = 0;
	int status = 0;

	while (!status && getline(&line, &capacity, file) >= 0) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] && line[0] != '#')
			status = fn(verdicts, line, path, number, error);
	}
	if (!status && ferror(file))
		status = error_set_errno(error, "cannot read %s", path);
	free(line);
	return status;
}

int golden_waivers_read(struct golden_verdicts *verdicts, const char *path, struct error *error)
{
	FILE *file = input_file_open(path, error);

	if (!file)
		return errno == ENOENT ? 0 : -1;

	int status = read_lines(verdicts, file, path, add_waiver, error);

	fclose(file);
	return status;
}

int golden_faults_read(struct golden_verdicts *verdicts, const char *path, struct error *error)
{
	FILE *file = input_file_open(path, error);

	if (!file)
		return -1;

	int status = read_lines(verdicts, file, path, add_finding, error);

	fclose(file);
	return status;
}

void golden_verdicts_deinit(struct golden_verdicts *verdicts)
{
	for (size_t i = 0; i < verdicts->waiver_count; i++)
		waiver_deinit(&verdicts->waiver[i]);
	for (size_t i = 0; i < verdicts->fault_count; i++) {
		free(verdicts->fault[i].file);
		free(verdicts->fault[i].function);
	}
	free(verdicts->waiver);
	free(verdicts->fault);
	json_decref(verdicts->stepped);
	*verdicts = (struct golden_verdicts) { 0 };
}

bool golden_waived(const struct golden_verdicts *verdicts, const char *file, const char *function)
{
	for (size_t i = 0; i < verdicts->waiver_count; i++)
		if (!fnmatch(verdicts->waiver[i].binary, file, 0) &&
		    !fnmatch(verdicts->waiver[i].function, function, 0))
			return true;
	return false;
}

bool golden_stepped(const struct golden_verdicts *verdicts, const char *file)
{
	return json_object_get(verdicts->stepped, file) != NULL;
}

const char *golden_verdicts_unwaived(const struct golden_verdicts *verdicts, const char *file,
				     const char *expected, const struct golden_text *text)
{
	for (size_t i = 0; i < verdicts->fault_count; i++) {
		const struct golden_fault *fault = &verdicts->fault[i];

		if (!strcmp(fault->file, file) && golden_text_has_function(text, fault->function) &&
		    !golden_waived(verdicts, fault->file, fault->function) &&
		    !expectation_has_fault(expected, fault->function, fault->malformed))
			return fault->function;
	}
	return NULL;
}
