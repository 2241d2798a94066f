/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_json_write.c - case.json: all of a dispute but its bytes
 *
 * Addresses are strings in hexadecimal, as everywhere in our JSON. What is only shown comes first, for
 * who looks into a case with tar(1).
 */
#include <inttypes.h>
#include "cfi/cfi.h"
#include "base/cli/json_counts.h"
#include "disputes.h"

size_t dispute_run(const struct dispute *dispute, size_t first)
{
	const struct page *page = dispute->memory.page;
	size_t count = 1;

	while (first + count < dispute->memory.count &&
	       page[first + count].address == page[first].address + count * PAGE_SET_PAGE)
		count++;
	return count;
}

static json_t *registers_json(const struct register_values *regs)
{
	json_t *object = json_object();

	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		json_object_set_new(object, register_name(reg), json_hex(regs->value[reg]));
	return object;
}

static void set_stack(json_t *object, const struct stack *stack)
{
	json_t *frames = json_array(), *guessed = json_array();

	for (uint32_t i = 0; i < stack->count; i++) {
		json_array_append_new(frames, json_hex(stack_pc(stack, i)));
		if (stack_is_guessed(stack, i))
			json_array_append_new(guessed, json_integer(i));
	}
	json_object_set_new(object, "stop", json_string(stop_reason_name(stack->stop)));
	json_object_set_new(object, "frames", frames);
	if (json_array_size(guessed))
		json_object_set(object, "guessed", guessed);
	json_decref(guessed);
}

static json_t *truth_json(const struct dispute *dispute)
{
	json_t *object = JSON_NEW("rooted", dispute->rooted);

	set_stack(object, &dispute->truth);
	return object;
}

static json_t *answers_json(const struct dispute *dispute)
{
	json_t *array = json_array();

	for (size_t i = 0; i < dispute->answer_count; i++) {
		const struct dispute_answer *answer = &dispute->answer[i];
		json_t *object = JSON_NEW("engine", answer->engine, "asked", answer->asked,
					  "in_kernel", answer->in_kernel, "external",
					  answer->external, "differs", answer->differs);

		set_stack(object, &answer->stack);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *images_json(const struct dispute *dispute)
{
	json_t *array = json_array();

	for (size_t i = 0; i < dispute->image_count; i++) {
		const struct dispute_image *image = &dispute->image[i];

		json_array_append_new(array,
				      JSON_NEW("path", image->path, "build_id", image->build_id,
					       "bytes", image->file_bytes, "whole", image->whole));
	}
	return array;
}

static json_t *code_json(const struct dispute *dispute)
{
	json_t *array = json_array();

	for (size_t i = 0; i < dispute->code_count; i++) {
		const struct dispute_code *code = &dispute->code[i];

		json_array_append_new(array,
				      JSON_NEW("start", json_hex(code->start), "end",
					       json_hex(code->end), "bias", json_hex(code->bias),
					       "image", code->image, "path", code->path));
	}
	return array;
}

static json_t *maps_json(const struct dispute *dispute)
{
	json_t *array = json_array();

	for (size_t i = 0; i < dispute->map_count; i++) {
		const struct dispute_map *map = &dispute->map[i];

		json_array_append_new(
			array, JSON_NEW("start", json_hex(map->start), "end", json_hex(map->end),
					"offset", json_hex(map->offset), "permissions",
					map->permissions, "image", map->image, "path", map->path));
	}
	return array;
}

static json_t *memory_json(const struct dispute *dispute)
{
	json_t *array = json_array();
	size_t count;

	for (size_t i = 0; i < dispute->memory.count; i += count) {
		count = dispute_run(dispute, i);
		json_array_append_new(array,
				      JSON_NEW("address", json_hex(dispute->memory.page[i].address),
					       "bytes", count * PAGE_SET_PAGE));
	}
	return array;
}

static json_t *unreadable_json(const struct dispute *dispute)
{
	json_t *array = json_array();

	for (size_t i = 0; i < dispute->unreadable_count; i++)
		json_array_append_new(array, json_hex(dispute->unreadable[i]));
	return array;
}

json_t *dispute_to_json(const struct dispute *dispute)
{
	return JSON_NEW("format", "stackproof case", "version", DISPUTE_VERSION, "about",
			json_incref(dispute->about), "point", dispute->point, "thread",
			dispute->tid, "follow_frame_pointers", dispute->follows, "cut",
			dispute->cut, "registers", registers_json(&dispute->regs), "truth",
			truth_json(dispute), "answers", answers_json(dispute), "images",
			images_json(dispute), "code", code_json(dispute), "maps",
			maps_json(dispute), "memory", memory_json(dispute), "unreadable",
			unreadable_json(dispute));
}
