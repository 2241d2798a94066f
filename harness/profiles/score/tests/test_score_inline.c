/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_inline.c - what an image's DWARF says is inlined: by a name, at an address, and what that makes of stacks
 *
 * This program has a unit that is written here, with all the scopes that a function may be in.
 */
#include "tests/suite.h"
#include "score_own.h"

/* 16 bytes: in a block 4..12 a function is inlined, and in that another at 6..10; in a block 12..14 one. Of the
 * next 16, in all scopes at once, one in what is tried at 18..22 and one in what is caught at 24..28. Of the last
 * ones 8 are in as many scopes as are looked into, and 8 in one more. */
asm(".pushsection .text\n"
    ".globl scoped_code, in_both\n"
    ".type scoped_code, @function\n"
    ".type in_both, @function\n"
    "scoped_code: .skip 16, 0x90\n"
    ".size scoped_code, 16\n"
    "in_both: .skip 16, 0x90\n"
    ".size in_both, 16\n"
    ".skip 16, 0x90\n"
    ".popsection\n"
    ".pushsection .debug_abbrev\n"
    "scoped_abbrev:\n"
    ".macro abbrev number tag children attributes:vararg\n"
    ".uleb128 \\number, \\tag\n"
    ".byte \\children\n"
    ".ifnb \\attributes\n"
    ".uleb128 \\attributes\n"
    ".endif\n"
    ".byte 0, 0\n"
    ".endm\n"
    "abbrev 1 0x11 1 0x11, 1, 0x12, 7\n" /* a unit: low_pc, high_pc */
    "abbrev 2 0x39 1\n"			 /* a namespace */
    "abbrev 3 0x13 1\n"			 /* a structure */
    "abbrev 4 0x2e 0 3, 8, 0x20, 0xb\n"	 /* a function: name, inline */
    "abbrev 5 0x2e 0 3, 8, 0x20, 0xb, 0x6e, 8\n"
    "abbrev 6 0x2e 1 3, 8, 0x11, 1, 0x12, 7\n"
    "abbrev 7 0xb 1 0x11, 1, 0x12, 7\n"	     /* a block */
    "abbrev 8 0x1d 1 0x11, 1, 0x12, 7\n"     /* a function that is inlined */
    "abbrev 9 2 1\n"			     /* a class */
    "abbrev 10 0x17 1\n"		     /* a union */
    "abbrev 11 0x1e 1\n"		     /* a module */
    "abbrev 12 0x32 1 0x11, 1, 0x12, 7\n"    /* what is tried */
    "abbrev 13 0x25 1 0x11, 1, 0x12, 7\n"    /* what is caught */
    "abbrev 14 0x2e 0 0x31, 0x13, 0x6e, 8\n" /* a variant: abstract_origin, linkage_name */
    "abbrev 15 0x1d 0 0x31, 0x13\n"	     /* where it is inlined */
    ".byte 0\n"
    ".popsection\n"
    ".pushsection .debug_info\n"
    ".macro within number from size\n"
    ".uleb128 \\number\n"
    ".quad scoped_code + \\from, \\size\n"
    ".endm\n"
    ".macro function name inline\n"
    ".uleb128 4\n"
    ".asciz \"\\name\"\n"
    ".byte \\inline\n"
    ".endm\n"
    ".long scoped_end - scoped_begin\n"
    "scoped_begin: .short 4\n"
    ".long scoped_abbrev\n"
    ".byte 8\n"
    ".macro scope number name from\n"
    ".rept \\number\n"
    ".uleb128 2\n"
    ".endr\n"
    "function \\name 1\n"
    ".uleb128 6\n"
    ".asciz \"code_of_\\name\"\n"
    ".quad scoped_code + \\from, 8\n"
    ".byte 0\n"
    ".rept \\number\n"
    ".byte 0\n"
    ".endr\n"
    ".endm\n"
    "within 1 0 48\n"
    "function in_unit 1\n"
    ".uleb128 2\n"
    "function in_space 1\n"
    ".uleb128 3\n"
    "function in_struct 1\n"
    ".uleb128 9\n"
    "function in_class 1\n"
    "function in_both 1\n"
    ".uleb128 10\n"
    "function in_union 1\n"
    "function never_1 0\n"
    "function never_2 2\n"
    ".macro variant name linkage\n"
    "origin_\\name:\n"
    "function \\name 2\n"
    "variant_\\name: .uleb128 14\n"
    ".long origin_\\name - scoped_begin + 4\n"
    ".asciz \"\\linkage\"\n"
    ".endm\n"
    "variant variant _ZN1s7variantC2Ev\n"
    "variant apart _ZN1s5apartC2Ev\n"
    ".uleb128 5\n"
    ".asciz \"declared\"\n"
    ".byte 3\n"
    ".asciz \"_ZN1s8declaredEv\"\n"
    ".uleb128 6\n"
    ".asciz \"scoped_code\"\n"
    ".quad scoped_code, 16\n"
    "function in_function 1\n"
    "within 7 4 8\n"
    "function in_block 1\n"
    "within 8 4 8\n"
    "within 8 6 4\n"
    ".rept 2\n"
    ".uleb128 15\n"
    ".long variant_variant - scoped_begin + 4\n"
    ".endr\n"
    ".byte 0, 0, 0\n"
    "within 7 12 2\n"
    "within 8 12 2\n"
    ".byte 0, 0\n"
    ".byte 0, 0, 0, 0, 0\n" /* of the function, and of the four scopes that it is in */
    ".uleb128 2, 9, 10, 3, 11\n"
    "function in_module 1\n"
    ".uleb128 6\n"
    ".asciz \"in_both\"\n"
    ".quad scoped_code + 16, 16\n"
    "within 12 18 4\n"
    "within 8 18 4\n"
    ".byte 0, 0\n"
    "within 13 24 4\n"
    "within 8 24 4\n"
    ".byte 0, 0\n"
    ".byte 0, 0, 0, 0, 0, 0\n"
    "scope 64 deep_enough 32\n"
    "scope 65 too_deep 40\n"
    ".byte 0\n"
    "scoped_end:\n"
    ".popsection\n");

/* The program, called at three places from main: the byte before 14 is inlined, that before 4 is not. */
static void open_scoped(void)
{
	own_image();
	truth_images("/nonexistent/other.so");
	own_stacks("pc main\npc scoped_code+14 main\n1:20 scoped_code+4 main");
	open_truth();
}

static const struct {
	const char *key;
	bool inlined;
} keys[] = {
	{ "in_unit", true },
	{ "in_space", true },
	{ "in_struct", true },
	{ "in_class", true },
	{ "in_union", true },
	{ "in_function", true },
	{ "in_block", true },
	{ "declared", true },
	{ "s::declared()", true },
	{ "s::declared", true },
	{ "in_both", true },
	{ "never_1", false },
	{ "never_2", false },
	{ "in_module", true },
	{ "deep_enough", true },
	{ "too_deep", false },
	{ "scoped_code", false },
	{ "in", false },
	{ "variant", true },
	{ "apart", false },
	{ "s::variant::variant()", true },
	{ "s::apart::apart()", false },
};

START_TEST(names_that_are_inlined)
{
	open_scoped();
	for (int i = 0; i < COUNT(keys); i++) {
		ck_assert_msg(score_truth_inlines(&truth, 0, keys[i].key) == keys[i].inlined, "%s",
			      keys[i].key);
		ck_assert(!score_truth_inlines(&truth, 1, keys[i].key));
	}
}
END_TEST

START_TEST(functions_inlined_at_an_address)
{
	static const uint32_t counts[] = { 0, 0, 0, 0, 1, 1, 2, 2,
					   2, 2, 1, 1, 1, 1, 0, 0, /* scoped_code */
					   0, 0, 1, 1, 1, 1, 0, 0,
					   1, 1, 1, 1, 0, 0, 0, 0, /* in_both */
					   0, 0, 0, 0, 0, 0, 0, 0 };
	uint64_t code = image_symbol_address(own.image, "scoped_code");

	open_scoped();
	for (int again = 0; again < 2; again++)
		for (int i = 0; i < COUNT(counts); i++)
			ck_assert_uint_eq(score_truth_inlined_at(&truth, 0, code + i), counts[i]);
	ck_assert_uint_eq(score_truth_inlined_at(&truth, 0, code + 40), UINT32_MAX); /* too deep */
	ck_assert_uint_eq(score_truth_inlined_at(&truth, 1, code), UINT32_MAX);
}
END_TEST

/* What is a symbol, and inlined somewhere, may be no frame of the machine's. */
static const struct {
	const char *name, *folded, *expected;
} stacks[] = {
	{ "by_its_name", "main;in_both;place_of_two 1\n", "names 1" },
	{ "without_its_parameters", "main;in_both(int);place_of_two 1\n", "names 1" },
	{ "in_the_spelling_in_which_a_symbol_has_it", "main;in_both<int>(int);place_of_two 1\n",
	  "names 1" },
	{ "not_in_another_image", "main;in_both [other.so];place_of_two 1\n", "caller 1" },
	{ "what_is_inlined_nowhere", "main;seen_nowhere;main;place_of_two 1\n", "names 1" },
	{ "a_caller_twice_where_something_is_inlined",
	  "main;scoped_code;scoped_code;place_of_two 1\n", "names 1" },
	{ "at_its_call_nothing_is", "main;scoped_code;scoped_code;[other.so+0x20] 1\n",
	  "caller 1" },
	{ "nothing_is_known_inside_of_the_leaf",
	  "main;place_of_two;[unknown];[unknown];[unknown] 1\n", "names 1" },
	{ "nor_of_one_that_is_not_the_program_s", "main;seen_nowhere;[unknown];[unknown] 1\n",
	  "names 1" },
	{ "nothing_is_known_inside_of_a_wrong_caller",
	  "main;in_both [other.so];place_of_two;[unknown] 1\n", "caller 1" },
	{ "nothing_is_known_beyond_the_outermost", "[unknown];main;place_of_two 1\n", "beyond 1" },
	{ "nothing_is_known_twice", "main;[unknown];[unknown] 1\n", "names 1" },
};

START_TEST(stacks_with_inlined_functions)
{
	open_scoped();
	check_counts(stacks[_i].name, stacks[_i].folded, stacks[_i].expected);
}
END_TEST

/* What a leaf's name, "inner", is at its address. */
static int ask_inner(uint64_t address)
{
	const struct profile_frame frame = { .name = profile_text_add(&scored.profile, "inner", 5,
								      NULL),
					     .kind = PROFILE_VADDR,
					     .address = address };
	const struct score_frame resolved = { .how = FRAME_ADDRESS,
					      .has_image = true,
					      .other = SCORE_NO_OFFSET,
					      .address = address };
	struct error error;

	return score_called_ask(&scored.called, &truth, scored.code, &scored.profile,
				profile_frame_add(&scored.profile, &frame, &error), &resolved,
				false, &error);
}

/* The symbols, and what is inlined, of a file that lies beside the one that ran. */
START_TEST(a_separate_debug_file)
{
	static const char command[] =
		"cd %s && echo 'static inline __attribute__((always_inline)) int inner(int a) { "
		"return a * a + 1; } static int volatile v; static __attribute__((noinline)) int "
		"local(int a) { return inner(v) + a; } int work(void) { return local(v) + "
		"inner(v); }' >p.c && gcc-12 -g -O1 -fPIC -shared -nostdlib -Wl,--build-id=none -o "
		"p p.c && objcopy --only-keep-debug p p.debug && strip -R .gnu_debuglink p && "
		"objcopy --add-gnu-debuglink=p.debug p";
	char folder[] = "/tmp/test_score_inline.XXXXXX", text[600], path[64];
	struct image *debug;
	struct error error;
	uint32_t known = 0, inlined = 0;
	uint64_t work, local;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(text, sizeof(text), command, folder);
	ck_assert_int_eq(system(text), 0);
	snprintf(path, sizeof(path), "%s/p.debug", folder);
	ck_assert_int_eq(image_create(path, &debug, &error), 0);
	work = image_symbol_address(debug, "work");
	local = image_symbol_address(debug, "local");
	image_destroy(debug);
	snprintf(path, sizeof(path), "%s/p", folder);
	truth_image(&written, TRUTH_IMAGE_FILE, path, "", 0);
	truth_stack(&written, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 0, local }, { 0, work } }, 2);
	open_truth();
	ck_assert(score_truth_inlines(&truth, 0, "inner"));
	ck_assert_int_eq(score_init(&scored, &truth, &error), 0);
	for (uint32_t i = 0, before = UINT32_MAX; i < 64; i++) {
		uint32_t count = score_truth_inlined_at(&truth, 0, work + i);

		/* Where it begins or ends either name is right. */
		if (count != UINT32_MAX && before != UINT32_MAX)
			ck_assert_int_eq(ask_inner(work + i), count + before == 0);
		before = count;
		known += count != UINT32_MAX;
		inlined += count == 1;
	}
	ck_assert_uint_gt(known, 4);
	ck_assert_uint_gt(inlined, 0);
	ck_assert(scored.called.contradict && scored.called.contradict < scored.called.checked);
	score_deinit(&scored);
	check_counts("by its name", "local 1\n", "truncated 1");
	snprintf(text, sizeof(text), "rm -r %s", folder);
	ck_assert_int_eq(system(text), 0);
}
END_TEST

SUITE(score_inline, FIXTURE(own_begin, own_end), TEST(names_that_are_inlined),
      TEST(functions_inlined_at_an_address), LOOP(stacks_with_inlined_functions, stacks),
      TEST(a_separate_debug_file))
