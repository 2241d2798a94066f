/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff.c - `stackproof diff A B`: two tables, function by function, whatever their addresses; or two
 * results, cell by cell
 *
 * What A and B are is found out by their contents. Results are folders of `run`, their files, and
 * what `compare --json` printed: harness/reports/changes. All below "two tables" is about tables.
 *
 * Either table may be an ELF file, a saved table (`stackproof table`), or another tool's dump; "-" is
 * standard input. What a file is its first bytes say, or --from for a dump. A dump holds less than
 * the CFI does: the other side is then reduced to what the dump's tool can say (its dialect), and
 * the output says what was compared. Two dumps can be compared if they are of one kind. Nothing is
 * guessed: a dump that knows only addresses needs an image on the other side.
 */
#include <argp.h>
#include <malloc.h>
#include <string.h>
#include "array.h"
#include "base/cases/cases.h"
#include "base/cli/json_members.h"
#include "reports/changes/changes.h"
#include "base/images/debug_link.h"
#include "sframe/sframe.h"
#include "tables/diff/diff.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/ignore/ignore.h"
#include "plain_text.h"
#include "reports/report/results.h"
#include "guests/run/run.h"

#define KERNELS_MAX 64

/* One of the two. Of image and saved table, or dump, the one that it is. */
struct side {
	struct diff_file file;
	struct image *image;
	struct cfi *cfi;
	struct sframe *sframe; /* with --sframe, in place of cfi */
	struct table_text *text;
	struct diff_table table;
	bool from_image;
	bool lost; /* entries of the image could not be read */
};

struct options {
	const char *from;
	const char *func;
	bool json;
	bool sframe;
	bool summary;
	bool verbose;
	const char *path[2];
	size_t paths;
	char *kernel[KERNELS_MAX];
	size_t kernel_count;
	const char *ignore; /* a file; NULL: none */
	struct gate gate;
	struct cases_options cases;
};

enum { OPTION_KERNELS = 256 };

static const struct argp_option option_list[] = {
	{ "from", 'f', "NAME", 0,
	  "what a file that is no ELF file holds: text, readelf, parca, parca-rows or otel", 0 },
	{ "func", 'F', "GLOB", 0, "only functions with such a name", 0 },
	{ "json", 'j', NULL, 0, "one JSON object per function that differs, then a summary", 0 },
	{ "sframe", INTO_FLAG(options, sframe), NULL, 0,
	  "of ELF files their SFrame, not their call frame information", 0 },
	{ "summary", 's', NULL, 0, "only the summary", 0 },
	{ "kernels", OPTION_KERNELS, "LIST", 0,
	  "of results: only these; of one folder: the others against the first", 0 },
	{ "ignore", INTO_TEXT(options, ignore), "FILE", 0,
	  "of results: findings that make nothing worse, as `compare --ignore` takes them", 0 },
	{ "verbose", 'v', NULL, 0, "of results: every cell that changed", 0 },
	{ 0 },
};

/* If one is, the other should be. */
static bool are_results(const struct options *options)
{
	return ARRAY_ANY(options->paths, i, results_recognise(options->path[i]));
}

/* What makes no sense together. */
static void check(const struct options *options, struct argp_state *state)
{
	bool of_results = options->kernel_count || options->ignore || options->verbose;
	bool results = are_results(options);

	if (options->paths < 2 && !(options->paths && options->kernel_count >= 2))
		argp_error(state, results ? "two results are needed, or --kernels of two"
					  : "two files are needed");
	if (of_results && !results)
		argp_error(state, "--kernels, --ignore and --verbose are of results: these are "
				  "none");
	if (results && (options->from || options->func || options->sframe))
		argp_error(state, "--from, --func and --sframe are of tables: these are results");
	if (options->from && options->sframe)
		argp_error(state, "--from is of dumps, --sframe of ELF files");
	if (options->paths == 2 && !strcmp(options->path[0], "-") && !strcmp(options->path[1], "-"))
		argp_error(state, "standard input can be one of the files only");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;
	switch (key) {
	case 'f':
		if (strcmp(argument, "text") && !diff_dialect_find(argument))
			argp_error(state, "unknown kind of table '%s'", argument);
		options->from = argument;
		break;
	case 'F': options->func = option_text(state, argument, "--func"); break;
	case 'j': options->json = true; break;
	case 's': options->summary = true; break;
	case 'v': options->verbose = true; break;
	case OPTION_KERNELS:
		options->kernel_count = option_words(state, argument, "--kernels", options->kernel,
						     KERNELS_MAX);
		break;
	case ARGP_KEY_ARG:
		if (state->arg_num >= 2)
			argp_error(state, "more than two files");
		options->path[state->arg_num] = argument;
		options->paths = state->arg_num + 1;
		break;
	case ARGP_KEY_END: check(options, state); break;
	default: return option_into(key, argument, state, option_list);
	}
	return 0;
}

/* ---- two tables: read -------------------------------------------------------------------------------- */

static int open_image(struct side *side, struct error *error)
{
	side->from_image = true;
	if (strcmp(side->file.path, "-"))
		return debug_link_open(side->file.path, NULL, &side->image, error);
	int result = image_create_memory(side->file.bytes, side->file.size, "-", &side->image,
					 error);
	diff_file_forget(&side->file);
	return result;
}

/* All but an image's CFI, which takes memory: the two sides' are read one after the other. */
static int read_side(struct side *side, const struct options *options, struct error *error)
{
	struct diff_file *file = &side->file;
	if (diff_file_read(file, options->from, error))
		return -1;
	if (diff_file_is_elf(file))
		return open_image(side, error);
	if (!file->dialect)
		return table_text_read(file->bytes, file->size, &side->text, error);
	return diff_file_table(file, &side->table, error);
}

/* Entries that are lost are said, and the rest is compared. */
static int read_cfi(struct side *side, struct error *error)
{
	struct error_list lost DEINIT(error_list_deinit) = { 0 };
	if (cfi_create(side->image, &side->cfi, error)) {
		if (error->code != ERROR_NO_CFI)
			return -1;
		/* A table without functions: nothing is wrong with the file. */
		error_print(stderr, side->file.path, error);
	}
	cfi_check(side->cfi, &lost);
	for (size_t i = 0; i < lost.count; i++)
		error_print(stderr, side->file.path, &lost.error[i]);
	if (lost.dropped)
		fprintf(stderr, "%s: and %zu more\n", PLAIN_TEXT(side->file.path), lost.dropped);
	side->lost = lost.count || lost.dropped;
	return 0;
}

/* The same for SFrame. False: it has none that can be compared, which is said. */
static bool read_sframe(struct side *side, struct gate *gate, struct error *error)
{
	if (!sframe_create(side->image, &side->sframe, error) && !sframe_is_amd64(side->sframe))
		error_set(error, ERROR_SFRAME_HEADER, ".sframe", 4,
			  "SFrame of another machine than x86-64");
	else if (side->sframe) {
		struct error_list lost DEINIT(error_list_deinit) = { 0 };

		sframe_check(side->sframe, &lost);
		for (size_t i = 0; i < lost.count; i++)
			error_print(stderr, side->file.path, &lost.error[i]);
		gate->bad_input |= lost.count || lost.dropped;
		return true;
	}
	error_print(stderr, side->file.path, error);
	return false;
}

/* What the table was made of. */
static void side_forget(struct side *side)
{
	table_text_destroy(side->text);
	cfi_destroy(side->cfi);
	sframe_destroy(side->sframe);
	image_destroy(side->image);
	diff_file_forget(&side->file);
	side->text = NULL;
	side->cfi = NULL;
	side->sframe = NULL;
	side->image = NULL;
}

static void side_deinit(struct side *side)
{
	diff_table_deinit(&side->table);
	side_forget(side);
}

/* ---- compare ----------------------------------------------------------------------------- */

/* What the two have in common, or NULL with a message: they can't be compared. */
static const struct diff_dialect *common_dialect(const struct side *a, const struct side *b)
{
	const struct diff_dialect *dialect = a->file.dialect ? a->file.dialect : b->file.dialect;
	if (a->file.dialect && b->file.dialect && a->file.dialect != b->file.dialect) {
		fprintf(stderr,
			"stackproof diff: dumps of two kinds (%s and %s): hold each against the "
			"image\n",
			a->file.dialect->name, b->file.dialect->name);
		return NULL;
	}
	if ((a->table.flat && !b->from_image) || (b->table.flat && !a->from_image)) {
		fprintf(stderr,
			"stackproof diff: the dump knows addresses only, no functions: hold it "
			"against the image\n");
		return NULL;
	}
	return dialect ? dialect : &diff_dialect_text;
}

static const struct diff_dialect *sframe_dialect(const struct side *a, const struct side *b)
{
	if (a->from_image && b->from_image)
		return &diff_dialect_sframe;
	fprintf(stderr, "stackproof diff: --sframe is of two ELF files\n");
	return NULL;
}

static int cut(struct side *side, const struct side *other, struct error *error)
{
	struct diff_table whole = { 0 };
	if (!side->table.flat)
		return 0;
	int result = diff_table_cut(&whole, &side->table, &other->table, error);
	diff_table_deinit(&side->table);
	side->table = whole;
	return result;
}

/* Both were named: what was lost of one is bad input. An FDE of code in no executable segment is
 * compared like any other. */
static void gate_side(struct gate *gate, const struct side *side)
{
	gate->bad_input |= side->lost;
	JSON_FREED json_t *counts = json_object();
	struct gate_image lost;
	gate_image_read(side->image, side->image->path, side->cfi, &lost);
	lost.outside_fdes = 0;
	gate_image_json(&lost, counts);
	gate_add_image(gate, counts, true);
}

/* Its table in the dialect; then nothing is left of what it was made of. A bad side does not fail,
 * but sets *ret_bad. */
static int translate(struct side *side, const struct diff_dialect *dialect, struct gate *gate,
		     bool *ret_bad, struct error *error)
{
	int result = 0;
	if (side->file.dialect)
		return 0;
	side->table.dialect = dialect;
	if (side->text) {
		result = diff_table_from_text(&side->table, side->text, error);
	} else if (dialect == &diff_dialect_sframe) {
		if (read_sframe(side, gate, error))
			result = diff_table_from_sframe(&side->table, side->sframe, error);
		else
			*ret_bad = true;
	} else if (read_cfi(side, error)) {
		error_print(stderr, side->file.path, error);
		*ret_bad = true;
	} else {
		gate_side(gate, side);
		result = diff_table_from_cfi(&side->table, side->cfi, error);
	}
	side_forget(side);
	return result;
}

static enum exit_status compare(struct side side[2], struct options *options, struct error *error)
{
	const struct diff_dialect *dialect = options->sframe ? sframe_dialect(&side[0], &side[1])
							     : common_dialect(&side[0], &side[1]);
	struct diff_match match = { 0 };
	bool bad = false;
	if (!dialect)
		return EXIT_USAGE;
	/* An image knows addresses too, but another image's may be others. */
	bool by_address = (side[0].from_image && side[1].file.dialect) ||
			  (side[1].from_image && side[0].file.dialect);
	int result = translate(&side[0], dialect, &options->gate, &bad, error) ||
		     translate(&side[1], dialect, &options->gate, &bad, error);
	if (!result && bad)
		return EXIT_BAD_INPUT;
	if (result || cut(&side[0], &side[1], error) || cut(&side[1], &side[0], error) ||
	    diff_match(&side[0].table, &side[1].table, by_address, &match, error)) {
		error_print(stderr, "stackproof diff", error);
		/* A place in a section is a file's fault, and so is what is larger than any
		 * table. */
		return *error->section || error->code == ERROR_TABLE_LIMIT ? EXIT_BAD_INPUT
									   : EXIT_ENVIRONMENT;
	}
	struct diff_report report = {
		.file = stdout,
		.json = options->json,
		.summary = options->summary,
		.func = options->func,
		.path_a = side[0].file.path,
		.path_b = side[1].file.path,
	};
	report.gate = &options->gate;
	diff_report_write(&report, &side[0].table, &side[1].table, &match);
	diff_match_deinit(&match);
	if (!options->json && !gate_is_clean(&options->gate))
		gate_print(&options->gate, stderr);
	return gate_status(&options->gate);
}

static enum exit_status diff_tables(struct options *options)
{
	/* What grows is moved by remapping, and what is freed goes back, whatever was freed
	 * before. */
	mallopt(M_MMAP_THRESHOLD, 256 << 10);
	struct diff_words words = { 0 };
	struct side side[2] = { { .file.path = options->path[0] },
				{ .file.path = options->path[1] } };
	enum exit_status status = EXIT_OK;
	struct error error = { 0 };

	options->gate.unit = "functions";
	for (int i = 0; i < 2; i++) {
		side[i].table.words = &words;
		if (read_side(&side[i], options, &error)) {
			error_print(stderr, side[i].file.path, &error);
			status = EXIT_BAD_INPUT;
		}
	}
	if (status == EXIT_OK)
		status = compare(side, options, &error);
	side_deinit(&side[0]);
	side_deinit(&side[1]);
	diff_words_deinit(&words);
	return status;
}

/* ---- two results ------------------------------------------------------------------------- */

static int open_results(struct results *ret, const char *path)
{
	struct error error = { 0 };

	if (results_open(ret, path, &error)) {
		error_print(stderr, "stackproof diff", &error);
		return -1;
	}
	if (ret->bad_lines)
		fprintf(stderr, "%s: %zu lines could not be read; the first: %s\n",
			PLAIN_TEXT(path), ret->bad_lines, ret->first_bad_line.message);
	return 0;
}

/* A kernel that is named and that nothing ran on is a slip of the pen. */
static int check_kernels(const struct options *options, const struct results *results,
			 const char *path)
{
	for (size_t i = 0; i < options->kernel_count; i++) {
		if (results_kernel_find(results, options->kernel[i]))
			continue;
		fprintf(stderr, "stackproof diff: %s has no kernel %s\n", PLAIN_TEXT(path),
			PLAIN_TEXT(options->kernel[i]));
		return -1;
	}
	return 0;
}

static void add_changes(struct changes *changes, const struct options *options,
			const struct results side[2])
{
	if (options->paths == 2 && !options->kernel_count)
		changes_add(changes, &side[0], NULL, &side[1], NULL);
	for (size_t i = 0; i < options->kernel_count; i++) {
		if (options->paths == 2)
			changes_add(changes, &side[0], options->kernel[i], &side[1],
				    options->kernel[i]);
		else if (i)
			changes_add(changes, &side[0], options->kernel[0], &side[0],
				    options->kernel[i]);
	}
	changes_sort(changes);
}

static enum exit_status report_changes(struct options *options, const struct changes *changes,
				       const struct ignore_list *ignore)
{
	struct changes_report report = {
		.file = stdout,
		.before = options->path[0],
		.after = options->path[options->paths - 1],
		.all = options->verbose,
		.only_summary = options->summary,
		.gate = &options->gate,
		.ignore = ignore->path ? ignore_list_json(ignore) : NULL,
	};

	changes_gate(changes, &options->gate);
	changes_cases(&options->cases.cases, changes);
	if (options->json)
		changes_print_json(&report, changes);
	else
		changes_print_text(&report, changes);
	ignore_list_print_text(stderr, ignore);
	json_decref(report.ignore);
	if (!fflush(stdout) && !ferror(stdout))
		return gate_status(&options->gate);
	fprintf(stderr, "stackproof diff: not all of it could be written\n");
	return EXIT_ENVIRONMENT;
}

static enum exit_status diff_results(struct options *options)
{
	struct results side[2] = { 0 };
	struct ignore_list ignore;
	struct changes changes;
	struct error error = { 0 };
	enum exit_status status = EXIT_BAD_INPUT;

	changes_init(&changes);
	if (ignore_list_read_now(&ignore, options->ignore, &error)) {
		error_print(stderr, "stackproof diff", &error);
		goto out;
	}
	for (size_t i = 0; i < options->paths; i++)
		if (open_results(&side[i], options->path[i]) ||
		    check_kernels(options, &side[i], options->path[i]))
			goto out;
	results_ignore(&side[options->paths - 1], &ignore);
	add_changes(&changes, options, side);
	status = report_changes(options, &changes, &ignore);
out:
	changes_deinit(&changes);
	ignore_list_deinit(&ignore);
	results_deinit(&side[0]);
	results_deinit(&side[1]);
	return status;
}

#define DIFF_OUTPUTS(options) FILE_NAMES(CASES_FILES((options)->cases))

static bool writes_over_inputs(const struct options *options)
{
	return output_files_are_inputs(DIFF_OUTPUTS(options), FILE_NAMES(options->ignore)) ||
	       results_are_written(DIFF_OUTPUTS(options), options->path[0]) ||
	       results_are_written(DIFF_OUTPUTS(options), options->path[1]);
}

int command_diff(int argc, char **argv)
{
	static const struct argp argp = {
		option_list,
		parse_option,
		"A B\n--kernels LIST RESULTS",
		"Compares the unwind tables of two files, function by function: ELF files, saved "
		"tables, or what readelf -wF, Parca Agent's eh-frame tool and the OpenTelemetry "
		"profiler's stackdeltas tool print. Or two results: folders of `stackproof run`, "
		"their files, or what `stackproof compare --json` printed; or kernels of one "
		"folder.\v"
		"Exit status: 0 no difference in the tables, nothing worse in the results; 1 if "
		"there is; 3 unreadable; 77 nothing could be compared.",
		cases_image_children,
		NULL,
		NULL,
	};
	struct options options = { 0 };
	command_parse(&argp, argc, argv, 0, &options, &options.gate, &options.cases);
	if (writes_over_inputs(&options))
		return EXIT_USAGE;
	cases_begin(&options.cases, "diff");
	if (are_results(&options))
		return cases_finish(&options.cases, diff_results(&options));
	enum exit_status status = diff_tables(&options);
	cases_add(&options.cases.cases, options.path[0], options.path[1], case_status_of(status),
		  status == EXIT_FINDINGS ? "the tables differ" : "they could not be compared");
	return cases_finish(&options.cases, status);
}
