/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_map.h - the names that a process gives the code it has made: /tmp/perf-PID.map
 *
 * For address_space.c, whose functions the rest of the world calls.
 */
#ifndef STACKPROOF_PERF_MAP_H
#define STACKPROOF_PERF_MAP_H

#include "address_space.h"

/* A map that is larger, or has more lines, is not read at all. */
#define PERF_MAP_BYTES_MAX (64u << 20)
#define PERF_MAP_LINES_MAX (1u << 20)

/* Addresses first .. end (exclusive) have this name. */
struct perf_symbol {
	uint64_t first, end;
	uint64_t start; /* of the code that the line is about: later lines may have taken a part */
	const char *name; /* in the map's text; no control characters */
};

struct perf_map {
	struct perf_symbol *symbol; /* sorted, no two overlap */
	size_t count;
	uint64_t malformed; /* lines that say nothing */
	char *text;
	/* Which file it is, in which state; private to perf_map_update(). */
	struct file_version version;
};

/*
 * Reads size bytes of text, which need not end in a NUL. Lines that can't be read are passed over
 * and counted, as is a last one that does not end: it is still being written. ERROR_TABLE_LIMIT:
 * too many lines. *ret: perf_map_destroy().
 */
int perf_map_create(const char *text, size_t size, struct perf_map **ret, struct error *error);
void perf_map_destroy(struct perf_map *map);
/* The name for an address: of several lines that have it, the last one's. NULL: there is none. */
const struct perf_symbol *perf_map_find(const struct perf_map *map, uint64_t pc);

/*
 * Makes *map (NULL at first) what the process's file says now; nothing is read again that has not
 * changed. No file: 0, and *map is NULL. -1: it can't be read, or is not to be trusted; *map is
 * NULL.
 */
int perf_map_update(struct perf_map **map, pid_t pid, struct error *error);

#endif
