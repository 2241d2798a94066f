/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * folded.c - folded stacks, as flame graphs are made of: "main;work;leaf 12", outermost first
 *
 * Names only, most often. What the tools of the FlameGraph project put behind one is taken off:
 * _[k] kernel, _[i] inlined, _[j] compiled at run time, _[w] who woke it. "[libc.so.6]" is a frame
 * of that image whose name is not known; "[libc.so.6+0x2724a]" says where in the file it is, as
 * perf's dsoff does, and "[libc.so.6 <7f1e2724a>]" where it was in the process. Many profilers
 * don't mark the kernel's frames; then the kernel's own entries tell them, below which is user
 * space.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "profile/perf_line.h"

#define TOKENS_BYTES_MAX (64 << 20) /* that are known again */

struct folded {
	const struct profile_reading *reading;
	struct profile_texts tokens;
	uint32_t *token_frame; /* by the token's number */
	size_t token_room;
	uint32_t *frame;
	size_t frames, frame_room;
};

/* How the kernel is entered from user space (arch/x86/entry): their beginnings. */
static const char *const kernel_entries[] = {
	"entry_SYSCALL_",	"entry_INT80_",		  "asm_exc_",	   "asm_sysvec_",
	"asm_common_interrupt", "asm_spurious_interrupt", "ret_from_fork", "do_syscall_64",
};

static bool is_kernel_entry(const char *name)
{
	for (size_t i = 0; i < sizeof(kernel_entries) / sizeof(kernel_entries[0]); i++)
		if (!strncmp(name, kernel_entries[i], strlen(kernel_entries[i])))
			return true;
	return false;
}

/* Takes a suffix "_[k]" away: its letter, or 0. */
static char take_suffix(struct span *token)
{
	const char *end = token->at + token->size;

	if (token->size < 5 || memcmp(end - 4, "_[", 2) || end[-1] != ']' ||
	    !strchr("kijw", end[-2]))
		return 0;
	token->size -= 4;
	return end[-2];
}

/* "libc.so.6+0x2724a", "libc.so.6 <7f1e2724a>": takes the address away, which the frame gets. */
static void take_address(struct span *image, struct profile_frame *frame)
{
	const char *end = image->at + image->size, *plus = memrchr(image->at, '+', image->size),
		   *blank = memrchr(image->at, ' ', image->size);
	struct span offset = { plus, plus ? end - plus : 0 };
	struct span address = { blank, blank ? end - blank : 0 };

	if (plus > image->at && span_begins(offset, "+0x") &&
	    span_hexadecimal((struct span) { plus + 3, offset.size - 3 }, &frame->address)) {
		frame->kind = PROFILE_FILE_OFFSET;
		image->size -= offset.size;
	} else if (blank > image->at && span_begins(address, " <") && end[-1] == '>' &&
		   span_hexadecimal((struct span) { blank + 2, address.size - 3 },
				    &frame->address)) {
		frame->kind = PROFILE_RUNTIME;
		image->size -= address.size;
	}
}

/* "fde@0x1230[libc.so.6]", as this program names what has no symbol: takes the image away. */
static struct span take_image(struct span *token)
{
	const char *open = memrchr(token->at, '[', token->size);
	struct span image = { "", 0 };

	if (!open || token->at[token->size - 1] != ']' ||
	    !(span_begins(*token, "fde@0x") || span_begins(*token, "gap@0x") ||
	      span_begins(*token, ".")))
		return image;
	image.at = open + 1;
	image.size = token->at + token->size - 1 - image.at;
	token->size = open - token->at;
	return image;
}

/* A frame's number; UINT32_MAX: no memory. */
static uint32_t make_frame(struct folded *folded, struct span token, struct error *error)
{
	struct profile *profile = folded->reading->profile;
	struct profile_frame frame = { .mapped = PROFILE_NO_OFFSET,
				       .name_offset = PROFILE_NO_OFFSET };
	char suffix = take_suffix(&token);
	const char *plus = token.size ? memrchr(token.at, '+', token.size) : NULL;
	struct span offset = { plus, plus ? token.at + token.size - plus : 0 }, image = { "", 0 };
	uint64_t value;

	frame.flags = suffix == 'k' ? PROFILE_KERNEL : suffix == 'i' ? PROFILE_INLINED : 0;
	if (span_begins(token, "0x") &&
	    span_hexadecimal((struct span) { token.at + 2, token.size - 2 }, &value)) {
		frame.kind = PROFILE_RUNTIME;
		frame.address = value;
		frame.flags |= value >> 63 ? PROFILE_KERNEL : 0;
		return profile_frame_add(profile, &frame, error);
	}
	if (span_begins(offset, "+0x") && offset.at > token.at &&
	    span_hexadecimal((struct span) { offset.at + 3, offset.size - 3 }, &value)) {
		frame.name_offset = value;
		token.size -= offset.size;
	}
	if (span_begins(token, "[kernel"))
		frame.flags |= PROFILE_KERNEL;
	if (span_is(token, PROFILE_TEXT_UNKNOWN) || span_is(token, "[[unknown]]"))
		token.size = 0;
	if (token.size > 2 && token.at[0] == '[' && token.at[token.size - 1] == ']') {
		image = (struct span) { token.at + 1, token.size - 2 };
		take_address(&image, &frame);
		token.size = 0;
	} else if (token.size) {
		image = take_image(&token);
	}
	frame.image = profile_text_add(profile, image.at, image.size, error);
	frame.name = profile_text_add(profile, token.at, token.size, error);
	if (frame.image == UINT32_MAX || frame.name == UINT32_MAX)
		return UINT32_MAX;
	return profile_frame_add(profile, &frame, error);
}

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
	frame = make_frame(folded, token, error);
	folded->token_frame[number] = frame;
	return frame;
}

/* Innermost first, and the kernel's marked. */
static int finish_frames(struct folded *folded, struct error *error)
{
	struct profile *profile = folded->reading->profile;
	size_t kernel = 0;

	for (size_t i = 0; i < folded->frames / 2; i++) {
		uint32_t other = folded->frame[folded->frames - 1 - i];

		folded->frame[folded->frames - 1 - i] = folded->frame[i];
		folded->frame[i] = other;
	}
	for (size_t i = 0; i < folded->frames; i++) {
		const struct profile_frame *frame = &profile->frame[folded->frame[i]];

		if (frame->flags & PROFILE_KERNEL ||
		    (frame->name && is_kernel_entry(profile_text(profile, frame->name))))
			kernel = i + 1;
	}
	for (size_t i = 0; i < kernel; i++) {
		struct profile_frame frame = profile->frame[folded->frame[i]];

		frame.flags |= PROFILE_KERNEL;
		folded->frame[i] = profile_frame_add(profile, &frame, error);
		if (folded->frame[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* 1: read; 0: too many frames. */
static int split(struct folded *folded, struct span stack, uint64_t line, struct error *error)
{
	const char *end = stack.at + stack.size;

	folded->frames = 0;
	for (const char *at = stack.at; at <= end;) {
		const char *next = at < end ? memchr(at, ';', end - at) : NULL;
		uint32_t frame;

		next = next ? next : end;
		if (folded->frames == PROFILE_FRAMES_MAX) {
			profile_lose(folded->reading->profile, PROFILE_TOO_DEEP, line,
				     "more than %d frames", PROFILE_FRAMES_MAX);
			return 0;
		}
		frame = find_frame(folded, (struct span) { at, next - at }, error);
		if (frame == UINT32_MAX)
			return -1;
		if (!ARRAY_RESERVE(folded->frame, folded->frame_room, folded->frames + 1))
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for a sample");
		folded->frame[folded->frames++] = frame;
		at = next + 1;
	}
	return finish_frames(folded, error) ? -1 : 1;
}

static int take_line(struct folded *folded, const struct profile_line *line, struct error *error)
{
	const struct profile_reading *reading = folded->reading;
	struct profile_sample sample = { .pid = -1, .tid = -1, .place = line->number };
	struct span text = { line->text, line->size }, count = { "", 0 };
	const char *blank;
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
	blank = memrchr(text.at, ' ', text.size);
	if (blank)
		count = (struct span) { blank + 1, text.at + text.size - (blank + 1) };
	if (!blank || !span_decimal(count, &sample.count)) {
		profile_lose(reading->profile, PROFILE_BAD_COUNT, line->number,
			     "no count at the line's end");
		return 0;
	}
	text.size = blank - text.at;
	status = split(folded, span_trim(text), line->number, error);
	if (status <= 0)
		return status;
	sample.frame = folded->frame;
	sample.frame_count = folded->frames;
	return profile_hand_on(reading->profile, &sample, reading->fn, reading->context, error);
}

int folded_read(const struct profile_reading *reading, struct error *error)
{
	struct folded folded = { .reading = reading };
	struct profile_line line;
	int status;

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
