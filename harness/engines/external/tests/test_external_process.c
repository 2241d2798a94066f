/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_external_process.c - what an engine's process has of ours, and what is left of it
 */
#include <libgen.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "tests/suite.h"
#include "base/child/child.h"
#include "engines/external/external_inside.h"
#include "external_engines.h"

/* What the engine says to standard error is what the test wants to know. */
static void check_said(const char *command, const char *wanted)
{
	struct external_options options = options_of(command, NULL, false);
	struct external_report report;
	char answer[POINTS][200];
	struct external *external;

	open_engine(&options, &external);
	ask(external, 1, answer);
	external_report(external, &report);
	ck_assert_str_eq(report.said, wanted);
	external_close(external);
}

START_TEST(no_descriptor_is_inherited)
{
	int open_here = dup(STDOUT_FILENO);

	ck_assert_int_ge(open_here, 3);
	check_said(HELLO "exec >&2; ls -1 /proc/$$/fd; exit", "0\n1\n2\n");
	close(open_here);
}
END_TEST

#define ENVIRONMENT                                                                                \
	HELLO "env | grep -v '^\\(PWD\\|_\\|OLDPWD\\|SHLVL\\)=' | LC_ALL=C sort >&2; exit"

START_TEST(the_environment_is_clean)
{
	setenv("LD_BIND_NOW", "1", 1);
	setenv("LANG", "de_DE.UTF-8", 1);
	setenv("PATH", "/usr/bin:/bin", 1);
	setenv("HOME", "/home", 1);
	unsetenv("TMPDIR");
	unsetenv("TZ");
	check_said(ENVIRONMENT, "HOME=/home\nLC_ALL=C\nPATH=/usr/bin:/bin\n");
	setenv("TMPDIR", "/tmp", 1);
	setenv("TZ", "UTC", 1);
	check_said(ENVIRONMENT, "HOME=/home\nLC_ALL=C\nPATH=/usr/bin:/bin\nTMPDIR=/tmp\nTZ=UTC\n");
	setenv("TZ", "", 1); /* which is another time than none */
	check_said(ENVIRONMENT, "HOME=/home\nLC_ALL=C\nPATH=/usr/bin:/bin\nTMPDIR=/tmp\nTZ=\n");
}
END_TEST

START_TEST(signals_are_as_they_were_born)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	ignore_signals();
	check_said(HELLO "grep 'Sig[BI]' /proc/self/status >&2; exit",
		   "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}
END_TEST

/* It leaves no core file, is the first to be killed where memory is short, and a terminal's signals are
 * none of its. */
START_TEST(what_it_does_is_its_own)
{
	struct rlimit cores;

	ck_assert_int_eq(getrlimit(RLIMIT_CORE, &cores), 0);
	cores.rlim_cur = cores.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_CORE, &cores), 0);
	check_said(HELLO "exec >&2; ulimit -S -c; ulimit -H -c; cat /proc/$$/oom_score_adj; "
			 "read id name state parent group rest </proc/$$/stat; "
			 "[ $group = $$ ] && echo leads; exit",
		   "0\n0\n1000\nleads\n");
}
END_TEST

/* The tracer keeps to one CPU; an engine has all that we had when it was opened, each time. */
START_TEST(processors_are_those_that_we_began_with)
{
	static const char command[] = "grep Cpus_allowed_list /proc/self/status >&2; " HELLO
				      "read mappings; exit";
	struct external_options options = options_of(command, NULL, false);
	char line[200] = "", wanted[400], answer[POINTS][200];
	FILE *status = fopen("/proc/self/status", "re");
	struct external_report report;
	struct external *external;
	cpu_set_t one;

	while (strncmp(line, "Cpus_allowed_list", 17) && fgets(line, sizeof(line), status))
		;
	fclose(status);
	open_engine(&options, &external);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	ask(external, 2, answer);
	external_report(external, &report);
	snprintf(wanted, sizeof(wanted), "%s%s", line, line);
	ck_assert_str_eq(report.said, wanted);
	external_close(external);
}
END_TEST

START_TEST(no_byte_ends_what_it_says)
{
	check_said(HELLO "printf 'a\\0b' >&2; exit", "a?b");
}
END_TEST

START_TEST(the_beginning_of_what_it_says_is_kept)
{
	struct external_options options =
		options_of(HELLO "tr '\\0' e </dev/zero | head -c 100000 >&2; exit", NULL, false);
	struct external_report report;
	char answer[POINTS][200];
	struct external *external;

	open_engine(&options, &external);
	ask(external, 1, answer);
	external_report(external, &report);
	ck_assert_uint_eq(strlen(report.said), sizeof(report.said) - 1);
	ck_assert_uint_eq(strspn(report.said, "e"), sizeof(report.said) - 1);
	external_close(external);
}
END_TEST

/* The number in a file that somebody writes. */
static pid_t await_number(const char *path)
{
	int number = 0;

	for (;;) {
		FILE *file = fopen(path, "re");
		int got = file ? fscanf(file, "%d\n", &number) : 0;

		if (file)
			fclose(file);
		if (got == 1)
			return number;
		usleep(1000);
	}
}

/* Who is killed ends nothing itself: the keeper does, also what has left the engine's group. */
START_TEST(engines_end_when_we_are_killed)
{
	char folder[] = "/tmp/external.XXXXXX", engine[64], stray[64], command[300];
	struct external_options options = options_of(command, NULL, false);
	pid_t self, pid[2];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(engine, sizeof(engine), "%s/engine", folder);
	snprintf(stray, sizeof(stray), "%s/stray", folder);
	snprintf(command, sizeof(command),
		 HELLO "setsid sh -c 'echo $$ >%s; exec sleep 1000' & echo $$ >%s; exec sleep 1000",
		 stray, engine);
	self = fork();
	if (!self) {
		struct external *external;
		struct error error;

		if (external_open(&options, &external, &error))
			_exit(1);
		for (;;)
			pause();
	}
	pid[0] = await_number(engine);
	pid[1] = await_number(stray);
	kill(self, SIGKILL);
	ck_assert_int_eq(waitpid(self, NULL, 0), self);
	for (int i = 0; i < 2; i++)
		while (!kill(pid[i], 0))
			usleep(1000);
	unlink(engine);
	unlink(stray);
	rmdir(folder);
}
END_TEST

/* Where the environment names none, it lies beside this program; other programs beside that. */
static const struct {
	const char *host; /* of the environment */
	const char *program, *wanted;
} host_cases[] = {
	{ "/nowhere/host", NULL, "what loads shared objects, /nowhere/host (" },
	{ "", NULL, "what loads shared objects, %s/engine_host (" },
	{ NULL, NULL, "what loads shared objects, %s/engine_host (" },
	{ "/bin/sh", "no such program", "/bin/no such program is not there" },
	{ "/usr/bin/env", "env", "no hello: something that is no message" }, /* text is none */
	{ "/nowhere/host", "sh", "what loads shared objects, /nowhere/host (" },
	{ "/etc/passwd", NULL, "what loads shared objects, /etc/passwd (" }, /* it is no program */
	{ "/bin/sh", "../etc/passwd", "/bin/../etc/passwd is not there" },
};

START_TEST(without_a_host_objects_are_skipped)
{
	struct external_options options = options_of("", host_cases[_i].program ? NULL : "", false);
	char self[PATH_MAX] = "", wanted[2 * PATH_MAX];
	struct external *external;
	struct error error;

	options.program = host_cases[_i].program;
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	snprintf(wanted, 150, host_cases[_i].wanted, dirname(self));
	if (host_cases[_i].host)
		setenv("STACKPROOF_ENGINE_HOST", host_cases[_i].host, 1);
	else
		unsetenv("STACKPROOF_ENGINE_HOST");
	ck_assert_int_eq(external_open(&options, &external, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(!strncmp(error.message, wanted, strlen(wanted)), "%s, not %s", error.message,
		      wanted);
}
END_TEST

/* ---- what goes in and out of it ------------------------------------------------------------- */

#define MANY	 4194304u /* bytes: more than any pipe or socket holds */
#define AWAIT_GO "until rmdir %1$s/go 2>/dev/null; do sleep 0.01; done; "
#define FOLDER	 "/tmp/external.XXXXXX"

/* %1$s in the command: a folder. */
static struct external_process start(const char *command, char folder[])
{
	struct external_process process = { .keeper = 0 };
	char text[300];
	const char *argv[] = { "/bin/sh", "-c", text, NULL };
	struct error error;
	cpu_set_t cpus;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(text, sizeof(text), command, folder);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	ck_assert_int_eq(external_process_start(&process, argv, &cpus, &error), 0);
	return process;
}

static void finish(struct external_process *process, bool at_once, char folder[],
		   const char *wanted)
{
	char said[64] = "";

	external_process_end(process, at_once, said, sizeof(said));
	ck_assert_str_eq(said, wanted);
	free(process->in.data);
	free(process->out.data);
	ck_assert_int_eq(rmdir(folder), 0);
}

static uint64_t later(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)(now.tv_sec + LONG_MS / 1000) * 1000000000u;
}

/* It stays here until it is read: nothing of it is lost. */
START_TEST(what_is_not_read_yet_waits)
{
	char folder[] = FOLDER, go[64], said[64] = "";
	struct external_process process = start(AWAIT_GO "head -c 4194304 | wc -c", folder);
	uint8_t *many = calloc(MANY, 1);

	external_bytes_add(&process.out, many, MANY);
	external_process_pump(&process, 0, said, sizeof(said));
	ck_assert_uint_lt(process.out.taken, process.out.size);
	ck_assert_uint_gt(process.out.taken, 0);
	snprintf(go, sizeof(go), "%s/go", folder);
	ck_assert_int_eq(mkdir(go, 0700), 0);
	while (!process.in.size && !process.died)
		external_process_pump(&process, later(), said, sizeof(said));
	ck_assert_uint_eq(process.in.size, strlen("4194304\n"));
	ck_assert_mem_eq(process.in.data, "4194304\n", process.in.size);
	free(many);
	finish(&process, false, folder, "");
}
END_TEST

/* No shell in between, which would have signals and ends of its own. */
static const struct {
	const char *const argv[4];
	int status;
	const char *output, *said;
} programs[] = {
	{ { "/bin/grep", "SigBlk", "/proc/self/status", NULL },
	  0,
	  "SigBlk:\t0000000000000000\n",
	  "" },
	{ { "/nowhere/engine", NULL },
	  CHILD_NOT_RUN,
	  "",
	  "/nowhere/engine: No such file or directory\n" },
};

START_TEST(a_program_is_run_as_it_is)
{
	struct external_process process = { .keeper = 0 };
	char said[64] = "";
	struct error error;
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	signal(SIGCHLD, SIG_IGN); /* how it ended is known all the same */
	ck_assert_int_eq(external_process_start(&process, programs[_i].argv, &cpus, &error), 0);
	while (!process.died)
		external_process_pump(&process, later(), said, sizeof(said));
	ck_assert(WIFEXITED(process.status));
	ck_assert_int_eq(WEXITSTATUS(process.status), programs[_i].status);
	ck_assert_uint_eq(process.in.size, strlen(programs[_i].output));
	ck_assert(!process.in.size ||
		  !memcmp(process.in.data, programs[_i].output, process.in.size));
	external_process_end(&process, false, said, sizeof(said));
	ck_assert_str_eq(said, programs[_i].said);
	free(process.in.data);
	free(process.out.data);
}
END_TEST

/* Who would have said how it ended is gone; that it has ended is known all the same. */
START_TEST(one_whose_keeper_is_gone_was_killed)
{
	char folder[] = FOLDER, said[64] = "";
	struct external_process process = start("echo 1; exec cat >/dev/null", folder);

	while (!process.in.size)
		external_process_pump(&process, later(), said, sizeof(said));
	ck_assert(!process.died);
	ck_assert_int_eq(kill(process.keeper, SIGKILL), 0);
	while (!process.died)
		external_process_pump(&process, later(), said, sizeof(said));
	ck_assert(WIFSIGNALED(process.status) && WTERMSIG(process.status) == SIGKILL);
	ck_assert_mem_eq(process.in.data, "1\n", 2);
	finish(&process, false, folder, "");
}
END_TEST

/* A process's place is taken by another: nothing of the first one is left in it. */
START_TEST(a_second_process_begins_anew)
{
	char folder[] = FOLDER, said[64] = "";
	struct external_process process = start("printf first; echo one >&2; exit 3", folder);
	static const char *const argv[] = { "/bin/sh", "-c", "cat; printf second; exit 4", NULL };
	struct error error;
	cpu_set_t cpus;

	while (!process.died)
		external_process_pump(&process, later(), said, sizeof(said));
	external_bytes_add(&process.out, "to the first", 12);
	external_process_end(&process, true, said, sizeof(said));
	ck_assert_int_eq(process.keeper, 0);
	external_process_end(&process, true, said,
			     sizeof(said)); /* there is none: nothing happens */
	process.in.failed = process.out.failed = true;
	sched_getaffinity(0, sizeof(cpus), &cpus);
	ck_assert_int_eq(external_process_start(&process, argv, &cpus, &error), 0);
	ck_assert(!process.died && !process.output_ended && !process.in.size && !process.in.taken);
	ck_assert(!process.in.failed && !process.out.failed);
	external_bytes_add(&process.out, "to the second", 13);
	external_process_pump(&process, 0, said, sizeof(said));
	while (!process.in.size)
		external_process_pump(&process, later(), said, sizeof(said));
	ck_assert_mem_eq(process.in.data, "to the second", 13);
	shutdown(process.input, SHUT_WR);
	while (!process.died)
		external_process_pump(&process, later(), said, sizeof(said));
	ck_assert_int_eq(WEXITSTATUS(process.status), 4);
	ck_assert_uint_eq(process.in.size, strlen("to the secondsecond"));
	ck_assert_mem_eq(process.in.data, "to the secondsecond", process.in.size);
	external_process_end(&process, false, said, sizeof(said));
	ck_assert_str_eq(said, "one\n");
	free(process.in.data);
	free(process.out.data);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* What was begun by the first, and looked through for its end, is no part of what the second says. */
START_TEST(a_line_that_was_cut_short_is_forgotten)
{
	char folder[] = FOLDER, said[64] = "";
	struct external_process process = start("printf 'version of many words'", folder);
	static const char *const argv[] = { "/bin/sh", "-c", "echo version 2", NULL };
	struct external_message message = { 0 };
	struct error error;
	cpu_set_t cpus;

	while (!process.died)
		external_process_pump(&process, later(), said, sizeof(said));
	ck_assert_int_eq(external_lines.take(&process.in, &message), TAKE_MORE);
	external_process_end(&process, true, said, sizeof(said));
	sched_getaffinity(0, sizeof(cpus), &cpus);
	ck_assert_int_eq(external_process_start(&process, argv, &cpus, &error), 0);
	while (!process.died)
		external_process_pump(&process, later(), said, sizeof(said));
	ck_assert_int_eq(external_lines.take(&process.in, &message), TAKE_MESSAGE);
	ck_assert_int_eq(message.kind, KIND_VERSION);
	ck_assert_str_eq(message.text, "2");
	finish(&process, true, folder, "");
}
END_TEST

/* Its last words are nobody's, and take no room. */
START_TEST(what_it_says_when_it_is_let_go_is_dropped)
{
	char folder[] = FOLDER, said[64] = "";
	struct external_process process =
		start("cat >/dev/null; head -c 4194304 /dev/zero; echo end >&2", folder);

	external_process_end(&process, false, said, sizeof(said));
	ck_assert_uint_lt(process.in.capacity, MANY / 4);
	finish(&process, false, folder, "");
}
END_TEST

/* What it wrote to standard error before it was ended is kept, though nobody has asked for it. */
START_TEST(what_it_said_before_it_was_ended_is_kept)
{
	char folder[] = FOLDER, go[64];
	struct external_process process = start("echo why >&2; mkdir %1$s/go; exec sleep 1000",
						folder);

	snprintf(go, sizeof(go), "%s/go", folder);
	while (rmdir(go))
		usleep(1000);
	finish(&process, true, folder, "why\n");
}
END_TEST

SUITE(external_process, TIMEOUT(300), TEST(no_descriptor_is_inherited),
      TEST(the_environment_is_clean), TEST(signals_are_as_they_were_born),
      TEST(what_it_does_is_its_own), TEST(processors_are_those_that_we_began_with),
      TEST(no_byte_ends_what_it_says), TEST(the_beginning_of_what_it_says_is_kept),
      TEST(engines_end_when_we_are_killed), LOOP(without_a_host_objects_are_skipped, host_cases),
      TEST(what_is_not_read_yet_waits), LOOP(a_program_is_run_as_it_is, programs),
      TEST(one_whose_keeper_is_gone_was_killed), TEST(a_second_process_begins_anew),
      TEST(a_line_that_was_cut_short_is_forgotten), TEST(what_it_says_when_it_is_let_go_is_dropped),
      TEST(what_it_said_before_it_was_ended_is_kept))
