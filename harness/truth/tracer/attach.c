/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach.c - an attached run: which thread is stepped next, and how long nobody is stopped
 *
 * A thread is looked for that runs. So threads come in as a profiler's samples do, and one that waits is left alone.
 * After a burst nobody is stopped until the time that it took is no more than the share that the user allows. A few
 * bursts go to one process before the next has its turn, since engines read files anew for each.
 *
 * Descendants are looked for by their parents. One whose parent ends before it was seen is not found.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "array.h"
#include "attach.h"
#include "clock.h"
#include "process_scan.h"
#include "walk/address_space.h"

#define SCAN_NS 250000000ull /* between two looks at which processes there are */
#define POLL_MS 1	     /* between two looks at which threads run */
#define TURN	16	     /* bursts of one process, one after the other */

struct attach {
	struct tracer tracer;
	const struct tracer_attach *wish;
	struct nursery nursery;		/* if the program was started */
	pid_t root;			/* whose descendants are looked for */
	struct tracer_process *process; /* by number */
	size_t count;
	size_t at;	  /* whose turn it is */
	size_t mapped_at; /* whose mappings on_mappings was told of last; SIZE_MAX: nobody's */
	unsigned int turn;
	pid_t last; /* the thread of the last burst */
	struct ending_signals signals;
	int signal; /* that ended the run, or 0 */
	int done_fd;
	uint64_t end_ns, scan_ns;
	bool timed_out, over;
	atomic_bool is_over;
	uint64_t points;   /* of all processes */
	uint64_t left_out; /* processes at the last look for which there was no room */
	uint64_t most_left_out;
};

const char *burst_end_name(enum burst_end end)
{
	static const char *const names[BURST_END_COUNT] = {
		[BURST_WHOLE] = "whole",   [BURST_WAITS] = "waits",   [BURST_CALL] = "call",
		[BURST_SIGNAL] = "signal", [BURST_FLAGS] = "flags",   [BURST_MOVED] = "moved",
		[BURST_GONE] = "gone",	   [BURST_ASLEEP] = "asleep", [BURST_REFUSED] = "refused",
	};

	return names[end];
}

/* ---- processes -------------------------------------------------------------------------- */

static struct tracer_process *find_process(struct attach *attach, pid_t pid, uint64_t start)
{
	return ARRAY_FIRST(attach->process, attach->count, process,
			   process->pid == pid && process->start == start);
}

static void meet(void *context, pid_t pid)
{
	struct attach *attach = context;
	struct tracer_process process;
	struct task_state state;

	if (pid == attach->nursery.pid || !task_state_read(pid, pid, &state) ||
	    find_process(attach, pid, state.start) || !tracer_process_find(pid, &process))
		return;
	process.number = attach->count;
	process.refused = !tracer_process_is_named(&process, attach->wish->only);
	process.left = PROCESS_NOT_NAMED;
	if (attach->count == TRACED_PROCESSES_MAX ||
	    !ARRAY_ADD(attach->process, attach->count, process))
		attach->left_out++;
}

/* The processes that there are now. One that has been seen is kept, whoever its parent is. */
static void scan(struct attach *attach, uint64_t now)
{
	struct error ignored; /* the first one has ended */

	if (now < attach->scan_ns)
		return;
	attach->scan_ns = now + SCAN_NS;
	attach->left_out = 0; /* of now */
	if (attach->wish->children)
		process_scan(attach->root, meet, attach, &ignored);
	for (size_t i = 0; i < attach->count; i++) {
		struct tracer_process *process = &attach->process[i];
		struct task_state state;

		if (!process->ended &&
		    (!task_state_read(process->pid, process->pid, &state) ||
		     state.start != process->start || process_has_ended(process->pid)))
			process->ended = true;
	}
	if (attach->left_out > attach->most_left_out)
		attach->most_left_out = attach->left_out;
}

/* Who was there, and why not all had bursts. */
static struct tracer_processes sum_up(const struct attach *attach)
{
	struct tracer_processes sums = { .met = attach->count + attach->most_left_out,
					 .left[PROCESS_TOO_MANY] = attach->most_left_out };

	for (size_t i = 0; i < attach->count; i++) {
		const struct tracer_process *process = &attach->process[i];

		if (!process->begun)
			sums.left[process->refused ? process->left
				  : process->ended ? PROCESS_BRIEF
						   : PROCESS_IDLE]++;
	}
	return sums;
}

static bool any_lives(struct attach *attach)
{
	if (attach->root != attach->wish->pid)
		return !attach_has_ended(&attach->nursery);
	return ARRAY_ANY(attach->count, i, !attach->process[i].ended);
}

/* The thread that is next; attach->at becomes its process. 0: none runs. */
static pid_t next_thread(struct attach *attach)
{
	size_t first = attach->turn < TURN ? 0 : 1;

	for (size_t i = first; attach->count && i < attach->count + first; i++) {
		size_t at = (attach->at + i) % attach->count;
		struct tracer_process *process = &attach->process[at];
		pid_t tid;

		if (process->ended || process->refused)
			continue;
		tid = tracer_process_running(process->pid, at == attach->at ? attach->last : 0,
					     &attach->tracer.others);
		if (!tid)
			continue;
		if (at != attach->at || attach->turn >= TURN)
			attach->turn = 0;
		attach->at = at;
		attach->turn++;
		return tid;
	}
	return 0;
}

/* ---- waiting ---------------------------------------------------------------------------- */

/* Waits for at most ms, or until fd (-1: none) is readable. What ends the run meanwhile is noted. True: fd is. */
static bool wait_for(struct attach *attach, int fd, int ms)
{
	struct pollfd wake[] = { { .fd = fd, .events = POLLIN },
				 { .fd = attach->signals.fd, .events = POLLIN } };

	poll(wake, 2, ms);
	if (!attach->signal && wake[1].revents)
		attach->signal = ending_signals_take(&attach->signals);
	if (attach->signal || monotonic_ns() >= attach->end_ns) {
		attach->over = true;
		atomic_store(&attach->is_over, true);
	}
	return wake[0].revents;
}

/* Nobody is stopped until the stopped time is no more than its share. */
static void rest(struct attach *attach, uint64_t stopped_ns)
{
	unsigned int share = attach->wish->share;
	uint64_t until = monotonic_ns() + stopped_ns * (1000 - share) / share, now;

	while (!attach->over && (now = monotonic_ns()) < until)
		wait_for(attach, -1, (int)((until - now) / 1000000 + 1));
}

/* ---- a burst ---------------------------------------------------------------------------- */

static int prepare(struct attach *attach, struct tracer_process *process, pid_t tid)
{
	struct tracer *tracer = &attach->tracer;
	const struct tracer_callbacks *callbacks = tracer->callbacks;
	bool another = attach->mapped_at != attach->at;

	tracer->core.pid = process->pid;
	tracer->at = tid;
	tracer->counters = process->counters;
	process->begun = true;
	if (callbacks->on_burst &&
	    callbacks->on_burst(callbacks->context, process, tracer->core.error))
		return -1;
	attach->mapped_at = attach->at;
	return tracer_memory_open(tracer) || tracer_mappings_changed(tracer, another) ? -1 : 0;
}

static int run_burst(struct attach *attach, struct burst *burst)
{
	struct tracer *tracer = &attach->tracer;
	bool told = false;
	pthread_t thread;
	eventfd_t ignored;

	errno = pthread_create(&thread, NULL, burst_run, burst);
	if (errno)
		return error_set_errno(tracer->core.error, "a burst's thread");
	while (!wait_for(attach, attach->done_fd, attach->over ? -1 : 20))
		if (attach->over && !told && tracer->options->ended_fd) {
			eventfd_write(tracer->options->ended_fd, 1);
			told = true;
		}
	pthread_join(thread, NULL);
	eventfd_read(attach->done_fd, &ignored);
	return burst->status;
}

/* Without memory it is counted with the last one. */
static void count_thread(struct tracer_process *process, pid_t tid)
{
	for (size_t i = 0; i < process->tid_count; i++)
		if (process->tid[i] == tid)
			return;
	if (ARRAY_ADD(process->tid, process->tid_count, tid))
		process->counters.threads = process->tid_count;
}

static void count(struct attach *attach, struct tracer_process *process, const struct burst *burst)
{
	struct tracer_bursts *bursts = &attach->tracer.counters.bursts;
	uint64_t points = process->counters.points, bursts_before = process->counters.bursts.count;

	bursts->count += attach->tracer.counters.steps != process->counters.steps;
	bursts->end[burst->end]++;
	bursts->stopped_ns += burst->stopped_ns;
	if (burst->stopped_ns > bursts->longest_ns)
		bursts->longest_ns = burst->stopped_ns;
	process->counters = attach->tracer.counters;
	if (process->counters.bursts.count > bursts_before)
		count_thread(process, burst->tid);
	attach->points += process->counters.points - points;
}

/* Of a thread or a process that has gone meanwhile nothing can be read, and a process beside the first may be of
 * another kind: that is no error. */
static bool is_left_out(const struct attach *attach, struct tracer_process *process, pid_t tid)
{
	if (!thread_has_memory(tid))
		return true;
	process->ended = process_has_ended(process->pid);
	process->refused = process->number && attach->tracer.core.error->code == ERROR_UNAVAILABLE;
	process->left = PROCESS_REFUSED;
	return process->ended || process->refused;
}

static int step_thread(struct attach *attach, pid_t tid)
{
	struct tracer *tracer = &attach->tracer;
	struct tracer_process *process = &attach->process[attach->at];
	const struct tracer_callbacks *callbacks = tracer->callbacks;
	struct burst burst = { .tracer = tracer,
			       .wish = attach->wish,
			       .tid = tid,
			       .done_fd = attach->done_fd,
			       .is_over = &attach->is_over };
	int status = prepare(attach, process, tid);

	if (!status)
		status = run_burst(attach, &burst);
	attach->last = tid;
	stack_pool_clear(&tracer->core.stacks);
	count(attach, process, &burst);
	if (callbacks->on_burst_end)
		callbacks->on_burst_end(callbacks->context, process);
	if (status && is_left_out(attach, process, tid)) {
		attach->mapped_at = SIZE_MAX;
		status = 0;
	}
	if (!status)
		rest(attach, burst.stopped_ns);
	return status;
}

/* ---- the run ---------------------------------------------------------------------------- */

static int run(struct attach *attach)
{
	uint64_t limit = attach->tracer.options->point_limit;

	while (!attach->over && !attach->tracer.stopping && (!limit || attach->points < limit)) {
		pid_t tid;

		scan(attach, monotonic_ns());
		if (!any_lives(attach))
			return 0;
		tid = next_thread(attach);
		if (!tid)
			wait_for(attach, -1, POLL_MS);
		else if (step_thread(attach, tid))
			return -1;
	}
	return 0;
}

static int begin(struct attach *attach)
{
	const struct tracer_options *options = attach->tracer.options;
	struct error *error = attach->tracer.core.error;
	uint64_t ms = attach->wish->duration_ms;
	pid_t first = attach->wish->pid;

	if (first && tracer_process_check(first, error))
		return -1;
	if (options->ended_by_signals && ending_signals_hold(&attach->signals, error))
		return -1;
	attach->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (attach->done_fd < 0)
		return error_set_errno(error, "eventfd");
	attach->tracer.core.decoder = decoder_create(error);
	if (!attach->tracer.core.decoder)
		return -1;
	if (!first && attach_start(options, &attach->nursery, error))
		return -1;
	attach->root = first ?: attach->nursery.pid;
	attach->timed_out = options->timeout_ms && (!ms || options->timeout_ms < ms);
	if (attach->timed_out)
		ms = options->timeout_ms;
	attach->end_ns = ms ? monotonic_ns() + ms * 1000000 : UINT64_MAX;
	meet(attach, first ?: attach->nursery.program);
	return attach->count || !first ? 0 : tracer_process_check(first, error);
}

static int say_ending(struct attach *attach, int result)
{
	struct tracer *tracer = &attach->tracer;
	enum tracer_ending *ending = &tracer->counters.ending;

	if (attach->signal) {
		*ending = TRACER_INTERRUPTED;
		return ending_signals_error(tracer->core.error, attach->signal);
	}
	if (!result && attach->over && attach->timed_out) {
		*ending = TRACER_TIMEOUT;
		return error_set(tracer->core.error, ERROR_TIMEOUT, NULL, 0, "%s after %u ms",
				 attach->wish->pid ? "let go" : "the program was killed",
				 tracer->options->timeout_ms);
	}
	*ending = result			      ? TRACER_FAILED
		  : attach->over && attach->wish->pid ? TRACER_LEFT
		  : attach->over || any_lives(attach) ? TRACER_LIMIT
						      : TRACER_ENDED;
	return result;
}

int tracer_run_attached(const struct tracer_options *options,
			const struct tracer_callbacks *callbacks,
			struct tracer_counters *ret_counters, int *ret_status, struct error *error)
{
	struct attach attach = {
		.wish = options->attach,
		.nursery.fd = -1,
		.mapped_at = SIZE_MAX,
		.signals = { .fd = -1 },
		.done_fd = -1,
	};
	int result;

	tracer_init(&attach.tracer, options, callbacks, 0, error);
	attach.tracer.thread_count = 1;
	attach.tracer.skips_bare = true;
	result = begin(&attach);
	if (!result)
		result = run(&attach);
	if (attach.count)
		attach.tracer.counters = attach.process[0].counters;
	if (attach.wish->children)
		attach.tracer.counters.processes = sum_up(&attach);
	result = say_ending(&attach, result);
	ending_signals_release(&attach.signals);
	*ret_counters = attach.tracer.counters;
	*ret_status = 0;
	attach_end(&attach.nursery, ret_status);
	if (attach.done_fd >= 0)
		close(attach.done_fd);
	if (attach.tracer.memory_fd >= 0)
		close(attach.tracer.memory_fd);
	free(attach.tracer.volatile_code);
	stack_pool_clear(&attach.tracer.core.stacks);
	decoder_destroy(attach.tracer.core.decoder);
	for (size_t i = 0; i < attach.count; i++)
		free(attach.process[i].tid);
	free(attach.process);
	return result;
}
