/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_code.h - what code the watched processes have mapped, and the files that it is of
 */
#ifndef STACKPROOF_PLUGIN_CODE_H
#define STACKPROOF_PLUGIN_CODE_H

#include "perf_ring.h"
#include "truth_file/truth_file.h"

/* A file with code, read on the host. Shared by all processes. */
struct code_file {
	struct truth_image
		image; /* kind: TRUTH_IMAGE_OTHER if it is not there, or no ELF file of this machine */
	struct code_segment *segment;
	size_t segments;
};

/* A mapping of it. */
struct code_range {
	uint64_t start, end;
	uint64_t bias; /* a PC's address in the image is PC - bias; 0 where there is no image */
	uint32_t file; /* its number, from 1 on; 0: no file */
};

/* A process's, by address. */
struct code_map {
	struct code_range *range;
	size_t count;
};

/* What the guest has at path and below it is not in its root, but on the host at here. Both stay the caller's. False: no
 * memory. */
bool code_files_taken(const char *here, const char *path);
/* The file of a number; that of 0 has no path. */
const struct code_file *code_file(uint32_t number);
/* How many there are. */
uint32_t code_files(void);
/* The process has mapped code, in place of what was there. False: no memory. root: where the guest's files are on
 * the host; or "". */
bool code_map_add(struct code_map *map, const struct process_mapping *mapping, const char *root);
/* No code is at start .. end any more. */
bool code_map_remove(struct code_map *map, uint64_t start, uint64_t end);
/* What was at from, bytes long, is at to now: mremap(2), of which no event tells. */
bool code_map_move(struct code_map *map, uint64_t from, uint64_t bytes, uint64_t to);
bool code_map_copy(const struct code_map *map, struct code_map *ret);
void code_map_deinit(struct code_map *map);
/* NULL: no mapping holds the address. */
const struct code_range *code_map_find(const struct code_map *map, uint64_t pc);
/* How many files could not be read. */
size_t code_files_missing(void);

#endif
