/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant_search.c - the search table of .eh_frame_hdr, kept true
 *
 * The linker's table (LSB 5, 10.6.2) has (first PC, FDE) for each FDE, sorted by PC. Unwinders that
 * search in it must meet the same fault as those that read .eh_frame from its beginning, so an FDE
 * that moved or went is followed here. Only the encoding that GNU ld, gold, lld and mold write is
 * edited: a count as udata4 and a table as datarel sdata4.
 */
#include <stdlib.h>
#include <string.h>
#include "plant.h"
#include "array.h"

enum {
	HEADER_BYTES = 12, /* version, three encodings, .eh_frame's address, count */
	HEADER_COUNT = 8,
	UDATA4 = 0x03,
	PCREL_SDATA4 = 0x1b,
	DATAREL_SDATA4 = 0x3b,
};

/* Both are distances from the section's start. */
struct search_entry {
	int32_t pc;
	int32_t fde;
};

struct search_table {
	uint8_t *bytes; /* of the section, in the copy */
	struct search_entry *entry;
	uint32_t count;
};

/* 1: there is no table. The entries are the caller's to free. */
static int table_read(const struct plant_site *site, struct search_table *ret, struct error *error)
{
	const struct image_section *section = &site->source->image->eh_frame_hdr;

	*ret = (struct search_table) { .count = 0 };
	if (!section->data)
		return 1;
	ret->bytes = plant_site_bytes(site, section->data);
	if (section->size < HEADER_BYTES || ret->bytes[0] != 1 || ret->bytes[1] != PCREL_SDATA4 ||
	    ret->bytes[2] != UDATA4 || ret->bytes[3] != DATAREL_SDATA4)
		return plant_refuse(error, ".eh_frame_hdr is not laid out as linkers do");
	memcpy(&ret->count, ret->bytes + HEADER_COUNT, sizeof(ret->count));
	if (ret->count > (section->size - HEADER_BYTES) / sizeof(*ret->entry))
		return plant_refuse(error, ".eh_frame_hdr is shorter than its table");
	ret->entry = calloc(ret->count + 1, sizeof(*ret->entry));
	if (!ret->entry)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a search table");
	memcpy(ret->entry, ret->bytes + HEADER_BYTES, ret->count * sizeof(*ret->entry));
	return 0;
}

ARRAY_ORDER(compare_entries, struct search_entry, pc)

/* The bytes behind a shorter table become zero. */
static void table_write(struct search_table *table, uint32_t old_count)
{
	size_t size = sizeof(*table->entry);

	qsort(table->entry, table->count, size, compare_entries);
	memcpy(table->bytes + HEADER_COUNT, &table->count, sizeof(table->count));
	memcpy(table->bytes + HEADER_BYTES, table->entry, table->count * size);
	memset(table->bytes + HEADER_BYTES + table->count * size, 0,
	       (old_count - table->count) * size);
}

static int table_change(const struct plant_site *site, uint64_t fde_offset, const uint64_t *start,
			struct error *error)
{
	const struct image *image = site->source->image;
	uint64_t base = image->eh_frame_hdr.vaddr;
	int32_t fde = (int32_t)(site->source->cfi->section->vaddr + fde_offset - base);
	struct search_table table;
	uint32_t at, old_count;
	int status = table_read(site, &table, error);

	if (status)
		return status > 0 ? 0 : -1;
	old_count = table.count;
	for (at = 0; at < table.count && table.entry[at].fde != fde; at++)
		;
	if (at == table.count) {
		status = plant_refuse(error, "the FDE is not in .eh_frame_hdr");
	} else {
		if (start)
			table.entry[at].pc = (int32_t)(*start - base);
		else
			table.entry[at] = table.entry[--table.count];
		table_write(&table, old_count);
	}
	free(table.entry);
	return status;
}

int plant_search_move(const struct plant_site *site, uint64_t fde_offset, uint64_t start,
		      struct error *error)
{
	return table_change(site, fde_offset, &start, error);
}

int plant_search_remove(const struct plant_site *site, uint64_t fde_offset, struct error *error)
{
	return table_change(site, fde_offset, NULL, error);
}
