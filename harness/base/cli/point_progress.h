/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * point_progress.h - how far a stepped run is, on a terminal
 */
#ifndef STACKPROOF_POINT_PROGRESS_H
#define STACKPROOF_POINT_PROGRESS_H

#include "progress_bar.h"

struct point_progress {
	struct progress_bar bar;
	const char *program; /* its file's name; borrowed */
};

/* program: its path, borrowed. limit: the largest number of points that the run can have; 0: not known. */
void point_progress_start(struct point_progress *progress, const char *program, uint64_t limit);
/* A point was judged. */
void point_progress_point(struct point_progress *progress);
/* Takes the line away. */
void point_progress_end(struct point_progress *progress);

#endif
