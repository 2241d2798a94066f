/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cfi_section.c - the list of entries, and the FDE of a PC
 *
 * Sections are made by hand at image address 0x400000. A bad entry must cost itself alone: the
 * cases say how many entries survive, and the code and section offset of the first diagnostic. What
 * is inside of an entry is test_cfi_entry.c's.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "cfi/cfi.h"

/* ---- whole sections ---------------------------------------------------------------------- */

#define CIE_LENGTH 0x0d
#define CIE_HEAD                                                                                   \
	"\x0d\0\0\0"                                                                               \
	"\0\0\0\0"                                                                                 \
	"\1zR\0\1\x78\x10\1\0" /* "zR", absptr; 17 bytes */
#define FDE_LENGTH 0x15
/* An FDE at section offset 17 of that CIE: 25 bytes. */
#define FDE_BODY                                                                                   \
	"\x00\x10\0\0\0\0\0\0"                                                                     \
	"\x10\0\0\0\0\0\0\0"                                                                       \
	"\0"
#define FDE_AT_17                                                                                  \
	"\x15\0\0\0"                                                                               \
	"\x15\0\0\0" FDE_BODY

static const struct {
	const char *name;
	struct literal section;
	size_t cies; /* that were read */
	size_t fdes;
	size_t diagnostics;
	enum error_code code; /* of the first diagnostic */
	uint64_t offset;
} sections[] = {
	{ "cie_and_fde", BYTES(CIE_HEAD FDE_AT_17), 1, 1, 0, 0, 0 },
	{ "terminator_at_the_end", BYTES(CIE_HEAD FDE_AT_17 "\0\0\0\0"), 1, 1, 0, 0, 0 },
	{ "terminator_ends_nothing", BYTES("\0\0\0\0" CIE_HEAD FDE_AT_17), 1, 1, 0, 0, 0 },
	{ "zero_padding_shorter_than_a_length", BYTES(CIE_HEAD FDE_AT_17 "\0\0\0"), 1, 1, 0, 0, 0 },
	{ "fde_before_its_cie",
	  BYTES("\x15\0\0\0"
		"\xeb\xff\xff\xff" FDE_BODY CIE_HEAD),
	  1, 1, 0, 0, 0 },
	{ "length_of_64_bits",
	  BYTES(CIE_HEAD "\xff\xff\xff\xff\x15\0\0\0\0\0\0\0"
			 "\x1d\0\0\0" FDE_BODY),
	  1, 1, 0, 0, 0 },
	{ "section_ends_inside_a_length", BYTES(CIE_HEAD FDE_AT_17 "\1\0"), 1, 1, 1,
	  ERROR_CFI_LENGTH, 42 },
	{ "length_past_end_is_the_last_entry",
	  BYTES(CIE_HEAD "\x16\0\0\0"
			 "\x15\0\0\0" FDE_BODY),
	  1, 0, 1, ERROR_CFI_LENGTH, 17 },
	{ "length_of_64_bits_past_end",
	  BYTES(CIE_HEAD "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), 1, 0, 1,
	  ERROR_CFI_LENGTH, 17 },
	{ "length_of_64_bits_itself_cut", BYTES(CIE_HEAD "\xff\xff\xff\xff\1"), 1, 0, 1,
	  ERROR_CFI_LENGTH, 17 },
	{ "reserved_length", BYTES(CIE_HEAD "\xf0\xff\xff\xff" FDE_BODY), 1, 0, 1, ERROR_CFI_LENGTH,
	  17 },
	{ "entry_without_a_cie_pointer",
	  BYTES("\2\0\0\0"
		"\0\0" CIE_HEAD),
	  1, 0, 1, ERROR_CFI_TRUNCATED, 4 },
	{ "fde_of_no_cie_costs_itself",
	  BYTES("\x15\0\0\0"
		"\4\0\0\0" FDE_BODY CIE_HEAD),
	  1, 0, 1, ERROR_CIE_POINTER, 0 },
	{ "cie_pointer_out_of_the_section",
	  BYTES(CIE_HEAD "\x15\0\0\0"
			 "\xff\xff\xff\x7f" FDE_BODY),
	  1, 0, 1, ERROR_CIE_POINTER, 17 },
	{ "pc_begin_past_end",
	  BYTES(CIE_HEAD "\x0b\0\0\0"
			 "\x15\0\0\0"
			 "\0\x10\0\0\0\0\0"),
	  1, 0, 1, ERROR_CFI_TRUNCATED, 25 },
	{ "pc_range_past_end",
	  BYTES(CIE_HEAD "\x0d\0\0\0"
			 "\x15\0\0\0"
			 "\0\x10\0\0\0\0\0\0"
			 "\0"),
	  1, 0, 1, ERROR_CFI_TRUNCATED, 33 },
	{ "augmentation_length_missing",
	  BYTES(CIE_HEAD "\x14\0\0\0"
			 "\x15\0\0\0"
			 "\0\x10\0\0\0\0\0\0"
			 "\1\0\0\0\0\0\0\0"),
	  1, 0, 1, ERROR_CFI_TRUNCATED, 41 },
	{ "augmentation_data_past_end",
	  BYTES(CIE_HEAD "\x15\0\0\0"
			 "\x15\0\0\0"
			 "\0\x10\0\0\0\0\0\0"
			 "\1\0\0\0\0\0\0\0"
			 "\1"),
	  1, 0, 1, ERROR_CFI_TRUNCATED, 42 },
	{ "range_wraps",
	  BYTES(CIE_HEAD "\x15\0\0\0"
			 "\x15\0\0\0"
			 "\0\x10\0\0\0\0\0\0"
			 "\xff\xff\xff\xff\xff\xff\xff\xff"
			 "\0"),
	  1, 0, 1, ERROR_CFI_RANGE, 17 },
	{ "bad_cie_costs_its_fdes",
	  BYTES("\x0d\0\0\0"
		"\0\0\0\0"
		"\2zR\0\1\x78\x10\1\0" FDE_AT_17),
	  0, 0, 2, ERROR_CIE_VERSION, 8 },
	{ "good_entries_after_a_bad_one",
	  BYTES(CIE_HEAD "\4\0\0\0"
			 "\x15\0\0\0"
			 "\x15\0\0\0"
			 "\x1d\0\0\0" FDE_BODY),
	  1, 1, 1, ERROR_CFI_TRUNCATED, 25 },
};

START_TEST(section_is_read)
{
	struct bytes bytes = { .size = 0 };
	put_literal(&bytes, sections[_i].section);
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	const struct error *first = cfi->diagnostics.error;
	ck_assert_msg(cfi->cie_count == sections[_i].cies && cfi->fde_count == sections[_i].fdes &&
			      cfi->diagnostics.count == sections[_i].diagnostics,
		      "%s: %zu CIEs, %zu FDEs, %zu diagnostics (%s)", sections[_i].name,
		      cfi->cie_count, cfi->fde_count, cfi->diagnostics.count,
		      first ? first->message : "");
	if (sections[_i].diagnostics) {
		ck_assert_msg(first->code == sections[_i].code &&
				      first->offset == sections[_i].offset &&
				      !strcmp(first->section, ".eh_frame"),
			      "%s: %s at %s+%" PRIu64 ": %s", sections[_i].name,
			      error_code_name(first->code), first->section, first->offset,
			      first->message);
	}
	for (size_t i = 0; i < cfi->fde_count; i++) {
		ck_assert_uint_eq(cfi->fde[i].pc_begin, 0x1000);
		ck_assert_uint_eq(cfi->fde[i].pc_range, 0x10);
	}
	cfi_destroy(cfi);
}
END_TEST

/* ---- by PC -------------------------------------------------------------------------------- */

START_TEST(fde_find_wants_the_highest_that_covers)
{
	static const struct {
		uint64_t pc;
		uint64_t range;
	} fdes[] = {
		{ 0x300000005000, 0x10 }, { 0x1000, 0x1000 }, { 0x1100, 0x10 }, { 0x3000, 0 },
		{ 0x2000, 0x10 },	  { 0x1108, 0x100 },
	};
	static const struct {
		uint64_t pc;
		uint64_t pc_begin; /* 0: none */
	} lookups[] = {
		{ 0xfff, 0 },	    { 0x1000, 0x1000 },
		{ 0x1107, 0x1100 }, { 0x110f, 0x1108 },
		{ 0x1208, 0x1000 }, { 0x1fff, 0x1000 },
		{ 0x200f, 0x2000 }, { 0x2010, 0 },
		{ 0x3000, 0 },	    { 0x300000005000, 0x300000005000 },
		{ UINT64_MAX, 0 },
	};
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0, (struct literal)BYTES(""));
	for (size_t i = 0; i < sizeof(fdes) / sizeof(fdes[0]); i++)
		put_fde(&bytes, 0, fdes[i].pc, fdes[i].range, (struct literal)BYTES(""));
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->fde_count, 6);
	ck_assert_uint_eq(cfi->by_pc_count, 5);
	for (size_t i = 1; i < cfi->by_pc_count; i++)
		ck_assert_uint_le(cfi->fde[cfi->by_pc[i - 1]].pc_begin,
				  cfi->fde[cfi->by_pc[i]].pc_begin);
	for (size_t i = 0; i < sizeof(lookups) / sizeof(lookups[0]); i++) {
		const struct cfi_fde *fde = cfi_fde_find(cfi, lookups[i].pc);
		ck_assert_msg((fde ? fde->pc_begin : 0) == lookups[i].pc_begin,
			      "0x%" PRIx64 " is in 0x%" PRIx64, lookups[i].pc,
			      fde ? fde->pc_begin : 0);
	}
	cfi_destroy(cfi);
}
END_TEST

/* Every PC of many FDEs that overlap at random, against a search through all of them. */
START_TEST(fde_find_agrees_with_a_linear_search)
{
	enum { COUNT_FDES = 120, PCS = 4096 };
	unsigned int seed = 11 + (unsigned int)_i;
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0, (struct literal)BYTES(""));
	for (int i = 0; i < COUNT_FDES; i++)
		put_fde(&bytes, 0, 1 + (uint64_t)rand_r(&seed) % PCS,
			(uint64_t)rand_r(&seed) % (_i % 2 ? 40 : 2000), (struct literal)BYTES(""));
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	ck_assert(cfi->overlapping);
	for (uint64_t pc = 0; pc < PCS + 2048; pc++) {
		const struct cfi_fde *best = NULL;
		for (size_t i = 0; i < cfi->fde_count; i++) {
			const struct cfi_fde *fde = &cfi->fde[i];
			if (pc - fde->pc_begin < fde->pc_range &&
			    (!best || fde->pc_begin >= best->pc_begin))
				best = fde;
		}
		ck_assert_ptr_eq(cfi_fde_find(cfi, pc), best);
	}
	cfi_destroy(cfi);
}
END_TEST

/* One around as many others as levels of sixteen hold, and one less or more. */
START_TEST(fde_around_any_number)
{
	static const int inside[] = { 0,  1,  14,  15,	16,  17,  30,  31,  32, 33,
				      47, 48, 254, 255, 256, 257, 270, 272, 300 };
	const int count = inside[_i];
	struct bytes bytes = { .size = 0 };

	put_cie(&bytes, 0, (struct literal)BYTES(""));
	put_fde(&bytes, 0, 0x1000, 0x10000, (struct literal)BYTES(""));
	for (int i = 0; i < count; i++)
		put_fde(&bytes, 0, 0x1010 + 0x20 * (uint64_t)i, 0x10, (struct literal)BYTES(""));
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	ck_assert_int_eq(cfi->overlapping, count > 0);
	for (int i = 0; i < count; i++) {
		uint64_t pc = 0x1010 + 0x20 * (uint64_t)i;

		ck_assert_uint_eq(cfi_fde_find(cfi, pc)->pc_begin, pc);
		ck_assert_uint_eq(cfi_fde_find(cfi, pc + 0xf)->pc_begin, pc);
		ck_assert_uint_eq(cfi_fde_find(cfi, pc + 0x10)->pc_begin, 0x1000);
		ck_assert_uint_eq(cfi_next_begin(cfi, pc), pc);
		ck_assert_uint_eq(cfi_next_begin(cfi, pc - 0xf), pc);
		ck_assert_uint_eq(cfi_fde_before(cfi, pc + 1)->pc_begin, pc);
		ck_assert_uint_eq(cfi_fde_before(cfi, pc)->pc_begin, i ? pc - 0x20 : 0x1000);
	}
	ck_assert_uint_eq(cfi_next_begin(cfi, 0), 0x1000);
	ck_assert_uint_eq(cfi_next_begin(cfi, 0x1001 + 0x20 * (uint64_t)count), UINT64_MAX);
	ck_assert_ptr_null(cfi_fde_before(cfi, 0x1000));
	ck_assert_uint_eq(cfi_fde_find(cfi, 0x10fff)->pc_begin, 0x1000);
	ck_assert_ptr_null(cfi_fde_find(cfi, 0x11000));
	ck_assert_ptr_null(cfi_fde_find(cfi, 0xfff));
	cfi_destroy(cfi);
}
END_TEST

static const struct {
	const char *name;
	uint16_t type;
	uint64_t pc;
	uint64_t range;
	size_t covering;
} odd_fdes[] = {
	{ "pc_0_of_a_linked_image_is_a_discarded_function", ET_DYN, 0, 0x10, 0 },
	{ "pc_0_of_an_executable_is_a_discarded_function", ET_EXEC, 0, 0x10, 0 },
	{ "pc_0_of_an_object_is_the_start_of_a_section", ET_REL, 0, 0x10, 1 },
	{ "no_range_covers_nothing", ET_DYN, 0x1000, 0, 0 },
	{ "a_range_of_one", ET_DYN, 0x1000, 1, 1 },
};

START_TEST(odd_fde_is_kept_and_covers_what_it_should)
{
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0, (struct literal)BYTES(""));
	put_fde(&bytes, 0, odd_fdes[_i].pc, odd_fdes[_i].range, (struct literal)BYTES(""));
	struct image image = fake_image(&bytes);
	image.type = odd_fdes[_i].type;
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->fde_count, 1);
	ck_assert_msg(cfi->by_pc_count == odd_fdes[_i].covering, "%s", odd_fdes[_i].name);
	ck_assert_int_eq(cfi_fde_find(cfi, odd_fdes[_i].pc) != NULL, odd_fdes[_i].covering != 0);
	ck_assert_int_eq(cfi_has_empty_fde(cfi), !odd_fdes[_i].range);
	ck_assert_uint_eq(cfi->diagnostics.count, 0);
	cfi_destroy(cfi);
}
END_TEST

/* A CIE that nothing points to is an entry like any other. */
START_TEST(cies_alone_are_read)
{
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0, (struct literal)CFI(CFA_def_cfa(RSP, 8)));
	put_cie(&bytes, 0x1b, (struct literal)BYTES(""));
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->cie_count, 2);
	ck_assert_uint_eq(cfi->fde_count, 0);
	ck_assert_uint_eq(cfi->diagnostics.count, 0);
	ck_assert_ptr_null(cfi_fde_find(cfi, TEST_PC));
	cfi_destroy(cfi);
}
END_TEST

/* Entries as small as they can be take more memory than the section: it is there. */
START_TEST(small_entries_are_all_read)
{
	enum { SMALL = 300 };
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0x02, (struct literal)BYTES("")); /* udata2 */
	for (unsigned int i = 0; i < SMALL; i++) {
		put_number(&bytes, 9, 4);
		put_number(&bytes, bytes.size, 4);
		put_number(&bytes, 0x1000 + 2 * i, 2);
		put_number(&bytes, 2, 2);
		put_number(&bytes, 0, 1);
	}
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->fde_count, SMALL);
	ck_assert_uint_eq(cfi->by_pc_count, SMALL);
	ck_assert_uint_eq(cfi->diagnostics.count, 0);
	for (unsigned int i = 0; i < SMALL; i++)
		ck_assert_uint_eq(cfi_fde_find(cfi, 0x1001 + 2 * i)->pc_begin, 0x1000 + 2 * i);
	cfi_destroy(cfi);
}
END_TEST

START_TEST(no_section_is_an_error_and_an_empty_cfi)
{
	struct image image = { .path = "fake" };
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), -1);
	ck_assert_int_eq(error.code, ERROR_NO_CFI);
	ck_assert_msg(strstr(error.message, "neither .eh_frame nor .debug_frame") != NULL, "%s",
		      error.message);
	ck_assert_ptr_nonnull(cfi);
	ck_assert_ptr_null(cfi_fde_find(cfi, 0x1000));
	cfi_destroy(cfi);
}
END_TEST

SUITE(cfi_section, LOOP(section_is_read, sections), TEST(fde_find_wants_the_highest_that_covers),
      TIMES(fde_find_agrees_with_a_linear_search, 8), TIMES(fde_around_any_number, 19),
      LOOP(odd_fde_is_kept_and_covers_what_it_should, odd_fdes), TEST(cies_alone_are_read),
      TEST(small_entries_are_all_read), TEST(no_section_is_an_error_and_an_empty_cfi))
