/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_findings.c - what lint found in what a compiler wrote, as its warnings
 *
 * Known is what an earlier run had (--baseline), and nothing is said of it. What is ignored (--ignore) is said in one line,
 * with its reason. Neither fails the build. An image that the baseline doesn't have has only new findings: a build
 * names many files, and the baseline is of some.
 */
#include <stdlib.h>
#include <string.h>
#include "cli/json_counts.h"
#include "compile/compile_findings.h"

int compile_findings_open(struct compile_findings *findings, struct error *error)
{
	if (findings->baseline_path &&
	    baseline_read(findings->baseline_path, &findings->baseline, error))
		return -1;
	if (ignore_list_read_now(&findings->ignore, findings->ignore_path, error))
		return -1;
	findings->pending = json_array();
	return 0;
}

void compile_findings_add(struct compile_findings *findings, json_t *object)
{
	json_array_append(findings->pending, object);
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
	const struct ignore_subject subject = {
		.image = json_text(finding, "image"),
		.function = json_text(finding, "function"),
		.kind = json_text(finding, "id"),
		.verdict = "lint_finding",
	};
	const char *reason;

	if (json_is_true(json_object_get(finding, "known"))) {
		findings->known++;
		return;
	}
	set_line(findings, finding);
	reason = ignore_list_match(&findings->ignore, &subject, 0);
	if (reason) {
		findings->ignored++;
		lint_warning_ignored(stderr, finding, reason);
		return;
	}
	findings->told++;
	lint_warning_print(stderr, finding, findings->colour);
}

void compile_findings_tell(struct compile_findings *findings, json_t *image)
{
	size_t i;
	json_t *finding;

	if (findings->baseline)
		baseline_hold(findings->baseline, image, findings->pending, is_wanted, NULL);
	json_array_foreach(findings->pending, i,
			   finding) if (!strcmp(json_text(finding, "type"), "lint_finding"))
		tell(findings, finding);
	json_array_clear(findings->pending);
}

void compile_findings_close(struct compile_findings *findings)
{
	baseline_destroy(findings->baseline);
	ignore_list_deinit(&findings->ignore);
	json_decref(findings->pending);
	json_decref(findings->lines);
}
