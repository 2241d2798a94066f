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

#define STACK_FRAMES_MAX (1u << 20) /* 8 MiB of PCs */

/* A stack. pc[0] is the thread's PC, pc[n] where frame n goes on: a return address, or an interrupted PC if a
 * signal frame is inside of it. Zero-initialise: a stack without frames, which any function can fill. */
struct stack {
	uint32_t count;
	uint32_t stop;	   /* enum stop_reason */
	uint32_t capacity; /* of pc */
	uint32_t limit;	   /* most frames: a walk ends there, STOP_DEPTH; 0: STACK_FRAMES_MAX */
	bool has_marks;	   /* the PCs may have WALK_PC_GUESSED */
	uint64_t *pc;	   /* owned */
};

/* Whether the frame was found by the frame pointer. */
static inline bool stack_is_guessed(const struct stack *stack, uint32_t frame)
{
	return stack->has_marks && walk_is_guessed(stack->pc[frame]);
}

/* A frame's PC, without that mark. */
static inline uint64_t stack_pc(const struct stack *stack, uint32_t frame)
{
	return stack_is_guessed(stack, frame) ? walk_pc(stack->pc[frame]) : stack->pc[frame];
}

/* Frees pc, and zeroes the stack. */
void stack_deinit(struct stack *stack);
/* The most frames that the stack may have. */
uint32_t stack_limit(const struct stack *stack);
/* Makes room for count frames in all. -1: ERROR_MEMORY, ERROR_TABLE_LIMIT; the stack is unchanged. */
int stack_reserve(struct stack *stack, uint32_t count, struct error *error);
/* Drops all frames: STOP_NONE, no marks. Capacity and limit stay. */
void stack_clear(struct stack *stack);
/* Adds a frame. Errors: as stack_reserve(). */
int stack_push(struct stack *stack, uint64_t pc, struct error *error);
/* Replaces the frames by count PCs of 64 bits at pc, without marks. The limit stays. Errors: as
 * stack_reserve(). */
int stack_set(struct stack *stack, const void *pc, uint32_t count, uint32_t stop,
	      struct error *error);
int stack_copy(struct stack *stack, const struct stack *from, struct error *error);

#endif
