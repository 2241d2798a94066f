/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_sections.c - `table` of images with several sections, and of what is rare in one
 *
 * As readelf's lines: registers beyond the general ones, lengths of 64 bits, zero bytes between entries, sections in any
 * order, empty, or without bytes. As JSON: what is wrong in two sections at once. The command's own: what it counts
 * over several files, and how much it says of each.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"
#include "tables/table/table.h"
#include "tables/table/tests/section_image.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const uint8_t plain[] = { 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, CFA_USUAL };

/* ---- sections ------------------------------------------------------------------------------- */

static void eh_frame(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
}

static void debug_frame(struct diff_image *image)
{
	size_t cie = debug_frame_cie(image);

	debug_frame_fde(image, (uint32_t)cie, 0x1300, 0x10, 16);
}

static void nothing(struct diff_image *image)
{
}

static void junk(struct diff_image *image)
{
	diff_image_put(image, "junk", 4);
}

static void debug_link(struct diff_image *image)
{
	section_debug_link(image, "debug");
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

static char folder[32];

static void set_up(void)
{
	strcpy(folder, "/tmp/test_table_sections.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void tear_down(void)
{
	unlink("image");
	ck_assert_int_eq(chdir("/"), 0);
	rmdir(folder);
}

/* All that a format makes of the file "image". */
static char *formatted(table_format_fn write, struct table_filter *filter, int result,
		       size_t diagnostics, const char *name)
{
	struct error_list list = { 0 };
	struct image *image;
	struct error error;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_msg(!image_create("image", &image, &error), "%s: %s", name, error.message);
	ck_assert_msg(write(file, image, filter, &list, &error) == result, "%s: %s", name,
		      error.message);
	fclose(file);
	ck_assert_msg(list.count + list.dropped == diagnostics, "%s: %zu diagnostics, the first %s",
		      name, list.count, list.count ? list.error[0].message : "");
	error_list_deinit(&list);
	image_destroy(image);
	return text;
}

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

/* ---- JSON ----------------------------------------------------------------------------------- */

/* FDEs of no code, which are told behind all rows. */
static void covers_nothing(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1200, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1300, 4, CFA_nop);
}

/* The same at the same offsets, of other code. */
static void covers_nothing_again(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1140, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1240, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1340, 4, CFA_nop);
}

/* The second of three can't be read to its end, and behind them is one of no CIE. */
static void second_is_bad(struct diff_image *image)
{
	static const uint8_t of_none[] = { 12, 0, 0, 0, 1, 0, 0, 0, 0, 0x11, 0, 0, 4, 0, 0, 0 };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1110, 0x10, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1120, 0x10, CFA_nop);
	diff_image_put(image, of_none, sizeof(of_none));
}

static size_t count_of(const char *text, const char *part)
{
	size_t ret = 0;

	for (; (text = strstr(text, part)); text++)
		ret++;
	return ret;
}

START_TEST(what_is_wrong_in_two_sections_is_told_of_both)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", covers_nothing),
							SECTION(".eh_frame", covers_nothing_again),
							NO_SECTION };
	struct table_filter filter = { .section = NULL };
	char *text;

	section_image_write("image", sections);
	text = formatted(table_json, &filter, 0, 4, "two sections");
	ck_assert_msg(count_of(text, "\"code\":\"cfi_instruction\",\"section\":\".eh_frame\"") == 2,
		      "%s", text);
	ck_assert_msg(count_of(text, "\"code\":\"cfi_instruction\",\"section\":\".eh_frame[") == 2,
		      "%s", text);
	free(text);
}
END_TEST

/* A row is of its section, and what is asked for is all that is asked of it. */
START_TEST(a_part_of_two_sections)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", eh_frame),
							SECTION(".debug_frame", debug_frame),
							NO_SECTION },
					 bad[] = { SECTION(".eh_frame", second_is_bad),
						   NO_SECTION };
	struct table_filter filter = { .by_pc = true, .pc = 0x1100, .pc_end = 0x1400 };
	char *text;

	section_image_write("image", sections);
	text = formatted(table_json, &filter, 0, 0, "two sections");
	ck_assert_msg(count_of(text, "\"section\":\".eh_frame\"") == 1, "%s", text);
	ck_assert_msg(count_of(text, "\"section\":\".debug_frame\"") == 2, "%s", text);
	free(text);
	section_image_write("image", bad);
	for (int i = 0; i < 3; i++) { /* the bad one is among them, is it alone, is not */
		filter.pc = i == 1 ? 0x1110 : 0x1100;
		filter.pc_end = i == 2 ? 0x1110 : 0x1130;
		/* Whatever is asked for, what can't be read may be it. */
		text = formatted(table_text, &filter, 0, i == 2 ? 1 : 2, "a bad one");
		ck_assert_msg(count_of(text, "function ") == (i == 0   ? 3
							      : i == 1 ? 2
								       : 1),
			      "%s", text);
		free(text);
	}
}
END_TEST

/* ---- the command ---------------------------------------------------------------------------- */

static void many_outside(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	for (int i = 0; i < 22; i++)
		DIFF_IMAGE_FDE(image, cie, 0x9000 + 0x10 * i, 0x10, CFA_nop);
}

/* An FDE whose CIE would be within itself. */
static void of_no_cie(struct diff_image *image)
{
	static const uint8_t fde[] = { 12, 0, 0, 0, 1, 0, 0, 0, 0, 0x11, 0, 0, 4, 0, 0, 0 };

	diff_image_put(image, fde, sizeof(fde));
}

/* f has no length, and g has one. */
static void symbols(struct diff_image *image)
{
	const Elf64_Sym symbol[3] = {
		{ 0 },
		{ .st_name = 1,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		  .st_shndx = 1,
		  .st_value = 0x1210 },
		{ .st_name = 3,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		  .st_shndx = 1,
		  .st_value = 0x1100,
		  .st_size = 0x10 },
	};

	diff_image_put(image, symbol, sizeof(symbol));
}

static void symbol_names(struct diff_image *image)
{
	diff_image_put(image, "\0f\0g", 5);
}

static void three(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1200, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1210, 0x10, CFA_nop);
}

static const struct {
	const char *name;
	struct test_section section[5];
} images[] = {
	{ "good", { SECTION(".eh_frame", eh_frame) } },
	{ "three",
	  { { ".text", nothing, 0, SHF_ALLOC | SHF_EXECINSTR, 0 },
	    SECTION(".eh_frame", three),
	    { ".symtab", symbols, SHT_SYMTAB, 0, 0 },
	    { ".strtab", symbol_names, SHT_STRTAB, 0, 0 } } },
	{ "nothing", { NO_SECTION } },
	{ "outside", { SECTION(".eh_frame", many_outside) } },
	{ "bad", { { ".eh_frame", of_no_cie, 0, 0, 1 } } },
	{ "very_bad", { { ".eh_frame", of_no_cie, 0, 0, 1005 } } },
	{ "debug", { SECTION(".debug_frame", debug_frame) } },
	{ "linked", { SECTION(".eh_frame", eh_frame), SECTION(".gnu_debuglink", debug_link) } },
};

static const struct {
	const char *name;
	const char *argument[6];
	enum exit_status status;
	const char *has[4], *has_not[2];
} commands[] = {
	{ "entries_of_all_files_are_counted",
	  { "three", "good", "nothing" },
	  EXIT_OK,
	  { "checked: 4 entries; not checked: 1 images without CFI" },
	  { NULL } },
	{ "whichever_comes_last",
	  { "nothing", "good", "three" },
	  EXIT_OK,
	  { "checked: 4 entries; not checked: 1 images without CFI" },
	  { NULL } },
	{ "a_bad_one_is_not_forgotten",
	  { "bad", "good" },
	  EXIT_BAD_INPUT,
	  { "bad: .eh_frame" },
	  { NULL } },
	{ "nor_if_it_comes_last",
	  { "good", "bad" },
	  EXIT_BAD_INPUT,
	  { "bad: .eh_frame" },
	  { NULL } },
	{ "twenty_of_what_no_table_has",
	  { "outside" },
	  EXIT_OK,
	  { "of 0x9000..0x9010", "of 0x9130..0x9140", "outside: and 2 more (--json has them)" },
	  { "of 0x9140..0x9150" } },
	{ "of_a_part_nothing",
	  { "outside", "--pc=0x9150" },
	  EXIT_OK,
	  { "cfa=rsp+8" },
	  { "no executable segment" } },
	{ "all_of_it_in_json",
	  { "outside", "--json" },
	  EXIT_OK,
	  { "\"pc\":\"0x9140\",\"pc_end\":\"0x9150\"}" },
	  { "more" } },
	{ "twenty_of_what_is_wrong",
	  { "very_bad" },
	  EXIT_BAD_INPUT,
	  { "very_bad: and 985 more (--json has them)" },
	  { NULL } },
	{ "a_thousand_in_json",
	  { "very_bad", "--json" },
	  EXIT_BAD_INPUT,
	  { "{\"type\":\"error\",\"image\":\"very_bad\",\"more\":5}\n",
	    "very_bad: and 985 more\n" },
	  { "(--json" } },
	{ "a_function_without_length_is_its_first_byte",
	  { "three", "--func=f" },
	  EXIT_OK,
	  { "function f\n" },
	  { "function g\n", "function fde" } },
	{ "a_function_of_a_length",
	  { "three", "--func=g" },
	  EXIT_OK,
	  { "function g\n" },
	  { "function f\n", "function fde" } },
	{ "of_two_files_one_has_it",
	  { "good", "three", "--func=g" },
	  EXIT_OK,
	  { "good: the image has no function 'g'",
	    "checked: 1 entries; not checked: 1 files without an FDE there" },
	  { NULL } },
	{ "debug_frame_is_the_debug_file_s",
	  { "linked", "--section=.debug_frame" },
	  EXIT_OK,
	  { "cfa=rsp+16" },
	  { NULL } },
	{ "eh_frame_is_its_own",
	  { "linked", "--section=.eh_frame" },
	  EXIT_OK,
	  { "cfa=rsp+8" },
	  { "cfa=rsp+16" } },
	{ "and_all_is_both", { "linked" }, EXIT_OK, { "cfa=rsp+8", "cfa=rsp+16" }, { NULL } },
	{ "as_readelf_shows_them",
	  { "linked", "--format=readelf" },
	  EXIT_OK,
	  { "section (loaded from linked):", ".debug_frame section (loaded from debug):" },
	  { NULL } },
	{ "as_readelf_shows_one",
	  { "good", "--format=readelf" },
	  EXIT_OK,
	  { "Contents of the .eh_frame section:\n" },
	  { "loaded from" } },
	{ "members_have_a_comment",
	  { "two.a" },
	  EXIT_OK,
	  { "# two.a(one)\n", "# two.a(other)\n" },
	  { "File:" } },
	{ "and_a_line_as_readelf_has_it",
	  { "two.a", "--format=readelf" },
	  EXIT_OK,
	  { "\nFile: two.a(one)\n", "\nFile: two.a(other)\n" },
	  { "# two" } },
	{ "an_archive_that_is_damaged_behind_its_members",
	  { "damaged.a" },
	  EXIT_BAD_INPUT,
	  { "# damaged.a(other)\n", "not checked: 1 files that are no ELF files" },
	  { NULL } },
	{ "and_nothing_in_json",
	  { "two.a", "--json" },
	  EXIT_OK,
	  { "\"two.a(other)\"" },
	  { "# ", "File:" } },
};

/* An archive of the image "good", twice. */
static void make_archive(void)
{
	static char bytes[SECTION_IMAGE_BYTES];
	FILE *from = fopen("good", "r"), *file = fopen("two.a", "w");

	ck_assert(from && file && fread(bytes, sizeof(bytes), 1, from) == 1);
	fclose(from);
	fputs("!<arch>\n", file);
	for (int i = 0; i < 2; i++) {
		fprintf(file, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", i ? "other/" : "one/", 0, 0, 0,
			0644, sizeof(bytes));
		ck_assert_uint_eq(fwrite(bytes, sizeof(bytes), 1, file), 1);
	}
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(system("cp two.a damaged.a && printf 'no header' >>damaged.a"), 0);
}

START_TEST(files_one_after_another)
{
	typeof(&commands[0]) c = &commands[_i];
	char *arguments[8] = { "table" };
	int status;

	for (int i = 0; i < COUNT(images); i++)
		section_image_write(images[i].name, images[i].section);
	make_archive();
	for (int i = 0; i < COUNT(c->argument) && c->argument[i]; i++)
		arguments[1 + i] = (char *)c->argument[i];
	char *output = command_output(command_table, arguments, &status);
	ck_assert_msg(status == (int)c->status, "%s: %d: %s", c->name, status, output);
	for (int i = 0; i < COUNT(c->has) && c->has[i]; i++)
		ck_assert_msg(strstr(output, c->has[i]) != NULL, "%s: no \"%s\" in %s", c->name,
			      c->has[i], output);
	for (int i = 0; i < COUNT(c->has_not) && c->has_not[i]; i++)
		ck_assert_msg(!strstr(output, c->has_not[i]), "%s: \"%s\" in %s", c->name,
			      c->has_not[i], output);
	free(output);
	for (int i = 0; i < COUNT(images); i++)
		unlink(images[i].name);
	unlink("two.a");
	unlink("damaged.a");
}
END_TEST

SUITE(table_sections, FIXTURE(set_up, tear_down), LOOP(readelf_s_lines, cases),
      TEST(what_is_wrong_in_two_sections_is_told_of_both), TEST(a_part_of_two_sections),
      LOOP(files_one_after_another, commands))
