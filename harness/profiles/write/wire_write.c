/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wire_write.c - messages in protocol buffers' encoding (protobuf.dev, "Encoding"), written
 */
#include <string.h>
#include "wire_write.h"

enum { WIRE_NUMBER, WIRE_FIXED64, WIRE_BYTES };
#define NUMBER_BYTES 10 /* of 64 bits in groups of 7 */

static size_t encode(uint64_t value, uint8_t ret[NUMBER_BYTES])
{
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		ret[size++] = 0x80 | (value & 0x7f);
	ret[size++] = value;
	return size;
}

void wire_put(struct bytes_out *out, uint64_t value)
{
	uint8_t bytes[NUMBER_BYTES];

	bytes_add(out, bytes, encode(value, bytes));
}

static void put_key(struct bytes_out *out, uint32_t field, unsigned int kind)
{
	wire_put(out, (uint64_t)field << 3 | kind);
}

void wire_put_present(struct bytes_out *out, uint32_t field, uint64_t value)
{
	put_key(out, field, WIRE_NUMBER);
	wire_put(out, value);
}

void wire_put_number(struct bytes_out *out, uint32_t field, uint64_t value)
{
	if (value)
		wire_put_present(out, field, value);
}

void wire_put_fixed64(struct bytes_out *out, uint32_t field, uint64_t value)
{
	uint8_t bytes[8];

	if (!value)
		return;
	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = value >> 8 * i;
	put_key(out, field, WIRE_FIXED64);
	bytes_add(out, bytes, sizeof(bytes));
}

void wire_put_bytes(struct bytes_out *out, uint32_t field, const void *data, size_t size)
{
	put_key(out, field, WIRE_BYTES);
	wire_put(out, size);
	bytes_add(out, data, size);
}

void wire_put_text(struct bytes_out *out, uint32_t field, const char *text)
{
	size_t begin = wire_begin(out, field);

	bytes_utf8(out, text);
	wire_end(out, begin);
}

size_t wire_begin(struct bytes_out *out, uint32_t field)
{
	put_key(out, field, WIRE_BYTES);
	return out->size;
}

void wire_end(struct bytes_out *out, size_t begin)
{
	uint8_t length[NUMBER_BYTES];
	size_t size = out->size - begin, bytes = encode(size, length);

	bytes_add(out, length, bytes); /* makes room */
	if (out->failed)
		return;
	memmove(out->data + begin + bytes, out->data + begin, size);
	memcpy(out->data + begin, length, bytes);
}

void wire_end_packed(struct bytes_out *out, size_t begin)
{
	if (out->size > begin || out->failed)
		wire_end(out, begin);
	else
		out->size = begin - 1; /* the field's key is one byte */
}
