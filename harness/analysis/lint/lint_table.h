/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_table.h - any table against what is known at each instruction
 *
 * Lint knows at each instruction where the CFA and the caller's registers are, whatever the CFI
 * says (struct lint_point). So every other table of the same code can be held against that, too: the
 * compact one that BPF gets, or another tool's: whatever is a source of rows (tables/rows/row_source.h).
 *
 *	lint_table.c	one table; what it came to
 *	lint_tables.c	all tables of an image; their counts as JSON
 *
 * Which calls return and where exceptions land is decided with the CFI's help (flow.c), so a
 * row is accused of nothing that the CFI is accused of in the same words: that is the CFI's fault,
 * and only counted (as_cfi).
 */
#ifndef STACKPROOF_LINT_TABLE_H
#define STACKPROOF_LINT_TABLE_H

#include "lint.h"
#include "analysis/flow/flow_row.h"
#include "tables/rows/row_source.h"

/* Of the instructions of FDEs; the first six add up to them. */
struct lint_table_counts {
	uint64_t proven, mismatch;
	uint64_t as_cfi;  /* mismatches that the CFI has, too */
	uint64_t missing; /* no row, where the CFI has one */
	uint64_t marked[ROW_MARKS_MAX];
	uint64_t unproven[FLOW_REASON_COUNT];
	uint64_t rows_beyond; /* rows of the table where no FDE is */
	uint64_t findings[LINT_ID_COUNT];
};

struct lint_table;

/* A table that nothing was held against yet. source must outlive it. 0, or -1. */
int lint_table_create(const struct cfi *cfi, const struct row_source *source,
		      struct lint_table **ret, struct error *error);
void lint_table_destroy(struct lint_table *table);
const struct row_source *lint_table_source(const struct lint_table *table);
/* As of struct lint_watch. */
void lint_table_point(struct lint_table *table, const struct lint_point *point);
void lint_table_judged(struct lint_table *table, uint64_t pc, enum flow_reason reason);
/* At last: each finding, in order of address, and the counts. 0, or -1: no memory. */
int lint_table_end(struct lint_table *table,
		   void (*finding)(void *context, const struct lint_finding *finding),
		   void *context, struct lint_table_counts *ret, struct error *error);

/* ---- lint_tables.c ----------------------------------------------------------------------- */

/* Set finding and context: who gets the findings of all tables, and the CFI's. */
struct lint_tables {
	void (*finding)(void *context, const struct lint_finding *finding);
	void *context;
	/* private */
	struct lint_table **table;
	size_t count;
	struct compact_rows *compact;
	struct row_source compact_source;
};

/* ret: for lint_image(). 0, or -1; lint_tables_deinit() in both cases. */
int lint_tables_init(struct lint_tables *tables, const struct lint_options *options,
		     const struct cfi *cfi, struct lint_watch *ret, struct error *error);
void lint_tables_deinit(struct lint_tables *tables);
/* At last: the tables' findings, and "tables" with their counts in an image's object. */
int lint_tables_end(struct lint_tables *tables, json_t *image, struct error *error);

/* "findings": {"SP001": count}. */
void lint_json_ids(json_t *object, const uint64_t counts[LINT_ID_COUNT]);
/* "unproven": sum, "unproven_reasons": {"not_reached": count}. */
void lint_json_unproven(json_t *object, const uint64_t counts[FLOW_REASON_COUNT]);

#endif
