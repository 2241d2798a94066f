/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint.c - `stackproof lint ELF|DIR...`: are the unwind tables right where nobody ran the code?
 *
 * Each function's code is followed without running it, and what it does to the stack is held against
 * its CFI at every instruction (lint/lint.h, docs/LINT.md). Directories stand for every ELF file
 * below them, archives for their members; images are done several at once, each in a process of
 * its own. With --executed and --confirm it is all held against a run; then no ELF file means the run's own.
 *
 * Exit status: 1 a finding of a wanted kind; else what gate/gate.h says of what was not proven.
 */
#include <argp.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cases/cases.h"
#include "array.h"
#include "base/cli/json_counts.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "clock.h"
#include "tables/diff/diff.h"
#include "judge/stepping/executed_options.h"
#include "reports/findings/findings.h"
#include "base/gate/gate.h"
#include "base/ignore/ignore.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/images/image_objects.h"
#include "analysis/lint/lint.h"
#include "analysis/lint/lint_table.h"

#define FEW_IMAGES 20 /* each gets a line */

struct linting {
	struct lint_options options;
	bool json, verbose;
	const char *baseline_path, *ignore_path;
	unsigned int jobs, timeout_ms, every;
	char **path;
	int path_count;
	enum lint_id explain;
	char **table; /* of --table: paths */
	size_t table_count;
	const char *from; /* what they hold; NULL: their first lines tell */
	uint64_t images;
	json_t *counts;
	struct baseline *baseline;  /* NULL: none is asked for */
	struct finding_set pending; /* findings of the image that is read */
	size_t said;		    /* of pending, once more: struct image_objects */
	json_t *gone;		    /* what the image has no more; or NULL */
	json_t *image;		    /* its last word, while they are */
	struct ignore_list ignore;
	uint64_t ignored;	 /* findings of the image that is read */
	struct lint_files files; /* that have no CFI */
	struct image_list list;
	struct gate gate;
	struct cases_options cases;
	struct findings_run run;
	json_t *total; /* NULL: it came to none */
	struct executed_wish wish;
	struct executed executed;
};

enum { KEY_EXPLAIN = 0x100, KEY_ONLY, KEY_TABLE, KEY_FROM, KEY_COVERAGE };

static const struct argp_option option_list[] = {
	{ "function", 'f', "NAME", 0, "findings in these functions only (a pattern of the shell)",
	  0 },
	{ "only", KEY_ONLY, "ID,...", OPTION_AGAIN, "findings with these ids only (SP001,...)", 0 },
	{ "explain", KEY_EXPLAIN, "ID", 0, "say what a finding means, and end", 0 },
	{ "baseline", INTO_TEXT(linting, baseline_path), "FILE", 0,
	  "only findings fail that FILE, an earlier output of --json, doesn't have", 0 },
	{ "ignore", INTO_TEXT(linting, ignore_path), "FILE", 0,
	  "findings that don't fail: lines of image, function, id, until and reason, tabs between",
	  0 },
	{ "table", KEY_TABLE, "compact|sframe|FILE", OPTION_AGAIN,
	  "hold another table against the code, too: the compact one, SFrame, or what another tool "
	  "printed",
	  0 },
	{ "from", KEY_FROM, "NAME", 0, "what FILE holds: readelf, parca, parca-rows or otel", 0 },
	{ "coverage", KEY_COVERAGE, "PERCENT", 0,
	  "an image of whose FDEs a smaller share is proven fails", 0 },
	{ "unproven", INTO_FLAG(linting, options.unproven), NULL, 0,
	  "say which FDEs are unproven, and why", 0 },
	{ "jobs", 'j', "N", 0, "images at once (as many as there are CPUs)", 0 },
	{ "timeout", INTO_SECONDS(linting, timeout_ms), "SECONDS", 0, "for one image (300)", 0 },
	{ "every", INTO_COUNT(linting, every), "N", 0,
	  "only every N-th image of those found in directories", 0 },
	{ "verbose", INTO_FLAG(linting, verbose), NULL, 0,
	  "name each function without CFI of a file that has many, not only how many", 0 },
	{ "json", INTO_FLAG(linting, json), NULL, 0,
	  "one JSON object per finding and image, and a total", 0 },
	{ 0 },
};

static void add_table(struct argp_state *state, char *argument, struct linting *linting)
{
	if (!strcmp(argument, ROWS_COMPACT)) {
		linting->options.compact = true;
		return;
	}
	if (!strcmp(argument, ROWS_SFRAME)) {
		linting->options.sframe = true;
		return;
	}
	for (size_t i = 0; i < linting->table_count; i++)
		if (!strcmp(linting->table[i], argument))
			argp_error(state, "--table %s is given twice", argument);
	if (!ARRAY_ADD(linting->table, linting->table_count,
		       option_text(state, argument, "--table")))
		argp_failure(state, EXIT_ENVIRONMENT, 0, "no memory");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct linting *linting = state->input;

	switch (key) {
	case 'f': linting->options.function = argument; break;
	case KEY_ONLY: findings_only(state, argument, &linting->options.only); break;
	case KEY_EXPLAIN: linting->explain = findings_id(state, argument); break;
	case KEY_TABLE: add_table(state, argument, linting); break;
	case KEY_FROM:
		if (!diff_dialect_find(argument))
			argp_error(state, "unknown kind of table '%s'", argument);
		linting->from = argument;
		break;
	case 'j':
		linting->jobs = option_between(state, argument, "--jobs", 1, IMAGE_POOL_JOBS_MAX);
		break;
	case KEY_COVERAGE:
		linting->gate.coverage = option_percent(state, argument, "--coverage");
		break;
	case ARGP_KEY_ARGS:
		linting->path = state->argv + state->next;
		linting->path_count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		if (!linting->explain && !executed_is_wanted(&linting->wish))
			argp_error(state, "no ELF file and no directory");
		break;
	case ARGP_KEY_SUCCESS:
		if (linting->from && !linting->table_count)
			argp_error(state, "--from says what a file of --table is: there is none");
		break;
	default: return option_into(key, argument, state, option_list);
	}
	return 0;
}

/* All, if there is no baseline, but those that are ignored. */
static uint64_t new_findings(const json_t *image)
{
	return json_number(image, json_object_get(image, "new_findings") ? "new_findings"
									 : "wanted_findings") -
	       json_number(image, "ignored_findings");
}

/* Of the image's findings those that fail nothing though they are new; a known one is known. */
static void count_ignored(struct linting *linting, json_t *image)
{
	uint64_t ignored = linting->ignored;

	linting->ignored = 0;
	if (!linting->ignore.path || !json_object_get(image, "wanted_findings"))
		return;
	for (size_t i = 0; linting->baseline && i < linting->pending.count; i++)
		ignored += linting->pending.held[i].finding.ignored &&
			   !linting->pending.held[i].finding.known;
	json_object_set_new(image, "ignored_findings", json_integer((json_int_t)ignored));
	gate_leave(&linting->gate, GATE_IGNORED_FINDINGS, ignored);
}

/* Of --table: the instructions of each, which are judged one by one. */
static void count_tables(struct gate *gate, const json_t *image)
{
	const char *name;
	json_t *table;

	json_object_foreach(json_object_get(image, "tables"), name, table)
		gate_leave(gate, GATE_NO_TABLE_ROW, json_number(table, "missing"));
}

/* Of all tables; 0 if there is one of which nothing was. */
static uint64_t checked_of_tables(const json_t *tables)
{
	uint64_t sum = 0;
	const char *name;
	json_t *table;

	json_object_foreach((json_t *)tables, name, table)
	{
		uint64_t checked = json_number(table, "proven") + json_number(table, "mismatch");

		if (!checked)
			return 0;
		sum += checked;
	}
	return sum;
}

static bool has_tables(const struct linting *linting)
{
	return linting->options.compact || linting->options.sframe || linting->table_count;
}

/* "proven" and the like; with --function those that it names. */
static uint64_t fdes_of(const struct linting *linting, const json_t *image, const char *all,
			const char *wanted)
{
	return json_number(image, linting->options.function ? wanted : all);
}

static bool is_of_run(const json_t *image, enum executed_identity identity)
{
	return !strcmp(json_text(json_object_get(image, "executed"), "identity"),
		       executed_identity_name(identity));
}

/* What is to be held against a run of which nothing is known has not been. */
static bool lacks_run(const json_t *image)
{
	return is_of_run(image, EXECUTED_CHANGED) || is_of_run(image, EXECUTED_PATH) ||
	       is_of_run(image, EXECUTED_NOT_LOADED);
}

/* Of those that are unproven: what lies in no executable segment is a reason of its own. */
static uint64_t unfollowed(const struct linting *linting, const json_t *image, uint64_t unproven)
{
	uint64_t outside = json_number(json_object_get(image, "lost_fdes_by_reason"), "outside");

	if (linting->options.function) /* of those that it names nobody knows */
		return unproven;
	return unproven > outside ? unproven - outside : 0;
}

static void count_image(struct linting *linting, const struct image_path *path, json_t *image)
{
	const char *status = json_text(image, "status"), *code = json_text(image, "code");
	uint64_t fdes = fdes_of(linting, image, "fdes", "wanted_fdes");
	uint64_t unproven = fdes_of(linting, image, "unproven", "wanted_unproven");
	bool lto = json_object_get(image, "lto") != NULL;
	struct gate *gate = &linting->gate;

	linting->images++;
	count_ignored(linting, image);
	if (!strcmp(status, "unread"))
		gate_leave_image_named(gate, code, gate_is_named(path, code));
	if (!strcmp(status, "failed"))
		gate_leave_failed(gate, code);
	gate_leave(gate, GATE_UNCHECKED, !strcmp(status, "not_linked"));
	gate_leave(gate, GATE_LTO, lto);
	gate_leave(gate, GATE_NO_CFI, !strcmp(status, "no_cfi") && !lto);
	gate->findings += new_findings(image);
	/* A proof that a run contradicts. A finding that it contradicts is one. */
	gate->findings += json_number(json_object_get(image, "stepped"), "contradicted");
	gate_leave(gate, GATE_OTHER_BUILD, is_of_run(image, EXECUTED_CHANGED));
	gate_leave(gate, GATE_UNPROVEN_BUILD, is_of_run(image, EXECUTED_PATH));
	gate_leave(gate, GATE_NOT_LOADED, is_of_run(image, EXECUTED_NOT_LOADED));
	if (has_tables(linting))
		count_tables(gate, image);
	else if (!lacks_run(image))
		gate->checked += fdes - unproven;
	gate_leave(gate, GATE_NO_FDE,
		   linting->options.function && !strcmp(status, "linted") &&
			   !json_count(image, "wanted_fdes"));
	gate_leave(gate, GATE_UNPROVEN_FDES, unfollowed(linting, image, unproven));
	gate_add_image(gate, image, path->named);
	if (gate_is_below(gate, fdes_of(linting, image, "proven", "wanted_proven"),
			  strcmp(status, "no_cfi") ? fdes : json_number(image, "executable_bytes")))
		json_object_set_new(image, "below_coverage", json_true());
	json_counts_add(linting->counts, image);
}

static void add_case(struct linting *linting, const struct image_path *path, const json_t *image)
{
	const char *status = json_text(image, "status"), *message = json_text(image, "message");
	enum case_status outcome = CASE_PASSED;

	if (new_findings(image)) {
		outcome = CASE_FAILED;
		message = strcmp(status, "no_cfi") ? "findings: the CFI is not what the code does"
						   : "findings: functions that no FDE covers";
	} else if (json_number(json_object_get(image, "stepped"), "contradicted")) {
		outcome = CASE_FAILED;
		message = "a proof is not what ran";
	} else if (json_object_get(image, "below_coverage")) {
		outcome = CASE_FAILED;
		message = "fewer of its FDEs are proven than --coverage wants";
	} else if (!strcmp(status, "failed")) {
		outcome = CASE_ERROR;
	} else if (!strcmp(status, "unread")) {
		outcome = gate_is_named(path, json_text(image, "code")) ? CASE_ERROR : CASE_SKIPPED;
	} else if (fdes_of(linting, image, "fdes", "wanted_fdes") ==
		   fdes_of(linting, image, "unproven", "wanted_unproven")) {
		outcome = CASE_SKIPPED;
		message = message[0] ? message : "nothing was checked";
	} else if (lacks_run(image)) {
		outcome = CASE_SKIPPED;
		message = executed_identity_title(
			json_text(json_object_get(image, "executed"), "identity"));
	}
	struct judged_case *judged = cases_add(&linting->cases.cases, "lint",
					       json_text(image, "image"), outcome, message);
	judged->seconds = json_number_value(json_object_get(image, "seconds"));
	findings_case_lines(judged, &linting->pending);
}

static bool is_finding(const json_t *object)
{
	return !strcmp(json_text(object, "type"), "lint_finding");
}

static bool wants_colour(void)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && (!no_color || !no_color[0]);
}

/* Of many images those in which something is wrong. Of files without CFI the line of their functions says all. */
static bool says_image(const struct linting *linting, const json_t *image)
{
	bool is_wrong = json_count(image, "wanted_findings");

	if (is_wrong && linting->list.count > 1 && !linting->verbose && !linting->baseline &&
	    !strcmp(json_text(image, "status"), "no_cfi"))
		is_wrong = false;
	else if (linting->list.count <= FEW_IMAGES)
		return true;
	return is_wrong || json_object_get(image, "below_coverage") ||
	       !strcmp(json_text(image, "status"), "failed");
}

static void print_object(const struct linting *linting, const struct finding_record *finding)
{
	const json_t *object = finding->object;
	bool is_image = json_object_get(object, "status") != NULL;

	if (linting->json) {
		json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
		putchar('\n');
	} else if (is_image ? says_image(linting, object)
			    : !is_finding(object) || !finding->known) { /* else it is counted */
		lint_text_print(stdout, finding, wants_colour());
	}
}

/* The baseline's findings that this run asks for, too. */
static bool is_wanted(const void *context, const struct finding_record *finding)
{
	const struct lint_options *options = context;

	return options->only & 1u << lint_id_find(finding->id) &&
	       (!options->function ||
		(finding->function[0] && !fnmatch(options->function, finding->function, 0)));
}

/* Whatever it is. */
static void say_object(struct linting *linting, const struct image_path *path, json_t *object)
{
	const struct finding_record finding = finding_record_read(object);

	if (!lint_files_take(&linting->files, path, &finding))
		print_object(linting, &finding);
	if (is_finding(object) || !strcmp(finding.type, "lint_gone") ||
	    json_object_get(object, "status"))
		findings_keep(&linting->run, object);
}

static void say_image(struct linting *linting, const struct image_path *path, json_t *image)
{
	if (lint_files_end_image(&linting->files, path, image, stdout) && !linting->baseline)
		findings_keep(&linting->run, image);
	else
		say_object(linting, path, image);
	finding_set_deinit(&linting->pending);
	linting->said = 0;
}

/* All of them are needed for a baseline; else some, for the image's case. */
static void keep_finding(struct linting *linting, json_t *object)
{
	struct finding_record finding = finding_record_read(object);

	finding.ignored = ignore_list_match(&linting->ignore, &finding);
	if (finding.ignored)
		json_object_set_new(object, "ignored", json_bytes(finding.ignored));
	linting->ignored += finding.ignored && !linting->baseline;
	if (linting->baseline ||
	    (!finding.ignored && linting->pending.count <= FINDINGS_CASE_LINES))
		finding_set_copy(&linting->pending, &finding, finding_key(&finding));
}

static void take_object(void *context, const struct image_path *path, json_t *object)
{
	struct linting *linting = context;

	if (!json_object_get(object, "status")) {
		if (is_finding(object))
			keep_finding(linting, object);
		if (!linting->baseline)
			say_object(linting, path, object);
		return;
	}
	if (linting->baseline)
		linting->gone = baseline_hold(linting->baseline, object, &linting->pending,
					      is_wanted, &linting->options);
	count_image(linting, path, object);
	add_case(linting, path, object);
	if (linting->baseline)
		linting->image = json_incref(object);
	else
		say_image(linting, path, object);
}

/* What is gone stands behind the findings. */
static void say_gone(struct linting *linting, const struct image_path *path)
{
	json_t *gone;
	size_t i;

	json_array_foreach(linting->gone, i, gone) say_object(linting, path, gone);
	json_decref(linting->gone);
	linting->gone = NULL;
}

/* With a baseline: now it is known which of them are known. */
static void take_again(void *context, const struct image_path *path, json_t *object)
{
	struct linting *linting = context;

	if (object && is_finding(object)) {
		const struct finding_record *pending =
			&linting->pending.held[linting->said++].finding;

		json_object_set_new(object, "known", json_boolean(pending->known));
		if (pending->ignored)
			json_object_set_new(object, "ignored", json_bytes(pending->ignored));
		say_object(linting, path, object);
		return;
	}
	say_gone(linting, path);
	if (object) {
		say_object(linting, path, object);
		return;
	}
	say_image(linting, path, linting->image);
	json_decref(linting->image);
	linting->image = NULL;
}

static void image_work(void *context, const struct image_path *path, FILE *output)
{
	const struct linting *linting = context;

	lint_file(&linting->options, path, output);
}

static void say_progress(void *context, char *text, size_t size)
{
	const struct linting *linting = context;

	snprintf(text, size, "%llu of %zu images, %llu findings",
		 (unsigned long long)linting->images, linting->list.count,
		 (unsigned long long)linting->gate.findings);
}

static json_t *make_total(const struct linting *linting, double seconds)
{
	json_t *total = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:{}, s:f}", "type", "lint_total",
				  "images", (json_int_t)linting->images, "fdes", (json_int_t)0,
				  "proven", (json_int_t)0, "unproven", (json_int_t)0, "mismatch",
				  (json_int_t)0, "unproven_reasons", "seconds", seconds);

	json_object_update(total, linting->counts);
	if (linting->baseline)
		json_object_set_new(total, "baseline", baseline_json(linting->baseline));
	if (linting->options.executed)
		json_object_set_new(total, "run", executed_json(&linting->executed));
	gate_json(&linting->gate, total);
	return total;
}

static void print_total(struct linting *linting, double seconds)
{
	linting->total = make_total(linting, seconds);
	const struct finding_record total = finding_record_read(linting->total);

	lint_files_end(&linting->files, stdout);
	if (linting->json) {
		ignore_list_print_json(stdout, &linting->ignore);
		json_line(stdout, json_incref(linting->total));
		return;
	}
	lint_text_print(stdout, &total, false);
	if (linting->options.executed)
		executed_print(stdout, &linting->executed);
	if (linting->baseline)
		baseline_print(linting->baseline, linting->counts, stdout);
	/* Of some ids or functions it is not known what the others match. */
	if (linting->options.only == FINDINGS_ALL && !linting->options.function)
		ignore_list_print_text(stderr, &linting->ignore);
	else
		ignore_list_print_expired(stderr, &linting->ignore);
	gate_print(&linting->gate, stdout);
}

static enum exit_status lint(struct linting *linting)
{
	const struct image_objects objects = {
		.type = "lint",
		.jobs = linting->jobs,
		.timeout_ms = linting->timeout_ms,
		.work = image_work,
		.take = take_object,
		.again = linting->baseline ? take_again : NULL,
		.say = say_progress,
		.context = linting,
	};
	double start = monotonic_seconds();
	struct error error;

	if (image_objects_run(&objects, &linting->list, &error)) {
		error_print(stderr, "lint", &error);
		findings_problem(&linting->run, error.message);
		return EXIT_ENVIRONMENT;
	}
	if (has_tables(linting)) {
		linting->gate.unit = "instructions";
		gate_check(&linting->gate,
			   checked_of_tables(json_object_get(linting->counts, "tables")));
	}
	print_total(linting, monotonic_seconds() - start);
	return gate_status(&linting->gate);
}

/* What an option names can't be read. */
static enum exit_status refuse(struct linting *linting, const char *option, const char *path,
			       const struct error *error)
{
	error_print(stderr, option, error);
	findings_problem(&linting->run, error->message);
	cases_add(&linting->cases.cases, "lint", path, CASE_ERROR, error->message);
	return error->code == ERROR_MEMORY ? EXIT_ENVIRONMENT : EXIT_BAD_INPUT;
}

static enum exit_status lint_list(struct linting *linting)
{
	struct error error;

	if (ignore_list_read_now(&linting->ignore, linting->ignore_path, &error))
		return refuse(linting, "--ignore", linting->ignore_path, &error);
	if (!linting->baseline_path)
		return lint(linting);
	if (baseline_open(linting->baseline_path, &linting->list, &linting->baseline, &error))
		return refuse(linting, "--baseline", linting->baseline_path, &error);
	gate_leave(&linting->gate, GATE_BASELINE_ONLY, baseline_left(linting->baseline));
	return lint(linting);
}

static void add_path(struct linting *linting, const char *path)
{
	struct error error;

	if (!image_list_add(&linting->list, path, &error))
		return;
	error_print(stderr, NULL, &error);
	gate_leave_image(&linting->gate, &error, true);
	cases_add(&linting->cases.cases, "lint", path, CASE_ERROR, error.message);
	findings_problem(&linting->run, error.message);
}

#define LINT_OUTPUTS(linting)                                                                      \
	FILE_NAMES(CASES_FILES((linting)->cases), (linting)->run.sarif, (linting)->run.page)

/* What is no image; of those the list knows more. */
static bool writes_over_inputs(const struct linting *linting)
{
	return output_files_are_inputs(LINT_OUTPUTS(linting),
				       FILE_NAMES(linting->baseline_path, linting->ignore_path,
						  linting->wish.truth, linting->wish.results)) ||
	       output_files_are_inputs(LINT_OUTPUTS(linting), (const char *const *)linting->table,
				       linting->table_count);
}

static enum exit_status lint_paths(struct linting *linting)
{
	enum exit_status status;
	const char *path;
	bool is_written;
	size_t at = 0;

	linting->counts = json_object();
	cases_begin(&linting->cases, "lint");
	for (int i = 0; i < linting->path_count; i++)
		add_path(linting, linting->path[i]);
	while (!linting->path_count && (path = executed_next_file(&linting->executed, &at)))
		add_path(linting, path);
	gate_leave_list(&linting->gate, &linting->list);
	is_written = image_list_is_written(&linting->list, LINT_OUTPUTS(linting));
	image_list_finish(&linting->list, linting->every);
	if (is_written) {
		linting->cases = (struct cases_options) { .cases = linting->cases.cases };
		linting->run.sarif = linting->run.page = NULL;
		status = EXIT_USAGE;
	} else if (linting->table_count && linting->list.count > 1) {
		fprintf(stderr,
			"stackproof lint: --table FILE is of one ELF file, and these are %zu\n",
			linting->list.count);
		status = EXIT_USAGE;
	} else {
		status = lint_list(linting);
	}
	image_list_deinit(&linting->list);
	baseline_destroy(linting->baseline);
	ignore_list_deinit(&linting->ignore);
	json_decref(linting->counts);
	finding_set_deinit(&linting->pending);
	lint_files_end(&linting->files, NULL);
	status = findings_open(&linting->run, status);
	status = cases_finish(&linting->cases, status);
	status = findings_finish(&linting->run, linting->total, status);
	json_decref(linting->total);
	return status;
}

/* The dumps of --table; the first that can't be read ends it. */
static enum exit_status lint_tables(struct linting *linting)
{
	FREED struct dumped_rows **dump = calloc(linting->table_count + 1, sizeof(*dump));
	FREED struct row_source *source = calloc(linting->table_count + 1, sizeof(*source));
	enum exit_status status = dump && source ? EXIT_OK : EXIT_ENVIRONMENT;
	struct error error;

	for (size_t i = 0; i < linting->table_count && status == EXIT_OK; i++) {
		if (dumped_rows_create(linting->table[i], linting->from, &dump[i], &error)) {
			error_print(stderr, linting->table[i], &error);
			status = EXIT_BAD_INPUT;
		} else {
			source[i] = dumped_rows_source(dump[i]);
		}
	}
	linting->options.source = source;
	linting->options.source_count = linting->table_count;
	if (status == EXIT_OK)
		status = lint_paths(linting);
	for (size_t i = 0; dump && i < linting->table_count; i++)
		dumped_rows_destroy(dump[i]);
	free(linting->table);
	return status;
}

static enum exit_status lint_with_run(struct linting *linting)
{
	enum exit_status status = executed_open(&linting->wish, &linting->executed, &linting->gate);

	if (executed_is_wanted(&linting->wish))
		linting->options.executed = &linting->executed;
	if (status == EXIT_OK)
		status = lint_tables(linting);
	executed_deinit(&linting->executed);
	return status;
}

int command_lint(int argc, char **argv)
{
	static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 },
						      { &cases_argp, 0, NULL, 0 },
						      { &findings_argp, 0, NULL, 0 },
						      { &executed_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp argp = {
		option_list,
		parse_option,
		"ELF|ARCHIVE|DEB|DIR...\n--executed=TRUTH [ELF|ARCHIVE|DIR...]\n"
		"--confirm [ELF|ARCHIVE|DIR...] -- PROGRAM [ARGUMENT...]",
		"Follows the code of ELF files without running it, and says where their call "
		"frame information is not what the code does to the stack.",
		children,
		NULL,
		NULL,
	};
	struct linting linting = { .gate = { .unit = "FDEs", .covers_fdes = true },
				   .options = { .only = FINDINGS_ALL },
				   .jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
				   .timeout_ms = 300000,
				   .every = 1 };

	executed_wish_init(&linting.wish, &argc, argv);
	command_parse(&argp, argc, argv, 0, &linting, &linting.gate, &linting.cases, &linting.run,
		      &linting.wish);
	if (linting.explain) {
		printf("%s: %s\n\n%s", lint_ids[linting.explain].name,
		       lint_ids[linting.explain].title, lint_ids[linting.explain].text);
		return EXIT_OK;
	}
	linting.files = (struct lint_files) { .json = linting.json,
					      .each = linting.verbose,
					      .colour = wants_colour() };
	if (!writes_over_inputs(&linting))
		return lint_with_run(&linting);
	free(linting.table);
	return EXIT_USAGE;
}
