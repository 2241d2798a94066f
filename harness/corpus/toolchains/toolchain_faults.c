/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchain_faults.c - which function's table is wrong, with which toolchains
 *
 * A finding is one binary's; a fault is the same function of the same program wherever it was
 * found. For each toolchain a fault is there, or is not, or was not tried: none of its binaries
 * that could have shown it were run. "Could have" means: the program, in one of the variants in
 * which some toolchain shows it. What a linker writes (PLT), start-up objects and shared libraries
 * are the same in every program of a language, so there the program does not count.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/no_memory.h"
#include "reports/findings/function_name.h"
#include "toolchain_model.h"

void fault_actual_print(const struct finding_record *finding, char *ret, size_t size)
{
	const char *declared = finding->declared_cfa, *actual = finding->actual_cfa;
	long long difference =
		(long long)(strtoull(actual, NULL, 16) - strtoull(declared, NULL, 16));

	ret[0] = '\0';
	if (!declared[0] || !actual[0])
		return;
	if (!difference)
		snprintf(ret, size, "the CFA is right");
	else if (difference > -(1 << 20) && difference < 1 << 20)
		snprintf(ret, size, "the CFA is %lld bytes %s", llabs(difference),
			 difference > 0 ? "higher" : "lower");
	else
		snprintf(ret, size, "the CFA is elsewhere");
}

/* ---- collect ----------------------------------------------------------------------------- */

static bool same_fault(const struct toolchain_fault *a, const struct toolchain_fault *b)
{
	return a->origin == b->origin && !strcmp(a->program, b->program) &&
	       !strcmp(a->library, b->library) && !strcmp(a->function, b->function) &&
	       !strcmp(a->kind, b->kind);
}

static void describe(struct toolchain_fault *ret, const struct cell *cell,
		     const struct finding_record *finding)
{
	*ret = (struct toolchain_fault) {
		.origin = fault_origin_of(cell, finding),
		.program = "",
		.library = "",
		.kind = finding->kind,
		.expected = true,
	};
	if (ret->origin == ORIGIN_LIBRARY && fault_is_own(cell, finding->image))
		ret->library = "code linked in";
	else if (ret->origin == ORIGIN_LIBRARY)
		ret->library = basename(finding->image);
	else if (ret->origin != ORIGIN_STARTUP && !finding->section[0])
		ret->program = cell->program;
	if (finding->section[0])
		snprintf(ret->function, sizeof(ret->function), "[%s]", finding->section);
	else
		function_name_print(finding->function, ret->function, sizeof(ret->function));
}

static struct toolchain_fault *find_fault(struct toolchains *model,
					  const struct toolchain_fault *like)
{
	for (size_t i = 0; i < model->fault_count; i++)
		if (same_fault(&model->fault[i], like))
			return &model->fault[i];
	struct toolchain_fault *fault = ARRAY_NEED(model->fault, model->fault_count, *like);
	fault->state = need_memory(calloc(model->count, sizeof(*fault->state)));
	return fault;
}

static void add_finding(struct toolchains *model, const struct cell *cell,
			const struct finding_record *finding)
{
	struct toolchain_fault like;

	describe(&like, cell, finding);
	struct toolchain_fault *fault = find_fault(model, &like);
	ARRAY_NEED(fault->cases, fault->case_count,
		   (struct fault_case) {
			   .toolchain = toolchains_find(model, cell->toolchain),
			   .cell = cell,
			   .finding = *finding,
		   });
	fault->points += finding_points(finding);
	fault->expected &= finding->expected;
	fault->state[toolchains_find(model, cell->toolchain)] = FAULT_PRESENT;
}

/* Whether a cell could have shown the fault. */
static bool could_show(const struct toolchain_fault *fault, const struct cell *cell)
{
	if (fault->program[0] && strcmp(fault->program, cell->program) != 0)
		return false;
	return ARRAY_FIRST(fault->cases, fault->case_count, shows,
			   !strcmp(shows->cell->variant, cell->variant) &&
				   !strcmp(shows->cell->language, cell->language)) != NULL;
}

static void set_states(struct toolchains *model, const struct cell *const *cell, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!cell_is_judged(cell[i]))
			continue;
		size_t toolchain = toolchains_find(model, cell[i]->toolchain);
		for (size_t f = 0; f < model->fault_count; f++) {
			enum fault_state *state = &model->fault[f].state[toolchain];
			if (*state == FAULT_UNTRIED && could_show(&model->fault[f], cell[i]))
				*state = FAULT_ABSENT;
		}
	}
}

/* ---- order ------------------------------------------------------------------------------- */

/* What some toolchains have and others have not says more than what all have. */
static bool is_divided(const struct toolchain_fault *fault, size_t toolchains)
{
	return ARRAY_ANY(toolchains, i, fault->state[i] == FAULT_ABSENT);
}

struct order {
	struct toolchain_fault fault;
	bool divided;
};

static int compare_faults(const void *left, const void *right)
{
	const struct order *a = left, *b = right;
	int order = (int)a->fault.origin - (int)b->fault.origin;

	order = order ? order : a->fault.expected - b->fault.expected;
	order = order ? order : b->divided - a->divided;
	if (!order && a->fault.points != b->fault.points)
		order = a->fault.points > b->fault.points ? -1 : 1;
	order = order ? order : strcmp(a->fault.program, b->fault.program);
	order = order ? order : strcmp(a->fault.library, b->fault.library);
	order = order ? order : strcmp(a->fault.function, b->fault.function);
	return order ? order : strcmp(a->fault.kind, b->fault.kind);
}

static int compare_cases(const void *left, const void *right)
{
	const struct fault_case *a = left, *b = right;

	if (a->toolchain != b->toolchain)
		return a->toolchain < b->toolchain ? -1 : 1;
	int order = strcmp(a->cell->variant, b->cell->variant);
	return order ? order : strcmp(a->cell->binary, b->cell->binary);
}

static void sort(struct toolchains *model)
{
	FREED struct order *order = need_memory(calloc(model->fault_count + 1, sizeof(*order)));

	for (size_t i = 0; i < model->fault_count; i++) {
		qsort(model->fault[i].cases, model->fault[i].case_count,
		      sizeof(*model->fault[i].cases), compare_cases);
		order[i] = (struct order) { model->fault[i],
					    is_divided(&model->fault[i], model->count) };
	}
	qsort(order, model->fault_count, sizeof(*order), compare_faults);
	for (size_t i = 0; i < model->fault_count; i++)
		model->fault[i] = order[i].fault;
}

void toolchain_faults_collect(struct toolchains *model, const struct cell *const *cell,
			      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct finding_record finding;

		for (size_t at = 0;
		     cell_is_judged(cell[i]) && cell_finding(cell[i], &at, &finding);)
			if (!strcmp(finding.verdict, "table_fault"))
				add_finding(model, cell[i], &finding);
	}
	set_states(model, cell, count);
	sort(model);
}
