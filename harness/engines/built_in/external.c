/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external.c - an engine that is a program of its own, as one of the others
 *
 * What it is told, and what becomes of it when it fails, is in ../external; here are its words on
 * the command line, and the mappings as it sees them: with the place in the file and the build-id,
 * so that it can find unwind information by itself.
 */
#include <stdlib.h>
#include <string.h>
#include "freed.h"
#include "engine.h"
#include "engines/external/external.h"

#define OBJECT_SUFFIX ".so"

struct own_engine {
	struct engine engine; /* first: what it is known by */
	struct external_options options;
	char *name, *command, *argument;
};

static struct own_engine *own_of(const struct engine *engine)
{
	return (struct own_engine *)engine;
}

enum engine_answer engine_external_walk(void *engine, const struct point *point, struct stack *ret,
					struct error *error)
{
	struct external_point asked = { .regs = point->regs, .memory = point->memory };

	return external_ask(engine, &asked, 1, ret, error) ? ENGINE_ERROR : ENGINE_STACK;
}

/* Where in its file a mapping begins. */
static uint64_t file_offset(const struct image *image, uint64_t vaddr)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		uint64_t first = segment->vaddr - segment->file_offset % 4096;

		if (vaddr >= first && vaddr < segment->vaddr + segment->memory_bytes)
			return segment->file_offset + (vaddr - segment->vaddr);
	}
	return 0;
}

int engine_external_mappings(void *engine, const struct address_space *space, struct error *error)
{
	FREED struct external_mapping *mapping = calloc(space->mapping_count + 1, sizeof(*mapping));

	if (!mapping)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for an engine's mappings");
	for (size_t i = 0; i < space->mapping_count; i++) {
		const struct mapping *from = &space->mapping[i];
		const struct image *image = from->entry ? from->entry->image : NULL;

		mapping[i] = (struct external_mapping) {
			.start = from->start,
			.end = from->end,
			.bias = from->bias,
			.path = from->path,
		};
		if (!image)
			continue;
		mapping[i].offset = file_offset(image, from->start - from->bias);
		mapping[i].build_id = image->build_id;
		mapping[i].build_id_size = image->build_id_size;
	}
	return external_mappings(engine, mapping, space->mapping_count, error);
}

void engine_external_close(void *engine)
{
	external_close(engine);
}

int engine_external_open(const struct engine *engine, void **ret, struct error *error)
{
	struct external *external = NULL;
	int status = external_open(engine->external, &external, error);

	*ret = external;
	return status;
}

void engine_external_begin(void *engine)
{
	external_begin(engine);
}

void engine_external_report(const void *engine, struct external_report *ret)
{
	external_report(engine, ret);
}

void engine_external_limit(const struct engine *engine, unsigned int answer_ms, uint64_t total_ms)
{
	own_of(engine)->options.answer_ms = answer_ms;
	own_of(engine)->options.total_ms = total_ms;
}

/* "./mine.so some argument": a path, which must be there, and what is behind the first blank. */
static int take_object(struct own_engine *own, const char *text, size_t size, struct error *error)
{
	FREED char *file = strndup(text, size);

	own->command = file ? realpath(file, NULL) : NULL;
	if (!own->command)
		error_set_errno(error, "%s", file ?: "");
	else
		own->argument = strdup(text[size] ? text + size + 1 : "");
	return own->argument ? 0 : -1;
}

static int take_text(struct own_engine *own, const char *text, struct error *error)
{
	size_t suffix = strlen(OBJECT_SUFFIX), size;

	own->name = engine_name_take(text, &text, error);
	if (!own->name)
		return -1;
	size = strcspn(text, " ");
	if (size > suffix && !memcmp(text + size - suffix, OBJECT_SUFFIX, suffix))
		return take_object(own, text, size, error);
	own->command = strdup(text);
	return 0;
}

struct engine *engine_external_create(const char *text, struct error *error)
{
	struct own_engine *own = calloc(1, sizeof(*own));

	if (!own || take_text(own, text, error)) {
		if (!own)
			error_set(error, ERROR_MEMORY, "", 0, "no memory for an engine");
		engine_external_destroy(own ? &own->engine : NULL);
		return NULL;
	}
	if (!own->command) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for an engine");
		engine_external_destroy(&own->engine);
		return NULL;
	}
	own->options = (struct external_options) {
		.name = own->name,
		.command = own->command,
		.argument = own->argument,
		.hello_ms = EXTERNAL_HELLO_MS,
		.answer_ms = EXTERNAL_ANSWER_MS,
	};
	own->engine = (struct engine) {
		.name = own->name,
		.summary = "an external engine",
		.external = &own->options,
		.close = engine_external_close,
		.mappings = engine_external_mappings,
		.walk = engine_external_walk,
	};
	return &own->engine;
}

void engine_external_destroy(struct engine *engine)
{
	FREED struct own_engine *own = NULL;

	if (!engine)
		return;
	own = own_of(engine);
	free(own->name);
	free(own->command);
	free(own->argument);
}
