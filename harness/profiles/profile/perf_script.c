/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_script.c - the text of `perf script`: a head, its frames, an empty line
 *
 * In a callchain perf prints a frame of user space as an offset in its image's file, of a sample
 * without a callchain as the process's own address. Which one a version takes is not said, so an
 * address that lies in a mapping of that image (--show-mmap-events) is kept both ways
 * (profile_frame.mapped), and who has the image decides.
 *
 * "(inlined)" is behind every name that perf's reading of the DWARF gave, unless it is the symbol's:
 * not behind a function that is inlined into itself; but behind the function itself, where its symbol
 * has another name there (__GI___libc_malloc for malloc). So marks say nothing. Of an address perf
 * prints the same lines each time, and the last of them is the machine's, whatever it is called:
 *
 *	11f1 in (inlined)	13cd f		these three may be f, that called itself twice there,
 *	11f1 work		13cd f		or one frame, and f inlined into itself: REPEATED
 *	1238 main		13cd f
 *
 * Whether frames have an image depends on -F, and is the same in all of a file; so one of the other
 * kind is damaged. With -F srcline the mark is behind the source line.
 *
 * -F also adds a line behind the frames (perf_line_is_extra()); then it ends the sample, and there is no
 * empty one. So a file that ends in frames is cut off, and one that ends in that line is whole.
 *
 * Lines are looked up whole: a million samples have a few thousand different ones.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "perf_line.h"

#define PERF_MAPPINGS_MAX 1000000
#define LINES_BYTES_MAX	  (64 << 20) /* that are known again */

struct mapping {
	int32_t pid;
	uint32_t image, build_id;
	uint64_t start, size, offset;
};

/* Between a head and the empty line. EMPTY: an empty line, which may be a head without fields. ALONE:
 * a head that has its frame, whose source line may come. */
enum state { STATE_BETWEEN, STATE_ALONE, STATE_EMPTY, STATE_FRAMES, STATE_BAD };

/* Whether frames have images. */
enum images { IMAGES_OPEN, IMAGES_SAID, IMAGES_NONE };

/* A frame of a sample, or what a line is. */
struct taken {
	uint32_t frame; /* 0: it can't be read */
	bool has_image, inlined;
	uint64_t line;
};

struct perf_script {
	const struct profile_reading *reading;
	struct mapping *mapping;
	size_t mappings;
	struct profile_texts lines;
	struct taken *known; /* by the line's number */
	size_t known_room;
	struct taken *taken; /* of the sample that is read */
	uint32_t *frame;     /* its frames, as they are handed on */
	size_t frames, taken_room, frame_room;
	bool tabbed; /* the last frame: what begins with a blank is none */
	bool extras; /* a sample had a line behind its frames: an empty one need not come */
	enum images images;
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
	struct profile *profile = script->reading->profile;
	char text[PATH_MAX + 16];
	bool is_new;

	snprintf(text, sizeof(text), "%d %s", mapping->pid, profile_text(profile, mapping->image));
	if (profile_texts_add(&profile->mapped, text, strlen(text), &is_new, error) == UINT32_MAX)
		return -1;
	if (script->mappings == PERF_MAPPINGS_MAX)
		return 0; /* the offset is taken as it is */
	if (!ARRAY_ADD(script->mapping, script->mappings, *mapping))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for perf's mappings");
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

/*
 * perf's table is of the file that was there at the recording's end, or when `perf inject' read it. It is that of the
 * mapping if the same file is there still (device, inode and its generation, since numbers are given again) and was not
 * written over since it was mapped.
 */
static uint32_t table_build(const struct profile *profile, uint32_t image,
			    const struct perf_event *event, const struct perf_head *head)
{
	uint64_t time_ns = head->timed ? head->time_ns : 0;

	for (size_t i = 0; event->inode && i < profile->builds; i++) {
		const struct profile_build *build = &profile->build[i];

		if (build->image == image && build->inode == event->inode &&
		    build->device == event->device && build->generation == event->generation &&
		    time_ns >= build->since_ns)
			return build->build_id;
	}
	return 0;
}

static int take_event(struct perf_script *script, const struct perf_head *head, uint64_t line,
		      struct error *error)
{
	struct profile *profile = script->reading->profile;
	const struct span text = head->rest;
	struct perf_event event;
	struct mapping mapping;

	if (!perf_event_parse(text, &event)) {
		profile_lose(profile, PROFILE_BAD_HEAD, line, "a PERF_RECORD that can't be read");
		return 0;
	}
	profile->dropped += event.lost;
	if (event.kind == PERF_EVENT_OTHER || event.kind == PERF_EVENT_LOST)
		return 0;
	forget_lines(script);
	if (event.kind == PERF_EVENT_EXEC)
		drop_process(script, event.pid);
	if (event.kind == PERF_EVENT_FORK)
		return copy_process(script, event.pid, event.parent, error);
	if (event.kind != PERF_EVENT_MMAP)
		return 0;
	mapping = (struct mapping) {
		.pid = event.pid, .start = event.start, .size = event.size, .offset = event.offset
	};
	mapping.image = profile_text_add(profile, event.image.at, event.image.size, error);
	mapping.build_id = profile_text_add(profile, event.build_id.at, event.build_id.size, error);
	if (mapping.image == UINT32_MAX || mapping.build_id == UINT32_MAX)
		return -1;
	if (!mapping.build_id)
		mapping.build_id = table_build(profile, mapping.image, &event, head);
	return add_mapping(script, &mapping, error);
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

/* The build-id of the file that the process has mapped under that name; 0: it is not said, or several were. */
static uint32_t find_build(const struct perf_script *script, int32_t pid, uint32_t image)
{
	uint32_t ret = 0;
	bool is_first = true;

	for (size_t i = 0; image && i < script->mappings; i++) {
		const struct mapping *at = &script->mapping[i];

		if (at->pid != pid || at->image != image)
			continue;
		if (!is_first && at->build_id != ret)
			return 0;
		is_first = false;
		ret = at->build_id;
	}
	return ret;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* 0: what the line is, ret->frame 0 if it can't be read. alone: the sample has no other frame. */
static int make_frame(struct perf_script *script, struct span text, bool alone, struct taken *ret,
		      struct error *error)
{
	struct profile *profile = script->reading->profile;
	struct perf_frame parsed;
	struct profile_frame frame;

	*ret = (struct taken) { 0 };
	if (alone && (script->images == IMAGES_NONE || !perf_frame_alone_parse(text, &parsed)))
		return 0;
	if (!alone && !perf_frame_parse(text, script->images == IMAGES_NONE, &parsed))
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
		return -1;
	if (parsed.address >> 63)
		frame.flags |= PROFILE_KERNEL;
	else if (!frame.image && parsed.has_image)
		frame.kind = PROFILE_RUNTIME; /* perf found no mapping that it is in */
	frame.mapped = PROFILE_NO_OFFSET;
	if (parsed.has_image)
		frame.mapped = find_mapping(script, script->sample.pid, parsed.address,
					    &frame.image);
	frame.build_id = find_build(script, script->sample.pid, frame.image);
	*ret = (struct taken) { .has_image = parsed.has_image, .inlined = parsed.inlined };
	ret->frame = profile_frame_add(profile, &frame, error);
	return ret->frame == UINT32_MAX ? -1 : 0;
}

static int push_frame(struct perf_script *script, const struct taken *taken, uint64_t line,
		      struct error *error)
{
	if (script->frames == PROFILE_FRAMES_MAX) {
		profile_lose(script->reading->profile, PROFILE_TOO_DEEP, line,
			     "more than %d frames", PROFILE_FRAMES_MAX);
		script->state = STATE_BAD;
		return 0;
	}
	if (!ARRAY_RESERVE(script->taken, script->taken_room, script->frames + 1) ||
	    !ARRAY_RESERVE(script->frame, script->frame_room, script->frames + 1))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a sample");
	script->taken[script->frames] = *taken;
	script->taken[script->frames++].line = line;
	return 0;
}

static int take_frame(struct perf_script *script, const struct profile_line *line,
		      struct error *error)
{
	/* Mappings are a process's: so are the lines. */
	bool is_new;
	uint32_t number;

	if (script->lines.bytes > LINES_BYTES_MAX)
		forget_lines(script);
	number = profile_texts_add(&script->lines, line->text, line->size, &is_new, error);
	if (number == UINT32_MAX)
		return -1;
	if (is_new) {
		if (!ARRAY_RESERVE(script->known, script->known_room, number + 1ul))
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for frames");
		if (make_frame(script, (struct span) { line->text, line->size }, false,
			       &script->known[number], error))
			return -1;
	}
	script->tabbed = line->text[0] == '\t';
	if (line->whole && script->known[number].frame)
		return push_frame(script, &script->known[number], line->number, error);
	profile_lose(script->reading->profile, line->whole ? PROFILE_BAD_FRAME : PROFILE_CUT_OFF,
		     line->number,
		     line->whole ? "a frame that can't be read" : "the file ends in a frame");
	script->state = STATE_BAD;
	return 0;
}

/* A line behind a frame that is none itself: its source's place, or text. */
static int take_source(struct perf_script *script, const struct profile_line *line,
		       struct error *error)
{
	struct profile *profile = script->reading->profile;
	struct taken *taken = script->frames ? &script->taken[script->frames - 1] : NULL;
	struct profile_frame frame;

	if (!taken || taken->has_image || taken->inlined ||
	    !perf_source_is_inlined((struct span) { line->text, line->size }))
		return 0;
	frame = profile->frame[taken->frame];
	frame.flags |= PROFILE_INLINED;
	taken->inlined = true;
	taken->frame = profile_frame_add(profile, &frame, error);
	return taken->frame == UINT32_MAX ? -1 : 0;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* All frames of the machine have images, or none has: in all of the file. False: one is otherwise. */
static bool check_images(struct perf_script *script)
{
	const struct taken *odd[] = { [IMAGES_SAID] = NULL, [IMAGES_NONE] = NULL };

	for (size_t i = script->frames; i-- > 0;) {
		const struct taken *taken = &script->taken[i];

		if (!taken->inlined || taken->has_image)
			odd[taken->has_image ? IMAGES_SAID : IMAGES_NONE] = taken;
	}
	if (script->images == IMAGES_OPEN && !odd[IMAGES_SAID] != !odd[IMAGES_NONE]) {
		script->images = odd[IMAGES_SAID] ? IMAGES_SAID : IMAGES_NONE;
		forget_lines(script);
	}
	if (script->images == IMAGES_NONE || !odd[IMAGES_NONE]) /* then brackets are names' */
		return true;
	profile_lose(script->reading->profile, PROFILE_BAD_FRAME, odd[IMAGES_NONE]->line,
		     "a frame without an image, as no other is");
	return false;
}

/* Frames from first on that are of one address. */
static size_t count_alike(const struct perf_script *script, size_t first)
{
	const struct profile *profile = script->reading->profile;
	const struct profile_frame *frame = &profile->frame[script->taken[first].frame];
	uint32_t image = frame->image;
	size_t count = 1;

	if (frame->kind != PROFILE_FILE_OFFSET || frame->flags & PROFILE_KERNEL)
		return 1;
	for (; first + count < script->frames; count++) {
		const struct profile_frame *next =
			&profile->frame[script->taken[first + count].frame];

		if (next->address != frame->address || next->kind != frame->kind ||
		    (image && next->image && image != next->image))
			break;
		image = image ? image : next->image;
	}
	return count;
}

/* Of count frames of one address: after how many the same ones come again. */
static size_t find_period(const struct taken *taken, size_t count)
{
	for (size_t period = 1; period <= count / 2; period++) {
		size_t same = period;

		while (count % period == 0 && same < count &&
		       taken[same].frame == taken[same - period].frame)
			same++;
		if (same == count)
			return period;
	}
	return count;
}

/* Of the frames of one address the last is the machine's. perf.data is read with --no-inline. */
static int own_frames(struct perf_script *script, struct error *error)
{
	struct profile *profile = script->reading->profile;
	bool no_inlined = profile->format == PROFILE_PERF_DATA;
	size_t count;

	for (size_t first = 0; first < script->frames; first += count) {
		count = no_inlined ? 1 : count_alike(script, first);
		size_t period = find_period(&script->taken[first], count);

		for (size_t i = 0; i < count; i++) {
			struct profile_frame frame = profile->frame[script->taken[first + i].frame];

			frame.flags &= ~PROFILE_INLINED;
			if (i % period != period - 1)
				frame.flags |= PROFILE_INLINED;
			if (period < count)
				frame.flags |= PROFILE_REPEATED;
			script->frame[first + i] = profile_frame_add(profile, &frame, error);
			if (script->frame[first + i] == UINT32_MAX)
				return -1;
		}
	}
	return 0;
}

static int end_sample(struct perf_script *script, struct error *error)
{
	const struct profile_reading *reading = script->reading;
	enum state state = script->state;

	script->state = state == STATE_BETWEEN || state == STATE_ALONE ? STATE_EMPTY
								       : STATE_BETWEEN;
	if (state != STATE_FRAMES || !check_images(script))
		return 0;
	if (own_frames(script, error))
		return -1;
	script->sample.frame = script->frame;
	script->sample.frame_count = script->frames;
	return profile_hand_on(reading->profile, &script->sample, reading->fn, reading->context,
			       error);
}

/* A head without fields is an empty line. */
static void begin_nameless(struct perf_script *script, const struct profile_line *line)
{
	script->sample =
		(struct profile_sample) { .pid = -1, .tid = -1, .count = 1, .place = line->number };
	script->frames = 0;
	script->state = STATE_FRAMES;
}

static int take_head(struct perf_script *script, const struct profile_line *line,
		     struct error *error)
{
	struct profile *profile = script->reading->profile;
	struct perf_head head;
	struct taken taken;
	bool pid_is_tid;

	script->frames = 0;
	if (line->text[0] == '\t' ||
	    !perf_head_parse((struct span) { line->text, line->size }, &head)) {
		profile_lose(profile, PROFILE_BAD_HEAD, line->number,
			     "neither a sample's first line nor a frame");
		script->state = STATE_BAD;
		return 0;
	}
	if (span_begins(head.rest, PERF_EVENT_PREFIX))
		return take_event(script, &head, line->number, error);
	pid_is_tid = head.pid < 0 && head.tid >= 0;
	head.pid = head.pid < 0 ? head.tid : head.pid;
	if (head.pid != script->sample.pid && script->mappings)
		forget_lines(script);
	script->sample = (struct profile_sample) {
		.pid = head.pid,
		.tid = head.tid,
		.pid_is_tid = pid_is_tid,
		.timed = head.timed,
		.time_ns = head.time_ns,
		.within_ns = head.within_ns,
		.comm = profile_text_add(profile, head.comm.at, head.comm.size, error),
		.count = 1,
		.place = line->number,
	};
	script->sample.event = profile_text_add(profile, head.event.at, head.event.size, error);
	if (script->sample.comm == UINT32_MAX || script->sample.event == UINT32_MAX)
		return -1;
	script->state = STATE_FRAMES;
	if (make_frame(script, head.rest, true, &taken, error))
		return -1;
	if (!taken.frame)
		return 0;
	/* No callchain: there is no empty line behind it. */
	if (push_frame(script, &taken, line->number, error))
		return -1;
	if (end_sample(script, error))
		return -1;
	script->state = STATE_ALONE;
	return 0;
}

/* The line behind a sample's frames. Where there are none only its words tell it from a head. */
static bool is_extra(const struct perf_script *script, struct span text)
{
	if (!perf_line_is_extra(text))
		return false;
	return script->frames ? script->tabbed : perf_extra_begins(text);
}

static int take_extra(struct perf_script *script, const struct profile_line *line,
		      struct error *error)
{
	if (!line->whole) /* perf_script_read() tells it */
		return 0;
	script->extras = true;
	return end_sample(script, error);
}

/* The source line of a frame in a head's line. A command's name may be filled up with blanks, too. */
static bool is_source_of_alone(struct span text)
{
	struct perf_head head;

	return perf_line_is_source(text) &&
	       !(perf_head_parse(text, &head) && (head.timed || head.tid >= 0));
}

/* A line of a sample. 0: it is none; 1: it was taken. */
static int take_sample_line(struct perf_script *script, const struct profile_line *line,
			    struct error *error)
{
	const struct span text = { line->text, line->size };
	bool begins = perf_frame_begins(text);
	struct perf_head head;

	if (script->state == STATE_ALONE && is_source_of_alone(text))
		return 1;
	if (script->state == STATE_EMPTY && begins && line->text[0] == '\t')
		begin_nameless(script, line);
	if (script->state != STATE_FRAMES)
		return 0;
	if (is_extra(script, text))
		return take_extra(script, line, error) ? -1 : 1;
	if (begins || line->text[0] == '\t')
		return take_frame(script, line, error) ? -1 : 1;
	if (line->text[0] == ' ')
		return take_source(script, line, error) ? -1 : 1;
	if (perf_head_parse(text, &head))
		return end_sample(script, error) ? -1 : 0;
	profile_lose(script->reading->profile, PROFILE_BAD_FRAME, line->number,
		     "a line among frames that is none");
	script->state = STATE_BAD;
	return 1;
}

static int take_line(struct perf_script *script, const struct profile_line *line,
		     struct error *error)
{
	const struct span text = { line->text, line->size };
	struct span trimmed;
	int status;

	if (!line->text) {
		profile_lose(script->reading->profile, PROFILE_TOO_LONG, line->number,
			     "a line of more than %d bytes", PROFILE_LINE_MAX);
		script->state = STATE_BAD;
		return 0;
	}
	trimmed = span_trim(text);
	if (!trimmed.size) /* what is not whole may be a frame's first blanks */
		return line->whole ? end_sample(script, error) : 0;
	/* That such lines come another sample has shown, or its words do. */
	if (script->state == STATE_BAD && perf_line_is_extra(text) &&
	    (script->extras || perf_extra_begins(text)))
		return end_sample(script, error);
	/* '|': the source itself, with -F srccode, also between samples. */
	if (script->state == STATE_BAD || line->text[0] == '#' || line->text[0] == '|')
		return 0;
	status = take_sample_line(script, line, error);
	if (status)
		return status < 0 ? -1 : 0;
	return take_head(script, line, error);
}

int perf_script_read(const struct profile_reading *reading, struct error *error)
{
	struct perf_script script = { .reading = reading, .state = STATE_BETWEEN };
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
	free(script.known);
	free(script.taken);
	free(script.frame);
	return status;
}
