/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_by_pc.c - FDEs in order of PC, and the FDE of a PC
 */
#include <stdlib.h>
#include <string.h>
#include "cfi_section.h"
#include "array.h"

/* ---- in order --------------------------------------------------------------------------- */

/* Stable, byte by byte of the upper half, from its lowest; bytes that all keys share cost one pass
 * of counting. Returns where the result is. */
static uint64_t *radix_sort(uint64_t *key, uint64_t *spare, size_t count)
{
	for (unsigned int shift = 32; shift < 64; shift += 8) {
		size_t start[256] = { 0 };
		for (size_t i = 0; i < count; i++)
			start[key[i] >> shift & 0xff]++;
		if (start[key[0] >> shift & 0xff] == count)
			continue;
		size_t sum = 0;
		for (unsigned int byte = 0; byte < 256; byte++) {
			size_t here = start[byte];
			start[byte] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			spare[start[key[i] >> shift & 0xff]++] = key[i];
		uint64_t *other = key;
		key = spare;
		spare = other;
	}
	return key;
}

static int compare_fdes(const void *a, const void *b, void *context)
{
	const struct cfi_fde *fde = context;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	if (fde[left].pc_begin != fde[right].pc_begin)
		return fde[left].pc_begin < fde[right].pc_begin ? -1 : 1;
	return left < right ? -1 : left > right;
}

/* All of by_pc is there, in the section's order; PCs lie in first .. first+span. */
static int sort_by_pc(struct cfi *cfi, uint64_t first, uint64_t span, struct error *error)
{
	size_t count = cfi->by_pc_count;
	if (span > UINT32_MAX) { /* no image has code that far apart */
		qsort_r(cfi->by_pc, count, sizeof(*cfi->by_pc), compare_fdes, cfi->fde);
		return 0;
	}
	free(cfi->by_pc);
	cfi->by_pc = NULL;
	uint64_t *keys = malloc(2 * count * sizeof(*keys));
	if (!keys)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory to sort FDEs");
	size_t kept = 0;
	for (size_t i = 0; i < cfi->fde_count; i++)
		if (cfi_fde_covers(cfi->image, &cfi->fde[i]))
			keys[kept++] = (cfi->fde[i].pc_begin - first) << 32 | i;
	const uint64_t *order = radix_sort(keys, keys + count, count);
	/* The numbers take the place of the keys, which were twice as long. */
	uint32_t *by_pc = (uint32_t *)keys;
	for (size_t i = 0; i < count; i++) {
		uint32_t number = (uint32_t)order[i];
		memcpy(&by_pc[i], &number, sizeof(number));
	}
	uint32_t *shrunk = realloc(by_pc, count * sizeof(*by_pc));
	cfi->by_pc = shrunk ? shrunk : by_pc;
	return 0;
}

static int order_by_pc(struct cfi *cfi, struct error *error)
{
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;
	bool sorted = true;
	cfi->by_pc = malloc((cfi->fde_count + 1) * sizeof(*cfi->by_pc));
	if (!cfi->by_pc)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory to sort FDEs");
	for (size_t i = 0; i < cfi->fde_count; i++) {
		uint64_t pc = cfi->fde[i].pc_begin;
		if (!cfi_fde_covers(cfi->image, &cfi->fde[i]))
			continue;
		sorted &= pc >= last;
		last = pc > last ? pc : last;
		first = pc < first ? pc : first;
		cfi->by_pc[cfi->by_pc_count++] = (uint32_t)i;
	}
	return sorted ? 0 : sort_by_pc(cfi, first, last - first, error);
}

/* ---- overlaps ---------------------------------------------------------------------------- */

/*
 * Where FDEs overlap, the one that covers a PC may begin any number of FDEs further back. reach
 * holds, level by level, how far 16 neighbours of the level below reach; level 0, by_pc's own ends,
 * is not stored. So an FDE is found in O(log n) steps, for half a byte each.
 */
#define REACH_FANOUT 16

static uint64_t fde_end(const struct cfi *cfi, size_t index)
{
	const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[index]];
	return fde->pc_begin + fde->pc_range;
}

static size_t level_above(size_t count)
{
	return (count + REACH_FANOUT - 1) / REACH_FANOUT;
}

static int find_overlaps(struct cfi *cfi, struct error *error)
{
	uint64_t end = 0;
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		cfi->overlapping |= cfi->fde[cfi->by_pc[i]].pc_begin < end;
		end = fde_end(cfi, i) > end ? fde_end(cfi, i) : end;
	}
	if (!cfi->overlapping)
		return 0;
	size_t total = 0;
	for (size_t count = cfi->by_pc_count; count > 1; count = level_above(count))
		total += level_above(count);
	cfi->reach = calloc(total + 1, sizeof(*cfi->reach));
	if (!cfi->reach)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for overlapping FDEs");
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		uint64_t *cell = &cfi->reach[i / REACH_FANOUT];
		*cell = fde_end(cfi, i) > *cell ? fde_end(cfi, i) : *cell;
	}
	uint64_t *below = cfi->reach;
	for (size_t count = level_above(cfi->by_pc_count); count > 1; count = level_above(count)) {
		uint64_t *level = below + count;
		for (size_t i = 0; i < count; i++)
			if (below[i] > level[i / REACH_FANOUT])
				level[i / REACH_FANOUT] = below[i];
		below = level;
	}
	return 0;
}

/* How far the cell of a level reaches. levels: where level 1 and those above begin. */
static uint64_t reach_of(const struct cfi *cfi, const size_t *levels, unsigned int level, size_t i)
{
	return level ? cfi->reach[levels[level] + i] : fde_end(cfi, i);
}

/* The last FDE before end that reaches beyond vaddr, or end if there is none. */
static size_t last_reaching(const struct cfi *cfi, size_t end, uint64_t vaddr)
{
	size_t levels[17] = { 0 };
	size_t counts[17] = { cfi->by_pc_count };
	for (unsigned int i = 1; counts[i - 1] > 1; i++) {
		counts[i] = level_above(counts[i - 1]);
		levels[i] = i > 1 ? levels[i - 1] + counts[i - 1] : 0;
	}
	unsigned int level = 0;
	size_t i = end;
	for (;;) {
		bool found = false;
		while (!found && i % REACH_FANOUT)
			found = reach_of(cfi, levels, level, --i) > vaddr;
		if (found)
			break;
		if (!i)
			return end;
		i /= REACH_FANOUT; /* all of the cells before it are whole */
		level++;
	}
	for (; level; level--) {
		size_t past = (i + 1) * REACH_FANOUT;
		i = past < counts[level - 1] ? past : counts[level - 1];
		while (reach_of(cfi, levels, level - 1, --i) <= vaddr)
			;
	}
	return i;
}

int cfi_order(struct cfi *cfi, struct error *error)
{
	free(cfi->by_pc);
	free(cfi->reach);
	cfi->by_pc = NULL;
	cfi->reach = NULL;
	cfi->by_pc_count = 0;
	cfi->overlapping = false;
	return order_by_pc(cfi, error) || find_overlaps(cfi, error) ? -1 : 0;
}

/* ---- the FDE of a PC -------------------------------------------------------------------- */

/* The last FDE that begins at or before last_vaddr and reaches beyond vaddr, or NULL. */
static const struct cfi_fde *find(const struct cfi *cfi, uint64_t last_vaddr, uint64_t vaddr)
{
	size_t low = ARRAY_BEFORE(cfi->by_pc_count, i,
				  cfi->fde[cfi->by_pc[i]].pc_begin <= last_vaddr);
	if (!low)
		return NULL;
	if (fde_end(cfi, low - 1) > vaddr)
		return &cfi->fde[cfi->by_pc[low - 1]];
	if (!cfi->reach)
		return NULL;
	size_t found = last_reaching(cfi, low, vaddr);
	return found < low ? &cfi->fde[cfi->by_pc[found]] : NULL;
}

const struct cfi_fde *cfi_fde_find(const struct cfi *cfi, uint64_t vaddr)
{
	return find(cfi, vaddr, vaddr);
}

bool cfi_fde_begins(const struct cfi *cfi, uint64_t vaddr)
{
	const struct cfi_fde *fde = cfi_fde_find(cfi, vaddr);

	return fde && fde->pc_begin == vaddr;
}

/* The number in by_pc of the first FDE that begins at vaddr or behind it. */
static size_t number_from(const struct cfi *cfi, uint64_t vaddr)
{
	return ARRAY_BEFORE(cfi->by_pc_count, i, cfi->fde[cfi->by_pc[i]].pc_begin < vaddr);
}

const struct cfi_fde *cfi_fde_before(const struct cfi *cfi, uint64_t vaddr)
{
	size_t number = number_from(cfi, vaddr);

	return number ? &cfi->fde[cfi->by_pc[number - 1]] : NULL;
}

uint64_t cfi_next_begin(const struct cfi *cfi, uint64_t vaddr)
{
	size_t number = number_from(cfi, vaddr);

	return number < cfi->by_pc_count ? cfi->fde[cfi->by_pc[number]].pc_begin : UINT64_MAX;
}

bool cfi_shares_code(const struct cfi *cfi, const struct cfi_fde *fde)
{
	return find(cfi, fde->pc_begin + fde->pc_range - 1, fde->pc_begin);
}

/* Other readers may find such an FDE in place of one that covers an address. */
bool cfi_has_empty_fde(const struct cfi *cfi)
{
	return ARRAY_ANY(cfi->fde_count, i, !cfi->fde[i].pc_range);
}
