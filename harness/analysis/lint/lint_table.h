/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_table.h - any table against what is known at each instruction
 *
 * Lint knows at each instruction where the CFA and the caller's registers are, whatever the CFI
 * says (struct lint_point). So every other table of the same code can be held against that, too: the
 * compact one that BPF gets, or another tool's. All that is asked of a table is a *source*: what it
 * says at an address, as a row. A new reader is one function, row_at(), and nothing else.
 *
 *	lint_table.c	one table; what it came to
 *	lint_holding.c	all tables of an image; their counts as JSON
 *	lint_table.c	source: the image's compact table, each rule as a row again
 *	lint_table.c	source: what another tool printed, as `diff` reads it
 *
 * Which calls return and where exceptions land is decided with the CFI's help (flow.c), so a
 * row is accused of nothing that the CFI is accused of in the same words: that is the CFI's fault,
 * and only counted (as_cfi).
 */
#ifndef STACKPROOF_LINT_TABLE_H
#define STACKPROOF_LINT_TABLE_H

#include "lint.h"
#include "analysis/flow/flow_row.h"

#define LINT_MARKS_MAX	8    /* of one source */
#define LINT_SAID_BYTES 1024 /* of a row's expressions: one for the CFA and for each place */

enum lint_said_kind {
	LINT_SAID_NOTHING, /* no row */
	LINT_SAID_MARK,	   /* why there is none: accuses nobody */
	LINT_SAID_ROW,
};

/* What a table says at an address, and from where to where it says so: row.pc .. row.pc_end, of all
 * kinds. UINT64_MAX: to the end. */
struct lint_said {
	enum lint_said_kind kind;
	uint8_t mark; /* of LINT_SAID_MARK: number in source.mark */
	struct row row;
	/* Bits of registers, REGISTER_RIP's too, and FLOW_ROW_CFA: what the table has words for. A
	 * rule that it has words for, but not enough, is RULE_VAL_EXPRESSION without bytes. */
	uint32_t declared;
	uint32_t vague;			     /* of these: "unspecified" may stand for "undefined" */
	uint8_t expression[LINT_SAID_BYTES]; /* the row's, if the source has none elsewhere */
};

/* A table. row_at() is called with rising addresses mostly; what it gives is valid until *ret is
 * given to it again. */
struct lint_source {
	const char *name; /* in findings: "compact", a file's path */
	const char *mark[LINT_MARKS_MAX];
	void (*row_at)(void *context, uint64_t pc, struct lint_said *ret);
	void *context;
};

/* Of the instructions of FDEs; the first six add up to them. */
struct lint_table_counts {
	uint64_t proven, mismatch;
	uint64_t as_cfi;  /* mismatches that the CFI has, too */
	uint64_t missing; /* no row, where the CFI has one */
	uint64_t marked[LINT_MARKS_MAX];
	uint64_t unproven[FLOW_REASON_COUNT];
	uint64_t rows_beyond; /* rows of the table where no FDE is */
	uint64_t findings[LINT_ID_COUNT];
};

struct lint_table;

/* A table that nothing was held against yet. source must outlive it. 0, or -1. */
int lint_table_create(const struct cfi *cfi, const struct lint_source *source,
		      struct lint_table **ret, struct error *error);
void lint_table_destroy(struct lint_table *table);
const struct lint_source *lint_table_source(const struct lint_table *table);
/* As of struct lint_watch. */
void lint_table_point(struct lint_table *table, const struct lint_point *point);
void lint_table_judged(struct lint_table *table, uint64_t pc, enum flow_reason reason);
/* At last: each finding, in order of address, and the counts. 0, or -1: no memory. */
int lint_table_end(struct lint_table *table,
		   void (*finding)(void *context, const struct lint_finding *finding),
		   void *context, struct lint_table_counts *ret, struct error *error);

/* ---- lint_table.c ----------------------------------------------------------------------- */

#define LINT_COMPACT "compact" /* its source's name */

struct lint_compact;

/* The image's table as table_build() makes it. image must outlive it. 0, or -1. */
int lint_compact_create(const struct image *image, struct lint_compact **ret, struct error *error);
void lint_compact_destroy(struct lint_compact *compact);
/* Valid as long as compact is. */
struct lint_source lint_compact_source(struct lint_compact *compact);

/* ---- lint_holding.c ----------------------------------------------------------------------- */

/* Set finding and context: who gets the findings of all tables, and the CFI's. */
struct lint_holding {
	void (*finding)(void *context, const struct lint_finding *finding);
	void *context;
	/* private */
	struct lint_table **table;
	size_t count;
	struct lint_compact *compact;
	struct lint_source compact_source;
};

/* ret: for lint_image(). 0, or -1; lint_holding_deinit() in both cases. */
int lint_holding_init(struct lint_holding *holding, const struct lint_options *options,
		      const struct cfi *cfi, struct lint_watch *ret, struct error *error);
void lint_holding_deinit(struct lint_holding *holding);
/* At last: the tables' findings, and "tables" with their counts in an image's object. */
int lint_holding_end(struct lint_holding *holding, json_t *image, struct error *error);

/* "findings": {"SP001": count}. */
void lint_json_ids(json_t *object, const uint64_t counts[LINT_ID_COUNT]);
/* "unproven": sum, "unproven_reasons": {"not_reached": count}. */
void lint_json_unproven(json_t *object, const uint64_t counts[FLOW_REASON_COUNT]);

/* ---- lint_table.c -------------------------------------------------------------------------- */

struct lint_dump;

/* What the file says. from: as of diff_file_read(). path must outlive it. 0, or -1: unreadable, or no
 * dump. */
int lint_dump_create(const char *path, const char *from, struct lint_dump **ret,
		     struct error *error);
void lint_dump_destroy(struct lint_dump *dump);
struct lint_source lint_dump_source(struct lint_dump *dump);

#endif
