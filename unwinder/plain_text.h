/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plain_text.h - names of files, sections and symbols on a terminal
 *
 * Such names are hostile bytes. No escape sequence in them may reach the terminal, no newline may start a
 * line that looks like stackproof's own, and no character may change the direction of the text around it.
 * All text output passes them through these functions; JSON has its own escapes.
 */
#ifndef STACKPROOF_PLAIN_TEXT_H
#define STACKPROOF_PLAIN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* The size, in bytes, of the UTF-8 character at text, which is not empty. 0: it is malformed. */
size_t utf8_character(const char *text);
/* The same; 0 also for a control character, and for one that changes the direction of text. */
size_t plain_character(const char *text);
/* Copies text (which may be ret) to ret, cut to size - 1 bytes. '?' replaces what plain_character() rejects.
 * Returns ret. */
char *plain_text(const char *text, char *ret, size_t size);
/* The same copy as an expression, for printf(). Valid until the end of the enclosing block. */
#define PLAIN_BYTES	 4352 /* PATH_MAX, and some text before or behind the path */
#define PLAIN_TEXT(text) plain_text(text, (char[PLAIN_BYTES]) { 0 }, PLAIN_BYTES)
/* Writes text of any length, in which newlines and tabs are kept: a log of a kernel or a guest. */
void plain_lines(FILE *file, const char *text);
/* Writes a word of a command line, quoted for a shell, on one line: in '...' if it needs quotes, in $'...'
 * (POSIX 2024, XCU 2.2.4; bash, zsh, ksh) if it has control characters or bytes that are not UTF-8. */
void plain_word(FILE *file, const char *word);
/* How many characters text has, not bytes. */
size_t plain_width(const char *text);

#endif
