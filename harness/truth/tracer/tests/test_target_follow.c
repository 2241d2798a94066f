/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_target_follow.c - a program that is followed at its system calls: what is told of it, and how it ends
 */
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "truth/tracer/target_follow.h"

/* What was told, and what is to fail. */
struct told {
	pid_t pid;
	int starts, execs, mappings, turns;
	const char *fails;
	struct error *error;
};

static int tell(struct told *told, int *count, const char *what)
{
	++*count;
	return told->fails && !strcmp(told->fails, what)
		       ? error_set(told->error, ERROR_PROTOCOL, "", 0, "%s failed", what)
		       : 0;
}

static int on_start(void *context, pid_t pid)
{
	struct told *told = context;

	told->pid = pid;
	ck_assert_int_eq(kill(pid, 0), 0);
	ck_assert_int_eq(told->execs, 0);
	return tell(told, &told->starts, "start");
}

static int on_exec(void *context)
{
	struct told *told = context;

	return tell(told, &told->execs, "exec");
}

static int on_mappings(void *context)
{
	struct told *told = context;

	return tell(told, &told->mappings, "mappings");
}

static int on_turn(void *context)
{
	struct told *told = context;

	return tell(told, &told->turns, "turn");
}

#define SHELL(text) "/bin/sh", "-c", text

static const struct follow_case {
	const char *name, *argv[4];
	unsigned timeout_ms;
	const char *fails, *message; /* NULL: it does not fail */
	int status, execs;
} cases[] = {
	{ "ends", { SHELL("exit 3") }, 0, NULL, NULL, 3 << 8, 1 },
	{ "is_in_PATH", { "true" }, 0, NULL, NULL, 0, 1 },
	{ "is_killed", { SHELL("kill -9 $$") }, 0, NULL, NULL, SIGKILL, 1 },
	{ "handles_a_signal",
	  { SHELL("trap 'exit 5' USR1; kill -USR1 $$; exit 6") },
	  0,
	  NULL,
	  NULL,
	  5 << 8,
	  1 },
	{ "executes_another", { SHELL("exec /bin/true") }, 0, NULL, NULL, 0, 2 },
	{ "makes_a_process", { SHELL("/bin/true; /bin/false; exit 4") }, 0, NULL, NULL, 4 << 8, 1 },
	{ "is_not_there", { "/nowhere" }, 0, NULL, "/nowhere: No such file", -1, 0 },
	{ "does_not_end",
	  { "sleep", "1000" },
	  50,
	  NULL,
	  "the program did not end in time",
	  SIGKILL,
	  1 },
	{ "start_fails", { "true" }, 0, "start", "start failed", SIGKILL, 0 },
	{ "exec_fails", { "true" }, 0, "exec", "exec failed", SIGKILL, 1 },
	{ "mappings_fail", { "true" }, 0, "mappings", "mappings failed", SIGKILL, 1 },
	{ "turn_fails", { "sleep", "1000" }, 0, "turn", "turn failed", SIGKILL, -1 },
};

START_TEST(program_is_followed)
{
	const struct follow_case *c = &cases[_i];
	struct error error = { 0 };
	struct told told = { .fails = c->fails, .error = &error };
	const struct target_program program = { .argv = (char *const *)c->argv,
						.silence_output = true };
	const struct target_follower follower = {
		on_start, on_exec, on_mappings, on_turn, epoll_create1(EPOLL_CLOEXEC), &told
	};
	int status = 0, failed = target_follow(&program, c->timeout_ms, &follower, &status, &error);

	if (failed && error.code == ERROR_UNAVAILABLE)
		return; /* nothing may be traced here */
	close(follower.wake_fd);
	ck_assert_msg(!failed == !c->message, "%s: %s", c->name, error.message);
	if (c->message)
		ck_assert_msg(strstr(error.message, c->message), "%s: %s", c->name, error.message);
	if (c->status >= 0)
		ck_assert_msg(status == c->status, "%s: status 0x%x", c->name, status);
	if (c->execs >= 0)
		ck_assert_msg(told.execs == c->execs, "%s: %d execs", c->name, told.execs);
	ck_assert_int_eq(told.starts, 1);
	if (!c->message) {
		ck_assert_int_ge(told.mappings, c->execs);
		ck_assert_int_ge(told.turns, 1);
	}
	ck_assert_int_eq(waitpid(told.pid, NULL, WNOHANG), -1); /* it is reaped */
}
END_TEST

SUITE(target_follow, LOOP(program_is_followed, cases))
