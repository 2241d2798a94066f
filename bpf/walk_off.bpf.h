/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * walk_off.bpf.h - for how long threads are off their CPUs
 *
 * sched_switch fires in the context of the thread that leaves its CPU, with its memory: there it is walked, and its
 * stack waits in off_threads. When the thread comes back, another one's memory is there; but all that is needed then is
 * the stack's hash. Only then is it counted, once, with the time in between; so what is counted has a time. The stack's
 * record is in user space by then, which keeps it (stack_counts.c).
 *
 * A thread is known by its task_struct: numbers change (exec(2) in a thread that is not the leader), and a task that is
 * off its CPU is not freed. The last switch of a thread that has ended is none: it never comes back.
 */
#ifndef STACKPROOF_WALK_OFF_BPF_H
#define STACKPROOF_WALK_OFF_BPF_H

#include "walk_count.bpf.h"

#define TASK_DEAD 0x80 /* include/linux/sched.h */

/*
 * TP_PROTO(bool preempt, struct task_struct *prev, struct task_struct *next[, unsigned int prev_state])
 *
 * The state, which comes with the event since Linux 5.18, is read from the task: another CPU may wake it meanwhile, but
 * sets it to running (0) not before the switch is over.
 */
static __always_inline enum walk_off off_reason(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[1];
	__u64 state;

	if (ctx->args[0])
		return WALK_OFF_PREEMPTED;
	if (bpf_core_field_exists(task->__state))
		state = BPF_CORE_READ(task, __state);
	else
		state = BPF_CORE_READ((struct task_struct___before *)task, state);
	if (state & TASK_DEAD)
		return WALK_OFF_NONE;
	return state ? WALK_OFF_BLOCKED : WALK_OFF_PREEMPTED;
}

/* The thread that comes back, if its stack waits. */
static __always_inline void switch_in(struct bpf_raw_tracepoint_args *ctx,
				      struct walk_counters *counter)
{
	__u64 task = ctx->args[2], ns;
	struct walk_off_thread *off = bpf_map_lookup_elem(&off_threads, &task);
	struct walk_stack_count more = { .count = 1 };

	if (!off || !off->since)
		return;
	ns = bpf_ktime_get_ns() - off->since;
	off->since = 0; /* for the case that it can't be deleted */
	if (ns < off_least_ns) {
		counter->off_short++;
		counter->off_short_ns += ns;
	} else {
		more.last = off->walked;
		more.sent = off->sent;
		more.off_ns = ns;
		if (add_to_count(&off->key, &more, counter))
			counter->stacks++;
	}
	bpf_map_delete_elem(&off_threads, &task);
}

/*
 * The thread that leaves: its stack is put into the map of counts, as 0, and waits. 0; or -1: there is no room for it, and
 * lost_full or lost_count was increased. If its stack of the last time waits yet, the event of its return did not come.
 * Not inline: so what is not used takes no stack in those who call.
 */
static __attribute__((noinline)) int switch_out(struct walk_record *record, __u64 pcs,
						struct walk_counters *counter)
{
	__u64 task = bpf_get_current_task();
	struct walk_stack_count first = { .last = record->time }, *value;
	struct walk_off_thread off = { .walked = record->time }, *before;

	value = add_to_count(stack_key(record), &first, counter);
	if (!value)
		return -1;
	if (!value->sent && !send_record(record, pcs))
		value->sent = 1;
	off.key = *stack_key(record);
	off.sent = value->sent;
	off.since = bpf_ktime_get_ns(); /* without the walk */
	if (!bpf_map_update_elem(&off_threads, &task, &off, BPF_NOEXIST))
		return 0;
	before = bpf_map_lookup_elem(&off_threads, &task);
	if (!before) {
		counter->lost_full++;
		return -1;
	}
	if (before->since)
		counter->lost_return++;
	*before = off;
	return 0;
}

#endif
