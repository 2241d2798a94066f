/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_points.c - which stops are points, and what is counted of them
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/syscall.h>
#include "tests/suite.h"
#include "truth/tracer/tracer_step.c"

#define PC 0x401000ull

/* ---- points -------------------------------------------------------------------------------- */

struct seen {
	struct trace_stop stop; /* the last */
	int stops, passed;
};

static int see_stop(void *context, const struct trace_stop *stop, struct error *error)
{
	struct seen *seen = context;

	seen->stop = *stop;
	seen->stops++;
	return 5;
}

static int see_passed(void *context, pid_t tid, uint64_t pc, struct error *error)
{
	ck_assert_int_eq(tid, 77);
	((struct seen *)context)->passed++;
	return 6;
}

static const struct point_case {
	const char *name;
	uint64_t rip, from_pc, steps;
	unsigned int every;
	uint64_t limit;
	size_t threads;
	bool to_entry, looked, untrapped, unrooted;
	bool is_point, passed, stops;
	bool nobody; /* wants to know */
} point_cases[] = {
	{ "a_point", .rip = PC, .steps = 7, .threads = 1, .is_point = true },
	{ "before_the_entry", .rip = PC, .threads = 1, .to_entry = true, .passed = true },
	{ "before_the_symbol", .rip = PC, .from_pc = PC + 1, .threads = 1, .passed = true },
	{ "at_the_symbol", .rip = PC, .from_pc = PC, .threads = 1, .is_point = true },
	{ "every_one", .rip = PC, .steps = 7, .every = 1, .threads = 1, .is_point = true },
	{ "every_second_one_is_not_this", .rip = PC, .steps = 7, .every = 2, .threads = 1,
	  .passed = true },
	{ "every_second_one_is_this", .rip = PC, .steps = 8, .every = 2, .threads = 1,
	  .is_point = true },
	{ "the_page_without_code", .rip = 0xffffffffff600000, .threads = 1 },
	{ "the_last", .rip = PC, .limit = 1, .threads = 1, .is_point = true, .stops = true },
	{ "the_last_but_one", .rip = PC, .limit = 2, .threads = 1, .is_point = true },
	{ "with_another_thread", .rip = PC, .threads = 2, .is_point = true },
	{ "looked_at", .rip = PC, .threads = 1, .looked = true, .is_point = true },
	{ "without_a_trap", .rip = PC, .threads = 1, .untrapped = true, .is_point = true },
	{ "of_a_prefix", .rip = PC, .threads = 1, .unrooted = true, .is_point = true },
	{ "nobody_wants_it", .rip = PC, .threads = 1, .nobody = true, .is_point = true },
	{ "nobody_wants_what_is_passed", .rip = PC, .threads = 1, .to_entry = true,
	  .nobody = true },
};

START_TEST(stop_is_a_point_or_is_passed)
{
	const struct point_case *c = &point_cases[_i];
	struct seen seen = { .stops = 0 };
	const struct tracer_options options = { .every = c->every, .point_limit = c->limit };
	struct tracer_callbacks callbacks = { .context = &seen };
	struct tracer tracer = { .options = &options,
				 .callbacks = &callbacks,
				 .core = { .pid = 70, .counters = &tracer.counters.rules },
				 .thread_count = c->threads,
				 .to_entry = c->to_entry,
				 .from_pc = c->from_pc };
	struct thread thread = { .core = { .tid = 77, .looked = c->looked }, .steps = c->steps };
	bool told = c->is_point && !c->nobody;

	if (!c->nobody) {
		callbacks.on_stop = see_stop;
		callbacks.on_passed = see_passed;
	}
	thread.core.regs.rip = c->rip;
	shadow_stack_init(&thread.core.shadow, !c->unrooted);
	ck_assert_msg(thread_point(&tracer, &thread, !c->untrapped) == (told	    ? 5
									: c->passed ? 6
										    : 0),
		      "%s", c->name);
	ck_assert_msg(seen.stops == told && seen.passed == c->passed, "%s: %d, %d", c->name,
		      seen.stops, seen.passed);
	ck_assert_uint_eq(tracer.counters.points, c->is_point);
	ck_assert_uint_eq(tracer.counters.rules.stacks, c->is_point);
	ck_assert_uint_eq(tracer.counters.untrapped, c->untrapped);
	ck_assert_uint_eq(tracer.counters.unrooted, c->unrooted);
	ck_assert_int_eq(tracer.stopping, c->stops);
	ck_assert_uint_eq(tracer.from_pc, c->is_point ? 0 : c->from_pc);
	if (told) {
		ck_assert(seen.stop.pid == 70 && seen.stop.tid == 77);
		ck_assert_uint_eq(seen.stop.regs.value[REGISTER_RIP], c->rip);
		ck_assert_ptr_eq(seen.stop.shadow, &thread.core.shadow);
		ck_assert_int_eq(seen.stop.alone, c->threads == 1);
		ck_assert_int_eq(seen.stop.looked, c->looked);
		ck_assert_int_eq(seen.stop.trapped, !c->untrapped);
	}
	shadow_stack_deinit(&thread.core.shadow);
}
END_TEST

START_TEST(depth_of_points_is_counted)
{
	static const size_t depths[] = { 3, 5, 2, 2, 4 };
	struct tracer_counters counters = { 0 };
	struct thread thread = { .core.shadow.rooted = true };

	for (int i = 0; i < COUNT(depths); i++) {
		thread.core.shadow.count = depths[i];
		count_point(&counters, &thread, i != 1);
		if (i == 0)
			ck_assert(counters.min_frames == 3 && counters.max_frames == 3);
	}
	ck_assert_uint_eq(counters.points, 5);
	ck_assert_uint_eq(counters.frames, 16);
	ck_assert_uint_eq(counters.min_frames, 2);
	ck_assert_uint_eq(counters.max_frames, 5);
	ck_assert_uint_eq(counters.untrapped, 1);
	ck_assert_uint_eq(counters.unrooted, 0);
	thread.core.shadow.rooted = false;
	count_point(&counters, &thread, true);
	ck_assert_uint_eq(counters.unrooted, 1);
}
END_TEST

/* ---- threads that no event tells of ------------------------------------------------------- */

#define ARGUMENTS 0x7000

static int read_flags(void *context, uint64_t address, void *ret, size_t size)
{
	if (address != ARGUMENTS)
		return -1;
	memcpy(ret, context, size);
	return 0;
}

static const struct {
	const char *name;
	uint64_t number, argument, result;
	uint64_t memory; /* at ARGUMENTS: clone3's first member */
	uint64_t threads, processes;
} untraced_cases[] = {
	{ "a_thread", SYS_clone, CLONE_UNTRACED | CLONE_THREAD, 7, 0, 1, 0 },
	{ "a_process", SYS_clone, CLONE_UNTRACED | SIGCHLD, 7, 0, 0, 1 },
	{ "a_traced_thread", SYS_clone, CLONE_THREAD, 7, 0, 0, 0 },
	{ "a_thread_by_clone3", SYS_clone3, ARGUMENTS, 7, CLONE_UNTRACED | CLONE_THREAD, 1, 0 },
	{ "a_process_by_clone3", SYS_clone3, ARGUMENTS, 7, CLONE_UNTRACED, 0, 1 },
	{ "a_traced_one_by_clone3", SYS_clone3, ARGUMENTS, 7, CLONE_THREAD, 0, 0 },
	{ "clone3_of_what_can_not_be_read", SYS_clone3, 8, 7, CLONE_UNTRACED, 0, 0 },
	{ "the_new_one_s_own_return", SYS_clone, CLONE_UNTRACED | CLONE_THREAD, 0, 0, 0, 0 },
	{ "an_error", SYS_clone, CLONE_UNTRACED | CLONE_THREAD, -EAGAIN, 0, 0, 0 },
	{ "another_call", SYS_read, CLONE_UNTRACED | CLONE_THREAD, 7, 0, 0, 0 },
};

START_TEST(untraced_ones_are_counted)
{
	const struct user_regs_struct before = { .rax = untraced_cases[_i].number,
						 .rdi = untraced_cases[_i].argument };
	struct tracer tracer = { 0 };
	uint64_t flags = untraced_cases[_i].memory;

	tracer.core.memory.read = read_flags;
	tracer.core.memory.context = &flags;
	count_untraced(&tracer, &before, untraced_cases[_i].result);
	ck_assert_msg(tracer.counters.untraced == untraced_cases[_i].threads &&
			      tracer.counters.children == untraced_cases[_i].processes,
		      "%s", untraced_cases[_i].name);
}
END_TEST

SUITE(tracer_points, LOOP(stop_is_a_point_or_is_passed, point_cases),
      TEST(depth_of_points_is_counted), LOOP(untraced_ones_are_counted, untraced_cases))
