/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_findings.c - what a run finds in each binary, against its toolchain's snapshot
 *
 * GOLDEN/verdicts/TOOLCHAIN-VERSION.txt has a line for each binary and behind it one for each
 * finding in its own code, in order, so that a difference is a difference of lines:
 *
 *	stackproof verdicts 1
 *	chain.O0-fp
 *	forgotten_state.asm
 *	  table_fault wrong stub+0x1b declared cfa=rsp+8 ra=c-8 actual cfa+16
 *
 * A binary without findings has its line, too: that it was stepped and nothing was found is what
 * the snapshot says. check fails for a finding that is gone or new on any kernel. update refuses
 * what is a bug here (bug_here), a table fault that neither corpus.tsv nor a waiver names
 * (table_fault), a walk that stops where corpus.tsv does not expect it (not_expected), and findings
 * that are not the same on all kernels that were run (kernels_disagree).
 */
#include <stdlib.h>
#include <string.h>
#include "golden.h"
#include "base/cli/json_counts.h"

#define MAGIC		   "stackproof verdicts 1"
#define SNAPSHOT_BYTES_MAX (64u << 20)

/* ---- the file ---------------------------------------------------------------------------- */

static void snapshot_path(const struct golden_run *run, const char *toolchain, char *ret,
			  size_t size)
{
	snprintf(ret, size, "%s/verdicts/%s.txt", run->options->golden, toolchain);
}

/* Binary -> array of texts. NULL: it is no snapshot; *ret_line: the line that is wrong. */
static json_t *parse(char *text, size_t *ret_line)
{
	json_t *binaries = json_object(), *findings = NULL;

	*ret_line = 1;
	for (char *line, *rest = text; (line = strsep(&rest, "\n")); ++*ret_line) {
		bool indented = line[0] == ' ' && line[1] == ' ' && line[2];

		if (*ret_line == 1) {
			if (strcmp(line, MAGIC))
				goto bad;
		} else if (!*line) {
			if (rest)
				goto bad;
		} else if (indented) {
			if (!findings || json_array_append_new(findings, json_string(line + 2)))
				goto bad;
		} else {
			if (strchr(line, ' ') || json_object_get(binaries, line))
				goto bad;
			findings = json_array();
			if (json_object_set_new(binaries, line, findings))
				goto bad;
		}
	}
	return binaries;
bad:
	json_decref(binaries);
	return NULL;
}

/*
 * The toolchain's snapshot: {"binaries": {...}, "known": bool, "changed": bool}, read once.
 * NULL: it can't be read.
 */
static json_t *snapshot_of(struct golden_run *run, const char *toolchain, struct error *error)
{
	json_t *snapshot = json_object_get(run->snapshots, toolchain), *binaries;
	char path[4096], *text = NULL;
	size_t size, line = 0;

	if (snapshot)
		return snapshot;
	snapshot_path(run, toolchain, path, sizeof(path));

	int found = golden_file_read(path, SNAPSHOT_BYTES_MAX, &text, &size, error);

	if (found < 0)
		return NULL;
	if (found && strlen(text) != size)
		line = 1, binaries = NULL;
	else
		binaries = found ? parse(text, &line) : json_object();
	free(text);
	if (!binaries) {
		error_set(error, ERROR_TEXT_SYNTAX, "", line, "%s: line %zu is not of a snapshot",
			  path, line);
		return NULL;
	}
	if (!run->snapshots)
		run->snapshots = json_object();
	snapshot = json_pack("{s:o,s:b,s:b}", "binaries", binaries, "known", found, "changed", 0);
	json_object_set_new(run->snapshots, toolchain, snapshot);
	return snapshot;
}

const json_t *golden_findings_known(struct golden_run *run, const char *toolchain,
				    struct error *error)
{
	return json_object_get(snapshot_of(run, toolchain, error), "binaries");
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int write_snapshot(const char *path, json_t *binaries, struct error *error)
{
	const char **key = calloc(json_object_size(binaries) + 1, sizeof(char *)), *name;
	size_t count = 0, size = 0, index;
	char *text = NULL;
	json_t *findings, *finding;
	FILE *file = open_memstream(&text, &size);
	int status = -1;

	if (!key || !file) {
		error_set(error, ERROR_MEMORY, "", 0, "out of memory");
		goto out;
	}
	json_object_foreach(binaries, name, findings) key[count++] = name;
	qsort(key, count, sizeof(char *), compare_keys);
	fputs(MAGIC "\n", file);
	for (size_t i = 0; i < count; i++) {
		fprintf(file, "%s\n", key[i]);
		json_array_foreach(json_object_get(binaries, key[i]), index, finding)
			fprintf(file, "  %s\n", json_string_value(finding));
	}
	status = fclose(file);
	file = NULL;
	if (status)
		error_set_errno(error, "cannot make a text");
	else
		status = golden_file_write(path, text, size, 0644, error);
out:
	if (file)
		fclose(file);
	free(text);
	free(key);
	return status;
}

int golden_findings_write(struct golden_run *run, struct error *error)
{
	const char *toolchain;
	json_t *snapshot;
	char path[4096];

	json_object_foreach(run->snapshots, toolchain, snapshot)
	{
		snapshot_path(run, toolchain, path, sizeof(path));
		if (json_is_true(json_object_get(snapshot, "changed")) &&
		    write_snapshot(path, json_object_get(snapshot, "binaries"), error))
			return -1;
	}
	return 0;
}

/* ---- comparing --------------------------------------------------------------------------- */

/* Both are in order; what only one has is shown. expected NULL: nothing was known. */
static void compare(struct golden_run *run, struct golden_item *item, const json_t *expected,
		    const json_t *actual, const char *kernel)
{
	size_t i = 0, j = 0, expected_count = json_array_size(expected);
	size_t actual_count = json_array_size(actual);

	while (i < expected_count || j < actual_count) {
		const json_t *found = json_array_get(actual, j);
		const char *old = json_string_value(json_array_get(expected, i));
		const char *new = json_text(found, "text");
		int order = !old ? 1 : !found ? -1 : strcmp(old, new);
		char text[1024];

		if (order < 0)
			golden_show_finding(run, item, "gone", old, kernel);
		if (order > 0) {
			snprintf(text, sizeof(text), "%s [%s]", new,
				 json_text(found, "instruction"));
			golden_show_finding(run, item, "new", text, kernel);
		}
		i += order <= 0;
		j += order >= 0;
	}
}

static json_t *texts_of(const json_t *findings)
{
	json_t *texts = json_array(), *finding;
	size_t index;

	json_array_foreach(findings, index, finding)
		json_array_append(texts, json_object_get(finding, "text"));
	return texts;
}

static void check(struct golden_run *run, struct golden_item *item, const json_t *snapshot,
		  const json_t *kernels)
{
	const json_t *expected = json_object_get(json_object_get(snapshot, "binaries"),
						 item->name + strlen(item->binary->toolchain) + 1);
	bool known = json_is_true(json_object_get(snapshot, "known")) || run->options->hermetic;
	const char *kernel;
	json_t *cell;

	if (!expected) {
		golden_finish(run, item, known ? GOLDEN_FAILED : GOLDEN_SKIPPED,
			      known ? "no_golden" : "unknown_toolchain", NULL);
		return;
	}
	json_object_foreach((json_t *)kernels, kernel, cell)
		compare(run, item, expected, json_object_get(cell, "findings"), kernel);
	if (item->difference_count)
		golden_finish(run, item, GOLDEN_FAILED, "different", NULL);
	else
		golden_finish(run, item, GOLDEN_PASSED, NULL, NULL);
}

/* ---- update ------------------------------------------------------------------------------ */

/* Why a finding must not become expected, or NULL. */
static const char *refusal(struct golden_run *run, const struct golden_item *item,
			   const json_t *finding)
{
	const char *verdict = json_text(finding, "verdict"), *kind = json_text(finding, "kind");
	const char *function = json_text(finding, "function"), *expected = item->binary->expected;

	if (!strcmp(kind, "missing") &&
	    expectation_has_missing(expected, json_text(finding, "file")))
		return NULL;
	if (!strcmp(verdict, "table_fault"))
		return expectation_has_fault(expected, function, !strcmp(kind, "malformed")) ||
				       golden_waived(&run->verdicts, json_text(finding, "file"),
						     function, kind)
			       ? NULL
			       : "table_fault";
	if (strcmp(verdict, "conversion_loss") || strcmp(kind, "flagged"))
		return "bug_here";
	return expectation_has_flag(expected) ? NULL : "not_expected";
}

/* The findings that all kernels have, or NULL: they don't agree, which is shown. */
static const json_t *agreed(struct golden_run *run, struct golden_item *item, const json_t *kernels)
{
	const json_t *first = NULL;
	json_t *texts = NULL, *cell;
	const char *kernel;

	json_object_foreach((json_t *)kernels, kernel, cell)
	{
		const json_t *findings = json_object_get(cell, "findings");

		if (!first) {
			first = findings;
			texts = texts_of(findings);
		} else {
			compare(run, item, texts, findings, kernel);
		}
	}
	json_decref(texts);
	return item->difference_count ? NULL : first;
}

static void update(struct golden_run *run, struct golden_item *item, json_t *snapshot,
		   const json_t *kernels)
{
	const char *name = item->name + strlen(item->binary->toolchain) + 1;
	json_t *binaries = json_object_get(snapshot, "binaries"), *finding;
	json_t *old = json_object_get(binaries, name);
	const json_t *actual = agreed(run, item, kernels);
	bool dry = run->options->dry_run;
	size_t index;

	if (!actual) {
		golden_finish(run, item, GOLDEN_FAILED, "kernels_disagree", NULL);
		return;
	}
	compare(run, item, old, actual, NULL);
	json_array_foreach(actual, index, finding)
	{
		const char *reason = refusal(run, item, finding);

		if (!reason)
			continue;
		item->first[0] = '\0'; /* it may be another one */
		golden_finish(run, item, GOLDEN_FAILED, reason, json_text(finding, "text"));
		return;
	}
	if (old && !item->difference_count) {
		golden_finish(run, item, GOLDEN_PASSED, NULL, NULL);
		return;
	}
	if (!dry) {
		json_object_set_new(snapshot, "changed", json_true());
		json_object_set_new(binaries, name, texts_of(actual));
		golden_finish(run, item, GOLDEN_PASSED, old ? "updated" : "new", NULL);
	} else {
		golden_finish(run, item, GOLDEN_PASSED, old ? "would_update" : "would_add", NULL);
	}
}

/* ---- a binary ---------------------------------------------------------------------------- */

static bool was_cut(const json_t *kernels)
{
	const char *kernel;
	json_t *cell;

	json_object_foreach((json_t *)kernels, kernel,
			    cell) if (json_is_true(json_object_get(cell, "cut"))) return true;
	return false;
}

void golden_findings_binary(struct golden_run *run, const struct corpus_binary *binary)
{
	const json_t *kernels = json_object_get(run->findings, binary->name);
	const char *detail = NULL, *no_truth;
	struct error error = { 0 };
	struct golden_item item;
	json_t *snapshot;

	golden_item_init(&item, run->options, binary, binary->path);
	item.kind = "verdicts";
	if (!golden_chosen(run->options, &item))
		return;
	no_truth = kernels ? golden_no_truth(run, &item, &detail) : "not_run";
	if (no_truth) {
		golden_finish(run, &item, GOLDEN_SKIPPED, no_truth, detail);
		return;
	}
	if (was_cut(kernels)) {
		golden_finish(run, &item, GOLDEN_FAILED, "findings_cut",
			      "more places than a run keeps");
		return;
	}
	snapshot = snapshot_of(run, binary->toolchain, &error);
	if (!snapshot)
		golden_finish(run, &item, GOLDEN_FAILED, "unreadable_golden", error.message);
	else if (run->options->action == GOLDEN_UPDATE)
		update(run, &item, snapshot, kernels);
	else
		check(run, &item, snapshot, kernels);
}
