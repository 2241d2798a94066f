/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_compare.c - cells of what `compare --json` or `compare --each` printed
 *
 * A program's run is one cell: its objects up to its "verdicts", or with --each from its "begin" to
 * its "end". The cell's binary is the program's file name, for the folder may be another one
 * tomorrow; run again it is "PROGRAM (2)", so that two files are held against each other run by
 * run. The kernel is the release that the objects
 * name. As long as there is one, its lane is called "host", so that what ran on yesterday's kernel
 * and on today's is the same lane.
 *
 * The outcome is what compare's exit status says: 0 passed, 1 failed, 77 skipped; anything else, a
 * run that was cut short, and one without verdicts were not judged.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "base/cli/exit_status.h"
#include "base/cli/no_memory.h"
#include "results_compare.h"

/* The lane of a release; a new one at first sight. NULL: it is not named. */
static const struct results_kernel *find_kernel(struct results *results, const json_t *object)
{
	const char *release = json_text(object, "kernel_release");
	struct results_kernel *kernel;

	if (!release[0])
		release = json_text(object, "kernel");
	for (size_t i = 0; i < results->kernel_count; i++)
		if (!strncmp(results->kernel[i].version, release, sizeof(kernel->name) - 1))
			return &results->kernel[i];
	kernel = ARRAY_NEED(results->kernel, results->kernel_count,
			    (struct results_kernel) { .how = RESULTS_STEPPED, .outcome = "ok" });
	snprintf(kernel->name, sizeof(kernel->name), "%s", release);
	snprintf(kernel->version, sizeof(kernel->version), "%s", kernel->name);
	return kernel;
}

static void open_cell(struct compare_reader *reader, const char *program)
{
	struct results *results = reader->results;
	char again[4096];

	if (!reader->runs)
		reader->runs = json_object();
	json_int_t runs = json_count(reader->runs, program) + 1;
	json_object_set_new(reader->runs, program, json_integer(runs));
	snprintf(again, sizeof(again), runs > 1 ? "%s (%lld)" : "%s", program, (long long)runs);
	cell_init(ARRAY_NEED(results->cell, results->cell_count, (struct cell) { NULL }), again,
		  program, "", "", "", "");
	reader->open = true;
}

static struct cell *last_cell(struct compare_reader *reader)
{
	return &reader->results->cell[reader->results->cell_count - 1];
}

/* Whether an object is about the run at hand: one of the same program. */
static bool belongs(struct compare_reader *reader, const char *program)
{
	size_t size = strlen(program);

	return reader->open && !strncmp(last_cell(reader)->binary, program, size) &&
	       strchr(" ", last_cell(reader)->binary[size]);
}

/* By compare's exit status. verdicts: NULL, there are none. */
static void judge(struct cell *cell, json_int_t status, const json_t *verdicts, const char *message)
{
	static const char *const names[] = { "table_fault", "reader_fault",
					     "walk_fault",  "conversion_loss_silent",
					     "unexplained", "kernel_fault",
					     NULL };
	char faults[256]; /* six of them, each with a number of 20 digits */

	if (status == EXIT_SKIPPED) {
		cell_set(cell, CELL_SKIPPED, "%s", message[0] ? message : "nothing was checked");
	} else if (status != EXIT_OK && status != EXIT_FINDINGS) {
		cell_set(cell, CELL_ERROR, "compare ended with status %lld%s%s", (long long)status,
			 message[0] ? ": " : "", message);
		cell->environment = status == EXIT_ENVIRONMENT;
	} else if (!verdicts) {
		cell_set(cell, CELL_ERROR, "compare printed no verdicts");
	} else if (status == EXIT_OK) {
		cell_set(cell, CELL_PASSED, "%s", "");
	} else {
		cell_list_faults(NULL, verdicts, names, faults, sizeof(faults));
		cell_set(cell, CELL_FAILED, "%s", faults[0] ? faults : "findings");
	}
}

static void take_verdicts(struct compare_reader *reader, const json_t *object)
{
	struct cell *cell = last_cell(reader);
	const json_t *status = json_object_get(object, "exit_status");

	if (json_text(object, "partial")[0])
		cell_set(cell, CELL_ERROR, "%s: %s", json_text(object, "partial"),
			 json_text(object, "partial_message"));
	else if (!json_is_integer(status))
		cell_set(cell, CELL_ERROR, "the verdicts have no exit_status");
	else
		judge(cell, json_integer_value(status), object, "");
	cell->seconds = json_number_value(json_object_get(object, "seconds"));
	reader->open = reader->has_begun;
}

static void take_end(struct compare_reader *reader, const json_t *object)
{
	struct cell *cell = last_cell(reader);

	if (cell->status == CELL_PENDING)
		judge(cell, json_count(object, "status"), NULL, json_text(object, "message"));
	reader->open = false;
}

static bool is_known(const char *type)
{
	static const char *const types[] = { "begin", "finding",     "unproven", "skip",
					     "score", "requirement", "verdicts", "end" };

	return ARRAY_ANY(ARRAY_COUNT(types), i, !strcmp(type, types[i]));
}

/* What is wrong with the object, or NULL. */
static const char *take_object(struct compare_reader *reader, json_t *object)
{
	const char *type = json_text(object, "type"), *program = json_text(object, "program");
	const char *slash = strrchr(program, '/');
	bool begins = !strcmp(type, "begin");

	if (!type[0])
		return "no \"type\"";
	/* What is about no run, and what is not known yet, is passed over. */
	if (!is_known(type))
		return NULL;
	program = slash ? slash + 1 : program;
	if (!program[0])
		return "no \"program\"";
	if (begins || !belongs(reader, program)) {
		open_cell(reader, program);
		reader->has_begun = begins;
	}
	if (begins)
		return NULL;
	if (!strcmp(type, "end")) {
		take_end(reader, object);
		return NULL;
	}
	struct cell *cell = last_cell(reader);
	if (!cell->kernel[0]) {
		free(cell->kernel);
		cell->kernel = strdup(find_kernel(reader->results, object)->name);
	}
	json_array_append(cell->objects, object);
	if (!strcmp(type, "verdicts"))
		take_verdicts(reader, object);
	return NULL;
}

void compare_reader_line(void *context, const char *line, size_t size, size_t number)
{
	struct compare_reader *reader = context;
	json_error_t json_error;
	const char *problem = json_error.text;
	JSON_FREED json_t *object = json_loadb(line, size, 0, &json_error);

	if (json_is_object(object))
		problem = take_object(reader, object);
	else if (object)
		problem = "not an object";
	reader->last_is_bad = problem != NULL;
	if (problem)
		results_bad_line(reader->results, number, problem);
}

/* The one lane there is: what no object named, too. */
static void name_host(struct results *results)
{
	if (!results->kernel_count) {
		JSON_FREED json_t *nothing = json_object();
		find_kernel(results, nothing);
	}
	if (results->kernel_count == 1)
		strcpy(results->kernel[0].name, "host");
	for (size_t i = 0; i < results->cell_count; i++) {
		struct cell *cell = &results->cell[i];

		if (results->kernel_count > 1 && cell->kernel[0])
			continue;
		free(cell->kernel);
		cell->kernel = strdup(results->kernel[0].name);
	}
}

void compare_reader_end(struct compare_reader *reader)
{
	struct results *results = reader->results;

	json_decref(reader->runs);
	name_host(results);
	for (size_t i = 0; i < results->cell_count; i++) {
		struct cell *cell = &results->cell[i];

		if (cell->status != CELL_PENDING)
			continue;
		cell_set(cell, CELL_ERROR, "compare ended before this was judged");
		cell->environment = true;
	}
	results->finished = true;
}
