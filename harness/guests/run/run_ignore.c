/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_ignore.c - `report --ignore` and `diff --ignore`: results that were judged without the list
 *
 * A cell that failed, and has nothing that fails it but findings in the list, passes. Of a folder
 * of `run` that is the judge's decision, by what the cell's result says was expected. What
 * `compare` printed fails for its findings alone.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "base/cli/no_memory.h"
#include "run.h"

/* "cfi,table" of the header's engines; "" if it has none. To be freed. */
static char *engine_list(const struct results *results)
{
	char *list = NULL;
	size_t size = 0, index;
	FILE *file = need_memory(open_memstream(&list, &size));
	json_t *engine;

	json_array_foreach(json_object_get(results->header, "engines"), index, engine)
	{
		const char *name = json_string_value(engine);
		fprintf(file, "%s%s", index ? "," : "", name ? name : "");
	}
	fclose(file);
	return list;
}

/* As comparison_is_thin() and comparison_has_findings() have it. */
static bool verdicts_fail(const struct cell *cell, const json_t *verdicts)
{
	const json_t *truth = json_object_get(verdicts, "truth");
	uint64_t points = json_number(verdicts, "points");
	uint64_t innocent = json_number(verdicts, "exact") +
			    json_number(verdicts, "conversion_loss_flagged") +
			    json_number(verdicts, "absent") + json_number(verdicts, "unproven");
	uint64_t ignored = cell_ignored(cell, NULL, NULL) - cell_ignored(cell, NULL, "flagged");

	return points != innocent + ignored || json_number(verdicts, "unproven") > points / 2 ||
	       json_number(truth, "unrooted") > points / 2 || json_number(truth, "max_frames") < 2;
}

/* Whether compare would end with 1. */
static bool still_fails(const struct cell *cell)
{
	bool has_verdicts = false;
	size_t index;
	json_t *object;

	json_array_foreach(cell->objects, index, object)
	{
		bool is_score = !strcmp(json_text(object, "type"), "score");
		bool are_verdicts = !strcmp(json_text(object, "type"), "verdicts");

		if (!strcmp(json_text(object, "type"), "requirement") &&
		    strcmp(json_text(object, "result"), "met") != 0)
			return true;
		if ((is_score && json_number(object, "silent")) ||
		    (are_verdicts && verdicts_fail(cell, object)))
			return true;
		has_verdicts |= are_verdicts;
	}
	return !has_verdicts;
}

void results_ignore(struct results *results, struct ignore_list *list)
{
	bool of_run = json_object_get(results->header, "engines") != NULL;
	FREED char *engines = engine_list(results);

	for (size_t i = 0; i < results->cell_count; i++) {
		struct cell *cell = &results->cell[i];

		if (!cell_ignore(cell, list) || cell->status != CELL_FAILED)
			continue;
		if (of_run && cell->expected_known)
			cell_judge_again(cell, engines);
		else if (!of_run && !still_fails(cell))
			cell_set(cell, CELL_PASSED, "%s", "");
	}
	if (list->path) {
		json_decref(results->ignore);
		results->ignore = ignore_list_json(list);
	}
}
