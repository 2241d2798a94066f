/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_kernel.h - what the guest's kernel knows, read in its memory
 *
 * By what the agent has told (guest_told.h). All is read through the current vCPU's page tables, in which the kernel has
 * all of memory mapped; with page table isolation (pti=on) user mode's have not, and nothing can be read.
 */
#ifndef STACKPROOF_PLUGIN_KERNEL_H
#define STACKPROOF_PLUGIN_KERNEL_H

#include <stdbool.h>
#include <sys/types.h>
#include "guest_told.h"
#include "perf_ring.h"
#include "truth/steps/stack_pool.h"

/* A ring of the guest's, and its copy here. */
struct guest_ring {
	struct perf_ring
		copy; /* its data are the copy's bytes; what is there up to head can be taken */
	uint64_t head;
	uint64_t *
		page; /* where the kernel has each page of it: the one with head and tail, then the data */
	uint8_t *bytes;
};

struct guest_kernel {
	struct guest_told told;
	uint64_t direct_map; /* where all of memory is mapped */
	struct guest_ring ring[GUEST_RINGS_MAX];
};

/* Who has told: a process, by its page tables and its memory's structure. */
struct guest_agent {
	uint64_t tables; /* physical address of the outermost one */
	uint64_t task, memory;
	int32_t pid;
};

/* Who a vCPU runs. */
struct guest_task {
	uint64_t address; /* of its struct task_struct */
	pid_t tid, pid;	  /* in the first name space */
};

/* Where the kernel has the page that a process has at address; cr3: its page tables. 0: it isn't there. */
uint64_t guest_kernel_address(const struct guest_kernel *kernel, uint64_t cr3, uint64_t address);
/* Whether an agent's words are at an address of the current process. */
bool guest_kernel_is_told(uint64_t address);
/* Takes over what was told at an address of the current process, whose page tables are at cr3. NULL, or what was wrong. */
const char *guest_kernel_told(struct guest_kernel *kernel, uint64_t address, uint64_t cr3);
/* Notes who tells, by the layout that it has told. False: it can't be read. */
bool guest_kernel_agent(const struct guest_kernel *kernel, uint64_t gs_base, uint64_t cr3,
			struct guest_agent *ret);
/* Whether that process still has its memory, and with it the rings. */
bool guest_kernel_agent_lives(const struct guest_kernel *kernel, const struct guest_agent *agent);
/* The page tables that cr3 names. */
uint64_t guest_kernel_tables(uint64_t cr3);
/* gs_base: the kernel's. False: it can't be read. */
bool guest_kernel_task(const struct guest_kernel *kernel, uint64_t gs_base, struct guest_task *ret);
/* The mapping of a task's process that holds address. False: none does, or that can't be read. */
bool guest_kernel_mapping(const struct guest_kernel *kernel, uint64_t task, uint64_t address,
			  struct address_range *ret);
/* Copies what is new in a ring. False: it can't be read. */
bool guest_ring_fill(struct guest_kernel *kernel, struct guest_ring *ring);

#endif
