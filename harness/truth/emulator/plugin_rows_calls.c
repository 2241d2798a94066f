/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_rows_calls.c - calls that may have opened no frame, until they are proven
 *
 * A call is proven by a return that came back to where it was made: from then on each call from there is one. One within
 * its own function is never proven so, for its rows may go on with the function's frame all the time. Of the image's CFI
 * only the FDEs' extents are asked for that, no row.
 *
 *	call f; ...; ret		proven
 *	call 1f; 1: pop rax		the frame goes alone: other readings
 *	call 1f; 1: mov [rsp], rax; ret	a retpoline: it goes elsewhere, and other frames are as they were
 *
 * shadow_stack.h tells how the frames that are watched end; their numbers are those of trials.
 */
#include <stdlib.h>
#include "address_set.h"
#include "array.h"
#include "cfi/cfi.h"
#include "freed.h"
#include "plugin_watch.h"

#define CALL_BYTES  5 /* E8 and a displacement: Intel SDM volume 2 */
#define CALL_OPCODE 0xe8
#define FILE_SHIFT  47 /* user addresses have so many bits */

static struct {
	struct rows_trial *trial; /* of index 1, 2, ... */
	uint32_t count;
	uint32_t *unused;
	uint32_t free;
	uint64_t times; /* how many there were */
	struct address_set proven;
	uint64_t excused; /* returns that went elsewhere, of calls on trial */
	struct file_cfi {
		bool asked;
		struct image *image;
		struct cfi *cfi;
	} * file; /* of number 1, 2, ... */
	uint32_t files;
} calls;

struct rows_trial *rows_trial_by_index(uint32_t index)
{
	return index && index <= calls.count && calls.trial[index - 1].number
		       ? &calls.trial[index - 1]
		       : NULL;
}

struct rows_trial *rows_trial(uint64_t number)
{
	struct rows_trial *trial = rows_trial_by_index(rows_trial_index(number));

	return trial && trial->number == number ? trial : NULL;
}

/* NULL: no memory. */
static struct rows_trial *begin(void)
{
	uint32_t index;

	if (!calls.free) {
		if (!ARRAY_GROW(calls.trial, calls.count) || !ARRAY_GROW(calls.unused, calls.count))
			return NULL;
		calls.trial[calls.count] = (struct rows_trial) { .number = 0 };
		calls.unused[calls.free++] = ++calls.count;
	}
	index = calls.unused[--calls.free];
	calls.trial[index - 1] = (struct rows_trial) { .number = ++calls.times << 32 | index };
	return &calls.trial[index - 1];
}

static void end(struct rows_trial *trial)
{
	calls.unused[calls.free++] = rows_trial_index(trial->number);
	free(trial->tried);
	*trial = (struct rows_trial) { .number = 0 };
}

bool rows_trial_add(struct rows_trial *trial, struct thread_rows *rows, struct rows_record *record)
{
	return ARRAY_ADD(trial->tried, trial->count,
			 (struct rows_tried) { rows, record, record->made });
}

/* ---- within its own function ------------------------------------------------------------------- */

/* NULL: it has none, or can't be read. */
static const struct cfi *cfi_of(uint32_t number)
{
	struct file_cfi *file;
	FREED char *path = NULL;
	struct error ignored;

	while (calls.files < number)
		if (!ARRAY_ADD(calls.file, calls.files, (struct file_cfi) { .asked = false }))
			return NULL;
	file = &calls.file[number - 1];
	if (file->asked)
		return file->cfi;
	file->asked = true;
	if (asprintf(&path, "%s%s", watch.root, code_file(number)->image.path) < 0) {
		path = NULL;
		return NULL;
	}
	if (image_create(path, &file->image, &ignored)) {
		file->image = NULL;
		return NULL;
	}
	if (cfi_create(file->image, &file->cfi, &ignored)) {
		cfi_destroy(file->cfi);
		file->cfi = NULL;
	}
	return file->cfi;
}

/* Whether the call goes into the function that it is in, and not to where that begins. */
static void find_function(struct rows_trial *trial, uint64_t return_address, unsigned int length)
{
	const struct cfi *cfi = cfi_of(trial->file);
	const struct cfi_fde *fde = cfi ? cfi_fde_find(cfi, trial->site - 1) : NULL;
	uint8_t bytes[CALL_BYTES];
	int32_t displacement;
	uint64_t target;

	if (!fde || length != CALL_BYTES ||
	    !plugin_memory_read(return_address - CALL_BYTES, bytes, sizeof(bytes)) ||
	    bytes[0] != CALL_OPCODE)
		return;
	memcpy(&displacement, bytes + 1, sizeof(displacement));
	target = trial->site + (uint64_t)(int64_t)displacement;
	trial->begin = fde->pc_begin;
	trial->end = fde->pc_begin + fde->pc_range;
	trial->inner = target > trial->begin && target < trial->end;
}

/* ---- a call begins ------------------------------------------------------------------------------- */

static int64_t find_outer(const struct shadow_stack *shadow)
{
	const struct shadow_frame *top = &shadow->frame[shadow->count - 1];
	uint64_t further;

	if (shadow->count == 1)
		return shadow->rooted ? ROW_FACT_NO_CALLER : 0;
	further = top[-1].slot - top->slot;
	return top[-1].interrupted || further - 1 >= ROW_FACT_NEAR ? 0 : (int64_t)further;
}

bool watch_rows_called(struct watched_thread *thread, unsigned int length)
{
	struct shadow_stack *shadow = &thread->steps.shadow;
	struct shadow_frame *top = &shadow->frame[shadow->count - 1];
	const struct code_range *range = code_map_find(&thread->process->truth.code,
						       top->return_address - 1);
	uint64_t site = range ? top->return_address - range->bias : 0;
	struct rows_trial *trial;

	if (!range || code_file(range->file)->image.kind != TRUTH_IMAGE_FILE ||
	    address_set_find(&calls.proven, site | (uint64_t)range->file << FILE_SHIFT))
		return true;
	trial = begin();
	if (!trial) {
		watch_fail();
		return true;
	}
	trial->file = range->file;
	trial->site = site;
	trial->outer = find_outer(shadow);
	trial->below = shadow->count > 1 ? top[-1].watch : 0;
	top->watch = trial->number;
	find_function(trial, top->return_address, length);
	return false;
}

/* ---- it is over ------------------------------------------------------------------------------------- */

static bool is_in_function(const struct rows_trial *trial, const struct rows_record *record)
{
	return trial->inner && record->file == trial->file && record->pc >= trial->begin &&
	       record->pc < trial->end;
}

void rows_readings(const struct rows_trial *trial, const struct rows_record *record, bool gone,
		   int64_t ret[ROW_FACT_READINGS])
{
	int64_t outer = 0;
	size_t count = 0;

	memset(ret, 0, ROW_FACT_READINGS * sizeof(*ret));
	for (const struct rows_trial *one = trial;
	     one && one->outer && count < ROW_FACT_READINGS &&
	     ((gone && one == trial) || is_in_function(one, record));
	     one = rows_trial(one->below)) {
		outer = one->outer == ROW_FACT_NO_CALLER ? one->outer : outer + one->outer;
		ret[count++] = outer;
		if (outer == ROW_FACT_NO_CALLER)
			return;
	}
}

/* The return address of the frame further out is in its slot. */
static bool is_as_before(const struct shadow_stack *stack)
{
	const struct shadow_frame *top = stack->count ? &stack->frame[stack->count - 1] : NULL;
	uint64_t word;

	return !top || top->interrupted ||
	       (plugin_memory_read(top->slot, &word, sizeof(word)) &&
		!((word ^ top->return_address) % TABLE_PAGE_SIZE));
}

static void on_end(void *context, const struct shadow_stack *stack,
		   const struct shadow_frame *frame, enum frame_end how, uint64_t target)
{
	struct rows_trial *trial = rows_trial(frame->watch);
	bool gone = how != FRAME_RETURNED && !stack->ends, done = true;
	int64_t outer[ROW_FACT_READINGS];

	if (!trial)
		return;
	if (how == FRAME_RETURNED && !trial->inner)
		done = address_set_add(&calls.proven,
				       trial->site | (uint64_t)trial->file << FILE_SHIFT);
	if (how == FRAME_REPLACED && is_as_before(stack))
		calls.excused++;
	for (size_t i = 0; i < trial->count; i++) {
		const struct rows_tried *one = &trial->tried[i];

		if (one->record->made != one->made)
			continue;
		rows_readings(trial, one->record, gone, outer);
		done &= rows_decide(one->rows, one->record, outer);
	}
	end(trial);
	if (!done)
		watch_fail();
}

const struct shadow_observer watch_rows_observer = { .frame_ended = on_end };

uint64_t watch_rows_excused(void)
{
	uint64_t ret = calls.excused;

	calls.excused = 0;
	return ret;
}
