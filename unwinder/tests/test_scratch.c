/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_scratch.c - pieces are zeros, lie beside each other, and stay; there may be no memory
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "suite.h"
#include "number_map.h"
#include "sanitized.h"
#include "scratch.h"

#define PIECES 200

static const struct {
	size_t expected; /* 0: nothing is */
	size_t piece;	 /* bytes of the first; each has some more than the one before */
} sizes[] = {
	{ 0, 0 }, { 0, 1 }, { 0, 1000 }, { 100000, 300 }, { 1 << 20, 5000 }, { 0, 3 << 20 },
};

static bool is_filled(const uint8_t *piece, size_t bytes, uint8_t with)
{
	for (size_t i = 0; i < bytes; i++)
		if (piece[i] != with)
			return false;
	return true;
}

START_TEST(pieces_are_zeros_and_apart)
{
	struct scratch scratch = { 0 };
	uint8_t *piece[PIECES];
	int pieces = sizes[_i].piece > 100000 ? 5 : PIECES;

	if (sizes[_i].expected)
		ck_assert(scratch_expect(&scratch, sizes[_i].expected));
	for (int i = 0; i < pieces; i++) {
		size_t bytes = sizes[_i].piece + i;

		piece[i] = scratch_take(&scratch, bytes);
		ck_assert_ptr_nonnull(piece[i]);
		ck_assert_uint_eq((uintptr_t)piece[i] % (SANITIZED ? 16 : 64), 0);
		ck_assert_msg(is_filled(piece[i], bytes, 0), "piece %d is not zeros", i);
		memset(piece[i], i + 1, bytes);
	}
	for (int i = 0; i < pieces; i++)
		ck_assert_msg(is_filled(piece[i], sizes[_i].piece + i, i + 1), "piece %d", i);
	scratch_deinit(&scratch);
	ck_assert_ptr_null(scratch.block);
}
END_TEST

START_TEST(what_grows_keeps_its_bytes)
{
	struct scratch scratch = { 0 };
	uint8_t *array = NULL, *grown;

	for (size_t bytes = 0, wanted = 7; wanted < 8 << 20; bytes = wanted, wanted *= 3) {
		grown = scratch_grow(&scratch, array, bytes, wanted);
		ck_assert_ptr_nonnull(grown);
		ck_assert(is_filled(grown, bytes, 0x5a));
		ck_assert(is_filled(grown + bytes, wanted - bytes, 0));
		memset(grown, 0x5a, wanted);
		array = grown;
	}
	scratch_deinit(&scratch);
}
END_TEST

/* What there was is there, and more can be had. */
START_TEST(no_memory_is_said)
{
	static const size_t too_many[] = { SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 2,
					   (size_t)1 << 60 };
	struct scratch scratch = { 0 };
	uint8_t *piece = scratch_take(&scratch, 100);

	ck_assert_ptr_nonnull(piece);
	memset(piece, 1, 100);
	/* AddressSanitizer's heap ends the program instead. */
	for (int i = 0; i < (SANITIZED ? 2 : COUNT(too_many)); i++) {
		ck_assert_ptr_null(scratch_take(&scratch, too_many[i]));
		ck_assert_ptr_null(scratch_grow(&scratch, piece, 100, too_many[i]));
		ck_assert(SANITIZED || !scratch_expect(&scratch, too_many[i]));
	}
	ck_assert(is_filled(piece, 100, 1));
	ck_assert_ptr_nonnull(scratch_take(&scratch, 100));
	scratch_deinit(&scratch);
}
END_TEST

/* ---- blocks; under AddressSanitizer each piece is one --------------------------------------- */

#define HUGE_PAGE (2ul << 20)
#define LARGE	  (3ul << 20)

/* Two beside each other, and all the rest: it is one block yet. */
START_TEST(block_is_used_up)
{
	struct scratch scratch = { 0 };
	uint8_t *first = scratch_take(&scratch, 64), *second = scratch_take(&scratch, 64), *rest;
	const struct scratch_block *block = scratch.block;

	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_eq(second, first + 64);
	ck_assert_uint_ge(scratch.end - scratch.at, (16 << 10) - 128);
	rest = scratch_take(&scratch, (size_t)(scratch.end - scratch.at));
	ck_assert_ptr_eq(rest, second + 64);
	ck_assert_ptr_eq(scratch.block, block);
	ck_assert_ptr_nonnull(scratch_take(&scratch, 1));
	ck_assert_ptr_ne(scratch.block, block);
	scratch_deinit(&scratch);
}
END_TEST

/* Each is as large as all before it. */
START_TEST(blocks_are_few)
{
	struct scratch scratch = { 0 };
	const struct scratch_block *last = NULL;
	int blocks = 0;

	for (int i = 0; i < 1000; i++) {
		ck_assert_ptr_nonnull(scratch_take(&scratch, 1000));
		blocks += scratch.block != last;
		last = scratch.block;
	}
	ck_assert_int_le(blocks, 8);
	scratch_deinit(&scratch);
}
END_TEST

static bool is_mapped(const uint8_t *at)
{
	return !msync((void *)((uintptr_t)at & -4096ul), 4096, MS_ASYNC);
}

/* Large ones begin where a huge page does, the heap's small ones do not; and all go back. */
START_TEST(large_blocks_are_mappings)
{
	struct scratch scratch = { 0 };
	uint8_t *piece[3];

	ck_assert_uint_ne((uintptr_t)scratch_take(&scratch, 1) & (HUGE_PAGE - 1), 64);
	for (int i = 0; i < 3; i++) {
		piece[i] = scratch_take(&scratch, LARGE << i);
		ck_assert_ptr_nonnull(piece[i]);
		ck_assert_uint_eq((uintptr_t)piece[i] & (HUGE_PAGE - 1), 64);
		ck_assert(is_mapped(piece[i]) && is_mapped(piece[i] + (LARGE << i) - 1));
	}
	scratch_deinit(&scratch);
	for (int i = 0; i < 3; i++)
		ck_assert(!is_mapped(piece[i]) && !is_mapped(piece[i] + (LARGE << i) - 1));
}
END_TEST

static bool is_number(void *context, uint32_t number)
{
	return number == *(const uint32_t *)context;
}

/* Its slots go with the rest. */
START_TEST(a_map_lies_there)
{
	struct scratch scratch = { 0 };
	struct number_map map = { .scratch = &scratch };

	ck_assert(number_map_reserve(&map, 512));
	ck_assert_uint_eq(map.capacity, 512);
	ck_assert(number_map_reserve(&map, 256));
	ck_assert_uint_eq(map.capacity, 512);
	for (uint32_t i = 1; i <= 1000; i++) {
		uint32_t *slot = number_map_find(&map, i, is_number, &i);

		ck_assert_ptr_nonnull(slot);
		ck_assert_uint_eq(*slot, 0);
		*slot = i;
	}
	for (uint32_t i = 1; i <= 1000; i++)
		ck_assert_uint_eq(number_map_get(&map, i, is_number, &i), i);
	number_map_deinit(&map);
	ck_assert_uint_eq(map.count, 0);
	ck_assert_ptr_eq(map.scratch, &scratch);
	scratch_deinit(&scratch);
}
END_TEST

SUITE_MAIN(scratch)
{
	Suite *suite = suite_create("scratch");
	TCase *tcase = tcase_create("scratch");

	tcase_add_loop_test(tcase, pieces_are_zeros_and_apart, 0, COUNT(sizes));
	tcase_add_test(tcase, what_grows_keeps_its_bytes);
	tcase_add_test(tcase, no_memory_is_said);
	tcase_add_test(tcase, a_map_lies_there);
	if (!SANITIZED) {
		tcase_add_test(tcase, block_is_used_up);
		tcase_add_test(tcase, blocks_are_few);
		tcase_add_test(tcase, large_blocks_are_mappings);
	}
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
