/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_size.c - how large a table is, against plain sorted rows
 *
 * The figure is bytes per CFI row: all that BPF is given for the image (table_bytes()), by the rows
 * that its FDEs say, as `stat` counts them. The reference is the plain way to keep the same rows,
 * computed from the same table: stretches of one rule, 4 bytes each (12 bits of offset in the
 * page and 20 of rule), 8 bytes for each page to find its rows by, and the same distinct rules.
 */
#include "bench.h"

#define PLAIN_ROW_BYTES	 4
#define PLAIN_PAGE_BYTES 8
#define PLAIN_RULE_BYTES 16

uint64_t bench_plain_bytes(uint64_t rows, uint64_t pages, uint64_t rules)
{
	return rows * PLAIN_ROW_BYTES + pages * PLAIN_PAGE_BYTES + rules * PLAIN_RULE_BYTES;
}

/* Stretches of one rule: equal neighbours are one. */
static int count_stretch(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	uint64_t *count = context;

	++*count;
	return 0;
}

static uint64_t count_stretches(const struct table *table)
{
	uint64_t count = 0;

	table_rows(table, count_stretch, &count);
	return count;
}

int bench_table_size(const struct bench_options *options, struct bench_figure *ret,
		     struct error *error)
{
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct table *table DEINIT(table_destroy_at) = NULL;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	char path[4096];

	if (bench_image_find(ret->subject, path, error) || image_create(path, &image, error) ||
	    bench_build(image, &table, error) || cfi_create(image, &cfi, error))
		return -1;
	uint64_t rows = cfi_row_count(cfi);
	if (!rows)
		return error_set(error, ERROR_NO_CFI, "", 0, "%.200s has no rows", path);
	uint64_t stretches = count_stretches(table);
	ret->runs = 1;
	ret->value = (double)table_bytes(table) / rows;
	ret->unit = "bytes/row";
	ret->reference = "plain sorted rows";
	ret->reference_value = (double)bench_plain_bytes(
				       stretches,
				       table->page_count >> (TABLE_PAGE_SHIFT - table->page_shift),
				       table->rule_count) /
			       rows;
	ret->ratio = ret->reference_value / ret->value;
	snprintf(
		ret->note, sizeof(ret->note),
		"%.400s: %llu CFI rows in %llu bytes: %u pages %llu, %u entries %llu, shapes of "
		"%u rows %llu, %u rules and markers %llu, %u places %llu; plain: %llu stretches of "
		"one rule",
		path, (unsigned long long)rows, (unsigned long long)table_bytes(table),
		table->page_count, (table->page_count + 1ull) * sizeof(*table->page),
		table->entry_count, (unsigned long long)table->entry_count * sizeof(*table->entry),
		table->shape_count, (unsigned long long)table->shape_count * sizeof(*table->shape),
		table->rule_count, (unsigned long long)table->rule_count * sizeof(*table->rule),
		table->place_count, (unsigned long long)table->place_count * sizeof(*table->place),
		(unsigned long long)stretches);
	return 0;
}
