/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flame.c - names and stacks, each name kept once
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flame.h"
#include "hash.h"

void flame_deinit(struct flame *flame)
{
	number_map_deinit(&flame->name_map);
	number_map_deinit(&flame->group_map);
	free(flame->text);
	free(flame->name);
	free(flame->group);
	free(flame->frame);
	free(flame->stack);
	*flame = (struct flame) { 0 };
}

static uint32_t no_memory(struct error *error)
{
	error_set(error, ERROR_MEMORY, "", 0, "no memory for a flame graph");
	return UINT32_MAX;
}

struct wanted_name {
	const struct flame *flame;
	const char *text;
	enum flame_kind kind;
};

static bool is_name(void *context, uint32_t number)
{
	const struct wanted_name *wanted = context;

	return wanted->flame->name[number].kind == wanted->kind &&
	       !strcmp(flame_text(wanted->flame, number), wanted->text);
}

uint32_t flame_name(struct flame *flame, const char *text, enum flame_kind kind,
		    struct error *error)
{
	struct wanted_name wanted = { flame, text, kind };
	size_t size = strlen(text) + 1;
	uint32_t *slot = number_map_find(&flame->name_map, number_hash(kind, text, size), is_name,
					 &wanted);

	if (!slot)
		return no_memory(error);
	if (*slot)
		return *slot;
	if (!ARRAY_RESERVE(flame->text, flame->text_room, flame->text_size + size) ||
	    !ARRAY_RESERVE(flame->name, flame->name_room, flame->names + 2ul))
		return no_memory(error);
	flame->name[++flame->names] = (struct flame_name) { flame->text_size, kind };
	memcpy(flame->text + flame->text_size, text, size);
	flame->text_size += size;
	return *slot = flame->names;
}

struct wanted_group {
	const struct flame *flame;
	struct flame_group group;
};

static bool is_group(void *context, uint32_t number)
{
	const struct wanted_group *wanted = context;
	const struct flame_group *group = &wanted->flame->group[number];

	return group->name == wanted->group.name && group->set == wanted->group.set;
}

uint32_t flame_group(struct flame *flame, const char *name, const char *set, struct error *error)
{
	struct wanted_group wanted = { .flame = flame };
	uint32_t *slot;

	wanted.group.name = flame_name(flame, name, FLAME_GROUP, error);
	wanted.group.set = set[0] ? flame_name(flame, set, FLAME_GROUP, error) : 0;
	if (wanted.group.name == UINT32_MAX || wanted.group.set == UINT32_MAX)
		return UINT32_MAX;
	slot = number_map_find(&flame->group_map, hash_word(wanted.group.name, wanted.group.set),
			       is_group, &wanted);
	if (!slot)
		return no_memory(error);
	if (*slot)
		return *slot;
	if (!ARRAY_RESERVE(flame->group, flame->group_room, flame->groups + 2ul))
		return no_memory(error);
	flame->group[++flame->groups] = wanted.group;
	return *slot = flame->groups;
}

int flame_add(struct flame *flame, uint32_t group, const uint32_t *name, uint32_t names,
	      uint64_t value, struct error *error)
{
	if (value > INT64_MAX - flame->value)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "a sum of values is above 2^63 - 1");
	if (!ARRAY_RESERVE(flame->frame, flame->frame_room, flame->frames + names) ||
	    !ARRAY_RESERVE(flame->stack, flame->stack_room, flame->stacks + 1)) {
		no_memory(error);
		return -1;
	}
	if (names)
		memcpy(flame->frame + flame->frames, name, names * sizeof(*name));
	flame->stack[flame->stacks++] = (struct flame_stack) {
		.first = flame->frames, .frames = names, .group = group, .value = value
	};
	flame->frames += names;
	flame->value += value;
	return 0;
}
