/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plain_text.h - names of files, sections and symbols on a terminal
 *
 * They are somebody else's bytes: escape sequences in them must not reach the terminal, no newline may
 * make a line that looks like one of ours, and no character may turn the direction of the text around it.
 * All text output has them through here; JSON has its own escapes.
 */
#ifndef STACKPROOF_PLAIN_TEXT_H
#define STACKPROOF_PLAIN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the character at text, which is not at its end; 0 if it is a control character or one that turns
 * the direction of text, or none at all. */
size_t plain_character(const char *text);
/* A copy of text (which may be ret) for a terminal, cut to size - 1 bytes: control characters
 * are '?', and so is each byte that is not UTF-8. Returns ret. */
char *plain_text(const char *text, char *ret, size_t size);
/* The same as an argument of printf(). Valid to the end of the block. */
#define PLAIN_BYTES	 4352 /* PATH_MAX, and something before or behind it */
#define PLAIN_TEXT(text) plain_text(text, (char[PLAIN_BYTES]) { 0 }, PLAIN_BYTES)
/* Writes text of several lines, of any length: newlines and tabs stay what they are. What a
 * kernel or a guest has said. */
void plain_lines(FILE *file, const char *text);
/* Writes a word of a command line so that it can be pasted into a shell: on one line, and plain. What is no
 * word by itself is within '...'; with control characters or bytes that are not UTF-8 within $'...' (POSIX
 * 2024, XCU 2.2.4; bash, zsh, ksh). */
void plain_word(FILE *file, const char *word);
/* How many columns text takes: characters, not bytes. */
size_t plain_width(const char *text);

#endif
