/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_world.h - process_events.c, process_change.c and process_set.c, compiled into a world that
 * is made up, and scripts for it
 *
 * No kernel is asked: the rings, /proc, the clock, the session and memory are all here, and what is
 * asked of them is written into world.said. A script is steps with semicolons between; times are
 * milliseconds. For one test program only: everything is static.
 *
 *	at T			what the clock says from now on
 *	process PID IMAGE N	/proc has it from now on, with images IMAGE, IMAGE + 1 ...: N of them
 *	ends PID		no thread of it will run again
 *	hides PID		a scan does not find it
 *	sleeps PID, wakes PID
 *	unreadable PID WHY	its mappings can't be read: an errno, or -1 for another reason
 *	while PID EVENT		is written while the mappings of PID are read
 *	event CPU KIND T PID A	map (A: image and page), anon (a page without one), touch (which
 *				the event does not say), exec, fork (A: the parent), exit (A: the thread), other,
 *				lost (PID: so many, A: since), malformed (A: since)
 *	note KIND T PID A B	clock (it was taken away), moved (from page A to page B), shares (A has its memory)
 *	clocks			who was left without, and since when
 *	stack PID G T PC	a record of the walk with generation G, of the time T, to be consumed
 *	baseline PID T		one of the baseline
 *	reading T, giving T	how long each takes
 *	unopened N		files of the next mappings that are read
 *	unscanned		/proc can't be read
 *	refuse			the session has no room for the next list
 *	unconsumed		the session's ring can't be read, once
 *	memory WHAT N		the Nth of these finds none: process, space, version, event
 *	existing, poll, consume what process_events.h calls so
 *	space PID		what process_events_space() says
 *	counters		those that are not 0
 */
#ifndef STACKPROOF_PROCESS_WORLD_H
#define STACKPROOF_PROCESS_WORLD_H

#include "tests/suite.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "array.h"
#include "clock.h"
#include "held_records.h"
#include "process_change.h"
#include "process_events.h"
#include "process_scan.h"
#include "task_notes.h"
#include "walk/space_range.h"

#define MS	      1000000
#define PAGE	      0x1000u
#define SESSION	      ((struct bpf_session *)&world.generation)
#define STORE	      ((struct image_store *)&world.unopened)
#define EPOLL_FD      31
#define SESSION_FD    32
#define PROCESSES_MAX 16
#define IMAGES	      32

/* ---- what is made up -------------------------------------------------------------------- */

struct made_process {
	pid_t pid;
	int first_image, images, unreadable;
	bool ended, hidden, asleep;
	char meanwhile[64]; /* the event that is written while it is read */
};

static struct world {
	char said[8192];
	size_t length;
	uint64_t now_ns, reading_ns, giving_ns;
	struct made_process process[PROCESSES_MAX];
	int process_count;
	struct {
		struct process_event event[64];
		uint64_t count, released;
	} ring[2];
	struct task_note note[4];
	int note_count;
	struct walk_record record[8];
	bool baseline[8];
	bpf_record_fn note_fn;
	void *note_context;
	int record_count;
	struct walk_record off[2]; /* of threads that are off their CPUs */
	int off_count;
	uint32_t generation, generations[PROCESSES_MAX]; /* by process */
	int memory[4]; /* how many are left before the one that finds none */
	size_t unopened;
	bool unscanned, refuses, unconsumed, counting;
	int session_fd;
	struct {
		void *memory;
		size_t bytes;
		bool given_back;
	} block[128];
	int blocks;
} world;

static struct image_entry image[IMAGES];

enum { MEMORY_PROCESS, MEMORY_SPACE, MEMORY_VERSION, MEMORY_EVENT };

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	world.length += vsnprintf(world.said + world.length, sizeof(world.said) - world.length,
				  format, arguments);
	va_end(arguments);
	ck_assert_uint_lt(world.length, sizeof(world.said));
}

static bool has_memory(int what)
{
	return !world.memory[what] || --world.memory[what];
}

static struct made_process *made(pid_t pid)
{
	for (int i = 0; i < world.process_count; i++)
		if (world.process[i].pid == pid)
			return &world.process[i];
	ck_assert_int_lt(world.process_count, PROCESSES_MAX);
	world.process[world.process_count] = (struct made_process) { .pid = pid, .hidden = true };
	return &world.process[world.process_count++];
}

/* An image, or none, of a page. */
static int image_of(const struct mapping *mapping)
{
	return mapping->entry ? (int)(mapping->entry - image) : -1;
}

static void say_space(const struct address_space *space)
{
	for (size_t i = 0; i < space->mapping_count; i++)
		say(" %u", (unsigned int)(space->mapping[i].start / PAGE));
	for (size_t i = 0; i < space->mapping_count; i++)
		ck_assert(image_of(&space->mapping[i]) < 0 ||
			  image_of(&space->mapping[i]) * PAGE == space->mapping[i].start);
}

static void write_event(const char *text)
{
	double time, since;
	char kind[16], path[32];
	int cpu, pid;
	long a = 0;
	struct process_event event = { .kind = PROCESS_EVENT_OTHER };
	static const char *const names[] = {
		[PROCESS_EVENT_OTHER] = "other",	 [PROCESS_EVENT_MAP] = "map",
		[PROCESS_EVENT_EXEC] = "exec",		 [PROCESS_EVENT_FORK] = "fork",
		[PROCESS_EVENT_EXIT] = "exit",		 [PROCESS_EVENT_LOST] = "lost",
		[PROCESS_EVENT_MALFORMED] = "malformed",
	};

	ck_assert_msg(sscanf(text, "%d %15s %lf %d %lf", &cpu, kind, &time, &pid, &since) >= 4,
		      "%s", text);
	sscanf(text, "%*d %*s %*f %*d %ld", &a);
	event.time_ns = llround(time * MS);
	event.pid = event.tid = pid;
	if (!strcmp(kind, "touch") || !strcmp(kind, "anon"))
		event.kind = PROCESS_EVENT_MAP;
	for (int i = 0; i < COUNT(names); i++)
		if (!strcmp(kind, names[i]))
			event.kind = i;
	snprintf(path, sizeof(path), "/image/%ld", a);
	if (!strcmp(kind, "map") || !strcmp(kind, "anon"))
		event.mapping = (struct process_mapping) { .start = a * PAGE,
							   .end = (a + 1) * PAGE,
							   .inode = kind[0] == 'm' ? a : 0,
							   .path = strdup(path) };
	if (event.kind == PROCESS_EVENT_FORK)
		event.parent = a;
	if (event.kind == PROCESS_EVENT_EXIT)
		event.tid = a;
	if (event.kind == PROCESS_EVENT_LOST || event.kind == PROCESS_EVENT_MALFORMED) {
		event.lost = pid;
		event.since_ns = llround(since * MS);
	}
	ck_assert_uint_lt(world.ring[cpu].count, COUNT(world.ring[cpu].event));
	world.ring[cpu].event[world.ring[cpu].count++] = event;
}

/* ---- the clock, the rings --------------------------------------------------------------- */

/* A ring has its CPU for a descriptor. */
static uint64_t made_head(const struct perf_ring *ring)
{
	if (!ring->fd)
		say("pass; ");
	return world.ring[ring->fd].count;
}

/* A path is valid until the next one is taken. */
static bool made_take(struct perf_ring *ring, uint64_t head, struct process_event *ret)
{
	if (ring->tail == head)
		return false;
	*ret = world.ring[ring->fd].event[ring->tail++];
	if (ret->mapping.path) {
		snprintf(ring->path, sizeof(ring->path), "%s", ret->mapping.path);
		free((char *)ret->mapping.path);
		ret->mapping.path = ring->path;
	} else {
		ring->path[0] = '!';
	}
	return true;
}

static void made_release(struct perf_ring *ring)
{
	world.ring[ring->fd].released = ring->tail;
}

static int made_open(struct perf_rings *ret, uint32_t pages, struct error *error)
{
	say("open %u; ", pages);
	ret->ring = calloc(2, sizeof(*ret->ring));
	ret->ring[1].fd = 1;
	ret->count = 2;
	ret->epoll_fd = EPOLL_FD;
	if (has_memory(MEMORY_EVENT))
		return 0;
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "no rings");
}

static int made_watch(const struct perf_rings *rings, int fd, struct error *error)
{
	say("watch %d; ", fd);
	ck_assert_int_eq(rings->epoll_fd, EPOLL_FD);
	return fd == SESSION_FD ? 0 : error_set(error, ERROR_UNAVAILABLE, "", 0, "no watch");
}

static void made_close(struct perf_rings *rings)
{
	say("close; ");
	free(rings->ring);
}

static void *made_grown(void *array, size_t count, size_t size)
{
	return has_memory(MEMORY_EVENT) ? array_grown(array, count, size) : NULL;
}

/* ---- /proc ------------------------------------------------------------------------------ */

static int made_read(struct address_space *space, struct image_store *store, pid_t pid,
		     struct error *error)
{
	struct made_process *process = made(pid);

	ck_assert_ptr_eq(store, STORE);
	say("read %d; ", pid);
	world.now_ns += world.reading_ns;
	space->pid = pid;
	space->unopened = world.unopened;
	world.unopened = 0;
	if (process->meanwhile[0])
		write_event(process->meanwhile);
	process->meanwhile[0] = 0;
	if (process->unreadable) {
		errno = process->unreadable;
		if (errno > 0)
			return error_set_errno(error, "maps of %d", pid);
		return error_set(error, ERROR_PROTOCOL, "", 0, "no maps are these of %d", pid);
	}
	if (process->images) /* none is no memory to free */
		space->mapping = calloc(process->images, sizeof(*space->mapping));
	for (int i = 0; i < process->images; i++) {
		struct image_entry *entry = &image[process->first_image + i];

		entry->references++;
		space->mapping[i] = (struct mapping) {
			.start = (process->first_image + i) * PAGE,
			.end = (process->first_image + i + 1) * PAGE,
			.entry = entry,
			.path = strdup("/image"),
		};
	}
	space->mapping_count = process->images;
	return 0;
}

static int made_scan(pid_t root, void (*fn)(void *context, pid_t pid), void *context,
		     struct error *error)
{
	say("scan %d; ", root);
	if (world.unscanned)
		return error_set(error, ERROR_SYSTEM, "", 0, "no /proc");
	for (int i = 0; i < world.process_count; i++)
		if (!world.process[i].hidden)
			fn(context, world.process[i].pid);
	return 0;
}

static bool made_has_ended(pid_t pid)
{
	say("ended %d?; ", pid);
	return made(pid)->ended;
}

static bool made_is_asleep(pid_t pid)
{
	say("asleep %d?; ", pid);
	return made(pid)->asleep;
}

static int made_stat(const char *path, struct stat *ret)
{
	long number;

	*ret = (struct stat) { .st_ino = 0 };
	if (sscanf(path + (path[0] == '/'), "image/%ld", &number) != 1)
		return -1;
	ret->st_ino = number;
	return 0;
}

static struct image_entry *made_find(const struct image_store *store,
				     const struct file_version *version)
{
	return version->inode && version->inode < IMAGES ? &image[version->inode] : NULL;
}

/* The images have nothing inside. */
static int made_map(struct address_space *space, const struct mapped_range *range,
		    struct error *error)
{
	struct mapped_range plain = *range;

	plain.entry = NULL;
	ck_assert(!address_space_map(space, &plain, error));
	for (size_t i = 0; i < space->mapping_count; i++) {
		if (space->mapping[i].start != range->start)
			continue;
		space->mapping[i].entry = range->entry;
		space->mapping[i].bias = 0;
		if (range->entry)
			range->entry->references++;
	}
	return 0;
}

/* ---- the session ------------------------------------------------------------------------ */

static uint32_t *generation_of(pid_t pid)
{
	return &world.generations[made(pid) - world.process];
}

static int made_set(struct bpf_session *session, const struct address_space *space,
		    struct error *error)
{
	ck_assert_ptr_eq(session, SESSION);
	world.now_ns += world.giving_ns;
	if (world.refuses) {
		say("refuse %d; ", space->pid);
		world.refuses = false;
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "no room for %d", space->pid);
	}
	*generation_of(space->pid) = ++world.generation;
	say("give %d:", space->pid);
	say_space(space);
	say("; ");
	return 0;
}

static uint32_t made_generation(const struct bpf_session *session, pid_t pid)
{
	return *generation_of(pid);
}

static void made_forget(struct bpf_session *session, pid_t pid)
{
	ck_assert_ptr_eq(session, SESSION);
	*generation_of(pid) = 0;
	say("forget %d; ", pid);
}

static int made_consume(struct bpf_session *session, bpf_record_fn fn, void *context,
			struct error *error)
{
	ck_assert_ptr_eq(session, SESSION);
	say("take; ");
	if (world.unconsumed) {
		world.unconsumed = false;
		return error_set(error, ERROR_PROTOCOL, "", 0, "no ring");
	}
	for (int i = 0; i < world.record_count; i++)
		fn(context, &world.record[i], world.baseline[i]);
	world.record_count = 0;
	return 0;
}

static bool made_counts_stacks(const struct bpf_session *session)
{
	return world.counting;
}

static void made_note_records(struct bpf_session *session, bpf_record_fn fn, void *context)
{
	world.note_fn = fn;
	world.note_context = context;
}

static int made_keep_records(struct bpf_session *session, struct error *error)
{
	if (world.counting && world.unconsumed)
		return error_set(error, ERROR_PROTOCOL, "", 0, "no ring");
	for (int i = 0; world.counting && i < world.record_count; i++)
		world.note_fn(world.note_context, &world.record[i], world.baseline[i]);
	return 0;
}

/* The first stack was met twice, the next one three times, and so on; one got lost. */
static int made_take_counts(struct bpf_session *session, bpf_count_fn fn, void *context,
			    uint64_t *ret_unsent, struct error *error)
{
	say("take counts; ");
	for (int i = 0; i < world.record_count; i++)
		fn(context, &world.record[i],
		   &(struct walk_stack_count) { .count = 2 + i,
						.last = world.record[i].time + MS / 2 });
	world.record_count = 0;
	*ret_unsent = 1;
	return world.counting ? 0 : error_set(error, ERROR_UNAVAILABLE, "", 0, "none counted");
}

/* Threads that are off their CPUs since their stacks were walked. */
static int made_look_off(struct bpf_session *session, bpf_off_fn fn, void *context,
			 uint64_t *ret_unsent, struct error *error)
{
	*ret_unsent = 0;
	for (int i = 0; i < world.off_count; i++)
		fn(context, &world.off[i],
		   &(struct walk_off_thread) { .since = world.off[i].time,
					       .walked = world.off[i].time });
	return 0;
}

static bool made_note_maps(const struct bpf_session *session, struct task_notes_maps *ret)
{
	return true;
}

static int made_notes_open(const struct task_notes_maps *maps, bool no_clock,
			   struct task_notes **ret, struct error *error)
{
	*ret = NULL;
	return 0;
}

static uint64_t made_notes_take(struct task_notes *notes, task_note_fn fn, void *context)
{
	for (int i = 0; i < world.note_count; i++)
		fn(context, &world.note[i]);
	world.note_count = 0;
	return 0;
}

static void add_note(const char *rest)
{
	char kind[16];
	double time;
	int pid, from = 0, to = 0;

	ck_assert_int_ge(sscanf(rest, "%15s %lf %d %d %d", kind, &time, &pid, &from, &to), 3);
	ck_assert_int_lt(world.note_count, COUNT(world.note));
	world.note[world.note_count++] = (struct task_note) {
		.kind = kind[1] == 'l'	 ? TASK_NOTE_NO_CLOCK
			: kind[1] == 'o' ? TASK_NOTE_MOVED
					 : TASK_NOTE_SHARES,
		.pid = pid,
		.time_ns = llround(time * MS),
		.from = (kind[0] == 's' ? 1 : PAGE) * from,
		.to = to * PAGE,
		.bytes = PAGE,
	};
}

static int made_fd(const struct bpf_session *session)
{
	return world.session_fd;
}

/* ---- memory ----------------------------------------------------------------------------- */

static void *made_calloc(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	ck_assert_int_lt(world.blocks, COUNT(world.block));
	world.block[world.blocks].memory = memory;
	world.block[world.blocks++].bytes = count * size;
	return memory;
}

/* It is not used again before the end, to see whether somebody still thinks that he has it. */
static void made_free(void *memory)
{
	for (int i = 0; i < world.blocks; i++) {
		if (memory != world.block[i].memory)
			continue;
		ck_assert(!world.block[i].given_back);
		world.block[i].given_back = true;
		memset(memory, 0xa5, world.block[i].bytes);
		return;
	}
	free(memory);
}

#define calloc	    made_calloc
#define free	    made_free
#define end_process end_process_of_set
#include "process_set.c"
#undef end_process
#undef calloc
#undef free

/* ---- what is kept ----------------------------------------------------------------------- */

static struct process *made_get(struct process_set *set, pid_t pid)
{
	return has_memory(MEMORY_PROCESS) ? process_set_get(set, pid) : NULL;
}

static struct known_space *made_create(void)
{
	return has_memory(MEMORY_SPACE) ? known_space_create() : NULL;
}

static bool made_add(struct process *process, uint32_t generation, uint64_t round)
{
	return has_memory(MEMORY_VERSION) && process_version_add(process, generation, round);
}

static void made_sweep(struct process_set *set, uint64_t round, unsigned int sweeps)
{
	if (round == NEVER)
		say("sweep; ");
	else
		say("sweep %" PRIu64 "; ", round);
	process_set_sweep(set, round, sweeps);
}

static void made_keep(struct image_store *store, size_t images)
{
	ck_assert_ptr_eq(store, STORE);
	say("keep %zu; ", images);
}

#define monotonic_ns()		   world.now_ns
#define perf_ring_head		   made_head
#define perf_ring_take		   made_take
#define perf_ring_release	   made_release
#define perf_rings_open		   made_open
#define perf_rings_watch	   made_watch
#define perf_rings_close	   made_close
#define array_grown		   made_grown
#define address_space_read	   made_read
#define process_scan		   made_scan
#define process_has_ended	   made_has_ended
#define process_is_asleep	   made_is_asleep
#define bpf_session_set_process	   made_set
#define bpf_session_generation	   made_generation
#define bpf_session_forget_process made_forget
#define bpf_session_consume	   made_consume
#define bpf_session_fd		   made_fd
#define bpf_session_counts_stacks  made_counts_stacks
#define bpf_session_note_records   made_note_records
#define bpf_session_keep_records   made_keep_records
#define bpf_session_take_counts	   made_take_counts
#define bpf_session_look_off	   made_look_off
#define bpf_session_note_maps	   made_note_maps
#define task_notes_open		   made_notes_open
#define task_notes_close(notes)
#define task_notes_fd(notes)	    (-1)
#define task_notes_take		    made_notes_take
#define address_space_has_code(...) false
#define process_set_get		    made_get
#define known_space_create	    made_create
#define process_version_add	    made_add
#define process_set_sweep	    made_sweep
#define image_store_forget	    made_keep
#define image_store_find	    made_find
#define address_space_map	    made_map
#define stat(path, file)	    made_stat(path, file)
#include "process_change.c"
#define calloc	     made_calloc
#define free	     made_free
#define strdup(path) strcpy(made_calloc(1, strlen(path) + 1), path)
#include "process_events.c"
#undef calloc
#undef free
#undef strdup

/* ---- scripts ---------------------------------------------------------------------------- */

static void on_stack(void *context, const struct process_stack *stack)
{
	say("%s of %d%s", stack->frame_pointer ? "baseline" : "stack", stack->record->pid,
	    stack->raced ? " raced" : "");
	if (stack->still_off)
		say(" off for %" PRIu64 " ms", stack->off_ns / MS);
	if (stack->times != 1)
		say(" %" PRIu64 " times", stack->times);
	if (stack->space) {
		say(" by");
		say_space(stack->space);
	}
	say("; ");
}

static void add_record(pid_t pid, uint32_t generation, double time, uint64_t page, bool baseline)
{
	ck_assert_int_lt(world.record_count, COUNT(world.record));
	world.baseline[world.record_count] = baseline;
	world.record[world.record_count++] = (struct walk_record) { .pid = pid,
								    .generation = generation,
								    .time = llround(time * MS),
								    .count = 1,
								    .pc = { page * PAGE } };
}

static void say_counters(const struct process_events *events)
{
	static const char *const names[] = {
		"maps",	   "execs",	"forks",    "exits",	  "lost",      "malformed",
		"late",	   "resyncs",	"readings", "vanished",	  "reading",   "giving",
		"refused", "processes", "stacks",   "raced",	  "no memory", "waiting",
		"checks",  "mistaken",	"unopened", "unreadable", "moves",     "clocks ended",
	};
	struct process_events_counters counters;
	uint64_t value[COUNT(names)];

	process_events_counters(events, &counters);
	memcpy(value, &counters, sizeof(value));
	ck_assert_uint_eq(sizeof(value), sizeof(counters));
	for (int i = 0; i < COUNT(names); i++)
		if (value[i])
			say("%s %" PRIu64 ", ", names[i],
			    !strcmp(names[i] + strlen(names[i]) - 3, "ing") &&
					    strcmp(names[i], "waiting") != 0
				    ? value[i] / MS
				    : value[i]);
	if (process_events_refusal(events))
		say("\"%s\"", process_events_refusal(events)->message);
	say("; ");
}

static void say_outcome(int status, const struct error *error)
{
	if (status)
		say("%d: %d \"%s\"; ", status, error->code, error->message);
	for (int i = 0; i < COUNT(world.ring); i++)
		ck_assert_uint_eq(world.ring[i].released, world.ring[i].count);
}

/* True: it was one that asks the object for something. */
static bool do_call(struct process_events *events, const char *verb, int pid)
{
	struct error error = { 0 };

	if (!strcmp(verb, "existing")) {
		int status = process_events_add_existing(events, &error);

		if (status)
			say("%d: %d \"%s\"; ", status, error.code, error.message);
	} else if (!strcmp(verb, "poll")) {
		say_outcome(process_events_poll(events, &error), &error);
	} else if (!strcmp(verb, "consume")) {
		int status = process_events_consume(events, on_stack, NULL, &error);

		if (error.code == ERROR_PROTOCOL)
			say("%d \"%s\"; ", status, error.message);
		else
			say_outcome(status, &error);
	} else if (!strcmp(verb, "counts") || !strcmp(verb, "hold")) {
		uint64_t unsent;
		int status = process_events_hold_counts(events, &unsent, &error);
		bool more = false;

		ck_assert_uint_eq(unsent, 1);
		if (!status && !strcmp(verb, "counts"))
			status = process_events_give_held(events, on_stack, NULL, NEVER, &more,
							  &error);
		ck_assert(!more);
		say_outcome(status, &error);
	} else if (!strcmp(verb, "still_off")) {
		uint64_t unsent;
		bool more;

		ck_assert(!process_events_hold_still_off(events, &unsent, &error));
		say_outcome(process_events_give_held(events, on_stack, NULL, NEVER, &more, &error),
			    &error);
	} else if (!strcmp(verb, "give")) { /* time is over after one */
		bool more;
		int status = process_events_give_held(events, on_stack, NULL, 0, &more, &error);

		say(more ? "more; " : "no more; ");
		say_outcome(status, &error);
	} else if (!strcmp(verb, "counters")) {
		say_counters(events);
	} else if (!strcmp(verb, "clocks")) {
		uint64_t since_ns;

		while (process_events_next_without_clock(events, &pid, &since_ns))
			say("%d since %g; ", pid, (double)since_ns / MS);
	} else if (!strcmp(verb, "space")) {
		const struct address_space *space = process_events_space(events, pid);

		say(space ? "space of %d:" : "no space of %d", pid);
		if (space)
			say_space(space);
		say("; ");
	} else {
		return false;
	}
	return true;
}

/* True: it was one that changes a process. */
static bool change_process(const char *verb, const char *rest)
{
	int pid = 0, a = 0, b = 0;

	sscanf(rest, "%d %d %d", &pid, &a, &b);
	if (!strcmp(verb, "process")) {
		made(pid)->hidden = made(pid)->ended = false;
		made(pid)->unreadable = 0;
		made(pid)->first_image = a;
		made(pid)->images = b;
	} else if (!strcmp(verb, "ends")) {
		made(pid)->ended = made(pid)->hidden = true;
	} else if (!strcmp(verb, "hides")) {
		made(pid)->hidden = true;
	} else if (!strcmp(verb, "sleeps") || !strcmp(verb, "wakes")) {
		made(pid)->asleep = verb[0] == 's';
	} else if (!strcmp(verb, "unreadable")) {
		made(pid)->unreadable = a;
	} else if (!strcmp(verb, "while")) {
		sscanf(rest, "%*d %63[^;]", made(pid)->meanwhile);
	} else {
		return false;
	}
	return true;
}

static void change_world(const char *verb, const char *rest)
{
	static const char *const memories[] = { "process", "space", "version", "event" };
	double number = 0, time = 0;
	int generation = 0, page = 0;
	char word[16] = "";

	sscanf(rest, "%lf", &number);
	if (!strcmp(verb, "at")) {
		world.now_ns = llround(number * MS);
	} else if (!strcmp(verb, "event")) {
		write_event(rest);
	} else if (!strcmp(verb, "stack")) {
		sscanf(rest, "%*f %d %lf %d", &generation, &time, &page);
		add_record(number, generation, time, page, false);
	} else if (!strcmp(verb, "off")) { /* the thread leaves its CPU; "back": all do */
		sscanf(rest, "%*f %d %lf %d", &generation, &time, &page);
		add_record(number, generation, time, page, false);
		ck_assert_int_lt(world.off_count, COUNT(world.off));
		world.off[world.off_count++] = world.record[--world.record_count];
	} else if (!strcmp(verb, "back")) {
		for (; world.off_count; world.off_count--)
			world.record[world.record_count++] = world.off[world.off_count - 1];
	} else if (!strcmp(verb, "baseline")) {
		sscanf(rest, "%*f %lf", &time);
		add_record(number, 0, time, 0, true);
	} else if (!strcmp(verb, "reading")) {
		world.reading_ns = llround(number * MS);
	} else if (!strcmp(verb, "giving")) {
		world.giving_ns = llround(number * MS);
	} else if (!strcmp(verb, "unopened")) {
		world.unopened = number;
	} else if (!strcmp(verb, "note")) {
		add_note(rest);
	} else if (!strcmp(verb, "unscanned")) {
		world.unscanned = true;
	} else if (!strcmp(verb, "refuse")) {
		world.refuses = true;
	} else if (!strcmp(verb, "unconsumed")) {
		world.unconsumed = true;
	} else {
		ck_assert_str_eq(verb, "memory");
		ck_assert_int_eq(sscanf(rest, "%15s %d", word, &page), 2);
		for (int i = 0; i < COUNT(memories); i++)
			if (!strcmp(word, memories[i]))
				world.memory[i] = page;
	}
}

/* Of what has ended nothing is known, and nothing that was given back. */
static void assert_whole(void *context, struct process *process)
{
	ck_assert(process->alive || !process->known);
	for (int i = 0; i < world.blocks; i++)
		ck_assert(process->known != world.block[i].memory || !world.block[i].given_back);
}

static void begin_world(int session_fd)
{
	world = (struct world) { .session_fd = session_fd };
	for (int i = 0; i < IMAGES; i++)
		image[i].references = 1;
}

/* All memory was given back, and images have nobody else's references. */
static void end_world(void)
{
	for (int i = 0; i < IMAGES; i++)
		ck_assert_uint_eq(image[i].references, 1);
	for (int i = 0; i < world.blocks; i++) {
		ck_assert(world.block[i].given_back);
		free(world.block[i].memory);
	}
}

static void run_script(struct process_events *events, const char *script)
{
	char step[128], verb[16];
	int used, pid;

	for (; *script; script += strspn(script, "; ")) {
		ck_assert_int_eq(sscanf(script, "%127[^;]%n", step, &used), 1);
		script += used;
		ck_assert_int_eq(sscanf(step, "%15s%n", verb, &used), 1);
		pid = atoi(step + used);
		if (!do_call(events, verb, pid) && !change_process(verb, step + used))
			change_world(verb, step + used);
		process_set_each(&events->processes, assert_whole, NULL);
	}
}

#endif
