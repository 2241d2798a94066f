/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ranking.c - engines x programs x kernels: who had most stacks exact, and at what cost
 *
 * A table per kernel and, if there are several, one over all, best first; then each program's shares.
 * A share is of the points at which an engine said something, or was silent and should not have
 * been. The order is compare's: the larger share of exact stacks, then the smaller one of those
 * called complete falsely, then the quicker walk; what is not known comes behind what is. Unproven
 * points are nobody's, and shown; so are the runs in which an engine was skipped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"
#include "base/cli/no_memory.h"
#include "html.h"
#include "results.h"

struct rank {
	const char *engine; /* borrowed */
	uint64_t points, exact, truncated, wrong, false_complete, silent, unproven, skipped;
	uint64_t own, own_right; /* frames in the program's own file */
	uint64_t walks, walk_ns, sized, bytes;
};

struct ranking {
	struct rank *rank;
	size_t count;
};

static struct rank *find(struct ranking *ranking, const char *engine)
{
	for (size_t i = 0; i < ranking->count; i++)
		if (!strcmp(ranking->rank[i].engine, engine))
			return &ranking->rank[i];
	return ARRAY_NEED(ranking->rank, ranking->count, (struct rank) { .engine = engine });
}

static void add_object(struct ranking *ranking, const json_t *object)
{
	bool score = !strcmp(json_text(object, "type"), "score");
	bool skip = !strcmp(json_text(object, "type"), "skip");

	if ((!score && !skip) || !json_text(object, "engine")[0])
		return;
	struct rank *rank = find(ranking, json_text(object, "engine"));
	rank->skipped += skip;
	if (skip)
		return;
	rank->points += json_number(object, "points") + json_number(object, "silent");
	rank->exact += json_number(object, "exact");
	rank->truncated += json_number(object, "truncated");
	rank->wrong += json_number(object, "wrong") + json_number(object, "extra");
	rank->false_complete += json_number(object, "false_complete");
	rank->silent += json_number(object, "silent");
	rank->unproven += json_number(object, "unproven");
	rank->own += json_number(object, "frames_own");
	rank->own_right += json_number(object, "frames_own_right");
	rank->walks += json_number(object, "walks");
	rank->walk_ns += json_number(object, "walk_ns");
	rank->sized += json_number(object, "walks_sized");
	rank->bytes += json_number(object, "bytes");
}

/* a/b against c/d; nothing of nothing is more than anything. */
static int compare_shares(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	unsigned __int128 left = (unsigned __int128)a * d, right = (unsigned __int128)c * b;

	if (!b || !d)
		return !b - !d;
	return left < right ? -1 : left > right;
}

static int best_first(const void *one, const void *two)
{
	const struct rank *a = one, *b = two;
	int order = !a->points - !b->points;

	if (!order)
		order = compare_shares(b->exact, b->points, a->exact, a->points);
	if (!order)
		order = compare_shares(a->false_complete, a->points, b->false_complete, b->points);
	if (!order)
		order = compare_shares(a->walk_ns, a->walks, b->walk_ns, b->walks);
	return order ? order : strcmp(a->engine, b->engine);
}

/* kernel, program: NULL, all. */
static void ranking_init(struct ranking *ret, const struct results *results, const char *kernel,
			 const char *program)
{
	*ret = (struct ranking) { NULL, 0 };
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		size_t index;
		json_t *object;

		if ((kernel && strcmp(cell->kernel, kernel)) ||
		    (program && strcmp(cell->program, program)))
			continue;
		json_array_foreach(cell->objects, index, object)
		{
			add_object(ret, object);
		}
	}
	if (ret->count)
		qsort(ret->rank, ret->count, sizeof(*ret->rank), best_first);
}

static void mean_print(char *ret, size_t size, uint64_t sum, uint64_t count)
{
	if (count)
		snprintf(ret, size, "%" PRIu64, sum / count);
	else
		snprintf(ret, size, "-");
}

/* Whether there are times of an emulated CPU. kernel: NULL, of any. */
static bool times_are_emulated(const struct results *results, const char *kernel)
{
	uint64_t walks = 0;

	for (size_t i = 0; i < results->kernel_count; i++) {
		const struct results_kernel *one = &results->kernel[i];
		struct ranking ranking;

		if ((kernel && strcmp(kernel, one->name)) || strcmp(one->accelerator, "tcg"))
			continue;
		ranking_init(&ranking, results, one->name, NULL);
		for (size_t j = 0; j < ranking.count; j++)
			walks += ranking.rank[j].walks;
		free(ranking.rank);
	}
	return walks > 0;
}

#define EMULATED_TIMES                                                                             \
	"ns/walk of an emulated CPU (TCG) is in it: that says nothing about a real one"

/* ---- text ------------------------------------------------------------------------------- */

static void print_table(const struct results *results, const char *kernel, FILE *file)
{
	struct ranking ranking;

	ranking_init(&ranking, results, kernel, NULL);
	fprintf(file, "%s\n",
		kernel ? PLAIN_TEXT(results_kernel_label(results, kernel)) : "over all kernels");
	if (!ranking.count)
		fprintf(file, "  no engine was asked there\n");
	else
		fprintf(file, "%4s  %-10s %10s %10s %12s %10s %10s %8s %8s %9s %8s %9s %11s\n",
			"rank", "engine", "exact", "own frames", "points", "truncated", "wrong",
			"false", "silent", "unproven", "skipped", "ns/walk", "bytes/walk");
	for (size_t i = 0; i < ranking.count; i++) {
		const struct rank *rank = &ranking.rank[i];
		char share[32], own[32], ns[32], bytes[32];

		share_print(share, sizeof(share), rank->exact, rank->points);
		share_print(own, sizeof(own), rank->own_right, rank->own);
		mean_print(ns, sizeof(ns), rank->walk_ns, rank->walks);
		mean_print(bytes, sizeof(bytes), rank->bytes, rank->sized);
		fprintf(file,
			"%4zu  %-10s %10s %10s %12" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64
			" %8" PRIu64 " %9" PRIu64 " %8" PRIu64 " %9s %11s\n",
			i + 1, PLAIN_TEXT(rank->engine), share, own, rank->points, rank->truncated,
			rank->wrong, rank->false_complete, rank->silent, rank->unproven,
			rank->skipped, ns, bytes);
	}
	if (times_are_emulated(results, kernel))
		fprintf(file, "  %s\n", EMULATED_TIMES);
	putc('\n', file);
	free(ranking.rank);
}

static bool first_of_program(const struct results *results, size_t index)
{
	return !ARRAY_ANY(index, i,
			  !strcmp(results->cell[i].program, results->cell[index].program));
}

static void share_of(char *ret, size_t size, struct ranking *own, const char *engine)
{
	snprintf(ret, size, "-");
	for (size_t i = 0; i < own->count; i++)
		if (!strcmp(own->rank[i].engine, engine))
			share_print(ret, size, own->rank[i].exact, own->rank[i].points);
}

static void print_programs(const struct results *results, const struct ranking *all, FILE *file)
{
	fprintf(file, "exact, by program\n%-18s", "program");
	for (size_t i = 0; i < all->count; i++)
		fprintf(file, " %10s", PLAIN_TEXT(all->rank[i].engine));
	putc('\n', file);
	for (size_t i = 0; i < results->cell_count; i++) {
		struct ranking own;
		char share[32];

		if (!first_of_program(results, i))
			continue;
		ranking_init(&own, results, NULL, results->cell[i].program);
		fprintf(file, "%-18s", PLAIN_TEXT(results->cell[i].program));
		for (size_t j = 0; j < all->count; j++) {
			share_of(share, sizeof(share), &own, all->rank[j].engine);
			fprintf(file, " %10s", share);
		}
		putc('\n', file);
		free(own.rank);
	}
}

void ranking_print(const struct results *results, FILE *file)
{
	struct ranking all;

	ranking_init(&all, results, NULL, NULL);
	for (size_t i = 0; i < results->kernel_count; i++)
		print_table(results, results->kernel[i].name, file);
	if (results->kernel_count > 1)
		print_table(results, NULL, file);
	if (all.count)
		print_programs(results, &all, file);
	free(all.rank);
}

/* ---- a page ----------------------------------------------------------------------------- */

static void put_rows(const struct results *results, const char *kernel, FILE *file)
{
	struct ranking ranking;

	ranking_init(&ranking, results, kernel, NULL);
	for (size_t i = 0; i < ranking.count; i++) {
		const struct rank *rank = &ranking.rank[i];
		char share[32], own[32], ns[32], bytes[32];

		share_print(share, sizeof(share), rank->exact, rank->points);
		share_print(own, sizeof(own), rank->own_right, rank->own);
		mean_print(ns, sizeof(ns), rank->walk_ns, rank->walks);
		mean_print(bytes, sizeof(bytes), rank->bytes, rank->sized);
		fputs("<tr>", file);
		html_cell(file, "keep", kernel ? results_kernel_label(results, kernel) : "all");
		html_number(file, i + 1);
		html_cell(file, NULL, rank->engine);
		html_cell(file, "n", share);
		html_cell(file, "n", own);
		html_number(file, rank->points);
		html_number(file, rank->wrong);
		html_number(file, rank->false_complete);
		html_number(file, rank->unproven);
		html_number(file, rank->skipped);
		html_cell(file, "n", ns);
		html_cell(file, "n", bytes);
		fputs("</tr>\n", file);
	}
	free(ranking.rank);
}

void ranking_html_print(const struct results *results, FILE *file)
{
	static const char *const columns[] = { "kernel",   "#rank",	      "engine",
					       "#exact",   "#own frames",     "#points",
					       "#wrong",   "#false complete", "#unproven",
					       "#skipped", "#ns/walk",	      "#bytes/walk",
					       NULL };

	struct ranking all;

	ranking_init(&all, results, NULL, NULL);
	free(all.rank);
	if (!all.count)
		return;
	html_print(file, "<h2 id=\"%s\">%s</h2>\n", "ranking", "Engines, best first");
	html_table_begin(file, columns);
	for (size_t i = 0; i < results->kernel_count; i++)
		put_rows(results, results->kernel[i].name, file);
	if (results->kernel_count > 1)
		put_rows(results, NULL, file);
	html_table_end(file);
	if (times_are_emulated(results, NULL))
		html_print(file, "<p>%s</p>\n", EMULATED_TIMES);
}
