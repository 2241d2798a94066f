/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk_memo.h - what the last walk found, for walk.c only
 *
 * Walks at consecutive instructions share all but their innermost frames. A step depends on the frame's
 * state, on the tables, and on the memory that it reads. If a frame has the same state as a frame of the last
 * walk, and every word that the steps from there on have read still has the same value, then the rest of the
 * stack is the same. All these words are read again each time: nothing is assumed about the program's writes.
 *
 * This takes as many reads as the steps took, but no look-up and no evaluation. A frame takes 110 to 160 bytes
 * of memory: the words of its state that are not 0, and an address and a value for each read. Without memory
 * the next walk finds nothing.
 *
 * Tables are not checked: the owner of the memo resets it when mappings change.
 */
#ifndef STACKPROOF_WALK_MEMO_H
#define STACKPROOF_WALK_MEMO_H

#include "cfi/expression.h"
#include "stack.h"

#define MEMO_STATE_WORDS 19 /* of a walk_state; a register_values has fewer */
#define MEMO_READS	 24 /* most reads of one step; a step with more is never reused */

struct memo_frame {
	uint64_t sp, pc;
	uint32_t first; /* first word: those of the state, then address and value of each read */
	uint32_t mask;	/* bit n: word n of the state is kept, because it is not 0 */
	uint32_t read_count; /* above MEMO_READS: the step is not reused; its reads are not kept */
};

struct memo_frames {
	struct memo_frame *frame;
	uint32_t count, capacity;
	uint64_t *word; /* the frames' words, frame by frame */
	uint32_t words, word_capacity;
};

struct walk_memo {
	struct memo_frames last;  /* of the last walk; [0] is the outermost */
	struct memo_frames fresh; /* of the walk under way; [0] is the innermost */
	uint32_t stop;
	uint32_t
		cursor; /* this walk can't reuse frames [cursor, last.count): they are below its sp,
			  * or have changed */
	bool lost;	/* no memory for the walk under way: nothing of it is kept */
	const struct memory_reader *memory; /* the caller's */
	struct memory_reader logging;	    /* reads by memory, and notes each read */
};

/* Begins a walk. Its steps must read by the returned reader, which is the memo's. memory is borrowed. */
const struct memory_reader *memo_begin(struct walk_memo *memo, const struct memory_reader *memory);
/* Tries to complete a walk that is at a frame with this state. True: ret has all frames and its stop reason. */
bool memo_finish(struct walk_memo *memo, const uint64_t state[MEMO_STATE_WORDS], uint64_t sp,
		 struct stack *ret);
/* Otherwise: notes the frame. The reads from now on belong to its step. */
void memo_note(struct walk_memo *memo, const uint64_t state[MEMO_STATE_WORDS], uint64_t sp,
	       uint64_t pc);
/* Ends a walk that memo_finish() has not completed. */
void memo_end(struct walk_memo *memo, uint32_t stop);

#endif
