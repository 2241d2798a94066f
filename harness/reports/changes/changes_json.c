/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes_json.c - changes as NDJSON: one "results_change" for each, then one "results_diff"
 *
 * The names are a contract (docs/JSON.md): fields are added, never renamed.
 */
#include <string.h>
#include "changes.h"
#include "base/cli/json_counts.h"

static void set_cell(json_t *object, const struct changed_cell *cell)
{
	const struct cell *one = cell->before ? cell->before : cell->after;

	JSON_SET(object, "binary", one->binary, "program", one->program, "toolchain",
		 one->toolchain, "variant", one->variant, "language", one->language, "kernel_name",
		 one->kernel);
	if (cell->before && cell->after && strcmp(cell->before->kernel, cell->after->kernel) != 0)
		JSON_SET(object, "kernel_name_after", cell->after->kernel);
}

/* A side's outcome; null where it has no such cell. */
static json_t *outcome(const struct cell *cell)
{
	return cell ? JSON_NEW("status", cell_status_name(cell->status), "reason", cell->reason)
		    : json_null();
}

/* What names a finding, and the evidence for it. */
static void set_finding(json_t *object, const struct changed_cell *cell,
			const struct change *change)
{
	static const char *const copied[] = {
		"verdict",     "kind",	   "function", "start_file",   "place",	     "address",
		"instruction", "declared", "frame",    "declared_cfa", "actual_cfa", "stop",
	};

	JSON_SET(object, "image", cell_image(change_cell(cell, change), &change->finding));
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
		json_t *value = json_object_get(change->finding.object, copied[i]);

		if (value)
			json_object_set(object, copied[i], value);
	}
	JSON_SET(object, "before", change->points_before, "after", change->points_after, "ignored",
		 change->ignored);
}

static json_t *counts(enum change_what what, const json_t *from)
{
	json_t *object = json_object();

	for (const struct measure *measure = change_measures(what); measure->name; measure++)
		if (json_is_integer(json_object_get(from, measure->name)))
			JSON_SET(object, measure->name, json_number(from, measure->name));
	return object;
}

static void set_counts(json_t *object, const struct change *change)
{
	json_t *differ = json_array();

	if (change->what == CHANGE_SCORE)
		JSON_SET(object, "engine", json_text(change->after, "engine"));
	for (const struct measure *measure = change_measures(change->what); measure->name;
	     measure++)
		if (measure_differs(measure, change->before, change->after))
			json_array_append_new(differ, json_string(measure->name));
	JSON_SET(object, "before", counts(change->what, change->before), "after",
		 counts(change->what, change->after), "differ", differ);
}

/* Before its score, after why it has none; null where nobody says. */
static void set_engine_gone(json_t *object, const struct change *change)
{
	const json_t *skip = change->after;

	JSON_SET(object, "engine", json_text(change->before, "engine"), "before",
		 counts(CHANGE_SCORE, change->before), "after",
		 skip ? JSON_NEW("status", cell_status_name(CELL_SKIPPED), "reason",
				 json_text(skip, "reason"), "message", json_text(skip, "message"))
		      : json_null());
}

static void print_change(const struct changed_cell *cell, const struct change *change, FILE *file)
{
	json_t *object = JSON_NEW("type", "results_change", "change",
				  change_what_name(change->what), "direction",
				  change_direction_name(change->direction));

	set_cell(object, cell);
	switch (change->what) {
	case CHANGE_STATUS:
	case CHANGE_GONE:
		JSON_SET(object, "before", outcome(cell->before), "after", outcome(cell->after));
		break;
	case CHANGE_FINDING_NEW:
	case CHANGE_FINDING_GONE:
	case CHANGE_FINDING_POINTS: set_finding(object, cell, change); break;
	case CHANGE_ENGINE_GONE: set_engine_gone(object, change); break;
	default: set_counts(object, change);
	}
	json_line(file, object);
}

static json_t *one_side(const uint64_t only[ONE_SIDE_COUNT])
{
	json_t *object = json_object();

	for (unsigned int i = 0; i < ONE_SIDE_COUNT; i++)
		if (only[i])
			JSON_SET(object, one_side_name(i), only[i]);
	return object;
}

void changes_print_json(const struct changes_report *report, const struct changes *changes)
{
	json_t *summary;

	for (size_t i = 0; i < changes->count && !report->only_summary; i++)
		for (size_t j = 0; j < changes->cell[i].count; j++)
			print_change(&changes->cell[i], &changes->cell[i].change[j], report->file);
	summary = JSON_NEW(
		"type", "results_diff", "before", report->before, "after", report->after, "cells",
		changes->compared, "cells_worse", changes->direction[CHANGE_WORSE], "cells_better",
		changes->direction[CHANGE_BETTER], "cells_other", changes->direction[CHANGE_OTHER],
		"outcomes_alone", changes->outcomes_alone, "only_before",
		one_side(changes->only[0]), "only_after", one_side(changes->only[1]),
		"before_cut_short", json_boolean(changes->cut_short[0]), "after_cut_short",
		json_boolean(changes->cut_short[1]), "ignore", json_incref(report->ignore));
	gate_json(report->gate, summary);
	json_line(report->file, summary);
}
