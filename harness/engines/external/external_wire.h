/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external_wire.h - the messages between stackproof and engine_host, in binary
 *
 * Both are built from one tree and run on one machine, so numbers are in its byte order. A message is a header and
 * its bytes. The line protocol has the same messages as text.
 */
#ifndef STACKPROOF_EXTERNAL_WIRE_H
#define STACKPROOF_EXTERNAL_WIRE_H

#include <stdint.h>

enum external_kind {
	/* From the engine. */
	KIND_HELLO = 1,	  /* uint64_t: the protocol's version */
	KIND_VERSION,	  /* text */
	KIND_WANTS_STACK, /* uint64_t: bytes */
	KIND_WANTS_BATCH, /* uint64_t: points */
	KIND_READY,
	KIND_READ,    /* struct wire_read */
	KIND_STACK,   /* struct wire_stack, PCs */
	KIND_REFUSED, /* text: what the shared object did that it must not */
	/* To the engine. */
	KIND_MAPPINGS = 64, /* uint64_t: how many; for each a struct wire_mapping, build-id, path */
	KIND_POINTS,	    /* uint64_t: so many KIND_POINT follow */
	KIND_POINT,	    /* struct wire_point, bytes of the stack */
	KIND_MEMORY,	    /* bytes */
	KIND_FAULT,
};

struct wire_header {
	uint32_t kind;
	uint32_t bytes; /* that follow the header */
};

struct wire_read {
	uint64_t id, address, bytes;
};

struct wire_stack {
	uint64_t id;
	uint64_t stop; /* enum stackproof_engine_stop */
};

struct wire_mapping {
	uint64_t start, end, offset, bias;
	uint64_t build_id_bytes, path_bytes; /* the path's NUL included */
};

struct wire_point {
	uint64_t id;
	uint64_t reg[17];
};

#endif
