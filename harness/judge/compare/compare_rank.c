/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_rank.c - which engine did best: the order, and the table
 *
 * First comes who had the larger share of exact stacks. Of equals, who called fewer stacks complete
 * that were not: a stack that is short and says so does less harm. Then who was quicker, and then
 * who needed fewer bytes; what is not known comes behind what is. Shares are of the points at which
 * an engine said something. They are compared as fractions, so that no rounding makes a tie.
 *
 * Who said nothing at any point is last. Who was skipped has no rank.
 */
#include <inttypes.h>
#include <stdio.h>
#include "compare.h"
#include "compare_fraction.h"

/* Negative: a is better. */
static int compare_engines(const struct compare_engine *a, const struct compare_engine *b)
{
	const struct engine_score *left = &a->score, *right = &b->score;
	int order = !left->points - !right->points;

	if (!order)
		order = fraction_compare(
			(struct fraction) { right->match[MATCH_EXACT], right->points },
			(struct fraction) { left->match[MATCH_EXACT], left->points });
	if (!order)
		order = fraction_compare(
			(struct fraction) { left->false_complete, left->points },
			(struct fraction) { right->false_complete, right->points });
	if (!order)
		order = fraction_compare((struct fraction) { a->cost.walk_ns, a->cost.walks },
					 (struct fraction) { b->cost.walk_ns, b->cost.walks });
	if (!order)
		order = fraction_compare((struct fraction) { a->cost.bytes, a->cost.sized },
					 (struct fraction) { b->cost.bytes, b->cost.sized });
	return order;
}

size_t compare_rank(const struct comparison *comparison,
		    const struct compare_engine *ret[COMPARE_ENGINES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->engine_count; i++) {
		const struct compare_engine *engine = &comparison->engine[i];
		size_t at = count;

		if (engine->skipped)
			continue;
		for (; at && compare_engines(engine, ret[at - 1]) < 0; at--)
			ret[at] = ret[at - 1];
		ret[at] = engine;
		count++;
	}
	return count;
}

static void print_mean(FILE *file, int width, uint64_t sum, uint64_t count)
{
	if (count)
		fprintf(file, " %*.0f", width, (double)sum / (double)count);
	else
		fprintf(file, " %*s", width, "-");
}

/* Rounded down: 100 % is all of them. */
static void print_share(FILE *file, uint64_t part, uint64_t whole)
{
	if (whole)
		fprintf(file, " %8.3f %%",
			(double)((unsigned __int128)part * 100000 / whole) / 1000);
	else
		fprintf(file, " %10s", "-");
}

/* "  fp lost the caller at: library 94, entry 33" */
static void print_lost(FILE *file, const struct compare_engine *engine)
{
	const char *separator = "lost the caller at:";

	for (unsigned int where = 0; where < LOST_AT_COUNT; where++) {
		uint64_t count = engine->score.lost_at[where];

		if (!count)
			continue;
		if (*separator == 'l')
			fprintf(file, "      %-10s", engine->engine->name);
		fprintf(file, "%s%s %s %" PRIu64, *separator == ',' ? "" : " ", separator,
			lost_at_name(where), count);
		separator = ",";
	}
	if (*separator == ',')
		fputc('\n', file);
}

void compare_print_ranking(FILE *file, const struct comparison *comparison)
{
	const struct compare_engine *ranked[COMPARE_ENGINES_MAX];
	size_t count = compare_rank(comparison, ranked);

	if (!count)
		return;
	if (comparison_is_doubtful(comparison))
		fprintf(file,
			"The ranking rests on %" PRIu64 " of %" PRIu64
			" points: at the others nobody knows who is right.\n",
			comparison->points - comparison->verdict[VERDICT_UNPROVEN],
			comparison->points);
	fprintf(file, "ranking: most exact stacks first, then fewest false claims of a complete "
		      "one, then cost\n");
	fprintf(file, "%4s  %-10s %10s %10s %15s %8s %10s %10s %12s\n", "rank", "engine", "exact",
		"own frames", "false complete", "wrong", "truncated", "ns/stack", "bytes/stack");
	for (size_t i = 0; i < count; i++) {
		const struct engine_score *score = &ranked[i]->score;

		fprintf(file, "%4zu  %-10s", i + 1, ranked[i]->engine->name);
		print_share(file, score->match[MATCH_EXACT], score->points);
		print_share(file, score->frames_own_right, score->frames_own);
		fprintf(file, " %15" PRIu64 " %8" PRIu64 " %10" PRIu64, score->false_complete,
			score->match[MATCH_WRONG], score->match[MATCH_TRUNCATED]);
		print_mean(file, 10, ranked[i]->cost.walk_ns, ranked[i]->cost.walks);
		print_mean(file, 12, ranked[i]->cost.bytes, ranked[i]->cost.sized);
		fputc('\n', file);
	}
	for (size_t i = 0; i < comparison->engine_count; i++)
		print_lost(file, &comparison->engine[i]);
}
