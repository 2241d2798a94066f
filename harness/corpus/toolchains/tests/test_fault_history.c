/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_fault_history.c - in which versions of its compilers a fault is, as a sentence
 *
 * Toolchains are names, in the order that the model has them in: by family, those with another
 * linker behind the others. What each has of the fault is a letter: X it is there, . it is not, -
 * not tried.
 */
#include <stdlib.h>
#include <string.h>
#include "base/finding/tests/finding_fixture.h"
#include "tests/suite.h"
#include "corpus/toolchains/toolchains.h"

#define TOOLCHAINS_MAX 6

#define TOOLCHAINS(...) .toolchain = { __VA_ARGS__ }

static const struct history_case {
	const char *name;
	const char *toolchain[TOOLCHAINS_MAX];
	const char *states, *history;
} cases[] = {
	{ "nothing_was_tried", TOOLCHAINS("gcc-9", "gcc-10"), "--", "" },
	{ "one_version", TOOLCHAINS("gcc-9"), "X", "gcc: in 9" },
	{ "one_of_two_was_tried", TOOLCHAINS("gcc-9", "gcc-10"), "X-", "gcc: in 9" },
	{ "all_that_were_tried", TOOLCHAINS("gcc-9", "gcc-10", "gcc-11"), "X-X",
	  "gcc: in all 2 versions" },
	{ "not_in_the_only_one", TOOLCHAINS("gcc-9", "gcc-10"), "-.", "gcc: not there" },
	{ "in_none", TOOLCHAINS("gcc-9", "gcc-10", "gcc-11"), "...", "gcc: in none of 3 versions" },
	{ "fixed", TOOLCHAINS("gcc-9", "gcc-10", "gcc-11"), "XX.", "gcc: in 9, fixed in 11" },
	{ "new", TOOLCHAINS("gcc-9", "gcc-10", "gcc-11"), "..X", "gcc: new in 11" },
	{ "new_and_still_there", TOOLCHAINS("gcc-9", "gcc-10", "gcc-11", "gcc-12"), ".XXX",
	  "gcc: new in 10, still in 12" },
	{ "last_was_not_tried", TOOLCHAINS("gcc-9", "gcc-10", "gcc-11", "gcc-12"), ".XX-",
	  "gcc: new in 10, still in 11" },
	{ "comes_and_goes", TOOLCHAINS("gcc-9", "gcc-10", "gcc-11", "gcc-12", "gcc-13"), "X.-X.",
	  "gcc: in 9, fixed in 10, new in 12, fixed in 13" },
	{ "families", TOOLCHAINS("clang-14", "clang-15", "gcc-9", "rustc-1.63"), "X.-X",
	  "clang: in 14, fixed in 15; rustc: in 1.63" },
	{ "name_without_a_version", TOOLCHAINS("gcc"), "X", "gcc: in gcc" },
	{ "a_linker_makes_no_difference", TOOLCHAINS("gcc-9", "gcc-10", "gcc-9+lld-14"), "X.X",
	  "gcc: in 9, fixed in 10" },
	{ "only_with_a_linker", TOOLCHAINS("gcc-9", "gcc-9+lld-14"), ".X",
	  "gcc: not there; in gcc-9+lld-14" },
	{ "only_with_these_linkers", TOOLCHAINS("gcc-9", "gcc-9+gold-1.16", "gcc-9+lld-14"), ".XX",
	  "gcc: not there; in gcc-9+gold-1.16, gcc-9+lld-14" },
	{ "not_with_a_linker", TOOLCHAINS("gcc-9", "gcc-9+lld-14"), "X.",
	  "gcc: in 9; not in gcc-9+lld-14" },
	{ "not_with_these_linkers", TOOLCHAINS("gcc-9", "gcc-9+gold-1.16", "gcc-9+lld-14"), "X..",
	  "gcc: in 9; not in gcc-9+gold-1.16, gcc-9+lld-14" },
	{ "with_one_linker_and_not_with_another",
	  TOOLCHAINS("clang-14", "gcc-9", "clang-14+lld-14", "gcc-9+lld-14"), ".XX.",
	  "clang: not there; gcc: in 9; in clang-14+lld-14; not in gcc-9+lld-14" },
	{ "of_this_version_and_not_of_another", TOOLCHAINS("gcc-9", "gcc-10", "gcc-10+lld-14"),
	  "X..", "gcc: in 9, fixed in 10" },
	{ "without_the_usual_linker_it_is_said_where_it_is",
	  TOOLCHAINS("gcc-9", "gcc-9+gold-1.16", "gcc-9+lld-14"), "-.X", "in gcc-9+lld-14" },
	{ "nor_is_there_a_compiler_with_the_usual_one",
	  TOOLCHAINS("gcc-9", "gcc-10+gold-1.16", "gcc-10+lld-14"), "XX.",
	  "gcc: in 9; in gcc-10+gold-1.16" },
	{ "a_linker_that_was_not_tried", TOOLCHAINS("gcc-9", "gcc-9+lld-14"), "X-", "gcc: in 9" },
};

START_TEST(test_history)
{
	const struct history_case *c = &cases[_i];
	struct toolchain toolchain[TOOLCHAINS_MAX] = { { .name = NULL } };
	enum fault_state state[TOOLCHAINS_MAX];
	struct toolchain_fault fault = { .state = state };
	struct toolchains model = { .toolchain = toolchain };
	char history[256], cut[256];

	for (; model.count < TOOLCHAINS_MAX && c->toolchain[model.count]; model.count++) {
		char letter = c->states[model.count];

		toolchain[model.count].name = (char *)c->toolchain[model.count];
		toolchain_id_parse(c->toolchain[model.count], &toolchain[model.count].id);
		state[model.count] = letter == 'X'   ? FAULT_PRESENT
				     : letter == '.' ? FAULT_ABSENT
						     : FAULT_UNTRIED;
	}
	fault_history_print(&model, &fault, history, sizeof(history));
	ck_assert_msg(!strcmp(history, c->history), "%s: %s", c->name, history);
	/* Where there is less room there is less of it. */
	for (size_t size = 1; size <= strlen(history) + 1; size++) {
		memset(cut, '#', sizeof(cut));
		fault_history_print(&model, &fault, cut, size);
		ck_assert_uint_eq(strlen(cut), size - 1);
		ck_assert(!strncmp(cut, history, size - 1) && cut[size] == '#');
	}
}
END_TEST

static const struct {
	const char *finding, *place;
} places[] = {
	{ "{\"place\":\"f+0x4 (p)\"}", "f+0x4" },
	{ "{\"place\":\"f+0x4\",\"section\":\"\",\"address\":\"0x10\"}", "f+0x4" },
	{ "{\"place\":\"f+0x4 (p)\",\"section\":\".plt\",\"address\":\"0x10\"}", "[.plt], 0x10" },
	{ "{}", "" },
};

START_TEST(test_places)
{
	for (int i = 0; i < COUNT(places); i++) {
		json_t *finding = json_loads(places[i].finding, 0, NULL);
		char text[64];

		fault_place_print(RECORD(finding), text, sizeof(text));
		ck_assert_str_eq(text, places[i].place);
		fault_place_print(RECORD(finding), text, 3);
		ck_assert(strlen(text) <= 2 && !strncmp(text, places[i].place, strlen(text)));
		json_decref(finding);
	}
}
END_TEST

SUITE(fault_history, LOOP(test_history, cases), TEST(test_places))
