/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_files.c - what is said of files without CFI, and of functions that have none in a file that has some
 *
 * A case is what is found, a word a finding, and what is said of it. "a.so:f" is function f of a.so, "l.a(m.o):f" of an
 * archive's member; "!" behind it: the baseline has it; "?": it is ignored; "x9" behind all: nine of them.
 */
#include <stdlib.h>
#include <string.h>
#include "base/finding/tests/finding_fixture.h"
#include "analysis/lint/lint_files.c"
#include "base/cli/json_counts.h"
#include "tests/suite.h"

static struct image_path path_of(char *name)
{
	const char *member = strchr(name, '(');

	return (struct image_path) { .path = name,
				     .archive_length = member ? (size_t)(member - name) : 0 };
}

/* The word's finding; *ret_name: its image's, cut out of the word. */
static json_t *finding_of(char *word, char **ret_name, unsigned int *ret_count)
{
	char *function = strchr(word, ':'), *end = function + strcspn(function, "!?x");
	const char *times = strchr(end, 'x');
	json_t *finding;

	*ret_count = times ? (unsigned int)atoi(times + 1) : 1;
	*function++ = '\0';
	finding = json_pack("{s:s, s:s, s:s, s:s, s:o}", "type", "lint_finding", "image", word,
			    "id", "SP006", "title", "T", "function",
			    json_stringn(function, (size_t)(end - function)));
	if (*end == '!')
		json_object_set_new(finding, "known", json_true());
	if (*end == '?')
		json_object_set_new(finding, "ignored", json_string("R"));
	*ret_name = word;
	return finding;
}

struct heard {
	struct lint_files files;
	char *text;
	size_t size;
	FILE *output;
};

static struct heard hear(void)
{
	return (struct heard) { { 0 }, NULL, 0, NULL };
}

static void said(struct heard *heard, const char *name, const char *wanted)
{
	fclose(heard->output);
	ck_assert_msg(!strcmp(heard->text, wanted), "%s:\n%s", name, heard->text);
	free(heard->text);
	lint_files_end(&heard->files, NULL);
}

static void begin(struct heard *heard)
{
	heard->output = open_memstream(&heard->text, &heard->size);
}

/* ---- files without CFI --------------------------------------------------------------------- */

#define VERBOSE                                                                                    \
	"functions of files without CFI: --verbose names each, and --baseline makes known what "   \
	"has none on purpose\n"

static const struct {
	const char *name, *found, *text, *json;
} cases[] = {
	{ "one", "a.so:f", "a.so: SP006 T\n",
	  "{\"type\":\"lint_no_cfi\",\"image\":\"a.so\",\"images\":1,\"findings\":1,"
	  "\"known_findings\":0}\n" },
	{ "three_are_shown", "a.so:f a.so:g a.so:h",
	  "a.so: SP006 T\na.so: SP006 T\na.so: SP006 T\n", NULL },
	{ "four_are_counted", "a.so:f a.so:g a.so:h a.so:i",
	  "a.so: no CFI: no FDE covers 4 functions: f, g, h, ... [SP006]\n" VERBOSE, NULL },
	{ "known_ones_are_not_told", "a.so:f! a.so:g a.so:h! a.so:i",
	  "a.so: SP006 T\na.so: SP006 T\n",
	  "{\"type\":\"lint_no_cfi\",\"image\":\"a.so\",\"images\":1,\"findings\":2,"
	  "\"known_findings\":2}\n" },
	{ "only_known_ones", "a.so:f!x9", "", NULL },
	{ "ignored_ones_are_counted", "a.so:f? a.so:g a.so:h?",
	  "a.so: no CFI: 2 functions that no FDE covers are ignored\na.so: SP006 T\n",
	  "{\"type\":\"lint_no_cfi\",\"image\":\"a.so\",\"images\":1,\"findings\":1,"
	  "\"known_findings\":0,\"ignored_findings\":2}\n" },
	{ "only_ignored_ones", "a.so:f?x5",
	  "a.so: no CFI: 5 functions that no FDE covers are ignored\n", NULL },
	{ "members_are_one_file", "l.a(m.o):f l.a(n.o):g l.a(n.o):h l.a(m.o):i",
	  "l.a: no CFI: no FDE covers 4 functions of 3 members: f, i, g, ... [SP006]\n" VERBOSE,
	  "{\"type\":\"lint_no_cfi\",\"image\":\"l.a\",\"images\":3,\"findings\":4,"
	  "\"known_findings\":0}\n" },
	{ "archives_are_told_apart", "b.a(m.o):fx4 a.a(m.o):g",
	  "a.a(m.o): SP006 T\nb.a: no CFI: no FDE covers 4 functions of 1 members: f, f, f, ... "
	  "[SP006]\n" VERBOSE,
	  "{\"type\":\"lint_no_cfi\",\"image\":\"a.a\",\"images\":1,\"findings\":1,"
	  "\"known_findings\":0}\n"
	  "{\"type\":\"lint_no_cfi\",\"image\":\"b.a\",\"images\":1,\"findings\":4,"
	  "\"known_findings\":0}\n" },
};

static void add_all(struct lint_files *files, const char *found)
{
	char *words = strdup(found), *rest = words, *word, *name;
	unsigned int count;

	while ((word = strsep(&rest, " "))) {
		json_t *finding = finding_of(word, &name, &count);
		struct image_path path = path_of(name);

		while (count--)
			lint_files_add(files, &path, RECORD(finding));
		json_decref(finding);
	}
	free(words);
}

START_TEST(a_file_has_a_line)
{
	struct heard heard = hear();

	add_all(&heard.files, cases[_i].found);
	begin(&heard);
	lint_files_tell_all(&heard.files, heard.output, false);
	said(&heard, cases[_i].name, cases[_i].text);
	if (!cases[_i].json)
		return;
	heard = hear();
	add_all(&heard.files, cases[_i].found);
	begin(&heard);
	lint_files_json(&heard.files, heard.output);
	said(&heard, cases[_i].name, cases[_i].json);
}
END_TEST

/* A file's line comes when it was read, an archive's at the end. What was said is not said again. */
START_TEST(a_file_is_told_once_and_an_archive_at_the_end)
{
	struct heard heard = hear();
	struct image_path file = path_of((char[]) { "a.so" });
	struct image_path member = path_of((char[]) { "l.a(m.o)" });
	struct image_path other = path_of((char[]) { "b.so" });

	add_all(&heard.files, "a.so:fx4 l.a(m.o):gx4 b.so:h");
	begin(&heard);
	ck_assert(lint_files_tell(&heard.files, &file, heard.output, false));
	ck_assert(!lint_files_tell(&heard.files, &file, heard.output, false));
	ck_assert(!lint_files_tell(&heard.files, &member, heard.output, false));
	ck_assert(!lint_files_tell(&heard.files, &other, heard.output, false));
	fputs("--\n", heard.output);
	lint_files_tell_all(&heard.files, heard.output, false);
	said(&heard, "in turn",
	     "a.so: no CFI: no FDE covers 4 functions: f, f, f, ... [SP006]\n"
	     "b.so: SP006 T\n--\n"
	     "l.a: no CFI: no FDE covers 4 functions of 1 members: g, g, g, ... [SP006]\n" VERBOSE);
}
END_TEST

/* ---- functions without CFI of a file that has some ------------------------------------------ */

/* So many of an image, each word a count, and what is said of all. */
static const struct {
	const char *name;
	unsigned int found[3];
	const char *kind; /* of the finding's word */
	unsigned int shown;
	const char *text;
} more[] = {
	{ "twenty_are_shown", { 20 }, "i:f", 20, "" },
	{ "one_more",
	  { 21 },
	  "i:f",
	  20,
	  "i: no FDE covers 1 functions more: --verbose names each [SP006]\n" },
	{ "each_image_begins_anew", { 15, 15, 15 }, "i:f", 45, "" },
	{ "behind_many_too",
	  { 25, 15, 22 },
	  "i:f",
	  55,
	  "i: no FDE covers 5 functions more: --verbose names each [SP006]\n"
	  "i: no FDE covers 2 functions more: --verbose names each [SP006]\n" },
	{ "known_ones_take_no_room", { 30 }, "i:f!", 30, "" },
	{ "nor_do_ignored_ones", { 30 }, "i:f?", 30, "" },
};

START_TEST(many_functions_are_counted)
{
	struct heard heard = hear();
	char word[16], *name;
	unsigned int count, shown = 0;
	json_t *finding;

	begin(&heard);
	strcpy(word, more[_i].kind);
	finding = finding_of(word, &name, &count);
	for (size_t i = 0; i < 3; i++) {
		for (unsigned int j = 0; j < more[_i].found[i]; j++)
			shown += !lint_files_is_more(&heard.files, RECORD(finding));
		lint_files_tell_more(&heard.files, finding, heard.output, false);
	}
	ck_assert_uint_eq(shown, more[_i].shown);
	json_decref(finding);
	said(&heard, more[_i].name, more[_i].text);
}
END_TEST

/* Of other kinds each is shown; for programs nothing is left out, and nothing said. */
START_TEST(others_are_not_counted)
{
	struct heard heard = hear();
	json_t *finding = json_pack("{s:s, s:s}", "id", "SP001", "image", "i");

	begin(&heard);
	for (int i = 0; i < 50; i++)
		ck_assert(!lint_files_is_more(&heard.files, RECORD(finding)));
	json_object_set_new(finding, "id", json_string("SP006"));
	for (int i = 0; i < 50; i++)
		ck_assert(lint_files_is_more(&heard.files, RECORD(finding)) ==
			  (i >= LINT_FILES_SHOWN));
	lint_files_tell_more(&heard.files, finding, NULL, false);
	lint_files_tell_more(&heard.files, finding, heard.output, false);
	json_decref(finding);
	said(&heard, "others", "");
}
END_TEST

/* ---- as they are ready ------------------------------------------------------------------------ */

static void add(struct lint_files *files, const char *image, size_t archive, const char *function,
		bool known)
{
	char name[64];
	const struct image_path at = { .path = strcpy(name, image), .archive_length = archive };
	json_t *finding = json_pack("{s:s, s:s, s:s, s:s, s:b}", "image", image, "id", "SP006",
				    "title", "t", "actual", "a", "known", known);

	json_object_set_new(finding, "function", json_string(function));
	lint_files_add(files, &at, RECORD(finding));
	json_decref(finding);
}

static bool told(struct lint_files *files, const char *image, size_t archive, FILE *file)
{
	char name[64];
	const struct image_path at = { .path = strcpy(name, image), .archive_length = archive };

	return lint_files_tell(files, &at, file, false);
}

#define FULL(image) image ": SP006 t\n    actual      a\n"

#define RED "[\033[1;31mSP006\033[0m]\n"

/* Members come as they are ready; a file's line as soon as it is whole. */
START_TEST(a_file_has_one_line)
{
	struct lint_files files = { NULL };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	add(&files, "b.a(n)", 3, "n1", false);
	add(&files, "a.a(m)", 3, "m1", false);
	add(&files, "b.a(m)", 3, "m1", false);
	add(&files, "b.a(m)", 3, "m2", false);
	add(&files, "x", 0, "x1", false);
	add(&files, "x", 0, "x2", false);
	add(&files, "x", 0, "x3", false);
	ck_assert(!told(&files, "x", 0, file));
	ck_assert(!told(&files, "none", 0, file));
	for (int i = 0; i < 4; i++)
		add(&files, "y\n", 0, "y1\n", false);
	ck_assert(told(&files, "y\n", 0, file));
	ck_assert(!told(&files, "y\n", 0, file));
	add(&files, "b.a(k)", 3, "k1", true);
	add(&files, "b.a(l)", 3, "l1", false);
	ck_assert(!told(&files, "b.a(l)", 3, file));
	lint_files_json(&files, file);
	lint_files_tell_all(&files, file, false);
	fclose(file);
	ck_assert_str_eq(
		text,
		FULL("x") FULL("x") FULL(
			"x") "y?: no CFI: no FDE covers 4 functions: y1?, y1?, y1?, ... [SP006]\n"
			     "{\"type\":\"lint_no_cfi\",\"image\":\"a.a\",\"images\":1,"
			     "\"findings\":1,"
			     "\"known_findings\":0}\n"
			     "{\"type\":\"lint_no_cfi\",\"image\":\"b.a\",\"images\":4,"
			     "\"findings\":4,"
			     "\"known_findings\":1}\n" FULL(
				     "a.a(m)") "b.a: no CFI: no FDE covers 4 functions of 4 "
					       "members: l1, m1, m2, ... "
					       "[SP006]\n" VERBOSE);
	free(text);
	lint_files_end(&files, NULL);
}
END_TEST

/* One with CFI has the first of its functions without shown: those of one image after the other. */
START_TEST(of_many_the_first_are_shown)
{
	struct lint_files files = { NULL };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	json_t *image = json_pack("{s:s}", "image", "x");
	json_t *uncovered = json_pack("{s:s}", "id", "SP006");
	json_t *known = json_pack("{s:s, s:b}", "id", "SP006", "known", 1);
	json_t *other = json_pack("{s:s}", "id", "SP001");

	for (int i = 0; i < 2 * LINT_FILES_SHOWN; i++) {
		ck_assert(!lint_files_is_more(&files, RECORD(other)));
		ck_assert(!lint_files_is_more(&files, RECORD(known)));
	}
	lint_files_tell_more(&files, image, file, false);
	for (int i = 0; i < LINT_FILES_SHOWN; i++)
		ck_assert(!lint_files_is_more(&files, RECORD(uncovered)));
	lint_files_tell_more(&files, image, file, false);
	for (int i = 0; i < LINT_FILES_SHOWN + 2; i++)
		ck_assert_int_eq(lint_files_is_more(&files, RECORD(uncovered)),
				 i >= LINT_FILES_SHOWN);
	lint_files_tell_more(&files, image, file, false);
	for (int i = 0; i < LINT_FILES_SHOWN + 2; i++)
		lint_files_is_more(&files, RECORD(uncovered));
	lint_files_tell_more(&files, image, NULL, false);
	lint_files_tell_more(&files, image, file, false);
	fclose(file);
	ck_assert_str_eq(text, "x: no FDE covers 2 functions more: --verbose names each [SP006]\n");
	free(text);
	json_decref(image);
	json_decref(uncovered);
	json_decref(known);
	json_decref(other);
}
END_TEST

START_TEST(a_terminal_has_colours)
{
	struct lint_files files = { NULL };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	json_t *image = json_pack("{s:s}", "image", "x");

	for (int i = 0; i < 4; i++)
		add(&files, "y", 0, "g", false);
	for (int i = 0; i < 4; i++)
		add(&files, "a(m)", 1, "g", false);
	files.uncovered = LINT_FILES_SHOWN + 1;
	lint_files_tell_more(&files, image, file, true);
	ck_assert_uint_eq(files.uncovered, 0);
	lint_files_tell_all(&files, file, true);
	fclose(file);
	ck_assert_str_eq(text,
			 "x: no FDE covers 1 functions more: --verbose names each " RED
			 "a: no CFI: no FDE covers 4 functions of 1 members: g, g, g, ... " RED
			 "y: no CFI: no FDE covers 4 functions: g, g, g, ... " RED VERBOSE);
	free(text);
	json_decref(image);
	lint_files_end(&files, NULL);
}
END_TEST

START_TEST(no_file_has_none)
{
	struct lint_files files = { NULL };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	lint_files_json(&files, file);
	lint_files_tell_all(&files, file, true);
	ck_assert(!told(&files, "x", 0, file));
	fclose(file);
	ck_assert_str_eq(text, "");
	free(text);
	lint_files_end(&files, NULL);
}
END_TEST

SUITE(lint_files, LOOP(a_file_has_a_line, cases),
      TEST(a_file_is_told_once_and_an_archive_at_the_end), LOOP(many_functions_are_counted, more),
      TEST(others_are_not_counted), GROUP(files), TEST(a_file_has_one_line),
      TEST(of_many_the_first_are_shown), TEST(a_terminal_has_colours), TEST(no_file_has_none))
