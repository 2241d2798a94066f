/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk_rows.h - walks in user space: by rows (engine cfi), and by tables as in BPF (engine table)
 *
 * The walk in the kernel is bpf/walk.bpf.c.
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
 * What the last walk found. It makes the next walk faster if the stacks are alike, and never changes the
 * result: walk_memo.h. Each walk function needs a memo of its own. To be reset when mappings change.
 * walk_memo_create() returns NULL without memory.
 */
struct walk_memo;
struct walk_memo *walk_memo_create(void);
void walk_memo_destroy(struct walk_memo *memo);
void walk_memo_reset(struct walk_memo *memo);

/* Walks by canonical rows; every expression is evaluated. memo may be NULL. ret: zeroed, or filled before;
 * stack_deinit(). -1: ERROR_MEMORY; ret is then no stack, but valid. */
int walk_rows(const struct address_space *space, const struct register_values *regs,
	      const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
	      struct error *error);
/* Walks by tables and step.h, like the walk in BPF, but without its limit WALK_FRAMES_MAX. Otherwise as
 * walk_rows(). */
int walk_table(const struct address_space *space, const struct register_values *regs,
	       const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
	       struct error *error);
/* The same by other tables than those of the images' CFI: choose() gives an image's, or NULL, where the walk stops with
 * STOP_NO_MAPPING. */
typedef const struct table *(*walk_table_fn)(void *context, struct image_entry *entry);
int walk_table_of(const struct address_space *space, const struct register_values *regs,
		  const struct memory_reader *memory, walk_table_fn choose, void *context,
		  struct stack *ret, struct error *error);
/*
 * walk_table(), which goes on by the frame pointer if there is no CFI, like a session with
 * follow_frame_pointers. A PC that was found so has the bit WALK_PC_GUESSED, and the stack ends with
 * STOP_GUESSED instead of STOP_COMPLETE.
 */
int walk_table_following(const struct address_space *space, const struct register_values *regs,
			 const struct memory_reader *memory, struct walk_memo *memo,
			 struct stack *ret, struct error *error);
/* Whether a walk stopped because there is no CFI: walk_table_following() goes on there. */
static inline bool stop_is_without_cfi(uint32_t stop)
{
	return stop == STOP_NO_MAPPING || stop == STOP_NO_ROW;
}
/* Steps one frame by canonical rows. STOP_NONE: regs are the caller's. *exact_pc: as walk_state.exact_pc, of the
 * frame, and then of the caller. */
enum stop_reason walk_rows_step(const struct address_space *space, struct register_values *regs,
				bool *exact_pc, const struct memory_reader *memory);

#endif
