/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hex_text.h - bytes as hexadecimal digits, as readelf(1) prints a build-id
 */
#ifndef STACKPROOF_HEX_TEXT_H
#define STACKPROOF_HEX_TEXT_H

#include <stddef.h>
#include <stdint.h>

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

#endif
