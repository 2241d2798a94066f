/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_section.c - rows as the bytes of .eh_frame and .debug_frame
 *
 * Rows that a test thinks of, and each entry of the section as "length:bytes": the shortest form of each
 * instruction, where one FDE ends and the next begins, and which CIE each has.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "analysis/synthesis/synthesis.h"

#define RBX 0
#define RBP 1
#define RIP (SYNTHESIS_COLUMNS - 1)

#define MADE(from, to, cfa, number)                                                                \
	.pc = (from), .pc_end = (to), .cfa_register = REGISTER_##cfa, .cfa_offset = (number),      \
	.place[RIP] = { SYNTHESIS_AT_CFA, 0, -8 }

#define FUNCTIONS(...) .function = { __VA_ARGS__ }
#define ROWS(...)      .row = { __VA_ARGS__ }

static const struct section_case {
	const char *rule;
	struct synthesis_function function[3];
	struct synthesis_row row[5];
	bool is_debug;
	const char *expected;
} section_cases[] = {
	{ "no function: a CIE, and the end of .eh_frame",
	  .expected = "20:00000000017a5200017810011b0c070890010000\n"
		      "0:" },
	{ "none of .debug_frame", .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000" },
	{ "one row as the CIE has it", FUNCTIONS({ .row_count = 1 }),
	  ROWS({ MADE(0x2000, 0x2010, RSP, 8) }),
	  .expected = "20:00000000017a5200017810011b0c070890010000\n"
		      "20:1c000000e00f0000100000000000000000000000\n"
		      "0:" },
	{ "the same of .debug_frame", FUNCTIONS({ .row_count = 1 }),
	  ROWS({ MADE(0x2000, 0x2010, RSP, 8) }), .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000\n"
		      "20:0000000000200000000000001000000000000000" },
	{ "advances of 63 and 64 bytes", FUNCTIONS({ .row_count = 3 }),
	  ROWS({ MADE(0x2000, 0x203f, RSP, 8) }, { MADE(0x203f, 0x207f, RSP, 16) },
	       { MADE(0x207f, 0x2080, RSP, 8) }),
	  .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000\n"
		      "28:00000000002000000000000080000000000000007f0e1002400e0800" },
	{ "of 255 and 256", FUNCTIONS({ .row_count = 3 }),
	  ROWS({ MADE(0x2000, 0x20ff, RSP, 8) }, { MADE(0x20ff, 0x21ff, RSP, 16) },
	       { MADE(0x21ff, 0x2200, RSP, 8) }),
	  .is_debug = true,
	  .expected =
		  "20:ffffffff01000178100c07089001000000000000\n"
		  "36:000000000020000000000000000200000000000002ff0e100300010e0800000000000000" },
	{ "of 65535 and 65536", FUNCTIONS({ .row_count = 3 }),
	  ROWS({ MADE(0x2000, 0x11fff, RSP, 8) }, { MADE(0x11fff, 0x21fff, RSP, 16) },
	       { MADE(0x21fff, 0x22000, RSP, 8) }),
	  .is_debug = true,
	  .expected =
		  "20:ffffffff01000178100c07089001000000000000\n"
		  "36:000000000020000000000000000002000000000003ffff0e1004000001000e0800000000" },
	{ "another register, another number, both, neither", FUNCTIONS({ .row_count = 4 }),
	  ROWS({ MADE(0x2000, 0x2001, RBP, 8) }, { MADE(0x2001, 0x2002, RBP, 300) },
	       { MADE(0x2002, 0x2003, R12, 0) }, { MADE(0x2003, 0x2004, R12, 0) }),
	  .is_debug = true,
	  .expected =
		  "20:ffffffff01000178100c07089001000000000000\n"
		  "36:00000000002000000000000004000000000000000d06410eac02410c0c00410000000000" },
	{ "a CFA below the register, and back", FUNCTIONS({ .row_count = 4 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, -1) }, { MADE(0x2001, 0x2002, RSP, -200) },
	       { MADE(0x2002, 0x2003, RSP, -200) }, { MADE(0x2003, 0x2004, RSP, 8) }),
	  .is_debug = true,
	  .expected =
		  "20:ffffffff01000178100c07089001000000000000\n"
		  "36:00000000002000000000000004000000000000000f02777f410f0377b87e41410c070800" },
	{ "one that a word has, and back", FUNCTIONS({ .row_count = 4 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 8), .cfa_loaded = true },
	       { MADE(0x2001, 0x2002, RSP, -8), .cfa_loaded = true },
	       { MADE(0x2002, 0x2003, RBP, -8), .cfa_loaded = true },
	       { MADE(0x2003, 0x2004, RBP, -8) }),
	  .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000\n"
		      "44:00000000002000000000000004000000000000000f03770806410f03777806410f0376780"
		      "6410f0276780000" },
	{ "words below the CFA, at it and above", FUNCTIONS({ .row_count = 3 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 8), .place[RBX] = { SYNTHESIS_AT_CFA, 0, -1024 } },
	       { MADE(0x2001, 0x2002, RSP, 8), .place[RBX] = { SYNTHESIS_AT_CFA, 0, 0 } },
	       { MADE(0x2002, 0x2003, RSP, 8), .place[RBX] = { SYNTHESIS_AT_CFA, 0, 8 } }),
	  .is_debug = true,
	  .expected =
		  "20:ffffffff01000178100c07089001000000000000\n"
		  "36:00000000002000000000000003000000000000008380014183004111037f000000000000" },
	{ "each other place, and back", FUNCTIONS({ .row_count = 4 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 8),
		 .place[RBX] = { SYNTHESIS_AT_REGISTER, REGISTER_RBP, -72 } },
	       { MADE(0x2001, 0x2002, RSP, 8),
		 .place[RBX] = { SYNTHESIS_IN_REGISTER, REGISTER_RDX, 0 },
		 .place[RBP] = { SYNTHESIS_IN_REGISTER, REGISTER_RCX, 0 } },
	       { MADE(0x2002, 0x2003, RSP, 8),
		 .place[RBX] = { SYNTHESIS_IN_REGISTER, REGISTER_RSI, 0 },
		 .place[RBP] = { SYNTHESIS_LOST, 0, 0 } },
	       { MADE(0x2003, 0x2004, RSP, 8) }),
	  .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000\n"
		      "44:000000000020000000000000040000000000000010030376b87f410903010906024109030"
		      "4070641c3c60000" },
	{ "behind a gap another FDE begins, with all that is so there",
	  FUNCTIONS({ .row_count = 3 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 8) }, { MADE(0x2002, 0x2003, RSP, 16) },
	       { MADE(0x2003, 0x2004, RSP, 24) }),
	  .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000\n"
		      "20:0000000000200000000000000100000000000000\n"
		      "28:00000000022000000000000002000000000000000e10410e18000000" },
	{ "functions one behind the other",
	  FUNCTIONS({ .row_count = 1 }, { .row_count = 0 }, { .row_count = 1, .first_row = 1 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 8) }, { MADE(0x2001, 0x2003, RSP, 8) }),
	  .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000\n"
		      "20:0000000000200000000000000100000000000000\n"
		      "20:0000000001200000000000000200000000000000" },
	{ "rows of .eh_frame are not said in .debug_frame",
	  FUNCTIONS({ .row_count = 1, .loaded = true }, { .row_count = 1, .first_row = 1 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 8) }, { MADE(0x2001, 0x2003, RSP, 8) }),
	  .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000\n"
		      "20:0000000001200000000000000200000000000000" },
	{ "but in .eh_frame",
	  FUNCTIONS({ .row_count = 1, .loaded = true }, { .row_count = 1, .first_row = 1 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 8) }, { MADE(0x2001, 0x2003, RSP, 8) }),
	  .expected = "20:00000000017a5200017810011b0c070890010000\n"
		      "20:1c000000e00f0000010000000000000000000000\n"
		      "20:34000000c90f0000020000000000000000000000\n"
		      "0:" },
	{ "a signal's frame", FUNCTIONS({ .row_count = 1 }),
	  ROWS({ MADE(0x2000, 0x2009, RSP, 8), .signal_frame = true }), .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000\n"
		      "20:ffffffff0153000178100c070890010000000000\n"
		      "84:18000000ff1f0000000000000a0000000000000010080277281009027730100a027738100"
		      "b0377c00010050377e80010040377f0001001037788011000037790011002037798011007037"
		      "7a00100000000000000" },
	{ "of .eh_frame, behind a byte that another has, and behind one that none has",
	  FUNCTIONS({ .row_count = 1 }, { .row_count = 1, .first_row = 1 },
		    { .row_count = 1, .first_row = 2 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 8) },
	       { MADE(0x2001, 0x2003, RSP, 8), .signal_frame = true },
	       { MADE(0x2004, 0x2006, RSP, 8), .signal_frame = true }),
	  .expected = "20:00000000017a5200017810011b0c070890010000\n"
		      "20:00000000017a525300017810011b0c0708900100\n"
		      "20:34000000c80f0000010000000000000000000000\n"
		      "76:34000000b10f0000020000000010080277281009027730100a027738100b0377c00010050"
		      "377e80010040377f00010010377880110000377900110020377980110070377a001000000000"
		      "000\n"
		      "76:84000000630f0000030000000010080277281009027730100a027738100b0377c00010050"
		      "377e80010040377f00010010377880110000377900110020377980110070377a001000000000"
		      "000\n"
		      "0:" },
	{ "a CFA that is the register", FUNCTIONS({ .row_count = 4 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 0) }, { MADE(0x2001, 0x2002, RSP, 8) },
	       { MADE(0x2002, 0x2003, RSP, 0) }, { MADE(0x2003, 0x2004, RBX, 0) }),
	  .is_debug = true,
	  .expected =
		  "20:ffffffff01000178100c07089001000000000000\n"
		  "36:00000000002000000000000004000000000000000e00410e08410e00410d030000000000" },
	{ "a signal's frame behind another's byte, and nothing behind it",
	  FUNCTIONS({ .row_count = 1 }, { .row_count = 1, .first_row = 1 }),
	  ROWS({ MADE(0x2000, 0x2001, RSP, 8) },
	       { MADE(0x2001, 0x2003, RSP, 8), .signal_frame = true }),
	  .is_debug = true,
	  .expected = "20:ffffffff01000178100c07089001000000000000\n"
		      "20:ffffffff0153000178100c070890010000000000\n"
		      "20:0000000000200000000000000100000000000000\n"
		      "84:180000000120000000000000020000000000000010080277281009027730100a027738100"
		      "b0377c00010050377e80010040377f0001001037788011000037790011002037798011007037"
		      "7a00100000000000000" },
};

/* Each entry a line, without the no-ops that fill it up. */
static char *entries(const uint8_t *bytes, size_t size)
{
	char *text;
	size_t text_size;
	FILE *file = open_memstream(&text, &text_size);

	for (size_t at = 0; at < size;) {
		uint32_t length;

		memcpy(&length, bytes + at, sizeof(length));
		ck_assert_uint_le(at + 4 + length, size);
		fprintf(file, "%s%u:", at ? "\n" : "", length);
		for (at += 4; length; length--, at++)
			fprintf(file, "%02x", bytes[at]);
	}
	fclose(file);
	return text;
}

START_TEST(rows_become_bytes)
{
	const struct section_case *test = &section_cases[_i];
	struct synthesis synthesis = { .function = (struct synthesis_function *)test->function,
				       .row = (struct synthesis_row *)test->row };
	struct error error;
	uint8_t *bytes;
	size_t size;
	char *text;

	for (int i = 0; i < COUNT(test->function); i++) {
		synthesis.row_count += test->function[i].row_count;
		if (test->function[i].row_count)
			synthesis.function_count = (size_t)i + 1;
	}
	ck_assert_int_eq(
		synthesis_section(&synthesis, test->is_debug, 0x1000, NULL, &bytes, &size, &error),
		0);
	text = entries(bytes, size);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s\n", test->rule, text,
		      test->expected);
	free(text);
	free(bytes);
}
END_TEST

/* They stay as they are, and what comes behind them begins where they end. */
START_TEST(entries_that_come_first)
{
	static const uint8_t first[12] = { 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct image_section before = { .data = first, .size = sizeof(first) };
	struct synthesis_row row = { MADE(0x2000, 0x2010, RSP, 8) };
	struct synthesis_function function = { .row_count = 1 };
	const struct synthesis synthesis = { &function, 1, &row, 1 };
	struct error error;
	uint8_t *bytes;
	size_t size;
	char *text;

	ck_assert_int_eq(synthesis_section(&synthesis, true, 0, &before, &bytes, &size, &error), 0);
	text = entries(bytes, size);
	ck_assert_str_eq(text, "8:0102030405060708\n"
			       "20:ffffffff01000178100c07089001000000000000\n"
			       "20:0c000000002000000000000010000000000000"
			       "00");
	free(text);
	free(bytes);
}
END_TEST

/* A distance has 32 bits. The FDE's address stands 32 bytes behind the section's begin. */
START_TEST(an_address_is_near_enough_or_an_error)
{
	static const struct {
		int64_t distance;
		bool good;
	} cases[] = { { INT32_MAX, true },
		      { INT32_MAX + 1ll, false },
		      { INT32_MIN, true },
		      { INT32_MIN - 1ll, false } };
	const uint64_t vaddr = 0x100000000, here = vaddr + 32;

	for (int i = 0; i < COUNT(cases); i++) {
		const uint64_t pc = here + (uint64_t)cases[i].distance;
		struct synthesis_row row = { MADE(pc, pc + 1, RSP, 8) };
		struct synthesis_function function = { .row_count = 1 };
		const struct synthesis synthesis = { &function, 1, &row, 1 };
		struct error error;
		char expected[96];
		uint8_t *bytes;
		size_t size;
		int result = synthesis_section(&synthesis, false, vaddr, NULL, &bytes, &size,
					       &error);

		ck_assert_msg(result == (cases[i].good ? 0 : -1), "%d", i);
		ck_assert(!bytes == !cases[i].good);
		free(bytes);
		if (!result)
			continue;
		snprintf(expected, sizeof(expected), "%#" PRIx64 " is too far from 0x100000020",
			 row.pc);
		ck_assert_int_eq(error.code, ERROR_CFI_RANGE);
		ck_assert_str_eq(error.message, expected);
	}
}
END_TEST

START_TEST(a_section_lies_behind_all_segments)
{
	static const struct {
		struct image_segment segment[2];
		uint64_t vaddr;
	} cases[] = {
		{ { { .vaddr = 0 } }, 0 },
		{ { { .vaddr = 0x1000, .memory_bytes = 0x1000 }, { .vaddr = 0 } }, 0x2000 },
		{ { { .vaddr = 0x1000, .memory_bytes = 0xfff },
		    { .vaddr = 0x1000, .memory_bytes = 0x1001 } },
		  0x3000 },
		{ { { .vaddr = 0x5000, .memory_bytes = 1 },
		    { .vaddr = 0x1000, .memory_bytes = 0x10 } },
		  0x6000 },
	};

	for (int i = 0; i < COUNT(cases); i++) {
		struct image image = { .segment_count = 2 };

		image.segment = (void *)cases[i].segment;
		ck_assert_uint_eq(synthesis_vaddr(&image), cases[i].vaddr);
	}
}
END_TEST

SUITE(synthesis_section, LOOP(rows_become_bytes, section_cases), TEST(entries_that_come_first),
      TEST(an_address_is_near_enough_or_an_error), TEST(a_section_lies_behind_all_segments))
