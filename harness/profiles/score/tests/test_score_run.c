/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_run.c - a command that is to write a profile: what its end means, and what it said
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/child/ending_signals.h"
#include "profiles/score/score_made.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* A command, whose signals are held. */
#define SHELL(text)                                                                                \
	(&(struct child_shell) { .command = (text), .timeout_ms = 120000, .signals = &signals })

static const struct {
	const char *name, *command;
	int status;	     /* of the command */
	const char *message; /* NULL: it wrote the file */
	const char *said;
} runs[] = {
	{ "it_wrote", "echo one; echo two >&2; echo x >out", 0, NULL, "one\ntwo\n" },
	{ "its_programs_status_says_nothing", "echo x >out; exit 3", 3, NULL, "" },
	{ "it_wrote_nothing", "true", 0, "the command ended with status 0, and wrote no profile",
	  "" },
	{ "an_empty_file_is_no_profile", ">out", 0,
	  "the command ended with status 0, and wrote no profile", "" },
	{ "a_folder_is_no_profile", "mkdir out", 0,
	  "the command ended with status 0, and wrote no profile", "" },
	{ "it_was_not_found", "exit 127", 127,
	  "the command ended with status 127: it was not found", "" },
	{ "what_wrote_was_found", "echo x >out; exit 127", 127, NULL, "" },
	{ "it_died", "echo why; echo x >out; kill -9 $$", 0, "the command died of SIGKILL",
	  "why\n" },
};

START_TEST(a_command_ends)
{
	char folder[] = "/tmp/test_score_run.XXXXXX";
	struct score_said said = { "of the command before", 21 };
	struct ending_signals signals;
	struct error error = { 0 };
	int status = -1;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert(!ending_signals_hold(&signals, &error));
	ck_assert_msg(score_command_run(SHELL(runs[_i].command), "out", &said, &status, &error) ==
			      (runs[_i].message ? -1 : 0),
		      "%s: %s", runs[_i].name, error.message);
	ending_signals_release(&signals);
	if (runs[_i].message)
		ck_assert_str_eq(error.message, runs[_i].message);
	ck_assert_int_eq(status, runs[_i].status);
	ck_assert_str_eq(said.text, runs[_i].said);
	remove("out");
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(the_end_of_what_it_said_is_kept)
{
	char command[100];
	struct score_said said;
	struct ending_signals signals;
	struct error error;
	int status;

	ck_assert(!ending_signals_hold(&signals, &error));
	snprintf(command, sizeof(command), "yes a | head -c %u; echo the end; exit 1",
		 3 * SCORE_SAID_BYTES + 1);
	ck_assert(score_command_run(SHELL(command), "/nowhere", &said, &status, &error));
	ending_signals_release(&signals);
	ck_assert_uint_eq(said.size, SCORE_SAID_BYTES - 1);
	ck_assert_uint_eq(strlen(said.text), said.size);
	ck_assert_str_eq(said.text + said.size - strlen("\na\nathe end\n"), "\na\nathe end\n");
}
END_TEST

/* A command that writes words into {out}, the program's among them: each is one word again, whatever quotes
 * {program} is within. */
#define WORD  "it's \"a\" $x `y` \\z"
#define WORDS "[p][" WORD "]"

static const struct {
	const char *command, *words;
} texts[] = {
	{ "printf '[%s]' {program} >{out}", WORDS },
	{ "printf '[%s]' {program} {program} >{out}", WORDS WORDS },
	{ "sh -c 'printf [%s] {program}' >{out}", WORDS },
	{ "sh -c \"printf [%s] {program}\" >{out}", WORDS },
	{ "printf '[%s]' 'a\\' {program} >{out}", "[a\\]" WORDS },
	{ "printf '[%s]' \\' {program} >{out}", "[']" WORDS },
	{ "printf '[%s]' \"\\\"\" {program} >{out}", "[\"]" WORDS },
	{ "printf '[%s]' \"'\" {program} >{out}", "[']" WORDS },
	{ "printf '[%s]' {other} {program >{out}", "[{other}][{program]" },
	{ "printf '[%s]' {pid} '{pid}' {pid >{out}", "[17][17][{pid]" },
};

START_TEST(a_program_is_as_many_words_as_before)
{
	char folder[] = "/tmp/test_score_run.XXXXXX", out[64], got[256] = "";
	char p[] = "p", word[] = WORD, *program[] = { p, word, NULL };
	struct error error;
	char *text;
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(out, sizeof(out), "%s/out", folder);
	text = score_command_text(texts[_i].command, out, program, 17, &error);
	ck_assert_ptr_nonnull(text);
	ck_assert_msg(!system(text), "%s", text);
	file = fopen(out, "re");
	ck_assert_ptr_nonnull(file);
	got[fread(got, 1, sizeof(got) - 1, file)] = '\0';
	fclose(file);
	ck_assert_msg(!strcmp(got, texts[_i].words), "%s: %s", text, got);
	free(text);
	remove(out);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* Where the truth can't be made the profile is not kept open either, and nothing is left in its place. */
START_TEST(nothing_is_left_of_what_failed)
{
	char program[] = "/nonexistent/program", *const argv[] = { program, NULL };
	struct score_making making = {
		"echo x >{out} {program}", argv, "1", true, NULL, 120000, NULL
	};
	struct score_made made;
	struct error error = { 0 };
	int before, after;

	for (int steps = 1; steps >= 0; steps--) {
		making.steps = steps;
		before = dup(STDIN_FILENO);
		close(before);
		ck_assert_msg(score_make(&making, &made, &error) == -steps, "%s", error.message);
		ck_assert_int_eq(made.profile.fd >= 0, !steps);
		ck_assert_uint_eq(made.truths, 0);
		if (steps) /* why */
			ck_assert_ptr_nonnull(strstr(error.message, program));
		score_made_deinit(&made);
		after = dup(STDIN_FILENO);
		close(after);
		ck_assert_int_eq(before, after);
	}
}
END_TEST

static __attribute__((noinline)) unsigned int busy(unsigned int depth)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < 3; i++)
		sum += depth ? busy(depth - 1) : i;
	asm volatile("" : "+r"(sum));
	return sum;
}

/* A process that runs is sampled while it is stepped, and goes on; the profiler gets SIGINT. */
START_TEST(beside_a_process_that_runs)
{
	char own[] = "/proc/self/exe", *const argv[] = { own, NULL };
	struct tracer_attach attach = {
		.burst_steps = 500, .burst_ms = 200, .share = 500, .duration_ms = 1000
	};
	struct score_driving driving = { .attach = &attach };
	struct score_making making = {
		"trap 'echo x >{out}; exit' INT; while :; do kill -0 {pid}; sleep 0.1; done",
		argv,
		"1",
		true,
		&driving,
		120000,
		NULL,
	};
	struct truth_file *truth;
	struct score_made made;
	struct error error = { 0 };
	pid_t pid = fork();

	while (!pid)
		busy(4);
	attach.pid = pid;
	ck_assert_msg(!score_make(&making, &made, &error), "%s", error.message);
	ck_assert_int_eq(made.driven.pid, pid);
	ck_assert_msg(!truth_file_open(made.truth[0].path, &truth, &error), "%s", error.message);
	ck_assert_pstr_eq(truth_file_gap(truth), "attached");
	ck_assert_uint_gt(truth_file_number(truth, "points"), 100);
	ck_assert_uint_gt(truth_file_number(truth, "bursts"), 0);
	ck_assert_ptr_nonnull(truth_file_text(truth, "code"));
	truth_file_close(truth);
	score_made_deinit(&made);
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
END_TEST

SUITE(score_run, TEST(beside_a_process_that_runs), TIMEOUT(300), LOOP(a_command_ends, runs),
      TEST(nothing_is_left_of_what_failed), LOOP(a_program_is_as_many_words_as_before, texts),
      TEST(the_end_of_what_it_said_is_kept))
