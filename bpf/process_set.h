/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_set.h - the followed processes, and the lists of mappings that the walk had of each
 */
#ifndef STACKPROOF_PROCESS_SET_H
#define STACKPROOF_PROCESS_SET_H

#include "walk/address_space.h"
#include "walk.h"

/* A process's mappings at some time. It has references: a forked process shares it with its parent, a list version
 * with its process. */
struct known_space {
	unsigned int references;
	uint64_t true_ns; /* it has all changes until then; later ones may be missing */
	struct address_space space;
};

struct known_space *known_space_create(void); /* NULL: no memory */
struct known_space *known_space_share(struct known_space *known);
void known_space_release(struct known_space *known); /* may be NULL */
/* Releases known. Returns the same mappings with a single reference, the caller's. NULL: no memory. */
struct known_space *known_space_own(struct known_space *known);

#define NEVER	    UINT64_MAX
#define CHANGES_MAX 12

/* A change that a list lacks: addresses start .. end have other mappings from time_ns on. */
struct list_change {
	uint64_t time_ns, start, end;
};

/* A list of mappings that the walk has or had. */
struct list_version {
	struct list_version *older;
	struct known_space *known;
	uint32_t generation; /* as in the walk's records */
	unsigned int change_count;
	struct list_change change[CHANGES_MAX];
	uint64_t last_round; /* the round in which it was replaced; NEVER: the walk has it */
	unsigned int sweeps; /* that it has outlived since then */
	bool used;	     /* a stack that was walked by it is to come */
};

/* Queues of processes, by what is to be done for them. */
enum process_queue {
	PROCESS_GIVE,  /* the walk's list is older than what is known */
	PROCESS_READ,  /* its mappings are not known, and must be read */
	PROCESS_CHECK, /* its mappings are known from events alone: to be read when there is time */
	PROCESS_END,   /* its leader has ended; to be forgotten when the other threads have, too */
	PROCESS_NO_CLOCK, /* the kernel has taken its perf events away */
	PROCESS_QUEUES,
};

struct process {
	struct process *next; /* private */
	struct process *next_queued[PROCESS_QUEUES];
	bool queued[PROCESS_QUEUES]; /* private */
	pid_t pid, parent;	     /* parent 0: it is not known */
	bool alive;		     /* false: kept for its versions only */
	bool unread;		     /* its mappings must be read */
	bool unchecked;		     /* its mappings are known from events alone */
	bool executed;		     /* the walk's list is of the program before the exec */
	bool leader_exited;
	uint64_t born_ns;
	uint64_t
		forked_ns; /* the same, if an event told it and it has executed no program since; or 0 */
	uint64_t changed_ns;  /* of its last event */
	uint64_t check_ns;    /* not to be checked before */
	uint64_t no_clock_ns; /* when its perf events were taken away; 0: never */
	uint64_t clock_ns;    /* when it was given others; 0: never */
	uint64_t
		memory; /* not 0: another process may have the same memory, and this number (CLONE_VM) */
	struct known_space *known;    /* NULL: not known */
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

/* The process, or NULL. */
struct process *process_set_find(const struct process_set *set, pid_t pid);
/* The same; adds a process, not alive, if there is none. NULL: no memory. */
struct process *process_set_get(struct process_set *set, pid_t pid);
/* Calls fn for each process, in no order. fn must not add processes. */
void process_set_each(const struct process_set *set,
		      void (*fn)(void *context, struct process *process), void *context);
/* Adds a process at a queue's end, unless it is in the queue. */
void process_set_push(struct process_set *set, enum process_queue queue, struct process *process);
/* Removes a queue's first process. NULL: the queue is empty. */
struct process *process_set_pop(struct process_set *set, enum process_queue queue);
/* Frees the versions that were replaced before that round, and those not used that have outlived so many sweeps; and
 * processes that are not alive, have no version, and are in no queue. */
void process_set_sweep(struct process_set *set, uint64_t round, unsigned int sweeps);
void process_set_deinit(struct process_set *set);

/* The version that the walk has, or NULL. */
struct list_version *process_current(const struct process *process);
struct list_version *process_version_find(const struct process *process, uint32_t generation);
/* Notes that the walk was given what is known now, as a list of that generation. False: no memory. */
bool process_version_add(struct process *process, uint32_t generation, uint64_t round);
/* Notes that the walk has no list of the process any more. */
void process_version_end(struct process *process, uint64_t round);
/* Notes a change that the version lacks: struct list_change. */
void process_version_change(struct list_version *version, uint64_t time_ns, uint64_t start,
			    uint64_t end);
/* Whether the version lacked a change at one of the record's frames when that was walked, the last time at last_ns. */
bool process_version_misled(const struct list_version *version, const struct walk_record *record,
			    uint64_t last_ns);

#endif
