/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_pool.h - the stacks of a process that no thread is on at the moment
 *
 * When a thread goes to another stack, the one that it leaves is parked here with its open frames. Any thread that
 * comes to it takes it out. A parked stack is found by its extent: from rsp where it was left to its base, the
 * highest rsp that it is known to have had. Its mapping says too little: a runtime's goroutines, or coroutines whose
 * stacks malloc gave, share one.
 *
 * Memory is reused. A thread in the extent of a parked stack is on that stack only if no more frames were dropped
 * than the function that switched and its helpers, and if the innermost of the other frames are still in memory.
 * Otherwise it is on another stack, and the parked one is gone. The stack that a thread began on is exempt: it lives
 * as long as the thread, which may longjmp far up on it.
 *
 * step_stacks.c knows which instructions switch stacks.
 */
#ifndef STACKPROOF_STACK_POOL_H
#define STACKPROOF_STACK_POOL_H

#include "cfi/expression.h"
#include "shadow_stack.h"

/* Bytes of the red zone below rsp (psABI 3.2.2), and by how much rsp may still rise on a new stack. */
#define STACK_SLACK 128

struct address_range {
	uint64_t low, high; /* high is the first address after it */
};

struct parked_stack {
	struct address_range range; /* the mapping */
	uint64_t sp;		    /* rsp when it was left */
	uint64_t base;		    /* the highest rsp on it */
	pid_t root;		    /* the thread that began on it; 0: none */
	uint64_t number;	    /* counts all stacks that were ever parked, from 1 on */
	struct shadow_stack shadow;
};

struct stack_pool {
	struct parked_stack *parked;
	size_t count;
	uint64_t last_number;
};

/* Parks a stack, and takes over its shadow. Forgets parked stacks that overlap it. Returns its number, or 0:
 * out of memory. */
uint64_t stack_pool_park(struct stack_pool *pool, const struct parked_stack *parked);
/* Takes out the stack of a thread whose rsp is sp now. False: no parked stack is there. */
bool stack_pool_take(struct stack_pool *pool, uint64_t sp, const struct memory_reader *memory,
		     struct parked_stack *ret);
/* Takes out the stack with this number. False: it is not parked any more. */
bool stack_pool_take_number(struct stack_pool *pool, uint64_t number, struct parked_stack *ret);
/* Whether the frames that are open with rsp at sp are in memory as they were. */
bool stack_pool_is_intact(const struct parked_stack *parked, uint64_t sp,
			  const struct memory_reader *memory);
/* The thread ended, and the stack that it began on with it. */
void stack_pool_forget(struct stack_pool *pool, pid_t root);
void stack_pool_clear(struct stack_pool *pool);

#endif
