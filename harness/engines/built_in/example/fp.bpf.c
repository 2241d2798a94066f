/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fp.bpf.c - the kernel's walk along frame pointers, as an engine: a BPF program and no more
 *
 *	clang -target bpf -O2 -g -I../../driven -c fp.bpf.c
 *	stackproof compare --engine cfi,mine=bpf:fp.bpf.o -- /bin/ls
 */
#include <linux/bpf_perf_event.h>
#include "stackproof_engine.bpf.h"

#define FRAMES 127 /* what the kernel gives at most, unless told otherwise */

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[FRAMES]);
} room SEC(".maps");

SEC("perf_event") int walk(struct bpf_perf_event_data *context)
{
	__u32 zero = 0;
	__u64 *pc = bpf_map_lookup_elem(&room, &zero);
	long bytes;

	if (!pc)
		return 0;
	bytes = bpf_get_stack(context, pc, FRAMES * sizeof(*pc), BPF_F_USER_STACK);
	return bytes < 0 ? 0 : stackproof_send(pc, bytes / sizeof(*pc), 0);
}
