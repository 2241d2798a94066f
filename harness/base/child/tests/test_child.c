/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_child.c - what a child is started with, and that nothing of it is left; a shell's command
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/child/child.h"
#include "base/child/child_shell.h"

static pid_t own; /* 0: any process may change its environment */

/* Between fork and exec it is not to be called: another thread of the parent may hold its lock. */
int setenv(const char *name, const char *value, int overwrite)
{
	static int (*real)(const char *, const char *, int);

	if (own && getpid() != own)
		_exit(99);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "setenv");
	return real(name, value, overwrite);
}

/* All that it writes. */
static void read_all(int fd, char *ret, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (used + 1 < size && (n = read(fd, ret + used, size - 1 - used)) > 0)
		used += (size_t)n;
	ret[used] = '\0';
	close(fd);
}

#define ARGV(...) .argv = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *argv[4];
	const char *directory;
	bool errors;
	const char *output;
	int status; /* as of waitpid(2) */
	int code;   /* of child_check() */
} cases[] = {
	{ "output_without_errors", ARGV("sh", "-c", "echo out; echo err >&2"), NULL, false, "out\n",
	  0, ERROR_NONE },
	{ "output_and_errors", ARGV("sh", "-c", "echo out; echo err >&2"), NULL, true, "out\nerr\n",
	  0, ERROR_NONE },
	{ "nothing_to_read", ARGV("cat"), NULL, true, "", 0, ERROR_NONE },
	{ "language_is_C", ARGV("sh", "-c", "echo $LC_ALL"), NULL, true, "C\n", 0, ERROR_NONE },
	{ "directory", ARGV("pwd"), "/usr", true, "/usr\n", 0, ERROR_NONE },
	{ "no_directory", ARGV("pwd"), "/no/such", true, "pwd: No such file or directory\n",
	  CHILD_NOT_RUN << 8, ERROR_UNAVAILABLE },
	{ "folders_of_ldconfig", ARGV("sh", "-c", "echo ${PATH#${PATH%:/usr/sbin:/sbin}} $LC_ALL"),
	  NULL, true, ":/usr/sbin:/sbin C\n", 0, ERROR_NONE },
	{ "no_program", ARGV("no-such-program"), NULL, true,
	  "no-such-program: No such file or directory\n", CHILD_NOT_RUN << 8, ERROR_UNAVAILABLE },
	{ "status", ARGV("sh", "-c", "exit 3"), NULL, true, "", 3 << 8, ERROR_NONE },
	{ "signal", ARGV("sh", "-c", "kill -TERM $$"), NULL, true, "", SIGTERM, ERROR_PROTOCOL },
	/* Who starts it holds signals back: it does not inherit that. */
	{ "no_signal_held_back", ARGV("sed", "-n", "s/SigBlk:.0*//p", "/proc/self/status"), NULL,
	  true, "\n", 0, ERROR_NONE },
};

START_TEST(program_runs)
{
	const char *argv[5] = { 0 };
	struct child_command command = { argv, cases[_i].directory, cases[_i].errors, false };
	struct error error = { .code = ERROR_NONE };
	char output[256];
	sigset_t held;
	int fd, status;

	memcpy(argv, cases[_i].argv, sizeof(cases[_i].argv));
	sigemptyset(&held);
	sigaddset(&held, SIGUSR1);
	sigprocmask(SIG_BLOCK, &held, NULL);
	own = getpid();
	pid_t pid = child_start(&command, &fd, &error);
	ck_assert_int_gt(pid, 0);
	read_all(fd, output, sizeof(output));
	status = child_end(pid, false);
	ck_assert_msg(!strcmp(output, cases[_i].output), "%s: \"%s\"", cases[_i].name, output);
	ck_assert_msg(status == cases[_i].status, "%s: status %#x", cases[_i].name, status);
	ck_assert_int_eq(child_check(argv[0], status, &error), cases[_i].code ? -1 : 0);
	ck_assert_int_eq(error.code, cases[_i].code);
}
END_TEST

/* Neither to our output nor to our errors. */
START_TEST(output_may_go_nowhere)
{
	const char *argv[] = { "sh", "-c", "echo out && echo errors >&2 && exit 7", NULL };
	FILE *file = tmpfile();
	int output = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
	struct error error;

	ck_assert_ptr_nonnull(file);
	fflush(NULL);
	dup2(fileno(file), STDOUT_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	pid_t pid = child_start(&(struct child_command) { .argv = argv }, NULL, &error);
	int status = pid > 0 ? child_end(pid, false) : -1;
	dup2(output, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	close(output);
	close(errors);
	ck_assert_int_eq(status, 7 << 8);
	ck_assert_int_eq(lseek(fileno(file), 0, SEEK_END), 0);
	fclose(file);
}
END_TEST

static int pipes_left = -1, processes_left = -1; /* below 0: as many as there are */

int pipe2(int ret[2], int flags)
{
	if (pipes_left && (pipes_left < 0 || pipes_left--))
		return (int)syscall(SYS_pipe2, ret, flags);
	errno = EMFILE;
	return -1;
}

pid_t fork(void)
{
	if (processes_left && (processes_left < 0 || processes_left--))
		return _Fork();
	errno = EAGAIN;
	return -1;
}

/* It is said for what, and nothing is left open. */
START_TEST(nothing_can_be_started)
{
	const char *argv[] = { "program", "-c", NULL };
	const struct child_command command = { .argv = argv };
	struct error error;
	int before = dup(STDIN_FILENO), output = 7;

	close(before);
	pipes_left = 0;
	ck_assert_int_eq(child_start(&command, &output, &error), -1);
	pipes_left = -1;
	ck_assert_str_eq(error.message, "a pipe for program: Too many open files");
	processes_left = 0;
	for (int i = 0; i < 2; i++) {
		error = (struct error) { 0 };
		output = 7;
		pid_t pid = child_start(&command, i ? &output : NULL, &error);

		ck_assert_int_eq(pid, -1);
		ck_assert_int_eq(output, i ? -1 : 7);
		ck_assert_str_eq(error.message,
				 "a process for program: Resource temporarily unavailable");
		ck_assert_int_eq(error.code, ERROR_SYSTEM);
	}
	processes_left = -1;
	int after = dup(STDIN_FILENO);
	ck_assert_int_eq(after, before);
	close(after);
}
END_TEST

/* A process that sleeps and has the pipe's other end open: reading ends when it does. */
static void leave_sleeper(int end)
{
	if (fork())
		return;
	write(end, "s", 1);
	for (;;)
		pause();
}

/* at_once: the child sleeps too. */
START_TEST(group_ends_with_child)
{
	bool at_once = _i;
	char byte;
	int ends[2], status;

	ck_assert(!pipe(ends));
	pid_t pid = child_fork();
	if (!pid) {
		leave_sleeper(ends[1]);
		while (at_once)
			pause();
		_exit(5);
	}
	close(ends[1]);
	ck_assert_int_eq(getpgid(pid), pid);
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	status = child_end(pid, at_once);
	ck_assert_int_eq(status, at_once ? SIGKILL : 5 << 8);
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	ck_assert(waitpid(pid, NULL, 0) < 0 && errno == ECHILD);
}
END_TEST

START_TEST(child_ends_with_its_parent)
{
	char byte;
	int ends[2];

	ck_assert(!pipe(ends));
	pid_t between = fork();
	if (!between) {
		pid_t pid = child_fork();

		if (!pid) {
			write(ends[1], "s", 1);
			for (;;)
				pause();
		}
		pause();
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	kill(between, SIGKILL);
	waitpid(between, NULL, 0);
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
}
END_TEST

/* ---- a shell's command ------------------------------------------------------------------------ */

static void keep(void *context, const char *text, size_t size)
{
	strncat(context, text, size);
}

static const struct {
	const char *command, *said;
	unsigned int timeout_ms;
	int sent; /* a signal that has come, or 0 */
	int result, status, code;
	const char *why;
} shell_cases[] = {
	{ "echo out; echo err >&2; exit 3", "out\nerr\n", 600000, 0, 0, 3 << 8, ERROR_NONE, "" },
	{ "kill -TERM $$", "", 600000, 0, 0, SIGTERM, ERROR_NONE, "" },
	/* It has not ended while anybody can print. */
	{ "(sleep 0.3; echo late) & exit 0", "late\n", 600000, 0, 0, 0, ERROR_NONE, "" },
	{ "sleep 600", "", 100, 0, -1, SIGKILL, ERROR_TIMEOUT, "the command ran longer than 0 s" },
	{ "sleep 600", "", 1500, 0, -1, SIGKILL, ERROR_TIMEOUT, "the command ran longer than 1 s" },
	{ "sleep 600", "", 600000, SIGHUP, -1, SIGKILL, ERROR_SYSTEM,
	  "the run was ended by SIGHUP" },
};

START_TEST(shell_is_heard_to_its_end)
{
	struct ending_signals signals;
	char said[100] = "";
	struct child_shell shell = { .command = shell_cases[_i].command,
				     .timeout_ms = shell_cases[_i].timeout_ms,
				     .signals = &signals,
				     .hear = keep,
				     .context = said };
	struct error error = { 0 };
	int status = -1;

	ck_assert_int_eq(ending_signals_hold(&signals, &error), 0);
	if (shell_cases[_i].sent)
		raise(shell_cases[_i].sent);
	ck_assert_int_eq(child_shell_run(&shell, &status, &error), shell_cases[_i].result);
	ending_signals_release(&signals);
	ck_assert_int_eq(status, shell_cases[_i].status);
	ck_assert_str_eq(said, shell_cases[_i].said);
	ck_assert_int_eq(error.code, shell_cases[_i].code);
	ck_assert_str_eq(error.message, shell_cases[_i].why);
}
END_TEST

/* Once it says something it is asked to end: by what is added to the descriptor. */
static const struct {
	const char *command, *said;
	unsigned int timeout_ms, asked;
	int result, status, code;
	const char *why;
	bool ignoring; /* as in the background of a script */
} asked_cases[] = {
	{ "trap 'echo end; exit 4' INT; echo on; while :; do sleep 0.05; done", "on\nend\n", 600000,
	  1, 0, 4 << 8, ERROR_NONE, "", false },
	/* A shell that is about to start a command may take no notice: this one runs. */
	{ "sh -c 'echo on; exec sleep 600'", "on\n", 600000, 1, 0, SIGINT, ERROR_NONE, "", false },
	/* What it started is asked, too. */
	{ "trap : INT; sh -c 'trap \"echo too; exit 0\" INT; echo on; while :; do sleep 0.05; "
	  "done'",
	  "on\ntoo\n", 600000, 1, 0, 0, ERROR_NONE, "", false },
	{ "trap '' INT; echo on; sleep 600", "on\n", 600000, 2, -1, SIGKILL, ERROR_TIMEOUT,
	  "the command was killed", false },
	{ "trap '' INT; echo on; sleep 600", "on\n", 4000, 1, -1, SIGKILL, ERROR_TIMEOUT,
	  "the command ran longer than 4 s behind SIGINT", false },
	{ "trap 'echo end; exit 4' INT; echo on; while :; do sleep 0.05; done", "on\nend\n", 4000,
	  1, 0, 4 << 8, ERROR_NONE, "", true },
	/* Not asked. */
	{ "echo on; sleep 0.1; exit 5", "on\n", 600000, 0, 0, 5 << 8, ERROR_NONE, "", false },
};

struct asking {
	char said[100];
	int fd;
	unsigned int value;
};

static void keep_and_ask(void *context, const char *text, size_t size)
{
	struct asking *asking = context;

	keep(asking->said, text, size);
	if (asking->value)
		eventfd_write(asking->fd, asking->value);
	asking->value = 0;
}

START_TEST(shell_is_asked_to_end)
{
	static const struct ending_signals none = { .fd = -1 };
	struct asking asking = { .fd = eventfd(0, EFD_CLOEXEC), .value = asked_cases[_i].asked };
	const struct child_shell shell = { .command = asked_cases[_i].command,
					   .timeout_ms = asked_cases[_i].timeout_ms,
					   .signals = &none,
					   .hear = keep_and_ask,
					   .context = &asking,
					   .end_fd = asking.fd };
	struct error error = { 0 };
	int status = -1;

	ck_assert_int_ge(asking.fd, 0);
	if (asked_cases[_i].ignoring)
		signal(SIGINT, SIG_IGN);
	ck_assert_int_eq(child_shell_run(&shell, &status, &error), asked_cases[_i].result);
	ck_assert_int_eq(status, asked_cases[_i].status);
	ck_assert_str_eq(asking.said, asked_cases[_i].said);
	ck_assert_int_eq(error.code, asked_cases[_i].code);
	ck_assert_str_eq(error.message, asked_cases[_i].why);
	close(asking.fd);
}
END_TEST

static const struct {
	const char *path, *name, *found; /* NULL: PATH is unset; it is not found */
} finds[] = {
	{ "one:two", "both", "one/both" },
	{ "two:one", "both", "two/both" },
	{ "none:one", "both", "one/both" },
	{ ":one", "here", "./here" },
	{ "one:", "here", "./here" },
	{ "one::two", "here", "./here" },
	{ "one", "here", NULL },
	{ "one", "./here", "./here" },
	{ "one", "one/plain", "one/plain" },
	{ "one:two", "plain", "two/plain" }, /* where it may be executed */
	{ "one", "plain", NULL },
	{ ".", "one", NULL }, /* a folder */
	{ ".", "./one", NULL },
	{ "one", "", NULL },
	{ "", "here", "./here" },
	{ NULL, "sh", "/bin/sh" },
};

START_TEST(a_program_is_found_as_exec_finds_it)
{
	char folder[] = "/tmp/test_child.XXXXXX", found[64];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(
		system("mkdir one two && touch one/both two/both here one/plain two/plain && "
		       "chmod +x one/both two/both here two/plain"),
		0);
	if (finds[_i].path)
		setenv("PATH", finds[_i].path, 1);
	else
		unsetenv("PATH");
	int result = child_find(finds[_i].name, found, sizeof(found));

	setenv("PATH", "/usr/bin:/bin", 1);
	ck_assert_int_eq(system("rm -r one two here"), 0);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	ck_assert_int_eq(result, finds[_i].found ? 0 : -1);
	if (finds[_i].found)
		ck_assert_str_eq(found, finds[_i].found);
}
END_TEST

static const struct {
	const char *name;
	const char *script;
	int number; /* the signal that comes meanwhile; 0: none */
	int result, status;
} endings[] = {
	{ "to_its_end", "exit 3", 0, 0, 3 << 8 },
	{ "ended", "sleep 1000 & sleep 1000", SIGTERM, -1, SIGKILL },
	{ "interrupted", "sleep 1000", SIGINT, -1, SIGKILL },
};

/* What it is waited for by may have the first number, where standard input is closed; and is closed. */
START_TEST(a_signal_ends_what_is_waited_for)
{
	const char *const argv[] = { "sh", "-c", endings[_i].script, NULL };
	struct child_command command = { .argv = argv };
	struct ending_signals signals;
	int status = -1, output;
	struct error error = { 0 };
	char byte;

	ck_assert_int_eq(ending_signals_hold(&signals, &error), 0);
	pid_t pid = child_start(&command, &output, &error);

	ck_assert_int_gt(pid, 0);
	if (endings[_i].number)
		kill(getpid(), endings[_i].number);
	int input = dup(STDIN_FILENO);

	close(STDIN_FILENO);
	int result = child_end_or_signal(pid, &signals, &status, &error), next = dup(input);
	dup2(input, STDIN_FILENO);
	close(input);
	ck_assert_int_eq(next, STDIN_FILENO);
	ck_assert_int_eq(result, endings[_i].result);
	ck_assert_int_eq(status, endings[_i].status);
	ck_assert_int_eq(fcntl(signals.fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(error.system_errno, endings[_i].number ? EINTR : 0);
	ck_assert_int_eq(read(output, &byte, 1), 0); /* nobody of its group has it any more */
	close(output);
	ending_signals_release(&signals);
}
END_TEST

/* Who ignores SIGCHLD does not hear how its children ended: that is no success. */
START_TEST(an_end_that_nobody_heard_is_no_success)
{
	const char *const argv[] = { "sh", "-c", "exit 3", NULL };
	struct child_command command = { .argv = argv };
	struct error error = { 0 };

	signal(SIGCHLD, SIG_IGN);
	int status = child_end(child_start(&command, NULL, &error), false);

	ck_assert_int_eq(status, SIGKILL);
	ck_assert_int_eq(child_check("sh", status, &error), -1);
	child_ends_are_kept();
	status = child_end(child_start(&command, NULL, &error), false);
	ck_assert_int_eq(status, 3 << 8);
}
END_TEST

/* What this process ignores for itself it does not hand on; what it was started with, it does. */
static const struct {
	bool before;
	int number; /* that sh -c 'kill -XFSZ $$' dies of */
} ignored[] = { { false, SIGXFSZ }, { true, 0 } };

START_TEST(a_full_file_is_an_error_here_alone)
{
	const char *const argv[] = { "sh", "-c", "kill -XFSZ $$; exit 0", NULL };
	struct child_command command = { .argv = argv };
	struct error error = { 0 };
	sigset_t again;

	signal(SIGXFSZ, ignored[_i].before ? SIG_IGN : SIG_DFL);
	child_full_file_is_an_error();
	ck_assert(!raise(SIGXFSZ)); /* and lives */
	ck_assert_int_eq(child_end(child_start(&command, NULL, &error), false), ignored[_i].number);
	child_spawn_gives_back(&again);
	ck_assert_int_eq(sigismember(&again, SIGXFSZ), !ignored[_i].before);
	ck_assert_int_eq(sigismember(&again, SIGTERM), 0);
	child_give_back();
	ck_assert(signal(SIGXFSZ, SIG_DFL) == (ignored[_i].before ? SIG_IGN : SIG_DFL));
}
END_TEST

SUITE(child, LOOP(program_runs, cases), TEST(output_may_go_nowhere), TEST(nothing_can_be_started),
      TIMES(group_ends_with_child, 2), TEST(child_ends_with_its_parent),
      LOOP(a_signal_ends_what_is_waited_for, endings), TEST(an_end_that_nobody_heard_is_no_success),
      LOOP(a_full_file_is_an_error_here_alone, ignored),
      LOOP(a_program_is_found_as_exec_finds_it, finds),
      LOOP(shell_is_heard_to_its_end, shell_cases), LOOP(shell_is_asked_to_end, asked_cases))
