/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * record_session.c - a session with room for what runs
 *
 * BPF maps have a size. It is chosen by what runs at the start, and where something finds no room later, a session of
 * twice the size takes over: it knows all processes before its clock is attached, and the old one's is detached then.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "clock.h"
#include "proc_file.h"
#include "record.h"

#define PROCESSES_LEAST 1024u
#define MAPPINGS_EACH	32u /* executable ones of a process, in old and new lists */
#define STACKS_LEAST	4096u
#define STACKS_MOST	65536u
#define TURN_STACKS	8192u /* are enough to take them */
#define TURN_MS_LEAST	1000u
#define TURN_MS_MOST	10000u

static int fail(struct error *error, const struct stackproof_error *inner)
{
	enum error_code code = inner->code == STACKPROOF_ERROR_UNAVAILABLE ? ERROR_UNAVAILABLE
			       : inner->code == STACKPROOF_ERROR_MEMORY	   ? ERROR_MEMORY
									   : ERROR_SYSTEM;

	error_set(error, code, "", 0, "%s", inner->message);
	error->system_errno = inner->system_errno;
	return -1;
}

static uint32_t count_processes(void)
{
	DIR_CLOSED DIR *folder = opendir("/proc");
	struct dirent *entry;
	uint32_t count = 0;

	while (folder && (entry = readdir(folder)))
		count += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
	return count;
}

static uint64_t ticks_a_second(const struct record_options *options)
{
	return (uint64_t)options->rate_hz * sysconf(_SC_NPROCESSORS_ONLN);
}

unsigned int record_turn_ms(const struct record_options *options)
{
	uint64_t ticks = ticks_a_second(options);
	uint64_t ms = ticks ? TURN_STACKS * 1000ull / ticks : TURN_MS_LEAST;

	ms = ms < TURN_MS_LEAST ? TURN_MS_LEAST : ms > TURN_MS_MOST ? TURN_MS_MOST : ms;
	return options->drain_ms / ((options->drain_ms + ms - 1) / ms);
}

/* As many as there may be ticks until the counts are taken; of other events nobody knows. */
static uint32_t stack_room(const struct record_options *options)
{
	uint64_t ticks = ticks_a_second(options) * record_turn_ms(options) / 1000;

	if (!ticks || options->event >= RECORD_TRACEPOINT || ticks > STACKS_MOST)
		return STACKS_MOST;
	return ticks < STACKS_LEAST ? STACKS_LEAST : ticks;
}

/* Twice as many of everything, each time: what was too small is not said. */
static void choose_room(const struct record_options *options, uint32_t room,
			struct stackproof_session_options *ret)
{
	uint32_t processes = 2 * count_processes();

	ret->processes = room * (processes > PROCESSES_LEAST ? processes : PROCESSES_LEAST);
	ret->mappings = ret->processes * MAPPINGS_EACH;
	ret->stacks = stack_room(options);
	if (room == 1)
		return;
	ret->pages = room * (1u << 18); /* the defaults are these */
	ret->table_entries = room * (1u << 21);
	ret->shapes = room * (1u << 20);
	ret->rules = room * (1u << 16);
	ret->places = room * (1u << 14);
}

struct tree {
	int (*fn)(struct record_session *, const struct record_options *, pid_t, struct error *);
	struct record_session *session;
	const struct record_options *options;
	bool alone;	       /* without children */
	unsigned int attached; /* threads */
};

static int each_process(struct tree *tree, pid_t pid, struct error *error);

/*
 * A thread's children are read before it is attached: those that it starts from then on have its clock already, and
 * would tick twice. A thread may end before its turn.
 */
static int each_of_thread(struct tree *tree, pid_t pid, pid_t tid, struct error *error)
{
	char path[80];
	int child, status = 0;
	FILE_CLOSED FILE *children = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	children = tree->alone ? NULL : fopen(path, "re");
	while (children && !status && fscanf(children, "%d", &child) == 1)
		status = each_process(tree, child, error);
	if (status)
		return status;
	if (!tree->fn(tree->session, tree->options, tid, error))
		tree->attached++;
	else if (error->system_errno != ESRCH)
		return -1;
	return 0;
}

static int each_process(struct tree *tree, pid_t pid, struct error *error)
{
	DIR_CLOSED DIR *threads = proc_threads_open(pid);
	int status = 0;
	pid_t tid;

	while (threads && !status && (tid = proc_threads_next(threads)))
		status = each_of_thread(tree, pid, tid, error);
	return status;
}

/* All threads of a process and of those below it that run already. */
static int each_thread(pid_t pid,
		       int (*fn)(struct record_session *, const struct record_options *, pid_t,
				 struct error *),
		       struct record_session *session, const struct record_options *options,
		       struct error *error)
{
	struct tree tree = { .fn = fn, .session = session, .options = options };

	if (each_process(&tree, pid, error))
		return -1;
	errno = ESRCH;
	return tree.attached ? 0 : error_set_errno(error, "process %d", pid);
}

/* Most virtual machines have no such counter. */
static int fail_cycles(struct error *error, const struct stackproof_error *inner)
{
	fail(error, inner);
	if (inner->system_errno == ENOENT || inner->system_errno == EOPNOTSUPP)
		error_set(error, ERROR_UNAVAILABLE, "", 0,
			  "this CPU counts no cycles that could be sampled (%s); "
			  "--event cpu-clock needs none",
			  inner->message);
	return -1;
}

static int attach_clock(struct record_session *session, const struct record_options *options,
			pid_t tid, struct error *error)
{
	struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(cycles),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_freq = options->rate_hz,
		.freq = 1,
		.inherit = tid >= 0,
	};
	struct stackproof_error inner;
	int status;

	if (options->event == RECORD_CYCLES)
		return stackproof_session_attach_event(session->session, &cycles, tid, -1, &inner)
			       ? fail_cycles(error, &inner)
			       : 0;
	status = stackproof_session_attach_samples(session->session, tid, -1, options->rate_hz,
						   &inner);
	return status ? fail(error, &inner) : 0;
}

static int attach(struct record_session *session, const struct record_options *options, pid_t root,
		  struct error *error)
{
	struct stackproof_error inner;
	int status;

	switch (options->event) {
	case RECORD_TRACEPOINT:
		status = stackproof_session_attach_tracepoint(session->session, options->event_name,
							      &inner);
		break;
	case RECORD_OFF_CPU:
		status = stackproof_session_attach_off_cpu(session->session, &inner);
		break;
	case RECORD_UPROBE:
		status = (options->event_returns ? stackproof_session_attach_uretprobe
						 : stackproof_session_attach_uprobe)(
			session->session, -1, options->event_name, options->event_offset, &inner);
		break;
	default:
		return root ? each_thread(root, attach_clock, session, options, error)
			    : attach_clock(session, options, -1, error);
	}
	return status ? fail(error, &inner) : 0;
}

static const uint32_t entry[] = {
	[RECORD_CPU_CLOCK] = 1u << STACKPROOF_ENTRY_SAMPLE,
	[RECORD_CYCLES] = 1u << STACKPROOF_ENTRY_SAMPLE,
	[RECORD_TRACEPOINT] = 1u << STACKPROOF_ENTRY_TRACEPOINT,
	[RECORD_UPROBE] = 1u << STACKPROOF_ENTRY_UPROBE,
	[RECORD_OFF_CPU] = 1u << STACKPROOF_ENTRY_TRACEPOINT,
};

int record_session_open(const struct record_options *options, pid_t root,
			struct stackproof_images *images, const struct record_session *before,
			struct record_session *ret, struct error *error)
{
	struct stackproof_session_options room = STACKPROOF_INIT(struct stackproof_session_options);
	struct stackproof_processes_options follow =
		STACKPROOF_INIT(struct stackproof_processes_options);
	struct stackproof_error inner;

	*ret = (struct record_session) { .images = images };
	ret->room = before ? 2 * before->room : 1;
	choose_room(options, ret->room, &room);
	follow.pid = root;
	follow.clocks = root && options->event < RECORD_TRACEPOINT;
	room.entries = entry[options->event];
	room.off_cpu = options->event == RECORD_OFF_CPU;
	room.off_least_ns = options->off_least_ns;
	room.count_stacks = 1;
	room.follow_frame_pointers = options->frame_pointers;
	room.kernel_stacks = !options->no_kernel;
	/* An event that is not of a thread comes in every process. */
	room.every_tick = !root || options->event < RECORD_TRACEPOINT;
	if (stackproof_session_open(&room, &ret->session, &inner) ||
	    stackproof_processes_open(ret->session, images, &follow, &ret->processes, &inner) ||
	    stackproof_processes_add_existing(ret->processes, &inner)) {
		record_session_close(ret);
		return fail(error, &inner);
	}
	ret->attach_ns = monotonic_ns();
	if (attach(ret, options, root, error)) {
		record_session_close(ret);
		return -1;
	}
	ret->attached_ns = monotonic_ns();
	return 0;
}

int record_session_renew(struct record_session *session, const struct record_options *options,
			 pid_t pid, struct error *error)
{
	struct tree tree = { attach_clock, session, options, .alone = true };

	if (each_process(&tree, pid, error))
		return -1;
	errno = ESRCH;
	return tree.attached ? 0 : error_set_errno(error, "process %d", pid);
}

void record_session_close(struct record_session *session)
{
	stackproof_processes_close(session->processes);
	stackproof_session_close(session->session);
	session->processes = NULL;
	session->session = NULL;
}
