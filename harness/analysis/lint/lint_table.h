/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_table.h - holds any table against what is known at each instruction
 *
 * Before each instruction lint knows where the CFA and the caller's registers are, whatever the CFI says (struct
 * lint_point). So it can hold any other table of the same code against that: the compact one that BPF gets, or another
 * tool's, whatever is a source of rows (tables/rows/row_source.h).
 *
 *	lint_table.c	one table, and its counts
 *	lint_tables.c	all tables of an image; their counts as JSON
 *
 * The CFI has a part in what lint knows: which calls return, and where exceptions land (flow.c). So a row is not
 * accused if the CFI's row is wrong there in the same way: that is the CFI's fault, and only counted (as_cfi).
 */
#ifndef STACKPROOF_LINT_TABLE_H
#define STACKPROOF_LINT_TABLE_H

#include "lint.h"
#include "analysis/flow/flow_row.h"
#include "tables/rows/row_source.h"

/* Counts of the instructions of FDEs. The first six members add up to all. */
struct lint_table_counts {
	uint64_t proven, mismatch;
	uint64_t as_cfi;  /* mismatches that the CFI has, too */
	uint64_t missing; /* the table has no row, and the CFI has one */
	uint64_t marked[ROW_MARKS_MAX];
	uint64_t unproven[FLOW_REASON_COUNT];
	uint64_t rows_beyond; /* rows of the table that no FDE covers any part of */
	uint64_t findings[LINT_ID_COUNT];
};

struct lint_table;

/* The caller frees *ret: lint_table_destroy(). Borrows cfi and source. 0, or -1. */
int lint_table_create(const struct cfi *cfi, const struct row_source *source,
		      struct lint_table **ret, struct error *error);
void lint_table_destroy(struct lint_table *table);
const struct row_source *lint_table_source(const struct lint_table *table);
/* As of struct lint_watch. */
void lint_table_point(struct lint_table *table, const struct lint_point *point);
void lint_table_judged(struct lint_table *table, uint64_t pc, enum flow_reason reason);
/* Last: tells each finding, by address, and sets the counts. 0, or -1: no memory. */
int lint_table_end(struct lint_table *table,
		   void (*finding)(void *context, const struct lint_finding *finding),
		   void *context, struct lint_table_counts *ret, struct error *error);

/* ---- lint_tables.c ----------------------------------------------------------------------- */

/* Zero-initialise, and set finding and context: they get the findings of all tables, and of the CFI. */
struct lint_tables {
	void (*finding)(void *context, const struct lint_finding *finding);
	void *context;
	/* private */
	struct lint_table **table;
	size_t count;
	struct compact_rows *compact;
	struct row_source compact_source;
	struct sframe_source *sframe; /* NULL: not wanted, or the image has none */
	struct row_source sframe_rows;
};

/* Sets *ret for lint_image(). Borrows options and cfi. 0, or -1; lint_tables_deinit() in both cases. */
int lint_tables_init(struct lint_tables *tables, const struct lint_options *options,
		     const struct cfi *cfi, struct lint_watch *ret, struct error *error);
void lint_tables_deinit(struct lint_tables *tables);
/* Last: tells the tables' findings, and adds "tables" with their counts to the image's object. 0, or -1: no memory. */
int lint_tables_end(struct lint_tables *tables, json_t *image, struct error *error);

/* Adds "findings": {"SP001": count}. */
void lint_json_ids(json_t *object, const uint64_t counts[LINT_ID_COUNT]);
/* Adds "unproven": sum, and "unproven_reasons": {"not_reached": count}. */
void lint_json_unproven(json_t *object, const uint64_t counts[FLOW_REASON_COUNT]);

#endif
