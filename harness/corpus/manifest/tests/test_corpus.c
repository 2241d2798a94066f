/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_corpus.c - the corpus's manifest, and what a line of it expects, word by word
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "corpus/manifest/corpus.h"
#include "reports/report/tests/results_fixture.h"

#define LONGEST                                                                                    \
	"1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678" \
	"901234567890123456789012345678901234567"

/* ---- words -------------------------------------------------------------------------------- */

static const struct {
	const char *expected;
	bool valid;
} words[] = {
	{ "exact", true },
	{ "startup", true },
	{ "prefix", true },
	{ "absent", true },
	{ "unproven", true },
	{ "lazy", true },
	{ "flagged:no_row", true },
	{ "table_fault:f*", true },
	{ "table_fault?:f", true },
	{ "missing:libc.so*", true },
	{ "diagnostic:cie_version", true },
	{ "  startup   prefix ", true },
	{ "startup flagged:a flagged:b", true },
	{ "flagged:" LONGEST, true },
	{ "flagged:" LONGEST "8", false },
	{ "", false },
	{ "   ", false },
	{ "exact startup", false },
	{ "startup exact", false },
	{ "exact exact", false },
	{ "exactly", false },
	{ "exac", false },
	{ "exact:a", false },
	{ "flagged", false },
	{ "flagged:", false },
	{ "table_fault?", false },
	{ "lazy:x", false },
	{ "startup nothing", false },
};

START_TEST(words_are_known_or_not)
{
	ck_assert_msg(expectation_valid(words[_i].expected) == words[_i].valid, "%s",
		      words[_i].expected);
}
END_TEST

START_TEST(words_are_asked_for)
{
	static const char expected[] = "startup flagged:no_row table_fault:f? table_fault?:g* "
				       "missing:libc.so* diagnostic:cie_v*";

	ck_assert(expectation_has_flag(expected) && !expectation_has_flag("exact"));
	ck_assert(!expectation_has_flag(NULL) && !expectation_has_flag("startup"));
	ck_assert(!expectation_has_prefix(expected) && expectation_has_prefix("startup prefix"));
	ck_assert(!expectation_has_unproven(expected) && expectation_has_unproven("unproven"));
	ck_assert(!expectation_is_lazy(expected) && expectation_is_lazy("lazy prefix"));
	ck_assert(expectation_has_diagnostic(expected, "cie_version"));
	ck_assert(!expectation_has_diagnostic(expected, "cie_pointer"));
	ck_assert(!expectation_has_diagnostic(NULL, "cie_version"));
	ck_assert(expectation_has_fault(expected, "f1", false));
	ck_assert(expectation_has_fault(expected, "g", false));
	ck_assert(!expectation_has_fault(expected, "f12", false));
	ck_assert(expectation_has_fault(expected, "h", true));
	ck_assert(!expectation_has_fault("table_fault:h", "h", true));
	ck_assert(expectation_has_missing(expected, "libc.so.6"));
	ck_assert(!expectation_has_missing(expected, "libm.so.6"));
}
END_TEST

/* ---- findings ------------------------------------------------------------------------------ */

#define FINDING(verdict, kind, function, image, rest)                                              \
	"{\"type\":\"finding\",\"verdict\":\"" verdict "\",\"kind\":\"" kind                       \
	"\",\"function\":\"" function "\",\"image\":\"" image                                      \
	"\",\"declared\":\"cfa=rsp+8\",\"count\":3" rest "}"
#define WRONG(function)		       FINDING("table_fault", "wrong", function, "/x/prog", "")
#define MISSING(function, image, rest) FINDING("table_fault", "missing", function, image, rest)

#define OBJECTS(...) .objects = { __VA_ARGS__ }

/* points: those of table faults that are expected by another word than startup. */
static const struct finding_case {
	const char *name;
	const char *expected; /* NULL: nothing is said */
	const char *objects[4];
	const char *problem; /* NULL: it is as expected */
	uint64_t points;
} findings[] = {
	{ "nothing_is_said", NULL, OBJECTS(WRONG("f")) },
	{ "exact_and_nothing_found", "exact", .points = 0 },
	{ "exact_and_a_fault", "exact", OBJECTS(WRONG("f")),
	  .problem = "table_fault (wrong) in f was not expected: cfa=rsp+8" },
	{ "what_is_ignored_is_no_fault", "exact",
	  OBJECTS(FINDING("table_fault", "wrong", "f", "/x/prog", ",\"ignored\":true")),
	  .points = 3 },
	{ "ignored_where_nothing_is_said", NULL,
	  OBJECTS(FINDING("table_fault", "wrong", "f", "/x/prog", ",\"ignored\":true")),
	  .points = 3 },
	{ "another_type_of_object", "exact", OBJECTS("{\"type\":\"score\",\"count\":5}") },
	{ "a_fault_that_is_named", "table_fault:f?", OBJECTS(WRONG("f1"), WRONG("f2")),
	  .points = 6 },
	{ "a_fault_of_another_function", "table_fault:f", OBJECTS(WRONG("f"), WRONG("g")),
	  .problem = "table_fault (wrong) in g was not expected: cfa=rsp+8", .points = 3 },
	{ "a_fault_that_did_not_appear", "table_fault:f",
	  .problem = "table_fault:f was expected and did not appear" },
	{ "one_of_two_did_not_appear", "table_fault:f table_fault:g", OBJECTS(WRONG("f")),
	  .problem = "table_fault:g was expected and did not appear", .points = 3 },
	{ "a_fault_that_may_be", "table_fault?:f", .points = 0 },
	{ "a_fault_that_may_be_and_is", "table_fault?:f", OBJECTS(WRONG("f")), .points = 3 },
	{ "another_verdict_in_that_function", "table_fault?:f",
	  OBJECTS(FINDING("walk_fault", "wrong", "f", "/x/prog", "")),
	  .problem = "walk_fault (wrong) in f was not expected: cfa=rsp+8" },
	{ "malformed_is_no_wrong_row", "table_fault?:f",
	  OBJECTS(FINDING("table_fault", "malformed", "f", "/x/prog", ",\"stop\":\"malformed\"")),
	  .problem = "table_fault (malformed) in f was not expected: cfa=rsp+8" },
	{ "malformed_is_flagged", "flagged:malformed",
	  OBJECTS(FINDING("table_fault", "malformed", "f", "/x/prog", ",\"stop\":\"malformed\"")),
	  .points = 3 },
	{ "a_loss_that_is_flagged", "flagged:no_row",
	  OBJECTS(FINDING("conversion_loss", "flagged", "f", "/x/prog", ",\"stop\":\"no_row\"")) },
	{ "a_loss_for_another_reason", "flagged:no_row",
	  OBJECTS(FINDING("conversion_loss", "flagged", "f", "/x/prog", ",\"stop\":\"depth\"")),
	  .problem = "conversion_loss (flagged) in f was not expected: cfa=rsp+8" },
	{ "a_silent_loss", "flagged:no_row",
	  OBJECTS(FINDING("conversion_loss", "silent", "f", "/x/prog", ",\"stop\":\"no_row\"")),
	  .problem = "conversion_loss (silent) in f was not expected: cfa=rsp+8" },
	{ "a_walk_s_flag", "flagged:no_row",
	  OBJECTS(FINDING("walk_fault", "flagged", "f", "/x/prog", ",\"stop\":\"no_row\"")),
	  .problem = "walk_fault (flagged) in f was not expected: cfa=rsp+8" },
	{ "a_flag_that_did_not_appear", "flagged:no_row",
	  .problem = "flagged:no_row was expected and did not appear" },
	{ "start_files", "startup",
	  OBJECTS(MISSING("_init", "/x/prog", ",\"start_file\":\"crti.o\""),
		  MISSING("frame_dummy", "/x/prog", ",\"start_file\":\"crtbegin.o\""),
		  MISSING("gap@0x1000", "/lib/libc.so.6", ""),
		  MISSING("clone3", "/lib/libc.so.6", ",\"named_by_debug\":true")) },
	{ "another_start_file", "startup",
	  OBJECTS(MISSING("_start", "/x/prog", ",\"start_file\":\"crt1.o\"")),
	  .problem = "table_fault (missing) in _start was not expected: cfa=rsp+8" },
	{ "a_gap_of_the_program", "startup", OBJECTS(MISSING("gap@0x1000", "/x/prog", "")),
	  .problem = "table_fault (missing) in gap@0x1000 was not expected: cfa=rsp+8" },
	{ "a_function_of_a_library", "startup",
	  OBJECTS(MISSING("agap@0x1000", "/lib/libc.so.6", "")),
	  .problem = "table_fault (missing) in agap@0x1000 was not expected: cfa=rsp+8" },
	{ "a_function_of_the_program_that_its_debug_file_names", "startup",
	  OBJECTS(MISSING("clone3", "/x/prog", ",\"named_by_debug\":true")),
	  .problem = "table_fault (missing) in clone3 was not expected: cfa=rsp+8" },
	{ "a_wrong_row_of_a_start_file", "startup",
	  OBJECTS(FINDING("table_fault", "wrong", "_init", "/x/prog",
			  ",\"start_file\":\"crti.o\"")),
	  .problem = "table_fault (wrong) in _init was not expected: cfa=rsp+8" },
	{ "a_reader_s_fault_in_a_start_file", "startup",
	  OBJECTS(FINDING("reader_fault", "missing", "_init", "/x/prog",
			  ",\"start_file\":\"crti.o\"")),
	  .problem = "reader_fault (missing) in _init was not expected: cfa=rsp+8" },
	{ "a_library_without_cfi", "missing:libc.so*", OBJECTS(MISSING("f", "/a/libc.so.6", "")),
	  .points = 3 },
	{ "a_library_s_name_alone", "missing:libc.so*", OBJECTS(MISSING("f", "libc.so.6", "")),
	  .points = 3 },
	{ "another_library", "missing:libc.so*", OBJECTS(MISSING("f", "/libc.so.6/libm.so.6", "")),
	  .problem = "table_fault (missing) in f was not expected: cfa=rsp+8" },
	{ "a_wrong_row_of_that_library", "missing:libc.so*",
	  OBJECTS(FINDING("table_fault", "wrong", "f", "/a/libc.so.6", "")),
	  .problem = "table_fault (wrong) in f was not expected: cfa=rsp+8" },
	{ "a_library_with_cfi_after_all", "missing:libc.so*", .points = 0 },
	{ "absent_and_none_is", "absent", OBJECTS("{\"type\":\"verdicts\",\"absent\":0}"),
	  .problem = "absent was expected and did not appear" },
	{ "absent_and_one_is", "absent", OBJECTS("{\"type\":\"verdicts\",\"absent\":1}") },
	{ "absent_of_another_object", "absent", OBJECTS("{\"type\":\"score\",\"absent\":1}"),
	  .problem = "absent was expected and did not appear" },
	{ "startup_and_a_fault", "startup table_fault:f",
	  OBJECTS(MISSING("_init", "/x/prog", ",\"start_file\":\"crti.o\""), WRONG("f")),
	  .points = 3 },
	{ "words_that_need_not_show", "startup prefix unproven lazy diagnostic:x", .points = 0 },
};

START_TEST(findings_are_held_against_the_words)
{
	const struct finding_case *c = &findings[_i];
	struct results results DEINIT(results_deinit);
	char problem[256] = "";

	results_init(&results);
	struct cell *cell = fixture_cell(&results, "host", "p", "t", "v", "c");
	for (int i = 0; i < 4 && c->objects[i]; i++)
		fixture_object(cell, c->objects[i]);
	int status = expectation_check(c->expected, cell, problem, sizeof(problem));
	ck_assert_msg(status == (c->problem ? -1 : 0), "%s: %s", c->name, problem);
	ck_assert_msg(!strcmp(problem, c->problem ? c->problem : ""), "%s: %s", c->name, problem);
	ck_assert_msg(expectation_points(c->expected, cell) == c->points, "%s", c->name);
}
END_TEST

/* ---- the manifest -------------------------------------------------------------------------- */

static void set_up(void)
{
	folder_enter();
	ck_assert(!mkdir("sub", 0755));
	fclose(fopen("a", "we"));
	fclose(fopen("b", "we"));
	fclose(fopen("sub/c", "we"));
}

static int read_text(const char *text, struct manifest *ret, struct error *error)
{
	FILE *file = fopen("manifest.tsv", "we");

	ck_assert_int_ge(fputs(text, file), 0);
	fclose(file);
	return manifest_read(ret, folder, error);
}

/* A line for each binary: its fields, "-" for none. The folder is @. */
static void print(const struct manifest *manifest, char *ret, size_t size)
{
	FREED char *text = NULL;
	size_t used = 0, length = strlen(folder);
	FILE *file = open_memstream(&text, &used);

	for (size_t i = 0; i < manifest->count; i++) {
		const struct corpus_binary *b = &manifest->binary[i];

		fprintf(file, "%s %s %s %s %s %s %s skip=%s missing=%s expected=%s", b->name,
			b->path, b->guest_path ? b->guest_path : "-", b->program, b->toolchain,
			b->variant, b->language, b->skip ? b->skip : "-",
			b->missing ? b->missing : "-", b->expected ? b->expected : "-");
		for (size_t j = 0; j < b->file_count; j++)
			fprintf(file, " %s=%s", b->file[j], b->guest_file[j]);
		fputc('\n', file);
	}
	fclose(file);
	*ret = '\0';
	for (const char *at = text; *at; at++) {
		bool is_folder = !strncmp(at, folder, length);

		snprintf(ret + strlen(ret), size - strlen(ret), "%c", is_folder ? '@' : *at);
		at += is_folder ? length - 1 : 0;
	}
}

static const struct {
	const char *text, *read; /* read NULL: refused */
	const char *message;
} manifests[] = {
	{ "a\tp\tt\tv\tc\n", "a @/a /corpus/a p t v c skip=- missing=- expected=-\n", NULL },
	{ "# head\n\na\tp\tt\tv\tc\t-\t-\r\nsub/c\tq\tt\tw\trust\tb,a sub/c\texact\tmore",
	  "a @/a /corpus/a p t v c skip=- missing=- expected=-\n"
	  "sub/c @/sub/c /corpus/sub/c q t w rust skip=- missing=- expected=exact @/b=/corpus/b "
	  "@/a=/corpus/a @/sub/c=/corpus/sub/c\n",
	  NULL },
	{ "/bin/true\tp\tt\tv\tc\t/dev/null\n", NULL, NULL },
	{ "skip:no_rustc\tp\tt\tv\tc\tb\tstartup\n",
	  "p.t.v  - p t v c skip=no_rustc missing=- expected=startup\n", NULL },
	{ "x\tp\tt\tv\tc\ty,b,z\n",
	  "x  /corpus p t v c skip=- missing=x is not in the corpus expected=- @/b=/corpus/b\n",
	  NULL },
	{ "a\tp\tt\tv\tc\ty,b,z\n",
	  "a @/a /corpus/a p t v c skip=- missing=y is not in the corpus expected=- "
	  "@/b=/corpus/b\n",
	  NULL },
	{ "a\tp\tt\tv\tc\n#\nb\tp\tt\tv\n", NULL,
	  "line 3 has not the columns path, program, toolchain, variant, language, or expects what "
	  "is not known" },
	{ "\tp\tt\tv\tc\n", NULL, "line 1 has not the columns" },
	{ "a\t\tt\tv\tc\n", NULL, "line 1 has not the columns" },
	{ "a\tp\tt\tv\tc\t-\tnothing\n", NULL, "line 1 has not the columns" },
	{ "a\tp\tt\tv\tc\na\tq\tt\tv\tc\n", NULL, "line 2 names a a second time" },
	{ "# a\n", NULL, "/manifest.tsv lists no binary" },
	{ "", NULL, "/manifest.tsv lists no binary" },
};

START_TEST(manifest_is_read)
{
	struct manifest manifest;
	struct error error = { 0 };
	char text[2048];
	int status = read_text(manifests[_i].text, &manifest, &error);

	print(&manifest, text, sizeof(text));
	if (manifests[_i].message) {
		ck_assert_int_eq(status, -1);
		ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
		ck_assert_msg(strstr(error.message, manifests[_i].message) != NULL, "%s",
			      error.message);
	} else {
		ck_assert_msg(!status, "%s", error.message);
		if (manifests[_i].read)
			ck_assert_str_eq(text, manifests[_i].read);
		else /* beside the corpus: its own path below the corpus's */
			ck_assert_msg(strstr(text, "/true /corpus/") != NULL &&
					      strstr(text, " /dev/null=/corpus/dev/null") != NULL,
				      "%s", text);
	}
	manifest_deinit(&manifest);
	ck_assert(!manifest.binary && !manifest.count);
}
END_TEST

START_TEST(manifest_that_is_not_there)
{
	struct manifest manifest;
	struct error error = { 0 };

	ck_assert_int_eq(manifest_read(&manifest, folder, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_msg(strstr(error.message, "can't read ") &&
			      strstr(error.message, "/manifest.tsv"),
		      "%s", error.message);
	/* A folder beside it, whose name begins as the corpus's does, is not in it. */
	char longer[80], path[128], text[1024];
	snprintf(longer, sizeof(longer), "%sx", folder);
	snprintf(path, sizeof(path), "%s/d\tp\tt\tv\tc\n", longer);
	ck_assert(!mkdir(longer, 0755));
	snprintf(text, sizeof(text), "%s/d", longer);
	fclose(fopen(text, "we"));
	ck_assert(!read_text(path, &manifest, &error));
	snprintf(path, sizeof(path), "/corpus%s/d", longer);
	ck_assert_str_eq(manifest.binary[0].guest_path, path);
	manifest_deinit(&manifest);
	ck_assert(!unlink(text) && !rmdir(longer));
}
END_TEST

static const struct {
	const char *glob, *names;
} filters[] = {
	{ "*", "a b sub/c " }, { "a", "a " },	 { "p2", "b " },
	{ "t3", "sub/c " },    { "v*", "a b " }, { "x", "" },
};

START_TEST(manifest_is_filtered)
{
	struct manifest manifest;
	struct error error = { 0 };
	char names[64] = "";

	ck_assert(!read_text("a\tp1\tt1\tv1\tc\nb\tp2\tt2\tv2\tc\nsub/c\tp3\tt3\tw3\tc\n",
			     &manifest, &error));
	manifest_filter(&manifest, filters[_i].glob);
	for (size_t i = 0; i < manifest.count; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ",
			 manifest.binary[i].name);
	ck_assert_str_eq(names, filters[_i].names);
	manifest_deinit(&manifest);
}
END_TEST

SUITE(corpus, GROUP(words), LOOP(words_are_known_or_not, words), TEST(words_are_asked_for),
      LOOP(findings_are_held_against_the_words, findings), GROUP(manifest),
      FIXTURE(set_up, folder_remove), LOOP(manifest_is_read, manifests),
      TEST(manifest_that_is_not_there), LOOP(manifest_is_filtered, filters))
