/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * unwind_table.h - the table of an image, and the proof that it says what the CFI says
 *
 * table_abi.h has the layout; docs/TABLE_FORMAT.md explains it.
 */
#ifndef STACKPROOF_UNWIND_TABLE_H
#define STACKPROOF_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cfi/cfi.h"
#include "table_abi.h"

/* ---- table.c, table_rule.c, table_build.c ---------------------------------------------------- */

/* An executable segment, or a part of one. vaddr is rounded down to a page. The first page has an entry at
 * offset 0. Behind the pages there is no row. */
struct table_segment {
	uint64_t vaddr;
	uint64_t bytes; /* of address space, with the part behind the pages */
	uint32_t first_page;
	uint32_t page_count;
};

/* The arrays that table_abi.h explains, and counts of the CFI. */
struct table {
	struct table_segment *segment;
	uint32_t segment_count;
	uint32_t *page; /* page_count + 1 */
	uint32_t page_count;
	uint32_t page_shift; /* a page has 1 << page_shift bytes */
	uint32_t *entry;
	uint32_t entry_count;
	uint16_t *shape;
	uint32_t shape_count;	 /* rows, of all shapes */
	struct table_rule *rule; /* [0 .. TABLE_MARKER_COUNT) are zero: markers */
	uint32_t rule_count;
	bool signal_frames; /* there is a rule of one: most images have none */
	struct table_place *place;
	uint32_t place_count;
	uint64_t fde_count;		   /* FDEs that were read */
	uint64_t cfi_row_count;		   /* canonical rows, before equal neighbours are merged */
	uint64_t lost[TABLE_MARKER_COUNT]; /* how many CFI rows became each marker */
	uint64_t lost_fdes; /* FDEs not read, or in no executable segment: lost_cfi.h names them */
};

/*
 * Builds the table of an image from the CFI that cfi_create() reads. If the only section is .eh_frame this is
 * fast: instructions that were met before are not interpreted again. Look-ups give the same as in a table of
 * table_create(). An image without CFI: all TABLE_NO_ROW. *ret: table_destroy().
 */
int table_build(const struct image *image, struct table **ret, struct error *error);
/* The same from CFI that was read before, by cfi_rows(). cfi may be NULL or empty. */
int table_create(const struct image *image, const struct cfi *cfi, struct table **ret,
		 struct error *error);
void table_destroy(struct table *table);
DEINIT_AT(table_destroy, table)
/* The image address where a segment's pages end. */
static inline uint64_t table_pages_end(const struct table *table,
				       const struct table_segment *segment)
{
	return segment->vaddr + ((uint64_t)segment->page_count << table->page_shift);
}
/* The image address of an entry in page number p of a segment. */
static inline uint64_t table_entry_vaddr(const struct table *table,
					 const struct table_segment *segment, uint32_t p,
					 uint32_t entry)
{
	uint64_t vaddr = segment->vaddr + ((uint64_t)p << table->page_shift);

	return (vaddr & ~(uint64_t)(TABLE_PAGE_SIZE - 1)) + table_entry_offset(entry);
}
/* The bytes of the table's arrays, as BPF gets them. */
uint64_t table_bytes(const struct table *table);
/* The number of the rule, or the marker, at an image address. TABLE_NO_ROW outside of the segments. */
uint32_t table_find(const struct table *table, uint64_t vaddr);
/* The segment with the address vaddr, or NULL. */
const struct table_segment *table_segment_find(const struct table *table, uint64_t vaddr);
/* Gives fn each stretch of addresses with one rule, in order of address: rule holds for pc .. pc_end. Neighbours
 * have different rules. Non-zero from fn stops, and is returned. */
typedef int (*table_row_fn)(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule);
int table_rows(const struct table *table, table_row_fn fn, void *context);

/* A rule and its places, by value. */
struct table_rule_full {
	struct table_rule rule; /* first_place is 0 */
	struct table_place place[TABLE_PLACES_MAX];
};
/* Turns a row into a rule. Returns 0, or a marker if no rule can hold the row. */
enum table_marker table_rule_from_row(const struct row *row, struct table_rule_full *ret);
/* The places of a table's rule number `number`. NULL, and *ret_count is 0: it is not extended. */
const struct table_place *table_rule_places(const struct table *table, uint32_t number,
					    uint32_t *ret_count);
/* Where the caller's value of a register is, by a rule of either kind. place: the rule's places, or NULL.
 * column: DWARF number. */
struct table_place table_rule_place(const struct table_rule *rule, const struct table_place *place,
				    unsigned int column);
/* "no_row", "unsupported_expression", ... */
const char *table_marker_name(enum table_marker marker);

/* ---- table_sframe.c -------------------------------------------------------------------------- */

struct sframe;
/* The same as table_build(), but of the image's SFrame. fde_count counts functions, cfi_row_count their rows, lost_fdes
 * functions that could not be read or are in no executable segment. sframe: of image, and x86-64's. */
int table_build_sframe(const struct image *image, const struct sframe *sframe, struct table **ret,
		       struct error *error);
/* The same of the SFrame that the image has. An image without SFrame for x86-64, or whose SFrame can't be read, gets a
 * table without rows. */
int table_build_own_sframe(const struct image *image, struct table **ret, struct error *error);
/* Such an image gets the table of table_build(). */
int table_build_sframe_or_cfi(const struct image *image, struct table **ret, struct error *error);

/* ---- table_proof.c, rule_proof.c ------------------------------------------------------------- */

#define TABLE_PROOF_WHY 96

/* How a table compares with the CFI. */
struct table_proof {
	uint64_t rows;	/* rows of the CFI at addresses of the table's segments */
	uint64_t equal; /* rows that lead to the same caller as the table's rule */
	uint64_t flagged[TABLE_MARKER_COUNT]; /* rows for which there is a marker */
	uint64_t silent;    /* rows and gaps that are neither equal nor flagged: must be 0 */
	uint64_t gaps;	    /* stretches of addresses that no FDE covers */
	uint64_t outside;   /* rows in no executable segment */
	uint64_t evaluated; /* distinct pairs of a row and a rule */
};

/* A silent difference, at pc .. pc_end of the table. */
struct table_proof_finding {
	uint64_t pc;
	uint64_t pc_end;
	const struct row *row; /* NULL: no FDE covers pc, or it is malformed */
	uint32_t rule;
	char why[TABLE_PROOF_WHY];
};
typedef void (*table_proof_fn)(void *context, const struct table_proof_finding *finding);

/* Compares every row and gap of cfi (may be NULL) with table, and gives fn (may be NULL) each silent difference.
 * -1: no memory. */
int table_prove(const struct cfi *cfi, const struct table *table, table_proof_fn fn, void *context,
		struct table_proof *ret, struct error *error);
/* Whether a row and the table's rule number `rule` lead to the same caller, for many random registers and memory
 * contents. False: ret_why, of why_size bytes, says what differs. */
bool table_rule_proves(const struct row *row, const struct table *table, uint32_t rule,
		       char *ret_why, size_t why_size);

#endif
