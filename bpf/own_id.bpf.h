/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * own_id.bpf.h - the current thread's numbers in the session's PID name space
 *
 * A process has a number in its PID name space and in each one around that (pid_namespaces(7)).
 * bpf_get_current_pid_tgid() gives the number in the initial one. bpf_get_ns_current_pid_tgid() gives that
 * in another one, but only of processes whose own name space this is, and not of a container's inside. So
 * the numbers are read from the thread's struct pid.
 */
#ifndef STACKPROOF_OWN_ID_BPF_H
#define STACKPROOF_OWN_ID_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define PID_LEVELS_MAX 32 /* of the kernel: MAX_PID_NS_LEVEL */

/* The inode of the session's PID name space; 0: the initial one. */
const volatile __u32 pid_namespace = 0;

/* The number in the session's PID name space; 0: there is none. */
static __always_inline __u32 number_of(struct pid *pid)
{
	__u32 last = BPF_CORE_READ(pid, level), level;
	const char *numbers = (const char *)pid + bpf_core_field_offset(struct pid, numbers);
	struct upid number;

	for (level = 0; level <= PID_LEVELS_MAX; level++) {
		if (level > last)
			break;
		if (bpf_probe_read_kernel(&number, sizeof(number),
					  numbers + level * sizeof(number)))
			break;
		if (BPF_CORE_READ(number.ns, ns.inum) == pid_namespace)
			return number.nr;
	}
	return 0;
}

/* Not static: so the verifier checks it only once, by itself. */
__attribute__((noinline)) __u64 namespace_id(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct pid *process = BPF_CORE_READ(task, group_leader, thread_pid);
	struct pid *thread = BPF_CORE_READ(task, thread_pid);

	if (!process || !thread)
		return 0;
	return (__u64)number_of(process) << 32 | number_of(thread);
}

/* Process << 32 | thread, in the session's PID name space. 0: they have no number there. */
static __always_inline __u64 own_id(void)
{
	return pid_namespace ? namespace_id() : bpf_get_current_pid_tgid();
}

#endif
