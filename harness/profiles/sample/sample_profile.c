/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_profile.c - stacks that were sampled, as a profile: NDJSON that `score` reads
 *
 * Frames are images and the images' own addresses. Images are numbered as the run's mappings are,
 * and named anew for each run (docs/JSON.md, Stacks).
 */
#include "hex_text.h"
#include "base/cli/json_counts.h"
#include "sample.h"

void sample_profile_images(FILE *file, const struct address_space *space)
{
	for (size_t i = 0; i < space->mapping_count; i++) {
		const struct mapping *mapping = &space->mapping[i];
		char text[2 * BUILD_ID_MAX + 1];
		const struct image *image;
		json_t *object;

		if (!mapping->entry || !mapping->entry->image)
			continue;
		object = json_pack("{s:s, s:I, s:o}", "type", "profile_image", "image",
				   (json_int_t)i + 1, "path",
				   json_bytes(mapping->path ? mapping->path : ""));
		image = mapping->entry->image;
		if (image->build_id_size)
			json_object_set_new(
				object, "build_id",
				json_string(hex_text(text, image->build_id, image->build_id_size)));
		json_line(file, object);
	}
}

/* A return address may lie behind its image's last byte. */
static json_t *frame_json(const struct address_space *space, uint64_t pc, bool is_caller)
{
	const struct mapping *mapping = address_space_find(space, pc - is_caller);

	if (!mapping || !mapping->entry || !mapping->entry->image)
		return json_pack("{s:o}", "address", json_hex(pc));
	return json_pack("{s:I, s:o}", "image", (json_int_t)(mapping - space->mapping) + 1, "vaddr",
			 json_hex(pc - mapping->bias));
}

void sample_profile_stack(FILE *file, const struct address_space *space, const char *event,
			  const struct stack *stack)
{
	json_t *frames = json_array();

	for (uint32_t i = 0; i < stack->count; i++)
		json_array_append_new(frames, frame_json(space, stack->pc[i], i > 0));
	json_line(file, json_pack("{s:s, s:i, s:s, s:o}", "type", "profile_stack", "count", 1,
				  "event", event, "frames", frames));
}
