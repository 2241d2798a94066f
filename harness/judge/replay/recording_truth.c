/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording_truth.c - true stacks as a tree of frames
 *
 * Stacks of neighbouring points mostly differ in their innermost frame. So a frame is written once,
 * below its caller, and a stack is the number of its innermost one.
 */
#include <stdlib.h>
#include "hash.h"
#include "array.h"
#include "recording.h"

#define SLOTS_LEAST 1024u

static uint32_t *find_slot(const struct recording_frames *frames, uint32_t caller, uint64_t pc)
{
	for (uint32_t at = hash_word(pc, (uint64_t)caller << 36) >> 32;; at++) {
		uint32_t *slot = &frames->slot[at & (frames->slot_count - 1)];

		if (!*slot || (frames->frame[*slot - 1].caller == caller &&
			       frames->frame[*slot - 1].pc == pc))
			return slot;
	}
}

/* At most half of the slots are in use, with one more frame. */
static bool make_slots(struct recording_frames *frames)
{
	uint32_t count = frames->slot_count ? 2 * frames->slot_count : SLOTS_LEAST;
	uint32_t *slot;

	if (frames->count < frames->slot_count / 2)
		return true;
	slot = count > frames->slot_count ? calloc(count, sizeof(*slot)) : NULL;
	if (!slot)
		return false;
	free(frames->slot);
	frames->slot = slot;
	frames->slot_count = count;
	for (uint32_t i = 1; i <= frames->count; i++)
		*find_slot(frames, frames->frame[i - 1].caller, frames->frame[i - 1].pc) = i;
	return true;
}

uint32_t recording_frames_add(struct recording_frames *frames, uint32_t caller, uint64_t pc)
{
	if (frames->count == UINT32_MAX - 1 || !ARRAY_GROW(frames->frame, frames->count))
		return 0;
	frames->frame[frames->count++] = (struct recording_frame) {
		.pc = pc,
		.caller = caller,
		.depth = caller ? frames->frame[caller - 1].depth + 1 : 1,
	};
	return frames->count;
}

uint32_t recording_frames_find(struct recording_frames *frames, uint32_t caller, uint64_t pc,
			       bool *ret_new)
{
	uint32_t number;

	*ret_new = false;
	if (!make_slots(frames))
		return 0;
	number = *find_slot(frames, caller, pc);
	if (number)
		return number;
	number = recording_frames_add(frames, caller, pc);
	if (number)
		*find_slot(frames, caller, pc) = number;
	*ret_new = number != 0;
	return number;
}

void recording_frames_deinit(struct recording_frames *frames)
{
	free(frames->frame);
	free(frames->slot);
	*frames = (struct recording_frames) { .frame = NULL };
}
