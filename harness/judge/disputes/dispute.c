/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute.c - what a dispute consists of
 *
 * It owns all of it but the images' entries, which it holds: they are the image store's.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "disputes.h"
#include "walk/image_store.h"

struct dispute *dispute_create(struct error *error)
{
	struct dispute *dispute = calloc(1, sizeof(*dispute));

	if (dispute)
		dispute->about = json_object();
	if (dispute && dispute->about)
		return dispute;
	dispute_destroy(dispute);
	error_set(error, ERROR_MEMORY, "", 0, "no memory for a case");
	return NULL;
}

static void image_deinit(struct dispute_image *image)
{
	image_entry_release(image->entry);
	free(image->path);
	free(image->build_id);
	free(image->range);
}

void dispute_destroy(struct dispute *dispute)
{
	if (!dispute)
		return;
	for (size_t i = 0; i < dispute->answer_count; i++) {
		free(dispute->answer[i].engine);
		stack_deinit(&dispute->answer[i].stack);
	}
	for (size_t i = 0; i < dispute->image_count; i++)
		image_deinit(&dispute->image[i]);
	for (size_t i = 0; i < dispute->code_count; i++)
		free(dispute->code[i].path);
	for (size_t i = 0; i < dispute->map_count; i++)
		free(dispute->map[i].path);
	for (size_t i = 0; i < dispute->memory.count; i++)
		free(dispute->memory.page[i].bytes);
	page_set_deinit(&dispute->memory);
	free(dispute->answer);
	free(dispute->image);
	free(dispute->code);
	free(dispute->map);
	free(dispute->unreadable);
	free(dispute->run);
	stack_deinit(&dispute->truth);
	json_decref(dispute->about);
	free(dispute);
}

struct dispute_answer *dispute_add_answer(struct dispute *dispute, const char *engine,
					  struct error *error)
{
	char *copy = strdup(engine);

	if (dispute->answer_count == DISPUTE_ANSWERS_MAX || !copy ||
	    !ARRAY_GROW(dispute->answer, dispute->answer_count)) {
		free(copy);
		error_set(error, ERROR_MEMORY, "", 0, "no memory for an engine's answer");
		return NULL;
	}
	dispute->answer[dispute->answer_count] = (struct dispute_answer) { .engine = copy };
	return &dispute->answer[dispute->answer_count++];
}

struct dispute_answer *dispute_find_answer(const struct dispute *dispute, const char *engine)
{
	return ARRAY_FIRST(dispute->answer, dispute->answer_count, answer,
			   !strcmp(answer->engine, engine));
}

const char *dispute_text(const struct dispute *dispute, const char *key)
{
	return json_text(dispute->about, key);
}

bool dispute_can_ask(const struct engine *engine)
{
	return !engine->in_kernel && !engine->needs;
}
