/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_set.c - processes by pid, each with the versions of its list of mappings
 *
 * A stack is taken some time after it was walked, and by then its process may have mapped a
 * library, may be another program, or may have ended. So a version outlives its use for as long as
 * stacks may still be under way that were walked with it: it says whether the walk could have known
 * the process's mappings then, and it holds those mappings, to name the stack's PCs by.
 *
 * A pid that is used again has one struct process: its versions' generations tell the two apart.
 *
 * What a version does not have is kept as changes: where, and since when. A walk asks a list for
 * nothing but the mappings of the PCs that it comes by, and these are the stack. So a stack that is
 * younger than a change, but has no PC where it was, is what a walk by the new list would have
 * given.
 */
#include <limits.h>
#include <stdlib.h>
#include "array.h"
#include "process_set.h"
#include "walk/space_range.h"

#define BUCKETS 1024u /* a power of two; some machines run 10,000 processes */

/* ---- what is known ---------------------------------------------------------------------- */

struct known_space *known_space_create(void)
{
	struct known_space *known = calloc(1, sizeof(*known));

	if (known)
		known->references = 1;
	return known;
}

struct known_space *known_space_share(struct known_space *known)
{
	known->references++;
	return known;
}

void known_space_release(struct known_space *known)
{
	if (!known || --known->references)
		return;
	address_space_deinit(&known->space);
	free(known);
}

struct known_space *known_space_own(struct known_space *known)
{
	struct known_space *own;
	struct error ignored;

	if (known->references == 1)
		return known;
	own = known_space_create();
	if (own && address_space_copy(&known->space, &own->space, &ignored)) {
		known_space_release(own);
		own = NULL;
	}
	if (own)
		own->true_ns = known->true_ns;
	known_space_release(known);
	return own;
}

/* ---- versions --------------------------------------------------------------------------- */

struct list_version *process_current(const struct process *process)
{
	struct list_version *newest = process->version;

	return newest && newest->last_round == NEVER ? newest : NULL;
}

struct list_version *process_version_find(const struct process *process, uint32_t generation)
{
	struct list_version *version = process->version;

	while (version && version->generation != generation)
		version = version->older;
	return version;
}

bool process_version_add(struct process *process, uint32_t generation, uint64_t round)
{
	struct list_version *version = calloc(1, sizeof(*version));

	if (!version)
		return false;
	process_version_end(process, round);
	version->older = process->version;
	version->known = known_space_share(process->known);
	version->generation = generation;
	version->last_round = NEVER;
	process->version = version;
	return true;
}

void process_version_end(struct process *process, uint64_t round)
{
	struct list_version *current = process_current(process);

	if (current)
		current->last_round = round;
}

void process_version_change(struct list_version *version, uint64_t time_ns, uint64_t start,
			    uint64_t end)
{
	struct list_change change = { .time_ns = time_ns, .start = start, .end = end }, *last;

	if (version->change_count < CHANGES_MAX) {
		version->change[version->change_count++] = change;
		return;
	}
	last = &version->change[CHANGES_MAX - 1]; /* of both, to the safe side */
	if (time_ns < last->time_ns)
		last->time_ns = time_ns;
	if (start < last->start)
		last->start = start;
	if (end > last->end)
		last->end = end;
}

/* A frame's PC is looked up as it is, or, if it is a return address, less one. */
static bool touches(const struct walk_record *record, const struct list_change *change)
{
	for (uint32_t i = 0; i < record->count && i < WALK_FRAMES_MAX; i++) {
		uint64_t pc = walk_is_guessed(record->pc[i]) ? walk_pc(record->pc[i])
							     : record->pc[i];

		if (pc >= change->start && pc <= change->end)
			return true;
	}
	return false;
}

bool process_version_misled(const struct list_version *version, const struct walk_record *record,
			    uint64_t last_ns)
{
	return ARRAY_ANY(version->change_count, i,
			 last_ns >= version->change[i].time_ns &&
				 touches(record, &version->change[i]));
}

static bool is_over(struct list_version *version, uint64_t round, unsigned int sweeps)
{
	if (version->last_round == NEVER)
		return false;
	return version->last_round < round || (version->sweeps++ >= sweeps && !version->used);
}

static void sweep_versions(struct process *process, uint64_t round, unsigned int sweeps)
{
	struct list_version **link = &process->version, *version;

	while ((version = *link)) {
		if (!is_over(version, round, sweeps)) {
			link = &version->older;
			continue;
		}
		*link = version->older;
		known_space_release(version->known);
		free(version);
	}
}

/* ---- the set ---------------------------------------------------------------------------- */

static struct process **bucket_of(const struct process_set *set, pid_t pid)
{
	return &set->bucket[(uint32_t)pid % BUCKETS];
}

struct process *process_set_find(const struct process_set *set, pid_t pid)
{
	struct process *process = set->bucket ? *bucket_of(set, pid) : NULL;

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

struct process *process_set_get(struct process_set *set, pid_t pid)
{
	struct process *process = process_set_find(set, pid);

	if (process)
		return process;
	if (!set->bucket)
		set->bucket = calloc(BUCKETS, sizeof(struct process *));
	process = set->bucket ? calloc(1, sizeof(*process)) : NULL;
	if (!process)
		return NULL;
	process->pid = pid;
	process->next = *bucket_of(set, pid);
	*bucket_of(set, pid) = process;
	return process;
}

void process_set_each(const struct process_set *set,
		      void (*fn)(void *context, struct process *process), void *context)
{
	for (uint32_t i = 0; set->bucket && i < BUCKETS; i++)
		for (struct process *process = set->bucket[i]; process; process = process->next)
			fn(context, process);
}

void process_set_push(struct process_set *set, enum process_queue queue, struct process *process)
{
	if (process->queued[queue])
		return;
	process->queued[queue] = true;
	process->next_queued[queue] = NULL;
	if (set->queue[queue].last)
		set->queue[queue].last->next_queued[queue] = process;
	else
		set->queue[queue].first = process;
	set->queue[queue].last = process;
	set->queue[queue].count++;
}

struct process *process_set_pop(struct process_set *set, enum process_queue queue)
{
	struct process *process = set->queue[queue].first;

	if (!process)
		return NULL;
	set->queue[queue].first = process->next_queued[queue];
	if (!set->queue[queue].first)
		set->queue[queue].last = NULL;
	set->queue[queue].count--;
	process->queued[queue] = false;
	return process;
}

static bool is_queued(const struct process *process)
{
	bool queued = false;

	for (int queue = 0; queue < PROCESS_QUEUES; queue++)
		queued |= process->queued[queue];
	return queued;
}

void process_set_sweep(struct process_set *set, uint64_t round, unsigned int sweeps)
{
	for (uint32_t i = 0; set->bucket && i < BUCKETS; i++) {
		struct process **link = &set->bucket[i], *process;

		while ((process = *link)) {
			sweep_versions(process, round, sweeps);
			if (process->alive || process->version || is_queued(process)) {
				link = &process->next;
				continue;
			}
			*link = process->next;
			known_space_release(process->known);
			free(process);
		}
	}
}

static void end_process(void *context, struct process *process)
{
	process->alive = false;
	process_version_end(process, 0);
}

void process_set_deinit(struct process_set *set)
{
	for (int queue = 0; queue < PROCESS_QUEUES; queue++)
		while (process_set_pop(set, queue))
			;
	process_set_each(set, end_process, NULL);
	process_set_sweep(set, NEVER, UINT_MAX);
	free(set->bucket);
	set->bucket = NULL;
}
