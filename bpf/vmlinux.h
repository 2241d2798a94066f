/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * vmlinux.h - the kernel types that the BPF programs read, and nothing else
 *
 * Members are found by name in the running kernel's BTF (CO-RE). So only members that are used are listed,
 * and their order and the structures' sizes don't matter.
 */
#ifndef STACKPROOF_VMLINUX_H
#define STACKPROOF_VMLINUX_H

#include <linux/bpf.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct kernfs_node {
	unsigned long long id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

/* The numbers that a thread has in its PID name space and in each one around that. */
struct pid {
	unsigned int level;
	struct upid numbers[1]; /* level + 1 */
};

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	struct uprobes_state uprobes_state;
};

struct return_instance {
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	unsigned long vaddr, xol_vaddr;
	struct return_instance *return_instances;
};

struct task_struct {
	void *stack;
	unsigned int flags;
	unsigned int __state; /* since Linux 5.14 */
	struct mm_struct *mm;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct css_set *cgroups;
	char comm[16];
	struct uprobe_task *utask; /* with CONFIG_UPROBES */
	void *perf_event_ctxp;	   /* since Linux 6.2 */
};

/* Before Linux 6.2: for the CPU's events, and for software's. */
struct task_struct___two_contexts {
	void *perf_event_ctxp[2];
};

/* Before Linux 5.14. What is behind the three underscores is no part of the type's name (libbpf). */
struct task_struct___before {
	long state;
};

#pragma clang attribute pop

/* arch/x86/include/asm/ptrace.h. It is read as a whole from the kernel's stack, so all members are here, in order. The
 * layout has not changed since Linux 2.6. */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

/* What a program of type perf_event is given (struct bpf_perf_event_data of linux/bpf_perf_event.h): the registers may
 * be the kernel's. */
struct sample_context {
	struct pt_regs regs;
	__u64 sample_period, address;
};

#endif
