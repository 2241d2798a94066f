/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_kernel_fault.c - the same binary, the same walk, another kernel: other stacks?
 *
 * compare sums up bpf's stacks over all points in a digest that does not depend on where things
 * were mapped. If it differs between two kernels though the same points were walked, a verifier, a
 * helper or the kernel behaves differently. It is *not comparable*, and counted as that, when
 *
 *	- one of the two has no digest, or another number of points, or was cut short;
 *	- the truths' digests differ, or bpf was exact everywhere on both: then the program itself
 *	  ran differently (the C library picks other functions on another CPU), which says nothing
 *	  about the walk.
 *
 * A kernel is held against the first one before it in the matrix that can be compared with it (two
 * guests have the same CPU, the host has another). Of a pair that differs, the one with fewer exact
 * points is at fault, the later one if they are equal.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "base/cli/no_memory.h"
#include "run.h"

/* What is held against each other: bpf's score, and the verdicts beside it. */
struct evidence {
	struct cell *cell;
	json_t *score;
	json_t *verdicts;
};

static struct evidence evidence_get(struct cell *cell)
{
	return (struct evidence) { .cell = cell,
				   .score = cell_object(cell, "score", "bpf"),
				   .verdicts = cell_object(cell, "verdicts", NULL) };
}

static bool all_exact(const struct evidence *evidence)
{
	return json_count(evidence->score, "exact") == json_count(evidence->score, "points");
}

static bool comparable(const struct evidence *one, const struct evidence *two)
{
	const char *truth_one = json_text(one->verdicts, "truth_digest");
	const char *truth_two = json_text(two->verdicts, "truth_digest");

	if (json_text(one->verdicts, "partial")[0] || json_text(two->verdicts, "partial")[0])
		return false;
	if (!json_text(one->score, "digest")[0] || !json_text(two->score, "digest")[0] ||
	    json_count(one->score, "points") != json_count(two->score, "points"))
		return false;
	if (!strcmp(json_text(one->score, "digest"), json_text(two->score, "digest")))
		return true;
	if (truth_one[0] && truth_two[0])
		return !strcmp(truth_one, truth_two);
	return !all_exact(one) || !all_exact(two);
}

static void blame(const struct evidence *guilty, const struct evidence *other)
{
	struct cell *cell = guilty->cell;
	json_int_t points = json_count(other->score, "exact") - json_count(guilty->score, "exact");
	json_t *finding = JSON_NEW("type", "finding", "verdict", "kernel_fault", "other_kernel",
				   other->cell->kernel, "digest",
				   json_text(guilty->score, "digest"), "other_digest",
				   json_text(other->score, "digest"));

	/* A digest does not say at how many points they differ: at least at one. */
	JSON_SET(guilty->verdicts, "kernel_fault", points > 0 ? points : 1);
	if (finding)
		cell_add_object(cell, finding);
	if (cell->status == CELL_PASSED) {
		cell_set(cell, CELL_FAILED, "kernel_fault: bpf's stacks are not those on %s",
			 other->cell->kernel);
		return;
	}
	char before[512];
	snprintf(before, sizeof(before), "%s", cell->reason);
	cell_set(cell, CELL_FAILED, "%s; kernel_fault: bpf's stacks are not those on %s", before,
		 other->cell->kernel);
}

/* Holds a kernel against the first earlier one that can be compared with it. */
static void compare_with_earlier(struct results *results, const struct evidence *earlier,
				 size_t count, const struct evidence *other)
{
	for (size_t i = 0; i < count; i++) {
		const struct evidence *reference = &earlier[i];

		if (!comparable(reference, other))
			continue;
		results->compared++;
		if (!strcmp(json_text(reference->score, "digest"),
			    json_text(other->score, "digest")))
			return;
		if (json_count(reference->score, "exact") < json_count(other->score, "exact"))
			blame(reference, other);
		else
			blame(other, reference);
		return;
	}
	if (count)
		results->not_comparable++;
}

void results_compare_kernels(struct results *results)
{
	size_t binaries = results->kernel_count ? results->cell_count / results->kernel_count : 0;
	FREED struct evidence *earlier =
		need_memory(calloc(results->kernel_count + 1, sizeof(*earlier)));

	for (size_t binary = 0; binary < binaries; binary++) {
		size_t count = 0;
		for (size_t lane = 0; lane < results->kernel_count; lane++) {
			struct evidence evidence =
				evidence_get(&results->cell[lane * binaries + binary]);
			/* Skips and errors are reported as such; only judged cells are compared. */
			if (!evidence.score || !evidence.verdicts ||
			    evidence.cell->status == CELL_ERROR)
				continue;
			compare_with_earlier(results, earlier, count, &evidence);
			earlier[count++] = evidence;
		}
	}
}
