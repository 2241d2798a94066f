/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * space_range.c - change an address space by one mapping, copy one, compare two
 *
 *	before	|----- libc -----|          |-- ld.so --|
 *	range	           |---- libm ----|
 *	after	|-- libc --|---- libm ----| |-- ld.so --|
 *
 * What a new mapping covers is gone (mmap(2), MAP_FIXED): a mapping that it covers in part keeps
 * the rest, and the rest its bias.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "jit_dump.h"
#include "space_range.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for mappings");
}

int address_space_copy(const struct address_space *space, struct address_space *ret,
		       struct error *error)
{
	*ret = (struct address_space) { .pid = space->pid,
					.store = space->store,
					.unopened = space->unopened,
					.dump = jit_dump_share(space->dump),
					.forked_ns = space->forked_ns };
	ret->mapping = calloc(space->mapping_count + 1, sizeof(*ret->mapping));
	if (!ret->mapping)
		return no_memory(error);
	for (; ret->mapping_count < space->mapping_count; ret->mapping_count++) {
		const struct mapping *from = &space->mapping[ret->mapping_count];
		struct mapping *to = &ret->mapping[ret->mapping_count];

		*to = *from;
		to->path = strdup(from->path);
		if (!to->path) {
			address_space_deinit(ret);
			return no_memory(error);
		}
		image_entry_hold(to->entry);
	}
	return 0;
}

/* ---- one mapping ------------------------------------------------------------------------ */

/* What is left of a mapping on both sides of a range. */
static bool is_split(const struct mapping *mapping, const struct mapped_range *range)
{
	return mapping->start < range->start && mapping->end > range->end;
}

/* The path of the second half of a mapping that is split; at most one is. */
static int second_path(const struct address_space *space, const struct mapped_range *range,
		       char **ret, struct error *error)
{
	*ret = NULL;
	for (size_t i = 0; i < space->mapping_count; i++) {
		if (!is_split(&space->mapping[i], range))
			continue;
		*ret = strdup(space->mapping[i].path);
		if (!*ret)
			return no_memory(error);
	}
	return 0;
}

/* Into changed: what lies before the range, the pieces, what lies behind it. Paths and images go
 * along. */
static size_t merge(const struct address_space *space, const struct mapped_range *range,
		    const struct address_space *pieces, char *second, struct mapping *changed)
{
	size_t count = 0;

	for (size_t i = 0; i < space->mapping_count; i++) {
		struct mapping *mapping = &space->mapping[i];

		if (mapping->start < range->start) {
			changed[count] = *mapping;
			if (mapping->end > range->start)
				changed[count].end = range->start;
			count++;
		} else if (mapping->end <= range->end) {
			mapping_deinit(mapping);
		}
	}
	for (size_t i = 0; i < pieces->mapping_count; i++)
		changed[count++] = pieces->mapping[i];
	for (size_t i = 0; i < space->mapping_count; i++) {
		struct mapping *mapping = &space->mapping[i];

		if (mapping->end <= range->end)
			continue;
		changed[count] = *mapping;
		if (is_split(mapping, range)) {
			changed[count].path = second;
			image_entry_hold(mapping->entry);
		}
		if (mapping->start < range->end) {
			changed[count].start = range->end;
			changed[count].offset += range->end - mapping->start;
		}
		count++;
	}
	return count;
}

int address_space_map(struct address_space *space, const struct mapped_range *range,
		      struct error *error)
{
	struct address_space pieces = { 0 };
	struct mapping *changed = NULL;
	char *second = NULL;

	if (space_add_range(&pieces, range, error) || second_path(space, range, &second, error))
		goto bad;
	changed = calloc(space->mapping_count + pieces.mapping_count + 2, sizeof(*changed));
	if (!changed) {
		no_memory(error);
		goto bad;
	}
	space->mapping_count = merge(space, range, &pieces, second, changed);
	free(space->mapping);
	space->mapping = changed;
	free(pieces.mapping); /* what they have is the space's now */
	return 0;
bad:
	free(second);
	address_space_deinit(&pieces);
	return -1;
}

/* ---- two spaces ------------------------------------------------------------------------- */

/* The mapping with an image that holds the address, or NULL; either is so up to *ret_until. *at:
 * the first mapping that ends behind the address; it only grows. */
static const struct mapping *image_at(const struct address_space *space, size_t *at,
				      uint64_t address, uint64_t *ret_until)
{
	const struct mapping *mapping;

	while (*at < space->mapping_count && space->mapping[*at].end <= address)
		++*at;
	*ret_until = UINT64_MAX;
	if (*at == space->mapping_count)
		return NULL;
	mapping = &space->mapping[*at];
	*ret_until = address < mapping->start ? mapping->start : mapping->end;
	return address >= mapping->start && mapping->entry ? mapping : NULL;
}

bool address_space_differs(const struct address_space *a, const struct address_space *b,
			   uint64_t start, uint64_t end)
{
	size_t at_a = 0, at_b = 0;

	for (uint64_t address = start; address < end;) {
		uint64_t until_a, until_b;
		const struct mapping *in_a = image_at(a, &at_a, address, &until_a);
		const struct mapping *in_b = image_at(b, &at_b, address, &until_b);

		if (!in_a != !in_b ||
		    (in_a && (in_a->entry != in_b->entry || in_a->bias != in_b->bias)))
			return true;
		address = until_a < until_b ? until_a : until_b;
	}
	return false;
}

static bool has_segment(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	const struct image *image = mapping->entry->image;

	for (size_t i = 0; i < image->segment_count; i++) {
		uint64_t begin = mapping->bias + image->segment[i].vaddr;

		if (image->segment[i].executable && begin < end &&
		    start < begin + image->segment[i].file_bytes)
			return true;
	}
	return false;
}

bool address_space_has_code(const struct address_space *space, uint64_t start, uint64_t end)
{
	return ARRAY_ANY(space->mapping_count, i,
			 space->mapping[i].entry && has_segment(&space->mapping[i], start, end));
}
