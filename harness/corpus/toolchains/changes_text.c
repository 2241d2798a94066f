/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes_text.c - what changed from one toolchain to the next, on a terminal
 *
 *	gcc-12.2.0 -> gcc-13.3.0: 120 binaries of each; functions: 700 equal, ...
 *	     3  uses remember_state     main (saved O2-nofp), leaf (frames O0-fp O2-fp)
 *
 * One line for each kind of change with as many functions as there is room for; the variants of one
 * function together. With --verbose every function has a line with its numbers.
 */
#include <string.h>
#include "array.h"
#include "plain_text.h"
#include "toolchains_text.h"

#define GROUPS_MAX   6 /* kinds of change of a pair */
#define VARIANTS_MAX 2 /* of one function */

static bool same_function(const struct function_change *a, const struct function_change *b)
{
	return !strcmp(a->after.name, b->after.name) && !strcmp(a->program, b->program);
}

static bool named_before(const struct change_group *group, size_t index)
{
	return ARRAY_ANY(index, i, same_function(group->change[i], group->change[index]));
}

/* "leaf (frames O0-fp O2-fp)"; how many changes that are. */
static size_t name_example(const struct change_group *group, size_t index, char *ret, size_t size)
{
	const struct function_change *change = group->change[index];
	size_t used = snprintf(ret, size, "%s (%s", change->after.name, change->program);
	size_t count = 0;

	for (size_t i = index; i < group->count; i++) {
		if (!same_function(group->change[i], change))
			continue;
		if (count++ < VARIANTS_MAX && used < size)
			used += snprintf(ret + used, size - used, " %s", group->change[i]->variant);
	}
	if (count > VARIANTS_MAX && used < size)
		used += snprintf(ret + used, size - used, " and %zu", count - VARIANTS_MAX);
	if (used < size)
		snprintf(ret + used, size - used, ")");
	return count;
}

/* Name after name, as many as there is room for, and how many are left. */
static void print_examples(const struct toolchains_printer *printer,
			   const struct change_group *group, size_t column)
{
	size_t shown = 0;

	for (size_t i = 0; i < group->count; i++) {
		char text[2 * NAME_BYTES], clean[2 * NAME_BYTES], more[32];

		if (named_before(group, i))
			continue;
		size_t count = name_example(group, i, text, sizeof(text));
		plain_text(text, clean, sizeof(clean));
		snprintf(more, sizeof(more), " +%zu", group->count - shown);
		if (column + plain_width(clean) + 2 + strlen(more) > printer->style->width)
			break;
		fprintf(printer->file, "%s%s", shown ? ", " : "", clean);
		column += plain_width(clean) + 2;
		shown += count;
	}
	if (shown && shown < group->count)
		fprintf(printer->file, " +%zu", group->count - shown);
	putc('\n', printer->file);
}

static void print_group(const struct toolchains_printer *printer, const struct change_group *group,
			size_t title_width)
{
	char line[128];

	snprintf(line, sizeof(line), "  %4zu  %-*s  ", group->count, (int)title_width,
		 group->title);
	fputs(line, printer->file);
	if (!printer->style->verbose) {
		print_examples(printer, group, strlen(line));
		return;
	}
	putc('\n', printer->file);
	for (size_t i = 0; i < group->count; i++) {
		const struct function_change *change = group->change[i];
		char text[4 * NAME_BYTES], what[1024];

		function_change_print(change, what, sizeof(what));
		snprintf(text, sizeof(text), "%s (%s %s): %s", change->after.name, change->program,
			 change->variant, what);
		fputs("          ", printer->file);
		text_put_wrapped(printer, text, 10, 12);
	}
}

static void print_groups(const struct toolchains_printer *printer,
			 const struct toolchain_pair *pair)
{
	struct change_groups groups;
	size_t shown, width = 0;

	change_groups_init(&groups, pair);
	shown = groups.count;
	if (!printer->style->verbose && shown > GROUPS_MAX)
		shown = GROUPS_MAX;
	for (size_t i = 0; i < shown; i++)
		if (strlen(groups.group[i].title) > width)
			width = strlen(groups.group[i].title);
	for (size_t i = 0; i < shown; i++)
		print_group(printer, &groups.group[i], width);
	if (shown < groups.count) {
		fprintf(printer->file, "        and %zu more kinds of change: --verbose\n",
			groups.count - shown);
	}
	change_groups_deinit(&groups);
}

/* "14 binaries of each; functions: 700 equal, 3 changed": those that there are. */
static void count_outcomes(const struct toolchain_pair *pair, char *ret, size_t size)
{
	static const char *const words[FUNCTION_OUTCOME_COUNT] = {
		[FUNCTION_EQUAL] = "equal",
		[FUNCTION_MOVED] = "with the same rules at other offsets",
		[FUNCTION_CHANGED] = "changed",
		[FUNCTION_REMOVED] = "only in the first",
		[FUNCTION_ADDED] = "only in the second",
	};
	const char *separator = "";
	size_t used = snprintf(ret, size, "%zu binaries of each; functions: ", pair->binaries);

	for (unsigned int i = 0; i < FUNCTION_OUTCOME_COUNT && used < size; i++) {
		if (!pair->functions[i])
			continue;
		used += snprintf(ret + used, size - used, "%s%zu %s", separator, pair->functions[i],
				 words[i]);
		separator = ", ";
	}
	if (!separator[0] && used < size)
		snprintf(ret + used, size - used, "none");
}

static void print_pair(const struct toolchains_printer *printer, const struct toolchain_pair *pair)
{
	const struct toolchains *model = printer->model;
	char names[2 * NAME_BYTES], text[512];

	snprintf(names, sizeof(names), "%s -> %s", model->toolchain[pair->from].name,
		 model->toolchain[pair->to].name);
	text_put(printer, COLOUR_BOLD, names);
	putc(':', printer->file);
	putc(' ', printer->file);
	count_outcomes(pair, text, sizeof(text));
	text_put_wrapped(printer, text, plain_width(names) + 2, 2);
	print_groups(printer, pair);
}

void changes_print(const struct toolchains_printer *printer)
{
	static const struct {
		enum pair_reason reason;
		const char *title;
	} sections[] = {
		{ PAIR_SIDE_BY_SIDE, "Changed tables from the first run to the second" },
		{ PAIR_NEXT_VERSION, "Changed tables from version to version" },
		{ PAIR_OTHER_LINKER, "Changed tables with another linker" },
		{ PAIR_OTHER_FAMILY, "Changed tables from family to family" },
	};

	for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); s++) {
		bool shown = false;
		for (size_t i = 0; i < printer->model->pair_count; i++) {
			if (printer->model->pair[i].reason != sections[s].reason)
				continue;
			if (!shown)
				text_heading(printer, sections[s].title);
			shown = true;
			print_pair(printer, &printer->model->pair[i]);
		}
	}
}
