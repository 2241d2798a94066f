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

/* Adds a copy of a record that was met so many times. */
void held_records_add(struct held_records *held, const struct walk_record *record,
		      bool frame_pointer, uint64_t times);
/* The record at *at, which is 0 at first and is moved to the next record; NULL: no more. Valid until a record is
 * added. */
const struct walk_record *held_records_next(const struct held_records *held, size_t *at,
					    bool *ret_frame_pointer, uint64_t *ret_times);
/* Drops all records, but keeps the memory. */
void held_records_reset(struct held_records *held);
void held_records_deinit(struct held_records *held);

#endif
