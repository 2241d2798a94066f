/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * frame_spelling.c - a frame, or a process, as people read it
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "frame_spelling.h"

/* Without the folder, in one pair of brackets. */
static void spell_image(const struct collected *collected,
			const struct collected_location *location, const char *path,
			const char *from, struct bytes_out *out)
{
	const char *slash = strrchr(path, '/');
	uint64_t offset;

	path = slash && slash[1] ? slash + 1 : path;
	bytes_text(out, *path == '[' ? "" : "[");
	bytes_in_line(out, path, from, ':');
	if (*path == '[' && out->size && out->data[out->size - 1] == ']')
		out->size--;
	if (collected_offset(collected, location, &offset))
		bytes_format(out, "+0x%" PRIx64, offset);
	bytes_text(out, "]");
}

/* What was added since is no marker, though it may be spelled as one: a file may be called "lost: x". */
static void escape_marker(struct bytes_out *out, size_t begin)
{
	char *text;

	bytes_add(out, "", 1);
	if (out->failed)
		return;
	out->size--;
	if (!profile_is_marker((const char *)out->data + begin))
		return;
	text = strdup((const char *)out->data + begin + 1);
	if (!text) {
		out->failed = ENOMEM;
		return;
	}
	out->size = begin;
	bytes_text(out, "\\x5b");
	bytes_text(out, text);
	free(text);
}

void frame_spell(const struct collected *collected, const struct collected_location *location,
		 uint32_t line, const char *from, struct bytes_out *out)
{
	uint32_t path = location->mapping ? collected->mapping[location->mapping].path : 0,
		 name = collected_name(collected, location, line);
	size_t begin = out->size;

	if (name)
		bytes_in_line(out, collected_get(collected, name), from, ':');
	else if (path)
		spell_image(collected, location, collected_get(collected, path), from, out);
	else
		bytes_text(out, PROFILE_TEXT_UNKNOWN);
	if (location->frame != COLLECTED_MARKER)
		escape_marker(out, begin);
}

bool process_spell(const struct collected *collected, uint32_t number, const char *from,
		   struct bytes_out *out)
{
	const struct collected_task *task = &collected->task[number];
	size_t begin = out->size;

	if (!number || (!task->comm && task->pid < 0))
		return false;
	if (task->comm)
		bytes_in_line(out, collected_get(collected, task->comm), from, ':');
	else
		bytes_format(out, ":%d", task->pid);
	escape_marker(out, begin);
	return true;
}
