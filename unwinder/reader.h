/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * reader.h - bytes that cannot be read past their end
 *
 * Everything in a CFI section has a variable length, and is hostile. A reader is the pair (next byte,
 * end). Each function returns false instead of passing the end, and then leaves the reader where it
 * was. LEB128 is DWARF 5, section 7.6. Not for programs that use the library.
 */
#ifndef STACKPROOF_READER_H
#define STACKPROOF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct reader {
	const uint8_t *at;
	const uint8_t *end;
};

static inline size_t reader_left(const struct reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

static inline bool reader_skip(struct reader *reader, uint64_t size)
{
	if (size > reader_left(reader))
		return false;
	reader->at += size;
	return true;
}

static inline bool reader_u8(struct reader *reader, uint8_t *ret)
{
	if (reader->at == reader->end)
		return false;
	*ret = *reader->at++;
	return true;
}

/* An unsigned little-endian number of 1 to 8 bytes. */
static inline bool reader_unsigned(struct reader *reader, unsigned int size, uint64_t *ret)
{
	if (size > reader_left(reader) || size > 8)
		return false;
	uint64_t value = 0;
	memcpy(&value, reader->at, size); /* little-endian, as the image is */
	reader->at += size;
	*ret = value;
	return true;
}

static inline bool reader_signed(struct reader *reader, unsigned int size, int64_t *ret)
{
	uint64_t value;
	if (!reader_unsigned(reader, size, &value))
		return false;
	unsigned int unused_bits = 64 - 8 * size;
	*ret = size ? (int64_t)(value << unused_bits) >> unused_bits : 0;
	return true;
}

/*
 * A LEB128 number, modulo 2^64; padding is accepted. Nine bytes hold 63 bits, and the lowest bit of the
 * tenth is bit 63. All bits above must be 0 (the producer wrote 64 bits) or copies of bit 63 (it wrote a
 * signed number). Both are accepted for both kinds of number, as in libgcc and libdw. A number that needs
 * more than 64 bits is rejected.
 */
static inline bool reader_leb(struct reader *reader, bool is_signed, uint64_t *ret)
{
	const uint8_t *at = reader->at;
	uint64_t value = 0, copies = 0;
	unsigned int shift = 0;
	while (at < reader->end) {
		uint8_t byte = *at++;
		uint64_t bits = byte & 0x7f;
		if (shift < 64) {
			value |= bits << shift;
			if (shift == 63)
				copies = bits >> 1 ? 0x7f : 0;
		}
		if (shift >= 63 && ((bits ^ copies) >> (shift == 63) || (copies && !(value >> 63))))
			return false;
		if (shift < 70)
			shift += 7;
		if (byte & 0x80)
			continue;
		if (is_signed && shift < 64 && byte & 0x40)
			value |= ~0ull << shift;
		reader->at = at;
		*ret = value;
		return true;
	}
	return false;
}

static inline bool reader_uleb(struct reader *reader, uint64_t *ret)
{
	if (reader->at < reader->end && *reader->at < 0x80) {
		*ret = *reader->at++;
		return true;
	}
	return reader_leb(reader, false, ret);
}

static inline bool reader_sleb(struct reader *reader, int64_t *ret)
{
	return reader_leb(reader, true, (uint64_t *)ret);
}

/* size bytes, which are not copied: *ret points at them. */
static inline bool reader_block(struct reader *reader, uint64_t size, const uint8_t **ret)
{
	*ret = reader->at;
	return reader_skip(reader, size);
}

#endif
