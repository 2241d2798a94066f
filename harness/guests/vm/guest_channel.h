/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_channel.h - the bytes of ttyS1 -> what the commands wrote and how they ended
 */
#ifndef STACKPROOF_GUEST_CHANNEL_H
#define STACKPROOF_GUEST_CHANNEL_H

#include "frame.h"
#include "vm.h"

struct guest_channel {
	const struct guest_callbacks *callbacks;
	size_t command_count;
	size_t commands_done;
	bool ready;
	bool output; /* a command wrote something or ended */
	bool done;
	char release[64];
	char no_root[200];	/* why the root can't be entered; "" */
	uint64_t archive_bytes; /* of the running command */
	uint64_t offset;	/* of buffer[0] in the stream */
	uint32_t sequence;
	size_t used;
	uint8_t buffer[2 * FRAME_SIZE_MAX];
};

void guest_channel_init(struct guest_channel *channel, const struct guest_callbacks *callbacks,
			size_t command_count);
/* Takes size bytes, at most guest_channel_room(). -1: the guest broke the protocol; feed nothing more. */
int guest_channel_feed(struct guest_channel *channel, const void *data, size_t size,
		       struct error *error);
size_t guest_channel_room(const struct guest_channel *channel);

#endif
