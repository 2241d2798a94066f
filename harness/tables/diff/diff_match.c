/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_match.c - which function of one table is which of the other
 *
 * By name, wherever it lies. Several of one name (static functions), and those without a name, are
 * told apart by what they say and by their order, as lines of a text are by Heckel's algorithm ("A
 * technique for isolating differences between files", CACM 21, 1978): contents that occur once on
 * both sides are the same function; so are neighbours of matched ones, first with equal contents,
 * at last with any. What is left over was added or removed. A named function whose name is gone
 * matches only an unnamed one with its contents: that is what stripping does. A dump of the other
 * side's own image is matched by address.
 */
#include <stdlib.h>
#include <string.h>
#include "diff.h"

/* ---- contents ---------------------------------------------------------------------------- */

bool diff_function_equal(const struct diff_table *a, const struct diff_function *fa,
			 const struct diff_table *b, const struct diff_function *fb)
{
	if (fa->length != fb->length || fa->signal != fb->signal ||
	    fa->diagnostic != fb->diagnostic || fa->row_count != fb->row_count)
		return false;
	for (size_t i = 0; i < fa->row_count; i++) {
		const struct diff_row *ra = &a->row[fa->first_row + i];
		const struct diff_row *rb = &b->row[fb->first_row + i];
		if (ra->offset != rb->offset || ra->words != rb->words)
			return false;
	}
	return true;
}

/* A function of either side. There may be one for each 11 bytes of a section. */
struct item {
	uint32_t at;	/* in a, or behind all of a in b */
	uint32_t class; /* equal contents, equal class */
};

/* What the numbers of items are about: each comparison gets it. */
struct sides {
	const struct diff_table *a;
	const struct diff_table *b;
};

static bool is_in_b(const struct sides *sides, const struct item *item)
{
	return item->at >= sides->a->function_count;
}

static const struct diff_table *table_of(const struct sides *sides, const struct item *item)
{
	return is_in_b(sides, item) ? sides->b : sides->a;
}

/* Its index in its table. */
static uint32_t index_of(const struct sides *sides, const struct item *item)
{
	return item->at - (is_in_b(sides, item) ? (uint32_t)sides->a->function_count : 0);
}

static const struct diff_function *function_of(const struct sides *sides, const struct item *item)
{
	return &table_of(sides, item)->function[index_of(sides, item)];
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_contents(const void *left, const void *right, void *context)
{
	const struct diff_function *fa = function_of(context, left);
	const struct diff_function *fb = function_of(context, right);
	const struct diff_row *row_a = table_of(context, left)->row;
	const struct diff_row *row_b = table_of(context, right)->row;
	int order = compare_numbers(fa->length, fb->length);
	order = order ? order : compare_numbers(fa->row_count, fb->row_count);
	order = order ? order : compare_numbers(fa->signal, fb->signal);
	order = order ? order : compare_numbers(fa->diagnostic, fb->diagnostic);
	/* A table without rows has no array to point into. */
	for (uint32_t i = 0; !order && i < fa->row_count; i++) {
		const struct diff_row *ra = &row_a[fa->first_row + i];
		const struct diff_row *rb = &row_b[fb->first_row + i];
		order = compare_numbers(ra->offset, rb->offset);
		/* Any order will do, and words are where they are for the whole run. */
		order = order ? order : compare_numbers((uintptr_t)ra->words, (uintptr_t)rb->words);
	}
	return order;
}

/* ---- keys -------------------------------------------------------------------------------- */

/* By name only functions that have one are sorted. */
static int compare_keys(const struct sides *sides, const struct item *a, const struct item *b,
			bool by_address)
{
	const struct diff_function *fa = function_of(sides, a), *fb = function_of(sides, b);
	return by_address ? compare_numbers(fa->pc, fb->pc) : strcmp(fa->name, fb->name);
}

/* Of a, then of b, each in the table's order. */
static int compare_order(const void *left, const void *right, void *context)
{
	const struct item *a = left, *b = right;
	return compare_numbers(a->at, b->at);
}

static int compare_names(const void *a, const void *b, void *context)
{
	int order = compare_keys(context, a, b, false);
	return order ? order : compare_order(a, b, context);
}

static int compare_addresses(const void *a, const void *b, void *context)
{
	int order = compare_keys(context, a, b, true);
	return order ? order : compare_order(a, b, context);
}

/* ---- align ------------------------------------------------------------------------------- */

/* How often a class occurs among unmatched items of each side, and where last. */
struct class_use {
	uint32_t at[2];
	uint32_t next;	  /* where in b to look on for the class */
	uint8_t count[2]; /* 2: or more */
};

/* Items of a, then of b, each in order. */
struct aligner {
	const struct sides *sides;
	struct item *item;
	uint32_t a_count;
	uint32_t count;
	struct class_use *use;
	uint32_t *match; /* by item; DIFF_NONE */
	bool any_names;	 /* items with different names may be the same function */
};

static bool may_match(const struct aligner *aligner, uint32_t a, uint32_t b, bool equal)
{
	const struct item *ia = &aligner->item[a];
	const struct item *ib = &aligner->item[b];
	if (aligner->match[a] != DIFF_NONE || aligner->match[b] != DIFF_NONE)
		return false;
	if (equal && ia->class != ib->class)
		return false;
	if (aligner->any_names)
		return true;
	/* A name that is gone: only what is surely the same, and one name at most. */
	bool named_a = function_of(aligner->sides, ia)->named;
	bool named_b = function_of(aligner->sides, ib)->named;
	return equal ? !(named_a && named_b) : !named_a && !named_b;
}

static void set_match(struct aligner *aligner, uint32_t a, uint32_t b)
{
	aligner->match[a] = b;
	aligner->match[b] = a;
}

static void match_unique(struct aligner *aligner)
{
	for (uint32_t i = 0; i < aligner->count; i++) {
		struct class_use *use = &aligner->use[aligner->item[i].class];
		bool in_b = i >= aligner->a_count;
		use->count[in_b] += use->count[in_b] < 2;
		use->at[in_b] = i;
	}
	for (uint32_t i = 0; i < aligner->a_count; i++) {
		const struct class_use *use = &aligner->use[aligner->item[i].class];
		if (use->count[0] == 1 && use->count[1] == 1 &&
		    may_match(aligner, i, use->at[1], true))
			set_match(aligner, i, use->at[1]);
	}
}

/* Whoever follows (or precedes) a matched pair on both sides. */
static void match_neighbours(struct aligner *aligner, bool equal)
{
	uint32_t b_next = aligner->a_count; /* before the first is a matched pair too */
	for (uint32_t i = 0; i < aligner->a_count; i++) {
		if (b_next < aligner->count && may_match(aligner, i, b_next, equal))
			set_match(aligner, i, b_next);
		b_next = aligner->match[i] == DIFF_NONE ? DIFF_NONE : aligner->match[i] + 1;
	}
	uint32_t b_end = aligner->count; /* and behind the last */
	for (uint32_t i = aligner->a_count; i > 0; i--) {
		if (b_end > aligner->a_count && b_end != DIFF_NONE &&
		    may_match(aligner, i - 1, b_end - 1, equal))
			set_match(aligner, i - 1, b_end - 1);
		b_end = aligner->match[i - 1];
	}
}

/* The same contents in order: link goes from an item of b to the next of its class. */
static void match_equal(struct aligner *aligner, uint32_t *link)
{
	for (uint32_t i = aligner->count; i > aligner->a_count; i--) {
		struct class_use *use = &aligner->use[aligner->item[i - 1].class];
		link[i - 1] = use->next;
		use->next = i - 1;
	}
	for (uint32_t i = 0; i < aligner->a_count; i++) {
		struct class_use *use = &aligner->use[aligner->item[i].class];
		while (use->next != DIFF_NONE && aligner->match[use->next] != DIFF_NONE)
			use->next = link[use->next];
		if (use->next != DIFF_NONE && may_match(aligner, i, use->next, true))
			set_match(aligner, i, use->next);
	}
}

/* Gives items of equal contents the same class; returns how many classes there are. */
static uint32_t classify(const struct sides *sides, struct item *item, uint32_t count)
{
	void *context = (void *)sides;
	uint32_t class = 0;
	qsort_r(item, count, sizeof(*item), compare_contents, context);
	for (uint32_t i = 0; i < count; i++) {
		if (i && compare_contents(&item[i - 1], &item[i], context))
			class ++;
		item[i].class = class;
	}
	qsort_r(item, count, sizeof(*item), compare_order, context);
	return class + 1;
}

/* link: room for count numbers. */
static void match_items(struct aligner *aligner, uint32_t classes, uint32_t *link)
{
	for (uint32_t i = 0; i < classes; i++)
		aligner->use[i].next = DIFF_NONE;
	for (uint32_t i = 0; i < aligner->count; i++) {
		aligner->match[i] = DIFF_NONE;
		aligner->a_count += !is_in_b(aligner->sides, &aligner->item[i]);
		link[i] = DIFF_NONE;
	}
	match_unique(aligner);
	match_neighbours(aligner, true);
	match_equal(aligner, link);
	match_neighbours(aligner, false);
}

static int align(const struct sides *sides, struct item *item, uint32_t count, bool any_names,
		 struct diff_match *ret, struct error *error)
{
	struct aligner aligner = {
		.sides = sides, .item = item, .count = count, .any_names = any_names
	};
	/* Sorting takes memory, too: before there is any of this. */
	uint32_t classes = classify(sides, item, count);
	FREED uint32_t *link = calloc(count + 1ul, sizeof(*link));
	int result = 0;
	aligner.use = calloc(classes, sizeof(*aligner.use));
	aligner.match = calloc(count + 1ul, sizeof(*aligner.match));
	if (link && aligner.use && aligner.match)
		match_items(&aligner, classes, link);
	else
		result = error_set(error, ERROR_MEMORY, "", 0, "no memory to match functions");
	for (uint32_t i = 0; !result && i < aligner.a_count; i++)
		if (aligner.match[i] != DIFF_NONE) {
			uint32_t a = index_of(sides, &item[i]);
			uint32_t b = index_of(sides, &item[aligner.match[i]]);
			ret->of_a[a] = b;
			ret->of_b[b] = a;
		}
	free(aligner.use);
	free(aligner.match);
	return result;
}

/* ---- match ------------------------------------------------------------------------------- */

/* Functions that aren't matched yet, of both sides. */
static uint32_t collect(const struct sides *sides, const struct diff_match *match, bool named_only,
			struct item *ret)
{
	uint32_t total = (uint32_t)(sides->a->function_count + sides->b->function_count);
	uint32_t count = 0;
	for (uint32_t at = 0; at < total; at++) {
		struct item item = { .at = at };
		const uint32_t *of = is_in_b(sides, &item) ? match->of_b : match->of_a;
		if (of[index_of(sides, &item)] == DIFF_NONE &&
		    (!named_only || function_of(sides, &item)->named))
			ret[count++] = item;
	}
	return count;
}

/* Groups of one key. One on each side: the same function, whatever it says. */
static int match_keys(const struct sides *sides, struct item *item, uint32_t count, bool by_address,
		      struct diff_match *ret, struct error *error)
{
	qsort_r(item, count, sizeof(*item), by_address ? compare_addresses : compare_names,
		(void *)sides);
	for (uint32_t start = 0, end; start < count; start = end) {
		for (end = start + 1; end < count; end++)
			if (compare_keys(sides, &item[start], &item[end], by_address))
				break;
		if (end - start > 1 && align(sides, &item[start], end - start, true, ret, error))
			return -1;
	}
	return 0;
}

int diff_match(const struct diff_table *a, const struct diff_table *b, bool by_address,
	       struct diff_match *ret, struct error *error)
{
	const struct sides sides = { a, b };
	size_t total = a->function_count + b->function_count;
	FREED struct item *item = calloc(total + 1, sizeof(*item));
	int result = -1;
	ret->of_a = malloc((a->function_count + 1) * sizeof(*ret->of_a));
	ret->of_b = malloc((b->function_count + 1) * sizeof(*ret->of_b));
	if (!item || !ret->of_a || !ret->of_b || total > DIFF_COUNT_MAX) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory to match functions");
		goto out;
	}
	memset(ret->of_a, 0xff, a->function_count * sizeof(*ret->of_a)); /* DIFF_NONE */
	memset(ret->of_b, 0xff, b->function_count * sizeof(*ret->of_b));
	uint32_t count = collect(&sides, ret, !by_address, item);
	result = match_keys(&sides, item, count, by_address, ret, error);
	if (!result && !by_address) {
		count = collect(&sides, ret, false, item);
		result = align(&sides, item, count, false, ret, error);
	}
out:
	if (result)
		diff_match_deinit(ret);
	return result;
}

void diff_match_deinit(struct diff_match *match)
{
	free(match->of_a);
	free(match->of_b);
	*match = (struct diff_match) { 0 };
}
