/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * driven_records.c - what a record says, and each thread's latest
 *
 * A record answers a stop if it is the thread's latest, and came since the stop before. A thread may be switched out
 * between the two as well, in the kernel: a record that begins where the stop before was is of then, if the program
 * had none at the stop itself. The kernel's frames, which a walk may have in front, are left out.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "driven.h"

#define KERNEL_BIT (1ull << 63) /* of a PC */
#define STACK_TRACE_FRAMES                                                                         \
	1024 /* of BPF_MAP_TYPE_STACK_TRACE, more than sysctl allows by default (127) */

struct latest {
	uint32_t tid;
	bool fresh;	 /* there is a record since the stop before */
	uint64_t before; /* the PC of the stop before; 0: there was none */
	uint8_t *record; /* owned */
	size_t size, room;
};

struct driven_records {
	struct driven_layout layout;
	struct driven_object *object;
	struct latest *thread;
	size_t threads;
	bool out_of_memory;
	struct driven_counts counts;
};

struct driven_records *driven_records_create(const struct driven_layout *layout)
{
	struct driven_records *records = calloc(1, sizeof(*records));

	if (records)
		records->layout = *layout;
	return records;
}

void driven_records_set_object(struct driven_records *records, struct driven_object *object)
{
	records->object = object;
}

void driven_records_forget(struct driven_records *records)
{
	for (size_t i = 0; i < records->threads; i++)
		free(records->thread[i].record);
	records->threads = 0;
}

void driven_records_destroy(struct driven_records *records)
{
	if (!records)
		return;
	driven_records_forget(records);
	free(records->thread);
	free(records);
}

struct driven_counts *driven_records_counts(struct driven_records *records)
{
	return &records->counts;
}

/* ---- a record ----------------------------------------------------------------------------- */

/* Little-endian, with its sign. False: the record ends before. */
static bool get(const uint8_t *record, size_t size, const struct driven_field *field, int64_t *ret)
{
	uint64_t value = 0;
	unsigned int shift = 64 - 8u * field->bytes;

	if (field->offset > size || field->bytes > size - field->offset)
		return false;
	memcpy(&value, record + field->offset, field->bytes);
	*ret = (int64_t)(value << shift) >> shift;
	return true;
}

static struct latest *find(struct driven_records *records, uint32_t tid, bool add)
{
	for (size_t i = 0; i < records->threads; i++)
		if (records->thread[i].tid == tid)
			return &records->thread[i];
	if (!add)
		return NULL;
	if (!ARRAY_GROW(records->thread, records->threads)) {
		records->out_of_memory = true;
		return NULL;
	}
	records->thread[records->threads] = (struct latest) { .tid = tid };
	return &records->thread[records->threads++];
}

/* The record isn't asked for any more: the map of stacks has few places. */
static void drop(struct driven_records *records, struct latest *latest)
{
	int64_t id;

	if (latest->fresh && records->layout.stack.bytes &&
	    get(latest->record, latest->size, &records->layout.stack, &id) && id >= 0)
		driven_object_drop(records->object, (uint32_t)id);
	latest->fresh = false;
}

void driven_records_add(void *context, const void *record, size_t size)
{
	struct driven_records *records = context;
	struct latest *latest;
	int64_t tid;

	records->counts.records++;
	records->counts.bytes += size;
	if (!get(record, size, &records->layout.tid, &tid)) {
		records->counts.malformed++;
		return;
	}
	latest = find(records, (uint32_t)tid, true);
	if (!latest)
		return;
	if (latest->size != size || memcmp(latest->record, record, size) != 0)
		drop(records, latest);
	if (!ARRAY_RESERVE(latest->record, latest->room, size)) {
		records->out_of_memory = true;
		return;
	}
	memcpy(latest->record, record, size);
	latest->size = size;
	latest->fresh = true;
}

void driven_records_pass(struct driven_records *records, pid_t tid, uint64_t pc)
{
	struct latest *latest = find(records, (uint32_t)tid, false);

	if (!latest)
		return;
	drop(records, latest);
	latest->before = pc;
}

static int64_t malformed(struct driven_records *records)
{
	records->counts.malformed++;
	return -1;
}

/* The frames that lie in the record. -1: it is malformed. */
static int64_t frames_inside(struct driven_records *records, const struct latest *latest,
			     const uint8_t **ret)
{
	const struct driven_layout *layout = &records->layout;
	const struct driven_field *field = layout->count.bytes ? &layout->count : &layout->bytes;
	int64_t count;

	if (!get(latest->record, latest->size, field, &count) || layout->pcs.offset > latest->size)
		return malformed(records);
	if (layout->count.bytes && layout->count.bytes < 8) /* has no sign */
		count &= (1ll << 8 * layout->count.bytes) - 1;
	if (layout->bytes.bytes)
		count = count < 0 ? 0 : count / (int64_t)sizeof(uint64_t); /* it failed */
	if (count < 0 || (uint64_t)count > (latest->size - layout->pcs.offset) / sizeof(uint64_t))
		return malformed(records);
	*ret = latest->record + layout->pcs.offset;
	return count;
}

/* -1: the record is malformed, or the map has no such stack: another thread with the same has taken it. */
static int64_t frames_by_number(struct driven_records *records, const struct latest *latest,
				uint64_t *room)
{
	int64_t id;
	int count;

	if (!get(latest->record, latest->size, &records->layout.stack, &id))
		return malformed(records);
	if (id < 0) /* it failed */
		return 0;
	count = driven_object_stack(records->object, (uint32_t)id, room, STACK_TRACE_FRAMES);
	records->counts.lost += count < 0;
	return count;
}

/* What the record says, but for its frames. False: it is malformed. */
static bool is_complete(struct driven_records *records, const struct latest *latest, bool *ret)
{
	int64_t complete = 1;

	if (records->layout.complete.bytes &&
	    !get(latest->record, latest->size, &records->layout.complete, &complete)) {
		malformed(records);
		return false;
	}
	*ret = complete;
	return true;
}

int driven_records_take(struct driven_records *records, pid_t tid, uint64_t pc, struct stack *ret,
			struct error *error)
{
	struct latest *latest = find(records, (uint32_t)tid, false);
	uint64_t numbered[STACK_TRACE_FRAMES], first = 0, before;
	const uint8_t *pcs = (const uint8_t *)numbered;
	int64_t count;
	bool complete;

	if (records->out_of_memory)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a BPF record");
	if (!latest || !latest->fresh) {
		records->counts.none++;
		return 1;
	}
	before = latest->before;
	latest->before = pc;
	latest->fresh = false;
	count = records->layout.stack.bytes ? frames_by_number(records, latest, numbered)
					    : frames_inside(records, latest, &pcs);
	if (count < 0 || !is_complete(records, latest, &complete))
		return 1;
	for (; count; count--, pcs += sizeof(first)) {
		memcpy(&first, pcs, sizeof(first));
		if (!(first & KERNEL_BIT))
			break;
	}
	if (count && first != pc && first == before) {
		records->counts.stale++;
		return 1;
	}
	return stack_set(ret, pcs, (uint32_t)count,
			 complete && count ? STOP_COMPLETE : STOP_FOREIGN, error)
		       ? -1
		       : 0;
}
