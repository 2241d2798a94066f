/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_ignore.c - findings that are ignored by a list: which, until when, and that it is
 * said
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "judge/compare/compare.h"
#include "base/ignore/ignore.h"

#define TODAY "2026-11-22"

/* A list with this text; its status. */
static int read_list(struct ignore_list *ret, const char *text, struct error *error)
{
	static char path[] = "/tmp/test_ignore.XXXXXX";
	char name[sizeof(path)];

	strcpy(name, path);
	int fd = mkstemp(name);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	int status = ignore_list_read(ret, name, TODAY, error);
	unlink(name);
	ret->path = "list";
	return status;
}

static const struct bad {
	const char *name, *text, *message;
	uint64_t line;
} bads[] = {
	{ "four fields", "a\tb\tc\t-\n", "five fields", 1 },
	{ "six fields", "# x\n\na\tb\tc\t-\tr\tmore\n", "five fields", 3 },
	{ "blanks are no tabs", "a b c - reason\n", "five fields", 1 },
	{ "no date", "a\tb\tc\tsoon\tr\n", "neither a date", 1 },
	{ "no such day", "a\tb\tc\t2027-02-30\tr\n", "neither a date", 1 },
	{ "a date and more", "a\tb\tc\t2027-02-03T\tr\n", "neither a date", 1 },
	{ "a short date", "a\tb\tc\t2027-2-3\tr\n", "neither a date", 1 },
	{ "the first of two", "a\tb\nc\td\n", "five fields", 1 },
	{ "before a good one", "a\tb\na\tb\tc\t-\tr\n", "five fields", 1 },
};

START_TEST(line_is_refused_with_its_number)
{
	const struct bad *bad = &bads[_i];
	struct ignore_list list;
	struct error error = { 0 };

	ck_assert_msg(read_list(&list, bad->text, &error), "%s is taken", bad->name);
	ck_assert_msg(strstr(error.message, bad->message) != NULL, "%s: %s", bad->name,
		      error.message);
	ck_assert_uint_eq(error.offset, bad->line);
	ignore_list_deinit(&list);
}
END_TEST

START_TEST(file_that_is_not_there_is_an_error)
{
	struct ignore_list list;
	struct error error = { 0 };

	ck_assert(ignore_list_read(&list, "/nonexistent/list", TODAY, &error));
	ignore_list_deinit(&list);
	/* It can be opened, and nothing is at its beginning. */
	ck_assert(ignore_list_read(&list, "/proc/self/mem", TODAY, &error));
	ck_assert_msg(strstr(error.message, "can't read /proc/self/mem") != NULL, "%s",
		      error.message);
	ignore_list_deinit(&list);
}
END_TEST

/* Held against a table fault, kind missing, in function "_init" of /usr/lib/libx.so.1. */
static const struct entry {
	const char *text;
	bool ignored;
	const char *said; /* of the list, afterwards */
} entries[] = {
	{ "/usr/lib/libx.so.1\t_init\tmissing\t-\tr", true, "" },
	{ "libx.so.*\t*\ttable_fault\t\t-\tr", true, "" },
	{ "*\t*\t*\t" TODAY "\tr", true, "" },
	{ " \t \n# x\n\n*\t*\t*\t-\tr", true, "" },
	{ "*\t*\t*\t2026-11-21\tr", false,
	  "list, line 1: expired on 2026-11-21, and ignores nothing any more\n" },
	{ "liby.so.*\t*\t*\t-\tr", false, "list, line 1: matches nothing: liby.so.*, *, *\n" },
	{ "*\tinit\t*\t-\tr", false, "list, line 1: matches nothing: *, init, *\n" },
	{ "*\t*\twrong\t-\tr", false, "list, line 1: matches nothing: *, *, wrong\n" },
};

static void fill(struct comparison *comparison, struct finding *finding)
{
	memset(comparison, 0, sizeof(*comparison));
	memset(finding, 0, sizeof(*finding));
	finding->first.verdict = VERDICT_TABLE_FAULT;
	finding->first.kind = FAULT_MISSING;
	finding->count = 4;
	strcpy(finding->function, "_init");
	strcpy(finding->image, "/usr/lib/libx.so.1");
	comparison->findings = (struct findings) { .finding = finding, .count = 1 };
	comparison->points = 10;
	comparison->verdict[VERDICT_EXACT] = 6;
	comparison->verdict[VERDICT_TABLE_FAULT] = 4;
}

START_TEST(finding_is_ignored_if_all_matches)
{
	const struct entry *entry = &entries[_i];
	static struct comparison comparison;
	struct finding finding;
	struct ignore_list list;
	struct error error = { 0 };

	fill(&comparison, &finding);
	ck_assert(comparison_has_findings(&comparison));
	ck_assert_msg(!read_list(&list, entry->text, &error), "%s", error.message);
	ignore_list_apply(&list, &comparison);
	ck_assert_msg(comparison_has_findings(&comparison) == !entry->ignored, "%s", entry->text);
	ck_assert_uint_eq(comparison_ignored(&comparison), entry->ignored ? 4 : 0);
	ck_assert_uint_eq(comparison.verdict[VERDICT_TABLE_FAULT], 4);
	check_printed(entry->text, PRINTED(file, ignore_list_print_text(file, &list)), entry->said);
	ignore_list_deinit(&list);
}
END_TEST

/* Each is counted under its own verdict, and once, however often the list is asked; those that are only in
 * doubt match nothing. */
START_TEST(findings_are_ignored_each_by_itself)
{
	static const char *const reasons[] = { "one", NULL, "two", NULL, "one" };
	static struct comparison comparison;
	struct finding findings[COUNT(reasons)];
	struct ignore_list list;
	struct error error = { 0 };

	for (int i = 0; i < COUNT(reasons); i++)
		fill(&comparison, &findings[i]);
	findings[1].count = 0;
	findings[2].first.verdict = VERDICT_WALK_FAULT;
	findings[2].count = 5;
	strcpy(findings[3].function, "other");
	findings[4].count = 7;
	comparison.findings = (struct findings) { .finding = findings, .count = COUNT(reasons) };
	ck_assert(!read_list(&list, "*\t_init\ttable_fault\t-\tone\n*\t_init\t*\t-\ttwo", &error));
	for (int again = 0; again < 2; again++) {
		ignore_list_apply(&list, &comparison);
		for (int i = 0; i < COUNT(reasons); i++)
			ck_assert_str_eq(findings[i].ignored ?: "", reasons[i] ?: "");
		ck_assert_uint_eq(comparison.ignored_findings, 3);
		ck_assert_uint_eq(comparison.ignored[VERDICT_TABLE_FAULT], 4 + 7);
		ck_assert_uint_eq(comparison.ignored[VERDICT_WALK_FAULT], 5);
		ck_assert_uint_eq(comparison_ignored(&comparison), 4 + 7 + 5);
	}
	ignore_list_deinit(&list);
}
END_TEST

/* What could not be kept has no place, and matches nothing. */
START_TEST(points_without_a_place_are_not_ignored)
{
	static struct comparison comparison;
	struct finding finding;
	struct ignore_list list;
	struct error error = { 0 };

	fill(&comparison, &finding);
	comparison.findings.not_kept = 1;
	comparison.points++;
	comparison.verdict[VERDICT_TABLE_FAULT]++;
	ck_assert(!read_list(&list, "*\t*\t*\t-\tr", &error));
	ignore_list_apply(&list, &comparison);
	ck_assert(comparison_has_findings(&comparison));
	ignore_list_deinit(&list);
}
END_TEST

/* The first entry that matches is the one that counts it; one without points has matched, too. */
START_TEST(entries_add_up_what_they_match)
{
	static const char *const wanted[] = { "\"line\":1,\"state\":\"expired\",",
					      "\"until\":\"2026-11-21\",\"findings\":0,",
					      "\"line\":2,\"state\":\"matched\",",
					      "\"reason\":\"b\",\"findings\":2,\"points\":7}",
					      "\"line\":3,\"state\":\"matched\",",
					      "\"reason\":\"c\",\"findings\":1,\"points\":0}",
					      "\"line\":4,\"state\":\"unmatched\"," };
	struct finding_record f = { .image = "/a/x",
				    .function = "f",
				    .kind = "wrong",
				    .verdict = "v",
				    .count = 3 },
			      g = {
				      .image = "x", .function = "g", .kind = "wrong", .verdict = "v"
			      };
	struct ignore_list list;
	struct error error = { 0 };
	char *at;

	ck_assert(!read_list(&list,
			     "x\tf\t*\t2026-11-21\ta\n*\tf\twrong\t-\tb\n"
			     "x\t*\t*\t-\tc\nx\th\t*\t-\td\n",
			     &error));
	ck_assert_str_eq(ignore_list_match(&list, &f), "b");
	f.count = 4;
	ck_assert_str_eq(ignore_list_match(&list, &f), "b");
	ck_assert_str_eq(ignore_list_match(&list, &g), "c");
	char *text = PRINTED(file, ignore_list_print_json(file, &list));
	at = text;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		ck_assert_msg(strstr(at, wanted[i]) != NULL, "%s\n%s", wanted[i], text);
		at = strstr(at, wanted[i]);
	}
	free(text);
	json_t *array = ignore_list_json(&list);
	ck_assert_uint_eq(json_array_size(array), 4);
	json_decref(array);
	ignore_list_deinit(&list);
}
END_TEST

START_TEST(entries_expire_by_the_day_of_now)
{
	const struct finding_record subject = {
		.image = "x", .function = "f", .kind = "wrong", .verdict = "v", .count = 1
	};
	static const char *const days[] = { "2001-01-01", "9999-12-31" };
	struct ignore_list list;
	struct error error;

	for (int i = 0; i < 2; i++) {
		char path[] = "/tmp/test_ignore.XXXXXX";
		FILE *file = fdopen(mkstemp(path), "w");

		fprintf(file, "*\t*\t*\t%s\tr\n", days[i]);
		fclose(file);
		ck_assert(!ignore_list_read_now(&list, path, &error));
		unlink(path);
		ck_assert_int_eq(ignore_list_match(&list, &subject) != NULL, i);
		ignore_list_deinit(&list);
	}
	ck_assert(!ignore_list_read_now(&list, NULL, &error));
	ck_assert_ptr_null(ignore_list_match(&list, &subject));
}
END_TEST

START_TEST(what_is_ignored_is_printed)
{
	static struct comparison comparison;
	struct finding finding;
	struct ignore_list list;
	struct error error = { 0 };
	char *text, *json;

	fill(&comparison, &finding);
	ck_assert(!read_list(&list, "*\t*\tmissing\t2026-12-01\tknown upstream", &error));
	ignore_list_apply(&list, &comparison);
	text = PRINTED(file, compare_print_text(file, "prog", &comparison));
	ck_assert_ptr_nonnull(strstr(text, "ignored: 4 points of these, in 1 findings\n"));
	ck_assert_ptr_nonnull(strstr(text, "\tignored      known upstream\n"));
	json = PRINTED(file, compare_print_json(file, "prog", &comparison),
		       ignore_list_print_json(file, &list));
	ck_assert_ptr_nonnull(strstr(json, "\"ignored\":\"known upstream\""));
	ck_assert_ptr_nonnull(strstr(json, "\"ignored\":4,\"ignored_findings\":1"));
	ck_assert_ptr_nonnull(strstr(json, "{\"type\":\"ignore\",\"file\":\"list\",\"line\":1,"
					   "\"state\":\"matched\""));
	ck_assert_ptr_nonnull(
		strstr(json, "\"until\":\"2026-12-01\",\"findings\":1,\"points\":4}"));
	free(text);
	free(json);
	ignore_list_deinit(&list);
}
END_TEST

SUITE(compare_ignore, LOOP(line_is_refused_with_its_number, bads),
      TEST(file_that_is_not_there_is_an_error), LOOP(finding_is_ignored_if_all_matches, entries),
      TEST(findings_are_ignored_each_by_itself), TEST(points_without_a_place_are_not_ignored),
      TEST(entries_add_up_what_they_match), TEST(entries_expire_by_the_day_of_now),
      TEST(what_is_ignored_is_printed))
