/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_session_namespace.c - a session in a container counts processes as the container does
 *
 * Each test runs in a PID name space of its own, as its process 1 and with its own /proc
 * (pid_namespaces(7)). Where the machine has none, or no BPF, it says SKIP and passes.
 */
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include "tests/suite.h"
#include "session_fixture.h"

/* Who has made a PID name space starts threads in it, whose numbers LeakSanitizer does not know. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static __attribute__((noinline, noipa)) void call_kernel(void)
{
	syscall(SYS_getppid);
	usleep(1000);
}

struct seen {
	pid_t pid;
	uint64_t records, foreign;
};

static void on_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct seen *seen = context;

	seen->records++;
	seen->foreign += record->pid != (uint32_t)seen->pid || record->tid != (uint32_t)seen->pid;
}

/* The child's calls are walked, by its number here. */
static void walk_child(struct fixture *f, pid_t child)
{
	struct seen seen = { .pid = child };
	uint64_t until = patience();

	f->space.pid = child;
	ck_assert(!bpf_session_set_process(f->session, &f->space, &f->error));
	if (bpf_session_attach_tracepoint(f->session, "sys_enter", &f->error)) {
		printf("SKIP: %s\n", f->error.message);
		return;
	}
	while (seen.records < 20 && waits(until, 20))
		ck_assert(!bpf_session_consume(f->session, on_record, &seen, &f->error));
	bpf_session_detach(f->session);
	ck_assert_uint_ge(seen.records, 20);
	ck_assert_uint_eq(seen.foreign, 0);
}

static void of_the_same(int method)
{
	struct fixture f;

	if (!setup(&f, method,
		   (struct bpf_session_options) { .entries = 1u << WALK_ENTRY_TRACEPOINT }))
		return;
	walk_child(&f, fork_child(call_kernel));
	teardown(&f);
}

/* The child is process 1 of a container inside of this one, and has a number here, too. */
static void of_one_inside(int method)
{
	struct fixture f;

	if (!setup(&f, method,
		   (struct bpf_session_options) { .entries = 1u << WALK_ENTRY_TRACEPOINT }))
		return;
	ck_assert(!unshare(CLONE_NEWPID));
	walk_child(&f, fork_child(call_kernel));
	teardown(&f);
}

static const struct {
	const char *name;
	void (*fn)(int method);
} cases[] = {
	{ "of_the_same", of_the_same },
	{ "of_one_inside", of_one_inside },
};

START_TEST(processes_have_their_numbers)
{
	int status, number = _i % COUNT(cases);
	pid_t pid;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS)) {
		printf("SKIP: no PID name space can be had\n");
		return;
	}
	fflush(stdout);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		ck_assert_int_eq(getpid(), 1);
		if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("proc", "/proc", "proc", 0, NULL))
			printf("SKIP: no /proc can be mounted\n");
		else
			cases[number].fn(_i / COUNT(cases));
		fflush(stdout);
		_exit(0); /* and the kernel ends all of the name space */
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(!status, "%s: status 0x%x", cases[number].name, status);
}
END_TEST

SUITE(session_namespace, TIMEOUT(PATIENCE_TIMEOUT_S),
      TIMES(processes_have_their_numbers, COUNT(cases) * COUNT(methods)))
