/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_first_stack.c - from exec of a program whose images are new to its first complete stack
 *
 * A profiler that is running meets a program that it has never seen: testprogs/bench/deep.c with
 * its five libraries, and to a new store libc and the loader are new as well. The program says when
 * it calls exec; then the events must come, the mappings be read, tables be made of the images, and
 * be placed in the arrays of the walk; and a clock must tick in the program. The time is that of
 * the arrival of the first stack that is complete, of the program that was executed, and not raced.
 * The profiler waits for events and stacks by poll(2), and is woken by the first of either.
 *
 * The reference is the first stack of bpf_get_stack(), which asks for no mappings: what the exec
 * itself, the clock and the way of a record take.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "base/child/child.h"
#include "bench.h"
#include "clock.h"
#include "process_events.h"

#define SAMPLE_HZ  4999
#define TIMEOUT_MS 5000
#define POLL_MS	   1 /* for what wakes nobody: a process that waits to be read */

/* A child that waits for a byte, and then executes the program. */
struct starter {
	pid_t pid;
	int go;
	uint64_t *exec_ns; /* shared with it: when it called exec */
};

static int start(struct starter *starter, const char *path, struct error *error)
{
	int ends[2];

	starter->exec_ns = mmap(NULL, sizeof(*starter->exec_ns), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (starter->exec_ns == MAP_FAILED || pipe2(ends, O_CLOEXEC))
		return error_set_errno(error, "starting %s", path);
	starter->pid = child_fork();
	if (!starter->pid) {
		char byte;

		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1) {
			*starter->exec_ns = monotonic_ns();
			execl(path, path, (char *)NULL);
		}
		_exit(CHILD_NOT_RUN);
	}
	close(ends[0]);
	starter->go = ends[1];
	return starter->pid < 0 ? error_set_errno(error, "fork") : 0;
}

static void finish(struct starter *starter)
{
	if (starter->pid > 0) {
		child_end(starter->pid, true);
		close(starter->go);
	}
	if (starter->exec_ns)
		munmap(starter->exec_ns, sizeof(*starter->exec_ns));
}

/* What is waited for, and what came. */
struct first {
	pid_t pid;
	const uint64_t *exec_ns;
	uint64_t walked_ns, arrived_ns; /* 0: not yet */
};

static void take(struct first *first, const struct walk_record *record)
{
	if (first->arrived_ns || (pid_t)record->pid != first->pid || !*first->exec_ns)
		return;
	first->walked_ns = record->time;
	first->arrived_ns = monotonic_ns();
}

static void on_stack(void *context, const struct process_stack *stack)
{
	if (!stack->raced && stack->record->stop == STOP_COMPLETE)
		take(context, stack->record);
}

static void on_helper_stack(void *context, const struct walk_record *record, bool frame_pointer)
{
	if (record->count > 1)
		take(context, record);
}

/* One round: what it took, in milliseconds. */
struct parts {
	double all;	/* from exec until the stack was there */
	double walked;	/* until it was walked */
	double event;	/* until the exec's events were read */
	double reading; /* /proc/PID/maps, and opening images and making their tables */
	double giving;	/* to the walk: placing tables, and the list */
	double maps;	/* of reading, without the images */
	double cpu;	/* processor time of all that the profiler did meanwhile */
};

static double ms(uint64_t ns)
{
	return ns / 1e6;
}

static uint64_t processor_ns(void)
{
	struct timespec used = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec * 1000000000ull + used.tv_nsec;
}

static int late(struct error *error)
{
	return error_set(error, ERROR_TIMEOUT, "", 0, "no complete stack in %d s",
			 TIMEOUT_MS / 1000);
}

/* The readings once more, when no image is new. */
static int time_maps(struct parts *parts, struct image_store *store, pid_t pid, uint64_t readings,
		     struct error *error)
{
	struct address_space space = { 0 };
	uint64_t begin = monotonic_ns();
	int status = address_space_read(&space, store, pid, error);

	parts->maps = ms(monotonic_ns() - begin) * readings;
	address_space_deinit(&space);
	return status;
}

static int follow(struct starter *starter, struct bpf_session *session, struct image_store *store,
		  struct process_events *events, struct parts *ret, struct error *error)
{
	struct first first = { .pid = starter->pid, .exec_ns = starter->exec_ns };
	struct pollfd wakes = { .fd = process_events_fd(events), .events = POLLIN };
	uint64_t deadline = monotonic_ns() + TIMEOUT_MS * 1000000ull;
	struct process_events_counters counters;
	uint64_t used_ns;

	if (bpf_session_attach_samples(session, starter->pid, -1, SAMPLE_HZ, error))
		return -1;
	used_ns = processor_ns();
	if (write(starter->go, "", 1) != 1)
		return error_set_errno(error, "starting the program");
	while (!first.arrived_ns) {
		poll(&wakes, 1, POLL_MS);
		if (process_events_consume(events, on_stack, &first, error))
			return -1;
		process_events_counters(events, &counters);

		uint64_t now = monotonic_ns();

		/* Other processes' are counted, too: before its own there is none. */
		if (counters.execs && *starter->exec_ns && !ret->event)
			ret->event = ms(now - *starter->exec_ns);
		if (now > deadline)
			return late(error);
	}
	ret->cpu = ms(processor_ns() - used_ns);
	ret->all = ms(first.arrived_ns - *starter->exec_ns);
	ret->walked = ms(first.walked_ns - *starter->exec_ns);
	ret->reading = ms(counters.reading_ns);
	ret->giving = ms(counters.giving_ns);
	return time_maps(ret, store, starter->pid, counters.readings, error);
}

/* Every process's events: the child is known by its exec, and until then by nobody. */
static int measure_walk(const char *path, struct parts *ret, struct error *error)
{
	struct bpf_session_options options = { .process_capacity = 256, .wake_up = true };
	struct process_events_options wanted = { 0 };
	struct image_store *store = image_store_create();
	struct process_events *events = NULL;
	struct bpf_session *session = NULL;
	struct starter starter = { 0 };
	int status = -1;

	if (!store)
		error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	else if (!bpf_session_open(&options, &session, error) && !start(&starter, path, error) &&
		 !process_events_open(session, store, &wanted, &events, error))
		status = follow(&starter, session, store, events, ret, error);
	finish(&starter);
	process_events_close(events);
	bpf_session_close(session);
	image_store_destroy(store);
	return status;
}

static int measure_helper(const char *path, double *ret, struct error *error)
{
	struct bpf_session_options options = { .only_frame_pointer = true, .wake_up = true };
	uint64_t deadline = monotonic_ns() + TIMEOUT_MS * 1000000ull;
	struct bpf_session *session = NULL;
	struct starter starter = { 0 };
	int status = -1;

	if (bpf_session_open(&options, &session, error) || start(&starter, path, error))
		goto out;
	struct address_space space = { .pid = starter.pid };
	struct first first = { .pid = starter.pid, .exec_ns = starter.exec_ns };
	if (bpf_session_set_process(session, &space, error) ||
	    bpf_session_attach_samples(session, starter.pid, -1, SAMPLE_HZ, error) ||
	    write(starter.go, "", 1) != 1)
		goto out;
	struct pollfd wakes = { .fd = bpf_session_fd(session), .events = POLLIN };

	while (!first.arrived_ns) {
		poll(&wakes, 1, POLL_MS);
		if (bpf_session_consume(session, on_helper_stack, &first, error))
			goto out;
		if (monotonic_ns() > deadline) {
			late(error);
			goto out;
		}
	}
	*ret = ms(first.arrived_ns - *starter.exec_ns);
	status = 0;
out:
	finish(&starter);
	bpf_session_close(session);
	return status;
}

int bench_first_stack(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error)
{
	double all[BENCH_RUNS_MAX], helper[BENCH_RUNS_MAX], walked[BENCH_RUNS_MAX];
	double event[BENCH_RUNS_MAX];
	double tables[BENCH_RUNS_MAX], maps[BENCH_RUNS_MAX], giving[BENCH_RUNS_MAX];
	double cpu[BENCH_RUNS_MAX];
	char path[4200];

	snprintf(path, sizeof(path), "%s/five.nofp", options->programs);
	if (access(path, X_OK))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not built", path);
	for (unsigned int i = 0; i < options->runs; i++) {
		struct parts parts = { 0 };

		if (measure_walk(path, &parts, error) || measure_helper(path, &helper[i], error))
			return -1;
		all[i] = parts.all;
		walked[i] = parts.walked;
		event[i] = parts.event;
		maps[i] = parts.maps;
		tables[i] = parts.reading > parts.maps ? parts.reading - parts.maps : 0;
		giving[i] = parts.giving;
		cpu[i] = parts.cpu;
	}
	ret->value = bench_median(all, options->runs);
	ret->unit = "ms";
	ret->reference = "the first stack of bpf_get_stack, which needs no tables";
	ret->reference_value = bench_median(helper, options->runs);
	ret->ratio = ret->value / ret->reference_value;
	snprintf(ret->note, sizeof(ret->note),
		 "five libraries, libc and the loader are new. Walked %.2f ms after the exec. In "
		 "between: "
		 "until the exec's events are read %.2f ms, reading mappings %.2f ms, opening "
		 "images and "
		 "making tables %.2f ms, placing them %.2f ms; the rest is waiting: for the "
		 "program's "
		 "own start, a CPU, a tick. The profiler used a CPU for %.2f ms",
		 bench_median(walked, options->runs), bench_median(event, options->runs),
		 bench_median(maps, options->runs), bench_median(tables, options->runs),
		 bench_median(giving, options->runs), bench_median(cpu, options->runs));
	return 0;
}
