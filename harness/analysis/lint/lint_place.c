/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_place.c - an object file's addresses, as sections and offsets
 *
 * Its code was followed in a layout that nobody else knows (objects/object.h). What is said of it has
 * the sections of the file, and offsets in them, as `objdump -d` shows them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "analysis/code/code.h"
#include "lint_place.h"

#define PLACE_BYTES	256
#define CODE_TEXT_BYTES 128 /* of an instruction, without a name */

uint64_t lint_place_offset(const struct object *object, uint64_t vaddr, const char **ret_section)
{
	const struct object_section *section = object ? object_section_find(object, vaddr) : NULL;

	*ret_section = section ? section->name : "";
	return section ? vaddr - section->vaddr : vaddr;
}

void lint_place_set(json_t *json, const struct object *object, const char *key,
		    const char *section_key, uint64_t vaddr)
{
	const char *section;

	json_set_hex(json, key, lint_place_offset(object, vaddr, &section));
	if (object && section_key)
		json_object_set_new(json, section_key, json_bytes(section));
}

const uint8_t *lint_place_bytes(const struct object *object, const struct image *image,
				uint64_t vaddr, size_t *ret_size)
{
	const struct object_section *section = object ? object_section_find(object, vaddr) : NULL;
	const uint8_t *bytes = NULL;

	*ret_size = CODE_BYTES_MAX;
	if (section) {
		uint64_t left = section->size - (vaddr - section->vaddr);

		*ret_size = left < CODE_BYTES_MAX ? left : CODE_BYTES_MAX;
		return *ret_size ? section->bytes + (vaddr - section->vaddr) : NULL;
	}
	/* Fewer at a segment's end. */
	while (*ret_size && !(bytes = image_bytes(image, vaddr, *ret_size)))
		--*ret_size;
	return bytes;
}

void lint_place_code(const struct object *object, const struct image *image,
		     struct code_decoder *decoder, uint64_t pc, char *text, size_t size)
{
	const struct object_field *field = NULL;
	const char *section;
	struct code code;
	size_t most;
	const uint8_t *bytes = lint_place_bytes(object, image, pc, &most);

	text[0] = '\0';
	if (!bytes)
		return;
	code_print(decoder, lint_place_offset(object, pc, &section), bytes, most, text,
		   size < CODE_TEXT_BYTES ? size : CODE_TEXT_BYTES);
	code_decode(decoder, pc, bytes, most, &code);
	if (object && text[0])
		field = object_field_find(object, pc, code.length);
	if (field && field->symbol)
		snprintf(text + strlen(text), size - strlen(text), " (%s)", field->symbol);
}

void lint_place_print(const struct object *object, uint64_t vaddr, char *text, size_t size)
{
	const struct object_section *section = object_section_find(object, vaddr);

	if (section)
		snprintf(text, size, "%s+0x%" PRIx64, section->name, vaddr - section->vaddr);
	else
		text[0] = '\0';
}

void lint_place_replace(const struct object *object, char *text, size_t size)
{
	char place[PLACE_BYTES], rest[PLACE_BYTES], *at = text, *end;

	while ((at = strstr(at, "0x"))) {
		uint64_t vaddr = strtoull(at, &end, 16);

		lint_place_print(object, vaddr, place, sizeof(place));
		if (!place[0]) {
			at += 2;
			continue;
		}
		snprintf(rest, sizeof(rest), "%s", end);
		snprintf(at, size - (size_t)(at - text), "%s%s", place, rest);
		at += strlen(place) < strlen(at) ? strlen(place) : strlen(at);
	}
}
