/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * jit_dump.h - the names of code that a process has generated, with the time of each: jit-PID.dump
 *
 * For address_space.c, as perf_map.h. The file is opened when the process's mappings are read, for its mapping says which
 * it is; so its names outlast the process.
 */
#ifndef STACKPROOF_JIT_DUMP_H
#define STACKPROOF_JIT_DUMP_H

#include "mapped_file.h"
#include "perf_map.h"

/* A dump that is larger, or has more records, is read no further. */
#define JIT_DUMP_BYTES_MAX   (1ull << 30)
#define JIT_DUMP_RECORDS_MAX (1u << 20)
/* Of a name. */
#define JIT_DUMP_NAME_MAX 4096
/* Pieces of code, the latest first, that are gone through for an address that has other code by now. */
#define JIT_DUMP_EARLIER_MAX 65536

struct jit_dump; /* of all processes that have mapped the file */

/* Whether a mapping's path is that of a dump: "/tmp/jit-4711.dump". */
bool jit_dump_is_path(const char *path);
/* The dump that thread tid has mapped there: one of *list, where it is added, or NULL. jit_dump_release(). */
struct jit_dump *jit_dump_open(struct jit_dump **list, pid_t tid, const struct maps_line *line);
/* The same of a descriptor, which is taken over; -1: NULL. */
struct jit_dump *jit_dump_create(struct jit_dump **list, int fd);
/* One reference more. dump may be NULL. */
struct jit_dump *jit_dump_share(struct jit_dump *dump);
void jit_dump_release(struct jit_dump *dump);

/* Reads what was added to the file. -1: ERROR_SYSTEM, ERROR_MEMORY; ERROR_PROTOCOL: it is no dump, or malformed,
 * another user's, or, said once, it has records of a time that has not come, which were left out;
 * ERROR_TABLE_LIMIT. What was read before stays. */
int jit_dump_update(struct jit_dump *dump, struct error *error);
/* Whether the file was begun before a time, CLOCK_MONOTONIC: then it is not of who was forked at that time. */
bool jit_dump_is_older(const struct jit_dump *dump, uint64_t time_ns);
/* The code at an address at a time, CLOCK_MONOTONIC; UINT64_MAX: the latest. NULL: there was none at any time. Valid until
 * the next update. */
const struct perf_symbol *jit_dump_find(const struct jit_dump *dump, uint64_t pc, uint64_t time_ns);

#endif
