/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * speedscope.c - speedscope's file format: JSON of names
 *
 *	{"$schema":"https://www.speedscope.app/file-format-schema.json",
 *	 "shared":{"frames":[{"name":"main"},{"name":"leaf"}]},
 *	 "profiles":[{"type":"sampled","name":"thread 1","unit":"seconds",
 *	              "samples":[[0,1]],"weights":[0.01]},
 *	             {"type":"evented","unit":"none","events":[{"type":"O","frame":0,"at":0},
 *	              {"type":"C","frame":0,"at":7}]}]}
 *
 * A sample is numbers of frames, the outermost first. Events open and close frames; between two of
 * them what is open is a stack, for as long as they are apart. The schema has had no version since it
 * has a name; files before that have "version" and the same members, but for "shared".
 * A frame's file is its source's, or an image's: that is not said, so names decide alone.
 */
#include <stdlib.h>
#include "array.h"
#include "frame_text.h"
#include "json_profile.h"

struct speedscope {
	const struct profile_reading *reading;
	uint32_t *frame; /* by its number in the file; 0: it can't be read */
	size_t frames;
	uint32_t *stack; /* of a sample, the innermost first */
	size_t stack_room;
	uint64_t *open; /* of events: frames' numbers, the outermost first */
	size_t opened, open_room;
	uint64_t samples; /* so far, which are their places */
	uint32_t event;	  /* the name of the profile at hand */
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a speedscope profile");
}

static int read_frames(struct speedscope *scope, const json_t *frames, struct error *error)
{
	struct profile *profile = scope->reading->profile;
	const json_t *object;
	size_t i;

	scope->frames = json_array_size(frames);
	scope->frame = calloc(scope->frames + 1, sizeof(*scope->frame));
	if (!scope->frame)
		return no_memory(error);
	json_array_foreach(frames, i, object)
	{
		const json_t *name = json_object_get(object, "name");

		if (!json_is_string(name))
			continue;
		scope->frame[i] = frame_text_add(
			profile,
			(struct span) { json_string_value(name), strlen(json_string_value(name)) },
			false, error);
		if (scope->frame[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* Hands on a sample of count frames; number(i) is that of the i-th from outside. */
static int hand_on(struct speedscope *scope, const json_t *array, const uint64_t *open,
		   size_t count, uint64_t weight, struct error *error)
{
	const struct profile_reading *reading = scope->reading;
	struct profile_sample sample = { .pid = -1,
					 .tid = -1,
					 .event = scope->event,
					 .count = weight,
					 .frame_count = count,
					 .place = scope->samples };

	if (count > PROFILE_FRAMES_MAX) {
		profile_lose(reading->profile, PROFILE_TOO_DEEP, sample.place,
			     "more than %d frames", PROFILE_FRAMES_MAX);
		return 0;
	}
	if (!ARRAY_RESERVE(scope->stack, scope->stack_room, count + 1))
		return no_memory(error);
	for (size_t i = 0; i < count; i++) {
		uint64_t number = array ? json_profile_cell(array, i) : open[i];

		if (number >= scope->frames || !scope->frame[number]) {
			profile_lose(reading->profile, PROFILE_BAD_REFERENCE, sample.place,
				     "a frame that is not there");
			return 0;
		}
		scope->stack[count - 1 - i] = scope->frame[number];
	}
	if (frame_text_mark_kernel(reading->profile, scope->stack, count, error) ||
	    profile_share(reading->profile, count, error))
		return -1;
	sample.frame = scope->stack;
	return profile_hand_on(reading->profile, &sample, reading->fn, reading->context, error);
}

static int bad_count(struct speedscope *scope)
{
	profile_lose(scope->reading->profile, PROFILE_BAD_COUNT, scope->samples,
		     "a weight that is no count");
	return 0;
}

/* ---- sampled --------------------------------------------------------------------------------- */

static int read_sampled(struct speedscope *scope, const json_t *profile, const char *unit,
			struct error *error)
{
	const json_t *samples = json_object_get(profile, "samples"),
		     *weights = json_object_get(profile, "weights"), *sample;
	struct json_weights known = { 0 };
	double factor;
	size_t i;

	json_array_foreach(weights, i, sample) json_weights_add(&known, json_number_value(sample));
	factor = json_weights_factor(&known, unit);
	json_array_foreach(samples, i, sample)
	{
		const json_t *weight = json_array_get(weights, i);
		uint64_t count = 0;

		scope->samples++;
		if (weights && (!json_is_number(weight) ||
				!json_weights_count(json_number_value(weight), factor, &count))) {
			bad_count(scope);
			continue;
		}
		if (hand_on(scope, sample, NULL, json_array_size(sample), weights ? count : 1,
			    error))
			return -1;
	}
	return 0;
}

/* ---- evented --------------------------------------------------------------------------------- */

static double place_of(const json_t *event)
{
	return json_number_value(json_object_get(event, "at"));
}

/* Opens or closes a frame. False: it closes what is not the innermost. */
static bool take_event(struct speedscope *scope, const json_t *event)
{
	const char *type = json_string_value(json_object_get(event, "type"));
	uint64_t frame = json_profile_number(json_object_get(event, "frame"));

	if (type && !strcmp(type, "O")) {
		if (!ARRAY_RESERVE(scope->open, scope->open_room, scope->opened + 1))
			return false;
		scope->open[scope->opened++] = frame;
		return true;
	}
	if (!type || strcmp(type, "C") != 0 || !scope->opened ||
	    scope->open[scope->opened - 1] != frame)
		return false;
	scope->opened--;
	return true;
}

/* Each stretch between two events is a sample, weighted by its length. */
static int read_evented(struct speedscope *scope, const json_t *profile, const char *unit,
			struct error *error)
{
	const json_t *events = json_object_get(profile, "events"), *event;
	struct json_weights known = { 0 };
	double factor, before = 0;
	size_t i;

	json_array_foreach(events, i, event)
	{
		if (i)
			json_weights_add(&known, place_of(event) - before);
		before = place_of(event);
	}
	known.least = 0; /* lengths that are alike are chance: they are no periods */
	factor = json_weights_factor(&known, unit);
	scope->opened = 0;
	json_array_foreach(events, i, event)
	{
		double length = i ? place_of(event) - before : 0;
		uint64_t count;

		before = place_of(event);
		if (scope->opened && length != 0) {
			scope->samples++;
			if (!json_weights_count(length, factor, &count))
				bad_count(scope);
			else if (hand_on(scope, NULL, scope->open, scope->opened, count, error))
				return -1;
		}
		if (take_event(scope, event))
			continue;
		/* What is open from here on is not known. */
		profile_lose(scope->reading->profile, PROFILE_BAD_FRAME, scope->samples,
			     "event %zu closes no frame that is the innermost", i);
		break;
	}
	return 0;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int read_profile(struct speedscope *scope, const json_t *profile, struct error *error)
{
	const char *type = json_string_value(json_object_get(profile, "type")),
		   *unit = json_string_value(json_object_get(profile, "unit"));

	scope->event = json_profile_text(scope->reading->profile, json_object_get(profile, "name"),
					 error);
	if (scope->event == UINT32_MAX)
		return -1;
	unit = unit ? unit : "none";
	if (type && !strcmp(type, "sampled"))
		return read_sampled(scope, profile, unit, error);
	if (type && !strcmp(type, "evented"))
		return read_evented(scope, profile, unit, error);
	profile_lose(scope->reading->profile, PROFILE_BAD_HEAD, scope->samples,
		     "a profile that is neither sampled nor evented");
	return 0;
}

int speedscope_read(const struct profile_reading *reading, struct error *error)
{
	struct speedscope scope = { .reading = reading };
	json_t *file = json_profile_load(reading, error);
	const json_t *frames = json_object_get(json_object_get(file, "shared"), "frames"),
		     *profiles = json_object_get(file, "profiles"), *profile;
	int status = -1;
	size_t i;

	if (!file)
		return -1;
	if (!json_is_array(frames) || !json_is_array(profiles)) {
		error_set(error, ERROR_TEXT_SYNTAX, "", 0,
			  "speedscope's JSON lacks shared.frames, or profiles");
		goto out;
	}
	if (read_frames(&scope, frames, error))
		goto out;
	json_array_foreach(profiles, i, profile) if (read_profile(&scope, profile, error)) goto out;
	status = 0;
out:
	json_decref(file);
	free(scope.frame);
	free(scope.stack);
	free(scope.open);
	return status;
}
