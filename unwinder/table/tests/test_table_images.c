/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_images.c - tables of real images: both ways to build one say the same
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "table/unwind_table.h"

static const struct image_case {
	const char *name;
	const char *path[2];
} image_cases[] = {
	{ "this_program", { "/proc/self/exe" } },
	{ "libc", { "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6" } },
	{ "loader", { "/lib64/ld-linux-x86-64.so.2" } },
	{ "bash", { "/bin/bash" } },
	{ "libstdcxx",
	  { "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib64/libstdc++.so.6" } },
};

static bool open_image(const struct image_case *c, struct image **image, struct cfi **cfi,
		       struct table **table, struct table **plain)
{
	struct error error;

	for (int i = 0; i < COUNT(c->path); i++) {
		if (!c->path[i] || access(c->path[i], R_OK))
			continue;
		ck_assert_msg(!image_create(c->path[i], image, &error), "%s", error.message);
		ck_assert_msg(!cfi_create(*image, cfi, &error), "%s", error.message);
		ck_assert_msg(!table_build(*image, table, &error), "%s", error.message);
		ck_assert_msg(!table_create(*image, *cfi, plain, &error), "%s", error.message);
		return true;
	}
	return false;
}

/* The rows of a table, to be held against those of another. */
struct other {
	const char *name;
	const struct table *table, *other;
	uint64_t rows;
};

static int same_row(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	struct other *other = context;
	uint32_t number = table_find(other->other, pc), count, other_count;
	const struct table_place *place = table_rule_places(other->table, rule, &count);
	const struct table_place *other_place = table_rule_places(other->other, number,
								  &other_count);
	struct table_rule left = other->table->rule[rule], right = other->other->rule[number];

	left.first_place = place ? 0 : left.first_place;
	right.first_place = other_place ? 0 : right.first_place;
	ck_assert_msg((rule < TABLE_MARKER_COUNT ? rule == number : number >= TABLE_MARKER_COUNT) &&
			      !memcmp(&left, &right, sizeof(left)) && count == other_count &&
			      (!count || !memcmp(place, other_place, count * sizeof(*place))),
		      "%s: 0x%" PRIx64 ": rule %u, the other way %u", other->name, pc, rule,
		      number);
	for (uint64_t at = pc; at < pc_end; at += 1 + (pc_end - pc) / 64)
		ck_assert_msg(table_find(other->table, at) == rule &&
				      table_find(other->other, at) == number,
			      "%s: 0x%" PRIx64 ": not the rule at 0x%" PRIx64, other->name, at, pc);
	ck_assert_uint_eq(table_find(other->other, pc_end - 1), number);
	other->rows++;
	return 0;
}

START_TEST(both_ways_say_the_same)
{
	const struct image_case *c = &image_cases[_i];
	struct table *table, *plain;
	struct image *image;
	struct cfi *cfi;

	if (!open_image(c, &image, &cfi, &table, &plain))
		return;
	struct other fast = { c->name, table, plain, 0 }, slow = { c->name, plain, table, 0 };
	table_rows(table, same_row, &fast);
	table_rows(plain, same_row, &slow);
	ck_assert_uint_eq(fast.rows, slow.rows);
	ck_assert_uint_ge(fast.rows, 20);
	ck_assert_uint_eq(table->cfi_row_count, plain->cfi_row_count);
	ck_assert_uint_eq(table->fde_count, plain->fde_count);
	ck_assert_uint_eq(table->lost_fdes, plain->lost_fdes);
	ck_assert(!memcmp(table->lost, plain->lost, sizeof(table->lost)));
	table_destroy(table);
	table_destroy(plain);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

SUITE(table_images, LOOP(both_ways_say_the_same, image_cases))
