/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_script.c - the text of `perf script`: a head, its frames, an empty line
 *
 * In a callchain perf prints a frame of user space as an offset in its image's file, of a sample
 * without a callchain as the process's own address. Which one a version takes is not said, so an
 * address that lies in a mapping of that image (--show-mmap-events) is kept both ways
 * (profile_frame.mapped), and who has the image decides.
 *
 * "(inlined)" is behind every name that perf's reading of the DWARF gave: also behind the function
 * itself, where its symbol has another name there (__GI___libc_malloc for malloc). So of the frames
 * of one address, one after the other, the last is the machine's, whatever it is called.
 *
 * Lines are looked up whole: a million samples have a few thousand different ones.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "profile/perf_line.h"

#define PERF_MAPPINGS_MAX 1000000
#define LINES_BYTES_MAX	  (64 << 20) /* that are known again */

struct mapping {
	int32_t pid;
	uint32_t image;
	uint64_t start, size, offset;
};

/* Between a head and the empty line. */
enum state { STATE_BETWEEN, STATE_FRAMES, STATE_BAD };

struct perf_script {
	const struct profile_reading *reading;
	struct mapping *mapping;
	size_t mappings;
	struct profile_texts lines;
	uint32_t *line_frame; /* by the line's number: its frame */
	size_t line_room;
	uint32_t *frame; /* of the sample that is read */
	size_t frames, frame_room;
	enum state state;
	struct profile_sample sample;
};

/* ---- mappings ------------------------------------------------------------------------------- */

static void forget_lines(struct perf_script *script)
{
	profile_texts_deinit(&script->lines);
}

static void drop_process(struct perf_script *script, int32_t pid)
{
	size_t left = 0;

	for (size_t i = 0; i < script->mappings; i++)
		if (script->mapping[i].pid != pid)
			script->mapping[left++] = script->mapping[i];
	script->mappings = left;
}

static int add_mapping(struct perf_script *script, const struct mapping *mapping,
		       struct error *error)
{
	if (script->mappings == PERF_MAPPINGS_MAX)
		return 0; /* the offset is taken as it is */
	if (!ARRAY_GROW(script->mapping, script->mappings))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for perf's mappings");
	script->mapping[script->mappings++] = *mapping;
	return 0;
}

/* The child has what its parent has. */
static int copy_process(struct perf_script *script, int32_t pid, int32_t parent,
			struct error *error)
{
	size_t count;

	if (pid == parent)
		return 0; /* a thread */
	drop_process(script, pid);
	count = script->mappings;
	for (size_t i = 0; i < count; i++) {
		struct mapping copy = script->mapping[i];

		copy.pid = pid;
		if (script->mapping[i].pid == parent && add_mapping(script, &copy, error))
			return -1;
	}
	return 0;
}

static int take_event(struct perf_script *script, struct span text, uint64_t line,
		      struct error *error)
{
	struct perf_event event;
	struct mapping mapping;

	if (!perf_event_parse(text, &event)) {
		profile_lose(script->reading->profile, PROFILE_BAD_HEAD, line,
			     "a PERF_RECORD that can't be read");
		return 0;
	}
	if (event.kind == PERF_EVENT_OTHER)
		return 0;
	forget_lines(script);
	if (event.kind == PERF_EVENT_EXEC)
		drop_process(script, event.pid);
	if (event.kind == PERF_EVENT_FORK)
		return copy_process(script, event.pid, event.parent, error);
	if (event.kind != PERF_EVENT_MMAP)
		return 0;
	mapping = (struct mapping) { event.pid, 0, event.start, event.size, event.offset };
	mapping.image = profile_text_add(script->reading->profile, event.image.at, event.image.size,
					 error);
	return mapping.image == UINT32_MAX ? -1 : add_mapping(script, &mapping, error);
}

/* What address is in a mapping of that image, of the latest one; or PROFILE_NO_OFFSET. image 0: of
 * any, which is said. */
static uint64_t find_mapping(const struct perf_script *script, int32_t pid, uint64_t address,
			     uint32_t *image)
{
	for (size_t i = script->mappings; i-- > 0;) {
		const struct mapping *at = &script->mapping[i];

		if (at->pid != pid || address - at->start >= at->size)
			continue;
		if (*image && at->image != *image)
			return PROFILE_NO_OFFSET;
		*image = at->image;
		return address - at->start + at->offset;
	}
	return PROFILE_NO_OFFSET;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* A frame's number; 0: it can't be read. alone: the sample has no other. UINT32_MAX: no memory. */
static uint32_t make_frame(struct perf_script *script, struct span text, bool alone,
			   struct error *error)
{
	struct profile *profile = script->reading->profile;
	struct perf_frame parsed;
	struct profile_frame frame;

	if (!perf_frame_parse(text, &parsed))
		return 0;
	frame = (struct profile_frame) {
		.image = profile_text_add(profile, parsed.image.at, parsed.image.size, error),
		.kind = alone ? PROFILE_RUNTIME : PROFILE_FILE_OFFSET,
		.address = parsed.address,
		.name_offset = parsed.name_offset,
		.flags = parsed.inlined ? PROFILE_INLINED : 0,
	};
	frame.name = profile_text_add(profile, parsed.name.at, parsed.name.size, error);
	if (frame.image == UINT32_MAX || frame.name == UINT32_MAX)
		return UINT32_MAX;
	if (parsed.address >> 63)
		frame.flags |= PROFILE_KERNEL;
	else if (!frame.image && !parsed.inlined)
		frame.kind = PROFILE_RUNTIME; /* perf found no mapping that it is in */
	frame.mapped = PROFILE_NO_OFFSET;
	if (!parsed.inlined)
		frame.mapped = find_mapping(script, script->sample.pid, parsed.address,
					    &frame.image);
	return profile_frame_add(profile, &frame, error);
}

static int push_frame(struct perf_script *script, uint32_t frame, uint64_t line,
		      struct error *error)
{
	if (script->frames == PROFILE_FRAMES_MAX) {
		profile_lose(script->reading->profile, PROFILE_TOO_DEEP, line,
			     "more than %d frames", PROFILE_FRAMES_MAX);
		script->state = STATE_BAD;
		return 0;
	}
	if (!ARRAY_RESERVE(script->frame, script->frame_room, script->frames + 1))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a sample");
	script->frame[script->frames++] = frame;
	return 0;
}

static int take_frame(struct perf_script *script, const struct profile_line *line,
		      struct error *error)
{
	/* Mappings are a process's: so are the lines. */
	bool is_new;
	uint32_t number, frame;

	if (script->lines.bytes > LINES_BYTES_MAX)
		forget_lines(script);
	number = profile_texts_add(&script->lines, line->text, line->size, &is_new, error);
	if (number == UINT32_MAX)
		return -1;
	if (is_new) {
		if (!ARRAY_RESERVE(script->line_frame, script->line_room, number + 1ul))
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for frames");
		frame = make_frame(script, (struct span) { line->text, line->size }, false, error);
		if (frame == UINT32_MAX)
			return -1;
		script->line_frame[number] = frame;
	}
	frame = script->line_frame[number];
	if (frame)
		return push_frame(script, frame, line->number, error);
	profile_lose(script->reading->profile, line->whole ? PROFILE_BAD_FRAME : PROFILE_CUT_OFF,
		     line->number,
		     line->whole ? "a frame that can't be read" : "the file ends in a frame");
	script->state = STATE_BAD;
	return 0;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* Of the frames of one address the last is the machine's. */
static int own_frames(struct perf_script *script, struct error *error)
{
	struct profile *profile = script->reading->profile;

	for (size_t i = 0; i < script->frames; i++) {
		struct profile_frame frame = profile->frame[script->frame[i]];

		if (!(frame.flags & PROFILE_INLINED))
			continue;
		if (i + 1 < script->frames &&
		    profile->frame[script->frame[i + 1]].address == frame.address)
			continue;
		frame.flags &= ~PROFILE_INLINED;
		script->frame[i] = profile_frame_add(profile, &frame, error);
		if (script->frame[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

static int end_sample(struct perf_script *script, struct error *error)
{
	const struct profile_reading *reading = script->reading;
	enum state state = script->state;

	script->state = STATE_BETWEEN;
	if (state != STATE_FRAMES)
		return 0;
	if (own_frames(script, error))
		return -1;
	script->sample.frame = script->frame;
	script->sample.frame_count = script->frames;
	return profile_hand_on(reading->profile, &script->sample, reading->fn, reading->context,
			       error);
}

static int take_head(struct perf_script *script, const struct profile_line *line,
		     struct error *error)
{
	struct profile *profile = script->reading->profile;
	struct perf_head head;
	uint32_t frame;

	script->frames = 0;
	if (!perf_head_parse((struct span) { line->text, line->size }, &head)) {
		profile_lose(profile, PROFILE_BAD_HEAD, line->number,
			     "neither a sample's first line nor a frame");
		script->state = STATE_BAD;
		return 0;
	}
	if (span_begins(head.rest, PERF_EVENT_PREFIX))
		return take_event(script, head.rest, line->number, error);
	head.pid = head.pid < 0 ? head.tid : head.pid;
	if (head.pid != script->sample.pid && script->mappings)
		forget_lines(script);
	script->sample = (struct profile_sample) {
		.pid = head.pid,
		.tid = head.tid,
		.comm = profile_text_add(profile, head.comm.at, head.comm.size, error),
		.count = 1,
		.place = line->number,
	};
	script->sample.event = profile_text_add(profile, head.event.at, head.event.size, error);
	if (script->sample.comm == UINT32_MAX || script->sample.event == UINT32_MAX)
		return -1;
	script->state = STATE_FRAMES;
	frame = make_frame(script, head.rest, true, error);
	if (!frame || frame == UINT32_MAX)
		return frame ? -1 : 0;
	/* No callchain: there is no empty line behind it. */
	if (push_frame(script, frame, line->number, error))
		return -1;
	return end_sample(script, error);
}

static bool is_frame(const struct profile_line *line)
{
	struct span rest = { line->text, line->size };
	uint64_t value;

	return (line->text[0] == '\t' || line->text[0] == ' ') &&
	       span_hexadecimal(span_word(&rest), &value);
}

static int take_line(struct perf_script *script, const struct profile_line *line,
		     struct error *error)
{
	struct span trimmed;

	if (!line->text) {
		profile_lose(script->reading->profile, PROFILE_TOO_LONG, line->number,
			     "a line of more than %d bytes", PROFILE_LINE_MAX);
		script->state = STATE_BAD;
		return 0;
	}
	trimmed = span_trim((struct span) { line->text, line->size });
	if (!trimmed.size)
		return end_sample(script, error);
	if (script->state == STATE_BAD)
		return 0;
	if (script->state == STATE_FRAMES) {
		if (is_frame(line))
			return take_frame(script, line, error);
		if (line->text[0] == '\t' || line->text[0] == ' ')
			return 0; /* a frame's source line */
		if (end_sample(script, error))
			return -1;
	}
	if (trimmed.at[0] == '#')
		return 0;
	return take_head(script, line, error);
}

int perf_script_read(const struct profile_reading *reading, struct error *error)
{
	struct perf_script script = { .reading = reading, .sample = { .pid = -1 } };
	struct profile_line line;
	int status;

	while ((status = profile_lines_next(reading->lines, &line, error)) > 0) {
		if (take_line(&script, &line, error)) {
			status = -1;
			break;
		}
	}
	if (!status && script.state == STATE_FRAMES) /* frames may be missing */
		profile_lose(reading->profile, PROFILE_CUT_OFF, script.sample.place,
			     "the file ends in this sample");
	forget_lines(&script);
	free(script.mapping);
	free(script.line_frame);
	free(script.frame);
	return status;
}
