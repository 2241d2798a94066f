/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * walk_count.bpf.h - counts equal stacks in the kernel
 *
 * A stack is identified by a hash of 128 bits, which is computed during the walk. Its record is sent once; then
 * only its count increases. There are two maps of counts: session.c reads one while the programs fill the other.
 * An update of an array of maps waits until all programs that use the old map have ended (kernel/bpf/syscall.c,
 * maybe_wait_bpf_programs). So nothing is counted in a map while it is read, and no count is lost.
 *
 * If the ring buffer has no room for a record, it is sent when an equal stack is met.
 */
#ifndef STACKPROOF_WALK_COUNT_BPF_H
#define STACKPROOF_WALK_COUNT_BPF_H

#include "walk_maps.bpf.h"

#define EEXIST 17
#define EBUSY  16

/* Preallocated: perf_event programs need that before Linux 6.1. */
struct counts_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct walk_stack_key);
	__type(value, struct walk_stack_count);
} counts_even SEC(".maps"), counts_odd SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct counts_map);
} counts SEC(".maps") = { .values = { (void *)&counts_even } };

static __always_inline void hash_more(__u64 hash[2], __u64 value)
{
	hash[0] = (hash[0] ^ value) * 0x9e3779b97f4a7c15ull;
	hash[0] ^= hash[0] >> 32;
	hash[1] = (hash[1] + value) * 0xc2b2ae3d27d4eb4full;
	hash[1] ^= hash[1] >> 29;
}

/* Who was met. */
static __always_inline void describe(struct walk_record *record)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	record->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	bpf_probe_read_kernel_str(record->thread_name, WALK_NAME_BYTES, &task->comm);
	bpf_probe_read_kernel_str(record->process_name, WALK_NAME_BYTES, &leader->comm);
}

static __always_inline int send_record(struct walk_record *record, __u64 pcs)
{
	if (record->entry != WALK_ENTRY_STEP && record->entry != WALK_ENTRY_REPLAY)
		describe(record);
	AT_MOST(pcs, WALK_FRAMES_MAX + WALK_KERNEL_FRAMES_MAX);
	return bpf_ringbuf_output(&records, record,
				  __builtin_offsetof(struct walk_record, pc) + pcs * 8,
				  wake_up ? 0 : BPF_RB_NO_WAKEUP);
}

/* Where it is: a copy would take stack. */
static __always_inline const struct walk_stack_key *stack_key(const struct walk_record *record)
{
	return (const void *)record->hash;
}

/* Adds to a stack's count in the map that is filled now. 0: it is not there; lost_full or lost_count was increased. */
static __always_inline struct walk_stack_count *add_to_count(const struct walk_stack_key *key,
							     const struct walk_stack_count *more,
							     struct walk_counters *counter)
{
	struct walk_stack_count *value;
	__u32 zero = 0;
	void *map = bpf_map_lookup_elem(&counts, &zero);
	long status;

	if (!map) {
		counter->lost_full++;
		return 0;
	}
	value = bpf_map_lookup_elem(map, key);
	if (!value) {
		status = bpf_map_update_elem(map, key, more, BPF_NOEXIST);
		value = bpf_map_lookup_elem(map, key);
		if (!value) {
			if (status == -EBUSY)
				counter->lost_count++;
			else
				counter->lost_full++;
			return 0;
		}
		if (!status)
			return value;
		/* another CPU was first */
	}
	__sync_fetch_and_add(&value->count, more->count);
	if (off_cpu)
		__sync_fetch_and_add(&value->off_ns, more->off_ns);
	value->last = more->last; /* of two CPUs' either */
	return value;
}

/* Counts the record's stack, and sends the record, with so many PCs, if that has not been done. -1: not counted;
 * lost_full or lost_count was increased. */
static __always_inline int count_stack(struct walk_record *record, __u64 pcs,
				       struct walk_counters *counter)
{
	struct walk_stack_count first = { .count = 1, .last = record->time }, *value;

	value = add_to_count(stack_key(record), &first, counter);
	if (!value)
		return -1;
	if (!value->sent && !send_record(record, pcs))
		value->sent = 1;
	return 0;
}

#endif
