/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * target_memory.h - a stopped process's memory, as walks take it
 */
#ifndef STACKPROOF_TARGET_MEMORY_H
#define STACKPROOF_TARGET_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "cfi/expression.h"

/* A stopped process's memory, each page read once per stop. */
struct target_memory;
struct target_memory *target_memory_create(void);
void target_memory_destroy(struct target_memory *memory);
/* Forgets what was read: the process has run since. From now on reads through thread tid, which must be alive. */
void target_memory_reset(struct target_memory *memory, pid_t tid);
struct memory_reader target_memory_reader(struct target_memory *memory);
/* A stopped thread's SSP, the pointer to the CPU's own shadow stack (CET, Intel SDM volume 1, chapter 17).
 * False: it has none. */
bool target_shadow_pointer(pid_t tid, uint64_t *ret_ssp);

#endif
