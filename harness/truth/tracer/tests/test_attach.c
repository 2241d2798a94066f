/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_attach.c - processes that run already: stepped in bursts, and none the worse for it
 *
 * At each point all frames of the truth must be in the process's memory. A servant says at its end whether it has
 * noticed anything.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include "tests/suite.h"
#include "clock.h"
#include "tests/patience.h"
#include "servants.h"
#include "truth/tracer/attach.h"

#define NOBODY	     0x3fffffff
#define STEPS_WANTED 1000

static struct {
	uint64_t points, frames, wrong, bare, bursts, ended;
	pid_t other; /* a process of a burst that is not the first */
} seen;

static uint64_t word_at(pid_t tid, uint64_t address)
{
	uint64_t word = 0;
	struct iovec here = { &word, sizeof(word) };
	struct iovec there = { (void *)(uintptr_t)address, sizeof(word) };

	return process_vm_readv(tid, &here, 1, &there, 1, 0) == sizeof(word) ? word : 0;
}

static int on_stop(void *context, const struct trace_stop *stop, struct error *error)
{
	const struct shadow_stack *shadow = stop->shadow;

	(void)context;
	seen.points++;
	seen.bare += !shadow->count;
	seen.wrong += shadow->rooted;
	for (size_t i = 0; i < shadow->count; i++) {
		const struct shadow_frame *frame = &shadow->frame[i];

		seen.frames++;
		seen.wrong += word_at(stop->tid, frame->slot) != frame->return_address;
	}
	return 0;
}

static int on_burst(void *context, const struct tracer_process *process, struct error *error)
{
	seen.bursts++;
	if (process->number)
		seen.other = process->pid;
	return 0;
}

static void on_burst_end(void *context, const struct tracer_process *process)
{
	seen.ended++;
}

static const struct tracer_callbacks callbacks = { .on_stop = on_stop,
						   .on_burst = on_burst,
						   .on_burst_end = on_burst_end };

static int attach_to(const struct tracer_attach *attach, struct tracer_counters *ret,
		     struct error *error)
{
	const struct tracer_options options = { .attach = attach };
	int status;

	return tracer_run(&options, &callbacks, ret, &status, error);
}

static struct tracer_attach wish_for(pid_t pid)
{
	return (struct tracer_attach) {
		.pid = pid, .burst_steps = 300, .burst_ms = 20, .share = 800, .duration_ms = 200
	};
}

static bool may_trace(pid_t pid, struct error *error)
{
	if (!tracer_process_check(pid, error))
		return true;
	printf("SKIP attach: %s\n", error->message);
	return false;
}

/* As often as it takes to have so many steps. */
START_TEST(a_servant_does_not_notice)
{
	const struct servant *servant = &servants[_i];
	uint64_t steps = 0, until = patience();
	struct tracer_counters counters;
	struct service *service;
	pid_t pid = servant_start(servant, &service);
	const struct tracer_attach wish = wish_for(pid);
	struct error error;
	unsigned int rounds;
	int status;

	if (!may_trace(pid, &error)) {
		servant_end(pid, service);
		return;
	}
	memset(&seen, 0, sizeof(seen));
	while (steps < STEPS_WANTED && monotonic_ns() < until) {
		status = attach_to(&wish, &counters, &error);
		ck_assert_msg(!status, "%s: %s", servant->name, error.message);
		ck_assert_msg(counters.ending == TRACER_LEFT, "%s: ending %d", servant->name,
			      counters.ending);
		steps += counters.steps;
	}
	rounds = service->rounds;
	while (service->rounds < rounds + 3 && monotonic_ns() < until && !kill(pid, 0) &&
	       waitpid(pid, &status, WNOHANG | WNOWAIT) == 0)
		usleep(1000);
	status = servant_end(pid, service);
	ck_assert_msg(!status, "%s: it noticed: 0x%x", servant->name, (unsigned)status);
	ck_assert_msg(steps >= STEPS_WANTED, "%s: %d steps", servant->name, (int)steps);
	ck_assert_uint_gt(seen.points, 0);
	ck_assert_uint_ge(seen.frames, seen.points);
	ck_assert_uint_eq(seen.wrong, 0);
	ck_assert_uint_eq(seen.bare, 0);
	ck_assert_uint_eq(seen.bursts, seen.ended);
}
END_TEST

/* Of ten times as many steps as there were points none is beyond the limit, and the process goes on. */
START_TEST(the_limit_lets_it_go)
{
	struct tracer_attach wish;
	const struct tracer_options options = { .attach = &wish, .point_limit = 40 };
	struct tracer_counters counters;
	struct service *service;
	pid_t pid = servant_start(&servants[0], &service);
	struct error error;
	int status;

	if (may_trace(pid, &error)) {
		memset(&seen, 0, sizeof(seen));
		wish = wish_for(pid);
		wish.duration_ms = 100000;
		ck_assert_int_eq(tracer_run(&options, &callbacks, &counters, &status, &error), 0);
		ck_assert_int_eq(counters.ending, TRACER_LIMIT);
		ck_assert_uint_eq(counters.points, 40);
		ck_assert_uint_eq(seen.points, 40);
		ck_assert_uint_eq(counters.threads, 1);
	}
	ck_assert_int_eq(servant_end(pid, service), 0);
}
END_TEST

/* Of the time no more than the share, and what one burst may take over it. */
START_TEST(the_share_is_kept)
{
	struct tracer_attach wish;
	struct tracer_counters counters;
	struct service *service;
	pid_t pid = servant_start(&servants[0], &service);
	struct error error;
	uint64_t begin = monotonic_ns(), all;

	if (may_trace(pid, &error)) {
		wish = wish_for(pid);
		wish.share = 100;
		wish.burst_ms = 5;
		wish.duration_ms = 1000;
		ck_assert_int_eq(attach_to(&wish, &counters, &error), 0);
		all = monotonic_ns() - begin;
		ck_assert_uint_gt(counters.bursts.stopped_ns, 0);
		ck_assert_uint_le(counters.bursts.stopped_ns - counters.bursts.longest_ns,
				  all / 10);
	}
	ck_assert_int_eq(servant_end(pid, service), 0);
}
END_TEST

static char state_of(pid_t pid)
{
	struct task_state state;

	return task_state_read(pid, pid, &state) ? state.state : 0;
}

/* It is stopped before, or in the middle of the run. */
START_TEST(who_is_stopped_stays_stopped)
{
	struct tracer_counters counters;
	struct service *service;
	pid_t pid = servant_start(&servants[0], &service), stopper = -1;
	struct tracer_attach wish = wish_for(pid);
	uint64_t until = patience();
	struct error error;

	if (may_trace(pid, &error)) {
		if (_i) {
			stopper = fork();
			if (!stopper) {
				usleep(100000);
				_exit(kill(pid, SIGSTOP));
			}
			wish.duration_ms = 600;
		} else {
			kill(pid, SIGSTOP);
			while (state_of(pid) != 'T' && monotonic_ns() < until)
				usleep(1000);
		}
		ck_assert_int_eq(attach_to(&wish, &counters, &error), 0);
		if (_i)
			waitpid(stopper, NULL, 0);
		else
			ck_assert_uint_eq(counters.steps, 0);
		while (state_of(pid) != 'T' && monotonic_ns() < until)
			usleep(1000);
		ck_assert_int_eq(state_of(pid), 'T');
		kill(pid, SIGCONT);
	}
	ck_assert_int_eq(servant_end(pid, service), 0);
}
END_TEST

/* A process of its own, and the one that it has made: both are stepped, each in its own counters. */
START_TEST(children_have_their_turn)
{
	struct tracer_counters counters;
	struct service *service, *below;
	struct tracer_attach wish;
	struct error error;
	uint64_t until = patience();
	pid_t child = -1, pid;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	service = mmap(NULL, sizeof(*service), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	pid = fork();
	if (!pid) {
		child = servant_start(&servants[0], &below);
		if (write(ends[1], &child, sizeof(child)) != sizeof(child))
			_exit(9);
		while (!service->over)
			servant_work(4);
		_exit(servant_end(child, below) ? 8 : 0);
	}
	ck_assert_int_eq(read(ends[0], &child, sizeof(child)), sizeof(child));
	if (may_trace(pid, &error)) {
		memset(&seen, 0, sizeof(seen));
		wish = wish_for(pid);
		wish.children = true;
		while ((seen.other != child || !seen.points) && monotonic_ns() < until) {
			ck_assert_int_eq(attach_to(&wish, &counters, &error), 0);
			wish.duration_ms += 200;
		}
		ck_assert_int_eq(seen.other, child);
		ck_assert_uint_eq(seen.wrong, 0);
		wish.only = "no_such_name";
		seen.bursts = 0;
		ck_assert_int_eq(attach_to(&wish, &counters, &error), 0);
		ck_assert_uint_eq(seen.bursts, 0);
	}
	ck_assert_int_eq(servant_end(pid, service), 0);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

START_TEST(the_end_of_the_process_is_the_end_of_the_run)
{
	struct tracer_counters counters;
	struct service *service;
	pid_t pid = servant_start(&servants[0], &service), ender;
	struct tracer_attach wish = wish_for(pid);
	struct error error;

	if (may_trace(pid, &error)) {
		wish.duration_ms = 3600000;
		ender = fork();
		if (!ender) {
			usleep(100000);
			service->over = true;
			_exit(0);
		}
		ck_assert_int_eq(attach_to(&wish, &counters, &error), 0);
		ck_assert_int_eq(counters.ending, TRACER_ENDED);
		waitpid(ender, NULL, 0);
	}
	ck_assert_int_eq(servant_end(pid, service), 0);
}
END_TEST

/* ---- programs that are started for it --------------------------------------------------- */

static const struct {
	const char *name, *script;
	int status, ending;
} started[] = {
	{ "exits", "exit 7", 7 << 8, TRACER_ENDED },
	{ "dies", "kill -9 $$", SIGKILL, TRACER_ENDED },
	{ "leaves_a_daemon_that_ends", "(setsid sleep 0.3 &); exit 3", 3 << 8, TRACER_ENDED },
	{ "works_on", "while :; do :; done", SIGKILL, TRACER_LIMIT },
	{ "leaves_a_daemon_at_work", "(setsid sh -c 'while :; do :; done' &); exit 4", 4 << 8,
	  TRACER_LIMIT },
};

/* All that it has made is waited for, or ended. */
START_TEST(a_started_program_is_followed)
{
	char *argv[] = { "sh", "-c", (char *)started[_i].script, NULL };
	struct tracer_attach wish = wish_for(0);
	const struct tracer_options options = { .attach = &wish, .argv = argv };
	struct tracer_counters counters;
	uint64_t until = patience();
	struct error error;
	int status;

	memset(&seen, 0, sizeof(seen));
	wish.children = true;
	wish.duration_ms = started[_i].ending == TRACER_ENDED ? 0 : 500;
	do {
		ck_assert_msg(!tracer_run(&options, &callbacks, &counters, &status, &error), "%s",
			      error.message);
		wish.duration_ms *= 2;
	} while (started[_i].ending == TRACER_LIMIT && !seen.points && monotonic_ns() < until);
	ck_assert_msg(status == started[_i].status, "%s: 0x%x", started[_i].name, (unsigned)status);
	ck_assert_int_eq(counters.ending, started[_i].ending);
	ck_assert_int_eq(waitpid(-1, &status, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	if (seen.other)
		ck_assert_int_eq(kill(seen.other, 0), -1);
	ck_assert(started[_i].ending == TRACER_ENDED || seen.points);
	ck_assert_uint_eq(seen.wrong, 0);
}
END_TEST

START_TEST(what_can_not_be_started_is_told)
{
	char *argv[] = { "/nowhere/at/all", NULL };
	const struct tracer_attach wish = wish_for(0);
	const struct tracer_options options = { .attach = &wish, .argv = argv };
	struct tracer_counters counters;
	struct error error;
	int status;

	ck_assert_int_eq(tracer_run(&options, &callbacks, &counters, &status, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_ptr_nonnull(strstr(error.message, "/nowhere/at/all"));
}
END_TEST

/* ---- who can't be attached to ----------------------------------------------------------- */

static pid_t make_zombie(void)
{
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	return pid;
}

static pid_t make_traced(void)
{
	siginfo_t info;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT);
	return pid;
}

static pid_t nobody(void)
{
	return NOBODY;
}

static const struct {
	const char *name;
	pid_t (*make)(void);
	enum error_code code;
	int number;
	const char *says;
} refused[] = {
	{ "none", nobody, ERROR_SYSTEM, ENOENT, "there is no process" },
	{ "zombie", make_zombie, ERROR_SYSTEM, ENOENT, "has ended" },
	{ "traced", make_traced, ERROR_UNAVAILABLE, 0, "is traced by process" },
	{ "own", getpid, ERROR_UNAVAILABLE, 0, "is stackproof itself" },
};

START_TEST(who_can_not_be_attached_to_is_told)
{
	struct tracer_counters counters;
	struct error error = { 0 };
	pid_t pid = refused[_i].make();
	const struct tracer_attach wish = wish_for(pid);

	ck_assert_int_eq(attach_to(&wish, &counters, &error), -1);
	ck_assert_msg(error.code == refused[_i].code, "%s: %s", refused[_i].name, error.message);
	ck_assert_int_eq(error.system_errno, refused[_i].number);
	ck_assert_msg(strstr(error.message, refused[_i].says) != NULL, "%s: %s", refused[_i].name,
		      error.message);
	ck_assert_int_eq(counters.ending, TRACER_FAILED);
	if (pid != getpid() && pid != NOBODY) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}
END_TEST

static struct {
	int ends[2];
	_Atomic(pid_t) tid;
} waiting;

static void *wait_for_byte(void *argument)
{
	char byte;

	waiting.tid = gettid();
	return read(waiting.ends[0], &byte, 1) == 1 ? NULL : argument;
}

START_TEST(a_thread_is_no_process)
{
	struct tracer_counters counters;
	struct error error = { 0 };
	struct tracer_attach wish;
	pthread_t thread;

	ck_assert_int_eq(pipe(waiting.ends), 0);
	waiting.tid = 0;
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_byte, NULL), 0);
	while (!waiting.tid)
		usleep(100);
	wish = wish_for(waiting.tid);
	ck_assert_int_eq(attach_to(&wish, &counters, &error), -1);
	ck_assert_ptr_nonnull(strstr(error.message, "is a thread and no process"));
	ck_assert_int_eq(write(waiting.ends[1], "", 1), 1);
	pthread_join(thread, NULL);
	close(waiting.ends[0]);
	close(waiting.ends[1]);
}
END_TEST

SUITE(attach, TIMEOUT(600), LOOP(a_servant_does_not_notice, servants), TEST(the_limit_lets_it_go),
      TEST(the_share_is_kept), TIMES(who_is_stopped_stays_stopped, 2),
      TEST(children_have_their_turn), TEST(the_end_of_the_process_is_the_end_of_the_run),
      LOOP(a_started_program_is_followed, started), TEST(what_can_not_be_started_is_told),
      LOOP(who_can_not_be_attached_to_is_told, refused), TEST(a_thread_is_no_process))
