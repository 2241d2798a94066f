/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_match.c - which function of one table is which of the other
 *
 * By name, wherever it lies. Several of one name (static functions), and those without a name, are
 * told apart by what they say and by their order, as lines of a text are by Heckel's algorithm ("A
 * technique for isolating differences between files", CACM 21, 1978): contents that occur once on both
 * sides are the same function; so are neighbours of matched ones, first with equal contents, at last with
 * any. What is left over was added or removed. A named function whose name is gone matches only an
 * unnamed one with its contents: that is what stripping does. A dump of the other side's own image is
 * matched by address.
 */
#include <stdlib.h>
#include <string.h>
#include "diff/diff.h"

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

/* A function of either side, and where it is in its table. */
struct item {
	const struct diff_table *table;
	const struct diff_function *function;
	size_t index;
	bool in_b;
	size_t class; /* equal contents, equal class */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_contents(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;
	const struct diff_function *fa = a->function;
	const struct diff_function *fb = b->function;
	int order = compare_numbers(fa->length, fb->length);
	order = order ? order : compare_numbers(fa->row_count, fb->row_count);
	order = order ? order : compare_numbers(fa->signal, fb->signal);
	order = order ? order : compare_numbers(fa->diagnostic, fb->diagnostic);
	for (size_t i = 0; !order && i < fa->row_count; i++) {
		const struct diff_row *ra = &a->table->row[fa->first_row + i];
		const struct diff_row *rb = &b->table->row[fb->first_row + i];
		order = compare_numbers(ra->offset, rb->offset);
		/* Any order will do, and words are where they are for the whole run. */
		order = order ? order : compare_numbers((uintptr_t)ra->words, (uintptr_t)rb->words);
	}
	return order;
}

/* ---- keys -------------------------------------------------------------------------------- */

static int compare_keys(const struct item *a, const struct item *b, bool by_address)
{
	if (by_address)
		return compare_numbers(a->function->pc, b->function->pc);
	return strcmp(a->function->name, b->function->name);
}

/* Then side, then the table's order. */
static int compare_by(const struct item *a, const struct item *b, bool by_address)
{
	int order = compare_keys(a, b, by_address);
	order = order ? order : compare_numbers(a->in_b, b->in_b);
	return order ? order : compare_numbers(a->index, b->index);
}

static int compare_names(const void *a, const void *b)
{
	return compare_by(a, b, false);
}

static int compare_addresses(const void *a, const void *b)
{
	return compare_by(a, b, true);
}

static int compare_order(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;
	int order = compare_numbers(a->in_b, b->in_b);
	return order ? order : compare_numbers(a->index, b->index);
}

/* ---- align ------------------------------------------------------------------------------- */

/* How often a class occurs among unmatched items of each side, and where last. */
struct class_use {
	size_t count[2];
	size_t at[2];
	size_t next; /* where in b to look on for the class */
};

/* Items of a, then of b, each in order. */
struct aligner {
	struct item *item;
	size_t a_count;
	size_t count;
	struct class_use *use;
	size_t *match;	/* by item; DIFF_NONE */
	bool any_names; /* items with different names may be the same function */
};

static bool may_match(const struct aligner *aligner, size_t a, size_t b, bool equal)
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
	return equal ? !(ia->function->named && ib->function->named)
		     : !ia->function->named && !ib->function->named;
}

static void set_match(struct aligner *aligner, size_t a, size_t b)
{
	aligner->match[a] = b;
	aligner->match[b] = a;
}

static void match_unique(struct aligner *aligner)
{
	for (size_t i = 0; i < aligner->count; i++) {
		struct class_use *use = &aligner->use[aligner->item[i].class];
		bool in_b = i >= aligner->a_count;
		use->count[in_b]++;
		use->at[in_b] = i;
	}
	for (size_t i = 0; i < aligner->a_count; i++) {
		const struct class_use *use = &aligner->use[aligner->item[i].class];
		if (use->count[0] == 1 && use->count[1] == 1 &&
		    may_match(aligner, i, use->at[1], true))
			set_match(aligner, i, use->at[1]);
	}
}

/* Whoever follows (or precedes) a matched pair on both sides. */
static void match_neighbours(struct aligner *aligner, bool equal)
{
	size_t b_next = aligner->a_count; /* before the first is a matched pair too */
	for (size_t i = 0; i < aligner->a_count; i++) {
		if (b_next < aligner->count && may_match(aligner, i, b_next, equal))
			set_match(aligner, i, b_next);
		b_next = aligner->match[i] == DIFF_NONE ? SIZE_MAX : aligner->match[i] + 1;
	}
	size_t b_end = aligner->count; /* and behind the last */
	for (size_t i = aligner->a_count; i > 0; i--) {
		if (b_end > aligner->a_count && b_end != SIZE_MAX &&
		    may_match(aligner, i - 1, b_end - 1, equal))
			set_match(aligner, i - 1, b_end - 1);
		b_end = aligner->match[i - 1] == DIFF_NONE ? SIZE_MAX : aligner->match[i - 1];
	}
}

/* The same contents in order: link goes from an item of b to the next of its class. */
static void match_equal(struct aligner *aligner, size_t *link)
{
	for (size_t i = aligner->count; i > aligner->a_count; i--) {
		struct class_use *use = &aligner->use[aligner->item[i - 1].class];
		link[i - 1] = use->next;
		use->next = i - 1;
	}
	for (size_t i = 0; i < aligner->a_count; i++) {
		struct class_use *use = &aligner->use[aligner->item[i].class];
		while (use->next != DIFF_NONE && aligner->match[use->next] != DIFF_NONE)
			use->next = link[use->next];
		if (use->next != DIFF_NONE && may_match(aligner, i, use->next, true))
			set_match(aligner, i, use->next);
	}
}

/* Gives items of equal contents the same class. */
static void classify(struct item *item, size_t count)
{
	qsort(item, count, sizeof(*item), compare_contents);
	size_t class = 0;
	for (size_t i = 0; i < count; i++) {
		if (i && compare_contents(&item[i - 1], &item[i]))
			class ++;
		item[i].class = class;
	}
	qsort(item, count, sizeof(*item), compare_order);
}

static int align(struct item *item, size_t count, bool any_names, struct diff_match *ret,
		 struct error *error)
{
	struct aligner aligner = { .item = item, .count = count, .any_names = any_names };
	size_t *link = calloc(count + 1, sizeof(*link));
	aligner.use = calloc(count + 1, sizeof(*aligner.use));
	aligner.match = calloc(count + 1, sizeof(*aligner.match));
	if (!link || !aligner.use || !aligner.match) {
		free(link);
		free(aligner.use);
		free(aligner.match);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory to match functions");
	}
	classify(item, count);
	for (size_t i = 0; i < count; i++) {
		aligner.match[i] = DIFF_NONE;
		aligner.a_count += !item[i].in_b;
		link[i] = DIFF_NONE;
		aligner.use[i].next = DIFF_NONE;
	}
	match_unique(&aligner);
	match_neighbours(&aligner, true);
	match_equal(&aligner, link);
	match_neighbours(&aligner, false);
	for (size_t i = 0; i < aligner.a_count; i++)
		if (aligner.match[i] != DIFF_NONE) {
			size_t b = item[aligner.match[i]].index;
			ret->of_a[item[i].index] = b;
			ret->of_b[b] = item[i].index;
		}
	free(link);
	free(aligner.use);
	free(aligner.match);
	return 0;
}

/* ---- match ------------------------------------------------------------------------------- */

/* Functions that are (or aren't) matched yet, of both sides. */
static size_t collect(const struct diff_table *a, const struct diff_table *b,
		      const struct diff_match *match, bool named_only, struct item *ret)
{
	size_t count = 0;
	for (int in_b = 0; in_b < 2; in_b++) {
		const struct diff_table *table = in_b ? b : a;
		const size_t *of = in_b ? match->of_b : match->of_a;
		for (size_t i = 0; i < table->function_count; i++)
			if (of[i] == DIFF_NONE && (!named_only || table->function[i].named))
				ret[count++] = (struct item) { table, &table->function[i], i, in_b,
							       0 };
	}
	return count;
}

/* Groups of one key. One on each side: the same function, whatever it says. */
static int match_keys(struct item *item, size_t count, bool by_address, struct diff_match *ret,
		      struct error *error)
{
	qsort(item, count, sizeof(*item), by_address ? compare_addresses : compare_names);
	for (size_t start = 0, end; start < count; start = end) {
		for (end = start + 1; end < count; end++)
			if (compare_keys(&item[start], &item[end], by_address))
				break;
		if (end - start > 1 && align(&item[start], end - start, true, ret, error))
			return -1;
	}
	return 0;
}

int diff_match(const struct diff_table *a, const struct diff_table *b, bool by_address,
	       struct diff_match *ret, struct error *error)
{
	size_t total = a->function_count + b->function_count;
	struct item *item = calloc(total + 1, sizeof(*item));
	int result = -1;
	ret->of_a = malloc((a->function_count + 1) * sizeof(*ret->of_a));
	ret->of_b = malloc((b->function_count + 1) * sizeof(*ret->of_b));
	if (!item || !ret->of_a || !ret->of_b) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory to match functions");
		goto out;
	}
	for (size_t i = 0; i < a->function_count; i++)
		ret->of_a[i] = DIFF_NONE;
	for (size_t i = 0; i < b->function_count; i++)
		ret->of_b[i] = DIFF_NONE;
	size_t count = collect(a, b, ret, !by_address, item);
	result = match_keys(item, count, by_address, ret, error);
	if (!result && !by_address) {
		count = collect(a, b, ret, false, item);
		result = align(item, count, false, ret, error);
	}
out:
	free(item);
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
