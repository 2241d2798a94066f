/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_events.c - follow the processes of a session
 *
 * The kernel says when a process maps something executable, executes another program, forks or ends
 * (perf_ring.c), and mostly enough for the new list to be known (process_change.c). Only where it
 * is not is /proc/PID/maps read, in turn, for some time in each round: a reading waits for the
 * process's locks. A forked process has its parent's mappings. Events of several CPUs are put in
 * the order of their times; those that came while the rings were read wait for another round.
 *
 * The race. Between a change and the new list the walk goes by the old one:
 *
 *	process		maps a		       maps b
 *	known	    |			|		|
 *	list	    generation 7	  generation 8	  generation 9
 *	stack			  x (7)		     x (8)		x (9)
 *
 * The first two x were walked when something was mapped that their list did not have. If they have
 * a frame there, they are raced. Each list has a time, up to which every change is in it: when its
 * reading began, or before the last event that it was made by. Later ones are noted with it, by
 * when and where
 * (process_set.c). A change that a reading saw although it came later is taken for one it did not:
 * this errs to the safe side only.
 *
 * Nothing is said when memory is unmapped (munmap, dlclose) or made not executable. A mapping that
 * is gone stays in the list until the process is read. No PC is in it meanwhile: for code to run at
 * its addresses, some must be mapped there again, and that is an event. So what is known from events
 * alone is checked by a reading when things are quiet.
 *
 * What no perf event says is noted by programs of their own (task_notes.h), and followed as one: code
 * that mremap(2) moved, and perf events that were taken away. A process that has another one's memory
 * (CLONE_VM) has its changes, too.
 *
 * Where events are lost, all processes are looked at again, and all stacks since are raced.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "clock.h"
#include "held_records.h"
#include "process_change.h"
#include "process_events.h"
#include "process_scan.h"
#include "task_notes.h"

#define PAGES_DEFAULT 64
#define PASSES_MAX    4 /* over the rings, while something comes */
#define ROUNDS_KEPT   2 /* a list's stacks come in the round after it was replaced; one to spare */
#define SWEEP_NS      20000000
#define SWEEP_MORE    10 /* times as long where stacks are counted: lists stay for long anyway */
#define UNUSED_SWEEPS 5	 /* when a list was replaced a second ago no walk by it is under way */
#define IMAGES_KEPT   64 /* that no process has any more, for the next one */

/* What a round may spend on readings, but for the last one; the first time there is more to
 * read. */
#define READING_NS  20000000
#define EXISTING_NS 1000000000

/*
 * A process that is known from events is read when it was quiet for so long: if it sleeps, and so
 * has none of the locks that a reading waits for; or for so long if it does not. After that,
 * nothing is checked for CHECK_PART times as long as it took.
 */
#define QUIET_NS       500000000
#define QUIET_AWAKE_NS 10000000000
#define CHECK_PART     20

#define MOVE_NS                                                                                    \
	1000000 /* before mremap(2) returned nothing had been moved yet; some page tables take longer */

struct process_events {
	struct bpf_session *session;
	struct image_store *store;
	pid_t root; /* 0: all */
	bool alone; /* it forks what is nobody's affair */
	struct perf_rings rings;
	struct task_notes *notes;
	uint64_t noted_ns;	     /* when they were taken */
	struct error unseen;	     /* what is not noted, and why */
	uint64_t memories;	     /* numbers of those that processes share */
	struct process_event *event; /* read, and not followed yet */
	size_t event_count;
	uint64_t followed_ns; /* the last one's time */
	struct process_set processes;
	uint64_t unsure_ns; /* events from then on are missing; NEVER: none */
	uint64_t check_ns;  /* no process is checked before */
	uint64_t swept_ns;
	bool takes_stacks;
	uint64_t round; /* of process_events_consume() */
	struct held_records held;
	size_t given; /* so many bytes of held */
	struct process_events_counters counters;
	struct error refusal;
	struct error failure; /* of the call that is under way */
};

static void fail_memory(struct process_events *events)
{
	error_set(&events->failure, ERROR_MEMORY, "", 0, "no memory for a process");
}

/* ---- one process ------------------------------------------------------------------------ */

static void begin_process(struct process *process, uint64_t time_ns)
{
	process->alive = true;
	process->unread = process->unchecked = process->executed = process->leader_exited = false;
	process->born_ns = process->changed_ns = time_ns;
	process->no_clock_ns = process->clock_ns = process->memory = process->forked_ns = 0;
	process->parent = 0;
}

static void forget_list(struct process_events *events, struct process *process)
{
	bpf_session_forget_process(events->session, process->pid);
	process_version_end(process, events->round);
}

static void end_process(struct process_events *events, struct process *process)
{
	forget_list(events, process);
	known_space_release(process->known);
	process->known = NULL;
	process->alive = false;
}

/* counter: refused or unreadable. */
static void refuse(struct process_events *events, struct process *process,
		   const struct error *error, uint64_t *counter)
{
	++*counter;
	events->refusal = *error;
	/* Of the same program the old list is still mostly right. */
	if (process->executed || !process_current(process))
		forget_list(events, process);
}

/* What is known of it, to the walk. */
static void give_list(struct process_events *events, struct process *process)
{
	struct address_space view = process->known->space;
	uint64_t begin_ns = monotonic_ns();
	struct error error;
	int status;

	view.pid = process->pid; /* of a fork, its parent's was read */
	status = bpf_session_set_process(events->session, &view, &error);
	events->counters.giving_ns += monotonic_ns() - begin_ns;
	if (status) {
		refuse(events, process, &error, &events->counters.refused);
	} else if (!process_version_add(process,
					bpf_session_generation(events->session, process->pid),
					events->round)) {
		fail_memory(events);
		forget_list(events, process);
	}
	process->executed = false;
}

static void give_lists(struct process_events *events)
{
	struct process *process;

	while ((process = process_set_pop(&events->processes, PROCESS_GIVE)))
		if (process->alive && !process->unread && process->known &&
		    !process_is_given(process))
			give_list(events, process);
}

/* What has ended makes room for what is new. Where only the leader has, the next time is to see
 * whether the others have too. */
static void end_processes(struct process_events *events)
{
	size_t count = events->processes.queue[PROCESS_END].count;

	while (count--) {
		struct process *process = process_set_pop(&events->processes, PROCESS_END);

		if (!process->alive || !process->leader_exited)
			continue;
		if (process_has_ended(process->pid))
			end_process(events, process);
		else
			process_set_push(&events->processes, PROCESS_END, process);
	}
}

/* ---- reading ---------------------------------------------------------------------------- */

/* A process without mappings: a kernel thread, one that is about to execute a program, of which its
 * events will tell, or one that has ended. */
static void read_nothing(struct process_events *events, struct process *process)
{
	if (process_has_ended(process->pid))
		end_process(events, process);
	else
		forget_list(events, process);
}

static void read_process(struct process_events *events, struct process *process)
{
	struct known_space *known = known_space_create();
	struct error error;
	int status;

	if (!known) {
		fail_memory(events);
		process_must_be_read(&events->processes, process);
		return;
	}
	known->true_ns = monotonic_ns();
	status = address_space_read(&known->space, events->store, process->pid, &error);
	known->space.forked_ns = process->forked_ns;
	events->counters.readings++;
	events->counters.reading_ns += monotonic_ns() - known->true_ns;
	process->unread = process->unchecked = false;
	known_space_release(process->known);
	process->known = NULL;
	events->counters.unopened += known->space.unopened;
	if (!status && known->space.mapping_count) {
		process->known = known;
		process_set_push(&events->processes, PROCESS_GIVE, process);
		return;
	}
	known_space_release(known);
	if (!status) {
		read_nothing(events, process);
	} else if (error_is_want(&error)) {
		events->failure = error;
		if (process->executed)
			forget_list(events, process);
		process_must_be_read(&events->processes, process);
	} else if (error.system_errno == ENOENT || error.system_errno == ESRCH) {
		events->counters.vanished++;
		end_process(events, process);
	} else {
		refuse(events, process, &error, &events->counters.unreadable);
	}
}

static bool follow_pass(struct process_events *events);

/* Reads one that is known from events, to see whether that is true. */
static void check_process(struct process_events *events, struct process *process)
{
	struct known_space *before = known_space_share(process->known);
	uint64_t changed_ns = process->changed_ns;

	events->counters.checks++;
	read_process(events, process);
	follow_pass(events);
	if (process->known && process->changed_ns == changed_ns)
		events->counters.mistaken += process_was_mistaken(process, before);
	known_space_release(before);
}

/* False: not yet. */
static bool is_quiet(const struct process *process, uint64_t now)
{
	return now >= process->changed_ns + QUIET_AWAKE_NS ||
	       (now >= process->changed_ns + QUIET_NS && process_is_asleep(process->pid));
}

/* The first in the queue, if it is its turn, and if enough time has gone since the last one was:
 * it may wait for the process's locks for long. */
static void check_next(struct process_events *events)
{
	struct process *process = events->processes.queue[PROCESS_CHECK].first;
	uint64_t begin_ns = monotonic_ns();

	if (!process || begin_ns < events->check_ns || begin_ns < process->check_ns)
		return;
	process_set_pop(&events->processes, PROCESS_CHECK);
	if (!process->alive || !process->unchecked || process->unread || !process->known)
		return;
	if (is_quiet(process, begin_ns)) {
		check_process(events, process);
	} else {
		process->check_ns = begin_ns + QUIET_NS;
		process_set_push(&events->processes, PROCESS_CHECK, process);
	}
	events->check_ns = monotonic_ns() + (monotonic_ns() - begin_ns) * CHECK_PART;
}

/* Does what there is to be done, with readings for so long, or one, or until there is no memory or
 * no file descriptor for one: then the rest waits. In between events are followed. */
static void catch_up(struct process_events *events, uint64_t reading_ns)
{
	uint64_t end_ns = monotonic_ns() + reading_ns;
	struct process *process;

	end_processes(events);
	give_lists(events);
	while ((process = process_set_pop(&events->processes, PROCESS_READ))) {
		if (!process->alive || !process->unread)
			continue;
		read_process(events, process);
		follow_pass(events);
		end_processes(events);
		give_lists(events);
		if (monotonic_ns() >= end_ns || events->failure.code != ERROR_NONE)
			return;
	}
	check_next(events);
	give_lists(events);
}

/* ---- events ----------------------------------------------------------------------------- */

static void change(struct process_events *events, struct process *process,
		   const struct process_event *event)
{
	process->changed_ns = event->time_ns;
	if (event->kind == PROCESS_EVENT_MAP)
		process_maps(&events->processes, process, events->store, event);
	else
		process_moves(&events->processes, process, event);
}

struct changed_memory {
	struct process_events *events;
	const struct process *process;
	const struct process_event *event;
};

static void change_sharer(void *context, struct process *process)
{
	const struct changed_memory *changed = context;

	if (process->alive && process != changed->process &&
	    process->memory == changed->process->memory)
		change(changed->events, process, changed->event);
}

/* All processes that have the memory have the change. */
static void change_memory(struct process_events *events, struct process *process,
			  const struct process_event *event)
{
	struct changed_memory changed = { events, process, event };

	change(events, process, event);
	if (process->memory)
		process_set_each(&events->processes, change_sharer, &changed);
}

static void follow_change(struct process_events *events, const struct process_event *event)
{
	struct process *process = process_set_find(&events->processes, event->pid);
	bool exec = event->kind == PROCESS_EVENT_EXEC;

	if (!process || !process->alive) {
		if (events->root)
			return;
		process = process_set_get(&events->processes, event->pid);
		if (!process) {
			fail_memory(events);
			return;
		}
		begin_process(process, event->time_ns); /* nothing is known: it is read */
	}
	events->counters.execs += exec;
	events->counters.maps += !exec;
	if (exec) {
		process->changed_ns = event->time_ns;
		process->leader_exited = false; /* the thread that calls it becomes the leader */
		process->memory = 0;
		process_executes(&events->processes, process, events->store, event->time_ns);
	} else {
		change_memory(events, process, event);
	}
}

/* Until one of the two executes a program. */
static void follow_sharing(struct process_events *events, const struct process_event *event)
{
	struct process *parent = process_set_find(&events->processes, event->parent);
	struct process *child = process_set_find(&events->processes, event->pid);

	if (!parent || !child || event->time_ns < child->born_ns)
		return;
	if (!parent->memory)
		parent->memory = ++events->memories;
	child->memory = parent->memory;
}

static void follow_move(struct process_events *events, const struct process_event *event)
{
	struct process *process = process_set_find(&events->processes, event->pid);

	if (!process || !process->alive || event->time_ns < process->born_ns)
		return;
	events->counters.moves++;
	change_memory(events, process, event);
}

/* ---- clocks ----------------------------------------------------------------------------- */

struct clock_loss {
	struct process_events *events;
	const struct process *parent;
};

static void lose_childs_clock(void *context, struct process *child);

/* It has inherited none either what was forked since. */
static void lose_clock(struct process_events *events, struct process *process, uint64_t time_ns)
{
	struct clock_loss loss = { events, process };

	if (time_ns <= process->clock_ns || time_ns <= process->no_clock_ns)
		return;
	process->no_clock_ns = time_ns;
	process_set_push(&events->processes, PROCESS_NO_CLOCK, process);
	process_set_each(&events->processes, lose_childs_clock, &loss);
}

/* Whether a process that is forked at that time has no clock either. */
static bool forks_without_clock(const struct process *process, uint64_t time_ns)
{
	return process->no_clock_ns && time_ns > process->no_clock_ns &&
	       (process->clock_ns < process->no_clock_ns || time_ns < process->clock_ns);
}

static void lose_childs_clock(void *context, struct process *child)
{
	const struct clock_loss *loss = context;

	if (child->alive && child->parent == loss->parent->pid &&
	    forks_without_clock(loss->parent, child->born_ns))
		lose_clock(loss->events, child, child->born_ns);
}

static void follow_clock(struct process_events *events, const struct process_event *event)
{
	struct process *process = process_set_find(&events->processes, event->pid);

	if (!process || event->time_ns < process->born_ns)
		return;
	if (process->alive)
		lose_clock(events, process, event->time_ns);
	else
		events->counters.clocks_ended++;
}

bool process_events_next_without_clock(struct process_events *events, pid_t *ret,
				       uint64_t *ret_since_ns)
{
	struct process *process;

	while ((process = process_set_pop(&events->processes, PROCESS_NO_CLOCK))) {
		if (!process->alive) {
			events->counters.clocks_ended++;
			continue;
		}
		process->clock_ns = monotonic_ns();
		*ret = process->pid;
		*ret_since_ns = process->no_clock_ns;
		return true;
	}
	return false;
}

/* ---- forks, exits ----------------------------------------------------------------------- */

static void follow_fork(struct process_events *events, const struct process_event *event)
{
	struct process *parent = process_set_find(&events->processes, event->parent);
	struct process *child;

	if (event->pid == event->parent) /* a thread */
		return;
	if (events->alone || (events->root && !(parent && parent->alive)))
		return;
	events->counters.forks++;
	child = process_set_get(&events->processes, event->pid);
	if (!child) {
		fail_memory(events);
		return;
	}
	if (child->alive && child->born_ns >= event->time_ns) /* /proc told it */
		return;
	if (child->alive) /* another process that had the pid */
		end_process(events, child);
	begin_process(child, event->time_ns);
	child->parent = event->parent;
	child->forked_ns = event->time_ns;
	process_forks(&events->processes, parent, child);
	if (parent && forks_without_clock(parent, event->time_ns))
		lose_clock(events, child, event->time_ns);
}

static void follow_exit(struct process_events *events, const struct process_event *event)
{
	struct process *process = process_set_find(&events->processes, event->pid);

	if (!process || !process->alive || event->tid != event->pid ||
	    event->time_ns < process->born_ns)
		return;
	events->counters.exits++;
	process->leader_exited = true;
	process_set_push(&events->processes, PROCESS_END, process);
}

static void be_unsure(struct process_events *events, uint64_t since_ns)
{
	if (since_ns < events->unsure_ns)
		events->unsure_ns = since_ns;
}

static void follow_event(struct process_events *events, const struct process_event *event)
{
	bool outside = event->pid <= 0; /* of this PID name space, or gone altogether */

	switch (event->kind) {
	case PROCESS_EVENT_OTHER: return;
	case PROCESS_EVENT_MAP:
	case PROCESS_EVENT_EXEC:
		if (!outside)
			follow_change(events, event);
		break;
	case PROCESS_EVENT_FORK:
		if (!outside)
			follow_fork(events, event);
		break;
	case PROCESS_EVENT_EXIT: follow_exit(events, event); break;
	case PROCESS_EVENT_LOST:
		events->counters.lost += event->lost;
		be_unsure(events, event->since_ns);
		return;
	case PROCESS_EVENT_MALFORMED:
		events->counters.malformed++;
		be_unsure(events, event->since_ns);
		return;
	/* These may come behind events that are younger. */
	case PROCESS_EVENT_NO_CLOCK: follow_clock(events, event); return;
	case PROCESS_EVENT_SHARES: follow_sharing(events, event); return;
	case PROCESS_EVENT_MOVED: follow_move(events, event); return;
	}
	if (event->time_ns < events->followed_ns) {
		events->counters.late++;
		be_unsure(events, event->time_ns);
	} else {
		events->followed_ns = event->time_ns;
	}
}

/* ---- events of all CPUs ----------------------------------------------------------------- */

static void keep_event(struct process_events *events, const struct process_event *event)
{
	struct process_event *kept;

	kept = ARRAY_ADD(events->event, events->event_count, *event);
	if (!kept) {
		events->counters.lost++;
		be_unsure(events, event->time_ns);
		return;
	}
	kept->order = events->event_count - 1;
	if (event->mapping.path) /* without, the process is read */
		kept->mapping.path = strdup(event->mapping.path);
}

ARRAY_ORDER_TWO(by_time, struct process_event, time_ns, order)

static void keep_note(void *context, const struct task_note *note)
{
	static const enum process_event_kind kind[] = {
		[TASK_NOTE_NO_CLOCK] = PROCESS_EVENT_NO_CLOCK,
		[TASK_NOTE_SHARES] = PROCESS_EVENT_SHARES,
		[TASK_NOTE_MOVED] = PROCESS_EVENT_MOVED,
	};
	const struct process_event event = {
		.kind = kind[note->kind],
		.pid = note->kind == TASK_NOTE_SHARES ? (pid_t)note->from : (pid_t)note->pid,
		.parent = note->pid,
		.mapping = { .start = note->to, .end = note->to + note->bytes },
		.time_ns = note->time_ns,
		.since_ns = note->time_ns - MOVE_NS,
	};

	keep_event(context, &event);
}

static void take_notes(struct process_events *events)
{
	uint64_t now = monotonic_ns(), lost = task_notes_take(events->notes, keep_note, events);

	events->counters.lost += lost;
	if (lost)
		be_unsure(events, events->noted_ns);
	events->noted_ns = now;
}

/* Reads what is there, and follows it up to the moment at which reading began: of later events some
 * are not read yet. True: such a one was read. */
static bool follow_pass(struct process_events *events)
{
	uint64_t until_ns = monotonic_ns();
	size_t done = 0;

	take_notes(events);
	for (unsigned int i = 0; i < events->rings.count; i++) {
		struct perf_ring *ring = &events->rings.ring[i];
		uint64_t head = perf_ring_head(ring);
		struct process_event event;

		while (perf_ring_take(ring, head, &event))
			keep_event(events, &event);
		perf_ring_release(ring);
	}
	if (!events->event_count)
		return false;
	qsort(events->event, events->event_count, sizeof(*events->event), by_time);
	for (; done < events->event_count && events->event[done].time_ns <= until_ns; done++) {
		follow_event(events, &events->event[done]);
		free((char *)events->event[done].mapping.path);
	}
	events->event_count -= done;
	memmove(events->event, events->event + done, events->event_count * sizeof(*events->event));
	return events->event_count > 0;
}

/* ---- looking at all processes ----------------------------------------------------------- */

static void mark_unsure(void *context, struct process *process)
{
	struct process_events *events = context;

	process_unknown_since(&events->processes, process, events->unsure_ns);
}

static void add_scanned(void *context, pid_t pid)
{
	struct process_events *events = context;
	struct process *process;

	if (events->alone && pid != events->root)
		return;
	process = process_set_get(&events->processes, pid);
	if (!process) {
		fail_memory(events);
		return;
	}
	if (process->alive)
		return;
	begin_process(process, monotonic_ns());
	process_must_be_read(&events->processes, process);
}

static void resync(struct process_events *events)
{
	struct error ignored; /* a tree's root may have ended */

	if (events->unsure_ns == NEVER)
		return;
	events->counters.resyncs++;
	process_set_each(&events->processes, mark_unsure, events);
	process_scan(events->root, add_scanned, events, &ignored);
	events->unsure_ns = NEVER;
}

/* A list that no stack names which was counted is named by none that is to come: it goes before the
 * round, for thousands of processes may begin and end in one. */
static void sweep(struct process_events *events)
{
	bool counts = bpf_session_counts_stacks(events->session);
	uint64_t now = monotonic_ns();

	if (now < events->swept_ns + (counts ? SWEEP_MORE : 1) * SWEEP_NS)
		return;
	events->swept_ns = now;
	if (!events->takes_stacks)
		process_set_sweep(&events->processes, NEVER, UINT_MAX);
	else if (events->round > ROUNDS_KEPT || counts)
		process_set_sweep(&events->processes,
				  events->round > ROUNDS_KEPT ? events->round - ROUNDS_KEPT : 0,
				  counts ? UNUSED_SWEEPS : UINT_MAX);
	image_store_forget(events->store, IMAGES_KEPT);
}

static int outcome(struct process_events *events, struct error *error)
{
	if (events->failure.code == ERROR_NONE)
		return 0;
	*error = events->failure;
	events->failure = (struct error) { 0 };
	return -1;
}

int process_events_poll(struct process_events *events, struct error *error)
{
	if (bpf_session_keep_records(events->session, error))
		return -1;
	for (int pass = 0; pass < PASSES_MAX && follow_pass(events); pass++)
		;
	resync(events);
	catch_up(events, READING_NS);
	resync(events); /* what was lost meanwhile: before a stack is given */
	sweep(events);
	return outcome(events, error);
}

int process_events_add_existing(struct process_events *events, struct error *error)
{
	if (process_scan(events->root, add_scanned, events, error))
		return -1;
	catch_up(events, EXISTING_NS);
	return outcome(events, error);
}

/* ---- stacks ----------------------------------------------------------------------------- */

static void hold(void *context, const struct walk_record *record, bool frame_pointer)
{
	const struct held_as as = { .frame_pointer = frame_pointer,
				    .times = 1,
				    .last_ns = record->time };
	struct process_events *events = context;

	held_records_add(&events->held, record, &as);
}

static void hold_count(void *context, const struct walk_record *record,
		       const struct walk_stack_count *met)
{
	const struct held_as as = { .times = met->count,
				    .last_ns = met->last,
				    .off_ns = met->off_ns };
	struct process_events *events = context;

	held_records_add(&events->held, record, &as);
}

static void hold_off(void *context, const struct walk_record *record,
		     const struct walk_off_thread *thread)
{
	const uint64_t now = monotonic_ns();
	const struct held_as as = { .still_off = true,
				    .times = 1,
				    .last_ns = thread->walked,
				    .off_ns = now > thread->since ? now - thread->since : 0 };
	struct process_events *events = context;

	held_records_add(&events->held, record, &as);
}

static struct list_version *list_of(const struct process_events *events,
				    const struct walk_record *record)
{
	struct process *process = process_set_find(&events->processes, record->pid);

	return process ? process_version_find(process, record->generation) : NULL;
}

static void note_use(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct list_version *version = list_of(context, record);

	if (version)
		version->used = true;
}

/* A thread may be off its CPU for longer than its list would be kept. */
static void keep_list(void *context, const struct walk_record *record,
		      const struct walk_off_thread *thread)
{
	const struct process_events *events = context;
	struct list_version *version = list_of(events, record);

	if (!version || version->last_round == NEVER)
		return;
	version->used = true;
	version->last_round = events->round;
}

static void give_stack(struct process_events *events, const struct walk_record *record,
		       const struct held_as *as, process_stack_fn fn, void *context)
{
	struct process *process = process_set_find(&events->processes, record->pid);
	struct list_version *version = NULL;
	struct process_stack stack = { .record = record,
				       .frame_pointer = as->frame_pointer,
				       .times = as->times,
				       .off_ns = as->off_ns,
				       .still_off = as->still_off };

	if (as->frame_pointer && process)
		version = process->version;
	else if (process)
		version = process_version_find(process, record->generation);
	if (version)
		stack.space = &version->known->space;
	/* Without a generation it was walked by no list. */
	if (!as->frame_pointer && record->generation)
		stack.raced = !version || process_version_misled(version, record, as->last_ns);
	events->counters.stacks += stack.times;
	events->counters.raced += stack.raced ? stack.times : 0;
	fn(context, &stack);
}

/* Those that were taken, when all changes until then are known; of many as many as there is time for. */
int process_events_give_held(struct process_events *events, process_stack_fn fn, void *context,
			     uint64_t most_ns, bool *ret_more, struct error *error)
{
	int status = process_events_poll(events, error);
	uint64_t begin_ns = monotonic_ns();
	const struct walk_record *record;
	struct held_as as;

	while ((record = held_records_next(&events->held, &events->given, &as))) {
		give_stack(events, record, &as, fn, context);
		*ret_more = events->given < events->held.used;
		if (*ret_more && monotonic_ns() - begin_ns >= most_ns)
			return status;
	}
	held_records_reset(&events->held);
	events->given = 0;
	events->round++;
	*ret_more = false;
	return status;
}

int process_events_consume(struct process_events *events, process_stack_fn fn, void *context,
			   struct error *error)
{
	bool more;

	events->takes_stacks = true;
	if (bpf_session_consume(events->session, hold, events, error))
		return -1;
	return process_events_give_held(events, fn, context, NEVER, &more, error);
}

int process_events_hold_counts(struct process_events *events, uint64_t *ret_unsent,
			       struct error *error)
{
	uint64_t ignored;

	if (bpf_session_look_off(events->session, keep_list, events, &ignored, error))
		return -1;
	return bpf_session_take_counts(events->session, hold_count, events, ret_unsent, error);
}

int process_events_hold_still_off(struct process_events *events, uint64_t *ret_unsent,
				  struct error *error)
{
	return bpf_session_look_off(events->session, hold_off, events, ret_unsent, error);
}

/* ---- the object ------------------------------------------------------------------------- */

/* Without notes the rest is followed. */
static int open_notes(struct process_events *events, bool clocks, struct error *error)
{
	struct task_notes_maps maps;

	if (!bpf_session_note_maps(events->session, &maps))
		return 0;
	if (task_notes_open(&maps, clocks, &events->notes, &events->unseen) &&
	    error_is_want(&events->unseen)) {
		*error = events->unseen;
		return -1;
	}
	return task_notes_fd(events->notes) < 0
		       ? 0
		       : perf_rings_watch(&events->rings, task_notes_fd(events->notes), error);
}

int process_events_open(struct bpf_session *session, struct image_store *store,
			const struct process_events_options *options, struct process_events **ret,
			struct error *error)
{
	struct process_events *events = calloc(1, sizeof(*events));

	if (!events)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for processes");
	events->session = session;
	events->store = store;
	events->root = options->pid;
	events->alone = options->alone;
	events->unsure_ns = NEVER;
	events->takes_stacks = bpf_session_counts_stacks(session);
	if (perf_rings_open(&events->rings, options->pages ? options->pages : PAGES_DEFAULT,
			    error) ||
	    (bpf_session_fd(session) >= 0 &&
	     perf_rings_watch(&events->rings, bpf_session_fd(session), error)) ||
	    open_notes(events, options->clocks, error)) {
		process_events_close(events);
		return -1;
	}
	bpf_session_note_records(session, note_use, events);
	*ret = events;
	return 0;
}

void process_events_close(struct process_events *events)
{
	if (!events)
		return;
	bpf_session_note_records(events->session, NULL, NULL);
	task_notes_close(events->notes);
	perf_rings_close(&events->rings);
	process_set_deinit(&events->processes);
	held_records_deinit(&events->held);
	for (size_t i = 0; i < events->event_count; i++)
		free((char *)events->event[i].mapping.path);
	free(events->event);
	free(events);
}

int process_events_fd(const struct process_events *events)
{
	return events->rings.epoll_fd;
}

const struct address_space *process_events_space(const struct process_events *events, pid_t pid)
{
	const struct process *process = process_set_find(&events->processes, pid);
	const struct list_version *current = process ? process_current(process) : NULL;

	return current ? &current->known->space : NULL;
}

static void count_process(void *context, struct process *process)
{
	struct process_events_counters *counters = context;

	counters->processes += process_current(process) != NULL;
	counters->waiting += process->alive && process->unread;
}

void process_events_counters(const struct process_events *events,
			     struct process_events_counters *ret)
{
	*ret = events->counters;
	ret->lost_memory = events->held.lost;
	process_set_each(&events->processes, count_process, ret);
}

const struct error *process_events_refusal(const struct process_events *events)
{
	return events->refusal.code ? &events->refusal : NULL;
}

const struct error *process_events_unseen(const struct process_events *events)
{
	return events->unseen.code ? &events->unseen : NULL;
}
