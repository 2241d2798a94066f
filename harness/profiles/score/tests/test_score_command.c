/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_command.c - `stackproof score` on a program that is stepped here: what `truth --folded` writes it
 * reads, and a profile of which most is unproven passes no gate
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"
#include "profiles/score/score_made.h"
#include "truth_file/truth_file.h"

/* _start calls f twice, and f's caller can be read off names alone. */
#define START                                                                                      \
	".globl _start\n.cfi_startproc\n.cfi_undefined %rip\n_start:\ncall f\ncall f\nmov $60, "   \
	"%eax\nxor %edi, %edi\nsyscall\n.cfi_endproc\n.size _start, . - _start\n"
#define FUNCTION(name)                                                                             \
	".type " name ", @function\n" name                                                         \
	":\n.cfi_startproc\nnop\nret\n.cfi_endproc\n.size " name ", . - " name "\n"

static char folder[] = "/tmp/test_score_command.XXXXXX";
static char program[64], truth[64], folded[64], other[64];

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(truth, sizeof(truth), "%s/truth", folder);
	snprintf(folded, sizeof(folded), "%s/folded", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
}

static void end(void)
{
	unlink(program);
	unlink(truth);
	unlink(folded);
	unlink(other);
	rmdir(folder);
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
}

static void assemble(const char *text, const char *options)
{
	char command[256];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "gcc-12 -static -nostdlib -Wl,-Ttext=0x401000 -Wl,--build-id %s -o %s -x "
		 "assembler -",
		 options, program);
	pipe = popen(command, "we");
	ck_assert_ptr_nonnull(pipe);
	fputs(text, pipe);
	ck_assert_int_eq(pclose(pipe), 0);
}

static void make_truth(const char *text, const char *options)
{
	char *arguments[] = { "stackproof truth", "--output", truth, "--", program, NULL };
	char *said;
	int status;

	assemble(text, options);
	said = command_output(command_truth, arguments, &status);
	ck_assert_msg(status == EXIT_OK, "%s", said);
	free(said);
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static const struct written_case {
	const char *name, *text, *options, *has; /* a part of what is written */
} written[] = {
	{ "names", START FUNCTION("f"), "", "_start;f 4\n" },
	{ "without_symbols", START FUNCTION("f"), "-s", "fde@0x" },
	{ "a_name_with_a_semicolon", START FUNCTION("\"a;b c\"") ".globl f\nf = \"a;b c\"\n", "",
	  "_start;" },
	{ "a_mangled_name", START ".set f, _ZN1a1fEi\n" FUNCTION("_ZN1a1fEi"), "", "_start;" },
	{ "a_clone_and_a_version", START ".set f, f.part.0\n" FUNCTION("f.part.0"), "", "_start;" },
};

START_TEST(what_is_written_is_read)
{
	const struct written_case *test = &written[_i];
	char *fold[] = { "stackproof truth", "--folded", truth, NULL };
	char *score[] = { "stackproof score", "--truth", truth, folded, NULL };
	char *text, *said;
	int status;

	make_truth(test->text, test->options);
	text = command_output(command_truth, fold, &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_msg(strstr(text, test->has) != NULL, "%s: %s", test->name, text);
	write_text(folded, text);
	said = command_output(command_score, score, &status);
	ck_assert_msg(status == EXIT_OK && strstr(said, "100.00 %          0   0.00 %"),
		      "%s: %d\n%s%s", test->name, status, text, said);
	free(said);
	free(text);
}
END_TEST

static const struct thin_case {
	const char *name, *profile, *other; /* two profiles; the second may be NULL */
	int status;
	bool is_said;
} thin[] = {
	{ "half_of_it_is_proven", "_start;f 5\n_start;nobody 5\n", NULL, EXIT_OK, false },
	{ "less_than_half", "_start;f 4\n_start;nobody 5\n", NULL, EXIT_FINDINGS, true },
	{ "samples_of_nobody_don_t_count", "_start;f 5\nnobody;f 5\n[kernel] 9\n", NULL, EXIT_OK,
	  false },
	{ "nothing_is_proven", "_start;nobody 5\n", NULL, EXIT_SKIPPED, true },
	{ "nothing_of_one_of_two", "_start;nobody 5\n", "_start;f 500\n", EXIT_FINDINGS, true },
	{ "a_finding_is_one", "f;_start 1\n_start;nobody 5\n", NULL, EXIT_FINDINGS, true },
};

START_TEST(most_of_it_unproven)
{
	const struct thin_case *test = &thin[_i];
	char *score[] = {
		"stackproof score",	    "--same", "build,run", "--truth", truth, folded,
		test->other ? other : NULL, NULL
	};
	char *said, want[128];
	int status;

	make_truth(START FUNCTION("f"), "");
	write_text(folded, test->profile);
	if (test->other)
		write_text(other, test->other);
	said = command_output(command_score, score, &status);
	ck_assert_msg(status == test->status, "%s: %d\n%s", test->name, status, said);
	snprintf(want, sizeof(want),
		 "are unproven: what follows says little of this profile\n%s: ", folded);
	ck_assert_msg((strstr(said, want) != NULL) == test->is_said, "%s:\n%s", test->name, said);
	free(said);
}
END_TEST

/* Two profiles in either order: the sums and the status are of both, whichever came first. */
static const struct two_case {
	const char *name, *one, *other; /* NULL: it is not there */
	bool strict;
	int status, checked;
	const char *not_checked; /* as JSON */
} two[] = {
	{ "both_are_right", "_start;f 1\n", "_start;f 2\n", false, 0, 3, "" },
	{ "one_is_wrong", "_start;f 1\n", "f;_start 2\n", false, 1, 3, "" },
	{ "one_is_empty", "_start;f 1\n", "[kernel] 2\n", false, 0, 1, "\"left_samples\":2" },
	{ "both_are_empty", "[kernel] 1\n", "[kernel] 2\n", false, 77, 0, "\"left_samples\":3" },
	{ "one_is_not_there", "_start;f 1\n", NULL, false, 3, 1, "\"unreadable\":1" },
	{ "one_is_wrong_and_one_is_not_there", "f;_start 1\n", NULL, false, 1, 1,
	  "\"unreadable\":1" },
	{ "one_is_not_there_and_one_is_empty", NULL, "[kernel] 1\n", false, 3, 0,
	  "\"unreadable\":1,\"left_samples\":1" },
	{ "of_one_nothing_can_be_read", "_start;f x\n", "_start;f 1\n", false, 3, 1,
	  "\"unread_samples\":1" },
	{ "of_one_nothing_of_the_other_a_part", "_start;f x\n", "_start;f 1\n_start;f x\n", false,
	  3, 1, "\"unread_samples\":2" },
	{ "of_both_a_part", "_start;f 1\n_start;f x\n", "_start;f 2\n_start;f x\n", false, 0, 3,
	  "\"unread_samples\":2" },
	{ "of_one_most_is_unproven", "_start;f 1\n_start;nobody 2\n", "_start;f 9\n", false, 1, 10,
	  "\"unproven_samples\":2" },
	{ "of_one_all_is_unproven", "_start;nobody 2\n", "_start;f 9\n", false, 1, 9,
	  "\"unproven_samples\":2" },
	{ "all_is_unproven_or_empty", "_start;nobody 2\n", "[kernel] 1\n", false, 77, 0,
	  "\"unproven_samples\":2,\"left_samples\":1" },
	{ "strictly_right", "_start;f 1\n", "_start;f 2\n", true, 0, 3, "" },
	{ "strictly_empty", "_start;f 1\n", "[kernel] 2\n", true, 0, 1, "\"left_samples\":2" },
	{ "strictly_unread", "_start;f 1\n", "_start;f 2\n_start;f x\n", true, 3, 3,
	  "\"unread_samples\":1" },
	{ "strictly_unproven", "_start;f 4\n", "_start;f 2\n_start;nobody 1\n", true, 0, 6,
	  "\"unproven_samples\":1" },
};

START_TEST(two_profiles)
{
	char *said;

	make_truth(START FUNCTION("f"), "");
	for (int i = 0; i < COUNT(two); i++)
		for (int turned = 0; turned < 2; turned++) {
			const char *path[] = { folded, other };
			char *score[] = { "stackproof score",
					  "--json",
					  "--format",
					  "folded",
					  "--same",
					  "build,run",
					  "--truth",
					  truth,
					  two[i].strict ? "--strict" : "--json",
					  turned ? other : folded,
					  turned ? folded : other,
					  NULL };
			char total[256];
			int status;

			for (int j = 0; j < 2; j++) {
				const char *text = j ? two[i].other : two[i].one;

				unlink(path[j]);
				if (text)
					write_text(path[j], text);
			}
			said = command_output(command_score, score, &status);
			snprintf(total, sizeof(total),
				 "\"checked\":%d,\"checked_unit\":\"samples\",\"not_checked\":{%s},"
				 "\"exit_status\":%d}\n",
				 two[i].checked, two[i].not_checked, two[i].status);
			ck_assert_msg(status == two[i].status && strstr(said, total), "%s: %d\n%s",
				      two[i].name, status, said);
			free(said);
		}
}
END_TEST

#define START_OF(text)                                                                             \
	".globl _start\n.cfi_startproc\n.cfi_undefined %rip\n_start:\n" text ".cfi_endproc\n"
#define EXIT "mov $60, %eax\nxor %edi, %edi\nsyscall\n"

/* Stepped here, for a profile that a command makes: as long as that may take, silently, until we are to end. */
static const struct stepped_case {
	const char *name, *text;
	char timeout_s[4];
	int status;
	const char *has, *lacks;
} stepped[] = {
	{ "it_ends", START_OF(EXIT), "3", EXIT_OK, "1 100.00 %", "not all of the run" },
	{ "it_does_not_end", START_OF("1: jmp 1b\n"), "3", EXIT_OK,
	  "not all of the run, so that nothing is impossible: timeout\n", NULL },
	{ "it_prints",
	  START_OF("mov $1, %eax\nmov $1, %edi\nlea text(%rip), %rsi\nmov $5, %edx\nsyscall\n" EXIT
		   "text: .ascii \"hello\"\n"),
	  "3", EXIT_OK, "1 100.00 %", "hello" },
	{ "it_ends_us",
	  START_OF("mov $110, %eax\nsyscall\nmov %eax, %edi\nmov $15, %esi\nmov $62, %eax\n"
		   "syscall\n1: jmp 1b\n"),
	  "90", EXIT_ENVIRONMENT, "the run was ended by SIGTERM", "100.00 %" },
};

START_TEST(a_program_is_stepped_for_a_profile)
{
	const struct stepped_case *test = &stepped[_i];
	const time_t began = time(NULL);
	char timeout_s[sizeof(test->timeout_s)];
	char *score[] = { "stackproof score",
			  "--timeout",
			  timeout_s,
			  "--run",
			  "echo _start 1 >{out}; : {program}",
			  "--",
			  program,
			  NULL };
	char *said;
	int status;

	assemble(test->text, "");
	strcpy(timeout_s, test->timeout_s);
	said = command_output(command_score, score, &status);
	ck_assert_msg(status == test->status && strstr(said, test->has) &&
			      (!test->lacks || !strstr(said, test->lacks)),
		      "%s: %d\n%s", test->name, status, said);
	ck_assert_int_lt(time(NULL) - began, 60); /* who is to end doesn't wait */
	free(said);
}
END_TEST

/* Both files are there while they are held open, also where the command says that it failed. */
START_TEST(what_is_made)
{
	char *argv[] = { program, NULL }, line[64] = "";
	const struct score_making making = { "echo _start 1 >{out}; echo said; exit 5 # {program}",
					     argv,
					     "1.2",
					     true,
					     NULL,
					     60000,
					     NULL };
	struct truth_file *file;
	struct score_made made;
	struct error error;
	FILE *profile;

	assemble(START_OF(EXIT), "");
	ck_assert_msg(!score_make(&making, &made, &error), "%s", error.message);
	ck_assert_int_eq(made.status, 5);
	ck_assert_str_eq(made.said.text, "said\n");
	profile = fopen(made.profile.path, "re");
	ck_assert_ptr_nonnull(profile);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), profile));
	ck_assert_str_eq(line, "_start 1\n");
	fclose(profile);
	ck_assert_int_eq(truth_file_open(made.truth[0].path, &file, &error), 0);
	ck_assert_str_eq(truth_file_text(file, "stackproof"), "1.2");
	ck_assert_str_eq(truth_file_text(file, "program"), program);
	truth_file_close(file);
	snprintf(line, sizeof(line), "%s", made.truth[0].path);
	score_made_deinit(&made);
	ck_assert_int_eq(access(made.profile.path, F_OK), -1);
	ck_assert_int_eq(access(line, F_OK), -1);
}
END_TEST

SUITE(score_command, FIXTURE(begin, end), LOOP(what_is_written_is_read, written),
      LOOP(most_of_it_unproven, thin), TEST(two_profiles),
      LOOP(a_program_is_stepped_for_a_profile, stepped), TEST(what_is_made))
