/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes_json.c - changes as NDJSON: one "results_change" for each, then one "results_diff"
 *
 * The names are a contract (docs/JSON.md): fields are added, never renamed.
 */
#include <string.h>
#include "changes.h"
#include "base/cli/json_counts.h"

static void set_text(json_t *object, const char *name, const char *text)
{
	json_object_set_new(object, name, json_bytes(text));
}

static void set_count(json_t *object, const char *name, uint64_t count)
{
	json_object_set_new(object, name, json_integer((json_int_t)count));
}

static void set_cell(json_t *object, const struct changed_cell *cell)
{
	const struct cell *one = cell->before ? cell->before : cell->after;

	set_text(object, "binary", one->binary);
	set_text(object, "program", one->program);
	set_text(object, "toolchain", one->toolchain);
	set_text(object, "variant", one->variant);
	set_text(object, "language", one->language);
	set_text(object, "kernel_name", one->kernel);
	if (cell->before && cell->after && strcmp(cell->before->kernel, cell->after->kernel) != 0)
		set_text(object, "kernel_name_after", cell->after->kernel);
}

/* A side's outcome; null where it has no such cell. */
static json_t *outcome(const struct cell *cell)
{
	json_t *object;

	if (!cell)
		return json_null();
	object = json_object();
	set_text(object, "status", cell_status_name(cell->status));
	set_text(object, "reason", cell->reason);
	return object;
}

/* What names a finding, and the evidence for it. */
static void set_finding(json_t *object, const struct changed_cell *cell,
			const struct change *change)
{
	static const char *const copied[] = {
		"verdict",     "kind",	   "function", "start_file",   "place",	     "address",
		"instruction", "declared", "frame",    "declared_cfa", "actual_cfa", "stop",
	};

	set_text(object, "image", cell_image(change_cell(cell, change), &change->finding));
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
		json_t *value = json_object_get(change->finding.object, copied[i]);

		if (value)
			json_object_set(object, copied[i], value);
	}
	set_count(object, "before", change->points_before);
	set_count(object, "after", change->points_after);
	if (change->ignored)
		set_text(object, "ignored", change->ignored);
}

static json_t *counts(enum change_what what, const json_t *from)
{
	json_t *object = json_object();

	for (const struct measure *measure = change_measures(what); measure->name; measure++)
		if (json_is_integer(json_object_get(from, measure->name)))
			set_count(object, measure->name, json_number(from, measure->name));
	return object;
}

static void set_counts(json_t *object, const struct change *change)
{
	json_t *differ = json_array();

	if (change->what == CHANGE_SCORE)
		set_text(object, "engine", json_text(change->after, "engine"));
	for (const struct measure *measure = change_measures(change->what); measure->name;
	     measure++)
		if (measure_differs(measure, change->before, change->after))
			json_array_append_new(differ, json_string(measure->name));
	json_object_set_new(object, "before", counts(change->what, change->before));
	json_object_set_new(object, "after", counts(change->what, change->after));
	json_object_set_new(object, "differ", differ);
}

/* Before its score, after why it has none; null where nobody says. */
static void set_engine_gone(json_t *object, const struct change *change)
{
	json_t *skip = change->after ? json_object() : json_null();

	if (change->after) {
		set_text(skip, "status", cell_status_name(CELL_SKIPPED));
		set_text(skip, "reason", json_text(change->after, "reason"));
		set_text(skip, "message", json_text(change->after, "message"));
	}
	set_text(object, "engine", json_text(change->before, "engine"));
	json_object_set_new(object, "before", counts(CHANGE_SCORE, change->before));
	json_object_set_new(object, "after", skip);
}

static void print_change(const struct changed_cell *cell, const struct change *change, FILE *file)
{
	json_t *object = json_pack("{s:s, s:s, s:s}", "type", "results_change", "change",
				   change_what_name(change->what), "direction",
				   change_direction_name(change->direction));

	set_cell(object, cell);
	switch (change->what) {
	case CHANGE_STATUS:
	case CHANGE_GONE:
		json_object_set_new(object, "before", outcome(cell->before));
		json_object_set_new(object, "after", outcome(cell->after));
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
			set_count(object, one_side_name(i), only[i]);
	return object;
}

void changes_print_json(const struct changes_report *report, const struct changes *changes)
{
	json_t *summary = json_pack("{s:s}", "type", "results_diff");

	for (size_t i = 0; i < changes->count && !report->only_summary; i++)
		for (size_t j = 0; j < changes->cell[i].count; j++)
			print_change(&changes->cell[i], &changes->cell[i].change[j], report->file);
	set_text(summary, "before", report->before);
	set_text(summary, "after", report->after);
	set_count(summary, "cells", changes->compared);
	set_count(summary, "cells_worse", changes->direction[CHANGE_WORSE]);
	set_count(summary, "cells_better", changes->direction[CHANGE_BETTER]);
	set_count(summary, "cells_other", changes->direction[CHANGE_OTHER]);
	set_count(summary, "outcomes_alone", changes->outcomes_alone);
	json_object_set_new(summary, "only_before", one_side(changes->only[0]));
	json_object_set_new(summary, "only_after", one_side(changes->only[1]));
	json_object_set_new(summary, "before_cut_short", json_boolean(changes->cut_short[0]));
	json_object_set_new(summary, "after_cut_short", json_boolean(changes->cut_short[1]));
	if (report->ignore)
		json_object_set(summary, "ignore", report->ignore);
	gate_json(report->gate, summary);
	json_line(report->file, summary);
}
