/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * report_pairs.c - two toolchains' tables of the same programs, function by function
 *
 * Which toolchains: each version with the one before it in its family; one with another linker with
 * the same compiler and the usual one; and the newest of each family with the newest of the family
 * that built most. Of two runs (results_join.c) those of the one with those of the other.
 *
 * Of both, binaries of one program and variant are held against each other, and their functions
 * matched as `stackproof diff` does (diff_match.c): by name, wherever they lie.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "report_toolchains.h"

struct comparer {
	struct toolchain_report *report;
	struct toolchain_pair *pair;
	struct report_subject **sorted; /* read ones, by toolchain, program, variant */
	size_t count;
	struct error *error;
};

static int compare_programs(const struct cell *a, const struct cell *b)
{
	int order = strcmp(a->program, b->program);

	order = order ? order : strcmp(a->variant, b->variant);
	return order ? order : strcmp(a->language, b->language);
}

static int compare_subjects(const void *left, const void *right)
{
	const struct cell *a = (*(struct report_subject *const *)left)->cell;
	const struct cell *b = (*(struct report_subject *const *)right)->cell;
	int order = strcmp(a->toolchain, b->toolchain);

	order = order ? order : compare_programs(a, b);
	return order ? order : strcmp(a->binary, b->binary);
}

/* ---- functions --------------------------------------------------------------------------- */

/* The same rules one after the other, wherever each begins. */
static bool same_rules(const struct diff_table *a, const struct diff_function *fa,
		       const struct diff_table *b, const struct diff_function *fb)
{
	if (fa->row_count != fb->row_count || fa->signal != fb->signal ||
	    fa->diagnostic != fb->diagnostic)
		return false;
	return !ARRAY_ANY(fa->row_count, i,
			  a->row[fa->first_row + i].words != b->row[fb->first_row + i].words);
}

static enum function_outcome outcome_of(const struct code_profile *a, size_t in_a,
					const struct code_profile *b, size_t in_b,
					const struct function_change *change)
{
	const struct diff_function *fa = &a->table.function[in_a], *fb = &b->table.function[in_b];

	if (change->gained || change->lost)
		return FUNCTION_CHANGED;
	if (diff_function_equal(&a->table, fa, &b->table, fb))
		return FUNCTION_EQUAL;
	return same_rules(&a->table, fa, &b->table, fb) ? FUNCTION_MOVED : FUNCTION_CHANGED;
}

static int keep(struct comparer *comparer, const struct function_change *change)
{
	struct toolchain_pair *pair = comparer->pair;

	pair->functions[change->outcome]++;
	if (change->outcome == FUNCTION_EQUAL || change->outcome == FUNCTION_MOVED)
		return 0;
	return ARRAY_ADD(pair->change, pair->change_count, *change)
		       ? 0
		       : diff_no_memory(comparer->error);
}

static int add_matched(struct comparer *comparer, const struct report_subject *a, size_t in_a,
		       const struct report_subject *b, size_t in_b)
{
	struct function_change change = {
		.program = a->cell->program,
		.variant = a->cell->variant,
		.before = a->profile.function[in_a],
		.after = b->profile.function[in_b],
	};

	function_change_classify(&change);
	change.outcome = outcome_of(&a->profile, in_a, &b->profile, in_b, &change);
	return keep(comparer, &change);
}

static int add_lone(struct comparer *comparer, const struct report_subject *of, size_t index,
		    enum function_outcome outcome)
{
	const struct function_profile *profile = &of->profile.function[index];
	struct function_change change = {
		.program = of->cell->program,
		.variant = of->cell->variant,
		.outcome = outcome,
		.before = { .name = profile->name },
		.after = { .name = profile->name },
	};

	*(outcome == FUNCTION_ADDED ? &change.after : &change.before) = *profile;
	return keep(comparer, &change);
}

static int compare_binaries(struct comparer *comparer, const struct report_subject *a,
			    const struct report_subject *b)
{
	const struct diff_table *table_a = &a->profile.table, *table_b = &b->profile.table;
	struct diff_match match = { 0 };
	int result = 0;

	if (diff_match(table_a, table_b, false, &match, comparer->error))
		return -1;
	comparer->pair->binaries++;
	for (size_t i = 0; !result && i < table_a->function_count; i++)
		result = match.of_a[i] == DIFF_NONE ? add_lone(comparer, a, i, FUNCTION_REMOVED)
						    : add_matched(comparer, a, i, b, match.of_a[i]);
	for (size_t i = 0; !result && i < table_b->function_count; i++)
		if (match.of_b[i] == DIFF_NONE)
			result = add_lone(comparer, b, i, FUNCTION_ADDED);
	diff_match_deinit(&match);
	return result;
}

/* ---- pairs ------------------------------------------------------------------------------- */

/* Where a toolchain's subjects begin. */
static size_t first_of(const struct comparer *comparer, const char *toolchain)
{
	return ARRAY_BEFORE(comparer->count, i,
			    strcmp(comparer->sorted[i]->cell->toolchain, toolchain) < 0);
}

static bool is_of(const struct comparer *comparer, size_t index, const char *toolchain)
{
	return index < comparer->count &&
	       !strcmp(comparer->sorted[index]->cell->toolchain, toolchain);
}

/* Both are sorted by program and variant. */
static int compare_toolchains(struct comparer *comparer, const char *from, const char *to)
{
	size_t a = first_of(comparer, from), b = first_of(comparer, to);

	while (is_of(comparer, a, from) && is_of(comparer, b, to)) {
		const struct report_subject *one = comparer->sorted[a];
		const struct report_subject *two = comparer->sorted[b];
		int order = compare_programs(one->cell, two->cell);

		if (!order && compare_binaries(comparer, one, two))
			return -1;
		a += order <= 0;
		b += order >= 0;
	}
	return 0;
}

/* Keeps the pair if they have anything in common. *ret_common: whether. */
static int add_pair(struct comparer *comparer, size_t from, size_t to, enum pair_reason reason,
		    bool *ret_common)
{
	struct toolchains *model = &comparer->report->model;
	struct toolchain_pair pair = { .from = from, .to = to, .reason = reason };

	if (!ARRAY_GROW(model->pair, model->pair_count))
		return diff_no_memory(comparer->error);
	comparer->pair = &pair;
	int result = compare_toolchains(comparer, model->toolchain[from].name,
					model->toolchain[to].name);
	*ret_common = pair.binaries;
	if (result || !pair.binaries) {
		free(pair.change);
		return result;
	}
	model->pair[model->pair_count++] = pair;
	return 0;
}

/* Each with its predecessor: the next older one, if that has nothing in common with it. */
static int add_neighbours(struct comparer *comparer, size_t index, const bool *usable)
{
	const struct toolchains *model = &comparer->report->model;
	FREED bool *left = malloc(model->count * sizeof(*left));
	bool common = false;
	int result = 0;

	if (!left)
		return error_set(comparer->error, ERROR_MEMORY, "", 0, "no memory for a report");
	memcpy(left, usable, model->count * sizeof(*left));
	while (!common && !result) {
		size_t previous = toolchains_previous(model, index, left);
		if (previous == SIZE_MAX)
			break;
		left[previous] = false;
		result = add_pair(comparer, previous, index,
				  model->toolchain[index].id.linker[0] ? PAIR_OTHER_LINKER
								       : PAIR_NEXT_VERSION,
				  &common);
	}
	return result;
}

/* The last of its family, which is sorted by version, with the usual linker. */
static bool is_newest(const struct toolchains *model, size_t index, const bool *usable)
{
	const struct toolchain_id *id = &model->toolchain[index].id;

	if (!usable[index] || id->linker[0])
		return false;
	for (size_t i = index + 1; i < model->count; i++)
		if (usable[i] && !model->toolchain[i].id.linker[0] &&
		    !strcmp(model->toolchain[i].id.family, id->family))
			return false;
	return true;
}

/* The newest of the family with most binaries; SIZE_MAX: there is none. */
static size_t reference(const struct toolchains *model, const bool *usable)
{
	size_t best = SIZE_MAX, most = 0;

	for (size_t i = 0; i < model->count; i++) {
		size_t binaries = 0;
		if (!is_newest(model, i, usable))
			continue;
		for (size_t k = 0; k < model->count; k++)
			if (!strcmp(model->toolchain[k].id.family, model->toolchain[i].id.family))
				binaries += model->toolchain[k].measured;
		if (binaries > most) {
			most = binaries;
			best = i;
		}
	}
	return best;
}

static int add_pairs(struct comparer *comparer, const bool *usable)
{
	const struct toolchains *model = &comparer->report->model;
	size_t from = reference(model, usable);
	bool ignored;

	for (size_t i = 0; i < model->count; i++)
		if (usable[i] && add_neighbours(comparer, i, usable))
			return -1;
	for (size_t i = 0; i < model->count; i++)
		if (i != from && is_newest(model, i, usable) &&
		    add_pair(comparer, from, i, PAIR_OTHER_FAMILY, &ignored))
			return -1;
	return 0;
}

/* Whose binaries are of that one of two runs. */
static bool is_side(const struct comparer *comparer, size_t toolchain, const char *side)
{
	const char *name = comparer->report->model.toolchain[toolchain].name;
	size_t first = first_of(comparer, name);

	return is_of(comparer, first, name) &&
	       !strncmp(comparer->sorted[first]->cell->binary, side, strlen(side));
}

/* Of two runs each toolchain of the one with each of the other. */
static int add_sides(struct comparer *comparer)
{
	size_t count = comparer->report->model.count;
	bool ignored;

	for (size_t a = 0; a < count; a++)
		for (size_t b = 0; b < count; b++)
			if (is_side(comparer, a, RESULTS_SIDE_A) &&
			    is_side(comparer, b, RESULTS_SIDE_B) &&
			    add_pair(comparer, a, b, PAIR_SIDE_BY_SIDE, &ignored))
				return -1;
	return 0;
}

int toolchain_report_compare(struct toolchain_report *report, struct error *error)
{
	struct comparer comparer = { .report = report, .error = error };
	const struct toolchains *model = &report->model;
	FREED bool *usable = calloc(model->count + 1, sizeof(*usable));
	FREED struct report_subject **sorted = calloc(report->subject_count + 1,
						      sizeof(struct report_subject *));

	if (!usable || !sorted)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a report");
	comparer.sorted = sorted;
	for (size_t i = 0; i < report->subject_count; i++)
		if (report->subject[i].read)
			comparer.sorted[comparer.count++] = &report->subject[i];
	qsort(comparer.sorted, comparer.count, sizeof(struct report_subject *), compare_subjects);
	for (size_t i = 0; i < model->count; i++)
		usable[i] = model->toolchain[i].measured > 0;
	return report->joined ? add_sides(&comparer) : add_pairs(&comparer, usable);
}
