/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_sections.c - readelf's lines of images with several sections, and of what is rare in one
 *
 * Registers beyond the general ones, lengths of 64 bits, zero bytes between entries, sections in any order, empty,
 * or without bytes.
 */
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

static const struct {
	const char *name;
	struct test_section section[4];
	const char *only; /* a section, or all */
	int result;
	size_t diagnostics;
	const char *text;
} cases[] = {
	{ "registers",
	  { SECTION(".eh_frame", registers) },
	  NULL,
	  0,
	  0,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000004c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "   LOC           CFA      ra    xmm0  xmm15 st0   st7   mm0   mm7   rflags es    gs    "
	  "r56   fs.base gs.base r60   tr    ldtr  mxcsr \n"
	  "0000000000001100 rsp+8    c-8   c-16  c-16  c-16  c-16  c-16  c-16  c-16  c-16  c-16  "
	  "c-16  c-16  c-16  c-16  c-16  c-16  c-16  \n"
	  "\n"
	  "00000068 0000000000000044 0000006c FDE cie=00000000 "
	  "pc=0000000000001110..0000000000001120\n"
	  "   LOC           CFA      rbx   rbp   r12   ra    fcw   fsw   xmm16 xmm31 r83   k0    "
	  "k7    bnd0  \n"
	  "0000000000001110 rsp+8    r67 (xmm16) r57   r127 (bnd1) c-8   c-16  c-16  c-16  c-16  "
	  "c-16  c-16  c-16  c-16  \n"
	  "0000000000001114 rsp+8    r67 (xmm16) r57   r127 (bnd1) c-8   u     s     v-24  exp   "
	  "c-16  c-16  c-16  c-16  \n"
	  "\n" },
	{ "another_return_address",
	  { SECTION(".eh_frame", another_return_address) },
	  NULL,
	  0,
	  0,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=15\n"
	  "   LOC           CFA      rip   \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "   LOC           CFA      ra    rip   \n"
	  "0000000000001100 rsp+8    c-8   c-16  \n"
	  "\n" },
	{ "lengths_of_64_bits",
	  { SECTION(".debug_frame", lengths) },
	  NULL,
	  0,
	  0,
	  "Contents of the .debug_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 ffffffff CIE \"\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 0000000000000014 ffffffffffffffff CIE \"\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000038 000000000000001c 00000000 FDE cie=00000000 "
	  "pc=0000000000001300..0000000000001310\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000001300 rsp+8    c-8   \n"
	  "0000000000001301 rsp+16   c-8   \n"
	  "\n"
	  "00000058 000000000000001c 00000018 FDE cie=00000018 "
	  "pc=0000000000001310..0000000000001320\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000001310 rsp+8    c-8   \n"
	  "0000000000001311 rsp+24   c-8   \n"
	  "\n"
	  "00000078 0000000000000018 0000000000000018 FDE cie=00000018 "
	  "pc=0000000000001320..0000000000001330\n"
	  "\n"
	  "0000009c 0000000000000018 0000000000000000 FDE cie=00000000 "
	  "pc=0000000000001330..0000000000001340\n"
	  "\n" },
	{ "zeros_before_an_entry",
	  { SECTION(".eh_frame", zeros) },
	  NULL,
	  0,
	  0,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n"
	  "00000038 ZERO terminator\n"
	  "\n"
	  "\n"
	  "00000040 0000000000000100 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000144 000000000000001c 00000108 FDE cie=00000040 "
	  "pc=0000000000001200..0000000000001210\n"
	  "\n" },
	{ "lengths_that_are_too_large",
	  { SECTION(".eh_frame", bad_lengths) },
	  NULL,
	  0,
	  2,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n"
	  "00000048 000000000000001c 0000004c FDE cie=00000000 "
	  "pc=0000000000001200..0000000000001210\n"
	  "\n"
	  "00000070 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000088 000000000000001c 0000001c FDE cie=00000070 "
	  "pc=0000000000001300..0000000000001310\n"
	  "\n" },
	{ "lengths_that_cover_what_follows",
	  { SECTION(".eh_frame_hdr", search_table), SECTION(".eh_frame", covering_lengths) },
	  NULL,
	  0,
	  2,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000038 000000000000001c 0000003c FDE cie=00000000 "
	  "pc=0000000000001200..0000000000001210\n"
	  "\n"
	  "00000078 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000090 000000000000001c 0000001c FDE cie=00000078 "
	  "pc=0000000000001400..0000000000001410\n"
	  "\n" },
	{ "a_cie_that_can_not_be_read_on",
	  { SECTION(".eh_frame", bad_cie) },
	  NULL,
	  0,
	  1,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      \n"
	  "0000000000000000 rax+0    \n"
	  "\n" },
	{ "in_the_order_of_the_file",
	  { SECTION(".debug_frame", debug_frame), SECTION(".eh_frame", eh_frame) },
	  NULL,
	  0,
	  0,
	  "Contents of the .debug_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 ffffffff CIE \"\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 00000000 FDE cie=00000000 "
	  "pc=0000000000001300..0000000000001310\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000001300 rsp+8    c-8   \n"
	  "0000000000001301 rsp+16   c-8   \n"
	  "\n"
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n" },
	{ "in_the_other_order",
	  { SECTION(".eh_frame", eh_frame), SECTION(".debug_frame", debug_frame) },
	  NULL,
	  0,
	  0,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n"
	  "Contents of the .debug_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 ffffffff CIE \"\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 00000000 FDE cie=00000000 "
	  "pc=0000000000001300..0000000000001310\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000001300 rsp+8    c-8   \n"
	  "0000000000001301 rsp+16   c-8   \n"
	  "\n" },
	{ "one_of_two",
	  { SECTION(".debug_frame", debug_frame), SECTION(".eh_frame", eh_frame) },
	  ".eh_frame",
	  0,
	  0,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n" },
	{ "empty_ones",
	  { SECTION(".eh_frame", nothing), SECTION(".eh_frame", nothing),
	    SECTION(".eh_frame", eh_frame) },
	  NULL,
	  0,
	  0,
	  "\n"
	  "Section '.eh_frame' has no debugging data.\n"
	  "\n"
	  "Section '.eh_frame' has no debugging data.\n"
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n" },
	{ "an_empty_one_alone",
	  { SECTION(".eh_frame", nothing) },
	  NULL,
	  0,
	  0,
	  "\n"
	  "Section '.eh_frame' has no debugging data.\n" },
	{ "one_without_bytes",
	  { { ".eh_frame", eh_frame, SHT_NOBITS, 0, 0 } },
	  NULL,
	  0,
	  0,
	  "section '.eh_frame' has the NOBITS type - its contents are unreliable.\n" },
	{ "another_without_bytes",
	  { { ".debug_frame", debug_frame, SHT_NOBITS, 0, 0 }, SECTION(".eh_frame", nothing) },
	  NULL,
	  0,
	  0,
	  "\n"
	  "Section '.eh_frame' has no debugging data.\n"
	  "section '.debug_frame' has the NOBITS type - its contents are unreliable.\n" },
	{ "an_empty_one_beside_another",
	  { SECTION(".debug_frame", nothing), SECTION(".eh_frame", eh_frame) },
	  NULL,
	  0,
	  0,
	  "\n"
	  "Section '.debug_frame' has no debugging data.\n"
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n" },
	{ "an_empty_one_that_is_not_asked_for",
	  { SECTION(".debug_frame", nothing), SECTION(".eh_frame", nothing),
	    SECTION(".eh_frame", eh_frame) },
	  ".debug_frame",
	  0,
	  0,
	  "\n"
	  "Section '.debug_frame' has no debugging data.\n" },
	{ "three_in_the_order_of_the_file",
	  { SECTION(".eh_frame", eh_frame), SECTION(".debug_frame", debug_frame),
	    SECTION(".eh_frame", eh_frame) },
	  NULL,
	  0,
	  0,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n"
	  "Contents of the .debug_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 ffffffff CIE \"\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 00000000 FDE cie=00000000 "
	  "pc=0000000000001300..0000000000001310\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000001300 rsp+8    c-8   \n"
	  "0000000000001301 rsp+16   c-8   \n"
	  "\n"
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n" },
	{ "one_that_can_not_be_read",
	  { SECTION(".eh_frame", eh_frame), { ".debug_frame", junk, 0, SHF_COMPRESSED, 0 } },
	  NULL,
	  0,
	  1,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n" },
	{ "one_that_can_not_be_read_alone",
	  { { ".debug_frame", junk, 0, SHF_COMPRESSED, 0 } },
	  NULL,
	  -1,
	  0,
	  "" },
	{ "one_that_can_not_be_read_and_is_not_asked_for",
	  { SECTION(".eh_frame", eh_frame), { ".debug_frame", junk, 0, SHF_COMPRESSED, 0 } },
	  ".eh_frame",
	  0,
	  0,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n" },
	{ "what_is_wrong_with_another_is_not_its",
	  { SECTION(".eh_frame", eh_frame), SECTION(".eh_frame", junk),
	    SECTION(".debug_frame", debug_frame) },
	  ".debug_frame",
	  0,
	  0,
	  "Contents of the .debug_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 ffffffff CIE \"\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 00000000 FDE cie=00000000 "
	  "pc=0000000000001300..0000000000001310\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000001300 rsp+8    c-8   \n"
	  "0000000000001301 rsp+16   c-8   \n"
	  "\n" },
	{ "what_is_wrong_with_two",
	  { SECTION(".eh_frame", junk), SECTION(".eh_frame", junk) },
	  NULL,
	  0,
	  2,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n" },
	{ "an_eh_frame_that_can_not_be_read",
	  { SECTION(".eh_frame", eh_frame), { ".eh_frame", junk, 0, SHF_COMPRESSED, 0 } },
	  NULL,
	  0,
	  1,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n" },
	{ "and_is_not_asked_for",
	  { SECTION(".debug_frame", nothing),
	    SECTION(".eh_frame", eh_frame),
	    { ".eh_frame", junk, 0, SHF_COMPRESSED, 0 } },
	  ".debug_frame",
	  0,
	  0,
	  "\n"
	  "Section '.debug_frame' has no debugging data.\n" },
	{ "what_is_wrong_with_one",
	  { SECTION(".eh_frame", eh_frame), SECTION(".eh_frame", junk) },
	  NULL,
	  0,
	  1,
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n"
	  "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
	  "   LOC           CFA      ra    \n"
	  "0000000000000000 rsp+8    c-8   \n"
	  "\n"
	  "00000018 000000000000001c 0000001c FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001110\n"
	  "\n"
	  "Contents of the .eh_frame section:\n"
	  "\n"
	  "\n" },
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

SUITE(table_sections, FIXTURE(set_up, tear_down), LOOP(readelf_s_lines, cases))
