/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_counts.h - takes the stacks that the kernel has counted, without losing any meanwhile
 */
#ifndef STACKPROOF_STACK_COUNTS_H
#define STACKPROOF_STACK_COUNTS_H

#include "error.h"
#include "walk.h"

/* Zero-initialise, then set the file descriptors, which are borrowed. */
struct stack_counts {
	int counts_fd;	      /* the map that names the map which the programs fill */
	int map_fd[2];	      /* and those two maps */
	unsigned int filling; /* which: 0 at first */
	uint64_t turns;
	void *records; /* private: by hash */
};

typedef void (*stack_count_fn)(void *context, const struct walk_record *record, uint64_t count);

/* Keeps a copy of a record that came through the ring buffer. -1: no memory; its stacks will be
 * unsent. */
int stack_counts_keep(struct stack_counts *counts, const struct walk_record *record);
/* The programs fill the other map; what was counted until now is in the one that they filled,
 * and its records are in the ring buffer. */
int stack_counts_turn(struct stack_counts *counts, struct error *error);
/* Empties the map that was filled before the turn: gives each stack of it once, with how often
 * it was met. *ret_unsent: how many stacks were counted whose record never came. */
int stack_counts_take(struct stack_counts *counts, stack_count_fn fn, void *context,
		      uint64_t *ret_unsent, struct error *error);
void stack_counts_deinit(struct stack_counts *counts);

#endif
