/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_progress.h - how far a comparison is, on a terminal
 */
#ifndef STACKPROOF_COMPARE_PROGRESS_H
#define STACKPROOF_COMPARE_PROGRESS_H

#include "cli/progress_bar.h"

struct compare_progress {
	struct progress_bar bar;
	const char *program; /* its file's name; borrowed */
};

/* limit: the points that there will be at most; 0: not known. */
void compare_progress_start(struct compare_progress *progress, const char *program, uint64_t limit);
/* A point was judged. */
void compare_progress_point(struct compare_progress *progress);
/* Takes the line away. */
void compare_progress_end(struct compare_progress *progress);

#endif
