/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile_flame.c - a collected profile's stacks, for reports/flame
 *
 * Each location is spelled once, each task, too.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "profiles/write/frame_spelling.h"
#include "view.h"

/* A location's frames: names of the flame, innermost first. */
struct frames {
	uint32_t first, count;
};

struct kindling {
	const struct collected *collected;
	struct flame *flame;
	unsigned int options;
	struct frames *location; /* by the location's number */
	uint32_t *name;		 /* of all locations */
	uint32_t names, name_room;
	uint32_t *group; /* by the task's number */
	uint32_t *stack; /* of the sample at hand */
	uint32_t stack_room;
	struct bytes_out spelling; /* a text that is made; it has no file */
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a flame graph");
}

/* The text that was put together; NULL: no memory. Valid until the next one is begun. */
static const char *end_spelling(struct kindling *kindling, struct error *error)
{
	struct bytes_out *out = &kindling->spelling;

	bytes_add(out, "", 1);
	if (out->failed) {
		no_memory(error);
		return NULL;
	}
	out->size = 0;
	return (const char *)out->data;
}

static enum flame_kind kind_of(const struct collected_location *location, uint32_t line)
{
	if (location->frame == COLLECTED_IN_KERNEL)
		return FLAME_KERNEL;
	if (location->frame == COLLECTED_MARKER)
		return FLAME_MARKER;
	return line + 1 < location->lines ? FLAME_INLINED : FLAME_USER;
}

/* Behind the name that was put together. */
static void add_image(struct kindling *kindling, const struct collected_location *location)
{
	const struct collected *collected = kindling->collected;
	const char *path = "", *slash;

	if (location->mapping)
		path = collected_get(collected, collected->mapping[location->mapping].path);
	slash = strrchr(path, '/');
	bytes_text(&kindling->spelling, "\t");
	bytes_in_line(&kindling->spelling, slash ? slash + 1 : path, "", 0);
}

static int name_location(struct kindling *kindling, uint32_t number, struct error *error)
{
	const struct collected_location *location = &kindling->collected->location[number];
	uint32_t count = location->lines ? location->lines : 1;

	kindling->location[number] = (struct frames) { kindling->names, count };
	if (!ARRAY_RESERVE(kindling->name, kindling->name_room, kindling->names + (size_t)count))
		return no_memory(error);
	for (uint32_t line = 0; line < count; line++) {
		uint32_t *name = &kindling->name[kindling->names++];
		const char *text;

		frame_spell(kindling->collected, location, line, "", &kindling->spelling);
		if (kindling->options & PROFILE_FLAME_IMAGES)
			add_image(kindling, location);
		text = end_spelling(kindling, error);
		*name = text ? flame_name(kindling->flame, text, kind_of(location, line), error)
			     : UINT32_MAX;
		if (*name == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* "bash", "bash[4711]"; the set is "container 0123456789ab". */
static int name_task(struct kindling *kindling, uint32_t number, struct error *error)
{
	const struct collected_task *task = &kindling->collected->task[number];
	char set[64] = "container ";
	struct bytes_out *out = &kindling->spelling;
	const char *text;

	if (!process_spell(kindling->collected, number, "", out))
		bytes_text(out, PROFILE_TEXT_UNKNOWN);
	else if (kindling->options & PROFILE_FLAME_BY_PID && task->comm && task->pid >= 0)
		bytes_format(out, "[%d]", task->pid);
	text = end_spelling(kindling, error);
	if (!text)
		return -1;
	if (number && task->container)
		snprintf(set, sizeof(set), "container %.12s",
			 collected_get(kindling->collected, task->container));
	else
		set[0] = 0;
	kindling->group[number] = flame_group(kindling->flame, text, set, error);
	return kindling->group[number] == UINT32_MAX ? -1 : 0;
}

static int add_sample(struct kindling *kindling, const struct collected_sample *sample,
		      struct error *error)
{
	const struct collected *collected = kindling->collected;
	const struct collected_stack *stack = &collected->stack[sample->stack];
	uint32_t depth = 0;

	for (uint32_t i = stack->locations; i-- > 0;) {
		const struct frames *frames =
			&kindling->location[collected->stack_location[stack->first + i]];

		if (!ARRAY_RESERVE(kindling->stack, kindling->stack_room,
				   (size_t)depth + frames->count))
			return no_memory(error);
		for (uint32_t line = frames->count; line-- > 0;)
			kindling->stack[depth++] = kindling->name[frames->first + line];
	}
	return flame_add(kindling->flame, kindling->group[sample->task], kindling->stack, depth,
			 collected_value(collected, sample), error);
}

int profile_flame(const struct collected *collected, unsigned int options, struct flame *flame,
		  struct error *error)
{
	struct kindling kindling = {
		.collected = collected,
		.flame = flame,
		.options = options,
		.location = calloc(collected->locations + 1ul, sizeof(*kindling.location)),
		.group = calloc(collected->tasks + 1ul, sizeof(*kindling.group)),
	};
	int status = kindling.location && kindling.group ? 0 : no_memory(error);

	for (uint32_t i = 1; i <= collected->locations && !status; i++)
		status = name_location(&kindling, i, error);
	for (uint32_t i = 0; i <= collected->tasks && !status; i++)
		status = name_task(&kindling, i, error);
	for (uint32_t i = 1; i <= collected->samples && !status; i++)
		status = add_sample(&kindling, &collected->sample[i], error);
	free(kindling.location);
	free(kindling.name);
	free(kindling.group);
	free(kindling.stack);
	free(kindling.spelling.data);
	return status;
}
