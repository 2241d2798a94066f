/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_fixture.h - a session that follows a child, which does as it is told, and its children
 *
 * By the time that the child answers the events are written, so one poll must bring the list. For
 * one test program only: everything is static.
 */
#ifndef STACKPROOF_PROCESS_FIXTURE_H
#define STACKPROOF_PROCESS_FIXTURE_H

#include "tests/suite.h"
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "patience.h"
#include "process_events.h"
#include "servant.h"
#include "walk/space_range.h"

struct fixture {
	struct bpf_session *session;
	struct image_store *store;
	struct process_events *events;
	pid_t pid; /* of the child */
	int to, from;
	struct error error;
};

static void start_child(struct fixture *f)
{
	int to[2], from[2];

	ck_assert(!pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC));
	f->pid = fork();
	ck_assert_int_ge(f->pid, 0);
	if (!f->pid) {
		struct servant servant = { .in = to[0], .out = from[1] };

		close(to[1]);
		close(from[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(&servant);
	}
	close(to[0]);
	close(from[1]);
	f->to = to[1];
	f->from = from[0];
}

static int64_t tell(struct fixture *f, enum command command, int value)
{
	struct order order = { .command = command, .value = value };
	int64_t answer = -1;

	ck_assert_int_eq(write(f->to, &order, sizeof(order)), sizeof(order));
	ck_assert_int_eq(read(f->from, &answer, sizeof(answer)), sizeof(answer));
	ck_assert_msg(answer >= 0, "command %d failed", command);
	return answer;
}

static void teardown(struct fixture *f)
{
	if (f->pid) {
		kill(f->pid, SIGKILL);
		waitpid(f->pid, NULL, 0);
		close(f->to);
		close(f->from);
	}
	process_events_close(f->events);
	bpf_session_close(f->session);
	image_store_destroy(f->store);
}

/* False: it can't be had here, and why was said. Only the events are open: nothing is known yet. */
static bool setup_unread(struct fixture *f, uint32_t pages, uint32_t capacity)
{
	struct bpf_session_options options = { .process_capacity = capacity };
	struct process_events_options events = { .pages = pages };
	int status;

	memset(f, 0, sizeof(*f));
	f->store = image_store_create();
	status = bpf_session_open(&options, &f->session, &f->error);
	if (!status) {
		start_child(f);
		events.pid = f->pid;
		status = process_events_open(f->session, f->store, &events, &f->events, &f->error);
	}
	if (status) {
		ck_assert_msg(f->error.code == ERROR_UNAVAILABLE, "%s", f->error.message);
		printf("SKIP: %s\n", f->error.message);
		teardown(f);
		return false;
	}
	return true;
}

static bool setup(struct fixture *f, uint32_t pages, uint32_t capacity)
{
	if (!setup_unread(f, pages, capacity))
		return false;
	ck_assert_msg(!process_events_add_existing(f->events, &f->error), "%s", f->error.message);
	return true;
}

static struct process_events_counters counters(const struct fixture *f)
{
	struct process_events_counters ret;

	process_events_counters(f->events, &ret);
	return ret;
}

#define TRIES_MAX 20

/*
 * The kernel's rings hear the whole machine. Where others' events filled one, or one came late,
 * /proc is asked in place of what was told: lists are true all the same, but what was counted says
 * nothing of this test. True: so it was, and all is undone, to be tried again. To be asked before
 * what is counted is judged.
 */
static __attribute__((unused)) bool must_try_again(struct fixture *f, int *tries)
{
	struct process_events_counters c = counters(f);

	if (!(c.lost + c.late))
		return false;
	printf("try %d says nothing: %" PRIu64 " events lost, %" PRIu64 " late\n", ++*tries, c.lost,
	       c.late);
	ck_assert_int_lt(*tries, TRIES_MAX);
	teardown(f);
	return true;
}

/* A poll reads for some time only; what waits then, the next ones. */
static void poll_events(struct fixture *f)
{
	do
		ck_assert_msg(!process_events_poll(f->events, &f->error), "%s", f->error.message);
	while (counters(f).waiting);
}

/* The images in the list that the session has of a process are those that /proc shows, read through
 * thread tid, each where it is. ret: what was read. */
static __attribute__((unused)) const struct address_space *
assert_images_are_true(struct fixture *f, const char *when, pid_t pid, pid_t tid,
		       struct address_space *ret)
{
	const struct address_space *known = process_events_space(f->events, pid);

	*ret = (struct address_space) { 0 };
	ck_assert_msg(!address_space_read(ret, f->store, tid, &f->error), "%s: %s", when,
		      f->error.message);
	ck_assert_msg(known, "%s: the session has no list", when);
	ck_assert_msg(bpf_session_generation(f->session, pid) > 0, "%s: nor the walk", when);
	for (size_t i = 0; i < ret->mapping_count; i++) {
		const struct mapping *a = &ret->mapping[i];

		ck_assert_msg(!address_space_differs(known, ret, a->start, a->end),
			      "%s: mapping %zu, %" PRIx64 " %s", when, i, a->start, a->path);
	}
	ck_assert_msg(!address_space_differs(known, ret, 0, UINT64_MAX), "%s: it has too much",
		      when);
	return known;
}

static __attribute__((unused)) void assert_list_is_true(struct fixture *f, const char *when,
							pid_t pid, pid_t tid)
{
	struct address_space fresh;

	assert_images_are_true(f, when, pid, tid, &fresh);
	address_space_deinit(&fresh);
}

/* Anonymous mappings, too, and each name. */
static __attribute__((unused)) void assert_list_is_the_same(struct fixture *f, const char *when,
							    pid_t pid)
{
	struct address_space fresh;
	const struct address_space *known = assert_images_are_true(f, when, pid, pid, &fresh);

	ck_assert_msg(known->mapping_count == fresh.mapping_count,
		      "%s: %zu mappings, of which the session knows %zu", when, fresh.mapping_count,
		      known->mapping_count);
	for (size_t i = 0; i < fresh.mapping_count; i++) {
		const struct mapping *a = &known->mapping[i], *b = &fresh.mapping[i];

		ck_assert_msg(a->start == b->start && a->end == b->end && a->bias == b->bias &&
				      a->entry == b->entry && a->name_hash == b->name_hash &&
				      !strcmp(a->path, b->path),
			      "%s: mapping %zu is %" PRIx64 " %s, not %" PRIx64 " %s", when, i,
			      b->start, b->path, a->start, a->path);
	}
	address_space_deinit(&fresh);
}

/* Until so many were read that were known from events alone. */
static __attribute__((unused)) void await_checks(struct fixture *f, uint64_t checks)
{
	for (uint64_t until = patience(); counters(f).checks < checks && waits(until, 5);)
		poll_events(f);
	ck_assert_uint_ge(counters(f).checks, checks);
}

static __attribute__((unused)) void assert_forgotten(struct fixture *f, const char *when, pid_t pid)
{
	ck_assert_msg(!process_events_space(f->events, pid), "%s: still known", when);
	ck_assert_msg(!bpf_session_generation(f->session, pid), "%s: the walk has it", when);
}

#endif
