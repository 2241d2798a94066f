/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_sframe.c - SFrame -> a table
 *
 * Rules and entries are the ones that call frame information becomes, so that the same walk goes by either. Most
 * functions go by table_sframe_fast.c; this is for all others, and for sections in which functions share code.
 *
 * Where functions share code, an address belongs to the one with the highest start, as in sframe_function_find().
 */
#include <elf.h>
#include <string.h>
#include "array.h"
#include "sframe/sframe.h"
#include "table_builder.h"
#include "table_sframe_fast.h"

struct making {
	const struct sframe *sframe;
	const struct sframe_function *function;
	struct table_builder builder;
	uint64_t base, from, to; /* of the block or function; the addresses that are wanted */
	uint64_t done;		 /* where the last row ended */
	uint64_t again;		 /* rows that may be read once more */
	uint32_t segment;
	bool counts;
	struct sframe_fast fast;
};

/* ---- rules -------------------------------------------------------------------------------- */

static uint32_t make_rule(struct making *making, const struct sframe_row *row)
{
	struct sframe_canonical canonical;
	struct table_rule_full rule;
	enum table_marker marker;

	sframe_canonical(making->sframe, making->function, row, &canonical);
	marker = table_rule_from_row(&canonical.row, &rule);
	return marker ? marker : builder_rule(&making->builder, &rule);
}

static uint32_t rule_for_fast(void *context, const struct sframe_function *function,
			      const struct sframe_row *row)
{
	struct making *making = context;

	making->function = function;
	return make_rule(making, row);
}

/* ---- rows --------------------------------------------------------------------------------- */

static void put(struct making *making, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	pc = pc > making->from ? pc : making->from;
	pc_end = pc_end < making->to ? pc_end : making->to;
	if (pc < pc_end)
		builder_put(&making->builder, &making->segment, pc, pc_end, rule);
}

static int on_row(void *context, const struct sframe_row *row)
{
	struct making *making = context;
	struct table *table = making->builder.table;
	uint32_t rule;

	if (row->start == row->end)
		return 0;
	rule = make_rule(making, row);
	/* The block before doesn't go on until this one's first row. */
	if (making->done < making->base + row->start)
		put(making, making->done, making->base + row->start, TABLE_NO_ROW);
	if (making->counts) {
		table->cfi_row_count++;
		if (rule < TABLE_MARKER_COUNT)
			table->lost[rule]++;
	}
	put(making, making->base + row->start, making->base + row->end, rule);
	making->done = making->base + row->end;
	return making->builder.out_of_memory;
}

/* Adds the function's rows at addresses from .. to. counts: it is the first time. */
static void add_function(struct making *making, const struct sframe_function *function,
			 uint64_t from, uint64_t to, bool counts)
{
	uint64_t end = function->pc_begin + function->pc_range;
	struct error error;
	int status;

	making->function = function;
	making->base = making->done = function->pc_begin;
	making->from = from;
	making->to = to;
	making->counts = counts;
	making->segment = builder_segment_behind(making->builder.table, from);
	/* Where no row is. */
	put(making, from, to, TABLE_NO_ROW);
	if (function->outermost) {
		making->builder.table->cfi_row_count += counts;
		put(making, from, to, make_rule(making, NULL));
		return;
	}
	do {
		status = sframe_rows(making->sframe, function, on_row, making, &error);
		if (status < 0) {
			making->builder.table->lost[TABLE_MALFORMED] += making->counts;
			/* What follows a bad row must not look as if the one before it went on. */
			put(making, making->done, end, TABLE_MALFORMED);
			return;
		}
		making->base += function->repeats ? sframe_repeat(function) : function->pc_range;
	} while (!status && making->base < to && function->row_count);
}

/* A function around the one that ended at from goes on until to. */
static void add_outer(struct making *making, uint64_t from, uint64_t to)
{
	while (from < to && !making->builder.out_of_memory) {
		const struct sframe_function *outer = sframe_function_find(making->sframe, from);
		uint64_t end;

		if (!outer)
			return;
		end = outer->pc_begin + outer->pc_range;
		end = end < to ? end : to;
		builder_cut(&making->builder);
		if (making->again < outer->row_count) {
			making->segment = builder_segment_behind(making->builder.table, from);
			making->from = from;
			making->to = end;
			put(making, from, end, TABLE_MALFORMED);
		} else {
			making->again -= outer->row_count;
			add_function(making, outer, from, end, false);
		}
		builder_row(&making->builder, end, TABLE_NO_ROW);
		from = end;
	}
}

static bool is_outside(const struct table *table, const struct sframe_function *function)
{
	uint32_t segment = builder_segment_behind(table, function->pc_begin);

	return segment == table->segment_count ||
	       table->segment[segment].vaddr >= function->pc_begin + function->pc_range;
}

/* The fast way. ends_alone: no other function begins where it ends. */
static bool add_usual(struct making *making, const struct sframe_function *function,
		      bool ends_alone)
{
	struct table_builder *builder = &making->builder;
	const struct table *table = builder->table;
	struct builder_mark mark = builder_mark(builder);

	for (; making->segment < table->segment_count &&
	       table->segment[making->segment].vaddr + table->segment[making->segment].bytes <=
		       function->pc_begin;
	     making->segment++)
		;
	if (making->sframe->reach || making->segment == table->segment_count)
		return false;
	if (sframe_fast_function(&making->fast, function, &table->segment[making->segment],
				 ends_alone))
		return true;
	builder_reset(builder, &mark);
	return false;
}

/* Entries: three a function, mostly. */
static bool reserve(struct making *making)
{
	uint64_t functions = making->sframe->by_pc_count;
	uint32_t shapes = 64;

	while (shapes < functions / 4 && shapes < TABLE_NUMBER_MAX / 4)
		shapes *= 2;
	return scratch_expect(&making->builder.scratch,
			      functions * 3 * sizeof(*making->builder.entry) + shapes * 16ull) &&
	       builder_reserve(&making->builder, functions * 3 + 64, shapes);
}

static void add_functions(struct making *making)
{
	const struct sframe *sframe = making->sframe;
	struct table_builder *builder = &making->builder;

	making->fast.sframe = sframe;
	making->fast.builder = builder;
	making->fast.make_rule = rule_for_fast;
	making->fast.context = making;
	if (!reserve(making))
		builder->out_of_memory = true;
	builder_jump(builder, 0);
	for (size_t i = 0; i < sframe->by_pc_count && !builder->out_of_memory; i++) {
		const struct sframe_function *function = &sframe->function[sframe->by_pc[i]];
		uint64_t next = UINT64_MAX, end = function->pc_begin + function->pc_range;

		if (i + 1 < sframe->by_pc_count)
			next = sframe->function[sframe->by_pc[i + 1]].pc_begin;
		end = end < next ? end : next;
		builder_cut(builder);
		if (add_usual(making, function, end < next)) {
			builder->table->fde_count++;
			continue;
		}
		if (is_outside(builder->table, function)) {
			builder->table->lost_fdes++;
		} else {
			builder->table->fde_count++;
			if (end > function->pc_begin)
				add_function(making, function, function->pc_begin, end, true);
		}
		if (end >= next)
			continue;
		builder_row(builder, end, TABLE_NO_ROW);
		if (sframe->reach)
			add_outer(making, end, next);
	}
}

int table_build_sframe(const struct image *image, const struct sframe *sframe, struct table **ret,
		       struct error *error)
{
	struct making *making = calloc(1, sizeof(*making));
	int status;

	if (!making)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a table");
	making->sframe = sframe;
	for (size_t i = 0; i < sframe->function_count; i++)
		making->again += sframe->function[i].row_count;
	making->again *= 4;
	status = builder_init(&making->builder, image, error);
	if (!status) {
		making->builder.table->lost_fdes = sframe->diagnostics.count +
						   sframe->diagnostics.dropped;
		add_functions(making);
		status = builder_finish(&making->builder, ret, error);
	}
	free(making);
	return status;
}

/* *ret NULL: the image has no SFrame for x86-64 that can be read. */
static int build_if_any(const struct image *image, struct table **ret, struct error *error)
{
	struct sframe *sframe DEINIT(sframe_destroy_at) = NULL;

	*ret = NULL;
	if (sframe_create(image, &sframe, error))
		return error->code == ERROR_MEMORY ? -1 : 0;
	if (!sframe_is_amd64(sframe))
		return 0;
	return table_build_sframe(image, sframe, ret, error);
}

int table_build_own_sframe(const struct image *image, struct table **ret, struct error *error)
{
	if (build_if_any(image, ret, error))
		return -1;
	return *ret ? 0 : table_create(image, NULL, ret, error);
}

int table_build_sframe_or_cfi(const struct image *image, struct table **ret, struct error *error)
{
	if (build_if_any(image, ret, error))
		return -1;
	return *ret ? 0 : table_build(image, ret, error);
}
