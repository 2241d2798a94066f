/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_alias.c - names of a function that are not its symbol's, and names that several functions have
 */
#include <unistd.h>
#include "score_crafted.h"
#include "tests/suite.h"

static const struct crafted_symbol symbols[] = {
	{ "ifunc_copy", 0x2000, 0x100, false }, /* the resolver */
	{ "copy_avx", 0x2100, 0x100, true },
	{ "main", 0x2200, 0x100, false },
	{ "print", 0x2300, 0x100, false },
	{ "versioned@@V2", 0x2400, 0x100, false },
	{ "weak_versioned", 0x2400, 0x100, false },
	{ "versioned@V1", 0x2500, 0x100, false },
	{ "without_size", 0x2600, 0, false },
	{ "cut.part.0", 0x2700, 0x80, true },
	{ "cut.part.0.cold", 0x2780, 0x80, true },
	{ "cut", 0x2800, 0x100, false },
	{ "_ZN1a1bEi", 0x2900, 0x100, false },
	{ "_RNvCs1234_7mycrate3foo", 0x2a00, 0x100, false },
	{ "_ZN7mycrate3bar17h0123456789abcdefE", 0x2b00, 0x100, false },
	{ "two", 0x2c00, 0x100, true },
	{ "two", 0x2d00, 0x100, true },
	{ "opt.constprop.0", 0x2e00, 0x100, true },
	{ "opt.llvm.123", 0x2f00, 0x100, true },
	{ 0 },
};
/* Of which the symbols of prog are not known. */
static const struct crafted_symbol others[] = { { "step", 0x2000, 0x100, false }, { 0 } };

static const struct {
	const char *name;
	const char *leaf; /* the truth's, below main */
	const char *called, *expected;
} cases[] = {
	{ "an_ifunc_s_resolver", "0:2010", "ifunc_copy", "exact 1" },
	{ "what_it_chose", "0:2110", "copy_avx", "exact 1" },
	{ "what_it_chose_by_the_ifunc_s_name", "0:2110", "ifunc_copy", "names 1" },
	{ "with_an_offset", "0:2110", "ifunc_copy+0x10", "names 1" },
	{ "what_it_chose_is_no_other_function", "0:2110", "print", "leaf 1" },
	{ "nor_is_the_resolver", "0:2010", "copy_avx", "leaf 1" },
	{ "a_version", "0:2410", "versioned@@V2", "exact 1" },
	{ "any_version", "0:2410", "versioned", "exact 1" },
	{ "an_old_one", "0:2510", "versioned", "exact 1" },
	{ "another_version", "0:2510", "versioned@@V2", "leaf 1" },
	{ "a_weak_alias", "0:2410", "weak_versioned", "exact 1" },
	{ "it_is_of_one_version", "0:2510", "weak_versioned", "leaf 1" },
	{ "a_symbol_without_size", "0:2610", "without_size", "exact 1" },
	{ "a_part_by_its_function_s_name", "0:2710", "cut", "names 1" },
	{ "a_cold_part_by_its_part_s", "0:2790", "cut.part.0", "names 1" },
	{ "a_part_whole", "0:2710", "cut.part.0", "exact 1" },
	{ "the_function_is_not_its_part", "0:2810", "cut.part.0", "leaf 1" },
	{ "demangled", "0:2910", "a::b(int)", "exact 1" },
	{ "demangled_without_parameters", "0:2910", "a::b", "exact 1" },
	{ "with_other_parameters_than_the_only_one", "0:2910", "a::b(char)", "exact 1" },
	{ "rust_v0", "0:2a10", "mycrate::foo", "exact 1" },
	{ "rust_s_old_one", "0:2b10", "mycrate::bar", "exact 1" },
	{ "rust_with_its_hash", "0:2b10", "mycrate::bar::h0123456789abcdef", "exact 1" },
	{ "rust_with_another_hash", "0:2b10", "mycrate::bar::h0123456789abcdee", "exact 1" },
	{ "either_of_two", "0:2d10", "two", "exact 1" },
	{ "a_clone_by_its_function", "0:2e10", "opt", "exact 1" },
	{ "another_clone", "0:2f10", "opt", "exact 1" },
	{ "not_the_other_clone", "0:2f10", "opt.constprop.0", "leaf 1" },
	{ "nothing", "0:2010", "[unknown]", "names 1" },
	{ "a_name_of_nobody_s", "0:2010", "only_in_a_debug_file", "names 1" },
	{ "what_is_cut_to_a_length", "0:2410", "weak_ver", "names 1" },
	{ "another_image_s_name_may_be_stripped_code_s", "2:2410", "print", "names 1" },
	{ "but_its_own_name_is_one_function_s", "2:2410", "step", "names 1" },
};

START_TEST(a_function_by_another_name)
{
	char stacks[64], profile[128];

	truth_text(&written, "program", crafted_path("prog"));
	crafted_write(crafted_path("prog"), symbols);
	crafted_write(crafted_path("strip.so"), others);
	truth_image(&written, TRUTH_IMAGE_FILE, crafted_path("prog"), "", 0);
	truth_image(&written, TRUTH_IMAGE_FILE, crafted_path("lib.so"), "", 0);
	truth_image(&written, TRUTH_IMAGE_FILE, crafted_path("strip.so"), "", 0);
	snprintf(stacks, sizeof(stacks), "%s 0:2210", cases[_i].leaf);
	truth_stacks(stacks);
	open_truth();
	snprintf(profile, sizeof(profile), "main;%s 1\n", cases[_i].called);
	check_counts(cases[_i].name, profile, cases[_i].expected);
}
END_TEST

SUITE(score_alias, CRAFTED, LOOP(a_function_by_another_name, cases))
