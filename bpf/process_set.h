/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_set.h - the processes that events keep true, and which lists of mappings the walk had
 */
#ifndef STACKPROOF_PROCESS_SET_H
#define STACKPROOF_PROCESS_SET_H

#include "walk/address_space.h"
#include "walk.h"

/* A process's mappings as they were at some time. Shared by who has the same: a forked process
 * and its parent, what is followed and what the walk was given. */
struct known_space {
	unsigned int references;
	uint64_t true_ns; /* what changed until then is in it; what changed later may not be */
	struct address_space space;
};

struct known_space *known_space_create(void); /* NULL: no memory */
struct known_space *known_space_share(struct known_space *known);
void known_space_release(struct known_space *known); /* NULL is none */
/* What was given is released, what is returned is the same and not shared. NULL: no memory. */
struct known_space *known_space_own(struct known_space *known);

#define NEVER	    UINT64_MAX
#define CHANGES_MAX 12

/* From time_ns on there is, in start .. end, what a list does not have. */
struct list_change {
	uint64_t time_ns, start, end;
};

/* A list of mappings that the walk has or had, by the generation that the session gave it. */
struct list_version {
	struct list_version *older;
	struct known_space *known;
	uint32_t generation;
	unsigned int change_count;
	struct list_change change[CHANGES_MAX];
	uint64_t last_round; /* in which it was replaced; NEVER: the walk has it */
};

/* What is to be done for a process, first come, first served. */
enum process_queue {
	PROCESS_GIVE, /* the walk has an older list than is known */
	PROCESS_READ, /* its mappings are to be read: they are not known */
	PROCESS_CHECK, /* its mappings are known from events alone: they are read when there is time */
	PROCESS_END, /* its first thread has ended; when the others have too, it is forgotten */
	PROCESS_QUEUES,
};

struct process {
	struct process *next; /* private */
	struct process *next_queued[PROCESS_QUEUES];
	bool queued[PROCESS_QUEUES]; /* private, too */
	pid_t pid;
	bool alive; /* else kept for its versions only */
	bool unread;
	bool unchecked;
	bool executed; /* the mappings that the walk has are another program's */
	bool leader_exited;
	uint64_t born_ns;
	uint64_t changed_ns;	      /* its last event */
	uint64_t check_ns;	      /* its turn in PROCESS_CHECK: not before */
	struct known_space *known;    /* NULL: nothing */
	struct list_version *version; /* newest first */
};

/* Zero-initialise. */
struct process_set {
	struct process **bucket;
	struct {
		struct process *first, *last;
		size_t count;
	} queue[PROCESS_QUEUES];
};

struct process *process_set_find(const struct process_set *set, pid_t pid);
/* The same, or a new one, that is not alive. NULL: no memory. */
struct process *process_set_get(struct process_set *set, pid_t pid);
/* In no order; fn must not add any. */
void process_set_each(const struct process_set *set,
		      void (*fn)(void *context, struct process *process), void *context);
/* A process is in a queue once. */
void process_set_push(struct process_set *set, enum process_queue queue, struct process *process);
struct process *process_set_pop(struct process_set *set, enum process_queue queue);
/* Gives up the versions that were replaced before a round, and the dead without any that are in no
 * queue. */
void process_set_sweep(struct process_set *set, uint64_t round);
void process_set_deinit(struct process_set *set);

/* The version that the walk has, or NULL. */
struct list_version *process_current(const struct process *process);
struct list_version *process_version_find(const struct process *process, uint32_t generation);
/* The walk has what is known now, in place of the list it had. False: no memory. */
bool process_version_add(struct process *process, uint32_t generation, uint64_t round);
/* The walk has none any more. */
void process_version_end(struct process *process, uint64_t round);
/* Something else has been in start .. end since time_ns. */
void process_version_change(struct list_version *version, uint64_t time_ns, uint64_t start,
			    uint64_t end);
/* True: the walk may have gone by what was not true any more at one of the stack's frames. */
bool process_version_misled(const struct list_version *version, const struct walk_record *record);

#endif
