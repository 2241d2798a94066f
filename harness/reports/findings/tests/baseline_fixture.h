/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * baseline_fixture.h - findings of JSON held against a baseline, and what comes of it in the JSON again
 */
#ifndef STACKPROOF_BASELINE_FIXTURE_H
#define STACKPROOF_BASELINE_FIXTURE_H

#include <string.h>
#include "base/cli/json_counts.h"
#include "base/finding/tests/finding_fixture.h"
#include "reports/findings/findings.h"

/* Those that are there: what is gone is kept apart. */
static inline struct finding_set set_of(const json_t *findings)
{
	struct finding_set set = { NULL };
	json_t *object;
	size_t i;

	json_array_foreach(findings, i, object)
	{
		if (strcmp(json_text(object, "type"), "lint_gone") != 0)
			finding_set_copy(&set, RECORD(object), finding_key(RECORD(object)));
	}
	return set;
}

static inline void set_known(struct finding_set *set, json_t *findings)
{
	for (size_t i = 0; i < set->count; i++)
		json_object_set_new(json_array_get(findings, i), "known",
				    json_boolean(set->held[i].finding.known));
	finding_set_deinit(set);
}

static inline size_t match(struct baseline_image *image, json_t *findings)
{
	struct finding_set set = set_of(findings);
	size_t known = baseline_match(image, &set);

	set_known(&set, findings);
	return known;
}

/* What is gone is appended. */
static inline void hold(struct baseline *baseline, json_t *image, json_t *findings,
			baseline_wanted_fn wanted)
{
	struct finding_set set = set_of(findings);
	json_t *gone = baseline_hold(baseline, image, &set, wanted, NULL);

	set_known(&set, findings);
	json_array_extend(findings, gone);
	json_decref(gone);
}

static inline void say_case(struct judged_case *judged, const json_t *findings)
{
	struct finding_set set = set_of(findings);

	findings_case_lines(judged, &set);
	finding_set_deinit(&set);
}

#endif
