/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk_memo.c - the rest of a stack, if it is provably the last walk's (walk_memo.h)
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "walk_memo.h"
#include "walk_rows.h"

#define FRAMES_KEPT 4096u /* new ones, that there is room for from one walk to the next */

struct walk_memo *walk_memo_create(void)
{
	return calloc(1, sizeof(struct walk_memo));
}

static void frames_deinit(struct memo_frames *frames)
{
	free(frames->frame);
	free(frames->word);
	*frames = (struct memo_frames) { 0 };
}

void walk_memo_destroy(struct walk_memo *memo)
{
	if (!memo)
		return;
	frames_deinit(&memo->last);
	frames_deinit(&memo->fresh);
	free(memo);
}

static void forget(struct memo_frames *frames)
{
	frames->count = frames->words = 0;
}

void walk_memo_reset(struct walk_memo *memo)
{
	forget(&memo->last);
}

/* Room for count more. */
static bool reserve_frames(struct memo_frames *frames, uint32_t count)
{
	return ARRAY_RESERVE(frames->frame, frames->capacity, (size_t)frames->count + count);
}

static bool reserve_words(struct memo_frames *frames, uint32_t count)
{
	return ARRAY_RESERVE(frames->word, frames->word_capacity, (size_t)frames->words + count);
}

static uint32_t state_words(const struct memo_frame *frame)
{
	return __builtin_popcount(frame->mask);
}

/* All that the frame has. */
static uint32_t frame_words(const struct memo_frame *frame)
{
	uint32_t reads = frame->read_count > MEMO_READS ? 0 : frame->read_count;

	return state_words(frame) + 2 * reads;
}

static int read_and_note(void *context, uint64_t address, void *ret, size_t size)
{
	struct walk_memo *memo = context;
	struct memo_frames *fresh = &memo->fresh;
	struct memo_frame *frame;
	int status = memo->memory->read(memo->memory->context, address, ret, size);

	if (memo->lost)
		return status;
	frame = &fresh->frame[fresh->count - 1];
	if (status || size != sizeof(uint64_t) || frame->read_count >= MEMO_READS ||
	    !reserve_words(fresh, 2)) {
		frame->read_count = MEMO_READS + 1;
		fresh->words = frame->first + state_words(frame);
		return status;
	}
	fresh->word[fresh->words++] = address;
	memcpy(&fresh->word[fresh->words++], ret, sizeof(uint64_t));
	frame->read_count++;
	return 0;
}

const struct memory_reader *memo_begin(struct walk_memo *memo, const struct memory_reader *memory)
{
	memo->memory = memory;
	memo->logging = (struct memory_reader) { .read = read_and_note, .context = memo };
	forget(&memo->fresh);
	memo->cursor = memo->last.count;
	memo->lost = false;
	return &memo->logging;
}

static bool same_state(const struct memo_frames *frames, const struct memo_frame *frame,
		       const uint64_t state[MEMO_STATE_WORDS])
{
	const uint64_t *word = &frames->word[frame->first];

	for (unsigned int i = 0; i < MEMO_STATE_WORDS; i++)
		if (state[i] != (frame->mask >> i & 1 ? *word++ : 0))
			return false;
	return true;
}

/*
 * Every word that the steps of frames [0, count) read is still what it was. Where one is not, that
 * frame and those inside of it are of no use to this walk any more: so no word is compared twice.
 */
static bool still_holds(struct walk_memo *memo, uint32_t count)
{
	for (uint32_t i = count; i-- > 0;) {
		const struct memo_frame *frame = &memo->last.frame[i];
		const uint64_t *read = &memo->last.word[frame->first + state_words(frame)];

		memo->cursor = i;
		if (frame->read_count > MEMO_READS)
			return false;
		for (uint32_t r = 0; r < frame->read_count; r++, read += 2) {
			uint64_t now;

			if (memo->memory->read(memo->memory->context, read[0], &now, sizeof(now)) ||
			    now != read[1])
				return false;
		}
	}
	return true;
}

/* The last walk's first `keep` frames, and below them the new ones. */
static void commit(struct walk_memo *memo, uint32_t keep)
{
	struct memo_frames *last = &memo->last, *fresh = &memo->fresh;

	if (keep < last->count)
		last->words = last->frame[keep].first;
	last->count = keep;
	if (memo->lost || !reserve_frames(last, fresh->count) ||
	    !reserve_words(last, fresh->words)) {
		forget(last);
		return;
	}
	while (fresh->count) {
		struct memo_frame frame = fresh->frame[--fresh->count];
		uint32_t words = frame_words(&frame);

		memcpy(&last->word[last->words], &fresh->word[frame.first],
		       words * sizeof(uint64_t));
		frame.first = last->words;
		last->words += words;
		last->frame[last->count++] = frame;
	}
	if (fresh->capacity > FRAMES_KEPT)
		frames_deinit(fresh);
}

bool memo_finish(struct walk_memo *memo, const uint64_t state[MEMO_STATE_WORDS], uint64_t sp,
		 struct stack *ret)
{
	const struct memo_frame *frame;
	struct error ignored; /* the walk itself will meet it */
	uint32_t keep;

	while (memo->cursor && memo->last.frame[memo->cursor - 1].sp < sp)
		memo->cursor--;
	keep = memo->cursor;
	if (!keep || keep > stack_limit(ret) - ret->count)
		return false;
	frame = &memo->last.frame[keep - 1];
	if (frame->sp != sp || !same_state(&memo->last, frame, state) || !still_holds(memo, keep) ||
	    stack_reserve(ret, ret->count + keep, &ignored))
		return false;
	for (uint32_t i = keep; i-- > 0;)
		ret->pc[ret->count++] = memo->last.frame[i].pc;
	ret->stop = memo->stop;
	commit(memo, keep);
	return true;
}

void memo_note(struct walk_memo *memo, const uint64_t state[MEMO_STATE_WORDS], uint64_t sp,
	       uint64_t pc)
{
	struct memo_frames *fresh = &memo->fresh;
	struct memo_frame frame = { .sp = sp, .pc = pc };

	memo->lost = memo->lost || !reserve_frames(fresh, 1) ||
		     !reserve_words(fresh, MEMO_STATE_WORDS);
	if (memo->lost)
		return;
	frame.first = fresh->words;
	for (unsigned int i = 0; i < MEMO_STATE_WORDS; i++) {
		if (!state[i])
			continue;
		frame.mask |= 1u << i;
		fresh->word[fresh->words++] = state[i];
	}
	fresh->frame[fresh->count++] = frame;
}

void memo_end(struct walk_memo *memo, uint32_t stop)
{
	memo->stop = stop;
	commit(memo, 0);
	/* A walk that was cut says nothing about what lies above the cut. */
	if (stop == STOP_DEPTH)
		forget(&memo->last);
}
