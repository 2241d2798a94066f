/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile.c - texts and frames of a profile, each kept once; its samples, counted
 *
 * A million samples name a few thousand functions. A text is kept in one block, behind the others,
 * and known by its number; so is a frame, which is numbers only. Number 0 is none of them.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "profile.h"

static const struct {
	const char *name; /* in JSON */
	const char *text; /* behind "samples with " */
} losses[PROFILE_LOSS_COUNT] = {
	[PROFILE_BAD_HEAD] = { "bad_head", "a first line that can't be read" },
	[PROFILE_BAD_FRAME] = { "bad_frame", "a frame that can't be read" },
	[PROFILE_BAD_COUNT] = { "bad_count", "a count that is none" },
	[PROFILE_TOO_DEEP] = { "too_deep", "too many frames" },
	[PROFILE_TOO_LONG] = { "too_long", "a line that is too long" },
	[PROFILE_CUT_OFF] = { "cut_off", "their end missing" },
	[PROFILE_BAD_REFERENCE] = { "bad_reference", "a reference to what is not there" },
	[PROFILE_ZERO_COUNT] = { "zero_count", "a count of 0" },
};

void profile_init(struct profile *profile)
{
	*profile = (struct profile) { 0 };
}

void profile_deinit(struct profile *profile)
{
	profile_texts_deinit(&profile->texts);
	profile_texts_deinit(&profile->mapped);
	free(profile->build);
	free(profile->frame);
	number_map_deinit(&profile->frame_map);
	error_list_deinit(&profile->errors);
	profile_init(profile);
}

const char *profile_loss_name(enum profile_loss loss)
{
	return losses[loss].name;
}

const char *profile_loss_text(enum profile_loss loss)
{
	return losses[loss].text;
}

uint64_t profile_lost(const struct profile *profile)
{
	uint64_t sum = 0;

	for (int i = 0; i < PROFILE_LOSS_COUNT; i++)
		sum += profile->lost[i];
	return sum;
}

const char *profile_texts_get(const struct profile_texts *texts, uint32_t number)
{
	return number ? texts->text + texts->at[number] : "";
}

void profile_texts_deinit(struct profile_texts *texts)
{
	free(texts->text);
	free(texts->at);
	number_map_deinit(&texts->map);
	*texts = (struct profile_texts) { 0 };
}

struct wanted_text {
	const struct profile_texts *texts;
	const char *text;
	size_t size;
};

static bool text_equal(void *context, uint32_t number)
{
	const struct wanted_text *wanted = context;
	const char *text = profile_texts_get(wanted->texts, number);

	return !strncmp(text, wanted->text, wanted->size) && !text[wanted->size];
}

static uint32_t no_memory(struct error *error)
{
	error_set(error, ERROR_MEMORY, "", 0, "no memory for a profile's names");
	return UINT32_MAX;
}

uint32_t profile_texts_add(struct profile_texts *texts, const char *text, size_t size,
			   bool *ret_new, struct error *error)
{
	struct wanted_text wanted = { texts, text, size ? strnlen(text, size) : 0 };
	uint32_t *slot;

	*ret_new = false;
	size = wanted.size;
	if (!size)
		return 0;
	slot = number_map_find(&texts->map, number_hash(size, text, size), text_equal, &wanted);
	if (!slot)
		return no_memory(error);
	if (*slot)
		return *slot;
	if (!ARRAY_RESERVE(texts->text, texts->room, texts->bytes + size + 1) ||
	    !ARRAY_RESERVE(texts->at, texts->capacity, texts->count + 2))
		return no_memory(error);
	texts->at[++texts->count] = texts->bytes;
	memcpy(texts->text + texts->bytes, text, size);
	texts->text[texts->bytes + size] = '\0';
	texts->bytes += size + 1;
	*ret_new = true;
	return *slot = texts->count;
}

uint32_t profile_texts_find(const struct profile_texts *texts, const char *text, size_t size)
{
	struct wanted_text wanted = { texts, text, size ? strnlen(text, size) : 0 };

	return number_map_get(&texts->map, number_hash(wanted.size, text, wanted.size), text_equal,
			      &wanted);
}

uint32_t profile_text_add(struct profile *profile, const char *text, size_t size,
			  struct error *error)
{
	bool is_new;

	return profile_texts_add(&profile->texts, text, size, &is_new, error);
}

struct wanted_frame {
	const struct profile *profile;
	const struct profile_frame *frame;
};

static bool frame_equal(void *context, uint32_t number)
{
	const struct wanted_frame *wanted = context;

	return !memcmp(&wanted->profile->frame[number], wanted->frame, sizeof(*wanted->frame));
}

_Static_assert(sizeof(struct profile_frame) == 48, "no padding: frames are compared as bytes");

uint32_t profile_frame_add(struct profile *profile, const struct profile_frame *frame,
			   struct error *error)
{
	struct wanted_frame wanted = { profile, frame };
	uint32_t *slot = number_map_find(&profile->frame_map, number_hash(0, frame, sizeof(*frame)),
					 frame_equal, &wanted);

	if (!slot)
		return no_memory(error);
	if (*slot)
		return *slot;
	if (!ARRAY_RESERVE(profile->frame, profile->frame_capacity, profile->frames + 2))
		return no_memory(error);
	profile->frame[++profile->frames] = *frame;
	return *slot = profile->frames;
}

bool profile_is_marker(const char *text)
{
	size_t size = strlen(text);

	return size && text[size - 1] == ']' &&
	       (!strncmp(text, PROFILE_INCOMPLETE, strlen(PROFILE_INCOMPLETE)) ||
		!strncmp(text, PROFILE_LOST, strlen(PROFILE_LOST)) ||
		!strncmp(text, PROFILE_OFF, strlen(PROFILE_OFF)));
}

const char *profile_place_word(enum profile_format format)
{
	switch (format) {
	case PROFILE_PPROF: return "offset";
	case PROFILE_SPEEDSCOPE:
	case PROFILE_FIREFOX:
	case PROFILE_OTLP: return "sample";
	default: return "line";
	}
}

/* The section of an error: what its offset is one of. */
static const char *place_name(const struct profile *profile)
{
	return profile->format == PROFILE_PPROF ? "pprof" : profile_place_word(profile->format);
}

void profile_lose(struct profile *profile, enum profile_loss loss, uint64_t place,
		  const char *format, ...)
{
	char text[200];
	struct error error;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	error_set(&error, ERROR_TEXT_SYNTAX, place_name(profile), place, "%s", text);
	error_list_add(&profile->errors, &error);
	profile->lost[loss]++;
}

int profile_hand_on(struct profile *profile, const struct profile_sample *sample,
		    profile_sample_fn *fn, void *context, struct error *error)
{
	if (!sample->count) {
		profile_lose(profile, PROFILE_ZERO_COUNT, sample->place, "a count of 0");
		return 0;
	}
	if (sample->count > PROFILE_COUNT_MAX - profile->weight)
		return error_set(error, ERROR_TEXT_SYNTAX, place_name(profile), sample->place,
				 "the samples' counts add up to more than %lld",
				 (long long)PROFILE_COUNT_MAX);
	profile->samples++;
	profile->weight += sample->count;
	return fn(context, profile, sample, error);
}

int profile_share(struct profile *profile, size_t frames, struct error *error)
{
	profile->shared += frames;
	if (profile->shared <= PROFILE_SHARED_MAX)
		return 0;
	return error_set(error, ERROR_TABLE_LIMIT, "", PROFILE_SHARED_MAX,
			 "the samples have more than %d frames", PROFILE_SHARED_MAX);
}
