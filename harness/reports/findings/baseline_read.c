/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * baseline_read.c - an earlier run's output
 *
 * Findings of an image come before its own object, and the total comes last. What lacks the total was
 * cut short: an image that is missing would make all of its findings new, and a finding that is missing
 * would be blamed on who changed nothing. So nothing is passed over: the first thing that is wrong
 * is an error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/input_file.h"
#include "base/cli/no_memory.h"
#include "base/cli/json_counts.h"
#include "findings.h"

struct reader {
	struct baseline *baseline;
	struct baseline_image next; /* findings of the image whose object comes */
	json_t *paths;		    /* of images that were read: their numbers, from 1 on */
	uint64_t images;
	size_t line;
	bool ended;
};

static void image_deinit(struct baseline_image *image)
{
	finding_set_deinit(&image->findings);
	free(image->now);
	json_decref(image->object);
	*image = (struct baseline_image) { NULL };
}

void baseline_destroy(struct baseline *baseline)
{
	if (!baseline)
		return;
	for (size_t i = 0; i < baseline->count; i++)
		image_deinit(&baseline->image[i]);
	free(baseline->image);
	free(baseline);
}

static int bad(const struct reader *reader, struct error *error, const char *problem)
{
	return error_set(error, ERROR_TEXT_SYNTAX, "", reader->line, "%s, line %zu: %s",
			 reader->baseline->path, reader->line, problem);
}

static int read_finding(struct reader *reader, const json_t *object, struct error *error)
{
	const struct finding_record finding = finding_record_read(object);
	struct finding_set *findings = &reader->next.findings;

	if (!finding.id[0])
		return bad(reader, error, "a finding without an id");
	if (findings->count && strcmp(findings->held[0].finding.image, finding.image))
		return bad(reader, error, "findings of two images, and no object of the first");
	finding_set_copy(findings, &finding, finding_key(&finding));
	return 0;
}

/* An archive may have several members of one name: what was found in them belongs together. */
static void read_copy(struct baseline_image *image, struct baseline_image *next)
{
	for (; next->findings.count; next->findings.count--) {
		struct finding_held *held = &next->findings.held[next->findings.count - 1];

		finding_set_add(&image->findings, &held->finding, held->key)->texts = held->texts;
	}
	image_deinit(next);
	image->copies++;
	finding_set_sort(&image->findings);
}

static int read_image(struct reader *reader, json_t *object, struct error *error)
{
	struct baseline_image *image = &reader->next;
	const char *path = json_text(object, "image"), *status = json_text(object, "status");
	json_int_t before;

	if (image->findings.count && strcmp(image->findings.held[0].finding.image, path))
		return bad(reader, error, "findings of another image stand before it");
	before = json_count(reader->paths, path);
	if (before && (!*path || path[strlen(path) - 1] != ')'))
		return bad(reader, error, "an image that was there before");
	/* One that failed has said what it could. */
	if (strcmp(status, "failed") &&
	    json_number(object, "wanted_findings") != image->findings.count)
		return bad(reader, error, "not as many findings as it says");
	reader->images++;
	if (before) {
		read_copy(&reader->baseline->image[before - 1], image);
		return 0;
	}
	JSON_SET(reader->paths, path, reader->baseline->count + 1);
	image->object = json_incref(object);
	image->copies = 1;
	finding_set_sort(&image->findings);
	ARRAY_NEED(reader->baseline->image, reader->baseline->count, *image);
	*image = (struct baseline_image) { NULL };
	return 0;
}

static int read_total(struct reader *reader, const json_t *object, struct error *error)
{
	if (reader->next.findings.count)
		return bad(reader, error, "an image's object is missing");
	if (json_number(object, "images") != reader->images)
		return bad(reader, error, "not as many images as it says");
	reader->ended = true;
	return 0;
}

static int read_object(struct reader *reader, json_t *object, struct error *error)
{
	const char *type = json_text(object, "type");
	const json_t *image = json_object_get(object, "image");

	if (reader->ended)
		return bad(reader, error, "behind the total");
	if (!strcmp(type, "lint_total"))
		return read_total(reader, object, error);
	if (!strcmp(type, "ignore")) /* what an entry of --ignore was worth */
		return 0;
	if (strncmp(type, "lint", 4) || !json_is_string(image))
		return bad(reader, error, "not what `lint --json` prints");
	if (!strcmp(type, "lint_finding"))
		return read_finding(reader, object, error);
	return strcmp(type, "lint") ? 0 : read_image(reader, object, error);
}

static int read_lines(struct reader *reader, FILE *file, struct error *error)
{
	FREED char *line = NULL;
	size_t capacity = 0;
	ssize_t size;
	int status = 0;

	errno = 0;
	while (!status && (size = getline(&line, &capacity, file)) >= 0) {
		JSON_FREED json_t *object = json_loadb(line, (size_t)size, 0, NULL);

		reader->line++;
		status = json_is_object(object) ? read_object(reader, object, error)
						: bad(reader, error, "no JSON object");
	}
	if (!status && !feof(file))
		return error_set_errno(error, "can't read %s", reader->baseline->path);
	if (!status && !reader->ended)
		return error_set(error, ERROR_TEXT_SYNTAX, "", reader->line,
				 "%s has no total: it is not whole", reader->baseline->path);
	return status;
}

int baseline_read(const char *path, struct baseline **ret, struct error *error)
{
	struct reader reader = { .paths = json_object() };
	FILE_CLOSED FILE *file = input_file_open(path, error);
	int status;

	if (!file) {
		json_decref(reader.paths);
		return -1;
	}
	reader.baseline = need_memory(calloc(1, sizeof(*reader.baseline)));
	reader.baseline->path = path;
	status = read_lines(&reader, file, error);
	image_deinit(&reader.next);
	json_decref(reader.paths);
	if (status)
		baseline_destroy(reader.baseline);
	else
		*ret = reader.baseline;
	return status;
}
