/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden.c - a golden cannot be wrong quietly
 *
 * First the difference of two texts, as a table of cases. Then check, over a corpus of one binary:
 * what it returns and says after somebody changed a row of a golden, or the golden, the binary or
 * the toolchain is not there. What update refuses is in test_golden_update.c.
 */
#include "tests/suite.h"
#include "golden_fixture.h"

#define HEADER "stackproof table text 1\n"

/* ---- differences ------------------------------------------------------------------------- */

struct diff_case {
	const char *name;
	const char *expected;
	const char *actual;
	const char *differences; /* "function key expected|actual;" of each; - for none */
};

static const struct diff_case diff_cases[] = {
	{ "equal_texts_do_not_differ", "function a\n  +0x0 x\n  +0x4 end\n",
	  "function a\n  +0x0 x\n  +0x4 end\n", "" },
	{ "a_changed_rule_is_shown_with_both_sides", "function a\n  +0x0 x y\n  +0x4 end\n",
	  "function a\n  +0x0 x z\n  +0x4 end\n", "a +0x0 x y|x z;" },
	{ "a_row_one_byte_late_is_missing_here_and_new_there", "function a\n  +0x1 x\n",
	  "function a\n  +0x2 x\n", "a +0x1 x|-;a +0x2 -|x;" },
	{ "a_grown_function_differs_in_its_end", "function a\n  +0x4 end\n",
	  "function a\n  +0x5 end\n", "a +0x4 end|-;a +0x5 -|end;" },
	{ "the_order_of_functions_is_no_difference", "function a\n  +0x0 x\nfunction b\n  +0x0 y\n",
	  "function b\n  +0x0 y\nfunction a\n  +0x0 x\n", "" },
	{ "functions_of_one_name_are_told_apart", "function a\n  +0x0 x\nfunction a\n  +0x0 y\n",
	  "function a\n  +0x0 x\nfunction a\n  +0x0 z\n", "a +0x0 y|z;" },
	{ "a_lost_function_is_a_difference", "function a\nfunction b\n", "function a\n",
	  "b function |-;" },
	{ "a_lost_signal_mark_is_a_difference", "function a signal\n", "function a\n",
	  "a function signal|;" },
	{ "a_new_diagnostic_is_a_difference", "function a\n",
	  "diagnostic cie_pointer\nfunction a\n", " diagnostic cie_pointer -|;" },
};

#define DIFF_COUNT (sizeof(diff_cases) / sizeof(diff_cases[0]))

static void on_difference(void *context, const struct golden_difference *difference)
{
	fprintf(context, "%s %s %s|%s;", difference->function, difference->key,
		difference->expected ? difference->expected : "-",
		difference->actual ? difference->actual : "-");
}

static void parse(struct golden_text *ret, const char *body)
{
	struct error error = { 0 };
	char text[1024];

	snprintf(text, sizeof(text), HEADER "%s", body);
	ck_assert_int_eq(golden_text_parse(ret, text, strlen(text), &error), 0);
}

START_TEST(test_diff)
{
	const struct diff_case *diff_case = &diff_cases[_i];
	struct golden_text expected, actual;
	FREED char *shown = NULL;
	size_t size;
	FILE *stream = open_memstream(&shown, &size);

	parse(&expected, diff_case->expected);
	parse(&actual, diff_case->actual);

	size_t count = golden_text_diff(&expected, &actual, on_difference, stream);

	fclose(stream);
	ck_assert_msg(!strcmp(shown, diff_case->differences), "%s: expected %s, actual %s",
		      diff_case->name, diff_case->differences, shown);
	ck_assert_msg((count == 0) == (*shown == '\0'), "%s: %zu", diff_case->name, count);
	golden_text_deinit(&expected);
	golden_text_deinit(&actual);
}
END_TEST

static const char *const no_texts[] = { "", "failed to find .eh_frame section\n",
					"stackproof table text", "Stackproof table text 1\n" };

START_TEST(test_what_is_no_table_text_is_rejected)
{
	struct golden_text text;
	struct error error = { 0 };

	ck_assert_int_eq(golden_text_parse(&text, no_texts[_i], strlen(no_texts[_i]), &error), -1);
	ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
}
END_TEST

START_TEST(test_only_expected_diagnostics_are_passed_over)
{
	struct golden_text text;

	parse(&text, "diagnostic cie_version\nfunction a\n  +0x0 x\n  diagnostic malformed\n");
	ck_assert_str_eq(golden_text_diagnostic(&text, NULL), "diagnostic cie_version");
	ck_assert_str_eq(golden_text_diagnostic(&text, "diagnostic:cie_version"),
			 "diagnostic malformed");
	ck_assert_ptr_null(
		golden_text_diagnostic(&text, "exact diagnostic:malformed diagnostic:cie_version"));
	golden_text_deinit(&text);
}
END_TEST

/* ---- one changed row --------------------------------------------------------------------- */

/* Somebody changes what of the golden to with; the message says function, row and instruction. */
struct row_case {
	const char *name;
	const char *what, *with;
	const char *place, *expected, *actual; /* lines of the message */
};

static const struct row_case row_cases[] = {
	{ "another_rule", "+0x1 cfa=rsp+16 ra=c-8 rbp=c-16", "+0x1 cfa=rsp+24 ra=c-8 rbp=c-16",
	  "  " TOOLCHAIN "/self.O2-nofp framed +0x1 at 0x1001: `mov rbp, rsp`\n",
	  "    expected cfa=rsp+24 ra=c-8 rbp=c-16\n",
	  "    actual   cfa=rsp+16 ra=c-8 rbp=c-16\n" },
	{ "the_golden_s_row_is_inside_an_instruction", "+0x1 cfa=rsp+16 ra=c-8 rbp",
	  "+0x2 cfa=rsp+16 ra=c-8 rbp", "framed +0x2 at 0x1002: inside +0x1 `mov rbp, rsp`\n",
	  "    expected cfa=rsp+16 ra=c-8 rbp=c-16\n",
	  "    actual   no row: that of +0x1 holds, cfa=rsp+16 ra=c-8 rbp=c-16\n" },
	{ "the_image_s_row_is_not_in_the_golden", "+0x1 cfa=rsp+16 ra=c-8 rbp",
	  "+0x2 cfa=rsp+16 ra=c-8 rbp", "framed +0x1 at 0x1001: `mov rbp, rsp`\n",
	  "    expected no row: that of +0x0 holds, cfa=rsp+8 ra=c-8\n",
	  "    actual   cfa=rsp+16 ra=c-8 rbp=c-16\n" },
	{ "a_row_of_another_function", "+0x1 cfa=rsp+16 ra=c-8 rbx=c-16",
	  "+0x1 cfa=rsp+16 ra=c-8 rbx=c-24", "pushes +0x1 at 0x1011: `pop rbx`\n",
	  "    expected cfa=rsp+16 ra=c-8 rbx=c-24\n",
	  "    actual   cfa=rsp+16 ra=c-8 rbx=c-16\n" },
	{ "an_end_too_early", "+0x10 end\nfunction pushes", "+0xf end\nfunction pushes",
	  "framed +0xf at 0x100f: `nop`\n", "    expected end\n", "    actual   no row: that of" },
	{ "a_row_behind_the_end", "+0x10 end\nfunction pushes",
	  "+0x10 end\n  +0x11 cfa=rsp+8 ra=c-8\nfunction pushes",
	  "framed +0x11 at 0x1011: `pop rbx`", "    expected cfa=rsp+8 ra=c-8\n",
	  "    actual   no row: the function ends at +0x10\n" },
	{ "a_function_that_the_image_has_not", "function pushes\n", "function another\n",
	  "another +0x1\n", "    expected cfa=rsp+16 ra=c-8 rbx=c-16\n",
	  "    actual   no such line\n" },
};

#define ROW_COUNT (sizeof(row_cases) / sizeof(row_cases[0]))

START_TEST(test_one_changed_row_is_shown_with_its_instruction)
{
	const struct row_case *row_case = &row_cases[_i];

	bless();
	ck_assert_int_eq(golden("check"), EXIT_OK);
	edit(GOLDEN, row_case->what, row_case->with);
	ck_assert_int_eq(golden("check"), EXIT_FINDINGS);
	said(row_case->place);
	said(row_case->expected);
	said(row_case->actual);
	said("failed " TOOLCHAIN "/self.O2-nofp: different: ");
	ck_assert_ptr_nonnull(strstr(read_text(CANDIDATE), "function framed\n"));
}
END_TEST

START_TEST(test_the_line_that_says_failed_says_why)
{
	bless();
	edit(GOLDEN, "+0x1 cfa=rsp+16 ra=c-8 rbp", "+0x1 cfa=rsp+24 ra=c-8 rbp");
	ck_assert_int_eq(golden("check"), EXIT_FINDINGS);
	said("failed " TOOLCHAIN "/self.O2-nofp: different: framed +0x1 at 0x1001: `mov rbp, rsp`: "
	     "expected cfa=rsp+24 ra=c-8 rbp=c-16, actual cfa=rsp+16 ra=c-8 rbp=c-16; ");
}
END_TEST

START_TEST(test_one_changed_row_as_json)
{
	json_error_t json_error;

	bless();
	edit(GOLDEN, "+0x1 cfa=rsp+16 ra=c-8 rbp", "+0x2 cfa=rsp+16 ra=c-8 rbp");
	ck_assert_int_eq(golden("check", "--json"), EXIT_FINDINGS);

	char *line = strchr(read_text("output"), '{');
	json_t *object = json_loads(line, JSON_DISABLE_EOF_CHECK, &json_error);
	json_t *first = json_array_get(json_object_get(object, "differences"), 0);

	ck_assert_ptr_nonnull(first);

	struct {
		const char *key, *value;
	} const fields[] = {
		{ "function", "framed" },
		{ "key", "+0x2" },
		{ "expected", "cfa=rsp+16 ra=c-8 rbp=c-16" },
		{ "actual_there", "no row: that of +0x1 holds, cfa=rsp+16 ra=c-8 rbp=c-16" },
		{ "address", "0x1002" },
		{ "instruction", "mov rbp, rsp" },
		{ "instruction_offset", "0x1" },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *value = json_string_value(json_object_get(first, fields[i].key));

		ck_assert_msg(value && !strcmp(value, fields[i].value), "%s is %s", fields[i].key,
			      value);
	}
	ck_assert(json_is_null(json_object_get(first, "actual")));
	ck_assert_int_eq(json_integer_value(json_object_get(object, "difference_count")), 2);
	json_decref(object);
}
END_TEST

START_TEST(test_every_difference_is_counted_and_only_the_first_are_shown)
{
	FREED char *text = NULL;

	bless();
	text = strdup(read_text(GOLDEN));
	for (char *at = text; (at = strstr(at, "ra=c-8"));)
		at[5] = '9';
	write_text(GOLDEN, text);
	ck_assert_int_eq(golden("check"), EXIT_FINDINGS);
	said("  and ");
	said(" more\n");
}
END_TEST

/* ---- what is not there ------------------------------------------------------------------- */

START_TEST(test_an_unknown_toolchain_is_skipped_and_leaves_a_candidate)
{
	ck_assert_int_eq(golden("check"), EXIT_SKIPPED);
	said("skipped " TOOLCHAIN "/self.O2-nofp: unknown_toolchain");
	ck_assert_ptr_nonnull(strstr(read_text(CANDIDATE), "function framed\n"));
	ck_assert(!is_there(GOLDEN));
}
END_TEST

START_TEST(test_a_known_toolchain_without_a_golden_fails)
{
	write_text("golden/tables/" TOOLCHAIN "/another.O2-nofp.txt", HEADER);
	ck_assert_int_eq(golden("check"), EXIT_FINDINGS);
	said("no_golden");
	ck_assert(is_there(CANDIDATE));
}
END_TEST

START_TEST(test_a_golden_that_is_no_table_fails)
{
	bless();
	write_text(GOLDEN, "failed to find .eh_frame section\n");
	ck_assert_int_eq(golden("check"), EXIT_FINDINGS);
	said("unreadable_golden");
}
END_TEST

START_TEST(test_a_binary_that_can_t_be_read_fails)
{
	bless();
	write_text("corpus/" BINARY, "no ELF\n");
	ck_assert_int_eq(golden("check"), EXIT_FINDINGS);
}
END_TEST

START_TEST(test_a_binary_that_is_gone_fails)
{
	bless();
	unlink("corpus/" BINARY);
	ck_assert_int_eq(golden("check"), EXIT_FINDINGS);
	said("missing");
}
END_TEST

START_TEST(test_an_absent_compiler_is_a_typed_skip)
{
	write_text("corpus/manifest.tsv", "skip:no_compiler\tself\tcc-1\tO2-nofp\tc\t-\n");
	ck_assert_int_eq(golden("check"), EXIT_SKIPPED);
	said("no_compiler");
}
END_TEST

START_TEST(test_a_corpus_that_is_not_there_is_bad_input)
{
	unlink("corpus/manifest.tsv");
	ck_assert_int_eq(golden("check"), EXIT_BAD_INPUT);
}
END_TEST

START_TEST(test_a_name_that_nothing_has_is_a_wrong_command_line)
{
	bless();
	ck_assert_int_eq(golden("check", "self", "another"), EXIT_USAGE);
	said("nothing in the corpus is called another");
}
END_TEST

START_TEST(test_a_table_fault_fails_a_golden_that_is_equal)
{
	bless();
	write_text("faults", "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"kind\":\"wrong\","
			     "\"image\":\"/x/" BINARY "\",\"function\":\"framed\"}\n");
	ck_assert_int_eq(golden("check", "--verdicts=faults"), EXIT_FINDINGS);
	said("table_fault: framed");
	write_text("golden/waivers.tsv", "# binary\nself*\tframe?\tthe toolchain's bug 1\n");
	ck_assert_int_eq(golden("check", "--verdicts=faults"), EXIT_OK);
	write_text("golden/waivers.tsv", "self*\tframed\twrong\t-\tthe toolchain's bug 1\n");
	ck_assert_int_eq(golden("check", "--verdicts=faults"), EXIT_OK);
	write_text("golden/waivers.tsv", "self*\tframed\tmalformed\t-\tthe toolchain's bug 1\n");
	ck_assert_int_eq(golden("check", "--verdicts=faults"), EXIT_FINDINGS);
	said("table_fault: framed");
	write_text("golden/waivers.tsv", "self*\tframed\t*\t2020-01-31\tthe toolchain's bug 1\n");
	ck_assert_int_eq(golden("check", "--verdicts=faults"), EXIT_FINDINGS);
	said("table_fault: framed");
	write_text("golden/waivers.tsv", "self*\tframed\n");
	ck_assert_int_eq(golden("check"), EXIT_BAD_INPUT);
	said("line 1: not the five fields image, function, kind, until, reason");
}
END_TEST

START_TEST(test_verdicts_that_are_no_json_are_bad_input)
{
	bless();
	write_text("faults", STEPPED("host") "no JSON\n");
	ck_assert_int_eq(golden("check", "--verdicts=faults"), EXIT_BAD_INPUT);
	ck_assert_int_eq(golden("check", "--verdicts=not_there"), EXIT_BAD_INPUT);
}
END_TEST

SUITE(golden, GROUP(text), TIMES(test_diff, DIFF_COUNT),
      LOOP(test_what_is_no_table_text_is_rejected, no_texts),
      TEST(test_only_expected_diagnostics_are_passed_over), GROUP(command),
      FIXTURE(set_up, folder_remove),
      TIMES(test_one_changed_row_is_shown_with_its_instruction, ROW_COUNT),
      TEST(test_the_line_that_says_failed_says_why), TEST(test_one_changed_row_as_json),
      TEST(test_every_difference_is_counted_and_only_the_first_are_shown),
      TEST(test_an_unknown_toolchain_is_skipped_and_leaves_a_candidate),
      TEST(test_a_known_toolchain_without_a_golden_fails),
      TEST(test_a_golden_that_is_no_table_fails), TEST(test_a_binary_that_can_t_be_read_fails),
      TEST(test_a_binary_that_is_gone_fails), TEST(test_an_absent_compiler_is_a_typed_skip),
      TEST(test_a_corpus_that_is_not_there_is_bad_input),
      TEST(test_a_name_that_nothing_has_is_a_wrong_command_line),
      TEST(test_a_table_fault_fails_a_golden_that_is_equal),
      TEST(test_verdicts_that_are_no_json_are_bad_input))
