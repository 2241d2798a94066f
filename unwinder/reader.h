/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * reader.h - bytes that cannot be read past their end
 *
 * Everything in a CFI section is variable in length and written by somebody else. A reader is the
 * pair (next byte, end); each function returns false instead of passing the end, and then leaves
 * the reader where it was. LEB128 is DWARF 5, section 7.6. Private to unwinder/.
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

/* Padding is accepted; bits that do not fit 64 are not. */
static inline bool reader_uleb(struct reader *reader, uint64_t *ret)
{
	const uint8_t *at = reader->at;
	if (at < reader->end && *at < 0x80) {
		*ret = *at;
		reader->at++;
		return true;
	}
	uint64_t value = 0;
	for (unsigned int shift = 0; at < reader->end; shift += 7) {
		uint8_t byte = *at++;
		uint64_t bits = byte & 0x7f;
		if (shift < 64 && (shift == 63 ? bits <= 1 : true))
			value |= bits << shift;
		else if (bits)
			return false;
		else
			shift = 64; /* stay here however long the padding is */
		if (!(byte & 0x80)) {
			reader->at = at;
			*ret = value;
			return true;
		}
	}
	return false;
}

static inline bool reader_sleb(struct reader *reader, int64_t *ret)
{
	const uint8_t *at = reader->at;
	uint64_t value = 0;
	for (unsigned int shift = 0; at < reader->end; shift += 7) {
		uint8_t byte = *at++;
		uint64_t bits = byte & 0x7f;
		if (shift < 63) {
			value |= bits << shift;
		} else {
			/* Only copies of the sign may follow the 63rd bit. */
			uint64_t sign = shift == 63 ? bits & 1 : value >> 63;
			if (bits != (sign ? 0x7f : 0))
				return false;
			if (shift == 63)
				value |= sign << 63;
			shift = 64;
		}
		if (!(byte & 0x80)) {
			if (shift < 57 && (byte & 0x40))
				value |= ~0ull << (shift + 7);
			reader->at = at;
			*ret = (int64_t)value;
			return true;
		}
	}
	return false;
}

/* A run of bytes whose length came first. */
static inline bool reader_block(struct reader *reader, uint64_t size, const uint8_t **ret)
{
	*ret = reader->at;
	return reader_skip(reader, size);
}

#endif
