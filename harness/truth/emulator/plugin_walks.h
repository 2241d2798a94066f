/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_walks.h - BPF's walk in the guest's kernel, held against the true stack at that very entry of the kernel
 *
 * With walks=on the emulator itself makes the entries: whenever a block of the program that the agent watches begins, a
 * message-signalled interrupt is written to the CPU's local APIC (Intel SDM volume 3, 12.11), which the CPU takes before
 * the next block. Its vector is that of the kernel's x86_platform_ipi, which calls nobody, but has a tracepoint. There the
 * agent's BPF program walks (guest_walks.h), and its record is read here, in the ring buffer, before the program goes on.
 *
 *	exact	the true stack
 *	table	another one; and the compact table of the same images, asked here by the same registers and memory, gives it,
 *		too: whose fault it is does not depend on the kernel
 *	absent	... which ends at a page that is not there
 *	depth	the true stack, as far as BPF may walk
 *	wrong	neither the true one nor the table's: the walk, or the kernel that ran it
 *	silent	entries of which no record came
 */
#ifndef STACKPROOF_PLUGIN_WALKS_H
#define STACKPROOF_PLUGIN_WALKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/user.h>
#include "plugin_kernel.h"

struct watched_process;
struct watched_thread;

/* Of a process. */
struct walk_tally {
	uint64_t made; /* entries */
	uint64_t walked, exact, table, absent, depth, wrong, unproven;
	uint64_t elsewhere; /* of records: not of where the thread goes on, as in a system call */
};

/* The agent has told of a ring buffer, or of none. NULL, or what was wrong. */
const char *walks_told(const struct guest_kernel *kernel, uint64_t cr3);
/* Whether entries are to be made: there is room for their records. */
bool walks_are_wanted(void);
/* A mapping of the process with code; path: on this machine. */
void walks_map(struct watched_process *process, const struct process_mapping *mapping,
	       const char *path);
void walks_process_empty(struct watched_process *process);
/* Takes what BPF has sent. */
void walks_take(void);
/* The thread has these registers, and its stack is known: was it walked there? */
void walks_check(struct watched_thread *thread, const struct user_regs_struct *regs);
void walks_print(FILE *file, const struct walk_tally *tally);

#endif
