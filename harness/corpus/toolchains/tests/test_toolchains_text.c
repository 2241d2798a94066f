/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_toolchains_text.c - the faults of a report: which are named, and how many more there are
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "reports/report/tests/results_fixture.h"
#include "corpus/toolchains/toolchains.h"

#define FAULTS_MAX  200
#define NONE	    "No table faults of compiled code\n"
#define COMPILED    "Table faults of compiled code, by version"
#define HANDWRITTEN "Table faults of hand-written and generated code"
#define STARTUP	    "Table faults of start-up objects"
#define LIBRARY	    "Table faults of system libraries\n"

static const struct {
	const char *name;
	int count[ORIGIN_COUNT]; /* of faults */
	bool verbose;
	const char *says[3], *not [4];
} cases[] = {
	{ .name = "none", .says = { NONE }, .not = { COMPILED, HANDWRITTEN, STARTUP, LIBRARY } },
	{ .name = "one_of_a_compiler",
	  .count = { [ORIGIN_COMPILED] = 1 },
	  .says = { COMPILED, "\n  f0 in p: " },
	  .not = { NONE, "more: --verbose", HANDWRITTEN, LIBRARY } },
	{ .name = "hand_written",
	  .count = { [ORIGIN_HANDWRITTEN] = 2 },
	  .says = { NONE, HANDWRITTEN, "f0 in p (no FDE), f1 in p (no FDE)\n" },
	  .not = { "more: --verbose", STARTUP, LIBRARY } },
	{ .name = "start_up",
	  .count = { [ORIGIN_STARTUP] = 1 },
	  .says = { NONE, STARTUP, "\n  f0 in p (no FDE)\n" },
	  .not = { COMPILED, HANDWRITTEN, LIBRARY } },
	{ .name = "libraries",
	  .count = { [ORIGIN_LIBRARY] = 1 },
	  .says = { LIBRARY, "\n  f0 in p (no FDE)\n" },
	  .not = { COMPILED, HANDWRITTEN, STARTUP } },
	{ .name = "many", .count = { FAULTS_MAX }, .says = { COMPILED, " more: --verbose\n" } },
	{ .name = "many_in_full",
	  .count = { FAULTS_MAX },
	  .verbose = true,
	  .says = { COMPILED, "\n  f199 in p: " },
	  .not = { " more: --verbose\n" } },
	{ .name = "many_of_libraries",
	  .count = { [ORIGIN_LIBRARY] = FAULTS_MAX },
	  .says = { LIBRARY, " more: --verbose\n" } },
};

/* The number in front of "more", and those that are named, are all. */
static void check_sum(const char *text, int all)
{
	const char *more = strstr(text, " more: --verbose\n");
	int named = 0;

	for (const char *at = text; (at = strstr(at, " in p")); at++)
		named++;
	while (more && more[-1] != ' ')
		more--;
	ck_assert_int_eq(named + (more ? atoi(more) : 0), all);
}

START_TEST(test_faults)
{
	const struct toolchains_style style = { .verbose = cases[_i].verbose, .width = 100000 };
	static struct toolchain_fault fault[FAULTS_MAX];
	static enum fault_state state[1] = { FAULT_PRESENT };
	struct results results DEINIT(results_deinit);
	struct toolchains model;
	FREED char *text = NULL;
	int all = 0;

	fixture_results(&results);
	model = (struct toolchains) { .results = &results, .fault = fault };
	struct toolchain toolchain = { .name = "gcc-9", .reasons = "" };
	toolchain_id_parse("gcc-9", &toolchain.id);
	model.toolchain = &toolchain;
	model.count = 1;
	for (int origin = 0; origin < ORIGIN_COUNT; origin++)
		for (int i = 0; i < cases[_i].count[origin]; i++) {
			fault[all] = (struct toolchain_fault) { .origin = origin,
								.program = "p",
								.library = "",
								.kind = "missing",
								.state = state,
								.expected = true };
			snprintf(fault[all].function, sizeof(fault[all].function), "f%d", all);
			all++;
		}
	model.fault_count = all;
	FIXTURE_CAPTURE(text, toolchains_print(&model, &style, capture));
	for (int i = 0; i < COUNT(cases[_i].says) && cases[_i].says[i]; i++)
		ck_assert_msg(strstr(text, cases[_i].says[i]) != NULL, "%s: no %s in %.2000s",
			      cases[_i].name, cases[_i].says[i], text);
	for (int i = 0; i < COUNT(cases[_i].not ) && cases[_i].not [i]; i++)
		ck_assert_msg(!strstr(text, cases[_i].not [i]), "%s: %s in %.2000s", cases[_i].name,
			      cases[_i].not [i], text);
	if (!cases[_i].count[ORIGIN_COMPILED])
		check_sum(text, all);
}
END_TEST

/* ---- two sides ---------------------------------------------------------------------------- */

/* side and variant of each finding: "aO0" is one of the first toolchain's -O0. */
static const struct {
	const char *name, *found[4];
	enum pair_reason reason;
	const char *says; /* NULL: nothing of sides */
} sides[] = {
	{ "in one variant of both",
	  { "aO2", "bO2" },
	  PAIR_SIDE_BY_SIDE,
	  "    gcc-8: 1 points in O2; gcc-9: 2 points in O2\n" },
	{ "in another one, too",
	  { "aO2", "bO0", "bO2" },
	  PAIR_SIDE_BY_SIDE,
	  "    gcc-8: 1 points in O2; gcc-9: 5 points in O0 O2\n" },
	{ "a variant twice",
	  { "aO0", "aO0", "aO2" },
	  PAIR_SIDE_BY_SIDE,
	  "    gcc-8: 6 points in O0 O2; gcc-9: 0 points\n" },
	{ "of the second alone",
	  { "bO0" },
	  PAIR_SIDE_BY_SIDE,
	  "    gcc-8: 0 points; gcc-9: 1 points in O0\n" },
	{ "of nobody", { NULL }, PAIR_SIDE_BY_SIDE, NULL },
	{ "of two versions, whose history says it", { "aO2", "bO2" }, PAIR_NEXT_VERSION, NULL },
};

START_TEST(test_sides)
{
	const struct toolchains_style style = { .verbose = false, .width = 100000 };
	struct cell cell[4] = { 0 };
	struct fault_case found[4] = { 0 };
	enum fault_state state[2] = { FAULT_ABSENT, FAULT_ABSENT };
	struct toolchain_fault fault = { .program = "p",
					 .library = "",
					 .kind = "missing",
					 .function = "f",
					 .cases = found,
					 .state = state };
	struct toolchain toolchain[2] = { { .name = "gcc-8", .reasons = "" },
					  { .name = "gcc-9", .reasons = "" } };
	struct toolchain_pair pair = { .from = 0, .to = 1, .reason = sides[_i].reason };
	struct results results DEINIT(results_deinit);
	struct toolchains model = { .results = &results,
				    .toolchain = toolchain,
				    .count = 2,
				    .fault = &fault,
				    .fault_count = 1,
				    .pair = &pair,
				    .pair_count = 1 };
	FREED char *text = NULL;

	fixture_results(&results);
	toolchain_id_parse("gcc-8", &toolchain[0].id);
	toolchain_id_parse("gcc-9", &toolchain[1].id);
	for (size_t i = 0; i < 4 && sides[_i].found[i]; i++) {
		cell[i].binary = "p";
		cell[i].variant = (char *)sides[_i].found[i] + 1;
		found[i] = (struct fault_case) { .toolchain = (size_t)(*sides[_i].found[i] - 'a'),
						 .cell = &cell[i],
						 .finding = finding_record_read(NULL) };
		found[i].finding.count = i + 1;
		state[found[i].toolchain] = FAULT_PRESENT;
		fault.case_count++;
	}
	FIXTURE_CAPTURE(text, toolchains_print(&model, &style, capture));
	if (sides[_i].says)
		ck_assert_msg(strstr(text, sides[_i].says) != NULL, "%s: %.2000s", sides[_i].name,
			      text);
	else
		ck_assert_msg(!strstr(text, " points in O"), "%s: %.2000s", sides[_i].name, text);
}
END_TEST

SUITE(toolchains_text, LOOP(test_faults, cases), LOOP(test_sides, sides))
