/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * find_rule.h - from a PC to its rule, in the arrays that placement.c fills
 *
 * The same source is compiled for BPF (walk.bpf.c) and for user space (tests/test_placement.c, which
 * compares it with table_find() at every PC). The includer defines
 *
 *	struct walk_tables;
 *	static inline const struct walk_page_chunk *walk_page_chunk(struct walk_tables *, __u32);
 *	static inline const struct walk_entry_chunk *walk_entry_chunk(struct walk_tables *, __u32);
 *	static inline const struct walk_shape_chunk *walk_shape_chunk(struct walk_tables *, __u32);
 *	static inline const struct walk_rule_chunk *walk_rule_chunk(struct walk_tables *, __u32);
 *
 * each of which gives the value of an array with that number, or NULL. table_abi.h explains the look-up,
 * walk.h how arrays are divided into chunks. A look-up needs one value of each array.
 *
 * The arrays are not trusted: whatever they have, nothing outside of a value is read, and a number out of
 * range is STOP_BAD_TABLE.
 */
#ifndef STACKPROOF_FIND_RULE_H
#define STACKPROOF_FIND_RULE_H

#include "walk.h"

#ifndef find_inline
#define find_inline static inline __attribute__((always_inline))
#endif

/*
 * The chunks in which a mapping's tables begin, and mostly end. They don't depend on the PC, so the CPU need
 * not wait for one memory access to know the chunk for the next.
 */
struct walk_chunks {
	const struct walk_page_chunk *pages;
	const struct walk_entry_chunk *entries;
	const struct walk_shape_chunk *shapes;
	const struct walk_rule_chunk *rules;
};

/* Finds the chunks. Returns STOP_NONE, or STOP_BAD_TABLE: chunks is then unchanged. */
find_inline unsigned int find_chunks(struct walk_tables *tables, const struct walk_mapping *mapping,
				     struct walk_chunks *chunks)
{
	const struct walk_page_chunk *pages;
	const struct walk_entry_chunk *entries;
	const struct walk_shape_chunk *shapes;
	const struct walk_rule_chunk *rules;

	pages = walk_page_chunk(tables, mapping->first_page >> WALK_PAGE_SHIFT);
	entries = walk_entry_chunk(tables, mapping->first_entry >> WALK_ENTRY_SHIFT);
	shapes = walk_shape_chunk(tables, mapping->first_shape >> WALK_SHAPE_SHIFT);
	rules = walk_rule_chunk(tables, mapping->first_rule >> WALK_RULE_SHIFT);
	if (!pages || !entries || !shapes || !rules)
		return STOP_BAD_TABLE;
	chunks->pages = pages;
	chunks->entries = entries;
	chunks->shapes = shapes;
	chunks->rules = rules;
	return STOP_NONE;
}

/* A mask: all bits if the entry is below, else none. barrier_var() hides from the compiler how it was made: else
 * its use would become a branch, which the CPU mispredicts every second time. */
find_inline __u64 find_is_below(__u32 entry, __u64 above)
{
	__s64 below = (__s64)(entry - above);

	barrier_var(below);
	return below >> 63;
}

/*
 * The index in the chunk of the last of count entries from first on whose offset is not above `offset`; if
 * there is none, of the entry before them. That one is not read here, so a page without entries needs no
 * case of its own. count is at most TABLE_PAGE_SIZE.
 *
 * Each round leaves a quarter of the candidates, until WALK_ENTRY_ROOM are left, of which those not above
 * are counted. A round waits for the one before and for memory; comparisons within a round don't wait for
 * each other. No branch depends on an entry, because the verifier would follow both edges. The masks tell
 * the verifier what it can't infer, that a round leaves at most a quarter of the candidates and 2. They add
 * up to less than WALK_ENTRY_SLACK.
 */
find_inline __u64 find_entry(const struct walk_entry_chunk *chunk, __u32 first, __u32 count,
			     __u32 offset)
{
	__u64 above = (__u64)(offset + 1) << (32 - TABLE_PAGE_SHIFT);
	__u64 at = first & (WALK_CHUNK_ENTRIES - 1), left = (__u64)count + 1, quarter, below;
	__u32 i;

#pragma GCC unroll 6
	for (i = 0; i < 6; i++) {
		if (left <= WALK_ENTRY_ROOM)
			break;
		quarter = (left >> 2) & (2047u >> 2 * i);
		below = quarter & find_is_below(chunk->entry[at + quarter], above);
		below += quarter & find_is_below(chunk->entry[at + 2 * quarter], above);
		below += quarter & find_is_below(chunk->entry[at + 3 * quarter], above);
		at += below;
		left -= 3 * quarter;
	}
	below = 0;
#pragma GCC unroll 4
	for (i = 1; i < WALK_ENTRY_ROOM; i++)
		below += (find_is_below(chunk->entry[at + i], above) & (i - left)) >> 63;
	return at + (below & (WALK_ENTRY_ROOM - 1));
}

/* The rule of a shape at a distance from its entry. distance is less than that of the shape's first row. */
find_inline __u32 find_shape_rule(const struct walk_shape_chunk *chunk, __u32 first, __u32 distance)
{
	__u16 row = 0;
	__u32 i;

	for (i = 1; i < TABLE_SHAPE_ROWS; i++) {
		row = chunk->row[first + i];
		if (table_shape_distance(row) <= distance)
			break;
	}
	return table_shape_rule(row);
}

/* The image's number of the rule for pc, which is in the mapping. Returns STOP_NONE, or a stop reason. */
find_inline unsigned int find_number(struct walk_tables *tables, const struct walk_chunks *chunks,
				     const struct walk_mapping *mapping, __u64 pc, __u32 *ret)
{
	__u32 offset = pc & (TABLE_PAGE_SIZE - 1), distance, within;
	const struct walk_entry_chunk *entries = chunks->entries;
	const struct walk_shape_chunk *shapes = chunks->shapes;
	const struct walk_page_chunk *pages = chunks->pages;
	__u32 number, first, count, entry;
	__u64 page, at;
	__u16 row;

	page = (pc - mapping->start) >> mapping->page_shift;
	if (page >= mapping->page_count)
		return STOP_NO_ROW;
	page += mapping->first_page & (WALK_CHUNK_PAGES - 1);
	if (page >= WALK_CHUNK_PAGES) {
		number = (mapping->first_page & ~(WALK_CHUNK_PAGES - 1)) + page;
		pages = walk_page_chunk(tables, number >> WALK_PAGE_SHIFT);
		if (!pages)
			return STOP_BAD_TABLE;
		page &= WALK_CHUNK_PAGES - 1;
	}
	first = pages->page[page + 1];
	count = pages->page[page + 2] - first;
	if ((first ^ mapping->first_entry) >> WALK_ENTRY_SHIFT) {
		entries = walk_entry_chunk(tables, first >> WALK_ENTRY_SHIFT);
		if (!entries)
			return STOP_BAD_TABLE;
	}
	if (count > TABLE_PAGE_SIZE)
		return STOP_BAD_TABLE;
	at = find_entry(entries, first, count, offset);
	entry = entries->entry[at];
	*ret = table_entry_number(entry);
	if (entry & TABLE_DIRECT)
		return STOP_NONE;
	number = (mapping->first_shape & (WALK_CHUNK_ROWS - 1)) + *ret;
	if (number >= WALK_CHUNK_ROWS) {
		number = mapping->first_shape + *ret;
		shapes = walk_shape_chunk(tables, number >> WALK_SHAPE_SHIFT);
		if (!shapes)
			return STOP_BAD_TABLE;
		number &= WALK_CHUNK_ROWS - 1;
	}
	row = shapes->row[number];
	*ret = table_shape_rule(row);
	distance = (offset - table_entry_offset(entry)) & (TABLE_PAGE_SIZE - 1);
	if (table_shape_distance(row) <= distance)
		return STOP_NONE;
	/* Seldom. An entry of an earlier page may be farther away than the offsets in pages say. */
	within = (1u << mapping->page_shift) - 1;
	if (at == (first & (WALK_CHUNK_ENTRIES - 1)) &&
	    ((offset & within) >= (table_entry_offset(entry) & within) ||
	     pages->page[page] == first))
		return STOP_NONE;
	*ret = find_shape_rule(shapes, number, distance);
	return STOP_NONE;
}

/* The rule with an image's number, and its number in the array. */
find_inline unsigned int find_numbered(struct walk_tables *tables, const struct walk_chunks *chunks,
				       const struct walk_mapping *mapping, __u32 number,
				       __u32 *ret_number, const struct table_rule **ret)
{
	__u32 at = (mapping->first_rule & (WALK_CHUNK_RULES - 1)) + number;
	const struct walk_rule_chunk *rules = chunks->rules;

	*ret_number = mapping->first_rule + number;
	if (at >= WALK_CHUNK_RULES) {
		rules = walk_rule_chunk(tables, *ret_number >> WALK_RULE_SHIFT);
		if (!rules)
			return STOP_BAD_TABLE;
		at &= WALK_CHUNK_RULES - 1;
	}
	*ret = &rules->rule[at];
	return STOP_NONE;
}

/* The rule for pc, which is in the mapping, and its number in the array. */
find_inline unsigned int find_rule(struct walk_tables *tables, const struct walk_chunks *chunks,
				   const struct walk_mapping *mapping, __u64 pc, __u32 *ret_number,
				   const struct table_rule **ret)
{
	unsigned int stop;
	__u32 number = 0;

	stop = find_number(tables, chunks, mapping, pc, &number);
	if (stop)
		return stop;
	if (number < TABLE_MARKER_COUNT)
		return STOP_NO_ROW + number;
	return find_numbered(tables, chunks, mapping, number, ret_number, ret);
}

#endif
