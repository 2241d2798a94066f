/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * leb_write.h - writes numbers and bytes into stackproof's binary files
 *
 * Numbers are LEB128 (DWARF 5, section 7.6) in as few bytes as possible; reader.h reads them. Whoever
 * closes the FILE asks it for errors: ferror(3). Not for programs that use the library.
 */
#ifndef STACKPROOF_LEB_WRITE_H
#define STACKPROOF_LEB_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static inline void put_unsigned(FILE *file, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		putc_unlocked((int)(value & 0x7f) | 0x80, file);
	putc_unlocked((int)value, file);
}

static inline void put_signed(FILE *file, uint64_t bits)
{
	int64_t value = (int64_t)bits;

	for (; value >= 0x40 || value < -0x40; value >>= 7)
		putc_unlocked((int)(value & 0x7f) | 0x80, file);
	putc_unlocked((int)(value & 0x7f), file);
}

/* Writes size, then the bytes. */
static inline void put_bytes(FILE *file, const void *bytes, size_t size)
{
	put_unsigned(file, size);
	fwrite_unlocked(bytes, 1, size, file);
}

#endif
