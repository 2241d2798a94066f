/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_channel.c - who is told what of a guest's frames, and what a wrong one is called
 *
 * The callbacks write down each call. That damaged bytes never pass is in test_frame.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/vm/guest_channel.h"

#define FRAMES_MAX 8
#define CODE(low)  low "\0\0\0"

struct sent {
	enum frame_type type;
	uint16_t index;
	uint32_t length;
	const char *payload;
};

#define READY                                                                                      \
	{                                                                                          \
		FRAME_READY, 0, 3, "6.1"                                                           \
	}
#define EXIT(index)                                                                                \
	{                                                                                          \
		FRAME_EXIT, index, 4, CODE("\0")                                                   \
	}

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	fprintf(context, "%zu %s \"%.*s\"\n", index,
		stream == GUEST_STDOUT	 ? "out"
		: stream == GUEST_STDERR ? "err"
					 : "?",
		(int)size, (const char *)data);
}

static void on_files(void *context, size_t index, const void *data, size_t size)
{
	fprintf(context, "%zu files \"%.*s\"\n", index, (int)size, (const char *)data);
}

static void on_copy(void *context, size_t index, size_t number, const void *data, size_t size)
{
	fprintf(context, "%zu copy %zu \"%.*s\"\n", index, number, (int)size, (const char *)data);
}

static void on_exit_code(void *context, size_t index, int exit_code)
{
	fprintf(context, "%zu exit %d\n", index, exit_code);
}

#define FRAMES(...) .frames = { __VA_ARGS__ }

/* Of a guest with two commands. */
static const struct channel_case {
	const char *name;
	struct sent frames[FRAMES_MAX];
	const char *told;
	const char *error; /* NULL: none */
	size_t commands_done;
	bool output, done;
} cases[] = {
	{ "all_of_it",
	  FRAMES(READY, { FRAME_STDOUT, 0, 2, "hi" }, { FRAME_STDERR, 0, 3, "oh!" },
		 { FRAME_FILES, 0, 4, "cpio" }, { FRAME_EXIT, 0, 4, CODE("\3") },
		 { FRAME_STDERR, 1, 0, "" }, { FRAME_EXIT, 1, 4, CODE("\xff") },
		 { FRAME_DONE, 0, 0, "" }),
	  "0 out \"hi\"\n0 err \"oh!\"\n0 files \"cpio\"\n0 exit 3\n1 err \"\"\n1 exit 255\n", NULL,
	  2, true, true },
	{ "ready_only", FRAMES(READY), "", NULL, 0, false, false },
	{ "files_are_no_output", FRAMES(READY, { FRAME_FILES, 0, 1, "c" }), "0 files \"c\"\n", NULL,
	  0, false, false },
	{ "output_is_output", FRAMES(READY, { FRAME_STDOUT, 0, 0, "" }), "0 out \"\"\n", NULL, 0,
	  true, false },
	{ "exit_is_output", FRAMES(READY, EXIT(0)), "0 exit 0\n", NULL, 1, true, false },
	{ "not_before_ready", FRAMES({ FRAME_FILES, 1, 1, "c" }), "",
	  "frame of type 6 for command 1 where it can't be", 0, false, false },
	{ "files_of_another_command", FRAMES(READY, { FRAME_FILES, 1, 1, "c" }), "",
	  "frame of type 6 for command 1 where it can't be", 0, false, false },
	{ "output_of_a_command_that_is_over", FRAMES(READY, EXIT(0), { FRAME_STDOUT, 0, 1, "x" }),
	  "0 exit 0\n", "frame of type 2 for command 0 where it can't be", 1, true, false },
	{ "exit_of_a_third_command", FRAMES(READY, EXIT(0), EXIT(1), EXIT(2)),
	  "0 exit 0\n1 exit 0\n", "frame of type 4 for command 2 where it can't be", 2, true,
	  false },
	{ "done_after_one_of_two", FRAMES(READY, EXIT(0), { FRAME_DONE, 0, 0, "" }), "0 exit 0\n",
	  "frame of type 5 for command 0 where it can't be", 1, true, false },
	{ "ready_again_after_done",
	  FRAMES(READY, EXIT(0), EXIT(1), { FRAME_DONE, 0, 0, "" }, READY), "0 exit 0\n1 exit 0\n",
	  "frame of type 1 for command 0 where it can't be", 2, true, true },
	{ "copies_by_number",
	  FRAMES(READY, { FRAME_COPY, 0, 3, "\1\0a" }, { FRAME_COPY, 0, 2, "\77\0" }, EXIT(0)),
	  "0 copy 1 \"a\"\n0 copy 63 \"\"\n0 exit 0\n", NULL, 1, true, false },
	{ "copy_without_a_number", FRAMES(READY, { FRAME_COPY, 0, 1, "a" }), "",
	  "frame of type 7 for command 0 where it can't be", 0, false, false },
	{ "copy_with_a_number_too_high", FRAMES(READY, { FRAME_COPY, 0, 3, "\100\0a" }), "",
	  "more files came back than may", 0, false, false },
	{ "no_root_ends_it", FRAMES(READY, { FRAME_NO_ROOT, 0, 4, "none" }), "", NULL, 0, false,
	  true },
	{ "no_root_after_a_command", FRAMES(READY, EXIT(0), { FRAME_NO_ROOT, 0, 4, "none" }),
	  "0 exit 0\n", "frame of type 8 for command 0 where it can't be", 1, true, false },
	{ "exit_code_256", FRAMES(READY, { FRAME_EXIT, 0, 4, "\0\1\0\0" }), "",
	  "frame of type 4 for command 0 where it can't be", 0, false, false },
	{ "exit_code_below_0", FRAMES(READY, { FRAME_EXIT, 0, 4, "\xff\xff\xff\xff" }), "",
	  "frame of type 4 for command 0 where it can't be", 0, false, false },
	{ "exit_code_of_five_bytes", FRAMES(READY, { FRAME_EXIT, 0, 5, "\0\0\0\0\0" }), "",
	  "frame of type 4 for command 0 where it can't be", 0, false, false },
};

static size_t encode(const struct sent *frames, uint8_t *ret)
{
	size_t size = 0;

	for (uint32_t i = 0; i < FRAMES_MAX && frames[i].type; i++)
		size += frame_encode(ret + size, frames[i].type, frames[i].index, i,
				     frames[i].payload, frames[i].length);
	return size;
}

/* step: bytes at a time. */
static void check_case(const struct channel_case *c, size_t step)
{
	static struct guest_channel channel;
	FREED char *told = NULL;
	size_t told_size, size;
	FILE *file = open_memstream(&told, &told_size);
	const struct guest_callbacks callbacks = { .on_output = on_output,
						   .on_files = on_files,
						   .on_copy = on_copy,
						   .on_exit = on_exit_code,
						   .context = file };
	struct error error = { 0 };
	uint8_t data[FRAMES_MAX * 64];
	int failed = 0;

	memset(&channel, 0xff, sizeof(channel));
	guest_channel_init(&channel, &callbacks, 2);
	size = encode(c->frames, data);
	for (size_t at = 0; at < size && !failed; at += step)
		failed = guest_channel_feed(&channel, data + at,
					    size - at < step ? size - at : step, &error);
	ck_assert(!fclose(file));
	ck_assert_msg(!strcmp(told, c->told), "%s: %s", c->name, told);
	ck_assert_int_eq(failed, c->error ? -1 : 0);
	ck_assert_str_eq(error.message, c->error ? c->error : "");
	ck_assert_str_eq(error.section, c->error ? "ttyS1" : "");
	ck_assert_uint_eq(channel.commands_done, c->commands_done);
	ck_assert_msg(channel.output == c->output, "%s", c->name);
	ck_assert_msg(channel.done == c->done, "%s", c->name);
	ck_assert_msg(channel.ready == (c->frames[0].type == FRAME_READY), "%s", c->name);
	ck_assert_str_eq(channel.release, channel.ready ? "6.1" : "");
	if (!failed) {
		ck_assert_uint_eq(channel.offset, size);
		ck_assert_uint_eq(channel.used, 0);
		ck_assert_uint_eq(guest_channel_room(&channel), sizeof(channel.buffer));
	}
}

START_TEST(frames_are_told_as_they_are)
{
	check_case(&cases[_i], 1);
	check_case(&cases[_i], 7);
	check_case(&cases[_i], 4096);
}
END_TEST

/* Nobody has to listen. */
START_TEST(frames_that_nobody_wants)
{
	static struct guest_channel channel;
	static const struct guest_callbacks nothing;
	struct error error = { 0 };
	uint8_t data[FRAMES_MAX * 64];
	size_t size = encode(cases[0].frames, data);

	for (int i = 0; i < 2; i++) {
		guest_channel_init(&channel, i ? &nothing : NULL, 2);
		ck_assert(!guest_channel_feed(&channel, data, size, &error));
		ck_assert(channel.done && channel.output);
	}
}
END_TEST

/* What somebody in the guest sends without end is no end of the host's memory. */
START_TEST(archives_have_a_limit)
{
	static const struct sent sent[FRAMES_MAX] = {
		READY, { FRAME_FILES, 0, 4, "cpio" }, { FRAME_COPY, 0, 6, "\0\0cpio" }, EXIT(0)
	};
	static struct guest_channel channel;
	struct error error = { 0 };
	uint8_t data[FRAMES_MAX * 64];
	size_t size = encode(sent, data);

	for (unsigned over = 0; over < 2; over++) {
		guest_channel_init(&channel, NULL, 2);
		channel.archive_bytes = FRAME_ARCHIVE_MAX - 8 + over;
		ck_assert_int_eq(guest_channel_feed(&channel, data, size, &error), -(int)over);
		ck_assert_uint_eq(channel.commands_done, 1 - over);
		ck_assert(over || !channel.archive_bytes);
	}
	ck_assert_str_eq(error.message, "more files came back than may");
}
END_TEST

START_TEST(release_of_63_bytes_fits)
{
	static struct guest_channel channel;
	static const char release[] =
		"012345678901234567890123456789012345678901234567890123456789012";
	struct error error = { 0 };
	uint8_t data[128];
	size_t size = frame_encode(data, FRAME_READY, 0, 0, release, 63);

	guest_channel_init(&channel, NULL, 1);
	ck_assert(!guest_channel_feed(&channel, data, size, &error));
	ck_assert_str_eq(channel.release, release);
}
END_TEST

static const struct {
	const char *name;
	size_t offset; /* of the second frame's byte */
	uint8_t value;
} damages[] = {
	{ "bad_magic", 0, 0 },	  { "bad_version", 4, 2 },  { "bad_type", 5, 9 },
	{ "bad_type", 5, 0 },	  { "bad_sequence", 8, 2 }, { "bad_sequence", 8, 0 },
	{ "bad_length", 14, 17 }, { "bad_crc", 17, 0xff },
};

START_TEST(damage_is_named)
{
	static struct guest_channel channel;
	struct error error = { 0 };
	char message[80];
	uint8_t data[128];
	size_t first = frame_encode(data, FRAME_READY, 0, 0, "6.1", 3);
	size_t size = first + frame_encode(data + first, FRAME_STDOUT, 0, 1, "hi", 2);

	guest_channel_init(&channel, NULL, 1);
	data[first + damages[_i].offset] = damages[_i].value;
	ck_assert_int_eq(guest_channel_feed(&channel, data, size, &error), -1);
	snprintf(message, sizeof(message), "the guest's frame 1 is damaged (%s)", damages[_i].name);
	ck_assert_str_eq(error.message, message);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert_uint_eq(error.offset, first);
	ck_assert_uint_eq(first, 23);
}
END_TEST

/* A payload may be as long as is said, and not a byte longer. */
START_TEST(longest_frame)
{
	static uint8_t data[FRAME_SIZE_MAX], payload[FRAME_PAYLOAD_MAX];
	struct frame_header header;
	const void *got;
	uint32_t longer = FRAME_PAYLOAD_MAX + 1;
	size_t size = frame_encode(data, FRAME_FILES, 0, 0, payload, FRAME_PAYLOAD_MAX);

	ck_assert_uint_eq(size, 16404);
	ck_assert_int_eq(frame_decode(data, size, 0, &header, &got), FRAME_COMPLETE);
	ck_assert_int_eq(frame_decode(data, size - 1, 0, &header, &got), FRAME_NEED_MORE);
	memcpy(data + 12, &longer, sizeof(longer));
	ck_assert_int_eq(frame_decode(data, size, 0, &header, &got), FRAME_BAD_LENGTH);
	ck_assert_str_eq(frame_status_name(FRAME_COMPLETE), "complete");
	ck_assert_str_eq(frame_status_name(FRAME_NEED_MORE), "need_more");
}
END_TEST

SUITE(guest_channel, LOOP(frames_are_told_as_they_are, cases), TEST(frames_that_nobody_wants),
      TEST(archives_have_a_limit), TEST(release_of_63_bytes_fits), LOOP(damage_is_named, damages),
      TEST(longest_frame))
