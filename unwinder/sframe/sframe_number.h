/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_number.h - numbers of a section in either byte order
 *
 * All fields are packed, and in the byte order of the machine that the section is for. Callers have checked that the
 * bytes are there. Private to unwinder/sframe.
 */
#ifndef STACKPROOF_SFRAME_NUMBER_H
#define STACKPROOF_SFRAME_NUMBER_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t sframe_u16(const uint8_t *at, bool big_endian)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return big_endian ? be16toh(value) : le16toh(value);
}

static inline uint32_t sframe_u32(const uint8_t *at, bool big_endian)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return big_endian ? be32toh(value) : le32toh(value);
}

static inline uint64_t sframe_u64(const uint8_t *at, bool big_endian)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return big_endian ? be64toh(value) : le64toh(value);
}

/* A number of 1, 2 or 4 bytes, unsigned. */
static inline uint32_t sframe_number(const uint8_t *at, unsigned int bytes, bool big_endian)
{
	switch (bytes) {
	case 1: return *at;
	case 2: return sframe_u16(at, big_endian);
	default: return sframe_u32(at, big_endian);
	}
}

/* The same, signed. */
static inline int32_t sframe_signed(const uint8_t *at, unsigned int bytes, bool big_endian)
{
	switch (bytes) {
	case 1: return (int8_t)*at;
	case 2: return (int16_t)sframe_u16(at, big_endian);
	default: return (int32_t)sframe_u32(at, big_endian);
	}
}

#endif
