/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_channel.c - the bytes of ttyS1 -> what the commands wrote and how they ended
 *
 * Frames (frame.h) must come whole, in sequence and in the one order that makes sense: READY, each
 * command's output and then its EXIT, DONE after the last. Anything else ends the guest, with the
 * offset in the stream: a guest whose bytes are damaged must never look like one that passed.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "guest_channel.h"

void guest_channel_init(struct guest_channel *channel, const struct guest_callbacks *callbacks,
			size_t command_count)
{
	memset(channel, 0, offsetof(struct guest_channel, buffer));
	channel->callbacks = callbacks;
	channel->command_count = command_count;
}

size_t guest_channel_room(const struct guest_channel *channel)
{
	return sizeof(channel->buffer) - channel->used;
}

static int out_of_order(struct guest_channel *channel, const struct frame_header *header,
			struct error *error)
{
	return error_set(error, ERROR_PROTOCOL, "ttyS1", channel->offset,
			 "frame of type %u for command %u where it can't be", header->type,
			 header->index);
}

static int accept_ready(struct guest_channel *channel, const struct frame_header *header,
			const void *payload, struct error *error)
{
	if (channel->ready || header->length >= sizeof(channel->release))
		return out_of_order(channel, header, error);
	memcpy(channel->release, payload, header->length);
	channel->release[header->length] = '\0';
	channel->ready = true;
	return 0;
}

static int accept_output(struct guest_channel *channel, const struct frame_header *header,
			 const void *payload)
{
	const struct guest_callbacks *callbacks = channel->callbacks;

	channel->output = true;
	if (callbacks && callbacks->on_output)
		callbacks->on_output(callbacks->context, header->index,
				     header->type == FRAME_STDOUT ? GUEST_STDOUT : GUEST_STDERR,
				     payload, header->length);
	return 0;
}

static int accept_exit(struct guest_channel *channel, const struct frame_header *header,
		       const void *payload, struct error *error)
{
	const struct guest_callbacks *callbacks = channel->callbacks;
	int32_t code;

	if (header->length != sizeof(code))
		return out_of_order(channel, header, error);
	memcpy(&code, payload, sizeof(code));
	if (code < 0 || code > 255)
		return out_of_order(channel, header, error);
	channel->output = true;
	channel->archive_bytes = 0;
	channel->commands_done++;
	if (callbacks && callbacks->on_exit)
		callbacks->on_exit(callbacks->context, header->index, code);
	return 0;
}

static int accept_no_root(struct guest_channel *channel, const struct frame_header *header,
			  const void *payload, struct error *error)
{
	if (channel->output || channel->commands_done || !header->length)
		return out_of_order(channel, header, error);
	snprintf(channel->no_root, sizeof(channel->no_root), "%.*s", (int)header->length,
		 (const char *)payload);
	channel->done = true;
	return 0;
}

/* Bytes of the command's files, or of a copy. The guest keeps to the limit, unless somebody else speaks for it. */
static int accept_archive(struct guest_channel *channel, const struct frame_header *header,
			  const void *payload, struct error *error)
{
	const struct guest_callbacks *callbacks = channel->callbacks;
	size_t first = header->type == FRAME_COPY ? sizeof(uint16_t) : 0;
	uint16_t number = 0;

	if (header->length < first)
		return out_of_order(channel, header, error);
	memcpy(&number, payload, first);
	channel->archive_bytes += header->length - first;
	if (channel->archive_bytes > FRAME_ARCHIVE_MAX || number >= GUEST_COPIES_MAX)
		return error_set(error, ERROR_PROTOCOL, "ttyS1", channel->offset,
				 "more files came back than may");
	if (first && callbacks && callbacks->on_copy)
		callbacks->on_copy(callbacks->context, header->index, number,
				   (const char *)payload + first, header->length - first);
	if (!first && callbacks && callbacks->on_files)
		callbacks->on_files(callbacks->context, header->index, payload, header->length);
	return 0;
}

static int accept_frame(struct guest_channel *channel, const struct frame_header *header,
			const void *payload, struct error *error)
{
	if (channel->done)
		return out_of_order(channel, header, error);
	if (header->type == FRAME_READY)
		return accept_ready(channel, header, payload, error);
	if (!channel->ready)
		return out_of_order(channel, header, error);
	if (header->type == FRAME_NO_ROOT)
		return accept_no_root(channel, header, payload, error);
	if (header->type == FRAME_DONE) {
		channel->done = channel->commands_done == channel->command_count;
		return channel->done ? 0 : out_of_order(channel, header, error);
	}
	if (header->index != channel->commands_done || header->index >= channel->command_count)
		return out_of_order(channel, header, error);
	if (header->type == FRAME_FILES || header->type == FRAME_COPY)
		return accept_archive(channel, header, payload, error);
	if (header->type == FRAME_EXIT)
		return accept_exit(channel, header, payload, error);
	return accept_output(channel, header, payload);
}

int guest_channel_feed(struct guest_channel *channel, const void *data, size_t size,
		       struct error *error)
{
	size_t at = 0;

	assert(size <= guest_channel_room(channel));
	memcpy(channel->buffer + channel->used, data, size);
	channel->used += size;
	for (;;) {
		struct frame_header header;
		const void *payload;
		enum frame_status status = frame_decode(channel->buffer + at, channel->used - at,
							channel->sequence, &header, &payload);

		if (status == FRAME_NEED_MORE)
			break;
		if (status != FRAME_COMPLETE)
			return error_set(error, ERROR_PROTOCOL, "ttyS1", channel->offset,
					 "the guest's frame %u is damaged (%s)", channel->sequence,
					 frame_status_name(status));
		if (accept_frame(channel, &header, payload, error))
			return -1;
		channel->sequence++;
		channel->offset += FRAME_OVERHEAD + header.length;
		at += FRAME_OVERHEAD + header.length;
	}
	channel->used -= at;
	memmove(channel->buffer, channel->buffer + at, channel->used);
	return 0;
}
