/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_address_set.c - each address has one number, in the order in which they came
 */
#include "address_set.h"
#include "suite.h"

#define ADDRESSES 1000u

START_TEST(each_has_one_number)
{
	struct address_set set = { 0 };

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < ADDRESSES; i++) {
			const uint64_t address = i * 0x100000001ull; /* from 0 on */

			ck_assert_uint_eq(address_set_find(&set, address), round ? i + 1 : 0);
			ck_assert_uint_eq(address_set_add(&set, address), i + 1);
			ck_assert_uint_eq(address_set_find(&set, address), i + 1);
			ck_assert_uint_eq(set.address[i], address);
		}
	ck_assert_uint_eq(set.count, ADDRESSES);
	address_set_deinit(&set);
	ck_assert_uint_eq(address_set_find(&set, 0), 0);
	ck_assert_uint_eq(set.count, 0);
}
END_TEST

SUITE(address_set, TEST(each_has_one_number))
