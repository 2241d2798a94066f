/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden.c - a golden cannot be wrong quietly
 *
 * First the difference of two texts, as a table of cases. Then the command itself over a corpus of
 * one binary (this test program) in a temporary folder, each test one rule: what check and update
 * return and what they leave on disk after somebody edited, cut or contradicted a golden.
 */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "commands/golden.h"
#include "harness.h"

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
	char *shown = NULL;
	size_t size;
	FILE *stream = open_memstream(&shown, &size);

	parse(&expected, diff_case->expected);
	parse(&actual, diff_case->actual);

	size_t count = golden_text_diff(&expected, &actual, on_difference, stream);

	fclose(stream);
	ck_assert_msg(!strcmp(shown, diff_case->differences), "%s: expected %s, actual %s",
		      diff_case->name, diff_case->differences, shown);
	ck_assert_msg((count == 0) == (*shown == '\0'), "%s: %zu", diff_case->name, count);
	free(shown);
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

/* ---- the command ------------------------------------------------------------------------- */

#define GOLDEN	  "golden/tables/cc-1.2.3/self.O2-nofp.txt"
#define CANDIDATE "golden-candidates/cc-1.2.3/self.O2-nofp.txt"

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static char *read_text(const char *path)
{
	static char text[4 << 20]; /* one test, one process */
	FILE *file = fopen(path, "r");

	ck_assert_msg(file != NULL, "%s is not there", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void set_up(void)
{
	char folder[] = "/tmp/test_golden.XXXXXX";
	int null = open("/dev/null", O_WRONLY);

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	mkdir("corpus", 0777);
	write_text("corpus/manifest.tsv",
		   "# path\n/proc/self/exe\tself\tcc-1.2.3\tO2-nofp\tc\t-\n");
	unsetenv("CI");
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
}

static void tear_down(void)
{
	char command[4200], folder[4096];

	ck_assert_ptr_nonnull(getcwd(folder, sizeof(folder)));
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

/* Runs `golden ARGUMENTS --corpus corpus`; up to four arguments. */
static int golden(const char *a, const char *b, const char *c, const char *d)
{
	char *argv[] = { (char *)"golden", (char *)"--corpus", (char *)"corpus", (char *)a,
			 (char *)b,	   (char *)c,	       (char *)d,	 NULL };
	int argc = 3;

	while (argv[argc])
		argc++;
	return command_golden(argc, argv);
}

START_TEST(test_an_unknown_toolchain_is_skipped_and_leaves_a_candidate)
{
	ck_assert_int_eq(golden("check", NULL, NULL, NULL), EXIT_SKIPPED);
	ck_assert_ptr_nonnull(strstr(read_text(CANDIDATE), "function main\n"));
	ck_assert_int_ne(access(GOLDEN, F_OK), 0);
}
END_TEST

START_TEST(test_a_known_toolchain_without_a_golden_fails)
{
	mkdir("golden", 0777);
	mkdir("golden/tables", 0777);
	mkdir("golden/tables/cc-1.2.3", 0777);
	ck_assert_int_eq(golden("check", NULL, NULL, NULL), EXIT_FINDINGS);
	ck_assert_int_eq(access(CANDIDATE, F_OK), 0);
}
END_TEST

START_TEST(test_an_updated_golden_passes)
{
	ck_assert_int_eq(golden("update", "self", NULL, NULL), EXIT_OK);
	ck_assert_int_eq(golden("check", NULL, NULL, NULL), EXIT_OK);
}
END_TEST

START_TEST(test_one_changed_row_fails)
{
	ck_assert_int_eq(golden("update", "self", NULL, NULL), EXIT_OK);

	char *text = read_text(GOLDEN), *row = strstr(strstr(text, "function main\n"), "rsp+8");

	row[4] = '9';
	write_text(GOLDEN, text);
	ck_assert_int_eq(golden("check", NULL, NULL, NULL), EXIT_FINDINGS);
	ck_assert_int_eq(golden("check", "--json", NULL, NULL), EXIT_FINDINGS);
	ck_assert_int_eq(golden("update", "self", NULL, NULL), EXIT_OK);
	ck_assert_int_eq(golden("check", NULL, NULL, NULL), EXIT_OK);
}
END_TEST

START_TEST(test_update_needs_names)
{
	pid_t child = fork(); /* argp exits */
	int status;

	if (!child)
		_exit(golden("update", NULL, NULL, NULL) == EXIT_USAGE ? EXIT_USAGE : 111);
	waitpid(child, &status, 0);
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_USAGE);
	ck_assert_int_eq(golden("update", "another", NULL, NULL), EXIT_USAGE);
	ck_assert_int_ne(access(GOLDEN, F_OK), 0);
}
END_TEST

START_TEST(test_update_is_refused_in_ci)
{
	setenv("CI", "true", 1);
	ck_assert_int_eq(golden("update", "self", NULL, NULL), EXIT_USAGE);
	ck_assert_int_ne(access(GOLDEN, F_OK), 0);
}
END_TEST

START_TEST(test_a_golden_does_not_shrink_by_a_fifth_without_force)
{
	ck_assert_int_eq(golden("update", "self", NULL, NULL), EXIT_OK);

	char *text = read_text(GOLDEN);
	size_t lines = 0;

	for (char *at = text; *at; at++)
		lines += *at == '\n';

	FILE *file = fopen(GOLDEN, "a");

	for (size_t i = 0; i < lines / 2; i++)
		fprintf(file, "function lost_%zu\n", i);
	fclose(file);
	ck_assert_int_eq(golden("update", "self", NULL, NULL), EXIT_FINDINGS);
	ck_assert_ptr_nonnull(strstr(read_text(GOLDEN), "function lost_0\n"));
	ck_assert_int_eq(golden("update", "--force", "self", NULL), EXIT_OK);
	ck_assert_ptr_null(strstr(read_text(GOLDEN), "function lost_0\n"));
}
END_TEST

START_TEST(test_a_table_fault_needs_a_waiver)
{
	/* The corpus names the file by its resolved path: the fault's image is called as it is. */
	char self[4096] = { 0 }, line[8192];

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	snprintf(line, sizeof(line),
		 "{\"type\":\"verdicts\",\"table_fault\":3}\n{\"type\":\"finding\",\"verdict\":"
		 "\"table_fault\",\"image\":\"%s\","
		 "\"program\":\"p\",\"function\":\"main\"}\n",
		 self);
	write_text("faults", line);
	ck_assert_int_eq(golden("update", "--verdicts=faults", "self", NULL), EXIT_FINDINGS);
	ck_assert_int_ne(access(GOLDEN, F_OK), 0);
	ck_assert_int_eq(golden("update", "self", NULL, NULL), EXIT_OK);
	ck_assert_int_eq(golden("check", "--verdicts=faults", NULL, NULL), EXIT_FINDINGS);
	write_text("golden/waivers.tsv", "# binary\n*golden*\tmai?\tthe toolchain's bug 1\n");
	ck_assert_int_eq(golden("check", "--verdicts=faults", NULL, NULL), EXIT_OK);
	ck_assert_int_eq(golden("update", "--verdicts=faults", "self", NULL), EXIT_OK);
}
END_TEST

START_TEST(test_a_table_fault_that_is_expected_needs_no_waiver)
{
	char self[4096] = { 0 }, line[8192];

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	snprintf(line, sizeof(line),
		 "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"kind\":\"wrong\",\"image\":"
		 "\"%s\","
		 "\"program\":\"p\",\"function\":\"main\"}\n",
		 self);
	write_text("faults", line);
	write_text("corpus/manifest.tsv",
		   "/proc/self/exe\tself\tcc-1.2.3\tO2-nofp\tc\t-\tflagged:malformed\n");
	ck_assert_int_eq(golden("update", "--verdicts=faults", "self", NULL), EXIT_FINDINGS);
	write_text("corpus/manifest.tsv",
		   "/proc/self/exe\tself\tcc-1.2.3\tO2-nofp\tc\t-\ttable_fault:main\n");
	ck_assert_int_eq(golden("update", "--verdicts=faults", "self", NULL), EXIT_OK);
	ck_assert_int_eq(golden("check", "--verdicts=faults", NULL, NULL), EXIT_OK);
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

START_TEST(test_a_waiver_without_a_reason_is_an_error)
{
	mkdir("golden", 0777);
	write_text("golden/waivers.tsv", "binary\tmain\n");
	ck_assert_int_eq(golden("check", NULL, NULL, NULL), EXIT_BAD_INPUT);
}
END_TEST

START_TEST(test_an_error_text_never_becomes_a_golden)
{
	write_text("corpus/broken", "no ELF\n");
	write_text("corpus/manifest.tsv", "broken\tself\tcc-1.2.3\tO2-nofp\tc\t-\n");
	ck_assert_int_eq(golden("update", "self", NULL, NULL), EXIT_FINDINGS);
	ck_assert_int_ne(access(GOLDEN, F_OK), 0);
	ck_assert_int_eq(golden("check", NULL, NULL, NULL), EXIT_FINDINGS);
}
END_TEST

START_TEST(test_an_absent_compiler_is_a_typed_skip)
{
	write_text("corpus/manifest.tsv", "skip:no_compiler\tself\tcc-1\tO2-nofp\tc\t-\n");
	ck_assert_int_eq(golden("check", NULL, NULL, NULL), EXIT_SKIPPED);
}
END_TEST

START_TEST(test_a_corpus_that_is_not_there_is_bad_input)
{
	unlink("corpus/manifest.tsv");
	ck_assert_int_eq(golden("check", NULL, NULL, NULL), EXIT_BAD_INPUT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("golden");
	TCase *text = tcase_create("text"), *command = tcase_create("command");
	SRunner *runner = srunner_create(suite);

	tcase_add_loop_test(text, test_diff, 0, DIFF_COUNT);
	tcase_add_loop_test(text, test_what_is_no_table_text_is_rejected, 0,
			    sizeof(no_texts) / sizeof(no_texts[0]));
	suite_add_tcase(suite, text);
	tcase_add_checked_fixture(command, set_up, tear_down);
	tcase_set_timeout(command, 30);
	tcase_add_test(command, test_an_unknown_toolchain_is_skipped_and_leaves_a_candidate);
	tcase_add_test(command, test_a_known_toolchain_without_a_golden_fails);
	tcase_add_test(command, test_an_updated_golden_passes);
	tcase_add_test(command, test_one_changed_row_fails);
	tcase_add_test(command, test_update_needs_names);
	tcase_add_test(command, test_update_is_refused_in_ci);
	tcase_add_test(command, test_a_golden_does_not_shrink_by_a_fifth_without_force);
	tcase_add_test(command, test_a_table_fault_needs_a_waiver);
	tcase_add_test(command, test_a_waiver_without_a_reason_is_an_error);
	tcase_add_test(command, test_a_table_fault_that_is_expected_needs_no_waiver);
	tcase_add_test(command, test_only_expected_diagnostics_are_passed_over);
	tcase_add_test(command, test_an_error_text_never_becomes_a_golden);
	tcase_add_test(command, test_an_absent_compiler_is_a_typed_skip);
	tcase_add_test(command, test_a_corpus_that_is_not_there_is_bad_input);
	suite_add_tcase(suite, command);
	srunner_run_all(runner, CK_ENV);

	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed != 0;
}
