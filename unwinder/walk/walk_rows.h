/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk_rows.h - walks in user space: by rows, and by tables as BPF does
 *
 * The engines `cfi` and `table`. The walk in the kernel is bpf/walk.bpf.c.
 */
#ifndef STACKPROOF_WALK_ROWS_H
#define STACKPROOF_WALK_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include "address_space.h"
#include "cfi/expression.h"
#include "stack.h"
#include "table/table_abi.h"

/*
 * What the last walk found. With it the next one is faster where the stacks are alike, and never
 * different: see walk_memo.h. One for walk_rows, another for walk_table; reset when mappings
 * change.
 */
struct walk_memo;
struct walk_memo *walk_memo_create(void);
void walk_memo_destroy(struct walk_memo *memo);
void walk_memo_reset(struct walk_memo *memo);

/* Walks with canonical rows (engine cfi): every expression is evaluated. memo may be NULL. ret:
 * zeroed, or filled before; stack_deinit(). 0, or -1 with ERROR_MEMORY: what ret holds is no
 * stack then. */
int walk_rows(const struct address_space *space, const struct register_values *regs,
	      const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
	      struct error *error);
/* Walks with compact tables and step.h (engine table): the twin of the walk in BPF, which ends at
 * WALK_FRAMES_MAX. As walk_rows(). */
int walk_table(const struct address_space *space, const struct register_values *regs,
	       const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
	       struct error *error);
/*
 * walk_table(), but where there is no CFI it goes on by the frame pointer: the twin of a session
 * with follow_frame_pointers. A PC that was found so has its bit WALK_PC_GUESSED set, and a stack
 * with such a PC is never STOP_COMPLETE, but STOP_GUESSED. A memo of its own, too.
 */
int walk_table_following(const struct address_space *space, const struct register_values *regs,
			 const struct memory_reader *memory, struct walk_memo *memo,
			 struct stack *ret, struct error *error);
/* A walk that could go on by the frame pointer stops so instead. */
static inline bool stop_is_without_cfi(uint32_t stop)
{
	return stop == STOP_NO_MAPPING || stop == STOP_NO_ROW;
}
/* One frame with canonical rows. On return regs is the caller's. STOP_NONE: went on. */
enum stop_reason walk_rows_step(const struct address_space *space, struct register_values *regs,
				bool *exact_pc, const struct memory_reader *memory);

#endif
