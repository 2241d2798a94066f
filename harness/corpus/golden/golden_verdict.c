/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_verdict.c - table faults that the truth found, and the waivers that admit them
 *
 * A snapshot of a wrong table makes the fault the expected result. So a golden may be held against
 * what `stackproof compare --json` found when the same binary was stepped: a function whose table
 * the truth contradicts must not be in a golden, unless a waiver says which toolchain bug it is.
 * Waivers are GOLDEN/waivers.tsv, a list as --ignore takes it (base/ignore/ignore.h). What corpus.tsv expects of a
 * program needs no waiver.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/input_file.h"
#include "golden.h"
#include "corpus/manifest/corpus.h"

/* ---- findings ---------------------------------------------------------------------------- */

static void fault_deinit(struct golden_fault *fault)
{
	free(fault->file);
	free(fault->function);
	free(fault->kind);
}

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
				      strdup(kind ? kind : "") };

	if (!ARRAY_GROW(verdicts->fault, verdicts->fault_count) || !fault.file || !fault.function ||
	    !fault.kind) {
		fault_deinit(&fault);
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

int golden_faults_read(struct golden_verdicts *verdicts, const char *path, struct error *error)
{
	FILE *file = input_file_open(path, error);
	char *line = NULL;
	size_t capacity = 0, number = 0;
	int status = 0;

	if (!file)
		return -1;
	while (!status && getline(&line, &capacity, file) >= 0) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] && line[0] != '#')
			status = add_finding(verdicts, line, path, number, error);
	}
	if (!status && ferror(file))
		status = error_set_errno(error, "cannot read %s", path);
	free(line);
	fclose(file);
	return status;
}

/* ---- both -------------------------------------------------------------------------------- */

void golden_verdicts_deinit(struct golden_verdicts *verdicts)
{
	ignore_list_deinit(&verdicts->waivers);
	for (size_t i = 0; i < verdicts->fault_count; i++)
		fault_deinit(&verdicts->fault[i]);
	free(verdicts->fault);
	json_decref(verdicts->stepped);
	*verdicts = (struct golden_verdicts) { 0 };
}

bool golden_waived(struct golden_verdicts *verdicts, const char *file, const char *function,
		   const char *kind)
{
	const struct ignore_subject subject = { file, function, kind, "table_fault" };

	return ignore_list_match(&verdicts->waivers, &subject, 0) != NULL;
}

bool golden_stepped(const struct golden_verdicts *verdicts, const char *file)
{
	return json_object_get(verdicts->stepped, file) != NULL;
}

const char *golden_verdicts_unwaived(struct golden_verdicts *verdicts, const char *file,
				     const char *expected, const struct golden_text *text)
{
	for (size_t i = 0; i < verdicts->fault_count; i++) {
		const struct golden_fault *fault = &verdicts->fault[i];

		if (!strcmp(fault->file, file) && golden_text_has_function(text, fault->function) &&
		    !golden_waived(verdicts, fault->file, fault->function, fault->kind) &&
		    !expectation_has_fault(expected, fault->function,
					   !strcmp(fault->kind, "malformed")))
			return fault->function;
	}
	return NULL;
}
