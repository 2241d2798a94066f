/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plugin_events.c - processes and threads, by what the kernel says of them
 */
#include "made_guest.h"

static const struct event_case {
	const char *name, *state;
	struct made_event event[4];
} event_cases[] = {
	{ "nothing", "70 70:b2, ", { { 0 } } },
	{ "fork", "70 70:b2, 80 80:i2, ", { FORK(0, 1, 80, 80, PID, PID) } },
	{ "fork_by_a_thread_without_a_stack",
	  "70 70:b2 71:0, 80 80:s0, ",
	  { FORK(0, 1, PID, 71, PID, PID), FORK(0, 2, 80, 80, PID, 71) } },
	{ "fork_by_a_thread_that_nobody_knows",
	  "70 70:b2, 80 80:s0, ",
	  { FORK(0, 1, 80, 80, PID, 75) } },
	{ "fork_of_others", "70 70:b2, ", { FORK(0, 1, 80, 80, 60, 60) } },
	{ "thread", "70 70:b2 71:0, ", { FORK(0, 1, PID, 71, PID, PID) } },
	{ "exec", "70 70:x0, ", { EXEC(0, 1, PID) } },
	{ "exec_forgets_threads",
	  "70 70:x0, ",
	  { FORK(0, 1, PID, 71, PID, PID), EXEC(0, 2, PID) } },
	{ "exec_of_others", "70 70:b2, ", { EXEC(0, 1, 60) } },
	{ "exec_of_a_fork",
	  "70 70:b2, 80 80:x0, ",
	  { FORK(0, 1, 80, 80, PID, PID), EXEC(0, 2, 80) } },
	{ "end", "-70 ", { EXIT(0, 1, PID, PID) } },
	{ "end_of_a_thread", "70 71:0, ", { FORK(0, 1, PID, 71, PID, PID), EXIT(0, 2, PID, PID) } },
	{ "end_of_others", "70 70:b2, ", { EXIT(0, 1, 60, 60), EXIT(0, 2, PID, 60) } },
	{ "in_order_of_time",
	  "80 80:i2, -70 ",
	  { EXIT(0, 9, PID, PID), FORK(1, 5, 80, 80, PID, PID) } },
	{ "in_order_of_time_the_other_ring_first",
	  "80 80:i2, -70 ",
	  { EXIT(1, 9, PID, PID), FORK(0, 5, 80, 80, PID, PID) } },
	{ "lost",
	  "-70 lost 3",
	  { { PERF_RECORD_LOST, 0, 0, 1, 3, 0, 0, 0 }, EXIT(0, 2, PID, PID) } },
	{ "malformed", "70 70:b2, lost 1", { { SHORT, 0, 1, 1, 0, 0, 0, 0 } } },
};

START_TEST(events_are_applied)
{
	const struct event_case *c = &event_cases[_i];

	for (int i = 0; i < COUNT(c->event) && c->event[i].type; i++)
		write_event(&c->event[i]);
	watch_events();
	ck_assert_msg(!strcmp(state(), c->state), "%s: %s", c->name, state());
	watch_forget_all();
	ck_assert_msg(world.left >= world.made, "%s: vCPUs left %zu threads of %zu", c->name,
		      world.left, world.made);
	ck_assert_uint_eq(watch.alive, 0);
}
END_TEST

START_TEST(unreadable_rings_are_counted)
{
	world.unreadable_ring = true;
	watch_events();
	ck_assert_uint_eq(watch.counters.unread_rings, 2);
}
END_TEST

/* Before a program was executed, the process that the agent names is the agent's. */
START_TEST(not_watched_before_its_exec)
{
	const struct made_event fork = FORK(0, 1, 80, 80, PID, PID);

	watch_process(PID)->executed = false;
	ck_assert_ptr_null(enter(PID, PID));
	write_event(&fork);
	watch_events();
	ck_assert_str_eq(state(), "70? 70:b2, ");
}
END_TEST

START_TEST(forked_stack_is_its_own)
{
	const struct made_event fork = FORK(0, 1, 80, 80, PID, PID);
	struct watched_thread *made, *maker = watch_thread(watch_process(PID), PID);

	write_event(&fork);
	made = enter(80, 80);
	ck_assert(made && made != maker);
	steps(made, FUNCTION, SP - 16, RET, registers);
	steps(made, PC + 0x15, SP - 8, NOP, registers);
	ck_assert_str_eq(state(), "70 70:b2, 80 80:b1, ");
	ck_assert_uint_eq(made->process->counters.returns, 1);
	ck_assert_uint_eq(watch.counters.strangers, 0);
}
END_TEST

SUITE(plugin_events, FIXTURE(setup, teardown), LOOP(events_are_applied, event_cases),
      TEST(unreadable_rings_are_counted), TEST(not_watched_before_its_exec),
      TEST(forked_stack_is_its_own))
