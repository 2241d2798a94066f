/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external.h - engines that are programs of their own: started, asked, and contained
 *
 *	external.c		an engine, asked point by point; what becomes of it when it fails
 *	external_process.c	its process: input and output, by a deadline
 *	external_keeper.c	a process that starts it, waits for its end, and ends all that it has started
 *	external_lines.c	the line protocol of docs/ENGINES.md
 *	external_frames.c	the same messages in binary, for engine_host.c
 *	external_report.c	outcomes and stops by name
 *	engine_host.c		a program: loads a shared object (stackproof_engine.h) and asks it
 *	host_serve.c		how engine_host and libgcc_host (../libgcc) answer
 *
 * An engine gets registers, mappings, and memory through a callback. These need no process under ptrace: a recorded
 * point has them, too.
 *
 * Whatever an engine does, each point gets an *outcome*. A failing engine costs the others nothing but time, which
 * has a limit: it is killed, with all that it has started, and started anew.
 */
#ifndef STACKPROOF_EXTERNAL_H
#define STACKPROOF_EXTERNAL_H

#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "cfi/expression.h"
#include "walk/stack.h"

#define EXTERNAL_PROTOCOL   1	   /* the version that is spoken */
#define EXTERNAL_STACK_MAX  65536u /* bytes of the stack that an engine can have with each point */
#define EXTERNAL_READ_MAX   65536u /* bytes of a read */
#define EXTERNAL_READS_MAX  65536u /* reads of a point */
#define EXTERNAL_BATCH_MAX  256u   /* points in one batch */
#define EXTERNAL_STARTS_MAX 6u	   /* of an engine in a run, the first included */

/* The engine to start. All text is borrowed. */
struct external_options {
	const char *name;     /* the engine's, in messages */
	const char *command;  /* for sh(1); or a shared object's path */
	const char *argument; /* the shared object's; NULL: command is for sh(1) */
	const char
		*program; /* a program of ours beside engine_host, in place of command; or NULL */
	unsigned int hello_ms;	/* for the engine's hello */
	unsigned int answer_ms; /* for an answer */
	uint64_t total_ms;	/* for all of a run's answers; 0: as long as it takes */
};

/* What came of asking about a point. All but the first are a stack of no frames, STOP_FOREIGN. */
enum external_outcome {
	EXTERNAL_STACK,		  /* it answered */
	EXTERNAL_DIED,		  /* its process ended */
	EXTERNAL_TIMEOUT,	  /* no answer in answer_ms */
	EXTERNAL_PROTOCOL_BROKEN, /* it sent what is no valid message */
	EXTERNAL_FLOOD,		  /* it sent, or asked for, more than the limits */
	EXTERNAL_GONE,		  /* not asked: it has failed too often */
	EXTERNAL_LATE,		  /* not asked: it has used up total_ms */
	EXTERNAL_OUTCOME_COUNT,
};
/* "stack", "died", "timeout", "protocol", "flood", "gone", "late" */
const char *external_outcome_name(enum external_outcome outcome);

/* How an engine fared since external_begin(). A plain value. */
struct external_report {
	char version[64];			  /* what it says of itself; "" if nothing */
	uint64_t outcome[EXTERNAL_OUTCOME_COUNT]; /* they add up to the points */
	uint64_t starts;			  /* again, after a failure */
	uint64_t reads;				  /* of memory that it asked for */
	uint64_t bytes;	      /* of the process's memory that it got, asked for or not */
	uint64_t waited_ns;   /* for all answers */
	uint64_t answered_ns; /* of that, for batches that it answered */
	char failure[200];    /* why the first outcome was no stack; "" if all are stacks */
	char said[1024]; /* the beginning of what it wrote to standard error, since it was opened */
};

struct external_mapping {
	uint64_t start, end, offset, bias;
	const uint8_t *build_id;
	size_t build_id_size;
	const char *path; /* "" or NULL: anonymous */
};

struct external_point {
	const struct register_values *regs; /* unknown ones are sent as 0 */
	const struct memory_reader *memory;
};

struct external;
/* Starts the engine and reads its hello. options must live until external_close(). ERROR_UNAVAILABLE: no
 * hello came; a skip. */
int external_open(const struct external_options *options, struct external **ret,
		  struct error *error);
void external_close(struct external *external);
/* A run begins: counters and times become 0, and an engine that was given up may start again. */
void external_begin(struct external *external);
/* From now on these are the process's executable mappings, sorted. -1: no memory. */
int external_mappings(struct external *external, const struct external_mapping *mapping,
		      size_t count, struct error *error);
/*
 * Asks about count points of one process, in as few batches as the engine takes. ret: count stacks, zeroed or filled
 * before. 0, whatever the engine did; -1: no memory in this process.
 */
int external_ask(struct external *external, const struct external_point *point, size_t count,
		 struct stack *ret, struct error *error);
void external_report(const struct external *external, struct external_report *ret);

#endif
