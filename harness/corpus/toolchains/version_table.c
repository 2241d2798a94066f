/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * version_table.c - faults of compiled code as rows, versions as columns
 *
 *	                             clang      gcc
 *	                             9 14 16    9 10 12
 *	 aligned_alloca in realign   .  .  .    X  X  X
 *	!a1 in throw                 X  X  .    .  .  .
 *
 * A column for each toolchain with which some fault was tried. Versions are as short as they can be
 * while different. Where the terminal is narrow the names are cut, not the columns.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "plain_text.h"
#include "base/cli/no_memory.h"
#include "toolchain_model.h"
#include "toolchains_text.h"

#define FAMILY_GAP 3
#define NAME_LEAST 24
#define ROWS_MAX   30 /* without --verbose */

struct version_column {
	size_t toolchain;
	size_t start; /* from the left edge of the columns */
	size_t width;
	bool begins; /* a family */
	char text[64];
};

struct version_table {
	struct version_column *column;
	size_t count;
	size_t width;
};

/* Whether any fault of compiled code was tried with it: else its column would be empty. */
static bool has_column(const struct toolchains *model, size_t toolchain)
{
	return ARRAY_ANY(model->fault_count, i,
			 model->fault[i].origin == ORIGIN_COMPILED &&
				 model->fault[i].state[toolchain] != FAULT_UNTRIED);
}

static const char *family_of(const struct toolchains *model, const struct version_column *column)
{
	return model->toolchain[column->toolchain].id.family;
}

static void name_version(const struct toolchains *model, struct version_column *column)
{
	FREED const struct toolchain_id **family =
		need_memory(calloc(model->count, sizeof(*family)));
	size_t count = 0;

	for (size_t i = 0; i < model->count; i++)
		if (!strcmp(model->toolchain[i].id.family, family_of(model, column)))
			family[count++] = &model->toolchain[i].id;
	toolchain_short_version(&model->toolchain[column->toolchain].id, family, count,
				column->text, sizeof(column->text));
}

static void layout(struct version_table *table, const struct toolchains *model)
{
	size_t at = 0, name_end = 0;

	for (size_t i = 0; i < table->count; i++) {
		struct version_column *column = &table->column[i];
		column->begins = !i || strcmp(family_of(model, column),
					      family_of(model, &table->column[i - 1])) != 0;
		name_version(model, column);
		column->width = plain_width(column->text);
		if (i && column->begins)
			/* Its predecessor's name may be longer than its versions. */
			at = (at > name_end ? at : name_end) + FAMILY_GAP;
		else if (i)
			at++;
		column->start = at;
		at += column->width;
		if (column->begins)
			name_end = column->start + plain_width(family_of(model, column));
	}
	table->width = at > name_end ? at : name_end;
}

static void table_init(struct version_table *table, const struct toolchains *model)
{
	*table = (struct version_table) { .column = need_memory(calloc(model->count + 1,
								       sizeof(*table->column))) };
	for (size_t i = 0; i < model->count; i++)
		if (has_column(model, i))
			table->column[table->count++].toolchain = i;
	layout(table, model);
}

static void pad(FILE *file, size_t *at, size_t to)
{
	for (; *at < to; ++*at)
		putc(' ', file);
}

static void print_headings(const struct toolchains_printer *printer,
			   const struct version_table *table, size_t left)
{
	FILE *file = printer->file;
	size_t at = 0;

	for (size_t i = 0; i < table->count; i++) {
		const char *family = family_of(printer->model, &table->column[i]);
		if (!table->column[i].begins)
			continue;
		pad(file, &at, left + table->column[i].start);
		text_put(printer, NULL, family);
		at += plain_width(family);
	}
	putc('\n', file);
	at = 0;
	for (size_t i = 0; i < table->count; i++) {
		pad(file, &at, left + table->column[i].start);
		text_put(printer, NULL, table->column[i].text);
		at += table->column[i].width;
	}
	putc('\n', file);
}

static void print_row(const struct toolchains_printer *printer, const struct version_table *table,
		      const struct toolchain_fault *fault, size_t left)
{
	static const char *const mark[] = { " ", ".", "X" };
	char title[2 * NAME_BYTES], clean[NAME_BYTES];
	size_t at;

	fault_title(fault, title, sizeof(title));
	plain_text(title, clean, left - 2 < sizeof(clean) ? left - 2 : sizeof(clean));
	fprintf(printer->file, "%s%s", fault->expected ? " " : "!", clean);
	at = plain_width(clean) + 1;
	for (size_t i = 0; i < table->count; i++) {
		enum fault_state state = fault->state[table->column[i].toolchain];
		if (state == FAULT_UNTRIED)
			continue;
		pad(printer->file, &at, left + table->column[i].start + table->column[i].width - 1);
		text_put(printer,
			 state == FAULT_ABSENT ? COLOUR_DIM
			 : fault->expected     ? NULL
					       : COLOUR_RED,
			 mark[state]);
		at++;
	}
	putc('\n', printer->file);
}

void version_table_print(const struct toolchains_printer *printer)
{
	const struct toolchains *model = printer->model;
	size_t left = 0, count = 0, room = printer->style->width;
	struct version_table table;

	table_init(&table, model);
	for (size_t i = 0; i < model->fault_count; i++) {
		char title[2 * NAME_BYTES];
		fault_title(&model->fault[i], title, sizeof(title));
		if (model->fault[i].origin == ORIGIN_COMPILED && plain_width(title) + 4 > left)
			left = plain_width(title) + 4;
	}
	if (left + table.width > room)
		left = table.width + NAME_LEAST < room ? room - table.width : NAME_LEAST;
	print_headings(printer, &table, left);
	for (size_t i = 0; i < model->fault_count; i++) {
		if (model->fault[i].origin != ORIGIN_COMPILED)
			continue;
		if (count++ < ROWS_MAX || printer->style->verbose)
			print_row(printer, &table, &model->fault[i], left);
	}
	if (count > ROWS_MAX && !printer->style->verbose)
		fprintf(printer->file, " and %zu more: --verbose\n", count - ROWS_MAX);
	free(table.column);
}
