/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_sections.c - readelf's lines of images with several sections, and of what is rare in one
 *
 * Registers beyond the general ones, lengths of 64 bits, zero bytes between entries, sections in any order, empty,
 * or without bytes.
 */
#include "tables/diff/tests/readelf_words.h"
#include "tables/table/tests/table_sections.h"

static void junk(struct diff_image *image)
{
	diff_image_put(image, "junk", 4);
}

/* One of each range of names, its first and its last, and of those that have none. */
static void registers(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

#define AT(reg) CFA_offset_extended(reg, 2)
	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, AT(17), AT(32), AT(33), AT(40), AT(41), AT(48),
		       AT(49), AT(50), AT(55), AT(56), AT(58), AT(59), AT(60), AT(62), AT(63),
		       AT(64));
	DIFF_IMAGE_FDE(image, cie, 0x1110, 0x10, AT(65), AT(66), AT(67), AT(82), AT(83), AT(118),
		       AT(125), AT(126), CFA_register(RBX, 67), CFA_register(RBP, 57),
		       CFA_register(R12, 127), CFA_advance_loc(4), CFA_undefined(65),
		       CFA_same_value(66), CFA_val_offset(67, 3), CFA_expression(82, DW_OP_lit0));
#undef AT
}

/* The return address is in r15's column, and rip's is another. */
static void another_return_address(struct diff_image *image)
{
	static const uint8_t other[] = { 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 15, 1, 0, CFA_USUAL };
	size_t cie = diff_image_entry(image, other, sizeof(other));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_offset(R15, 1), CFA_offset(RIP, 2));
}

/* Lengths of 64 and of 32 bits, FDEs of either CIE. */
static void lengths(struct diff_image *image)
{
	static const uint8_t cie64[] = { 0xff, 0xff, 0xff, 0xff, 20,	    0,	  0,
					 0,    0,    0,	   0,	 0,	    0xff, 0xff,
					 0xff, 0xff, 0xff, 0xff, 0xff,	    0xff, 1,
					 0,    1,    0x78, 16,	 CFA_USUAL, 0,	  0 };
	uint8_t fde64[12 + 24] = { 0xff, 0xff, 0xff, 0xff, 24 };
	size_t cie = debug_frame_cie(image), start = image->size;
	uint64_t pc = 0x1320, range = 0x10, of = start;

	diff_image_put(image, cie64, sizeof(cie64));
	debug_frame_fde(image, (uint32_t)cie, 0x1300, 0x10, 16);
	debug_frame_fde(image, (uint32_t)start, 0x1310, 0x10, 24);
	for (int i = 0; i < 2; i++, pc += 0x10, of = cie) {
		memcpy(fde64 + 12, &of, 8);
		memcpy(fde64 + 20, &pc, 8);
		memcpy(fde64 + 28, &range, 8);
		diff_image_put(image, fde64, sizeof(fde64));
	}
}

/* Two terminators, and behind them an entry whose length begins with a zero byte. */
static void zeros(struct diff_image *image)
{
	static const uint8_t none[0x104 - sizeof(plain) - 4] = { 0 };
	const uint32_t zero[2] = { 0 }, length = 0x100;
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	diff_image_put(image, zero, sizeof(zero));
	cie = image->size;
	diff_image_put(image, &length, sizeof(length));
	diff_image_put(image, plain, sizeof(plain));
	diff_image_put(image, none, sizeof(none));
	DIFF_IMAGE_FDE(image, cie, 0x1200, 0x10, CFA_nop);
}

/* Two lengths that are too large by far, of 64 bits and of 32: one goes on at the FDE, and at the CIE, behind. */
static void bad_lengths(struct diff_image *image)
{
	static const uint8_t bad64[16] = { 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1 };
	static const uint8_t bad32[8] = { 0xf0, 0xff, 0xff, 0x7f };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	diff_image_put(image, bad64, sizeof(bad64));
	DIFF_IMAGE_FDE(image, cie, 0x1200, 0x10, CFA_nop);
	diff_image_put(image, bad32, sizeof(bad32));
	cie = diff_image_entry(image, plain, sizeof(plain));
	DIFF_IMAGE_FDE(image, cie, 0x1300, 0x10, CFA_nop);
}

/* Two lengths that are too large, but end in the section: each covers the next entry, an FDE, and a CIE with its FDE. */
static void covering_lengths(struct diff_image *image)
{
	const uint32_t length = 0x3c, longer = 0x54;
	size_t cie = diff_image_entry(image, plain, sizeof(plain)), at = image->size;

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	memcpy(image->bytes + at, &length, sizeof(length));
	DIFF_IMAGE_FDE(image, cie, 0x1200, 0x10, CFA_nop);
	at = image->size;
	DIFF_IMAGE_FDE(image, cie, 0x1300, 0x10, CFA_nop);
	memcpy(image->bytes + at, &longer, sizeof(longer));
	cie = diff_image_entry(image, plain, sizeof(plain));
	DIFF_IMAGE_FDE(image, cie, 0x1400, 0x10, CFA_nop);
}

/* Which only the search table tells: where FDEs begin in the .eh_frame behind it. */
static void search_table(struct diff_image *image)
{
	static const struct {
		uint32_t encodings, eh_frame, count;
		int32_t entry[4][2];
	} table = { 0x3b031b01,
		    0x2c,
		    4,
		    { { 0x1100 - 0x2000, 0x30 + 0x18 },
		      { 0x1200 - 0x2000, 0x30 + 0x38 },
		      { 0x1300 - 0x2000, 0x30 + 0x58 },
		      { 0x1400 - 0x2000, 0x30 + 0x90 } } };

	diff_image_put(image, &table, sizeof(table));
}

/* Its first instruction is none. No FDE is of it. */
static void bad_cie(struct diff_image *image)
{
	static const uint8_t bad[] = { 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, 0x3f };

	diff_image_entry(image, bad, sizeof(bad));
}

/* ---- readelf's lines ------------------------------------------------------------------------ */

/* All of eh_frame() and of debug_frame(). */
#define EH_FRAME                                                                                   \
	CONTENTS(".eh_frame")                                                                      \
	CIE("00000000", "00000000", "zR")                                                          \
	FDE("00000018", "1c", "0000001c", "00000000", "1100", "1110", "")
#define DEBUG_FRAME                                                                                \
	CONTENTS(".debug_frame")                                                                   \
	CIE("00000000", "ffffffff", "")                                                            \
	FDE("00000018", "1c", "00000000", "00000000", "1300", "1310",                              \
	    COLUMNS "0000000000001300 rsp+8    c-8   \n"                                           \
		    "0000000000001301 rsp+16   c-8   \n")

#define OF(...)                                                                                    \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define EH(make)    SECTION(".eh_frame", make)
#define DEBUG(make) SECTION(".debug_frame", make)
#define UNREADABLE(name)                                                                           \
	{                                                                                          \
		name, junk, 0, SHF_COMPRESSED, 0                                                   \
	}
#define NO_BITS(name, make)                                                                        \
	{                                                                                          \
		name, make, SHT_NOBITS, 0, 0                                                       \
	}

static const struct {
	const char *name;
	struct test_section section[4];
	const char *only; /* a section, or all */
	int result;
	size_t diagnostics;
	const char *text;
} cases[] = {
	{ "registers", OF(EH(registers)), NULL, 0, 0,
	  CONTENTS(".eh_frame") CIE("00000000", "00000000", "zR")
		  FDE("00000018", "4c", "0000001c", "00000000", "1100", "1110",
		      "   LOC           CFA      ra    xmm0  xmm15 st0   st7   mm0   mm7   rflags "
		      "es    gs    r56   fs.base gs.base r60   tr    ldtr  mxcsr \n"
		      "0000000000001100 rsp+8    c-8   c-16  c-16  c-16  c-16  c-16  c-16  c-16  "
		      "c-16  c-16  c-16  c-16  c-16  c-16  c-16  c-16  c-16  \n")
			  FDE("00000068", "44", "0000006c", "00000000", "1110", "1120",
			      "   LOC           CFA      rbx   rbp   r12   ra    fcw   fsw   xmm16 "
			      "xmm31 r83   k0    k7    bnd0  \n"
			      "0000000000001110 rsp+8    r67 (xmm16) r57   r127 (bnd1) c-8   c-16  "
			      "c-16  c-16  c-16  c-16  c-16  c-16  c-16  \n"
			      "0000000000001114 rsp+8    r67 (xmm16) r57   r127 (bnd1) c-8   u     "
			      "s     v-24  exp   c-16  c-16  c-16  c-16  \n") },
	{ "another_return_address", OF(EH(another_return_address)), NULL, 0, 0,
	  CONTENTS(".eh_frame") CIE_OF("00000000", "0014", "00000000", "zR", "15",
				       "   LOC           CFA      rip   \n"
				       "0000000000000000 rsp+8    c-8   \n")
		  FDE("00000018", "1c", "0000001c", "00000000", "1100", "1110",
		      "   LOC           CFA      ra    rip   \n"
		      "0000000000001100 rsp+8    c-8   c-16  \n") },
	{ "lengths_of_64_bits", OF(DEBUG(lengths)), NULL, 0, 0,
	  CONTENTS(".debug_frame") CIE("00000000", "ffffffff", "") CIE("00000018",
								       "ffffffffffffffff", "")
		  FDE("00000038", "1c", "00000000", "00000000", "1300", "1310",
		      COLUMNS "0000000000001300 rsp+8    c-8   \n"
			      "0000000000001301 rsp+16   c-8   \n")
			  FDE("00000058", "1c", "00000018", "00000018", "1310", "1320",
			      COLUMNS "0000000000001310 rsp+8    c-8   \n"
				      "0000000000001311 rsp+24   c-8   \n")
				  FDE("00000078", "18", "0000000000000018", "00000018", "1320",
				      "1330", "") FDE("0000009c", "18", "0000000000000000",
						      "00000000", "1330", "1340", "") },
	{ "zeros_before_an_entry", OF(EH(zeros)), NULL, 0, 0,
	  EH_FRAME "00000038 ZERO terminator\n"
		   "\n"
		   "\n" CIE_OF("00000040", "0100", "00000000", "zR", "16", CIE_ROW)
			   FDE("00000144", "1c", "00000108", "00000040", "1200", "1210", "") },
	{ "lengths_that_are_too_large", OF(EH(bad_lengths)), NULL, 0, 2,
	  EH_FRAME FDE("00000048", "1c", "0000004c", "00000000", "1200", "1210", "")
		  CIE("00000070", "00000000", "zR")
			  FDE("00000088", "1c", "0000001c", "00000070", "1300", "1310", "") },
	{ "lengths_that_cover_what_follows",
	  OF(SECTION(".eh_frame_hdr", search_table), EH(covering_lengths)), NULL, 0, 2,
	  CONTENTS(".eh_frame") CIE("00000000", "00000000", "zR")
		  FDE("00000038", "1c", "0000003c", "00000000", "1200", "1210", "")
			  CIE("00000078", "00000000", "zR") FDE("00000090", "1c", "0000001c",
								"00000078", "1400", "1410", "") },
	{ "a_cie_that_can_not_be_read_on", OF(EH(bad_cie)), NULL, 0, 1,
	  CONTENTS(".eh_frame") CIE_OF("00000000", "0014", "00000000", "zR", "16",
				       "   LOC           CFA      \n"
				       "0000000000000000 rax+0    \n") },
	{ "in_the_order_of_the_file", OF(DEBUG(debug_frame), EH(eh_frame)), NULL, 0, 0,
	  DEBUG_FRAME EH_FRAME },
	{ "in_the_other_order", OF(EH(eh_frame), DEBUG(debug_frame)), NULL, 0, 0,
	  EH_FRAME DEBUG_FRAME },
	{ "one_of_two", OF(DEBUG(debug_frame), EH(eh_frame)), ".eh_frame", 0, 0, EH_FRAME },
	{ "empty_ones", OF(EH(nothing), EH(nothing), EH(eh_frame)), NULL, 0, 0,
	  NO_DATA(".eh_frame") NO_DATA(".eh_frame") EH_FRAME },
	{ "an_empty_one_alone", OF(EH(nothing)), NULL, 0, 0, NO_DATA(".eh_frame") },
	{ "one_without_bytes", OF(NO_BITS(".eh_frame", eh_frame)), NULL, 0, 0,
	  "section '.eh_frame' has the NOBITS type - its contents are unreliable.\n" },
	{ "another_without_bytes", OF(NO_BITS(".debug_frame", debug_frame), EH(nothing)), NULL, 0,
	  0,
	  NO_DATA(".eh_frame") "section '.debug_frame' has the NOBITS type - its contents are "
			       "unreliable.\n" },
	{ "an_empty_one_beside_another", OF(DEBUG(nothing), EH(eh_frame)), NULL, 0, 0,
	  NO_DATA(".debug_frame") EH_FRAME },
	{ "an_empty_one_that_is_not_asked_for", OF(DEBUG(nothing), EH(nothing), EH(eh_frame)),
	  ".debug_frame", 0, 0, NO_DATA(".debug_frame") },
	{ "three_in_the_order_of_the_file", OF(EH(eh_frame), DEBUG(debug_frame), EH(eh_frame)),
	  NULL, 0, 0, EH_FRAME DEBUG_FRAME EH_FRAME },
	{ "one_that_can_not_be_read", OF(EH(eh_frame), UNREADABLE(".debug_frame")), NULL, 0, 1,
	  EH_FRAME },
	{ "one_that_can_not_be_read_alone", OF(UNREADABLE(".debug_frame")), NULL, -1, 0, "" },
	{ "one_that_can_not_be_read_and_is_not_asked_for",
	  OF(EH(eh_frame), UNREADABLE(".debug_frame")), ".eh_frame", 0, 0, EH_FRAME },
	{ "what_is_wrong_with_another_is_not_its", OF(EH(eh_frame), EH(junk), DEBUG(debug_frame)),
	  ".debug_frame", 0, 0, DEBUG_FRAME },
	{ "what_is_wrong_with_two", OF(EH(junk), EH(junk)), NULL, 0, 2,
	  CONTENTS(".eh_frame") CONTENTS(".eh_frame") },
	{ "an_eh_frame_that_can_not_be_read", OF(EH(eh_frame), UNREADABLE(".eh_frame")), NULL, 0, 1,
	  EH_FRAME },
	{ "and_is_not_asked_for", OF(DEBUG(nothing), EH(eh_frame), UNREADABLE(".eh_frame")),
	  ".debug_frame", 0, 0, NO_DATA(".debug_frame") },
	{ "what_is_wrong_with_one", OF(EH(eh_frame), EH(junk)), NULL, 0, 1,
	  EH_FRAME CONTENTS(".eh_frame") },
};

START_TEST(readelf_s_lines)
{
	struct table_filter filter = { .section = cases[_i].only };
	char *text;

	section_image_write("image", cases[_i].section);
	text = formatted(table_readelf, &filter, cases[_i].result, cases[_i].diagnostics,
			 cases[_i].name);
	ck_assert_msg(!strcmp(text, cases[_i].text), "%s:\n%s", cases[_i].name, text);
	free(text);
}
END_TEST

SUITE(table_sections, FIXTURE(folder_enter, folder_remove), LOOP(readelf_s_lines, cases))
