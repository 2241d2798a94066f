/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * folded_write.c - a collected profile as folded stacks: "comm;main;leaf 12", outermost first
 *
 * As the FlameGraph project's tools have them: the process's name first, if it is known; _[k] behind the kernel's
 * frames, _[i] behind inlined ones; an image and the offset in it, in brackets, where there is no name; ':' for the ';'
 * of a name, and \x5b for the bracket of one that ends in _[k] or _[i]. Numbers of processes, addresses behind names and
 * source lines are not in it, and stacks that differ in these alone are one line. What counts is the number of events of
 * CPU samples, else nanoseconds or bytes; a stack of 0 has no line.
 *
 * So the frames' texts become locations of a smaller profile, which makes equal stacks one.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "bytes_out.h"
#include "frame_spelling.h"
#include "write.h"

/* A location's frames: texts of the smaller profile, innermost first. */
struct frames {
	uint32_t first, count;
};

struct folding {
	const struct collected *collected;
	struct collected folded;
	struct frames *location; /* by the location's number */
	uint32_t *text;		 /* of all locations */
	uint32_t texts, text_room;
	uint32_t *stack;
	uint32_t stack_room;
	struct bytes_out spelling; /* a text that is made; it has no file */
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for folded stacks");
}

/* The text that was put together, as a number. */
static uint32_t end_spelling(struct folding *folding, struct error *error)
{
	uint32_t text;

	bytes_add(&folding->spelling, "", 1);
	if (folding->spelling.failed) {
		no_memory(error);
		return UINT32_MAX;
	}
	text = collected_text(&folding->folded, (const char *)folding->spelling.data, error);
	folding->spelling.size = 0;
	return text;
}

/* A name that ends as the kernel's or inlined functions' frames do here. */
static void escape_ending(struct bytes_out *spelling)
{
	const char *end = (const char *)spelling->data + spelling->size - 4;

	if (spelling->size < 4 || (memcmp(end, "_[k]", 4) && memcmp(end, "_[i]", 4)))
		return;
	spelling->size -= 3;
	bytes_text(spelling, end[2] == 'k' ? "\\x5bk]" : "\\x5bi]");
}

/* Line number line of a location, with what folded stacks have behind names. */
static void spell_frame(struct folding *folding, const struct collected_location *location,
			uint32_t line)
{
	frame_spell(folding->collected, location, line, ";", &folding->spelling);
	escape_ending(&folding->spelling);
	if (location->frame == COLLECTED_IN_KERNEL)
		bytes_text(&folding->spelling, "_[k]");
	else if (line + 1 < location->lines)
		bytes_text(&folding->spelling, "_[i]");
}

static int spell_locations(struct folding *folding, struct error *error)
{
	const struct collected *collected = folding->collected;

	folding->location = calloc(collected->locations + 1ul, sizeof(*folding->location));
	if (!folding->location)
		return no_memory(error);
	for (uint32_t i = 1; i <= collected->locations; i++) {
		const struct collected_location *location = &collected->location[i];
		uint32_t count = location->lines ? location->lines : 1;

		folding->location[i] = (struct frames) { folding->texts, count };
		if (!ARRAY_RESERVE(folding->text, folding->text_room,
				   folding->texts + (size_t)count))
			return no_memory(error);
		for (uint32_t line = 0; line < count; line++) {
			spell_frame(folding, location, line);
			folding->text[folding->texts] = end_spelling(folding, error);
			if (folding->text[folding->texts++] == UINT32_MAX)
				return -1;
		}
	}
	return 0;
}

/* The process's name, or ":7" of one that has none, as perf writes it. 0: nothing is known of it. */
static uint32_t spell_process(struct folding *folding, uint32_t number, struct error *error)
{
	if (!process_spell(folding->collected, number, ";", &folding->spelling))
		return 0;
	return end_spelling(folding, error);
}

static int fold_sample(struct folding *folding, const struct collected_sample *sample,
		       struct error *error)
{
	const struct collected *collected = folding->collected;
	const struct collected_stack *stack = &collected->stack[sample->stack];
	uint32_t depth = 0, process = spell_process(folding, sample->task, error), number;

	if (process == UINT32_MAX)
		return -1;
	for (uint32_t i = 0; i < stack->locations; i++) {
		const struct frames *frames =
			&folding->location[collected->stack_location[stack->first + i]];

		if (!ARRAY_RESERVE(folding->stack, folding->stack_room,
				   (size_t)depth + frames->count + 1))
			return no_memory(error);
		memcpy(folding->stack + depth, folding->text + frames->first,
		       frames->count * sizeof(*folding->stack));
		depth += frames->count;
	}
	if (!ARRAY_RESERVE(folding->stack, folding->stack_room, depth + 1ul))
		return no_memory(error);
	if (process)
		folding->stack[depth++] = process;
	if (!depth) { /* a line has a frame */
		bytes_text(&folding->spelling, PROFILE_TEXT_UNKNOWN);
		folding->stack[depth++] = end_spelling(folding, error);
		if (folding->stack[0] == UINT32_MAX)
			return -1;
	}
	number = collected_stack(&folding->folded, folding->stack, depth, 0, error);
	if (number == UINT32_MAX)
		return -1;
	return collected_add(&folding->folded, number, 0, collected_value(collected, sample), 0,
			     error);
}

static void put_line(const struct collected *folded, const struct collected_sample *sample,
		     struct bytes_out *out)
{
	const struct collected_stack *stack = &folded->stack[sample->stack];

	if (!sample->count)
		return;
	for (uint32_t i = stack->locations; i-- > 0;) {
		bytes_text(out, collected_get(folded, folded->stack_location[stack->first + i]));
		bytes_text(out, i ? ";" : " ");
	}
	bytes_format(out, "%llu\n", (unsigned long long)sample->count);
}

int folded_write(const struct collected *collected, struct bytes_out *out, struct error *error)
{
	struct folding folding = { .collected = collected };
	int status;

	collected_init(&folding.folded, collected->type);
	status = spell_locations(&folding, error);
	for (uint32_t i = 1; i <= collected->samples && !status; i++)
		status = fold_sample(&folding, &collected->sample[i], error);
	for (uint32_t i = 1; i <= folding.folded.samples && !status && bytes_written(out); i++)
		put_line(&folding.folded, &folding.folded.sample[i], out);
	collected_deinit(&folding.folded);
	free(folding.location);
	free(folding.text);
	free(folding.stack);
	free(folding.spelling.data);
	return status;
}
