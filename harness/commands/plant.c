/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant.c - `stackproof plant`: a correct binary with one fault in its call frame information
 *
 * Writes the faulty copy and says what was planted, so that whoever tests a detector knows what it
 * must find. With --check the detector is this program's own: see plant_check.c.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>
#include "base/cases/cases.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "corpus/plant/plant.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "judge/verdict/verdict.h"
#include "plain_text.h"
#include "base/cli/json_counts.h"

enum { OPTION_JOBS = 256, OPTION_KIND, OPTION_NO_BPF, OPTION_ROW };

struct arguments {
	const struct plant_kind *kind;
	const char *function, *output, *path;
	size_t row;
	bool list;
	struct plant_check_options check;
	struct cases_options cases;
};

static const struct argp_option options[] = {
	{ "check", INTO_TEXT(arguments, check.corpus), "CORPUS", 0,
	  "plant the programs of a folder with a manifest.tsv, run each, and require that "
	  "`compare` "
	  "names the fault a table fault of the right function",
	  0 },
	{ "func", INTO_TEXT(arguments, function), "NAME", 0,
	  "the function whose FDE (or its CIE) is planted", 0 },
	{ "jobs", OPTION_JOBS, "N", 0, "with --check: at once (default: one for each CPU)", 0 },
	{ "json", INTO_FLAG(arguments, check.json), NULL, 0, "NDJSON on standard output", 0 },
	{ "kind", OPTION_KIND, "KIND", 0, "the fault; --list names them", 0 },
	{ "least", INTO_NUMBER(arguments, check.least), "N", 0,
	  "with --check: fewer plantings are a failure", 0 },
	{ "list", INTO_FLAG(arguments, list), NULL, 0, "list the kinds and what each breaks", 0 },
	{ "no-bpf", OPTION_NO_BPF, NULL, 0, "with --check: without the engine bpf", 0 },
	{ "output", 'o', "FILE", 0, "the faulty copy", 0 },
	{ "per-kind", INTO_COUNT(arguments, check.per_kind), "N", 0,
	  "with --check: plantings of each kind, over all programs (default 20)", 0 },
	{ "points", INTO_COUNT64(arguments, check.points_max), "N", 0,
	  "with --check: leave out programs whose run has more points (default 4500)", 0 },
	{ "program", INTO_TEXT(arguments, check.glob), "GLOB", 0,
	  "with --check: only these programs", 0 },
	{ "programs", INTO_COUNT(arguments, check.programs), "N", 0,
	  "with --check: run at most so many (default 60)", 0 },
	{ "row", OPTION_ROW, "N", 0,
	  "the row, from 0: the instructions between two advances (default: one that the seed "
	  "chooses)",
	  0 },
	{ "seed", INTO_NUMBER(arguments, check.seed), "N", 0,
	  "for what is not said otherwise (default 1)", 0 },
	{ NULL },
};

static void check_arguments(struct argp_state *state, const struct arguments *arguments)
{
	if (arguments->list || arguments->check.corpus) {
		if (arguments->path)
			argp_error(state, "--list and --check take no file");
		if (arguments->function || arguments->output || arguments->row != PLANT_ANY_ROW ||
		    (arguments->kind && arguments->list))
			argp_error(state, "--func, --row and -o are for one file");
		if (arguments->kind)
			argp_error(state, "--kind is for one file");
		return;
	}
	if (!arguments->path)
		argp_error(state, "no file given");
	if (!arguments->kind || !arguments->function || !arguments->output)
		argp_error(state, "--kind, --func and -o are needed");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct plant_check_options *check = &arguments->check;

	switch (key) {
	case OPTION_JOBS:
		check->jobs = option_between(state, argument, "--jobs", 1, PLANT_JOBS_MAX);
		return 0;
	case OPTION_KIND:
		arguments->kind = plant_kind_find(argument);
		if (!arguments->kind)
			argp_error(state, "no kind is called '%s'", argument);
		return 0;
	case OPTION_NO_BPF: check->bpf = false; return 0;
	case 'o': arguments->output = option_text(state, argument, "-o"); return 0;
	case OPTION_ROW:
		arguments->row = option_between(state, argument, "--row", 0, UINT32_MAX);
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->path)
			argp_error(state, "one file at a time");
		arguments->path = argument;
		return 0;
	case ARGP_KEY_END: check_arguments(state, arguments); return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp argp = {
	.children = cases_children,
	.options = options,
	.parser = parse,
	.args_doc = "--kind KIND --func NAME -o OUT ELF\n--list\n--check CORPUS",
	.doc = "Plants one fault in the call frame information (.eh_frame) of a copy of an x86-64 "
	       "ELF file. A fault that would leave every row as it was is refused.",
};

static void print_list(bool json)
{
	for (size_t i = 0; plant_kind_at(i); i++) {
		const struct plant_kind *kind = plant_kind_at(i);

		if (!json) {
			printf("%-20s  %s\n", kind->name, kind->summary);
			continue;
		}
		json_t *object = JSON_NEW("type", "plant_kind", "kind", kind->name, "breaks",
					  kind->summary, "by_row", json_boolean(kind->by_row));

		json_line(stdout, object);
	}
}

static void print_json(const struct planting *planting, const struct arguments *arguments)
{
	json_t *ranges = json_array(), *object;

	for (size_t i = 0; i < planting->range_count; i++) {
		const struct plant_range *range = &planting->range[i];
		char pc[32], pc_end[32];

		snprintf(pc, sizeof(pc), "0x%" PRIx64, range->pc);
		snprintf(pc_end, sizeof(pc_end), "0x%" PRIx64, range->pc_end);
		json_array_append_new(ranges, JSON_NEW("function", range->function, "pc", pc,
						       "pc_end", pc_end, "declared", range->before,
						       "planted", range->after));
	}
	object = JSON_NEW("type", "planting", "kind", planting->kind->name, "image",
			  arguments->path, "output", arguments->output, "function",
			  planting->function, "row", planting->row, "ranges", ranges);
	json_line(stdout, object);
}

static void print_text(const struct planting *planting)
{
	printf("%s in %s, row %zu\n", planting->kind->name, PLAIN_TEXT(planting->function),
	       planting->row);
	for (size_t i = 0; i < planting->range_count; i++) {
		const struct plant_range *range = &planting->range[i];

		printf("0x%" PRIx64 "..0x%" PRIx64 "  %s\n\twas  %s\n\tis   %s\n", range->pc,
		       range->pc_end, PLAIN_TEXT(range->function), range->before, range->after);
	}
}

/* A new file: what runs from the old one of that name keeps it. What is no regular file is not
 * taken away, but written into. */
int planting_write(const struct planting *planting, const char *path, struct error *error)
{
	bool replaces = output_file_may_replace(path);
	size_t written = 0;
	int fd;

	if (replaces && unlink(path) && errno != ENOENT)
		return error_set_errno(error, "replacing it");
	fd = open(path, O_WRONLY | O_CLOEXEC | (replaces ? O_CREAT | O_EXCL : 0), 0755);
	if (fd < 0)
		return error_set_errno(error, replaces ? "creating it" : "replacing it");
	while (written < planting->size) {
		ssize_t now = write(fd, planting->file + written, planting->size - written);

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0) {
			error_set_errno(error, "writing it");
			close(fd);
			return -1;
		}
		written += now;
	}
	return close(fd) ? error_set_errno(error, "closing it") : 0;
}

static int plant(const struct arguments *arguments, const struct plant_image *image)
{
	const struct cfi_fde *fde = NULL;
	struct planting planting;
	struct error error;
	size_t count;
	const struct image_symbol *symbols = image_symbols(image->image, &count);
	int status = EXIT_OK;

	for (size_t i = 0; i < count && !fde; i++)
		if (!strcmp(symbols[i].name, arguments->function))
			fde = cfi_fde_find(image->cfi, symbols[i].pc);
	/* Where there is no symbol, as in a PLT: by the name that a finding has. */
	for (size_t i = 0; i < image->cfi->by_pc_count && !fde; i++) {
		const struct cfi_fde *candidate = &image->cfi->fde[image->cfi->by_pc[i]];
		char name[192];

		finding_name_function(image->image, image->cfi, candidate->pc_begin, name,
				      sizeof(name));
		if (!strcmp(name, arguments->function))
			fde = candidate;
	}
	if (!fde) {
		fprintf(stderr, "%s: no FDE covers a function called %s\n",
			PLAIN_TEXT(arguments->path), PLAIN_TEXT(arguments->function));
		return EXIT_BAD_INPUT;
	}
	if (planting_create(image, arguments->kind, fde, arguments->row, arguments->check.seed,
			    &planting, &error)) {
		fprintf(stderr, "%s: %s in %s: refused: %s\n", PLAIN_TEXT(arguments->path),
			arguments->kind->name, PLAIN_TEXT(arguments->function), error.message);
		return EXIT_FINDINGS;
	}
	if (planting_write(&planting, arguments->output, &error)) {
		error_print(stderr, arguments->output, &error);
		status = EXIT_ENVIRONMENT;
	} else if (arguments->check.json) {
		print_json(&planting, arguments);
	} else {
		print_text(&planting);
	}
	planting_deinit(&planting);
	return status;
}

int command_plant(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct arguments arguments = {
		.row = PLANT_ANY_ROW,
		.check = { .seed = 1,
			   .per_kind = 20,
			   .programs = 60,
			   .points_max = 4500,
			   .jobs = cpus > 0 ? cpus : 1,
			   .bpf = true,
			   .gate = { .unit = "plantings" } },
	};
	struct plant_image image;
	struct error error;
	int status;

	command_parse(&argp, argc, argv, 0, &arguments, &arguments.check.gate, &arguments.cases);
	if (arguments.list) {
		print_list(arguments.check.json);
		return EXIT_OK;
	}
	if (output_files_are_inputs(FILE_NAMES(arguments.output, CASES_FILES(arguments.cases)),
				    FILE_NAMES(arguments.path)))
		return EXIT_USAGE;
	cases_begin(&arguments.cases, "plant");
	arguments.check.cases = &arguments.cases.cases;
	if (arguments.check.corpus)
		return cases_finish(&arguments.cases, plant_check(&arguments.check));
	if (plant_image_open(&image, arguments.path, &error)) {
		error_print(stderr, arguments.path, &error);
		return cases_finish(&arguments.cases, EXIT_BAD_INPUT);
	}
	status = plant(&arguments, &image);
	plant_image_close(&image);
	return cases_finish(&arguments.cases, status);
}
