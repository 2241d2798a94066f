/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_write.c - what was met at each instruction, as rows
 *
 * An instruction may be met more than once: by its function, and by others that jump there. What all of
 * them say is its row. Of a function that has an FDE, where nothing is proven, the row stays that was
 * declared, and so does one that says that there is no caller: code does not show that.
 */
#include <stdlib.h>
#include "array.h"
#include "analysis/flow/flow_part.h"
#include "synthesis.h"

static int compare_met(const void *left, const void *right)
{
	const struct synthesis_met *a = left, *b = right;

	if (a->row.pc != b->row.pc)
		return a->row.pc < b->row.pc ? -1 : 1;
	return 0;
}

static bool is_doubtful(const struct synthesis_met *met)
{
	return met->reason == SYNTHESIS_JUMP_DOUBTFUL ||
	       met->reason == SYNTHESIS_RETURNS_ELSEWHERE || met->reason == SYNTHESIS_UNCALLED;
}

/* What all say of one instruction, from number first on. Returns behind the last. */
static size_t join(const struct synthesis_writer *writer, size_t first, struct synthesis_met *ret)
{
	size_t i = first + 1;

	*ret = writer->met[first];
	for (; i < writer->met_count && writer->met[i].row.pc == ret->row.pc; i++) {
		const struct synthesis_met *other = &writer->met[i];

		/* A doubtful way proves nothing, and disproves nothing. */
		if (is_doubtful(other))
			continue;
		if (is_doubtful(ret))
			*ret = *other;
		else if (other->reason != SYNTHESIS_REASON_COUNT)
			ret->reason = other->reason;
		else if (ret->reason == SYNTHESIS_REASON_COUNT &&
			 !synthesis_row_join(&ret->row, &other->row))
			ret->reason = SYNTHESIS_WAYS_DIFFER;
	}
	return i;
}

/* Nothing but padding lies there: it has the row before it, as compilers have it. */
static bool is_padding(const struct synthesis_writer *writer, uint64_t pc, uint64_t end)
{
	while (pc < end) {
		const uint8_t *bytes = image_bytes(writer->cfi->image, pc, end - pc);
		struct code code;

		if (!bytes)
			return false;
		code_decode(writer->decoder, pc, bytes, end - pc, &code);
		if (!code.is_padding || !code.length)
			return false;
		pc += code.length;
	}
	return true;
}

static bool write_row(const struct synthesis_writer *writer, struct synthesis_function *function,
		      const struct synthesis_row *row)
{
	struct synthesis *synthesis = writer->synthesis;
	struct synthesis_row *last = function->row_count ? &synthesis->row[synthesis->row_count - 1]
							 : NULL;

	function->written++;
	if (last && last->pc_end < row->pc && is_padding(writer, last->pc_end, row->pc))
		last->pc_end = row->pc;
	if (last && last->pc_end >= row->pc && synthesis_row_equal(last, row)) {
		last->pc_end = row->pc_end > last->pc_end ? row->pc_end : last->pc_end;
		return true;
	}
	if (last && last->pc_end > row->pc)
		last->pc_end = row->pc; /* an instruction inside another: both were met */
	if (!ARRAY_GROW(synthesis->row, synthesis->row_count))
		return false;
	if (!function->row_count)
		function->first_row = synthesis->row_count;
	function->row_count++;
	synthesis->row[synthesis->row_count++] = *row;
	return true;
}

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, NULL, 0, "rows");
}

/* ---- in place of an FDE ---------------------------------------------------------------------- */

struct replacement {
	const struct synthesis_writer *writer;
	struct synthesis_function *function;
	struct flow_part *declared;
	size_t next; /* in writer->met */
	bool loaded, go, changed, impossible, no_memory;
};

static void put(struct replacement *replacement, const struct synthesis_row *row)
{
	replacement->no_memory |= !write_row(replacement->writer, replacement->function, row);
}

/* The row has no rule for a register: in .debug_frame of Go that does not say that it is the same. */
static void lose(const struct row *row, struct synthesis_row *kept)
{
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++)
		if (row->reg[synthesis_register[i]].kind == RULE_UNSPECIFIED)
			kept->place[i].kind = SYNTHESIS_LOST;
}

/* From pc to end what was declared. */
static void keep(struct replacement *replacement, uint64_t pc, uint64_t end)
{
	while (pc < end && !replacement->impossible) {
		const struct row *row = flow_part_row(replacement->declared, pc);
		struct synthesis_row declared, kept;

		if (!row || !synthesis_row_declared(row, &declared)) {
			replacement->impossible = true;
			return;
		}
		kept = declared;
		if (replacement->go)
			lose(row, &kept);
		replacement->changed |= !synthesis_row_equal(&kept, &declared);
		kept.pc = pc;
		kept.pc_end = row->pc_end < end ? row->pc_end : end;
		pc = kept.pc_end;
		put(replacement, &kept);
	}
}

static bool is_gap(enum synthesis_reason reason)
{
	return reason == SYNTHESIS_THREAD || reason == SYNTHESIS_RETURN_UNKNOWN;
}

static void choose(struct replacement *replacement, const struct synthesis_met *met)
{
	const struct row *row = flow_part_row(replacement->declared, met->row.pc);
	struct synthesis_row declared;

	if (replacement->loaded && !synthesis_wrong_has(replacement->writer->wrong, met->row.pc)) {
		keep(replacement, met->row.pc, met->row.pc_end);
		return;
	}
	if (is_gap(met->reason)) {
		replacement->changed = true;
		replacement->function->unwritten[met->reason]++;
		return;
	}
	if (met->reason != SYNTHESIS_REASON_COUNT ||
	    (row && row->reg[REGISTER_RIP].kind == RULE_UNDEFINED)) {
		keep(replacement, met->row.pc, met->row.pc_end);
		return;
	}
	replacement->changed |= !row || !synthesis_row_declared(row, &declared) ||
				!synthesis_row_equal(&declared, &met->row);
	put(replacement, &met->row);
}

/* Behind it nobody comes. */
static bool is_restorer(const struct synthesis_writer *writer, const struct synthesis_range *range)
{
	return synthesis_restorer_bytes(writer->cfi->image, range->begin) != 0;
}

static int replace(const struct synthesis_writer *writer, size_t number, size_t first,
		   size_t *ret_next, struct error *error)
{
	const struct synthesis_range *range = &writer->ranges->range[number];
	struct replacement replacement = { .writer = writer,
					   .function = &writer->synthesis->function[number],
					   .loaded = range->loaded,
					   .go = range->go,
					   .next = first };
	size_t rows = writer->synthesis->row_count;
	uint64_t pc = range->begin;
	enum flow_reason reason;

	if (flow_part_create(writer->cfi, range->replaces, &replacement.declared, &reason, error))
		return -1;
	while (replacement.next < writer->met_count &&
	       writer->met[replacement.next].row.pc < range->end) {
		struct synthesis_met met;

		replacement.next = join(writer, replacement.next, &met);
		if (!replacement.declared || met.row.pc < pc)
			continue; /* inside of another instruction */
		keep(&replacement, pc, met.row.pc);
		if (met.row.pc_end > range->end)
			met.row.pc_end = range->end;
		pc = met.row.pc_end;
		choose(&replacement, &met);
	}
	*ret_next = replacement.next;
	if (replacement.declared && !is_restorer(writer, range))
		keep(&replacement, pc, range->end);
	if (!replacement.declared || replacement.impossible || !replacement.changed) {
		writer->synthesis->row_count = rows;
		replacement.function->row_count = 0;
	}
	flow_part_destroy(replacement.declared);
	return replacement.no_memory ? no_memory(error) : 0;
}

bool synthesis_has_loaded(const struct synthesis *synthesis, bool *ret_others)
{
	bool loaded = false;

	*ret_others = false;
	for (size_t i = 0; i < synthesis->function_count; i++) {
		const struct synthesis_function *function = &synthesis->function[i];

		loaded |= function->row_count && function->loaded;
		*ret_others |= function->row_count && !function->loaded;
	}
	return loaded;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int write_one(const struct synthesis_writer *writer, size_t number, size_t first,
		     size_t *ret_next, struct error *error)
{
	struct synthesis_function *function = &writer->synthesis->function[number];
	struct synthesis_met met;

	*ret_next = join(writer, first, &met);
	if (met.row.pc_end > function->end)
		met.row.pc_end = function->end;
	if (met.reason != SYNTHESIS_REASON_COUNT)
		function->unwritten[met.reason]++;
	else if (!write_row(writer, function, &met.row))
		return no_memory(error);
	return 0;
}

/* One that lies inside another, or across two, is one more than were counted in the order of addresses: `lock` that
 * is jumped over. */
static void count_inner(struct synthesis_function *function)
{
	uint64_t met = function->written;

	for (int r = 0; r < SYNTHESIS_REASON_COUNT; r++)
		met += function->unwritten[r];
	if (function->written && !function->replaced && function->instructions < met)
		function->instructions = met;
}

int synthesis_write(const struct synthesis_writer *writer, struct error *error)
{
	size_t i = 0;

	if (writer->met_count)
		qsort(writer->met, writer->met_count, sizeof(*writer->met), compare_met);
	while (i < writer->met_count) {
		/* What is met lies in one. */
		const struct synthesis_range *range = synthesis_range_at(
			writer->ranges->range, writer->ranges->count, writer->met[i].row.pc);
		size_t number = (size_t)(range - writer->ranges->range);
		int result = range->replaces ? replace(writer, number, i, &i, error)
					     : write_one(writer, number, i, &i, error);

		if (result)
			return -1;
	}
	for (i = 0; i < writer->synthesis->function_count; i++)
		count_inner(&writer->synthesis->function[i]);
	return 0;
}
