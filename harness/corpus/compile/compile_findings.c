/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_findings.c - what lint found in what a compiler wrote, as its warnings
 *
 * Known is what an earlier run had (--baseline), and nothing is said of it. What is ignored (--ignore) is said in
 * one line, with its reason. Neither fails the build, nor does what others wrote, of which nothing is said. What may be
 * anybody's is counted, and said in one line. An image
 * that the baseline doesn't have has only new findings: a build names many files, and the baseline is of some.
 *
 * Of a file without CFI so many functions are shown, and the others counted; none, if the command line asks for code without
 * (-fno-asynchronous-unwind-tables).
 */
#include <inttypes.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "compile_findings.h"
#include "analysis/lint/lint.h"
#include "plain_text.h"

#define BARE_LINES 20

int compile_findings_open(struct compile_findings *findings, struct error *error)
{
	if (findings->baseline_path &&
	    baseline_read(findings->baseline_path, &findings->baseline, error))
		return -1;
	if (ignore_list_read_now(&findings->ignore, findings->ignore_path, error))
		return -1;
	findings->pending = json_array();
	findings->image = json_array();
	return 0;
}

void compile_findings_add(struct compile_findings *findings, json_t *object)
{
	json_array_append(findings->pending, object);
}

void compile_findings_keep(struct compile_findings *findings, json_t *image)
{
	json_object_set_new(image, "pending", findings->pending);
	json_array_append(findings->image, image);
	findings->pending = json_array();
}

/* The source line, if the object with debug info has the same finding at the same place. */
static void set_line(const struct compile_findings *findings, struct finding_record *finding)
{
	size_t i;
	json_t *object;

	if (finding->source_file[0])
		return;
	json_array_foreach(findings->lines, i, object)
	{
		const struct finding_record other = finding_record_read(object);

		if (strcmp(finding->id, other.id) || strcmp(finding->section, other.section) ||
		    strcmp(finding->pc, other.pc) || strcmp(finding->actual, other.actual))
			continue;
		finding->source_file = other.source_file;
		finding->source_line = other.source_line;
		finding->source_column = other.source_column;
		return;
	}
}

static void tell(struct compile_findings *findings, struct finding_record *finding)
{
	enum compile_owner owner = COMPILE_OWN;
	const char *reason;

	if (finding->known)
		return;
	if (findings->owner)
		owner = findings->owner(findings->context, finding);
	if (owner == COMPILE_OTHERS)
		return;
	set_line(findings, finding);
	reason = ignore_list_match(&findings->ignore, finding);
	if (reason) {
		lint_warning_print(stderr, finding, reason, findings->colour);
		return;
	}
	if (owner == COMPILE_ANYBODYS) {
		findings->image_anybodys++;
		return;
	}
	findings->told++;
	if (finding->no_cfi && ++findings->bare > BARE_LINES)
		return;
	lint_warning_print(stderr, finding, NULL, findings->colour);
}

static void tell_others(const struct compile_findings *findings, const json_t *image)
{
	const char *path = PLAIN_TEXT(json_text(image, "image"));

	if (findings->bare > BARE_LINES)
		fprintf(stderr,
			"%s: warning: no CFI: no FDE covers %" PRIu64
			" functions more (stackproof lint --verbose names each) [%s]\n",
			path, findings->bare - BARE_LINES, lint_ids[LINT_UNCOVERED].name);
	if (findings->image_anybodys)
		fprintf(stderr,
			"stackproof cc: %s: %" PRIu64
			" finding%s whose code it is could not be told: "
			"--others tells %s\n",
			path, findings->image_anybodys, findings->image_anybodys == 1 ? "" : "s",
			findings->image_anybodys == 1 ? "it" : "them");
}

void compile_findings_tell(struct compile_findings *findings, json_t *image)
{
	struct finding_set pending = { NULL };
	json_t *object;
	size_t i;

	json_array_foreach(json_object_get(image, "pending"), i, object)
	{
		const struct finding_record finding = finding_record_read(object);

		if (!strcmp(finding.type, "lint_finding"))
			finding_set_add(&pending, &finding, finding_key(&finding));
	}
	if (findings->baseline) /* of what is gone nothing is said */
		json_decref(baseline_hold(findings->baseline, image, &pending, NULL, NULL));
	findings->bare = findings->image_anybodys = 0;
	for (i = 0; i < pending.count; i++)
		if (!findings->on_purpose || !pending.held[i].finding.no_cfi)
			tell(findings, &pending.held[i].finding);
	finding_set_deinit(&pending);
	findings->anybodys += findings->image_anybodys;
	tell_others(findings, image);
}

void compile_findings_close(struct compile_findings *findings)
{
	if (findings->told)
		ignore_list_print_expired(stderr, &findings->ignore);
	baseline_destroy(findings->baseline);
	ignore_list_deinit(&findings->ignore);
	json_decref(findings->pending);
	json_decref(findings->image);
	json_decref(findings->lines);
}
