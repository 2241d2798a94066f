/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step.h - a program in a terminal, point by point: what the code does, what the CFI says, and who
 * finds which stack
 *
 *	commands/step.c  the command line
 *	step_view.c	one point as text
 *	step_history.c	the points before it, to go back to
 *	step_command.c	what a person types
 *	step_session.c	the comparer's listener: where to stop, and the prompt
 *
 * A point is made into text when it is met, since its memory and its mappings are the program's and
 * go on. Going back shows that text again: nothing is run twice.
 */
#ifndef STACKPROOF_STEP_H
#define STACKPROOF_STEP_H

#include <stdio.h>
#include "judge/compare/compare.h"

/* ---- step_view.c ------------------------------------------------------------------------ */

#define STEP_FRAMES_SHOWN 24 /* the innermost; of a deeper stack the rest is counted */

/* An engine's stack at the point at hand. */
struct step_stack {
	const char *engine;
	struct stack stack;
	bool exact; /* it is the truth */
};

/* All that is shown of a point; pointers are borrowed. */
struct step_view {
	uint64_t number; /* of the point, from 1 on */
	const struct point *point;
	const struct judgement *judgement;
	const struct stack *truth;
	const struct step_stack *stack; /* of the engines that said something */
	size_t stack_count;
	struct decoder *decoder;
};

/* Writes the point: lines that end with a newline each. */
void step_view_print(FILE *file, const struct step_view *view);

/* ---- step_history.c --------------------------------------------------------------------- */

#define STEP_HISTORY_MAX 4096 /* points; the oldest is forgotten */

/* The last points as text. Zero-initialise. */
struct step_history {
	struct step_page {
		char *text;
		uint64_t number; /* of the point */
	} page[STEP_HISTORY_MAX];
	uint64_t count; /* that were ever added */
};

/* Takes text, which is on the heap. */
void step_history_add(struct step_history *history, uint64_t number, char *text);
/* The page that many before the last, which is 0; NULL: it is not there, or not any more. */
const struct step_page *step_history_get(const struct step_history *history, uint64_t back);
void step_history_deinit(struct step_history *history);

/* ---- step_command.c --------------------------------------------------------------------- */

enum step_kind {
	STEP_NOTHING, /* what was typed is no command: a message says so */
	STEP_NEXT,    /* so many points on */
	STEP_CALL,    /* to the next call */
	STEP_OUT,     /* until this frame is left */
	STEP_DIFFER,  /* to the next disagreement */
	STEP_GO,      /* to the point of that number */
	STEP_BACK,    /* so many points back */
	STEP_RUN,     /* to the program's end */
	STEP_HELP,
	STEP_QUIT,
};

struct step_command {
	enum step_kind kind;
	uint64_t number;   /* how many points, or which */
	char message[128]; /* STEP_NOTHING: why */
};

/* What a line says, which may end with a newline. An empty one is the command before, again: before;
 * at first that is one point on. */
void step_command_parse(const char *line, const struct step_command *before,
			struct step_command *ret);
/* The commands, a line each. */
void step_command_help(FILE *file);

/* ---- step_session.c --------------------------------------------------------------------- */

struct step_session;
/* Commands come from in, which nobody has read from, and all is written to out; prompts only if a person is
 * there. Both are borrowed, and so is ended_fd, the tracer's, which ends the waiting; -1: nothing does.
 * *ret: step_session_destroy(). */
int step_session_create(FILE *in, FILE *out, bool prompts, int ended_fd, struct step_session **ret,
			struct error *error);
void step_session_destroy(struct step_session *session);
/* Makes the session the options' listener. */
void step_session_listen(struct step_session *session, struct compare_options *options);
/* Points that were met, and those of them that were shown. */
uint64_t step_session_points(const struct step_session *session);
uint64_t step_session_shown(const struct step_session *session);
/* The person has had enough: that the run ended early is no error. */
bool step_session_has_quit(const struct step_session *session);
/* The program has ended: the last points can still be gone back to. ending: in words. */
void step_session_end(struct step_session *session, const char *ending);

#endif
