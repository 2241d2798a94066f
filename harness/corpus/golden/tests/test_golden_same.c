/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_same.c - tables with one text share one file
 *
 * A case writes and removes goldens, each by a golden_run of its own, as a command does. A word of
 * it is TABLE=N (its text becomes the Nth) or TABLE- (removed). What must be there then: TABLE=N a
 * file with that text, TABLE>OTHER a line of the index. Read back, every table has the text it was
 * given last.
 */
#include "tests/suite.h"
#include "golden_fixture.h"

#define TEXT "stackproof table text 1\nf%c 0x10\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x1 end\n"

struct same_case {
	const char *name;
	const char *words;
	const char *there; /* sorted; without index and files: "" */
};

static const struct same_case same_cases[] = {
	{ "alone", "c/a=1", "c/a=1" },
	{ "two_texts", "c/a=1 c/b=2", "c/a=1 c/b=2" },
	{ "second_joins_first", "c/a=1 c/b=1", "c/a=1 c/b>c/a" },
	{ "first_by_name_has_the_file", "c/b=1 c/a=1", "c/a=1 c/b>c/a" },
	{ "third_takes_the_file_of_two", "c/b=1 c/c=1 c/a=1", "c/a=1 c/b>c/a c/c>c/a" },
	{ "of_two_toolchains", "d/a=1 c/a=1", "c/a=1 d/a>c/a" },
	{ "one_leaves", "c/a=1 c/b=1 c/b=2", "c/a=1 c/b=2" },
	{ "the_first_leaves", "c/a=1 c/b=1 c/c=1 c/a=2", "c/a=2 c/b=1 c/c>c/b" },
	{ "all_change_alike", "c/a=1 c/b=1 c/c=1 c/a=2 c/b=2 c/c=2", "c/a=2 c/b>c/a c/c>c/a" },
	{ "all_change_alike_backwards", "c/a=1 c/b=1 c/c=1 c/c=2 c/b=2 c/a=2",
	  "c/a=2 c/b>c/a c/c>c/a" },
	{ "one_goes_over_to_others", "c/a=1 c/b=1 c/c=2 c/b=2", "c/a=1 c/b=2 c/c>c/b" },
	{ "the_same_again", "c/a=1 c/b=1 c/b=1 c/a=1", "c/a=1 c/b>c/a" },
	{ "removed", "c/a=1 c/a-", "" },
	{ "removed_from_the_index", "c/a=1 c/b=1 c/b-", "c/a=1" },
	{ "removed_who_had_the_file", "c/a=1 c/b=1 c/c=1 c/a-", "c/b=1 c/c>c/b" },
	{ "a_text_comes_back", "c/a=1 c/a=2 c/b=1", "c/a=2 c/b=1" },
};

static void text_of(char number, char ret[256])
{
	snprintf(ret, 256, TEXT, number);
}

static void do_word(const char *word)
{
	const struct golden_options options = { .golden = "golden" };
	struct golden_run run = { .options = &options };
	struct error error = { 0 };
	char name[64], text[256];

	snprintf(name, sizeof(name), "%.3s", word);
	text_of(word[4], text);
	if (word[3] == '-')
		ck_assert_int_eq(golden_table_remove(&run, name, &error), 1);
	else
		ck_assert_msg(!golden_table_write(&run, name, text, strlen(text), &error), "%s",
			      error.message);
	ck_assert_msg(!golden_same_write(&run, &error), "%s", error.message);
	json_decref(run.same);
	json_decref(run.texts);
}

/* Every table that was named: what it reads as. */
static void check_texts(const char *words)
{
	const struct golden_options options = { .golden = "golden" };
	struct golden_run run = { .options = &options };
	char last[128][2] = { { 0 } };
	struct golden_table table;
	struct error error;
	char text[256], name[4] = "c/a";

	for (const char *at = words; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
		last[(int)at[2]][at[0] == 'd'] = at[3] == '-' ? '-' : at[4];
	for (int file = 'a'; file <= 'c'; file++)
		for (int toolchain = 0; toolchain < 2; toolchain++) {
			char number = last[file][toolchain];
			int found;

			name[0] = toolchain ? 'd' : 'c';
			name[2] = (char)file;
			found = golden_table_read(&run, name, &table, &error);
			ck_assert_int_eq(found, number && number != '-');
			if (!found)
				continue;
			text_of(number, text);
			ck_assert_str_eq(table.data, text);
			golden_table_deinit(&table);
		}
	json_decref(run.same);
}

START_TEST(test_shared)
{
	const struct same_case *c = &same_cases[_i];
	FREED char *words = strdup(c->words);
	char *there = strdup(c->there), *state, text[256];
	char index[1024] = "", path[64];

	for (char *word = strtok_r(words, " ", &state); word; word = strtok_r(NULL, " ", &state))
		do_word(word);
	for (char toolchain = 'c'; toolchain <= 'd'; toolchain++)
		for (char file = 'a'; file <= 'c'; file++) {
			snprintf(path, sizeof(path), "golden/tables/%c/%c.txt", toolchain, file);
			snprintf(text, sizeof(text), "%c/%c=", toolchain, file);
			ck_assert_msg(is_there(path) == (strstr(c->there, text) != NULL), "%s: %s",
				      c->name, path);
		}
	for (char *word = strtok_r(there, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		if (word[3] == '>') {
			snprintf(index + strlen(index), 64, "%.3s\t%s\n", word, word + 4);
			continue;
		}
		snprintf(path, sizeof(path), "golden/tables/%.3s.txt", word);
		text_of(word[4], text);
		ck_assert_msg(!strcmp(read_text(path), text), "%s: %s", c->name, path);
	}
	if (is_there("golden/tables/same.tsv"))
		ck_assert_str_eq(strchr(read_text("golden/tables/same.tsv"), '\n') + 1, index);
	else
		ck_assert_str_eq(index, "");
	check_texts(c->words);
	free(there);
}
END_TEST

/* ---- the command ------------------------------------------------------------------------- */

#define SELF  TOOLCHAIN "/self.O2-nofp"
#define FIRST TOOLCHAIN "/first.O2-nofp"
#define INDEX "golden/tables/same.tsv"

static const struct broken_case {
	const char *name;
	const char *index;
	const char *other; /* FIRST has this text; NULL: it has no file */
	bool own;	   /* SELF has a file */
	const char *said;  /* NULL: it passes */
} broken_cases[] = {
	{ "another_s_file", SELF "\t" FIRST "\n", "", false, NULL },
	{ "without_an_end", SELF "\t" FIRST, "", false, NULL },
	{ "comments_and_empty_lines", "# x\n\n" SELF "\t" FIRST "\n", "", false, NULL },
	{ "no_such_file", SELF "\t" FIRST "\n", NULL, false,
	  "unreadable_golden: same.tsv says that it is that of " FIRST ", which is not there" },
	{ "a_file_too", SELF "\t" FIRST "\n", "", true,
	  "unreadable_golden: golden/tables/" SELF ".txt is there" },
	{ "a_file_and_no_line", "", "", true, "failed " SELF ": copy: " FIRST },
	{ "no_tab", SELF "\n", "", false, "same.tsv: line 1 is not NAME<TAB>OTHER" },
	{ "no_name", "# x\nself\t" FIRST "\n", "", false, "line 2 is not NAME<TAB>OTHER" },
	{ "another_folder", SELF "\t../first.O2-nofp\n", "", false, "is not NAME<TAB>OTHER" },
	{ "twice", SELF "\t" FIRST "\n" SELF "\t" FIRST "\n", "", false, "line 2: " SELF " again" },
	{ "of_one_that_has_none", SELF "\t" FIRST "\n" FIRST "\t" SELF "\n", "", false,
	  "which has no file of its own" },
};

START_TEST(test_index_is_distrusted)
{
	const struct broken_case *c = &broken_cases[_i];
	FREED char *text = NULL;

	bless();
	text = strdup(read_text(GOLDEN));
	if (!c->own)
		unlink(GOLDEN);
	if (c->other)
		write_text("golden/tables/" FIRST ".txt", text);
	write_text(INDEX, c->index);
	ck_assert_msg(golden("check") == (c->said ? EXIT_FINDINGS : EXIT_OK), "%s", c->name);
	said(c->said ? c->said : "1 passed, 0 failed");
}
END_TEST

START_TEST(test_remove)
{
	bless();
	ck_assert_int_eq(golden("remove"), EXIT_USAGE);
	ck_assert_int_eq(golden("remove", "self.O2-nofp"), EXIT_FINDINGS);
	said("self.O2-nofp: no_golden");
	ck_assert_int_eq(golden("remove", "../tables/" SELF), EXIT_FINDINGS);
	ck_assert(is_there(GOLDEN));
	ck_assert_int_eq(golden("remove", SELF), EXIT_OK);
	said("removed");
	ck_assert(!is_there(GOLDEN));
}
END_TEST

SUITE(golden_same, FIXTURE(set_up, folder_remove), LOOP(test_shared, same_cases),
      LOOP(test_index_is_distrusted, broken_cases), TEST(test_remove))
