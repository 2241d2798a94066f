/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_builder.h - what both ways to build a table share: the arrays, as they grow
 *
 * A builder is fed in order of address. Rules are interned: each distinct one gets a number once.
 * Rows come in runs, which become entries:
 *
 *	builder_jump(vaddr)		a chunk begins: what comes next need not be behind the last
 *	builder_cut()			what comes next begins a run of its own
 *	builder_row(vaddr, rule)	the rule in force from vaddr on
 *	builder_finish()		the last run; entries in order, by pages
 *
 * A caller that knows a run's shape already gives the entry itself (builder_entry). Running out of
 * memory is noted in the builder and ends in an error at the end; everything may be called after
 * it.
 * Private to unwinder/.
 */
#ifndef STACKPROOF_TABLE_BUILDER_H
#define STACKPROOF_TABLE_BUILDER_H

#include "number_map.h"
#include "scratch.h"
#include "unwind_table.h"

/* Rows at most this far apart are in one run. */
#define RUN_GAP_MAX 15

struct run_row {
	uint32_t distance; /* bytes from the run's first row */
	uint32_t rule;
};

/* The entries of one page that came one after the other. They end where the next part begins. */
struct builder_part {
	uint32_t page;
	uint32_t first; /* entry */
};

/* Parts in order of address. */
struct builder_chunk {
	uint64_t vaddr,
		vaddr_end; /* of what the entries are about; the end is the caller's to keep */
	uint32_t first_part, end_part;
};

/* Rules without places that were interned lately, by their bytes: rows name the same ones again
 * and again. */
#define RECENT_RULES 512

struct recent_rule {
	struct table_rule rule;
	uint32_t number; /* 0: none */
};

struct table_builder {
	struct table *table;
	struct scratch scratch; /* where all lies that is not the table's */
	uint32_t *entry;
	struct builder_part *part;
	struct builder_chunk *chunk;
	uint32_t entry_count, part_count, chunk_count;
	uint32_t entry_capacity, part_capacity, chunk_capacity;
	uint32_t shape_capacity, rule_capacity, place_capacity;
	struct number_map rules;
	struct recent_rule recent[RECENT_RULES];
	struct number_map shapes;
	struct run_row run[TABLE_SHAPE_ROWS];
	uint32_t run_count;
	uint64_t run_vaddr;
	uint64_t page_end;	 /* of the page of the last entry; 0: none in this chunk */
	uint64_t rule_bytes_max; /* of rules and places: builder_init() */
	bool out_of_memory;
};

/* Makes the table and its segments. */
int builder_init(struct table_builder *builder, const struct image *image, struct error *error);
/* Hands the finished table over (0), or fails (-1), or finds that chunks overlap (1). In any
 * case the builder is gone. */
int builder_finish(struct table_builder *builder, struct table **ret, struct error *error);
/* Gives it all up. */
void builder_abandon(struct table_builder *builder);

/* ---- rules and runs ---------------------------------------------------------------------- */

/* The number of a rule, which is added if it is new; or TABLE_TOO_MANY_RULES. */
uint32_t builder_rule(struct table_builder *builder, const struct table_rule_full *rule);
/* The same for a rule without places. */
uint32_t builder_short_rule(struct table_builder *builder, const struct table_rule *rule);
/* What an entry that begins this run holds, without its offset; 0 if that can't be one entry (0 is
 * never an entry's content: TABLE_NO_ROW is direct). rows[0].distance is 0. */
uint32_t builder_run(struct table_builder *builder, const struct run_row *rows, uint32_t count);
/* The same of a run that must be there already; 0: it is not. */
uint32_t builder_find_run(struct table_builder *builder, const struct run_row *rows,
			  uint32_t count);
/* Makes rows of shape[], from first on, one that builder_find_run() finds. */
void builder_name_shape(struct table_builder *builder, uint32_t first, uint32_t rows);

/* ---- entries ----------------------------------------------------------------------------- */

void builder_jump(struct table_builder *builder, uint64_t vaddr);
void builder_end_chunk(struct table_builder *builder);
/* Appends an entry. vaddr ascends in a chunk; outside of every segment it is left out. */
void builder_entry_slow(struct table_builder *builder, uint64_t vaddr, uint32_t what);
static inline void builder_entry(struct table_builder *builder, uint64_t vaddr, uint32_t what)
{
	/* Not the first of its page, and there is room: nearly always. */
	if (vaddr < builder->page_end && builder->entry_count < builder->entry_capacity)
		builder->entry[builder->entry_count++] =
			table_entry_pack(vaddr & (TABLE_PAGE_SIZE - 1), what);
	else
		builder_entry_slow(builder, vaddr, what);
}
void builder_cut(struct table_builder *builder);
void builder_row(struct table_builder *builder, uint64_t vaddr, uint32_t rule);
/* Room for so many entries, in pages that have one part each, and about so many shapes, a power of
 * two. Only those that come cost memory. False: no memory. */
bool builder_reserve(struct table_builder *builder, uint64_t entries, uint32_t shapes);
bool builder_reserve_shapes(struct table_builder *builder, uint64_t count);

/* The rows of one FDE for addresses from .. to, by cfi_rows(). first_time: they are counted. In
 * table_create.c. */
void builder_fde(struct table_builder *builder, const struct cfi *cfi, const struct cfi_fde *fde,
		 uint64_t from, uint64_t to, bool first_time);

/* No address of the FDE is in a segment of the table. In table_create.c. */
bool table_is_outside(const struct table *table, const struct cfi_fde *fde);

/* Where a builder stood, to go back to it between two runs. Rules, shapes and chunks stay. */
struct builder_mark {
	uint32_t entry_count, part_count;
	uint64_t page_end, cfi_row_count;
};
static inline struct builder_mark builder_mark(const struct table_builder *builder)
{
	return (struct builder_mark) { builder->entry_count, builder->part_count, builder->page_end,
				       builder->table->cfi_row_count };
}
void builder_reset(struct table_builder *builder, const struct builder_mark *mark);

/* ---- the end: table_layout.c, table_shapes.c --------------------------------------------- */

int table_make_segments(struct table *table, const struct image *image, struct error *error);
/* Where a page begins. It must be one of the table's. */
uint64_t table_page_vaddr(const struct table *table, uint32_t page);
/* Puts chunks in order. False: they overlap. */
bool builder_sort_chunks(struct table_builder *builder);
/* Takes apart the shapes that only one entry uses, if that is worth it. */
void builder_share_shapes(struct table_builder *builder);
/* Leaves off pages that have no row: at a segment's end, and where there are many, for which it
 * is cut. Chunks are in order. False: no memory. In table_stretches.c. */
#define TABLE_CUTS_MAX 15 /* of an image: each is one mapping more for every process */
bool builder_cut_segments(struct table_builder *builder);
/* Makes entry[] and page[] of the table. False: no memory. */
bool builder_lay_out(struct table_builder *builder);
/* Makes pages smaller where there are many entries in each. */
void table_cut_pages(struct table *table);
/* Gives rules that stand alone a shape of one row. */
void builder_name_rules(struct table_builder *builder);

#endif
