/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden.c - `stackproof golden check|update`: the corpus's tables against their snapshots
 *
 * Each binary of the corpus, and each shared library it brings along, has one golden:
 * GOLDEN/tables/TOOLCHAIN-VERSION/PROGRAM.VARIANT[.LIBRARY].txt. check compares; update writes, but
 * only what was named, never in CI, never a text with a diagnostic (unless corpus.tsv expects it), never one that has lost a fifth
 * of its lines without --force, and never a function that the truth contradicts (golden_verdict.c).
 * A version of a toolchain that has no folder yet is a typed skip, unknown_toolchain: other
 * people's compilers are not a failure. Its text is left in the candidates' folder, to be looked at
 * and adopted.
 */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "commands/golden.h"
#include "commands/run.h"
#include "harness.h"

#define SHOWN_DIFFERENCES_MAX 8
#define SHRINK_LIMIT_PERCENT  20

enum outcome { PASSED, FAILED, SKIPPED, OUTCOME_COUNT };

static const char *const outcome_name[OUTCOME_COUNT] = { "passed", "failed", "skipped" };

struct options {
	bool update, all, force, json;
	const char *corpus;
	const char *golden;
	const char *candidates; /* NULL: beside the corpus */
	const char *verdicts;
	char **name;
	size_t name_count;
};

struct run_state {
	const struct options *options;
	struct golden_verdicts verdicts;
	unsigned long count[OUTCOME_COUNT];
	FILE *out; /* for people */
};

/* One file of the corpus and its golden. */
struct item {
	const struct run_binary *binary;
	const char *path; /* absolute */
	const char *file; /* its base name */
	char name[512];	  /* "gcc-12.2.0/chain.O2-nofp" */
	char golden[4096];
	char candidate[4096];
	json_t *differences;
	size_t difference_count;
};

/* ---- texts ------------------------------------------------------------------------------- */

struct text {
	char *data;
	size_t size;
	struct golden_text lines;
};

static void text_deinit(struct text *text)
{
	golden_text_deinit(&text->lines);
	free(text->data);
	*text = (struct text) { 0 };
}

/* The table text of the ELF file at path. */
static int text_of_image(const char *path, struct text *ret, struct error *error)
{
	struct image *image = NULL;
	struct cfi *cfi = NULL;
	FILE *stream = NULL;
	int status = -1;

	*ret = (struct text) { 0 };
	if (image_create(path, &image, error) || cfi_create(image, &cfi, error))
		goto out;
	stream = open_memstream(&ret->data, &ret->size);
	if (!stream) {
		error_set_errno(error, "cannot make a text");
		goto out;
	}
	status = table_text_write(stream, cfi, error);
	if (fclose(stream) && !status)
		status = error_set_errno(error, "cannot make a text");
	if (!status)
		status = golden_text_parse(&ret->lines, ret->data, ret->size, error);
out:
	cfi_destroy(cfi);
	image_destroy(image);
	if (status)
		text_deinit(ret);
	return status;
}

/* 1: read; 0: there is no such file; -1: error. */
static int text_of_file(const char *path, struct text *ret, struct error *error)
{
	char buffer[8192];
	size_t size;

	*ret = (struct text) { 0 };

	FILE *file = fopen(path, "re");

	if (!file)
		return errno == ENOENT ? 0 : error_set_errno(error, "cannot read %s", path);

	FILE *stream = open_memstream(&ret->data, &ret->size);

	while (stream && (size = fread(buffer, 1, sizeof(buffer), file)))
		fwrite(buffer, 1, size, stream);

	bool bad = !stream || ferror(file);

	if ((stream && fclose(stream)) || bad) {
		fclose(file);
		text_deinit(ret);
		return error_set_errno(error, "cannot read %s", path);
	}
	fclose(file);
	if (golden_text_parse(&ret->lines, ret->data, ret->size, error)) {
		text_deinit(ret);
		return -1;
	}
	return 1;
}

static int make_folders(const char *path)
{
	char *copy = strdup(path);
	int status = copy ? 0 : -1;

	for (char *at = copy; !status && (at = strchr(at + 1, '/'));) {
		*at = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			status = -1;
		*at = '/';
	}
	free(copy);
	return status;
}

/* Whole or not at all: a golden that is half written would be a golden. */
static int write_file(const char *path, const struct text *text, struct error *error)
{
	char temporary[4200];

	snprintf(temporary, sizeof(temporary), "%s.new", path);

	FILE *file = make_folders(path) ? NULL : fopen(temporary, "we");

	if (!file)
		return error_set_errno(error, "cannot write %s", temporary);

	bool bad = fwrite(text->data, 1, text->size, file) != text->size;

	if (fclose(file) || bad || rename(temporary, path)) {
		error_set_errno(error, "cannot write %s", path);
		unlink(temporary);
		return -1;
	}
	return 0;
}

/* ---- what is said ------------------------------------------------------------------------ */

static void finish(struct run_state *run, struct item *item, enum outcome outcome,
		   const char *reason, const char *detail)
{
	run->count[outcome]++;
	if (run->options->json) {
		json_t *object = json_pack("{s:s,s:s,s:s,s:s*,s:s*,s:I,s:o*}", "type", "golden",
					   "name", item->name, "outcome", outcome_name[outcome],
					   "reason", reason, "detail", detail, "difference_count",
					   (json_int_t)item->difference_count, "differences",
					   item->differences);

		json_dumpf(object, stdout, JSON_COMPACT);
		fputc('\n', stdout);
		json_decref(object);
	} else {
		json_decref(item->differences);
		if (outcome == FAILED)
			fprintf(run->out, "failed %s: %s%s%s\n", item->name, reason,
				detail ? ": " : "", detail ? detail : "");
		else if (outcome == SKIPPED)
			fprintf(run->out, "skipped %s: %s\n", item->name, reason);
		else if (reason)
			fprintf(run->out, "%s %s\n", reason, item->name);
	}
	item->differences = NULL;
}

struct difference_context {
	struct run_state *run;
	struct item *item;
};

static const char *or_nothing(const char *rule)
{
	return !rule ? "no such line" : *rule ? rule : "(there)";
}

static void on_difference(void *context, const struct golden_difference *difference)
{
	struct difference_context *shown = context;
	struct item *item = shown->item;

	if (item->difference_count++ >= SHOWN_DIFFERENCES_MAX)
		return;
	if (shown->run->options->json) {
		json_array_append_new(item->differences,
				      json_pack("{s:s,s:s,s:s?,s:s?}", "function",
						difference->function, "key", difference->key,
						"expected", difference->expected, "actual",
						difference->actual));
		return;
	}
	fprintf(shown->run->out, "  %s %s\n    expected %s\n    actual   %s\n",
		difference->function, difference->key, or_nothing(difference->expected),
		or_nothing(difference->actual));
}

/* Shows the first differences; returns how many there are. */
static size_t show_differences(struct run_state *run, struct item *item,
			       const struct text *expected, const struct text *actual)
{
	struct difference_context context = { run, item };

	item->difference_count = 0;
	json_decref(item->differences);
	item->differences = json_array();

	size_t count = golden_text_diff(&expected->lines, &actual->lines, on_difference, &context);

	if (count > SHOWN_DIFFERENCES_MAX && !run->options->json)
		fprintf(run->out, "  and %zu more\n", count - SHOWN_DIFFERENCES_MAX);
	return count;
}

/* ---- check ------------------------------------------------------------------------------- */

static bool toolchain_known(const struct options *options, const char *toolchain)
{
	char path[4096];
	struct stat status;

	snprintf(path, sizeof(path), "%s/tables/%s", options->golden, toolchain);
	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static void check_item(struct run_state *run, struct item *item, const struct text *actual,
		       struct error *error)
{
	struct text expected;
	int found = text_of_file(item->golden, &expected, error);
	const char *fault = golden_verdicts_unwaived(&run->verdicts, item->file,
						     item->binary->expected, &actual->lines);

	if (found < 0) {
		finish(run, item, FAILED, "unreadable_golden", error->message);
		return;
	}
	if (!found) {
		bool known = toolchain_known(run->options, item->binary->toolchain);

		if (write_file(item->candidate, actual, error))
			finish(run, item, FAILED, "no_candidate", error->message);
		else
			finish(run, item, known ? FAILED : SKIPPED,
			       known ? "no_golden" : "unknown_toolchain", item->candidate);
		return;
	}
	if (show_differences(run, item, &expected, actual)) {
		if (write_file(item->candidate, actual, error))
			finish(run, item, FAILED, "no_candidate", error->message);
		else
			finish(run, item, FAILED, "different", item->candidate);
	} else if (fault) {
		finish(run, item, FAILED, "table_fault", fault);
	} else {
		finish(run, item, PASSED, NULL, NULL);
	}
	text_deinit(&expected);
}

/* ---- update ------------------------------------------------------------------------------ */

/* Why the text must not become a golden, or NULL. */
static const char *refusal(const struct run_state *run, const struct item *item,
			   const struct text *actual, const struct text *expected,
			   const char **detail)
{
	size_t before = expected->lines.count, after = actual->lines.count;

	*detail = golden_text_diagnostic(&actual->lines, item->binary->expected);
	if (*detail)
		return "diagnostic";
	if (!actual->lines.count || actual->lines.count == 1)
		return "empty";
	*detail = golden_verdicts_unwaived(&run->verdicts, item->file, item->binary->expected,
					   &actual->lines);
	if (*detail)
		return "table_fault";
	if (after * 100 < before * (100 - SHRINK_LIMIT_PERCENT) && !run->options->force) {
		*detail = "more than a fifth of its lines would go; --force if that is right";
		return "shrinks";
	}
	return NULL;
}

static void update_item(struct run_state *run, struct item *item, const struct text *actual,
			struct error *error)
{
	struct text expected;
	int found = text_of_file(item->golden, &expected, error);

	if (found < 0 && !run->options->force) {
		finish(run, item, FAILED, "unreadable_golden", error->message);
		return;
	}

	const char *detail = NULL;
	const char *reason = refusal(run, item, actual, &expected, &detail);
	size_t differences = found > 0 ? show_differences(run, item, &expected, actual) : 0;

	if (reason)
		finish(run, item, FAILED, reason, detail);
	else if (found > 0 && !differences)
		finish(run, item, PASSED, NULL, NULL);
	else if (write_file(item->golden, actual, error))
		finish(run, item, FAILED, "not_written", error->message);
	else
		finish(run, item, PASSED, found > 0 ? "updated" : "new", NULL);
	text_deinit(&expected);
}

/* ---- the corpus -------------------------------------------------------------------------- */

static bool chosen(const struct options *options, const struct item *item)
{
	const struct run_binary *binary = item->binary;

	for (size_t i = 0; i < options->name_count; i++) {
		const char *glob = options->name[i];

		if (!fnmatch(glob, item->name, 0) || !fnmatch(glob, item->file, 0) ||
		    !fnmatch(glob, binary->name, 0) || !fnmatch(glob, binary->program, 0) ||
		    !fnmatch(glob, binary->toolchain, 0))
			return true;
	}
	return !options->name_count;
}

/* The part of a library's name that tells it from its program's: "shared.gcc-12.O2-fp.ac.so" ->
 * ".ac.so". */
static void item_init(struct item *item, const struct options *options,
		      const struct run_binary *binary, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = strlen(binary->name);
	const char *dot = "", *tag = "";

	*item = (struct item) { .binary = binary, .path = path, .file = slash ? slash + 1 : path };
	if (path != binary->path && path != binary->name) {
		bool beside = !strncmp(item->file, binary->name, length);

		dot = beside ? "" : ".";
		tag = item->file + (beside ? length : 0);
	}
	snprintf(item->name, sizeof(item->name), "%s/%s.%s%s%s", binary->toolchain, binary->program,
		 binary->variant, dot, tag);
	snprintf(item->golden, sizeof(item->golden), "%s/tables/%s.txt", options->golden,
		 item->name);
	if (options->candidates)
		snprintf(item->candidate, sizeof(item->candidate), "%s/%s.txt", options->candidates,
			 item->name);
	else
		snprintf(item->candidate, sizeof(item->candidate), "%s/../golden-candidates/%s.txt",
			 options->corpus, item->name);
}

static void do_file(struct run_state *run, const struct run_binary *binary, const char *path)
{
	struct error error = { 0 };
	struct text actual;
	struct item item;

	item_init(&item, run->options, binary, path);
	if (!chosen(run->options, &item))
		return;
	if (binary->skip) {
		finish(run, &item, SKIPPED, binary->skip, NULL);
	} else if (binary->missing) {
		finish(run, &item, FAILED, "missing", binary->missing);
	} else if (text_of_image(path, &actual, &error)) {
		finish(run, &item, FAILED, error_code_name(error.code), error.message);
	} else {
		if (run->options->update)
			update_item(run, &item, &actual, &error);
		else
			check_item(run, &item, &actual, &error);
		text_deinit(&actual);
	}
}

static void do_corpus(struct run_state *run, const struct run_manifest *manifest)
{
	for (size_t i = 0; i < manifest->count; i++) {
		const struct run_binary *binary = &manifest->binary[i];

		do_file(run, binary, binary->path[0] ? binary->path : binary->name);
		for (size_t j = 0; j < binary->file_count; j++)
			do_file(run, binary, binary->file[j]);
	}
}

/* ---- command line ------------------------------------------------------------------------ */

enum { OPTION_CORPUS = 256, OPTION_GOLDEN, OPTION_CANDIDATES, OPTION_VERDICTS, OPTION_FORCE };

static const struct argp_option option_table[] = {
	{ "corpus", OPTION_CORPUS, "DIR", 0, "the built corpus (build/corpus)", 0 },
	{ "golden", OPTION_GOLDEN, "DIR", 0, "the snapshots (golden)", 0 },
	{ "candidates", OPTION_CANDIDATES, "DIR", 0,
	  "where texts that could become goldens are left (golden-candidates beside the corpus)",
	  0 },
	{ "verdicts", OPTION_VERDICTS, "FILE", 0,
	  "findings of `stackproof compare --json`: no golden may hold a table fault", 0 },
	{ "all", 'a', NULL, 0, "update every golden of the corpus", 0 },
	{ "force", OPTION_FORCE, NULL, 0, "update: let a golden shrink by more than a fifth", 0 },
	{ "json", 'j', NULL, 0, "one JSON object per line", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPTION_CORPUS: options->corpus = argument; return 0;
	case OPTION_GOLDEN: options->golden = argument; return 0;
	case OPTION_CANDIDATES: options->candidates = argument; return 0;
	case OPTION_VERDICTS: options->verdicts = argument; return 0;
	case OPTION_FORCE: options->force = true; return 0;
	case 'a': options->all = true; return 0;
	case 'j': options->json = true; return 0;
	case ARGP_KEY_ARGS:
		options->update = !strcmp(state->argv[state->next], "update");
		if (!options->update && strcmp(state->argv[state->next], "check"))
			argp_error(state, "check or update, not %s", state->argv[state->next]);
		options->name = state->argv + state->next + 1;
		options->name_count = (size_t)(state->argc - state->next - 1);
		if (options->update && !options->name_count && !options->all)
			argp_error(state, "update takes names, or --all");
		return 0;
	case ARGP_KEY_NO_ARGS: argp_error(state, "check or update?"); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	option_table,
	parse_option,
	"check [NAME...]\nupdate NAME...",
	"Compares the tables of the corpus with their snapshots, or makes new snapshots.\v"
	"NAME is a glob: TOOLCHAIN-VERSION/PROGRAM.VARIANT, a binary's name, a program, or a "
	"toolchain. GOLDEN/waivers.tsv (binary, function, reason) names table faults that a golden "
	"may hold.",
	NULL,
	NULL,
	NULL,
};

static int summary(const struct run_state *run)
{
	unsigned long passed = run->count[PASSED], failed = run->count[FAILED];
	unsigned long skipped = run->count[SKIPPED];

	if (run->options->json)
		printf("{\"type\":\"golden_summary\",\"passed\":%lu,\"failed\":%lu,\"skipped\":%lu}"
		       "\n",
		       passed, failed, skipped);
	fprintf(run->out, "golden: %lu passed, %lu failed, %lu skipped\n", passed, failed, skipped);
	if (failed)
		return EXIT_FINDINGS;
	if (passed)
		return EXIT_OK;
	if (skipped)
		return EXIT_SKIPPED;
	fprintf(stderr, "stackproof golden: nothing in the corpus has that name\n");
	return EXIT_USAGE;
}

int command_golden(int argc, char **argv)
{
	struct options options = { .corpus = "build/corpus", .golden = "golden" };
	struct run_state run = { .options = &options };
	struct run_manifest manifest = { 0 };
	struct error error = { 0 };
	char waivers[4096];
	int status = EXIT_BAD_INPUT;

	argp_err_exit_status = ARGP_ERR_EXIT;
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (options.update && getenv("CI")) {
		fprintf(stderr, "stackproof golden: update is refused where CI is set\n");
		return EXIT_USAGE;
	}
	run.out = options.json ? stderr : stdout;
	snprintf(waivers, sizeof(waivers), "%s/waivers.tsv", options.golden);
	if (golden_waivers_read(&run.verdicts, waivers, &error) ||
	    (options.verdicts && golden_faults_read(&run.verdicts, options.verdicts, &error)) ||
	    manifest_read(&manifest, options.corpus, &error)) {
		error_print(stderr, "stackproof golden", &error);
	} else {
		do_corpus(&run, &manifest);
		status = summary(&run);
	}
	manifest_deinit(&manifest);
	golden_verdicts_deinit(&run.verdicts);
	return status;
}
