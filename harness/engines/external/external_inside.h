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

/* A buffer that grows: written at the end, taken from the beginning. */
struct external_bytes {
	uint8_t *data;
	size_t size, capacity;
	size_t taken;	/* bytes that were taken */
	size_t scanned; /* no newline is between taken and here */
	bool failed;	/* there was no memory */
};

/* Makes room for count bytes behind the last, and returns it. NULL: no memory, and failed is set. */
uint8_t *external_bytes_room(struct external_bytes *bytes, size_t count);
void external_bytes_add(struct external_bytes *bytes, const void *data, size_t size);

/* An engine's message, decoded. */
struct external_message {
	enum external_kind kind;
	uint64_t number;     /* of KIND_HELLO, KIND_WANTS_STACK, KIND_WANTS_BATCH */
	char text[200];	     /* of KIND_VERSION, KIND_REFUSED */
	uint64_t id;	     /* of KIND_READ: the point's */
	uint64_t address;    /* of KIND_READ */
	uint64_t count;	     /* of KIND_READ */
	struct stack *stack; /* set by the caller; filled by KIND_STACK of the wanted point */
	uint64_t wanted;     /* set by the caller: that point's id */
};

/* The result of taking a message. */
enum external_take {
	TAKE_MORE, /* nothing yet: more bytes are needed */
	TAKE_MESSAGE,
	TAKE_BROKEN, /* malformed; message->text says why */
	TAKE_FLOOD,
	TAKE_MEMORY, /* no memory in this process */
};

/* A point as it is sent to an engine. */
struct external_written_point {
	uint64_t id;
	const uint64_t *reg;  /* REGISTER_COUNT of them */
	const uint8_t *stack; /* from rsp up; NULL: none was asked for */
	size_t stack_bytes;
};

/* An encoding of messages. put_*() adds to bytes; take() decodes the next message. */
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

/* A stop by its number in stackproof_engine.h, or by its word. STOP_NONE: it is unknown. */
enum stop_reason external_stop(uint32_t number);
enum stop_reason external_stop_find(const char *word, size_t size);
/* Copies an engine's text without control characters. ret_size: bytes of ret. */
void external_text(const char *text, size_t size, char *ret, size_t ret_size);

/* ---- external_keeper.c ---------------------------------------------------------------------- */

struct external_ends {
	int input, output, errors; /* the engine's standard streams */
};

/*
 * Forks a keeper, a process that starts argv with these streams and no other descriptor. *ret_control: delivers how
 * the engine ended, an int as of waitpid(2). When the caller closes it, the keeper ends all that the engine has
 * started, and itself. Returns the keeper's process ID, or -1.
 */
pid_t external_keeper_start(const char *const *argv, const struct external_ends *ends,
			    const cpu_set_t *cpus, int *ret_control, struct error *error);

/* ---- external_process.c --------------------------------------------------------------------- */

struct external_process {
	pid_t keeper; /* 0: there is none */
	int control;
	int input, output, errors; /* our ends */
	bool output_ended, died;
	int status; /* of waitpid(2), if it died */
	struct external_bytes out, in;
};

int external_process_start(struct external_process *process, const char *const *argv,
			   const cpu_set_t *cpus, struct error *error);
/* Closes the engine's input, waits up to a second for its end unless at_once, and kills it. */
void external_process_end(struct external_process *process, bool at_once, char *said,
			  size_t said_size);
/* Writes out, reads into in, and adds standard error to said, until output was read or has ended, the
 * process has ended, or deadline (monotonic_ns()) is over. */
void external_process_pump(struct external_process *process, uint64_t deadline, char *said,
			   size_t said_size);

#endif
