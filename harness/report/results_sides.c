/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_sides.c - what two runs side by side have judged, each
 *
 * The figures of both together hide a side of which nothing was judged, and a binary that one compiler
 * no longer makes.
 */
#include <string.h>
#include "gate/gate.h"
#include "report/results.h"

/* The name behind the side, NULL: another side's. */
static const char *name_on(const struct cell *cell, const char *side)
{
	size_t length = strlen(side);

	return strncmp(cell->binary, side, length) ? NULL : cell->binary + length;
}

static bool is_judged(const struct cell *cell)
{
	return cell->status == CELL_PASSED || cell->status == CELL_FAILED;
}

/* The names of those that were judged. */
static json_t *names_on(const struct results *results, const char *side)
{
	json_t *names = json_object();

	for (size_t i = 0; i < results->cell_count; i++) {
		const char *name = name_on(&results->cell[i], side);

		if (name && is_judged(&results->cell[i]))
			json_object_set_new(names, name, json_true());
	}
	return names;
}

static uint64_t print_missing(json_t *from, const json_t *in, const char *side, FILE *file)
{
	uint64_t count = 0;
	const char *name;
	json_t *value;

	json_object_foreach(from, name, value)
	{
		if (json_object_get(in, name))
			continue;
		if (count++ < RESULTS_ONLY_SHOWN)
			fprintf(file, "judged in %.1s only: %s\n", side, name);
	}
	if (count > RESULTS_ONLY_SHOWN)
		fprintf(file, "and %llu more\n", (unsigned long long)(count - RESULTS_ONLY_SHOWN));
	return count;
}

bool results_sides_tell(const struct results *results, struct gate *gate, FILE *file)
{
	json_t *names = names_on(results, RESULTS_SIDE_A),
	       *others = names_on(results, RESULTS_SIDE_B);
	bool both = json_object_size(names) && json_object_size(others);

	if (both) {
		gate_leave(gate, GATE_ONLY_BEFORE,
			   print_missing(names, others, RESULTS_SIDE_A, file));
		gate_leave(gate, GATE_ONLY_AFTER,
			   print_missing(others, names, RESULTS_SIDE_B, file));
	} else {
		fprintf(file, "nothing of %.1s was judged\n",
			json_object_size(names) ? RESULTS_SIDE_B : RESULTS_SIDE_A);
	}
	json_decref(names);
	json_decref(others);
	return both;
}
