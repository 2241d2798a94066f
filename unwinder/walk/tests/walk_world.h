/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk_world.h - one hand-made image at BIAS, up to three functions with CFI in it, and a stack
 *
 * For test_walk.c and test_walk_following.c. Functions have cfa=rsp+8 ra=c-8 unless their
 * instructions say more.
 */
#ifndef STACKPROOF_TESTS_WALK_WORLD_H
#define STACKPROOF_TESTS_WALK_WORLD_H

#include "tests/suite.h"
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "walk/address_space.h"
#include "walk/stack.h"

#define BIAS	0x550000000000
#define A	(BIAS + 0x1000) /* the functions: 0x100 bytes each, neighbours */
#define B	(BIAS + 0x1100)
#define C	(BIAS + 0x1200)
#define GAP	(BIAS + 0x1300) /* no FDE covers it */
#define OUTSIDE (BIAS + 0x9000) /* no mapping */
#define SP	0x7ffe0000
#define WORDS	8

#define NORMAL BYTES("")
#define END    CFI(CFA_undefined(RIP)) /* the return address is undefined */

/* What a case expects: the frames, and why there are no more. */
#define FINDS(stop_, ...) .expect = { __VA_ARGS__ }, .stop = STOP_##stop_

/* The words at SP, and nothing else. */
struct fake_stack {
	const uint64_t *word;
	size_t words;
	size_t reads;
};

static inline int read_stack(void *context, uint64_t address, void *ret, size_t size)
{
	struct fake_stack *stack = context;
	uint64_t offset = address - SP;

	stack->reads++;
	if (offset >= stack->words * 8 || size > stack->words * 8 - offset)
		return -1;
	memcpy(ret, (const uint8_t *)stack->word + offset, size);
	return 0;
}

struct world {
	struct bytes bytes;
	struct image image;
	struct image_segment segment;
	struct image_entry entry;
	struct mapping mapping;
	struct address_space space;
};

static inline size_t put_usual_cie(struct bytes *bytes, bool signal_frame)
{
	size_t start = begin_entry(bytes);

	put_number(bytes, 0, 4);
	put_number(bytes, 1, 1);
	put(bytes, signal_frame ? "zRS" : "zR", signal_frame ? 4 : 3);
	put(bytes, "\1\x78\x10\1\0", 5);
	put(bytes, CFI_SIZED(CFA_USUAL));
	end_entry(bytes, start);
	return start;
}

static inline void world_init(struct world *world, const struct literal *function, int count,
			      bool signal_frame)
{
	struct error error;

	memset(world, 0, sizeof(*world));
	size_t normal = put_usual_cie(&world->bytes, false);
	size_t signal = put_usual_cie(&world->bytes, true);
	for (int i = 0; i < count; i++)
		if (function[i].data)
			put_fde(&world->bytes, signal_frame && i == 1 ? signal : normal,
				0x1000 + i * 0x100, 0x100, function[i]);
	world->image = fake_image(&world->bytes);
	world->segment = (struct image_segment) { 0x1000, 0x1000, 0, 0x1000, true };
	world->image.segment = &world->segment;
	world->image.segment_count = 1;
	world->entry.image = &world->image;
	ck_assert(!cfi_create(&world->image, &world->entry.cfi_if_read, &error));
	ck_assert(!table_create(&world->image, world->entry.cfi_if_read, &world->entry.table,
				&error));
	world->mapping = (struct mapping) { .start = A,
					    .end = BIAS + 0x2000,
					    .bias = BIAS,
					    .entry = &world->entry,
					    .path = "fake" };
	world->space = (struct address_space) { .mapping = &world->mapping, .mapping_count = 1 };
}

static inline void world_deinit(struct world *world)
{
	table_destroy(world->entry.table);
	cfi_destroy(world->entry.cfi_if_read);
	free(world->entry.rows);
}

static inline void check_stack(const char *name, const char *walk, const struct stack *stack,
			       const uint64_t *expect, uint32_t count, uint32_t stop)
{
	ck_assert_msg(stack->stop == stop && stack->count == count,
		      "%s: %s: %u frames, %s; expected %u, %s", name, walk, stack->count,
		      stop_reason_name(stack->stop), count, stop_reason_name(stop));
	for (uint32_t i = 0; i < count; i++)
		ck_assert_msg(stack->pc[i] == expect[i], "%s: %s: pc[%u] 0x%" PRIx64, name, walk, i,
			      stack->pc[i]);
}

#endif
