/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_made.h - what `score --run` makes: a foreign profiler's profile, and the program's truth
 *
 *	score_run.c	the profiler's command
 *	score_made.c	the files, which leave nothing behind
 */
#ifndef STACKPROOF_SCORE_MADE_H
#define STACKPROOF_SCORE_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/child/ending_signals.h"
#include "error.h"

/* ---- score_run.c ---------------------------------------------------------------------------- */

#define SCORE_SAID_BYTES 4096

/* The end of what a command printed, on both of its streams. */
struct score_said {
	char text[SCORE_SAID_BYTES];
	size_t size;
};

/* Whether a command says where {out} and {program} go. */
bool score_command_is_whole(const char *text);
/* The command with both put in, for /bin/sh -c; to be freed. out: without any character that a
 * shell minds. program ends with NULL. NULL: ERROR_MEMORY. */
char *score_command_text(const char *text, const char *out, char *const *program,
			 struct error *error);
/*
 * Runs it to its end. 0: it wrote out, whatever its exit status (*ret_status). Else -1:
 * ERROR_UNAVAILABLE: it was not found; ERROR_TIMEOUT; ERROR_PROTOCOL: it failed, or wrote nothing;
 * ERROR_SYSTEM with EINTR: one of signals came, and ended it.
 */
int score_command_run(const char *command, const char *out, unsigned int timeout_ms,
		      const struct ending_signals *signals, struct score_said *ret_said,
		      int *ret_status, struct error *error);

/* ---- score_made.c --------------------------------------------------------------------------- */

#define SCORE_MADE_PATH_BYTES 48

struct score_making {
	const char *command;
	char *const *program; /* ends with NULL */
	const char *version;  /* of this program */
	bool steps;	      /* the truth is to be made, too */
	unsigned int timeout_ms;
};

/* Files without a name: their paths are good while this process holds them open. */
struct score_made {
	char profile[SCORE_MADE_PATH_BYTES], truth[SCORE_MADE_PATH_BYTES];
	int profile_fd, truth_fd;
	struct score_said said; /* by the command; also if that failed */
	int status;		/* the command's, which may be its program's */
};

/* 0, or -1, with what score_command_run() and contexts_step() say; then nothing is left behind. */
int score_make(const struct score_making *making, struct score_made *ret, struct error *error);
void score_made_deinit(struct score_made *made);

#endif
