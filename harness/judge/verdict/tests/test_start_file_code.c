/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_start_file_code.c - how far a function without a size reaches, by its instructions
 *
 * The image has nothing but a few bytes of code. Behind its last byte there is nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "cfi/code_name.h"
#include "judge/verdict/verdict.h"

static const uint8_t *bytes_of_case(const struct image *image, uint64_t vaddr, size_t size);
static const struct image_symbol *symbols_of_case(const struct image *image, size_t *ret_count);
static uint64_t address_of_case(const struct image *image, const char *name);
static void name_of_case(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			 struct code_name *ret);
#define image_bytes	     bytes_of_case
#define image_symbols	     symbols_of_case
#define image_symbol_address address_of_case
#define code_name_find	     name_of_case
#include "judge/verdict/start_file.c"
#undef image_bytes
#undef image_symbols
#undef image_symbol_address
#undef code_name_find

#define START 0x1000ull

static const uint8_t *code;
static size_t code_bytes;

static const uint8_t *bytes_of_case(const struct image *image, uint64_t vaddr, size_t size)
{
	return vaddr >= START && vaddr - START <= code_bytes && size <= code_bytes - (vaddr - START)
		       ? code + (vaddr - START)
		       : NULL;
}

static const struct {
	const char *name;
	uint8_t bytes[6];
	size_t length;
	uint64_t target; /* 0: none */
} branch_cases[] = {
	{ "jo", { 0x70, 0x10 }, 2, START + 0x12 },
	{ "jg", { 0x7f, 0xfe }, 2, START },
	{ "jump_that_is_always_taken", { 0xeb, 0x10 }, 2, 0 },
	{ "before_jo", { 0x6f, 0x10 }, 2, 0 },
	{ "behind_jg", { 0x80, 0x10 }, 2, 0 },
	{ "jo_s_byte_in_a_longer_one", { 0x74, 0x10, 0 }, 3, 0 },
	{ "long_jo", { 0x0f, 0x80, 0, 1, 0, 0 }, 6, START + 0x106 },
	{ "long_jg", { 0x0f, 0x8f, 0xfa, 0xff, 0xff, 0xff }, 6, START },
	{ "setcc", { 0x0f, 0x90, 0, 1, 0, 0 }, 6, 0 },
	{ "before_long_jo", { 0x0f, 0x7f, 0, 1, 0, 0 }, 6, 0 },
	{ "another_map", { 0x10, 0x80, 0, 1, 0, 0 }, 6, 0 },
	{ "long_jo_s_bytes_in_a_shorter_one", { 0x0f, 0x80, 0, 1, 0, 0 }, 5, 0 },
};

START_TEST(conditional_jump_goes_there)
{
	uint64_t target = branch_target(branch_cases[_i].bytes, branch_cases[_i].length, START);

	ck_assert_msg(target == branch_cases[_i].target, "%s: 0x%lx", branch_cases[_i].name,
		      (unsigned long)target);
}
END_TEST

static const struct {
	const char *name;
	uint8_t bytes[8];
	size_t length;
	enum instruction_kind kind;
	bool leaves;
} leaving_cases[] = {
	{ "ret", { 0xc3 }, 1, INSTRUCTION_RETURN, true },
	{ "short_jmp", { 0xeb, 0 }, 2, INSTRUCTION_OTHER, true },
	{ "jmp", { 0xe9, 0, 0, 0, 0 }, 5, INSTRUCTION_OTHER, true },
	{ "call", { 0xe8, 0, 0, 0, 0 }, 5, INSTRUCTION_CALL, false },
	{ "jmp_rax", { 0xff, 0xe0 }, 2, INSTRUCTION_OTHER, true },
	{ "jmp_by_memory", { 0xff, 0x25, 0, 0, 0, 0 }, 6, INSTRUCTION_OTHER, true },
	{ "call_rax", { 0xff, 0xd0 }, 2, INSTRUCTION_CALL, false },
	{ "far_jmp", { 0xff, 0x28 }, 2, INSTRUCTION_OTHER, false },
	{ "push_by_memory", { 0xff, 0x30 }, 2, INSTRUCTION_OTHER, false },
	{ "another_with_jmp_s_second_byte", { 0xfe, 0x20 }, 2, INSTRUCTION_OTHER, false },
	{ "bnd_jmp", { 0xf2, 0xe9, 0, 0, 0, 0 }, 6, INSTRUCTION_OTHER, true },
	{ "bnd_short_jmp", { 0xf2, 0xeb, 0 }, 3, INSTRUCTION_OTHER, true },
	{ "notrack_jmp", { 0x3e, 0xff, 0xe0 }, 3, INSTRUCTION_OTHER, true },
	{ "notrack_call", { 0x3e, 0xff, 0xd0 }, 3, INSTRUCTION_CALL, false },
	{ "rep_is_no_prefix_of_a_jmp", { 0xf3, 0xff, 0xe0 }, 3, INSTRUCTION_OTHER, false },
	{ "two_bytes_have_no_prefix", { 0x3e, 0xeb }, 2, INSTRUCTION_OTHER, false },
	{ "nop", { 0x90 }, 1, INSTRUCTION_OTHER, false },
};

START_TEST(instruction_leaves_or_goes_on)
{
	ck_assert_msg(goes_elsewhere(leaving_cases[_i].bytes, leaving_cases[_i].length,
				     leaving_cases[_i].kind) == leaving_cases[_i].leaves,
		      "%s", leaving_cases[_i].name);
}
END_TEST

#define NOPS16 "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
#define NOPS64 NOPS16 NOPS16 NOPS16 NOPS16

static const struct {
	const char *name;
	const char *code;
	size_t bytes;
	uint64_t reaches; /* the last byte that is the function's, from its start */
} reach_cases[] = {
	{ "to_its_ret", "\x90\xc3\x90", 3, 1 },
	{ "to_its_jmp", "\x90\xe9\0\0\0\0\x90", 7, 5 },
	{ "over_a_ret_that_is_jumped_over", "\x74\x01\xc3\x90\xc3\x90", 6, 4 },
	{ "not_over_one_behind_what_is_jumped_to", "\x74\x00\xc3\x90\xc3", 5, 2 },
	{ "to_the_farthest_target", "\x74\x03\x74\x00\xc3\x90\xc3\x90", 8, 6 },
	{ "a_jump_back_needs_nothing", "\x90\x74\xfd\xc3\x90", 5, 3 },
	{ "to_the_image_s_end", "\x90\x90\x90", 3, 2 },
	{ "not_over_what_is_no_instruction", "\x90\x06\x90\xc3", 4, 0 },
	{ "as_long_as_any_is", NOPS64 NOPS64 NOPS64 NOPS64 NOPS64 NOPS64 NOPS64 NOPS64 "\x90\xc3",
	  514, 511 },
};

START_TEST(function_reaches_as_far_as_its_instructions)
{
	struct error error;
	struct decoder *decoder = decoder_create(&error);
	uint64_t reaches = 0;

	ck_assert_ptr_nonnull(decoder);
	code = (const uint8_t *)reach_cases[_i].code;
	code_bytes = reach_cases[_i].bytes;
	while (instructions_reach(NULL, decoder, START, START + reaches))
		reaches++;
	ck_assert_msg(reaches == reach_cases[_i].reaches + 1, "%s: %d bytes", reach_cases[_i].name,
		      (int)reaches);
	ck_assert(!instructions_reach(NULL, decoder, START, START + reaches + 8));
	decoder_destroy(decoder);
}
END_TEST

START_TEST(behind_the_image_nothing_is_read)
{
	uint8_t got[4] = { 9, 9, 9, 9 };

	code = (const uint8_t *)"\x11\x22\x33";
	code_bytes = 3;
	ck_assert_int_eq(read_image(NULL, START + 1, got, 4), 0);
	ck_assert_mem_eq(got, "\x22\x33\0\0", 4);
	ck_assert_int_eq(read_image(NULL, START, got, 3), 0);
	ck_assert_mem_eq(got, "\x11\x22\x33\0", 4);
	ck_assert_int_eq(read_image(NULL, START + 3, got, 4), -1);
}
END_TEST

/* ---- the four functions of crtstuff.c ------------------------------------------------------ */

#define LOCAL(text) IN_BRACES(.name = text, .type = STT_FUNC, .binding = STB_LOCAL)
#define FOUR                                                                                       \
	LOCAL("deregister_tm_clones"), LOCAL("register_tm_clones"),                                \
		LOCAL("__do_global_dtors_aux"), LOCAL("frame_dummy")

#define SYMBOLS(...) IN_BRACES(__VA_ARGS__)

static const struct symbol_case {
	const char *name;
	struct image_symbol symbol[6]; /* to the first without a name */
	size_t index;
	bool stands;
} symbol_cases[] = {
	{ "first_of_four", SYMBOLS(FOUR), 0, true },
	{ "last_of_four", SYMBOLS(FOUR), 3, true },
	{ "between_others", SYMBOLS(LOCAL("a"), FOUR, LOCAL("b")), 2, true },
	{ "at_the_end", SYMBOLS(LOCAL("a"), FOUR), 4, true },
	{ "another", SYMBOLS(LOCAL("a"), FOUR, LOCAL("b")), 5, false },
	{ "the_last_is_missing",
	  SYMBOLS(LOCAL("deregister_tm_clones"), LOCAL("register_tm_clones"),
		  LOCAL("__do_global_dtors_aux")),
	  0, false },
	{ "the_first_is_missing",
	  SYMBOLS(LOCAL("register_tm_clones"), LOCAL("__do_global_dtors_aux"), LOCAL("frame_dummy"),
		  LOCAL("a")),
	  0, false },
	{ "another_first",
	  SYMBOLS(LOCAL("a"), LOCAL("register_tm_clones"), LOCAL("__do_global_dtors_aux"),
		  LOCAL("frame_dummy")),
	  1, false },
	{ "another_between_them",
	  SYMBOLS(LOCAL("deregister_tm_clones"), LOCAL("register_tm_clones"), LOCAL("a"),
		  LOCAL("__do_global_dtors_aux"), LOCAL("frame_dummy")),
	  1, false },
	{ "one_is_global",
	  SYMBOLS(LOCAL("deregister_tm_clones"), LOCAL("register_tm_clones"),
		  LOCAL("__do_global_dtors_aux"),
		  { .name = "frame_dummy", .type = STT_FUNC, .binding = STB_GLOBAL }),
	  0, false },
	{ "one_is_no_function",
	  SYMBOLS({ .name = "deregister_tm_clones", .type = STT_NOTYPE, .binding = STB_LOCAL },
		  LOCAL("register_tm_clones"), LOCAL("__do_global_dtors_aux"),
		  LOCAL("frame_dummy")),
	  3, false },
};

/* Of start_file_find()'s cases; else the image is an array of symbols. */
static const struct find_case *finding;

static const struct image_symbol *symbols_of_case(const struct image *image, size_t *ret_count)
{
	static const struct image_symbol other[] = { LOCAL("x"), { .name = NULL } };
	const struct image_symbol *symbol = finding ? other : (const void *)image;

	for (*ret_count = 0; *ret_count < COUNT(symbol_cases[0].symbol) && symbol[*ret_count].name;)
		++*ret_count;
	return symbol;
}

START_TEST(four_stand_together)
{
	const struct symbol_case *c = &symbol_cases[_i];

	ck_assert_msg(stands_in_crtstuff((const void *)c->symbol, &c->symbol[c->index]) ==
			      c->stands,
		      "%s", c->name);
}
END_TEST

/* What stands before the first is none. */
START_TEST(nothing_stands_before_the_first)
{
	static const struct image_symbol four[] = { FOUR, { .name = NULL } };

	ck_assert(stands_in_crtstuff((const void *)four, &four[1]));
	ck_assert(!stands_in_crtstuff((const void *)&four[1], &four[1]));
}
END_TEST

/* ---- which object it is of ----------------------------------------------------------------- */

#define CODE(...) .code = { __VA_ARGS__ }

static const struct find_case {
	const char *name;
	struct code_name code;
	bool has_init;
	const char *expected;
} find_cases[] = {
	{ "init_s_section", CODE(.kind = CODE_SECTION, .name = ".init", .section = ".init"), true,
	  "crti.o" },
	{ "fini_s_section", CODE(.kind = CODE_SECTION, .name = ".fini", .section = ".fini"), true,
	  "crti.o" },
	{ "init", CODE(.kind = CODE_SYMBOL, .name = "_init", .section = ".init"), true, "crti.o" },
	{ "fini", CODE(.kind = CODE_SYMBOL, .name = "_fini", .section = ".fini"), true, "crti.o" },
	{ "fini_in_init", CODE(.kind = CODE_SYMBOL, .name = "_fini", .section = ".init"), true,
	  NULL },
	{ "init_in_fini", CODE(.kind = CODE_SYMBOL, .name = "_init", .section = ".fini"), true,
	  NULL },
	{ "init_in_text", CODE(.kind = CODE_SYMBOL, .name = "_init", .section = ".text"), true,
	  NULL },
	{ "fini_in_text", CODE(.kind = CODE_SYMBOL, .name = "_fini", .section = ".text"), true,
	  NULL },
	{ "another_function_in_init", CODE(.kind = CODE_SYMBOL, .name = "mine", .section = ".init"),
	  true, NULL },
	{ "a_range_in_init", CODE(.kind = CODE_FDE, .name = NULL, .section = ".init"), true, NULL },
	{ "another_section", CODE(.kind = CODE_SECTION, .name = ".plt", .section = ".plt"), true,
	  NULL },
	{ "start", CODE(.kind = CODE_SYMBOL, .name = "_start", .start = START, .section = ".text"),
	  true, "crt1.o" },
	{ "start_without_init",
	  CODE(.kind = CODE_SYMBOL, .name = "_start", .start = START, .section = ".text"), false,
	  NULL },
	{ "start_elsewhere",
	  CODE(.kind = CODE_SYMBOL, .name = "_start", .start = START + 1, .section = ".text"), true,
	  NULL },
	{ "stub_of_that_name",
	  CODE(.kind = CODE_STUB, .name = "_start", .start = START, .section = ".plt"), true,
	  NULL },
	{ "another", CODE(.kind = CODE_SYMBOL, .name = "x", .section = ".text"), true, NULL },
};

static uint64_t address_of_case(const struct image *image, const char *name)
{
	ck_assert_str_eq(name, "_init");
	return finding->has_init ? START : 0;
}

static void name_of_case(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			 struct code_name *ret)
{
	size_t count;

	ck_assert_uint_eq(vaddr, START + 2);
	*ret = finding->code;
	if (ret->kind == CODE_SYMBOL)
		ret->symbol = symbols_of_case(image, &count);
}

START_TEST(object_is_found)
{
	const struct image image = { .entry = START };
	const char *got;

	finding = &find_cases[_i];
	got = start_file_find(&image, NULL, START + 2, NULL);
	finding = NULL;
	ck_assert_msg(got ? find_cases[_i].expected && !strcmp(got, find_cases[_i].expected)
			  : !find_cases[_i].expected,
		      "%s: %s", find_cases[_i].name, got ? got : "none");
}
END_TEST

SUITE(start_file_code, LOOP(conditional_jump_goes_there, branch_cases),
      LOOP(instruction_leaves_or_goes_on, leaving_cases),
      LOOP(function_reaches_as_far_as_its_instructions, reach_cases),
      TEST(behind_the_image_nothing_is_read), LOOP(four_stand_together, symbol_cases),
      TEST(nothing_stands_before_the_first), LOOP(object_is_found, find_cases))
