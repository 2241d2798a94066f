/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * folded.c - folded stacks, as flame graphs are made of: "main;work;leaf 12", outermost first
 *
 * Names only, most often; frame_text.h says how a frame is spelled. Tools of bcc put a delimiter
 * between the frames of user space and those of the kernel, if they are asked to.
 *
 * Counts may be fractions: seconds, percent. Where one of the lines at the beginning has one, all
 * counts are taken in thousandths (struct profile, scale).
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "frame_text.h"

#define TOKENS_BYTES_MAX (64 << 20) /* that are known again */

struct folded {
	const struct profile_reading *reading;
	struct profile_texts tokens;
	uint32_t *token_frame; /* by the token's number */
	size_t token_room;
	uint32_t *frame;
	size_t frames, frame_room;
};

static uint32_t find_frame(struct folded *folded, struct span token, struct error *error)
{
	bool is_new;
	uint32_t number, frame;

	token.size = token.size ? strnlen(token.at, token.size) : 0;
	if (!token.size)
		token = (struct span) { PROFILE_TEXT_UNKNOWN, strlen(PROFILE_TEXT_UNKNOWN) };
	if (folded->tokens.bytes > TOKENS_BYTES_MAX)
		profile_texts_deinit(&folded->tokens);
	number = profile_texts_add(&folded->tokens, token.at, token.size, &is_new, error);
	if (number == UINT32_MAX || !is_new)
		return number == UINT32_MAX ? number : folded->token_frame[number];
	if (!ARRAY_RESERVE(folded->token_frame, folded->token_room, number + 1ul)) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for frames");
		return UINT32_MAX;
	}
	frame = frame_text_add(folded->reading->profile, token, false, error);
	folded->token_frame[number] = frame;
	return frame;
}

/* Innermost first, and the kernel's marked. kernel: so many at the end are behind a delimiter. */
static int finish_frames(struct folded *folded, size_t kernel, struct error *error)
{
	struct profile *profile = folded->reading->profile;

	for (size_t i = 0; i < folded->frames / 2; i++) {
		uint32_t other = folded->frame[folded->frames - 1 - i];

		folded->frame[folded->frames - 1 - i] = folded->frame[i];
		folded->frame[i] = other;
	}
	for (size_t i = 0; i < kernel; i++) {
		struct profile_frame frame = profile->frame[folded->frame[i]];

		frame.flags |= PROFILE_KERNEL;
		folded->frame[i] = profile_frame_add(profile, &frame, error);
		if (folded->frame[i] == UINT32_MAX)
			return -1;
	}
	return frame_text_mark_kernel(profile, folded->frame, folded->frames, error);
}

/* bcc's, between a thread's stack in user space and that in the kernel; "--" is also before who woke
 * it. None of what is behind is this thread's in user space. */
static bool is_delimiter(struct span token)
{
	return span_is(token, "-") || span_is(token, "--");
}

/* 1: read; 0: too many frames. */
static int split(struct folded *folded, struct span stack, uint64_t line, struct error *error)
{
	const char *end = stack.at + stack.size;
	size_t user = SIZE_MAX, kernel; /* frames before a delimiter, and behind */

	folded->frames = 0;
	for (const char *at = stack.at; at <= end;) {
		const char *next = at < end ? memchr(at, ';', end - at) : NULL;
		struct span token;
		uint32_t frame;

		next = next ? next : end;
		if (folded->frames == PROFILE_FRAMES_MAX) {
			profile_lose(folded->reading->profile, PROFILE_TOO_DEEP, line,
				     "more than %d frames", PROFILE_FRAMES_MAX);
			return 0;
		}
		token = (struct span) { at, next - at };
		at = next + 1;
		if (is_delimiter(token) || span_begins(token, "[Missed User Stack]")) {
			user = folded->frames < user && is_delimiter(token) ? folded->frames : user;
			continue;
		}
		frame = find_frame(folded, token, error);
		if (frame == UINT32_MAX)
			return -1;
		if (!ARRAY_RESERVE(folded->frame, folded->frame_room, folded->frames + 1))
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for a sample");
		folded->frame[folded->frames++] = frame;
	}
	kernel = user < folded->frames ? folded->frames - user : 0;
	return finish_frames(folded, kernel, error) ? -1 : 1;
}

/* Takes the last word away; empty: there is only one. */
static struct span take_count(struct span *line)
{
	const char *blank = memrchr(line->at, ' ', line->size),
		   *tab = memrchr(line->at, '\t', line->size);
	struct span count = { "", 0 };

	blank = tab && (!blank || tab > blank) ? tab : blank;
	if (!blank)
		return count;
	count = (struct span) { blank + 1, line->at + line->size - (blank + 1) };
	line->size = blank - line->at;
	return count;
}

static int take_line(struct folded *folded, const struct profile_line *line, struct error *error)
{
	const struct profile_reading *reading = folded->reading;
	struct profile_sample sample = { .pid = -1, .tid = -1, .place = line->number };
	struct span text = { line->text, line->size };
	bool fraction;
	int status;

	if (!line->text) {
		profile_lose(reading->profile, PROFILE_TOO_LONG, line->number,
			     "a line of more than %d bytes", PROFILE_LINE_MAX);
		return 0;
	}
	text = span_trim(text);
	if (!text.size || text.at[0] == '#')
		return 0;
	if (!line->whole) {
		profile_lose(reading->profile, PROFILE_CUT_OFF, line->number,
			     "the file ends in this line");
		return 0;
	}
	if (!count_text_read(take_count(&text), profile_scale(reading->profile), &sample.count,
			     &fraction)) {
		profile_lose(reading->profile, PROFILE_BAD_COUNT, line->number,
			     "no count at the line's end");
		return 0;
	}
	status = split(folded, span_trim(text), line->number, error);
	if (status <= 0)
		return status;
	sample.frame = folded->frame;
	sample.frame_count = folded->frames;
	return profile_hand_on(reading->profile, &sample, reading->fn, reading->context, error);
}

/* A line at the beginning has a count that is no whole number. */
static int find_fraction(const struct profile_reading *reading, struct error *error)
{
	struct span data;

	if (profile_lines_peek(reading->lines, &data.at, &data.size, error))
		return -1;
	while (data.size) {
		struct span line = span_trim(span_line(&data));
		uint64_t count;
		bool fraction;

		if (line.size && line.at[0] != '#' &&
		    count_text_read(take_count(&line), 1, &count, &fraction) && fraction) {
			reading->profile->scale = FRAME_TEXT_THOUSANDTHS;
			break;
		}
	}
	return 0;
}

int folded_read(const struct profile_reading *reading, struct error *error)
{
	struct folded folded = { .reading = reading };
	struct profile_line line;
	int status;

	if (find_fraction(reading, error))
		return -1;
	while ((status = profile_lines_next(reading->lines, &line, error)) > 0)
		if (take_line(&folded, &line, error)) {
			status = -1;
			break;
		}
	profile_texts_deinit(&folded.tokens);
	free(folded.token_frame);
	free(folded.frame);
	return status;
}
