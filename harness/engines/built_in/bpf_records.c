/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bpf_records.c - what the programs in the kernel said at a thread's latest trap
 *
 * The walk runs in the traced thread when the trap's signal is generated, before the tracer hears
 * of the stop, so its record is in the ring buffer by then. With several threads other records may
 * be there too: each is kept, one per thread and program, until that thread's stop asks for it.
 *
 * A record answers a stop only if it is from that stop: its stack pointer and first PC must be the
 * stopped thread's. Anything else would hold yesterday's stack against today's truth.
 */
#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "engine.h"
#include "session.h"

/* Traps between two readings of the ring buffers, which have room for 500 records of the largest
 * size. */
#define PASSED_MAX 256u

struct kept_record {
	uint32_t tid;
	bool frame_pointer;
	bool fresh;
	struct walk_record record;
};

struct bpf_records {
	struct bpf_session_options options;
	struct bpf_session *session;
	bool out_of_memory;
	uint64_t passed;
	int stats;	       /* as long as it is open, the kernel counts run time; or -1 */
	uint32_t helper_limit; /* frames that the kernel's own walk has at most; 0: not known */
	struct kept_record **kept;
	size_t kept_count;
};

struct bpf_records *bpf_records_create(bool walk, bool frame_pointer, enum walk_method method,
				       bool follow_frame_pointers)
{
	struct bpf_records *records = calloc(1, sizeof(*records));

	if (!records)
		return NULL;
	records->options.entries = 1u << WALK_ENTRY_STEP;
	records->options.frame_pointer = frame_pointer;
	records->options.follow_frame_pointers = follow_frame_pointers;
	records->options.only_frame_pointer = frame_pointer && !walk;
	records->options.method = method;
	records->stats = -1;
	return records;
}

void bpf_records_destroy(struct bpf_records *records)
{
	if (!records)
		return;
	bpf_session_close(records->session);
	if (records->stats >= 0)
		close(records->stats);
	for (size_t i = 0; i < records->kept_count; i++)
		free(records->kept[i]);
	free(records->kept);
	free(records);
}

/* bpf_get_stack() gives as many frames as the kernel allows and as a record has room for. */
static uint32_t read_helper_limit(void)
{
	FILE_CLOSED FILE *file = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	uint32_t limit;

	if (!file || fscanf(file, "%" SCNu32, &limit) != 1)
		return 0;
	return limit < WALK_FRAMES_MAX ? limit : WALK_FRAMES_MAX;
}

int bpf_records_open(struct bpf_records *records, struct error *error)
{
	if (records->session)
		return 0;
	if (records->options.frame_pointer)
		records->helper_limit = read_helper_limit();
	if (bpf_session_open(&records->options, &records->session, error))
		return -1;
	if (bpf_session_attach_steps(records->session, error)) {
		bpf_session_close(records->session);
		records->session = NULL;
		return -1;
	}
	records->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	return 0;
}

bool bpf_records_cost(const struct bpf_records *records, bool frame_pointer,
		      struct engine_cost *ret)
{
	struct walk_counters counters;
	struct error ignored;
	uint64_t runs;

	if (!records->session || records->stats < 0 ||
	    bpf_session_counters(records->session, frame_pointer, &counters, &ignored) ||
	    bpf_session_run_time(records->session, WALK_ENTRY_STEP, frame_pointer, &ret->walk_ns,
				 &runs, &ignored))
		return false;
	ret->walks = counters.samples;
	return true;
}

const char *bpf_records_method(const struct bpf_records *records)
{
	return records->session ? bpf_session_method_name(records->session) : "";
}

int bpf_records_mappings(struct bpf_records *records, const struct address_space *space,
			 struct error *error)
{
	return bpf_session_set_process(records->session, space, error);
}

void bpf_records_forget_process(struct bpf_records *records, pid_t pid)
{
	if (records->session)
		bpf_session_forget_process(records->session, pid);
}

void bpf_records_forget(struct bpf_records *records, pid_t pid)
{
	bpf_records_forget_process(records, pid);
	/* Its threads' numbers may come back. */
	for (size_t i = 0; i < records->kept_count; i++)
		free(records->kept[i]);
	records->kept_count = 0;
}

static struct kept_record *find_kept(struct bpf_records *records, uint32_t tid, bool frame_pointer)
{
	for (size_t i = 0; i < records->kept_count; i++)
		if (records->kept[i]->tid == tid &&
		    records->kept[i]->frame_pointer == frame_pointer)
			return records->kept[i];
	return NULL;
}

static struct kept_record *add_kept(struct bpf_records *records, uint32_t tid, bool frame_pointer)
{
	struct kept_record *kept = malloc(sizeof(*kept));

	if (!kept || !ARRAY_ADD(records->kept, records->kept_count, kept)) {
		free(kept);
		records->out_of_memory = true;
		return NULL;
	}
	kept->tid = tid;
	kept->frame_pointer = frame_pointer;
	return kept;
}

static void keep(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct bpf_records *records = context;
	struct kept_record *kept = find_kept(records, record->tid, frame_pointer);

	if (record->entry != WALK_ENTRY_STEP || record->count > WALK_FRAMES_MAX)
		return;
	if (!kept)
		kept = add_kept(records, record->tid, frame_pointer);
	if (!kept)
		return;
	kept->fresh = true;
	memcpy(&kept->record, record, walk_record_bytes(record));
}

int bpf_records_pass(struct bpf_records *records, struct error *error)
{
	if (!records->session || ++records->passed % PASSED_MAX)
		return 0;
	return bpf_session_consume(records->session, keep, records, error);
}

static bool has_guess(const struct stack *stack)
{
	return ARRAY_ANY(stack->count, i, stack_is_guessed(stack, i));
}

int bpf_records_take(struct bpf_records *records, const struct trace_stop *stop, bool frame_pointer,
		     struct stack *ret, struct error *error)
{
	const struct walk_record *record;
	struct kept_record *kept;

	if (bpf_session_consume(records->session, keep, records, error))
		return -1;
	if (records->out_of_memory)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a BPF record");
	kept = find_kept(records, stop->tid, frame_pointer);
	if (!kept || !kept->fresh)
		return 1;
	kept->fresh = false;
	record = &kept->record;
	if (!record->count || record->pc[0] != stop->regs.value[REGISTER_RIP] ||
	    (!frame_pointer && record->sp != stop->regs.value[REGISTER_RSP]))
		return 1;
	if (stack_set(ret, record->pc, record->count, record->stop, error))
		return -1;
	ret->has_marks = !frame_pointer && records->options.follow_frame_pointers;
	/* The helper does not say that it had no room for more. */
	if (frame_pointer && ret->count == records->helper_limit)
		ret->stop = STOP_DEPTH;
	/* The outermost frame's CFI says that it is that, and nothing proves the way to it. */
	if (ret->stop == STOP_COMPLETE && records->options.follow_frame_pointers && has_guess(ret))
		ret->stop = STOP_GUESSED;
	return 0;
}
