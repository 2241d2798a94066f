/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_walks.h - in the guest: BPF's walk wherever the emulator interrupts a program
 *
 * The emulator interrupts the program (plugin_walks.h) by a vector of the kernel's that does nothing (x86_platform_ipi). BPF
 * walks at its tracepoint, as a profiler's would at a clock's tick: in the kernel, in an interrupt, in the thread's
 * context. The stacks go into a ring buffer, where the witness reads them.
 *
 * Nothing is stepped. The program is traced all the same, up to its entry point, as the one that is stepped, and then at
 * its system calls: so the walk has the process's mappings before code in a new one runs.
 */
#ifndef STACKPROOF_GUEST_WALKS_H
#define STACKPROOF_GUEST_WALKS_H

#include "error.h"

struct guest_walks;
/* ERROR_UNAVAILABLE: the kernel has no such tracepoint, or no BPF, or says too little of itself. guest_walks_close(). */
int guest_walks_open(struct guest_walks **ret, struct error *error);
void guest_walks_close(struct guest_walks *walks);
/*
 * Runs a program, and waits for its end, at most so long (0: for ever). *ret_status: as of waitpid(2). -1: it could not be
 * executed, or ERROR_TIMEOUT, and it was killed.
 */
int guest_walks_run(struct guest_walks *walks, char *const argv[], unsigned timeout_ms,
		    int *ret_status, struct error *error);

#endif
