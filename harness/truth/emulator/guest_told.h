/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_told.h - what a program in the guest tells the witness outside of it
 *
 * A plugin sees registers and memory, and knows of no process. So the agent (guest_agent.c) says once where this kernel
 * keeps what it knows: from then on the witness reads that for itself, in the kernel's memory, whenever user code goes on.
 * It is told by an instruction that does nothing: a nop whose displacement is GUEST_TELLS, with the address of a struct
 * guest_told in rdi.
 */
#ifndef STACKPROOF_GUEST_TOLD_H
#define STACKPROOF_GUEST_TOLD_H

#include <stdint.h>

#define GUEST_TELLS	0x4c545053
#define GUEST_CLOCK	0x4b4c4353	   /* rdi: a struct guest_clock */
#define GUEST_JOINS	0x4e494a53	   /* this process is watched, too, from its next exec on */
#define GUEST_GIVES	0x56494753	   /* rdi: a struct guest_given */
#define GUEST_MAGIC	0x6f742d7473657567 /* so that no chance nop is taken for the agent's */
#define GUEST_RINGS_MAX 64		   /* one a CPU */

/* Offsets of members, as the kernel's BTF has them. */
struct guest_layout {
	uint32_t task_pid, task_tgid, task_mm; /* in struct task_struct */
	uint32_t mm_tree;	     /* in struct mm_struct: mm_mt (Linux 6.1), or mm_rb */
	uint32_t vma_start, vma_end; /* in struct vm_area_struct */
	uint32_t vma_rb;	     /* there, with mm_rb; in struct rb_node: */
	uint32_t rb_left, rb_right;
	uint32_t tree_root; /* in struct maple_tree; 0 with mm_rb, whose root is its first word */
	uint32_t is_maple;
	/* Of struct maple_node's two forms: where keys and children begin, and how many children there are. */
	uint32_t range_pivots, range_slots, range_count;
	uint32_t arange_pivots, arange_slots, arange_count;
};

#define GUEST_RELEASE_BYTES 65 /* a member of struct utsname */

struct guest_told {
	uint64_t magic;	       /* GUEST_MAGIC */
	uint64_t bytes;	       /* sizeof(struct guest_told): both sides are of one build */
	uint64_t current_task; /* where a CPU's memory has its task, behind the kernel's gs base */
	uint64_t
		page_offset_base; /* address of the variable that says where all of memory is mapped */
	struct guest_layout layout;
	char release[GUEST_RELEASE_BYTES]; /* uname -r */
	uint32_t
		watched; /* the process (its number in the first name space) that is watched, with all that it makes,
			   * from its next exec on; 0: it is over */
	/* The kernel's events about processes, a ring for each CPU (bpf/perf_ring.h). */
	uint32_t rings;
	uint64_t ring_bytes;		/* of data, behind a page with head and tail */
	uint64_t ring[GUEST_RINGS_MAX]; /* where the agent has them mapped */
	/* Stacks from BPF's walk in the kernel (bpf/walk.h), which are to be held against the true ones: a ring buffer of so
	 * many bytes, behind a page with the reader's and one with the writer's position. 0: there is none. */
	uint64_t walks, walks_bytes;
};

/*
 * How this kernel makes the time of perf's events of the TSC: perf_event_open(2), cap_user_time_zero. Told again whenever
 * it has changed.
 */
struct guest_clock {
	uint64_t bytes; /* sizeof(struct guest_clock) */
	uint64_t ticks; /* the TSC, just before it was told */
	uint64_t zero_ns;
	uint32_t mult, shift;
};

/* A part of a file that goes to the host, behind the parts before. */
struct guest_given {
	uint64_t bytes;	 /* sizeof(struct guest_given) */
	uint64_t number; /* of the file, from 0 on */
	uint64_t address, size;
};

#define GUEST_FILES_MAX 16

#endif
