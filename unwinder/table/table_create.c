/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_create.c - canonical rows -> a table, one by one
 *
 * The plain way: every row of every FDE as cfi_rows() gives it. It takes any CFI that can be read
 * at all, and is what table_build() falls back on; the two must say the same.
 *
 * Where FDEs overlap, an address belongs to the FDE with the highest start among those that cover
 * it, as in cfi_fde_find(): an outer FDE goes on where an inner one ends.
 */
#include <elf.h>
#include "cfi/cfi_section.h"
#include "table_builder.h"
#include "array.h"

struct fde_rows {
	struct table_builder *builder;
	uint64_t from, to; /* the part of the FDE at hand that is wanted */
	uint64_t decoded;  /* where its last row ended */
	uint32_t segment;  /* the first one that ends behind the last row */
	bool first_time;   /* its rows are not counted yet */
};

static uint64_t segment_end(const struct table *table, uint32_t segment)
{
	return table->segment[segment].vaddr + table->segment[segment].bytes;
}

uint32_t builder_segment_behind(const struct table *table, uint64_t vaddr)
{
	return ARRAY_BEFORE(table->segment_count, i, !(segment_end(table, i) > vaddr));
}

/* FDEs may begin or end outside of segments, and one may reach from one into another: a segment's first page begins
 * with what holds there. */
void builder_put(struct table_builder *builder, uint32_t *segment, uint64_t pc, uint64_t pc_end,
		 uint32_t rule)
{
	const struct table *table = builder->table;

	for (; *segment < table->segment_count && segment_end(table, *segment) <= pc; ++*segment)
		;
	for (uint32_t i = *segment; i < table->segment_count; i++) {
		uint64_t start = table->segment[i].vaddr;

		if (start >= pc_end)
			return;
		if (!table->segment[i].page_count)
			continue;
		if (start >= pc)
			builder_cut(builder);
		builder_row(builder, start > pc ? start : pc, rule);
	}
}

static void put_rule(struct fde_rows *rows, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	builder_put(rows->builder, &rows->segment, pc, pc_end, rule);
}

static int on_row(void *context, const struct row *row)
{
	struct fde_rows *rows = context;
	struct table *table = rows->builder->table;
	struct table_rule_full rule;
	uint32_t number;

	rows->decoded = row->pc_end;
	table->cfi_row_count += rows->first_time;
	number = table_rule_from_row(row, &rule);
	if (!number)
		number = builder_rule(rows->builder, &rule);
	if (number < TABLE_MARKER_COUNT)
		table->lost[number] += rows->first_time;
	if (row->pc < rows->to && row->pc_end > rows->from)
		put_rule(rows, row->pc > rows->from ? row->pc : rows->from,
			 row->pc_end < rows->to ? row->pc_end : rows->to, number);
	return rows->builder->out_of_memory;
}

void builder_fde(struct table_builder *builder, const struct cfi *cfi, const struct cfi_fde *fde,
		 uint64_t from, uint64_t to, bool first_time)
{
	struct fde_rows rows = {
		builder, from, to, from, builder_segment_behind(builder->table, from), first_time
	};
	struct error error;

	if (cfi_rows(cfi, fde, on_row, &rows, &error) >= 0)
		return;
	if (error.code == ERROR_MEMORY) {
		builder->out_of_memory = true;
		return;
	}
	/* What follows a bad instruction must not look as if the last row went on. */
	builder->table->lost[TABLE_MALFORMED] += first_time;
	if (rows.decoded < from)
		rows.decoded = from;
	if (rows.decoded < to)
		put_rule(&rows, rows.decoded, to, TABLE_MALFORMED);
}

bool table_is_outside(const struct table *table, const struct cfi_fde *fde)
{
	uint32_t segment = builder_segment_behind(table, fde->pc_begin);

	return segment == table->segment_count ||
	       table->segment[segment].vaddr >= fde->pc_begin + fde->pc_range;
}

static void put_malformed(struct table_builder *builder, uint64_t from, uint64_t to)
{
	struct fde_rows rows = {
		builder, from, to, from, builder_segment_behind(builder->table, from), false
	};

	put_rule(&rows, from, to, TABLE_MALFORMED);
}

static void create_fdes(struct table_builder *builder, const struct cfi *cfi)
{
	struct cfi_again again = cfi_again_begin(cfi);

	builder_jump(builder, 0);
	for (size_t i = 0; i < cfi->by_pc_count && !builder->out_of_memory; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		uint64_t next = UINT64_MAX, end;

		if (i + 1 < cfi->by_pc_count)
			next = cfi->fde[cfi->by_pc[i + 1]].pc_begin;
		end = fde->pc_begin + fde->pc_range;
		end = end < next ? end : next;
		if (table_is_outside(builder->table, fde)) {
			/* An object that was not linked has no segments, and no table. */
			builder->table->lost_fdes += cfi->image->type != ET_REL;
		} else {
			builder->table->fde_count++;
			builder_cut(builder);
			builder_fde(builder, cfi, fde, fde->pc_begin, end, true);
		}
		/* An FDE around this one goes on until the next begins. */
		while (cfi->overlapping && end < next) {
			const struct cfi_fde *outer = cfi_fde_find(cfi, end);
			uint64_t from = end;

			if (!outer)
				break;
			end = outer->pc_begin + outer->pc_range;
			end = end < next ? end : next;
			if (cfi_again_may(&again, cfi, outer))
				builder_fde(builder, cfi, outer, from, end, false);
			else
				put_malformed(builder, from, end);
		}
		if (end < next)
			builder_row(builder, end, TABLE_NO_ROW);
	}
}

int table_create(const struct image *image, const struct cfi *cfi, struct table **ret,
		 struct error *error)
{
	struct table_builder builder;

	if (builder_init(&builder, image, error))
		return -1;
	if (cfi) {
		builder.table->lost_fdes = cfi->diagnostics.count + cfi->diagnostics.dropped;
		create_fdes(&builder, cfi);
	}
	return builder_finish(&builder, ret, error);
}
