/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wire_message.h - messages of protocol buffers, built field by field
 *
 *	struct message part = NUMBERS(1, 0x400000), all = { .size = 0 };
 *	put_message(&all, 3, &part);
 */
#ifndef STACKPROOF_TESTS_WIRE_MESSAGE_H
#define STACKPROOF_TESTS_WIRE_MESSAGE_H

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct message {
	uint8_t bytes[2048];
	size_t size;
};

static inline void put_number(struct message *message, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		message->bytes[message->size++] = 0x80 | value;
	message->bytes[message->size++] = value;
}

static inline void put(struct message *message, unsigned int field, uint64_t value)
{
	put_number(message, field << 3);
	put_number(message, value);
}

static inline void put_bytes(struct message *message, unsigned int field, const void *data,
			     size_t size)
{
	put_number(message, field << 3 | 2);
	put_number(message, size);
	ck_assert_uint_le(message->size + size, sizeof(message->bytes));
	memcpy(message->bytes + message->size, data, size);
	message->size += size;
}

static inline void put_message(struct message *message, unsigned int field,
			       const struct message *inner)
{
	put_bytes(message, field, inner->bytes, inner->size);
}

/* Fields 1, 2, ... of a message, 0: left out. */
static inline struct message numbers(const uint64_t *value, size_t count)
{
	struct message ret = { .size = 0 };

	for (size_t i = 0; i < count; i++)
		if (value[i])
			put(&ret, i + 1, value[i]);
	return ret;
}

#define NUMBERS(...)                                                                               \
	numbers((const uint64_t[]) { __VA_ARGS__ },                                                \
		sizeof((const uint64_t[]) { __VA_ARGS__ }) / sizeof(uint64_t))

/* A message of such numbers in a field. */
static inline void put_numbers(struct message *message, unsigned int field, struct message inner)
{
	put_message(message, field, &inner);
}

/* "1:9 2:-1": fields and their numbers. */
static inline struct message fields_of(const char *text)
{
	struct message ret = { .size = 0 };

	for (char *end; *text; text = end + (*end == ' ')) {
		unsigned int field = strtoul(text, &end, 10);

		put(&ret, field, strtoll(end + 1, &end, 10));
	}
	return ret;
}

#endif
