/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stacks.c - stacks as NDJSON: what `sample --profile` writes, and what any program may write
 *
 *	{"type":"profile_image","image":1,"path":"/usr/bin/bash","build_id":"5c9a..."}
 *	{"type":"profile_stack","count":3,"pid":7,"tid":7,"comm":"bash","event":"cpu",
 *	 "frames":[{"image":1,"vaddr":"0x31770","name":"_start","inlined":false}]}
 *
 * Frames are the innermost first. Of a frame's fields each may be missing. An image is named by its
 * number, which a line before has given; what is numbered again is another image from then on.
 * docs/JSON.md has the fields. Objects of other types are passed over.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "profile.h"

#define STACKS_IMAGES_MAX 65536

struct image_texts {
	uint32_t path, build_id;
};

struct stacks {
	const struct profile_reading *reading;
	struct image_texts *image;
	uint32_t images, image_room; /* one more than the highest number */
	uint32_t *frame;
	size_t frames, frame_room;
};

static int add_text(const struct stacks *stacks, const json_t *object, const char *key,
		    uint32_t *ret, struct error *error)
{
	const char *text = json_text(object, key);

	*ret = profile_text_add(stacks->reading->profile, text, strlen(text), error);
	return *ret == UINT32_MAX ? -1 : 0;
}

static int take_image(struct stacks *stacks, const json_t *object, uint64_t line,
		      struct error *error)
{
	uint64_t number = json_number(object, "image");
	struct image_texts texts;

	if (!number || number > STACKS_IMAGES_MAX) {
		profile_lose(stacks->reading->profile, PROFILE_BAD_REFERENCE, line,
			     "an image without a number, or above %d", STACKS_IMAGES_MAX);
		return 0;
	}
	if (add_text(stacks, object, "path", &texts.path, error) ||
	    add_text(stacks, object, "build_id", &texts.build_id, error))
		return -1;
	if (!ARRAY_RESERVE(stacks->image, stacks->image_room, number + 1))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	while (stacks->images <= number)
		stacks->image[stacks->images++] = (struct image_texts) { 0 };
	stacks->image[number] = texts;
	return 0;
}

/* 0: its number in *ret, which is 0 if the frame can't be read. */
static int make_frame(const struct stacks *stacks, const json_t *object, uint32_t *ret,
		      struct error *error)
{
	struct profile_frame frame = { .mapped = PROFILE_NO_OFFSET,
				       .name_offset = PROFILE_NO_OFFSET };
	uint64_t image = json_number(object, "image");
	const char *address = json_text(object, "vaddr"), *runtime = json_text(object, "address");
	char *end = "";

	*ret = 0;
	if (!json_is_object(object) || (image && image >= stacks->images))
		return 0;
	if (image)
		frame.image = stacks->image[image].path,
		frame.build_id = stacks->image[image].build_id;
	frame.kind = *address ? PROFILE_VADDR : *runtime ? PROFILE_RUNTIME : PROFILE_NO_ADDRESS;
	if (frame.kind != PROFILE_NO_ADDRESS)
		frame.address = strtoull(*address ? address : runtime, &end, 16);
	if (*end)
		return 0;
	if (json_is_true(json_object_get(object, "inlined")))
		frame.flags |= PROFILE_INLINED;
	if (json_is_true(json_object_get(object, "kernel")) || frame.address >> 63)
		frame.flags |= PROFILE_KERNEL;
	if (add_text(stacks, object, "name", &frame.name, error))
		return -1;
	*ret = profile_frame_add(stacks->reading->profile, &frame, error);
	return *ret == UINT32_MAX ? -1 : 0;
}

/* 1: the stack is read; 0: it can't be. */
static int take_frames(struct stacks *stacks, const json_t *frames, uint64_t line,
		       struct error *error)
{
	struct profile *profile = stacks->reading->profile;
	size_t i;
	json_t *object;

	if (json_array_size(frames) > PROFILE_FRAMES_MAX) {
		profile_lose(profile, PROFILE_TOO_DEEP, line, "more than %d frames",
			     PROFILE_FRAMES_MAX);
		return 0;
	}
	if (!ARRAY_RESERVE(stacks->frame, stacks->frame_room, json_array_size(frames) + 1))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a sample");
	json_array_foreach(frames, i, object)
	{
		if (make_frame(stacks, object, &stacks->frame[i], error))
			return -1;
		if (!stacks->frame[i]) {
			profile_lose(profile, PROFILE_BAD_FRAME, line, "frame %zu can't be read",
				     i);
			return 0;
		}
	}
	stacks->frames = i;
	return 1;
}

static int32_t get_id(const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;

	return number < 0 || number > INT32_MAX ? -1 : number;
}

static int take_stack(struct stacks *stacks, const json_t *object, uint64_t line,
		      struct error *error)
{
	const struct profile_reading *reading = stacks->reading;
	struct profile_sample sample = { .pid = get_id(object, "pid"),
					 .tid = get_id(object, "tid"),
					 .count = json_number(object, "count"),
					 .timed = json_object_get(object, "time_ns") != NULL,
					 .time_ns = json_number(object, "time_ns"),
					 .place = line };
	const json_t *frames = json_object_get(object, "frames");
	int status;

	if (!sample.count || !json_is_array(frames)) {
		profile_lose(reading->profile, sample.count ? PROFILE_BAD_FRAME : PROFILE_BAD_COUNT,
			     line, "a stack without a count, or without frames");
		return 0;
	}
	if (add_text(stacks, object, "comm", &sample.comm, error) ||
	    add_text(stacks, object, "event", &sample.event, error))
		return -1;
	status = take_frames(stacks, frames, line, error);
	if (status <= 0)
		return status;
	sample.frame = stacks->frame;
	sample.frame_count = stacks->frames;
	return profile_hand_on(reading->profile, &sample, reading->fn, reading->context, error);
}

static int take_line(struct stacks *stacks, const struct profile_line *line, struct error *error)
{
	struct profile *profile = stacks->reading->profile;
	json_error_t where;
	JSON_FREED json_t *object = line->text ? json_loadb(line->text, line->size, 0, &where)
					       : NULL;
	const char *type = json_text(object, "type");
	int status = 0;

	if (!line->text)
		profile_lose(profile, PROFILE_TOO_LONG, line->number,
			     "a line of more than %d bytes", PROFILE_LINE_MAX);
	else if (!object && line->size)
		profile_lose(profile, line->whole ? PROFILE_BAD_HEAD : PROFILE_CUT_OFF,
			     line->number, "no JSON object: %s", where.text);
	else if (!strcmp(type, "profile_image"))
		status = take_image(stacks, object, line->number, error);
	else if (!strcmp(type, "profile_stack"))
		status = take_stack(stacks, object, line->number, error);
	return status;
}

int stacks_read(const struct profile_reading *reading, struct error *error)
{
	struct stacks stacks = { .reading = reading };
	struct profile_line line;
	int status;

	while ((status = profile_lines_next(reading->lines, &line, error)) > 0)
		if (take_line(&stacks, &line, error)) {
			status = -1;
			break;
		}
	free(stacks.image);
	free(stacks.frame);
	return status;
}
