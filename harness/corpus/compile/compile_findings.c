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

static bool is_wanted(const void *context, const json_t *finding)
{
	return false; /* of what is gone nothing is said */
}

static bool is_same(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(json_text(a, key), json_text(b, key));
}

/* The source line, if the object with debug info has the same finding at the same place. */
static void set_line(const struct compile_findings *findings, json_t *finding)
{
	static const char *const keys[] = { "source_file", "source_line", "source_column" };
	size_t i;
	json_t *other;

	if (json_object_get(finding, "source_file"))
		return;
	json_array_foreach(findings->lines, i, other)
	{
		if (!is_same(finding, other, "id") || !is_same(finding, other, "section") ||
		    !is_same(finding, other, "pc") || !is_same(finding, other, "actual"))
			continue;
		for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++)
			if (json_object_get(other, keys[j]))
				json_object_set(finding, keys[j], json_object_get(other, keys[j]));
		return;
	}
}

static void tell(struct compile_findings *findings, json_t *finding)
{
	const struct ignore_subject subject = ignore_subject_of(finding);
	enum compile_owner owner = COMPILE_OWN;
	const char *reason;

	if (json_is_true(json_object_get(finding, "known")))
		return;
	if (findings->owner)
		owner = findings->owner(findings->context, finding);
	if (owner == COMPILE_OTHERS)
		return;
	set_line(findings, finding);
	reason = ignore_list_match(&findings->ignore, &subject, 0);
	if (reason) {
		lint_warning_ignored(stderr, finding, reason);
		return;
	}
	if (owner == COMPILE_ANYBODYS) {
		findings->image_anybodys++;
		return;
	}
	findings->told++;
	if (json_object_get(finding, "no_cfi") && ++findings->bare > BARE_LINES)
		return;
	lint_warning_print(stderr, finding, findings->colour);
}

static bool is_told(const struct compile_findings *findings, const json_t *object)
{
	return !strcmp(json_text(object, "type"), "lint_finding") &&
	       !(findings->on_purpose && json_object_get(object, "no_cfi"));
}

static void tell_others(const struct compile_findings *findings, const json_t *image)
{
	const char *path = PLAIN_TEXT(json_text(image, "image"));

	if (findings->bare > BARE_LINES)
		fprintf(stderr,
			"%s: warning: no CFI: no FDE covers %" PRIu64
			" functions more (stackproof lint --verbose names each) [%s]\n",
			path, findings->bare - BARE_LINES, lint_id_name(LINT_UNCOVERED));
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
	json_t *pending = json_object_get(image, "pending"), *finding;
	size_t i;

	if (findings->baseline)
		baseline_hold(findings->baseline, image, pending, is_wanted, NULL);
	findings->bare = findings->image_anybodys = 0;
	json_array_foreach(pending, i, finding)
	{
		if (is_told(findings, finding))
			tell(findings, finding);
	}
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
