/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_bench_parts.c - which stack is a program's first, and how large a session must be
 *
 * The session is made up, and gives the stacks that the case says: no BPF is needed.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "tests/suite.h"
#include "lab/bench/bench_first_stack.c"
#include "lab/bench/bench_memory.c"
#include "base/cli/tests/own_files.h"

/* Of one round: it is that of all (commands/bench.c asks for every figure, and so for BPF). */
double bench_median(double *value, unsigned int count)
{
	ck_assert_uint_eq(count, 1);
	return value[0];
}

static struct bpf_session {
	pid_t tid;
	int open;   /* sessions */
	int events; /* of processes, open */
	int asked;  /* for stacks, since it was opened */
	bool refuses;
} session;

int bpf_session_open(const struct bpf_session_options *options, struct bpf_session **ret,
		     struct error *error)
{
	session.open++;
	session.asked = 0;
	*ret = &session;
	return 0;
}

void bpf_session_close(struct bpf_session *closed)
{
	session.open -= closed != NULL;
}

int bpf_session_set_process(struct bpf_session *set, const struct address_space *space,
			    struct error *error)
{
	ck_assert_int_gt(space->pid, 0);
	return 0;
}

int bpf_session_attach_samples(struct bpf_session *attached, pid_t tid, int cpu,
			       unsigned int frequency_hz, struct error *error)
{
	if (session.refuses)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "no clock");
	ck_assert_uint_eq(frequency_hz, SAMPLE_HZ);
	session.tid = tid;
	ck_assert(!kill(tid, SIGSTOP)); /* until it was asked twice what has come */
	return 0;
}

/* One of another process, one that is not whole, and from the third time on one that is. */
static struct walk_record record_of(int which)
{
	return (struct walk_record) { .pid = session.tid + (which == 0),
				      .time = monotonic_ns(),
				      .count = which == 1 ? 1 : 2,
				      .stop = which == 1 ? STOP_DEPTH : STOP_COMPLETE };
}

/* Is it asked the third time, or later? Then the program runs. */
static bool begin_third(void)
{
	if (session.asked++ < 2)
		return false;
	kill(session.tid, SIGCONT);
	return true;
}

int bpf_session_consume(struct bpf_session *consumed, bpf_record_fn fn, void *context,
			struct error *error)
{
	int last = begin_third() ? 3 : 2;

	for (int which = 0; which < last; which++) {
		struct walk_record record = record_of(which);

		fn(context, &record, true);
	}
	return 0;
}

int bpf_session_fd(const struct bpf_session *waited_for)
{
	return -1;
}

int process_events_open(struct bpf_session *opened, struct image_store *store,
			const struct process_events_options *options, struct process_events **ret,
			struct error *error)
{
	session.events++;
	*ret = (struct process_events *)&session;
	return 0;
}

void process_events_close(struct process_events *events)
{
	session.events -= events != NULL;
}

int process_events_fd(const struct process_events *events)
{
	return -1;
}

int process_events_consume(struct process_events *events, process_stack_fn fn, void *context,
			   struct error *error)
{
	int last = begin_third() ? 4 : 3;

	for (int which = 0; which < last; which++) {
		struct walk_record record = record_of(which);

		fn(context, &(struct process_stack) { .record = &record, .raced = which == 2 });
	}
	return 0;
}

void process_events_counters(const struct process_events *events,
			     struct process_events_counters *ret)
{
	*ret = (struct process_events_counters) { .execs = 1, /* another's to begin with */
						  .readings = 1,
						  .reading_ns = 3000000000000,
						  .giving_ns = 7000000 };
}

static void set_up(void)
{
	folder_make();
	program_write(in_folder("five.nofp"), "#!/bin/sh\nexec sleep 1000\n");
}

START_TEST(first_stack_is_timed_from_exec)
{
	const struct bench_options options = { .runs = 1, .programs = folder };
	double walked, event, maps, tables, giving, cpu;
	struct bench_figure figure = { .name = "f" };
	uint64_t begin = monotonic_ns();
	struct error error = { 0 };

	ck_assert_msg(!bench_first_stack(&options, &figure, &error), "%s", error.message);
	double most = ms(monotonic_ns() - begin);
	const char *numbers = strstr(figure.note, "Walked ");

	ck_assert_msg(figure.value > 0 && figure.value < most, "%g", figure.value);
	ck_assert(figure.reference_value > 0 && figure.reference_value < most);
	ck_assert_double_eq_tol(figure.ratio, figure.value / figure.reference_value, 1e-9);
	ck_assert_str_eq(figure.unit, "ms");
	ck_assert_int_eq(sscanf(numbers,
				"Walked %lf ms after the exec. In between: until the exec's events "
				"are read %lf ms, reading mappings %lf ms, opening images and "
				"making tables %lf ms, placing them %lf ms; the rest is waiting: "
				"for the program's own start, a CPU, a tick. The profiler used a "
				"CPU for %lf ms",
				&walked, &event, &maps, &tables, &giving, &cpu),
			 6);
	ck_assert(walked <= figure.value + 0.01 && walked >= 0 && event >= 0 && event < most);
	ck_assert(maps >= 0 && maps < most && tables > 3000000 - most - 1 && tables <= 3000000);
	ck_assert_double_eq_tol(giving, 7, 1e-9);
	ck_assert(cpu >= 0 && cpu < most);
	ck_assert_int_eq(session.open + session.events, 0);
	session.refuses = true;
	ck_assert_int_eq(bench_first_stack(&options, &figure, &error), -1);
	ck_assert_str_eq(error.message, "no clock");
	ck_assert_int_eq(session.open + session.events, 0);
	ck_assert_int_eq(bench_first_stack(&(struct bench_options) { .programs = "/nowhere" },
					   &figure, &error),
			 -1);
	ck_assert_str_eq(error.message, "/nowhere/five.nofp is not built");
}
END_TEST

/* The first that is the program's, after its exec: no other, and none after it. */
START_TEST(first_stack_is_the_program_s)
{
	static const struct {
		pid_t pid;
		uint64_t exec_ns, arrived_ns;
		bool taken;
	} takes[] = { { 7, 1, 0, true },
		      { 8, 1, 0, false },
		      { 7, 0, 0, false },
		      { 7, 1, 5, false },
		      { 8, 1, 5, false } };

	for (int i = 0; i < COUNT(takes); i++) {
		struct first first = { .pid = 7,
				       .exec_ns = &takes[i].exec_ns,
				       .arrived_ns = takes[i].arrived_ns };

		take(&first, &(struct walk_record) { .pid = takes[i].pid, .time = 42 });
		ck_assert_msg((first.walked_ns == 42) == takes[i].taken, "%d", i);
		ck_assert((first.arrived_ns != takes[i].arrived_ns) == takes[i].taken);
	}
}
END_TEST

static const struct {
	uint32_t standard;
	uint64_t needed;
	uint32_t capacity;
} capacities[] = {
	{ 1000, 0, 0 },	      { 1000, 800, 0 }, { 1000, 801, 2000 }, { 1000, 1600, 2000 },
	{ 1000, 1601, 4000 }, { 1, 1, 0 },	{ 1, 4, 8 },
};

START_TEST(capacity_is_a_multiple_with_a_quarter_to_spare)
{
	for (int i = 0; i < COUNT(capacities); i++)
		ck_assert_uint_eq(capacity(capacities[i].standard, capacities[i].needed),
				  capacities[i].capacity);
}
END_TEST

static unsigned int builds;

static int count_builds(const struct image *image, const char *path, double *ret_ms,
			struct error *error)
{
	*ret_ms = ++builds;
	return 0;
}

START_TEST(as_many_builds_as_runs)
{
	const struct bench_options options = { .runs = 1 };
	struct bench_figure figure = { .name = "f", .subject = "libc" };
	struct error error = { 0 };

	if (bench_measure_build(&options, count_builds, "how", &figure, &error)) {
		ck_assert_msg(error.code == ERROR_UNAVAILABLE, "%s", error.message);
		printf("SKIP: %s\n", error.message);
		return;
	}
	ck_assert_uint_eq(builds, 1);
	ck_assert_double_eq_tol(figure.value, 1, 1e-9);
	ck_assert_double_eq_tol(figure.ratio, figure.reference_value, 1e-9);
	ck_assert_str_eq(figure.reference, "readelf -wF");
	ck_assert_str_eq(figure.unit, "ms");
	ck_assert_msg(strstr(figure.note, " rows, the same lines by both; how") != NULL, "%s",
		      figure.note);
}
END_TEST

SUITE(bench_parts, FIXTURE(set_up, folder_remove), TEST(first_stack_is_timed_from_exec),
      TEST(first_stack_is_the_program_s), TEST(capacity_is_a_multiple_with_a_quarter_to_spare),
      TEST(as_many_builds_as_runs))
