/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * task_notes.bpf.c - what happens to a process without a perf event
 *
 * exec	  Where a program is executed with other rights than the process had (setuid(2), file capabilities), or one that
 *	  it may not read, the kernel takes all perf events away from it: perf_event_exit_task() in begin_new_exec().
 *	  Nothing says so where they were inherited. Then the task has no context of events any more. The tracepoint
 *	  fires behind that, and before the program runs.
 *
 * mremap mremap(2) puts code elsewhere, and no PERF_RECORD_MMAP2 says so. At its return the arguments are where the
 *	  system call's entry has put them. Most of what is moved are data (realloc(3)): noted is what the walk has an
 *	  image for, or what was moved there.
 *
 * fork	  A process that is forked with CLONE_VM has the same memory, and the records of what one of them maps say
 *	  nothing of the other one.
 *
 * A kernel may lack what one of them needs: then the other one is loaded by itself (task_notes.c).
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "own_id.bpf.h"
#include "task_notes.h"
#include "user_registers.bpf.h"
#include "walk_spaces.bpf.h"

#define ERRNO_MOST 4095

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18);
} notes SEC(".maps");

__u64 lost = 0;

static __always_inline void send(struct task_note *note)
{
	if (bpf_ringbuf_output(&notes, note, sizeof(*note), 0))
		__sync_fetch_and_add(&lost, 1);
}

static __always_inline int has_events(struct task_struct *task)
{
	struct task_struct___two_contexts *two = (void *)task;

	if (bpf_core_field_exists(task->perf_event_ctxp))
		return BPF_CORE_READ(task, perf_event_ctxp) != 0;
	return BPF_CORE_READ(two, perf_event_ctxp[0]) || BPF_CORE_READ(two, perf_event_ctxp[1]);
}

SEC("raw_tracepoint/sched_process_exec")
int note_exec(void *ctx)
{
	struct task_note note = { .kind = TASK_NOTE_NO_CLOCK, .time_ns = bpf_ktime_get_ns() };

	if (has_events((void *)bpf_get_current_task()))
		return 0;
	note.pid = own_id() >> 32;
	if (note.pid)
		send(&note);
	return 0;
}

/* TP_PROTO(struct task_struct *parent, struct task_struct *child) */
SEC("raw_tracepoint/sched_process_fork")
int note_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_note note = { .kind = TASK_NOTE_SHARES, .time_ns = bpf_ktime_get_ns() };
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	void *memory = BPF_CORE_READ(child, mm);

	if (!memory || memory != BPF_CORE_READ(parent, mm) ||
	    BPF_CORE_READ(child, tgid) == BPF_CORE_READ(parent, tgid))
		return 0;
	note.pid = own_id() >> 32;
	note.from = pid_namespace ? number_of(BPF_CORE_READ(child, thread_pid))
				  : BPF_CORE_READ(child, tgid);
	if (note.pid && note.from)
		send(&note);
	return 0;
}

/* Whether the walk has an image in some of these addresses of a process. */
static __always_inline int is_code(const struct walk_space *space, __u64 start, __u64 bytes)
{
	__u32 number = space->first >> WALK_MAPPING_SHIFT, low, high, end, i;
	const struct walk_mapping_chunk *chunk = bpf_map_lookup_elem(&mappings, &number);

	if (!chunk)
		return 0;
	low = space->first & (WALK_CHUNK_MAPPINGS - 1);
	high = end = low + space->count;
	for (i = 0; i <= WALK_MAPPING_SHIFT; i++) {
		__u32 middle = ((low + high) >> 1) & (WALK_CHUNK_MAPPINGS - 1);

		if (low >= high)
			break;
		if (chunk->mapping[middle].end <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && chunk->mapping[low & (WALK_CHUNK_MAPPINGS - 1)].start < start + bytes;
}

/* TP_PROTO(const struct pt_regs *regs, long return) */
SEC("fexit/__x64_sys_mremap")
int note_move(__u64 *ctx)
{
	struct task_note note = { .kind = TASK_NOTE_MOVED };
	struct walk_space *space;
	struct pt_regs regs;
	__u32 *number;

	note.pid = own_id() >> 32;
	number = bpf_map_lookup_elem(&processes, &note.pid);
	space = number ? bpf_map_lookup_elem(&spaces, number) : 0;
	if (!space || user_registers(&regs, 0))
		return 0;
	note.from = regs.di;
	note.bytes = regs.dx;
	note.to = ctx[1];
	if (note.to == note.from || note.to > (__u64)-ERRNO_MOST - 1 ||
	    !(is_code(space, note.to, note.bytes) || is_code(space, note.from, note.bytes)))
		return 0;
	note.time_ns = bpf_ktime_get_ns();
	send(&note);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
