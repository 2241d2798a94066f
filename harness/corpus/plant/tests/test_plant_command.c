/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plant_command.c - `plant` as it is run: one file, and a small corpus with --check
 *
 * The programs are some lines of C without a library, so a run has some dozens of points. Those
 * that --check leaves out are there, too: each must be counted where it belongs, and cost nothing
 * but itself. No BPF.
 */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/json_counts.h"
#include "base/cli/tests/command_output.h"
#include "may_trace.h"
#include "base/cli/exit_status.h"
#include "truth/tracer/truth.h"

#define BUILD                                                                                      \
	"gcc-12 -O1 -fno-stack-protector -fcf-protection=none -fasynchronous-unwind-tables "       \
	"-static -nostdlib -Wl,--eh-frame-hdr "

/* STATUS: how it ends; ROUNDS: of the loop; WRONG: a function whose CFI is wrong. */
static const char source[] =
	"#ifdef WRONG\n"
	"__asm__(\".type wrong, @function\\nwrong:\\n\\t.cfi_startproc\\n\"\n"
	"	\"\\t.cfi_def_cfa_offset 16\\n\\tnop\\n\\tret\\n\\t.cfi_endproc\\n.size wrong, . - "
	"wrong\\n\");\n"
	"void wrong(void);\n"
	"#else\n"
	"#define wrong() (void)0\n"
	"#endif\n"
	"static __attribute__((noinline, noipa)) long leaf(long x) { return x * 3; }\n"
	"static __attribute__((noinline, noipa)) long middle(long x)\n"
	"{\n"
	"	volatile long room[4];\n"
	"	room[0] = x;\n"
	"	return leaf(x) + room[0] + leaf(x + 1);\n"
	"}\n"
	"__attribute__((used)) static void body(void)\n"
	"{\n"
	"	long x = 1;\n"
	"	wrong();\n"
	"	for (int i = 0; i < ROUNDS; i++)\n"
	"		x = middle(x);\n"
	"	__asm__ volatile(\"syscall\" : : \"a\"(60L), \"D\"((long)STATUS) : \"rcx\", "
	"\"r11\");\n"
	"}\n"
	"__asm__(\".globl _start\\n.type _start, @function\\n_start:\\n\\t.cfi_startproc\\n\"\n"
	"	\"\\t.cfi_undefined rip\\n\\tcall body\\n\\thlt\\n\\t.cfi_endproc\\n\"\n"
	"	\".size _start, . - _start\\n\");\n";

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
	char command[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(command, sizeof(command), format, list);
	va_end(list);
	ck_assert_msg(system(command) == 0, "%s", command);
}

static void set_up(void)
{
	folder_enter();
	ck_assert(!mkdir("tmp", 0700));
	setenv("TMPDIR", "tmp", 1);
	file_write_text("p.c", source);
	run(BUILD "-DSTATUS=0 -DROUNDS=1 -o good p.c");
}

static void tear_down(void)
{
	ck_assert(!chdir("/"));
	run("rm -r %s", folder);
}

static char *output_of(const char *const *arguments, int *ret_status)
{
	static char name[] = "plant", copy[12][64];
	char *argv[14] = { name };
	int count = 0;

	for (; arguments[count]; count++) {
		snprintf(copy[count], sizeof(copy[count]), "%s", arguments[count]);
		argv[count + 1] = copy[count];
	}
	argv[count + 1] = NULL;
	return command_output(command_plant, argv, ret_status);
}

/* ---- one file ----------------------------------------------------------------------------- */

#define ARGUMENTS(...) .argument = { __VA_ARGS__ }

static const struct line_case {
	const char *name;
	const char *argument[10];
	int status;
	const char *says;
} lines[] = {
#define ONE(kind, function) "--kind", kind, "--func", function, "-o", "out"
	{ "planted", ARGUMENTS(ONE("fde-dropped", "leaf"), "good"), EXIT_OK,
	  "fde-dropped in leaf, row 0\n" },
	{ "what_it_was_and_is", ARGUMENTS(ONE("fde-dropped", "leaf"), "good"), EXIT_OK,
	  "  leaf\n\twas  cfa=rsp+8 ra=c-8\n\tis   no FDE covers it\n" },
	{ "json", ARGUMENTS(ONE("fde-dropped", "leaf"), "--json", "good"), EXIT_OK,
	  "\"type\":\"planting\"" },
	{ "json_has_the_ranges", ARGUMENTS(ONE("fde-dropped", "leaf"), "--json", "good"), EXIT_OK,
	  "\"declared\":\"cfa=rsp+8 ra=c-8\",\"planted\":\"no FDE covers it\"" },
	{ "refused", ARGUMENTS(ONE("signal-flag-lost", "leaf"), "good"), EXIT_FINDINGS,
	  "refused: the CIE" },
	{ "no_such_function", ARGUMENTS(ONE("fde-dropped", "nobody"), "good"), EXIT_BAD_INPUT,
	  "no FDE covers a function called nobody" },
	{ "no_such_file", ARGUMENTS(ONE("fde-dropped", "leaf"), "absent"), EXIT_BAD_INPUT,
	  "absent: " },
	{ "no_elf_file", ARGUMENTS(ONE("fde-dropped", "leaf"), "p.c"), EXIT_BAD_INPUT, "p.c: " },
	{ "nowhere_to_write",
	  ARGUMENTS("--kind", "fde-dropped", "--func", "leaf", "-o", "absent/out", "good"),
	  EXIT_ENVIRONMENT, "creating it" },
	{ "a_folder_is_not_replaced",
	  ARGUMENTS("--kind", "fde-dropped", "--func", "leaf", "-o", "tmp", "good"),
	  EXIT_ENVIRONMENT, "replacing it" },
	{ "no_kind", ARGUMENTS("--func", "leaf", "-o", "out", "good"), EXIT_USAGE, "are needed" },
	{ "no_function", ARGUMENTS("--kind", "fde-dropped", "-o", "out", "good"), EXIT_USAGE,
	  "are needed" },
	{ "no_output", ARGUMENTS("--kind", "fde-dropped", "--func", "leaf", "good"), EXIT_USAGE,
	  "are needed" },
	{ "no_file", ARGUMENTS(ONE("fde-dropped", "leaf")), EXIT_USAGE, "no file given" },
	{ "two_files", ARGUMENTS(ONE("fde-dropped", "leaf"), "good", "good"), EXIT_USAGE,
	  "one file" },
	{ "no_such_kind", ARGUMENTS(ONE("nothing", "leaf"), "good"), EXIT_USAGE,
	  "called 'nothing'" },
	{ "list_of_a_file", ARGUMENTS("--list", "good"), EXIT_USAGE, "take no file" },
	{ "list_of_a_kind", ARGUMENTS("--list", "--kind", "fde-dropped"), EXIT_USAGE,
	  "for one file" },
	{ "check_of_a_kind", ARGUMENTS("--check", ".", "--kind", "fde-dropped"), EXIT_USAGE,
	  "one file" },
	{ "check_of_a_function", ARGUMENTS("--check", ".", "--func", "f"), EXIT_USAGE,
	  "for one file" },
	{ "check_of_a_row", ARGUMENTS("--check", ".", "--row", "0"), EXIT_USAGE, "for one file" },
	{ "check_with_an_output", ARGUMENTS("--check", ".", "-o", "out"), EXIT_USAGE,
	  "for one file" },
	{ "list", ARGUMENTS("--list"), EXIT_OK, "\nfde-dropped           " },
	{ "list_json", ARGUMENTS("--list", "--json"), EXIT_OK, "\"kind\":\"fde-dropped\"" },
	{ "no_corpus", ARGUMENTS("--check", "absent"), EXIT_BAD_INPUT, "absent/manifest.tsv" },
};

START_TEST(command_line_is_obeyed)
{
	const struct line_case *c = &lines[_i];
	int status;
	FREED char *output = output_of(c->argument, &status);

	ck_assert_msg(status == c->status, "%s: status %d: %s", c->name, status, output);
	ck_assert_msg(strstr(output, c->says) != NULL, "%s: %s", c->name, output);
	ck_assert_int_eq(access("out", X_OK),
			 status == EXIT_OK && !strcmp(c->argument[0], "--kind") ? 0 : -1);
}
END_TEST

/* A row that is said is the row; the seed chooses another one, and always the same. */
START_TEST(row_and_seed_choose_the_place)
{
	int status;
	static const char *const seeds[][10] = {
		{ ONE("cfa-offset-high", "middle"), "--seed", "5", "good" },
		{ ONE("cfa-offset-high", "middle"), "--row", "1", "good" },
		{ ONE("cfa-offset-high", "middle"), "--row", "2", "good" },
	};
	FREED char *first = output_of(seeds[0], &status);

	ck_assert_msg(status == EXIT_OK, "%s", first);
	FREED char *again = output_of(seeds[0], &status);
	ck_assert_str_eq(first, again);
	for (int row = 1; row <= 2; row++) {
		char said[32], *output = output_of(seeds[row], &status);

		snprintf(said, sizeof(said), "in middle, row %d\n", row);
		ck_assert_msg(strstr(output, said) != NULL, "%s", output);
		free(output);
	}
}
END_TEST

/* What runs from the old file keeps it. */
START_TEST(output_is_a_new_file)
{
	struct stat before, after;
	static const char *const arguments[] = { ONE("fde-dropped", "leaf"), "good", NULL };
	int status;

	umask(0);
	file_write_text("out", "old");
	ck_assert(!link("out", "kept") && !stat("kept", &before));
	free(output_of(arguments, &status));
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert(!stat("kept", &after) && after.st_size == 3);
	ck_assert(!stat("out", &after) && after.st_ino != before.st_ino);
	ck_assert_int_eq(after.st_mode & 07777, 0755);
	ck_assert(!stat("good", &before) && after.st_size == before.st_size);
}
END_TEST

/* A limit stands in for a full disk. */
START_TEST(output_for_which_there_is_no_room)
{
	const struct rlimit limit = { 4000, 4000 }; /* libcheck writes to a file, too */
	static const char *const arguments[] = { ONE("fde-dropped", "leaf"), "good", NULL };
	int status;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert(!setrlimit(RLIMIT_FSIZE, &limit));
	errno = EINTR;
	FREED char *output = output_of(arguments, &status);
	ck_assert_msg(status == EXIT_ENVIRONMENT && strstr(output, "out: writing it"), "%d: %s",
		      status, output);
}
END_TEST

/* ---- a corpus ----------------------------------------------------------------------------- */

static void build_corpus(void)
{
	run(BUILD "-DSTATUS=3 -DROUNDS=1 -o fails p.c");
	run(BUILD "-DSTATUS=0 -DROUNDS=100 -o long p.c");
	run(BUILD "-fno-asynchronous-unwind-tables -fno-unwind-tables -DSTATUS=0 -DROUNDS=1 -o a.o "
		  "-c p.c -Wl,-r && ld --no-ld-generated-unwind-info -r -o bare.o a.o && "
		  "objcopy --remove-section .eh_frame bare.o && ld -o bare bare.o");
	run(BUILD "-DSTATUS=0 -DROUNDS=1 -DWRONG -o faulty p.c");
	run("./good && ./faulty");
	file_write_text("manifest.tsv", "good\tgood\tgcc\tO1\tc\nfails\tfails\tgcc\tO1\tc\n"
					"long\tlong\tgcc\tO1\tc\nbare\tbare\tgcc\tO1\tc\n"
					"absent\tabsent\tgcc\tO1\tc\n"
					"faulty\tfaulty\tgcc\tO1\tc\n"
					"skip:no_compiler\tunbuilt\tgcc\tO1\tc\n");
}

/* The count in a line of text that comes before what; or -1. */
static long count_before(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	if (!at)
		return -1;
	while (at > text && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')))
		at--;
	return strtol(at, NULL, 10);
}

START_TEST(faults_of_a_corpus_are_caught)
{
	static const char *const arguments[] = { "--check",  ".",   "--no-bpf",	  "--jobs", "1",
						 "--points", "500", "--per-kind", "1",	    NULL };
	int status;

	build_corpus();
	FREED char *output = output_of(arguments, &status);

	ck_assert_msg(status == EXIT_OK, "%d: %s", status, output);
	ck_assert_msg(!strstr(output, "FAIL"), "%s", output);
	ck_assert_msg(strstr(output,
			     "left out: 1 programs that run too long, 0 with threads, 1 that "
			     "fail or are too shallow, 1 without .eh_frame, 0 whose FDEs overlap, "
			     "1 whose own CFI is wrong, 0 whose truth is in doubt\n"),
		      "%s", output);
	ck_assert_msg(count_before(output, " programs, ") == 1, "%s", output);
	ck_assert_msg(count_before(output, " points compared, ") > 100, "%s", output);
	ck_assert_msg(count_before(output, " of them became table faults") > 10, "%s", output);
	ck_assert_msg(count_before(output, " passed, 0 failed, 2 skipped\n") > 15, "%s", output);
	/* Nothing of it stays. */
	ck_assert_msg(!rmdir("tmp"), "copies were left");
}
END_TEST

/* The same in numbers, of one program; and the seed says which. */
START_TEST(fates_are_listed)
{
	static const char *const arguments[] = { "--check", ".",	  "--no-bpf", "--program",
						 "goo*",    "--per-kind", "2",	      "--json",
						 "--jobs",  "1",	  NULL };
	long long planted = 0, caught = 0, no_effect = 0, points = 0, faults = 0;
	long long unproven = 0, kinds_planted = 0, kinds_caught = 0, kinds_without = 0;
	const char *name;
	json_t *kind;
	json_t *object = NULL;
	int status;

	build_corpus();
	FREED char *output = output_of(arguments, &status), *again = output_of(arguments, &status);

	ck_assert_str_eq(output, again);
	ck_assert_int_eq(output[strlen(output) - 1], '\n');
	for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n")) {
		json_decref(object);
		object = json_loads(line, 0, NULL);
		ck_assert_msg(object != NULL, "%s", line);
		if (strcmp(json_text(object, "type"), "planted") != 0)
			continue;
		const char *fate = json_text(object, "fate");

		ck_assert_str_eq(json_text(object, "program"), "good");
		ck_assert_str_ne(json_text(object, "declared"), json_text(object, "planted"));
		no_effect += !strcmp(fate, "no_effect");
		planted += strcmp(fate, "no_effect") != 0 && strcmp(fate, "unproven") != 0;
		caught += !strcmp(fate, "caught");
		points += json_count(object, "points");
		faults += json_count(object, "table_faults");
		ck_assert_msg(json_count(object, "table_faults") > 0 || strcmp(fate, "caught") != 0,
			      "%s", fate);
		ck_assert_msg(!json_count(object, "points") || strcmp(fate, "no_effect") != 0, "%s",
			      fate);
		unproven += !strcmp(fate, "unproven");
	}
	ck_assert_str_eq(json_text(object, "type"), "plant_check");
	json_object_foreach(json_object_get(object, "kinds"), name, kind)
	{
		kinds_planted += json_count(kind, "planted");
		kinds_caught += json_count(kind, "caught");
		kinds_without += json_count(kind, "no_effect");
	}
	ck_assert_int_eq(kinds_planted, planted);
	ck_assert_int_eq(kinds_caught, caught);
	ck_assert_int_eq(kinds_without, no_effect);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_int_eq(json_count(object, "planted"), planted);
	ck_assert_int_eq(json_count(object, "caught"), caught);
	ck_assert_int_eq(json_count(object, "unproven"), unproven);
	ck_assert_int_eq(json_count(object, "missed"), 0);
	ck_assert_int_eq(json_count(object, "programs"), 1);
	ck_assert_int_eq(json_count(object, "checked"), planted);
	ck_assert_msg(planted > 20 && planted == caught && no_effect > 0 && points > 0 &&
			      faults > 0,
		      "%lld planted, %lld caught, %lld without effect", planted, caught, no_effect);
	json_decref(object);
}
END_TEST

START_TEST(too_few_plantings_are_a_failure)
{
	static const char *const arguments[] = { "--check", ".",	  "--no-bpf", "--least",
						 "9999",    "--jobs",	  "2",	      "--programs",
						 "1",	    "--per-kind", "1",	      NULL };
	int status;

	file_write_text("manifest.tsv", "good\tgood\tgcc\tO1\tc\n");
	FREED char *output = output_of(arguments, &status);

	ck_assert_msg(status == EXIT_FINDINGS, "%d: %s", status, output);
	ck_assert_msg(strstr(output, "at least 9999 were to be made\n") != NULL, "%s", output);
	ck_assert_msg(strstr(output, " passed, 1 failed, 0 skipped\n") != NULL, "%s", output);
}
END_TEST

/* What can't be read is a failure of its own, and the others are planted. */
START_TEST(program_that_is_none_fails)
{
	static const char *const arguments[] = { "--check", ".",	  "--no-bpf", "--jobs",
						 "1",	    "--per-kind", "1",	      NULL };
	int status;

	file_write_text("manifest.tsv", "p.c\tp\tgcc\tO1\tc\ngood\tgood\tgcc\tO1\tc\n");
	FREED char *output = output_of(arguments, &status);

	ck_assert_msg(status == EXIT_FINDINGS, "%d: %s", status, output);
	ck_assert_msg(strstr(output, "FAIL p.c: ") != NULL, "%s", output);
	ck_assert_msg(count_before(output, " programs, ") == 1, "%s", output);
	ck_assert_msg(strstr(output, " passed, 1 failed, 0 skipped\n") != NULL, "%s", output);
	ck_assert_msg(!rmdir("tmp"), "copies were left");
}
END_TEST

SUITE_MAIN(plant_command)
{
	Suite *suite = suite_create("plant_command");
	TCase *tcase = tcase_create("plant_command");
	struct error error = { 0 };

	tcase_set_timeout(tcase, 240);
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, command_line_is_obeyed, 0, COUNT(lines));
	tcase_add_test(tcase, row_and_seed_choose_the_place);
	tcase_add_test(tcase, output_is_a_new_file);
	tcase_add_test(tcase, output_for_which_there_is_no_room);
	if (may_trace(&error)) {
		tcase_add_test(tcase, faults_of_a_corpus_are_caught);
		tcase_add_test(tcase, fates_are_listed);
		tcase_add_test(tcase, program_that_is_none_fails);
		tcase_add_test(tcase, too_few_plantings_are_a_failure);
	} else {
		printf("SKIP: %s\n", error.message);
	}
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
