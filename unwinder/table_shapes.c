/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_shapes.c - shapes that only one entry uses are taken apart
 *
 * A shape pays when several entries share it: of n rows, it takes 2n bytes once and 4 bytes in each
 * entry. One that a single entry uses is better said with the beginnings of other shapes. Those
 * cost no byte: rows are stored last first, so what a shape begins with is its tail.
 *
 *	(9 r7)(4 r3)(1 r2)(0 r1)	used often, at 1234; so (4 r3)(1 r2)(0 r1) is there too, at 1235
 *	(6 r8)(4 r3)(1 r2)(0 r1)	used once: becomes entry 1235 at +0, and rule r8 at +6
 *
 * In libc four shapes of five are used once, and this takes an eighth off the table. Where they are
 * few it would take longer than it is worth, and is left.
 */
#include <stdlib.h>
#include <string.h>
#include "table_builder.h"

/* It is done if the rows of shapes used once are more than this part of the table. */
#define WORTH_IT 8

/* Entries that use the shape that begins at each row, up to 2. NULL: no memory. */
static uint8_t *count_uses(const struct table *table)
{
	uint8_t *uses = calloc(table->shape_count, 1);

	for (uint32_t i = 0; uses && i < table->entry_count; i++) {
		uint32_t number = table_entry_number(table->entry[i]);

		if (!(table->entry[i] & TABLE_DIRECT) && uses[number] < 2)
			uses[number]++;
	}
	return uses;
}

static uint32_t shape_rows(const struct table *table, uint32_t first)
{
	uint32_t last = first;

	while (table_shape_distance(table->shape[last]))
		last++;
	return last + 1 - first;
}

static uint64_t rows_used_once(const struct table *table, const uint8_t *uses)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < table->shape_count; i += shape_rows(table, i))
		if (uses[i] == 1)
			rows += shape_rows(table, i);
	return rows;
}

/* Keeps the shapes used more than once, and makes all that they begin with known. moved[]: where
 * each went, 0 for those that are gone. */
static void keep_shared(struct table_builder *builder, const uint8_t *uses, uint32_t *moved)
{
	struct table *table = builder->table;
	uint32_t count = table->shape_count, kept = 1;

	number_map_deinit(&builder->shapes);
	builder->shapes = (struct number_map) { 0 };
	for (uint32_t i = 1, rows; i < count; i += rows) {
		rows = shape_rows(table, i);
		if (uses[i] < 2)
			continue;
		moved[i] = kept;
		memmove(table->shape + kept, table->shape + i, rows * sizeof(*table->shape));
		kept += rows;
	}
	table->shape_count = kept;
	for (uint32_t i = 1, rows; i < kept; i += rows) {
		rows = shape_rows(table, i);
		for (uint32_t tail = 0; tail + 1 < rows; tail++)
			builder_name_shape(builder, i + tail, rows - tail);
	}
}

/* The rows of a shape, in order of address. */
static uint32_t get_run(const uint16_t *shape, struct run_row *run)
{
	uint32_t rows = 1;

	while (table_shape_distance(shape[rows - 1]))
		rows++;
	for (uint32_t i = 0; i < rows; i++)
		run[i] = (struct run_row) { table_shape_distance(shape[rows - 1 - i]),
					    table_shape_rule(shape[rows - 1 - i]) };
	return rows;
}

/* The longest beginning that is a shape, again and again; else a row by itself. */
static void append_parts(struct table_builder *builder, uint64_t vaddr, const struct run_row *run,
			 uint32_t count)
{
	for (uint32_t i = 0, rows; i < count; i += rows) {
		struct run_row part[TABLE_SHAPE_ROWS];
		uint32_t what = 0;

		for (uint32_t k = i; k < count; k++)
			part[k - i] = (struct run_row) { run[k].distance - run[i].distance,
							 run[k].rule };
		for (rows = count - i; rows > 1 && !what; rows -= !what)
			what = builder_find_run(builder, part, rows);
		builder_entry(builder, vaddr + run[i].distance,
			      what ? what : TABLE_DIRECT | run[i].rule);
	}
}

static void append_all(struct table_builder *builder, const struct table *old,
		       const uint32_t *moved)
{
	for (uint32_t s = 0; s < old->segment_count; s++) {
		const struct table_segment *segment = &old->segment[s];

		for (uint32_t p = 0; p < segment->page_count; p++) {
			const uint32_t *page = &old->page[segment->first_page + p];
			uint64_t start = segment->vaddr + (uint64_t)p * TABLE_PAGE_SIZE;

			for (uint32_t e = page[0]; e < page[1]; e++) {
				uint32_t number = table_entry_number(old->entry[e]);
				uint64_t vaddr = start + table_entry_offset(old->entry[e]);
				struct run_row run[TABLE_SHAPE_ROWS];

				if (old->entry[e] & TABLE_DIRECT)
					builder_entry(builder, vaddr, TABLE_DIRECT | number);
				else if (moved[number])
					builder_entry(builder, vaddr, moved[number]);
				else
					append_parts(builder, vaddr, run,
						     get_run(old->shape + number, run));
			}
		}
	}
}

void builder_share_shapes(struct table_builder *builder)
{
	struct table *table = builder->table;
	struct table old = *table;
	uint8_t *uses = count_uses(table);
	uint32_t *moved = NULL;

	old.page = NULL;
	old.shape = NULL;
	if (!uses ||
	    rows_used_once(table, uses) * sizeof(*table->shape) * WORTH_IT < table_bytes(table))
		goto out;
	moved = calloc(table->shape_count, sizeof(*moved));
	old.shape = malloc(table->shape_count * sizeof(*old.shape));
	old.page = malloc((table->page_count + 1) * sizeof(*old.page));
	if (!moved || !old.shape || !old.page)
		goto out; /* the table is good as it is */
	memcpy(old.shape, table->shape, table->shape_count * sizeof(*old.shape));
	memcpy(old.page, table->page, (table->page_count + 1) * sizeof(*old.page));
	keep_shared(builder, uses, moved);
	builder_restart(builder);
	append_all(builder, &old, moved);
	builder_end_pages(builder);
	free(old.entry);
out:
	free(old.page);
	free(old.shape);
	free(moved);
	free(uses);
}
