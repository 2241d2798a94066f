/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_counts.h - takes the stacks that the kernel has counted, while it goes on counting
 */
#ifndef STACKPROOF_STACK_COUNTS_H
#define STACKPROOF_STACK_COUNTS_H

#include <stdbool.h>
#include "error.h"
#include "number_map.h"
#include "walk.h"

/* Zero-initialise, then set the file descriptors, which are borrowed. */
struct stack_counts {
	int counts_fd;	      /* array of maps: its element is the map that the programs fill */
	int map_fd[2];	      /* the two maps, filled in turn */
	unsigned int filling; /* index of the map that is being filled */
	bool off_cpu;	      /* stacks are counted when their threads are back: walk_off.bpf.h */
	int off_fd;	      /* the map of threads that are off their CPUs */
	uint64_t turns;
	/* private: records, by hash */
	struct kept_stack **kept;
	uint32_t kept_count;
	struct number_map map;
};

typedef void (*stack_count_fn)(void *context, const struct walk_record *record,
			       const struct walk_stack_count *met);
typedef void (*stack_off_fn)(void *context, const struct walk_record *record,
			     const struct walk_off_thread *thread);

/* Keeps a copy of a record from the ring buffer. -1: no memory; its stacks will count as unsent. */
int stack_counts_keep(struct stack_counts *counts, const struct walk_record *record);
/* Makes the programs fill the other map. All counts until now are then in the first one, and their records in the
 * ring buffer, which the caller reads next (stack_counts_keep()). */
int stack_counts_turn(struct stack_counts *counts, struct error *error);
/* Empties the map that was filled before the turn. Gives fn each of its stacks once, and how often it was met.
 * *ret_unsent: how many stacks were counted whose record never came. */
int stack_counts_take(struct stack_counts *counts, stack_count_fn fn, void *context,
		      uint64_t *ret_unsent, struct error *error);
/*
 * Gives fn each thread that is off its CPU now, with its stack. *ret_unsent: of how many the stack's record never came.
 * To be called before each turn, too: the records of what is given are kept until the turn after the next, whatever
 * thread comes back by then.
 */
int stack_counts_look_off(struct stack_counts *counts, stack_off_fn fn, void *context,
			  uint64_t *ret_unsent, struct error *error);
void stack_counts_deinit(struct stack_counts *counts);

#endif
