/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * user_registers.h - registers by DWARF number, and as the kernel lays them out
 *
 * ptrace(2) and a replayed walk have registers as struct user_regs_struct; walks have them by DWARF number (psABI,
 * figure 3.36). Only the tracer and the session use both.
 */
#ifndef STACKPROOF_USER_REGISTERS_H
#define STACKPROOF_USER_REGISTERS_H

#include <sys/user.h>
#include "cfi/expression.h"

/* All registers are known. */
static inline struct register_values register_values_from_user(const struct user_regs_struct *user)
{
	return (struct register_values) {
		.value = { user->rax, user->rdx, user->rcx, user->rbx, user->rsi, user->rdi,
			   user->rbp, user->rsp, user->r8, user->r9, user->r10, user->r11,
			   user->r12, user->r13, user->r14, user->r15, user->rip },
		.known = (1u << REGISTER_COUNT) - 1,
	};
}

/* Members without a DWARF number are 0. */
static inline struct user_regs_struct register_values_to_user(const struct register_values *regs)
{
	const uint64_t *value = regs->value;

	return (struct user_regs_struct) {
		.rax = value[0],
		.rdx = value[1],
		.rcx = value[2],
		.rbx = value[3],
		.rsi = value[4],
		.rdi = value[5],
		.rbp = value[6],
		.rsp = value[7],
		.r8 = value[8],
		.r9 = value[9],
		.r10 = value[10],
		.r11 = value[11],
		.r12 = value[12],
		.r13 = value[13],
		.r14 = value[14],
		.r15 = value[15],
		.rip = value[16],
	};
}

#endif
