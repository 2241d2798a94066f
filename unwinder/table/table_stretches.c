/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_stretches.c - code without rows gets no pages
 *
 * Go's and Haskell's code has no CFI, and lies beside C's that has: in one segment, whose page
 * numbers would be nearly all of a table (4 bytes for each 4 KiB). So pages at a segment's end that
 * have no row are left off, and where many in a row have none, the segment is cut. A walk sees each
 * part as a mapping of its own, which has pages up to somewhere and none behind; so it costs
 * nothing there, and 48 bytes in each process for a cut.
 *
 * Over 4,000 images of a Debian 45 % of all pages had no row; all but 2 % of these lay at the end
 * of a segment or in one of at most 7 stretches of STRETCH_PAGES and more of it.
 */
#include <stdlib.h>
#include "table_builder.h"
#include "array.h"

/* As little as is worth a cut: their numbers take five times what the cut takes in a process. */
#define STRETCH_PAGES 64

struct stretch {
	uint32_t first; /* page, by the numbers before any was taken away */
	uint32_t count;
};

/* The stretches of all segments between pages that have rows: the longest. */
struct stretches {
	struct stretch stretch[TABLE_CUTS_MAX];
	uint32_t count;
};

/* ---- going along the parts ---------------------------------------------------------------- */

/* In order of address, over all chunks. */
struct part_cursor {
	const struct table_builder *builder;
	uint32_t chunk, part;
};

/* NULL: there are no more. */
static struct builder_part *current_part(struct part_cursor *cursor)
{
	const struct table_builder *builder = cursor->builder;

	while (cursor->chunk < builder->chunk_count &&
	       cursor->part >= builder->chunk[cursor->chunk].end_part)
		if (++cursor->chunk < builder->chunk_count)
			cursor->part = builder->chunk[cursor->chunk].first_part;
	return cursor->chunk < builder->chunk_count ? &builder->part[cursor->part] : NULL;
}

static struct part_cursor part_cursor_begin(const struct table_builder *builder)
{
	return (struct part_cursor) { .builder = builder,
				      .part = builder->chunk_count ? builder->chunk[0].first_part
								   : 0 };
}

/* The rule that holds behind the part's last entry, and whether it begins in the page behind. */
static uint32_t last_rule(const struct table_builder *builder, const struct builder_part *part,
			  bool *ret_next_page)
{
	uint32_t end = part + 1 < builder->part + builder->part_count ? part[1].first
								      : builder->entry_count;
	uint32_t entry = builder->entry[end - 1], number = table_entry_number(entry);
	uint16_t row;

	*ret_next_page = false;
	if (entry & TABLE_DIRECT)
		return number;
	row = builder->table->shape[number];
	*ret_next_page = table_entry_offset(entry) + table_shape_distance(row) >= TABLE_PAGE_SIZE;
	return table_shape_rule(row);
}

/* ---- what has no rows ---------------------------------------------------------------------- */

static void note(struct stretches *stretches, uint32_t first, uint32_t count)
{
	struct stretch *at = stretches->stretch;

	if (count < STRETCH_PAGES)
		return;
	if (stretches->count < TABLE_CUTS_MAX) {
		at += stretches->count++;
	} else {
		for (uint32_t i = 1; i < TABLE_CUTS_MAX; i++)
			if (stretches->stretch[i].count < at->count)
				at = &stretches->stretch[i];
		if (at->count >= count)
			return;
	}
	*at = (struct stretch) { first, count };
}

/* Notes the segment's stretches. Returns the page behind the last that has a row. */
static uint32_t find_stretches(const struct table_segment *segment, struct part_cursor *cursor,
			       struct stretches *ret)
{
	uint32_t end = segment->first_page + segment->page_count, next = segment->first_page;
	uint32_t rule = TABLE_NO_ROW;
	struct builder_part *part;

	for (; (part = current_part(cursor)) && part->page < end; cursor->part++) {
		bool next_page;

		if (part->page > next && rule == TABLE_NO_ROW)
			note(ret, next, part->page - next);
		rule = last_rule(cursor->builder, part, &next_page);
		next = part->page + 1 + next_page;
	}
	return rule != TABLE_NO_ROW || next > end ? end : next;
}

ARRAY_ORDER(by_first, struct stretch, first)

/* ---- segments without it ------------------------------------------------------------------- */

/* The segments as they become. */
struct cutting {
	const struct table *table;
	struct table_segment *segment;
	uint32_t count;
	struct part_cursor part;
	uint32_t pages, removed; /* so far */
};

/* Of the segment the addresses of pages from .. to, of which those up to `last` are kept. */
static void add_segment(struct cutting *cutting, const struct table_segment *segment, uint32_t from,
			uint32_t to, uint32_t last)
{
	struct builder_part *part;

	cutting->segment[cutting->count++] = (struct table_segment) {
		.vaddr = segment->vaddr + (uint64_t)(from - segment->first_page) * TABLE_PAGE_SIZE,
		.bytes = (uint64_t)(to - from) * TABLE_PAGE_SIZE,
		.first_page = cutting->pages,
		.page_count = last - from,
	};
	cutting->pages += last - from;
	for (; (part = current_part(&cutting->part)) && part->page < to; cutting->part.part++)
		part->page -= cutting->removed;
	cutting->removed += to - last;
}

bool builder_cut_segments(struct table_builder *builder)
{
	struct part_cursor cursor = part_cursor_begin(builder);
	struct table *table = builder->table;
	struct cutting cutting = { .table = table, .part = cursor };
	struct stretches stretches = { .count = 0 };
	const struct stretch *cut = stretches.stretch;
	FREED uint32_t *end = calloc(table->segment_count + 1, sizeof(*end));

	cutting.segment = calloc(table->segment_count + TABLE_CUTS_MAX + 1,
				 sizeof(*cutting.segment));
	if (!end || !cutting.segment) {
		free(cutting.segment);
		return false;
	}
	for (uint32_t i = 0; i < table->segment_count; i++)
		end[i] = find_stretches(&table->segment[i], &cursor, &stretches);
	qsort(stretches.stretch, stretches.count, sizeof(*stretches.stretch), by_first);
	for (uint32_t i = 0; i < table->segment_count; i++) {
		const struct table_segment *segment = &table->segment[i];
		uint32_t from = segment->first_page, to = from + segment->page_count;

		for (; cut < stretches.stretch + stretches.count && cut->first < to; cut++) {
			add_segment(&cutting, segment, from, cut->first + cut->count, cut->first);
			from = cut->first + cut->count;
		}
		add_segment(&cutting, segment, from, to, end[i]);
	}
	free(table->segment);
	table->segment = cutting.segment;
	table->segment_count = cutting.count;
	table->page_count = cutting.pages;
	return true;
}
