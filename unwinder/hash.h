/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hash.h - one hash of words, one of bytes, one mixture
 *
 * None is for secrets. What is written into files and reports goes by them, too: they don't change.
 */
#ifndef STACKPROOF_HASH_H
#define STACKPROOF_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_GOLDEN 0x9e3779b97f4a7c15ull /* 2^64 by the golden ratio, odd: Knuth, 6.4 */

/* Goes on from hash, 0 at first. All bits count in both halves. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * HASH_GOLDEN;
	return hash ^ hash >> 32;
}

#define HASH_BYTES_FIRST 0xcbf29ce484222325ull

/* FNV-1a, 64 bits; goes on from hash, HASH_BYTES_FIRST at first. */
static inline uint64_t hash_bytes_on(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3ull;
	return hash;
}

static inline uint64_t hash_bytes(const void *data, size_t size)
{
	return hash_bytes_on(HASH_BYTES_FIRST, data, size);
}

/* splitmix64: each value has another, none of them 0 for a small one. */
static inline uint64_t hash_mix(uint64_t value)
{
	value += HASH_GOLDEN;
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
	value = (value ^ value >> 27) * 0x94d049bb133111ebull;
	return value ^ value >> 31;
}

#endif
