/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_change.h - applies an event to a process's mappings
 */
#ifndef STACKPROOF_PROCESS_CHANGE_H
#define STACKPROOF_PROCESS_CHANGE_H

#include "perf_ring.h"
#include "process_set.h"

/* Each marks the list versions that lack the event's change, and updates what is known of the process. The process is
 * then queued in PROCESS_GIVE, or, if its mappings must be read first, in PROCESS_READ; after an exec it waits for
 * its first mapping. */
void process_executes(struct process_set *set, struct process *process, struct image_store *store,
		      uint64_t time_ns);
void process_maps(struct process_set *set, struct process *process, struct image_store *store,
		  const struct process_event *event);
/* Code was moved to start .. end by time_ns, not before since_ns. The process is read. */
void process_moves(struct process_set *set, struct process *process,
		   const struct process_event *event);
/* parent may be NULL: not known. */
void process_forks(struct process_set *set, const struct process *parent, struct process *child);
/* Any mapping may have changed since time_ns. */
void process_unknown_since(struct process_set *set, struct process *process, uint64_t time_ns);
/*
 * Compares the mappings that were just read with those that were known from events, before. True: an image is
 * not where before has it; then stacks since before->true_ns are marked that come there.
 */
bool process_was_mistaken(const struct process *process, const struct known_space *before);

/* Queues it to be read. */
void process_must_be_read(struct process_set *set, struct process *process);
/* True: the walk's list has what is known now, and need not be replaced. */
bool process_is_given(const struct process *process);

#endif
