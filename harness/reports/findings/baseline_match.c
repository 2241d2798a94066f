/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * baseline_match.c - known, new, gone
 *
 * Findings are held against each other by their keys; of as many as have one key in both, each is
 * known, whichever it is. So a new finding that is like a known one in the same function is noticed by
 * the count.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "findings.h"
#include "plain_text.h"
#include "array.h"

/* ---- images -------------------------------------------------------------------------------- */

/* Folders and the name at the end that both paths have: 0: not even the name. An archive's member is
 * part of the name. */
static size_t alike(const char *a, const char *b)
{
	size_t left = strlen(a), right = strlen(b), count = 0, parts = 0;

	while (count < left && count < right && a[left - 1 - count] == b[right - 1 - count]) {
		parts += a[left - 1 - count] == '/';
		count++;
	}
	if ((count == left || a[left - 1 - count] == '/') &&
	    (count == right || b[right - 1 - count] == '/'))
		parts++;
	return parts;
}

static struct baseline_image *image_of_path(struct baseline *baseline, const char *path)
{
	for (size_t i = 0; i < baseline->count; i++)
		if (!strcmp(json_text(baseline->image[i].object, "image"), path))
			return &baseline->image[i];
	return NULL;
}

/* The most alike of those that are nobody's yet; NULL if there is none, or several. */
static struct baseline_image *most_alike(struct baseline *baseline, const char *path)
{
	struct baseline_image *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < baseline->count; i++) {
		struct baseline_image *image = &baseline->image[i];
		size_t parts = image->now ? 0 : alike(json_text(image->object, "image"), path);

		if (parts && parts >= most) {
			best = parts > most ? image : NULL;
			most = parts;
		}
	}
	return best;
}

static bool claim(struct baseline_image *image, const char *path)
{
	if (image && !image->now)
		image->now = strdup(path);
	return image && image->now;
}

size_t baseline_pair(struct baseline *baseline, const char *const *image, size_t count)
{
	size_t paired = 0;

	for (size_t i = 0; i < count; i++) {
		struct baseline_image *same = image_of_path(baseline, image[i]);

		paired += claim(same, image[i]);
	}
	for (size_t i = 0; i < count; i++) {
		struct baseline_image *same = NULL;

		if (!baseline_image_find(baseline, image[i]))
			same = most_alike(baseline, image[i]);
		paired += claim(same, image[i]);
	}
	return paired;
}

struct baseline_image *baseline_image_find(const struct baseline *baseline, const char *image)
{
	for (size_t i = 0; i < baseline->count; i++)
		if (baseline->image[i].now && !strcmp(baseline->image[i].now, image))
			return &baseline->image[i];
	return NULL;
}

/* ---- findings ------------------------------------------------------------------------------ */

/* The first of the baseline's findings that is not before one with the key, at that offset. */
static size_t lower_bound(const struct baseline_image *image, const char *key, uint64_t offset)
{
	return ARRAY_BEFORE(image->count, i, ({
				    int order = strcmp(image->finding[i].key, key);

				    order < 0 || (!order && image->finding[i].offset < offset);
			    }));
}

static bool has_key(const struct baseline_image *image, size_t number, const char *key)
{
	return number < image->count && !strcmp(image->finding[number].key, key);
}

/* Takes the one at the same place. */
static bool take_same(struct baseline_image *image, const char *key, const json_t *finding)
{
	uint64_t offset = json_number(finding, "offset");

	for (size_t i = lower_bound(image, key, offset); has_key(image, i, key); i++) {
		struct baseline_finding *known = &image->finding[i];

		if (known->offset != offset)
			return false;
		if (known->used || strcmp(known->function, json_text(finding, "function")))
			continue;
		known->used = true;
		return true;
	}
	return false;
}

/* Takes any that nobody has. The first of a key says from where on to look. */
static bool take_any(struct baseline_image *image, const char *key)
{
	size_t first = lower_bound(image, key, 0);

	if (!has_key(image, first, key))
		return false;
	for (size_t i = first + image->finding[first].taken; has_key(image, i, key); i++) {
		image->finding[first].taken = i + 1 - first;
		if (image->finding[i].used)
			continue;
		image->finding[i].used = true;
		return true;
	}
	return false;
}

size_t baseline_match(struct baseline_image *image, json_t *findings)
{
	size_t known = 0, i;
	json_t *finding;

	for (int same = 1; same >= 0; same--)
		json_array_foreach(findings, i, finding)
		{
			char *key;
			bool is_known;

			if (json_is_true(json_object_get(finding, "known")))
				continue;
			key = image ? finding_key(finding) : NULL;
			is_known = key &&
				   (same ? take_same(image, key, finding) : take_any(image, key));
			json_object_set_new(finding, "known", json_boolean(is_known));
			known += is_known;
			free(key);
		}
	return known;
}

json_t *baseline_gone(const struct baseline_image *image, baseline_wanted_fn wanted,
		      const void *context)
{
	static const char *const fields[] = { "id",	  "title",    "function", "offset",
					      "register", "declared", "actual" };
	json_t *gone = json_array();

	for (size_t i = 0; gone && i < image->count; i++) {
		json_t *finding, *object;

		if (image->finding[i].used)
			continue;
		finding = json_loads(image->finding[i].text, 0, NULL);
		if (!wanted(context, finding)) {
			json_decref(finding);
			continue;
		}
		object = json_pack("{s:s, s:s}", "type", "lint_gone", "image", image->now);
		for (size_t j = 0; j < sizeof(fields) / sizeof(fields[0]); j++)
			json_object_set(object, fields[j], json_object_get(finding, fields[j]));
		json_decref(finding);
		if (json_array_append_new(gone, object)) {
			json_decref(gone);
			gone = NULL;
		}
	}
	return gone;
}

/* ---- the sums ------------------------------------------------------------------------------ */

uint64_t baseline_left(const struct baseline *baseline)
{
	uint64_t left = 0;

	for (size_t i = 0; i < baseline->count; i++)
		left += !baseline->image[i].now;
	return left;
}

void baseline_print(const struct baseline *baseline, const json_t *counts, FILE *file)
{
	uint64_t left = baseline_left(baseline);

	fprintf(file, "baseline %s: %" PRIu64 " known findings, %" PRIu64 " new, %" PRIu64 " gone",
		PLAIN_TEXT(baseline->path), json_number(counts, "known_findings"),
		json_number(counts, "new_findings"), json_number(counts, "gone_findings"));
	if (baseline->missing)
		fprintf(file, "; it doesn't have %" PRIu64 " of the images", baseline->missing);
	if (left)
		fprintf(file, "; %" PRIu64 " of its images are not among them", left);
	fputc('\n', file);
}

json_t *baseline_json(const struct baseline *baseline)
{
	return json_pack("{s:o, s:I, s:I}", "file", json_bytes(baseline->path), "not_in_baseline",
			 (json_int_t)baseline->missing, "only_in_baseline",
			 (json_int_t)baseline_left(baseline));
}
