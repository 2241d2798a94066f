/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * held_records.c - copies of records, one behind the other, each as long as its stack is
 *
 * A record's struct has room for the deepest stack, 8 KiB; what is kept, as in the ring buffer, is
 * the part that is filled. Memory for one more is given back when it has been empty since the last
 * time.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "held_records.h"

#define KEEP_BYTES (1u << 20) /* more than that is given back */

struct held_header {
	uint64_t bytes; /* with this header, a multiple of 8 */
	struct held_as as;
};

void held_records_add(struct held_records *held, const struct walk_record *record,
		      const struct held_as *as)
{
	struct held_header header = { .as = *as };

	header.bytes = sizeof(header) + walk_record_bytes(record);
	if (!ARRAY_RESERVE(held->memory, held->capacity, held->used + header.bytes)) {
		held->lost += as->times;
		return;
	}
	memcpy(held->memory + held->used, &header, sizeof(header));
	memcpy(held->memory + held->used + sizeof(header), record, header.bytes - sizeof(header));
	held->used += header.bytes;
}

const struct walk_record *held_records_next(const struct held_records *held, size_t *at,
					    struct held_as *ret_as)
{
	const struct held_header *header;

	if (*at == held->used)
		return NULL;
	header = (const void *)(held->memory + *at);
	*at += header->bytes;
	*ret_as = header->as;
	return (const void *)(header + 1);
}

void held_records_reset(struct held_records *held)
{
	held->used = 0;
	if (held->capacity > KEEP_BYTES)
		held_records_deinit(held);
}

void held_records_deinit(struct held_records *held)
{
	free(held->memory);
	held->memory = NULL;
	held->used = held->capacity = 0;
}
