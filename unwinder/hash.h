/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hash.h - a hash of words, a hash of bytes, and a mixing function
 *
 * None is cryptographic. Files and reports have values of them, so they must not change.
 */
#ifndef STACKPROOF_HASH_H
#define STACKPROOF_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_GOLDEN 0x9e3779b97f4a7c15ull /* 2^64 divided by the golden ratio, odd: Knuth, 6.4 */

/* Adds a word to a hash, which is 0 at first. Each bit of the word affects both halves. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * HASH_GOLDEN;
	return hash ^ hash >> 32;
}

#define HASH_BYTES_FIRST 0xcbf29ce484222325ull

/* Adds bytes to a hash, which is HASH_BYTES_FIRST at first: FNV-1a, 64 bits. */
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

/* splitmix64: a bijection, which gives 0 for no small value. */
static inline uint64_t hash_mix(uint64_t value)
{
	value += HASH_GOLDEN;
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
	value = (value ^ value >> 27) * 0x94d049bb133111ebull;
	return value ^ value >> 31;
}

#endif
