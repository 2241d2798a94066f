/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plain_text.c - names of files and symbols on a terminal
 *
 * A symbol may hold any byte but NUL. What is not UTF-8 (RFC 3629), C0 and C1 control characters and
 * DEL become '?', one for each byte.
 */
#include <jansson.h>
#include <stdbool.h>
#include <string.h>
#include "report/plain_text.h"

static bool is_control(const unsigned char *at)
{
	/* U+0080 to U+009F, which terminals take for escape sequences, are C2 80 to C2 9F. */
	return at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0);
}

char *plain_text(const char *text, char *ret, size_t size)
{
	json_t *utf8 = json_string(text);
	const unsigned char *at = (const unsigned char *)text;
	size_t used = 0;

	for (; *at && used + 1 < size; at++) {
		bool bad = is_control(at) || (*at >= 0x80 && !utf8);
		if (bad && *at == 0xc2)
			at++;
		ret[used++] = bad ? '?' : (char)*at;
	}
	/* Not in the middle of a character. */
	if (*at && utf8)
		while (used && (*at & 0xc0) == 0x80) {
			at--;
			used--;
		}
	ret[used] = '\0';
	json_decref(utf8);
	return ret;
}

size_t plain_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}
