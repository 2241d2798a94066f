/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table.h - the formats of `stackproof table`
 *
 * Each format is one file with one function, which writes an image, or the part that a filter lets through, to a
 * stream. To add a format, add a file, and a line in commands/table.c. Those of --sframe are in table_sframe.h.
 */
#ifndef STACKPROOF_TABLE_H
#define STACKPROOF_TABLE_H

#include <stdio.h>
#include "cfi/cfi.h"

/* Which part of an image is shown. */
struct table_filter {
	const char *section; /* as of cfi_create_section(); NULL: what the image has */
	bool by_pc;	     /* only what overlaps pc .. pc_end */
	uint64_t pc;
	uint64_t pc_end;
	uint16_t in_section; /* in an object file, the section of pc; 0: any */
	uint64_t *
		shown; /* counts FDEs that are written; in compact, entries of the table. NULL: not wanted */
};

/* True if any of pc .. pc_end is shown. */
static inline bool table_filter_shows(const struct table_filter *filter, uint64_t pc,
				      uint64_t pc_end)
{
	return !filter->by_pc || (pc < filter->pc_end && filter->pc < pc_end);
}

/* The same of an FDE. */
static inline bool table_filter_shows_fde(const struct table_filter *filter, const struct cfi *cfi,
					  const struct cfi_fde *fde)
{
	if (!table_filter_shows(filter, fde->pc_begin, fde->pc_begin + fde->pc_range))
		return false;
	if (!filter->in_section)
		return true;
	const struct image_symbol *symbol = cfi_fde_symbol(cfi, fde);
	return symbol && symbol->section == filter->in_section;
}

/* Adds count to what is written. */
static inline void table_filter_count(const struct table_filter *filter, uint64_t count)
{
	if (filter->shown)
		*filter->shown += count;
}

/*
 * Writes image in the format. Entries that could not be read are left out and added to
 * diagnostics. 0, or -1 if nothing could be written at all.
 */
typedef int (*table_format_fn)(FILE *file, const struct image *image,
			       const struct table_filter *filter, struct error_list *diagnostics,
			       struct error *error);

int table_text(FILE *file, const struct image *image, const struct table_filter *filter,
	       struct error_list *diagnostics, struct error *error);
int table_readelf(FILE *file, const struct image *image, const struct table_filter *filter,
		  struct error_list *diagnostics, struct error *error);
/* table_readelf() as `readelf -wNF`: of the image's own file, and no debug file. */
int table_readelf_alone(FILE *file, const struct image *image, struct error_list *diagnostics,
			struct error *error);
int table_compact(FILE *file, const struct image *image, const struct table_filter *filter,
		  struct error_list *diagnostics, struct error *error);
int table_json(FILE *file, const struct image *image, const struct table_filter *filter,
	       struct error_list *diagnostics, struct error *error);

/* Writes a rule of the compact table: "rule 7 cfa=rsp+16 ra=c-8 rbx=c-16". number: not a marker's.
 * (table_compact.c) */
struct table;
void table_rule_print(FILE *file, const struct table *table, uint32_t number);
/* Writes such a table, or what the filter lets through. (table_compact.c) */
void table_compact_print(FILE *file, const struct table *table, const struct table_filter *filter);

/* Adds the diagnostics of cfi, which may be NULL. */
static inline void table_add_diagnostics(struct error_list *list, const struct cfi *cfi)
{
	for (size_t i = 0; cfi && i < cfi->diagnostics.count; i++)
		error_list_add(list, &cfi->diagnostics.error[i]);
	list->dropped += cfi ? cfi->diagnostics.dropped : 0;
}

#endif
