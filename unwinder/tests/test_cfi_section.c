/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cfi_section.c - CIEs, FDEs and pointer encodings, and how each can be malformed
 *
 * Sections are made by hand at image address 0x400000. A bad entry must cost itself alone: the
 * cases say how many entries survive, and the code and section offset of the first diagnostic.
 */
#include <check.h>
#include <inttypes.h>
#include "cfi_bytes.h"

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
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), 0);
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

/* ---- CIEs -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	struct literal body; /* from the version on */
	enum error_code code;
	uint64_t offset; /* of the error, from the version */
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_register;
	uint8_t fde_encoding;
	bool signal_frame;
	uint64_t instruction_bytes;
} cies[] = {
	{ "version_1_has_a_byte_as_return_register", BYTES("\1\0\1\x78\x90\0"), 0, 0, 1, -8, 0x90,
	  0, false, 1 },
	{ "version_3_has_a_leb_as_return_register", BYTES("\3\0\1\x78\x90\1\0"), 0, 0, 1, -8, 0x90,
	  0, false, 1 },
	{ "version_4_has_address_and_segment_sizes", BYTES("\4\0\x08\0\1\x78\x10"), 0, 0, 1, -8, 16,
	  0, false, 0 },
	{ "version_5", BYTES("\5\0\x04\0\2\x7c\x10"), 0, 0, 2, -4, 16, 0, false, 0 },
	{ "version_2_is_not_read", BYTES("\2\0\1\x78\x10"), ERROR_CIE_VERSION, 0, 0, 0, 0, 0, 0,
	  0 },
	{ "version_6_is_not_read", BYTES("\6\0\1\x78\x10"), ERROR_CIE_VERSION, 0, 0, 0, 0, 0, 0,
	  0 },
	{ "address_of_3_bytes_is_not_read", BYTES("\4\0\3\0\1\x78\x10"), ERROR_CIE_VERSION, 2, 0, 0,
	  0, 0, 0, 0 },
	{ "segment_selectors_are_not_read", BYTES("\4\0\x08\1\1\x78\x10"), ERROR_CIE_VERSION, 2, 0,
	  0, 0, 0, 0, 0 },
	{ "R_is_the_encoding_of_pointers", BYTES("\1zR\0\1\x78\x10\1\x1b"), 0, 0, 1, -8, 16, 0x1b,
	  false, 0 },
	{ "S_is_a_signal_frame", BYTES("\1zRS\0\1\x78\x10\1\x1b"), 0, 0, 1, -8, 16, 0x1b, true, 0 },
	{ "P_and_L_are_passed", BYTES("\1zPLR\0\1\x78\x10\7\x9b\1\2\3\4\x1b\x1b"), 0, 0, 1, -8, 16,
	  0x1b, false, 0 },
	{ "P_omit_has_no_pointer", BYTES("\1zPR\0\1\x78\x10\2\xff\x1b"), 0, 0, 1, -8, 16, 0x1b,
	  false, 0 },
	{ "B_and_G_have_no_data", BYTES("\1zRBG\0\1\x78\x10\1\x1b"), 0, 0, 1, -8, 16, 0x1b, false,
	  0 },
	{ "unknown_letters_are_skipped_by_length", BYTES("\1zRX\0\1\x78\x10\3\x1b\1\2\0\0"), 0, 0,
	  1, -8, 16, 0x1b, false, 2 },
	{ "eh_has_a_pointer", BYTES("\1eh\0\1\2\3\4\5\6\7\x08\1\x78\x10"), 0, 0, 1, -8, 16, 0,
	  false, 0 },
	{ "S_without_z", BYTES("\1S\0\1\x78\x10"), 0, 0, 1, -8, 16, 0, true, 0 },
	{ "unknown_letters_without_z", BYTES("\1X\0\1\x78\x10"), ERROR_CIE_AUGMENTATION,
	  (uint64_t)-8, 0, 0, 0, 0, 0, 0 },
	{ "augmentation_of_any_length", BYTES("\1zRabcdefghijklmn\0\1\x78\x10\2\x1b\xee"), 0, 0, 1,
	  -8, 16, 0x1b, false, 0 },
	{ "augmentation_of_any_length_without_z", BYTES("\1SBGSBGSBGSBGSBGSBGSBG\0\1\x78\x10"), 0,
	  0, 1, -8, 16, 0, true, 0 },
	{ "no_version", BYTES(""), ERROR_CFI_TRUNCATED, 0, 0, 0, 0, 0, 0, 0 },
	{ "augmentation_does_not_end", BYTES("\1zR"), ERROR_CFI_TRUNCATED, 1, 0, 0, 0, 0, 0, 0 },
	{ "address_size_past_end", BYTES("\4\0\x08"), ERROR_CFI_TRUNCATED, 3, 0, 0, 0, 0, 0, 0 },
	{ "code_alignment_past_end", BYTES("\1\0\x81"), ERROR_CFI_TRUNCATED, 2, 0, 0, 0, 0, 0, 0 },
	{ "data_alignment_past_end", BYTES("\1\0\1"), ERROR_CFI_TRUNCATED, 3, 0, 0, 0, 0, 0, 0 },
	{ "return_register_past_end", BYTES("\1\0\1\x78"), ERROR_CFI_TRUNCATED, 4, 0, 0, 0, 0, 0,
	  0 },
	{ "augmentation_length_past_end", BYTES("\1zR\0\1\x78\x10\x80"), ERROR_CFI_TRUNCATED, 7, 0,
	  0, 0, 0, 0, 0 },
	{ "augmentation_data_past_end", BYTES("\1zR\0\1\x78\x10\2\x1b"), ERROR_CFI_TRUNCATED, 8, 0,
	  0, 0, 0, 0, 0 },
	{ "augmentation_data_too_short", BYTES("\1zLR\0\1\x78\x10\1\x1b"), ERROR_CFI_TRUNCATED, 10,
	  0, 0, 0, 0, 0, 0 },
	{ "personality_past_augmentation_data", BYTES("\1zPR\0\1\x78\x10\3\x03\1\2\0\0\0\0"),
	  ERROR_CFI_TRUNCATED, 10, 0, 0, 0, 0, 0, 0 },
};

START_TEST(cie_is_read)
{
	struct bytes bytes = { .size = 0 };
	size_t start = begin_entry(&bytes);
	put_number(&bytes, 0, 4);
	put_literal(&bytes, cies[_i].body);
	end_entry(&bytes, start);
	struct image image = fake_image(&bytes);
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), 0);
	ck_assert_uint_eq(cfi->cie_count, cies[_i].code ? 0 : 1);
	const struct cfi_cie *cie = &cfi->cie[0];
	if (cies[_i].code) {
		ck_assert_msg(cfi->diagnostics.count == 1, "%s was accepted", cies[_i].name);
		const struct error *first = cfi->diagnostics.error;
		ck_assert_msg(first->code == cies[_i].code && first->offset == 8 + cies[_i].offset,
			      "%s: %s at %" PRId64 ": %s", cies[_i].name,
			      error_code_name(first->code), first->offset - 8, first->message);
	} else {
		ck_assert_msg(!cfi->diagnostics.count, "%s: %s", cies[_i].name,
			      cfi->diagnostics.count ? cfi->diagnostics.error->message : "");
		ck_assert_msg(cie->code_alignment == cies[_i].code_alignment &&
				      cie->data_alignment == cies[_i].data_alignment &&
				      cie->return_register == cies[_i].return_register &&
				      cie->fde_encoding == cies[_i].fde_encoding &&
				      cie->signal_frame == cies[_i].signal_frame &&
				      cie->instruction_bytes == cies[_i].instruction_bytes,
			      "%s: wrong field", cies[_i].name);
	}
	cfi_destroy(cfi);
}
END_TEST

/* ---- pointer encodings -------------------------------------------------------------------- */

/* pc_begin and pc_range of one FDE; its pc_begin is at image address 0x400019. */
#define POINTER_VADDR (TEST_SECTION_VADDR + 25)

static const struct {
	const char *name;
	uint8_t encoding;
	struct literal pointers; /* pc_begin, pc_range */
	uint64_t pc_begin;
	uint64_t pc_range;
	enum error_code code;
} pointers[] = {
	{ "absptr", 0x00,
	  BYTES("\1\2\3\0\0\0\0\0"
		"\4\0\0\0\0\0\0\0"),
	  0x30201, 4, 0 },
	{ "uleb128", 0x01, BYTES("\x80\x20\x85\1"), 0x1000, 133, 0 },
	{ "udata2", 0x02,
	  BYTES("\xff\xff"
		"\4\0"),
	  0xffff, 4, 0 },
	{ "udata4", 0x03,
	  BYTES("\xff\xff\xff\xff"
		"\4\0\0\0"),
	  0xffffffff, 4, 0 },
	{ "udata8", 0x04,
	  BYTES("\1\0\0\0\0\0\0\1"
		"\4\0\0\0\0\0\0\0"),
	  0x100000000000001, 4, 0 },
	{ "signed", 0x08,
	  BYTES("\1\0\0\0\0\0\0\0"
		"\4\0\0\0\0\0\0\0"),
	  1, 4, 0 },
	{ "sleb128", 0x09, BYTES("\x80\x20\x84\0"), 0x1000, 4, 0 },
	{ "sdata2_is_signed", 0x0a,
	  BYTES("\x00\x80"
		"\4\0"),
	  (uint64_t)-0x8000, 4, 0 },
	{ "sdata4_is_signed", 0x0b,
	  BYTES("\0\0\0\x80"
		"\4\0\0\0"),
	  (uint64_t)-0x80000000l, 4, 0 },
	{ "sdata8", 0x0c,
	  BYTES("\1\0\0\0\0\0\0\0"
		"\4\0\0\0\0\0\0\0"),
	  1, 4, 0 },
	{ "range_has_no_sign", 0x0b,
	  BYTES("\0\0\0\0"
		"\0\0\0\x80"),
	  0, 0x80000000, 0 },
	{ "pcrel", 0x1b,
	  BYTES("\xf0\xff\xff\xff"
		"\4\0\0\0"),
	  POINTER_VADDR - 16, 4, 0 },
	{ "textrel", 0x2b,
	  BYTES("\x10\0\0\0"
		"\4\0\0\0"),
	  0x500010, 4, 0 },
	{ "datarel", 0x3b,
	  BYTES("\x10\0\0\0"
		"\4\0\0\0"),
	  0x600010, 4, 0 },
	{ "funcrel_has_no_base_for_pc_begin", 0x4b,
	  BYTES("\x10\0\0\0"
		"\4\0\0\0"),
	  0x10, 4, 0 },
	{ "aligned_skips_to_a_multiple_of_8", 0x50,
	  BYTES("\xee\xee\xee\xee\xee\xee\xee"
		"\1\2\3\0\0\0\0\0"
		"\4\0\0\0\0\0\0\0"),
	  0x30201, 4, 0 },
	{ "omit", 0xff, BYTES("\0\0\0\0"), 0, 0, ERROR_POINTER_ENCODING },
	{ "undefined_format", 0x05, BYTES("\0\0\0\0\0\0\0\0\0\0\0\0"), 0, 0,
	  ERROR_POINTER_ENCODING },
	{ "undefined_base", 0x60, BYTES("\0\0\0\0\0\0\0\0\0\0\0\0"), 0, 0, ERROR_POINTER_ENCODING },
	{ "indirect_to_nowhere", 0x80,
	  BYTES("\1\0\0\0\0\0\0\0"
		"\4\0\0\0\0\0\0\0"),
	  0, 0, ERROR_POINTER_ENCODING },
	{ "udata2_past_end", 0x02, BYTES("\1"), 0, 0, ERROR_CFI_TRUNCATED },
	{ "udata4_past_end", 0x03, BYTES("\1\2\3"), 0, 0, ERROR_CFI_TRUNCATED },
	{ "udata8_past_end", 0x04, BYTES("\1\2\3\4\5\6\7"), 0, 0, ERROR_CFI_TRUNCATED },
	{ "uleb128_past_end", 0x01, BYTES("\x81\x81"), 0, 0, ERROR_CFI_TRUNCATED },
	{ "sleb128_past_end", 0x09, BYTES("\x81\x81"), 0, 0, ERROR_CFI_TRUNCATED },
	{ "aligned_past_end", 0x50, BYTES("\1\2\3"), 0, 0, ERROR_CFI_TRUNCATED },
};

START_TEST(pointer_is_decoded)
{
	struct bytes bytes = { .size = 0 };
	size_t cie = put_cie(&bytes, pointers[_i].encoding, (struct literal)BYTES(""));
	size_t start = begin_entry(&bytes);
	put_number(&bytes, bytes.size - cie, 4);
	ck_assert_uint_eq(bytes.size, POINTER_VADDR - TEST_SECTION_VADDR);
	put_literal(&bytes, pointers[_i].pointers);
	if (!pointers[_i].code)
		put_number(&bytes, 0, 1); /* length of the augmentation data */
	end_entry(&bytes, start);
	struct image image = fake_image(&bytes);
	image.text_vaddr = 0x500000;
	image.data_vaddr = 0x600000;
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), 0);
	const struct error *first = cfi->diagnostics.error;
	if (pointers[_i].code) {
		ck_assert_msg(!cfi->fde_count && first && first->code == pointers[_i].code &&
				      first->offset == POINTER_VADDR - TEST_SECTION_VADDR,
			      "%s: %s at %" PRIu64, pointers[_i].name,
			      first ? error_code_name(first->code) : "accepted",
			      first ? first->offset : 0);
	} else {
		ck_assert_msg(cfi->fde_count == 1, "%s: %s", pointers[_i].name,
			      first ? first->message : "");
		ck_assert_msg(cfi->fde[0].pc_begin == pointers[_i].pc_begin &&
				      cfi->fde[0].pc_range == pointers[_i].pc_range,
			      "%s: 0x%" PRIx64 "+0x%" PRIx64, pointers[_i].name,
			      cfi->fde[0].pc_begin, cfi->fde[0].pc_range);
	}
	cfi_destroy(cfi);
}
END_TEST

/* ---- .debug_frame ------------------------------------------------------------------------- */

static const struct {
	const char *name;
	struct literal section;
	size_t fdes;
	enum error_code code;
} debug_frames[] = {
	{ "id_is_all_ones_and_pointers_are_offsets",
	  BYTES("\x0a\0\0\0"
		"\xff\xff\xff\xff"
		"\3\0\1\x78\x10\0"
		"\x14\0\0\0"
		"\0\0\0\0"
		"\0\x10\0\0\0\0\0\0"
		"\x10\0\0\0\0\0\0\0"),
	  1, 0 },
	{ "64_bit_dwarf_has_ids_of_8_bytes",
	  BYTES("\xff\xff\xff\xff\x0e\0\0\0\0\0\0\0"
		"\xff\xff\xff\xff\xff\xff\xff\xff"
		"\3\0\1\x78\x10\0"
		"\xff\xff\xff\xff\x18\0\0\0\0\0\0\0"
		"\0\0\0\0\0\0\0\0"
		"\0\x10\0\0\0\0\0\0"
		"\x10\0\0\0\0\0\0\0"),
	  1, 0 },
	{ "addresses_of_4_bytes",
	  BYTES("\x0c\0\0\0"
		"\xff\xff\xff\xff"
		"\4\0\4\0\1\x78\x10\0"
		"\x0c\0\0\0"
		"\0\0\0\0"
		"\0\x10\0\0"
		"\x10\0\0\0"),
	  1, 0 },
	{ "id_of_0_is_an_fde_of_the_first_entry",
	  BYTES("\x0a\0\0\0"
		"\0\0\0\0"
		"\3\0\1\x78\x10\0"),
	  0, ERROR_CIE_POINTER },
};

START_TEST(debug_frame_is_read)
{
	struct image image = {
		.path = "fake",
		.debug_frame = { (const uint8_t *)debug_frames[_i].section.data,
				 debug_frames[_i].section.size, 0, 0, ".debug_frame" },
	};
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), 0);
	ck_assert_msg(cfi->fde_count == debug_frames[_i].fdes, "%s: %zu FDEs",
		      debug_frames[_i].name, cfi->fde_count);
	if (cfi->fde_count) {
		ck_assert_uint_eq(cfi->fde[0].pc_begin, 0x1000);
		ck_assert_uint_eq(cfi->fde[0].pc_range, 0x10);
	} else {
		ck_assert_int_eq(cfi->diagnostics.error[0].code, debug_frames[_i].code);
		ck_assert_str_eq(cfi->diagnostics.error[0].section, ".debug_frame");
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
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), 0);
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
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), 0);
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
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), 0);
	ck_assert_uint_eq(cfi->fde_count, 1);
	ck_assert_msg(cfi->by_pc_count == odd_fdes[_i].covering, "%s", odd_fdes[_i].name);
	ck_assert_int_eq(cfi_fde_find(cfi, odd_fdes[_i].pc) != NULL, odd_fdes[_i].covering != 0);
	ck_assert_uint_eq(cfi->diagnostics.count, 0);
	cfi_destroy(cfi);
}
END_TEST

/* A CIE that nothing points to is an entry like any other. */
START_TEST(cies_alone_are_read)
{
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0, (struct literal)BYTES("\x0c\x07\x08"));
	put_cie(&bytes, 0x1b, (struct literal)BYTES(""));
	struct image image = fake_image(&bytes);
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), 0);
	ck_assert_uint_eq(cfi->cie_count, 2);
	ck_assert_uint_eq(cfi->fde_count, 0);
	ck_assert_uint_eq(cfi->diagnostics.count, 0);
	ck_assert_ptr_null(cfi_fde_find(cfi, TEST_PC));
	cfi_destroy(cfi);
}
END_TEST

/* An indirect pointer is an address of this program's own, in a copy of its file. */
START_TEST(indirect_pointer_is_followed_in_the_file)
{
	struct image *image;
	struct error error;
	ck_assert_int_eq(image_create("/proc/self/exe", &image, &error), 0);
	uint64_t cell = image_symbol_address(image, "main");
	uint64_t value;
	const uint8_t *at = image_bytes(image, cell, sizeof(value));
	ck_assert_ptr_nonnull(at);
	memcpy(&value, at, sizeof(value));

	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0x84, (struct literal)BYTES(""));
	put_fde(&bytes, 0, cell, 0, (struct literal)BYTES(""));
	struct image copy = *image;
	copy.eh_frame = fake_image(&bytes).eh_frame;
	struct cfi *cfi;
	ck_assert_int_eq(cfi_create(&copy, &cfi, &error), 0);
	ck_assert_uint_eq(cfi->fde_count, 1);
	ck_assert_uint_eq(cfi->fde[0].pc_begin, value);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

START_TEST(no_section_is_an_error_and_an_empty_cfi)
{
	struct image image = { .path = "fake" };
	struct cfi *cfi;
	struct error error;
	ck_assert_int_eq(cfi_create(&image, &cfi, &error), -1);
	ck_assert_int_eq(error.code, ERROR_NO_CFI);
	ck_assert_ptr_nonnull(cfi);
	ck_assert_ptr_null(cfi_fde_find(cfi, 0x1000));
	cfi_destroy(cfi);
}
END_TEST

int main(void)
{
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
	Suite *suite = suite_create("cfi_section");
	TCase *tcase = tcase_create("cfi_section");
	tcase_add_loop_test(tcase, section_is_read, 0, COUNT(sections));
	tcase_add_loop_test(tcase, cie_is_read, 0, COUNT(cies));
	tcase_add_loop_test(tcase, pointer_is_decoded, 0, COUNT(pointers));
	tcase_add_loop_test(tcase, debug_frame_is_read, 0, COUNT(debug_frames));
	tcase_add_test(tcase, fde_find_wants_the_highest_that_covers);
	tcase_add_loop_test(tcase, fde_find_agrees_with_a_linear_search, 0, 8);
	tcase_add_loop_test(tcase, odd_fde_is_kept_and_covers_what_it_should, 0, COUNT(odd_fdes));
	tcase_add_test(tcase, cies_alone_are_read);
	tcase_add_test(tcase, indirect_pointer_is_followed_in_the_file);
	tcase_add_test(tcase, no_section_is_an_error_and_an_empty_cfi);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
