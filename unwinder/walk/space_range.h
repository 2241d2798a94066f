/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * space_range.h - an address space that is changed without reading /proc
 *
 * Who is told by the kernel what a process maps (PERF_RECORD_MMAP2, perf_event_open(2)) can change
 * the space that it has read, or begin with an empty one. The pieces come out as
 * address_space_read() would make them of the same line.
 */
#ifndef STACKPROOF_SPACE_RANGE_H
#define STACKPROOF_SPACE_RANGE_H

#include "image_store.h"

/* An executable stretch of memory, as a line of /proc/PID/maps says it. */
struct mapped_range {
	uint64_t start, end;	   /* multiples of TABLE_PAGE_SIZE */
	uint64_t offset;	   /* in the file */
	const char *path;	   /* "" if it has none */
	struct image_entry *entry; /* NULL: it has none */
};

/* Frees what a mapping of a space has. */
void mapping_deinit(struct mapping *mapping);
/* Adds the range behind all that the space has, which was made by this only. */
int space_add_range(struct address_space *space, const struct mapped_range *range,
		    struct error *error);

/* The range is mapped in place of whatever was there. If that fails nothing has changed. */
int address_space_map(struct address_space *space, const struct mapped_range *range,
		      struct error *error);
/* ret: what it had is lost, not freed. Names are not copied. */
int address_space_copy(const struct address_space *space, struct address_space *ret,
		       struct error *error);
/* True: some address of start .. end has another image in one than in the other, or lies
 * elsewhere in it. No image at all, mapped or not, is the same. */
bool address_space_differs(const struct address_space *a, const struct address_space *b,
			   uint64_t start, uint64_t end);

#endif
