/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hex_text.h - bytes as hexadecimal digits, as readelf(1) prints a build-id
 */
#ifndef STACKPROOF_HEX_TEXT_H
#define STACKPROOF_HEX_TEXT_H

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Writes two digits for each byte, and a NUL, to text: 2 * size + 1 bytes. Returns text. */
static inline char *hex_text(char *text, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		text[2 * i] = "0123456789abcdef"[((const uint8_t *)bytes)[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[((const uint8_t *)bytes)[i] & 15];
	}
	text[2 * size] = '\0';
	return text;
}

/* The other way. Returns how many bytes; 0: text is none, or more than room bytes. */
static inline size_t hex_bytes(const char *text, uint8_t *ret, size_t room)
{
	size_t size = strlen(text) / 2;

	if (strlen(text) % 2 || size > room)
		return 0;
	for (size_t i = 0; i < size; i++) {
		const char byte[3] = { text[2 * i], text[2 * i + 1], '\0' };

		if (!isxdigit((unsigned char)byte[0]) || !isxdigit((unsigned char)byte[1]))
			return 0;
		ret[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return size;
}

#endif
