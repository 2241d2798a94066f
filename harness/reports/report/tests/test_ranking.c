/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_ranking.c - engines by kernel, over all and by program, best first
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "reports/report/results.h"
#include "results_fixture.h"

static void fill(struct results *results)
{
	results_init(results);
	fixture_kernel(results, "host", "6.1", "", "native", "ok", "", 0, 0);
	fixture_kernel(results, "5.10", "5.10.1", "", "tcg", "ok", "", 0, 0);
	struct cell *cell = fixture_cell(results, "host", "chain", "gcc", "O0", "c");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"fp\",\"points\":99,\"exact\":50,"
			     "\"truncated\":9,\"wrong\":38,\"extra\":2,\"silent\":1,\"unproven\":4,"
			     "\"walks\":2,\"walk_ns\":7}");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"b\",\"points\":100,\"exact\":99,"
			     "\"false_complete\":1}");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"a\",\"points\":100,\"exact\":99,"
			     "\"walks\":1,\"walk_ns\":9}");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"c\",\"points\":100,\"exact\":99,"
			     "\"walks\":1,\"walk_ns\":8,\"walks_sized\":2,\"bytes\":10}");
	fixture_object(cell, "{\"type\":\"skip\",\"engine\":\"bpf\",\"reason\":\"no_bpf\"}");
	cell = fixture_cell(results, "5.10", "leaf", "gcc", "O0", "c");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"fp\",\"points\":300,\"exact\":300}");
}

static const char expected[] =
	"host\n"
	"rank  engine          exact own frames       points  truncated      wrong    false   "
	"silent  "
	"unproven  skipped   ns/walk  bytes/walk\n"
	"   1  c             99.00 %          -          100          0          0        0        "
	"0         "
	"0        0         8           5\n"
	"   2  a             99.00 %          -          100          0          0        0        "
	"0         "
	"0        0         9           -\n"
	"   3  b             99.00 %          -          100          0          0        1        "
	"0         "
	"0        0         -           -\n"
	"   4  fp            50.00 %          -          100          9         40        0        "
	"1         "
	"4        0         3           -\n"
	"   5  bpf                 -          -            0          0          0        0        "
	"0         "
	"0        1         -           -\n"
	"\n"
	"5.10\n"
	"rank  engine          exact own frames       points  truncated      wrong    false   "
	"silent  "
	"unproven  skipped   ns/walk  bytes/walk\n"
	"   1  fp           100.00 %          -          300          0          0        0        "
	"0         "
	"0        0         -           -\n"
	"\n"
	"over all kernels\n"
	"rank  engine          exact own frames       points  truncated      wrong    false   "
	"silent  "
	"unproven  skipped   ns/walk  bytes/walk\n"
	"   1  c             99.00 %          -          100          0          0        0        "
	"0         "
	"0        0         8           5\n"
	"   2  a             99.00 %          -          100          0          0        0        "
	"0         "
	"0        0         9           -\n"
	"   3  b             99.00 %          -          100          0          0        1        "
	"0         "
	"0        0         -           -\n"
	"   4  fp            87.50 %          -          400          9         40        0        "
	"1         "
	"4        0         3           -\n"
	"   5  bpf                 -          -            0          0          0        0        "
	"0         "
	"0        1         -           -\n"
	"\n"
	"exact, by program\n"
	"program                     c          a          b         fp        bpf\n"
	"chain                 99.00 %    99.00 %    99.00 %    50.00 %          -\n"
	"leaf                        -          -          -   100.00 %          -\n";

START_TEST(test_text)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fill(&results);
	FIXTURE_CAPTURE(text, ranking_print(&results, capture));
	ck_assert_str_eq(text, expected);
}
END_TEST

/* Nanoseconds of an emulated CPU have their warning, in its own table and in that of all. */
START_TEST(emulated_times_have_a_warning)
{
	static const char warning[] = "ns/walk of an emulated CPU (TCG) is in it";
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL, *page = NULL;

	fill(&results);
	FIXTURE_CAPTURE(page, ranking_html_print(&results, capture));
	ck_assert_ptr_null(strstr(page, warning));
	fixture_object(
		fixture_cell(&results, "5.10", "more", "gcc", "O0", "c"),
		"{\"type\":\"score\",\"engine\":\"fp\",\"points\":1,\"walks\":1,\"walk_ns\":7}");
	FIXTURE_CAPTURE(text, ranking_print(&results, capture));
	const char *own = strstr(text, warning), *all = own ? strstr(own + 1, warning) : NULL;

	ck_assert(own > strstr(text, "\n5.10\n") && own < strstr(text, "\nover all kernels\n"));
	ck_assert_ptr_nonnull(all);
	ck_assert_ptr_null(strstr(all + 1, warning));
	free(page);
	FIXTURE_CAPTURE(page, ranking_html_print(&results, capture));
	ck_assert_ptr_nonnull(strstr(page, warning));
}
END_TEST

START_TEST(test_page_has_the_same_order)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fill(&results);
	FIXTURE_CAPTURE(text, matrix_html_print(&results, capture));
	const char *at = strstr(text, "<h2 id=\"ranking\">Engines, best first</h2>");
	ck_assert_ptr_nonnull(at);
	static const char *const order[] = {
		">c<", ">a<", ">b<", ">fp<", ">bpf<", ">5.10<", ">all<"
	};
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		at = strstr(at, order[i]);
		ck_assert_msg(at != NULL, "%s", order[i]);
	}
}
END_TEST

#define SCORE(more) "\"type\":\"score\",\"points\":100" more
#define WALKS(ns)   ",\"walks\":1,\"walk_ns\":" #ns

/* Of two engines the one that comes first, in whatever order they were asked. Its name is z, and the
 * other's a, but where the names decide. */
static const struct order_case {
	const char *name, *first, *second;
	bool by_name;
} order_cases[] = {
	{ "more_exact", SCORE(",\"exact\":99,\"false_complete\":1" WALKS(9)),
	  SCORE(",\"exact\":98" WALKS(1)), false },
	{ "less_false", SCORE(",\"exact\":99" WALKS(9)),
	  SCORE(",\"exact\":99,\"false_complete\":1" WALKS(1)), false },
	{ "faster", SCORE(",\"exact\":99" WALKS(8)), SCORE(",\"exact\":99" WALKS(9)), false },
	{ "how_fast_is_known", SCORE(",\"exact\":99" WALKS(9)), SCORE(",\"exact\":99"), false },
	{ "asked", SCORE(",\"exact\":0"), "\"type\":\"skip\"", false },
	{ "a_skip_has_no_points", SCORE(",\"exact\":1"),
	  "\"type\":\"skip\",\"points\":100,\"exact\":100", false },
	{ "names", SCORE(""), SCORE(""), true },
	{ "names_of_skips", "\"type\":\"skip\"", "\"type\":\"skip\"", true },
};

START_TEST(test_order)
{
	const struct order_case *c = &order_cases[_i];
	const char *first = c->by_name ? "a" : "z", *second = c->by_name ? "z" : "a";

	for (int turned = 0; turned < 2; turned++) {
		struct results results DEINIT(results_deinit);
		char json[256], *text = NULL;

		results_init(&results);
		fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
		struct cell *cell = fixture_cell(&results, "host", "chain", "gcc", "O0", "c");
		for (int i = 0; i < 2; i++) {
			bool is_first = i == turned;

			snprintf(json, sizeof(json), "{%s,\"engine\":\"%s\"}",
				 is_first ? c->first : c->second, is_first ? first : second);
			fixture_object(cell, json);
		}
		FIXTURE_CAPTURE(text, ranking_print(&results, capture));
		snprintf(json, sizeof(json), "\n   1  %s ", first);
		ck_assert_msg(strstr(text, json), "%s: %s", c->name, text);
		snprintf(json, sizeof(json), "\n   2  %s ", second);
		ck_assert_msg(strstr(text, json), "%s: %s", c->name, text);
		free(text);
	}
}
END_TEST

/* One kernel is all kernels, a program has one line, and of others' objects none is a score. */
START_TEST(test_one_kernel)
{
	struct results results DEINIT(results_deinit);
	char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	for (int i = 0; i < 2; i++) {
		struct cell *cell = fixture_cell(&results, "host", "chain", "gcc", "O0", "c");

		fixture_object(cell,
			       "{\"type\":\"score\",\"engine\":\"e\",\"points\":5,\"exact\":5}");
		fixture_object(cell, "{\"type\":\"finding\",\"engine\":\"f\",\"points\":5}");
		fixture_object(cell, "{\"type\":\"skip\",\"reason\":\"no_bpf\"}");
	}
	FIXTURE_CAPTURE(text, ranking_print(&results, capture));
	ck_assert_str_eq(
		text,
		"host\n"
		"rank  engine          exact own frames       points  truncated      wrong    "
		"false   silent  unproven  skipped   ns/walk  bytes/walk\n"
		"   1  e            100.00 %          -           10          0          0        "
		"0        0         0        0         -           -\n"
		"\n"
		"exact, by program\n"
		"program                     e\n"
		"chain                100.00 %\n");
	free(text);
	FIXTURE_CAPTURE(text, ranking_html_print(&results, capture));
	ck_assert_ptr_null(strstr(text, ">all<"));
	ck_assert_ptr_nonnull(strstr(text, ">e<"));
	free(text);
}
END_TEST

/* Each number is another one, twice over two cells of two programs, whose names begin alike. */
START_TEST(test_every_column)
{
	static const char row[] =
		"<tr><td class=\"keep\">host</td><td class=\"n\">1</td><td>e</td>"
		"<td class=\"n\">50.00 %</td><td class=\"n\">75.00 %</td><td "
		"class=\"n\">200</td><td class=\"n\">22</td>"
		"<td class=\"n\">6</td><td class=\"n\">14</td><td class=\"n\">2</td>"
		"<td class=\"n\">9</td><td class=\"n\">7</td></tr>\n";
	struct results results DEINIT(results_deinit);
	char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	for (int i = 0; i < 2; i++) {
		struct cell *cell = fixture_cell(&results, "host", i ? "chains" : "chain", "gcc",
						 "O0", "c");

		fixture_object(cell, i ? "{\"type\":\"score\",\"engine\":\"e\",\"points\":98,"
					 "\"exact\":0,\"truncated\":4,\"frames_own\":30,\"frames_"
					 "own_right\":15,\"wrong\":5,\"extra\":6,"
					 "\"false_complete\":3,\"silent\":2,\"unproven\":7,"
					 "\"walks\":2,\"walk_ns\":18,\"walks_sized\":5,"
					 "\"bytes\":35}"
				       : "{\"type\":\"score\",\"engine\":\"e\",\"points\":98,"
					 "\"exact\":100,\"truncated\":4,\"frames_own\":30,\"frames_"
					 "own_right\":30,\"wrong\":5,\"extra\":6,"
					 "\"false_complete\":3,\"silent\":2,\"unproven\":7,"
					 "\"walks\":2,\"walk_ns\":18,\"walks_sized\":5,"
					 "\"bytes\":35}");
		fixture_object(cell, "{\"type\":\"skip\",\"engine\":\"e\"}");
	}
	FIXTURE_CAPTURE(text, ranking_html_print(&results, capture));
	ck_assert_msg(strstr(text, row) != NULL, "%s", text);
	free(text);
	FIXTURE_CAPTURE(text, ranking_print(&results, capture));
	ck_assert_msg(strstr(text,
			     "\n   1  e             50.00 %    75.00 %          200          8     "
			     "    22  "
			     "      6        4        14        2         9           7\n") != NULL,
		      "%s", text);
	ck_assert_msg(
		strstr(text, "\nchain                100.00 %\nchains                 0.00 %\n") !=
			NULL,
		"%s", text);
	free(text);
}
END_TEST

/* Cells of a program need not stand together; of each it has one line, and the engines of all its cells. */
START_TEST(test_programs_in_any_order)
{
	static const struct {
		const char *program, *kernel, *engine;
		int points, exact, walks, walk_ns;
	} scores[] = { { "b", "host", "x", 10, 1, 1, 10 },
		       { "a", "host", "x", 100, 20, 2, 200 },
		       { "b", "5.10", "y", 10, 2, 1, 7 },
		       { "a", "5.10", "x", 100, 40, 1, 30 },
		       { "b", "host", "x", 10, 5, 4, 800 } };
	struct results results DEINIT(results_deinit);
	char json[256], *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	fixture_kernel(&results, "5.10", "5.10", "", "tcg", "ok", "", 0, 0);
	for (size_t i = 0; i < sizeof(scores) / sizeof(scores[0]); i++) {
		struct cell *cell = fixture_cell(&results, scores[i].kernel, scores[i].program,
						 "gcc", "O0", "c");

		snprintf(json, sizeof(json),
			 "{\"type\":\"score\",\"engine\":\"%s\",\"points\":%d,\"exact\":%d,"
			 "\"walks\":%d,\"walk_ns\":%d}",
			 scores[i].engine, scores[i].points, scores[i].exact, scores[i].walks,
			 scores[i].walk_ns);
		fixture_object(cell, json);
	}
	FIXTURE_CAPTURE(text, ranking_print(&results, capture));
	ck_assert_msg(strstr(text, "exact, by program\n"
				   "program                     x          y\n"
				   "b                     30.00 %    20.00 %\n"
				   "a                     30.00 %          -\n"),
		      "%s", text);
	/* On the host x walked 7 times in 1010 ns; y was not asked there. */
	ck_assert_msg(strstr(text, "\n   1  x             21.66 %          -          120 "), "%s",
		      text);
	ck_assert_msg(strstr(text, "        0       144           -\n\n5.10\n"), "%s", text);
	ck_assert_msg(strstr(text, "\n   1  x             30.00 %          -          220 "), "%s",
		      text);
	ck_assert_msg(strstr(text, "        0       130           -\n   2  y "), "%s", text);
	free(text);
}
END_TEST

START_TEST(test_nothing_was_asked)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	FIXTURE_CAPTURE(text, ranking_print(&results, capture));
	ck_assert_str_eq(text, "host\n  no engine was asked there\n\n");
}
END_TEST

SUITE(ranking, TEST(test_text), TEST(emulated_times_have_a_warning),
      TEST(test_page_has_the_same_order), LOOP(test_order, order_cases), TEST(test_one_kernel),
      TEST(test_every_column), TEST(test_nothing_was_asked), TEST(test_programs_in_any_order))
