/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external_inside.h - what the files of this folder share: messages, both ways to write them, and
 * the engine's process
 */
#ifndef STACKPROOF_EXTERNAL_INSIDE_H
#define STACKPROOF_EXTERNAL_INSIDE_H

#include <sched.h>
#include "external.h"
#include "external_wire.h"

#define EXTERNAL_LINE_MAX ((size_t)STACK_FRAMES_MAX * 17 + 256) /* a stack as deep as any */

/* Bytes that grow: written at the end, taken from the beginning. */
struct external_bytes {
	uint8_t *data;
	size_t size, capacity;
	size_t taken;	/* of size */
	size_t scanned; /* of size: has no newline from taken on */
	bool failed;	/* there was no memory */
};

/* Room for so many bytes behind the last; NULL: none, failed is set. */
uint8_t *external_bytes_room(struct external_bytes *bytes, size_t count);
void external_bytes_add(struct external_bytes *bytes, const void *data, size_t size);

/* What an engine says, taken apart. */
struct external_message {
	enum external_kind kind;
	uint64_t number;     /* of KIND_HELLO, KIND_WANTS_STACK, KIND_WANTS_BATCH */
	char text[200];	     /* of KIND_VERSION, KIND_REFUSED */
	uint64_t id;	     /* of KIND_READ, KIND_STACK: the point's */
	uint64_t address;    /* of KIND_READ */
	uint64_t count;	     /* of KIND_READ */
	struct stack *stack; /* set by who asks; filled by KIND_STACK if that is its id */
	uint64_t wanted;     /* set by who asks */
};

/* What was taken. */
enum external_take {
	TAKE_MORE, /* nothing yet: more bytes are needed */
	TAKE_MESSAGE,
	TAKE_BROKEN, /* why: message->text */
	TAKE_FLOOD,
	TAKE_MEMORY, /* none here */
};

/* What an engine's stack is of, as it is written. */
struct external_written_point {
	uint64_t id;
	const uint64_t *reg;  /* REGISTER_COUNT of them */
	const uint8_t *stack; /* from rsp up; NULL: none was asked for */
	size_t stack_bytes;
};

/* One way to write messages. put_*: adds to bytes. */
struct external_codec {
	void (*put_hello)(struct external_bytes *bytes);
	void (*put_mappings)(struct external_bytes *bytes, const struct external_mapping *mapping,
			     size_t count);
	void (*put_batch)(struct external_bytes *bytes, size_t count);
	void (*put_point)(struct external_bytes *bytes, const struct external_written_point *point);
	void (*put_memory)(struct external_bytes *bytes, const uint8_t *data, size_t size);
	void (*put_fault)(struct external_bytes *bytes);
	enum external_take (*take)(struct external_bytes *bytes, struct external_message *message);
};
extern const struct external_codec external_lines, external_frames;

/* A stop by its number in stackproof_engine.h, or by its word; STOP_NONE: there is no such. */
enum stop_reason external_stop(uint32_t number);
enum stop_reason external_stop_find(const char *word, size_t size);
/* Copies text that a stranger wrote, without control characters. */
void external_text(const char *text, size_t size, char *ret, size_t ret_size);

/* ---- external_keeper.c ---------------------------------------------------------------------- */

struct external_ends {
	int input, output, errors; /* the engine's standard streams */
};

/*
 * Forks a keeper, which starts argv with these streams and no other descriptor. *ret_control: how
 * the engine ended comes from there, an int as of waitpid(2). The keeper ends all that the engine
 * has started, and itself, when that is closed. Returns its number, or -1.
 */
pid_t external_keeper_start(const char *const *argv, const struct external_ends *ends,
			    const cpu_set_t *cpus, int *ret_control, struct error *error);

/* ---- external_process.c --------------------------------------------------------------------- */

struct external_process {
	pid_t keeper; /* 0: there is none */
	int control;
	int input, output, errors; /* our ends */
	bool output_ended, died;
	int status; /* if it died */
	struct external_bytes out, in;
};

int external_process_start(struct external_process *process, const char *const *argv,
			   const cpu_set_t *cpus, struct error *error);
/* at_once: does not wait for it to see that its input has ended. */
void external_process_end(struct external_process *process, bool at_once, char *said,
			  size_t said_size);
/* Writes, reads, and adds standard error to said, until something has been read or is over, or the
 * deadline (monotonic_ns) has come. */
void external_process_pump(struct external_process *process, uint64_t deadline, char *said,
			   size_t said_size);

#endif
