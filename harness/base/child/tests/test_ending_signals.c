/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_ending_signals.c - signals that ask for an end while they are held, and afterwards
 *
 * Each case is a child: it says by its exit status what it saw, or dies of what it was sent.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/ending_signals.h"
#include "tests/suite.h"

static struct ending_signals signals;
static struct error error;

/* How many are taken; they come in the order of their numbers. */
static int take_all(void)
{
	int count = 0;

	while (ending_signals_take(&signals))
		count++;
	return count;
}

static int taken_once_each(void)
{
	raise(SIGTERM);
	raise(SIGINT);
	raise(SIGINT);
	return take_all();
}

static int dropped_at_the_end(void)
{
	raise(SIGINT);
	raise(SIGTERM);
	raise(SIGHUP);
	ending_signals_take(&signals);
	ending_signals_release(&signals);
	return 7;
}

static int nothing_was_taken(void)
{
	raise(SIGTERM);
	ending_signals_release(&signals);
	return 8;
}

static int deadly_again(void)
{
	ending_signals_release(&signals);
	raise(SIGTERM);
	return 9;
}

static int released_twice(void)
{
	ending_signals_release(&signals);
	ending_signals_release(&signals);
	return signals.fd == -1 ? 10 : 11;
}

static int others_are_not_held(void)
{
	raise(SIGUSR1);
	return 12;
}

static int ignored_ones_stay_so(void)
{
	raise(SIGHUP);
	return 13 + take_all();
}

static const struct {
	const char *name;
	int (*body)(void);
	int status; /* or less than 0: the signal that ends it */
	int ignored;
} cases[] = {
	{ "each is taken once", taken_once_each, 2, 0 },
	{ "what came meanwhile is dropped", dropped_at_the_end, 7, 0 },
	{ "and if none was taken", nothing_was_taken, 8, 0 },
	{ "what comes afterwards is not", deadly_again, -SIGTERM, 0 },
	{ "a second release is none", released_twice, 10, 0 },
	{ "other signals", others_are_not_held, -SIGUSR1, 0 },
	{ "one that was ignored", ignored_ones_stay_so, 13, SIGHUP },
};

START_TEST(signals_are_held)
{
	pid_t child = fork();
	int status;

	if (!child) {
		signal(SIGTERM, SIG_DFL); /* libcheck has a handler, which ends all */
		signal(SIGINT, SIG_DFL);
		if (cases[_i].ignored)
			signal(cases[_i].ignored, SIG_IGN);
		_exit(ending_signals_hold(&signals, &error) ? 99 : cases[_i].body());
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
	ck_assert_msg(status == cases[_i].status, "%s: %d", cases[_i].name, status);
}
END_TEST

SUITE(ending_signals, LOOP(signals_are_held, cases))
