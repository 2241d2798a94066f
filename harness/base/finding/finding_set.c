/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * finding_set.c - what was found before against what is found now: finding_record.h
 *
 * A new finding that is like a known one in the same function is noticed by their number: each makes one known.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/no_memory.h"
#include "finding_record.h"
#include "freed.h"

struct finding_held *finding_set_add(struct finding_set *set, const struct finding_record *finding,
				     char *key)
{
	return ARRAY_NEED(set->held, set->count,
			  (struct finding_held) { .finding = *finding, .key = key });
}

void finding_set_copy(struct finding_set *set, const struct finding_record *finding, char *key)
{
	char *texts;
	const struct finding_record copy = finding_record_copy(finding, &texts);

	finding_set_add(set, &copy, key)->texts = texts;
}

void finding_set_deinit(struct finding_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->held[i].key);
		free(set->held[i].moved);
		free(set->held[i].texts);
	}
	free(set->held);
	*set = (struct finding_set) { NULL };
}

static int by_key(const struct finding_held *a, const struct finding_held *b)
{
	return strcmp(a->key, b->key);
}

static int by_moved(const struct finding_held *a, const struct finding_held *b)
{
	return strcmp(a->moved, b->moved);
}

static int by_offset(const void *left, const void *right)
{
	const struct finding_held *a = left, *b = right;
	int order = by_key(a, b);

	if (!order && a->finding.offset != b->finding.offset)
		return a->finding.offset < b->finding.offset ? -1 : 1;
	return order;
}

static int by_place(const struct finding_held *a, const struct finding_held *b)
{
	int order = by_offset(a, b);

	return order ? order : strcmp(a->finding.function, b->finding.function);
}

void finding_set_sort(struct finding_set *set)
{
	if (set->count)
		qsort(set->held, set->count, sizeof(*set->held), by_offset);
}

typedef int (*order_fn)(const struct finding_held *a, const struct finding_held *b);

static int in_order(const void *left, const void *right, void *order)
{
	struct finding_held *const *a = left, *const *b = right;
	int result = (*(const order_fn *)order)(*a, *b);

	return result ? result : *a < *b ? -1 : *a > *b;
}

/* Those that are nobody's yet, in order; NULL behind them. To be freed. */
static struct finding_held **left_of(const struct finding_set *set, order_fn order)
{
	struct finding_held **left =
		need_memory(calloc(set->count + 1, sizeof(struct finding_held *)));
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		if (!set->held[i].same && (order != by_moved || set->held[i].moved))
			left[count++] = &set->held[i];
	qsort_r(left, count, sizeof(*left), in_order, &order);
	return left;
}

static void pair(const struct finding_set *before, const struct finding_set *now, order_fn order)
{
	FREED struct finding_held **lefts = left_of(before, order);
	FREED struct finding_held **rights = left_of(now, order);
	struct finding_held **left = lefts, **right = rights;

	while (*left && *right) {
		int result = order(*left, *right);

		if (!result) {
			(*left)->same = *right;
			(*right)->same = *left;
		}
		left += result <= 0;
		right += result >= 0;
	}
}

void finding_sets_match(struct finding_set *before, struct finding_set *now)
{
	pair(before, now, by_place);
	pair(before, now, by_key);
	pair(before, now, by_moved);
}
