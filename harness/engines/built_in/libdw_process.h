/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libdw_process.h - a stopped process as libdw has it; for libdw.c, perf.c and libdw_process.c only
 */
#ifndef STACKPROOF_LIBDW_PROCESS_H
#define STACKPROOF_LIBDW_PROCESS_H

#include <elfutils/libdwfl.h>
#include "engine.h"

#define LIBDW_CHECKED_PCS 1024 /* direct-mapped */

struct libdw_process {
	Dwfl *dwfl;
	bool stale; /* the mappings are others by now: report and attach before the next walk */
	struct {
		uint64_t pc;
		bool crashes;
	} checked[LIBDW_CHECKED_PCS]; /* of the mappings at hand */
};

/* The mappings have changed: the next walk reports them anew. */
void libdw_process_mappings(struct libdw_process *process);
/* A Dwfl of the files that the point's process has mapped. 0, or -1 with libdw's word for it. stale is
 * the caller's to clear, once the Dwfl is attached. */
int libdw_process_report(struct libdw_process *process, const struct point *point,
			 struct error *error);
/* For a Dwfl whose thread is read through a point. */
bool libdw_set_registers(Dwfl_Thread *thread, const struct point *point);
/* What libdw reads out of the process, it reads now. Once the Dwfl is attached. */
void libdw_process_read_vdso(struct libdw_process *process);
/* Threads are named, and none is looked for: libdw only wants that somebody could list them. */
pid_t libdw_next_thread(Dwfl *dwfl, void *context, void **thread);
/* True if libdw would die of the row at the PC, or at the last byte of the call before it. */
bool libdw_process_crashes(struct libdw_process *process, const struct address_space *space,
			   uint64_t pc);
/* Sets error to what libdw's function says: its return value, or its own error. -1. */
int libdw_fail(struct error *error, pid_t tid, const char *function, int status);

#endif
