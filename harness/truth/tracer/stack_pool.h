/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_pool.h - the stacks of a process that no thread is on at the moment
 *
 * A thread that goes to another stack leaves one behind: it is parked here with the frames that are
 * open on it, and whichever thread comes back to it finds them. It is not known by its mapping (a
 * runtime's goroutines, or coroutines whose stacks malloc gave, have one for all), but by its
 * extent: from rsp where it was left to its base, the highest rsp that it is known to have had.
 *
 * Memory is used again. What lies in the extent of a parked stack is that stack only if no more was
 * taken off it than the function that switched and its helpers, and if the innermost frames are
 * still where they were. Else it is another stack, and the parked one is gone. The stack that a
 * thread began on is exempt: it lives as long as the thread (which may well longjmp far up on it).
 *
 * Not known here: which instructions switch stacks (tracer_stacks.c).
 */
#ifndef STACKPROOF_STACK_POOL_H
#define STACKPROOF_STACK_POOL_H

#include "cfi/expression.h"
#include "shadow_stack.h"

/* What a function may have below rsp without saying so (psABI 3.2.2), or take off a new stack. */
#define STACK_SLACK 128

struct address_range {
	uint64_t low, high; /* high is the first address after it */
};

struct parked_stack {
	struct address_range range; /* the mapping */
	uint64_t sp;		    /* rsp when it was left */
	uint64_t base;		    /* the highest rsp on it */
	pid_t root;		    /* the thread that began on it; 0: none */
	uint64_t number;	    /* of all that were ever parked, from 1 on */
	struct shadow_stack shadow;
};

struct stack_pool {
	struct parked_stack *parked;
	size_t count;
	uint64_t last_number;
};

/* Takes parked's shadow over; forgets what it lies upon. The number it got, or 0: out of memory. */
uint64_t stack_pool_park(struct stack_pool *pool, const struct parked_stack *parked);
/* Takes out the stack that a thread comes to whose rsp is sp now. False: it isn't a known one. */
bool stack_pool_take(struct stack_pool *pool, uint64_t sp, const struct memory_reader *memory,
		     struct parked_stack *ret);
/* Takes out the one with this number. False: somebody else took it. */
bool stack_pool_take_number(struct stack_pool *pool, uint64_t number, struct parked_stack *ret);
/* Whether the frames that a thread with rsp at sp leaves open are in memory as they were. */
bool stack_pool_is_intact(const struct parked_stack *parked, uint64_t sp,
			  const struct memory_reader *memory);
/* The thread ended, and the stack that it began on with it. */
void stack_pool_forget(struct stack_pool *pool, pid_t root);
void stack_pool_clear(struct stack_pool *pool);

#endif
