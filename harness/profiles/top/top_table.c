/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * top_table.c - the parts of the last intervals -> rows of functions, the callers of one
 *
 * The flame has a group for each process. Rows of several processes are one, by the process's name or by the function
 * alone, by sums: a stack is of one process, so none is counted twice.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "profiles/view/view.h"
#include "top.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a table of functions");
}

int top_table_fill(struct top_table *table, const struct collected *part, unsigned int parts,
		   struct error *error)
{
	flame_deinit(&table->flame);
	free(table->row);
	table->row = NULL;
	table->rows = 0;
	table->ticks = 0;
	table->window_seconds = 0;
	for (unsigned int i = 0; i < parts; i++) {
		if (profile_flame(&part[i], PROFILE_FLAME_BY_PID | PROFILE_FLAME_IMAGES,
				  &table->flame, error))
			return -1;
		table->type = part[i].type;
		table->ticks += part[i].count;
		table->window_seconds += part[i].duration_ns / 1e9;
	}
	return 0;
}

/* ---- groups ------------------------------------------------------------------------------- */

/* "bash[4711]" without the number. */
static char *without_pid(const char *text)
{
	size_t size = strlen(text), at = size;

	if (size && text[size - 1] == ']')
		for (at = size - 1; at && isdigit((unsigned char)text[at - 1]); at--)
			;
	return strndup(text, at && at + 1 < size && text[at - 1] == '[' ? at - 1 : size);
}

/* By group, the one that its rows are put to; 0: all are one. NULL: no memory. */
static uint32_t *group_groups(struct flame *flame, enum top_grouping grouping, struct error *error)
{
	uint32_t groups = flame->groups, *as = calloc(groups + 1ul, sizeof(*as));

	for (uint32_t i = 1; as && grouping != TOP_BY_FUNCTION && i <= groups; i++) {
		const struct flame_group group = flame->group[i];
		char *name = NULL, *set = NULL;

		as[i] = i;
		if (grouping == TOP_BY_PID)
			continue;
		/* Copies: texts move when one is added. */
		name = without_pid(flame_text(flame, group.name));
		set = strdup(group.set ? flame_text(flame, group.set) : "");
		as[i] = name && set ? flame_group(flame, name, set, error) : UINT32_MAX;
		free(name);
		free(set);
		if (as[i] == UINT32_MAX) {
			free(as);
			as = NULL;
		}
	}
	if (!as)
		no_memory(error);
	return as;
}

/* ---- rows --------------------------------------------------------------------------------- */

ARRAY_ORDER_TWO(by_function, struct flame_row, name, group)

static int by_total(const void *left, const void *right)
{
	const struct flame_row *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->self != b->self ? (a->self > b->self ? -1 : 1) : by_function(left, right);
}

static int by_self(const void *left, const void *right)
{
	const struct flame_row *a = left, *b = right;

	return a->self != b->self ? (a->self > b->self ? -1 : 1) : by_total(left, right);
}

static bool is_wanted(const struct flame *flame, const struct flame_row *row, const char *filter)
{
	const struct flame_group *group = row->group ? &flame->group[row->group] : NULL;

	return strcasestr(flame_text(flame, row->name), filter) ||
	       (group && strcasestr(flame_text(flame, group->name), filter)) ||
	       (group && group->set && strcasestr(flame_text(flame, group->set), filter));
}

static void join_rows(struct top_table *table)
{
	struct flame_row *row = table->row;
	size_t rows = 0;

	if (table->rows)
		qsort(row, table->rows, sizeof(*row), by_function);
	for (size_t i = 0; i < table->rows; i++) {
		if (rows && row[rows - 1].name == row[i].name &&
		    row[rows - 1].group == row[i].group) {
			row[rows - 1].self += row[i].self;
			row[rows - 1].total += row[i].total;
		} else {
			row[rows++] = row[i];
		}
	}
	table->rows = rows;
}

static int make_rows(struct top_table *table, const struct top_view *view, const uint32_t *as,
		     struct error *error)
{
	size_t rows = 0;

	free(table->row);
	table->row = NULL;
	table->rows = 0;
	if (flame_rows(&table->flame, false, &table->row, &table->rows, error))
		return -1;
	for (size_t i = 0; i < table->rows; i++)
		table->row[i].group = as[table->row[i].group];
	join_rows(table);
	for (size_t i = 0; i < table->rows; i++)
		if (is_wanted(&table->flame, &table->row[i], view->filter))
			table->row[rows++] = table->row[i];
	table->rows = rows;
	if (rows)
		qsort(table->row, rows, sizeof(*table->row), view->by_total ? by_total : by_self);
	return 0;
}

/* ---- callers ------------------------------------------------------------------------------ */

static void forget_function(struct top_function *function)
{
	free(function->name);
	free(function->group);
	free(function->set);
	*function = (struct top_function) { 0 };
}

int top_table_choose(struct top_table *table, struct top_view *view, struct error *error)
{
	const struct flame *flame = &table->flame;
	const struct flame_row *row = &table->row[view->row];
	const struct flame_group *group;
	struct top_function *function = &table->function;

	if (view->row >= table->rows)
		return 0;
	group = row->group ? &flame->group[row->group] : NULL;
	forget_function(function);
	function->name = strdup(flame_text(flame, row->name));
	function->kind = flame->name[row->name].kind;
	function->group = group ? strdup(flame_text(flame, group->name)) : NULL;
	function->set = strdup(group && group->set ? flame_text(flame, group->set) : "");
	if (!function->name || !function->set || (group && !function->group)) {
		forget_function(function);
		return no_memory(error);
	}
	view->callers = true;
	view->caller = 0;
	return 0;
}

/* A stack's frames from the innermost one of the function outwards. */
static int add_callers(struct top_table *table, const struct flame_stack *stack, uint32_t name,
		       uint32_t group, uint32_t *frame, struct error *error)
{
	const struct flame *flame = &table->flame;
	uint32_t at = stack->frames, count = 0;

	while (at && flame->frame[stack->first + at - 1] != name)
		at--;
	if (!at)
		return 0;
	for (at--; at--;) {
		uint32_t caller = flame->frame[stack->first + at];

		frame[count] = flame_name(&table->callers, flame_text(flame, caller),
					  flame->name[caller].kind, error);
		if (frame[count++] == UINT32_MAX)
			return -1;
	}
	return flame_add(&table->callers, group, frame, count, stack->value, error);
}

static int make_callers(struct top_table *table, const uint32_t *as, struct error *error)
{
	const struct top_function *function = &table->function;
	struct flame *flame = &table->flame;
	uint32_t name, group = 0, root, *frame = NULL, room = 0;
	int status = 0;

	flame_deinit(&table->callers);
	free(table->nodes.node);
	table->nodes = (struct flame_nodes) { 0 };
	name = flame_name(flame, function->name, function->kind, error);
	if (function->group)
		group = flame_group(flame, function->group, function->set, error);
	root = flame_group(&table->callers, function->name, "", error);
	if (name == UINT32_MAX || group == UINT32_MAX || root == UINT32_MAX)
		return -1;
	for (size_t i = 0; i < flame->stacks && !status; i++) {
		const struct flame_stack *stack = &flame->stack[i];

		if (group && as[stack->group] != group)
			continue;
		if (!ARRAY_RESERVE(frame, room, stack->frames + 1ul))
			status = no_memory(error);
		else
			status = add_callers(table, stack, name, root, frame, error);
	}
	free(frame);
	return status ? -1 : flame_nodes(&table->callers, &table->nodes, error);
}

static void clamp(size_t *at, size_t count)
{
	if (*at >= count)
		*at = count ? count - 1 : 0;
}

int top_table_arrange(struct top_table *table, struct top_view *view, struct error *error)
{
	uint32_t *as = group_groups(&table->flame, view->grouping, error);
	int status = as ? make_rows(table, view, as, error) : -1;

	if (!status && view->callers)
		status = make_callers(table, as, error);
	free(as);
	clamp(&view->row, table->rows);
	clamp(&view->caller, table->nodes.nodes);
	return status;
}

void top_table_deinit(struct top_table *table)
{
	flame_deinit(&table->flame);
	flame_deinit(&table->callers);
	free(table->row);
	free(table->nodes.node);
	forget_function(&table->function);
}
