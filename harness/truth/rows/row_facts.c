/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_facts.c - facts about rows: found by a hash while a guest runs, sorted when it is over
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "hash.h"
#include "row_facts.h"

static const char *const kind_names[ROW_FACT_KIND_COUNT] = {
	[ROW_FACT_FRAME] = "frame",   [ROW_FACT_OUTERMOST] = "outermost",
	[ROW_FACT_SIGNAL] = "signal", [ROW_FACT_PREFIX] = "prefix",
	[ROW_FACT_DOUBT] = "doubt",
};

const char *row_fact_kind_name(enum row_fact_kind kind)
{
	return kind_names[kind];
}

int row_fact_compare(const struct row_fact *a, const struct row_fact *b)
{
#define BY(member)                                                                                 \
	if (a->member != b->member)                                                                \
	return a->member < b->member ? -1 : 1
	BY(image);
	BY(pc);
	BY(kind);
	BY(sp);
	BY(bp);
	BY(others);
	for (size_t i = 0; i < ROW_FACT_READINGS; i++) {
		BY(other[i].sp);
		BY(other[i].bp);
	}
#undef BY
	return 0;
}

static int compare(const void *left, const void *right)
{
	return row_fact_compare(left, right);
}

struct wanted {
	const struct row_facts *facts;
	const struct row_fact *fact;
};

static bool is_it(void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return !row_fact_compare(&wanted->facts->fact[number - 1], wanted->fact);
}

void row_fact_registers_join(struct row_fact_registers *into, const struct row_fact_registers *more)
{
	if (!more->known)
		return;
	if (!into->known) {
		*into = *more;
		return;
	}
	into->same &= more->same;
	for (size_t i = 0; i < CALLEE_SAVED_COUNT; i++)
		into->held[i] &= more->held[i];
}

void row_fact_return_join(struct row_fact_return *into, const struct row_fact_return *more)
{
	if (!more->known)
		return;
	if (!into->known) {
		*into = *more;
		return;
	}
	into->has &= more->has;
	into->lacks |= more->lacks;
	into->registers &= more->registers;
	into->registers_known &= more->registers_known;
}

bool row_facts_add(struct row_facts *facts, const struct row_fact *fact)
{
	struct wanted wanted = { facts, fact };
	uint64_t hash = hash_word(hash_word(hash_word(fact->pc, fact->image), (uint64_t)fact->sp),
				  (uint64_t)fact->bp ^ fact->kind ^
					  (uint64_t)fact->other[0].sp << 24);
	uint32_t *number = number_map_find(&facts->map, hash, is_it, &wanted);
	struct row_fact *known;

	if (!number)
		return false;
	if (!*number) {
		if (!ARRAY_ADD(facts->fact, facts->facts, *fact)) {
			facts->map.count--;
			return false;
		}
		*number = facts->facts;
		return true;
	}
	known = &facts->fact[*number - 1];
	known->proven += fact->proven;
	known->unproven += fact->unproven;
	row_fact_registers_join(&known->registers, &fact->registers);
	row_fact_return_join(&known->returns, &fact->returns);
	return true;
}

void row_facts_sort(struct row_facts *facts)
{
	number_map_deinit(&facts->map);
	ARRAY_SORT(facts->fact, facts->facts, compare);
	facts->sorted = true;
}

static uint32_t before(const struct row_facts *facts, uint32_t image, uint64_t pc)
{
	return (uint32_t)ARRAY_BEFORE(
		facts->facts, i,
		facts->fact[i].image < image ||
			(facts->fact[i].image == image && facts->fact[i].pc < pc));
}

uint32_t row_facts_find(const struct row_facts *facts, uint32_t image, uint64_t begin, uint64_t end,
			const struct row_fact **ret)
{
	uint32_t first = before(facts, image, begin);

	*ret = facts->fact + first;
	return before(facts, image, end) - first;
}

void row_facts_deinit(struct row_facts *facts)
{
	if (facts->text)
		for (uint32_t i = 0; i < facts->images; i++)
			free((void *)facts->image[i].build_id);
	free(facts->image);
	free(facts->fact);
	free(facts->text);
	number_map_deinit(&facts->map);
	*facts = (struct row_facts) { 0 };
}
