/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_ignore.c - a list of what is ignored: its lines, which entry a finding is of, and what each was worth
 *
 * A list has several entries and is held against several findings: test_compare_ignore.c has what becomes of
 * one.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cli/json_counts.h"
#include "base/ignore/ignore.h"

#define TODAY "2026-11-22"

static char path[] = "/tmp/test_ignore.XXXXXX";

static int read_list(struct ignore_list *ret, const char *text, struct error *error)
{
	int fd, status;

	strcpy(path + sizeof(path) - sizeof("XXXXXX"), "XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	status = ignore_list_read(ret, path, TODAY, error);
	unlink(path);
	return status;
}

/* What is printed of it. To be freed. */
static char *printed(const struct ignore_list *list,
		     void (*print)(FILE *, const struct ignore_list *))
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	print(file, list);
	fclose(file);
	return text;
}

/* ---- lines -------------------------------------------------------------------------------- */

static const struct {
	const char *name, *text;
	unsigned int line[3]; /* of each entry */
	const char *refused;  /* what is wrong with the last one; NULL: all are taken */
} texts[] = {
	{ "nothing", "", { 0 }, NULL },
	{ "comments_and_blanks", "# a\tb\n\n \t \n#\n", { 0 }, NULL },
	{ "lines_count_from_the_first",
	  "#\na\tb\tc\t-\tr\n\n#\na\tb\tc\t-\tr\na\tb\tc\t-\tr\n",
	  { 2, 5, 6 },
	  NULL },
	{ "of_another_system",
	  "#\r\na\tb\tc\t-\tr\r\n\r\na\tb\tc\t" TODAY "\tr\r\n",
	  { 2, 4 },
	  NULL },
	{ "without_a_last_newline", "a\tb\tc\t-\tr\na\tb\tc\t-\tr", { 1, 2 }, NULL },
	{ "several_tabs_are_one", "a\t\tb\tc\t\t\t-\tr\n", { 1 }, NULL },
	{ "the_second_is_refused",
	  "a\tb\tc\t-\tr\n#\na\tb\tc\t2027-13-01\tr\na\tb\tc\t-\tr\n",
	  { 1, 3 },
	  "until is neither a date (2027-06-30) nor \"-\"" },
	{ "what_comes_behind_a_bad_one_is_not_read",
	  "a\tb\tc\t-\tr\na\n#\nb\n",
	  { 1, 2 },
	  "not the five fields image, function, kind, until, reason, separated by tabs" },
};

START_TEST(lines_are_entries)
{
	struct ignore_list list;
	struct error error = { 0 };
	char wanted[256];
	size_t count = 0;
	int status = read_list(&list, texts[_i].text, &error);

	while (count < 3 && texts[_i].line[count])
		count++;
	ck_assert_msg(status == (texts[_i].refused ? -1 : 0), "%s: %s", texts[_i].name,
		      error.message);
	ck_assert_msg(list.count == count, "%s: %zu", texts[_i].name, list.count);
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(list.entry[i].line, texts[_i].line[i]);
	for (size_t i = 0; i < count && !status; i++)
		ck_assert_str_eq(list.entry[i].reason, "r");
	if (texts[_i].refused) {
		snprintf(wanted, sizeof(wanted), "%s, line %u: %s", path, texts[_i].line[count - 1],
			 texts[_i].refused);
		ck_assert_str_eq(error.message, wanted);
		ck_assert_uint_eq(error.offset, texts[_i].line[count - 1]);
	}
	ignore_list_deinit(&list);
	ck_assert(!list.count && !list.entry && !list.path);
}
END_TEST

/* ---- entries ------------------------------------------------------------------------------ */

#define ENTRIES                                                                                    \
	"x\t*\t*\t2026-11-21\tgone\n"                                                              \
	"x\tf\twrong\t" TODAY "\tf of x\n"                                                         \
	"/usr/lib/x\t*\twrong\t-\tx elsewhere\n"                                                   \
	"*.so\tg*\tsilent*\t9999-12-31\tg of any\n"                                                \
	"*\tg\t*\t-\tg\n"                                                                          \
	"y\t*\t*\t-\tnever\n"                                                                      \
	"x\t*\twrong\t-\tneeded by none\n"                                                         \
	"l.a\tm\t*\t-\tof an archive\n"                                                            \
	"n.o\t*\t*\t-\tof a member\n"

/* In this order, of one list: each is counted for the entry that says its reason. */
static const struct {
	const char *image, *function, *kind, *verdict;
	uint64_t points;
	const char *reason; /* NULL: none */
} findings[] = {
	{ "x", "f", "wrong", "table_fault", 3, "f of x" },
	{ "/usr/lib/x", "f", "wrong", "table_fault", 40, "f of x" },
	{ "/usr/lib/x", "h", "wrong", "table_fault", 500, "x elsewhere" },
	{ "/usr/lib/x", "f", "missing", "table_fault", 1, NULL },
	{ "/usr/lib/x/", "f", "wrong", "table_fault", 1, NULL },
	{ "/x/z", "f", "wrong", "table_fault", 1, NULL },
	{ "/lib/a.so", "gg", "silent_loss", "v", 6000, "g of any" },
	{ "/lib/a.so", "gg", "v", "silent", 70000, "g of any" },
	{ "/lib/a.so", "gg", "v", "v", 1, NULL },
	{ "a.so", "g", "v", "v", 0, "g" },
	{ "x", "g", "missing", "v", 2, "g" },
	{ "z", "y", "missing", "v", 1, NULL },
	{ "/lib/l.a(o.o)", "m", "missing", "v", 5, "of an archive" },
	{ "/lib/l.a(n.o)", "m", "missing", "v", 6, "of an archive" },
	{ "/lib/l.a(n.o)", "k", "missing", "v", 7, "of a member" },
	{ "p.deb(usr/lib/n.o)", "k", "missing", "v", 80, "of a member" },
	{ "l.a(n.o", "m", "missing", "v", 1, NULL },
	{ "xl.a(o.o)", "m", "missing", "v", 1, NULL },
	{ "l.a(o.o)x", "m", "missing", "v", 1, NULL },
};

static const struct {
	const char *state;
	int findings, points;
} worth[] = {
	{ "expired", 0, 0 },	 { "matched", 2, 43 }, { "matched", 1, 500 },
	{ "matched", 2, 76000 }, { "matched", 2, 2 },  { "unmatched", 0, 0 },
	{ "matched", 0, 0 },	 { "matched", 2, 11 }, { "matched", 2, 87 },
};

START_TEST(each_finding_is_of_one_entry)
{
	struct ignore_list list;
	struct error error;
	json_t *array, *object;
	char *text;
	size_t i;

	ck_assert_int_eq(read_list(&list, ENTRIES, &error), 0);
	list.path = "list";
	for (i = 0; i < (size_t)COUNT(findings); i++) {
		const struct finding_record subject = { .image = findings[i].image,
							.function = findings[i].function,
							.kind = findings[i].kind,
							.verdict = findings[i].verdict,
							.count = findings[i].points };
		const char *reason = ignore_list_match(&list, &subject);

		ck_assert_msg(findings[i].reason ? reason && !strcmp(reason, findings[i].reason)
						 : !reason,
			      "%zu: %s", i, reason);
	}
	array = ignore_list_json(&list);
	ck_assert_uint_eq(json_array_size(array), COUNT(worth));
	json_array_foreach(array, i, object)
	{
		ck_assert_msg(!strcmp(json_text(object, "state"), worth[i].state), "%zu", i);
		ck_assert_int_eq(json_count(object, "findings"), worth[i].findings);
		ck_assert_int_eq(json_count(object, "points"), worth[i].points);
		ck_assert_int_eq(json_count(object, "line"), i + 1);
		ck_assert_str_eq(json_text(object, "reason"), list.entry[i].reason);
	}
	/* Who never ends says so nowhere. */
	ck_assert_str_eq(json_text(json_array_get(array, 0), "until"), "2026-11-21");
	ck_assert_str_eq(json_text(json_array_get(array, 1), "until"), TODAY);
	ck_assert_ptr_null(json_object_get(json_array_get(array, 2), "until"));
	ck_assert_str_eq(json_text(json_array_get(array, 3), "until"), "9999-12-31");
	json_decref(array);
	text = printed(&list, ignore_list_print_text);
	ck_assert_str_eq(text, "list, line 1: expired on 2026-11-21, and ignores nothing any more\n"
			       "list, line 6: matches nothing: y, *, *\n");
	free(text);
	text = printed(&list, ignore_list_print_expired);
	ck_assert_str_eq(text,
			 "list, line 1: expired on 2026-11-21, and ignores nothing any more\n");
	free(text);
	ignore_list_deinit(&list);
}
END_TEST

START_TEST(each_entry_is_an_object)
{
	const struct finding_record subject = {
		.image = "i", .function = "f", .kind = "k", .verdict = "v", .count = 7
	};
	struct ignore_list list;
	struct error error;
	FREED char *text = NULL;

	ck_assert_int_eq(read_list(&list, "#\ni\tf\tk\t-\tr s\nj\tg\tl\t2020-01-01\tt\n", &error),
			 0);
	list.path = "a list";
	ignore_list_match(&list, &subject);
	text = printed(&list, ignore_list_print_json);
	ck_assert_str_eq(
		text, "{\"type\":\"ignore\",\"file\":\"a list\",\"line\":2,\"state\":\"matched\","
		      "\"image\":\"i\",\"function\":\"f\",\"kind\":\"k\",\"reason\":\"r s\","
		      "\"findings\":1,\"points\":7}\n"
		      "{\"type\":\"ignore\",\"file\":\"a list\",\"line\":3,\"state\":\"expired\","
		      "\"image\":\"j\",\"function\":\"g\",\"kind\":\"l\",\"reason\":\"t\","
		      "\"until\":\"2020-01-01\",\"findings\":0,\"points\":0}\n");
	ignore_list_deinit(&list);
	/* The next list knows nothing of it. */
	ck_assert_int_eq(read_list(&list, "i\tf\tk\t-\tr\n", &error), 0);
	ck_assert_uint_eq(list.entry[0].points + list.entry[0].findings + list.entry[0].expired, 0);
	ignore_list_deinit(&list);
}
END_TEST

/* The day is that of UTC, wherever the command runs: an entry holds to the end of its last one. */
START_TEST(days_are_those_of_utc)
{
	static const char *const zones[] = { "XXX-14", "XXX+12", "UTC" };
	const struct finding_record subject = {
		.image = "i", .function = "f", .kind = "k", .verdict = "v", .count = 1
	};

	for (int i = 0; i < 2 * COUNT(zones); i++) {
		char file_path[] = "/tmp/test_ignore.XXXXXX", day[11];
		time_t now = time(NULL), when = now - (i & 1) * 24 * 60 * 60;
		struct ignore_list list;
		struct error error;
		FILE *file = fdopen(mkstemp(file_path), "w");

		strftime(day, sizeof(day), "%Y-%m-%d", gmtime(&when));
		fprintf(file, "*\t*\t*\t%s\tr\n", day);
		fclose(file);
		setenv("TZ", zones[i / 2], 1);
		tzset();
		ck_assert(!ignore_list_read_now(&list, file_path, &error));
		unlink(file_path);
		if (now / (24 * 60 * 60) == time(NULL) / (24 * 60 * 60)) /* it is still that day */
			ck_assert_msg((ignore_list_match(&list, &subject) != NULL) == !(i & 1),
				      "%s in %s", day, zones[i / 2]);
		ignore_list_deinit(&list);
	}
}
END_TEST

SUITE(ignore, LOOP(lines_are_entries, texts), TEST(each_finding_is_of_one_entry),
      TEST(each_entry_is_an_object), TEST(days_are_those_of_utc))
