/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_rows.h - facts about rows (truth/rows/row_facts.h) of watched threads
 *
 *	plugin_rows.c		what runs: where rsp and rbp are, and where the caller's frame
 *	plugin_rows_held.c	records of it, until the thread's stacks have proven or contradicted themselves
 *	plugin_rows_calls.c	calls that may have opened no frame
 *	plugin_rows_exact.c	the same at each instruction, with callee-saved registers
 *	rows_block.h		registers in the middle of a block
 *
 * A *record* says that a segment of a block (rows_block.h) was run by a thread, on one of its stacks, with the
 * caller's frame so far above rsp and rbp. Registers are read whenever a segment begins. If they are as in the record
 * that it was run with last, one comparison has checked all its instructions. Records are pending until their thread
 * ends, by the rule of plugin_truth.c.
 *
 * The innermost open call may be none of a function (`call 1f; 1: pop rax`; a retpoline). Nobody knows before it ends. So
 * a call is on *trial* until a return has come back to where it was made; what is recorded above it meanwhile has a
 * number of
 * its own, and becomes ordinary when that happens. If the frame goes in another way, or if the call was made within its own
 * function, its records keep other readings (row_facts.h).
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
	uint64_t owner; /* a thread on a stack: thread_rows.owner. 0: it is not in use */
	uint64_t made;	/* a number of its own; 0: it is not in use */
	/* As of struct row_fact, and compared under a mask. With call, bp is as rows_raw() says. */
	uint64_t sp, bp;
	uint64_t sp_mask, bp_mask; /* 0: any */
	uint32_t
		call; /* rows_trial_index() of the innermost call; 0: it is on no trial. ROWS_TRIED: it has other readings */
	int64_t outer
		[ROW_FACT_READINGS]; /* of ROWS_TRIED: how far further out they are; ROW_FACT_NO_CALLER; 0: none */
	uint64_t runs;
	const struct rows_segment *segment;
	uint64_t stack; /* the shadow stack's number */
	uint64_t pc;	/* of its first instruction, in the image */
	uint32_t file;	/* code_file() */
	uint32_t
		ran; /* so many of its instructions ran at least once: the last one before may have faulted */
	uint8_t kind; /* enum row_fact_kind */
	struct row_fact_registers registers;
	struct row_fact_return returns; /* where the segment begins */
	bool carried;			/* a general register has the return address there */
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

#define ROWS_TRIED UINT32_MAX
#define ROWS_FAR   ((uint64_t)INT64_MIN)

/* How far a register is below the CFA, or above it (negative); ROWS_FAR: not near. */
static inline uint64_t rows_raw(uint64_t cfa, uint64_t value)
{
	return cfa - value + ROW_FACT_NEAR <= 2ull * ROW_FACT_NEAR ? cfa - value : ROWS_FAR;
}

/* The same, as of struct row_fact. */
static inline uint64_t rows_near(uint64_t raw)
{
	return raw - 1 < ROW_FACT_NEAR ? raw : ROW_FACT_ABOVE;
}

/* ---- plugin_rows_calls.c --------------------------------------------------------------------- */

/* A call on trial. */
struct rows_trial {
	uint64_t number; /* shadow_frame.watch; 0: it is not in use */
	uint32_t file;	 /* where it returns to, in the image: */
	uint64_t site;
	bool inner; /* it was made within its own function, which is from begin to before end in the image */
	uint64_t begin, end;
	int64_t outer; /* how far further out the next frame is; ROW_FACT_NO_CALLER: there is none; 0: not known */
	uint64_t below; /* that frame's number, if it is on trial, too */
	struct rows_tried {
		struct thread_rows *rows;
		struct rows_record *record;
		uint64_t made;
	} * tried;
	size_t count;
};

/* NULL: it is over. */
struct rows_trial *rows_trial(uint64_t number);
/* By rows_record.call. */
struct rows_trial *rows_trial_by_index(uint32_t index);
static inline uint32_t rows_trial_index(uint64_t number)
{
	return (uint32_t)number;
}
/* The record is of this trial. False: no memory. */
bool rows_trial_add(struct rows_trial *trial, struct thread_rows *rows, struct rows_record *record);
/* How far further out other readings of the record are. gone: the call's frame went without a return. */
void rows_readings(const struct rows_trial *trial, const struct rows_record *record, bool gone,
		   int64_t ret[ROW_FACT_READINGS]);

/* ---- plugin_rows_held.c --------------------------------------------------------------------- */

/* The record that is as key in segment, stack, file, pc and kind, and holds its sp and bp; if there is none it is made.
 * NULL: no memory. */
struct rows_record *rows_record(struct thread_rows *rows, const struct rows_record *key);
/* The trial of the record's call is over: it becomes one with other readings, or an ordinary one, whose outer[0] is
 * 0. False: no
 * memory. */
bool rows_decide(struct thread_rows *rows, struct rows_record *record,
		 const int64_t outer[ROW_FACT_READINGS]);
/* What is pending on these stacks is contradicted. False: no memory. */
bool rows_contradict(struct thread_rows *rows, uint64_t from, uint64_t to);
/* The thread has ended: what is pending is proven. False: no memory. */
bool rows_end(struct thread_rows *rows);
/* How many instructions were looked at, those of them that are in no file, and how many facts were written. */
void rows_sums(uint64_t *ret_checked, uint64_t *ret_elsewhere, uint64_t *ret_facts);
/* Writes the facts of all threads that have ended. -1: it can't be written. */
int rows_write(const char *path, uint64_t first, bool partial, struct error *error);
/* Begins what would be written now, ... */
bool rows_save_begin(void);
/* ... with what is pending of a thread, as if it ended, ... */
bool rows_save_thread(const struct thread_rows *rows);
/* ... and writes it as cut short. */
int rows_save(const char *path, uint64_t first, struct error *error);

#endif
