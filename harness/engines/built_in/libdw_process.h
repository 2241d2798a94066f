/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libdw_process.h - a stopped process as libdw sees it; for libdw.c, perf.c and libdw_process.c only
 */
#ifndef STACKPROOF_LIBDW_PROCESS_H
#define STACKPROOF_LIBDW_PROCESS_H

#include <elfutils/libdwfl.h>
#include "engine.h"

#define LIBDW_CHECKED_PCS 1024 /* direct-mapped */

struct libdw_process {
	Dwfl *dwfl;
	bool stale; /* the mappings have changed: report and attach before the next walk */
	struct {
		uint64_t pc;
		bool crashes;
	} checked[LIBDW_CHECKED_PCS]; /* of the current mappings */
};

/* The mappings have changed: the next walk reports them anew. */
void libdw_process_mappings(struct libdw_process *process);
/* Makes a Dwfl of the files that the point's process has mapped. -1: error has libdw's message. The caller
 * clears stale once the Dwfl is attached. */
int libdw_process_report(struct libdw_process *process, const struct point *point,
			 struct error *error);
/* Gives a Dwfl's thread the registers of a point. False: libdw refuses. */
bool libdw_set_registers(Dwfl_Thread *thread, const struct point *point);
/* Makes libdw read the vDSO from the process now. The Dwfl must be attached. */
void libdw_process_read_vdso(struct libdw_process *process);
/* A callback that lists no threads: libdw requires one, but is always told which thread. */
pid_t libdw_next_thread(Dwfl *dwfl, void *context, void **thread);
/* True if libdw would crash on the row at the PC, or on that of the byte before. */
bool libdw_process_crashes(struct libdw_process *process, const struct address_space *space,
			   uint64_t pc);
/* Sets error to why a function of libdw failed: status, what it returned, or libdw's own error. Returns -1. */
int libdw_fail(struct error *error, pid_t tid, const char *function, int status);

#endif
