/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sframe_malformed.c - one bad thing at a time, named by its code, its place and a sentence
 *
 * The section is made_usual()'s, of which a case changes one field or cuts the end off. What is bad in a function costs
 * that function alone: the number of functions that are read, and of those whose rows are, is the case's, too.
 */
#include "tests/suite.h"
#include "tests/malformed.h"
#include "sframe_bytes.h"

/* Where something is: in the header; in entry n of the index; in the rows. */
#define H(offset)    (offset)
#define E(n, offset) (((n) + 1) << 16 | (offset))
#define R(offset)    (1 << 24 | (offset))
/* In place of a field, the section is cut off there. */
#define CUT 0

/*
 * Rows of versions 1 and 2: f0 at 0, 3, 7; f1 at 11, 15; f2 at 20, 23; end 26. Of version 3, the attribute first: f0 0, 5,
 * 8, 12; f1 16, 21, 25; f2 30, 35, 38; f3 41, 46, 50; f4 57; end 62.
 */
static const struct {
	const char *name;
	uint8_t version;
	int field;
	uint64_t value;
	uint8_t bytes; /* of the field */
	int functions, whole;
	enum error_code code;
	int at;
	const char *message;
} cases[] = {
	/* The header. */
	{ "cut_in_the_magic", 1, H(1), 0, CUT, 0, 0, ERROR_SFRAME_BOUNDS, H(0),
	  "a header's first 4 bytes reach past the section's end at 1" },
	{ "cut_before_the_flags", 2, H(3), 0, CUT, 0, 0, ERROR_SFRAME_BOUNDS, H(0),
	  "a header's first 4 bytes reach past the section's end at 3" },
	{ "cut_behind_the_preamble", 3, H(4), 0, CUT, 0, 0, ERROR_SFRAME_BOUNDS, H(4),
	  "the header reaches past the section's end at 4" },
	{ "cut_in_the_header", 3, H(27), 0, CUT, 0, 0, ERROR_SFRAME_BOUNDS, H(4),
	  "the header reaches past the section's end at 27" },
	{ "no_magic", 1, H(0), 0x1234, 2, 0, 0, ERROR_SFRAME_HEADER, H(0),
	  "no header: its first two bytes are 4660" },
	{ "magic_of_nothing", 2, H(0), 0, 2, 0, 0, ERROR_SFRAME_HEADER, H(0),
	  "no header: its first two bytes are 0" },
	{ "version_0", 1, H(2), 0, 1, 0, 0, ERROR_SFRAME_VERSION, H(2),
	  "SFrame of a version that is not known: 0" },
	{ "version_4", 3, H(2), 4, 1, 0, 0, ERROR_SFRAME_VERSION, H(2),
	  "SFrame of a version that is not known: 4" },
	{ "version_255", 3, H(2), 255, 1, 0, 0, ERROR_SFRAME_VERSION, H(2),
	  "SFrame of a version that is not known: 255" },
	{ "machine_0", 1, H(4), 0, 1, 0, 0, ERROR_SFRAME_HEADER, H(4),
	  "no machine has the number 0" },
	{ "machine_5", 3, H(4), 5, 1, 0, 0, ERROR_SFRAME_HEADER, H(4),
	  "no machine has the number 5" },
	{ "big_endian_machine_in_little_endian", 2, H(4), SFRAME_S390X, 1, 0, 0,
	  ERROR_SFRAME_HEADER, H(4), "the byte order is not that of machine 4" },
	{ "big_endian_aarch64_in_little_endian", 3, H(4), SFRAME_AARCH64_BIG, 1, 0, 0,
	  ERROR_SFRAME_HEADER, H(4), "the byte order is not that of machine 1" },
	{ "little_endian_machine_in_big_endian", 2, H(0), 0xe2de, 2, 0, 0, ERROR_SFRAME_HEADER,
	  H(4), "the byte order is not that of machine 3" },
	{ "auxiliary_header_past_the_end", 3, H(7), 255, 1, 0, 0, ERROR_SFRAME_BOUNDS, H(7),
	  "the auxiliary header reaches past the section's end at 170" },
	{ "more_functions_than_bytes", 1, H(8), 0x1000, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(20),
	  "the index reaches past the section's end at 105" },
	{ "functions_of_32_bits", 2, H(8), 0xffffffff, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(20),
	  "the index reaches past the section's end at 114" },
	{ "a_function_more_lies_in_the_rows", 3, H(8), 6, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(24),
	  "the rows lie in the index, which begins at 28" },
	{ "index_past_the_end", 3, H(20), 0x10000, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(20),
	  "the index reaches past the section's end at 170" },
	{ "index_at_the_last_address", 3, H(20), 0xffffffff, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(20),
	  "the index reaches past the section's end at 170" },
	{ "rows_past_the_end", 2, H(24), 0x10000, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(24),
	  "the rows reach past the section's end at 114" },
	{ "rows_of_32_bits", 1, H(16), 0xffffffff, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(24),
	  "the rows reach past the section's end at 105" },
	{ "rows_a_byte_too_long", 3, H(16), 63, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(24),
	  "the rows reach past the section's end at 170" },
	{ "rows_in_the_index", 2, H(24), 0, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(24),
	  "the rows lie in the index, which begins at 28" },
	{ "index_in_the_rows", 3, H(20), 40, 4, 0, 0, ERROR_SFRAME_BOUNDS, H(24),
	  "the rows lie in the index, which begins at 68" },
	{ "cut_in_the_rows", 3, H(169), 0, CUT, 0, 0, ERROR_SFRAME_BOUNDS, H(24),
	  "the rows reach past the section's end at 169" },
	{ "flags_of_nobody", 3, H(3), 0x80, 1, 5, 5, ERROR_SFRAME_HEADER, H(3),
	  "flags that this version doesn't have: 128" },
	{ "pcrel_in_version_1", 1, H(3), SFRAME_START_PCREL, 1, 3, 3, ERROR_SFRAME_HEADER, H(3),
	  "flags that this version doesn't have: 4" },
	{ "frame_pointer_in_version_3", 3, H(3), SFRAME_FRAME_POINTER, 1, 5, 5, ERROR_SFRAME_HEADER,
	  H(3), "flags that this version doesn't have: 2" },
	{ "more_rows_than_functions_have", 2, H(12), 8, 4, 3, 3, ERROR_SFRAME_HEADER, H(12),
	  "the header counts other rows than its functions have: 8" },
	{ "fewer_rows_than_functions_have", 3, H(12), 0, 4, 5, 5, ERROR_SFRAME_HEADER, H(12),
	  "the header counts other rows than its functions have: 0" },
	/* The index. */
	{ "rows_of_a_function_past_all", 1, E(1, 8), 27, 4, 2, 2, ERROR_SFRAME_BOUNDS, E(1, 8),
	  "the function's rows begin past the end of all, at 27" },
	{ "rows_of_a_function_of_32_bits", 2, E(0, 8), 0xffffffff, 4, 2, 2, ERROR_SFRAME_BOUNDS,
	  E(0, 8), "the function's rows begin past the end of all, at 4294967295" },
	{ "rows_of_a_function_at_the_end", 2, E(2, 8), 26, 4, 2, 2, ERROR_SFRAME_BOUNDS, E(2, 0),
	  "the function has more rows than there is room for: 2" },
	{ "attribute_past_the_end", 3, E(4, 12), 58, 4, 4, 4, ERROR_SFRAME_BOUNDS, E(4, 12),
	  "the function's attribute reaches past the rows' end, at 58" },
	{ "attribute_at_the_last_address", 3, E(0, 12), 0xfffffffe, 4, 4, 4, ERROR_SFRAME_BOUNDS,
	  E(0, 12), "the function's attribute reaches past the rows' end, at 4294967294" },
	{ "more_rows_than_room", 1, E(0, 12), 14, 4, 2, 2, ERROR_SFRAME_BOUNDS, E(0, 0),
	  "the function has more rows than there is room for: 14" },
	{ "rows_of_32_bits_in_a_function", 2, E(0, 12), 0xffffffff, 4, 2, 2, ERROR_SFRAME_BOUNDS,
	  E(0, 0), "the function has more rows than there is room for: 4294967295" },
	{ "more_rows_than_room_in_an_attribute", 3, R(0), 0xffff, 2, 4, 4, ERROR_SFRAME_BOUNDS,
	  E(0, 0), "the function has more rows than there is room for: 65535" },
	{ "row_type_3", 1, E(2, 16), 0x03, 1, 2, 2, ERROR_SFRAME_FUNCTION, E(2, 16),
	  "rows of a type that is not known: 3" },
	{ "row_type_15", 2, E(0, 16), 0x0f, 1, 2, 2, ERROR_SFRAME_FUNCTION, E(0, 16),
	  "rows of a type that is not known: 15" },
	{ "row_type_4_in_an_attribute", 3, R(2), 0x04, 1, 4, 4, ERROR_SFRAME_FUNCTION, R(2),
	  "rows of a type that is not known: 4" },
	{ "function_type_2", 3, R(44), 2, 1, 4, 4, ERROR_SFRAME_FUNCTION, R(44),
	  "a function of a type that is not known: 2" },
	{ "function_type_31", 3, R(3), 31, 1, 4, 4, ERROR_SFRAME_FUNCTION, R(3),
	  "a function of a type that is not known: 31" },
	{ "addresses_that_wrap", 3, E(0, 0), UINT64_MAX - SFRAME_VADDR, 8, 4, 4,
	  ERROR_SFRAME_FUNCTION, E(0, 0), "the function's addresses wrap: its size is 32" },
	{ "a_block_of_0_bytes", 2, E(2, 17), 0, 1, 2, 2, ERROR_SFRAME_FUNCTION, E(2, 0),
	  "rows of a block that repeats, of size 0" },
	{ "a_block_of_0_bytes_in_an_attribute", 3, R(34), 0, 1, 4, 4, ERROR_SFRAME_FUNCTION,
	  E(2, 0), "rows of a block that repeats, of size 0" },
	{ "out_of_order", 3, E(3, 0), 0x1200 - SFRAME_VADDR, 8, 5, 5, ERROR_SFRAME_ORDER, E(3, 0),
	  "not in order of PC, as the header says it is: entry 3" },
	{ "two_functions_at_one_place", 2, E(1, 0), (uint32_t)(0x1010 - SFRAME_VADDR), 4, 3, 3,
	  ERROR_SFRAME_ORDER, E(1, 0), "shares code with another function; its size is 512" },
	{ "a_block_with_more_rows_than_bytes", 2, E(2, 17), 1, 1, 2, 2, ERROR_SFRAME_FUNCTION,
	  E(2, 0), "a block has more rows than bytes: 2" },
	{ "more_blocks_than_are_read", 3, E(2, 8), 0x200000, 4, 4, 4, ERROR_SFRAME_FUNCTION,
	  E(2, 0), "more blocks repeat than are read: 131073" },
	/* Rows. */
	{ "rows_end_in_a_row", 2, H(16), 25, 4, 3, 2, ERROR_SFRAME_ROW, R(23),
	  "the row's words reach past the rows' end, at 113" },
	{ "rows_end_in_a_start", 1, H(16), 16, 4, 1, 1, ERROR_SFRAME_BOUNDS, E(1, 0),
	  "the function has more rows than there is room for: 2" },
	{ "a_row_past_the_end", 1, E(2, 12), 3, 4, 3, 2, ERROR_SFRAME_ROW, R(26),
	  "the row reaches past the rows' end, at 105" },
	{ "words_past_the_end", 1, R(24), ROW(BY_SP, 1, 3), 1, 3, 2, ERROR_SFRAME_ROW, R(23),
	  "the row's words reach past the rows' end, at 105" },
	{ "words_of_8_bytes", 2, R(4), 0x62 | BY_SP, 1, 3, 2, ERROR_SFRAME_ROW, R(3),
	  "words of a size that is not known: 3" },
	{ "no_words_in_version_1", 1, R(1), ROW(BY_SP, 1, 0), 1, 3, 2, ERROR_SFRAME_ROW, R(0),
	  "a row without words, in version 1" },
	{ "three_words_on_amd64", 2, R(1), ROW(BY_SP, 1, 3), 1, 3, 2, ERROR_SFRAME_ROW, R(0),
	  "more words than it has a use for: 3" },
	{ "fifteen_words", 3, R(6), ROW(BY_SP, 1, 15), 1, 5, 4, ERROR_SFRAME_ROW, R(5),
	  "more words than it has a use for: 15" },
	{ "a_row_behind_its_function", 3, R(12), 0x20, 1, 5, 4, ERROR_SFRAME_ROW, R(12),
	  "a row that begins behind its function: 32" },
	{ "a_row_far_behind", 2, R(15), 0xffff, 2, 3, 2, ERROR_SFRAME_ROW, R(15),
	  "a row that begins behind its function: 65535" },
	{ "a_row_behind_its_block", 2, R(23), 16, 1, 3, 2, ERROR_SFRAME_ROW, R(23),
	  "a row that begins behind its function: 16" },
	{ "a_row_before_the_last_one", 1, R(7), 0, 1, 3, 2, ERROR_SFRAME_ROW, R(3),
	  "the next row begins before this one, at 0" },
	{ "a_cfa_by_no_register", 3, R(48), 2, 1, 5, 4, ERROR_SFRAME_ROW, R(46),
	  "a CFA that is by no register: control word 2" },
	{ "a_cfa_of_no_rule", 3, R(52), 0, 1, 5, 4, ERROR_SFRAME_ROW, R(50),
	  "a CFA that is by no register: control word 0" },
	{ "a_control_word_alone", 3, R(51), ROW(BY_SP, 1, 4), 1, 5, 4, ERROR_SFRAME_ROW, R(50),
	  "a control word without an offset: 51" },
	{ "words_behind_the_fp", 3, R(51), ROW(BY_SP, 1, 7), 1, 5, 4, ERROR_SFRAME_ROW, R(50),
	  "more words than it has a use for: 7" },
	{ "flexible_words_that_are_large", 3, R(47), ROW(BY_SP, 4, 2), 1, 5, 4, ERROR_SFRAME_ROW,
	  R(46), "a register that no machine has: 23134218" },
};

static uint32_t place_of(const struct made *made, int place)
{
	if (place >> 24)
		return made_entry(made, made->functions) + (uint32_t)(place & 0xffff);
	if (place >> 16)
		return made_entry(made, (uint32_t)(place >> 16) - 1) + (uint32_t)(place & 0xffff);
	return (uint32_t)place;
}

static int accept(void *context, const struct sframe_row *row)
{
	return 0;
}

START_TEST(each_is_named)
{
	struct made made = { .version = cases[_i].version,
			     .flags = cases[_i].version == 3 ? SFRAME_SORTED : 0 };
	struct bytes bytes = { .size = 0 };
	struct error_list wrong = { 0 };
	struct image_section section;
	struct error error, ignored;
	struct sframe *sframe;
	int functions = 0, whole = 0;
	uint32_t field;

	made_usual(&made);
	made_finish(&made, &bytes);
	field = place_of(&made, cases[_i].field);
	if (cases[_i].bytes == CUT)
		bytes.size = field;
	else
		memcpy(bytes.data + field, &cases[_i].value, cases[_i].bytes);
	section = made_section(&bytes);
	sframe = read_made(&section, &error);
	if (sframe) {
		functions = (int)sframe->function_count;
		for (int i = 0; i < functions; i++)
			whole += !sframe_rows(sframe, &sframe->function[i], accept, NULL, &ignored);
		sframe_check(sframe, &wrong);
		ck_assert_msg(wrong.count, "%s: nothing is wrong", cases[_i].name);
		/* A field that is wrong may contradict another one, too. */
		error = wrong.error[0];
		for (size_t i = wrong.count; i--;)
			if (wrong.error[i].code == cases[_i].code)
				error = wrong.error[i];
	}
	check_error(cases[_i].name, &error, cases[_i].code, ".sframe",
		    place_of(&made, cases[_i].at));
	ck_assert_msg(!strcmp(error.message, cases[_i].message), "%s: \"%s\"", cases[_i].name,
		      error.message);
	ck_assert_msg(functions == cases[_i].functions && whole == cases[_i].whole,
		      "%s: %d functions, %d whole", cases[_i].name, functions, whole);
	error_list_deinit(&wrong);
	sframe_destroy(sframe);
}
END_TEST

SUITE(sframe_malformed, LOOP(each_is_named, cases))
