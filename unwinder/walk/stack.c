/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack.c - a stack's frames, as many as there are
 *
 * A recursion of 100,000 calls is a stack like any other, so a stack grows by what is put into it.
 * It ends somewhere all the same: CFI that leads in circles must not take all memory.
 * STACK_FRAMES_MAX is that end for all, and a stack's limit one that its owner sets, where it is
 * held against a walk that can hold no more (the walk in BPF). Whoever fills a stack says
 * STOP_DEPTH there.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "error.h"
#include "stack.h"
#include "table/table_abi.h"

void stack_deinit(struct stack *stack)
{
	free(stack->pc);
	*stack = (struct stack) { 0 };
}

uint32_t stack_limit(const struct stack *stack)
{
	return stack->limit && stack->limit < STACK_FRAMES_MAX ? stack->limit : STACK_FRAMES_MAX;
}

int stack_reserve(struct stack *stack, uint32_t count, struct error *error)
{
	if (count <= stack->capacity)
		return 0;
	if (count > STACK_FRAMES_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "a stack of %u frames; the maximum is %u", count,
				 STACK_FRAMES_MAX);
	if (!ARRAY_RESERVE(stack->pc, stack->capacity, count))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a stack of %u frames",
				 count);
	return 0;
}

void stack_clear(struct stack *stack)
{
	stack->count = 0;
	stack->stop = STOP_NONE;
	stack->has_marks = false;
}

int stack_push(struct stack *stack, uint64_t pc, struct error *error)
{
	if (stack_reserve(stack, stack->count + 1, error))
		return -1;
	stack->pc[stack->count++] = pc;
	return 0;
}

int stack_set(struct stack *stack, const void *pc, uint32_t count, uint32_t stop,
	      struct error *error)
{
	if (stack_reserve(stack, count, error))
		return -1;
	if (count)
		memcpy(stack->pc, pc, count * sizeof(*stack->pc));
	stack->count = count;
	stack->stop = stop;
	stack->has_marks = false;
	return 0;
}

int stack_copy(struct stack *stack, const struct stack *from, struct error *error)
{
	if (stack_set(stack, from->pc, from->count, from->stop, error))
		return -1;
	stack->has_marks = from->has_marks;
	return 0;
}
