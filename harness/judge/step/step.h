/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step.h - a program in a terminal, point by point: the code, the CFI, and each engine's stack
 *
 *	commands/step.c  the command line
 *	step_view.c	one point as text
 *	step_history.c	the earlier points' texts, to go back to
 *	step_command.c	parses the user's commands
 *	step_session.c	the comparer's listener: where to stop, and the prompt
 *
 * A point becomes text when it is met, because the program then goes on and changes its memory and
 * mappings. Going back shows that text again: nothing runs twice.
 */
#ifndef STACKPROOF_STEP_H
#define STACKPROOF_STEP_H

#include <stdio.h>
#include "judge/compare/compare.h"

/* ---- step_view.c ------------------------------------------------------------------------ */

#define STEP_FRAMES_SHOWN 24 /* innermost frames; the others are only counted */

/* An engine's stack at the current point. */
struct step_stack {
	const char *engine;
	struct stack stack;
	bool exact; /* the stack is the truth */
};

/* All that is shown of a point; pointers are borrowed. */
struct step_view {
	uint64_t number; /* of the point, counted from 1 */
	const struct point *point;
	const struct judgement *judgement;
	const struct stack *truth;
	const struct step_stack *stack; /* of the engines that gave one */
	size_t stack_count;
	struct decoder *decoder;
};

/* Writes the point as lines of text. */
void step_view_print(FILE *file, const struct step_view *view);

/* ---- step_history.c --------------------------------------------------------------------- */

#define STEP_HISTORY_MAX 4096 /* points; the oldest is forgotten */

/* The last points as text. Zero-initialise. */
struct step_history {
	struct step_page {
		char *text;
		uint64_t number; /* of the point */
	} page[STEP_HISTORY_MAX];
	uint64_t count; /* of all pages ever added */
};

/* Takes text over, and will free() it. */
void step_history_add(struct step_history *history, uint64_t number, char *text);
/* The page that was added back pages before the last one (back 0: the last). NULL: it was never
 * added, or is forgotten. */
const struct step_page *step_history_get(const struct step_history *history, uint64_t back);
void step_history_deinit(struct step_history *history);

/* ---- step_command.c --------------------------------------------------------------------- */

enum step_kind {
	STEP_NOTHING, /* the line is not a command: message says why */
	STEP_NEXT,    /* number points on */
	STEP_CALL,    /* to the next call */
	STEP_OUT,     /* until the thread has fewer frames */
	STEP_DIFFER, /* to the next point where other engines than before are not exact, or a new fault */
	STEP_GO,   /* to point number */
	STEP_BACK, /* number points back */
	STEP_RUN,  /* to the program's end */
	STEP_HELP,
	STEP_QUIT,
};

struct step_command {
	enum step_kind kind;
	uint64_t number;   /* how many points, or which */
	char message[128]; /* STEP_NOTHING: why */
};

/* Parses a line, with or without its newline. An empty line repeats before, the previous command. */
void step_command_parse(const char *line, const struct step_command *before,
			struct step_command *ret);
/* Prints the commands, a line each. */
void step_command_help(FILE *file);

/* ---- step_session.c --------------------------------------------------------------------- */

struct step_session;
/* Reads commands from in, which must be unread, and writes to out. prompts: a person is there, so a
 * prompt is written. ended_fd, the tracer's, ends the wait for a command; -1: none. in, out and ended_fd
 * are borrowed. step_session_destroy() frees *ret. */
int step_session_create(FILE *in, FILE *out, bool prompts, int ended_fd, struct step_session **ret,
			struct error *error);
void step_session_destroy(struct step_session *session);
/* Makes the session the options' listener, for their engines. */
void step_session_listen(struct step_session *session, struct compare_options *options);
/* The number of points met, and of those shown. */
uint64_t step_session_points(const struct step_session *session);
uint64_t step_session_shown(const struct step_session *session);
/* True if the user has quit: then the run's early end is not an error. */
bool step_session_has_quit(const struct step_session *session);
/* The program has ended: lets the user go back to earlier points. ending: how, in words. */
void step_session_end(struct step_session *session, const char *ending);

#endif
