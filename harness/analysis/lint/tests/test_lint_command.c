/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_command.c - `lint` as it is run: what it says, letter by letter, and its exit status
 *
 * The image has four functions: pushed has a push without its directive, jumped a jump whose targets nobody
 * knows, and two are right. One has a name that is markup and has a control character.
 */
#include <jansson.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/json_counts.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"

static char folder[] = "/tmp/stackproof-lint-command-XXXXXX";

static const char source[] =
	"	.intel_syntax noprefix\n	.text\n"
	"	.type pushed, @function\n	.globl pushed\n"
	"pushed:	.cfi_startproc\n	push rbx\n	nop\n	pop rbx\n	ret\n"
	"	.cfi_endproc\n	.size pushed, . - pushed\n"
	"	.type jumped, @function\n"
	"jumped:	.cfi_startproc\n	push rax\n	.cfi_def_cfa_offset 16\n"
	"	jmp rax\n	pop rax\n	.cfi_def_cfa_offset 8\n	ret\n"
	"	.cfi_endproc\n	.size jumped, . - jumped\n"
	"	.type right, @function\n"
	"right:	.cfi_startproc\n	ret\n	.cfi_endproc\n	.size right, . - right\n"
	"	.type \"<b>\033\", @function\n"
	"\"<b>\033\":	.cfi_startproc\n	push rcx\n	nop\n	pop rcx\n	ret\n"
	"	.cfi_endproc\n	.size \"<b>\033\", . - \"<b>\033\"\n";

static bool make_files(void)
{
	FILE *file;

	if (!mkdtemp(folder) || chdir(folder))
		return false;
	file = fopen("f.s", "w");
	if (!file || fputs(source, file) < 0 || fclose(file))
		return false;
	return !system(
		"gcc-12 -shared -nostdlib -Wl,-z,noseparate-code,-Ttext=0x1000 -o f.so f.s && "
		"objcopy -R .comment f.so && cp f.so \"$(printf 'x\\033<\\377.so')\"");
}

/* What a command says, the time left out; to be freed. */
static char *say(const char *const *options, const char *file, int *ret_status)
{
	char *arguments[12] = { "lint" }, *text;
	int count = 1;
	regex_t seconds;
	regmatch_t match;

	for (; *options; options++)
		arguments[count++] = (char *)*options;
	arguments[count] = (char *)file;
	text = command_output(command_lint, arguments, ret_status);
	ck_assert_int_eq(regcomp(&seconds, " in [0-9]+\\.[0-9] s", REG_EXTENDED), 0);
	if (!regexec(&seconds, text, 1, &match, 0))
		memmove(text + match.rm_so, text + match.rm_eo, strlen(text + match.rm_eo) + 1);
	regfree(&seconds);
	return text;
}

#define FINDING(image, name, pushed, nop, callee_pop, ret)                                         \
	image ": " name "+0x1: SP001 the CFA is elsewhere\n"                                       \
	      "        " pushed "\n     -> " nop "\n        " callee_pop "\n        " ret "\n"
#define RULES "    declared    cfa=rsp+8\n    actual      cfa=rsp+16\n"
#define PUSHED                                                                                     \
	FINDING("f.so", "pushed", "0x1000  push rbx", "0x1001  nop", "0x1002  pop rbx",            \
		"0x1003  ret")                                                                     \
	"    up to       0x1003\n" RULES
#define MARKUP                                                                                     \
	FINDING("f.so", "<b>?", "0x100a  push rcx", "0x100b  nop", "0x100c  pop rcx",              \
		"0x100d  ret")                                                                     \
	"    up to       0x100d\n" RULES
#define SUMS                                                                                       \
	"1 of 4 FDEs proven (25.000 %), 2 with mismatches, 1 unproven (behind a jump whose "       \
	"targets are not known)"
#define TOTAL "1 images: " SUMS "\n       2  SP001 the CFA is elsewhere\n"
#define CHECKED                                                                                    \
	"checked: 3 FDEs; not checked: 1 FDEs whose code can't be followed; 100.00 % of the code " \
	"has CFI"

/* Of two functions one is in a segment that is for reading alone. */
START_TEST(code_that_is_only_read_is_counted)
{
	static const char *const none[] = { NULL }, *const strict[] = { "--strict", NULL };
	static const char rest[] =
		"page.so: 1 of 2 FDEs proven (50.000 %), 0 with mismatches, 1 unproven (parts "
		"that "
		"nothing was seen to lead to)\n"
		"1 images: 1 of 2 FDEs proven (50.000 %), 0 with mismatches, 1 unproven (parts "
		"that "
		"nothing was seen to lead to)\n"
		"checked: 1 FDEs; not checked: 1 FDEs of code in no executable segment; 100.00 % "
		"of "
		"the code has CFI\n";
	FILE *file = fopen("page.s", "w");
	int status;
	char *text;

	ck_assert_ptr_nonnull(file);
	fputs("f:	.cfi_startproc\n	ret\n	.cfi_endproc\n	.section .page, \"a\"\n"
	      "g:	.cfi_startproc\n	syscall\n	ret\n	.cfi_endproc\n",
	      file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert(!system("gcc-12 -shared -nostdlib -Wl,-z,separate-code -o page.so page.s"));
	text = say(none, "page.so", &status);
	ck_assert_str_eq(text, rest);
	ck_assert_int_eq(status, EXIT_OK);
	free(text);
	free(say(strict, "page.so", &status));
	ck_assert_int_eq(status, EXIT_BAD_INPUT);
	unlink("page.s");
	unlink("page.so");
}
END_TEST

#define OPTIONS(...) .options = { __VA_ARGS__ }

static const struct said_case {
	const char *rule, *options[8], *expected;
	int status;
} cases[] = {
	{ "findings", .expected = PUSHED MARKUP "f.so: " SUMS "\n" TOTAL CHECKED "\n",
	  .status = EXIT_FINDINGS },
	{ "of_a_function", OPTIONS("--function", "pushed"),
	  PUSHED "f.so: " SUMS "\n" TOTAL "checked: 1 FDEs; 100.00 % of the code has CFI\n",
	  EXIT_FINDINGS },
	{ "of_a_function_that_is_right", OPTIONS("--function", "right"),
	  "f.so: " SUMS "\n" TOTAL "checked: 1 FDEs; 100.00 % of the code has CFI\n", EXIT_OK },
	{ "an_unproven_function_was_not_checked", OPTIONS("--function", "jumped"),
	  "f.so: " SUMS "\n" TOTAL
	  "checked: 0 FDEs; not checked: 1 FDEs whose code can't be followed; "
	  "100.00 % of the code has CFI; nothing was checked\n",
	  EXIT_SKIPPED },
	{ "no_such_function", OPTIONS("--function", "none"),
	  "f.so: " SUMS "\n" TOTAL "checked: 0 FDEs; not checked: 1 files without an FDE there; "
	  "100.00 % of the code has CFI; nothing was checked\n",
	  EXIT_SKIPPED },
	{ "unproven_ones_are_named", OPTIONS("--unproven", "--only", "SP002"),
	  "f.so: jumped: unproven: behind a jump whose targets are not known\n"
	  "f.so: " SUMS "\n" TOTAL CHECKED "\n",
	  EXIT_OK },
	{ "as_many_as_coverage_wants", OPTIONS("--coverage", "25", "--only", "SP002"),
	  "f.so: " SUMS "\n" TOTAL CHECKED "\n", EXIT_OK },
	{ "fewer_than_coverage_wants", OPTIONS("--coverage", "25.1", "--only", "SP002"),
	  "f.so: " SUMS "; fewer are proven than --coverage wants\n" TOTAL CHECKED
	  "; 1 images below --coverage 25.1 %\n",
	  EXIT_FINDINGS },
	{ "coverage_of_a_function", OPTIONS("--coverage", "100", "--function", "right"),
	  "f.so: " SUMS "\n" TOTAL "checked: 1 FDEs; 100.00 % of the code has CFI\n", EXIT_OK },
	{ "nothing_checked_is_below_coverage", OPTIONS("--coverage", "1", "--function", "jumped"),
	  "f.so: " SUMS "; fewer are proven than --coverage wants\n" TOTAL
	  "checked: 0 FDEs; not checked: 1 FDEs whose code can't be followed; "
	  "100.00 % of the code has CFI; 1 images below --coverage 1 %; nothing was checked\n",
	  EXIT_FINDINGS },
};

START_TEST(it_is_said)
{
	const struct said_case *test = &cases[_i];
	int status;
	char *text = say(test->options, "f.so", &status);

	ck_assert_msg(!strcmp(text, test->expected) && status == test->status,
		      "%s: %d\n%s\nexpected:\n%s", test->rule, status, text, test->expected);
	free(text);
}
END_TEST

/* ---- baselines ---------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(only_what_is_new_fails)
{
	static const char *const json[] = { "--json", NULL }, *const only[] = { "--json", "-f",
										"pushed", NULL };
	static const char *const baseline[] = { "--baseline", "b", NULL };
	static const char *const narrow[] = { "--baseline", "b", "-f", "pushed", NULL };
	int status;
	char *text = say(only, "f.so", &status);

	write_file("b", text);
	free(text);
	text = say(baseline, "f.so", &status);
	ck_assert_int_eq(status, EXIT_FINDINGS);
	ck_assert_str_eq(text, MARKUP "f.so: " SUMS "; findings: 1 known, 1 new, 0 gone\n" TOTAL
				      "baseline b: 1 known findings, 1 new, 0 gone\n" CHECKED "\n");
	free(text);

	text = say(json, "f.so", &status);
	write_file("b", text);
	free(text);
	text = say(baseline, "x\033<\377.so", &status);
	ck_assert_int_eq(status, EXIT_BAD_INPUT);
	ck_assert_str_eq(text, "--baseline: b has none of the images\n");
	free(text);
	text = say(baseline, "./f.so", &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_str_eq(text, "./f.so: " SUMS "; findings: 2 known, 0 new, 0 gone\n" TOTAL
			       "baseline b: 2 known findings, 0 new, 0 gone\n" CHECKED "\n");
	free(text);
	/* What is not looked for is not gone. */
	text = say(narrow, "f.so", &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_ptr_nonnull(strstr(text, "baseline b: 1 known findings, 0 new, 0 gone\n"));
	free(text);
	unlink("b");
}
END_TEST

START_TEST(a_baseline_that_cant_be_read_is_an_error)
{
	static const char *const baseline[] = { "--baseline", "none", NULL };
	int status;
	char *text = say(baseline, "f.so", &status);

	ck_assert_int_eq(status, EXIT_BAD_INPUT);
	ck_assert_str_eq(text, "--baseline: can't read none: No such file or directory\n");
	free(text);
}
END_TEST

/* ---- files -------------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_gt(getdelim(&text, &size, 0, file), 0);
	fclose(file);
	unlink(path);
	return text;
}

/* A case fails by what is new alone. */
START_TEST(cases_know_the_baseline)
{
	static const char *const json[] = { "--json", NULL };
	static const char *const with[] = { "--baseline", "b", "--tap", "t", "--junit", "j", NULL };
	static const char *const without[] = { "--tap", "t", "--junit", "j", NULL };
	static const char *const covered[] = { "--tap",	 "t",	  "--coverage", "50",
					       "--only", "SP002", NULL };
	int status;
	char *text = say(json, "f.so", &status);

	write_file("b", text);
	free(text);
	free(say(with, "f.so", &status));
	text = read_file("t");
	ck_assert_str_eq(text, "TAP version 14\n1..1\nok 1 - lint: f.so\n");
	free(text);
	text = read_file("j");
	ck_assert_ptr_nonnull(strstr(text, "failures=\"0\" errors=\"0\""));
	ck_assert_ptr_null(strstr(text, "<system-out>"));
	free(text);
	free(say(without, "f.so", &status));
	text = read_file("j");
	ck_assert_ptr_nonnull(strstr(text, "failures=\"1\" errors=\"0\""));
	ck_assert_ptr_nonnull(strstr(
		text, "<system-out>pushed+0x1: SP001 the CFA is elsewhere: cfa=rsp+16\n"
		      "&lt;b&gt;?+0x1: SP001 the CFA is elsewhere: cfa=rsp+16\n</system-out>"));
	free(text);
	text = read_file("t");
	ck_assert_ptr_nonnull(strstr(text, "not ok 1 - lint: f.so\n  ---\n  status: \"failed\"\n"
					   "  reason: \"findings: the CFI is not what the code "
					   "does\"\n"));
	free(text);
	free(say(covered, "f.so", &status));
	text = read_file("t");
	ck_assert_ptr_nonnull(strstr(text, "  reason: \"fewer of its FDEs are proven than "
					   "--coverage wants\"\n"));
	free(text);
	unlink("b");
}
END_TEST

START_TEST(hostile_names_are_escaped)
{
	static const char *const both[] = {
		"--sarif", "s", "--page", "p", "--only", "SP001", NULL
	};
	int status;
	char *text = say(both, "x\033<\377.so", &status), *page, *sarif;
	json_t *log;

	ck_assert_int_eq(status, EXIT_FINDINGS);
	ck_assert_ptr_null(strchr(text, '\033'));
	ck_assert_ptr_nonnull(
		strstr(text, "\nx?<\\xff.so: <b>?+0x1: SP001 the CFA is elsewhere\n"));
	free(text);
	page = read_file("p");
	ck_assert_ptr_null(strchr(page, '\033'));
	ck_assert_ptr_null(strstr(page, "<b>"));
	ck_assert_ptr_nonnull(strstr(page, ">x?&lt;\\xff.so: &lt;b&gt;?+0x1: SP001 the CFA"));
	free(page);
	sarif = read_file("s");
	log = json_loads(sarif, 0, NULL);
	ck_assert_ptr_nonnull(log);
	ck_assert_ptr_null(strchr(sarif, '\033'));
	ck_assert_ptr_nonnull(strstr(sarif, "\"uri\": \"x%1B%3C%FF.so\""));
	json_decref(log);
	free(sarif);
}
END_TEST

/* Each says how the run ends, whichever of the others can't be written. */
START_TEST(files_say_the_status_of_the_run)
{
	static const char *const junit[] = { "--sarif", "s", "--junit", "none/j", NULL };
	static const char *const page[] = { "--sarif", "s", "--page", "none/p", NULL };
	static const char *const sarif[] = { "--sarif", "none/s", "--tap", "t", NULL };
	static const char *const *const options[] = { junit, page };
	int status;
	char *text;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		free(say(options[i], "f.so", &status));
		ck_assert_int_eq(status, EXIT_ENVIRONMENT);
		text = read_file("s");
		ck_assert_ptr_nonnull(strstr(text, "\"exitCode\": 99,"));
		free(text);
	}
	free(say(sarif, "f.so", &status));
	ck_assert_int_eq(status, EXIT_ENVIRONMENT);
	text = read_file("t");
	ck_assert_ptr_nonnull(strstr(text, "exit status"));
	free(text);
}
END_TEST

/* Files of the run before don't stay. */
START_TEST(a_run_that_could_nothing_says_so)
{
	static const char *const both[] = { "--sarif", "s", "--page", "p", NULL };
	int status;
	char *text = say(both, "none", &status);

	ck_assert_int_eq(status, EXIT_BAD_INPUT);
	free(text);
	text = read_file("s");
	ck_assert_ptr_nonnull(strstr(text, "\"executionSuccessful\": false"));
	ck_assert_ptr_nonnull(strstr(text, "\"text\": \"none: No such file or directory\""));
	free(text);
	text = read_file("p");
	ck_assert_ptr_nonnull(strstr(text, "<p class=\"bad\">none: No such file or directory</p>"));
	free(text);
}
END_TEST

static const struct usage_case {
	const char *rule, *options[4], *expected;
} usages[] = {
	{ "no_such_id", { "--explain", "SP999" }, "'SP999' is no finding's id" },
	{ "no_such_id_of_a_list", { "--only", "SP001,x" }, "'x' is no finding's id" },
	{ "an_id_is_named_once", { "--only", "SP001,SP002,SP001" }, "'SP001' is named twice" },
	{ "no_id_is_empty", { "--only", "SP001," }, "a value of the list is empty" },
	{ "coverage_is_a_percentage", { "--coverage", "101" }, "--coverage" },
	{ "files_have_names", { "--sarif", "" }, "--sarif" },
	{ "pages_too", { "--page", "" }, "--page" },
	{ "and_baselines", { "--baseline", "" }, "--baseline" },
};

START_TEST(usage_is_checked)
{
	const struct usage_case *test = &usages[_i];
	int status;
	char *text = say(test->options, "f.so", &status);

	ck_assert_msg(status == EXIT_USAGE && strstr(text, test->expected), "%s: %d %s", test->rule,
		      status, text);
	free(text);
}
END_TEST

/* A reason in each of the three objects that have it (docs/JSON.md, docs/schema/lint.json). */
START_TEST(a_reason_is_in_the_json)
{
	static const struct {
		const char *type, *member, *expected;
	} members[] = {
		{ "lint_unproven", "reason", "\"behind_call\"" },
		{ "lint_unproven", "pc", "\"0x1006\"" },
		{ "lint", "unproven_reasons", "{\"behind_call\": 1}" },
		{ "lint", "unproven", "1" },
		{ "lint_total", "unproven_reasons", "{\"behind_call\": 1}" },
	};
	char *arguments[] = { "lint", "--json", "--unproven", "b.so", NULL }, *text, *line, *rest;
	int status;
	size_t seen = 0;

	write_file("b.s",
		   "	.intel_syntax noprefix\n	.type f, @function\nf:	.cfi_startproc\n"
		   "	push rax\n	.cfi_def_cfa_offset 16\n	call .Lg\n	"
		   ".cfi_def_cfa_offset 8\n"
		   "	xor eax, eax\n	ret\n	.cfi_endproc\n	.size f, . - f\n"
		   ".Lg:	.cfi_startproc\n	ret\n	.cfi_endproc\n");
	ck_assert(!system(
		"gcc-12 -shared -nostdlib -Wl,-z,noseparate-code,-Ttext=0x1000 -o b.so b.s"));
	rest = text = command_output(command_lint, arguments, &status);
	while ((line = strsep(&rest, "\n"))) {
		json_t *object = json_loads(line, 0, NULL);

		for (size_t i = 0; object && i < sizeof(members) / sizeof(members[0]); i++) {
			char *value = json_dumps(json_object_get(object, members[i].member),
						 JSON_ENCODE_ANY);

			if (strcmp(json_text(object, "type"), members[i].type) != 0) {
				free(value);
				continue;
			}
			ck_assert_ptr_nonnull(value);
			ck_assert_str_eq(value, members[i].expected);
			free(value);
			seen++;
		}
		json_decref(object);
	}
	ck_assert_uint_eq(seen, sizeof(members) / sizeof(members[0]));
	ck_assert_int_eq(status, EXIT_OK);
	free(text);
}
END_TEST

/* A fat object has its code, or has data alone. */
START_TEST(code_that_is_made_later_is_counted)
{
	static const struct {
		const char *source, *option, *expected;
		int status;
	} builds[] = {
		{ "int f(void) { return 2; }", "-fno-fat-lto-objects",
		  "checked: 1 FDEs; not checked: 1 objects of which code is made when",
		  EXIT_FINDINGS },
		{ "int f(void) { return 2; }", "-ffat-lto-objects", "checked: 2 FDEs; 100.00 %",
		  EXIT_OK },
		{ "int f = 2;", "-ffat-lto-objects",
		  "checked: 1 FDEs; not checked: 1 images without CFI; 100.00 %", EXIT_OK },
	};
	static const char *const strict[] = { "--strict", NULL };
	char command[256], *text;
	int status;

	for (int i = 0; i < COUNT(builds); i++) {
		write_file("l.c", builds[i].source);
		write_file("g.c", "int g(void) { return 1; }");
		snprintf(command, sizeof(command),
			 "gcc-12 -c -flto %s l.c && gcc-12 -c g.c && rm -f l.a && "
			 "ar rcS l.a l.o g.o",
			 builds[i].option);
		ck_assert(!system(command));
		text = say(strict, "l.a", &status);
		ck_assert_msg(status == builds[i].status && strstr(text, builds[i].expected),
			      "%d: %d %s", i, status, text);
		free(text);
	}
}
END_TEST

/* A file that has no CFI at all, beside one whose code has it. */
START_TEST(code_of_files_without_cfi_counts)
{
	static const char *const none[] = { NULL }, *const wanted[] = { "--coverage=1", NULL };
	char *text;
	int status;

	write_file("g.s", "	.cfi_startproc\n	ret\n	.cfi_endproc\n");
	write_file("n.s", "f:	push %rbx\n	pop %rbx\n	ret\n");
	ck_assert(!system("gcc-12 -c g.s n.s && rm -f n.a && ar rcS n.a g.o n.o"));
	text = say(none, "n.a", &status);
	ck_assert_msg(status == EXIT_OK && strstr(text, "1 images without CFI; 25.00 % of the"),
		      "%d %s", status, text);
	free(text);
	text = say(wanted, "n.a", &status);
	ck_assert_msg(status == EXIT_FINDINGS && strstr(text, "; 1 images below --coverage 1 %"),
		      "%d %s", status, text);
	free(text);
	text = say(wanted, "n.o", &status);
	ck_assert_msg(status == EXIT_FINDINGS, "%d %s", status, text);
	free(text);
}
END_TEST

#define BARE(n)                                                                                    \
	"	.globl f" n "\n	.type f" n ", @function\nf" n                                      \
	":	push %rbx\n	pop %rbx\n	ret\n"
#define BARE_TOTAL "1 images: 0 of 0 FDEs proven (0.000 %), 0 with mismatches\n"
#define BARE_CHECKED                                                                               \
	"checked: 0 FDEs; not checked: 1 images without CFI; 0.00 % of the code has CFI; nothing " \
	"was checked\n"
#define BARE_FOUND                                                                                 \
	"n.o: f1 (.text+0x0): SP006 code that is reached, and no FDE covers it\n"                  \
	"     -> 0x0  push rbx\n        0x1  pop rbx\n        0x2  ret\n"                          \
	"    up to       0x3\n    declared    no FDE covers it\n"                                  \
	"    actual      it is a function, or something leads there\n"
#define BARE_HINT                                                                                  \
	"functions of files without CFI: --verbose names each, and --baseline makes known what "   \
	"has none on purpose\n"

static const struct bare_case {
	const char *rule, *source, *options[3], *expected;
	int status;
} bares[] = {
	{ "one function",
	  BARE("1"),
	  { NULL },
	  BARE_FOUND "n.o: no CFI\n" BARE_TOTAL
		     "       1  SP006 code that is reached, and no FDE covers it\n" BARE_CHECKED,
	  EXIT_FINDINGS },
	{ "whatever else is asked for",
	  BARE("1"),
	  { "--only=SP001" },
	  "n.o: no CFI\n" BARE_TOTAL
	  "       1  SP006 code that is reached, and no FDE covers it\n" BARE_CHECKED,
	  EXIT_SKIPPED },
	{ "strictly",
	  BARE("1"),
	  { "--strict", "--function=g" },
	  "n.o: no CFI\n" BARE_TOTAL
	  "       1  SP006 code that is reached, and no FDE covers it\n" BARE_CHECKED,
	  EXIT_SKIPPED },
	{ "many are one line",
	  BARE("1") BARE("2") BARE("3") BARE("4"),
	  { NULL },
	  "n.o: no CFI: no FDE covers 4 functions: f1, f2, f3, ... [SP006]\n" BARE_HINT BARE_TOTAL
	  "       4  SP006 code that is reached, and no FDE covers it\n" BARE_CHECKED,
	  EXIT_FINDINGS },
	{ "known by the file itself",
	  BARE("1") BARE("2") BARE("3") BARE("4"),
	  { "--baseline=n.json" },
	  "n.o: no CFI; findings: 4 known, 0 new, 0 gone\n" BARE_TOTAL
	  "       4  SP006 code that is reached, and no FDE covers it\n"
	  "baseline n.json: 4 known findings, 0 new, 0 gone\n" BARE_CHECKED,
	  EXIT_SKIPPED },
	{ "nothing is known of labels",
	  "f:	ret\n",
	  { NULL },
	  "n.o: no CFI: no symbol says that it is a function's\n" BARE_TOTAL BARE_CHECKED,
	  EXIT_SKIPPED },
};

/* The file has no FDE anywhere: its functions are findings as beside one. */
START_TEST(files_without_cfi)
{
	const struct bare_case *test = &bares[_i];
	static const char *const as_json[] = { "--json", NULL };
	int status;
	char *text;

	write_file("n.s", test->source);
	ck_assert(!system("gcc-12 -c n.s"));
	text = say(as_json, "n.o", &status);
	write_file("n.json", text);
	free(text);
	text = say(test->options, "n.o", &status);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s", test->rule, text);
	ck_assert_int_eq(status, test->status);
	free(text);
}
END_TEST

/* Each is named, if it is asked for; and a program always gets all. */
START_TEST(all_functions_without_cfi)
{
	static const char *const verbose[] = { "--verbose", NULL }, *const json[] = { "--json",
										      NULL };
	static const char *const parts[] = { "(n.o): f1 (", "(n.o): f2 (", "(n.o): f3 (",
					     "(n.o): f4 (" };
	int status, findings = 0;
	char *text;

	write_file("g.s", "	.cfi_startproc\n	ret\n	.cfi_endproc\n");
	write_file("n.s", BARE("1") BARE("2") BARE("3") BARE("4"));
	ck_assert(!system("gcc-12 -c g.s n.s && rm -f n.a && ar rcS n.a g.o n.o"));
	text = say(verbose, "n.a", &status);
	for (int i = 0; i < COUNT(parts); i++)
		ck_assert_msg(strstr(text, parts[i]) != NULL, "%s", text);
	ck_assert_ptr_null(strstr(text, "--verbose"));
	ck_assert_int_eq(status, EXIT_FINDINGS);
	free(text);
	text = say(json, "n.a", &status);
	for (const char *at = text; (at = strstr(at, "\"no_cfi\":true")); at++)
		findings++;
	ck_assert_int_eq(findings, 4);
	ck_assert_msg(strstr(text, "{\"type\":\"lint_no_cfi\",\"image\":\"n.a\",\"images\":1,"
				   "\"findings\":4,\"known_findings\":0}\n") != NULL,
		      "%s", text);
	free(text);
}
END_TEST

SUITE_MAIN(lint_command)
{
	Suite *suite = suite_create("lint_command");
	TCase *said = tcase_create("said");
	char command[64];
	int failed;

	if (!make_files()) {
		perror("f.so");
		return EXIT_FAILURE;
	}
	tcase_set_timeout(said, 120);
	tcase_add_loop_test(said, it_is_said, 0, COUNT(cases));
	tcase_add_test(said, only_what_is_new_fails);
	tcase_add_test(said, a_baseline_that_cant_be_read_is_an_error);
	tcase_add_test(said, cases_know_the_baseline);
	tcase_add_test(said, hostile_names_are_escaped);
	tcase_add_test(said, a_reason_is_in_the_json);
	tcase_add_test(said, code_that_is_made_later_is_counted);
	tcase_add_test(said, code_of_files_without_cfi_counts);
	tcase_add_loop_test(said, files_without_cfi, 0, COUNT(bares));
	tcase_add_test(said, all_functions_without_cfi);
	tcase_add_test(said, files_say_the_status_of_the_run);
	tcase_add_test(said, code_that_is_only_read_is_counted);
	tcase_add_test(said, a_run_that_could_nothing_says_so);
	tcase_add_loop_test(said, usage_is_checked, 0, COUNT(usages));
	suite_add_tcase(suite, said);
	failed = suite_run(suite);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command) || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
