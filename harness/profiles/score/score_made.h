/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_made.h - what `score --run` makes: an external profiler's profile, and the program's truth
 *
 *	score_run.c	the profiler's command
 *	score_made.c	the two files, which vanish when they are closed
 *	score_drive.h	the profiler, driven at each stop of the stepped program
 */
#ifndef STACKPROOF_SCORE_MADE_H
#define STACKPROOF_SCORE_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/child/child_shell.h"
#include "truth/contexts/contexts.h"

/* ---- score_run.c ---------------------------------------------------------------------------- */

#define SCORE_SAID_BYTES 4096

/* The end of a command's output, standard error included. */
struct score_said {
	char text[SCORE_SAID_BYTES];
	size_t size;
};

/* True if a command contains {out}, and {program} if and only if it is to run the program. */
bool score_command_is_whole(const char *text, bool runs_program);
/* The command with {out}, {program} and {pid} filled in, for /bin/sh -c; free() it. out: without characters that are
 * special to the shell. program ends with NULL. NULL: ERROR_MEMORY. */
char *score_command_text(const char *text, const char *out, char *const *program, pid_t pid,
			 struct error *error);
/*
 * Runs a command to its end; shell needs no hear. 0: it wrote the file out, whatever its exit status (*ret_status)
 * is, or it died of the SIGINT of end_fd. -1: ERROR_UNAVAILABLE: it was not found; ERROR_TIMEOUT;
 * ERROR_PROTOCOL: it died of a signal, or wrote nothing; ERROR_SYSTEM with EINTR: one of the shell's signals
 * came, and ended it.
 */
int score_command_run(const struct child_shell *shell, const char *out, struct score_said *ret_said,
		      int *ret_status, struct error *error);

/* ---- score_made.c --------------------------------------------------------------------------- */

#define SCORE_MADE_PATH_BYTES 48

/* How a profiler samples beside what is stepped: score_drive.h. */
struct score_driving {
	const struct tracer_attach *
		attach; /* a process that runs, and is stepped in bursts; NULL: PROGRAM is, whole, and
					     * sampled at each stop */
	const char *
		program; /* name or number of a loaded BPF program; "": the event is the profiler's own */
	unsigned int settle_ms; /* between the profiler's start and the first step */
	const char *from;	/* as of struct tracer_options */
	uint64_t limit;		/* points; 0: none */
};

/* The process that was sampled, and what the kernel has counted of the BPF program meanwhile. */
struct score_driven {
	pid_t pid; /* the program's process */
	bool counted;
	uint64_t runs, ns;
};

struct score_making {
	const char *command;
	char *const *program; /* ends with NULL */
	const char *version;  /* of stackproof */
	bool steps;	      /* make the truth, too */
	/* The profiler samples while the program is stepped; or NULL. */
	const struct score_driving *driving;
	unsigned int timeout_ms;
	/* The truth is of all processes that PROGRAM makes; or NULL. */
	const struct tracer_attach *children;
};

struct score_made_file {
	char path[SCORE_MADE_PATH_BYTES];
	int fd;
};

/* Deleted files that are open: their paths, in /proc, are valid until score_made_deinit(). */
struct score_made {
	struct score_made_file profile;
	struct score_made_file *truth; /* one for each process that had points */
	size_t truths;
	struct score_said said; /* the command's output, also if it failed */
	int status;		/* the command's exit status, which may be its program's */
	struct score_driven driven;
	struct run_processes processes; /* of the stepped run, if it had several */
};

/* Steps a program, and writes its truth; of a run that was cut short, too, but not if we are to end. ret: the caller's to
 * deinit in any case. -1: the errors of contexts_step(); ERROR_PROTOCOL: there was no point. */
int score_step(const struct contexts_options *contexts, struct contexts_result *ret,
	       struct error *error);

/* -1: the error of score_command_run() or contexts_step(), and no file is left. */
int score_make(const struct score_making *making, struct score_made *ret, struct error *error);
void score_made_deinit(struct score_made *made);

#endif
