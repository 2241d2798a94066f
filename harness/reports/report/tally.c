/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tally.c - figures over many cells
 *
 * Sums that every report for people needs: how many points each engine had exact on each
 * kernel, apart for code with and without frame pointers; which functions have table faults; and
 * what was skipped, or ignored, why. The numbers are compare's; nothing is judged here.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "array.h"
#include "base/cli/no_memory.h"
#include "results.h"

bool variant_omits_frame_pointer(const char *variant)
{
	static const char with[] = "-fp";
	size_t size = strlen(variant), suffix = strlen(with);

	return size < suffix || strcmp(variant + size - suffix, with) != 0;
}

void share_print(char *ret, size_t size, uint64_t exact, uint64_t points)
{
	if (!points) {
		snprintf(ret, size, "-");
		return;
	}
	uint64_t hundredths = (unsigned __int128)exact * 10000 / points;
	snprintf(ret, size, "%llu.%02llu %%", (unsigned long long)hundredths / 100,
		 (unsigned long long)hundredths % 100);
}

const char *tally_fault_whose(const struct tally_fault *fault)
{
	static const char *const whose[ORIGIN_COUNT] = {
		[ORIGIN_COMPILED] = "compiled code",
		[ORIGIN_HANDWRITTEN] = "hand-written or generated",
		[ORIGIN_STARTUP] = "start-up objects",
		[ORIGIN_LIBRARY] = "a library",
	};
	return whose[fault->origin];
}

static size_t engine_index(struct tally *tally, const struct results *results, const char *name)
{
	size_t kernels = results->kernel_count;

	for (size_t i = 0; i < tally->engine_count; i++) {
		if (!strcmp(tally->engine[i], name))
			return i;
	}
	size_t index = tally->engine_count;
	tally->share =
		need_memory(array_grown(tally->share, index, kernels * sizeof(*tally->share)));
	memset(&tally->share[index * kernels], 0, kernels * sizeof(*tally->share));
	ARRAY_NEED(tally->engine, tally->engine_count, name);
	return index;
}

static void add_score(struct tally *tally, const struct results *results, const struct cell *cell,
		      const json_t *score)
{
	const struct results_kernel *kernel = results_kernel_find(results, cell->kernel);

	if (!kernel || !json_text(score, "engine")[0])
		return;
	size_t engine = engine_index(tally, results, json_text(score, "engine"));
	size_t lane = kernel - results->kernel;
	struct tally_share *share = &tally->share[engine * results->kernel_count + lane];
	bool without = variant_omits_frame_pointer(cell->variant);
	bool sound = json_object_get(score, "points_sound") != NULL;
	share->points[without] += json_number(score, sound ? "points_sound" : "points");
	share->exact[without] += json_number(score, sound ? "exact_sound" : "exact");
	share->frames[without] += json_number(score, "frames_own");
	share->frames_right[without] += json_number(score, "frames_own_right");
	if (!strcmp(json_text(score, "engine"), "bpf"))
		tally->untrapped += json_number(score, "untrapped");
}

/* Adds a word to a space-separated list that does not hold it yet. */
static void add_word(char **list, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = *list; at && (at = strstr(at, word)); at += size) {
		if ((at == *list || at[-1] == ' ') && (!at[size] || at[size] == ' '))
			return;
	}
	char *longer = NULL;
	int status = asprintf(&longer, "%s%s%s", *list, **list ? " " : "", word);
	assert(status >= 0);
	free(*list);
	*list = longer;
}

static void add_fault(struct tally *tally, const struct results *results, const struct cell *cell,
		      const struct finding_record *finding)
{
	/* Each binary has its own _init: one line for all of them. */
	const char *function = finding->function, *image = cell_image(cell, finding);
	enum fault_origin origin = fault_origin_of(cell, finding);
	struct tally_fault *fault = ARRAY_FIRST(tally->fault, tally->fault_count, known,
						!strcmp(known->function, function) &&
							!strcmp(known->image, image) &&
							known->origin == origin);

	if (!fault)
		fault = ARRAY_NEED(tally->fault, tally->fault_count,
				   (struct tally_fault) { .function = strdup(function),
							  .image = strdup(image),
							  .toolchains = strdup(""),
							  .kernels = strdup(""),
							  .origin = origin });
	fault->points += finding_points(finding);
	if (fault->last != cell)
		fault->cells++;
	fault->last = cell;
	add_word(&fault->toolchains, cell->toolchain);
	add_word(&fault->kernels, results_kernel_label(results, cell->kernel));
}

static void add_skip(struct tally *tally, const struct cell *cell)
{
	struct tally_skip *skip = ARRAY_FIRST(tally->skip, tally->skip_count, known,
					      !strcmp(known->kernel, cell->kernel) &&
						      !strcmp(known->reason, cell->reason));

	if (!skip)
		skip = ARRAY_NEED(
			tally->skip, tally->skip_count,
			(struct tally_skip) { .kernel = cell->kernel, .reason = cell->reason });
	skip->cells++;
}

static void add_ignored(struct tally *tally, const struct finding_record *finding)
{
	const char *reason = finding->ignored;
	struct tally_ignored *ignored = ARRAY_FIRST(tally->ignored, tally->ignored_count, known,
						    !strcmp(known->reason, reason));

	if (!ignored)
		ignored = ARRAY_NEED(tally->ignored, tally->ignored_count,
				     (struct tally_ignored) { .reason = reason });
	ignored->findings++;
	ignored->points += finding->count;
}

static int more_points_first(const void *a, const void *b)
{
	const struct tally_fault *one = a, *two = b;

	if (one->points != two->points)
		return one->points > two->points ? -1 : 1;
	int order = strcmp(one->function, two->function);
	return order ? order : strcmp(one->image, two->image);
}

void tally_init(struct tally *tally, const struct results *results)
{
	*tally = (struct tally) { 0 };
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		struct finding_record finding;
		size_t index;
		json_t *object;

		if (cell->status == CELL_SKIPPED)
			add_skip(tally, cell);
		json_array_foreach(cell->objects, index, object)
		{
			if (!strcmp(json_text(object, "type"), "score"))
				add_score(tally, results, cell, object);
			else if (!strcmp(json_text(object, "type"), "verdicts"))
				tally->uncovered += json_number(object, "uncovered");
		}
		for (size_t at = 0; cell_finding(cell, &at, &finding);) {
			if (!strcmp(finding.verdict, "table_fault"))
				add_fault(tally, results, cell, &finding);
			if (finding.ignored && finding.ignored[0])
				add_ignored(tally, &finding);
		}
	}
	if (tally->fault_count) {
		qsort(tally->fault, tally->fault_count, sizeof(*tally->fault), more_points_first);
	}
}

void tally_deinit(struct tally *tally)
{
	for (size_t i = 0; i < tally->fault_count; i++) {
		free(tally->fault[i].function);
		free(tally->fault[i].image);
		free(tally->fault[i].toolchains);
		free(tally->fault[i].kernels);
	}
	free(tally->fault);
	free(tally->skip);
	free(tally->ignored);
	free(tally->share);
	free(tally->engine);
	*tally = (struct tally) { 0 };
}
