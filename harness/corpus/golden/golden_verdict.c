/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_verdict.c - table faults that the truth found, and the waivers that admit them
 *
 * A snapshot of a wrong table makes the fault the expected result. So a golden may be held against
 * what `stackproof compare --json` found when the same binary was stepped: a function whose table
 * the truth contradicts must not be in a golden, unless a waiver says which toolchain bug it is.
 * Waivers are GOLDEN/waivers.tsv, a list as --ignore takes it (base/ignore/ignore.h). What corpus.tsv expects of a
 * program needs no waiver.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "golden.h"
#include "corpus/manifest/corpus.h"

void golden_verdicts_deinit(struct golden_verdicts *verdicts)
{
	ignore_list_deinit(&verdicts->waivers);
	for (size_t i = 0; i < verdicts->cell_count; i++) {
		finding_set_deinit(&verdicts->cell[i].findings);
		free(verdicts->cell[i].kernel);
	}
	free(verdicts->cell);
	finding_set_deinit(&verdicts->faults);
	json_decref(verdicts->stepped);
	*verdicts = (struct golden_verdicts) { 0 };
}

bool golden_waived(struct golden_verdicts *verdicts, const char *file, const char *function,
		   const char *kind)
{
	const struct finding_record fault = {
		.image = file, .function = function, .kind = kind, .verdict = "table_fault"
	};

	return ignore_list_match(&verdicts->waivers, &fault) != NULL;
}

bool golden_stepped(const struct golden_verdicts *verdicts, const char *file)
{
	return json_object_get(verdicts->stepped, file) != NULL;
}

const char *golden_verdicts_unwaived(struct golden_verdicts *verdicts, const char *file,
				     const char *expected, const struct golden_text *text)
{
	for (size_t i = 0; i < verdicts->faults.count; i++) {
		const struct finding_record *fault = &verdicts->faults.held[i].finding;

		if (!strcmp(verdicts->faults.held[i].key, file) &&
		    golden_text_has_function(text, fault->function) &&
		    !golden_waived(verdicts, file, fault->function, fault->kind) &&
		    !expectation_has_fault(expected, fault->function,
					   !strcmp(fault->kind, "malformed")))
			return fault->function;
	}
	return NULL;
}
