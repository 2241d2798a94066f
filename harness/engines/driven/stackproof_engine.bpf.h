/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stackproof_engine.bpf.h - a BPF walker's stack, sent to `stackproof compare --engine NAME=bpf:FILE.bpf.o`
 *
 *	#include "stackproof_engine.bpf.h"
 *
 *	SEC("perf_event") int on_event(struct bpf_perf_event_data *ctx)
 *	{
 *		... walk ...
 *		return stackproof_send(pcs, count, complete);
 *	}
 *
 * A program with records of its own needs none of this: docs/ENGINES.md says how to describe them. For C with clang's
 * target bpf, behind vmlinux.h where that is included; without __bpf__ only the record is declared.
 */
#ifndef STACKPROOF_ENGINE_BPF_H
#define STACKPROOF_ENGINE_BPF_H

#ifdef __bpf__
#ifndef __VMLINUX_H__ /* it has the same */
#include <linux/bpf.h>
#endif
#include <bpf/bpf_helpers.h>
#else
#include <linux/types.h>
#endif

#define STACKPROOF_STACK_FRAMES 511 /* of a record */

/* A stack. pc[0] is where the thread is, pc[n] where frame n goes on. */
struct stackproof_stack {
	__u32 tid;	/* in the initial PID name space */
	__u32 count;	/* frames */
	__u32 complete; /* not 0: the walk has reached the outermost frame, and knows it */
	__u32 unused;
	__u64 pc[STACKPROOF_STACK_FRAMES];
};

#ifdef __bpf__
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} stackproof_stacks SEC(".maps");

/* Sends a stack of the current thread: count PCs at pc, which is in a map's value or on the program's stack. Frames
 * behind the 511th are left out, and then it is not complete. A record has 4,104 bytes, and there is room for 250. 0, or
 * 1: there was no room, and the stack is lost. */
static __always_inline int stackproof_send(const __u64 *pc, __u32 count, __u32 complete)
{
	struct stackproof_stack *stack = bpf_ringbuf_reserve(&stackproof_stacks, sizeof(*stack), 0);
	__u32 kept = count < STACKPROOF_STACK_FRAMES ? count : STACKPROOF_STACK_FRAMES;

	if (!stack)
		return 1;
	stack->tid = (__u32)bpf_get_current_pid_tgid();
	stack->complete = complete && kept == count;
	stack->count = kept;
	stack->unused = 0;
	bpf_probe_read_kernel(stack->pc, kept * sizeof(*pc), pc);
	bpf_ringbuf_submit(stack, 0);
	return 0;
}
#endif

#endif
