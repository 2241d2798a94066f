/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_corpus.c - the corpus's files, each with its golden
 *
 * Each binary of the corpus, and each shared library it brings along, has one golden of its table:
 * GOLDEN/tables/TOOLCHAIN-VERSION/PROGRAM.VARIANT[.LIBRARY].txt. A version of a toolchain that has
 * no folder yet is a typed skip, unknown_toolchain: other people's compilers are not a failure. Its
 * text is left in the candidates' folder, to be looked at and adopted. The packed binaries
 * (--hermetic) are there for their goldens' sake, so theirs must be there.
 */
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include "array.h"
#include "golden.h"

/* ---- items ------------------------------------------------------------------------------- */

static bool matches(const char *glob, const struct golden_item *item)
{
	const struct corpus_binary *binary = item->binary;

	return !fnmatch(glob, item->name, 0) || !fnmatch(glob, item->file, 0) ||
	       !fnmatch(glob, binary->name, 0) || !fnmatch(glob, binary->program, 0) ||
	       !fnmatch(glob, binary->toolchain, 0);
}

bool golden_chosen(const struct golden_options *options, const struct golden_item *item)
{
	return ARRAY_ANY(options->name_count, i, matches(options->name[i], item)) ||
	       !options->name_count;
}

/* The part of a library's name that tells it from its program's: "shared.gcc-12.O2-fp.ac.so" ->
 * ".ac.so". */
void golden_item_init(struct golden_item *item, const struct golden_options *options,
		      const struct corpus_binary *binary, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = strlen(binary->name);
	const char *dot = "", *tag = "";

	*item = (struct golden_item) {
		.binary = binary,
		.path = path,
		.file = slash ? slash + 1 : path,
		.kind = "table",
	};
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

/* ---- check ------------------------------------------------------------------------------- */

static bool toolchain_known(struct golden_run *run, const char *toolchain)
{
	const struct golden_options *options = run->options;
	struct error ignored;
	char path[4096];
	struct stat status;

	snprintf(path, sizeof(path), "%s/tables/%s", options->golden, toolchain);
	return options->hermetic || (!stat(path, &status) && S_ISDIR(status.st_mode)) ||
	       golden_same_each(run, toolchain, NULL, NULL, &ignored) > 0;
}

/* Leaves the text where it can be looked at, and finishes the item. */
static void leave_candidate(struct golden_run *run, struct golden_item *item,
			    const struct golden_table *actual, enum golden_outcome outcome,
			    const char *reason)
{
	struct error error = { 0 };

	if (golden_file_write(item->candidate, actual->data, actual->size, 0644, &error))
		golden_finish(run, item, GOLDEN_FAILED, "no_candidate", error.message);
	else
		golden_finish(run, item, outcome, reason, item->candidate);
}

static void check_table(struct golden_run *run, struct golden_item *item,
			struct golden_table *actual, struct error *error)
{
	struct golden_table expected;
	int found = golden_table_read(run, item->name, &expected, error);
	const char *fault = golden_verdicts_unwaived(&run->verdicts, item->file,
						     item->binary->expected, &actual->lines);

	if (found < 0) {
		golden_finish(run, item, GOLDEN_FAILED, "unreadable_golden", error->message);
		return;
	}
	if (!found) {
		bool known = toolchain_known(run, item->binary->toolchain);

		leave_candidate(run, item, actual, known ? GOLDEN_FAILED : GOLDEN_SKIPPED,
				known ? "no_golden" : "unknown_toolchain");
		return;
	}
	if (actual->partial)
		golden_text_keep(&actual->lines, &expected.lines);
	if (golden_show_differences(run, item, &expected, actual))
		leave_candidate(run, item, actual, GOLDEN_FAILED, "different");
	else if (fault)
		golden_finish(run, item, GOLDEN_FAILED, "table_fault", fault);
	else
		golden_finish(run, item, GOLDEN_PASSED, NULL, NULL);
	golden_table_deinit(&expected);
}

/* ---- the corpus -------------------------------------------------------------------------- */

static void do_file(struct golden_run *run, const struct corpus_binary *binary, const char *path)
{
	struct error error = { 0 };
	struct golden_table actual;
	struct golden_item item;

	golden_item_init(&item, run->options, binary, path);
	if (!golden_chosen(run->options, &item))
		return;
	if (binary->skip) {
		/* What is packed was built once: nothing can be absent. */
		golden_finish(run, &item, run->options->hermetic ? GOLDEN_FAILED : GOLDEN_SKIPPED,
			      binary->skip, NULL);
	} else if (binary->missing) {
		golden_finish(run, &item, GOLDEN_FAILED, "missing", binary->missing);
	} else if (golden_table_of_image(path, &actual, &error)) {
		golden_finish(run, &item, GOLDEN_FAILED, error_code_name(error.code),
			      error.message);
	} else {
		if (run->options->action == GOLDEN_UPDATE)
			golden_update_table(run, &item, &actual, &error);
		else
			check_table(run, &item, &actual, &error);
		golden_table_deinit(&actual);
	}
}

void golden_corpus(struct golden_run *run, const struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->count; i++) {
		const struct corpus_binary *binary = &manifest->binary[i];

		do_file(run, binary, binary->path[0] ? binary->path : binary->name);
		for (size_t j = 0; j < binary->file_count; j++)
			do_file(run, binary, binary->file[j]);
		if (run->verdicts.of_run && !binary->skip && !binary->missing)
			golden_findings_binary(run, binary);
	}
}

static bool names(const char *glob, const struct golden_options *options,
		  const struct corpus_binary *binary)
{
	struct golden_item item;

	golden_item_init(&item, options, binary, binary->path[0] ? binary->path : binary->name);
	if (matches(glob, &item))
		return true;
	for (size_t i = 0; i < binary->file_count; i++) {
		golden_item_init(&item, options, binary, binary->file[i]);
		if (matches(glob, &item))
			return true;
	}
	return false;
}

const char *golden_unknown_name(const struct golden_options *options,
				const struct manifest *manifest)
{
	for (size_t i = 0; i < options->name_count; i++) {
		bool known = false;

		for (size_t j = 0; j < manifest->count && !known; j++)
			known = names(options->name[i], options, &manifest->binary[j]);
		if (!known)
			return options->name[i];
	}
	return NULL;
}
