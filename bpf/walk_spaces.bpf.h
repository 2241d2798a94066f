/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * walk_spaces.bpf.h - the maps in which the walk finds a process's mappings
 *
 * task_notes.bpf.c looks into them, too: there the walk's own are put in their places.
 */
#ifndef STACKPROOF_WALK_SPACES_BPF_H
#define STACKPROOF_WALK_SPACES_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "walk.h"

/* Process -> number of its space. Spaces never change: a new one is written elsewhere, and then this number is
 * replaced. */
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

#endif
