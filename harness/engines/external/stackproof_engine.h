/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stackproof_engine.h - an unwinder as a shared object: what `stackproof compare --engine NAME=FILE.so` calls
 *
 *	stackproof_engine_open	once, when the object has been loaded
 *	stackproof_engine_walk	at each point: registers, mappings and memory in, a stack out
 *	stackproof_engine_close	once, at the end
 *
 * The object is loaded in a process of its own, so that its faults affect nothing else. docs/ENGINES.md has the
 * rules, and says what happens to an engine that breaks them. For C11 and C++11; x86-64.
 */
#ifndef STACKPROOF_ENGINE_INTERFACE_H
#define STACKPROOF_ENGINE_INTERFACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STACKPROOF_ENGINE_VERSION 1
#define STACKPROOF_ENGINE_REGISTERS                                                                \
	17 /* by DWARF number: rsp is 7, rip is 16 (psABI, table 3.36) */

/* Why a walk ended. The same words as in the line protocol. */
enum stackproof_engine_stop {
	STACKPROOF_ENGINE_COMPLETE = 1,		/* the outermost frame, and that is proven */
	STACKPROOF_ENGINE_NO_MAPPING = 2,	/* a PC is in no image */
	STACKPROOF_ENGINE_NO_ROW = 3,		/* no unwind information covers a PC */
	STACKPROOF_ENGINE_MALFORMED = 4,	/* unwind information that can't be read */
	STACKPROOF_ENGINE_UNSUPPORTED = 5,	/* a rule that the engine does not have */
	STACKPROOF_ENGINE_REGISTER_UNKNOWN = 6, /* a register whose value is lost is needed */
	STACKPROOF_ENGINE_READ_FAULT = 7,	/* memory that can't be read */
	STACKPROOF_ENGINE_NO_PROGRESS = 8,	/* the walk would go round */
	STACKPROOF_ENGINE_ZERO_RETURN = 9,	/* a return address of 0: it proves no end */
	STACKPROOF_ENGINE_DEPTH = 10,		/* the engine has no room for more */
	STACKPROOF_ENGINE_GUESSED = 11,		/* the end, but a frame on the way was guessed */
	STACKPROOF_ENGINE_FOREIGN = 12		/* any other reason */
};

/* An executable mapping. An address minus bias is a virtual address of the image, as in its ELF file. */
struct stackproof_engine_mapping {
	uint64_t start, end;
	uint64_t offset; /* of start in the file, bytes */
	uint64_t bias;
	const char *path;	 /* "" if it is anonymous; "[vdso]" is in memory only */
	const uint8_t *build_id; /* NULL if there is none */
	uint64_t build_id_bytes;
};

/* A stopped thread. All pointers are lent for the call. */
struct stackproof_engine_point {
	uint64_t bytes; /* of this structure; new members come at its end */
	uint64_t reg[STACKPROOF_ENGINE_REGISTERS];
	const struct stackproof_engine_mapping *mapping; /* sorted by start */
	uint64_t mapping_count;
	uint64_t mapping_generation; /* changes when the mappings have changed */
	/* The stack from rsp up, as much of it as was asked for and can be read. */
	const uint8_t *stack;
	uint64_t stack_bytes;
	/* Reads other memory. 0; or -1 if not all of it can be read. At most 65,536 bytes at a time. */
	int (*read)(void *context, uint64_t address, void *ret, uint64_t bytes);
	void *read_context;
};

/* What the engine answers. pc[0] is where the thread is, pc[n] where frame n will go on. */
struct stackproof_engine_stack {
	uint64_t bytes;	   /* of this structure */
	uint64_t *pc;	   /* room for capacity frames, to be filled */
	uint64_t capacity; /* 1,048,576 */
	uint64_t count;	   /* 0 before the call */
	uint32_t stop;	   /* enum stackproof_engine_stop; STACKPROOF_ENGINE_FOREIGN before */
	uint32_t unused;
};

/* What the engine says of itself. */
struct stackproof_engine_about {
	uint64_t bytes;	  /* of this structure */
	char version[64]; /* its own version, for the report; "" before */
	uint32_t
		stack_bytes; /* how much of the stack it wants with each point, at most 65,536; 0 before */
	uint32_t unused;
};

/* version: the caller's STACKPROOF_ENGINE_VERSION. argument: the text behind the object's name, or "".
 * Returns a pointer for the other two functions. NULL: the engine can't work, and prints why on standard
 * error. */
void *stackproof_engine_open(uint32_t version, const char *argument,
			     struct stackproof_engine_about *ret);
/* 0: ret has the stack, or a part of it. -1: there is none; it is scored as a stack of no frames. */
int stackproof_engine_walk(void *engine, const struct stackproof_engine_point *point,
			   struct stackproof_engine_stack *ret);
void stackproof_engine_close(void *engine);

#ifdef __cplusplus
}
#endif

#endif
