/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_runs.c - runs of a program one after the other: when there are enough, what is added up, what ends them
 *
 * The session in BPF, the program and its end are made up: each run gives as many stacks, and ends, as the case
 * says. What the run did with them is written down in the order in which it did.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "base/child/ending_signals.h"
#include "tests/suite.h"
#include "process_events.h"
#include "profiles/sample/sample.h"
#include "truth/tracer/target_start.h"

#define PROGRAM 4711

static char *argv[] = { NULL };
static char did[1024];
static unsigned int stacks_left; /* of the run */

static void say(const char *what)
{
	size_t used = strlen(did);

	snprintf(did + used, sizeof(did) - used, "%s ", what);
}

/* What the case says. */
static struct given {
	unsigned int stacks;	  /* of each run */
	int status;		  /* with which each ends */
	int fails;		  /* this run can't be started, from 1 */
	unsigned int lost_memory; /* in each run */
	int unread;
	bool uncounted;
	bool stats; /* the kernel counts, too */
	bool unheld, unopened, unclocked, unreleased, unfollowed, untimed; /* these fail */
	int unconsumed;							   /* this time, from 1 */
	int waits;  /* -1: they fail; 1: the first is interrupted; 2: it never ends */
	int signal; /* comes while it runs */
} given;
static unsigned int rate_hz = 1;
static const struct sample_clock *ticks;
static int opened, closed, held, consumed, waited, counting;
static struct bpf_session_options session_of; /* that was opened */
static int run;
static struct mapping mapping = { .start = 1, .end = 3, .path = "p" };

static struct walk_record one = { .stop = STOP_COMPLETE, .count = 1, .pc = { 7 } };

static int fake_stats(enum bpf_stats_type type)
{
	ck_assert_int_eq(type, BPF_STATS_RUN_TIME);
	return counting = given.stats ? dup(STDIN_FILENO) : -1;
}

static int fake_hold(struct ending_signals *signals, struct error *error)
{
	held += !given.unheld;
	return given.unheld ? error_set(error, ERROR_SYSTEM, "", 0, "not held") : 0;
}

static int fake_take(const struct ending_signals *signals)
{
	return given.signal;
}

static void fake_let_go(struct ending_signals *signals)
{
	held--;
}

static int fake_run_time(const struct bpf_session *session, enum walk_entry entry, bool reset,
			 uint64_t *ret_ns, uint64_t *ret_runs, struct error *error)
{
	ck_assert(entry == WALK_ENTRY_SAMPLE && !reset);
	*ret_ns = 5;
	*ret_runs = 18;
	return given.untimed ? error_set(error, ERROR_SYSTEM, "", 0, "no run time") : 0;
}

static int fake_open(const struct bpf_session_options *options, struct bpf_session **ret,
		     struct error *error)
{
	*ret = NULL;
	session_of = *options;
	opened++;
	return given.unopened ? error_set(error, ERROR_SYSTEM, "", 0, "no session") : 0;
}

static void fake_close(struct bpf_session *session)
{
	closed++;
}

static const char *fake_method(const struct bpf_session *session)
{
	return "made_up";
}

static int fake_start(const struct target_program *program, unsigned int timeout_ms, pid_t *ret,
		      struct error *error)
{
	ck_assert(program->silence_output && !program->randomize && program->argv == argv);
	ck_assert(timeout_ms == 600000 || timeout_ms == 0);
	run++;
	*ret = PROGRAM;
	stacks_left = given.stacks;
	return run == given.fails ? error_set(error, ERROR_SYSTEM, "", 0, "no start") : 0;
}

static int fake_read(struct address_space *space, struct image_store *store, pid_t pid,
		     struct error *error)
{
	*space = (struct address_space) { .mapping = &mapping, .mapping_count = 1 };
	return run == given.unread ? error_set(error, ERROR_SYSTEM, "", 0, "no mappings") : 0;
}

static int fake_mappings(struct bpf_session *session, const struct address_space *space,
			 struct error *error)
{
	say("mappings");
	return 0;
}

static int fake_clock(struct bpf_session *session, const struct perf_event_attr *attr, pid_t pid,
		      int cpu, struct error *error)
{
	say(attr->inherit && attr->freq && attr->type == ticks->type &&
			    attr->config == ticks->config && attr->sample_freq == rate_hz &&
			    attr->size == sizeof(*attr) && pid == PROGRAM && cpu == -1
		    ? "clock"
		    : "another_clock");
	return given.unclocked ? error_set(error, ERROR_SYSTEM, "", 0, "no clock") : 0;
}

static int fake_release(pid_t pid, struct error *error)
{
	ck_assert_int_eq(pid, PROGRAM);
	return given.unreleased ? error_set(error, ERROR_SYSTEM, "", 0, "not let go") : 0;
}

static pid_t fake_wait4(pid_t pid, int *ret_status, int options, struct rusage *ret)
{
	*ret_status = given.status;
	if (given.waits < 0 || (given.waits == 1 && !waited++)) {
		errno = given.waits < 0 ? ECHILD : EINTR;
		return -1;
	}
	if (stacks_left > 1 || given.waits == 2)
		return 0;
	*ret = (struct rusage) { .ru_utime = { 1, 200000 }, .ru_stime = { 2, 30000 } };
	return pid;
}

static pid_t fake_waitpid(pid_t pid, int *status, int options)
{
	return pid;
}

static int fake_kill(pid_t pid, int signal)
{
	say("kill");
	return 0;
}

static int fake_consume(struct bpf_session *session, bpf_record_fn fn, void *context,
			struct error *error)
{
	if (++consumed == given.unconsumed)
		return error_set(error, ERROR_SYSTEM, "", 0, "no stacks");
	if (!stacks_left)
		return 0;
	stacks_left--;
	fn(context, &one, false);
	return 0;
}

/* Behind it the rest is read. */
static void fake_detach(struct bpf_session *session)
{
	if (stacks_left)
		say("detach");
}

static void fake_forget(struct bpf_session *session, pid_t pid)
{
	say(pid == PROGRAM ? "forget" : "forget_another");
}

static int fake_counters(struct bpf_session *session, bool reset, struct walk_counters *ret,
			 struct error *error)
{
	*ret = (struct walk_counters) { .samples = 77 };
	return given.uncounted ? error_set(error, ERROR_SYSTEM, "", 0, "no counters") : 0;
}

static int fake_events_open(struct bpf_session *session, struct image_store *store,
			    const struct process_events_options *options,
			    struct process_events **ret, struct error *error)
{
	say(options->pid != PROGRAM ? "another" : options->alone ? "follow_alone" : "follow");
	*ret = (struct process_events *)did;
	return 0;
}

static int fake_existing(struct process_events *events, struct error *error)
{
	return given.unfollowed ? error_set(error, ERROR_SYSTEM, "", 0, "not followed") : 0;
}

static int fake_events_consume(struct process_events *events, process_stack_fn fn, void *context,
			       struct error *error)
{
	const struct process_stack stack = { .record = &one, .raced = true };

	if (!stacks_left)
		return 0;
	stacks_left--;
	fn(context, &stack);
	return 0;
}

static void fake_events_counters(struct process_events *events, struct process_events_counters *ret)
{
	*ret = (struct process_events_counters) { .lost_memory = given.lost_memory };
}

static void fake_events_close(struct process_events *events)
{
	say("unfollow");
}

#define bpf_enable_stats		 fake_stats
#define ending_signals_hold		 fake_hold
#define ending_signals_take		 fake_take
#define ending_signals_release		 fake_let_go
#define bpf_session_run_time		 fake_run_time
#define bpf_session_open		 fake_open
#define bpf_session_close		 fake_close
#define bpf_session_method_name		 fake_method
#define bpf_session_set_process		 fake_mappings
#define bpf_session_attach_event	 fake_clock
#define bpf_session_consume		 fake_consume
#define bpf_session_detach		 fake_detach
#define bpf_session_forget_process	 fake_forget
#define bpf_session_counters		 fake_counters
#define target_start			 fake_start
#define target_release			 fake_release
#define address_space_read		 fake_read
#define wait4				 fake_wait4
#define waitpid				 fake_waitpid
#define kill				 fake_kill
#define process_events_open		 fake_events_open
#define process_events_add_existing	 fake_existing
#define process_events_consume		 fake_events_consume
#define process_events_counters(of, ret) fake_events_counters(of, ret)
#define process_events_close		 fake_events_close
#include "profiles/sample/sample_run.c"

#undef kill
#undef waitpid

#define RUN    "mappings clock detach forget "
#define FOLLOW "follow clock detach unfollow forget "
#define ALONE  "follow_alone clock detach unfollow forget "

static const struct {
	const char *rule;
	uint64_t samples, run_limit;
	unsigned int stacks;
	int status, fails;
	bool children, execs, known; /* the stack is a true one */
	int result;
	const char *did;
	uint64_t runs, records;
	enum sample_class class;
	const char *message; /* of an error */
	int unread;	     /* the run whose mappings can't be read */
	bool uncounted;	     /* the counters can't be read */
} cases[] = {
	{ "until_there_are_samples_enough", 5, 100, 2, 0, 0, false, false, true, 0, RUN RUN RUN, 3,
	  6, SAMPLE_EXACT, "", 0, false },
	{ "until_there_were_runs_enough", 100, 2, 3, 0, 0, false, false, true, 0, RUN RUN, 2, 6,
	  SAMPLE_EXACT, "", 0, false },
	{ "its_children_are_followed", 3, 9, 2, 0, 0, true, false, true, 0, FOLLOW FOLLOW, 2, 4,
	  SAMPLE_EXACT, "", 0, false },
	{ "what_takes_its_place_is_followed_alone", 2, 9, 2, 0, 0, false, true, true, 0, ALONE, 1,
	  2, SAMPLE_EXACT, "", 0, false },
	{ "a_finding_behind_the_mappings_is_raced", 2, 9, 2, 0, 0, true, false, false, 0, FOLLOW, 1,
	  2, SAMPLE_RACED, "", 0, false },
	{ "and_else_a_finding", 2, 9, 2, 0, 0, false, false, false, 0, RUN, 1, 2, SAMPLE_OUTSIDE,
	  "", 0, false },
	{ "another_end_than_when_stepped", 9, 9, 2, 256, 0, false, false, true, -1, RUN, 1, 1,
	  SAMPLE_EXACT, "the program ended with status 0x100, in the stepped run with 0x0", 0,
	  false },
	{ "what_was_sampled_until_then_is_told", 9, 9, 2, 0, 2, false, false, true, -1, RUN, 1, 2,
	  SAMPLE_EXACT, "no start", 0, false },
	{ "whatever_else_fails_then", 9, 9, 2, 0, 2, false, false, true, -1, RUN, 1, 2,
	  SAMPLE_EXACT, "no start", 0, true },
	{ "what_is_not_followed_yet_is_not_left_twice", 9, 9, 2, 0, 0, true, false, true, -1,
	  FOLLOW "kill detach forget ", 2, 2, SAMPLE_EXACT, "no mappings", 2, false },
};

/* What was opened is closed, and whoever counts is let go, however it ended. */
static void check_closed(const char *rule)
{
	ck_assert_msg(opened == closed && !held, "%s: %d opened, %d closed, %d held", rule, opened,
		      closed, held);
	ck_assert_msg(counting < 0 || (fcntl(counting, F_GETFD) < 0 && errno == EBADF), "%s", rule);
	opened = closed = held = consumed = waited = 0;
}

static void set_truth(struct sample_truth *truth, int i)
{
	const uint64_t pc = cases[i].known ? 7 : 8;
	struct error error;

	ticks = sample_clock_find("cpu");
	ck_assert_int_eq(sample_truth_init(truth, &error), 0);
	ck_assert_int_eq(sample_set_add(truth->stacks, &pc, 1, true, &error), 0);
	truth->execs = cases[i].execs;
	/* Met at another rate. */
	sample_set_find(truth->stacks, &pc, 1);
}

START_TEST(runs)
{
	struct sample_options options = { .argv = argv,
					  .clock = sample_clock_find("cpu"),
					  .samples = cases[_i].samples,
					  .run_limit = cases[_i].run_limit,
					  .timeout_ms = 600000,
					  .children = cases[_i].children };
	struct sample_score score = { .rate_hz = 1 };
	struct sample_truth truth;
	struct error error = { 0 };
	int status;

	set_truth(&truth, _i);
	did[0] = '\0';
	run = 0;
	memset(&given, 0, sizeof(given));
	given.stacks = cases[_i].stacks;
	given.status = cases[_i].status;
	given.fails = cases[_i].fails;
	given.lost_memory = cases[_i].children;
	given.unread = cases[_i].unread;
	given.uncounted = cases[_i].uncounted;
	status = sample_run(&options, &truth, NULL, &score, &error);
	ck_assert_msg(status == cases[_i].result && !strcmp(error.message, cases[_i].message),
		      "%s: %d %s", cases[_i].rule, status, error.message);
	ck_assert_msg(!strcmp(did, cases[_i].did), "%s: %s", cases[_i].rule, did);
	ck_assert_msg(score.runs == cases[_i].runs && score.records == cases[_i].records,
		      "%s: %lu runs, %lu stacks", cases[_i].rule, score.runs, score.records);
	ck_assert_msg(score.class[cases[_i].class] == score.records, "%s", cases[_i].rule);
	ck_assert_msg(score.cpu_ns == (score.runs - !!cases[_i].unread) * 3230000000, "%s: %lu ns",
		      cases[_i].rule, score.cpu_ns);
	ck_assert_msg(score.lost_memory ==
			      (cases[_i].children ? score.runs - !!cases[_i].unread : 0),
		      "%s", cases[_i].rule);
	ck_assert_msg(score.met == (cases[_i].known && !cases[_i].uncounted), "%s: %lu met",
		      cases[_i].rule, score.met);
	ck_assert_uint_eq(score.counters.samples, 77);
	ck_assert(!score.entries_known && !score.entries);
	ck_assert_str_eq(score.method, "made_up");
	ck_assert_uint_eq(session_of.process_capacity, cases[_i].children ? 256 : 4);
	check_closed(cases[_i].rule);
	for (size_t i = 0; i < score.finding_count; i++)
		stack_deinit(&score.finding[i].stack);
	free(score.finding);
	sample_truth_deinit(&truth);
}
END_TEST

#define GIVEN(...) .given = { __VA_ARGS__ }

/* What fails ends the run that it is of, and all: what was begun is ended, and what was sampled is told. Runs have two
 * stacks each; the second is read when the program is gone. */
static const struct {
	const char *rule;
	struct given given;
	unsigned int timeout_ms;
	int result;
	const char *message; /* what it begins with */
	const char *did;
	uint64_t runs, records, entries;
} ends[] = {
	{ "signals_are_not_held", GIVEN(.unheld = true), .timeout_ms = 600000, .result = -1,
	  .message = "not held", .did = "" },
	{ "no_session", GIVEN(.unopened = true, .stats = true), .timeout_ms = 600000, .result = -1,
	  .message = "no session", .did = "" },
	{ "no_start", GIVEN(.fails = 1, .stats = true), .timeout_ms = 600000, .result = -1,
	  .message = "no start", .did = "", .entries = 18 },
	{ "no_clock", GIVEN(.unclocked = true), .timeout_ms = 600000, .result = -1,
	  .message = "no clock", .did = "mappings clock kill detach forget ", .runs = 1 },
	{ "it_is_not_let_go", GIVEN(.unreleased = true), .timeout_ms = 600000, .result = -1,
	  .message = "not let go", .did = "mappings clock kill detach forget ", .runs = 1 },
	{ "its_end_is_not_seen", GIVEN(.waits = -1), .timeout_ms = 600000, .result = -1,
	  .message = "wait4: ", .did = "mappings clock kill detach forget ", .runs = 1 },
	{ "a_wait_that_is_interrupted", GIVEN(.waits = 1, .stats = true), .timeout_ms = 600000,
	  .message = "", .did = RUN, .runs = 1, .records = 2, .entries = 18 },
	{ "it_runs_too_long", GIVEN(.waits = 2), .result = -1,
	  .message = "the program ran for more than 0 ms",
	  .did = "mappings clock kill detach forget ", .runs = 1, .records = 1 },
	{ "a_signal_comes", GIVEN(.signal = SIGTERM, .waits = 2), .timeout_ms = 600000,
	  .result = -1, .message = "the run was ended by SIGTERM",
	  .did = "mappings clock kill detach forget ", .runs = 1, .records = 1 },
	{ "its_stacks_can_not_be_read", GIVEN(.unconsumed = 1), .timeout_ms = 600000, .result = -1,
	  .message = "no stacks", .did = "mappings clock kill detach forget ", .runs = 1 },
	{ "the_rest_of_them_can_not", GIVEN(.unconsumed = 2), .timeout_ms = 600000, .result = -1,
	  .message = "no stacks", .did = RUN, .runs = 1, .records = 1 },
	{ "the_kernel_does_not_tell_its_count", GIVEN(.untimed = true, .stats = true),
	  .timeout_ms = 600000, .result = -1, .message = "no run time", .did = RUN, .runs = 1,
	  .records = 2, .entries = 18 },
	{ "it_is_not_asked_without_one", GIVEN(.untimed = true), .timeout_ms = 600000,
	  .message = "", .did = RUN, .runs = 1, .records = 2 },
	{ "no_counters", GIVEN(.uncounted = true, .stats = true), .timeout_ms = 600000,
	  .result = -1, .message = "no counters", .did = RUN, .runs = 1, .records = 2 },
};

START_TEST(a_run_ends)
{
	static const char *const clocks_in_turn[] = { "task", "cycles", "cpu" };
	struct sample_options options = { .argv = argv,
					  .clock = sample_clock_find("cpu"),
					  .samples = 2,
					  .run_limit = 9,
					  .timeout_ms = ends[_i].timeout_ms,
					  .method = WALK_METHOD_LOOP };
	struct sample_score score = { .rate_hz = 1 };
	struct sample_truth truth;
	struct error error = { 0 };
	int status;

	set_truth(&truth, 0);
	did[0] = '\0';
	run = 0;
	options.clock = ticks = sample_clock_find(clocks_in_turn[_i % 3]);
	given = ends[_i].given;
	given.stacks = 2;
	status = sample_run(&options, &truth, NULL, &score, &error);
	ck_assert_msg(status == ends[_i].result &&
			      !strncmp(error.message, ends[_i].message, strlen(ends[_i].message)),
		      "%s: %d %s", ends[_i].rule, status, error.message);
	ck_assert_msg(!strcmp(did, ends[_i].did), "%s: %s", ends[_i].rule, did);
	ck_assert_msg(score.runs == ends[_i].runs && score.records == ends[_i].records,
		      "%s: %lu runs, %lu stacks", ends[_i].rule, score.runs, score.records);
	ck_assert_int_eq(score.entries_known, given.stats);
	ck_assert_msg(score.entries == ends[_i].entries, "%s: %lu", ends[_i].rule, score.entries);
	ck_assert(given.unheld ||
		  (session_of.method == WALK_METHOD_LOOP && session_of.process_capacity == 4));
	check_closed(ends[_i].rule);
	sample_truth_deinit(&truth);
}
END_TEST

/* What its processes are can't be found out: then they are not followed any more. */
START_TEST(processes_that_can_not_be_followed)
{
	struct sample_options options = { .argv = argv,
					  .clock = sample_clock_find("cpu"),
					  .samples = 2,
					  .run_limit = 9,
					  .timeout_ms = 600000,
					  .children = true };
	struct sample_score score = { .rate_hz = 1 };
	struct sample_truth truth;
	struct error error = { 0 };

	set_truth(&truth, 0);
	did[0] = '\0';
	given = (struct given) { .stacks = 2, .unfollowed = true, .lost_memory = 3 };
	ck_assert_int_eq(sample_run(&options, &truth, NULL, &score, &error), -1);
	ck_assert_str_eq(error.message, "not followed");
	ck_assert_str_eq(did, "follow kill detach unfollow forget ");
	ck_assert_uint_eq(score.lost_memory, 3);
	check_closed("not followed");
	sample_truth_deinit(&truth);
}
END_TEST

START_TEST(clocks_by_name)
{
	static const struct sample_clock wanted[] = {
		{ "cpu", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
		{ "task", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct sample_clock *clock = sample_clock_find(wanted[i].name);

		ck_assert(clock && !strcmp(clock->name, wanted[i].name) &&
			  clock->type == wanted[i].type && clock->config == wanted[i].config);
	}
	ck_assert_ptr_null(sample_clock_find("cpu "));
	ck_assert_ptr_null(sample_clock_find(""));
}
END_TEST

/* What can't be judged ends the runs: the account would lack it. */
START_TEST(record_that_can_not_be_judged)
{
	struct sample_options options = { .argv = argv,
					  .clock = sample_clock_find("cpu"),
					  .samples = 9,
					  .run_limit = 9,
					  .timeout_ms = 600000 };
	struct sample_score score = { .rate_hz = 1 };
	struct sample_truth truth;
	struct error error = { 0 };

	set_truth(&truth, 0);
	given.stacks = 2;
	given.status = given.fails = 0;
	one.count = WALK_FRAMES_MAX + 1;
	ck_assert_int_eq(sample_run(&options, &truth, NULL, &score, &error), -1);
	one.count = 1;
	ck_assert_str_eq(error.message, "a record of 1025 frames");
	ck_assert_uint_eq(score.runs, 1);
	ck_assert_msg(strstr(did, "kill"), "%s", did);
	sample_truth_deinit(&truth);
}
END_TEST

/* Addresses of another layout are other addresses. */
START_TEST(images_lie_where_they_lay)
{
	struct sample_options options = { .argv = argv,
					  .clock = sample_clock_find("cpu"),
					  .samples = 2,
					  .run_limit = 9,
					  .timeout_ms = 600000 };
	struct mapping before = { .start = 1, .end = 2, .path = "p" };
	struct sample_score score = { .rate_hz = 1 };
	struct sample_truth truth;
	struct error error = { 0 };

	set_truth(&truth, 0);
	truth.entry = (struct address_space) { .mapping = &before, .mapping_count = 1 };
	given.stacks = 2;
	given.status = given.fails = 0;
	ck_assert_int_eq(sample_run(&options, &truth, NULL, &score, &error), -1);
	ck_assert_str_eq(error.message, "p lay at 0x1 in the stepped run, and not in this");
	truth.entry = (struct address_space) { .mapping_count = 0 };
	sample_truth_deinit(&truth);
}
END_TEST

/* The kernel would take a lower one in silence. */
START_TEST(rate_that_the_kernel_does_not_allow)
{
	struct sample_options options = { .argv = argv,
					  .clock = sample_clock_find("cpu"),
					  .samples = 2,
					  .run_limit = 9,
					  .timeout_ms = 600000 };
	const unsigned int limit = rate_limit();
	struct sample_score score = { .rate_hz = limit + 1 };
	struct sample_truth truth;
	struct error error = { 0 };

	if (!limit || limit == UINT32_MAX) {
		printf("SKIP: the kernel says no limit\n");
		return;
	}
	set_truth(&truth, 0);
	given.stacks = 2;
	ck_assert_int_eq(sample_run(&options, &truth, NULL, &score, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(strstr(error.message, "perf_event_max_sample_rate is "), "%s", error.message);
	ck_assert_msg(strstr(did, "kill"), "%s", did);
	/* The limit itself is allowed. */
	did[0] = '\0';
	score = (struct sample_score) { .rate_hz = rate_hz = limit };
	ck_assert_int_eq(sample_run(&options, &truth, NULL, &score, &error), 0);
	rate_hz = 1;
	ck_assert_str_eq(did, RUN);
	sample_truth_deinit(&truth);
}
END_TEST

SUITE(sample_runs, LOOP(runs, cases), LOOP(a_run_ends, ends),
      TEST(processes_that_can_not_be_followed), TEST(clocks_by_name),
      TEST(record_that_can_not_be_judged), TEST(images_lie_where_they_lay),
      TEST(rate_that_the_kernel_does_not_allow))
