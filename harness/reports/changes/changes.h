/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes.h - two results compared: what became better or worse
 *
 *	changes.c		matches the cells; compares outcomes; cells that are on one side only
 *	change_counts.c		an engine's score, the verdicts, points that were played: count by count
 *	change_findings.c	findings that are new, gone, or at more or fewer points
 *	changes_text.c		the result for people, worst first
 *	changes_json.c		the same as NDJSON: docs/JSON.md
 *	changes_cases.c		the same as cases, for CI servers
 *
 * A cell is one binary on one kernel (report/results.h). *Before* and *after* are two results, or two
 * kernels of one. A cell is compared if it was judged on both sides; the others are counted by
 * reason. A change is worse, better or other; a worse change is a regression.
 *
 * Counts of points are compared as they are, and as shares of the run's points. A count is worse or
 * better only if both comparisons agree: a program that runs twice as long has twice the findings'
 * points, but is not worse. Points that became unproven, absent or untrapped are nobody's fault, and
 * make no engine worse. Times and costs are not compared. A run with less than half of the points was
 * cut short, or took another path: what it found is worse all the same, what it did not find is not
 * better, and the cell counts as not compared.
 */
#ifndef STACKPROOF_CHANGES_H
#define STACKPROOF_CHANGES_H

#include <jansson.h>
#include "base/cases/cases.h"
#include "base/gate/gate.h"
#include "reports/report/results.h"

enum change_what {
	CHANGE_STATUS, /* the cell's outcome */
	CHANGE_GONE,   /* the cell had been judged, and is not in after */
	CHANGE_FINDING_NEW,
	CHANGE_FINDING_GONE,
	CHANGE_FINDING_POINTS, /* the finding is at more, or fewer points */
	CHANGE_VERDICTS,
	CHANGE_ENGINE_GONE, /* the engine has no score any more; after: its "skip" object, if any */
	CHANGE_SCORE,	    /* an engine's score */
	CHANGE_REPLAY,	    /* points that were played */
	CHANGE_WHAT_COUNT,
};
/* "finding_new". */
const char *change_what_name(enum change_what what);

enum change_direction { CHANGE_WORSE, CHANGE_BETTER, CHANGE_OTHER, CHANGE_DIRECTION_COUNT };
/* "worse". */
const char *change_direction_name(enum change_direction direction);

struct change {
	enum change_what what;
	enum change_direction direction;
	/* The JSON objects of the engine or verdicts; borrowed. NULL: none. */
	const json_t *before, *after;
	/* Of a finding change: as it is after, or was; and the points of all findings of this verdict and kind in
	 * this function. */
	struct finding_record finding;
	uint64_t points_before, points_after;
	const char *ignored; /* why an ignore list excuses it, so that it is not worse; or NULL */
};

/* A cell with at least one change. */
struct changed_cell {
	const struct cell *before, *after; /* borrowed; NULL: the cell is on one side only */
	struct change *change;
	size_t count;
	bool compared; /* false: its changes are told, but prove nothing of after */
	enum change_direction direction; /* worse if any change is; else better if any is */
};

/* Why a cell is on one side only. */
enum one_side {
	ONE_SIDE_KERNEL,    /* the other side has no cell of its kernel */
	ONE_SIDE_TOOLCHAIN, /* the other side has no cell of its toolchain */
	ONE_SIDE_BINARY,
	ONE_SIDE_ENGINE, /* counts engines: scored on one side of a cell that is on both */
	ONE_SIDE_COUNT,
};
const char *one_side_name(enum one_side reason);

struct changes {
	struct changed_cell *cell; /* worst first, once changes_sort() was called */
	size_t count;
	uint64_t compared;	 /* cells */
	uint64_t outcomes_alone; /* compared cells of which only the outcome can be compared */
	uint64_t direction[CHANGE_DIRECTION_COUNT]; /* cells that changed */
	uint64_t only[2][ONE_SIDE_COUNT];	    /* [0] only in before, [1] only in after */
	uint64_t skipped, not_judged;		    /* cells, on either side */
	uint64_t fewer_points;			    /* cells: after has less than half the points */
	uint64_t ignored;  /* points of findings that --ignore's list has */
	bool cut_short[2]; /* [0] before, [1] after did not come to its end */
	bool bad_lines;	   /* either side has lines that can't be read */
};

void changes_init(struct changes *changes);
void changes_deinit(struct changes *changes);
/*
 * Compares the cells of after with those of before; both must outlive changes. kernel_before and
 * kernel_after: the two kernels whose cells are compared; both NULL: all, each with the same kernel.
 */
void changes_add(struct changes *changes, const struct results *before, const char *kernel_before,
		 const struct results *after, const char *kernel_after);
/* Worst first. */
void changes_sort(struct changes *changes);
void changes_gate(const struct changes *changes, struct gate *ret);

/* ---- change_counts.c -------------------------------------------------------------------- */

/* A count in a JSON object. */
struct measure {
	const char *name; /* in JSON */
	const char *text; /* for people */
	int gain;	  /* a rise is 1: good; -1: bad; 0: neither */
};

/* The counts of a score, of verdicts, of a replay; they end with a NULL name. */
const struct measure *change_measures(enum change_what what);
/* True if both objects have the count, and it differs. */
bool measure_differs(const struct measure *measure, const json_t *before, const json_t *after);
/*
 * Whether a count became worse, better, or neither (CHANGE_OTHER). excused: points of a loss that are
 * nobody's fault.
 */
enum change_direction measure_direction(enum change_what what, const struct measure *measure,
					const json_t *before, const json_t *after,
					uint64_t excused);
/* True if after's run has less than half of before's points. */
bool change_points_cut(enum change_what what, const json_t *before, const json_t *after);
/* Compares all counts. False: none differs. *ret: worse if any count is; else better if any is. */
bool change_counts_compare(enum change_what what, const json_t *before, const json_t *after,
			   uint64_t excused, enum change_direction *ret);

/* ---- change_findings.c ------------------------------------------------------------------ */

/* Adds a change for each finding that differs between the sides, whose "verdicts" objects are given.
 * Returns how many points the ignored findings have more than before. */
uint64_t change_findings(struct changed_cell *cell, const json_t *verdicts_before,
			 const json_t *verdicts_after);
/* For files of this room: adds a change to the cell, with CHANGE_OTHER. Valid until the next call. */
struct change *changed_cell_add(struct changed_cell *cell, enum change_what what);
/* The cell that a finding change's finding is of. */
const struct cell *change_cell(const struct changed_cell *cell, const struct change *change);

/* ---- changes_text.c, changes_json.c, changes_cases.c ------------------------------------ */

struct changes_report {
	FILE *file;
	const char *before, *after; /* the names of the two results */
	bool all;		    /* print all changes, not only the first ones */
	bool only_summary;
	struct gate *gate;
	json_t *ignore; /* the use of --ignore's list, as JSON; or NULL. Borrowed */
};

void changes_print_text(const struct changes_report *report, const struct changes *changes);
void changes_print_json(const struct changes_report *report, const struct changes *changes);
/* Adds to the last suite. */
void changes_cases(struct cases *cases, const struct changes *changes);

#endif
