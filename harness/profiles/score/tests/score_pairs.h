/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_pairs.h - an image with pairs of functions whose names differ in what some leave out
 *
 * Of a pair main calls both, the first of them calls x, and the second y: a stack that has y behind the first is wrong.
 */
#ifndef STACKPROOF_TESTS_SCORE_PAIRS_H
#define STACKPROOF_TESTS_SCORE_PAIRS_H

#include "score_crafted.h"

#define PAIR_FIRST 0x2200u /* each function has so many bytes */
#define PAIR_BYTES 0x20u

struct pair_names {
	const char *const (*pair)[2];
	size_t pairs;
	const char *const *alone; /* each calls x, too */
	size_t alones;
	const char *never; /* called; or NULL */
};

static inline void pairs_write(const struct pair_names *names)
{
	struct crafted_symbol symbol[CRAFTED_SYMBOLS + 1] = {
		{ "main", 0x2000, 0x100, false },
		{ "x", 0x2100, 0x40, false },
		{ "y", 0x2140, 0x40, false },
	};
	size_t count = 3, twos = 2 * names->pairs;

	ck_assert_uint_lt(count + twos + names->alones, CRAFTED_SYMBOLS);
	ck_assert_ptr_nonnull(mkdtemp(crafted_folder));
	for (size_t i = 0; i < twos + names->alones; i++)
		symbol[count++] = (struct crafted_symbol) { i < twos ? names->pair[i / 2][i % 2]
								     : names->alone[i - twos],
							    PAIR_FIRST + i * PAIR_BYTES, PAIR_BYTES,
							    false };
	if (names->never)
		symbol[count++] = (struct crafted_symbol) { names->never, 0x2180, PAIR_BYTES,
							    false };
	crafted_write(crafted_path("prog"), symbol);
	crafted_write(crafted_path("lib.so"), crafted_lib);
	crafted_write(crafted_path("strip.so"), crafted_strip);
}

/* Two stacks of 1 and 2 samples: with x and with y as the leaf of what the name is. */
static inline void pairs_check(const struct pair_names *names, const char *name,
			       const char *expected)
{
	char stacks[4096] = "", profile[512];
	size_t twos = 2 * names->pairs;

	for (size_t i = 0; i < twos + names->alones; i++)
		snprintf(stacks + strlen(stacks), sizeof(stacks) - strlen(stacks),
			 "%s0:%x 0:%zx 0:2010", i ? "\n" : "", i < twos && i % 2 ? 0x2150 : 0x2110,
			 PAIR_FIRST + i * PAIR_BYTES + 8);
	open_crafted(stacks);
	snprintf(profile, sizeof(profile), "main;%s;x 1\nmain;%s;y 2\n", name, name);
	check_counts(name, profile, expected);
}

#endif
