/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * console.h - what a guest's console says about its kernel
 *
 * struct console takes the console's bytes as they come. Zero-initialise; there is nothing to free.
 */
#ifndef STACKPROOF_CONSOLE_H
#define STACKPROOF_CONSOLE_H

#include <stddef.h>

enum console_event {
	CONSOLE_PANIC,
	CONSOLE_OOPS,
	CONSOLE_BUG,
	CONSOLE_WARNING,
	CONSOLE_RCU_STALL,
	CONSOLE_HUNG_TASK,
	CONSOLE_SOFT_LOCKUP,
	CONSOLE_OOM_KILL,
	CONSOLE_GENERAL_PROTECTION,
	CONSOLE_EVENT_COUNT,
};

#define CONSOLE_LINE_MAX 512  /* of a longer line only the beginning is judged */
#define CONSOLE_TAIL_MAX 4096 /* bytes kept for people */

struct console {
	unsigned count[CONSOLE_EVENT_COUNT];
	char panic[256]; /* the first panic's line, without its time stamp; "" if none */
	char line[CONSOLE_LINE_MAX];
	size_t line_length;
	char tail[CONSOLE_TAIL_MAX]; /* ring */
	size_t tail_total;	     /* bytes ever put into it */
};

void console_feed(struct console *console, const void *data, size_t size);
/* Judges the last line, even if its newline is missing. Call once, at the end. */
void console_finish(struct console *console);
/* The number of all events. */
unsigned console_events(const struct console *console);
/* The last whole lines that fit into size bytes, with a NUL and without control bytes. */
void console_tail(const struct console *console, char *ret, size_t size);

#endif
