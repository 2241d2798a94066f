/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * session_fixture.h - a session, this program's mappings, and a child to be walked
 */
#ifndef STACKPROOF_SESSION_FIXTURE_H
#define STACKPROOF_SESSION_FIXTURE_H

#include "tests/suite.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "patience.h"
#include "session.h"

static const struct {
	enum walk_method method;
	const char *name;
} methods[] = { { WALK_METHOD_LOOP, "bpf_loop" }, { WALK_METHOD_CHAIN, "tail_calls" } };

struct fixture {
	struct bpf_session *session;
	struct image_store *store;
	struct address_space space;
	struct error error;
};

/* False: this method does not load here, and why was said. */
static inline bool setup(struct fixture *fixture, int method, struct bpf_session_options options)
{
	memset(fixture, 0, sizeof(*fixture));
	options.method = methods[method].method;
	if (bpf_session_open(&options, &fixture->session, &fixture->error)) {
		ck_assert_msg(fixture->error.code == ERROR_UNAVAILABLE, "%s",
			      fixture->error.message);
		printf("SKIP: %s: %s\n", methods[method].name, fixture->error.message);
		return false;
	}
	ck_assert_str_eq(bpf_session_method_name(fixture->session), methods[method].name);
	fixture->store = image_store_create();
	ck_assert(!address_space_read(&fixture->space, fixture->store, getpid(), &fixture->error));
	return true;
}

static inline void teardown(struct fixture *fixture)
{
	bpf_session_close(fixture->session);
	address_space_deinit(&fixture->space);
	image_store_destroy(fixture->store);
}

static __attribute__((noinline, noipa, unused)) void busy(void)
{
	volatile uint64_t sum = 0;

	for (;;)
		sum += sum * 3 + 1;
}

/* A child that does fn() again and again. It ends with the test. */
static __attribute__((unused)) pid_t fork_child(void (*fn)(void))
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			fn();
	}
	return pid;
}

static __attribute__((unused)) void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#endif
