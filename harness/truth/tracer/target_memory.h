/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * target_memory.h - a stopped process's memory and registers, as walks take them
 */
#ifndef STACKPROOF_TARGET_MEMORY_H
#define STACKPROOF_TARGET_MEMORY_H

#include <sys/types.h>
#include "cfi/expression.h"

struct user_regs_struct;

/* A stopped process's memory, each page read once per stop. */
struct target_memory;
struct target_memory *target_memory_create(void);
void target_memory_destroy(struct target_memory *memory);
/* Something ran: what was read is stale. What comes next is read through this thread, which must
 * live. */
void target_memory_reset(struct target_memory *memory, pid_t tid);
struct memory_reader target_memory_reader(struct target_memory *memory);
/* ptrace's registers in DWARF's order; all known. */
void register_values_from_user(const struct user_regs_struct *user, struct register_values *ret);
/* And back; what has no DWARF number is 0. */
void register_values_to_user(const struct register_values *regs, struct user_regs_struct *ret);

#endif
