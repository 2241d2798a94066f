/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_attach_guard.c - who ends the command while it steps does no harm to the process
 *
 * A servant is stepped nearly all the time. The process that a user sees is killed in the middle of it: the one that
 * steps lets the servant go, and ends.
 */
#include <stdio.h>
#include "tests/suite.h"
#include "tests/patience.h"
#include "base/cli/exit_status.h"
#include "judge/stepping/attach_options.h"
#include "truth/tracer/attach.h"
#include "truth/tracer/tests/servants.h"

#define ROUNDS 12

static const struct guard_case {
	const char *name;
	int signal;
	int status; /* of the command */
} cases[] = {
	{ "killed", SIGKILL, SIGKILL },
	{ "terminated", SIGTERM, EXIT_ENVIRONMENT << 8 },
	{ "interrupted", SIGINT, EXIT_ENVIRONMENT << 8 },
	{ "hung_up", SIGHUP, EXIT_ENVIRONMENT << 8 },
};

/* What strays to the child does not end it. */
static int on_burst(void *context, const struct tracer_process *process, struct error *error)
{
	raise(SIGALRM);
	return write(*(int *)context, "", 1) == 1 || process->pid ? 0 : -1;
}

/* The command: the child writes a byte when it has stepped, and steps on. */
static int attach(pid_t pid, int fd)
{
	const struct tracer_attach wish = { .pid = pid,
					    .burst_steps = 3000,
					    .burst_ms = 50,
					    .share = 900,
					    .duration_ms = 1000000 };
	const struct tracer_options options = { .attach = &wish, .ended_by_signals = true };
	int status = attach_guard();
	struct tracer_counters counters;
	struct error error;
	const struct tracer_callbacks callbacks = { .on_burst = on_burst, .context = &fd };

	if (status >= 0)
		return status;
	tracer_run(&options, &callbacks, &counters, &status, &error);
	return counters.ending == TRACER_INTERRUPTED ? EXIT_ENVIRONMENT : 5;
}

START_TEST(the_process_goes_on)
{
	const struct guard_case *c = &cases[_i / ROUNDS];
	struct service *service;
	pid_t pid = servant_start(&servants[0], &service), command;
	struct error error;
	unsigned int rounds;
	uint64_t until = patience();
	int ends[2], status;
	char byte;

	if (tracer_process_check(pid, &error)) {
		printf("SKIP attach_guard: %s\n", error.message);
		servant_end(pid, service);
		return;
	}
	ck_assert_int_eq(pipe(ends), 0);
	command = fork();
	if (!command) {
		close(ends[0]);
		_exit(attach(pid, ends[1]));
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	usleep(1000 * (7 * (unsigned)_i % 60));
	kill(command, c->signal);
	ck_assert_int_eq(waitpid(command, &status, 0), command);
	ck_assert_msg(status == c->status, "%s: 0x%x", c->name, (unsigned)status);
	while (read(ends[0], &byte, 1) == 1) /* until the child has ended, too */
		;
	close(ends[0]);
	rounds = service->rounds;
	while (service->rounds < rounds + 20 && monotonic_ns() < until &&
	       !waitpid(pid, &status, WNOHANG))
		usleep(1000);
	status = servant_end(pid, service);
	ck_assert_msg(!status, "%s: 0x%x", c->name, (unsigned)status);
}
END_TEST

SUITE(attach_guard, TIMEOUT(600),
      TIMES(the_process_goes_on, ROUNDS * sizeof(cases) / sizeof(cases[0])))
