/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk_memo.h - what the last walk found, for walk.c only
 *
 * Walks at neighbouring instructions share all but their innermost frames. A step is a function of
 * the frame's state, of the tables, and of the memory it reads. So if a walk comes to a frame whose
 * state is the same as one of the last walk's, and every word that the steps from there on read
 * still has the same value, then the rest of the stack is the same. That is proven each time by
 * reading all those words again; nothing is assumed about what the program may have written.
 *
 * Proving costs as many reads as the steps made, but no look-up and no evaluation. And it costs
 * memory: of a state the words that aren't 0, and of each read an address and a value; 110 to 160
 * bytes a frame. If there is none the next walk is a whole one.
 *
 * It says nothing about tables: whoever owns the memo resets it when mappings change.
 */
#ifndef STACKPROOF_WALK_MEMO_H
#define STACKPROOF_WALK_MEMO_H

#include "cfi/expression.h"
#include "stack.h"

#define MEMO_STATE_WORDS 19 /* a walk_state; a register_values needs less */
#define MEMO_READS	 24 /* of one step; a step that reads more is never reused */

struct memo_frame {
	uint64_t sp, pc;
	uint32_t first; /* of its words: the state's in mask, then address and value of each read */
	uint32_t mask;	/* words of the state that aren't 0 */
	uint32_t read_count; /* above MEMO_READS: not to be reused, and there are no more */
};

struct memo_frames {
	struct memo_frame *frame;
	uint32_t count, capacity;
	uint64_t *word; /* of one frame after the other */
	uint32_t words, word_capacity;
};

struct walk_memo {
	struct memo_frames last;  /* of the last walk; [0] is the outermost */
	struct memo_frames fresh; /* of the walk under way; [0] is the innermost */
	uint32_t stop;
	uint32_t
		cursor; /* frames [cursor, last.count) are below the sp of the walk under way, or have
			  * changed */
	bool lost;	/* there was no memory for the walk under way: it leaves nothing */
	const struct memory_reader *memory; /* the real one */
	struct memory_reader logging;	    /* reads through it and notes what was read */
};

/* Begins a walk; the steps must read through the reader it returns. */
const struct memory_reader *memo_begin(struct walk_memo *memo, const struct memory_reader *memory);
/* The walk is at a frame with this state. True: the rest is known; ret is completed. */
bool memo_finish(struct walk_memo *memo, const uint64_t state[MEMO_STATE_WORDS], uint64_t sp,
		 struct stack *ret);
/* It is not: the frame is noted, and what is read from now on belongs to its step. */
void memo_note(struct walk_memo *memo, const uint64_t state[MEMO_STATE_WORDS], uint64_t sp,
	       uint64_t pc);
/* The walk ended by itself. */
void memo_end(struct walk_memo *memo, uint32_t stop);

#endif
