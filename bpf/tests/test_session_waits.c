/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_session_waits.c - who waits at a session's descriptor for stacks
 *
 * A child stands still until this process sleeps in poll(2), and is sampled from then on: so the
 * first stack comes to one who waits. Needs BPF, as test_session.c.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include "tests/suite.h"
#include "process_events.h"
#include "session_fixture.h"

static void stand_still(void)
{
	raise(SIGSTOP);
	busy();
}

/* Whether the process sleeps in poll(2), number 7: proc(5), /proc/PID/syscall. */
static bool sleeps_in_poll(pid_t pid)
{
	char path[64], said[2] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, said, sizeof(said)) != sizeof(said))
		said[0] = 0;
	close(fd);
	return said[0] == '7' && said[1] == ' ';
}

/* Another child that lets the first one go. */
static pid_t fork_starter(pid_t still)
{
	pid_t waiter = getpid(), pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!sleeps_in_poll(waiter))
			usleep(1000);
		kill(still, SIGCONT);
		_exit(0);
	}
	return pid;
}

static void count(void *context, const struct walk_record *record, bool frame_pointer)
{
	++*(unsigned int *)context;
}

static void count_stack(void *context, const struct process_stack *stack)
{
	++*(unsigned int *)context;
}

static const struct {
	const char *name;
	bool baseline, wake_up, processes;
} waits_for[] = {
	{ "the_walk_s_stack_wakes", false, true, false },
	{ "the_baseline_s_stack_wakes", true, true, false },
	{ "who_waits_for_processes_is_woken_too", false, true, true },
	{ "nothing_wakes_who_did_not_ask", false, false, false },
};

START_TEST(first_stack)
{
	bool wake_up = waits_for[_i].wake_up, baseline = waits_for[_i].baseline;
	struct bpf_session_options options = { .wake_up = wake_up, .only_frame_pointer = baseline };
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	struct process_events *events = NULL;
	struct bpf_session *session;
	unsigned int taken = 0;
	struct error error;

	if (bpf_session_open(&options, &session, &error)) {
		ck_assert_msg(error.code == ERROR_UNAVAILABLE, "%s", error.message);
		printf("SKIP: %s\n", error.message);
		image_store_destroy(store);
		return;
	}
	ck_assert(!address_space_read(&space, store, getpid(), &error));
	space.pid = fork_child(stand_still);
	ck_assert(!bpf_session_set_process(session, &space, &error));
	ck_assert_int_eq(waitpid(space.pid, NULL, WUNTRACED), space.pid);

	struct pollfd stacks = { .fd = bpf_session_fd(session), .events = POLLIN };

	if (!wake_up) {
		ck_assert_int_eq(stacks.fd, -1);
		goto out;
	}
	ck_assert_int_ge(stacks.fd, 0);
	if (waits_for[_i].processes) {
		/* Of the child, which changes nothing. */
		struct process_events_options events_of = { .pid = space.pid };

		ck_assert(!process_events_open(session, store, &events_of, &events, &error));
		stacks.fd = process_events_fd(events);
	}
	if (bpf_session_attach_samples(session, space.pid, -1, 4999, &error)) {
		printf("SKIP: %s\n", error.message);
		goto out;
	}
	/* What it ran until it stood still is no news. */
	ck_assert(!bpf_session_consume(session, count, &taken, &error));
	ck_assert(events || !poll(&stacks, 1, 0));
	taken = 0;

	pid_t starter = fork_starter(space.pid);

	/* Any process's events wake who waits for them: the starter's, too. */
	for (uint64_t until = patience(); !taken && monotonic_ns() < until;) {
		ck_assert_int_eq(poll(&stacks, 1, PATIENCE_S * 1000), 1);
		ck_assert(!(events ? process_events_consume(events, count_stack, &taken, &error)
				   : bpf_session_consume(session, count, &taken, &error)));
	}
	ck_assert_uint_ge(taken, 1);
	/* And again: what wakes is the first after all were taken. */
	ck_assert_int_eq(poll(&stacks, 1, PATIENCE_S * 1000), 1);
	end_child(starter);
out:
	end_child(space.pid);
	process_events_close(events);
	bpf_session_close(session);
	address_space_deinit(&space);
	image_store_destroy(store);
}
END_TEST

SUITE(session_waits, TIMEOUT(PATIENCE_TIMEOUT_S), LOOP(first_stack, waits_for))
