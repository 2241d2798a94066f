/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_pool.c - the stacks of a process that no thread is on at the moment
 *
 * stack_pool.h says what a parked stack is and when it is believed. The order of the pool means
 * nothing; it is searched from one end to the other, at switches only.
 */
#include <stdlib.h>
#include "array.h"
#include "stack_pool.h"

/* A function that switches saves its own rsp or its caller's; setjmp and longjmp add two more. */
#define HELPER_FRAMES_MAX 4
/* Callers keep rsp where it was at their calls, so frames below others can't change unseen. */
#define CHECKED_FRAMES 16

static void remove_at(struct stack_pool *pool, size_t at)
{
	pool->parked[at] = pool->parked[--pool->count];
}

static void forget_at(struct stack_pool *pool, size_t at, enum frame_end end)
{
	shadow_stack_end(&pool->parked[at].shadow, end);
	shadow_stack_deinit(&pool->parked[at].shadow);
	remove_at(pool, at);
}

/* What lies under a stack in use was given back and used again. */
static void forget_overlapping(struct stack_pool *pool, const struct parked_stack *stack)
{
	for (size_t i = pool->count; i-- > 0;) {
		const struct parked_stack *other = &pool->parked[i];

		if (!other->root && other->sp < stack->base && stack->sp < other->base)
			forget_at(pool, i, FRAME_LOST);
	}
}

uint64_t stack_pool_park(struct stack_pool *pool, const struct parked_stack *parked)
{
	if (!parked->root)
		forget_overlapping(pool, parked);
	if (!ARRAY_GROW(pool->parked, pool->count))
		return 0;
	pool->parked[pool->count] = *parked;
	pool->parked[pool->count++].number = ++pool->last_number;
	return pool->last_number;
}

/* The innermost of the stacks that sp lies in: one may be an array on another. */
static struct parked_stack *find(const struct stack_pool *pool, uint64_t sp)
{
	struct parked_stack *found = NULL;

	for (size_t i = 0; i < pool->count; i++) {
		struct parked_stack *parked = &pool->parked[i];

		if (sp + STACK_SLACK >= parked->sp && sp <= parked->base &&
		    (!found || parked->sp > found->sp))
			found = parked;
	}
	return found;
}

bool stack_pool_is_intact(const struct parked_stack *parked, uint64_t sp,
			  const struct memory_reader *memory)
{
	const struct shadow_stack *shadow = &parked->shadow;
	const struct shadow_region *region = shadow->region_count
						     ? &shadow->region[shadow->region_count - 1]
						     : NULL;
	size_t count = shadow->count, floor = region ? region->first : 0;

	/* With handlers in it, slots don't fall from frame to frame. */
	while (!(region && !region->called) && count > floor && shadow->frame[count - 1].slot < sp)
		count--;
	if (shadow->count - count > HELPER_FRAMES_MAX)
		return false;
	for (size_t i = 0; i < CHECKED_FRAMES && i < count; i++) {
		const struct shadow_frame *frame = &shadow->frame[count - 1 - i];
		uint64_t value;

		if (frame->interrupted) /* a handler may have changed where it goes on */
			continue;
		if (memory->read(memory->context, frame->slot, &value, sizeof(value)) ||
		    value != frame->return_address)
			return false;
	}
	return true;
}

bool stack_pool_take(struct stack_pool *pool, uint64_t sp, const struct memory_reader *memory,
		     struct parked_stack *ret)
{
	struct parked_stack *parked;

	while ((parked = find(pool, sp))) {
		if (parked->root || stack_pool_is_intact(parked, sp, memory)) {
			*ret = *parked;
			remove_at(pool, parked - pool->parked);
			return true;
		}
		forget_at(pool, parked - pool->parked, FRAME_LOST);
	}
	return false;
}

bool stack_pool_take_number(struct stack_pool *pool, uint64_t number, struct parked_stack *ret)
{
	for (size_t i = pool->count; i-- > 0;) {
		if (pool->parked[i].number != number)
			continue;
		*ret = pool->parked[i];
		remove_at(pool, i);
		return true;
	}
	return false;
}

void stack_pool_forget(struct stack_pool *pool, pid_t root)
{
	for (size_t i = pool->count; i-- > 0;)
		if (pool->parked[i].root == root)
			forget_at(pool, i, FRAME_ABANDONED);
}

void stack_pool_clear(struct stack_pool *pool)
{
	while (pool->count)
		forget_at(pool, pool->count - 1, FRAME_ABANDONED);
	free(pool->parked);
	*pool = (struct stack_pool) { 0 };
}
