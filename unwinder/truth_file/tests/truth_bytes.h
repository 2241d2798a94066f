/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_bytes.h - a truth file put together by hand, as docs/TRUTH_FILE.md has it
 *
 * Items are written as "I 07 01 04 '/a/b' 00": letters (and x), bytes in hexadecimal, texts. Between
 * brackets lies an item's content, whose length is put before it: "I [01 04 '/a/b' 00]".
 */
#ifndef STACKPROOF_TESTS_TRUTH_BYTES_H
#define STACKPROOF_TESTS_TRUTH_BYTES_H

#include <check.h>
#include <stdio.h>
#include <string.h>
#include "crc32.h"
#include "truth_file/truth_file.h"

#define TRUTH_BYTES 512

/* Behind the first line, which is version 1's. */
static inline size_t truth_bytes(const char *text, uint8_t ret[TRUTH_BYTES])
{
	size_t size = strlen(TRUTH_FILE_MAGIC), length = 0;
	unsigned int byte;

	memcpy(ret, TRUTH_FILE_MAGIC_1, size);
	for (bool quoted = false; *text; text++) {
		ck_assert_uint_lt(size, TRUTH_BYTES);
		if (*text == '\'') {
			quoted = !quoted;
		} else if (quoted || (*text >= 'A' && *text <= 'Z') || *text == 'x') {
			ret[size++] = (uint8_t)*text;
		} else if (*text == '[') {
			length = size++;
		} else if (*text == ']') {
			ck_assert_uint_lt(size - length - 1, 128);
			ret[length] = (uint8_t)(size - length - 1);
		} else if (*text != ' ') {
			ck_assert_int_eq(sscanf(text++, "%2x", &byte), 1);
			ret[size++] = (uint8_t)byte;
		}
	}
	return size;
}

/* Makes one of version 2 of it; its size. */
static inline size_t truth_seal(uint8_t bytes[TRUTH_BYTES], size_t size)
{
	memcpy(bytes, TRUTH_FILE_MAGIC, strlen(TRUTH_FILE_MAGIC));
	const uint32_t digest = crc32_add(0, bytes, size);

	ck_assert_uint_le(size + sizeof(digest), TRUTH_BYTES);
	memcpy(bytes + size, &digest, sizeof(digest));
	return size + sizeof(digest);
}

/*
 * Everything that the format has. Images: 0 /bin/p (build-id abcd), 1 [vdso], 2 anonymous. Whole:
 *
 *	1 main 0x1000		   points 0
 *	2   f 0x2000, image 0	   points 3
 *	3   f 0x2005		   points 0, unproven 1
 *	4     handler 0x3000	   interrupts, points 0
 *	5       in the vDSO 0x80   points 2
 *	6     code at 0x7f00..00   points 1, in a kernel 0
 *	7   f 0x2007		   in the kernel 4
 *	8 other 0x1008		   points 1: another thread's outermost
 *
 * Open (root 9): 10 g 0x2007, points 5; 11 below it h 0x10, points 0, unproven 2.
 */
static const char truth_whole[] = "S [07 'program' 06 '/bin/p'] S [07 'partial' 07 'timeout'] "
				  "C [06 'points' ff01] S [07 'program' 05 'other'] x [aabb] "
				  "I [01 06 '/bin/p' 04 'abcd'] I [02 06 '[vdso]' 00] I [04 00 00] "
				  "T [00 8020 00 "
				  "00 8020 03 "
				  "0a 05 00 01 00 "
				  "04 fb1f 00 "
				  "01 01 8001 02 "
				  "11 02 8080808080e01f 01 "
				  "12 02 00 00 04 "
				  "10 08 01] "
				  "O [00 87c000 05 02 8940 00 02 00] E [13]";

#endif
