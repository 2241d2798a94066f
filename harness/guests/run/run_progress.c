/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_progress.c - what is shown while the matrix runs, on stderr
 *
 * On a terminal one line that redraws itself, "0:42  host 12/80  5.10 3/80  7.2 0/80"; elsewhere
 * (CI) a line per kernel when it is finished, and nothing that redraws. All calls hold the run's
 * lock.
 */
#include "clock.h"
#include "run.h"
#include "plain_text.h"

#define REDRAW_SECONDS 0.1

static void draw(struct run *run)
{
	struct run_progress *progress = &run->progress;
	unsigned elapsed = monotonic_seconds() - progress->start;

	/* CSI K: what a longer line left behind. */
	fprintf(progress->file, "\r%u:%02u", elapsed / 60, elapsed % 60);
	for (size_t lane = 0; lane < run->results->kernel_count; lane++) {
		const char *kernel = run->results->kernel[lane].name;
		size_t count[CELL_STATUS_COUNT], total = 0;

		results_count(run->results, kernel, count);
		for (int i = 0; i < CELL_STATUS_COUNT; i++)
			total += count[i];
		fprintf(progress->file, "  %s %zu/%zu",
			PLAIN_TEXT(results_kernel_label(run->results, kernel)),
			total - count[CELL_PENDING], total);
		size_t broken = count[CELL_FAILED] + count[CELL_ERROR];
		if (broken)
			fprintf(progress->file, " (%zu failed)", broken);
	}
	fputs("\033[K", progress->file);
	fflush(progress->file);
}

void progress_cell(struct run *run)
{
	struct run_progress *progress = &run->progress;
	double now = monotonic_seconds();

	if (!progress->file || !progress->live || now - progress->last < REDRAW_SECONDS)
		return;
	progress->last = now;
	draw(run);
}

void progress_lane_done(struct run *run, size_t lane)
{
	struct run_progress *progress = &run->progress;
	const struct results_kernel *kernel = &run->results->kernel[lane];
	size_t count[CELL_STATUS_COUNT];

	if (!progress->file || progress->live)
		return;
	results_count(run->results, kernel->name, count);
	fprintf(progress->file,
		"%s%s%s: %zu passed, %zu failed, %zu errors, %zu skipped, %.1f s%s%s\n",
		PLAIN_TEXT(results_kernel_label(run->results, kernel->name)),
		kernel->version[0] ? " = " : "", PLAIN_TEXT(kernel->version), count[CELL_PASSED],
		count[CELL_FAILED], count[CELL_ERROR] + count[CELL_PENDING], count[CELL_SKIPPED],
		kernel->total_ms / 1000.0, kernel->sentence[0] ? ": " : "",
		PLAIN_TEXT(kernel->sentence));
	fflush(progress->file);
}

void progress_end(struct run *run)
{
	if (!run->progress.file || !run->progress.live)
		return;
	fputs("\r\033[K", run->progress.file);
	fflush(run->progress.file);
}
