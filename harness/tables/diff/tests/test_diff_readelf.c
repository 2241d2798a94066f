/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_diff_readelf.c - dumps of readelf: every word of a row, and which section counts
 */
#include "tests/suite.h"
#include "diff_dump.h"
#include "readelf_words.h"

/* A section of one CIE, and in it an FDE. */
#define EH_FRAME    CONTENTS(".eh_frame") CIE("00000000", "00000000", "zR")
#define DEBUG_FRAME CONTENTS(".debug_frame") CIE("00000000", "00000000", "zR")
#define CODE(pc, end)                                                                              \
	"00000018 0000000000000024 00000034 FDE cie=00000000 pc=000000000000" pc                   \
	"..000000000000" end "\n"
#define ONE EH_FRAME CODE("1000", "1010")

#define READELF &diff_dialect_readelf

static const struct dump_case cases[] = {
	{ "expressions_of_registers", READELF,
	  ONE "   LOC CFA rax rbx rbp ra\n"
	      "0000000000001000 exp c-16 exp vexp c-8\n",
	  "0x1000+10:\n 0 cfa=exp ra=c-8 rax=c-16 rbx=exp rbp=val_exp\n" },
	{ "no_word_for_the_return_address", READELF,
	  ONE "   LOC CFA rbx\n"
	      "0000000000001000 rsp+8 v-16\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=u rbx=v-16\n" },
	{ "registers_by_name_and_number", READELF,
	  ONE "   LOC CFA rax rbx rcx rdx ra\n"
	      "0000000000001000 rax+8 r0 (rax) r17 r90 r6 (rbp) s\n",
	  "0x1000+10:\n 0 cfa=rax+8 ra=same rax=rax rdx=rbp rcx=r90 rbx=r17\n" },
	{ "a_cfa_of_a_register_without_a_name", READELF, ONE COLUMNS "0000000000001000 r17-8 u\n",
	  "0x1000+10:\n 0 cfa=r17-8 ra=u\n" },
	{ "an_offset_without_a_sign", READELF, ONE COLUMNS "0000000000001000 rsp+8 c16\n",
	  "line 10: not a rule\n" },
	{ "an_offset_without_digits", READELF, ONE COLUMNS "0000000000001000 rsp+8 c-\n",
	  "line 10: not a rule\n" },
	{ "an_offset_that_goes_on", READELF, ONE COLUMNS "0000000000001000 rsp+8 c-8x\n",
	  "line 10: not a rule\n" },
	{ "a_register_that_is_none", READELF, ONE COLUMNS "0000000000001000 rsp+8 r1x\n",
	  "line 10: not a rule\n" },
	{ "a_register_of_another_letter", READELF, ONE COLUMNS "0000000000001000 q1+8 c-8\n",
	  "line 10: not a row\n" },
	{ "columns_of_nothing", READELF, ONE "   LOC \n", "line 9: columns outside of an entry\n" },
	{ "columns_without_a_cfa", READELF, ONE "   LOC ra\n",
	  "line 9: columns outside of an entry\n" },
	{ "columns_again", READELF,
	  ONE COLUMNS "0000000000001000 rsp+8 c-8\n"
		      "   LOC CFA rbx ra\n"
		      "0000000000001001 rsp+16 c-16 c-8\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n 1 cfa=rsp+16 ra=c-8 rbx=c-16\n" },
	{ "columns_are_an_entry_s_own", READELF,
	  ONE "   LOC CFA rbx ra\n"
	      "0000000000001000 rsp+8 c-16 c-8\n"
	      "00000030 0000000000000024 00000034 FDE cie=00000000 "
	      "pc=0000000000001010..0000000000001020\n"
	      "0000000000001010 rsp+8\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8 rbx=c-16\n0x1010+10:\n 0 cfa=rsp+8 ra=u\n" },
	{ "rows_out_of_order", READELF,
	  ONE COLUMNS "0000000000001004 rsp+8 c-8\n"
		      "0000000000001001 rsp+8 c-8\n",
	  "line 11: rows are not in order\n" },
	{ "rows_before_and_behind_the_fde", READELF,
	  ONE COLUMNS "0000000000000fff rsp+99 c-8\n"
		      "000000000000100f rsp+8 c-8\n"
		      "0000000000001010 rsp+99 c-8\n",
	  "0x1000+10:\n f cfa=rsp+8 ra=c-8\n" },
	{ "a_cie_that_is_not_there", READELF,
	  CONTENTS(".eh_frame") "00000018 0000000000000024 00000034 FDE cie=00000099 "
				"pc=0000000000001000..0000000000001010\n"
				"\n"
				"00000030 0000000000000024 00000034 FDE cie=00000099 "
				"pc=0000000000002000..0000000000002010\n" COLUMNS
				"0000000000002000 rsp+8 c-8\n",
	  "0x1000+10:\n0x2000+10:\n 0 cfa=rsp+8 ra=c-8\n" },
	{ "a_cie_without_a_row", READELF,
	  CONTENTS(".eh_frame") "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 "
				"ra=16\n" CODE("1000", "1010"),
	  "0x1000+10:\n" },
	{ "rows_of_the_right_cie", READELF,
	  EH_FRAME "00000018 0000000000000014 00000000 CIE \"zR\" cf=1\n" COLUMNS
		   "0000000000000000 rsp+16 c-8\n"
		   "00000030 0000000000000014 00000000 CIE \"zR\" cf=1\n" COLUMNS
		   "0000000000000000 rsp+24 c-8\n"
		   "00000048 0000000000000024 00000034 FDE cie=00000000 "
		   "pc=0000000000001000..0000000000001010\n"
		   "00000060 0000000000000024 00000034 FDE cie=00000018 "
		   "pc=0000000000002000..0000000000002010\n"
		   "00000078 0000000000000024 00000034 FDE cie=00000030 "
		   "pc=0000000000003000..0000000000003010\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n0x2000+10:\n 0 cfa=rsp+16 ra=c-8\n0x3000+10:\n"
	  " 0 cfa=rsp+24 ra=c-8\n" },
	{ "a_signal_frame", READELF,
	  CONTENTS(".eh_frame") "00000000 0000000000000014 00000000 CIE \"S\" cf=1\n" CODE("1000",
											   "1010"),
	  "0x1000+10 signal:\n" },
	{ "an_s_behind_the_augmentation", READELF,
	  CONTENTS(".eh_frame") "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 S\n" CODE(
		  "1000", "1010"),
	  "0x1000+10:\n" },
	{ "cies_of_one_offset", READELF,
	  EH_FRAME "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n",
	  "line 8: entries are not in order\n" },
	{ "cies_out_of_order", READELF,
	  CONTENTS(".eh_frame") "00000018 0000000000000014 00000000 CIE \"\" cf=1\n"
				"00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n",
	  "line 5: entries are not in order\n" },
	{ "cies_of_two_sections", READELF, ONE DEBUG_FRAME CODE("5000", "5010"),
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n0x5000+10:\n 0 cfa=rsp+8 ra=c-8\n" },
	{ "what_eh_frame_has_in_any_order", READELF,
	  EH_FRAME CODE("3000", "3100") COLUMNS
	  "0000000000003000 rsp+8 c-8\n"
	  "00000030 0000000000000024 00000034 FDE cie=00000000 "
	  "pc=0000000000001000..0000000000001100\n" COLUMNS "0000000000001000 rsp+8 c-8\n"
	  "00000048 0000000000000024 00000034 FDE cie=00000000 "
	  "pc=0000000000002000..0000000000002100\n" COLUMNS
	  "0000000000002000 rsp+8 c-8\n" DEBUG_FRAME CODE("1010", "1018") COLUMNS
	  "0000000000001010 rbp+16 c-8\n"
	  "00000030 0000000000000024 00000034 FDE cie=00000000 "
	  "pc=0000000000003010..0000000000003018\n" COLUMNS "0000000000003010 rbp+16 c-8\n"
	  "00000048 0000000000000024 00000034 FDE cie=00000000 "
	  "pc=0000000000002010..0000000000002018\n" COLUMNS "0000000000002010 rbp+16 c-8\n"
	  "00000060 0000000000000024 00000034 FDE cie=00000000 "
	  "pc=0000000000001500..0000000000001510\n" COLUMNS "0000000000001500 rbp+16 c-8\n",
	  "0x3000+100:\n 0 cfa=rsp+8 ra=c-8\n0x1000+100:\n 0 cfa=rsp+8 ra=c-8\n0x2000+100:\n"
	  " 0 cfa=rsp+8 ra=c-8\n0x1500+10:\n 0 cfa=rbp+16 ra=c-8\n" },
	{ "what_a_longer_one_has_behind_a_nested_one", READELF,
	  EH_FRAME CODE("1000", "5000") COLUMNS
	  "0000000000001000 rsp+8 c-8\n"
	  "00000030 0000000000000024 00000034 FDE cie=00000000 "
	  "pc=0000000000002000..0000000000002010\n" COLUMNS "0000000000002000 rsp+8 c-8\n"
	  "00000048 0000000000000024 00000034 FDE cie=00000000 "
	  "pc=0000000000002020..0000000000002030\n" COLUMNS
	  "0000000000002020 rsp+8 c-8\n" DEBUG_FRAME CODE("4000", "4010") COLUMNS
	  "0000000000004000 rbp+16 c-8\n"
	  "00000030 0000000000000024 00000034 FDE cie=00000000 "
	  "pc=0000000000005000..0000000000005010\n" COLUMNS "0000000000005000 rbp+16 c-8\n",
	  "0x1000+4000:\n 0 cfa=rsp+8 ra=c-8\n0x2000+10:\n 0 cfa=rsp+8 ra=c-8\n0x2020+10:\n"
	  " 0 cfa=rsp+8 ra=c-8\n0x5000+10:\n 0 cfa=rbp+16 ra=c-8\n" },
	{ "what_one_of_two_has", READELF,
	  EH_FRAME CODE("1000", "5000") COLUMNS
	  "0000000000001000 rsp+8 c-8\n"
	  "00000030 0000000000000024 00000034 FDE cie=00000000 "
	  "pc=0000000000002000..0000000000002010\n" COLUMNS
	  "0000000000002000 rsp+8 c-8\n" DEBUG_FRAME CODE("3000", "3010") COLUMNS
	  "0000000000003000 rbp+16 c-8\n",
	  "0x1000+4000:\n 0 cfa=rsp+8 ra=c-8\n0x2000+10:\n 0 cfa=rsp+8 ra=c-8\n" },
	{ "between_what_eh_frame_has", READELF,
	  ONE COLUMNS "0000000000001000 rsp+8 c-8\n"
		      "00000030 0000000000000024 00000034 FDE cie=00000000 "
		      "pc=0000000000001020..0000000000001030\n" COLUMNS
		      "0000000000001020 rsp+8 c-8\n" DEBUG_FRAME CODE("1010", "1020") COLUMNS
	  "0000000000001010 rbp+16 c-8\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n0x1020+10:\n 0 cfa=rsp+8 ra=c-8\n0x1010+10:\n"
	  " 0 cfa=rbp+16 ra=c-8\n" },
	{ "before_what_eh_frame_has", READELF,
	  ONE COLUMNS "0000000000001000 rsp+8 c-8\n" DEBUG_FRAME CODE("0500", "0510") COLUMNS
	  "0000000000000500 rbp+16 c-8\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n0x500+10:\n 0 cfa=rbp+16 ra=c-8\n" },
	{ "over_the_begin_of_what_eh_frame_has", READELF,
	  ONE COLUMNS "0000000000001000 rsp+8 c-8\n" DEBUG_FRAME CODE("0ff0", "1001") COLUMNS
	  "0000000000000ff0 rbp+16 c-8\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n" },
	{ "of_no_code", READELF,
	  ONE COLUMNS "0000000000001000 rsp+8 c-8\n" DEBUG_FRAME CODE("2000", "2000") COLUMNS
	  "0000000000002000 rbp+16 c-8\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n" },
	{ "debug_frame_alone", READELF,
	  DEBUG_FRAME CODE("1000", "1010") "00000030 0000000000000024 00000034 FDE cie=00000000 "
					   "pc=0000000000000000..0000000000000010\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n0x0+10:\n 0 cfa=rsp+8 ra=c-8\n" },
	{ "another_file_s_debug_frame_alone", READELF,
	  "Contents of the .debug_frame section (loaded from x.debug):\n"
	  "\n"
	  "\n" CIE("00000000", "00000000", "zR") CODE("1000", "1010"),
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n" },
	{ "an_fde_that_goes_on", READELF,
	  EH_FRAME "00000018 0000000000000024 00000034 FDE cie=00000000 "
		   "pc=0000000000001000..0000000000001010x\n",
	  "line 8: not an FDE\n" },
	{ "an_fde_without_an_end", READELF,
	  EH_FRAME "00000018 0000000000000024 00000034 FDE cie=00000000 pc=1000..\n",
	  "line 8: not an FDE\n" },
	{ "seven_digits", READELF, EH_FRAME "0001000 rsp+8 c-8\n",
	  "line 8: neither an entry nor a row\n" },
	{ "eight_digits", READELF, ONE COLUMNS "00001000 rsp+8 c-8\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n" },
	{ "seventeen_digits", READELF, ONE COLUMNS "00000000000001000 rsp+8 c-8\n",
	  "line 10: neither an entry nor a row\n" },
	{ "digits_that_go_on", READELF, ONE COLUMNS "0000000000001000z rsp+8 c-8\n",
	  "line 10: neither an entry nor a row\n" },
	{ "a_row_behind_the_terminator", READELF,
	  ONE COLUMNS "0000000000001000 rsp+8 c-8\n"
		      "00000040 ZERO terminator\n"
		      "0000000000001001 rsp+8 c-8\n",
	  "line 12: not a row\n" },
	{ "a_terminator", READELF,
	  ONE "00000040 ZERO terminator\n"
	      "\n"
	      "Section '.x' has no debugging data.\n"
	      "section 'y'\n"
	      "File: a\n"
	      "readelf: Warning: x\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n" },
	{ "a_row_behind_a_heading", READELF,
	  ONE COLUMNS CONTENTS(".eh_frame") "0000000000001001 rsp+8 c-8\n",
	  "line 13: not a row\n" },
	{ "an_error_in_debug_frame", READELF, EH_FRAME CONTENTS(".debug_frame") "hello\n",
	  "line 11: neither an entry nor a row\n" },
	{ "an_error_behind_debug_frame", READELF,
	  EH_FRAME CONTENTS(".debug_frame") "00000000 0000000000000014 00000000 CIE \"zR\" cf=1 "
					    "df=-8 ra=16\n" COLUMNS "hello\n",
	  "line 13: neither an entry nor a row\n" },
	{ "another_section_hides_what_it_has", READELF, CONTENTS(".sframe") "hello\n" ONE,
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n" },
};

START_TEST(a_dump)
{
	diff_dump_check(&cases[_i]);
}
END_TEST

/* A dump of as many columns as are taken, and one more. */
START_TEST(columns_have_a_limit)
{
	for (int count = 299; count <= 301; count++) {
		char *text, *said;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		fputs("Contents of the .eh_frame section:\n"
		      "00000018 00000024 00000034 FDE cie=00000000 pc=1000..1010\n   LOC CFA",
		      file);
		for (int i = 0; i < count; i++)
			fputs(i ? " r90" : " rbx", file);
		fputs("\n00001000 rsp+8", file);
		for (int i = 0; i < count; i++)
			fputs(i ? " u" : " c-16", file);
		fputs("\n", file);
		fclose(file);
		said = diff_dump_said(&diff_dialect_readelf, text);
		ck_assert_str_eq(said, count > 300 ? "line 3: too many columns\n"
						   : "0x1000+10:\n 0 cfa=rsp+8 ra=u rbx=c-16\n");
		free(said);
		free(text);
	}
}
END_TEST

SUITE(diff_readelf, TIMEOUT(300), LOOP(a_dump, cases), TEST(columns_have_a_limit))
