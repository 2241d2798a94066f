/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_moment.c - a thread's entries by time
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "score_moment.h"

struct moment {
	int32_t tid;
	uint32_t entry;
	uint64_t time_ns;
};

struct score_moments {
	const struct truth_file *file;
	struct moment *moment; /* by thread, and then in the file's order */
	size_t moments;
	uint32_t *found;
	size_t found_room;
};

static int by_thread(const void *a, const void *b)
{
	const struct moment *one = a, *other = b;

	if (one->tid != other->tid)
		return one->tid < other->tid ? -1 : 1;
	return (one->entry > other->entry) - (one->entry < other->entry);
}

int score_moments_create(const struct score_truth *truth, struct score_moments **ret,
			 struct error *error)
{
	size_t count = truth_file_entry_count(truth->file);
	struct score_moments *moments = calloc(1, sizeof(*moments));

	if (moments)
		moments->moment = calloc(count + 1, sizeof(*moments->moment));
	if (!moments || !moments->moment) {
		free(moments);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for kernel entries");
	}
	moments->file = truth->file;
	moments->moments = count;
	for (size_t i = 0; i < count; i++) {
		const struct truth_entry *entry = truth_file_entry(truth->file, i);

		moments->moment[i] = (struct moment) { entry->tid, (uint32_t)i, entry->time_ns };
	}
	qsort(moments->moment, count, sizeof(*moments->moment), by_thread);
	/* What has no time of its own was at that of the entry before. */
	for (size_t i = 1; i < count; i++)
		if (moments->moment[i].tid == moments->moment[i - 1].tid &&
		    moments->moment[i].time_ns < moments->moment[i - 1].time_ns)
			moments->moment[i].time_ns = moments->moment[i - 1].time_ns;
	*ret = moments;
	return 0;
}

void score_moments_destroy(struct score_moments *moments)
{
	if (!moments)
		return;
	free(moments->moment);
	free(moments->found);
	free(moments);
}

/* The thread's first moment later than a time, or what is behind its last one. */
static size_t first_later(const struct score_moments *moments, int32_t tid, uint64_t time_ns)
{
	return ARRAY_BEFORE(
		moments->moments, i,
		moments->moment[i].tid < tid ||
			(moments->moment[i].tid == tid && moments->moment[i].time_ns <= time_ns));
}

enum score_moment_kind score_moments_find(struct score_moments *moments, int32_t tid,
					  uint64_t time_ns, uint64_t within_ns,
					  const uint32_t **ret, size_t *ret_count)
{
	size_t thread = ARRAY_BEFORE(moments->moments, i, moments->moment[i].tid < tid);
	uint64_t low = time_ns > SCORE_MOMENT_NEAR_NS ? time_ns - SCORE_MOMENT_NEAR_NS : 0;
	size_t first, end = first_later(moments, tid, time_ns + within_ns + SCORE_MOMENT_NEAR_NS);
	const struct moment *moment = moments->moment;

	*ret_count = 0;
	if (thread == moments->moments || moment[thread].tid != tid)
		return SCORE_MOMENT_NONE;
	if (end == thread)
		return SCORE_MOMENT_BEFORE;
	if (!moment[end - 1].time_ns)
		return end < moments->moments && moment[end].tid == tid ? SCORE_MOMENT_BEFORE
									: SCORE_MOMENT_NONE;
	/* The last one before, and all that are at its time. */
	first = first_later(moments, tid, low);
	if (first > thread)
		first--;
	while (first > thread && moment[first - 1].time_ns == moment[first].time_ns)
		first--;
	if (!ARRAY_RESERVE(moments->found, moments->found_room, end - first))
		return SCORE_MOMENT_NONE;
	for (size_t i = first; i < end; i++)
		moments->found[(*ret_count)++] = moment[i].entry;
	*ret = moments->found;
	return SCORE_MOMENT_FOUND;
}

static bool is_at(const struct score_moments *moments, uint32_t entry, uint32_t image,
		  uint64_t address)
{
	const struct truth_node *node =
		truth_file_node(moments->file, truth_file_entry(moments->file, entry)->node);

	return node->image == image && node->address == address;
}

bool score_moments_is_at(const struct score_moments *moments, uint32_t image, uint64_t address)
{
	return is_at(moments, moments->found[0], image, address);
}

size_t score_moments_at(struct score_moments *moments, uint32_t image, uint64_t address,
			size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t entry = moments->found[i];

		if (!is_at(moments, entry, image, address))
			continue;
		moments->found[i] = moments->found[kept];
		moments->found[kept++] = entry;
	}
	return kept ? kept : count;
}
