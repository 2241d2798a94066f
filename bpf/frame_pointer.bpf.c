/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * frame_pointer.bpf.c - the baseline: the kernel's own frame-pointer walk
 *
 * bpf_get_stack(BPF_F_USER_STACK) follows rbp through user memory, as profilers without unwind
 * tables do. It is entered exactly like walk.bpf.c, so the two are held against the same truth and
 * their costs can be compared. The helper says nothing about why it stopped, and is limited by the
 * sysctl kernel.perf_event_max_stack (127 unless changed): STOP_HELPER.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "own_id.bpf.h"
#include "walk.h"

#define SIGTRAP 5

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u32);
} fp_processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALK_ENTRY_COUNT);
	__type(key, __u32);
	__type(value, struct walk_record);
} fp_scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_counters);
} fp_counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} fp_records SEC(".maps");

#define FRAME_BYTES (WALK_FRAMES_MAX * 8)

const volatile int wake_up = 0; /* as in walk_maps.bpf.h */

static __always_inline int walk(void *ctx, __u32 entry)
{
	__u64 id = own_id();
	struct walk_counters *counter;
	struct walk_record *record;
	__u32 pid = id >> 32, zero = 0;
	long bytes;

	counter = bpf_map_lookup_elem(&fp_counters, &zero);
	if (!counter || !bpf_map_lookup_elem(&fp_processes, &pid))
		return 0;
	counter->samples++;
	record = bpf_map_lookup_elem(&fp_scratches, &entry);
	if (!record)
		return 0;
	bytes = bpf_get_stack(ctx, record->pc, FRAME_BYTES, BPF_F_USER_STACK);
	if (bytes < 0) {
		counter->lost_regs++;
		return 0;
	}
	record->entry = entry;
	record->stop = STOP_HELPER;
	record->pid = pid;
	record->tid = (__u32)id;
	record->cpu = bpf_get_smp_processor_id();
	record->sp = 0;
	record->sequence++;
	bytes &= 2 * FRAME_BYTES - 1;
	if (bytes > FRAME_BYTES)
		bytes = FRAME_BYTES;
	record->count = bytes / 8;
	if (bpf_ringbuf_output(&fp_records, record,
			       __builtin_offsetof(struct walk_record, pc) + bytes,
			       wake_up ? 0 : BPF_RB_NO_WAKEUP)) {
		counter->lost_space++;
	} else {
		counter->stacks++;
		counter->frames += bytes / 8;
		counter->stop[STOP_HELPER]++;
	}
	return 0;
}

SEC("raw_tracepoint/signal_generate")
int fp_step(struct bpf_raw_tracepoint_args *ctx)
{
	if (ctx->args[0] != SIGTRAP || ctx->args[2] != bpf_get_current_task())
		return 0;
	return walk(ctx, WALK_ENTRY_STEP);
}

SEC("perf_event")
int fp_sample(void *ctx)
{
	return walk(ctx, WALK_ENTRY_SAMPLE);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
