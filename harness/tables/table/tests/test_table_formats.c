/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_formats.c - `table` as compact and as JSON, letter by letter
 *
 * The image has a rule of each kind, and rows that no rule can hold. Rules and shapes are numbered
 * in the order in which FDEs need them, and shapes of one row come last.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "tables/diff/tests/diff_image.h"
#include "tables/table/table.h"

static void fdes(struct diff_image *image)
{
	/* id 0, version 1, "zR", 1, -8, 16, 1 byte: absptr */
	static const uint8_t plain[] = { CIE_USUAL };
	static const uint8_t signal[] = { 0, 0, 0,    0,  1, 'z', 'R',	    'S',
					  0, 1, 0x78, 16, 1, 0,	  CFA_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));
	size_t signal_cie = diff_image_entry(image, signal, sizeof(signal));

	/* From one page into the next. */
	DIFF_IMAGE_FDE(image, cie, 0xff0, 0x20, CFA_advance_loc(1), CFA_def_cfa_offset(16),
		       CFA_offset(RBP, 2), CFA_advance_loc(3), CFA_def_cfa_register(RBP),
		       CFA_advance_loc(27), CFA_def_cfa(RSP, 8));
	/* A place of every kind. */
	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_def_cfa(RBP, 16), CFA_undefined(R12),
		       CFA_offset(RBX, 3), CFA_val_offset(R13, 2), CFA_register(R14, RCX),
		       CFA_expression(R15, DW_OP_breg7, 8), CFA_val_expression(R8, DW_OP_breg7, 9),
		       CFA_expression(R9, DW_OP_lit8, DW_OP_minus, DW_OP_const1s, 0xf0, DW_OP_and,
				      DW_OP_plus_uconst, 4));
	/* A CFA of every kind, short and extended, and a signal's frame. */
	DIFF_IMAGE_FDE(image, cie, 0x1110, 0x10,
		       CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg1, 0, DW_OP_lit3, DW_OP_shl,
					      DW_OP_plus));
	DIFF_IMAGE_FDE(
		image, cie, 0x1120, 0x10,
		CFA_def_cfa_expression(DW_OP_breg7, SLEB(-8), DW_OP_deref, DW_OP_plus_uconst, 16));
	DIFF_IMAGE_FDE(
		image, cie, 0x1130, 0x10,
		CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_deref, DW_OP_plus_uconst, ULEB2(300)));
	DIFF_IMAGE_FDE(image, cie, 0x1140, 0x10,
		       CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
					      DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,
					      DW_OP_shl, DW_OP_plus));
	DIFF_IMAGE_FDE(image, signal_cie, 0x1150, 0x10, CFA_GNU_args_size(ULEB2(300)),
		       CFA_offset(23, 2));
	/* What is none of these: an expression, a register, and bytes that are no instruction. */
	DIFF_IMAGE_FDE(image, cie, 0x1160, 0x10, CFA_expression(RBX, DW_OP_breg7, 0, DW_OP_deref));
	DIFF_IMAGE_FDE(image, cie, 0x1170, 0x10, CFA_advance_loc(4), CFA_register(RBX, 40));
	DIFF_IMAGE_FDE(image, cie, 0x1180, 0x10, CFA_advance_loc(4), 0x3f);
	/* Where nothing is executed. */
	DIFF_IMAGE_FDE(image, cie, 0x9000, 0x10, CFA_nop);
}

#define FILE_BYTES 0x2000

/* What never comes to a row: an FDE that covers nothing, one of a CIE that is not read, and one of
 * none. */
static void lost_fdes(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	static const uint8_t other[] = { 0, 0, 0, 0, 9, 'z', 'R', 0, 1, 0x78, 16, 1, 0, CFA_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));
	size_t other_cie = diff_image_entry(image, other, sizeof(other));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, other_cie, 0x1110, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1120, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie + 1, 0x1130, 0x10, CFA_nop);
}

struct fixture {
	uint8_t bytes[FILE_BYTES];
	struct image *image;
	struct error_list diagnostics;
	struct error error;
	char *text;
	size_t size;
	FILE *file;
	uint64_t shown;
};

static void fixture_init(struct fixture *f, void (*make)(struct diff_image *))
{
	struct diff_image image;
	Elf64_Phdr *segment = (Elf64_Phdr *)(f->bytes + sizeof(Elf64_Ehdr));

	memset(f, 0, sizeof(*f));
	diff_image_of(&image, make);
	memcpy(f->bytes, image.bytes, image.size);
	segment->p_filesz = FILE_BYTES; /* code is in the file */
	ck_assert_msg(!image_create_memory(f->bytes, FILE_BYTES, "im\tage", &f->image, &f->error),
		      "%s", f->error.message);
	f->file = open_memstream(&f->text, &f->size);
	ck_assert_ptr_nonnull(f->file);
}

static void fixture_end(struct fixture *f, const char *name, const char *expected)
{
	ck_assert_int_eq(fclose(f->file), 0);
	for (char *quote = f->text; (quote = strchr(quote, '"'));)
		*quote = '\'';
	ck_assert_msg(!strcmp(f->text, expected), "%s\nexpected:\n%s\nwritten:\n%s", name, expected,
		      f->text);
	free(f->text);
	error_list_deinit(&f->diagnostics);
	image_destroy(f->image);
}

/* What a format makes of the image, filtered. */
struct format_case {
	const char *name;
	struct table_filter filter;
	uint64_t shown;
	size_t diagnostics;
	const char *text;
};

static void expect_format(int (*format)(FILE *, const struct image *, const struct table_filter *,
					struct error_list *, struct error *),
			  const struct format_case *c)
{
	struct table_filter filter = c->filter;
	struct fixture f;

	fixture_init(&f, fdes);
	filter.shown = &f.shown;
	ck_assert_int_eq(format(f.file, f.image, &filter, &f.diagnostics, &f.error), 0);
	ck_assert_uint_eq(f.shown, c->shown);
	ck_assert_uint_eq(f.diagnostics.count, c->diagnostics);
	fixture_end(&f, c->name, c->text);
}

#define RULES                                                                                      \
	"rule 6 cfa=rsp+8 ra=c-8\n"                                                                \
	"rule 7 cfa=rsp+16 ra=c-8 rbp=c-16\n"                                                      \
	"rule 8 cfa=rbp+16 ra=c-8 rbp=c-16\n"                                                      \
	"rule 9 cfa=rsp+8 ra=c-8 rbp=c-16\n"                                                       \
	"rule 10 cfa=rbp+16 ra=c-8 rbx=c-24 r8=rsp+9 r9=*(((cfa-8)&-16)+4) r12="                   \
	"u r13=v-16 r14=rcx r15=*(rsp+8) extended\n"                                               \
	"rule 11 cfa=rsp+rdx*8+8 ra=c-8\n"                                                         \
	"rule 12 cfa=*(rsp-8)+16 ra=c-8\n"                                                         \
	"rule 13 cfa=*(rsp+8)+300 ra=c-8 extended\n"                                               \
	"rule 14 cfa=rsp+8+(((rip&15)>=11)<<3) ra=c-8\n"                                           \
	"rule 15 cfa=rsp+8 ra=c-8 signal\n"                                                        \
	"shape 1 +0x0 rule 6; +0x1 rule 7; +0x4 rule 8\n"                                          \
	"shape 4 +0x0 rule 9; +0x1 no_row\n"                                                       \
	"shape 6 +0x0 rule 6; +0x4 unsupported_register\n"                                         \
	"shape 8 +0x0 rule 6; +0x4 malformed; +0x10 no_row\n"                                      \
	"shape 11 +0x0 no_row\n"                                                                   \
	"shape 12 +0x0 rule 10\n"                                                                  \
	"shape 13 +0x0 rule 11\n"                                                                  \
	"shape 14 +0x0 rule 12\n"                                                                  \
	"shape 15 +0x0 rule 13\n"                                                                  \
	"shape 16 +0x0 rule 14\n"                                                                  \
	"shape 17 +0x0 rule 15\n"                                                                  \
	"shape 18 +0x0 unsupported_expression\n"

#define SEGMENT "segment 0x0 pages 0..2\n"
#define PAGE_0	"page 0 0x0 entries 0..2\n"
#define PAGE_1	"page 1 0x1000 entries 2..12\n"
#define ALL_PAGES                                                                                  \
	PAGE_0                                                                                     \
	"0x0 shape 11\n"                                                                           \
	"0xff0 shape 1\n" PAGE_1 "0x100f shape 4\n"                                                \
	"0x1100 shape 12\n"                                                                        \
	"0x1110 shape 13\n"                                                                        \
	"0x1120 shape 14\n"                                                                        \
	"0x1130 shape 15\n"                                                                        \
	"0x1140 shape 16\n"                                                                        \
	"0x1150 shape 17\n"                                                                        \
	"0x1160 shape 18\n"                                                                        \
	"0x1170 shape 6\n"                                                                         \
	"0x1180 shape 8\n"

static const struct format_case compact[] = {
	{ "all", { 0 }, 12, 1, RULES SEGMENT ALL_PAGES },
	{ "of_a_section", { .section = ".eh_frame" }, 12, 1, RULES SEGMENT ALL_PAGES },
	{ "one_pc",
	  { .by_pc = true, .pc = 0x1120, .pc_end = 0x1121 },
	  1,
	  1,
	  RULES SEGMENT PAGE_1 "0x1120 shape 14\n" },
	{ "the_last_of_a_page",
	  { .by_pc = true, .pc = 0xfff, .pc_end = 0x1000 },
	  1,
	  1,
	  RULES SEGMENT PAGE_0 "0xff0 shape 1\n" },
	{ "across_a_page_s_end",
	  { .by_pc = true, .pc = 0xfff, .pc_end = 0x1110 },
	  3,
	  1,
	  RULES SEGMENT PAGE_0 "0xff0 shape 1\n" PAGE_1 "0x100f shape 4\n"
			       "0x1100 shape 12\n" },
	{ "the_last_entry",
	  { .by_pc = true, .pc = 0x1fff, .pc_end = 0x2000 },
	  1,
	  1,
	  RULES SEGMENT PAGE_1 "0x1180 shape 8\n" },
	{ "nothing", { .by_pc = true, .pc = 0x2000, .pc_end = 0x2001 }, 0, 1, RULES SEGMENT },
};

START_TEST(compact_is)
{
	expect_format(table_compact, &compact[_i]);
}
END_TEST

/* A double quote is ' here. */
#define ROW(pc, pc_end, cfa, rules, more)                                                          \
	"{'type':'row','image':'im\\tage','section':'.eh_frame','pc':'" pc "','pc_end':'" pc_end   \
	"','cfa':'" cfa "','rules':{" rules "}" more "}\n"
#define ERROR(code, offset, message, pc, pc_end)                                                   \
	"{'type':'error','image':'im\\tage','code':'" code                                         \
	"','section':'.eh_frame','offset':'" offset "','message':'" message "','pc':'" pc          \
	"','pc_end':'" pc_end "'}\n"

#define FIRST_ROWS                                                                                 \
	ROW("0xff0", "0xff1", "rsp+8", "'rip':'c-8'", "")                                          \
	ROW("0xff1", "0xff4", "rsp+16", "'rbp':'c-16','rip':'c-8'", "")                            \
	ROW("0xff4", "0x100f", "rbp+16", "'rbp':'c-16','rip':'c-8'", "")                           \
	ROW("0x100f", "0x1010", "rsp+8", "'rbp':'c-16','rip':'c-8'", "")
#define MIDDLE_ROWS                                                                                \
	ROW("0x1100", "0x1110", "rbp+16",                                                          \
	    "'rbx':'c-24','r8':'val_exp(breg7+9)','r9':'exp(lit8; minus; const1s-16; and; "        \
	    "plus_uconst "                                                                         \
	    "4)','r12':'undefined','r13':'v-16','r14':'rcx','r15':'exp(breg7+8)','rip':'c-8'",     \
	    "")                                                                                    \
	ROW("0x1110", "0x1120", "exp(breg7+8; breg1+0; lit3; shl; plus)", "'rip':'c-8'", "")       \
	ROW("0x1120", "0x1130", "exp(breg7-8; deref; plus_uconst 16)", "'rip':'c-8'", "")          \
	ROW("0x1130", "0x1140", "exp(breg7+8; deref; plus_uconst 300)", "'rip':'c-8'", "")         \
	ROW("0x1140", "0x1150", "exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus)",  \
	    "'rip':'c-8'", "")
#define SIGNAL_ROW                                                                                 \
	ROW("0x1150", "0x1160", "rsp+8", "'rip':'c-8'",                                            \
	    ",'signal_frame':true,'args_size':300,'high':'0x5d46f7759669e5f5'")
#define MORE_ROWS                                                                                  \
	ROW("0x1160", "0x1170", "rsp+8", "'rbx':'exp(breg7+0; deref)','rip':'c-8'", "")            \
	ROW("0x1170", "0x1174", "rsp+8", "'rip':'c-8'", "")                                        \
	ROW("0x1174", "0x1180", "rsp+8", "'rbx':'r40','rip':'c-8'", "")
#define BAD_ROW ROW("0x1180", "0x1184", "rsp+8", "'rip':'c-8'", "")
#define BAD                                                                                        \
	ERROR("cfi_instruction", "0x1aa", "call frame instruction 0x3f is not defined on x86-64",  \
	      "0x1180", "0x1190")
#define OUTSIDE_ROW ROW("0x9000", "0x9010", "rsp+8", "'rip':'c-8'", "")
#define OUTSIDE                                                                                    \
	ERROR("unavailable", "0x1b0", "the FDE's code is in no executable segment", "0x9000",      \
	      "0x9010")

static const struct format_case json[] = {
	{ "all",
	  { 0 },
	  11,
	  1,
	  FIRST_ROWS MIDDLE_ROWS SIGNAL_ROW MORE_ROWS BAD_ROW BAD OUTSIDE_ROW OUTSIDE },
	{ "of_a_section",
	  { .section = ".eh_frame" },
	  11,
	  1,
	  FIRST_ROWS MIDDLE_ROWS SIGNAL_ROW MORE_ROWS BAD_ROW BAD OUTSIDE_ROW OUTSIDE },
	{ "one_pc", { .by_pc = true, .pc = 0x115f, .pc_end = 0x1160 }, 1, 0, SIGNAL_ROW },
	{ "a_range",
	  { .by_pc = true, .pc = 0xff0, .pc_end = 0x1151 },
	  7,
	  0,
	  FIRST_ROWS MIDDLE_ROWS SIGNAL_ROW },
	{ "before_the_bad", { .by_pc = true, .pc = 0x1180, .pc_end = 0x1181 }, 1, 1, BAD_ROW BAD },
	{ "behind_it", { .by_pc = true, .pc = 0x118f, .pc_end = 0x1190 }, 1, 1, BAD },
	{ "outside", { .by_pc = true, .pc = 0x9000, .pc_end = 0x9001 }, 1, 0, OUTSIDE_ROW },
	{ "nothing", { .by_pc = true, .pc = 0x1190, .pc_end = 0x11a0 }, 0, 0, "" },
};

START_TEST(json_is)
{
	expect_format(table_json, &json[_i]);
}
END_TEST

/* more: an address, or nothing. */
#define LOST(code, offset, message, more)                                                          \
	"{'type':'error','image':'im\\tage','code':'" code                                         \
	"','section':'.eh_frame','offset':'" offset "','message':'" message "'" more "}\n"
#define LOST_FDES                                                                                  \
	ROW("0x1100", "0x1110", "rsp+8", "'rip':'c-8'", "")                                        \
	LOST("cie_version", "0x20", "CIE version 9 is not read", "")                               \
	LOST("cie_pointer", "0x70", "the FDE's CIE at 0x18 could not be read", "")                 \
	LOST("cie_pointer", "0xb0", "the FDE's CIE would be at 0x1, where there is none", "")
#define BAD_INSTRUCTION "call frame instruction 0x3f is not defined on x86-64"
#define EMPTY_FDES                                                                                 \
	LOST("cfi_instruction", "0x49", BAD_INSTRUCTION, ",'pc':'0x1100'")                         \
	LOST("cfi_instruction", "0xa9", BAD_INSTRUCTION, ",'pc':'0x1120'")

/* What covers nothing is told only where all is asked for. */
START_TEST(what_is_lost_is_told)
{
	struct fixture f;
	struct table_filter filter = {
		.by_pc = _i, .pc = 0x1100, .pc_end = 0x1101, .shown = &f.shown
	};

	fixture_init(&f, lost_fdes);
	ck_assert_int_eq(table_json(f.file, f.image, &filter, &f.diagnostics, &f.error), 0);
	ck_assert_uint_eq(f.shown, 1);
	ck_assert_uint_eq(f.diagnostics.count, _i ? 3 : 5);
	fixture_end(&f, "what_is_lost_is_told", _i ? LOST_FDES : LOST_FDES EMPTY_FDES);
}
END_TEST

/* Another section than there is. */
START_TEST(a_section_that_is_not_there)
{
	struct table_filter filter = { .section = ".debug_frame" };
	struct fixture f;

	fixture_init(&f, fdes);
	ck_assert_int_eq(table_compact(f.file, f.image, &filter, &f.diagnostics, &f.error), -1);
	ck_assert_str_eq(f.error.message, "the image has no .debug_frame");
	f.error = (struct error) { 0 };
	ck_assert_int_eq(table_json(f.file, f.image, &filter, &f.diagnostics, &f.error), -1);
	ck_assert_str_eq(f.error.message, "the image has no .debug_frame");
	ck_assert_uint_eq(f.diagnostics.count, 0);
	fixture_end(&f, "a_section_that_is_not_there", "");
}
END_TEST

SUITE(table_formats, LOOP(compact_is, compact), LOOP(json_is, json), TIMES(what_is_lost_is_told, 2),
      TEST(a_section_that_is_not_there))
