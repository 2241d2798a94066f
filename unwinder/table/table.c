/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table.c - the look-up in a table, what it holds, and the names of its markers and stops
 *
 * table_abi.h has the layout, docs/TABLE_FORMAT.md a worked example; walk.bpf.c does the same
 * look-up in the kernel. table_create.c and table_build.c make tables.
 */
#include <stdlib.h>
#include "unwind_table.h"
#include "array.h"

static const char *const stop_names[STOP_REASON_COUNT] = {
	[STOP_NONE] = "none",
	[STOP_COMPLETE] = "complete",
	[STOP_NO_MAPPING] = "no_mapping",
	[STOP_NO_ROW] = "no_row",
	[STOP_UNSUPPORTED_EXPRESSION] = "unsupported_expression",
	[STOP_UNSUPPORTED_REGISTER] = "unsupported_register",
	[STOP_OFFSET_RANGE] = "offset_range",
	[STOP_MALFORMED] = "malformed",
	[STOP_TOO_MANY_RULES] = "too_many_rules",
	[STOP_REGISTER_UNKNOWN] = "register_unknown",
	[STOP_READ_FAULT] = "read_fault",
	[STOP_NO_PROGRESS] = "no_progress",
	[STOP_ZERO_RETURN] = "zero_return",
	[STOP_DEPTH] = "depth",
	[STOP_BAD_TABLE] = "bad_table",
	[STOP_HELPER] = "helper",
	[STOP_FOREIGN] = "foreign",
	[STOP_GUESSED] = "guessed",
	[STOP_COPY_END] = "copy_end",
	[STOP_URETPROBE] = "uretprobe",
};

const char *stop_reason_name(unsigned int reason)
{
	return reason < STOP_REASON_COUNT ? stop_names[reason] : "unknown";
}

void table_destroy(struct table *table)
{
	if (!table)
		return;
	free(table->segment);
	free(table->page);
	free(table->entry);
	free(table->shape);
	free(table->rule);
	free(table->place);
	free(table);
}

uint64_t table_bytes(const struct table *table)
{
	return (table->page_count + 1ull) * sizeof(*table->page) +
	       table->entry_count * sizeof(*table->entry) +
	       table->shape_count * sizeof(*table->shape) +
	       table->rule_count * sizeof(*table->rule) +
	       table->place_count * sizeof(*table->place);
}

const struct table_segment *table_segment_find(const struct table *table, uint64_t vaddr)
{
	uint32_t low = ARRAY_BEFORE(table->segment_count, i, table->segment[i].vaddr <= vaddr);
	/* One that shares its page with the one before may begin there and have no bytes. */
	while (low && !table->segment[low - 1].bytes)
		low--;
	if (!low)
		return NULL;
	const struct table_segment *segment = &table->segment[low - 1];
	return vaddr - segment->vaddr < segment->bytes ? segment : NULL;
}

uint32_t table_find(const struct table *table, uint64_t vaddr)
{
	const struct table_segment *segment = table_segment_find(table, vaddr);
	uint32_t offset = vaddr & (TABLE_PAGE_SIZE - 1), page_size = 1u << table->page_shift;
	uint32_t page, first, count, entry, distance;
	const uint16_t *row;

	if (!segment || vaddr >= table_pages_end(table, segment))
		return TABLE_NO_ROW;
	page = segment->first_page + ((vaddr - segment->vaddr) >> table->page_shift);
	first = table->page[page];
	count = table->page[page + 1] - first;
	if (count && table_entry_offset(table->entry[first]) <= offset) {
		while (count > 1) {
			uint32_t half = count / 2;

			if (table_entry_offset(table->entry[first + half]) <= offset)
				first += half;
			count -= half;
		}
		entry = table->entry[first];
		distance = offset - table_entry_offset(entry);
	} else { /* a segment's first page has an entry at 0, so there is one before, in it */
		entry = table->entry[first - 1];
		distance = (offset & (page_size - 1)) + page_size -
			   (table_entry_offset(entry) & (page_size - 1));
		if (table->page[page - 1] == first) /* not even in the page before */
			distance = TABLE_SHAPE_SPAN;
	}
	if (entry & TABLE_DIRECT)
		return table_entry_number(entry);
	row = table->shape + table_entry_number(entry);
	while (table_shape_distance(*row) > distance)
		row++;
	return table_shape_rule(*row);
}

/* ---- every row -------------------------------------------------------------------------- */

/* Rows that are still to be told apart from what follows. */
struct row_merger {
	table_row_fn fn;
	void *context;
	uint64_t pc;
	uint32_t rule;
	bool any;
};

static int merger_row(struct row_merger *merger, uint64_t pc, uint32_t rule)
{
	int status = 0;

	if (merger->any && merger->rule == rule)
		return 0;
	if (merger->any && merger->pc < pc)
		status = merger->fn(merger->context, merger->pc, pc, merger->rule);
	merger->any = true;
	merger->pc = pc;
	merger->rule = rule;
	return status;
}

/* The rows of the entry at pc that lie before pc_end, where the next entry begins. */
static int entry_rows(const struct table *table, uint32_t entry, uint64_t pc, uint64_t pc_end,
		      struct row_merger *merger)
{
	const uint16_t *first = table->shape + table_entry_number(entry);
	const uint16_t *row = first;
	int status = 0;

	if (entry & TABLE_DIRECT)
		return merger_row(merger, pc, table_entry_number(entry));
	while (table_shape_distance(*row))
		row++;
	for (; !status && row >= first && pc + table_shape_distance(*row) < pc_end; row--)
		status = merger_row(merger, pc + table_shape_distance(*row),
				    table_shape_rule(*row));
	return status;
}

/* Those of one segment. */
static int segment_rows(const struct table *table, const struct table_segment *segment,
			struct row_merger *merger)
{
	uint64_t pages_end = table_pages_end(table, segment), pc = 0;
	uint32_t entry = 0;
	int status = 0;

	for (uint32_t p = 0; p < segment->page_count && !status; p++) {
		const uint32_t *page = &table->page[segment->first_page + p];

		for (uint32_t e = page[0]; e < page[1] && !status; e++) {
			uint64_t next = table_entry_vaddr(table, segment, p, table->entry[e]);

			if (e > table->page[segment->first_page])
				status = entry_rows(table, entry, pc, next, merger);
			entry = table->entry[e];
			pc = next;
		}
	}
	if (segment->page_count && !status)
		status = entry_rows(table, entry, pc, pages_end, merger);
	if (pages_end < segment->vaddr + segment->bytes && !status)
		status = merger_row(merger, pages_end, TABLE_NO_ROW);
	return status;
}

int table_rows(const struct table *table, table_row_fn fn, void *context)
{
	struct row_merger merger = { .fn = fn, .context = context };
	uint64_t end = 0; /* of the segments so far */
	int status = 0;

	for (uint32_t s = 0; s < table->segment_count && !status; s++) {
		const struct table_segment *segment = &table->segment[s];

		if (merger.any && segment->vaddr != end) {
			status = fn(context, merger.pc, end, merger.rule);
			merger.any = false;
		}
		if (!status)
			status = segment_rows(table, segment, &merger);
		end = segment->vaddr + segment->bytes;
	}
	if (merger.any && !status)
		status = fn(context, merger.pc, end, merger.rule);
	return status;
}
