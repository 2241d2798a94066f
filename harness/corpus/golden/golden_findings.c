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
#include "base/cli/no_memory.h"

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
	snapshot = JSON_NEW("binaries", binaries, "known", json_boolean(found), "changed",
			    json_boolean(0));
	json_object_set_new(run->snapshots, toolchain, snapshot);
	return snapshot;
}

const json_t *golden_findings_known(struct golden_run *run, const char *toolchain,
				    struct error *error)
{
	return json_object_get(snapshot_of(run, toolchain, error), "binaries");
}

static int write_snapshot(const char *path, const json_t *binaries, struct error *error)
{
	FREED const char **name = json_names_sorted(binaries);
	size_t size = 0, index;
	FREED char *text = NULL;
	json_t *finding;
	FILE *file = need_memory(open_memstream(&text, &size));

	fputs(MAGIC "\n", file);
	for (size_t i = 0; name[i]; i++) {
		fprintf(file, "%s\n", name[i]);
		json_array_foreach(json_object_get(binaries, name[i]), index, finding)
			fprintf(file, "  %s\n", json_string_value(finding));
	}
	return fclose(file) ? error_set_errno(error, "cannot make a text")
			    : golden_file_write(path, text, size, 0644, error);
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
		    struct finding_set *actual, const char *kernel)
{
	const struct finding_record blank = finding_record_read(NULL);
	struct finding_set known DEINIT(finding_set_deinit) = { NULL };
	size_t index, i = 0, j = 0;
	json_t *line;
	char text[1024];

	json_array_foreach(expected, index, line)
		finding_set_add(&known, &blank, strdup(json_string_value(line)));
	finding_sets_match(&known, actual);
	while (i < known.count || j < actual->count) {
		const struct finding_held *old = i < known.count ? &known.held[i] : NULL;
		const struct finding_held *new = j < actual->count ? &actual->held[j] : NULL;

		if (old && (old->same || !new || strcmp(old->key, new->key) < 0)) {
			if (!old->same)
				golden_show_finding(run, item, "gone", old->key, kernel);
			i++;
		} else {
			snprintf(text, sizeof(text), "%s [%s]", new->key, new->finding.instruction);
			if (!new->same)
				golden_show_finding(run, item, "new", text, kernel);
			j++;
		}
	}
}

static json_t *texts_of(const struct finding_set *findings)
{
	json_t *texts = json_array();

	for (size_t i = 0; i < findings->count; i++)
		json_array_append_new(texts, json_string(findings->held[i].key));
	return texts;
}

/* The first of the binary's cells that were stepped, or the next one behind that one. NULL: there is none. */
static struct golden_cell *next_cell(const struct golden_run *run,
				     const struct corpus_binary *binary,
				     const struct golden_cell *behind)
{
	const struct golden_verdicts *verdicts = &run->verdicts;

	for (size_t i = behind ? (size_t)(behind - verdicts->cell) + 1 : 0;
	     i < verdicts->cell_count; i++)
		if (verdicts->cell[i].binary == binary && verdicts->cell[i].stepped)
			return &verdicts->cell[i];
	return NULL;
}

static void check(struct golden_run *run, struct golden_item *item, const json_t *snapshot)
{
	const json_t *expected = json_object_get(json_object_get(snapshot, "binaries"),
						 item->name + strlen(item->binary->toolchain) + 1);
	bool known = json_is_true(json_object_get(snapshot, "known")) || run->options->hermetic;
	struct golden_cell *cell = NULL;

	if (!expected) {
		golden_finish(run, item, known ? GOLDEN_FAILED : GOLDEN_SKIPPED,
			      known ? "no_golden" : "unknown_toolchain", NULL);
		return;
	}
	while ((cell = next_cell(run, item->binary, cell)))
		compare(run, item, expected, &cell->findings, cell->kernel);
	if (item->difference_count)
		golden_finish(run, item, GOLDEN_FAILED, "different", NULL);
	else
		golden_finish(run, item, GOLDEN_PASSED, NULL, NULL);
}

/* ---- update ------------------------------------------------------------------------------ */

/* Why a finding must not become expected, or NULL. */
static const char *refusal(struct golden_run *run, const struct golden_item *item,
			   const struct finding_record *finding)
{
	const char *kind = finding->kind, *file = basename(finding->image);
	const char *expected = item->binary->expected;

	if (!strcmp(kind, "missing") && expectation_has_missing(expected, file))
		return NULL;
	if (!strcmp(finding->verdict, "table_fault"))
		return expectation_has_fault(expected, finding->function,
					     !strcmp(kind, "malformed")) ||
				       golden_waived(&run->verdicts, file, finding->function, kind)
			       ? NULL
			       : "table_fault";
	if (strcmp(finding->verdict, "conversion_loss") || strcmp(kind, "flagged"))
		return "bug_here";
	return expectation_has_flag(expected) ? NULL : "not_expected";
}

/* False: the kernels don't agree, which is shown. texts: of the first one. */
static bool is_agreed(struct golden_run *run, struct golden_item *item,
		      const struct golden_cell *first, const json_t *texts)
{
	struct golden_cell *cell;

	while ((cell = next_cell(run, item->binary, first))) {
		compare(run, item, texts, &cell->findings, cell->kernel);
		first = cell;
	}
	return !item->difference_count;
}

/* cell: the first. */
static void update(struct golden_run *run, struct golden_item *item, json_t *snapshot,
		   struct golden_cell *cell)
{
	const char *name = item->name + strlen(item->binary->toolchain) + 1;
	json_t *binaries = json_object_get(snapshot, "binaries");
	JSON_FREED json_t *texts = texts_of(&cell->findings);
	json_t *old = json_object_get(binaries, name);
	bool dry = run->options->dry_run, agreed = is_agreed(run, item, cell, texts);
	const char *reason = NULL, *detail = NULL;

	if (agreed)
		compare(run, item, old, &cell->findings, NULL);
	else
		reason = "kernels_disagree";
	for (size_t i = 0; !reason && i < cell->findings.count; i++) {
		reason = refusal(run, item, &cell->findings.held[i].finding);
		detail = cell->findings.held[i].key;
	}
	if (reason && agreed)
		item->first[0] = '\0'; /* it may be another one */
	if (reason) {
		golden_finish(run, item, GOLDEN_FAILED, reason, agreed ? detail : NULL);
	} else if (old && !item->difference_count) {
		golden_finish(run, item, GOLDEN_PASSED, NULL, NULL);
	} else if (!dry) {
		json_object_set_new(snapshot, "changed", json_true());
		json_object_set(binaries, name, texts);
		golden_finish(run, item, GOLDEN_PASSED, old ? "updated" : "new", NULL);
	} else {
		golden_finish(run, item, GOLDEN_PASSED, old ? "would_update" : "would_add", NULL);
	}
}

/* ---- a binary ---------------------------------------------------------------------------- */

static bool was_cut(const struct golden_run *run, const struct corpus_binary *binary)
{
	const struct golden_cell *cell = NULL;

	while ((cell = next_cell(run, binary, cell)))
		if (cell->cut)
			return true;
	return false;
}

void golden_findings_binary(struct golden_run *run, const struct corpus_binary *binary)
{
	struct golden_cell *first = next_cell(run, binary, NULL);
	const char *detail = NULL, *no_truth;
	struct error error = { 0 };
	struct golden_item item;
	json_t *snapshot;

	golden_item_init(&item, run->options, binary, binary->path);
	item.kind = "verdicts";
	if (!golden_chosen(run->options, &item))
		return;
	no_truth = first ? golden_no_truth(run, &item, &detail) : "not_run";
	if (no_truth) {
		golden_finish(run, &item, GOLDEN_SKIPPED, no_truth, detail);
		return;
	}
	if (was_cut(run, binary)) {
		golden_finish(run, &item, GOLDEN_FAILED, "findings_cut",
			      "more places than a run keeps");
		return;
	}
	snapshot = snapshot_of(run, binary->toolchain, &error);
	if (!snapshot)
		golden_finish(run, &item, GOLDEN_FAILED, "unreadable_golden", error.message);
	else if (run->options->action == GOLDEN_UPDATE)
		update(run, &item, snapshot, first);
	else
		check(run, &item, snapshot);
}
