/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes.h - two results held against each other: what became better or worse
 *
 *	changes.c		cells of one against cells of the other; outcomes; what is on one side only
 *	change_counts.c		an engine's score, the verdicts, points that were played: count by count
 *	change_findings.c	findings that are new, gone, or at more points than before
 *	changes_text.c		the result for people, worst first
 *	changes_json.c		the same as NDJSON: docs/JSON.md
 *	changes_cases.c		the same as cases, for CI servers
 *
 * A cell is one binary on one kernel (report/results.h). *Before* and *after* are two results, or two
 * kernels of one. A cell is compared if it was judged on both sides; the others are counted by
 * reason. A change is worse, better or other; one that is worse is a regression.
 *
 * Counts of points are held against each other as they are and as shares of the run's points: only
 * if both say the same is a count worse or better. A program that runs twice as long has twice the
 * findings' points, and nothing is worse. What was unproven, absent or not trapped is nobody's
 * fault: points that went there make no engine worse. Times and costs are not compared. A run of
 * less than half of the points was cut, or went elsewhere: what it found is worse all the same, what
 * it did not find is not better, and the cell is counted as not compared.
 */
#ifndef STACKPROOF_CHANGES_H
#define STACKPROOF_CHANGES_H

#include <jansson.h>
#include "base/cases/cases.h"
#include "base/gate/gate.h"
#include "reports/report/results.h"

enum change_what {
	CHANGE_STATUS, /* the cell's outcome */
	CHANGE_GONE,   /* there is no such cell any more, and it had passed */
	CHANGE_FINDING_NEW,
	CHANGE_FINDING_GONE,
	CHANGE_FINDING_POINTS, /* it is at more, or fewer */
	CHANGE_VERDICTS,
	CHANGE_ENGINE_GONE, /* it had a score; after is its "skip", if it has one */
	CHANGE_SCORE,	    /* of an engine */
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
	/* The finding's, the engine's, the verdicts' objects, borrowed; NULL: there is none. */
	const json_t *before, *after;
	/* Of a finding: all of that verdict and kind in that function. */
	uint64_t points_before, points_after;
	const char *ignored; /* why it is not worse; borrowed. NULL: it is in no list */
};

/* A cell with at least one change. */
struct changed_cell {
	const struct cell *before, *after; /* borrowed; NULL: it is on one side only */
	struct change *change;
	size_t count;
	bool compared;			 /* false: it is told, and proves nothing of after */
	enum change_direction direction; /* worse if one change is; else better if one is */
};

/* Why a cell is on one side only. */
enum one_side {
	ONE_SIDE_KERNEL,    /* nothing ran on that kernel */
	ONE_SIDE_TOOLCHAIN, /* nothing of that toolchain is there */
	ONE_SIDE_BINARY,
	ONE_SIDE_ENGINE, /* of a cell that is on both: the engine was not asked; engines */
	ONE_SIDE_COUNT,
};
const char *one_side_name(enum one_side reason);

struct changes {
	struct changed_cell *cell; /* worst first, once changes_sort() was called */
	size_t count;
	uint64_t compared;	 /* cells */
	uint64_t outcomes_alone; /* of these: nothing else of them can be held against each other */
	uint64_t direction[CHANGE_DIRECTION_COUNT]; /* cells that changed */
	uint64_t only[2][ONE_SIDE_COUNT];	    /* [0] before, [1] after */
	uint64_t skipped, not_judged;		    /* cells, on either side */
	uint64_t fewer_points;			    /* cells: after has less than half of them */
	uint64_t ignored;			    /* points of findings in the list of --ignore */
	bool cut_short[2];			    /* that run did not come to its end */
	bool bad_lines;
};

void changes_init(struct changes *changes);
void changes_deinit(struct changes *changes);
/*
 * Holds the cells of after against those of before, which must outlive changes. kernel_before and
 * kernel_after: only those of one lane, whatever its name; NULL: all, each against its own.
 */
void changes_add(struct changes *changes, const struct results *before, const char *kernel_before,
		 const struct results *after, const char *kernel_after);
/* Worst first. */
void changes_sort(struct changes *changes);
void changes_gate(const struct changes *changes, struct gate *ret);

/* ---- change_counts.c -------------------------------------------------------------------- */

/* A count of an object, and whose gain it is if it rises. */
struct measure {
	const char *name; /* in JSON */
	const char *text; /* for people */
	int gain;	  /* 1: good; -1: bad; 0: neither */
};

/* The counts of a score, of verdicts, of a replay; they end with a NULL name. */
const struct measure *change_measures(enum change_what what);
/* Whether both objects have the count, and it differs. */
bool measure_differs(const struct measure *measure, const json_t *before, const json_t *after);
/*
 * What became of a count: CHANGE_OTHER if nothing that can be said. excused: points that may have
 * gone, or come, without anybody's fault.
 */
enum change_direction measure_direction(enum change_what what, const struct measure *measure,
					const json_t *before, const json_t *after,
					uint64_t excused);
/* Whether after's run has less than half of before's points. */
bool change_points_cut(enum change_what what, const json_t *before, const json_t *after);
/* False: no count differs. *ret: what that is. excused as above. */
bool change_counts_compare(enum change_what what, const json_t *before, const json_t *after,
			   uint64_t excused, enum change_direction *ret);

/* ---- change_findings.c ------------------------------------------------------------------ */

/* Adds a change for each finding that is not the same on both sides, whose verdicts are given. The
 * points of those that are ignored and are more than before. */
uint64_t change_findings(struct changed_cell *cell, const json_t *verdicts_before,
			 const json_t *verdicts_after);
/* For files of this room: another change of the cell, CHANGE_OTHER so far. */
struct change *changed_cell_add(struct changed_cell *cell, enum change_what what);
/* The image's file name, or "the program" if it is the cell's own. */
const char *change_image(const struct cell *cell, const json_t *finding);

/* ---- changes_text.c, changes_json.c, changes_cases.c ------------------------------------ */

struct changes_report {
	FILE *file;
	const char *before, *after; /* what they are called */
	bool all;		    /* nothing is cut */
	bool only_summary;
	struct gate *gate;
	json_t *ignore; /* what its list was worth; NULL: there is none. Borrowed */
};

void changes_print_text(const struct changes_report *report, const struct changes *changes);
void changes_print_json(const struct changes_report *report, const struct changes *changes);
/* Adds to the last suite. */
void changes_cases(struct cases *cases, const struct changes *changes);

#endif
