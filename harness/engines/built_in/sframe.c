/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe.c - engine sframe: a table that is made of SFrame, walked by the step that BPF runs
 *
 * What kernel and C library will go by, judged as any engine. An image without SFrame ends the walk; so does a CFA by a
 * register that SFrame doesn't track, in any frame but the innermost one: such stacks are truncated, and their stop says
 * why. Each image's table is made once.
 */
#include <stdlib.h>
#include "array.h"
#include "engine.h"
#include "sframe/sframe.h"
#include "walk/walk_rows.h"

struct sframe_table {
	uint32_t id;	     /* the image's */
	struct table *table; /* NULL: it has no SFrame, or none that can be read */
};

struct sframe_engine {
	struct sframe_table *table;
	size_t count;
	bool out_of_memory;
};

static int sframe_open(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = calloc(1, sizeof(struct sframe_engine));
	return *ret ? 0 : error_set(error, ERROR_MEMORY, "", 0, "no memory for an engine");
}

static void sframe_close(void *context)
{
	struct sframe_engine *engine = context;

	for (size_t i = 0; engine && i < engine->count; i++)
		table_destroy(engine->table[i].table);
	free(engine ? engine->table : NULL);
	free(engine);
}

static const struct table *choose(void *context, struct image_entry *entry)
{
	struct sframe *sframe DEINIT(sframe_destroy_at) = NULL;
	struct sframe_engine *engine = context;
	struct sframe_table made = { .id = entry->id };
	const struct sframe_table *known = ARRAY_FIRST(engine->table, engine->count, one,
						       one->id == entry->id);
	struct error error = { .code = ERROR_NONE };

	if (known)
		return known->table;
	if (!sframe_create(entry->image, &sframe, &error) && sframe_is_amd64(sframe))
		table_build_sframe(entry->image, sframe, &made.table, &error);
	if (error.code == ERROR_MEMORY || !ARRAY_ADD(engine->table, engine->count, made)) {
		table_destroy(made.table);
		engine->out_of_memory = true;
		return NULL;
	}
	return made.table;
}

static enum engine_answer sframe_walk(void *context, const struct point *point, struct stack *ret,
				      struct error *error)
{
	struct sframe_engine *engine = context;

	if (walk_table_of(point->space, point->regs, point->memory, choose, engine, ret, error))
		return ENGINE_ERROR;
	if (!engine->out_of_memory)
		return ENGINE_STACK;
	error_set(error, ERROR_MEMORY, "", 0, "no memory for a table");
	return ENGINE_ERROR;
}

const struct engine engine_sframe = {
	.name = "sframe",
	.summary = "compact table made of SFrame, in user space",
	.on_request = true,
	.open = sframe_open,
	.close = sframe_close,
	.walk = sframe_walk,
};
