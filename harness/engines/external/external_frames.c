/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external_frames.c - the messages in binary: external_wire.h, as engine_host.c has them
 *
 * What comes was written by our own program, but in a process where the engine is, which may write
 * there too: it is trusted no more than lines are.
 */
#include <stdio.h>
#include <string.h>
#include "external_inside.h"

static void put_header(struct external_bytes *bytes, enum external_kind kind, size_t size)
{
	struct wire_header header = { .kind = kind, .bytes = (uint32_t)size };

	external_bytes_add(bytes, &header, sizeof(header));
}

static void put_number(struct external_bytes *bytes, enum external_kind kind, uint64_t number)
{
	put_header(bytes, kind, sizeof(number));
	external_bytes_add(bytes, &number, sizeof(number));
}

static void put_hello(struct external_bytes *bytes)
{
	put_number(bytes, KIND_HELLO, EXTERNAL_PROTOCOL);
}

static void put_mappings(struct external_bytes *bytes, const struct external_mapping *mapping,
			 size_t count)
{
	uint64_t number = count;
	size_t size = sizeof(number);

	for (size_t i = 0; i < count; i++)
		size += sizeof(struct wire_mapping) + mapping[i].build_id_size +
			strlen(mapping[i].path ?: "") + 1;
	put_header(bytes, KIND_MAPPINGS, size);
	external_bytes_add(bytes, &number, sizeof(number));
	for (size_t i = 0; i < count; i++) {
		const char *path = mapping[i].path ?: "";
		struct wire_mapping wire = {
			.start = mapping[i].start,
			.end = mapping[i].end,
			.offset = mapping[i].offset,
			.bias = mapping[i].bias,
			.build_id_bytes = mapping[i].build_id_size,
			.path_bytes = strlen(path) + 1,
		};

		external_bytes_add(bytes, &wire, sizeof(wire));
		external_bytes_add(bytes, mapping[i].build_id, mapping[i].build_id_size);
		external_bytes_add(bytes, path, wire.path_bytes);
	}
}

static void put_batch(struct external_bytes *bytes, size_t count)
{
	put_number(bytes, KIND_POINTS, count);
}

static void put_point(struct external_bytes *bytes, const struct external_written_point *point)
{
	struct wire_point wire = { .id = point->id };

	memcpy(wire.reg, point->reg, sizeof(wire.reg));
	put_header(bytes, KIND_POINT, sizeof(wire) + point->stack_bytes);
	external_bytes_add(bytes, &wire, sizeof(wire));
	external_bytes_add(bytes, point->stack, point->stack_bytes);
}

static void put_memory(struct external_bytes *bytes, const uint8_t *data, size_t size)
{
	put_header(bytes, KIND_MEMORY, size);
	external_bytes_add(bytes, data, size);
}

static void put_fault(struct external_bytes *bytes)
{
	put_header(bytes, KIND_FAULT, 0);
}

static enum external_take broken(struct external_message *message, const char *what)
{
	snprintf(message->text, sizeof(message->text), "%s", what);
	return TAKE_BROKEN;
}

static enum external_take take_stack(const uint8_t *data, size_t size,
				     struct external_message *message)
{
	struct wire_stack wire;
	struct error error;
	enum stop_reason stop;

	if (size < sizeof(wire) || (size - sizeof(wire)) % sizeof(uint64_t))
		return broken(message, "a stack that is cut short");
	memcpy(&wire, data, sizeof(wire));
	if (!message->stack || wire.id != message->wanted)
		return broken(message, "a stack of a point that was not asked about");
	stop = wire.stop <= UINT32_MAX ? external_stop((uint32_t)wire.stop) : STOP_NONE;
	if (stop == STOP_NONE)
		return broken(message, "a stop that is none");
	size -= sizeof(wire);
	if (size / sizeof(uint64_t) > STACK_FRAMES_MAX)
		return TAKE_FLOOD;
	if (stack_set(message->stack, data + sizeof(wire), (uint32_t)(size / sizeof(uint64_t)),
		      stop, &error))
		return TAKE_MEMORY;
	return TAKE_MESSAGE;
}

static enum external_take take_read(const uint8_t *data, size_t size,
				    struct external_message *message)
{
	struct wire_read wire;

	if (size != sizeof(wire))
		return broken(message, "a read without point, address and bytes");
	memcpy(&wire, data, sizeof(wire));
	message->id = wire.id;
	message->address = wire.address;
	message->count = wire.bytes;
	return TAKE_MESSAGE;
}

static enum external_take take_payload(const uint8_t *data, size_t size,
				       struct external_message *message)
{
	switch (message->kind) {
	case KIND_HELLO:
	case KIND_WANTS_STACK:
	case KIND_WANTS_BATCH:
		if (size != sizeof(message->number))
			return broken(message, "no number");
		memcpy(&message->number, data, sizeof(message->number));
		return TAKE_MESSAGE;
	case KIND_VERSION:
	case KIND_REFUSED:
		external_text((const char *)data, size, message->text, sizeof(message->text));
		return message->kind == KIND_REFUSED ? TAKE_BROKEN : TAKE_MESSAGE;
	case KIND_READY: return TAKE_MESSAGE;
	case KIND_READ: return take_read(data, size, message);
	case KIND_STACK: return take_stack(data, size, message);
	default: return broken(message, "something that is no message");
	}
}

static enum external_take take(struct external_bytes *bytes, struct external_message *message)
{
	size_t size = bytes->size - bytes->taken;
	const uint8_t *data = bytes->data + bytes->taken;
	struct wire_header header;

	if (size < sizeof(header))
		return TAKE_MORE;
	memcpy(&header, data, sizeof(header));
	if (header.kind < KIND_HELLO || header.kind > KIND_REFUSED)
		return broken(message, "something that is no message");
	if (header.bytes > EXTERNAL_LINE_MAX)
		return TAKE_FLOOD;
	if (size - sizeof(header) < header.bytes)
		return TAKE_MORE;
	bytes->taken += sizeof(header) + header.bytes;
	message->kind = header.kind;
	return take_payload(data + sizeof(header), header.bytes, message);
}

const struct external_codec external_frames = {
	.put_hello = put_hello,
	.put_mappings = put_mappings,
	.put_batch = put_batch,
	.put_point = put_point,
	.put_memory = put_memory,
	.put_fault = put_fault,
	.take = take,
};
