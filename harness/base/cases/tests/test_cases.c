/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cases.c - cases as JUnit XML and TAP, letter by letter; and a command's last word
 */
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cases/cases.h"

static char *junit(const struct cases *cases)
{
	struct error error = { 0 };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_int_eq(cases_print_junit(cases, file, &error), 0);
	fclose(file);
	return text;
}

static char *tap(const struct cases *cases)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	cases_print_tap(cases, file);
	fclose(file);
	return text;
}

/* One of each, in two suites. */
static void fill(struct cases *cases)
{
	*cases = (struct cases) { .comment = json_pack("[s]", "a kernel"), .seconds = -1 };
	struct case_suite *suite = cases_suite(cases, "first");

	suite->property = json_pack("{s:s}", "k", "v");
	case_text(&suite->output, "console\n");
	cases_add(cases, "class", "good", CASE_PASSED, "not said")->seconds = 0.25;
	struct judged_case *failed = cases_add(cases, "class", "bad", CASE_FAILED, "why <so>");
	failed->seconds = 1;
	failed->detail = json_pack("{s:s}", "toolchain", "gcc");
	case_text(&failed->file, "bad.c");
	case_output(failed, "one");
	case_output(failed, "two");
	cases_suite(cases, "second");
	cases_add(cases, "class", "left", CASE_SKIPPED, "no_bpf # really");
	struct judged_case *error = cases_add(cases, "class", "broken", CASE_ERROR, "killed");
	case_text(&error->type, "environment");
	case_text(&error->title, "a title");
}

START_TEST(test_junit)
{
	struct cases cases;

	fill(&cases);
	FREED char *text = junit(&cases);
	ck_assert_str_eq(
		text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"stackproof\" tests=\"4\" failures=\"1\" errors=\"1\" "
		"time=\"1.250\">\n"
		" <testsuite name=\"first\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" "
		"time=\"1.250\">\n"
		"  <properties>\n"
		"   <property name=\"k\" value=\"v\"/>\n"
		"  </properties>\n"
		"  <testcase classname=\"class\" name=\"good\" time=\"0.250\"/>\n"
		"  <testcase classname=\"class\" name=\"bad\" file=\"bad.c\" time=\"1.000\">\n"
		"   <failure message=\"why &lt;so&gt;\" type=\"comparison\"/>\n"
		"   <system-out>one\ntwo\n</system-out>\n"
		"  </testcase>\n"
		"  <system-out>console\n</system-out>\n"
		" </testsuite>\n"
		" <testsuite name=\"second\" tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\" "
		"time=\"0.000\">\n"
		"  <testcase classname=\"class\" name=\"left\" time=\"0.000\">\n"
		"   <skipped message=\"no_bpf # really\"/>\n"
		"  </testcase>\n"
		"  <testcase classname=\"class\" name=\"broken\" time=\"0.000\">\n"
		"   <error message=\"killed\" type=\"environment\"/>\n"
		"  </testcase>\n"
		" </testsuite>\n"
		"</testsuites>\n");
	cases_deinit(&cases);
}
END_TEST

START_TEST(test_tap)
{
	struct cases cases;

	fill(&cases);
	FREED char *text = tap(&cases);
	ck_assert_str_eq(text, "TAP version 14\n"
			       "1..4\n"
			       "# a kernel\n"
			       "ok 1 - class: good\n"
			       "not ok 2 - class: bad\n"
			       "  ---\n"
			       "  status: \"failed\"\n"
			       "  reason: \"why <so>\"\n"
			       "  toolchain: \"gcc\"\n"
			       "  duration_ms: 1000\n"
			       "  ...\n"
			       "ok 3 - class: left # SKIP no_bpf \\# really\n"
			       "not ok 4 - a title\n"
			       "  ---\n"
			       "  status: \"error\"\n"
			       "  reason: \"killed\"\n"
			       "  duration_ms: 0\n"
			       "  ...\n");
	cases_deinit(&cases);
}
END_TEST

/* Names of files are any bytes but 0. */
START_TEST(test_quality)
{
	struct error error = { 0 };
	struct cases cases;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fill(&cases);
	ck_assert_int_eq(cases_print_quality(&cases, file, &error), 0);
	fclose(file);
	cases_deinit(&cases);
	FREED char *freed = text;
	json_t *array = json_loads(text, 0, NULL);
	static const struct {
		const char *text, *check, *severity, *path;
	} wanted[] = { { "one", "first", "major", "bad.c" },
		       { "two", "first", "major", "bad.c" },
		       { "killed", "second", "critical", "broken" } };

	(void)freed;
	ck_assert_uint_eq(json_array_size(array), 3);
	for (size_t i = 0; i < 3; i++) {
		const char *said, *check, *severity, *path, *print;
		int begin;

		ck_assert(!json_unpack(json_array_get(array, i),
				       "{s:s, s:s, s:s, s:s, s:{s:s, s:{s:i}}}", "description",
				       &said, "check_name", &check, "severity", &severity,
				       "fingerprint", &print, "location", "path", &path, "lines",
				       "begin", &begin));
		ck_assert_str_eq(said, wanted[i].text);
		ck_assert_str_eq(check, wanted[i].check);
		ck_assert_str_eq(severity, wanted[i].severity);
		ck_assert_str_eq(path, wanted[i].path);
		ck_assert_uint_eq(strlen(print), 16);
	}
	json_decref(array);
}
END_TEST

static json_t *quality_of(const char *name, const char *line)
{
	struct error error = { 0 };
	struct cases cases = { 0 };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	cases_suite(&cases, "lint");
	case_output(cases_add(&cases, "c", name, CASE_FAILED, "m"), line);
	ck_assert_int_eq(cases_print_quality(&cases, file, &error), 0);
	fclose(file);
	cases_deinit(&cases);
	FREED char *freed = text;
	return json_loads(freed, 0, NULL);
}

/* What another build moves is the same finding; another function, or image, is another one. */
static const struct {
	const char *name, *line;
	bool same;
} prints[] = {
	{ "a", "wrong at f+0x1a (0x4010)", true },     { "a", "wrong at f+0x2 (0x55)", true },
	{ "a", "wrong at g+0x1a (0x4010)", false },    { "b", "wrong at f+0x1a (0x4010)", false },
	{ "a", "wrong at f+0x1a (0x4010) 0x", false },
};

START_TEST(test_fingerprints)
{
	json_t *one = quality_of("a", "wrong at f+0x1a (0x4010)"),
	       *other = quality_of(prints[_i].name, prints[_i].line);
	const char *print[2];

	ck_assert(!json_unpack(json_array_get(one, 0), "{s:s}", "fingerprint", &print[0]) &&
		  !json_unpack(json_array_get(other, 0), "{s:s}", "fingerprint", &print[1]));
	ck_assert_msg(!strcmp(print[0], print[1]) == prints[_i].same, "%s", prints[_i].line);
	json_decref(one);
	json_decref(other);
}
END_TEST

START_TEST(test_github)
{
	struct cases cases;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fill(&cases);
	cases_add(&cases, "class", "a:b,c", CASE_FAILED, "50 %\nof: it");
	cases_print_github(&cases, file);
	fclose(file);
	cases_deinit(&cases);
	ck_assert_str_eq(text, "::error title=first bad::why <so>%0Aone%0Atwo%0A\n"
			       "::error title=second a title::killed\n"
			       "::error title=second a%3Ab%2Cc::50 %25%0Aof: it\n");
	free(text);
}
END_TEST

/* GitHub shows ten of a step. */
START_TEST(test_github_has_no_room_for_more)
{
	struct cases cases = { 0 };
	char *text = NULL;
	size_t size, lines = 0;
	FILE *file = open_memstream(&text, &size);

	cases_suite(&cases, "s");
	for (int i = 0; i < 13; i++)
		cases_add(&cases, "c", "n", CASE_FAILED, "m");
	cases_print_github(&cases, file);
	fclose(file);
	cases_deinit(&cases);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, 11);
	ck_assert_ptr_nonnull(strstr(text, "\n::notice title=stackproof::and 3 more\n"));
	free(text);
}
END_TEST

static const struct {
	const char *value;
	bool is;
} github[] = { { NULL, false }, { "", false }, { "false", false }, { "true", true } };

START_TEST(test_a_job_of_github_says_so)
{
	if (github[_i].value)
		setenv("GITHUB_ACTIONS", github[_i].value, 1);
	else
		unsetenv("GITHUB_ACTIONS");
	ck_assert_int_eq(cases_are_for_github(), github[_i].is);
}
END_TEST

START_TEST(test_any_byte_in_names_is_well_formed)
{
	for (int byte = 1; byte < 256; byte++) {
		struct cases cases = { .seconds = -1 };
		char name[] = "<&\"']]>x--", *text;

		name[7] = (char)byte;
		struct case_suite *suite = cases_suite(&cases, name);
		case_text(&suite->output, name);
		struct judged_case *judged = cases_add(&cases, name, name, CASE_FAILED, name);
		case_text(&judged->file, name);
		case_text(&judged->type, name);
		case_output(judged, name);
		text = junit(&cases);
		xmlDoc *document = xmlReadMemory(text, (int)strlen(text), "x", NULL,
						 XML_PARSE_NONET | XML_PARSE_NOERROR);
		ck_assert_msg(document != NULL, "byte 0x%02x: %s", byte, text);
		xmlFreeDoc(document);
		free(text);
		text = tap(&cases);
		ck_assert_msg(!strncmp(text, "TAP version 14\n1..1\nnot ok 1 - ", 31), "%s", text);
		/* Version, plan, point, and a block of five lines: no name makes a line. */
		size_t lines = 0;
		for (const char *at = text; *at; at++)
			lines += *at == '\n';
		ck_assert_uint_eq(lines, 8);
		free(text);
		cases_deinit(&cases);
	}
}
END_TEST

START_TEST(test_no_cases_are_well_formed)
{
	struct cases cases = { .seconds = 0 };
	char *text = junit(&cases);

	ck_assert_str_eq(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			       "<testsuites name=\"stackproof\" tests=\"0\" failures=\"0\" "
			       "errors=\"0\" time=\"0.000\"/>\n");
	free(text);
	text = tap(&cases);
	ck_assert_str_eq(text, "TAP version 14\n1..0\n");
	free(text);
}
END_TEST

/* ---- the last word ---------------------------------------------------------------------- */

#define NONE CASE_STATUS_COUNT

static const struct last_word {
	enum case_status only; /* the one case before; NONE: there is none */
	enum exit_status status;
	const char *tap; /* what is added; NULL: nothing */
} last_words[] = {
	{ CASE_PASSED, EXIT_OK, NULL },
	{ NONE, EXIT_OK, "ok 1 - test: exit status\n" },
	{ CASE_FAILED, EXIT_FINDINGS, NULL },
	{ CASE_ERROR, EXIT_FINDINGS, NULL },
	{ CASE_PASSED, EXIT_FINDINGS, "not ok 2 - test: exit status\n" },
	{ CASE_SKIPPED, EXIT_FINDINGS, "not ok 2 - test: exit status\n" },
	{ CASE_SKIPPED, EXIT_SKIPPED, NULL },
	{ NONE, EXIT_SKIPPED, "ok 1 - test: exit status # SKIP nothing was checked\n" },
	{ CASE_ERROR, EXIT_BAD_INPUT, NULL },
	{ CASE_PASSED, EXIT_BAD_INPUT, "  reason: \"an input can't be read\"\n" },
	{ CASE_FAILED, EXIT_ENVIRONMENT, "  reason: \"the environment failed\"\n" },
	{ NONE, EXIT_ENVIRONMENT, "  status: \"error\"\n" },
	{ NONE, EXIT_USAGE, "  reason: \"what was asked for can't be done\"\n" },
};

START_TEST(test_a_status_that_no_case_accounts_for_is_a_case)
{
	const struct last_word *c = &last_words[_i];
	char path[] = "/tmp/test_cases.XXXXXX", text[1024];
	struct cases_options options = { .tap = path };

	close(mkstemp(path));
	cases_begin(&options, "test");
	if (c->only != NONE)
		cases_add(&options.cases, "c", "n", c->only, "m");
	ck_assert_int_eq(cases_finish(&options, c->status), c->status);
	ck_assert_ptr_null(options.cases.suite);
	FILE *file = fopen(path, "re");
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	unlink(path);
	ck_assert_msg((strstr(text, "exit status") != NULL) == (c->tap != NULL), "%s", text);
	ck_assert_msg(!c->tap || strstr(text, c->tap), "%s", text);
}
END_TEST

/* Of a run that checked nothing no server may read that something passed. */
/* How long it took is the sum of its cases, unless it is told. */
START_TEST(test_seconds_are_added)
{
	struct cases_options options = { .junit = NULL };
	struct error error;
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	cases_begin(&options, "test");
	cases_add(&options.cases, "test", "one", CASE_PASSED, "")->seconds = 1.5;
	cases_add(&options.cases, "test", "two", CASE_PASSED, "")->seconds = 2;
	ck_assert(!cases_print_junit(&options.cases, file, &error));
	fclose(file);
	ck_assert_msg(strstr(text, "errors=\"0\" time=\"3.500\">\n <testsuite") != NULL, "%s",
		      text);
	cases_deinit(&options.cases);
}
END_TEST

START_TEST(test_nothing_checked_is_nothing_passed)
{
	char path[] = "/tmp/test_cases.XXXXXX", text[1024];
	struct cases_options options = { .tap = path };

	close(mkstemp(path));
	cases_begin(&options, "test");
	cases_add(&options.cases, "c", "n", CASE_PASSED, "");
	cases_add(&options.cases, "c", "o", CASE_SKIPPED, "m");
	ck_assert_int_eq(cases_finish(&options, EXIT_SKIPPED), EXIT_SKIPPED);
	FILE *file = fopen(path, "re");
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	unlink(path);
	ck_assert_str_eq(text, "TAP version 14\n1..2\n"
			       "ok 1 - c: n # SKIP nothing was checked\n"
			       "ok 2 - c: o # SKIP m\n");
}
END_TEST

START_TEST(test_a_file_that_can_t_be_written_is_the_environments_failure)
{
	struct cases_options options = { .junit = "/nonexistent/junit.xml" };

	cases_begin(&options, "test");
	cases_add(&options.cases, "c", "n", CASE_PASSED, "");
	ck_assert_int_eq(cases_finish(&options, EXIT_OK), EXIT_ENVIRONMENT);
}
END_TEST

START_TEST(test_nothing_is_written_unasked)
{
	struct cases_options options = { .junit = NULL };

	ck_assert_int_eq(cases_finish(&options, EXIT_FINDINGS), EXIT_FINDINGS);
}
END_TEST

SUITE(cases, TEST(test_junit), TEST(test_tap), TEST(test_any_byte_in_names_is_well_formed),
      TEST(test_no_cases_are_well_formed), TEST(test_quality), LOOP(test_fingerprints, prints),
      TEST(test_github), TEST(test_github_has_no_room_for_more),
      LOOP(test_a_job_of_github_says_so, github),
      LOOP(test_a_status_that_no_case_accounts_for_is_a_case, last_words),
      TEST(test_seconds_are_added), TEST(test_nothing_checked_is_nothing_passed),
      TEST(test_a_file_that_can_t_be_written_is_the_environments_failure),
      TEST(test_nothing_is_written_unasked))
