/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_tables.c - all tables that an image is held against, and their counts as JSON
 *
 * The CFI's own findings and states come from lint_image() by one struct lint_watch; each state goes
 * on to every table, and what the tables are accused of joins the CFI's findings.
 */
#include <stdlib.h>
#include "base/cli/json_counts.h"
#include "lint_table.h"

static void take_finding(void *context, const struct lint_finding *finding)
{
	struct lint_tables *tables = context;

	tables->finding(tables->context, finding);
}

static void take_point(void *context, const struct lint_point *point)
{
	struct lint_tables *tables = context;

	for (size_t i = 0; i < tables->count; i++)
		lint_table_point(tables->table[i], point);
}

static void take_judged(void *context, uint64_t pc, enum flow_outcome outcome,
			enum flow_reason reason)
{
	struct lint_tables *tables = context;

	for (size_t i = 0; i < tables->count; i++)
		lint_table_judged(tables->table[i], pc, reason);
}

static int add_table(struct lint_tables *tables, const struct cfi *cfi,
		     const struct row_source *source, struct error *error)
{
	if (lint_table_create(cfi, source, &tables->table[tables->count], error))
		return -1;
	tables->count++;
	return 0;
}

/* What an image without SFrame says is nothing: it has no such table. What can't be read prove tells. */
static int add_sframe(struct lint_tables *tables, const struct cfi *cfi, struct error *error)
{
	if (sframe_source_create(cfi->image, &tables->sframe, error))
		return error->code == ERROR_MEMORY ? -1 : 0;
	tables->sframe_rows = sframe_source_rows(tables->sframe);
	return add_table(tables, cfi, &tables->sframe_rows, error);
}

int lint_tables_init(struct lint_tables *tables, const struct lint_options *options,
		     const struct cfi *cfi, struct lint_watch *ret, struct error *error)
{
	*ret = (struct lint_watch) { .finding = take_finding, .context = tables };
	if (!options->compact && !options->sframe && !options->source_count)
		return 0;
	ret->point = take_point;
	ret->judged = take_judged;
	tables->table = calloc(options->source_count + 2, sizeof(*tables->table));
	if (!tables->table)
		return error_set(error, ERROR_MEMORY, NULL, 0, "tables");
	if (options->compact) {
		if (compact_rows_create(cfi->image, &tables->compact, error))
			return -1;
		tables->compact_source = compact_rows_source(tables->compact);
		if (add_table(tables, cfi, &tables->compact_source, error))
			return -1;
	}
	if (options->sframe && add_sframe(tables, cfi, error))
		return -1;
	for (size_t i = 0; i < options->source_count; i++)
		if (add_table(tables, cfi, &options->source[i], error))
			return -1;
	return 0;
}

void lint_tables_deinit(struct lint_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		lint_table_destroy(tables->table[i]);
	compact_rows_destroy(tables->compact);
	sframe_source_destroy(tables->sframe);
	free(tables->table);
}

/* ---- counts ------------------------------------------------------------------------------- */

void lint_json_ids(json_t *object, const uint64_t counts[LINT_ID_COUNT])
{
	json_t *by_id = json_object();

	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++)
		if (counts[i])
			json_set_count(by_id, lint_ids[i].name, counts[i]);
	json_object_set_new(object, "findings", by_id);
}

void lint_json_unproven(json_t *object, const uint64_t counts[FLOW_REASON_COUNT])
{
	json_t *reasons = json_object();
	uint64_t sum = 0;

	for (int i = 0; i < FLOW_REASON_COUNT; i++) {
		sum += counts[i];
		if (counts[i])
			json_set_count(reasons, lint_reasons[i].name, counts[i]);
	}
	json_set_count(object, "unproven", sum);
	json_object_set_new(object, "unproven_reasons", reasons);
}

static void set_marked(json_t *object, const struct row_source *source,
		       const uint64_t counts[ROW_MARKS_MAX])
{
	json_t *reasons = json_object();
	uint64_t sum = 0;

	for (int i = 0; i < ROW_MARKS_MAX; i++) {
		sum += counts[i];
		if (counts[i])
			json_set_count(reasons, source->mark[i], counts[i]);
	}
	json_set_count(object, "marked", sum);
	json_object_set_new(object, "marked_reasons", reasons);
}

static json_t *table_json(const struct row_source *source, const struct lint_table_counts *counts)
{
	json_t *object = json_pack(
		"{s:I, s:I, s:I, s:I, s:I}", "proven", (json_int_t)counts->proven, "mismatch",
		(json_int_t)counts->mismatch, "as_cfi", (json_int_t)counts->as_cfi, "missing",
		(json_int_t)counts->missing, "rows_beyond", (json_int_t)counts->rows_beyond);

	set_marked(object, source, counts->marked);
	lint_json_unproven(object, counts->unproven);
	lint_json_ids(object, counts->findings);
	return object;
}

int lint_tables_end(struct lint_tables *tables, json_t *image, struct error *error)
{
	JSON_FREED json_t *object = json_object();
	int result = 0;

	for (size_t i = 0; i < tables->count && !result; i++) {
		const struct row_source *source = lint_table_source(tables->table[i]);
		JSON_FREED json_t *name = json_bytes(source->name);
		struct lint_table_counts counts;

		result = lint_table_end(tables->table[i], tables->finding, tables->context, &counts,
					error);
		if (!result)
			json_object_set_new(object, json_string_value(name),
					    table_json(source, &counts));
	}
	if (tables->count)
		json_object_set(image, "tables", object);
	return result;
}
