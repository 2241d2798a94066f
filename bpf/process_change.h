/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_change.h - what an event makes of a process's mappings
 */
#ifndef STACKPROOF_PROCESS_CHANGE_H
#define STACKPROOF_PROCESS_CHANGE_H

#include "perf_ring.h"
#include "process_set.h"

/* Each marks the versions that don't have what the event says, and says in the process what is
 * known now: whoever gives it to the walk has it in PROCESS_GIVE, unless it is to be read first. */
void process_executes(struct process_set *set, struct process *process, struct image_store *store,
		      uint64_t time_ns);
void process_maps(struct process_set *set, struct process *process, struct image_store *store,
		  const struct process_event *event);
/* parent may be NULL. */
void process_forks(struct process_set *set, const struct process *parent, struct process *child);
/* Anything may have changed since then. */
void process_unknown_since(struct process_set *set, struct process *process, uint64_t time_ns);
/*
 * Its mappings have been read, and nothing has changed since. True: they had an image that was not
 * where it was thought to be, so that no stack is right since before was true.
 */
bool process_was_mistaken(const struct process *process, const struct known_space *before);

/* Queues it to be read. */
void process_must_be_read(struct process_set *set, struct process *process);
/* True: the list that the walk has will do. It is then also known to be true later. */
bool process_is_given(const struct process *process);

#endif
