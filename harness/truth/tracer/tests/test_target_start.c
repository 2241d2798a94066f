/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_target_start.c - a program is stopped at its entry point, runs on untraced, and what can't
 * be started says why
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "truth/tracer/target_start.h"

#define TIMEOUT_MS 60000
#define NOBODY	   (1 << 30) /* a pid that is none */

/* No child is left, and no descriptor but those that were there. */
static void check_nothing_left(int before)
{
	int after = dup(STDIN_FILENO);

	ck_assert_int_eq(after, before);
	close(after);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

static int next_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

static bool may_trace(void)
{
	char *argv[] = { "true", NULL };
	struct error error = { 0 };
	pid_t pid = 0;

	if (target_start(&(struct target_program) { .argv = argv, .silence_output = true },
			 TIMEOUT_MS, &pid, &error))
		return !strstr(error.message, "ptrace");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return true;
}

static const struct {
	const char *argument;
	int status; /* as it ends */
} programs[] = { { "exit 0", 0 }, { "exit 7", 7 << 8 }, { "kill -TERM $$", SIGTERM } };

START_TEST(test_entry)
{
	char *argv[] = { "sh", "-c", (char *)programs[_i].argument, NULL };
	int before = next_descriptor(), status;
	struct user_regs_struct regs;
	struct error error = { 0 };
	pid_t pid;

	ck_assert_msg(
		!target_start(&(struct target_program) { .argv = argv, .silence_output = true },
			      TIMEOUT_MS, &pid, &error),
		"%s", error.message);
	ck_assert(!ptrace(PTRACE_GETREGS, pid, NULL, &regs));
	ck_assert_uint_eq(regs.rip, target_auxv(pid, AT_ENTRY));
	/* The breakpoint is gone. */
	errno = 0;
	ck_assert_uint_ne(ptrace(PTRACE_PEEKTEXT, pid, regs.rip, NULL) & 0xff, 0xcc);
	ck_assert_int_eq(errno, 0);
	ck_assert_msg(!target_release(pid, &error), "%s", error.message);
	ck_assert_int_eq(target_release(pid, &error), -1);
	ck_assert(error.code == ERROR_SYSTEM && strstr(error.message, "PTRACE_DETACH"));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, programs[_i].status);
	check_nothing_left(before);
}
END_TEST

static char folder[64];

static void write_file(const char *name, const void *data, size_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
}

static void set_up(void)
{
	strcpy(folder, "/tmp/test_target_start.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert(!chdir(folder));
}

static void tear_down(void)
{
	char command[128];

	ck_assert(!chdir("/"));
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* What can't be executed is said by its name and the kernel's reason. */
static const struct {
	const char *path;
	int reason;
} failures[] = {
	{ "./absent", ENOENT },
	{ ".", EACCES },
	{ "./text", ENOENT }, /* its interpreter */
	{ "./text/more", ENOTDIR },
};

START_TEST(test_what_can_not_be_started)
{
	char *argv[] = { (char *)failures[_i].path, NULL };
	int before = next_descriptor();
	struct error error = { 0 };
	pid_t pid = 0;

	write_file("text", "#!./nothing\n", 12);
	ck_assert_int_eq(
		target_start(&(struct target_program) { .argv = argv, .silence_output = true },
			     TIMEOUT_MS, &pid, &error),
		-1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_msg(error.system_errno == failures[_i].reason, "%s", error.message);
	ck_assert_msg(!strncmp(error.message, argv[0], strlen(argv[0])), "%s", error.message);
	ck_assert_int_eq(pid, 0);
	check_nothing_left(before);
}
END_TEST

/* No time: but a busy machine may give it to the program, and not to who waits. */
START_TEST(test_too_late)
{
	char *argv[] = { "true", NULL };
	int before = next_descriptor();
	struct error error = { 0 };
	pid_t pid = 0;

	while (!target_start(&(struct target_program) { .argv = argv, .silence_output = true }, 0,
			     &pid, &error)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	ck_assert_int_eq(error.code, ERROR_TIMEOUT);
	ck_assert(strstr(error.message, "did not reach its entry point in time"));
	check_nothing_left(before);
}
END_TEST

START_TEST(auxiliary_vector_is_read)
{
	ck_assert_uint_eq(target_auxv(getpid(), AT_ENTRY), getauxval(AT_ENTRY));
	ck_assert_uint_eq(target_auxv(getpid(), AT_PAGESZ), getauxval(AT_PAGESZ));
	ck_assert_uint_eq(target_auxv(getpid(), 0x7777), 0);
	ck_assert_uint_eq(target_auxv(NOBODY, AT_ENTRY), 0);
}
END_TEST

SUITE_MAIN(target_start)
{
	Suite *suite = suite_create("target_start");
	TCase *tcase = tcase_create("target_start");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, test_what_can_not_be_started, 0, COUNT(failures));
	tcase_add_test(tcase, auxiliary_vector_is_read);
	if (may_trace()) {
		tcase_add_loop_test(tcase, test_entry, 0, COUNT(programs));
		tcase_add_test(tcase, test_too_late);
	} else {
		printf("SKIP: nothing can be traced here\n");
	}
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
