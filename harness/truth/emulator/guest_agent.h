/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_agent.h - in the guest: tells the witness outside where this kernel keeps what it knows, and runs a program
 *
 * See guest_told.h. Without a witness it runs the program all the same: a nop does nothing.
 */
#ifndef STACKPROOF_GUEST_AGENT_H
#define STACKPROOF_GUEST_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "error.h"
#include "guest_told.h"

/* What this kernel's BTF and its symbols say. ERROR_UNAVAILABLE: what is needed isn't there, or can't be read; error says
 * what. */
int guest_layout_read(struct guest_told *ret, struct error *error);

struct guest_run {
	char *const *argv; /* ends with NULL */
	/* argv is not watched itself, but what guest_agent_join() executes below it. */
	bool joined;
	/* A profiler's command, for /bin/sh, with the number of the process that argv is about to be executed in. It is
	 * free()d. NULL: no memory. */
	char *(*command)(void *context, size_t number, pid_t pid);
	void *context;
	size_t profilers;
	int64_t settle_ms; /* what profilers have until argv begins */
};

/*
 * Runs a watched program, and beside it profilers, which get SIGINT behind its end. *ret_status: as of waitpid(2); 127
 * and 126 are the exit status where it could not be executed. -1: nothing was run.
 */
int guest_agent_run(const struct guest_run *what, int *ret_status, struct error *error);
/* Executes argv in this process, which is watched from there on beside guest_agent_run()'s. Returns the exit status: it
 * could not be. */
int guest_agent_join(char *const argv[]);
/* Gives a file to the witness, under a number. -1: it can't be read. */
int guest_agent_give(size_t number, const char *path, struct error *error);

/* ---- for guest_walks.c ---------------------------------------------------------------------- */

struct perf_rings;
/* Tells the witness; without one nothing happens. */
void guest_agent_tell(const struct guest_told *told);
/* Notes where rings are. ERROR_UNAVAILABLE: there are more than the witness takes. */
int guest_agent_rings(struct guest_told *told, const struct perf_rings *rings, struct error *error);
/* Takes all events out of the rings: the witness has seen them. */
void guest_agent_make_room(struct perf_rings *rings);
/* All of memory is in the process's page tables. */
void guest_agent_touch(const void *memory, size_t bytes);

#endif
