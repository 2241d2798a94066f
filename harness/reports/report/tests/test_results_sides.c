/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_results_sides.c - what each of two runs side by side has judged
 *
 * A run is a list of names, each with how it ended: + passed, - failed, ? skipped, ! not judged. A name is
 * PROGRAM, or PROGRAM.TOOLCHAIN.VARIANT, perhaps with .LANGUAGE.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "array.h"
#include "base/gate/gate.h"
#include "reports/report/results.h"

#define RUNS(...) .runs = { __VA_ARGS__ }

static const struct sides_case {
	const char *rule;
	const char *runs[2];
	const char *said;
	bool both;
	uint64_t before, after;
} sides_cases[] = {
	{ "the same on both sides", RUNS("+one -two", "-one +two"), .said = "", .both = true },
	{ "one that the second lacks", RUNS("+one +two", "+one"), .said = "judged in A only: two\n",
	  .both = true, .before = 1 },
	{ "one that the first lacks", RUNS("+one", "+one -two"), .said = "judged in B only: two\n",
	  .both = true, .after = 1 },
	{ "one that is there, and not judged", RUNS("+one +two", "+one ?two"),
	  .said = "judged in A only: two\n", .both = true, .before = 1 },
	{ "nothing in common", RUNS("+one", "-two"),
	  .said = "judged in A only: one\njudged in B only: two\n", .both = true, .before = 1,
	  .after = 1 },
	{ "two compilers of the same programs and flags",
	  RUNS("+one.gcc-12.O2 -one.gcc-12.O0 +two.gcc-12.O2",
	       "+one.clang-14.O2 +one.clang-14.O0 -two.clang-14.O2"),
	  .said = "", .both = true },
	{ "flags and a program that one of two compilers lacks",
	  RUNS("+one.gcc-12.O2 +one.gcc-12.O0",
	       "+one.clang-14.O2 +two.clang-14.O2 !one.clang-14.O0"),
	  .said = "judged in A only: one.gcc-12.O0\njudged in B only: two.clang-14.O2\n",
	  .both = true, .before = 1, .after = 1 },
	{ "one that was not judged is not missed", RUNS("+one !two ?three", "+one !four"),
	  .said = "", .both = true },
	{ "the same build under another name",
	  RUNS("+one.gcc-12.O2 +two.gcc-12.O2", "+one.gcc-12.O2.c +two.gcc-12.O2"), .said = "",
	  .both = true },
	{ "program and flags are those of one binary",
	  RUNS("+one.gcc-12.O2 +two.gcc-12.O0", "+one.clang-14.O0 +two.clang-14.O2"),
	  .said = "judged in A only: one.gcc-12.O2\njudged in A only: two.gcc-12.O0\n"
		  "judged in B only: one.clang-14.O0\njudged in B only: two.clang-14.O2\n",
	  .both = true, .before = 2, .after = 2 },
	{ "of two compilers that one side lacks either is the counterpart",
	  RUNS("+one.gcc-12.O2 +two.gcc-12.O0", "+one.clang-14.O2 +two.clang-15.O0"), .said = "",
	  .both = true },
	{ "and one that both have is none, whatever it has failed",
	  RUNS("+one.clang-14.O2 +two.clang-14.O0",
	       "+one.clang-14.O2 !two.clang-14.O0 +two.clang-15.O0"),
	  .said = "judged in A only: two.clang-14.O0\njudged in B only: two.clang-15.O0\n",
	  .both = true, .before = 1, .after = 1 },
	{ "what both have is compared with itself",
	  RUNS("+one.gcc-12.O2 +two.gcc-12.O2 +one.clang-14.O2", "+one.gcc-12.O2 +one.clang-14.O2 "
								 "+two.clang-14.O2"),
	  .said = "judged in A only: two.gcc-12.O2\njudged in B only: two.clang-14.O2\n",
	  .both = true, .before = 1, .after = 1 },
	{ "another compiler is no counterpart of what both have",
	  RUNS("+one.gcc-12.O2 +one.gcc-12.O0", "+one.gcc-12.O2 +one.clang-14.O0"),
	  .said = "judged in A only: one.gcc-12.O0\njudged in B only: one.clang-14.O0\n",
	  .both = true, .before = 1, .after = 1 },
	{ "on two kernels it is told once", RUNS("+k +one +one -two", "-k +two +k +three -three"),
	  .said = "judged in A only: one\njudged in B only: three\n", .both = true, .before = 1,
	  .after = 1 },
	{ "another language is another program",
	  RUNS("+one.gcc-12.O2 +c.gcc-12.O2", "+one.clang-14.O2 +c.clang-14.O2.rust"),
	  .said = "judged in A only: c.gcc-12.O2\njudged in B only: c.clang-14.O2.rust\n",
	  .both = true, .before = 1, .after = 1 },
	{ "nothing of the second", RUNS("+one", "?one"), .said = "nothing of B was judged\n" },
	{ "nothing of the first", RUNS("!one", "+one"), .said = "nothing of A was judged\n" },
	{ "nothing at all", RUNS("", ""), .said = "nothing of A was judged\n" },
	{ "all, if there are just as many as are shown",
	  RUNS("+k +a +b +c +d +e +f +g +h +i +j +l +m +n +o +p +q +r +s +t +u", "+k"),
	  .said = "judged in A only: a\njudged in A only: b\njudged in A only: c\njudged in A "
		  "only: d\n"
		  "judged in A only: e\njudged in A only: f\njudged in A only: g\njudged in A "
		  "only: h\n"
		  "judged in A only: i\njudged in A only: j\njudged in A only: l\njudged in A "
		  "only: m\n"
		  "judged in A only: n\njudged in A only: o\njudged in A only: p\njudged in A "
		  "only: q\n"
		  "judged in A only: r\njudged in A only: s\njudged in A only: t\njudged in A "
		  "only: u\n",
	  .both = true, .before = 20 },
	{ "of many the first",
	  RUNS("+k +a +b +c +d +e +f +g +h +i +j +l +m +n +o +p +q +r +s +t +u +v", "+k"),
	  .said = "judged in A only: a\njudged in A only: b\njudged in A only: c\njudged in A "
		  "only: d\n"
		  "judged in A only: e\njudged in A only: f\njudged in A only: g\njudged in A "
		  "only: h\n"
		  "judged in A only: i\njudged in A only: j\njudged in A only: l\njudged in A "
		  "only: m\n"
		  "judged in A only: n\njudged in A only: o\njudged in A only: p\njudged in A "
		  "only: q\n"
		  "judged in A only: r\njudged in A only: s\njudged in A only: t\njudged in A "
		  "only: u\n"
		  "and 1 more\n",
	  .both = true, .before = 21 },
};

static enum cell_status status_of(char mark)
{
	return mark == '+'   ? CELL_PASSED
	       : mark == '-' ? CELL_FAILED
	       : mark == '?' ? CELL_SKIPPED
			     : CELL_ERROR;
}

static void fill(struct results *results, const char *run)
{
	FREED char *names = strdup(run);
	char *rest = names;

	results_init(results);
	for (char *name; (name = strsep(&rest, " ")) && *name;) {
		char program[64] = "", toolchain[64] = "cc-1", variant[64] = "O2",
		     language[64] = "c";

		sscanf(name + 1, "%63[^.].%63[^.].%63[^.].%63s", program, toolchain, variant,
		       language);
		ck_assert(ARRAY_GROW(results->cell, results->cell_count));
		cell_init(&results->cell[results->cell_count], name + 1, program, toolchain,
			  variant, language, "host");
		cell_set(&results->cell[results->cell_count++], status_of(name[0]), "%s", "");
	}
}

START_TEST(each_side_is_told)
{
	const struct sides_case *test = &sides_cases[_i];
	struct gate gate = { .unit = "binaries" };
	struct results results, other;
	FREED char *said = NULL;
	size_t size;
	FILE *file = open_memstream(&said, &size);

	fill(&results, test->runs[0]);
	fill(&other, test->runs[1]);
	results_join(&results, &other);
	ck_assert_msg(results_sides_tell(&results, &gate, file) == test->both, "%s", test->rule);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_msg(!strcmp(said, test->said), "%s: %s", test->rule, said);
	ck_assert_uint_eq(gate.left[GATE_ONLY_BEFORE], test->before);
	ck_assert_uint_eq(gate.left[GATE_ONLY_AFTER], test->after);
	results_deinit(&results);
	results_deinit(&other);
}
END_TEST

/* Flags that a newer run says otherwise. */
START_TEST(one_name_is_one_binary)
{
	struct gate gate = { .unit = "binaries" };
	struct results results, other;

	fill(&results, "+one");
	fill(&other, "+one");
	free(other.cell[0].variant);
	other.cell[0].variant = strdup("O0");
	results_join(&results, &other);
	ck_assert(results_sides_tell(&results, &gate, stdout));
	ck_assert_uint_eq(gate.left[GATE_ONLY_BEFORE] + gate.left[GATE_ONLY_AFTER], 0);
	results_deinit(&results);
	results_deinit(&other);
}
END_TEST

SUITE(results_sides, LOOP(each_side_is_told, sides_cases), TEST(one_name_is_one_binary))
