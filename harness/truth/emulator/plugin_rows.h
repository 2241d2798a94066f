/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_rows.h - facts about rows (truth/rows/row_facts.h) of watched threads
 *
 *	plugin_rows.c		what runs: where rsp and rbp are, and where the caller's frame
 *	plugin_rows_held.c	records of it, until the thread's stacks have proven or contradicted themselves
 *	plugin_rows_exact.c	the same at each instruction, with callee-saved registers
 *	rows_block.h		registers in the middle of a block
 *
 * A *record* says that a segment of a block (rows_block.h) was run by a thread, on one of its stacks, with the
 * caller's frame so far above rsp and rbp. Registers are read whenever a segment begins. If they are as in the record
 * that it was run with last, one comparison has checked all its instructions. Records are pending until their thread
 * ends, by the rule of plugin_truth.c.
 */
#ifndef STACKPROOF_PLUGIN_ROWS_H
#define STACKPROOF_PLUGIN_ROWS_H

#include "number_map.h"
#include "rows_block.h"
#include "truth/rows/row_facts.h"

#define ROWS_CPUS 4 /* a segment remembers so many vCPUs' last records; others share */

struct rows_record;

struct rows_segment {
	struct rows_segment_key {
		const void *at; /* of the host's memory: its code is there, for whatever process */
		uint64_t bytes; /* a hash of them */
		uint32_t offset, count; /* in its block; instructions */
	} key;
	struct rows_step *step;
	uint32_t size;	   /* bytes of code */
	bool calls_kernel; /* its last instruction is a system call */
	struct rows_record *last[ROWS_CPUS];
};

struct rows_record {
	uint64_t owner;		   /* a thread on a stack: thread_rows.owner. 0: it is not in use */
	uint64_t sp, bp;	   /* as of struct row_fact, and compared under a mask: */
	uint64_t sp_mask, bp_mask; /* 0: any */
	uint64_t runs;
	const struct rows_segment *segment;
	uint64_t stack; /* the shadow stack's number */
	uint64_t pc;	/* of its first instruction, in the image */
	uint32_t file;	/* code_file() */
	uint32_t
		ran; /* so many of its instructions ran at least once: the last one before may have faulted */
	uint8_t kind; /* enum row_fact_kind */
	struct row_fact_registers registers;
	struct rows_record *next; /* of the same segment and stack; or the next that is free */
};

/* Of a thread. */
struct thread_rows {
	uint64_t
		owner; /* a new number for each stack, and whenever what was pending is over; 0: none yet */
	uint64_t stack;
	uint64_t epoch; /* the stack's, and its frames, when it was last looked for doubts: */
	size_t frames;
	size_t doubtful; /* stacks of more frames are in doubt; SIZE_MAX: none is */
	struct rows_record *
		*first; /* of number 1, 2, ... in the map: a segment's records on a stack */
	uint32_t firsts;
	struct number_map map;
	struct rows_record *running; /* it is not known whether all of it runs */
	uint64_t running_at;	     /* where it began, in the process */
};

/* The kernel ran behind the last segment's begin: the thread goes on at pc, or a signal has interrupted it there. */
static inline void rows_go_on(struct thread_rows *rows, uint64_t pc)
{
	struct rows_record *record = rows->running;
	uint64_t offset = pc - rows->running_at;
	uint32_t ran;

	rows->running = NULL;
	if (!record)
		return;
	ran = record->segment->key.count;
	if (offset < record->segment->size)
		while (ran > 1 && record->segment->step[ran - 1].offset > offset)
			ran--;
	record->ran = ran > record->ran ? ran : record->ran;
}

/* The segment ran to its end. */
static inline void rows_finish(struct thread_rows *rows)
{
	rows_go_on(rows, rows->running_at - 1);
}

/* ---- plugin_rows_held.c --------------------------------------------------------------------- */

/* The record that is as key in segment, stack, file, pc and kind, and holds its sp and bp; if there is none it is made.
 * NULL: no memory. */
struct rows_record *rows_record(struct thread_rows *rows, const struct rows_record *key);
/* What is pending on these stacks is contradicted. False: no memory. */
bool rows_contradict(struct thread_rows *rows, uint64_t from, uint64_t to);
/* The thread has ended: what is pending is proven. False: no memory. */
bool rows_end(struct thread_rows *rows);
/* How many instructions were looked at, those of them that are in no file, and how many facts were written. */
void rows_sums(uint64_t *ret_checked, uint64_t *ret_elsewhere, uint64_t *ret_facts);
/* Writes the facts of all threads that have ended. -1: it can't be written. */
int rows_write(const char *path, uint64_t first, bool partial, struct error *error);

#endif
