/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_host_wait.c - how a child on this machine is waited for: when, for what, and for how long
 *
 * poll(2) and the clock are this test's: each call is kept, and the time stands still, or moves by
 * what a case says. What a child inherits, and that nothing of it is left, is here, too.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/run/run.h"

#define CALLS_MAX 64

static double now, tick; /* seconds; 0: the clock's; how much later it is after each poll() */
static bool at_once;	 /* poll() does not wait */
static bool patient;	 /* poll() waits until something happens */
static size_t calls;
static struct call {
	struct pollfd fd[4];
	nfds_t count;
	int timeout;
} call[CALLS_MAX];

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (now <= 0 || clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, ret);
	ret->tv_sec = (time_t)now;
	ret->tv_nsec = (long)((now - (double)ret->tv_sec) * 1e9);
	return 0;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	int status;

	if (calls < CALLS_MAX) {
		memcpy(call[calls].fd, fds, sizeof(call[0].fd));
		call[calls].count = count;
		call[calls].timeout = timeout;
	}
	calls++;
	if (patient || (at_once && timeout > 0))
		timeout = patient ? -1 : 0;
	status = (int)syscall(SYS_poll, fds, count, timeout);
	now += now > 0 ? tick : 0;
	return status;
}

static char said[RUN_STREAM_COUNT][4096];

/* Gets on with each 'k'. */
static bool keep(void *context, enum run_stream stream, const void *data, size_t size)
{
	size_t used = strlen(said[stream]);

	ck_assert_ptr_eq(context, said);
	ck_assert_uint_lt(used + size, sizeof(said[stream]));
	memcpy(said[stream] + used, data, size);
	return memchr(data, 'k', size);
}

static int run_shell(const char *script, int cpu, unsigned timeout_ms, int stop_fd)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	const struct child_options options = {
		.argv = (char *const *)argv,
		.cpu = cpu,
		.timeout_ms = timeout_ms,
		.stop_fd = stop_fd,
		.on_output = keep,
		.context = said,
	};
	struct error error = { 0 };
	int exit_code = -1;

	calls = 0;
	memset(said, 0, sizeof(said));
	memset(call, 0, sizeof(call));
	ck_assert_msg(!host_compare(&options, &exit_code, &error), "%s", error.message);
	return exit_code;
}

/* ---- how long ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	unsigned timeout_ms;
	int waits;
} waits[] = {
	{ "nothing_left", 0, 0 },	  { "an_eighth", 125, 126 },
	{ "some_seconds", 5000, 5001 },	  { "a_millisecond_below_the_most", 999999, 1000000 },
	{ "the_most", 1000000, 1000000 }, { "more", 1000001, 1000000 },
	{ "no_end", UINT_MAX, 1000000 },
};

START_TEST(it_waits_for_what_is_left)
{
	now = 1024;
	int status = run_shell("exec sleep 0.1", -1, waits[_i].timeout_ms, 0);
	now = 0;
	ck_assert_uint_ge(calls, 1);
	ck_assert_msg(call[0].timeout == waits[_i].waits, "%s: %d", waits[_i].name,
		      call[0].timeout);
	ck_assert_int_eq(call[0].count, 4);
	ck_assert_int_eq(call[0].fd[3].fd, -1);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_ge(call[0].fd[i].fd, 0);
		ck_assert_int_eq(call[0].fd[i].events, POLLIN);
	}
	ck_assert_int_eq(status, _i ? 0 : 124);
	/* Once it is killed there is no more to decide. */
	for (size_t i = 1; !_i && i < calls; i++)
		ck_assert_int_eq(call[i].timeout, -1);
}
END_TEST

/* At its deadline, not before, and not when it has got on: each poll() is a second. */
START_TEST(time_is_up_at_the_deadline)
{
	now = 1024;
	tick = 1;
	at_once = true;
	int status = run_shell("exec sleep 60", -1, 3000, 0);
	now = 0;
	at_once = false;
	ck_assert_int_eq(status, 124);
	ck_assert_uint_ge(calls, 4);
	ck_assert_int_eq(call[0].timeout, 3001);
	ck_assert_int_eq(call[1].timeout, 2001);
	ck_assert_int_eq(call[2].timeout, 1001);
	ck_assert_int_eq(call[3].timeout, -1);
	tick = 0;
}
END_TEST

static const struct {
	const char *name, *script;
	int status;
	const char *out;
} happenings[] = {
	{ "other_output_gives_no_time_and_is_kept", "echo before; exec sleep 1000", 124,
	  "before\n" },
	{ "time_begins_anew_when_it_gets_on",
	  "for i in 1 2 3 4 5 6 7 8; do echo k; sleep 0.05; done; exit 3", 3,
	  "k\nk\nk\nk\nk\nk\nk\nk\n" },
};

/* Whatever happens takes a second, which is all the time that there is. */
START_TEST(only_what_gets_on_has_its_time_again)
{
	now = 1024;
	tick = 1;
	patient = true;
	int status = run_shell(happenings[_i].script, -1, 1000, 0);
	now = tick = 0;
	patient = false;
	ck_assert_msg(status == happenings[_i].status, "%s: %d", happenings[_i].name, status);
	ck_assert_msg(!strcmp(said[RUN_STDOUT], happenings[_i].out), "%s: %s", happenings[_i].name,
		      said[RUN_STDOUT]);
}
END_TEST

/* A stream at its end is not asked for any more: else poll() would never wait. */
START_TEST(closed_streams_are_not_waited_for)
{
	ck_assert_int_eq(run_shell("exec >&- 2>&-; sleep 1; exit 4", -1, 60000, 0), 4);
	ck_assert_uint_le(calls, 8);
	ck_assert_int_eq(call[calls - 1].fd[1].fd, -1);
	ck_assert_int_eq(call[calls - 1].fd[2].fd, -1);
	ck_assert_int_eq(run_shell("exec 2>&-; sleep 1; echo x", -1, 60000, 0), 0);
	ck_assert_uint_le(calls, 8);
	ck_assert_int_eq(call[calls - 1].fd[2].fd, -1);
	ck_assert_str_eq(said[RUN_STDOUT], "x\n");
}
END_TEST

/* ---- ended from outside ------------------------------------------------------------------- */

/* It is asked once, and has ten seconds; what it says meanwhile gives it no more. */
START_TEST(it_is_asked_to_end)
{
	int ends[2];

	ck_assert(!pipe2(ends, O_CLOEXEC) && write(ends[1], "", 1) == 1);
	now = 1024;
	int status = run_shell("trap 'echo asked; echo k; sleep 0.3; exit 5' TERM; echo k;"
			       "while :; do sleep 0.1; done",
			       -1, 60000, ends[0]);
	now = 0;
	/* The signal may come before the trap is there. */
	ck_assert_msg(status == 5 || status == 128 + SIGTERM, "%d", status);
	ck_assert_int_eq(call[0].fd[3].fd, ends[0]);
	ck_assert_int_eq(call[0].fd[3].events, POLLIN);
	ck_assert_int_eq(call[0].timeout, 60001);
	ck_assert_uint_ge(calls, 2);
	for (size_t i = 1; i < calls && i < CALLS_MAX; i++) {
		ck_assert_int_eq(call[i].fd[3].fd, -1);
		ck_assert_int_eq(call[i].timeout, 10001);
	}
	close(ends[0]);
	close(ends[1]);
}
END_TEST

/* Who does not end then is killed. */
START_TEST(who_does_not_end_is_killed)
{
	int ends[2];

	ck_assert(!pipe2(ends, O_CLOEXEC));
	now = 1024;
	tick = 6;
	at_once = true;
	ck_assert_int_eq(write(ends[1], "", 1), 1);
	signal(SIGTERM, SIG_IGN);
	int status = run_shell("exec sleep 60", -1, 60000, ends[0]);
	signal(SIGTERM, SIG_DFL);
	now = 0;
	at_once = false;
	ck_assert_int_eq(status, 124);
	ck_assert_int_eq(call[0].timeout, 60001);
	ck_assert_int_eq(call[1].timeout, 10001);
	ck_assert_int_eq(call[2].timeout, 4001);
	ck_assert_int_eq(call[3].timeout, -1);
	tick = 0;
	close(ends[0]);
	close(ends[1]);
}
END_TEST

/* Standard input is no such descriptor. */
START_TEST(without_one_nobody_is_asked)
{
	int input = dup(STDIN_FILENO), nothing = open("/dev/null", O_RDONLY);

	dup2(nothing, STDIN_FILENO);
	int status = run_shell("sleep 0.1; echo x", -1, 60000, 0);
	dup2(input, STDIN_FILENO);
	close(nothing);
	close(input);
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(said[RUN_STDOUT], "x\n");
	/* Any other is one. */
	int ends[2], output = dup(STDOUT_FILENO);

	ck_assert(!pipe2(ends, O_CLOEXEC));
	fflush(stdout);
	dup2(ends[0], STDOUT_FILENO);
	status = run_shell("echo x", -1, 60000, STDOUT_FILENO);
	dup2(output, STDOUT_FILENO);
	ck_assert(!status && call[0].fd[3].fd == STDOUT_FILENO);
	close(output);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

/* ---- what it inherits, and what is left --------------------------------------------------- */

START_TEST(signals_are_not_held_back_in_it)
{
	sigset_t held, before;

	sigemptyset(&held);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, &before);
	int status = run_shell("grep SigBlk /proc/self/status", -1, 60000, 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(said[RUN_STDOUT], "SigBlk:\t0000000000000000\n");
}
END_TEST

static const char own_cpus[] = "grep Cpus_allowed_list /proc/self/status | tr -dc 0-9,-";

/* On each that may be had; on none that there is not. */
START_TEST(cpu_is_its_own)
{
	static const int none[] = { -1, -1000000, CPU_SETSIZE - 1, CPU_SETSIZE, 1000000 };
	cpu_set_t all, after;
	char text[32], everywhere[4096];

	ck_assert(!sched_getaffinity(0, sizeof(all), &all));
	ck_assert_int_eq(run_shell(own_cpus, -1, 60000, 0), 0);
	strcpy(everywhere, said[RUN_STDOUT]);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		ck_assert_int_eq(run_shell(own_cpus, cpu, 60000, 0), 0);
		snprintf(text, sizeof(text), "%d", cpu);
		ck_assert_str_eq(said[RUN_STDOUT], text);
		ck_assert(!sched_getaffinity(0, sizeof(after), &after));
		ck_assert(CPU_EQUAL(&all, &after));
	}
	for (int i = 0; i < COUNT(none); i++) {
		ck_assert_int_eq(run_shell(own_cpus, none[i], 60000, 0), 0);
		ck_assert_str_eq(said[RUN_STDOUT], everywhere);
	}
	/* Nor on one that is not ours. */
	int first = 0, last = CPU_SETSIZE - 1;

	while (!CPU_ISSET(first, &all))
		first++;
	while (!CPU_ISSET(last, &all))
		last--;
	CPU_ZERO(&after);
	CPU_SET(first, &after);
	ck_assert(!sched_setaffinity(0, sizeof(after), &after));
	ck_assert_int_eq(run_shell(own_cpus, last, 60000, 0), 0);
	snprintf(text, sizeof(text), "%d", first);
	ck_assert_str_eq(said[RUN_STDOUT], text);
	sched_setaffinity(0, sizeof(all), &all);
}
END_TEST

static int pipes_left = -1; /* below 0: as many as there are */

int pipe2(int ret[2], int flags)
{
	if (pipes_left && (pipes_left < 0 || pipes_left--))
		return (int)syscall(SYS_pipe2, ret, flags);
	errno = EMFILE;
	return -1;
}

static int open_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	ck_assert_ptr_nonnull(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* Where standard input is closed a pipe has its number. */
START_TEST(streams_may_be_the_first)
{
	int input = dup(STDIN_FILENO);

	close(STDIN_FILENO);
	int status = run_shell("echo x; echo y >&2", -1, 60000, 0), next = dup(input);
	dup2(input, STDIN_FILENO);
	close(input);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(next, STDIN_FILENO);
	ck_assert_str_eq(said[RUN_STDOUT], "x\n");
	ck_assert_str_eq(said[RUN_STDERR], "y\n");
}
END_TEST

START_TEST(no_descriptor_is_left)
{
	char program[] = "/nonexistent/program", *argv[] = { program, NULL };
	struct child_options options = { .argv = argv, .cpu = -1, .on_output = keep };
	struct error error = { 0 };
	int before = open_descriptors(), exit_code;

	ck_assert_int_eq(run_shell("echo x", -1, 60000, 0), 0);
	ck_assert_int_eq(run_shell("exec >&- 2>&-; exit 1", -1, 60000, 0), 1);
	ck_assert_int_eq(run_shell("sleep 1 & exit 2", -1, 60000, 0), 2);
	ck_assert_int_eq(host_compare(&options, &exit_code, &error), -1);
	ck_assert_str_eq(error.message,
			 "can't run /nonexistent/program: No such file or directory");
	ck_assert_int_eq(open_descriptors(), before);
	for (int i = 0; i < 2; i++) {
		pipes_left = i;
		ck_assert_int_eq(host_compare(&options, &exit_code, &error), -1);
		pipes_left = -1;
		ck_assert_str_eq(error.message,
				 "no pipe for /nonexistent/program: Too many open files");
		ck_assert_int_eq(open_descriptors(), before);
	}
}
END_TEST

START_TEST(exits)
{
	ck_assert_int_eq(run_shell("exit 123", -1, 60000, 0), 123);
	ck_assert_int_eq(run_shell("exit 124", -1, 60000, 0), 124);
	ck_assert_int_eq(run_shell("kill -HUP $$", -1, 60000, 0), 129);
	ck_assert_int_eq(run_shell("kill -KILL $$", -1, 60000, 0), 137);
}
END_TEST

/* ---- collected output --------------------------------------------------------------------- */

START_TEST(output_is_kept_up_to_its_limit)
{
	FREED char *much = malloc(OUTPUT_BYTES_MAX);
	struct output output = { 0 };

	memset(much, 'a', OUTPUT_BYTES_MAX);
	output_add(&output, "", 0);
	ck_assert(!output.size && !output.cut);
	output_add(&output, "xyz", 3);
	ck_assert(output.size == 3 && !memcmp(output.data, "xyz", 3) && !output.cut);
	output_add(&output, much, OUTPUT_BYTES_MAX - 4);
	ck_assert(output.size == OUTPUT_BYTES_MAX - 1 && !output.cut);
	output_add(&output, "b", 1);
	ck_assert(output.size == OUTPUT_BYTES_MAX && !output.cut);
	output_add(&output, "", 0);
	ck_assert(output.size == OUTPUT_BYTES_MAX && !output.cut);
	output_add(&output, "c", 1);
	ck_assert(output.size == OUTPUT_BYTES_MAX && output.cut);
	ck_assert(!memcmp(output.data, "xyz", 3) && !memcmp(output.data + 3, much, 1 << 20));
	ck_assert_int_eq(output.data[OUTPUT_BYTES_MAX - 1], 'b');
	output_deinit(&output);
	ck_assert(!output.data && !output.size && !output.capacity && !output.cut);
	output_add(&output, much, OUTPUT_BYTES_MAX);
	ck_assert(output.size == OUTPUT_BYTES_MAX && !output.cut);
	output_deinit(&output);
	output_add(&output, "12", 2);
	output_add(&output, much, OUTPUT_BYTES_MAX);
	ck_assert(output.size == OUTPUT_BYTES_MAX && output.cut);
	ck_assert(!memcmp(output.data, "12aa", 4));
	output_deinit(&output);
}
END_TEST

SUITE(run_host_wait, LOOP(it_waits_for_what_is_left, waits), TEST(time_is_up_at_the_deadline),
      LOOP(only_what_gets_on_has_its_time_again, happenings),
      TEST(closed_streams_are_not_waited_for), TEST(it_is_asked_to_end),
      TEST(who_does_not_end_is_killed), TEST(without_one_nobody_is_asked),
      TEST(signals_are_not_held_back_in_it), TEST(cpu_is_its_own), TEST(streams_may_be_the_first),
      TEST(no_descriptor_is_left), TEST(exits), TEST(output_is_kept_up_to_its_limit))
