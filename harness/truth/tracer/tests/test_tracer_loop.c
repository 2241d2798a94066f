/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_loop.c - who goes on, who has ended, and how a run ends
 */
#include "tests/suite.h"
#include "tracer_world.h"

/* ---- going on -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum thread_state state;
	const char *fails;
	int error; /* of PTRACE_SINGLESTEP */
	int result;
	const char *said;
	int injected;
} resume_cases[] = {
	{ "free", THREAD_STARTING, NULL, 0, 0, "continue(77,5) ", 5 },
	{ "to_the_entry", THREAD_TO_ENTRY, NULL, 0, 0, "continue(77,5) ", 5 },
	{ "stepped", THREAD_STEPPED, NULL, 0, 0, "request singlestep(77,105) ", 105 },
	{ "entering", THREAD_ENTERING, NULL, 0, 0, "request singlestep(77,105) ", 105 },
	{ "request_fails", THREAD_STEPPED, "request", 0, -1, "request ", 0 },
	{ "killed", THREAD_STEPPED, NULL, ESRCH, 0, "request ", 105 },
	{ "refused", THREAD_STEPPED, NULL, EIO, -1, "request ", 105 },
};

START_TEST(thread_is_resumed)
{
	struct tracer tracer;
	struct thread *thread = setup(&tracer, resume_cases[_i].state);

	world.fails = resume_cases[_i].fails;
	world.request = PTRACE_SINGLESTEP;
	world.error = resume_cases[_i].error;
	ck_assert_msg(resume_or_wait(&tracer, thread, 5) == resume_cases[_i].result, "%s",
		      resume_cases[_i].name);
	ck_assert_msg(!strcmp(world.said, resume_cases[_i].said), "%s: %s", resume_cases[_i].name,
		      world.said);
	ck_assert_int_eq(thread->injected, resume_cases[_i].injected);
	ck_assert(!thread->waits && !tracer.waiting);
	if (resume_cases[_i].error == EIO)
		ck_assert_ptr_nonnull(strstr(error.message, "could not resume thread 77"));
	teardown(&tracer);
}
END_TEST

/* Of those that wait, one after the other, with the signal that each stopped for. */
START_TEST(who_waited_goes_on_in_turn)
{
	struct tracer tracer;
	struct thread *first = setup(&tracer, THREAD_STEPPED);
	struct thread *second = tracer_add_thread(&tracer, 78, THREAD_STEPPED);
	struct thread *third = tracer_add_thread(&tracer, 79, THREAD_STEPPED);

	tracer.in_section = first;
	ck_assert_int_eq(resume_or_wait(&tracer, second, 2), 0);
	ck_assert_int_eq(resume_or_wait(&tracer, third, 3), 0);
	ck_assert_str_eq(world.said, "");
	ck_assert_uint_eq(tracer.waiting, 2);
	tracer.in_section = NULL; /* somebody still waits: so does the next one, and is asked for */
	world.nexts = 0;
	world.next[0] = second;
	world.next[1] = first;
	ck_assert_int_eq(resume_or_wait(&tracer, first, 1), 0);
	ck_assert_str_eq(world.said, "request singlestep(78,102) request singlestep(77,101) ");
	ck_assert(!first->waits && !second->waits && third->waits);
	ck_assert_uint_eq(tracer.waiting, 1);
	world.nexts = 0;
	world.next[0] = third;
	world.fails = "request";
	ck_assert_int_eq(resume_waiting(&tracer), -1);
	ck_assert_uint_eq(tracer.waiting, 0);
	teardown(&tracer);
}
END_TEST

/* ---- the end ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool is_main, function;
	enum thread_state state;
	int failure; /* of exec; 0: it said nothing */
	int result;
	const char *words;
	bool finished;
} end_cases[] = {
	{ "thread", false, false, THREAD_STEPPED, 0, 0, "", false },
	{ "new_thread", false, false, THREAD_NEW, 0, 0, "", false },
	{ "program", true, false, THREAD_STEPPED, 0, 0, "", true },
	{ "exec_failed", true, false, THREAD_STARTING, ENOEXEC, -1, "prog: Exec format", true },
	{ "never_executed", true, false, THREAD_STARTING, 0, -1,
	  "prog ended before it was executed", true },
	{ "function", true, true, THREAD_STARTING, 0, 0, "", true },
	{ "on_its_way", true, false, THREAD_TO_ENTRY, ENOEXEC, 0, "", true },
};

START_TEST(end_says_whose_it_was)
{
	char *argv[] = { "prog", NULL };
	int failure = end_cases[_i].failure, fds[2];
	struct tracer tracer;

	setup(&tracer, end_cases[_i].state);
	tracer.core.pid = end_cases[_i].is_main ? TID : 5;
	options.argv = argv;
	options.function = end_cases[_i].function ? function : NULL;
	ck_assert_int_eq(pipe(fds), 0);
	if (failure)
		ck_assert_int_eq(write(fds[1], &failure, sizeof(failure)), sizeof(failure));
	close(fds[1]);
	tracer.fail_fd = fds[0];
	ck_assert_msg(handle_end(&tracer, TID, 0x300) == end_cases[_i].result, "%s",
		      end_cases[_i].name);
	ck_assert_msg(strstr(error.message, end_cases[_i].words) != NULL, "%s: %s",
		      end_cases[_i].name, error.message);
	ck_assert_int_eq(error.code, end_cases[_i].result == 0 ? 0
				     : failure		       ? ERROR_SYSTEM
							       : ERROR_PROTOCOL);
	ck_assert_uint_eq(tracer.thread_count, 0);
	ck_assert_int_eq(tracer.finished, end_cases[_i].finished);
	ck_assert_int_eq(tracer.status, end_cases[_i].finished ? 0x300 : 0);
	close(fds[0]);
	teardown(&tracer);
}
END_TEST

/* While there is one thread, its number is asked for. */
START_TEST(next_one_is_waited_for)
{
	struct tracer tracer;
	int status;

	setup(&tracer, THREAD_STEPPED);
	tracer.core.pid = TID;
	world.wait[0].error = EINTR;
	world.wait[1].tid = TID;
	world.wait[1].status = 9;
	ck_assert_int_eq(wait_next(&tracer, &status), TID);
	ck_assert_int_eq(status, 9);
	world.wait[2].error = ECHILD;
	ck_assert_int_eq(wait_next(&tracer, &status), -1);
	tracer.core.pid = 78; /* its first thread has ended */
	world.wait[3].tid = TID;
	ck_assert_int_eq(wait_next(&tracer, &status), TID);
	tracer.core.pid = TID;
	tracer_add_thread(&tracer, 78, THREAD_STEPPED);
	world.wait[4].tid = 78;
	ck_assert_int_eq(wait_next(&tracer, &status), 78);
	ck_assert_str_eq(world.said, "wait(77) wait(77) wait(77) wait(-1) wait(-1) ");
	teardown(&tracer);
}
END_TEST

static const struct run_case {
	const char *name;
	struct {
		int tid, error, status;
	} wait[4];
	const char *fails;
	int stops; /* at so many points */
	int result;
	const char *said;
	enum tracer_ending ending;
} run_cases[] = {
	{ "starts_not", .fails = "start", .result = -1, .said = "start end(0) ",
	  .ending = TRACER_FAILED },
	{ "a_step_and_the_end",
	  .wait = { { TID, 0, EVENT(PTRACE_EVENT_EXEC) }, { TID, 0, ENDED(3) } },
	  .said = "start wait(77) forget(77) memory mappings traps enter request "
		  "singlestep(77,143) wait(77) forget(77) end(0) ",
	  .ending = TRACER_ENDED },
	{ "first_instruction",
	  .wait = { { TID, 0, EVENT(PTRACE_EVENT_EXEC) },
		    { TID, 0, STOP(SIGTRAP) },
		    { TID, 0, ENDED(3) } },
	  .said = "start wait(77) forget(77) memory mappings traps enter request "
		  "singlestep(77,143) wait(77) begin point request singlestep(77,100) wait(77) "
		  "forget(77) end(0) ",
	  .ending = TRACER_ENDED },
	{ "can_not_go_on", .wait = { { TID, 0, EVENT(PTRACE_EVENT_EXEC) } }, .fails = "request",
	  .result = -1,
	  .said = "start wait(77) forget(77) memory mappings traps enter request end(1) ",
	  .ending = TRACER_FAILED },
	{ "killed", .wait = { { TID, 0, EVENT(PTRACE_EVENT_EXEC) }, { TID, 0, SIGKILL } },
	  .said = "start wait(77) forget(77) memory mappings traps enter request "
		  "singlestep(77,143) wait(77) forget(77) end(0) ",
	  .ending = TRACER_KILLED },
	{ "ended_by_another_signal",
	  .wait = { { TID, 0, EVENT(PTRACE_EVENT_EXEC) }, { TID, 0, SIGSEGV } },
	  .said = "start wait(77) forget(77) memory mappings traps enter request "
		  "singlestep(77,143) wait(77) forget(77) end(0) ",
	  .ending = TRACER_ENDED },
	{ "stop_fails", .wait = { { TID, 0, EVENT(PTRACE_EVENT_EXEC) } }, .fails = "memory",
	  .result = -1, .said = "start wait(77) forget(77) memory end(1) ",
	  .ending = TRACER_FAILED },
	{ "nobody_is_there", .wait = { { 0, ECHILD, 0 } }, .result = -1,
	  .said = "start wait(77) end(1) ", .ending = TRACER_FAILED },
	{ "another_thread_comes_and_goes",
	  .wait = { { 78, 0, EVENT(PTRACE_EVENT_STOP) },
		    { TID, 0, EVENT(PTRACE_EVENT_EXEC) },
		    { TID, 0, ENDED(0) } },
	  .said = "start wait(77) detach(78,0) forget(78) wait(77) forget(77) memory mappings "
		  "traps enter request singlestep(77,143) wait(77) forget(77) end(0) ",
	  .ending = TRACER_ENDED },
	{ "end_fails", .wait = { { TID, 0, ENDED(0) } }, .result = -1,
	  .said = "start wait(77) forget(77) end(0) ", .ending = TRACER_FAILED },
};

START_TEST(run_is_stops_and_an_end)
{
	char *argv[] = { "prog", NULL };
	const struct run_case *c = &run_cases[_i];
	struct tracer_counters counters;
	struct tracer tracer;
	int status;

	setup(&tracer, THREAD_STEPPED);
	teardown(&tracer);
	options.argv = argv;
	world.fails = c->fails;
	for (int i = 0; i < COUNT(c->wait); i++) {
		world.wait[i].tid = c->wait[i].tid;
		world.wait[i].error = c->wait[i].error;
		world.wait[i].status = c->wait[i].status;
	}
	ck_assert_msg(tracer_run(&options, &callbacks, &counters, &status, &error) == c->result,
		      "%s", c->name);
	ck_assert_msg(!strcmp(world.said, c->said), "%s: %s", c->name, world.said);
	ck_assert_msg(counters.ending == c->ending, "%s", c->name);
	ck_assert_uint_eq(counters.execs, 0);
	ck_assert_int_eq(status, strstr(c->said, "end(0)") && world.waits
					 ? c->wait[world.waits - 1].status
					 : 0);
}
END_TEST

static const struct {
	const char *name;
	int result, status, signal;
	bool fired, stopping;
	enum tracer_ending ending;
	int said;
	const char *words;
} ending_cases[] = {
	{ "ended", 0, ENDED(1), 0, false, false, TRACER_ENDED, 0, "" },
	{ "killed", 0, SIGKILL, 0, false, false, TRACER_KILLED, 0, "" },
	{ "killed_as_it_says_itself", 0, ENDED(SIGKILL), 0, false, false, TRACER_ENDED, 0, "" },
	{ "ended_by_a_signal", 0, SIGTERM, 0, false, false, TRACER_ENDED, 0, "" },
	{ "limit", 0, SIGKILL, 0, false, true, TRACER_LIMIT, 0, "" },
	{ "failed", -1, SIGKILL, 0, false, true, TRACER_FAILED, -1, "" },
	{ "time_is_up", 0, SIGKILL, 0, true, false, TRACER_TIMEOUT, -1, "after 70 ms" },
	{ "ended_when_time_was_up", 0, ENDED(0), 0, true, false, TRACER_ENDED, 0, "" },
	{ "interrupted", 0, SIGKILL, SIGINT, true, false, TRACER_INTERRUPTED, -1, "SIGINT" },
};

START_TEST(ending_has_its_name)
{
	struct tracer tracer;

	setup(&tracer, THREAD_STEPPED);
	options.timeout_ms = 70;
	tracer.status = ending_cases[_i].status;
	tracer.stopping = ending_cases[_i].stopping;
	tracer.watchdog.fired = ending_cases[_i].fired;
	tracer.watchdog.signal = ending_cases[_i].signal;
	ck_assert_msg(say_ending(&tracer, ending_cases[_i].result) == ending_cases[_i].said, "%s",
		      ending_cases[_i].name);
	ck_assert_msg(tracer.counters.ending == ending_cases[_i].ending, "%s",
		      ending_cases[_i].name);
	ck_assert_msg(strstr(error.message, ending_cases[_i].words) != NULL, "%s: %s",
		      ending_cases[_i].name, error.message);
	ck_assert_int_eq(error.code == ERROR_TIMEOUT, ending_cases[_i].ending == TRACER_TIMEOUT);
	teardown(&tracer);
}
END_TEST

/* ---- threads ------------------------------------------------------------------------------- */

START_TEST(thread_or_process)
{
	struct tracer tracer;

	setup(&tracer, THREAD_STEPPED);
	ck_assert(thread_is_of(getpid(), getpid()));
	ck_assert(!thread_is_of(getpid(), NOBODY));
	ck_assert_int_eq(adopt_thread(&tracer, getpid())->state, THREAD_NEW);
	ck_assert_int_eq(adopt_thread(&tracer, NOBODY)->state, THREAD_FOREIGN);
	ck_assert_uint_eq(tracer.counters.threads, 2);
	ck_assert_uint_eq(tracer.thread_count, 3);
	teardown(&tracer);
}
END_TEST

/* Behind the last is none: who looks there finds one of that number. */
START_TEST(threads_are_as_many_as_they_are)
{
	struct thread other = { .core.tid = 78, .waits = true };
	struct parked_stack parked = { .root = 78 };
	struct tracer tracer;

	setup(&tracer, THREAD_STEPPED);
	ck_assert_uint_ne(stack_pool_park(&tracer.core.stacks, &parked), 0);
	tracer.thread[1] = &other;
	ck_assert_ptr_null(tracer_find_thread(&tracer, 78));
	remove_thread(&tracer, 78);
	ck_assert_uint_eq(tracer.thread_count, 1);
	ck_assert_uint_eq(tracer.core.stacks.count, 1);
	ck_assert_str_eq(world.said, "");
	/* With a thread goes the stack that it began on. */
	tracer.core.stacks.parked[0].root = TID;
	remove_thread(&tracer, TID);
	ck_assert_uint_eq(tracer.thread_count, 0);
	ck_assert_uint_eq(tracer.core.stacks.count, 0);
	stack_pool_clear(&tracer.core.stacks);
	teardown(&tracer);
}
END_TEST

SUITE(tracer_loop, LOOP(thread_is_resumed, resume_cases), TEST(who_waited_goes_on_in_turn),
      LOOP(end_says_whose_it_was, end_cases), TEST(next_one_is_waited_for),
      LOOP(run_is_stops_and_an_end, run_cases), LOOP(ending_has_its_name, ending_cases),
      TEST(thread_or_process), TEST(threads_are_as_many_as_they_are))
