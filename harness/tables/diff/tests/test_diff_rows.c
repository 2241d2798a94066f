/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_diff_rows.c - what a dump says at each address, and what is no dump
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "tables/diff/diff.h"

#define FDE(range)                                                                                 \
	"\n00000018 0000000000000014 0000001c FDE cie=00000000 pc=" range                          \
	"\n   LOC           CFA      ra    \n"
#define CIE                                                                                        \
	"Contents of the .eh_frame section:\n\n\n"                                                 \
	"00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"
#define SIGNAL_CIE "00000010 0000000000000014 00000000 CIE \"zRS\" cf=1 df=-8 ra=16\n"
#define SIGNAL_FDE(range)                                                                          \
	"\n00000028 0000000000000014 0000001c FDE cie=00000010 pc=" range                          \
	"\n   LOC           CFA      ra    \n"

static const struct layout_case {
	const char *rule, *dump, *stretches;
} layout_cases[] = {
	{ "an address is in the function that begins last",
	  CIE FDE("1000..1100") "00001000 rsp+8 c-8\n00001040 rsp+16 c-8\n" //
	  FDE("1020..1060") "00001020 rsp+24 c-8\n00001050 rsp+32 c-8\n"    //
	  FDE("1030..1038") "00001030 rsp+40 c-8\n",
	  "0 -\n1000 8\n1020 24\n1030 40\n1038 24\n1050 32\n1060 16\n1100 -\n" },
	{ "of two with one begin, the later",
	  CIE FDE("1000..1010") "00001000 rsp+8 c-8\n" FDE("1000..1008") "00001000 rsp+16 c-8\n",
	  "0 -\n1000 16\n1008 8\n1010 -\n" },
	{ "one without rows, one without bytes, a gap before the first row",
	  CIE FDE("1000..1010") FDE("1008..1008") "00001008 rsp+8 c-8\n" //
	  FDE("1020..1030") "00001028 rsp+16 c-8\n",
	  "0 -\n1028 16\n1030 -\n" },
	{ "rows by address alone end where the next begins",
	  "# addr           cfa             fp               flags\n"
	  "0000000000001000 sp+8 ?\n0000000000001001 sp+10 ?\n0000000000001010 invalid end\n",
	  "0 -\n1000 8\n1001 16\n1010 invalid\n" },
	{ "no row at all", CIE, "0 -\n" },
	{ "a signal's frame among others",
	  CIE SIGNAL_CIE FDE("1000..1020") "00001000 rsp+8 c-8\n" //
	  SIGNAL_FDE("1008..1010") "00001008 rsp+8 c-8\n"	  //
	  SIGNAL_FDE("1020..1030") "00001020 rsp+8 c-8\n"	  //
	  FDE("1030..1040") "00001030 rsp+8 c-8\n",
	  "0 -\n1000 8\n1008 8 signal\n1010 8\n1020 8 signal\n1030 8\n1040 -\n" },
	{ "of three that end at once none goes on",
	  CIE FDE("1000..1040") "00001000 rsp+8 c-8\n00001038 rsp+16 c-8\n" //
	  FDE("1010..1030") "00001010 rsp+24 c-8\n"			    //
	  FDE("1020..1030") "00001020 rsp+32 c-8\n"			    //
	  FDE("1028..1030") "00001028 rsp+40 c-8\n"			    //
	  FDE("1040..1048") "00001040 rsp+48 c-8\n",
	  "0 -\n1000 8\n1010 24\n1020 32\n1028 40\n1030 8\n1038 16\n1040 48\n1048 -\n" },
	{ "one that ends behind the one that it begins in",
	  CIE FDE("1000..1020") "00001000 rsp+8 c-8\n" //
	  FDE("1010..1030") "00001010 rsp+24 c-8\n00001028 rsp+32 c-8\n",
	  "0 -\n1000 8\n1010 24\n1028 32\n1030 -\n" },
	{ "one that goes on to the end of all",
	  CIE FDE("ffffffffffffff00..ffffffffffffffff") "ffffffffffffff80 rsp+8 c-8\n",
	  "0 -\nffffffffffffff80 8\n" },
	{ "what it has no rule for, by its name",
	  "# addr           cfa             fp               flags\n"
	  "0000000000001000 plt\n0000000000001001 signal\n0000000000001002 stop\n"
	  "0000000000001003 framepointer\n0000000000001004 0x12\n0000000000001005 sp+8 ?\n"
	  "0000000000001006 invalid\n",
	  "0 -\n1000 plt\n1001 0 signal\n1002 0\n1003 framepointer\n1004 other\n1005 8\n"
	  "1006 invalid\n" },
	{ "where a function has ended there is no row",
	  "pc: 1000 cfa_type: 2  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n"
	  "pc: 1008 cfa_type: 4  rbp_type: 0  cfa_offset: 8   rbp_offset: 0\n"
	  "pc: 1010 cfa_type: 2  rbp_type: 0  cfa_offset: 16   rbp_offset: 0\n",
	  "0 -\n1000 8\n1008 -\n1010 16\n" },
};

/* All that a source says, in order of address. */
static void say_stretches(FILE *file, const struct row_source *source)
{
	struct row_said *said = calloc(1, sizeof(*said));

	for (uint64_t pc = 0; pc != UINT64_MAX; pc = said->row.pc_end) {
		source->row_at(source->context, pc, said);
		ck_assert_uint_eq(said->row.pc, pc);
		ck_assert_uint_gt(said->row.pc_end, pc);
		if (said->kind == ROW_SAID_ROW)
			fprintf(file, "%" PRIx64 " %" PRId64 "%s\n", pc, said->row.cfa.offset,
				said->row.signal_frame ? " signal" : "");
		else
			fprintf(file, "%" PRIx64 " %s\n", pc,
				said->kind == ROW_SAID_MARK ? source->mark[said->mark] : "-");
		if (said->row.pc_end == UINT64_MAX)
			break;
		/* Anywhere in it the same is said. */
		uint64_t last = said->row.pc_end - 1, pc_end = said->row.pc_end;

		source->row_at(source->context, last, said);
		ck_assert_uint_eq(said->row.pc, pc);
		ck_assert_uint_eq(said->row.pc_end, pc_end);
	}
	free(said);
}

START_TEST(functions_lie_one_behind_the_other)
{
	const struct layout_case *test = &layout_cases[_i];
	char path[] = "/tmp/test_diff_rows.XXXXXX", *text = NULL;
	struct row_source source;
	struct dumped_rows *dump;
	struct error error;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	close(mkstemp(path));
	file_write(path, test->dump, strlen(test->dump));
	ck_assert_msg(!dumped_rows_create(path, NULL, &dump, &error), "%s: %s", test->rule,
		      error.message);
	source = dumped_rows_source(dump);
	ck_assert_str_eq(source.name, path);
	say_stretches(file, &source);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->stretches), "%s:\n%s", test->rule, text);
	free(text);
	dumped_rows_destroy(dump);
	unlink(path);
}
END_TEST

/* What a dialect has no words for is not declared; of the rest "no rule" may be "undefined". And a row has nothing of the
 * one that was asked for before. */
START_TEST(a_row_says_what_its_dialect_can)
{
	static const struct {
		const char *dump, *row;
		uint32_t declared;
	} dumps[] = {
		{ CIE FDE("1000..1010") "00001000 rbp+16 c-8\n", "cfa=rbp+16 ra=c-8",
		  (1u << REGISTER_COUNT) - 1 },
		{ "pc: 1000 cfa_type: 1  rbp_type: 1  cfa_offset: 16   rbp_offset: -16\n",
		  "cfa=rbp+16 ra=c-8 rbp=c-16", 1u << REGISTER_RBP | 1u << REGISTER_RIP },
		{ "\tLoc: 1000 CFA: $rbp=16\tRBP: c-16\n", "cfa=rbp+16 ra=none rbp=c-16",
		  1u << REGISTER_RBP },
	};
	struct row_said *said = calloc(1, sizeof(*said));

	memset(said, 0xff, sizeof(*said));
	for (int i = 0; i < 3; i++) {
		char path[] = "/tmp/test_diff_rows.XXXXXX", *text = NULL;
		struct row_source source;
		struct dumped_rows *dump;
		struct error error;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		close(mkstemp(path));
		file_write(path, dumps[i].dump, strlen(dumps[i].dump));
		ck_assert(!dumped_rows_create(path, NULL, &dump, &error));
		source = dumped_rows_source(dump);
		source.row_at(source.context, 0x1008, said);
		row_print(file, &said->row);
		fclose(file);
		ck_assert_int_eq(said->kind, ROW_SAID_ROW);
		ck_assert_str_eq(text, dumps[i].row);
		ck_assert_uint_eq(said->declared, dumps[i].declared | ROW_DECLARES_CFA);
		ck_assert_uint_eq(said->vague, UINT32_MAX);
		ck_assert_uint_eq(said->row.pc, 0x1000);
		free(text);
		dumped_rows_destroy(dump);
		unlink(path);
	}
	free(said);
}
END_TEST

/* Cut off anywhere, or with any byte changed, it is read or refused. */
START_TEST(a_damaged_dump_is_read_or_refused)
{
	const char *whole = layout_cases[_i].dump;
	char path[] = "/tmp/test_diff_rows.XXXXXX", *bytes = strdup(whole), *text = NULL;
	size_t size = strlen(whole), text_size;
	struct dumped_rows *dump;
	struct error error;

	close(mkstemp(path));
	for (size_t i = 0; i < 2 * size; i++) {
		FILE *file = open_memstream(&text, &text_size);

		bytes[i / 2] = i & 1 ? (char)(whole[i / 2] ^ 1 << i / 2 % 7) : whole[i / 2];
		file_write(path, bytes, i & 1 ? size : i / 2);
		bytes[i / 2] = whole[i / 2];
		if (!dumped_rows_create(path, NULL, &dump, &error)) {
			struct row_source source = dumped_rows_source(dump);

			say_stretches(file, &source);
			dumped_rows_destroy(dump);
		} else {
			ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
		}
		fclose(file);
		free(text);
	}
	free(bytes);
	unlink(path);
}
END_TEST

static const struct refused_case {
	const char *bytes, *from, *message;
} refused_cases[] = {
	{ "\177ELF", NULL, "an ELF file, and no tool's dump" },
	{ "stackproof table text 1\n", NULL, "a saved table, which has no addresses" },
	{ "pc: 1 cfa_type: 9 rbp_type: 0 cfa_offset: 0 rbp_offset: 0\n", NULL,
	  "line 1: an unknown cfa_type" },
	{ "pc: 1 cfa_type: 2 rbp_type: 0 cfa_offset: 8 rbp_offset: 0\n", "otel",
	  "line 1: a row before the line that names the columns" },
	{ "nothing that is known\n", NULL,
	  "neither an ELF file nor a table in a format that is known" },
};

START_TEST(what_is_no_dump_is_refused)
{
	const struct refused_case *test = &refused_cases[_i];
	char path[] = "/tmp/test_diff_rows.XXXXXX";
	struct dumped_rows *dump = (struct dumped_rows *)path;
	struct error error;

	close(mkstemp(path));
	file_write(path, test->bytes, strlen(test->bytes));
	ck_assert_int_eq(dumped_rows_create(path, test->from, &dump, &error), -1);
	ck_assert_ptr_null(dump);
	ck_assert_str_eq(error.message, test->message);
	unlink(path);
	ck_assert_int_eq(dumped_rows_create(path, test->from, &dump, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
}
END_TEST

SUITE(diff_rows, LOOP(functions_lie_one_behind_the_other, layout_cases),
      TEST(a_row_says_what_its_dialect_can), LOOP(a_damaged_dump_is_read_or_refused, layout_cases),
      LOOP(what_is_no_dump_is_refused, refused_cases))
