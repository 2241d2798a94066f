/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * crc32.h - the checksum of stackproof's files and frames
 *
 * IEEE 802.3, as zlib's crc32(). Any damage within 32 consecutive bits changes it. It does not protect
 * against forgery. Static inline, because the guest's init is one source file without libraries.
 */
#ifndef STACKPROOF_CRC32_H
#define STACKPROOF_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32, reflected polynomial 0xedb88320, half a byte at a time. Start with crc = 0. */
static inline uint32_t crc32_add(uint32_t crc, const void *data, size_t size)
{
	static const uint32_t nibble[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const uint8_t *byte = data;

	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		crc ^= byte[i];
		crc = (crc >> 4) ^ nibble[crc & 15];
		crc = (crc >> 4) ^ nibble[crc & 15];
	}
	return ~crc;
}

#endif
