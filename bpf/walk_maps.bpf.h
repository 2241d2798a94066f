/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * walk_maps.bpf.h - what the walk in the kernel reads and writes: its maps, the tables, the stack
 *
 * The stack is read in windows: one helper call brings 2 KiB, which serves many frames. A window
 * lies in one page, which is there or not: beyond the page there may be the stack's end, and a
 * fault costs as much as 50 frames or more.
 */
#ifndef STACKPROOF_WALK_MAPS_BPF_H
#define STACKPROOF_WALK_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "walk.h"

/* Process -> number of its space. A space is never changed in place: a new one is written and then
 * named here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_space);
} spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_mapping_chunk);
} mappings SEC(".maps");

/* The tables of all images, one after the other. session.c sets the capacities before loading and
 * writes through a mapping of the memory; a process is published only after its tables. */
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

/* An entry's own: another one that interrupts it between reading a word and writing it back would
 * lose what it adds. Who holds the scratch adds plainly; who does not, to words of his own. */
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

/* What the session was told, before the programs were loaded: what is off, the verifier removes. */
const volatile int count_stacks = 0; /* equal stacks are counted, and only the first one is sent */
const volatile int frame_pointers = 0; /* followed where there is no CFI */
const volatile int no_memo = 0;	       /* every PC is looked up */
const volatile int wake_up = 0; /* who waits for records, by the first after all were taken */

/* ---- reading the tables ----------------------------------------------------------------- */

struct walk_tables; /* there is one set of them */

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

/* ---- reading the stack ------------------------------------------------------------------ */

struct walk_memory {
	struct walk_scratch *scratch;
	struct walk_counters *counters;
	__u32 first_place; /* of the image at hand */
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
