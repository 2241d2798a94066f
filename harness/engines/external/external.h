/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external.h - engines that are programs of their own: started, asked, and contained
 *
 *	external.c		an engine, asked point by point; what becomes of it when it fails
 *	external_process.c	its process: what goes in and out of it, by a deadline
 *	external_keeper.c	who starts it, waits for its end, and ends all that it has started
 *	external_lines.c	the line protocol of docs/ENGINES.md
 *	external_frames.c	the same messages in binary, for engine_host.c
 *	external_report.c	outcomes and stops by name
 *	engine_host.c		a program: loads a shared object (stackproof_engine.h) and asks it
 *	host_serve.c		what it and libgcc_host (../libgcc) do when they are asked
 *
 * What an engine is told is not tied to a process under ptrace: registers, mappings, and memory
 * through a callback. A recorded point has all of these, too.
 *
 * Whatever an engine does, each point gets an *outcome*, and nobody else pays for it but by time,
 * which has a limit. One that fails is killed, with all that it has started, and started anew.
 */
#ifndef STACKPROOF_EXTERNAL_H
#define STACKPROOF_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "cfi/expression.h"
#include "walk/stack.h"

#define EXTERNAL_PROTOCOL   1	   /* the version that is spoken */
#define EXTERNAL_STACK_MAX  65536u /* bytes of a stack that an engine can have with each point */
#define EXTERNAL_READ_MAX   65536u /* bytes of a read */
#define EXTERNAL_READS_MAX  65536u /* reads of a point */
#define EXTERNAL_BATCH_MAX  256u   /* points that are asked about at once */
#define EXTERNAL_STARTS_MAX 6u	   /* of an engine, the first included */

/* What is to be started. All text is borrowed. */
struct external_options {
	const char *name;     /* the engine's, in messages */
	const char *command;  /* for sh(1); of a shared object, its path */
	const char *argument; /* a shared object's; NULL: it is none */
	const char
		*program; /* one of our own, beside engine_host: that is started, and no command */
	unsigned int hello_ms;	/* for its hello */
	unsigned int answer_ms; /* for an answer */
	uint64_t total_ms;	/* for all of a run's answers; 0: as long as it takes */
};

/* What came of asking about a point. All but the first are a stack of no frames, STOP_FOREIGN. */
enum external_outcome {
	EXTERNAL_STACK,		  /* it answered */
	EXTERNAL_DIED,		  /* its process ended */
	EXTERNAL_TIMEOUT,	  /* no answer in answer_ms */
	EXTERNAL_PROTOCOL_BROKEN, /* it said what is no answer */
	EXTERNAL_FLOOD,		  /* it said, or asked for, more than anybody may */
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
	uint64_t starts;			  /* after the first */
	uint64_t reads;				  /* of memory that it asked for */
	uint64_t bytes;	      /* of the process's memory that it got, asked for or not */
	uint64_t waited_ns;   /* in all */
	uint64_t answered_ns; /* for what it answered */
	char failure[200];    /* what the first outcome that is no stack came of; "" if all are */
	char said[1024]; /* the beginning of what it wrote to standard error, since it was opened */
};

struct external_mapping {
	uint64_t start, end, offset, bias;
	const uint8_t *build_id;
	size_t build_id_size;
	const char *path; /* "" or NULL: anonymous */
};

struct external_point {
	const struct register_values *regs; /* what is not known is 0 */
	const struct memory_reader *memory;
};

struct external;
/* Starts it and takes its hello. ERROR_UNAVAILABLE: it did not come to that; a skip. */
int external_open(const struct external_options *options, struct external **ret,
		  struct error *error);
void external_close(struct external *external);
/* A program's run begins: counters and time at 0, and one that was gone has another chance. */
void external_begin(struct external *external);
/* From now on these are the process's executable mappings, sorted. -1: no memory. */
int external_mappings(struct external *external, const struct external_mapping *mapping,
		      size_t count, struct error *error);
/*
 * Asks about points of one process; in as few batches as the engine takes. ret: as many stacks,
 * zeroed or filled before. 0, whatever the engine did; -1: no memory here.
 */
int external_ask(struct external *external, const struct external_point *point, size_t count,
		 struct stack *ret, struct error *error);
void external_report(const struct external *external, struct external_report *ret);

#endif
