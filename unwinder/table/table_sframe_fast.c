/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_sframe_fast.c - most functions of SFrame as entries of a table, without decoding rows that were met before
 *
 * Two small tables, direct-mapped: of rows by their bytes, and of runs by their distances and rules. Both hold what they
 * were found by in full, so a hash never decides. A row that isn't there is decoded by sframe_rows(), and a run becomes a
 * shape by builder_run().
 *
 * Here go functions with default rows that are no signal's frame and repeat no block, lie in one segment, begin with a
 * row, and have their rows in order. No row is longer than eight bytes without its start.
 */
#include <string.h>
#include "hash.h"
#include "table_sframe_fast.h"

#define CONTENT_BYTES 8u
#define AHEAD_BYTES   (4u + CONTENT_BYTES) /* that are read for one row at once */

/* ---- rules -------------------------------------------------------------------------------- */

/* How many bytes info byte and words are; 0: more than a number has, or malformed. */
static unsigned int content_bytes(uint8_t info)
{
	unsigned int bytes = 1 + ((info >> 1 & 15u) << (info >> 5 & 3u));

	return bytes > CONTENT_BYTES || (info >> 5 & 3) == 3 ? 0 : bytes;
}

struct decoding {
	struct sframe_fast *fast;
	const struct sframe_function *function;
	uint32_t rule;
};

static int take_row(void *context, const struct sframe_row *row)
{
	struct decoding *decoding = context;

	decoding->rule = decoding->fast->make_rule(decoding->fast->context, decoding->function,
						   row);
	return 1;
}

/* The rule of the row at offset. 0: it can't be read, or no rule can hold it. */
static uint32_t decode(struct sframe_fast *fast, const struct sframe_function *function,
		       uint32_t offset)
{
	struct sframe_function alone = *function;
	struct decoding decoding = { fast, function, 0 };
	struct error ignored; /* the plain way counts it */

	alone.rows_offset = offset;
	alone.row_count = 1;
	if (sframe_rows(fast->sframe, &alone, take_row, &decoding, &ignored) < 0 ||
	    decoding.rule < TABLE_MARKER_COUNT)
		return 0;
	return decoding.rule;
}

static bool headers_equal(const struct sframe_header *a, const struct sframe_header *b)
{
	return a->version == b->version && a->machine == b->machine && a->fixed_fp == b->fixed_fp &&
	       a->fixed_ra == b->fixed_ra;
}

/* Rules are kept for headers like this one. */
static void use_header(struct sframe_fast *fast, const struct sframe_header *header)
{
	if (fast->header && !headers_equal(fast->header, header))
		memset(fast->row, 0, sizeof(fast->row));
	fast->header = header;
}

/* ---- runs --------------------------------------------------------------------------------- */

/* The run at hand, as builder_row() would have it. Its rows are in registers: each pushes those before it up. */
struct run {
	uint64_t word[TABLE_SHAPE_ROWS / 4];
	uint64_t vaddr;
	uint32_t count;
	uint32_t distance, rule; /* of the last row */
};
_Static_assert(TABLE_SHAPE_ROWS == 12, "three words");

static inline void push_row(struct run *run, uint16_t row)
{
	run->word[2] = run->word[2] << 16 | run->word[1] >> 48;
	run->word[1] = run->word[1] << 16 | run->word[0] >> 48;
	run->word[0] = run->word[0] << 16 | row;
	run->count++;
}

static inline struct sframe_fast_run *run_slot(struct sframe_fast *fast, const struct run *run)
{
	uint64_t hash = run->word[0] * HASH_GOLDEN ^ run->word[1] * 0xc2b2ae3d27d4eb4full ^
			run->word[2] * 0x165667b19e3779f9ull;

	_Static_assert(FAST_RUNS == 1 << (64 - 51), "that many have a place");
	return &fast->run[(hash ^ hash >> 29) * HASH_GOLDEN >> 51];
}

/* By the builder, which makes a shape of it. */
static __attribute__((noinline)) void end_slowly(struct table_builder *builder, struct run run,
						 struct sframe_fast_run *slot)
{
	uint32_t what;

	for (uint32_t i = 0, last = run.count - 1; i < run.count; i++) {
		uint16_t row = (uint16_t)(run.word[i / 4] >> 16 * (i % 4));

		builder->run[last - i] = (struct run_row) { table_shape_distance(row),
							    table_shape_rule(row) };
	}
	what = builder_run(builder, builder->run, run.count);
	builder->run_count = what ? 0 : run.count;
	builder->run_vaddr = run.vaddr;
	if (!what) {
		builder_cut(builder); /* an entry for each row */
		return;
	}
	builder_entry(builder, run.vaddr, what);
	memcpy(slot->word, run.word, sizeof(slot->word));
	slot->what = what;
}

/* The run at hand stays in registers: only a copy of it has an address. */
static inline __attribute__((always_inline)) void end_run(struct sframe_fast *fast,
							  const struct run *run)
{
	struct sframe_fast_run *slot;

	if (run->count == 1) {
		builder_entry(fast->builder, run->vaddr, TABLE_DIRECT | run->rule);
		return;
	}
	slot = run_slot(fast, run);
	if (slot->what && slot->word[0] == run->word[0] && slot->word[1] == run->word[1] &&
	    slot->word[2] == run->word[2])
		builder_entry(fast->builder, run->vaddr, slot->what);
	else
		end_slowly(fast->builder, *run, slot);
}

static inline void begin_run(struct run *run, uint64_t vaddr, uint32_t rule)
{
	*run = (struct run) { .word = { rule }, .vaddr = vaddr, .count = 1, .rule = rule };
}

/* The rule in force from vaddr on, which is behind the last row. */
static inline __attribute__((always_inline)) void add_row(struct sframe_fast *fast, struct run *run,
							  uint64_t vaddr, uint32_t rule)
{
	uint64_t distance = vaddr - run->vaddr;

	if (run->count == TABLE_SHAPE_ROWS || distance >= TABLE_SHAPE_SPAN ||
	    distance - run->distance > RUN_GAP_MAX) {
		end_run(fast, run);
		begin_run(run, vaddr, rule);
		return;
	}
	if (rule == run->rule)
		return;
	run->distance = (uint32_t)distance;
	run->rule = rule;
	push_row(run, (uint16_t)(distance << TABLE_SHAPE_BITS | rule));
}

/* ---- a function --------------------------------------------------------------------------- */

static inline uint32_t find_rule(struct sframe_fast *fast, const struct sframe_function *function,
				 uint64_t content, uint32_t offset)
{
	struct sframe_fast_row *slot = &fast->row[content * HASH_GOLDEN >> 54];

	_Static_assert(FAST_ROWS == 1 << (64 - 54), "that many have a place");
	if (slot->content != content || !slot->rule) {
		slot->content = content;
		slot->rule = decode(fast, function, offset);
	}
	return slot->rule;
}

static bool is_usual(const struct sframe_function *function, const struct table_segment *segment)
{
	return !function->flexible && !function->repeats && !function->signal_frame &&
	       !function->outermost && function->row_count && segment->page_count &&
	       function->pc_begin >= segment->vaddr &&
	       function->pc_begin - segment->vaddr <= segment->bytes &&
	       function->pc_range < segment->bytes - (function->pc_begin - segment->vaddr);
}

bool sframe_fast_function(struct sframe_fast *fast, const struct sframe_function *function,
			  const struct table_segment *segment, bool ends_alone)
{
	const struct sframe_header *header = &fast->sframe->header[function->header];
	const uint8_t *data = header->section->data;
	uint32_t offset = function->rows_offset, end = header->rows_offset + header->rows_bytes;
	unsigned int start_bits = 8u * function->start_bytes;
	uint64_t start_mask = (UINT64_C(1) << start_bits) - 1, pc = function->pc_begin;
	uint32_t last = 0;
	struct run run;

	if (!is_usual(function, segment) || end < AHEAD_BYTES)
		return false;
	use_header(fast, header);
	for (uint32_t i = 0; i < function->row_count; i++) {
		uint64_t content;
		uint32_t start, rule;
		unsigned int bytes;

		if (offset > end - AHEAD_BYTES)
			return false;
		memcpy(&content, data + offset, sizeof(content));
		start = (uint32_t)(content & start_mask);
		memcpy(&content, data + offset + function->start_bytes, sizeof(content));
		bytes = content_bytes((uint8_t)content);
		if (!bytes || (i ? start <= last : start != 0) || start >= function->pc_range)
			return false;
		content &= UINT64_MAX >> (64 - 8 * bytes);
		rule = find_rule(fast, function, content, offset);
		if (!rule || rule >= TABLE_SHAPE_RULES)
			return false;
		if (i)
			add_row(fast, &run, pc + start, rule);
		else
			begin_run(&run, pc, rule);
		last = start;
		offset += function->start_bytes + bytes;
	}
	if (ends_alone)
		add_row(fast, &run, pc + function->pc_range, TABLE_NO_ROW);
	end_run(fast, &run);
	fast->builder->table->cfi_row_count += function->row_count;
	return true;
}
