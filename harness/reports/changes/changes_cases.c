/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes_cases.c - changes as cases, for CI servers
 *
 * Each cell that changed is a case. Those that did not are one, and so are those that could not be
 * compared. A cell that is worse has failed. One that changed and could not be compared has not
 * passed: it is skipped.
 */
#include <stdio.h>
#include "changes.h"

static void add_cell(struct cases *cases, const struct changed_cell *cell)
{
	bool worse = cell->direction == CHANGE_WORSE;
	char message[1024];

	snprintf(message, sizeof(message), "%s: %s -> %s%s%s", worse ? "worse" : "not compared",
		 cell_status_name(cell->before->status),
		 cell->after ? cell_status_name(cell->after->status) : "gone",
		 cell->after && cell->after->reason[0] ? ": " : "",
		 cell->after ? cell->after->reason : "");
	struct judged_case *judged = cases_add(cases, cell->before->kernel, cell->before->binary,
					       worse		? CASE_FAILED
					       : cell->compared ? CASE_PASSED
								: CASE_SKIPPED,
					       message);
	for (size_t i = 0; i < cell->count; i++)
		case_output(judged, change_what_name(cell->change[i].what));
}

void changes_cases(struct cases *cases, const struct changes *changes)
{
	uint64_t changed = 0;

	for (size_t i = 0; i < changes->count; i++) {
		add_cell(cases, &changes->cell[i]);
		changed += changes->cell[i].compared;
	}
	if (changes->compared > changed)
		cases_add(cases, "diff", "cells without a change", CASE_PASSED, "");
	if (changes->skipped)
		cases_add(cases, "diff", "cells that were skipped", CASE_SKIPPED,
			  "one of the two was skipped");
	if (changes->not_judged || changes->cut_short[1])
		cases_add(cases, "diff", "cells that were not judged", CASE_ERROR,
			  "a run did not judge them");
}
