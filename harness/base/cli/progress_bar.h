/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * progress_bar.h - how far a long command is, on stderr
 */
#ifndef STACKPROOF_PROGRESS_BAR_H
#define STACKPROOF_PROGRESS_BAR_H

#include <stdbool.h>
#include <stdint.h>

struct progress_bar {
	bool live; /* stderr is a terminal; else nothing is ever written */
	uint64_t done;
	uint64_t
		total; /* in any unit that time is proportional to; 0: not known, there is no bar */
	double start;
	double last;
};

void progress_bar_start(struct progress_bar *bar, uint64_t total);
/* Draws the bar with text behind it, at most ten times a second. */
void progress_bar_draw(struct progress_bar *bar, const char *text);
/* Clears the bar's line. To be called before anything else is written to a terminal, and at the end. */
void progress_bar_clear(struct progress_bar *bar);

#endif
