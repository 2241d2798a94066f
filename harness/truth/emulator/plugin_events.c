/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_events.c - apply the kernel's events about processes
 *
 * They are looked at before user code goes on, and a process is in the kernel when one of its events is written. So a
 * forked process's stacks are copied before its maker has gone on, and a program's first instruction is known as such.
 * Each CPU has a ring; they are put in the order of their times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "freed.h"
#include "plugin_watch.h"

static void on_fork(const struct process_event *event)
{
	struct watched_process *process = watch_process(event->parent), *made;
	const struct watched_thread *maker;
	struct watched_thread *thread;

	if (!process || !process->executed)
		return;
	if (event->pid == event->parent) {
		watch_thread_make(process, event->tid);
		return;
	}
	maker = watch_thread(process, event->maker);
	made = watch_process_make(event->pid);
	thread = made ? watch_thread_make(made, event->tid) : NULL;
	if (!thread)
		return;
	made->executed = true;
	if (process->truth.program)
		made->truth.program = strdup(process->truth.program);
	if (!code_map_copy(&process->truth.code, &made->truth.code))
		watch_fail();
	watch_inherit(thread, maker);
}

static void on_exec(const struct process_event *event)
{
	struct watched_process *process = watch_process(event->pid);
	struct watched_thread *thread;
	uint64_t entered = 0;

	if (!process)
		return;
	for (size_t i = 0; i < process->threads; i++)
		if (process->thread[i]->entered.ticks > entered)
			entered = process->thread[i]->entered.ticks;
	watch_process_empty(process);
	code_map_deinit(&process->truth.code);
	free(process->truth.program);
	process->truth.program = NULL;
	process->truth.execs += process->executed;
	process->executed = true;
	thread = watch_thread_make(process, event->pid);
	if (!thread)
		return;
	thread->executes = true;
	thread->entered.ticks = entered; /* of execve(2) */
	if (thread->twin)
		thread->twin->executes = true;
	if (process->threads_made > 1)
		process->threads_made--; /* it is one that was there */
}

static void map_for_walks(struct watched_process *process, const struct process_mapping *mapping)
{
	FREED char *path = NULL;

	if (asprintf(&path, "%s%s", watch.root, mapping->path ? mapping->path : "") < 0)
		watch_fail();
	else
		walks_map(process, mapping, path);
}

static void on_map(const struct process_event *event)
{
	struct watched_process *process = watch_process(event->pid);
	struct process_truth *truth;

	if (!process || !process->executed)
		return;
	truth = &process->truth;
	/* The first file that the kernel maps is the program; then comes its interpreter. Before it may come its stack, if
	 * that may be executed. */
	if (!truth->program && event->mapping.inode && event->mapping.path)
		truth->program = strdup(event->mapping.path);
	if (watch.walks && !process->twin)
		map_for_walks(process, &event->mapping);
	if (!code_map_add(&truth->code, &event->mapping, watch.root))
		watch_fail();
}

static void apply(const struct process_event *event)
{
	struct watched_process *process;

	switch (event->kind) {
	case PROCESS_EVENT_FORK: on_fork(event); break;
	case PROCESS_EVENT_EXEC: on_exec(event); break;
	case PROCESS_EVENT_MAP: on_map(event); break;
	case PROCESS_EVENT_EXIT:
		process = watch_process(event->pid);
		if (process)
			watch_thread_end(process, event->tid);
		break;
	case PROCESS_EVENT_LOST: watch.counters.lost_events += event->lost; break;
	case PROCESS_EVENT_MALFORMED: watch.counters.lost_events++; break;
	default: break;
	}
}

void watch_events(void)
{
	struct guest_kernel *kernel = &watch.kernel;
	struct process_event next[GUEST_RINGS_MAX];
	bool has[GUEST_RINGS_MAX];

	for (uint32_t i = 0; i < kernel->told.rings; i++) {
		struct guest_ring *ring = &kernel->ring[i];

		if (!guest_ring_fill(kernel, ring))
			watch.counters.unread_rings++;
		has[i] = perf_ring_take(&ring->copy, ring->head, &next[i]);
	}
	for (;;) {
		uint32_t first = GUEST_RINGS_MAX;

		for (uint32_t i = 0; i < kernel->told.rings; i++)
			if (has[i] &&
			    (first == GUEST_RINGS_MAX || next[i].time_ns < next[first].time_ns))
				first = i;
		if (first == GUEST_RINGS_MAX)
			return;
		apply(&next[first]);
		has[first] = perf_ring_take(&kernel->ring[first].copy, kernel->ring[first].head,
					    &next[first]);
	}
}
