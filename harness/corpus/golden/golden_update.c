/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_update.c - what may become a golden, and what is refused
 *
 * A golden makes what it says the expected result, so an update is where an error gets in for good.
 * Refused, each with its typed word:
 *
 *	diagnostic	something could not be read, and corpus.tsv does not expect it
 *	not_own		a library is in it, and no debug information says what is the program's
 *	empty		a table without a function
 *	no_truth	nothing shows that the binary was stepped: no --verdicts, or not in them
 *	stale_truth	the binary is newer than the verdicts: they may be another binary's
 *	table_fault	the truth contradicts a function, and neither corpus.tsv nor a waiver names it
 *	shrinks		it would lose more than a fifth of its lines
 *
 * --force lets a golden shrink, or replace one that can't be read; --unstepped does without the
 * truth. Nothing lets a diagnostic or a table fault in. The old and the new rows are shown before
 * anything is written, and also if it is refused.
 */
#include <string.h>
#include <sys/stat.h>
#include "golden.h"

#define SHRINK_LIMIT_PERCENT 20

const char *golden_no_truth(const struct golden_run *run, const struct golden_item *item,
			    const char **ret_detail)
{
	const struct golden_options *options = run->options;
	const struct corpus_binary *binary = item->binary;
	const char *slash = strrchr(binary->name, '/');
	struct stat verdicts, built;

	if (options->unstepped)
		return NULL;
	if (!options->verdicts) {
		*ret_detail = "--verdicts of a run of it, or --unstepped";
		return "no_truth";
	}
	if (!golden_stepped(&run->verdicts, slash ? slash + 1 : binary->name)) {
		*ret_detail = "the verdicts say nothing of this binary; run it, or --unstepped";
		return "no_truth";
	}
	if (!stat(options->verdicts, &verdicts) && !stat(item->path, &built) &&
	    built.st_mtime > verdicts.st_mtime) {
		*ret_detail = "it was built after the verdicts were written; run it again";
		return "stale_truth";
	}
	return NULL;
}

/* Why the text must not become a golden, or NULL. */
static const char *refusal(struct golden_run *run, const struct golden_item *item,
			   const struct golden_table *actual, const struct golden_table *expected,
			   const char **detail)
{
	size_t before = expected->lines.count, after = actual->lines.count;

	*detail = golden_text_diagnostic(&actual->lines, item->binary->expected);
	if (*detail)
		return "diagnostic";
	if (after <= 1) /* the line with the version */
		return "empty";

	if (actual->partial) {
		*detail = "a library is in it, and nothing says what is the program's";
		return "not_own";
	}

	const char *reason = golden_no_truth(run, item, detail);

	if (reason)
		return reason;
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

void golden_update_table(struct golden_run *run, struct golden_item *item,
			 const struct golden_table *actual, struct error *error)
{
	struct golden_table expected;
	int found = golden_table_read(run, item->name, &expected, error);
	bool dry = run->options->dry_run;

	if (found < 0 && !run->options->force) {
		golden_finish(run, item, GOLDEN_FAILED, "unreadable_golden", error->message);
		return;
	}

	const char *detail = NULL;
	const char *reason = refusal(run, item, actual, &expected, &detail);
	size_t differences = found > 0 ? golden_show_differences(run, item, &expected, actual) : 0;

	item->first[0] = '\0'; /* what is refused is refused for something else */
	if (reason)
		golden_finish(run, item, GOLDEN_FAILED, reason, detail);
	else if (found > 0 && !differences)
		golden_finish(run, item, GOLDEN_PASSED, NULL, NULL);
	else if (dry)
		golden_finish(run, item, GOLDEN_PASSED, found > 0 ? "would_update" : "would_add",
			      NULL);
	else if (golden_table_write(run, item->name, actual->data, actual->size, error))
		golden_finish(run, item, GOLDEN_FAILED, "not_written", error->message);
	else
		golden_finish(run, item, GOLDEN_PASSED, found > 0 ? "updated" : "new", NULL);
	golden_table_deinit(&expected);
}
