/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * watch.h - `stackproof watch` in a guest, where the plugin sees it
 *
 *	watch_inside.c	a command, perhaps with profilers beside it, whose files the host gets
 *	watch_walks.c	programs that the plugin interrupts for BPF's walk
 *	watch_files.c	on the host: truth files
 *	commands/watch.c  the command line, and what runs on the host
 *
 * What the plugin is told is in truth/emulator/guest_agent.h.
 */
#ifndef STACKPROOF_WATCH_H
#define STACKPROOF_WATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- watch_files.c -------------------------------------------------------------------------- */

/* Removes what an earlier run has left, truth files and profiles: it would be taken for this one's. */
void watch_files_remove(const char *truth);
/* The truth files that are there: an array of paths. truth NULL: none were wanted. */
json_t *watch_files_saved(const char *truth);
/* What a run has left that did not come to its end: watch_files_saved(). */
void watch_files_print_saved(FILE *file, const json_t *saved);

/* ---- in the guest ---------------------------------------------------------------------------- */

/* The profiler makes the command's process: it has {program}. */
bool watch_runs_program(const char *profiler);

struct watch_inside {
	char **command; /* ends with NULL */
	const char *const *profiler;
	size_t profilers; /* at most GUEST_FILES_MAX */
	unsigned int settle_ms;
};

/* Runs the command where the plugin sees it, and gives the profiles to the host. Returns the exit status: the command's,
 * as a shell has it, or an enum exit_status: what was missing is said. */
int watch_inside_run(struct watch_inside *what);
/* Runs each program, and has BPF walk wherever the emulator interrupts it: a line of JSON each. Returns the exit status.
 * timeout_ms: of one program; 0: none. */
int watch_walks_run(char *const *programs, unsigned int timeout_ms);

#endif
