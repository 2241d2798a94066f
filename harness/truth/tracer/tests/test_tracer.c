/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer.c - the truth of real programs against what they say of themselves
 *
 * Every case runs this program again under the tracer, as one of tracees.h. At each call of
 * marker() the truth must hold exactly the return addresses that the tracee claims, go on below
 * them to _start (or, in a thread, to clone's), and every slot of it must hold in memory what the
 * truth says.
 *
 * Where ptrace is not permitted it prints SKIP and the reason.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/uio.h>
#include "tests/suite.h"
#include "image/image.h"
#include "own_program.h"
#include "truth/tracer/truth.h"
#include "tracees_disturb.h"
#include "tracees_processes.h"
#include "tracees_stacks.h"

#define START_BYTES    128 /* _start of crt1.o is shorter */
#define TIMEOUT_MS     600000
#define TEST_TIMEOUT_S 120
#define ANY_COUNT      UINT64_MAX
#define CLAIMED_FROM   2 /* pc[0] is marker, pc[1] returns from it */

static const struct {
	const char *name;
	int (*run)(void);
	int status; /* as waitpid gives it */
	unsigned int markers;
	uint64_t signals;
	uint64_t threads;
	uint64_t execs;
	uint64_t stack_switches;
} tracees[] = {
	{ "recursion", run_recursion, 11 << 8, 3, 0, 1, 0, 0 },
	{ "odd_returns", run_odd_returns, 0, 1, 0, 1, 0, 0 },
	{ "longjmp", run_longjmp, 0, 2, 0, 1, 0, 0 },
	{ "signal", run_signal, 0, 2, 1, 1, 0, 0 },
	{ "nested_signals", run_nested_signals, 0, 3, 2, 1, 0, 0 },
	{ "signal_stack_below", run_signal_stack_below, 0, 4, 1, 1, 0, 0 },
	{ "signal_stack_above", run_signal_stack_above, 0, 4, 1, 1, 0, 0 },
	{ "jump_off_signal_stack_below", run_jump_off_signal_stack_below, 0, 3, 1, 1, 0, 0 },
	{ "jump_off_signal_stack_above", run_jump_off_signal_stack_above, 0, 3, 1, 1, 0, 0 },
	{ "fault", run_fault, 0, 2, 1, 1, 0, 0 },
	{ "alarm", run_alarm, 0, 2, 1, 1, 0, 0 },
	{ "own_sigtrap", run_own_sigtrap, 0, 2, 1, 1, 0, 0 },
	{ "threads", run_threads, 0, THREADS + 1, 0, THREADS + 1, 0, 0 },
	{ "coroutine", run_coroutine, 0, 5, 0, 1, 0, 6 },
	{ "continued", run_continued, 0, 10, 0, 1, 0, 2 },
	{ "shared_mapping", run_shared_mapping, 0, 18, 0, 1, 0, 12 },
	{ "migrated", run_migrated, 0, 9, 0, 3, 0, 6 },
	{ "stack_used_again", run_stack_used_again, 0, 4, 0, 1, 0, 4 },
	{ "switch_by_register", run_switch_by_register, 0, 8, 0, 1, 0, 6 },
	{ "rsp_is_set", run_rsp_is_set, 0, 8, 0, 2, 0, 0 },
	{ "planted_call", run_planted_call, 0, 2, 1, 1, 0, 0 },
	{ "rewritten_code", run_rewritten_code, 0, 1, 0, 1, 0, 0 },
	{ "patched_own_memory", run_patched_own_memory, 0, 2, 0, 1, 0, 0 },
	{ "patched_by_another", run_patched_by_another, 0, 2, 0, 1, 0, 0 },
	{ "patched_file", run_patched_file, 0, 2, 0, 1, 0, 0 },
	{ "patched_second_mapping", run_patched_second_mapping, 0, 2, 0, 1, 0, 0 },
	{ "patched_shared_mapping", run_patched_shared_mapping, 0, 2, 0, 1, 0, 0 },
	{ "patched_unprotected", run_patched_unprotected, 0, 2, 0, 1, 0, 0 },
	{ "rseq", run_rseq, 0, 1, 0, 1, 0, 0 },
	{ "rseq_threads", run_rseq_threads, 0, 0, 0, THREADS + 1, 0, 0 },
	{ "trap_handler", run_trap_handler, 0, 1, 4, 1, 0, 0 },
	{ "int1", run_int1, 0, 1, 4, 1, 0, 0 },
	{ "trap_blocked", run_trap_blocked, 0, 0, 2, 1, 0, 0 },
	{ "trap_ignored", run_trap_ignored, 0, 0, 1, 1, 0, 0 },
	{ "trap_in_handler", run_trap_in_handler, SIGTRAP, 0, 1, 1, 0, 0 },
	{ "trap_suspended", run_trap_suspended, 0, 0, 3, 1, 0, 0 },
	{ "flags", run_flags, 0, 0, 1, 1, 0, 0 },
	{ "steps_itself", run_steps_itself, (100 + 8) << 8, 1, 8, 1, 0, 0 },
	{ "mov_ss", run_mov_ss, 0, 1, 0, 1, 0, 0 },
	{ "vsyscall", run_vsyscall, 0, 1, 0, 1, 0, 0 },
	{ "traceme", run_traceme, 0, 1, 0, 1, 0, 0 },
	{ "timer", run_timer, 0, 1, ANY_COUNT, 1, 0, 0 },
	{ "fork", run_fork, 5 << 8, 1, 0, 1, 0, 0 },
	{ "vfork", run_vfork, 5 << 8, 1, 0, 1, 0, 0 },
	{ "spawn", run_spawn, 5 << 8, 1, 0, 1, 0, 0 },
	{ "daemon", run_daemon, 5 << 8, 1, 0, 1, 0, 0 },
	{ "clone_with_memory", run_clone_with_memory, 3, 1, 0, 1, 0, 0 },
	{ "clone_without_signal", run_clone_without_signal, 3, 1, 0, 1, 0, 0 },
	{ "thread_by_vfork", run_thread_by_vfork, 0, 2, 0, 2, 0, 0 },
	{ "debugger", run_debugger, 5 << 8, 1, 0, 1, 0, 0 },
	{ "children_of_threads", run_children_of_threads, 0, 3, 0, THREADS + 1, 0, 0 },
	{ "exec", run_exec, 11 << 8, 4, 0, 1, 1, 0 },
	{ "thread_exec", run_thread_exec, 11 << 8, 3, 0, 2, 1, 0 },
	{ "leader_gone", run_leader_gone, 7 << 8, 4, 0, 3, 0, 0 },
	{ "leader_gone_exec", run_leader_gone_exec, 11 << 8, 3, 0, 2, 1, 0 },
	{ "kill", run_kill, SIGTERM, 0, 0, 1, 0, 0 },
	{ "abort", run_abort, SIGABRT, 0, 0, 1, 0, 0 },
	{ "forever", run_forever, 0, 0, 0, 1, 0, 0 },
	{ "blocked", run_blocked, 0, 0, 0, 2, 0, 0 },
};

/* Processes that a tracee makes itself; the others make none. */
static const struct {
	const char *name;
	uint64_t children;
} makers[] = {
	{ "fork", 1 },
	{ "vfork", 1 },
	{ "spawn", 1 },
	{ "daemon", 1 }, /* what its child makes is the child's */
	{ "clone_with_memory", 1 },
	{ "clone_without_signal", 1 },
	{ "debugger", 1 },
	{ "children_of_threads", 2 * THREADS },
	{ "leader_gone", 1 },
	{ "patched_by_another", 4 }, /* the writers */
};

static uint64_t children_of(const char *name)
{
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (strcmp(makers[i].name, name) == 0)
			return makers[i].children;
	return 0;
}

#define TRACEE_COUNT ((int)(sizeof(tracees) / sizeof(*tracees)))
#define EXPECT_COUNT (TRACEE_COUNT - 2) /* the last two never end */

#pragma GCC push_options
#pragma GCC optimize("no-omit-frame-pointer")

/* Its frame is the outermost that a tracee can follow. */
static KEPT int run_tracee(const char *name)
{
	struct tracee *tracee = calloc(1, sizeof(*tracee));

	self = tracee;
	self->outermost = FRAME;
	for (int i = 0; i < TRACEE_COUNT; i++)
		if (strcmp(tracees[i].name, name) == 0)
			return tracees[i].run();
	return 99;
}

#pragma GCC pop_options

/* ---- the tracer's side ------------------------------------------------------------------ */

struct observation {
	uint64_t entry;	 /* of the tracee: what stands at the first point */
	uint64_t marker; /* in the tracee */
	uint64_t first_rip;
	unsigned int points;
	unsigned int markers;
	unsigned int mappings;
	unsigned int untrapped;
	char problem[256]; /* the first one */
	unsigned int fail_at;
};

static bool read_tracee(pid_t pid, uint64_t address, void *ret, size_t size)
{
	struct iovec local = { ret, size };
	struct iovec remote = { (void *)(uintptr_t)address, size };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

#define PROBLEM(seen, ...)                                                                         \
	do {                                                                                       \
		if (!(seen)->problem[0])                                                           \
			snprintf((seen)->problem, sizeof((seen)->problem), __VA_ARGS__);           \
	} while (0)

static void check_slots(struct observation *seen, const struct trace_stop *stop)
{
	for (size_t i = 0; i < stop->shadow->count; i++) {
		const struct shadow_frame *frame = &stop->shadow->frame[i];
		uint64_t value;

		if (!read_tracee(stop->tid, frame->slot, &value, sizeof(value)) ||
		    value != frame->return_address)
			PROBLEM(seen, "marker %u: the slot of frame %zu does not hold it",
				seen->markers, i);
	}
}

/* What lies below the claim must end where the thread began. */
static void check_bottom(struct observation *seen, const struct trace_stop *stop,
			 const struct stack *truth, uint64_t claimed)
{
	uint64_t below = truth->count - CLAIMED_FROM - claimed;
	uint64_t last = truth->pc[truth->count - 1];

	if (truth->stop != STOP_COMPLETE)
		PROBLEM(seen, "marker %u: not rooted", seen->markers);
	if (stop->tid != stop->pid && below != 1)
		PROBLEM(seen, "marker %u: %lu frames below a thread's function", seen->markers,
			below);
	if (stop->tid == stop->pid && last - seen->entry > START_BYTES)
		PROBLEM(seen, "marker %u: the outermost frame 0x%lx is not _start's", seen->markers,
			last);
}

static void check_marker(struct observation *seen, const struct trace_stop *stop)
{
	static struct stack truth;
	static struct claim claim;
	struct error error;

	seen->markers++;
	if (!read_tracee(stop->tid, stop->regs.value[REGISTER_RDI], &claim, sizeof(claim)) ||
	    claim.count > CLAIM_MAX) {
		PROBLEM(seen, "marker %u: its claim can't be read", seen->markers);
		return;
	}
	if (shadow_stack_get(stop->shadow, stop->regs.value[REGISTER_RIP], &truth, &error) ||
	    truth.count < CLAIMED_FROM + claim.count) {
		PROBLEM(seen, "marker %u: the truth has %u frames, claimed are %lu", seen->markers,
			truth.count, claim.count);
		return;
	}
	for (uint64_t i = 0; i < claim.count; i++)
		if (truth.pc[CLAIMED_FROM + i] != claim.pc[i])
			PROBLEM(seen, "marker %u: frame %lu is 0x%lx, claimed is 0x%lx",
				seen->markers, i, truth.pc[CLAIMED_FROM + i], claim.pc[i]);
	check_slots(seen, stop);
	if (claim.bottom == CLAIM_PREFIX &&
	    (truth.count != CLAIMED_FROM + claim.count || truth.stop != STOP_NONE))
		PROBLEM(seen, "marker %u: the truth has %u frames, claimed are %lu and no more",
			seen->markers, truth.count, claim.count);
	if (claim.bottom == CLAIM_BOTTOM)
		check_bottom(seen, stop, &truth, claim.count);
}

static int on_mappings(void *context, pid_t pid)
{
	struct observation *seen = context;

	seen->mappings++;
	return 0;
}

/* Where a function of the stepped program is, by its file: it need not be this build. */
static uint64_t address_of(const char *function, uint64_t entry)
{
	struct image *image;
	struct error error;

	ck_assert_msg(!image_create(own_program(), &image, &error), "%s", error.message);
	entry += image_symbol_address(image, function) - image->entry;
	image_destroy(image);
	return entry;
}

static int on_stop(void *context, const struct trace_stop *stop, struct error *error)
{
	struct observation *seen = context;

	/* With from _start, the first point tells how far this process's addresses are moved. */
	if (seen->points++ == 0) {
		seen->first_rip = stop->regs.value[REGISTER_RIP];
		if (!seen->entry)
			seen->entry = stop->regs.value[REGISTER_RIP];
		seen->marker = address_of("marker", seen->entry);
	}
	seen->untrapped += !stop->trapped;
	if (stop->regs.value[REGISTER_RIP] == seen->marker)
		check_marker(seen, stop);
	if (seen->fail_at && seen->points == seen->fail_at)
		return error_set(error, ERROR_PROTOCOL, NULL, 7, "asked for");
	return 0;
}

static int trace(const char *name, struct tracer_options options, struct observation *seen,
		 struct tracer_counters *counters, int *status, struct error *error)
{
	char *argv[] = { (char *)own_program(), "--tracee", (char *)name, NULL };
	struct tracer_callbacks callbacks = { .on_mappings = on_mappings,
					      .on_stop = on_stop,
					      .context = seen };

	options.argv = argv;
	return tracer_run(&options, &callbacks, counters, status, error);
}

static void assert_no_child_left(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

START_TEST(test_truth_equals_claim)
{
	struct observation seen = { 0 };
	struct tracer_options options = { .from = "_start", .timeout_ms = TIMEOUT_MS };
	struct tracer_counters counters;
	struct error error = { 0 };
	const char *name = tracees[_i].name;
	int status;

	if (not_here(tracees[_i].run)) {
		printf("SKIP: %s: %s\n", name, not_here(tracees[_i].run));
		return;
	}
	ck_assert_msg(trace(name, options, &seen, &counters, &status, &error) == 0, "%s: %s", name,
		      error.message);
	ck_assert_msg(!seen.problem[0], "%s: %s", name, seen.problem);
	ck_assert_msg((status & ~0x80) == tracees[_i].status, "%s: status 0x%x", name, status);
	ck_assert_msg(seen.markers == tracees[_i].markers, "%s: %u markers", name, seen.markers);
	ck_assert_msg(counters.rules.signals == tracees[_i].signals ||
			      tracees[_i].signals == ANY_COUNT,
		      "%s: %lu signals", name, counters.rules.signals);
	ck_assert_msg(counters.threads == tracees[_i].threads, "%s: %lu threads", name,
		      counters.threads);
	ck_assert_msg(counters.children == children_of(name), "%s: %lu children", name,
		      counters.children);
	ck_assert_msg(counters.execs == tracees[_i].execs, "%s: %lu execs", name, counters.execs);
	ck_assert_msg(counters.rules.stack_switches == tracees[_i].stack_switches,
		      "%s: %lu stack switches", name, counters.rules.stack_switches);
	ck_assert_msg((counters.unrooted > 0) == (tracees[_i].stack_switches > 0),
		      "%s: %lu unrooted points", name, counters.unrooted);
	ck_assert_uint_eq(counters.rules.call_mismatches, 0);
	ck_assert_uint_eq(counters.rules.unknown_instructions, 0);
	ck_assert_uint_eq(counters.points, seen.points);
	ck_assert_uint_eq(counters.untrapped, seen.untrapped);
	ck_assert_uint_gt(counters.frames, counters.points);
	ck_assert_uint_eq(counters.min_frames, 0);
	assert_no_child_left();
}
END_TEST

/* What a tracee ends with is what it ends with when nobody steps it. */
START_TEST(test_status_is_the_native_one)
{
	const char *name = tracees[_i].name;
	int status;

	if (not_here(tracees[_i].run))
		return; /* said already */

	pid_t pid = fork();

	if (pid == 0) {
		execl(own_program(), "self", "--tracee", name, NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg((status & ~0x80) == tracees[_i].status, "%s: status 0x%x", name, status);
}
END_TEST

struct entry_watch {
	uint64_t first_rip;
	uint64_t entry;
	unsigned int mappings;
	unsigned int entered;
	size_t frames_at_entry;
};

static int count_mappings(void *context, pid_t pid)
{
	struct entry_watch *watch = context;

	watch->mappings++;
	return 0;
}

static int watch_entry(void *context, const struct trace_stop *stop, struct error *error)
{
	struct entry_watch *watch = context;

	if (!watch->first_rip)
		watch->first_rip = stop->regs.value[REGISTER_RIP];
	if (stop->regs.value[REGISTER_RIP] == watch->entry) {
		watch->entered++;
		watch->frames_at_entry = stop->shadow->count;
	}
	return 0;
}

/* A small program: this one's libraries cost the loader a million steps. */
static void trace_true(const char *from, struct entry_watch *watch,
		       struct tracer_counters *counters)
{
	char *argv[] = { "true", NULL };
	struct tracer_options options = { .argv = argv, .from = from, .timeout_ms = TIMEOUT_MS };
	struct tracer_callbacks callbacks = { .on_mappings = count_mappings,
					      .on_stop = watch_entry,
					      .context = watch };
	struct error error = { 0 };
	int status;

	ck_assert_msg(tracer_run(&options, &callbacks, counters, &status, &error) == 0, "%s",
		      error.message);
	ck_assert_int_eq(status, 0);
}

/* The loader's own frames must all be gone when it jumps to the program's entry point. */
START_TEST(test_from_the_first_instruction)
{
	struct entry_watch program = { 0 }, whole = { .frames_at_entry = 1 };
	struct tracer_counters counters;

	trace_true("_start", &program, &counters);

	uint64_t steps_of_program = counters.steps;

	whole.entry = program.first_rip;
	trace_true(NULL, &whole, &counters);
	ck_assert_uint_ne(whole.first_rip, program.first_rip);
	ck_assert_uint_eq(whole.entered, 1);
	ck_assert_uint_eq(whole.frames_at_entry, 0);
	ck_assert_uint_gt(counters.steps, steps_of_program + 10000);
	ck_assert_uint_eq(counters.points, counters.steps + 1);
	ck_assert_uint_eq(counters.untrapped, 0);
	ck_assert_uint_eq(counters.unrooted, 0);
	ck_assert_uint_gt(counters.max_frames, 4);
	ck_assert_uint_gt(whole.mappings, 1);
}
END_TEST

START_TEST(test_from_a_symbol)
{
	struct observation program = { 0 }, seen = { 0 };
	struct tracer_options options = { .from = "_start", .timeout_ms = TIMEOUT_MS };
	struct tracer_counters counters;
	struct error error = { 0 };
	int status;

	ck_assert_int_eq(trace("longjmp", options, &program, &counters, &status, &error), 0);

	uint64_t points_from_start = counters.points;

	options.from = "run_tracee";
	seen.entry = program.first_rip;
	ck_assert_msg(trace("longjmp", options, &seen, &counters, &status, &error) == 0, "%s",
		      error.message);
	ck_assert_msg(!seen.problem[0], "%s", seen.problem);
	ck_assert_uint_eq(seen.first_rip, address_of("run_tracee", program.first_rip));
	ck_assert_uint_eq(seen.markers, 2);
	ck_assert_uint_lt(counters.points, points_from_start);
	ck_assert_uint_gt(counters.min_frames, 0);
}
END_TEST

START_TEST(test_every_tenth_step)
{
	struct observation seen = { 0 };
	struct tracer_options options = { .from = "_start", .every = 10 };
	struct tracer_counters counters;
	struct error error = { 0 };
	int status;

	ck_assert_int_eq(trace("recursion", options, &seen, &counters, &status, &error), 0);
	ck_assert_uint_eq(counters.points, counters.steps / 10 + 1);
	ck_assert_int_eq(WEXITSTATUS(status), 11);
}
END_TEST

#define OPTIONS(...) .options = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *tracee;
	struct tracer_options options;
	unsigned int fail_at;
	int result;
	enum error_code code;
	uint64_t points; /* 0: any */
} ends[] = {
	{ "timeout_while_it_runs", "forever", OPTIONS(.from = "_start", .timeout_ms = 500),
	  .result = -1, .code = ERROR_TIMEOUT },
	{ "timeout_while_all_threads_are_blocked", "blocked",
	  OPTIONS(.from = "_start", .timeout_ms = 1000), .result = -1, .code = ERROR_TIMEOUT },
	{ "point_limit_is_no_error", "forever", OPTIONS(.from = "_start", .point_limit = 1000),
	  .code = ERROR_NONE, .points = 1000 },
	{ "point_limit_with_threads", "blocked", OPTIONS(.from = "_start", .point_limit = 1000),
	  .code = ERROR_NONE, .points = 1000 },
	{ "a_callbacks_error_ends_the_run", "forever", OPTIONS(.from = "_start"), .fail_at = 100,
	  .result = -1, .code = ERROR_PROTOCOL, .points = 100 },
	{ "a_symbol_that_is_not_there", "forever", OPTIONS(.from = "no_such_function"),
	  .result = -1, .code = ERROR_SYSTEM },
};

START_TEST(test_end)
{
	struct observation seen = { .fail_at = ends[_i].fail_at };
	struct tracer_counters counters;
	struct error error = { 0 };
	cpu_set_t before, after;
	int status;

	sched_getaffinity(0, sizeof(before), &before);

	int result = trace(ends[_i].tracee, ends[_i].options, &seen, &counters, &status, &error);

	sched_getaffinity(0, sizeof(after), &after);
	ck_assert_msg(result == ends[_i].result, "%s: %d %s", ends[_i].name, result, error.message);
	ck_assert_msg(error.code == ends[_i].code, "%s: %s", ends[_i].name,
		      error_code_name(error.code));
	ck_assert_msg(counters.ending == (!result			? TRACER_LIMIT
					  : error.code == ERROR_TIMEOUT ? TRACER_TIMEOUT
									: TRACER_FAILED),
		      "%s: %d", ends[_i].name, counters.ending);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%s: status 0x%x",
		      ends[_i].name, status);
	if (ends[_i].points)
		ck_assert_uint_eq(counters.points, ends[_i].points);
	ck_assert(CPU_EQUAL(&before, &after));
	assert_no_child_left();
}
END_TEST

static const struct {
	const char *name;
	const char *tracee;
	int signal; /* to the tracer, or, negative, to the tracee */
	int result;
	enum tracer_ending ending;
} interruptions[] = {
	{ "sigint_ends_the_run", "forever", SIGINT, -1, TRACER_INTERRUPTED },
	{ "sigterm_ends_the_run", "forever", SIGTERM, -1, TRACER_INTERRUPTED },
	{ "sighup_ends_it_while_all_is_blocked", "blocked", SIGHUP, -1, TRACER_INTERRUPTED },
	{ "killed_by_somebody_else", "forever", -SIGKILL, 0, TRACER_KILLED },
	{ "another_signal_is_the_programs_own_end", "forever", -SIGTERM, 0, TRACER_ENDED },
};

/* Sends the signal once the tracee has reached its points. */
static int interrupt(void *context, const struct trace_stop *stop, struct error *error)
{
	int *signal = context;

	if (*signal)
		kill(*signal > 0 ? getpid() : stop->pid, abs(*signal));
	*signal = 0;
	return 0;
}

START_TEST(test_interruption)
{
	const char *name = interruptions[_i].name;
	char *argv[] = { (char *)own_program(), "--tracee", (char *)interruptions[_i].tracee,
			 NULL };
	struct tracer_options options = {
		.argv = argv, .from = "_start", .timeout_ms = TIMEOUT_MS, .ended_by_signals = true
	};
	int signal = interruptions[_i].signal;
	struct tracer_callbacks callbacks = { .on_stop = interrupt, .context = &signal };
	struct tracer_counters counters;
	struct error error = { 0 };
	sigset_t after, pending;
	int status;

	int result = tracer_run(&options, &callbacks, &counters, &status, &error);

	sigprocmask(SIG_SETMASK, NULL, &after);
	sigpending(&pending);
	ck_assert_msg(result == interruptions[_i].result, "%s: %d %s", name, result, error.message);
	ck_assert_msg(counters.ending == interruptions[_i].ending, "%s: %d", name, counters.ending);
	ck_assert_msg(!result || (error.code == ERROR_SYSTEM && error.system_errno == EINTR),
		      "%s: %s", name, error.message);
	ck_assert_msg(WIFSIGNALED(status), "%s: status 0x%x", name, status);
	ck_assert_uint_gt(counters.points, 0);
	for (int held = SIGHUP; held <= SIGTERM; held++)
		ck_assert_msg(!sigismember(&after, held) && !sigismember(&pending, held),
			      "%s: signal %d", name, held);
	assert_no_child_left();
}
END_TEST

START_TEST(test_a_program_that_is_not_there)
{
	char *argv[] = { "/nonexistent/program", NULL };
	struct tracer_options options = { .argv = argv };
	struct tracer_callbacks callbacks = { 0 };
	struct tracer_counters counters;
	struct error error = { 0 };
	int status;

	ck_assert_int_eq(tracer_run(&options, &callbacks, &counters, &status, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_ptr_nonnull(strstr(error.message, argv[0]));
	ck_assert_uint_eq(counters.points, 0);
	assert_no_child_left();
}
END_TEST

static int return_42(void *context)
{
	return *(int *)context;
}

START_TEST(test_a_function_is_stepped_and_unrooted)
{
	int value = 42;
	struct tracer_options options = { .function = return_42, .function_context = &value };
	struct tracer_callbacks callbacks = { 0 };
	struct tracer_counters counters;
	struct error error = { 0 };
	int status;

	ck_assert_int_eq(tracer_run(&options, &callbacks, &counters, &status, &error), 0);
	ck_assert_int_eq(WEXITSTATUS(status), 42);
	ck_assert_uint_gt(counters.points, 3);
	ck_assert_uint_eq(counters.unrooted, counters.points);
}
END_TEST

START_TEST(test_bench_measures_both)
{
	double tracer = 0, self_stepped = 0;
	struct error error = { 0 };

	ck_assert_msg(bench_steps(1, &tracer, &self_stepped, &error) == 0, "%s", error.message);
	ck_assert_double_gt(tracer, 100);
	ck_assert_double_gt(self_stepped, 100);
	printf("tracer %.0f steps/s, self-stepping %.0f, ratio %.2f\n", tracer, self_stepped,
	       tracer / self_stepped);
}
END_TEST

/* Whether ptrace is permitted here. */
static bool may_trace(struct error *error)
{
	char *argv[] = { (char *)own_program(), "--tracee", "recursion", NULL };
	struct tracer_options options = { .argv = argv, .from = "_start", .point_limit = 1 };
	struct tracer_callbacks callbacks = { 0 };
	struct tracer_counters counters;
	int status;

	return !tracer_run(&options, &callbacks, &counters, &status, error) ||
	       error->code != ERROR_UNAVAILABLE;
}

SUITE_MAIN(tracer)
{
	struct error error = { 0 };

	if (argc == 3 && strcmp(argv[1], "--tracee") == 0)
		return run_tracee(argv[2]);
	if (!may_trace(&error)) {
		printf("SKIP: %s\n", error.message);
		return EXIT_SUCCESS;
	}

	Suite *suite = suite_create("tracer");
	TCase *tcase = tcase_create("tracer");

	tcase_set_timeout(tcase, TEST_TIMEOUT_S);
	tcase_add_loop_test(tcase, test_truth_equals_claim, 0, EXPECT_COUNT);
	tcase_add_loop_test(tcase, test_status_is_the_native_one, 0, EXPECT_COUNT);
	tcase_add_test(tcase, test_from_the_first_instruction);
	tcase_add_test(tcase, test_from_a_symbol);
	tcase_add_test(tcase, test_every_tenth_step);
	tcase_add_loop_test(tcase, test_end, 0, sizeof(ends) / sizeof(*ends));
	tcase_add_loop_test(tcase, test_interruption, 0,
			    sizeof(interruptions) / sizeof(*interruptions));
	tcase_add_test(tcase, test_a_program_that_is_not_there);
	tcase_add_test(tcase, test_a_function_is_stepped_and_unrooted);
	tcase_add_test(tcase, test_bench_measures_both);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
