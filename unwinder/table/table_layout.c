/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_layout.c - entries as they came -> pages, in order of address
 *
 * Entries come in chunks of ascending addresses: mostly one, since linkers lay out a section's FDEs
 * as they lay out the functions. libLLVM-14 has 95,000 FDEs in 297 chunks. So the chunks are put in
 * order, not the FDEs.
 *
 *	chunk	vaddr .. vaddr_end, and the parts it consists of
 *	part	the entries of one page, next to each other
 */
#include <stdlib.h>
#include <string.h>
#include "table_builder.h"
#include "array.h"

/* ---- segments --------------------------------------------------------------------------- */

ARRAY_ORDER(by_vaddr, struct table_segment, vaddr)

int table_make_segments(struct table *table, const struct image *image, struct error *error)
{
	uint64_t pages = 0, next = 0;

	table->segment = calloc(image->segment_count + 1, sizeof(*table->segment));
	if (!table->segment)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for segments");
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *from = &image->segment[i];
		uint64_t start = from->vaddr & ~(uint64_t)(TABLE_PAGE_SIZE - 1);
		uint64_t bytes = from->vaddr - start + from->file_bytes;

		if (!from->executable || !from->file_bytes)
			continue;
		table->segment[table->segment_count++] = (struct table_segment) {
			.vaddr = start,
			.page_count = (bytes + TABLE_PAGE_SIZE - 1) >> TABLE_PAGE_SHIFT,
		};
	}
	qsort(table->segment, table->segment_count, sizeof(*table->segment), by_vaddr);
	for (uint32_t i = 0; i < table->segment_count; i++) {
		struct table_segment *segment = &table->segment[i];

		if (i && segment->vaddr < next) { /* two segments in one page: the first has it */
			uint64_t skip = (next - segment->vaddr) >> TABLE_PAGE_SHIFT;

			if (skip > segment->page_count)
				skip = segment->page_count;
			segment->vaddr = next;
			segment->page_count -= skip;
		}
		segment->first_page = pages;
		segment->bytes = (uint64_t)segment->page_count * TABLE_PAGE_SIZE;
		pages += segment->page_count;
		next = segment->vaddr + segment->bytes;
	}
	if (pages > UINT32_MAX / 2)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "%llu pages are too many",
				 (unsigned long long)pages);
	table->page_count = pages;
	table->page_shift = TABLE_PAGE_SHIFT;
	return 0;
}

uint64_t table_page_vaddr(const struct table *table, uint32_t page)
{
	const struct table_segment *segment = table->segment;

	while (page - segment->first_page >= segment->page_count)
		segment++;
	return segment->vaddr + (uint64_t)(page - segment->first_page) * TABLE_PAGE_SIZE;
}

/* ---- chunks ----------------------------------------------------------------------------- */

ARRAY_ORDER(by_chunk_vaddr, struct builder_chunk, vaddr)

bool builder_sort_chunks(struct table_builder *builder)
{
	struct builder_chunk *chunk = builder->chunk;
	uint32_t count = builder->chunk_count;

	if (count > 1)
		qsort(chunk, count, sizeof(*chunk), by_chunk_vaddr);
	for (uint32_t i = 1; i < count; i++)
		if (chunk[i].vaddr < chunk[i - 1].vaddr_end)
			return false;
	return true;
}

/* ---- pages ------------------------------------------------------------------------------ */

struct layout {
	struct table *table;
	uint32_t page; /* page[] is known below this */
	uint32_t segment;
};

static void append(struct table *table, uint32_t entry)
{
	table->entry[table->entry_count++] = entry;
}

/* Begins pages up to and including this one. The first page of a segment has an entry at 0, even if
 * there is nothing to say; first is the next entry, or anything but offset 0. */
static void begin_pages(struct layout *layout, uint32_t page, uint32_t first)
{
	struct table *table = layout->table;

	for (; layout->page <= page; layout->page++) {
		table->page[layout->page] = table->entry_count;
		while (layout->segment < table->segment_count &&
		       table->segment[layout->segment].first_page == layout->page) {
			if (table->segment[layout->segment++].page_count &&
			    (layout->page < page || table_entry_offset(first)))
				append(table, table_entry_pack(0, TABLE_DIRECT | TABLE_NO_ROW));
		}
	}
}

static void lay_out_part(struct layout *layout, const struct table_builder *builder,
			 const struct builder_part *part, uint32_t count)
{
	struct table *table = layout->table;
	const uint32_t *entry = builder->entry + part->first;

	begin_pages(layout, part->page, entry[0]);
	/* The end of a chunk says that there is no row, until the next one begins there. */
	if (table->entry_count > table->page[part->page] &&
	    table->entry[table->entry_count - 1] ==
		    table_entry_pack(table_entry_offset(entry[0]), TABLE_DIRECT | TABLE_NO_ROW))
		table->entry_count--;
	memcpy(table->entry + table->entry_count, entry, count * sizeof(*entry));
	table->entry_count += count;
}

bool builder_lay_out(struct table_builder *builder)
{
	struct table *table = builder->table;
	struct layout layout = { .table = table };

	table->entry = malloc((builder->entry_count + table->segment_count + 1ull) *
			      sizeof(*table->entry));
	table->page = calloc(table->page_count + 1ull, sizeof(*table->page));
	if (!table->entry || !table->page)
		return false;
	for (uint32_t c = 0; c < builder->chunk_count; c++) {
		const struct builder_chunk *chunk = &builder->chunk[c];

		for (uint32_t p = chunk->first_part; p < chunk->end_part; p++) {
			uint32_t end = p + 1 < builder->part_count ? builder->part[p + 1].first
								   : builder->entry_count;

			lay_out_part(&layout, builder, &builder->part[p],
				     end - builder->part[p].first);
		}
	}
	if (table->page_count)
		begin_pages(&layout, table->page_count - 1, table_entry_pack(1, 0));
	table->page[table->page_count] = table->entry_count;
	return true;
}

/* ---- smaller pages ---------------------------------------------------------------------- */

/* Pages may take this part of what the entries take: the smaller they are, the shorter the search
 * in one. */
#define PAGES_WORTH 8

/* The numbers of the pages that one page is cut into. Its entries are in order. */
static uint32_t *cut_page(const struct table *table, uint32_t page, uint32_t shift, uint32_t *ret)
{
	uint32_t entry = table->page[page];

	for (uint32_t part = 0; part < 1u << (TABLE_PAGE_SHIFT - shift); part++) {
		while (entry < table->page[page + 1] &&
		       table_entry_offset(table->entry[entry]) < part << shift)
			entry++;
		*ret++ = entry;
	}
	return ret;
}

void table_cut_pages(struct table *table)
{
	uint32_t shift = table->page_shift, more, *cut, *at;
	uint64_t count = table->page_count;

	while (shift > TABLE_PAGE_SMALL && 2 * count * PAGES_WORTH <= table->entry_count) {
		count *= 2;
		shift--;
	}
	more = table->page_shift - shift;
	if (!more)
		return;
	cut = at = malloc((count + 1) * sizeof(*cut));
	if (!cut)
		return; /* it is good as it is */
	for (uint32_t p = 0; p < table->page_count; p++)
		at = cut_page(table, p, shift, at);
	*at = table->entry_count;
	free(table->page);
	table->page = cut;
	table->page_count = count;
	table->page_shift = shift;
	for (uint32_t s = 0; s < table->segment_count; s++) {
		table->segment[s].first_page <<= more;
		table->segment[s].page_count <<= more;
	}
}
