/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_map.h - the names of code that a process has generated: /tmp/perf-PID.map
 *
 * For address_space.c; others call address_space_read_names() and address_space_code_name().
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
	uint64_t start;	  /* of the code in its line: later lines may have replaced a part */
	const char *name; /* points into the map's text; no control characters */
	uint64_t time;	  /* 0: the file has none */
};

struct perf_map {
	struct perf_symbol *symbol; /* sorted, no two overlap */
	size_t count;
	uint64_t malformed; /* how many lines could not be read */
	char *text;
	/* The version of the file; private to perf_map_update(). */
	struct file_version version;
};

/*
 * Reads size bytes of text, which need not end in a NUL. Malformed lines are skipped and counted, and so is
 * a last line without a newline: it is still being written. ERROR_TABLE_LIMIT: too many lines. *ret:
 * perf_map_destroy().
 */
int perf_map_create(const char *text, size_t size, struct perf_map **ret, struct error *error);
void perf_map_destroy(struct perf_map *map);
/* Makes the map's symbols of lines, as they came: of several with an address it is the last one's. -1: no memory. */
int perf_map_cut(struct perf_map *map, const struct perf_symbol *lines, size_t count);
/* The symbol at an address; of several lines with that address the last one counts. NULL: there is none. */
const struct perf_symbol *perf_map_find(const struct perf_map *map, uint64_t pc);

/*
 * Brings *map, NULL at first, up to date with the process's file, which is read only if it has changed. No
 * file: 0, and *map is NULL. -1: the file can't be read or is not to be trusted; *map is NULL.
 */
int perf_map_update(struct perf_map **map, pid_t pid, struct error *error);

#endif
