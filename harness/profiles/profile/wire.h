/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wire.h - the fields of a message in protocol buffers' encoding
 *
 *	struct wire wire = { data, data + size };
 *	while (wire_next(&wire, &field))
 *		if (field.number == 4) ...
 *	if (wire.bad) ...
 *
 * No library is used: protobuf-c would make an object of every sample, location and line, hundreds of
 * megabytes for a large profile, and the build would need its compiler and a copy of profile.proto. The
 * part of the encoding that is needed is small: varints, and fields with a length (protobuf.dev,
 * "Encoding").
 */
#ifndef STACKPROOF_WIRE_H
#define STACKPROOF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wire {
	const uint8_t *at, *end;
	bool bad; /* malformed at at */
};

struct wire_field {
	uint32_t number;
	bool is_bytes;
	uint64_t value;	     /* of a number */
	const uint8_t *data; /* of bytes: a text, a message, packed numbers */
	size_t size;
};

/* The next packed number. False: there is none, or it is malformed (bad). */
static inline bool wire_number(struct wire *wire, uint64_t *ret)
{
	const uint8_t *at = wire->at;

	*ret = 0;
	if (wire->bad || at == wire->end)
		return false;
	for (unsigned int shift = 0; at < wire->end && shift < 70; shift += 7, at++) {
		if (shift == 63 && *at > 1) /* of 64 bits one is left */
			break;
		*ret |= (uint64_t)(*at & 0x7f) << shift;
		if (*at & 0x80)
			continue;
		wire->at = at + 1;
		return true;
	}
	wire->bad = true;
	return false;
}

/* The next field. False: there is none, or it is malformed (bad). */
static inline bool wire_next(struct wire *wire, struct wire_field *ret)
{
	uint64_t key, size = 0;

	if (!wire_number(wire, &key))
		return false;
	*ret = (struct wire_field) { .number = key >> 3, .is_bytes = (key & 7) == 2 };
	switch (key & 7) {
	case 0:
		if (wire_number(wire, &ret->value))
			return true;
		wire->bad = true;
		return false;
	case 1: size = 8; break;
	case 2:
		if (wire_number(wire, &size))
			break;
		/* fall through */
	default: wire->bad = true; return false;
	case 5: size = 4; break;
	}
	if (size > (uint64_t)(wire->end - wire->at)) {
		wire->bad = true;
		return false;
	}
	ret->data = wire->at;
	ret->size = size;
	wire->at += size;
	return true;
}

static inline struct wire wire_of(const struct wire_field *field)
{
	return (struct wire) { field->data, field->data + field->size, false };
}

/* The next message, text or run of packed numbers in fields of that number. False: there is none, or the rest is malformed
 * (bad). */
static inline bool wire_next_bytes(struct wire *message, uint32_t number, struct wire *ret)
{
	struct wire_field field;

	while (wire_next(message, &field))
		if (field.number == number && field.is_bytes) {
			*ret = wire_of(&field);
			return true;
		}
	return false;
}

/* The last of them; empty if there is none. */
static inline struct wire wire_bytes_of(struct wire message, uint32_t number)
{
	struct wire ret = { message.end, message.end, false };

	while (wire_next_bytes(&message, number, &ret))
		;
	return ret;
}

/* The numbers of a repeated field, packed or not. */
struct wire_numbers {
	struct wire message, packed;
	uint32_t number;
};

static inline struct wire_numbers wire_numbers_of(struct wire message, uint32_t number)
{
	return (struct wire_numbers) { message, { message.end, message.end, false }, number };
}

/* False: there are no more, or one is malformed (bad). */
static inline bool wire_numbers_next(struct wire_numbers *numbers, uint64_t *ret)
{
	struct wire_field field;

	for (;;) {
		if (wire_number(&numbers->packed, ret))
			return true;
		if (numbers->packed.bad || !wire_next(&numbers->message, &field))
			return false;
		if (field.number != numbers->number)
			continue;
		if (field.is_bytes) {
			numbers->packed = wire_of(&field);
		} else if (!field.data) {
			*ret = field.value;
			return true;
		}
	}
}

static inline bool wire_numbers_are_bad(const struct wire_numbers *numbers)
{
	return numbers->packed.bad || numbers->message.bad;
}

/* The number in a message's field; of several fields the last; 0 if there is none. */
static inline uint64_t wire_number_of(struct wire message, uint32_t number)
{
	struct wire_field field;
	uint64_t ret = 0;

	while (wire_next(&message, &field))
		if (field.number == number && !field.data) /* neither bytes nor of a fixed length */
			ret = field.value;
	return ret;
}

static inline bool wire_is_text(struct wire bytes, const char *text)
{
	return (size_t)(bytes.end - bytes.at) == strlen(text) &&
	       !memcmp(bytes.at, text, strlen(text));
}

#endif
