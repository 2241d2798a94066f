/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * user_registers.bpf.h - the current thread's user registers, as they were when it entered the kernel
 */
#ifndef STACKPROOF_USER_REGISTERS_BPF_H
#define STACKPROOF_USER_REGISTERS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* The user registers lie at the top of the kernel stack: THREAD_SIZE is 16 KiB on x86-64 without
 * KASAN (arch/x86/include/asm/page_64_types.h). Only where bpf_task_pt_regs is missing. */
#define KERNEL_STACK_BYTES 16384

/* address: in the thread's memory, of the registers to take in place of its own; or 0. */
static __always_inline int user_registers(struct pt_regs *ret, __u64 address)
{
	const void *from;

	if (address)
		return bpf_probe_read_user(ret, sizeof(*ret), (const void *)address) ? -1 : 0;
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) {
		from = (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	} else {
		struct task_struct *task = (void *)bpf_get_current_task();

		from = BPF_CORE_READ(task, stack) + KERNEL_STACK_BYTES - sizeof(*ret);
	}
	return bpf_probe_read_kernel(ret, sizeof(*ret), from) ? -1 : 0;
}

#endif
