/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process_follow.c - what one event does to what is known: the times, and what is unsure
 *
 * The events are made up: the kernel writes one late, or loses one, when it likes.
 */
#include "tests/suite.h"
#include "process_events.c"

#define EVENTS(...) .event = { __VA_ARGS__ }

static const struct follow_case {
	const char *name;
	struct process_event event[4]; /* OTHER ends them */
	uint64_t late, lost, malformed, unsure_ns, followed_ns;
} cases[] = {
	{ "in_order",
	  EVENTS({ .kind = PROCESS_EVENT_EXIT, .pid = 5, .time_ns = 100 },
		 { .kind = PROCESS_EVENT_EXIT, .pid = 5, .time_ns = 200 }),
	  .unsure_ns = NEVER, .followed_ns = 200 },
	{ "at_once",
	  EVENTS({ .kind = PROCESS_EVENT_EXIT, .pid = 5, .time_ns = 100 },
		 { .kind = PROCESS_EVENT_EXIT, .pid = 6, .time_ns = 100 }),
	  .unsure_ns = NEVER, .followed_ns = 100 },
	{ "late",
	  EVENTS({ .kind = PROCESS_EVENT_EXIT, .pid = 5, .time_ns = 200 },
		 { .kind = PROCESS_EVENT_EXIT, .pid = 6, .time_ns = 199 }),
	  .late = 1, .unsure_ns = 199, .followed_ns = 200 },
	{ "late_twice",
	  EVENTS({ .kind = PROCESS_EVENT_EXIT, .pid = 5, .time_ns = 200 },
		 { .kind = PROCESS_EVENT_EXIT, .pid = 6, .time_ns = 150 },
		 { .kind = PROCESS_EVENT_EXIT, .pid = 6, .time_ns = 170 }),
	  .late = 2, .unsure_ns = 150, .followed_ns = 200 },
	{ "late_of_another_name_space",
	  EVENTS({ .kind = PROCESS_EVENT_EXIT, .pid = 5, .time_ns = 200 },
		 { .kind = PROCESS_EVENT_MAP, .pid = 0, .time_ns = 150 }),
	  .late = 1, .unsure_ns = 150, .followed_ns = 200 },
	{ "lost",
	  EVENTS({ .kind = PROCESS_EVENT_EXIT, .pid = 5, .time_ns = 200 },
		 { .kind = PROCESS_EVENT_LOST, .lost = 7, .since_ns = 180, .time_ns = 300 },
		 { .kind = PROCESS_EVENT_LOST, .lost = 2, .since_ns = 190, .time_ns = 310 }),
	  .lost = 9, .unsure_ns = 180, .followed_ns = 200 },
	{ "malformed",
	  EVENTS({ .kind = PROCESS_EVENT_MALFORMED, .since_ns = 180, .time_ns = 300 },
		 { .kind = PROCESS_EVENT_MALFORMED, .since_ns = 170, .time_ns = 300 }),
	  .malformed = 2, .unsure_ns = 170 },
};

START_TEST(event_is_followed)
{
	const struct follow_case *c = &cases[_i];
	struct process_events events = { .unsure_ns = NEVER };

	for (int i = 0; i < COUNT(c->event) && c->event[i].kind != PROCESS_EVENT_OTHER; i++)
		follow_event(&events, &c->event[i]);
	ck_assert_msg(events.counters.late == c->late && events.counters.lost == c->lost &&
			      events.counters.malformed == c->malformed,
		      "%s: late %llu, lost %llu, malformed %llu", c->name,
		      (unsigned long long)events.counters.late,
		      (unsigned long long)events.counters.lost,
		      (unsigned long long)events.counters.malformed);
	ck_assert_msg(events.unsure_ns == c->unsure_ns, "%s: unsure", c->name);
	ck_assert_msg(events.followed_ns == c->followed_ns, "%s: followed", c->name);
	process_set_deinit(&events.processes);
}
END_TEST

/* The kernel says 0 of what is outside of this PID name space, and -1 of what has ended. A
 * container's program is process 1 of its own. */
static const struct {
	pid_t pid;
	bool followed;
} pids[] = { { -1, false }, { 0, false }, { 1, true }, { 2, true }, { 4194304, true } };

START_TEST(only_what_has_a_number_here_is_followed)
{
	static const enum process_event_kind kinds[] = { PROCESS_EVENT_MAP, PROCESS_EVENT_EXEC,
							 PROCESS_EVENT_FORK };

	for (int i = 0; i < COUNT(kinds); i++) {
		struct process_event event = {
			.kind = kinds[i], .pid = pids[_i].pid, .parent = 7, .time_ns = 100
		};
		struct process_events events = { .unsure_ns = NEVER };
		struct process *process;

		follow_event(&events, &event);
		process = process_set_find(&events.processes, pids[_i].pid);
		ck_assert_msg((process && process->alive) == pids[_i].followed,
			      "kind %d of process %d", kinds[i], pids[_i].pid);
		ck_assert_uint_eq(events.counters.maps + events.counters.execs +
					  events.counters.forks,
				  pids[_i].followed);
		ck_assert_uint_eq(events.followed_ns, 100); /* the others' tell the time, too */
		process_set_deinit(&events.processes);
	}
}
END_TEST

SUITE(process_follow, LOOP(event_is_followed, cases),
      LOOP(only_what_has_a_number_here_is_followed, pids))
