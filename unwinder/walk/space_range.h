/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * space_range.h - changes an address space without reading /proc
 *
 * The kernel's events (PERF_RECORD_MMAP2, perf_event_open(2)) say what a process maps. With them a space that
 * was read, or an empty one, is kept up to date. The mappings are those that address_space_read() would make
 * of the same line.
 */
#ifndef STACKPROOF_SPACE_RANGE_H
#define STACKPROOF_SPACE_RANGE_H

#include "image_store.h"

/* An executable mapping, as in a line of /proc/PID/maps. */
struct mapped_range {
	uint64_t start, end;	   /* multiples of TABLE_PAGE_SIZE */
	uint64_t offset;	   /* in the file */
	const char *path;	   /* "" if there is none */
	struct image_entry *entry; /* the image; NULL: there is none */
};

/* Frees what a mapping owns. */
void mapping_deinit(struct mapping *mapping);
/* Adds the range at the end of a space, of which all mappings were added so, in order. */
int space_add_range(struct address_space *space, const struct mapped_range *range,
		    struct error *error);

/* Maps the range in place of all that was there. On failure nothing has changed. */
int address_space_map(struct address_space *space, const struct mapped_range *range,
		      struct error *error);
/* Copies a space, without names. What *ret had is not freed. */
int address_space_copy(const struct address_space *space, struct address_space *ret,
		       struct error *error);
/* Whether some of start .. end is where the space has an image's code, or would, if all its segments were mapped. */
bool address_space_has_code(const struct address_space *space, uint64_t start, uint64_t end);
/* Whether an address in start .. end has different images, or different image addresses, in the two spaces. A
 * mapping without an image counts as no mapping. */
bool address_space_differs(const struct address_space *a, const struct address_space *b,
			   uint64_t start, uint64_t end);

#endif
