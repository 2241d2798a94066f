/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * report.c - `stackproof report DIR`: a results folder as text, TAP, JUnit or a page
 *
 * The exit status is the run's own (0, 1, 77, 99), so that a report can stand in for the run in a
 * CI job; 3 if the folder can't be read or has lines that can't. To add a format, write one file in
 * report/ and add a line to the table below.
 *
 * With --toolchains the same folder is seen by toolchain: toolchains/toolchains.h. Its exit status says
 * whether a toolchain has a table fault that the corpus does not expect. Two folders are seen so
 * side by side.
 */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "array.h"
#include "base/child/child.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "corpus/toolchains/report_toolchains.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/ignore/ignore.h"
#include "reports/report/results.h"
#include "guests/run/run.h"
#include "plain_text.h"

#define WIDTH_DEFAULT 100 /* columns, where there is no terminal */
#define WIDTH_LEAST   40

struct arguments;

static bool wants_colour(FILE *file)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(fileno(file)) && (!no_color || !no_color[0]);
}

static int print_text(const struct results *results, const char *folder, FILE *file,
		      struct error *error)
{
	struct gate gate;

	terminal_print(results, folder, wants_colour(file), file);
	results_gate(results, &gate);
	if (!gate_is_clean(&gate))
		gate_print(&gate, file);
	return 0;
}

static int print_tap(const struct results *results, const char *folder, FILE *file,
		     struct error *error)
{
	tap_print(results, file);
	return 0;
}

static int print_html(const struct results *results, const char *folder, FILE *file,
		      struct error *error)
{
	matrix_html_print(results, file);
	return 0;
}

static int print_ranking(const struct results *results, const char *folder, FILE *file,
			 struct error *error)
{
	ranking_print(results, file);
	return 0;
}

static int print_json(const struct results *results, const char *folder, FILE *file,
		      struct error *error)
{
	return results_print(results, file) ? error_set_errno(error, "can't write") : 0;
}

static const struct format {
	const char *name;
	int (*print)(const struct results *results, const char *folder, FILE *file,
		     struct error *error);
} formats[] = {
	{ "text", print_text }, { "tap", print_tap },	{ "junit", junit_print },
	{ "html", print_html }, { "json", print_json }, { "ranking", print_ranking },
};

struct arguments {
	const struct format *format;
	const char *folder;
	const char *html;		   /* file for the page; NULL: none */
	const char *other;		   /* a second folder, or NULL */
	const char *corpus, *other_corpus; /* NULL: not named */
	char *own_folder, *own_other;	   /* what folder and other are then */
	const char *ignore;		   /* a file; NULL: none */
	bool toolchains;
	bool verbose;
	struct gate gate;
};

enum { OPTION_CORPUS = 256, OPTION_HTML, OPTION_RANKING };

static const struct argp_option options[] = {
	{ "format", 'f', "FORMAT", 0, "text (the default), tap, junit, html or json", 0 },
	{ "json", 'j', NULL, 0, "the same as --format json", 0 },
	{ "html", OPTION_HTML, "FILE", 0, "a page, in one file that needs no other (- : stdout)",
	  0 },
	{ "ignore", INTO_TEXT(arguments, ignore), "FILE", 0,
	  "findings that fail no program: a line each, as `compare --ignore` takes them", 0 },
	{ "ranking", OPTION_RANKING, NULL, 0,
	  "which engine did best, by kernel, over all, and by program", 0 },
	{ "toolchains", INTO_FLAG(arguments, toolchains), NULL, 0,
	  "by toolchain: which versions have which table faults, and what changed in their tables",
	  0 },
	{ "corpus", OPTION_CORPUS, "DIR", OPTION_AGAIN,
	  "with --toolchains: the binaries that were run, with their manifest.tsv (corpus beside "
	  "this "
	  "program, or beside DIR); of two folders once for each",
	  0 },
	{ "verbose", 'v', NULL, 0, "with --toolchains: all that changed, and every finding", 0 },
	{ 0 },
};

static const struct format *find_format(const char *name)
{
	return ARRAY_FIRST(formats, ARRAY_COUNT(formats), format, !strcmp(format->name, name));
}

/* What makes no sense together. */
static void check(const struct arguments *arguments, struct argp_state *state)
{
	const char *format = arguments->format->name;

	if (!arguments->folder)
		argp_error(state, "which results folder?");
	if (arguments->other_corpus && !arguments->other)
		argp_error(state, "one --corpus for one folder");
	if (arguments->other && !arguments->other_corpus && arguments->corpus)
		argp_error(state, "--corpus for both folders, or for none");
	if (arguments->html && strcmp(format, "html") != 0)
		argp_error(state, "one format at a time");
	if (arguments->toolchains &&
	    (!strcmp(format, "tap") || !strcmp(format, "junit") || !strcmp(format, "ranking")))
		argp_error(state, "the toolchain report is text, json or html");
	if (!arguments->toolchains && (arguments->corpus || arguments->verbose))
		argp_error(state, "--corpus and --verbose are of --toolchains");
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	const struct format *format;

	switch (key) {
	case 'f':
		format = find_format(value);
		if (!format)
			argp_error(state, "no format \"%s\": text, tap, junit, html or json",
				   value);
		arguments->format = format;
		return 0;
	case 'j': arguments->format = find_format("json"); return 0;
	case OPTION_HTML:
		arguments->format = find_format("html");
		arguments->html = option_text(state, value, "--html");
		return 0;
	case OPTION_RANKING: arguments->format = find_format("ranking"); return 0;
	case OPTION_CORPUS:
		*(arguments->corpus ? &arguments->other_corpus
				    : &arguments->corpus) = option_text(state, value, "--corpus");
		return 0;
	case 'v': arguments->verbose = true; return 0;
	case ARGP_KEY_ARG:
		if (arguments->other)
			argp_error(state, "two folders at most");
		*(arguments->folder ? &arguments->other : &arguments->folder) = value;
		arguments->toolchains |= arguments->other != NULL;
		return 0;
	case ARGP_KEY_END: check(arguments, state); return 0;
	default: return option_into(key, value, state, options);
	}
}

static const struct argp_child children[] = { { &gate_argp, 0, NULL, 0 }, { 0 } };

static const struct argp parser = {
	.children = children,
	.options = options,
	.parser = parse_option,
	.args_doc = "DIR\nDIR DIR",
	.doc = "Prints the results folder DIR, as `stackproof run` wrote it. Of two, for example "
	       "of "
	       "two compilers (stackproof corpus), the toolchains side by side.\v"
	       "Exit status: that of the run; 3 if DIR can't be read. With --toolchains: 0, or 1 "
	       "if a "
	       "table fault is there that the corpus does not expect, 77 if nothing was judged, "
	       "or nothing of one of two, 99 if a run was cut short.",
};

/* ---- by toolchain ------------------------------------------------------------------------ */

static bool is_corpus(const char *folder)
{
	char manifest[PATH_MAX + 64];

	snprintf(manifest, sizeof(manifest), "%s/manifest.tsv", folder);
	return !access(manifest, R_OK);
}

/* That of `stackproof corpus`, beside the results; else the one beside this program. NULL: neither. */
static const char *default_corpus(const char *results, char *ret, size_t size)
{
	struct error error;

	snprintf(ret, size, "%s/../corpus-own", results);
	if (is_corpus(ret))
		return ret;
	child_beside("corpus", ret, size, &error);
	return is_corpus(ret) ? ret : NULL;
}

static unsigned int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned int width = WIDTH_DEFAULT;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		width = size.ws_col;
	else if (columns && strspn(columns, "0123456789") == strlen(columns) &&
		 strtoul(columns, NULL, 10) && strtoul(columns, NULL, 10) < 10000)
		width = strtoul(columns, NULL, 10);
	return width < WIDTH_LEAST ? WIDTH_LEAST : width;
}

static int toolchains_write(const struct toolchains *model, const struct arguments *arguments,
			    FILE *file)
{
	struct toolchains_style style = { .colour = wants_colour(file),
					  .verbose = arguments->verbose,
					  .width = terminal_width() };

	if (!strcmp(arguments->format->name, "json"))
		return toolchains_print_json(model, file);
	if (!strcmp(arguments->format->name, "html"))
		return toolchains_print_html(model, file);
	toolchains_print(model, &style, file);
	return 0;
}

static void gate_toolchain(struct gate *gate, const struct toolchain *toolchain)
{
	gate->checked += toolchain->binaries;
	gate_leave(gate, GATE_SKIPPED, toolchain->skipped);
	gate_leave(gate, GATE_CUT_SHORT, toolchain->broken);
}

static enum exit_status toolchains_status(const struct toolchains *model,
					  const struct results *results,
					  const struct arguments *arguments)
{
	struct gate gate = arguments->gate;
	enum exit_status status;
	bool both;

	gate.unit = "binaries";
	gate.environment |= arguments->other && !results->finished;
	both = !arguments->other || results_sides_tell(results, &gate, stderr);
	for (size_t i = 0; i < model->count; i++)
		gate_toolchain(&gate, &model->toolchain[i]);
	for (size_t i = 0; i < model->fault_count; i++)
		gate.findings += !model->fault[i].expected;
	if (!gate_is_clean(&gate))
		gate_print(&gate, stderr);
	status = gate_status(&gate);
	/* A side of which nothing is known is not compared: that is no success, and takes nothing back. */
	return !both && status == EXIT_OK ? EXIT_SKIPPED : status;
}

static int report_toolchains(struct results *results, const struct arguments *arguments, FILE *file,
			     struct error *error)
{
	char own[PATH_MAX + 32], others[PATH_MAX + 32];
	const char *corpus = arguments->corpus, *other = arguments->other_corpus;
	struct toolchain_report report;
	int status = EXIT_BAD_INPUT;

	if (!corpus)
		corpus = default_corpus(arguments->folder, own, sizeof(own));
	if (!arguments->other)
		other = NULL;
	else if (!other)
		other = default_corpus(arguments->other, others, sizeof(others));
	if (arguments->other && !other)
		corpus = NULL;
	if (!corpus)
		fprintf(stderr,
			"stackproof report: no corpus beside this program: no tables are read, "
			"and nothing is known to be expected; see --corpus\n");
	if (toolchain_report_read(&report, results, corpus, other, error)) {
		error_print(stderr, "stackproof report", error);
	} else if (toolchains_write(&report.model, arguments, file) || fflush(file) ||
		   ferror(file)) {
		error_set_errno(error, "can't write");
		error_print(stderr, "stackproof report", error);
		status = EXIT_ENVIRONMENT;
	} else {
		status = toolchains_status(&report.model, results, arguments);
	}
	toolchain_report_deinit(&report);
	return status;
}

/* ---- the command ------------------------------------------------------------------------- */

static int report_results(struct results *results, const struct arguments *arguments, FILE *file,
			  struct error *error)
{
	if (arguments->toolchains)
		return report_toolchains(results, arguments, file, error);
	if (arguments->format->print(results, arguments->folder, file, error) || fflush(file) ||
	    ferror(file)) {
		if (!error->code)
			error_set_errno(error, "not all of it could be written");
		error_print(stderr, "stackproof report", error);
		return EXIT_ENVIRONMENT;
	}
	return results_exit_status(results);
}

/* stdout, or the file of --html. */
static int open_output(const struct arguments *arguments, struct output_file *ret,
		       struct error *error)
{
	*ret = (struct output_file) { .file = stdout };
	if (!arguments->html || !strcmp(arguments->html, "-"))
		return 0;
	return output_file_open(arguments->html, ret, error);
}

/* Of `stackproof corpus -o FOLDER` the results are in it. */
static char *results_folder(const char *folder)
{
	char *inside;

	if (asprintf(&inside, "%s/results/" RESULTS_FILE, folder) < 0)
		return NULL;
	if (access(inside, R_OK)) {
		free(inside);
		return strdup(folder);
	}
	*strrchr(inside, '/') = '\0';
	return inside;
}

/* One run, or two as one. The folders' names become those of the results. */
static int read_results(struct arguments *arguments, struct results *ret, struct error *error)
{
	struct results other;
	int result;

	arguments->folder = arguments->own_folder = results_folder(arguments->folder);
	if (!arguments->folder)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
	result = results_read(ret, arguments->folder, error);
	if (result || !arguments->other)
		return result;
	arguments->other = arguments->own_other = results_folder(arguments->other);
	if (!arguments->other)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
	result = results_read(&other, arguments->other, error);
	if (!result)
		results_join(ret, &other);
	results_deinit(&other);
	return result;
}

static bool writes_over_inputs(const struct arguments *arguments)
{
	return output_files_are_inputs(FILE_NAMES(arguments->html),
				       FILE_NAMES(arguments->ignore)) ||
	       results_are_written(FILE_NAMES(arguments->html), arguments->folder) ||
	       results_are_written(FILE_NAMES(arguments->html), arguments->other);
}

int command_report(int argc, char **argv)
{
	struct arguments arguments = { .format = &formats[0] };
	struct ignore_list ignore = { 0 };
	struct results results;
	struct output_file output;
	struct error error = { 0 };
	int status = EXIT_BAD_INPUT;

	command_parse(&parser, argc, argv, 0, &arguments, &arguments.gate);
	if (read_results(&arguments, &results, &error) ||
	    ignore_list_read_now(&ignore, arguments.ignore, &error)) {
		error_print(stderr, "stackproof report", &error);
		goto out;
	}
	if (writes_over_inputs(&arguments)) {
		status = EXIT_USAGE;
		goto out;
	}
	results_ignore(&results, &ignore);
	results.strict = arguments.gate.strict;
	arguments.gate.bad_input = results.bad_lines > 0;
	if (open_output(&arguments, &output, &error)) {
		fprintf(stderr, "stackproof report: can't write %s\n", PLAIN_TEXT(error.message));
		status = EXIT_ENVIRONMENT;
		goto out;
	}
	status = report_results(&results, &arguments, output.file, &error);
	bool lost = ferror(output.file); /* that is said */
	if (output.path && output_file_close(&output, !lost, &error) && !lost) {
		error_print(stderr, "stackproof report", &error);
		status = EXIT_ENVIRONMENT;
	}
	if (results.bad_lines) {
		fprintf(stderr, "stackproof report: %zu lines could not be read; the first: %s\n",
			results.bad_lines, results.first_bad_line.message);
	}
	ignore_list_print_text(stderr, &ignore);
out:
	ignore_list_deinit(&ignore);
	results_deinit(&results);
	free(arguments.own_folder);
	free(arguments.own_other);
	return status;
}
