/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_session_callers.c - what a session leaves alone in the program that opens it, and how much
 * it takes
 *
 * Needs BPF, as test_session.c.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/syscall.h>
#include "tests/suite.h"
#include "session_fixture.h"

#define MANY 256 /* attachments: as on a machine of so many CPUs */

static unsigned int messages;

static int callers_print(enum libbpf_print_level level, const char *format, va_list arguments)
{
	messages += level == LIBBPF_WARN;
	return 0;
}

/* libbpf's print function is the caller's again after each call, and has been told nothing. */
static void check_print(void)
{
	ck_assert_ptr_eq((void *)libbpf_set_print(callers_print), (void *)callers_print);
	ck_assert_uint_eq(messages, 0);
}

START_TEST(print_function_is_the_callers)
{
	struct bpf_session_options options = { .entries = 1u << WALK_ENTRY_TRACEPOINT };
	struct fixture f;
	bool loaded;

	messages = 0;
	libbpf_set_print(callers_print);
	loaded = setup(&f, _i, options);
	check_print();
	if (!loaded)
		return;
	ck_assert_int_eq(bpf_session_attach_tracepoint(f.session, "no_such_tracepoint", &f.error),
			 -1);
	ck_assert_int_eq(f.error.code, ERROR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(f.error.message, "no_such_tracepoint"));
	check_print();
	teardown(&f);
	check_print();
}
END_TEST

START_TEST(what_others_say_reaches_the_callers_function)
{
	struct fixture f;

	messages = 0;
	libbpf_set_print(callers_print);
	if (!setup(&f, _i, (struct bpf_session_options) { 0 }))
		return;
	/* The program's own failure, of which libbpf warns. */
	ck_assert_ptr_null(bpf_object__open_file("/nonexistent.bpf.o", NULL));
	ck_assert_uint_gt(messages, 0);
	teardown(&f);
}
END_TEST

START_TEST(attaches_as_often_as_there_are_cpus)
{
	struct fixture f;

	if (!setup(&f, _i, (struct bpf_session_options) { 0 }))
		return;
	for (int i = 0; i < MANY; i++)
		ck_assert_msg(!bpf_session_attach_samples(f.session, syscall(SYS_gettid), -1, 1,
							  &f.error),
			      "attachment %d: %s", i, f.error.message);
	bpf_session_detach(f.session);
	ck_assert(!bpf_session_attach_samples(f.session, getpid(), -1, 1, &f.error));
	teardown(&f);
}
END_TEST

/* A test that says SKIP where a session does not open sees nothing where it should. A kernel that has
 * the helpers takes each program. */
START_TEST(every_program_loads_where_it_can)
{
	struct bpf_session_options options = {
		.method = methods[_i / 2].method,
		.entries = (1u << WALK_ENTRY_COUNT) - 1,
		.frame_pointer = true,
		.count_stacks = _i % 2,
		.follow_frame_pointers = _i % 2,
		.wake_up = _i % 2,
	};
	struct bpf_session *session = NULL;
	struct error error;

	if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_task_pt_regs, NULL) !=
		    1 ||
	    (options.method == WALK_METHOD_LOOP &&
	     libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop, NULL) != 1)) {
		printf("SKIP: no BPF, or an older kernel\n");
		return;
	}
	ck_assert_msg(!bpf_session_open(&options, &session, &error), "%s: %s", methods[_i / 2].name,
		      error.message);
	bpf_session_close(session);
}
END_TEST

SUITE(session_callers, LOOP(print_function_is_the_callers, methods),
      TIMES(what_others_say_reaches_the_callers_function, 1),
      TIMES(attaches_as_often_as_there_are_cpus, 1),
      TIMES(every_program_loads_where_it_can, 2 * COUNT(methods)))
