/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_diff_sides.c - what each side of a comparison brings with it
 *
 * A saved table in another tool's dialect, a dump that knows no names beside an image that has them, an image of which
 * entries are lost, and files that are not all text. The rest is test_diff.c's.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"
#include "tables/diff/diff.h"
#include "tables/table/tests/section_image.h"

#define HEADER "stackproof table text 1\n"

/* ---- a saved table in a dialect ------------------------------------------------------------- */

/* The same rules in a signal frame and in none, in either order; a diagnostic; names that count, and that don't. */
static const char text[] = HEADER
	"function fde.1\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x10 end\n"
	"function fde.02 signal\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x10 end\n"
	"function fde.1234567890\n  +0x0 cfa=rsp+8 ra=c-8\n  diagnostic cfi_state\n  +0x10 end\n"
	"function fde.123456789\n  +0x0 cfa=rbp+16 ra=undefined rbp=c-16\n  +0x10 end\n"
	"function fde. signal\n  +0x0 cfa=rbp+16 ra=undefined rbp=c-16\n  +0x10 end\n"
	"function fde.3a\n  +0x0 cfa=rsp+16 ra=c-16 rbp=v-8\n  +0x10 end\n"
	"function named\n  +0x0 cfa=rsp+16 ra=rdi\n  +0x2 cfa=rsp+16 ra=none\n"
	"  +0x4 cfa=rsp+16 ra=exp(breg7+8) rbp=undefined\n"
	"  +0x6 cfa=rsp+16 ra=c-8 rbp=c-16\n  +0x8 cfa=rsp+8 ra=c-8 rbp=c-16\n"
	"  +0x10 end\n";

static const struct {
	const char *name;
	const struct diff_dialect *dialect;
	const char *said;
} dialects[] = {
	{ "text", &diff_dialect_text,
	  "fde.1 counted\n"
	  " 0 cfa=rsp+8 ra=c-8\n"
	  "fde.02 signal\n"
	  " 0 cfa=rsp+8 ra=c-8\n"
	  "fde.1234567890 diagnostic\n"
	  " 0 cfa=rsp+8 ra=c-8\n"
	  "fde.123456789 counted\n"
	  " 0 cfa=rbp+16 ra=undefined rbp=c-16\n"
	  "fde. named signal\n"
	  " 0 cfa=rbp+16 ra=undefined rbp=c-16\n"
	  "fde.3a named\n"
	  " 0 cfa=rsp+16 ra=c-16 rbp=v-8\n"
	  "named named\n"
	  " 0 cfa=rsp+16 ra=rdi\n"
	  " 2 cfa=rsp+16 ra=none\n"
	  " 4 cfa=rsp+16 ra=exp(breg7+8) rbp=undefined\n"
	  " 6 cfa=rsp+16 ra=c-8 rbp=c-16\n"
	  " 8 cfa=rsp+8 ra=c-8 rbp=c-16\n" },
	{ "readelf", &diff_dialect_readelf,
	  "fde.1 counted\n"
	  " 0 cfa=rsp+8 ra=c-8\n"
	  "fde.02 signal\n"
	  " 0 cfa=rsp+8 ra=c-8\n"
	  "fde.1234567890\n"
	  " 0 cfa=rsp+8 ra=c-8\n"
	  "fde.123456789 counted\n"
	  " 0 cfa=rbp+16 ra=u rbp=c-16\n"
	  "fde. named signal\n"
	  " 0 cfa=rbp+16 ra=u rbp=c-16\n"
	  "fde.3a named\n"
	  " 0 cfa=rsp+16 ra=c-16 rbp=v-8\n"
	  "named named\n"
	  " 0 cfa=rsp+16 ra=rdi\n"
	  " 2 cfa=rsp+16 ra=u\n"
	  " 4 cfa=rsp+16 ra=exp\n"
	  " 6 cfa=rsp+16 ra=c-8 rbp=c-16\n"
	  " 8 cfa=rsp+8 ra=c-8 rbp=c-16\n" },
	{ "parca", &diff_dialect_parca,
	  "fde.1 counted\n"
	  " 0 cfa=rsp+8 ra=c-8\n"
	  "fde.02\n"
	  " 0 cfa=rsp+8 ra=c-8\n"
	  "fde.1234567890\n"
	  " 0 cfa=rsp+8 ra=c-8\n"
	  "fde.123456789 counted\n"
	  " 0 cfa=rbp+16 ra=undefined\n"
	  "fde. named\n"
	  " 0 cfa=rbp+16 ra=undefined\n"
	  "fde.3a named\n"
	  " 0 cfa=rsp+16 ra=c-16 rbp=v-8\n"
	  "named named\n"
	  " 0 cfa=rsp+16 ra=rdi\n"
	  " 2 cfa=rsp+16 ra=none\n"
	  " 4 cfa=rsp+16 ra=exp(breg7+8)\n"
	  " 6 cfa=rsp+16 ra=c-8 rbp=c-16\n"
	  " 8 cfa=rsp+8 ra=c-8 rbp=c-16\n" },
	{ "parca-rows", &diff_dialect_parca_rows,
	  "fde.1 counted\n"
	  " 0 cfa=rsp+8\n"
	  "fde.02\n"
	  " 0 cfa=rsp+8\n"
	  "fde.1234567890\n"
	  " 0 cfa=rsp+8\n"
	  "fde.123456789 counted\n"
	  " 0 cfa=rbp+16 rbp=c-16\n"
	  "fde. named\n"
	  " 0 cfa=rbp+16 rbp=c-16\n"
	  "fde.3a named\n"
	  " 0 cfa=rsp+16 rbp=v-8\n"
	  "named named\n"
	  " 0 cfa=rsp+16\n"
	  " 6 cfa=rsp+16 rbp=c-16\n"
	  " 8 cfa=rsp+8 rbp=c-16\n" },
	{ "otel", &diff_dialect_otel,
	  "fde.1 counted\n"
	  " 0 cfa=rsp+8\n"
	  "fde.02\n"
	  " 0 signal\n"
	  "fde.1234567890\n"
	  " 0 cfa=rsp+8\n"
	  "fde.123456789 counted\n"
	  " 0 stop\n"
	  "fde. named\n"
	  " 0 signal\n"
	  "fde.3a named\n"
	  " 0 cfa=rsp+16 ra=c-16 rbp=v-8\n"
	  "named named\n"
	  " 0 cfa=rsp+16 ra=rdi\n"
	  " 2 stop\n"
	  " 4 cfa=rsp+16 ra=exp(breg7+8)\n"
	  " 6 cfa=rsp+16 rbp=c-16\n"
	  " 8 cfa=rsp+8\n" },
};

static void say(FILE *file, const struct diff_table *table)
{
	for (size_t i = 0; i < table->function_count; i++) {
		const struct diff_function *function = &table->function[i];
		char number[DIFF_NUMBER_BYTES];

		fprintf(file, "%s%s%s%s%s\n", diff_function_name(function, number),
			function->number ? " counted" : "", function->named ? " named" : "",
			function->signal ? " signal" : "",
			function->diagnostic ? " diagnostic" : "");
		for (uint32_t j = 0; j < function->row_count; j++)
			fprintf(file, " %d %s\n", (int)table->row[function->first_row + j].offset,
				table->row[function->first_row + j].words);
	}
}

START_TEST(saved_table_in_a_dialect)
{
	struct diff_words words = { 0 };
	struct diff_table table = { .dialect = dialects[_i].dialect, .words = &words };
	struct table_text *saved;
	struct error error;
	char *said = NULL, copy[sizeof(text)];
	size_t size;
	FILE *file = open_memstream(&said, &size);

	memcpy(copy, text, sizeof(text));
	ck_assert_msg(!table_text_read(copy, sizeof(text) - 1, &saved, &error), "%s",
		      error.message);
	ck_assert(!diff_table_from_text(&table, saved, &error));
	say(file, &table);
	fclose(file);
	ck_assert_msg(!strcmp(said, dialects[_i].said), "%s:\n%s", dialects[_i].name, said);
	free(said);
	table_text_destroy(saved);
	diff_table_deinit(&table);
	diff_words_deinit(&words);
}
END_TEST

/* ---- a dump beside what has names ----------------------------------------------------------- */

struct made_function {
	const char *name; /* NULL: none */
	uint64_t pc, length;
	bool signal;
	enum error_code diagnostic;
	const char *row[3];
};

static void make_table(struct diff_table *table, struct diff_words *words,
		       const struct made_function *functions)
{
	struct error error;

	*table = (struct diff_table) { .dialect = &diff_dialect_readelf, .words = words };
	for (const struct made_function *f = functions; f->length; f++) {
		const struct diff_function function = { .pc = f->pc,
							.length = f->length,
							.has_pc = f->pc,
							.named = f->name,
							.signal = f->signal,
							.diagnostic = f->diagnostic };

		ck_assert(!diff_table_add_function(table, f->name, &function, &error));
		for (int i = 0; i < 3 && f->row[i]; i++)
			ck_assert(!diff_table_add_row(table, 4 * i, f->row[i], &error));
	}
}

static const struct made_function
	dump[] = { { NULL, 0x10, 8, false, 0, { "one" } },
		   { NULL, 0x20, 8, false, 0, { "two", "three" } },
		   { NULL, 0x30, 8, true, 0, { "four" } },
		   { NULL, 0x40, 9, false, ERROR_CFI_STATE, { "five" } },
		   { 0 } },
	whole[] = { { "f", 0x10, 8, false, 0, { "one" } },
		    { "g", 0x20, 8, false, 0, { "two", "other" } },
		    { "h", 0x30, 8, false, 0, { "four" } },
		    { "i", 0x40, 8, false, ERROR_CFI_RANGE, { "five", "six" } },
		    { "j", 0x50, 8, true, ERROR_CFI_RANGE, { "seven" } },
		    { 0 } },
	here[] = { { NULL, 0x10, 8, false, 0, { "one" } },
		   { NULL, 0x20, 8, false, 0, { "two" } },
		   { 0 } },
	there[] = { { NULL, 0x30, 8, false, 0, { "one" } },
		    { NULL, 0x40, 8, false, 0, { "three" } },
		    { 0 } },
	far[] = { { NULL, 0x100000010, 8, false, 0, { "one" } },
		  { NULL, 0x20, 8, false, 0, { "two", "other" } },
		  { 0 } },
	nowhere[] = { { "f", 0, 8, false, 0, { "one" } },
		      { "k", 0, 8, false, 0, { "two" } },
		      { 0 } };

/* What is said of all: functions equal, changed, added and removed, and rows changed, added and removed. */
#define WORDS                                                                                      \
	"CFA, return address and registers; of expressions and registers above rip only "          \
	"that there is one, and undefined is no rule"
#define ALL(e, c, a, r, rows_c, rows_a, rows_r)                                                    \
	"compared: " WORDS "\n" e " functions equal, " c " changed, " a " added, " r               \
	" removed; rows: " rows_c " changed, " rows_a " added, " rows_r " removed\n"
#define DIFF(e, c, a, r, rows_c, rows_a, rows_r, checked)                                          \
	"{'type':'diff','a':'A','b':'B','dialect':'readelf','compared':'" WORDS                    \
	"','functions_equal':" e ",'functions_changed':" c ",'functions_added':" a                 \
	",'functions_removed':" r ",'rows_changed':" rows_c ",'rows_added':" rows_a                \
	",'rows_removed':" rows_r ",'checked':" checked                                            \
	",'checked_unit':'functions','not_checked':{},'exit_status':1}\n"

static const struct {
	const char *name;
	const struct made_function *a, *b;
	bool by_address, json, bad_input;
	const char *func;
	uint64_t checked, findings;
	const char *said;
} reports[] = {
	{ "a_dump_first", dump, whole, true, false, false, NULL, 5, 4,
	  "changed function g\n"
	  "  - +0x4 three\n"
	  "  + +0x4 other\n"
	  "changed function h: signal frame only in the first\n"
	  "changed function i: length 0x9, 0x8; diagnostic cfi_state, cfi_range\n"
	  "  + +0x4 six\n"
	  "added function j\n"
	  "  + +0x0 seven\n"
	  "  + +0x8 end\n" ALL("1", "3", "1", "0", "1", "2", "0") },
	{ "a_dump_last", whole, dump, true, false, false, NULL, 5, 4,
	  "changed function g\n"
	  "  - +0x4 other\n"
	  "  + +0x4 three\n"
	  "changed function h: signal frame only in the second\n"
	  "changed function i: length 0x8, 0x9; diagnostic cfi_range, cfi_state\n"
	  "  - +0x4 six\n"
	  "removed function j\n"
	  "  - +0x0 seven\n"
	  "  - +0x8 end\n" ALL("1", "3", "0", "1", "1", "0", "2") },
	{ "by_the_name_that_one_has", dump, whole, true, false, false, "g", 1, 1,
	  "changed function g\n"
	  "  - +0x4 three\n"
	  "  + +0x4 other\n" ALL("0", "1", "0", "0", "1", "0", "0") },
	{ "whichever_side", whole, dump, true, false, false, "g", 1, 1,
	  "changed function g\n"
	  "  - +0x4 other\n"
	  "  + +0x4 three\n" ALL("0", "1", "0", "0", "1", "0", "0") },
	{ "no_name_but_that", dump, whole, true, false, false, "0x20", 0, 0,
	  ALL("0", "0", "0", "0", "0", "0", "0") },
	{ "of_two_without_a_name_the_first_s", here, there, false, false, false, NULL, 2, 1,
	  "changed function 0x20\n"
	  "  - +0x0 two\n"
	  "  + +0x0 three\n" ALL("1", "1", "0", "0", "1", "0", "0") },
	{ "in_json", dump, whole, true, true, false, NULL, 5, 4,
	  "{'type':'function','function':'g','change':'changed','rows':[{'offset':'0x4','change':'"
	  "changed','a':'three','b':'other'}],'a':{'name':'0x20','length':'0x8','rows':2,'pc':'"
	  "0x20'},'b':{'name':'g','length':'0x8','rows':2,'pc':'0x20'}}\n"
	  "{'type':'function','function':'h','change':'changed','rows':[],'a':{'name':'0x30','"
	  "length':'0x8','rows':1,'pc':'0x30','signal':true},'b':{'name':'h','length':'0x8','rows':"
	  "1,'pc':'0x30'}}\n"
	  "{'type':'function','function':'i','change':'changed','rows':[{'offset':'0x4','change':'"
	  "added','b':'six'}],'a':{'name':'0x40','length':'0x9','rows':1,'pc':'0x40','diagnostic':'"
	  "cfi_state'},'b':{'name':'i','length':'0x8','rows':2,'pc':'0x40','diagnostic':'cfi_range'"
	  "}}\n"
	  "{'type':'function','function':'j','change':'added','rows':[{'offset':'0x0','change':'"
	  "added','b':'seven'}],'b':{'name':'j','length':'0x8','rows':1,'pc':'0x50','signal':true,'"
	  "diagnostic':'cfi_range'}}\n" DIFF("1", "3", "1", "0", "1", "2", "0", "5") },
	{ "an_address_is_all_of_it", far, whole, true, false, false, "*[!h-j]", 3, 2,
	  "removed function 0x100000010\n"
	  "  - +0x0 one\n"
	  "  - +0x8 end\n"
	  "added function f\n"
	  "  + +0x0 one\n"
	  "  + +0x8 end\n" ALL("1", "0", "1", "1", "0", "1", "1") },
	{ "what_is_in_no_place", nowhere, whole, false, true, false, "[fjk]", 3, 2,
	  "{'type':'function','function':'k','change':'removed','rows':[{'offset':'0x0','change':'"
	  "removed','a':'two'}],'a':{'name':'k','length':'0x8','rows':1}}\n"
	  "{'type':'function','function':'j','change':'added','rows':[{'offset':'0x0','change':'"
	  "added','b':'seven'}],'b':{'name':'j','length':'0x8','rows':1,'pc':'0x50','signal':true,'"
	  "diagnostic':'cfi_range'}}\n" DIFF("1", "0", "1", "1", "0", "1", "1", "3") },
	{ "where_something_is_lost_nothing_is_found", dump, whole, true, false, true, "[fg]", 2, 0,
	  "changed function g\n"
	  "  - +0x4 three\n"
	  "  + +0x4 other\n" ALL("1", "1", "0", "0", "1", "0", "0") },
};

START_TEST(what_differs_is_said)
{
	struct diff_words words = { 0 };
	struct diff_table a, b;
	struct diff_match match;
	struct error error;
	struct gate gate = { .unit = "functions", .bad_input = reports[_i].bad_input };
	FREED char *said = NULL;
	size_t size;
	FILE *file = open_memstream(&said, &size);
	struct diff_report report = { .file = file,
				      .json = reports[_i].json,
				      .func = reports[_i].func,
				      .path_a = "A",
				      .path_b = "B",
				      .gate = &gate };

	make_table(&a, &words, reports[_i].a);
	make_table(&b, &words, reports[_i].b);
	ck_assert(!diff_match(&a, &b, reports[_i].by_address, &match, &error));
	diff_report_write(&report, &a, &b, &match);
	fclose(file);
	for (char *quote = said; (quote = strchr(quote, '"'));)
		*quote = '\'';
	ck_assert_msg(!strcmp(said, reports[_i].said), "%s:\n%s", reports[_i].name, said);
	ck_assert_uint_eq(gate.checked, reports[_i].checked);
	ck_assert_uint_eq(gate.findings, reports[_i].findings);
	diff_match_deinit(&match);
	diff_table_deinit(&a);
	diff_table_deinit(&b);
	diff_words_deinit(&words);
}
END_TEST

/* ---- images of which entries are lost, and files that are not all text ---------------------- */

static const uint8_t plain[] = { CIE_USUAL };

static void sound(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1110, 0x10, CFA_nop);
}

static void malformed(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1110, 0x10, 0x3f);
}

static void of_no_cie(struct diff_image *image)
{
	static const uint8_t fde[] = { 12, 0, 0, 0, 1, 0, 0, 0, 0, 0x11, 0, 0, 4, 0, 0, 0 };

	diff_image_put(image, fde, sizeof(fde));
}

static void junk(struct diff_image *image)
{
	diff_image_put(image, "junk", 4);
}

static void outside(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x9000, 0x10, CFA_nop);
}

static void debug_frame(struct diff_image *image)
{
	size_t cie = debug_frame_cie(image);

	debug_frame_fde(image, (uint32_t)cie, 0x1300, 0x10, 16);
}

static void debug_link(struct diff_image *image)
{
	section_debug_link(image, "debug");
}

static const struct {
	const char *name;
	struct test_section section[3];
} images[] = {
	{ "sound", { SECTION(".eh_frame", sound) } },
	{ "malformed", { SECTION(".eh_frame", malformed) } },
	{ "very_bad", { { ".eh_frame", of_no_cie, 0, 0, 1005 } } },
	{ "junk", { { ".debug_frame", junk, 0, SHF_COMPRESSED, 0 } } },
	{ "outside", { SECTION(".eh_frame", outside) } },
	{ "nothing", { NO_SECTION } },
	{ "debug", { SECTION(".debug_frame", debug_frame) } },
	{ "linked", { SECTION(".eh_frame", sound), SECTION(".gnu_debuglink", debug_link) } },
};

#define OTEL "# addr           cfa             fp               flags\n"
#define READELF                                                                                    \
	"Contents of the .eh_frame section:\n\n\n"                                                 \
	"00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"                         \
	"   LOC           CFA      ra    \n0000000000000000 rsp+8    c-8   \n\n"                   \
	"00000018 0000000000000014 0000001c FDE cie=00000000 "                                     \
	"pc=0000000000001100..0000000000001110\n\n"

#define FILE_OF(name, bytes)                                                                       \
	{                                                                                          \
		name, bytes, sizeof(bytes) - 1                                                     \
	}

static const struct {
	const char *name, *bytes;
	size_t size;
} files[] = {
	FILE_OF("text", HEADER "function fde.1\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x10 end\n"),
	FILE_OF("text_and_nul", HEADER "function fde.1\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x10 end\n\0"),
	FILE_OF("dump", READELF),
	FILE_OF("dump_and_nul", READELF "\0"),
	FILE_OF("strays", OTEL "0000000000001100 sp+8 ?\n0000000000001110 sp+8 ?\n"
			       "0000000000001120 stop\n0000000000001130 invalid end\n"
			       "0000000000001140 sp+8 ?\n0000000000001150 stop\n"
			       "0000000000001160 sp+10 ?\n0000000000001170 invalid end\n"),
};

#define ARGUMENTS(...) .argument = { __VA_ARGS__ }
#define HAS(...)       .has = { __VA_ARGS__ }
#define HAS_NOT(...)   .has_not = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *argument[4];
	enum exit_status status;
	const char *has[4], *has_not[2];
} commands[] = {
	{ "the_same", ARGUMENTS("sound", "sound"), EXIT_OK, HAS("2 functions equal, 0 changed"),
	  HAS_NOT("checked") },
	{ "what_is_lost_is_bad_input_though_nothing_differs", ARGUMENTS("malformed", "malformed"),
	  EXIT_BAD_INPUT, HAS("2 functions equal, 0 changed", "call frame instruction 0x3f") },
	{ "and_no_finding_though_something_does", ARGUMENTS("sound", "malformed"), EXIT_BAD_INPUT,
	  HAS("1 functions equal, 1 changed", "diagnostic none, cfi_instruction") },
	{ "whichever_side_it_is", ARGUMENTS("malformed", "sound"), EXIT_BAD_INPUT,
	  HAS("1 functions equal, 1 changed", "diagnostic cfi_instruction, none") },
	{ "of_many_the_rest_is_counted", ARGUMENTS("very_bad", "sound"), EXIT_BAD_INPUT,
	  HAS("very_bad: and 5 more\n", "2 added") },
	{ "one_that_can_not_be_read_is_not_compared", ARGUMENTS("junk", "sound"), EXIT_BAD_INPUT,
	  HAS("junk: .debug_frame"), HAS_NOT("functions") },
	{ "nor_as_the_second", ARGUMENTS("sound", "junk"), EXIT_BAD_INPUT,
	  HAS("junk: .debug_frame"), HAS_NOT("functions") },
	{ "of_two_both_are_said", ARGUMENTS("junk", "nowhere"), EXIT_BAD_INPUT, HAS("nowhere: "),
	  HAS_NOT("functions") },
	{ "what_no_table_has_is_compared", ARGUMENTS("outside", "outside", "--strict"), EXIT_OK,
	  HAS("2 functions equal"), HAS_NOT("checked") },
	{ "without_cfi_there_are_no_functions", ARGUMENTS("nothing", "sound", "-s"), EXIT_FINDINGS,
	  HAS("0 functions equal, 0 changed, 2 added, 0 removed",
	      "nothing: the image has neither") },
	{ "and_of_two_such_nothing_is_compared", ARGUMENTS("nothing", "nothing"), EXIT_SKIPPED,
	  HAS("0 functions equal", "nothing was checked") },
	{ "the_debug_file_s_are_compared", ARGUMENTS("linked", "sound", "-s"), EXIT_FINDINGS,
	  HAS("2 functions equal, 0 changed, 0 added, 1 removed") },
	{ "a_dump", ARGUMENTS("sound", "dump", "-s"), EXIT_FINDINGS, HAS("1 functions equal") },
	{ "a_dump_that_is_not_all_text", ARGUMENTS("sound", "dump_and_nul"), EXIT_BAD_INPUT,
	  HAS("dump_and_nul: a dump with NUL bytes"), HAS_NOT("functions") },
	{ "nor_is_this", ARGUMENTS("text", "text_and_nul"), EXIT_BAD_INPUT, HAS("text_and_nul: "),
	  HAS_NOT("functions") },
	{ "a_text_by_its_name", ARGUMENTS("text", "text", "--from=text"), EXIT_OK,
	  HAS("1 functions equal") },
	{ "the_end_of_what_is_known_is_no_stray", ARGUMENTS("sound", "strays"), EXIT_FINDINGS,
	  HAS("added function 0x1140\n  + +0x0 cfa=rsp+8\n  + +0x10 end\n"
	      "added function 0x1160\n  + +0x0 cfa=rsp+16\n  + +0x10 end\n",
	      "2 functions equal, 0 changed, 2 added, 0 removed"),
	  HAS_NOT("stop") },
	{ "nor_with_the_dump_first", ARGUMENTS("strays", "sound", "-s"), EXIT_FINDINGS,
	  HAS("2 functions equal, 0 changed, 0 added, 2 removed"), HAS_NOT("stop") },
	{ "a_dump_of_addresses_and_a_text", ARGUMENTS("strays", "text"), EXIT_USAGE,
	  HAS("the dump knows addresses only"), HAS_NOT("functions equal") },
	{ "or_the_other_way_round", ARGUMENTS("text", "strays"), EXIT_USAGE,
	  HAS("the dump knows addresses only"), HAS_NOT("functions equal") },
};

START_TEST(two_files)
{
	typeof(&commands[0]) c = &commands[_i];
	char *arguments[8] = { "diff" };
	int status;

	folder_enter();
	for (int i = 0; i < COUNT(images); i++)
		section_image_write(images[i].name, images[i].section);
	for (int i = 0; i < COUNT(files); i++) {
		FILE *file = fopen(files[i].name, "w");

		ck_assert(file && fwrite(files[i].bytes, 1, files[i].size, file) == files[i].size);
		fclose(file);
	}
	for (int i = 0; i < COUNT(c->argument) && c->argument[i]; i++)
		arguments[1 + i] = (char *)c->argument[i];
	FREED char *output = command_output(command_diff, arguments, &status);
	folder_remove();
	ck_assert_msg(status == (int)c->status, "%s: %d: %s", c->name, status, output);
	output_says(c->name, output, c->has, COUNT(c->has), c->has_not, COUNT(c->has_not));
}
END_TEST

/* What is no text behind its beginning is not read to its end. */
START_TEST(a_file_is_read_as_far_as_it_is_text)
{
	static const struct {
		size_t nul; /* where; 0: there is none */
		size_t read;
	} sizes[] = { { 0, 5 << 20 }, { 100, 65536 }, { 70000, 1 << 20 } };
	static char bytes[5 << 20];

	for (int i = 0; i < COUNT(sizes); i++) {
		char path[] = "/tmp/test_diff_sides.XXXXXX";
		struct diff_file file = { .path = path };
		struct error error;
		int fd = mkstemp(path);

		memset(bytes, '\n', sizeof(bytes));
		memcpy(bytes, HEADER, sizeof(HEADER) - 1);
		if (sizes[i].nul)
			bytes[sizes[i].nul] = '\0';
		ck_assert_int_eq(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
		close(fd);
		ck_assert_int_eq(diff_file_read(&file, NULL, &error), 0);
		ck_assert_msg(file.size == sizes[i].read, "%d: %zu", i, file.size);
		diff_file_forget(&file);
		unlink(path);
	}
}
END_TEST

SUITE(diff_sides, LOOP(saved_table_in_a_dialect, dialects), LOOP(what_differs_is_said, reports),
      LOOP(two_files, commands), TEST(a_file_is_read_as_far_as_it_is_text))
