/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack.h - a stack's frames (stack.c)
 */
#ifndef STACKPROOF_STACK_H
#define STACKPROOF_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include "table/table_abi.h"

struct error;

#define STACK_FRAMES_MAX (1u << 20) /* of any stack: 8 MiB of PCs */

/* A stack: pc[0] is where the thread is, pc[n] where frame n will go on: the return address, or
 * the interrupted PC below a signal frame. Zeroed it has no frames, and may be given to any
 * function that fills one. */
struct stack {
	uint32_t count;
	uint32_t stop;	   /* enum stop_reason */
	uint32_t capacity; /* of pc */
	uint32_t limit;	   /* a walk ends with STOP_DEPTH at so many; 0: STACK_FRAMES_MAX */
	bool has_marks;	   /* the PCs may have WALK_PC_GUESSED */
	uint64_t *pc;	   /* the stack's own */
};

/* A frame's PC was found by following the frame pointer. */
static inline bool stack_is_guessed(const struct stack *stack, uint32_t frame)
{
	return stack->has_marks && walk_is_guessed(stack->pc[frame]);
}

/* A frame's PC, without that mark. */
static inline uint64_t stack_pc(const struct stack *stack, uint32_t frame)
{
	return stack_is_guessed(stack, frame) ? walk_pc(stack->pc[frame]) : stack->pc[frame];
}

/* Zeroes it. */
void stack_deinit(struct stack *stack);
/* The number of frames at which it is full. */
uint32_t stack_limit(const struct stack *stack);
/* Room for so many frames in all. 0, or -1: ERROR_MEMORY, ERROR_TABLE_LIMIT; then it is as it
 * was. */
int stack_reserve(struct stack *stack, uint32_t count, struct error *error);
/* No frames, STOP_NONE, unmarked. What it has room for and its limit stay. */
void stack_clear(struct stack *stack);
/* One frame more. As stack_reserve(). */
int stack_push(struct stack *stack, uint64_t pc, struct error *error);
/* Makes it these frames, unmarked; pc: count words of 64 bits. Its limit stays. As
 * stack_reserve(). */
int stack_set(struct stack *stack, const void *pc, uint32_t count, uint32_t stop,
	      struct error *error);
int stack_copy(struct stack *stack, const struct stack *from, struct error *error);

#endif
