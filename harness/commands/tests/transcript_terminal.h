/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * transcript_terminal.h - sessions at a terminal that needs none
 *
 * In a session of a test that includes this `TERMINAL=FD:COLUMNS sp ...` makes that descriptor of the
 * command (-1: each) a terminal as wide (0: one that does not know); what is printed still goes where it
 * went.
 */
#ifndef STACKPROOF_TESTS_TRANSCRIPT_TERMINAL_H
#define STACKPROOF_TESTS_TRANSCRIPT_TERMINAL_H

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static inline int terminal_is(int fd, unsigned short *ret_columns)
{
	const char *terminal = getenv("TERMINAL");
	char *end = NULL;
	long which = terminal ? strtol(terminal, &end, 10) : -2;

	if (which == -2 || (which != -1 && which != fd) || *end != ':')
		return 0;
	*ret_columns = (unsigned short)atoi(end + 1);
	return 1;
}

int isatty(int fd)
{
	unsigned short columns;

	errno = ENOTTY;
	return terminal_is(fd, &columns);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	struct winsize size = { 0 };

	if (request != TIOCGWINSZ || !terminal_is(fd, &size.ws_col)) {
		errno = ENOTTY;
		return -1;
	}
	va_start(arguments, request);
	*va_arg(arguments, struct winsize *) = size;
	va_end(arguments);
	return 0;
}

#endif
