/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * baseline_match.c - known, new, gone: image by image, by the findings' keys (base/finding/finding_record.h)
 */
#include <inttypes.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "findings.h"
#include "plain_text.h"

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
	return ARRAY_FIRST(baseline->image, baseline->count, image,
			   !strcmp(json_text(image->object, "image"), path));
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
	return ARRAY_FIRST(baseline->image, baseline->count, known,
			   known->now && !strcmp(known->now, image));
}

/* ---- findings ------------------------------------------------------------------------------ */

size_t baseline_match(struct baseline_image *image, struct finding_set *findings)
{
	size_t known = 0;

	if (image)
		finding_sets_match(&image->findings, findings);
	for (size_t i = 0; i < findings->count; i++) {
		findings->held[i].finding.known = findings->held[i].same != NULL;
		known += findings->held[i].finding.known;
	}
	return known;
}

static json_t *text_or_none(const char *text)
{
	return text[0] ? json_bytes(text) : NULL;
}

json_t *baseline_gone(const struct baseline_image *image, baseline_wanted_fn wanted,
		      const void *context)
{
	json_t *gone = json_array();

	for (size_t i = 0; i < image->findings.count; i++) {
		const struct finding_record *finding = &image->findings.held[i].finding;

		if (image->findings.held[i].same || !wanted || !wanted(context, finding))
			continue;
		json_array_append_new(
			gone,
			JSON_NEW("type", "lint_gone", "image", image->now, "id", finding->id,
				 "title", text_or_none(finding->title), "function",
				 text_or_none(finding->function), "offset",
				 finding->function[0] ? json_integer((json_int_t)finding->offset)
						      : NULL,
				 "register", text_or_none(finding->reg), "declared",
				 text_or_none(finding->declared), "actual",
				 text_or_none(finding->actual)));
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
	return JSON_NEW("file", baseline->path, "not_in_baseline", baseline->missing,
			"only_in_baseline", baseline_left(baseline));
}
