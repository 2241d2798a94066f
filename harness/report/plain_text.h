/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plain_text.h - names of files and symbols on a terminal
 *
 * They are somebody else's bytes: escape sequences in them must not reach the terminal.
 */
#ifndef STACKPROOF_PLAIN_TEXT_H
#define STACKPROOF_PLAIN_TEXT_H

#include <stddef.h>

/* A copy of text for a terminal, cut to size - 1 bytes: control characters are '?', and so is each byte
 * above 0x7f if text is not UTF-8. Returns ret. */
char *plain_text(const char *text, char *ret, size_t size);
/* How many columns text takes: characters, not bytes. */
size_t plain_width(const char *text);

#endif
