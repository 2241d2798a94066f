/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_number_map.c - each key has one slot, however its hash meets others; and hashes are spread
 */
#include <stdlib.h>
#include <string.h>
#include "suite.h"
#include "number_map.h"

/* ---- the map ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	uint64_t mask; /* of the key: what is left is its hash */
	uint32_t keys;
} spreads[] = {
	{ "each_its_own_hash", UINT64_MAX, 3000 },
	{ "hashes_that_differ_high_up", ~0xffffull, 200 },
	{ "few_hashes", 7, 1000 },
	{ "one_hash", 0, 300 },
};

struct sought {
	const uint64_t *key; /* by number */
	uint64_t wanted;
	uint64_t mask;
};

static bool equal(void *context, uint32_t number)
{
	const struct sought *sought = context;

	/* Only numbers of the same hash are asked. */
	ck_assert_uint_eq(sought->key[number] & sought->mask, sought->wanted & sought->mask);
	return sought->key[number] == sought->wanted;
}

START_TEST(each_key_keeps_its_number)
{
	uint32_t keys = spreads[_i].keys;
	uint64_t *key = calloc(keys + 1, sizeof(*key));
	struct sought sought = { key, 0, spreads[_i].mask };
	struct number_map map = { 0 };

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= keys; i++) {
			uint64_t one = (uint64_t)i * 0x10001;
			sought.wanted = one;
			uint32_t *slot = number_map_find(&map, one & sought.mask, equal, &sought);
			ck_assert_ptr_nonnull(slot);
			ck_assert_msg(*slot == (round ? i : 0), "%s: key %u has number %u",
				      spreads[_i].name, i, *slot);
			*slot = i;
			key[i] = one;
		}
	ck_assert_uint_eq(map.count, keys);
	ck_assert_uint_ge(map.capacity, 2 * keys);
	ck_assert_uint_le(map.capacity, keys < 128 ? 256 : 4 * keys);
	number_map_deinit(&map);
	ck_assert_uint_eq(map.count, 0);
	sought.wanted = key[1];
	ck_assert_uint_eq(*number_map_find(&map, key[1] & sought.mask, equal, &sought), 0);
	number_map_deinit(&map);
	free(key);
}
END_TEST

/* ---- the hash ----------------------------------------------------------------------------- */

/* Every bit of every byte counts, and so does the length; in the low bits, too, which choose the
 * slot. */
START_TEST(every_bit_counts)
{
	uint8_t data[24];
	unsigned int alike = 0, asked = 0;

	for (size_t size = 1; size <= sizeof(data); size++) {
		memset(data, 0x5a, sizeof(data));
		uint64_t hash = number_hash(0, data, size);
		ck_assert_uint_eq(number_hash(0, data, size), hash);
		ck_assert_uint_ne(number_hash(1, data, size), hash);
		for (size_t bit = 0; bit < 8 * size; bit++) {
			data[bit / 8] ^= 1 << bit % 8;
			uint64_t other = number_hash(0, data, size);
			data[bit / 8] ^= 1 << bit % 8;
			ck_assert_msg(other != hash, "bit %zu of %zu bytes", bit, size);
			alike += (other & 0xfff) == (hash & 0xfff);
			asked++;
		}
		/* What lies behind is not looked at. */
		if (size < sizeof(data)) {
			data[size] ^= 0xff;
			ck_assert_uint_eq(number_hash(0, data, size), hash);
		}
	}
	/* By chance one of 4,096. */
	ck_assert_msg(alike <= asked / 400, "%u of %u", alike, asked);
}
END_TEST

START_TEST(zero_bytes_count)
{
	static const uint8_t data[16] = { 1 };

	for (size_t a = 1; a <= sizeof(data); a++)
		for (size_t b = a + 1; b <= sizeof(data); b++)
			ck_assert_msg(number_hash(0, data, a) != number_hash(0, data, b),
				      "%zu bytes as %zu", a, b);
}
END_TEST

/* In parts of 8 bytes it is the hash of the whole. */
START_TEST(hash_goes_on)
{
	uint8_t data[24];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(7 * i);
	ck_assert_uint_eq(number_hash(number_hash(0, data, 8), data + 8, 16),
			  number_hash(0, data, 24));
	ck_assert_uint_ne(number_hash(number_hash(0, data + 8, 8), data, 8),
			  number_hash(number_hash(0, data, 8), data + 8, 8));
}
END_TEST

/* Numbers that differ in one place only, wherever that is, meet no more often than by chance. */
START_TEST(hashes_are_spread)
{
	for (int shift = 0; shift <= 56; shift += 8) {
		uint8_t met[256] = { 0 };
		unsigned int slots = 0;
		for (uint64_t i = 0; i < 256; i++) {
			uint64_t word = i << shift;
			uint8_t slot = (uint8_t)number_hash(0, &word, sizeof(word));
			slots += !met[slot];
			met[slot] = 1;
		}
		/* 162 of 256 by chance. */
		ck_assert_msg(slots > 120, "shifted by %d: %u slots of 256", shift, slots);
	}
}
END_TEST

SUITE(number_map, LOOP(each_key_keeps_its_number, spreads), TEST(every_bit_counts),
      TEST(zero_bytes_count), TEST(hash_goes_on), TEST(hashes_are_spread))
