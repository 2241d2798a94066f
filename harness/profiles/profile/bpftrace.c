/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bpftrace.c - what bpftrace prints of its maps, where a stack is in a map's key
 *
 *	@stacks[			an entry begins; keys are separated by ", "
 *	    leaf+12			a stack's frames, each in a line, the innermost first
 *	    main+38
 *	, bash, 32200]: 17		the keys behind it, and the value
 *	@k[, 				an empty stack
 *		7f22007b6ab1 msort+337 (/usr/lib/libc.so.6)	as ustack(perf) prints a frame
 *	]: count 3, average 1, total 3	a value that is no count
 *
 * A map without a stack in its key has no samples; nor have what a program prints between, and
 * histograms. Of two stacks in a key one is the kernel's: the one that begins where the kernel is
 * entered, or that has addresses of the kernel; where neither says so, or both, it is not guessed.
 * A key that is a text is taken for the command's name; which number is a process is not said.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "frame_text.h"

#define KEY_STACKS 2 /* of a key: the user's and the kernel's */

enum state {
	STATE_BETWEEN,
	STATE_STACK, /* lines are frames, up to one that begins with "]" or "," */
	STATE_VALUE, /* behind a map's name: a stack there would be its value */
	STATE_BAD,   /* the rest of an entry */
};

struct bpftrace {
	const struct profile_reading *reading;
	enum state state;
	uint64_t line;		  /* at which the entry began */
	size_t first[KEY_STACKS]; /* frames of its stacks begin there */
	size_t stacks, texts;
	uint32_t comm, map;
	uint32_t *frame;
	size_t frames, frame_room;
};

static void lose(struct bpftrace *trace, enum profile_loss loss, uint64_t line, const char *why)
{
	profile_lose(trace->reading->profile, loss, line, "%s", why);
	trace->state = STATE_BAD;
}

/* ---- an entry's stacks ------------------------------------------------------------------------ */

/* The stack is in the kernel, as far as it says so itself. */
static bool is_kernel(const struct bpftrace *trace, size_t begin, size_t end)
{
	const struct profile *profile = trace->reading->profile;

	for (size_t i = begin; i < end; i++) {
		const struct profile_frame *frame = &profile->frame[trace->frame[i]];

		if (frame->flags & PROFILE_KERNEL ||
		    (frame->name && frame_text_enters_kernel(profile_text(profile, frame->name))))
			return true;
	}
	return false;
}

static int mark_kernel(struct bpftrace *trace, size_t begin, size_t end, struct error *error)
{
	struct profile *profile = trace->reading->profile;

	for (size_t i = begin; i < end; i++) {
		struct profile_frame frame = profile->frame[trace->frame[i]];

		frame.flags |= PROFILE_KERNEL;
		trace->frame[i] = profile_frame_add(profile, &frame, error);
		if (trace->frame[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

static void swap_stacks(struct bpftrace *trace, size_t first_count)
{
	size_t second_count = trace->frames - first_count;
	uint32_t *frame = trace->frame;

	for (size_t i = 0; i < first_count; i++) { /* by one frame, first_count times */
		uint32_t moved = frame[0];

		memmove(frame, frame + 1, (first_count + second_count - 1) * sizeof(*frame));
		frame[first_count + second_count - 1] = moved;
	}
}

/* The kernel's frames before the user's, and marked. 0: it can't be told which they are. */
static int order_stacks(struct bpftrace *trace, struct error *error)
{
	size_t middle = trace->stacks > 1 ? trace->first[1] : trace->frames;
	bool first = is_kernel(trace, 0, middle), second = is_kernel(trace, middle, trace->frames);

	if (!middle || middle == trace->frames) /* only one stack has frames */
		return (first || second) && mark_kernel(trace, 0, trace->frames, error) ? -1 : 1;
	if (first == second)
		return 0;
	if (second) {
		swap_stacks(trace, middle);
		middle = trace->frames - middle;
	}
	return mark_kernel(trace, 0, middle, error) ? -1 : 1;
}

static int end_entry(struct bpftrace *trace, struct span value, const struct profile_line *line,
		     struct error *error)
{
	const struct profile_reading *reading = trace->reading;
	struct profile_sample sample = { .pid = -1,
					 .tid = -1,
					 .comm = trace->texts == 1 ? trace->comm : 0,
					 .event = trace->map,
					 .place = trace->line };
	bool fraction;
	int status;

	trace->state = STATE_BETWEEN;
	if (!trace->stacks)
		return 0;
	if (!line->whole) {
		lose(trace, PROFILE_CUT_OFF, line->number, "the file ends in this line");
		return 0;
	}
	if (!count_text_read(span_trim(value), 1, &sample.count, &fraction)) {
		lose(trace, PROFILE_BAD_COUNT, line->number, "the map's value is no count");
		return 0;
	}
	status = order_stacks(trace, error);
	if (!status)
		lose(trace, PROFILE_BAD_FRAME, trace->line,
		     "two stacks, and neither says that it is the kernel's");
	if (status <= 0)
		return status;
	sample.frame = trace->frame;
	sample.frame_count = trace->frames;
	return profile_hand_on(reading->profile, &sample, reading->fn, reading->context, error);
}

/* ---- its keys ------------------------------------------------------------------------------- */

/* A key that is a stack, of which no frame is there yet. */
static void begin_stack(struct bpftrace *trace)
{
	if (trace->stacks == KEY_STACKS) {
		lose(trace, PROFILE_BAD_FRAME, trace->line, "more than two stacks in a key");
		return;
	}
	trace->first[trace->stacks++] = trace->frames;
}

static int take_key(struct bpftrace *trace, struct span key, struct error *error)
{
	uint64_t number;

	if (span_decimal(key, &number) || memchr(key.at, ':', key.size))
		return 0;
	trace->texts++;
	trace->comm = profile_text_add(trace->reading->profile, key.at, key.size, error);
	return trace->comm == UINT32_MAX ? -1 : 0;
}

/* Where the keys end: "]:" at the line's end or before a blank. */
static bool find_end(struct span rest, size_t *ret)
{
	for (size_t i = 0; i + 1 < rest.size; i++)
		if (rest.at[i] == ']' && rest.at[i + 1] == ':' &&
		    (i + 2 == rest.size || rest.at[i + 2] == ' ')) {
			*ret = i;
			return true;
		}
	return false;
}

/* The keys of a line, from the first on, and the value if it is there. */
static int take_keys(struct bpftrace *trace, struct span rest, const struct profile_line *line,
		     struct error *error)
{
	size_t end;
	bool ends = find_end(rest, &end);
	struct span keys = { rest.at, ends ? end : rest.size };

	const char *comma = rest.at;

	while (comma && trace->state != STATE_BAD) {
		struct span key;

		comma = keys.size ? memchr(keys.at, ',', keys.size) : NULL;
		key = (struct span) { keys.at, comma ? (size_t)(comma - keys.at) : keys.size };
		if (comma)
			keys = (struct span) { comma + 1, keys.at + keys.size - (comma + 1) };
		key = span_trim(key);
		if (!key.size)
			begin_stack(trace);
		else if (take_key(trace, key, error))
			return -1;
	}
	if (trace->state == STATE_BAD)
		return 0;
	if (ends)
		return end_entry(trace, (struct span) { rest.at + end + 2, rest.size - end - 2 },
				 line, error);
	trace->state = STATE_STACK;
	return 0;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* "7f22007b6ab1 msort+337 (/usr/lib/libc.so.6)" */
static uint32_t add_perf_frame(struct bpftrace *trace, struct span text, struct error *error)
{
	struct profile *profile = trace->reading->profile;
	struct perf_frame parsed;
	struct profile_frame frame = { .kind = PROFILE_RUNTIME, .mapped = PROFILE_NO_OFFSET };

	if (!perf_frame_parse(text, false, &parsed))
		return 0;
	frame.address = parsed.address;
	frame.name_offset = parsed.name_offset != PROFILE_NO_OFFSET
				    ? parsed.name_offset
				    : frame_text_take_offset(&parsed.name, true);
	frame.flags = parsed.address >> 63 ? PROFILE_KERNEL : 0;
	frame.image = profile_text_add(profile, parsed.image.at, parsed.image.size, error);
	frame.name = profile_text_add(profile, parsed.name.at, parsed.name.size, error);
	if (frame.image == UINT32_MAX || frame.name == UINT32_MAX)
		return UINT32_MAX;
	return profile_frame_add(profile, &frame, error);
}

static int take_frame(struct bpftrace *trace, const struct profile_line *line, struct error *error)
{
	struct span text = span_trim((struct span) { line->text, line->size }), rest = text;
	struct span word = span_word(&rest);
	uint64_t address;
	uint32_t frame;

	if (trace->frames == PROFILE_FRAMES_MAX) {
		lose(trace, PROFILE_TOO_DEEP, line->number, "too many frames");
		return 0;
	}
	/* Raw addresses have no "0x" either; a name of hexadecimal digits alone has an offset. */
	if (span_hexadecimal(word, &address) && (rest.size || word.size > 8))
		frame = add_perf_frame(trace, text, error);
	else
		frame = frame_text_add(trace->reading->profile, text, true, error);
	if (frame == UINT32_MAX)
		return -1;
	if (!ARRAY_RESERVE(trace->frame, trace->frame_room, trace->frames + 1))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a sample");
	trace->frame[trace->frames++] = frame;
	return 0;
}

/* A line "@name[..." or "@name: ...". 0: it is neither. */
static int begin_entry(struct bpftrace *trace, const struct profile_line *line, struct span *ret,
		       struct error *error)
{
	size_t size = 1;

	if (!line->size || line->text[0] != '@')
		return 0;
	while (size < line->size &&
	       (isalnum((unsigned char)line->text[size]) || line->text[size] == '_'))
		size++;
	if (size == line->size || (line->text[size] != '[' && line->text[size] != ':'))
		return 0;
	*ret = (struct span) { line->text + size + 1, line->size - size - 1 };
	trace->state = line->text[size] == '[' ? STATE_STACK : STATE_VALUE;
	trace->line = line->number;
	trace->stacks = trace->texts = trace->frames = trace->comm = 0;
	trace->map = profile_text_add(trace->reading->profile, line->text, size, error);
	return trace->map == UINT32_MAX ? -1 : 1;
}

static int take_line(struct bpftrace *trace, const struct profile_line *line, struct error *error)
{
	struct span text = { line->text, line->size };
	uint64_t began;
	int status;
	bool was_open, is_frame = text.at && text.size && (text.at[0] == ' ' || text.at[0] == '\t');

	if (!text.at) {
		lose(trace, PROFILE_TOO_LONG, line->number, "a line that is too long");
		return 0;
	}
	was_open = trace->state == STATE_STACK;
	began = trace->line;
	status = begin_entry(trace, line, &text, error);
	if (status < 0)
		return -1;
	if (status) {
		if (was_open)
			profile_lose(trace->reading->profile, PROFILE_CUT_OFF, began,
				     "the entry has no end");
		return trace->state == STATE_STACK ? take_keys(trace, text, line, error) : 0;
	}
	switch (trace->state) {
	case STATE_BETWEEN:
	case STATE_BAD: return 0;
	case STATE_VALUE:
		trace->state = STATE_BETWEEN;
		if (is_frame)
			lose(trace, PROFILE_BAD_COUNT, trace->line,
			     "a stack as a map's value has no count");
		return 0;
	case STATE_STACK: break;
	}
	if (is_frame)
		return take_frame(trace, line, error);
	if (span_begins(text, "]:"))
		return end_entry(trace, (struct span) { text.at + 2, text.size - 2 }, line, error);
	if (text.size && text.at[0] == ',') {
		text = (struct span) { text.at + 1, text.size - 1 };
		return take_keys(trace, text, line, error);
	}
	lose(trace, PROFILE_BAD_FRAME, line->number, "a line among frames that is none");
	return 0;
}

int bpftrace_read(const struct profile_reading *reading, struct error *error)
{
	struct bpftrace trace = { .reading = reading };
	struct profile_line line;
	int status;

	while ((status = profile_lines_next(reading->lines, &line, error)) > 0)
		if (take_line(&trace, &line, error)) {
			status = -1;
			break;
		}
	if (!status && trace.state == STATE_STACK)
		profile_lose(reading->profile, PROFILE_CUT_OFF, trace.line,
			     "the file ends in this entry");
	free(trace.frame);
	return status;
}
