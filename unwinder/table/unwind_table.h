/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * unwind_table.h - all rows of an image in the form that BPF gets, and the proof that they are
 *
 * table_abi.h has the bytes; docs/TABLE_FORMAT.md says why they are so.
 */
#ifndef STACKPROOF_UNWIND_TABLE_H
#define STACKPROOF_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cfi/cfi.h"
#include "table_abi.h"

/* ---- table.c, table_rule.c, table_build.c ---------------------------------------------------- */

/* An executable segment, or a part of one: vaddr is rounded down to a page. Its first page has
 * an entry at offset 0; behind its pages there is no row. */
struct table_segment {
	uint64_t vaddr;
	uint64_t bytes; /* of address space, those behind the pages, too */
	uint32_t first_page;
	uint32_t page_count;
};

/* The arrays that table_abi.h explains, and what became of the CFI. */
struct table {
	struct table_segment *segment;
	uint32_t segment_count;
	uint32_t *page; /* page_count + 1 */
	uint32_t page_count;
	uint32_t page_shift; /* a page has 1 << page_shift bytes */
	uint32_t *entry;
	uint32_t entry_count;
	uint16_t *shape;
	uint32_t shape_count;	 /* rows of all shapes */
	struct table_rule *rule; /* [0 .. TABLE_MARKER_COUNT) are zero: markers */
	uint32_t rule_count;
	struct table_place *place;
	uint32_t place_count;
	uint64_t fde_count;		   /* that were read */
	uint64_t cfi_row_count;		   /* canonical rows, before merging; at least one an FDE */
	uint64_t lost[TABLE_MARKER_COUNT]; /* CFI rows that became a marker, by marker */
	uint64_t lost_fdes; /* not read, or in no executable segment: lost_cfi.h names them */
};

/*
 * Builds the table of every executable segment from an image's CFI as cfi_create() reads it, where
 * there is .eh_frame alone the fast way: what was met before is not interpreted again. The table
 * says the same as that of table_create(). No CFI at all: all TABLE_NO_ROW.
 */
int table_build(const struct image *image, struct table **ret, struct error *error);
/* The same from CFI already read, row by row with cfi_rows(). cfi may be NULL or empty. */
int table_create(const struct image *image, const struct cfi *cfi, struct table **ret,
		 struct error *error);
void table_destroy(struct table *table);
/* Where a segment's pages end. */
static inline uint64_t table_pages_end(const struct table *table,
				       const struct table_segment *segment)
{
	return segment->vaddr + ((uint64_t)segment->page_count << table->page_shift);
}
/* Where an entry of a segment's page number p is. */
static inline uint64_t table_entry_vaddr(const struct table *table,
					 const struct table_segment *segment, uint32_t p,
					 uint32_t entry)
{
	uint64_t vaddr = segment->vaddr + ((uint64_t)p << table->page_shift);

	return (vaddr & ~(uint64_t)(TABLE_PAGE_SIZE - 1)) + table_entry_offset(entry);
}
/* Bytes that BPF is given for the image. */
uint64_t table_bytes(const struct table *table);
/* The rule number in force at an image address; TABLE_NO_ROW outside. */
uint32_t table_find(const struct table *table, uint64_t vaddr);
/* The segment that holds vaddr, or NULL: it is not executable. */
const struct table_segment *table_segment_find(const struct table *table, uint64_t vaddr);
/* Every stretch of addresses with one rule, in order of address: rule holds for pc .. pc_end.
 * Neighbours always differ. Non-zero from fn stops, and is returned. */
typedef int (*table_row_fn)(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule);
int table_rows(const struct table *table, table_row_fn fn, void *context);

/* A rule and its places, by value. */
struct table_rule_full {
	struct table_rule rule; /* first_place is 0 */
	struct table_place place[TABLE_PLACES_MAX];
};
/* Turns a row into a rule; returns 0 or the marker that says why no rule can hold it. */
enum table_marker table_rule_from_row(const struct row *row, struct table_rule_full *ret);
/* The places of rule number of a table, and how many: NULL and 0 if it is not extended. */
const struct table_place *table_rule_places(const struct table *table, uint32_t number,
					    uint32_t *ret_count);
/* Where a rule says that the caller's value of a register is, whether it is extended or not.
 * place: the rule's places, or NULL. */
struct table_place table_rule_place(const struct table_rule *rule, const struct table_place *place,
				    unsigned int column);
/* "no_row", "unsupported_expression", ... */
const char *table_marker_name(enum table_marker marker);

/* ---- table_proof.c, rule_proof.c ------------------------------------------------------------- */

#define TABLE_PROOF_WHY 96

/* What became of the CFI in the table. */
struct table_proof {
	uint64_t rows;			      /* of the CFI, at addresses that the table has */
	uint64_t equal;			      /* they lead to the same caller as their rule */
	uint64_t flagged[TABLE_MARKER_COUNT]; /* a marker says why there is no rule */
	uint64_t silent;		      /* rows, and gaps: neither. Not one may be */
	uint64_t gaps;			      /* stretches of addresses that no FDE covers */
	uint64_t outside;		      /* rows in no executable segment */
	uint64_t evaluated;		      /* distinct pairs of a row and a rule */
};

/* A silent difference, at pc .. pc_end of the table. */
struct table_proof_finding {
	uint64_t pc;
	uint64_t pc_end;
	const struct row *row; /* NULL: no FDE is there, or it is malformed */
	uint32_t rule;
	char why[TABLE_PROOF_WHY];
};
typedef void (*table_proof_fn)(void *context, const struct table_proof_finding *finding);

/* Holds every row and every gap of cfi (may be NULL) against table, and each silent difference is
 * given to fn (may be NULL). Fails only for want of memory. */
int table_prove(const struct cfi *cfi, const struct table *table, table_proof_fn fn, void *context,
		struct table_proof *ret, struct error *error);
/* True if the row and rule number of table lead to the same caller from made-up registers and
 * memory, in every one of many draws. False: ret_why says what differs. */
bool table_rule_proves(const struct row *row, const struct table *table, uint32_t rule,
		       char *ret_why, size_t why_size);

#endif
