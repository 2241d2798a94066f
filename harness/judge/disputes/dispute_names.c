/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_names.c - what a frame of a dispute is called
 *
 * The name is the case's own: of the symbols that are kept of its image, and the image's name where the
 * point was, not that of the file that it is in now.
 */
#include <inttypes.h>
#include <string.h>
#include "array.h"
#include "cfi/code_name.h"
#include "disputes.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct dispute_code *code_at(const struct dispute *dispute, uint64_t pc)
{
	return ARRAY_FIRST(dispute->code, dispute->code_count, code,
			   pc >= code->start && pc < code->end);
}

void dispute_describe(const struct dispute *dispute, const struct dispute_stage *stage, uint64_t pc,
		      bool returns, char *text, size_t size)
{
	const struct dispute_code *code = code_at(dispute, pc - returns);
	const struct mapping *mapping;
	struct code_name name;
	char function[192];

	if (!code) {
		snprintf(text, size, "0x%" PRIx64 " (unmapped)", pc);
		return;
	}
	mapping = address_space_find(dispute_stage_space(stage), pc - returns);
	if (!mapping || !mapping->entry) {
		snprintf(text, size, "0x%" PRIx64 " (%s)", pc,
			 code->path[0] ? base_name(code->path) : "anonymous");
		return;
	}
	code_name_find(mapping->entry->image, image_entry_cfi(mapping->entry),
		       pc - returns - code->bias, &name);
	code_name_print(&name, function, sizeof(function));
	snprintf(text, size, "%s+0x%" PRIx64 " (%s)", function, pc - code->bias - name.start,
		 base_name(dispute->image[code->image].path));
}
