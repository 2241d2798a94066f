/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * progress_bar.c - how far a long command is, on stderr
 *
 *	[#########           ] 45%  1:12, 1:28 left  1,102 of 2,445 images
 *
 * One line that redraws itself, and only on a terminal: a log gets nothing.
 */
#include <stdio.h>
#include <unistd.h>
#include "clock.h"
#include "progress_bar.h"
#include "plain_text.h"

#define WIDTH	       20
#define REDRAW_SECONDS 0.1

void progress_bar_start(struct progress_bar *bar, uint64_t total)
{
	*bar = (struct progress_bar) { .live = isatty(STDERR_FILENO) == 1, .total = total };
	bar->start = monotonic_seconds();
}

void progress_bar_draw(struct progress_bar *bar, const char *text)
{
	double now = monotonic_seconds();
	unsigned int elapsed = now - bar->start;

	if (!bar->live || now - bar->last < REDRAW_SECONDS)
		return;
	bar->last = now;
	if (!bar->total) {
		fprintf(stderr, "\r%u:%02u  %s\033[K", elapsed / 60, elapsed % 60,
			PLAIN_TEXT(text));
		fflush(stderr);
		return;
	}
	double share = (double)bar->done / (double)bar->total;
	int filled = (int)(share * WIDTH);
	fprintf(stderr, "\r[%.*s%*s] %3.0f%%  %u:%02u", filled, "####################",
		WIDTH - filled, "", 100 * share, elapsed / 60, elapsed % 60);
	if (share > 0.02) {
		unsigned int left = (unsigned int)((now - bar->start) * (1 - share) / share);

		fprintf(stderr, ", %u:%02u left", left / 60, left % 60);
	}
	fprintf(stderr, "  %s\033[K", PLAIN_TEXT(text)); /* CSI K: what a longer line left behind */
	fflush(stderr);
}

void progress_bar_clear(struct progress_bar *bar)
{
	if (!bar->live || !bar->last)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	bar->last = 0;
}
