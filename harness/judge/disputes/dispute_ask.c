/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_ask.c - an engine asked on a dispute, as on a stopped thread
 *
 * The address space is made of what is kept, with the images where their files are now, so that an
 * engine which opens them by path finds them. What it could ask /proc for, it asks the point.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "disputes.h"
#include "walk/image_store.h"
#include "base/images/debug_link.h"
#include "walk/walk_rows.h"

struct dispute_stage {
	struct dispute *dispute;
	struct image_store *store;
	struct address_space space;
	char *maps;
	struct shadow_stack shadow;
	struct trace_stop stop;
};

/* ---- the stage -------------------------------------------------------------------------- */

static int add_mapping(struct dispute_stage *stage, const struct dispute_code *code,
		       const struct dispute_folder *folder, struct error *error)
{
	struct mapping *mapping = &stage->space.mapping[stage->space.mapping_count];

	*mapping = (struct mapping) {
		.start = code->start,
		.end = code->end,
		.bias = code->bias,
		.path = code->image < 0 ? strdup("") : dispute_folder_image(folder, code->image),
	};
	if (!mapping->path)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
	stage->space.mapping_count++;
	if (code->image < 0)
		return 0;
	mapping->entry = image_store_open(stage->store, mapping->path, error);
	if (!mapping->entry)
		return -1;
	image_entry_hold(mapping->entry);
	return 0;
}

/* As proc(5) has it. A file that is not here has no line of its own: a reader of the paths must not
 * find what happens to have its name. */
static char *make_maps(const struct dispute *dispute, const struct dispute_folder *folder)
{
	size_t size;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	for (size_t i = 0; file && i < dispute->map_count; i++) {
		const struct dispute_map *map = &dispute->map[i];

		fprintf(file, "%" PRIx64 "-%" PRIx64 " %s %" PRIx64, map->start, map->end,
			map->permissions, map->image < 0 ? 0 : map->offset);
		if (map->image < 0)
			fprintf(file, " 00:00 0\n");
		else
			fprintf(file, " 00:01 %d %s/image-%d\n", map->image + 1, folder->path,
				map->image);
	}
	if (file && fclose(file)) {
		free(text);
		text = NULL;
	}
	return text;
}

int dispute_stage_create(struct dispute *dispute, const struct dispute_folder *folder,
			 struct dispute_stage **ret, struct error *error)
{
	struct dispute_stage *stage = calloc(1, sizeof(*stage));
	int status = 0;

	if (!stage)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	stage->dispute = dispute;
	stage->store = debug_link_store();
	stage->maps = make_maps(dispute, folder);
	stage->space.mapping = calloc(dispute->code_count + 1, sizeof(*stage->space.mapping));
	stage->space.store = stage->store;
	stage->shadow.rooted = dispute->rooted;
	stage->stop = (struct trace_stop) { .pid = dispute->tid,
					    .tid = dispute->tid,
					    .regs = dispute->regs,
					    .shadow = &stage->shadow };
	if (!stage->store || !stage->maps || !stage->space.mapping)
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	for (size_t i = 0; !status && i < dispute->code_count; i++)
		status = add_mapping(stage, &dispute->code[i], folder, error);
	if (status) {
		dispute_stage_destroy(stage);
		return -1;
	}
	*ret = stage;
	return 0;
}

void dispute_stage_destroy(struct dispute_stage *stage)
{
	if (!stage)
		return;
	address_space_deinit(&stage->space);
	image_store_destroy(stage->store);
	free(stage->maps);
	free(stage);
}

const struct address_space *dispute_stage_space(const struct dispute_stage *stage)
{
	return &stage->space;
}

/* ---- an engine -------------------------------------------------------------------------- */

enum engine_answer dispute_ask(struct dispute_stage *stage, const struct engine *engine,
			       const struct memory_reader *memory, struct stack *ret,
			       struct error *error)
{
	struct point point = { .stop = &stage->stop,
			       .space = &stage->space,
			       .regs = &stage->dispute->regs,
			       .memory = memory,
			       .maps = stage->maps };
	enum engine_answer answer = ENGINE_ERROR;
	void *open = NULL;

	if (engine->part == ENGINE_PART_TABLE && stage->dispute->follows)
		return walk_table_following(point.space, point.regs, memory, NULL, ret, error)
			       ? ENGINE_ERROR
			       : ENGINE_STACK;
	if (engine_open(engine, NULL, &open, error)) {
		error->code = ERROR_UNAVAILABLE; /* whatever it is for want of */
		return ENGINE_ERROR;
	}
	if (engine->external)
		engine_external_begin(open);
	if (!engine->mappings || !engine->mappings(open, &stage->space, error))
		answer = engine->walk(open, &point, ret, error);
	engine->close(open);
	return answer;
}
