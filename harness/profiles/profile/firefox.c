/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * firefox.c - the processed profile of the Firefox Profiler, which samply writes, too: JSON of tables
 *
 *	thread.samples		stack, weight		rows of samples
 *	stackTable		frame, prefix		a stack: its innermost frame, and the stack below
 *	frameTable		func, address, inlineDepth, nativeSymbol, category
 *	funcTable		name, resource		resourceTable: lib		nativeSymbols: libIndex
 *	libs			path, name, codeId (the build-id in Linux)
 *
 * A table has a column for each member, as long as the table. Which object has a table depends on the
 * version (meta.preprocessedProfileVersion): texts are the thread's up to 55 and shared from 56 on,
 * libs the thread's up to 40; newer ones may share more. So a table is sought in the thread, then in
 * "shared", then in the profile. An address is relative to the image's first segment; a caller's is
 * that of its return address, less one byte. Frames without an address are names only.
 */
#include <stdlib.h>
#include "array.h"
#include "frame_text.h"
#include "json_profile.h"

#define NUMBER_NONE UINT32_MAX

struct table {
	const json_t *frame, *prefix;						/* stacks */
	const json_t *func, *address, *inline_depth, *native_symbol, *category; /* frames */
	const json_t *name, *resource;						/* functions */
	const json_t *resource_lib, *symbol_lib;
	const json_t *text, *lib;
};

struct firefox {
	const struct profile_reading *reading;
	const json_t *file, *categories;
	struct table table;
	uint32_t *frame; /* by its row; 0: not looked at yet */
	size_t frames;
	uint32_t *stack;
	size_t stack_room;
	uint64_t samples;
	struct profile_sample sample; /* what a thread's have in common */
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a Firefox profile");
}

/* ---- tables --------------------------------------------------------------------------------- */

static const json_t *find_member(const struct firefox *firefox, const json_t *thread,
				 const char *name)
{
	const json_t *found = json_object_get(thread, name);

	if (!found)
		found = json_object_get(json_object_get(firefox->file, "shared"), name);
	return found ? found : json_object_get(firefox->file, name);
}

static const json_t *find_column(const struct firefox *firefox, const json_t *thread,
				 const char *table, const char *column)
{
	return json_object_get(find_member(firefox, thread, table), column);
}

static void find_tables(struct firefox *firefox, const json_t *thread)
{
	firefox->table = (struct table) {
		.frame = find_column(firefox, thread, "stackTable", "frame"),
		.prefix = find_column(firefox, thread, "stackTable", "prefix"),
		.func = find_column(firefox, thread, "frameTable", "func"),
		.address = find_column(firefox, thread, "frameTable", "address"),
		.inline_depth = find_column(firefox, thread, "frameTable", "inlineDepth"),
		.native_symbol = find_column(firefox, thread, "frameTable", "nativeSymbol"),
		.category = find_column(firefox, thread, "frameTable", "category"),
		.name = find_column(firefox, thread, "funcTable", "name"),
		.resource = find_column(firefox, thread, "funcTable", "resource"),
		.resource_lib = find_column(firefox, thread, "resourceTable", "lib"),
		.symbol_lib = find_column(firefox, thread, "nativeSymbols", "libIndex"),
		.text = find_member(firefox, thread, "stringArray"),
		.lib = find_member(firefox, thread, "libs"),
	};
	if (!firefox->table.text)
		firefox->table.text = find_member(firefox, thread, "stringTable");
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* ---- frames --------------------------------------------------------------------------------- */

static bool is_kernel(const struct firefox *firefox, uint64_t row, const char *path)
{
	const json_t *category = json_array_get(firefox->categories,
						json_profile_cell(firefox->table.category, row));

	return !strncmp(path, "[kernel", strlen("[kernel")) ||
	       !strncmp(path, "[guest.kernel", strlen("[guest.kernel")) ||
	       !strcmp(text_of(category, "name"), "Kernel");
}

/* The image that a frame's address is in; NULL: none is said. */
static const json_t *find_lib(const struct firefox *firefox, uint64_t row, uint64_t function)
{
	const struct table *table = &firefox->table;
	uint64_t symbol = json_profile_cell(table->native_symbol, row),
		 lib = json_profile_cell(table->symbol_lib, symbol);

	if (lib == JSON_NONE)
		lib = json_profile_cell(table->resource_lib,
					json_profile_cell(table->resource, function));
	return lib == JSON_NONE ? NULL : json_array_get(table->lib, lib);
}

static int set_image(const struct firefox *firefox, const json_t *lib, struct profile_frame *frame,
		     struct error *error)
{
	struct profile *profile = firefox->reading->profile;
	const char *path = text_of(lib, "path"), *build_id = text_of(lib, "codeId");

	path = *path ? path : text_of(lib, "debugPath");
	path = *path ? path : text_of(lib, "name");
	frame->image = profile_text_add(profile, path, strlen(path), error);
	frame->build_id = profile_text_add(profile, build_id, strlen(build_id), error);
	return frame->image == UINT32_MAX || frame->build_id == UINT32_MAX ? -1 : 0;
}

/* 0: *ret is the frame in that row, or NUMBER_NONE if it can't be read. */
static int make_frame(struct firefox *firefox, uint64_t row, uint32_t *ret, struct error *error)
{
	const struct table *table = &firefox->table;
	struct profile *profile = firefox->reading->profile;
	uint64_t function = json_profile_cell(table->func, row),
		 address = json_profile_cell(table->address, row),
		 depth = json_profile_cell(table->inline_depth, row),
		 text = json_profile_cell(table->name, function);
	const char *name = json_string_value(json_array_get(table->text, text));
	const json_t *lib = find_lib(firefox, row, function);
	struct profile_frame frame = { .mapped = PROFILE_NO_OFFSET,
				       .name_offset = PROFILE_NO_OFFSET };

	*ret = NUMBER_NONE;
	if (function == JSON_NONE || text == JSON_NONE || !name)
		return 0;
	/* What has no symbol is called by its address. */
	name = strncmp(name, "0x", 2) != 0 ? name : "";
	frame.name = profile_text_add(profile, name, strlen(name), error);
	if (frame.name == UINT32_MAX || (lib && set_image(firefox, lib, &frame, error)))
		return -1;
	if (address != JSON_NONE && lib) {
		frame.kind = PROFILE_RELATIVE;
		frame.address = address;
	}
	frame.flags = depth != JSON_NONE && depth > 0 ? PROFILE_INLINED : 0;
	if (is_kernel(firefox, row, profile_text(profile, frame.image)))
		frame.flags |= PROFILE_KERNEL;
	*ret = profile_frame_add(profile, &frame, error);
	return *ret == UINT32_MAX ? -1 : 0;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* The frames of a stack. 1: they are read; 0: they can't be. */
static int read_stack(struct firefox *firefox, uint64_t stack, size_t *ret_count,
		      struct error *error)
{
	const struct table *table = &firefox->table;
	struct profile *profile = firefox->reading->profile;

	for (*ret_count = 0; stack != JSON_NONE; stack = json_profile_cell(table->prefix, stack)) {
		uint64_t row = json_profile_cell(table->frame, stack);

		if (*ret_count == PROFILE_FRAMES_MAX) { /* or it is below itself */
			profile_lose(profile, PROFILE_TOO_DEEP, firefox->samples,
				     "more than %d frames", PROFILE_FRAMES_MAX);
			return 0;
		}
		if (row < firefox->frames && !firefox->frame[row] &&
		    make_frame(firefox, row, &firefox->frame[row], error))
			return -1;
		if (row >= firefox->frames || firefox->frame[row] == NUMBER_NONE) {
			profile_lose(profile, PROFILE_BAD_REFERENCE, firefox->samples,
				     "a stack, frame, function or text that is not there");
			return 0;
		}
		if (!ARRAY_RESERVE(firefox->stack, firefox->stack_room, *ret_count + 1))
			return no_memory(error);
		firefox->stack[(*ret_count)++] = firefox->frame[row];
	}
	return 1;
}

static int read_sample(struct firefox *firefox, const json_t *stack, uint64_t count,
		       struct error *error)
{
	const struct profile_reading *reading = firefox->reading;
	struct profile_sample sample = firefox->sample;
	size_t frames;
	int status;

	if (json_is_null(stack)) /* nothing was seen */
		return 0;
	if (json_profile_number(stack) == JSON_NONE) {
		profile_lose(reading->profile, PROFILE_BAD_REFERENCE, firefox->samples,
			     "a stack that is no number");
		return 0;
	}
	status = read_stack(firefox, json_profile_number(stack), &frames, error);
	if (status <= 0)
		return status;
	if (frame_text_mark_kernel(reading->profile, firefox->stack, frames, error) ||
	    profile_share(reading->profile, frames, error))
		return -1;
	sample.count = count;
	sample.place = firefox->samples;
	sample.frame = firefox->stack;
	sample.frame_count = frames;
	return profile_hand_on(reading->profile, &sample, reading->fn, reading->context, error);
}

static int read_samples(struct firefox *firefox, const json_t *samples, struct error *error)
{
	const json_t *stacks = json_object_get(samples, "stack"),
		     *weights = json_object_get(samples, "weight"), *stack, *weight;
	const char *unit = text_of(samples, "weightType");
	struct json_weights known = { 0 };
	double factor;
	size_t i;

	weights = json_is_array(weights) ? weights : NULL;
	json_array_foreach(weights, i, weight) json_weights_add(&known, json_number_value(weight));
	factor = json_weights_factor(&known, unit);
	json_array_foreach(stacks, i, stack)
	{
		uint64_t count = 1;

		firefox->samples++;
		weight = json_array_get(weights, i);
		if (weights && (!json_is_number(weight) ||
				!json_weights_count(json_number_value(weight), factor, &count)))
			profile_lose(firefox->reading->profile, PROFILE_BAD_COUNT, firefox->samples,
				     "a weight that is no count");
		else if (read_sample(firefox, stack, count, error))
			return -1;
	}
	return 0;
}

/* ---- threads -------------------------------------------------------------------------------- */

/* "4711", or a number; "4711.1" is the process's second image. */
static int32_t get_id(const json_t *value)
{
	const char *text = json_string_value(value);
	uint64_t number = text ? strtoull(text, NULL, 10) : json_profile_number(value);

	if (text && (*text < '0' || *text > '9'))
		return -1;
	return number > INT32_MAX ? -1 : (int32_t)number;
}

static int read_thread(struct firefox *firefox, const json_t *thread, struct error *error)
{
	size_t frames;
	int status;

	find_tables(firefox, thread);
	frames = json_array_size(firefox->table.func);
	free(firefox->frame);
	firefox->frame = calloc(frames + 1, sizeof(*firefox->frame));
	firefox->frames = frames;
	if (!firefox->frame)
		return no_memory(error);
	firefox->sample = (struct profile_sample) {
		.pid = get_id(json_object_get(thread, "pid")),
		.tid = get_id(json_object_get(thread, "tid")),
		.comm = json_profile_text(firefox->reading->profile,
					  json_object_get(thread, "name"), error),
	};
	if (firefox->sample.comm == UINT32_MAX)
		return -1;
	status = read_samples(firefox, json_object_get(thread, "samples"), error);
	return status;
}

int firefox_read(const struct profile_reading *reading, struct error *error)
{
	struct firefox firefox = { .reading = reading, .file = json_profile_load(reading, error) };
	const json_t *meta = json_object_get(firefox.file, "meta"),
		     *threads = json_object_get(firefox.file, "threads"), *thread;
	int status = -1;
	size_t i;

	if (!firefox.file)
		return -1;
	if (!json_is_array(threads) || !json_object_get(meta, "preprocessedProfileVersion")) {
		error_set(
			error, ERROR_TEXT_SYNTAX, "", 0,
			"the Firefox Profiler's JSON lacks threads, or the version of a processed "
			"profile");
		goto out;
	}
	firefox.categories = json_object_get(meta, "categories");
	json_array_foreach(threads, i, thread) if (read_thread(&firefox, thread, error)) goto out;
	status = 0;
out:
	json_decref((json_t *)firefox.file);
	free(firefox.frame);
	free(firefox.stack);
	return status;
}
