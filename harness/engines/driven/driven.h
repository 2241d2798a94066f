/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * driven.h - somebody else's BPF program, run at each stop of a stepped thread
 *
 *	driven_text.c	 the words of the command line
 *	driven_object.c	 the object file in the kernel: its sizes, its pins, the program, the map that its records leave by
 *	driven_program.c	 a program that somebody else has loaded, attached as well
 *	driven_records.c what a record says, and each thread's latest
 *	../built_in/driven.c the engine
 *
 * A stopped thread is switched out. A perf event of period 1 that counts context switches fires at that moment, in the
 * thread. The program is attached to this event, so it walks the stack that the tracer then knows. The tracer shares its
 * CPU with the thread, so the record is there before the tracer asks.
 *
 * A program that takes the registers of the sample, and not the task's, sees the kernel's (schedule()), as for every
 * sample that falls into the kernel.
 */
#ifndef STACKPROOF_DRIVEN_H
#define STACKPROOF_DRIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "error.h"
#include "walk/stack.h"

/* ---- driven_text.c ----------------------------------------------------------------------- */

/* A number in a record: of 1, 2, 4 or 8 bytes; of 0: the record doesn't have it. */
struct driven_field {
	uint32_t offset; /* in the record, bytes */
	uint8_t bytes;
};

/* Where a record has what. Numbers are little-endian; all but count may be negative. PCs are of 8 bytes each, the
 * innermost frame first. */
struct driven_layout {
	struct driven_field
		tid; /* the thread, as the kernel numbers it: bpf_get_current_pid_tgid()'s low half */
	struct driven_field count; /* frames */
	struct driven_field
		bytes; /* or their bytes: what bpf_get_stack() returns; negative: it failed */
	struct driven_field pcs;   /* bytes: not 0 if it is given, whatever it is */
	struct driven_field stack; /* or what bpf_get_stackid() returns; negative: it failed */
	struct driven_field
		complete; /* not 0: the walk says that it has reached the outermost frame */
};

#define DRIVEN_SIZES_MAX 16

struct driven_options {
	char *name;
	char *text;    /* as the command line has it behind the name */
	char *object;  /* a path */
	char *program; /* NULL: the only one of type perf_event */
	char *map; /* that records leave by: a ring buffer or a perf buffer; NULL: the only one */
	char *stacks; /* of BPF_MAP_TYPE_STACK_TRACE, for layout.stack; NULL: the only one */
	char *pin; /* a directory of a BPF file system, in which the maps are pinned while it runs; or NULL */
	char *fill; /* a command that fills the maps for a process; or NULL */
	struct driven_layout layout;
	struct {
		char *map;
		uint32_t entries;
	} size[DRIVEN_SIZES_MAX];
	size_t sizes;
};

#define DRIVEN_PREFIX "bpf:"

/* Reads "OBJECT[:PROGRAM] [KEY=VALUE]..." into ret, which is zeroed but for its name: messages have that. -1:
 * ERROR_TEXT_SYNTAX, ERROR_MEMORY, or ERROR_SYSTEM: the object can't be read. ret must be given to
 * driven_options_deinit() all the same. */
int driven_options_read(const char *text, struct driven_options *ret, struct error *error);
void driven_options_deinit(struct driven_options *options);

/* ---- driven_object.c --------------------------------------------------------------------- */

struct driven_object;

/* Is given each record that the program has sent, valid during the call. */
typedef void (*driven_record_fn)(void *context, const void *record, size_t size);

/* Loads the object. fn gets context. -1: ERROR_UNAVAILABLE: there is no BPF here, or no right to it; else what is wrong
 * with the object, or with its options. */
int driven_object_open(const struct driven_options *options, driven_record_fn fn, void *context,
		       struct driven_object **ret, struct error *error);
void driven_object_close(struct driven_object *object);
/* Runs the program whenever the thread tid is switched out, and the threads and processes that it makes from now on. The
 * thread of an earlier call is left. -1: ERROR_UNAVAILABLE, ERROR_PROTOCOL. */
int driven_object_attach(struct driven_object *object, pid_t tid, struct error *error);
/* Gives fn each record that has been sent since. -1: ERROR_PROTOCOL. */
int driven_object_consume(struct driven_object *object, struct error *error);
/* Takes a stack out of the map, so that its place is free. */
void driven_object_drop(struct driven_object *object, uint32_t id);
/* A stack by the number that bpf_get_stackid() gave it: room for capacity PCs. Returns how many there are; -1: there is
 * no such stack, or the map's stacks may be longer than capacity. It is taken out of the map, which doesn't say how
 * long it is: a PC of 0 at its end isn't seen. */
int driven_object_stack(struct driven_object *object, uint32_t id, uint64_t *ret,
			uint32_t capacity);
/* Records that found no room in a perf buffer since the call before. Of a ring buffer it is not known. */
uint64_t driven_object_take_lost(struct driven_object *object);
/* What the kernel has counted of the program since it was loaded. False: it doesn't (before Linux 5.8, or without the
 * right to it). */
bool driven_object_cost(const struct driven_object *object, uint64_t *ret_runs, uint64_t *ret_ns);

/* ---- driven_program.c --------------------------------------------------------------------- */

/* An event that fires whenever the thread tid, or a thread or process that it makes from now on, is switched out.
 * -1: errno. */
int driven_event_open(pid_t tid);

/* What the kernel has counted of a program, a descriptor, while bpf_enable_stats() was in force. False: it fails. */
bool driven_runs(int program, uint64_t *ret_runs, uint64_t *ret_ns);
/* The number of the program that was loaded last; 0: there is none, or no right to know. */
uint32_t driven_program_last(void);
/* Finds a loaded program of type perf_event, by its number in text, or by its name: one that was loaded after
 * program number after. 0; 1: there is none; -1: ERROR_TEXT_SYNTAX: there are several, or it is of another type;
 * ERROR_UNAVAILABLE: no right to list them. */
int driven_program_find(const char *text, uint32_t after, uint32_t *ret, struct error *error);

struct driven_program;
/* Opens program number id. -1: ERROR_UNAVAILABLE, ERROR_PROTOCOL. */
int driven_program_open(uint32_t id, struct driven_program **ret, struct error *error);
/* Runs the program also whenever a thread of process pid is switched out, until driven_program_close(). */
int driven_program_attach(struct driven_program *program, pid_t pid, struct error *error);
/* What the kernel has counted of the program since driven_program_open(), for other events, too. False: it
 * doesn't count. */
bool driven_program_cost(const struct driven_program *program, uint64_t *ret_runs,
			 uint64_t *ret_ns);
void driven_program_close(struct driven_program *program);

/* ---- driven_records.c -------------------------------------------------------------------- */

struct driven_records;

/* What became of records and stops. */
struct driven_counts {
	uint64_t records, bytes;
	uint64_t
		malformed; /* shorter than the layout says, or with more frames than it has bytes */
	uint64_t lost;	   /* they found no room in the perf buffer */
	uint64_t none;	   /* stops without a record since the stop before */
	uint64_t
		stale; /* stops whose only record is of where the thread stood at its stop before */
};

/* Copies layout. NULL: no memory. */
struct driven_records *driven_records_create(const struct driven_layout *layout);
/* Sets the object whose map has the stacks, for layout.stack. */
void driven_records_set_object(struct driven_records *records, struct driven_object *object);
void driven_records_destroy(struct driven_records *records);
/* A driven_record_fn: keeps a copy. records: a struct driven_records. */
void driven_records_add(void *records, const void *record, size_t size);
/* Forgets all records and threads. */
void driven_records_forget(struct driven_records *records);
/* The thread has stopped at pc, and nothing is asked: its record is of no use any more. */
void driven_records_pass(struct driven_records *records, pid_t tid, uint64_t pc);
/* The thread has stopped at pc. Fills ret from its latest record since its stop before, without the kernel's frames in
 * front: STOP_COMPLETE or STOP_FOREIGN. 0; 1: no record is usable, and the reason is counted; -1: ERROR_MEMORY. */
int driven_records_take(struct driven_records *records, pid_t tid, uint64_t pc, struct stack *ret,
			struct error *error);
/* Counts since driven_records_create(), or since they were zeroed through it. */
struct driven_counts *driven_records_counts(struct driven_records *records);

#endif
