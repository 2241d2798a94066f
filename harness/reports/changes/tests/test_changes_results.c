/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_changes_results.c - results held against each other: in which order it is said, as JSON, which kernels,
 * several pairs, what is ignored; and damaged ones
 */
#include "tests/suite.h"
#include "freed.h"
#include "changes_plant.h"
#include "base/ignore/ignore.h"
#include "guests/run/run.h"

/* ---- the order, and what is cut --------------------------------------------------------- */

START_TEST(test_the_worst_is_first)
{
	struct pair pair;
	FREED char *text = NULL;

	pair_init(&pair,
		  HEADER RESULT("a", "host", "passed", "") RESULT("b", "host", "passed", "")
			  RESULT("c", "host", "passed", "") RESULT("d", "host", "passed", "")
				  RESULT("e", "host", "failed", "") SUMMARY,
		  HEADER RESULT("a", "host", "skipped", "s") RESULT("b", "host", "error", "e")
			  RESULT("c", "host", "failed", "f") RESULT("e", "host", "passed", "")
				  SUMMARY);
	text = pair_text(&pair);
	ck_assert_str_eq(text, "WORSE\n"
			       "c on host: passed -> failed: f\n"
			       "b on host: passed -> error: e\n"
			       "d on host: passed -> gone: there is no such binary any more\n"
			       "a on host: passed -> skipped: s\n"
			       "\n"
			       "BETTER\n"
			       "e on host: failed -> passed\n"
			       "\n"
			       "Only in the first: 1 cells of binaries that the other has not\n"
			       "Of 2 cells only the outcomes were compared: one side has nothing "
			       "else\n"
			       "checked: 2 cells; not checked: 1 skipped, 1 not judged, 1 in "
			       "the first only\n"
			       "old -> new: 2 cells compared; 5 changed: 4 worse, 1 better, 0 "
			       "neither\n");
	pair_deinit(&pair);
}
END_TEST

/* As bad as each other: by the binary's name, then by the kernel's. */
START_TEST(test_equals_are_by_name)
{
	struct pair pair;
	FREED char *text = NULL;

	pair_init(&pair,
		  HEADER RESULT("b", "host", "passed", "") RESULT("b", "5.10", "passed", "")
			  RESULT("a", "host", "passed", "") SUMMARY,
		  HEADER RESULT("b", "host", "failed", "f") RESULT("b", "5.10", "failed", "f")
			  RESULT("a", "host", "failed", "f") SUMMARY);
	text = pair_text(&pair);
	ck_assert_msg(!strncmp(text,
			       "WORSE\n"
			       "a on host: passed -> failed: f\n"
			       "b on 5.10: passed -> failed: f\n"
			       "b on host: passed -> failed: f\n",
			       30 * 3 + 6),
		      "%s", text);
	pair_deinit(&pair);
}
END_TEST

/* count cells of that status. To be freed. */
static char *many_cells(size_t count, const char *status)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fputs(HEADER, file);
	for (size_t i = 0; i < count; i++)
		fprintf(file,
			"{\"type\":\"result\",\"binary\":\"b%02zu\",\"kernel\":\"host\",\"status\":"
			"\"%s\"}\n",
			i, status);
	fputs(SUMMARY, file);
	fclose(file);
	return text;
}

START_TEST(test_cells_beyond_twenty_are_counted)
{
	for (size_t count = 20; count <= 21; count++) {
		FREED char *before = many_cells(count, "passed"),
			   *after = many_cells(count, "failed");
		struct pair pair;

		pair_init(&pair, before, after);
		FREED char *text = pair_text(&pair);
		ck_assert_ptr_nonnull(strstr(text, "b19 on host"));
		ck_assert_int_eq(strstr(text, "b20 on host") != NULL, 0);
		ck_assert_int_eq(strstr(text, "and 1 cells more: --verbose\n") != NULL,
				 count == 21);
		pair_deinit(&pair);
	}
}
END_TEST

/* ---- JSON ------------------------------------------------------------------------------- */

START_TEST(test_json)
{
	static const char expected[] =
		"{\"type\":\"results_change\",\"change\":\"status\",\"direction\":\"worse\","
		"\"binary\":\"p.gcc\",\"program\":\"p\",\"toolchain\":\"gcc\",\"variant\":\"O2\","
		"\"language\":\"c\",\"kernel_name\":\"host\",\"before\":{\"status\":\"passed\","
		"\"reason\":\"\"},\"after\":{\"status\":\"failed\",\"reason\":\"w\"}}\n"
		"{\"type\":\"results_change\",\"change\":\"finding_new\",\"direction\":\"worse\","
		"\"binary\":\"p.gcc\",\"program\":\"p\",\"toolchain\":\"gcc\",\"variant\":\"O2\","
		"\"language\":\"c\",\"kernel_name\":\"host\",\"image\":\"a\",\"verdict\":"
		"\"walk_fault\",\"kind\":\"wrong\",\"function\":\"f\",\"instruction\":\"ret\","
		"\"before\":0,\"after\":2}\n"
		"{\"type\":\"results_change\",\"change\":\"score\",\"direction\":\"worse\","
		"\"binary\":\"p.gcc\",\"program\":\"p\",\"toolchain\":\"gcc\",\"variant\":\"O2\","
		"\"language\":\"c\",\"kernel_name\":\"host\",\"engine\":\"bpf\",\"before\":"
		"{\"points\":100,\"exact\":100,\"truncated\":0,\"wrong\":0},\"after\":{\"points\":"
		"100,\"exact\":98,\"truncated\":0,\"wrong\":2},\"differ\":[\"exact\",\"wrong\"]}\n"
		"{\"type\":\"results_diff\",\"before\":\"old\",\"after\":\"new\",\"cells\":1,"
		"\"cells_worse\":1,\"cells_better\":0,\"cells_other\":0,\"outcomes_alone\":0,"
		"\"only_before\":{\"toolchain\":1},\"only_after\":{},\"before_cut_short\":false,"
		"\"after_cut_short\":false,\"checked\":1,\"checked_unit\":\"cells\","
		"\"not_checked\":{\"only_before\":1},\"exit_status\":1}\n";
	struct pair pair;
	FREED char *text = NULL;
	size_t size;

	pair_init(&pair,
		  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT(
			  "p.gcc", "host", "passed",
			  "") "{\"type\":\"result\",\"binary\":\"p.clang\",\"toolchain\":\"clang\","
			      "\"kernel\":\"host\",\"status\":\"passed\"}\n" SUMMARY,
		  HEADER FINDING("walk_fault", "wrong", "/l/a", "f", "2")
			  SCORE("\"points\":100,\"exact\":98,\"wrong\":2,\"truncated\":0")
				  VERDICTS_BEFORE RESULT("p.gcc", "host", "failed", "w") SUMMARY);
	FILE *file = open_memstream(&text, &size);
	const struct changes_report report = {
		.file = file, .before = "old", .after = "new", .gate = &pair.gate
	};
	changes_print_json(&report, &pair.changes);
	fclose(file);
	ck_assert_str_eq(text, expected);
	pair_deinit(&pair);
}
END_TEST

/* ---- kernels of one folder -------------------------------------------------------------- */

START_TEST(test_kernels_of_one_folder)
{
	struct results results DEINIT(results_deinit);
	struct changes changes;
	static const char text[] = HEADER RESULT("p.gcc", "host", "passed", "")
		RESULT("p.gcc", "5.10", "failed", "k") RESULT("q.gcc", "host", "passed", "")
			RESULT("q.gcc", "5.10", "passed", "") RESULT("r.gcc", "7.2", "passed", "")
				SUMMARY;

	read_text(&results, text, strlen(text));
	changes_init(&changes);
	changes_add(&changes, &results, "host", &results, "5.10");
	ck_assert_uint_eq(changes.compared, 2);
	ck_assert_uint_eq(changes.count, 1);
	ck_assert_str_eq(changes.cell[0].before->kernel, "host");
	ck_assert_str_eq(changes.cell[0].after->kernel, "5.10");
	ck_assert_int_eq(changes.cell[0].direction, CHANGE_WORSE);
	for (unsigned int i = 0; i < ONE_SIDE_COUNT; i++)
		ck_assert_uint_eq(changes.only[0][i] + changes.only[1][i], 0);
	changes_add(&changes, &results, "host", &results, "7.2");
	ck_assert_uint_eq(changes.only[0][ONE_SIDE_BINARY], 2);
	ck_assert_uint_eq(changes.only[1][ONE_SIDE_BINARY], 1);
	changes_deinit(&changes);
}
END_TEST

/* ---- results beside results ---------------------------------------------------------------- */

/* Each of several pairs counts: that one was cut short, or damaged, is not forgotten. */
START_TEST(test_what_one_pair_lacks_stays)
{
	static const char *const lacks[] = {
		HEADER RESULT("p.gcc", "host", "passed", ""), /* partial */
		CELLS_OF("2") RESULT("p.gcc", "host", "passed", "") SUMMARY,
		HEADER "{\n" RESULT("p.gcc", "host", "passed", "") SUMMARY,
	};
	static const char whole[] = BEFORE;

	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
		struct results one, two;
		struct changes changes;

		read_text(&one, lacks[i], strlen(lacks[i]));
		read_text(&two, whole, strlen(whole));
		for (int side = 0; side < 2; side++) {
			changes_init(&changes);
			changes_add(&changes, side ? &two : &one, NULL, side ? &one : &two, NULL);
			changes_add(&changes, &two, NULL, &two, NULL);
			ck_assert_int_eq(changes.cut_short[side], i < 2);
			ck_assert_int_eq(changes.cut_short[!side], false);
			ck_assert_int_eq(changes.bad_lines, i == 2);
			changes_deinit(&changes);
		}
		results_deinit(&one);
		results_deinit(&two);
	}
}
END_TEST

/* ---- a list of what is ignored ---------------------------------------------------------- */

static void read_list(struct ignore_list *ret, const char *text)
{
	char path[] = "/tmp/test_changes.XXXXXX";
	struct error error = { 0 };
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_assert_msg(!ignore_list_read(ret, path, "2026-11-22", &error), "%s", error.message);
	unlink(path);
	ret->path = "list";
}

static const struct ignored {
	const char *name, *list, *text;
	int status;
} ignored[] = {
	{ "in_the_list_it_is_not_worse", "a\tf\twrong\t-\tknown\n",
	  OTHER PASSED_HOST
	  "    new       table_fault (wrong) in f (a), 2 points; ignored: known\n"
	  "        instruction  ret\n"
	  "    bpf       exact 100 -> 98, wrong 0 -> 2\n"
	  "    verdicts  exact 100 -> 98\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 2 points in 1 cells\n\n"
	  "checked: 1 cells; not checked: 2 points in the list of --ignore\n" ONE_OTHER,
	  EXIT_OK },
	{ "another_function_is_not", "a\tg\twrong\t-\tknown\n",
	  "WORSE\n" PASSED_HOST "    new       table_fault (wrong) in f (a), 2 points\n"
	  "        instruction  ret\n"
	  "    bpf       exact 100 -> 98, wrong 0 -> 2\n"
	  "    verdicts  exact 100 -> 98\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 2 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "an_entry_that_has_expired_is_not", "a\tf\twrong\t2026-11-21\tknown\n",
	  "WORSE\n" PASSED_HOST "    new       table_fault (wrong) in f (a), 2 points\n"
	  "        instruction  ret\n"
	  "    bpf       exact 100 -> 98, wrong 0 -> 2\n"
	  "    verdicts  exact 100 -> 98\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 2 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
};

START_TEST(test_ignored)
{
	const struct ignored *c = &ignored[_i];
	static const char before[] = BEFORE;
	static const char after[] = CELL(
		FINDING("table_fault", "wrong", "/l/a", "f", "2")
			SCORE("\"points\":100,\"exact\":98,\"wrong\":2,\"truncated\":0")
				VERDICTS("\"points\":100,\"exact\":98,\"walk_fault\":0"));
	struct pair pair = { 0 };
	struct ignore_list list;

	read_list(&list, c->list);
	read_text(&pair.before, before, strlen(before));
	read_text(&pair.after, after, strlen(after));
	results_ignore(&pair.after, &list);
	changes_init(&pair.changes);
	changes_add(&pair.changes, &pair.before, NULL, &pair.after, NULL);
	changes_gate(&pair.changes, &pair.gate);
	FREED char *text = pair_text(&pair);
	ck_assert_msg(!strcmp(text, c->text), "%s:\n%s", c->name, text);
	ck_assert_int_eq(gate_status(&pair.gate), c->status);
	ignore_list_deinit(&list);
	pair_deinit(&pair);
}
END_TEST

/* ---- hostile ---------------------------------------------------------------------------- */

static const char whole[] = HEADER FINDING("walk_fault", "wrong", "/l/a", "f", "2")
	FINDING("table_fault", "missing", "/l/a", "gap@0x10", "3")
		SCORE("\"points\":100,\"exact\":98,\"wrong\":2,\"truncated\":0")
			VERDICTS("\"points\":100,\"exact\":98,\"walk_fault\":2")
				RESULT("p.gcc", "host", "failed", "w") SUMMARY;

/* Compares text with what it was made of, both ways. */
static void compare_with_whole(const char *text, size_t size)
{
	struct pair pair = { 0 };
	FREED char *printed = NULL;

	read_text(&pair.before, whole, strlen(whole));
	read_text(&pair.after, text, size);
	changes_init(&pair.changes);
	changes_add(&pair.changes, &pair.before, NULL, &pair.after, NULL);
	changes_add(&pair.changes, &pair.after, NULL, &pair.before, NULL);
	changes_sort(&pair.changes);
	changes_gate(&pair.changes, &pair.gate);
	printed = pair_text(&pair);
	pair_deinit(&pair);
}

START_TEST(test_cut_at_every_byte)
{
	for (size_t size = 0; size < strlen(whole); size++)
		compare_with_whole(whole, size);
}
END_TEST

START_TEST(test_every_byte_another)
{
	static const char bytes[] = { '"', '{', '}', ':', '0', '-', '\n', '\xff', '\0' };

	for (size_t at = 0; at < strlen(whole); at++) {
		char text[sizeof(whole)];

		memcpy(text, whole, sizeof(whole));
		text[at] = bytes[at % sizeof(bytes)];
		compare_with_whole(text, strlen(whole));
	}
}
END_TEST

SUITE(changes_results, TIMEOUT(300), TEST(test_the_worst_is_first), TEST(test_equals_are_by_name),
      TEST(test_cells_beyond_twenty_are_counted), TEST(test_json), TEST(test_kernels_of_one_folder),
      TEST(test_what_one_pair_lacks_stays), LOOP(test_ignored, ignored),
      TEST(test_cut_at_every_byte), TEST(test_every_byte_another))
