/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * findings_run.c - --sarif and --page, and all that a run said
 *
 * Both are written at the end, whatever it was: a run that could do nothing leaves files that say so, and
 * not those of the run before.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "base/cli/options.h"
#include "findings.h"

enum { KEY_SARIF = 0x2200, KEY_PAGE };

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct findings_run *run = state->input;

	switch (key) {
	case KEY_SARIF: run->sarif = option_file(state, argument, "--sarif"); return 0;
	case KEY_PAGE: run->page = option_file(state, argument, "--page"); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ "sarif", KEY_SARIF, "FILE", 0, "also write the findings as SARIF 2.1.0", 0 },
	{ "page", KEY_PAGE, "FILE", 0, "also write a page of HTML", 0 },
	{ 0 },
};

enum lint_id findings_id(struct argp_state *state, const char *text)
{
	enum lint_id id = lint_id_find(text);

	if (!id)
		argp_error(state, "'%s' is no finding's id", text);
	return id;
}

void findings_only(struct argp_state *state, const char *argument, uint32_t *only)
{
	char *word[LINT_ID_COUNT];
	FREED char *text = strdup(argument);
	size_t count;

	if (!text)
		argp_failure(state, EXIT_ENVIRONMENT, 0, "no memory");
	count = option_words(state, text, "--only", word, LINT_ID_COUNT);
	if (*only == FINDINGS_ALL)
		*only = 0;
	for (size_t i = 0; i < count; i++)
		*only |= 1u << findings_id(state, word[i]);
}

const struct argp findings_argp = { .options = options, .parser = parse };

static void append(struct findings_run *run, json_t **array, json_t *value)
{
	if (run->sarif || run->page) {
		if (!*array)
			*array = json_array();
		json_array_append(*array, value);
	}
}

/* As its image and its text: a tree takes ten times as much. */
static json_t *packed(const struct findings_run *run, const json_t *object)
{
	json_t *before = json_array_get(run->findings, json_array_size(run->findings) - 1);
	json_t *image = json_array_get(before, 0);
	FREED char *text = json_dumps(object, JSON_COMPACT);

	if (!json_equal(image, json_object_get(object, "image")))
		image = json_object_get(object, "image");
	return json_pack("[O, s]", image, text);
}

void findings_keep(struct findings_run *run, json_t *object)
{
	if (json_object_get(object, "status")) {
		append(run, &run->images, object);
	} else if (run->sarif || run->page) {
		JSON_FREED json_t *finding = packed(run, object);

		append(run, &run->findings, finding);
	}
}

json_t *findings_kept(const struct findings_run *run, size_t number)
{
	json_t *text = json_array_get(json_array_get(run->findings, number), 1);

	return text ? json_loads(json_string_value(text), 0, NULL) : NULL;
}

void findings_problem(struct findings_run *run, const char *text)
{
	JSON_FREED json_t *problem = json_bytes(text);

	append(run, &run->problems, problem);
}

struct place {
	json_t *object;
	size_t number;
};

/* An image, or a packed finding. */
static const char *image_of(const json_t *object)
{
	const json_t *image = json_is_array(object) ? json_array_get(object, 0)
						    : json_object_get(object, "image");

	return json_is_string(image) ? json_string_value(image) : "";
}

static int by_image(const void *a, const void *b)
{
	const struct place *left = a, *right = b;
	int order = strcmp(image_of(left->object), image_of(right->object));

	return order ? order : left->number < right->number ? -1 : left->number > right->number;
}

/* Images come in the order in which they are ready: no two runs have the same. */
static void sort(json_t *array)
{
	size_t count = json_array_size(array);
	FREED struct place *place = calloc(count + 1, sizeof(*place));

	if (!place)
		return;
	for (size_t i = 0; i < count; i++)
		place[i] = (struct place) { json_incref(json_array_get(array, i)), i };
	qsort(place, count, sizeof(*place), by_image);
	for (size_t i = 0; i < count; i++)
		json_array_set_new(array, i, place[i].object);
}

static void print_sarif(const struct findings_run *run, const json_t *total,
			enum exit_status status, FILE *file)
{
	FREED char *folder = getcwd(NULL, 0);

	findings_sarif_print(run, total, status, folder, file);
}

/* False: it can't be, which is said. */
static bool open_file(const char *path, struct output_file *ret)
{
	struct error error;

	if (!path || !output_file_open(path, ret, &error))
		return true;
	error_print(stderr, "stackproof", &error);
	return false;
}

enum exit_status findings_open(struct findings_run *run, enum exit_status status)
{
	bool sarif = open_file(run->sarif, &run->sarif_file);
	bool page = open_file(run->page, &run->page_file);

	run->opened = true;
	return sarif && page ? status : EXIT_ENVIRONMENT;
}

static int close_file(struct output_file *output)
{
	struct error error;

	if (!output_file_close(output, true, &error))
		return 0;
	error_print(stderr, "stackproof", &error);
	return -1;
}

enum exit_status findings_finish(struct findings_run *run, const json_t *total,
				 enum exit_status status)
{
	int written = 0;

	if (!run->opened)
		status = findings_open(run, status);
	sort(run->findings);
	sort(run->images);
	if (run->page_file.file) {
		findings_page_print(run, total, run->page_file.file);
		written |= close_file(&run->page_file);
	}
	if (run->sarif_file.file) {
		print_sarif(run, total, written ? EXIT_ENVIRONMENT : status, run->sarif_file.file);
		written |= close_file(&run->sarif_file);
	}
	json_decref(run->findings);
	json_decref(run->images);
	json_decref(run->problems);
	return written ? EXIT_ENVIRONMENT : status;
}
