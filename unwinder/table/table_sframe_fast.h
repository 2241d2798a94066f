/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_sframe_fast.h - functions as assemblers write nearly all: a row that was met before is not decoded again
 *
 * A row's info byte and words, up to eight bytes, are a number, and few such numbers are in an image: libLLVM's 860,970
 * rows have 600. By that number a row's rule is found again. Rows that are close to each other form a run, and by the
 * run's distances and rules its entry is found again. What has anything else goes the plain way, and the two say the
 * same. Private to unwinder/.
 */
#ifndef STACKPROOF_TABLE_SFRAME_FAST_H
#define STACKPROOF_TABLE_SFRAME_FAST_H

#include "sframe/sframe.h"
#include "table_builder.h"

#define FAST_ROWS 1024 /* powers of two */
#define FAST_RUNS 8192

struct sframe_fast_row {
	uint64_t content; /* info byte and words */
	uint32_t rule;	  /* 0: none is kept here */
};

struct sframe_fast_run {
	uint64_t word[TABLE_SHAPE_ROWS / 4]; /* the rows as in a shape, the last one first */
	uint32_t what;			     /* the entry's content; 0: none is kept here */
};

struct sframe_fast {
	const struct sframe *sframe;
	struct table_builder *builder;
	/* The number of the rule for one row of a function, or a marker. */
	uint32_t (*make_rule)(void *context, const struct sframe_function *function,
			      const struct sframe_row *row);
	void *context;
	const struct sframe_header *header; /* what row[] holds for */
	struct sframe_fast_row row[FAST_ROWS];
	struct sframe_fast_run run[FAST_RUNS];
};

/*
 * Adds the function's rows, and from its end on TABLE_NO_ROW if ends_alone: no other function begins there. The run before
 * was cut. segment: the function lies in it. False: not this way; entries may have been added (builder_reset()).
 */
bool sframe_fast_function(struct sframe_fast *fast, const struct sframe_function *function,
			  const struct table_segment *segment, bool ends_alone);

#endif
