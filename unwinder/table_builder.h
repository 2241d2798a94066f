/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_builder.h - what both ways to build a table share: the arrays, as they grow
 *
 * A builder is fed in order of address. Rules are interned: each distinct one gets a number once.
 * Rows come in runs, which become entries:
 *
 *	builder_cut()			what comes next begins a run of its own
 *	builder_row(vaddr, rule)	the rule in force from vaddr on
 *	builder_finish()		the last run, the last pages
 *
 * A caller that knows a run's shape already gives the entry itself (builder_entry). Running out of
 * memory is noted in the builder and ends in an error at the end; everything may be called after it.
 * Private to unwinder/.
 */
#ifndef STACKPROOF_TABLE_BUILDER_H
#define STACKPROOF_TABLE_BUILDER_H

#include "unwinder.h"

/* Rows at most this far apart are in one run. */
#define RUN_GAP_MAX 15

struct run_row {
	uint32_t distance; /* bytes from the run's first row */
	uint32_t rule;
};

/* Numbers by key, open addressing; 0 is no number. Zero-initialise. */
struct number_map {
	uint64_t *hash; /* of the key, with the number in slot[] */
	uint32_t *slot;
	uint32_t count;
	uint32_t capacity; /* a power of two, or 0 */
};

struct table_builder {
	struct table *table;
	uint32_t entry_capacity, shape_capacity, rule_capacity, place_capacity;
	struct number_map rules;
	struct number_map shapes;
	struct run_row run[TABLE_SHAPE_ROWS];
	uint32_t run_count;
	uint64_t run_vaddr;
	uint32_t segments;     /* that were begun; the last one is being filled */
	uint64_t segment_end;  /* its end, 0 before the first */
	uint64_t page_vaddr;   /* where the page next_page begins */
	uint32_t next_page;    /* page[] is known below this */
	bool segment_is_empty; /* has no entry yet */
	bool out_of_memory;
};

/* Makes the table, its segments and pages. */
int builder_init(struct table_builder *builder, const struct image *image, struct error *error);
/* Hands the finished table over, or fails and frees everything. In any case the builder is gone. */
int builder_finish(struct table_builder *builder, struct table **ret, struct error *error);
/* Gives it all up. */
void builder_abandon(struct table_builder *builder);

/* The number of a rule, which is added if it is new; or TABLE_TOO_MANY_RULES. */
uint32_t builder_rule(struct table_builder *builder, const struct table_rule_full *rule);
/* The same for a rule without places. */
uint32_t builder_short_rule(struct table_builder *builder, const struct table_rule *rule);
/* What an entry that begins this run holds, without its offset; 0 if that can't be one entry (0 is
 * never an entry's content: TABLE_NO_ROW is direct). rows[0].distance is 0. */
uint32_t builder_run(struct table_builder *builder, const struct run_row *rows, uint32_t count);
/* Appends an entry. vaddr ascends; outside of every segment it is left out. */
void builder_entry_slow(struct table_builder *builder, uint64_t vaddr, uint32_t what);
static inline void builder_entry(struct table_builder *builder, uint64_t vaddr, uint32_t what)
{
	struct table *table = builder->table;

	/* Not the first of its page, and there is room: nearly always. */
	if (vaddr < builder->page_vaddr && table->entry_count < builder->entry_capacity)
		table->entry[table->entry_count++] = table_entry_pack(vaddr & (TABLE_PAGE_SIZE - 1),
								      what);
	else
		builder_entry_slow(builder, vaddr, what);
}

/* The same of a run that must be there already; 0: it is not. */
uint32_t builder_find_run(struct table_builder *builder, const struct run_row *rows,
			  uint32_t count);
/* Makes rows of shape[], from first on, one that builder_find_run() finds. */
void builder_name_shape(struct table_builder *builder, uint32_t first, uint32_t rows);
/* Takes apart what is not shared, if that is worth it. The pages are known before and after. In
 * table_shapes.c. */
void builder_share_shapes(struct table_builder *builder);
/* For it: begins again without entries (the old ones are the caller's), and the last pages. */
void builder_restart(struct table_builder *builder);
void builder_end_pages(struct table_builder *builder);

void builder_cut(struct table_builder *builder);
void builder_row(struct table_builder *builder, uint64_t vaddr, uint32_t rule);

/* The rows of one FDE for addresses from .. to, by cfi_rows(). first_time: they are counted. In
 * table_create.c. */
void builder_fde(struct table_builder *builder, const struct cfi *cfi, const struct cfi_fde *fde,
		 uint64_t from, uint64_t to, bool first_time);

/* Where a builder stood, to go back to it between two runs. Rules and shapes stay. */
struct builder_mark {
	uint32_t entry_count, segments, next_page;
	uint64_t segment_end, page_vaddr, cfi_row_count;
	bool segment_is_empty;
};
struct builder_mark builder_mark(const struct table_builder *builder);
void builder_reset(struct table_builder *builder, const struct builder_mark *mark);

uint64_t number_hash(uint64_t hash, const void *data, size_t size);
/* The slot for a hash: calls equal(context, number) for numbers of the same hash. NULL: no memory. */
typedef bool (*number_equal_fn)(void *context, uint32_t number);
uint32_t *number_map_find(struct number_map *map, uint64_t hash, number_equal_fn equal,
			  void *context);
void number_map_deinit(struct number_map *map);

#endif
