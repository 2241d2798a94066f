/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_exit_status.c - what commands say with their exit status, and `stackproof replay` of what
 * can't be played, as a user runs it
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "command_output.h"
#include "base/cli/exit_status.h"
#include "judge/replay/recording.h"

#define COUNT_OF(array) (int)(sizeof(array) / sizeof((array)[0]))

static const struct {
	enum error_code code;
	int system_errno;
	enum exit_status status;
} errors[] = {
	{ ERROR_THIN_ARCHIVE, 0, EXIT_BAD_INPUT },
	{ ERROR_NOT_ELF, 0, EXIT_BAD_INPUT },
	{ ERROR_ELF_BOUNDS, 0, EXIT_BAD_INPUT },
	{ ERROR_UNSUPPORTED_ELF, 0, EXIT_BAD_INPUT },
	{ ERROR_SYSTEM, ENOENT, EXIT_BAD_INPUT },
	{ ERROR_SYSTEM, EACCES, EXIT_BAD_INPUT },
	{ ERROR_SYSTEM, ENOEXEC, EXIT_BAD_INPUT },
	{ ERROR_SYSTEM, EIO, EXIT_ENVIRONMENT },
	{ ERROR_MEMORY, 0, EXIT_ENVIRONMENT },
	{ ERROR_TIMEOUT, 0, EXIT_ENVIRONMENT },
	{ ERROR_UNAVAILABLE, 0, EXIT_ENVIRONMENT },
	{ ERROR_UNAVAILABLE, EMFILE, EXIT_ENVIRONMENT },
	{ ERROR_UNAVAILABLE, EPERM, EXIT_ENVIRONMENT },
	{ ERROR_SEARCH_TABLE, 0, EXIT_BAD_INPUT },
	{ ERROR_CFI_LENGTH, 0, EXIT_BAD_INPUT },
	{ ERROR_CIE_VERSION, 0, EXIT_BAD_INPUT },
	{ ERROR_TABLE_LIMIT, 0, EXIT_ENVIRONMENT },
	{ ERROR_PROTOCOL, 0, EXIT_ENVIRONMENT },
	{ ERROR_SYSTEM, 0, EXIT_ENVIRONMENT },
	{ ERROR_SYSTEM, EMFILE, EXIT_ENVIRONMENT },
};

START_TEST(of_an_error)
{
	const struct error error = { .code = errors[_i].code,
				     .system_errno = errors[_i].system_errno };
	bool is_want = error.system_errno == EMFILE || error.code == ERROR_MEMORY;

	ck_assert_int_eq(error_is_environment(&error),
			 is_want || (error.code == ERROR_SYSTEM && !error.system_errno));
	ck_assert_int_eq(exit_status_of_error(&error), errors[_i].status);
}
END_TEST

/* What is blamed on it is its own, but want keeps its number. */
START_TEST(environment_is_blamed)
{
	struct error error = { .code = errors[_i].code, .system_errno = errors[_i].system_errno };
	bool is_want = error.system_errno == EMFILE && error.code == ERROR_SYSTEM;

	error_blame_environment(&error);
	ck_assert_int_eq(error.system_errno, is_want ? EMFILE : 0);
	ck_assert_int_eq(error.code, errors[_i].code);
	if (error.code == ERROR_SYSTEM)
		ck_assert_int_eq(exit_status_of_error(&error), EXIT_ENVIRONMENT);
}
END_TEST

/* ---- commands --------------------------------------------------------------------------- */

/* Nothing happens in it. */
#define EMPTY RECORDING_MAGIC_2 "N\x05#made"

static const struct {
	const char *name;
	int (*command)(int argc, char **argv);
	const char *arguments[4];
	int status;
	const char *words; /* of the output */
} cases[] = {
	{ "compare_method", command_compare, { "--method=sideways" }, EXIT_USAGE, "loop or chain" },
	{ "sample_method", command_sample, { "--method=" }, EXIT_USAGE, "loop or chain" },
	{ "replay_method", command_replay, { "--method=looping" }, EXIT_USAGE, "loop or chain" },
	{ "no_recording_named", command_replay, { "--json" }, EXIT_USAGE, "Usage" },
	{ "a_program_that_is_missing", command_compare, { "./nothing" }, EXIT_BAD_INPUT, NULL },
	{ "files_of_none", command_replay, { "--files", "nothing" }, EXIT_BAD_INPUT, "nothing: " },
	{ "files_of_another_file",
	  command_replay,
	  { "--files", "other", "empty" },
	  EXIT_BAD_INPUT,
	  "other: recording+0x0: it does not begin as one" },
	{ "files_of_a_folder", command_replay, { "--files", "." }, EXIT_BAD_INPUT, "no regular" },
	{ "files_of_no_image", command_replay, { "--files", "empty" }, EXIT_OK, NULL },
	{ "files_of_half_of_one",
	  command_replay,
	  { "--files", "empty", "half" },
	  EXIT_BAD_INPUT,
	  "it is cut off" },
};

static void begin(void)
{
	folder_enter();
	ck_assert_int_eq(chmod(".", 0755), 0); /* for another user */
	file_write("empty", EMPTY "E\0", sizeof(EMPTY "E"));
	file_write("half", EMPTY, sizeof(EMPTY) - 1);
	file_write("other", "words", 5);
}

static void end(void)
{
	ck_assert(!unlink("empty") && !unlink("half") && !unlink("other"));
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(of_a_command)
{
	char *arguments[6] = { "command" };
	int status;

	for (int i = 0; i < 4; i++)
		arguments[i + 1] = (char *)cases[_i].arguments[i];
	FREED char *output = command_output(cases[_i].command, arguments, &status);
	ck_assert_msg(status == cases[_i].status, "%s: %d: %s", cases[_i].name, status, output);
	ck_assert_msg(!cases[_i].words || strstr(output, cases[_i].words), "%s: %s", cases[_i].name,
		      output);
}
END_TEST

/* Where BPF may be used: one that can't be read, in any place, takes nothing from the others. */
START_TEST(of_several_recordings)
{
	static char *const given[][4] = {
		{ "empty", "empty" },
		{ "other", "empty" },
		{ "empty", "other" },
		{ "half", "empty", "nothing" },
	};
	/* A recording of no points plays nothing. */
	static const int expected[] = { EXIT_SKIPPED, EXIT_BAD_INPUT, EXIT_BAD_INPUT,
					EXIT_BAD_INPUT };
	char *arguments[] = { "replay",	    "--json",	  given[_i][0], given[_i][1],
			      given[_i][2], given[_i][3], NULL };
	int status;
	FREED char *output = command_output(command_replay, arguments, &status);

	if (strstr(output, "{\"type\":\"skip\",\"reason\":\"no_bpf\",")) {
		ck_assert_int_eq(status, EXIT_SKIPPED);
		printf("SKIP: %s", output);
	} else {
		ck_assert_msg(status == expected[_i], "%d: %s", status, output);
		ck_assert_msg(strstr(output, "\"recording\":\"empty\",\"program\":\"#made\"") !=
				      NULL,
			      "%s", output);
		ck_assert_msg(strstr(output, "{\"type\":\"replays\",") != NULL, "%s", output);
	}
}
END_TEST

#define NO_OTHER_USER 42

static int replay_as_another_user(int argc, char **argv)
{
	return setresuid(65534, 65534, 65534) && geteuid() == 0 ? NO_OTHER_USER
								: command_replay(argc, argv);
}

/* Who may not use BPF is told so, and it is a skip. What is named is looked at all the same. */
static const struct {
	const char *name;
	const char *arguments[3];
	int status;
	const char *not_checked, *words; /* of the last object; of the output */
} refused[] = {
	{ "one", { "empty" }, EXIT_SKIPPED, "{\"skipped\":1}", "\"method\":\"none\"" },
	{ "two", { "empty", "empty" }, EXIT_SKIPPED, "{\"skipped\":2}", "" },
	{ "strict", { "--strict", "empty" }, EXIT_FINDINGS, "{\"skipped\":1}", "" },
	{ "a_missing_one",
	  { "empty", "nothing" },
	  EXIT_BAD_INPUT,
	  "{\"unreadable\":1,\"skipped\":1}",
	  "nothing: No such file" },
	{ "another_file",
	  { "other" },
	  EXIT_BAD_INPUT,
	  "{\"unreadable\":1}",
	  "other: recording+0x0: it does not begin as one" },
	{ "a_cut_one",
	  { "half", "empty" },
	  EXIT_BAD_INPUT,
	  "{\"unreadable\":1,\"skipped\":1}",
	  "it is cut off" },
};

START_TEST(without_bpf)
{
	char *arguments[6] = { "replay", "--json" }, wanted[256];
	int status;

	for (int i = 0; i < 3; i++)
		arguments[i + 2] = (char *)refused[_i].arguments[i];
	FREED char *output = command_output(replay_as_another_user, arguments, &status);

	if (status == NO_OTHER_USER) {
		printf("SKIP: no other user\n");
	} else {
		ck_assert_msg(status == refused[_i].status, "%s: %d: %s", refused[_i].name, status,
			      output);
		ck_assert_msg(strstr(output, "{\"type\":\"skip\",\"reason\":\"no_bpf\",") != NULL,
			      "%s", output);
		snprintf(wanted, sizeof(wanted),
			 "\"checked\":0,\"checked_unit\":\"points\",\"not_checked\":%s,"
			 "\"exit_status\":%d}\n",
			 refused[_i].not_checked, status);
		ck_assert_msg(strstr(output, wanted) != NULL, "%s", output);
		ck_assert_msg(strstr(output, refused[_i].words) != NULL, "%s", output);
	}
}
END_TEST

static int replay_in_want(int argc, char **argv)
{
	const struct rlimit few = { 8, 8 };

	return setrlimit(RLIMIT_NOFILE, &few) ? EXIT_FAILURE : command_replay(argc, argv);
}

/* Without file descriptors nothing is known of BPF here. */
START_TEST(without_descriptors)
{
	char *arguments[] = { "replay", "empty", NULL };
	int status;
	FREED char *output = command_output(replay_in_want, arguments, &status);

	if (strstr(output, strerror(EPERM)))
		printf("SKIP: %s", output);
	else
		ck_assert_msg(status == EXIT_ENVIRONMENT, "%d: %s", status, output);
}
END_TEST

SUITE(exit_status, GROUP(exit_status), LOOP(of_an_error, errors),
      LOOP(environment_is_blamed, errors), GROUP(commands), FIXTURE(begin, end),
      LOOP(of_a_command, cases), TIMES(of_several_recordings, 4), LOOP(without_bpf, refused),
      TEST(without_descriptors))
