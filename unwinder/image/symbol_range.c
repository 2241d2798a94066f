/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * symbol_range.c - which symbol covers an address
 *
 * Symbols lie inside each other (a label in a function, a function's second entry), end one behind
 * another, or have no size. So they are laid out once, as stretches that each have one symbol:
 *
 *	- the innermost that has a size: of those that cover the address the one that begins last, and of
 *	  several that begin there the one whose name is shown (elf_symbol.c);
 *	- where none does, one without size, from where it begins to the next symbol. One that begins
 *	  inside a symbol with a size is a label of that one, and names nothing.
 *
 * An address is then found by halving, however many labels are between it and its function.
 */
#include <stdlib.h>
#include "elf_image.h"
#include "array.h"

struct painter {
	struct symbol_range *range;
	size_t count;
	size_t capacity;
	const struct image_symbol **open; /* the innermost last */
	size_t open_count;
	uint64_t at; /* painted up to here */
};

static void put(struct painter *painter, uint64_t end, const struct image_symbol *symbol)
{
	struct symbol_range *last = painter->count ? &painter->range[painter->count - 1] : NULL;
	if (last && last->symbol == symbol && last->end == painter->at)
		last->end = end;
	else if (painter->count < painter->capacity)
		painter->range[painter->count++] = (struct symbol_range) { painter->at, end,
									   symbol };
}

/* Gives what lies before limit to the innermost symbols that are open there. */
static void paint(struct painter *painter, uint64_t limit)
{
	while (painter->open_count) {
		const struct image_symbol *symbol = painter->open[painter->open_count - 1];
		if (symbol->end <= painter->at) {
			painter->open_count--;
			continue;
		}
		if (painter->at >= limit)
			return;
		uint64_t end = symbol->end < limit ? symbol->end : limit;
		put(painter, end, symbol);
		painter->at = end;
	}
	painter->at = limit;
}

/* Opens count symbols of one address, the best name first. */
static void open_symbols(struct painter *painter, const struct image_symbol *const *symbol,
			 size_t count)
{
	/* One without size ends here: it is alone then, and only alone. */
	if (painter->open_count == 1 && !painter->open[0]->size)
		painter->open_count = 0;
	for (size_t i = count; i > 0; i--)
		if (symbol[i - 1]->size)
			painter->open[painter->open_count++] = symbol[i - 1];
	if (!painter->open_count)
		painter->open[painter->open_count++] = symbol[0];
}

static int compare_sections(const void *left, const void *right)
{
	const struct image_symbol *a = *(const struct image_symbol *const *)left;
	const struct image_symbol *b = *(const struct image_symbol *const *)right;
	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return a < b ? -1 : a > b; /* by PC already, the best name first */
}

/* False: no memory. */
static bool make_ranges(const struct image *image, struct image_file *file)
{
	bool made = false;
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);
	FREED const struct image_symbol **order = calloc(count + 1, sizeof(*order));
	/* Each symbol begins one stretch, and may go on behind another's end. */
	struct painter painter = { .capacity = 2 * count + 1 };
	painter.range = calloc(painter.capacity, sizeof(*painter.range));
	painter.open = calloc(count + 1, sizeof(*painter.open));
	if (!order || !painter.range || !painter.open)
		goto out;
	for (size_t i = 0; i < count; i++)
		order[i] = &symbol[i];
	if (image->type == ET_REL)
		qsort(order, count, sizeof(*order), compare_sections);
	for (size_t i = 0, next; i < count; i = next) {
		if (i && order[i]->section != order[i - 1]->section) {
			paint(&painter, UINT64_MAX);
			painter.open_count = 0;
		} else {
			paint(&painter, order[i]->pc);
		}
		painter.at = order[i]->pc;
		for (next = i + 1; next < count && order[next]->pc == order[i]->pc &&
				   order[next]->section == order[i]->section;)
			next++;
		open_symbols(&painter, &order[i], next - i);
	}
	paint(&painter, UINT64_MAX);
	file->range = painter.range;
	file->range_count = painter.count;
	painter.range = NULL;
	made = true;
out:
	free(painter.range);
	free(painter.open);
	return made;
}

bool image_read_ranges(const struct image *image)
{
	struct image_file *file = image->priv; /* a cache: the image looks the same */
	if (!file->ranges_made)
		file->ranges_made = make_ranges(image, file);
	return file->ranges_made;
}

const struct image_symbol *image_symbol_covering(const struct image *image, uint16_t section,
						 uint64_t vaddr)
{
	const struct image_file *file = image->priv;
	image_read_ranges(image);
	size_t low = ARRAY_BEFORE(file->range_count, i,
				  file->range[i].symbol->section < section ||
					  (file->range[i].symbol->section == section &&
					   file->range[i].start <= vaddr));
	/* low is one past the last that begins at or before vaddr. */
	const struct symbol_range *range = low ? &file->range[low - 1] : NULL;
	return range && range->symbol->section == section && vaddr < range->end ? range->symbol
										: NULL;
}

const struct image_symbol *image_symbol_find(const struct image *image, uint64_t vaddr)
{
	return image_symbol_covering(image, SHN_UNDEF, vaddr);
}

const struct image_symbol *image_symbol_at(const struct image *image, uint64_t vaddr)
{
	const struct image_symbol *symbol = image_symbol_find(image, vaddr);

	return symbol && symbol->pc == vaddr ? symbol : NULL;
}
