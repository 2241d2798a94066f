/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_exec_storm.c - 200 processes that do nothing but execute themselves, under samples
 *
 * Each exec unmaps all and maps the program and its libraries anew, at other addresses. Whoever
 * keeps a process's mappings by hand is late all the time, and the walk goes by what it was given.
 * So a stack may be wrong, but then it must be raced, which process_events.h tells. For all others:
 * a stack that is complete is one of this program's, from its first function on, and any other has
 * a stop.
 *
 *	_start, libc, libc, main, suite_program, run_storm, storm_1, storm_2, storm_3	in this order, as far as it goes
 *	ld.so's _start						before that, or no_row: some have no CFI
 *	execve							read_fault: the old memory is gone already
 *
 * STORM_SECONDS (5) and STORM_PROCESSES (200) in the environment: longer, more. Needs BPF and perf
 * events: where the machine may not use them the test says SKIP with the reason and passes.
 */
#include <poll.h>
#include <sys/resource.h>
#include "tests/suite.h"
#include "clock.h"
#include "fault_frames.h"
#include "process_events.h"

#define FREQUENCY_HZ 1999
#define START_BYTES  128 /* of _start, at least; so long is ld.so's, with what it jumps to */

/* ---- the program ------------------------------------------------------------------------ */

/* Every second time it stays for a while, so that whoever follows it can come up. */
static __attribute__((noipa)) int storm_3(char **argv)
{
	int turns = monotonic_ns() & 1 << 12 ? 50000 : 3000000;
	volatile uint64_t sum = 0;

	for (int i = 0; i < turns; i++)
		sum += i;
	execv("/proc/self/exe", argv);
	return sum != 0; /* never zero: it failed */
}

static __attribute__((noipa)) int storm_2(char **argv)
{
	int status = storm_3(argv);

	return status + 1;
}

static __attribute__((noipa)) int storm_1(char **argv)
{
	int status = storm_2(argv);

	return status + 1;
}

/* Executes until the time has come. */
static __attribute__((noipa)) int run_storm(char **argv)
{
	return monotonic_ns() < strtoull(argv[2], NULL, 10) ? storm_1(argv) + 1 : 0;
}

/* Starts as many. 0: all of them ended well, when the time had come. */
static int start_storm(char **argv)
{
	int failed = 0, status;

	for (int i = atoi(argv[3]); i > 0; i--) {
		pid_t pid = fork();

		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv("/proc/self/exe", (char *[]) { "storm", "--storm", argv[2], NULL });
		_exit(1);
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}

static const char *const storm_name[] = { "suite_program", "run_storm", "storm_1", "storm_2",
					  "storm_3" };

/* ---- what comes out --------------------------------------------------------------------- */

struct storm {
	struct fixture fixture;
	struct process_events *events;
	uint64_t begin_ns, end_ns;
	uint64_t taking_ns, cpu_ns; /* in the rounds, and of them on a CPU */
	uint64_t stacks, raced, complete, in_main, wrong, rounds;
	uint64_t stop[STOP_REASON_COUNT];
};

/* Of the frame at index i: the function's name, "" where there is none. */
static void name_frame(const struct process_stack *stack, uint32_t i, char *ret, size_t size)
{
	address_space_describe(stack->space, stack->record->pc[i] - (i > 0), ret, size);
	ret[strcspn(ret, "+ ")] = '\0';
}

/* The frame's image, if it is the first function of one. */
static const struct image *started_image(const struct process_stack *stack, uint32_t i)
{
	uint64_t pc = stack->record->pc[i];
	const struct mapping *mapping = address_space_find(stack->space, pc);

	if (!mapping || !mapping->entry ||
	    pc - mapping->bias - mapping->entry->image->entry > START_BYTES)
		return NULL;
	return mapping->entry->image;
}

/* Number of the function of ours, 0 for main, or -1. */
static int own_number(const struct process_stack *stack, uint32_t i)
{
	char name[256];

	name_frame(stack, i, name, sizeof(name));
	for (int number = 0; number < COUNT(storm_name); number++)
		if (!strcmp(name, storm_name[number]))
			return number + 1;
	return strcmp(name, "main") ? -1 : 0;
}

/* A complete stack is right as far as this program knows: see above. */
static bool is_right(const struct process_stack *stack, bool *ret_main)
{
	uint32_t count = stack->record->count, outer = 0;
	int next = 0;

	if (!started_image(stack, count - 1))
		return false;
	for (uint32_t i = count - 1; i-- > 0; outer++) {
		int number = own_number(stack, i);

		if (number < 0)
			continue;
		/* Nobody else's frame is between two of ours, and libc's are between _start and
		 * main. */
		if (number != next++ || (number == 0 && (outer < 1 || outer > 2)) ||
		    (number > 0 && own_number(stack, i + 1) != number - 1))
			return false;
	}
	*ret_main = next > 0;
	return true;
}

static void print_stack(const struct process_stack *stack)
{
	char frame[512];

	printf("process %u, %s:\n", stack->record->pid, stop_reason_name(stack->record->stop));
	for (uint32_t i = 0; i < stack->record->count && i < 40; i++) {
		address_space_describe(stack->space, stack->record->pc[i] - (i > 0), frame,
				       sizeof(frame));
		printf("\t%s\n", frame);
	}
	fflush(stdout);
}

static void on_stack(void *context, const struct process_stack *stack)
{
	const struct walk_record *record = stack->record;
	struct storm *storm = context;
	bool in_main = false;

	storm->stacks++;
	ck_assert(record->count > 0 && record->count <= WALK_FRAMES_MAX);
	ck_assert(record->stop > STOP_NONE && record->stop < STOP_REASON_COUNT);
	ck_assert_uint_ne(record->stop, STOP_BAD_TABLE);
	if (stack->raced) {
		storm->raced++;
		return;
	}
	storm->stop[record->stop]++;
	if (record->stop != STOP_COMPLETE || (pid_t)record->pid == getpid())
		return;
	storm->complete++;
	if (!is_right(stack, &in_main) && storm->wrong++ < 5)
		print_stack(stack);
	storm->in_main += in_main;
}

/* ---- the storm -------------------------------------------------------------------------- */

static int setting(const char *name, int standard)
{
	const char *text = getenv(name);

	return text ? atoi(text) : standard;
}

/* False: this machine can't, and why was said. */
static bool begin(struct storm *storm, int method, uint32_t processes)
{
	struct bpf_session_options options = { .process_capacity = processes + 100,
					       .mapping_capacity = 1 << 17 };
	struct process_events_options wanted = { .pid = getpid(), .pages = 256 };
	struct fixture *f = &storm->fixture;

	memset(storm, 0, sizeof(*storm));
	if (!fixture_init(f, method, options))
		return false;
	if (process_events_open(f->session, f->store, &wanted, &storm->events, &f->error)) {
		ck_assert_msg(f->error.code == ERROR_UNAVAILABLE, "%s", f->error.message);
		printf("SKIP: %s\n", f->error.message);
		return false;
	}
	ck_assert(!process_events_add_existing(storm->events, &f->error));
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		ck_assert_msg(
			!bpf_session_attach_samples(f->session, -1, cpu, FREQUENCY_HZ, &f->error),
			"%s", f->error.message);
	return true;
}

/* Starts the processes, through one that does it quickly: this one is large, with its BPF
 * arrays. */
static pid_t start(const struct storm *storm, int processes)
{
	int priority = getpriority(PRIO_PROCESS, 0);
	char end[32], count[16];
	pid_t pid;

	/* Who follows them must come to run: with 200 that want to, its turn is seldom. */
	setpriority(PRIO_PROCESS, 0, -20);

	snprintf(end, sizeof(end), "%" PRIu64, storm->end_ns);
	snprintf(count, sizeof(count), "%d", processes);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpriority(PRIO_PROCESS, 0, priority);
		execv("/proc/self/exe", (char *[]) { "storm", "--start", end, count, NULL });
		_exit(1);
	}
	return pid;
}

static uint64_t own_cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void take(struct storm *storm)
{
	uint64_t begin_ns = monotonic_ns(), cpu_ns = own_cpu_ns();

	storm->rounds++;
	ck_assert_msg(
		!process_events_consume(storm->events, on_stack, storm, &storm->fixture.error),
		"%s", storm->fixture.error.message);
	storm->taking_ns += monotonic_ns() - begin_ns;
	storm->cpu_ns += own_cpu_ns() - cpu_ns;
}

/* Follows until all have ended, each well. */
static void follow(struct storm *storm, pid_t starter)
{
	uint64_t late_ns = storm->end_ns + 4 * PATIENCE_S * 1000000000ull;
	struct pollfd changed = { .fd = process_events_fd(storm->events), .events = POLLIN };
	int status = 0;
	pid_t pid;

	while ((pid = waitpid(starter, &status, WNOHANG)) == 0) {
		ck_assert_msg(monotonic_ns() < late_ns, "the processes do not end");
		take(storm);
		poll(&changed, 1, 5);
	}
	ck_assert_int_eq(pid, starter);
	ck_assert_int_eq(status, 0);
	bpf_session_detach(storm->fixture.session);
	take(storm);
}

static void print_storm(const struct storm *storm, const char *method,
			const struct walk_counters *walk,
			const struct process_events_counters *events)
{
	printf("%s: %.0f s, %" PRIu64 " execs, %" PRIu64 " maps, %" PRIu64 " readings, %" PRIu64
	       " vanished, %" PRIu64 " resyncs, %" PRIu64 " events lost, %" PRIu64 " refused\n",
	       method, (storm->end_ns - storm->begin_ns) / 1e9, events->execs, events->maps,
	       events->readings, events->vanished, events->resyncs, events->lost, events->refused);
	printf("\tsamples %" PRIu64 ", stacks %" PRIu64 ", lost: busy %" PRIu64 " space %" PRIu64
	       " regs %" PRIu64 "; unknown %" PRIu64 ", ending %" PRIu64 "\n",
	       (uint64_t)walk->samples, (uint64_t)walk->stacks, (uint64_t)walk->lost_busy,
	       (uint64_t)walk->lost_space, (uint64_t)walk->lost_regs, (uint64_t)walk->unknown,
	       (uint64_t)walk->ending);
	printf("\t%" PRIu64 " rounds of %.2f s, %.2f s on a CPU: %.2f s in readings, %.2f s in "
	       "giving them; checks %" PRIu64 ", mistaken %" PRIu64 "\n",
	       storm->rounds, storm->taking_ns / 1e9, storm->cpu_ns / 1e9, events->reading_ns / 1e9,
	       events->giving_ns / 1e9, events->checks, events->mistaken);
	printf("\traced %" PRIu64 "; of the others complete %" PRIu64 " (%" PRIu64
	       " in main), wrong %" PRIu64 ";",
	       storm->raced, storm->complete, storm->in_main, storm->wrong);
	for (int stop = STOP_COMPLETE; stop < STOP_REASON_COUNT; stop++)
		if (storm->stop[stop])
			printf(" %s %" PRIu64, stop_reason_name(stop), storm->stop[stop]);
	printf("\n");
	fflush(stdout);
}

START_TEST(exec_in_a_loop)
{
	int seconds = setting("STORM_SECONDS", 5), processes = setting("STORM_PROCESSES", 200);
	struct process_events_counters events;
	struct walk_counters walk;
	struct storm storm;

	if (!begin(&storm, _i, processes))
		return;
	storm.begin_ns = monotonic_ns();
	storm.end_ns = storm.begin_ns + seconds * 1000000000ull;
	follow(&storm, start(&storm, processes));
	process_events_counters(storm.events, &events);
	ck_assert(!bpf_session_counters(storm.fixture.session, false, &walk, &storm.fixture.error));
	print_storm(&storm, methods[_i].name, &walk, &events);
	ck_assert_uint_eq(storm.wrong, 0);
	ck_assert_uint_gt(storm.in_main, 0);
	ck_assert_uint_gt(events.execs, (uint64_t)processes);
	ck_assert_uint_eq(walk.samples, walk.stacks + walk_losses(&walk));
	ck_assert_uint_eq(walk.stacks, storm.stacks + events.lost_memory);
	ck_assert_uint_eq(events.stacks, storm.stacks);
	ck_assert_uint_eq(events.raced, storm.raced);
	process_events_close(storm.events);
	fixture_deinit(&storm.fixture);
}
END_TEST

SUITE_MAIN(exec_storm)
{
	if (argc == 3 && !strcmp(argv[1], "--storm"))
		return !!run_storm(argv); /* no tail call */
	if (argc == 4 && !strcmp(argv[1], "--start"))
		return start_storm(argv);
	Suite *suite = suite_create("exec_storm");
	TCase *tcase = tcase_create("exec_storm");

	tcase_set_timeout(tcase, setting("STORM_SECONDS", 5) + PATIENCE_TIMEOUT_S);
	tcase_add_loop_test(tcase, exec_in_a_loop, 0, COUNT(methods));
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
