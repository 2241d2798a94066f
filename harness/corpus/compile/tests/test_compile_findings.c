/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compile_findings.c - `stackproof cc`: what of lint's findings is told, and where it has its line from
 */
#include "tests/suite.h"
#include "corpus/compile/compile_findings.h"
#include "compile_fixture.h"

#define SHOWN 20 /* functions of a file without CFI */

static int test; /* row, for the child */

/* ---- lines -------------------------------------------------------------------------------- */

struct place {
	const char *id, *section, *pc, *actual, *source;
	int line;
};

/* As the finding with debug info is. */
#define SAME                                                                                       \
	{                                                                                          \
		"SP001", ".text", "0x1", "a", "f.s", 3                                             \
	}

#define OWN(...)   .own = { __VA_ARGS__ }
#define FIRST(...) .first = { __VA_ARGS__ }

static const struct line_case {
	const char *rule;
	struct place own, first, second; /* the finding, and those with debug info */
	const char *expected;
} line_cases[] = {
	{ "the same finding has the line", SAME, SAME, SAME, "f.s:3" },
	{ "the first of two that are the same", OWN("SP001", ".text", "0x1", "a", NULL, 0),
	  FIRST("SP001", ".text", "0x1", "a", "g.s", 9), SAME, "g.s:9" },
	{ "which may have none itself", OWN("SP001", ".text", "0x1", "a", NULL, 0),
	  FIRST("SP001", ".text", "0x1", "a", NULL, 0), SAME, "f.o" },
	{ "not one with another id", OWN("SP001", ".text", "0x1", "a", NULL, 0),
	  FIRST("SP002", ".text", "0x1", "a", "g.s", 9), SAME, "f.s:3" },
	{ "nor in another section", OWN("SP001", ".text", "0x1", "a", NULL, 0),
	  FIRST("SP001", ".text.g", "0x1", "a", "g.s", 9), SAME, "f.s:3" },
	{ "nor at another instruction", OWN("SP001", ".text", "0x1", "a", NULL, 0),
	  FIRST("SP001", ".text", "0x10", "a", "g.s", 9), SAME, "f.s:3" },
	{ "nor where something else is so", OWN("SP001", ".text", "0x1", "a", NULL, 0),
	  FIRST("SP001", ".text", "0x1", "b", "g.s", 9), SAME, "f.s:3" },
	{ "a finding's own line stays", OWN("SP001", ".text", "0x1", "a", "own.s", 5),
	  FIRST("SP001", ".text", "0x1", "a", "g.s", 9), SAME, "own.s:5" },
	{ "without the same there is none", OWN("SP001", ".text", "0x2", "a", NULL, 0),
	  FIRST("SP001", ".text", "0x1", "a", "g.s", 9), SAME, "f.o" },
};

static json_t *finding_at(const struct place *place)
{
	json_t *finding = json_pack("{ssssssssss}", "type", "lint_finding", "image", "f.o", "id",
				    place->id, "section", place->section, "pc", place->pc);

	json_object_set_new(finding, "actual", json_string(place->actual));
	if (!place->source)
		return finding;
	json_object_set_new(finding, "source_file", json_string(place->source));
	json_object_set_new(finding, "source_line", json_integer(place->line));
	json_object_set_new(finding, "source_column", json_integer(1));
	return finding;
}

static void open_findings(struct compile_findings *findings)
{
	struct error error;

	ck_assert_int_eq(compile_findings_open(findings, &error), 0);
}

/* Takes the reference. */
static void add(struct compile_findings *findings, json_t *finding)
{
	compile_findings_add(findings, finding);
	json_decref(finding);
}

static int tell_one(int count, char **arguments)
{
	const struct line_case *row = &line_cases[test];
	struct compile_findings findings = { NULL };
	json_t *image = json_pack("{ss}", "image", "f.o");

	open_findings(&findings);
	findings.lines = json_pack("[oo]", finding_at(&row->first), finding_at(&row->second));
	add(&findings, finding_at(&row->own));
	compile_findings_keep(&findings, image);
	compile_findings_tell(&findings, image);
	compile_findings_close(&findings);
	json_decref(image);
	return 0;
}

START_TEST(the_line_is_that_of_the_same_finding)
{
	char *argv[] = { "cc", NULL }, *text, wanted[64];
	int status;

	test = _i;
	text = command_output(tell_one, argv, &status);
	ck_assert_int_eq(status, 0);
	snprintf(wanted, sizeof(wanted), "%s:%swarning: ", line_cases[_i].expected,
		 strchr(line_cases[_i].expected, ':') ? "1: " : " ");
	ck_assert_msg(!strncmp(text, wanted, strlen(wanted)), "%s: %s", line_cases[_i].rule, text);
	free(text);
}
END_TEST

/* ---- what is told ------------------------------------------------------------------------- */

#define SHOWS(...)  .shown = { __VA_ARGS__ }
#define BEHIND(...) .behind = { __VA_ARGS__ }

/* Letters: f a finding, k one that is known, o one of others, a one that may be anybody's, b a function of a
 * file without CFI, t an object of another type; K, O, A and i: b and what the letter says, or ignored. */
static const struct told_case {
	const char *rule, *first, *second; /* of two images */
	bool on_purpose;
	int told;      /* that fail */
	int shown[2];  /* warnings of each */
	int behind[2]; /* that are only counted */
} told_cases[] = {
	{ "each image has its own", "ff", "f", .told = 3, SHOWS(2, 1), BEHIND(0, 0) },
	{ "none of the first", "", "f", .told = 1, SHOWS(0, 1), BEHIND(0, 0) },
	{ "what is known is not told", "fk", "kkf", .told = 2, SHOWS(1, 1), BEHIND(0, 0) },
	{ "nor what others wrote", "of", "o", .told = 1, SHOWS(1, 0), BEHIND(0, 0) },
	{ "nor another object", "tf", "t", .told = 1, SHOWS(1, 0), BEHIND(0, 0) },
	{ "without CFI as many are shown as can be", "bbbbbbbbbbbbbbbbbbbb", "bbbbbbbbbbbbbbbbbbbb",
	  .told = 40, SHOWS(SHOWN, SHOWN), BEHIND(0, 0) },
	{ "more are counted, of each image", "bbbbbbbbbbbbbbbbbbbbbbb", "bbbbbbbbbbbbbbbbbbbbb",
	  .told = 44, SHOWS(SHOWN, SHOWN), BEHIND(3, 1) },
	{ "the others are findings all the same", "bbbbbbbbbbbbbbbbbbbbbf", "", .told = 22,
	  SHOWS(SHOWN + 1, 0), BEHIND(1, 0) },
	{ "none, if it is to have no CFI", "bbf", "b", .on_purpose = true, .told = 1, SHOWS(1, 0),
	  BEHIND(0, 0) },
	{ "what is known, others' or ignored is not counted among them",
	  "iiiiiKKKKKOOOOObbbbbbbbbbbbbbbbbbbb", "iiiiiKKKKKOOOOObbbbbbbbbbbbbbbbbbbbb", .told = 41,
	  SHOWS(SHOWN, SHOWN), BEHIND(0, 1) },
	{ "nor what may be anybody's", "AAAAAbbbbbbbbbbbbbbbbbbbb", "AAbbbbbbbbbbbbbbbbbbbbbb",
	  .told = 42, SHOWS(SHOWN, SHOWN), BEHIND(0, 2) },
};

static enum compile_owner owner_of(const void *context, const struct finding_record *finding)
{
	if (json_object_get(finding->object, "others"))
		return COMPILE_OTHERS;
	return json_object_get(finding->object, "anybodys") ? COMPILE_ANYBODYS : COMPILE_OWN;
}

static void add_letter(struct compile_findings *findings, char letter, const char *image)
{
	json_t *finding = json_pack("{ssss}", "type", letter == 't' ? "lint_fde" : "lint_finding",
				    "image", image);

	if (strchr("kK", letter))
		json_object_set_new(finding, "known", json_true());
	if (strchr("oO", letter))
		json_object_set_new(finding, "others", json_true());
	if (strchr("aA", letter))
		json_object_set_new(finding, "anybodys", json_true());
	if (strchr("bKOAi", letter))
		json_object_set_new(finding, "no_cfi", json_true());
	if (letter == 'i')
		json_object_set_new(finding, "id", json_string("SP006"));
	add(findings, finding);
}

static int count_of(const char *text, const char *part)
{
	int count = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		count++;
	return count;
}

static const struct anybodys_case {
	const char *rule, *letters,
		*said; /* of each of two images, said of each but for its name */
} anybodys_cases[] = {
	{ "nobody's", "nok", NULL },
	{ "one", "ona", ": 1 finding whose code it is could not be told: --others tells it\n" },
	{ "some", "anaka",
	  ": 3 findings whose code it is could not be told: --others tells them\n" },
};

/* Two images with such findings. */
static void tell_images(struct compile_findings *findings, const char *first, const char *second)
{
	json_t *image;
	size_t i;

	for (i = 0; i < 2; i++) {
		const char *name = i ? "second.o" : "first.o";

		for (const char *at = i ? second : first; *at; at++)
			add_letter(findings, *at, name);
		image = json_pack("{ss}", "image", name);
		compile_findings_keep(findings, image);
		json_decref(image);
	}
	json_array_foreach(findings->image, i, image) compile_findings_tell(findings, image);
}

/* Its status is what was told. */
static int tell_two(int count, char **arguments)
{
	const struct told_case *row = &told_cases[test];
	struct compile_findings findings = { .on_purpose = row->on_purpose,
					     .owner = owner_of,
					     .ignore_path = "ignored" };

	open_findings(&findings);
	tell_images(&findings, row->first, row->second);
	compile_findings_close(&findings);
	return (int)findings.told;
}

static int tell_anybodys(int count, char **arguments)
{
	const char *letters = anybodys_cases[test].letters;
	struct compile_findings findings = { .owner = owner_of };

	open_findings(&findings);
	tell_images(&findings, letters, letters);
	compile_findings_close(&findings);
	return (int)(findings.told * 10 + findings.anybodys);
}

START_TEST(what_may_be_anybodys_is_counted)
{
	static const char *const names[] = { "first.o", "second.o" };
	const struct anybodys_case *row = &anybodys_cases[_i];
	char *argv[] = { "cc", NULL }, *text, wanted[128];
	int status, each = row->said ? row->said[strlen(": ")] - '0' : 0;

	test = _i;
	text = command_output(tell_anybodys, argv, &status);
	ck_assert_msg(status == 20 + 2 * each, "%s: %d", row->rule, status);
	ck_assert_msg(count_of(text, "whose code it is") == 2 * !!each, "%s: %s", row->rule, text);
	for (int i = 0; i < 2; i++) {
		snprintf(wanted, sizeof(wanted), "%s%s", names[i],
			 each ? row->said : ": warning: ");
		ck_assert_msg(count_of(text, wanted) == 1, "%s: %s", row->rule, text);
	}
	ck_assert_int_eq(count_of(text, ".o: warning: "), 2);
	free(text);
}
END_TEST

static int tell_ignored(int count, char **arguments)
{
	struct compile_findings findings = { .owner = owner_of, .ignore_path = "ignored" };

	open_findings(&findings);
	tell_images(&findings, "fao", "a");
	compile_findings_close(&findings);
	return (int)(findings.told * 10 + findings.anybodys);
}

/* What is ignored is a note, though it may be anybody's; but others' code is no matter. */
START_TEST(what_is_ignored_is_not_counted)
{
	char *argv[] = { "cc", NULL }, *text;
	int status;

	folder_enter();
	file_write_text("ignored", "first.o\t*\t*\t-\tby hand\n");
	text = command_output(tell_ignored, argv, &status);
	ck_assert_msg(status == 1, "%d: %s", status, text);
	ck_assert_msg(count_of(text, "ignored: by hand\n") == 2, "%s", text);
	free(text);
	folder_remove();
}
END_TEST

static int tell_coloured(int count, char **arguments)
{
	struct compile_findings findings = { .colour = test };

	open_findings(&findings);
	tell_images(&findings, "f", "");
	compile_findings_close(&findings);
	return 0;
}

START_TEST(a_terminal_has_colours)
{
	char *argv[] = { "cc", NULL }, *text;
	int status;

	test = _i;
	text = command_output(tell_coloured, argv, &status);
	ck_assert_int_eq(!!strchr(text, '\033'), _i);
	free(text);
}
END_TEST

START_TEST(what_is_told_of_images)
{
	static const char *const warning[] = { "first.o: warning: ", "second.o: warning: " };
	const struct told_case *row = &told_cases[_i];
	char *argv[] = { "cc", NULL }, *text, wanted[64];
	int status;

	test = _i;
	folder_enter();
	file_write_text("ignored", "*\t*\tSP006\t-\tby hand\n");
	text = command_output(tell_two, argv, &status);
	folder_remove();
	ck_assert_msg(status == row->told, "%s: %d", row->rule, status);
	for (int i = 0; i < 2; i++) {
		snprintf(wanted, sizeof(wanted), "%sno CFI: no FDE covers %d functions more ",
			 warning[i], row->behind[i]);
		ck_assert_msg(count_of(text, wanted) == !!row->behind[i], "%s: %s", row->rule,
			      text);
		ck_assert_msg(count_of(text, warning[i]) == row->shown[i] + !!row->behind[i],
			      "%s: %s", row->rule, text);
	}
	free(text);
}
END_TEST

SUITE(compile_findings, LOOP(the_line_is_that_of_the_same_finding, line_cases),
      LOOP(what_may_be_anybodys_is_counted, anybodys_cases), TEST(what_is_ignored_is_not_counted),
      TIMES(a_terminal_has_colours, 2), LOOP(what_is_told_of_images, told_cases))
