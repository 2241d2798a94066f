/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_generate_bytes.c - the same seed and options give the same bytes, on any machine
 *
 * docs/RANDOM_PROGRAMS.md promises it, as findings are kept by their seed. The bytes of many
 * programs, and of the flags of many seeds, are one number per case: FNV-1a. What changes one of
 * them changes programs that somebody has written down.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "corpus/generate/generate.h"

static uint64_t hash_text(uint64_t value, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		value = (value ^ (unsigned char)text[i]) * 0x100000001b3;
	return value;
}

static uint64_t hash_program(uint64_t value, const struct generate_options *options)
{
	struct error error = { 0 };
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	/* What can't be made is refused in the same words each time. */
	if (generate_program(options, file, &error))
		fprintf(file, "%s", error.message);
	ck_assert(!fclose(file));
	value = hash_text(value, text, size);
	return value;
}

static const struct {
	const char *name;
	unsigned int seeds, functions, depth;
	bool hosted;
	unsigned int drop; /* every so manieth function; 0: none */
	uint64_t hash;
} cases[] = {
	{ "as_drawn", 600, 0, 0, false, 0, 0xb15e2456e7c25f59 },
	{ "hosted", 300, 0, 0, true, 0, 0x1eeeabdab8cdde7d },
	{ "one_function", 200, 1, 0, false, 0, 0xbb798c263f894330 },
	{ "two_functions", 200, 2, 0, true, 0, 0xf280a8432a76f9f2 },
	{ "twenty_functions", 150, 20, 0, false, 0, 0x4dfe2f9cb2b9ab0b },
	{ "as_many_as_may_be", 25, 80, 0, false, 0, 0xe0c66449126ea658 },
	{ "flat", 200, 0, 4, false, 0, 0x6d2ddfeb556698b3 },
	{ "deep", 40, 0, 200, true, 0, 0x8f81ccab183544e3 },
	{ "some_are_dropped", 60, 12, 0, false, 3, 0xf2ee83c8ddca7be5 },
	{ "half_of_them_are_dropped", 60, 12, 30, true, 2, 0x1a0fcd1cf468ae75 },
};

START_TEST(bytes_of_programs)
{
	uint64_t value = 0xcbf29ce484222325;

	for (unsigned int seed = 0; seed < cases[_i].seeds; seed++) {
		struct generate_options options = { .seed = seed * 1000003,
						    .functions = cases[_i].functions,
						    .depth = cases[_i].depth,
						    .hosted = cases[_i].hosted };

		for (unsigned int i = 0; cases[_i].drop && i < GENERATE_FUNCTIONS_MAX; i++)
			options.dropped[i] = (i + seed) % cases[_i].drop == 0;
		value = hash_program(value, &options);
	}
	ck_assert_msg(value == cases[_i].hash, "%s: 0x%016" PRIx64, cases[_i].name, value);
}
END_TEST

static const struct {
	enum compiler_family family;
	const char *levels;
	uint64_t hash;
} flags[] = {
	{ FAMILY_GCC, "O0,O1,O2,O3,Os", 0xdffe2be24e014904 },
	{ FAMILY_GCC, " Og ,, Ofast", 0x14dd81f019123c86 },
	{ FAMILY_CLANG, "O0,O1,O2,O3,Os", 0x80dc7818d8e2676b },
	{ FAMILY_CLANG, "Oz", 0xdf4fc09267e70212 },
};

START_TEST(bytes_of_flags)
{
	uint64_t value = 0xcbf29ce484222325;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		FREED char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		generate_flags(seed, flags[_i].family, flags[_i].levels, file);
		ck_assert(!fclose(file));
		value = hash_text(value, text, size);
	}
	ck_assert_msg(value == flags[_i].hash, "%d: 0x%016" PRIx64, _i, value);
}
END_TEST

SUITE(generate_bytes, TIMEOUT(300), LOOP(bytes_of_programs, cases), LOOP(bytes_of_flags, flags))
