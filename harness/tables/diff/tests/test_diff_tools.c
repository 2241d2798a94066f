/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_diff_tools.c - dumps of Parca Agent and of the OpenTelemetry profiler, read
 */
#include "tests/suite.h"
#include "diff_dump.h"

#define OTEL	   &diff_dialect_otel
#define PARCA	   &diff_dialect_parca
#define PARCA_ROWS &diff_dialect_parca_rows
#define OTEL_HEAD  "# addr           cfa             fp               flags\n"
#define NOT_KNOWN  "line 2: rules that are not known\n"
#define FLAT	   "flat\n0x0+ffffffffffffffff:\n"

static const struct dump_case cases[] = {
	{ "commands", OTEL,
	  OTEL_HEAD "0000000000001000 invalid\n"
		    "0000000000001001 stop\n"
		    "0000000000001002 plt\n"
		    "0000000000001003 signal\n"
		    "0000000000001004 framepointer\n"
		    "0000000000001005 ?\n"
		    "0000000000001006 0x1f\n",
	  FLAT " 1000 invalid\n"
	       " 1001 stop\n"
	       " 1002 plt\n"
	       " 1003 signal\n"
	       " 1004 framepointer\n"
	       " 1005 ?\n"
	       " 1006 0x1f\n" },
	{ "a_command_and_another", OTEL,
	  OTEL_HEAD "0000000000001000 stop invalid\n"
		    "0000000000001000 plt ? keep\n",
	  FLAT " 1000 plt\n" },
	{ "a_command_and_a_rule", OTEL, OTEL_HEAD "0000000000001000 stop cfa-10\n", NOT_KNOWN },
	{ "no_command", OTEL, OTEL_HEAD "0000000000001000 0x\n", NOT_KNOWN },
	{ "no_command_either", OTEL, OTEL_HEAD "0000000000001000 0x1g\n", NOT_KNOWN },
	{ "nor_this", OTEL, OTEL_HEAD "0000000000001000 stopped\n", NOT_KNOWN },
	{ "registers", OTEL,
	  OTEL_HEAD "0000000000001000 sp+8\n"
		    "0000000000001001 fp-8\n"
		    "0000000000001002 r9+7fffffff\n"
		    "0000000000001003 r15-0\n",
	  FLAT " 1000 cfa=rsp+8\n"
	       " 1001 cfa=rbp-8\n"
	       " 1002 cfa=register+2147483647\n"
	       " 1003 cfa=register+0\n" },
	{ "no_register", OTEL, OTEL_HEAD "0000000000001000 r+8\n", NOT_KNOWN },
	{ "nor_letters", OTEL, OTEL_HEAD "0000000000001000 rx+8\n", NOT_KNOWN },
	{ "nor_a_longer_name", OTEL, OTEL_HEAD "0000000000001000 spx+8\n", NOT_KNOWN },
	{ "nor_a_shorter_one", OTEL, OTEL_HEAD "0000000000001000 s+8\n", NOT_KNOWN },
	{ "no_offset", OTEL, OTEL_HEAD "0000000000001000 sp\n", NOT_KNOWN },
	{ "no_sign", OTEL, OTEL_HEAD "0000000000001000 sp8\n", NOT_KNOWN },
	{ "eight_digits_are_the_most", OTEL, OTEL_HEAD "0000000000001000 sp+80000000\n",
	  FLAT " 1000 cfa=rsp+2147483648\n" },
	{ "nine_digits", OTEL, OTEL_HEAD "0000000000001000 sp+800000000\n", NOT_KNOWN },
	{ "capital_digits", OTEL, OTEL_HEAD "0000000000001000 sp+A\n", NOT_KNOWN },
	{ "more_behind_it", OTEL, OTEL_HEAD "0000000000001000 sp+8x\n", NOT_KNOWN },
	{ "a_cfa_of_itself", OTEL, OTEL_HEAD "0000000000001000 cfa+8\n", NOT_KNOWN },
	{ "a_deref_of_itself", OTEL, OTEL_HEAD "0000000000001000 *(cfa+8)\n", NOT_KNOWN },
	{ "derefs", OTEL,
	  OTEL_HEAD "0000000000001000 *(sp+8)\n"
		    "0000000000001001 *(fp-10)+8\n"
		    "0000000000001002 *(r11+0)-20\n"
		    "0000000000001003 *(sp+8)+0\n",
	  FLAT " 1000 cfa=*(rsp+8)\n"
	       " 1001 cfa=*(rbp-16)+8\n"
	       " 1002 cfa=*(register+0)-32\n"
	       " 1003 cfa=*(rsp+8)\n" },
	{ "a_deref_without_an_end", OTEL, OTEL_HEAD "0000000000001000 *(sp+8\n", NOT_KNOWN },
	{ "a_deref_that_ends_otherwise", OTEL, OTEL_HEAD "0000000000001000 *(sp+8]\n", NOT_KNOWN },
	{ "a_deref_and_more", OTEL, OTEL_HEAD "0000000000001000 *(sp+8)8\n", NOT_KNOWN },
	{ "a_deref_and_too_much", OTEL, OTEL_HEAD "0000000000001000 *(sp+8)+8x\n", NOT_KNOWN },
	{ "rbp", OTEL,
	  OTEL_HEAD "0000000000001000 sp+8 cfa-10\n"
		    "0000000000001001 sp+8 sp+20\n"
		    "0000000000001002 sp+8 fp+0\n"
		    "0000000000001003 sp+8 r9-8\n"
		    "0000000000001004 sp+8 invalid\n"
		    "0000000000001005 sp+8 ?\n",
	  FLAT " 1000 cfa=rsp+8 rbp=c-16\n"
	       " 1001 cfa=rsp+8 rbp=*(rsp+32)\n"
	       " 1002 cfa=rsp+8 rbp=*(rbp+0)\n"
	       " 1003 cfa=rsp+8 rbp=*(register-8)\n"
	       " 1004 cfa=rsp+8\n" },
	{ "rbp_by_a_deref", OTEL, OTEL_HEAD "0000000000001000 sp+8 *(sp+8)\n", NOT_KNOWN },
	{ "rbp_by_a_command", OTEL, OTEL_HEAD "0000000000001000 sp+8 stop\n", NOT_KNOWN },
	{ "rbp_by_nothing_known", OTEL, OTEL_HEAD "0000000000001000 sp+8 x\n", NOT_KNOWN },
	{ "flags", OTEL,
	  OTEL_HEAD "0000000000001000 sp+8 keep\n"
		    "0000000000001001 sp+10 end\n"
		    "0000000000001002 sp+18 gap\n"
		    "0000000000001003 sp+20 merged keep\n"
		    "0000000000001004 sp+28 cfa-10 merged end\n",
	  FLAT " 1000 cfa=rsp+8\n"
	       " 1001 cfa=rsp+16\n"
	       " 1002 cfa=rsp+24\n"
	       " 1003 cfa=rsp+32\n"
	       " 1004 cfa=rsp+40 rbp=c-16\n" },
	{ "an_unknown_second_flag", OTEL, OTEL_HEAD "0000000000001000 sp+8 keep new\n",
	  "line 2: an unknown flag\n" },
	{ "an_unknown_third_flag", OTEL, OTEL_HEAD "0000000000001000 sp+8 cfa-10 keep new\n",
	  "line 2: an unknown flag\n" },
	{ "an_address_of_fifteen_digits", OTEL, OTEL_HEAD "000000000001000 sp+8\n",
	  "line 2: not a row\n" },
	{ "an_address_of_seventeen", OTEL, OTEL_HEAD "00000000000001000 sp+8\n",
	  "line 2: not a row\n" },
	{ "an_address_that_is_none", OTEL, OTEL_HEAD "000000000000100g sp+8\n",
	  "line 2: not a row\n" },
	{ "an_address_alone", OTEL, OTEL_HEAD "0000000000001000\n", "line 2: not a row\n" },
	{ "an_address_again", OTEL,
	  OTEL_HEAD "0000000000001000 sp+8\n"
		    "0000000000001000 sp+10\n",
	  FLAT " 1000 cfa=rsp+16\n" },
	{ "rows_that_say_the_same", OTEL,
	  OTEL_HEAD "0000000000001000 sp+8\n"
		    "0000000000001001 sp+8\n"
		    "0000000000001002 sp+10\n",
	  FLAT " 1000 cfa=rsp+8\n"
	       " 1002 cfa=rsp+16\n" },
	{ "an_address_before", OTEL,
	  OTEL_HEAD "0000000000001000 sp+8\n"
		    "0000000000000fff sp+10\n",
	  "line 3: rows are not in order\n" },
	{ "the_first_address_may_be_0", OTEL, OTEL_HEAD "0000000000000000 sp+8\n",
	  FLAT " 0 cfa=rsp+8\n" },
	{ "comments_and_empty_lines", OTEL,
	  OTEL_HEAD "\n"
		    "# hello\n"
		    "#\n"
		    "0000000000001000 sp+8\n"
		    "# /bin/x: 1 deltas\n",
	  FLAT " 1000 cfa=rsp+8\n" },
	{ "failed_behind_rows", OTEL,
	  OTEL_HEAD "0000000000001000 sp+8\n"
		    "# /bin/x: failed to do it\n",
	  "line 3: the tool failed: there is no table\n" },
	{ "no_heading", OTEL, "\n# hello\n", "line 3: not a dump of stack deltas\n" },
	{ "nothing_at_all", OTEL, "", "line 1: not a dump of stack deltas\n" },
	{ "a_second_heading_behind_rows", OTEL, OTEL_HEAD "0000000000001000 sp+8\n" OTEL_HEAD,
	  "line 3: a second table\n" },
	{ "every_cfa", PARCA,
	  "pc: 1000 cfa_type: 0  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n"
	  "pc: 1001 cfa_type: 1  rbp_type: 0  cfa_offset: -8   rbp_offset: 0\n"
	  "pc: 1002 cfa_type: 2  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n"
	  "pc: 1003 cfa_type: 3  rbp_type: 0  cfa_offset: 1   rbp_offset: 0\n"
	  "pc: 1004 cfa_type: 3  rbp_type: 0  cfa_offset: 2   rbp_offset: 0\n"
	  "pc: 1005 cfa_type: 3  rbp_type: 0  cfa_offset: 3   rbp_offset: 0\n"
	  "pc: 1006 cfa_type: 3  rbp_type: 0  cfa_offset: 0   rbp_offset: 0\n"
	  "pc: 1007 cfa_type: 4  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n",
	  FLAT " 1000 cfa=other+8 ra=c-8\n"
	       " 1001 cfa=rbp-8 ra=c-8\n"
	       " 1002 cfa=rsp+8 ra=c-8\n"
	       " 1003 cfa=plt(11) ra=c-8\n"
	       " 1004 cfa=plt(10) ra=c-8\n"
	       " 1005 cfa=exp ra=c-8\n"
	       " 1007 no row\n" },
	{ "every_rbp", PARCA,
	  "pc: 1000 cfa_type: 2  rbp_type: 0  cfa_offset: 8   rbp_offset: 5\n"
	  "pc: 1001 cfa_type: 2  rbp_type: 1  cfa_offset: 8   rbp_offset: -16\n"
	  "pc: 1002 cfa_type: 2  rbp_type: 1  cfa_offset: 8   rbp_offset: 16\n"
	  "pc: 1003 cfa_type: 2  rbp_type: 2  cfa_offset: 8   rbp_offset: -16\n"
	  "pc: 1004 cfa_type: 2  rbp_type: 3  cfa_offset: 8   rbp_offset: -16\n"
	  "pc: 1005 cfa_type: 2  rbp_type: 4  cfa_offset: 8   rbp_offset: -16\n",
	  FLAT " 1000 cfa=rsp+8 ra=c-8\n"
	       " 1001 cfa=rsp+8 ra=c-8 rbp=c-16\n"
	       " 1002 cfa=rsp+8 ra=c-8 rbp=c+16\n"
	       " 1003 cfa=rsp+8 ra=c-8 rbp=register\n"
	       " 1004 cfa=rsp+8 ra=c-8 rbp=exp\n"
	       " 1005 cfa=rsp+8 ra=undefined\n" },
	{ "an_end_needs_no_rbp", PARCA,
	  "pc: 1000 cfa_type: 4  rbp_type: 9  cfa_offset: 8   rbp_offset: 0\n",
	  FLAT " 1000 no row\n" },
	{ "cfa_type_5", PARCA, "pc: 1000 cfa_type: 5  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n",
	  "line 1: an unknown cfa_type\n" },
	{ "cfa_type_below_0", PARCA,
	  "pc: 1000 cfa_type: -1  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n",
	  "line 1: an unknown cfa_type\n" },
	{ "rbp_type_5", PARCA, "pc: 1000 cfa_type: 2  rbp_type: 5  cfa_offset: 8   rbp_offset: 0\n",
	  "line 1: an unknown rbp_type\n" },
	{ "more_than_a_row", PARCA,
	  "pc: 1000 cfa_type: 2  rbp_type: 0  cfa_offset: 8   rbp_offset: 0 more\n",
	  "line 1: more than a row has\n" },
	{ "functions_and_their_rows", PARCA,
	  "=> Function start: 1000, Function end: 1010\n"
	  "pc: fff cfa_type: 2  rbp_type: 0  cfa_offset: 99   rbp_offset: 0\n"
	  "pc: 1000 cfa_type: 2  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n"
	  "\tpc: 100f cfa_type: 2  rbp_type: 0  cfa_offset: 16   rbp_offset: 0\n"
	  "pc: 1010 cfa_type: 2  rbp_type: 0  cfa_offset: 99   rbp_offset: 0\n\n"
	  "=> Function start: 800, Function end: 810\n"
	  "pc: 800 cfa_type: 1  rbp_type: 0  cfa_offset: 16   rbp_offset: 0\n",
	  "0x1000+10:\n 0 cfa=rsp+8 ra=c-8\n f cfa=rsp+16 ra=c-8\n0x800+10:\n"
	  " 0 cfa=rbp+16 ra=c-8\n" },
	{ "a_function_without_rows", PARCA, "=> Function start: 1000, Function end: 1000\n",
	  "0x1000+0:\n" },
	{ "a_function_that_ends_before_it_begins", PARCA,
	  "=> Function start: 1000, Function end: fff\n", "line 1: not a function\n" },
	{ "a_function_that_goes_on", PARCA, "=> Function start: 1000, Function end: 1010x\n",
	  "line 1: not a function\n" },
	{ "rows_of_one_address", PARCA,
	  "pc: 1000 cfa_type: 2  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n"
	  "pc: 1000 cfa_type: 2  rbp_type: 0  cfa_offset: 16   rbp_offset: 0\n",
	  FLAT " 1000 cfa=rsp+16 ra=c-8\n" },
	{ "order_is_a_function_s", PARCA,
	  "=> Function start: 1000, Function end: 1010\n"
	  "pc: 1004 cfa_type: 2  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n"
	  "=> Function start: 800, Function end: 810\n"
	  "pc: 800 cfa_type: 1  rbp_type: 0  cfa_offset: 16   rbp_offset: 0\n"
	  "pc: 7ff cfa_type: 1  rbp_type: 0  cfa_offset: 16   rbp_offset: 0\n",
	  "line 5: rows are not in order\n" },
	{ "a_failure_in_the_middle", PARCA,
	  "pc: 1000 cfa_type: 2  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\nfailed with: x\n",
	  "line 2: the tool failed: there is no whole table\n" },
	{ "every_plain_cfa", PARCA_ROWS,
	  "\tLoc: 1000 CFA: $rsp=8   \tRBP: u\n\tLoc: 1001 CFA: $rbp=-16\tRBP: u\n"
	  "\tLoc: 1002 CFA: $r10=0\tRBP: u\n\tLoc: 1003 CFA: exp (plt 1)\tRBP: u\n"
	  "\tLoc: 1004 CFA: exp (plt 2)\tRBP: u\n\tLoc: 1005 CFA: exp (plt 3)\tRBP: u\n"
	  "\tLoc: 1006 CFA: exp     \tRBP: u\n",
	  FLAT " 1000 cfa=rsp+8\n"
	       " 1001 cfa=rbp-16\n"
	       " 1002 cfa=r10+0\n"
	       " 1003 cfa=plt(11)\n"
	       " 1004 cfa=plt(10)\n"
	       " 1005 cfa=exp\n" },
	{ "every_plain_rbp", PARCA_ROWS,
	  "\tLoc: 1000 CFA: $rsp=8\tRBP: u\n\tLoc: 1001 CFA: $rsp=8\tRBP: c-16 \n"
	  "\tLoc: 1002 CFA: $rsp=8\tRBP: c16\n\tLoc: 1003 CFA: $rsp=8\tRBP: $rbx\n"
	  "\tLoc: 1004 CFA: $rsp=8\tRBP: exp\n",
	  FLAT " 1000 cfa=rsp+8\n"
	       " 1001 cfa=rsp+8 rbp=c-16\n"
	       " 1002 cfa=rsp+8 rbp=c+16\n"
	       " 1003 cfa=rsp+8 rbp=register\n"
	       " 1004 cfa=rsp+8 rbp=exp\n" },
	{ "no_plain_rbp", PARCA_ROWS, "\tLoc: 1000 CFA: $rsp=8\tRBP: x\n",
	  "line 1: not a rule for rbp\n" },
	{ "a_register_without_a_name", PARCA_ROWS, "\tLoc: 1000 CFA: $rsp=8\tRBP: $\n",
	  "line 1: not a rule for rbp\n" },
	{ "an_rbp_that_goes_on", PARCA_ROWS, "\tLoc: 1000 CFA: $rsp=8\tRBP: c-16x\n",
	  "line 1: not a rule for rbp\n" },
	{ "an_rbp_without_an_offset", PARCA_ROWS, "\tLoc: 1000 CFA: $rsp=8\tRBP: c\n",
	  "line 1: not a rule for rbp\n" },
	{ "a_cfa_that_goes_on", PARCA_ROWS, "\tLoc: 1000 CFA: $rsp=8x\tRBP: u\n",
	  "line 1: not a row\n" },
	{ "an_expression_that_goes_on", PARCA_ROWS, "\tLoc: 1000 CFA: exp x\tRBP: u\n",
	  "line 1: not a row\n" },
	{ "a_plt_that_goes_on", PARCA_ROWS, "\tLoc: 1000 CFA: exp (plt 1) x\tRBP: u\n",
	  "line 1: not a row\n" },
	{ "no_cfa", PARCA_ROWS, "\tLoc: 1000 CFA: \tRBP: u\n", "line 1: not a row\n" },
	{ "no_rbp_at_all", PARCA_ROWS, "\tLoc: 1000 CFA: $rsp=8\n", "line 1: not a row\n" },
	{ "a_return_address", PARCA_ROWS, "\tLoc: 1000 CFA: $rsp=8\tRBP: u\tRA: c-8\n",
	  "line 1: a table of another machine\n" },
	{ "a_long_register_name", PARCA_ROWS, "\tLoc: 1000 CFA: $longname=8\tRBP: u\n",
	  "line 1: not a row\n" },
	{ "plain_functions", PARCA_ROWS,
	  "=> Function start: 1000, Function end: 1010\n\tLoc: 1000 CFA: $rsp=8\tRBP: u\n\n"
	  "\tLoc: 1010 CFA: $rsp=8\tRBP: u\n=> Function start: 2000, Function end: 2010\n"
	  "\tLoc: 2000 CFA: $rsp=16\tRBP: u\n",
	  "0x1000+10:\n 0 cfa=rsp+8\n0x2000+10:\n 0 cfa=rsp+16\n" },
};

START_TEST(a_dump)
{
	diff_dump_check(&cases[_i]);
}
END_TEST

/* ---- which dialect it is ------------------------------------------------------------------- */

static const struct {
	const char *name; /* of the dialect; NULL: none */
	const char *text;
} beginnings[] = {
	{ "readelf", "Contents of the .eh_frame section:\n" },
	{ "readelf",
	  "\nreadelf: Warning\n\nContents of the .debug_frame section (loaded from a):\n" },
	{ "readelf", "Contents of the .zdebug_frame section:\n" },
	{ NULL, "Contents of the .sframe section:\n" },
	{ "parca", "pc: 1000 cfa_type: 2\n" },
	{ "parca", "\t\tpc: 1000 cfa_type: 2\n" },
	{ "parca", "failed with: x\n" },
	{ "parca", "=> Function start: 1000, Function end: 1010\n\tpc: 1000\n" },
	{ "parca-rows", "=> Function start: 1000, Function end: 1010\n\tLoc: 1000\n" },
	{ "parca-rows", "Loc: 1000\n" },
	{ NULL, "=> Function start: 1000, Function end: 1010\n" },
	{ NULL, "=> Function start: 1000, Function end: 1010" },
	{ "otel", "# addr   cfa\n" },
	{ "otel", "# hello\n# addr   cfa" },
	{ NULL, "# address\n" },
	{ NULL, "" },
};

START_TEST(a_dump_s_first_lines)
{
	const struct diff_dialect *dialect = diff_dialect_detect(beginnings[_i].text);

	if (beginnings[_i].name)
		ck_assert_msg(dialect && !strcmp(dialect->name, beginnings[_i].name) &&
				      diff_dialect_find(dialect->name) == dialect,
			      "%s: %s", beginnings[_i].text, dialect ? dialect->name : "none");
	else
		ck_assert_msg(!dialect, "%s: %s", beginnings[_i].text, dialect->name);
}
END_TEST

START_TEST(only_first_lines_are_looked_at)
{
	char text[128];

	for (int lines = 63; lines <= 64; lines++) {
		memset(text, '\n', sizeof(text));
		strcpy(text + lines, "pc: 1000\n");
		ck_assert_ptr_eq(diff_dialect_detect(text),
				 lines == 63 ? &diff_dialect_parca : NULL);
	}
	ck_assert_ptr_null(diff_dialect_find("text"));
	ck_assert_ptr_null(diff_dialect_find("parc"));
}
END_TEST

/* ---- rows by address, cut into functions ---------------------------------------------------- */

static void add_functions(struct diff_table *table, const uint64_t (*range)[2], size_t count)
{
	struct error error;

	for (size_t i = 0; i < count; i++) {
		struct diff_function function = { .has_pc = true,
						  .pc = range[i][0],
						  .length = range[i][1] };

		ck_assert_int_eq(diff_table_add_function(table, NULL, &function, &error), 0);
	}
}

static const struct cut_case {
	const char *name, *rows; /* address and a letter each */
	uint64_t range[3][2];
	const char *said;
} cuts[] = {
	{ "a_row_for_each",
	  "1000a 2000b",
	  { { 0x1000, 0x10 }, { 0x2000, 0x10 } },
	  "0x1000+10:\n 0 a\n0x2000+10:\n 0 b\n" },
	{ "a_row_goes_on_in_the_next_function",
	  "1000a",
	  { { 0x1000, 0x10 }, { 0x1010, 0x10 } },
	  "0x1000+10:\n 0 a\n0x1010+10:\n 0 a\n" },
	{ "a_row_in_the_middle",
	  "ff0a 1004b 100fc 1010d",
	  { { 0x1000, 0x10 } },
	  "0x1000+10:\n 0 a\n 4 b\n f c\n0x1010+0:\n 0 d\n" },
	{ "before_the_first_row", "1004b", { { 0x1000, 0x10 } }, "0x1000+10:\n 0 no row\n 4 b\n" },
	{ "no_rows", "", { { 0x1000, 0x10 } }, "0x1000+10:\n 0 no row\n" },
	{ "no_code", "1000a", { { 0x1000, 0 } }, "0x1000+0:\n0x1000+0:\n 0 a\n" },
	{ "rows_of_no_function",
	  "1000a 1004b 1008- 100cc 1010d 1014e",
	  { { 0x1010, 0x4 } },
	  "0x1010+4:\n 0 d\n0x1000+8:\n 0 a\n 4 b\n0x100c+4:\n 0 c\n0x1014+0:\n 0 e\n" },
	{ "functions_in_no_order",
	  "1000a 2000b 3000c",
	  { { 0x3000, 1 }, { 0x1000, 1 }, { 0x2000, 1 } },
	  "0x3000+1:\n 0 c\n0x1000+1:\n 0 a\n0x2000+1:\n 0 b\n" },
	{ "a_row_of_two_functions",
	  "1000a 1004b",
	  { { 0x1000, 8 }, { 0x1002, 4 } },
	  "0x1000+8:\n 0 a\n 4 b\n0x1002+4:\n 0 a\n 2 b\n" },
};

START_TEST(cut_into_functions)
{
	const struct cut_case *test = &cuts[_i];
	struct diff_words words = { 0 };
	struct diff_table flat = { .dialect = &diff_dialect_parca, .words = &words, .flat = true },
			  other = { .words = &words }, ret = { 0 };
	char *said, *end;
	size_t size, count = 0;
	struct error error;
	FILE *file = open_memstream(&said, &size);

	add_functions(&flat, (const uint64_t[][2]) { { 0, UINT64_MAX } }, 1);
	for (const char *at = test->rows; *at; at = *end ? end + 1 : end) {
		char letter[2] = "";
		const char *hex = at + strspn(at, "0123456789abcdef");

		/* The letter is the last: it may be a digit, too. */
		hex -= *hex == ' ' || !*hex;
		*letter = *hex;
		end = (char *)hex + 1;
		ck_assert_int_eq(diff_table_add_row(&flat,
						    strtoull(at, NULL, 16) >> (*hex == '-' ? 0 : 4),
						    *letter == '-' ? "no row" : letter, &error),
				 0);
	}
	while (count < 3 && test->range[count][0])
		count++;
	add_functions(&other, test->range, count);
	ck_assert_int_eq(diff_table_cut(&ret, &flat, &other, &error), 0);
	ck_assert(ret.dialect == &diff_dialect_parca && ret.words == &words && !ret.flat);
	diff_table_say(file, &ret);
	fclose(file);
	ck_assert_msg(!strcmp(said, test->said), "%s:\n%s", test->name, said);
	free(said);
	diff_table_deinit(&ret);
	diff_table_deinit(&flat);
	diff_table_deinit(&other);
	diff_words_deinit(&words);
}
END_TEST

SUITE(diff_tools, TIMEOUT(300), LOOP(a_dump, cases), LOOP(a_dump_s_first_lines, beginnings),
      TEST(only_first_lines_are_looked_at), LOOP(cut_into_functions, cuts))
