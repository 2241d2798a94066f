/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_space_range.c - one line of /proc/PID/maps, cut where an image's segments say
 *
 * The image is made up: only its segments matter. Two segments of a file may share a page of it,
 * and then the same offset is in both. And what a space has once another range is mapped into it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "walk/space_range.h"

#define AT 0x7f0000000000ull /* where the range is mapped */

struct piece {
	uint64_t pages; /* 0: there is no more */
	int segment;	/* whose bias it has; -1: none, and so no image */
};

#define SEGMENTS(...) .segment = { __VA_ARGS__ }
#define PIECES(...)   .piece = { __VA_ARGS__ }

static const struct range_case {
	const char *name;
	struct image_segment
		segment[3]; /* vaddr, memory_bytes, file_offset, file_bytes, executable */
	uint64_t offset, pages;
	struct piece piece[4];
} cases[] = {
	{ "one_segment", SEGMENTS({ 0x1000, 0x2000, 0x1000, 0x2000, true }), 0x1000, 2,
	  PIECES({ 2, 0 }) },
	{ "its_second_page", SEGMENTS({ 0x1000, 0x2000, 0x1000, 0x2000, true }), 0x2000, 1,
	  PIECES({ 1, 0 }) },
	{ "last_byte_of_a_segment", SEGMENTS({ 0x1000, 0x1001, 0x1000, 0x1001, true }), 0x2000, 1,
	  PIECES({ 1, 0 }) },
	{ "behind_the_last_byte", SEGMENTS({ 0x1000, 0x1000, 0x1000, 0x1000, true }), 0x2000, 1,
	  PIECES({ 1, -1 }) },
	{ "before_the_first_page", SEGMENTS({ 0x2000, 0x1000, 0x2000, 0x1000, true }), 0x1000, 2,
	  PIECES({ 1, -1 }, { 1, 0 }) },
	{ "data_is_no_code", SEGMENTS({ 0x1000, 0x1000, 0x1000, 0x1000, false }), 0x1000, 1,
	  PIECES({ 1, -1 }) },
	{ "unaligned_segment_begins_with_its_page",
	  SEGMENTS({ 0x5a00, 0x1000, 0x1a00, 0x1000, true }), 0x1000, 2, PIECES({ 2, 0 }) },
	{ "two_neighbours_in_one_range",
	  SEGMENTS({ 0x1000, 0x1000, 0x1000, 0x1000, true },
		   { 0x2000, 0x1000, 0x2000, 0x1000, true }),
	  0x1000, 2, PIECES({ 1, 0 }, { 1, 1 }) },
	{ "shared_page_is_whose_it_begins",
	  SEGMENTS({ 0x1000, 0x1400, 0x1000, 0x1400, true },
		   { 0x7400, 0x1000, 0x2400, 0x1000, true }),
	  0x2000, 1, PIECES({ 1, 1 }) },
	{ "shared_page_in_the_other_order",
	  SEGMENTS({ 0x7400, 0x1000, 0x2400, 0x1000, true },
		   { 0x1000, 0x1400, 0x1000, 0x1400, true }),
	  0x2000, 1, PIECES({ 1, 0 }) },
	{ "shared_page_is_mapped_for_the_first",
	  SEGMENTS({ 0x1000, 0x1400, 0x1000, 0x1400, true },
		   { 0x7400, 0x1000, 0x2400, 0x1000, true }),
	  0x1000, 2, PIECES({ 2, 0 }) },
	{ "page_behind_a_shared_one_is_the_seconds",
	  SEGMENTS({ 0x1000, 0x1400, 0x1000, 0x1400, true },
		   { 0x7400, 0x1000, 0x2400, 0x1000, true }),
	  0x3000, 1, PIECES({ 1, 1 }) },
	{ "of_two_that_only_overlap_the_first",
	  SEGMENTS({ 0x1000, 0x3000, 0x1000, 0x3000, true },
		   { 0x9000, 0x2000, 0x2000, 0x2000, true }),
	  0x3000, 1, PIECES({ 1, 0 }) },
	{ "data_between",
	  SEGMENTS({ 0x1000, 0x1000, 0x1000, 0x1000, true },
		   { 0x2000, 0x1000, 0x2000, 0x1000, false },
		   { 0x3000, 0x1000, 0x3000, 0x1000, true }),
	  0x1000, 3, PIECES({ 2, 0 }, { 1, 2 }) },
};

START_TEST(range_is_cut_by_segments)
{
	const struct range_case *c = &cases[_i];
	struct image image = { .segment = (struct image_segment *)c->segment, .segment_count = 3 };
	struct image_entry entry = { .image = &image, .references = 1 };
	struct mapped_range range = { AT, AT + c->pages * 4096, c->offset, "/a/file", &entry };
	struct address_space space = { 0 };
	uint64_t start = AT;
	uint32_t held = 0;
	struct error error;

	ck_assert(!space_add_range(&space, &range, &error));
	for (size_t i = 0; i < space.mapping_count; i++) {
		const struct mapping *mapping = &space.mapping[i];
		const struct piece *piece = &c->piece[i];

		ck_assert_msg(i < COUNT(c->piece) && piece->pages, "%s: too many pieces", c->name);
		ck_assert_msg(mapping->start == start &&
				      mapping->end == start + piece->pages * 4096,
			      "%s: piece %zu is 0x%" PRIx64 "-0x%" PRIx64, c->name, i,
			      mapping->start, mapping->end);
		ck_assert_msg(!mapping->entry == (piece->segment < 0), "%s: piece %zu: image",
			      c->name, i);
		ck_assert_str_eq(mapping->path, "/a/file");
		if (piece->segment >= 0) {
			const struct image_segment *segment = &c->segment[piece->segment];
			uint64_t offset = c->offset + (start - AT);

			ck_assert_msg(start - mapping->bias ==
					      segment->vaddr + offset - segment->file_offset,
				      "%s: piece %zu: bias 0x%" PRIx64, c->name, i, mapping->bias);
		}
		held += piece->segment >= 0;
		start = mapping->end;
		free(mapping->path);
	}
	ck_assert_msg(start == range.end, "%s: ends at 0x%" PRIx64, c->name, start);
	ck_assert_msg(entry.references == 1 + held, "%s: %u references", c->name, entry.references);
	free(space.mapping);
}
END_TEST

/* ---- into what is there ----------------------------------------------------------------- */

#define IMAGES	    3
#define MAPPED_MAX  5
#define IMAGE_VADDR 0x1000000ull /* of each the next one's: its bias tells it */

/* Pages first .. end - 1 behind AT, of an image; -1: of none. */
struct mapped {
	uint64_t first, end;
	int image;
};

#define BEFORE(...) .before = { __VA_ARGS__ }
#define RANGE(...)  .range = { __VA_ARGS__ }
#define AFTER(...)  .after = { __VA_ARGS__ }

static const struct map_case {
	const char *name;
	struct mapped before[MAPPED_MAX], range, after[MAPPED_MAX];
} map_cases[] = {
	{ "into_an_empty_space", RANGE(2, 4, 0), AFTER({ 2, 4, 0 }) },
	{ "before_all", BEFORE({ 4, 6, 0 }), RANGE(1, 3, 1), AFTER({ 1, 3, 1 }, { 4, 6, 0 }) },
	{ "behind_all", BEFORE({ 4, 6, 0 }), RANGE(8, 9, 1), AFTER({ 4, 6, 0 }, { 8, 9, 1 }) },
	{ "between_neighbours", BEFORE({ 1, 3, 0 }, { 5, 7, 1 }), RANGE(3, 5, 2),
	  AFTER({ 1, 3, 0 }, { 3, 5, 2 }, { 5, 7, 1 }) },
	{ "the_same_pages", BEFORE({ 1, 3, 0 }, { 3, 5, 1 }), RANGE(1, 3, 2),
	  AFTER({ 1, 3, 2 }, { 3, 5, 1 }) },
	{ "the_first_page", BEFORE({ 1, 4, 0 }), RANGE(1, 2, 1), AFTER({ 1, 2, 1 }, { 2, 4, 0 }) },
	{ "the_last_page", BEFORE({ 1, 4, 0 }), RANGE(3, 4, 1), AFTER({ 1, 3, 0 }, { 3, 4, 1 }) },
	{ "a_page_within", BEFORE({ 1, 4, 0 }), RANGE(2, 3, 1),
	  AFTER({ 1, 2, 0 }, { 2, 3, 1 }, { 3, 4, 0 }) },
	{ "a_page_within_without_image", BEFORE({ 1, 4, 0 }), RANGE(2, 3, -1),
	  AFTER({ 1, 2, 0 }, { 2, 3, -1 }, { 3, 4, 0 }) },
	{ "one_s_end_and_the_next_one_s_begin", BEFORE({ 1, 4, 0 }, { 5, 8, 1 }), RANGE(3, 6, 2),
	  AFTER({ 1, 3, 0 }, { 3, 6, 2 }, { 6, 8, 1 }) },
	{ "over_several", BEFORE({ 1, 3, 0 }, { 4, 5, 1 }, { 6, 7, 1 }, { 8, 10, 0 }),
	  RANGE(2, 9, 2), AFTER({ 1, 2, 0 }, { 2, 9, 2 }, { 9, 10, 0 }) },
	{ "over_all", BEFORE({ 1, 3, 0 }, { 4, 5, 1 }), RANGE(0, 6, 2), AFTER({ 0, 6, 2 }) },
};

struct map_world {
	struct image_segment segment[IMAGES];
	struct image image[IMAGES];
	struct image_entry entry[IMAGES];
};

static void map_world_init(struct map_world *world)
{
	for (int i = 0; i < IMAGES; i++) {
		world->segment[i] = (struct image_segment) { i * IMAGE_VADDR, 0x10000, 0, 0x10000,
							     true };
		world->image[i] = (struct image) { .segment = &world->segment[i],
						   .segment_count = 1 };
		world->entry[i] = (struct image_entry) { .image = &world->image[i],
							 .references = 1 };
	}
}

static struct mapped_range range_of(struct map_world *world, const struct mapped *mapped)
{
	static const char *const path[] = { "", "/image/0", "/image/1", "/image/2" };

	return (struct mapped_range) {
		.start = AT + mapped->first * 4096,
		.end = AT + mapped->end * 4096,
		.offset = mapped->first * 4096,
		.path = path[1 + mapped->image],
		.entry = mapped->image < 0 ? NULL : &world->entry[mapped->image],
	};
}

START_TEST(range_takes_the_place_of_what_was_there)
{
	const struct map_case *c = &map_cases[_i];
	struct address_space space = { 0 };
	uint32_t references[IMAGES] = { 1, 1, 1 };
	struct mapped_range range;
	struct map_world world;
	struct error error;
	size_t count = 0;

	map_world_init(&world);
	for (const struct mapped *before = c->before; before->end; before++) {
		range = range_of(&world, before);
		ck_assert(!space_add_range(&space, &range, &error));
	}
	range = range_of(&world, &c->range);
	ck_assert(!address_space_map(&space, &range, &error));
	for (const struct mapped *after = c->after; after->end; after++, count++) {
		const struct mapping *mapping = &space.mapping[count];

		range = range_of(&world, after);
		ck_assert_msg(count < space.mapping_count && mapping->start == range.start &&
				      mapping->end == range.end && mapping->entry == range.entry,
			      "%s: mapping %zu", c->name, count);
		ck_assert_str_eq(mapping->path, range.path);
		if (after->image < 0)
			continue;
		ck_assert_uint_eq(mapping->bias, AT - after->image * IMAGE_VADDR);
		references[after->image]++;
	}
	ck_assert_msg(space.mapping_count == count, "%s: %zu mappings", c->name,
		      space.mapping_count);
	for (int i = 0; i < IMAGES; i++)
		ck_assert_msg(world.entry[i].references == references[i], "%s: %u have image %d",
			      c->name, world.entry[i].references, i);
	address_space_deinit(&space);
}
END_TEST

/* ---- two spaces ----------------------------------------------------------------------------- */

static const struct part {
	uint64_t start, end; /* end 0: there is no more */
	int image;	     /* -1: none */
	uint64_t bias;
} one_mapping[] = { { 0x1000, 0x2000, 0, 5 } };

#define OTHER(...) .other = { __VA_ARGS__ }

static const struct differ_case {
	const char *name;
	struct part other[3];
	uint64_t start, end;
	bool differs;
} differ_cases[] = {
	{ "the_same", OTHER({ 0x1000, 0x2000, 0, 5 }), 0, UINT64_MAX, false },
	{ "nothing", .end = UINT64_MAX, .differs = true },
	{ "nothing_below_it", .end = 0x1000 },
	{ "nothing_at_its_first_byte", .end = 0x1001, .differs = true },
	{ "nothing_at_its_last_byte", .start = 0x1fff, .end = 0x2000, .differs = true },
	{ "nothing_behind_it", .start = 0x2000, .end = UINT64_MAX },
	{ "no_range", .start = 0x1800, .end = 0x1800 },
	{ "another_image", OTHER({ 0x1000, 0x2000, 1, 5 }), 0, UINT64_MAX, true },
	{ "another_bias", OTHER({ 0x1000, 0x2000, 0, 6 }), 0, UINT64_MAX, true },
	{ "no_image", OTHER({ 0x1000, 0x2000, -1, 5 }), 0, UINT64_MAX, true },
	{ "two_pieces", OTHER({ 0x1000, 0x1800, 0, 5 }, { 0x1800, 0x2000, 0, 5 }), 0, UINT64_MAX,
	  false },
	{ "two_pieces_with_a_hole", OTHER({ 0x1000, 0x1800, 0, 5 }, { 0x1801, 0x2000, 0, 5 }), 0,
	  UINT64_MAX, true },
	{ "the_second_is_another", OTHER({ 0x1000, 0x1800, 0, 5 }, { 0x1800, 0x2000, 0, 6 }), 0,
	  UINT64_MAX, true },
	{ "but_not_here", OTHER({ 0x1000, 0x1800, 0, 5 }, { 0x1800, 0x2000, 0, 6 }), 0x1000, 0x1800,
	  false },
	{ "more_of_no_image", OTHER({ 0x500, 0x600, -1, 0 }, { 0x1000, 0x2000, 0, 5 }), 0,
	  UINT64_MAX, false },
	{ "more_of_an_image", OTHER({ 0x500, 0x600, 1, 0 }, { 0x1000, 0x2000, 0, 5 }), 0,
	  UINT64_MAX, true },
	{ "more_of_an_image_behind_it", OTHER({ 0x1000, 0x2000, 0, 5 }, { 0x3000, 0x4000, 1, 0 }),
	  0, UINT64_MAX, true },
	{ "longer", OTHER({ 0x1000, 0x2001, 0, 5 }), 0, UINT64_MAX, true },
	{ "shorter", OTHER({ 0x1000, 0x1fff, 0, 5 }), 0, UINT64_MAX, true },
};

static size_t fill(struct mapping *mapping, const struct part *piece, size_t most,
		   struct image_entry *entry)
{
	size_t count = 0;

	for (; count < most && piece[count].end; count++)
		mapping[count] = (struct mapping) { .start = piece[count].start,
						    .end = piece[count].end,
						    .bias = piece[count].bias,
						    .entry = piece[count].image < 0
								     ? NULL
								     : &entry[piece[count].image] };
	return count;
}

START_TEST(spaces_differ)
{
	const struct differ_case *c = &differ_cases[_i];
	struct image_entry entry[2] = { { .id = 0 } };
	struct mapping one[1], other[3];
	const struct address_space a = { .mapping = one,
					 .mapping_count = fill(one, one_mapping, 1, entry) };
	const struct address_space b = { .mapping = other,
					 .mapping_count = fill(other, c->other, 3, entry) };

	ck_assert_msg(address_space_differs(&a, &b, c->start, c->end) == c->differs, "%s", c->name);
	ck_assert_msg(address_space_differs(&b, &a, c->start, c->end) == c->differs,
		      "%s, the other way", c->name);
}
END_TEST

SUITE(space_range, LOOP(range_is_cut_by_segments, cases),
      LOOP(range_takes_the_place_of_what_was_there, map_cases), LOOP(spaces_differ, differ_cases))
