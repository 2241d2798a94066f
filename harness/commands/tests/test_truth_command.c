/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_truth_command.c - what `stackproof truth' says beside its file, and with which status it ends
 *
 * The programs are a few instructions. test_contexts.c looks into the file.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"
#include "reports/report/tests/html_check.h"
#include "truth/tracer/tests/stepped_program.h"

static char folder[] = "/tmp/test_truth_command.XXXXXX", program[64], output[64];

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(output, sizeof(output), "%s/truth", folder);
}

static void end(void)
{
	unlink(program);
	unlink(output);
	rmdir(folder);
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
}

/* A word that was pushed is returned through: what is before that is in doubt. */
#define BARE		"f: nop\nret\n"
#define PUSHED		START "push 0x401007\njmp f\n" EXIT
#define MOSTLY_IN_DOUBT PUSHED "f: nop\nnop\nnop\nnop\nret\n"
#define SAYS                                                                                       \
	START "mov eax, 1\nmov edi, 1\nlea rsi, said[rip]\nmov edx, 4\nsyscall\n" EXIT             \
	      "said: .ascii \"loud\"\n"
#define FUNCTION  F "nop\nret\n" END_F
#define TWO_CALLS START "call f\ncall f\n" EXIT FUNCTION
#define KILLS_ITSELF                                                                               \
	START "mov eax, 39\nsyscall\nmov edi, eax\nmov esi, 9\nmov eax, 62\nsyscall\n" EXIT

/* A thread that hides from tracers (CLONE_UNTRACED), and ends; and who waits for that. */
#define HIDES                                                                                      \
	START "mov eax, 56\nmov edi, 0xa10f00\nlea rsi, top[rip]\nxor edx, edx\nlea r10, "         \
	      "lives[rip]\nxor r8d, r8d\nsyscall\ntest eax, eax\nje 1f\nlea rdi, lives[rip]\n"     \
	      "xor esi, esi\nmov edx, 1\nxor r10d, r10d\nmov eax, 202\nsyscall\nmov eax, 231\n"    \
	      "xor edi, edi\nsyscall\n1: mov eax, 60\nsyscall\n.cfi_endproc\n"                     \
	      ".data\nlives: .quad 1\n.bss\n.space 4096\ntop:\n.text\n"

#define OPTIONS(...) .options = { __VA_ARGS__ }
#define SAID(...)    .says = { __VA_ARGS__ }

static const struct line_case {
	const char *name, *text, *options[2];
	int status;
	const char *says[3], *never;
} lines[] = {
	{ "all_is_proven", TWO_CALLS, .status = EXIT_OK, SAID("unproven: 0 points", "", ""),
	  .never = "checked" },
	{ "some_is_in_doubt", PUSHED BARE, .status = EXIT_OK,
	  SAID("unproven: 3 points; 2 stacks are in doubt only\n",
	       "checked: 4 points; not checked: 3 ", ""),
	  .never = "thin" },
	{ "which_is_no_part_that_was_skipped", PUSHED BARE, OPTIONS("--strict"), .status = EXIT_OK,
	  SAID("checked: 4 points; not checked: 3 ", "", ""), .never = "thin" },
	{ "most_is_in_doubt", MOSTLY_IN_DOUBT, .status = EXIT_FINDINGS,
	  SAID("program: the truth is thin: it proves little\n", "unproven: 6 points", ""),
	  .never = "\"" },
	{ "most_is_in_doubt_for_programs", MOSTLY_IN_DOUBT, OPTIONS("--json"),
	  .status = EXIT_FINDINGS,
	  SAID("program: the truth is thin: it proves little\n",
	       "\"checked\":4,\"checked_unit\":\"points\",\"not_checked\":{\"unproven\":6},"
	       "\"exit_status\":1}",
	       "\"unproven\":6,"),
	  .never = "checked: " },
	{ "its_output_is_silenced", SAYS, .status = EXIT_OK, SAID("2 system calls", "", ""),
	  .never = "loud" },
	{ "or_let_through", SAYS, OPTIONS("--pass-output"), .status = EXIT_OK,
	  SAID("loud", "2 system calls", ""), .never = "?" },
	{ "points_are_limited", TWO_CALLS, OPTIONS("--limit=3", "--json"), .status = EXIT_OK,
	  SAID("\"whole\":false,", "\"gap\":\"limit\",", "\"partial\":\"limit\""),
	  .never = "PARTIAL" },
	{ "it_is_told_from_where", TWO_CALLS, OPTIONS("--from=f", "--json"), .status = EXIT_OK,
	  SAID("\"whole\":true,", "\"gap\":\"from\",", "\"from\":\"f\""), .never = "\"partial\"" },
	{ "and_how_often", TWO_CALLS, OPTIONS("--every=2", "--aslr=on"), .status = EXIT_OK,
	  SAID("not all of the program's stacks are in it (every)\n", "5 points of 8 steps", ""),
	  .never = "PARTIAL" },
	{ "from_what_is_never_reached", START "jmp 1f\n1:\n" EXIT FUNCTION, OPTIONS("--from=f"),
	  .status = EXIT_SKIPPED,
	  SAID("program: it came to its end before there was a point: no file is written\n", "",
	       ""),
	  .never = "stacks" },
	{ "which_is_an_object_too", START "jmp 1f\n1:\n" EXIT FUNCTION,
	  OPTIONS("--from=f", "--json"), .status = EXIT_SKIPPED,
	  SAID("\"written\":false,\"whole\":true,\"gap\":\"from\",", "\"exit_status\":77}", ""),
	  .never = "\"partial\"" },
	{ "a_thread_that_nobody_can_follow", HIDES, .status = EXIT_OK,
	  SAID("not all of the program's stacks are in it (threads)\n", "not checked: 1 threads",
	       ""),
	  .never = "thin" },
	{ "fails_if_that_is_asked_for", HIDES, OPTIONS("--strict", "--json"),
	  .status = EXIT_FINDINGS,
	  SAID("\"untraced\":1,", "\"not_checked\":{\"untraced_threads\":1},\"exit_status\":1}",
	       ""),
	  .never = "thin" },
	{ "a_program_that_kills_itself", KILLS_ITSELF, .status = EXIT_ENVIRONMENT,
	  SAID("program: the program was killed by SIGKILL; after ",
	       "PARTIAL (killed): ", "the program was ended by SIGKILL"),
	  .never = "thin" },
};

START_TEST(what_is_said_of_a_run)
{
	const struct line_case *c = &lines[_i];
	char *arguments[8] = { "stackproof truth", "-o", output };
	int count = 3, status;
	FREED char *text = NULL;

	make_program(program, c->text);
	for (int i = 0; i < COUNT(c->options) && c->options[i]; i++)
		arguments[count++] = (char *)c->options[i];
	arguments[count++] = program;
	text = command_output(command_truth, arguments, &status);
	ck_assert_msg(status == c->status, "%s: %d: %s", c->name, status, text);
	for (int i = 0; i < COUNT(c->says); i++)
		ck_assert_msg(strstr(text, c->says[i]), "%s: lacks %s: %s", c->name, c->says[i],
			      text);
	ck_assert_msg(!strstr(text, c->never), "%s: has %s: %s", c->name, c->never, text);
}
END_TEST

/* Stacks whose names nobody knows any more, of a run that was cut short: both are said, beside them. */
START_TEST(what_is_said_of_a_file)
{
	char *arguments[] = { "stackproof truth", "--limit=2", "-o", output, program, NULL };
	char *folded[] = { "stackproof truth", "--folded", output, NULL };
	char *html = NULL, page[300], *paged[] = { "stackproof truth", page, output, NULL };
	char *json[] = { "stackproof truth", "--json", output, NULL };
	char *text, wanted[256];
	size_t room = 0;
	FILE *file;
	int status;

	make_program(program, TWO_CALLS);
	free(command_output(command_truth, arguments, &status));
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_int_eq(unlink(program), 0);
	text = command_output(command_truth, folded, &status);
	ck_assert_int_eq(status, EXIT_OK);
	snprintf(wanted, sizeof(wanted), "%s: PARTIAL (limit): the run did not come to its end\n",
		 output);
	ck_assert_msg(strstr(text, wanted), "%s", text);
	snprintf(wanted, sizeof(wanted),
		 "%s: 1 images are not there any more: their functions have no names\n", output);
	ck_assert_msg(strstr(text, wanted), "%s", text);
	ck_assert_msg(strstr(text, "[program] 1\n[program];[program] 1\n"), "%s", text);
	free(text);
	snprintf(page, sizeof(page), "--page=%s.html", output);
	text = command_output(command_truth, paged, &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_msg(strstr(text, wanted), "%s", text);
	free(text);
	file = fopen(page + 7, "re");
	ck_assert(file && getdelim(&html, &room, 0, file) > 0 && !fclose(file));
	html_check(html);
	ck_assert_ptr_nonnull(strstr(html,
				     "<b>2</b> instructions with a proven stack; the run did not "
				     "come to its end: limit.</p>"));
	ck_assert_int_eq(unlink(page + 7), 0);
	free(html);
	/* Nothing was checked now. */
	text = command_output(command_truth, json, &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_msg(strstr(text, "\"partial\":\"limit\"") && !strstr(text, "exit_status"), "%s",
		      text);
	free(text);
}
END_TEST

#define STEPPED(option) "--" option " is for --output: nothing is stepped"

static const struct {
	const char *name;
	char *arguments[6];
	int status;
	const char *says;
} refused[] = {
	{ "two_files", { "a", "b" }, EXIT_USAGE, "without --output there is one FILE" },
	{ "nothing", { NULL }, EXIT_USAGE, "Usage: " },
	{ "folded_of_what_is_to_be_made",
	  { "--folded", "-o", "a", "b" },
	  EXIT_USAGE,
	  "--folded prints a file that is there" },
	{ "aslr_by_another_word", { "--aslr=yes", "-o", "a", "b" }, EXIT_USAGE, "on or off" },
	{ "every_0", { "--every=0", "-o", "a", "b" }, EXIT_USAGE, "--every is between" },
	{ "every_of_a_file", { "--every=2", "a" }, EXIT_USAGE, STEPPED("every") },
	{ "a_limit_of_a_file", { "--limit=2", "a" }, EXIT_USAGE, STEPPED("limit") },
	{ "a_file_from_somewhere", { "--from=f", "--json", "a" }, EXIT_USAGE, STEPPED("from") },
	{ "output_of_a_file", { "--pass-output", "a" }, EXIT_USAGE, STEPPED("pass-output") },
	{ "an_estimate_of_a_file_s_names",
	  { "--estimate", "--folded", "a" },
	  EXIT_USAGE,
	  STEPPED("estimate") },
	{ "an_estimate_of_nothing", { "--estimate" }, EXIT_USAGE, "Usage: " },
	{ "over_the_program", { "-o", "/proc/self/exe", "/proc/self/exe" }, EXIT_USAGE, "exe" },
	{ "no_such_file", { "/tmp/no/such/file" }, EXIT_BAD_INPUT, "/tmp/no/such/file: " },
	{ "no_truth_file", { "/proc/self/exe" }, EXIT_BAD_INPUT, "/proc/self/exe: " },
	{ "no_such_program",
	  { "-o", "/tmp/no/such/output", "/tmp/no/such" },
	  EXIT_BAD_INPUT,
	  "/tmp/no/such: " },
	{ "no_such_folder",
	  { "-o", "/tmp/no/such/output", "true" },
	  EXIT_ENVIRONMENT,
	  "/tmp/no/such/output" },
};

START_TEST(refusals)
{
	char *arguments[8] = { "stackproof truth" };
	FREED char *text = NULL;
	int status;

	for (int i = 0; refused[_i].arguments[i]; i++)
		arguments[i + 1] = refused[_i].arguments[i];
	text = command_output(command_truth, arguments, &status);
	ck_assert_msg(status == refused[_i].status, "%s: %d: %s", refused[_i].name, status, text);
	ck_assert_msg(strstr(text, refused[_i].says), "%s: %s", refused[_i].name, text);
}
END_TEST

SUITE(truth_command, FIXTURE(begin, end), LOOP(what_is_said_of_a_run, lines),
      TEST(what_is_said_of_a_file), LOOP(refusals, refused))
