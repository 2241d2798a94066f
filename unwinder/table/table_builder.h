/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_builder.h - builds a table's arrays, for table_build.c and table_create.c
 *
 * The builder is given rows in order of address. Rules are interned: equal rules have one number. Rows
 * that are close to each other form a run, which becomes an entry:
 *
 *	builder_jump(vaddr)		begins a chunk: the next rows may be at any address
 *	builder_cut()			the next row begins a new run
 *	builder_row(vaddr, rule)	the rule in force from vaddr on
 *	builder_finish()		ends the last run, sorts the chunks, makes the table
 *
 * A caller that knows a run's shape already adds the entry itself (builder_entry()). If memory runs out,
 * out_of_memory is set, all functions may still be called, and builder_finish() fails. Private to
 * unwinder/.
 */
#ifndef STACKPROOF_TABLE_BUILDER_H
#define STACKPROOF_TABLE_BUILDER_H

#include "number_map.h"
#include "scratch.h"
#include "unwind_table.h"

/* Rows of a run are at most so many bytes apart. */
#define RUN_GAP_MAX 15

struct run_row {
	uint32_t distance; /* bytes from the run's first row */
	uint32_t rule;
};

/* Consecutive entries of one page. They end where the next part begins. */
struct builder_part {
	uint32_t page;
	uint32_t first; /* number of its first entry */
};

/* Consecutive parts, in order of address. */
struct builder_chunk {
	uint64_t vaddr,
		vaddr_end; /* the addresses that the entries are about; the caller sets the end */
	uint32_t first_part, end_part;
};

/* Rules without places that were interned lately, by a hash: the same few recur again and again. */
#define RECENT_RULES 512

struct recent_rule {
	struct table_rule rule;
	uint32_t number; /* 0: none */
};

struct table_builder {
	struct table *table;
	struct scratch scratch; /* for everything that is not the table's */
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
	uint64_t page_end;	 /* end of the last entry's page; 0: no entry in this chunk yet */
	uint64_t rule_bytes_max; /* the most for rules and places: builder_init() sets it */
	bool out_of_memory;
};

/* Makes an empty table with its segments. */
int builder_init(struct table_builder *builder, const struct image *image, struct error *error);
/* Finishes the table: *ret is the caller's (0). -1: error; 1: chunks overlap. The builder is deinitialised in
 * any case. */
int builder_finish(struct table_builder *builder, struct table **ret, struct error *error);
/* Frees the table, and deinitialises the builder. */
void builder_abandon(struct table_builder *builder);

/* ---- rules and runs ---------------------------------------------------------------------- */

/* The number of a rule, which is added if it is new. TABLE_TOO_MANY_RULES: it can't be added. */
uint32_t builder_rule(struct table_builder *builder, const struct table_rule_full *rule);
/* The same for a rule without places. */
uint32_t builder_short_rule(struct table_builder *builder, const struct table_rule *rule);
/* The content of an entry for this run, without the offset; adds a shape if need be. 0: no single entry can hold
 * the run (0 is never a content: TABLE_NO_ROW is direct). rows[0].distance must be 0. */
uint32_t builder_run(struct table_builder *builder, const struct run_row *rows, uint32_t count);
/* The same, but only finds a shape. 0: there is none for the run. */
uint32_t builder_find_run(struct table_builder *builder, const struct run_row *rows,
			  uint32_t count);
/* Makes builder_find_run() find the rows of shape[] from first on as a shape; rows: how many. */
void builder_name_shape(struct table_builder *builder, uint32_t first, uint32_t rows);

/* ---- entries ----------------------------------------------------------------------------- */

/* Begins a chunk at vaddr, and ends the one before. */
void builder_jump(struct table_builder *builder, uint64_t vaddr);
void builder_end_chunk(struct table_builder *builder);
/* Appends an entry. vaddr must ascend within a chunk. If it is in no segment, the entry is left out. */
void builder_entry_slow(struct table_builder *builder, uint64_t vaddr, uint32_t what);
static inline void builder_entry(struct table_builder *builder, uint64_t vaddr, uint32_t what)
{
	/* Nearly always: it is not the first entry of its page, and there is room. */
	if (vaddr < builder->page_end && builder->entry_count < builder->entry_capacity)
		builder->entry[builder->entry_count++] =
			table_entry_pack(vaddr & (TABLE_PAGE_SIZE - 1), what);
	else
		builder_entry_slow(builder, vaddr, what);
}
void builder_cut(struct table_builder *builder);
void builder_row(struct table_builder *builder, uint64_t vaddr, uint32_t rule);
/* Reserves room for so many entries, one part for each page, and about so many shapes, a power of two. Unused
 * room costs no memory. False: no memory. */
bool builder_reserve(struct table_builder *builder, uint64_t entries, uint32_t shapes);
bool builder_reserve_shapes(struct table_builder *builder, uint64_t count);

/* The first segment of the table that ends behind vaddr, or their number. (table_create.c) */
uint32_t builder_segment_behind(const struct table *table, uint64_t vaddr);
/* Adds a rule for pc .. pc_end, wherever that is in a segment. *segment: one that doesn't end behind those which were
 * added before. (table_create.c) */
void builder_put(struct table_builder *builder, uint32_t *segment, uint64_t pc, uint64_t pc_end,
		 uint32_t rule);

/* Adds the rows of one FDE at addresses from .. to, by cfi_rows(). first_time: counts them, too.
 * (table_create.c) */
void builder_fde(struct table_builder *builder, const struct cfi *cfi, const struct cfi_fde *fde,
		 uint64_t from, uint64_t to, bool first_time);

/* Whether no address of the FDE is in a segment of the table. (table_create.c) */
bool table_is_outside(const struct table *table, const struct cfi_fde *fde);

/* A state of the builder between two runs. builder_reset() returns to it, but keeps rules, shapes and chunks. */
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

/* Makes the table's segments, with pages for all of their code. */
int table_make_segments(struct table *table, const struct image *image, struct error *error);
/* The image address where page number `page` of the table begins. */
uint64_t table_page_vaddr(const struct table *table, uint32_t page);
/* Sorts the chunks. False: they overlap. */
bool builder_sort_chunks(struct table_builder *builder);
/* Replaces shapes that only one entry uses by tails of other shapes, if that saves enough. (table_shapes.c) */
void builder_share_shapes(struct table_builder *builder);
/* Drops pages without rows: those at a segment's end, and long stretches, at which the segment is cut in two.
 * Chunks must be sorted. False: no memory. (table_stretches.c) */
#define TABLE_CUTS_MAX 15 /* cuts of an image: each adds a mapping in every process */
bool builder_cut_segments(struct table_builder *builder);
/* Makes the table's entry[] and page[] from the chunks. False: no memory. */
bool builder_lay_out(struct table_builder *builder);
/* Makes the table's pages smaller if they have many entries. */
void table_cut_pages(struct table *table);
/* Replaces direct entries by entries for a shape of one row, so that look-ups need no branch. (table_shapes.c) */
void builder_name_rules(struct table_builder *builder);

#endif
