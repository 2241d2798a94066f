/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed.c - `stackproof executed FACTS [ELF|DIR...]`: was every row right each time that it ran?
 *
 * FACTS is a file of `stackproof watch --rows`: where the caller's frame was at each instruction that a guest's
 * processes executed. Each row of an image's CFI, and of other tables if they are named, is held against it
 * (judge/rows). Without an ELF file the images are the run's own. Images are done several at once, each in a process
 * of its own.
 *
 * Exit status: 1 a wrong row, or code that ran without one; else what gate/gate.h says of what could not be held.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "base/cases/cases.h"
#include "base/cli/command_line.h"
#include "base/cli/json_counts.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/gate/gate.h"
#include "base/ignore/ignore.h"
#include "base/images/image_objects.h"
#include "clock.h"
#include "commands.h"
#include "freed.h"
#include "judge/rows/row_judge.h"
#include "plain_text.h"
#include "tables/diff/diff.h"

#define FEW_IMAGES 20 /* each gets a line */

struct holding {
	struct row_options options;
	struct row_facts facts;
	bool json;
	unsigned int jobs, timeout_ms;
	const char *facts_path, *root, *from, *ignore_path;
	char **path;
	int path_count;
	char **table; /* of --table: paths */
	size_t table_count;
	struct image_list list;
	struct gate gate;
	struct cases_options cases;
	struct ignore_list ignore;
	uint64_t ignored; /* findings of the image at hand */
	json_t *counts;
	uint64_t images;
};

enum { KEY_TABLE = 0x100, KEY_FROM, KEY_COVERAGE };

static const struct argp_option option_list[] = {
	{ "table", KEY_TABLE, "compact|FILE", OPTION_AGAIN,
	  "hold another table against the run, too: the compact one, or what another tool printed",
	  0 },
	{ "from", KEY_FROM, "NAME", 0, "what FILE holds: readelf, parca, parca-rows or otel", 0 },
	{ "root", INTO_TEXT(holding, root), "DIR", 0, "the run's own files are below DIR", 0 },
	{ "ignore", INTO_TEXT(holding, ignore_path), "FILE", 0,
	  "findings that don't fail: lines of image, function, kind, until and reason, tabs "
	  "between",
	  0 },
	{ "coverage", KEY_COVERAGE, "PERCENT", 0,
	  "an image of whose FDEs a smaller share ran and was right fails", 0 },
	{ "jobs", 'j', "N", 0, "images at once (as many as there are CPUs)", 0 },
	{ "timeout", INTO_SECONDS(holding, timeout_ms), "SECONDS", 0, "for one image (300)", 0 },
	{ "json", INTO_FLAG(holding, json), NULL, 0,
	  "one JSON object per finding and image, and a total", 0 },
	{ 0 },
};

static void add_table(struct argp_state *state, char *argument, struct holding *holding)
{
	if (!strcmp(argument, ROWS_COMPACT)) {
		holding->options.compact = true;
		return;
	}
	if (!ARRAY_ADD(holding->table, holding->table_count,
		       option_text(state, argument, "--table")))
		argp_failure(state, EXIT_ENVIRONMENT, 0, "no memory");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct holding *holding = state->input;

	switch (key) {
	case KEY_TABLE: add_table(state, argument, holding); break;
	case KEY_FROM:
		if (!diff_dialect_find(argument))
			argp_error(state, "unknown kind of table '%s'", argument);
		holding->from = argument;
		break;
	case 'j':
		holding->jobs = option_between(state, argument, "--jobs", 1, IMAGE_POOL_JOBS_MAX);
		break;
	case KEY_COVERAGE:
		holding->gate.coverage = option_percent(state, argument, "--coverage");
		break;
	case ARGP_KEY_ARGS:
		holding->facts_path = state->argv[state->next];
		holding->path = state->argv + state->next + 1;
		holding->path_count = state->argc - state->next - 1;
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no file of `stackproof watch --rows'"); break;
	case ARGP_KEY_SUCCESS:
		if (holding->from && !holding->table_count)
			argp_error(state, "--from says what a file of --table is: there is none");
		break;
	default: return option_into(key, argument, state, option_list);
	}
	return 0;
}

/* ---- what an image came to ------------------------------------------------------------------- */

/* Of the CFI, and of all tables. */
static uint64_t sum_of_tables(const json_t *image, const char *key)
{
	uint64_t sum = json_number(image, key);
	const char *name;
	json_t *table;

	json_object_foreach(json_object_get(image, "tables"), name, table)
		sum += json_number(table, key);
	return sum;
}

static uint64_t failing_findings(const json_t *image)
{
	return sum_of_tables(image, "findings") - json_number(image, "ignored_findings");
}

static void count_image(struct holding *holding, const struct image_path *path, json_t *image)
{
	const char *status = json_text(image, "status"), *code = json_text(image, "code");
	struct gate *gate = &holding->gate;
	const char *identity = json_text(image, "identity");

	holding->images++;
	if (!strcmp(status, "unread"))
		gate_leave_image_named(gate, code, gate_is_named(path, code));
	if (!strcmp(status, "failed"))
		gate_leave_failed(gate, code);
	gate_leave(gate, GATE_NO_CFI, !strcmp(status, "no_cfi"));
	gate_leave(gate, GATE_OTHER_BUILD, !strcmp(identity, "changed"));
	gate_leave(gate, GATE_UNPROVEN_BUILD, !strcmp(identity, "path"));
	gate_leave(gate, GATE_NOT_LOADED, !strcmp(identity, "not_loaded"));
	if (holding->ignore.path)
		json_set_count(image, "ignored_findings", holding->ignored);
	gate_leave(gate, GATE_IGNORED_FINDINGS, holding->ignored);
	gate->findings += failing_findings(image);
	gate_check(gate, sum_of_tables(image, "rows_right") + sum_of_tables(image, "rows_wrong"));
	gate_leave(gate, GATE_UNJUDGED_ROWS, sum_of_tables(image, "rows_unjudged"));
	gate_leave(gate, GATE_DOUBTED_ROWS, sum_of_tables(image, "rows_doubted"));
	gate_add_image(gate, image, path->named);
	if (!strcmp(status, "held") &&
	    gate_is_below(gate, json_number(image, "fdes_right"), json_number(image, "fdes")))
		json_object_set_new(image, "below_coverage", json_true());
	json_counts_add(holding->counts, image);
}

static void add_case(struct holding *holding, const json_t *image)
{
	const char *status = json_text(image, "status"), *message = json_text(image, "message");
	enum case_status outcome = CASE_PASSED;

	if (failing_findings(image)) {
		outcome = CASE_FAILED;
		message = "findings: rows that were wrong when they ran, or code without a row";
	} else if (json_object_get(image, "below_coverage")) {
		outcome = CASE_FAILED;
		message = "fewer of its FDEs ran and were right than --coverage wants";
	} else if (!strcmp(status, "failed") || !strcmp(status, "unread")) {
		outcome = CASE_ERROR;
	} else if (strcmp(status, "held") != 0 || !sum_of_tables(image, "rows_right")) {
		outcome = CASE_SKIPPED;
		message = "nothing was checked";
	}
	cases_add(&holding->cases.cases, "executed", json_text(image, "image"), outcome, message)
		->seconds = json_number_value(json_object_get(image, "seconds"));
}

static bool says(const struct holding *holding, const json_t *object)
{
	return !json_object_get(object, "status") || holding->list.count <= FEW_IMAGES ||
	       failing_findings(object) || json_object_get(object, "below_coverage") ||
	       !strcmp(json_text(object, "status"), "failed");
}

static void ignore(struct holding *holding, json_t *object)
{
	const struct finding_record finding = finding_record_read(object);
	const char *reason = ignore_list_match(&holding->ignore, &finding);

	if (!reason)
		return;
	json_object_set_new(object, "ignored", json_bytes(reason));
	holding->ignored += !finding.start_file[0];
}

static void take_object(void *context, const struct image_path *path, json_t *object)
{
	struct holding *holding = context;

	if (json_object_get(object, "status")) {
		count_image(holding, path, object);
		add_case(holding, object);
		holding->ignored = 0;
	} else {
		ignore(holding, object);
	}
	if (holding->json)
		json_line(stdout, json_incref(object));
	else if (says(holding, object))
		row_report_print(stdout, object);
}

static void image_work(void *context, const struct image_path *path, FILE *output)
{
	const struct holding *holding = context;

	row_file_hold(&holding->options, path, output);
}

static void say_progress(void *context, char *text, size_t size)
{
	const struct holding *holding = context;

	snprintf(text, size, "%llu of %zu images, %llu findings",
		 (unsigned long long)holding->images, holding->list.count,
		 (unsigned long long)holding->gate.findings);
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static enum exit_status hold(struct holding *holding)
{
	const struct image_objects objects = {
		.type = "executed_image",
		.jobs = holding->jobs,
		.timeout_ms = holding->timeout_ms,
		.work = image_work,
		.take = take_object,
		.say = say_progress,
		.context = holding,
	};
	double start = monotonic_seconds();
	struct error error;
	json_t *total;

	gate_leave(&holding->gate, GATE_PARTIAL_RUN, holding->facts.partial);
	holding->counts = json_object();
	if (image_objects_run(&objects, &holding->list, &error)) {
		error_print(stderr, "executed", &error);
		json_decref(holding->counts);
		return EXIT_ENVIRONMENT;
	}
	total = JSON_NEW("type", "executed_total", "images", holding->images, "first",
			 holding->facts.first, "partial", holding->facts.partial, "seconds",
			 monotonic_seconds() - start);
	json_object_update(total, holding->counts);
	json_decref(holding->counts);
	gate_json(&holding->gate, total);
	if (holding->json) {
		ignore_list_print_json(stdout, &holding->ignore);
		json_line(stdout, total);
	} else {
		row_report_print(stdout, total);
		if (holding->facts.partial)
			printf("PARTIAL: the guest did not come to its end; what it did since is "
			       "missing\n");
		ignore_list_print_text(stderr, &holding->ignore);
		gate_print(&holding->gate, stdout);
		json_decref(total);
	}
	return gate_status(&holding->gate);
}

static void add_path(struct holding *holding, const char *path, bool named)
{
	struct error error;

	if (!image_list_add(&holding->list, path, &error))
		return;
	error_print(stderr, NULL, &error);
	gate_leave_image(&holding->gate, &error, named);
	cases_add(&holding->cases.cases, "executed", path, named ? CASE_ERROR : CASE_SKIPPED,
		  error.message);
}

/* The run's own images, below the root. */
static bool add_own(struct holding *holding)
{
	for (uint32_t i = 0; i < holding->facts.images; i++) {
		FREED char *path = NULL;

		if (asprintf(&path, "%s%s", holding->options.root, holding->facts.image[i].path) <
		    0) {
			path = NULL;
			return false;
		}
		add_path(holding, path, false);
	}
	return true;
}

static enum exit_status hold_paths(struct holding *holding)
{
	enum exit_status status = EXIT_ENVIRONMENT;
	bool is_written;

	cases_begin(&holding->cases, "executed");
	for (int i = 0; i < holding->path_count; i++)
		add_path(holding, holding->path[i], true);
	if (holding->path_count || add_own(holding)) {
		gate_leave_list(&holding->gate, &holding->list);
		is_written = image_list_is_written(&holding->list,
						   FILE_NAMES(CASES_FILES(holding->cases)));
		image_list_finish(&holding->list, 1);
		if (is_written) {
			holding->cases = (struct cases_options) { .cases = holding->cases.cases };
			status = EXIT_USAGE;
		} else if (holding->table_count && holding->list.count > 1) {
			fprintf(stderr,
				"stackproof executed: --table FILE is of one ELF file, and these "
				"are %zu\n",
				holding->list.count);
			status = EXIT_USAGE;
		} else {
			status = hold(holding);
		}
	}
	image_list_deinit(&holding->list);
	return cases_finish(&holding->cases, status);
}

/* The dumps of --table; the first that can't be read ends it. */
static enum exit_status hold_tables(struct holding *holding)
{
	FREED struct dumped_rows **dump = calloc(holding->table_count + 1, sizeof(*dump));
	FREED struct row_source *source = calloc(holding->table_count + 1, sizeof(*source));
	enum exit_status status = dump && source ? EXIT_OK : EXIT_ENVIRONMENT;
	struct error error;

	for (size_t i = 0; i < holding->table_count && status == EXIT_OK; i++) {
		if (dumped_rows_create(holding->table[i], holding->from, &dump[i], &error)) {
			error_print(stderr, holding->table[i], &error);
			status = EXIT_BAD_INPUT;
		} else {
			source[i] = dumped_rows_source(dump[i]);
		}
	}
	holding->options.source = source;
	holding->options.source_count = holding->table_count;
	if (status == EXIT_OK)
		status = hold_paths(holding);
	for (size_t i = 0; dump && i < holding->table_count; i++)
		dumped_rows_destroy(dump[i]);
	return status;
}

/* What the command line names, read. */
static enum exit_status open_inputs(struct holding *holding)
{
	struct error error;

	if (ignore_list_read_now(&holding->ignore, holding->ignore_path, &error))
		error_print(stderr, "--ignore", &error);
	else if (row_facts_read(holding->facts_path, &holding->facts, &error))
		error_print(stderr, holding->facts_path, &error);
	else
		return EXIT_OK;
	return error_is_want(&error) ? EXIT_ENVIRONMENT : EXIT_BAD_INPUT;
}

static bool writes_over_inputs(const struct holding *holding)
{
	return output_files_are_inputs(FILE_NAMES(CASES_FILES(holding->cases)),
				       FILE_NAMES(holding->facts_path, holding->ignore_path)) ||
	       output_files_are_inputs(FILE_NAMES(CASES_FILES(holding->cases)),
				       (const char *const *)holding->table, holding->table_count);
}

int command_executed(int argc, char **argv)
{
	static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 },
						      { &cases_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp argp = {
		option_list,
		parse_option,
		"FACTS [ELF|DIR...]",
		"Holds each row of ELF files' unwind tables that ran against where the caller's "
		"frame really was, by a file of `stackproof watch --rows'.",
		children,
		NULL,
		NULL,
	};
	struct holding holding = { .gate = { .unit = "rows", .covers_fdes = true },
				   .jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
				   .timeout_ms = 300000 };
	enum exit_status status = EXIT_USAGE;

	command_parse(&argp, argc, argv, 0, &holding, &holding.gate, &holding.cases);
	FREED char *root = holding.root ? realpath(holding.root, NULL) : strdup("");

	holding.options.root = root;
	holding.options.facts = &holding.facts;
	if (!root) {
		fprintf(stderr, "stackproof executed: --root %s: %s\n", PLAIN_TEXT(holding.root),
			strerror(errno));
		status = EXIT_BAD_INPUT;
	} else if (!writes_over_inputs(&holding)) {
		status = open_inputs(&holding);
		if (status == EXIT_OK)
			status = hold_tables(&holding);
	}
	row_facts_deinit(&holding.facts);
	ignore_list_deinit(&holding.ignore);
	free(holding.table);
	return status;
}
