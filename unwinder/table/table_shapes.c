/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_shapes.c - how entries share shapes, when all of them are known
 *
 * A shape pays when several entries share it: of n rows, it takes 2n bytes once and 4 bytes in each
 * entry. One that a single entry uses is better said with the beginnings of other shapes. Those
 * cost no byte: rows are stored last first, so what a shape begins with is its tail.
 *
 *	(9 r7)(4 r3)(1 r2)(0 r1)	used often, at 1234; so (4 r3)(1 r2)(0 r1) is there too, at 1235
 *	(6 r8)(4 r3)(1 r2)(0 r1)	used once: becomes entry 1235 at +0, and rule r8 at +6
 *
 * In libc four shapes of five are used once, and taking them apart takes an eighth off the table.
 * Where they are few it would take longer than it is worth, and is left.
 */
#include <string.h>
#include "table_builder.h"

/* It is done if the rows of shapes used once are more than this part of the table. */
#define WORTH_IT 8

/* The first two rows of all shapes that are kept, as bits of a hash: most runs begin with no
 * such two. */
#define BEGINNING_BITS 13

struct beginnings {
	uint64_t word[1 << (BEGINNING_BITS - 6)];
};

/* Of rules 0 and 1, the latter at a distance. */
static uint32_t beginning(uint32_t first, uint32_t distance, uint32_t second)
{
	uint32_t mixed = (first << 22 ^ distance << 16 ^ second) * 0x9e3779b1u;

	return mixed >> (32 - BEGINNING_BITS);
}

/* The entries as they were. */
struct builder_before {
	uint16_t *shape;
	uint32_t *moved; /* where the shape that began at a row is now; 0: it is gone */
	uint32_t *entry;
	struct builder_part *part;
	struct builder_chunk *chunk;
	uint32_t entry_count, part_count, chunk_count;
	struct beginnings beginnings;
};

/* Entries that use the shape that begins at each row, up to 2. NULL: no memory. */
static uint8_t *count_uses(struct table_builder *builder)
{
	uint8_t *uses = scratch_take(&builder->scratch, builder->table->shape_count);

	for (uint32_t i = 0; uses && i < builder->entry_count; i++) {
		uint32_t number = table_entry_number(builder->entry[i]);

		if (!(builder->entry[i] & TABLE_DIRECT) && uses[number] < 2)
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
static void keep_shared(struct table_builder *builder, const uint8_t *uses, uint32_t *moved,
			struct beginnings *ret)
{
	struct table *table = builder->table;
	uint32_t count = table->shape_count, kept = 1;

	number_map_deinit(&builder->shapes);
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
		const uint16_t *last;
		uint32_t bit;

		rows = shape_rows(table, i);
		for (uint32_t tail = 0; tail + 1 < rows; tail++)
			builder_name_shape(builder, i + tail, rows - tail);
		if (rows < 2)
			continue;
		last = table->shape + i + rows - 2;
		bit = beginning(table_shape_rule(last[1]), table_shape_distance(last[0]),
				table_shape_rule(last[0]));
		ret->word[bit / 64] |= 1ull << bit % 64;
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

/* False: no shape begins with these two rows. */
static bool may_begin(const struct beginnings *beginnings, const struct run_row *run)
{
	uint32_t bit = beginning(run[0].rule, run[1].distance, run[1].rule);

	return beginnings->word[bit / 64] >> bit % 64 & 1;
}

/*
 * The longest beginning that is a shape, again and again; else a row by itself. keep_shared() has
 * named all that a shape begins with, of two rows and more: so where one beginning is none, no
 * longer one is.
 */
static void append_rows(struct table_builder *builder, const struct beginnings *beginnings,
			uint64_t vaddr, const struct run_row *run, uint32_t count)
{
	for (uint32_t i = 0, rows; i < count; i += rows) {
		struct run_row part[TABLE_SHAPE_ROWS];
		uint32_t what = TABLE_DIRECT | run[i].rule, longer;

		part[0] = (struct run_row) { 0, run[i].rule };
		for (rows = 1; i + rows < count; rows++) {
			part[rows] = (struct run_row) { run[i + rows].distance - run[i].distance,
							run[i + rows].rule };
			if (rows == 1 && !may_begin(beginnings, part))
				break;
			longer = builder_find_run(builder, part, rows + 1);
			if (!longer)
				break;
			what = longer;
		}
		builder_entry(builder, vaddr + run[i].distance, what);
	}
}

static void append_part(struct table_builder *builder, const struct builder_before *before,
			const struct builder_part *part, uint32_t end)
{
	uint64_t page = table_page_vaddr(builder->table, part->page);

	for (uint32_t i = part->first; i < end; i++) {
		uint32_t number = table_entry_number(before->entry[i]);
		uint64_t vaddr = page + table_entry_offset(before->entry[i]);
		struct run_row run[TABLE_SHAPE_ROWS];

		if (before->entry[i] & TABLE_DIRECT)
			builder_entry(builder, vaddr, TABLE_DIRECT | number);
		else if (before->moved[number])
			builder_entry(builder, vaddr, before->moved[number]);
		else
			append_rows(builder, &before->beginnings, vaddr, run,
				    get_run(before->shape + number, run));
	}
}

/* The chunks are in order, their parts where they were. */
static void append_all(struct table_builder *builder, const struct builder_before *before)
{
	for (uint32_t c = 0; c < before->chunk_count; c++) {
		const struct builder_chunk *chunk = &before->chunk[c];

		builder_jump(builder, chunk->vaddr);
		for (uint32_t p = chunk->first_part; p < chunk->end_part; p++)
			append_part(builder, before, &before->part[p],
				    p + 1 < before->part_count ? before->part[p + 1].first
							       : before->entry_count);
	}
	builder_end_chunk(builder);
}

/* Takes the entries out of the builder. False: no memory, nothing was done. */
static bool take_out(struct table_builder *builder, struct builder_before *ret)
{
	struct table *table = builder->table;

	*ret = (struct builder_before) {
		.shape = scratch_take(&builder->scratch, table->shape_count * sizeof(*ret->shape)),
		.moved = scratch_take(&builder->scratch, table->shape_count * sizeof(*ret->moved)),
		.entry = builder->entry,
		.part = builder->part,
		.chunk = builder->chunk,
		.entry_count = builder->entry_count,
		.part_count = builder->part_count,
		.chunk_count = builder->chunk_count,
	};
	if (!ret->shape || !ret->moved)
		return false;
	memcpy(ret->shape, table->shape, table->shape_count * sizeof(*ret->shape));
	builder->entry = NULL;
	builder->part = NULL;
	builder->chunk = NULL;
	builder->entry_count = builder->part_count = builder->chunk_count = 0;
	builder->entry_capacity = builder->part_capacity = builder->chunk_capacity = 0;
	return true;
}

void builder_share_shapes(struct table_builder *builder)
{
	struct table *table = builder->table;
	uint64_t worth = (builder->entry_count * sizeof(*builder->entry) + table_bytes(table)) /
			 WORTH_IT;
	struct builder_before before;
	uint8_t *uses;

	if (table->shape_count * sizeof(*table->shape) < worth || !(uses = count_uses(builder)) ||
	    rows_used_once(table, uses) * sizeof(*table->shape) < worth ||
	    !take_out(builder, &before))
		return;					 /* the table is good as it is */
	builder_reserve(builder, before.entry_count, 0); /* there will be more */
	keep_shared(builder, uses, before.moved, &before.beginnings);
	append_all(builder, &before);
}

/* ---- rules that stand alone ------------------------------------------------------------- */

/* Adds a row of distance 0, which is a shape by itself; 0: there is no room. */
static uint32_t single_row(struct table_builder *builder, uint32_t rule)
{
	struct table *table = builder->table;

	if (!builder_reserve_shapes(builder, table->shape_count + 1))
		return 0;
	table->shape[table->shape_count] = rule;
	return table->shape_count++;
}

/*
 * An entry for one rule names that rule directly while the table is built. In the end it names a
 * row that says so: where every shape ends is one, so they mostly cost nothing. Then a look-up is
 * the same for all, where a direct entry is a branch that the CPU guesses wrong two times in five
 * (libc). Rules that a row can't hold stay direct. Which entries are, no CPU could guess here
 * either: so each is written, and no branch depends on what it becomes.
 */
void builder_name_rules(struct table_builder *builder)
{
	/* What an entry for a rule names; the last is not 0, and for those that stay as they are. */
	uint32_t single[TABLE_SHAPE_RULES + 1] = { [TABLE_SHAPE_RULES] = 1 };
	struct table *table = builder->table;
	uint32_t *entry = table->entry, *end = entry + table->entry_count;

	for (uint32_t i = 1; i < table->shape_count; i++)
		if (!table_shape_distance(table->shape[i]))
			single[table_shape_rule(table->shape[i])] = i;
	for (; entry < end; entry++) {
		uint32_t what = *entry & (TABLE_DIRECT | (TABLE_NUMBER_MAX - 1)), named;
		uint32_t rule = what - TABLE_DIRECT; /* of a shape's: more than any */
		bool changes = rule < TABLE_SHAPE_RULES;

		rule = changes ? rule : TABLE_SHAPE_RULES;
		if (!single[rule] && !(single[rule] = single_row(builder, rule)))
			continue;
		named = table_entry_pack(table_entry_offset(*entry), single[rule]);
		*entry = changes ? named : *entry;
	}
}
