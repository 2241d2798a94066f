/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * point_progress.c - how far a stepped run is, on a terminal
 *
 *	0:12  /bin/ls: 250624 points, 20885 in a second
 *
 * How many points a program has is known at its end only, so there is no bar, but with --limit.
 * Nothing is said of the instructions that are stepped without a point.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "clock.h"
#include "point_progress.h"

#define POINTS_BETWEEN 64 /* looks at the clock */

void point_progress_start(struct point_progress *progress, const char *program, uint64_t limit)
{
	const char *slash = strrchr(program, '/');

	progress->program = slash ? slash + 1 : program;
	progress_bar_start(&progress->bar, limit);
}

void point_progress_point(struct point_progress *progress)
{
	struct progress_bar *bar = &progress->bar;
	double seconds;
	char text[128];

	if (!bar->live || ++bar->done % POINTS_BETWEEN)
		return;
	seconds = monotonic_seconds() - bar->start;
	snprintf(text, sizeof(text), "%.40s: %" PRIu64 " points, %.0f in a second",
		 progress->program, bar->done, seconds > 0 ? bar->done / seconds : 0);
	progress_bar_draw(bar, text);
}

void point_progress_end(struct point_progress *progress)
{
	progress_bar_clear(&progress->bar);
}
