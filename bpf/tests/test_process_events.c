/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process_events.c - are a session's lists of mappings true?
 *
 * A child does as it is told (forks, executes, maps, opens libraries, ends) and answers when it
 * has. By then the events are written, so one poll must bring the list that /proc shows. Needs BPF
 * and perf events: where the machine may not use them a test says SKIP with the reason and passes.
 */
#include <sched.h>
#include <poll.h>
#include "tests/suite.h"
#include "process_fixture.h"

/* ---- lists are true --------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum command command;
	int library;
	bool silent; /* the kernel says nothing of it */
} changes[] = {
	{ "maps a page of its own code", COMMAND_MAP_EXE, 0, false },
	{ "maps the C library's there", COMMAND_MAP_LIBC, 0, false },
	{ "unmaps it", COMMAND_UNMAP, 0, true },
	{ "makes a page executable", COMMAND_MAP_ANONYMOUS, 0, false },
	{ "maps a page of its own code over it", COMMAND_MAP_EXE, 0, false },
	{ "opens a library", COMMAND_OPEN, 0, false },
	{ "closes it", COMMAND_CLOSE, 0, true },
	{ "opens another there", COMMAND_OPEN, 1, false },
	{ "closes that", COMMAND_CLOSE, 0, true },
	{ "opens a third", COMMAND_OPEN, 2, false },
	{ "closes the third", COMMAND_CLOSE, 0, true },
	{ "opens a larger one", COMMAND_OPEN, 3, false },
};

START_TEST(list_follows_mappings)
{
	int64_t opened_at[COUNT(libraries)] = { 0 };
	struct fixture f;
	int tries = 0;

again:
	if (!setup(&f, 0, 8))
		return;
	assert_list_is_true(&f, "at first", f.pid, f.pid);
	for (int i = 0; i < COUNT(changes); i++) {
		uint32_t before = bpf_session_generation(f.session, f.pid);
		int64_t answer = tell(&f, changes[i].command, changes[i].library);

		poll_events(&f);
		if (changes[i].command == COMMAND_OPEN)
			opened_at[changes[i].library] = answer;
		if (changes[i].silent)
			continue;
		assert_list_is_true(&f, changes[i].name, f.pid, f.pid);
		ck_assert_msg(bpf_session_generation(f.session, f.pid) != before, "%s",
			      changes[i].name);
	}
	if (must_try_again(&f, &tries))
		goto again;
	/* Two libraries of one size: the second comes to lie where the first was. */
	ck_assert_int_eq(opened_at[0], opened_at[1]);
	ck_assert_uint_eq(counters(&f).malformed + counters(&f).refused, 0);
	teardown(&f);
}
END_TEST

/* Whoever follows for months meets any number of images, and has those that are mapped, and
 * some. */
START_TEST(images_are_forgotten)
{
	struct fixture f;
	size_t mapped;
	int tries = 0;

again:
	if (!setup(&f, 0, 8))
		return;
	tell(&f, COMMAND_MAP_NEW, 0);
	poll_events(&f);
	mapped = image_store_count(f.store);
	for (int i = 0; i < 100; i++) {
		tell(&f, COMMAND_MAP_NEW, 0);
		poll_events(&f);
		if (i % 20 == 19)
			assert_list_is_true(&f, "maps a new one", f.pid, f.pid);
	}
	nap(30); /* a sweep is due then, however late */
	poll_events(&f);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_gt(counters(&f).readings, 100);
	ck_assert_uint_eq(image_store_count(f.store), mapped + 64);
	assert_list_is_true(&f, "after all", f.pid, f.pid);
	ck_assert_uint_eq(counters(&f).malformed + counters(&f).refused, 0);
	teardown(&f);
}
END_TEST

START_TEST(fork_has_its_parents_list_unread)
{
	struct fixture f;
	int tries = 0;

again:
	if (!setup(&f, 0, 8))
		return;
	tell(&f, COMMAND_MAP_LIBC, 0);
	poll_events(&f);
	uint64_t readings = counters(&f).readings;
	pid_t child = tell(&f, COMMAND_FORK, 0);
	poll_events(&f);
	assert_list_is_true(&f, "forked", child, child);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(counters(&f).readings, readings);
	ck_assert_uint_eq(counters(&f).processes, 2);
	/* What the parent maps from then on is not its child's. */
	tell(&f, COMMAND_UNMAP, 0);
	tell(&f, COMMAND_OPEN, 0);
	poll_events(&f);
	assert_list_is_true(&f, "the parent", f.pid, f.pid);
	assert_list_is_true(&f, "the child", child, child);
	/* A fork in the same poll as a mapping before it, and a mapping after it. */
	tell(&f, COMMAND_MAP_EXE, 0);
	pid_t second = tell(&f, COMMAND_FORK, 0);
	tell(&f, COMMAND_UNMAP, 0);
	tell(&f, COMMAND_MAP_ANONYMOUS, 0);
	poll_events(&f);
	assert_list_is_true(&f, "the second child", second, second);
	assert_list_is_true(&f, "its parent", f.pid, f.pid);
	tell(&f, COMMAND_END_CHILDREN, 0);
	poll_events(&f);
	assert_forgotten(&f, "the child ended", child);
	assert_forgotten(&f, "the second child ended", second);
	ck_assert_uint_eq(counters(&f).processes, 1);
	teardown(&f);
}
END_TEST

/* It is no descendant to /proc any more, so only the events tell of it, and after its
 * grandparent was read: that reading must not be taken for one of what it executed before. */
START_TEST(fork_is_older_than_its_parents_list)
{
	struct fixture f;

	if (!setup_unread(&f, 0, 8))
		return;
	pid_t cat = tell(&f, COMMAND_ORPHAN_CAT, 0);
	ck_assert(!process_events_add_existing(f.events, &f.error));
	poll_events(&f);
	assert_list_is_true(&f, "the orphan", cat, cat);
	ck_assert_uint_eq(counters(&f).processes, 2);
	kill(cat, SIGKILL);
	teardown(&f);
}
END_TEST

/* What it maps is told by the events; once it is quiet /proc is asked, too. */
START_TEST(exec_of_what_is_known_is_not_read)
{
	struct fixture f;
	int tries = 0;

again:
	if (!setup(&f, 0, 8))
		return;
	tell(&f, COMMAND_FORK_CAT, 0);
	poll_events(&f);
	uint64_t readings = counters(&f).readings;
	pid_t cat = tell(&f, COMMAND_FORK_CAT, 0);
	poll_events(&f);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(counters(&f).readings, readings);
	assert_list_is_true(&f, "executed", cat, cat);
	uint32_t generation = bpf_session_generation(f.session, cat);
	await_checks(&f, 1);
	if (must_try_again(&f, &tries))
		goto again;
	assert_list_is_the_same(&f, "checked", cat);
	ck_assert_uint_eq(bpf_session_generation(f.session, cat), generation);
	ck_assert_uint_eq(counters(&f).mistaken, 0);
	/* Mapped when it was known, and then unknown. */
	readings = counters(&f).readings;
	tell(&f, COMMAND_MAP_LIBC, 0);
	poll_events(&f);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(counters(&f).readings, readings);
	assert_list_is_true(&f, "mapped", f.pid, f.pid);
	tell(&f, COMMAND_OPEN, 2);
	poll_events(&f);
	ck_assert_uint_gt(counters(&f).readings, readings);
	assert_list_is_the_same(&f, "opened", f.pid);
	teardown(&f);
}
END_TEST

/* The kernel does not say that memory is moved. The check finds it. */
START_TEST(what_events_do_not_tell_is_found)
{
	struct fixture f;
	int tries = 0;

again:
	if (!setup(&f, 0, 8))
		return;
	tell(&f, COMMAND_MAP_LIBC, 0);
	tell(&f, COMMAND_MOVE, 0);
	poll_events(&f);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_ptr_null(
		address_space_find(process_events_space(f.events, f.pid), (uint64_t)ELSEWHERE));
	await_checks(&f, 1);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(counters(&f).mistaken, 1);
	assert_list_is_the_same(&f, "checked", f.pid);
	/* What is gone is no mistake: nothing is executed there. */
	tell(&f, COMMAND_MAP_EXE, 0);
	tell(&f, COMMAND_UNMAP, 0);
	poll_events(&f);
	await_checks(&f, 2);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(counters(&f).mistaken, 1);
	assert_list_is_the_same(&f, "checked again", f.pid);
	teardown(&f);
}
END_TEST

START_TEST(exec_brings_a_new_list)
{
	char text[sizeof(int64_t)] = "echoed!";
	struct fixture f;
	int tries = 0;

again:
	if (!setup(&f, 0, 8))
		return;
	pid_t cat = tell(&f, COMMAND_FORK_CAT, 0);
	poll_events(&f);
	assert_list_is_true(&f, "forked and executed", cat, cat);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(counters(&f).forks, 1);
	ck_assert_uint_eq(counters(&f).execs, 1);
	tell(&f, COMMAND_END_CHILDREN, 0);
	struct order order = { .command = COMMAND_EXEC_CAT };
	ck_assert_int_eq(write(f.to, &order, sizeof(order)), sizeof(order));
	ck_assert_int_eq(write(f.to, text, sizeof(text)), sizeof(text));
	memset(text, 0, sizeof(text));
	ck_assert_int_eq(read(f.from, text, sizeof(text)), sizeof(text));
	ck_assert_str_eq(text, "echoed!");
	poll_events(&f);
	assert_forgotten(&f, "the child ended", cat);
	assert_list_is_true(&f, "executed", f.pid, f.pid);
	kill(f.pid, SIGKILL);
	waitpid(f.pid, NULL, 0);
	poll_events(&f);
	assert_forgotten(&f, "killed", f.pid);
	ck_assert_uint_eq(counters(&f).processes, 0);
	f.pid = 0;
	teardown(&f);
}
END_TEST

/* Tells it without waiting, and follows what happens as it happens. */
static int64_t tell_following(struct fixture *f, enum command command, int value)
{
	struct order order = { .command = command, .value = value };
	int64_t answer = -1;

	ck_assert_int_eq(write(f->to, &order, sizeof(order)), sizeof(order));
	fcntl(f->from, F_SETFL, O_NONBLOCK);
	while (read(f->from, &answer, sizeof(answer)) != sizeof(answer))
		poll_events(f);
	fcntl(f->from, F_SETFL, 0);
	poll_events(f);
	return answer;
}

/* The leader ends first, and then the thread takes its number: the process has not ended. */
START_TEST(another_thread_executes)
{
	struct fixture f;

	if (!setup(&f, 0, 64))
		return;
	for (int i = 0; i < 40; i++) {
		pid_t cat = tell_following(&f, COMMAND_THREAD_CAT, 0);

		ck_assert_int_gt(cat, 0);
		assert_list_is_true(&f, "executed by a thread", cat, cat);
	}
	ck_assert_uint_eq(counters(&f).processes, 41);
	tell(&f, COMMAND_END_CHILDREN, 0);
	poll_events(&f);
	ck_assert_uint_eq(counters(&f).processes, 1);
	teardown(&f);
}
END_TEST

/* /proc/PID/maps is empty then: the mappings are read through another thread. */
START_TEST(process_outlives_its_leader)
{
	struct fixture f;
	int tries = 0;

again:
	if (!setup(&f, 0, 8))
		return;
	tell(&f, COMMAND_LEADER_EXIT, 0);
	poll_events(&f);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(counters(&f).exits, 1);
	ck_assert_uint_eq(counters(&f).processes, 1);
	for (int i = 0; i < 3; i++) {
		pid_t child = tell(&f, COMMAND_FORK, 0);

		tell(&f, i & 1 ? COMMAND_MAP_EXE : COMMAND_MAP_LIBC, 0);
		poll_events(&f);
		ck_assert_uint_eq(counters(&f).processes, 2 + i);
		const struct address_space *known = process_events_space(f.events, f.pid);
		ck_assert(known && address_space_find(known, (uint64_t)SOME_ADDRESS));
		assert_list_is_true(&f, "the leaderless one's child", child, child);
	}
	kill(f.pid, SIGKILL);
	waitpid(f.pid, NULL, 0);
	poll_events(&f);
	assert_forgotten(&f, "killed", f.pid);
	f.pid = 0;
	teardown(&f);
}
END_TEST

START_TEST(quick_execs_leave_nothing_behind)
{
	struct fixture f;
	int tries = 0;

again:
	if (!setup(&f, 0, 8))
		return;
	for (int i = 0; i < 20; i++) {
		tell(&f, COMMAND_SPAWN, 10);
		poll_events(&f);
	}
	struct process_events_counters c = counters(&f);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(c.forks, 200);
	ck_assert_uint_eq(c.execs, 200);
	ck_assert_uint_eq(c.exits, 200);
	ck_assert_uint_eq(c.processes, 1);
	ck_assert_uint_eq(c.refused, 0);
	ck_assert_uint_eq(c.malformed, 0);
	/* What has ended by the time of the poll is not read. */
	ck_assert_uint_eq(c.readings, 1);
	assert_list_is_true(&f, "after all", f.pid, f.pid);
	teardown(&f);
}
END_TEST

/* While they run: each reading may come too late, and none of it is an error. */
START_TEST(quick_execs_are_followed_while_they_run)
{
	struct fixture f;
	int tries = 0;

again:
	if (!setup(&f, 0, 8))
		return;
	ck_assert_int_eq(tell_following(&f, COMMAND_SPAWN, 200), 0);
	struct process_events_counters c = counters(&f);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(c.forks, 200);
	ck_assert_uint_eq(c.execs, 200);
	ck_assert_uint_le(c.exits, 200); /* of some it was seen before it was said */
	ck_assert_uint_eq(c.processes, 1);
	ck_assert_uint_eq(c.refused, 0);
	teardown(&f);
}
END_TEST

START_TEST(full_session_refuses_and_goes_on)
{
	struct fixture f;
	int tries = 0;

again:
	if (!setup(&f, 0, 3))
		return;
	ck_assert_ptr_null(process_events_refusal(f.events));
	tell(&f, COMMAND_FORK_MANY, 5);
	poll_events(&f);
	if (must_try_again(&f, &tries))
		goto again;
	ck_assert_uint_eq(counters(&f).processes, 3);
	ck_assert_uint_eq(counters(&f).refused, 3);
	ck_assert_int_eq(process_events_refusal(f.events)->code, ERROR_TABLE_LIMIT);
	tell(&f, COMMAND_END_CHILDREN, 0);
	pid_t child = tell(&f, COMMAND_FORK, 0);
	poll_events(&f);
	assert_list_is_true(&f, "there is room again", child, child);
	ck_assert_uint_eq(counters(&f).processes, 2);
	teardown(&f);
}
END_TEST

/* More events than one page holds, with none read: then /proc says who is there. */
START_TEST(lost_events_are_made_up_for)
{
	struct process_events_counters c;
	uint64_t processes = 1 + 40;
	struct fixture f;
	cpu_set_t one;
	pid_t child;

	if (!setup(&f, 1, 256))
		return;
	/* A CPU's page is told of what it lost by the next event there. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(f.pid, sizeof(one), &one), 0);
	tell(&f, COMMAND_SPAWN, 100);
	tell(&f, COMMAND_FORK_MANY, 40);
	poll_events(&f);
	/* The next event brings word of those lost. The whole machine's fill the page: this one may be lost, too. */
	do {
		child = tell(&f, COMMAND_FORK, 0);
		poll_events(&f);
		c = counters(&f);
	} while (++processes < 200 && (!c.resyncs || c.processes < processes));
	ck_assert_uint_gt(c.lost, 0);
	ck_assert_uint_ge(c.resyncs, 1);
	ck_assert_uint_eq(c.processes, processes);
	assert_list_is_true(&f, "the last child", child, child);
	assert_list_is_true(&f, "the parent", f.pid, f.pid);
	tell(&f, COMMAND_SPAWN, 100);
	tell(&f, COMMAND_END_CHILDREN, 0); /* nor is their end told */
	for (int i = 0; i < 50 && counters(&f).processes > 1; i++) {
		poll_events(&f);
		tell(&f, COMMAND_SPAWN, 1);
	}
	ck_assert_uint_eq(counters(&f).processes, 1);
	teardown(&f);
}
END_TEST

START_TEST(descriptor_is_readable_when_something_changed)
{
	struct fixture f;

	if (!setup(&f, 0, 8))
		return;
	tell(&f, COMMAND_MAP_LIBC, 0);
	struct pollfd pollfd = { .fd = process_events_fd(f.events), .events = POLLIN };
	ck_assert_int_eq(poll(&pollfd, 1, PATIENCE_S * 1000), 1);
	poll_events(&f);
	assert_list_is_true(&f, "after its word", f.pid, f.pid);
	teardown(&f);
}
END_TEST

/* However many there are, it returns; what is left is read by and by. */
START_TEST(existing_are_read_by_and_by)
{
	struct fixture f;

	if (!setup_unread(&f, 0, 512))
		return;
	tell(&f, COMMAND_FORK_MANY, 250);
	uint64_t begin_ns = process_cpu_ns(getpid()); /* others may have the CPU meanwhile */
	ck_assert(!process_events_add_existing(f.events, &f.error));
	uint64_t took_ns = process_cpu_ns(getpid()) - begin_ns;
	ck_assert_msg(took_ns < 3000000000, "%.3f s", took_ns / 1e9);
	ck_assert_uint_eq(counters(&f).processes + counters(&f).waiting, 251);
	poll_events(&f);
	ck_assert_uint_eq(counters(&f).processes, 251);
	ck_assert_uint_eq(counters(&f).refused + counters(&f).vanished, 0);
	printf("%u processes in %.3f s, %.3f s in readings\n", 251, took_ns / 1e9,
	       counters(&f).reading_ns / 1e9);
	teardown(&f);
}
END_TEST

/* This process is there, and so is who runs it. */
START_TEST(all_processes_are_found)
{
	struct process_events_options options = { 0 };
	struct fixture f;

	if (!setup(&f, 0, 4096))
		return;
	process_events_close(f.events);
	f.events = NULL;
	ck_assert(!process_events_open(f.session, f.store, &options, &f.events, &f.error));
	ck_assert_msg(!process_events_add_existing(f.events, &f.error), "%s", f.error.message);
	poll_events(&f);
	assert_list_is_true(&f, "the child", f.pid, f.pid);
	assert_list_is_true(&f, "this process", getpid(), getpid());
	ck_assert_ptr_null(process_events_space(f.events, 2)); /* kthreadd */
	ck_assert_uint_ge(counters(&f).processes, 3);
	pid_t cat = tell(&f, COMMAND_FORK_CAT, 0);
	poll_events(&f);
	assert_list_is_true(&f, "a process that is new", cat, cat);
	teardown(&f);
}
END_TEST

SUITE(process_events, TIMEOUT(PATIENCE_TIMEOUT_S), TEST(list_follows_mappings),
      TEST(images_are_forgotten), TEST(fork_has_its_parents_list_unread),
      TEST(fork_is_older_than_its_parents_list), TEST(exec_of_what_is_known_is_not_read),
      TEST(what_events_do_not_tell_is_found), TEST(exec_brings_a_new_list),
      TEST(another_thread_executes), TEST(process_outlives_its_leader),
      TEST(quick_execs_leave_nothing_behind), TEST(quick_execs_are_followed_while_they_run),
      TEST(full_session_refuses_and_goes_on), TEST(lost_events_are_made_up_for),
      TEST(descriptor_is_readable_when_something_changed), TEST(existing_are_read_by_and_by),
      TEST(all_processes_are_found))
