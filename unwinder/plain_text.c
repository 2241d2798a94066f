/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plain_text.c - names of files, sections and symbols on a terminal
 *
 * A symbol may hold any byte but NUL. What is not UTF-8 (RFC 3629), C0 and C1 control characters
 * and DEL become '?', one for each byte that is bad and one for each character; so do the characters that turn
 * the direction of what follows (Unicode TR 9, 2.1 to 2.4: U+202A to U+202E, U+2066 to U+2069), behind which a
 * line looks like another.
 */
#include "plain_text.h"
#include <stdbool.h>
#include <string.h>

/* Neither longer forms nor surrogates are characters (RFC 3629, 4). */
size_t utf8_character(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t size = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
	if (*at > 0xf4)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((at[i] & 0xc0) != 0x80) /* a NUL, too */
			return 0;
	if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] >= 0xa0) ||
	    (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] >= 0x90))
		return 0;
	return size;
}

static bool is_control(const unsigned char *at)
{
	/* U+0080 to U+009F, which terminals take for escape sequences, are C2 80 to C2 9F. */
	if (at[0] == 0xe2)
		return (at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
		       (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9);
	return at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

size_t plain_character(const char *text)
{
	size_t bytes = utf8_character(text);
	return bytes && is_control((const unsigned char *)text) ? 0 : bytes;
}

char *plain_text(const char *text, char *ret, size_t size)
{
	const char *at = text;
	size_t used = 0;

	while (*at) {
		size_t bytes = utf8_character(at);
		bool bad = !plain_character(at);
		size_t wanted = bad ? 1 : bytes;
		if (used + wanted >= size)
			break; /* not in the middle of a character */
		if (bad)
			ret[used] = '?';
		else
			memmove(ret + used, at, bytes);
		used += wanted;
		at += bytes ? bytes : 1;
	}
	ret[used] = '\0';
	return ret;
}

void plain_lines(FILE *file, const char *text)
{
	while (*text) {
		size_t bytes = utf8_character(text);
		bool stays = *text == '\n' || *text == '\t' || plain_character(text);

		if (stays)
			fwrite(text, 1, bytes, file);
		else
			putc('?', file);
		text += bytes ? bytes : 1;
	}
}

size_t plain_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static bool is_plain(const char *text)
{
	for (size_t size; *text; text += size)
		if (!(size = plain_character(text)))
			return false;
	return true;
}

/* Three octal digits: what follows is no part of it. */
static void escaped_word(FILE *file, const char *word)
{
	fputs("$'", file);
	for (size_t size; *word; word += size ? size : 1) {
		size = plain_character(word);
		if (*word == '\n' || *word == '\t')
			fputs(*word == '\n' ? "\\n" : "\\t", file);
		else if (!size)
			fprintf(file, "\\%03o", (unsigned char)*word);
		else
			fprintf(file, "%s%.*s", strchr("'\\", *word) ? "\\" : "", (int)size, word);
	}
	fputc('\'', file);
}

void plain_word(FILE *file, const char *word)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_-+=.,:/@%";

	if (*word && !word[strspn(word, harmless)]) {
		fputs(word, file);
		return;
	}
	if (!is_plain(word)) {
		escaped_word(file, word);
		return;
	}
	fputc('\'', file);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", file);
		else
			fputc(*word, file);
	fputc('\'', file);
}
