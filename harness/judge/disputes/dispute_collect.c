/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_collect.c - a dispute of a stopped thread
 *
 * What has to be kept is found by doing with the point what will be done with the case: the engines
 * are asked on its images as they are kept, and the memory that they read is kept. All that are built
 * in are, so that those can be asked elsewhere that nobody thought of here. Whoever said another stack
 * at the point itself is asked a second time, on whole images; if that does not help, the answer
 * is marked.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "freed.h"
#include "hex_text.h"
#include "array.h"
#include "disputes.h"
#include "proc_file.h"
#include "walk/image_store.h"
#include "walk/mapped_file.h"
#include "judge/verdict/verdict.h"

#define PAGE_BYTES  4096u
#define AROUND_CODE 128u /* bytes before and behind a frame's PC */
#define RED_ZONE    128u /* below rsp, and the function's: psABI, 3.2.2 */

/* ---- mappings and images ---------------------------------------------------------------- */

static char *build_id_text(const struct image *image)
{
	char text[2 * BUILD_ID_MAX + 1];

	return strdup(hex_text(text, image->build_id, image->build_id_size));
}

/* The image's number, or -1: error is set. */
static int add_image(struct dispute *dispute, const char *path, struct image_entry *entry,
		     struct error *error)
{
	struct dispute_image *image;
	size_t size;

	for (size_t i = 0; i < dispute->image_count; i++)
		if (dispute->image[i].entry == entry)
			return (int)i;
	if (dispute->image_count == DISPUTE_IMAGES_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "more than %u images",
				 DISPUTE_IMAGES_MAX);
	image = ARRAY_ADD(dispute->image, dispute->image_count,
			  (struct dispute_image) {
				  .path = strdup(path),
				  .build_id = build_id_text(entry->image),
				  .bytes = image_file_bytes(entry->image, &size),
				  .entry = entry,
			  });
	if (!image)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for an image");
	image->file_bytes = size;
	image_entry_hold(entry);
	if (!image->path || !image->build_id)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for an image");
	if (dispute_keep_ranges(image, error))
		return -1;
	return (int)dispute->image_count - 1;
}

static int add_code(struct dispute *dispute, const struct mapping *mapping, struct error *error)
{
	struct dispute_code *code;
	int image = -1;

	if (mapping->entry) {
		image = add_image(dispute, mapping->path, mapping->entry, error);
		if (image < 0)
			return -1;
	}
	code = ARRAY_ADD(dispute->code, dispute->code_count,
			 (struct dispute_code) { .start = mapping->start,
						 .end = mapping->end,
						 .bias = mapping->bias,
						 .image = image,
						 .path = strdup(mapping->path) });
	if (!code)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for mappings");
	return code->path ? 0 : error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
}

/* The image of an executable mapping of that path, if who opens the path gets its file. */
static int image_of(const struct dispute *dispute, pid_t tid, const struct maps_line *line)
{
	bool vdso = !strcmp(line->path, "[vdso]");
	struct stat file;

	if (!vdso && stat(line->path, &file))
		return -1;
	for (size_t i = 0; i < dispute->image_count; i++) {
		const struct dispute_image *image = &dispute->image[i];

		if (strcmp(image->path, line->path))
			continue;
		if (vdso || (file.st_size == (off_t)image->file_bytes &&
			     mapped_file_version(tid, line).inode == image->entry->version.inode))
			return (int)i;
	}
	return -1;
}

static int add_map(struct dispute *dispute, pid_t tid, const struct maps_line *line,
		   struct error *error)
{
	struct dispute_map *map;

	if (dispute->map_count == DISPUTE_MAPPINGS_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "more than %u mappings",
				 DISPUTE_MAPPINGS_MAX);
	map = ARRAY_ADD(dispute->map, dispute->map_count,
			(struct dispute_map) { .start = line->start,
					       .end = line->end,
					       .offset = line->offset,
					       .image = image_of(dispute, tid, line),
					       .path = strdup(line->path) });
	if (!map)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for mappings");
	memcpy(map->permissions, line->permissions, sizeof(map->permissions));
	return map->path ? 0 : error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
}

static int add_maps(struct dispute *dispute, pid_t tid, struct error *error)
{
	struct maps_line parsed;
	size_t capacity = 0;
	FREED char *line = NULL;
	int status = 0;
	FILE_CLOSED FILE *file = proc_file_open(tid, "maps");

	if (!file)
		return error_set_errno(error, "/proc/%d/maps", (int)tid);
	while (!status && getline(&line, &capacity, file) > 0)
		if (maps_line_parse(line, &parsed))
			status = add_map(dispute, tid, &parsed, error);
	return status;
}

/* ---- what is kept whoever reads it ------------------------------------------------------ */

/* The code around a frame: in memory, and in its file for who reads it there. */
static int keep_code(struct dispute_recorder *recorder, uint64_t pc, struct error *error)
{
	struct dispute *dispute = recorder->dispute;

	for (size_t i = 0; i < dispute->code_count; i++) {
		const struct dispute_code *code = &dispute->code[i];
		const struct image *image;

		if (pc < code->start || pc >= code->end)
			continue;
		dispute_record(recorder, pc - AROUND_CODE, pc + AROUND_CODE);
		if (code->image < 0)
			return 0;
		image = dispute->image[code->image].entry->image;
		for (size_t at = 0; at < image->segment_count; at++) {
			const struct image_segment *segment = &image->segment[at];
			uint64_t offset = pc - code->bias - segment->vaddr;

			if (offset < segment->file_bytes)
				return dispute_keep_range(
					&dispute->image[code->image],
					segment->file_offset + offset -
						(offset < AROUND_CODE ? offset : AROUND_CODE),
					2 * AROUND_CODE, error);
		}
		return 0;
	}
	return 0;
}

static int keep_frames(struct dispute_recorder *recorder, const struct stack *stack,
		       struct error *error)
{
	for (uint32_t i = 0; i < stack->count; i++)
		if (keep_code(recorder, stack_pc(stack, i), error))
			return -1;
	return 0;
}

/* From the red zone to behind the outermost frame's slot, and what an external engine can have. */
static void keep_stack(struct dispute_recorder *recorder, const struct point *point)
{
	const struct shadow_stack *shadow = point->stop->shadow;
	uint64_t sp = point->regs->value[REGISTER_RSP];
	uint64_t end = sp + 65536;
	struct stack_mapping mapping = { 0 };

	for (size_t i = 0; i < shadow->count; i++)
		if (shadow->frame[i].slot >= end && shadow->frame[i].slot - sp < DISPUTE_STACK_MAX)
			end = shadow->frame[i].slot + PAGE_BYTES;
	if (!stack_mapping_find(&mapping, point->stop->tid, sp))
		return;
	dispute_record(recorder, sp - RED_ZONE, end < mapping.end ? end : mapping.end);
}

/* ---- the engines ------------------------------------------------------------------------ */

static int add_answer(struct dispute *dispute, const struct engine *engine,
		      const struct stack *stack, bool asked, struct error *error)
{
	struct dispute_answer *answer = dispute_add_answer(dispute, engine->name, error);

	if (!answer)
		return -1;
	answer->asked = asked;
	answer->in_kernel = engine->in_kernel;
	answer->external = engine->external;
	return stack_copy(&answer->stack, stack, error);
}

/* Asks the engine on what is kept; what it says then is what the case has, unless it said something at
 * the point, which may differ. Who says nothing has no answer. */
static int ask_again(struct dispute_stage *stage, struct dispute_recorder *recorder,
		     const struct engine *engine, struct error *error)
{
	struct memory_reader reader = dispute_recorder_reader(recorder);
	struct dispute_answer *kept = dispute_find_answer(recorder->dispute, engine->name);
	struct stack stack DEINIT(stack_deinit) = { 0 };
	struct error ignored;
	bool answered = dispute_ask(stage, engine, &reader, &stack, &ignored) == ENGINE_STACK;
	int status = 0;

	if (kept && kept->asked)
		kept->differs = !answered || !stack_equal(&stack, &kept->stack);
	else if (kept && answered)
		status = stack_copy(&kept->stack, &stack, error);
	else if (answered)
		status = add_answer(recorder->dispute, engine, &stack, false, error);
	return status;
}

/* All that can be asked: those that said something, and those that are built in. */
static int ask_all(struct dispute_recorder *recorder, const struct dispute_said *said, size_t count,
		   struct error *error)
{
	struct dispute_folder folder DEINIT(dispute_folder_deinit) = { 0 };
	struct dispute_stage *stage = NULL;
	int status;

	status = dispute_folder_create(&folder, error) ||
				 dispute_folder_fill(&folder, recorder->dispute, error) ||
				 dispute_stage_create(recorder->dispute, &folder, &stage, error)
			 ? -1
			 : 0;
	for (size_t i = 0; !status && i < count; i++)
		if (dispute_can_ask(said[i].engine))
			status = ask_again(stage, recorder, said[i].engine, error);
	for (size_t i = 0; !status && engine_at(i); i++) {
		const struct dispute_answer *known = dispute_find_answer(recorder->dispute,
									 engine_at(i)->name);

		if (dispute_can_ask(engine_at(i)) && (!known || !known->asked))
			status = ask_again(stage, recorder, engine_at(i), error);
	}
	dispute_stage_destroy(stage);
	return status;
}

static int keep_whole_images(struct dispute *dispute, struct error *error)
{
	for (size_t i = 0; i < dispute->image_count; i++) {
		dispute->image[i].whole = true;
		if (dispute_keep_range(&dispute->image[i], 0, UINT64_MAX, error))
			return -1;
	}
	return 0;
}

static bool somebody_differs(const struct dispute *dispute)
{
	return ARRAY_ANY(dispute->answer_count, i, dispute->answer[i].differs);
}

static int ask_until_same(struct dispute_recorder *recorder, const struct dispute_said *said,
			  size_t count, struct error *error)
{
	if (ask_all(recorder, said, count, error))
		return -1;
	if (!somebody_differs(recorder->dispute))
		return 0;
	return keep_whole_images(recorder->dispute, error) || ask_all(recorder, said, count, error)
		       ? -1
		       : 0;
}

/* ---- the point -------------------------------------------------------------------------- */

static int collect(struct dispute *dispute, const struct point *point,
		   const struct dispute_said *said, size_t said_count, struct error *error)
{
	struct dispute_recorder recorder = { .dispute = dispute, .from = *point->memory };
	const struct address_space *space = point->space;

	for (size_t i = 0; i < space->mapping_count; i++)
		if (add_code(dispute, &space->mapping[i], error))
			return -1;
	if (add_maps(dispute, point->stop->tid, error) ||
	    keep_frames(&recorder, &dispute->truth, error))
		return -1;
	for (size_t i = 0; i < said_count; i++)
		if (add_answer(dispute, said[i].engine, said[i].stack, true, error) ||
		    keep_frames(&recorder, said[i].stack, error))
			return -1;
	keep_stack(&recorder, point);
	return ask_until_same(&recorder, said, said_count, error);
}

struct dispute *dispute_collect(const struct point *point, const struct stack *truth,
				const struct dispute_said *said, size_t said_count, bool follows,
				struct error *error)
{
	struct dispute *dispute = dispute_create(error);

	if (!dispute)
		return NULL;
	dispute->tid = point->stop->tid;
	dispute->follows = follows;
	dispute->regs = *point->regs;
	dispute->rooted = point->stop->shadow->rooted;
	if (!stack_copy(&dispute->truth, truth, error) &&
	    !collect(dispute, point, said, said_count, error))
		return dispute;
	dispute_destroy(dispute);
	return NULL;
}
