/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * top.h - a profile while it is taken, in a terminal: `stackproof profile --top`
 *
 *	top.c		the thread that draws: parts come, keys come
 *	top_table.c	the parts of the last intervals -> rows of functions, the callers of one
 *	top_keys.c	bytes of the keyboard -> keys -> what is shown
 *	top_screen.c	all that, and a size -> text
 *	top_terminal.c	the terminal, which is given back whatever happens
 *
 * A row's shares are of a window, the last TOP_INTERVALS intervals, in whole ticks that can be counted. The account in the
 * heading is of all ticks since the beginning.
 */
#ifndef STACKPROOF_TOP_H
#define STACKPROOF_TOP_H

#include "profiles/record/record.h"
#include "reports/flame/flame.h"

#define TOP_INTERVALS 10

/* ---- top.c ------------------------------------------------------------------------------------ */

struct profile_top;

/* Whether standard input and output are a terminal. */
bool profile_top_possible(void);
/*
 * Takes the terminal, and draws until profile_top_end(). options: its end_fd is set, which is readable once the user
 * wants to end; signals must be held. result: as it is when parts are added. -1: ERROR_SYSTEM, ERROR_MEMORY.
 */
int profile_top_begin(struct record_options *options, const struct record_result *result,
		      struct profile_top **ret, struct error *error);
/* Takes a part: options.on_drain. */
void profile_top_add(struct profile_top *top, struct collected *part);
/* Gives the terminal back; what is printed there from then on does not wait for it long. top: may be NULL. */
void profile_top_end(struct profile_top *top);

/* ---- top_table.c ------------------------------------------------------------------------------ */

enum top_grouping { TOP_BY_PROCESS, TOP_BY_PID, TOP_BY_FUNCTION, TOP_GROUPINGS };

/* What keys choose. Zero-initialise. */
struct top_view {
	enum top_grouping grouping;
	bool by_total, paused;
	bool callers; /* of the chosen row's function are shown, not rows */
	bool typing;  /* the filter */
	char filter[64];
	size_t row, caller; /* the chosen one of each */
};

/* A function in whose callers somebody is interested: texts, which outlast a table's flame. */
struct top_function {
	char *name, *group, *set; /* group NULL: in all */
	enum flame_kind kind;
};

/* What is shown. Zero-initialise. */
struct top_table {
	struct flame flame; /* names are "FUNCTION\tIMAGE", groups with PIDs */
	struct flame_row *row;
	size_t rows; /* in order, those that the filter lets through */
	struct top_function function;
	struct flame callers; /* its group is the function, a frame's caller is below it */
	struct flame_nodes nodes;
	struct record_result result;
	const char *subject, *event; /* "all processes", "cpu-clock, 97 Hz" */
	enum collected_type type;
	uint64_t ticks; /* in the window */
	double window_seconds, elapsed_seconds, load[3];
	bool damaged; /* there was no memory for some of it */
};

/* Fills the table with parts, in place of what was there. -1: ERROR_MEMORY, ERROR_TABLE_LIMIT. */
int top_table_fill(struct top_table *table, const struct collected *part, unsigned int parts,
		   struct error *error);
/* Makes rows and callers of it, as the view says, whose chosen ones are made to exist. -1: ERROR_MEMORY. */
int top_table_arrange(struct top_table *table, struct top_view *view, struct error *error);
/* Chooses the function of row view->row, if there is one, and shows its callers from the next arranging on. */
int top_table_choose(struct top_table *table, struct top_view *view, struct error *error);
void top_table_deinit(struct top_table *table);

/* ---- top_keys.c ------------------------------------------------------------------------------- */

/* Others are their bytes. */
enum top_key {
	TOP_KEY_BACKSPACE = 8,
	TOP_KEY_ENTER = 10,
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_UP = 256,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_OTHER,
};

/* The first key of some bytes. Returns how many bytes it is; 0: it may go on, as an escape sequence. */
size_t top_key(const char *bytes, size_t size, int *ret);

enum top_wish { TOP_WISH_NONE, TOP_WISH_CALLERS, TOP_WISH_QUIT };

/* What the user wants by a key; what the view can do is done. page: rows for page up and down. */
enum top_wish top_view_key(struct top_view *view, int key, unsigned int page);

/* ---- top_screen.c ----------------------------------------------------------------------------- */

struct top_size {
	unsigned int rows, columns;
};

/* Writes the whole screen: text in UTF-8, and sequences of ECMA-48 (CUP, EL, ED, SGR). No line is wider than the screen;
 * no byte of a name that is no plain text is written. */
void top_draw(const struct top_table *table, const struct top_view *view, struct top_size size,
	      FILE *file);

/* ---- top_terminal.c --------------------------------------------------------------------------- */

/* Opens the terminal that is standard output for itself, and catches signals that would kill. Before any thread is
 * started. -1: ERROR_SYSTEM. */
int top_terminal_open(struct error *error);
/* Takes it: keys come one by one, and the screen is ours. False: others are in the foreground, or it is gone. */
bool top_terminal_take(void);
/* Gives it back as it was, if it was taken. Safe in a handler of a signal. */
void top_terminal_give_back(void);
/* To poll for keys; -1: it is not taken. */
int top_terminal_fd(void);
struct top_size top_terminal_size(void);
/* Writes what can be written; a terminal that takes nothing for a while does not get the rest. */
void top_terminal_write(const char *text, size_t size);
void top_terminal_close(void);
/* What is printed to a stream, stdout or stderr, that is a terminal is from then on dropped where the terminal takes
 * nothing for a while. Any other stream stays as it is. */
void top_terminal_print_patiently(FILE **stream);

#endif
