/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk_memo.c - the rest of a stack, if it is provably the last walk's (walk_memo.h)
 */
#include <stdlib.h>
#include <string.h>
#include "walk_memo.h"

struct walk_memo *walk_memo_create(void)
{
	return calloc(1, sizeof(struct walk_memo));
}

void walk_memo_destroy(struct walk_memo *memo)
{
	if (!memo)
		return;
	free(memo->last.frame);
	free(memo->fresh.frame);
	free(memo);
}

void walk_memo_reset(struct walk_memo *memo)
{
	memo->last.count = 0;
}

/* Room for count frames more. */
static bool reserve(struct memo_frames *frames, uint32_t count)
{
	uint32_t capacity = frames->capacity ? frames->capacity : 64;
	struct memo_frame *grown;

	if (frames->capacity - frames->count >= count)
		return true;
	while (capacity - frames->count < count)
		capacity *= 2;
	grown = reallocarray(frames->frame, capacity, sizeof(*grown));
	if (!grown)
		return false;
	frames->frame = grown;
	frames->capacity = capacity;
	return true;
}

static int read_and_note(void *context, uint64_t address, void *ret, size_t size)
{
	struct walk_memo *memo = context;
	struct memo_frame *frame;
	int status = memo->memory->read(memo->memory->context, address, ret, size);

	if (memo->lost)
		return status;
	frame = &memo->fresh.frame[memo->fresh.count - 1];
	if (status || size != sizeof(uint64_t) || frame->read_count >= MEMO_READS) {
		frame->read_count = MEMO_READS + 1;
		return status;
	}
	frame->read[frame->read_count].address = address;
	memcpy(&frame->read[frame->read_count].value, ret, sizeof(uint64_t));
	frame->read_count++;
	return 0;
}

const struct memory_reader *memo_begin(struct walk_memo *memo, const struct memory_reader *memory)
{
	memo->memory = memory;
	memo->logging = (struct memory_reader) { .read = read_and_note, .context = memo };
	memo->fresh.count = 0;
	memo->cursor = memo->last.count;
	memo->lost = false;
	return &memo->logging;
}

/* Every word that the steps of frames [0, count) read is still what it was. */
static bool still_holds(const struct walk_memo *memo, uint32_t count)
{
	for (uint32_t i = count; i-- > 0;) {
		const struct memo_frame *frame = &memo->last.frame[i];

		if (frame->read_count > MEMO_READS)
			return false;
		for (uint32_t r = 0; r < frame->read_count; r++) {
			uint64_t now;

			if (memo->memory->read(memo->memory->context, frame->read[r].address, &now,
					       sizeof(now)) ||
			    now != frame->read[r].value)
				return false;
		}
	}
	return true;
}

/* The last walk's first `keep` frames, and below them the new ones. */
static void commit(struct walk_memo *memo, uint32_t keep)
{
	struct memo_frames *last = &memo->last, *fresh = &memo->fresh;

	last->count = keep;
	if (memo->lost || !reserve(last, fresh->count)) {
		last->count = 0;
		return;
	}
	while (fresh->count)
		last->frame[last->count++] = fresh->frame[--fresh->count];
}

bool memo_finish(struct walk_memo *memo, const void *state, uint64_t sp, struct stack *ret)
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
	if (frame->sp != sp || memcmp(frame->state, state, MEMO_STATE_BYTES) != 0 ||
	    !still_holds(memo, keep) || stack_reserve(ret, ret->count + keep, &ignored))
		return false;
	for (uint32_t i = keep; i-- > 0;)
		ret->pc[ret->count++] = memo->last.frame[i].pc;
	ret->stop = memo->stop;
	commit(memo, keep);
	return true;
}

void memo_note(struct walk_memo *memo, const void *state, uint64_t sp, uint64_t pc)
{
	struct memo_frame *frame;

	memo->lost = memo->lost || !reserve(&memo->fresh, 1);
	if (memo->lost)
		return;
	frame = &memo->fresh.frame[memo->fresh.count++];
	frame->sp = sp;
	frame->pc = pc;
	frame->read_count = 0;
	memcpy(frame->state, state, MEMO_STATE_BYTES);
}

void memo_end(struct walk_memo *memo, uint32_t stop)
{
	memo->stop = stop;
	commit(memo, 0);
	/* A walk that was cut says nothing about what lies above the cut. */
	if (stop == STOP_DEPTH)
		memo->last.count = 0;
}
