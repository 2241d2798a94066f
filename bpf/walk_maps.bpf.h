/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * walk_maps.bpf.h - the maps of the walk in the kernel, and its reads of tables and of the stack
 *
 * The stack is read in windows: one helper call reads 2 KiB, enough for many frames. A window never crosses a
 * page, because the stack may end at the next page, and a fault takes as long as 50 frames or more.
 */
#ifndef STACKPROOF_WALK_MAPS_BPF_H
#define STACKPROOF_WALK_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "walk.h"
#include "walk_spaces.bpf.h"

/* The tables of all images. session.c sets the capacities before loading, and writes to the memory by mmap(2). A
 * process's tables are written before its space is named in processes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_page_chunk);
} pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_entry_chunk);
} entries SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_shape_chunk);
} shapes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_rule_chunk);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct table_place);
} places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALK_ENTRY_COUNT);
	__type(key, __u32);
	__type(value, struct walk_scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALK_ENTRY_COUNT);
	__type(key, __u32);
	__type(value, struct rule_memo);
} memos SEC(".maps");

/* By enum walk_entry, because events of different kinds can interrupt each other, and an addition that is not atomic
 * would get lost. The program that has the scratch adds plainly; others add atomically, to other counters. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALK_ENTRY_COUNT);
	__type(key, __u32);
	__type(value, struct walk_counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} records SEC(".maps");

/* A program array holds programs of one type only. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} step_tails SEC(".maps"), sample_tails SEC(".maps"), uprobe_tails SEC(".maps"),
	tracepoint_tails SEC(".maps"), replay_tails SEC(".maps");

/* By struct task_struct. Preallocated, as the counts. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct walk_off_thread);
} off_threads SEC(".maps");

/* The session's options, set before loading: the verifier removes code that they switch off. */
const volatile int count_stacks = 0;   /* count equal stacks, and send only the first one */
const volatile int frame_pointers = 0; /* follow them if there is no CFI */
const volatile int kernel_stacks = 0;  /* take the kernel's stack, too */
const volatile int every_tick = 0;     /* send what could not be walked, too */
const volatile int off_cpu = 0;	       /* the tracepoint is sched_switch: walk_off.bpf.h */
const volatile __u64 off_least_ns = 0; /* shorter times off a CPU are not counted */
const volatile int no_memo = 0;	       /* look up every PC */
const volatile int wake_up = 0; /* wake waiting readers, by the first record after all were read */

/* ---- reading the tables ----------------------------------------------------------------- */

struct walk_tables; /* incomplete: there is only one set of tables */

static __always_inline const struct walk_page_chunk *walk_page_chunk(struct walk_tables *tables,
								     __u32 number)
{
	return bpf_map_lookup_elem(&pages, &number);
}

static __always_inline const struct walk_entry_chunk *walk_entry_chunk(struct walk_tables *tables,
								       __u32 number)
{
	return bpf_map_lookup_elem(&entries, &number);
}

static __always_inline const struct walk_shape_chunk *walk_shape_chunk(struct walk_tables *tables,
								       __u32 number)
{
	return bpf_map_lookup_elem(&shapes, &number);
}

static __always_inline const struct walk_rule_chunk *walk_rule_chunk(struct walk_tables *tables,
								     __u32 number)
{
	return bpf_map_lookup_elem(&rules, &number);
}

/* Makes a bound known where it is needed: the compiler may know it, but verifiers before Linux 5.17 forget it if it
 * was on the stack in between. */
#define AT_MOST(variable, most)                                                                    \
	do {                                                                                       \
		barrier_var(variable);                                                             \
		if ((variable) > (most))                                                           \
			(variable) = (most);                                                       \
	} while (0)

/* ---- reading the stack ------------------------------------------------------------------ */

struct walk_memory {
	struct walk_scratch *scratch;
	struct walk_counters *counters;
	__u32 first_place; /* of the current image */
};

static __always_inline int walk_read(struct walk_memory *memory, __u64 address, __u64 *ret)
{
	struct walk_scratch *scratch = memory->scratch;
	__u64 offset = address - scratch->window_address;

	if (!scratch->window_address || offset > WALK_WINDOW_BYTES - 8) {
		__u64 start = address & ~7ull, last = (address | 4095) + 1 - WALK_WINDOW_BYTES;

		if (start > last)
			start = last;
		memory->counters->window_reads++;
		scratch->window_address = start;
		offset = address - start;
		if (bpf_probe_read_user(scratch->window, WALK_WINDOW_BYTES, (void *)start)) {
			scratch->window_address = 0;
			return -1;
		}
	}
	if (offset & 7 || offset > WALK_WINDOW_BYTES - 8) {
		memory->counters->single_reads++;
		return bpf_probe_read_user(ret, sizeof(*ret), (void *)address) ? -1 : 0;
	}
	*ret = scratch->window[(offset >> 3) & (WALK_WINDOW_BYTES / 8 - 1)];
	return 0;
}

static __always_inline const struct table_place *walk_place(struct walk_memory *memory,
							    __u32 number)
{
	number += memory->first_place;
	return bpf_map_lookup_elem(&places, &number);
}

#endif
