/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_junit.c - JUnit XML, parsed back with libxml2 and asked by XPath
 */
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "reports/report/results.h"
#include "results_fixture.h"

static xmlDoc *print_and_parse(const struct results *results, const char *folder)
{
	struct error error = { 0 };
	FREED char *text = NULL;
	int status = -1;

	FIXTURE_CAPTURE(text, status = junit_print(results, folder, capture, &error));
	ck_assert_msg(!status, "%s", error.message);
	xmlDoc *document = xmlReadMemory(text, strlen(text), "junit.xml", NULL, XML_PARSE_NONET);
	ck_assert_msg(document != NULL, "not well-formed: %s", text);
	return document;
}

/* The XPath expression as a string; the caller frees it with xmlFree. */
static xmlChar *ask(xmlDoc *document, const char *expression)
{
	xmlXPathContext *context = xmlXPathNewContext(document);
	xmlXPathObject *object = xmlXPathEvalExpression(BAD_CAST expression, context);

	ck_assert_msg(object != NULL, "%s", expression);
	xmlChar *text = xmlXPathCastToString(object);
	xmlXPathFreeObject(object);
	xmlXPathFreeContext(context);
	return text;
}

static const struct xpath_case {
	const char *name;
	const char *expression;
	const char *value;
} xpath_cases[] = {
	{ "a_suite_per_kernel", "count(/testsuites/testsuite)", "3" },
	{ "totals_are_on_the_root",
	  "concat(/testsuites/@tests,' ',/testsuites/@failures,' ',/testsuites/@errors)", "9 1 3" },
	{ "suite_counts_its_own",
	  "concat(//testsuite[@name='5.10']/@tests,' ',//testsuite[@name='5.10']/@failures,' ',"
	  "//testsuite[@name='5.10']/@skipped,' ',//testsuite[@name='5.10']/@errors)",
	  "3 1 1 0" },
	{ "classname_is_toolchain_and_variant", "string(//testcase[1]/@classname)",
	  "gcc-12.2.0.O2-fp" },
	{ "name_is_the_program", "string(//testcase[1]/@name)", "chain" },
	{ "passed_has_no_outcome", "count(//testsuite[@name='host']/testcase/*)", "0" },
	{ "failure_has_its_reason_unharmed", "string(//failure/@message)", "walk_fault 3 <#1>" },
	{ "failure_is_not_an_error", "count(//testsuite[@name='5.10']//error)", "0" },
	{ "dead_guest_is_an_error_of_the_environment",
	  "count(//testsuite[@name='7.2']//error[@type='environment'])", "3" },
	{ "skip_has_its_typed_reason", "string(//skipped/@message)", "no_compiler" },
	{ "findings_are_in_the_case",
	  "contains(//testcase[failure]/system-out,'\"function\":\"_init\"')", "true" },
	{ "kernel_is_a_property",
	  "string(//testsuite[@name='5.10']//property[@name='kernel.version']/@value)",
	  "5.10.0-39" },
	{ "console_of_the_dead_guest_only", "count(//testsuite/system-out)", "1" },
	{ "console_is_made_printable",
	  "contains(//testsuite[@name='7.2']/system-out,'?[1mKernel panic ?"
	  "?')",
	  "true" },
};

START_TEST(test_xpath)
{
	const struct xpath_case *c = &xpath_cases[_i];
	char folder[] = "/tmp/test_junit.XXXXXX", path[256];
	struct results results DEINIT(results_deinit);

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/kernels", folder);
	ck_assert_int_eq(mkdir(path, 0777), 0);
	static const char *const kernels[] = { "5.10", "7.2" };
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/kernels/%s.console", folder, kernels[i]);
		FILE *file = fopen(path, "we");
		fwrite("ok\n\033[1mKernel panic \0\xff]]>\n", 1, 26, file);
		fclose(file);
	}
	fixture_results(&results);
	xmlDoc *document = print_and_parse(&results, folder);
	xmlChar *value = ask(document, c->expression);
	ck_assert_msg(!strcmp((char *)value, c->value), "%s: \"%s\", not \"%s\"", c->name, value,
		      c->value);
	xmlFree(value);
	xmlFreeDoc(document);
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/kernels/%s.console", folder, kernels[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/kernels", folder);
	rmdir(path);
	rmdir(folder);
}
END_TEST

/* A run that was ended before it: neither passed nor failed. */
START_TEST(test_case_that_never_ran)
{
	static const char *const expressions[] = {
		"concat(count(//testcase/error),' ',count(//testcase/*))",
		"1 1",
		"concat(/testsuites/@tests,' ',/testsuites/@errors,' ',/testsuites/@failures)",
		"1 1 0",
	};
	struct results results DEINIT(results_deinit);

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	fixture_cell(&results, "host", "chain", "gcc-12.2.0", "O2-fp", "c");
	ck_assert_int_eq(results.cell[0].status, CELL_PENDING);
	xmlDoc *document = print_and_parse(&results, NULL);
	for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i += 2) {
		xmlChar *value = ask(document, expressions[i]);

		ck_assert_str_eq((char *)value, expressions[i + 1]);
		xmlFree(value);
	}
	xmlFreeDoc(document);
}
END_TEST

START_TEST(test_hostile_text)
{
	struct results results DEINIT(results_deinit);

	results_init(&results);
	fixture_kernel(&results, "host", "\001<&\"\xff", "", "native", "ok", "", 0, 0);
	struct cell *cell = fixture_cell(&results, "host", "<a>&'\"", "]]>", "\x02", "c");
	cell_set(cell, CELL_FAILED, "\x1b[31m & \xc3 <");
	xmlDoc *document = print_and_parse(&results, NULL);
	xmlChar *name = ask(document, "string(//testcase/@name)");
	ck_assert_str_eq((char *)name, "<a>&'\"");
	xmlFree(name);
	xmlFreeDoc(document);
}
END_TEST

START_TEST(test_missing_cells_are_an_error)
{
	struct results results DEINIT(results_deinit);

	fixture_results(&results);
	results.missing = 4;
	xmlDoc *document = print_and_parse(&results, NULL);
	xmlChar *errors = ask(document, "concat(/testsuites/@errors,' ',//testsuite[@name="
					"'missing']//error/@message)");
	ck_assert_str_eq((char *)errors, "4 the run was cut short: 4 cells are missing");
	xmlFree(errors);
	xmlFreeDoc(document);
}
END_TEST

/* Characters that UTF-8 has and XML 1.0 has not, and their neighbours. */
static const struct {
	const char *name, *text, *expected;
} text_cases[] = {
	{ "escape", "a\033[2J", "a?[2J" },
	{ "a_space", "a b", "a b" },
	{ "u_fffd", "\xef\xbf\xbd", "\xef\xbf\xbd" },
	{ "u_fffe", "\xef\xbf\xbe", "???" },
	{ "u_ffff", "\xef\xbf\xbf", "???" },
	{ "u_fefe", "\xef\xbb\xbe", "\xef\xbb\xbe" },
	{ "u_cfff", "\xec\xbf\xbf", "\xec\xbf\xbf" },
	{ "u_10ffff", "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf" },
	{ "a_surrogate", "\xed\xa0\x80", "???" },
	{ "a_control_of_latin_1", "\xc2\x9b", "??" },
	{ "two_bytes", "\xc3\xbc", "\xc3\xbc" },
	{ "two_bytes_that_look_like_the_end_of_three", "\xc3\xbf\xc3\xbf", "\xc3\xbf\xc3\xbf" },
	{ "no_utf_8", "\377", "?" },
	{ "cut", "\xef\xbf", "??" },
};

START_TEST(test_text_is_xml)
{
	struct results results DEINIT(results_deinit);

	results_init(&results);
	fixture_kernel(&results, "host", "v", "", "native", "ok", "", 0, 0);
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc", "O0", "c");
	cell_set(cell, CELL_FAILED, "x");
	free(cell->reason);
	cell->reason = strdup(text_cases[_i].text);
	xmlDoc *document = print_and_parse(&results, NULL);
	xmlChar *message = ask(document, "string(//failure/@message)");
	ck_assert_msg(!strcmp((const char *)message, text_cases[_i].expected), "%s: %s",
		      text_cases[_i].name, message);
	xmlFree(message);
	xmlFreeDoc(document);
}
END_TEST

SUITE(junit, LOOP(test_xpath, xpath_cases), TEST(test_case_that_never_ran), TEST(test_hostile_text),
      TEST(test_missing_cells_are_an_error), LOOP(test_text_is_xml, text_cases))
