/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * held_records.h - keeps stacks until all earlier changes of mappings are known
 */
#ifndef STACKPROOF_HELD_RECORDS_H
#define STACKPROOF_HELD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "walk.h"

/* Zero-initialise. */
struct held_records {
	uint8_t *memory;
	size_t used, capacity;
	uint64_t lost; /* for want of memory: the sum of their times */
};

/* How a record was met. */
struct held_as {
	bool frame_pointer;
	bool still_off;		 /* its thread is off its CPU yet */
	uint64_t times, last_ns; /* how often; when, the last time */
	uint64_t off_ns;	 /* walk_stack_count.off_ns */
};

/* Adds a copy of record. */
void held_records_add(struct held_records *held, const struct walk_record *record,
		      const struct held_as *as);
/* The record at *at, which is 0 at first and is moved to the next record; NULL: no more. Valid until a record is
 * added. */
const struct walk_record *held_records_next(const struct held_records *held, size_t *at,
					    struct held_as *ret_as);
/* Drops all records, but keeps the memory. */
void held_records_reset(struct held_records *held);
void held_records_deinit(struct held_records *held);

#endif
