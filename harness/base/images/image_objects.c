/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_objects.c - what is said of images, object by object, and how far it is
 */
#include <stdlib.h>
#include "base/cli/json_counts.h"
#include "base/cli/progress_bar.h"
#include "image_objects.h"

struct running {
	const struct image_objects *objects;
	struct progress_bar bar;
};

static bool is_last(const json_t *object)
{
	return json_object_get(object, "status") != NULL;
}

static void take(const struct running *running, const struct image_path *image, json_t *object)
{
	if (!object)
		return;
	running->objects->take(running->objects->context, image, object);
	json_decref(object);
}

static void take_again(const struct running *running, const struct image_path *image,
		       const struct image_outcome *outcome)
{
	struct image_line line = { NULL };

	if (outcome->output)
		rewind(outcome->output);
	while (image_outcome_line(outcome, &line)) {
		JSON_FREED json_t *object = json_loadb(line.text, line.size, 0, NULL);

		if (object && !is_last(object))
			running->objects->again(running->objects->context, image, object);
	}
	free(line.text);
	running->objects->again(running->objects->context, image, NULL);
}

static void image_work(void *context, const struct image_path *image, FILE *output)
{
	const struct running *running = context;

	running->objects->work(running->objects->context, image, output);
}

/* The image's own last word, or, if it had none, ours. */
static void image_done(void *context, const struct image_path *image,
		       const struct image_outcome *outcome)
{
	struct running *running = context;
	const char *failure = outcome->failure;
	struct image_line line = { NULL };
	bool had_last_word = false;
	char text[96];

	progress_bar_clear(&running->bar);
	while (image_outcome_line(outcome, &line)) {
		json_t *object = json_loadb(line.text, line.size, 0, NULL);
		bool last = is_last(object);

		had_last_word |= last;
		if (last && failure)
			json_decref(object); /* it failed after it was done: not to be believed */
		else
			take(running, image, object);
	}
	free(line.text);
	if (!failure && !had_last_word)
		failure = "said nothing";
	if (failure)
		take(running, image,
		     JSON_NEW("type", running->objects->type, "image", image->path, "status",
			      outcome->is_cut ? "unread" : "failed", "code",
			      outcome->is_cut ? error_code_name(ERROR_SYSTEM) : NULL, "message",
			      failure, "seconds", outcome->seconds));
	if (running->objects->again)
		take_again(running, image, outcome);
	fflush(stdout);
	running->bar.done += image->bytes;
	running->objects->say(running->objects->context, text, sizeof(text));
	progress_bar_draw(&running->bar, text);
}

int image_objects_run(const struct image_objects *objects, const struct image_list *list,
		      struct error *error)
{
	struct running running = { .objects = objects };
	struct image_pool pool = {
		.jobs = objects->jobs,
		.timeout_ms = objects->timeout_ms,
		.work = image_work,
		.done = image_done,
		.context = &running,
	};
	uint64_t bytes = 0;
	int result;

	for (size_t i = 0; i < list->count; i++)
		bytes += list->image[i].bytes;
	progress_bar_start(&running.bar, bytes);
	result = image_pool_run(&pool, list, error);
	progress_bar_clear(&running.bar);
	return result;
}
