/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * vmlinux.h - the kernel types that the BPF programs read, and nothing else
 *
 * Members are found by name in the running kernel's BTF (CO-RE), so only what is used is listed
 * and order and size mean nothing.
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

/* The number that a thread has in its PID name space, and in each of those around it. */
struct pid {
	unsigned int level;
	struct upid numbers[1]; /* level + 1 */
};

struct task_struct {
	void *stack;
	unsigned int flags;
	void *mm;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
};

#pragma clang attribute pop

/* arch/x86/include/asm/ptrace.h: read whole from the kernel's stack, so its layout is spelled out.
 * It has been the same since Linux 2.6. */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

#endif
