/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_set.c - processes by pid, each with the versions of its list of mappings
 *
 * A stack is taken some time after it was walked, and by then its process may have mapped a library,
 * may be another program, or may have ended. So a version outlives its use for as long as stacks may
 * still be under way that were walked with it: it says whether the walk could have known the process's
 * mappings then, and it holds those mappings, to name the stack's PCs by.
 *
 * A pid that is used again has one struct process: its versions' generations tell the two apart.
 */
#include <stdlib.h>
#include "process_set.h"

#define BUCKETS 1024u /* a power of two; some machines run 10,000 processes */

/* ---- readings --------------------------------------------------------------------------- */

struct space_reading *space_reading_create(void)
{
	struct space_reading *reading = calloc(1, sizeof(*reading));

	if (reading)
		reading->references = 1;
	return reading;
}

struct space_reading *space_reading_share(struct space_reading *reading)
{
	reading->references++;
	return reading;
}

void space_reading_release(struct space_reading *reading)
{
	if (!reading || --reading->references)
		return;
	address_space_deinit(&reading->space);
	free(reading);
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

bool process_version_add(struct process *process, struct space_reading *reading, uint64_t stale_ns,
			 uint32_t generation, uint64_t round)
{
	struct list_version *version = calloc(1, sizeof(*version));

	if (!version) {
		space_reading_release(reading);
		return false;
	}
	process_version_end(process, round);
	*version = (struct list_version) {
		.older = process->version,
		.reading = reading,
		.generation = generation,
		.stale_ns = stale_ns,
		.last_round = NEVER,
	};
	process->version = version;
	return true;
}

void process_version_end(struct process *process, uint64_t round)
{
	struct list_version *current = process_current(process);

	if (current)
		current->last_round = round;
}

static bool mark(const struct space_reading *reading, uint64_t *stale_ns, uint64_t since_ns,
		 uint64_t until_ns)
{
	if (reading->read_ns >= until_ns)
		return false;
	if (since_ns < *stale_ns)
		*stale_ns = since_ns;
	return true;
}

bool process_mark_stale(struct process *process, uint64_t since_ns, uint64_t until_ns)
{
	struct list_version *current = process_current(process), *version;
	bool stale = !current && !process->inherited;

	for (version = process->version; version; version = version->older)
		if (mark(version->reading, &version->stale_ns, since_ns, until_ns))
			stale |= version == current;
	if (process->inherited)
		stale |= mark(process->inherited, &process->inherited_stale_ns, since_ns, until_ns);
	return stale;
}

static void sweep_versions(struct process *process, uint64_t round)
{
	struct list_version **link = &process->version, *version;

	while ((version = *link)) {
		if (version->last_round >= round) {
			link = &version->older;
			continue;
		}
		*link = version->older;
		space_reading_release(version->reading);
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

void process_set_sweep(struct process_set *set, uint64_t round)
{
	for (uint32_t i = 0; set->bucket && i < BUCKETS; i++) {
		struct process **link = &set->bucket[i], *process;

		while ((process = *link)) {
			sweep_versions(process, round);
			if (process->alive || process->version) {
				link = &process->next;
				continue;
			}
			*link = process->next;
			space_reading_release(process->inherited);
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
	process_set_each(set, end_process, NULL);
	process_set_sweep(set, NEVER);
	free(set->bucket);
	set->bucket = NULL;
}
