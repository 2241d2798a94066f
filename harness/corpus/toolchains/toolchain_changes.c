/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchain_changes.c - what kind of change two tables of one function show
 *
 * Rows can't be held against rows where the code is another. What a reader of tables asks is: does
 * it still say where the frame ends at each ret, is the CFA on rbp now, has it begun to use
 * remember_state, are other registers saved. So a function's table is its features and a few
 * numbers, and a change is what came and what went. The order of the texts below is the order of
 * importance: an unwinder fails without an FDE, and goes wrong where an epilogue is not described.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/no_memory.h"
#include "toolchain_model.h"

static const struct feature_text features[FEATURE_COUNT] = {
	{ "fde", "has an FDE", "has no FDE" },
	{ "epilogues", "epilogues described", "epilogue not described" },
	{ "cfa_rbp", "CFA on rbp", "CFA not on rbp" },
	{ "cfa_other", "CFA on another register", "CFA on no other register" },
	{ "cfa_expression", "CFA by expression", "no CFA by expression" },
	{ "saved_expression", "a register by expression", "no register by expression" },
	{ "remember_state", "uses remember_state", "no remember_state" },
	{ "args_size", "GNU_args_size", "no GNU_args_size" },
	{ "personality", "personality routine", "no personality routine" },
	{ "signal", "signal frame", "no signal frame" },
	{ "malformed", "malformed", "not malformed" },
};

static const char *const numbers[NUMBER_COUNT] = {
	[NUMBER_SAVED] = "saved", [NUMBER_CFA_MAX] = "cfa_max", [NUMBER_ROWS] = "rows",
	[NUMBER_RULES] = "rules", [NUMBER_BYTES] = "cfi_bytes",
};

static const char *const outcomes[FUNCTION_OUTCOME_COUNT] = {
	[FUNCTION_EQUAL] = "equal", [FUNCTION_MOVED] = "moved",	    [FUNCTION_CHANGED] = "changed",
	[FUNCTION_ADDED] = "added", [FUNCTION_REMOVED] = "removed",
};

static const char *const reasons[] = {
	[PAIR_NEXT_VERSION] = "next_version",
	[PAIR_OTHER_FAMILY] = "other_family",
	[PAIR_OTHER_LINKER] = "other_linker",
	[PAIR_SIDE_BY_SIDE] = "side_by_side",
};

const struct feature_text *feature_text(unsigned int index)
{
	assert(index < FEATURE_COUNT);
	return &features[index];
}

const char *function_number_name(enum function_number number)
{
	assert(number < NUMBER_COUNT);
	return numbers[number];
}

const char *function_outcome_name(enum function_outcome outcome)
{
	assert(outcome < FUNCTION_OUTCOME_COUNT);
	return outcomes[outcome];
}

const char *pair_reason_name(enum pair_reason reason)
{
	return reasons[reason];
}

void function_change_classify(struct function_change *change)
{
	const struct function_profile *a = &change->before, *b = &change->after;
	uint32_t both = a->features & b->features & FEATURE_FDE;
	uint32_t seen = ~0u;

	/* Without an FDE on one side nothing else is a change; without a ret nothing is said of
	 * it. */
	if (!both)
		seen = FEATURE_FDE;
	if (!a->returns || !b->returns)
		seen &= ~FEATURE_EPILOGUES;
	change->gained = b->features & ~a->features & seen;
	change->lost = a->features & ~b->features & seen;
	change->numbers = 0;
	if (!both)
		return;
	change->numbers = (a->saved != b->saved) << NUMBER_SAVED |
			  (a->cfa_max != b->cfa_max) << NUMBER_CFA_MAX |
			  (a->rows != b->rows) << NUMBER_ROWS |
			  (a->rules != b->rules) << NUMBER_RULES |
			  (a->cfi_bytes != b->cfi_bytes) << NUMBER_BYTES;
}

/* ---- text -------------------------------------------------------------------------------- */

void function_saved_print(uint32_t saved, char *ret, size_t size)
{
	size_t used = 0;

	snprintf(ret, size, "none");
	for (unsigned int reg = 0; reg < REGISTER_COUNT && used < size; reg++)
		if (saved & 1u << reg)
			used += snprintf(ret + used, size - used, "%s%s", used ? " " : "",
					 register_name(reg));
}

void function_cfa_print(const struct function_profile *profile, char *ret, size_t size)
{
	snprintf(ret, size, "%s%s%s%s", profile->features & FEATURE_FDE ? "rsp" : "no FDE",
		 profile->features & FEATURE_CFA_RBP ? " rbp" : "",
		 profile->features & FEATURE_CFA_OTHER ? " other" : "",
		 profile->features & FEATURE_CFA_EXPRESSION ? " expression" : "");
}

static void separate(FILE *file)
{
	if (ftell(file) > 0)
		fputs(", ", file);
}

static void print_number(FILE *file, const char *name, uint64_t before, uint64_t after)
{
	if (before == after)
		return;
	separate(file);
	fprintf(file, "%s %" PRIu64 " -> %" PRIu64, name, before, after);
}

static void print_numbers(const struct function_change *change, FILE *file)
{
	const struct function_profile *a = &change->before, *b = &change->after;
	char before[128], after[128];

	if (change->numbers & 1u << NUMBER_SAVED) {
		function_saved_print(a->saved, before, sizeof(before));
		function_saved_print(b->saved, after, sizeof(after));
		separate(file);
		fprintf(file, "saved %s -> %s", before, after);
	}
	if (change->numbers & 1u << NUMBER_CFA_MAX)
		print_number(file, "largest CFA offset", a->cfa_max, b->cfa_max);
	if (a->returns_open != b->returns_open && a->returns && b->returns) {
		separate(file);
		fprintf(file,
			"rets not described %" PRIu64 " of %" PRIu64 " -> %" PRIu64 " of %" PRIu64,
			a->returns_open, a->returns, b->returns_open, b->returns);
	}
	print_number(file, "rows", a->rows, b->rows);
	print_number(file, "rules", a->rules, b->rules);
	print_number(file, "CFI bytes", a->cfi_bytes, b->cfi_bytes);
}

static void print_profile(const struct function_profile *profile, FILE *file)
{
	char cfa[64], saved[128];

	function_cfa_print(profile, cfa, sizeof(cfa));
	function_saved_print(profile->saved, saved, sizeof(saved));
	if (profile->features & FEATURE_FDE)
		fprintf(file, "%" PRIu64 " rows, %" PRIu64 " rules, CFA on %s, saved: %s",
			profile->rows, profile->rules, cfa, saved);
	else
		fputs("no FDE", file);
}

void function_change_print(const struct function_change *change, char *ret, size_t size)
{
	FREED char *text = NULL;
	size_t text_size;
	FILE *file = need_memory(open_memstream(&text, &text_size));

	if (change->outcome == FUNCTION_ADDED || change->outcome == FUNCTION_REMOVED) {
		print_profile(change->outcome == FUNCTION_ADDED ? &change->after : &change->before,
			      file);
	} else {
		for (unsigned int i = 0; i < FEATURE_COUNT; i++) {
			uint32_t bit = 1u << i;
			if (!((change->gained | change->lost) & bit))
				continue;
			separate(file);
			fputs(change->gained & bit ? features[i].gained : features[i].lost, file);
		}
		if (change->before.features & change->after.features & FEATURE_FDE)
			print_numbers(change, file);
		if (!ftell(file))
			fputs("other rules in as many rows", file);
	}
	fclose(file);
	snprintf(ret, size, "%s", text);
}

/* ---- groups ------------------------------------------------------------------------------ */

static bool is_cold(const struct function_change *change)
{
	/* gcc: "main.cold"; clang: "main.cold.1" */
	return strstr(change->after.name, ".cold") != NULL;
}

/* What a heading is about: a test, with what it is to be found in. */
struct group_rule {
	char title[64];
	uint32_t gained;
	uint32_t lost;
	int number;  /* -1: none */
	int sign;    /* of after - before; 0: any */
	int outcome; /* -1: changed */
	int cold;    /* of added and removed: 1 only, 0 none */
};

static uint64_t number_of(const struct function_profile *profile, int number)
{
	switch (number) {
	case NUMBER_CFA_MAX: return profile->cfa_max;
	case NUMBER_ROWS: return profile->rows;
	default: return profile->saved;
	}
}

static bool falls_under(const struct group_rule *rule, const struct function_change *change)
{
	if (rule->outcome >= 0)
		return (int)change->outcome == rule->outcome && is_cold(change) == rule->cold;
	if (change->outcome != FUNCTION_CHANGED)
		return false;
	if (rule->gained)
		return change->gained & rule->gained;
	if (rule->lost)
		return change->lost & rule->lost;
	if (rule->number < 0)
		return !change->gained && !change->lost && !change->numbers;
	if (!(change->numbers & 1u << rule->number))
		return false;
	bool more = number_of(&change->after, rule->number) >
		    number_of(&change->before, rule->number);
	return !rule->sign || more == (rule->sign > 0);
}

static void add_group(struct change_groups *groups, const struct group_rule *rule,
		      const struct toolchain_pair *pair)
{
	struct change_group group = { .count = 0 };

	snprintf(group.title, sizeof(group.title), "%s", rule->title);
	for (size_t i = 0; i < pair->change_count; i++) {
		if (!falls_under(rule, &pair->change[i]))
			continue;
		ARRAY_NEED(group.change, group.count, &pair->change[i]);
	}
	if (!group.count)
		return;
	ARRAY_NEED(groups->group, groups->count, group);
}

static void add_feature_groups(struct change_groups *groups, const struct toolchain_pair *pair)
{
	for (unsigned int i = 0; i < FEATURE_COUNT; i++) {
		struct group_rule gained = { .gained = 1u << i, .number = -1, .outcome = -1 };
		struct group_rule lost = { .lost = 1u << i, .number = -1, .outcome = -1 };

		snprintf(gained.title, sizeof(gained.title), "%s", features[i].gained);
		snprintf(lost.title, sizeof(lost.title), "%s", features[i].lost);
		/* What is worse comes first. */
		add_group(groups, &lost, pair);
		add_group(groups, &gained, pair);
	}
}

void change_groups_init(struct change_groups *ret, const struct toolchain_pair *pair)
{
	static const struct group_rule rules[] = {
		{ "cold part with an FDE of its own", 0, 0, -1, 0, FUNCTION_ADDED, 1 },
		{ "no cold part", 0, 0, -1, 0, FUNCTION_REMOVED, 1 },
		{ "function only in the second", 0, 0, -1, 0, FUNCTION_ADDED, 0 },
		{ "function only in the first", 0, 0, -1, 0, FUNCTION_REMOVED, 0 },
		{ "other registers saved", 0, 0, NUMBER_SAVED, 0, -1, 0 },
		{ "larger frame", 0, 0, NUMBER_CFA_MAX, 1, -1, 0 },
		{ "smaller frame", 0, 0, NUMBER_CFA_MAX, -1, -1, 0 },
		{ "more rows", 0, 0, NUMBER_ROWS, 1, -1, 0 },
		{ "fewer rows", 0, 0, NUMBER_ROWS, -1, -1, 0 },
		{ "other rules in as many rows", 0, 0, -1, 0, -1, 0 },
	};

	*ret = (struct change_groups) { .count = 0 };
	add_feature_groups(ret, pair);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		add_group(ret, &rules[i], pair);
}

void change_groups_deinit(struct change_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->group[i].change);
	free(groups->group);
	*groups = (struct change_groups) { .count = 0 };
}
