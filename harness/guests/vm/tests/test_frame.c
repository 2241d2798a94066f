/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_frame.c - frames on ttyS1: what is sent arrives, what is damaged is refused
 *
 * Refused means: reported as an error, or never complete. A damaged stream that yields a frame
 * other than the one sent is the failure that this format exists to exclude.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "tests/suite.h"
#include "guests/vm/guest_channel.h"

static const uint8_t payload[] = "5.10.0-46-cloud-amd64";

START_TEST(crc_is_that_of_zlib)
{
	uint8_t data[1024];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t size = 0; size <= sizeof(data); size += 33) {
		ck_assert_uint_eq(crc32_add(0, data, size), crc32(0, data, (uInt)size));
		ck_assert_uint_eq(
			crc32_add(crc32_add(0, data, size / 2), data + size / 2, size - size / 2),
			crc32(0, data, (uInt)size));
	}
}
END_TEST

START_TEST(round_trip_of_every_length)
{
	static uint8_t data[FRAME_PAYLOAD_MAX], frame[FRAME_SIZE_MAX];
	static const uint32_t length[] = { 0, 1, 4, 255, 4096, FRAME_PAYLOAD_MAX };
	struct frame_header header;
	const void *got;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 31);
	for (size_t i = 0; i < sizeof(length) / sizeof(*length); i++) {
		size_t size = frame_encode(frame, FRAME_STDERR, 65535, 7, data, length[i]);

		ck_assert_uint_eq(size, FRAME_OVERHEAD + length[i]);
		ck_assert_int_eq(frame_decode(frame, size, 7, &header, &got), FRAME_COMPLETE);
		ck_assert_uint_eq(header.type, FRAME_STDERR);
		ck_assert_uint_eq(header.index, 65535);
		ck_assert_uint_eq(header.length, length[i]);
		ck_assert_mem_eq(got, data, length[i]);
	}
}
END_TEST

START_TEST(every_damaged_bit_is_refused)
{
	uint8_t frame[FRAME_OVERHEAD + sizeof(payload)];
	size_t size = frame_encode(frame, FRAME_READY, 0, 0, payload, sizeof(payload));
	struct frame_header header;
	const void *got;

	for (size_t bit = 0; bit < size * 8; bit++) {
		enum frame_status status;

		frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
		status = frame_decode(frame, size, 0, &header, &got);
		ck_assert_msg(status != FRAME_COMPLETE, "bit %zu", bit);
		/* Only the length can still look like the beginning of a longer frame. */
		ck_assert_msg(status != FRAME_NEED_MORE || (bit / 8 >= 12 && bit / 8 < 16),
			      "bit %zu: %s", bit, frame_status_name(status));
		frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}
END_TEST

START_TEST(every_truncation_waits)
{
	uint8_t frame[FRAME_OVERHEAD + sizeof(payload)];
	size_t size = frame_encode(frame, FRAME_READY, 0, 0, payload, sizeof(payload));
	struct frame_header header;
	const void *got;

	for (size_t i = 0; i < size; i++)
		ck_assert_int_eq(frame_decode(frame, i, 0, &header, &got), FRAME_NEED_MORE);
}
END_TEST

/* ---- the order of frames ---------------------------------------------------------------- */

struct sent {
	enum frame_type type;
	uint16_t index;
	uint32_t sequence;
	uint32_t length;
	const char *payload;
};

#define OK_CODE "\0\0\0"
#define READY                                                                                      \
	{                                                                                          \
		FRAME_READY, 0, 0, 3, "6.1"                                                        \
	}

#define FRAMES(...) .frames = { __VA_ARGS__ }

struct order_case {
	const char *name;
	struct sent frames[6];
	int accepted; /* how many before the refusal; all of them if it is their number */
	bool done;
};

/* Streams of a guest with two commands. */
static const struct order_case orders[] = {
	{ "whole_run_is_accepted",
	  FRAMES(READY, { FRAME_STDOUT, 0, 1, 2, "hi" }, { FRAME_EXIT, 0, 2, 4, OK_CODE },
		 { FRAME_EXIT, 1, 3, 4, OK_CODE }, { FRAME_DONE, 0, 4, 0, "" }),
	  5, true },
	{ "second_ready", FRAMES(READY, { FRAME_READY, 0, 1, 3, "6.1" }), 1, false },
	{ "output_before_ready", FRAMES({ FRAME_STDOUT, 0, 0, 2, "hi" }), 0, false },
	{ "done_too_early", FRAMES(READY, { FRAME_DONE, 0, 1, 0, "" }), 1, false },
	{ "frame_after_done",
	  FRAMES(READY, { FRAME_EXIT, 0, 1, 4, OK_CODE }, { FRAME_EXIT, 1, 2, 4, OK_CODE },
		 { FRAME_DONE, 0, 3, 0, "" }, { FRAME_STDOUT, 1, 4, 2, "hi" }),
	  4, true },
	{ "done_twice",
	  FRAMES(READY, { FRAME_EXIT, 0, 1, 4, OK_CODE }, { FRAME_EXIT, 1, 2, 4, OK_CODE },
		 { FRAME_DONE, 0, 3, 0, "" }, { FRAME_DONE, 0, 4, 0, "" }),
	  4, true },
	{ "output_of_a_later_command", FRAMES(READY, { FRAME_STDOUT, 1, 1, 2, "hi" }), 1, false },
	{ "command_that_does_not_exist",
	  FRAMES(READY, { FRAME_EXIT, 0, 1, 4, OK_CODE }, { FRAME_EXIT, 1, 2, 4, OK_CODE },
		 { FRAME_STDOUT, 2, 3, 2, "hi" }),
	  3, false },
	{ "lost_frame", FRAMES(READY, { FRAME_EXIT, 0, 2, 4, OK_CODE }), 1, false },
	{ "short_exit_code", FRAMES(READY, { FRAME_EXIT, 0, 1, 3, OK_CODE }), 1, false },
	{ "exit_code_above_255", FRAMES(READY, { FRAME_EXIT, 0, 1, 4, "\0\1\0" }), 1, false },
	{ "release_too_long",
	  FRAMES({ FRAME_READY, 0, 0, 64,
		   "0123456789012345678901234567890123456789012345678901234567890123" }),
	  0, false },
};

START_TEST(order_is_enforced)
{
	const struct order_case *test = &orders[_i];
	struct guest_channel *channel = malloc(sizeof(*channel));
	struct error error = { 0 };
	int accepted = 0, count = 0;
	uint64_t offset = 0;

	guest_channel_init(channel, NULL, 2);
	while (count < 6 && test->frames[count].type)
		count++;
	while (accepted < count) {
		const struct sent *frame = &test->frames[accepted];
		uint8_t data[FRAME_OVERHEAD + 64];
		size_t size = frame_encode(data, frame->type, frame->index, frame->sequence,
					   frame->payload, frame->length);
		int failed = 0;

		for (size_t i = 0; i < size && !failed; i++) /* as serial lines do */
			failed = guest_channel_feed(channel, data + i, 1, &error);
		if (failed)
			break;
		offset += size;
		accepted++;
	}
	ck_assert_msg(accepted == test->accepted, "%s: %d frames accepted, expected %d (%s)",
		      test->name, accepted, test->accepted, error.message);
	if (accepted < count) {
		ck_assert_int_eq(error.code, ERROR_PROTOCOL);
		ck_assert_uint_eq(error.offset, offset);
	}
	ck_assert_int_eq(channel->done, test->done);
	free(channel);
}
END_TEST

START_TEST(noise_is_refused_with_its_offset)
{
	struct guest_channel *channel = malloc(sizeof(*channel));
	uint8_t data[FRAME_OVERHEAD + sizeof(payload)];
	size_t size = frame_encode(data, FRAME_READY, 0, 0, payload, sizeof(payload));
	struct error error = { 0 };

	guest_channel_init(channel, NULL, 1);
	ck_assert_int_eq(guest_channel_feed(channel, data, size, &error), 0);
	ck_assert_int_eq(guest_channel_feed(channel, "[    1.0] printk in", 19, &error), -1);
	ck_assert_uint_eq(error.offset, size);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	free(channel);
}
END_TEST

SUITE(frame, TEST(crc_is_that_of_zlib), TEST(round_trip_of_every_length),
      TEST(every_damaged_bit_is_refused), TEST(every_truncation_waits),
      LOOP(order_is_enforced, orders), TEST(noise_is_refused_with_its_offset))
