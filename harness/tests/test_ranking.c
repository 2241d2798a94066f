/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_ranking.c - engines by kernel, over all and by program, best first
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "report/results.h"
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
	"rank  engine          exact       points  truncated      wrong    false   silent  "
	"unproven  skipped   ns/walk  bytes/walk\n"
	"   1  c             99.00 %          100          0          0        0        0         "
	"0        0         8           5\n"
	"   2  a             99.00 %          100          0          0        0        0         "
	"0        0         9           -\n"
	"   3  b             99.00 %          100          0          0        1        0         "
	"0        0         -           -\n"
	"   4  fp            50.00 %          100          9         40        0        1         "
	"4        0         3           -\n"
	"   5  bpf                 -            0          0          0        0        0         "
	"0        1         -           -\n"
	"\n"
	"5.10\n"
	"rank  engine          exact       points  truncated      wrong    false   silent  "
	"unproven  skipped   ns/walk  bytes/walk\n"
	"   1  fp           100.00 %          300          0          0        0        0         "
	"0        0         -           -\n"
	"\n"
	"over all kernels\n"
	"rank  engine          exact       points  truncated      wrong    false   silent  "
	"unproven  skipped   ns/walk  bytes/walk\n"
	"   1  c             99.00 %          100          0          0        0        0         "
	"0        0         8           5\n"
	"   2  a             99.00 %          100          0          0        0        0         "
	"0        0         9           -\n"
	"   3  b             99.00 %          100          0          0        1        0         "
	"0        0         -           -\n"
	"   4  fp            87.50 %          400          9         40        0        1         "
	"4        0         3           -\n"
	"   5  bpf                 -            0          0          0        0        0         "
	"0        1         -           -\n"
	"\n"
	"exact, by program\n"
	"program                     c          a          b         fp        bpf\n"
	"chain                 99.00 %    99.00 %    99.00 %    50.00 %          -\n"
	"leaf                        -          -          -   100.00 %          -\n";

START_TEST(test_text)
{
	struct results results;
	char *text = NULL;

	fill(&results);
	FIXTURE_CAPTURE(text, ranking_print(&results, capture));
	ck_assert_str_eq(text, expected);
	free(text);
	results_deinit(&results);
}
END_TEST

START_TEST(test_page_has_the_same_order)
{
	struct results results;
	char *text = NULL;

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
	free(text);
	results_deinit(&results);
}
END_TEST

START_TEST(test_nothing_was_asked)
{
	struct results results;
	char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	FIXTURE_CAPTURE(text, ranking_print(&results, capture));
	ck_assert_str_eq(text, "host\n  no engine was asked there\n\n");
	free(text);
	results_deinit(&results);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ranking");
	TCase *tcase = tcase_create("ranking");

	tcase_add_test(tcase, test_text);
	tcase_add_test(tcase, test_page_has_the_same_order);
	tcase_add_test(tcase, test_nothing_was_asked);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
