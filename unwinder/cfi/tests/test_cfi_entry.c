/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cfi_entry.c - one CIE or FDE: versions, augmentations, pointer encodings
 *
 * Entries are made by hand at image address 0x400000: each version in each section, each letter of
 * an augmentation in any order, each encoding of a pointer, and how each can be cut off.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "cfi/cfi.h"

/* ---- CIEs -------------------------------------------------------------------------------- */

#define FAILS(code, offset) code, offset, 0, 0, 0, 0, false, 0
/* Pointers, or fields, one behind the other. */
#define TWO(one, other) BYTES(one other)

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
	{ "version_2_is_not_read", BYTES("\2\0\1\x78\x10"), FAILS(ERROR_CIE_VERSION, 0) },
	{ "version_6_is_not_read", BYTES("\6\0\1\x78\x10"), FAILS(ERROR_CIE_VERSION, 0) },
	{ "address_of_3_bytes_is_not_read", BYTES("\4\0\3\0\1\x78\x10"),
	  FAILS(ERROR_CIE_VERSION, 2) },
	{ "segment_selectors_are_not_read", BYTES("\4\0\x08\1\1\x78\x10"),
	  FAILS(ERROR_CIE_VERSION, 2) },
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
	{ "unknown_letters_without_z", BYTES("\1X\0\1\x78\x10"),
	  FAILS(ERROR_CIE_AUGMENTATION, (uint64_t)-8) },
	{ "augmentation_of_any_length", BYTES("\1zRabcdefghijklmn\0\1\x78\x10\2\x1b\xee"), 0, 0, 1,
	  -8, 16, 0x1b, false, 0 },
	{ "augmentation_of_any_length_without_z", BYTES("\1SBGSBGSBGSBGSBGSBGSBG\0\1\x78\x10"), 0,
	  0, 1, -8, 16, 0, true, 0 },
	{ "no_version", BYTES(""), FAILS(ERROR_CFI_TRUNCATED, 0) },
	{ "augmentation_does_not_end", BYTES("\1zR"), FAILS(ERROR_CFI_TRUNCATED, 1) },
	{ "address_size_past_end", BYTES("\4\0\x08"), FAILS(ERROR_CFI_TRUNCATED, 3) },
	{ "code_alignment_past_end", BYTES("\1\0\x81"), FAILS(ERROR_CFI_TRUNCATED, 2) },
	{ "data_alignment_past_end", BYTES("\1\0\1"), FAILS(ERROR_CFI_TRUNCATED, 3) },
	{ "return_register_past_end", BYTES("\1\0\1\x78"), FAILS(ERROR_CFI_TRUNCATED, 4) },
	{ "augmentation_length_past_end", BYTES("\1zR\0\1\x78\x10\x80"),
	  FAILS(ERROR_CFI_TRUNCATED, 7) },
	{ "augmentation_data_past_end", BYTES("\1zR\0\1\x78\x10\2\x1b"),
	  FAILS(ERROR_CFI_TRUNCATED, 8) },
	{ "augmentation_data_too_short", BYTES("\1zLR\0\1\x78\x10\1\x1b"),
	  FAILS(ERROR_CFI_TRUNCATED, 10) },
	{ "personality_past_augmentation_data", BYTES("\1zPR\0\1\x78\x10\3\x03\1\2\0\0\0\0"),
	  FAILS(ERROR_CFI_TRUNCATED, 10) },
};

START_TEST(cie_is_read)
{
	struct bytes bytes = { .size = 0 };
	size_t start = begin_entry(&bytes);
	put_number(&bytes, 0, 4);
	put_literal(&bytes, cies[_i].body);
	end_entry(&bytes, start);
	/* One that nobody uses is no fault (test_limits.c). */
	if (cies[_i].code)
		put_fde(&bytes, 0, TEST_PC, 16, (struct literal)CFI(CFA_def_cfa_offset(16)));
	struct image image = fake_image(&bytes);
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->cie_count, cies[_i].code ? 0 : 1);
	const struct cfi_cie *cie = &cfi->cie[0];
	if (cies[_i].code) {
		ck_assert_msg(cfi->diagnostics.count == 2, "%s was accepted", cies[_i].name);
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

/* Every order of every letter, once each. The data stand in the order of the letters. */
START_TEST(letters_may_stand_in_any_order)
{
	static const struct {
		char letter;
		struct literal data;
	} letters[] = {
		{ 'R', BYTES("\x1b") }, { 'L', BYTES("\x3c") }, { 'P', BYTES("\x9b\1\2\3\4") },
		{ 'S', BYTES("") },	{ 'B', BYTES("") },	{ 'G', BYTES("") },
	};
	enum { LETTERS = sizeof(letters) / sizeof(letters[0]) };
	size_t orders = 0;
	for (unsigned int number = 0; number < 46656; number++) { /* LETTERS to the LETTERSth */
		unsigned int used = 0;
		char string[LETTERS + 2] = "z";
		struct bytes data = { .size = 0 };
		for (unsigned int i = 0, rest = number; i < LETTERS; i++, rest /= LETTERS) {
			used |= 1u << rest % LETTERS;
			string[i + 1] = letters[rest % LETTERS].letter;
			put_literal(&data, letters[rest % LETTERS].data);
		}
		if (used != (1u << LETTERS) - 1)
			continue;
		struct bytes bytes = { .size = 0 };
		size_t start = begin_entry(&bytes);
		put(&bytes, "\0\0\0\0\1", 5);
		put(&bytes, string, sizeof(string));
		put(&bytes, "\1\x78\x10", 3);
		put_number(&bytes, data.size, 1);
		put(&bytes, data.data, data.size);
		put(&bytes, CFI_SIZED(CFA_def_cfa(RSP, 8)));
		end_entry(&bytes, start);
		struct image image = fake_image(&bytes);
		struct cfi *cfi = cfi_of(&image);
		const struct cfi_cie *cie = cfi->cie;
		ck_assert_msg(cfi->cie_count == 1 && cie->fde_encoding == 0x1b &&
				      cie->lsda_encoding == 0x3c && cie->signal_frame &&
				      cie->instruction_bytes == 3 &&
				      *cie->instructions == CFA_DEF_CFA,
			      "\"%s\"", string);
		cfi_destroy(cfi);
		orders++;
	}
	ck_assert_uint_eq(orders, 720);
}
END_TEST

/* Each version in each section, with lengths of both sizes: one CIE, one FDE. */
START_TEST(version_is_read_in_either_section)
{
	static const uint8_t versions[] = { 1, 3, 4, 5 };
	uint8_t version = versions[_i / 4];
	bool is_eh_frame = _i & 1;
	bool is_64bit = _i & 2;
	unsigned int id_bytes = is_64bit && !is_eh_frame ? 8 : 4;
	struct bytes bytes = { .size = 0 };
	size_t cie_size = id_bytes + (version >= 4 ? 10 : 8);
	if (is_64bit)
		put_number(&bytes, UINT32_MAX, 4);
	put_number(&bytes, cie_size, is_64bit ? 8 : 4);
	put_number(&bytes, is_eh_frame ? 0 : UINT64_MAX, id_bytes);
	put_number(&bytes, version, 1);
	put(&bytes, "\0\x08\0", version >= 4 ? 3 : 1);
	put(&bytes, "\1\x78\x10", 3);
	put(&bytes, CFI_SIZED(CFA_def_cfa(RSP, 8)));
	if (is_64bit)
		put_number(&bytes, UINT32_MAX, 4);
	put_number(&bytes, id_bytes + 18, is_64bit ? 8 : 4);
	put_number(&bytes, is_eh_frame ? bytes.size : 0, id_bytes);
	put_number(&bytes, TEST_PC, 8);
	put_number(&bytes, TEST_PC_RANGE, 8);
	put(&bytes, CFI_SIZED(CFA_def_cfa_offset(16)));
	struct image image = fake_image(&bytes);
	if (!is_eh_frame) {
		image.debug_frame = image.eh_frame;
		image.debug_frame.name = ".debug_frame";
		image.eh_frame = (struct image_section) { 0 };
	}
	struct row row;
	struct error error;
	struct cfi *cfi = cfi_of(&image);
	ck_assert_msg(cfi->cie_count == 1 && cfi->fde_count == 1 && !cfi->diagnostics.count,
		      "version %u: %zu CIEs, %zu FDEs: %s", version, cfi->cie_count, cfi->fde_count,
		      cfi->diagnostics.count ? cfi->diagnostics.error->message : "");
	ck_assert_uint_eq(cfi->cie->version, version);
	ck_assert_int_eq(cfi->cie->is_64bit, is_64bit);
	ck_assert_int_eq(cfi_row_find(cfi, TEST_PC + TEST_PC_RANGE - 1, &row, &error), 1);
	ck_assert_int_eq(row.cfa.offset, 16);
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
	{ "absptr", 0x00, TWO("\1\2\3\0\0\0\0\0", "\4\0\0\0\0\0\0\0"), 0x30201, 4, 0 },
	{ "uleb128", 0x01, BYTES("\x80\x20\x85\1"), 0x1000, 133, 0 },
	{ "udata2", 0x02, TWO("\xff\xff", "\4\0"), 0xffff, 4, 0 },
	{ "udata4", 0x03, TWO("\xff\xff\xff\xff", "\4\0\0\0"), 0xffffffff, 4, 0 },
	{ "udata8", 0x04, TWO("\1\0\0\0\0\0\0\1", "\4\0\0\0\0\0\0\0"), 0x100000000000001, 4, 0 },
	{ "signed", 0x08, TWO("\1\0\0\0\0\0\0\0", "\4\0\0\0\0\0\0\0"), 1, 4, 0 },
	{ "sleb128", 0x09, BYTES("\x80\x20\x84\0"), 0x1000, 4, 0 },
	{ "sleb128_is_signed_and_its_range_is_not", 0x09, BYTES("\x80\x7f\x40"), (uint64_t)-128, 64,
	  0 },
	{ "sdata2_is_signed", 0x0a, TWO("\x00\x80", "\4\0"), (uint64_t)-0x8000, 4, 0 },
	{ "sdata4_is_signed", 0x0b, TWO("\0\0\0\x80", "\4\0\0\0"), (uint64_t)-0x80000000l, 4, 0 },
	{ "sdata8", 0x0c, TWO("\1\0\0\0\0\0\0\0", "\4\0\0\0\0\0\0\0"), 1, 4, 0 },
	{ "range_has_no_sign", 0x0b, TWO("\0\0\0\0", "\0\0\0\x80"), 0, 0x80000000, 0 },
	{ "pcrel", 0x1b, TWO("\xf0\xff\xff\xff", "\4\0\0\0"), POINTER_VADDR - 16, 4, 0 },
	{ "textrel", 0x2b, TWO("\x10\0\0\0", "\4\0\0\0"), 0x500010, 4, 0 },
	{ "datarel", 0x3b, TWO("\x10\0\0\0", "\4\0\0\0"), 0x600010, 4, 0 },
	{ "funcrel_has_no_base_for_pc_begin", 0x4b, TWO("\x10\0\0\0", "\4\0\0\0"), 0x10, 4, 0 },
	{ "aligned_skips_to_a_multiple_of_8", 0x50,
	  BYTES("\xee\xee\xee\xee\xee\xee\xee"
		"\1\2\3\0\0\0\0\0"
		"\4\0\0\0\0\0\0\0"),
	  0x30201, 4, 0 },
	{ "omit", 0xff, BYTES("\0\0\0\0"), 0, 0, ERROR_POINTER_ENCODING },
	{ "undefined_format", 0x05, BYTES("\0\0\0\0\0\0\0\0\0\0\0\0"), 0, 0,
	  ERROR_POINTER_ENCODING },
	{ "undefined_base", 0x60, BYTES("\0\0\0\0\0\0\0\0\0\0\0\0"), 0, 0, ERROR_POINTER_ENCODING },
	{ "indirect_to_nowhere", 0x80, TWO("\1\0\0\0\0\0\0\0", "\4\0\0\0\0\0\0\0"), 0, 0,
	  ERROR_POINTER_ENCODING },
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
	struct cfi *cfi = cfi_of(&image);
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
	struct cfi *cfi = cfi_of(&image);
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
	struct cfi *cfi = cfi_of(&copy);
	ck_assert_uint_eq(cfi->fde_count, 1);
	ck_assert_uint_eq(cfi->fde[0].pc_begin, value);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

SUITE(cfi_entry, LOOP(cie_is_read, cies), TEST(letters_may_stand_in_any_order),
      TIMES(version_is_read_in_either_section, 16), LOOP(pointer_is_decoded, pointers),
      LOOP(debug_frame_is_read, debug_frames), TEST(indirect_pointer_is_followed_in_the_file))
