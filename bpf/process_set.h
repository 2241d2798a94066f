/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_set.h - the processes that events keep true, and which lists of mappings the walk had
 */
#ifndef STACKPROOF_PROCESS_SET_H
#define STACKPROOF_PROCESS_SET_H

#include "unwinder.h"

/* A process's mappings as they were read once. A forked process shares its parent's. */
struct space_reading {
	unsigned int references;
	uint64_t read_ns; /* before the reading began: what changed later may not be in it */
	struct address_space space;
};

struct space_reading *space_reading_create(void);
struct space_reading *space_reading_share(struct space_reading *reading);
void space_reading_release(struct space_reading *reading); /* NULL is none */

#define NEVER UINT64_MAX

/* A list of mappings that the walk has or had, by the generation that the session gave it. */
struct list_version {
	struct list_version *older;
	struct space_reading *reading;
	uint32_t generation;
	uint64_t stale_ns;   /* since when a change is not in it; NEVER: none is known */
	uint64_t last_round; /* in which it was replaced; NEVER: the walk has it */
};

struct process {
	struct process *next, *next_pending; /* private, and the caller's */
	pid_t pid;
	bool alive;	    /* else kept for its versions only */
	bool pending;	    /* in the caller's list */
	bool dirty;	    /* its mappings are to be read */
	bool executed;	    /* ... and those it had are another program's */
	bool leader_exited; /* it ends as soon as no other thread is left */
	uint64_t born_ns;
	struct space_reading *inherited; /* its parent's, until the walk gets them */
	uint64_t inherited_stale_ns;
	struct list_version *version; /* newest first */
};

/* Zero-initialise. */
struct process_set {
	struct process **bucket;
};

struct process *process_set_find(const struct process_set *set, pid_t pid);
/* The same, or a new one, that is not alive. NULL: no memory. */
struct process *process_set_get(struct process_set *set, pid_t pid);
/* In no order; fn must not add any. */
void process_set_each(const struct process_set *set,
		      void (*fn)(void *context, struct process *process), void *context);
/* Gives up the versions that were replaced before a round, and the dead without any. None may be
 * pending. */
void process_set_sweep(struct process_set *set, uint64_t round);
void process_set_deinit(struct process_set *set);

/* The version that the walk has, or NULL. */
struct list_version *process_current(const struct process *process);
struct list_version *process_version_find(const struct process *process, uint32_t generation);
/* The walk has a new list now, in place of the one it had. Takes reading over. False: no memory. */
bool process_version_add(struct process *process, struct space_reading *reading, uint64_t stale_ns,
			 uint32_t generation, uint64_t round);
/* The walk has none any more. */
void process_version_end(struct process *process, uint64_t round);
/* The process's mappings changed between since_ns and until_ns: versions read before then don't have
 * it. True: nor has what the walk has now, or is about to get. */
bool process_mark_stale(struct process *process, uint64_t since_ns, uint64_t until_ns);

#endif
