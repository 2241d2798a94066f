/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_left.c - goldens whose binary has left the corpus
 *
 * A corpus of one binary with its golden, and another golden beside it, as a table: what the
 * manifest has besides, where the other golden is, and whether it must be missed.
 */
#include "tests/suite.h"
#include "golden_fixture.h"

#define VERDICTS_TEXT "stackproof verdicts 1\nself.O2-nofp\n"

struct left_case {
	const char *name;
	const char *manifest; /* further lines */
	const char *table;    /* another golden's path, or NULL */
	const char *verdicts; /* further lines of the snapshot, or NULL: there is none */
	const char *missed;   /* what is said of it, or NULL: nothing */
};

#define HEADER	    "stackproof table text 1\n"
#define TABLE(NAME) "golden/tables/" TOOLCHAIN "/" NAME ".txt"

static const struct left_case left_cases[] = {
	{ "nothing_left", "", NULL, "", NULL },
	{ "no_snapshot_of_findings", "", NULL, NULL, NULL },
	{ "a_program_that_is_gone", "", TABLE("gone.O2-nofp"), NULL,
	  "failed " TOOLCHAIN "/gone.O2-nofp: no_binary: " TABLE("gone.O2-nofp") },
	{ "a_variant_that_is_gone", "", TABLE("self.O0-fp"), NULL, "/self.O0-fp: no_binary" },
	{ "a_library_that_is_gone", "", TABLE("self.O2-nofp.ac.so"), NULL,
	  "/self.O2-nofp.ac.so: no_binary" },
	{ "a_line_of_a_snapshot", "", NULL, "gone.O2-nofp\n  table_fault wrong f+0x1\n",
	  "failed verdicts " TOOLCHAIN "/gone.O2-nofp: no_binary: " VERDICTS },
	{ "no_golden_at_all", "", TABLE("README"), NULL, "/README: no_binary" },
	{ "another_toolchain_s_is_not_missed", "", "golden/tables/cc-2.0/gone.O2-nofp.txt", NULL,
	  NULL },
	{ "an_absent_compiler_s_is_not_missed",
	  "skip:no_compiler\tplus\tcc-1\tO2-nofp\tcxx\t-\t-\n", TABLE("plus.O2-nofp"),
	  "plus.O2-nofp\n", NULL },
	{ "nor_are_its_libraries", "skip:no_compiler\tplus\tcc-1\tO2-nofp\tcxx\t-\t-\n",
	  TABLE("plus.O2-nofp.ac.so"), NULL, NULL },
	{ "of_another_variant_it_is", "skip:no_compiler\tplus\tcc-1\tO2-nofp\tcxx\t-\t-\n",
	  TABLE("plus.O2-nofp-static"), NULL, "/plus.O2-nofp-static: no_binary" },
	{ "what_is_never_built_is_missed",
	  "skip:newer_library\tplus\t" TOOLCHAIN "\tO2-nofp\tcxx\t-\t-\n", TABLE("plus.O2-nofp"),
	  NULL, "/plus.O2-nofp: no_binary" },
	{ "a_snapshot_that_is_none", "", NULL, "no name\n",
	  "failed verdicts " TOOLCHAIN ": unreadable_golden" },
};

START_TEST(test_left)
{
	const struct left_case *c = &left_cases[_i];
	char text[1024];

	bless();
	snprintf(text, sizeof(text), "%s%s", MANIFEST("-"), c->manifest);
	write_text("corpus/manifest.tsv", text);
	if (c->table)
		write_text(c->table, HEADER);
	snprintf(text, sizeof(text), "%s%s", VERDICTS_TEXT, c->verdicts ? c->verdicts : "");
	if (c->verdicts)
		write_text(VERDICTS, text);
	ck_assert_int_eq(golden("check"), EXIT_OK);
	ck_assert_msg(golden("check", "--complete") == (c->missed ? EXIT_FINDINGS : EXIT_OK), "%s",
		      c->name);
	said(c->missed ? c->missed : "1 passed, 0 failed");
	if (c->missed)
		said("1 passed, 1 failed");
}
END_TEST

/* Its file is not there, so which libraries it has is not known: it is missed once. */
START_TEST(test_a_missing_binary_s_libraries)
{
	bless();
	write_text("corpus/manifest.tsv",
		   MANIFEST("-") "plus.cc-1.O2\tplus\t" TOOLCHAIN "\tO2\tcxx\t-\t-\n");
	write_text(TABLE("plus.O2"), HEADER);
	write_text(TABLE("plus.O2.ac.so"), HEADER);
	ck_assert_int_eq(golden("check", "--complete"), EXIT_FINDINGS);
	said("failed " TOOLCHAIN "/plus.O2: missing");
	said("1 passed, 1 failed");
}
END_TEST

START_TEST(test_only_a_whole_corpus_can_miss_one)
{
	bless();
	ck_assert_int_eq(golden("check", "--complete", "self"), EXIT_USAGE);
	ck_assert_int_eq(golden("check", "--complete", "--hermetic"), EXIT_USAGE);
	ck_assert_int_eq(golden("update", "--complete", "--all=why"), EXIT_USAGE);
}
END_TEST

START_TEST(test_as_json)
{
	bless();
	write_text(TABLE("gone.O2-nofp"), HEADER);
	ck_assert_int_eq(golden("check", "--complete", "--json"), EXIT_FINDINGS);
	said("\"kind\":\"table\",\"name\":\"" TOOLCHAIN "/gone.O2-nofp\"");
	said("\"reason\":\"no_binary\"");
}
END_TEST

SUITE(golden_left, FIXTURE(set_up, folder_remove), LOOP(test_left, left_cases),
      TEST(test_a_missing_binary_s_libraries), TEST(test_only_a_whole_corpus_can_miss_one),
      TEST(test_as_json))
