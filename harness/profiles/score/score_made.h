/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_made.h - what `score --run` makes: an external profiler's profile, and the program's truth
 *
 *	score_run.c	the profiler's command
 *	score_made.c	the two files, which vanish when they are closed
 */
#ifndef STACKPROOF_SCORE_MADE_H
#define STACKPROOF_SCORE_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/child/ending_signals.h"
#include "error.h"

/* ---- score_run.c ---------------------------------------------------------------------------- */

#define SCORE_SAID_BYTES 4096

/* The end of a command's output, standard error included. */
struct score_said {
	char text[SCORE_SAID_BYTES];
	size_t size;
};

/* True if a command contains both {out} and {program}. */
bool score_command_is_whole(const char *text);
/* The command with both filled in, for /bin/sh -c; free() it. out: without characters that are special to
 * the shell. program ends with NULL. NULL: ERROR_MEMORY. */
char *score_command_text(const char *text, const char *out, char *const *program,
			 struct error *error);
/*
 * Runs a command to its end. 0: it wrote the file out, whatever its exit status (*ret_status) is. -1:
 * ERROR_UNAVAILABLE: it was not found; ERROR_TIMEOUT; ERROR_PROTOCOL: it died of a signal, or wrote
 * nothing; ERROR_SYSTEM with EINTR: one of signals came, and ended it.
 */
int score_command_run(const char *command, const char *out, unsigned int timeout_ms,
		      const struct ending_signals *signals, struct score_said *ret_said,
		      int *ret_status, struct error *error);

/* ---- score_made.c --------------------------------------------------------------------------- */

#define SCORE_MADE_PATH_BYTES 48

struct score_making {
	const char *command;
	char *const *program; /* ends with NULL */
	const char *version;  /* of stackproof */
	bool steps;	      /* make the truth, too */
	unsigned int timeout_ms;
};

/* Deleted files that are open: their paths, in /proc, are valid until score_made_deinit(). */
struct score_made {
	char profile[SCORE_MADE_PATH_BYTES], truth[SCORE_MADE_PATH_BYTES];
	int profile_fd, truth_fd;
	struct score_said said; /* the command's output, also if it failed */
	int status;		/* the command's exit status, which may be its program's */
};

/* -1: the error of score_command_run() or contexts_step(), and no file is left. */
int score_make(const struct score_making *making, struct score_made *ret, struct error *error);
void score_made_deinit(struct score_made *made);

#endif
