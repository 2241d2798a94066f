/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_compare.h - what `compare --json` printed, line by line, as cells
 *
 * For results_read.c alone.
 */
#ifndef STACKPROOF_RESULTS_COMPARE_H
#define STACKPROOF_RESULTS_COMPARE_H

#include "results.h"

/* Zero-initialise, and set results. */
struct compare_reader {
	struct results *results;
	json_t *runs;	  /* the number of runs by program */
	bool open;	  /* the last cell's run goes on */
	bool has_begun;	  /* the run has a "begin", so its "end" is still to come */
	bool last_is_bad; /* the last line could not be read */
};

/* Takes a line; context: a compare_reader. number: the line's, from 1, for error messages. */
void compare_reader_line(void *context, const char *line, size_t size, size_t number);
/* After the last line: cells without verdicts become errors. */
void compare_reader_end(struct compare_reader *reader);

#endif
